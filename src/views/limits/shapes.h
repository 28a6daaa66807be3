// SPDX-License-Identifier: Apache-2.0
/* views/limits/shapes.h: rows of the table of shapes. */
#ifndef TFP_VIEWS_LIMITS_SHAPES_H
#define TFP_VIEWS_LIMITS_SHAPES_H

#include "views/limits/limits.h"

typedef struct tfp_limit_shape_row {
    int64_t rank;
    tfp_str class, op, shape, type, transposed, bound, kernels;
    int64_t calls, device_ns, float_ops, bytes_moved;
    struct {
        int64_t min, max;
    } ns; /* of a call */
    double share, mean_us, ideal_us, loss_us, efficiency;
    struct {
        double mean, min, max, of_peak;
    } tflops;
    double latency_us; /* of calls with less work than the shortest kernel could do */
    double bound_us[TFP_BOUNDS];
    tfp_strid names[3]; /* of kernels; 0: none */
    double order_us;    /* the loss; on an unknown device the time */
    uint8_t float_type;
    uint32_t unit;
} tfp_limit_shape_row;

/* Rows in the report's arena, biggest loss first. False: out of memory. */
bool tfp_limit_shape_rows(const tfp_limits *l, tfp_limit_shape_row **rows, size_t *count);

#endif
