// SPDX-License-Identifier: Apache-2.0
/* flops/rules/onnx/attention.c: attention in ONNX: two products, queries with keys and scores with values. Masks take
 * nothing off. */
#include "flops/rules/onnx/onnx.h"

/* Sizes of one attention; unknown ones are TFP_UNKNOWN. */
typedef struct heads {
    int64_t batch, heads, queries, keys; /* keys: those of the cache and the new ones */
    int64_t key_heads, width, value_width;
} heads;

/* Q is [batch, heads, queries, width], K and V are [batch, heads of keys, keys, width]; or all have three dimensions, with the
 * heads in the last one. A cache is [batch, heads of keys, keys, width]. */
static bool read_heads(const tfp_op *op, heads *h)
{
    tfp_dims q = tfp_in(op, 0), k = tfp_in(op, 1), v = tfp_in(op, 2), past = tfp_in(op, 4);
    bool flat = q.rank == 3;
    if (q.rank != k.rank || q.rank != v.rank || (!flat && q.rank != 4)) return false;
    h->batch = q.at[0];
    h->heads = flat ? tfp_attr_int(op, "q_num_heads", TFP_UNKNOWN) : q.at[1];
    h->key_heads = flat ? tfp_attr_int(op, "kv_num_heads", TFP_UNKNOWN) : k.at[1];
    if (flat && (h->heads < 1 || h->key_heads < 1)) return false;
    h->queries = q.at[q.rank - 2];
    h->keys = k.at[k.rank - 2];
    h->width = flat ? tfp_over(q.at[2], h->heads) : q.at[3];
    h->value_width = flat ? tfp_over(v.at[2], h->key_heads) : v.at[3];
    if (tfp_onnx_given(op, 4)) h->keys = past.rank == 4 ? tfp_plus(h->keys, past.at[2]) : TFP_UNKNOWN;
    return true;
}

static void attention(tfp_op *op)
{
    heads h;
    if (!read_heads(op, &h)) return;
    int64_t wide[] = { h.batch, h.heads, h.queries, h.value_width };
    int64_t flat[] = { h.batch, h.queries, tfp_times(h.heads, h.value_width) };
    int64_t keys[] = { h.batch, h.key_heads, h.keys, h.width },
            values[] = { h.batch, h.key_heads, h.keys, h.value_width };
    int64_t scores[] = { h.batch, h.heads, h.queries, h.keys };
    bool three = tfp_in(op, 0).rank == 3;
    tfp_set(op, 0, tfp_shape_of(op, three ? flat : wide, three ? 3 : 4));
    tfp_set(op, 1, tfp_shape_of(op, keys, 4));
    tfp_set(op, 2, tfp_shape_of(op, values, 4));
    tfp_set(op, 3, tfp_shape_of(op, scores, 4));
}

static tfp_cost count_attention(const tfp_op *op)
{
    heads h;
    if (!read_heads(op, &h)) return tfp_cost_macs(TFP_UNKNOWN);
    int64_t scores = tfp_times(tfp_times(h.batch, h.heads), tfp_times(h.queries, h.keys));
    return tfp_cost_macs(tfp_attention_macs(scores, h.width, h.value_width, false));
}

const tfp_op_rule tfp_onnx_attention[] = {
    { "Attention", attention, count_attention, 0, "2 * n(scores) * (width + width of values)", "two products" },
    { NULL },
};
