// SPDX-License-Identifier: Apache-2.0
/* formats/samples/device_memory.h: blocks of device memory that a pprof file lists. */
#ifndef TFP_DEVICE_MEMORY_H
#define TFP_DEVICE_MEMORY_H

#include "model/builder.h"
#include "model/tables/stats.h"

/* A sample of a pprof file: its stack and labels, and what it counts. */
typedef struct tfp_pprof_held {
    uint32_t trace;
    const tfp_stat *labels;
    size_t label_count;
    int64_t count, bytes;
    size_t first_device; /* index of the file's first device */
} tfp_pprof_held;

/* Makes blocks of the sample if it is of JAX's buffers or executables. */
void tfp_pprof_blocks(tfp_builder *b, const tfp_pprof_held *h);

#endif
