// SPDX-License-Identifier: Apache-2.0
/* flops/rules/shared/strided.c: values of constants, arithmetic of dimensions, and the plan of a strided slice. */
#include "flops/rules/shared/array.h"

#include <math.h>

/* ---- elements ---- */

bool tfp_whole(double x, int64_t *out)
{
    if (!(x > -9007199254740992.0 && x < 9007199254740992.0) || x != floor(x)) return false;
    *out = (int64_t)x;
    return true;
}

const double *tfp_in_all(const tfp_op *op, uint32_t i)
{
    const double *x = tfp_in_elements(op, i);
    int64_t n = x ? tfp_in_size(op, i) : -1;
    for (int64_t k = 0; k < n; k++)
        if (isnan(x[k])) return NULL;
    return n < 0 ? NULL : x;
}

int64_t tfp_in_at(const tfp_op *op, uint32_t i, int64_t index)
{
    const double *x = tfp_in_elements(op, i);
    int64_t value;
    if (!x || index < 0 || index >= tfp_in_size(op, i)) return INT64_MIN;
    return tfp_whole(x[index], &value) ? value : INT64_MIN;
}

/* ---- dimensions ---- */

int64_t tfp_dim_over(tfp_op *op, int64_t a, int64_t b)
{
    if (b <= 0) return tfp_wrong(op, "a division of a dimension by zero or less"), TFP_DIM_UNKNOWN;
    if (a < 0) return TFP_DIM_UNKNOWN;
    if (a % b) tfp_wrong(op, "a dimension that does not divide evenly");
    return a / b;
}

/* ---- strided slices: tensorflow/core/util/strided_slice_op.cc ---- */

typedef struct masks { /* one bit for each index */
    uint32_t begin, end, ellipsis, new_axis, shrink;
} masks;

/* A slice's begin, end and stride for one dimension of the input. */
typedef struct range {
    int64_t begin, end, stride; /* INT64_MIN: not known */
    bool from_start, to_end, drop;
} range;

/* A bound beyond 2^53 means the end of the dimension: programs write it that way. */
static int64_t bound_at(const tfp_op *op, uint32_t i, int64_t index)
{
    const double far = 9007199254740992.0, *x = tfp_in_elements(op, i);
    if (!x || index >= tfp_in_size(op, i) || isnan(x[index])) return INT64_MIN;
    return (int64_t)(x[index] > far ? far : x[index] < -far ? -far : x[index]);
}

static bool bit(uint32_t mask, int i) { return i < 32 && (mask >> i & 1); }

static tfp_stride whole_dim(int64_t dim) { return (tfp_stride){ 0, 1, dim, true }; }

static int64_t clamped(int64_t x, int64_t least, int64_t most) { return x < least ? least : x > most ? most : x; }

/* A single index removes the dimension. */
static tfp_stride one_index(tfp_op *op, int64_t dim, const range *r)
{
    tfp_stride out = { 0, 1, 1, false };
    if (dim < 0) return out;
    if (r->stride != INT64_MIN && r->stride <= 0) tfp_wrong(op, "a single index with a stride that is not positive");
    if (r->begin == INT64_MIN) return out;
    out.begin = r->begin < 0 ? r->begin + dim : r->begin;
    out.placed = out.begin >= 0 && out.begin < dim;
    if (!out.placed) tfp_wrong(op, "an index out of bounds");
    return out;
}

static int64_t steps(int64_t length, int64_t stride)
{
    if (length == 0 || (length < 0) != (stride < 0) || stride == INT64_MIN) return 0;
    return length / stride + (length % stride != 0);
}

static tfp_stride many_indexes(int64_t dim, const range *r)
{
    tfp_stride out = { 0, r->stride, TFP_DIM_UNKNOWN, false };
    bool up = r->stride > 0;
    if (dim < 0 || r->stride == INT64_MIN) return out;
    if ((!r->from_start && r->begin == INT64_MIN) || (!r->to_end && r->end == INT64_MIN)) return out;
    int64_t least = up ? 0 : -1, most = up ? dim : dim - 1;
    int64_t begin =
        r->from_start ? (up ? least : most) : clamped(r->begin < 0 ? r->begin + dim : r->begin, least, most);
    int64_t end = r->to_end ? (up ? most : least) : clamped(r->end < 0 ? r->end + dim : r->end, least, most);
    return (tfp_stride){ begin, r->stride, steps(end - begin, r->stride), true };
}

static void keep(tfp_strided *s, int64_t dim)
{
    if (s->out_rank < TFP_RANK_MOST) s->out[s->out_rank++] = dim;
}

static void rest_of_dims(tfp_dims input, tfp_strided *s, int64_t upto)
{
    for (; s->rank < upto && s->rank < input.rank; s->rank++) {
        s->at[s->rank] = whole_dim(input.at[s->rank]);
        keep(s, input.at[s->rank]);
    }
}

static bool take_dim(tfp_op *op, tfp_dims input, const masks *m, int i, bool all_known, tfp_strided *s)
{
    if (s->rank == input.rank) return tfp_wrong(op, "more indexes than dimensions"), false;
    range r = { bound_at(op, 1, i), bound_at(op, 2, i), bound_at(op, 3, i),
                bit(m->begin, i),   bit(m->end, i),     bit(m->shrink, i) };
    if (r.stride == 0) return tfp_wrong(op, "a stride of zero"), false;
    if (!all_known) { /* TensorFlow uses begin and end only when it knows all of both */
        r.begin = r.end = INT64_MIN;
        r.from_start = r.to_end = r.from_start && r.to_end;
    }
    int64_t dim = input.at[s->rank];
    tfp_stride *at = &s->at[s->rank++];
    *at = r.drop ? one_index(op, dim, &r) : many_indexes(dim, &r);
    if (!r.drop) keep(s, at->count);
    return true;
}

/* The first dimension after those that an ellipsis at index i stands for. */
static int64_t ellipsis_end(tfp_dims input, const masks *m, int i, int count)
{
    int64_t after = 0;
    for (int k = i + 1; k < count; k++) after += !bit(m->new_axis, k);
    return input.rank - after;
}

static uint32_t mask_of(const tfp_op *op, const char *name) { return (uint32_t)tfp_attr_int(op, name, 0); }

bool tfp_strided_plan(tfp_op *op, tfp_dims input, tfp_strided *out)
{
    masks m = { mask_of(op, "begin_mask"), mask_of(op, "end_mask"), mask_of(op, "ellipsis_mask"),
                mask_of(op, "new_axis_mask"), mask_of(op, "shrink_axis_mask") };
    tfp_dims given = tfp_merge(op, tfp_merge_rank(op, tfp_in(op, 1), 1), tfp_merge_rank(op, tfp_in(op, 2), 1));
    given = tfp_merge(op, given, tfp_merge_rank(op, tfp_in(op, 3), 1));
    int64_t count = tfp_dim(given, 0);
    out->rank = out->out_rank = 0;
    if (op->wrong || input.rank < 0 || input.rank > TFP_RANK_MOST || count < 0) return false;
    if (op->importer && !tfp_in_all(op, 3)) return false;
    if (count >= 32) return tfp_wrong(op, "more than 31 indexes"), false;
    if (m.ellipsis & (m.ellipsis - 1)) return tfp_wrong(op, "more than one ellipsis"), false;
    bool all_known = !op->importer || (tfp_in_all(op, 1) && tfp_in_all(op, 2)), seen = false;
    for (int i = 0; i < (int)count; i++) {
        if (bit(m.ellipsis, i)) {
            rest_of_dims(input, out, ellipsis_end(input, &m, i, (int)count));
            seen = true;
        } else if (bit(m.new_axis, i)) {
            keep(out, 1);
        } else if (!take_dim(op, input, &m, i, all_known, out)) {
            return false;
        }
    }
    if (!seen || out->rank < input.rank) rest_of_dims(input, out, input.rank);
    return true;
}
