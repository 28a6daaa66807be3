// SPDX-License-Identifier: Apache-2.0
/* flops/engine/calls.c: nodes that run functions: plain calls, branches, while loops. The shapes of a loop's variables
 * are assumed, and relaxed until the loop reaches a fixed point. */
#include "base/dtype.h"
#include "flops/engine/machine.h"

#include <math.h>

/* The inputs that a call passes to its function. */
static const tfp_known *handed(const tfp_op *op, const tfp_call_op *call, uint32_t *count)
{
    uint32_t skip = call->first_arg < op->in_count ? call->first_arg : op->in_count;
    *count = op->in_count - skip;
    *count = *count > call->last_kept ? *count - call->last_kept : 0;
    return op->in + skip;
}

/* The facts that two possible results have in common. */
static tfp_known join_known(tfp_op *op, const tfp_known *a, const tfp_known *b)
{
    tfp_known k = { .shape = tfp_either(op, a->shape, b->shape), .dtype = a->dtype ? a->dtype : b->dtype };
    k.held = tfp_either_held(op, a->held, b->held);
    if (a->elements && b->elements && tfp_same_known(a, b)) k.elements = a->elements;
    return k;
}

/* A plain call or a branch: works out every function with the same arguments. False: a function is not ready yet. */
bool tfp_call_all(tfp_machine *m, tfp_frame *f, tfp_op *op, const tfp_body *b, const tfp_local *l, uint32_t local)
{
    uint32_t count, parent = f->instance;
    bool started;
    const tfp_known *args = handed(op, l->call, &count);
    if (!f->call_at) f->found = f->lost = false;
    for (; f->call_at < l->call_count; f->call_at++) {
        uint32_t body = b->calls.at[l->call_first + f->call_at];
        uint32_t of = tfp_instance_of(m, (tfp_request){ body, l->call->kind, args, count }, &started);
        if (started || m->no_memory) return false; /* the stack may have been reallocated, so f is not used any more */
        if (of == TFP_NONE) {
            f->lost = true;
            continue;
        }
        tfp_add_child(m, parent, local, f->call_at, of);
        const tfp_instance *called = &m->e->instances.at[of];
        uint32_t results = m->e->program->bodies.at[called->body].result_count;
        for (uint32_t i = 0; i < op->out_count && i < results; i++)
            op->out[i] = f->found ? join_known(op, &op->out[i], &called->results[i]) : called->results[i];
        f->found = true;
    }
    if (l->call->kind == TFP_CALL_PLAIN && !f->lost) return true;
    if (f->lost || m->e->importer) tfp_forget_outputs(op, b, l);
    if (l->call->kind != TFP_CALL_BRANCH) return true;
    const tfp_attr_list *stated = tfp_attr_members(op, "output_shapes");
    for (uint32_t i = 0; i < op->out_count && i < stated->shape_count; i++) tfp_also_known(op, i, stated->shapes[i]);
    return true;
}

/* The shape of variable i in the loop's attribute. */
static tfp_dims stated_of(const tfp_frame *f, uint32_t i)
{
    return i < f->stated->shape_count ? f->stated->shapes[i] : TFP_ANY_DIMS;
}

/* The variables of a while loop before the first try: as they come in, refined by the loop's attribute; for the
 * importer the attribute alone. */
static tfp_known *loop_start(tfp_machine *m, tfp_frame *f, tfp_op *op)
{
    tfp_known *loop = TFP_NEW(m->e->arena, tfp_known, op->in_count + 1);
    f->stated = tfp_attr_members(op, "output_shapes");
    if (!loop) return m->no_memory = true, NULL;
    for (uint32_t i = 0; i < op->in_count; i++) {
        tfp_dims stated = stated_of(f, i);
        loop[i] = op->in[i];
        if (!m->e->importer) {
            bool agree;
            loop[i].shape = tfp_both_true(op, loop[i].shape, stated, &agree);
            if (!agree) loop[i].elements = NULL; /* the elements belong to the other shape */
            continue;
        }
        loop[i].elements = NULL;
        if (f->stated->shape_count) loop[i].shape = stated;
    }
    return loop;
}

/* After TRIES_MAX tries only the loop's attribute is trusted. */
static void give_up(const tfp_frame *f, tfp_known *k, uint32_t i)
{
    *k = (tfp_known){ .shape = stated_of(f, i), .dtype = k->dtype };
}

/* Merges the assumed variable i with its value `back` after an iteration; true if the result has fewer facts than
 * before. */
static bool relax(const tfp_machine *m, const tfp_frame *f, tfp_op *op, uint32_t of, uint32_t i)
{
    const tfp_instance *x = &m->e->instances.at[of];
    const tfp_body *body = &m->e->bodies[x->body];
    const tfp_known *back = &x->results[i];
    tfp_known *k = &f->loop[i];
    tfp_known now = { .shape = tfp_either(op, k->shape, back->shape), .dtype = k->dtype };
    now.shape = tfp_both_true(op, now.shape, stated_of(f, i), NULL);
    now.held = tfp_either_held(op, k->held, back->held);
    /* handles and constants keep their value only if the body passes them through unchanged */
    tfp_edge from = tfp_origin(body, body->results[i]);
    if (from.from == i && i < body->arg_count) {
        now.held = k->held;
        if (tfp_dims_equal(now.shape, k->shape)) now.elements = k->elements;
    }
    bool changed = !tfp_same_known(k, &now);
    *k = now;
    return changed;
}

/* After a loop with a known number of iterations its counters are known too; the gradient's loop counts down from
 * them. */
static void set_counters(tfp_machine *m, tfp_op *op, uint32_t cond, uint32_t body)
{
    const tfp_instance *c = &m->e->instances.at[cond], *b = &m->e->instances.at[body];
    tfp_while w = { c, b, op->in, op->in_count };
    int64_t trips = tfp_while_trips(m->e, &w);
    for (uint32_t i = 0; trips >= 0 && i < op->out_count && i < op->in_count; i++) {
        double end = tfp_while_counter(m->e, &w, i, trips);
        if (isnan(end) || op->out[i].elements || tfp_elements(op->out[i].shape) != 1) continue;
        double *at = tfp_new_elements(op, i);
        if (at) *at = end;
    }
}

/* False: the loop's body or condition is not ready yet. */
bool tfp_call_while(tfp_machine *m, tfp_frame *f, tfp_op *op, const tfp_body *b, const tfp_local *l, uint32_t local)
{
    bool started;
    uint32_t parent = f->instance, count = op->in_count;
    uint32_t body = l->call_count > 1 ? b->calls.at[l->call_first + 1] : TFP_NONE;
    if (!f->loop && !(f->loop = loop_start(m, f, op))) return true;
    tfp_known *loop = f->loop;
    uint32_t of = tfp_instance_of(m, (tfp_request){ body, TFP_CALL_WHILE, loop, count }, &started);
    if (started || m->no_memory) return false;
    while (of != TFP_NONE && !m->e->importer) {
        bool changed = false;
        uint32_t results = m->e->program->bodies.at[body].result_count;
        for (uint32_t i = 0; i < count && i < results; i++) changed |= relax(m, f, op, of, i);
        if (!changed) break;
        bool last = ++f->tries > TRIES_MAX;
        for (uint32_t i = 0; last && i < count; i++) give_up(f, &loop[i], i);
        of = tfp_instance_of(m, (tfp_request){ body, TFP_CALL_WHILE, loop, count }, &started);
        if (started || m->no_memory) return false;
        if (last) break;
    }
    uint32_t cond =
        tfp_instance_of(m, (tfp_request){ b->calls.at[l->call_first], TFP_CALL_WHILE, loop, count }, &started);
    if (started || m->no_memory) return false;
    tfp_add_child(m, parent, local, 0, cond);
    tfp_add_child(m, parent, local, 1, of);
    for (uint32_t i = 0; i < op->out_count && i < count; i++) op->out[i] = loop[i];
    if (of == TFP_NONE || m->e->importer) {
        tfp_forget_outputs(op, b, l);
        if (f->stated->shape_count) /* TensorFlow trusts the attribute alone */
            for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, stated_of(f, i));
        else
            for (uint32_t i = 0; i < op->out_count && i < count; i++) tfp_set(op, i, tfp_in(op, i));
        for (uint32_t i = 0; i < op->out_count && i < count; i++)
            op->out[i].held = m->e->importer ? NULL : loop[i].held;
        return true;
    }
    for (uint32_t i = 0; i < op->out_count; i++) tfp_also_known(op, i, stated_of(f, i));
    if (cond != TFP_NONE) set_counters(m, op, cond, of);
    return true;
}

/* The op For: a counter, then the variables. */
bool tfp_call_for(tfp_machine *m, tfp_frame *f, tfp_op *op, const tfp_body *b, const tfp_local *l, uint32_t local)
{
    bool started;
    uint32_t count, parent = f->instance;
    const tfp_known *given = handed(op, l->call, &count);
    tfp_known *args = TFP_NEW(m->e->arena, tfp_known, count + 2);
    if (!args) return m->no_memory = true, true;
    args[0] = (tfp_known){ .shape = TFP_SCALAR_DIMS, .dtype = TFP_DT_INT32 };
    for (uint32_t i = 0; i < count; i++)
        args[i + 1] = (tfp_known){ .shape = TFP_ANY_DIMS, .dtype = given[i].dtype, .held = given[i].held };
    uint32_t of =
        tfp_instance_of(m, (tfp_request){ b->calls.at[l->call_first], TFP_CALL_FOR, args, count + 1 }, &started);
    if (of != TFP_NONE && !m->e->instances.at[of].done) return false;
    if (m->no_memory) return true;
    tfp_add_child(m, parent, local, 0, of);
    return true;
}
