// SPDX-License-Identifier: Apache-2.0
/* outputs/data/arrow.c: a report as an Arrow C stream, for pandas, polars, DuckDB and other readers of Arrow.
 * All batches are made at once and handed out one by one. */
#include "outputs/data/arrow_parts.h"
#include "outputs/core/table.h"

#include <errno.h>

_Static_assert(sizeof(struct ArrowArrayStream) == TFP_ARROW_STREAM_SIZE, "TFP_ARROW_STREAM_SIZE in tfprof.h");

static void add_number(struct ArrowArray *a, const tfp_table_column *f, tfp_cells *cells, uint32_t row)
{
    tfp_arrow_column *d = a->private_data;
    size_t at = (size_t)a->length;
    tfp_cell cell = { 0 };
    if (!tfp_cell_at(cells, f, row, &cell)) {
        a->null_count++;
        return;
    }
    if (d->valid) tfp_arrow_set_bit(d->valid, at);
    if (f->type == TFP_CELL_REAL)
        ((double *)d->values)[at] = cell.real;
    else if (f->type == TFP_CELL_INT)
        ((int64_t *)d->values)[at] = cell.number;
    else if (cell.number)
        tfp_arrow_set_bit(d->values, at);
}

static tfp_status add_text(struct ArrowArray *a, const tfp_table_column *f, tfp_cells *cells, uint32_t row,
                           tfp_error *err)
{
    tfp_arrow_column *d = a->private_data;
    if (!tfp_cell_at(cells, f, row, &(tfp_cell){ .text = &d->text }))
        a->null_count++;
    else if (d->valid)
        tfp_arrow_set_bit(d->valid, (size_t)a->length);
    if (d->text.failed) return tfp_nomem(err);
    if (d->text.size > INT32_MAX)
        return tfp_fail(err, TFP_LIMIT, "row %lu: the text of column %s is too long for Arrow", (unsigned long)row,
                        f->name);
    ((int32_t *)d->values)[a->length + 1] = (int32_t)d->text.size;
    return TFP_OK;
}

/* ---- the stream ---- */

typedef struct stream_data {
    tfp_column_vec columns;          /* used only while the batches are made */
    TFP_VEC(tfp_batch_column) types; /* what the schema says of the columns */
    tfp_arena names;
    TFP_VEC(struct ArrowArray) batches;
    size_t next;
    const char *error;
} stream_data;

/* The most that a batch takes: rows, and bytes of one column of texts. */
typedef struct limits {
    size_t rows, text;
} limits;

/* Fills in the texts of rows from `row` on until the batch is full. Texts come first because they decide the batch's length. */
static tfp_status fill_texts(const stream_data *d, struct ArrowArray *batch, tfp_cells *cells, uint32_t row,
                             limits most, tfp_error *err)
{
    bool full = false;
    for (; (size_t)batch->length < most.rows && !full; row++, batch->length++) {
        for (size_t i = 0; i < d->columns.size; i++) {
            if (d->columns.at[i].type != TFP_CELL_TEXT) continue;
            struct ArrowArray *a = batch->children[i];
            tfp_status s = add_text(a, &d->columns.at[i], cells, row, err);
            if (s) return s;
            a->length++;
            full |= ((tfp_arrow_column *)a->private_data)->text.size >= most.text;
        }
    }
    return TFP_OK;
}

/* Column by column: columns lie far apart, and a row's numbers would evict one another from the cache. */
static void fill_numbers(const stream_data *d, struct ArrowArray *batch, tfp_cells *cells, uint32_t row)
{
    for (size_t i = 0; i < d->columns.size; i++) {
        if (d->columns.at[i].type == TFP_CELL_TEXT) continue;
        struct ArrowArray *a = batch->children[i];
        for (; a->length < batch->length; a->length++)
            add_number(a, &d->columns.at[i], cells, row + (uint32_t)a->length);
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
        s = tfp_arrow_start(&batch, d->types.at, d->types.size, rows) ? TFP_OK : tfp_nomem(err);
        if (!s) s = fill_texts(d, &batch, &cells, row, (limits){ rows, text_most }, err);
        if (!s) fill_numbers(d, &batch, &cells, row);
        for (size_t i = 0; !s && i < d->columns.size; i++) tfp_arrow_end_column(batch.children[i]);
        row += (uint32_t)batch.length;
        if (!s && !tfp_push(&d->batches, batch)) s = tfp_nomem(err);
        if (s && batch.release) batch.release(&batch);
    }
    tfp_cells_free(&cells);
    return s;
}

/* ---- the callbacks ---- */

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    stream_data *d = stream->private_data;
    *out = (struct ArrowSchema){ 0 };
    d->error = tfp_arrow_schema(out, d->types.at, d->types.size) ? NULL : "out of memory";
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
    tfp_vec_free(&d->types);
    tfp_arena_free(&d->names);
    free(d);
    stream->release = NULL;
}

/* Names are copied: the stream outlives the report, which owns some of them. */
static bool add_types(stream_data *d)
{
    for (size_t i = 0; i < d->columns.size; i++) {
        const tfp_table_column *f = &d->columns.at[i];
        tfp_unit unit = f->type == TFP_CELL_TEXT ? TFP_LABEL : f->unit;
        tfp_batch_column c = { .name = tfp_arena_copy(&d->names, tfp_str_of(f->name)),
                               .unit = unit == TFP_LABEL ? NULL : tfp_unit_name(unit),
                               .type = f->type,
                               .whole = f->whole };
        if (!c.name || !tfp_push(&d->types, c)) return false;
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
    bool ok = tfp_table_columns(r, true, &d->columns) && add_types(d);
    tfp_status s = ok ? make_batches(d, r, rows_most, text_most, err) : tfp_nomem(err);
    if (s) release_stream(out);
    return s;
}
