// SPDX-License-Identifier: Apache-2.0
/* views/flops/flops.h: what the files of the flops report share: the engine's result, and tables being made. */
#ifndef TFP_VIEWS_FLOPS_H
#define TFP_VIEWS_FLOPS_H

#include "flops/core/flops.h"
#include "flops/rules/shared/rule.h"
#include "views/core/grid.h"
#include "views/core/view.h"

/* With the assumptions that the options make. Errors: TFP_NOTFOUND no graph, or no node of an assumed name; TFP_BADARG. */
tfp_status tfp_flops_of(const tfp_profile *p, tfp_flops_source source, const tfp_options *o, tfp_flops **out,
                        tfp_error *err);

typedef struct tfp_flops_table {
    tfp_report *r;
    const tfp_profile *p;
    const tfp_program *g;
    tfp_flops *f;
    tfp_flops_source source;
    uint32_t *body;         /* per node of the program: -> bodies */
    uint32_t *profile_node; /* per node of the program: -> profile's nodes, TFP_NONE */
    tfp_arena arena;        /* until the report is made */
} tfp_flops_table;

/* What one node counts by itself, as the options' source has it. */
typedef struct tfp_own_count {
    tfp_count_state state;
    int64_t flops, macs; /* TFP_UNKNOWN */
} tfp_own_count;
tfp_own_count tfp_flops_own(const tfp_flops_table *w, uint32_t node);
/* How often one run of the model runs a node: iterations and calls; 0 in a body that nothing calls, or in a branch that does
 * not count. */
int64_t tfp_flops_runs(const tfp_flops_table *w, uint32_t node);
/* Whether one may run it, in any branch. */
bool tfp_flops_reached(const tfp_flops_table *w, uint32_t node);
/* What these runs count together, as far as it is known. */
typedef struct tfp_run_sums {
    int64_t flops, macs, bytes; /* bytes TFP_UNKNOWN when those of one run are */
} tfp_run_sums;
tfp_run_sums tfp_flops_sums(const tfp_flops_table *w, uint32_t node);
bool tfp_flops_has_macs(const tfp_flops_table *w, uint32_t node);

enum { TFP_FLOPS_TYPES = 15, TFP_FLOPS_GAPS = 10 }; /* rows of tables that people see */

void tfp_flops_exact(char *out, int64_t n); /* 7754331136 as 7,754,331,136; at most 40 bytes */

/* A shape as 32x?x3; "unknown" without a rank. The shapes of all outputs as "0:32x3|1:", in the report's arena. */
void tfp_flops_shape_text(tfp_buf *b, tfp_dims d);
bool tfp_flops_shapes(const tfp_flops_table *w, uint32_t node, tfp_str *out); /* false without memory */

/* The share of the work that has a count; negative when it is unknown, then `text` says why. coverage.c */
tfp_status tfp_flops_coverage(const tfp_flops_table *w, double *share, char *text, size_t size, tfp_error *err);
/* The same for a report of nodes. */
tfp_status tfp_flops_coverage_of(tfp_report *r, tfp_flops *f, double *share, char *text, size_t size, tfp_error *err);
tfp_status tfp_flops_notes(tfp_report *r, const tfp_flops *f, tfp_error *err);
tfp_status tfp_flops_facts(tfp_flops_table *w, tfp_error *err);
tfp_status tfp_flops_types(tfp_flops_table *w, tfp_error *err); /* the report's own table */
tfp_status tfp_flops_top_nodes(tfp_flops_table *w, tfp_error *err);
tfp_status tfp_flops_signatures(tfp_flops_table *w, tfp_error *err);
tfp_status tfp_flops_gaps(tfp_flops_table *w, tfp_error *err);

/* -nodes: a row a node, each body after the other. */
tfp_status tfp_flops_nodes(tfp_flops_table *w, tfp_error *err);

#endif
