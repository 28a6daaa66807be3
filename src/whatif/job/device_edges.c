// SPDX-License-Identifier: Apache-2.0
/* whatif/job/device_edges.c: finds what an activity waits for: the call that launched it, the previous one in its stream, events in
 * other streams, the other ranks of a collective. */
#include "query/order.h"
#include "whatif/job/job.h"

#include <math.h>

#define LATENCY_MOST_US 50
#define GAP_MOST_US 10
#define UNEXPLAINED_US                                                                                                 \
    5 /* if it starts this much later than all that it is known to wait for, it waited for another stream, */
#define UNRECORDED_US 100 /* work that starts this soon after work from before the recording waited for it */
#define NEAR_US 10        /* for an activity that ended at most this long before */
#define STREAMS_MOST 64   /* most streams that are examined for an activity */
#define STEPS_BACK 16
#define OVERLAP_MOST_US 20 /* a dependent launch may begin this much before the end of the activity before it, */
#define OVERLAP_PART 0.5   /* and this share of the shorter one */

typedef struct device_edges {
    tfp_job *j;
    double *since;   /* for each activity: the latest end of what it waits for, except its launch; -INFINITY: none */
    double *event;   /* the same for events only */
    uint32_t *plain; /* the last activity up to it in its stream that is no collective; TFP_NONE: none */
    uint32_t *collective; /* the last one that is a collective */
    uint32_t *by_end;     /* activities sorted by unit and end */
    uint32_t *unit_first; /* for each unit its first index in by_end */
} device_edges;

static bool is_first(const tfp_job *j, uint32_t i) { return !i || j->activities[i - 1].lane != j->activities[i].lane; }

/* How long two activities of a stream ran at the same time. */
static double overlap_of(const tfp_job *j, uint32_t before, uint32_t i)
{
    return j->activities[before].end - j->activities[i].start - TFP_JOB_SLACK_US;
}

/* The previous activity in its stream, if that had ended, or almost: a dependent launch begins before that. A lane with several queues
 * has none. */
static uint32_t before_of(const tfp_job *j, uint32_t i)
{
    if (is_first(j, i)) return TFP_NONE;
    double a = j->activities[i - 1].end - j->activities[i - 1].start, b = j->activities[i].end - j->activities[i].start;
    double most = OVERLAP_PART * (a < b ? a : b);
    if (most > OVERLAP_MOST_US) most = OVERLAP_MOST_US;
    return overlap_of(j, i - 1, i) > (most > 0 ? most : 0) ? TFP_NONE : i - 1;
}

static void find_kinds(device_edges *d)
{
    const tfp_job *j = d->j;
    for (uint32_t i = 0; i < j->device_count; i++) {
        bool first = is_first(j, i), collective = j->activities[i].collective;
        d->plain[i] = !collective ? i : first ? TFP_NONE : d->plain[i - 1];
        d->collective[i] = collective ? i : first ? TFP_NONE : d->collective[i - 1];
    }
}

/* ---- without rows that tell of events ---- */

/* The last activity of another stream that was launched before a collective's call: c10d makes its stream wait for
 * it. */
static uint32_t awaited_by_collective(const tfp_job *j, uint32_t i)
{
    const tfp_job_activity *a = &j->activities[i];
    const tfp_job_unit *u = &j->units[a->unit];
    uint32_t best = TFP_NONE, count = u->stream_count < STREAMS_MOST ? u->stream_count : STREAMS_MOST;
    for (uint32_t s = u->stream_first; s < u->stream_first + count; s++) {
        const tfp_job_stream *stream = &j->streams.list[s];
        if (stream->lane == a->lane || stream->only_collectives) continue;
        uint32_t at = tfp_job_launched(j, stream, a->launched - TFP_JOB_SLACK_US / 10);
        if (at == TFP_NONE || j->activities[at].end > a->start) continue;
        if (best == TFP_NONE || j->activities[at].end > j->activities[best].end) best = at;
    }
    return best;
}

static const tfp_sort_key by_end[] = { TFP_UP(tfp_job_activity, unit), TFP_UP(tfp_job_activity, end), { 0 } };

/* The latest activity of another stream that ended at most NEAR_US before it; TFP_NONE: none. */
static uint32_t ended_near(const device_edges *d, uint32_t i)
{
    const tfp_job_activity *all = d->j->activities, *a = &all[i];
    uint32_t first = d->unit_first[a->unit], later;
    TFP_LOWER_BOUND(later, first, d->unit_first[a->unit + 1], all[d->by_end[later]].end <= a->start);
    for (uint32_t back = 0; back < STEPS_BACK && later > first; back++) {
        uint32_t at = d->by_end[--later];
        if (all[at].end < a->start - NEAR_US) return TFP_NONE;
        if (all[at].lane != a->lane) return at;
    }
    return TFP_NONE;
}

/* ---- L and G ---- */

static void note_wait(device_edges *d, uint32_t target, uint32_t source)
{
    double end = d->j->activities[source].end;
    if (end > d->event[target]) d->event[target] = end;
    if (end > d->since[target]) d->since[target] = end;
}

static void find_latency(const device_edges *d, tfp_job_unit *u, double *values)
{
    const tfp_job *j = d->j;
    size_t count = 0;
    double least = INFINITY;
    if (!u->stream_count) return;
    for (uint32_t s = u->stream_first; s < u->stream_first + u->stream_count; s++)
        for (uint32_t i = j->streams.list[s].first; i < j->streams.list[s].first + j->streams.list[s].count; i++) {
            const tfp_job_activity *a = &j->activities[i];
            if (!a->called) continue;
            if (a->start - a->launched < least) least = a->start - a->launched;
            if (a->launched > d->since[i]) values[count++] = a->start - a->launched;
        }
    u->latency = count ? tfp_job_quantile(values, count, 0.25) : least < INFINITY ? least : 0;
    if (u->latency > LATENCY_MOST_US) u->latency = LATENCY_MOST_US;
}

/* Without launches each delay is kept as it was. */
static void find_gap(const device_edges *d, tfp_job_unit *u, double *values)
{
    const tfp_job *j = d->j;
    size_t count = 0;
    bool called = false;
    for (uint32_t s = u->stream_first; s < u->stream_first + u->stream_count; s++)
        for (uint32_t i = j->streams.list[s].first; i < j->streams.list[s].first + j->streams.list[s].count; i++) {
            const tfp_job_activity *a = &j->activities[i];
            uint32_t before = before_of(j, i);
            called |= a->called;
            if (before == TFP_NONE || overlap_of(j, before, i) > 0) continue;
            double end = j->activities[before].end;
            if ((!a->called || a->launched + u->latency < end) && d->event[i] <= end) values[count++] = a->start - end;
        }
    u->gap = called && count ? tfp_job_quantile(values, count, 0.5) : 0;
    if (u->gap > GAP_MOST_US) u->gap = GAP_MOST_US;
}

static bool find_constants(device_edges *d)
{
    tfp_job *j = d->j;
    double *values = TFP_NEW(j->arena, double, j->device_count + 1);
    if (!values) return false;
    for (uint32_t i = 0; i < j->device_count; i++) {
        uint32_t before = before_of(j, i), other = TFP_NONE;
        d->since[i] = before == TFP_NONE ? -INFINITY : j->activities[before].end;
        d->event[i] = -INFINITY;
        if (j->activities[i].collective && !j->units[j->activities[i].unit].has_events)
            other = awaited_by_collective(j, i);
        if (other != TFP_NONE) note_wait(d, i, other);
    }
    for (uint32_t i = 0; i < j->events.wait_count; i++)
        if (j->activities[j->events.waits[i].source].end <=
            j->activities[j->events.waits[i].target].start + TFP_JOB_SLACK_US)
            note_wait(d, j->events.waits[i].target, j->events.waits[i].source);
    for (size_t u = 0; u < j->unit_count; u++) {
        find_latency(d, &j->units[u], values);
        find_gap(d, &j->units[u], values);
    }
    return true;
}

/* ---- edges ---- */

/* Adds that `i` waits for an activity. In the variant where nothing waits for collectives, it waits for the last
 * activity before that is none. */
static void wait_for(device_edges *d, uint32_t i, uint32_t source, double lag)
{
    tfp_job *j = d->j;
    bool passes = j->activities[source].collective && !j->activities[i].collective;
    tfp_job_edge_add(j, source, i, lag, passes ? TFP_EDGE_COMM : 0);
    if (passes && d->plain[source] != TFP_NONE)
        tfp_job_edge_add(j, d->plain[source], i, lag, TFP_EDGE_BESIDE);
    else if (passes && j->activities[i].call == TFP_NONE) /* nothing is before it, so it begins with the collective */
        tfp_job_edge_add(j, source, i, lag, TFP_EDGE_BESIDE | TFP_EDGE_AFTER_START);
}

static void add_stream(device_edges *d, uint32_t i, double gap)
{
    const tfp_job *j = d->j;
    uint32_t before = before_of(j, i);
    if (before == TFP_NONE) return;
    if (overlap_of(j, before, i) > 0) { /* it begins as much before the end, but never before the start */
        gap = j->activities[i].start - j->activities[before].end;
        tfp_job_edge_add(d->j, before, i, 0, TFP_EDGE_AFTER_START);
    }
    wait_for(d, i, before, gap);
    if (!j->activities[i].collective) return;
    bool collective = j->activities[before].collective;
    uint32_t other = collective ? d->plain[before] : d->collective[before];
    if (other != TFP_NONE) tfp_job_edge_add(d->j, other, i, gap, TFP_EDGE_BESIDE);
}

static void add_activity(device_edges *d, uint32_t i)
{
    tfp_job *j = d->j;
    tfp_job_activity *a = &j->activities[i];
    const tfp_job_unit *u = &j->units[a->unit];
    double ready = d->since[i] + u->gap, launched = a->launched + u->latency;
    add_stream(d, i, u->gap);
    if (a->call != TFP_NONE) tfp_job_edge_add(j, tfp_job_anchor_node(j, a->call), i, u->latency, TFP_EDGE_LAUNCH);
    if (a->call != TFP_NONE && launched > ready) ready = launched;
    if (!u->has_events && a->collective) {
        uint32_t other = awaited_by_collective(j, i);
        if (other != TFP_NONE) wait_for(d, i, other, u->gap);
    } else if (!u->has_events && u->stream_count > 1 && a->start > ready + UNEXPLAINED_US) {
        uint32_t other = ended_near(d, i);
        if (other != TFP_NONE) {
            wait_for(d, i, other, a->start - j->activities[other].end);
            ready = a->start;
        }
    }
    bool after_wait = a->start >= u->busy_until && a->start < u->busy_until + UNRECORDED_US;
    if ((a->call == TFP_NONE || after_wait) && a->start > ready && ready > -INFINITY) a->late = a->start - ready;
    if (a->joint != TFP_NONE) tfp_job_edge_add(j, i, tfp_job_joint_node(j, a->joint), 0, TFP_EDGE_AFTER_START);
}

bool tfp_job_device_edges(tfp_job *j)
{
    tfp_arena *a = j->arena;
    size_t n = j->device_count + 1;
    device_edges d = { .j = j,
                       .since = TFP_NEW(a, double, n),
                       .event = TFP_NEW(a, double, n),
                       .plain = TFP_NEW(a, uint32_t, n),
                       .collective = TFP_NEW(a, uint32_t, n) };
    if (!d.since || !d.event || !d.plain || !d.collective) return false;
    if (!tfp_job_by_unit(j, by_end, &d.by_end, &d.unit_first)) return false;
    find_kinds(&d);
    if (!find_constants(&d)) return false;
    for (uint32_t i = 0; i < j->device_count; i++) add_activity(&d, i);
    for (uint32_t i = 0; i < j->events.wait_count; i++) {
        const tfp_job_wait *w = &j->events.waits[i];
        if (j->activities[w->source].end <= j->activities[w->target].start + TFP_JOB_SLACK_US)
            wait_for(&d, w->target, w->source, j->units[j->activities[w->target].unit].gap);
    }
    return !j->failed;
}
