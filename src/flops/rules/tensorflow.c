// SPDX-License-Identifier: Apache-2.0
/* flops/rules/tensorflow.c: the float operations in the op log of TensorFlow 2.21: its registry of 46 ops, exactly,
 * including its oddities. Products that it computes with numpy wrap at 64 bits; those of Python integers that do not
 * fit make its op log fail: here they are unknown. Our own counts are in the rules. Source:
 * tensorflow/python/profiler/internal/flops_registry.py, python/ops/nn_ops.py, python/framework/ops.py. */
#include "flops/core/rule_index.h"

static const tfp_logged no_formula = { TFP_NO_FORMULA, 0 }, no_shape = { TFP_NO_SHAPE, 0 };

/* A count of 0 makes no entry. */
static tfp_logged entry(int64_t flops) { return flops ? (tfp_logged){ TFP_COUNTED, flops } : no_formula; }

static tfp_logged exact(int64_t flops) { return flops < 0 ? no_shape : entry(flops); }

/* numpy's int64 */
static int64_t wrapped(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

static int64_t wrapped_elements(tfp_dims d)
{
    int64_t n = 1;
    for (int i = 0; i < d.rank; i++) n = wrapped(n, d.at[i]);
    return n;
}

static tfp_logged each_input(const tfp_op *op, const tfp_registered *row)
{
    return exact(tfp_times(tfp_in_size(op, 0), row->per));
}

static tfp_logged l2_loss(const tfp_op *op, const tfp_registered *row)
{
    int64_t n = tfp_times(tfp_in_size(op, 0), row->per);
    return n < 0 ? no_shape : entry(n - 1);
}

static tfp_logged each_output(const tfp_op *op, const tfp_registered *row)
{
    return exact(tfp_times(tfp_out_size(op, 0), row->per));
}

/* per: operations for each output besides the reduction. */
static tfp_logged reduction(const tfp_op *op, const tfp_registered *row)
{
    int64_t n = tfp_in_size(op, 0), m = tfp_out_size(op, 0);
    return n < 0 || m < 0 ? no_shape : entry(n + m * (row->per - 1));
}

static tfp_logged add_n(const tfp_op *op, const tfp_registered *row) /* per: 1; control inputs are counted too */
{
    return exact(tfp_times(tfp_in_size(op, 0), (int64_t)op->node->input_count - row->per));
}

static tfp_logged bias_add(const tfp_op *op, const tfp_registered *row)
{
    return entry(wrapped(wrapped_elements(tfp_in(op, 0)), row->per));
}

/* per: the dim from which the inner dimension is counted, 0: from the end; transpose_a is read even where the op lacks
 * it. */
static tfp_logged matrix_product(const tfp_op *op, const tfp_registered *row)
{
    tfp_dims a = tfp_in(op, 0);
    bool turned = tfp_attr_bool(op, "transpose_a", false);
    if (a.rank < (row->per ? (turned ? 1 : 2) : (turned ? 2 : 1))) return no_formula;
    if (!tfp_dims_known(tfp_out(op, 0))) return no_shape;
    int64_t k = row->per ? a.at[turned ? 0 : 1] : a.at[a.rank - (turned ? 2 : 1)];
    return entry(wrapped(wrapped(k, wrapped_elements(tfp_out(op, 0))), 2));
}

/* per: how many dims of the filter are multiplied. */
static tfp_logged convolution(const tfp_op *op, const tfp_registered *row)
{
    tfp_dims filter = tfp_in(op, 1);
    if (filter.rank < row->per) return no_formula;
    int64_t n = wrapped_elements(tfp_out(op, 0));
    for (int i = 0; i < row->per; i++) n = wrapped(n, filter.at[i]);
    return entry(wrapped(n, 2));
}

static int64_t kernel_size(const tfp_op *op)
{
    const tfp_attr_list *sizes = tfp_attr_members(op, "ksize");
    int64_t n = 1;
    for (size_t i = 0; i < sizes->number_count; i++) n = tfp_times(n, sizes->numbers[i]);
    return n;
}

static tfp_logged pool(const tfp_op *op, const tfp_registered *row)
{
    return exact(tfp_times(kernel_size(op), tfp_times(row->per, tfp_out_size(op, 0))));
}

static tfp_logged average_pool_grad(const tfp_op *op, const tfp_registered *row)
{
    return exact(tfp_times(row->per, tfp_times(kernel_size(op), tfp_in_size(op, 1))));
}

static tfp_logged max_pool_grad(const tfp_op *op, const tfp_registered *row)
{
    return exact(tfp_times(tfp_plus(kernel_size(op), row->per), tfp_in_size(op, 1)));
}

/* Python's true division of integers, truncated. */
static tfp_logged convolution_grad(const tfp_op *op, tfp_dims image, tfp_dims filter)
{
    const tfp_attr_list *list = tfp_attr_members(op, "strides");
    const int64_t *strides = list->numbers;
    if (list->number_count < 3 || !image.rank) return no_formula;
    long double size = 2.0L * (long double)tfp_elements(image) * (long double)tfp_elements(filter);
    long double by = (long double)image.at[image.rank - 1] * (long double)strides[1] * (long double)strides[2];
    if (tfp_elements(image) < 0 || tfp_elements(filter) < 0 || by == 0) return no_shape;
    double flops = (double)(size / by);
    return flops > -9.2e18 && flops < 9.2e18 ? entry((int64_t)flops) : no_shape;
}

static tfp_logged image_grad(const tfp_op *op, const tfp_registered *row)
{
    (void)row;
    return convolution_grad(op, tfp_out(op, 0), tfp_in(op, 1));
}

static tfp_logged filter_grad(const tfp_op *op, const tfp_registered *row)
{
    (void)row;
    return convolution_grad(op, tfp_in(op, 0), tfp_out(op, 0));
}

tfp_logged tfp_registered_count(const tfp_op *op, const tfp_registered *row)
{
    if (row->channels_last && !tfp_str_eq(tfp_attr_text(op, "data_format", "NHWC"), TFP_STR("NHWC"))) return no_shape;
    for (const char *at = row->needs; *at; at++) {
        uint32_t i = (uint32_t)(*at - '0');
        bool there = *at == 'o' ? op->out_count > 0 : i < op->in_count;
        if (!there) return no_formula;
        if (!tfp_dims_known(*at == 'o' ? tfp_out(op, 0) : tfp_in(op, i))) return no_shape;
    }
    return row->count(op, row);
}

const tfp_registered tfp_registry[] = {
    { "Add AddV2 Sub Mul RealDiv Maximum Minimum Pow Greater GreaterEqual Less LessEqual Equal NotEqual", each_output,
      1, "o" },
    { "SquaredDifference", each_output, 2, "o" },
    { "RsqrtGrad", each_output, 4, "o" },
    { "Reciprocal Square Log Neg AssignAdd AssignSub", each_input, 1, "0" },
    { "Rsqrt", each_input, 2, "0" },
    { "Softmax", each_input, 5, "0" },
    { "L2Loss", l2_loss, 3, "0" },
    { "BiasAdd", bias_add, 1, "0" },
    { "AddN", add_n, 1, "0" },
    { "Sum ArgMax ArgMin BiasAddGrad", reduction, 0, "0o" },
    { "Mean", reduction, 1, "0o" },
    { "MatMul", matrix_product, 2, "0" },
    { "BatchMatMul BatchMatMulV2 BatchMatMulV3", matrix_product, 0, "0" },
    { "Conv2D", convolution, 3, "01o" },
    { "Conv3D", convolution, 4, "01o" },
    { "DepthwiseConv2dNative Dilation2D", convolution, 2, "01o" },
    { "Conv2DBackpropInput", image_grad, 0, "o1", true },
    { "Conv2DBackpropFilter", filter_grad, 0, "0o", true },
    { "AvgPool MaxPool", pool, 1, "o", true },
    { "AvgPoolGrad", average_pool_grad, 2, "1", true },
    { "MaxPoolGrad", max_pool_grad, 1, "1", true },
    { NULL },
};
