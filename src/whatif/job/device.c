// SPDX-License-Identifier: Apache-2.0
/* whatif/job/device.c: the activities of a job by stream, in the order in which they ran, each with the call that launched it. */
#include "model/tables/spans.h"
#include "views/core/grid.h"
#include "whatif/job/job.h"

static bool is_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_span_columns *s = ctx;
    if (s->lane[a] != s->lane[b]) return s->lane[a] < s->lane[b];
    if (s->start_ns[a] != s->start_ns[b]) return s->start_ns[a] < s->start_ns[b];
    return s->duration_ns[a] < s->duration_ns[b];
}

/* Activities of lanes that occupy a device; those beside a stream (async lines) gate nothing. */
static uint32_t *collect(tfp_job *j)
{
    const tfp_profile *p = j->p;
    uint32_t count = 0, *spans;
    for (uint32_t i = 0; i < j->s->size; i++)
        count += j->s->kind[i] == TFP_SPAN_ACTIVITY && p->lanes.at[j->s->lane[i]].role == TFP_ROLE_STREAM;
    spans = TFP_NEW(j->arena, uint32_t, count + 1);
    if (!spans) return NULL;
    j->device_count = 0;
    for (uint32_t i = 0; i < j->s->size; i++)
        if (j->s->kind[i] == TFP_SPAN_ACTIVITY && p->lanes.at[j->s->lane[i]].role == TFP_ROLE_STREAM &&
            tfp_job_unit_of(j, i) != TFP_NONE)
            spans[j->device_count++] = i;
    return tfp_sort(spans, j->device_count, is_before, j->s) ? spans : NULL;
}

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

/* No step: the length of one is that of the thread of the steps. */
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
            j->streams[j->stream_count++] =
                (tfp_job_stream){ .lane = a->lane, .unit = a->unit, .first = i, .only_collectives = true };
        }
        tfp_job_stream *stream = &j->streams[j->stream_count - 1];
        stream->count++;
        stream->only_collectives &= a->collective;
        j->seen[i] = starts || a->launched > j->seen[i - 1] ? a->launched : j->seen[i - 1];
    }
}

static bool by_unit(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_job_stream *s = ctx;
    return s[a].unit < s[b].unit;
}

/* Streams of a unit stand side by side. */
static bool sort_streams(tfp_job *j)
{
    j->streams = tfp_rows_sorted(j->arena, j->streams, sizeof *j->streams, j->stream_count, by_unit);
    for (uint32_t i = 0; j->streams && i < j->stream_count; i++) {
        tfp_job_unit *u = &j->units[j->streams[i].unit];
        if (!u->stream_count++) u->stream_first = i;
        j->stream_of_lane[j->streams[i].lane] = i;
    }
    return j->streams != NULL;
}

bool tfp_job_activities(tfp_job *j)
{
    tfp_arena *a = j->arena;
    uint32_t *spans = collect(j);
    j->activity_count = j->device_count + j->hosted_count;
    size_t lanes = j->p->lanes.size;
    j->activities = TFP_NEW(a, tfp_job_activity, j->activity_count + 1);
    j->seen = TFP_NEW(a, double, j->activity_count + 1);
    j->streams = TFP_NEW(a, tfp_job_stream, lanes + 1);
    j->stream_of_lane = TFP_NEW(a, uint32_t, lanes + 1);
    if (!spans || !j->activities || !j->seen || !j->streams || !j->stream_of_lane) return false;
    for (size_t i = 0; i < lanes; i++) j->stream_of_lane[i] = TFP_NONE;
    for (uint32_t i = 0; i < j->device_count; i++) fill(j, &j->activities[i], spans[i]);
    for (uint32_t i = 0; i < j->hosted_count; i++)
        fill_hosted(j, &j->activities[j->device_count + i], j->hosted_spans[i]);
    cut_streams(j);
    return sort_streams(j);
}

uint32_t tfp_job_launched(const tfp_job *j, const tfp_job_stream *stream, double at)
{
    const double *seen = j->seen + stream->first;
    size_t low = 0, high = stream->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (seen[middle] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? stream->first + (uint32_t)low - 1 : TFP_NONE;
}

bool tfp_job_by_unit(const tfp_job *j, bool (*less)(const void *activities, uint32_t a, uint32_t b), uint32_t **order,
                     uint32_t **first)
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
    return tfp_sort(*order, n, less, j->activities);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double value_at(const void *values, size_t i) { return ((const double *)values)[i]; }

double tfp_job_quantile(double *values, size_t count, double share)
{
    if (!count) return 0;
    qsort(values, count, sizeof *values, compare);
    return tfp_quantile(value_at, values, count, share);
}
