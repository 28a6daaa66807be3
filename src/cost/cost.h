// SPDX-License-Identifier: Apache-2.0
/* cost/cost.h: formulas of operations, once for all frameworks. Rules (flops/rules, flops/aten, formats/hlo) say by name which
 * operation is which, and read sizes from their own shapes. Counts are not negative, or TFP_UNKNOWN; what follows from an unknown
 * count, or overflows, is unknown. */
#ifndef TFP_COST_H
#define TFP_COST_H

#include "base/base.h"

#define TFP_UNKNOWN ((int64_t)-1)
int64_t tfp_times(int64_t a, int64_t b);
int64_t tfp_plus(int64_t a, int64_t b);
int64_t tfp_minus(int64_t a, int64_t b); /* unknown too if the result is below 0 */
int64_t tfp_over(int64_t a, int64_t b);  /* truncated; unknown when b is 0 */
int64_t tfp_log2_up(int64_t n);          /* steps of a binary search among n */

/* Positions of a window along one dimension; padding: at both ends together. A window that does not fit has none. */
typedef struct tfp_window_axis {
    int64_t size, window, stride, dilation, padding;
} tfp_window_axis;
int64_t tfp_window_positions(const tfp_window_axis *a);
/* Multiply-adds of a convolution: each weight at each position of each image. */
int64_t tfp_convolution_macs(int64_t weights, int64_t images, int64_t positions);
/* Multiply-adds of attention: two products forward (queries with keys, scores with values); five backward, where the first is
 * computed again. pairs: of a query and a key, over all heads. */
int64_t tfp_attention_macs(int64_t pairs, int64_t key_width, int64_t value_width, bool backward);
int64_t tfp_sort_flops(int64_t n); /* comparisons: n * ceil(log2(n)) */
/* A decomposition of square matrices of n rows, of `elements` together, that takes thirds/3 * n cubed each: Cholesky 1, LU 2, QR 4. */
int64_t tfp_decomposition_flops(int64_t elements, int64_t n, int64_t thirds);

#endif
