// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/nsys.c: Nsight Systems' export (nsys export --type sqlite): kernels, copies, sets, API calls and NVTX ranges become
 * spans. Tables exist only when they have rows, and columns differ by version.
 * Layout: Nsight Systems' user guide, "SQLite Schema Reference". */
#include "formats/files/format.h"
#include "formats/json/kineto.h"
#include "formats/sqlite/db.h"
#include "formats/sqlite/nsys_text.h"

#include <stdio.h>

#define PID_OF(global) ((uint64_t)(global) >> 24 & 0xffffff)
#define TID_OF(global) ((uint64_t)(global)&0xffffff)

typedef struct reader {
    tfp_builder *b;
    tfp_db db;
    uint32_t process;
    tfp_map64 text_by_id, gpu_by_device, copy_kinds, memory_kinds, owner_of_thread, lane_by_thread, lane_by_stream;
    tfp_map64 bits_of_name; /* tfp_kineto_look_at_name */
    tfp_strid bytes, dims;
    int64_t spans, unreadable;
} reader;

static bool keep(reader *r, bool ok)
{
    if (!ok && !r->b->status) r->b->status = TFP_NOMEM;
    return !r->b->status;
}

/* ---- names ---- */

/* A table of ids and texts. */
static tfp_status read_names(reader *r, const char *table, const char *columns, tfp_map64 *to, tfp_error *err)
{
    tfp_db_rows rows;
    tfp_status s = tfp_db_start(&rows, &r->db, table, columns, err);
    for (int64_t id; !s && tfp_db_next(&rows) && !r->b->status;) {
        tfp_str text;
        if (tfp_db_int(&rows, 0, &id) && tfp_db_text(&rows, 1, &text))
            keep(r, tfp_map64_put(to, (uint64_t)id, tfp_build_string(r->b, text)));
    }
    return tfp_db_end(&rows, s, err);
}

static tfp_status read_devices(reader *r, tfp_error *err)
{
    tfp_db_rows rows;
    tfp_status s = tfp_db_start(&rows, &r->db, "TARGET_INFO_CUDA_DEVICE", "gpuId cudaId pid", err);
    for (int64_t gpu, device, pid; !s && tfp_db_next(&rows) && !r->b->status;)
        if (tfp_db_int(&rows, 0, &gpu) && tfp_db_int(&rows, 1, &device) && tfp_db_int(&rows, 2, &pid) && gpu >= 0)
            keep(r,
                 tfp_map64_put(&r->gpu_by_device, (uint64_t)pid << 32 | (uint32_t)device, (uint32_t)gpu & INT32_MAX));
    return tfp_db_end(&rows, s, err);
}

static tfp_status read_about(reader *r, tfp_error *err)
{
    tfp_db_rows rows;
    tfp_status s = tfp_db_start(&rows, &r->db, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs", err);
    int64_t ns;
    if (!s && tfp_db_next(&rows) && tfp_db_int(&rows, 0, &ns)) r->b->p->events.origin_unix_ns = ns;
    s = tfp_db_end(&rows, s, err);
    if (!s) s = read_names(r, "StringIds", "id value", &r->text_by_id, err);
    if (!s) s = read_names(r, "ENUM_CUDA_MEMCPY_OPER", "id name", &r->copy_kinds, err);
    if (!s) s = read_names(r, "ENUM_CUDA_MEM_KIND", "id label", &r->memory_kinds, err);
    return s ? s : read_devices(r, err);
}

static tfp_str name_at(const reader *r, const tfp_map64 *names, int64_t id)
{
    uint32_t string = tfp_map64_get(names, (uint64_t)id);
    return string == TFP_NONE ? TFP_STR("") : tfp_text(r->b->p, string);
}

static uint8_t bits_of(reader *r, tfp_strid name)
{
    uint32_t bits = tfp_map64_get(&r->bits_of_name, name);
    if (bits != TFP_NONE) return (uint8_t)bits;
    uint8_t found = tfp_kineto_look_at_name(tfp_text(r->b->p, name));
    keep(r, tfp_map64_put(&r->bits_of_name, name, found));
    return found;
}

/* ---- lanes ---- */

static uint32_t lane_of_thread(reader *r, int64_t global)
{
    char name[80];
    uint64_t pid = PID_OF(global), tid = TID_OF(global), key = pid << 24 | tid;
    uint32_t lane = tfp_map64_get(&r->lane_by_thread, key), owner = tfp_map64_get(&r->owner_of_thread, tid);
    if (lane != TFP_NONE) return lane;
    if (owner == TFP_NONE) keep(r, tfp_map64_put(&r->owner_of_thread, tid, owner = (uint32_t)pid));
    if (owner == pid)
        snprintf(name, sizeof name, "cpu/thread:%llu", (unsigned long long)tid);
    else
        snprintf(name, sizeof name, "cpu/process:%llu/thread:%llu", (unsigned long long)pid, (unsigned long long)tid);
    lane = tfp_build_event_lane(r->b, r->process, TFP_ROLE_THREAD, tfp_str_of(name), TFP_STR(""));
    keep(r, lane != TFP_NONE && tfp_map64_put(&r->lane_by_thread, key, lane));
    return lane;
}

/* A device's number is the process's own: under CUDA_VISIBLE_DEVICES each begins with 0. */
static uint32_t lane_of_stream(reader *r, int64_t global, int64_t device, int64_t stream)
{
    char name[80];
    uint32_t gpu = tfp_map64_get(&r->gpu_by_device, PID_OF(global) << 32 | (uint32_t)device);
    if (gpu != TFP_NONE) device = gpu;
    const int64_t both[2] = { device, stream };
    uint64_t key = tfp_hash(both, sizeof both);
    uint32_t lane = tfp_map64_get(&r->lane_by_stream, key);
    if (lane != TFP_NONE) return lane;
    snprintf(name, sizeof name, "gpu:%lld/stream:%lld", (long long)device, (long long)stream);
    lane = tfp_build_event_lane(r->b, r->process, TFP_ROLE_STREAM, tfp_str_of(name), TFP_STR(""));
    keep(r, lane != TFP_NONE && tfp_map64_put(&r->lane_by_stream, key, lane));
    return lane;
}

static uint32_t lane_aside(reader *r, int64_t global)
{
    char name[80];
    snprintf(name, sizeof name, "shown/%llu/%llu", (unsigned long long)PID_OF(global),
             (unsigned long long)TID_OF(global));
    return tfp_build_event_lane(r->b, r->process, TFP_ROLE_DERIVED, tfp_str_of(name), TFP_STR(""));
}

/* ---- spans ---- */

#define ABSURD_NS (INT64_C(9000000000000000) * 1000) /* 285 years */

/* Start and end stand in the first two columns. False: the row is no span, and is counted. */
static bool times_of(reader *r, const tfp_db_rows *rows, tfp_event *e)
{
    int64_t end;
    *e = (tfp_event){ .stats = TFP_NONE, .trace = TFP_NONE };
    bool ok = tfp_db_int(rows, 0, &e->start_ns) && tfp_db_int(rows, 1, &end) && e->start_ns >= 0 &&
              e->start_ns <= ABSURD_NS && end <= ABSURD_NS;
    r->unreadable += !ok;
    if (!ok) return false;
    e->duration_ns = end > e->start_ns ? end - e->start_ns : 0;
    if (end < e->start_ns) e->marks |= TFP_MARK_CLAMPED;
    return true;
}

/* Numbers of correlation repeat in other processes. */
static uint32_t key_of(reader *r, int64_t global, int64_t correlation)
{
    return correlation > 0 ? tfp_build_key(r->b, r->process, 0, PID_OF(global) << 40 | (uint64_t)correlation) : 0;
}

static uint32_t add(reader *r, const tfp_event *e)
{
    r->spans++;
    return tfp_build_event(r->b, e);
}

static tfp_status needs(const tfp_db_rows *rows, const char *table, unsigned columns, tfp_error *err)
{
    if (!rows->statement || (rows->have & columns) == columns) return TFP_OK;
    return tfp_fail(err, TFP_BADFILE, "table %s lacks a column of start, end or name", table);
}

static tfp_status read_calls(reader *r, tfp_error *err)
{
    const char *table = "CUPTI_ACTIVITY_KIND_RUNTIME";
    tfp_db_rows rows;
    tfp_event e;
    tfp_status s = tfp_db_start(&rows, &r->db, table, "start end nameId globalTid correlationId", err);
    if (!s) s = needs(&rows, table, 7, err);
    for (int64_t name, global, correlation; !s && tfp_db_next(&rows) && !r->b->status;) {
        if (!times_of(r, &rows, &e)) continue;
        tfp_db_int(&rows, 2, &name), tfp_db_int(&rows, 3, &global), tfp_db_int(&rows, 4, &correlation);
        e.kind = TFP_SPAN_CALL;
        e.lane = lane_of_thread(r, global);
        e.name = tfp_build_string(r->b, tfp_api_name(name_at(r, &r->text_by_id, name)));
        e.correlation = key_of(r, global, correlation);
        add(r, &e);
    }
    return tfp_db_end(&rows, s, err);
}

enum { DEVICE = 2, STREAM, CORRELATION, GLOBAL, FIRST }; /* columns of activities */
#define ACTIVITY "start end deviceId streamId correlationId globalPid "

/* Names an activity and gives its class; the columns of its table begin at FIRST. */
typedef tfp_strid name_fn(reader *r, const tfp_db_rows *rows, tfp_span_class *class);

static tfp_status read_activities(reader *r, const char *table, const char *columns, name_fn *name, tfp_error *err)
{
    tfp_db_rows rows;
    tfp_event e;
    tfp_status s = tfp_db_start(&rows, &r->db, table, columns, err);
    if (!s) s = needs(&rows, table, 3, err);
    for (int64_t device, stream, correlation, global, bytes; !s && tfp_db_next(&rows) && !r->b->status;) {
        if (!times_of(r, &rows, &e)) continue;
        tfp_db_int(&rows, DEVICE, &device), tfp_db_int(&rows, STREAM, &stream);
        tfp_db_int(&rows, CORRELATION, &correlation), tfp_db_int(&rows, GLOBAL, &global);
        e.kind = TFP_SPAN_ACTIVITY;
        e.lane = lane_of_stream(r, global, device, stream);
        e.name = name(r, &rows, &e.class);
        e.correlation = key_of(r, global, correlation);
        if (e.class >= TFP_CLASS_COPY && tfp_db_int(&rows, FIRST, &bytes)) {
            const tfp_stat stat = { .key = r->bytes, .type = TFP_STAT_INT, .value.number = bytes };
            e.stats = tfp_build_stats(r->b, &stat, 1);
        }
        add(r, &e);
    }
    return tfp_db_end(&rows, s, err);
}

static tfp_strid name_kernel(reader *r, const tfp_db_rows *rows, tfp_span_class *class)
{
    tfp_str name = { "", 0 };
    int64_t id;
    for (int i = FIRST; i < FIRST + 3 && !name.size; i++)
        if (tfp_db_int(rows, i, &id)) name = name_at(r, &r->text_by_id, id);
    tfp_strid string = tfp_build_string(r->b, name);
    *class = tfp_kineto_kernel_class(bits_of(r, string));
    return string;
}

static tfp_strid name_graph(reader *r, const tfp_db_rows *rows, tfp_span_class *class)
{
    char name[40];
    int64_t graph;
    tfp_db_int(rows, FIRST, &graph);
    snprintf(name, sizeof name, "(graph %lld)", (long long)graph);
    *class = TFP_CLASS_COMPUTE;
    return tfp_build_string(r->b, tfp_str_of(name));
}

/* The ids of copy kinds differ between versions of Nsight Systems. The file's enum table says what they mean; a file without one
 * uses the ids below. */
static const char *direction_of(const reader *r, int64_t kind)
{
    static const struct {
        int64_t id;
        const char *ending, *told;
    } rows[] = { { 1, "HTOD", "HtoD" },  { 2, "DTOH", "DtoH" },  { 8, "DTOD", "DtoD" },  { 9, "HTOH", "HtoH" },
                 { 10, "PTOP", "PtoP" }, { 11, "HTOD", "HtoD" }, { 12, "DTOH", "DtoH" }, { 13, "DTOD", "DtoD" } };
    tfp_str name = name_at(r, &r->copy_kinds, kind);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (name.size ? tfp_str_ends(name, tfp_str_of(rows[i].ending)) : rows[i].id == kind) return rows[i].told;
    return "unknown";
}

static int short_of(tfp_str label) { return label.size < 60 ? (int)label.size : 60; }

static tfp_str memory_of(const reader *r, int64_t kind)
{
    static const char *const kinds[] = { "Pageable", "Pinned", "Device", "Array", "Managed" };
    tfp_str label = name_at(r, &r->memory_kinds, kind);
    return label.size ? label : tfp_str_of(kind >= 0 && kind < 5 ? kinds[kind] : "Unknown");
}

static tfp_strid name_copy(reader *r, const tfp_db_rows *rows, tfp_span_class *class)
{
    char name[200];
    int64_t kind, from, to;
    tfp_db_int(rows, FIRST + 1, &kind), tfp_db_int(rows, FIRST + 2, &from), tfp_db_int(rows, FIRST + 3, &to);
    tfp_str source = memory_of(r, from), target = memory_of(r, to);
    snprintf(name, sizeof name, "Memcpy %s (%.*s -> %.*s)", direction_of(r, kind), short_of(source), source.data,
             short_of(target), target.data);
    *class = TFP_CLASS_COPY;
    return tfp_build_string(r->b, tfp_str_of(name));
}

static tfp_strid name_set(reader *r, const tfp_db_rows *rows, tfp_span_class *class)
{
    char name[100];
    int64_t kind;
    tfp_str label = TFP_STR("Device");
    if (tfp_db_int(rows, FIRST + 1, &kind)) label = memory_of(r, kind);
    snprintf(name, sizeof name, "Memset (%.*s)", short_of(label), label.data);
    *class = TFP_CLASS_SET;
    return tfp_build_string(r->b, tfp_str_of(name));
}

/* ---- ranges ---- */

enum { PUSH_POP = 59, START_END = 60 };

static void add_step(reader *r, tfp_event *e, int64_t number)
{
    char name[40];
    snprintf(name, sizeof name, "ProfilerStep#%lld", (long long)number);
    e->kind = TFP_SPAN_STEP;
    e->name = tfp_build_string(r->b, tfp_str_of(name));
    tfp_step_mark m = { .span = add(r, e), .source = TFP_STEPS_MARKED, .number = number };
    tfp_build_step_mark(r->b, &m);
}

static void add_op(reader *r, tfp_event *e, const tfp_range_op *op)
{
    e->kind = TFP_SPAN_OP;
    e->name = tfp_build_string(r->b, op->name);
    if (bits_of(r, e->name) & TFP_KINETO_COLLECTIVE_OP) e->class = TFP_CLASS_COMMUNICATION;
    if (op->sequence >= 0) e->sequence = tfp_build_key(r->b, r->process, 2, (uint64_t)op->sequence);
    if (op->sequence >= 0 && op->backward) e->marks |= TFP_MARK_BACKWARD;
    if (op->sizes.size) {
        tfp_stat stat = { .key = r->dims, .type = TFP_STAT_TEXT };
        stat.value.text = tfp_build_string(r->b, op->sizes);
        e->stats = tfp_build_stats(r->b, &stat, 1);
    }
    add(r, e);
}

static void add_range(reader *r, tfp_event *e, tfp_str text, int64_t type)
{
    tfp_range_op op;
    int64_t number;
    if (tfp_range_is_step(text, &number)) {
        add_step(r, e, number);
    } else if (type == PUSH_POP && tfp_range_is_op(text, &op)) {
        add_op(r, e, &op);
    } else {
        e->kind = type == PUSH_POP ? TFP_SPAN_ANNOTATION : TFP_SPAN_OTHER;
        e->name = tfp_build_string(r->b, text);
        uint8_t bits = bits_of(r, e->name);
        if (type == PUSH_POP && bits & TFP_KINETO_COLLECTIVE_RANGE) e->class = TFP_CLASS_COMMUNICATION;
        tfp_step_mark m = { .span = add(r, e), .source = TFP_STEPS_OPTIMIZER, .number = -1 };
        if (type == PUSH_POP && bits & TFP_KINETO_OPTIMIZER) tfp_build_step_mark(r->b, &m);
    }
}

static tfp_status read_ranges(reader *r, tfp_error *err)
{
    tfp_db_rows rows;
    tfp_event e;
    tfp_status s = tfp_db_start(&rows, &r->db, "NVTX_EVENTS", "start end eventType text textId globalTid", err);
    if (!s) s = needs(&rows, "NVTX_EVENTS", 3, err);
    for (int64_t type, id, global, end; !s && tfp_db_next(&rows) && !r->b->status;) {
        tfp_str text;
        tfp_db_int(&rows, 2, &type), tfp_db_int(&rows, 5, &global);
        if ((type != PUSH_POP && type != START_END) || !tfp_db_int(&rows, 1, &end)) continue;
        if (!times_of(r, &rows, &e)) continue;
        if (!tfp_db_text(&rows, 3, &text)) {
            tfp_db_int(&rows, 4, &id);
            text = name_at(r, &r->text_by_id, id);
        }
        e.lane = type == PUSH_POP ? lane_of_thread(r, global) : lane_aside(r, global);
        add_range(r, &e, text, type);
    }
    return tfp_db_end(&rows, s, err);
}

/* ---- the file ---- */

/* A view can be endless, so none is read. */
static void tell_views(reader *r)
{
    static const char *const names[] = { "CUPTI_ACTIVITY_KIND_KERNEL",
                                         "CUPTI_ACTIVITY_KIND_RUNTIME",
                                         "CUPTI_ACTIVITY_KIND_MEMCPY",
                                         "CUPTI_ACTIVITY_KIND_MEMSET",
                                         "NVTX_EVENTS",
                                         "StringIds" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tfp_db_has_view(&r->db, names[i]))
            tfp_build_warn(r->b, "views in place of tables, left out", tfp_str_of(names[i]));
}

static tfp_status read_all(reader *r, tfp_error *err)
{
    tell_views(r);
    tfp_status s = read_about(r, err);
    if (!s) s = read_calls(r, err);
    if (!s)
        s = read_activities(r, "CUPTI_ACTIVITY_KIND_KERNEL", ACTIVITY "demangledName shortName mangledName",
                            name_kernel, err);
    if (!s) s = read_activities(r, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", ACTIVITY "graphId", name_graph, err);
    if (!s)
        s = read_activities(r, "CUPTI_ACTIVITY_KIND_MEMCPY", ACTIVITY "bytes copyKind srcKind dstKind", name_copy, err);
    if (!s) s = read_activities(r, "CUPTI_ACTIVITY_KIND_MEMSET", ACTIVITY "bytes memKind", name_set, err);
    if (!s) s = read_ranges(r, err);
    if (s) return s;
    if (r->unreadable) {
        static const char what[] = "events whose times cannot be read, left out";
        tfp_build_data_finding(r->b, "error", what, r->unreadable, TFP_STR(""));
        tfp_build_warn_many(r->b, what, TFP_STR(""), (size_t)r->unreadable);
    }
    if (!r->spans)
        return tfp_fail(err, TFP_BADFILE, "a SQLite file without kernels, API calls or NVTX ranges of Nsight Systems");
    return tfp_builder_status(r->b, err);
}

static tfp_status read_nsys(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    reader r = { .b = b };
    tfp_process process = { .rank = -1, .source = (uint32_t)b->p->sources.size - 1 };
    r.process = tfp_build_process(b, &process);
    r.bytes = tfp_build_string(b, TFP_STR("bytes"));
    r.dims = tfp_build_string(b, TFP_STR("Input Dims"));
    tfp_status s = tfp_builder_status(b, err);
    if (!s) s = tfp_db_open(&r.db, in, err);
    if (!s) s = read_all(&r, err);
    tfp_db_close(&r.db);
    tfp_map64 *const maps[] = { &r.text_by_id,      &r.gpu_by_device,  &r.copy_kinds,     &r.memory_kinds,
                                &r.owner_of_thread, &r.lane_by_thread, &r.lane_by_stream, &r.bits_of_name };
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) tfp_map64_free(maps[i]);
    return s;
}

static int probe(tfp_str head, uint64_t total)
{
    (void)total;
    if (head.size < 16 || memcmp(head.data, "SQLite format 3", 16) != 0) return 0;
    bool told = tfp_str_has(head, TFP_STR("CUPTI_ACTIVITY_KIND_")) || tfp_str_has(head, TFP_STR("NVTX_EVENTS")) ||
                tfp_str_has(head, TFP_STR("StringIds"));
    return told || total <= 512 ? 95 : 0;
}

const tfp_format tfp_format_nsys = {
    .name = "nsys",
    .help = "report of Nsight Systems in SQLite (nsys export --type sqlite): kernels, copies, API calls, NVTX ranges",
    .probe = probe,
    .read = read_nsys,
    .stands = TFP_FORMAT_IS(RANKS),
};
