// SPDX-License-Identifier: Apache-2.0
/* model/tables/memory_events.h: allocations of a trace on devices. */
#ifndef TFP_TABLES_MEMORY_EVENTS_H
#define TFP_TABLES_MEMORY_EVENTS_H

#include "model/tables/types.h"

/* An allocation (bytes above 0) or a free on a device, while a thread ran. */
struct tfp_memory_event {
    int64_t at_ns, bytes;
    int64_t allocated_bytes, reserved_bytes; /* the device's totals after it; -1: unknown */
    uint64_t address;
    uint32_t lane;    /* lane of the thread */
    tfp_strid device; /* "cpu", "gpu:0" */
    uint32_t span;    /* the innermost host op at that time, set by the join; TFP_NONE: none */
    bool asked_by_op; /* for the join: it happened in an API call, so it belongs to the op around the call, if any */
};

#endif
