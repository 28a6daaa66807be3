// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_flows.c: arrows from operators and launches to activities. Huawei's profiler writes no number that
 * joins them. Instead it draws an arrow (`async_npu`) from the start of an operator to the start of each of its
 * activities, and one (`HostToDevice`) from the moment of the launch, on the thread of the CANN runtime. An activity gets
 * its operator's external number, by which the join finds the operator, and the correlation of a call without duration
 * at the moment of its launch: the calls in the trace begin earlier, compile kernels, and launch several. All other
 * arrows repeat what spans say and are left out. */
#include "formats/json/kineto.h"
#include "model/event_builder.h"
#include "model/tables/events.h"
#include "model/tables/profile.h"
#include "query/order.h"

#include <stdlib.h>

/* numbers of operators and calls that have none in the file; those in files are smaller */
#define OWN_NUMBERS (UINT64_C(1) << 63)

void tfp_kineto_keep_flow(tfp_kineto_reader *r, tfp_kineto_slot *s, const tfp_kineto_row *x)
{
    tfp_kineto_flow f = { .id = x->correlation,
                          .at_ns = x->start_ns,
                          .lane = tfp_kineto_lane_at(r, s, x->lane),
                          .span = TFP_NONE,
                          .begins = x->phase == 's',
                          .launch = x->what == TFP_KINETO_LAUNCH_FLOW };
    if (f.lane != TFP_NONE) tfp_build_keep(r->b, tfp_push(&r->links.flows, f));
}

static int by_place(const void *a, const void *b)
{
    const tfp_kineto_flow *x = a, *y = b;
    if (x->lane != y->lane) return x->lane < y->lane ? -1 : 1;
    return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

static int by_id(const void *a, const void *b)
{
    const tfp_kineto_flow *x = a, *y = b;
    if (x->launch != y->launch) return x->launch ? 1 : -1;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    if (x->begins != y->begins) return x->begins ? -1 : 1;
    if (x->span != y->span) return x->span < y->span ? -1 : 1;
    return by_place(a, b);
}

/* The first arrow that starts where a span starts; NULL: there is none. */
static tfp_kineto_flow *first_at(const tfp_kineto_reader *r, const tfp_kineto_flow *place)
{
    size_t low;
    TFP_LOWER_BOUND(low, 0, r->links.flows.size, by_place(&r->links.flows.at[low], place) < 0);
    return low < r->links.flows.size && by_place(&r->links.flows.at[low], place) == 0 ? &r->links.flows.at[low] : NULL;
}

/* Finds the operator at each arrow's start. If several start together the innermost is the shortest; among equal ones
 * it is the later one in the file. */
static void find_spans(tfp_kineto_reader *r)
{
    const tfp_span_columns *s = &r->b->p->events->spans;
    for (uint32_t i = (uint32_t)r->first_span; i < s->size; i++) {
        if (s->kind[i] != TFP_SPAN_OP && s->kind[i] != TFP_SPAN_ACTIVITY) continue;
        tfp_kineto_flow place = { .at_ns = s->start_ns[i], .lane = s->lane[i] }, *f = first_at(r, &place);
        if (f && (f->span == TFP_NONE || s->duration_ns[i] <= s->duration_ns[f->span])) f->span = i;
    }
    for (size_t i = 1; i < r->links.flows.size; i++)
        if (by_place(&r->links.flows.at[i - 1], &r->links.flows.at[i]) == 0)
            r->links.flows.at[i].span = r->links.flows.at[i - 1].span;
}

static void join(tfp_kineto_reader *r, uint32_t op, uint32_t activity)
{
    tfp_span_columns *s = &r->b->p->events->spans;
    if (s->kind[op] != TFP_SPAN_OP || s->kind[activity] != TFP_SPAN_ACTIVITY || s->external[activity]) return;
    if (!s->external[op]) s->external[op] = tfp_build_key(r->b, r->process, 0, OWN_NUMBERS | op);
    s->external[activity] = s->external[op];
    s->marks[activity] |= TFP_MARK_OP_TOLD; /* its launch is on another thread */
}

/* Adds the call of an activity's launch. */
static void join_launch(tfp_kineto_reader *r, const tfp_kineto_flow *from, uint32_t activity)
{
    const tfp_span_columns *s = &r->b->p->events->spans;
    if (s->kind[activity] != TFP_SPAN_ACTIVITY || s->correlation[activity]) return;
    tfp_event call = { .lane = from->lane,
                       .name = tfp_build_string(r->b, TFP_STR("HostToDevice")),
                       .start_ns = from->at_ns,
                       .kind = TFP_SPAN_CALL,
                       .stats = TFP_NONE,
                       .correlation = tfp_build_key(r->b, r->process, 0, OWN_NUMBERS | activity),
                       .trace = TFP_NONE };
    if (tfp_build_event(r->b, &call) != TFP_NONE) r->b->p->events->spans.correlation[activity] = call.correlation;
}

typedef struct arrow {
    const tfp_kineto_flow *from;
    uint32_t to; /* a span */
} arrow;

static int by_target(const void *a, const void *b)
{
    const arrow *x = a, *y = b;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return by_place(x->from, y->from);
}

/* Joins in the order of the spans: ids that are texts are hashed, and their order is another one in each process. */
void tfp_kineto_join_flows(tfp_kineto_reader *r)
{
    TFP_VEC(arrow) arrows = { 0 };
    if (!r->links.flows.size || r->b->status) return;
    qsort(r->links.flows.at, r->links.flows.size, sizeof *r->links.flows.at, by_place);
    find_spans(r);
    qsort(r->links.flows.at, r->links.flows.size, sizeof *r->links.flows.at, by_id);
    const tfp_kineto_flow *from = NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < r->links.flows.size; i++) {
        const tfp_kineto_flow *f = &r->links.flows.at[i];
        bool first = !i || f->id != r->links.flows.at[i - 1].id || f->launch != r->links.flows.at[i - 1].launch;
        if (first) from = f->begins ? f : NULL;
        if (from && !f->begins && f->span != TFP_NONE) ok = tfp_push(&arrows, ((arrow){ from, f->span }));
    }
    tfp_build_keep(r->b, ok);
    if (arrows.size) qsort(arrows.at, arrows.size, sizeof *arrows.at, by_target);
    for (size_t i = 0; ok && i < arrows.size; i++) {
        const arrow *a = &arrows.at[i];
        if (a->from->launch)
            join_launch(r, a->from, a->to);
        else if (a->from->span != TFP_NONE)
            join(r, a->from->span, a->to);
    }
    tfp_vec_free(&arrows);
}
