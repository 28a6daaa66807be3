// SPDX-License-Identifier: Apache-2.0
/* formats/weights/weights.h: how readers of weights add a tensor to the profile. */
#ifndef TFP_WEIGHTS_READER_H
#define TFP_WEIGHTS_READER_H

#include "formats/files/format.h"
#include "model/files/weights.h"

typedef struct tfp_weight_row {
    tfp_str name; /* "model.layers.0.weight" becomes model/layers/0/weight */
    tfp_str type;
    const int64_t *dims;
    size_t dim_count;
    int64_t bytes;
    tfp_weight_kind kind;
} tfp_weight_row;

/* Adds a tensor. If its name came before, it is skipped with a warning. Errors: negative dims, or too many elements. */
tfp_status tfp_weight_add(tfp_builder *b, const tfp_weight_row *row, tfp_error *err);
/* The same for a node of a graph; one that is no parameter gets only its shape. */
tfp_status tfp_weight_of_node(tfp_builder *b, uint32_t node, const tfp_weight_row *row, bool counts, tfp_error *err);
/* The product of the dims; false when one is negative or the product exceeds 63 bits. */
bool tfp_weight_elements(const int64_t *dims, size_t count, int64_t *out);

#endif
