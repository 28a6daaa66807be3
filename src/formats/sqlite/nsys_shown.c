// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/nsys_shown.c: what Nsight Systems recorded beside kernels and calls: synchronisations, CUDA events,
 * the overhead of CUDA and of the profiler, calls of the operating system. They become spans that the timeline shows
 * and that make no device busy. */
#include "formats/sqlite/nsys.h"
#include "model/builder.h"
#include "model/tables/code.h"
#include "model/tables/profile.h"
#include "model/tables/samples.h"

#include <stdlib.h>

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
    tfp_str recorded = tfp_recording_name(n->r, &n->wait_types, type);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (recorded.size ? tfp_str_ends(recorded, tfp_str_of(rows[i].ending)) : rows[i].id == type)
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
    tfp_str recorded = tfp_db_int(rows, 3, &name) ? tfp_recording_name(n->r, &n->text_by_id, name) : TFP_STR("");
    if (!recorded.size && tfp_db_int(rows, 4, &type)) recorded = tfp_recording_name(n->r, &n->overhead_types, type);
    e->kind = TFP_SPAN_OTHER;
    e->lane = tfp_recording_aside(n->r, (int64_t)TFP_NSYS_PID(global), (int64_t)TFP_NSYS_TID(global));
    e->name = tfp_build_string(n->r->b, recorded.size ? recorded : TFP_STR("(unknown)"));
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

/* ---- stacks ---- */

/* Stacks that Nsight Systems sampled on CPUs (nsys profile --sample). A sample is a row of
 * COMPOSITE_EVENTS; its frames are rows of SAMPLING_CALLCHAINS with its id, the innermost with the depth 0. The file has no length of a
 * sample: each stands for the median time between two samples of a thread. */

#define DEEPEST 4096 /* frames of a stack */

typedef struct frame {
    int64_t depth;
    tfp_strid function;
} frame;

typedef struct stacks {
    tfp_nsys *n;
    tfp_map64 known;   /* id of a sample -> 1; 2: its stack was added */
    tfp_map64 last_of; /* thread -> index in `times` of its last sample */
    TFP_VEC(int64_t) times, between;
    uint32_t samples, time;
    int64_t ns; /* of a sample */
    int64_t id;
    TFP_VEC(frame) frames; /* of the sample with that id */
    TFP_VEC(tfp_code_frame) stack;
    size_t added, lost; /* lost: stacks of no sample, or in several pieces */
} stacks;

static void add_sample(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    stacks *x = ctx;
    int64_t id, start;
    uint64_t thread = (uint64_t)tfp_db_number(rows, 2);
    (void)e;
    if (!tfp_db_int(rows, 0, &id)) return;
    bool ok = tfp_map64_put(&x->known, (uint64_t)id, 1);
    if (tfp_db_int(rows, 1, &start)) {
        uint32_t last = tfp_map64_get(&x->last_of, thread);
        int64_t ns = last == TFP_NONE ? 0 : tfp_add(start, -x->times.at[last], NULL);
        if (ns > 0) ok = ok && tfp_push(&x->between, ns);
        ok = ok && tfp_map64_put(&x->last_of, thread, (uint32_t)x->times.size) && tfp_push(&x->times, start);
    }
    tfp_build_keep(x->n->r->b, ok);
}

static int64_t median(stacks *x)
{
    if (!x->between.size) return 0;
    qsort(x->between.at, x->between.size, sizeof *x->between.at, tfp_by_int);
    return x->between.at[x->between.size / 2];
}

static int outermost_first(const void *a, const void *b)
{
    const frame *x = a, *y = b;
    return x->depth != y->depth ? (x->depth > y->depth ? -1 : 1) : 0;
}

static void add_stack(stacks *x)
{
    tfp_builder *b = x->n->r->b;
    if (!x->frames.size || b->status) return;
    if (tfp_map64_get(&x->known, (uint64_t)x->id) != 1) {
        x->lost++;
        x->frames.size = 0;
        return;
    }
    qsort(x->frames.at, x->frames.size, sizeof *x->frames.at, outermost_first);
    x->stack.size = 0;
    for (size_t i = 0; i < x->frames.size; i++) {
        tfp_code_frame f = { .function = x->frames.at[i].function };
        if (!tfp_build_keep(b, tfp_push(&x->stack, f))) return;
    }
    tfp_stack_sample s = { .type = x->samples, .labels = TFP_NONE, .value = 1 };
    s.trace = tfp_build_trace(b, x->stack.at, x->stack.size);
    tfp_build_sample(b, &s);
    s.type = x->time;
    s.value = x->ns;
    if (x->ns) tfp_build_sample(b, &s);
    tfp_build_keep(b, tfp_map64_put(&x->known, (uint64_t)x->id, 2));
    x->added++;
    x->frames.size = 0;
}

static tfp_str last_part(tfp_str path)
{
    for (size_t i = path.size; i > 0; i--)
        if (path.data[i - 1] == '/' || path.data[i - 1] == '\\') return (tfp_str){ path.data + i, path.size - i };
    return path;
}

/* A symbol that was not found is named by its library. */
static tfp_strid function_of(stacks *x, const tfp_db_rows *rows)
{
    int64_t symbol, module, unresolved;
    tfp_nsys *n = x->n;
    tfp_str name = tfp_db_int(rows, 2, &symbol) ? tfp_recording_name(n->r, &n->text_by_id, symbol) : TFP_STR(""),
            library = tfp_db_int(rows, 3, &module) ? last_part(tfp_recording_name(n->r, &n->text_by_id, module))
                                                   : TFP_STR("");
    bool known = name.size && !(tfp_db_int(rows, 4, &unresolved) && unresolved);
    tfp_buf text = { 0 };
    if (known) return tfp_build_string(n->r->b, name);
    tfp_buf_printf(&text, "[%.*s]", (int)(library.size < 200 ? library.size : 200), library.data);
    return tfp_build_composed(n->r->b, &text);
}

static void add_frame(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    stacks *x = ctx;
    frame f = { 0 };
    int64_t id;
    (void)e;
    if (!tfp_db_int(rows, 0, &id) || !tfp_db_int(rows, 1, &f.depth)) return;
    if (id != x->id) add_stack(x);
    x->id = id;
    if (x->frames.size >= DEEPEST) return;
    f.function = function_of(x, rows);
    tfp_build_keep(x->n->r->b, tfp_push(&x->frames, f));
}

tfp_status tfp_nsys_samples(tfp_nsys *n, tfp_error *err)
{
    static const tfp_recording_table events = { "COMPOSITE_EVENTS", "id start globalTid", 1, false, add_sample },
                                     chains = { "SAMPLING_CALLCHAINS", "id stackDepth symbol module unresolved", 3,
                                                false, add_frame };
    tfp_builder *b = n->r->b;
    stacks x = { .n = n };
    char name[64];
    if (!tfp_db_has(&n->r->db, "SAMPLING_CALLCHAINS")) {
        tfp_db_latest(&n->r->db, "SAMPLING_CALLCHAINS", name, sizeof name);
        if (!tfp_db_has(&n->r->db, name)) return TFP_OK;
    }
    tfp_strid count = tfp_build_string(b, TFP_STR("count"));
    x.samples = tfp_build_sample_type(b, tfp_build_string(b, TFP_STR("samples")), count);
    x.time = tfp_build_sample_type(b, tfp_build_string(b, TFP_STR("cpu")), tfp_build_string(b, TFP_STR("nanoseconds")));
    tfp_status s = tfp_recording_read(n->r, &events, &x, err);
    x.ns = median(&x);
    if (!s) s = tfp_recording_read(n->r, &chains, &x, err);
    if (!s) add_stack(&x);
    n->sampled = x.added > 0;
    if (x.added) {
        b->p->about.sample_type = x.ns ? x.time : x.samples;
        tfp_build_has(b, TFP_HAS_CODE);
    }
    if (x.lost) tfp_build_warn_many(b, "sampled stacks without a sample, left out", TFP_STR(""), x.lost);
    tfp_map64_free(&x.known);
    tfp_map64_free(&x.last_of);
    tfp_vec_free(&x.times);
    tfp_vec_free(&x.between);
    tfp_vec_free(&x.frames);
    tfp_vec_free(&x.stack);
    return s;
}
