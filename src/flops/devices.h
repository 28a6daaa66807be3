// SPDX-License-Identifier: Apache-2.0
/* flops/devices.h: what accelerators can do at most, for a roofline of traces that name their device and not its peaks. */
#ifndef TFP_FLOPS_DEVICES_H
#define TFP_FLOPS_DEVICES_H

#include "base/base.h"

/* Types that devices have a peak for. */
typedef enum tfp_float_type {
    TFP_FLOAT_OTHER, /* doubles, integers, or a type that is not told */
    TFP_FLOAT_FP32,
    TFP_FLOAT_TF32, /* of products of fp32 by tensor cores */
    TFP_FLOAT_FP16,
    TFP_FLOAT_BF16,
    TFP_FLOAT_FP8,
    TFP_FLOAT_TYPES
} tfp_float_type;
extern const char *const tfp_float_names[TFP_FLOAT_TYPES];

typedef struct tfp_device_peaks {
    const char *words;            /* of the name, parted by blanks: all are in it */
    double least_gb;              /* of memory; 0: any */
    double tera[TFP_FLOAT_TYPES]; /* 10^12 float operations a second, without sparsity; 0: it has no such type */
    double bandwidth;             /* of its memory, 10^9 bytes a second */
} tfp_device_peaks;

/* By the name that drivers give ("NVIDIA A100-SXM4-80GB"); NULL: not known, as of a part of a card (MIG). */
const tfp_device_peaks *tfp_device_find(tfp_str name, int64_t memory_bytes);

#endif
