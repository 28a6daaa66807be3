// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/nsys_keys.c: devices and calls of an Nsight Systems report by the numbers that they have in the process. */
#include "formats/sqlite/nsys.h"

int64_t tfp_nsys_device(const tfp_nsys *n, int64_t global, int64_t device)
{
    uint32_t gpu = tfp_map64_get(&n->gpu_by_device, TFP_NSYS_PID(global) << 32 | (uint32_t)device);
    return gpu != TFP_NONE ? gpu : device;
}

/* Keys below 2^31 need no table. Of these the first process has 2^30, the second 3 * 2^28, and others 2^25 each: many
 * hours of calls, hours, and minutes. */
static uint64_t small_key(size_t process, uint64_t correlation)
{
    const uint64_t second = UINT64_C(1) << 30, others = second + (UINT64_C(3) << 28), each = UINT64_C(1) << 25;
    uint64_t first = process == 0 ? 0 : process == 1 ? second : others + (process - 2) * each;
    uint64_t size = process == 0 ? second : process == 1 ? others - second : each;
    return correlation < size ? first + correlation : 0;
}

uint32_t tfp_nsys_key(tfp_nsys *n, int64_t global, int64_t correlation)
{
    uint64_t pid = TFP_NSYS_PID(global), key = 0;
    size_t process = 0;
    if (correlation <= 0) return 0;
    while (process < n->pid_count && n->pids[process] != pid) process++;
    if (process == n->pid_count && process < TFP_NSYS_PIDS) n->pids[n->pid_count++] = pid;
    if (process < TFP_NSYS_PIDS) key = small_key(process, (uint64_t)correlation);
    return tfp_build_key(n->r->b, n->r->process, 0, key ? key : (pid + 1) << 40 | (uint64_t)correlation);
}
