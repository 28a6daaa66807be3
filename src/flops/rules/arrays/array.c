// SPDX-License-Identifier: Apache-2.0
/* flops/rules/arrays/array.c: ops that rename, make, reshape and reorder arrays. Cutting and joining is in slice.c,
 * blocks and patches in space.c, searches in lookup.c, shapes that depend on values in value.c. TensorFlow's shape
 * functions: tensorflow/core/ops/array_ops.cc, math_ops.cc, manip_ops.cc. */
#include "base/dtype.h"
#include "flops/rules/shared/array.h"

#include <math.h>

/* ---- ops that rename a value ---- */

/* Output 0 is input 0, with its elements and held tensors. */
static void unchanged(tfp_op *op)
{
    tfp_set(op, 0, tfp_in(op, 0));
    if (op->out_count) op->out[0].held = tfp_in_held(op, 0);
}

static void each_unchanged(tfp_op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++) {
        tfp_set(op, i, tfp_in(op, i));
        op->out[i].held = tfp_in_held(op, i);
    }
}

static void ensured(tfp_op *op)
{
    unchanged(op);
    tfp_set(op, 0, tfp_merge(op, tfp_attr_shape(op, "shape"), tfp_in(op, 0)));
}

/* ---- new arrays ---- */

static void constant(tfp_op *op)
{
    const tfp_attr_tensor *value = tfp_attr_const(op, "value");
    if (value && tfp_dims_known(value->shape)) tfp_set(op, 0, value->shape);
}

static void as_attr_says(tfp_op *op) { tfp_set(op, 0, tfp_attr_shape(op, "shape")); }

static void with_default(tfp_op *op)
{
    tfp_merge(op, tfp_in(op, 0), tfp_attr_shape(op, "shape"));
    as_attr_says(op);
}

static void shape_input(tfp_op *op)
{
    tfp_merge_rank(op, tfp_in(op, 0), 1);
    tfp_set(op, 0, tfp_in_as_shape(op, 0));
}

static void fill(tfp_op *op)
{
    int64_t n = tfp_in_size(op, 0);
    tfp_merge_rank(op, tfp_in(op, 1), 0);
    for (int64_t i = 0; i < n && i < TFP_RANK_MOST; i++) {
        int64_t dim = tfp_in_at(op, 0, i);
        if (dim < 0 && dim != INT64_MIN) tfp_wrong(op, "a negative dimension");
    }
    shape_input(op);
    if (op->out_count) op->out[0].held = tfp_in_held(op, 1);
}

/* Steps from start to limit, computed as TensorFlow does in the type of the numbers. */
static double range_size(int dtype, double start, double limit, double delta)
{
    if (dtype == TFP_DT_FLOAT) return (double)ceilf(fabsf(((float)limit - (float)start) / (float)delta));
    if (dtype == TFP_DT_DOUBLE) return ceil(fabs((limit - start) / delta));
    return floor((fabs(limit - start) + fabs(delta) - 1) / fabs(delta));
}

static void range(tfp_op *op)
{
    const double *start = tfp_in_all(op, 0), *limit = tfp_in_all(op, 1), *delta = tfp_in_all(op, 2);
    int64_t size = TFP_DIM_UNKNOWN;
    int dtype = tfp_in_type(op, 0);
    for (uint32_t i = 0; i < 3; i++) tfp_merge_rank(op, tfp_in(op, i), 0);
    bool computed = dtype == TFP_DT_FLOAT || dtype == TFP_DT_DOUBLE || tfp_type_bytes(dtype) >= 4 ||
                    dtype == TFP_DT_INT16 || dtype == TFP_DT_INT8;
    if (!op->wrong && start && limit && delta && computed) {
        if (*delta == 0 || (*start > *limit && *delta > 0) || (*start < *limit && *delta < 0))
            tfp_wrong(op, "a range that does not lead to its limit");
        else if (!tfp_whole(range_size(dtype, *start, *limit, *delta), &size))
            size = TFP_DIM_UNKNOWN;
    }
    tfp_set(op, 0, tfp_vector_of(op, size));
}

static void lin_space(tfp_op *op)
{
    int64_t count = TFP_DIM_UNKNOWN;
    for (uint32_t i = 0; i < 3; i++) tfp_merge_rank(op, tfp_in(op, i), 0);
    if (tfp_in_int(op, 2, &count) && count <= 0) tfp_wrong(op, "a count that is not positive");
    tfp_set(op, 0, tfp_vector_of(op, count));
}

static void one_hot(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t depth = TFP_DIM_UNKNOWN, axis = tfp_attr_int(op, "axis", -1);
    tfp_merge_rank(op, tfp_in(op, 1), 0);
    if (tfp_in_int(op, 1, &depth) && depth < -1) tfp_wrong(op, "a negative depth");
    if (axis < -1 || (in.rank >= 0 && axis > in.rank)) tfp_wrong(op, "an axis outside of the rank");
    if (op->wrong || in.rank < 0) return;
    int at = (int)(axis < 0 ? in.rank : axis);
    tfp_dims front = tfp_joined(op, tfp_part(op, in, 0, at), tfp_vector_of(op, depth));
    tfp_set(op, 0, tfp_joined(op, front, tfp_part(op, in, at, TFP_TO_END)));
}

/* The attribute has the whole shape; each input is one row of it. */
static void parallel_concat(tfp_op *op)
{
    tfp_dims whole = tfp_attr_shape(op, "shape");
    if (tfp_wrong_if(op, !tfp_dims_known(whole) || whole.rank == 0, "a shape that is not known")) return;
    tfp_dims row = tfp_with_dim(op, whole, 0, 1);
    for (uint32_t i = 0; i < op->in_count; i++) tfp_merge(op, row, tfp_in(op, i));
    tfp_set(op, 0, whole);
}

/* ---- another shape ---- */

/* Product of the known dims, and the index of the unknown one: -1 when all are known, -2 when several are unknown. */
static int64_t known_part(tfp_dims d, int *unknown)
{
    int64_t product = 1;
    *unknown = -1;
    if (tfp_elements(d) == 0) return 0;
    for (int i = 0; i < d.rank; i++) {
        if (d.at[i] < 0)
            *unknown = *unknown == -1 ? i : -2;
        else
            product = tfp_times(product, d.at[i]);
    }
    return product;
}

/* One unknown dimension follows from the number of elements. */
static tfp_dims reshaped(tfp_op *op, tfp_dims in, tfp_dims out)
{
    int in_unknown, out_unknown;
    int64_t in_part = known_part(in, &in_unknown), out_part = known_part(out, &out_unknown);
    if (in_unknown == -2 || out_unknown == -2 || in_part < 0 || out_part < 0) return out;
    if (in_unknown == -1 && out_unknown == -1) {
        if (in_part != out_part) tfp_wrong(op, "another number of elements than before");
    } else if (in_unknown == -1 && out_part > 0) {
        return tfp_with_dim(op, out, out_unknown, tfp_dim_over(op, in_part, out_part));
    } else if (out_unknown == -1 && in_part > 0) {
        tfp_dim_over(op, out_part, in_part);
    }
    return out;
}

static void reshape(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    tfp_merge_rank(op, tfp_in(op, 1), 1);
    tfp_dims out = tfp_in_as_shape(op, 1);
    if (in.rank >= 0 && out.rank >= 0) out = reshaped(op, in, out);
    tfp_set(op, 0, out);
}

static bool squeezes(const int64_t *axes, size_t count, int rank, int i)
{
    for (size_t k = 0; k < count; k++)
        if (axes[k] == i || axes[k] == i - rank) return true;
    return false;
}

static void squeeze(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    const tfp_attr_list *list = tfp_attr_members(op, "squeeze_dims");
    const int64_t *axes = list->numbers;
    size_t count = list->number_count;
    int64_t dims[TFP_RANK_MOST];
    int rank = 0;
    if (in.rank < 0) return;
    for (size_t k = 0; k < count; k++)
        if (axes[k] < -in.rank || axes[k] >= in.rank) tfp_wrong(op, "an axis outside of the rank");
    for (int i = 0; i < in.rank; i++) {
        bool named = squeezes(axes, count, in.rank, i);
        if (in.at[i] < 0 && count == 0) return; /* it may be 1 */
        if (named && in.at[i] > 1) tfp_wrong(op, "a dimension that is not 1 cannot be dropped");
        if (named && in.at[i] == 0) tfp_wrong(op, "an empty dimension cannot be dropped");
        if (!named && (count || in.at[i] != 1)) dims[rank++] = in.at[i];
    }
    tfp_set(op, 0, tfp_shape_of(op, dims, rank));
}

static void expand_dims(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t axis;
    if (!tfp_in_int(op, 1, &axis) || in.rank < 0) return;
    if (tfp_wrong_if(op, axis < -in.rank - 1 || axis > in.rank, "an axis outside of the rank")) return;
    int at = (int)(axis < 0 ? axis + in.rank + 1 : axis);
    tfp_dims front = tfp_joined(op, tfp_part(op, in, 0, at), tfp_vector_of(op, 1));
    tfp_set(op, 0, tfp_joined(op, front, tfp_part(op, in, at, TFP_TO_END)));
}

static void transpose(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0), order = tfp_in(op, 1);
    int64_t rank = in.rank >= 0 ? in.rank : tfp_elements(order), dims[TFP_RANK_MOST];
    if (rank < 0) return;
    if (rank > TFP_RANK_MOST) tfp_wrong(op, "more dimensions than there may be");
    if (op->wrong || (in.rank < 0 && rank < 2)) return;
    tfp_merge_dim(op, tfp_dim(tfp_merge_rank(op, order, 1), 0), rank);
    for (int i = 0; i < (int)rank; i++) {
        int64_t from = tfp_in_at(op, 1, i);
        if (from != INT64_MIN && (from >= rank || from < -rank)) tfp_wrong(op, "an axis outside of the rank");
        dims[i] = from == INT64_MIN || op->wrong ? TFP_DIM_UNKNOWN : tfp_dim(in, (int)from);
    }
    tfp_set(op, 0, tfp_shape_of(op, dims, (int)rank));
}

static void diagonal_part(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    if (in.rank < 0) return;
    if (in.rank % 2 || in.rank == 0)
        tfp_wrong(op, "a rank that is odd or zero");
    else
        tfp_set(op, 0, tfp_merge(op, tfp_part(op, in, 0, in.rank / 2), tfp_part(op, in, in.rank / 2, TFP_TO_END)));
}

static void bitcast(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int from = tfp_type_bytes(tfp_attr_type(op, "T", 0)), to = tfp_type_bytes(tfp_attr_type(op, "type", 0));
    if (in.rank < 0 || from <= 0 || to <= 0) return;
    if (from == to) tfp_set(op, 0, in);
    if (from > to) tfp_set(op, 0, tfp_joined(op, in, tfp_vector_of(op, from / to)));
    if (from >= to) return;
    tfp_merge_dim(op, tfp_dim(tfp_at_least(op, in, 1), -1), to / from);
    tfp_set(op, 0, tfp_part(op, in, 0, -1));
}

static void broadcast_to(tfp_op *op)
{
    tfp_merge_rank(op, tfp_in(op, 1), 1);
    tfp_dims in = tfp_in(op, 0), out = tfp_in_as_shape(op, 1);
    if (in.rank > 0 && out.rank >= 0 && in.rank > out.rank) tfp_wrong(op, "a shape of lower rank than the input");
    for (int i = 1; i <= in.rank && out.rank >= 0 && !op->wrong; i++)
        if (in.at[in.rank - i] > 1)
            out = tfp_with_dim(op, out, -i, tfp_merge_dim(op, in.at[in.rank - i], tfp_dim(out, -i)));
    tfp_set(op, 0, out);
}

/* ---- another order ---- */

static void reverse(tfp_op *op)
{
    tfp_dims flags = tfp_merge_rank(op, tfp_in(op, 1), 1), in = tfp_in(op, 0);
    int64_t rank = tfp_dim(flags, 0);
    if (rank > 8 || in.rank > 8) tfp_wrong(op, "more dimensions than can be reversed");
    tfp_set(op, 0, rank >= 0 && !op->wrong ? tfp_merge_rank(op, in, (int)rank) : in);
}

static void reverse_v2(tfp_op *op)
{
    tfp_dims axes = tfp_merge_rank(op, tfp_in(op, 1), 1), in = tfp_in(op, 0);
    if (in.rank > 8) tfp_wrong(op, "more dimensions than can be reversed");
    for (int64_t i = 0; i < tfp_dim(axes, 0) && in.rank >= 0 && i <= in.rank; i++) {
        int64_t axis = tfp_in_at(op, 1, i);
        if (axis != INT64_MIN && (axis < -in.rank || axis >= in.rank)) tfp_wrong(op, "an axis outside of the rank");
    }
    tfp_set(op, 0, in);
}

static void reverse_sequence(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0), lengths = tfp_merge_rank(op, tfp_in(op, 1), 1);
    int64_t along = tfp_attr_int(op, "seq_dim", 0), batch = tfp_attr_int(op, "batch_dim", 0);
    if (in.rank < 0) return;
    if (tfp_wrong_if(op, along >= in.rank || batch >= in.rank || along < -in.rank || batch < -in.rank,
                     "an axis outside of the rank"))
        return;
    int64_t dim = tfp_merge_dim(op, tfp_dim(in, (int)batch), tfp_dim(lengths, 0));
    tfp_set(op, 0, tfp_with_dim(op, in, (int)batch, dim));
}

static void roll(tfp_op *op)
{
    tfp_at_least(op, tfp_in(op, 0), 1);
    if (tfp_in(op, 1).rank > 1 || tfp_in(op, 2).rank > 1) tfp_wrong(op, "shifts that are no vector");
    tfp_set(op, 0, tfp_in(op, 0));
}

/* ---- counts ---- */

/* Elements that are folded together are added: one addition for each that disappears. */
static tfp_cost count_folded(const tfp_op *op)
{
    return tfp_cost_of(tfp_minus(tfp_in_size(op, 0), tfp_out_size(op, 0)));
}

#define FOLDED count_folded, 0, "n(in0) - n(out)", "an addition for each element that disappears"
#define UPDATES TFP_EACH_OF(2, 1, "n(updates)", "one operation an element")

const tfp_op_rule tfp_rules_array[] = {
    /* op                          shape                        count */
    { "Const HostConst", constant, TFP_MOVES },
    { "ImmutableConst Placeholder PlaceholderV2 _ParallelConcatStart", as_attr_says, TFP_MOVES },
    { "PlaceholderWithDefault", with_default, TFP_MOVES },
    { "Empty", shape_input, TFP_MOVES },
    { "Fill", fill, TFP_MOVES },
    { "ZerosLike OnesLike", unchanged, TFP_MOVES },
    { "Range", range, TFP_MOVES },
    { "LinSpace", lin_space, TFP_EACH_OUT(2, "a multiplication and an addition each") },
    { "OneHot", one_hot, TFP_MOVES },

    { "Identity RefIdentity Snapshot StopGradient PreventGradient GuaranteeConst DebugGradientIdentity "
      "DebugGradientRefIdentity CheckNumerics CheckNumericsV2 DeepCopy _ParallelConcatUpdate InplaceUpdate",
      unchanged, TFP_MOVES },
    { "IdentityN", each_unchanged, TFP_MOVES },
    { "EnsureShape", ensured, TFP_MOVES },
    { "InplaceAdd InplaceSub", unchanged, UPDATES },

    { "Reshape", reshape, TFP_MOVES },
    { "Squeeze", squeeze, TFP_MOVES },
    { "ExpandDims", expand_dims, TFP_MOVES },
    { "Transpose ConjugateTranspose", transpose, TFP_MOVES },
    { "Bitcast", bitcast, TFP_MOVES },
    { "BroadcastTo", broadcast_to, TFP_MOVES },
    { "Diag", TFP_SHAPE("aS -> aSaS"), TFP_MOVES },
    { "DiagPart", diagonal_part, TFP_MOVES },

    { "Reverse", reverse, TFP_MOVES },
    { "ReverseV2", reverse_v2, TFP_MOVES },
    { "ReverseSequence", reverse_sequence, TFP_MOVES },
    { "Roll", roll, TFP_MOVES },
    { "InvertPermutation", TFP_SHAPE("n -> n"), TFP_MOVES },

    { "Concat", tfp_shape_concat, TFP_MOVES },
    { "ConcatV2", tfp_shape_concat_v2, TFP_MOVES },
    { "ParallelConcat", parallel_concat, TFP_MOVES },
    { "Pack", tfp_shape_pack, TFP_MOVES },
    { "Unpack", tfp_shape_unpack, TFP_MOVES },
    { "Split", tfp_shape_split, TFP_MOVES },
    { "SplitV", tfp_shape_split_v, TFP_MOVES },
    { "Slice", tfp_shape_slice, TFP_MOVES },
    { "StridedSlice", tfp_shape_strided_slice, TFP_MOVES },
    { "StridedSliceGrad", shape_input, TFP_MOVES },
    { "StridedSliceAssign TensorStridedSliceUpdate", unchanged, TFP_MOVES },
    { "ResourceStridedSliceAssign", tfp_no_outputs, TFP_MOVES },
    { "Pad PadV2 MirrorPad", tfp_shape_pad, TFP_MOVES },
    { "MirrorPadGrad", tfp_shape_mirror_pad_grad, FOLDED },
    { "Tile", tfp_shape_tile, TFP_MOVES },
    { "TileGrad", tfp_shape_tile_grad, FOLDED },

    { "SpaceToBatchND", tfp_shape_space_to_batch_nd, TFP_MOVES },
    { "SpaceToBatch", tfp_shape_space_to_batch, TFP_MOVES },
    { "BatchToSpaceND", tfp_shape_batch_to_space_nd, TFP_MOVES },
    { "BatchToSpace", tfp_shape_batch_to_space, TFP_MOVES },
    { "SpaceToDepth", tfp_shape_space_to_depth, TFP_MOVES },
    { "DepthToSpace", tfp_shape_depth_to_space, TFP_MOVES },
    { "ExtractImagePatches", tfp_shape_image_patches, TFP_MOVES },
    { "ExtractVolumePatches", tfp_shape_volume_patches, TFP_MOVES },
    { NULL },
};
