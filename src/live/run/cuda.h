// SPDX-License-Identifier: Apache-2.0
/* live/run/cuda.h: the file format between the library that CUDA loads into a process (cuda_inject.c) and its reader (cuda.c). A file is
 * a head and records; each record has a multiple of 8 bytes, begins with its kind and size, and is in the machine's byte order. Times
 * are of CUPTI's clock, in ns. Both sides include this file, which needs no other of ours. */
#ifndef TFP_LIVE_CUDA_H
#define TFP_LIVE_CUDA_H

#include <stdint.h>

#define TFP_CUDA_MAGIC "tfpcuda" /* with its NUL */
#define TFP_CUDA_VERSION 1

/* Variables of the job's environment. */
#define TFP_CUDA_FOLDER "TFPROF_CUDA"              /* folder of the files N.cuda and N.why */
#define TFP_CUDA_MOST "TFPROF_CUDA_MAX_BYTES"      /* limit of one file */
#define TFP_CUDA_BOUNDS "TFPROF_CUDA_BOUNDS"       /* "MS EVERY_MS RATE": windows, activities a second */
#define TFP_CUDA_INJECTION "CUDA_INJECTION64_PATH" /* CUDA's own variable: the library that cuInit loads */

typedef struct tfp_cuda_head {
    char magic[8];
    uint32_t version, cupti_version, pid;
    int32_t rank;               /* -1: none */
    uint64_t cupti_ns, unix_ns; /* the same moment, read from both clocks */
    uint64_t start_ticks;       /* start of the process, as in /proc */
    char job[48];               /* PID@TICKS, ended by NUL */
} tfp_cuda_head;

enum {
    TFP_CUDA_NAME = 1, /* tfp_cuda_name and the text, padded with NUL */
    TFP_CUDA_KERNEL,
    TFP_CUDA_COPY,
    TFP_CUDA_SET,
    TFP_CUDA_RUNTIME,
    TFP_CUDA_DRIVER,
    TFP_CUDA_LOST /* tfp_cuda_lost */
};

typedef struct tfp_cuda_name {
    uint32_t kind, size, id, length; /* ids count from 1 */
} tfp_cuda_name;

typedef struct tfp_cuda_kernel {
    uint32_t kind, size;
    uint64_t start, end, graph_node;
    uint32_t device, context, stream, correlation, name;
    uint32_t grid[3], block[3];
    uint32_t registers, static_bytes, dynamic_bytes;
} tfp_cuda_kernel;

typedef struct tfp_cuda_copy { /* also for a memset, which has no from and to */
    uint32_t kind, size;
    uint64_t start, end, bytes;
    uint32_t device, context, stream, correlation;
    uint32_t direction, from, to, reserved; /* CUpti_ActivityMemcpyKind, CUpti_ActivityMemoryKind */
} tfp_cuda_copy;

typedef struct tfp_cuda_call {
    uint32_t kind, size;
    uint64_t start, end;
    uint32_t pid, tid, correlation, name;
} tfp_cuda_call;

typedef struct tfp_cuda_lost { /* CUPTI had no room for this many records */
    uint32_t kind, size;
    uint64_t count;
} tfp_cuda_lost;

#endif
