// SPDX-License-Identifier: Apache-2.0
/* flops/fold/math.c: constant folding element by element: arithmetic, comparisons, casts, choices. Numbers are computed
 * as doubles and must be exact in the type of the output; integers that overflow it are unknown, and so are floats too
 * small for it. */
#include "flops/fold/fold.h"

#include "formats/checkpoint/tensor.h"
#include "model/tables/read.h"

#include <math.h>

static bool is_integer(int dtype)
{
    tfp_dtype_class class = tfp_dtype_of(dtype)->class;
    return class == TFP_DTYPE_INT || class == TFP_DTYPE_UINT;
}

/* ---- one or two operands ---- */

static void each(tfp_op *op)
{
    const double *in = tfp_fold_in(op, 0);
    int64_t n = tfp_out_size(op, 0);
    if (!in || n != tfp_in_size(op, 0)) return;
    int dtype = tfp_in_type(op, 0);
    double *out = tfp_fold_new(op, 0);
    for (int64_t i = 0; out && i < n; i++)
        out[i] = tfp_fold_fit(op->out[0].dtype, op->fold->one(dtype, tfp_fold_exact(dtype, in[i])));
}

static double operand(const tfp_op *op, uint32_t i, const double *in, int64_t k)
{
    return tfp_fold_exact(tfp_in_type(op, i), in[tfp_fold_broadcast(tfp_in(op, i), tfp_out(op, 0), k)]);
}

static void each_pair(tfp_op *op)
{
    const double *a = tfp_fold_in(op, 0), *b = tfp_fold_in(op, 1);
    double *out = a && b ? tfp_fold_new(op, 0) : NULL;
    int64_t n = out ? tfp_out_size(op, 0) : 0;
    int dtype = tfp_in_type(op, 0);
    for (int64_t i = 0; i < n; i++)
        out[i] = tfp_fold_fit(op->out[0].dtype, op->fold->two(dtype, operand(op, 0, a, i), operand(op, 1, b, i)));
}

/* ---- arithmetic ---- */

double tfp_fold_add(int dtype, double a, double b) { return (void)dtype, a + b; }
static double sub(int dtype, double a, double b) { return (void)dtype, a - b; }
double tfp_fold_maximum(int dtype, double a, double b)
{
    return (void)dtype, isnan(a + b) ? (double)NAN : a > b ? a : b;
}
double tfp_fold_minimum(int dtype, double a, double b)
{
    return (void)dtype, isnan(a + b) ? (double)NAN : a < b ? a : b;
}

/* An integer times zero is zero, even when the integer is unknown. */
static double mul(int dtype, double a, double b) { return is_integer(dtype) && (a == 0 || b == 0) ? 0 : a * b; }

static bool both_whole(double a, double b, int64_t *x, int64_t *y) { return tfp_whole(a, x) && tfp_whole(b, y); }

/* Integers are truncated. */
static double divide(int dtype, double a, double b)
{
    int64_t x, y;
    if (!is_integer(dtype)) return a / b;
    return both_whole(a, b, &x, &y) && y ? (double)(x / y) : (double)NAN;
}

static double divide_no_nan(int dtype, double a, double b) { return b == 0 ? 0 : divide(dtype, a, b); }

static double floor_divide(int dtype, double a, double b)
{
    int64_t x, y;
    if (!is_integer(dtype)) return floor(tfp_fold_fit(dtype, a / b));
    if (!both_whole(a, b, &x, &y) || !y) return NAN;
    return (double)(x / y - (x % y && (x < 0) != (y < 0)));
}

static double remainder_of(int dtype, double a, double b)
{
    int64_t x, y;
    if (!is_integer(dtype)) return fmod(a, b);
    return both_whole(a, b, &x, &y) && y ? (double)(x % y) : (double)NAN;
}

static double floor_mod(int dtype, double a, double b)
{
    double r = remainder_of(dtype, a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* For floats only results that are exact on every machine. */
static double power(int dtype, double a, double b)
{
    int64_t x, y;
    if (!both_whole(a, b, &x, &y) || y < 0 || (is_integer(dtype) && isnan(a))) return NAN;
    double p = pow(a, b);
    return tfp_whole(p, &x) ? p : (double)NAN;
}

static double squared_difference(int dtype, double a, double b) { return mul(dtype, a - b, a - b); }

static double neg(int dtype, double a) { return (void)dtype, a == 0 ? 0 : -a; }
static double absolute(int dtype, double a) { return (void)dtype, fabs(a); }
static double sign(int dtype, double a) { return (void)dtype, isnan(a) ? a : (double)((a > 0) - (a < 0)); }
static double down(int dtype, double a) { return (void)dtype, floor(a); }
static double up(int dtype, double a) { return (void)dtype, ceil(a); }
static double root(int dtype, double a) { return (void)dtype, a < 0 ? (double)NAN : sqrt(a); }
static double square(int dtype, double a) { return (void)dtype, a * a; }

/* Halves round to even. */
static double nearest(int dtype, double a)
{
    (void)dtype;
    double low = floor(a), rest = a - low;
    return rest < 0.5 || (rest == 0.5 && fmod(low, 2) == 0) ? low : low + 1;
}

/* ---- true or false ---- */

static double truth(bool known, bool is) { return known ? (double)is : (double)NAN; }
static bool both(double a, double b) { return !isnan(a) && !isnan(b); }

static double greater(int dtype, double a, double b) { return (void)dtype, truth(both(a, b), a > b); }
static double greater_equal(int dtype, double a, double b) { return (void)dtype, truth(both(a, b), a >= b); }
static double less(int dtype, double a, double b) { return (void)dtype, truth(both(a, b), a < b); }
static double less_equal(int dtype, double a, double b) { return (void)dtype, truth(both(a, b), a <= b); }
static double equal(int dtype, double a, double b) { return (void)dtype, truth(both(a, b), a == b); }
static double not_equal(int dtype, double a, double b) { return (void)dtype, truth(both(a, b), a != b); }
static double opposite(int dtype, double a) { return (void)dtype, truth(!isnan(a), a == 0); }

/* One of the two operands may decide alone. */
double tfp_fold_and(int dtype, double a, double b)
{
    (void)dtype;
    return a == 0 || b == 0 ? 0 : truth(both(a, b), true);
}

double tfp_fold_or(int dtype, double a, double b)
{
    (void)dtype;
    return (a != 0 && !isnan(a)) || (b != 0 && !isnan(b)) ? 1 : truth(both(a, b), false);
}

/* ---- casts ---- */

/* Floats are truncated to integers; out-of-range results depend on the machine. */
static double cast_one(const tfp_dtype *to, int dtype, double x)
{
    bool integer = to->class == TFP_DTYPE_INT || to->class == TFP_DTYPE_UINT;
    return tfp_fold_fit(dtype, integer && isfinite(x) ? trunc(x) : x);
}

/* TensorFlow looks through a cast to an index type when it wants a partly known shape. */
static void cast_shape(tfp_op *op)
{
    const tfp_known *in = &op->in[0];
    int to = op->out[0].dtype;
    int64_t n = tfp_elements(in->shape);
    if (!in->elements || in->shape.rank != 1 || n != tfp_out_size(op, 0) || (to != 3 && to != 9)) return;
    double *out = tfp_fold_new(op, 0);
    for (int64_t i = 0; out && i < n; i++) out[i] = in->elements[i];
    op->out[0].limit = TFP_AS_SHAPE_ONLY;
}

static void fold_cast(tfp_op *op)
{
    const double *in = tfp_fold_in(op, 0);
    if (!op->in_count || !op->out_count) return;
    if (!in) {
        if (op->importer) cast_shape(op);
        return;
    }
    int64_t n = tfp_out_size(op, 0);
    int dtype = op->out[0].dtype, from = tfp_in_type(op, 0);
    double *out = n == tfp_in_size(op, 0) ? tfp_fold_new(op, 0) : NULL;
    for (int64_t i = 0; out && i < n; i++) out[i] = cast_one(tfp_dtype_of(dtype), dtype, tfp_fold_exact(from, in[i]));
}

/* ---- choices ---- */

static void fold_clip(tfp_op *op)
{
    const double *x = tfp_fold_in(op, 0), *least = tfp_fold_in(op, 1), *most = tfp_fold_in(op, 2);
    double *out = x && least && most ? tfp_fold_new(op, 0) : NULL;
    int64_t n = out ? tfp_out_size(op, 0) : 0;
    for (int64_t i = 0; i < n; i++) {
        double low = tfp_fold_maximum(0, operand(op, 0, x, i), operand(op, 1, least, i));
        out[i] = tfp_fold_fit(op->out[0].dtype, tfp_fold_minimum(0, low, operand(op, 2, most, i)));
    }
}

/* For Select: a condition that is a vector chooses rows. */
static int64_t condition_at(const tfp_op *op, int64_t k)
{
    tfp_dims c = tfp_in(op, 0), out = tfp_out(op, 0);
    bool rows = c.rank == 1 && out.rank > 1 && tfp_str_eq(tfp_text(op->profile, op->node->op), TFP_STR("Select"));
    if (!rows) return tfp_fold_broadcast(c, out, k);
    int64_t row = tfp_elements((tfp_dims){ out.rank - 1, out.at + 1 });
    return row > 0 && k / row < tfp_elements(c) ? k / row : 0;
}

static void fold_select(tfp_op *op)
{
    const double *c = tfp_fold_in(op, 0), *a = tfp_fold_in(op, 1), *b = tfp_fold_in(op, 2);
    double *out = c && a && b ? tfp_fold_new(op, 0) : NULL;
    int64_t n = out ? tfp_out_size(op, 0) : 0;
    for (int64_t i = 0; i < n; i++) {
        double which = c[condition_at(op, i)];
        double x = operand(op, 1, a, i), y = operand(op, 2, b, i);
        out[i] = tfp_fold_fit(op->out[0].dtype, isnan(which) ? (x == y ? x : (double)NAN) : which != 0 ? x : y);
    }
}

static void fold_add_n(tfp_op *op)
{
    for (uint32_t i = 0; i < op->in_count; i++)
        if (!tfp_fold_in(op, i) || tfp_in_size(op, i) != tfp_out_size(op, 0)) return;
    double *out = op->in_count ? tfp_fold_new(op, 0) : NULL;
    int64_t n = out ? tfp_out_size(op, 0) : 0;
    for (uint32_t i = 0; out && i < op->in_count; i++) {
        const double *in = tfp_fold_in(op, i);
        for (int64_t k = 0; k < n; k++)
            out[k] = tfp_fold_fit(op->out[0].dtype, out[k] + tfp_fold_exact(tfp_in_type(op, i), in[k]));
    }
}

/* ---- shapes ---- */

static double broadcast_dim(double a, double b)
{
    if (a == 1 || b == 1) return a == 1 ? b : a;
    if (isnan(a) || isnan(b)) return a > 1 ? a : b > 1 ? b : (double)NAN;
    return a == b ? a : (double)NAN;
}

static void fold_broadcast_args(tfp_op *op)
{
    const double *a = tfp_fold_in(op, 0), *b = tfp_fold_in(op, 1);
    int64_t m = tfp_in_size(op, 0), k = tfp_in_size(op, 1), n = tfp_out_size(op, 0);
    double *out = a && b && m <= n && k <= n ? tfp_fold_new(op, 0) : NULL;
    for (int64_t i = 0; out && i < n; i++)
        out[i] = broadcast_dim(i < n - m ? 1 : a[i - (n - m)], i < n - k ? 1 : b[i - (n - k)]);
}

const tfp_fold_rule tfp_folds_math[] = {
    { "BroadcastArgs", fold_broadcast_args },
    { "Cast", fold_cast },
    { "Add AddV2", each_pair, .two = tfp_fold_add },
    { "AddN", fold_add_n },
    { "Sub", each_pair, .two = sub },
    { "Mul", each_pair, .two = mul },
    { "RealDiv Div TruncateDiv", each_pair, .two = divide },
    { "DivNoNan", each_pair, .two = divide_no_nan },
    { "FloorDiv", each_pair, .two = floor_divide },
    { "FloorMod", each_pair, .two = floor_mod },
    { "Mod TruncateMod", each_pair, .two = remainder_of },
    { "Maximum", each_pair, .two = tfp_fold_maximum },
    { "Minimum", each_pair, .two = tfp_fold_minimum },
    { "Pow", each_pair, .two = power },
    { "SquaredDifference", each_pair, .two = squared_difference },
    { "Neg", each, .one = neg },
    { "Abs", each, .one = absolute },
    { "Sign", each, .one = sign },
    { "Floor", each, .one = down },
    { "Ceil", each, .one = up },
    { "Round Rint", each, .one = nearest },
    { "Sqrt", each, .one = root },
    { "Square", each, .one = square },
    { "ClipByValue", fold_clip },
    { "Greater", each_pair, .two = greater },
    { "GreaterEqual", each_pair, .two = greater_equal },
    { "Less", each_pair, .two = less },
    { "LessEqual", each_pair, .two = less_equal },
    { "Equal", each_pair, .two = equal },
    { "NotEqual", each_pair, .two = not_equal },
    { "LogicalAnd", each_pair, .two = tfp_fold_and },
    { "LogicalOr", each_pair, .two = tfp_fold_or },
    { "LogicalNot", each, .one = opposite },
    { "Select SelectV2", fold_select },
    { NULL },
};
