// SPDX-License-Identifier: Apache-2.0
/* outputs/text/grid_fit.h: the columns of a grid as text: their widths, and which of them fit a terminal. */
#ifndef TFP_GRID_FIT_H
#define TFP_GRID_FIT_H

#include "views/core/table.h"

enum { TFP_GRID_GAP = 2 }; /* between columns */

/* How much information a column has; those with the least are left out first. */
typedef enum tfp_said { TFP_NOTHING, TFP_ZEROS, TFP_SOMETHING } tfp_said;

typedef struct tfp_grid_width {
    size_t width;
    tfp_said said;
    bool left_out;
    size_t told; /* bytes already written of a text that continues below */
} tfp_grid_width;

typedef struct tfp_grid_lines {
    const tfp_report *r;
    const tfp_grid *g;
    size_t rows;
    tfp_column_vec columns; /* the shown columns; in a tree the names come first */
    tfp_grid_width *of;     /* each column */
    tfp_cells cells;
    tfp_buf cell;
    tfp_buf left_out; /* names of the columns left out, each after a comma */
    size_t bar;       /* at a terminal: the column of shares that has bars; past the last: none */
    bool cut;         /* texts are cut to their columns */
    bool wrap;        /* texts wrap between words instead */
    bool below;       /* the two columns have a line each */
} tfp_grid_lines;

/* Prepares the first `rows` rows of a grid. When memory runs out the lines are empty. */
tfp_status tfp_grid_lines_start(const tfp_report *r, const tfp_grid *g, size_t rows, tfp_grid_lines *out,
                                tfp_error *err);
void tfp_grid_lines_free(tfp_grid_lines *w);

void tfp_grid_lines_cell(tfp_grid_lines *w, size_t column, uint32_t row); /* its text becomes w->cell */

#endif
