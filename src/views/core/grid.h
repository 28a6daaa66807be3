// SPDX-License-Identifier: Apache-2.0
/* views/core/grid.h: tables of row structs: a table is an array of structs and one list of columns: name, type, unit, where in
 * the struct, what it means. The list is all that a new table writes; every output reads the grid that is made of it. */
#ifndef TFP_GRID_H
#define TFP_GRID_H

#include "base/base.h"
#include "options/units.h"

#include <stddef.h>

/* A column of a grid: a cell a row. Everything stands in the report's arena. */
typedef struct tfp_grid_column {
    const char *name; /* CSV header, JSON key */
    char type;        /* 'i' int64, 'b' bool (ints of 0 and 1), 'r' real, 's' text */
    tfp_unit unit;    /* of numbers; TFP_LABEL: none */
    int64_t *ints;    /* the one array that the type asks for */
    double *reals;
    tfp_str *texts;   /* raw; outputs escape them */
    tfp_str *shorts;  /* of names of kernels: what people see instead (names/names.h); NULL: the texts */
    uint8_t *absent;  /* a flag a row; NULL: no cell is absent */
    const char *help; /* NULL: none */
    bool programs;    /* for programs only: people do not see it */
} tfp_grid_column;

typedef struct tfp_grid {
    TFP_VEC(tfp_grid_column) columns;
    size_t row_count;
    size_t few;       /* as many rows people see, if not 0; programs see all */
    bool keeps_order; /* a value of -order_by that the views have too orders what the rows are made of */
    bool tree;        /* the report's rows[], one for each, tell name, parent and depth; columns come after these */
    bool sentences;   /* its texts are sentences or commands, which people get whole */
} tfp_grid;

/* The column of that name; NULL when there is none. */
static inline const tfp_grid_column *tfp_grid_find(const tfp_grid *g, const char *name)
{
    for (size_t i = 0; i < g->columns.size; i++)
        if (strcmp(g->columns.at[i].name, name) == 0) return &g->columns.at[i];
    return NULL;
}

/* A part of a grid's report behind its own table, with a title; and facts before it, each a line. */
typedef struct tfp_report_part {
    const char *name, *title; /* JSON key; heading */
    tfp_grid grid;
    bool leads; /* stands before the report's own table */
} tfp_report_part;

typedef struct tfp_fact {
    const char *name, *label; /* JSON key; what people read */
    char type;                /* 'i', 'r', 's' */
    tfp_unit unit;
    int64_t number;
    double real;
    tfp_str text; /* raw */
    bool absent;
    tfp_str more; /* behind the value, for people; raw */
} tfp_fact;

/* A fact for its caller to fill; NULL without memory. The pointer is good until the next one. */
tfp_fact *tfp_fact_add(tfp_report *r, const char *name, const char *label, char type, tfp_unit unit);

typedef enum tfp_row_type {
    TFP_T_INT, /* int64_t; TFP_ABSENT: absent */
    TFP_T_NANO, /* int64_t nanoseconds, told as microseconds: whole ones where the profile has no finer times (tfp_fine_times),
                 else with up to three decimals; TFP_ABSENT: absent */
    TFP_T_REAL, /* double; NAN: absent */
    TFP_T_TEXT, /* tfp_str; without data: absent */
    TFP_T_BOOL  /* bool */
} tfp_row_type;

#define TFP_ABSENT (INT64_MIN + 1) /* odd, because products that overflow as TensorFlow's do are even: no value is taken for absent */

typedef struct tfp_row_column {
    const char *name;
    tfp_row_type type;
    tfp_unit unit;
    size_t offset; /* in the row's struct */
    const char *help;
    unsigned only; /* a bit of `shown` below; 0: always there */
    bool whole;    /* no cell is ever absent, and formats that ask for it are told so */
    bool kernels;  /* names of kernels, which people see short */
    bool programs; /* for programs only: people see the same in another column */
} tfp_row_column;

/* A row of the list: COLUMN(row, "count", INT, NUMBER, count, "how many") */
#define TFP_COLUMN_OF(row, name, type, unit, field, help, bit, whole)                                                  \
    {                                                                                                                  \
        name, TFP_T_##type, TFP_##unit, offsetof(row, field), help, bit, whole, false, false                                \
    }
#define TFP_COLUMN(row, name, type, unit, field, help) TFP_COLUMN_OF(row, name, type, unit, field, help, 0, false)
#define TFP_COLUMN_ONLY(row, name, type, unit, field, help, bit)                                                       \
    TFP_COLUMN_OF(row, name, type, unit, field, help, bit, false)
#define TFP_COLUMN_WHOLE(row, name, type, unit, field, help) TFP_COLUMN_OF(row, name, type, unit, field, help, 0, true)

/* A column of names of kernels. */
#define TFP_COLUMN_KERNELS(row, name, field, help)                                                                     \
    {                                                                                                                  \
        name, TFP_T_TEXT, TFP_LABEL, offsetof(row, field), help, 0, false, true, false                                 \
    }
/* A text for programs only. */
#define TFP_COLUMN_PROGRAMS(row, name, field, help, bit)                                                               \
    {                                                                                                                  \
        name, TFP_T_TEXT, TFP_LABEL, offsetof(row, field), help, bit, false, false, true                               \
    }

/* A copy of an array of rows in the arena, in the order that `less` gives; rows that it holds equal keep theirs. less(rows, a,
 * b) is of places in `rows`. NULL without memory. */
void *tfp_rows_sorted(tfp_arena *arena, const void *rows, size_t row_size, size_t count,
                      bool (*less)(const void *rows, uint32_t a, uint32_t b));

typedef struct tfp_row_table {
    const tfp_row_column *columns; /* ended by a NULL name */
    const void *rows;
    size_t row_size, row_count;
    unsigned shown; /* bits: which of the columns with `only` are there */
} tfp_row_table;

/* Makes the report's grid of it, or a grid of its parts; texts are borrowed and must live as long as the report. */
tfp_status tfp_grid_of(tfp_report *r, const tfp_row_table *t, tfp_error *err);
tfp_status tfp_grid_fill(tfp_report *r, tfp_grid *g, const tfp_row_table *t, tfp_error *err);

/* An empty grid as a part of the report, a table behind its own; to be filled before the next part is added. NULL without
 * memory. */
tfp_grid *tfp_grid_part_add(tfp_report *r, const char *name, const char *title);
/* Adds a part made of rows. People see `few` of them, if that is not 0. */
tfp_status tfp_grid_part(tfp_report *r, const char *name, const char *title, const tfp_row_table *t, size_t few,
                         tfp_error *err);

/* Columns that depend on the question: those of a struct inside the row, once for each of several subjects, such as
 * the columns of -select. */
typedef struct tfp_row_group {
    const tfp_row_column *columns; /* ended by a NULL name */
    size_t offset;                 /* offset of the struct in the row */
    const char *subject; /* the names are SUBJECT_NAME, that of a column named "" is SUBJECT; NULL: no subject */
    tfp_unit unit;       /* the subject's unit: for its columns in TFP_NUMBER */
    unsigned shown;      /* as in tfp_row_table */
    bool whole;          /* none of its cells is ever absent */
} tfp_row_group;
typedef TFP_VEC(tfp_row_column) tfp_row_columns;

/* Adds a group's columns to a list; their names stand in the report's arena. False without memory. */
bool tfp_row_columns_add(tfp_row_columns *list, tfp_report *r, const tfp_row_group *group);
/* The report's grid of such a list. */
tfp_status tfp_grid_of_list(tfp_report *r, tfp_row_columns *list, const void *rows, size_t row_size, size_t row_count,
                            tfp_error *err);

/* Sorts the report's grid as -order_by asks and cuts it as -top says. Every maker of a table calls it once, in the end;
 * views have it from views/files/build.c. Errors: TFP_BADARG no such column; TFP_NOMEM. */
tfp_status tfp_grid_arrange(tfp_report *r, tfp_error *err);

#endif
