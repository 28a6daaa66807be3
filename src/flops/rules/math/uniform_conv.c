// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/uniform_conv.c: the convolution of UniformQuantizedConvolution, which is XLA's: any number of
 * dimensions, in an order given by a message, both sides dilated, groups of channels and of batches. */
#include "flops/rules/shared/layers.h"
#include "wire/proto.h"

enum { SPATIAL_MAX = 8 };
typedef struct uniform_layout {  /* UniformQuantizedConvolutionDimensionNumbersAttr: lhs, rhs, output */
    int64_t first[3], second[3]; /* batch and feature; output and input feature of the kernel */
    int64_t spatial[3][SPATIAL_MAX];
    size_t count[3];
} uniform_layout;

/* The usual order: NCHW, OIHW, NCHW. */
static void usual_layout(int rank, uniform_layout *out)
{
    for (int t = 0; t < 3; t++) {
        out->first[t] = 0;
        out->second[t] = 1;
        out->count[t] = (size_t)rank - 2;
        for (int k = 0; k < rank - 2; k++) out->spatial[t][k] = k + 2;
    }
}

/* Fields 1, 2, 3: batch, feature, spatial of the input; 4, 5, 6: input feature, output feature, spatial of the kernel;
 * 7, 8, 9: as 1, 2, 3, of the output. */
static bool read_layout(tfp_str message, int rank, uniform_layout *out)
{
    memset(out, 0, sizeof *out);
    if (!message.size) return usual_layout(rank, out), true;
    tfp_wire w = tfp_wire_start(message);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number < 1 || f.number > 9) continue;
        int t = ((int)f.number - 1) / 3, part = ((int)f.number - 1) % 3;
        uint64_t value;
        for (tfp_packed p = tfp_packed_start(&w, &f, TFP_VARINT); tfp_packed_next(&w, &p, &value);) {
            if (value >= (uint64_t)rank) return false;
            if (part == 2 && out->count[t] == SPATIAL_MAX) return false;
            if (part == 2)
                out->spatial[t][out->count[t]++] = (int64_t)value;
            else if ((part == 0) == (t != 1))
                out->first[t] = (int64_t)value;
            else
                out->second[t] = (int64_t)value;
        }
    }
    for (int t = 0; t < 3; t++)
        if (out->count[t] != (size_t)rank - 2) return false;
    return !w.fault;
}

static int64_t dilated(int64_t n, int64_t by) { return n == 0 ? 0 : tfp_plus(tfp_times(n - 1, by), 1); }

/* Reads a list that may be absent; each number is at least 1. */
static bool steps(tfp_op *op, const char *name, size_t count, int64_t *out)
{
    for (size_t i = 0; i < count; i++) out[i] = 1;
    size_t given = tfp_attr_numbers(op, name, out, count);
    for (size_t i = 0; i < count; i++)
        if (out[i] < 1) return false;
    return given == 0 || given == count;
}

/* Positions of the kernel along spatial dimension k. */
static int64_t uniform_places(tfp_op *op, size_t k, size_t count, int64_t in, int64_t kernel)
{
    int64_t strides[SPATIAL_MAX], in_by[SPATIAL_MAX], kernel_by[SPATIAL_MAX], pads[2 * SPATIAL_MAX];
    tfp_str padding = tfp_attr_text(op, "padding", "");
    bool right = steps(op, "window_strides", count, strides) && steps(op, "lhs_dilation", count, in_by) &&
                 steps(op, "rhs_dilation", count, kernel_by);
    if (!right) return TFP_DIM_UNKNOWN;
    in = dilated(in, in_by[k]);
    kernel = dilated(kernel, kernel_by[k]);
    if (tfp_str_eq(padding, tfp_str_of("SAME"))) return tfp_over(tfp_plus(in, strides[k] - 1), strides[k]);
    if (tfp_str_eq(padding, tfp_str_of("EXPLICIT"))) {
        if (tfp_attr_numbers(op, "explicit_padding", pads, 2 * count) != 2 * count) return TFP_DIM_UNKNOWN;
        in = tfp_plus(tfp_plus(in, pads[2 * k]), pads[2 * k + 1]);
    }
    return in >= 0 && in < kernel ? 0 : tfp_over(tfp_plus(tfp_minus(in, kernel), strides[k]), strides[k]);
}

/* TensorFlow needs both shapes fully known, or infers nothing. */
void tfp_uniform_conv_shape(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0), kernel = tfp_in(op, 1);
    uniform_layout at;
    int rank = in.rank >= 0 ? in.rank : kernel.rank;
    if (rank < 0) return;
    tfp_dims out = tfp_any_of_rank(op, rank);
    tfp_merge_rank(op, kernel, rank);
    if (!tfp_dims_known(in) || !tfp_dims_known(kernel) || op->wrong) {
        tfp_set(op, 0, out);
        return;
    }
    if (tfp_wrong_if(op,
                     rank < 3 || rank > SPATIAL_MAX + 2 ||
                         !read_layout(tfp_attr_text(op, "dimension_numbers", ""), rank, &at),
                     "dimensions that do not fit"))
        return;
    int64_t batch = tfp_over(in.at[at.first[0]], tfp_attr_int(op, "batch_group_count", 1));
    out = tfp_with_dim(op, out, (int)at.first[2], batch);
    out = tfp_with_dim(op, out, (int)at.second[2], kernel.at[at.first[1]]);
    for (size_t k = 0; k < at.count[0]; k++)
        out = tfp_with_dim(op, out, (int)at.spatial[2][k],
                           uniform_places(op, k, at.count[0], in.at[at.spatial[0][k]], kernel.at[at.spatial[1][k]]));
    tfp_set(op, 0, out);
}

int64_t tfp_uniform_conv_macs(const tfp_op *op)
{
    tfp_dims kernel = tfp_in(op, 1);
    uniform_layout at;
    if (kernel.rank < 3 || kernel.rank > SPATIAL_MAX + 2) return TFP_UNKNOWN;
    if (!read_layout(tfp_attr_text(op, "dimension_numbers", ""), kernel.rank, &at)) return TFP_UNKNOWN;
    int64_t taps = tfp_over(tfp_elements(kernel), kernel.at[at.first[1]]);
    return tfp_times(taps, tfp_out_size(op, 0));
}
