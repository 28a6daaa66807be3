// SPDX-License-Identifier: Apache-2.0
/* views/memory/allocations.h: what devices held over time, and for which owner: the events of a trace's allocator, or TensorFlow's
 * records, in one form for the table `memory`. */
#ifndef TFP_HELD_H
#define TFP_HELD_H

#include "model/tables/types.h"

#define TFP_OWNER_BEFORE (TFP_NONE - 1) /* owner of what was held before the recording began */

typedef struct tfp_held_event {
    uint32_t device;      /* index in devices */
    uint32_t owner;       /* index in the profile's nodes; TFP_NONE: it was outside all ops */
    uint32_t span;        /* for a trace: the span around the allocation; TFP_NONE: none */
    int64_t at_ns, bytes; /* bytes added; below 0: freed */
    int64_t in_use;       /* the allocator's total afterwards; 0: unknown */
    uint32_t block;       /* for a trace: equal for an allocation and its free; TFP_NONE: unknown */
} tfp_held_event;

typedef struct tfp_held_device {
    tfp_str name;
    bool recorded;      /* allocations were recorded; otherwise the memory that nodes kept is computed */
    bool before_stated; /* the allocator's sum shows what it held when the recording began */
    /* bytes held at that time. If the allocator's sum does not show it: the sum of frees without an allocation, which is the least that was
     * held */
    int64_t before;
    int64_t freed;    /* the sum of such frees, while events are read */
    int64_t reserved; /* most memory that the allocator reserved on the device; 0: unknown */
} tfp_held_device;

typedef struct tfp_holding {
    TFP_VEC(tfp_held_event) events; /* sorted by device and time */
    tfp_held_device *devices;       /* in the report's arena */
    size_t device_count, block_count;
    int64_t from_ns, to_ns; /* the selected step; to_ns 0: the whole trace */
    int64_t origin_ns;      /* when the first thing ran: shown times are relative to this */
} tfp_holding;

tfp_status tfp_holding_new(tfp_report *r, tfp_holding *out, tfp_error *err);
tfp_status tfp_held_of_records(tfp_report *r, tfp_holding *out, tfp_error *err); /* for TensorFlow's files (memory.c) */
void tfp_holding_free(tfp_holding *h);

#endif
