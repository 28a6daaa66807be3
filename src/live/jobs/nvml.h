// SPDX-License-Identifier: Apache-2.0
/* live/jobs/nvml.h: which GPUs a process uses, from NVIDIA's management library, which is loaded on first use. */
#ifndef TFP_LIVE_NVML_H
#define TFP_LIVE_NVML_H

#include "base/base.h"

typedef struct tfp_gpu_use {
    int64_t pid, memory_bytes; /* memory: -1 when the driver does not tell */
    uint32_t gpu;
} tfp_gpu_use;

/* What a GPU does now. */
typedef struct tfp_gpu_pace {
    double power_w, clock_mhz; /* NAN: the driver does not tell */
    bool slowed;               /* heat, or a limit of its power, keeps its clocks down */
} tfp_gpu_pace;

typedef struct tfp_gpus {
    void *library;
    const char *why;           /* why nothing is known; NULL: all is well */
    TFP_VEC(tfp_gpu_use) uses; /* by GPU */
    TFP_VEC(double) busy;      /* by GPU: share of the last sample period in which a kernel ran; -1: unknown */
} tfp_gpus;

void tfp_gpus_read(tfp_gpus *g);
tfp_gpu_pace tfp_gpus_pace(const tfp_gpus *g, uint32_t gpu); /* after tfp_gpus_read */
void tfp_gpus_free(tfp_gpus *g);

#endif
