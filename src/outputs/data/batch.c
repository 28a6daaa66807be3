// SPDX-License-Identifier: Apache-2.0
/* outputs/data/batch.c: rows of a table in columns of equal cells. */
#include "outputs/data/batch.h"

#include <math.h>

bool tfp_texts_start(tfp_texts *t)
{
    *t = (tfp_texts){ 0 };
    return tfp_strtab_init(&t->table, &t->arena) == TFP_OK;
}

bool tfp_texts_clear(tfp_texts *t)
{
    tfp_texts_free(t);
    return tfp_texts_start(t);
}

void tfp_texts_free(tfp_texts *t)
{
    tfp_strtab_free(&t->table);
    tfp_arena_free(&t->arena);
    *t = (tfp_texts){ 0 };
}

bool tfp_batch_start(tfp_batch *b, const tfp_table_column *columns, size_t count, tfp_texts *texts)
{
    *b = (tfp_batch){ .texts = texts, .column_count = count };
    b->columns = calloc(count + 1, sizeof *b->columns);
    for (size_t i = 0; b->columns && i < count; i++) {
        const tfp_table_column *c = &columns[i];
        b->columns[i] = (tfp_table_column){ .name = c->name, .unit = c->unit, .type = c->type, .whole = c->whole };
    }
    return b->columns != NULL;
}

void tfp_batch_clear(tfp_batch *b)
{
    b->row_count = b->at = 0;
    b->failed = false;
}

void tfp_batch_free(tfp_batch *b)
{
    for (size_t i = 0; b->columns && i < b->column_count; i++) {
        free(b->columns[i].cells);
        free(b->columns[i].absent);
    }
    free(b->columns);
    *b = (tfp_batch){ 0 };
}

size_t tfp_batch_bytes(const tfp_batch *b) { return b->row_count * b->column_count * (sizeof(uint64_t) + 1); }

static bool grow(tfp_batch *b, size_t capacity)
{
    for (size_t i = 0; i < b->column_count; i++) {
        tfp_table_column *c = &b->columns[i];
        uint64_t *cells = realloc(c->cells, capacity * sizeof *cells);
        if (cells) c->cells = cells;
        uint8_t *absent = realloc(c->absent, capacity);
        if (absent) c->absent = absent;
        if (!cells || !absent) return false;
    }
    b->capacity = capacity;
    return true;
}

bool tfp_batch_room(tfp_batch *b, size_t rows)
{
    size_t need = b->row_count + rows, capacity = b->capacity ? b->capacity * 2 : 32;
    return need <= b->capacity || grow(b, need > capacity ? need : capacity);
}

static void put(tfp_batch *b, uint64_t cell, bool absent)
{
    if (b->failed || !tfp_batch_room(b, 1)) {
        b->failed = true;
        return;
    }
    tfp_table_column *c = &b->columns[b->at];
    c->cells[b->row_count] = cell;
    c->absent[b->row_count] = absent;
    if (++b->at < b->column_count) return;
    b->at = 0;
    b->row_count++;
}

void tfp_batch_none(tfp_batch *b) { put(b, 0, true); }
void tfp_batch_int(tfp_batch *b, int64_t n) { put(b, (uint64_t)n, false); }
void tfp_batch_int_if(tfp_batch *b, bool known, int64_t n) { put(b, known ? (uint64_t)n : 0, !known); }

void tfp_batch_real(tfp_batch *b, double x)
{
    uint64_t cell;
    memcpy(&cell, &x, sizeof cell);
    put(b, isnan(x) ? 0 : cell, isnan(x));
}

static bool is_text(tfp_str s) { return tfp_utf8_valid(s) && (!s.size || !memchr(s.data, 0, s.size)); }

void tfp_batch_text(tfp_batch *b, tfp_str s)
{
    tfp_buf escaped = { 0 };
    if (!s.data) {
        tfp_batch_none(b);
        return;
    }
    if (!is_text(s)) {
        tfp_escape(&escaped, s);
        s = (tfp_str){ escaped.data, escaped.size };
    }
    tfp_strid id = escaped.failed ? TFP_NONE : tfp_intern(&b->texts->table, s);
    b->failed |= id == TFP_NONE;
    put(b, id, false);
    tfp_buf_free(&escaped);
}
