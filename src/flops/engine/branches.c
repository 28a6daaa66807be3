// SPDX-License-Identifier: Apache-2.0
/* flops/engine/branches.c: TensorFlow 1's conditions (tf.cond): a Switch sends its input to one of two branches, a
 * Merge joins both. Each node has a place: the branches on which it lies, from the outermost to the innermost. Of the
 * two branches of a predicate at one place the one with more float operations counts; the nodes of the other run 0
 * times. */
#include "flops/engine/engine.h"
#include "model/tables/read.h"

#include <math.h>

typedef struct branch {
    uint32_t parent;    /* index in branches; branch 0 is the body itself */
    uint32_t predicate; /* the local that tells which branch is taken */
    uint32_t side;
    uint32_t depth;
    int64_t flops; /* of the nodes on it and on the branches inside that count */
    int64_t times; /* how often it runs when it is taken: iterations of the body of a loop in ONNX */
    int64_t runs;  /* of one run of the body; 0: it is not taken */
    bool taken;
} branch;

typedef struct conditions {
    const tfp_engine *e;
    const tfp_body *b;
    const tfp_instance *instance;
    TFP_VEC(branch) branches;
    tfp_map64 branch_of; /* parent << 32 | predicate << 1 | side -> index in branches */
    tfp_map64 named;     /* name -> local, for control inputs */
    uint32_t *place;     /* per local: index in branches */
    uint32_t at;         /* the local at hand */
    bool no_memory;
} conditions;

enum { DEPTH_MAX = 256 }; /* of nested conditions */

static bool op_is(const conditions *x, uint32_t local, const char *names)
{
    const tfp_program_node *n = local == TFP_NONE ? NULL : tfp_node_of(x->e, x->b, local);
    return n && tfp_is_word(tfp_text(x->e->profile, n->op), names);
}

static tfp_edge input_of(const conditions *x, uint32_t local, uint32_t i)
{
    const tfp_local *l = &x->b->locals[local];
    return i < l->edge_count ? x->b->edges.at[l->edge_first + i] : (tfp_edge){ TFP_NONE, 0, false };
}

/* Whether a Switch belongs to a condition: that of a loop has its LoopCond as predicate. */
static bool is_switch(const conditions *x, uint32_t local)
{
    if (!op_is(x, local, "Switch RefSwitch")) return false;
    tfp_edge predicate = input_of(x, local, 1);
    return predicate.from != TFP_NONE && !op_is(x, predicate.from, "LoopCond");
}

static uint32_t branch_from(conditions *x, uint32_t parent, uint32_t predicate, uint32_t side)
{
    uint64_t key = (uint64_t)parent << 33 | (uint64_t)predicate << 1 | side;
    uint32_t at = tfp_map64_get(&x->branch_of, key);
    if (at != TFP_NONE || x->branches.at[parent].depth >= DEPTH_MAX) return at == TFP_NONE ? parent : at;
    at = (uint32_t)x->branches.size;
    branch w = {
        .parent = parent, .predicate = predicate, .side = side, .depth = x->branches.at[parent].depth + 1, .times = 1
    };
    x->no_memory |= !tfp_push(&x->branches, w) || !tfp_map64_put(&x->branch_of, key, at);
    return x->no_memory ? parent : at;
}

/* The branch that an input comes on. */
static uint32_t branch_of_edge(conditions *x, tfp_edge edge)
{
    if (edge.from == TFP_NONE || edge.back) return 0;
    uint32_t at = x->place[edge.from];
    if (!is_switch(x, edge.from) || edge.slot > 1) return at;
    for (uint32_t up = at; up; up = x->branches.at[up].parent) /* the same predicate again: already decided */
        if (x->branches.at[up].predicate == tfp_origin(x->b, input_of(x, edge.from, 1)).from) return at;
    return branch_from(x, at, tfp_origin(x->b, input_of(x, edge.from, 1)).from, edge.slot);
}

/* The innermost branch that two places share. */
static uint32_t shared(const conditions *x, uint32_t a, uint32_t b)
{
    while (a != b) {
        uint32_t *deeper = x->branches.at[a].depth >= x->branches.at[b].depth ? &a : &b;
        *deeper = x->branches.at[*deeper].parent;
    }
    return a;
}

static void place_node(conditions *x, uint32_t local)
{
    const tfp_local *l = &x->b->locals[local];
    const tfp_program_node *n = tfp_node_of(x->e, x->b, local);
    bool merge = l->rules->merge, any = false;
    uint32_t at = 0;
    for (uint32_t i = 0; i < l->edge_count && !x->no_memory; i++) {
        tfp_edge edge = input_of(x, local, i);
        if (edge.back) continue;
        uint32_t from = branch_of_edge(x, edge);
        if (merge && any)
            at = shared(x, at, from);
        else if (!any || x->branches.at[from].depth > x->branches.at[at].depth)
            at = from;
        any = true;
    }
    for (uint32_t i = 0; n && !merge && i < n->input_count; i++) { /* constants of a branch wait for its pivot */
        const tfp_program_input *in = &x->e->program->inputs.at[n->input_first + i];
        uint32_t from = in->control ? tfp_map64_get(&x->named, in->source) : TFP_NONE;
        if (from != TFP_NONE && x->branches.at[x->place[from]].depth > x->branches.at[at].depth) at = x->place[from];
    }
    x->place[local] = at;
}

/* Adds up the branches from the innermost, and takes one of each pair. */
static void take_branches(conditions *x)
{
    for (uint32_t i = (uint32_t)x->branches.size; i-- > 1;) { /* a branch is made after its parent */
        const branch *w = &x->branches.at[i];
        uint64_t key = (uint64_t)w->parent << 33 | (uint64_t)w->predicate << 1 | !w->side;
        uint32_t other = tfp_map64_get(&x->branch_of, key);
        if (other != TFP_NONE && other < i)
            continue; /* decided with the other one, when all branches in it are added */
        int64_t rival = other == TFP_NONE ? 0 : x->branches.at[other].flops;
        bool more = other == TFP_NONE || w->flops >= rival;
        x->branches.at[i].taken = more;
        if (other != TFP_NONE) x->branches.at[other].taken = !more;
        branch *parent = &x->branches.at[w->parent];
        parent->flops = tfp_add(parent->flops, tfp_mul(more ? w->flops : rival, w->times, NULL), NULL);
    }
}

/* ---- bodies of nodes in ONNX (formats/onnx/maker.h) ---- */

static const tfp_program_attr *attr_of(const conditions *x, uint32_t local, const char *name)
{
    const tfp_program_node *n = tfp_node_of(x->e, x->b, local);
    return n ? tfp_program_attr_find(x->e->profile, x->e->program, n, name) : NULL;
}

static int64_t number_of(const conditions *x, uint32_t local, const char *name)
{
    const tfp_program_attr *a = attr_of(x, local, name);
    return a && a->kind == TFP_ATTR_INT ? a->number : -1;
}

/* The node whose body a node is in; TFP_NONE: it is in none. */
static uint32_t owner_of(const conditions *x, uint32_t local)
{
    const tfp_program_attr *a = attr_of(x, local, "_in");
    tfp_strid name = a && a->kind == TFP_ATTR_TEXT ? tfp_strtab_find(tfp_strings_of(x->e->profile), a->text) : TFP_NONE;
    return name == TFP_NONE ? TFP_NONE : tfp_map64_get(&x->named, name);
}

static const tfp_known *known_of(const conditions *x, tfp_edge edge)
{
    return edge.from == TFP_NONE ? NULL : &x->instance->outs[x->b->locals[edge.from].out_first + edge.slot];
}

static double value_of(const conditions *x, tfp_edge edge)
{
    const tfp_known *k = known_of(x, edge);
    return k && k->elements && tfp_elements(k->shape) == 1 ? *k->elements : NAN;
}

/* A Loop runs as often as its number says, when its condition always holds; a Scan once for each element. */
static int64_t trips_of(const conditions *x, uint32_t owner)
{
    int64_t first = number_of(x, owner, "_results");
    if (first < 1) return TFP_UNKNOWN;
    if (op_is(x, owner, "Loop")) {
        double most = value_of(x, input_of(x, owner, 0)), starts = value_of(x, input_of(x, owner, 1));
        bool given = input_of(x, owner, 1).from != TFP_NONE;
        if (given && starts == 0) return 0;
        bool always = value_of(x, input_of(x, owner, (uint32_t)first)) == 1 && (!given || starts == 1);
        return always && most >= 0 && most < 9007199254740992.0 ? (int64_t)most : TFP_UNKNOWN;
    }
    int64_t scans = number_of(x, owner, "num_scan_inputs");
    const tfp_program_attr *axes = attr_of(x, owner, "scan_input_axes");
    if (scans < 1 || scans > first) return TFP_UNKNOWN;
    const tfp_known *in = known_of(x, input_of(x, owner, (uint32_t)(first - scans)));
    int64_t axis = axes && axes->kind == TFP_ATTR_LIST && axes->list->number_count ? axes->list->numbers[0] : 0;
    return in && axis >= -in->shape.rank && axis < in->shape.rank ? tfp_dim(in->shape, (int)axis) : TFP_UNKNOWN;
}

static void place_in_body(conditions *x, uint32_t local, bool *unknown)
{
    uint32_t chain[DEPTH_MAX];
    size_t depth = 0;
    for (uint32_t owner; depth < DEPTH_MAX && (owner = owner_of(x, local)) != TFP_NONE; local = owner)
        chain[depth++] = local;
    uint32_t at = 0;
    for (; depth && !x->no_memory; depth--) {
        uint32_t owner = owner_of(x, chain[depth - 1]);
        size_t before = x->branches.size;
        at = branch_from(x, at, owner, (uint32_t)(number_of(x, chain[depth - 1], "_way") > 0));
        if (x->branches.size == before || op_is(x, owner, "If")) continue;
        int64_t trips = trips_of(x, owner);
        x->branches.at[at].times = trips < 0 ? 1 : trips;
        unknown[owner] = trips < 0;
    }
    x->place[x->at] = at;
}

bool tfp_branch_runs(tfp_engine *e, const tfp_instance *instance, const int64_t *flops, tfp_loop_counts *counts)
{
    const tfp_body *b = &e->bodies[instance->body];
    bool onnx = e->program->onnx;
    conditions x = { .e = e, .b = b, .instance = instance, .place = calloc((size_t)b->count + 1, sizeof *x.place) };
    x.no_memory = !x.place || !tfp_push(&x.branches, ((branch){ .taken = true, .predicate = TFP_NONE, .runs = 1 }));
    if (!counts->runs && !x.no_memory) {
        counts->runs = TFP_NEW(e->arena, int64_t, b->count + 1);
        x.no_memory = !counts->runs;
        for (uint32_t i = 0; i < b->count && !x.no_memory; i++) counts->runs[i] = 1;
    }
    for (uint32_t i = b->arg_count; i < b->count && !x.no_memory; i++)
        x.no_memory = !tfp_map64_put(&x.named, tfp_node_of(e, b, i)->name, i);
    if (onnx && !x.no_memory) {
        bool *unknown = TFP_NEW(e->arena, bool, b->count + 1);
        x.no_memory = !unknown;
        for (x.at = 0; x.at < b->count && !x.no_memory; x.at++) place_in_body(&x, x.at, unknown);
        counts->unknown = unknown;
    }
    for (uint32_t k = 0; k < b->count && !x.no_memory && !onnx; k++) place_node(&x, b->order[k]);
    for (uint32_t i = 0; i < b->count && !x.no_memory; i++) {
        int64_t n = tfp_mul(flops[i] > 0 ? flops[i] : 0, counts->runs[i], NULL);
        x.branches.at[x.place[i]].flops = tfp_add(x.branches.at[x.place[i]].flops, n, NULL);
    }
    if (!x.no_memory) take_branches(&x);
    for (uint32_t i = 1; i < x.branches.size && !x.no_memory; i++) {
        branch *w = &x.branches.at[i];
        w->runs = w->taken ? tfp_mul(x.branches.at[w->parent].runs, w->times, NULL) : 0;
    }
    for (uint32_t i = 0; i < b->count && !x.no_memory; i++)
        counts->runs[i] = tfp_mul(counts->runs[i], x.branches.at[x.place[i]].runs, NULL);
    free(x.place);
    tfp_vec_free(&x.branches);
    tfp_map64_free(&x.branch_of);
    tfp_map64_free(&x.named);
    return !x.no_memory;
}

bool tfp_has_branches(const tfp_engine *e, const tfp_body *b)
{
    conditions x = { .e = e, .b = b };
    for (uint32_t i = b->arg_count; i < b->count; i++)
        if (e->program->onnx ? op_is(&x, i, "If Loop Scan") : is_switch(&x, i)) return true;
    return false;
}
