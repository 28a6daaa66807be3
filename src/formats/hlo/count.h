// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/count.h: shared by the files that count float operations of HLO: sizes of operands and results, and sums
 * in which an unknown part makes the sum unknown (TFP_UNKNOWN). */
#ifndef TFP_HLO_COUNT_H
#define TFP_HLO_COUNT_H

#include "formats/hlo/hlo.h"

typedef struct tfp_hlo_counter {
    const tfp_builder *b;
    tfp_hlo_module *m;
    tfp_hlo_cost *inside; /* for each computation: the sum of its instructions */
} tfp_hlo_counter;

/* Operand of an instruction; NULL: there is none. */
const tfp_hlo_instruction *tfp_hlo_operand(const tfp_hlo_counter *c, const tfp_hlo_instruction *i, uint32_t k);
/* The array of a shape, or the first one of a tuple; NULL: there is none. */
const tfp_hlo_array *tfp_hlo_first_array(const tfp_hlo_counter *c, const tfp_hlo_instruction *i);
int64_t tfp_hlo_elements_of(const tfp_hlo_counter *c, const tfp_hlo_instruction *i);
int64_t tfp_hlo_dim(const tfp_hlo_counter *c, const tfp_hlo_array *a, int64_t k); /* k below 0: counted from the end */

/* Window size times input features of a group, for each element of `out`. Padding is not subtracted. */
int64_t tfp_hlo_window_macs(const tfp_hlo_counter *c, const tfp_hlo_instruction *i, int64_t out,
                            const tfp_hlo_array *kernel);

/* Float operations of library kernels that XLA calls by name (custom_calls.c); *macs is part of them. */
int64_t tfp_hlo_custom_flops(const tfp_hlo_counter *c, const tfp_hlo_instruction *i, int64_t *macs);

#endif
