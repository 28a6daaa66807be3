// SPDX-License-Identifier: Apache-2.0
/* whatif/job/hosted.c: collectives that host threads run in parallel to the thread of the steps (gloo's, MPI's); they follow the
 * devices' activities in the list. A point of the thread of the steps, or the previous collective in its own thread, lets one begin;
 * the thread of the steps waits for those that end in one of its gaps. */
#include "model/span_names.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/spans.h"
#include "whatif/job/step_thread.h"

#include <math.h>

#define WOKEN_NS                                                                                                       \
    100000 /* a range in which nothing happens until at most this long after a collective's end waited for it */
#define LATE_NS                                                                                                        \
    500000 /* the waiting thread may be woken before the other thread has noted the end, at most this long, */
#define IDLE_NS 100000 /* and it must have waited at least this long */
#define BACK_MOST 256  /* most points that are examined for one collective */

static bool by_unit(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_job *j = ctx;
    uint32_t x = tfp_job_unit_of(j, a), y = tfp_job_unit_of(j, b);
    if (x != y) return x < y;
    return j->s->start_ns[a] < j->s->start_ns[b];
}

bool tfp_job_hosted_spans(tfp_job *j)
{
    TFP_VEC(uint32_t) found = { 0 };
    uint8_t *known = calloc(tfp_strings_of(j->p)->count + 1, 1); /* for each string: 1: no such name, 2: it is one */
    bool ok = known != NULL;
    for (uint32_t i = 0; ok && i < j->s->size; i++) {
        if (j->s->kind[i] != TFP_SPAN_ANNOTATION || tfp_lanes_of(j->p)->at[j->s->lane[i]].role != TFP_ROLE_THREAD)
            continue;
        uint8_t *says = &known[j->s->name[i]];
        if (!*says) *says = tfp_is_host_range(tfp_job_name(j, i)) ? 2 : 1;
        if (*says == 2 && tfp_job_unit_of(j, i) != TFP_NONE) ok = tfp_push(&found, i);
    }
    j->hosted.count = (uint32_t)found.size;
    j->hosted.spans = TFP_NEW(j->arena, uint32_t, found.size + 1);
    ok = ok && j->hosted.spans && tfp_sort(found.at, found.size, by_unit, j);
    if (ok && found.size) memcpy(j->hosted.spans, found.at, found.size * sizeof *found.at);
    free(known);
    tfp_vec_free(&found);
    return ok;
}

bool tfp_job_is_sided(tfp_str name)
{
    static const char *const names[] = { "broadcast", "scatter", "gather", "reduce", "send", "recv" };
    const char *colon = name.size ? memchr(name.data, ':', name.size) : NULL;
    size_t skip = colon ? (size_t)(colon - name.data) + 1 : 0;
    tfp_str what = { name.data + skip, name.size - skip };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tfp_str_begins(what, tfp_str_of(names[i])) && !tfp_str_begins(what, TFP_STR("reduce_scatter"))) return true;
    return false;
}

/* ---- what it waits for, and what waits for it ---- */

typedef struct hosting {
    tfp_job *j;
    tfp_step_thread thread;
    uint32_t *gap_of; /* for each point of the step thread: the gap after it in which something waits; TFP_NONE: none */
    tfp_map64 last;   /* lane -> the last of its collectives so far */
    TFP_VEC(tfp_job_gap) gaps;
} hosting;

/* Whether a span only waits, such as _c10d_functional::wait_tensor. */
static bool is_wait(const tfp_job *j, uint32_t span) { return tfp_str_has(tfp_job_name(j, span), TFP_STR("wait")); }

/* Whether the thread of the steps waits after a point for what started and ended then: it is in no operation, and in the same ranges
 * as at that start. A range that it entered meanwhile counts as waiting if it does nothing else. */
static bool waits_in(const hosting *h, size_t point, int64_t start, int64_t end)
{
    const tfp_job *j = h->j;
    const tfp_step_point *p = &h->thread.points.at[point];
    if (p->around == TFP_NONE || is_wait(j, p->around)) return true;
    if (p->in_op) return false;
    return j->s->start_ns[p->around] <= start || (p[1].at - end <= WOKEN_NS && p[1].at - end < end - p->at);
}

/* The point after which the thread of the steps waits for it; TFP_NONE: none. `last`: the number of points before its end. A long gap
 * that has just ended is preferred to a short one that contains its end. */
static uint32_t wait_of(const hosting *h, size_t last, int64_t start, int64_t end)
{
    const tfp_step_point *points = h->thread.points.at;
    if (!last || last == h->thread.points.size) return TFP_NONE;
    bool here = waits_in(h, last - 1, start, end);
    int64_t most = here ? end - points[last - 1].at : 0;
    for (size_t back = 2; back <= last && back < BACK_MOST; back++) {
        const tfp_step_point *p = &points[last - back];
        int64_t idle = p[1].at - p->at, late = end - p[1].at;
        if (late > LATE_NS || p[1].at <= start) break;
        if (idle >= IDLE_NS && idle > late && idle > most && waits_in(h, last - back, start, p[1].at))
            return (uint32_t)(last - back);
    }
    return here ? (uint32_t)last - 1 : TFP_NONE;
}

static bool add_gap(hosting *h, tfp_job_hosted *of, uint32_t unit, size_t point, double end)
{
    const tfp_step_point *p = &h->thread.points.at[point];
    double to = tfp_job_time(h->j, unit, p[1].at);
    if (end > to) end = to;
    uint32_t *gap = &h->gap_of[point];
    if (*gap == TFP_NONE) {
        *gap = (uint32_t)h->gaps.size;
        tfp_job_gap new = {
            .unit = unit, .point = (uint32_t)point + 1, .from = tfp_job_time(h->j, unit, p->at), .to = to, .last = end
        };
        if (!tfp_push(&h->gaps, new)) return false;
    }
    if (end > h->gaps.at[*gap].last) h->gaps.at[*gap].last = end;
    of->gap = *gap;
    return true;
}

static bool place(hosting *h, uint32_t i)
{
    tfp_job *j = h->j;
    const tfp_job_activity *a = &j->activities[i];
    tfp_job_hosted *of = &j->hosted.list[i - j->device_count];
    *of = (tfp_job_hosted){
        .from = NAN, .from_anchor = TFP_NONE, .gap = TFP_NONE, .before = tfp_map64_get(&h->last, a->lane)
    };
    if (!tfp_map64_put(&h->last, a->lane, i)) return false;
    int64_t start = j->s->start_ns[a->span], end = tfp_span_end(j->s, a->span);
    size_t before = tfp_step_thread_until(&h->thread, start), last = tfp_step_thread_until(&h->thread, end);
    if (before) of->from = tfp_job_time(j, a->unit, h->thread.points.at[before - 1].at);
    uint32_t wait = wait_of(h, last, start, end);
    return wait == TFP_NONE || add_gap(h, of, a->unit, wait, a->end);
}

static bool read_thread(hosting *h, uint32_t unit)
{
    if (!tfp_step_thread_read(&h->thread, unit)) return false;
    uint32_t *room = realloc(h->gap_of, (h->thread.points.size + 1) * sizeof *room);
    if (!room) return false;
    h->gap_of = room;
    for (size_t i = 0; i < h->thread.points.size; i++) room[i] = TFP_NONE;
    return true;
}

static bool place_all(hosting *h)
{
    tfp_job *j = h->j;
    bool ok = tfp_step_thread_new(j, &h->thread);
    for (uint32_t i = j->device_count; ok && i < j->activity_count; i++) {
        uint32_t unit = j->activities[i].unit;
        if (i == j->device_count || unit != j->activities[i - 1].unit) ok = read_thread(h, unit);
        ok = ok && place(h, i);
    }
    j->hosted.gaps = TFP_NEW(j->arena, tfp_job_gap, h->gaps.size + 1);
    j->hosted.gap_count = (uint32_t)h->gaps.size;
    if (j->hosted.gaps && h->gaps.size) memcpy(j->hosted.gaps, h->gaps.at, h->gaps.size * sizeof *h->gaps.at);
    return ok && j->hosted.gaps;
}

bool tfp_job_hosted_all(tfp_job *j)
{
    hosting h = { .j = j };
    j->hosted.list = TFP_NEW(j->arena, tfp_job_hosted, j->hosted.count + 1);
    bool ok = j->hosted.list && (j->device_count == j->activity_count || place_all(&h));
    tfp_step_thread_free(&h.thread);
    tfp_map64_free(&h.last);
    tfp_vec_free(&h.gaps);
    free(h.gap_of);
    return ok;
}

/* ---- edges ---- */

/* The recorded end that corresponds to a replay's end. */
static double end_of(const tfp_job *j, uint32_t i)
{
    const tfp_job_activity *a = &j->activities[i];
    return a->ends_with == TFP_NONE ? a->end : j->joints.at[a->ends_with].end;
}

static double before_of(const tfp_job *j, const tfp_job_hosted *h)
{
    return h->before == TFP_NONE ? -INFINITY : j->activities[h->before].end;
}

/* Whether the end of the previous one let it begin, and not the thread of the steps. */
static bool is_behind(const tfp_job *j, uint32_t i, const tfp_job_hosted *h)
{
    double before = before_of(j, h);
    return before <= j->activities[i].start && !(h->from > before);
}

/* How long it takes until a thread begins with what it receives. */
static double find_latency(const tfp_job *j, double *values)
{
    size_t count = 0;
    for (uint32_t i = j->device_count; i < j->activity_count; i++) {
        const tfp_job_hosted *h = &j->hosted.list[i - j->device_count];
        if (!isnan(h->from) && !is_behind(j, i, h)) values[count++] = j->activities[i].start - h->from;
    }
    return tfp_job_quantile(values, count, 0.25);
}

/* Adds the edge that let it begin: whichever came last before its start; the other one came earlier. */
static void add_start(tfp_job *j, uint32_t i, const tfp_job_hosted *h, double latency)
{
    double start = j->activities[i].start, before = before_of(j, h), distance = start - h->from;
    bool behind = is_behind(j, i, h);
    if (h->from_anchor != TFP_NONE)
        tfp_job_edge_add(j, tfp_job_anchor_node(j, h->from_anchor), i,
                         behind && latency < distance ? latency : distance, 0);
    if (before > start || h->before == TFP_NONE) return; /* a thread that runs several at a time */
    tfp_job_edge_add(j, h->before, i, behind ? start - end_of(j, h->before) : before - end_of(j, h->before), 0);
}

bool tfp_job_hosted_edges(tfp_job *j)
{
    double *values = TFP_NEW(j->arena, double, j->hosted.count + 1);
    if (!values) return false;
    double latency = find_latency(j, values);
    for (uint32_t i = j->device_count; i < j->activity_count; i++) {
        const tfp_job_activity *a = &j->activities[i];
        const tfp_job_hosted *h = &j->hosted.list[i - j->device_count];
        add_start(j, i, h, latency);
        if (a->joint != TFP_NONE) tfp_job_edge_add(j, i, tfp_job_joint_node(j, a->joint), 0, TFP_EDGE_AFTER_START);
        if (h->gap == TFP_NONE) continue;
        const tfp_job_gap *g = &j->hosted.gaps[h->gap];
        double end = a->end < g->to ? a->end : g->to;
        tfp_job_edge_add(j, i, tfp_job_anchor_node(j, g->next_anchor), end - end_of(j, i), TFP_EDGE_HOST);
    }
    return !j->failed;
}
