// SPDX-License-Identifier: Apache-2.0
/* outputs/text/grid_text.h: a grid as text for people. */
#ifndef TFP_GRID_TEXT_H
#define TFP_GRID_TEXT_H

#include "base/io.h"
#include "views/core/table.h"

/* A cell with its unit, as everywhere: 1.50 ms, 1.23 MB; yes and no; empty when absent. */
void tfp_grid_cell(const tfp_table_column *c, tfp_cells *cells, uint32_t row, tfp_buf *out);

/* The head of a column for people (tfp_head_put). */
void tfp_grid_head(const tfp_table_column *f, tfp_buf *out);

/* The grid's own columns, without those that every tree of rows has. */
bool tfp_grid_columns(const tfp_grid *g, tfp_column_vec *out); /* false without memory */
size_t tfp_grid_few(const tfp_grid *g);                        /* number of rows in texts */
void tfp_fact_value(const tfp_fact *f, tfp_buf *out);          /* with its unit; escaped */

tfp_status tfp_grid_text(const tfp_report *r, tfp_sink *s, tfp_error *err);

#endif
