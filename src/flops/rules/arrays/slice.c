// SPDX-License-Identifier: Apache-2.0
/* flops/rules/arrays/slice.c: shapes of ops that cut, join, pad and repeat arrays.
 * TensorFlow's shape functions: tensorflow/core/ops/array_ops.cc, framework/common_shape_fns.cc. */
#include "flops/rules/shared/array.h"

/* ---- slices ---- */

/* One dimension of a slice: `size` -1 takes everything after `begin`; INT64_MIN is unknown. */
static int64_t slice_dim(tfp_op *op, int64_t dim, int64_t begin, int64_t size)
{
    if (size < -1 && size != INT64_MIN) tfp_wrong(op, "a slice of negative size");
    return size == -1 ? tfp_dim_minus(op, dim, begin) : size < 0 ? TFP_DIM_UNKNOWN : size;
}

void tfp_shape_slice(tfp_op *op)
{
    tfp_dims begins = tfp_merge_rank(op, tfp_in(op, 1), 1), sizes = tfp_merge_rank(op, tfp_in(op, 2), 1);
    int64_t rank = tfp_dim(tfp_merge(op, begins, sizes), 0);
    tfp_dims in = tfp_in(op, 0), begin = tfp_in_as_shape(op, 1);
    int64_t dims[TFP_RANK_MOST];
    if (rank > TFP_RANK_MOST) tfp_wrong(op, "more dimensions than there may be");
    if (op->wrong || (rank < 0 && in.rank < 0)) return;
    in = rank >= 0 ? tfp_merge_rank(op, in, (int)rank) : in;
    /* TensorFlow reads partly known sizes as dims, where -1 means unknown. */
    if (op->importer && !tfp_in_all(op, 2)) {
        tfp_dims as_shape = tfp_in_as_shape(op, 2);
        tfp_set(op, 0, as_shape.rank >= 0 ? as_shape : tfp_any_of_rank(op, in.rank));
        return;
    }
    for (int i = 0; i < in.rank; i++) dims[i] = slice_dim(op, in.at[i], tfp_dim(begin, i), tfp_in_at(op, 2, i));
    tfp_set(op, 0, tfp_shape_of(op, dims, in.rank));
}

void tfp_shape_strided_slice(tfp_op *op)
{
    tfp_strided plan;
    if (!tfp_strided_plan(op, tfp_in(op, 0), &plan)) return;
    tfp_set(op, 0, tfp_shape_of(op, plan.out, plan.out_rank));
    if (op->out_count) op->out[0].held = tfp_in_held(op, 0);
}

/* ---- joining ---- */

static void concat_without_axis(tfp_op *op, uint32_t first, uint32_t end)
{
    int rank = TFP_RANK_UNKNOWN;
    for (uint32_t i = first; i < end && rank < 0; i++) rank = tfp_in(op, i).rank;
    if (rank < 0) return;
    if (rank == 0) tfp_wrong(op, "scalars cannot be concatenated");
    for (uint32_t i = first; i < end; i++) tfp_merge_rank(op, tfp_in(op, i), rank);
    tfp_set(op, 0, tfp_any_of_rank(op, rank));
}

static tfp_dims behind(tfp_op *op, tfp_dims d, int axis)
{
    return axis == -1 ? TFP_SCALAR_DIMS : tfp_part(op, d, axis + 1, TFP_TO_END);
}

static void concat(tfp_op *op, uint32_t first, uint32_t end, uint32_t axis_input)
{
    int64_t axis, middle = 0;
    if (first >= end || end > op->in_count) return;
    if (tfp_in(op, axis_input).rank > 0) tfp_wrong(op, "an axis that is no scalar");
    if (!tfp_in_int(op, axis_input, &axis)) {
        concat_without_axis(op, first, end);
        return;
    }
    if (axis < -TFP_RANK_MOST || axis >= TFP_RANK_MOST) tfp_wrong(op, "an axis that no input has");
    if (op->wrong) return;
    int at = (int)axis, least = at < 0 ? -at : at + 1;
    tfp_dims before = TFP_ANY_DIMS, after = TFP_ANY_DIMS;
    for (uint32_t i = first; i < end; i++) {
        tfp_dims in = tfp_at_least(op, tfp_in(op, i), least);
        before = tfp_merge(op, before, tfp_part(op, in, 0, at));
        after = tfp_merge(op, after, behind(op, in, at));
        middle = tfp_dim_plus(op, middle, tfp_dim(in, at));
    }
    if (op->wrong) return;
    tfp_set(op, 0, tfp_joined(op, tfp_joined(op, before, tfp_vector_of(op, middle)), after));
}

void tfp_shape_concat(tfp_op *op) { concat(op, 1, op->in_count, 0); }
void tfp_shape_concat_v2(tfp_op *op) { concat(op, 0, op->in_count ? op->in_count - 1 : 0, op->in_count - 1); }

static bool axis_in(tfp_op *op, int rank, int *axis)
{
    int64_t at = tfp_attr_int(op, "axis", 0);
    if (at < -rank || at >= rank) return tfp_wrong(op, "an axis outside of the rank"), false;
    *axis = (int)(at < 0 ? at + rank : at);
    return true;
}

/* A stack holds the tensors that all inputs of one type hold. */
static void pack_held(tfp_op *op)
{
    const tfp_held *first = tfp_in_held(op, 0);
    if (!first || !op->out_count) return;
    tfp_dims shape = first->shape;
    for (uint32_t i = 1; i < op->in_count; i++) {
        const tfp_held *h = tfp_in_held(op, i);
        if (!h || h->dtype != first->dtype) return;
        shape = tfp_either(op, shape, h->shape);
    }
    tfp_set_held(op, 0, shape, first->dtype);
}

void tfp_shape_pack(tfp_op *op)
{
    tfp_dims all = TFP_ANY_DIMS;
    int axis;
    for (uint32_t i = 0; i < op->in_count; i++) all = tfp_merge(op, all, tfp_in(op, i));
    pack_held(op);
    if (op->wrong || all.rank < 0 || !axis_in(op, all.rank + 1, &axis)) return;
    tfp_dims front = tfp_joined(op, tfp_part(op, all, 0, axis), tfp_vector_of(op, op->in_count));
    tfp_set(op, 0, tfp_joined(op, front, tfp_part(op, all, axis, TFP_TO_END)));
}

void tfp_shape_unpack(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int axis;
    if (in.rank < 0 || !axis_in(op, in.rank, &axis)) return;
    tfp_merge_dim(op, in.at[axis], op->out_count);
    tfp_dims out = tfp_joined(op, tfp_part(op, in, 0, axis), tfp_part(op, in, axis + 1, TFP_TO_END));
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, out);
}

/* ---- taking apart ---- */

/* Reads the axis from input i; false when it is not known, also when it counts from the end of an unknown rank. */
static bool axis_from(tfp_op *op, uint32_t i, int rank, int *axis)
{
    int64_t at;
    if (!tfp_in_int(op, i, &at) || (at < 0 && rank < 0)) return false;
    if (at < 0) at += rank;
    if (at < 0 || at >= (rank < 0 ? TFP_RANK_MOST : rank)) return tfp_wrong(op, "an axis outside of the rank"), false;
    *axis = (int)at;
    return true;
}

static void all_outputs(tfp_op *op, tfp_dims shape)
{
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, shape);
}

void tfp_shape_split(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 1);
    int axis;
    if (!axis_from(op, 0, in.rank, &axis)) {
        if (in.rank >= 0 && !op->wrong) all_outputs(op, tfp_any_of_rank(op, in.rank));
        return;
    }
    if (in.rank < 0) return;
    all_outputs(op, tfp_with_dim(op, in, axis, tfp_dim_over(op, in.at[axis], op->out_count)));
}

/* The rest of `dim`, for the one part with size -1. */
static int64_t rest_of_split(tfp_op *op, int64_t dim)
{
    const double *sizes = tfp_in_all(op, 1);
    int64_t total = 0, rests = 0;
    if (!sizes) return TFP_DIM_UNKNOWN;
    for (uint32_t i = 0; i < op->out_count; i++) {
        int64_t size = tfp_in_at(op, 1, i);
        rests += size == -1;
        if (size != -1) total = tfp_dim_plus(op, total, size);
    }
    if (rests > 1) tfp_wrong(op, "more than one part of a split takes the rest");
    if (dim >= 0 && total >= 0 && (rests ? total > dim : total != dim)) tfp_wrong(op, "parts that are not the whole");
    return tfp_dim_minus(op, dim, total);
}

void tfp_shape_split_v(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0), sizes = tfp_in(op, 1);
    int axis;
    if (in.rank == 0) tfp_wrong(op, "a scalar cannot be split");
    if (sizes.rank == 1 && sizes.at[0] >= 0 && sizes.at[0] != (int64_t)op->out_count)
        tfp_wrong(op, "another number of parts than of sizes");
    if (in.rank < 0 || op->wrong) return;
    bool known = axis_from(op, 2, in.rank, &axis);
    if (op->wrong) return;
    if (!known && !(op->importer && tfp_in_all(op, 1))) {
        all_outputs(op, tfp_any_of_rank(op, in.rank));
        return;
    }
    if (!known) axis = in.rank - 1; /* TensorFlow treats an unknown axis as -1 when it knows the sizes */
    int64_t rest = rest_of_split(op, in.at[axis]);
    for (uint32_t i = 0; i < op->out_count; i++) {
        int64_t size = tfp_in_at(op, 1, i);
        if (size < -1 && size != INT64_MIN) tfp_wrong(op, "a part of negative size");
        tfp_set(op, i, tfp_with_dim(op, in, axis, size == -1 ? rest : size));
    }
}

/* ---- padding and repeating ---- */

/* Sum of both paddings of dimension i; unknown when one is. */
static int64_t padding(tfp_op *op, int i)
{
    int64_t front = tfp_in_at(op, 1, 2 * (int64_t)i), back = tfp_in_at(op, 1, 2 * (int64_t)i + 1);
    if (front == INT64_MIN || back == INT64_MIN) return TFP_DIM_UNKNOWN;
    if (front < 0 || back < 0) tfp_wrong(op, "a negative padding");
    return tfp_dim_plus(op, front, back);
}

/* The input, merged with the rank of the paddings; any when neither is known. */
static tfp_dims padded_input(tfp_op *op)
{
    tfp_dims pads = tfp_merge_rank(op, tfp_in(op, 1), 2), in = tfp_in(op, 0);
    tfp_merge_dim(op, tfp_dim(pads, 1), 2);
    int64_t rank = tfp_dim(pads, 0);
    if (rank > TFP_RANK_MOST) tfp_wrong(op, "more dimensions than there may be");
    if (op->wrong) return TFP_ANY_DIMS;
    return rank >= 0 ? tfp_merge_rank(op, in, (int)rank) : in;
}

void tfp_shape_pad(tfp_op *op)
{
    tfp_dims in = padded_input(op);
    int64_t dims[TFP_RANK_MOST];
    if (op->wrong || in.rank < 0) return;
    for (int i = 0; i < in.rank; i++) {
        int64_t pad = padding(op, i);
        dims[i] = tfp_dim_plus(op, in.at[i], pad);
    }
    tfp_set(op, 0, tfp_shape_of(op, dims, in.rank));
}

void tfp_shape_mirror_pad_grad(tfp_op *op)
{
    tfp_dims in = padded_input(op);
    int64_t dims[TFP_RANK_MOST];
    if (op->wrong || in.rank < 0 || (op->importer && tfp_dim(tfp_in(op, 1), 0) < 0)) return;
    for (int i = 0; i < in.rank; i++) {
        int64_t pad = padding(op, i);
        dims[i] = tfp_dim_minus(op, in.at[i], pad);
    }
    tfp_set(op, 0, tfp_shape_of(op, dims, in.rank));
}

static void tile(tfp_op *op, int64_t (*each)(tfp_op *op, int64_t dim, int64_t times))
{
    tfp_dims times = tfp_in_as_shape(op, 1), in = tfp_in(op, 0);
    int64_t dims[TFP_RANK_MOST];
    tfp_merge_rank(op, tfp_in(op, 1), 1);
    if (in.rank >= 0) {
        tfp_merge_dim(op, tfp_dim(tfp_in(op, 1), 0), in.rank);
        times = tfp_merge_rank(op, times, in.rank);
    }
    if (op->wrong || times.rank < 0) return;
    in = tfp_merge_rank(op, in, times.rank);
    for (int i = 0; i < times.rank; i++) dims[i] = each(op, in.at[i], times.at[i]);
    tfp_set(op, 0, tfp_shape_of(op, dims, times.rank));
}

static int64_t repeated(tfp_op *op, int64_t dim, int64_t times)
{
    (void)op;
    return tfp_dim_times(op, dim, times);
}

static int64_t unrepeated(tfp_op *op, int64_t dim, int64_t times)
{
    return times <= 0 ? TFP_DIM_UNKNOWN : tfp_dim_over(op, dim, times);
}

void tfp_shape_tile(tfp_op *op) { tile(op, repeated); }

void tfp_shape_tile_grad(tfp_op *op) { tile(op, unrepeated); }
