// SPDX-License-Identifier: Apache-2.0
/* flops/engine/infer.c: shape inference through the program. A body is worked out once for each set of arguments that
 * calls give it (an instance). Calls wait on an explicit stack for the bodies that they need, so that nesting uses no C
 * stack. Loops are repeated until they reach a fixed point. */
#include "flops/engine/machine.h"
#include "flops/fold/fold.h"

/* ---- rules ---- */

/* TensorFlow's importer ignores these inputs unless all of their elements are known. */
static void hide_parts(tfp_engine *e, const tfp_op *op, unsigned whole)
{
    for (uint32_t i = 0; i < op->in_count && whole >> i; i++)
        if (whole >> i & 1 && !tfp_in_all(op, i)) e->scratch.at[i].elements = NULL;
}

static bool may_fold(const tfp_op *op)
{
    unsigned needed = op->importer ? op->fold->importer : 0;
    if (needed == TFP_NEVER) return false;
    for (uint32_t i = 0; needed && (needed == TFP_WHOLE_ALL ? i < op->in_count : i < 30); i++)
        if ((needed == TFP_WHOLE_ALL || needed >> i & 1) && !tfp_fold_in(op, i)) return false;
    return true;
}

static void run_rule(tfp_engine *e, tfp_op *op, const tfp_local *l)
{
    const tfp_importer_rule *less = e->importer ? l->rules->importer : NULL;
    if (less) hide_parts(e, op, less->whole);
    if (less && less->shape)
        less->shape(op);
    else if (op->rule && op->rule->shape)
        op->rule->shape(op);
    for (uint32_t i = 0; less && less->forgets_held && i < op->out_count; i++) op->out[i].held = NULL;
    if (op->wrong)
        for (uint32_t i = 0; i < op->out_count; i++) op->out[i].shape = TFP_ANY_DIMS, op->out[i].elements = NULL;
    op->fold = l->rules->fold;
    if (!op->wrong && op->fold && !op->no_memory && may_fold(op)) op->fold->fold(op);
}

static void after_rule(tfp_machine *m, tfp_frame *f, tfp_op *op, uint32_t local)
{
    tfp_instance *x = &m->e->instances.at[f->instance];
    if (x->body == 0) tfp_tell_assumed(m->e, op);
    tfp_tell_attributes(op);
    if (x->body == 0 && !m->e->importer) tfp_tell_runs(m->e, op, local);
    for (uint32_t i = 0; i < op->out_count; i++) { /* drop elements that do not fit the shape */
        tfp_known *k = &op->out[i];
        if (k->elements && (!tfp_dims_known(k->shape) || tfp_elements(k->shape) > TFP_FOLD_MAX)) k->elements = NULL;
    }
    if (op->wrong) {
        uint32_t count = m->e->bodies[x->body].count;
        if (!x->wrong) x->wrong = TFP_NEW(m->e->arena, const char *, count);
        if (!x->wrong)
            op->no_memory = true;
        else
            x->wrong[local] = op->wrong;
    }
    if (f->relaxed && f->relaxed[local].found && op->out_count && !m->e->importer) {
        op->out[0].shape = tfp_either(op, op->out[0].shape, f->relaxed[local].shape);
        op->out[0].held = tfp_either_held(op, op->out[0].held, f->relaxed[local].held);
        op->out[0].elements = NULL;
    }
    m->no_memory |= op->no_memory;
}

/* ---- one node ---- */

/* Works out a call. False: a function is not ready yet. */
static bool call(tfp_machine *m, tfp_frame *f, tfp_op *op, const tfp_body *b, const tfp_local *l, uint32_t local)
{
    tfp_engine *e = m->e;
    /* functions that are started use `scratch` for their own inputs, so the call's inputs move to `call_in` */
    if (!tfp_reserve(&e->call_in, (size_t)op->in_count + 1)) return m->no_memory = true, true;
    memcpy(e->call_in.at, op->in, op->in_count * sizeof *op->in);
    op->in = e->call_in.at;
    bool ready = l->call->kind == TFP_CALL_WHILE ? tfp_call_while(m, f, op, b, l, local)
                 : l->call->kind == TFP_CALL_FOR ? tfp_call_for(m, f, op, b, l, local)
                                                 : tfp_call_all(m, f, op, b, l, local);
    for (uint32_t i = 0; ready && i < op->out_count; i++)
        if (!op->out[i].dtype) op->out[i].dtype = b->types.at[l->out_first + i];
    return ready;
}

/* The cost of visiting a node once, in steps. */
static uint64_t steps_of(const tfp_local *l, const tfp_op *op)
{
    uint64_t steps = l->weight;
    for (uint32_t i = 0; i < op->in_count; i++)
        if (op->in[i].elements) steps += (uint64_t)tfp_elements(op->in[i].shape) / TFP_STEP_ELEMENTS;
    return steps;
}

/* Works out the next node. False: a function that it calls is not ready yet. */
static bool step(tfp_machine *m, tfp_frame *f)
{
    tfp_engine *e = m->e;
    tfp_instance *x = &e->instances.at[f->instance];
    const tfp_body *b = &e->bodies[x->body];
    uint32_t local = b->order[f->at];
    const tfp_local *l = &b->locals[local];
    if (local < b->arg_count) {
        x->outs[l->out_first] = x->args[local];
        return true;
    }
    tfp_op op;
    if (!tfp_op_of(e, b, x, local, &op)) return m->no_memory = true, true;
    bool again = f->call_at > 0; /* the outputs already hold the results of earlier functions of this call */
    if (!again) tfp_forget_outputs(&op, b, l);
    if (!tfp_charge(e, again ? op.in_count : steps_of(l, &op))) {
        tfp_forget_outputs(&op, b, l);
    } else if (l->call) {
        if (!call(m, f, &op, b, l, local)) return false;
    } else {
        run_rule(e, &op, l);
    }
    tfp_frame *now = &m->stack.at[m->stack.size - 1];
    now->loop = NULL;
    now->tries = now->call_at = 0;
    after_rule(m, now, &op, local);
    return true;
}

/* ---- TF1 loops: a Merge joins the value that enters with the one that comes back ---- */

/* After a pass: relaxes the Merges that an iteration contradicts; true when there was one. */
static bool relax_merges(tfp_machine *m, tfp_frame *f)
{
    tfp_engine *e = m->e;
    tfp_instance *x = &e->instances.at[f->instance];
    const tfp_body *b = &e->bodies[x->body];
    tfp_op op = { .profile = e->profile, .program = e->program, .arena = e->arena };
    bool changed = false;
    for (uint32_t i = b->arg_count; i < b->count; i++) {
        const tfp_local *l = &b->locals[i];
        for (uint32_t k = 0; k < l->edge_count; k++) {
            tfp_edge edge = b->edges.at[l->edge_first + k];
            if (!edge.back || !l->out_count) continue;
            const tfp_known *out = &x->outs[l->out_first], *back = &x->outs[b->locals[edge.from].out_first + edge.slot];
            tfp_relaxed both = { tfp_either(&op, out->shape, back->shape), tfp_either_held(&op, out->held, back->held),
                                 true };
            if (f->pass >= TRIES_MAX) both = (tfp_relaxed){ TFP_ANY_DIMS, NULL, true };
            if (tfp_dims_equal(both.shape, out->shape) && tfp_same_held(both.held, out->held)) continue;
            f->relaxed[i] = both;
            changed = true;
        }
    }
    m->no_memory |= op.no_memory;
    return changed;
}

static void finish(tfp_machine *m, const tfp_frame *f)
{
    tfp_engine *e = m->e;
    tfp_instance *x = &e->instances.at[f->instance];
    const tfp_body *b = &e->bodies[x->body];
    x->results = TFP_NEW(e->arena, tfp_known, b->def->result_count + 1);
    if (x->body == 0 && e->importer) tfp_fill_run_shapes(e, x, b);
    if (!x->results) {
        m->no_memory = true;
        return;
    }
    for (uint32_t i = 0; i < b->def->result_count; i++) {
        tfp_edge edge = b->results[i];
        x->results[i] =
            edge.from == TFP_NONE ? tfp_nothing_known(0) : x->outs[b->locals[edge.from].out_first + edge.slot];
    }
    x->done = true;
    if (!tfp_push(&e->finished, f->instance)) m->no_memory = true;
}

static tfp_status run(tfp_machine *m, tfp_error *err)
{
    while (m->stack.size && !m->no_memory) {
        tfp_frame *f = &m->stack.at[m->stack.size - 1];
        const tfp_body *b = &m->e->bodies[m->e->instances.at[f->instance].body];
        size_t depth = m->stack.size;
        bool waits = false;
        while (f->at < b->count && !waits && !m->no_memory) {
            waits = !step(m, f);
            f = &m->stack.at[depth - 1];
            if (!waits) f->at++;
        }
        if (waits || m->no_memory) continue;
        bool again = b->loops && !m->e->importer && f->pass <= TRIES_MAX && relax_merges(m, f);
        if (again) {
            m->e->instances.at[f->instance].children.size = 0;
            f->pass++;
            f->at = 0;
            continue;
        }
        finish(m, f);
        m->e->bodies[m->e->instances.at[f->instance].body].running = false;
        m->stack.size--;
    }
    return m->no_memory ? tfp_nomem(err) : TFP_OK;
}

/* ---- the whole program: the main graph, then functions that are never called ---- */

static bool *find_called(tfp_engine *e, tfp_error *err)
{
    bool *called = TFP_NEW(e->arena, bool, e->program->bodies.size + 1);
    for (uint32_t i = 0; called && i < e->program->bodies.size; i++) {
        if (tfp_body_ready(e, i, err)) return NULL;
        const tfp_body *b = &e->bodies[i];
        for (size_t k = 0; k < b->calls.size; k++)
            if (b->calls.at[k] != TFP_NONE) called[b->calls.at[k]] = true;
    }
    return called;
}

/* Marks the instances that calls really use, because loops also tried others. */
static bool mark_used(tfp_machine *m, uint32_t from, bool *seen)
{
    tfp_engine *e = m->e;
    TFP_VEC(uint32_t) todo = { 0 };
    bool ok = tfp_push(&todo, from);
    while (ok && todo.size) {
        tfp_instance *x = &e->instances.at[todo.at[--todo.size]];
        if (x->used) continue;
        x->used = seen[x->body] = true;
        for (size_t i = 0; ok && i < x->children.size; i++) ok = tfp_push(&todo, x->children.at[i].instance);
    }
    tfp_vec_free(&todo);
    return ok;
}

static tfp_status work_out(tfp_machine *m, uint32_t body, bool *seen, tfp_error *err)
{
    bool started;
    uint32_t of = tfp_instance_of(m, (tfp_request){ body, TFP_CALL_PLAIN, NULL, 0 }, &started);
    if (m->no_memory) return tfp_nomem(err);
    tfp_status s = started ? run(m, err) : TFP_OK;
    if (s || of == TFP_NONE) return s;
    return mark_used(m, of, seen) ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_infer_all(tfp_engine *e, tfp_error *err)
{
    tfp_machine m = { .e = e };
    bool *called = find_called(e, err), *seen = TFP_NEW(e->arena, bool, e->program->bodies.size + 1);
    tfp_status s = called && seen ? work_out(&m, 0, seen, err) : tfp_nomem(err);
    for (int round = 0; round < 2 && !s; round++) /* first functions without callers, then those in call cycles */
        for (uint32_t i = 1; i < e->program->bodies.size && !s; i++)
            if (!seen[i] && (round || !called[i])) s = work_out(&m, i, seen, err);
    tfp_vec_free(&m.stack);
    return s;
}
