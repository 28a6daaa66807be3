// SPDX-License-Identifier: Apache-2.0
/* flops/core/devices.h: peak rates of accelerators, for a roofline of traces that name their device but not its
 * peaks. */
#ifndef TFP_FLOPS_DEVICES_H
#define TFP_FLOPS_DEVICES_H

#include "base/base.h"

/* Types for which devices have a peak. */
typedef enum tfp_float_type {
    TFP_FLOAT_OTHER, /* doubles, integers, or an unknown type */
    TFP_FLOAT_FP32,
    TFP_FLOAT_TF32, /* fp32 products by tensor cores */
    TFP_FLOAT_FP16,
    TFP_FLOAT_BF16,
    TFP_FLOAT_FP8,
    TFP_FLOAT_TYPES
} tfp_float_type;
extern const char *const tfp_float_names[TFP_FLOAT_TYPES];

typedef struct tfp_device_peaks {
    const char *words;            /* separated by blanks; the device's name contains all of them */
    double least_gb;              /* least memory in GB; 0: any */
    double tera[TFP_FLOAT_TYPES]; /* 10^12 float operations a second, without sparsity; 0: no peak for that type */
    double bandwidth;             /* of its memory, 10^9 bytes a second */
} tfp_device_peaks;

/* Finds a device by the name that drivers give ("NVIDIA A100-SXM4-80GB"); NULL when unknown, as for a part of a
 * card. */
const tfp_device_peaks *tfp_device_find(tfp_str name, int64_t memory_bytes);

/* A trace's facts about a device: the name, or only the vendor ("AMD"), and numbers, which are 0 if unknown. */
typedef struct tfp_device_marks {
    tfp_str name;
    int64_t cores, memory_bytes, clock_khz;
} tfp_device_marks;
/* Finds a device by its name, or else by the vendor and the numbers; NULL when unknown. */
const tfp_device_peaks *tfp_device_of_marks(const tfp_device_marks *m);
/* The name, or that of a device found by its numbers. */
tfp_str tfp_device_label(const tfp_device_marks *m);

#endif
