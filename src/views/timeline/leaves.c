// SPDX-License-Identifier: Apache-2.0
/* views/timeline/leaves.c: assigns the time of a lane to its spans, in one sweep over them. */
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "views/timeline/leaves.h"

typedef struct open_span { /* a span of a thread that is open at the time of the sweep */
    tfp_leaf leaf;
    int64_t end_ns;
} open_span;

typedef struct sweep {
    const tfp_leaf_sweep *x;
    TFP_VEC(open_span) open;
    int64_t at_ns;
    bool ok;
} sweep;

static bool clip(const tfp_leaf_sweep *x, uint32_t place, int64_t *start_ns, int64_t *end_ns)
{
    const tfp_timeline *t = x->t;
    *start_ns = t->start_ns[place] > x->from_ns ? t->start_ns[place] : x->from_ns;
    *end_ns = t->end_ns[place] < x->to_ns ? t->end_ns[place] : x->to_ns;
    return *end_ns > *start_ns;
}

tfp_strid tfp_leaf_name(const tfp_timeline *t, uint32_t place)
{
    return t->runs ? tfp_graph_of(t->p)->nodes.at[t->node[place]].op : tfp_timeline_name(t, place);
}

static tfp_strid op_of(const tfp_timeline *t, uint32_t place, tfp_strid around)
{
    const tfp_span_columns *s = &tfp_events_of(t->p)->spans;
    if (t->runs) return tfp_graph_of(t->p)->nodes.at[t->node[place]].op;
    uint32_t span = t->span[place];
    if (s->kind[span] == TFP_SPAN_ACTIVITY) return s->owner[span] == TFP_NONE ? TFP_NONE : s->name[s->owner[span]];
    return s->kind[span] == TFP_SPAN_OP ? s->name[span] : around;
}

static bool put_part(const tfp_leaf_sweep *x, const tfp_leaf *of, int64_t from_ns, int64_t to_ns)
{
    return !x->part || x->part(x->ctx, of, from_ns, to_ns);
}

static bool of_activities(const tfp_leaf_sweep *x, const tfp_timeline_lane *lane)
{
    int64_t start_ns, end_ns;
    bool ok = true;
    for (size_t i = lane->first; ok && i < lane->first + lane->count; i++) {
        uint32_t place = x->t->order[i];
        if (x->t->start_ns[place] >= x->to_ns) break;
        if (!tfp_timeline_occupies(x->t, place) || !clip(x, place, &start_ns, &end_ns)) continue;
        tfp_leaf leaf = { lane, place, op_of(x->t, place, TFP_NONE), end_ns - start_ns };
        ok = put_part(x, &leaf, start_ns, end_ns) && x->leaf(x->ctx, &leaf);
    }
    return ok;
}

/* Gives the time up to a moment to that span. */
static void give_time(sweep *s, open_span *to, int64_t until_ns)
{
    if (until_ns <= s->at_ns) return;
    s->ok = s->ok && put_part(s->x, &to->leaf, s->at_ns, until_ns);
    to->leaf.own_ns += until_ns - s->at_ns;
    s->at_ns = until_ns;
}

static void close_until(sweep *s, int64_t until_ns)
{
    while (s->ok && s->open.size && s->open.at[s->open.size - 1].end_ns <= until_ns) {
        open_span o = s->open.at[--s->open.size];
        give_time(s, &o, o.end_ns);
        s->ok = s->ok && s->x->leaf(s->x->ctx, &o.leaf);
    }
}

static bool of_thread(const tfp_leaf_sweep *x, const tfp_timeline_lane *lane)
{
    sweep s = { .x = x, .at_ns = x->from_ns, .ok = true };
    int64_t start_ns, end_ns;
    for (size_t i = lane->first; s.ok && i < lane->first + lane->count; i++) {
        uint32_t place = x->t->order[i];
        if (x->t->start_ns[place] >= x->to_ns) break;
        if (!clip(x, place, &start_ns, &end_ns)) continue;
        close_until(&s, start_ns);
        open_span *around = s.open.size ? &s.open.at[s.open.size - 1] : NULL;
        open_span fresh = { { lane, place, op_of(x->t, place, around ? around->leaf.op : TFP_NONE), 0 }, end_ns };
        if (around) give_time(&s, around, start_ns);
        s.at_ns = start_ns;
        s.ok = s.ok && tfp_push(&s.open, fresh);
    }
    close_until(&s, INT64_MAX);
    tfp_vec_free(&s.open);
    return s.ok;
}

bool tfp_leaves_of_lane(const tfp_leaf_sweep *x, const tfp_timeline_lane *lane)
{
    if (lane->kind == TFP_TRACK_DERIVED) return true;
    return lane->kind == TFP_TRACK_HOST && !x->t->runs ? of_thread(x, lane) : of_activities(x, lane);
}
