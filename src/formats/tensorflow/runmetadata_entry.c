// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/runmetadata_entry.c: decodes a NodeExecStats, what one run of a node did, into a plain struct, on
 * any thread; its details are then added through a tfp_builder. Message layout:
 * tensorflow/core/framework/step_stats.proto, tensor_description.proto, allocation_description.proto. */
#include "formats/tensorflow/runmetadata.h"
#include "model/tables/profile.h"

/* Where the details of an entry are added; nothing is added when exec is TFP_NONE. */
typedef struct target {
    uint32_t exec, memory;
} target;

/* Reports a value that no sound file has: as a warning, or only as a note when other threads use the builder. */
static void tell_odd(tfp_run_values *v, const char *what)
{
    if (v->b)
        tfp_build_warn(v->b, what, TFP_STR(""));
    else
        v->odd = true;
}

static int64_t positive(tfp_run_values *v, int64_t value, const char *what)
{
    if (value >= 0) return value;
    tell_odd(v, what);
    return 0;
}

static int64_t time_of(tfp_run_values *v, int64_t micros)
{
    micros = positive(v, micros, "negative times, taken as 0");
    if (v->b) return tfp_build_micros(v->b, micros);
    return tfp_mul(micros, 1000, &v->odd);
}

static int64_t sum(tfp_run_values *v, int64_t a, int64_t b, const char *what)
{
    bool clamped = false;
    int64_t total = tfp_add(a, b, &clamped);
    if (clamped) tell_odd(v, what);
    return total;
}

#define BYTES(v, n) positive((v), (n), "negative byte counts, taken as 0")
#define TIME(v, n) time_of((v), (n))
#define ADD_BYTES(v, to, n) ((to) = sum((v), (to), (n), "sums of bytes too big for 64 bits, clamped"))

int64_t tfp_run_end(tfp_run_values *v, int64_t start_ns, int64_t duration_ns)
{
    return sum(v, start_ns, duration_ns, "times too big for 64 bits, clamped");
}

/* ---- memory of an entry ---- */

/* AllocationRecord */
static void read_record(tfp_run_values *v, tfp_wire *outer, const tfp_field *field, uint32_t exec)
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
    if (exec != TFP_NONE && !w.fault) tfp_build_allocation(v->b, exec, TIME(v, at), bytes);
}

/* Reads an AllocatorMemoryUsed. Its sums go into the entry when there is no target yet. Only a GPU's allocators tell
 * what is in use; TensorFlow recognizes them by their names. */
static void read_allocator(tfp_run_values *v, tfp_wire *outer, const tfp_field *field, tfp_run_stats *e, target to)
{
    tfp_str name = { "", 0 };
    int64_t total = 0, peak = 0, live = 0, in_use = 0;
    bool has_records = false;
    tfp_wire w = tfp_field_message(outer, field), records = w;
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: name = tfp_field_bytes(&w, &f); break;
        case 2: total = tfp_field_int(&w, &f); break;
        case 3: peak = tfp_field_int(&w, &f); break;
        case 4: live = tfp_field_int(&w, &f); break;
        case 5: in_use = tfp_field_int(&w, &f); break;
        case 6: has_records = true; break;
        }
    }
    bool wanted = has_records || in_use > e->memory.allocator_bytes_in_use;
    bool gpu = wanted && tfp_str_has(name, TFP_STR("GPU"));
    for (tfp_field f; has_records && !w.fault && tfp_wire_next(&records, &f);)
        if (f.number == 6) read_record(v, &records, &f, gpu ? to.exec : TFP_NONE);
    tfp_wire_join(outer, &w, "memory");
    tfp_wire_join(outer, &records, "memory");
    if (to.exec != TFP_NONE) return;
    ADD_BYTES(v, e->memory.requested_bytes, BYTES(v, total));
    ADD_BYTES(v, e->memory.peak_bytes, BYTES(v, peak));
    ADD_BYTES(v, e->memory.residual_bytes, BYTES(v, live));
    if (gpu && in_use > e->memory.allocator_bytes_in_use) e->memory.allocator_bytes_in_use = in_use;
}

typedef struct allocation {
    bool given;
    int64_t requested, allocated;
    uint64_t address;
} allocation;

/* Reads only the AllocationDescription in a TensorDescription. */
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

/* Reads a NodeOutput. Its bytes go into the entry when there is no target yet. */
static void read_output(tfp_run_values *v, tfp_wire *outer, const tfp_field *field, tfp_run_stats *e, target to)
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
    int64_t requested = BYTES(v, a.requested), allocated = BYTES(v, a.allocated);
    int64_t bytes = requested > allocated ? requested : allocated;
    if (to.exec != TFP_NONE) {
        tfp_build_buffer(v->b, to.memory, slot, bytes, a.address);
        return;
    }
    ADD_BYTES(v, e->memory.output_bytes, bytes);
    ADD_BYTES(v, e->run_output_bytes, requested);
}

/* Reads MemoryStats. Whether this is host or accelerator memory depends on where the node ran, which is known later. */
static void read_memory_stats(tfp_run_values *v, tfp_wire *outer, const tfp_field *field, tfp_run_stats *e)
{
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1)
            e->memory.host_temp_bytes = BYTES(v, tfp_field_int(&w, &f));
        else if (f.number == 3)
            e->memory.host_persistent_bytes = BYTES(v, tfp_field_int(&w, &f));
    }
    tfp_wire_join(outer, &w, "memory_stats");
}

/* ---- entries: NodeExecStats ---- */

static tfp_str node_name(tfp_str name)
{
    const char *colon = name.size ? memchr(name.data, ':', name.size) : NULL;
    if (colon) name.size = (size_t)(colon - name.data);
    return name;
}

tfp_wire tfp_run_decode(tfp_run_values *v, tfp_wire w, tfp_run_stats *e)
{
    const target none = { TFP_NONE, TFP_NONE };
    *e = (tfp_run_stats){ .bytes = { (const char *)w.at, (size_t)(w.end - w.at) },
                          .name = { "", 0 },
                          .label = { "", 0 } };
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: e->name = tfp_field_bytes(&w, &f); break;
        case 2: e->start_ns = TIME(v, tfp_field_int(&w, &f)); break;
        case 4: e->op_end_ns = TIME(v, tfp_field_int(&w, &f)); break;
        case 6: read_allocator(v, &w, &f, e, none); break;
        case 7: read_output(v, &w, &f, e, none); break;
        case 8: e->label = tfp_field_bytes(&w, &f); break;
        case 12: read_memory_stats(v, &w, &f, e); break;
        }
    }
    e->node = node_name(e->name);
    e->hash = tfp_string_hash(e->node);
    return w;
}

/* The second pass over an entry: adds its details. */
static void read_details(tfp_run_values *v, tfp_run_stats *e, target to)
{
    tfp_wire w = tfp_wire_start(e->bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 6)
            read_allocator(v, &w, &f, e, to);
        else if (f.number == 7)
            read_output(v, &w, &f, e, to);
    }
}

/* Adds temporary and persistent bytes to the totals; persistent ones also count as memory that stays. */
static void finish_memory(tfp_run_values *v, tfp_run_stats *e, bool on_cpu)
{
    tfp_memory *m = &e->memory;
    int64_t persistent = m->host_persistent_bytes;
    ADD_BYTES(v, m->residual_bytes, persistent);
    ADD_BYTES(v, m->requested_bytes, persistent);
    ADD_BYTES(v, m->requested_bytes, m->host_temp_bytes);
    ADD_BYTES(v, m->peak_bytes, persistent);
    ADD_BYTES(v, m->peak_bytes, m->host_temp_bytes);
    m->at_ns = tfp_run_end(v, e->start_ns, e->op_end_ns);
    if (on_cpu) return;
    m->accelerator_temp_bytes = m->host_temp_bytes;
    m->accelerator_persistent_bytes = persistent;
    m->host_temp_bytes = m->host_persistent_bytes = 0;
}

void tfp_run_add_memory(tfp_builder *b, tfp_run_stats *e, uint32_t exec, bool on_cpu)
{
    tfp_run_values v = { .b = b };
    finish_memory(&v, e, on_cpu);
    target to = { exec, tfp_build_memory(b, exec, &e->memory) };
    if (b->p->reads & TFP_READS_RUNS) read_details(&v, e, to);
}
