// SPDX-License-Identifier: Apache-2.0
/* options/columns.h: the column table: the numbers and labels that -select knows, their kinds, and the orders of
 * rows. */
#ifndef TFP_COLUMNS_H
#define TFP_COLUMNS_H

#include "base/base.h"
#include "base/ranked.h"
#include "options/units.h"

/* The numbers that a row of a report can hold, each its own and as a total. JSON and protos have them in this order. */
typedef enum tfp_value {
    TFP_V_MICROS,
    TFP_V_ACCELERATOR_MICROS,
    TFP_V_CPU_MICROS,
    TFP_V_BYTES,
    TFP_V_PEAK_BYTES,
    TFP_V_RESIDUAL_BYTES,
    TFP_V_OUTPUT_BYTES,
    TFP_V_PARAMS,
    TFP_V_FLOAT_OPS,
    TFP_V_RUNS,
    TFP_V_DEFINITIONS,
    TFP_V_FILES_COUNT, /* earlier values come from the files alone, later ones from inferred float operations */
    TFP_V_MACS = TFP_V_FILES_COUNT,
    TFP_V_BYTES_MOVED,
    TFP_V_OPS,             /* nodes, including those of called bodies */
    TFP_V_COUNTED_OPS,     /* nodes among TFP_V_OPS that have a count */
    TFP_V_TIMED_FLOAT_OPS, /* float operations of nodes that have a time */
    TFP_V_MOVED_FLOAT_OPS, /* float operations of nodes whose bytes moved are known */
    TFP_V_TRAINABLE_PARAMS,
    TFP_V_FIXED_PARAMS,
    TFP_V_SLOT_PARAMS,
    TFP_V_COUNT
} tfp_value;
static inline bool tfp_is_time(int value) { return value >= TFP_V_MICROS && value <= TFP_V_CPU_MICROS; }
#define TFP_V_KINDS                                                                                                    \
    (1u << TFP_V_TRAINABLE_PARAMS | 1u << TFP_V_FIXED_PARAMS | 1u << TFP_V_SLOT_PARAMS) /* numbers of variables */
#define TFP_V_ALL ((1u << TFP_V_FILES_COUNT) - 1) /* the values that every report can have and a proto holds */

/* The kind of a column's cells. Views and outputs each have a table by kind, with the functions that compute, add up,
 * sort and write such cells (views/core/kinds.h and the tables `of_kind` of the outputs), so none of them tests for
 * single columns. */
typedef enum tfp_column_kind {
    TFP_COLUMN_IS_LABEL,     /* text, or the name of the row itself */
    TFP_COLUMN_IS_SUM,       /* whole numbers, each of the row itself and in total with the rows below */
    TFP_COLUMN_IS_RATIO,     /* one sum divided by another: never added up */
    TFP_COLUMN_IS_STATISTIC, /* of the times of single runs, such as their median: cannot be added up */
    TFP_COLUMN_KINDS
} tfp_column_kind;

#define COLUMN(id, ...) TFP_C_##id,
typedef enum tfp_column_id {
#include "options/columns.def"
    TFP_C_COUNT /* columns that code can name; tfp_column_count is the number of all */
} tfp_column_id;
#undef COLUMN
enum { TFP_COLUMNS_MAX = 64 };

/* One number of a column under all its names. TensorFlow's field names and numbers: tfprof_output.proto. */
typedef struct tfp_number {
    tfp_value value;
    const char *own, *total;             /* CSV headers and Arrow names; NULL: no such column there */
    const char *own_field, *total_field; /* JSON keys, which are the names in GraphNodeProto; NULL: no such field */
    uint8_t graph_own, graph_total;      /* field numbers in GraphNodeProto, 0: none */
    uint8_t group_own, group_total;      /* in MultiGraphNodeProto */
} tfp_number;

/* Members `..._at` order the columns in a list; only their order counts, and 0 keeps a column out of the list. */
typedef struct tfp_column {
    const char *name;  /* in -select and -order_by */
    const char *head;  /* in tables for people, and an alias in -select and -order_by; NULL: `name` */
    const char *total; /* "total_NAME" */
    tfp_column_kind kind;
    tfp_unit unit;
    const char *help;          /* meaning and origin; also shown in the Doc line */
    const char *help_of_trace; /* the same for a trace of events; NULL: `help` */
    const char *help_of_calls; /* for the view `calls`, whose rows are spans and not operations; NULL: as for a trace */
    struct {
        const char *doc;                /* text before the colon of its line in the Doc block, as in TensorFlow */
        const char *legend, *legend_op; /* legend of its cell; legend_op: in the op and code views, NULL: the same */
        const char *suffix, *suffix_op; /* after the numbers of its cell; suffix_op: in the op view, NULL: the same */
        int tree_at, group_at;          /* places of the cell in scope and graph; in op and code */
        bool compat10;                  /* TensorFlow 1.0's form has the cell, at tree_at */
    } text;
    tfp_number numbers[2]; /* for a sum */
    uint8_t number_count;
    struct {
        tfp_value over, under;
        double times; /* factor */
    } ratio;
    double (*statistic)(
        const tfp_ranked_part *runs); /* computes it from the times of at least one run, in their unit */
    const char *field;                /* for a label: its name in GraphNodeProto and JSON; NULL: none */
    struct {                          /* for the first number */
        int at;                       /* place among the options -min_* */
        const char *option, *help;
        bool own;               /* scope and graph compare the row's own number instead of its total */
        bool listed, listed_10; /* in TensorFlow's listing; in TensorFlow 1.0's */
        uint8_t proto;          /* field number in OptionsProto, 0 without */
    } min;
    int order_at;            /* place among the values of -order_by */
    const char *sample;      /* pprof: the type of its samples; NULL: none */
    tfp_column_id brings[2]; /* columns that are shown along with this one, in the order of the Doc block */
    uint8_t brings_count;
    uint32_t needs; /* bits of tfp_value: other values that its cells use */
} tfp_column;
extern const tfp_column tfp_columns[];
extern const int tfp_column_count;
enum { TFP_STATISTICS_MAX = 16 }; /* columns of that kind */
/* statistics.c */
double tfp_max_of_runs(const tfp_ranked_part *runs), tfp_mean_of_runs(const tfp_ranked_part *runs),
    tfp_median_of_runs(const tfp_ranked_part *runs), tfp_p95_of_runs(const tfp_ranked_part *runs);
/* tfp_value of a sum's first number, -1 for the other kinds. */
static inline int tfp_value_of(const tfp_column *c) { return c->number_count ? (int)c->numbers[0].value : -1; }
static inline const char *tfp_column_help(const tfp_column *c, bool trace)
{
    return trace && c->help_of_trace ? c->help_of_trace : c->help;
}
int tfp_column_find(tfp_str name);            /* by name or head: tfp_column_id, -1 when unknown */
uint32_t tfp_column_values(tfp_column_id id); /* bits of tfp_value that its cells use */
uint32_t tfp_column_sums(tfp_column_id id);   /* bits of tfp_value: the sums that are, or make, its number */
size_t tfp_numbers(
    const tfp_number *out[TFP_V_COUNT]); /* numbers of all columns, in the order of tfp_value; returns how many */

typedef enum tfp_column_list {
    TFP_LIST_TREE_CELLS,
    TFP_LIST_GROUP_CELLS,
    TFP_LIST_MINIMUMS,
    TFP_LIST_ORDERS
} tfp_column_list;
/* The columns that have a place in a list, sorted by it; returns how many. */
size_t tfp_columns_in(tfp_column_list list, tfp_column_id out[TFP_COLUMNS_MAX]);

/* A value of -order_by. */
typedef struct tfp_order {
    const char *name;
    const char *head;     /* NULL: `name` */
    int by;               /* a tfp_value (descending by total), or one of these */
    tfp_column_id column; /* for TFP_BY_COLUMN */
} tfp_order;
/* TFP_BY_COLUMN: a number that cannot be summed. TFP_BY_START: the time of its first run. */
enum { TFP_BY_NAME = -1, TFP_BY_OCCURRENCE = -2, TFP_BY_TRAVERSAL = -3, TFP_BY_COLUMN = -4, TFP_BY_START = -5 };
bool tfp_order_at(size_t i, tfp_order *out); /* false past the end; 0 is by name */

#endif
