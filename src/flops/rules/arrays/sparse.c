// SPDX-License-Identifier: Apache-2.0
/* flops/rules/arrays/sparse.c: sparse tensors (indices, values, shape), ragged ones (values, row splits), and CSR
 * matrices, which are variants that hold the matrix's shape. */
#include "flops/rules/shared/rule.h"

/* ---- sparse tensors ---- */

/* Sets indices, values and shape of a sparse tensor of that rank and unknown size. */
static void set_sparse(tfp_op *op, int64_t rank)
{
    tfp_set(op, 0, tfp_matrix_of(op, TFP_DIM_UNKNOWN, rank));
    tfp_set(op, 1, tfp_vector_of(op, TFP_DIM_UNKNOWN));
    tfp_set(op, 2, tfp_vector_of(op, rank));
}

/* N indices, N values, N shapes. */
static void shape_concat(tfp_op *op)
{
    uint32_t n = op->in_count / 3;
    int64_t rows = 0, columns = TFP_DIM_UNKNOWN;
    tfp_dims shape = tfp_any_of_rank(op, 1);
    for (uint32_t i = 0; i < n; i++) {
        tfp_dims indices = tfp_merge_rank(op, tfp_in(op, i), 2), values = tfp_merge_rank(op, tfp_in(op, n + i), 1);
        rows = tfp_plus(rows, tfp_merge_dim(op, tfp_dim(indices, 0), tfp_dim(values, 0)));
        columns = tfp_merge_dim(op, columns, tfp_dim(indices, 1));
        shape = tfp_merge(op, shape, tfp_merge_rank(op, tfp_in(op, 2 * n + i), 1));
    }
    tfp_set(op, 0, tfp_matrix_of(op, rows, columns));
    tfp_set(op, 1, tfp_vector_of(op, rows));
    tfp_set(op, 2, shape);
}

static void shape_fill_rows(tfp_op *op)
{
    tfp_shape_pattern(op, "nr, n, r, () -> _r, _, _, n");
    tfp_dims dense = tfp_in_as_shape(op, 2);
    tfp_set(op, 2, tfp_vector_of(op, tfp_dim(dense, 0)));
    if (op->importer) tfp_set(op, 0, tfp_matrix_of(op, TFP_DIM_UNKNOWN, tfp_dim(tfp_in(op, 2), 0)));
}

static void shape_slice(tfp_op *op)
{
    tfp_dims shape = tfp_in(op, 2);
    set_sparse(op, tfp_elements(shape));
    tfp_set(op, 2, shape);
}

/* The axes must be constant; TensorFlow takes any number modulo the rank, with C++'s sign. */
static void shape_reduce(tfp_op *op)
{
    const double *shape = tfp_in_elements(op, 2), *axes = tfp_in_elements(op, 3);
    int64_t rank = tfp_in_size(op, 2), axis_count = tfp_in_size(op, 3);
    if (!shape || !axes || rank < 0 || rank > TFP_RANK_MOST) return;
    bool reduced[TFP_RANK_MOST + 1] = { false }, keep = tfp_attr_bool(op, "keep_dims", false);
    for (int64_t i = 0; i < axis_count && rank > 0; i++) {
        if (!(axes[i] > -9007199254740992.0 && axes[i] < 9007199254740992.0)) return;
        int64_t axis = ((int64_t)axes[i] + rank) % rank;
        if (axis >= 0) reduced[axis] = true;
    }
    int64_t dims[TFP_RANK_MOST];
    int n = 0;
    for (int64_t i = 0; i < rank; i++) {
        bool known = shape[i] >= 0 && shape[i] < 9007199254740992.0;
        if (!reduced[i]) dims[n++] = known ? (int64_t)shape[i] : TFP_DIM_UNKNOWN;
        if (reduced[i] && keep) dims[n++] = 1;
    }
    tfp_set(op, 0, tfp_shape_of(op, dims, n));
}

/* Outputs num_split indices, then values, then shapes. */
static void shape_split(tfp_op *op)
{
    tfp_dims shape = tfp_in(op, 3);
    uint32_t n = op->out_count / 3;
    tfp_dims indices = tfp_matrix_of(op, TFP_DIM_UNKNOWN, tfp_elements(shape));
    tfp_dims values = tfp_vector_of(op, TFP_DIM_UNKNOWN);
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, i < n ? indices : i < 2 * n ? values : shape);
}

static void shape_dense_matmul(tfp_op *op)
{
    tfp_merge_rank(op, tfp_in(op, 0), 2);
    tfp_merge_rank(op, tfp_in(op, 1), 1);
    tfp_dims a = tfp_merge_rank(op, tfp_in_as_shape(op, 2), 2), b = tfp_merge_rank(op, tfp_in(op, 3), 2);
    int at = tfp_attr_bool(op, "adjoint_a", false), bt = tfp_attr_bool(op, "adjoint_b", false);
    if (op->wrong) return;
    tfp_merge_dim(op, tfp_dim(a, !at), tfp_dim(b, bt));
    tfp_set(op, 0, tfp_matrix_of(op, tfp_dim(a, at), tfp_dim(b, !bt)));
}

static tfp_cost count_dense_matmul(const tfp_op *op)
{
    int64_t nonzeros = tfp_dim(tfp_in(op, 0), 0);
    if (nonzeros < 0) nonzeros = tfp_in_size(op, 1);
    return tfp_cost_macs(tfp_times(nonzeros, tfp_dim(tfp_out(op, 0), 1)));
}

static void shape_dense_sets(tfp_op *op)
{
    tfp_dims a = tfp_at_least(op, tfp_in(op, 0), 2), b = tfp_at_least(op, tfp_in(op, 1), 2);
    if (op->wrong) return;
    if (a.rank >= 0 && b.rank >= 0) tfp_merge(op, tfp_part(op, a, 0, -1), tfp_part(op, b, 0, -1));
    int rank = a.rank >= 0 ? a.rank : b.rank;
    set_sparse(op, rank >= 0 ? rank : TFP_DIM_UNKNOWN);
}

static void shape_dense_sparse_sets(tfp_op *op)
{
    tfp_dims a = tfp_at_least(op, tfp_in(op, 0), 2), shape = tfp_merge_rank(op, tfp_in(op, 3), 1);
    set_sparse(op, tfp_merge_dim(op, a.rank >= 0 ? a.rank : TFP_DIM_UNKNOWN, tfp_dim(shape, 0)));
}

/* All but the last dimension; TensorFlow has no shape function for it. */
static void shape_set_size(tfp_op *op)
{
    tfp_dims shape = tfp_in_as_shape(op, 2);
    if (!op->importer && shape.rank > 0) tfp_set(op, 0, tfp_part(op, shape, 0, -1));
}

static tfp_cost count_both(const tfp_op *op) /* values of two sparse tensors, three inputs each */
{
    return tfp_cost_of(tfp_plus(tfp_in_size(op, 1), tfp_in_size(op, 4)));
}

/* ---- ragged tensors ---- */

/* Row splits of the result: as many as each ragged input has, one more than each dense input has rows. */
static void shape_ragged_cross(tfp_op *op)
{
    size_t ragged = tfp_attr_members(op, "ragged_values_types")->size,
           dense = tfp_attr_members(op, "dense_types")->size;
    int64_t splits = TFP_DIM_UNKNOWN;
    for (size_t i = ragged; i < 2 * ragged && i < op->in_count; i++)
        splits = tfp_merge_dim(op, splits, tfp_dim(tfp_in(op, (uint32_t)i), 0));
    for (uint32_t i = 1; i <= dense && i <= op->in_count; i++)
        splits = tfp_merge_dim(op, splits, tfp_plus(tfp_dim(tfp_in(op, op->in_count - i), 0), 1));
    tfp_set(op, 0, tfp_vector_of(op, TFP_DIM_UNKNOWN));
    tfp_set(op, 1, tfp_vector_of(op, splits));
}

/* Inputs: the splits of the parameters, their values, indices; every output but the last is splits. */
static void shape_ragged_gather(tfp_op *op)
{
    if (op->in_count < 2 || !op->out_count) return;
    tfp_dims values = tfp_at_least(op, tfp_in(op, op->in_count - 2), 1);
    for (uint32_t i = 0; i + 2 < op->in_count; i++) tfp_merge_rank(op, tfp_in(op, i), 1);
    for (uint32_t i = 0; i + 1 < op->out_count; i++) tfp_set(op, i, tfp_vector_of(op, TFP_DIM_UNKNOWN));
    if (values.rank > 0) tfp_set(op, op->out_count - 1, tfp_with_dim(op, values, 0, TFP_DIM_UNKNOWN));
}

/* One row for each element of starts, limits and deltas, at least one of which is a vector; one row when all are
 * scalars. */
static void shape_ragged_range(tfp_op *op)
{
    int64_t rows = TFP_DIM_UNKNOWN;
    bool scalars = true;
    for (uint32_t i = 0; i < 3; i++) {
        tfp_dims d = tfp_in(op, i);
        if (d.rank > 1) tfp_wrong(op, "an input of higher rank than it may have");
        if (d.rank == 1) rows = tfp_merge_dim(op, rows, d.at[0]);
        scalars &= d.rank == 0;
    }
    tfp_set(op, 0, tfp_vector_of(op, tfp_plus(scalars ? 1 : rows, 1)));
    tfp_set(op, 1, tfp_vector_of(op, TFP_DIM_UNKNOWN));
}

static void shape_ragged_from_variant(tfp_op *op)
{
    for (uint32_t i = 0; i + 1 < op->out_count; i++) tfp_set(op, i, tfp_vector_of(op, TFP_DIM_UNKNOWN));
}

static void shape_ragged_to_sparse(tfp_op *op)
{
    if (!op->in_count) return;
    tfp_dims values = tfp_at_least(op, tfp_in(op, op->in_count - 1), 1);
    int64_t n = tfp_elements(values);
    int64_t rank = values.rank < 0 ? TFP_DIM_UNKNOWN : values.rank + (int64_t)op->in_count - 1;
    tfp_set(op, 0, tfp_matrix_of(op, n, rank));
    tfp_set(op, 1, tfp_vector_of(op, n));
    tfp_set(op, 2, tfp_vector_of(op, rank));
}

static void shape_ragged_to_variant(tfp_op *op)
{
    if (tfp_attr_bool(op, "batched_input", false))
        tfp_set(op, 0, tfp_vector_of(op, tfp_minus(tfp_dim(tfp_in(op, 0), 0), 1)));
    else
        tfp_set(op, 0, TFP_SCALAR_DIMS);
}

/* The number of dimensions that the row partitions make: FIRST_DIM_SIZE only gives the size of another partition. */
static int ragged_rank(const tfp_op *op)
{
    const tfp_attr_list *types = tfp_attr_members(op, "row_partition_types");
    size_t n = types->text_count;
    if (n && tfp_str_eq(types->texts[0], TFP_STR("FIRST_DIM_SIZE"))) n--;
    return n && n < TFP_RANK_MOST ? (int)n : -1;
}

/* The wanted shape where it is given; below the ragged dimensions that of the values. */
static void shape_ragged_to_tensor(tfp_op *op)
{
    tfp_dims wanted = tfp_in_as_shape(op, 0), values = tfp_in(op, 1);
    int ragged = ragged_rank(op);
    if (ragged < 0) return;
    if (values.rank < 0) {
        tfp_set(op, 0, wanted);
        return;
    }
    if (wanted.rank < 0) wanted = tfp_any_of_rank(op, ragged + values.rank);
    if (tfp_wrong_if(op, wanted.rank != ragged + values.rank || values.rank < 1,
                     "the shape asked for has another rank than the ragged tensor"))
        return;
    tfp_dims inner = tfp_merge(op, tfp_part(op, wanted, ragged + 1, TFP_TO_END), tfp_part(op, values, 1, TFP_TO_END));
    tfp_set(op, 0, tfp_joined(op, tfp_part(op, wanted, 0, ragged + 1), inner));
}

/* ---- CSR matrices ---- */

static tfp_dims csr(tfp_op *op, uint32_t i)
{
    const tfp_held *held = tfp_in_held(op, i);
    tfp_dims d = held ? held->shape : TFP_ANY_DIMS;
    if (d.rank != 2 && d.rank != 3) tfp_wrong(op, "no matrix, nor a batch of them");
    return op->wrong ? TFP_ANY_DIMS : d;
}

static void set_csr(tfp_op *op, tfp_dims shape, int dtype)
{
    if (shape.rank != 2 && shape.rank != 3) tfp_wrong(op, "no matrix, nor a batch of them");
    if (op->wrong) return;
    tfp_set(op, 0, TFP_SCALAR_DIMS);
    tfp_set_held(op, 0, shape, dtype);
}

static int csr_type(const tfp_op *op, uint32_t i)
{
    const tfp_held *held = tfp_in_held(op, i);
    return held ? held->dtype : 0;
}

static void shape_sparse_to_csr(tfp_op *op)
{
    tfp_dims indices = tfp_merge_rank(op, tfp_in(op, 0), 2), shape = tfp_in_as_shape(op, 2);
    int64_t rank = tfp_dim(indices, 1);
    if (shape.rank < 0 && (rank == 2 || rank == 3)) shape = tfp_any_of_rank(op, (int)rank);
    if (rank != shape.rank) tfp_wrong(op, "indices of another rank than the shape");
    set_csr(op, shape, tfp_attr_type(op, "T", 0));
}

static void shape_dense_to_csr(tfp_op *op)
{
    tfp_dims dense = tfp_in(op, 0), indices = tfp_merge_rank(op, tfp_in(op, 1), 2);
    if (tfp_dim(indices, 1) != dense.rank) tfp_wrong(op, "indices of another rank than the matrix");
    set_csr(op, dense, tfp_attr_type(op, "T", 0));
}

static void shape_csr_zeros(tfp_op *op) { set_csr(op, tfp_in_as_shape(op, 0), tfp_attr_type(op, "type", 0)); }
static void shape_csr_same(tfp_op *op) { set_csr(op, csr(op, 0), csr_type(op, 0)); }
static void shape_csr_merged(tfp_op *op) { set_csr(op, tfp_merge(op, csr(op, 0), csr(op, 1)), csr_type(op, 1)); }
static void shape_csr_to_dense(tfp_op *op) { tfp_set(op, 0, csr(op, 0)); }

static void shape_csr_to_sparse(tfp_op *op)
{
    int rank = csr(op, 0).rank;
    if (!op->wrong) set_sparse(op, rank);
}

static void shape_csr_components(tfp_op *op)
{
    tfp_dims d = csr(op, 0);
    tfp_set(op, 0, tfp_vector_of(op, tfp_plus(tfp_dim(d, -2), 1)));
    tfp_set(op, 1, tfp_vector_of(op, TFP_DIM_UNKNOWN));
    tfp_set(op, 2, tfp_vector_of(op, TFP_DIM_UNKNOWN));
}

static void shape_csr_nonzeros(tfp_op *op)
{
    tfp_dims d = csr(op, 0);
    tfp_set(op, 0, tfp_part(op, d, 0, -2));
}

static void shape_csr_order(tfp_op *op)
{
    tfp_dims d = csr(op, 0);
    tfp_merge_dim(op, tfp_dim(d, -1), tfp_dim(d, -2));
    tfp_set(op, 0, tfp_part(op, d, 0, -1));
}

static void shape_csr_transpose(tfp_op *op)
{
    tfp_dims d = csr(op, 0);
    tfp_dims turned = tfp_matrix_of(op, tfp_dim(d, -1), tfp_dim(d, -2));
    set_csr(op, tfp_joined(op, tfp_part(op, d, 0, -2), turned), csr_type(op, 0));
}

/* Multiplies by a scalar, or by one number for each matrix of the batch. */
static void shape_csr_mul(tfp_op *op)
{
    tfp_dims a = csr(op, 0), b = tfp_in(op, 1);
    bool batch = a.rank == 3 && b.rank == 3 && b.at[1] == 1 && b.at[2] == 1;
    if (b.rank != 0 && !batch) tfp_wrong(op, "a factor that is no scalar, nor one for each of the batch");
    if (batch) a = tfp_with_dim(op, a, 0, tfp_merge_dim(op, a.at[0], b.at[0]));
    set_csr(op, a, csr_type(op, 0));
}

static bool turned(const tfp_op *op, const char *transpose, const char *adjoint)
{
    return tfp_attr_bool(op, transpose, false) || tfp_attr_bool(op, adjoint, false);
}

/* Rows and columns of a product; calls tfp_wrong when they do not fit. */
static tfp_dims csr_product(tfp_op *op, tfp_dims a, tfp_dims b)
{
    bool at = turned(op, "transpose_a", "adjoint_a"), bt = turned(op, "transpose_b", "adjoint_b");
    tfp_merge_dim(op, tfp_dim(a, at ? -2 : -1), tfp_dim(b, bt ? -1 : -2));
    int64_t rows = tfp_dim(a, at ? -1 : -2), columns = tfp_dim(b, bt ? -2 : -1);
    bool swapped = tfp_attr_bool(op, "transpose_output", false);
    return swapped ? tfp_matrix_of(op, columns, rows) : tfp_matrix_of(op, rows, columns);
}

static void shape_csr_matmul(tfp_op *op)
{
    tfp_dims a = csr(op, 0), b = tfp_at_least(op, tfp_in(op, 1), 2);
    if (op->wrong) return;
    tfp_dims batch = tfp_part(op, a, 0, -2);
    if (b.rank >= 0) batch = tfp_merge(op, batch, tfp_part(op, b, 0, -2));
    tfp_set(op, 0, tfp_joined(op, batch, csr_product(op, a, b)));
}

static void shape_csr_sparse_matmul(tfp_op *op)
{
    tfp_dims a = csr(op, 0), b = csr(op, 1);
    if (op->wrong) return;
    tfp_dims batch = tfp_broadcast(op, tfp_part(op, a, 0, -2), tfp_part(op, b, 0, -2));
    set_csr(op, tfp_joined(op, batch, csr_product(op, a, b)), csr_type(op, 1));
}

/* The number of values in a matrix is known at run time only. */
static tfp_cost count_nonzeros(const tfp_op *op)
{
    (void)op;
    return tfp_cost_of(TFP_UNKNOWN);
}

static const char each_value[] = "each value once";
static const char at_run_time[] = "nnz, the values that a matrix holds, is known at run time only";

#define VALUES(per, source) TFP_EACH_OF(1, per, #per " * n(in1)", source)
#define BOTH count_both, 1, "n(in1) + n(in4)", "each value of both once"
#define NONZEROS(formula) count_nonzeros, 0, formula, at_run_time
const tfp_op_rule tfp_rules_sparse[] = {
    { "SparseTensorDenseMatMul", shape_dense_matmul, count_dense_matmul, 2, "2 * nnz * columns",
      "a multiply-add for each value of the sparse matrix and each column of the product" },
    { "SparseAdd", TFP_SHAPE("*, *, r -> _r, _, r"), BOTH },
    { "SparseAddGrad", TFP_SHAPE("*, a_, b_, * -> a, b"), TFP_MOVES },
    { "SparseConcat", shape_concat, TFP_MOVES },
    { "SparseCross SparseCrossV2 SparseCrossHashed", TFP_SHAPE("-> _2, _, 2"), TFP_MOVES },
    { "SparseDenseCwiseAdd SparseDenseCwiseMul SparseDenseCwiseDiv", TFP_SHAPE("n_ -> n"), VALUES(1, each_value) },
    { "SparseFillEmptyRows", shape_fill_rows, TFP_MOVES },
    { "SparseFillEmptyRowsGrad", TFP_SHAPE("n, _ -> n, ()"), VALUES(1, each_value) },
    { "SparseReduceSum SparseReduceMax", shape_reduce, VALUES(1, each_value) },
    { "SparseReduceSumSparse SparseReduceMaxSparse", tfp_unknown_outputs, VALUES(1, each_value) },
    { "SparseReorder", TFP_SHAPE("nr, v, _ -> nr, v"), TFP_MOVES },
    { "SparseReshape", TFP_SHAPE("n_, _, r -> nr, r"), TFP_MOVES },
    { "SparseSlice", shape_slice, TFP_MOVES },
    { "SparseSliceGrad", TFP_SHAPE("*, n_ -> n"), TFP_MOVES },
    { "SparseSoftmax", TFP_SHAPE("__, n, _ -> n"), VALUES(5, "as the registry's Softmax, over the values") },
    { "SparseSparseMaximum SparseSparseMinimum", TFP_SHAPE("__, _, _, __, _, _ -> __, _"), BOTH },
    { "SparseSplit", shape_split, TFP_MOVES },
    { "SparseTensorDenseAdd", TFP_SHAPE("*, *, *, D -> D"), VALUES(1, each_value) },
    { "SparseToDense", TFP_SHAPE("*, #S -> S"), TFP_MOVES },
    { "SparseToSparseSetOperation", TFP_SHAPE("n_, n, r, m_, m, r -> _r, _, r"), TFP_MOVES },
    { "DenseToSparseSetOperation", shape_dense_sparse_sets, TFP_MOVES },
    { "DenseToDenseSetOperation", shape_dense_sets, TFP_MOVES },
    { "SetSize", shape_set_size, TFP_MOVES },
    { "SerializeSparse", TFP_SHAPE("__, _, _ -> 3"), TFP_MOVES },
    { "SerializeManySparse", TFP_SHAPE("__, _, _ -> _3"), TFP_MOVES },
    { "DeserializeSparse", TFP_SHAPE("T3 -> __, _, _"), TFP_MOVES },
    { "DeserializeManySparse", TFP_SHAPE("_3 -> __, _, _"), TFP_MOVES },
    { "AddSparseToTensorsMap", TFP_SHAPE("__, _, _ -> ()"), TFP_MOVES },
    { "AddManySparseToTensorsMap", TFP_SHAPE("__, _, _ -> _"), TFP_MOVES },
    { "TakeManySparseFromTensorsMap", TFP_SHAPE("_ -> __, _, _"), TFP_MOVES },

    { "RaggedCross", shape_ragged_cross, TFP_MOVES },
    { "RaggedFillEmptyRows", TFP_SHAPE("n, n, (), () -> _, _, _, n"), TFP_MOVES },
    { "RaggedFillEmptyRowsGrad", TFP_SHAPE("n, _ -> n, ()"), VALUES(1, each_value) },
    { "RaggedGather", shape_ragged_gather, TFP_MOVES },
    { "RaggedRange", shape_ragged_range, TFP_MOVES },
    { "RaggedTensorFromVariant", shape_ragged_from_variant, TFP_MOVES },
    { "RaggedTensorToSparse", shape_ragged_to_sparse, TFP_MOVES },
    { "RaggedTensorToTensor", shape_ragged_to_tensor, TFP_MOVES },
    { "RaggedTensorToVariant", shape_ragged_to_variant, TFP_MOVES },
    { "RaggedTensorToVariantGradient", TFP_SHAPE("*, *, #S -> S"), TFP_MOVES },

    { "SparseTensorToCSRSparseMatrix", shape_sparse_to_csr, TFP_MOVES },
    { "DenseToCSRSparseMatrix", shape_dense_to_csr, TFP_MOVES },
    { "SparseMatrixZeros", shape_csr_zeros, TFP_MOVES },
    { "CSRSparseMatrixToSparseTensor", shape_csr_to_sparse, TFP_MOVES },
    { "CSRSparseMatrixToDense", shape_csr_to_dense, TFP_MOVES },
    { "CSRSparseMatrixComponents", shape_csr_components, TFP_MOVES },
    { "SparseMatrixNNZ", shape_csr_nonzeros, TFP_MOVES },
    { "SparseMatrixTranspose", shape_csr_transpose, TFP_MOVES },
    { "SparseMatrixOrderingAMD", shape_csr_order, TFP_MOVES },
    { "SparseMatrixMatMul", shape_csr_matmul, NONZEROS("2 * nnz * columns") },
    { "SparseMatrixSparseMatMul", shape_csr_sparse_matmul, NONZEROS("2 * pairs of values that meet") },
    { "SparseMatrixMul", shape_csr_mul, NONZEROS("nnz") },
    { "SparseMatrixAdd", shape_csr_merged, NONZEROS("3 * nnz of both") },
    { "SparseMatrixSoftmax", shape_csr_same, NONZEROS("5 * nnz") },
    { "SparseMatrixSoftmaxGrad", shape_csr_merged, NONZEROS("4 * nnz") },
    { "SparseMatrixSparseCholesky", shape_csr_same, NONZEROS("depends on what fills in") },
    { NULL },
};
