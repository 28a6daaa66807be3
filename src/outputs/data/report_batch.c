// SPDX-License-Identifier: Apache-2.0
/* outputs/data/report_batch.c: the flat table of a report as batches. */
#include "outputs/core/table.h"
#include "outputs/data/batch.h"

tfp_status tfp_batch_of_report(tfp_batch *b, const tfp_report *r, tfp_texts *texts, tfp_error *err)
{
    tfp_flats flats = { 0 };
    TFP_VEC(tfp_batch_column) columns = { 0 };
    *b = (tfp_batch){ 0 };
    bool ok = tfp_table_columns(r, true, &flats);
    for (size_t i = 0; i < flats.size && ok; i++) {
        const tfp_flat *f = &flats.at[i];
        tfp_unit unit = f->type == 's' ? TFP_LABEL : tfp_flat_unit(f);
        ok = tfp_push(&columns, ((tfp_batch_column){ .name = f->name,
                                                     .unit = unit == TFP_LABEL ? NULL : tfp_unit_name(unit),
                                                     .type = (tfp_cell_type)f->type,
                                                     .whole = !f->null }));
    }
    ok = ok && tfp_batch_start(b, columns.at, columns.size, texts);
    tfp_vec_free(&columns);
    tfp_vec_free(&flats);
    return ok ? TFP_OK : tfp_nomem(err);
}

static void put_cell(tfp_batch *b, const tfp_flat *f, tfp_cells *cells, uint32_t row, tfp_buf *text)
{
    int64_t n = 0;
    double x = 0;
    text->size = 0;
    if (f->type == 's'   ? !tfp_flat_text(f, cells, row, text)
        : f->type == 'r' ? !tfp_flat_real(f, cells->r, row, &x)
                         : !tfp_flat_int(f, cells->r, row, &n))
        tfp_batch_none(b);
    else if (f->type == 's')
        tfp_batch_text(b, (tfp_str){ text->data ? text->data : "", text->size });
    else if (f->type == 'r')
        tfp_batch_real(b, x);
    else
        tfp_batch_int(b, n);
    b->failed |= text->failed;
}

tfp_status tfp_batch_fill(tfp_batch *b, const tfp_report *r, uint32_t *row, size_t most, tfp_error *err)
{
    tfp_flats flats = { 0 };
    tfp_cells cells = tfp_cells_of(r);
    tfp_buf text = { 0 };
    size_t count = tfp_table_rows(r);
    bool ok = tfp_table_columns(r, true, &flats);
    for (size_t n = 0; n < most && *row < count && ok; n++, ++*row) {
        for (size_t i = 0; i < flats.size; i++) put_cell(b, &flats.at[i], &cells, *row, &text);
        ok = !b->failed;
    }
    tfp_buf_free(&text);
    tfp_cells_free(&cells);
    tfp_vec_free(&flats);
    return ok ? TFP_OK : tfp_nomem(err);
}
