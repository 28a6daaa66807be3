// SPDX-License-Identifier: Apache-2.0
/* flops/rules/onnx/elements.c: ONNX's operators on single elements, its norms and its reductions. */
#include "flops/rules/onnx/onnx.h"

/* ---- shapes ---- */

static void broadcast_all(tfp_op *op)
{
    tfp_dims out = tfp_in(op, 0);
    for (uint32_t i = 1; i < op->in_count; i++) out = tfp_broadcast(op, out, tfp_in(op, i));
    tfp_set(op, 0, out);
}

static void reduced(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    bool marked[TFP_RANK_MOST], none, keep = tfp_attr_int(op, "keepdims", 1) != 0;
    int64_t dims[TFP_RANK_MOST];
    int rank = 0;
    if (in.rank < 0 || in.rank > TFP_RANK_MOST) return;
    if (!tfp_onnx_axes(op, 1, in.rank, marked, &none)) {
        if (keep) tfp_set(op, 0, tfp_any_of_rank(op, in.rank));
        return;
    }
    if (none && tfp_attr_int(op, "noop_with_empty_axes", 0)) {
        tfp_set(op, 0, in);
        return;
    }
    for (int i = 0; i < in.rank; i++)
        if (!(none || marked[i]))
            dims[rank++] = in.at[i];
        else if (keep)
            dims[rank++] = 1;
    tfp_set(op, 0, tfp_shape_of(op, dims, rank));
}

static void one_axis_reduced(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int axis;
    if (in.rank < 0 || !tfp_onnx_axis(op, tfp_attr_int(op, "axis", 0), in.rank, &axis)) return;
    tfp_dims before = tfp_part(op, in, 0, axis), behind = tfp_part(op, in, axis + 1, TFP_TO_END);
    if (tfp_attr_int(op, "keepdims", 1)) before = tfp_joined(op, before, tfp_vector_of(op, 1));
    tfp_set(op, 0, tfp_joined(op, before, behind));
}

/* ---- counts ---- */

static tfp_cost count_addends(const tfp_op *op)
{
    return tfp_cost_of(tfp_times(tfp_out_size(op, 0), (int64_t)op->in_count - 1));
}
static tfp_cost count_mean(const tfp_op *op)
{
    return tfp_cost_of(tfp_times(tfp_out_size(op, 0), (int64_t)op->in_count));
}

/* A scalar, or without a reduction the shape of the targets; the second output holds logarithms of the input. */
static void loss(tfp_op *op)
{
    bool none = tfp_str_eq(tfp_attr_text(op, "reduction", "mean"), TFP_STR("none"));
    tfp_set(op, 0, none ? tfp_in(op, 1) : TFP_SCALAR_DIMS);
    tfp_set(op, 1, tfp_in(op, 0));
}

#define STEP TFP_EACH_OUT(1, "one step an element")

/* Further outputs, such as the mean of a normalisation, are left unknown. */
#define LIKE_INPUT TFP_SHAPE("A -> A")

const tfp_op_rule tfp_onnx_elements[] = {
    { "Add Sub Mul Div Pow Mod PRelu BitShift BitwiseAnd BitwiseOr BitwiseXor And Or Xor Equal Greater GreaterOrEqual "
      "Less LessOrEqual",
      tfp_broadcast_inputs, STEP },
    { "Where", broadcast_all, STEP },
    { "Max Min Sum", broadcast_all, count_addends, 0, "(inputs - 1) * n(out)",
      "a step for each input after the first" },
    { "Mean", broadcast_all, count_mean, 0, "inputs * n(out)", "sums and a division" },
    { "Abs Neg Sign Reciprocal Floor Ceil Round Not BitwiseNot IsNaN IsInf Sqrt Exp Log Sin Cos Tan Asin Acos Atan "
      "Sinh Cosh Tanh Asinh Acosh Atanh Erf Sigmoid Relu LeakyRelu Elu Selu Celu Gelu HardSigmoid HardSwish Mish "
      "Swish Softplus Softsign ThresholdedRelu Shrink Clip QuantizeLinear DequantizeLinear ScaledTanh "
      "ParametricSoftplus "
      "Affine ImageScaler",
      LIKE_INPUT, STEP },
    { "Softmax LogSoftmax", LIKE_INPUT,
      TFP_EACH_IN(5, "as TensorFlow's registry: largest, difference, exp, sum, division") },
    { "Hardmax", LIKE_INPUT, TFP_EACH_IN(1, "a comparison an element") },
    { "DynamicQuantizeLinear", TFP_SHAPE("A -> A, (), ()"), TFP_EACH_IN(4, "smallest, largest, division, zero point") },
    { "RotaryEmbedding", LIKE_INPUT, TFP_EACH_IN(3, "two products and a sum an element") },
    { "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", loss, TFP_EACH_IN(6, "as Softmax, and a product") },
    { "CumSum CumProd", LIKE_INPUT, TFP_EACH_IN(1, "a sum an element") },
    { "BatchNormalization", LIKE_INPUT, TFP_EACH_IN(2, "scale and shift, which hold mean and variance") },
    { "LayerNormalization InstanceNormalization GroupNormalization RMSNormalization SimplifiedLayerNormalization "
      "MeanVarianceNormalization",
      LIKE_INPUT, TFP_EACH_IN(6, "mean 1, variance 3, scale and shift 2") },
    { "LpNormalization", LIKE_INPUT, TFP_EACH_IN(3, "square, sum, division") },
    { "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd", reduced, TFP_EACH_IN(1, "a step an element") },
    { "ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum ReduceLogSumExp", reduced,
      TFP_EACH_IN(2, "two steps an element") },
    { "ArgMax ArgMin", one_axis_reduced, TFP_EACH_IN(1, "a comparison an element") },
    { NULL },
};
