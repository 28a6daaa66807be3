// SPDX-License-Identifier: Apache-2.0
/* views/memory/devices.h: the devices on which nodes ran, and the memory that their allocators reported over time. Shared by the
 * memory tables and the timeline. */
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
    TFP_VEC(uint32_t) nodes; /* nodes that ran on it, in the order of their addition */
} tfp_used_device;

typedef struct tfp_used_devices {
    TFP_VEC(tfp_used_device) at;
    tfp_map64 by_name; /* name -> index in at */
} tfp_used_devices;

bool tfp_used_devices_add(tfp_used_devices *d, const tfp_profile *p, uint32_t node); /* false: out of memory */
/* sorts by name, after all were added */
bool tfp_used_devices_sort(tfp_used_devices *d, const tfp_profile *p);
void tfp_used_devices_free(tfp_used_devices *d);

/* The memory in use that the device's allocator reported at its nodes' runs in that step, by time; of several values at
 * one time the last counts. with_zeros: also runs at which it reported nothing. */
bool tfp_device_memory(const tfp_used_device *d, const tfp_profile *p, uint32_t step, bool with_zeros,
                       tfp_memory_points *out);

#endif
