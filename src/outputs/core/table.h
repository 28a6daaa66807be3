// SPDX-License-Identifier: Apache-2.0
/* outputs/core/table.h: a report as a flat table: one description of its columns and one way to read a cell, for CSV, Arrow
 * and the functions that return single cells. The rows are the report's, or the findings of advise. */
#ifndef TFP_TABLE_H
#define TFP_TABLE_H

#include "options/columns.h"
#include "outputs/core/labels.h"
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

/* Column `i` of those that the options select, in order; false past the end. `typed` as in TFP_SHOWN_TYPED. */
bool tfp_table_column_at(const tfp_report *r, bool typed, size_t i, tfp_table_column *out);
bool tfp_table_columns(const tfp_report *r, bool typed, tfp_column_vec *out); /* all of them; false without memory */
/* Any column that such a report can have, selected or not; false when there is none of that name. */
bool tfp_table_find(const tfp_report *r, const char *name, tfp_table_column *out);
size_t tfp_table_rows(const tfp_report *r);

/* Reads any cell of the table; false: absent. */
bool tfp_cell_at(tfp_cells *cells, const tfp_table_column *c, uint32_t row, tfp_cell *out);

#endif
