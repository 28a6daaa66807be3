// SPDX-License-Identifier: Apache-2.0
/* outputs/data/arrow.c: a report as an Arrow C stream, for pandas, polars, DuckDB and other readers of Arrow.
 * All batches are made at once and handed out one by one. Columns may be moved out of a batch or a schema and released
 * on their own, so each column owns its memory, and the struct around them owns only its list of children. */
#include "outputs/data/arrow.h"
#include "outputs/core/table.h"

#include <errno.h>

_Static_assert(sizeof(struct ArrowArrayStream) == TFP_ARROW_STREAM_SIZE, "TFP_ARROW_STREAM_SIZE in tfprof.h");

/* ---- batches ---- */

/* A column's own memory. The validity bitmap comes first in Arrow, then values, bits or offsets, then text. */
typedef struct column_data {
    const void *buffers[3];
    uint8_t *valid; /* NULL when the column can have no nulls */
    void *values;
    tfp_buf text;
} column_data;

typedef struct batch_data {
    const void *buffers[1]; /* a struct's validity bitmap: none */
    struct ArrowArray **list, columns[];
} batch_data;

static void release_column(struct ArrowArray *a)
{
    column_data *d = a->private_data;
    free(d->valid);
    free(d->values);
    tfp_buf_free(&d->text);
    free(d);
    a->release = NULL;
}

static void release_batch(struct ArrowArray *a)
{
    for (int64_t i = 0; i < a->n_children; i++)
        if (a->children[i]->release) a->children[i]->release(a->children[i]);
    free(a->children);
    free(a->private_data);
    a->release = NULL;
}

static size_t bytes_of_bits(size_t bits) { return (bits + 7) / 8; }

static size_t bytes_of_values(char type, size_t rows)
{
    switch (type) {
    case 'i': return rows * sizeof(int64_t);
    case 'r': return rows * sizeof(double);
    case 'b': return bytes_of_bits(rows);
    default: return (rows + 1) * sizeof(int32_t); /* the start of each text, and the end of the last */
    }
}

static bool start_column(struct ArrowArray *a, const tfp_flat *f, size_t rows)
{
    column_data *d = calloc(1, sizeof *d);
    if (!d) return false;
    *a = (struct ArrowArray){
        .n_buffers = f->type == 's' ? 3 : 2, .buffers = d->buffers, .release = release_column, .private_data = d
    };
    d->values = calloc(1, bytes_of_values(f->type, rows));
    if (f->null) d->valid = calloc(1, bytes_of_bits(rows));
    return d->values && (d->valid || !f->null);
}

/* An empty batch with room for that many rows. On failure a partial batch remains, and must be released. */
static bool start_batch(struct ArrowArray *a, const tfp_flat *columns, size_t count, size_t rows)
{
    batch_data *d = calloc(1, sizeof *d + count * sizeof *d->columns);
    if (!d || !(d->list = calloc(count + 1, sizeof *d->list))) {
        free(d);
        return false;
    }
    *a = (struct ArrowArray){ .n_buffers = 1,
                              .n_children = (int64_t)count,
                              .buffers = d->buffers,
                              .children = d->list,
                              .release = release_batch,
                              .private_data = d };
    for (size_t i = 0; i < count; i++) d->list[i] = &d->columns[i];
    for (size_t i = 0; i < count; i++)
        if (!start_column(&d->columns[i], &columns[i], rows)) return false;
    return true;
}

static void set_bit(uint8_t *bits, size_t i) { bits[i / 8] |= (uint8_t)(1u << i % 8); }

static void add_number(struct ArrowArray *a, const tfp_flat *f, const tfp_report *r, uint32_t row)
{
    column_data *d = a->private_data;
    size_t at = (size_t)a->length;
    int64_t n = 0;
    double x = 0;
    if (f->type == 'r' ? !tfp_flat_real(f, r, row, &x) : !tfp_flat_int(f, r, row, &n)) {
        a->null_count++;
        return;
    }
    if (d->valid) set_bit(d->valid, at);
    if (f->type == 'r')
        ((double *)d->values)[at] = x;
    else if (f->type == 'i')
        ((int64_t *)d->values)[at] = n;
    else if (n)
        set_bit(d->values, at);
}

static tfp_status add_text(struct ArrowArray *a, const tfp_flat *f, tfp_cells *cells, uint32_t row, tfp_error *err)
{
    column_data *d = a->private_data;
    if (!tfp_flat_text(f, cells, row, &d->text))
        a->null_count++;
    else if (d->valid)
        set_bit(d->valid, (size_t)a->length);
    if (d->text.failed) return tfp_nomem(err);
    if (d->text.size > INT32_MAX)
        return tfp_fail(err, TFP_LIMIT, "row %lu: the text of column %s is too long for Arrow", (unsigned long)row,
                        f->name);
    ((int32_t *)d->values)[a->length + 1] = (int32_t)d->text.size;
    return TFP_OK;
}

/* Sets the final buffers when no more rows come. */
static void end_column(struct ArrowArray *a)
{
    column_data *d = a->private_data;
    d->buffers[0] = a->null_count ? d->valid : NULL;
    d->buffers[1] = d->values;
    d->buffers[2] = d->text.data ? d->text.data : ""; /* some readers reject NULL, even for zero bytes */
}

/* ---- the stream ---- */

typedef struct stream_data {
    tfp_flats columns; /* names belong to the report; those of its own columns are copied */
    tfp_arena names;
    TFP_VEC(struct ArrowArray) batches;
    size_t next;
    const char *error;
} stream_data;

/* Fills in the texts of rows from `row` on until the batch is full. Texts come first because they decide the batch's length. */
static tfp_status fill_texts(const stream_data *d, struct ArrowArray *batch, tfp_cells *cells, uint32_t row,
                             size_t rows, size_t text_most, tfp_error *err)
{
    bool full = false;
    for (; (size_t)batch->length < rows && !full; row++, batch->length++) {
        for (size_t i = 0; i < d->columns.size; i++) {
            if (d->columns.at[i].type != 's') continue;
            struct ArrowArray *a = batch->children[i];
            tfp_status s = add_text(a, &d->columns.at[i], cells, row, err);
            if (s) return s;
            a->length++;
            full |= ((column_data *)a->private_data)->text.size >= text_most;
        }
    }
    return TFP_OK;
}

/* Column by column: columns lie far apart, and a row's numbers would evict one another from the cache. */
static void fill_numbers(const stream_data *d, struct ArrowArray *batch, const tfp_report *r, uint32_t row)
{
    for (size_t i = 0; i < d->columns.size; i++) {
        if (d->columns.at[i].type == 's') continue;
        struct ArrowArray *a = batch->children[i];
        for (; a->length < batch->length; a->length++) add_number(a, &d->columns.at[i], r, row + (uint32_t)a->length);
    }
}

static tfp_status make_batches(stream_data *d, const tfp_report *r, size_t rows_most, size_t text_most, tfp_error *err)
{
    tfp_cells cells = tfp_cells_of(r);
    size_t count = tfp_table_rows(r);
    tfp_status s = TFP_OK;
    for (uint32_t row = 0; row < count && !s;) {
        size_t rows = count - row < rows_most ? count - row : rows_most;
        struct ArrowArray batch = { 0 };
        s = start_batch(&batch, d->columns.at, d->columns.size, rows) ? TFP_OK : tfp_nomem(err);
        if (!s) s = fill_texts(d, &batch, &cells, row, rows, text_most, err);
        if (!s) fill_numbers(d, &batch, r, row);
        for (size_t i = 0; !s && i < d->columns.size; i++) end_column(batch.children[i]);
        row += (uint32_t)batch.length;
        if (!s && !tfp_push(&d->batches, batch)) s = tfp_nomem(err);
        if (s && batch.release) batch.release(&batch);
    }
    tfp_cells_free(&cells);
    return s;
}

/* ---- the schema ---- */

typedef struct schema_data {
    struct ArrowSchema **list, columns[];
} schema_data;

static void release_field(struct ArrowSchema *s)
{
    free(s->private_data);
    s->release = NULL;
}

static void release_schema(struct ArrowSchema *s)
{
    for (int64_t i = 0; i < s->n_children; i++)
        if (s->children[i]->release) s->children[i]->release(s->children[i]);
    free(s->children);
    free(s->private_data);
    s->release = NULL;
}

/* Metadata with one pair, "unit": NAME: a count of pairs, then each string's size and bytes; sizes are native 32-bit numbers. */
static void put_unit(tfp_buf *b, const char *name)
{
    int32_t pairs = 1, key_size = 4, size = (int32_t)strlen(name);
    tfp_buf_add(b, &pairs, sizeof pairs);
    tfp_buf_add(b, &key_size, sizeof key_size);
    tfp_buf_add(b, "unit", 4);
    tfp_buf_add(b, &size, sizeof size);
    tfp_buf_add(b, name, (size_t)size);
}

static const char *format_of(char type)
{
    switch (type) {
    case 'i': return "l";
    case 'r': return "g";
    case 'b': return "b";
    default: return "u";
    }
}

/* A field owns its metadata and, after it, its name: it may outlive report and stream. */
static bool start_field(struct ArrowSchema *s, const tfp_flat *f)
{
    tfp_unit unit = f->type == 's' ? TFP_LABEL : tfp_flat_unit(f);
    tfp_buf own = { 0 };
    if (unit != TFP_LABEL) put_unit(&own, tfp_unit_name(unit));
    size_t name = own.size;
    tfp_buf_add(&own, f->name, strlen(f->name) + 1);
    if (own.failed) {
        tfp_buf_free(&own);
        return false;
    }
    *s = (struct ArrowSchema){ .format = format_of(f->type),
                               .name = own.data + name,
                               .metadata = name ? own.data : NULL,
                               .flags = f->null ? ARROW_FLAG_NULLABLE : 0,
                               .release = release_field,
                               .private_data = own.data };
    return true;
}

static bool make_schema(const stream_data *from, struct ArrowSchema *out)
{
    size_t count = from->columns.size;
    schema_data *d = calloc(1, sizeof *d + count * sizeof *d->columns);
    if (!d || !(d->list = calloc(count + 1, sizeof *d->list))) {
        free(d);
        return false;
    }
    *out = (struct ArrowSchema){ .format = "+s",
                                 .name = "",
                                 .n_children = (int64_t)count,
                                 .children = d->list,
                                 .release = release_schema,
                                 .private_data = d };
    for (size_t i = 0; i < count; i++) d->list[i] = &d->columns[i];
    for (size_t i = 0; i < count; i++) {
        if (start_field(&d->columns[i], &from->columns.at[i])) continue;
        release_schema(out);
        return false;
    }
    return true;
}

/* ---- the callbacks ---- */

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    stream_data *d = stream->private_data;
    *out = (struct ArrowSchema){ 0 };
    d->error = make_schema(d, out) ? NULL : "out of memory";
    return d->error ? ENOMEM : 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    stream_data *d = stream->private_data;
    d->error = NULL;
    *out = (struct ArrowArray){ 0 };
    if (d->next < d->batches.size) *out = d->batches.at[d->next++];
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    return ((const stream_data *)stream->private_data)->error;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream_data *d = stream->private_data;
    for (; d->next < d->batches.size; d->next++) d->batches.at[d->next].release(&d->batches.at[d->next]);
    tfp_vec_free(&d->batches);
    tfp_vec_free(&d->columns);
    tfp_arena_free(&d->names);
    free(d);
    stream->release = NULL;
}

/* The report's own columns are freed with the report; the stream keeps copies of their names and units. */
static bool keep_names(stream_data *d)
{
    for (size_t i = 0; i < d->columns.size; i++) {
        tfp_flat *f = &d->columns.at[i];
        if (!f->grid) continue;
        tfp_grid_column *c = TFP_NEW(&d->names, tfp_grid_column, 1);
        char *name = tfp_arena_copy(&d->names, tfp_str_of(f->name));
        if (!c || !name) return false;
        c->unit = f->grid->unit;
        f->grid = c;
        f->name = name;
    }
    return true;
}

tfp_status tfp_arrow_export(const tfp_report *r, size_t rows_most, size_t text_most, struct ArrowArrayStream *out,
                            tfp_error *err)
{
    stream_data *d = calloc(1, sizeof *d);
    *out = (struct ArrowArrayStream){ 0 };
    if (!d) return tfp_nomem(err);
    *out = (struct ArrowArrayStream){ .get_schema = get_schema,
                                      .get_next = get_next,
                                      .get_last_error = get_last_error,
                                      .release = release_stream,
                                      .private_data = d };
    bool ok = tfp_table_columns(r, true, &d->columns);
    tfp_status s = ok ? make_batches(d, r, rows_most, text_most, err) : tfp_nomem(err);
    if (!s && !keep_names(d)) s = tfp_nomem(err);
    if (s) release_stream(out);
    return s;
}
