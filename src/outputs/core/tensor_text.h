// SPDX-License-Identifier: Apache-2.0
/* outputs/core/tensor_text.h: a tensor's values as TensorFlow's tool prints them under a node. */
#ifndef TFP_TENSOR_TEXT_H
#define TFP_TENSOR_TEXT_H

#include "model/tensors.h"

/* Appends the block of the column tensor_value: nested [ ... ],\n of at most about 10,000 characters. Types that
 * TensorFlow does not print (all but float32, float64, int32, int64 and string) add nothing. */
void tfp_tensor_text(const tfp_tensor *t, tfp_buf *out);

#endif
