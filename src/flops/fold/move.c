// SPDX-License-Identifier: Apache-2.0
/* flops/fold/move.c: constant folding of ops that join, cut and rearrange. */
#include "flops/fold/fold.h"

#include <math.h>

/* ---- joining: for each outer index, one row of every input after the other ---- */

int64_t tfp_fold_product(tfp_dims d, int from, int to)
{
    int64_t n = 1;
    for (int i = from; i < to && i < d.rank; i++) n = tfp_times(n, d.at[i]);
    return n;
}

/* The elements of input i in one row of the output; -1 when the input does not fit. */
static int64_t part_of_row(const tfp_op *op, uint32_t i, int64_t outer)
{
    int64_t n = tfp_in_size(op, i);
    return n < 0 || outer <= 0 || n % outer ? -1 : n / outer;
}

/* For the importer: the elements known when a shape is asked for. */
static const double *as_shape(const tfp_op *op, uint32_t i) { return i < op->in_count ? op->in[i].elements : NULL; }

static bool any_known(const tfp_op *op, uint32_t first, uint32_t end, bool shapes)
{
    for (uint32_t i = first; i < end; i++)
        if (shapes ? as_shape(op, i) : tfp_fold_in(op, i)) return true;
    return false;
}

/* Whether the elements of all inputs [first, end) are known. */
static bool every_known(const tfp_op *op, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        if (!tfp_fold_in(op, i)) return false;
    return true;
}

static void join_rows(tfp_op *op, uint32_t first, uint32_t end, int64_t outer, bool shapes)
{
    int64_t n = tfp_out_size(op, 0), row = outer > 0 ? n / outer : 0, before = 0;
    double *out = any_known(op, first, end, shapes) ? tfp_fold_new(op, 0) : NULL;
    for (uint32_t i = first; out && i < end; i++) {
        const double *in = shapes ? as_shape(op, i) : tfp_fold_in(op, i);
        int64_t part = part_of_row(op, i, outer);
        if (part < 0 || before + part > row) {
            op->out[0].elements = NULL;
            return;
        }
        for (int64_t k = 0; k < outer * part; k++) out[k / part * row + before + k % part] = in ? in[k] : (double)NAN;
        before += part;
    }
}

/* Inputs [first, end) joined along an axis. TensorFlow computes it from all inputs, or a shape from parts of them. */
static void join(tfp_op *op, uint32_t first, uint32_t end, int64_t outer)
{
    if (!op->importer || every_known(op, first, end)) {
        join_rows(op, first, end, outer, false);
    } else if (tfp_out(op, 0).rank == 1) {
        join_rows(op, first, end, outer, true);
        op->out[0].limit = TFP_AS_SHAPE_ONLY;
    }
}

bool tfp_fold_axis(int64_t axis, int rank, int *out)
{
    if (axis < -rank || axis >= rank) return false;
    *out = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

/* A partly known shape is packed from computed numbers; negative ones stand for unknown dimensions. */
static void pack_shape(tfp_op *op)
{
    double *out = tfp_fold_new(op, 0);
    for (uint32_t i = 0; out && i < op->in_count; i++) {
        const double *in = op->in[i].limit == TFP_AS_SHAPE_ONLY ? NULL : tfp_in_all(op, i);
        out[i] = in && *in >= 0 ? *in : (double)NAN;
    }
    op->out[0].limit = TFP_AS_SHAPE_ONLY;
}

static void fold_pack(tfp_op *op)
{
    tfp_dims out = tfp_out(op, 0);
    int axis;
    if (!op->out_count || !tfp_fold_axis(tfp_attr_int(op, "axis", 0), out.rank, &axis)) return;
    if (op->importer && !every_known(op, 0, op->in_count)) {
        if (out.rank == 1 && tfp_elements(out) == op->in_count) pack_shape(op);
        return;
    }
    join_rows(op, 0, op->in_count, tfp_fold_product(out, 0, axis), false);
}

static void concat(tfp_op *op, uint32_t first, uint32_t end, uint32_t axis_input)
{
    int64_t axis;
    int at;
    if (!op->out_count || end > op->in_count || !tfp_in_int(op, axis_input, &axis)) return;
    if (!tfp_fold_axis(axis, tfp_out(op, 0).rank, &at)) return;
    join(op, first, end, tfp_fold_product(tfp_out(op, 0), 0, at));
}

static void fold_concat(tfp_op *op) { concat(op, 1, op->in_count, 0); }
static void fold_concat_v2(tfp_op *op) { concat(op, 0, op->in_count ? op->in_count - 1 : 0, op->in_count - 1); }

/* Whether input i is a shape of that rank that differs from the first one in dimension `at` at most. */
static bool same_but_for(const tfp_op *op, uint32_t i, int64_t rank, int at)
{
    const double *first = tfp_fold_in(op, 1), *in = tfp_fold_in(op, i);
    if (tfp_in_size(op, i) != rank || tfp_in_size(op, 1) != rank) return false;
    for (int64_t k = 0; k < rank && first && in; k++)
        if (k != at && !isnan(first[k]) && !isnan(in[k]) && first[k] != in[k]) return false;
    return true;
}

/* The offset of each input along the axis is the sum of the sizes before it; the other dimensions have 0. */
static void fold_concat_offset(tfp_op *op)
{
    int64_t axis, rank = tfp_out_size(op, 0);
    int at;
    double before = 0;
    if (!tfp_fold_in(op, 0) || !tfp_in_int(op, 0, &axis) || rank > TFP_RANK_MOST || rank < 0) return;
    if (!tfp_fold_axis(axis, (int)rank, &at)) return;
    for (uint32_t i = 0; i < op->out_count; i++)
        if (!same_but_for(op, i + 1, rank, at) || tfp_out_size(op, i) != rank) return;
    for (uint32_t i = 0; i < op->out_count; i++) {
        const double *in = tfp_fold_in(op, i + 1);
        double *out = tfp_fold_new(op, i);
        if (!out) return;
        out[at] = tfp_fold_fit(op->out[i].dtype, before);
        before = in ? before + in[at] : (double)NAN;
    }
}

/* ---- taking apart ---- */

/* An input that is split along one dimension: the number of elements before, in and after that dimension. */
typedef struct whole {
    const double *in;
    int64_t outer, dim, inner;
} whole;

/* Output i takes its part of the dimension from `begin` on. */
static void take_part(tfp_op *op, uint32_t i, whole w, int64_t begin)
{
    int64_t n = tfp_out_size(op, i), row = w.outer > 0 ? n / w.outer : 0;
    if (n < 0 || begin < 0 || row > (w.dim - begin) * w.inner || w.outer * row != n) return;
    double *out = tfp_fold_new(op, i);
    for (int64_t k = 0; out && k < n; k++) out[k] = w.in[(k / row) * w.dim * w.inner + begin * w.inner + k % row];
}

static void take_parts(tfp_op *op, uint32_t from, int64_t axis)
{
    tfp_dims in = tfp_in(op, from);
    const double *x = tfp_fold_in(op, from);
    int64_t begin = 0;
    int at;
    if (!x || !tfp_dims_known(in) || !tfp_fold_axis(axis, in.rank, &at)) return;
    whole w = { x, tfp_fold_product(in, 0, at), in.at[at], tfp_fold_product(in, at + 1, in.rank) };
    for (uint32_t i = 0; i < op->out_count; i++) {
        int64_t size = tfp_dim(tfp_out(op, i), at);
        if (size < 0) return;
        take_part(op, i, w, begin);
        begin += size;
    }
}

static void fold_split(tfp_op *op)
{
    int64_t axis;
    if (tfp_fold_in(op, 0) && tfp_in_int(op, 0, &axis)) take_parts(op, 1, axis);
}

static void fold_split_v(tfp_op *op)
{
    int64_t axis;
    if (tfp_fold_in(op, 2) && tfp_in_int(op, 2, &axis)) take_parts(op, 0, axis);
}

static void fold_unpack(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    const double *x = tfp_fold_in(op, 0);
    int axis;
    if (!x && op->importer && op->in_count && op->in[0].limit == TFP_ANY_USE && in.rank == 1) x = op->in[0].elements;
    if (!x || !tfp_dims_known(in) || !tfp_fold_axis(tfp_attr_int(op, "axis", 0), in.rank, &axis)) return;
    whole w = { x, tfp_fold_product(in, 0, axis), in.at[axis], tfp_fold_product(in, axis + 1, in.rank) };
    for (uint32_t i = 0; i < op->out_count && i < in.at[axis]; i++) take_part(op, i, w, i);
}

/* ---- rearranging: for each element of the output, its place in input 0 ---- */

void tfp_fold_rearrange(tfp_op *op, const double *in, tfp_dims walked, tfp_place_fn place, const void *ctx)
{
    int64_t n = tfp_out_size(op, 0), there = tfp_in_size(op, 0), at[TFP_RANK_MOST];
    if (!in || n < 0 || n != tfp_elements(walked) || walked.rank > TFP_RANK_MOST) return;
    double *out = tfp_fold_new(op, 0);
    for (int64_t k = 0; out && k < n; k++) {
        tfp_fold_unflatten(k, walked, at);
        int64_t from = place(ctx, at);
        out[k] = from >= 0 && from < there ? in[from] : (double)NAN;
    }
}

typedef struct offsets { /* at + begin, or at * stride + begin */
    tfp_dims in;
    const int64_t *begin, *stride;
} offsets;

static int64_t offset_place(const void *ctx, const int64_t *at)
{
    const offsets *o = ctx;
    int64_t k = 0;
    for (int i = 0; i < o->in.rank; i++) {
        if (o->begin[i] == INT64_MIN) return -1;
        int64_t x = o->begin[i] + at[i] * (o->stride ? o->stride[i] : 1);
        if (x < 0 || x >= o->in.at[i]) return -1;
        k = k * o->in.at[i] + x;
    }
    return k;
}

static void fold_slice(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t begin[TFP_RANK_MOST];
    if (!tfp_dims_known(in) || tfp_out(op, 0).rank != in.rank) return;
    for (int i = 0; i < in.rank; i++) begin[i] = tfp_in_at(op, 1, i);
    tfp_fold_rearrange(op, tfp_fold_in(op, 0), tfp_out(op, 0), offset_place, &(offsets){ in, begin, NULL });
}

/* TensorFlow's two ways to read a vector that it does not know as a whole: one element of the output of Shape, and a
 * simple slice of a tensor that is asked for as a shape. */
static const double *slice_of_unknown(tfp_op *op, tfp_limit *limit)
{
    bool masked = tfp_attr_int(op, "ellipsis_mask", 0) || tfp_attr_int(op, "new_axis_mask", 0);
    int64_t begin = tfp_attr_int(op, "begin_mask", 0), end = tfp_attr_int(op, "end_mask", 0);
    int64_t drop = tfp_attr_int(op, "shrink_axis_mask", 0);
    if (masked || tfp_in(op, 0).rank != 1 || tfp_in_size(op, 1) != 1) return NULL;
    if (drop == 1 && !begin && !end && op->in[0].limit == TFP_ANY_USE) return *limit = TFP_ANY_USE, as_shape(op, 0);
    *limit = TFP_AS_SHAPE_ONLY;
    return drop == 0 && (begin | 1) == 1 && (end | 1) == 1 ? as_shape(op, 0) : NULL;
}

static void fold_strided_slice(tfp_op *op)
{
    tfp_strided plan;
    tfp_dims in = tfp_in(op, 0);
    tfp_limit limit = TFP_ANY_USE;
    const double *x = tfp_fold_in(op, 0);
    int64_t begin[TFP_RANK_MOST], stride[TFP_RANK_MOST], count[TFP_RANK_MOST];
    if (op->importer && !(x && tfp_fold_in(op, 1) && tfp_fold_in(op, 2) && tfp_fold_in(op, 3)))
        x = slice_of_unknown(op, &limit);
    if (!x || !tfp_dims_known(in) || !tfp_strided_plan(op, in, &plan)) return;
    for (int i = 0; i < in.rank; i++) {
        begin[i] = plan.at[i].placed ? plan.at[i].begin : INT64_MIN;
        stride[i] = plan.at[i].stride;
        count[i] = plan.at[i].count;
    }
    tfp_fold_rearrange(op, x, (tfp_dims){ in.rank, count }, offset_place, &(offsets){ in, begin, stride });
    if (op->out_count) op->out[0].limit = limit;
}

typedef struct orders {
    tfp_dims in;
    const double *order;
} orders;

static int64_t transposed_place(const void *ctx, const int64_t *at)
{
    const orders *o = ctx;
    int64_t from[TFP_RANK_MOST] = { 0 };
    for (int i = 0; i < o->in.rank; i++) {
        int64_t axis;
        int to;
        if (!tfp_whole(o->order[i], &axis) || !tfp_fold_axis(axis, o->in.rank, &to)) return -1;
        from[to] = at[i];
    }
    return tfp_fold_flatten(o->in, from);
}

static void fold_transpose(tfp_op *op)
{
    orders o = { tfp_in(op, 0), tfp_fold_in(op, 1) };
    if (!o.order || !tfp_in_all(op, 1) || tfp_in_size(op, 1) != o.in.rank) return;
    tfp_fold_rearrange(op, tfp_fold_in(op, 0), tfp_out(op, 0), transposed_place, &o);
}

static int64_t tiled_place(const void *ctx, const int64_t *at)
{
    const tfp_dims *in = ctx;
    int64_t from[TFP_RANK_MOST];
    for (int i = 0; i < in->rank; i++) from[i] = in->at[i] > 0 ? at[i] % in->at[i] : 0;
    return tfp_fold_flatten(*in, from);
}

static void fold_tile(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    if (in.rank != tfp_out(op, 0).rank) return;
    tfp_fold_rearrange(op, tfp_fold_in(op, 0), tfp_out(op, 0), tiled_place, &in);
}

static void fold_broadcast_to(tfp_op *op)
{
    const double *in = tfp_fold_in(op, 0);
    tfp_dims d = tfp_in(op, 0), to = tfp_out(op, 0);
    double *out = in && d.rank <= to.rank ? tfp_fold_new(op, 0) : NULL;
    int64_t n = out ? tfp_elements(to) : 0;
    for (int64_t k = 0; k < n; k++) out[k] = in[tfp_fold_broadcast(d, to, k)];
}

typedef struct reversal {
    tfp_dims in;
    bool axes[TFP_RANK_MOST];
} reversal;

static int64_t reversed_place(const void *ctx, const int64_t *at)
{
    const reversal *r = ctx;
    int64_t from[TFP_RANK_MOST];
    for (int i = 0; i < r->in.rank; i++) from[i] = r->axes[i] ? r->in.at[i] - 1 - at[i] : at[i];
    return tfp_fold_flatten(r->in, from);
}

static void fold_reverse(tfp_op *op)
{
    reversal r = { tfp_in(op, 0), { false } };
    int64_t n = tfp_in_size(op, 1);
    if (!tfp_fold_in(op, 1) || r.in.rank < 0 || r.in.rank > TFP_RANK_MOST) return;
    for (int64_t k = 0; k < n; k++) {
        int axis;
        if (!tfp_fold_axis(tfp_in_at(op, 1, k), r.in.rank, &axis)) return;
        r.axes[axis] = true;
    }
    tfp_fold_rearrange(op, tfp_fold_in(op, 0), tfp_out(op, 0), reversed_place, &r);
}

static double padding_value(const tfp_op *op, bool *known)
{
    bool given = op->in_count > 2;
    const double *value = given ? tfp_fold_in(op, 2) : NULL;
    *known = !given || (value && tfp_in_size(op, 2) == 1);
    return *known && given ? *value : 0;
}

static void fold_pad(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t begin[TFP_RANK_MOST], at[TFP_RANK_MOST];
    bool known;
    double value = padding_value(op, &known);
    const double *x = tfp_fold_in(op, 0);
    if (!x || !tfp_fold_in(op, 1) || !known || tfp_out(op, 0).rank != in.rank) return;
    for (int i = 0; i < in.rank; i++) {
        int64_t front = tfp_in_at(op, 1, 2 * (int64_t)i);
        if (front < 0) return;
        begin[i] = -front;
    }
    offsets o = { in, begin, NULL };
    double *out = tfp_fold_new(op, 0);
    int64_t n = out ? tfp_out_size(op, 0) : 0;
    for (int64_t k = 0; k < n; k++) {
        tfp_fold_unflatten(k, tfp_out(op, 0), at);
        int64_t from = offset_place(&o, at);
        out[k] = from < 0 ? value : x[from];
    }
}

const tfp_fold_rule tfp_folds_move[] = {
    { "ConcatOffset", fold_concat_offset, TFP_WHOLE_ALL },
    { "Transpose", fold_transpose },
    { "Pack", fold_pack },
    { "Unpack", fold_unpack },
    { "Concat", fold_concat },
    { "ConcatV2", fold_concat_v2 },
    { "Split", fold_split },
    { "SplitV", fold_split_v, TFP_WHOLE(1) },
    { "Slice", fold_slice, TFP_WHOLE(1) | TFP_WHOLE(2) },
    { "StridedSlice", fold_strided_slice },
    { "Tile", fold_tile, TFP_WHOLE(1) },
    { "BroadcastTo", fold_broadcast_to, TFP_WHOLE(1) },
    { "ReverseV2", fold_reverse },
    { "Pad PadV2", fold_pad },
    { NULL },
};
