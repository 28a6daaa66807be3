// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/nsys_shown.c: what Nsight Systems recorded beside kernels and calls: synchronisations, CUDA events,
 * the overhead of CUDA and of the profiler, calls of the operating system. They become spans that the timeline shows
 * and that make no device busy. */
#include "formats/sqlite/nsys.h"

#define NO_STREAM 0xffffffff /* CUPTI's stream number of a wait for a whole context */

/* ---- on streams ---- */

/* The name that Kineto gives to such a wait: `whatif` recognizes by it what a call waits for. */
static tfp_str wait_name(const tfp_nsys *n, int64_t type)
{
    static const struct {
        int64_t id;
        const char *ending, *name;
    } rows[] = { { 1, "_EVENT_SYNCHRONIZE", "Event Sync" },
                 { 2, "_STREAM_WAIT_EVENT", "Stream Wait Event" },
                 { 3, "_STREAM_SYNCHRONIZE", "Stream Sync" },
                 { 4, "_CONTEXT_SYNCHRONIZE", "Context Sync" } };
    tfp_str told = tfp_recording_name(n->r, &n->wait_types, type);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (told.size ? tfp_str_ends(told, tfp_str_of(rows[i].ending)) : rows[i].id == type)
            return tfp_str_of(rows[i].name);
    return TFP_STR("Sync");
}

/* Adds a span of a stream, whose columns from the third on are those of ON_STREAM. */
static void add_on_stream(tfp_nsys *n, const tfp_db_rows *rows, tfp_event *e, tfp_str name)
{
    int64_t global = tfp_db_number(rows, 5), device = tfp_nsys_device(n, global, tfp_db_number(rows, 2)),
            stream = tfp_db_number(rows, 3);
    e->kind = TFP_SPAN_OTHER;
    e->lane = tfp_recording_numbered_stream(n->r, device, stream == NO_STREAM ? -1 : stream);
    e->name = tfp_build_string(n->r->b, name);
    e->correlation = tfp_nsys_key(n, global, tfp_db_number(rows, 4));
    tfp_recording_add(n->r, e);
}
#define ON_STREAM "deviceId streamId correlationId globalPid "

static void add_wait(void *n, const tfp_db_rows *rows, tfp_event *e)
{
    add_on_stream(n, rows, e, wait_name(n, tfp_db_number(rows, 6)));
}

/* Adds a CUDA event. The time is when the stream reached the event; 0: it was not recorded. */
static void add_record(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    tfp_nsys *n = ctx;
    if (tfp_db_number(rows, 0) && tfp_recording_times(n->r, rows, e))
        add_on_stream(n, rows, e, TFP_STR("Event Record"));
}

/* ---- rows beside threads ---- */

/* Adds a span of a row with a thread. A span is named by its string, otherwise by its type. */
static void add_beside(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    tfp_nsys *n = ctx;
    int64_t end, name, type, global = tfp_db_number(rows, 2);
    /* a call that had not returned at the end of the recording has no end */
    if (!tfp_db_int(rows, 1, &end) || !tfp_recording_times(n->r, rows, e)) return;
    tfp_str told = tfp_db_int(rows, 3, &name) ? tfp_recording_name(n->r, &n->text_by_id, name) : TFP_STR("");
    if (!told.size && tfp_db_int(rows, 4, &type)) told = tfp_recording_name(n->r, &n->overhead_types, type);
    e->kind = TFP_SPAN_OTHER;
    e->lane = tfp_recording_aside(n->r, (int64_t)TFP_NSYS_PID(global), (int64_t)TFP_NSYS_TID(global));
    e->name = tfp_build_string(n->r->b, told.size ? told : TFP_STR("(unknown)"));
    tfp_recording_add(n->r, e);
}

#define BESIDE "start end globalTid nameId overheadType"

static const tfp_recording_table tables[] = {
    { "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "start end " ON_STREAM "syncType", 0, true, add_wait },
    { "CUPTI_ACTIVITY_KIND_CUDA_EVENT", "timestamp timestamp " ON_STREAM, 0, false, add_record },
    { "CUPTI_ACTIVITY_KIND_OVERHEAD", BESIDE, 0, false, add_beside },
    { "OSRT_API", BESIDE, 0, false, add_beside },
};

tfp_status tfp_nsys_shown(tfp_nsys *n, tfp_error *err)
{
    tfp_status s = tfp_recording_names(n->r, "ENUM_CUPTI_SYNC_TYPE", "id name", &n->wait_types, err);
    if (!s) s = tfp_recording_names(n->r, "ENUM_CUPTI_OVERHEAD_TYPE", "id label", &n->overhead_types, err);
    return s ? s : tfp_recording_read_all(n->r, tables, sizeof tables / sizeof *tables, n, err);
}
