// SPDX-License-Identifier: Apache-2.0
/* tests/unit/base/test_sort.c: sorts by a given order and by bytes. */
#include "support.h"

#define UNUSED (void)state

static uint32_t seed = 1;
static uint32_t chance(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static bool less_tens(const void *ctx, uint32_t a, uint32_t b)
{
    (void)ctx;
    return a / 10 < b / 10;
}

static void sorting_is_stable(void **state)
{
    UNUSED;
    static const size_t sizes[] = { 0, 1, 2, 7, 8, 9, 16, 17, 100, 1023, 5000 };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s];
        uint32_t *items = malloc((n + 1) * sizeof *items), *place = calloc(1000, sizeof *place);
        uint32_t *came = malloc((n + 1) * sizeof *came);
        for (size_t i = 0; i < n; i++) came[i] = items[i] = chance(1000);
        assert_true(tfp_sort(items, n, less_tens, NULL));
        for (size_t i = 1; i < n; i++) assert_true(items[i - 1] / 10 <= items[i] / 10);
        for (uint32_t ten = 0; ten < 100; ten++) { /* items of a group keep their order */
            size_t at = 0;
            for (size_t i = 0; i < n; i++) {
                if (came[i] / 10 != ten) continue;
                while (items[at] / 10 != ten) at++;
                assert_int_equal(items[at++], came[i]);
            }
        }
        free(items);
        free(came);
        free(place);
    }
}

static void strings_sort_as_bytes_whatever_their_shape(void **state)
{
    UNUSED;
    enum { COUNT = 4000 };
    tfp_arena a = { 0 };
    tfp_str *strings = TFP_NEW(&a, tfp_str, COUNT);
    uint32_t items[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        size_t size = chance(40);
        char *s = tfp_arena_alloc(&a, size + 1);
        /* few different bytes, zero among them, so that long common prefixes and equal texts occur */
        for (size_t k = 0; k < size; k++) s[k] = "\0/ab\xff"[k < 16 ? chance(20) ? 2 : 3 : chance(5)];
        strings[i] = (tfp_str){ s, size };
        items[i] = i;
    }
    assert_true(tfp_sort_strings(items, COUNT, strings));
    for (size_t i = 1; i < COUNT; i++) {
        int order = tfp_str_cmp(strings[items[i - 1]], strings[items[i]]);
        assert_true(order < 0 || (order == 0 && items[i - 1] < items[i]));
    }
    tfp_arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorting_is_stable),
        cmocka_unit_test(strings_sort_as_bytes_whatever_their_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
