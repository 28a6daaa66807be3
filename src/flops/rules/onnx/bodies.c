// SPDX-License-Identifier: Apache-2.0
/* flops/rules/onnx/bodies.c: ONNX's nodes with bodies. The nodes of a body are in the one graph (formats/onnx/maker.h); the node
 * itself takes the results of its bodies as inputs from number `_results` on, and counts nothing. */
#include "flops/fold/fold.h"
#include "flops/rules/onnx/onnx.h"

/* The number of the first result; the number of inputs when the bodies were left out. */
static uint32_t first_result(const tfp_op *op)
{
    int64_t at = tfp_attr_int(op, "_results", op->in_count);
    return at >= 0 && at < op->in_count ? (uint32_t)at : op->in_count;
}

/* The results of then, and as many of else. */
static void chosen(tfp_op *op)
{
    uint32_t first = first_result(op), count = (op->in_count - first) / 2;
    for (uint32_t i = 0; i < count; i++)
        tfp_set(op, i, tfp_either(op, tfp_in(op, first + i), tfp_in(op, first + count + i)));
}

/* The iterations of a Loop that only its number ends. */
static int64_t iterations(const tfp_op *op, uint32_t first)
{
    int64_t most;
    const double *goes_on = tfp_in_elements(op, first), *starts = tfp_in_elements(op, 1);
    bool starts_known = !tfp_onnx_given(op, 1) || (starts && *starts == 1);
    return goes_on && *goes_on == 1 && starts_known && tfp_in_int(op, 0, &most) && most >= 0 ? most : TFP_DIM_UNKNOWN;
}

/* Outputs: the variables at the end, then for each further result those of all iterations. */
static void looped(tfp_op *op)
{
    uint32_t first = first_result(op), variables = first > 2 ? first - 2 : 0;
    for (uint32_t i = 0; first + 1 + i < op->in_count; i++) {
        tfp_dims result = tfp_in(op, first + 1 + i);
        tfp_set(op, i,
                i < variables ? tfp_either(op, tfp_in(op, 2 + i), result)
                              : tfp_joined(op, tfp_vector_of(op, iterations(op, first)), result));
    }
}

static void scanned(tfp_op *op)
{
    uint32_t first = first_result(op);
    int64_t inputs = tfp_attr_int(op, "num_scan_inputs", 0), axes[TFP_RANK_MOST] = { 0 }, places[TFP_RANK_MOST] = { 0 };
    if (inputs < 1 || inputs > first) return;
    uint32_t variables = first - (uint32_t)inputs;
    tfp_attr_numbers(op, "scan_input_axes", axes, TFP_RANK_MOST);
    tfp_attr_numbers(op, "scan_output_axes", places, TFP_RANK_MOST);
    int64_t steps = axes[0] > INT32_MAX || axes[0] < -TFP_RANK_MOST ? TFP_DIM_UNKNOWN
                                                                    : tfp_dim(tfp_in(op, variables), (int)axes[0]);
    for (uint32_t i = 0; first + i < op->in_count; i++) {
        tfp_dims result = tfp_in(op, first + i);
        int64_t place = i >= variables && i - variables < TFP_RANK_MOST ? places[i - variables] : 0;
        if (place < 0) place += result.rank + 1;
        if (i < variables)
            tfp_set(op, i, tfp_either(op, tfp_in(op, i), result));
        else if (result.rank >= 0 && place >= 0 && place <= result.rank)
            tfp_set(op, i,
                    tfp_joined(op, tfp_joined(op, tfp_part(op, result, 0, (int)place), tfp_vector_of(op, steps)),
                               tfp_part(op, result, (int)place, TFP_TO_END)));
    }
}

/* An input of a Scan without the dimension that it goes through. */
static void element(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t axis = tfp_attr_int(op, "axis", 0);
    if (in.rank < 1 || axis < 0 || axis >= in.rank) return;
    tfp_set(op, 0, tfp_joined(op, tfp_part(op, in, 0, (int)axis), tfp_part(op, in, (int)axis + 1, TFP_TO_END)));
}

static tfp_cost count_bodies(const tfp_op *op) { return tfp_cost_of(tfp_attr_given(op, "_results") ? 0 : TFP_UNKNOWN); }

/* A body runs only when the condition holds. */
static void holds(tfp_op *op)
{
    double *out = tfp_fold_new(op, 0);
    if (out) *out = 1;
}

const tfp_op_rule tfp_onnx_bodies[] = {
    { "If", chosen, count_bodies, 0, "0", "its bodies count: the more expensive one" },
    { "Loop", looped, count_bodies, 0, "0", "its body counts, times its iterations" },
    { "Scan", scanned, count_bodies, 0, "0", "its body counts, times its iterations" },
    { "LoopCounter LoopCondition", tfp_scalar_outputs, TFP_MOVES },
    { "ScanElement", element, TFP_MOVES },
    { NULL },
};

const tfp_fold_rule tfp_onnx_body_folds[] = { { "LoopCondition", holds }, { NULL } };
