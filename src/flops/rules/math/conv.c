// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/conv.c: convolutions of two and three dimensions, their gradients, fused forms, and dilations. A
 * row's `per` is the number of dimensions that the window moves along. */
#include "flops/rules/shared/layers.h"

/* ---- filters ---- */

typedef struct filter_layout {
    int out, in, spatial[3];
    int inner; /* OIHW_VECT_I: four channels each; -1 in all others */
} filter_layout;

static bool filter_layout_of(const tfp_op *op, int spatials, filter_layout *out)
{
    static const struct {
        const char *name;
        filter_layout at;
    } formats[] = {
        { "HWIO", { .out = 3, .in = 2, .spatial = { 0, 1 }, .inner = -1 } },
        { "OIHW", { .out = 0, .in = 1, .spatial = { 2, 3 }, .inner = -1 } },
        { "OIHW_VECT_I", { .out = 0, .in = 1, .spatial = { 2, 3 }, .inner = 4 } },
    };
    *out = (filter_layout){ .out = 4, .in = 3, .spatial = { 0, 1, 2 }, .inner = -1 };
    if (spatials == 3) return true;
    tfp_str format = tfp_attr_text(op, "filter_format", "HWIO");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!tfp_str_eq(format, tfp_str_of(formats[i].name))) continue;
        *out = formats[i].at;
        return true;
    }
    return false;
}

/* Multiply-adds for each output element: the filter's elements times its input channels. */
static int64_t filter_taps(const tfp_op *op, tfp_dims filter, int spatials)
{
    filter_layout at;
    if (filter.rank < 0 || !filter_layout_of(op, spatials, &at)) return TFP_UNKNOWN;
    int64_t taps = tfp_dim(filter, at.in);
    if (at.inner >= 0) taps = tfp_times(taps, tfp_dim(filter, at.inner));
    for (int k = 0; k < spatials; k++) taps = tfp_times(taps, tfp_dim(filter, at.spatial[k]));
    return taps;
}

/* ---- shapes ---- */

/* Groups: the input's channels are a multiple of the filter's; the output's channels are a multiple of the groups. */
static void check_channels(tfp_op *op, int64_t in, int64_t filter_in, int64_t out)
{
    if (filter_in == 0) tfp_wrong(op, "a filter without input channels");
    if (in < 0 || filter_in <= 0) return;
    if (in % filter_in)
        tfp_wrong(op, "input channels that are no multiple of the filter's");
    else if (in && out >= 0 && out % (in / filter_in))
        tfp_wrong(op, "output channels that are no multiple of the groups");
}

/* TensorFlow's shape function for three dimensions swaps the dilations of rows and columns. */
static void swap_dilations(tfp_window *w)
{
    int rows = w->at.spatial[1], columns = w->at.spatial[2];
    int64_t dilation = w->dilations[rows];
    w->dilations[rows] = w->dilations[columns];
    w->dilations[columns] = dilation;
}

void tfp_conv_shape(tfp_op *op, int spatials)
{
    tfp_window w;
    filter_layout f;
    if (!tfp_window_read(op, spatials, spatials == 2 ? TFP_PADDING_LIST : 0, &w)) return;
    if (tfp_wrong_if(op, !filter_layout_of(op, spatials, &f), "an unknown filter_format")) return;
    if (spatials == 3) swap_dilations(&w);
    tfp_dims in = tfp_merge_rank(op, tfp_in(op, 0), w.at.rank), filter = tfp_merge_rank(op, tfp_in(op, 1), w.at.rank);
    int64_t depth = tfp_dim(in, w.at.depth), filter_depth = tfp_dim(filter, f.in), out_depth = tfp_dim(filter, f.out);
    int64_t out[TFP_WINDOW_RANK];
    if (w.at.inner >= 0) depth = tfp_dim_times(op, depth, tfp_merge_dim(op, tfp_dim(in, w.at.inner), 4));
    if (f.inner >= 0) filter_depth = tfp_dim_times(op, filter_depth, tfp_merge_dim(op, tfp_dim(filter, f.inner), 4));
    check_channels(op, depth, filter_depth, out_depth);
    out[w.at.batch] = tfp_dim(in, w.at.batch);
    out[w.at.depth] = w.at.inner >= 0 ? tfp_dim_quarter(op, out_depth) : out_depth;
    if (w.at.inner >= 0) out[w.at.inner] = 4;
    for (int k = 0; k < spatials; k++) {
        int dim = w.at.spatial[k];
        out[dim] = tfp_window_out(op, &w, dim, tfp_dim(in, dim), tfp_dim(filter, f.spatial[k]));
    }
    tfp_set(op, 0, tfp_shape_of(op, out, w.at.rank));
}

static void conv_shape(tfp_op *op) { tfp_conv_shape(op, (int)op->rule->per); }

/* The op Conv: any number of batch dimensions in front, and the attribute groups. */
static void any_conv_shape(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0), filter = tfp_in(op, 1);
    int64_t batches = tfp_attr_int(op, "batch_dims", 1), groups = tfp_attr_int(op, "groups", 1);
    tfp_window w;
    if (in.rank < 0 || filter.rank < 0) return;
    int64_t rank = in.rank - (batches - 1);
    if (tfp_wrong_if(op, batches < 0 || batches > in.rank || rank < 4 || rank > 5,
                     "a convolution of neither two nor three dimensions"))
        return;
    int spatials = (int)rank - 2, extra = (int)batches - 1;
    if (!tfp_window_read(op, spatials, 0, &w)) return;
    tfp_merge_rank(op, filter, (int)rank);
    int64_t depth = tfp_dim(in, w.at.depth + extra), filter_depth = tfp_dim(filter, spatials);
    int64_t out_depth = tfp_dim(filter, spatials + 1);
    check_channels(op, depth, filter_depth, out_depth);
    if (depth >= 0 && filter_depth > 0 && depth / filter_depth != groups)
        tfp_wrong(op, "channels that do not fit groups");
    tfp_dims out = tfp_with_dim(op, in, w.at.depth + extra, out_depth);
    for (int k = 0; k < spatials; k++) {
        int dim = w.at.spatial[k];
        out = tfp_with_dim(op, out, dim + extra,
                           tfp_window_out(op, &w, dim, tfp_dim(in, dim + extra), tfp_dim(filter, k)));
    }
    tfp_set(op, 0, out);
}

void tfp_depthwise_shape(tfp_op *op)
{
    tfp_window w;
    if (!tfp_window_read(op, 2, 0, &w)) return;
    tfp_dims in = tfp_merge_rank(op, tfp_in(op, 0), w.at.rank), filter = tfp_merge_rank(op, tfp_in(op, 1), 4);
    int64_t out[TFP_WINDOW_RANK], depth = tfp_merge_dim(op, tfp_dim(in, w.at.depth), tfp_dim(filter, 2));
    out[w.at.batch] = tfp_dim(in, w.at.batch);
    out[w.at.depth] = tfp_dim_times(op, depth, tfp_dim(filter, 3));
    for (int k = 0; k < 2; k++) {
        int dim = w.at.spatial[k];
        out[dim] = tfp_window_out(op, &w, dim, tfp_dim(in, dim), tfp_dim(filter, k));
    }
    tfp_set(op, 0, tfp_shape_of(op, out, 4));
}

static void like_first(tfp_op *op) { tfp_image_as(op, 0); }
static void like_second(tfp_op *op) { tfp_image_as(op, 1); }
static void sizes_first(tfp_op *op) { tfp_image_said(op, 0); }
static void sizes_second(tfp_op *op) { tfp_image_said(op, 1); }

/* Conv2DBackpropInput: the size input has all four dims, or the two of the image alone; the channels are then the
 * filter's. TensorFlow takes the batch from the gradient only. */
static void conv_input_grad_shape(tfp_op *op)
{
    tfp_layout at;
    if (tfp_wrong_if(op, !tfp_layout_of(op, 2, &at) || at.inner >= 0, "an unknown data_format")) return;
    tfp_dims sizes = tfp_in_as_shape(op, 0);
    tfp_dims filter = tfp_merge_rank(op, tfp_in(op, 1), 4), grad = tfp_merge_rank(op, tfp_in(op, 2), 4);
    int64_t out[4];
    bool image = sizes.rank == 2;
    if (!image) sizes = tfp_merge_rank(op, sizes, 4);
    out[at.batch] = tfp_dim(grad, at.batch);
    if (!image && !op->importer) out[at.batch] = tfp_merge_dim(op, out[at.batch], tfp_dim(sizes, at.batch));
    out[at.depth] = image ? tfp_dim(filter, 2) : tfp_dim(sizes, at.depth);
    for (int k = 0; k < 2; k++) out[at.spatial[k]] = tfp_dim(sizes, image ? k : at.spatial[k]);
    tfp_set(op, 0, tfp_shape_of(op, out, 4));
}

/* Output 1 is the gradient of the bias; TensorFlow takes its size from the input image, which may have other
 * channels. */
static void filter_and_bias_grad(tfp_op *op)
{
    tfp_layout at;
    tfp_dims in = tfp_merge_rank(op, tfp_in(op, 0), 4);
    tfp_image_said(op, 1);
    if (tfp_layout_of(op, 2, &at)) tfp_set(op, 1, tfp_vector_of(op, tfp_dim(in, at.depth)));
}

static void dilation_shape(tfp_op *op)
{
    tfp_dims in = tfp_merge_rank(op, tfp_in(op, 0), 4), filter = tfp_merge_rank(op, tfp_in(op, 1), 3);
    tfp_window w;
    if (!tfp_window_read(op, 2, 0, &w) || !tfp_attr_of_dims(op, "rates", 4, 0, w.dilations)) return;
    int64_t out[4] = { tfp_dim(in, 0), TFP_DIM_UNKNOWN, TFP_DIM_UNKNOWN, tfp_dim(filter, 2) };
    bool known = tfp_dim(in, 1) >= 0 && tfp_dim(in, 2) >= 0 && tfp_dim(filter, 0) >= 0 && tfp_dim(filter, 1) >= 0;
    for (int k = 0; known && k < 2; k++)
        out[k + 1] = tfp_window_out(op, &w, k + 1, tfp_dim(in, k + 1), tfp_dim(filter, k));
    if (known) tfp_merge_dim(op, tfp_dim(in, 3), out[3]);
    tfp_set(op, 0, tfp_shape_of(op, out, 4));
}

static void like_filter(tfp_op *op) { tfp_set(op, 0, tfp_in(op, 1)); }

/* ---- padding, or resizing and padding, before the convolution ---- */

/* Adds the paddings of input i, a matrix of before and after; any dims when it is not known. */
static tfp_dims padded(tfp_op *op, tfp_dims in, uint32_t i)
{
    const double *pads = tfp_in_elements(op, i);
    int64_t dims[4];
    if (!pads || tfp_in_size(op, i) != 8) return tfp_any_of_rank(op, 4);
    for (int k = 0; k < 4; k++) {
        double both = pads[2 * k] + pads[2 * k + 1];
        if (!(pads[2 * k] >= 0 && pads[2 * k + 1] >= 0 && both <= INT32_MAX)) return tfp_any_of_rank(op, 4);
        dims[k] = tfp_dim_plus(op, tfp_dim(in, k), (int64_t)both);
    }
    return tfp_shape_of(op, dims, 4);
}

static int64_t size_element(const tfp_op *op, uint32_t i, int64_t k)
{
    const double *sizes = tfp_in_elements(op, i);
    bool known = sizes && tfp_in_size(op, i) == 2 && sizes[k] >= 0 && sizes[k] <= INT32_MAX;
    return known ? (int64_t)sizes[k] : TFP_DIM_UNKNOWN;
}

static void padded_conv(tfp_op *op, bool resized)
{
    tfp_window w;
    tfp_dims in = tfp_merge_rank(op, tfp_in(op, 0), 4), filter = tfp_merge_rank(op, tfp_in(op, resized ? 3 : 2), 4);
    if (!tfp_window_read(op, 2, 0, &w)) return;
    if (resized)
        for (int k = 0; k < 2; k++) in = tfp_with_dim(op, in, k + 1, size_element(op, 1, k));
    tfp_merge(op, tfp_in(op, resized ? 2 : 1), tfp_matrix_of(op, 4, 2));
    in = padded(op, in, resized ? 2 : 1);
    tfp_merge_dim(op, tfp_dim(in, 3), tfp_dim(filter, 2));
    int64_t out[4] = { tfp_dim(in, 0), tfp_window_out(op, &w, 1, tfp_dim(in, 1), tfp_dim(filter, 0)),
                       tfp_window_out(op, &w, 2, tfp_dim(in, 2), tfp_dim(filter, 1)), tfp_dim(filter, 3) };
    tfp_set(op, 0, tfp_shape_of(op, out, 4));
}
static void pad_conv(tfp_op *op) { padded_conv(op, false); }
static void resize_pad_conv(tfp_op *op) { padded_conv(op, true); }

/* ---- counts ---- */

int64_t tfp_conv_macs(const tfp_op *op, int spatials)
{
    return tfp_times(tfp_out_size(op, 0), filter_taps(op, tfp_in(op, 1), spatials));
}

int64_t tfp_depthwise_macs(const tfp_op *op)
{
    tfp_dims filter = tfp_in(op, 1);
    return tfp_times(tfp_out_size(op, 0), tfp_times(tfp_dim(filter, 0), tfp_dim(filter, 1)));
}

/* Adds the operations fused after the convolution, for each output element. */
static tfp_cost with_fused(const tfp_op *op, int64_t macs)
{
    int64_t per = tfp_fused_per_element(op);
    return tfp_cost_mixed(macs, per ? tfp_times(per, tfp_out_size(op, 0)) : 0);
}

static tfp_cost conv_count(const tfp_op *op) { return with_fused(op, tfp_conv_macs(op, (int)op->rule->per)); }
static tfp_cost depthwise_count(const tfp_op *op) { return with_fused(op, tfp_depthwise_macs(op)); }

static tfp_cost conv_bias_count(const tfp_op *op) { return tfp_cost_mixed(tfp_conv_macs(op, 2), tfp_out_size(op, 0)); }

static tfp_cost any_conv_count(const tfp_op *op)
{
    tfp_dims filter = tfp_in(op, 1);
    return tfp_cost_macs(tfp_conv_macs(op, filter.rank == 5 ? 3 : 2));
}

static tfp_cost pad_conv_count(const tfp_op *op) /* per: which input is the filter */
{
    int64_t taps = filter_taps(op, tfp_in(op, (uint32_t)op->rule->per), 2);
    return tfp_cost_macs(tfp_times(tfp_out_size(op, 0), taps));
}

/* Before it, each resized element is a weighted sum of 2 x 2. */
static tfp_cost resize_conv_count(const tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t places = tfp_times(size_element(op, 1, 0), size_element(op, 1, 1));
    int64_t resized = tfp_times(tfp_times(tfp_dim(in, 0), tfp_dim(in, 3)), places);
    return tfp_cost_macs(tfp_plus(pad_conv_count(op).macs, tfp_times(4, resized)));
}

/* The registry's formula, truncated: 2 * n(image) * n(filter) / (channels of the image * strides). */
static tfp_cost registry_grad(const tfp_op *op, tfp_dims image, tfp_dims filter)
{
    tfp_layout at;
    int64_t strides[4];
    if (!tfp_layout_of(op, 2, &at) || tfp_attr_numbers(op, "strides", strides, 4) != 4) return tfp_cost_of(TFP_UNKNOWN);
    int64_t places = tfp_times(strides[at.spatial[0]], strides[at.spatial[1]]);
    int64_t macs = tfp_times(tfp_elements(image), tfp_elements(filter));
    int64_t parts = tfp_times(tfp_dim(image, at.depth), places), flops = tfp_over(tfp_times(2, macs), parts);
    return (tfp_cost){ flops, flops < 0 ? TFP_UNKNOWN : flops / 2 };
}
static tfp_cost input_grad_count(const tfp_op *op) { return registry_grad(op, tfp_out(op, 0), tfp_in(op, 1)); }
static tfp_cost filter_grad_count(const tfp_op *op) { return registry_grad(op, tfp_in(op, 0), tfp_out(op, 0)); }

static tfp_cost filter_bias_grad_count(const tfp_op *op)
{
    tfp_cost grad = filter_grad_count(op);
    return (tfp_cost){ tfp_plus(grad.flops, tfp_in_size(op, 2)), grad.macs };
}

/* As many products as forward: once for each element of the output's gradient. */
static tfp_cost as_forward(const tfp_op *op, tfp_dims filter)
{
    return tfp_cost_macs(tfp_times(tfp_in_size(op, 2), filter_taps(op, filter, (int)op->rule->per)));
}
static tfp_cost grad_with_filter(const tfp_op *op) { return as_forward(op, tfp_in(op, 1)); }
static tfp_cost grad_of_filter(const tfp_op *op) { return as_forward(op, tfp_out(op, 0)); }

static int64_t filter_places(tfp_dims filter) { return tfp_times(tfp_dim(filter, 0), tfp_dim(filter, 1)); }

static tfp_cost depthwise_grad(const tfp_op *op)
{
    return tfp_cost_macs(tfp_times(tfp_in_size(op, 2), filter_places(tfp_in(op, 1))));
}
static tfp_cost depthwise_filter_grad(const tfp_op *op)
{
    return tfp_cost_macs(tfp_times(tfp_in_size(op, 2), filter_places(tfp_out(op, 0))));
}

/* An addition and a comparison for each filter element. */
static tfp_cost dilation_count(const tfp_op *op)
{
    return tfp_cost_of(tfp_times(2, tfp_times(tfp_out_size(op, 0), filter_places(tfp_in(op, 1)))));
}
static tfp_cost dilation_grad_count(const tfp_op *op)
{
    int64_t per = tfp_plus(tfp_times(2, filter_places(tfp_in(op, 1))), 1);
    return tfp_cost_of(tfp_times(tfp_in_size(op, 2), per));
}

#define CONV2 conv_count, 2, "2 * n(out) * filter height * width * input channels + fused", "registry"
#define CONV3 conv_count, 3, "2 * n(out) * filter depth * height * width * input channels + fused", "registry"
#define DEPTHWISE depthwise_count, 2, "2 * n(out) * filter height * width + fused", "registry"
#define BIASED conv_bias_count, 2, "2 * n(out) * filter height * width * input channels + n(out)", "Conv2D and BiasAdd"
#define INPUT_GRAD input_grad_count, 2, "2 * n(out) * n(filter) / (channels of out * strides)", "registry"
#define FILTER_GRAD filter_grad_count, 2, "2 * n(in0) * n(out) / (channels of in0 * strides)", "registry"
#define BIASED_FILTER_GRAD                                                                                             \
    filter_bias_grad_count, 2, "2 * n(in0) * n(out) / (channels of in0 * strides) + n(in2)",                           \
        "Conv2DBackpropFilter and BiasAddGrad"
#define AS_FORWARD "2 * n(out_backprop) * n(filter) / output channels", "as many products as forward"
#define AS_DEPTHWISE "2 * n(out_backprop) * filter height * width", "as many products as forward"
const tfp_op_rule tfp_rules_conv[] = {
    { "Conv2D _FusedConv2D" TFP_ONEDNN("Conv2D") TFP_ONEDNN("FusedConv2D") TFP_ONEDNN("PadWithConv2D")
          TFP_ONEDNN("PadWithFusedConv2D") " __MklDummyPadWithConv2D __MklDummyPadWithFusedConv2D",
      conv_shape, CONV2 },
    { "__MklDummyConv2DWithBias" TFP_ONEDNN("Conv2DWithBias"), conv_shape, BIASED },
    { "Conv3D _FusedConv3D _MklNativeFusedConv3D" TFP_ONEDNN("Conv3D"), conv_shape, CONV3 },
    { "Conv", any_conv_shape, any_conv_count, 0, "2 * n(out) * n(filter) / output channels", "as Conv2D" },
    { "RiscConv", tfp_unknown_outputs, CONV2 },
    { "Conv2DBackpropInput", conv_input_grad_shape, INPUT_GRAD },
    { TFP_ONEDNN("Conv2DBackpropInput"), sizes_first, INPUT_GRAD },
    { "__MklDummyConv2DBackpropFilterWithBias" TFP_ONEDNN("Conv2DBackpropFilterWithBias"), filter_and_bias_grad,
      BIASED_FILTER_GRAD },
    { "Conv2DBackpropFilter" TFP_ONEDNN("Conv2DBackpropFilter"), sizes_second, FILTER_GRAD },
    { "Conv2DBackpropInputV2", like_first, grad_with_filter, 2, AS_FORWARD },
    { "Conv2DBackpropFilterV2", like_second, grad_of_filter, 2, AS_FORWARD },
    { "Conv3DBackpropInput", like_first, grad_with_filter, 3, AS_FORWARD },
    { "Conv3DBackpropFilter", like_second, grad_of_filter, 3, AS_FORWARD },
    { "Conv3DBackpropInputV2" TFP_ONEDNN("Conv3DBackpropInputV2"), sizes_first, grad_with_filter, 3, AS_FORWARD },
    { "Conv3DBackpropFilterV2" TFP_ONEDNN("Conv3DBackpropFilterV2"), sizes_second, grad_of_filter, 3, AS_FORWARD },
    { "DepthwiseConv2dNative _FusedDepthwiseConv2dNative" TFP_ONEDNN("DepthwiseConv2dNative")
          TFP_ONEDNN("FusedDepthwiseConv2dNative"),
      tfp_depthwise_shape, DEPTHWISE },
    { "DepthwiseConv2dNativeBackpropInput" TFP_ONEDNN("DepthwiseConv2dNativeBackpropInput"), sizes_first,
      depthwise_grad, 2, AS_DEPTHWISE },
    { "DepthwiseConv2dNativeBackpropFilter" TFP_ONEDNN("DepthwiseConv2dNativeBackpropFilter"), sizes_second,
      depthwise_filter_grad, 2, AS_DEPTHWISE },
    { "FusedPadConv2D", pad_conv, pad_conv_count, 2, "as Conv2D", "as Conv2D" },
    { "FusedResizeAndPadConv2D", resize_pad_conv, resize_conv_count, 3, "as Conv2D + 8 * n(resized)",
      "Conv2D, and ResizeBilinear" },
    { "Dilation2D", dilation_shape, dilation_count, 0, "2 * n(out) * filter height * width", "registry" },
    { "Dilation2DBackpropInput", tfp_same_as_input, dilation_grad_count, 0,
      "n(out_backprop) * (2 * filter height * width + 1)", "finds the largest again, adds there" },
    { "Dilation2DBackpropFilter", like_filter, dilation_grad_count, 0,
      "n(out_backprop) * (2 * filter height * width + 1)", "finds the largest again, adds there" },
    { NULL },
};
