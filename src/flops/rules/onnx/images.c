// SPDX-License-Identifier: Apache-2.0
/* flops/rules/onnx/images.c: ONNX's operators that resample images or cut regions out of them. */
#include "flops/rules/onnx/onnx.h"
#include "flops/rules/shared/array.h"

#include <math.h>

/* ---- Resize and Upsample: by given sizes, or floor(size x scale) as the runtimes compute it, in single floats ---- */

static int64_t whole_dim(double x)
{
    int64_t n;
    return x >= 0 && tfp_whole(x, &n) ? n : TFP_DIM_UNKNOWN;
}

typedef struct scaling {
    int64_t size[TFP_RANK_MOST]; /* -1: not given */
    double scale[TFP_RANK_MOST]; /* NAN: not given */
    int count;
} scaling;

static bool read_scales(const tfp_op *op, uint32_t input, scaling *s)
{
    const tfp_attr_list *list = tfp_attr_members(op, "scales");
    int64_t count = tfp_in_size(op, input);
    const double *at = tfp_in_elements(op, input);
    if (list->real_count) {
        at = list->reals;
        count = (int64_t)list->real_count;
    } else if (!tfp_onnx_given(op, input)) {
        return false;
    }
    if (!at || count < 1 || count > TFP_RANK_MOST) return false;
    s->count = (int)count;
    for (int i = 0; i < s->count; i++) s->scale[i] = at[i];
    return true;
}

static bool read_scaling(const tfp_op *op, int rank, scaling *s)
{
    bool upsample = tfp_op_is(op, "Upsample"), old = op->node->input_count <= 2;
    for (int i = 0; i < TFP_RANK_MOST; i++) s->size[i] = -1, s->scale[i] = NAN;
    s->count = 0;
    if (upsample && tfp_attr_given(op, "height_scale") && rank == 4) {
        s->count = 4;
        s->scale[0] = s->scale[1] = 1;
        s->scale[2] = tfp_attr_real(op, "height_scale", NAN);
        s->scale[3] = tfp_attr_real(op, "width_scale", NAN);
        return true;
    }
    if (!upsample && tfp_onnx_given(op, 3)) {
        s->count = tfp_onnx_numbers(op, "sizes", 3, s->size, TFP_RANK_MOST);
        if (s->count) return s->count > 0;
    }
    return read_scales(op, upsample || old ? 1 : 2, s);
}

/* With keep_aspect_ratio_policy all axes get the smallest or the largest of the scales. */
static double common_scale(tfp_op *op, tfp_dims in, const int *axes, const scaling *s)
{
    tfp_str policy = tfp_attr_text(op, "keep_aspect_ratio_policy", "stretch");
    bool smallest = tfp_str_eq(policy, TFP_STR("not_larger"));
    double common = NAN;
    if (!smallest && !tfp_str_eq(policy, TFP_STR("not_smaller"))) return NAN;
    for (int k = 0; k < s->count; k++) {
        if (in.at[axes[k]] <= 0 || s->size[k] < 0) return NAN;
        double scale = (double)s->size[k] / (double)in.at[axes[k]];
        if (isnan(common) || (smallest ? scale < common : scale > common)) common = scale;
    }
    return common;
}

static void resized(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t named[TFP_RANK_MOST], dims[TFP_RANK_MOST];
    int axes[TFP_RANK_MOST];
    scaling s;
    if (in.rank < 0 || in.rank > TFP_RANK_MOST) return;
    bool crops = tfp_str_eq(tfp_attr_text(op, "coordinate_transformation_mode", ""), TFP_STR("tf_crop_and_resize"));
    bool some = tfp_attr_given(op, "axes");
    if (!read_scaling(op, in.rank, &s) ||
        s.count != (some ? (int)tfp_attr_numbers(op, "axes", named, TFP_RANK_MOST) : in.rank)) {
        tfp_set(op, 0, tfp_any_of_rank(op, in.rank));
        return;
    }
    memcpy(dims, in.rank ? in.at : dims, (size_t)in.rank * sizeof *dims);
    for (int k = 0; k < s.count; k++)
        if (!tfp_onnx_axis(op, some ? named[k] : k, in.rank, &axes[k])) return;
    double common = common_scale(op, in, axes, &s);
    for (int k = 0; k < s.count; k++) {
        int64_t *dim = &dims[axes[k]];
        double size = (double)*dim;
        if (s.size[k] >= 0 && isnan(common))
            *dim = s.size[k];
        else if (*dim < 0 || (crops && s.size[k] < 0))
            *dim = TFP_DIM_UNKNOWN; /* the region depends on values */
        else
            *dim = whole_dim(isnan(common) ? floor((double)((float)s.scale[k] * (float)size))
                                           : floor(common * size + 0.5));
    }
    tfp_set(op, 0, tfp_shape_of(op, dims, in.rank));
}

/* Nearest takes elements as they are; linear mixes two along each axis, cubic four. */
static tfp_cost count_resized(const tfp_op *op)
{
    tfp_str mode = tfp_attr_text(op, "mode", "nearest");
    int64_t each = tfp_str_eq(mode, TFP_STR("nearest")) ? 0 : tfp_str_eq(mode, TFP_STR("cubic")) ? 14 : 6;
    return tfp_cost_of(tfp_times(tfp_out_size(op, 0), each));
}

/* ---- regions ---- */

static void regions(tfp_op *op)
{
    tfp_dims in = tfp_merge_rank(op, tfp_in(op, 0), 4), rois = tfp_merge_rank(op, tfp_in(op, 1), 2);
    int64_t size[2] = { tfp_attr_int(op, "output_height", 1), tfp_attr_int(op, "output_width", 1) };
    if (tfp_attr_given(op, "pooled_shape") && tfp_attr_numbers(op, "pooled_shape", size, 2) != 2) return;
    int64_t dims[] = { tfp_dim(rois, 0), tfp_dim(in, 1), size[0], size[1] };
    tfp_set(op, 0, tfp_shape_of(op, dims, 4));
}

/* The places of the grid: [batch, channels, places ...]. */
static void sampled(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0), grid = tfp_in(op, 1);
    if (in.rank < 3 || grid.rank != in.rank) return;
    tfp_set(op, 0, tfp_joined(op, tfp_part(op, in, 0, 2), tfp_part(op, grid, 1, -1)));
}

static void grid_made(tfp_op *op)
{
    tfp_dims size = tfp_in_as_shape(op, 1);
    if (size.rank < 3) return;
    tfp_dims places = tfp_joined(op, tfp_vector_of(op, tfp_dim(size, 0)), tfp_part(op, size, 2, TFP_TO_END));
    tfp_set(op, 0, tfp_joined(op, places, tfp_vector_of(op, size.rank - 2)));
}

static void unpooled(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t kernel[TFP_RANK_MOST], strides[TFP_RANK_MOST], pads[2 * TFP_RANK_MOST] = { 0 }, dims[TFP_RANK_MOST];
    int spatials = in.rank - 2;
    if (tfp_onnx_given(op, 2)) {
        tfp_set(op, 0, tfp_in_as_shape(op, 2));
        return;
    }
    if (spatials < 1 || in.rank > TFP_RANK_MOST) return;
    for (int i = 0; i < spatials; i++) strides[i] = 1;
    if (tfp_attr_numbers(op, "kernel_shape", kernel, TFP_RANK_MOST) != (size_t)spatials) return;
    if (tfp_attr_given(op, "strides") && tfp_attr_numbers(op, "strides", strides, TFP_RANK_MOST) != (size_t)spatials)
        return;
    if (tfp_attr_given(op, "pads") && tfp_attr_numbers(op, "pads", pads, 2 * TFP_RANK_MOST) != (size_t)(2 * spatials))
        return;
    memcpy(dims, in.at, 2 * sizeof *dims);
    for (int i = 0; i < spatials; i++) {
        int64_t size = in.at[2 + i] > 0 ? tfp_plus(tfp_times(in.at[2 + i] - 1, strides[i]), kernel[i]) : TFP_UNKNOWN;
        dims[2 + i] = tfp_minus(size, tfp_add(pads[i], pads[spatials + i], NULL));
    }
    tfp_set(op, 0, tfp_shape_of(op, dims, in.rank));
}

static void cropped(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0), out = in;
    int64_t sizes[TFP_RANK_MOST], axes[TFP_RANK_MOST];
    int axis, count = tfp_onnx_numbers(op, "shape", 1, sizes, TFP_RANK_MOST);
    bool named = tfp_attr_given(op, "axes");
    if (in.rank < 0) return;
    if (count < 0 || (named ? tfp_attr_numbers(op, "axes", axes, TFP_RANK_MOST) != (size_t)count : count != in.rank)) {
        tfp_set(op, 0, tfp_any_of_rank(op, in.rank));
        return;
    }
    for (int k = 0; k < count; k++) {
        if (!tfp_onnx_axis(op, named ? axes[k] : k, in.rank, &axis)) return;
        out = tfp_with_dim(op, out, axis, sizes[k] < 0 ? TFP_DIM_UNKNOWN : sizes[k]);
    }
    tfp_set(op, 0, out);
}

/* Columns of blocks to an image: [batch, channels x block, blocks] to [batch, channels, image ...]. */
static void image_of_columns(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0), image = tfp_in_as_shape(op, 1), block = tfp_in_as_shape(op, 2);
    int64_t channels = tfp_over(tfp_dim(in, 1), tfp_elements(block));
    if (in.rank != 3 || image.rank < 0) return;
    tfp_set(op, 0, tfp_joined(op, tfp_matrix_of(op, tfp_dim(in, 0), channels < 0 ? TFP_DIM_UNKNOWN : channels), image));
}

static tfp_cost count_response(const tfp_op *op)
{
    int64_t window = tfp_attr_int(op, "size", -1);
    return tfp_cost_of(tfp_times(tfp_in_size(op, 0), tfp_plus(window, 5)));
}

const tfp_op_rule tfp_onnx_images[] = {
    { "Resize Upsample", resized, count_resized, 0, "n(out) * (0, 6 or 14)",
      "nearest; linear: two axes of 3; cubic: of 7" },
    { "RoiAlign MaxRoiPool", regions, TFP_EACH_OUT(1, "one step an element, as for a pool of unknown windows") },
    { "GridSample", sampled, TFP_EACH_OUT(6, "as a linear Resize") },
    { "AffineGrid", grid_made, TFP_EACH_OUT(6, "a row of the matrix an element") },
    { "MaxUnpool", unpooled, TFP_MOVES },
    { "CenterCropPad", cropped, TFP_MOVES },
    { "Col2Im", image_of_columns, TFP_EACH_IN(1, "a sum an element") },
    { "LRN", TFP_SHAPE("A -> A"), count_response, 0, "(size + 5) * n(in0)",
      "a square, the sum of the window, scale, shift, power and division" },
    { NULL },
};
