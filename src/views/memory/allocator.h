// SPDX-License-Identifier: Apache-2.0
/* views/memory/allocator.h: what a snapshot of PyTorch's allocator shows for each device: how much was held and reserved after
 * each entry, and by whom. */
#ifndef TFP_ALLOCATOR_VIEW_H
#define TFP_ALLOCATOR_VIEW_H

#include "model/tables/types.h"
#include "views/core/grid.h"

/* A point in the recording of a device: the number of entries before it, and how much was held. */
typedef struct tfp_heap_point {
    size_t done;
    int64_t held, reserved;
    int64_t at_us; /* relative to the file's earliest time, or TFP_ABSENT */
} tfp_heap_point;

typedef struct tfp_heap_device {
    tfp_str name;
    const uint32_t *entries; /* indexes in the allocator's entries, in order */
    size_t entry_count, first_block, block_count;
    tfp_heap_point before, peak, end,
        oom; /* oom: the last out-of-memory; done 0: none. peak: with -at the point at that time */
    uint32_t oom_entry;
} tfp_heap_device;

typedef struct tfp_heap {
    tfp_report *r;
    tfp_heap_device *devices;
    size_t device_count;
    uint32_t *blocks;       /* indexes in the allocator's blocks, sorted by device */
    tfp_str *line_of_trace; /* for each trace; made when needed */
} tfp_heap;

typedef struct tfp_heap_holder { /* an allocation that is held at some point */
    int64_t bytes;
    uint32_t trace;
    bool recorded; /* allocated during the recording; otherwise before it */
    bool unknown;  /* allocated before it and freed during it: its stack is unknown */
} tfp_heap_holder;
typedef TFP_VEC(tfp_heap_holder) tfp_heap_holders;

typedef struct tfp_heap_line { /* the holders on one device with the same line */
    tfp_str device, line;
    int64_t bytes, holders, at_us;
    double share;
} tfp_heap_line;
typedef TFP_VEC(tfp_heap_line) tfp_heap_lines;

tfp_status tfp_memory_of_allocator(tfp_report *r, tfp_error *err); /* the view */

tfp_status tfp_heap_new(tfp_report *r, tfp_heap *out, tfp_error *err);
const tfp_allocator_entry *tfp_heap_entry(const tfp_heap *p, const tfp_heap_device *d, size_t i);
int64_t tfp_heap_time(const tfp_heap *p,
                      const tfp_allocator_entry *e); /* relative to the file's earliest time, or TFP_ABSENT */
void tfp_heap_step(tfp_heap_point *at, const tfp_allocator_entry *e); /* updates what is held by one more entry */
/* Finds who holds memory after the first `done` entries. False: out of memory. */
bool tfp_heap_holders_at(const tfp_heap *p, const tfp_heap_device *d, size_t done, tfp_heap_holders *out);
tfp_str tfp_heap_line_of(tfp_heap *p, uint32_t trace); /* as tfp_own_line */
/* Adds a row for each line of the holders, biggest first. */
bool tfp_heap_add_lines(tfp_heap *p, const tfp_heap_device *d, const tfp_heap_point *at, const tfp_heap_holders *of,
                        tfp_heap_lines *rows);
const tfp_heap_device *tfp_heap_last_oom(const tfp_heap *p); /* the last device that ran out of memory; NULL: none */
tfp_status tfp_heap_facts(tfp_heap *p, tfp_error *err);      /* adds the facts above the tables */

#endif
