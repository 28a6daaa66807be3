// SPDX-License-Identifier: Apache-2.0
/* watch/record/gpus.c: the GPUs of processes, each second, by NVIDIA's management library. Of several GPUs of a
 * process the busiest one counts. Not run on a GPU: tested with a library of our own that has NVML's functions. */
#include "watch/record/record.h"

#include <math.h>

static bool find_gpu(const tfp_gpus *g, int64_t pid, watch_gpu *out)
{
    bool found = false;
    for (size_t i = 0; i < g->uses.size; i++) {
        uint32_t gpu = g->uses.at[i].gpu;
        if (g->uses.at[i].pid != pid || gpu >= g->busy.size) continue;
        double busy = g->busy.at[gpu] < 0 ? NAN : g->busy.at[gpu];
        if (found && !(busy > out->use)) continue;
        tfp_gpu_pace pace = tfp_gpus_pace(g, gpu);
        *out = (watch_gpu){ busy, pace.power_w, pace.clock_mhz, pace.slowed };
        found = true;
    }
    return found;
}

void watch_gpus_tick(watch_recorder *r)
{
    if (r->no_gpus || !r->list.size) return;
    tfp_gpus_read(&r->gpus);
    r->no_gpus = r->gpus.why != NULL; /* a machine does not get GPUs while it is watched */
    for (size_t i = 0; i < r->list.size && !r->no_gpus; i++) {
        watch_process *p = r->list.at[i];
        if (find_gpu(&r->gpus, p->rank.pid, &p->nvidia.gpu)) p->layers |= 1u << WATCH_NVML;
    }
}
