// SPDX-License-Identifier: Apache-2.0
/* query/order.h: orders of rows as data instead of comparison functions, and binary search.
 *
 *     static const tfp_sort_key longest_first[] = { TFP_UP(wait_row, unit), TFP_DOWN(wait_row, total_ns), { 0 } };
 *     wait_row *sorted = tfp_ordered(arena, rows, sizeof *rows, count, longest_first);
 *
 *     tfp_sort_key by_start[] = { TFP_UP_IN(s->lane), TFP_UP_IN(s->start_ns), { 0 } }; (columns instead of rows)
 *     if (!tfp_order_items(items, count, by_start, NULL, 0)) out of memory
 *
 *     size_t i;
 *     TFP_LOWER_BOUND(i, 0, count, rows[i].start_ns < at); (the first row that starts at or after `at`, or `count`)
 *
 * All sorts are stable. Knows no profile. */
#ifndef TFP_QUERY_ORDER_H
#define TFP_QUERY_ORDER_H

#include "base/base.h"

#include <stddef.h>

typedef enum tfp_order_type {
    TFP_ORDER_END,
    TFP_ORDER_I64,
    TFP_ORDER_U64,
    TFP_ORDER_I32,
    TFP_ORDER_U32,
    TFP_ORDER_U8, /* bool, too */
    TFP_ORDER_REAL,
    TFP_ORDER_TEXT /* byte order */
} tfp_order_type;

/* One key of an order; later ones decide between equal rows. A list ends with { 0 } and has at most TFP_ORDER_MOST. */
typedef struct tfp_sort_key {
    tfp_order_type type;
    bool down;          /* the biggest first */
    const void *column; /* an array of the values; NULL: they are a field of the rows */
    size_t offset;      /* of the field */
} tfp_sort_key;
enum { TFP_ORDER_MOST = 8 };

/* clang-format off */
#define TFP_ORDER_TYPE(value)                                                                                          \
    _Generic((value), int64_t: TFP_ORDER_I64, uint64_t: TFP_ORDER_U64, int32_t: TFP_ORDER_I32,                         \
             uint32_t: TFP_ORDER_U32, uint8_t: TFP_ORDER_U8, bool: TFP_ORDER_U8, double: TFP_ORDER_REAL,               \
             tfp_str: TFP_ORDER_TEXT)
/* the address is never used: _Generic looks at the type only, and cppcheck takes 0 for a null pointer that is read */
#define TFP_ORDER_FIELD(row, field, down) { TFP_ORDER_TYPE(((row *)1)->field), down, NULL, offsetof(row, field) }
#define TFP_UP(row, field) TFP_ORDER_FIELD(row, field, false)  /* by a field of the rows, the smallest first */
#define TFP_DOWN(row, field) TFP_ORDER_FIELD(row, field, true) /* the biggest first */
#define TFP_UP_IN(column) { TFP_ORDER_TYPE(*(column)), false, (column), 0 } /* by an array with a value for each item */
#define TFP_DOWN_IN(column) { TFP_ORDER_TYPE(*(column)), true, (column), 0 }
/* clang-format on */

/* Sorts items, which are indexes of rows or columns. False: out of memory. */
bool tfp_order_items(uint32_t *items, size_t count, const tfp_sort_key *order, const void *rows, size_t row_size);
/* A sorted copy of the rows in the arena. NULL: out of memory. */
void *tfp_ordered(tfp_arena *arena, const void *rows, size_t row_size, size_t count, const tfp_sort_key *order);
/* Sorts the rows in place. False: out of memory. */
bool tfp_order_rows(void *rows, size_t row_size, size_t count, const tfp_sort_key *order);

/* Sets `i` to the first number from `low` to before `high` for which `is_before`, an expression of `i`, is false; to
 * `high` if there is none, and to `low` if that is not below `high`. Numbers for which it is true must come first. A
 * macro, because a callback would need a function and a struct for what the expression uses: more lines than a loop. */
#define TFP_LOWER_BOUND(i, low, high, is_before)                                                                       \
    for (size_t low_##i = (low), high_##i = (high), left_##i;                                                          \
         left_##i = high_##i > low_##i ? high_##i - low_##i : 0, (i) = low_##i + left_##i / 2, left_##i > 0;)          \
    (is_before) ? (low_##i = (i) + 1) : (high_##i = (i))

#endif
