// SPDX-License-Identifier: Apache-2.0
/* store/write.c: a profile becomes a file of columns: the head, the packed blocks of long columns one after another,
 * the directory that names all columns and has the short ones in it, and a foot with the offset of the directory. The
 * file is written sequentially, so that it can be a pipe. */
#include "base/crc32c.h"
#include "model/tables/profile.h"
#include "store/store.h"
#include "wire/proto.h"

#include <libdeflate.h>

#define MEASURED 16        /* this many blocks are packed in the method that is best for the first of them */
#define DIRECTORY_LEVEL 12 /* for deflate: the directory is small, so a high level costs little */

typedef struct writer {
    const tfp_profile *p;
    tfp_sink *sink;
    uint64_t at;   /* bytes written */
    uint64_t need; /* bytes of memory that a reader will need for the tables so far */
    tfp_buf directory;
    tfp_packer packer;
    size_t next_table; /* one past the number of the table that was written last */
    char *chunk;       /* the next block's numbers or bytes */
    int64_t *beside;   /* the numbers of the previous column */
    size_t filled;
    uint32_t crc; /* of the column's blocks so far */
    tfp_store_values values;
    tfp_buf value_bytes;
    bool no_memory;
} writer;

static void put(writer *w, const void *data, size_t size)
{
    if (!size) return;
    tfp_sink_write(w->sink, (tfp_str){ data, size });
    w->at += size;
}

static void start_blocks(writer *w)
{
    w->crc = 0;
    w->filled = 0;
}

static void put_block(writer *w, tfp_str block)
{
    tfp_put_varint(&w->directory, block.size);
    w->crc = tfp_crc32c(w->crc, block.data, block.size);
    put(w, block.data, block.size);
}

static void end_blocks(writer *w) { tfp_buf_add(&w->directory, &w->crc, sizeof w->crc); }

/* Whether the file is already so small for its tables that readers might refuse it as forged. */
static bool is_too_dense(const writer *w)
{
    return w->need > TFP_STORE_WRITER_FREE + w->at * TFP_STORE_WRITER_PER_BYTE;
}

/* ---- numbers ---- */

/* The address of a column's numbers, and the distance between them. */
typedef struct place {
    const char *at;
    size_t stride, width, rows;
} place;

static place place_of(const tfp_schema_table *t, const tfp_schema_column *c, const void *at, size_t rows)
{
    switch (t->form) {
    case TFP_FORM_ROWS: return (place){ (const char *)((const tfp_rows *)at)->at + c->at, t->item, c->width, rows };
    case TFP_FORM_ARRAYS: return (place){ *(char *const *)((const char *)at + c->at), c->width, c->width, rows };
    case TFP_FORM_ONE: break;
    }
    return (place){ (const char *)at + c->at, t->item, c->width, rows };
}

static void gather(const place *from, size_t first, size_t count, char *out)
{
    const char *at = from->at + first * from->stride;
    for (size_t i = 0; i < count; i++, at += from->stride, out += from->width) {
        switch (from->width) {
        case 1: *out = *at; break;
        case 4: memcpy(out, at, 4); break;
        default: memcpy(out, at, 8); break;
        }
    }
}

/* Whether all values of a column are the default; such a column is not written. */
static bool is_nothing(const place *from, unsigned char nothing)
{
    if (!from->at) return true;
    for (size_t i = 0; i < from->rows; i++)
        for (size_t k = 0; k < from->width; k++)
            if ((unsigned char)from->at[i * from->stride + k] != nothing) return false;
    return true;
}

/* The numbers of a block, and those of the previous column if the column is stored relative to it. */
static tfp_pack_numbers gather_block(writer *w, const place *from, const place *beside, size_t first)
{
    size_t left = from->rows - first, count = left < TFP_PACK_ROWS ? left : TFP_PACK_ROWS;
    gather(from, first, count, w->chunk);
    if (beside) gather(beside, first, count, (char *)w->beside);
    return (tfp_pack_numbers){ w->chunk, beside ? w->beside : NULL, count, from->width };
}

/* Stores numbers in the directory, which is deflated as a whole. */
static void put_numbers_here(writer *w, const place *from, const place *beside)
{
    tfp_pack_method method = TFP_PACK_METHODS;
    tfp_pack_numbers n = gather_block(w, from, beside, 0);
    (void)tfp_pack_block(&w->packer, &n, &method);
    size_t size = tfp_pack_split(&n, method, w->packer.split);
    tfp_buf_add(&w->directory, w->packer.split, size);
}

static void put_numbers(writer *w, const place *from, const place *beside)
{
    tfp_pack_method method = TFP_PACK_METHODS;
    if (from->rows <= TFP_STORE_HERE_ROWS) {
        put_numbers_here(w, from, beside);
        return;
    }
    start_blocks(w);
    for (size_t i = 0, block = 0; i < from->rows; i += TFP_PACK_ROWS, block++) {
        tfp_pack_numbers n = gather_block(w, from, beside, i);
        if (block % MEASURED == 0) method = TFP_PACK_METHODS;
        put_block(w, is_too_dense(w) ? tfp_pack_plain(&w->packer, &n) : tfp_pack_block(&w->packer, &n, &method));
    }
    end_blocks(w);
}

/* ---- texts: their sizes (left out when all are there and none contains a 0), then their bytes, each ended by a 0
 * ---- */

static tfp_str text_at(const place *from, tfp_rule rule, size_t row, bool *there)
{
    const char *at = from->at + row * from->stride;
    *there = true;
    if (rule == TFP_RULE_BYTES) return *(const tfp_str *)(const void *)at;
    const char *text = *(const char *const *)(const void *)at;
    *there = text != NULL;
    return tfp_str_of(text);
}

/* The total size of all texts with their end bytes; also finds whether the sizes can be omitted. */
static uint64_t measure_texts(const place *from, tfp_rule rule, bool *ended)
{
    uint64_t size = 0;
    *ended = true;
    for (size_t i = 0; i < from->rows; i++) {
        bool there;
        tfp_str s = text_at(from, rule, i, &there);
        if (there) size += (uint64_t)s.size + 1;
        if (!there || (s.size && memchr(s.data, 0, s.size))) *ended = false;
    }
    return size;
}

static void put_piece(writer *w)
{
    tfp_str piece = { w->chunk, w->filled };
    if (w->filled) put_block(w, is_too_dense(w) ? piece : tfp_pack_piece(&w->packer, piece));
    w->filled = 0;
}

/* Writes the bytes of a text column, into the directory or piece by piece. */
static void put_bytes(writer *w, bool here, const void *data, size_t size)
{
    if (here) tfp_buf_add(&w->directory, data, size);
    for (size_t done = 0, some; !here && done < size; done += some) {
        some = TFP_PACK_BYTES - w->filled < size - done ? TFP_PACK_BYTES - w->filled : size - done;
        memcpy(w->chunk + w->filled, (const char *)data + done, some);
        w->filled += some;
        if (w->filled == TFP_PACK_BYTES) put_piece(w);
    }
}

static void put_texts(writer *w, tfp_rule rule, const place *from)
{
    bool ended, there;
    uint64_t size = measure_texts(from, rule, &ended);
    if (!ended) size += (uint64_t)from->rows * sizeof(uint32_t);
    bool here = size <= TFP_STORE_HERE_BYTES;
    w->need += size;
    start_blocks(w);
    tfp_put_varint(&w->directory, size << 1 | ended);
    for (size_t i = 0; !ended && i < from->rows; i++) {
        tfp_str s = text_at(from, rule, i, &there);
        uint32_t bytes = there ? (uint32_t)s.size : TFP_NONE;
        put_bytes(w, here, &bytes, sizeof bytes);
    }
    for (size_t i = 0; i < from->rows; i++) {
        tfp_str s = text_at(from, rule, i, &there);
        if (there) put_bytes(w, here, s.data, s.size);
        if (there) put_bytes(w, here, "", 1);
    }
    if (here) return;
    put_piece(w);
    end_blocks(w);
}

/* ---- tables ---- */

/* Finds the owner of each row by following the owners' chains. */
static void put_owners(writer *w, const tfp_schema_table *t, const void *at, size_t rows)
{
    const tfp_schema_chain *c = &t->chain;
    const tfp_schema_table *owners = &tfp_schema_tables[c->owner];
    const void *owners_at = tfp_store_at(owners, w->p, &w->values);
    uint32_t *owner = malloc((rows + 1) * sizeof *owner);
    if (!owner) {
        w->no_memory = true;
        return;
    }
    memset(owner, 0xff, rows * sizeof *owner);
    const char *row = ((const tfp_rows *)at)->at, *o = ((const tfp_rows *)owners_at)->at;
    for (uint32_t i = 0; i < tfp_table_count(owners, owners_at); i++, o += owners->item) {
        uint32_t next;
        memcpy(&next, o + c->first, sizeof next);
        while (next != TFP_NONE) {
            owner[next] = i;
            memcpy(&next, row + (size_t)next * t->item + c->next, sizeof next);
        }
    }
    put_numbers(w, &(place){ (const char *)owner, sizeof *owner, sizeof *owner, rows }, NULL);
    free(owner);
}

static bool is_written(const tfp_schema_column *c, size_t i, const place *from)
{
    return !c->width || i == 0 || !is_nothing(from, c->rule == TFP_RULE_ROW_OR_NONE ? 0xff : 0);
}

/* A bit for each column that is written. */
static uint64_t written(const tfp_schema_table *t, const void *at, size_t rows)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < t->column_count; i++) {
        place from = place_of(t, &t->columns[i], at, rows);
        bits |= (uint64_t)is_written(&t->columns[i], i, &from) << i;
    }
    return bits;
}

static void put_column(writer *w, const tfp_schema_table *t, const tfp_schema_column *c, const void *at, size_t rows)
{
    place from = place_of(t, c, at, rows), before;
    if (c->beside) before = place_of(t, c - 1, at, rows);
    if (c->width)
        put_numbers(w, &from, c->beside ? &before : NULL);
    else
        put_texts(w, c->rule, &from);
}

static void put_table(writer *w, tfp_table_id id)
{
    const tfp_schema_table *t = &tfp_schema_tables[id];
    const void *at = tfp_store_at(t, w->p, &w->values);
    size_t rows = tfp_table_count(t, at);
    if (!rows) return;
    uint64_t bits = written(t, at, rows);
    w->need += (uint64_t)rows * tfp_table_row_bytes(t);
    tfp_put_varint(&w->directory, id - w->next_table);
    tfp_put_varint(&w->directory, rows);
    tfp_put_varint(&w->directory, bits);
    w->next_table = id + 1;
    if (t->chain.there) put_owners(w, t, at, rows);
    for (size_t i = 0; i < t->column_count && !w->no_memory; i++)
        if (bits >> i & 1) put_column(w, t, &t->columns[i], at, rows);
}

static void put_strings(writer *w)
{
    place all = { (const char *)w->p->strings.strings, sizeof(tfp_str), 0, w->p->strings.count };
    tfp_put_varint(&w->directory, all.rows);
    put_texts(w, TFP_RULE_BYTES, &all);
}

/* The bytes of all values are collected in one buffer; the rows point into it when it is complete. */
static void make_values(writer *w)
{
    const tfp_program *g = w->p->program;
    for (size_t i = 0; g && i < g->attrs.size && !w->no_memory; i++) {
        size_t before = w->value_bytes.size;
        if (!tfp_store_put_value(&w->value_bytes, &g->attrs.at[i]) ||
            !tfp_push(&w->values.rows, ((tfp_str){ NULL, w->value_bytes.size - before })))
            w->no_memory = true;
    }
    const char *at = w->value_bytes.data;
    for (size_t i = 0; i < w->values.rows.size; at += w->values.rows.at[i++].size) w->values.rows.at[i].data = at;
}

static void put_directory(writer *w, const tfp_store_head *head)
{
    tfp_store_foot foot = { w->at, w->directory.size, 0, TFP_STORE_ORDER, { 0 } };
    memcpy(foot.magic, tfp_store_magic, sizeof foot.magic);
    struct libdeflate_compressor *d = libdeflate_alloc_compressor(DIRECTORY_LEVEL);
    size_t room = d ? libdeflate_deflate_compress_bound(d, w->directory.size) : 0;
    char *packed = d ? malloc(room) : NULL;
    w->no_memory = !packed || w->directory.failed;
    size_t size = w->no_memory ? 0 : libdeflate_deflate_compress(d, w->directory.data, w->directory.size, packed, room);
    foot.crc = tfp_crc32c(0, head, sizeof *head);
    foot.crc = tfp_crc32c(foot.crc, packed, size);
    foot.crc = tfp_crc32c(foot.crc, &foot, offsetof(tfp_store_foot, crc));
    put(w, packed, size);
    if (!w->no_memory) put(w, &foot, sizeof foot);
    if (d) libdeflate_free_compressor(d);
    free(packed);
}

tfp_status tfp_store_write(const tfp_profile *p, tfp_sink *sink, tfp_error *err)
{
    tfp_profile kept = *p;
    kept.about.has &= ~TFP_STORE_FOLLOWS;
    writer w = { .p = &kept, .sink = sink };
    tfp_store_head head = { .version = TFP_STORE_VERSION, .order = TFP_STORE_ORDER };
    memcpy(head.magic, tfp_store_magic, sizeof head.magic);
    w.chunk = malloc(TFP_PACK_BYTES);
    w.beside = malloc(TFP_PACK_ROWS * sizeof *w.beside);
    w.no_memory = !tfp_packer_start(&w.packer) || !w.chunk || !w.beside;
    make_values(&w);
    put(&w, &head, sizeof head);
    if (!w.no_memory) put_strings(&w);
    for (size_t i = 0; i < TFP_TABLES && !w.no_memory && !sink->status; i++) put_table(&w, (tfp_table_id)i);
    if (!w.no_memory) put_directory(&w, &head);
    tfp_packer_free(&w.packer);
    tfp_buf_free(&w.directory);
    tfp_vec_free(&w.values.rows);
    tfp_buf_free(&w.value_bytes);
    free(w.chunk);
    free(w.beside);
    return w.no_memory ? tfp_nomem(err) : TFP_OK;
}
