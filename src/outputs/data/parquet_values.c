// SPDX-License-Identifier: Apache-2.0
/* outputs/data/parquet_values.c: encodes the cells of a column for Parquet: levels, which tell which rows have a value; then
 * the values in a row (PLAIN), or a dictionary of them and runs of indexes into it. */
#include "outputs/data/parquet.h"
#include "wire/thrift.h"

void tfp_parquet_put_u32(tfp_buf *b, uint32_t n)
{
    for (int i = 0; i < 4; i++) tfp_buf_char(b, (char)(n >> (8 * i)));
}

/* ---- runs: numbers of few bits, equal ones as one run, others packed in groups of eight ---- */

static void put_packed(tfp_buf *b, const uint32_t *n, size_t count, unsigned width)
{
    uint64_t bits = 0;
    unsigned held = 0;
    if (!count) return;
    tfp_put_varint(b, (count + 7) / 8 << 1 | 1);
    for (size_t i = 0; i < (count + 7) / 8 * 8; i++) {
        bits |= (uint64_t)(i < count ? n[i] : 0) << held;
        for (held += width; held >= 8; held -= 8, bits >>= 8) tfp_buf_char(b, (char)bits);
    }
}

static void put_run(tfp_buf *b, uint32_t n, size_t count, unsigned width)
{
    tfp_put_varint(b, (uint64_t)count << 1);
    for (unsigned i = 0; i < (width + 7) / 8; i++) tfp_buf_char(b, (char)(n >> (8 * i)));
}

/* Packed groups must have eight numbers, so a run gives its first numbers to fill the last group before it. */
static void put_runs(tfp_buf *b, const uint32_t *n, size_t count, unsigned width)
{
    size_t packed = 0; /* the numbers from here to i are not written yet */
    for (size_t i = 0; i < count;) {
        size_t end = i + 1, pad = (8 - (i - packed) % 8) % 8;
        while (end < count && n[end] == n[i]) end++;
        if (end - i >= pad + 8) {
            put_packed(b, n + packed, i + pad - packed, width);
            put_run(b, n[i], end - i - pad, width);
            packed = end;
        }
        i = end;
    }
    put_packed(b, n + packed, count - packed, width);
}

static void put_levels(tfp_parquet_values *v, const tfp_batch *b, const tfp_table_column *c)
{
    for (size_t i = 0, end; i < b->row_count; i = end) {
        for (end = i + 1; end < b->row_count && c->absent[end] == c->absent[i];) end++;
        put_run(&v->levels, !c->absent[i], end - i, 1);
        if (c->absent[i]) v->nulls += end - i;
    }
}

/* ---- values ---- */

static void put_plain(tfp_buf *out, const tfp_batch *b, const tfp_table_column *c, uint64_t cell)
{
    if (c->type == TFP_CELL_TEXT) tfp_parquet_put_u32(out, (uint32_t)tfp_cell_text(b, cell).size);
    tfp_parquet_put_bound(out, b, c, cell);
}

void tfp_parquet_put_bound(tfp_buf *out, const tfp_batch *b, const tfp_table_column *c, uint64_t cell)
{
    switch (c->type) {
    case TFP_CELL_TEXT: tfp_buf_str(out, tfp_cell_text(b, cell)); break;
    case TFP_CELL_BOOL: tfp_buf_char(out, cell != 0); break;
    case TFP_CELL_DATE: tfp_parquet_put_u32(out, (uint32_t)cell); break;
    default: tfp_parquet_put_u32(out, (uint32_t)cell); tfp_parquet_put_u32(out, (uint32_t)(cell >> 32));
    }
}

static bool is_less(const tfp_batch *b, const tfp_table_column *c, uint64_t x, uint64_t y)
{
    if (c->type == TFP_CELL_TEXT) return tfp_str_cmp(tfp_cell_text(b, x), tfp_cell_text(b, y)) < 0;
    return c->type == TFP_CELL_REAL ? tfp_cell_real(x) < tfp_cell_real(y) : (int64_t)x < (int64_t)y;
}

static void bound(tfp_parquet_values *v, const tfp_batch *b, const tfp_table_column *c, uint64_t cell)
{
    if (!v->bounded) v->min = v->max = cell;
    v->bounded = true;
    if (is_less(b, c, cell, v->min)) v->min = cell;
    if (is_less(b, c, v->max, cell)) v->max = cell;
}

/* For the bounds, -0 is written as the least zero and +0 as the greatest, because the two compare equal. */
static void settle_zeros(tfp_parquet_values *v)
{
    if (tfp_cell_real(v->min) == 0) v->min = (uint64_t)1 << 63;
    if (tfp_cell_real(v->max) == 0) v->max = 0;
}

static void put_bools(tfp_parquet_values *v, const tfp_batch *b, const tfp_table_column *c)
{
    unsigned bits = 0, held = 0;
    for (size_t i = 0; i < b->row_count; i++) {
        if (c->absent[i]) continue;
        bound(v, b, c, c->cells[i] != 0);
        bits |= (unsigned)(c->cells[i] != 0) << held;
        if (++held < 8) continue;
        tfp_buf_char(&v->plain, (char)bits);
        bits = held = 0;
    }
    if (held) tfp_buf_char(&v->plain, (char)bits);
}

static unsigned width_of(size_t distinct)
{
    unsigned width = 1;
    while (width < 32 && distinct > (size_t)1 << width) width++;
    return width;
}

/* Finds the cells' indexes in a dictionary, in `index`; false: too few cells repeat. Each value is in the dictionary once, so
 * the bounds are found there. */
static bool find_distinct(tfp_parquet_values *v, const tfp_batch *b, const tfp_table_column *c, uint32_t *index,
                          size_t values)
{
    tfp_map64 seen = { 0 };
    size_t n = 0;
    for (size_t i = 0; i < b->row_count && !v->failed && v->distinct * 2 <= values + 2; i++) {
        if (c->absent[i]) continue;
        uint32_t at = tfp_map64_get(&seen, c->cells[i]);
        if (at == TFP_NONE) {
            at = (uint32_t)v->distinct++;
            v->failed |= !tfp_map64_put(&seen, c->cells[i], at);
            bound(v, b, c, c->cells[i]);
            put_plain(&v->dictionary, b, c, c->cells[i]);
        }
        index[n++] = at;
    }
    tfp_map64_free(&seen);
    return !v->failed && n == values && values > 0;
}

static void put_all_plain(tfp_parquet_values *v, const tfp_batch *b, const tfp_table_column *c)
{
    v->distinct = 0;
    for (size_t i = 0; i < b->row_count; i++) {
        if (c->absent[i]) continue;
        bound(v, b, c, c->cells[i]);
        put_plain(&v->plain, b, c, c->cells[i]);
    }
}

void tfp_parquet_encode(tfp_parquet_values *v, const tfp_batch *b, const tfp_table_column *c)
{
    *v = (tfp_parquet_values){ 0 };
    put_levels(v, b, c);
    size_t values = b->row_count - v->nulls;
    if (c->type == TFP_CELL_BOOL) {
        put_bools(v, b, c);
        return;
    }
    uint32_t *index = malloc((values + 1) * sizeof *index);
    v->failed |= !index;
    if (index && find_distinct(v, b, c, index, values)) {
        unsigned width = width_of(v->distinct);
        tfp_buf_char(&v->indexes, (char)width);
        put_runs(&v->indexes, index, values, width);
    } else {
        put_all_plain(v, b, c);
    }
    free(index);
    if (c->type == TFP_CELL_REAL && v->bounded) settle_zeros(v);
    v->failed |= v->levels.failed || v->plain.failed || v->dictionary.failed || v->indexes.failed;
}

void tfp_parquet_values_free(tfp_parquet_values *v)
{
    tfp_buf_free(&v->levels);
    tfp_buf_free(&v->plain);
    tfp_buf_free(&v->dictionary);
    tfp_buf_free(&v->indexes);
}
