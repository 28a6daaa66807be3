// SPDX-License-Identifier: Apache-2.0
/* views/core/report.h: what every view makes and every output reads: a tree of rows with integer values in fixed units. */
#ifndef TFP_REPORT_H
#define TFP_REPORT_H

#include "model/tables/types.h"
#include "options/options.h"
#include "views/core/coverage.h"
#include "views/core/findings.h"
#include "views/core/grid.h"
#include "views/core/rows.h"
#include "views/core/view.h"

typedef struct tfp_parameter_counts tfp_parameter_counts; /* flops/core/parameters.h */

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
    TFP_VEC(tfp_note) notes;
    const char *headline; /* whatif: the row `today` as a line, for people; in the arena; NULL: the table says all */
    TFP_VEC(char *) over;                 /* diff: the rows over the limit of -fail_over, a line each; in the arena */
    const struct tfp_stacks *stacks;      /* stacks: the stacks for the folded form and pprof; NULL without */
    const struct tfp_diff_script *script; /* diff: the data of the script's form; NULL without */
    tfp_reach *reach; /* per profile node; NULL when the options do not ask for it, or with -compat 1.0 */
    TFP_VEC(tfp_line_run) line_runs;        /* code view of a trace, beside reach: in the steps that can be asked for */
    uint8_t *node_accounted;                /* graph view: per profile node, whether its types are accounted */
    tfp_code_tree *code;                    /* code view */
    const tfp_counts *counts;               /* NULL: float operations are those of the files */
    const tfp_parameter_counts *parameters; /* NULL: parameters are elements of the attribute shape */
    const tfp_parameter_counts *kinds;      /* for the columns of kinds of variables; NULL: none is asked for */
    tfp_grid grid;                          /* diff, stats, query, flops; these may have no profile */
    TFP_VEC(tfp_fact) facts;                /* flops */
    TFP_VEC(tfp_report_part) parts;
    struct tfp_trace_facts *trace; /* advise, summary; NULL until it is asked for */
    tfp_explained explained;       /* by a view whose rows are lines of code */
    tfp_coverage coverage;         /* of a trace's times: how much of them the rows explain */
    size_t left;                   /* op: types that -max_depth hides */
    bool clamped;                  /* a sum was too big for 64 bits */
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

/* Appended: the input shapes of a node as "0:32x10|1:unknown", a shape as "3x3x16" ("" when unknown or absent). */
void tfp_node_input_shapes(const tfp_profile *p, uint32_t node, const char *separator, tfp_buf *out);
void tfp_shape_text(const tfp_profile *p, uint32_t shape, tfp_buf *out);

#endif
