// SPDX-License-Identifier: Apache-2.0
/* outputs/data/report_batch.c: the flat table of a report as batches. */
#include "views/core/table.h"
#include "outputs/data/batch.h"

tfp_status tfp_batch_of_report(tfp_batch *b, const tfp_report *r, tfp_texts *texts, tfp_error *err)
{
    tfp_column_vec columns = { 0 };
    *b = (tfp_batch){ 0 };
    bool ok = tfp_table_columns(r, true, &columns) && tfp_batch_start(b, columns.at, columns.size, texts);
    tfp_vec_free(&columns);
    return ok ? TFP_OK : tfp_nomem(err);
}

static void put_cell(tfp_batch *b, const tfp_table_column *f, tfp_cells *cells, uint32_t row, tfp_buf *text)
{
    tfp_cell cell = { .text = text };
    text->size = 0;
    if (!tfp_cell_at(cells, f, row, &cell))
        tfp_batch_none(b);
    else if (f->type == TFP_CELL_TEXT)
        tfp_batch_text(b, (tfp_str){ text->data ? text->data : "", text->size });
    else if (f->type == TFP_CELL_REAL)
        tfp_batch_real(b, cell.real);
    else
        tfp_batch_int(b, cell.number);
    b->failed |= text->failed;
}

tfp_status tfp_batch_fill(tfp_batch *b, const tfp_report *r, uint32_t *row, size_t most, tfp_error *err)
{
    tfp_column_vec columns = { 0 };
    tfp_cells cells = tfp_cells_of(r);
    tfp_buf text = { 0 };
    size_t count = tfp_table_of(r)->row_count;
    bool ok = tfp_table_columns(r, true, &columns);
    for (size_t n = 0; n < most && *row < count && ok; n++, ++*row) {
        for (size_t i = 0; i < columns.size; i++) put_cell(b, &columns.at[i], &cells, *row, &text);
        ok = !b->failed;
    }
    tfp_buf_free(&text);
    tfp_cells_free(&cells);
    tfp_vec_free(&columns);
    return ok ? TFP_OK : tfp_nomem(err);
}
