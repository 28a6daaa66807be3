// SPDX-License-Identifier: Apache-2.0
/* formats/samples/device_memory.c: JAX's profile of device memory (jax.profiler.save_device_memory_profile): a pprof file
 * whose samples are buffers and executables that were held when it was written. They become blocks, as those of a memory
 * snapshot. Layout: jax/jaxlib pprof_profile_builder, xla/pjrt HeapProfile: labels `kind` and `device`. */
#include "formats/samples/device_memory.h"
#include "model/files/allocator.h"
#include "model/tables/profile.h"
#include "model/tables/sources.h"

#define BLOCKS_MOST 4096 /* buffers of one stack that become blocks of their own */

static tfp_str label_of(const tfp_profile *p, const tfp_pprof_held *h, tfp_str key)
{
    for (size_t i = 0; i < h->label_count; i++)
        if (h->labels[i].type == TFP_STAT_TEXT && tfp_str_eq(tfp_text(p, h->labels[i].key), key))
            return tfp_text(p, (tfp_strid)h->labels[i].value.text);
    return TFP_STR("");
}

/* Returns the index of a device in the allocator's table, and adds the device when this file has not named it before. */
static uint32_t device_of(tfp_builder *b, size_t first, tfp_str name)
{
    tfp_allocator_tables *a = b->p->allocator;
    tfp_strid id = tfp_build_string(b, name);
    for (size_t i = first; i < a->devices.size; i++)
        if (a->devices.at[i].name == id) return (uint32_t)i;
    tfp_allocator_device d = { .name = id, .source = (uint32_t)b->p->files->sources.size - 1, .origin_us = -1 };
    return tfp_build_keep(b, tfp_push(&a->devices, d)) ? (uint32_t)a->devices.size - 1 : TFP_NONE;
}

/* Adds as many blocks as are counted, which together have these bytes. */
static void add_blocks(tfp_builder *b, uint32_t device, const tfp_pprof_held *h)
{
    tfp_allocator_tables *a = b->p->allocator;
    int64_t count = h->count < 1 || h->count > BLOCKS_MOST ? 1 : h->count;
    a->devices.at[device].total_bytes = tfp_add(a->devices.at[device].total_bytes, h->bytes, NULL);
    for (int64_t i = 0; i < count && !b->status; i++) {
        tfp_allocator_block block = { .address = a->blocks.size + 1,
                                      .bytes = h->bytes / count + (i == 0 ? h->bytes % count : 0),
                                      .trace = h->trace,
                                      .device = device };
        tfp_build_keep(b, tfp_push(&a->blocks, block));
    }
}

void tfp_pprof_blocks(tfp_builder *b, const tfp_pprof_held *h)
{
    tfp_str kind = label_of(b->p, h, TFP_STR("kind")), name = label_of(b->p, h, TFP_STR("device"));
    if (tfp_str_eq(kind, TFP_STR("executable")))
        name = TFP_STR("executables");
    else if (!tfp_str_eq(kind, TFP_STR("buffer")))
        return;
    uint32_t device = device_of(b, h->first_device, name.size ? name : TFP_STR("device"));
    if (device != TFP_NONE) add_blocks(b, device, h);
}
