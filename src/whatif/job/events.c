// SPDX-License-Identifier: Apache-2.0
/* whatif/job/events.c: Kineto's rows `cuda_sync`: the event that a stream waits for, and what a synchronising call
 * waits for. */
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/spans.h"
#include "model/tables/stats.h"
#include "views/spans/trace.h"
#include "whatif/job/job.h"

#define KEYS_PLAIN 0x7fffffff /* numbers below this are their own keys plus one (tfp_build_key) */

typedef struct row_names {
    tfp_strid wait, device, stream, event;
} row_names;

static bool is_row(const tfp_job *j, const row_names *n, uint32_t span)
{
    tfp_strid name = j->s->name[span];
    return j->s->kind[span] == TFP_SPAN_OTHER && j->s->correlation[span] &&
           tfp_lanes_of(j->p)->at[j->s->lane[span]].role == TFP_ROLE_STREAM &&
           (name == n->wait || name == n->device || name == n->stream || name == n->event);
}

static bool map_calls(tfp_job *j)
{
    for (uint32_t i = 0; i < j->s->size; i++) {
        uint32_t unit = j->s->kind[i] == TFP_SPAN_CALL && j->s->correlation[i] ? tfp_job_unit_of(j, i) : TFP_NONE;
        if (unit == TFP_NONE) continue;
        uint64_t key = (uint64_t)unit << 32 | j->s->correlation[i];
        uint32_t known = tfp_map64_get(&j->events.call_by_key, key);
        if (known != TFP_NONE && j->s->start_ns[known] <= j->s->start_ns[i]) continue; /* a call inside another call */
        if (!tfp_map64_put(&j->events.call_by_key, key, i)) return false;
    }
    return true;
}

static uint64_t name_in_process(uint32_t process, tfp_strid name) { return (uint64_t)process << 32 | name; }

static bool map_streams(tfp_job *j)
{
    for (uint32_t i = 0; i < j->streams.count; i++) {
        const tfp_lane *l = &tfp_lanes_of(j->p)->at[j->streams.list[i].lane];
        uint64_t key = name_in_process(l->process, l->name);
        if (tfp_map64_get(&j->events.stream_by_name, key) == TFP_NONE &&
            !tfp_map64_put(&j->events.stream_by_name, key, i))
            return false;
    }
    return true;
}

/* When the call with the trace's number started; false: unknown. */
static bool call_time(const tfp_job *j, uint32_t unit, int64_t correlation, double *at)
{
    if (correlation <= 0 || correlation >= KEYS_PLAIN - 1) return false;
    uint32_t call = tfp_map64_get(&j->events.call_by_key, (uint64_t)unit << 32 | (uint64_t)(correlation + 1));
    if (call == TFP_NONE) return false;
    *at = tfp_job_time(j, unit, j->s->start_ns[call]);
    return true;
}

/* The stream with that number on the same device as a lane, as an index in streams; TFP_NONE: none. */
static uint32_t stream_numbered(const tfp_job *j, uint32_t lane, int64_t number)
{
    const tfp_profile *p = j->p;
    const tfp_lane *l = &tfp_lanes_of(p)->at[lane];
    tfp_buf name = { 0 };
    tfp_buf_str(&name, tfp_text(p, l->device));
    tfp_buf_printf(&name, "/stream:%lld", (long long)number);
    tfp_strid id = name.failed ? TFP_NONE : tfp_strtab_find(tfp_strings_of(p), (tfp_str){ name.data, name.size });
    tfp_buf_free(&name);
    return id == TFP_NONE ? TFP_NONE : tfp_map64_get(&j->events.stream_by_name, name_in_process(l->process, id));
}

bool tfp_job_event_of(const tfp_job *j, uint32_t row, uint32_t *stream, double *recorded)
{
    const tfp_profile *p = j->p;
    const tfp_stat *on = tfp_span_stat(p, row, tfp_stat_key(p, "wait_on_stream"));
    const tfp_stat *record = tfp_span_stat(p, row, tfp_stat_key(p, "wait_on_cuda_event_record_corr_id"));
    if (on && on->type == TFP_STAT_INT) *stream = stream_numbered(j, j->s->lane[row], on->value.number);
    return record && record->type == TFP_STAT_INT &&
           call_time(j, tfp_job_unit_of(j, row), record->value.number, recorded);
}

/* Adds the activity that waits, and the one that it waits for. */
static void add_wait(tfp_job *j, uint32_t row)
{
    uint32_t unit = tfp_job_unit_of(j, row), stream = j->streams.of_lane[j->s->lane[row]], other = TFP_NONE;
    double waited, recorded;
    if (!tfp_span_stat(j->p, row, tfp_stat_key(j->p, "wait_on_stream")))
        return; /* a row of Nsight Systems, which does not name the event */
    j->units[unit].has_events = true;
    if (stream == TFP_NONE || !tfp_job_event_of(j, row, &other, &recorded) || other == TFP_NONE) return;
    uint32_t call = tfp_map64_get(&j->events.call_by_key, (uint64_t)unit << 32 | j->s->correlation[row]);
    waited = tfp_job_time(j, unit, j->s->start_ns[call == TFP_NONE ? row : call]);
    const tfp_job_stream *s = &j->streams.list[stream];
    uint32_t before = tfp_job_launched(j, s, waited), source = tfp_job_launched(j, &j->streams.list[other], recorded);
    uint32_t target = before == TFP_NONE ? s->first : before + 1;
    if (source == TFP_NONE || target >= s->first + s->count || source == target) return;
    j->events.waits[j->events.wait_count++] = (tfp_job_wait){ target, source };
}

bool tfp_job_events(tfp_job *j)
{
    const tfp_strtab *strings = tfp_strings_of(j->p);
    row_names n = { tfp_strtab_find(strings, TFP_STR("Stream Wait Event")),
                    tfp_strtab_find(strings, TFP_STR("Context Sync")), tfp_strtab_find(strings, TFP_STR("Stream Sync")),
                    tfp_strtab_find(strings, TFP_STR("Event Sync")) };
    size_t count = 0, size = j->s->size;
    for (uint32_t i = 0; i < size; i++) count += is_row(j, &n, i);
    if (!count) return true;
    j->events.waits = TFP_NEW(j->arena, tfp_job_wait, count);
    j->events.sync_row = TFP_NEW(j->arena, uint32_t, size + 1);
    if (!j->events.waits || !j->events.sync_row || !map_calls(j) || !map_streams(j)) return false;
    for (size_t i = 0; i < size; i++) j->events.sync_row[i] = TFP_NONE;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t unit = is_row(j, &n, i) ? tfp_job_unit_of(j, i) : TFP_NONE;
        if (unit == TFP_NONE) continue;
        if (j->s->name[i] == n.wait) {
            add_wait(j, i);
            continue;
        }
        uint32_t call = tfp_map64_get(&j->events.call_by_key, (uint64_t)unit << 32 | j->s->correlation[i]);
        if (call != TFP_NONE) j->events.sync_row[call] = i;
    }
    return true;
}
