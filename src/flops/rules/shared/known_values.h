// SPDX-License-Identifier: Apache-2.0
/* flops/rules/shared/known_values.h: ops whose handles refer to tensors. Shapes and types of those tensors are passed
 * along with the handle as `held`. */
#ifndef TFP_RULES_HELD_H
#define TFP_RULES_HELD_H

#include "flops/rules/shared/rule.h"

static const tfp_held HOLDS_ANY = { { TFP_RANK_UNKNOWN, NULL }, 0 };

static inline tfp_held held_of(const tfp_op *op, uint32_t i)
{
    const tfp_held *held = tfp_in_held(op, i);
    return held ? *held : HOLDS_ANY;
}

static inline void pass_held(tfp_op *op, uint32_t from, uint32_t to)
{
    const tfp_held *held = tfp_in_held(op, from);
    if (held) tfp_set_held(op, to, held->shape, held->dtype);
}

static inline void need_scalar(tfp_op *op, uint32_t i) { tfp_merge_rank(op, tfp_in(op, i), 0); }

/* A handle of the old kind consists of two strings; the resource that replaced it has the same shape. */
static inline void need_pair(tfp_op *op, uint32_t i)
{
    tfp_merge_dim(op, tfp_dim(tfp_merge_rank(op, tfp_in(op, i), 1), 0), 2);
}

static inline void pair(tfp_op *op) { tfp_set(op, 0, tfp_vector_of(op, 2)); }

#endif
