// SPDX-License-Identifier: Apache-2.0
/* tests/unit/query/test_intervals.c: unions of intervals, compared with one flag for each moment. */
#include "support.h"

#include "query/intervals.h"

enum { TIME = 200, COUNT = 12 };

static uint32_t seed = 3;
static int64_t chance(int64_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (int64_t)(seed >> 8) % below;
}

/* A union of random intervals, and for each moment whether it is in one of them. */
static tfp_union make(tfp_arena *a, bool covered[TIME])
{
    tfp_union u;
    int64_t start = 0;
    assert_true(tfp_union_new(a, COUNT, &u));
    memset(covered, 0, TIME);
    for (int i = 0; i < COUNT; i++) {
        int64_t end = start + chance(20);
        tfp_union_add(&u, start, end);
        for (int64_t t = start; t < end && t < TIME; t++) covered[t] = true;
        start += chance(14);
    }
    return u;
}

static int64_t count(const bool *covered, int64_t from, int64_t to)
{
    int64_t sum = 0;
    for (int64_t t = from; t < to; t++) sum += covered[t];
    return sum;
}

static void lengths_are_those_of_the_moments(void **state)
{
    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        tfp_arena arena = { 0 };
        bool a[TIME], b[TIME], both[TIME], left[TIME];
        tfp_union u = make(&arena, a), v = make(&arena, b), less;
        for (int t = 0; t < TIME; t++) both[t] = a[t] && b[t], left[t] = a[t] && !b[t];
        int64_t from = chance(TIME), to = chance(TIME);
        assert_int_equal(tfp_union_length(&u), count(a, 0, TIME));
        assert_int_equal(tfp_union_within(&u, from, to), count(a, from, to));
        assert_int_equal(tfp_union_overlap(&u, &v), count(both, 0, TIME));
        assert_true(tfp_union_less(&arena, &u, &v, &less));
        assert_int_equal(tfp_union_length(&less), count(left, 0, TIME));
        assert_int_equal(tfp_union_within(&less, from, to), count(left, from, to));
        tfp_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lengths_are_those_of_the_moments) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
