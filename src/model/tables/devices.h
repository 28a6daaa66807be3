// SPDX-License-Identifier: Apache-2.0
/* model/tables/devices.h: limits of devices, counters, and findings about a trace's data. */
#ifndef TFP_TABLES_DEVICES_H
#define TFP_TABLES_DEVICES_H

#include "model/tables/types.h"

/* Limits of a device for the roofline; 0: unknown. */
struct tfp_device_info {
    tfp_strid device, name; /* "gpu:0", "NVIDIA A100-SXM4-80GB" */
    uint32_t process;
    double peak_flops, peak_bandwidth; /* per second */
    int64_t memory_bytes, sm_count, clock_khz;
};

struct tfp_counter_sample {
    int64_t at_ns;
    double value;
    tfp_strid name, series;
    uint32_t process;
};

/* A finding of the reader or the join about the data (docs/traces.md, `check`). */
struct tfp_data_finding {
    const char *severity, *what; /* string literals */
    int64_t count;
    tfp_strid first; /* an example */
};

#endif
