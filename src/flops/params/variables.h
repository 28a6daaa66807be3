// SPDX-License-Identifier: Apache-2.0
/* flops/params/variables.h: the variables of a graph or a checkpoint, and what follows from their names. */
#ifndef TFP_VARIABLES_H
#define TFP_VARIABLES_H

#include "flops/core/parameters.h"

typedef struct tfp_model_variable {
    tfp_str name;
    uint32_t node;    /* of the profile */
    int dtype;        /* DataType, 0 unknown */
    int64_t elements; /* -1: unknown */
    tfp_parameter_kind kind;
} tfp_model_variable;

/* Classifies variables that are TFP_NO_PARAMETER so far: optimizer's, bookkeeping, or trained because an optimizer has
 * something for them. The others stay as they are. False when memory runs out. */
bool tfp_variables_by_name(tfp_model_variable *all, size_t count);

/* Whether a part of a name names an optimizer: Adam, adam_w_1. */
bool tfp_is_optimizer(tfp_str scope);

#endif
