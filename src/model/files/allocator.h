// SPDX-License-Identifier: Apache-2.0
/* model/files/allocator.h: a snapshot of PyTorch's caching allocator: what it recorded, and which blocks and segments it had at the end.
 * Allocations of traces (model/tables/memory_events.h) are rows of their own: they lie in threads and steps, which a snapshot does not know. */
#ifndef TFP_ALLOCATOR_H
#define TFP_ALLOCATOR_H

#include "model/tables/types.h"

typedef struct tfp_allocator_device {
    tfp_strid name;      /* "gpu:0" */
    uint32_t source;     /* -> the profile's sources: the file it came from */
    int64_t origin_us;   /* the earliest time of its file; -1: entries have no times */
    int64_t total_bytes; /* of its segments at the end */
} tfp_allocator_device;

typedef enum tfp_allocator_action {
    TFP_ALLOCATOR_ALLOC,
    TFP_ALLOCATOR_FREE,  /* completed: the block can be given out again */
    TFP_ALLOCATOR_GROW,  /* took a segment from the device, or mapped more of one */
    TFP_ALLOCATOR_SHRINK,
    TFP_ALLOCATOR_OOM    /* bytes: what was asked for; address: what the device had free */
} tfp_allocator_action;

/* In the order of the file: those of one device by time. */
struct tfp_allocator_entry {
    int64_t at_us; /* -1: not told */
    int64_t bytes; /* not negative */
    uint64_t address;
    uint32_t device; /* -> devices */
    uint32_t trace;  /* -> traces, TFP_NONE */
    uint8_t action;  /* tfp_allocator_action */
};

typedef struct tfp_allocator_block { /* held at the end */
    uint64_t address;
    int64_t bytes; /* that were asked for */
    uint32_t trace;
    uint32_t device;
} tfp_allocator_block;

typedef struct tfp_allocator_segment { /* all segments of one device, stream, pool and type */
    tfp_strid pool, type;
    int64_t stream, count;
    int64_t total_bytes, allocated_bytes, active_bytes, free_bytes, largest_free_bytes;
    uint32_t device;
} tfp_allocator_segment;

struct tfp_allocator_tables {
    TFP_VEC(tfp_allocator_device) devices;
    TFP_VEC(tfp_allocator_entry) entries;
    TFP_VEC(tfp_allocator_block) blocks;
    TFP_VEC(tfp_allocator_segment) segments;
};

#endif
