// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/reduce.c: operations that combine many elements into fewer: reductions along axes, ArgMax and
 * ArgMin, running sums, histograms. */
#include "flops/rules/shared/rule.h"

#include <math.h>

/* ---- shapes ---- */

/* Axis k, counted from the front; false when it is not known or out of range. */
static bool axis_of(const double *axes, int64_t k, int rank, int *out)
{
    double axis = axes[k];
    if (!(axis >= -rank && axis < rank) || axis != floor(axis)) return false;
    *out = (int)axis + (axis < 0 ? rank : 0);
    return true;
}

/* Marks the axes that input i names; false when they are not all known. Calls tfp_wrong for axes out of range. */
static bool mark_axes(tfp_op *op, uint32_t i, int rank, bool *reduced)
{
    int64_t count = tfp_in_size(op, i);
    const double *axes = tfp_in_elements(op, i);
    memset(reduced, 0, sizeof *reduced * TFP_RANK_MOST);
    if (count == 0 && (axes || !op->importer)) return true;
    if (!axes || count < 0 || rank < 0) return false;
    for (int64_t k = 0; k < count; k++) {
        int axis;
        if (isnan(axes[k])) return false;
        if (!axis_of(axes, k, rank, &axis)) return tfp_wrong(op, "an axis outside of the input"), false;
        reduced[axis] = true;
    }
    return true;
}

/* The dims that stay; reduced ones become 1 or disappear. */
static tfp_dims reduced_dims(tfp_op *op, tfp_dims in, const bool *reduced, bool keep)
{
    int64_t dims[TFP_RANK_MOST];
    int rank = 0;
    for (int i = 0; i < in.rank; i++) {
        if (reduced[i] && keep) dims[rank++] = 1;
        if (!reduced[i]) dims[rank++] = in.at[i];
    }
    return tfp_shape_of(op, dims, rank);
}

static void reduction(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    bool reduced[TFP_RANK_MOST], keep = tfp_attr_bool(op, "keep_dims", false);
    if (in.rank < 0) return;
    if (mark_axes(op, 1, in.rank, reduced))
        tfp_set(op, 0, reduced_dims(op, in, reduced, keep));
    else if (keep)
        tfp_set(op, 0, tfp_any_of_rank(op, in.rank));
}

/* ArgMax, ArgMin: the one axis disappears. */
static void arg_reduction(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    bool reduced[TFP_RANK_MOST];
    tfp_merge_rank(op, tfp_in(op, 1), 0);
    if (in.rank < 0) return;
    if (in.rank <= 1)
        tfp_set(op, 0, TFP_SCALAR_DIMS);
    else if (mark_axes(op, 1, in.rank, reduced))
        tfp_set(op, 0, reduced_dims(op, in, reduced, false));
    else
        tfp_set(op, 0, tfp_any_of_rank(op, in.rank - 1));
}

/* Marks the axes that the attribute dimensions_to_reduce names; false when they do not fit. */
static bool mark_given_axes(tfp_op *op, int rank, bool *reduced)
{
    const tfp_attr_list *list = tfp_attr_members(op, "dimensions_to_reduce");
    const int64_t *axes = list->numbers;
    memset(reduced, 0, sizeof *reduced * TFP_RANK_MOST);
    for (size_t k = 0; k < list->number_count; k++) {
        if (axes[k] < 0 || axes[k] >= rank || reduced[axes[k]]) return tfp_wrong(op, "axes that do not fit"), false;
        reduced[axes[k]] = true;
    }
    return true;
}

/* XlaReduce and XlaVariadicReduce: TensorFlow infers only the rank; here the dims are known too. */
static void xla_reduce(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    bool reduced[TFP_RANK_MOST];
    for (uint32_t i = 1; i < op->out_count; i++) in = tfp_merge(op, in, tfp_in(op, i));
    if (in.rank < 0 || !mark_given_axes(op, in.rank, reduced)) return;
    tfp_dims out = reduced_dims(op, in, reduced, false);
    bool rank_only = op->importer && !tfp_op_is(op, "XlaVariadicReduceV2");
    if (rank_only) out = tfp_any_of_rank(op, out.rank);
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, out);
}

static void histogram(tfp_op *op)
{
    int64_t bins = TFP_DIM_UNKNOWN;
    tfp_merge(op, tfp_in(op, 1), tfp_vector_of(op, 2)); /* the range */
    tfp_merge_rank(op, tfp_in(op, 2), 0);
    if (tfp_in_int(op, 2, &bins) && bins < 1) tfp_wrong(op, "a histogram without bins");
    tfp_set(op, 0, tfp_vector_of(op, bins));
}

/* ---- counts ---- */

static int64_t sum_elements(const tfp_op *op, bool outputs)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < op->out_count; i++)
        sum = tfp_plus(sum, tfp_elements(outputs ? tfp_out(op, i) : tfp_in(op, i)));
    return sum;
}

/* One step for each element but the first of each result; an empty reduction takes none. */
static tfp_cost count_steps(const tfp_op *op)
{
    int64_t in = sum_elements(op, false), out = sum_elements(op, true);
    return tfp_cost_of(in >= 0 && out > in ? 0 : tfp_times(op->rule->per, tfp_minus(in, out)));
}

/* XlaReduceWindow: for each result one step less than the window has elements. */
static tfp_cost count_window(const tfp_op *op)
{
    const double *window = tfp_in_elements(op, 2);
    int64_t dims = tfp_in_size(op, 2), places = 1;
    if (!window || dims < 0) return tfp_cost_of(TFP_UNKNOWN);
    for (int64_t i = 0; i < dims; i++) {
        bool sound = window[i] >= 1 && window[i] < 1e15 && window[i] == floor(window[i]);
        places = tfp_times(places, sound ? (int64_t)window[i] : TFP_UNKNOWN);
    }
    return tfp_cost_of(tfp_times(tfp_minus(places, 1), tfp_out_size(op, 0)));
}

/* The last members of rows in the table below. */
#define STEPS(source) count_steps, 1, "n(in0) - n(out)", (source)
#define AS_SUM STEPS("one step an element but the first, as the registry counts Sum")

const tfp_op_rule tfp_rules_reduce[] = {
    { "Sum", reduction, STEPS("registry") },
    { "Mean", reduction, TFP_EACH_IN(1, "registry") },
    { "Prod Max Min All Any", reduction, AS_SUM },
    { "EuclideanNorm", reduction, TFP_EACH_IN(2, "squares, their sum, its root") },
    { "ArgMax ArgMin", arg_reduction, STEPS("registry") },
    { "RiscReduce", tfp_unknown_outputs, AS_SUM },
    { "XlaReduce XlaVariadicReduce XlaVariadicReduceV2", xla_reduce, AS_SUM },
    { "XlaReduceWindow", tfp_rank_of_input, count_window, 0, "(window - 1) * n(out)",
      "one step a place but the first" },

    { "Cumsum", tfp_same_as_input, TFP_EACH_IN(1, "one add an element") },
    { "Cumprod", tfp_same_as_input, TFP_EACH_IN(1, "one multiply an element") },
    { "CumulativeLogsumexp", tfp_same_as_input, TFP_EACH_IN(5, "max + log1p(exp(min - max)): five steps an element") },

    { "HistogramFixedWidth", histogram, TFP_EACH_IN(3, "a difference, a scaling and a count an element") },
    { NULL },
};
