// SPDX-License-Identifier: Apache-2.0
/* outputs/grid_fit.h: the columns of a grid as text: how wide each is, and at a terminal for which there is room. */
#ifndef TFP_GRID_FIT_H
#define TFP_GRID_FIT_H

#include "outputs/table.h"

enum { TFP_GRID_GAP = 2 }; /* between columns */

/* How much a column has to say; those that say least are left out first. */
typedef enum tfp_said { TFP_NOTHING, TFP_ZEROS, TFP_SOMETHING } tfp_said;

typedef struct tfp_grid_width {
    size_t width;
    tfp_said said;
    bool left_out;
    size_t told; /* of a text that goes on below: the bytes that are written */
} tfp_grid_width;

typedef struct tfp_grid_lines {
    const tfp_report *r;
    const tfp_grid *g;
    size_t rows;
    tfp_flats columns;  /* in a tree the names come first; only those that are shown */
    tfp_grid_width *of; /* each column */
    tfp_cells cells;
    tfp_buf cell;
    tfp_buf left_out; /* names of columns for which there is no room, after commas */
    size_t bar;       /* at a terminal: the column of shares that bars stand behind; past the last: none */
    bool cut;         /* texts are cut to their columns */
    bool wrap;        /* texts end between words instead, and go on below */
    bool below;       /* of two columns, each has a line of its own */
} tfp_grid_lines;

/* The first `rows` rows of a grid. On failure, which is one of memory, the lines are empty. */
tfp_status tfp_grid_lines_start(const tfp_report *r, const tfp_grid *g, size_t rows, tfp_grid_lines *out,
                                tfp_error *err);
void tfp_grid_lines_free(tfp_grid_lines *w);

void tfp_grid_lines_cell(tfp_grid_lines *w, size_t column, uint32_t row); /* its text becomes w->cell */

#endif
