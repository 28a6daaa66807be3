// SPDX-License-Identifier: Apache-2.0
/* model/nest.c: nesting that includes Python frames: each lane is visited by start, with a stack of the open spans. */
#include "model/nest.h"
#include "model/order.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"

typedef struct open_span {
    uint32_t span;
    int64_t end_ns; /* its end, possibly cut */
} open_span;

typedef struct sweep {
    const tfp_span_columns *s;
    tfp_nest *nest;
    open_span *open;
    size_t depth;
    int64_t tolerance_ns;
} sweep;

bool tfp_has_plain_spans(const tfp_profile *p)
{
    const tfp_span_columns *s = &p->events->spans;
    if (tfp_only_sums(p)) return false; /* only sums were kept; markers are the only spans */
    for (size_t i = 0; i < s->size; i++)
        if (s->kind[i] != TFP_SPAN_OTHER) return false;
    return true;
}

bool tfp_kind_nests(unsigned kind, unsigned marks, bool other)
{
    if (marks & TFP_MARK_INSTANT) return false;
    switch (kind) {
    case TFP_SPAN_OP:
    case TFP_SPAN_CALL:
    case TFP_SPAN_ANNOTATION:
    case TFP_SPAN_MODULE:
    case TFP_SPAN_FRAME: return true;
    case TFP_SPAN_OTHER: return other;
    default: return false;
    }
}

bool tfp_nests(const tfp_profile *p, bool plain, uint32_t span)
{
    const tfp_span_columns *s = &p->events->spans;
    return tfp_kind_nests(s->kind[span], s->marks[span], plain && p->lanes->at[s->lane[span]].role == TFP_ROLE_THREAD);
}

/* Whether the span comes after an open one. With whole microseconds both are rounded: a span that is at least as much
 * outside as inside comes after, as for the parents of the model (model/join/nest.c). */
static bool is_behind(const sweep *w, const open_span *o, uint32_t span)
{
    const tfp_span_columns *s = w->s;
    int64_t start = s->start_ns[span], duration = s->duration_ns[span], outside = tfp_span_end(s, span) - o->end_ns;
    if (o->end_ns < start) return true;
    if (o->end_ns == start && duration && s->start_ns[o->span] < start) return true;
    return outside > 0 && outside <= w->tolerance_ns && outside >= duration - outside &&
           duration >= s->duration_ns[o->span];
}

static bool crosses(const sweep *w, uint32_t span)
{
    return w->depth && tfp_span_end(w->s, span) > tfp_add(w->open[w->depth - 1].end_ns, w->tolerance_ns, NULL);
}

/* A frame is cut at the end of the call around it, because the tracer closes generators late. An annotation is no call:
 * it may begin and end anywhere. */
static bool is_cut(const sweep *w, uint32_t span)
{
    return w->s->kind[span] == TFP_SPAN_FRAME && w->s->kind[w->open[w->depth - 1].span] != TFP_SPAN_ANNOTATION;
}

static void visit(sweep *w, uint32_t span)
{
    tfp_nest *n = w->nest;
    int64_t end = tfp_span_end(w->s, span);
    while (w->depth && is_behind(w, &w->open[w->depth - 1], span)) w->depth--;
    if (crosses(w, span) && !n->crossings++) n->first = span;
    while (crosses(w, span) && !is_cut(w, span)) w->depth--; /* everything in it is in this span too */
    if (w->depth) {
        const open_span *around = &w->open[w->depth - 1];
        n->parent[span] = around->span;
        if (crosses(w, span)) {
            n->duration_ns[span] = around->end_ns - w->s->start_ns[span];
            n->cuts++;
        }
        if (end > around->end_ns) end = around->end_ns;
    }
    w->open[w->depth++] = (open_span){ span, end };
}

bool tfp_nest_of(const tfp_profile *p, tfp_arena *arena, tfp_nest *out)
{
    const tfp_span_columns *s = &p->events->spans;
    size_t lanes = p->lanes->size;
    tfp_span_order order = { 0 };
    *out = (tfp_nest){ .parent = TFP_NEW(arena, uint32_t, s->size + 1),
                       .duration_ns = TFP_NEW(arena, int64_t, s->size + 1),
                       .first = TFP_NONE,
                       .plain = tfp_has_plain_spans(p) };
    sweep w = { .s = s, .nest = out, .open = malloc((s->size + 1) * sizeof *w.open) };
    bool ok = out->parent && out->duration_ns && w.open && tfp_span_order_of(p, &order);
    if (ok && order.made) {
        uint32_t *made = TFP_NEW(arena, uint32_t, s->size + 1);
        ok = made != NULL;
        if (ok && s->size) memcpy(made, order.made, s->size * sizeof *made);
        out->order = made;
    } else {
        out->order = order.items;
    }
    if (ok) memset(out->parent, 0xff, s->size * sizeof *out->parent); /* TFP_NONE */
    if (ok && s->size) memcpy(out->duration_ns, s->duration_ns, s->size * sizeof *s->duration_ns);
    for (size_t lane = 0; ok && lane < lanes; lane++) {
        const tfp_lane *l = &p->lanes->at[lane];
        w.depth = 0;
        w.tolerance_ns = l->process < p->events->processes.size ? p->events->processes.at[l->process].tolerance_ns : 0;
        for (uint32_t i = order.lane_first[lane]; i < order.lane_first[lane + 1]; i++)
            if (tfp_nests(p, out->plain, out->order[i])) visit(&w, out->order[i]);
    }
    tfp_span_order_free(&order);
    free(w.open);
    return ok;
}
