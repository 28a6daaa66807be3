// SPDX-License-Identifier: Apache-2.0
/* options/cells.h: a column of a table: its name, type, unit and meaning, and its cells. It describes every table: rows of a
 * view's structs (views/core/grid.h), the answer of a query, rows of a tree (views/core/table.h). */
#ifndef TFP_CELLS_H
#define TFP_CELLS_H

#include "base/base.h"

#include <stddef.h>

typedef enum tfp_unit {
    TFP_MICROS,
    TFP_SIZE,
    TFP_NUMBER,
    TFP_LABEL,
    TFP_SHARE,
    TFP_PERCENT
} tfp_unit; /* TFP_LABEL: none; TFP_SHARE: 1 is the whole; TFP_PERCENT: 100 is */

/* The letters of the first four are those of tfp_report_column_type. */
typedef enum tfp_cell_type {
    TFP_CELL_INT = 'i',  /* int64_t; in a struct TFP_ABSENT is absent */
    TFP_CELL_BOOL = 'b', /* an int64_t of 0 or 1; in a struct bool */
    TFP_CELL_REAL = 'r', /* double; in a struct NAN is absent */
    TFP_CELL_TEXT = 's', /* tfp_str; in a struct one without data is absent */
    /* In a struct only: int64_t nanoseconds, TFP_ABSENT is absent. Shown as microseconds: whole ones (INT) unless the
     * profile has finer times (tfp_fine_times), then with up to three decimals (REAL). */
    TFP_CELL_NANO = 'n',
    TFP_CELL_DATE = 'd', /* days since 1970-01-01 */
    TFP_CELL_TIME = 't'  /* microseconds since 1970-01-01T00:00:00Z */
} tfp_cell_type;

/* An odd number: products that overflow as in TensorFlow are even, so no value is mistaken for absent. */
#define TFP_ABSENT (INT64_MIN + 1)

typedef struct tfp_cell { /* the member for the column's type is set */
    int64_t number;
    double real;
    tfp_buf *text; /* appended, escaped; without memory it fails */
} tfp_cell;

typedef struct tfp_cells tfp_cells; /* views/core/table.h: the state of a reader of cells */
typedef struct tfp_table_column tfp_table_column;
typedef TFP_VEC(tfp_table_column) tfp_column_vec;
struct tfp_table_column {
    const char *name;
    tfp_cell_type type;
    tfp_unit unit;    /* of numbers */
    size_t offset;    /* of the field in the struct of a row */
    const char *help; /* NULL: none */
    unsigned only;    /* in a list of columns: the bit of tfp_row_table.shown with which it is there; 0: always */
    bool whole;       /* no cell is ever absent, and formats with such a property state it */
    bool kernels;     /* names of kernels, which people see shortened */
    bool programs;    /* shown only to programs: people see the same in another column */
    /* The cells of all rows: the array for the type; the others are NULL. */
    int64_t *ints;
    double *reals;
    tfp_str *texts; /* unescaped; outputs escape them */
    uint64_t
        *cells; /* in a batch (outputs/data/batch.h), any type: a number, the bits of a double, the number of a text */
    tfp_str *shorts; /* for names of kernels: the short names that people see (names/names.h); NULL: the texts */
    uint8_t *absent; /* a flag per row; NULL: no cell is absent */
    /* Or a function that makes them from a report's row; false: absent. */
    bool (*read)(tfp_cells *cells, const tfp_table_column *c, uint32_t row, tfp_cell *out);
    int select; /* the column of -select (tfp_column_id) with which it is shown, or one of views/core/table.h */
    int value;  /* the tfp_value that it reads */
};

/* Gives the column an array for that many cells, none absent so far. False: out of memory. */
bool tfp_column_room(tfp_table_column *c, tfp_arena *arena, size_t rows);

/* ---- cells in arrays ---- */
static inline bool tfp_cell_absent(const tfp_table_column *c, size_t row) { return c->absent && c->absent[row]; }
/* A number of any type as a real; false: absent, or a text. */
static inline bool tfp_cell_real_at(const tfp_table_column *c, size_t row, double *out)
{
    if (c->type == TFP_CELL_TEXT || tfp_cell_absent(c, row)) return false;
    *out = c->type == TFP_CELL_REAL ? c->reals[row] : (double)c->ints[row];
    return true;
}

#endif
