// SPDX-License-Identifier: Apache-2.0
/* store/values.c: the value of a program's attribute as bytes, and back: numbers of 4 and 8 bytes, texts as their size
 * and their bytes. What the bytes are follows from the attribute's kind. */
#include "store/store.h"

/* ---- values to bytes ---- */

static void put_word(tfp_buf *b, uint32_t n) { tfp_buf_add(b, &n, sizeof n); }

static void put_text(tfp_buf *b, tfp_str s)
{
    put_word(b, (uint32_t)s.size);
    tfp_buf_str(b, s);
}

static void put_dims(tfp_buf *b, tfp_dims d)
{
    put_word(b, (uint32_t)d.rank);
    if (d.rank > 0) tfp_buf_add(b, d.at, (size_t)d.rank * sizeof *d.at);
}

static void put_list(tfp_buf *b, const tfp_attr_list *l)
{
    uint64_t size = l->size;
    tfp_buf_add(b, &size, sizeof size);
    put_word(b, (uint32_t)l->number_count);
    put_word(b, (uint32_t)l->real_count);
    put_word(b, (uint32_t)l->text_count);
    put_word(b, (uint32_t)l->shape_count);
    put_word(b, (uint32_t)l->function_count);
    if (l->number_count) tfp_buf_add(b, l->numbers, l->number_count * sizeof *l->numbers);
    if (l->real_count) tfp_buf_add(b, l->reals, l->real_count * sizeof *l->reals);
    for (size_t i = 0; i < l->text_count; i++) put_text(b, l->texts[i]);
    for (size_t i = 0; i < l->shape_count; i++) put_dims(b, l->shapes[i]);
    for (size_t i = 0; i < l->function_count; i++) put_text(b, l->functions[i]);
}

bool tfp_store_put_value(tfp_buf *b, const tfp_program_attr *a)
{
    switch (a->kind) {
    case TFP_ATTR_NONE: break;
    case TFP_ATTR_INT:
    case TFP_ATTR_BOOL:
    case TFP_ATTR_TYPE: tfp_buf_add(b, &a->number, sizeof a->number); break;
    case TFP_ATTR_REAL: tfp_buf_add(b, &a->real, sizeof a->real); break;
    case TFP_ATTR_TEXT:
    case TFP_ATTR_FUNCTION: put_text(b, a->text); break;
    case TFP_ATTR_SHAPE: put_dims(b, a->shape); break;
    case TFP_ATTR_TENSOR:
        put_word(b, (uint32_t)a->tensor->dtype);
        put_dims(b, a->tensor->shape);
        put_text(b, a->tensor->proto);
        break;
    case TFP_ATTR_LIST: put_list(b, a->list); break;
    }
    return !b->failed;
}

/* ---- bytes to values ---- */

typedef struct bytes_reader {
    tfp_str left;
    tfp_arena *arena;
    tfp_store_fault fault; /* the first error is kept; values read after it are empty */
} bytes_reader;

static const char *take(bytes_reader *r, size_t size)
{
    if (r->fault || r->left.size < size) {
        if (!r->fault) r->fault = TFP_STORE_WRONG;
        return NULL;
    }
    const char *at = r->left.data;
    r->left = (tfp_str){ at + size, r->left.size - size };
    return at;
}

static uint32_t take_word(bytes_reader *r)
{
    uint32_t n = 0;
    const char *at = take(r, sizeof n);
    if (at) memcpy(&n, at, sizeof n);
    return n;
}

static uint64_t take_number(bytes_reader *r)
{
    uint64_t n = 0;
    const char *at = take(r, sizeof n);
    if (at) memcpy(&n, at, sizeof n);
    return n;
}

static tfp_str take_text(bytes_reader *r)
{
    size_t size = take_word(r);
    const char *at = take(r, size);
    return at ? (tfp_str){ at, size } : TFP_STR("");
}

static void *room(bytes_reader *r, size_t count, size_t item)
{
    void *p = r->fault || !count ? NULL : tfp_arena_zero(r->arena, count, item);
    if (!r->fault && count && !p) r->fault = TFP_STORE_NO_MEMORY;
    return p;
}

/* Reads this many 8-byte numbers; the bytes left are checked before memory is allocated. */
static void *take_numbers(bytes_reader *r, size_t count)
{
    const char *at = take(r, count * 8);
    void *to = at ? room(r, count, 8) : NULL;
    if (to) memcpy(to, at, count * 8);
    return to;
}

static tfp_dims take_dims(bytes_reader *r)
{
    uint32_t rank = take_word(r);
    if (rank == (uint32_t)TFP_RANK_UNKNOWN) return TFP_ANY_DIMS;
    if (rank > TFP_RANK_MOST && !r->fault) r->fault = TFP_STORE_WRONG;
    if (r->fault || !rank) return TFP_SCALAR_DIMS;
    const int64_t *at = take_numbers(r, rank);
    for (uint32_t i = 0; at && i < rank; i++)
        if (at[i] < TFP_DIM_UNKNOWN) r->fault = TFP_STORE_WRONG;
    return r->fault ? TFP_ANY_DIMS : (tfp_dims){ (int)rank, at };
}

/* The length of a list. Each member takes at least `least` of the bytes left. */
static size_t take_count(bytes_reader *r, size_t least)
{
    size_t n = take_word(r);
    if (!r->fault && n > r->left.size / least) r->fault = TFP_STORE_WRONG;
    return r->fault ? 0 : n;
}

static const tfp_attr_list *take_list(bytes_reader *r)
{
    tfp_attr_list *l = room(r, 1, sizeof *l);
    if (!l) return NULL;
    l->size = (size_t)take_number(r);
    if (l->size > UINT32_MAX) r->fault = TFP_STORE_WRONG;
    l->number_count = take_count(r, 8);
    l->real_count = take_count(r, 8);
    l->text_count = take_count(r, 4);
    l->shape_count = take_count(r, 4);
    l->function_count = take_count(r, 4);
    l->numbers = take_numbers(r, l->number_count);
    l->reals = take_numbers(r, l->real_count);
    l->texts = room(r, l->text_count, sizeof *l->texts);
    for (size_t i = 0; !r->fault && i < l->text_count; i++) l->texts[i] = take_text(r);
    l->shapes = room(r, l->shape_count, sizeof *l->shapes);
    for (size_t i = 0; !r->fault && i < l->shape_count; i++) l->shapes[i] = take_dims(r);
    l->functions = room(r, l->function_count, sizeof *l->functions);
    for (size_t i = 0; !r->fault && i < l->function_count; i++) l->functions[i] = take_text(r);
    return l;
}

static const tfp_attr_tensor *take_tensor(bytes_reader *r)
{
    tfp_attr_tensor *t = room(r, 1, sizeof *t);
    if (!t) return NULL;
    t->dtype = (int)take_word(r);
    t->shape = take_dims(r);
    t->proto = take_text(r);
    return t;
}

tfp_store_fault tfp_store_take_value(tfp_arena *arena, tfp_str bytes, tfp_program_attr *a)
{
    bytes_reader r = { bytes, arena, TFP_STORE_FINE };
    switch (a->kind) {
    case TFP_ATTR_NONE: break;
    case TFP_ATTR_INT:
    case TFP_ATTR_BOOL:
    case TFP_ATTR_TYPE: a->number = (int64_t)take_number(&r); break;
    case TFP_ATTR_REAL: {
        uint64_t bits = take_number(&r);
        memcpy(&a->real, &bits, sizeof a->real);
        break;
    }
    case TFP_ATTR_TEXT:
    case TFP_ATTR_FUNCTION: a->text = take_text(&r); break;
    case TFP_ATTR_SHAPE: a->shape = take_dims(&r); break;
    case TFP_ATTR_TENSOR: a->tensor = take_tensor(&r); break;
    case TFP_ATTR_LIST: a->list = take_list(&r); break;
    default: return TFP_STORE_WRONG; /* kinds have gaps in their numbers */
    }
    if (!r.fault && r.left.size) r.fault = TFP_STORE_WRONG;
    return r.fault;
}

void *tfp_store_at(const tfp_schema_table *t, const tfp_profile *p, const tfp_store_values *values)
{
    if (t == &tfp_schema_tables[TFP_TABLE_PROGRAM_VALUES]) return (void *)(uintptr_t)&values->rows;
    return tfp_table_at(t, p);
}
