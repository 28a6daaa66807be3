// SPDX-License-Identifier: Apache-2.0
/* outputs/data/arrow_parts.c: a table as Arrow's arrays, and its schema.
 * Columns may be moved out of a batch or a schema and released on their own, so each column owns its memory, and the struct
 * around them owns only its list of children. */
#include "outputs/data/arrow_parts.h"
#include "options/units.h"

/* ---- arrays ---- */

/* The memory of a column, ArrowArray.private_data. The validity bitmap comes first in Arrow, then values, bits or offsets, then text. */
typedef struct buffers {
    const void *in_order[3];
    uint8_t *valid; /* NULL when the column can have no nulls */
    void *values;
    tfp_buf text;
} buffers;

typedef struct batch_data {
    const void *buffers[1]; /* a struct's validity bitmap: none */
    struct ArrowArray **list, columns[];
} batch_data;

static void release_column(struct ArrowArray *a)
{
    buffers *d = a->private_data;
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

static bool start_column(struct ArrowArray *a, const tfp_table_column *f, size_t rows)
{
    buffers *d = calloc(1, sizeof *d);
    if (!d) return false;
    *a = (struct ArrowArray){ .n_buffers = f->type == TFP_CELL_TEXT ? 3 : 2,
                              .buffers = d->in_order,
                              .release = release_column,
                              .private_data = d };
    d->values = calloc(1, bytes_of_values(f->type, rows));
    if (!f->whole) d->valid = calloc(1, bytes_of_bits(rows));
    return d->values && (d->valid || f->whole);
}

/* An array with room for that many rows, of which it has none yet. On failure a partial array remains, and must be released. */
static bool start(struct ArrowArray *a, const tfp_arrow_rows *t, size_t rows)
{
    size_t count = t->column_count;
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
        if (!start_column(&d->columns[i], &t->columns[i], rows)) return false;
    return true;
}

static void set_bit(uint8_t *bits, size_t i) { bits[i / 8] |= (uint8_t)(1u << i % 8); }

static void add_number(struct ArrowArray *a, const tfp_table_column *c, tfp_cells *cells, size_t row)
{
    buffers *d = a->private_data;
    size_t at = (size_t)a->length++;
    tfp_cell cell = { 0 };
    if (!tfp_cell_at(cells, c, (uint32_t)row, &cell)) {
        a->null_count++;
        return;
    }
    if (d->valid) set_bit(d->valid, at);
    switch (c->type) {
    case TFP_CELL_REAL: ((double *)d->values)[at] = cell.real; break;
    case TFP_CELL_DATE: ((int32_t *)d->values)[at] = (int32_t)cell.number; break;
    case TFP_CELL_BOOL:
        if (cell.number) set_bit(d->values, at);
        break;
    default: ((int64_t *)d->values)[at] = cell.number;
    }
}

static tfp_status add_text(struct ArrowArray *a, const tfp_table_column *c, tfp_cells *cells, size_t row,
                           tfp_error *err)
{
    buffers *d = a->private_data;
    size_t at = (size_t)a->length++;
    if (!tfp_cell_at(cells, c, (uint32_t)row, &(tfp_cell){ .text = &d->text }))
        a->null_count++;
    else if (d->valid)
        set_bit(d->valid, at);
    if (d->text.failed) return tfp_nomem(err);
    if (d->text.size > INT32_MAX)
        return tfp_fail(err, TFP_LIMIT, "row %zu: the text of column %s is too long for Arrow", row, c->name);
    ((int32_t *)d->values)[at + 1] = (int32_t)d->text.size;
    return TFP_OK;
}

/* Fills in the texts of rows from `row` on until the array is full. Texts come first because they decide its length. */
static tfp_status fill_texts(tfp_arrow_rows *t, struct ArrowArray *out, size_t row, size_t rows, tfp_error *err)
{
    bool full = false;
    for (; (size_t)out->length < rows && !full; row++, out->length++) {
        for (size_t i = 0; i < t->column_count; i++) {
            if (t->columns[i].type != TFP_CELL_TEXT) continue;
            tfp_status s = add_text(out->children[i], &t->columns[i], &t->cells, row, err);
            if (s) return s;
            full |= ((buffers *)out->children[i]->private_data)->text.size >= t->text_most;
        }
    }
    return TFP_OK;
}

/* Column by column: columns lie far apart, and a row's numbers would evict one another from the cache. */
static void fill_numbers(tfp_arrow_rows *t, struct ArrowArray *out, size_t row)
{
    for (size_t i = 0; i < t->column_count; i++) {
        struct ArrowArray *a = out->children[i];
        while (a->length < out->length) add_number(a, &t->columns[i], &t->cells, row + (size_t)a->length);
    }
}

static void end_column(struct ArrowArray *a)
{
    buffers *d = a->private_data;
    d->in_order[0] = a->null_count ? d->valid : NULL;
    d->in_order[1] = d->values;
    d->in_order[2] = d->text.data ? d->text.data : ""; /* some readers reject NULL, even for zero bytes */
}

tfp_status tfp_arrow_next(tfp_arrow_rows *t, size_t *row, struct ArrowArray *out, tfp_error *err)
{
    size_t rows = t->row_count - *row < t->rows_most ? t->row_count - *row : t->rows_most;
    *out = (struct ArrowArray){ 0 };
    tfp_status s = start(out, t, rows) ? TFP_OK : tfp_nomem(err);
    if (!s) s = fill_texts(t, out, *row, rows, err);
    if (s && out->release) out->release(out);
    if (s) return s;
    fill_numbers(t, out, *row);
    for (size_t i = 0; i < t->column_count; i++) end_column(out->children[i]);
    *row += (size_t)out->length;
    return TFP_OK;
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
static bool start_field(struct ArrowSchema *s, const tfp_table_column *f)
{
    tfp_buf own = { 0 };
    if (f->type != TFP_CELL_TEXT && f->unit != TFP_LABEL) put_unit(&own, tfp_unit_name(f->unit));
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

bool tfp_arrow_schema(struct ArrowSchema *out, const tfp_table_column *columns, size_t count)
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
