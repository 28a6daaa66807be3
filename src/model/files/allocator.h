// SPDX-License-Identifier: Apache-2.0
/* model/files/allocator.h: a snapshot of PyTorch's caching allocator: its recorded entries, and the blocks and segments
 * at the end. Allocations in traces are separate rows (model/tables/memory_events.h): they belong to threads and steps,
 * which a snapshot does not have. */
#ifndef TFP_ALLOCATOR_H
#define TFP_ALLOCATOR_H

#include "model/tables/types.h"

typedef enum tfp_allocator_action {
    TFP_ALLOCATOR_ALLOC,
    TFP_ALLOCATOR_FREE, /* the free is complete: the block can be allocated again */
    TFP_ALLOCATOR_GROW, /* took a segment from the device, or mapped more of one */
    TFP_ALLOCATOR_SHRINK,
    TFP_ALLOCATOR_OOM /* out of memory; bytes: the size asked for; address: the device's free memory */
} tfp_allocator_action;

#include "schema/files/allocator.def"

typedef struct tfp_allocator_tables {
    TFP_VEC(tfp_allocator_device) devices;
    TFP_VEC(tfp_allocator_entry) entries;
    TFP_VEC(tfp_allocator_block) blocks;
    TFP_VEC(tfp_allocator_segment) segments;
} tfp_allocator_tables;

TFP_CONST const tfp_allocator_tables *tfp_allocator_of(const tfp_profile *p);

#endif
