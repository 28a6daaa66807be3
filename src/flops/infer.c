/* flops/infer.c: shapes flow through the program. A body is worked out once for each set of arguments that calls give
 * it (an instance); calls wait on a stack of their own for the bodies that they need, so depth costs no stack.
 * Loops are worked out until they agree with themselves. */
#include "flops/engine.h"

#include <math.h>

#define TRIES_MOST 8 /* until a loop's shapes agree; then they are what its attributes say, or unknown */

typedef struct relaxed { /* of a Merge that begins a loop: what an earlier pass found */
    tfp_dims shape;
    const tfp_held *held;
    bool found;
} relaxed;

typedef struct frame { /* an instance at work */
    uint32_t instance;
    uint32_t at;          /* in the body's order */
    uint32_t pass;        /* over a body with loops of TensorFlow 1 */
    uint32_t tries;       /* of the While at hand */
    tfp_known *loop;      /* its variables as tried, NULL before */
    const tfp_dims *told; /* what its attribute says of them */
    size_t told_count;
    relaxed *relaxed; /* per local; NULL without loops */
} frame;

typedef struct machine {
    tfp_engine *e;
    TFP_VEC(frame) stack;
    bool no_memory;
} machine;

/* ---- the op at hand ---- */

static tfp_known nothing_known(int dtype) { return (tfp_known){ .shape = TFP_ANY_DIMS, .dtype = dtype }; }

bool tfp_op_of(tfp_engine *e, const tfp_body *b, const tfp_instance *x, uint32_t local, tfp_op *op)
{
    const tfp_local *l = &b->locals[local];
    if (!tfp_reserve(&e->scratch, (size_t)l->edge_count + 1)) return false;
    for (uint32_t i = 0; i < l->edge_count; i++) {
        tfp_edge edge = b->edges.at[l->edge_first + i];
        if (edge.back) /* the importer has not seen it yet; else relax_merges looks at it after each pass */
            e->scratch.at[i] = i && !e->importer ? e->scratch.at[0] : nothing_known(0);
        else
            e->scratch.at[i] =
                edge.from == TFP_NONE ? nothing_known(0) : x->outs[b->locals[edge.from].out_first + edge.slot];
    }
    *op = (tfp_op){ .profile = e->profile,
                    .program = e->program,
                    .node = tfp_node_of(e, b, local),
                    .rule = l->rules->rule,
                    .in = e->scratch.at,
                    .in_count = l->edge_count,
                    .out = &x->outs[l->out_first],
                    .out_count = l->out_count,
                    .arena = e->arena,
                    .importer = e->importer };
    return true;
}

static void forget_outputs(tfp_op *op, const tfp_body *b, const tfp_local *l)
{
    for (uint32_t i = 0; i < op->out_count; i++) op->out[i] = nothing_known(b->types.at[l->out_first + i]);
}

/* ---- what is told from outside: attributes, run metadata, assumptions ---- */

static bool is_placeholder(tfp_str op)
{
    return tfp_str_eq(op, TFP_STR("Placeholder")) || tfp_str_eq(op, TFP_STR("PlaceholderV2"));
}

static void assume(tfp_engine *e, tfp_op *op)
{
    const tfp_assume *a = e->assume;
    tfp_str name = tfp_text(e->profile, op->node->name);
    for (size_t i = 0; a && i < a->shape_count; i++)
        if (tfp_str_eq(a->shapes[i].name, name)) {
            tfp_set(op, 0, tfp_shape_of(op, a->shapes[i].shape.at, a->shapes[i].shape.rank));
            return;
        }
    if (!a || a->batch <= 0 || !is_placeholder(tfp_text(e->profile, op->node->op))) return;
    tfp_dims d = tfp_out(op, 0);
    if (d.rank > 0 && d.at[0] < 0) tfp_set(op, 0, tfp_with_dim(op, d, 0, a->batch));
}

/* Both are true; where they contradict each other neither is believed. *agree, if not NULL, says whether they do. */
static tfp_dims both_true(tfp_op *op, tfp_dims a, tfp_dims b, bool *agree)
{
    const char *before = op->wrong;
    op->wrong = NULL;
    tfp_dims both = tfp_merge(op, a, b);
    if (agree) *agree = !op->wrong;
    if (op->wrong) both = tfp_either(op, a, b);
    op->wrong = before;
    return both;
}

static void also_known(tfp_op *op, uint32_t i, tfp_dims told)
{
    bool agree;
    if (i >= op->out_count || told.rank < 0) return;
    op->out[i].shape = both_true(op, op->out[i].shape, told, &agree);
    if (!agree) op->out[i].elements = NULL;
}

static void add_output_shapes(tfp_op *op)
{
    size_t count;
    const tfp_dims *told = tfp_attr_shapes(op, "_output_shapes", &count);
    for (size_t i = 0; told && i < count; i++) also_known(op, (uint32_t)i, told[i]);
}

static tfp_dims stored_shape(tfp_op *op, uint32_t shape)
{
    if (shape == TFP_NONE) return TFP_ANY_DIMS;
    const tfp_shape *s = &op->profile->shapes.at[shape];
    if (!s->count) return TFP_ANY_DIMS;
    return s->scalar ? TFP_SCALAR_DIMS : tfp_shape_of(op, op->profile->dims.at + s->first, (int)s->count);
}

/* Shapes of run metadata, for nodes of the main graph. */
static void add_run_shapes(const tfp_engine *e, tfp_op *op, uint32_t node)
{
    if (!e->profile->run_shapes.size || e->profile_node[node] == TFP_NONE) return;
    for (uint32_t i = 0; i < op->out_count; i++)
        also_known(op, i, stored_shape(op, tfp_run_shape_of(e->profile, e->profile_node[node], i)));
}

/* As TensorFlow's op log has them: an op whose outputs ran all, and only where its shape is not fully known. What comes
 * after it does not learn of it. */
static void fill_run_shapes(tfp_engine *e, const tfp_instance *x, const tfp_body *b)
{
    for (uint32_t i = b->arg_count; i < b->count && e->profile->run_shapes.size; i++) {
        const tfp_local *l = &b->locals[i];
        uint32_t node = e->profile_node[i - b->arg_count], ran = 0;
        tfp_op op = { .profile = e->profile,
                      .program = e->program,
                      .arena = e->arena,
                      .out = &x->outs[l->out_first],
                      .out_count = l->out_count };
        for (uint32_t k = 0; k < l->out_count && node != TFP_NONE; k++)
            ran += tfp_run_shape_of(e->profile, node, k) != TFP_NONE;
        if (ran != l->out_count) continue;
        for (uint32_t k = 0; k < l->out_count; k++) {
            tfp_dims both = tfp_merge(&op, op.out[k].shape, stored_shape(&op, tfp_run_shape_of(e->profile, node, k)));
            if (!op.wrong && !tfp_dims_known(op.out[k].shape)) op.out[k].shape = both;
            op.wrong = NULL;
        }
    }
}

/* ---- rules ---- */

static void run_rule(tfp_op *op, const tfp_local *l)
{
    if (op->rule && op->rule->shape) op->rule->shape(op);
    if (op->wrong)
        for (uint32_t i = 0; i < op->out_count; i++) op->out[i].shape = TFP_ANY_DIMS, op->out[i].elements = NULL;
    if (!op->wrong && l->rules->fold && !op->no_memory) l->rules->fold->fold(op);
}

static void after_rule(machine *m, frame *f, tfp_op *op, uint32_t local)
{
    tfp_instance *x = &m->e->instances.at[f->instance];
    if (x->body == 0) assume(m->e, op);
    add_output_shapes(op);
    if (x->body == 0 && !m->e->importer) add_run_shapes(m->e, op, local);
    for (uint32_t i = 0; i < op->out_count; i++) { /* elements never outlive a shape that does not fit them */
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

/* ---- instances ---- */

typedef struct request { /* for an instance */
    uint32_t body;
    tfp_call_kind kind;
    const tfp_known *given; /* arguments; NULL: those of the signature */
    uint32_t given_count;
} request;

static uint64_t hash_known(uint64_t h, const tfp_known *k)
{
    int64_t words[3] = { (int64_t)h, k->shape.rank, k->dtype };
    h = tfp_hash(words, sizeof words);
    if (k->shape.rank > 0) h ^= tfp_hash(k->shape.at, (size_t)k->shape.rank * sizeof *k->shape.at);
    if (k->elements) h += tfp_hash(k->elements, (size_t)tfp_elements(k->shape) * sizeof *k->elements);
    return h;
}

static bool same_held(const tfp_held *a, const tfp_held *b)
{
    return a == b || (a && b && a->dtype == b->dtype && a->empty == b->empty && tfp_dims_equal(a->shape, b->shape) &&
                      tfp_dims_equal(a->declared, b->declared));
}

static bool same_known(const tfp_known *a, const tfp_known *b)
{
    if (!tfp_dims_equal(a->shape, b->shape) || a->dtype != b->dtype || !same_held(a->held, b->held)) return false;
    if (a->elements == b->elements) return true;
    return a->elements && b->elements &&
           memcmp(a->elements, b->elements, (size_t)tfp_elements(a->shape) * sizeof *a->elements) == 0;
}

static bool same_args(const tfp_instance *x, const tfp_known *args, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!same_known(&x->args[i], &args[i])) return false;
    return true;
}

/* What a body's arguments are: what the call gives, and what the signature says beyond it: the shapes that the function
 * was traced with. Those the importer does not see in a plain call, whose results it hands on. */
static bool complete_args(machine *m, const request *r, tfp_known *args)
{
    uint32_t body = r->body, given_count = r->given_count;
    const tfp_known *given = r->given;
    const tfp_program_body *def = &m->e->program->bodies.at[body];
    tfp_op op = { .profile = m->e->profile,
                  .program = m->e->program,
                  .arena = m->e->arena,
                  .out = args,
                  .out_count = def->arg_count };
    for (uint32_t i = 0; i < def->arg_count; i++) {
        const tfp_program_arg *a = &m->e->program->args.at[def->arg_first + i];
        args[i] = given && i < given_count ? given[i] : nothing_known(a->dtype);
        if (!given || !m->e->importer || r->kind != TFP_CALL_PLAIN) {
            bool agree;
            tfp_dims both = both_true(&op, args[i].shape, stored_shape(&op, a->shape), &agree);
            if (agree) args[i].shape = both;
        }
        if (!args[i].dtype) args[i].dtype = a->dtype;
        if (!args[i].held && a->handle_dtype) tfp_set_held(&op, i, stored_shape(&op, a->handle_shape), a->handle_dtype);
    }
    return !op.no_memory;
}

/* The instance of a body with these arguments; TFP_NONE when it cannot be had: it runs already, or there was too much
 * work. *started: it is new, and stands on the stack now. */
static uint32_t instance_of(machine *m, request r, bool *started)
{
    tfp_engine *e = m->e;
    uint32_t body = r.body;
    *started = false;
    if (body == TFP_NONE) return TFP_NONE;
    uint32_t count = e->program->bodies.at[body].arg_count;
    tfp_known *args = TFP_NEW(e->arena, tfp_known, count + 1);
    if (!args || !complete_args(m, &r, args)) return m->no_memory = true, TFP_NONE;
    uint64_t key = (uint64_t)body * UINT64_C(0x9E3779B97F4A7C15) + 1;
    for (uint32_t i = 0; i < count; i++) key = hash_known(key, &args[i]);
    for (;; key++) {
        uint32_t at = tfp_map64_get(&e->instance_by_key, key);
        if (at == TFP_NONE) break;
        tfp_instance *x = &e->instances.at[at];
        if (x->body == body && same_args(x, args, count)) return x->done ? at : TFP_NONE;
    }
    if (e->bodies[body].running || e->work > e->work_most || e->arena->used > e->arena->limit / 2) return TFP_NONE;
    if (tfp_body_ready(e, body, NULL)) return m->no_memory = true, TFP_NONE;
    tfp_body *b = &e->bodies[body];
    tfp_instance x = { .body = body, .args = args };
    x.outs = TFP_NEW(e->arena, tfp_known, b->out_count + 1);
    for (uint32_t i = 0; x.outs && i < b->out_count; i++) x.outs[i] = nothing_known(0);
    frame f = { .instance = (uint32_t)e->instances.size };
    if (b->loops) f.relaxed = TFP_NEW(e->arena, relaxed, b->count + 1);
    if (!x.outs || (b->loops && !f.relaxed) || !tfp_push(&e->instances, x) || !tfp_push(&m->stack, f) ||
        !tfp_map64_put(&e->instance_by_key, key, f.instance))
        return m->no_memory = true, TFP_NONE;
    b->running = true;
    *started = true;
    return f.instance;
}

static void add_child(machine *m, uint32_t parent, uint32_t local, uint32_t call, uint32_t instance)
{
    if (instance == TFP_NONE) return;
    if (!tfp_push(&m->e->instances.at[parent].children, ((tfp_child){ local, call, instance }))) m->no_memory = true;
}

/* ---- calls ---- */

/* The arguments that a call hands on: some of its inputs. */
static const tfp_known *handed(const tfp_op *op, const tfp_call_op *call, uint32_t *count)
{
    uint32_t skip = call->first_arg < op->in_count ? call->first_arg : op->in_count;
    *count = op->in_count - skip;
    *count = *count > call->last_kept ? *count - call->last_kept : 0;
    return op->in + skip;
}

/* What holds whichever of two comes; a list that nothing was put into is like the other one. */
const tfp_held *tfp_either_held(tfp_op *op, const tfp_held *a, const tfp_held *b)
{
    bool agree;
    if (same_held(a, b)) return a;
    if (!a || !b || a->dtype != b->dtype) return NULL;
    if (a->empty != b->empty) {
        both_true(op, a->shape, b->shape, &agree);
        return !agree ? NULL : a->empty ? b : a;
    }
    tfp_held *both = TFP_NEW(op->arena, tfp_held, 1);
    if (!both) op->no_memory = true;
    if (both)
        *both = (tfp_held){ tfp_either(op, a->shape, b->shape), a->dtype, a->empty,
                            tfp_either(op, a->declared, b->declared) };
    return both;
}

/* What holds whichever of two results comes. */
static tfp_known join_known(tfp_op *op, const tfp_known *a, const tfp_known *b)
{
    tfp_known k = { .shape = tfp_either(op, a->shape, b->shape), .dtype = a->dtype ? a->dtype : b->dtype };
    k.held = tfp_either_held(op, a->held, b->held);
    if (a->elements && b->elements && same_known(a, b)) k.elements = a->elements;
    return k;
}

/* Of If and While TensorFlow believes the attribute alone. */
static bool set_told_shapes(tfp_op *op)
{
    size_t count;
    const tfp_dims *told = tfp_attr_shapes(op, "output_shapes", &count);
    for (size_t i = 0; told && i < count; i++) tfp_set(op, (uint32_t)i, told[i]);
    return told && count;
}

/* A plain call, a branch: every function once with the same arguments. false: it waits for one. */
static bool call_all(machine *m, frame *f, tfp_op *op, const tfp_body *b, const tfp_local *l, uint32_t local)
{
    uint32_t count, parent = f->instance, found = 0;
    bool started, all = true;
    const tfp_known *args = handed(op, l->call, &count);
    tfp_instance *x = &m->e->instances.at[parent];
    size_t children = x->children.size;
    for (uint32_t c = 0; c < l->call_count; c++) {
        uint32_t of = instance_of(m, (request){ b->calls.at[l->call_first + c], l->call->kind, args, count }, &started);
        if (started || m->no_memory) return m->e->instances.at[parent].children.size = children, false;
        x = &m->e->instances.at[parent];
        if (of == TFP_NONE) {
            all = false;
            continue;
        }
        add_child(m, parent, local, c, of);
        const tfp_instance *called = &m->e->instances.at[of];
        uint32_t results = m->e->program->bodies.at[called->body].result_count;
        for (uint32_t i = 0; i < op->out_count && i < results; i++)
            op->out[i] = found ? join_known(op, &op->out[i], &called->results[i]) : called->results[i];
        found++;
    }
    if (l->call->kind == TFP_CALL_PLAIN && all) return true;
    if (!all || m->e->importer) forget_outputs(op, b, l);
    if (l->call->kind != TFP_CALL_BRANCH) return true;
    for (uint32_t i = 0; i < op->out_count && m->e->importer; i++)
        op->out[i].elements = NULL, op->out[i].shape = TFP_ANY_DIMS;
    size_t told_count;
    const tfp_dims *told = tfp_attr_shapes(op, "output_shapes", &told_count);
    for (size_t i = 0; told && i < told_count; i++) also_known(op, (uint32_t)i, told[i]);
    return true;
}

/* The variables of a while loop before the first try: as they come in, and as the attribute says; in the importer as it
 * says alone. */
static tfp_known *loop_start(machine *m, frame *f, tfp_op *op)
{
    tfp_known *loop = TFP_NEW(m->e->arena, tfp_known, op->in_count + 1);
    f->told = tfp_attr_shapes(op, "output_shapes", &f->told_count);
    if (!loop) return m->no_memory = true, NULL;
    for (uint32_t i = 0; i < op->in_count; i++) {
        tfp_dims told = i < f->told_count ? f->told[i] : TFP_ANY_DIMS;
        loop[i] = op->in[i];
        if (!m->e->importer) {
            bool agree;
            loop[i].shape = both_true(op, loop[i].shape, told, &agree);
            if (!agree) loop[i].elements = NULL; /* they are of the other shape */
            continue;
        }
        loop[i].elements = NULL;
        if (f->told_count) loop[i].shape = told;
    }
    return loop;
}

/* After TRIES_MOST nothing is believed but the attribute. */
static void give_up(const frame *f, tfp_known *k, uint32_t i)
{
    *k = (tfp_known){ .shape = i < f->told_count ? f->told[i] : TFP_ANY_DIMS, .dtype = k->dtype, .held = NULL };
}

/* What a variable is when it may come in as it is tried and come back as `back`; true when that is less. */
static bool relax(const machine *m, const frame *f, tfp_op *op, uint32_t of, uint32_t i)
{
    const tfp_instance *x = &m->e->instances.at[of];
    const tfp_body *body = &m->e->bodies[x->body];
    const tfp_known *back = &x->results[i];
    tfp_known *k = &f->loop[i];
    tfp_known now = { .shape = tfp_either(op, k->shape, back->shape), .dtype = k->dtype };
    if (i < f->told_count) now.shape = both_true(op, now.shape, f->told[i], NULL);
    now.held = tfp_either_held(op, k->held, back->held);
    /* handles and constants stay what they are only if they are handed through untouched */
    if (tfp_hands_on(m->e, body, body->results[i], i)) {
        now.held = k->held;
        if (tfp_dims_equal(now.shape, k->shape)) now.elements = k->elements;
    }
    bool changed = !same_known(k, &now);
    *k = now;
    return changed;
}

/* After a loop whose iterations are known its counters are known too; the loop of its gradient counts down from them. */
static void set_counters(machine *m, tfp_op *op, uint32_t cond, uint32_t body)
{
    const tfp_instance *c = &m->e->instances.at[cond], *b = &m->e->instances.at[body];
    int64_t trips = tfp_while_trips(m->e, c, b, op->in, op->in_count);
    for (uint32_t i = 0; trips >= 0 && i < op->out_count && i < op->in_count; i++) {
        double end = tfp_while_counter(m->e, c, b, op->in, op->in_count, i, trips);
        if (isnan(end) || op->out[i].elements || tfp_elements(op->out[i].shape) != 1) continue;
        double *at = tfp_new_elements(op, i);
        if (at) *at = end;
    }
}

/* false: it waits for its body or condition. */
static bool call_while(machine *m, frame *f, tfp_op *op, const tfp_body *b, const tfp_local *l, uint32_t local)
{
    bool started;
    uint32_t parent = f->instance, count = op->in_count;
    uint32_t body = l->call_count > 1 ? b->calls.at[l->call_first + 1] : TFP_NONE;
    if (!f->loop && !(f->loop = loop_start(m, f, op))) return true;
    tfp_known *loop = f->loop;
    uint32_t of = instance_of(m, (request){ body, TFP_CALL_WHILE, loop, count }, &started);
    if (started || m->no_memory) return false;
    while (of != TFP_NONE && !m->e->importer) {
        bool changed = false;
        uint32_t results = m->e->program->bodies.at[body].result_count;
        for (uint32_t i = 0; i < count && i < results; i++) changed |= relax(m, f, op, of, i);
        if (!changed) break;
        bool last = ++f->tries > TRIES_MOST;
        for (uint32_t i = 0; last && i < count; i++) give_up(f, &loop[i], i);
        of = instance_of(m, (request){ body, TFP_CALL_WHILE, loop, count }, &started);
        if (started || m->no_memory) return false;
        if (last) break;
    }
    uint32_t cond = instance_of(m, (request){ b->calls.at[l->call_first], TFP_CALL_WHILE, loop, count }, &started);
    if (started || m->no_memory) return false;
    add_child(m, parent, local, 0, cond);
    add_child(m, parent, local, 1, of);
    for (uint32_t i = 0; i < op->out_count && i < count; i++) op->out[i] = loop[i];
    if (of == TFP_NONE || m->e->importer) {
        forget_outputs(op, b, l);
        if (!set_told_shapes(op))
            for (uint32_t i = 0; i < op->out_count && i < count; i++) tfp_set(op, i, tfp_in(op, i));
        for (uint32_t i = 0; i < op->out_count && i < count; i++)
            op->out[i].held = m->e->importer ? NULL : loop[i].held;
        return true;
    }
    for (size_t i = 0; i < f->told_count; i++) also_known(op, (uint32_t)i, f->told[i]);
    if (cond != TFP_NONE) set_counters(m, op, cond, of);
    return true;
}

/* For: a number that counts, then the variables. */
static bool call_for(machine *m, frame *f, tfp_op *op, const tfp_body *b, const tfp_local *l, uint32_t local)
{
    bool started;
    uint32_t count, parent = f->instance;
    const tfp_known *given = handed(op, l->call, &count);
    tfp_known *args = TFP_NEW(m->e->arena, tfp_known, count + 2);
    if (!args) return m->no_memory = true, true;
    args[0] = (tfp_known){ .shape = TFP_SCALAR_DIMS, .dtype = 3 };
    for (uint32_t i = 0; i < count; i++)
        args[i + 1] = (tfp_known){ .shape = TFP_ANY_DIMS, .dtype = given[i].dtype, .held = given[i].held };
    uint32_t of = instance_of(m, (request){ b->calls.at[l->call_first], TFP_CALL_FOR, args, count + 1 }, &started);
    if (of != TFP_NONE && !m->e->instances.at[of].done) return false;
    if (m->no_memory) return true;
    add_child(m, parent, local, 0, of);
    return true;
}

/* ---- one node ---- */

/* false: it waits for a function. */
static bool step(machine *m, frame *f)
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
    forget_outputs(&op, b, l);
    bool ready = true;
    if (l->call) {
        /* the inputs move when another body is looked at: they need a place of their own */
        tfp_known *in = TFP_NEW(e->arena, tfp_known, op.in_count + 1);
        if (!in) return m->no_memory = true, true;
        memcpy(in, op.in, op.in_count * sizeof *in);
        op.in = in;
        if (l->call->kind == TFP_CALL_WHILE)
            ready = call_while(m, f, &op, b, l, local);
        else if (l->call->kind == TFP_CALL_FOR)
            ready = call_for(m, f, &op, b, l, local);
        else
            ready = call_all(m, f, &op, b, l, local);
        if (!ready) return false;
        for (uint32_t i = 0; i < op.out_count; i++)
            if (!op.out[i].dtype) op.out[i].dtype = b->types.at[l->out_first + i];
    } else {
        run_rule(&op, l);
    }
    frame *now = &m->stack.at[m->stack.size - 1];
    now->loop = NULL;
    now->tries = 0;
    after_rule(m, now, &op, local);
    e->work++;
    return true;
}

/* ---- loops of TensorFlow 1: a Merge is what comes in and what comes back ---- */

/* After a pass: whether some Merge has to be less than it was. */
static bool relax_merges(machine *m, frame *f)
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
            relaxed both = { tfp_either(&op, out->shape, back->shape), tfp_either_held(&op, out->held, back->held),
                             true };
            if (f->pass >= TRIES_MOST) both = (relaxed){ TFP_ANY_DIMS, NULL, true };
            if (tfp_dims_equal(both.shape, out->shape) && same_held(both.held, out->held)) continue;
            f->relaxed[i] = both;
            changed = true;
        }
    }
    m->no_memory |= op.no_memory;
    return changed;
}

static void finish(machine *m, const frame *f)
{
    tfp_engine *e = m->e;
    tfp_instance *x = &e->instances.at[f->instance];
    const tfp_body *b = &e->bodies[x->body];
    x->results = TFP_NEW(e->arena, tfp_known, b->def->result_count + 1);
    if (x->body == 0 && e->importer) fill_run_shapes(e, x, b);
    if (!x->results) {
        m->no_memory = true;
        return;
    }
    for (uint32_t i = 0; i < b->def->result_count; i++) {
        tfp_edge edge = b->results[i];
        x->results[i] = edge.from == TFP_NONE ? nothing_known(0) : x->outs[b->locals[edge.from].out_first + edge.slot];
    }
    x->done = true;
    if (!tfp_push(&e->finished, f->instance)) m->no_memory = true;
}

static tfp_status run(machine *m, tfp_error *err)
{
    while (m->stack.size && !m->no_memory) {
        frame *f = &m->stack.at[m->stack.size - 1];
        const tfp_body *b = &m->e->bodies[m->e->instances.at[f->instance].body];
        size_t depth = m->stack.size;
        bool waits = false;
        while (f->at < b->count && !waits && !m->no_memory) {
            waits = !step(m, f);
            f = &m->stack.at[depth - 1];
            if (!waits) f->at++;
        }
        if (waits || m->no_memory) continue;
        bool again = b->loops && !m->e->importer && f->pass <= TRIES_MOST && relax_merges(m, f);
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

/* ---- the whole program: the main graph, then functions that nobody calls ---- */

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

/* The instances that calls really use: loops were tried with more than one. */
static bool mark_used(machine *m, uint32_t from, bool *seen)
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

static tfp_status work_out(machine *m, uint32_t body, bool *seen, tfp_error *err)
{
    bool started;
    uint32_t of = instance_of(m, (request){ body, TFP_CALL_PLAIN, NULL, 0 }, &started);
    if (m->no_memory) return tfp_nomem(err);
    tfp_status s = started ? run(m, err) : TFP_OK;
    if (s || of == TFP_NONE) return s;
    return mark_used(m, of, seen) ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_infer_all(tfp_engine *e, tfp_error *err)
{
    machine m = { .e = e };
    bool *called = find_called(e, err), *seen = TFP_NEW(e->arena, bool, e->program->bodies.size + 1);
    tfp_status s = called && seen ? work_out(&m, 0, seen, err) : tfp_nomem(err);
    for (int round = 0; round < 2 && !s; round++) /* those that nobody calls first, then those in circles */
        for (uint32_t i = 1; i < e->program->bodies.size && !s; i++)
            if (!seen[i] && (round || !called[i])) s = work_out(&m, i, seen, err);
    tfp_vec_free(&m.stack);
    return s;
}
