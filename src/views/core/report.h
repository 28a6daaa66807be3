// SPDX-License-Identifier: Apache-2.0
/* views/core/report.h: the report, which every view makes and every output reads: the question that it answers, and rows of a tree or
 * a grid, facts, notes. Each part is declared in its own header, so that a change there rebuilds only its readers. */
#ifndef TFP_REPORT_H
#define TFP_REPORT_H

#include "model/tables/types.h"

/* The kind of a report's rows; outputs lay them out differently. */
typedef enum tfp_report_kind {
    TFP_REPORT_TREE,     /* scope, graph: rows are nodes; GraphNodeProto */
    TFP_REPORT_GROUPS,   /* code: rows are frames with member nodes; MultiGraphNodeProto */
    TFP_REPORT_LIST,     /* op: a flat list in which each total includes all following rows; MultiGraphNodeProto as a chain */
    TFP_REPORT_FINDINGS, /* advise: rows are checkers with findings; AdviceProto */
    TFP_REPORT_GRID      /* diff, stats, query: rows with the report's own columns */
} tfp_report_kind;

typedef struct tfp_report_tree tfp_report_tree;         /* views/core/rows.h */
typedef struct tfp_grid tfp_grid;                       /* views/core/grid.h */
typedef struct tfp_report_part tfp_report_part;         /* the same */
typedef struct tfp_fact tfp_fact;                       /* the same */
typedef struct tfp_finding tfp_finding;                 /* views/core/findings.h */
typedef struct tfp_note tfp_note;                       /* views/core/notes.h */
typedef struct tfp_report_coverage tfp_report_coverage; /* views/core/coverage.h */

struct tfp_report {
    tfp_arena arena;
    /* the question */
    const tfp_profile *profile;
    tfp_profile *runs;    /* the trace that the report made from executions (model/join/runs.h); or NULL */
    struct tfp_cut *cut;  /* the time range that it is about (timeline/range.h); `profile` is then this part; NULL: everything */
    const char *view;     /* the view's name */
    const struct tfp_view *about;
    tfp_report_kind kind;
    tfp_options *options; /* a copy */
    tfp_step_choice step; /* in tables that sum, TFP_STEP_MEAN means all steps */
    uint32_t values;      /* bits of tfp_value that were computed */
    /* the answer */
    tfp_report_tree *tree;
    tfp_grid *grid;                       /* for diff, stats, query, flops; these may have no profile */
    TFP_VEC(tfp_report_part) parts;
    TFP_VEC(tfp_fact) facts;
    TFP_VEC(tfp_finding) findings;
    TFP_VEC(tfp_note) notes;
    const char *headline;                 /* whatif: the row `today` as a sentence for people, in the arena; NULL: the table is enough */
    TFP_VEC(char *) over;                 /* diff: the rows that exceed the limit of -fail_over, one line each; in the arena */
    const struct tfp_stacks *stacks;      /* stacks: the stacks for the folded form and pprof; or NULL */
    const struct tfp_diff_script *script; /* diff: the data of the script's form; or NULL */
    struct tfp_trace_facts *trace;        /* advise, summary; NULL until needed */
    tfp_report_coverage *covered;         /* how much of a trace's times the rows explain */
    bool clamped;                         /* a sum was too big for 64 bits */
};

/* Makes an empty grid report with a copy of the options (NULL: defaults), and a report of a profile. NULL: out of
 * memory. */
tfp_report *tfp_report_new(const char *view, const tfp_options *o);
tfp_report *tfp_report_of_table(const tfp_profile *p, const char *name);

const char *tfp_doc_of(const tfp_report *r);                       /* the line about its rows in the Doc block */
/* Whether the text form is an aligned table for people: at a terminal, and in a pipe except for views and files that
 * TensorFlow's tool has, too. */
bool tfp_is_aligned(const tfp_report *r);

bool tfp_fine_times(const tfp_profile *p);
/* Appends the name of a lane; for a thread whose number means nothing (negative, an address) the name in the file. */
void tfp_lane_put(const tfp_profile *p, uint32_t lane, tfp_buf *out);
/* Append the input shapes of a node as "0:32x10|1:unknown", and a shape as "3x3x16" ("" when unknown or absent). */
void tfp_node_input_shapes(const tfp_profile *p, uint32_t node, const char *separator, tfp_buf *out);
void tfp_shape_text(const tfp_profile *p, uint32_t shape, tfp_buf *out);

#endif
