// SPDX-License-Identifier: Apache-2.0
/* formats/samples/device_memory.c: JAX's profile of device memory (jax.profiler.save_device_memory_profile): a pprof file
 * whose samples are buffers and executables that were held when it was written. They become blocks, as those of a memory
 * snapshot. Layout: jax/jaxlib pprof_profile_builder, xla/pjrt HeapProfile: labels `kind` and `device`. */
#include "formats/samples/device_memory.h"
#include "model/files/allocator.h"
#include "model/tables/events.h"
#include "model/tables/profile.h"
#include "model/tables/samples.h"
#include "model/tables/sources.h"
#include "model/tables/stats.h"

#define BLOCKS_MOST 4096 /* buffers of one stack that become blocks of their own */

static tfp_str label_of(const tfp_profile *p, const tfp_stack_sample *s, tfp_str key)
{
    const tfp_stat_set *set = s->labels == TFP_NONE ? NULL : &p->events->stat_sets.at[s->labels];
    for (uint32_t i = 0; set && i < set->count; i++) {
        const tfp_stat *stat = &p->events->stats.at[set->first + i];
        if (stat->type == TFP_STAT_TEXT && tfp_str_eq(tfp_text(p, stat->key), key))
            return tfp_text(p, (tfp_strid)stat->value.text);
    }
    return TFP_STR("");
}

static bool is_type(const tfp_profile *p, const tfp_stack_sample *s, const char *type, const char *unit)
{
    const tfp_sample_type *t = &p->sampled->sample_types.at[s->type];
    return tfp_str_eq(tfp_text(p, t->type), tfp_str_of(type)) && tfp_str_eq(tfp_text(p, t->unit), tfp_str_of(unit));
}

/* The number of a device in this file. */
static uint32_t device_of(tfp_builder *b, size_t first, tfp_str name)
{
    tfp_allocator_tables *a = b->p->allocator;
    tfp_strid id = tfp_build_string(b, name);
    for (size_t i = first; i < a->devices.size; i++)
        if (a->devices.at[i].name == id) return (uint32_t)i;
    tfp_allocator_device d = { .name = id, .source = (uint32_t)b->p->files->sources.size - 1, .origin_us = -1 };
    return tfp_build_keep(b, tfp_push(&a->devices, d)) ? (uint32_t)a->devices.size - 1 : TFP_NONE;
}

/* Adds `count` blocks of one stack, which together have these bytes. */
static void add_blocks(tfp_builder *b, uint32_t device, const tfp_stack_sample *s, int64_t count)
{
    tfp_allocator_tables *a = b->p->allocator;
    if (count < 1 || count > BLOCKS_MOST) count = 1;
    a->devices.at[device].total_bytes = tfp_add(a->devices.at[device].total_bytes, s->value, NULL);
    for (int64_t i = 0; i < count && !b->status; i++) {
        tfp_allocator_block block = { .address = a->blocks.size + 1,
                                      .bytes = s->value / count + (i == 0 ? s->value % count : 0),
                                      .trace = s->trace,
                                      .device = device };
        tfp_build_keep(b, tfp_push(&a->blocks, block));
    }
}

void tfp_pprof_blocks(tfp_builder *b, size_t first_sample)
{
    tfp_profile *p = b->p;
    size_t first_device = p->allocator->devices.size;
    for (size_t i = first_sample; i < p->sampled->samples.size && !b->status; i++) {
        const tfp_stack_sample *s = &p->sampled->samples.at[i], *before = i ? s - 1 : s;
        if (!is_type(p, s, "space", "bytes")) continue;
        tfp_str kind = label_of(p, s, TFP_STR("kind")), name = label_of(p, s, TFP_STR("device"));
        if (tfp_str_eq(kind, TFP_STR("executable")))
            name = TFP_STR("executables");
        else if (!tfp_str_eq(kind, TFP_STR("buffer")))
            continue;
        bool counted = before->trace == s->trace && is_type(p, before, "allocations", "count");
        uint32_t device = device_of(b, first_device, name.size ? name : TFP_STR("device"));
        if (device != TFP_NONE) add_blocks(b, device, s, counted ? before->value : 1);
    }
}
