// SPDX-License-Identifier: Apache-2.0
/* tests/watch/nvml.c: stands in for NVIDIA's management library: one GPU at half load that the process
 * FAKE_GPU_PID uses, hot, at 1,410 MHz. */
#include <stdlib.h>
#include <string.h>

typedef struct process_info {
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance, compute_instance;
} process_info;
typedef struct utilization {
    unsigned gpu, memory;
} utilization;

int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = 1;
    return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned at, void **device)
{
    *device = (void *)&nvmlInit_v2;
    return at ? 2 : 0; /* NVML_ERROR_INVALID_ARGUMENT */
}
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, process_info *out)
{
    const char *pid = getenv("FAKE_GPU_PID");
    (void)device;
    *count = pid ? 1 : 0;
    if (pid) *out = (process_info){ (unsigned)atoi(pid), 1 << 20, 0, 0 };
    return 0;
}
int nvmlDeviceGetUtilizationRates(void *device, utilization *out)
{
    (void)device;
    *out = (utilization){ 50, 10 };
    return 0;
}
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    (void)device;
    *milliwatts = 251500;
    return 0;
}
int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *mhz)
{
    (void)device;
    *mhz = kind == 1 ? 1410 : 0; /* NVML_CLOCK_SM */
    return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
    (void)device;
    *reasons = 0x20; /* nvmlClocksThrottleReasonSwThermalSlowdown */
    return 0;
}
