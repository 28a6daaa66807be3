// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/trips.c: finds the iterations of loops for which the compiler noted none (known_trip_count), as JAX
 * lowers scan and fori_loop: a counter in the loop's tuple starts at a constant, the condition compares it with a
 * constant, and the body adds a constant to it. */
#include "formats/hlo/hlo.h"
#include "model/tables/instructions.h"

typedef struct finder {
    const tfp_builder *b;
    const tfp_hlo_module *m;
} finder;

static const tfp_hlo_instruction *operand(const finder *f, const tfp_hlo_instruction *i, uint32_t k)
{
    uint32_t at = i && k < i->operand_count ? f->m->links.at[i->operand_first + k] : TFP_NONE;
    return at == TFP_NONE ? NULL : &f->m->instructions.at[at];
}

static bool is_constant(const finder *f, const tfp_hlo_instruction *i, int64_t *out)
{
    if (!i || !i->constant.has_value || !tfp_hlo_is(f->b, i, "constant")) return false;
    *out = i->constant.value;
    return true;
}

/* Whether it is an element of the computation's parameter; *index says which one. */
static bool is_part(const finder *f, const tfp_hlo_instruction *i, int32_t *index)
{
    const tfp_hlo_instruction *from = operand(f, i, 0);
    if (!from || i->index < 0 || from->parameter < 0 || !tfp_hlo_is(f->b, i, "get-tuple-element")) return false;
    *index = i->index;
    return true;
}

/* The root of the loop's condition, which is a boolean, or of its body. */
static const tfp_hlo_instruction *root_of(const finder *f, const tfp_hlo_instruction *loop, bool condition)
{
    for (uint32_t k = 0; k < loop->called_count; k++) {
        uint32_t c = f->m->links.at[loop->called_first + k];
        uint32_t at = c == TFP_NONE ? TFP_NONE : f->m->computations.at[c].root;
        if (at == TFP_NONE || f->m->instructions.at[at].shape == TFP_NONE) continue;
        const tfp_hlo_shape *s = &f->m->shapes.at[f->m->instructions.at[at].shape];
        bool truth = !s->tuple && s->count == 1 && f->m->arrays.at[s->first].type == TFP_HLO_PRED;
        if (truth == condition) return &f->m->instructions.at[at];
    }
    return NULL;
}

/* Finds the limit in the condition: counter < limit. */
static bool find_limit(const finder *f, const tfp_hlo_instruction *loop, int32_t *counter, int64_t *limit)
{
    const tfp_hlo_instruction *root = root_of(f, loop, true);
    bool clamped = false;
    if (!root || !tfp_hlo_is(f->b, root, "compare") || !is_part(f, operand(f, root, 0), counter) ||
        !is_constant(f, operand(f, root, 1), limit))
        return false;
    if (root->direction == TFP_HLO_LE) *limit = tfp_add(*limit, 1, &clamped);
    return !clamped && (root->direction == TFP_HLO_LE || root->direction == TFP_HLO_LT);
}

/* Finds the increment of the counter in the loop's body, if it is positive. */
static bool find_stride(const finder *f, const tfp_hlo_instruction *loop, int32_t counter, int64_t *stride)
{
    const tfp_hlo_instruction *root = root_of(f, loop, false);
    const tfp_hlo_instruction *next =
        root && tfp_hlo_is(f->b, root, "tuple") ? operand(f, root, (uint32_t)counter) : NULL;
    int32_t part;
    if (!next || !tfp_hlo_is(f->b, next, "add")) return false;
    for (uint32_t k = 0; k < 2; k++)
        if (is_part(f, operand(f, next, k), &part) && part == counter &&
            is_constant(f, operand(f, next, 1 - k), stride))
            return *stride > 0;
    return false;
}

static int64_t trips_of(const finder *f, const tfp_hlo_instruction *loop)
{
    int32_t counter;
    int64_t limit, first, stride;
    bool clamped = false;
    const tfp_hlo_instruction *init = operand(f, loop, 0);
    if (!init || !tfp_hlo_is(f->b, init, "tuple") || !find_limit(f, loop, &counter, &limit) ||
        !is_constant(f, operand(f, init, (uint32_t)counter), &first) || !find_stride(f, loop, counter, &stride))
        return -1;
    if (limit <= first) return 0;
    int64_t length = first == INT64_MIN ? -1 : tfp_add(limit, -first, &clamped);
    return clamped || length < 0 ? -1 : (length - 1) / stride + 1;
}

void tfp_hlo_find_trips(const tfp_builder *b, tfp_hlo_module *m)
{
    finder f = { b, m };
    for (size_t i = 0; i < m->instructions.size; i++) {
        tfp_hlo_instruction *n = &m->instructions.at[i];
        if (n->trips < 0 && tfp_hlo_is(b, n, "while")) n->trips = trips_of(&f, n);
    }
}
