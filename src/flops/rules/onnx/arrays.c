// SPDX-License-Identifier: Apache-2.0
/* flops/rules/onnx/arrays.c: ONNX's operators that make, move, join and cut arrays: no float operations. */
#include "flops/rules/onnx/onnx.h"
#include "flops/rules/shared/array.h"

/* ---- making ---- */

static void constant(tfp_op *op)
{
    const tfp_attr_tensor *value = tfp_attr_const(op, "value");
    if (value && tfp_dims_known(value->shape)) tfp_set(op, 0, value->shape);
    if (tfp_attr_given(op, "value_int") || tfp_attr_given(op, "value_float")) tfp_set(op, 0, TFP_SCALAR_DIMS);
    if (tfp_attr_given(op, "value_ints"))
        tfp_set(op, 0, tfp_vector_of(op, (int64_t)tfp_attr_members(op, "value_ints")->number_count));
    if (tfp_attr_given(op, "value_floats"))
        tfp_set(op, 0, tfp_vector_of(op, (int64_t)tfp_attr_members(op, "value_floats")->real_count));
}

/* Uses the input shapes in the file; they are set here, because the size of a batch may be assumed. */
static void as_told(tfp_op *op) { tfp_set_listed(op, "_output_shapes"); }

static void of_shape(tfp_op *op) { tfp_set(op, 0, tfp_in_as_shape(op, 0)); }

static void range(tfp_op *op)
{
    int64_t from, to, step;
    if (!tfp_in_int(op, 0, &from) || !tfp_in_int(op, 1, &to) || !tfp_in_int(op, 2, &step) || !step) {
        tfp_set(op, 0, tfp_any_of_rank(op, 1));
        return;
    }
    int64_t span = step > 0 ? to - from : from - to, stride = step > 0 ? step : -step;
    tfp_set(op, 0, tfp_vector_of(op, span > 0 ? (span - 1) / stride + 1 : 0));
}

static void shape_of(tfp_op *op)
{
    int64_t rank = tfp_in(op, 0).rank, start = tfp_attr_int(op, "start", 0), end = tfp_attr_int(op, "end", INT32_MAX);
    if (rank < 0) {
        tfp_set(op, 0, tfp_any_of_rank(op, 1));
        return;
    }
    if (start < 0) start = start + rank < 0 ? 0 : start + rank;
    if (end < 0) end = end + rank < 0 ? 0 : end + rank;
    if (end > rank) end = rank;
    tfp_set(op, 0, tfp_vector_of(op, end > start ? end - start : 0));
}

/* ---- the same elements in another shape ---- */

/* 0 keeps a dimension, unless allowzero is set; a single -1 gets the remaining elements. */
static void reshape(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t wanted[TFP_RANK_MOST];
    int rank = tfp_onnx_numbers(op, "shape", 1, wanted, TFP_RANK_MOST), open = -1;
    bool zero = tfp_attr_int(op, "allowzero", 0) != 0, known = true;
    if (rank < 0) {
        int64_t count = tfp_dim(tfp_in(op, 1), 0);
        if (tfp_in(op, 1).rank == 1 && count >= 0 && count <= TFP_RANK_MOST)
            tfp_set(op, 0, tfp_any_of_rank(op, (int)count));
        return;
    }
    int64_t product = 1;
    for (int i = 0; i < rank; i++) {
        if (wanted[i] == 0 && !zero) wanted[i] = tfp_dim(in, i) < 0 || i >= in.rank ? INT64_MIN : tfp_dim(in, i);
        if (wanted[i] == -1 && open < 0) {
            open = i;
            continue;
        }
        known &= wanted[i] >= 0;
        if (wanted[i] < 0) wanted[i] = TFP_DIM_UNKNOWN;
        product = tfp_times(product, wanted[i]);
    }
    int64_t all = tfp_elements(in);
    if (open >= 0)
        wanted[open] = known && all >= 0 && product > 0 && all % product == 0 ? all / product : TFP_DIM_UNKNOWN;
    tfp_set(op, 0, tfp_shape_of(op, wanted, rank));
}

static void flatten(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t axis = tfp_attr_int(op, "axis", 1), rows = 1, columns = 1;
    if (in.rank < 0) {
        tfp_set(op, 0, tfp_any_of_rank(op, 2));
        return;
    }
    if (axis < 0) axis += in.rank;
    if (tfp_wrong_if(op, axis < 0 || axis > in.rank, "an axis outside of the rank")) return;
    for (int i = 0; i < in.rank; i++) *(i < axis ? &rows : &columns) = tfp_times(i < axis ? rows : columns, in.at[i]);
    tfp_set(op, 0, tfp_matrix_of(op, rows, columns));
}

static void squeeze(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    bool marked[TFP_RANK_MOST], none;
    int64_t dims[TFP_RANK_MOST];
    int rank = 0;
    if (in.rank < 0 || !tfp_onnx_axes(op, 1, in.rank, marked, &none)) return;
    for (int i = 0; i < in.rank; i++) {
        if (none && in.at[i] < 0) return; /* it may be 1 */
        if (none ? in.at[i] != 1 : !marked[i]) dims[rank++] = in.at[i];
    }
    tfp_set(op, 0, tfp_shape_of(op, dims, rank));
}

static void unsqueeze(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t axes[TFP_RANK_MOST], dims[TFP_RANK_MOST];
    bool marked[TFP_RANK_MOST] = { false };
    int count = tfp_onnx_numbers(op, "axes", 1, axes, TFP_RANK_MOST), rank = in.rank + count, from = 0, axis;
    if (in.rank < 0 || count < 0 || rank > TFP_RANK_MOST) return;
    for (int k = 0; k < count; k++) {
        if (axes[k] == INT64_MIN || !tfp_onnx_axis(op, axes[k], rank, &axis)) return;
        if (tfp_wrong_if(op, marked[axis], "an axis twice")) return;
        marked[axis] = true;
    }
    for (int i = 0; i < rank; i++) dims[i] = marked[i] ? 1 : in.at[from++];
    tfp_set(op, 0, tfp_shape_of(op, dims, rank));
}

static void transpose(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t order[TFP_RANK_MOST], dims[TFP_RANK_MOST];
    if (in.rank < 0) return;
    bool given = tfp_attr_given(op, "perm");
    if (tfp_wrong_if(op, given && tfp_attr_numbers(op, "perm", order, TFP_RANK_MOST) != (size_t)in.rank,
                     "as many numbers as dimensions are needed"))
        return;
    for (int i = 0; i < in.rank; i++)
        dims[i] =
            tfp_dim(in, given ? (int)(order[i] < 0 || order[i] >= in.rank ? in.rank : order[i]) : in.rank - 1 - i);
    tfp_set(op, 0, tfp_shape_of(op, dims, in.rank));
}

/* ---- joining and cutting ---- */

static void concat(tfp_op *op)
{
    tfp_dims out = tfp_in(op, 0);
    int axis;
    int64_t sum = 0;
    for (uint32_t i = 1; i < op->in_count && out.rank < 0; i++) out = tfp_in(op, i);
    if (out.rank < 0 || !tfp_onnx_axis(op, tfp_attr_int(op, "axis", 0), out.rank, &axis)) return;
    out = tfp_with_dim(op, out, axis, TFP_DIM_UNKNOWN);
    for (uint32_t i = 0; i < op->in_count; i++) {
        tfp_dims in = tfp_in(op, i);
        sum = tfp_plus(sum, tfp_dim(in, axis));
        if (in.rank >= 0) out = tfp_merge(op, out, tfp_with_dim(op, in, axis, TFP_DIM_UNKNOWN));
    }
    tfp_set(op, 0, tfp_with_dim(op, out, axis, sum));
}

static void split(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t sizes[TFP_RANK_MOST];
    int axis, count = tfp_onnx_numbers(op, "split", 1, sizes, TFP_RANK_MOST);
    if (in.rank < 0 || !op->out_count || !tfp_onnx_axis(op, tfp_attr_int(op, "axis", 0), in.rank, &axis)) return;
    int64_t all = in.at[axis], parts = op->out_count, each = all < 0 ? all : all / parts + (all % parts != 0);
    bool even = !tfp_attr_given(op, "split") && !tfp_onnx_given(op, 1);
    for (uint32_t i = 0; i < op->out_count; i++) {
        int64_t left = all < 0 ? all : all - each * i, size = each > left && all >= 0 ? left : each;
        if (!even) size = (int)i < count && sizes[i] >= 0 ? sizes[i] : TFP_DIM_UNKNOWN;
        tfp_set(op, i, tfp_with_dim(op, in, axis, size < 0 ? TFP_DIM_UNKNOWN : size));
    }
}

/* The number of elements that a slice takes from a dimension. */
static int64_t sliced(int64_t size, int64_t from, int64_t to, int64_t step)
{
    if (size < 0 || from == INT64_MIN || to == INT64_MIN || step == INT64_MIN || !step) return TFP_DIM_UNKNOWN;
    int64_t low = step < 0 ? -1 : 0, high = step < 0 ? size - 1 : size;
    if (from < 0) from = tfp_add(from, size, NULL);
    if (to < 0) to = to <= -size - 1 ? -1 : tfp_add(to, size, NULL);
    from = from < 0 ? 0 : from > high ? high : from;
    to = to < low ? low : to > size ? size : to;
    int64_t span = step > 0 ? to - from : from - to, stride = step > 0 ? step : step == INT64_MIN ? INT64_MAX : -step;
    return span > 0 ? (span - 1) / stride + 1 : 0;
}

static void slice(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t from[TFP_RANK_MOST], to[TFP_RANK_MOST], axes[TFP_RANK_MOST], steps[TFP_RANK_MOST], dims[TFP_RANK_MOST];
    int starts = tfp_onnx_numbers(op, "starts", 1, from, TFP_RANK_MOST),
        ends = tfp_onnx_numbers(op, "ends", 2, to, TFP_RANK_MOST);
    int named = tfp_onnx_numbers(op, "axes", 3, axes, TFP_RANK_MOST),
        strides = tfp_onnx_numbers(op, "steps", 4, steps, TFP_RANK_MOST);
    bool by_order = !tfp_attr_given(op, "axes") && !tfp_onnx_given(op, 3);
    if (in.rank < 0 || starts > in.rank) return;
    if (starts < 0 || ends != starts || (!by_order && named != starts)) {
        tfp_set(op, 0, tfp_any_of_rank(op, in.rank));
        return;
    }
    memcpy(dims, in.rank ? in.at : dims, (size_t)in.rank * sizeof *dims);
    for (int k = 0; k < starts; k++) {
        int axis = k;
        if (!by_order && (axes[k] == INT64_MIN || !tfp_onnx_axis(op, axes[k], in.rank, &axis))) return;
        int64_t step = tfp_onnx_given(op, 4) ? (k < strides ? steps[k] : INT64_MIN) : 1;
        dims[axis] = sliced(in.at[axis], from[k], to[k], step);
    }
    tfp_set(op, 0, tfp_shape_of(op, dims, in.rank));
}

static void gather(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0), index = tfp_in(op, 1);
    int axis;
    if (in.rank < 0 || !tfp_onnx_axis(op, tfp_attr_int(op, "axis", 0), in.rank, &axis)) return;
    tfp_dims out = tfp_joined(op, tfp_part(op, in, 0, axis), index);
    tfp_set(op, 0, tfp_joined(op, out, tfp_part(op, in, axis + 1, TFP_TO_END)));
}

static void gather_nd(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0), index = tfp_in(op, 1);
    int64_t depth = tfp_dim(index, -1), batch = tfp_attr_int(op, "batch_dims", 0);
    if (in.rank < 0 || index.rank < 1 || depth < 0 || batch < 0 || batch > in.rank || depth > in.rank - batch) return;
    tfp_set(op, 0, tfp_joined(op, tfp_part(op, index, 0, -1), tfp_part(op, in, (int)(batch + depth), TFP_TO_END)));
}

static void expand(tfp_op *op) { tfp_set(op, 0, tfp_broadcast(op, tfp_in(op, 0), tfp_in_as_shape(op, 1))); }

static void tile(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t times[TFP_RANK_MOST], dims[TFP_RANK_MOST];
    if (in.rank < 0) return;
    int count = tfp_onnx_numbers(op, "repeats", 1, times, TFP_RANK_MOST);
    for (int i = 0; i < in.rank; i++) dims[i] = count == in.rank ? tfp_times(in.at[i], times[i]) : TFP_DIM_UNKNOWN;
    tfp_set(op, 0, tfp_shape_of(op, dims, in.rank));
}

static void pad(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t pads[2 * TFP_RANK_MOST], dims[TFP_RANK_MOST];
    if (in.rank < 0) return;
    int count = tfp_onnx_numbers(op, "pads", 1, pads, 2 * in.rank);
    bool all = count == 2 * in.rank && !tfp_onnx_given(op, 3);
    for (int i = 0; i < in.rank; i++) {
        int64_t more = all && pads[i] != INT64_MIN && pads[in.rank + i] != INT64_MIN
                           ? tfp_add(pads[i], pads[in.rank + i], NULL)
                           : INT64_MIN;
        dims[i] = more == INT64_MIN || in.at[i] < 0 ? TFP_DIM_UNKNOWN : tfp_add(in.at[i], more, NULL);
        if (dims[i] < 0) dims[i] = TFP_DIM_UNKNOWN;
    }
    tfp_set(op, 0, tfp_shape_of(op, dims, in.rank));
}

static void top(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t k = tfp_attr_int(op, "k", TFP_DIM_UNKNOWN);
    int axis;
    if (in.rank < 0 || !tfp_onnx_axis(op, tfp_attr_int(op, "axis", -1), in.rank, &axis)) return;
    if (k < 0 && !tfp_in_int(op, 1, &k)) k = TFP_DIM_UNKNOWN;
    tfp_dims out = tfp_with_dim(op, in, axis, k < 0 ? TFP_DIM_UNKNOWN : k);
    tfp_set(op, 0, out);
    tfp_set(op, 1, out);
}

static void blocks(tfp_op *op)
{
    tfp_dims in = tfp_merge_rank(op, tfp_in(op, 0), 4);
    int64_t size = tfp_attr_int(op, "blocksize", 0);
    bool to_space = tfp_op_is(op, "DepthToSpace");
    if (size < 1 || in.rank != 4) return;
    int64_t area = tfp_times(size, size), depth = tfp_dim(in, 1), rows = tfp_dim(in, 2), columns = tfp_dim(in, 3);
    int64_t dims[] = { tfp_dim(in, 0), to_space ? tfp_over(depth, area) : tfp_times(depth, area),
                       to_space ? tfp_times(rows, size) : tfp_over(rows, size),
                       to_space ? tfp_times(columns, size) : tfp_over(columns, size) };
    tfp_set(op, 0, tfp_shape_of(op, dims, 4));
}

static void one_hot(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t depth;
    int axis;
    if (!tfp_in_int(op, 1, &depth) || depth < 0) depth = TFP_DIM_UNKNOWN;
    if (in.rank < 0 || !tfp_onnx_axis(op, tfp_attr_int(op, "axis", -1), in.rank + 1, &axis)) return;
    tfp_dims out = tfp_joined(op, tfp_part(op, in, 0, axis), tfp_vector_of(op, depth));
    tfp_set(op, 0, tfp_joined(op, out, tfp_part(op, in, axis, TFP_TO_END)));
}

static void by_attribute(tfp_op *op)
{
    int64_t dims[TFP_RANK_MOST];
    size_t count = tfp_attr_numbers(op, "shape", dims, TFP_RANK_MOST);
    if (tfp_attr_given(op, "shape") && count <= TFP_RANK_MOST) tfp_set(op, 0, tfp_shape_of(op, dims, (int)count));
}

static void drawn(tfp_op *op)
{
    tfp_set(op, 0, tfp_matrix_of(op, tfp_dim(tfp_in(op, 0), 0), tfp_attr_int(op, "sample_size", 1)));
}

static void chosen_boxes(tfp_op *op) { tfp_set(op, 0, tfp_matrix_of(op, TFP_DIM_UNKNOWN, 3)); }

static void window_made(tfp_op *op)
{
    int64_t size;
    tfp_set(op, 0, tfp_vector_of(op, tfp_in_int(op, 0, &size) && size >= 0 ? size : TFP_DIM_UNKNOWN));
}

const tfp_op_rule tfp_onnx_arrays[] = {
    { "Input", as_told, TFP_MOVES },
    { "Constant Initializer", constant, TFP_MOVES },
    { "ConstantOfShape", of_shape, TFP_MOVES },
    { "Range", range, TFP_MOVES },
    { "Shape", shape_of, TFP_MOVES },
    { "Size", tfp_scalar_outputs, TFP_MOVES },
    { "Identity Cast CastLike Trilu ScatterND ScatterElements Scatter ReverseSequence EyeLike OptionalGetElement "
      "Dropout Optional BitCast TensorScatter Bernoulli RandomNormalLike RandomUniformLike",
      tfp_same_as_input, TFP_MOVES },
    { "RandomNormal RandomUniform", by_attribute, TFP_MOVES },
    { "Multinomial", drawn, TFP_MOVES },
    { "NonMaxSuppression", chosen_boxes, TFP_NO_COUNT },
    { "HannWindow HammingWindow BlackmanWindow", window_made, TFP_EACH_OUT(3, "a cosine, a product, a sum") },
    { "OptionalHasElement SequenceLength", tfp_scalar_outputs, TFP_MOVES },
    { "SequenceConstruct SequenceEmpty SequenceInsert SequenceErase SequenceAt SplitToSequence ConcatFromSequence "
      "StringConcat StringNormalizer StringSplit RegexFullMatch TfIdfVectorizer ImageDecoder",
      NULL, TFP_MOVES },
    { "Reshape", reshape, TFP_MOVES },
    { "Flatten", flatten, TFP_MOVES },
    { "Squeeze", squeeze, TFP_MOVES },
    { "Unsqueeze", unsqueeze, TFP_MOVES },
    { "Transpose", transpose, TFP_MOVES },
    { "Concat", concat, TFP_MOVES },
    { "Split", split, TFP_MOVES },
    { "Slice", slice, TFP_MOVES },
    { "Gather", gather, TFP_MOVES },
    { "GatherElements", TFP_SHAPE("*, A -> A"), TFP_MOVES },
    { "GatherND", gather_nd, TFP_MOVES },
    { "Expand", expand, TFP_MOVES },
    { "Tile", tile, TFP_MOVES },
    { "Pad", pad, TFP_MOVES },
    { "DepthToSpace SpaceToDepth", blocks, TFP_MOVES },
    { "OneHot", one_hot, TFP_MOVES },
    { "NonZero Compress Unique", NULL, TFP_MOVES },
    { "TopK", top, TFP_EACH_IN(1, "a comparison with the least of the best") },
    { NULL },
};
