// SPDX-License-Identifier: Apache-2.0
/* whatif/job/sync.c: host calls that wait for the device: those that synchronise, and launches into a full queue. */
#include "model/tables/read.h"
#include "model/tables/spans.h"
#include "query/order.h"
#include "whatif/job/job.h"

#include <math.h>

#define INSIDE_US                                                                                                      \
    20 /* without a row that tells it, a call waits for what ended during its last microseconds, this many */
#define STREAMS_MOST 64 /* most streams that are examined for a call */
#define FULL_US 20      /* a launch that takes longer than this, */
#define FULL_TIMES 3    /* and this many times its usual cost, waits for the queue */

typedef struct sync_edges {
    tfp_job *j;
    uint32_t *by_start; /* activities sorted by unit and start */
    uint32_t *unit_first;
    double *usual; /* for each name of a call: the tenth percentile of its durations */
} sync_edges;

/* State of finding what a call waits for. */
typedef struct awaited {
    uint32_t list[STREAMS_MOST];
    uint32_t count;
    double end; /* the latest */
} awaited;

static void await(const tfp_job *j, awaited *w, uint32_t activity, double until)
{
    if (activity == TFP_NONE || w->count == STREAMS_MOST || j->activities[activity].end > until + TFP_JOB_SLACK_US)
        return;
    w->list[w->count++] = activity;
    if (j->activities[activity].end > w->end) w->end = j->activities[activity].end;
}

/* Activities without a known launch that follow one in its stream were launched before the call, too, if they end in it:
 * the last of them. */
static uint32_t last_without_launch(const tfp_job *j, const tfp_job_stream *s, uint32_t at, double until)
{
    while (at != TFP_NONE && at + 1 < s->first + s->count && j->activities[at + 1].call == TFP_NONE &&
           j->activities[at + 1].end <= until)
        at++;
    return at;
}

/* Waits for the last activity of each stream that was launched before the call. `inside`: only for those that ended during
 * its last moments. */
static void await_all(const tfp_job *j, awaited *w, const tfp_job_anchor *start, double until, bool inside)
{
    const tfp_job_unit *u = &j->units[start->unit];
    for (uint32_t s = u->stream_first; s < u->stream_first + u->stream_count && s < u->stream_first + STREAMS_MOST;
         s++) {
        uint32_t at = tfp_job_launched(j, &j->streams.list[s], start->at);
        at = last_without_launch(j, &j->streams.list[s], at, until);
        if (inside &&
            (at == TFP_NONE || j->activities[at].end < until - INSIDE_US || j->activities[at].end < start->at))
            continue;
        await(j, w, at, until);
    }
}

/* Waits for what the trace's row says. */
static void await_row(const tfp_job *j, awaited *w, const tfp_job_anchor *start, double until, uint32_t row)
{
    tfp_str name = tfp_job_name(j, row);
    uint32_t stream = j->streams.of_lane[j->s->lane[row]];
    double at = start->at;
    if (tfp_str_eq(name, TFP_STR("Context Sync"))) {
        await_all(j, w, start, until, false);
        return;
    }
    if (tfp_str_eq(name, TFP_STR("Event Sync")) && !tfp_job_event_of(j, row, &stream, &at)) return;
    if (stream != TFP_NONE) await(j, w, tfp_job_launched(j, &j->streams.list[stream], at), until);
}

static void add_wait(sync_edges *e, uint32_t end_at)
{
    tfp_job *j = e->j;
    tfp_job_anchor *end = &j->anchors.list[end_at];
    const tfp_job_anchor *start = &j->anchors.list[j->anchors.of_call[end->span]];
    uint32_t row = j->events.sync_row ? j->events.sync_row[end->span] : TFP_NONE;
    awaited w = { .end = -INFINITY };
    if (row != TFP_NONE)
        await_row(j, &w, start, end->at, row);
    else
        await_all(j, &w, start, end->at, true);
    if (!w.count) return;
    double tail = end->at - w.end;
    if (w.end > start->at)
        end->own = end->own < tail ? end->own : tail; /* the rest of it was waiting */
    else
        tail = end->at - start->at;
    for (uint32_t i = 0; i < w.count; i++)
        tfp_job_edge_add(j, w.list[i], tfp_job_anchor_node(j, end_at), tail, TFP_EDGE_SYNC);
}

/* ---- full queues ---- */

static const tfp_sort_key by_start[] = { TFP_UP(tfp_job_activity, unit), TFP_UP(tfp_job_activity, start), { 0 } };

/* The last activity of other calls that started during a call; TFP_NONE: none. */
static uint32_t started_in(const sync_edges *e, uint32_t unit, double from, double to, uint32_t own)
{
    const tfp_job_activity *all = e->j->activities;
    uint32_t first = e->unit_first[unit], later;
    TFP_LOWER_BOUND(later, first, e->unit_first[unit + 1], all[e->by_start[later]].start <= to);
    if (later > first && all[e->by_start[later - 1]].call == own) later--;
    if (later <= first || all[e->by_start[later - 1]].start <= from) return TFP_NONE;
    return e->by_start[later - 1];
}

static double length_of(const tfp_job *j, const tfp_job_anchor *end)
{
    return end->at - j->anchors.list[j->anchors.of_call[end->span]].at;
}

static bool name_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_job *j = ctx;
    return j->s->name[j->anchors.list[a].span] < j->s->name[j->anchors.list[b].span];
}

/* Finds the usual cost of launches by name: the tenth percentile. */
static bool find_usual(sync_edges *e)
{
    tfp_job *j = e->j;
    uint32_t *list = TFP_NEW(j->arena, uint32_t, j->anchors.count + 1), count = 0;
    double *values = TFP_NEW(j->arena, double, j->anchors.count + 1);
    e->usual = TFP_NEW(j->arena, double, tfp_strings_of(j->p)->count + 1);
    if (!list || !values || !e->usual) return false;
    for (uint32_t i = 0; i < j->anchors.count; i++)
        if (j->anchors.list[i].launches && j->anchors.list[i].ends) list[count++] = i;
    if (!tfp_sort(list, count, name_before, j)) return false;
    for (uint32_t i = 0, end; i < count; i = end) {
        tfp_strid name = j->s->name[j->anchors.list[list[i]].span];
        for (end = i; end < count && j->s->name[j->anchors.list[list[end]].span] == name; end++)
            values[end - i] = length_of(j, &j->anchors.list[list[end]]);
        e->usual[name] = tfp_job_quantile(values, end - i, 0.1);
    }
    return true;
}

static void add_full(sync_edges *e, uint32_t end_at)
{
    tfp_job *j = e->j;
    tfp_job_anchor *end = &j->anchors.list[end_at];
    uint32_t start = j->anchors.of_call[end->span];
    double all = length_of(j, end), usual = e->usual[j->s->name[end->span]];
    if (all <= FULL_US || all <= FULL_TIMES * usual) return;
    uint32_t last = started_in(e, end->unit, j->anchors.list[start].at, end->at, start);
    if (last == TFP_NONE) return;
    tfp_job_edge_add(j, last, tfp_job_anchor_node(j, end_at), end->at - j->activities[last].start,
                     TFP_EDGE_AFTER_START);
    if (end->own > usual) end->own = usual;
}

bool tfp_job_sync_edges(tfp_job *j)
{
    sync_edges e = { .j = j };
    if (!tfp_job_by_unit(j, by_start, &e.by_start, &e.unit_first) || !find_usual(&e)) return false;
    for (uint32_t i = 0; i < j->anchors.count; i++) {
        const tfp_job_anchor *a = &j->anchors.list[i];
        if (a->span == TFP_NONE || !a->ends || a->kind != TFP_ANCHOR_CALL) continue;
        if (a->waits)
            add_wait(&e, i);
        else if (a->launches)
            add_full(&e, i);
    }
    for (uint32_t i = 0; i < j->anchors.count; i++) {
        const tfp_job_anchor *a = &j->anchors.list[i];
        uint32_t node = tfp_job_anchor_node(j, i);
        if (!a->first) tfp_job_edge_add(j, node - 1, node, 0, TFP_EDGE_HOST);
        if (a->handoff_from != TFP_NONE)
            tfp_job_edge_add(j, tfp_job_anchor_node(j, a->handoff_from), node, 0, TFP_EDGE_HANDOFF);
    }
    return !j->failed;
}
