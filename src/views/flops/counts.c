// SPDX-License-Identifier: Apache-2.0
/* views/flops/counts.c: computed float operations for the nodes of a profile, with -float_ops_source tensorflow and
 * own. In: a profile's program, evaluated by src/flops. Out: tfp_counts, one row per node. */
#include "flops/aten/aten.h"
#include "model/program.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/sources.h"
#include "options/columns.h"
#include "options/options.h"
#include "views/core/engine.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/flops/flops.h"
#include "views/flops/instructions.h"

#include <stdio.h>

/* ---- the engine with what the options assume ---- */

static bool is_xplane(const tfp_profile *p)
{
    const tfp_source_tables *s = tfp_sources_of(p);
    for (size_t i = 0; i < s->formats.size; i++)
        if (s->formats.at[i] && strcmp(s->formats.at[i], "xplane") == 0) return true;
    return false;
}

/* Why a trace has no float operations, in the words of the framework that recorded it. */
static tfp_status no_program_of_trace(const tfp_profile *p, const char *file, tfp_error *err)
{
    if (is_xplane(p))
        return tfp_fail(err, TFP_NOTFOUND,
                        "%s: the trace has no compiled program, from which float operations are computed: TensorFlow "
                        "and JAX record the programs of jax.jit and tf.function(jit_compile=True); or give the graph "
                        "too (--graph_path)",
                        file);
    if (tfp_sources_of(p)->from & TFP_FROM_PYTORCH)
        return tfp_fail(err, TFP_NOTFOUND,
                        "%s: the trace has no input shapes, from which float operations are computed: record it with "
                        "record_shapes=True (PyTorch)",
                        file);
    return tfp_fail(err, TFP_NOTFOUND,
                    "%s: the recording has no shapes, from which float operations are computed: give a trace of the "
                    "framework, or the model alone",
                    file);
}

tfp_status tfp_no_program(const tfp_profile *p, tfp_error *err)
{
    const char *file = tfp_first_source(p);
    if (tfp_has(p, TFP_HAS_GRAPH) && !(tfp_reads_of(p) & TFP_READS_PROGRAM))
        return tfp_fail(err, TFP_BADARG,
                        "%s: was read without its program, from which float operations are computed: "
                        "keep %s",
                        file, tfp_reads_name(TFP_READS_PROGRAM));
    if (tfp_has(p, TFP_HAS_TRACE)) return no_program_of_trace(p, file, err);
    return tfp_fail(err, TFP_NOTFOUND,
                    "%s: no graph from which float operations could be computed: give the graph file "
                    "or SavedModel too (--graph_path), or a profile that was written with all attributes (convert)",
                    file);
}

static tfp_status assumed_shapes(const tfp_options *o, tfp_arena *arena, tfp_assume *out, tfp_error *err)
{
    tfp_assumed_text one;
    tfp_str all = tfp_str_of(o->flops.assume_shape);
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
    tfp_assume assume = { .batch = o->flops.assume_batch };
    *out = NULL;
    if (!tfp_program_of(p)) return tfp_no_program(p, err);
    tfp_status s = assumed_shapes(o, &arena, &assume, err);
    assume.signature = tfp_str_of(o->flops.signature);
    if (!s) s = tfp_flops_new(p, source, &assume, out, err);
    tfp_arena_free(&arena);
    return s;
}

/* ---- what each node of the profile counts ---- */

static int64_t known(int64_t n) { return n > 0 ? n : 0; }

/* Whether the profile has nodes of function bodies, so that calls must not count them again. */
static bool has_bodies(const tfp_flops *f)
{
    uint32_t main_end = f->program->bodies.at[0].node_first + f->program->bodies.at[0].node_count;
    for (size_t i = 0; i < tfp_graph_of(f->profile)->nodes.size; i++)
        if (f->program_node[i] != TFP_NONE && f->program_node[i] >= main_end) return true;
    return false;
}

/* The counts of a node: including the functions that it calls (`whole`), or by itself. */
static tfp_node_count count_of(const tfp_node_flops *n, bool whole, bool registry)
{
    bool counted = n->state == TFP_COUNTED;
    tfp_node_count c = { .runs = registry ? 1 : n->needed ? n->loop_runs : 0 };
    int64_t float_ops = whole ? n->all.flops : n->flops;
    /* TensorFlow counts a product that overflowed, and a reduction of nothing, as numbers */
    c.float_ops = registry && counted ? float_ops : known(float_ops);
    c.macs = known(whole ? n->all.macs : n->macs);
    c.bytes = known(whole ? n->all.bytes : n->bytes);
    bool may_run = registry || (whole ? n->needed : n->reached);
    c.ops = !may_run ? 0 : whole ? known(n->all.ops) : 1;
    c.counted = !may_run ? 0 : whole ? known(n->all.counted) : counted;
    c.moves = (whole ? n->all.bytes : n->bytes) >= 0 && c.counted;
    return c;
}

/* The same for a node of a function, and of the main graph if both are shown: the sum over all runs, because calls may
 * differ. */
static tfp_node_count count_of_runs(const tfp_node_flops *n)
{
    tfp_node_count c = count_of(n, false, false);
    c.float_ops = n->run_flops;
    c.macs = n->run_macs;
    c.bytes = known(n->run_bytes);
    c.moves = n->run_bytes >= 0 && c.counted;
    c.runs = 1;
    return c;
}

static tfp_status keep_note(tfp_report *r, tfp_counts *c, const char *text, tfp_error *err)
{
    c->note = tfp_arena_copy(&r->arena, tfp_str_of(text));
    return c->note ? TFP_OK : tfp_nomem(err);
}

/* Adds a note that names the signature of a SavedModel that was counted. */
static tfp_status note_signature(tfp_report *r, const tfp_flops *f, tfp_error *err)
{
    if (f->signature == TFP_NONE || f->program->signatures.size < 2 || r->options->flops.signature) return TFP_OK;
    tfp_str key = tfp_text(f->profile, f->program->signatures.at[f->signature].key);
    return tfp_report_note_add(r, TFP_NOTE_FLOAT_OPS_SIGNATURE, err,
                               "float operations are those of the signature %.*s (-signature NAME, or all)",
                               key.size < 100 ? (int)key.size : 100, key.data);
}

/* Adds a note: how many operations have a count and, for our own count, what share of the work they are. */
static tfp_status add_note(tfp_report *r, tfp_counts *c, tfp_flops *f, tfp_error *err)
{
    int64_t ops = 0, counted = 0;
    char text[1024];
    tfp_flops_share of = { .share = -1 };
    bool own = f && r->options->flops.float_ops_source == TFP_FLOPS_OWN, once = own && f->total.loops_unknown;
    for (size_t i = 0; i < tfp_graph_of(r->profile)->nodes.size; i++) {
        ops = tfp_add(ops, c->nodes[i].ops, NULL);
        counted = tfp_add(counted, c->nodes[i].counted, NULL);
        if (f || c->nodes[i].counted == c->nodes[i].ops) continue;
        tfp_str op = tfp_text(r->profile, tfp_graph_of(r->profile)->nodes.at[i].op);
        of.at_least |= tfp_is_left_out(op, tfp_aten_find(op) != NULL);
    }
    tfp_status s = own ? tfp_flops_coverage_of(r, f, &of, err) : TFP_OK;
    if (s) return s;
    if (counted == ops && !once && (!own || of.share >= 0)) return TFP_OK;
    if (of.share >= 0) snprintf(of.why, sizeof of.why, "they cover %.2f%% of the work, by shapes", 100 * of.share);
    snprintf(text, sizeof text,
             "float operations: %s%s%s%lld of %lld operations have a count%s; the command flops tells more",
             of.at_least ? "at least; " : "", of.why, *of.why ? "; " : "", (long long)counted, (long long)ops,
             once ? ", and loops whose iterations are not known count once" : "");
    return keep_note(r, c, text, err);
}

static tfp_status make(tfp_report *r, tfp_flops *f, tfp_error *err)
{
    tfp_counts *c = TFP_NEW(&r->arena, tfp_counts, 1);
    bool registry = r->options->flops.float_ops_source == TFP_FLOPS_TENSORFLOW;
    size_t count = tfp_graph_of(r->profile)->nodes.size;
    bool ok = c && (c->nodes = TFP_NEW(&r->arena, tfp_node_count, count)) != NULL;
    bool bodies = ok && has_bodies(f);
    for (size_t i = 0; ok && i < count; i++) {
        uint32_t at = f->program_node[i];
        bool argument = tfp_str_eq(tfp_text(r->profile, tfp_graph_of(r->profile)->nodes.at[i].op), TFP_STR("_Arg"));
        /* a node that ran and is in no graph is unknown; arguments of functions are no operations */
        c->nodes[i] = (tfp_node_count){ .ops = !argument, .runs = 1 };
        if (at == TFP_NONE) continue;
        bool ran = tfp_graph_of(r->profile)->nodes.at[i].exec_first !=
                   TFP_NONE; /* then its executions give the number of runs */
        c->nodes[i] =
            bodies && !registry && !ran ? count_of_runs(&f->nodes[at]) : count_of(&f->nodes[at], !bodies, registry);
    }
    if (!ok) return tfp_nomem(err);
    r->tree->counts = c;
    return add_note(r, c, f, err);
}

/* Adds notes about columns that neither the files nor an op log can fill. */
static tfp_status note_missing(tfp_report *r, tfp_error *err)
{
    int order = r->options->order.by;
    bool needed = (order >= TFP_V_FILES_COUNT && !(TFP_V_KINDS >> order & 1)) || order == TFP_BY_COLUMN;
    bool files = r->options->flops.float_ops_source == TFP_FLOPS_FILES;
    uint32_t missing = r->values & (1u << TFP_V_MACS | (files ? 1u << TFP_V_BYTES_MOVED : 0));
    if (r->options->flops.float_ops_source == TFP_FLOPS_OWN || !missing) return TFP_OK;
    for (int v = TFP_V_FILES_COUNT; v < TFP_V_COUNT; v++) needed |= r->options->min[v] > 0;
    if (!needed) r->values &= ~missing; /* a cell without a number is better than a wrong 0 */
    return tfp_report_note_add(r, TFP_NOTE_NO_FLOAT_OPS, err, "%s: -float_ops_source own computes them",
                               files ? "macs, bytes_moved and intensity are in no file" : "macs are in no op log");
}

/* Uses the counts that compiled programs, and traces of them, contain: there is nothing to choose. */
static tfp_status count_instructions(tfp_report *r, tfp_error *err)
{
    uint32_t worked_out = 1u << TFP_V_MACS | 1u << TFP_V_BYTES_MOVED | 1u << TFP_V_MOVED_FLOAT_OPS;
    bool own = r->options->flops.float_ops_source == TFP_FLOPS_OWN;
    if (!own && !(r->values & worked_out)) return TFP_OK;
    tfp_counts *c;
    tfp_status s = tfp_instruction_counts(r, &c, err);
    return s || !own ? s : add_note(r, c, NULL, err);
}

tfp_status tfp_counts_start(tfp_report *r, tfp_error *err)
{
    tfp_flops *f = NULL;
    _Static_assert(TFP_FLOPS_FILES == 0 && TFP_FLOPS_TENSORFLOW == 1 && TFP_FLOPS_OWN == 2, "as in the option's words");
    if ((r->tree->counts = r->options->made.counts)) return TFP_OK;
    if (!tfp_program_of(r->profile) && r->options->flops.float_ops_source != TFP_FLOPS_TENSORFLOW &&
        tfp_has_instructions(r->profile))
        return count_instructions(r, err);
    if (!tfp_options_count(r->options)) return note_missing(r, err);
    tfp_status s = tfp_flops_of(r->profile, (tfp_flops_source)r->options->flops.float_ops_source, r->options, &f, err);
    if (!s) s = make(r, f, err);
    if (!s) s = note_signature(r, f, err);
    if (!s) s = note_missing(r, err);
    if (!s) s = tfp_flops_notes(r, f, err);
    tfp_flops_free(f);
    if (!s && r->tree->counts->note)
        s = tfp_report_note_add(r, TFP_NOTE_FLOAT_OPS_COUNTED, err, "%s", r->tree->counts->note);
    return s;
}
