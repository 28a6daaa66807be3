// SPDX-License-Identifier: Apache-2.0
/* views/flops/facts.c: the facts above the tables of the flops report: the totals, their coverage of the model, and what
 * would increase it. */
#include "flops/core/parameters.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "views/core/report.h"
#include "views/flops/flops.h"

#include <stdio.h>

/* ---- facts ---- */

/* Adds a number; an unknown one is absent. */
static bool add_number(tfp_report *r, const char *name, const char *label, tfp_unit unit, int64_t n)
{
    return tfp_fact_int(r, name, label, unit, n < 0 ? TFP_ABSENT : n);
}

static bool say_more(tfp_report *r, const char *format, ...) TFP_PRINTF(2, 3);

static bool say_more_of(tfp_report *r, tfp_fact *f, const char *format, ...) TFP_PRINTF(3, 4);

static bool keep_text(tfp_report *r, tfp_fact *f, const char *format, va_list args)
{
    char text[512];
    int n = vsnprintf(text, sizeof text, format, args);
    size_t size = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    char *copy = tfp_arena_copy(&r->arena, (tfp_str){ text, size });
    f->more = (tfp_str){ copy, copy ? size : 0 };
    return copy != NULL;
}

/* Adds text after the last fact, for people. */
static bool say_more(tfp_report *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool ok = keep_text(r, &r->facts.at[r->facts.size - 1], format, args);
    va_end(args);
    return ok;
}

static bool say_more_of(tfp_report *r, tfp_fact *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool ok = keep_text(r, f, format, args);
    va_end(args);
    return ok;
}

/* Writes a number such as 25.58m and a word. False: out of memory. */
static bool put_short(char *out, size_t size, int64_t n, const char *word)
{
    tfp_buf b = { 0 };
    tfp_format_amount(&b, TFP_NUMBER, n);
    snprintf(out, size, "%.*s%s", (int)b.size, b.data ? b.data : "", word);
    bool ok = !b.failed;
    tfp_buf_free(&b);
    return ok;
}

/* ---- sums ---- */

static void plus(int64_t *to, int64_t n)
{
    if (n > 0) *to = tfp_add(*to, n, NULL);
}

/* The total: the engine's sum, or the sum over the main graph's nodes. */
static tfp_work total_of(const tfp_flops_table *w)
{
    tfp_work sum = { .macs = TFP_UNKNOWN };
    if (w->source == TFP_FLOPS_OWN) return w->f->total;
    for (uint32_t i = 0; i < w->g->nodes.size; i++) {
        if (w->body[i]) continue;
        tfp_own_count c = tfp_flops_own(w, i);
        if (c.state == TFP_COUNTED) sum.flops = tfp_add(sum.flops, c.flops, NULL); /* TensorFlow's may be negative */
        plus(&sum.ops, 1);
        plus(&sum.counted, c.state == TFP_COUNTED);
    }
    return sum;
}

typedef struct measured {
    double micros, covered;
} measured;

/* The share of the measured time in operations with a count. */
static measured measure(const tfp_flops_table *w)
{
    measured m = { 0 };
    for (uint32_t i = 0; i < tfp_graph_of(w->p)->nodes.size; i++) {
        tfp_node_stats s;
        uint32_t at = w->f->program_node[i];
        if (tfp_graph_of(w->p)->nodes.at[i].exec_first == TFP_NONE) continue;
        tfp_node_stats_at(w->p, i, w->r->step, &s);
        m.micros += (double)s.total_ns / 1000;
        if (at == TFP_NONE) continue;
        const tfp_work *all = &w->f->nodes[at].all;
        bool own = w->source != TFP_FLOPS_OWN || all->ops <= 0;
        double share = own ? tfp_flops_own(w, at).state == TFP_COUNTED : (double)all->counted / (double)all->ops;
        m.covered += share * (double)s.total_ns / 1000;
    }
    return m;
}

/* ---- loops ---- */

/* The number of while loops with an unknown number of iterations. */
static int64_t unknown_loops(const tfp_flops_table *w, uint32_t *first)
{
    int64_t n = 0;
    for (uint32_t i = 0; i < w->g->nodes.size; i++)
        if (w->f->nodes[i].trips < 0 && tfp_flops_reached(w, i) && n++ == 0) *first = i;
    return n;
}

static bool put_loops(const tfp_flops_table *w)
{
    uint32_t first = TFP_NONE;
    if (w->source != TFP_FLOPS_OWN || !w->f->total.loops_unknown) return true;
    int64_t n = unknown_loops(w, &first);
    if (!add_number(w->r, "loops_counted_once", "loops counted once", TFP_LABEL, n)) return false;
    if (first == TFP_NONE) return say_more(w->r, "the iterations of loops of TensorFlow 1 are not known");
    tfp_str name = tfp_text(w->p, w->g->nodes.at[first].name);
    return say_more(w->r, "the iterations are not known (first: %.*s)", (int)(name.size < 200 ? name.size : 200),
                    name.data);
}

/* ---- all of them ---- */

static const char *const source_words[] = {
    [TFP_FLOPS_FILES] = "files", [TFP_FLOPS_TENSORFLOW] = "tensorflow", [TFP_FLOPS_OWN] = "own"
};

/* Adds the signature of a SavedModel that was counted. */
static bool put_signature(const tfp_flops_table *w)
{
    size_t count = w->g->signatures.size;
    if (w->f->signature == TFP_NONE || w->source != TFP_FLOPS_OWN) return true;
    tfp_str key = tfp_text(w->p, w->g->signatures.at[w->f->signature].key);
    if (!tfp_fact_text(w->r, "signature", "signature", key)) return false;
    return count < 2 || say_more(w->r, "one of %zu: --signature NAME counts another, all the whole graph", count);
}

/* Adds the totals. If most of the model has no count, the counted part means little and is labelled `least`. */
static bool put_totals(const tfp_flops_table *w, const tfp_work *total, bool least)
{
    const char *more = least ? "at least" : "";
    tfp_report *r = w->r;
    char exact[64];
    bool ok = tfp_fact_text(r, "float_ops_source", NULL, tfp_str_of(source_words[w->source])) &&
              add_number(r, "total_float_ops", "float operations", TFP_NUMBER, total->flops);
    tfp_flops_exact(exact, total->flops > 0 ? total->flops : 0);
    if (total->flops >= 1000000)
        ok = ok && say_more(r, "%s%s(%s)", more, least ? " " : "", exact);
    else if (least)
        ok = ok && say_more(r, "%s", more);
    if (total->flops < 0) ok = ok && say_more(r, "do not fit into 64 bits");
    ok =
        ok && add_number(r, "total_macs", w->source == TFP_FLOPS_OWN ? "multiply-adds" : NULL, TFP_NUMBER, total->macs);
    tfp_flops_exact(exact, total->macs > 0 ? total->macs : 0);
    if (total->macs >= 1000000)
        ok = ok && say_more(r, "%s%s(%s)", more, least ? " " : "", exact);
    else if (least && total->macs >= 0)
        ok = ok && say_more(r, "%s", more);
    return ok;
}

/* Adds parameters. For a graph without variables, such as a frozen one, people see none. */
static tfp_status put_parameters(tfp_flops_table *w, tfp_error *err)
{
    tfp_report *r = w->r;
    tfp_parameter_counts c;
    char trained[64] = "", fixed[64] = "", rest[96] = "";
    tfp_status s = tfp_parameters(w->p, &w->arena, &c, err);
    if (s) return s;
    bool stated = !c.elements[TFP_PARAMETER] &&
                  c.elements[TFP_TRAINED] + c.elements[TFP_FIXED] > 0; /* the same as the column params */
    bool ok =
        add_number(r, "total_parameters", c.total > 0 || c.unknown ? "parameters" : NULL, TFP_NUMBER, c.total) &&
        add_number(r, "trainable_parameters", NULL, TFP_NUMBER, stated ? c.elements[TFP_TRAINED] : TFP_UNKNOWN) &&
        add_number(r, "non_trainable_parameters", NULL, TFP_NUMBER, stated ? c.elements[TFP_FIXED] : TFP_UNKNOWN) &&
        add_number(r, "optimizer_elements", NULL, TFP_NUMBER, c.elements[TFP_SLOT]) &&
        add_number(r, "parameters_without_shape", NULL, TFP_LABEL, (int64_t)c.unknown);
    ok = ok && put_short(trained, sizeof trained, c.elements[TFP_TRAINED], " trainable") &&
         put_short(fixed, sizeof fixed, c.elements[TFP_FIXED], " not");
    if (!ok) return tfp_nomem(err);
    tfp_fact *fact = &r->facts.at[r->facts.size - 5];
    if (c.unknown)
        snprintf(rest, sizeof rest, "%zu variable%s without a shape count%s as 0", c.unknown, c.unknown == 1 ? "" : "s",
                 c.unknown == 1 ? "s" : "");
    if (!stated) trained[0] = fixed[0] = 0;
    return say_more_of(r, fact, "%s%s%s%s%s", trained, stated ? ", " : "", fixed, stated && *rest ? "; " : "", rest)
               ? TFP_OK
               : tfp_nomem(err);
}

static bool put_coverage(const tfp_flops_table *w, const tfp_work *total, double share, const char *why)
{
    tfp_report *r = w->r;
    bool ok = add_number(r, "ops", NULL, TFP_LABEL, total->ops) &&
              add_number(r, "counted_ops", NULL, TFP_LABEL, total->counted) &&
              tfp_fact_share(r, "total_coverage", "coverage", share, share < 0 ? 0 : 1);
    ok = ok && say_more(r, "%s%s%lld of %lld operations have a count", why, *why ? "; " : "of the work, by shapes; ",
                        (long long)total->counted, (long long)total->ops);
    if (!tfp_executions_of(w->p)->execs.size || !ok) return ok;
    measured m = measure(w);
    return tfp_fact_share(r, "time_coverage", "time covered", m.covered, m.micros) &&
           say_more(r, "of the measured time was in operations that have a count");
}

tfp_status tfp_flops_facts(tfp_flops_table *w, tfp_error *err)
{
    tfp_work total = total_of(w);
    tfp_flops_share of;
    tfp_status s = tfp_flops_coverage(w, &of, err);
    if (!s && (!put_signature(w) || !put_totals(w, &total, of.at_least) || !tfp_left_out_fact(w->r, of.at_least)))
        s = tfp_nomem(err);
    if (!s) s = put_parameters(w, err);
    if (s) return s;
    if (!put_coverage(w, &total, of.share, of.why) || !put_loops(w)) return tfp_nomem(err);
    return tfp_flops_notes(w->r, w->f, err);
}
