// SPDX-License-Identifier: Apache-2.0
/* flops/rules/arrays/value.c: ops whose output shapes depend on values, so that values and shapes are found together.
 * TensorFlow's static shapes of these ops have unknown dimensions, but its importer computes the values; so the shapes
 * of values that it knows are set in both cases. */
#include "flops/rules/shared/array.h"

/* ---- what is reduced after a broadcast ---- */

/* The dim of shape `i` at index `at` of the longer shape's rank; leading dims are 1; INT64_MIN when not known. */
static int64_t padded_at(const tfp_op *op, uint32_t i, int64_t at, int64_t rank)
{
    int64_t own = tfp_in_size(op, i), k = at - (rank - own);
    return k < 0 ? 1 : tfp_in_at(op, i, k);
}

typedef enum sameness { SAME, OTHER, MAY_BE_SAME } sameness;

static sameness compare_shapes(const tfp_op *op, int64_t a, int64_t b)
{
    sameness found = a == b ? SAME : OTHER;
    for (int64_t i = 0; i < a && a == b; i++) {
        int64_t x = tfp_in_at(op, 0, i), y = tfp_in_at(op, 1, i);
        if (x == INT64_MIN || y == INT64_MIN)
            found = MAY_BE_SAME;
        else if (x != y)
            return OTHER;
    }
    return found;
}

/* The axes along which shape `i` is broadcast: those where it has 1; none for equal shapes. -1 when that is not
 * known. */
static int64_t reduced_axes(const tfp_op *op, uint32_t i, int64_t rank, sameness same, double *axes)
{
    int64_t count = 0;
    for (int64_t at = 0; at < rank && same != SAME; at++) {
        int64_t dim = padded_at(op, i, at, rank);
        if (dim == INT64_MIN || (dim == 1 && same == MAY_BE_SAME)) return -1;
        if (dim == 1) axes[count++] = (double)at;
    }
    return count;
}

/* The shape depends on the values, so both are found here. The importer knows values of whole shapes only. */
void tfp_shape_broadcast_gradient_args(tfp_op *op)
{
    int64_t a = tfp_dim(tfp_merge_rank(op, tfp_in(op, 0), 1), 0), b = tfp_dim(tfp_merge_rank(op, tfp_in(op, 1), 1), 0);
    int64_t rank = a > b ? a : b;
    bool whole = tfp_in_all(op, 0) && tfp_in_all(op, 1);
    double axes[TFP_RANK_MOST];
    sameness same = compare_shapes(op, a, b);
    for (uint32_t i = 0; i < 2 && i < op->out_count; i++) {
        bool look = a >= 0 && b >= 0 && rank <= TFP_RANK_MOST && (whole || !op->importer) && !op->wrong;
        int64_t count = look ? reduced_axes(op, i, rank, same, axes) : TFP_DIM_UNKNOWN;
        tfp_set(op, i, tfp_vector_of(op, count));
        double *out = count >= 0 ? tfp_new_elements(op, i) : NULL;
        if (out) memcpy(out, axes, (size_t)count * sizeof *axes);
    }
}

/* ---- searches in values ---- */

/* Output i becomes a vector of known values; NULL when it does not fit. */
static double *vector_output(tfp_op *op, uint32_t i, int64_t count)
{
    if (i >= op->out_count) return NULL;
    tfp_set(op, i, tfp_vector_of(op, count));
    return tfp_new_elements(op, i);
}

static int64_t place_of(const double *in, int64_t count, double x)
{
    for (int64_t i = 0; i < count; i++)
        if (in[i] == x) return i;
    return -1;
}

#define SEARCHED_MAX 256 /* most elements that are compared with each other */

/* The values of x that are not in y, and their indexes in x. */
static void find_differences(tfp_op *op, const double *x, const double *y)
{
    int64_t n = tfp_in_size(op, 0), m = tfp_in_size(op, 1), count = 0, at = 0;
    for (int64_t i = 0; i < n; i++) count += place_of(y, m, x[i]) < 0;
    double *values = vector_output(op, 0, count), *places = vector_output(op, 1, count);
    for (int64_t i = 0; i < n && values && places; i++) {
        if (place_of(y, m, x[i]) >= 0) continue;
        values[at] = x[i];
        places[at++] = (double)i;
    }
}

void tfp_shape_list_diff(tfp_op *op)
{
    const double *x = tfp_in_all(op, 0), *y = tfp_in_all(op, 1);
    tfp_merge_rank(op, tfp_in(op, 0), 1);
    tfp_merge_rank(op, tfp_in(op, 1), 1);
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, tfp_vector_of(op, TFP_DIM_UNKNOWN));
    bool small = tfp_in_size(op, 0) <= SEARCHED_MAX && tfp_in_size(op, 1) <= SEARCHED_MAX;
    if (x && y && small && !op->wrong) find_differences(op, x, y);
}

/* The indexes of elements that are not zero, one row each, in order. */
static void find_places(tfp_op *op, const double *x)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t n = tfp_elements(in), count = 0;
    for (int64_t i = 0; i < n; i++) count += x[i] != 0;
    tfp_set(op, 0, tfp_matrix_of(op, count, in.rank));
    double *out = in.rank > 0 ? tfp_new_elements(op, 0) : NULL;
    for (int64_t i = 0; i < n && out; i++) {
        if (x[i] == 0) continue;
        int64_t rest = i;
        for (int k = in.rank; k-- > 0; rest /= in.at[k]) out[k] = (double)(rest % in.at[k]);
        out += in.rank;
    }
}

void tfp_shape_where(tfp_op *op)
{
    const double *x = tfp_in_all(op, 0);
    tfp_set(op, 0, tfp_matrix_of(op, TFP_DIM_UNKNOWN, tfp_in(op, 0).rank));
    if (x && op->out_count) find_places(op, x);
}

/* Each distinct value in order of first occurrence, and for each element the index of its value. */
static void find_values(tfp_op *op, const double *x)
{
    int64_t n = tfp_in_size(op, 0), count = 0;
    double values[SEARCHED_MAX], times[SEARCHED_MAX];
    double *index = vector_output(op, 1, n);
    for (int64_t i = 0; i < n && index; i++) {
        int64_t which = place_of(values, count, x[i]);
        if (which < 0) {
            which = count++;
            values[which] = x[i];
            times[which] = 0;
        }
        times[which]++;
        index[i] = (double)which;
    }
    double *out = index ? vector_output(op, 0, count) : NULL, *counts = out ? vector_output(op, 2, count) : NULL;
    if (out) memcpy(out, values, (size_t)count * sizeof *out);
    if (counts) memcpy(counts, times, (size_t)count * sizeof *counts);
}

void tfp_shape_unique(tfp_op *op)
{
    const double *x = tfp_in_all(op, 0);
    tfp_dims some = tfp_vector_of(op, TFP_DIM_UNKNOWN);
    /* the importer does not check UniqueWithCounts */
    if (op->out_count < 3 || !op->importer) tfp_merge_rank(op, tfp_in(op, 0), 1);
    tfp_set(op, 0, some);
    tfp_set(op, 1, tfp_in(op, 0));
    tfp_set(op, 2, some);
    if (x && tfp_in(op, 0).rank == 1 && tfp_in_size(op, 0) <= SEARCHED_MAX) find_values(op, x);
}

void tfp_shape_unique_v2(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0), axes = tfp_in(op, 1), index = tfp_vector_of(op, TFP_DIM_UNKNOWN);
    int64_t axis;
    tfp_set(op, 0, in.rank >= 0 ? tfp_any_of_rank(op, in.rank) : TFP_ANY_DIMS);
    tfp_set(op, 2, tfp_vector_of(op, TFP_DIM_UNKNOWN));
    if (tfp_elements(axes) == 0 && in.rank >= 0) index = tfp_merge_rank(op, in, 1);
    if (tfp_in_int(op, 1, &axis) && in.rank >= 0) {
        if (axis < -in.rank || axis >= in.rank) tfp_wrong(op, "an axis outside of the rank");
        index = tfp_vector_of(op, tfp_dim(in, (int)axis));
    }
    tfp_set(op, 1, index);
}
