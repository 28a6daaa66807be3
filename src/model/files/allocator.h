// SPDX-License-Identifier: Apache-2.0
/* model/files/allocator.h: a snapshot of PyTorch's caching allocator: its recorded entries, and the blocks and segments
 * at the end. Allocations in traces are separate rows (model/tables/memory_events.h): they belong to threads and steps,
 * which a snapshot does not have. */
#ifndef TFP_ALLOCATOR_H
#define TFP_ALLOCATOR_H

#include "model/tables/types.h"

typedef struct tfp_allocator_device {
    tfp_strid name;      /* such as "gpu:0" */
    uint32_t source;     /* index in the profile's sources: the file that it came from */
    int64_t origin_us;   /* the earliest time of its file; -1: entries have no times */
    int64_t total_bytes; /* bytes of its segments at the end */
} tfp_allocator_device;

typedef enum tfp_allocator_action {
    TFP_ALLOCATOR_ALLOC,
    TFP_ALLOCATOR_FREE, /* the free is complete: the block can be allocated again */
    TFP_ALLOCATOR_GROW, /* took a segment from the device, or mapped more of one */
    TFP_ALLOCATOR_SHRINK,
    TFP_ALLOCATOR_OOM /* out of memory; bytes: the size asked for; address: the device's free memory */
} tfp_allocator_action;

/* In the order of the file; those of one device in order of time. */
struct tfp_allocator_entry {
    int64_t at_us; /* -1: unknown */
    int64_t bytes; /* not negative */
    uint64_t address;
    uint32_t device; /* index in devices */
    uint32_t trace;  /* index in traces, or TFP_NONE */
    uint8_t action;  /* of tfp_allocator_action */
};

typedef struct tfp_allocator_block { /* a block that was allocated at the end */
    uint64_t address;
    int64_t bytes; /* bytes that were asked for */
    uint32_t trace;
    uint32_t device;
} tfp_allocator_block;

typedef struct tfp_allocator_segment { /* the sum of all segments with the same device, stream, pool and type */
    tfp_strid pool, type;
    int64_t stream, count;
    int64_t total_bytes, allocated_bytes, active_bytes, free_bytes, largest_free_bytes;
    uint32_t device;
} tfp_allocator_segment;

typedef struct tfp_allocator_tables {
    TFP_VEC(tfp_allocator_device) devices;
    TFP_VEC(tfp_allocator_entry) entries;
    TFP_VEC(tfp_allocator_block) blocks;
    TFP_VEC(tfp_allocator_segment) segments;
} tfp_allocator_tables;

TFP_CONST const tfp_allocator_tables *tfp_allocator_of(const tfp_profile *p);

#endif
