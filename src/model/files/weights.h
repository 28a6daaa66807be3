// SPDX-License-Identifier: Apache-2.0
/* model/files/weights.h: the tensors of a file of weights: each is a node, whose shape the model has; here is what is stored of it. */
#ifndef TFP_WEIGHTS_H
#define TFP_WEIGHTS_H

#include "model/tables/types.h"

typedef enum tfp_weight_kind {
    TFP_WEIGHT_OF_MODEL, /* nothing says whether it is trained */
    TFP_WEIGHT_TRAINED,
    TFP_WEIGHT_FIXED,
    TFP_WEIGHT_OF_OPTIMIZER
} tfp_weight_kind;

struct tfp_weight {
    uint32_t node;    /* -> nodes */
    tfp_strid type;   /* as the file calls it: "BF16", "Q4_K" */
    int64_t elements;
    int64_t bytes;    /* stored */
    uint8_t kind;     /* tfp_weight_kind */
};

#endif
