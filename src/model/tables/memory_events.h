// SPDX-License-Identifier: Apache-2.0
/* model/tables/memory_events.h: allocations of a trace on devices. */
#ifndef TFP_TABLES_MEMORY_EVENTS_H
#define TFP_TABLES_MEMORY_EVENTS_H

#include "model/tables/types.h"

/* An allocation (bytes above 0) or a free on a device, while a thread ran. */
struct tfp_memory_event {
    int64_t at_ns, bytes;
    int64_t allocated_bytes, reserved_bytes; /* of the device after it; -1: not told */
    uint64_t address;
    uint32_t lane;    /* the thread */
    tfp_strid device; /* "cpu", "gpu:0" */
    uint32_t span;    /* the innermost host op around it, TFP_NONE: none; set by the join */
    bool asked_by_op; /* it happened in an API call: the op around the call holds it, where there is one; read by the join */
};

#endif
