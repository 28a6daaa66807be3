// SPDX-License-Identifier: Apache-2.0
/* model/graphs/find.c: the stage of the join that finds out what graphs replayed: it collects captures and replays,
 * matches them, chooses among several matches, and derives the place of each activity. Then it adds what Inductor
 * recorded for all other activities. */
#include "model/graphs/eager.h"
#include "model/tables/compact.h"
#include "model/tables/profile.h"

/* Forgets what an earlier join found: it is found again, together with files added since. */
void tfp_graphs_forget(tfp_builder *b)
{
    tfp_graph_tables *g = b->p->captures;
    const tfp_span_columns *s = &b->p->events->spans;
    for (size_t i = 0; s->attribution && i < g->joined; i++)
        if (s->attribution[i] != TFP_NONE) s->trace[i] = TFP_NONE;
    g->joined = 0;
    b->p->events->attributions.size = 0;
    tfp_map64_clear(&g->attribution_by_hash);
    tfp_graphs_drop_own(g);
}

static void warn_of_crowd(tfp_builder *b, size_t launches)
{
    tfp_graph_tables *g = b->p->captures;
    if (!launches || g->crowded) return;
    g->crowded = true; /* set, so that a later join does not report it again */
    tfp_build_warn_many(b, "launches of graphs are not joined: too many captured graphs or instructions look alike",
                        TFP_STR(""), launches);
}

static bool judge_replays(tfp_builder *b)
{
    size_t crowded = 0;
    tfp_replays r = { 0 };
    tfp_matches m = { 0 };
    tfp_choices c = { 0 };
    tfp_graph_tables *g = b->p->captures;
    bool ok = tfp_replays_find(b, &r);
    if (ok && r.count) ok = tfp_replays_missing(b, &r);
    if (ok && r.count && !g->given && tfp_has_captures(b->p)) ok = tfp_graphs_collect(b, b->p, true);
    if (ok && r.count)
        ok = tfp_matches_find(g, &r, &m) && tfp_choices_find(&m, &c) && tfp_replays_judge(b, &m, &c, &crowded);
    if (ok && r.count && g->buffers.size) ok = tfp_buffers_judge(b, &r, &crowded);
    ok = ok && tfp_eager_join(b, &r);
    if (ok) warn_of_crowd(b, crowded);
    tfp_replays_free(&r);
    tfp_matches_free(&m);
    tfp_vec_free(&c.at);
    tfp_vec_free(&c.list);
    return ok;
}

/* Activities with a launch of their own, for which Inductor has a better line. */
static void attribute_launched(tfp_builder *b)
{
    const tfp_span_columns *s = &b->p->events->spans;
    bool stacks = tfp_strtab_find(&b->p->strings, TFP_STR("stack")) != TFP_NONE;
    if (!b->p->captures->lines.size && !stacks) return;
    for (uint32_t i = 0; i < s->size && !b->status; i++) {
        if (s->kind[i] != TFP_SPAN_ACTIVITY || s->attribution[i] != TFP_NONE || s->path[i]) continue;
        tfp_attribute(b, i, false, tfp_span_attribution(b->p, i));
    }
}

void tfp_graphs_join(tfp_builder *b)
{
    b->p->captures->joined = b->p->events->spans.size;
    if (tfp_only_sums(b->p)) return; /* only sums of XPlane were read, and their events tell their places */
    tfp_build_keep(b, judge_replays(b));
    attribute_launched(b);
}
