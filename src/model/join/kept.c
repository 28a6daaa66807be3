// SPDX-License-Identifier: Apache-2.0
/* model/join/kept.c: selects the steps that have sums of their own when only some are asked for (TFP_KEEP_TOTAL). All
 * steps but the one asked for share their sums. For the mean all steps share them, and the steps in which each node ran
 * are counted. */
#include "model/join/join.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/step_marks.h"

#include <stdlib.h>

void tfp_join_kept(tfp_join *x)
{
    x->execs.kept = (tfp_kept_steps){ .apart = !tfp_only_total(x->p), .one = TFP_NONE, .others = TFP_NONE };
    if (x->execs.kept.apart) return;
    if (x->p->kept.which == TFP_STEP_ONE) x->execs.kept.one = tfp_find_step(x->p, x->p->kept.id);
    for (size_t i = 0; i < x->t->windows.size && x->execs.kept.others == TFP_NONE; i++)
        if (x->t->windows.at[i].step != x->execs.kept.one) x->execs.kept.others = x->t->windows.at[i].step;
    x->execs.kept.mean = x->p->kept.which == TFP_STEP_MEAN;
    x->execs.kept.all = x->p->kept.which == TFP_STEP_ALL;
}

/* ---- in how many steps each node ran ---- */

bool tfp_join_ran(tfp_join *x, uint32_t node, uint32_t step)
{
    return tfp_push(&x->execs.ran_in, ((tfp_node_step){ node, step }));
}

/* Indexes of the pairs, sorted by node. */
static uint32_t *by_node(const tfp_join *x, size_t *first)
{
    size_t nodes = x->p->graph->nodes.size;
    uint32_t *steps = malloc((x->execs.ran_in.size + 1) * sizeof *steps);
    if (!steps) return NULL;
    for (size_t i = 0; i < x->execs.ran_in.size; i++) first[x->execs.ran_in.at[i].node + 1]++;
    for (size_t i = 1; i <= nodes; i++) first[i] += first[i - 1];
    for (size_t i = 0; i < x->execs.ran_in.size; i++)
        steps[first[x->execs.ran_in.at[i].node]++] = x->execs.ran_in.at[i].step;
    for (size_t i = nodes; i > 0; i--) first[i] = first[i - 1];
    first[0] = 0;
    return steps;
}

void tfp_join_count_steps(tfp_join *x)
{
    size_t nodes = x->p->graph->nodes.size;
    if (!x->execs.kept.mean) return;
    size_t *first = calloc(nodes + 2, sizeof *first);
    /* for each step: the last node that ran in it */
    uint32_t *seen = malloc((x->p->runs->steps.size + 1) * sizeof *seen);
    uint32_t *steps = first && seen ? by_node(x, first) : NULL;
    free(x->t->slim->mean_steps);
    x->t->slim->mean_steps = calloc(nodes + 1, sizeof *x->t->slim->mean_steps);
    if (tfp_join_keep(x, steps && x->t->slim->mean_steps)) {
        memset(seen, 0xff, (x->p->runs->steps.size + 1) * sizeof *seen); /* TFP_NONE */
        for (uint32_t node = 0; node < nodes; node++)
            for (size_t i = first[node]; i < first[node + 1]; i++) {
                x->t->slim->mean_steps[node] += seen[steps[i]] != node;
                seen[steps[i]] = node;
            }
    }
    free(first);
    free(seen);
    free(steps);
}
