// SPDX-License-Identifier: Apache-2.0
/* store/load.c: fills the tables of the profile from the columns of a file. A table of rows is filled block by block,
 * so that it passes through the processor's cache once; tables, and the arrays of spans, are loaded in parallel. While
 * a number is copied, it is checked against its rule and added to its column's checksum. */
#include "base/crc32c.h"
#include "base/threads.h"
#include "model/tables/profile.h"
#include "model/tables/spans.h"
#include "store/store.h"

#include <stdatomic.h>

#define BLOCK TFP_PACK_ROWS /* rows that are filled at a time */

static tfp_store_fault fail(tfp_store_file *f, tfp_store_fault fault, const char *table, const char *column)
{
    f->table = table;
    f->column = column;
    return fault;
}

static tfp_store_fault read_at(const tfp_store_file *f, uint64_t at, void *to, size_t size)
{
    return tfp_source_read(&f->in, at, to, size, NULL) ? TFP_STORE_UNREAD : TFP_STORE_FINE;
}

/* ---- rules ---- */

static bool words_below(const uint32_t *at, size_t count, uint64_t limit)
{
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++) most = at[i] > most ? at[i] : most;
    return count == 0 || most < limit;
}

/* TFP_NONE + 1 is 0, which is within every limit. */
static bool words_below_or_none(const uint32_t *at, size_t count, uint64_t limit)
{
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++) most = at[i] + 1 > most ? at[i] + 1 : most;
    return most <= limit;
}

static bool bytes_below(const uint8_t *at, size_t count, uint64_t limit)
{
    uint8_t most = 0;
    for (size_t i = 0; i < count; i++) most = at[i] > most ? at[i] : most;
    return count == 0 || most < limit;
}

static bool none_negative(const int64_t *at, size_t count)
{
    int64_t all = 0;
    for (size_t i = 0; i < count; i++) all |= at[i];
    return all >= 0;
}

static bool obeys(const tfp_store_file *f, const tfp_schema_column *c, void *numbers, size_t count)
{
    size_t target = c->rule == TFP_RULE_STRING ? f->p->strings.count
                    : c->rule >= TFP_RULE_ROW  ? f->rows[c->arg]
                                               : c->arg;
    switch (c->rule) {
    case TFP_RULE_BELOW:
        return c->width == 1 ? bytes_below(numbers, count, target) : words_below(numbers, count, target);
    case TFP_RULE_NOT_NEGATIVE: return none_negative(numbers, count);
    case TFP_RULE_STRING:
    case TFP_RULE_ROW: return words_below(numbers, count, target);
    case TFP_RULE_RANGE: return words_below(numbers, count, (uint64_t)target + 1);
    case TFP_RULE_ROW_OR_NONE:
        if (target) return words_below_or_none(numbers, count, target);
        memset(numbers, 0xff, count * c->width); /* the table that they refer to is not kept */
        return true;
    default: return true;
    }
}

/* ---- columns of numbers ---- */

static void scatter(const char *from, size_t count, char *to, size_t stride, size_t width)
{
    for (size_t i = 0; i < count; i++, from += width, to += stride) {
        switch (width) {
        case 1: *to = *from; break;
        case 4: memcpy(to, from, 4); break;
        default: memcpy(to, from, 8); break;
        }
    }
}

/* A column that is being loaded into the profile. */
typedef struct passage {
    const tfp_schema_table *t;
    const tfp_schema_column *c;
    const tfp_store_entry *e; /* NULL: every value is the default */
    char *to;                 /* address for the first row */
    size_t stride;
    tfp_store_blocks blocks; /* the position in its blocks, and the checksum of the bytes read so far */
} passage;

/* The buffers that one thread needs to fill rows. */
typedef struct bench {
    char *numbers;   /* numbers of a column before they are copied to rows */
    int64_t *beside; /* numbers of the previous column */
    tfp_unpacker unpacker;
} bench;

static tfp_store_fault start(const tfp_store_file *f, passage *x, size_t rows)
{
    const tfp_store_entry *e = x->e = tfp_store_entry_find(f, x->t->name, x->c->name);
    if (!e) return TFP_STORE_FINE;
    x->blocks = tfp_store_blocks_of(e);
    bool fits = e->packed || e->size == (uint64_t)rows * e->width;
    return fits && e->width == x->c->width && e->rows == rows ? TFP_STORE_FINE : TFP_STORE_ABSENT;
}

/* The numbers of the previous column; all 8-byte values are valid in it, so they were not changed after reading. */
static const int64_t *numbers_beside(const passage *x, size_t first, size_t count, bench *b)
{
    const passage *before = x - 1;
    const char *from = before->to + first * before->stride;
    for (size_t i = 0; i < count; i++, from += before->stride) memcpy(&b->beside[i], from, sizeof *b->beside);
    return b->beside;
}

static tfp_store_fault read_numbers(const tfp_store_file *f, passage *x, size_t first, size_t count, bench *b, char *at)
{
    size_t width = x->c->width;
    if (x->e->packed) {
        tfp_pack_numbers n = { NULL, x->c->beside ? numbers_beside(x, first, count, b) : NULL, count, width };
        return tfp_store_next_numbers(f, &x->blocks, &b->unpacker, n, at);
    }
    tfp_store_fault fault = read_at(f, x->e->offset + (uint64_t)first * width, at, count * width);
    if (!fault) x->blocks.crc = tfp_crc32c(x->blocks.crc, at, count * width);
    return fault;
}

/* Loads rows first .. first + count, through b->numbers unless they are adjacent in the profile too. */
static tfp_store_fault pass(const tfp_store_file *f, passage *x, size_t first, size_t count, bench *b)
{
    size_t width = x->c->width;
    char *to = x->to + first * x->stride, *at = x->stride == width ? to : b->numbers;
    if (x->e) {
        tfp_store_fault fault = read_numbers(f, x, first, count, b, at);
        if (fault) return fault;
    } else {
        memset(at, x->c->rule == TFP_RULE_ROW_OR_NONE ? 0xff : 0, count * width);
    }
    if (!obeys(f, x->c, at, count)) return TFP_STORE_WRONG;
    if (at != to) scatter(at, count, to, x->stride, width);
    return TFP_STORE_FINE;
}

/* The error for a number that breaks its rule: damage if the checksum is wrong too, because that is the cause. */
static tfp_store_fault wrong_or_changed(const tfp_store_file *f, const tfp_store_entry *e, char *bytes)
{
    uint32_t crc = 0;
    for (uint64_t at = 0, some; e && at < e->size; at += some) {
        some = e->size - at < BLOCK ? e->size - at : BLOCK;
        if (read_at(f, e->offset + at, bytes, (size_t)some)) return TFP_STORE_UNREAD;
        crc = tfp_crc32c(crc, bytes, (size_t)some);
    }
    return e && !tfp_checksum_fits(crc, e->crc) ? TFP_STORE_CHANGED : TFP_STORE_WRONG;
}

static tfp_store_fault run_passages_at(const tfp_store_file *f, passage *all, size_t count, size_t rows, bench *b,
                                       const tfp_schema_column **at_fault)
{
    tfp_store_fault fault = TFP_STORE_FINE;
    for (size_t i = 0; i < count && !fault; i++) {
        *at_fault = all[i].c;
        fault = start(f, &all[i], rows);
    }
    for (size_t first = 0; first < rows && !fault; first += BLOCK) {
        size_t some = rows - first < BLOCK ? rows - first : BLOCK;
        for (size_t i = 0; i < count && !fault; i++) {
            *at_fault = all[i].c;
            fault = pass(f, &all[i], first, some, b);
            if (fault == TFP_STORE_WRONG) fault = wrong_or_changed(f, all[i].e, b->numbers);
        }
    }
    for (size_t i = 0; i < count && !fault; i++) {
        *at_fault = all[i].c;
        if (all[i].e && !tfp_checksum_fits(all[i].blocks.crc, all[i].e->crc)) fault = TFP_STORE_CHANGED;
    }
    return fault;
}

static tfp_store_fault run_passages(const tfp_store_file *f, passage *all, size_t count, size_t rows,
                                    const tfp_schema_column **at_fault)
{
    bench b = { malloc(BLOCK * sizeof(int64_t)), malloc(BLOCK * sizeof(int64_t)), { 0 } };
    bool ready = tfp_unpacker_start(&b.unpacker) && b.numbers && b.beside;
    tfp_store_fault fault = ready ? run_passages_at(f, all, count, rows, &b, at_fault) : TFP_STORE_NO_MEMORY;
    tfp_unpacker_free(&b.unpacker);
    free(b.numbers);
    free(b.beside);
    return fault;
}

/* ---- texts ---- */

static tfp_store_fault load_words(tfp_store_file *f, const tfp_schema_table *t, const tfp_schema_column *c, char *to,
                                  size_t rows)
{
    const tfp_store_entry *e = tfp_store_entry_find(f, t->name, c->name);
    const uint32_t *sizes = NULL;
    const char *at = NULL;
    tfp_store_fault fault = e ? tfp_store_read_texts(f, e, rows, &sizes, &at) : TFP_STORE_ABSENT;
    for (size_t i = 0; i < rows && !fault; i++, to += t->item) {
        bool there = sizes[i] != TFP_NONE;
        if (!there && c->rule != TFP_RULE_TEXT_OR_NULL) return TFP_STORE_WRONG;
        if (c->rule == TFP_RULE_BYTES) {
            tfp_str s = { at, sizes[i] };
            memcpy(to, &s, sizeof s);
        } else {
            const char *s = there ? at : NULL;
            if (there && strlen(at) != sizes[i]) return TFP_STORE_WRONG;
            memcpy(to, &s, sizeof s);
        }
        if (there) at += (size_t)sizes[i] + 1;
    }
    return fault;
}

tfp_store_fault tfp_store_load_strings(tfp_store_file *f)
{
    const tfp_store_entry *e = tfp_store_entry_find(f, TFP_STORE_STRINGS, "value");
    tfp_strtab *strings = &f->p->strings;
    const uint32_t *sizes = NULL;
    const char *at = NULL;
    tfp_store_fault fault = TFP_STORE_ABSENT;
    if (e && e->rows && e->rows < TFP_NONE - 2) fault = tfp_store_read_texts(f, e, (size_t)e->rows, &sizes, &at);
    for (size_t i = 0; !fault && i < e->rows; i++) {
        if (sizes[i] == TFP_NONE) return fail(f, TFP_STORE_WRONG, TFP_STORE_STRINGS, "value");
        tfp_strid id = tfp_intern_kept(strings, (tfp_str){ at, sizes[i] });
        if (id == TFP_NONE) return TFP_STORE_NO_MEMORY;
        if (id != i) fault = TFP_STORE_WRONG; /* a repeated string, or an empty one that is not the first */
        at += (size_t)sizes[i] + 1;
    }
    return fail(f, fault, TFP_STORE_STRINGS, "value");
}

/* ---- tables ---- */

typedef struct job {
    const tfp_schema_table *t;
    passage *passages;
    size_t count, rows;
    tfp_store_fault fault;
    const tfp_schema_column *at_fault;
} job;

typedef struct loader {
    tfp_store_file *f;
    TFP_VEC(passage) passages;
    TFP_VEC(job) jobs;
    _Atomic size_t next;
    bool no_memory;
} loader;

static const tfp_schema_column owner_columns[] = {
    { TFP_STORE_OWNER, 0, sizeof(uint32_t), TFP_RULE_ROW_OR_NONE, TFP_TABLE_NODES, false, NULL },
    { TFP_STORE_OWNER, 0, sizeof(uint32_t), TFP_RULE_ROW_OR_NONE, TFP_TABLE_DETAILS, false, NULL },
    { TFP_STORE_OWNER, 0, sizeof(uint32_t), TFP_RULE_ROW_OR_NONE, TFP_TABLE_MEMORIES, false, NULL },
};

static const tfp_schema_column *owner_column(tfp_table_id owner)
{
    size_t i = 0;
    while (owner_columns[i].arg != owner) i++;
    return &owner_columns[i];
}

static void add_job(loader *l, const tfp_schema_table *t, size_t first, size_t rows)
{
    job j = { .t = t, .count = l->passages.size - first, .rows = rows };
    j.passages = NULL; /* set once the array of passages no longer moves */
    if (!tfp_push(&l->jobs, j)) l->no_memory = true;
}

static void add_passage(loader *l, const tfp_schema_table *t, const tfp_schema_column *c, void *to, size_t stride)
{
    if (!tfp_push(&l->passages, ((passage){ .t = t, .c = c, .to = to, .stride = stride }))) l->no_memory = true;
}

/* Allocates a table with empty rows, and adds the jobs that fill it. */
static tfp_store_fault prepare_rows(loader *l, tfp_table_id id, tfp_rows *to)
{
    tfp_store_file *f = l->f;
    const tfp_schema_table *t = &tfp_schema_tables[id];
    size_t rows = f->rows[id], first = l->passages.size;
    if (!tfp_grow(&to->at, &to->capacity, rows, t->item)) return TFP_STORE_NO_MEMORY;
    memset(to->at, 0, rows * t->item);
    to->size = rows;
    if (t->chain.there) {
        if (!(f->owners[id] = malloc(rows * sizeof(uint32_t)))) return TFP_STORE_NO_MEMORY;
        add_passage(l, t, owner_column(t->chain.owner), f->owners[id], sizeof(uint32_t));
    }
    for (size_t i = 0; i < t->column_count; i++) {
        const tfp_schema_column *c = &t->columns[i];
        if (c->width) add_passage(l, t, c, (char *)to->at + c->at, t->item);
    }
    add_job(l, t, first, rows);
    for (size_t i = 0; i < t->column_count; i++) {
        tfp_store_fault fault = t->columns[i].width
                                    ? TFP_STORE_FINE
                                    : load_words(f, t, &t->columns[i], (char *)to->at + t->columns[i].at, rows);
        if (fault) return fail(f, fault, t->name, t->columns[i].name);
    }
    return TFP_STORE_FINE;
}

static tfp_store_fault prepare_arrays(loader *l, tfp_table_id id, char *to)
{
    const tfp_schema_table *t = &tfp_schema_tables[id];
    size_t rows = l->f->rows[id];
    for (size_t i = 0; i < t->column_count; i++) {
        const tfp_schema_column *c = &t->columns[i];
        void *array = malloc(rows * c->width);
        if (!array) return TFP_STORE_NO_MEMORY;
        memcpy(to + c->at, &array, sizeof array);
        add_passage(l, t, c, array, c->width);
        /* a column is read together with the one that is stored relative to it */
        bool alone = i + 1 == t->column_count || !t->columns[i + 1].beside;
        if (alone) add_job(l, t, l->passages.size - 1 - c->beside, rows);
    }
    tfp_span_columns *s = (tfp_span_columns *)(void *)to;
    s->size = s->capacity = rows;
    return TFP_STORE_FINE;
}

static void work(void *ctx, size_t worker)
{
    loader *l = ctx;
    (void)worker;
    for (size_t i; (i = atomic_fetch_add(&l->next, 1)) < l->jobs.size;) {
        job *j = &l->jobs.at[i];
        j->fault = run_passages(l->f, j->passages, j->count, j->rows, &j->at_fault);
    }
}

static tfp_store_fault run_jobs(loader *l)
{
    size_t at = 0, threads = tfp_sharing_get().threads;
    for (size_t i = 0; i < l->jobs.size; at += l->jobs.at[i++].count) l->jobs.at[i].passages = l->passages.at + at;
    tfp_threads_run(threads < l->jobs.size ? threads : 1, work, l);
    for (size_t i = 0; i < l->jobs.size; i++) {
        const job *j = &l->jobs.at[i];
        if (j->fault) return fail(l->f, j->fault, j->t->name, j->at_fault ? j->at_fault->name : "");
    }
    return TFP_STORE_FINE;
}

tfp_store_fault tfp_store_load_tables(tfp_store_file *f)
{
    loader l = { .f = f };
    tfp_store_fault fault = TFP_STORE_FINE;
    for (size_t i = 0; i < TFP_TABLES && !fault; i++) {
        const tfp_schema_table *t = &tfp_schema_tables[i];
        void *to = f->rows[i] ? tfp_store_at(t, f->p, &f->values) : NULL;
        if (!to || t->form == TFP_FORM_ONE) continue;
        fault =
            t->form == TFP_FORM_ROWS ? prepare_rows(&l, (tfp_table_id)i, to) : prepare_arrays(&l, (tfp_table_id)i, to);
        if (l.no_memory) fault = TFP_STORE_NO_MEMORY;
    }
    if (!fault) fault = run_jobs(&l);
    tfp_vec_free(&l.passages);
    tfp_vec_free(&l.jobs);
    return fault;
}

tfp_store_fault tfp_store_load_one(tfp_store_file *f, tfp_table_id id)
{
    const tfp_schema_table *t = &tfp_schema_tables[id];
    char *to = tfp_store_at(t, f->p, &f->values);
    for (size_t i = 0; i < t->column_count; i++) {
        const tfp_schema_column *c = &t->columns[i], *at_fault;
        passage x = { .t = t, .c = c, .to = to + c->at, .stride = t->item };
        tfp_store_fault fault = c->width ? run_passages(f, &x, 1, 1, &at_fault) : load_words(f, t, c, to + c->at, 1);
        if (fault) return fail(f, fault, t->name, c->name);
    }
    return TFP_STORE_FINE;
}
