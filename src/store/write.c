// SPDX-License-Identifier: Apache-2.0
/* store/write.c: a profile becomes a file of columns: the head, each column of each table at a multiple of 64 bytes, the
 * directory that names them with their checksums, and a foot that says where the directory is. Written from front to end,
 * so that the file can be a pipe. */
#include "base/crc32c.h"
#include "model/tables/profile.h"
#include "store/store.h"

#define CHUNK ((size_t)64 << 10) /* bytes that are gathered at a time */

typedef struct writer {
    const tfp_profile *p;
    tfp_sink *sink;
    uint64_t at; /* bytes written */
    TFP_VEC(tfp_store_entry) entries;
    tfp_store_values values;
    tfp_buf value_bytes;
    char *chunk;
    bool no_memory;
} writer;

static void put(writer *w, const void *data, size_t size)
{
    if (!size) return;
    tfp_sink_write(w->sink, (tfp_str){ data, size });
    w->at += size;
}

static void align(writer *w)
{
    static const char zeros[TFP_STORE_ALIGN];
    put(w, zeros, (size_t)(-w->at & (TFP_STORE_ALIGN - 1)));
}

static tfp_store_entry *add_entry(writer *w, const tfp_store_table *t, const char *column, uint64_t rows)
{
    tfp_store_entry e = { .rows = rows, .offset = w->at };
    strncpy(e.table, t->name, sizeof e.table - 1);
    strncpy(e.column, column, sizeof e.column - 1);
    if (!tfp_push(&w->entries, e)) w->no_memory = true;
    return w->no_memory ? NULL : &w->entries.at[w->entries.size - 1];
}

/* Bytes of a column, which also count for its checksum. */
static void put_data(writer *w, tfp_store_entry *e, const void *data, size_t size)
{
    e->crc = tfp_crc32c(e->crc, data, size);
    e->size += size;
    put(w, data, size);
}

/* ---- numbers ---- */

/* The address of a column's numbers, and the distance between them. */
typedef struct place {
    const char *at;
    size_t stride, width, rows;
} place;

static place place_of(const tfp_store_table *t, const tfp_store_column *c, const void *at, size_t rows)
{
    switch (t->form) {
    case TFP_STORE_ROWS:
        return (place){ (const char *)((const tfp_store_rows *)at)->at + c->at, t->item, c->width, rows };
    case TFP_STORE_ARRAYS: return (place){ *(char *const *)((const char *)at + c->at), c->width, c->width, rows };
    case TFP_STORE_ONE: break;
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

/* Whether all values of a column are the default: then it is not written. */
static bool is_nothing(const place *from, unsigned char nothing)
{
    if (!from->at) return true;
    for (size_t i = 0; i < from->rows; i++)
        for (size_t k = 0; k < from->width; k++)
            if ((unsigned char)from->at[i * from->stride + k] != nothing) return false;
    return true;
}

static void put_numbers(writer *w, const tfp_store_table *t, const char *name, const place *from)
{
    align(w);
    tfp_store_entry *e = add_entry(w, t, name, from->rows);
    size_t most = CHUNK / from->width;
    for (size_t i = 0; e && i < from->rows; i += most) {
        size_t count = from->rows - i < most ? from->rows - i : most;
        gather(from, i, count, w->chunk);
        put_data(w, e, w->chunk, count * from->width);
    }
    if (e) e->width = (uint32_t)from->width;
}

/* ---- texts: the size of each, then the bytes of all, each ended by NUL ---- */

static tfp_str text_at(const place *from, tfp_store_rule rule, size_t row, bool *there)
{
    const char *at = from->at + row * from->stride;
    *there = true;
    if (rule == TFP_STORE_BYTES) return *(const tfp_str *)(const void *)at;
    const char *text = *(const char *const *)(const void *)at;
    *there = text != NULL;
    return tfp_str_of(text);
}

static void put_texts(writer *w, const tfp_store_table *t, const char *name, tfp_store_rule rule, const place *from)
{
    align(w);
    tfp_store_entry *e = add_entry(w, t, name, from->rows);
    for (size_t i = 0; e && i < from->rows; i++) {
        bool there;
        tfp_str s = text_at(from, rule, i, &there);
        uint32_t size = there ? (uint32_t)s.size : TFP_NONE;
        put_data(w, e, &size, sizeof size);
    }
    for (size_t i = 0; e && i < from->rows; i++) {
        bool there;
        tfp_str s = text_at(from, rule, i, &there);
        if (there && s.size) put_data(w, e, s.data, s.size);
        if (there) put_data(w, e, "", 1);
    }
}

/* ---- tables ---- */

/* The owner of each row, by going through the owners' chains. */
static void put_owners(writer *w, const tfp_store_table *t, const void *at, size_t rows)
{
    const tfp_store_chain *c = &t->chain;
    const tfp_store_table *owners = &tfp_store_tables[c->owner];
    const void *owners_at = tfp_store_at(owners, w->p, &w->values);
    uint32_t *owner = malloc((rows + 1) * sizeof *owner);
    if (!owner) {
        w->no_memory = true;
        return;
    }
    memset(owner, 0xff, rows * sizeof *owner);
    const char *row = ((const tfp_store_rows *)at)->at, *o = ((const tfp_store_rows *)owners_at)->at;
    for (uint32_t i = 0; i < tfp_store_count(owners, owners_at); i++, o += owners->item) {
        uint32_t next;
        memcpy(&next, o + c->first, sizeof next);
        while (next != TFP_NONE) {
            owner[next] = i;
            memcpy(&next, row + (size_t)next * t->item + c->next, sizeof next);
        }
    }
    put_numbers(w, t, TFP_STORE_OWNER, &(place){ (const char *)owner, sizeof *owner, sizeof *owner, rows });
    free(owner);
}

static void put_table(writer *w, const tfp_store_table *t)
{
    const void *at = tfp_store_at(t, w->p, &w->values);
    size_t rows = tfp_store_count(t, at);
    if (!rows) return;
    add_entry(w, t, "", rows);
    if (t->chain.there) put_owners(w, t, at, rows);
    for (size_t i = 0; i < t->column_count && !w->no_memory; i++) {
        const tfp_store_column *c = &t->columns[i];
        place from = place_of(t, c, at, rows);
        if (!c->width)
            put_texts(w, t, c->name, c->rule, &from);
        else if (i == 0 || !is_nothing(&from, c->rule == TFP_STORE_ROW_OR_NONE ? 0xff : 0))
            put_numbers(w, t, c->name, &from);
    }
}

static void put_strings(writer *w)
{
    static const tfp_store_table strings = { .name = TFP_STORE_STRINGS };
    place all = { (const char *)w->p->strings.strings, sizeof(tfp_str), 0, w->p->strings.count };
    put_texts(w, &strings, "value", TFP_STORE_BYTES, &all);
}

/* Each value's bytes stand behind one another while they are made; the rows point into them when all are there. */
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

static void put_foot(writer *w, const tfp_store_head *head)
{
    align(w);
    tfp_store_foot foot = { w->at, w->entries.size, 0, TFP_STORE_ORDER, { 0 } };
    memcpy(foot.magic, tfp_store_magic, sizeof foot.magic);
    size_t size = w->entries.size * sizeof *w->entries.at;
    foot.crc = tfp_crc32c(0, head, sizeof *head);
    foot.crc = tfp_crc32c(foot.crc, w->entries.at, size);
    foot.crc = tfp_crc32c(foot.crc, &foot, offsetof(tfp_store_foot, crc));
    put(w, w->entries.at, size);
    put(w, &foot, sizeof foot);
}

tfp_status tfp_store_write(const tfp_profile *p, tfp_sink *sink, tfp_error *err)
{
    tfp_profile kept = *p;
    kept.about.has &= ~TFP_STORE_FOLLOWS;
    writer w = { .p = &kept, .sink = sink };
    tfp_store_head head = { .version = TFP_STORE_VERSION, .order = TFP_STORE_ORDER };
    memcpy(head.magic, tfp_store_magic, sizeof head.magic);
    w.no_memory = !(w.chunk = malloc(CHUNK));
    make_values(&w);
    put(&w, &head, sizeof head);
    if (!w.no_memory) put_strings(&w);
    for (size_t i = 0; i < TFP_STORE_TABLES && !w.no_memory && !sink->status; i++) put_table(&w, &tfp_store_tables[i]);
    if (!w.no_memory) put_foot(&w, &head);
    tfp_vec_free(&w.entries);
    tfp_vec_free(&w.values.rows);
    tfp_buf_free(&w.value_bytes);
    free(w.chunk);
    return w.no_memory ? tfp_nomem(err) : TFP_OK;
}
