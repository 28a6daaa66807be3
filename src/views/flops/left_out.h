// SPDX-License-Identifier: Apache-2.0
/* views/flops/left_out.h: work that a total of float operations leaves out, because an operation has no count. */
#ifndef TFP_VIEWS_FLOPS_LEFT_OUT_H
#define TFP_VIEWS_FLOPS_LEFT_OUT_H

#include "views/core/grid.h"

typedef struct tfp_left_out {
    int64_t ops;   /* operations without a count whose work may be most of the model */
    tfp_str first; /* the op of the first one */
} tfp_left_out;

/* Whether an operation without a count makes totals a lower bound: it is a product, convolution, attention, call or
 * body, or nothing is known of its work (`formula` false). Names are those of any framework: MatMul, dot, aten::mm. */
bool tfp_is_left_out(tfp_str op, bool formula);
void tfp_left_out_add(tfp_left_out *l, tfp_str op);
/* Says in a few words what is left out, which without such operations are iterations; returns the length. */
size_t tfp_left_out_say(const tfp_left_out *l, char *out, size_t size);
/* Adds the fact whether totals are a lower bound; false: out of memory. */
bool tfp_left_out_fact(tfp_report *r, bool at_least);

#endif
