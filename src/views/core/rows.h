// SPDX-License-Identifier: Apache-2.0
/* views/core/rows.h: the rows of a tree, and what stands beside them: where nodes count, the code view's items, inferred counts. */
#ifndef TFP_REPORT_ROWS_H
#define TFP_REPORT_ROWS_H

#include "options/columns.h"
#include "views/core/report.h"

typedef struct tfp_row {
    tfp_str name;                        /* raw, ended by NUL; outputs escape it */
    uint32_t parent;                     /* row above; the root (row 0) stands under itself */
    uint32_t depth;                      /* shown ancestors; the root has 0 */
    uint32_t node;                       /* -> profile's nodes; TFP_NONE for made-up parents, frames and op types */
    uint32_t item;                       /* -> the view's own structure (code tree), TFP_NONE without */
    uint32_t member_first, member_count; /* -> members: the accounted nodes of a frame or op type, in name order */
    uint32_t tensor;                     /* -> tensors, TFP_NONE without */
    uint32_t hidden;                     /* -compat 1.0: nodes left out on the way to this row */
    uint32_t own_at, total_at;           /* places of its values in the report's arrays */
    bool accounted;
} tfp_row;

/* The place where a node counts: its nearest row (root: 0, none: TFP_NONE), and all rows above it. */
typedef struct tfp_reach {
    uint32_t row; /* while a view is built: the item or type */
    uint32_t times;
} tfp_reach;

/* The addition of a trace's span to a row of the code view, whose numbers are not those of nodes. */
typedef struct tfp_line_run {
    uint32_t row; /* root: 0, none: TFP_NONE; while a view is built: the item */
    uint32_t step;
    int64_t cpu_ns, accelerator_ns, runs;
} tfp_line_run;

/* The code view's tree, unfiltered; pprof needs it beside the rows. Item 0 is the root. Children come after parents. */
typedef struct tfp_code_item {
    tfp_str name; /* as shown: basename:line:function, perhaps with the source text and " (gradient)" */
    uint32_t parent, child_first, child_last, sibling; /* TFP_NONE at the ends */
    uint32_t frame;                                    /* -> profile's frames; TFP_NONE for the root */
    uint32_t member_first, member_count; /* -> code->members: all nodes of this frame itself, not only the accounted */
    bool gradient;
} tfp_code_item;
typedef struct tfp_code_tree {
    TFP_VEC(tfp_code_item) items;
    uint32_t *members;
} tfp_code_tree;

/* The counts of a node in one execution, worked out from the graph. */
typedef struct tfp_node_count {
    int64_t float_ops, macs, bytes; /* 0 where they are not known */
    int64_t ops, counted;           /* its own, or those of the bodies that it calls */
    int64_t runs; /* executions in one run of the model, where no run is recorded: iterations, calls */
    int64_t
        of_runs; /* of traces: the number of runs that the numbers above are summed over; else 0: they are of one run */
    bool moves;  /* bytes are known */
} tfp_node_count;

typedef struct tfp_counts {
    tfp_node_count *nodes; /* one a node of the profile */
    const char *note;      /* a note for the reader, or NULL */
} tfp_counts;

typedef struct tfp_parameter_counts tfp_parameter_counts; /* flops/core/parameters.h */

/* The rows of a report, their numbers, and where the numbers of nodes come from. */
struct tfp_report_tree {
    TFP_VEC(tfp_row) rows;                          /* in the order of display, parents before children */
    int64_t *own[TFP_V_COUNT], *total[TFP_V_COUNT]; /* by tfp_row.own_at and total_at; NULL when not computed */
    struct tfp_statistics *statistics;              /* over runs (core/statistics.h); NULL: no column asks for them */
    double *own_of_runs[TFP_STATISTICS_MAX], *total_of_runs[TFP_STATISTICS_MAX]; /* by its columns, as own and total */
    tfp_map64 short_at; /* of a trace: by the address of a kernel's name -> shorts; empty: whole names are shown */
    tfp_str *shorts;
    uint32_t *members; /* -> profile's nodes */
    TFP_VEC(tfp_tensor *) tensors;
    tfp_reach *reach; /* per profile node; NULL when the options do not ask for it, or with -compat 1.0 */
    TFP_VEC(tfp_line_run) line_runs;        /* code view of a trace, beside reach: in the steps that can be asked for */
    uint8_t *node_accounted;                /* graph view: per profile node, whether its types are accounted */
    tfp_code_tree *code;                    /* code view */
    const tfp_counts *counts;               /* NULL: float operations are those of the files */
    const tfp_parameter_counts *parameters; /* NULL: parameters are elements of the attribute shape */
    const tfp_parameter_counts *kinds;      /* for the columns of kinds of variables; NULL: none is asked for */
    size_t left;                            /* op: types that -max_depth hides */
};

/* The name of a row, as people see it. */
static inline tfp_str tfp_shown_name(const tfp_report *r, uint32_t row)
{
    tfp_str name = r->tree->rows.at[row].name;
    uint32_t at = r->tree->short_at.count ? tfp_map64_get(&r->tree->short_at, (uintptr_t)name.data) : TFP_NONE;
    return at == TFP_NONE ? name : r->tree->shorts[at];
}

/* A row's number, or NULL in a report that was built without that column. */
static inline const int64_t *tfp_own_of(const tfp_report *r, uint32_t row, tfp_value v)
{
    return r->tree->own[v] ? &r->tree->own[v][r->tree->rows.at[row].own_at] : NULL;
}
static inline const int64_t *tfp_total_of(const tfp_report *r, uint32_t row, tfp_value v)
{
    return r->tree->total[v] ? &r->tree->total[v][r->tree->rows.at[row].total_at] : NULL;
}
static inline int64_t tfp_own(const tfp_report *r, uint32_t row, tfp_value v)
{
    return (unsigned)v < TFP_V_COUNT && r->tree->own[v] ? *tfp_own_of(r, row, v) : 0;
}
static inline int64_t tfp_total(const tfp_report *r, uint32_t row, tfp_value v)
{
    return (unsigned)v < TFP_V_COUNT && r->tree->total[v] ? *tfp_total_of(r, row, v) : 0;
}
/* Times among the values (tfp_is_time) are nanoseconds inside reports. People, and TensorFlow's formats, see them as whole
 * microseconds, cut; machine formats also the digits below, of profiles that have them (tfp_fine_times). */
static inline int64_t tfp_whole(int value, int64_t n) { return tfp_is_time(value) ? tfp_micros(n) : n; }
static inline double tfp_exact(int value, int64_t n) { return tfp_is_time(value) ? (double)n / 1000 : (double)n; }
/* A value for people. */
void tfp_report_put_number(const tfp_report *r, int value, tfp_unit unit, int64_t n, tfp_buf *out);
/* A value of one node from its statistics at a step. */
int64_t tfp_node_value(const tfp_report *r, uint32_t node, const tfp_node_stats *s, tfp_value v);
int64_t tfp_report_parameters(const tfp_report *r, uint32_t node, bool *clamped); /* of a node */
const char *tfp_help_of(const tfp_report *r, const tfp_column *c); /* what a column means in this report */
/* A row's number in a column of any kind, of its own or in total, times in microseconds; false when it has none: of labels, and of
 * a ratio without anything to divide by. */
bool tfp_cell_number(const tfp_report *r, uint32_t row, tfp_column_id column, bool total, double *out);

#endif
