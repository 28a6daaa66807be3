// SPDX-License-Identifier: Apache-2.0
/* formats/perfetto/counters.c: samples of counters of GPUs (GpuCounterEvent). Their names are in a descriptor, in the event
 * or interned. Layout: google/perfetto, protos/perfetto/trace/gpu/. */
#include "formats/perfetto/perfetto.h"

#include <stdio.h>

/* Reads the name of a counter (GpuCounterSpec). Descriptors have numbers of their own for counters; that of a whole
 * trace has the number 0. */
static void read_counter_name(tfp_pf_reader *r, uint32_t sequence, uint64_t descriptor, tfp_str spec)
{
    uint64_t id = 0;
    tfp_str name = { "", 0 };
    tfp_wire w = tfp_wire_start(spec);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1 && f.type == TFP_VARINT) id = f.value;
        if (f.number == 2 && f.type == TFP_BYTES) name = f.bytes;
    }
    tfp_pf_intern(r, sequence, TFP_PF_COUNTERS, descriptor << 32 ^ id, name);
}

static void read_counter_names(tfp_pf_reader *r, uint32_t sequence, uint64_t descriptor, tfp_str specs)
{
    tfp_wire w = tfp_wire_start(specs);
    for (tfp_field f; tfp_wire_next(&w, &f) && !r->no_memory;)
        if (f.number == 1 && f.type == TFP_BYTES) read_counter_name(r, sequence, descriptor, f.bytes);
}

void tfp_pf_read_descriptor(tfp_pf_reader *r, uint32_t sequence, tfp_str row)
{
    uint64_t descriptor = 0, gpu = 0;
    tfp_str specs = { "", 0 };
    tfp_buf number = { 0 };
    tfp_wire w = tfp_wire_start(row);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1 && f.type == TFP_VARINT) descriptor = f.value;
        if (f.number == 2 && f.type == TFP_BYTES) specs = f.bytes;
        if (f.number == 3 && f.type == TFP_VARINT) gpu = f.value & INT64_MAX;
    }
    read_counter_names(r, sequence, descriptor, specs);
    tfp_buf_int(&number, (int64_t)gpu);
    if (tfp_pf_keep(r, !number.failed))
        tfp_pf_intern(r, sequence, TFP_PF_COUNTED_GPUS, descriptor, (tfp_str){ number.data, number.size });
    tfp_buf_free(&number);
}

/* As PyTorch's JSON calls the counters of a GPU. */
static tfp_strid series_of(tfp_pf_reader *r, uint64_t gpu)
{
    char text[48];
    snprintf(text, sizeof text, "GPU %llu Counters", (unsigned long long)gpu);
    return tfp_pf_text(r, tfp_str_of(text));
}

typedef struct sampled { /* what a sample of counters is of */
    uint32_t sequence;
    uint64_t descriptor, gpu;
    int64_t at_ns;
} sampled;

static void add_sample(tfp_pf_reader *r, const sampled *of, tfp_str sample)
{
    tfp_pf_event e = { .at_ns = of->at_ns, .args = r->args.size, .type = TFP_PF_COUNTER };
    uint64_t id = 0;
    tfp_wire w = tfp_wire_start(sample);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1 && f.type == TFP_VARINT) id = f.value;
        if (f.number == 2 && f.type == TFP_VARINT) e.value = (double)(int64_t)f.value;
        if (f.number == 3 && f.type == TFP_FIXED64) e.value = tfp_field_double(&w, &f);
    }
    e.track = tfp_pf_gpu_track(r, "counter", of->gpu, of->descriptor << 32 ^ id);
    if (e.track == TFP_NONE) return;
    tfp_pf_track *t = &r->tracks.at[e.track];
    t->is_counter = true;
    if (!t->name) t->name = tfp_pf_interned(r, of->sequence, TFP_PF_COUNTERS, of->descriptor << 32 ^ id);
    if (!t->series) t->series = series_of(r, of->gpu);
    tfp_pf_add_event(r, &e);
}

void tfp_pf_read_gpu_counters(tfp_pf_reader *r, uint32_t sequence, tfp_str event, int64_t at_ns)
{
    sampled of = { .at_ns = at_ns };
    tfp_wire w = tfp_wire_start(event);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1 && f.type == TFP_BYTES) read_counter_names(r, 0, 0, f.bytes);
        if (f.number == 3 && f.type == TFP_VARINT) of.gpu = f.value & INT64_MAX;
        if (f.number == 4 && f.type == TFP_VARINT) of.descriptor = f.value;
    }
    r->unreadable += w.fault != NULL;
    if (w.fault) return;
    int64_t gpu;
    tfp_strid of_descriptor = tfp_pf_interned(r, sequence, TFP_PF_COUNTED_GPUS, of.descriptor);
    if (of.descriptor) of.sequence = sequence;
    if (of.descriptor && tfp_parse_int64(tfp_strtab_get(&r->strings, of_descriptor), &gpu)) of.gpu = (uint64_t)gpu;
    w = tfp_wire_start(event);
    for (tfp_field f; tfp_wire_next(&w, &f) && !r->no_memory && !r->too_big;)
        if (f.number == 2 && f.type == TFP_BYTES) add_sample(r, &of, f.bytes);
}
