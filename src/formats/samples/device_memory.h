// SPDX-License-Identifier: Apache-2.0
/* formats/samples/device_memory.h: blocks of device memory that a pprof file lists. */
#ifndef TFP_DEVICE_MEMORY_H
#define TFP_DEVICE_MEMORY_H

#include "model/builder.h"

/* Makes blocks of the samples from number `first_sample` on that are buffers or executables of JAX. */
void tfp_pprof_blocks(tfp_builder *b, size_t first_sample);

#endif
