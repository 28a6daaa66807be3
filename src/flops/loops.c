/* flops/loops.c: how often loops run, where that is fixed: a counter that begins at a constant, grows by a constant and
 * is compared with a constant. Anything else is unknown: a condition on data may end a loop at any time. */
#include "flops/engine.h"

#include <math.h>

typedef struct place { /* a body as one instance has it */
    const tfp_engine *e;
    const tfp_body *b;
    const tfp_instance *x;
} place;

static place place_of(const tfp_engine *e, const tfp_instance *x) { return (place){ e, &e->bodies[x->body], x }; }

static bool op_is(const place *p, uint32_t local, const char *const *names)
{
    const tfp_program_node *n = local == TFP_NONE ? NULL : tfp_node_of(p->e, p->b, local);
    for (; n && *names; names++)
        if (tfp_str_eq(tfp_text(p->e->profile, n->op), tfp_str_of(*names))) return true;
    return false;
}

static tfp_edge input_of(const place *p, uint32_t local, uint32_t i)
{
    const tfp_local *l = &p->b->locals[local];
    return i < l->edge_count ? p->b->edges.at[l->edge_first + i] : (tfp_edge){ TFP_NONE, 0, false };
}

static const char *const passing[] = {
    "Identity", "Snapshot", "Switch", "RefSwitch", "LoopCond", "StopGradient", NULL
};

/* Back through ops that hand on what they get. */
static tfp_edge behind(const place *p, tfp_edge edge)
{
    for (uint32_t steps = 0; steps < p->b->count && op_is(p, edge.from, passing); steps++)
        edge = input_of(p, edge.from, 0);
    return edge;
}

bool tfp_hands_on(const tfp_engine *e, const tfp_body *b, tfp_edge result, uint32_t arg)
{
    place p = { e, b, NULL };
    return behind(&p, result).from == arg && arg < b->arg_count;
}

/* The one known element of a tensor; NAN when it is not known. */
static double value_at(const place *p, tfp_edge edge)
{
    if (edge.from == TFP_NONE) return NAN;
    const tfp_known *k = &p->x->outs[p->b->locals[edge.from].out_first + edge.slot];
    return k->elements && tfp_elements(k->shape) == 1 ? *k->elements : NAN;
}

/* How often a counter passes: `what` compares it with `end`. */
static int64_t passes(double start, double step, double end, bool inclusive)
{
    if (step < 0) start = -start, step = -step, end = -end;
    if (isnan(start) || isnan(end) || !(step > 0)) return TFP_UNKNOWN;
    double n = inclusive ? floor((end - start) / step) + 1 : ceil((end - start) / step);
    return !(n < 9007199254740992.0) ? TFP_UNKNOWN : n > 0 ? (int64_t)n : 0;
}

/* A counter: where it begins, and what is added each time; NAN when it is none. */
typedef struct counter {
    double start, step;
} counter;

typedef struct loop {
    place cond;
    counter (*count)(const struct loop *l, tfp_edge variable); /* of a variable as the condition sees it */
    place body;
    const tfp_known *in;
    uint32_t in_count;
} loop;

/* x + c, c + x or x - c: what is added to `variable`. */
static double added(const place *p, tfp_edge sum, tfp_edge variable)
{
    static const char *const adds[] = { "Add", "AddV2", NULL }, *const subtracts[] = { "Sub", NULL };
    sum = behind(p, sum);
    bool add = op_is(p, sum.from, adds), subtract = op_is(p, sum.from, subtracts);
    if (!add && !subtract) return NAN;
    tfp_edge a = input_of(p, sum.from, 0), b = input_of(p, sum.from, 1), from = behind(p, a);
    if (from.from == variable.from && from.slot == variable.slot) return add ? value_at(p, b) : -value_at(p, b);
    from = behind(p, b);
    return add && from.from == variable.from && from.slot == variable.slot ? value_at(p, a) : NAN;
}

static int64_t compare_passes(const loop *l, uint32_t compare, bool turned, bool inclusive)
{
    tfp_edge variable = input_of(&l->cond, compare, turned ? 1 : 0),
             bound = input_of(&l->cond, compare, turned ? 0 : 1);
    counter c = l->count(l, behind(&l->cond, variable));
    return passes(c.start, c.step, value_at(&l->cond, bound), inclusive);
}

static int64_t condition_passes(const loop *l, tfp_edge condition)
{
    static const char *const ands[] = { "LogicalAnd", NULL }, *const less[] = { "Less", NULL },
                             *const less_equal[] = { "LessEqual", NULL }, *const greater[] = { "Greater", NULL },
                             *const greater_equal[] = { "GreaterEqual", NULL };
    int64_t least = INT64_MAX;
    tfp_edge todo[16] = { condition };
    for (int count = 1; count > 0;) {
        tfp_edge at = behind(&l->cond, todo[--count]);
        int64_t n = TFP_UNKNOWN;
        if (op_is(&l->cond, at.from, ands) && count <= 14) {
            todo[count++] = input_of(&l->cond, at.from, 0);
            todo[count++] = input_of(&l->cond, at.from, 1);
            continue;
        }
        if (op_is(&l->cond, at.from, less)) n = compare_passes(l, at.from, false, false);
        if (op_is(&l->cond, at.from, less_equal)) n = compare_passes(l, at.from, false, true);
        if (op_is(&l->cond, at.from, greater)) n = compare_passes(l, at.from, true, false);
        if (op_is(&l->cond, at.from, greater_equal)) n = compare_passes(l, at.from, true, true);
        if (n < 0 && value_at(&l->cond, at) == 1) continue; /* true whatever comes */
        if (n < 0) return TFP_UNKNOWN;
        if (n < least) least = n;
    }
    return least == INT64_MAX ? TFP_UNKNOWN : least;
}

/* ---- While: the counter is an argument of both functions ---- */

static counter argument_counter(const loop *l, tfp_edge variable)
{
    counter none = { NAN, NAN };
    uint32_t i = variable.from;
    if (i >= l->cond.b->arg_count || i >= l->in_count || i >= l->body.b->def->result_count) return none;
    const tfp_known *k = &l->in[i];
    if (!k->elements || tfp_elements(k->shape) != 1) return none;
    return (counter){ *k->elements, added(&l->body, l->body.b->results[i], variable) };
}

int64_t tfp_while_trips(const tfp_engine *e, const tfp_instance *cond, const tfp_instance *body, const tfp_known *in,
                        uint32_t count)
{
    loop l = { place_of(e, cond), argument_counter, place_of(e, body), in, count };
    return l.cond.b->def->result_count ? condition_passes(&l, l.cond.b->results[0]) : TFP_UNKNOWN;
}

double tfp_while_counter(const tfp_engine *e, const tfp_instance *cond, const tfp_instance *body, const tfp_known *in,
                         uint32_t count, uint32_t i, int64_t trips)
{
    loop l = { place_of(e, cond), argument_counter, place_of(e, body), in, count };
    counter c = argument_counter(&l, (tfp_edge){ i, 0, false });
    return c.start + c.step * (double)trips;
}

/* ---- loops of TensorFlow 1: the counter is a Merge of what enters and what comes back ---- */

static counter merge_counter(const loop *l, tfp_edge variable)
{
    static const char *const merges[] = { "Merge", "RefMerge", NULL }, *const enters[] = { "Enter", "RefEnter", NULL };
    counter c = { NAN, NAN };
    if (!op_is(&l->cond, variable.from, merges)) return c;
    for (uint32_t i = 0; i < 2; i++) {
        tfp_edge in = input_of(&l->cond, variable.from, i);
        if (in.back)
            c.step = added(&l->cond, input_of(&l->cond, in.from, 0), variable);
        else if (op_is(&l->cond, in.from, enters))
            c.start = value_at(&l->cond, input_of(&l->cond, in.from, 0));
    }
    return c;
}

typedef struct frames {       /* of a body: number 0 is the body itself */
    TFP_VEC(tfp_strid) names; /* ids of frame_name */
    TFP_VEC(uint32_t) parents;
    TFP_VEC(int64_t) runs; /* iterations, times those of the frames around it */
    uint32_t *of;          /* per local */
    tfp_map64 by_name;     /* hash of the name -> number */
} frames;

static uint32_t frame_named(frames *fs, tfp_str name, uint32_t parent, bool *no_memory)
{
    uint64_t key = tfp_hash(name.data, name.size);
    uint32_t at = tfp_map64_get(&fs->by_name, key);
    if (at != TFP_NONE) return at;
    if (!tfp_push(&fs->names, 0) || !tfp_push(&fs->parents, parent) || !tfp_push(&fs->runs, 1) ||
        !tfp_map64_put(&fs->by_name, key, (uint32_t)fs->names.size - 1)) {
        *no_memory = true;
        return 0;
    }
    return (uint32_t)fs->names.size - 1;
}

static void find_frames(tfp_engine *e, const place *p, frames *fs, bool *no_memory)
{
    static const char *const enters[] = { "Enter", "RefEnter", NULL }, *const exits[] = { "Exit", "RefExit", NULL };
    for (uint32_t k = 0; k < p->b->count && !*no_memory; k++) {
        uint32_t local = p->b->order[k];
        const tfp_local *l = &p->b->locals[local];
        uint32_t frame = 0;
        for (uint32_t i = 0; i < l->edge_count; i++) { /* an input from outside of a loop may stand first */
            tfp_edge in = input_of(p, local, i);
            if (in.from != TFP_NONE && !in.back && fs->of[in.from] > frame) frame = fs->of[in.from];
        }
        if (op_is(p, local, enters)) {
            tfp_op op;
            if (!tfp_op_of(e, p->b, p->x, local, &op))
                *no_memory = true;
            else
                frame = frame_named(fs, tfp_attr_text(&op, "frame_name", ""), frame, no_memory);
        } else if (op_is(p, local, exits) && frame < fs->parents.size) {
            frame = fs->parents.at[frame];
        }
        fs->of[local] = frame;
    }
}

int64_t *tfp_loop_runs(tfp_engine *e, const tfp_body *b, const tfp_instance *x, bool *unknown, bool *no_memory)
{
    static const char *const conditions[] = { "LoopCond", NULL };
    if (!b->loops) return NULL;
    place p = { e, b, x };
    frames fs = { .of = calloc((size_t)b->count + 1, sizeof *fs.of) };
    int64_t *runs = TFP_NEW(e->arena, int64_t, b->count + 1);
    if (!fs.of || !runs || !tfp_push(&fs.names, 0) || !tfp_push(&fs.parents, 0) || !tfp_push(&fs.runs, 1))
        *no_memory = true;
    if (!*no_memory) find_frames(e, &p, &fs, no_memory);
    loop l = { p, merge_counter, p, NULL, 0 };
    for (uint32_t i = b->arg_count; i < b->count && !*no_memory; i++) {
        if (!op_is(&p, i, conditions) || !fs.of[i]) continue;
        int64_t trips = condition_passes(&l, (tfp_edge){ i, 0, false });
        *unknown |= trips < 0;
        if (trips >= 0) fs.runs.at[fs.of[i]] = trips;
    }
    for (size_t i = 1; i < fs.runs.size && !*no_memory; i++) { /* frames around come first */
        int64_t all = fs.parents.at[i] < i ? tfp_times(fs.runs.at[i], fs.runs.at[fs.parents.at[i]]) : fs.runs.at[i];
        fs.runs.at[i] = all < 0 ? 1 : all;
    }
    for (uint32_t i = 0; i < b->count && !*no_memory; i++) runs[i] = fs.runs.at[fs.of[i]];
    tfp_vec_free(&fs.names);
    tfp_vec_free(&fs.parents);
    tfp_vec_free(&fs.runs);
    tfp_map64_free(&fs.by_name);
    free(fs.of);
    return runs;
}
