// SPDX-License-Identifier: Apache-2.0
/* flops/params/variables.h: the variables that a graph or a checkpoint has, and what their names say of them. */
#ifndef TFP_VARIABLES_H
#define TFP_VARIABLES_H

#include "flops/parameters.h"

typedef struct tfp_model_variable {
    tfp_str name;
    uint32_t node;    /* of the profile */
    int dtype;        /* DataType, 0 unknown */
    int64_t elements; /* -1: unknown */
    tfp_parameter_kind kind;
} tfp_model_variable;

/* Of variables that are TFP_NO_PARAMETER until now: what is an optimizer's, what is bookkeeping, what is trained because
 * an optimizer has something for it. The others stay as they are. False without memory. */
bool tfp_variables_by_name(tfp_model_variable *all, size_t count);

/* A part of a name that optimizers have: Adam, adam_w_1. */
bool tfp_is_optimizer(tfp_str scope);

#endif
