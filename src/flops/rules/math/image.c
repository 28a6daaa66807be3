// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/image.c: ops on images: resizing, cropping, warping, colours, boxes, and reading and writing of
 * image files. Interpolation is counted by its taps: each source pixel of a result is one multiply-add. A comment after
 * a function lists the op's inputs. TensorFlow's rules: core/ops/image_ops.cc. */
#include "flops/rules/shared/rule.h"

static void need_rank(tfp_op *op, uint32_t i, int rank) { tfp_merge_rank(op, tfp_in(op, i), rank); }

static void crop_grad_image(tfp_op *op) /* grads, boxes, box_ind, image_size */
{
    tfp_set(op, 0, tfp_merge_rank(op, tfp_in_as_shape(op, 3), 4));
}

/* ---- colours ---- */

static void draw(tfp_op *op) /* images, boxes, (colours) */
{
    tfp_dims images = tfp_in(op, 0);
    if (op->in_count == 2) { /* version 2 does not check the colours */
        if (images.rank >= 0) tfp_merge_rank(op, images, 4);
        tfp_merge_dim(op, tfp_dim(tfp_merge_rank(op, tfp_in(op, 1), 3), 2), 4);
    }
    tfp_set(op, 0, images);
}

/* ---- files ---- */

static int64_t channels(tfp_op *op)
{
    int64_t n = tfp_attr_int(op, "channels", 0);
    if (n < 0) tfp_wrong(op, "channels below zero");
    return n > 0 ? n : TFP_DIM_UNKNOWN;
}

static void decode(tfp_op *op)
{
    need_rank(op, 0, 0);
    tfp_set(op, 0, tfp_shape_of(op, (int64_t[]){ TFP_DIM_UNKNOWN, TFP_DIM_UNKNOWN, channels(op) }, 3));
}

static void decode_any(tfp_op *op)
{
    decode(op);
    if (tfp_attr_bool(op, "expand_animations", true)) tfp_set(op, 0, TFP_ANY_DIMS);
}

static void decode_frames(tfp_op *op)
{
    need_rank(op, 0, 0);
    int64_t dims[] = { TFP_DIM_UNKNOWN, TFP_DIM_UNKNOWN, TFP_DIM_UNKNOWN, channels(op) };
    tfp_set(op, 0, tfp_shape_of(op, dims, 4));
}

static void decode_part(tfp_op *op) /* contents, crop_window: top, left, height, width */
{
    need_rank(op, 0, 0);
    tfp_merge_dim(op, tfp_dim(tfp_merge_rank(op, tfp_in(op, 1), 1), 0), 4);
    tfp_set(op, 0, tfp_shape_of(op, (int64_t[]){ tfp_told_dim(op, 1, 2), tfp_told_dim(op, 1, 3), channels(op) }, 3));
}

/* ---- boxes ---- */

/* The number of boxes given by input i. */
static int64_t told_most(tfp_op *op, uint32_t i)
{
    int64_t n = TFP_DIM_UNKNOWN;
    need_rank(op, i, 0);
    if (tfp_in_int(op, i, &n) && n < 0) tfp_wrong(op, "a negative number of boxes");
    return n < 0 ? TFP_DIM_UNKNOWN : n;
}

static void select_boxes(tfp_op *op) /* boxes or overlaps, scores, max_output_size, ... */
{
    tfp_dims boxes = tfp_merge_rank(op, tfp_in(op, 0), 2), scores = tfp_merge_rank(op, tfp_in(op, 1), 1);
    tfp_merge_dim(op, tfp_dim(boxes, 0), tfp_dim(scores, 0));
    int64_t most = told_most(op, 2);
    tfp_set(op, 0, tfp_vector_of(op, tfp_attr_bool(op, "pad_to_max_output_size", false) ? most : TFP_DIM_UNKNOWN));
}

static void select_boxes_v5(tfp_op *op) /* also their scores, and the number of valid ones */
{
    select_boxes(op);
    if (op->out_count > 0) tfp_set(op, 1, tfp_out(op, 0));
    tfp_set(op, 2, TFP_SCALAR_DIMS);
}

static void select_boxes_of_classes(tfp_op *op) /* boxes, scores, most of a class, most of all, ... */
{
    tfp_dims boxes = tfp_merge_rank(op, tfp_in(op, 0), 4), scores = tfp_merge_rank(op, tfp_in(op, 1), 3);
    tfp_merge_dim(op, tfp_dim(boxes, 3), 4);
    int64_t batch = tfp_dim(boxes, 0), of_class = told_most(op, 2), most = told_most(op, 3);
    if (tfp_attr_bool(op, "pad_per_class", false)) {
        int64_t all = tfp_times(of_class, tfp_dim(scores, 2));
        most = all < 0 || most < 0 ? TFP_DIM_UNKNOWN : all < most ? all : most;
    }
    tfp_set(op, 0, tfp_shape_of(op, (int64_t[]){ batch, most, 4 }, 3));
    tfp_set(op, 1, tfp_matrix_of(op, batch, most));
    tfp_set(op, 2, tfp_matrix_of(op, batch, most));
    tfp_set(op, 3, tfp_vector_of(op, batch));
}

/* ---- counts ---- */

static tfp_cost taps_out(const tfp_op *op) { return tfp_cost_macs(tfp_times(op->rule->per, tfp_out_size(op, 0))); }

static tfp_cost taps_in(const tfp_op *op) { return tfp_cost_macs(tfp_times(op->rule->per, tfp_in_size(op, 0))); }

static bool nearest(const tfp_op *op, const char *attr)
{
    tfp_str text = tfp_attr_text(op, attr, "");
    return text.size > 0 && (text.data[0] == 'n' || text.data[0] == 'N');
}

static tfp_cost crop_taps(const tfp_op *op) { return nearest(op, "method") ? tfp_cost_of(0) : taps_out(op); }

static tfp_cost crop_grad_taps(const tfp_op *op)
{
    return nearest(op, "method") ? tfp_cost_of(tfp_in_size(op, 0)) : taps_in(op);
}

static int64_t larger(int64_t a, int64_t b) { return a < 0 || b < 0 ? TFP_UNKNOWN : a > b ? a : b; }

static tfp_cost area_taps(const tfp_op *op) { return tfp_cost_macs(larger(tfp_in_size(op, 0), tfp_out_size(op, 0))); }

static tfp_cost count_pixels(const tfp_op *op) /* the last dimension of output 0 is the channels of a pixel */
{
    tfp_dims d = tfp_out(op, 0);
    int64_t pixels = d.rank > 0 ? 1 : TFP_UNKNOWN;
    for (int i = 0; i + 1 < d.rank; i++) pixels = tfp_times(pixels, d.at[i]);
    return tfp_cost_of(tfp_times(op->rule->per, pixels));
}

static tfp_cost count_warp(const tfp_op *op)
{
    tfp_cost points = count_pixels(op);
    if (nearest(op, "interpolation")) return points;
    int64_t taps = tfp_times(4, tfp_out_size(op, 0));
    return (tfp_cost){ tfp_plus(points.flops, tfp_times(2, taps)), taps };
}

/* ScaleAndTranslate: the width of its kernel in pixels. */
static int64_t kernel_width(const tfp_op *op)
{
    static const struct {
        const char *name;
        int width;
    } kernels[] = {
        { "lanczos1", 2 }, { "lanczos3", 6 }, { "lanczos5", 10 }, { "gaussian", 3 },
        { "box", 1 },      { "triangle", 2 }, { "keyscubic", 4 }, { "mitchellcubic", 4 },
    };
    tfp_str name = tfp_attr_text(op, "kernel_type", "lanczos3");
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (tfp_str_eq(name, tfp_str_of(kernels[i].name))) return kernels[i].width;
    }
    return TFP_UNKNOWN;
}

/* Rows first, then columns. With antialias a kernel grows as the image shrinks: then every pixel of the larger image
 * contributes to `width` others. */
static int64_t scale_taps(const tfp_op *op, tfp_dims from, tfp_dims to)
{
    bool antialias = tfp_attr_bool(op, "antialias", true);
    int64_t from_h = tfp_dim(from, 1), from_w = tfp_dim(from, 2), to_h = tfp_dim(to, 1), to_w = tfp_dim(to, 2);
    int64_t outside = tfp_times(kernel_width(op), tfp_times(tfp_dim(to, 0), tfp_dim(to, 3)));
    int64_t rows = tfp_times(antialias ? larger(from_h, to_h) : to_h, from_w);
    int64_t columns = tfp_times(antialias ? larger(from_w, to_w) : to_w, to_h);
    return tfp_times(outside, tfp_plus(rows, columns));
}

static tfp_cost count_scale(const tfp_op *op) { return tfp_cost_macs(scale_taps(op, tfp_in(op, 0), tfp_out(op, 0))); }

static tfp_cost count_scale_grad(const tfp_op *op)
{
    return tfp_cost_macs(scale_taps(op, tfp_in(op, 1), tfp_in(op, 0)));
}

#define TAPS(n, what) taps_out, (n), "2 * " #n " * n(out)", what
#define NO_FLOATS tfp_count_zero, 0, "0", "bytes in or out, no float arithmetic"
#define SCALE "one pass over rows, one over columns; kernel_width by kernel_type, of the larger image with antialias"

const tfp_op_rule tfp_rules_image[] = {
    { "ResizeBilinear", TFP_SHAPE("b__c, #hw -> bhwc"), TAPS(4, "weighted sum of 2 x 2 pixels") },
    { "ResizeBicubic", TFP_SHAPE("b__c, #hw -> bhwc"), TAPS(16, "weighted sum of 4 x 4 pixels") },
    { "ResizeNearestNeighbor", TFP_SHAPE("b__c, #hw -> bhwc"), TFP_MOVES },
    { "ResizeArea", TFP_SHAPE("b__c, #hw -> bhwc"), area_taps, 1, "2 * max(n(in0), n(out))",
      "weighted mean of the pixels under each" },
    { "ResizeBilinearGrad", TFP_SHAPE("*, A -> A"), taps_in, 4, "2 * 4 * n(in0)",
      "each gradient goes to 2 x 2 pixels" },
    { "ResizeBicubicGrad", TFP_SHAPE("*, A -> A"), taps_in, 16, "2 * 16 * n(in0)",
      "each gradient goes to 4 x 4 pixels" },
    { "ResizeNearestNeighborGrad", TFP_SHAPE("b__c, #hw -> bhwc"),
      TFP_EACH_IN(1, "each gradient is added to one pixel") },
    { "ScaleAndTranslate", TFP_SHAPE("b__c, #hw -> bhwc"), count_scale, 1,
      "2 * kernel_width * b * c * (oh * w + oh * ow)", SCALE },
    { "ScaleAndTranslateGrad", TFP_SHAPE("*, A -> A"), count_scale_grad, 1,
      "2 * kernel_width * b * c * (oh * w + oh * ow)", SCALE },
    { "CropAndResize", TFP_SHAPE("___c, n4, n, #hw -> nhwc"), crop_taps, 4, "2 * 4 * n(out), nearest: 0",
      "weighted sum of 2 x 2 pixels" },
    { "CropAndResizeGradImage", crop_grad_image, crop_grad_taps, 4, "2 * 4 * n(in0), nearest: n(in0)",
      "each gradient goes to 2 x 2 pixels" },
    { "CropAndResizeGradBoxes", TFP_SHAPE("*, *, A -> A"),
      TFP_EACH_IN(22, "slopes in y and x (12), by the gradient (2), to four edges (8)") },
    { "ImageProjectiveTransformV2 ImageProjectiveTransformV3", TFP_SHAPE("b__c, *, #hw -> bhwc"), count_warp, 16,
      "16 * pixels(out) + 2 * 4 * n(out), nearest without the second",
      "a point through 3 x 3 and two divisions; weighted sum of 2 x 2 pixels" },
    { "ExtractGlimpse ExtractGlimpseV2", TFP_SHAPE("b__c, #hw, b2 -> bhwc"), TFP_MOVES },

    { "RGBToHSV", TFP_SHAPE("B3 -> B3"), count_pixels, 12, "12 * pixels(out)",
      "extremes (4), range, saturation, hue (6)" },
    { "HSVToRGB", TFP_SHAPE("B3 -> B3"), count_pixels, 26, "26 * pixels(out)",
      "a clipped ramp (5) and a blend (3) a channel, 2 shared" },
    { "AdjustContrast", TFP_SHAPE("Bhwc -> Bhwc"),
      TFP_EACH_OUT(4, "mean of a channel (1), (x - mean) * factor + mean (3)") },
    { "AdjustContrastv2", TFP_SHAPE("Bhwc, () -> Bhwc"),
      TFP_EACH_OUT(4, "mean of a channel (1), (x - mean) * factor + mean (3)") },
    { "AdjustHue", TFP_SHAPE("Bhwc -> Bhwc"), count_pixels, 40, "40 * pixels(out)",
      "to HSV (12), turned and wrapped (2), back (26)" },
    { "AdjustSaturation", TFP_SHAPE("Bhwc -> Bhwc"), count_pixels, 41, "41 * pixels(out)",
      "to HSV (12), scaled and clipped (3), back (26)" },
    { "DrawBoundingBoxes DrawBoundingBoxesV2", draw, TFP_MOVES },

    { "DecodeJpeg DecodePng DecodeBmp DecodeJxl", decode, NO_FLOATS },
    { "DecodeImage", decode_any, NO_FLOATS },
    { "DecodeGif", TFP_SHAPE("() -> ___3"), NO_FLOATS },
    { "DecodeWebP", decode_frames, NO_FLOATS },
    { "DecodeAndCropJpeg", decode_part, NO_FLOATS },
    { "EncodeJpeg EncodeJpegVariableQuality", TFP_SHAPE("hwc -> ()"), NO_FLOATS },
    { "EncodePng", TFP_SHAPE("Bhwc -> B"), NO_FLOATS },
    { "ExtractJpegShape", TFP_SHAPE("() -> 3"), NO_FLOATS },

    /* The number of compared boxes depends on the data. */
    { "NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionWithOverlaps", select_boxes,
      TFP_NO_COUNT },
    { "NonMaxSuppressionV4", TFP_SHAPE_AFTER(select_boxes, "-> =, ()"), TFP_NO_COUNT },
    { "NonMaxSuppressionV5", select_boxes_v5, TFP_NO_COUNT },
    { "CombinedNonMaxSuppression", select_boxes_of_classes, TFP_NO_COUNT },
    { "GenerateBoundingBoxProposals", TFP_SHAPE("b___ -> b<post_nms_topn=300>4, b<post_nms_topn=300>"), TFP_NO_COUNT },
    { "SampleDistortedBoundingBox SampleDistortedBoundingBoxV2 StatelessSampleDistortedBoundingBox",
      TFP_SHAPE("3, __4 -> 3, 3, 114"), TFP_NO_COUNT },
    { NULL },
};
