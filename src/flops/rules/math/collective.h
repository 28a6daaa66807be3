// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/collective.h: shared by the rules of collectives, XLA and TPUs. */
#ifndef TFP_RULES_COLLECTIVE_H
#define TFP_RULES_COLLECTIVE_H

#include "flops/rules/shared/rule.h"

void tfp_shape_certain(tfp_op *op);       /* the attribute `shape`; without a rank a scalar's */
void tfp_shape_each_as_input(tfp_op *op); /* each output has the shape of the input with its number */

#endif
