// SPDX-License-Identifier: Apache-2.0
/* flops/rules/quantized.c: operations on quantized numbers, and conversions from and to them. Products count as those
 * of floats. So do fused operations, for each output element: a bias 1, relu 1, a sum 1, requantization 3 (product,
 * sum, rounding). */
#include "flops/rules/shared/array.h"
#include "flops/rules/shared/layers.h"

/* ---- shapes ---- */

static void set_range(tfp_op *op, tfp_dims shape)
{
    tfp_set(op, 1, shape);
    tfp_set(op, 2, shape);
}

/* Applies the rule of the op for floats. */
static void as_plain(tfp_op *op, tfp_str name)
{
    const tfp_op_rule *own = op->rule, *plain = tfp_rule_find(name);
    if (!plain || !plain->shape) return;
    op->rule = plain;
    plain->shape(op);
    op->rule = own;
}

static void reshape(tfp_op *op) { as_plain(op, TFP_STR("Reshape")); }
static void resize(tfp_op *op) { as_plain(op, TFP_STR("ResizeBilinear")); }

/* N parts and the axis are the first inputs, then come the ranges. */
static void concat_parts(tfp_op *op, void (*plain)(tfp_op *op))
{
    uint32_t all = op->in_count;
    int64_t parts = tfp_attr_int(op, "N", 0);
    if (tfp_wrong_if(op, parts < 1 || parts >= all, "a number of inputs other than N")) return;
    op->in_count = (uint32_t)parts + 1;
    plain(op);
    op->in_count = all;
}
static void concat(tfp_op *op) { concat_parts(op, tfp_shape_concat); }
static void concat_v2(tfp_op *op) { concat_parts(op, tfp_shape_concat_v2); }

static void conv(tfp_op *op) { tfp_conv_shape(op, 2); }

/* Inputs are the device's tensors, then the host's: ranges of the input and the filter, and the wanted range. */
static void fused_range(tfp_op *op)
{
    const tfp_attr_list *fused = tfp_attr_members(op, "fused_ops");
    size_t devices = tfp_attr_members(op, "Tdevice_inputs")->number_count;
    tfp_dims range = devices < op->in_count ? tfp_in(op, (uint32_t)devices + 3) : TFP_ANY_DIMS;
    for (size_t i = 0; i < fused->text_count && i < TFP_FUSED_MAX; i++)
        if (tfp_str_eq(fused->texts[i], TFP_STR("Requantize"))) range = TFP_SCALAR_DIMS;
    set_range(op, range);
}
static void fused_conv(tfp_op *op)
{
    tfp_conv_shape(op, 2);
    fused_range(op);
}
static void fused_depthwise(tfp_op *op)
{
    tfp_depthwise_shape(op);
    fused_range(op);
}

static void avg_pool(tfp_op *op) { tfp_avg_pool_shape(op, 2); }
static void volume_max_pool(tfp_op *op) { tfp_avg_pool_shape(op, 3); } /* the range stays unknown, as oneDNN's does */

static void product(tfp_op *op)
{
    bool a_turned = tfp_attr_bool(op, "transpose_a", false), b_turned = tfp_attr_bool(op, "transpose_b", false);
    tfp_dims a = tfp_merge_rank(op, tfp_in(op, 0), 2), b = tfp_merge_rank(op, tfp_in(op, 1), 2);
    tfp_merge_dim(op, tfp_dim(a, a_turned ? 0 : 1), tfp_dim(b, b_turned ? 1 : 0));
    tfp_set(op, 0, tfp_matrix_of(op, tfp_dim(a, a_turned ? 1 : 0), tfp_dim(b, b_turned ? 0 : 1)));
}
/* Along an axis each index has a range of its own, with the shape of the last input. */
static void quantize(tfp_op *op)
{
    int64_t axis = tfp_attr_int(op, "axis", -1);
    tfp_set(op, 0, tfp_in(op, 0));
    set_range(op, tfp_merge_rank(op, tfp_in(op, 2), axis == -1 ? 0 : 1));
}
static void there_and_back_grad(tfp_op *op)
{
    int64_t axis = tfp_attr_int(op, "axis", -1);
    tfp_set(op, 0, tfp_merge(op, tfp_in(op, 0), tfp_in(op, 1)));
    set_range(op, tfp_merge_rank(op, tfp_merge(op, tfp_in(op, 2), tfp_in(op, 3)), axis == -1 ? 0 : 1));
}

/* One range for each index of the last dimension. */
static void per_channel_grad(tfp_op *op)
{
    tfp_dims in = tfp_merge(op, tfp_at_least(op, tfp_in(op, 0), 1), tfp_in(op, 1));
    for (uint32_t i = 2; i < 4; i++)
        tfp_set(op, i - 1, tfp_vector_of(op, tfp_merge_dim(op, tfp_dim(in, -1), tfp_dim(tfp_in(op, i), 0))));
    tfp_set(op, 0, in);
}

/* ---- counts; `per`: float operations an output element besides the products ---- */

static tfp_cost and_more(const tfp_op *op, int64_t macs)
{
    return tfp_cost_mixed(macs, op->rule->per ? tfp_times(op->rule->per, tfp_out_size(op, 0)) : 0);
}
static tfp_cost conv_count(const tfp_op *op) { return and_more(op, tfp_conv_macs(op, 2)); }
static tfp_cost depthwise_count(const tfp_op *op) { return and_more(op, tfp_depthwise_macs(op)); }

static int64_t product_macs(const tfp_op *op)
{
    int64_t k = tfp_dim(tfp_in(op, 0), tfp_attr_bool(op, "transpose_a", false) ? 0 : 1);
    if (k < 0) k = tfp_dim(tfp_in(op, 1), tfp_attr_bool(op, "transpose_b", false) ? 1 : 0);
    return tfp_times(k, tfp_out_size(op, 0));
}
static tfp_cost product_count(const tfp_op *op) { return and_more(op, product_macs(op)); }

static tfp_cost with_fused(const tfp_op *op, int64_t macs)
{
    return tfp_cost_mixed(macs, tfp_times(tfp_fused_per_element(op), tfp_out_size(op, 0)));
}
static tfp_cost fused_conv_count(const tfp_op *op) { return with_fused(op, tfp_conv_macs(op, 2)); }
static tfp_cost fused_depthwise_count(const tfp_op *op) { return with_fused(op, tfp_depthwise_macs(op)); }
static tfp_cost fused_product_count(const tfp_op *op) { return with_fused(op, product_macs(op)); }

static tfp_cost pool_count(const tfp_op *op)
{
    return tfp_cost_of(tfp_times(tfp_attr_product(op, "ksize"), tfp_out_size(op, 0)));
}

static tfp_cost resize_count(const tfp_op *op)
{
    const tfp_op_rule *plain = tfp_rule_find(TFP_STR("ResizeBilinear"));
    tfp_op as = *op;
    as.rule = plain;
    return plain && plain->count ? plain->count(&as) : tfp_cost_of(TFP_UNKNOWN);
}

static tfp_cost uniform_conv_count(const tfp_op *op) { return and_more(op, tfp_uniform_conv_macs(op)); }

/* Shapes with the range of the output: two scalars, or as the range of the filter, an input. */
#define SCALARS(shape) TFP_SHAPE_AFTER(shape, "-> =, (), ()")
#define CHANNELS TFP_SHAPE_AFTER(conv, "*, *, *, *, *, R -> =, R, R")
#define BIAS_CHANNELS TFP_SHAPE_AFTER(conv, "*, *, *, *, *, *, R -> =, R, R")
#define CONV(per) conv_count, (per), "as Conv2D + " #per " * n(out)", "Conv2D and the fused operations"
#define DEPTHWISE(per)                                                                                                 \
    depthwise_count, (per), "as DepthwiseConv2dNative + " #per " * n(out)",                                            \
        "DepthwiseConv2dNative and the fused operations"
#define PRODUCT(per) product_count, (per), "2 * m * k * n + " #per " * n(out)", "MatMul and the fused operations"
#define FUSED(count, plain) count, 0, "as " plain " + fused", plain " and the fused operations"
#define POOL(plain) pool_count, 0, "product of ksize * n(out)", "as " plain
#define THERE_AND_BACK TFP_EACH_OUT(5, "two limits, product, rounding, product")
/* TensorFlow's own form and oneDNN's. */
#define BOTH(op) "Quantized" op " _MklQuantized" op
const tfp_op_rule tfp_rules_quantized[] = {
    { BOTH("Conv2D"), SCALARS(conv), CONV(0) },
    { BOTH("Conv2DPerChannel"), CHANNELS, CONV(0) },
    { BOTH("Conv2DAndRelu"), CHANNELS, CONV(1) },
    { BOTH("Conv2DAndRequantize"), SCALARS(conv), CONV(3) },
    { BOTH("Conv2DAndReluAndRequantize"), SCALARS(conv), CONV(4) },
    { BOTH("Conv2DWithBias"), BIAS_CHANNELS, CONV(1) },
    { BOTH("Conv2DWithBiasAndRelu"), BIAS_CHANNELS, CONV(2) },
    { BOTH("Conv2DWithBiasAndRequantize"), SCALARS(conv), CONV(4) },
    { BOTH("Conv2DWithBiasAndReluAndRequantize"), SCALARS(conv), CONV(5) },
    { BOTH("Conv2DWithBiasSumAndRelu"), BIAS_CHANNELS, CONV(3) },
    { BOTH("Conv2DWithBiasSumAndReluAndRequantize"), SCALARS(conv), CONV(6) },
    { BOTH("Conv2DWithBiasSignedSumAndReluAndRequantize"), SCALARS(conv), CONV(6) },
    { "QuantizedDepthwiseConv2D", tfp_depthwise_shape, DEPTHWISE(0) },
    { "QuantizedDepthwiseConv2DWithBias", tfp_depthwise_shape, DEPTHWISE(1) },
    { "QuantizedDepthwiseConv2DWithBiasAndRelu", tfp_depthwise_shape, DEPTHWISE(2) },
    { "QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize", tfp_depthwise_shape, DEPTHWISE(5) },
    /* TensorFlow gives these four the shape function of Conv2D, although they are depthwise. */
    { "_MklQuantizedDepthwiseConv2D", CHANNELS, DEPTHWISE(0) },
    { "_MklQuantizedDepthwiseConv2DWithBias", BIAS_CHANNELS, DEPTHWISE(1) },
    { "_MklQuantizedDepthwiseConv2DWithBiasAndRelu", BIAS_CHANNELS, DEPTHWISE(2) },
    { "_MklQuantizedDepthwiseConv2DWithBiasAndReluAndRequantize", SCALARS(conv), DEPTHWISE(5) },
    { "_FusedQuantizedConv2D", fused_conv, FUSED(fused_conv_count, "Conv2D") },
    { "_FusedQuantizedDepthwiseConv2D", fused_depthwise, FUSED(fused_depthwise_count, "DepthwiseConv2dNative") },
    { "QuantizedMatMul", SCALARS(product), PRODUCT(0) },
    { BOTH("MatMulWithBias"), SCALARS(product), PRODUCT(1) },
    { BOTH("MatMulWithBiasAndRelu"), SCALARS(product), PRODUCT(2) },
    { BOTH("MatMulWithBiasAndRequantize"), SCALARS(product), PRODUCT(4) },
    { BOTH("MatMulWithBiasAndReluAndRequantize"), SCALARS(product), PRODUCT(5) },
    { BOTH("MatMulWithBiasAndDequantize"), SCALARS(product), PRODUCT(3) },
    { "_QuantizedMatMul", product, FUSED(fused_product_count, "MatMul") },
    { "QuantizedAvgPool _MklQuantizedAvgPool", SCALARS(avg_pool), POOL("AvgPool") },
    { "QuantizedMaxPool", SCALARS(tfp_max_pool_shape), POOL("MaxPool") },
    { "_MklQuantizedMaxPool", tfp_max_pool_shape, POOL("MaxPool") },
    { "_QuantizedMaxPool3D", volume_max_pool, POOL("MaxPool") },
    { "QuantizedAdd", SCALARS(tfp_broadcast_inputs), TFP_EACH_OUT(3, "both into one range, a sum") },
    { "QuantizedMul", SCALARS(tfp_broadcast_inputs), TFP_EACH_OUT(1, "a product") },
    { "QuantizedBiasAdd", SCALARS(tfp_bias_shape), TFP_EACH_OUT(3, "both into one range, a sum") },
    { "QuantizedRelu", TFP_SHAPE("A -> A, (), ()"), TFP_EACH_OUT(1, "a comparison") },
    { "QuantizedRelu6 QuantizedReluX", TFP_SHAPE("A -> A, (), ()"), TFP_EACH_OUT(2, "two comparisons") },
    { "QuantizedReshape", SCALARS(reshape), TFP_MOVES },
    { "QuantizedConcat", SCALARS(concat), TFP_MOVES },
    { "QuantizedConcatV2 _MklQuantizedConcatV2", SCALARS(concat_v2), TFP_MOVES },
    { "QuantizedResizeBilinear", SCALARS(resize), resize_count, 0, "as ResizeBilinear", "as ResizeBilinear" },
    { "QuantizeV2 _MklQuantizeV2", quantize, TFP_EACH_OUT(5, "product, sum, rounding, two limits") },
    { "Dequantize _MklDequantize", tfp_same_as_input, TFP_EACH_OUT(2, "product, sum") },
    { "Requantize RequantizePerChannel", TFP_SHAPE("A -> A, (), ()"), TFP_EACH_OUT(3, "product, sum, rounding") },
    { "QuantizeDownAndShrinkRange", TFP_SHAPE("A -> A, (), ()"),
      TFP_EACH_OUT(5, "lowest and highest, product, sum, rounding") },
    { "RequantizationRange RequantizationRangePerChannel", TFP_SHAPE("* -> (), ()"),
      TFP_EACH_IN(2, "lowest and highest") },
    { "FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel QuantizeAndDequantize "
      "QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4",
      tfp_same_as_input, THERE_AND_BACK },
    { "FakeQuantWithMinMaxArgsGradient", tfp_same_as_input, TFP_EACH_OUT(3, "two comparisons, a product") },
    { "FakeQuantWithMinMaxVarsGradient", TFP_SHAPE("A, A -> A, (), ()"),
      TFP_EACH_OUT(5, "two comparisons, a product, two sums") },
    { "FakeQuantWithMinMaxVarsPerChannelGradient", per_channel_grad,
      TFP_EACH_OUT(5, "two comparisons, a product, two sums") },
    { "QuantizeAndDequantizeV4Grad", there_and_back_grad, TFP_EACH_OUT(5, "two comparisons, a product, two sums") },
    { "UniformQuantize", tfp_same_as_input, TFP_EACH_OUT(5, "product, sum, rounding, two limits") },
    { "UniformDequantize", tfp_same_as_input, TFP_EACH_OUT(2, "difference, product") },
    { "UniformRequantize", tfp_same_as_input, TFP_EACH_OUT(3, "product, sum, rounding") },
    { "UniformQuantizedAdd", tfp_broadcast_inputs, TFP_EACH_OUT(7, "both into one range 6, a sum") },
    { "UniformQuantizedClipByValue", tfp_same_as_input, TFP_EACH_OUT(2, "two comparisons") },
    { "UniformQuantizedDot", TFP_SHAPE("mk, kn -> mn"), PRODUCT(3) },
    { "UniformQuantizedDotHybrid", TFP_SHAPE("mk, kn -> mn"), PRODUCT(0) },
    { "UniformQuantizedConvolution", tfp_uniform_conv_shape, uniform_conv_count, 3,
      "2 * n(out) * n(rhs) / output features + 3 * n(out)", "convolution, another range" },
    { "UniformQuantizedConvolutionHybrid", tfp_uniform_conv_shape, uniform_conv_count, 0,
      "2 * n(out) * n(rhs) / output features", "convolution" },
    { NULL },
};
