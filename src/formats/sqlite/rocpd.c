// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/rocpd.c: databases of rocprofv3 and rocprof-sys (rocpd): kernels, copies, allocations, API calls and
 * roctx ranges become spans. Names of tables end in _GUID; each such ending is a process with its own ids and strings.
 * Layout: ROCm/rocm-systems, rocpd_tables.sql (schema 3). */
#include "formats/json/kineto.h"
#include "formats/json/text.h"
#include "formats/sqlite/range_text.h"
#include "formats/sqlite/recording.h"
#include "model/tables/profile.h"
#include "names/copies.h"
#include "query/order.h"

#include <stdio.h>

typedef struct event {
    int64_t stack; /* number that joins a call and what it launched; 0: none */
    tfp_strid category, message;
} event;

typedef struct agent {
    int64_t index; /* index among the agents of its type */
    bool gpu;
} agent;

typedef struct allocation {
    int64_t at_ns, bytes;
    uint64_t address;
    uint32_t lane;
    tfp_strid device;
    bool free;
} allocation;

typedef struct reader { /* state of reading one process */
    tfp_recording *r;
    uint32_t number; /* number of the process in the file */
    tfp_map64 strings, kernels, pids, tids, event_by_id, agent_by_id, lane_by_launch;
    TFP_VEC(event) events;
    TFP_VEC(agent) agents;
    TFP_VEC(allocation) allocations;
} reader;

/* ---- meanings of ids ---- */

/* Maps the id of a row to the system's number of a process or thread. */
static void add_number(const reader *p, const tfp_db_rows *rows, tfp_map64 *to)
{
    int64_t id, number;
    if (tfp_db_int(rows, 0, &id) && tfp_db_int(rows, 1, &number) && number >= 0 && number <= INT32_MAX)
        tfp_build_keep(p->r->b, tfp_map64_put(to, (uint64_t)id, (uint32_t)number));
}

static void add_process(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    (void)e;
    add_number(ctx, rows, &((reader *)ctx)->pids);
}

static void add_thread(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    (void)e;
    add_number(ctx, rows, &((reader *)ctx)->tids);
}

static int64_t number_of(const tfp_map64 *numbers, int64_t id)
{
    uint32_t number = tfp_map64_get(numbers, (uint64_t)id);
    return number == TFP_NONE ? id : number;
}

static void add_agent(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *p = ctx;
    int64_t id;
    tfp_str type;
    (void)e;
    if (!tfp_db_int(rows, 0, &id) || !tfp_db_text(rows, 1, &type)) return;
    agent a = { tfp_db_number(rows, 2), tfp_str_eq(type, TFP_STR("GPU")) };
    tfp_build_keep(p->r->b, tfp_push(&p->agents, a) &&
                                tfp_map64_put(&p->agent_by_id, (uint64_t)id, (uint32_t)p->agents.size - 1));
}

static const agent *agent_at(const reader *p, const tfp_db_rows *rows, int column)
{
    static const agent none = { 0 };
    int64_t id;
    if (!tfp_db_int(rows, column, &id)) return &none;
    uint32_t at = tfp_map64_get(&p->agent_by_id, (uint64_t)id);
    return at == TFP_NONE ? &none : &p->agents.at[at];
}

/* Adds the name of a kernel: the source's name if there is one, otherwise the linker's. */
static void add_kernel(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *p = ctx;
    int64_t id;
    tfp_str name;
    (void)e;
    if (!tfp_db_int(rows, 0, &id)) return;
    if (!tfp_db_text(rows, 1, &name) || !name.size) tfp_db_text(rows, 2, &name);
    tfp_build_keep(p->r->b, tfp_map64_put(&p->kernels, (uint64_t)id, tfp_build_string(p->r->b, name)));
}

/* The text of "message" in a JSON object; 0: it has none. */
static tfp_strid message_of(reader *p, tfp_str json)
{
    tfp_jscan j = tfp_jscan_start(json);
    tfp_jscan_text key, text;
    if (!tfp_str_has(json, TFP_STR("\"message\"")) || !tfp_jscan_take(&j, '{', "")) return 0;
    for (bool first = true; tfp_jscan_member(&j, first, &key); first = false) {
        if (!tfp_str_eq(key.raw, TFP_STR("message")) || tfp_jscan_peek(&j) != '"') {
            tfp_jscan_skip(&j);
            continue;
        }
        return tfp_jscan_string(&j, &text) ? tfp_json_string(p->r->b, &text) : 0;
    }
    return 0;
}

static void add_event(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *p = ctx;
    int64_t id;
    tfp_str more;
    (void)e;
    if (!tfp_db_int(rows, 0, &id)) return;
    uint32_t name = tfp_map64_get(&p->strings, (uint64_t)tfp_db_number(rows, 1));
    event x = { .stack = tfp_db_number(rows, 2), .category = name == TFP_NONE ? 0 : name };
    if (tfp_db_text(rows, 3, &more)) x.message = message_of(p, more);
    tfp_build_keep(p->r->b, tfp_push(&p->events, x) &&
                                tfp_map64_put(&p->event_by_id, (uint64_t)id, (uint32_t)p->events.size - 1));
}

static event event_at(const reader *p, const tfp_db_rows *rows, int column)
{
    int64_t id;
    if (!tfp_db_int(rows, column, &id)) return (event){ 0 };
    uint32_t at = tfp_map64_get(&p->event_by_id, (uint64_t)id);
    return at == TFP_NONE ? (event){ 0 } : p->events.at[at];
}

/* ---- spans ---- */

static uint32_t key_of(reader *p, int64_t stack)
{
    const int64_t both[2] = { p->number, stack };
    return stack > 0 ? tfp_build_key(p->r->b, p->r->process, 0, tfp_hash(both, sizeof both)) : 0;
}

static uint32_t thread_at(reader *p, const tfp_db_rows *rows, int pid, int tid)
{
    return tfp_recording_thread(p->r, number_of(&p->pids, tfp_db_number(rows, pid)),
                                number_of(&p->tids, tfp_db_number(rows, tid)));
}

static void add_region(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *p = ctx;
    event about = event_at(p, rows, 5);
    tfp_str text, name = tfp_recording_name(p->r, &p->strings, tfp_db_number(rows, 2));
    e->lane = thread_at(p, rows, 3, 4);
    if (tfp_str_begins(tfp_text(p->r->b->p, about.category), TFP_STR("MARKER_"))) {
        tfp_strid message = tfp_db_text(rows, 6, &text) ? message_of(p, text) : 0;
        if (!message) message = about.message;
        tfp_recording_range(p->r, e, message ? tfp_text(p->r->b->p, message) : name, TFP_RANGE_MARKER);
        return;
    }
    e->kind = TFP_SPAN_CALL;
    e->name = tfp_build_string(p->r->b, tfp_api_name(name));
    e->correlation = key_of(p, about.stack);
    if (e->correlation) tfp_build_keep(p->r->b, tfp_map64_put(&p->lane_by_launch, e->correlation, e->lane));
    tfp_recording_add(p->r, e);
}

/* The stream; the queue if the program used no streams. */
static int64_t stream_at(const tfp_db_rows *rows, int stream, int queue)
{
    int64_t number = tfp_db_number(rows, stream);
    return number ? number : tfp_db_number(rows, queue);
}

static void add_dispatch(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *p = ctx;
    e->kind = TFP_SPAN_ACTIVITY;
    e->name = tfp_build_string(p->r->b, tfp_recording_name(p->r, &p->kernels, tfp_db_number(rows, 2)));
    e->class = tfp_kineto_kernel_class(tfp_recording_bits(p->r, e->name));
    e->lane = tfp_recording_numbered_stream(p->r, agent_at(p, rows, 3)->index, stream_at(rows, 4, 5));
    e->correlation = key_of(p, event_at(p, rows, 6).stack);
    tfp_recording_add(p->r, e);
}

static void add_copy(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *p = ctx;
    int64_t bytes;
    const agent *to = agent_at(p, rows, 3), *from = agent_at(p, rows, 4);
    tfp_str name = tfp_recording_name(p->r, &p->strings, tfp_db_number(rows, 2));
    e->kind = TFP_SPAN_ACTIVITY;
    e->class = TFP_CLASS_COPY;
    e->name = tfp_build_string(p->r->b, tfp_copy_name(name));
    e->lane =
        tfp_recording_numbered_stream(p->r, to->gpu || !from->gpu ? to->index : from->index, stream_at(rows, 6, 7));
    e->correlation = key_of(p, event_at(p, rows, 8).stack);
    if (tfp_db_int(rows, 5, &bytes)) e->stats = tfp_recording_bytes(p->r, bytes);
    tfp_recording_add(p->r, e);
}

/* ---- allocations ---- */

static void note_allocation(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *p = ctx;
    char device[40] = "cpu";
    tfp_str type;
    allocation a = { .at_ns = e->start_ns, .bytes = tfp_db_number(rows, 3) };
    const agent *on = agent_at(p, rows, 4);
    tfp_db_text(rows, 2, &type);
    uint32_t lane = tfp_map64_get(&p->lane_by_launch, key_of(p, event_at(p, rows, 8).stack));
    a.free = tfp_str_eq(type, TFP_STR("FREE"));
    if ((!a.free && !tfp_str_eq(type, TFP_STR("ALLOC"))) || a.bytes < 0) return;
    if (on->gpu) snprintf(device, sizeof device, "gpu:%lld", (long long)on->index);
    a.lane = lane != TFP_NONE ? lane : thread_at(p, rows, 5, 6);
    a.device = tfp_build_string(p->r->b, tfp_str_of(device));
    a.address = (uint64_t)tfp_db_number(rows, 7);
    tfp_build_keep(p->r->b, tfp_push(&p->allocations, a));
}

static const tfp_sort_key by_time[] = { TFP_UP(allocation, at_ns), { 0 } };

/* Adds allocations. A free has an address but no size: it repeats the size of the last allocation at that address. */
static void add_allocations(reader *p)
{
    size_t count = p->allocations.size;
    tfp_map64 at = { 0 };
    if (!tfp_build_keep(p->r->b, tfp_order_rows(p->allocations.at, sizeof(allocation), count, by_time))) count = 0;
    for (size_t i = 0; i < count && !p->r->b->status; i++) {
        const allocation *a = &p->allocations.at[i], *of = a;
        uint32_t was = a->free ? tfp_map64_get_any(&at, a->address) : TFP_NONE;
        if (a->free && was == TFP_NONE) continue; /* it was allocated before the recording */
        if (a->free) of = &p->allocations.at[was];
        tfp_build_keep(p->r->b, tfp_map64_put_any(&at, a->address, a->free ? TFP_NONE : (uint32_t)i));
        tfp_memory_event m = { .at_ns = a->at_ns,
                               .bytes = a->free ? -of->bytes : of->bytes,
                               .allocated_bytes = -1,
                               .reserved_bytes = -1,
                               .address = a->address,
                               .lane = a->lane,
                               .device = of->device,
                               .span = TFP_NONE,
                               .asked_by_op = true };
        tfp_build_memory_event(p->r->b, &m);
    }
    tfp_map64_free(&at);
}

/* ---- the file ---- */

/* clang-format off */
static const tfp_recording_table tables[] = {
    { "rocpd_info_process", "id pid", 0, false, add_process },
    { "rocpd_info_thread", "id tid", 0, false, add_thread },
    { "rocpd_info_agent", "id type type_index", 0, false, add_agent },
    { "rocpd_info_kernel_symbol", "id display_name kernel_name", 0, false, add_kernel },
    { "rocpd_event", "id category_id stack_id extdata", 0, false, add_event },
    { "rocpd_region", "start end name_id pid tid event_id extdata", 7, true, add_region },
    { "rocpd_kernel_dispatch", "start end kernel_id agent_id stream_id queue_id event_id", 7, true, add_dispatch },
    { "rocpd_memory_copy", "start end name_id dst_agent_id src_agent_id size stream_id queue_id event_id", 7, true, add_copy },
    { "rocpd_memory_allocate", "start end type size agent_id pid tid address event_id", 7, true, note_allocation },
};
/* clang-format on */

static tfp_status read_process(reader *p, tfp_error *err)
{
    tfp_status s = tfp_recording_names(p->r, "rocpd_string", "id string", &p->strings, err);
    if (!s) s = tfp_recording_read_all(p->r, tables, sizeof tables / sizeof *tables, p, err);
    if (!s) add_allocations(p);
    tfp_map64 *const maps[] = { &p->strings,     &p->kernels,     &p->pids,          &p->tids,
                                &p->event_by_id, &p->agent_by_id, &p->lane_by_launch };
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) tfp_map64_free(maps[i]);
    tfp_vec_free(&p->events);
    tfp_vec_free(&p->agents);
    tfp_vec_free(&p->allocations);
    return s;
}

/* Reads all processes. In files of the first versions the names of tables have no ending. */
static tfp_status read_rocpd(tfp_recording *r, tfp_error *err)
{
    tfp_buf endings = { 0 };
    tfp_status s = tfp_db_endings(&r->db, "rocpd_string", &endings, err);
    size_t size = 0;
    for (uint32_t n = 0; !s && size < endings.size && !r->b->status; n++) {
        reader p = { .r = r, .number = n };
        r->ending = endings.data + size;
        size += strlen(r->ending) + 1;
        s = read_process(&p, err);
    }
    tfp_buf_free(&endings);
    return s;
}

static bool is_rocpd(const tfp_db *d)
{
    tfp_buf endings = { 0 };
    bool any = !tfp_db_endings(d, "rocpd_metadata", &endings, NULL) && endings.size;
    any = any || (!tfp_db_endings(d, "rocpd_string", &endings, NULL) && endings.size);
    tfp_buf_free(&endings);
    return any;
}

static const char *const words[] = { "rocpd_metadata", "rocpd_string", NULL };

const tfp_recording_kind tfp_recording_rocpd = { "rocprofv3", words, is_rocpd, read_rocpd };
