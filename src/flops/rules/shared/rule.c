// SPDX-License-Identifier: Apache-2.0
/* flops/rules/shared/rule.c: what every rule uses: counts that propagate unknown, shapes, inputs and attributes of the
 * current node. Files are not trusted: a value that is absent or of another kind gives the fallback. */
#include "flops/rules/shared/rule.h"
#include "formats/checkpoint/tensor.h"
#include "model/tables/read.h"

#include <math.h>

/* ---- counts ---- */

int64_t tfp_elements(tfp_dims d)
{
    if (d.rank < 0) return TFP_UNKNOWN;
    int64_t n = 1;
    bool unknown = false;
    for (int i = 0; i < d.rank; i++) {
        if (d.at[i] == 0) return 0;
        unknown |= d.at[i] < 0;
        n = tfp_times(n, d.at[i]);
    }
    return unknown ? TFP_UNKNOWN : n;
}

int64_t tfp_dim_least(int64_t a, int64_t b)
{
    if (a == 0 || b == 0) return 0;
    return a < 0 || b < 0 ? TFP_DIM_UNKNOWN : a < b ? a : b;
}

bool tfp_dims_known(tfp_dims d)
{
    for (int i = 0; i < d.rank; i++)
        if (d.at[i] < 0) return false;
    return d.rank >= 0;
}

bool tfp_dims_equal(tfp_dims a, tfp_dims b)
{
    return a.rank == b.rank && (a.rank <= 0 || memcmp(a.at, b.at, (size_t)a.rank * sizeof *a.at) == 0);
}

/* ---- inputs ---- */

bool tfp_op_is(const tfp_op *op, const char *name)
{
    return tfp_str_eq(tfp_text(op->profile, op->node->op), tfp_str_of(name));
}

tfp_dims tfp_in(const tfp_op *op, uint32_t i) { return i < op->in_count ? op->in[i].shape : TFP_ANY_DIMS; }
int tfp_in_type(const tfp_op *op, uint32_t i) { return i < op->in_count ? op->in[i].dtype : 0; }
const double *tfp_in_elements(const tfp_op *op, uint32_t i)
{
    return i < op->in_count && op->in[i].limit != TFP_AS_SHAPE_ONLY ? op->in[i].elements : NULL;
}
const tfp_held *tfp_in_held(const tfp_op *op, uint32_t i) { return i < op->in_count ? op->in[i].held : NULL; }
tfp_dims tfp_out(const tfp_op *op, uint32_t i) { return i < op->out_count ? op->out[i].shape : TFP_ANY_DIMS; }

int64_t tfp_in_size(const tfp_op *op, uint32_t i) { return tfp_elements(tfp_in(op, i)); }
int64_t tfp_out_size(const tfp_op *op, uint32_t i) { return tfp_elements(tfp_out(op, i)); }

/* Whole numbers up to 2^53, which a double holds exactly. */
static bool whole(double x, int64_t *out)
{
    if (!(x >= -9007199254740992.0 && x <= 9007199254740992.0) || x != floor(x)) return false;
    *out = (int64_t)x;
    return true;
}

bool tfp_in_int(const tfp_op *op, uint32_t i, int64_t *out)
{
    const double *x = tfp_in_elements(op, i);
    return x && tfp_elements(op->in[i].shape) == 1 && whole(*x, out);
}

tfp_dims tfp_in_as_shape(tfp_op *op, uint32_t i)
{
    tfp_dims d = tfp_in(op, i);
    const double *x = i < op->in_count ? op->in[i].elements : NULL;
    if (d.rank == 0) return TFP_ANY_DIMS; /* -1 alone: any shape */
    if (d.rank != 1 || d.at[0] < 0 || d.at[0] > TFP_RANK_MOST) return TFP_ANY_DIMS;
    if (!x) return tfp_any_of_rank(op, (int)d.at[0]);
    int64_t dims[TFP_RANK_MOST];
    for (int64_t k = 0; k < d.at[0]; k++) {
        if (isnan(x[k]) || !whole(x[k], &dims[k])) dims[k] = TFP_DIM_UNKNOWN;
        if (dims[k] < -1) return tfp_wrong(op, "a shape with a negative dimension"), TFP_ANY_DIMS;
    }
    return tfp_shape_of(op, dims, (int)d.at[0]);
}

/* ---- making shapes ---- */

void tfp_set(tfp_op *op, uint32_t i, tfp_dims shape)
{
    if (i < op->out_count) op->out[i].shape = shape;
}

void tfp_set_held_list(tfp_op *op, uint32_t i, tfp_held list)
{
    if (i >= op->out_count) return;
    tfp_held *held = TFP_NEW(op->arena, tfp_held, 1);
    if (!held) {
        op->no_memory = true;
        return;
    }
    *held = list;
    op->out[i].held = held;
}

void tfp_set_held(tfp_op *op, uint32_t i, tfp_dims shape, int dtype)
{
    tfp_set_held_list(op, i, (tfp_held){ .shape = shape, .dtype = dtype, .declared = TFP_ANY_DIMS });
}

void tfp_wrong(tfp_op *op, const char *what)
{
    if (!op->wrong) op->wrong = what;
}

bool tfp_wrong_if(tfp_op *op, bool wrong, const char *what)
{
    if (wrong) tfp_wrong(op, what);
    return wrong;
}

static int64_t *new_dims(tfp_op *op, int rank)
{
    int64_t *at = rank >= 0 && rank <= TFP_RANK_MOST ? TFP_NEW(op->arena, int64_t, (size_t)rank + 1) : NULL;
    if (!at && rank >= 0 && rank <= TFP_RANK_MOST) op->no_memory = true;
    return at;
}

tfp_dims tfp_shape_of(tfp_op *op, const int64_t *dims, int rank)
{
    if (rank == 0) return TFP_SCALAR_DIMS;
    int64_t *at = new_dims(op, rank);
    if (!at) return TFP_ANY_DIMS;
    for (int i = 0; i < rank; i++) at[i] = dims[i] < 0 ? TFP_DIM_UNKNOWN : dims[i];
    return (tfp_dims){ rank, at };
}

tfp_dims tfp_vector_of(tfp_op *op, int64_t dim) { return tfp_shape_of(op, &dim, 1); }

tfp_dims tfp_matrix_of(tfp_op *op, int64_t rows, int64_t columns)
{
    return tfp_shape_of(op, (int64_t[]){ rows, columns }, 2);
}

tfp_dims tfp_any_of_rank(tfp_op *op, int rank)
{
    if (rank == 0) return TFP_SCALAR_DIMS;
    int64_t *at = new_dims(op, rank);
    if (!at) return TFP_ANY_DIMS;
    for (int i = 0; i < rank; i++) at[i] = TFP_DIM_UNKNOWN;
    return (tfp_dims){ rank, at };
}

tfp_dims tfp_part(tfp_op *op, tfp_dims d, int from, int to)
{
    (void)op; /* the part shares the array of dims */
    if (d.rank < 0) return d;
    if (from < 0) from += d.rank;
    if (to == TFP_TO_END) to = d.rank;
    if (to < 0) to += d.rank;
    if (from < 0 || to < from || to > d.rank) return TFP_ANY_DIMS;
    return to == from ? TFP_SCALAR_DIMS : (tfp_dims){ to - from, d.at + from };
}

tfp_dims tfp_joined(tfp_op *op, tfp_dims a, tfp_dims b)
{
    if (a.rank < 0 || b.rank < 0) return TFP_ANY_DIMS;
    if (a.rank == 0 || b.rank == 0) return a.rank ? a : b;
    int64_t *at = new_dims(op, a.rank + b.rank);
    if (!at) return TFP_ANY_DIMS;
    memcpy(at, a.at, (size_t)a.rank * sizeof *at);
    memcpy(at + a.rank, b.at, (size_t)b.rank * sizeof *at);
    return (tfp_dims){ a.rank + b.rank, at };
}

tfp_dims tfp_with_dim(tfp_op *op, tfp_dims d, int i, int64_t dim)
{
    if (i < 0) i += d.rank;
    if (d.rank < 0 || i < 0 || i >= d.rank) return TFP_ANY_DIMS;
    int64_t *at = new_dims(op, d.rank);
    if (!at) return TFP_ANY_DIMS;
    memcpy(at, d.at, (size_t)d.rank * sizeof *at);
    at[i] = dim < 0 ? TFP_DIM_UNKNOWN : dim;
    return (tfp_dims){ d.rank, at };
}

int64_t tfp_merge_dim(tfp_op *op, int64_t a, int64_t b)
{
    if (a >= 0 && b >= 0 && a != b) tfp_wrong(op, "dimensions that should be equal are not");
    return a >= 0 ? a : b;
}

tfp_dims tfp_merge(tfp_op *op, tfp_dims a, tfp_dims b)
{
    if (a.rank < 0) return b;
    if (b.rank < 0 || tfp_dims_equal(a, b)) return a;
    if (a.rank != b.rank) return tfp_wrong(op, "shapes that should be equal differ in rank"), a;
    int64_t *at = new_dims(op, a.rank);
    if (!at) return TFP_ANY_DIMS;
    for (int i = 0; i < a.rank; i++) at[i] = tfp_merge_dim(op, a.at[i], b.at[i]);
    return (tfp_dims){ a.rank, at };
}

tfp_dims tfp_merge_rank(tfp_op *op, tfp_dims d, int rank)
{
    if (d.rank == rank) return d;
    if (d.rank >= 0) tfp_wrong(op, "an input of another rank than it must have");
    return tfp_any_of_rank(op, rank);
}

tfp_dims tfp_at_least(tfp_op *op, tfp_dims d, int rank)
{
    if (d.rank >= 0 && d.rank < rank) tfp_wrong(op, "an input of lower rank than it must have");
    return d;
}

/* Sums of dimensions as in InferenceContext: unknown stays unknown unless the other operand decides. */
int64_t tfp_dim_plus(tfp_op *op, int64_t a, int64_t b)
{
    if (a == 0) return b;
    if (b == 0) return a;
    if (a < 0 || b < 0) return TFP_DIM_UNKNOWN;
    int64_t sum = tfp_plus(a, b);
    if (sum < 0) tfp_wrong(op, "a dimension beyond 63 bits");
    return sum;
}

int64_t tfp_dim_minus(tfp_op *op, int64_t a, int64_t b)
{
    if (b == 0) return a;
    if (a < 0 || b < 0) return TFP_DIM_UNKNOWN;
    if (b > a) tfp_wrong(op, "more is taken from a dimension than there is");
    return tfp_minus(a, b);
}

int64_t tfp_dim_times(tfp_op *op, int64_t a, int64_t b)
{
    if (a == 0 || b == 0) return 0;
    if (a == 1) return b;
    if (b == 1) return a;
    if (a < 0 || b < 0) return TFP_DIM_UNKNOWN;
    int64_t product = tfp_times(a, b);
    if (product < 0) tfp_wrong(op, "a dimension beyond 63 bits");
    return product;
}

static int64_t broadcast_dim(tfp_op *op, int64_t a, int64_t b)
{
    if (a >= 0 && b >= 0) {
        if (a == 1) return b;
        if (b != 1 && a != b) tfp_wrong(op, "shapes that cannot be broadcast to each other");
        return a;
    }
    if (a > 1) return a; /* the other dim is the same, or 1 */
    if (b > 1) return b;
    if (a == 1) return b;
    if (b == 1) return a;
    return TFP_DIM_UNKNOWN;
}

tfp_dims tfp_broadcast(tfp_op *op, tfp_dims a, tfp_dims b)
{
    if (a.rank < 0 || b.rank < 0) return TFP_ANY_DIMS;
    if (tfp_dims_equal(a, b) && tfp_dims_known(a)) return a;
    int rank = a.rank > b.rank ? a.rank : b.rank;
    if (rank == 0) return TFP_SCALAR_DIMS;
    int64_t *at = new_dims(op, rank);
    if (!at) return TFP_ANY_DIMS;
    for (int i = 0; i < rank; i++) {
        int64_t x = i < rank - a.rank ? 1 : a.at[i - (rank - a.rank)];
        int64_t y = i < rank - b.rank ? 1 : b.at[i - (rank - b.rank)];
        at[i] = broadcast_dim(op, x, y);
    }
    return (tfp_dims){ rank, at };
}

tfp_dims tfp_either(tfp_op *op, tfp_dims a, tfp_dims b)
{
    if (a.rank < 0 || a.rank != b.rank) return TFP_ANY_DIMS;
    if (tfp_dims_equal(a, b)) return a;
    int64_t *at = new_dims(op, a.rank);
    if (!at) return TFP_ANY_DIMS;
    for (int i = 0; i < a.rank; i++) at[i] = a.at[i] == b.at[i] ? a.at[i] : TFP_DIM_UNKNOWN;
    return (tfp_dims){ a.rank, at };
}

double *tfp_new_elements(tfp_op *op, uint32_t i)
{
    if (op->arena->used > op->arena->limit / 4) return NULL; /* leave memory for shapes */
    int64_t n = tfp_out_size(op, i);
    if (n < 0 || n > TFP_FOLD_MAX || !tfp_dims_known(tfp_out(op, i))) return NULL;
    double *at = TFP_NEW(op->arena, double, (size_t)n + 1);
    if (!at) op->no_memory = true;
    op->out[i].elements = at;
    return at;
}

int tfp_type_bytes(int dtype) { return tfp_dtype_of(dtype)->size; }

/* ---- counting ---- */

tfp_cost tfp_cost_of(int64_t flops) { return (tfp_cost){ flops, flops < 0 ? TFP_UNKNOWN : 0 }; }

tfp_cost tfp_cost_macs(int64_t macs)
{
    int64_t flops = tfp_times(2, macs);
    return (tfp_cost){ flops, flops < 0 ? TFP_UNKNOWN : macs };
}

tfp_cost tfp_count_each_output(const tfp_op *op) { return tfp_cost_of(tfp_times(op->rule->per, tfp_out_size(op, 0))); }

tfp_cost tfp_count_each_input(const tfp_op *op)
{
    return tfp_cost_of(tfp_times(op->rule->per, tfp_in_size(op, op->rule->of)));
}

tfp_cost tfp_count_zero(const tfp_op *op)
{
    (void)op;
    return (tfp_cost){ 0, 0 };
}
