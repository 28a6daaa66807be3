// SPDX-License-Identifier: Apache-2.0
/* views/core/labels.h: labels of a row: one by one, for outputs that keep them apart, and joined, for text. */
#ifndef TFP_LABELS_H
#define TFP_LABELS_H

#include "model/tables/types.h"

/* Ids of strings in byte order, without duplicates. Reused for each row; freed with tfp_vec_free. */
typedef struct tfp_labels {
    tfp_strid *at;
    size_t size, capacity;
} tfp_labels;

/* Collects the devices on which a row's node, or its members, ran; op types likewise. False if memory is out. */
bool tfp_labels_devices(const tfp_report *r, uint32_t row, tfp_labels *out);
bool tfp_labels_op_types(const tfp_report *r, uint32_t row, tfp_labels *out);

/* The same joined by "|" and appended, as in TensorFlow's text: the device of members that never ran is the empty name,
 * and parents without a node have a type. */
void tfp_labels_join_devices(const tfp_report *r, uint32_t row, tfp_buf *out);
void tfp_labels_join_op_types(const tfp_report *r, uint32_t row, tfp_buf *out);

#endif
