// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/linalg.c: matrix decompositions, and solvers of linear systems. Counts are the leading terms of the
 * usual algorithms, as in Golub and Van Loan, "Matrix Computations", for real numbers and each matrix of the batch.
 * Where the number of iterations depends on the data the book's average is taken. */
#include "flops/rules/shared/rule.h"

/* ---- shapes ---- */

static tfp_dims batch_of(tfp_op *op, tfp_dims d) { return tfp_part(op, d, 0, -2); }

static tfp_dims with_vector(tfp_op *op, tfp_dims batch, int64_t n)
{
    return tfp_joined(op, batch, tfp_vector_of(op, n));
}

static tfp_dims with_matrix(tfp_op *op, tfp_dims batch, int64_t rows, int64_t columns)
{
    return tfp_joined(op, batch, tfp_matrix_of(op, rows, columns));
}

/* Side of the square matrices that input 0 holds. */
static int64_t side_of(tfp_op *op)
{
    tfp_dims in = tfp_at_least(op, tfp_in(op, 0), 2);
    return tfp_merge_dim(op, tfp_dim(in, -2), tfp_dim(in, -1));
}

static void eigen(tfp_op *op)
{
    int64_t n = side_of(op);
    tfp_dims batch = batch_of(op, tfp_in(op, 0));
    tfp_set(op, 0, with_vector(op, batch, n));
    tfp_set(op, 1, tfp_attr_bool(op, "compute_v", true) ? with_matrix(op, batch, n, n) : tfp_vector_of(op, 0));
}

static void qr(tfp_op *op)
{
    tfp_dims in = tfp_at_least(op, tfp_in(op, 0), 2), batch = batch_of(op, in);
    int64_t m = tfp_dim(in, -2), n = tfp_dim(in, -1);
    int64_t p = tfp_attr_bool(op, "full_matrices", false) ? m : tfp_dim_least(m, n);
    tfp_set(op, 0, with_matrix(op, batch, m, p));
    tfp_set(op, 1, with_matrix(op, batch, p, n));
}

static void svd(tfp_op *op)
{
    tfp_dims in = tfp_at_least(op, tfp_in(op, 0), 2), batch = batch_of(op, in);
    int64_t m = tfp_dim(in, -2), n = tfp_dim(in, -1), p = tfp_dim_least(m, n);
    bool vectors = tfp_attr_bool(op, "compute_uv", true), full = tfp_attr_bool(op, "full_matrices", false);
    tfp_set(op, 0, with_vector(op, batch, p));
    tfp_set(op, 1, vectors ? with_matrix(op, batch, m, full ? m : p) : tfp_vector_of(op, 0));
    tfp_set(op, 2, vectors ? with_matrix(op, batch, n, full ? n : p) : tfp_vector_of(op, 0));
}

/* The solution has n rows; the batches are broadcast. */
static void solve_broadcast(tfp_op *op, int64_t n)
{
    tfp_dims a = tfp_in(op, 0), b = tfp_at_least(op, tfp_in(op, 1), 2);
    n = tfp_merge_dim(op, n, tfp_dim(b, -2));
    tfp_dims batch = tfp_broadcast(op, batch_of(op, a), batch_of(op, b));
    tfp_set(op, 0, with_matrix(op, batch, n, tfp_dim(b, -1)));
}

static void solve_triangular(tfp_op *op) { solve_broadcast(op, side_of(op)); }

/* The bands are rows of the input: [..., bands, n]. */
static void solve_banded(tfp_op *op)
{
    tfp_dims a = tfp_at_least(op, tfp_in(op, 0), 2);
    int64_t bands = tfp_dim(a, -2), n = tfp_dim(a, -1);
    if (bands == 0 || (bands > n && n >= 0)) tfp_wrong(op, "an impossible number of bands");
    solve_broadcast(op, n);
}

/* Input 0 is [..., 3, n]; the output looks like input 1. */
static void solve_tridiagonal(tfp_op *op)
{
    tfp_dims a = tfp_at_least(op, tfp_in(op, 0), 2), b = tfp_at_least(op, tfp_in(op, 1), 2);
    tfp_merge(op, batch_of(op, a), batch_of(op, b));
    tfp_merge_dim(op, tfp_dim(a, -1), tfp_dim(b, -2));
    tfp_merge_dim(op, tfp_dim(a, -2), 3);
    tfp_set(op, 0, b);
}

/* Three diagonals of [..., 1, n]; the output looks like input 3. */
static void multiply_tridiagonal(tfp_op *op)
{
    tfp_dims diagonal = TFP_ANY_DIMS, b = tfp_at_least(op, tfp_in(op, 3), 2);
    for (uint32_t i = 0; i < 3; i++) diagonal = tfp_merge(op, diagonal, tfp_at_least(op, tfp_in(op, i), 2));
    tfp_merge(op, batch_of(op, diagonal), batch_of(op, b));
    tfp_merge_dim(op, tfp_dim(diagonal, -1), tfp_dim(b, -2));
    tfp_merge_dim(op, tfp_dim(diagonal, -2), 1);
    tfp_set(op, 0, b);
}

/* ---- counts ---- */

typedef struct sizes {              /* of input 0 */
    int64_t batch, m, n, low, high; /* low and high: the smaller and the larger of m and n */
} sizes;

static sizes sizes_of(const tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    sizes s = { TFP_UNKNOWN, tfp_dim(in, -2), tfp_dim(in, -1), 0, 0 };
    if (in.rank >= 2) s.batch = tfp_elements((tfp_dims){ in.rank - 2, in.at });
    if (s.m < 0 || s.n < 0) s.batch = s.m = s.n = TFP_UNKNOWN;
    s.low = s.m < s.n ? s.m : s.n;
    s.high = s.m < s.n ? s.n : s.m;
    return s;
}

/* factor * a * b * c for the products of sizes in the formulas. */
static int64_t term(int64_t factor, int64_t a, int64_t b, int64_t c)
{
    return tfp_times(tfp_times(factor, a), tfp_times(b, c));
}

/* Formulas are in thirds of an operation: a third of a cube is common. */
static tfp_cost thirds(int64_t batch, int64_t thirds_each)
{
    return tfp_cost_of(tfp_over(tfp_times(batch, thirds_each), 3));
}

/* `per` thirds of n cubed. */
static tfp_cost count_cube(const tfp_op *op)
{
    sizes s = sizes_of(op);
    return tfp_cost_of(tfp_decomposition_flops(tfp_times(s.batch, tfp_times(s.n, s.n)), s.n, op->rule->per));
}

/* n^3: 9 (symmetric) or 25 with eigenvectors, which is `per`; 4/3 or 10 for the values alone. */
static tfp_cost count_eigen(const tfp_op *op)
{
    sizes s = sizes_of(op);
    int64_t values_only = op->rule->per == 9 ? 4 : 30;
    int64_t factor = tfp_attr_bool(op, "compute_v", true) ? 3 * op->rule->per : values_only;
    return thirds(s.batch, term(factor, s.n, s.n, s.n));
}

/* p reflections applied to q columns of m rows: 4 m q p - 2 (m + q) p^2 + 4/3 p^3. */
static int64_t reflected_thirds(int64_t m, int64_t q, int64_t p)
{
    return tfp_minus(tfp_plus(term(12, m, q, p), term(4, p, p, p)), term(6, tfp_plus(m, q), p, p));
}

static tfp_cost count_qr(const tfp_op *op)
{
    sizes s = sizes_of(op);
    int64_t q = tfp_attr_bool(op, "full_matrices", false) ? s.m : s.low;
    return thirds(s.batch, tfp_plus(reflected_thirds(s.m, s.n, s.low), reflected_thirds(s.m, q, s.low)));
}

/* h is the larger side, l the smaller: values alone 4 h l^2 - 4/3 l^3, with vectors 14 h l^2 + 8 l^3, with full
 * matrices 4 h^2 l + 8 h l^2 + 9 l^3. */
static tfp_cost count_svd(const tfp_op *op)
{
    sizes s = sizes_of(op);
    int64_t h = s.high, l = s.low, cost;
    if (!tfp_attr_bool(op, "compute_uv", true))
        cost = tfp_minus(term(12, h, l, l), term(4, l, l, l));
    else if (!tfp_attr_bool(op, "full_matrices", false))
        cost = tfp_plus(term(42, h, l, l), term(24, l, l, l));
    else
        cost = tfp_plus(tfp_plus(term(12, h, h, l), term(24, h, l, l)), term(27, l, l, l));
    return thirds(s.batch, cost);
}

/* Columns of the right sides of all batches: elements of output 0 divided by its rows. */
static int64_t all_columns(const tfp_op *op)
{
    tfp_dims out = tfp_out(op, 0);
    int64_t rows = tfp_dim(out, -2), n = tfp_elements(out);
    return rows == 0 ? 0 : tfp_over(n, rows);
}

/* A decomposition of `per` thirds of n cubed for each matrix, and two triangular solves for each column. */
static tfp_cost count_solve(const tfp_op *op)
{
    sizes s = sizes_of(op);
    int64_t factors = thirds(s.batch, term(op->rule->per, s.n, s.n, s.n)).flops;
    return tfp_cost_of(tfp_plus(factors, term(2, s.n, s.n, all_columns(op))));
}

static tfp_cost count_triangular(const tfp_op *op)
{
    sizes s = sizes_of(op);
    return tfp_cost_of(term(1, s.n, s.n, all_columns(op)));
}

/* fast: the normal equations: h l^2 for half of the square, l^3 / 3 for its root, and 2 h l + 2 l^2 for each column.
 * Otherwise reflections: 2 h l^2 - 2/3 l^3, and 4 h l - l^2 for each column. */
static tfp_cost count_least_squares(const tfp_op *op)
{
    sizes s = sizes_of(op);
    int64_t h = s.high, l = s.low, columns = all_columns(op), factors, column;
    if (tfp_attr_bool(op, "fast", true)) {
        factors = tfp_plus(term(3, h, l, l), term(1, l, l, l));
        column = tfp_plus(term(2, h, l, 1), term(2, l, l, 1));
    } else {
        factors = tfp_minus(term(6, h, l, l), term(2, l, l, l));
        column = tfp_minus(term(4, h, l, 1), term(1, l, l, 1));
    }
    return tfp_cost_of(tfp_plus(thirds(s.batch, factors).flops, tfp_times(column, columns)));
}

static tfp_cost count_banded(const tfp_op *op)
{
    return tfp_cost_of(term(2, tfp_dim(tfp_in(op, 0), -2), tfp_out_size(op, 0), 1));
}

/* Elimination takes 3 operations for each row, and 5 for each row of a right side. */
static tfp_cost count_tridiagonal(const tfp_op *op)
{
    int64_t rows = tfp_over(tfp_in_size(op, 0), 3);
    return tfp_cost_of(tfp_plus(tfp_times(3, rows), tfp_times(5, tfp_out_size(op, 0))));
}

static tfp_cost count_tridiagonal_product(const tfp_op *op) { return tfp_cost_macs(tfp_times(3, tfp_out_size(op, 0))); }

/* The last members of rows in the table below. */
#define BOOK "Golub and Van Loan"
#define CHOLESKY count_cube, 1, "n^3 / 3", BOOK
#define DETERMINANT count_cube, 2, "2/3 * n^3", BOOK ", by LU"
#define INVERSE count_cube, 6, "2 * n^3", BOOK ", by LU"
#define SYMMETRIC count_eigen, 9, "9 * n^3; values alone 4/3 * n^3", BOOK ", symmetric QR"
#define SYMMETRIC_ALL count_cube, 27, "9 * n^3", BOOK ", symmetric QR"
#define SVD                                                                                                            \
    count_svd, 0,                                                                                                      \
        "14*h*l^2 + 8*l^3 (h, l: larger, smaller side); values 4*h*l^2 - 4/3*l^3; full 4*h^2*l + 8*h*l^2 + 9*l^3",     \
        BOOK
#define SOLVE count_solve, 2, "2/3 * n^3 + 2 * n^2 * columns", BOOK ", by LU"
#define TRIANGULAR count_triangular, 0, "n^2 * columns", BOOK
#define LEAST_SQUARES                                                                                                  \
    count_least_squares, 0,                                                                                            \
        "h*l^2 + l^3/3 + (2*h*l + 2*l^2) * columns; not fast 2*h*l^2 - 2/3*l^3 + (4*h*l - l^2) * columns", BOOK
#define GRADIENT count_cube, 2, "2/3 * n^3", "Murray 2016: twice the decomposition"

const tfp_op_rule tfp_rules_linalg[] = {
    { "Cholesky RiscCholesky BatchCholesky", TFP_SHAPE("Bnn -> Bnn"), CHOLESKY },
    { "CholeskyGrad BatchCholeskyGrad", TFP_SHAPE("Bnn -> Bnn"), GRADIENT },
    { "MatrixInverse BatchMatrixInverse", TFP_SHAPE("Bnn -> Bnn"), INVERSE },
    { "MatrixDeterminant LogMatrixDeterminant BatchMatrixDeterminant", TFP_SHAPE("Bnn -> B, B"), DETERMINANT },
    { "MatrixExponential", TFP_SHAPE("Bnn -> Bnn"), count_cube, 44, "44/3 * n^3",
      "Higham 2005: Pade of degree 13, no squarings" },
    { "MatrixLogarithm", TFP_SHAPE("Bnn -> Bnn"), count_cube, 75, "25 * n^3", BOOK ", its Schur form" },
    { "MatrixSquareRoot", TFP_SHAPE("Bnn -> Bnn"), count_cube, 85, "85/3 * n^3", "Higham 2008: by the Schur form" },
    { "SelfAdjointEig BatchSelfAdjointEig", TFP_SHAPE("Bnn -> Bn+n"), SYMMETRIC_ALL },
    { "SelfAdjointEigV2 BatchSelfAdjointEigV2", eigen, SYMMETRIC },
    { "Eig", eigen, count_eigen, 25, "25 * n^3; values alone 10 * n^3", BOOK ", QR algorithm" },
    { "Lu", TFP_SHAPE("Bnn -> Bnn, Bn"), count_cube, 2, "2/3 * n^3", BOOK },
    { "Qr", qr, count_qr, 0, "f(n) + f(columns of Q), f(q) = 4*m*q*p - 2*(m+q)*p^2 + 4/3*p^3 (p: smaller side)",
      BOOK ", reflections" },
    { "Svd BatchSvd", svd, SVD },
    { "MatrixSolve BatchMatrixSolve", TFP_SHAPE("Bnn, Bnk -> Bnk"), SOLVE },
    { "MatrixTriangularSolve RiscTriangularSolve", solve_triangular, TRIANGULAR },
    { "MatrixSolveLs BatchMatrixSolveLs", TFP_SHAPE("Bmn, Bmk, () -> Bnk"), LEAST_SQUARES },
    { "BandedTriangularSolve", solve_banded, count_banded, 0, "2 * bands * n(out)", BOOK },
    { "TridiagonalSolve", solve_tridiagonal, count_tridiagonal, 0, "3 * n(diagonal) + 5 * n(out)",
      BOOK ", Thomas' algorithm" },
    { "TridiagonalMatMul", multiply_tridiagonal, count_tridiagonal_product, 0, "6 * n(out)",
      "three multiply-adds an element" },
    { "XlaSelfAdjointEig", eigen, SYMMETRIC_ALL },
    { "XlaSvd", tfp_unknown_outputs, SVD },
    { "BatchMatrixTriangularSolve", TFP_SHAPE("Bnn, Bnk -> Bnk"), TRIANGULAR },
    { NULL },
};
