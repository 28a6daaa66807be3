// SPDX-License-Identifier: Apache-2.0
/* formats/perfetto/gpu.c: Perfetto's typed events of GPUs: stages (GpuRenderStageEvent), samples of counters
 * (GpuCounterEvent; counters.c), and the launches of stages (GpuCorrelation). A stage becomes an activity of a stream. Its name is
 * its own, and the name of its kind says only whether it is a kernel, a copy or something else.
 * Layout: google/perfetto, protos/perfetto/trace/gpu/. */
#include "formats/perfetto/perfetto.h"
#include "wire/jsonscan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCH_NUMBERS (UINT64_C(1) << 62) /* correlations of launches that have none in the file */

/* ---- what a stage is ---- */

typedef struct stage_kind {
    const char *name; /* of the stage, in small letters, without anything but letters */
    bool whole;       /* false: the stage's name contains it */
    const char *category;
} stage_kind;

/* The category of Kineto for a stage of that name. */
static const char *category_of(tfp_str name)
{
    static const stage_kind kinds[] = {
        { "kernel", false, "kernel" },
        { "annotation", false, "gpu_user_annotation" },
        { "marker", false, "gpu_user_annotation" },
        { "label", true, "gpu_user_annotation" },
        { "memcpy", false, "gpu_memcpy" },
        { "memorytransfer", false, "gpu_memcpy" },
        { "memorycopy", false, "gpu_memcpy" },
        { "copybuffer", false, "gpu_memcpy" },
        { "copy", true, "gpu_memcpy" },
        { "transfer", true, "gpu_memcpy" },
        { "memset", false, "gpu_memset" },
        { "memoryset", false, "gpu_memset" },
        { "memoryfill", false, "gpu_memset" },
        { "fillbuffer", false, "gpu_memset" },
        { "fill", true, "gpu_memset" },
        { "eventrecord", false, "graph_event_node" },
        { "hostnode", false, "graph_host_node" },
        { "barrier", false, "cuda_event" },
        { "cmdbuffer", false, "gpu_user_annotation" }, /* Mesa: stages that hold other stages */
        { "commandbuffer", false, "gpu_user_annotation" },
        { "renderpass", false, "gpu_user_annotation" },
        { "frame", true, "gpu_user_annotation" },
        { "queue", true, "gpu_user_annotation" },
        { "batch", true, "gpu_user_annotation" },
    };
    char small[64];
    size_t size = 0;
    for (size_t i = 0; i < name.size && size < sizeof small; i++)
        if (isalpha((unsigned char)name.data[i])) small[size++] = (char)tolower((unsigned char)name.data[i]);
    tfp_str letters = { small, size };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        tfp_str kind = tfp_str_of(kinds[i].name);
        if (kinds[i].whole ? tfp_str_eq(letters, kind) : tfp_str_has(letters, kind)) return kinds[i].category;
    }
    return "kernel";
}

/* ---- one stage ---- */

typedef struct stage { /* GpuRenderStageEvent */
    uint64_t id, duration, gpu, queue, stream;
    tfp_strid name, kind, label; /* label: of the queue */
    tfp_str launch, callback;    /* callback: the function of a host node of a graph */
} stage;

/* Numbers of stages and queues in files without interned data are places in two lists, which the first stage has. */
static void read_specifications(tfp_pf_reader *r, uint32_t sequence, tfp_str specifications)
{
    uint64_t next[2] = { 0, 0 };
    tfp_wire w = tfp_wire_start(specifications);
    for (tfp_field f; tfp_wire_next(&w, &f) && !r->no_memory;) {
        if ((f.number != 2 && f.number != 3) || f.type != TFP_BYTES) continue;
        tfp_str name = { "", 0 };
        tfp_wire in = tfp_wire_start(f.bytes);
        for (tfp_field g; tfp_wire_next(&in, &g);)
            if (g.number == 1 && g.type == TFP_BYTES) name = g.bytes;
        bool queue = f.number == 2;
        tfp_pf_intern(r, sequence, queue ? TFP_PF_OLD_QUEUES : TFP_PF_OLD_STAGES, next[queue]++, name);
    }
}

/* The number of a queue's stream: "[07] stream 7" and "[60] DP" of PyTorch, "hipStream 0"; otherwise the queue's own
 * number. */
static uint64_t stream_of(tfp_str label, uint64_t queue)
{
    tfp_str digits = { label.data, 0 };
    int64_t number;
    size_t at = label.size;
    if (label.size && label.data[0] == '[') {
        digits.data++;
        while (1 + digits.size < label.size && isdigit((unsigned char)label.data[1 + digits.size])) digits.size++;
        bool closed = 1 + digits.size < label.size && label.data[1 + digits.size] == ']';
        if (closed && tfp_parse_int64(digits, &number)) return (uint64_t)number;
    }
    while (at && isdigit((unsigned char)label.data[at - 1])) at--;
    digits = (tfp_str){ label.data + at, label.size - at };
    bool stream = tfp_str_has((tfp_str){ label.data, at }, TFP_STR("tream"));
    return stream && tfp_parse_int64(digits, &number) ? (uint64_t)number : queue;
}

static void read_number(const tfp_pf_reader *r, uint32_t sequence, const tfp_field *f, stage *s)
{
    tfp_pf_table queues = TFP_PF_STAGES;
    switch (f->number) {
    case 1: s->id = f->value; return;
    case 2: s->duration = f->value; return;
    case 4: s->kind = tfp_pf_interned(r, sequence, TFP_PF_OLD_STAGES, f->value); return;
    case 11: s->gpu = f->value & INT64_MAX; return;
    case 14: s->kind = tfp_pf_interned(r, sequence, TFP_PF_STAGES, f->value); return;
    case 3: queues = TFP_PF_OLD_QUEUES; break;
    case 13: break;
    default: return;
    }
    s->label = tfp_pf_interned(r, sequence, queues, f->value);
    s->queue = f->value & INT64_MAX;
}

/* Reads extra data: a name and a text. */
static void read_datum(tfp_str datum, tfp_str *name, tfp_str *value)
{
    *name = *value = (tfp_str){ "", 0 };
    tfp_wire w = tfp_wire_start(datum);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1 && f.type == TFP_BYTES) *name = f.bytes;
        if (f.number == 2 && f.type == TFP_BYTES) *value = f.bytes;
    }
}

/* Reads the name: the stage's own text, then the name of its slice, then that of its kernel, which some programs write
 * as extra data. */
static void read_names(tfp_pf_reader *r, uint32_t sequence, tfp_str event, stage *s)
{
    tfp_strid own = 0, slice = 0, kernel = 0, extra = 0;
    bool plain = false;
    tfp_wire w = tfp_wire_start(event);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        tfp_str name, value;
        if (f.number == 6 && f.type == TFP_BYTES && !plain) {
            read_datum(f.bytes, &name, &value);
            plain = tfp_str_eq(name, TFP_STR("kernel_demangled_name"));
            if (plain || tfp_str_eq(name, TFP_STR("kernel_name"))) extra = tfp_pf_text(r, value);
        }
        if (f.number == 17 && f.type == TFP_BYTES && f.bytes.size) own = tfp_pf_text(r, f.bytes);
        if (f.number == 20 && f.type == TFP_VARINT) slice = tfp_pf_interned(r, sequence, TFP_PF_NAMES, f.value);
        if (f.number == 19 && f.type == TFP_VARINT) kernel = tfp_pf_interned(r, sequence, TFP_PF_KERNELS, f.value);
        if (f.number == 21 && f.type == TFP_BYTES) s->launch = f.bytes;
    }
    s->name = own ? own : slice ? slice : kernel ? kernel : extra ? extra : s->kind;
}

/* ---- args ---- */

static void put_key(tfp_buf *out, tfp_str key)
{
    tfp_buf_char(out, ',');
    tfp_pf_put_string(out, key);
    tfp_buf_char(out, ':');
}

/* Writes a size in three dimensions. */
static void put_sizes(tfp_buf *out, const char *key, tfp_str sizes)
{
    uint64_t d[3] = { 1, 1, 1 };
    tfp_wire w = tfp_wire_start(sizes);
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number >= 1 && f.number <= 3 && f.type == TFP_VARINT) d[f.number - 1] = f.value & INT64_MAX;
    put_key(out, tfp_str_of(key));
    tfp_buf_printf(out, "[%llu,%llu,%llu]", (unsigned long long)d[0], (unsigned long long)d[1],
                   (unsigned long long)d[2]);
}

static void put_launch_arg(tfp_pf_reader *r, uint32_t sequence, tfp_str arg)
{
    tfp_str name = { "", 0 };
    uint64_t number = 0;
    tfp_wire w = tfp_wire_start(arg);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1 && f.type == TFP_VARINT)
            name = tfp_strtab_get(&r->strings, tfp_pf_interned(r, sequence, TFP_PF_LAUNCH_ARGS, f.value));
        if (f.number == 2 && f.type == TFP_BYTES) name = f.bytes;
        if (f.number >= 3 && f.number <= 4 && f.type == TFP_VARINT) number = f.value;
    }
    const char *key = tfp_str_eq(name, TFP_STR("registers_per_thread")) ? "registers per thread"
                      : tfp_str_eq(name, TFP_STR("shared_mem_dynamic")) ? "dynamic shared memory"
                                                                        : NULL;
    if (!key) return;
    put_key(&r->args, tfp_str_of(key));
    tfp_buf_int(&r->args, (int64_t)(number & INT64_MAX));
}

/* Writes the sizes of a kernel's launch (ComputeKernelLaunch). */
static void put_launch(tfp_pf_reader *r, uint32_t sequence, tfp_str launch)
{
    tfp_wire w = tfp_wire_start(launch);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.type != TFP_BYTES || !tfp_pf_fits(r, 8 * (uint64_t)f.bytes.size + 64)) continue;
        if (f.number == 1) put_sizes(&r->args, "grid", f.bytes);
        if (f.number == 2) put_sizes(&r->args, "block", f.bytes);
        if (f.number == 3) put_launch_arg(r, sequence, f.bytes);
    }
}

/* Whether the text is a whole number as JSON has it. */
static bool is_number(tfp_str text)
{
    size_t at = text.size && text.data[0] == '-';
    if (at == text.size || text.size - at > 18 || (text.data[at] == '0' && text.size - at > 1)) return false;
    while (at < text.size && isdigit((unsigned char)text.data[at])) at++;
    return at == text.size;
}

typedef struct extra_row {
    const char *name, *arg; /* arg: its name in PyTorch's JSON; NULL: left out */
    bool text;              /* a text, even if it looks like a number */
} extra_row;

static const extra_row *row_of(tfp_str name)
{
    static const extra_row rows[] = { { "device id", NULL, false },
                                      { "device_id", NULL, false },
                                      { "kernel_name", NULL, false },
                                      { "kernel_demangled_name", NULL, false },
                                      { "process_id", NULL, false },
                                      { "process_name", NULL, false },
                                      { "arch", NULL, false },
                                      { "stream id", "original_stream", false },
                                      { "context id", "context", false },
                                      { "Process Group Name", "Process Group Name", true },
                                      { "name", "name", true },
                                      { "str", "str", true },
                                      { "module_fqn", "module_fqn", true } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tfp_str_eq(name, tfp_str_of(rows[i].name))) return &rows[i];
    return NULL;
}

/* Extra data are texts. PyTorch's are the args of its JSON, some by other names. */
static void put_extra(tfp_pf_reader *r, tfp_str datum, stage *s, tfp_pf_event *e)
{
    tfp_str name, value;
    int64_t number = -1;
    read_datum(datum, &name, &value);
    const extra_row *row = row_of(name);
    if (!name.size || (row && !row->arg) || !tfp_pf_fits(r, 2 * (uint64_t)datum.size)) return;
    bool is_text = (row && row->text) || !is_number(value) || !tfp_parse_int64(value, &number);
    if (tfp_str_eq(name, TFP_STR("stream id")) && number == (int64_t)s->stream) return;
    if (tfp_str_eq(name, TFP_STR("correlation")) && number > 0) {
        e->correlation = (uint64_t)number;
        e->has_correlation = true;
    }
    if (tfp_str_eq(name, TFP_STR("host fn"))) s->callback = value;
    put_key(&r->args, row ? tfp_str_of(row->arg) : name);
    if (is_text)
        tfp_pf_put_string(&r->args, value);
    else
        tfp_buf_str(&r->args, value);
}

/* ---- tracks ---- */

uint32_t tfp_pf_gpu_track(tfp_pf_reader *r, const char *what, uint64_t gpu, uint64_t number)
{
    const uint64_t parts[4] = { tfp_hash(what, strlen(what)), UINT64_MAX, gpu, number };
    uint32_t at = tfp_pf_track_of(r, tfp_hash(parts, sizeof parts));
    if (at == TFP_NONE) return at;
    tfp_pf_track *t = &r->tracks.at[at];
    t->pid = (int64_t)gpu;
    t->tid = (int64_t)number;
    t->has_process = t->has_thread = true;
    return at;
}

static uint32_t stream_track(tfp_pf_reader *r, const stage *s)
{
    uint32_t at = tfp_pf_gpu_track(r, "stream", s->gpu, s->stream);
    if (at == TFP_NONE || !s->label || r->tracks.at[at].name) return at;
    tfp_str label = tfp_strtab_get(&r->strings, s->label);
    size_t past = label.data[0] == '[' ? tfp_str_find(label, TFP_STR("] ")) : SIZE_MAX;
    if (past != SIZE_MAX) label = (tfp_str){ label.data + past + 2, label.size - past - 2 };
    r->tracks.at[at].name = tfp_pf_text(r, label);
    return at;
}

/* ---- reading ---- */

static void add_link(tfp_pf_reader *r, uint64_t id, bool wait)
{
    tfp_pf_link link = { id, (uint32_t)r->events.size };
    if (!tfp_pf_fits(r, sizeof link)) return;
    tfp_pf_keep(r, wait ? tfp_push(&r->waits, link) : tfp_push(&r->launches, link));
}

/* Reads numbers of stages, which may be packed. */
static void read_links(tfp_pf_reader *r, const tfp_field *f, bool wait)
{
    if (f->type == TFP_VARINT) add_link(r, f->value, wait);
    if (f->type != TFP_BYTES) return;
    tfp_wire w = tfp_wire_start(f->bytes);
    uint64_t id;
    for (const uint8_t *at = w.at; at < w.end && tfp_wire_varint(&w, &at, &id) && !r->too_big;) add_link(r, id, wait);
}

void tfp_pf_read_submission(tfp_pf_reader *r, tfp_str correlation)
{
    tfp_wire w = tfp_wire_start(correlation);
    for (tfp_field f; tfp_wire_next(&w, &f) && !r->no_memory;)
        if (f.number == 1) read_links(r, &f, false);
}

static void put_args(tfp_pf_reader *r, uint32_t sequence, tfp_str event, stage *s, tfp_pf_event *e)
{
    tfp_buf_printf(&r->args, "\"device\":%llu,\"stream\":%llu", (unsigned long long)s->gpu,
                   (unsigned long long)s->stream);
    tfp_wire w = tfp_wire_start(event);
    for (tfp_field f; tfp_wire_next(&w, &f) && !r->too_big && !r->no_memory;) {
        if (f.number == 6 && f.type == TFP_BYTES) put_extra(r, f.bytes, s, e);
        if (f.number == 18) read_links(r, &f, true);
    }
    if (s->launch.data) put_launch(r, sequence, s->launch);
}

/* "HostNode: step" of PyTorch's JSON */
static tfp_strid with_callback(tfp_pf_reader *r, const stage *s)
{
    tfp_buf name = { 0 };
    tfp_buf_str(&name, tfp_strtab_get(&r->strings, s->name));
    tfp_buf_text(&name, ": ");
    tfp_buf_str(&name, s->callback);
    tfp_strid string = tfp_pf_keep(r, !name.failed) ? tfp_pf_text(r, (tfp_str){ name.data, name.size }) : s->name;
    tfp_buf_free(&name);
    return string;
}

void tfp_pf_read_stage(tfp_pf_reader *r, uint32_t sequence, tfp_str event, int64_t at_ns)
{
    tfp_pf_event e = { .at_ns = at_ns, .args = r->args.size, .type = TFP_PF_WHOLE };
    stage s = { 0 };
    tfp_wire w = tfp_wire_start(event);
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 7 && f.type == TFP_BYTES) read_specifications(r, sequence, f.bytes);
    bool sound = !w.fault;
    w = tfp_wire_start(event);
    for (tfp_field f; sound && tfp_wire_next(&w, &f);)
        if (f.type == TFP_VARINT) read_number(r, sequence, &f, &s);
    if (!sound || s.duration > INT64_MAX) {
        r->unreadable++;
        return;
    }
    read_names(r, sequence, event, &s);
    s.stream = stream_of(tfp_strtab_get(&r->strings, s.label), s.queue);
    put_args(r, sequence, event, &s, &e);
    const char *category = category_of(tfp_strtab_get(&r->strings, s.kind));
    if (s.launch.data && !tfp_str_eq(tfp_str_of(category), TFP_STR("gpu_user_annotation"))) category = "kernel";
    e.category = tfp_pf_text(r, tfp_str_of(category));
    e.name = s.callback.size ? with_callback(r, &s) : s.name;
    e.duration_ns = (int64_t)s.duration;
    e.track = stream_track(r, &s);
    if (e.track == TFP_NONE || !tfp_pf_keep(r, tfp_push(&r->stages, ((tfp_pf_link){ s.id, (uint32_t)r->events.size }))))
        return;
    tfp_pf_add_event(r, &e);
}

/* ---- launches ---- */

static bool map_links(tfp_map64 *map, const tfp_pf_link *links, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (links[i].stage && !tfp_map64_put(map, links[i].stage, links[i].event)) return false;
    return true;
}

void tfp_pf_join_launches(tfp_pf_reader *r)
{
    tfp_map64 launch_of = { 0 };
    uint64_t *correlations = calloc(r->events.size + 1, sizeof *correlations);
    free(r->correlations);
    r->correlations = correlations;
    bool ok = tfp_pf_keep(r, correlations && map_links(&launch_of, r->launches.at, r->launches.size));
    for (size_t i = 0; ok && i < r->stages.size; i++) {
        uint32_t at = r->stages.at[i].event, launch = tfp_map64_get(&launch_of, r->stages.at[i].stage);
        if (launch == TFP_NONE || launch >= r->events.size || at >= r->events.size) continue;
        const tfp_pf_event *s = &r->events.at[at], *l = &r->events.at[launch];
        uint64_t own = l->has_correlation ? l->correlation : correlations[launch];
        if (!own) own = s->has_correlation ? s->correlation : LAUNCH_NUMBERS + launch;
        if (!s->has_correlation) correlations[at] = own;
        if (!l->has_correlation) correlations[launch] = own;
    }
    tfp_map64_free(&launch_of);
}
