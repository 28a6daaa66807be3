// SPDX-License-Identifier: Apache-2.0
/* model/join/cut.c: the part of a trace between two times. Parents, launches, owners, nodes and steps of spans stay as
 * the join found them in the whole trace; self times are computed again from what is inside, and executions are summed
 * again. */
#include "model/join/cut.h"
#include "model/join/join.h"
#include "model/tables/details.h"
#include "model/tables/graph.h"
#include "model/tables/memory_events.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/step_marks.h"

enum { PARENTS_MOST = 1000 }; /* most spans between two host ops; hostile files nest deeper */

typedef struct cutter {
    const tfp_profile *whole;
    tfp_arena *a;
    tfp_cut *c;
    int64_t *in_ns; /* for each span: the part of its duration that is inside */
    uint8_t *ran;   /* for each node: whether it has host spans */
    uint32_t *last; /* for each node: its last execution */
    tfp_map64 exec_by_step;
} cutter;

/* ---- self times ---- */

/* The time inside the range. An instant counts if its time is in the range, which contains its start but not its
 * end. */
static int64_t overlap(int64_t start, int64_t end, int64_t from, int64_t to)
{
    int64_t low = start > from ? start : from, high = end < to ? end : to;
    return high > low ? high - low : 0;
}

static void clip(cutter *x, uint32_t i)
{
    const tfp_span_columns *s = &x->whole->events->spans;
    uint32_t process = x->whole->lanes->at[s->lane[i]].process;
    if (process == TFP_NONE) return;
    int64_t from = x->c->from_ns[process], to = x->c->to_ns[process], start = s->start_ns[i];
    bool left_out = x->c->left_out && x->c->left_out[s->lane[i]];
    int64_t in = left_out ? 0 : overlap(start, tfp_span_end(s, i), from, to);
    bool there = in || (!left_out && !s->duration_ns[i] && start >= from && start < to);
    x->in_ns[i] = in;
    x->c->p.events->spans.self_ns[i] = in;
    if (!there) x->c->p.events->spans.marks[i] |= TFP_MARK_OUTSIDE;
}

/* The span from which the join subtracted a span's duration (model/join/nest.c): the host op around it, or a span of
 * unknown kind. */
static uint32_t payer(const tfp_span_columns *s, uint32_t i)
{
    uint32_t at = s->parent[i];
    if (s->kind[i] == TFP_SPAN_OTHER) return at != TFP_NONE && s->kind[at] == TFP_SPAN_OTHER ? at : TFP_NONE;
    if (!tfp_is_host_op(s->kind[i])) return TFP_NONE;
    for (int steps = 0; at != TFP_NONE && !tfp_is_host_op(s->kind[at]) && steps < PARENTS_MOST; steps++)
        at = s->parent[at];
    return at != TFP_NONE && tfp_is_host_op(s->kind[at]) ? at : TFP_NONE;
}

static void take_off(cutter *x, uint32_t from, uint32_t i)
{
    int64_t *self = &x->c->p.events->spans.self_ns[from];
    *self = tfp_add(*self, -x->in_ns[i], NULL);
}

static void settle(cutter *x)
{
    const tfp_span_columns *s = &x->c->p.events->spans;
    for (uint32_t i = 0; i < s->size; i++) {
        uint32_t around = x->in_ns[i] ? payer(s, i) : TFP_NONE;
        if (around != TFP_NONE) take_off(x, around, i);
    }
}

static bool is_nested_device(const tfp_profile *p, uint32_t lane)
{
    tfp_str name = tfp_text(p, p->lanes->at[lane].name);
    return p->lanes->at[lane].role == TFP_ROLE_STREAM && name.size > 4 && memcmp(name.data, "tpu:", 4) == 0;
}

/* Activities of a TPU nest but have no parents, so their self times are computed here. */
static bool settle_devices(cutter *x)
{
    const tfp_profile *p = x->whole;
    const tfp_span_columns *s = &p->events->spans;
    bool some = false, ok = true;
    for (uint32_t lane = 0; lane < p->lanes->size; lane++) some |= is_nested_device(p, lane);
    if (!some) return true;
    tfp_span_order order;
    uint32_t *open = malloc((s->size + 1) * sizeof *open);
    ok = tfp_span_order_of(p, &order) && open;
    for (uint32_t lane = 0; ok && lane < p->lanes->size; lane++) {
        size_t depth = 0;
        for (uint32_t k = order.lane_first[lane]; is_nested_device(p, lane) && k < order.lane_first[lane + 1]; k++) {
            uint32_t i = order.items[k];
            if (s->kind[i] != TFP_SPAN_ACTIVITY) continue;
            while (depth && tfp_span_end(s, open[depth - 1]) < tfp_span_end(s, i)) depth--;
            if (depth) take_off(x, open[depth - 1], i);
            open[depth++] = i;
        }
    }
    tfp_span_order_free(&order);
    free(open);
    return ok;
}

static bool cut_spans(cutter *x)
{
    const tfp_span_columns *s = &x->whole->events->spans;
    tfp_span_columns *out = &x->c->p.events->spans;
    out->self_ns = TFP_NEW(x->a, int64_t, s->size + 1);
    out->marks = TFP_NEW(x->a, uint8_t, s->size + 1);
    x->in_ns = calloc(s->size + 1, sizeof *x->in_ns);
    if (!out->self_ns || !out->marks || !x->in_ns) return false;
    if (s->size) memcpy(out->marks, s->marks, s->size);
    for (uint32_t i = 0; i < s->size; i++) clip(x, i);
    settle(x);
    if (!settle_devices(x)) return false;
    for (uint32_t i = 0; i < s->size; i++) /* where spans cross, the join subtracted more than they had */
        if (out->self_ns[i] < 0) out->self_ns[i] = 0;
    return true;
}

/* ---- executions ---- */

static tfp_exec *exec_of(cutter *x, uint32_t node, uint32_t step)
{
    tfp_profile *p = &x->c->p;
    if (step == TFP_NONE) step = tfp_find_step(p, -1); /* for work outside all steps */
    if (step == TFP_NONE) return NULL;
    uint32_t at = x->last[node];
    if (at != TFP_NONE && p->runs->execs.at[at].step == step) return &p->runs->execs.at[at];
    uint64_t key = tfp_exec_key(node, step);
    at = tfp_map64_get(&x->exec_by_step, key);
    if (at == TFP_NONE) {
        at = (uint32_t)p->runs->execs.size++; /* never more than in the whole trace, except for allocations */
        p->runs->execs.at[at] = (tfp_exec){ .step = step, .next = TFP_NONE };
        tfp_node *n = &p->graph->nodes.at[node];
        if (n->exec_first == TFP_NONE)
            n->exec_first = at;
        else
            p->runs->execs.at[n->exec_last].next = at;
        n->exec_last = at;
        if (!tfp_map64_put(&x->exec_by_step, key, at)) return NULL;
    }
    x->last[node] = at;
    return &p->runs->execs.at[at];
}

static void find_runs(cutter *x)
{
    const tfp_span_columns *s = &x->whole->events->spans;
    for (uint32_t i = 0; i < s->size; i++)
        if (s->node[i] != TFP_NONE && s->kind[i] != TFP_SPAN_ACTIVITY) x->ran[s->node[i]] = 1;
}

static bool sum_spans(cutter *x, bool recount)
{
    const tfp_profile *p = &x->c->p;
    tfp_strid flops = tfp_strtab_find(&p->strings, TFP_STR("flops"));
    for (uint32_t i = 0; i < p->events->spans.size; i++) {
        tfp_runs r = tfp_runs_of_span(p, i);
        if (r.marks & TFP_MARK_OUTSIDE || !tfp_runs_count(p, &r)) continue;
        r.start_ns = tfp_cut_start(x->c, p, i);
        r.end_ns = tfp_cut_end(x->c, p, i);
        tfp_exec *e = exec_of(x, r.node, r.step);
        if (!e) return false;
        if (recount)
            tfp_exec_recount(e, &r);
        else
            tfp_exec_add(p, e, &r, x->ran[r.node], flops);
    }
    return true;
}

static bool sum_runs(cutter *x)
{
    tfp_run_tables *runs = x->c->p.runs;
    bool lacks = false;
    if (!sum_spans(x, false)) return false;
    for (size_t i = 0; i < runs->execs.size; i++) lacks |= tfp_exec_lacks_runs(&runs->execs.at[i]);
    if (!lacks) return true;
    if (!sum_spans(x, true)) return false;
    for (size_t i = 0; i < runs->execs.size; i++) tfp_exec_settle(&runs->execs.at[i]);
    return true;
}

/* The step of an allocation outside all ops; in a trace without steps it is the only step. */
static uint32_t step_at(const tfp_profile *p, uint32_t process, int64_t at_ns)
{
    bool whole = p->events->processes.at[process].steps == TFP_STEPS_NONE;
    for (size_t i = 0; i < p->events->windows.size; i++) {
        const tfp_step_window *w = &p->events->windows.at[i];
        if (w->process == process && !w->device && (whole || (at_ns >= w->start_ns && at_ns < w->end_ns)))
            return w->step;
    }
    return tfp_find_step(p, -1);
}

/* Adds the allocations and frees in the range to the nodes that made them. */
static bool cut_memory(cutter *x)
{
    const tfp_event_tables *t = x->whole->events;
    tfp_event_tables *out = x->c->p.events;
    uint32_t none = tfp_find_node(x->whole, TFP_STR("(no op)"));
    out->memory.at = TFP_NEW(x->a, tfp_memory_event, t->memory.size + 1);
    out->memory.size = 0;
    if (!out->memory.at) return false;
    for (size_t i = 0; i < t->memory.size; i++) {
        const tfp_memory_event *m = &t->memory.at[i];
        uint32_t process = x->whole->lanes->at[m->lane].process;
        if (process == TFP_NONE || m->at_ns < x->c->from_ns[process] || m->at_ns >= x->c->to_ns[process]) continue;
        out->memory.at[out->memory.size++] = *m;
        uint32_t node = m->span == TFP_NONE ? none : t->spans.node[m->span];
        uint32_t step = m->span == TFP_NONE ? TFP_NONE : t->spans.step[m->span];
        if (step == TFP_NONE) step = step_at(x->whole, process, m->at_ns);
        if (node == TFP_NONE || step == TFP_NONE) continue;
        tfp_exec *e = exec_of(x, node, step);
        if (!e) return false;
        tfp_exec_add_memory(e, m);
    }
    return true;
}

static bool cut_execs(cutter *x)
{
    const tfp_profile *w = x->whole;
    tfp_profile *p = &x->c->p;
    size_t nodes = w->graph->nodes.size;
    p->graph->nodes.at = TFP_NEW(x->a, tfp_node, nodes + 1);
    p->runs->execs.at = TFP_NEW(
        x->a, tfp_exec, (x->c->execs_most ? x->c->execs_most : w->runs->execs.size) + w->events->memory.size + 1);
    x->ran = calloc(nodes + 1, 1);
    x->last = malloc((nodes + 1) * sizeof *x->last);
    if (!p->graph->nodes.at || !p->runs->execs.at || !x->ran || !x->last) return false;
    p->runs->execs.size = p->runs->execs_indexed = p->detail->details.size = 0;
    if (nodes) memcpy(p->graph->nodes.at, w->graph->nodes.at, nodes * sizeof *w->graph->nodes.at);
    for (size_t i = 0; i < nodes; i++)
        p->graph->nodes.at[i].exec_first = p->graph->nodes.at[i].exec_last = x->last[i] = TFP_NONE;
    find_runs(x);
    return sum_runs(x) && cut_memory(x);
}

/* ---- steps ---- */

static bool cut_windows(cutter *x)
{
    const tfp_event_tables *t = x->whole->events;
    tfp_event_tables *out = x->c->p.events;
    out->windows.at = TFP_NEW(x->a, tfp_step_window, t->windows.size + 1);
    out->windows.size = 0;
    if (!out->windows.at) return false;
    for (size_t i = 0; i < t->windows.size; i++) {
        tfp_step_window w = t->windows.at[i];
        if (w.start_ns < x->c->from_ns[w.process]) w.start_ns = x->c->from_ns[w.process];
        if (w.end_ns > x->c->to_ns[w.process]) w.end_ns = x->c->to_ns[w.process];
        if (w.end_ns > w.start_ns) out->windows.at[out->windows.size++] = w;
    }
    return true;
}

/* Makes copies of the tables in which the cut differs from its profile. */
static bool own_tables(cutter *x)
{
    struct tables {
        tfp_node_tables graph;
        tfp_run_tables runs;
        tfp_detail_tables detail;
        tfp_event_tables events;
    } *own = TFP_NEW(x->a, struct tables, 1);
    if (!own) return false;
    *own = (struct tables){ *x->whole->graph, *x->whole->runs, *x->whole->detail, *x->whole->events };
    x->c->p.graph = &own->graph;
    x->c->p.runs = &own->runs;
    x->c->p.detail = &own->detail;
    x->c->p.events = &own->events;
    return true;
}

bool tfp_cut_make(const tfp_profile *whole, tfp_arena *a, tfp_cut *c)
{
    cutter x = { .whole = whole, .a = a, .c = c };
    c->p = *whole;
    bool ok = own_tables(&x) && cut_spans(&x) && cut_execs(&x) && cut_windows(&x);
    free(x.in_ns);
    free(x.ran);
    free(x.last);
    tfp_map64_free(&x.exec_by_step);
    return ok;
}
