// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/nsys_shown.c: what Nsight Systems recorded beside kernels and calls: synchronisations, CUDA events,
 * the overhead of CUDA and of the profiler, calls of the operating system. They become spans that the timeline shows
 * and that make no device busy. */
#include "formats/sqlite/nsys.h"
#include "model/event_builder.h"

#include <stdio.h>

#define NO_STREAM 0xffffffff /* CUPTI's stream number of a wait for a whole context */

static uint32_t lane_of_stream(tfp_nsys *n, int64_t global, int64_t device, int64_t stream)
{
    return tfp_recording_numbered_stream(n->r, tfp_nsys_device(n, global, device), stream == NO_STREAM ? -1 : stream);
}

/* ---- on streams ---- */

/* The name that Kineto gives to such a wait: `whatif` recognizes by it what a call waits for. */
static tfp_str wait_name(const tfp_nsys *n, const tfp_map64 *types, int64_t type)
{
    static const struct {
        int64_t id;
        const char *ending, *name;
    } rows[] = { { 1, "_EVENT_SYNCHRONIZE", "Event Sync" },
                 { 2, "_STREAM_WAIT_EVENT", "Stream Wait Event" },
                 { 3, "_STREAM_SYNCHRONIZE", "Stream Sync" },
                 { 4, "_CONTEXT_SYNCHRONIZE", "Context Sync" } };
    tfp_str told = tfp_recording_name(n->r, types, type);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (told.size ? tfp_str_ends(told, tfp_str_of(rows[i].ending)) : rows[i].id == type)
            return tfp_str_of(rows[i].name);
    return TFP_STR("Sync");
}

static tfp_status read_waits(tfp_nsys *n, const tfp_map64 *types, tfp_error *err)
{
    tfp_db_rows rows;
    tfp_event e;
    tfp_status s = tfp_db_start(&rows, &n->r->db, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                "start end deviceId streamId correlationId globalPid syncType", err);
    for (int64_t device, stream, correlation, global, type; !s && tfp_db_next(&rows) && !n->r->b->status;) {
        if (!tfp_recording_times(n->r, &rows, &e)) continue;
        tfp_db_int(&rows, 2, &device), tfp_db_int(&rows, 3, &stream), tfp_db_int(&rows, 4, &correlation);
        tfp_db_int(&rows, 5, &global), tfp_db_int(&rows, 6, &type);
        e.kind = TFP_SPAN_OTHER;
        e.lane = lane_of_stream(n, global, device, stream);
        e.name = tfp_build_string(n->r->b, wait_name(n, types, type));
        e.correlation = tfp_nsys_key(n, global, correlation);
        tfp_recording_add(n->r, &e);
    }
    return tfp_db_end(&rows, s, err);
}

/* Reads CUDA events. The time is when the stream reached the event; 0: it was not recorded. */
static tfp_status read_records(tfp_nsys *n, tfp_error *err)
{
    tfp_db_rows rows;
    tfp_event e;
    tfp_status s = tfp_db_start(&rows, &n->r->db, "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
                                "timestamp timestamp deviceId streamId correlationId globalPid", err);
    for (int64_t at, device, stream, correlation, global; !s && tfp_db_next(&rows) && !n->r->b->status;) {
        if (!tfp_db_int(&rows, 0, &at) || at == 0 || !tfp_recording_times(n->r, &rows, &e)) continue;
        tfp_db_int(&rows, 2, &device), tfp_db_int(&rows, 3, &stream);
        tfp_db_int(&rows, 4, &correlation), tfp_db_int(&rows, 5, &global);
        e.kind = TFP_SPAN_OTHER;
        e.lane = lane_of_stream(n, global, device, stream);
        e.name = tfp_build_string(n->r->b, TFP_STR("Event Record"));
        e.correlation = tfp_nsys_key(n, global, correlation);
        tfp_recording_add(n->r, &e);
    }
    return tfp_db_end(&rows, s, err);
}

/* ---- rows beside threads ---- */

/* Reads the spans of a table whose rows have a thread. A span is named by its string, otherwise by its type. */
static tfp_status read_beside(tfp_nsys *n, const char *table, const tfp_map64 *types, tfp_error *err)
{
    tfp_db_rows rows;
    tfp_event e;
    tfp_status s = tfp_db_start(&rows, &n->r->db, table, "start end globalTid nameId overheadType", err);
    for (int64_t end, global, name, type; !s && tfp_db_next(&rows) && !n->r->b->status;) {
        /* a call that had not returned at the end of the recording has no end */
        if (!tfp_db_int(&rows, 1, &end) || !tfp_recording_times(n->r, &rows, &e)) continue;
        tfp_db_int(&rows, 2, &global);
        tfp_str told = tfp_db_int(&rows, 3, &name) ? tfp_recording_name(n->r, &n->text_by_id, name) : TFP_STR("");
        if (!told.size && tfp_db_int(&rows, 4, &type)) told = tfp_recording_name(n->r, types, type);
        e.kind = TFP_SPAN_OTHER;
        e.lane = tfp_recording_aside(n->r, (int64_t)TFP_NSYS_PID(global), (int64_t)TFP_NSYS_TID(global));
        e.name = tfp_build_string(n->r->b, told.size ? told : TFP_STR("(unknown)"));
        tfp_recording_add(n->r, &e);
    }
    return tfp_db_end(&rows, s, err);
}

tfp_status tfp_nsys_shown(tfp_nsys *n, tfp_error *err)
{
    tfp_map64 waits = { 0 }, overheads = { 0 };
    tfp_status s = tfp_recording_names(n->r, "ENUM_CUPTI_SYNC_TYPE", "id name", &waits, err);
    if (!s) s = tfp_recording_names(n->r, "ENUM_CUPTI_OVERHEAD_TYPE", "id label", &overheads, err);
    if (!s) s = read_waits(n, &waits, err);
    if (!s) s = read_records(n, err);
    if (!s) s = read_beside(n, "CUPTI_ACTIVITY_KIND_OVERHEAD", &overheads, err);
    if (!s) s = read_beside(n, "OSRT_API", &overheads, err);
    tfp_map64_free(&waits);
    tfp_map64_free(&overheads);
    return s;
}
