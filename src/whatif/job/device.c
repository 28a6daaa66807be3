// SPDX-License-Identifier: Apache-2.0
/* whatif/job/device.c: lists a job's activities by stream in the order in which they ran, each with the call that
 * launched it. */
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/spans.h"
#include "query/order.h"
#include "views/core/grid.h"
#include "whatif/job/job.h"

bool tfp_job_around(tfp_job *j)
{
    if (j->around) return true;
    j->around = TFP_NEW(j->arena, uint32_t, j->s->size + 1);
    for (size_t i = 0; j->around && i < j->s->size; i++) j->around[i] = TFP_NONE;
    return j->around != NULL;
}

/* Finds the lanes of TPUs, whose activities nest: the body of an XLA loop is inside the loop. */
typedef struct lane_kinds {
    const tfp_span_columns *s;
    bool *nested; /* by lane */
    bool some;
} lane_kinds;

static bool find_nested(tfp_job *j, lane_kinds *l)
{
    *l = (lane_kinds){ j->s, TFP_NEW(j->arena, bool, tfp_lanes_of(j->p)->size + 1), false };
    for (size_t i = 0; l->nested && i < tfp_lanes_of(j->p)->size; i++) {
        const tfp_lane *lane = &tfp_lanes_of(j->p)->at[i];
        l->nested[i] = lane->role == TFP_ROLE_STREAM && tfp_str_begins(tfp_text(j->p, lane->name), TFP_STR("tpu:"));
        l->some |= l->nested[i];
    }
    return l->nested != NULL;
}

/* If nested activities start together, the longer one is the outer one and comes first. */
static bool is_before(const void *ctx, uint32_t a, uint32_t b)
{
    const lane_kinds *l = ctx;
    const tfp_span_columns *s = l->s;
    if (s->lane[a] != s->lane[b]) return s->lane[a] < s->lane[b];
    if (s->start_ns[a] != s->start_ns[b]) return s->start_ns[a] < s->start_ns[b];
    return l->nested[s->lane[a]] ? s->duration_ns[a] > s->duration_ns[b] : s->duration_ns[a] < s->duration_ns[b];
}

/* Collects the activities of lanes that occupy a device, in order. Asynchronous lines beside a stream are skipped,
 * because nothing waits for them. */
static uint32_t *collect(tfp_job *j, lane_kinds *l)
{
    const tfp_profile *p = j->p;
    uint32_t count = 0, *spans;
    for (uint32_t i = 0; i < j->s->size; i++)
        count += j->s->kind[i] == TFP_SPAN_ACTIVITY && tfp_lanes_of(p)->at[j->s->lane[i]].role == TFP_ROLE_STREAM;
    spans = TFP_NEW(j->arena, uint32_t, count + 1);
    if (!spans || !find_nested(j, l)) return NULL;
    j->device_count = 0;
    for (uint32_t i = 0; i < j->s->size; i++)
        if (j->s->kind[i] == TFP_SPAN_ACTIVITY && tfp_lanes_of(p)->at[j->s->lane[i]].role == TFP_ROLE_STREAM &&
            tfp_job_unit_of(j, i) != TFP_NONE)
            spans[j->device_count++] = i;
    return tfp_sort(spans, j->device_count, is_before, l) ? spans : NULL;
}

/* ---- nested activities: each moment belongs to the innermost one, so an activity with others inside becomes several
 * pieces ---- */

typedef struct piece {
    uint32_t span;
    int64_t start_ns, end_ns;
} piece;

typedef struct pieces {
    tfp_job *j;
    TFP_VEC(piece) list;
    uint32_t top;  /* -> spans: the innermost one that is open; job.around has the others */
    int64_t at_ns; /* pieces are complete up to this time */
    bool ok;
} pieces;

static void add_piece(pieces *x, uint32_t span, int64_t start, int64_t end)
{
    x->ok = x->ok && tfp_push(&x->list, ((piece){ span, start, end }));
}

static void tell_top(pieces *x, int64_t until)
{
    if (until > x->at_ns) add_piece(x, x->top, x->at_ns, until);
    if (until > x->at_ns) x->at_ns = until;
}

static void close_until(pieces *x, int64_t until)
{
    for (; x->top != TFP_NONE && tfp_span_end(x->j->s, x->top) <= until; x->top = x->j->around[x->top])
        tell_top(x, tfp_span_end(x->j->s, x->top));
}

static void open_span(pieces *x, uint32_t span)
{
    const tfp_span_columns *s = x->j->s;
    int64_t start = s->start_ns[span];
    close_until(x, start);
    if (x->top != TFP_NONE) tell_top(x, start);
    x->at_ns = start;
    x->j->around[span] = x->top;
    if (s->duration_ns[span])
        x->top = span;
    else
        add_piece(x, span, start, start);
}

static bool cut_nested(tfp_job *j, const lane_kinds *l, const uint32_t *spans, pieces *x)
{
    const tfp_span_columns *s = j->s;
    *x = (pieces){ .j = j, .top = TFP_NONE, .ok = tfp_job_around(j) };
    for (uint32_t i = 0; x->ok && i < j->device_count; i++) {
        uint32_t span = spans[i];
        if (i && s->lane[span] != s->lane[spans[i - 1]]) close_until(x, INT64_MAX);
        if (l->nested[s->lane[span]])
            open_span(x, span);
        else
            add_piece(x, span, s->start_ns[span], tfp_span_end(s, span));
    }
    close_until(x, INT64_MAX);
    if (x->list.size >= TFP_NONE) x->ok = false;
    if (x->ok) j->device_count = (uint32_t)x->list.size;
    return x->ok;
}

/* ---- activities ---- */

static void fill(tfp_job *j, tfp_job_activity *a, uint32_t span)
{
    uint32_t launch = j->s->launch[span], unit = tfp_job_unit_of(j, span);
    *a = (tfp_job_activity){ .span = span,
                             .unit = unit,
                             .lane = j->s->lane[span],
                             .call = TFP_NONE,
                             .joint = TFP_NONE,
                             .ends_with = TFP_NONE,
                             .step = j->s->step[span],
                             .start = tfp_job_time(j, unit, j->s->start_ns[span]),
                             .end = tfp_job_time(j, unit, tfp_span_end(j->s, span)),
                             .collective = j->s->class[span] == TFP_CLASS_COMMUNICATION };
    a->duration = a->end - a->start;
    a->launched = a->start;
    if (launch != TFP_NONE && tfp_job_unit_of(j, launch) == unit && j->s->start_ns[launch] <= j->s->start_ns[span]) {
        a->launched = tfp_job_time(j, unit, j->s->start_ns[launch]);
        a->called = true;
    }
}

static void fill_piece(tfp_job *j, tfp_job_activity *a, const piece *x)
{
    fill(j, a, x->span);
    a->start = tfp_job_time(j, a->unit, x->start_ns);
    a->end = tfp_job_time(j, a->unit, x->end_ns);
    a->duration = a->end - a->start;
    if (!a->called) a->launched = a->start;
}

/* They have no step: a step's length is measured on the thread of the steps. */
static void fill_hosted(tfp_job *j, tfp_job_activity *a, uint32_t span)
{
    fill(j, a, span);
    a->collective = true;
    a->called = false;
    a->step = TFP_NONE;
}

static void cut_streams(tfp_job *j)
{
    for (uint32_t i = 0; i < j->device_count; i++) {
        const tfp_job_activity *a = &j->activities[i];
        bool starts = !i || a->lane != j->activities[i - 1].lane;
        if (starts) {
            j->streams.list[j->streams.count++] =
                (tfp_job_stream){ .lane = a->lane, .unit = a->unit, .first = i, .only_collectives = true };
        }
        tfp_job_stream *stream = &j->streams.list[j->streams.count - 1];
        stream->count++;
        stream->only_collectives &= a->collective;
        j->streams.seen[i] = starts || a->launched > j->streams.seen[i - 1] ? a->launched : j->streams.seen[i - 1];
    }
}

static const tfp_sort_key by_unit[] = { TFP_UP(tfp_job_stream, unit), { 0 } };

/* Sorts streams so that those of a unit are contiguous. */
static bool sort_streams(tfp_job *j)
{
    j->streams.list = tfp_ordered(j->arena, j->streams.list, sizeof *j->streams.list, j->streams.count, by_unit);
    for (uint32_t i = 0; j->streams.list && i < j->streams.count; i++) {
        tfp_job_unit *u = &j->units[j->streams.list[i].unit];
        if (!u->stream_count++) u->stream_first = i;
        j->streams.of_lane[j->streams.list[i].lane] = i;
    }
    return j->streams.list != NULL;
}

static bool make(tfp_job *j, const uint32_t *spans, const pieces *x)
{
    tfp_arena *a = j->arena;
    size_t lane_count = tfp_lanes_of(j->p)->size;
    j->activity_count = j->device_count + j->hosted.count;
    j->activities = TFP_NEW(a, tfp_job_activity, j->activity_count + 1);
    j->streams.seen = TFP_NEW(a, double, j->activity_count + 1);
    j->streams.list = TFP_NEW(a, tfp_job_stream, lane_count + 1);
    j->streams.of_lane = TFP_NEW(a, uint32_t, lane_count + 1);
    if (!j->activities || !j->streams.seen || !j->streams.list || !j->streams.of_lane) return false;
    for (size_t i = 0; i < lane_count; i++) j->streams.of_lane[i] = TFP_NONE;
    for (uint32_t i = 0; i < j->device_count; i++) {
        if (x)
            fill_piece(j, &j->activities[i], &x->list.at[i]);
        else
            fill(j, &j->activities[i], spans[i]);
    }
    for (uint32_t i = 0; i < j->hosted.count; i++)
        fill_hosted(j, &j->activities[j->device_count + i], j->hosted.spans[i]);
    cut_streams(j);
    return sort_streams(j);
}

bool tfp_job_activities(tfp_job *j)
{
    lane_kinds l;
    pieces x = { 0 };
    uint32_t *spans = collect(j, &l);
    bool ok = spans && (!l.some || cut_nested(j, &l, spans, &x)) && make(j, spans, l.some ? &x : NULL);
    tfp_vec_free(&x.list);
    return ok;
}

uint32_t tfp_job_launched(const tfp_job *j, const tfp_job_stream *stream, double at)
{
    const double *seen = j->streams.seen + stream->first;
    uint32_t later;
    TFP_LOWER_BOUND(later, 0, stream->count, seen[later] <= at);
    return later ? stream->first + later - 1 : TFP_NONE;
}

bool tfp_job_by_unit(const tfp_job *j, const tfp_sort_key *by, uint32_t **order, uint32_t **first)
{
    uint32_t n = j->device_count;
    *order = TFP_NEW(j->arena, uint32_t, n + 1);
    *first = TFP_NEW(j->arena, uint32_t, j->unit_count + 2);
    if (!*order || !*first) return false;
    for (uint32_t i = 0; i < n; i++) {
        (*order)[i] = i;
        (*first)[j->activities[i].unit + 1]++;
    }
    for (size_t u = 0; u < j->unit_count; u++) (*first)[u + 1] += (*first)[u];
    return tfp_order_items(*order, n, by, j->activities, sizeof *j->activities);
}

static double value_at(const void *values, size_t i) { return ((const double *)values)[i]; }

double tfp_job_quantile(double *values, size_t count, double share)
{
    if (!count) return 0;
    qsort(values, count, sizeof *values, tfp_by_real);
    return tfp_quantile(value_at, values, count, share);
}
