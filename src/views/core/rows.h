// SPDX-License-Identifier: Apache-2.0
/* views/core/rows.h: the rows of a tree, and what stands beside them: where nodes count, the code view's items, inferred counts. */
#ifndef TFP_REPORT_ROWS_H
#define TFP_REPORT_ROWS_H

#include "base/base.h"

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

#endif
