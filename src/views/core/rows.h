// SPDX-License-Identifier: Apache-2.0
/* views/core/rows.h: the rows of a tree and related data: where nodes are counted, the code view's items, computed counts. */
#ifndef TFP_REPORT_ROWS_H
#define TFP_REPORT_ROWS_H

#include "options/columns.h"
#include "views/core/handle.h"

typedef struct tfp_row {
    tfp_str name;    /* unescaped, ended by NUL; outputs escape it */
    uint32_t parent; /* row above, in a list the root; the root (row 0) is its own parent */
    uint32_t depth;  /* number of shown ancestors; the root has 0 */
    /* index in the profile's nodes; TFP_NONE for made-up parents, frames and op types */
    uint32_t node;
    uint32_t item; /* index in the view's own structure (code tree), or TFP_NONE */
    /* index in members: the accounted nodes of a frame or op type, in name order */
    uint32_t member_first, member_count;
    uint32_t tensor;           /* index in tensors, or TFP_NONE */
    uint32_t hidden;           /* -compat 1.0: number of nodes left out on the way to this row */
    uint32_t own_at, total_at; /* indexes of its values in the report's arrays */
    bool accounted;
} tfp_row;

/* Where a node is counted: in its nearest row (root: 0, none: TFP_NONE) and all rows above it. */
typedef struct tfp_reach {
    uint32_t row; /* the item or type, until the rows exist */
    uint32_t times;
} tfp_reach;

/* Says that a trace's span was added to a row of the code view, whose numbers are not those of nodes. */
typedef struct tfp_line_run {
    uint32_t row; /* row (root: 0, none: TFP_NONE); until the rows exist, the item */
    uint32_t step;
    int64_t cpu_ns, accelerator_ns, runs;
} tfp_line_run;

/* The code view's unfiltered tree, which pprof needs besides the rows. Item 0 is the root. Children come after
 * parents. */
typedef struct tfp_code_item {
    tfp_str name; /* as shown: basename:line:function, possibly with the source text and " (gradient)" */
    uint32_t parent, child_first, child_last, sibling; /* TFP_NONE: none */
    uint32_t frame;                                    /* index in the profile's frames; TFP_NONE for the root */
    uint32_t member_first, member_count; /* index in code->members: all nodes of this frame itself, accounted or not */
    bool gradient;
} tfp_code_item;
typedef struct tfp_code_tree {
    TFP_VEC(tfp_code_item) items;
    uint32_t *members;
} tfp_code_tree;

/* The counts of one execution of a node, computed from the graph. */
typedef struct tfp_node_count {
    int64_t float_ops, macs, bytes; /* 0: unknown */
    int64_t ops, counted;           /* of the node itself, or of the bodies that it calls */
    int64_t runs;                   /* executions in one run of the model if no run was recorded: iterations, calls */
    /* for traces: the number of runs that the numbers above are summed over; 0: they are for one run */
    int64_t of_runs;
    bool moves; /* whether bytes are known */
} tfp_node_count;

typedef struct tfp_counts {
    tfp_node_count *nodes; /* one for each node of the profile */
    const char *note;      /* a note for the reader, or NULL */
} tfp_counts;

typedef struct tfp_parameter_counts tfp_parameter_counts; /* flops/core/parameters.h */

/* The rows of a report, their numbers, and the source of the nodes' numbers. */
typedef struct tfp_report_tree {
    TFP_VEC(tfp_row) rows;                          /* in display order, parents before children */
    int64_t *own[TFP_V_COUNT], *total[TFP_V_COUNT]; /* indexed by tfp_row.own_at and total_at; NULL: not computed */
    /* statistics over runs (core/statistics.h); NULL: no column needs them */
    struct tfp_statistics *statistics;
    /* for each of its columns, like own and total */
    double *own_of_runs[TFP_STATISTICS_MAX], *total_of_runs[TFP_STATISTICS_MAX];
    tfp_map64 short_at; /* for a trace: address of a kernel's name -> index in shorts; empty: names are shown whole */
    tfp_str *shorts;
    uint32_t *members; /* indexes in the profile's nodes */
    TFP_VEC(tfp_tensor *) tensors;
    tfp_reach *reach; /* one per profile node; NULL: the options do not need it, or with -compat 1.0 */
    /* code view of a trace, in addition to reach: runs in the steps that can be selected */
    TFP_VEC(tfp_line_run) line_runs;
    uint8_t *node_accounted;                /* graph view: per profile node, whether its types are accounted */
    tfp_code_tree *code;                    /* code view */
    const tfp_counts *counts;               /* NULL: float operations come from the files */
    const tfp_parameter_counts *parameters; /* NULL: parameters are the elements of the attribute shape */
    const tfp_parameter_counts *kinds;      /* for the columns of kinds of variables; NULL: no such column is shown */
    size_t left;                            /* op: number of types that -max_depth hides */
} tfp_report_tree;
tfp_report_tree *tfp_tree_of(const tfp_report *r);
size_t tfp_row_count(const tfp_report *r);
tfp_row *tfp_row_at(const tfp_report *r, uint32_t row);

/* The name of a row as people see it. */
tfp_str tfp_shown_name(const tfp_report *r, uint32_t row);

/* A row's number; NULL: the report was built without that column. */
const int64_t *tfp_own_of(const tfp_report *r, uint32_t row, tfp_value v);
const int64_t *tfp_total_of(const tfp_report *r, uint32_t row, tfp_value v);
int64_t tfp_own(const tfp_report *r, uint32_t row, tfp_value v);
int64_t tfp_total(const tfp_report *r, uint32_t row, tfp_value v);
/* Times among the values (tfp_is_time) are nanoseconds inside reports. People and TensorFlow's formats get whole
 * microseconds, truncated; machine formats also get the decimals if the profile has them (tfp_fine_times). */
static inline int64_t tfp_whole(int value, int64_t n) { return tfp_is_time(value) ? tfp_micros(n) : n; }
static inline double tfp_exact(int value, int64_t n) { return tfp_is_time(value) ? (double)n / 1000 : (double)n; }
/* A value for people. */
void tfp_report_put_number(const tfp_report *r, int value, tfp_unit unit, int64_t n, tfp_buf *out);
/* A value of one node from its statistics at a step. */
int64_t tfp_node_value(const tfp_report *r, uint32_t node, const tfp_node_stats *s, tfp_value v);
int64_t tfp_report_parameters(const tfp_report *r, uint32_t node, bool *clamped); /* for a node */
const char *tfp_help_of(const tfp_report *r, const tfp_column *c); /* the meaning of a column in this report */
/* A row's number in a column of any kind, its own or in total, with times in microseconds. False: it has none, as for a label, or
 * a ratio with nothing to divide by. */
bool tfp_cell_number(const tfp_report *r, uint32_t row, tfp_column_id column, bool total, double *out);

#endif
