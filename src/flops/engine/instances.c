// SPDX-License-Identifier: Apache-2.0
/* flops/engine/instances.c: a body with the arguments of a call, worked out once however often the program makes such a
 * call. */
#include "flops/engine/machine.h"

static uint64_t hash_known(uint64_t h, const tfp_known *k)
{
    int64_t words[3] = { (int64_t)h, k->shape.rank, k->dtype };
    h = tfp_hash(words, sizeof words);
    if (k->shape.rank > 0) h ^= tfp_hash(k->shape.at, (size_t)k->shape.rank * sizeof *k->shape.at);
    if (k->elements) h += tfp_hash(k->elements, (size_t)tfp_elements(k->shape) * sizeof *k->elements);
    return h;
}

bool tfp_same_known(const tfp_known *a, const tfp_known *b)
{
    if (!tfp_dims_equal(a->shape, b->shape) || a->dtype != b->dtype || a->limit != b->limit) return false;
    if (!tfp_same_held(a->held, b->held)) return false;
    if (a->elements == b->elements) return true;
    return a->elements && b->elements &&
           memcmp(a->elements, b->elements, (size_t)tfp_elements(a->shape) * sizeof *a->elements) == 0;
}

static bool same_args(const tfp_instance *x, const tfp_known *args, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!tfp_same_known(&x->args[i], &args[i])) return false;
    return true;
}

/* Completes a body's arguments: those of the call, refined by the signature. The importer ignores the signature in a
 * plain call. */
static void complete_args(tfp_machine *m, const tfp_request *r, tfp_known *args)
{
    const tfp_body *b = &m->e->bodies[r->body];
    tfp_op op = { .profile = m->e->profile, .program = m->e->program, .arena = m->e->arena };
    for (uint32_t i = 0; i < b->arg_count; i++) {
        const tfp_known *stated = &b->args[i];
        args[i] = r->given && i < r->given_count ? r->given[i] : tfp_nothing_known(stated->dtype);
        if (!r->given || !m->e->importer || r->kind != TFP_CALL_PLAIN) {
            bool agree;
            tfp_dims both = tfp_both_true(&op, args[i].shape, stated->shape, &agree);
            if (agree) args[i].shape = both;
        }
        if (!args[i].dtype) args[i].dtype = stated->dtype;
        if (!args[i].held) args[i].held = stated->held;
    }
    m->no_memory |= op.no_memory;
}

/* Steps of work that comparing arguments takes. */
static uint64_t args_weight(const tfp_known *args, uint32_t count)
{
    uint64_t steps = count;
    for (uint32_t i = 0; i < count; i++)
        if (args[i].elements) steps += (uint64_t)tfp_elements(args[i].shape) / TFP_STEP_ELEMENTS;
    return steps;
}

static uint32_t start_instance(tfp_machine *m, uint32_t body, const tfp_known *args, uint64_t key)
{
    tfp_engine *e = m->e;
    tfp_body *b = &e->bodies[body];
    tfp_instance x = { .body = body, .args = TFP_NEW(e->arena, tfp_known, b->arg_count + 1) };
    x.outs = TFP_NEW(e->arena, tfp_known, b->out_count + 1);
    for (uint32_t i = 0; x.outs && i < b->out_count; i++) x.outs[i] = tfp_nothing_known(0);
    tfp_frame f = { .instance = (uint32_t)e->instances.size };
    if (b->loops) f.relaxed = TFP_NEW(e->arena, tfp_relaxed, b->count + 1);
    if (!x.args || !x.outs || (b->loops && !f.relaxed) || !tfp_push(&e->instances, x) || !tfp_push(&m->stack, f) ||
        !tfp_map64_put(&e->instance_by_key, key, f.instance))
        return m->no_memory = true, TFP_NONE;
    memcpy(x.args, args, b->arg_count * sizeof *args);
    b->running = true;
    return f.instance;
}

/* The instance of a body with these arguments; TFP_NONE if there can be none: the body is being worked out already, or
 * the work limit is reached. *started: the instance is new and was pushed on the stack. */
uint32_t tfp_instance_of(tfp_machine *m, tfp_request r, bool *started)
{
    tfp_engine *e = m->e;
    *started = false;
    if (r.body == TFP_NONE) return TFP_NONE;
    uint32_t count = e->bodies[r.body].arg_count;
    if (!tfp_reserve(&e->call_args, (size_t)count + 1)) return m->no_memory = true, TFP_NONE;
    tfp_known *args = e->call_args.at;
    complete_args(m, &r, args);
    if (!tfp_charge(e, args_weight(args, count))) return TFP_NONE;
    uint64_t key = (uint64_t)r.body * UINT64_C(0x9E3779B97F4A7C15) + 1;
    for (uint32_t i = 0; i < count; i++) key = hash_known(key, &args[i]);
    for (;; key++) {
        uint32_t at = tfp_map64_get(&e->instance_by_key, key);
        if (at == TFP_NONE) break;
        tfp_instance *x = &e->instances.at[at];
        if (x->body != r.body || !same_args(x, args, count)) continue;
        if (!x->done) tfp_calls_itself(m, r.body);
        return x->done ? at : TFP_NONE;
    }
    if (e->bodies[r.body].running) return tfp_calls_itself(m, r.body), TFP_NONE;
    if (e->arena->used > e->arena->limit / 2) return e->work = UINT64_MAX / 2, TFP_NONE;
    *started = true;
    return start_instance(m, r.body, args, key);
}

void tfp_add_child(tfp_machine *m, uint32_t parent, uint32_t local, uint32_t call, uint32_t instance)
{
    if (instance == TFP_NONE) return;
    if (!tfp_push(&m->e->instances.at[parent].children, ((tfp_child){ local, call, instance, 1 }))) m->no_memory = true;
}
