// SPDX-License-Identifier: Apache-2.0
/* flops/rules/onnx/products.c: ONNX's products, convolutions, pools and recurrent layers: two float
 * operations for each multiply-add; what is added to a product (a bias) is not counted. */
#include "flops/rules/onnx/onnx.h"

/* ---- products ---- */

/* Like numpy.matmul: vectors get a dimension, dimensions before the last two are broadcast. */
static void matmul_at(tfp_op *op, uint32_t left, uint32_t right)
{
    tfp_dims a = tfp_in(op, left), b = tfp_in(op, right);
    if (a.rank < 1 || b.rank < 1) {
        if (!a.rank || !b.rank) tfp_wrong(op, "a scalar is no matrix");
        return;
    }
    tfp_merge_dim(op, tfp_dim(a, -1), tfp_dim(b, b.rank == 1 ? 0 : -2));
    tfp_dims out = tfp_broadcast(op, a.rank > 2 ? tfp_part(op, a, 0, -2) : TFP_SCALAR_DIMS,
                                 b.rank > 2 ? tfp_part(op, b, 0, -2) : TFP_SCALAR_DIMS);
    if (a.rank > 1) out = tfp_joined(op, out, tfp_vector_of(op, tfp_dim(a, -2)));
    if (b.rank > 1) out = tfp_joined(op, out, tfp_vector_of(op, tfp_dim(b, -1)));
    tfp_set(op, 0, out);
}

static void matmul(tfp_op *op) { matmul_at(op, 0, 1); }
static void quantised_matmul(tfp_op *op) { matmul_at(op, 0, 3); }

static int64_t inner_of(const tfp_op *op, uint32_t right)
{
    tfp_dims b = tfp_in(op, right);
    int64_t inner = tfp_dim(tfp_in(op, 0), -1);
    return inner >= 0 ? inner : tfp_dim(b, b.rank == 1 ? 0 : -2);
}

static tfp_cost count_matmul(const tfp_op *op)
{
    uint32_t right = tfp_op_is(op, "QLinearMatMul") ? 3 : 1;
    return tfp_cost_macs(tfp_times(tfp_out_size(op, 0), inner_of(op, right)));
}

static void gemm(tfp_op *op)
{
    bool ta = tfp_attr_int(op, "transA", 0) != 0, tb = tfp_attr_int(op, "transB", 0) != 0;
    tfp_dims a = tfp_merge_rank(op, tfp_in(op, 0), 2), b = tfp_merge_rank(op, tfp_in(op, 1), 2);
    tfp_merge_dim(op, tfp_dim(a, ta ? 0 : 1), tfp_dim(b, tb ? 1 : 0));
    tfp_set(op, 0, tfp_matrix_of(op, tfp_dim(a, ta ? 1 : 0), tfp_dim(b, tb ? 0 : 1)));
}

static tfp_cost count_gemm(const tfp_op *op)
{
    int64_t inner = tfp_dim(tfp_in(op, 0), tfp_attr_int(op, "transA", 0) ? 0 : 1);
    if (inner < 0) inner = tfp_dim(tfp_in(op, 1), tfp_attr_int(op, "transB", 0) ? 1 : 0);
    return tfp_cost_macs(tfp_times(tfp_out_size(op, 0), inner));
}

/* ---- windows: convolutions and pools ---- */

enum { SPATIALS_MAX = 8 };

typedef struct window {
    int spatials;
    int64_t kernel[SPATIALS_MAX], strides[SPATIALS_MAX], dilations[SPATIALS_MAX], pads[2 * SPATIALS_MAX];
    bool same, valid, ceil;
} window;

static bool read_list(tfp_op *op, const char *name, int count, int64_t fallback, int64_t *out)
{
    for (int i = 0; i < count; i++) out[i] = fallback;
    if (!tfp_attr_given(op, name)) return true;
    if (tfp_attr_numbers(op, name, out, (size_t)count) != (size_t)count)
        return tfp_wrong(op, "as many numbers as dimensions are needed"), false;
    return true;
}

static bool read_window(tfp_op *op, int spatials, window *w)
{
    tfp_str pad = tfp_attr_text(op, "auto_pad", "NOTSET");
    *w = (window){ .spatials = spatials, .ceil = tfp_attr_int(op, "ceil_mode", 0) != 0 };
    w->same = tfp_str_begins(pad, TFP_STR("SAME_"));
    w->valid = tfp_str_eq(pad, TFP_STR("VALID"));
    if (spatials < 1 || spatials > SPATIALS_MAX) return tfp_wrong(op, "a rank that has no windows"), false;
    bool ok = read_list(op, "strides", spatials, 1, w->strides) &&
              read_list(op, "dilations", spatials, 1, w->dilations) &&
              read_list(op, "pads", 2 * spatials, 0, w->pads) && read_list(op, "kernel_shape", spatials, -1, w->kernel);
    for (int i = 0; ok && i < spatials; i++)
        if (w->strides[i] < 1 || w->dilations[i] < 1)
            return tfp_wrong(op, "strides and dilations are at least 1"), false;
    return ok;
}

/* Positions of the window along a dimension. */
static int64_t places(tfp_op *op, const window *w, int i, int64_t in, int64_t kernel)
{
    if (in < 0 || kernel < 1) return TFP_DIM_UNKNOWN;
    if (w->same) return in / w->strides[i] + (in % w->strides[i] != 0);
    int64_t reach = tfp_plus(tfp_times(kernel - 1, w->dilations[i]), 1);
    int64_t pads = w->valid ? 0 : tfp_add(w->pads[i], w->pads[w->spatials + i], NULL);
    int64_t padded = tfp_add(in, pads, NULL);
    if (reach < 0 || padded < reach) return tfp_wrong(op, "the window is larger than the image"), TFP_DIM_UNKNOWN;
    int64_t room = padded - reach;
    int64_t steps = room / w->strides[i];
    if (!w->ceil || !(room % w->strides[i])) return steps + 1;
    /* a last window that begins in the padding after the image does not count */
    bool inside = tfp_mul(steps + 1, w->strides[i], NULL) < tfp_add(in, w->valid ? 0 : w->pads[i], NULL);
    return steps + 1 + inside;
}

static void convolution_at(tfp_op *op, uint32_t filter)
{
    tfp_dims in = tfp_in(op, 0), weights = tfp_in(op, filter);
    int64_t dims[2 + SPATIALS_MAX];
    window w;
    if (in.rank < 0 && weights.rank < 0) return;
    int rank = in.rank >= 0 ? in.rank : weights.rank;
    if (tfp_wrong_if(op, (weights.rank >= 0 && weights.rank != rank) || rank < 3,
                     "image and weights of different ranks"))
        return;
    if (!read_window(op, rank - 2, &w)) return;
    dims[0] = tfp_dim(in, 0);
    dims[1] = tfp_dim(weights, 0);
    for (int i = 0; i < w.spatials; i++) {
        int64_t kernel = weights.rank >= 0 ? tfp_dim(weights, 2 + i) : w.kernel[i];
        dims[2 + i] = places(op, &w, i, tfp_dim(in, 2 + i), kernel);
    }
    tfp_set(op, 0, tfp_shape_of(op, dims, rank));
}

static void convolution(tfp_op *op) { convolution_at(op, 1); }
static void quantised_convolution(tfp_op *op) { convolution_at(op, 3); }

/* Output elements, each a sum over the weights of its channel: channels of its group and the window. */
static tfp_cost count_convolution(const tfp_op *op)
{
    tfp_dims weights = tfp_in(op, tfp_op_is(op, "QLinearConv") ? 3 : 1);
    int64_t each = 1;
    for (int i = 1; i < weights.rank; i++) each = tfp_times(each, weights.at[i]);
    return tfp_cost_macs(tfp_times(tfp_out_size(op, 0), weights.rank < 0 ? TFP_UNKNOWN : each));
}

static void transposed_convolution(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0), weights = tfp_in(op, 1);
    int64_t dims[2 + SPATIALS_MAX], more[SPATIALS_MAX], told[SPATIALS_MAX], groups = tfp_attr_int(op, "group", 1);
    window w;
    if (in.rank < 0 || weights.rank < 0) return;
    if (tfp_wrong_if(op, in.rank != weights.rank || in.rank < 3, "image and weights of different ranks")) return;
    if (!read_window(op, in.rank - 2, &w) || !read_list(op, "output_padding", w.spatials, 0, more) ||
        !read_list(op, "output_shape", w.spatials, -1, told))
        return;
    dims[0] = tfp_dim(in, 0);
    dims[1] = tfp_times(tfp_dim(weights, 1), groups);
    for (int i = 0; i < w.spatials; i++) {
        int64_t size = tfp_dim(in, 2 + i), reach = tfp_plus(tfp_times(tfp_dim(weights, 2 + i) - 1, w.dilations[i]), 1);
        int64_t spread = size > 0 ? tfp_times(size - 1, w.strides[i]) : TFP_UNKNOWN;
        int64_t pads = w.valid ? 0 : tfp_add(w.pads[i], w.pads[w.spatials + i], NULL);
        int64_t plain = tfp_minus(tfp_plus(tfp_plus(spread, reach), more[i]), pads);
        dims[2 + i] = told[i] >= 0 ? told[i] : w.same ? tfp_times(size, w.strides[i]) : plain;
    }
    tfp_set(op, 0, tfp_shape_of(op, dims, in.rank));
}

/* Each element of the input is multiplied by the weights of its channel. */
static tfp_cost count_transposed(const tfp_op *op)
{
    tfp_dims weights = tfp_in(op, 1);
    int64_t each = 1;
    for (int i = 1; i < weights.rank; i++) each = tfp_times(each, weights.at[i]);
    return tfp_cost_macs(tfp_times(tfp_in_size(op, 0), weights.rank < 0 ? TFP_UNKNOWN : each));
}

static void pooled(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t dims[2 + SPATIALS_MAX];
    window w;
    if (in.rank < 0 || !read_window(op, in.rank - 2, &w)) return;
    dims[0] = tfp_dim(in, 0);
    dims[1] = tfp_dim(in, 1);
    for (int i = 0; i < w.spatials; i++) dims[2 + i] = places(op, &w, i, tfp_dim(in, 2 + i), w.kernel[i]);
    tfp_dims out = tfp_shape_of(op, dims, in.rank);
    tfp_set(op, 0, out);
    tfp_set(op, 1, out);
}

static tfp_cost count_pool(const tfp_op *op)
{
    int64_t sizes[SPATIALS_MAX], all = 1;
    size_t count = tfp_attr_numbers(op, "kernel_shape", sizes, SPATIALS_MAX);
    for (size_t i = 0; i < count && i < SPATIALS_MAX; i++) all = tfp_times(all, sizes[i]);
    return tfp_cost_of(tfp_times(tfp_out_size(op, 0), count && count <= SPATIALS_MAX ? all : TFP_UNKNOWN));
}

static void globally_pooled(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0), out = in;
    for (int i = 2; i < in.rank; i++) out = tfp_with_dim(op, out, i, 1);
    tfp_set(op, 0, out);
}

/* ---- recurrent layers ----
 * X is [steps, batch, inputs], W [directions, gates * hidden, inputs], R [directions, gates * hidden, hidden]. */

static void recurrent(tfp_op *op)
{
    tfp_dims x = tfp_merge_rank(op, tfp_in(op, 0), 3), r = tfp_merge_rank(op, tfp_in(op, 2), 3);
    bool batch_first = tfp_attr_int(op, "layout", 0) != 0;
    int64_t steps = tfp_dim(x, batch_first ? 1 : 0), batch = tfp_dim(x, batch_first ? 0 : 1);
    int64_t y[] = { steps, tfp_dim(r, 0), batch, tfp_dim(r, 2) }, yb[] = { batch, steps, tfp_dim(r, 0), tfp_dim(r, 2) };
    int64_t h[] = { tfp_dim(r, 0), batch, tfp_dim(r, 2) }, hb[] = { batch, tfp_dim(r, 0), tfp_dim(r, 2) };
    tfp_set(op, 0, tfp_shape_of(op, batch_first ? yb : y, 4));
    for (uint32_t i = 1; i < op->out_count; i++) tfp_set(op, i, tfp_shape_of(op, batch_first ? hb : h, 3));
}

static tfp_cost count_recurrent(const tfp_op *op)
{
    tfp_dims x = tfp_in(op, 0);
    int64_t weights = tfp_plus(tfp_in_size(op, 1), tfp_in_size(op, 2));
    return tfp_cost_macs(tfp_times(tfp_times(tfp_dim(x, 0), tfp_dim(x, 1)), weights));
}

const tfp_op_rule tfp_onnx_products[] = {
    { "MatMul MatMulInteger", matmul, count_matmul, 0, "2 * n(out) * inner", "a product and a sum" },
    { "QLinearMatMul", quantised_matmul, count_matmul, 0, "2 * n(out) * inner", "a product and a sum" },
    { "Gemm com.microsoft::FusedGemm", gemm, count_gemm, 0, "2 * m * k * n",
      "a product and a sum; what is added is not counted" },
    { "Conv ConvInteger com.microsoft::FusedConv", convolution, count_convolution, 0,
      "2 * n(out) * window * channels / group", "a product and a sum; no bias" },
    { "QLinearConv", quantised_convolution, count_convolution, 0, "2 * n(out) * window * channels / group", "as Conv" },
    { "DeformConv", convolution, TFP_NO_COUNT }, /* what it samples between elements depends on values */
    { "ConvTranspose", transposed_convolution, count_transposed, 0, "2 * n(in0) * window * channels / group",
      "as Conv" },
    { "MaxPool AveragePool LpPool", pooled, count_pool, 0, "window * n(out)", "a step for each element of the window" },
    { "GlobalAveragePool GlobalMaxPool GlobalLpPool", globally_pooled, TFP_EACH_IN(1, "a step an element") },
    { "LSTM GRU RNN", recurrent, count_recurrent, 0, "2 * steps * batch * n(weights)",
      "products of the gates; what is done to single elements is left out" },
    { NULL },
};
