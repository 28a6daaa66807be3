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

static void put_number(tfp_cell_type type, tfp_unit unit, const tfp_cell *cell, tfp_buf *out)
{
    if (type == TFP_CELL_REAL)
        tfp_format_real(out, unit, cell->real);
    else if (type == TFP_CELL_BOOL)
        tfp_buf_text(out, cell->number ? "yes" : "no");
    else if (unit == TFP_LABEL || cell->number == INT64_MIN)
        tfp_buf_int(out, cell->number);
    else
        tfp_format_amount(out, unit, cell->number);
}

void tfp_grid_cell(const tfp_table_column *c, tfp_cells *cells, uint32_t row, tfp_buf *out)
{
    tfp_cell cell = { .text = out };
    if (c->shorts && !tfp_cell_absent(c, row))
        tfp_escape(out, c->shorts[row]);
    else if (tfp_cell_at(cells, c, row, &cell) && c->type != TFP_CELL_TEXT)
        put_number(c->type, c->unit, &cell, out);
}

void tfp_fact_value(const tfp_fact *f, tfp_buf *out)
{
    if (f->absent)
        tfp_buf_text(out, "unknown");
    else if (f->type == TFP_CELL_TEXT)
        tfp_escape(out, f->text);
    else
        put_number(f->type, f->unit, &(tfp_cell){ .number = f->number, .real = f->real }, out);
}

void tfp_grid_head(const tfp_table_column *c, tfp_buf *out) { tfp_head_put(out, c->name, c->unit); }
