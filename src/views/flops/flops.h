// SPDX-License-Identifier: Apache-2.0
/* views/flops/flops.h: shared by the files of the flops report: the engine's result, and the tables that are being
 * made. */
#ifndef TFP_VIEWS_FLOPS_H
#define TFP_VIEWS_FLOPS_H

#include "flops/core/flops.h"
#include "flops/rules/shared/rule.h"
#include "views/core/grid.h"
#include "views/core/view.h"
#include "views/flops/left_out.h"

/* Runs the engine with the assumptions in the options. Errors: TFP_NOTFOUND no graph, or no node with a name in an
 * assumption; TFP_BADARG. */
tfp_status tfp_flops_of(const tfp_profile *p, tfp_flops_source source, const tfp_options *o, tfp_flops **out,
                        tfp_error *err);

typedef struct tfp_flops_table {
    tfp_report *r;
    const tfp_profile *p;
    const tfp_program *g;
    tfp_flops *f;
    tfp_flops_source source;
    uint32_t *body;         /* for each node of the program: index in bodies */
    uint32_t *profile_node; /* for each node of the program: index in the profile's nodes, or TFP_NONE */
    tfp_arena arena;        /* memory until the report is made */
} tfp_flops_table;

/* The counts of one node by itself, from the source that the options choose. */
typedef struct tfp_own_count {
    tfp_count_state state;
    int64_t flops, macs; /* TFP_UNKNOWN */
} tfp_own_count;
tfp_own_count tfp_flops_own(const tfp_flops_table *w, uint32_t node);
/* How often one run of the model executes a node: iterations and calls; 0 in a body that nothing calls, or in a branch that
 * does not count. */
int64_t tfp_flops_runs(const tfp_flops_table *w, uint32_t node);
/* Whether a run may execute it, in any branch. */
bool tfp_flops_reached(const tfp_flops_table *w, uint32_t node);
/* The sum over these runs, as far as it is known. */
typedef struct tfp_run_sums {
    int64_t flops, macs, bytes; /* bytes is TFP_UNKNOWN if those of one run are */
} tfp_run_sums;
tfp_run_sums tfp_flops_sums(const tfp_flops_table *w, uint32_t node);
bool tfp_flops_has_macs(const tfp_flops_table *w, uint32_t node);

enum { TFP_FLOPS_TYPES = 15, TFP_FLOPS_GAPS = 10 }; /* how many rows of the tables people see */

void tfp_flops_exact(char *out, int64_t n); /* writes 7754331136 as 7,754,331,136, in at most 40 bytes */

/* Write a shape as 32x?x3, "unknown" without a rank; and the shapes of all outputs as "0:32x3|1:", in the report's
 * arena. */
void tfp_flops_shape_text(tfp_buf *b, tfp_dims d);
bool tfp_flops_shapes(const tfp_flops_table *w, uint32_t node, tfp_str *out); /* false: out of memory */

/* The share of the work that has a count. coverage.c */
typedef struct tfp_flops_share {
    double share;  /* negative: unknown */
    bool at_least; /* totals are a lower bound (left_out.h) */
    char why[512]; /* why the share is unknown */
} tfp_flops_share;
tfp_status tfp_flops_coverage(const tfp_flops_table *w, tfp_flops_share *out, tfp_error *err);
/* The same for a report of nodes. */
tfp_status tfp_flops_coverage_of(tfp_report *r, tfp_flops *f, tfp_flops_share *out, tfp_error *err);
tfp_status tfp_flops_notes(tfp_report *r, const tfp_flops *f, tfp_error *err);
tfp_status tfp_flops_facts(tfp_flops_table *w, tfp_error *err);
tfp_status tfp_flops_types(tfp_flops_table *w, tfp_error *err); /* the report's own table */
tfp_status tfp_flops_top_nodes(tfp_flops_table *w, tfp_error *err);
tfp_status tfp_flops_signatures(tfp_flops_table *w, tfp_error *err);
tfp_status tfp_flops_gaps(tfp_flops_table *w, tfp_error *err);

/* -nodes: one row per node, one body after the other. */
tfp_status tfp_flops_nodes(tfp_flops_table *w, tfp_error *err);

#endif
