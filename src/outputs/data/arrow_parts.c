// SPDX-License-Identifier: Apache-2.0
/* outputs/data/arrow_parts.c: Arrow's arrays and schemas of columns, which reports and batches fill.
 * Columns may be moved out of a batch or a schema and released on their own, so each column owns its memory, and the struct
 * around them owns only its list of children. */
#include "outputs/data/arrow_parts.h"

/* ---- batches ---- */

typedef struct batch_data {
    const void *buffers[1]; /* a struct's validity bitmap: none */
    struct ArrowArray **list, columns[];
} batch_data;

static void release_column(struct ArrowArray *a)
{
    tfp_arrow_column *d = a->private_data;
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

static size_t bytes_of_values(tfp_cell_type type, size_t rows)
{
    switch (type) {
    case TFP_CELL_BOOL: return bytes_of_bits(rows);
    case TFP_CELL_DATE: return rows * sizeof(int32_t);
    case TFP_CELL_TEXT: return (rows + 1) * sizeof(int32_t); /* the start of each text, and the end of the last */
    default: return rows * sizeof(int64_t);
    }
}

static bool start_column(struct ArrowArray *a, const tfp_batch_column *f, size_t rows)
{
    tfp_arrow_column *d = calloc(1, sizeof *d);
    if (!d) return false;
    *a = (struct ArrowArray){ .n_buffers = f->type == TFP_CELL_TEXT ? 3 : 2,
                              .buffers = d->buffers,
                              .release = release_column,
                              .private_data = d };
    d->values = calloc(1, bytes_of_values(f->type, rows));
    if (!f->whole) d->valid = calloc(1, bytes_of_bits(rows));
    return d->values && (d->valid || f->whole);
}

bool tfp_arrow_start(struct ArrowArray *a, const tfp_batch_column *columns, size_t count, size_t rows)
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

void tfp_arrow_end_column(struct ArrowArray *a)
{
    tfp_arrow_column *d = a->private_data;
    d->buffers[0] = a->null_count ? d->valid : NULL;
    d->buffers[1] = d->values;
    d->buffers[2] = d->text.data ? d->text.data : ""; /* some readers reject NULL, even for zero bytes */
}

/* ---- schemas ---- */

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

static const char *format_of(tfp_cell_type type)
{
    switch (type) {
    case TFP_CELL_INT: return "l";
    case TFP_CELL_REAL: return "g";
    case TFP_CELL_BOOL: return "b";
    case TFP_CELL_DATE: return "tdD";
    case TFP_CELL_TIME: return "tsu:UTC";
    default: return "u";
    }
}

/* The memory of a field holds its metadata and then its name, so that a consumer can keep it after the report and the stream. */
static bool start_field(struct ArrowSchema *s, const tfp_batch_column *f)
{
    tfp_buf own = { 0 };
    if (f->unit) put_unit(&own, f->unit);
    size_t name = own.size;
    tfp_buf_add(&own, f->name, strlen(f->name) + 1);
    if (own.failed) {
        tfp_buf_free(&own);
        return false;
    }
    *s = (struct ArrowSchema){ .format = format_of(f->type),
                               .name = own.data + name,
                               .metadata = name ? own.data : NULL,
                               .flags = f->whole ? 0 : ARROW_FLAG_NULLABLE,
                               .release = release_field,
                               .private_data = own.data };
    return true;
}

bool tfp_arrow_schema(struct ArrowSchema *out, const tfp_batch_column *columns, size_t count)
{
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
        if (start_field(&d->columns[i], &columns[i])) continue;
        release_schema(out);
        return false;
    }
    return true;
}
