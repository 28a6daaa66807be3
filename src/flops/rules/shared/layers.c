// SPDX-License-Identifier: Apache-2.0
/* flops/rules/shared/layers.c: layouts of images, windows over them, and sums of dimensions; see layers.h. */
#include "flops/rules/shared/layers.h"

/* ---- sums with dimensions ---- */

int64_t tfp_dim_quarter(tfp_op *op, int64_t a)
{
    if (a < 0) return TFP_DIM_UNKNOWN;
    if (a % 4) tfp_wrong(op, "a dimension that four does not divide");
    return a / 4;
}

/* ---- images ---- */

static const struct {
    const char *name;
    bool depth_first, inner;
} formats[] = {
    { "NHWC", false, false },          { "NDHWC", false, false },     { "NCHW", true, false },
    { "NCDHW", true, false },          { "NCHW_VECT_C", true, true }, { "CHANNELS_LAST", false, false },
    { "CHANNELS_FIRST", true, false },
};

bool tfp_layout_of(const tfp_op *op, int spatials, tfp_layout *out)
{
    tfp_str format = tfp_attr_text(op, "data_format", "NHWC");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!tfp_str_eq(format, tfp_str_of(formats[i].name))) continue;
        int first = formats[i].depth_first ? 2 : 1;
        *out = (tfp_layout){ .rank = spatials + 2 + formats[i].inner, .spatials = spatials };
        out->depth = formats[i].depth_first ? 1 : spatials + 1;
        out->inner = formats[i].inner ? spatials + 2 : -1;
        for (int k = 0; k < spatials; k++) out->spatial[k] = first + k;
        return true;
    }
    return false;
}

/* ---- windows ---- */

bool tfp_attr_of_dims(tfp_op *op, const char *name, size_t count, int64_t fallback, int64_t *out)
{
    size_t given = tfp_attr_numbers(op, name, out, count);
    if (!given && fallback) {
        for (size_t i = 0; i < count; i++) out[i] = fallback;
        return true;
    }
    bool right = given == count;
    for (size_t i = 0; right && i < count; i++) right = out[i] >= INT32_MIN && out[i] <= INT32_MAX;
    if (!right) tfp_wrong(op, "an attribute with another number of values than dimensions");
    return right;
}

/* Explicit paddings, before and after each dimension; batch and depth have none. */
static bool read_around(tfp_op *op, const char *name, tfp_window *w)
{
    int64_t pads[2 * TFP_WINDOW_RANK];
    size_t dims = (size_t)w->at.spatials + 2;
    if (tfp_attr_numbers(op, name, pads, 2 * dims) != 2 * dims) return false;
    for (size_t i = 0; i < dims; i++) {
        if (pads[2 * i] < 0 || pads[2 * i + 1] < 0) return false;
        w->around[i] = tfp_plus(pads[2 * i], pads[2 * i + 1]);
        if (w->around[i] < 0) return false;
    }
    return w->around[w->at.batch] == 0 && w->around[w->at.depth] == 0;
}

static bool read_padding(tfp_op *op, unsigned how, tfp_window *w)
{
    tfp_str padding = tfp_attr_text(op, "padding", "");
    bool explicit_given = tfp_attr_members(op, "explicit_paddings")->number_count > 0;
    if (how & TFP_PADDING_LIST && tfp_attr_members(op, "padding_list")->number_count > 0) {
        w->pad = TFP_PAD_EXPLICIT;
        return read_around(op, "padding_list", w);
    }
    if (tfp_str_eq(padding, tfp_str_of("EXPLICIT"))) {
        w->pad = TFP_PAD_EXPLICIT;
        return read_around(op, "explicit_paddings", w);
    }
    w->pad = tfp_str_eq(padding, tfp_str_of("SAME")) ? TFP_PAD_SAME : TFP_PAD_VALID;
    return !explicit_given && (w->pad == TFP_PAD_SAME || tfp_str_eq(padding, tfp_str_of("VALID")));
}

bool tfp_window_read(tfp_op *op, int spatials, unsigned how, tfp_window *out)
{
    size_t dims = (size_t)spatials + 2;
    if (!tfp_layout_of(op, spatials, &out->at)) return tfp_wrong(op, "an unknown data_format"), false;
    memset(out->around, 0, sizeof out->around);
    if (!(how & TFP_STRIDES_GIVEN) && !tfp_attr_of_dims(op, "strides", dims, 0, out->strides)) return false;
    if (!tfp_attr_of_dims(op, "dilations", dims, 1, out->dilations)) return false;
    if (!read_padding(op, how, out)) return tfp_wrong(op, "a padding that does not fit"), false;
    return true;
}

int64_t tfp_window_out(tfp_op *op, const tfp_window *w, int dim, int64_t in, int64_t size)
{
    int64_t stride = w->strides[dim], dilation = w->dilations[dim];
    if (stride < 1 || dilation < 1) return tfp_wrong(op, "a stride or dilation below 1"), TFP_DIM_UNKNOWN;
    int64_t last; /* offset of the last position, in steps of one */
    if (w->pad == TFP_PAD_SAME) {
        last = tfp_dim_plus(op, in, stride - 1);
    } else {
        if (dilation > 1) size = tfp_dim_plus(op, tfp_dim_times(op, tfp_dim_minus(op, size, 1), dilation), 1);
        last = tfp_dim_plus(op, tfp_dim_minus(op, tfp_dim_plus(op, in, w->around[dim]), size), stride);
    }
    return stride == 1 ? last : tfp_over(last, stride);
}

void tfp_image_as(tfp_op *op, uint32_t i) { tfp_set(op, 0, tfp_merge_rank(op, tfp_in(op, i), (int)op->rule->per + 2)); }

void tfp_image_said(tfp_op *op, uint32_t i)
{
    tfp_set(op, 0, tfp_merge_rank(op, tfp_in_as_shape(op, i), (int)op->rule->per + 2));
}

/* ---- counts ---- */

int64_t tfp_attr_product(const tfp_op *op, const char *name)
{
    const tfp_attr_list *list = tfp_attr_members(op, name);
    int64_t product = 1;
    if (!list->number_count || list->number_count > TFP_WINDOW_RANK) return TFP_UNKNOWN;
    for (size_t i = 0; i < list->number_count; i++) product = tfp_times(product, list->numbers[i]);
    return product;
}

static const struct {
    const char *name;
    int64_t per;
} fused_ops[] = {
    { "FusedBatchNorm", 2 },  { "Relu6", 2 },    { "LeakyRelu", 2 },     { "Elu", 3 },
    { "Sigmoid", 4 },         { "Swish", 5 },    { "_MklSwish", 5 },     { "HardSwish", 5 },
    { "_FusedHardSwish", 5 }, { "Mish", 5 },     { "_MklFusedMish", 5 }, { "GeluApproximate", 9 },
    { "GeluExact", 5 },       { "Quantize", 5 }, { "Requantize", 3 },    { "Dequantize", 2 },
};

int64_t tfp_fused_per_element(const tfp_op *op)
{
    const tfp_attr_list *fused = tfp_attr_members(op, "fused_ops");
    int64_t sum = 0;
    for (size_t i = 0; i < fused->text_count && i < TFP_FUSED_MAX; i++) {
        int64_t per = 1; /* BiasAdd, Add, Relu, Tanh … */
        for (size_t k = 0; k < sizeof fused_ops / sizeof *fused_ops; k++)
            if (tfp_str_eq(fused->texts[i], tfp_str_of(fused_ops[k].name))) per = fused_ops[k].per;
        sum += per;
    }
    return fused->text_count > TFP_FUSED_MAX ? TFP_UNKNOWN : sum;
}

tfp_cost tfp_cost_mixed(int64_t macs, int64_t more)
{
    int64_t flops = tfp_plus(tfp_times(2, macs), more);
    return (tfp_cost){ flops, flops < 0 ? TFP_UNKNOWN : macs };
}
