// SPDX-License-Identifier: Apache-2.0
/* live/run/cuda_bounds.h: when cuda_inject.c records: in windows, up to a number of activities a second, and never beside a collector of
 * PyTorch's own. */
#ifndef TFP_LIVE_CUDA_BOUNDS_H
#define TFP_LIVE_CUDA_BOUNDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The kinds of activities that are recorded. */
enum { KIND_MEMCPY = 1, KIND_MEMSET = 2, KIND_DRIVER = 4, KIND_RUNTIME = 5, KIND_KERNEL = 10, TFP_CUDA_KINDS = 5 };
extern const uint32_t tfp_cuda_kinds[TFP_CUDA_KINDS];
extern const char tfp_cuda_left[]; /* the reason why nothing is recorded beside another collector */

typedef struct tfp_cuda_bounds {
    uint64_t window_ms, every_ms; /* every_ms 0: the whole time */
    uint64_t rate;                /* most activities a second; 0: no limit */
    atomic_uint_fast64_t counted; /* activities so far */
    atomic_uint_fast64_t limited; /* seconds in which the limit was reached */
    atomic_bool left;             /* CUPTI was left to another collector */
} tfp_cuda_bounds;

/* Reads TFP_CUDA_BOUNDS: "MS EVERY_MS RATE". */
void tfp_cuda_bounds_read(tfp_cuda_bounds *b, const char *text);
/* Whether PyTorch's own collector (torch.profiler._cuspy) has loaded its binding of CUPTI in this process. */
bool tfp_cuda_other_collector(void);
/* Starts the thread that keeps the bounds, if there are any. Recording is on. */
void tfp_cuda_bounds_start(tfp_cuda_bounds *b);
/* Afterwards recording is not changed any more. */
void tfp_cuda_bounds_end(void);

#endif
