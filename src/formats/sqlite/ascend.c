// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/ascend.c: reads databases of Ascend's profilers (torch_npu.profiler, msprof): operators, ranges, API
 * calls, tasks and collectives become spans. Layout: torch_npu's documentation of ascend_pytorch_profiler_N.db, and
 * msprof's of msprof_N.db. */
#include "formats/json/kineto.h"
#include "formats/sqlite/recording.h"
#include "model/event_builder.h"
#include "model/tables/events.h"
#include "model/tables/profile.h"
#include "names/copies.h"

#define NO_CONNECTION INT64_C(4294967295)
enum { OF_CONNECTION = 0, OF_OPERATOR = 1, OF_SEQUENCE = 2 }; /* spaces of tfp_build_key */

typedef struct task { /* the meaning of a row in TASK, found by globalTaskId */
    tfp_strid name;
    tfp_span_class class;
    int64_t bytes; /* bytes of a copy */
} task;

typedef struct reader {
    tfp_recording *r;
    tfp_map64 strings, api_types, data_types, task_by_id, operator_by_connection;
    TFP_VEC(task) tasks;
    tfp_strid collective, group, elements, dtype;
    int64_t only_device; /* the device of rows that name none; -1: there are several devices */
    bool any_task;
    bool devices_listed; /* a table lists the devices; otherwise they are taken from the tasks */
} reader;

static tfp_str text_at(const reader *a, const tfp_db_rows *rows, int column, const tfp_map64 *names)
{
    int64_t id;
    return tfp_db_int(rows, column, &id) ? tfp_recording_name(a->r, names, id) : TFP_STR("");
}

static tfp_strid name_at(reader *a, const tfp_db_rows *rows, int column)
{
    return tfp_build_string(a->r->b, text_at(a, rows, column, &a->strings));
}

/* Reads the number of a connection in this column; false: none. */
static bool connection_at(const tfp_db_rows *rows, int column, int64_t *out)
{
    return tfp_db_int(rows, column, out) && *out >= 0 && *out != NO_CONNECTION;
}

static uint32_t key_of(reader *a, unsigned space, int64_t number)
{
    return tfp_build_key(a->r->b, a->r->process, space, (uint64_t)number);
}

/* ---- meanings of ids ---- */

/* Reads the rank from the first row. Two devices or more: rows must name theirs. */
static void add_rank(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *a = ctx;
    int64_t rank, device;
    bool first = !a->devices_listed;
    (void)e;
    if (tfp_db_int(rows, 0, &rank) && rank >= 0 && rank <= INT32_MAX && first)
        a->r->b->p->events->processes.at[a->r->process].rank = (int32_t)rank;
    a->only_device = tfp_db_int(rows, 1, &device) && first ? device : -1;
    a->devices_listed = true;
}

static void add_task(reader *a, int64_t id, task t)
{
    tfp_build_keep(a->r->b,
                   tfp_push(&a->tasks, t) && tfp_map64_put(&a->task_by_id, (uint64_t)id, (uint32_t)a->tasks.size - 1));
}

static void add_kernel(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    int64_t id;
    (void)e;
    if (tfp_db_int(rows, 0, &id)) add_task(ctx, id, (task){ .name = name_at(ctx, rows, 1) });
}

static void add_copy(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    static const uint8_t directions[] = { TFP_HTOH, TFP_HTOD, TFP_DTOH, TFP_DTOD };
    reader *a = ctx;
    int64_t id, kind;
    (void)e;
    if (!tfp_db_int(rows, 0, &id)) return;
    bool known = tfp_db_int(rows, 2, &kind) && kind >= 0 && kind < 4;
    task t = { .class = TFP_CLASS_COPY, .bytes = tfp_db_number(rows, 1) };
    t.name = tfp_build_string(a->r->b, tfp_str_of(known ? tfp_copy_of(directions[kind]) : "Memcpy"));
    add_task(a, id, t);
}

/* Adds a connection: an operator has an id, under which CONNECTION_IDS lists the connections of what it launched. */
static void add_connection(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *a = ctx;
    int64_t id, connection;
    (void)e;
    if (connection_at(rows, 0, &id) && connection_at(rows, 1, &connection))
        tfp_build_keep(a->r->b,
                       tfp_map64_put(&a->operator_by_connection, (uint64_t)connection, key_of(a, OF_OPERATOR, id)));
}

/* ---- the host ---- */

#define PID_OF(global) ((int64_t)((uint64_t)(global) >> 32))
#define TID_OF(global) ((int64_t)((uint64_t)(global)&UINT32_MAX))

static uint32_t thread_of(reader *a, int64_t global)
{
    return tfp_recording_thread(a->r, PID_OF(global), TID_OF(global));
}

enum { THREAD = 3, CONNECTION, SEQUENCE, FORWARD, SHAPES, TYPE }; /* columns of PYTORCH_API */

/* converts "8,16;16,16" to "[[8, 16], [16, 16]]" */
static void add_shapes(reader *a, tfp_event *e, tfp_str shapes)
{
    tfp_buf b = { 0 };
    if (!shapes.size) return;
    tfp_buf_text(&b, "[[");
    for (size_t i = 0; i < shapes.size; i++) {
        if (shapes.data[i] == ';')
            tfp_buf_text(&b, "], [");
        else if (shapes.data[i] == ',')
            tfp_buf_text(&b, ", ");
        else
            tfp_buf_char(&b, shapes.data[i]);
    }
    tfp_buf_text(&b, "]]");
    if (tfp_build_keep(a->r->b, !b.failed)) e->stats = tfp_recording_shapes(a->r, (tfp_str){ b.data, b.size });
    tfp_buf_free(&b);
}

static void add_operator(reader *a, const tfp_db_rows *rows, tfp_event *e)
{
    int64_t id, sequence, forward;
    e->kind = TFP_SPAN_OP;
    if (connection_at(rows, CONNECTION, &id)) e->external = key_of(a, OF_OPERATOR, id);
    if (tfp_db_int(rows, SEQUENCE, &sequence) && sequence >= 0) e->sequence = key_of(a, OF_SEQUENCE, sequence);
    if (e->sequence && tfp_db_int(rows, FORWARD, &forward) && forward > 0) e->marks |= TFP_MARK_BACKWARD;
    if (tfp_recording_bits(a->r, e->name) & TFP_KINETO_COLLECTIVE_OP) e->class = TFP_CLASS_COMMUNICATION;
    add_shapes(a, e, text_at(a, rows, SHAPES, &a->strings));
    tfp_recording_add(a->r, e);
}

static void add_api(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *a = ctx;
    int64_t global = tfp_db_number(rows, THREAD);
    tfp_str type = text_at(a, rows, TYPE, &a->api_types);
    e->name = name_at(a, rows, 2);
    e->lane = thread_of(a, global);
    if (tfp_str_eq(type, TFP_STR("mstx"))) {
        tfp_recording_range(a->r, e, tfp_text(a->r->b->p, e->name), TFP_RANGE_MARKER);
    } else if (tfp_str_eq(type, TFP_STR("trace"))) {
        e->kind = TFP_SPAN_FRAME;
        tfp_recording_add(a->r, e);
    } else if (tfp_str_eq(type, TFP_STR("op"))) {
        add_operator(a, rows, e);
    } else { /* queues, and types of later versions */
        e->kind = TFP_SPAN_OTHER;
        e->lane = tfp_recording_aside(a->r, PID_OF(global), TID_OF(global));
        tfp_recording_add(a->r, e);
    }
}

static bool waits(tfp_str name)
{
    static const char *const names[] = { "aclrtSynchronizeStream", "aclrtSynchronizeDevice", "aclrtSynchronizeEvent" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tfp_str_begins(name, tfp_str_of(names[i]))) return true; /* also names ending in WithTimeout */
    return false;
}

static void add_call(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *a = ctx;
    int64_t connection;
    e->kind = TFP_SPAN_CALL;
    e->name = name_at(a, rows, 2);
    e->lane = thread_of(a, tfp_db_number(rows, 3));
    if (waits(tfp_text(a->r->b->p, e->name))) e->marks |= TFP_MARK_WAITS;
    if (connection_at(rows, 4, &connection)) e->correlation = key_of(a, OF_CONNECTION, connection);
    tfp_recording_add(a->r, e);
}

/* ---- the device ---- */

static void add_activity(reader *a, const tfp_db_rows *rows, int column, tfp_event *e)
{
    int64_t connection;
    e->kind = TFP_SPAN_ACTIVITY;
    if (connection_at(rows, column, &connection)) {
        uint32_t operator_key = tfp_map64_get(&a->operator_by_connection, (uint64_t)connection);
        e->correlation = key_of(a, OF_CONNECTION, connection);
        if (operator_key != TFP_NONE) {
            e->external = operator_key;
            e->marks |= TFP_MARK_OP_TOLD;
        }
    }
    tfp_recording_add(a->r, e);
}

/* Adds a task. Those that are neither kernels nor copies are steps of the scheduler: notes, events, parts of
 * collectives. The devices of tasks count if no table lists the devices. */
static void add_task_span(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *a = ctx;
    int64_t id, device;
    if (tfp_db_int(rows, 3, &device)) {
        if (!a->devices_listed) a->only_device = !a->any_task || a->only_device == device ? device : -1;
        a->any_task = true;
    }
    if (!tfp_db_int(rows, 2, &id)) return;
    uint32_t at = tfp_map64_get(&a->task_by_id, (uint64_t)id);
    if (at == TFP_NONE || !tfp_recording_times(a->r, rows, e)) return;
    const task *t = &a->tasks.at[at];
    e->name = t->name;
    e->class = t->class;
    e->lane = tfp_recording_numbered_stream(a->r, device, tfp_db_number(rows, 4));
    if (t->class == TFP_CLASS_COPY) e->stats = tfp_recording_bytes(a->r, t->bytes);
    add_activity(a, rows, 5, e);
}

/* PyTorch's name for a type of HCCL; the views know PyTorch's names. */
static tfp_str type_of(tfp_str name)
{
    static const struct {
        const char *name, *pytorch;
    } types[] = { { "INT8", "int8" },   { "INT16", "short" },   { "INT32", "int" },     { "INT64", "long" },
                  { "UINT8", "uint8" }, { "UINT16", "uint16" }, { "UINT32", "uint32" }, { "UINT64", "uint64" },
                  { "FP16", "half" },   { "FP32", "float" },    { "FP64", "double" },   { "BFP16", "bfloat16" } };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (tfp_str_eq(name, tfp_str_of(types[i].name))) return tfp_str_of(types[i].pytorch);
    return name;
}

enum { OP_TYPE = 2, GROUP, COUNT, DATA_TYPE, OP_CONNECTION, DEVICE }; /* columns of COMMUNICATION_OP */

static void add_collective(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *a = ctx;
    tfp_stat stats[4];
    size_t count = 0;
    int64_t elements, device;
    tfp_str group = text_at(a, rows, GROUP, &a->strings), dtype = type_of(text_at(a, rows, DATA_TYPE, &a->data_types));
    e->name = name_at(a, rows, OP_TYPE);
    e->class = TFP_CLASS_COMMUNICATION;
    if (!tfp_db_int(rows, DEVICE, &device)) device = a->only_device < 0 ? 0 : a->only_device;
    e->lane = tfp_recording_stream(a->r, device, TFP_STR("communication"));
    stats[count++] = (tfp_stat){ .key = a->collective, .type = TFP_STAT_TEXT, .value.text = e->name };
    if (tfp_db_int(rows, COUNT, &elements) && elements >= 0)
        stats[count++] = (tfp_stat){ .key = a->elements, .type = TFP_STAT_INT, .value.number = elements };
    if (group.size)
        stats[count++] =
            (tfp_stat){ .key = a->group, .type = TFP_STAT_TEXT, .value.text = tfp_build_string(a->r->b, group) };
    if (dtype.size)
        stats[count++] =
            (tfp_stat){ .key = a->dtype, .type = TFP_STAT_TEXT, .value.text = tfp_build_string(a->r->b, dtype) };
    e->stats = tfp_build_stats(a->r->b, stats, count);
    add_activity(a, rows, OP_CONNECTION, e);
}

/* ---- the file ---- */

static void add_step(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *a = ctx;
    int64_t number;
    if (!tfp_db_int(rows, 2, &number) || number < 0 || !tfp_recording_times(a->r, rows, e)) return;
    e->lane = tfp_recording_aside(a->r, 0, 0);
    tfp_recording_step(a->r, e, number);
    a->r->steps_listed = true;
}

/* clang-format off */
static const tfp_recording_table tables[] = {
    { "RANK_DEVICE_MAP", "rankId deviceId", 0, false, add_rank },
    { "COMPUTE_TASK_INFO", "globalTaskId name", 0, false, add_kernel },
    { "MEMCPY_INFO", "globalTaskId size memcpyOperation", 0, false, add_copy },
    { "CONNECTION_IDS", "id connectionId", 0, false, add_connection },
    { "STEP_TIME", "startNs endNs id", 0, false, add_step },
    { "PYTORCH_API", "startNs endNs name globalTid connectionId sequenceNumber fwdThreadId inputShapes type", 7, true, add_api },
    { "CANN_API", "startNs endNs name globalTid connectionId", 7, true, add_call },
    { "TASK", "startNs endNs globalTaskId deviceId streamId connectionId", 7, false, add_task_span },
    { "COMMUNICATION_OP", "startNs endNs opType groupName count dataType connectionId deviceId", 7, true, add_collective },
};
/* clang-format on */

static tfp_status read_all(reader *a, tfp_error *err)
{
    tfp_status s = tfp_recording_names(a->r, "STRING_IDS", "id value", &a->strings, err);
    if (!s) s = tfp_recording_names(a->r, "ENUM_API_TYPE", "id name", &a->api_types, err);
    if (!s) s = tfp_recording_names(a->r, "ENUM_HCCL_DATA_TYPE", "id name", &a->data_types, err);
    return s ? s : tfp_recording_read_all(a->r, tables, sizeof tables / sizeof *tables, a, err);
}

static tfp_status read_ascend(tfp_recording *r, tfp_error *err)
{
    reader a = { .r = r, .only_device = -1 };
    r->device_kind = "npu";
    a.collective = tfp_build_string(r->b, TFP_STR("Collective name"));
    a.group = tfp_build_string(r->b, TFP_STR("Process Group Name"));
    a.elements = tfp_build_string(r->b, TFP_STR("In msg nelems"));
    a.dtype = tfp_build_string(r->b, TFP_STR("dtype"));
    tfp_status s = tfp_builder_status(r->b, err);
    if (!s) s = read_all(&a, err);
    tfp_map64 *const maps[] = { &a.strings, &a.api_types, &a.data_types, &a.task_by_id, &a.operator_by_connection };
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) tfp_map64_free(maps[i]);
    tfp_vec_free(&a.tasks);
    return s;
}

static bool is_ascend(const tfp_db *d)
{
    return tfp_db_has(d, "STRING_IDS") && (tfp_db_has(d, "TASK") || tfp_db_has(d, "PYTORCH_API"));
}

static const char *const words[] = { "STRING_IDS", "PYTORCH_API", NULL };

const tfp_recording_kind tfp_recording_ascend = { "Ascend's profilers", words, is_ascend, read_ascend };
