// SPDX-License-Identifier: Apache-2.0
/* cost/cost.c: the formulas. */
#include "cost/cost.h"

int64_t tfp_times(int64_t a, int64_t b)
{
    int64_t r;
    return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &r) ? TFP_UNKNOWN : r;
}

int64_t tfp_plus(int64_t a, int64_t b)
{
    int64_t r;
    return a < 0 || b < 0 || __builtin_add_overflow(a, b, &r) ? TFP_UNKNOWN : r;
}

int64_t tfp_minus(int64_t a, int64_t b) { return a < 0 || b < 0 || b > a ? TFP_UNKNOWN : a - b; }

int64_t tfp_over(int64_t a, int64_t b) { return a < 0 || b <= 0 ? TFP_UNKNOWN : a / b; }

int64_t tfp_log2_up(int64_t n)
{
    int64_t bits = 0;
    while (bits < 62 && (INT64_C(1) << bits) < n) bits++;
    return bits;
}

int64_t tfp_window_positions(const tfp_window_axis *a)
{
    int64_t reach = tfp_times(a->dilation, a->window - 1), padded = tfp_plus(a->size, a->padding);
    if (reach < 0 || padded < 0 || a->stride < 1) return TFP_UNKNOWN;
    return padded <= reach ? 0 : (padded - reach - 1) / a->stride + 1;
}

int64_t tfp_convolution_macs(int64_t weights, int64_t images, int64_t positions)
{
    return tfp_times(tfp_times(weights, images), positions);
}

int64_t tfp_attention_macs(int64_t pairs, int64_t key_width, int64_t value_width, bool backward)
{
    if (backward) return tfp_times(pairs, tfp_plus(tfp_times(3, key_width), tfp_times(2, value_width)));
    return tfp_times(pairs, tfp_plus(key_width, value_width));
}

int64_t tfp_sort_flops(int64_t n) { return tfp_times(n, tfp_log2_up(n)); }

int64_t tfp_decomposition_flops(int64_t elements, int64_t n, int64_t thirds)
{
    return tfp_over(tfp_times(tfp_times(elements, thirds), n), 3);
}
