// SPDX-License-Identifier: Apache-2.0
/* flops/engine/loops.c: the number of iterations of loops, if it is fixed: a counter starts at a constant, grows by a
 * constant and is compared with a constant. Otherwise the number is unknown, because a condition on data may end a loop
 * at any time. */
#include "flops/engine/engine.h"
#include "model/tables/read.h"

#include <math.h>

typedef struct place { /* a body and one instance of it */
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

static tfp_edge behind(const place *p, tfp_edge edge) { return tfp_origin(p->b, edge); }

/* The value of a tensor of one known element; NAN when it is not known. */
static double value_at(const place *p, tfp_edge edge)
{
    if (edge.from == TFP_NONE) return NAN;
    const tfp_known *k = &p->x->outs[p->b->locals[edge.from].out_first + edge.slot];
    return k->elements && tfp_elements(k->shape) == 1 ? *k->elements : NAN;
}

/* The number of iterations for which the counter passes the comparison with `end`. */
static int64_t passes(double start, double step, double end, bool inclusive)
{
    if (step < 0) start = -start, step = -step, end = -end;
    if (isnan(start) || isnan(end) || !(step > 0)) return TFP_UNKNOWN;
    double n = inclusive ? floor((end - start) / step) + 1 : ceil((end - start) / step);
    return !(n < 9007199254740992.0) ? TFP_UNKNOWN : n > 0 ? (int64_t)n : 0;
}

/* A counter: its start and its increment; NAN when the variable is no counter. */
typedef struct counter {
    double start, step;
} counter;

typedef struct loop {
    place cond;
    counter (*count)(const struct loop *l, tfp_edge variable); /* of a variable, as the condition reads it */
    place body;
    const tfp_known *in;
    uint32_t in_count;
    const double *exits; /* per local, for TF1 loops: the value that leaves a loop there; NULL in a While */
} loop;

static const char *const merges[] = { "Merge", "RefMerge", NULL }, *const enters[] = { "Enter", "RefEnter", NULL },
                         *const exits[] = { "Exit", "RefExit", NULL }, *const conditions[] = { "LoopCond", NULL };

/* The value that enters a loop at a Merge, if iterations pass it on unchanged. */
static tfp_edge handed_around(const place *p, uint32_t merge)
{
    tfp_edge enter = { TFP_NONE, 0, false };
    bool same = false;
    for (uint32_t i = 0; i < 2; i++) {
        tfp_edge in = input_of(p, merge, i);
        if (in.back)
            same = behind(p, input_of(p, in.from, 0)).from == merge;
        else
            enter = in;
    }
    return same ? enter : (tfp_edge){ TFP_NONE, 0, false };
}

#define DEPTH_MAX 64 /* nested loops, and conditions; anything deeper is unknown */

/* As value_at; in TF1 loops it also follows values that come from outside the loop or from another loop. */
static double value_of(const loop *l, const place *p, tfp_edge edge)
{
    for (int steps = 0; steps < DEPTH_MAX; steps++) {
        double v = value_at(p, edge);
        if (!isnan(v) || edge.from == TFP_NONE || !l->exits) return v;
        edge = behind(p, edge);
        if (op_is(p, edge.from, exits)) return l->exits[edge.from];
        if (op_is(p, edge.from, merges))
            edge = handed_around(p, edge.from);
        else if (op_is(p, edge.from, enters))
            edge = input_of(p, edge.from, 0);
        else
            return edge.from == TFP_NONE ? NAN : value_at(p, edge);
    }
    return NAN;
}

/* For x + c, c + x or x - c: the constant that is added to `variable`. */
static double added(const loop *l, const place *p, tfp_edge sum, tfp_edge variable)
{
    static const char *const adds[] = { "Add", "AddV2", NULL }, *const subtracts[] = { "Sub", NULL };
    sum = behind(p, sum);
    bool add = op_is(p, sum.from, adds), subtract = op_is(p, sum.from, subtracts);
    if (!add && !subtract) return NAN;
    tfp_edge a = input_of(p, sum.from, 0), b = input_of(p, sum.from, 1), from = behind(p, a);
    if (from.from == variable.from && from.slot == variable.slot) return add ? value_of(l, p, b) : -value_of(l, p, b);
    from = behind(p, b);
    return add && from.from == variable.from && from.slot == variable.slot ? value_of(l, p, a) : NAN;
}

typedef struct comparison {
    const char *const op[2];
    bool inclusive;
    bool falls; /* the loop ends when the first input becomes small enough */
} comparison;

static const comparison comparisons[] = { { { "Less", NULL }, false, false },
                                          { { "LessEqual", NULL }, true, false },
                                          { { "Greater", NULL }, false, true },
                                          { { "GreaterEqual", NULL }, true, true } };

static int64_t compare_passes(const loop *l, uint32_t compare, const comparison *how)
{
    for (uint32_t side = 0; side < 2; side++) { /* the side of the comparison with the counter */
        counter c = l->count(l, behind(&l->cond, input_of(&l->cond, compare, side)));
        bool falls = how->falls != (side == 1);
        if (!isnan(c.start) && (falls ? c.step < 0 : c.step > 0))
            return passes(c.start, c.step, value_of(l, &l->cond, input_of(&l->cond, compare, 1 - side)),
                          how->inclusive);
    }
    return TFP_UNKNOWN;
}

static int64_t condition_passes(const loop *l, tfp_edge condition)
{
    static const char *const ands[] = { "LogicalAnd", NULL };
    int64_t least = INT64_MAX;
    tfp_edge todo[16] = { condition };
    for (int count = 1, looks = 0; count > 0; looks++) {
        if (looks == DEPTH_MAX) return TFP_UNKNOWN;
        tfp_edge at = behind(&l->cond, todo[--count]);
        int64_t n = TFP_UNKNOWN;
        if (op_is(&l->cond, at.from, ands) && count <= 14) {
            todo[count++] = input_of(&l->cond, at.from, 0);
            todo[count++] = input_of(&l->cond, at.from, 1);
            continue;
        }
        for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons && n < 0; i++)
            if (op_is(&l->cond, at.from, comparisons[i].op)) n = compare_passes(l, at.from, &comparisons[i]);
        if (n < 0 && value_of(l, &l->cond, at) == 1) continue; /* always true */
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
    return (counter){ *k->elements, added(l, &l->body, l->body.b->results[i], variable) };
}

int64_t tfp_while_trips(const tfp_engine *e, const tfp_while *w)
{
    loop l = { place_of(e, w->cond), argument_counter, place_of(e, w->body), w->in, w->count, NULL };
    return l.cond.b->def->result_count ? condition_passes(&l, l.cond.b->results[0]) : TFP_UNKNOWN;
}

double tfp_while_counter(const tfp_engine *e, const tfp_while *w, uint32_t i, int64_t trips)
{
    loop l = { place_of(e, w->cond), argument_counter, place_of(e, w->body), w->in, w->count, NULL };
    counter c = argument_counter(&l, (tfp_edge){ i, 0, false });
    return c.start + c.step * (double)trips;
}

/* ---- TF1 loops: the counter is a Merge of the value that enters and the one that comes back ---- */

static counter merge_counter(const loop *l, tfp_edge variable)
{
    counter c = { NAN, NAN };
    if (!op_is(&l->cond, variable.from, merges)) return c;
    for (uint32_t i = 0; i < 2; i++) {
        tfp_edge in = input_of(&l->cond, variable.from, i);
        if (in.back)
            c.step = added(l, &l->cond, input_of(&l->cond, in.from, 0), variable);
        else if (op_is(&l->cond, in.from, enters))
            c.start = value_of(l, &l->cond, input_of(&l->cond, in.from, 0));
    }
    return c;
}

typedef struct frames {       /* frames of a body; frame 0 is the body itself */
    TFP_VEC(tfp_strid) names; /* ids of the attribute frame_name */
    TFP_VEC(uint32_t) parents;
    TFP_VEC(int64_t) trips; /* iterations; TFP_UNKNOWN */
    uint32_t *of;           /* per local */
    int64_t *runs;          /* per frame: executions of a node in it */
    tfp_map64 by_name;      /* hash of the name -> frame */
} frames;

static uint32_t frame_named(frames *fs, tfp_str name, uint32_t parent, bool *no_memory)
{
    uint64_t key = tfp_hash(name.data, name.size);
    uint32_t at = tfp_map64_get(&fs->by_name, key);
    if (at != TFP_NONE) {
        if (!fs->parents.at[at] && parent != at)
            fs->parents.at[at] = parent; /* constants have no frame of their own, and so appear to come from outside */
        return at;
    }
    if (!tfp_push(&fs->names, 0) || !tfp_push(&fs->parents, parent) || !tfp_push(&fs->trips, TFP_UNKNOWN) ||
        !tfp_map64_put(&fs->by_name, key, (uint32_t)fs->names.size - 1)) {
        *no_memory = true;
        return 0;
    }
    return (uint32_t)fs->names.size - 1;
}

static void find_frames(tfp_engine *e, const place *p, frames *fs, bool *no_memory)
{
    for (uint32_t k = 0; k < p->b->count && !*no_memory; k++) {
        uint32_t local = p->b->order[k];
        const tfp_local *l = &p->b->locals[local];
        uint32_t frame = 0;
        for (uint32_t i = 0; i < l->edge_count; i++) { /* the first input may come from outside the loop */
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

/* Goes through loops in the order in which they run: the final value of one loop's counter may start another's. */
static void find_trips(const loop *l, frames *fs, double *left)
{
    const place *p = &l->cond;
    for (uint32_t k = 0; k < p->b->count; k++) {
        uint32_t local = p->b->order[k], frame = fs->of[local];
        left[local] = NAN;
        if (op_is(p, local, conditions) && frame) {
            fs->trips.at[frame] = condition_passes(l, (tfp_edge){ local, 0, false });
        } else if (op_is(p, local, exits)) {
            tfp_edge variable = behind(p, input_of(p, local, 0));
            int64_t trips = variable.from == TFP_NONE ? TFP_UNKNOWN : fs->trips.at[fs->of[variable.from]];
            if (trips < 0 || !fs->of[variable.from]) continue;
            counter c = merge_counter(l, variable);
            left[local] = c.start + c.step * (double)trips;
        }
    }
}

/* Runs of nodes in a frame: the product of the iterations of all loops around it, where an unknown number counts
 * once. */
static bool find_runs(frames *fs)
{
    enum { UNSET = -2, LOOKED_AT = -3 };
    size_t count = fs->parents.size;
    uint32_t *path = calloc(count, sizeof *path);
    fs->runs = malloc(count * sizeof *fs->runs);
    bool ok = path && fs->runs;
    for (size_t i = 0; ok && i < count; i++) fs->runs[i] = i ? UNSET : 1;
    for (uint32_t i = 1; ok && i < count; i++) {
        uint32_t at = i, depth = 0;
        for (; fs->runs[at] == UNSET; at = fs->parents.at[at]) fs->runs[path[depth++] = at] = LOOKED_AT;
        int64_t runs = fs->runs[at] == LOOKED_AT ? 1 : fs->runs[at]; /* cyclic frames: a broken file */
        while (depth) {
            int64_t trips = fs->trips.at[path[--depth]];
            fs->runs[path[depth]] = runs = tfp_mul(runs, trips < 0 ? 1 : trips, NULL);
        }
    }
    free(path);
    return ok;
}

bool tfp_loop_runs(tfp_engine *e, const tfp_body *b, const tfp_instance *x, tfp_loop_counts *out)
{
    *out = (tfp_loop_counts){ NULL, NULL };
    if (!b->loops) return true;
    place p = { e, b, x };
    bool no_memory = false;
    frames fs = { .of = calloc((size_t)b->count + 1, sizeof *fs.of) };
    double *left = calloc((size_t)b->count + 1, sizeof *left);
    out->runs = TFP_NEW(e->arena, int64_t, b->count + 1);
    out->unknown = TFP_NEW(e->arena, bool, b->count + 1);
    if (!fs.of || !left || !out->runs || !out->unknown || !tfp_push(&fs.names, 0) || !tfp_push(&fs.parents, 0) ||
        !tfp_push(&fs.trips, 1))
        no_memory = true;
    if (!no_memory) find_frames(e, &p, &fs, &no_memory);
    loop l = { p, merge_counter, p, NULL, 0, left };
    if (!no_memory) find_trips(&l, &fs, left);
    if (!no_memory && !find_runs(&fs)) no_memory = true;
    for (uint32_t i = 0; i < b->count && !no_memory; i++) {
        out->runs[i] = fs.runs[fs.of[i]];
        out->unknown[i] = op_is(&p, i, conditions) && fs.trips.at[fs.of[i]] < 0;
    }
    tfp_vec_free(&fs.names);
    tfp_vec_free(&fs.parents);
    tfp_vec_free(&fs.trips);
    tfp_map64_free(&fs.by_name);
    free(fs.of);
    free(fs.runs);
    free(left);
    return !no_memory;
}
