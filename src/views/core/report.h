// SPDX-License-Identifier: Apache-2.0
/* views/core/report.h: the struct that every view makes and every output reads: the question, and the parts of the
 * answer (rows of a tree or a grid, facts, notes). Each part is defined in its own header, so that a change there
 * rebuilds only the files that use it. Files that need no member of the struct include handle.h instead. */
#ifndef TFP_REPORT_H
#define TFP_REPORT_H

#include "views/core/handle.h"

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
    tfp_profile *runs;   /* the trace that the report made from executions (model/join/runs.h); or NULL */
    tfp_profile *marked; /* the profile with the steps of -step_marker; or NULL */
    struct tfp_cut
        *cut; /* the time range that it is about (timeline/range.h); `profile` is then this part; NULL: everything */
    const char *view; /* the view's name */
    const struct tfp_view *about;
    tfp_report_kind kind;
    tfp_options *options; /* a copy */
    tfp_step_choice step; /* in tables that sum, TFP_STEP_MEAN means all steps */
    uint32_t values;      /* bits of tfp_value that were computed */
    /* the answer */
    tfp_report_tree *tree;
    tfp_grid *grid; /* for diff, stats, query, flops; these may have no profile */
    TFP_VEC(tfp_report_part) parts;
    TFP_VEC(tfp_fact) facts;
    TFP_VEC(tfp_finding) findings;
    TFP_VEC(tfp_note) notes;
    const char
        *headline; /* whatif: the row `today` as a sentence for people, in the arena; NULL: the table is enough */
    TFP_VEC(const char *) over; /* diff: the rows that exceed the limit of -fail_over, one line each; in the arena */
    const struct tfp_stacks *stacks;      /* stacks: the stacks for the folded form and pprof; or NULL */
    const struct tfp_diff_script *script; /* diff: the data of the script's form; or NULL */
    struct tfp_own_lines *lines;          /* how lines are chosen; NULL until needed */
    struct tfp_trace_facts *trace;        /* advise, summary; NULL until needed */
    tfp_report_coverage *covered;         /* how much of a trace's times the rows explain */
    bool clamped;                         /* a sum was too big for 64 bits */
};

#endif
