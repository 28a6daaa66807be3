// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/norm.c: normalisation over batches, channels, layers, neighbours. Multiply-adds are not counted
 * here, because published totals count those of products only. */
#include "flops/rules/shared/layers.h"

/* ---- shapes ---- */

/* Merges the sizes of inputs [from, to), vectors with one number for each channel, into `channels`. */
static int64_t merge_vectors(tfp_op *op, uint32_t from, uint32_t to, int64_t channels)
{
    for (uint32_t i = from; i < to; i++) {
        tfp_dims vector = tfp_merge_rank(op, tfp_in(op, i), 1);
        channels = tfp_merge_dim(op, channels, tfp_dim(vector, 0));
    }
    return channels;
}

/* NDHWC and NCDHW are volumes; other formats are images. */
static bool layout_of(tfp_op *op, tfp_layout *at)
{
    tfp_str format = tfp_attr_text(op, "data_format", "NHWC");
    bool volume = tfp_str_eq(format, tfp_str_of("NDHWC")) || tfp_str_eq(format, tfp_str_of("NCDHW"));
    if (tfp_layout_of(op, volume ? 3 : 2, at) && at->inner < 0) return true;
    tfp_wrong(op, "an unknown data_format");
    return false;
}

/* Mean and variance are inputs that matter unless only the batch's own statistics are used. */
static void batch_norm_shape(tfp_op *op)
{
    tfp_layout at;
    if (!layout_of(op, &at)) return;
    bool batch_alone = tfp_attr_bool(op, "is_training", true) && tfp_attr_real(op, "exponential_avg_factor", 1) == 1;
    tfp_dims x = tfp_merge_rank(op, tfp_in(op, 0), at.rank);
    int64_t channels = merge_vectors(op, 1, batch_alone ? 3 : 5, tfp_dim(x, at.depth));
    tfp_set(op, 0, tfp_with_dim(op, x, at.depth, channels));
    for (uint32_t i = 1; i < 5; i++) tfp_set(op, i, tfp_vector_of(op, channels)); /* a sixth: unknown */
}

static void batch_norm_ex_shape(tfp_op *op)
{
    tfp_layout at;
    batch_norm_shape(op);
    if (layout_of(op, &at) && tfp_dim(tfp_in(op, 0), at.depth) % 4 > 0)
        tfp_wrong(op, "channels that four does not divide");
}

static void batch_norm_grad_shape(tfp_op *op)
{
    tfp_layout at;
    if (!layout_of(op, &at)) return;
    tfp_dims y = tfp_merge_rank(op, tfp_in(op, 0), at.rank), x = tfp_merge_rank(op, tfp_in(op, 1), at.rank);
    int64_t channels = tfp_merge_dim(op, tfp_dim(y, at.depth), tfp_dim(x, at.depth));
    channels = merge_vectors(op, 2, 5, channels);
    tfp_set(op, 0, tfp_with_dim(op, y, at.depth, channels));
    tfp_set(op, 1, tfp_vector_of(op, channels));
    tfp_set(op, 2, tfp_vector_of(op, channels));
    tfp_set(op, 3, tfp_vector_of(op, 0));
    tfp_set(op, 4, tfp_vector_of(op, 0));
}

static void batch_norm_grad_ex_shape(tfp_op *op)
{
    batch_norm_grad_shape(op);
    for (uint32_t i = 5; i < op->out_count; i++) tfp_set(op, i, tfp_out(op, 0));
}

/* ---- counts ---- */

/* With given statistics: a scale and a shift. With the batch's own: mean 1, variance 3 (difference, square, sum), scale
 * and shift 2. */
static tfp_cost batch_norm_count(const tfp_op *op)
{
    bool training = tfp_attr_bool(op, "is_training", true);
    return tfp_cost_of(tfp_times(training ? 6 : 2, tfp_in_size(op, 0)));
}

/* Fused after the normalisation: an addition and an activation. */
static tfp_cost batch_norm_ex_count(const tfp_op *op)
{
    int64_t n = tfp_in_size(op, 0), more = tfp_attr_int(op, "num_side_inputs", 0) > 0;
    if (tfp_str_eq(tfp_attr_text(op, "activation_mode", "Identity"), tfp_str_of("Relu"))) more++;
    return tfp_cost_of(tfp_plus(batch_norm_count(op).flops, tfp_times(more, n)));
}

/* Two sums take 4 (the gradient; its product with the difference from the mean); the input's gradient takes 5, or 1
 * with given statistics. */
static tfp_cost batch_norm_grad_count(const tfp_op *op)
{
    bool training = tfp_attr_bool(op, "is_training", true);
    return tfp_cost_of(tfp_times(training ? 9 : 5, tfp_in_size(op, 0)));
}

static tfp_cost batch_norm_grad_ex_count(const tfp_op *op)
{
    return tfp_cost_of(tfp_plus(batch_norm_grad_count(op).flops, tfp_in_size(op, 0)));
}

static int64_t neighbours(const tfp_op *op)
{
    int64_t radius = tfp_attr_int(op, "depth_radius", 5);
    return radius < 0 ? TFP_UNKNOWN : tfp_plus(tfp_times(2, radius), 1);
}

static tfp_cost lrn_count(const tfp_op *op)
{
    return tfp_cost_of(tfp_times(tfp_plus(neighbours(op), 4), tfp_in_size(op, 0)));
}

static tfp_cost lrn_grad_count(const tfp_op *op)
{
    return tfp_cost_of(tfp_times(tfp_plus(tfp_times(6, neighbours(op)), 3), tfp_in_size(op, 0)));
}

#define NORM batch_norm_count, 0, "6 * n(in0); 2 * n(in0) without is_training", "mean 1, variance 3, scale and shift 2"
#define NORM_EX                                                                                                        \
    batch_norm_ex_count, 0, "as FusedBatchNorm + n(in0) a side input + n(in0) an activation",                          \
        "FusedBatchNorm and the fused operations"
#define NORM_GRAD                                                                                                      \
    batch_norm_grad_count, 0, "9 * n(in0); 5 * n(in0) without is_training", "two sums 4, gradient of the input 5 or 1"
#define LRN                                                                                                            \
    lrn_count, 0, "n(in0) * (2 * depth_radius + 5)", "square 1, sum 2 * depth_radius, scale, shift, power, product"
const tfp_op_rule tfp_rules_norm[] = {
    { "FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3" TFP_ONEDNN("FusedBatchNorm") TFP_ONEDNN("FusedBatchNormV2")
          TFP_ONEDNN("FusedBatchNormV3"),
      batch_norm_shape, NORM },
    { TFP_ONEDNN("FusedBatchNormEx"), batch_norm_shape, NORM_EX },
    { "_FusedBatchNormEx", batch_norm_ex_shape, NORM_EX },
    { "FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3" TFP_ONEDNN("FusedBatchNormGrad")
          TFP_ONEDNN("FusedBatchNormGradV2") TFP_ONEDNN("FusedBatchNormGradV3"),
      batch_norm_grad_shape, NORM_GRAD },
    { "_FusedBatchNormGradEx", batch_norm_grad_ex_shape, batch_norm_grad_ex_count, 0, "as FusedBatchNormGrad + n(in0)",
      "FusedBatchNormGrad and the activation's gradient" },
    { "BatchNormWithGlobalNormalization", TFP_SHAPE("abcd, d, d, d, d -> abcd"),
      TFP_EACH_IN(2, "a scale and a shift by given statistics") },
    { "BatchNormWithGlobalNormalizationGrad", TFP_SHAPE("abcd, d, d, d, abcd -> abcd, d, d, d, d"),
      TFP_EACH_IN(5, "as FusedBatchNormGrad with given statistics") },
    { "QuantizedBatchNormWithGlobalNormalization",
      TFP_SHAPE("abcd, (), (), d, (), (), d, (), (), d, (), (), d, (), () -> abcd, (), ()"),
      TFP_EACH_IN(2, "a scale and a shift by given statistics") },
    { "QuantizedInstanceNorm", TFP_SHAPE("A -> A, (), ()"), TFP_EACH_IN(6, "as FusedBatchNorm, over each image") },
    { "LRN", TFP_SHAPE("abcd -> abcd"), LRN },
    { "LRNGrad", TFP_SHAPE("abcd, abcd, abcd -> abcd"), lrn_grad_count, 0, "n(in0) * (6 * (2 * depth_radius + 1) + 3)",
      "the norm again 2 * depth_radius + 4, five operations a neighbour" },
    { "_MklLayerNorm", tfp_same_as_input, TFP_EACH_IN(6, "as FusedBatchNorm, over the last dimension") },
    { "_MklFusedInstanceNorm", tfp_same_as_input, TFP_EACH_IN(6, "as FusedBatchNorm, over each image") },
    { NULL },
};
