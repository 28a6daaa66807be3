// SPDX-License-Identifier: Apache-2.0
/* flops/rules/onnx/onnx.h: shapes and float operations of the operators of ONNX: lists of rows as those of TensorFlow's
 * operations. Element-wise operators count one operation an element. Source of the operators: docs/Operators.md of
 * github.com/onnx/onnx. */
#ifndef TFP_ONNX_RULES_H
#define TFP_ONNX_RULES_H

#include "flops/rules/shared/rule.h"

extern const tfp_op_rule tfp_onnx_arrays[], tfp_onnx_attention[], tfp_onnx_bodies[], tfp_onnx_contrib[],
    tfp_onnx_elements[], tfp_onnx_images[], tfp_onnx_learned[], tfp_onnx_products[];
extern const tfp_op_rule *const tfp_onnx_rules[];                   /* the lists; ends with NULL */
extern const tfp_fold_rule tfp_onnx_folds[], tfp_onnx_body_folds[]; /* end with an empty row */
typedef struct tfp_onnx_same { /* operators whose constants fold as those of TensorFlow's operation */
    const char *onnx, *tensorflow;
} tfp_onnx_same;
extern const tfp_onnx_same tfp_onnx_as_tensorflow[]; /* ends with an empty row */

/* ---- axes.c ---- */
bool tfp_onnx_given(const tfp_op *op, uint32_t i); /* optional inputs may be left out */
/* An axis made non-negative; false and tfp_wrong when it is out of range. */
bool tfp_onnx_axis(tfp_op *op, int64_t axis, int rank, int *out);
/* Marks the axes that the attribute `axes` or, since later versions, input i names; *none: neither is there. False when
 * they are not known, or wrong. */
bool tfp_onnx_axes(tfp_op *op, uint32_t i, int rank, bool marked[TFP_RANK_MOST], bool *none);
/* The whole numbers of an attribute or of input i: how many, -1 when they are not known; unknown ones are INT64_MIN. */
int tfp_onnx_numbers(const tfp_op *op, const char *attr, uint32_t i, int64_t *out, int most);

#endif
