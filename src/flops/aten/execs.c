// SPDX-License-Identifier: Apache-2.0
/* flops/aten/execs.c: the float operations of a trace's calls, and of the activities that graphs replay, as sums of
 * executions. */
#include "flops/aten/aten.h"
#include "flops/aten/captured.h"
#include "model/graphs.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"

static uint32_t outside_step(const tfp_profile *p)
{
    for (uint32_t i = 0; i < p->runs->steps.size; i++)
        if (!p->runs->steps.at[i].listed && p->runs->steps.at[i].id < 0) return i;
    return TFP_NONE;
}

typedef struct sums {
    const tfp_profile *p;
    /* node << 32 | step -> index in executions; made if the executions of a node are requested out of order */
    tfp_map64 by_step;
    bool indexed;
    uint32_t *last; /* for each node: the execution that was requested last; TFP_NONE: none */
    uint32_t outside;
    int64_t *of; /* float operations of each execution */
} sums;

static bool index_execs(sums *x)
{
    const tfp_profile *p = x->p;
    for (uint32_t node = 0; !x->indexed && node < p->graph->nodes.size; node++)
        for (TFP_EACH(p->runs->execs, e, p->graph->nodes.at[node].exec_first))
            if (!tfp_map64_put(&x->by_step, (uint64_t)node << 32 | p->runs->execs.at[e].step, e)) return false;
    return x->indexed = true;
}

/* Most spans come in the order of steps, as the executions of a node do. False without memory. */
static bool find_exec(sums *x, uint32_t node, uint32_t step, uint32_t *exec)
{
    const tfp_profile *p = x->p;
    uint32_t last = x->last[node], first = p->graph->nodes.at[node].exec_first;
    if (last != TFP_NONE && p->runs->execs.at[last].step == step) return *exec = last, true;
    uint32_t next = last == TFP_NONE ? first : p->runs->execs.at[last].next;
    if (next == TFP_NONE || p->runs->execs.at[next].step != step) next = first;
    *exec = next;
    if (next != TFP_NONE && p->runs->execs.at[next].step != step) {
        if (!index_execs(x)) return false;
        *exec = tfp_map64_get(&x->by_step, (uint64_t)node << 32 | step);
    }
    if (*exec != TFP_NONE) x->last[node] = *exec;
    return true;
}

static bool add_sum(sums *x, uint32_t span, int64_t flops)
{
    const tfp_span_columns *s = &x->p->events->spans;
    uint32_t step = s->step[span] == TFP_NONE ? x->outside : s->step[span], exec;
    if (s->node[span] == TFP_NONE) return true;
    if (!find_exec(x, s->node[span], step, &exec)) return false;
    if (exec != TFP_NONE) x->of[exec] = tfp_add(x->of[exec], flops, NULL);
    return true;
}

/* A captured call counts once for each replay, however many kernels it launched. */
static bool add_replays(sums *x)
{
    tfp_replayed r;
    int first = 0;
    bool ok = tfp_replayed_begin(x->p, &r);
    for (uint32_t i = 0; ok && i < x->p->events->spans.size; i++) {
        const tfp_captured_call *call = tfp_replayed_call(x->p, i);
        if (!call) continue;
        ok = tfp_replayed_first(&r, i, &first);
        if (ok && first && call->state == TFP_ATEN_COUNTED) ok = add_sum(x, i, call->float_ops);
    }
    tfp_replayed_end(&r);
    return ok;
}

static bool add_calls(sums *x, tfp_profile *p)
{
    tfp_aten_work w = { 0 };
    const tfp_span_columns *s = &p->events->spans;
    tfp_graph_tables *g = p->captures;
    if (!tfp_aten_has_shapes(p)) return true;
    if (!tfp_aten_work_out(p, &w)) return false;
    bool ok = tfp_aten_count_captured(g, p, &w, g->file_launches, true); /* the trace is its own capture */
    tfp_aten_leave_captured(p, &w);
    for (uint32_t i = 0; ok && i < s->size; i++)
        ok = w.state[i] != TFP_ATEN_COUNTED || add_sum(x, i, w.sets[w.set[i]].cost.flops);
    tfp_aten_work_free(&w);
    return ok;
}

/* Gives each activity that belongs to exactly one captured launch its operator. */
static void tell_calls(tfp_profile *p)
{
    const tfp_graph_tables *g = p->captures;
    for (size_t i = 0; i < p->events->attributions.size; i++) {
        tfp_attribution *a = &p->events->attributions.at[i];
        if (a->captured < g->launches.size) a->call = g->launches.at[a->captured].call;
    }
}

bool tfp_aten_count_execs(tfp_profile *p)
{
    sums x = { .p = p, .outside = outside_step(p) };
    if (!tfp_aten_has_shapes(p) && !p->captures->calls.size) return true;
    x.of = calloc(p->runs->execs.size + 1, sizeof *x.of);
    x.last = malloc((p->graph->nodes.size + 1) * sizeof *x.last);
    bool ok = x.of && x.last;
    if (ok) memset(x.last, 0xff, p->graph->nodes.size * sizeof *x.last); /* TFP_NONE */
    ok = ok && add_calls(&x, p);
    if (ok) tell_calls(p);
    ok = ok && add_replays(&x);
    for (size_t i = 0; ok && i < p->runs->execs.size; i++)
        if (x.of[i]) p->runs->execs.at[i].float_ops = x.of[i];
    free(x.of);
    free(x.last);
    tfp_map64_free(&x.by_step);
    return ok;
}
