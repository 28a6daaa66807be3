// SPDX-License-Identifier: Apache-2.0
/* tests/unit/model/test_lcs.c: positions in longest common subsequences, beside a slow search that visits every one of them. */
#include "model/graphs/lcs.h"
#include "support.h"

enum { MOST = 7, WIDE = 200 };

typedef struct rows {
    uint32_t a[WIDE], b[WIDE], n, m;
} rows;

typedef struct found { /* bits of positions for each item */
    uint64_t at[MOST];
} found;

static bool take(void *ctx, uint32_t item, uint32_t position)
{
    ((found *)ctx)->at[item] |= UINT64_C(1) << position;
    return true;
}

/* Every way to give each item one of the positions of b, or none; the longest ones say which positions an item may have. */
static void search(const rows *r, found *out, uint32_t *length)
{
    uint64_t some[MOST] = { 0 };
    bool all[MOST];
    uint32_t best = 0, ways = 1;
    for (uint32_t i = 0; i < r->n; i++) ways *= r->m + 1;
    for (uint32_t way = 0; way < ways; way++) {
        uint32_t rest = way, count = 0, next = 0, at[MOST];
        bool ok = true;
        for (uint32_t i = 0; i < r->n && ok; i++, rest /= r->m + 1) {
            at[i] = rest % (r->m + 1); /* 0: none */
            if (!at[i]) continue;
            ok = at[i] > next && r->a[i] == r->b[at[i] - 1];
            next = at[i];
            count++;
        }
        if (!ok || count < best) continue;
        if (count > best) {
            best = count;
            for (uint32_t i = 0; i < r->n; i++) some[i] = 0, all[i] = true;
        } else if (way == 0)
            for (uint32_t i = 0; i < r->n; i++) all[i] = true;
        for (uint32_t i = 0; i < r->n; i++) {
            if (at[i])
                some[i] |= UINT64_C(1) << (at[i] - 1);
            else
                all[i] = false;
        }
    }
    *length = best;
    for (uint32_t i = 0; i < r->n; i++) out->at[i] = best && all[i] ? some[i] : 0;
}

static uint32_t next(uint32_t *seed) { return *seed = *seed * 1664525 + 1013904223, *seed >> 16; }

static void positions_are_those_of_every_longest_common_subsequence(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int round = 0; round < 1500; round++) {
        rows r = { .n = next(&seed) % 6, .m = next(&seed) % MOST };
        uint32_t names = 1 + next(&seed) % 4, length;
        for (uint32_t i = 0; i < r.n; i++) r.a[i] = next(&seed) % names;
        for (uint32_t i = 0; i < r.m; i++) r.b[i] = next(&seed) % names;
        found fast = { { 0 } }, slow = { { 0 } };
        tfp_row_of_names a = { r.a, r.n }, b = { r.b, r.m };
        search(&r, &slow, &length);
        assert_int_equal(tfp_lcs_length(a, b), length);
        assert_true(tfp_lcs_align(a, b, take, &fast));
        if (length) assert_memory_equal(fast.at, slow.at, sizeof fast.at);
    }
}

static bool count(void *ctx, uint32_t item, uint32_t position)
{
    (void)item, (void)position;
    return ++*(uint32_t *)ctx, true;
}

/* Rows of several words of bits, of which one name is missing: all others have one position. */
static void rows_longer_than_a_word(void **state)
{
    (void)state;
    rows r = { .n = WIDE - 1, .m = WIDE };
    for (uint32_t i = 0; i < WIDE; i++) r.b[i] = i;
    for (uint32_t i = 0; i + 1 < WIDE; i++) r.a[i] = i < 130 ? i : i + 1;
    uint32_t pairs = 0;
    assert_int_equal(tfp_lcs_length((tfp_row_of_names){ r.a, r.n }, (tfp_row_of_names){ r.b, r.m }), WIDE - 1);
    assert_true(tfp_lcs_align((tfp_row_of_names){ r.a, r.n }, (tfp_row_of_names){ r.b, r.m }, count, &pairs));
    assert_int_equal(pairs, WIDE - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(positions_are_those_of_every_longest_common_subsequence),
                                        cmocka_unit_test(rows_longer_than_a_word) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
