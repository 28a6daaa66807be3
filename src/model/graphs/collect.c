// SPDX-License-Identifier: Apache-2.0
/* model/graphs/collect.c: collects the graphs that were captured while a trace was recorded. Between the begin and the
 * end of a capture a thread's launches run nothing; they show the modules, ops and frames around each node of the
 * graph. In: a joined trace. Out: rows of the builder's tables. Answers are stored per span, so the work is linear in
 * the spans. When a whole network is captured, PyTorch's engine runs the backward pass in another thread: its launches
 * belong to the capture too, and get the places of their forward operators. */
#include "model/graphs/around.h"
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/profile.h"
#include "model/tables/stats.h"
#include "query/order.h"

typedef struct interval { /* a capture: spans of one thread, in nesting order */
    uint32_t begin, first, end;
    int64_t end_ns;
    bool beside; /* another capture of the process overlaps, so calls of other threads cannot be assigned */
} interval;

typedef struct collector {
    tfp_around a;
    TFP_VEC(uint32_t) calls; /* calls of one capture */
    TFP_VEC(interval) captures;
} collector;

/* ---- launches ---- */

static tfp_strid kernel_of(collector *c, uint32_t call, uint32_t op)
{
    tfp_strid told = tfp_around_text(&c->a, call, c->a.kernel);
    if (told) return told;
    tfp_str name = op == TFP_AROUND_NOTHING ? TFP_STR("") : tfp_text(c->a.p, c->a.s->name[op]);
    return tfp_str_begins(name, TFP_STR("triton_")) ? tfp_build_made_string(c->a.b, tfp_kernel_plain(name)) : 0;
}

static tfp_graph_sign sign_of(collector *c, uint32_t call, uint32_t op)
{
    tfp_str name = tfp_text(c->a.p, c->a.s->name[call]);
    tfp_graph_sign sign = { .kind = (uint8_t)tfp_kind_of_name(name) };
    if (sign.kind != TFP_LAUNCHES_KERNEL) return sign;
    sign.kernel = kernel_of(c, call, op);
    if (sign.kernel) sign.kind = (uint8_t)tfp_kind_of_name(tfp_text(c->a.b->p, sign.kernel));
    if (op != TFP_AROUND_NOTHING) sign.family = (uint8_t)tfp_family_of_op(tfp_text(c->a.p, c->a.s->name[op]));
    return sign;
}

static bool add_launch(collector *c, uint32_t call)
{
    uint32_t parent = c->a.s->parent[call], op = tfp_ask(&c->a, TFP_ASK_OP, parent);
    tfp_captured_launch l = { .span = call, .call = TFP_NONE };
    tfp_around_place(&c->a, call, parent, &l);
    l.sign = sign_of(c, call, op);
    return !c->a.b->status && tfp_push(&c->a.b->p->captures->launches, l);
}

/* ---- launches of other threads ---- */

static bool goes_before(const collector *c, uint32_t call, uint32_t process, int64_t start_ns)
{
    uint32_t own = tfp_around_process(&c->a, call);
    return own != process ? own < process : c->a.s->start_ns[call] < start_ns;
}

/* Adds calls of other threads that belong to a capture: those in backward operators while nothing else is captured. */
static bool take_others(collector *c, const interval *of)
{
    uint32_t process = tfp_around_process(&c->a, of->begin);
    size_t at;
    TFP_LOWER_BOUND(at, 0, c->a.others.size, goes_before(c, c->a.others.at[at], process, c->a.s->start_ns[of->begin]));
    for (; !of->beside && at < c->a.others.size; at++) {
        uint32_t i = c->a.others.at[at];
        if (tfp_around_process(&c->a, i) != process || c->a.s->start_ns[i] > of->end_ns) break;
        if (c->a.s->lane[i] != c->a.s->lane[of->begin] && !tfp_push(&c->calls, i)) return false;
    }
    return true;
}

static bool add_graph(collector *c, const interval *of)
{
    tfp_graph_tables *g = c->a.b->p->captures;
    uint32_t process = c->a.p->lanes->at[c->a.s->lane[of->begin]].process;
    tfp_captured_graph graph = { .first = (uint32_t)g->launches.size,
                                 .owner = tfp_graph_owner(c->a.p, process, c->a.own) };
    c->a.begin_ns = c->a.s->start_ns[of->begin];
    c->calls.size = 0;
    for (uint32_t k = of->first; k < of->end; k++)
        if (tfp_around_adds_node(&c->a, c->a.nest.order[k]) && !tfp_push(&c->calls, c->a.nest.order[k])) return false;
    size_t own = c->calls.size;
    if (!take_others(c, of)) return false;
    if (c->calls.size > own &&
        !tfp_order_items(c->calls.at, c->calls.size, (tfp_sort_key[]){ TFP_UP_IN(c->a.s->start_ns), { 0 } }, NULL, 0))
        return false;
    for (size_t k = 0; k < c->calls.size; k++)
        if (g->launches.size >= TFP_NONE - 1 || !add_launch(c, c->calls.at[k])) return false;
    graph.count = (uint32_t)g->launches.size - graph.first;
    return g->captured.size < TFP_NONE - 1 && tfp_push(&g->captured, graph);
}

/* ---- captures ---- */

static bool find_captures(collector *c)
{
    interval open = { TFP_NONE, 0, 0 };
    for (uint32_t k = 0; k < c->a.s->size; k++) {
        uint32_t i = c->a.nest.order[k];
        if (open.begin != TFP_NONE && c->a.s->lane[open.begin] != c->a.s->lane[i]) open.begin = TFP_NONE;
        if (c->a.s->kind[i] != TFP_SPAN_CALL ||
            c->a.p->lanes->at[c->a.s->lane[i]].process >= c->a.p->events->processes.size)
            continue;
        tfp_str name = tfp_text(c->a.p, c->a.s->name[i]);
        bool ends = tfp_str_has(name, TFP_STR("StreamEndCapture"));
        if (ends && open.begin != TFP_NONE) {
            open.end = k;
            open.end_ns = c->a.s->start_ns[i];
            if (!tfp_push(&c->captures, open)) return false;
        }
        if (ends) open.begin = TFP_NONE;
        if (tfp_begins_capture(name)) open = (interval){ i, k + 1, 0 };
    }
    return true;
}

static bool earlier(const void *ctx, uint32_t a, uint32_t b)
{
    const collector *c = ctx;
    return c->a.s->start_ns[c->captures.at[a].begin] < c->a.s->start_ns[c->captures.at[b].begin];
}

/* Finds overlapping captures of one process; `order` sorts them by start. */
static bool find_beside(collector *c, const uint32_t *order)
{
    size_t processes = c->a.p->events->processes.size + 1;
    uint32_t *last = malloc(processes * sizeof *last); /* for each process: the earlier capture that ends last */
    if (!last) return false;
    memset(last, 0xff, processes * sizeof *last); /* TFP_NONE */
    for (size_t k = 0; k < c->captures.size; k++) {
        interval *of = &c->captures.at[order[k]];
        uint32_t *before = &last[tfp_around_process(&c->a, of->begin)];
        bool beside = *before != TFP_NONE && c->captures.at[*before].end_ns > c->a.s->start_ns[of->begin];
        if (beside) of->beside = c->captures.at[*before].beside = true;
        if (*before == TFP_NONE || of->end_ns > c->captures.at[*before].end_ns) *before = order[k];
    }
    free(last);
    return true;
}

bool tfp_graphs_collect(tfp_builder *b, const tfp_profile *from, bool own)
{
    collector c = { .a = { .b = b, .p = from, .s = &from->events->spans, .own = own } };
    bool ok = tfp_around_start(&c.a) && find_captures(&c);
    uint32_t *order = ok ? TFP_NEW(&c.a.arena, uint32_t, c.captures.size + 1) : NULL;
    for (uint32_t i = 0; order && i < c.captures.size; i++) order[i] = i;
    ok = order && tfp_sort(order, c.captures.size, earlier, &c) && find_beside(&c, order);
    for (size_t i = 0; ok && i < c.captures.size; i++) ok = add_graph(&c, &c.captures.at[order[i]]);
    tfp_vec_free(&c.calls);
    tfp_vec_free(&c.captures);
    tfp_around_free(&c.a);
    return ok && !b->status;
}
