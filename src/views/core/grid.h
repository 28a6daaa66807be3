// SPDX-License-Identifier: Apache-2.0
/* views/core/grid.h: tables of row structs: a table is an array of structs and one list of columns with name, type, unit,
 * offset in the struct, and meaning. A new table needs only this list; every output reads the grid that is made of it. */
#ifndef TFP_GRID_H
#define TFP_GRID_H

#include "options/units.h"

typedef struct tfp_grid {
    tfp_column_vec columns; /* their cells are in the report's arena */
    size_t row_count;
    size_t few; /* how many rows people see; 0: all; programs see all */
    /* -order_by has a value that the views know too, and that ordered the rows from which these are made */
    bool keeps_order;
    bool tree; /* the report's rows[] (one for each) give name, parent and depth; the columns come after these */
    const char
        *key; /* the report's own table: its name in JSON, where people see its rows in parts; NULL: columns and rows */
    bool sentences; /* its texts are sentences or commands, which are not shortened for people */
} tfp_grid;

/* The column with that name; NULL: none. */
static inline const tfp_table_column *tfp_grid_find(const tfp_grid *g, const char *name)
{
    for (size_t i = 0; i < g->columns.size; i++)
        if (strcmp(g->columns.at[i].name, name) == 0) return &g->columns.at[i];
    return NULL;
}

/* A further table of a grid's report with a title; and facts above it, one line each. */
typedef struct tfp_report_part {
    const char *name, *title; /* name: JSON key; title: heading */
    tfp_grid grid;
    bool leads;                                                       /* shown before the report's own table */
    enum { TFP_PART_ALL, TFP_PART_PROGRAMS, TFP_PART_PEOPLE } reader; /* who gets it */
} tfp_report_part;

typedef struct tfp_fact {
    const char *name, *label; /* name: JSON key; label: for people */
    tfp_cell_type type;       /* INT, REAL, TEXT; BOOL for programs only: without a label */
    tfp_unit unit;
    int64_t number;
    double real;
    tfp_str text; /* unescaped */
    bool absent;
    tfp_str more; /* text after the value, for people; unescaped */
} tfp_fact;

/* Adds a fact for the caller to fill; NULL: out of memory. The pointer is valid until the next one is added. */
tfp_fact *tfp_fact_add(tfp_report *r, const char *name, const char *label, tfp_cell_type type, tfp_unit unit);
/* Add one with its value; false: out of memory. */
bool tfp_fact_int(tfp_report *r, const char *name, const char *label, tfp_unit unit,
                  int64_t n); /* TFP_ABSENT: absent */
bool tfp_fact_real(tfp_report *r, const char *name, const char *label, tfp_unit unit, double x); /* NAN: absent */
bool tfp_fact_share(tfp_report *r, const char *name, const char *label, double over,
                    double under);                                                    /* under 0: absent */
bool tfp_fact_text(tfp_report *r, const char *name, const char *label, tfp_str text); /* without data: absent */
bool tfp_fact_buf(tfp_report *r, const char *name, const char *label, tfp_buf *text); /* frees the buffer */
tfp_fact *tfp_fact_last(tfp_report *r);                                               /* of a report that has one */

/* A row of the list: COLUMN(row, "count", INT, NUMBER, count, "how many") */
#define TFP_COLUMN_OF(row, column, kind, measure, field, meaning, ...)                                                 \
    {                                                                                                                  \
        .name = column, .type = TFP_CELL_##kind, .unit = TFP_##measure, .offset = offsetof(row, field),                \
        .help = meaning, __VA_ARGS__                                                                                   \
    }
#define TFP_COLUMN(row, name, type, unit, field, help) TFP_COLUMN_OF(row, name, type, unit, field, help, .only = 0)
#define TFP_COLUMN_ONLY(row, name, type, unit, field, help, bit)                                                       \
    TFP_COLUMN_OF(row, name, type, unit, field, help, .only = bit)
#define TFP_COLUMN_WHOLE(row, name, type, unit, field, help)                                                           \
    TFP_COLUMN_OF(row, name, type, unit, field, help, .whole = true)
/* A column with names of kernels. */
#define TFP_COLUMN_KERNELS(row, name, field, help) TFP_COLUMN_OF(row, name, TEXT, LABEL, field, help, .kernels = true)
/* A text column for programs only. */
#define TFP_COLUMN_PROGRAMS(row, name, field, help, bit)                                                               \
    TFP_COLUMN_OF(row, name, TEXT, LABEL, field, help, .only = bit, .programs = true)

typedef struct tfp_row_table {
    const tfp_table_column *columns; /* ended by a NULL name */
    const void *rows;
    size_t row_size, row_count;
    unsigned shown; /* bits: which columns with `only` are present */
} tfp_row_table;

/* Makes it the report's grid, or the grid of a part; texts are borrowed and must live as long as the report. */
tfp_status tfp_grid_of(tfp_report *r, const tfp_row_table *t, tfp_error *err);
tfp_grid *tfp_table_of(const tfp_report *r); /* that grid */
tfp_status tfp_grid_fill(tfp_report *r, tfp_grid *g, const tfp_row_table *t, tfp_error *err);
/* The same for tables that are too long to hold twice: columns of t->row_count rows (t->rows is not used), then row by row from one struct. */
tfp_status tfp_grid_begin(tfp_report *r, tfp_grid *g, const tfp_row_table *t, tfp_error *err);
void tfp_grid_put(tfp_grid *g, const tfp_row_table *t, size_t row, const void *from);

/* Adds an empty grid as a part, a table after the report's own; it must be filled before the next part is added. NULL:
 * out of memory. */
tfp_grid *tfp_grid_part_add(tfp_report *r, const char *name, const char *title);
/* Adds a part made of rows. People see only `few` of them, unless that is 0. */
tfp_status tfp_grid_part(tfp_report *r, const char *name, const char *title, const tfp_row_table *t, size_t few,
                         tfp_error *err);

/* Columns that depend on the options: those of a struct inside the row, repeated for each of several subjects, such as
 * the columns of -select. */
typedef struct tfp_row_group {
    const tfp_table_column *columns; /* ended by a NULL name */
    size_t offset;                   /* offset of the struct in the row */
    const char *subject; /* the names are SUBJECT_NAME, or SUBJECT for a column named ""; NULL: no subject */
    tfp_unit unit;       /* the subject's unit, used for its columns in TFP_NUMBER */
    unsigned shown;      /* as in tfp_row_table */
    bool whole;          /* none of its cells is ever absent */
} tfp_row_group;

/* Adds a group's columns to a list; their names are in the report's arena. False: out of memory. */
bool tfp_row_columns_add(tfp_column_vec *list, tfp_report *r, const tfp_row_group *group);
/* Makes the report's grid from such a list. */
tfp_status tfp_grid_of_list(tfp_report *r, tfp_column_vec *list, const void *rows, size_t row_size, size_t row_count,
                            tfp_error *err);

/* Shows columns to programs only: their names, ended by NULL. */
void tfp_grid_for_programs(tfp_grid *g, const char *const *names);

/* Sorts the report's grid by -order_by and cuts it by -top. Whoever makes a table calls it once, at the end;
 * views/files/build.c does so for views. Errors: TFP_BADARG no such column; TFP_NOMEM. */
tfp_status tfp_grid_arrange(tfp_report *r, tfp_error *err);

#endif
