// SPDX-License-Identifier: Apache-2.0
/* views/flops/coverage.c: what share of a model's work is counted, and which assumption would increase it. Work without a
 * count is estimated: as the mean of its op type if others of the type have a count, otherwise as one float operation per
 * output element. Products and convolutions are most of the work of any model that has some; if such an op has no shape,
 * nothing tells how much it is, so the coverage is unknown. */
#include "model/tables/read.h"
#include "options/options.h"
#include "query/groups.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/flops/flops.h"

#include <stdio.h>

typedef struct type_work { /* of one operation type */
    tfp_strid op;
    int64_t flops, nodes;  /* nodes: number of those with a count */
    int64_t missing, runs; /* missing: number of those without; runs: how often these run */
    int64_t unknown;       /* of these, those without a formula */
    int64_t elements;      /* elements of their outputs, if their shapes are known */
    bool shapes;           /* whether all their output shapes are known */
} type_work;

typedef struct coverage {
    tfp_groups types; /* type_work by op */
    double known, estimated;
    int64_t loops;         /* loops of TensorFlow 1 with an unknown number of iterations */
    const type_work *bulk; /* the type of products that most often lacks shapes */
    tfp_left_out left;     /* work without a count */
} coverage;

static bool is_call(tfp_str op) { return tfp_str_has(op, TFP_STR("Call")) || tfp_str_has(op, TFP_STR("While")); }

static int64_t output_elements(const tfp_node_flops *n)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < n->out_count; i++) sum = tfp_plus(sum, tfp_elements(n->outs[i].shape));
    return sum;
}

static type_work *type_of(coverage *c, tfp_strid op)
{
    type_work *t = TFP_GROUP(&c->types, op);
    if (c->types.added) *t = (type_work){ .op = op, .shapes = true };
    return t;
}

static void add_node(const tfp_flops_table *w, coverage *c, uint32_t node)
{
    tfp_own_count own = tfp_flops_own(w, node);
    int64_t runs = tfp_flops_runs(w, node), flops = tfp_flops_sums(w, node).flops, elements;
    type_work *t = tfp_flops_reached(w, node) ? type_of(c, w->g->nodes.at[node].op) : NULL;
    if (!t) return;
    c->loops += w->f->nodes[node].trips < 0 && tfp_str_eq(tfp_text(w->p, t->op), TFP_STR("LoopCond"));
    if (own.state == TFP_COUNTED) {
        t->flops = tfp_add(t->flops, flops, NULL);
        t->nodes = tfp_add(t->nodes, runs, NULL);
        /* a loop whose number of iterations is unknown, and counted as 1, runs at least twice */
        if (w->f->nodes[node].trips < 0) c->estimated += (double)w->f->nodes[node].all.flops * (double)runs;
        return;
    }
    if (runs <= 0) runs = 1; /* for what it lacks, a branch may count nothing */
    elements = output_elements(&w->f->nodes[node]);
    t->missing++;
    t->unknown += own.state == TFP_NO_FORMULA && w->source == TFP_FLOPS_OWN;
    c->known += (double)flops; /* calls whose count is known */
    t->runs = tfp_add(t->runs, runs, NULL);
    t->shapes &= elements >= 0;
    if (elements > 0) t->elements = tfp_add(t->elements, tfp_mul(elements, runs, NULL), NULL);
}

static void add_type(const tfp_flops_table *w, coverage *c, const type_work *t)
{
    tfp_str op = tfp_text(w->p, t->op);
    c->known += (double)t->flops;
    if (!t->missing) return;
    if (tfp_is_left_out(op, !t->unknown)) {
        tfp_left_out_add(&c->left, op);
        c->left.ops += t->missing - 1;
    }
    if (t->nodes && !is_call(op)) /* other calls tell nothing about a call without a count, because functions differ */
        c->estimated += (double)t->flops / (double)t->nodes * (double)t->runs;
    else if (tfp_is_left_out(op, true) && (!c->bulk || t->missing > c->bulk->missing))
        c->bulk = t;
    else
        c->estimated += (double)t->elements;
}

static bool measure(const tfp_flops_table *w, coverage *c)
{
    for (uint32_t i = 0; i < w->g->nodes.size; i++) add_node(w, c, i);
    for (size_t i = 0; i < c->types.count; i++) add_type(w, c, (type_work *)c->types.rows + i);
    return !c->types.failed;
}

/* ---- what brings input whose shape is open ---- */

typedef struct inputs {
    int64_t batch, others; /* number that lack only the first dimension, and number that lack more */
    uint32_t first;        /* the first one of the latter */
} inputs;

static inputs find_inputs(const tfp_flops_table *w)
{
    inputs x = { .first = TFP_NONE };
    const tfp_program_body *b = &w->g->bodies.at[0];
    for (uint32_t i = b->node_first; i < b->node_first + b->node_count; i++) {
        const tfp_node_flops *n = &w->f->nodes[i];
        bool brings = tfp_brings_input(tfp_text(w->p, w->g->nodes.at[i].op));
        if (!brings || !n->needed || !n->out_count || tfp_dims_known(n->outs[0].shape)) continue;
        tfp_dims d = n->outs[0].shape;
        bool rest = d.rank > 0;
        for (int k = 1; k < d.rank; k++) rest &= d.at[k] >= 0;
        if (rest) {
            x.batch++;
        } else if (x.others++ == 0) {
            x.first = i;
        }
    }
    return x;
}

/* Adds a hint. False: out of memory. */
static bool put_hint(const tfp_flops_table *w, const inputs *x, char *out, size_t size)
{
    bool ok = true;
    *out = 0;
    if (x->others) {
        tfp_str name = tfp_text(w->p, w->g->nodes.at[x->first].name);
        tfp_buf shape = { 0 };
        tfp_flops_shape_text(&shape, w->f->nodes[x->first].outs[0].shape);
        snprintf(out, size, "add --assume-shape %.*s=... (%.*s in the graph)", name.size < 100 ? (int)name.size : 100,
                 name.data, shape.size < 60 ? (int)shape.size : 60, shape.data ? shape.data : "");
        ok = !shape.failed;
        tfp_buf_free(&shape);
    } else if (x->batch) {
        snprintf(out, size, "add --assume-batch 1");
    }
    return ok;
}

/* The first function of a SavedModel without signatures, or NULL. Its functions can be called only from Python; nothing in the
 * graph calls them. */
static const tfp_program_body *uncalled(const tfp_flops_table *w)
{
    for (size_t i = 0; i < w->g->signatures.size; i++) {
        tfp_str key = tfp_text(w->p, w->g->signatures.at[i].key);
        if (key.size < 2 || memcmp(key.data, "__", 2) != 0) return NULL;
    }
    for (size_t i = 1; i < w->g->bodies.size && w->g->saved_model; i++) {
        const tfp_program_body *b = &w->g->bodies.at[i];
        bool reached = !b->node_count;
        for (uint32_t k = 0; k < b->node_count && !reached; k++) reached = w->f->nodes[b->node_first + k].reached;
        if (!reached) return b;
    }
    return NULL;
}

tfp_status tfp_flops_coverage(const tfp_flops_table *w, tfp_flops_share *out, tfp_error *err)
{
    double *share = &out->share;
    char *text = out->why;
    const size_t size = sizeof out->why;
    coverage c = { .types.row_size = sizeof(type_work) };
    char hint[256];
    inputs x = find_inputs(w);
    bool ok = measure(w, &c);
    ok = put_hint(w, &x, hint, sizeof hint) && ok;
    *share = c.known + c.estimated > 0 ? c.known / (c.known + c.estimated) : 1;
    *text = 0;
    out->at_least = c.left.ops || w->f->total.loops_unknown;
    if (ok && out->at_least && *share > 0.9995) { /* the estimate says nothing of such work */
        *share = -1;
        tfp_left_out_say(&c.left, text, size);
    }
    if (ok && c.loops) {
        *share = -1;
        snprintf(text, size, "the iterations of %lld loop%s of TensorFlow 1 are not known", (long long)c.loops,
                 c.loops == 1 ? "" : "s");
    }
    if (ok && c.bulk) {
        tfp_str op = tfp_text(w->p, c.bulk->op);
        *share = -1;
        snprintf(text, size, "%lld %.*s, the bulk of such a model, %s no %s%s%s", (long long)c.bulk->missing,
                 op.size < 60 ? (int)op.size : 60, op.data, c.bulk->missing == 1 ? "has" : "have",
                 c.bulk->unknown ? "formula" : "shape", *hint ? ": " : "", hint);
        if (is_call(op))
            snprintf(text, size, "%lld %.*s of functions that call themselves or are not in the file",
                     (long long)c.bulk->missing, op.size < 60 ? (int)op.size : 60, op.data);
    }
    const tfp_program_body *lost = uncalled(w);
    if (lost) {
        tfp_str name = tfp_text(w->p, lost->name);
        *share = -1;
        snprintf(
            text, size,
            "the SavedModel has no signature, so nothing calls its functions (first: %.*s): save it with signatures",
            name.size < 100 ? (int)name.size : 100, name.data);
    }
    if (*share < 0) out->at_least = true;
    tfp_groups_free(&c.types);
    return ok ? TFP_OK : tfp_nomem(err);
}

/* Adds notes, once per report: assumptions without effect, recursive functions, limits that cut the work short. */
tfp_status tfp_flops_notes(tfp_report *r, const tfp_flops *f, tfp_error *err)
{
    tfp_status s = TFP_OK;
    if (tfp_options_of(r)->flops.assume_batch > 0 && !f->batches_assumed)
        s = tfp_report_note_add(r, TFP_NOTE_OPTION_IGNORED, err,
                                "assume_batch: no placeholder, queue or iterator has an unknown first dimension");
    if (!s && f->recursive_calls)
        s = tfp_report_note_add(r, TFP_NOTE_FLOAT_OPS_RECURSIVE, err,
                                "float operations of functions that call themselves are unknown: %.*s",
                                (int)f->recursion.size, f->recursion.data);
    if (!s && f->cut_short)
        s = tfp_report_note_add(r, TFP_NOTE_FLOAT_OPS_CUT, err,
                                "the graph takes too much work or memory: what came last is unknown");
    return s;
}
