// SPDX-License-Identifier: Apache-2.0
/* model/join/kept.c: selects the steps that have sums of their own when only some are asked for (TFP_READS_ONE_STEP). All
 * steps but the one asked for share their sums. For the mean all steps share them, and the steps in which each node ran
 * are counted. No mean takes steps in which something is in doubt (docs/advise.md). */
#include "model/join/join.h"
#include "model/tables/doubts.h"
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
    free(x->p->runs->mean_steps);
    x->p->runs->mean_steps = calloc(nodes + 1, sizeof *x->p->runs->mean_steps);
    if (tfp_join_keep(x, steps && x->p->runs->mean_steps)) {
        memset(seen, 0xff, (x->p->runs->steps.size + 1) * sizeof *seen); /* TFP_NONE */
        for (uint32_t node = 0; node < nodes; node++)
            for (size_t i = first[node]; i < first[node + 1]; i++) {
                x->p->runs->mean_steps[node] += seen[steps[i]] != node;
                seen[steps[i]] = node;
            }
    }
    free(first);
    free(seen);
    free(steps);
}

/* ---- steps that no mean takes ---- */

enum { DOUBTED = 1, UNSTEADY = 2 };

static uint64_t key_of(uint32_t process, uint32_t step) { return (uint64_t)process << 32 | step; }

/* Lists the steps of processes that may be left out. False: out of memory. *most: nothing is known of any step. */
static bool list(const tfp_event_tables *e, tfp_map64 *why, bool *most)
{
    bool ok = true;
    for (size_t i = 0; i < e->doubts.size && ok; i++) {
        const tfp_doubt *d = &e->doubts.at[i];
        uint64_t key = key_of(d->process, d->step);
        *most |= tfp_doubt_of_all(d->kind);
        if (d->step == TFP_NONE || !d->count) continue;
        if (tfp_doubt_is_said(d->kind))
            ok = tfp_map64_put(why, key, DOUBTED);
        else if (d->of && tfp_map64_get(why, key) == TFP_NONE)
            ok = tfp_map64_put(why, key, UNSTEADY);
    }
    return ok;
}

/* Whether a device works in a step that stays, or in no step at all. */
static bool works_elsewhere(const tfp_profile *p, const tfp_map64 *why)
{
    const tfp_span_columns *s = &p->events->spans;
    bool any = false;
    for (uint32_t i = 0; i < s->size; i++) {
        uint32_t process = p->lanes->at[s->lane[i]].process;
        if (s->kind[i] != TFP_SPAN_ACTIVITY || s->step[i] == TFP_NONE) continue;
        any = true;
        if (tfp_map64_get(why, key_of(process, s->step[i])) == TFP_NONE) return true;
    }
    return !any;
}

bool tfp_left_steps(const tfp_profile *p, bool **out)
{
    const tfp_event_tables *e = p->events;
    tfp_map64 why = { 0 };
    size_t count[UNSTEADY + 1] = { 0 };
    bool most = false, ok = list(e, &why, &most);
    *out = NULL;
    for (size_t i = 0; i < e->windows.size && ok && !most; i++) {
        uint32_t of = tfp_map64_get(&why, key_of(e->windows.at[i].process, e->windows.at[i].step));
        count[of == TFP_NONE ? 0 : of]++;
    }
    if (ok && !most && count[DOUBTED] + count[UNSTEADY]) {
        bool elsewhere = works_elsewhere(p, &why), unsteady = elsewhere && count[0];
        most = !elsewhere || count[DOUBTED] > e->windows.size / 2;
        if (!most) ok = (*out = calloc(p->runs->steps.size + 1, sizeof **out)) != NULL;
        for (size_t i = 0; i < e->windows.size && ok && !most; i++) {
            uint32_t of = tfp_map64_get(&why, key_of(e->windows.at[i].process, e->windows.at[i].step));
            if (of != TFP_NONE && (of == DOUBTED || unsteady)) (*out)[e->windows.at[i].step] = true;
        }
    }
    tfp_map64_free(&why);
    return ok;
}
