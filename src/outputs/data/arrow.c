// SPDX-License-Identifier: Apache-2.0
/* outputs/data/arrow.c: a report as an Arrow C stream, for pandas, polars, DuckDB and other readers of Arrow.
 * All batches are made at once and handed out one by one. */
#include "outputs/data/arrow_parts.h"

#include <errno.h>

_Static_assert(sizeof(struct ArrowArrayStream) == TFP_ARROW_STREAM_SIZE, "TFP_ARROW_STREAM_SIZE in tfprof.h");

typedef struct stream_data {
    tfp_column_vec columns; /* the schema outlives the report, so names are in `names` */
    tfp_arena names;
    TFP_VEC(struct ArrowArray) batches;
    size_t next;
    const char *error;
} stream_data;

static tfp_status make_batches(stream_data *d, const tfp_report *r, size_t rows_most, size_t text_most, tfp_error *err)
{
    size_t row = 0, count = tfp_table_of(r)->row_count;
    tfp_arrow_rows t = { d->columns.at, d->columns.size, count, rows_most, text_most, tfp_cells_of(r) };
    tfp_status s = TFP_OK;
    while (row < count && !s) {
        struct ArrowArray batch;
        s = tfp_arrow_next(&t, &row, &batch, err);
        if (s || tfp_push(&d->batches, batch)) continue;
        batch.release(&batch);
        s = tfp_nomem(err);
    }
    tfp_cells_free(&t.cells);
    return s;
}

/* ---- the callbacks ---- */

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    stream_data *d = stream->private_data;
    *out = (struct ArrowSchema){ 0 };
    d->error = tfp_arrow_schema(out, d->columns.at, d->columns.size) ? NULL : "out of memory";
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

static bool copy_names(stream_data *d)
{
    bool ok = true;
    for (size_t i = 0; i < d->columns.size && ok; i++)
        ok = (d->columns.at[i].name = tfp_arena_copy(&d->names, tfp_str_of(d->columns.at[i].name))) != NULL;
    return ok;
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
    bool ok = tfp_table_columns(r, true, &d->columns) && copy_names(d);
    tfp_status s = ok ? make_batches(d, r, rows_most, text_most, err) : tfp_nomem(err);
    if (s) release_stream(out);
    return s;
}
