// SPDX-License-Identifier: Apache-2.0
/* views/core/table.h: every report as a table: the rows of a tree with their place and the numbers of -select, the findings of
 * advise, or a grid's own columns; and the one way to read a cell. */
#ifndef TFP_TABLE_H
#define TFP_TABLE_H

#include "options/columns.h"
#include "views/core/labels.h"
#include "views/core/grid.h"

/* State kept between cells, so that a table of many rows does not allocate for each. */
struct tfp_cells {
    const tfp_report *r;
    tfp_labels labels;
    const tfp_strtab *texts; /* of a batch; its texts are appended as they are */
};
static inline tfp_cells tfp_cells_of(const tfp_report *r) { return (tfp_cells){ .r = r }; }
static inline void tfp_cells_free(tfp_cells *c) { tfp_vec_free(&c->labels); }

/* Values of tfp_table_column.select besides the columns of -select: they say when the column is in the table. */
enum {
    TFP_SHOWN_ALWAYS = -1,
    TFP_SHOWN_TYPED = -2, /* only in tables with typed cells; not in CSV, whose columns must not change */
    TFP_SHOWN_ASKED = -3  /* in no table, but available by name */
};

/* Makes the columns of a tree or of findings, whether -select has them or not: the report's grid has them then, with the number
 * of rows. False: out of memory. */
bool tfp_table_make(tfp_report *r);

/* The columns that the options select, in order; false: out of memory. `typed` as in TFP_SHOWN_TYPED. */
bool tfp_table_columns(const tfp_report *r, bool typed, tfp_column_vec *out);
/* The name of column `i` of these, not typed; NULL past the end. */
const char *tfp_table_name(const tfp_report *r, size_t i);
/* Any column of the table, selected or not; NULL: none has that name. */
const tfp_table_column *tfp_table_find(const tfp_report *r, const char *name);

/* Reads any cell of the table; false: absent. */
bool tfp_cell_at(tfp_cells *cells, const tfp_table_column *c, uint32_t row, tfp_cell *out);

#endif
