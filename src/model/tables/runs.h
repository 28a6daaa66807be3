// SPDX-License-Identifier: Apache-2.0
/* model/tables/runs.h: what ran: steps, and executions (a node in a step, all its runs together). */
#ifndef TFP_TABLES_RUNS_H
#define TFP_TABLES_RUNS_H

#include "model/tables/types.h"

#include "schema/runs.def"

typedef struct tfp_run_tables {
    TFP_VEC(tfp_step) steps;
    TFP_VEC(uint32_t) step_order; /* the listed steps by ascending id; made by tfp_build_finish */
    TFP_VEC(tfp_exec) execs;
    /* for each exec: sum of requested bytes of all outputs (`bytes` with -compat 1.0); empty when only a ProfileProto
     * was read */
    TFP_VEC(int64_t) run_output_bytes;
    TFP_VEC(double) coverage; /* one per run_meta */
    size_t covered;           /* nodes with TFP_NODE_COVERED, once they are counted */
    bool covered_known;
    tfp_map64 step_by_id;   /* id -> index in steps */
    tfp_map64 exec_by_step; /* tfp_exec_key -> index in execs; made when a file does not come step by step */
    size_t execs_indexed;   /* how many executions the table has; if not all, it is rebuilt */
    /* NULL, or, when only the mean is kept (TFP_READS_ONE_STEP), for each node in how many steps it ran */
    uint32_t *mean_steps;
    int64_t next_step; /* step of the next run_meta, if has_next_step */
    bool has_next_step;
    bool on_both; /* tfp_ran_on_both, found when reading ends: each report asks for it */
} tfp_run_tables;

bool tfp_ran_any(const tfp_profile *p); /* whether a node ran in some step */
static inline int64_t tfp_exec_runs(const tfp_exec *e) { return e->run_count < 0 ? -e->run_count : e->run_count; }
bool tfp_ran_on_both(const tfp_profile *p); /* whether there is time of devices and of their host */
static inline uint64_t tfp_exec_key(uint32_t node, uint32_t step) { return (uint64_t)node << 32 | step; }
uint32_t tfp_find_step(const tfp_profile *p, int64_t id); /* TFP_NONE: there is none */

/* The values of a node's columns: at a step, as the mean over the steps in which it has statistics, or as the sum over
 * all steps. */
struct tfp_node_stats {
    int64_t run_count, total_ns, accelerator_ns, cpu_ns; /* in a mean: multiples of the profile's time_grain_ns */
    int64_t requested_bytes, peak_bytes, residual_bytes, output_bytes;
    int64_t float_ops;
};
void tfp_node_stats_at(const tfp_profile *p, uint32_t node, tfp_step_choice step, tfp_node_stats *out);
/* The first start of the node in these steps; INT64_MAX: it has no time in them. */
int64_t tfp_node_first_ns(const tfp_profile *p, uint32_t node, tfp_step_choice step);
void tfp_exec_stats_at(const tfp_profile *p, uint32_t node, uint32_t exec,
                       tfp_node_stats *out);                                /* for one of its steps */
uint32_t tfp_node_exec(const tfp_profile *p, uint32_t node, uint32_t step); /* returns an index in execs, or TFP_NONE */

TFP_CONST const tfp_run_tables *tfp_executions_of(const tfp_profile *p);

#endif
