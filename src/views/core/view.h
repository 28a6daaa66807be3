// SPDX-License-Identifier: Apache-2.0
/* views/core/view.h: the interface and the list of views, and the function that builds a report. */
#ifndef TFP_VIEW_H
#define TFP_VIEW_H

#include "schema/reads.h"
#include "views/core/handle.h"

typedef struct tfp_view {
    const char *name, *help;
    tfp_report_kind kind;
    const char *doc;       /* the text after "NAME: " in the Doc block */
    const char *doc_label; /* label in the Doc block; TensorFlow prints the scope view's label for graph too */
    /* Fills a report whose profile, options, step and values are set already. */
    tfp_status (*build)(tfp_report *r, tfp_error *err);
    unsigned needs; /* bits TFP_NEEDS_...: a profile that lacks them is refused before `build` */
    const struct tfp_table_column *columns; /* for a table whose columns are always the same; otherwise NULL */
    const char *no_rows;                    /* the note for a table without rows; NULL: none */
    /* What a row represents, for functions used by several views. The names of scopes are paths. */
    enum { TFP_ROWS_OTHER, TFP_ROWS_OF_SCOPES, TFP_ROWS_OF_CODE, TFP_ROWS_OF_CALLS } rows_are;
    unsigned row_traits; /* bits TFP_ADDS_COVERAGE ... TFP_NESTS */
    /* What a timeline of the view shows: rows as nested boxes, the executions of one step, or the recorded spans. */
    enum { TFP_TIMELINE_OF_ROWS, TFP_TIMELINE_OF_STEP, TFP_TIMELINE_OF_SPANS } timeline;
    /* How stats and diff compare rows: not at all; built once for each step; from the values that a table has for each
     * step; or, in diff only, as the mean of all steps, or in a table of its own: sums of families of kernels. */
    enum {
        TFP_NOT_COMPARED,
        TFP_COMPARED_ROWS,
        TFP_COMPARED_STEPS,
        TFP_COMPARED_MEANS,
        TFP_COMPARED_FAMILIES
    } compared;
    const char *parent_type; /* of a tree: TensorFlow's operation type for rows without a node */
    /* Bits TFP_READS_...: what it reads of files, beside what every view does. Of spans it reads everything, unless it says SUMS or
     * TIMES. */
    unsigned reads;
} tfp_view;
enum {
    TFP_NEEDS_GRAPH = 1,   /* edges */
    TFP_NEEDS_CODE = 2,    /* code traces */
    TFP_NEEDS_SPANS = 4,   /* a trace of events */
    TFP_NEEDS_PROGRAM = 8, /* the graph as a program */
    /* with TFP_NEEDS_SPANS: it must be a recorded trace of events, not one made from executions */
    TFP_NEEDS_EVENTS = 64,
    TFP_NEEDS_CALLS = 256,        /* a trace of events, or sampled stacks */
    TFP_TAKES_LIMITS = 1024,      /* for a table: minimums and patterns filter its rows */
    TFP_FINDS_STEPS = 8192,       /* handles a profile without steps itself */
    TFP_TAKES_SNAPSHOTS = 16384,  /* works also for a memory snapshot alone */
    TFP_TAKES_SOUND = 32768,      /* for files and folders that killed processes left: unreadable ones are left out */
    TFP_USES_SPANS = 128,         /* shows more if runs of executions were read: tfp_report.runs is made */
    TFP_NEEDS_NODES = 65536,      /* operations of a graph or a trace: sampled stacks have none */
    TFP_TAKES_INSPECTOR = 131072, /* works also for lines of NCCL's inspector alone */
};
enum {
    TFP_ADDS_COVERAGE = 1,    /* reports which part of the time its rows explain */
    TFP_ADDS_ATTRIBUTION = 2, /* shows time by place or by kernel, with the note on how places were found */
    TFP_KEEPS_ORDER = 4,      /* rows are not sorted by size unless -order_by asks for it */
    TFP_NESTS = 8 /* a row's total contains those of the rows below it: flame graphs and pprof can show it */
};

#define VIEW(name) extern const tfp_view tfp_view_##name;
#include "views/core/views.def"
#undef VIEW
/* Tables for queries and for parts of other reports, which are no commands. */
extern const tfp_view tfp_view_findings, tfp_view_held, tfp_view_attribution, tfp_view_coverage, tfp_view_phases,
    tfp_view_limits_op, tfp_view_limits_module, tfp_view_limits_layer, tfp_view_limits_line, tfp_view_limits_kernel,
    tfp_view_limits_shape, tfp_view_limits_chain;

/* What a report with these options reads of files; view NULL: nothing special. */
unsigned tfp_view_reads(const tfp_view *view, const tfp_options *o);

#define TFP_ROOT_NAME TFP_STR("_TFProfRoot")

/* Builds a report of a finished profile; options NULL: defaults. On failure *out is NULL. */
tfp_status tfp_view_build(const tfp_profile *p, const tfp_view *view, const tfp_options *o, tfp_report **out,
                          tfp_error *err);

tfp_status tfp_no_program(const tfp_profile *p,
                          tfp_error *err); /* the error when there is no program (flops/counts.c) */

#endif
