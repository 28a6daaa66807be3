// SPDX-License-Identifier: Apache-2.0
/* flops/rules/arrays/lookup.c: shapes as values, and searches in arrays: indexes, distinct values, bounds, distances.
 * TensorFlow's rules: core/ops/array_ops.cc. */
#include "flops/rules/shared/array.h"

/* ---- shapes as values ---- */

static void shape_vectors(tfp_op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, tfp_vector_of(op, tfp_in(op, i).rank));
}

static void broadcast_args(tfp_op *op)
{
    int64_t a = tfp_dim(tfp_merge_rank(op, tfp_in(op, 0), 1), 0), b = tfp_dim(tfp_merge_rank(op, tfp_in(op, 1), 1), 0);
    tfp_set(op, 0, tfp_vector_of(op, a < 0 || b < 0 ? TFP_DIM_UNKNOWN : a > b ? a : b));
}

static void concat_offset(tfp_op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, tfp_in(op, i + 1));
}

/* ---- searching ---- */

static void sorted_bound(tfp_op *op)
{
    tfp_merge_rank(op, tfp_in(op, 0), 2);
    tfp_merge_rank(op, tfp_in(op, 1), 2);
    tfp_set(op, 0, tfp_in(op, 1));
}

/* One binary search in a row for each value. */
static tfp_cost count_sorted_bound(const tfp_op *op)
{
    int64_t row = tfp_dim(tfp_in(op, 0), 1), steps = 0;
    if (row < 0) return tfp_cost_of(TFP_UNKNOWN);
    for (; row > 0; row /= 2) steps++;
    return tfp_cost_of(tfp_times(steps, tfp_in_size(op, 1)));
}

static void unravel_index(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t rank = tfp_dim(tfp_merge_rank(op, tfp_in(op, 1), 1), 0);
    if (in.rank == 0) tfp_set(op, 0, tfp_vector_of(op, rank));
    if (in.rank > 0) tfp_set(op, 0, tfp_matrix_of(op, rank, tfp_elements(in)));
}

static void check_sparse(tfp_op *op, uint32_t first)
{
    tfp_dims indices = tfp_merge_rank(op, tfp_in(op, first), 2), values = tfp_merge_rank(op, tfp_in(op, first + 1), 1);
    tfp_dims shape = tfp_merge_rank(op, tfp_in(op, first + 2), 1);
    tfp_merge_dim(op, tfp_dim(indices, 0), tfp_dim(values, 0));
    tfp_merge_dim(op, tfp_dim(indices, 1), tfp_dim(shape, 0));
}

static void edit_distance(tfp_op *op)
{
    int64_t rank = tfp_in_size(op, 2), dims[TFP_RANK_MOST];
    check_sparse(op, 0);
    check_sparse(op, 3);
    if (op->wrong || !tfp_in_all(op, 2) || !tfp_in_all(op, 5)) return;
    if (tfp_wrong_if(op, rank != tfp_in_size(op, 5) || rank < 1 || rank > TFP_RANK_MOST, "shapes of different ranks"))
        return;
    for (int i = 0; i + 1 < (int)rank; i++) {
        int64_t a = tfp_in_at(op, 2, i), b = tfp_in_at(op, 5, i);
        dims[i] = a > b ? a : b;
    }
    tfp_set(op, 0, tfp_shape_of(op, dims, (int)rank - 1));
}

const tfp_op_rule tfp_rules_lookup[] = {
    /* op                          shape                        count */
    { "Shape ShapeN", shape_vectors, TFP_MOVES },
    { "Size Rank", tfp_scalar_outputs, TFP_MOVES },
    { "BroadcastArgs", broadcast_args, TFP_MOVES },
    { "BroadcastGradientArgs", tfp_shape_broadcast_gradient_args, TFP_MOVES },
    { "ConcatOffset", concat_offset, TFP_MOVES },

    { "Where", tfp_shape_where, TFP_MOVES },
    { "Unique UniqueWithCounts", tfp_shape_unique, TFP_MOVES },
    { "UniqueV2 UniqueWithCountsV2", tfp_shape_unique_v2, TFP_MOVES },
    { "ListDiff", tfp_shape_list_diff, TFP_MOVES },
    { "UpperBound LowerBound", sorted_bound, count_sorted_bound, 0,
      "steps * n(values), steps = bits of the row's length", "a comparison for each step of a binary search" },
    { "UnravelIndex", unravel_index, TFP_MOVES },
    { "EditDistance", edit_distance, TFP_NO_COUNT },
    { "Fingerprint", TFP_SHAPE("nT, () -> n8"), TFP_MOVES },
    { NULL },
};
