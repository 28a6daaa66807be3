// SPDX-License-Identifier: Apache-2.0
/* query/order.c: sorts rows by orders that are data. */
#include "query/order.h"

typedef struct place_key {
    const char *values;
    size_t step; /* bytes from one value to the next */
    tfp_order_type type;
    bool down;
} place_key;

typedef struct sorting {
    place_key keys[TFP_ORDER_MOST];
    size_t count;
} sorting;

static size_t size_of(tfp_order_type type)
{
    static const uint8_t sizes[] = { [TFP_ORDER_I64] = 8,
                                     [TFP_ORDER_U64] = 8,
                                     [TFP_ORDER_I32] = 4,
                                     [TFP_ORDER_U32] = 4,
                                     [TFP_ORDER_U8] = 1,
                                     [TFP_ORDER_REAL] = sizeof(double),
                                     [TFP_ORDER_TEXT] = sizeof(tfp_str) };
    return sizes[type];
}

static sorting resolve(const tfp_sort_key *order, const void *rows, size_t row_size)
{
    sorting s = { .count = 0 };
    for (; order->type != TFP_ORDER_END && s.count < TFP_ORDER_MOST; order++)
        s.keys[s.count++] = order->column
                                ? (place_key){ order->column, size_of(order->type), order->type, order->down }
                                : (place_key){ (const char *)rows + order->offset, row_size, order->type, order->down };
    return s;
}

#define COMPARED(type) ((*(const type *)x > *(const type *)y) - (*(const type *)x < *(const type *)y))

static bool goes_before(const void *ctx, uint32_t a, uint32_t b)
{
    const sorting *s = ctx;
    for (const place_key *k = s->keys; k < s->keys + s->count; k++) {
        const void *x = k->values + a * k->step, *y = k->values + b * k->step;
        int sign = 0;
        switch (k->type) {
        case TFP_ORDER_END: break;
        case TFP_ORDER_I64: sign = COMPARED(int64_t); break;
        case TFP_ORDER_U64: sign = COMPARED(uint64_t); break;
        case TFP_ORDER_I32: sign = COMPARED(int32_t); break;
        case TFP_ORDER_U32: sign = COMPARED(uint32_t); break;
        case TFP_ORDER_U8: sign = COMPARED(uint8_t); break;
        case TFP_ORDER_REAL: sign = COMPARED(double); break;
        case TFP_ORDER_TEXT: sign = tfp_str_cmp(*(const tfp_str *)x, *(const tfp_str *)y); break;
        }
        if (sign) return (sign < 0) != k->down;
    }
    return false;
}

bool tfp_order_items(uint32_t *items, size_t count, const tfp_sort_key *order, const void *rows, size_t row_size)
{
    if (count < 2) return true;
    sorting s = resolve(order, rows, row_size);
    return tfp_sort(items, count, goes_before, &s);
}

static bool copy_ordered(char *to, const char *rows, size_t row_size, size_t count, const tfp_sort_key *order)
{
    uint32_t *items = malloc((count + 1) * sizeof *items);
    bool ok = items != NULL;
    for (uint32_t i = 0; ok && i < count; i++) items[i] = i;
    ok = ok && tfp_order_items(items, count, order, rows, row_size);
    for (size_t i = 0; ok && i < count; i++) memcpy(to + i * row_size, rows + items[i] * row_size, row_size);
    free(items);
    return ok;
}

void *tfp_ordered(tfp_arena *arena, const void *rows, size_t row_size, size_t count, const tfp_sort_key *order)
{
    char *sorted = tfp_arena_zero(arena, count + 1, row_size);
    return sorted && copy_ordered(sorted, rows, row_size, count, order) ? sorted : NULL;
}

bool tfp_order_rows(void *rows, size_t row_size, size_t count, const tfp_sort_key *order)
{
    if (count < 2) return true;
    char *sorted = malloc(count * row_size);
    bool ok = sorted && copy_ordered(sorted, rows, row_size, count, order);
    if (ok) memcpy(rows, sorted, count * row_size);
    free(sorted);
    return ok;
}
