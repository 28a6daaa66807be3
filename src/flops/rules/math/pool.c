// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/pool.c: pooling in two and three dimensions, its gradients, and the fractional kind. A row's `per`
 * is the number of dimensions that the window moves along. */
#include "flops/rules/shared/layers.h"

#include <math.h>

/* ---- shapes ---- */

/* Rows and columns (and planes) of the image become positions of the window; so do channels when `deep`. */
static tfp_dims pooled(tfp_op *op, const tfp_window *w, const int64_t *sizes, bool deep)
{
    tfp_dims in = tfp_merge_rank(op, tfp_in(op, 0), w->at.rank);
    tfp_dims out = in;
    if (w->at.inner >= 0) out = tfp_with_dim(op, out, w->at.inner, tfp_merge_dim(op, tfp_dim(in, w->at.inner), 4));
    for (int k = 0; k < w->at.spatials; k++) {
        int dim = w->at.spatial[k];
        out = tfp_with_dim(op, out, dim, tfp_window_out(op, w, dim, tfp_dim(in, dim), sizes[dim]));
    }
    int depth = w->at.depth;
    return deep ? tfp_with_dim(op, out, depth, tfp_window_out(op, w, depth, tfp_dim(in, depth), sizes[depth])) : out;
}

static tfp_dims pooled_by_attributes(tfp_op *op, int spatials, bool deep)
{
    int64_t sizes[TFP_WINDOW_RANK];
    tfp_window w;
    if (!tfp_window_read(op, spatials, 0, &w)) return TFP_ANY_DIMS;
    if (!tfp_attr_of_dims(op, "ksize", (size_t)spatials + 2, 0, sizes)) return TFP_ANY_DIMS;
    return pooled(op, &w, sizes, deep);
}

void tfp_avg_pool_shape(tfp_op *op, int spatials) { tfp_set(op, 0, pooled_by_attributes(op, spatials, false)); }
void tfp_max_pool_shape(tfp_op *op) { tfp_set(op, 0, pooled_by_attributes(op, 2, true)); }

static void pool_shape(tfp_op *op) { tfp_avg_pool_shape(op, (int)op->rule->per); }

/* Reads four whole numbers from input i; false when they are not all known. */
static bool four_in(tfp_op *op, uint32_t i, int64_t *out)
{
    const double *at = tfp_in_elements(op, i);
    tfp_dims d = tfp_merge_rank(op, tfp_in(op, i), 1);
    tfp_merge_dim(op, tfp_dim(d, 0), 4);
    for (int k = 0; k < 4; k++) {
        if (!at || tfp_dim(d, 0) != 4 || !(at[k] >= INT32_MIN && at[k] <= INT32_MAX)) return false;
        out[k] = (int64_t)at[k];
    }
    return true;
}

/* Window and strides are the last two inputs; without them nothing is known. */
static tfp_dims pooled_by_inputs(tfp_op *op)
{
    int64_t sizes[TFP_WINDOW_RANK];
    tfp_window w;
    if (!tfp_window_read(op, 2, TFP_STRIDES_GIVEN, &w) || op->in_count < 3) return TFP_ANY_DIMS;
    bool known = four_in(op, op->in_count - 2, sizes);
    known &= four_in(op, op->in_count - 1, w.strides);
    tfp_merge_rank(op, tfp_in(op, 0), w.at.rank);
    return known ? pooled(op, &w, sizes, true) : TFP_ANY_DIMS;
}
static void pool_v2_shape(tfp_op *op) { tfp_set(op, 0, pooled_by_inputs(op)); }

static void pool_argmax_shape(tfp_op *op)
{
    tfp_dims out = pooled_by_attributes(op, 2, true);
    tfp_set(op, 0, out);
    tfp_set(op, 1, out);
}

static void like_input(tfp_op *op) { tfp_image_as(op, 0); }
static void sizes_first(tfp_op *op) { tfp_image_said(op, 0); }
static void sizes_of_four(tfp_op *op) { tfp_set(op, 0, tfp_merge_rank(op, tfp_in_as_shape(op, 0), 4)); }

/* For (image, pooled image, gradient of an image) -> pooled gradient. Equal dims are checked, but not merged. */
static void check_second_order(tfp_op *op, tfp_dims out, uint32_t image, uint32_t pooled_image)
{
    tfp_merge(op, tfp_in(op, 0), tfp_in(op, image));
    tfp_merge(op, tfp_in(op, pooled_image), out);
    tfp_set(op, 0, out);
}
static void second_order(tfp_op *op)
{
    bool deep = op->rule->per == 2;
    check_second_order(op, pooled_by_attributes(op, (int)op->rule->per, deep), 2, 1);
}
static void second_order_v2(tfp_op *op) { check_second_order(op, pooled_by_inputs(op), 2, 1); }
static void second_order_argmax(tfp_op *op) { check_second_order(op, pooled_by_attributes(op, 2, true), 1, 2); }

/* Each dimension divided by its ratio and truncated, in single precision as in TensorFlow. */
static void fractional_shape(tfp_op *op)
{
    int64_t out[4];
    tfp_dims in = tfp_merge_rank(op, tfp_in(op, 0), 4);
    const tfp_attr_list *list = tfp_attr_members(op, "pooling_ratio");
    const double *ratios = list->reals;
    if (tfp_wrong_if(op, list->real_count != 4, "not four pooling ratios")) return;
    for (int i = 0; i < 4; i++) {
        if (tfp_wrong_if(op, !(ratios[i] >= 1), "a pooling ratio below 1")) return;
        float places = floorf((float)tfp_dim(in, i) / (float)ratios[i]);
        out[i] = tfp_dim(in, i) >= 0 && places < 0x1p62f ? (int64_t)places : TFP_DIM_UNKNOWN;
    }
    tfp_set(op, 0, tfp_shape_of(op, out, 4));
    tfp_set(op, 1, tfp_vector_of(op, out[1]));
    tfp_set(op, 2, tfp_vector_of(op, out[2]));
}

/* ---- counts ---- */

static int64_t window_size(const tfp_op *op) { return tfp_attr_product(op, "ksize"); }

static tfp_cost pool_count(const tfp_op *op) { return tfp_cost_of(tfp_times(window_size(op), tfp_out_size(op, 0))); }

static tfp_cost avg_grad_count(const tfp_op *op)
{
    return tfp_cost_of(tfp_times(tfp_times(2, window_size(op)), tfp_in_size(op, 1)));
}

static tfp_cost max_grad_count(const tfp_op *op)
{
    return tfp_cost_of(tfp_times(tfp_plus(window_size(op), 1), tfp_in_size(op, 1)));
}

/* The product of the window's sizes where they are the second last input. */
static int64_t window_size_in(const tfp_op *op)
{
    if (op->in_count < 2) return TFP_UNKNOWN;
    const double *at = tfp_in_elements(op, op->in_count - 2);
    int64_t product = 1;
    if (!at || tfp_in_size(op, op->in_count - 2) != 4) return TFP_UNKNOWN;
    for (int k = 0; k < 4; k++) {
        if (!(at[k] >= 0 && at[k] <= INT32_MAX)) return TFP_UNKNOWN;
        product = tfp_times(product, (int64_t)at[k]);
    }
    return product;
}

static tfp_cost pool_v2_count(const tfp_op *op)
{
    return tfp_cost_of(tfp_times(window_size_in(op), tfp_out_size(op, 0)));
}

static tfp_cost max_grad_v2_count(const tfp_op *op)
{
    return tfp_cost_of(tfp_times(tfp_plus(window_size_in(op), 1), tfp_in_size(op, 1)));
}

static tfp_cost each_second(const tfp_op *op) { return tfp_cost_of(tfp_in_size(op, 1)); }

static tfp_cost fractional_max_grad_count(const tfp_op *op)
{
    return tfp_cost_of(tfp_plus(tfp_in_size(op, 0), tfp_in_size(op, 2)));
}

#define POOL(spatials, source) pool_count, (spatials), "product of ksize * n(out)", (source)
#define POOL_V2(source) pool_v2_count, 2, "product of ksize * n(out)", (source)
#define AVG_GRAD(spatials, source) avg_grad_count, (spatials), "2 * product of ksize * n(grad)", (source)
#define MAX_GRAD(spatials, source) max_grad_count, (spatials), "(product of ksize + 1) * n(orig_output)", (source)
const tfp_op_rule tfp_rules_pool[] = {
    { "AvgPool", pool_shape, POOL(2, "registry") },
    { TFP_ONEDNN("AvgPool"), pool_shape, POOL(2, "registry, as AvgPool") },
    { TFP_ONEDNN("AvgPoolGrad"), sizes_first, AVG_GRAD(2, "registry, as AvgPoolGrad") },
    { TFP_ONEDNN("MaxPool"), tfp_max_pool_shape, POOL(2, "registry, as MaxPool") },
    { TFP_ONEDNN("MaxPoolGrad"), like_input, MAX_GRAD(2, "registry, as MaxPoolGrad") },
    { "RiscPool", tfp_unknown_outputs, POOL(2, "as AvgPool and MaxPool") },
    { "AvgPool3D" TFP_ONEDNN("AvgPool3D"), pool_shape, POOL(3, "as AvgPool") },
    { "AvgPoolGrad", sizes_first, AVG_GRAD(2, "registry") },
    { "AvgPool3DGrad" TFP_ONEDNN("AvgPool3DGrad"), sizes_first, AVG_GRAD(3, "as AvgPoolGrad") },
    { "MaxPool", tfp_max_pool_shape, POOL(2, "registry") },
    { "MaxPoolV2", pool_v2_shape, POOL_V2("as MaxPool") },
    { "MaxPool3D" TFP_ONEDNN("MaxPool3D"), pool_shape, POOL(3, "as MaxPool") },
    { "MaxPoolWithArgmax", pool_argmax_shape, POOL(2, "as MaxPool") },
    { "MaxPoolGrad", like_input, MAX_GRAD(2, "registry") },
    { "MaxPoolGradV2", like_input, max_grad_v2_count, 2, "(product of ksize + 1) * n(orig_output)", "as MaxPoolGrad" },
    { "MaxPool3DGrad" TFP_ONEDNN("MaxPool3DGrad"), like_input, MAX_GRAD(3, "as MaxPoolGrad") },
    { "MaxPoolGradWithArgmax", like_input, each_second, 2, "n(grad)", "an addition at each known place" },
    { "MaxPoolGradGrad", second_order, POOL(2, "the place of the largest again") },
    { "MaxPoolGradGradV2", second_order_v2, POOL_V2("the place of the largest again") },
    { "MaxPool3DGradGrad", second_order, POOL(3, "the place of the largest again") },
    { "MaxPoolGradGradWithArgmax", second_order_argmax, TFP_MOVES },
    { "FractionalAvgPool", fractional_shape, TFP_EACH_IN(1, "an addition an element, regions without overlap") },
    { "FractionalMaxPool", fractional_shape, TFP_EACH_IN(1, "a comparison an element, regions without overlap") },
    { "FractionalAvgPoolGrad", sizes_of_four, TFP_EACH_OUT(2, "a division and an addition, as AvgPoolGrad") },
    { "FractionalMaxPoolGrad", like_input, fractional_max_grad_count, 2, "n(in0) + n(out_backprop)",
      "finds the largest again, adds there" },
    { NULL },
};
