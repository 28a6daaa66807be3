// SPDX-License-Identifier: Apache-2.0
/* model/join/execs.c: sums what each node did in each step: runs, times, bytes. */
#include "model/graphs.h"
#include "model/join/join.h"
#include "model/tables/doubts.h"
#include "model/tables/graph.h"
#include "model/tables/memory_events.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/stats.h"

#include <stdlib.h>

/* The node's next execution, if it is in that step. Most lanes go through the steps in order, and a node's executions
 * are in the same order. TFP_NONE: it is not the next one. */
static uint32_t next_exec(const tfp_join *x, uint32_t node, uint32_t step)
{
    const tfp_profile *p = x->p;
    uint32_t first = p->graph->nodes.at[node].exec_first, last = x->nodes.last_exec.at[node];
    uint32_t next = last == TFP_NONE ? first : p->runs->execs.at[last].next;
    if (next != TFP_NONE && p->runs->execs.at[next].step == step) return next;
    return first != TFP_NONE && p->runs->execs.at[first].step == step ? first : TFP_NONE;
}

/* Finds or makes an execution without an index, when all executions were made by this join. */
static uint32_t own_exec(tfp_join *x, uint32_t node, uint32_t step)
{
    tfp_profile *p = x->p;
    const tfp_node *n = &p->graph->nodes.at[node];
    uint32_t at = next_exec(x, node, step);
    if (at != TFP_NONE) return at;
    size_t before = p->runs->execs.size;
    bool is_new = n->exec_first == TFP_NONE || (!x->execs.backwards && p->runs->execs.at[n->exec_last].step < step);
    at = is_new ? tfp_build_new_exec(x->b, node, step) : tfp_build_exec(x->b, node, step);
    if (at == TFP_NONE || p->runs->execs.size == before) return at;
    if (!is_new) x->execs.backwards = true;
    return tfp_push(&x->t->joined_execs, at) ? at : TFP_NONE;
}

/* Finds or makes an execution that another file may have made. */
static uint32_t shared_exec(tfp_join *x, uint32_t node, uint32_t step)
{
    uint64_t key = (uint64_t)node << 32 | step;
    uint32_t at = tfp_map64_get(&x->execs.by_step, key);
    if (at != TFP_NONE) return at;
    at = tfp_build_exec(x->b, node, step);
    bool ok = at != TFP_NONE && tfp_map64_put(&x->execs.by_step, key, at) && tfp_push(&x->t->joined_execs, at);
    return ok ? at : TFP_NONE;
}

/* The execution of a node in a step. Spans outside all steps are counted in a step that no option selects. */
static tfp_exec *exec_of(tfp_join *x, uint32_t node, uint32_t step)
{
    tfp_profile *p = x->p;
    step = tfp_step_kept(x, step);
    if (step == TFP_NONE || x->execs.kept.all) {
        if (x->windows.outside == TFP_NONE) x->windows.outside = tfp_build_step(x->b, -1, false);
        step = x->windows.outside;
    }
    uint32_t at = x->nodes.last_exec.at[node];
    if (at != TFP_NONE && p->runs->execs.at[at].step == step) return &p->runs->execs.at[at];
    at = x->execs.own ? own_exec(x, node, step) : shared_exec(x, node, step);
    if (!tfp_join_keep(x, at != TFP_NONE)) return NULL;
    x->nodes.last_exec.at[node] = at;
    return &p->runs->execs.at[at];
}

static void add_time(tfp_exec *e, int64_t *sum, int64_t self_ns, int64_t start_ns, int64_t end_ns, bool first)
{
    *sum = tfp_add(*sum, self_ns, NULL);
    if (first || start_ns < e->start_ns) e->start_ns = start_ns;
    if (first || end_ns > e->end_ns) e->end_ns = end_ns;
}

/* The float operations in a span's stats: recorded in the file, or computed from its HLO. */
static int64_t stats_flops(const tfp_profile *p, uint32_t at, tfp_strid key)
{
    if (at == TFP_NONE || key == TFP_NONE) return 0;
    const tfp_stat_set *set = &p->events->stat_sets.at[at];
    for (uint32_t k = 0; k < set->count; k++) {
        const tfp_stat *stat = &p->events->stats.at[set->first + k];
        if (stat->key == key && stat->type == TFP_STAT_INT && stat->value.number > 0) return stat->value.number;
    }
    return 0;
}

bool tfp_runs_count(const tfp_profile *p, const tfp_runs *r)
{
    return r->node != TFP_NONE && (r->kind != TFP_SPAN_ACTIVITY || p->lanes->at[r->lane].role == TFP_ROLE_STREAM);
}

void tfp_exec_add(const tfp_profile *p, tfp_exec *e, const tfp_runs *r, bool ran_on_host, tfp_strid flops)
{
    bool activity = r->kind == TFP_SPAN_ACTIVITY;
    bool first = !e->run_count && !e->start_ns && !e->end_ns;
    int64_t count = r->marks & TFP_MARK_CONTINUES ? 0 : r->count;
    if (!activity || !ran_on_host) e->run_count += count;
    /* the call that launches a kernel has its stats, too */
    if (r->kind != TFP_SPAN_CALL)
        e->float_ops = tfp_add(e->float_ops, tfp_mul(stats_flops(p, r->stats, flops), count, NULL), NULL);
    add_time(e, activity ? &e->accelerator_ns : &e->cpu_ns, r->self_ns, r->start_ns, r->end_ns, first);
}

bool tfp_exec_lacks_runs(tfp_exec *e)
{
    if (e->run_count || (e->cpu_ns <= 0 && e->accelerator_ns <= 0)) return false;
    e->run_count = -1;
    return true;
}

void tfp_exec_recount(tfp_exec *e, const tfp_runs *r)
{
    bool counts = r->kind == TFP_SPAN_ACTIVITY && !(r->marks & TFP_MARK_CONTINUES);
    if (counts && e->run_count < 0) e->run_count -= r->count;
}

void tfp_exec_settle(tfp_exec *e)
{
    if (e->run_count < -1) e->run_count++;
}

void tfp_exec_add_memory(tfp_exec *e, const tfp_memory_event *m)
{
    if (m->bytes > 0) e->requested_bytes = tfp_add(e->requested_bytes, m->bytes, NULL);
    e->residual_bytes = tfp_add(e->residual_bytes, m->bytes, NULL);
}

tfp_runs tfp_runs_of_span(const tfp_profile *p, uint32_t i)
{
    const tfp_span_columns *s = &p->events->spans;
    return (tfp_runs){ .node = s->node[i],
                       .step = s->step[i],
                       .lane = s->lane[i],
                       .stats = tfp_span_work(p, i),
                       .kind = s->kind[i],
                       .marks = s->marks[i],
                       .count = 1,
                       .self_ns = s->self_ns[i],
                       .start_ns = s->start_ns[i],
                       .end_ns = tfp_span_end(s, i) };
}

/* The step, or none if the mean leaves it out. */
static uint32_t step_of_mean(const tfp_join *x, uint32_t step)
{
    return x->execs.left && step != TFP_NONE && x->execs.left[step] ? TFP_NONE : step;
}

/* Notes that the node ran in that step, for the mean. */
static void note_step(tfp_join *x, uint32_t node, uint32_t step)
{
    if (x->execs.kept.mean && step != TFP_NONE) tfp_join_keep(x, tfp_join_ran(x, node, step));
}

static void add_runs(tfp_join *x, const tfp_runs *r, tfp_strid flops)
{
    tfp_exec *e = exec_of(x, r->node, r->step);
    if (e && x->execs.recounts)
        tfp_exec_recount(e, r);
    else if (e)
        tfp_exec_add(x->p, e, r, x->nodes.ran.at[r->node], flops);
}

static void add_span(tfp_join *x, uint32_t i, tfp_strid flops)
{
    tfp_runs r = tfp_runs_of_span(x->p, i);
    if (!tfp_runs_count(x->p, &r)) return;
    r.step = step_of_mean(x, r.step);
    if (!x->execs.recounts) note_step(x, r.node, r.step);
    add_runs(x, &r, flops);
}

static void add_compact(tfp_join *x, const tfp_compact_lane *f, tfp_strid flops)
{
    for (size_t i = 0; i < f->sums.size && !x->b->status; i++) {
        const tfp_compact_sum *g = &f->sums.at[i];
        const tfp_compact_kind *k = &x->t->compact->kinds.at[g->kind];
        tfp_runs r = { .node = g->node,
                       .step = g->step,
                       .lane = f->lane,
                       .stats = k->stats,
                       .kind = k->kind,
                       .marks = k->marks,
                       .count = g->count,
                       .self_ns = g->self_ns,
                       .start_ns = g->start_ns,
                       .end_ns = g->end_ns };
        if (!tfp_runs_count(x->p, &r)) continue;
        add_runs(x, &r, flops);
    }
    for (size_t i = 0; i < f->ran.size && !x->b->status && !x->execs.recounts; i++) {
        const tfp_compact_sum *g = &f->sums.at[f->ran.at[i].sum];
        tfp_runs r = { .node = g->node, .kind = x->t->compact->kinds.at[g->kind].kind, .lane = f->lane };
        if (tfp_runs_count(x->p, &r)) note_step(x, g->node, f->ran.at[i].step);
    }
}

/* ---- memory ---- */

/* Adds an allocation or a free to the op in which it happened. */
static void add_memory(tfp_join *x, const tfp_memory_event *m)
{
    const tfp_span_columns *s = &x->t->spans;
    uint32_t process = x->p->lanes->at[m->lane].process;
    uint32_t node = m->span == TFP_NONE ? tfp_join_no_op(x) : s->node[m->span];
    uint32_t step = m->span == TFP_NONE ? tfp_join_step_at(x, process, 0, m->at_ns) : s->step[m->span];
    step = step_of_mean(x, step);
    tfp_exec *e = node == TFP_NONE ? NULL : exec_of(x, node, step);
    if (!e) return;
    note_step(x, node, step);
    tfp_exec_add_memory(e, m);
}

static void add_lanes(tfp_join *x)
{
    tfp_strid flops = tfp_strtab_find(&x->p->strings, TFP_STR("flops"));
    for (uint32_t lane = 0; lane < x->p->lanes->size && !x->b->status; lane++) {
        const tfp_compact_lane *compact = tfp_compact_lane_of(x->t, lane);
        for (size_t k = x->lane_first[lane]; k < x->lane_first[lane + 1] && !x->b->status; k++)
            add_span(x, x->order[k], flops);
        if (compact) add_compact(x, compact, flops);
    }
}

/* A node that ran on the host in another step, or whose activities continue a run of another node, has time and no run: its activities
 * are its runs. That is rare, so they are counted in a second pass. */
static void add_missing_runs(tfp_join *x)
{
    tfp_run_tables *runs = x->p->runs;
    for (size_t i = 0; i < x->t->joined_execs.size; i++)
        x->execs.recounts |= tfp_exec_lacks_runs(&runs->execs.at[x->t->joined_execs.at[i]]);
    if (x->execs.recounts) add_lanes(x);
    for (size_t i = 0; i < x->t->joined_execs.size && x->execs.recounts; i++)
        tfp_exec_settle(&runs->execs.at[x->t->joined_execs.at[i]]);
    x->execs.recounts = false;
}

void tfp_join_execs(tfp_join *x)
{
    x->execs.own = !x->p->runs->execs.size;
    if (x->execs.kept.mean && !tfp_join_keep(x, tfp_left_steps(x->p, &x->execs.left))) return;
    add_lanes(x);
    add_missing_runs(x);
    for (size_t i = 0; i < x->t->memory.size && !x->b->status; i++) add_memory(x, &x->t->memory.at[i]);
    free(x->execs.left);
    x->execs.left = NULL;
}
