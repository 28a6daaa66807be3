// SPDX-License-Identifier: Apache-2.0
/* wire/flat.c: writes FlatBuffers from front to back. */
#include "wire/flat.h"

void tfp_flat_put_number(tfp_buf *b, int64_t n, unsigned size)
{
    for (unsigned i = 0; i < size; i++) tfp_buf_char(b, (char)((uint64_t)n >> (8 * i)));
}

static void align(tfp_buf *b, size_t to, size_t rest)
{
    while (b->size % to != rest && !b->failed) tfp_buf_char(b, 0);
}

void tfp_flat_start(tfp_buf *b) { tfp_flat_put_number(b, 0, 4); }

/* Lays the fields out at offsets from the table's start, each aligned to its size; returns the table's size. */
static size_t lay_out(const tfp_flat_field *fields, size_t count, size_t *offsets)
{
    size_t at = 4;
    for (size_t i = 0; i < count; i++) {
        unsigned size = fields[i].size;
        offsets[i] = 0;
        if (!size) continue;
        at = (at + size - 1) / size * size;
        offsets[i] = at;
        at += size;
    }
    return at;
}

tfp_flat_table tfp_flat_put_table(tfp_buf *b, const tfp_flat_field *fields, size_t count)
{
    tfp_flat_table t = { 0 };
    size_t offsets[TFP_FLAT_FIELDS], size = lay_out(fields, count, offsets);
    align(b, 2, 0);
    size_t list = b->size;
    tfp_flat_put_number(b, (int64_t)(4 + 2 * count), 2);
    tfp_flat_put_number(b, (int64_t)size, 2);
    for (size_t i = 0; i < count; i++) tfp_flat_put_number(b, (int64_t)offsets[i], 2);
    align(b, 8, 0);
    t.at = b->size;
    tfp_flat_put_number(b, (int64_t)(t.at - list), 4);
    for (size_t i = 0; i < count; i++) {
        if (!fields[i].size) continue;
        while (b->size < t.at + offsets[i] && !b->failed) tfp_buf_char(b, 0);
        t.fields[i] = b->size;
        tfp_flat_put_number(b, fields[i].value, fields[i].size);
    }
    return t;
}

size_t tfp_flat_put_string(tfp_buf *b, tfp_str s)
{
    align(b, 4, 0);
    size_t at = b->size;
    tfp_flat_put_number(b, (int64_t)s.size, 4);
    tfp_buf_str(b, s);
    tfp_buf_char(b, 0);
    return at;
}

size_t tfp_flat_put_list(tfp_buf *b, size_t count, unsigned size)
{
    align(b, 8, 4); /* eight-byte numbers follow the count, so they must be aligned */
    size_t at = b->size;
    tfp_flat_put_number(b, (int64_t)count, 4);
    for (size_t i = 0; i < count && size == 4; i++) tfp_flat_put_number(b, 0, 4);
    return at;
}

void tfp_flat_refer(tfp_buf *b, size_t field, size_t target)
{
    uint32_t distance = (uint32_t)(target - field);
    for (size_t i = 0; i < 4 && !b->failed; i++) b->data[field + i] = (char)(distance >> (8 * i));
}
