// SPDX-License-Identifier: Apache-2.0
/* views/memory/devices.h: the devices that nodes ran on, and what their allocators said to hold over time. The memory tables and
 * the timeline share it. */
#ifndef TFP_DEVICES_H
#define TFP_DEVICES_H

#include "model/tables/types.h"

typedef struct tfp_memory_point {
    int64_t at_ns, bytes;
} tfp_memory_point;
typedef TFP_VEC(tfp_memory_point) tfp_memory_points;

typedef struct tfp_used_device {
    tfp_strid name;
    unsigned on;             /* TFP_NODE_ON_... */
    TFP_VEC(uint32_t) nodes; /* nodes that ran on it, in the order in which they were added */
} tfp_used_device;

typedef struct tfp_used_devices {
    TFP_VEC(tfp_used_device) at;
    tfp_map64 by_name; /* strid -> at */
} tfp_used_devices;

bool tfp_used_devices_add(tfp_used_devices *d, const tfp_profile *p, uint32_t node); /* false without memory */
bool tfp_used_devices_sort(tfp_used_devices *d, const tfp_profile *p);               /* by name, when all are there */
void tfp_used_devices_free(tfp_used_devices *d);

/* What the device's allocator had in use at the runs of its nodes in that step: by time, one point a time; of equal times
 * the last one counts. with_zeros: also the runs at which it told nothing. */
bool tfp_device_memory(const tfp_used_device *d, const tfp_profile *p, uint32_t step, bool with_zeros,
                       tfp_memory_points *out);

#endif
