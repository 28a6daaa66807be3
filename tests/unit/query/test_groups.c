// SPDX-License-Identifier: Apache-2.0
/* tests/unit/query/test_groups.c: groups, folds, orders and binary search. */
#include "support.h"

#include "query/groups.h"
#include "query/order.h"

typedef struct row {
    uint32_t unit;
    tfp_str name;
    double share;
    tfp_fold ns;
} row;

static void rows_are_found_again_by_their_keys(void **state)
{
    (void)state;
    enum { KEYS = 5000 };
    tfp_groups g = { .row_size = sizeof(row) };
    for (uint64_t turn = 0; turn < 3; turn++)
        for (uint64_t i = 0; i < KEYS; i++) {
            row *found = TFP_GROUP(&g, i / 100, i % 100 << 40);
            assert_non_null(found);
            assert_int_equal(found->ns.count, turn);
            assert_int_equal((size_t)(found - (row *)g.rows), i); /* in the order of their first keys */
            tfp_fold_add(&found->ns, (int64_t)i);
        }
    assert_int_equal(g.count, KEYS);
    for (int64_t i = 0; i < KEYS; i++) assert_int_equal(((row *)g.rows)[i].ns.total, 3 * i);
    tfp_groups_free(&g);
    assert_null(g.rows);
    tfp_arena arena = { 0 };
    size_t count = 1;
    static const tfp_sort_key order[] = { TFP_UP(row, ns.total), { 0 } };
    assert_non_null(tfp_groups_end(&g, &arena, order, &count)); /* no rows are no failure */
    assert_int_equal(count, 0);
    tfp_arena_free(&arena);
}

static void folds_keep_sums_and_extremes(void **state)
{
    (void)state;
    tfp_fold f = { 0 };
    assert_true(tfp_fold_add(&f, -5)); /* the first one is the longest so far, even below 0 */
    assert_false(tfp_fold_add(&f, -7));
    assert_false(tfp_fold_add(&f, -5)); /* an equal one is not longer */
    assert_int_equal(f.max, -5);
    assert_int_equal(f.min, -7);
    assert_true(tfp_fold_join(&f, &(tfp_fold){ 2, 10, 1, 9 }));
    assert_false(tfp_fold_join(&f, &(tfp_fold){ 0 }));
    assert_int_equal(f.count, 5);
    assert_int_equal(f.total, -7);
    assert_int_equal(f.min, -7);
    assert_int_equal(f.max, 9);
    tfp_fold_add(&f, INT64_MAX);
    tfp_fold_add(&f, INT64_MAX);
    assert_int_equal(f.total, INT64_MAX);
}

static const row rows[] = {
    { 1, { "b", 1 }, 0.5, { 1, 10, 0, 0 } }, { 0, { "b", 1 }, 0.5, { 1, 20, 0, 0 } },
    { 1, { "a", 1 }, 0.1, { 1, 10, 0, 0 } }, { 0, { "c", 1 }, 0.9, { 1, 30, 0, 0 } },
    { 1, { "b", 1 }, 0.7, { 1, 10, 0, 0 } },
};
enum { ROWS = sizeof rows / sizeof *rows };

static void rows_sort_by_several_keys(void **state)
{
    (void)state;
    static const tfp_sort_key order[] = { TFP_UP(row, unit), TFP_DOWN(row, ns.total), TFP_UP(row, name), { 0 } };
    static const uint32_t wanted[ROWS] = { 3, 1, 2, 0, 4 }; /* equal rows keep their order */
    tfp_arena arena = { 0 };
    const row *sorted = tfp_ordered(&arena, rows, sizeof *rows, ROWS, order);
    assert_non_null(sorted);
    for (size_t i = 0; i < ROWS; i++) assert_memory_equal(&sorted[i], &rows[wanted[i]], sizeof *rows);
    row copy[ROWS];
    memcpy(copy, rows, sizeof rows);
    assert_true(tfp_order_rows(copy, sizeof *copy, ROWS, order));
    assert_memory_equal(copy, sorted, sizeof copy);
    tfp_arena_free(&arena);
}

static void items_sort_by_columns_and_rows(void **state)
{
    (void)state;
    uint8_t lane[ROWS] = { 1, 1, 0, 0, 1 };
    int64_t start[ROWS] = { INT64_MIN, 5, -1, INT64_MAX, 5 };
    uint32_t items[ROWS] = { 0, 1, 2, 3, 4 };
    tfp_sort_key by_start[] = { TFP_UP_IN(lane), TFP_DOWN_IN(start), TFP_DOWN(row, share), { 0 } };
    static const uint32_t wanted[ROWS] = { 3, 2, 4, 1, 0 };
    assert_true(tfp_order_items(items, ROWS, by_start, rows, sizeof *rows));
    assert_memory_equal(items, wanted, sizeof wanted);
}

static void the_first_number_that_is_not_before_is_found(void **state)
{
    (void)state;
    static const int values[] = { 1, 3, 3, 3, 7, 9 };
    enum { COUNT = sizeof values / sizeof *values };
    for (int key = 0; key < 11; key++)
        for (size_t high = 0; high <= COUNT; high++) {
            size_t lower, upper, wanted = 0;
            TFP_LOWER_BOUND(lower, 0, high, values[lower] < key);
            while (wanted < high && values[wanted] < key) wanted++;
            assert_int_equal(lower, wanted);
            TFP_LOWER_BOUND(upper, lower, high, values[upper] <= key);
            while (wanted < high && values[wanted] <= key) wanted++;
            assert_int_equal(upper, wanted);
            TFP_LOWER_BOUND(upper, high + 1, high, values[upper] <= key);
            assert_int_equal(upper, high + 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_again_by_their_keys),
        cmocka_unit_test(folds_keep_sums_and_extremes),
        cmocka_unit_test(rows_sort_by_several_keys),
        cmocka_unit_test(items_sort_by_columns_and_rows),
        cmocka_unit_test(the_first_number_that_is_not_before_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
