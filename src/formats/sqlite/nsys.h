// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/nsys.h: what the files of Nsight Systems' reader share: names by id, lanes of threads and devices,
 * numbers of calls. */
#ifndef TFP_FORMATS_NSYS_H
#define TFP_FORMATS_NSYS_H

#include "formats/sqlite/recording.h"

/* A globalTid contains the pid in bits 24 to 47 and the tid below it; a globalPid has the tid 0. */
#define TFP_NSYS_PID(global) ((uint64_t)(global) >> 24 & 0xffffff)
#define TFP_NSYS_TID(global) ((uint64_t)(global)&0xffffff)

#define TFP_NSYS_PIDS 9 /* processes whose calls have small keys */

typedef struct tfp_nsys {
    tfp_recording *r;
    tfp_map64 text_by_id, gpu_by_device, copy_kinds, memory_kinds, wait_types, overhead_types;
    tfp_map64 lane_by_launch; /* the lane of each API call; filled only if there are allocations */
    bool allocations;
    bool sampled;                 /* a stack was read */
    bool activities;              /* a kernel, copy or memset was read */
    int64_t nameless;             /* calls and kernels */
    uint64_t pids[TFP_NSYS_PIDS]; /* those of calls, in the order of the file; each has a range of keys */
    size_t pid_count;
} tfp_nsys;

/* Converts a process's device number to the machine's: with CUDA_VISIBLE_DEVICES each process counts from 0. */
int64_t tfp_nsys_device(const tfp_nsys *n, int64_t global, int64_t device);
/* The key of a call: correlation numbers are unique only within a process. */
uint32_t tfp_nsys_key(tfp_nsys *n, int64_t global, int64_t correlation);

/* Reads synchronisations, CUDA events, overhead and calls of the operating system, as spans that only the timeline
 * shows. */
tfp_status tfp_nsys_shown(tfp_nsys *n, tfp_error *err);
/* Reads the stacks that were sampled on CPUs: `code` and `lines` show them. */
tfp_status tfp_nsys_samples(tfp_nsys *n, tfp_error *err);

#endif
