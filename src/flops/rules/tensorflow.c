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

/* A required shape: of an input, or of the first output. */
typedef enum have { HAVE, HAVE_NOT, HAVE_NONE } have;
static have shape_of_input(const tfp_op *op, uint32_t i, tfp_dims *out)
{
    *out = tfp_in(op, i);
    return i >= op->in_count ? HAVE_NONE : tfp_dims_known(*out) ? HAVE : HAVE_NOT;
}
static have shape_of_output(const tfp_op *op, tfp_dims *out)
{
    *out = tfp_out(op, 0);
    return !op->out_count ? HAVE_NONE : tfp_dims_known(*out) ? HAVE : HAVE_NOT;
}
#define NEEDS(expression)                                                                                              \
    do {                                                                                                               \
        have got = (expression);                                                                                       \
        if (got != HAVE) return got == HAVE_NOT ? no_shape : no_formula;                                               \
    } while (0)

static tfp_logged each_input(const tfp_op *op, const tfp_registered *row)
{
    tfp_dims in;
    NEEDS(shape_of_input(op, 0, &in));
    return exact(tfp_times(tfp_elements(in), row->per));
}

static tfp_logged l2_loss(const tfp_op *op, const tfp_registered *row)
{
    tfp_dims in;
    NEEDS(shape_of_input(op, 0, &in));
    int64_t n = tfp_times(tfp_elements(in), row->per);
    return n < 0 ? no_shape : entry(n - 1);
}

static tfp_logged each_output(const tfp_op *op, const tfp_registered *row)
{
    tfp_dims out;
    NEEDS(shape_of_output(op, &out));
    return exact(tfp_times(tfp_elements(out), row->per));
}

/* per: operations for each output besides the reduction. */
static tfp_logged reduction(const tfp_op *op, const tfp_registered *row)
{
    tfp_dims in, out;
    NEEDS(shape_of_input(op, 0, &in));
    NEEDS(shape_of_output(op, &out));
    int64_t n = tfp_elements(in), m = tfp_elements(out);
    if (n < 0 || m < 0) return no_shape;
    return entry(n + m * (row->per - 1));
}

static tfp_logged add_n(const tfp_op *op, const tfp_registered *row)
{
    tfp_dims in;
    (void)row;
    if (!op->node->input_count) return no_formula;
    NEEDS(shape_of_input(op, 0, &in));
    return exact(tfp_times(tfp_elements(in), (int64_t)op->node->input_count - 1)); /* control inputs too */
}

static tfp_logged bias_add(const tfp_op *op, const tfp_registered *row)
{
    tfp_dims in;
    (void)row;
    NEEDS(shape_of_input(op, 0, &in));
    return entry(wrapped_elements(in));
}

/* per: the dim from which the inner dimension is counted, 0: from the end; transpose_a is read even where the op lacks
 * it. */
static tfp_logged matrix_product(const tfp_op *op, const tfp_registered *row)
{
    tfp_dims a, out;
    bool turned = tfp_attr_bool(op, "transpose_a", false);
    NEEDS(shape_of_input(op, 0, &a));
    if (a.rank < (row->per ? (turned ? 1 : 2) : (turned ? 2 : 1))) return no_formula;
    int64_t k = row->per ? a.at[turned ? 0 : 1] : a.at[a.rank - (turned ? 2 : 1)];
    NEEDS(shape_of_output(op, &out));
    return entry(wrapped(wrapped(k, wrapped_elements(out)), 2));
}

/* per: how many dims of the filter are multiplied. */
static tfp_logged convolution(const tfp_op *op, const tfp_registered *row)
{
    tfp_dims in, filter, out;
    NEEDS(shape_of_input(op, 0, &in));
    NEEDS(shape_of_input(op, 1, &filter));
    NEEDS(shape_of_output(op, &out));
    if (filter.rank < row->per) return no_formula;
    int64_t n = wrapped_elements(out);
    for (int i = 0; i < row->per; i++) n = wrapped(n, filter.at[i]);
    return entry(wrapped(n, 2));
}

static bool channels_last(const tfp_op *op)
{
    return tfp_str_eq(tfp_attr_text(op, "data_format", "NHWC"), TFP_STR("NHWC"));
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
    tfp_dims out;
    (void)row;
    if (!channels_last(op)) return no_shape;
    NEEDS(shape_of_output(op, &out));
    return exact(tfp_times(kernel_size(op), tfp_elements(out)));
}

static tfp_logged average_pool_grad(const tfp_op *op, const tfp_registered *row)
{
    tfp_dims in;
    if (!channels_last(op)) return no_shape;
    NEEDS(shape_of_input(op, 1, &in));
    return exact(tfp_times(row->per, tfp_times(kernel_size(op), tfp_elements(in))));
}

static tfp_logged max_pool_grad(const tfp_op *op, const tfp_registered *row)
{
    tfp_dims in;
    if (!channels_last(op)) return no_shape;
    NEEDS(shape_of_input(op, 1, &in));
    return exact(tfp_times(tfp_plus(kernel_size(op), row->per), tfp_elements(in)));
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

static tfp_logged convolution_grad_input(const tfp_op *op, const tfp_registered *row)
{
    tfp_dims image, filter;
    (void)row;
    if (!channels_last(op)) return no_shape;
    NEEDS(shape_of_output(op, &image));
    NEEDS(shape_of_input(op, 1, &filter));
    return convolution_grad(op, image, filter);
}

static tfp_logged convolution_grad_filter(const tfp_op *op, const tfp_registered *row)
{
    tfp_dims image, filter;
    (void)row;
    if (!channels_last(op)) return no_shape;
    NEEDS(shape_of_input(op, 0, &image));
    NEEDS(shape_of_output(op, &filter));
    return convolution_grad(op, image, filter);
}

/* clang-format off */
const tfp_registered tfp_registry[] = {
    { "Add AddV2 Sub Mul RealDiv Maximum Minimum Pow Greater GreaterEqual Less LessEqual Equal NotEqual", each_output, 1 },
    { "SquaredDifference",                                         each_output,             2 },
    { "RsqrtGrad",                                                 each_output,             4 },
    { "Reciprocal Square Log Neg AssignAdd AssignSub",             each_input,              1 },
    { "Rsqrt",                                                     each_input,              2 },
    { "Softmax",                                                   each_input,              5 },
    { "L2Loss",                                                    l2_loss,                 3 },
    { "BiasAdd",                                                   bias_add,                1 },
    { "AddN",                                                      add_n,                   1 },
    { "Sum ArgMax ArgMin BiasAddGrad",                             reduction,               0 },
    { "Mean",                                                      reduction,               1 },
    { "MatMul",                                                    matrix_product,          2 },
    { "BatchMatMul BatchMatMulV2 BatchMatMulV3",                   matrix_product,          0 },
    { "Conv2D",                                                    convolution,             3 },
    { "Conv3D",                                                    convolution,             4 },
    { "DepthwiseConv2dNative Dilation2D",                          convolution,             2 },
    { "Conv2DBackpropInput",                                       convolution_grad_input,  0 },
    { "Conv2DBackpropFilter",                                      convolution_grad_filter, 0 },
    { "AvgPool MaxPool",                                           pool,                    0 },
    { "AvgPoolGrad",                                               average_pool_grad,       2 },
    { "MaxPoolGrad",                                               max_pool_grad,           1 },
    { NULL },
};
/* clang-format on */
