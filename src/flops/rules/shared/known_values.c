// SPDX-License-Identifier: Apache-2.0
/* flops/rules/shared/known_values.c: known elements of lists and handles: equal ones, and what holds in both cases. */
#include "flops/rules/shared/rule.h"

bool tfp_same_held(const tfp_held *a, const tfp_held *b)
{
    return a == b || (a && b && a->dtype == b->dtype && a->empty == b->empty && tfp_dims_equal(a->shape, b->shape) &&
                      tfp_dims_equal(a->declared, b->declared));
}

/* An empty list agrees with any other. */
const tfp_held *tfp_either_held(tfp_op *op, const tfp_held *a, const tfp_held *b)
{
    bool agree;
    if (tfp_same_held(a, b)) return a;
    if (!a || !b || a->dtype != b->dtype) return NULL;
    if (a->empty != b->empty) {
        tfp_both_true(op, a->shape, b->shape, &agree);
        return !agree ? NULL : a->empty ? b : a;
    }
    tfp_held *both = TFP_NEW(op->arena, tfp_held, 1);
    if (!both) op->no_memory = true;
    if (both)
        *both = (tfp_held){ tfp_either(op, a->shape, b->shape), a->dtype, a->empty,
                            tfp_either(op, a->declared, b->declared) };
    return both;
}

/* Intersects two facts that both hold; where they contradict each other neither is used. *agree, if not NULL, says
 * whether they agree. */
tfp_dims tfp_both_true(tfp_op *op, tfp_dims a, tfp_dims b, bool *agree)
{
    const char *before = op->wrong;
    op->wrong = NULL;
    tfp_dims both = tfp_merge(op, a, b);
    if (agree) *agree = !op->wrong;
    if (op->wrong) both = tfp_either(op, a, b);
    op->wrong = before;
    return both;
}
