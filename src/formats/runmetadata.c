// SPDX-License-Identifier: Apache-2.0
/* formats/runmetadata.c: one TensorFlow RunMetadata message becomes one step of the profile.
 * In: the message's bytes (step_stats). Out: calls on a tfp_builder; nothing is printed.
 * Uses base, wire, model. Message layout: tensorflow/core/protobuf/config.proto, framework/step_stats.proto,
 * framework/tensor_description.proto, framework/allocation_description.proto. */
#include "formats/runmetadata.h"
#include "formats/format.h"
#include "formats/sniff.h"
#include "formats/tfdevice.h"
#include "wire/proto.h"

#include <stdlib.h>

/* Every node carries its device's name into every output: a small file must not become a huge report by one long
 * name. */
#define DEVICE_NAME_BYTES ((size_t)256 << 20)

typedef struct device { /* of the entries being read */
    tfp_strid name;     /* lower case */
    tfp_str text;
    tfp_tf_device is;
    tfp_strid host; /* where it is scheduled from */
    uint32_t lane;
} device;

typedef struct reader {
    tfp_builder *b;
    tfp_profile *p;
    uint32_t step;
    bool has_gpu, has_gpu_stream;
    size_t entries, unknown; /* entries in all, and those of nodes that no graph has */
} reader;

typedef struct entry { /* NodeExecStats */
    tfp_str name, label;
    int64_t start_ns, op_end_ns;
    tfp_memory memory;
    int64_t run_output_bytes; /* the requested ones, which TensorFlow 1.0 counted */
} entry;

/* Where the parts of an entry go that are kept one by one; none of it when exec is TFP_NONE. */
typedef struct target {
    uint32_t exec, memory;
} target;

static int64_t positive(reader *r, int64_t v, const char *what)
{
    if (v >= 0) return v;
    tfp_build_warn(r->b, what, TFP_STR(""));
    return 0;
}

#define BYTES(r, v) positive((r), (v), "negative byte counts, taken as 0")
#define TIME(r, v) tfp_build_micros((r)->b, positive((r), (v), "negative times, taken as 0"))

static int64_t sum(reader *r, int64_t a, int64_t b, const char *what)
{
    bool clamped = false;
    int64_t v = tfp_add(a, b, &clamped);
    if (clamped) tfp_build_warn(r->b, what, TFP_STR(""));
    return v;
}

#define ADD_BYTES(r, to, v) ((to) = sum((r), (to), (v), "sums of bytes too big for 64 bits, clamped"))
#define ADD_TIME(r, a, b) sum((r), (a), (b), "times too big for 64 bits, clamped")

/* ---- memory of an entry ---- */

/* AllocationRecord */
static void read_record(reader *r, tfp_wire *outer, const tfp_field *field, uint32_t exec)
{
    int64_t at = 0, bytes = 0;
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1)
            at = tfp_field_int(&w, &f);
        else if (f.number == 2)
            bytes = tfp_field_int(&w, &f);
    }
    tfp_wire_join(outer, &w, "allocation_records");
    if (exec != TFP_NONE && !w.fault) tfp_build_allocation(r->b, exec, TIME(r, at), bytes);
}

/* AllocatorMemoryUsed: its sums enter the entry when there is no target yet. Only allocators of a GPU tell what is in
 * use, and TensorFlow knows them by their names. */
static void read_allocator(reader *r, tfp_wire *outer, const tfp_field *field, entry *e, target to)
{
    tfp_str name = { "", 0 };
    int64_t total = 0, peak = 0, live = 0, in_use = 0;
    tfp_wire w = tfp_field_message(outer, field), records = w;
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: name = tfp_field_bytes(&w, &f); break;
        case 2: total = tfp_field_int(&w, &f); break;
        case 3: peak = tfp_field_int(&w, &f); break;
        case 4: live = tfp_field_int(&w, &f); break;
        case 5: in_use = tfp_field_int(&w, &f); break;
        }
    }
    bool gpu = tfp_str_has(name, TFP_STR("GPU"));
    for (tfp_field f; !w.fault && tfp_wire_next(&records, &f);)
        if (f.number == 6) read_record(r, &records, &f, gpu ? to.exec : TFP_NONE);
    tfp_wire_join(outer, &w, "memory");
    tfp_wire_join(outer, &records, "memory");
    if (to.exec != TFP_NONE) return;
    ADD_BYTES(r, e->memory.requested_bytes, BYTES(r, total));
    ADD_BYTES(r, e->memory.peak_bytes, BYTES(r, peak));
    ADD_BYTES(r, e->memory.residual_bytes, BYTES(r, live));
    if (gpu && in_use > e->memory.allocator_bytes_in_use) e->memory.allocator_bytes_in_use = in_use;
}

typedef struct allocation {
    bool given;
    int64_t requested, allocated;
    uint64_t address;
} allocation;

/* TensorDescription: only its AllocationDescription */
static void read_description(tfp_wire *outer, const tfp_field *field, allocation *a)
{
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number != 4) continue;
        tfp_wire d = tfp_field_message(&w, &f);
        a->given = true;
        for (tfp_field g; tfp_wire_next(&d, &g);) {
            if (g.number == 1)
                a->requested = tfp_field_int(&d, &g);
            else if (g.number == 2)
                a->allocated = tfp_field_int(&d, &g);
            else if (g.number == 6)
                a->address = tfp_field_uint(&d, &g);
        }
        tfp_wire_join(&w, &d, "allocation_description");
    }
    tfp_wire_join(outer, &w, "tensor_description");
}

/* NodeOutput: its bytes enter the entry when there is no target yet. */
static void read_output(reader *r, tfp_wire *outer, const tfp_field *field, entry *e, target to)
{
    int32_t slot = 0;
    allocation a = { false, 0, 0, 0 };
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1)
            slot = tfp_field_int32(&w, &f);
        else if (f.number == 3)
            read_description(&w, &f, &a);
    }
    tfp_wire_join(outer, &w, "output");
    if (!a.given || outer->fault) return;
    int64_t requested = BYTES(r, a.requested), allocated = BYTES(r, a.allocated);
    int64_t bytes = requested > allocated ? requested : allocated;
    if (to.exec != TFP_NONE) {
        tfp_build_buffer(r->b, to.memory, slot, bytes, a.address);
        return;
    }
    ADD_BYTES(r, e->memory.output_bytes, bytes);
    ADD_BYTES(r, e->run_output_bytes, requested);
}

/* MemoryStats. What is on the host and what on the accelerator follows from where the node ran, known later. */
static void read_memory_stats(reader *r, tfp_wire *outer, const tfp_field *field, entry *e)
{
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1)
            e->memory.host_temp_bytes = BYTES(r, tfp_field_int(&w, &f));
        else if (f.number == 3)
            e->memory.host_persistent_bytes = BYTES(r, tfp_field_int(&w, &f));
    }
    tfp_wire_join(outer, &w, "memory_stats");
}

/* Temporary and persistent bytes belong to the totals, the persistent ones also to what stays. */
static void finish_memory(reader *r, entry *e, bool on_cpu)
{
    tfp_memory *m = &e->memory;
    int64_t persistent = m->host_persistent_bytes;
    ADD_BYTES(r, m->residual_bytes, persistent);
    ADD_BYTES(r, m->requested_bytes, persistent);
    ADD_BYTES(r, m->requested_bytes, m->host_temp_bytes);
    ADD_BYTES(r, m->peak_bytes, persistent);
    ADD_BYTES(r, m->peak_bytes, m->host_temp_bytes);
    m->at_ns = ADD_TIME(r, e->start_ns, e->op_end_ns);
    if (on_cpu) return;
    m->accelerator_temp_bytes = m->host_temp_bytes;
    m->accelerator_persistent_bytes = persistent;
    m->host_temp_bytes = m->host_persistent_bytes = 0;
}

/* ---- entries: NodeExecStats ---- */

static void read_entry_fields(reader *r, tfp_wire *w, entry *e)
{
    const target none = { TFP_NONE, TFP_NONE };
    for (tfp_field f; tfp_wire_next(w, &f);) {
        switch (f.number) {
        case 1: e->name = tfp_field_bytes(w, &f); break;
        case 2: e->start_ns = TIME(r, tfp_field_int(w, &f)); break;
        case 4: e->op_end_ns = TIME(r, tfp_field_int(w, &f)); break;
        case 6: read_allocator(r, w, &f, e, none); break;
        case 7: read_output(r, w, &f, e, none); break;
        case 8: e->label = tfp_field_bytes(w, &f); break;
        case 12: read_memory_stats(r, w, &f, e); break;
        }
    }
}

/* The second way through an entry: what is kept one by one. */
static void read_details(reader *r, tfp_wire w, entry *e, target to)
{
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 6)
            read_allocator(r, &w, &f, e, to);
        else if (f.number == 7)
            read_output(r, &w, &f, e, to);
    }
}

/* The part of the name before what the runtime hung on it. */
static tfp_str node_name(tfp_str name)
{
    const char *colon = name.size ? memchr(name.data, ':', name.size) : NULL;
    if (colon) name.size = (size_t)(colon - name.data);
    return name;
}

/* The node of an entry, a new one when no graph has it; TFP_NONE for the runtime's own bookkeeping. */
static uint32_t find_node(reader *r, tfp_str name)
{
    uint32_t node = tfp_build_find(r->b, name);
    if (node != TFP_NONE) {
        tfp_build_row(r->b, node)->flags |= TFP_NODE_COVERED;
    } else {
        if (tfp_str_eq(name, TFP_STR("RecvTensor")) || tfp_str_eq(name, TFP_STR("_SOURCE")) ||
            tfp_str_has(name, TFP_STR("MEMCPY")))
            return TFP_NONE;
        node = tfp_build_node(r->b, name, name, true);
        if (node != TFP_NONE) tfp_build_row(r->b, node)->flags |= TFP_NODE_INVENTED;
    }
    r->entries++;
    if (node != TFP_NONE && (tfp_build_row(r->b, node)->flags & TFP_NODE_INVENTED)) r->unknown++;
    return node;
}

/* The first canonical device that a node is seen on is its device; what it did on another one is not taken, as in
 * TensorFlow. Streams and the like are no canonical devices. */
static bool settle_device(reader *r, uint32_t node, const device *d)
{
    tfp_node *n = tfp_build_row(r->b, node);
    if (!d->is.canonical || n->device == d->name) return true;
    if (n->device) {
        tfp_build_warn(r->b, "entries of nodes that ran on a second device, left out", tfp_text(r->p, n->name));
        return false;
    }
    tfp_build_node_device(r->b, node, d->name, d->is.on);
    n->host_device = d->host;
    tfp_build_type(r->b, node, d->name);
    return true;
}

static void add_time(reader *r, const entry *e, uint32_t exec, const device *d)
{
    int64_t duration = e->op_end_ns ? e->op_end_ns : 1000; /* so quick that the clock of microseconds did not move */
    int64_t end = ADD_TIME(r, e->start_ns, duration);
    tfp_exec *x = &r->p->execs.at[exec];
    if (!x->start_ns || e->start_ns < x->start_ns) x->start_ns = e->start_ns;
    if (end > x->end_ns) x->end_ns = end;
    if (r->p->lanes.at[d->lane].kind == TFP_LANE_CPU) x->run_count++;
    tfp_build_span(r->b, exec, d->lane, e->start_ns, duration);
}

static void add_memory(reader *r, tfp_wire w, entry *e, uint32_t exec, const device *d)
{
    finish_memory(r, e, (d->is.on & TFP_NODE_ON_CPU) != 0);
    target to = { exec, tfp_build_memory(r->b, exec, &e->memory) };
    if (r->p->keep & TFP_KEEP_MEMORY) read_details(r, w, e, to);
}

static void add_run_output_bytes(reader *r, uint32_t exec, int64_t bytes)
{
    while (r->p->run_output_bytes.size <= exec) {
        if (tfp_push(&r->p->run_output_bytes, 0)) continue;
        if (!r->b->status) r->b->status = TFP_NOMEM;
        return;
    }
    ADD_BYTES(r, r->p->run_output_bytes.at[exec], bytes);
}

static void add_transfer(reader *r, const entry *e, uint32_t node, const device *d)
{
    int64_t duration = e->op_end_ns ? e->op_end_ns : 1000;
    tfp_run_entry t = {
        e->name, e->label, r->step, d->lane, node, e->start_ns, duration, e->run_output_bytes, d->name
    };
    if ((r->p->keep & TFP_KEEP_MEMORY) && e->start_ns) tfp_read_transfer(r->b, &t);
}

static void add_entry(reader *r, tfp_wire w, entry *e, const device *d)
{
    tfp_str name = node_name(e->name);
    uint32_t node = find_node(r, name);
    add_transfer(r, e, node, d);
    if (node == TFP_NONE || !settle_device(r, node, d)) return;
    uint32_t exec = tfp_build_exec(r->b, node, r->step);
    if (exec == TFP_NONE) return;
    add_run_output_bytes(r, exec, e->run_output_bytes);
    if (r->p->keep & TFP_KEEP_PROGRAM) tfp_read_run_shapes(r->b, w, node);
    if (!e->start_ns) {
        tfp_build_warn(r->b, "entries without a start time, whose time and memory are left out", name);
        return;
    }
    add_time(r, e, exec, d);
    if (d->is.canonical) add_memory(r, w, e, exec, d);
}

static tfp_status read_entry(reader *r, tfp_wire w, const device *d, tfp_error *err)
{
    entry e = { .name = { "", 0 } };
    tfp_wire again = w;
    read_entry_fields(r, &w, &e);
    tfp_status s = tfp_wire_end(&w, err);
    if (s) return s;
    add_entry(r, again, &e, d);
    return tfp_builder_status(r->b, err);
}

/* ---- devices and steps ---- */

/* The name comes first in practice, but the format does not say so. */
static device find_device(reader *r, tfp_wire w)
{
    tfp_str name = { "", 0 };
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 1) name = tfp_field_bytes(&w, &f);
    device d = { .name = tfp_build_lower(r->b, name), .lane = TFP_NONE };
    d.text = tfp_text(r->p, d.name);
    d.is = tfp_tf_device_of(d.text);
    d.host = d.is.canonical ? tfp_tf_host_of(r->b, d.text) : 0;
    d.text = tfp_text(r->p, d.name);
    d.lane = tfp_tf_lane(r->b, d.text, d.is.kind);
    return d;
}

/* DeviceStepStats */
static tfp_status read_device(reader *r, tfp_wire w, tfp_error *err)
{
    device d = find_device(r, w);
    tfp_status s = tfp_builder_status(r->b, err);
    bool gpu = d.is.on & TFP_NODE_ON_ACCELERATOR;
    size_t count = 0;
    r->has_gpu |= gpu;
    r->has_gpu_stream |= gpu && d.is.all_streams;
    for (tfp_field f; s == TFP_OK && tfp_wire_next(&w, &f);) {
        if (f.number == 1) tfp_field_bytes(&w, &f);
        if (f.number != 2) continue;
        tfp_wire inner = tfp_field_message(&w, &f);
        if (!w.fault) s = tfp_within(err, read_entry(r, inner, &d, err), "node_stats %zu", count++);
        if (!s && count > DEVICE_NAME_BYTES / (d.text.size + 1))
            s = tfp_fail(err, TFP_LIMIT, "a device name of %zu bytes for more than %zu nodes", d.text.size, count - 1);
    }
    return s ? s : tfp_wire_end(&w, err);
}

static tfp_status read_step_stats(reader *r, tfp_wire w, tfp_error *err)
{
    tfp_status s = TFP_OK;
    size_t count = 0;
    for (tfp_field f; s == TFP_OK && tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue;
        tfp_wire inner = tfp_field_message(&w, &f);
        if (!w.fault) s = tfp_within(err, read_device(r, inner, err), "device %zu", count++);
    }
    return s ? s : tfp_wire_end(&w, err);
}

/* The share of all nodes that some run metadata had statistics for when it found them known; a hair less, as
 * TensorFlow's, which matters where two decimals are printed: 7 of 8 are 0.87. */
static double coverage(const tfp_profile *p)
{
    size_t covered = 0;
    for (size_t i = 0; i < p->nodes.size; i++) covered += (p->nodes.at[i].flags & TFP_NODE_COVERED) != 0;
    return (double)covered / ((double)p->nodes.size + 1e-10);
}

static void warn_about_all(reader *r, bool has_step)
{
    if (!has_step)
        tfp_build_warn(r->b, "run metadata without step_stats, which is no step", TFP_STR(""));
    else if (!r->entries)
        tfp_build_warn(r->b, "no data in it", TFP_STR(""));
    else if (tfp_has(r->p, TFP_HAS_GRAPH) && r->unknown * 2 > r->entries)
        tfp_build_warn(r->b, "perhaps run metadata of another graph: most of its nodes are not in the graph",
                       TFP_STR(""));
    if (r->has_gpu && !r->has_gpu_stream) r->p->miss_accelerator_stream = true;
}

static tfp_status read_binary(tfp_builder *b, tfp_input *in, tfp_kind kind, tfp_error *err)
{
    (void)kind; /* there is one only */
    reader r = { .b = b, .p = b->p, .step = TFP_NONE };
    tfp_str bytes;
    tfp_status s = tfp_input_all(in, &bytes, err);
    if (s) return s;
    int64_t step = b->p->has_next_step ? b->p->next_step : (int64_t)b->p->coverage.size;
    b->p->has_next_step = false;
    if (step < 0) tfp_build_warn(b, "steps with a negative number, which cannot be asked for", TFP_STR(""));
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; s == TFP_OK && tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue;
        tfp_wire stats = tfp_field_message(&w, &f);
        if (r.step == TFP_NONE) r.step = tfp_build_step(b, step, true);
        if (!w.fault && !(s = tfp_builder_status(b, err)))
            s = tfp_within(err, read_step_stats(&r, stats, err), "step_stats");
    }
    if (!s) s = tfp_wire_end(&w, err);
    if (s) return s;
    warn_about_all(&r, r.step != TFP_NONE);
    return tfp_push(&b->p->coverage, coverage(b->p)) ? TFP_OK : tfp_nomem(err);
}

static tfp_status read_run_meta(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    return tfp_read_message(b, in, TFP_KINDS(TFP_KIND_RUN_META), read_binary, err);
}

static int probe(tfp_str head, uint64_t total) { return tfp_sniff_score(head, total, TFP_KINDS(TFP_KIND_RUN_META)); }

const tfp_format tfp_format_run_meta = {
    .name = "run_meta",
    .help = "RunMetadata: what ran in one step, where, when and with how much memory; several files are steps 0, 1, "
            "2 ...",
    .stands = TFP_FORMAT_IS(FOLLOWS) | TFP_FORMAT_IS(SEVERAL),
    .probe = probe,
    .read = read_run_meta,
};
