// SPDX-License-Identifier: Apache-2.0
/* live/run/cuda.c: reads the file that cuda_inject.c wrote for a process, record by record, and writes the JSON that PyTorch's Kineto would
 * write. */
#include "live/run/cuda_read.h"

#include "names/copies.h"
#include "wire/json.h"

#include <stdio.h>

enum { RECORD_MOST = 8192, DEMANGLED_MOST = 4096, NAMES_MOST = 4 << 20 };

typedef struct reader {
    tfp_cuda_facts *facts;
    tfp_demangle_fn *demangle;
    tfp_sink *out;
    tfp_json json;
    tfp_arena arena;
    TFP_VEC(tfp_str) names; /* the name with id N is at index N - 1 */
    bool no_memory;
} reader;

/* ---- pieces of an event ---- */

static tfp_str name_of(const reader *r, uint32_t id)
{
    return id && id <= r->names.size ? r->names.at[id - 1] : TFP_STR("unknown");
}

static void add_name(reader *r, tfp_str record)
{
    tfp_cuda_name n;
    memcpy(&n, record.data, sizeof n);
    if (n.id != r->names.size + 1 || n.id > NAMES_MOST || n.length > record.size - sizeof n) return;
    char *text = tfp_arena_copy(&r->arena, (tfp_str){ record.data + sizeof n, n.length });
    int status = 0;
    char *plain = text && r->demangle && strncmp(text, "_Z", 2) == 0 && n.length < DEMANGLED_MOST
                      ? r->demangle(text, NULL, NULL, &status)
                      : NULL;
    tfp_str name = { text, n.length };
    if (plain) name = (tfp_str){ tfp_arena_copy(&r->arena, tfp_str_of(plain)), strlen(plain) };
    free(plain);
    if (!name.data || !tfp_push(&r->names, name)) r->no_memory = true;
}

/* Converts a time of CUPTI's clock to Unix time. */
static bool unix_time(const reader *r, uint64_t ns, int64_t *out)
{
    const tfp_cuda_head *h = &r->facts->head;
    int64_t since = (int64_t)(ns - h->cupti_ns);
    return h->unix_ns <= INT64_MAX && !__builtin_add_overflow((int64_t)h->unix_ns, since, out) && *out >= 0 &&
           *out < INT64_C(4000000000000000000);
}

static void number(reader *r, const char *key, uint64_t n)
{
    tfp_json_key(&r->json, key);
    tfp_json_int(&r->json, n > INT64_MAX ? INT64_MAX : (int64_t)n);
}

static void three(reader *r, const char *key, const uint32_t n[3])
{
    tfp_json_key(&r->json, key);
    tfp_json_open(&r->json, '[');
    for (int i = 0; i < 3; i++) tfp_json_int(&r->json, n[i]);
    tfp_json_close(&r->json, ']');
}

/* The parts that all events have; times are of CUPTI's clock. */
typedef struct happened {
    const char *category;
    tfp_str name;
    uint64_t pid, tid, start, end;
} happened;

/* Writes an event up to the members of "args". False: its times are not usable, and nothing is written. */
static bool event(reader *r, const happened *x)
{
    int64_t from, to;
    tfp_json *j = &r->json;
    tfp_cuda_facts *f = r->facts;
    if (!x->start || x->end < x->start || !unix_time(r, x->start, &from) || !unix_time(r, x->end, &to)) {
        f->untimed++;
        return false;
    }
    if (f->first_ns == TFP_ABSENT || from < f->first_ns) f->first_ns = from;
    if (f->last_ns == TFP_ABSENT || to > f->last_ns) f->last_ns = to;
    tfp_buf_char(&r->out->buf, '\n');
    tfp_json_open(j, '{');
    tfp_json_text_at(j, "ph", "X");
    tfp_json_text_at(j, "cat", x->category);
    tfp_json_str_at(j, "name", x->name);
    number(r, "pid", x->pid);
    number(r, "tid", x->tid);
    tfp_json_key(j, "ts");
    tfp_json_thousandths(j, from);
    tfp_json_key(j, "dur");
    tfp_json_thousandths(j, to - from);
    tfp_json_key(j, "args");
    tfp_json_open(j, '{');
    return true;
}

static void end_event(reader *r)
{
    tfp_json_close(&r->json, '}');
    tfp_json_close(&r->json, '}');
    tfp_sink_flush_if_full(r->out);
}

static void place(reader *r, uint32_t device, uint32_t context, uint32_t stream, uint32_t correlation)
{
    number(r, "device", device);
    number(r, "context", context);
    number(r, "stream", stream);
    number(r, "correlation", correlation);
}

/* ---- records ---- */

static void kernel(reader *r, const char *record)
{
    tfp_cuda_kernel k;
    memcpy(&k, record, sizeof k);
    if (!event(r, &(happened){ "kernel", name_of(r, k.name), k.device, k.stream, k.start, k.end })) return;
    place(r, k.device, k.context, k.stream, k.correlation);
    number(r, "registers per thread", k.registers);
    number(r, "shared memory", (uint64_t)k.static_bytes + k.dynamic_bytes);
    three(r, "grid", k.grid);
    three(r, "block", k.block);
    if (k.graph_node) number(r, "graph node id", k.graph_node);
    end_event(r);
    r->facts->activities++;
}

/* CUpti_ActivityMemcpyKind and CUpti_ActivityMemoryKind, named as Kineto names them. */
static void copy_name(const tfp_cuda_copy *c, char out[64])
{
    static const char *const kinds[] = { "Unknown", "Pageable", "Pinned",        "Device",
                                         "Array",   "Managed",  "Device Static", "Managed Static" };
    enum { KINDS = sizeof kinds / sizeof *kinds };
    snprintf(out, 64, "%s (%s -> %s)", tfp_copy_of(c->direction < TFP_DIRECTIONS ? (tfp_direction)c->direction : 0),
             kinds[c->from < KINDS ? c->from : 0], kinds[c->to < KINDS ? c->to : 0]);
}

static void copy(reader *r, const char *record)
{
    tfp_cuda_copy c;
    char name[64] = "Memset (Device)";
    memcpy(&c, record, sizeof c);
    if (c.kind == TFP_CUDA_COPY) copy_name(&c, name);
    const char *category = c.kind == TFP_CUDA_COPY ? "gpu_memcpy" : "gpu_memset";
    if (!event(r, &(happened){ category, tfp_str_of(name), c.device, c.stream, c.start, c.end })) return;
    place(r, c.device, c.context, c.stream, c.correlation);
    number(r, "bytes", c.bytes);
    end_event(r);
    r->facts->activities++;
}

/* Drops the version at the end of CUPTI's function names: cudaLaunchKernel_v7000. */
static tfp_str without_version(tfp_str name)
{
    size_t n = name.size;
    while (n && name.data[n - 1] >= '0' && name.data[n - 1] <= '9') n--;
    if (n < name.size && n > 2 && name.data[n - 1] == 'v' && name.data[n - 2] == '_') name.size = n - 2;
    return name;
}

static void call(reader *r, const char *record)
{
    tfp_cuda_call c;
    memcpy(&c, record, sizeof c);
    bool runtime = c.kind == TFP_CUDA_RUNTIME;
    tfp_str name = name_of(r, c.name);
    happened x = { "cuda_driver", name, c.pid, c.tid, c.start, c.end };
    if (runtime) x.category = "cuda_runtime", x.name = without_version(name);
    if (!event(r, &x)) return;
    number(r, "correlation", c.correlation);
    end_event(r);
    r->facts->calls++;
}

static void lost(reader *r, const char *record)
{
    tfp_cuda_lost l;
    memcpy(&l, record, sizeof l);
    r->facts->lost = l.count > INT64_MAX ? INT64_MAX : (int64_t)l.count;
}

/* The least size of a record of this kind; 0: an unknown kind, which is skipped. */
static size_t least_size(uint32_t kind)
{
    switch (kind) {
    case TFP_CUDA_NAME: return sizeof(tfp_cuda_name);
    case TFP_CUDA_KERNEL: return sizeof(tfp_cuda_kernel);
    case TFP_CUDA_COPY:
    case TFP_CUDA_SET: return sizeof(tfp_cuda_copy);
    case TFP_CUDA_RUNTIME:
    case TFP_CUDA_DRIVER: return sizeof(tfp_cuda_call);
    case TFP_CUDA_LOST: return sizeof(tfp_cuda_lost);
    default: return 0;
    }
}

static void read_record(reader *r, uint32_t kind, tfp_str record)
{
    switch (kind) {
    case TFP_CUDA_NAME: add_name(r, record); break;
    case TFP_CUDA_KERNEL: kernel(r, record.data); break;
    case TFP_CUDA_COPY:
    case TFP_CUDA_SET: copy(r, record.data); break;
    case TFP_CUDA_RUNTIME:
    case TFP_CUDA_DRIVER: call(r, record.data); break;
    case TFP_CUDA_LOST: lost(r, record.data); break;
    default: break;
    }
}

/* Reads the next record; at the end it is one of size 0. */
static tfp_status next_record(reader *r, tfp_input *in, uint32_t *kind, tfp_str *record, tfp_error *err)
{
    uint32_t head[2];
    tfp_status s = tfp_input_peek(in, sizeof head, record, err);
    if (s) return s;
    if (record->size < sizeof head) {
        r->facts->cut |= record->size > 0;
        record->size = 0;
        return TFP_OK;
    }
    memcpy(head, record->data, sizeof head);
    *kind = head[0];
    size_t size = head[1];
    if (size % 8 || size < sizeof head || size < least_size(*kind) || size > RECORD_MOST) {
        r->facts->cut = true;
        record->size = 0;
        return TFP_OK;
    }
    s = tfp_input_peek(in, size, record, err);
    if (!s && record->size < size) {
        r->facts->cut = true;
        record->size = 0;
    }
    if (!s && record->size > size) record->size = size;
    return s;
}

/* ---- the whole ---- */

static tfp_status read_head(tfp_input *in, tfp_cuda_head *h, tfp_error *err)
{
    tfp_str start;
    tfp_status s = tfp_input_peek(in, sizeof *h, &start, err);
    if (s) return s;
    if (start.size < sizeof *h) return tfp_fail(err, TFP_BADFILE, "the header of the CUDA recording is not complete");
    memcpy(h, start.data, sizeof *h);
    if (memcmp(h->magic, TFP_CUDA_MAGIC, sizeof h->magic) != 0)
        return tfp_fail(err, TFP_BADFILE, "not a CUDA recording");
    if (h->version != TFP_CUDA_VERSION)
        return tfp_fail(err, TFP_BADFILE, "a CUDA recording of version %u; %d is known", h->version, TFP_CUDA_VERSION);
    h->job[sizeof h->job - 1] = '\0';
    return tfp_input_skip(in, sizeof *h, err);
}

static void begin(reader *r)
{
    const tfp_cuda_head *h = &r->facts->head;
    tfp_json_open(&r->json, '{');
    number(r, "cupti_version", h->cupti_version);
    if (h->rank >= 0) {
        tfp_json_key(&r->json, "distributedInfo");
        tfp_json_open(&r->json, '{');
        number(r, "rank", (uint64_t)h->rank);
        tfp_json_close(&r->json, '}');
    }
    tfp_json_key(&r->json, "traceEvents");
    tfp_json_open(&r->json, '[');
}

tfp_status tfp_cuda_convert(tfp_input *in, tfp_demangle_fn *demangle, tfp_sink *out, tfp_cuda_facts *facts,
                            tfp_error *err)
{
    reader r = { .facts = facts, .demangle = demangle, .out = out, .json = tfp_json_start(&out->buf) };
    tfp_str record = { NULL, 0 };
    uint32_t kind = 0;
    *facts = (tfp_cuda_facts){ .first_ns = TFP_ABSENT, .last_ns = TFP_ABSENT };
    tfp_status s = read_head(in, &facts->head, err);
    if (s) return s;
    begin(&r);
    while (!s && !r.no_memory) {
        s = next_record(&r, in, &kind, &record, err);
        if (s || !record.size) break;
        read_record(&r, kind, record);
        s = tfp_input_skip(in, record.size, err);
    }
    tfp_json_close(&r.json, ']');
    tfp_json_close(&r.json, '}');
    tfp_buf_char(&out->buf, '\n');
    if (!s && r.no_memory) s = tfp_nomem(err);
    tfp_vec_free(&r.names);
    tfp_arena_free(&r.arena);
    return s;
}
