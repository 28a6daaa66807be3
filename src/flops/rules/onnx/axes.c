// SPDX-License-Identifier: Apache-2.0
/* flops/rules/onnx/axes.c: axes and lists of numbers of ONNX's operators, which later versions take as inputs and not
 * as attributes. */
#include "flops/rules/onnx/onnx.h"
#include "flops/rules/shared/array.h"

bool tfp_onnx_given(const tfp_op *op, uint32_t i)
{
    return i < op->node->input_count && op->program->inputs.at[op->node->input_first + i].source != 0;
}

bool tfp_onnx_axis(tfp_op *op, int64_t axis, int rank, int *out)
{
    if (axis < -rank || axis >= rank) return tfp_wrong(op, "an axis outside of the rank"), false;
    *out = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

int tfp_onnx_numbers(const tfp_op *op, const char *attr, uint32_t i, int64_t *out, int most)
{
    if (tfp_attr_given(op, attr)) {
        size_t count = tfp_attr_numbers(op, attr, out, (size_t)most);
        return count <= (size_t)most ? (int)count : -1;
    }
    int64_t count = tfp_in_size(op, i);
    const double *at = tfp_in_elements(op, i);
    if (!tfp_onnx_given(op, i) || count < 0 || count > most || (!at && count)) return -1;
    for (int64_t k = 0; k < count; k++) /* the end of a slice is often the largest number */
        if (!tfp_whole(at[k], &out[k])) out[k] = at[k] > 0 ? INT64_MAX : at[k] < 0 ? -INT64_MAX : INT64_MIN;
    return (int)count;
}

bool tfp_onnx_axes(tfp_op *op, uint32_t i, int rank, bool marked[TFP_RANK_MOST], bool *none)
{
    int64_t axes[TFP_RANK_MOST];
    memset(marked, 0, TFP_RANK_MOST * sizeof *marked);
    *none = !tfp_attr_given(op, "axes") && !tfp_onnx_given(op, i);
    if (*none) return true;
    int count = tfp_onnx_numbers(op, "axes", i, axes, TFP_RANK_MOST);
    if (count < 0 || rank < 0) return false;
    for (int k = 0; k < count; k++) {
        int axis;
        if (axes[k] == INT64_MIN || !tfp_onnx_axis(op, axes[k], rank, &axis)) return false;
        marked[axis] = true;
    }
    *none = count == 0;
    return true;
}
