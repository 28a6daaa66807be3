// SPDX-License-Identifier: Apache-2.0
/* views/limits/chain_bytes.c: what a chain's kernel would read and write: the inputs that no member made, and the result
 * of the last. */
#include "views/limits/chains.h"

enum { NORM = 8 }; /* members of a norm: from its square to its root */

bool tfp_same_tensor(const tfp_sized *a, const tfp_sized *b)
{
    bool typed = a->scalar_type != TFP_SCALAR_TYPES && b->scalar_type != TFP_SCALAR_TYPES;
    return a->elements == b->elements && (typed ? a->scalar_type == b->scalar_type : a->size && a->size == b->size);
}

static const tfp_call_kind *kind_of(const tfp_limits *l, uint32_t call) { return &l->kinds.at[l->calls.at[call].kind]; }

uint32_t tfp_chain_block(const tfp_limits *l, uint32_t call, uint32_t before)
{
    const tfp_call_kind *k = kind_of(l, call);
    bool copy = k->class == TFP_WORK_MOVEMENT && k->in_place;
    if (k->in_place && !copy) return before;
    return tfp_limits_block(l, l->calls.at[call].op, k->out.bytes, copy);
}

/* Whether a product is x * x: its factors look alike, a reduction follows, and a root before member `to`. */
static bool is_square(const tfp_limits *l, const uint32_t *members, uint32_t at, uint32_t to)
{
    const tfp_call_kind *k = kind_of(l, members[at]);
    const tfp_sized *in = l->inputs.at + k->in_first;
    bool alike = k->in_count == 2 && tfp_same_tensor(&in[0], &in[1]), root = false;
    if (k->norm != TFP_NORM_PRODUCT || !alike || k->in_place) return false;
    for (uint32_t i = at + 2; i < to && i < at + NORM && !root; i++)
        root = kind_of(l, members[i])->norm == TFP_NORM_ROOT;
    return root && kind_of(l, members[at + 1])->class == TFP_WORK_REDUCTION;
}

/* Whether only the reduction after a member reads the member's result, not member `to`: powers and magnitudes of a norm,
 * as in x * rsqrt(mean(x.pow(2))) and x / x.abs().amax(). Member `to` reads x. */
static bool is_for_norm(const tfp_limits *l, const uint32_t *members, uint32_t at, uint32_t to)
{
    const tfp_call_kind *k = kind_of(l, members[at]);
    if (k->norm != TFP_NORM_POWER || k->in_place) return is_square(l, members, at, to);
    return at + 1 < to && kind_of(l, members[at + 1])->class == TFP_WORK_REDUCTION;
}

/* How many results of the members before one may be that tensor, and were not freed before the member's call began. */
static uint32_t made_before(const tfp_limits *l, const uint32_t *members, uint32_t at, const uint32_t *blocks,
                            const tfp_sized *tensor)
{
    uint32_t n = 0;
    int64_t start = tfp_limit_start(l, &l->calls.at[members[at]]);
    for (uint32_t i = 0; i < at; i++) {
        if (!tfp_same_tensor(&kind_of(l, members[i])->out, tensor) || is_for_norm(l, members, i, at)) continue;
        bool gone = blocks && blocks[i] != TFP_NONE && tfp_limits_freed(l, blocks[i]) < start;
        n += !gone;
    }
    return n;
}

bool tfp_chain_has_ids(const tfp_limits *l, const uint32_t *members, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!tfp_limits_has_ids(l, members[i])) return false;
    return true;
}

/* Whether an input of a member is the result of an earlier one. */
static bool is_inside(const tfp_limits *l, const uint32_t *members, uint32_t count, uint32_t at, const uint32_t *blocks,
                      uint32_t input)
{
    const tfp_sized *in = l->inputs.at + kind_of(l, members[at])->in_first;
    uint32_t equal = 0, of_argument = 0; /* earlier inputs that may be the same tensor; of its argument */
    for (uint32_t n = 0; n < input; n++) {
        equal += tfp_same_tensor(&in[n], &in[input]);
        of_argument += in[n].argument == in[input].argument;
    }
    if (tfp_chain_has_ids(l, members, at + 1))
        return tfp_limits_input_made(l, members, at, in[input].argument, of_argument);
    if (equal && is_square(l, members, at, count)) equal = 0;
    return equal < made_before(l, members, at, blocks, &in[input]);
}

int64_t tfp_chain_bytes(const tfp_limits *l, const uint32_t *members, uint32_t count, const uint32_t *blocks)
{
    int64_t bytes = 0;
    bool ids = tfp_chain_has_ids(l, members, count);
    for (uint32_t m = 0; m < count; m++) {
        const tfp_call_kind *k = kind_of(l, members[m]);
        const tfp_sized *in = l->inputs.at + k->in_first;
        int64_t read = 0;
        for (uint32_t i = 0; i < k->in_count; i++) read = tfp_add(read, in[i].bytes, NULL);
        /* what is in `bytes` and no listed input or result: further inputs, masks, indexes */
        int64_t more = k->bytes - tfp_add(read, k->out.bytes, NULL);
        if (more > 0) bytes = tfp_add(bytes, more, NULL);
        for (uint32_t i = 0; i < k->in_count; i++) {
            if (!is_inside(l, members, count, m, blocks, i)) bytes = tfp_add(bytes, in[i].bytes, NULL);
        }
        if (ids && m + 1 < count && tfp_limits_read_later(l, members, count, m))
            bytes = tfp_add(bytes, k->out.bytes, NULL);
    }
    return count ? tfp_add(bytes, kind_of(l, members[count - 1])->out.bytes, NULL) : 0;
}
