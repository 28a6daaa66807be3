// SPDX-License-Identifier: Apache-2.0
/* views/memory/allocations.h: what devices held when, and for whom: the events of a trace's allocator, or what the records of TensorFlow
 * tell, in one form for the table `memory`. */
#ifndef TFP_HELD_H
#define TFP_HELD_H

#include "model/tables/types.h"

#define TFP_OWNER_BEFORE (TFP_NONE - 1) /* held before the recording began */

typedef struct tfp_held_event {
    uint32_t device;      /* -> devices */
    uint32_t owner;       /* -> the profile's nodes; TFP_NONE: no op was around it */
    uint32_t span;        /* of a trace: the span around the allocation; TFP_NONE: none */
    int64_t at_ns, bytes; /* more, or less when below 0 */
    int64_t in_use;       /* all that the allocator had; 0: not told */
    uint32_t block;       /* of a trace: the same number where it is allocated and where it is freed; TFP_NONE: not known */
} tfp_held_event;

typedef struct tfp_held_device {
    tfp_str name;
    bool recorded;    /* allocations were; else what nodes kept is worked out */
    bool before_told; /* the allocator's sum tells what it held when the recording began */
    int64_t before;   /* bytes at that moment. If the allocator's sum does not tell: what was freed without having been allocated, which is at least held */
    int64_t freed;    /* the sum of such frees, while events are read */
    int64_t reserved; /* most that the allocator took from the device; 0: not told */
} tfp_held_device;

typedef struct tfp_holding {
    TFP_VEC(tfp_held_event) events; /* by device and time */
    tfp_held_device *devices;       /* in the report's arena */
    size_t device_count, block_count;
    int64_t from_ns, to_ns; /* the step asked for; to_ns 0: all of it */
    int64_t origin_ns;      /* when the first thing ran: times are told from there */
} tfp_holding;

tfp_status tfp_holding_new(tfp_report *r, tfp_holding *out, tfp_error *err);
tfp_status tfp_held_of_records(tfp_report *r, tfp_holding *out, tfp_error *err); /* of TensorFlow's files (memory.c) */
void tfp_holding_free(tfp_holding *h);

#endif
