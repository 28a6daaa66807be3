// SPDX-License-Identifier: Apache-2.0
/* outputs/data/arrow_batch.c: rows of a batch as an array of the Arrow C data interface. */
#include "outputs/data/arrow_batch.h"

/* How many rows from `row` on fit, by the size of their texts. */
static size_t rows_that_fit(const tfp_batch *b, size_t row, size_t rows_most, size_t text_most)
{
    size_t count = b->row_count - row < rows_most ? b->row_count - row : rows_most;
    for (size_t c = 0; c < b->column_count; c++) {
        const tfp_batch_column *x = &b->columns[c];
        size_t text = 0;
        for (size_t i = 0; x->type == TFP_CELL_TEXT && i < count; i++) {
            if (!x->absent[row + i]) text += tfp_cell_text(b, x->cells[row + i]).size;
            if (text >= text_most) count = i + 1;
        }
    }
    return count;
}

static void put_number(tfp_arrow_column *d, tfp_cell_type type, size_t at, uint64_t cell)
{
    if (type == TFP_CELL_BOOL && cell)
        tfp_arrow_set_bit(d->values, at);
    else if (type == TFP_CELL_DATE)
        ((int32_t *)d->values)[at] = (int32_t)(int64_t)cell;
    else if (type != TFP_CELL_BOOL)
        ((uint64_t *)d->values)[at] = cell; /* a double has the same bits */
}

static tfp_status put_text(const tfp_batch_column *c, tfp_arrow_column *d, size_t at, tfp_str text, tfp_error *err)
{
    tfp_buf_str(&d->text, text);
    if (d->text.failed) return tfp_nomem(err);
    if (d->text.size > INT32_MAX) return tfp_fail(err, TFP_LIMIT, "a text of column %s is too long for Arrow", c->name);
    ((int32_t *)d->values)[at + 1] = (int32_t)d->text.size;
    return TFP_OK;
}

static tfp_status copy_column(const tfp_batch *b, const tfp_batch_column *c, size_t row, size_t count,
                              struct ArrowArray *a, tfp_error *err)
{
    tfp_arrow_column *d = a->private_data;
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < count && !s; i++) {
        bool absent = c->absent[row + i] != 0;
        uint64_t cell = absent ? 0 : c->cells[row + i];
        a->null_count += absent;
        if (!absent && d->valid) tfp_arrow_set_bit(d->valid, i);
        if (c->type == TFP_CELL_TEXT)
            s = put_text(c, d, i, absent ? TFP_STR("") : tfp_cell_text(b, cell), err);
        else
            put_number(d, c->type, i, cell);
    }
    a->length = (int64_t)count;
    tfp_arrow_end_column(a);
    return s;
}

tfp_status tfp_arrow_of_batch(const tfp_batch *b, size_t *row, size_t rows_most, size_t text_most,
                              struct ArrowArray *out, tfp_error *err)
{
    size_t count = rows_that_fit(b, *row, rows_most, text_most);
    *out = (struct ArrowArray){ 0 };
    tfp_status s = tfp_arrow_start(out, b->columns, b->column_count, count) ? TFP_OK : tfp_nomem(err);
    for (size_t c = 0; c < b->column_count && !s; c++)
        s = copy_column(b, &b->columns[c], *row, count, out->children[c], err);
    if (s && out->release) out->release(out);
    if (s) return s;
    out->length = (int64_t)count;
    *row += count;
    return TFP_OK;
}
