// SPDX-License-Identifier: Apache-2.0
/* outputs/text/grid_cells.c: the cells of a grid as texts, and which columns are shown. */
#include "outputs/text/grid_fit.h"
#include "outputs/text/grid_text.h"

bool tfp_grid_columns(const tfp_grid *g, tfp_column_vec *out)
{
    for (size_t i = 0; i < g->columns.size; i++)
        if (!g->columns.at[i].programs && !tfp_push(out, g->columns.at[i])) return false;
    return true;
}

void tfp_grid_cell(const tfp_table_column *c, tfp_cells *cells, uint32_t row, tfp_buf *out)
{
    tfp_cell cell = { .text = out };
    if (c->shorts && !tfp_cell_absent(c, row))
        tfp_escape(out, c->shorts[row]);
    else if (!tfp_cell_at(cells, c, row, &cell) || c->type == TFP_CELL_TEXT)
        return;
    else if (c->type == TFP_CELL_REAL)
        tfp_format_real(out, c->unit, cell.real);
    else if (c->type == TFP_CELL_BOOL)
        tfp_buf_text(out, cell.number ? "yes" : "no");
    else if (c->unit == TFP_LABEL || cell.number == INT64_MIN)
        tfp_buf_int(out, cell.number);
    else
        tfp_format_amount(out, c->unit, cell.number);
}

void tfp_grid_head(const tfp_table_column *c, tfp_buf *out) { tfp_head_put(out, c->name, c->unit); }
