// SPDX-License-Identifier: Apache-2.0
/* views/memory/allocator.h: what a snapshot of PyTorch's allocator tells of each device: how much was held and reserved after each
 * entry, and who held it. */
#ifndef TFP_ALLOCATOR_VIEW_H
#define TFP_ALLOCATOR_VIEW_H

#include "model/tables/types.h"
#include "views/core/grid.h"

/* A moment in the recording of a device: how many of its entries came before it, and how much was held then. */
typedef struct tfp_heap_point {
    size_t done;
    int64_t held, reserved;
    int64_t at_us; /* since the file's earliest time; TFP_ABSENT */
} tfp_heap_point;

typedef struct tfp_heap_device {
    tfp_str name;
    const uint32_t *entries; /* -> the allocator's entries, in order */
    size_t entry_count, first_block, block_count;
    tfp_heap_point before, peak, end, oom; /* oom: the last one; done 0: none. peak: with -at what was held then */
    uint32_t oom_entry;
} tfp_heap_device;

typedef struct tfp_heap {
    tfp_report *r;
    tfp_heap_device *devices;
    size_t device_count;
    uint32_t *blocks;      /* -> the allocator's blocks, by device */
    tfp_str *line_of_trace; /* by trace, made when asked for */
} tfp_heap;

typedef struct tfp_heap_holder { /* an allocation that is held at some point */
    int64_t bytes;
    uint32_t trace;
    bool recorded; /* allocated in the recording; else before it */
    bool unknown;  /* before it, and freed in it: no stack is known */
} tfp_heap_holder;
typedef TFP_VEC(tfp_heap_holder) tfp_heap_holders;

typedef struct tfp_heap_line { /* the holders of one device with one line */
    tfp_str device, line;
    int64_t bytes, holders, at_us;
    double share;
} tfp_heap_line;
typedef TFP_VEC(tfp_heap_line) tfp_heap_lines;

tfp_status tfp_memory_of_allocator(tfp_report *r, tfp_error *err); /* the view */

tfp_status tfp_heap_new(tfp_report *r, tfp_heap *out, tfp_error *err);
tfp_str tfp_heap_text(tfp_report *r, tfp_buf *b); /* a copy in the report's arena; frees the buffer */
const tfp_allocator_entry *tfp_heap_entry(const tfp_heap *p, const tfp_heap_device *d, size_t i);
int64_t tfp_heap_time(const tfp_heap *p, const tfp_allocator_entry *e); /* since the file's earliest; TFP_ABSENT */
void tfp_heap_step(tfp_heap_point *at, const tfp_allocator_entry *e);   /* what is held after one more entry */
/* Who holds memory after the first `done` entries. False without memory. */
bool tfp_heap_holders_at(const tfp_heap *p, const tfp_heap_device *d, size_t done, tfp_heap_holders *out);
tfp_str tfp_heap_line_of(tfp_heap *p, uint32_t trace); /* "FILE:LINE", "(no line)"; no data without memory */
/* Adds a row for each line of the holders, the biggest first. */
bool tfp_heap_add_lines(tfp_heap *p, const tfp_heap_device *d, const tfp_heap_point *at, const tfp_heap_holders *of,
                        tfp_heap_lines *rows);
const tfp_heap_device *tfp_heap_last_oom(const tfp_heap *p); /* the last device that ran out of memory; NULL: none did */
tfp_status tfp_heap_facts(tfp_heap *p, tfp_error *err); /* sentences above the tables */

#endif
