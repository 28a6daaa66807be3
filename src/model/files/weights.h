// SPDX-License-Identifier: Apache-2.0
/* model/files/weights.h: how the tensors of a weights file are stored; each tensor is also a node of the model, which
 * has its shape. */
#ifndef TFP_WEIGHTS_H
#define TFP_WEIGHTS_H

#include "model/tables/types.h"

typedef enum tfp_weight_kind {
    TFP_WEIGHT_OF_MODEL, /* the file does not tell whether it is trained */
    TFP_WEIGHT_TRAINED,
    TFP_WEIGHT_FIXED,
    TFP_WEIGHT_OF_OPTIMIZER
} tfp_weight_kind;

#include "schema/files/weights.def"

typedef struct tfp_weight_list {
    TFP_VEC(tfp_weight);
} tfp_weight_list;
TFP_CONST const tfp_weight_list *tfp_weights_of(const tfp_profile *p);

#endif
