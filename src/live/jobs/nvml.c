// SPDX-License-Identifier: Apache-2.0
/* live/jobs/nvml.c: NVML's functions looked up by name; their C types are those of nvml.h 12. */
#include "live/jobs/nvml.h"

#include <dlfcn.h>
#include <math.h>

typedef struct process_info { /* nvmlProcessInfo_t */
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance, compute_instance;
} process_info;

typedef struct utilization { /* nvmlUtilization_t, in percent */
    unsigned gpu, memory;
} utilization;

enum { PROCESSES_MOST = 1024, GPUS_MOST = 256, CLOCK_SM = 1 };
/* nvmlClocksThrottleReason…: software's limit of power, slowdown by hardware, by heat (software, hardware), by the
 * power brake */
#define SLOWED (0x04ULL | 0x08ULL | 0x20ULL | 0x40ULL | 0x80ULL)

/* ISO C has no cast from an object pointer to a function pointer. */
static bool look_up(void *library, const char *name, void *out)
{
    void *at = dlsym(library, name);
    memcpy(out, &at, sizeof at);
    return at != NULL;
}

#ifdef TFP_STATIC
#define WITHOUT "the static program cannot load NVML"
#else
#define WITHOUT "no NVML"
#endif

static bool load(tfp_gpus *g)
{
    int (*init)(void) = NULL;
    if (g->library) return true;
    g->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!g->library)
        g->why = WITHOUT;
    else if (!look_up(g->library, "nvmlInit_v2", &init) || init() != 0)
        g->why = "NVML does not start";
    else
        g->why = NULL;
    return !g->why;
}

static void read_processes(tfp_gpus *g, void *device, uint32_t gpu, int (*list)(void *, unsigned *, process_info *))
{
    unsigned count = PROCESSES_MOST;
    process_info *all = calloc(count, sizeof *all);
    if (all && list(device, &count, all) == 0)
        for (unsigned i = 0; i < count && i < PROCESSES_MOST; i++) {
            bool known = all[i].used_bytes < INT64_MAX; /* all bits set: the driver does not tell */
            tfp_gpu_use use = { all[i].pid, known ? (int64_t)all[i].used_bytes : -1, gpu };
            if (!tfp_push(&g->uses, use)) g->why = "out of memory";
        }
    free(all);
}

void tfp_gpus_read(tfp_gpus *g)
{
    int (*count_of)(unsigned *) = NULL, (*device_at)(unsigned, void **) = NULL;
    int (*list)(void *, unsigned *, process_info *) = NULL, (*rates)(void *, utilization *) = NULL;
    unsigned count = 0;
    g->uses.size = g->busy.size = 0;
    if (!load(g)) return;
    if (!look_up(g->library, "nvmlDeviceGetCount_v2", &count_of) ||
        !look_up(g->library, "nvmlDeviceGetHandleByIndex_v2", &device_at) ||
        !look_up(g->library, "nvmlDeviceGetComputeRunningProcesses_v3", &list) ||
        !look_up(g->library, "nvmlDeviceGetUtilizationRates", &rates)) {
        g->why = "NVML is too old";
        return;
    }
    g->why = count_of(&count) == 0 ? NULL : "NVML reports no devices";
    for (unsigned i = 0; i < count && i < GPUS_MOST; i++) {
        void *device = NULL;
        utilization use = { 0, 0 };
        double busy = -1;
        if (device_at(i, &device) == 0) {
            if (rates(device, &use) == 0) busy = use.gpu / 100.0;
            read_processes(g, device, i, list);
        }
        if (!tfp_push(&g->busy, busy)) g->why = "out of memory";
    }
}

tfp_gpu_pace tfp_gpus_pace(const tfp_gpus *g, uint32_t gpu)
{
    int (*device_at)(unsigned, void **) = NULL, (*power_of)(void *, unsigned *) = NULL;
    int (*clock_of)(void *, int, unsigned *) = NULL, (*reasons_of)(void *, unsigned long long *) = NULL;
    tfp_gpu_pace out = { NAN, NAN, false };
    void *device = NULL;
    unsigned milliwatts, mhz;
    unsigned long long reasons;
    if (!g->library || gpu >= g->busy.size || !look_up(g->library, "nvmlDeviceGetHandleByIndex_v2", &device_at) ||
        device_at(gpu, &device) != 0)
        return out;
    if (look_up(g->library, "nvmlDeviceGetPowerUsage", &power_of) && power_of(device, &milliwatts) == 0)
        out.power_w = milliwatts / 1e3;
    if (look_up(g->library, "nvmlDeviceGetClockInfo", &clock_of) && clock_of(device, CLOCK_SM, &mhz) == 0)
        out.clock_mhz = mhz;
    if (look_up(g->library, "nvmlDeviceGetCurrentClocksThrottleReasons", &reasons_of) &&
        reasons_of(device, &reasons) == 0)
        out.slowed = (reasons & SLOWED) != 0;
    return out;
}

void tfp_gpus_free(tfp_gpus *g)
{
    tfp_vec_free(&g->uses);
    tfp_vec_free(&g->busy);
    if (g->library) dlclose(g->library);
    g->library = NULL;
}
