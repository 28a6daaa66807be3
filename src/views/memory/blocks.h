// SPDX-License-Identifier: Apache-2.0
/* views/memory/blocks.h: single allocations that a device held at some time, and the part of a step in which an allocation was
 * made. */
#ifndef TFP_BLOCKS_H
#define TFP_BLOCKS_H

#include "views/core/grid.h"
#include "views/memory/allocations.h"

/* The time that is shown for a device: its peak, or the time of -at. */
typedef struct tfp_memory_peak {
    size_t first, after,
        at; /* indexes in events: first and after: range of the device; at: the last one at that time, SIZE_MAX: none */
    int64_t bytes, end;
} tfp_memory_peak;

/* The part of a step that made an allocation: "forward", "backward", "optimizer", "variables" or "other". */
tfp_str tfp_memory_category(const tfp_profile *p, uint32_t owner);

/* Adds a row for each of a trace's allocations held at that time, biggest first; TFP_NOTFOUND if only sums of nodes are known.
 * `peaks`: one for each device of `held`. */
tfp_status tfp_memory_blocks(tfp_report *r, tfp_grid *g, const tfp_holding *held, const tfp_memory_peak *peaks,
                             tfp_error *err);

#endif
