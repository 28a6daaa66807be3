// SPDX-License-Identifier: Apache-2.0
/* views/core/handle.h: a report as an opaque type: the question that it answers, and the arena of its answer. Its
 * parts are in rows.h, grid.h, notes.h, findings.h and coverage.h; files that use the struct's members include
 * report.h. */
#ifndef TFP_REPORT_HANDLE_H
#define TFP_REPORT_HANDLE_H

#include "model/tables/types.h"

/* The kind of a report's rows; outputs lay them out differently. */
typedef enum tfp_report_kind {
    TFP_REPORT_TREE,     /* scope, graph: rows are nodes; GraphNodeProto */
    TFP_REPORT_GROUPS,   /* code: rows are frames with member nodes; MultiGraphNodeProto */
    TFP_REPORT_LIST,     /* op: a flat list, each total includes all following rows; MultiGraphNodeProto as a chain */
    TFP_REPORT_FINDINGS, /* advise: rows are checkers with findings; AdviceProto */
    TFP_REPORT_GRID,     /* diff, stats, query: rows with the report's own columns */
    TFP_REPORT_KINDS
} tfp_report_kind;

/* The traits of a kind, of which code asks for one, never for the kind. One of the first three holds. */
typedef struct tfp_kind_traits {
    bool table;      /* a grid with columns of its own */
    bool numbers;    /* rows with the numbers of -select, their own and in total */
    bool findings;   /* rows of checkers, with their findings */
    bool list;       /* rows are not nested, and a total includes all following rows */
    bool groups;     /* a row stands for its member nodes */
    const char *row; /* the word for a row in notes about names */
} tfp_kind_traits;
extern const tfp_kind_traits tfp_report_kinds[TFP_REPORT_KINDS];

/* An empty report of a grid with a copy of the options (NULL: every default), and one of a profile. NULL without
 * memory. */
tfp_report *tfp_report_new(const char *view, const tfp_options *o);
tfp_report *tfp_report_of_table(const tfp_profile *p, const char *name);
/* Gives a finished report to the caller; after a fault frees it. Returns s. */
tfp_status tfp_report_give(tfp_report *r, tfp_status s, tfp_report **out);

/* ---- what it was asked ---- */
const tfp_profile *tfp_profile_of(const tfp_report *r); /* the profile, or the part of it that the report is about */
tfp_profile *tfp_runs_of(const tfp_report *r);          /* the trace that the report made from executions; NULL: none */
const struct tfp_cut *tfp_cut_of(const tfp_report *r); /* the part of the profile that the report is about; NULL: all */
const tfp_options *tfp_options_of(const tfp_report *r);
tfp_step_choice tfp_step_of(const tfp_report *r);
const struct tfp_view *tfp_view_of(const tfp_report *r);
const char *tfp_name_of(const tfp_report *r); /* of the view or table */
const tfp_kind_traits *tfp_kind_of(const tfp_report *r);

/* ---- for its answer ---- */
tfp_arena *tfp_arena_of(tfp_report *r);                 /* lives as long as the report */
struct tfp_own_lines **tfp_own_lines_at(tfp_report *r); /* how it chooses lines (own_frame.h); *: NULL until needed */
bool *tfp_clamped_of(tfp_report *r);                    /* whether a sum was too big for 64 bits */

const char *tfp_doc_of(const tfp_report *r); /* the line of the Doc block about its rows */
/* Whether text is an aligned table for people: at a terminal, and in a pipe except for the views that TensorFlow's
 * tool has, of files that it could read. */
bool tfp_is_aligned(const tfp_report *r);

#endif
