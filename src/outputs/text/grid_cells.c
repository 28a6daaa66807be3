// SPDX-License-Identifier: Apache-2.0
/* outputs/text/grid_cells.c: the cells of a grid as texts, and which columns are shown. */
#include "outputs/text/grid_fit.h"
#include "outputs/text/grid_text.h"

static void put_int(const tfp_flat *f, int64_t n, tfp_buf *out)
{
    tfp_unit unit = tfp_flat_unit(f);
    if (f->type == 'b')
        tfp_buf_text(out, n ? "yes" : "no");
    else if (unit == TFP_LABEL || n == INT64_MIN)
        tfp_buf_int(out, n);
    else
        tfp_format_amount(out, unit, n);
}

bool tfp_grid_columns(const tfp_grid *g, tfp_flats *out)
{
    for (size_t i = 0; i < g->columns.size; i++)
        if (!g->columns.at[i].programs && !tfp_push(out, tfp_flat_of(&g->columns.at[i]))) return false;
    return true;
}

void tfp_grid_cell(const tfp_flat *f, tfp_cells *c, uint32_t row, tfp_buf *out)
{
    int64_t n;
    double x;
    if (f->type == 's' && f->grid && f->grid->shorts && !(f->grid->absent && f->grid->absent[row]))
        tfp_escape(out, f->grid->shorts[row]);
    else if (f->type == 's')
        tfp_flat_text(f, c, row, out);
    else if (f->type == 'r' && tfp_flat_real(f, c->r, row, &x))
        tfp_format_real(out, tfp_flat_unit(f), x);
    else if (tfp_flat_int(f, c->r, row, &n))
        put_int(f, n, out);
}

void tfp_grid_head(const tfp_flat *f, tfp_buf *out) { tfp_head_put(out, f->name, tfp_flat_unit(f)); }
