// SPDX-License-Identifier: Apache-2.0
/* outputs/core/table.h: a report as a flat table: one description of its columns and one way to read a cell, for CSV, Arrow
 * and the functions that return single cells. The rows are the report's, or the findings of advise. */
#ifndef TFP_TABLE_H
#define TFP_TABLE_H

#include "options/columns.h"
#include "outputs/core/labels.h"
#include "views/core/grid.h"

/* State kept between cells, so that a table of many rows does not allocate for each. */
typedef struct tfp_cells {
    const tfp_report *r;
    tfp_labels labels;
} tfp_cells;
static inline tfp_cells tfp_cells_of(const tfp_report *r) { return (tfp_cells){ .r = r }; }
static inline void tfp_cells_free(tfp_cells *c) { tfp_vec_free(&c->labels); }

/* Values of tfp_flat.column beside the number of a column: they say when the column is in the table. */
enum {
    TFP_FLAT_ALWAYS = -1,
    TFP_FLAT_TYPED = -2, /* only in tables with typed cells; not in CSV, whose columns must not change */
    TFP_FLAT_ASKED = -3  /* in no table, but available by name */
};

typedef struct tfp_flat tfp_flat;
struct tfp_flat {
    const char *name;
    char type;      /* 'i' int64, 'b' bool (0 or 1), 'r' real, 's' text */
    bool null;      /* cells may be absent */
    int column;     /* the tfp_column_id with which it is shown, or one of the above */
    tfp_value from; /* for number */
    bool (*number)(const tfp_report *r, uint32_t row, tfp_value from, int64_t *out); /* false: absent */
    bool (*real)(const tfp_report *r, uint32_t row, const tfp_flat *f, double *out); /* false: absent */
    void (*text)(tfp_cells *c, uint32_t row, tfp_buf *out); /* appends, escaped; without memory out fails */
    const tfp_grid_column *grid; /* a column that the report's grid defines; replaces the three functions */
};

/* Column `i` of those that the options select, in order; false past the end. `typed` as in TFP_FLAT_TYPED. */
bool tfp_table_column(const tfp_report *r, bool typed, size_t i, tfp_flat *out);
typedef TFP_VEC(tfp_flat) tfp_flats;
bool tfp_table_columns(const tfp_report *r, bool typed, tfp_flats *out); /* all of them; false without memory */
/* Any column that such a report can have, selected or not; false when there is none of that name. */
bool tfp_table_find(const tfp_report *r, const char *name, tfp_flat *out);
tfp_flat tfp_flat_of(const tfp_grid_column *c); /* for a column that the grid defines */
size_t tfp_table_rows(const tfp_report *r);
tfp_unit tfp_flat_unit(const tfp_flat *f); /* TFP_LABEL when it has none */

/* Cells, by the type of the column; false: absent. */
bool tfp_flat_int(const tfp_flat *f, const tfp_report *r, uint32_t row, int64_t *out); /* 'i', 'b' */
bool tfp_flat_real(const tfp_flat *f, const tfp_report *r, uint32_t row, double *out); /* 'r' */
bool tfp_flat_text(const tfp_flat *f, tfp_cells *c, uint32_t row, tfp_buf *out);       /* 's'; appended, escaped */

#endif
