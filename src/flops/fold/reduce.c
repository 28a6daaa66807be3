// SPDX-License-Identifier: Apache-2.0
/* flops/fold/reduce.c: constant folding of reductions, of ArgMax and ArgMin, and of running sums. */
#include "flops/fold/fold.h"

#include "formats/checkpoint/tensor.h"

#include <math.h>

/* ---- reductions ---- */

static double product(int dtype, double a, double b) { return (void)dtype, a == 0 || b == 0 ? 0 : a * b; }

/* Marks the axes that input 1 names; false when they are not known, or there are too many dimensions. */
static bool reduced_axes(tfp_op *op, bool *reduced)
{
    int rank = tfp_in(op, 0).rank;
    int64_t n = tfp_in_size(op, 1);
    for (int i = 0; i < rank; i++) reduced[i] = false;
    if (rank < 0 || rank > TFP_RANK_MOST || (n != 0 && !tfp_fold_in(op, 1))) return false;
    for (int64_t k = 0; k < n; k++) {
        int64_t axis = tfp_in_at(op, 1, k);
        if (axis < -rank || axis >= rank) return false;
        reduced[axis < 0 ? axis + rank : axis] = true;
    }
    return true;
}

/* Index of the result that element k is added to. */
static int64_t kept_place(tfp_dims d, const bool *reduced, int64_t k)
{
    int64_t place = 0, step = 1;
    for (int i = d.rank; i-- > 0;) {
        int64_t at = k % d.at[i];
        k /= d.at[i];
        if (reduced[i]) continue;
        place += at * step;
        step *= d.at[i];
    }
    return place;
}

/* The order in which floats are added depends on the machine: only whole numbers give the same sum. */
static bool order_matters(int dtype, double x)
{
    return tfp_dtype_of(dtype)->class == TFP_DTYPE_FLOAT && !(x == floor(x) && fabs(x) < 16777216);
}

/* Joins the elements along the axes by the row's `two`, beginning with its number; NAN: with the first element. */
static void reduce(tfp_op *op, bool exact_only, bool mean)
{
    const double *in = tfp_fold_in(op, 0), start = op->fold->number;
    bool reduced[TFP_RANK_MOST];
    int64_t n = tfp_in_size(op, 0), kept = tfp_out_size(op, 0);
    if (!in || !op->out_count || kept < 0 || !reduced_axes(op, reduced)) return;
    double *out = tfp_fold_new(op, 0);
    int dtype = op->out[0].dtype;
    for (int64_t i = 0; out && i < kept; i++) out[i] = start;
    for (int64_t i = 0; out && i < n; i++) {
        int64_t place = kept_place(tfp_in(op, 0), reduced, i);
        double x = tfp_fold_exact(tfp_in_type(op, 0), in[i]);
        if (place >= kept) continue;
        if (isnan(out[place]) && isnan(start))
            out[place] = x; /* the first element, or unknown since an earlier one */
        else
            out[place] = tfp_fold_exact(
                dtype, op->fold->two(dtype, out[place], exact_only && order_matters(dtype, x) ? (double)NAN : x));
    }
    for (int64_t i = 0; out && i < kept; i++) {
        if (exact_only && order_matters(dtype, out[i])) out[i] = NAN;
        if (mean)
            out[i] = tfp_dtype_of(dtype)->class == TFP_DTYPE_FLOAT ? out[i] / (double)(n / kept)
                                                                   : trunc(out[i] / (double)(n / kept));
        out[i] = tfp_fold_fit(dtype, out[i]);
    }
}

static void exactly(tfp_op *op) { reduce(op, true, false); }
static void mean(tfp_op *op) { reduce(op, true, true); }
static void truth(tfp_op *op) { reduce(op, false, false); }
static void extreme(tfp_op *op)
{
    if (tfp_in_all(op, 0)) reduce(op, false, false);
}

/* ---- along one axis ---- */

/* One line along the axis: `dim` elements, `step` apart. */
typedef struct line {
    int64_t dim, step;
} line;

static bool line_along(tfp_op *op, line *l)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t axis;
    if (!tfp_in_int(op, 1, &axis) || !tfp_dims_known(in) || axis < -in.rank || axis >= in.rank) return false;
    if (axis < 0) axis += in.rank;
    *l = (line){ in.at[axis], 1 };
    for (int i = (int)axis + 1; i < in.rank; i++) l->step *= in.at[i];
    return l->dim > 0 && l->step > 0;
}

static int64_t line_start(const line *l, int64_t i) { return i / l->step * l->step * l->dim + i % l->step; }

static void arg(tfp_op *op)
{
    const double *in = tfp_in_all(op, 0) ? tfp_fold_in(op, 0) : NULL;
    double direction = op->fold->number; /* 1: the largest; -1: the smallest */
    line l;
    int64_t lines = tfp_out_size(op, 0);
    if (!in || !tfp_fold_in(op, 1) || !line_along(op, &l) || lines * l.dim != tfp_in_size(op, 0)) return;
    double *out = tfp_fold_new(op, 0);
    for (int64_t i = 0; out && i < lines; i++) {
        const double *at = in + line_start(&l, i);
        int64_t best = 0;
        for (int64_t k = 1; k < l.dim; k++)
            if (direction * at[k * l.step] > direction * at[best * l.step]) best = k;
        out[i] = (double)best;
    }
}

static void cumulate(tfp_op *op)
{
    const double *in = tfp_fold_in(op, 0);
    bool exclusive = tfp_attr_bool(op, "exclusive", false), reverse = tfp_attr_bool(op, "reverse", false);
    int64_t n = tfp_out_size(op, 0);
    line l;
    if (!in || !tfp_fold_in(op, 1) || n != tfp_in_size(op, 0) || !line_along(op, &l)) return;
    double *out = tfp_fold_new(op, 0);
    int dtype = op->out[0].dtype;
    for (int64_t i = 0; out && i < n / l.dim; i++) {
        int64_t from = line_start(&l, i);
        double so_far = op->fold->number;
        for (int64_t k = 0; k < l.dim; k++) {
            int64_t at = from + (reverse ? l.dim - 1 - k : k) * l.step;
            double x = order_matters(dtype, in[at]) ? (double)NAN : tfp_fold_exact(dtype, in[at]);
            double next = tfp_fold_fit(dtype, op->fold->two(dtype, so_far, x));
            out[at] = exclusive ? so_far : next;
            so_far = order_matters(dtype, next) ? (double)NAN : next;
        }
    }
}

const tfp_fold_rule tfp_folds_reduce[] = {
    { "Sum", exactly, .two = tfp_fold_add },
    { "Prod", exactly, .two = product, .number = 1 },
    { "Max", extreme, .two = tfp_fold_maximum, .number = (double)NAN },
    { "Min", extreme, .two = tfp_fold_minimum, .number = (double)NAN },
    { "Mean", mean, .two = tfp_fold_add },
    { "All", truth, .two = tfp_fold_and, .number = 1 },
    { "Any", truth, .two = tfp_fold_or },
    { "ArgMax", arg, .number = 1 },
    { "ArgMin", arg, .number = -1 },
    { "Cumsum", cumulate, .two = tfp_fold_add },
    { "Cumprod", cumulate, .two = product, .number = 1 },
    { NULL },
};
