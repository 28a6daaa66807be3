// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/matrix.c: products of matrices and of batches of them, and matrices made of diagonals. Contractions
 * given by an equation or by numbered dimensions are in contract.c. */
#include "flops/rules/shared/layers.h"
#include "flops/rules/shared/rule.h"

#include <math.h>

/* ---- products: shapes ---- */

static void matmul(tfp_op *op)
{
    tfp_dims a = tfp_merge_rank(op, tfp_in(op, 0), 2), b = tfp_merge_rank(op, tfp_in(op, 1), 2);
    int ta = tfp_attr_bool(op, "transpose_a", false), tb = tfp_attr_bool(op, "transpose_b", false);
    tfp_merge_dim(op, tfp_dim(a, 1 - ta), tfp_dim(b, tb));
    tfp_set(op, 0, tfp_matrix_of(op, tfp_dim(a, ta), tfp_dim(b, 1 - tb)));
}

/* The dims are: the batch, rows of the first operand, columns of the second. */
static void batch_product(tfp_op *op, tfp_dims (*batches)(tfp_op *op, tfp_dims a, tfp_dims b))
{
    tfp_dims a = tfp_at_least(op, tfp_in(op, 0), 2), b = tfp_at_least(op, tfp_in(op, 1), 2);
    int ax = tfp_attr_bool(op, "adj_x", false), ay = tfp_attr_bool(op, "adj_y", false);
    tfp_merge_dim(op, tfp_dim(a, -1 - ax), tfp_dim(b, -2 + ay));
    tfp_dims batch = batches(op, tfp_part(op, a, 0, -2), tfp_part(op, b, 0, -2));
    tfp_set(op, 0, tfp_joined(op, batch, tfp_matrix_of(op, tfp_dim(a, -2 + ax), tfp_dim(b, -1 - ay))));
}
static void batch_matmul(tfp_op *op) { batch_product(op, tfp_merge); }
static void batch_matmul_v2(tfp_op *op) { batch_product(op, tfp_broadcast); }

static void cross(tfp_op *op)
{
    tfp_dims a = tfp_at_least(op, tfp_in(op, 0), 1), b = tfp_at_least(op, tfp_in(op, 1), 1);
    tfp_dims out = tfp_merge(op, a, b);
    tfp_merge_dim(op, tfp_dim(out, -1), 3);
    tfp_set(op, 0, out);
}

/* ---- products: counts ---- */

/* n(out) products of length k, and `more` other operations. */
static tfp_cost products(const tfp_op *op, int64_t k, int64_t more)
{
    return tfp_cost_mixed(tfp_times(k, tfp_out_size(op, 0)), more);
}

static int64_t matmul_depth(const tfp_op *op)
{
    tfp_dims a = tfp_in(op, 0), b = tfp_in(op, 1);
    int64_t of_a = a.rank == 2 ? tfp_dim(a, tfp_attr_bool(op, "transpose_a", false) ? 0 : 1) : TFP_DIM_UNKNOWN;
    int64_t of_b = b.rank == 2 ? tfp_dim(b, tfp_attr_bool(op, "transpose_b", false) ? 1 : 0) : TFP_DIM_UNKNOWN;
    return tfp_either_count(of_a, of_b);
}

static int64_t batch_depth(const tfp_op *op)
{
    int64_t of_a = tfp_dim(tfp_in(op, 0), tfp_attr_bool(op, "adj_x", false) ? -2 : -1);
    int64_t of_b = tfp_dim(tfp_in(op, 1), tfp_attr_bool(op, "adj_y", false) ? -1 : -2);
    return tfp_either_count(of_a, of_b);
}

/* Operations done to each output element in the same kernel. */
static int64_t fused_steps(const tfp_op *op) { return tfp_times(tfp_fused_per_element(op), tfp_out_size(op, 0)); }

static tfp_cost count_matmul(const tfp_op *op) { return products(op, matmul_depth(op), 0); }
static tfp_cost count_batch_matmul(const tfp_op *op) { return products(op, batch_depth(op), 0); }
static tfp_cost count_fused_matmul(const tfp_op *op) { return products(op, matmul_depth(op), fused_steps(op)); }
static tfp_cost count_fused_batch(const tfp_op *op) { return products(op, batch_depth(op), fused_steps(op)); }

/* ---- diagonals: shapes ---- */

static void matrix_diag_part(tfp_op *op)
{
    tfp_dims in = tfp_at_least(op, tfp_in(op, 0), 2);
    tfp_dims diagonal = tfp_vector_of(op, tfp_dim_least(tfp_dim(in, -2), tfp_dim(in, -1)));
    tfp_set(op, 0, tfp_joined(op, tfp_part(op, in, 0, -2), diagonal));
}

/* The input, merged with the dims that the diagonals know; both begin with the same batch dims. */
static tfp_dims with_batch_of(tfp_op *op, tfp_dims in, tfp_dims diagonal, int own_dims)
{
    if (diagonal.rank < 0 || tfp_dims_known(in)) return in;
    tfp_dims batch = tfp_part(op, diagonal, 0, -own_dims);
    return tfp_merge(op, in, tfp_joined(op, batch, tfp_any_of_rank(op, 2)));
}

static void matrix_set_diag(tfp_op *op)
{
    tfp_dims in = tfp_at_least(op, tfp_in(op, 0), 2), diagonal = tfp_at_least(op, tfp_in(op, 1), 1);
    if (in.rank >= 0) diagonal = tfp_merge_rank(op, diagonal, in.rank - 1);
    tfp_merge_dim(op, tfp_dim_least(tfp_dim(in, -2), tfp_dim(in, -1)), tfp_dim(diagonal, -1));
    tfp_set(op, 0, with_batch_of(op, in, diagonal, 1));
}

/* Which diagonals: one, or a band from `low` to `high`. */
typedef struct band {
    int64_t low, high;
} band;

static bool small_int(double x, int64_t *out)
{
    if (!(x >= INT32_MIN && x <= INT32_MAX) || x != floor(x)) return false;
    *out = (int64_t)x;
    return true;
}

/* Reads the diagonals from input i; false when they are not known. */
static bool band_of(tfp_op *op, uint32_t i, band *out)
{
    const double *k = tfp_in_elements(op, i);
    int64_t count = tfp_in_size(op, i);
    if (tfp_in(op, i).rank > 1) tfp_wrong(op, "diagonals that are no vector");
    if (!k || count < 0) return false;
    if (count != 1 && count != 2) return tfp_wrong(op, "neither one diagonal nor a band"), false;
    if (!small_int(k[0], &out->low) || !small_int(k[count - 1], &out->high)) return false;
    if (out->low > out->high) return tfp_wrong(op, "a band that ends before it begins"), false;
    return true;
}

/* Both ends must lie in the matrix, when its size is known. */
static void check_band(tfp_op *op, band b, int64_t rows, int64_t columns)
{
    if (rows < 0 || columns < 0) return;
    bool low_out = b.low != 0 && (-rows >= b.low || b.low >= columns);
    bool high_out = b.high != 0 && (-rows >= b.high || b.high >= columns);
    if (low_out || high_out) tfp_wrong(op, "a diagonal outside of the matrix");
}

static void matrix_diag_part_v2(tfp_op *op)
{
    tfp_dims in = tfp_at_least(op, tfp_in(op, 0), 2);
    int64_t rows = tfp_dim(in, -2), columns = tfp_dim(in, -1), longest = TFP_DIM_UNKNOWN;
    band b;
    tfp_merge_rank(op, tfp_in(op, 2), 0);
    if (!band_of(op, 1, &b) || in.rank < 2) return;
    check_band(op, b, rows, columns);
    if (op->wrong) return;
    if (rows >= 0 && columns >= 0) {
        int64_t down = rows + (b.high < 0 ? b.high : 0), across = columns - (b.low > 0 ? b.low : 0);
        longest = down < across ? down : across;
    }
    tfp_dims part = tfp_vector_of(op, longest);
    if (b.low < b.high) part = tfp_matrix_of(op, b.high - b.low + 1, longest);
    tfp_set(op, 0, tfp_joined(op, tfp_part(op, in, 0, -2), part));
}

/* An asked size of -1 stands for the smallest size in which the longest diagonal fits. */
static int64_t asked_size(tfp_op *op, int64_t asked, int64_t least)
{
    if (asked >= 0 && asked < least) tfp_wrong(op, "a matrix too small for its diagonals");
    return asked == -1 ? least : asked;
}

/* TensorFlow treats sizes that are not constant as absent, and an unknown length as -1. The consequences are repeated
 * for its importer only. */
static void matrix_diag_v2(tfp_op *op)
{
    tfp_dims in = tfp_at_least(op, tfp_in(op, 0), 1);
    int64_t rows = -1, columns = -1, length = tfp_dim(in, -1);
    band b;
    for (uint32_t i = 2; i <= 4; i++) tfp_merge_rank(op, tfp_in(op, i), 0);
    if (!band_of(op, 1, &b) || in.rank < 1) return;
    bool one = b.low == b.high;
    if (!one && in.rank < 2) tfp_wrong(op, "a band needs a matrix of diagonals");
    if (!one) tfp_merge_dim(op, tfp_dim(in, -2), b.high - b.low + 1);
    if (op->wrong || length > INT64_MAX / 2) return;
    bool sure = tfp_in_int(op, 2, &rows);
    sure = tfp_in_int(op, 3, &columns) && sure && length >= 0;
    tfp_dims batch = tfp_part(op, in, 0, one ? -1 : -2);
    if (!sure && !op->importer) { /* the sizes asked for hold all the same */
        tfp_set(op, 0, tfp_joined(op, batch, tfp_matrix_of(op, rows, columns)));
        return;
    }
    int64_t least_rows = length - (b.high < 0 ? b.high : 0), least_columns = length + (b.low > 0 ? b.low : 0);
    if (rows == -1 && columns == -1) rows = columns = least_rows > least_columns ? least_rows : least_columns;
    rows = asked_size(op, rows, least_rows);
    columns = asked_size(op, columns, least_columns);
    if (rows != least_rows && columns != least_columns) tfp_wrong(op, "a matrix too large for its diagonals");
    tfp_set(op, 0, tfp_joined(op, batch, tfp_matrix_of(op, rows, columns)));
}

static void matrix_set_diag_v2(tfp_op *op)
{
    tfp_dims in = tfp_at_least(op, tfp_in(op, 0), 2), diagonal = tfp_at_least(op, tfp_in(op, 1), 1);
    band b = { 0, 0 };
    bool known = band_of(op, 2, &b);
    int own_dims = b.low == b.high ? 1 : 2;
    if (known) check_band(op, b, tfp_dim(in, -2), tfp_dim(in, -1));
    if (known && in.rank >= 0) diagonal = tfp_merge_rank(op, diagonal, in.rank - 2 + own_dims);
    if (!known && in.rank >= 0) own_dims = diagonal.rank - in.rank + 2;
    if (!known && in.rank < 0 && !op->importer) return; /* the importer takes it for one diagonal */
    tfp_set(op, 0, with_batch_of(op, in, diagonal, own_dims));
}

/* The last members of rows in the table below. */
#define MATMUL(count, source) count, 0, "2 * k * n(out)", (source)
#define FUSED(count) count, 0, "2 * k * n(out) + fused", "as MatMul, and the fused operations"

const tfp_op_rule tfp_rules_matrix[] = {
    { "MatMul", matmul, MATMUL(count_matmul, "registry") },
    { "BatchMatMul", batch_matmul, MATMUL(count_batch_matmul, "registry; adj_x is heeded") },
    { "BatchMatMulV2 BatchMatMulV3", batch_matmul_v2, MATMUL(count_batch_matmul, "registry; adj_x is heeded") },
    { "SparseMatMul", matmul,
      MATMUL(count_matmul, "as MatMul: its operands are dense, zeros are found while it runs") },
    { "_FusedMatMul _MklFusedMatMul _MklNativeFusedMatMul", matmul, FUSED(count_fused_matmul) },
    { "RiscDot _MklMatMul", matmul, MATMUL(count_matmul, "as MatMul") },
    { "_MklBatchMatMul", batch_matmul, MATMUL(count_batch_matmul, "as BatchMatMul") },
    { "_MklBatchMatMulV2", batch_matmul_v2, MATMUL(count_batch_matmul, "as BatchMatMulV2") },
    { "_MklFusedBatchMatMulV2", batch_matmul_v2, FUSED(count_fused_batch) },
    { "Cross", cross, TFP_EACH_OUT(3, "two multiplies and a difference an element") },

    { "MatrixDiag BatchMatrixDiag", TFP_SHAPE("Bn -> Bnn"), TFP_MOVES },
    { "MatrixDiagV2 MatrixDiagV3", matrix_diag_v2, TFP_MOVES },
    { "MatrixDiagPart BatchMatrixDiagPart", matrix_diag_part, TFP_MOVES },
    { "MatrixDiagPartV2 MatrixDiagPartV3", matrix_diag_part_v2, TFP_MOVES },
    { "MatrixSetDiag BatchMatrixSetDiag", matrix_set_diag, TFP_MOVES },
    { "MatrixSetDiagV2 MatrixSetDiagV3", matrix_set_diag_v2, TFP_MOVES },
    { "MatrixBandPart BatchMatrixBandPart", tfp_same_as_input, TFP_MOVES },
    { NULL },
};
