// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/nsys.h: what the two files of Nsight Systems' reader share: names by id, lanes of threads and devices, numbers of calls. */
#ifndef TFP_FORMATS_NSYS_H
#define TFP_FORMATS_NSYS_H

#include "formats/sqlite/recording.h"

/* Threads and processes are numbers of their own kind, which hold both: pid in bits 24 to 47, tid below. */
#define TFP_NSYS_PID(global) ((uint64_t)(global) >> 24 & 0xffffff)
#define TFP_NSYS_TID(global) ((uint64_t)(global)&0xffffff)

typedef struct tfp_nsys {
    tfp_recording *r;
    tfp_map64 text_by_id, gpu_by_device, copy_kinds, memory_kinds;
    tfp_map64 lane_by_launch; /* of API calls, only with allocations */
    bool allocations;
} tfp_nsys;

/* A device's number is the process's own: under CUDA_VISIBLE_DEVICES each begins with 0. This is the machine's. */
int64_t tfp_nsys_device(const tfp_nsys *n, int64_t global, int64_t device);
/* The key of a call: numbers of correlation repeat in other processes. */
uint32_t tfp_nsys_key(tfp_nsys *n, int64_t global, int64_t correlation);

/* Synchronisations, CUDA events, overhead and calls of the operating system: spans of the timeline that count nowhere. */
tfp_status tfp_nsys_shown(tfp_nsys *n, tfp_error *err);

#endif
