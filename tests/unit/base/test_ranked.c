// SPDX-License-Identifier: Apache-2.0
/* tests/unit/base/test_ranked.c: the k-th smallest number of a range, compared with a sorted copy of the range. */
#include "support.h"

#include "base/ranked.h"

static uint32_t seed = 7;
static uint32_t chance(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Checks the number at each rank of a range, and the sum of the range. */
static void check_range(const tfp_ranked *x, const int64_t *numbers, size_t first, size_t end)
{
    tfp_ranked_part part = { x, first, end };
    size_t count = end - first;
    int64_t *sorted = malloc((count + 1) * sizeof *sorted);
    double sum = 0;
    memcpy(sorted, numbers + first, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_size);
    assert_int_equal(tfp_ranked_size(&part), count);
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(tfp_ranked_at(&part, k), sorted[k]);
        sum += (double)sorted[k];
    }
    assert_true(tfp_ranked_sum(&part) == sum);
    if (count) assert_true(tfp_ranked_quantile(&part, 1) == (double)sorted[count - 1]);
    free(sorted);
}

static void ranges_are_as_sorted_ones(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 2, 3, 63, 64, 65, 128, 500 };
    static const uint32_t most[] = { 1, 2, 5, 100, 16000000 };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t m = 0; m < sizeof most / sizeof *most; m++) {
            size_t n = sizes[s];
            tfp_arena arena = { 0 };
            tfp_ranked x;
            int64_t *numbers = malloc((n + 1) * sizeof *numbers);
            for (size_t i = 0; i < n; i++) numbers[i] = chance(most[m]);
            assert_true(tfp_ranked_new(&x, &arena, numbers, n));
            check_range(&x, numbers, 0, n);
            for (int turn = 0; turn < 20; turn++) {
                size_t first = chance((uint32_t)n + 1), end = first + chance((uint32_t)(n - first) + 1);
                check_range(&x, numbers, first, end);
            }
            free(numbers);
            tfp_arena_free(&arena);
        }
}

static void a_median_lies_between_two(void **state)
{
    (void)state;
    static const int64_t numbers[] = { 9, 1, 4, 2, INT64_MAX };
    tfp_arena arena = { 0 };
    tfp_ranked x;
    assert_true(tfp_ranked_new(&x, &arena, numbers, 5));
    assert_true(tfp_ranked_quantile(&(tfp_ranked_part){ &x, 0, 4 }, 0.5) == 3);
    assert_true(tfp_ranked_quantile(&(tfp_ranked_part){ &x, 1, 4 }, 0.5) == 2);
    assert_int_equal(tfp_ranked_at(&(tfp_ranked_part){ &x, 0, 5 }, 4), INT64_MAX);
    tfp_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_as_sorted_ones),
        cmocka_unit_test(a_median_lies_between_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
