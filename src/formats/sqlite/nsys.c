// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/nsys.c: Nsight Systems' export (nsys export --type sqlite): kernels, copies, memsets, API calls and
 * NVTX ranges become spans. nsys_shown.c reads the rest. Tables exist only when they have rows, and columns differ by
 * version. Layout: Nsight Systems' user guide, "SQLite Schema Reference". */
#include "formats/sqlite/nsys.h"

#include "formats/json/kineto.h"
#include "formats/sqlite/range_text.h"
#include "model/tables/profile.h"
#include "names/copies.h"

#include <stdio.h>

typedef tfp_nsys reader;

/* ---- names ---- */

static void add_device(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *n = ctx;
    int64_t gpu, device, pid;
    (void)e;
    if (tfp_db_int(rows, 0, &gpu) && tfp_db_int(rows, 1, &device) && tfp_db_int(rows, 2, &pid) && gpu >= 0)
        tfp_build_keep(n->r->b, tfp_map64_put(&n->gpu_by_device, (uint64_t)pid << 32 | (uint32_t)device,
                                              (uint32_t)gpu & INT32_MAX));
}

static tfp_status read_about(reader *n, tfp_error *err)
{
    tfp_db_rows rows;
    tfp_status s = tfp_db_start(&rows, &n->r->db, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs", err);
    int64_t ns;
    if (!s && tfp_db_next(&rows) && tfp_db_int(&rows, 0, &ns)) n->r->b->p->about.origin_unix_ns = ns;
    s = tfp_db_end(&rows, s, err);
    if (!s) s = tfp_recording_names(n->r, "StringIds", "id value", &n->text_by_id, err);
    if (!s) s = tfp_recording_names(n->r, "ENUM_CUDA_MEMCPY_OPER", "id name", &n->copy_kinds, err);
    return s ? s : tfp_recording_names(n->r, "ENUM_CUDA_MEM_KIND", "id label", &n->memory_kinds, err);
}

static tfp_str name_at(const reader *n, const tfp_map64 *names, int64_t id)
{
    return tfp_recording_name(n->r, names, id);
}

/* The name of a call or kernel, which StringIds may lack. */
static tfp_strid named(reader *n, tfp_str name)
{
    n->nameless += !name.size;
    return tfp_build_string(n->r->b, name);
}

/* ---- spans ---- */

static uint32_t lane_of_thread(reader *n, int64_t global)
{
    return tfp_recording_thread(n->r, (int64_t)TFP_NSYS_PID(global), (int64_t)TFP_NSYS_TID(global));
}

static void add_call(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *n = ctx;
    int64_t global = tfp_db_number(rows, 3);
    e->kind = TFP_SPAN_CALL;
    e->lane = lane_of_thread(n, global);
    e->name = named(n, tfp_api_name(name_at(n, &n->text_by_id, tfp_db_number(rows, 2))));
    e->correlation = tfp_nsys_key(n, global, tfp_db_number(rows, 4));
    if (n->allocations && e->correlation)
        tfp_build_keep(n->r->b, tfp_map64_put(&n->lane_by_launch, e->correlation, e->lane));
    tfp_recording_add(n->r, e);
}

enum { DEVICE = 2, STREAM, CORRELATION, GLOBAL, FIRST }; /* columns of activities; each table's own begin at FIRST */
#define ACTIVITY "start end deviceId streamId correlationId globalPid "

static reader *begin_activity(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *n = ctx;
    int64_t global = tfp_db_number(rows, GLOBAL);
    e->kind = TFP_SPAN_ACTIVITY;
    n->activities = true;
    e->lane = tfp_recording_numbered_stream(n->r, tfp_nsys_device(n, global, tfp_db_number(rows, DEVICE)),
                                            tfp_db_number(rows, STREAM));
    e->correlation = tfp_nsys_key(n, global, tfp_db_number(rows, CORRELATION));
    return n;
}

static void add_kernel(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *n = begin_activity(ctx, rows, e);
    tfp_str name = { "", 0 };
    int64_t id;
    for (int i = FIRST; i < FIRST + 3 && !name.size; i++)
        if (tfp_db_int(rows, i, &id)) name = name_at(n, &n->text_by_id, id);
    e->name = named(n, name);
    e->class = tfp_kineto_kernel_class(tfp_recording_bits(n->r, e->name));
    tfp_recording_add(n->r, e);
}

static void add_graph(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *n = begin_activity(ctx, rows, e);
    char name[40];
    snprintf(name, sizeof name, "(graph %lld)", (long long)tfp_db_number(rows, FIRST));
    e->name = tfp_build_string(n->r->b, tfp_str_of(name));
    e->class = TFP_CLASS_COMPUTE;
    tfp_recording_add(n->r, e);
}

/* The direction of a copy. Ids of copy kinds differ between versions of Nsight Systems; the file's enum table gives
 * their meaning, and a file without one uses the ids below. */
static tfp_direction direction_of(const reader *n, int64_t kind)
{
    static const uint8_t managed[] = { TFP_HTOD, TFP_DTOH, TFP_DTOD }; /* of unified memory, after CUPTI's kinds */
    tfp_str name = name_at(n, &n->copy_kinds, kind);
    if (name.size) return tfp_direction_of(name);
    if (kind >= TFP_DIRECTIONS && kind - TFP_DIRECTIONS < (int64_t)sizeof managed)
        return managed[kind - TFP_DIRECTIONS];
    return kind > 0 && kind < TFP_DIRECTIONS ? (tfp_direction)kind : TFP_UNKNOWN_DIRECTION;
}

static int short_of(tfp_str label) { return label.size < 60 ? (int)label.size : 60; }

static tfp_str memory_of(const reader *n, int64_t kind)
{
    static const char *const kinds[] = { "Pageable", "Pinned", "Device", "Array", "Managed" };
    tfp_str label = name_at(n, &n->memory_kinds, kind);
    return label.size ? label : tfp_str_of(kind >= 0 && kind < 5 ? kinds[kind] : "Unknown");
}

/* Adds a copy or a memset of as many bytes as the first column of its own tells. */
static void add_moved(reader *n, const tfp_db_rows *rows, tfp_event *e, tfp_span_class class, const char *name)
{
    int64_t bytes;
    e->name = tfp_build_string(n->r->b, tfp_str_of(name));
    e->class = class;
    if (tfp_db_int(rows, FIRST, &bytes)) e->stats = tfp_recording_bytes(n->r, bytes);
    tfp_recording_add(n->r, e);
}

static void add_copy(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *n = begin_activity(ctx, rows, e);
    char name[200];
    tfp_str source = memory_of(n, tfp_db_number(rows, FIRST + 2)),
            target = memory_of(n, tfp_db_number(rows, FIRST + 3));
    snprintf(name, sizeof name, "%s (%.*s -> %.*s)", tfp_copy_of(direction_of(n, tfp_db_number(rows, FIRST + 1))),
             short_of(source), source.data, short_of(target), target.data);
    add_moved(n, rows, e, TFP_CLASS_COPY, name);
}

static void add_set(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *n = begin_activity(ctx, rows, e);
    char name[100];
    int64_t kind;
    tfp_str label = TFP_STR("Device");
    if (tfp_db_int(rows, FIRST + 1, &kind)) label = memory_of(n, kind);
    snprintf(name, sizeof name, "Memset (%.*s)", short_of(label), label.data);
    add_moved(n, rows, e, TFP_CLASS_SET, name);
}

/* ---- ranges ---- */

enum { PUSH_POP = 59, START_END = 60 };

static void add_range(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *n = ctx;
    int64_t type = tfp_db_number(rows, 2), global = tfp_db_number(rows, 5), end;
    tfp_str text;
    if ((type != PUSH_POP && type != START_END) || !tfp_db_int(rows, 1, &end)) return;
    if (!tfp_recording_times(n->r, rows, e)) return;
    if (!tfp_db_text(rows, 3, &text)) text = name_at(n, &n->text_by_id, tfp_db_number(rows, 4));
    e->lane = type == PUSH_POP
                  ? lane_of_thread(n, global)
                  : tfp_recording_aside(n->r, (int64_t)TFP_NSYS_PID(global), (int64_t)TFP_NSYS_TID(global));
    tfp_recording_range(n->r, e, text, type == PUSH_POP ? TFP_RANGE_NVTX : TFP_RANGE_CROSSES);
}

/* ---- allocations ---- */

#define ALLOCATIONS "CUDA_GPU_MEMORY_USAGE_EVENTS"

static bool is_on_device(const reader *n, int64_t kind)
{
    static const char *const kinds[] = { "Device", "Managed", "Static", "Device Static", "Managed Static" };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (tfp_str_eq(memory_of(n, kind), tfp_str_of(kinds[i]))) return true;
    return false;
}

/* An event has only a start, and belongs to the lane of the API call in which it happened. */
static void add_allocation(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *n = ctx;
    char name[40] = "cpu";
    int64_t operation, global = tfp_db_number(rows, 3);
    tfp_memory_event m = { .allocated_bytes = -1, .reserved_bytes = -1, .span = TFP_NONE, .asked_by_op = true };
    (void)e;
    if (!tfp_db_int(rows, 0, &m.at_ns) || !tfp_db_int(rows, 1, &m.bytes) || !tfp_db_int(rows, 2, &operation) ||
        m.at_ns < 0 || m.bytes < 0) {
        n->r->unreadable++;
        return;
    }
    uint32_t lane = tfp_map64_get(&n->lane_by_launch, tfp_nsys_key(n, global, tfp_db_number(rows, 7)));
    m.lane = lane != TFP_NONE ? lane : lane_of_thread(n, global);
    if (operation == 1) m.bytes = -m.bytes;
    m.address = (uint64_t)tfp_db_number(rows, 6);
    if (is_on_device(n, tfp_db_number(rows, 5)))
        snprintf(name, sizeof name, "gpu:%lld", (long long)tfp_nsys_device(n, global, tfp_db_number(rows, 4)));
    m.device = tfp_build_string(n->r->b, tfp_str_of(name));
    tfp_build_memory_event(n->r->b, &m);
}

/* ---- the file ---- */

/* Notes views that were not read: a view can be endless. */
static void tell_views(reader *n)
{
    static const char *const names[] = { "CUPTI_ACTIVITY_KIND_KERNEL",
                                         "CUPTI_ACTIVITY_KIND_RUNTIME",
                                         "CUPTI_ACTIVITY_KIND_MEMCPY",
                                         "CUPTI_ACTIVITY_KIND_MEMSET",
                                         "NVTX_EVENTS",
                                         "StringIds" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tfp_db_has_view(&n->r->db, names[i]))
            tfp_build_warn(n->r->b, "views in place of tables, left out", tfp_str_of(names[i]));
}

/* clang-format off */
static const tfp_recording_table tables[] = {
    { "TARGET_INFO_CUDA_DEVICE", "gpuId cudaId pid", 0, false, add_device },
    { "CUPTI_ACTIVITY_KIND_RUNTIME", "start end nameId globalTid correlationId", 7, true, add_call },
    { "CUPTI_ACTIVITY_KIND_KERNEL", ACTIVITY "demangledName shortName mangledName", 3, true, add_kernel },
    { "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", ACTIVITY "graphId", 3, true, add_graph },
    { "CUPTI_ACTIVITY_KIND_MEMCPY", ACTIVITY "bytes copyKind srcKind dstKind", 3, true, add_copy },
    { "CUPTI_ACTIVITY_KIND_MEMSET", ACTIVITY "bytes memKind", 3, true, add_set },
    { "NVTX_EVENTS", "start end eventType text textId globalTid", 3, false, add_range },
    { ALLOCATIONS, "start bytes memoryOperationType globalPid deviceId memKind address correlationId", 7, false, add_allocation },
};
/* clang-format on */

static tfp_status read_all(reader *n, tfp_error *err)
{
    static const char nameless[] = "calls and kernels whose names are not in StringIds";
    tell_views(n);
    tfp_status s = read_about(n, err);
    if (!s) s = tfp_recording_read_all(n->r, tables, sizeof tables / sizeof *tables, n, err);
    if (!s) s = tfp_nsys_shown(n, err);
    if (n->nameless) tfp_build_warn(n->r->b, nameless, TFP_STR(""));
    if (n->nameless) tfp_build_data_finding(n->r->b, "warning", nameless, n->nameless, TFP_STR(""));
    return s ? s : tfp_nsys_samples(n, err);
}

/* ---- what Nsight Systems says of the recording ---- */

enum { TEXTS = 4, WARNING = 2, FAILURE = 3 }; /* WARNING, FAILURE: severities */

typedef struct diagnostics {
    tfp_nsys *n;
    size_t count;
    tfp_strid texts[TEXTS]; /* the first different ones; those about CUDA come first */
} diagnostics;

static void add_diagnostic(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    diagnostics *d = ctx;
    tfp_builder *b = d->n->r->b;
    tfp_str text;
    (void)e;
    int64_t severity = tfp_db_number(rows, 0);
    if ((severity != WARNING && severity != FAILURE) || !tfp_db_text(rows, 1, &text) || !text.size) return;
    if (text.size > 200) text.size = 200;
    tfp_strid id = tfp_build_string(b, text);
    size_t at = d->count;
    for (size_t i = 0; i < d->count; i++)
        if (d->texts[i] == id) return;
    tfp_build_data_finding(b, "info", "Nsight Systems warns", 1, text);
    bool about_cuda = tfp_str_has(text, TFP_STR("CUDA"));
    if (about_cuda)
        for (at = 0; at < d->count && tfp_str_has(tfp_text(b->p, d->texts[at]), TFP_STR("CUDA"));) at++;
    if (at == TEXTS) return;
    if (d->count < TEXTS) d->count++;
    memmove(d->texts + at + 1, d->texts + at, (d->count - at - 1) * sizeof *d->texts);
    d->texts[at] = id;
}

/* A recording without work of a device says why in its own words. */
static tfp_status read_diagnostics(reader *n, tfp_error *err)
{
    static const tfp_recording_table table = { "DIAGNOSTIC_EVENT", "severity text", 0, false, add_diagnostic };
    static const char *const says[TEXTS] = { "no work of a device is in the recording; Nsight Systems says",
                                             "and it says", "it also says", "and" };
    diagnostics d = { .n = n };
    tfp_status s = tfp_recording_read(n->r, &table, &d, err);
    if (s || n->activities || n->sampled) return s;
    tfp_builder *b = n->r->b;
    for (size_t i = 0; i < d.count; i++) tfp_build_warn(b, says[i], tfp_text(b->p, d.texts[i]));
    if (!d.count) tfp_build_warn(b, "no kernels or copies are in the recording of Nsight Systems", TFP_STR(""));
    if (n->r->spans || !d.count) return TFP_OK;
    tfp_str first = tfp_text(b->p, d.texts[0]);
    return tfp_fail(err, TFP_BADFILE, "a recording of Nsight Systems without events; it says: %.*s", (int)first.size,
                    first.data);
}

static tfp_status read_nsys(tfp_recording *r, tfp_error *err)
{
    char allocations[64];
    r->versions = true;
    tfp_db_latest(&r->db, ALLOCATIONS, allocations, sizeof allocations);
    reader n = { .r = r, .allocations = tfp_db_has(&r->db, allocations) };
    tfp_status s = read_all(&n, err);
    if (!s) s = read_diagnostics(&n, err);
    tfp_map64 *const maps[] = { &n.text_by_id, &n.gpu_by_device,  &n.copy_kinds,    &n.memory_kinds,
                                &n.wait_types, &n.overhead_types, &n.lane_by_launch };
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) tfp_map64_free(maps[i]);
    return s;
}

/* Only tables with rows are exported: a recording without CUDA may have any of these. */
static bool is_nsys(const tfp_db *d)
{
    static const char *const names[] = { "CUPTI_ACTIVITY_KIND_", "NVTX_EVENTS", "TARGET_INFO_GPU",
                                         "TARGET_INFO_SESSION_START_TIME", "DIAGNOSTIC_EVENT" };
    tfp_buf found = { 0 };
    bool any = tfp_db_has_view(d, "CUPTI_ACTIVITY_KIND_KERNEL");
    for (size_t i = 0; i < sizeof names / sizeof *names && !any; i++)
        any = !tfp_db_endings(d, names[i], &found, NULL) && found.size;
    tfp_buf_free(&found);
    return any;
}

static const char *const words[] = { "CUPTI_ACTIVITY_KIND_", "NVTX_EVENTS", "TARGET_INFO_GPU", "DIAGNOSTIC_EVENT",
                                     NULL };

const tfp_recording_kind tfp_recording_nsys = { "Nsight Systems", words, is_nsys, read_nsys };
