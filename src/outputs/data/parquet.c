// SPDX-License-Identifier: Apache-2.0
/* outputs/data/parquet.c: writes a Parquet file: pages of columns, row group by row group, then the footer with their offsets
 * and their least and greatest values. */
#include "outputs/data/parquet.h"
#include "outputs/core/output.h"
#include "wire/thrift.h"

#include <libdeflate.h>

enum { LEVEL = 6, BOUND_MOST = 256 /* BOUND_MOST: longest text that is stored as a bound in the footer */ };

static tfp_status write_out(tfp_parquet *w, tfp_str bytes, tfp_error *err)
{
    if (bytes.size && w->fn(w->ctx, bytes.data, bytes.size) != 0)
        return tfp_fail(err, TFP_BADOUTPUT, "cannot write the output");
    w->written += bytes.size;
    return TFP_OK;
}

tfp_status tfp_parquet_start(tfp_parquet *w, tfp_write_fn fn, void *ctx, tfp_error *err)
{
    *w = (tfp_parquet){ .fn = fn, .ctx = ctx, .deflate = libdeflate_alloc_compressor(LEVEL) };
    if (!w->deflate) return tfp_nomem(err);
    return write_out(w, TFP_PARQUET_MAGIC, err);
}

void tfp_parquet_free(tfp_parquet *w)
{
    if (w->deflate) libdeflate_free_compressor(w->deflate);
    tfp_buf_free(&w->groups);
    tfp_buf_free(&w->bytes);
    *w = (tfp_parquet){ 0 };
}

/* ---- pages ---- */

typedef struct page {
    int type;
    size_t values;
    int encoding;
} page;

static void put_header(tfp_buf *out, const page *p, size_t size, size_t packed)
{
    tfp_thrift t = tfp_thrift_start(out);
    tfp_thrift_i32(&t, 1, p->type);
    tfp_thrift_i32(&t, 2, (int64_t)size);
    tfp_thrift_i32(&t, 3, (int64_t)packed);
    tfp_thrift_struct(&t, p->type == TFP_PARQUET_DATA_PAGE ? 5 : 7);
    tfp_thrift_i32(&t, 1, (int64_t)p->values);
    tfp_thrift_i32(&t, 2, p->encoding);
    if (p->type == TFP_PARQUET_DATA_PAGE) {
        tfp_thrift_i32(&t, 3, TFP_PARQUET_RLE);
        tfp_thrift_i32(&t, 4, TFP_PARQUET_RLE);
    }
    tfp_thrift_end(&t);
    tfp_thrift_end(&t);
}

/* Appends a page to w->bytes; returns its uncompressed size, header included; 0 without memory. */
static size_t put_page(tfp_parquet *w, const page *p, const tfp_buf *content)
{
    size_t room = libdeflate_gzip_compress_bound(w->deflate, content->size), before = w->bytes.size;
    char *packed = malloc(room);
    size_t size =
        packed ? libdeflate_gzip_compress(w->deflate, content->data ? content->data : "", content->size, packed, room)
               : 0;
    w->bytes.failed |= !size || content->failed;
    put_header(&w->bytes, p, content->size, size);
    size_t header = w->bytes.size - before;
    tfp_buf_add(&w->bytes, packed, size);
    free(packed);
    return header + content->size;
}

typedef struct chunk { /* a column of a row group, in the file */
    uint64_t at, dictionary_at;
    size_t size, unpacked;
} chunk;

static void put_pages(tfp_parquet *w, const tfp_batch *b, const tfp_parquet_values *v, chunk *c)
{
    tfp_buf data = { 0 };
    w->bytes.size = 0;
    c->unpacked = 0;
    c->dictionary_at = w->written;
    if (v->distinct)
        c->unpacked +=
            put_page(w, &(page){ TFP_PARQUET_DICTIONARY_PAGE, v->distinct, TFP_PARQUET_PLAIN }, &v->dictionary);
    c->at = w->written + w->bytes.size;
    tfp_parquet_put_u32(&data, (uint32_t)v->levels.size);
    tfp_buf_add(&data, v->levels.data, v->levels.size);
    const tfp_buf *values = v->distinct ? &v->indexes : &v->plain;
    tfp_buf_add(&data, values->data, values->size);
    int encoding = v->distinct ? TFP_PARQUET_DICTIONARY : TFP_PARQUET_PLAIN;
    c->unpacked += put_page(w, &(page){ TFP_PARQUET_DATA_PAGE, b->row_count, encoding }, &data);
    c->size = w->bytes.size;
    tfp_buf_free(&data);
}

/* ---- the footer's structs ---- */

static int type_of(tfp_cell_type t)
{
    switch (t) {
    case TFP_CELL_BOOL: return TFP_PARQUET_BOOLEAN;
    case TFP_CELL_REAL: return TFP_PARQUET_DOUBLE;
    case TFP_CELL_TEXT: return TFP_PARQUET_BYTES;
    case TFP_CELL_DATE: return TFP_PARQUET_INT32;
    default: return TFP_PARQUET_INT64;
    }
}

static void put_statistics(tfp_thrift *t, const tfp_batch *b, const tfp_table_column *c, const tfp_parquet_values *v)
{
    tfp_buf min = { 0 }, max = { 0 };
    tfp_thrift_struct(t, 12);
    tfp_thrift_i64(t, 3, (int64_t)v->nulls);
    if (v->bounded) {
        tfp_parquet_put_bound(&max, b, c, v->max);
        tfp_parquet_put_bound(&min, b, c, v->min);
    }
    if (v->bounded && min.size <= BOUND_MOST && max.size <= BOUND_MOST) {
        tfp_thrift_text(t, 5, (tfp_str){ max.data ? max.data : "", max.size });
        tfp_thrift_text(t, 6, (tfp_str){ min.data ? min.data : "", min.size });
    }
    t->out->failed |= min.failed || max.failed;
    tfp_thrift_end(t);
    tfp_buf_free(&min);
    tfp_buf_free(&max);
}

static void put_chunk(tfp_thrift *t, const tfp_batch *b, const tfp_table_column *c, const tfp_parquet_values *v,
                      const chunk *where)
{
    uint64_t first = v->distinct ? where->dictionary_at : where->at;
    tfp_thrift_item(t);
    tfp_thrift_i64(t, 2, (int64_t)first);
    tfp_thrift_struct(t, 3);
    tfp_thrift_i32(t, 1, type_of(c->type));
    tfp_thrift_list(t, 2, TFP_THRIFT_I32, v->distinct ? 3 : 2);
    tfp_thrift_list_i32(t, TFP_PARQUET_PLAIN);
    tfp_thrift_list_i32(t, TFP_PARQUET_RLE);
    if (v->distinct) tfp_thrift_list_i32(t, TFP_PARQUET_DICTIONARY);
    tfp_thrift_list(t, 3, TFP_THRIFT_BINARY, 1);
    tfp_thrift_list_text(t, tfp_str_of(c->name));
    tfp_thrift_i32(t, 4, TFP_PARQUET_GZIP);
    tfp_thrift_i64(t, 5, (int64_t)b->row_count);
    tfp_thrift_i64(t, 6, (int64_t)where->unpacked);
    tfp_thrift_i64(t, 7, (int64_t)where->size);
    tfp_thrift_i64(t, 9, (int64_t)where->at);
    if (v->distinct) tfp_thrift_i64(t, 11, (int64_t)where->dictionary_at);
    put_statistics(t, b, c, v);
    tfp_thrift_end(t);
    tfp_thrift_end(t);
}

/* Checks that page sizes fit into signed 32 bits. */
static tfp_status check_pages(const tfp_parquet_values *v, const tfp_table_column *c, size_t rows, tfp_error *err)
{
    const tfp_buf *values = v->distinct ? &v->indexes : &v->plain;
    if (v->dictionary.size <= INT32_MAX && values->size <= INT32_MAX - v->levels.size - 4) return TFP_OK;
    return tfp_fail(err, TFP_LIMIT, "column %s: %zu rows of it have over 2 GB, too many for a page of Parquet", c->name,
                    rows);
}

tfp_status tfp_parquet_group(tfp_parquet *w, const tfp_batch *b, tfp_error *err)
{
    tfp_status s = b->failed ? tfp_nomem(err) : TFP_OK;
    tfp_thrift t = tfp_thrift_start(&w->groups);
    uint64_t from = w->written;
    int64_t unpacked = 0;
    if (s || !b->row_count) return s;
    tfp_thrift_list(&t, 1, TFP_THRIFT_STRUCT, b->column_count);
    for (size_t i = 0; i < b->column_count && !s; i++) {
        tfp_parquet_values v;
        chunk where;
        tfp_parquet_encode(&v, b, &b->columns[i]);
        if ((s = check_pages(&v, &b->columns[i], b->row_count, err))) {
            tfp_parquet_values_free(&v);
            break;
        }
        put_pages(w, b, &v, &where);
        put_chunk(&t, b, &b->columns[i], &v, &where);
        unpacked += (int64_t)where.unpacked;
        s = v.failed || w->bytes.failed || w->groups.failed
                ? tfp_nomem(err)
                : write_out(w, (tfp_str){ w->bytes.data, w->bytes.size }, err);
        tfp_parquet_values_free(&v);
    }
    tfp_thrift_i64(&t, 2, unpacked);
    tfp_thrift_i64(&t, 3, (int64_t)b->row_count);
    tfp_thrift_i64(&t, 5, (int64_t)from);
    tfp_thrift_i64(&t, 6, (int64_t)(w->written - from));
    tfp_thrift_end(&t);
    w->group_count++;
    w->row_count += (int64_t)b->row_count;
    return s;
}

/* Writes the meaning of a column: its old name (ConvertedType), which every reader knows, and its new one
 * (LogicalType). */
static void put_meaning(tfp_thrift *t, tfp_cell_type type)
{
    if (type != TFP_CELL_TEXT && type != TFP_CELL_DATE && type != TFP_CELL_TIME) return;
    tfp_thrift_i32(t, 6, type == TFP_CELL_TEXT ? 0 : type == TFP_CELL_DATE ? 6 : 10);
    tfp_thrift_struct(t, 10);
    tfp_thrift_struct(t, type == TFP_CELL_TEXT ? 1 : type == TFP_CELL_DATE ? 6 : 8);
    if (type == TFP_CELL_TIME) { /* TimestampType: UTC, in microseconds */
        tfp_thrift_bool(t, 1, true);
        tfp_thrift_struct(t, 2);
        tfp_thrift_struct(t, 2);
        tfp_thrift_end(t);
        tfp_thrift_end(t);
    }
    tfp_thrift_end(t);
    tfp_thrift_end(t);
}

static void put_schema(tfp_thrift *t, const tfp_batch *b)
{
    tfp_thrift_list(t, 2, TFP_THRIFT_STRUCT, b->column_count + 1);
    tfp_thrift_item(t);
    tfp_thrift_text(t, 4, TFP_STR("schema"));
    tfp_thrift_i32(t, 5, (int64_t)b->column_count);
    tfp_thrift_end(t);
    for (size_t i = 0; i < b->column_count; i++) {
        tfp_thrift_item(t);
        tfp_thrift_i32(t, 1, type_of(b->columns[i].type));
        tfp_thrift_i32(t, 3, 1); /* OPTIONAL */
        tfp_thrift_text(t, 4, tfp_str_of(b->columns[i].name));
        put_meaning(t, b->columns[i].type);
        tfp_thrift_end(t);
    }
}

/* Writes the sort order of texts; without it readers cannot use min and max, and ignore both. */
static void put_orders(tfp_thrift *t, size_t count)
{
    tfp_thrift_list(t, 7, TFP_THRIFT_STRUCT, count);
    for (size_t i = 0; i < count; i++) {
        tfp_thrift_item(t);
        tfp_thrift_struct(t, 1);
        tfp_thrift_end(t);
        tfp_thrift_end(t);
    }
}

tfp_status tfp_parquet_end(tfp_parquet *w, const tfp_batch *b, tfp_error *err)
{
    tfp_buf out = { 0 };
    tfp_thrift t = tfp_thrift_start(&out);
    tfp_thrift_i32(&t, 1, 2); /* version */
    put_schema(&t, b);
    tfp_thrift_i64(&t, 3, w->row_count);
    tfp_thrift_list(&t, 4, TFP_THRIFT_STRUCT, w->group_count);
    tfp_buf_add(&out, w->groups.data, w->groups.size);
    tfp_thrift_text(&t, 6, TFP_STR("tfprof"));
    put_orders(&t, b->column_count);
    tfp_thrift_end(&t);
    tfp_parquet_put_u32(&out, (uint32_t)out.size);
    tfp_buf_str(&out, TFP_PARQUET_MAGIC);
    tfp_status s = out.failed || w->groups.failed ? tfp_nomem(err) : write_out(w, (tfp_str){ out.data, out.size }, err);
    tfp_buf_free(&out);
    return s;
}

/* ---- a report ---- */

enum { ROWS_MOST = 1 << 16 };

static int to_sink(void *ctx, const void *data, size_t size)
{
    tfp_sink_write(ctx, (tfp_str){ data, size });
    return 0;
}

static tfp_status write_rows(tfp_parquet *w, tfp_batch *b, const tfp_report *r, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (uint32_t row = 0, before = 1; !s && row != before;) {
        before = row;
        tfp_batch_clear(b);
        if (!tfp_texts_clear(b->texts)) return tfp_nomem(err);
        s = tfp_batch_fill(b, r, &row, ROWS_MOST, err);
        if (!s) s = tfp_parquet_group(w, b, err);
    }
    return s ? s : tfp_parquet_end(w, b, err);
}

static tfp_status write_parquet(const tfp_report *r, tfp_sink *sink, tfp_error *err)
{
    tfp_parquet w = { 0 };
    tfp_batch b = { 0 };
    tfp_texts texts = { 0 };
    tfp_status s = tfp_texts_start(&texts) ? TFP_OK : tfp_nomem(err);
    if (!s) s = tfp_batch_of_report(&b, r, &texts, err);
    if (!s) s = tfp_parquet_start(&w, to_sink, sink, err);
    if (!s) s = write_rows(&w, &b, r, err);
    tfp_parquet_free(&w);
    tfp_batch_free(&b);
    tfp_texts_free(&texts);
    return s;
}

const tfp_output_format tfp_output_parquet = {
    .name = "parquet",
    .help = "The rows as a Parquet file, as DuckDB, Spark and pandas read it.",
    .in_format_option = true,
    .write = write_parquet,
};
