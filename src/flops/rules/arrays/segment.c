// SPDX-License-Identifier: Apache-2.0
/* flops/rules/arrays/segment.c: sums, means and other reductions over groups of rows, sparse embeddings, and counts of
 * values. */
#include "flops/rules/shared/rule.h"

/* The number of segments for sorted ids that are constant: it follows from the last one. */
static int64_t segments(const tfp_op *op, uint32_t ids)
{
    const double *x = op->importer ? NULL : tfp_in_elements(op, ids);
    int64_t n = tfp_in_size(op, ids);
    if (!x || n < 1 || !(x[n - 1] >= 0 && x[n - 1] < 9007199254740992.0)) return TFP_DIM_UNKNOWN;
    return (int64_t)x[n - 1] + 1;
}

static void set_segments(tfp_op *op, uint32_t ids)
{
    int64_t rows = segments(op, ids);
    if (rows >= 0 && !op->wrong) tfp_set(op, 0, tfp_with_dim(op, tfp_out(op, 0), 0, rows));
}

static void shape_segment(tfp_op *op)
{
    tfp_shape_pattern(op, "_T, _ -> _T");
    set_segments(op, 1);
}

static void shape_sparse_segment(tfp_op *op)
{
    tfp_shape_pattern(op, "_T, n, n -> _T");
    set_segments(op, 2);
}

/* The data begins with the dims of the segment ids; they become one dim. */
static void shape_segment_of(tfp_op *op)
{
    tfp_dims data = tfp_in(op, 0), ids = tfp_in(op, 1);
    int64_t k = TFP_DIM_UNKNOWN;
    if (tfp_in_int(op, 2, &k) && k < 0) tfp_wrong(op, "a negative number of segments");
    if (data.rank < 0 || ids.rank < 0) return;
    tfp_at_least(op, data, ids.rank);
    for (int i = 0; i < ids.rank; i++) tfp_merge_dim(op, tfp_dim(data, i), ids.at[i]);
    if (!op->wrong) tfp_set(op, 0, tfp_joined(op, tfp_vector_of(op, k), tfp_part(op, data, ids.rank, TFP_TO_END)));
}

/* Elements of the rows that the indices select. */
static tfp_cost count_gathered(const tfp_op *op)
{
    tfp_dims data = tfp_in(op, 0);
    tfp_dims row = data.rank > 0 ? (tfp_dims){ data.rank - 1, data.at + 1 } : TFP_ANY_DIMS;
    return tfp_cost_of(tfp_times(op->rule->per, tfp_times(tfp_in_size(op, 1), tfp_elements(row))));
}

/* ---- counts of values ---- */

static void shape_dense_bincount(tfp_op *op)
{
    tfp_dims d = tfp_in(op, 0);
    int64_t size;
    tfp_merge_rank(op, tfp_in(op, 1), 0);
    if (d.rank > 2) tfp_wrong(op, "an input of higher rank than it may have");
    if (d.rank < 0 || op->wrong) return;
    if (!tfp_in_int(op, 1, &size)) {
        tfp_set(op, 0, tfp_any_of_rank(op, d.rank));
        return;
    }
    if (size < 0) tfp_wrong(op, "a negative size");
    tfp_set(op, 0, d.rank == 2 ? tfp_matrix_of(op, d.at[0], size) : tfp_vector_of(op, size));
}

static void shape_sparse_bincount(tfp_op *op)
{
    const double *shape = tfp_in_elements(op, 2);
    int64_t size, rank = tfp_in_size(op, 2);
    if (!shape || !tfp_in_int(op, 3, &size) || rank < 1) return;
    if (size < 0) tfp_wrong(op, "a negative size");
    tfp_dims d = tfp_in_as_shape(op, 2);
    if (op->wrong || d.rank < 1) return;
    tfp_set(op, 0, rank == 1 ? tfp_vector_of(op, size) : tfp_matrix_of(op, d.at[0], size));
}

/* One row for each row that the splits make. */
static void shape_ragged_bincount(tfp_op *op)
{
    int64_t size = TFP_DIM_UNKNOWN, splits = tfp_dim(tfp_in(op, 0), 0);
    tfp_in_int(op, 2, &size);
    tfp_set(op, 0, tfp_matrix_of(op, tfp_minus(splits, 1), size));
}

static void shape_dense_count(tfp_op *op)
{
    tfp_dims d = tfp_in(op, 0);
    if (tfp_in_size(op, 1) != 0) d = tfp_merge(op, d, tfp_in(op, 1));
    if (op->wrong) return;
    int64_t rank = d.rank < 0 ? TFP_DIM_UNKNOWN : d.rank;
    tfp_set(op, 0, tfp_matrix_of(op, TFP_DIM_UNKNOWN, rank));
    tfp_set(op, 1, tfp_vector_of(op, TFP_DIM_UNKNOWN));
    tfp_set(op, 2, tfp_vector_of(op, rank));
}

/* Index, value, and dense shape: an index has one number more than the values have dimensions. */
static void shape_ragged_count(tfp_op *op)
{
    int values = tfp_in(op, 1).rank;
    int64_t rank = values >= 0 ? values + 1 : op->importer ? TFP_DIM_UNKNOWN : 2;
    tfp_set(op, 0, tfp_matrix_of(op, TFP_DIM_UNKNOWN, rank));
    tfp_set(op, 1, tfp_vector_of(op, TFP_DIM_UNKNOWN));
    tfp_set(op, 2, tfp_vector_of(op, rank));
}

static const char added[] = "each element of the data is added once";
static const char mean[] = "as the registry's Mean: additions, and a division for each output";
static const char gathered[] = "each element of the rows named by indices is added once";
static const char scaled[] = "each element of the rows named by indices is scaled and added";
static const char tallied[] = "one addition for each value";

#define GATHERED(per, source) count_gathered, (per), #per " * n(in1) * n(row of in0)", (source)
#define TALLIED(index) TFP_EACH_OF(index, 1, "n(in" #index ")", tallied)
const tfp_op_rule tfp_rules_segment[] = {
    { "SegmentSum SegmentProd SegmentMin SegmentMax", shape_segment, TFP_EACH_IN(1, added) },
    { "SegmentMean", shape_segment, TFP_EACH_IN(1, mean) },
    { "SegmentSumV2 SegmentProdV2 SegmentMinV2 SegmentMaxV2 UnsortedSegmentSum UnsortedSegmentProd UnsortedSegmentMin "
      "UnsortedSegmentMax",
      shape_segment_of, TFP_EACH_IN(1, added) },
    { "UnsortedSegmentJoin", shape_segment_of, TFP_MOVES },

    { "SparseSegmentSum", shape_sparse_segment, GATHERED(1, gathered) },
    { "SparseSegmentMean SparseSegmentSqrtN", shape_sparse_segment, GATHERED(1, mean) },
    { "SparseSegmentSumWithNumSegments SparseSegmentSumGrad", TFP_SHAPE("_T, n, n, #k -> kT"), GATHERED(1, gathered) },
    { "SparseSegmentMeanWithNumSegments SparseSegmentSqrtNWithNumSegments", TFP_SHAPE("_T, n, n, #k -> kT"),
      GATHERED(1, mean) },
    { "SparseSegmentMeanGrad SparseSegmentSqrtNGrad", TFP_SHAPE("_T, n, n, #k -> kT"), GATHERED(2, scaled) },
    { "SparseSegmentSumGradV2", TFP_SHAPE("_T, n, n, () -> _T, _"), GATHERED(1, gathered) },
    { "SparseSegmentMeanGradV2 SparseSegmentSqrtNGradV2", TFP_SHAPE("_T, n, n, () -> _T, _"), GATHERED(2, scaled) },

    { "Bincount", TFP_SHAPE("*, #k -> k"), TALLIED(0) },
    { "DenseBincount", shape_dense_bincount, TALLIED(0) },
    { "SparseBincount", shape_sparse_bincount, TALLIED(1) },
    { "RaggedBincount", shape_ragged_bincount, TALLIED(1) },
    { "DenseCountSparseOutput", shape_dense_count, TALLIED(0) },
    { "SparseCountSparseOutput", TFP_SHAPE("_r -> _r, _, r"), TALLIED(1) },
    { "RaggedCountSparseOutput", shape_ragged_count, TALLIED(1) },
    { NULL },
};
