// SPDX-License-Identifier: Apache-2.0
/* outputs/data/parquet_read.c: reads the footer of a Parquet file: its columns and their offsets. parquet_page.c reads the
 * values of a column. */
#include "outputs/data/parquet_page.h"
#include "outputs/data/parquet.h"
#include "wire/thrift_read.h"

enum { FOOTER_MOST = 64 << 20, GROUP_ROWS_MOST = 1 << 22 };

static tfp_status damaged(tfp_error *err, const char *what)
{
    return tfp_fail(err, TFP_BADFILE, "not a Parquet file that can be read: %s", what);
}

/* ---- the schema ---- */

typedef struct element {
    int type, children;
    bool optional, repeated;
    tfp_str name;
} element;

static element read_element(tfp_thrift_in *in)
{
    element e = { .type = -1 };
    for (tfp_thrift_field f = { 0 }; tfp_thrift_next(in, &f);) {
        int64_t n = 0;
        if (f.number == 4 && f.type == TFP_THRIFT_BINARY)
            e.name = tfp_thrift_read_text(in);
        else
            n = tfp_thrift_int_of(in, &f);
        if (f.number == 1) e.type = (int)n;
        if (f.number == 3) e.optional = n == 1, e.repeated = n == 2;
        if (f.number == 5) e.children = (int)n;
    }
    return e;
}

static bool is_type(tfp_cell_type cell, int type)
{
    switch (cell) {
    case TFP_CELL_BOOL: return type == TFP_PARQUET_BOOLEAN;
    case TFP_CELL_REAL: return type == TFP_PARQUET_DOUBLE;
    case TFP_CELL_TEXT: return type == TFP_PARQUET_BYTES;
    case TFP_CELL_DATE: return type == TFP_PARQUET_INT32;
    default: return type == TFP_PARQUET_INT64;
    }
}

static size_t column_named(const tfp_parquet_file *f, tfp_str name)
{
    size_t i = 0;
    while (i < f->column_count && !tfp_str_eq(name, tfp_str_of(f->columns[i].name))) i++;
    return i;
}

static tfp_status read_schema(tfp_parquet_file *f, tfp_thrift_in *in, tfp_error *err)
{
    tfp_thrift_type of;
    size_t count = tfp_thrift_read_list(in, &of);
    if (of != TFP_THRIFT_STRUCT) return damaged(err, "no schema");
    for (size_t i = 0; i < count && !in->fault; i++) {
        element e = read_element(in);
        size_t at = column_named(f, e.name);
        if (!i || at == f->column_count) continue;
        if (e.repeated || e.children || !is_type(f->columns[at].type, e.type))
            return tfp_fail(err, TFP_BADFILE, "column %s is of another type", f->columns[at].name);
        f->optional[at] = e.optional;
    }
    return TFP_OK;
}

/* ---- row groups ---- */

/* The name of a chunk's column, if it is not nested. */
static tfp_str read_path(tfp_thrift_in *in)
{
    tfp_thrift_type of;
    size_t count = tfp_thrift_read_list(in, &of);
    tfp_str name = { "", 0 };
    for (size_t i = 0; i < count && !in->fault; i++) {
        tfp_str part = { "", 0 };
        if (of == TFP_THRIFT_BINARY)
            part = tfp_thrift_read_text(in);
        else
            tfp_thrift_skip(in, of);
        if (!i) name = part;
    }
    return count == 1 ? name : (tfp_str){ "", 0 };
}

static void read_column_data(tfp_thrift_in *in, tfp_parquet_chunk *c, tfp_str *name)
{
    int64_t data = 0, dictionary = 0;
    for (tfp_thrift_field f = { 0 }; tfp_thrift_next(in, &f);) {
        if (f.number == 3 && f.type == TFP_THRIFT_LIST) {
            *name = read_path(in);
            continue;
        }
        int64_t n = tfp_thrift_int_of(in, &f);
        if (f.number == 4) c->codec = (int)n;
        if (f.number == 7) c->size = n;
        if (f.number == 9) data = n;
        if (f.number == 11) dictionary = n;
    }
    c->at = dictionary > 0 && dictionary < data ? dictionary : data;
}

static void read_chunk(tfp_parquet_file *f, tfp_thrift_in *in, tfp_parquet_chunk *row)
{
    tfp_parquet_chunk c = { 0 };
    tfp_str name = { "", 0 };
    for (tfp_thrift_field x = { 0 }; tfp_thrift_next(in, &x);)
        if (x.number == 3 && x.type == TFP_THRIFT_STRUCT)
            read_column_data(in, &c, &name);
        else
            tfp_thrift_skip(in, x.type);
    size_t at = column_named(f, name);
    bool inside = c.at >= 4 && c.size > 0 && (uint64_t)c.at < f->source.size &&
                  (uint64_t)c.size <= f->source.size - (uint64_t)c.at;
    in->fault |= at < f->column_count && !inside;
    if (at < f->column_count && inside) row[at] = c;
}

static void read_group(tfp_parquet_file *f, tfp_thrift_in *in, size_t group)
{
    for (tfp_thrift_field x = { 0 }; tfp_thrift_next(in, &x);) {
        tfp_thrift_type of;
        if (x.number == 1 && x.type == TFP_THRIFT_LIST) {
            size_t count = tfp_thrift_read_list(in, &of);
            in->fault |= of != TFP_THRIFT_STRUCT;
            for (size_t i = 0; i < count && !in->fault; i++) read_chunk(f, in, &f->chunks[group * f->column_count]);
        } else if (x.number == 3) {
            f->rows[group] = tfp_thrift_int_of(in, &x);
        } else {
            tfp_thrift_skip(in, x.type);
        }
    }
    in->fault |= f->rows[group] < 0 || f->rows[group] > GROUP_ROWS_MOST;
}

static tfp_status read_groups(tfp_parquet_file *f, tfp_thrift_in *in, tfp_error *err)
{
    tfp_thrift_type of;
    size_t count = tfp_thrift_read_list(in, &of);
    if (f->rows || of != TFP_THRIFT_STRUCT) return damaged(err, "no row groups");
    f->rows = calloc(count + 1, sizeof *f->rows);
    f->chunks = calloc(count * f->column_count + 1, sizeof *f->chunks);
    if (!f->rows || !f->chunks) return tfp_nomem(err);
    for (; f->group_count < count && !in->fault; f->group_count++) read_group(f, in, f->group_count);
    return TFP_OK;
}

static tfp_status read_footer(tfp_parquet_file *f, tfp_str bytes, tfp_error *err)
{
    tfp_thrift_in in = tfp_thrift_in_start(bytes);
    tfp_status s = TFP_OK;
    for (tfp_thrift_field x = { 0 }; !s && tfp_thrift_next(&in, &x);)
        if (x.number == 2 && x.type == TFP_THRIFT_LIST)
            s = read_schema(f, &in, err);
        else if (x.number == 4 && x.type == TFP_THRIFT_LIST)
            s = read_groups(f, &in, err);
        else
            tfp_thrift_skip(&in, x.type);
    return s ? s : in.fault ? damaged(err, "its footer is damaged") : TFP_OK;
}

static tfp_status read_file(tfp_parquet_file *f, tfp_error *err)
{
    uint8_t end[8];
    tfp_status s = f->source.size < 12 ? damaged(err, "too short") : TFP_OK;
    f->optional = calloc(f->column_count + 1, sizeof *f->optional);
    if (!f->optional) s = tfp_nomem(err);
    if (!s) s = tfp_source_read(&f->source, f->source.size - 8, end, 8, err);
    uint64_t size = s ? 0 : end[0] | (uint64_t)end[1] << 8 | (uint64_t)end[2] << 16 | (uint64_t)end[3] << 24;
    if (!s && (memcmp(end + 4, TFP_PARQUET_MAGIC.data, 4) != 0 || size > f->source.size - 12 || size > FOOTER_MOST))
        s = damaged(err, "no footer");
    char *bytes = s ? NULL : malloc((size_t)size + 1);
    if (!s && !bytes) s = tfp_nomem(err);
    if (!s) s = tfp_source_read(&f->source, f->source.size - 8 - size, bytes, (size_t)size, err);
    if (!s) s = read_footer(f, (tfp_str){ bytes, (size_t)size }, err);
    free(bytes);
    if (s) tfp_parquet_close(f);
    return s;
}

tfp_status tfp_parquet_open(tfp_parquet_file *f, const char *path, const tfp_table_column *columns, size_t count,
                            tfp_error *err)
{
    *f = (tfp_parquet_file){ .columns = columns, .column_count = count };
    tfp_status s = tfp_source_open(&f->source, path, err);
    return s ? s : read_file(f, err);
}

tfp_status tfp_parquet_open_bytes(tfp_parquet_file *f, tfp_str bytes, const tfp_table_column *columns, size_t count,
                                  tfp_error *err)
{
    *f = (tfp_parquet_file){ .columns = columns, .column_count = count, .source = tfp_source_memory(bytes) };
    return read_file(f, err);
}

void tfp_parquet_close(tfp_parquet_file *f)
{
    free(f->chunks);
    free(f->rows);
    free(f->optional);
    tfp_source_close(&f->source);
    *f = (tfp_parquet_file){ 0 };
}

/* ---- a group ---- */

static tfp_status read_column(const tfp_parquet_file *f, size_t group, size_t column, tfp_parquet_cells *cells,
                              tfp_error *err)
{
    const tfp_parquet_chunk *c = &f->chunks[group * f->column_count + column];
    cells->count = (size_t)f->rows[group];
    cells->optional = f->optional[column];
    if (!c->size) { /* no such column: all cells are absent */
        memset(cells->absent, 1, cells->count);
        return TFP_OK;
    }
    char *bytes = malloc((size_t)c->size);
    if (!bytes) return tfp_nomem(err);
    tfp_status s = tfp_source_read(&f->source, (uint64_t)c->at, bytes, (size_t)c->size, err);
    if (!s) s = tfp_parquet_cells_read(cells, c->codec, (tfp_str){ bytes, (size_t)c->size }, err);
    free(bytes);
    return tfp_within(err, s, "column %s", f->columns[column].name);
}

tfp_status tfp_parquet_read_group(const tfp_parquet_file *f, size_t group, tfp_batch *b, tfp_error *err)
{
    size_t rows = (size_t)f->rows[group];
    if (!rows) return TFP_OK;
    if (!tfp_batch_room(b, rows)) return tfp_nomem(err);
    for (size_t i = 0; i < f->column_count; i++) {
        tfp_parquet_cells cells = { .type = f->columns[i].type,
                                    .texts = b->texts,
                                    .cells = b->columns[i].cells + b->row_count,
                                    .absent = b->columns[i].absent + b->row_count };
        tfp_status s = read_column(f, group, i, &cells, err);
        if (s) return s;
    }
    b->row_count += rows;
    return TFP_OK;
}

/* ---- all groups ---- */

tfp_status tfp_parquet_each(const char *path, const tfp_table_column *columns, size_t count,
                            tfp_status (*take)(void *ctx, tfp_batch *b, tfp_error *err), void *ctx, tfp_error *err)
{
    tfp_parquet_file f;
    tfp_texts texts = { 0 };
    tfp_batch b = { 0 };
    tfp_status s = tfp_parquet_open(&f, path, columns, count, err);
    if (s) return tfp_within_file(err, s, path);
    if (!tfp_batch_start(&b, columns, count, &texts)) s = tfp_nomem(err);
    for (size_t g = 0; g < f.group_count && !s; g++) {
        tfp_batch_clear(&b);
        s = tfp_texts_clear(&texts) ? tfp_parquet_read_group(&f, g, &b, err) : tfp_nomem(err);
        if (!s) s = take(ctx, &b, err);
    }
    tfp_batch_free(&b);
    tfp_texts_free(&texts);
    tfp_parquet_close(&f);
    return tfp_within_file(err, s, path);
}
