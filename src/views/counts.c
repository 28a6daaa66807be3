// SPDX-License-Identifier: Apache-2.0
/* views/counts.c: float operations that are worked out, as the nodes of a profile count them: for -float_ops_source
 * tensorflow and own. In: a profile's program, by the engine of src/flops. Out: tfp_counts, a row a node. */
#include "views/flops.h"
#include "views/flops_instructions.h"

#include <stdio.h>

/* ---- the engine with what the options assume ---- */

tfp_status tfp_no_program(const tfp_profile *p, tfp_error *err)
{
    const char *file = tfp_first_source(p);
    if (tfp_has(p, TFP_HAS_GRAPH) && !(p->keep & TFP_KEEP_PROGRAM))
        return tfp_fail(err, TFP_BADARG,
                        "%s: was read without its program, from which float operations are worked out: "
                        "keep TFP_KEEP_PROGRAM",
                        file);
    if (tfp_has(p, TFP_HAS_TRACE))
        return tfp_fail(err, TFP_NOTFOUND,
                        "%s: the trace has no input shapes, from which float operations are worked out: record it with "
                        "record_shapes=True (PyTorch)",
                        file);
    return tfp_fail(err, TFP_NOTFOUND,
                    "%s: no graph from which float operations could be worked out: give the graph file "
                    "or SavedModel too (--graph_path), or a profile that was written with all attributes (convert)",
                    file);
}

static tfp_status assumed_shapes(const tfp_options *o, tfp_arena *arena, tfp_assume *out, tfp_error *err)
{
    tfp_assumed_text one;
    tfp_str all = tfp_str_of(o->assume_shape);
    size_t count = 0;
    for (tfp_str rest = all; tfp_assumed_next(&rest, &one);) count++;
    tfp_assumed_shape *shapes = TFP_NEW(arena, tfp_assumed_shape, count);
    if (!shapes) return tfp_nomem(err);
    for (tfp_str rest = all; tfp_assumed_next(&rest, &one); out->shape_count++) {
        int64_t *dims = TFP_NEW(arena, int64_t, (size_t)one.rank);
        char *name = tfp_arena_copy(arena, one.name);
        if (!dims || !name) return tfp_nomem(err);
        memcpy(dims, one.dims, (size_t)one.rank * sizeof *dims);
        shapes[out->shape_count] = (tfp_assumed_shape){ { name, one.name.size }, { one.rank, dims } };
    }
    out->shapes = shapes;
    return TFP_OK;
}

tfp_status tfp_flops_of(const tfp_profile *p, tfp_flops_source source, const tfp_options *o, tfp_flops **out,
                        tfp_error *err)
{
    tfp_arena arena = { 0 };
    tfp_assume assume = { .batch = o->assume_batch };
    *out = NULL;
    if (!p->program) return tfp_no_program(p, err);
    tfp_status s = assumed_shapes(o, &arena, &assume, err);
    assume.signature = tfp_str_of(o->signature);
    if (!s) s = tfp_flops_new(p, source, &assume, out, err);
    tfp_arena_free(&arena);
    return s;
}

/* ---- what each node of the profile counts ---- */

static int64_t known(int64_t n) { return n > 0 ? n : 0; }

/* Whether nodes of bodies are in the profile, so that calls must not count them too. */
static bool has_bodies(const tfp_flops *f)
{
    uint32_t main_end = f->program->bodies.at[0].node_first + f->program->bodies.at[0].node_count;
    for (size_t i = 0; i < f->profile->nodes.size; i++)
        if (f->program_node[i] != TFP_NONE && f->program_node[i] >= main_end) return true;
    return false;
}

/* How often one execution of the main graph runs a body, as far as it is known. */
static int64_t calls_of(const tfp_flops *f, uint32_t body) { return body ? known(f->calls[body]) : 1; }

static bool bodies_of(const tfp_program *g, tfp_arena *arena, uint32_t **out)
{
    uint32_t *body = *out = TFP_NEW(arena, uint32_t, g->nodes.size);
    for (uint32_t b = 0; body && b < g->bodies.size; b++)
        for (uint32_t i = 0; i < g->bodies.at[b].node_count; i++) body[g->bodies.at[b].node_first + i] = b;
    return body != NULL;
}

/* The counts of a node: with the functions that it calls (`whole`), or by itself. */
static tfp_node_count count_of(const tfp_node_flops *n, bool whole, bool registry)
{
    bool counted = n->state == TFP_COUNTED;
    tfp_node_count c = { .runs = registry ? 1 : n->needed ? n->loop_runs : 0 };
    int64_t float_ops = whole ? n->all.flops : n->flops;
    /* a product of TensorFlow's that wrapped, or a reduction of nothing, is a number there */
    c.float_ops = registry && counted ? float_ops : known(float_ops);
    c.macs = known(whole ? n->all.macs : n->macs);
    c.bytes = known(whole ? n->all.bytes : n->bytes);
    c.ops = whole ? known(n->all.ops) : 1;
    c.counted = whole ? known(n->all.counted) : counted;
    c.moves = (whole ? n->all.bytes : n->bytes) >= 0 && c.counted;
    return c;
}

static tfp_status add_note(tfp_report *r, tfp_counts *c, bool loops_unknown, tfp_error *err)
{
    int64_t ops = 0, counted = 0;
    char text[256];
    for (size_t i = 0; i < r->profile->nodes.size; i++) {
        ops = tfp_add(ops, c->nodes[i].ops, NULL);
        counted = tfp_add(counted, c->nodes[i].counted, NULL);
    }
    if (counted == ops && !loops_unknown) return TFP_OK;
    int n = snprintf(text, sizeof text,
                     "float operations: %lld of %lld ops (%.2f%%) have a count%s; the command flops tells more",
                     (long long)counted, (long long)ops, ops ? 100.0 * (double)counted / (double)ops : 0,
                     loops_unknown ? ", and loops whose trips are not known count once" : "");
    c->note = tfp_arena_copy(&r->arena, (tfp_str){ text, n < 0                     ? 0
                                                         : (size_t)n < sizeof text ? (size_t)n
                                                                                   : sizeof text - 1 });
    return c->note ? TFP_OK : tfp_nomem(err);
}

static tfp_status make(tfp_report *r, const tfp_flops *f, tfp_error *err)
{
    tfp_arena arena = { 0 };
    tfp_counts *c = TFP_NEW(&r->arena, tfp_counts, 1);
    uint32_t *body = NULL;
    size_t count = r->profile->nodes.size;
    bool ok = c && (c->nodes = TFP_NEW(&r->arena, tfp_node_count, count)) != NULL;
    bool bodies = ok && has_bodies(f);
    ok = ok && (!bodies || bodies_of(f->program, &arena, &body));
    for (size_t i = 0; ok && i < count; i++) {
        uint32_t at = f->program_node[i];
        bool argument = tfp_str_eq(tfp_text(r->profile, r->profile->nodes.at[i].op), TFP_STR("_Arg"));
        /* a node that ran and is in no graph: nothing is known of it; arguments of functions are no operations */
        c->nodes[i] = (tfp_node_count){ .ops = !argument, .runs = 1 };
        if (at == TFP_NONE) continue;
        c->nodes[i] = count_of(&f->nodes[at], !bodies, r->options->float_ops_source == TFP_FLOPS_TENSORFLOW);
        if (bodies) c->nodes[i].runs = tfp_mul(c->nodes[i].runs, calls_of(f, body[at]), NULL);
    }
    tfp_arena_free(&arena);
    if (!ok) return tfp_nomem(err);
    r->counts = c;
    return add_note(r, c, f->total.loops_unknown, err);
}

/* Columns that neither the files nor an op log can fill. */
static tfp_status note_missing(tfp_report *r, tfp_error *err)
{
    int order = r->options->order.by;
    bool needed = (order >= TFP_V_FILES_COUNT && !(TFP_V_KINDS >> order & 1)) || order == TFP_BY_RATIO;
    bool files = r->options->float_ops_source == TFP_FLOPS_FILES;
    uint32_t missing = r->values & (1u << TFP_V_MACS | (files ? 1u << TFP_V_BYTES_MOVED : 0));
    if (r->options->float_ops_source == TFP_FLOPS_OWN || !missing) return TFP_OK;
    for (int v = TFP_V_FILES_COUNT; v < TFP_V_COUNT; v++) needed |= r->options->min[v] > 0;
    if (!needed) r->values &= ~missing; /* no number is better than a wrong 0 */
    return tfp_report_note_add(r, err, "%s: -float_ops_source own works them out",
                               files ? "macs, bytes_moved and intensity are in no file" : "macs are in no op log");
}

/* Compiled programs, and traces of them, tell what they count: there is nothing to choose. */
static tfp_status count_instructions(tfp_report *r, tfp_error *err)
{
    uint32_t worked_out = 1u << TFP_V_MACS | 1u << TFP_V_BYTES_MOVED | 1u << TFP_V_MOVED_FLOAT_OPS;
    bool own = r->options->float_ops_source == TFP_FLOPS_OWN;
    if (!own && !(r->values & worked_out)) return TFP_OK;
    tfp_status s = tfp_instruction_counts(r, err);
    return s || !own ? s : add_note(r, (tfp_counts *)r->counts, false, err);
}

tfp_status tfp_counts_start(tfp_report *r, tfp_error *err)
{
    tfp_flops *f = NULL;
    _Static_assert(TFP_FLOPS_FILES == 0 && TFP_FLOPS_TENSORFLOW == 1 && TFP_FLOPS_OWN == 2, "as in the option's words");
    if ((r->counts = r->options->counts)) return TFP_OK;
    if (!r->profile->program && r->options->float_ops_source != TFP_FLOPS_TENSORFLOW &&
        tfp_has_instructions(r->profile))
        return count_instructions(r, err);
    if (!tfp_options_count(r->options)) return note_missing(r, err);
    tfp_status s = tfp_flops_of(r->profile, (tfp_flops_source)r->options->float_ops_source, r->options, &f, err);
    if (!s) s = make(r, f, err);
    if (!s) s = note_missing(r, err);
    if (!s) s = tfp_flops_notes(r, f, err);
    tfp_flops_free(f);
    if (!s && r->counts->note) s = tfp_report_note_add(r, err, "%s", r->counts->note);
    return s;
}
