// SPDX-License-Identifier: Apache-2.0
/* views/core/report.h: what every view makes and every output reads: a tree of rows with integer values in fixed units. */
#ifndef TFP_REPORT_H
#define TFP_REPORT_H

#include "model/tensors.h"
#include "model/types.h"
#include "options/options.h"
#include "views/core/coverage.h"

typedef struct tfp_parameter_counts tfp_parameter_counts; /* flops/core/parameters.h */

/* The kind of a report's rows; outputs lay them out differently. */
typedef enum tfp_report_kind {
    TFP_REPORT_TREE,     /* scope, graph: rows are nodes; GraphNodeProto */
    TFP_REPORT_GROUPS,   /* code: rows are frames with member nodes; MultiGraphNodeProto */
    TFP_REPORT_LIST,     /* op: a flat list, each total holds all that follows; MultiGraphNodeProto as a chain */
    TFP_REPORT_FINDINGS, /* advise: rows are checkers with findings; AdviceProto */
    TFP_REPORT_GRID      /* diff, stats, query: rows with columns of the report's own */
} tfp_report_kind;

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

/* The span to look at first. */
typedef struct tfp_evidence {
    uint32_t span;    /* -> events.spans; TFP_NONE: there is none */
    int64_t rank;     /* the rank, when there are several; else -1 */
    int64_t start_ns; /* from the first start of its rank */
    int64_t duration_ns;
    tfp_str lane;
} tfp_evidence;

typedef struct tfp_finding {
    uint32_t checker; /* -> rows: the checker's row */
    tfp_str text;     /* one or more lines, as TensorFlow reports them */
    tfp_evidence evidence;
    double seconds, gain_seconds; /* of a step: what it is about, and what a remedy saves at most; NAN: not known */
    tfp_str file, command;        /* where the evidence was recorded, and the command that shows it; empty: none */
} tfp_finding;

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

struct tfp_report {
    tfp_arena arena;
    const tfp_profile *profile;
    tfp_profile *runs; /* the trace that the report made of executions (model/join/runs.h); NULL without */
    struct tfp_cut
        *cut;         /* the part of the profile that it is of (timeline/range.h), which is then `profile`; NULL: all */
    const char *view; /* its name */
    const struct tfp_view *about;
    tfp_report_kind kind;
    tfp_options *options; /* a copy */
    tfp_map64
        short_at; /* trees of a trace: by the address of a kernel's name -> shorts; empty: whole names are shown */
    tfp_str *shorts;
    tfp_step_choice step;                           /* for tables that sum, TFP_STEP_MEAN means all steps */
    uint32_t values;                                /* bits of tfp_value that were computed */
    TFP_VEC(tfp_row) rows;                          /* in the order of display, parents before children */
    int64_t *own[TFP_V_COUNT], *total[TFP_V_COUNT]; /* by tfp_row.own_at and total_at; NULL when not computed */
    struct tfp_statistics *statistics;              /* over runs (core/statistics.h); NULL: no column asks for them */
    double *own_of_runs[TFP_STATISTICS_MAX], *total_of_runs[TFP_STATISTICS_MAX]; /* by its columns, as own and total */
    uint32_t *members;                              /* -> profile's nodes */
    TFP_VEC(tfp_tensor *) tensors;
    TFP_VEC(tfp_finding) findings;
    TFP_VEC(char *) notes;                   /* in the arena */
    const char *headline; /* whatif: the row `today` as a line, for people; in the arena; NULL: the table says all */
    size_t unmatched_first, unmatched_count; /* notes of patterns that no name matches */
    TFP_VEC(char *) over;                 /* diff: the rows over the limit of -fail_over, a line each; in the arena */
    const struct tfp_stacks *stacks;      /* stacks: the stacks for the folded form and pprof; NULL without */
    const struct tfp_diff_script *script; /* diff: the data of the script's form; NULL without */
    tfp_reach *reach; /* per profile node; NULL when the options do not ask for it, or with -compat 1.0 */
    TFP_VEC(tfp_line_run) line_runs;        /* code view of a trace, beside reach: in the steps that can be asked for */
    uint8_t *node_accounted;                /* graph view: per profile node, whether its types are accounted */
    tfp_code_tree *code;                    /* code view */
    const tfp_counts *counts;               /* NULL: float operations are those of the files */
    const tfp_parameter_counts *parameters; /* NULL: parameters are elements of the attribute shape */
    const char *parameters_note;            /* in notes: where these are not the model's; or NULL */
    const tfp_parameter_counts *kinds;      /* for the columns of kinds of variables; NULL: none is asked for */
    tfp_grid grid;                          /* diff, stats, query, flops; these may have no profile */
    TFP_VEC(tfp_fact) facts;                /* flops */
    TFP_VEC(tfp_report_part) parts;
    struct tfp_trace_facts *trace; /* advise, summary; NULL until it is asked for */
    tfp_explained explained;       /* by a view whose rows are lines of code */
    tfp_coverage coverage;         /* of a trace's times: how much of them the rows explain */
    const char *coverage_note;     /* in notes: the one that says so; NULL: none */
    const char *attributed_note;   /* the same of time that has no launch of its own */
    size_t left;                   /* op: types that -max_depth hides */
    bool clamped;                  /* a sum was too big for 64 bits */
};

typedef struct tfp_view {
    const char *name, *help;
    tfp_report_kind kind;
    const char *doc;       /* the Doc block's line after "NAME: " */
    const char *doc_label; /* TensorFlow prints the scope view's label for graph too */
    /* Fills a report whose profile, options, step and values are set. */
    tfp_status (*build)(tfp_report *r, tfp_error *err);
    unsigned needs;                       /* a sum of TFP_NEEDS_...: a profile without it is refused before `build` */
    const struct tfp_row_column *columns; /* of a table whose columns never change; else NULL */
    const char *no_rows;                  /* the note of a table without rows; NULL: none */
    /* What a row stands for, where views below the view itself must tell them apart. */
    enum { TFP_ROWS_OTHER, TFP_ROWS_OF_SCOPES, TFP_ROWS_OF_CODE, TFP_ROWS_OF_CALLS } rows_are;
} tfp_view;
enum {
    TFP_NEEDS_GRAPH = 1,     /* edges */
    TFP_NEEDS_CODE = 2,      /* code traces */
    TFP_NEEDS_SPANS = 4,     /* a trace of events */
    TFP_NEEDS_PROGRAM = 8,   /* the graph as a program: files must be read with TFP_KEEP_PROGRAM */
    TFP_USES_PROGRAM = 16,   /* shows more of files that were read so */
    TFP_USES_MEMORY = 32,    /* shows more of files that were read with TFP_KEEP_MEMORY */
    TFP_NEEDS_EVENTS = 64,   /* with TFP_NEEDS_SPANS: a trace of events, which one made of executions is not */
    TFP_NEEDS_CALLS = 256,   /* a trace of events, or sampled stacks */
    TFP_TAKES_LIMITS = 1024, /* of a table: minimums and patterns narrow it */
    TFP_SUMS_DO = 512,       /* of a trace the executions are enough: files may be read with TFP_KEEP_SUMS */
    TFP_ROWS_DO = 2048, /* a table that is made of the rows of slim lanes, too: files may be read with TFP_KEEP_ROWS */
    TFP_NO_STEP_SUMS = 4096, /* which asks for no sums of single steps (TFP_KEEP_TOTAL) */
    TFP_FINDS_STEPS = 8192, /* of a profile without steps it looks for the step by itself */
    TFP_TAKES_SNAPSHOTS = 16384, /* answers for a memory snapshot alone, too */
    TFP_USES_SPANS = 128     /* says more of executions that were read with TFP_KEEP_MEMORY: tfp_report.runs is made */
};

/* The name of a row, as people see it. */
static inline tfp_str tfp_shown_name(const tfp_report *r, uint32_t row)
{
    tfp_str name = r->rows.at[row].name;
    uint32_t at = r->short_at.count ? tfp_map64_get(&r->short_at, (uintptr_t)name.data) : TFP_NONE;
    return at == TFP_NONE ? name : r->shorts[at];
}

/* A row's number, or NULL in a report that was built without that column. */
static inline const int64_t *tfp_own_of(const tfp_report *r, uint32_t row, tfp_value v)
{
    return r->own[v] ? &r->own[v][r->rows.at[row].own_at] : NULL;
}
static inline const int64_t *tfp_total_of(const tfp_report *r, uint32_t row, tfp_value v)
{
    return r->total[v] ? &r->total[v][r->rows.at[row].total_at] : NULL;
}
static inline int64_t tfp_own(const tfp_report *r, uint32_t row, tfp_value v)
{
    return (unsigned)v < TFP_V_COUNT && r->own[v] ? *tfp_own_of(r, row, v) : 0;
}
static inline int64_t tfp_total(const tfp_report *r, uint32_t row, tfp_value v)
{
    return (unsigned)v < TFP_V_COUNT && r->total[v] ? *tfp_total_of(r, row, v) : 0;
}
/* Times among the values (tfp_is_time) are nanoseconds inside reports. People, and TensorFlow's formats, see them as whole
 * microseconds, cut; machine formats also the digits below, of profiles that have them (tfp_fine_times). */
static inline int64_t tfp_whole(int value, int64_t n) { return tfp_is_time(value) ? tfp_micros(n) : n; }
static inline double tfp_exact(int value, int64_t n) { return tfp_is_time(value) ? (double)n / 1000 : (double)n; }
bool tfp_fine_times(const tfp_profile *p);
/* A lane as texts name it: of a thread whose number says nothing (negative, an address) the name that the file gives it. */
void tfp_lane_put(const tfp_profile *p, uint32_t lane, tfp_buf *out);
/* A value for people. */
void tfp_report_put_number(const tfp_report *r, int value, tfp_unit unit, int64_t n, tfp_buf *out);
/* A value of one node from its statistics at a step. */
int64_t tfp_node_value(const tfp_report *r, uint32_t node, const tfp_node_stats *s, tfp_value v);
int64_t tfp_report_parameters(const tfp_report *r, uint32_t node, bool *clamped); /* of a node */
const char *tfp_doc_of(const tfp_report *r);                       /* the line of the Doc block about its rows */
const char *tfp_help_of(const tfp_report *r, const tfp_column *c); /* what a column means in this report */
/* A row's number in a column of any kind, of its own or in total, times in microseconds; false when it has none: of labels, and of
 * a ratio without anything to divide by. */
bool tfp_cell_number(const tfp_report *r, uint32_t row, tfp_column_id column, bool total, double *out);

/* A report of a table that is no view, still empty. NULL without memory. */
tfp_report *tfp_report_of_table(const tfp_profile *p, const char *name);

/* Whether text is an aligned table for people: at a terminal, and in a pipe except for the views that TensorFlow's tool has,
 * of files that it could read. */
bool tfp_is_aligned(const tfp_report *r);

/* A fact for its caller to fill; NULL without memory. The pointer is good until the next one. */
tfp_fact *tfp_fact_add(tfp_report *r, const char *name, const char *label, char type, tfp_unit unit);
tfp_status tfp_report_note_add(tfp_report *r, tfp_error *err, const char *format, ...) TFP_PRINTF(3, 4);
tfp_status tfp_report_note_clamped(tfp_report *r, tfp_error *err); /* where r->clamped: with the files summed */

/* Appended: the input shapes of a node as "0:32x10|1:unknown", a shape as "3x3x16" ("" when unknown or absent). */
void tfp_node_input_shapes(const tfp_profile *p, uint32_t node, const char *separator, tfp_buf *out);
void tfp_shape_text(const tfp_profile *p, uint32_t shape, tfp_buf *out);

#endif
