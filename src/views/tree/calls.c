// SPDX-License-Identifier: Apache-2.0
/* views/tree/calls.c: what called what: spans as they nest on the host's threads, kernels below their launches, all threads
 * together. Rows are found by the path of names. */
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/samples.h"
#include "views/core/statistics.h"
#include "views/core/handle.h"
#include "views/core/view.h"
#include "options/options.h"
#include "views/spans/nest.h"
#include "views/spans/waiting.h"
#include "views/tree/trace_tree.h"

typedef struct calls {
    tfp_trace_tree tree;
    const tfp_profile *p;
    tfp_arena arena;
    tfp_nest nest;
    uint32_t *item;   /* for each span */
    int64_t *self_ns; /* duration minus its children's */
    tfp_waiting waiting;
} calls;

static bool start(calls *c, tfp_report *r)
{
    const tfp_profile *p = tfp_profile_of(r);
    size_t count = tfp_events_of(p)->spans.size + 1;
    *c = (calls){ .p = p };
    tfp_trace_tree_start(&c->tree, r);
    c->item = TFP_NEW(&c->arena, uint32_t, count);
    if (c->tree.failed || !c->item || !tfp_nest_of(p, &c->arena, &c->nest)) return false;
    tfp_nest_cut(p, tfp_cut_of(r), &c->nest);
    if (tfp_options_of(r)->made.working && !tfp_waiting_of(p, tfp_cut_of(r), &c->arena, &c->waiting)) return false;
    return (c->self_ns = tfp_nest_self(p, &c->nest, &c->arena)) != NULL;
}

static tfp_status add_spans(calls *c)
{
    const tfp_span_columns *s = &tfp_events_of(c->p)->spans;
    for (size_t k = 0; k < s->size; k++) {
        uint32_t i = c->nest.order[k], parent = c->nest.parent[i];
        uint32_t above = parent == TFP_NONE ? 0 : c->item[parent];
        c->item[i] = above;
        if (!tfp_nests(c->p, c->nest.plain, i)) continue;
        c->item[i] = tfp_trace_item_below(&c->tree, above, tfp_trace_row_name(&c->tree, s->name[i]), s->kind[i]);
        if (!tfp_cut_takes(c->p, i)) continue;
        bool counts = c->self_ns[i] > 0 && !tfp_waits_uncounted(c->p, &c->waiting, i);
        int64_t self = counts ? c->self_ns[i] : 0;
        tfp_trace_tree_add(&c->tree, c->item[i], (tfp_trace_part){ s->step[i], s->start_ns[i], self, 0, 1 });
    }
    return c->tree.failed ? TFP_NOMEM : TFP_OK;
}

static tfp_status add_activities(calls *c)
{
    const tfp_span_columns *s = &tfp_events_of(c->p)->spans;
    for (uint32_t i = 0; i < s->size; i++) {
        if (s->kind[i] != TFP_SPAN_ACTIVITY || tfp_lanes_of(c->p)->at[s->lane[i]].role != TFP_ROLE_STREAM) continue;
        if (!tfp_cut_takes(c->p, i)) continue;
        uint32_t from = tfp_span_host(s, i), above = from == TFP_NONE ? 0 : c->item[from];
        uint32_t item = tfp_trace_item_below(&c->tree, above, tfp_trace_row_name(&c->tree, s->name[i]), s->kind[i]);
        tfp_trace_tree_add(&c->tree, item, (tfp_trace_part){ s->step[i], s->start_ns[i], 0, s->self_ns[i], 1 });
    }
    return c->tree.failed ? TFP_NOMEM : TFP_OK;
}

static tfp_status build_calls(tfp_report *r, tfp_error *err)
{
    calls c;
    if (tfp_rows_of_samples(r)) return tfp_tree_of_samples(r, false, err);
    tfp_status s = start(&c, r) ? TFP_OK : TFP_NOMEM;
    if (!s) s = add_spans(&c);
    if (!s) s = add_activities(&c);
    if (!s) s = tfp_nest_note(r, &c.nest, err);
    tfp_arena_free(&c.arena);
    if (!s) return tfp_trace_tree_show(&c.tree, err);
    tfp_trace_tree_free(&c.tree);
    return tfp_nomem(err);
}

const tfp_view tfp_view_calls = {
    "calls",
    "What called what in a trace: host spans as they are nested, kernels under their launches.",
    TFP_REPORT_TREE,
    "Rows are names under the names that called them, all threads together.",
    "calls",
    build_calls,
    TFP_NEEDS_CALLS,
    .rows_are = TFP_ROWS_OF_CALLS,
    .row_traits = TFP_ADDS_COVERAGE | TFP_NESTS,
    .timeline = TFP_TIMELINE_OF_SPANS,
    .parent_type = "_kTFScopeParent"
};
