// SPDX-License-Identifier: Apache-2.0
/* flops/rules/onnx/contrib.c: operators of com.microsoft, into which ONNX Runtime fuses those of transformers. Source:
 * docs/ContribOperators.md of github.com/microsoft/onnxruntime. */
#include "flops/rules/onnx/onnx.h"

/* ---- products ---- */

/* A matrix at input i, its last two dimensions exchanged when the attribute says so. */
static tfp_dims matrix_at(tfp_op *op, uint32_t i, const char *turned)
{
    tfp_dims in = tfp_in(op, i);
    if (in.rank < 2 || !tfp_attr_int(op, turned, 0)) return in;
    return tfp_with_dim(op, tfp_with_dim(op, in, -1, tfp_dim(in, -2)), -2, tfp_dim(in, -1));
}

static void fused_matmul(tfp_op *op)
{
    tfp_dims a = matrix_at(op, 0, "transA"), b = matrix_at(op, 1, "transB");
    if (a.rank < 2 || b.rank < 2 || tfp_attr_int(op, "transBatchA", 0) || tfp_attr_int(op, "transBatchB", 0)) return;
    tfp_merge_dim(op, tfp_dim(a, -1), tfp_dim(b, -2));
    tfp_dims out = tfp_broadcast(op, tfp_part(op, a, 0, -2), tfp_part(op, b, 0, -2));
    tfp_set(op, 0, tfp_joined(op, out, tfp_matrix_of(op, tfp_dim(a, -2), tfp_dim(b, -1))));
}

static tfp_cost count_fused_matmul(const tfp_op *op)
{
    int64_t inner = tfp_dim(tfp_in(op, 0), tfp_attr_int(op, "transA", 0) ? -2 : -1);
    return tfp_cost_macs(tfp_times(tfp_out_size(op, 0), inner));
}

/* Weights of few bits, packed: their sizes are the attributes K and N. */
static void packed_matmul(tfp_op *op)
{
    if (tfp_in(op, 0).rank > 0)
        tfp_set(op, 0, tfp_with_dim(op, tfp_in(op, 0), -1, tfp_attr_int(op, "N", TFP_DIM_UNKNOWN)));
}

static tfp_cost count_packed_matmul(const tfp_op *op)
{
    return tfp_cost_macs(tfp_times(tfp_in_size(op, 0), tfp_attr_int(op, "N", TFP_UNKNOWN)));
}

/* ---- attention: [batch, length, heads x width] ---- */

typedef struct lengths {
    int64_t batch, queries, keys, width, value_width; /* widths of all heads together */
} lengths;

static int64_t cached(const tfp_op *op, uint32_t i, int from_end)
{
    return tfp_onnx_given(op, i) ? tfp_dim(tfp_in(op, i), from_end) : 0;
}

/* One input and the weights of queries, keys and values side by side; a cache is [2, batch, heads, length, width]. */
static bool packed_lengths(const tfp_op *op, lengths *l)
{
    tfp_dims in = tfp_in(op, 0), weights = tfp_in(op, 1);
    int64_t sizes[3];
    if (in.rank != 3 || weights.rank != 2) return false;
    bool given = tfp_attr_numbers(op, "qkv_hidden_sizes", sizes, 3) == 3;
    l->batch = in.at[0];
    l->queries = in.at[1];
    l->keys = tfp_plus(in.at[1], cached(op, 4, -2));
    l->width = given ? sizes[0] : tfp_over(weights.at[1], 3);
    l->value_width = given ? sizes[2] : l->width;
    return true;
}

static void packed_attention(tfp_op *op)
{
    lengths l;
    if (!packed_lengths(op, &l)) return;
    int64_t dims[] = { l.batch, l.queries, l.value_width };
    tfp_set(op, 0, tfp_shape_of(op, dims, 3));
}

static int64_t scores(const lengths *l)
{
    int64_t pairs = tfp_times(l->batch, tfp_times(l->queries, l->keys));
    return tfp_attention_macs(pairs, l->width, l->value_width, false);
}

static tfp_cost count_packed_attention(const tfp_op *op)
{
    lengths l;
    if (!packed_lengths(op, &l)) return tfp_cost_macs(TFP_UNKNOWN);
    return tfp_cost_macs(tfp_plus(tfp_times(tfp_in_size(op, 0), tfp_dim(tfp_in(op, 1), 1)), scores(&l)));
}

static bool apart_lengths(const tfp_op *op, lengths *l)
{
    bool grouped = tfp_op_is(op, "com.microsoft::GroupQueryAttention");
    tfp_dims q = tfp_in(op, 0), k = tfp_in(op, 1), v = tfp_in(op, 2);
    int64_t heads = tfp_attr_int(op, "num_heads", 0), groups = tfp_attr_int(op, "kv_num_heads", heads), total;
    if (q.rank != 3 || heads < 1 || groups < 1) return false;
    *l = (lengths){ .batch = q.at[0], .queries = q.at[1], .width = q.at[2] };
    if (!tfp_onnx_given(op, 1)) { /* queries, keys and values side by side */
        if (!grouped || q.at[2] < 0) return false;
        l->width = tfp_times(q.at[2] / (heads + 2 * groups), heads);
        l->keys = q.at[1];
        l->value_width = l->width;
    } else if (k.rank == 3 && v.rank == 3) {
        l->keys = k.at[1];
        l->value_width = grouped ? l->width : v.at[2];
    } else {
        return false;
    }
    l->keys = tfp_plus(l->keys, cached(op, grouped ? 3 : 6, -2));
    if (grouped && tfp_in_int(op, 6, &total) && total > 0) l->keys = total;
    return true;
}

static void attention(tfp_op *op)
{
    lengths l;
    if (!apart_lengths(op, &l)) return;
    int64_t dims[] = { l.batch, l.queries, l.value_width };
    tfp_set(op, 0, tfp_shape_of(op, dims, 3));
}

static tfp_cost count_attention(const tfp_op *op)
{
    lengths l;
    return tfp_cost_macs(apart_lengths(op, &l) ? scores(&l) : TFP_UNKNOWN);
}

/* ---- single elements ---- */

/* Token numbers [batch, length] and the table [words, width]. */
static void embedded(tfp_op *op)
{
    tfp_set(op, 0, tfp_joined(op, tfp_merge_rank(op, tfp_in(op, 0), 2), tfp_vector_of(op, tfp_dim(tfp_in(op, 2), 1))));
}

#define M "com.microsoft::"

const tfp_op_rule tfp_onnx_contrib[] = {
    { M "FusedMatMul " M "TransposeMatMul", fused_matmul, count_fused_matmul, 0, "2 * n(out) * inner", "as MatMul" },
    { M "DynamicQuantizeMatMul " M "MatMulIntegerToFloat", fused_matmul, count_fused_matmul, 0, "2 * n(out) * inner",
      "as MatMul" },
    { M "MatMulNBits " M "MatMulBnb4", packed_matmul, count_packed_matmul, 0, "2 * n(in0) * N", "as MatMul" },
    { M "Attention", packed_attention, count_packed_attention, 0, "2 * (n(in0) * columns + n(scores) * widths)",
      "three products of the input, and two of attention" },
    { M "MultiHeadAttention " M "GroupQueryAttention", attention, count_attention, 0, "2 * n(scores) * widths",
      "two products" },
    { M "RotaryEmbedding", TFP_SHAPE("A -> A"), TFP_EACH_IN(3, "two products and a sum an element") },
    { M "Gelu " M "BiasGelu " M "FastGelu " M "QuickGelu", TFP_SHAPE("A -> A"),
      TFP_EACH_IN(8, "half, erf or tanh, sums and products") },
    { M "SkipLayerNormalization " M "SkipSimplifiedLayerNormalization " M "SimplifiedLayerNormalization",
      TFP_SHAPE("A -> A"), TFP_EACH_IN(7, "as LayerNormalization, and a sum") },
    { M "EmbedLayerNormalization", embedded, TFP_EACH_OUT(8, "as LayerNormalization, and two sums") },
    { NULL },
};
