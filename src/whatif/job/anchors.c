// SPDX-License-Identifier: Apache-2.0
/* whatif/job/anchors.c: the anchors of each host thread: starts and ends of calls that launch or wait, of waits for data, of steps and of
 * turns. Between two anchors there is only the thread's own work, which is stored as one number. */
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/spans.h"
#include "query/order.h"
#include "views/spans/trace.h"
#include "whatif/job/job.h"

#include <math.h>

enum { NAME_KNOWN = 1, NAME_LAUNCHES = 2, NAME_WAITS = 4 };
/* The order of points at the same time: an end; where a handoff leaves; where a handoff or a wait arrives; where a collective or a wait begins; a
 * start. */
enum { RANK_END, RANK_LEAVE, RANK_REACH, RANK_FROM, RANK_START };

/* What an anchor is made from; small, because there are many and they are sorted. */
typedef struct raw {
    int64_t order;   /* nanoseconds since the first span of the unit */
    uint32_t *tells; /* receives the index of the anchor; may be NULL */
    uint32_t span, lane, unit;
    uint8_t rank, kind; /* kind: tfp_anchor_kind */
    bool ends : 1, launches : 1, waits : 1;
} raw;

typedef struct anchors {
    tfp_job *j;
    TFP_VEC(raw) list;
    uint8_t *names; /* for each string */
    bool *used;     /* for each span: whether it is a call that launched an activity */
} anchors;

static uint8_t name_of(anchors *b, uint32_t span)
{
    uint8_t *says = &b->names[b->j->s->name[span]];
    if (*says) return *says;
    tfp_str name = tfp_span_name(b->j->p, span);
    bool launches = tfp_str_has(name, TFP_STR("Launch")) || tfp_str_has(name, TFP_STR("MemcpyAsync")) ||
                    tfp_str_has(name, TFP_STR("MemsetAsync"));
    *says = (uint8_t)(NAME_KNOWN | (launches ? NAME_LAUNCHES : 0) | (tfp_trace_waits(b->j->x, span) ? NAME_WAITS : 0));
    return *says;
}

static tfp_job_anchor anchor_of(const tfp_job *j, const raw *point)
{
    return (tfp_job_anchor){ .at = (double)point->order / 1000 + j->units[point->unit].offset,
                             .floor = -INFINITY,
                             .span = point->span,
                             .lane = point->lane,
                             .unit = point->unit,
                             .step = TFP_NONE,
                             .handoff_from = TFP_NONE,
                             .call = TFP_NONE,
                             .data = TFP_NONE,
                             .kind = point->kind,
                             .ends = point->ends,
                             .waits = point->waits,
                             .launches = point->launches };
}

static bool add_span(anchors *b, uint32_t span, uint8_t kind, bool launches, bool waits)
{
    const tfp_job *j = b->j;
    uint32_t unit = tfp_job_unit_of(j, span);
    int64_t origin = j->units[unit].origin_ns;
    raw start = {
        .span = span, .unit = unit, .lane = j->s->lane[span], .rank = RANK_START, .kind = kind, .launches = launches
    };
    raw end = start;
    start.order = j->s->start_ns[span] - origin;
    end.order = tfp_span_end(j->s, span) - origin;
    end.ends = true;
    end.waits = waits;
    if (j->s->duration_ns[span]) end.rank = RANK_END;
    return tfp_push(&b->list, start) && tfp_push(&b->list, end);
}

static bool collect_spans(anchors *b)
{
    tfp_job *j = b->j;
    for (uint32_t i = 0; i < j->activity_count; i++) {
        uint32_t launch = j->s->launch[j->activities[i].span];
        if (launch != TFP_NONE) b->used[launch] = true;
    }
    bool ok = true;
    for (uint32_t i = 0; ok && i < j->s->size; i++) {
        uint8_t kind = j->s->kind[i];
        if (tfp_job_unit_of(j, i) == TFP_NONE || tfp_lanes_of(j->p)->at[j->s->lane[i]].role != TFP_ROLE_THREAD)
            continue;
        if (kind == TFP_SPAN_CALL) {
            uint8_t says = name_of(b, i);
            bool waits = says & NAME_WAITS || j->s->marks[i] & TFP_MARK_WAITS;
            bool launches = says & NAME_LAUNCHES || (b->used[i] && !waits); /* other vendors' calls have other names */
            if (launches || waits) ok = add_span(b, i, TFP_ANCHOR_CALL, launches, waits);
        } else if (j->waits[i] == TFP_WAITS_DATA) {
            ok = add_span(b, i, TFP_ANCHOR_DATA, false, false);
        }
    }
    return ok;
}

static bool add_owned(anchors *b, uint32_t unit, uint32_t lane, double at, uint8_t rank, uint32_t *tells)
{
    int64_t order = (int64_t)llround((at - b->j->units[unit].offset) * 1000);
    raw point = { .order = order,
                  .tells = tells,
                  .span = TFP_NONE,
                  .lane = lane,
                  .unit = unit,
                  .rank = rank,
                  .kind = TFP_ANCHOR_POINT };
    return tfp_push(&b->list, point);
}

static bool collect_handoffs(anchors *b)
{
    const tfp_job *j = b->j;
    bool ok = true;
    for (uint32_t i = 0; ok && i < j->anchors.turn_count; i++) {
        tfp_job_handoff *t = &j->anchors.handoffs[i];
        uint32_t step_lane = j->units[t->unit].step_lane;
        ok = add_owned(b, t->unit, step_lane, t->from, RANK_LEAVE, &t->from_anchor) &&
             add_owned(b, t->unit, t->lane, t->first, RANK_REACH, &t->first_anchor) &&
             add_owned(b, t->unit, t->lane, t->last, RANK_LEAVE, &t->last_anchor) &&
             add_owned(b, t->unit, step_lane, t->next, RANK_REACH, &t->next_anchor);
    }
    return ok;
}

static bool collect_hosted(anchors *b)
{
    const tfp_job *j = b->j;
    bool ok = true;
    for (uint32_t i = j->device_count; ok && i < j->activity_count; i++) {
        tfp_job_hosted *h = &j->hosted.list[i - j->device_count];
        uint32_t unit = j->activities[i].unit;
        if (!isnan(h->from)) ok = add_owned(b, unit, j->units[unit].step_lane, h->from, RANK_FROM, &h->from_anchor);
    }
    for (uint32_t i = 0; ok && i < j->hosted.gap_count; i++) {
        tfp_job_gap *g = &j->hosted.gaps[i];
        uint32_t step_lane = j->units[g->unit].step_lane;
        ok = add_owned(b, g->unit, step_lane, g->from, RANK_FROM, &g->from_anchor) &&
             add_owned(b, g->unit, step_lane, g->to, RANK_REACH, &g->next_anchor);
    }
    return ok;
}

/* The first window of a unit that ends at or after a time. */
static uint32_t window_from(const tfp_job *j, uint32_t unit, double at)
{
    const tfp_job_window *w = j->steps.windows;
    uint32_t i;
    TFP_LOWER_BOUND(i, 0, j->steps.window_count, w[i].unit < unit || (w[i].unit == unit && w[i].end < at));
    return i;
}

/* A guessed step may end in another thread, while the thread of the steps waits for it. */
static uint32_t *find_end_lanes(const tfp_job *j)
{
    uint32_t *lanes = TFP_NEW(j->arena, uint32_t, j->steps.window_count + 1);
    for (uint32_t i = 0; lanes && i < j->steps.window_count; i++)
        lanes[i] = j->units[j->steps.windows[i].unit].step_lane;
    for (uint32_t i = 0; lanes && i < j->anchors.turn_count; i++) {
        const tfp_job_handoff *t = &j->anchors.handoffs[i];
        for (uint32_t k = window_from(j, t->unit, t->first); k < j->steps.window_count; k++) {
            const tfp_job_window *w = &j->steps.windows[k];
            if (w->unit != t->unit || w->end > t->last + TFP_JOB_SLACK_US) break;
            if (w->end < t->next - TFP_JOB_SLACK_US) lanes[k] = t->lane;
        }
    }
    return lanes;
}

static bool collect_windows(anchors *b)
{
    const tfp_job *j = b->j;
    const uint32_t *lanes = find_end_lanes(j);
    bool ok = lanes != NULL;
    for (uint32_t i = 0; ok && i < j->steps.window_count; i++) {
        tfp_job_window *w = &j->steps.windows[i];
        uint32_t step_lane = j->units[w->unit].step_lane;
        if (step_lane == TFP_NONE || w->on_device) continue;
        ok = add_owned(b, w->unit, step_lane, w->start, RANK_REACH, &w->start_anchor) &&
             add_owned(b, w->unit, lanes[i], w->end, RANK_FROM, &w->end_anchor);
    }
    return ok;
}

/* By thread and time; of calls that start together the longer one comes first. */
static bool is_before(const void *ctx, uint32_t a, uint32_t b)
{
    const anchors *list = ctx;
    const raw *x = &list->list.at[a], *y = &list->list.at[b];
    const int64_t *ns = list->j->s->duration_ns;
    if (x->unit != y->unit) return x->unit < y->unit;
    if (x->lane != y->lane) return x->lane < y->lane;
    if (x->order != y->order) return x->order < y->order;
    if (x->rank != y->rank) return x->rank < y->rank;
    if (x->rank != RANK_START || x->ends || y->ends) return false;
    return ns[x->span] > ns[y->span];
}

static bool place(anchors *b)
{
    tfp_job *j = b->j;
    uint32_t count = (uint32_t)b->list.size, *order = TFP_NEW(j->arena, uint32_t, count + 1);
    j->anchors.list = TFP_NEW(j->arena, tfp_job_anchor, count + 1);
    if (!order || !j->anchors.list) return false;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    if (!tfp_sort(order, count, is_before, b)) return false;
    for (uint32_t i = 0; i < count; i++) {
        const raw *point = &b->list.at[order[i]];
        tfp_job_anchor *a = &j->anchors.list[i];
        *a = anchor_of(j, point);
        if (a->span != TFP_NONE) (a->ends ? j->anchors.end_of_call : j->anchors.of_call)[a->span] = i;
        if (point->tells) *point->tells = i;
        a->first = !i || a->lane != a[-1].lane || a->unit != a[-1].unit;
        a->own = a->first ? 0 : a->at - a[-1].at;
    }
    j->anchors.count = count;
    return true;
}

/* ---- what holds the time before each anchor ---- */

/* Starts of the open spans of one thread. */
typedef struct open_spans {
    TFP_VEC(uint32_t) list; /* -> anchors */
    uint8_t *closed;        /* for each anchor */
} open_spans;

static uint32_t innermost(const tfp_job *j, const open_spans *o, uint8_t kind)
{
    uint32_t top = o->list.size ? o->list.at[o->list.size - 1] : TFP_NONE;
    return top != TFP_NONE && j->anchors.list[top].kind == kind ? top : TFP_NONE;
}

static void hold(tfp_job *j, open_spans *o, uint32_t at, uint32_t *data)
{
    tfp_job_anchor *a = &j->anchors.list[at];
    if (a->first) {
        o->list.size = 0;
        *data = TFP_NONE;
    }
    a->call = innermost(j, o, TFP_ANCHOR_CALL);
    a->data = *data;
    if (a->span == TFP_NONE) return;
    if (!a->ends) {
        if (a->kind == TFP_ANCHOR_DATA && *data == TFP_NONE) *data = at;
        if (!tfp_push(&o->list, at)) j->failed = true;
        return;
    }
    uint32_t start = j->anchors.of_call[a->span];
    o->closed[start] = 1;
    if (start == *data) *data = TFP_NONE;
    while (o->list.size && o->closed[o->list.at[o->list.size - 1]]) o->list.size--;
}

static bool hold_all(tfp_job *j)
{
    open_spans o = { .closed = calloc(j->anchors.count + 1, 1) };
    uint32_t data = TFP_NONE;
    for (uint32_t i = 0; o.closed && i < j->anchors.count; i++) hold(j, &o, i, &data);
    bool ok = o.closed && !j->failed;
    free(o.closed);
    tfp_vec_free(&o.list);
    return ok;
}

/* Finds the step of the time before each anchor. */
static void find_steps(tfp_job *j)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < j->anchors.count; i++) {
        tfp_job_anchor *a = &j->anchors.list[i];
        if (a->first) at = window_from(j, a->unit, -INFINITY); /* returns to the first window of its unit */
        while (at + 1 < j->steps.window_count && j->steps.windows[at + 1].unit == a->unit &&
               j->steps.windows[at + 1].start < a->at)
            at++;
        const tfp_job_window *w = at < j->steps.window_count ? &j->steps.windows[at] : NULL;
        if (w && w->unit == a->unit && w->start < a->at && a->at <= w->end) a->step = w->step;
    }
}

/* ---- handoffs and gaps ---- */

static void take_handoffs(tfp_job *j)
{
    for (uint32_t i = 0; i < j->anchors.turn_count; i++) {
        const tfp_job_handoff *t = &j->anchors.handoffs[i];
        tfp_job_anchor *first = &j->anchors.list[t->first_anchor], *next = &j->anchors.list[t->next_anchor];
        first->handoff_from = t->from_anchor;
        first->handoff = t->first - t->from;
        first->own = 0;
        if (!t->gates) continue;
        next->handoff_from = t->last_anchor;
        next->handoff = t->next - t->last;
        next->own = 0;
    }
}

/* Treats the time in a gap before the collectives end as waiting. */
static void take_gaps(tfp_job *j)
{
    for (uint32_t i = 0; i < j->hosted.gap_count; i++) {
        const tfp_job_gap *g = &j->hosted.gaps[i];
        tfp_job_anchor *next = &j->anchors.list[g->next_anchor];
        if (next->own > g->to - g->last) next->own = g->to - g->last;
    }
}

bool tfp_job_anchors(tfp_job *j)
{
    tfp_arena *a = j->arena;
    size_t spans = j->s->size;
    anchors b = { .j = j, .names = TFP_NEW(a, uint8_t, tfp_strings_of(j->p)->count + 1), .used = calloc(spans + 1, 1) };
    j->anchors.of_call = TFP_NEW(a, uint32_t, spans + 1);
    j->anchors.end_of_call = TFP_NEW(a, uint32_t, spans + 1);
    bool ok = b.names && b.used && j->anchors.of_call && j->anchors.end_of_call;
    for (size_t i = 0; ok && i < spans; i++) j->anchors.of_call[i] = j->anchors.end_of_call[i] = TFP_NONE;
    ok = ok && collect_spans(&b) && collect_handoffs(&b) && collect_hosted(&b) && collect_windows(&b) &&
         b.list.size < TFP_NONE / 2 && place(&b) && hold_all(j);
    if (ok) {
        find_steps(j);
        take_handoffs(j);
        take_gaps(j);
        for (uint32_t i = 0; i < j->activity_count; i++) {
            if (j->activities[i].called)
                j->activities[i].call = j->anchors.of_call[j->s->launch[j->activities[i].span]];
        }
    }
    tfp_vec_free(&b.list);
    free(b.used);
    return ok;
}
