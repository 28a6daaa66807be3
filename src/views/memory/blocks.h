// SPDX-License-Identifier: Apache-2.0
/* views/memory/blocks.h: single allocations that a device held at a moment, and by what part of a step an allocation was made. */
#ifndef TFP_BLOCKS_H
#define TFP_BLOCKS_H

#include "views/core/grid.h"
#include "views/memory/allocations.h"

/* The moment of a device that is told: its peak, or the time of -at. */
typedef struct tfp_memory_peak {
    size_t first, after, at; /* -> events: of the device; the last one of the moment, SIZE_MAX without */
    int64_t bytes, end;
} tfp_memory_peak;

/* "forward", "backward", "optimizer", "variables" or "other": by whom an allocation was made. */
tfp_str tfp_memory_category(const tfp_profile *p, uint32_t owner);

/* A row for each allocation of a trace that was held then, the biggest first; TFP_NOTFOUND where only sums of nodes are known.
 * `peaks`: one for each device of `held`. */
tfp_status tfp_memory_blocks(tfp_report *r, tfp_grid *g, const tfp_holding *held, const tfp_memory_peak *peaks, tfp_error *err);

#endif
