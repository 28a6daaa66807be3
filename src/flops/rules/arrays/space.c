// SPDX-License-Identifier: Apache-2.0
/* flops/rules/arrays/space.c: shapes of ops that move data between the dimensions of an image: blocks, and patches of a
 * window. TensorFlow's shape functions: tensorflow/core/ops/array_ops.cc. */
#include "flops/rules/shared/array.h"

/* ---- space to batch and back ---- */

/* Block sizes: the attribute `block_size` in two dimensions, or one number for each dimension in input 1. */
typedef struct blocks {
    bool by_input;
    uint32_t edges; /* the input with paddings or crops */
    int count;
    int64_t size; /* from the attribute */
} blocks;

static int64_t block_at(tfp_op *op, const blocks *b, int i)
{
    int64_t size = b->by_input ? tfp_in_at(op, 1, i) : b->size;
    if (size == INT64_MIN) return TFP_DIM_UNKNOWN;
    if (size < 1) tfp_wrong(op, "a block that is not positive");
    return size;
}

static int64_t edge_at(tfp_op *op, const blocks *b, int64_t i)
{
    int64_t edge = tfp_in_at(op, b->edges, i);
    if (edge == INT64_MIN) return TFP_DIM_UNKNOWN;
    if (edge < 0) tfp_wrong(op, "a negative padding or crop");
    return edge;
}

static bool find_blocks(tfp_op *op, bool by_input, blocks *b, tfp_dims *in)
{
    *in = tfp_in(op, 0);
    *b = (blocks){ by_input, by_input ? 2 : 1, 2, tfp_attr_int(op, "block_size", 0) };
    if (by_input) {
        tfp_dims shape = tfp_in(op, 1);
        if (shape.rank != 1 || shape.at[0] < 0 || shape.at[0] >= TFP_RANK_MOST)
            tfp_wrong(op, "blocks that are no vector of known size");
        else
            b->count = (int)shape.at[0];
    } else {
        *in = tfp_merge_rank(op, *in, 4);
    }
    tfp_at_least(op, *in, b->count + 1);
    tfp_merge(op, tfp_in(op, b->edges), tfp_matrix_of(op, b->count, 2));
    return !op->wrong;
}

static int64_t smaller_dim(tfp_op *op, int64_t dim, int64_t block, int64_t front, int64_t back)
{
    int64_t padded = tfp_dim_plus(op, tfp_dim_plus(op, dim, front), back);
    return block < 1 ? TFP_DIM_UNKNOWN : tfp_dim_over(op, padded, block);
}

static int64_t larger_dim(tfp_op *op, int64_t dim, int64_t block, int64_t front, int64_t back)
{
    return tfp_dim_minus(op, tfp_dim_minus(op, tfp_dim_times(op, dim, block), front), back);
}

static void move_blocks(tfp_op *op, bool by_input, bool to_batch)
{
    blocks b;
    int64_t dims[TFP_RANK_MOST];
    tfp_dims in;
    if (!find_blocks(op, by_input, &b, &in)) return;
    dims[0] = tfp_dim(in, 0);
    for (int i = 0; i < b.count; i++) {
        int64_t block = block_at(op, &b, i), dim = tfp_dim(in, i + 1);
        int64_t front = edge_at(op, &b, 2 * (int64_t)i);
        int64_t back = edge_at(op, &b, 2 * (int64_t)i + 1);
        if (op->wrong) return;
        dims[0] = block < 1  ? TFP_DIM_UNKNOWN
                  : to_batch ? tfp_dim_times(op, dims[0], block)
                             : tfp_dim_over(op, dims[0], block);
        dims[i + 1] = to_batch ? smaller_dim(op, dim, block, front, back) : larger_dim(op, dim, block, front, back);
    }
    if (in.rank < 0) return;
    tfp_set(op, 0, tfp_joined(op, tfp_shape_of(op, dims, b.count + 1), tfp_part(op, in, b.count + 1, TFP_TO_END)));
}

void tfp_shape_space_to_batch_nd(tfp_op *op) { move_blocks(op, true, true); }
void tfp_shape_space_to_batch(tfp_op *op) { move_blocks(op, false, true); }
void tfp_shape_batch_to_space_nd(tfp_op *op) { move_blocks(op, true, false); }
void tfp_shape_batch_to_space(tfp_op *op) { move_blocks(op, false, false); }

/* ---- space to depth and back ---- */

typedef struct layout { /* positions of a data format's dimensions */
    const char *name;
    int rank, height, width, depth;
} layout;

static const layout layouts[] = { { "NHWC", 4, 1, 2, 3 }, { "NCHW", 4, 2, 3, 1 }, { "NCHW_VECT_C", 5, 2, 3, 1 } };

static const layout *layout_of(tfp_op *op)
{
    tfp_str name = tfp_attr_text(op, "data_format", "NHWC");
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (tfp_str_eq(name, tfp_str_of(layouts[i].name))) return &layouts[i];
    tfp_wrong(op, "a data format that is not known");
    return NULL;
}

static void move_depth(tfp_op *op, bool to_depth)
{
    const layout *l = layout_of(op);
    int64_t block = tfp_attr_int(op, "block_size", 0), square = tfp_times(block, block), dims[5];
    if (!l) return;
    if (block < 1 || square < 1) tfp_wrong(op, "a block that is not positive");
    tfp_dims in = tfp_merge_rank(op, tfp_in(op, 0), l->rank);
    if (op->wrong) return;
    for (int i = 0; i < l->rank; i++) {
        bool spatial = i == l->height || i == l->width;
        dims[i] = tfp_dim(in, i);
        if (spatial) dims[i] = to_depth ? tfp_dim_over(op, dims[i], block) : tfp_dim_times(op, dims[i], block);
        if (i == l->depth) dims[i] = to_depth ? tfp_dim_times(op, dims[i], square) : tfp_dim_over(op, dims[i], square);
    }
    if (l->rank == 5) dims[4] = 4; /* the inner part of the depth */
    tfp_set(op, 0, tfp_shape_of(op, dims, l->rank));
}

void tfp_shape_space_to_depth(tfp_op *op) { move_depth(op, true); }
void tfp_shape_depth_to_space(tfp_op *op) { move_depth(op, false); }

/* ---- patches ---- */

/* TensorFlow rejects a window that is too large only when all of the image is known. */
static int64_t windows(tfp_op *op, int64_t dim, int64_t window, int64_t stride, bool same, bool all_known)
{
    if (window < 1 || stride < 1) return tfp_wrong(op, "a window that is not positive"), TFP_DIM_UNKNOWN;
    if (dim < 0 || (op->importer && !all_known)) return TFP_DIM_UNKNOWN;
    if (same) return dim / stride + (dim % stride != 0);
    if (dim >= window) return (dim - window) / stride + 1;
    if ((window - dim) / 2 < stride) return 0;
    if (all_known) tfp_wrong(op, "a window that is larger than the image");
    return TFP_DIM_UNKNOWN;
}

static int64_t spread(int64_t size, int64_t rate)
{
    return size < 1 || rate < 1 ? TFP_DIM_UNKNOWN : tfp_plus(size, tfp_times(size - 1, rate - 1));
}

static bool all_dims_known(tfp_dims in, int from, int to)
{
    for (int i = from; i < to; i++)
        if (tfp_dim(in, i) < 0) return false;
    return true;
}

static void patches(tfp_op *op, int rank)
{
    int64_t sizes[5], strides[5], rates[4]; /* rates: for images only */
    size_t size_count = tfp_attr_numbers(op, "ksizes", sizes, 5);
    size_t stride_count = tfp_attr_numbers(op, "strides", strides, 5);
    size_t rate_count = tfp_attr_numbers(op, "rates", rates, 4);
    bool same = tfp_str_eq(tfp_attr_text(op, "padding", ""), TFP_STR("SAME"));
    tfp_dims in = tfp_merge_rank(op, tfp_in(op, 0), rank);
    if (size_count != (size_t)rank || stride_count != (size_t)rank || (rank == 4 && rate_count != 4))
        tfp_wrong(op, "another number of windows than of dimensions");
    if (op->wrong) return;
    bool all = all_dims_known(in, 1, rank - 1);
    int64_t dims[5] = { tfp_dim(in, 0) }, depth = tfp_dim(in, rank - 1);
    for (int i = 1; i < rank - 1; i++) {
        int64_t window = rank == 4 ? spread(sizes[i], rates[i]) : sizes[i];
        dims[i] = windows(op, tfp_dim(in, i), window, strides[i], same, all);
        depth = tfp_dim_times(op, depth, sizes[i]);
    }
    dims[rank - 1] = depth;
    if (rank == 4 || all)
        tfp_set(op, 0, tfp_shape_of(op, dims, rank));
    else if (op->importer) /* TensorFlow infers rank 4 for a volume that is not fully known; the rank is 5 */
        tfp_set(op, 0, tfp_shape_of(op, (int64_t[]){ dims[0], TFP_DIM_UNKNOWN, TFP_DIM_UNKNOWN, depth }, 4));
}

void tfp_shape_image_patches(tfp_op *op) { patches(op, 4); }
void tfp_shape_volume_patches(tfp_op *op) { patches(op, 5); }
