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

struct tfp_weight {
    uint32_t node;  /* index in nodes */
    tfp_strid type; /* the file's name for it: "BF16", "Q4_K" */
    int64_t elements;
    int64_t bytes; /* bytes in the file */
    uint8_t kind;  /* of tfp_weight_kind */
};

typedef struct tfp_weight_list {
    TFP_VEC(tfp_weight);
} tfp_weight_list;
TFP_CONST const tfp_weight_list *tfp_weights_of(const tfp_profile *p);

#endif
