// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/count.h: what the files that count float operations of HLO share: sizes of operands and results, and sums in
 * which what is not known stays unknown (TFP_HLO_UNKNOWN). */
#ifndef TFP_HLO_COUNT_H
#define TFP_HLO_COUNT_H

#include "formats/hlo/hlo.h"

typedef struct tfp_hlo_counter {
    const tfp_builder *b;
    tfp_hlo_module *m;
    tfp_hlo_cost *inside; /* per computation: the sum of its instructions */
} tfp_hlo_counter;

static inline int64_t tfp_hlo_times(int64_t a, int64_t b)
{
    bool clamped = false;
    if (a < 0 || b < 0) return TFP_HLO_UNKNOWN;
    int64_t r = tfp_mul(a, b, &clamped);
    return clamped ? TFP_HLO_UNKNOWN : r;
}

/* Of an instruction; NULL when it is not there. */
const tfp_hlo_instruction *tfp_hlo_operand(const tfp_hlo_counter *c, const tfp_hlo_instruction *i, uint32_t k);
/* The array of a shape, the first one of a tuple; NULL when there is none. */
const tfp_hlo_array *tfp_hlo_first_array(const tfp_hlo_counter *c, const tfp_hlo_instruction *i);
int64_t tfp_hlo_elements_of(const tfp_hlo_counter *c, const tfp_hlo_instruction *i);
int64_t tfp_hlo_dim(const tfp_hlo_counter *c, const tfp_hlo_array *a, int64_t k); /* below 0: from the end */
int64_t tfp_hlo_log2_up(int64_t n);

/* Window times input features of a group, for each element of `out`. Padding is not taken off. */
int64_t tfp_hlo_window_macs(const tfp_hlo_counter *c, const tfp_hlo_instruction *i, int64_t out,
                            const tfp_hlo_array *kernel);

/* Of kernels of libraries that XLA calls by name (custom_calls.c); *macs is part of the float operations. */
int64_t tfp_hlo_custom_flops(const tfp_hlo_counter *c, const tfp_hlo_instruction *i, int64_t *macs);

#endif
