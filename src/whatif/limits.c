// SPDX-License-Identifier: Apache-2.0
/* whatif/limits.c: the table `limits`, and above it the step at the limits of the device, by the replay of `whatif`. */
#include "model/tables/runs.h"
#include "options/options.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/core/view.h"
#include "views/limits/chains.h"
#include "views/limits/shapes.h"
#include "views/limits/tables.h"
#include "views/spans/trace.h"
#include "whatif/change.h"
#include "whatif/device.h"
#include "whatif/gains.h"

#include <math.h>
#include <stdio.h>

#define LEAST_GAIN 0.005 /* of a step: less is 0 % */
#define LEAST_JUDGED 0.5 /* share of the device's time: with less, nothing is said of the whole step */

typedef struct limits_report {
    tfp_report *r;
    tfp_trace_index x;
    tfp_limits l;
    tfp_limit_sums sums;
    tfp_limit_chains chains;
    double step_us, bound_us, summary_us; /* NAN: unknown; summary_us: the step of `summary`, if it is another */
    int64_t steps;
    bool by_replay;
    bool quiet; /* without notes */
} limits_report;

/* ---- the step ---- */

/* What stays of a step if each call lost nothing and nothing else changed. */
static double by_sum(const limits_report *t)
{
    double loss = 0;
    for (size_t i = 0; i < t->l.calls.size; i++)
        if (!t->l.calls.at[i].why && t->l.calls.at[i].step != TFP_NONE) loss += t->l.calls.at[i].loss_us;
    double bound = t->step_us - loss / (double)(t->steps > 0 ? t->steps : 1);
    return bound > 0 ? bound : 0;
}

static tfp_status replay(limits_report *t, tfp_whatif *w, tfp_error *err)
{
    tfp_status s = tfp_whatif_today(w, err);
    bool refused = s == TFP_BADFILE;
    if (refused) tfp_error_clear(err);
    if (s && !refused) return s;
    t->step_us = w->recorded_us > 0 ? w->recorded_us : NAN;
    t->steps = w->job.steps.count;
    if (!t->quiet) t->summary_us = tfp_whatif_other_step(w);
    t->bound_us = NAN;
    if (!t->l.peaks.known || isnan(t->step_us)) return TFP_OK;
    bool doubted = refused && tfp_whatif_doubted(w);
    if (doubted && tfp_whatif_times_doubted(w))
        return t->quiet ? TFP_OK : tfp_note_doubts(t->r, tfp_profile_of(t->r), NULL, err);
    t->by_replay = !refused && !(tfp_whatif_lacks_launches(&w->job) && w->job.streams.count > 1);
    if (!t->by_replay) {
        t->bound_us = by_sum(t);
        if (t->quiet) return TFP_OK;
        if (doubted) return tfp_note_doubts(t->r, tfp_profile_of(t->r), NULL, err);
        return tfp_report_note_add(t->r, TFP_NOTE_LIMITS_BY_SUM, err,
                                   "the step at the limits is by sum: the step less all loss, because the replay of "
                                   "this trace is too far off");
    }
    s = tfp_whatif_device_given(w, &t->l, &t->chains, err);
    if (s) return s;
    tfp_variant_reset(&w->job, &w->v);
    tfp_apply_ideal_device(w);
    if (!tfp_whatif_row_add(w, TFP_STR("ideal device"))) return tfp_nomem(err);
    t->bound_us = w->rows.at[w->rows.size - 1].step_us;
    tfp_str note = w->rows.at[0].note;
    if (!note.size || t->quiet) return TFP_OK;
    return tfp_report_note_add(t->r, TFP_NOTE_LIMITS_REPLAY, err, "the step at the limits: %.*s", (int)note.size,
                               note.data);
}

static tfp_status find_step(limits_report *t, tfp_error *err)
{
    tfp_whatif w = { .r = t->r };
    tfp_status s = tfp_job_of(t->r, &w.job, err);
    if (!s) s = replay(t, &w, err);
    tfp_job_free(&w.job);
    tfp_vec_free(&w.rows);
    return s;
}

/* ---- facts ---- */

static bool put_peaks(const limits_report *t)
{
    tfp_buf b = { 0 };
    for (int i = TFP_FLOAT_OTHER + 1; i < TFP_FLOAT_TYPES; i++) {
        if (t->l.peaks.flops[i] <= 0) continue;
        tfp_buf_printf(&b, "%s%s=%g", b.size ? " " : "", tfp_float_names[i], t->l.peaks.flops[i]);
    }
    if (!b.size) return tfp_fact_text(t->r, "peak_flops", NULL, (tfp_str){ NULL, 0 });
    return tfp_fact_buf(t->r, "peak_flops", NULL, &b);
}

static double known(const limits_report *t, double x) { return t->l.peaks.known ? x : NAN; }

static bool say(const limits_report *t, const char *format, ...) TFP_PRINTF(2, 3);

/* Adds text after the last fact, for people. */
static bool say(const limits_report *t, const char *format, ...)
{
    char words[300];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    char *copy = tfp_arena_copy(tfp_arena_of(t->r), tfp_str_of(words));
    if (copy) tfp_fact_last(t->r)->more = tfp_str_of(copy);
    return copy != NULL;
}

static bool put_step(const limits_report *t)
{
    const tfp_limit_sums *m = &t->sums;
    tfp_str device = t->l.peaks.device.size ? t->l.peaks.device : TFP_STR("the device");
    tfp_buf b = { 0 };
    if (!tfp_fact_real(t->r, "step_us", "a step", TFP_MICROS, t->step_us)) return false;
    if (!isnan(t->summary_us)) {
        tfp_buf_text(&b, "from the first call to the end of all work (summary: ");
        tfp_format_real(&b, TFP_MICROS, t->summary_us);
        tfp_buf_text(&b, "); ");
    }
    if (!isnan(t->bound_us)) {
        tfp_buf_printf(&b, "at the limits of %.*s: ", (int)device.size, device.data);
        tfp_format_real(&b, TFP_MICROS, t->bound_us);
        tfp_buf_printf(&b, " (by %s); ", t->by_replay ? "replay" : "sum");
    }
    tfp_buf_printf(&b, "%.0f%% of the device's time is judged", 100 * (double)m->judged_ns / (double)m->device_ns);
    tfp_str more = tfp_buf_move(&b, tfp_arena_of(t->r));
    tfp_fact_last(t->r)->more = more;
    return more.data != NULL;
}

/* The rate of products in the type of which they take most time. */
static bool say_rates(const limits_report *t)
{
    const tfp_limit_sums *m = &t->sums;
    const tfp_limit_peaks *p = &t->l.peaks;
    int most = 0;
    for (int i = 1; i < TFP_FLOAT_TYPES; i++)
        if (m->products[i].ns > m->products[most].ns) most = i;
    double us = (double)m->judged_ns / 1000, busy = (double)m->products[most].ns;
    double memory = us > 0 ? (double)m->bytes_moved / us / 1e6 : 0;
    if (!p->known) return true;
    if (!(busy > 0)) return say(t, "memory %.3g of %.4g TB/s", memory, p->bandwidth / 1e12);
    return say(t, "products %.3g of %.4g TFLOP/s (%s); memory %.3g of %.4g TB/s",
               m->products[most].float_ops / busy / 1e3, p->flops[most] / 1e12, tfp_float_names[most], memory,
               p->bandwidth / 1e12);
}

static bool put_not_judged(const limits_report *t)
{
    const tfp_limit_sums *m = &t->sums;
    tfp_buf why = { 0 };
    int64_t ns = m->device_ns - m->judged_ns;
    if (!tfp_fact_real(t->r, "not_judged_us", ns ? "not judged" : NULL, TFP_MICROS, (double)ns / 1000)) return false;
    tfp_limits_put_why(m->why_ns, ", ", &why);
    bool ok = !why.failed && say(t, "%.*s", (int)why.size, why.data ? why.data : "");
    tfp_buf_free(&why);
    return ok;
}

static bool put_chains_fact(const limits_report *t)
{
    double gain = known(t, t->chains.gain_us), all = (double)t->steps * t->step_us;
    bool some = t->chains.rows.count && gain > 0;
    return tfp_fact_real(t->r, "fuse_gain_us", some ? "chains" : NULL, TFP_MICROS, gain) &&
           (!some || say(t, "at most to gain by fusing chains of kernels, in all steps (%.0f%%)", 100 * gain / all));
}

static bool put_latency(const limits_report *t)
{
    const tfp_limit_sums *m = &t->sums;
    const tfp_limit_peaks *p = &t->l.peaks;
    bool some = p->known && m->latency_calls;
    return tfp_fact_int(t->r, "latency_calls", NULL, TFP_NUMBER, p->known ? m->latency_calls : TFP_ABSENT) &&
           tfp_fact_real(t->r, "latency_us", some ? "short kernels" : NULL, TFP_MICROS, known(t, m->latency_us)) &&
           (!some || say(t, "in %lld calls with less work than the shortest kernel does (%g us)",
                         (long long)m->latency_calls, p->floor_us));
}

static bool put_facts(const limits_report *t)
{
    const tfp_limit_sums *m = &t->sums;
    tfp_report *r = t->r;
    const tfp_limit_peaks *p = &t->l.peaks;
    double all = (double)t->steps * t->step_us, us = 1e-3;
    tfp_str by = isnan(t->bound_us) ? (tfp_str){ NULL, 0 } : t->by_replay ? TFP_STR("replay") : TFP_STR("sum");
    return put_step(t) && tfp_fact_real(r, "bound_us", NULL, TFP_MICROS, t->bound_us) &&
           tfp_fact_text(r, "bound_by", NULL, by) &&
           tfp_fact_real(r, "gain_us", NULL, TFP_MICROS, t->step_us - t->bound_us) &&
           tfp_fact_real(r, "device_us", NULL, TFP_MICROS, (double)m->device_ns * us) &&
           tfp_fact_real(r, "judged_us", NULL, TFP_MICROS, (double)m->judged_ns * us) &&
           tfp_fact_share(r, "judged_share", NULL, (double)m->judged_ns, (double)m->device_ns) &&
           tfp_fact_real(r, "ideal_us", NULL, TFP_MICROS, known(t, m->ideal_us)) &&
           tfp_fact_real(r, "loss_us", NULL, TFP_MICROS, known(t, m->loss_us)) && put_latency(t) &&
           tfp_fact_real(r, "mfu", p->known ? "MFU" : NULL, TFP_SHARE, known(t, m->peak_us / all)) && say_rates(t) &&
           tfp_fact_real(r, "bandwidth_use", NULL, TFP_SHARE, known(t, m->memory_us / all)) &&
           tfp_fact_int(r, "float_ops", NULL, TFP_NUMBER, m->float_ops) &&
           tfp_fact_int(r, "bytes_moved", NULL, TFP_SIZE, m->bytes_moved) && put_chains_fact(t) &&
           tfp_fact_int(r, "fuse_bytes_saved", NULL, TFP_SIZE, t->chains.bytes_saved) &&
           tfp_fact_text(r, "device", NULL, p->device) &&
           tfp_fact_real(r, "peak_bandwidth", NULL, TFP_SIZE, p->bandwidth > 0 ? p->bandwidth : NAN) && put_peaks(t) &&
           tfp_fact_real(r, "floor_us", NULL, TFP_MICROS, p->floor_us) &&
           tfp_fact_int(r, "steps", NULL, TFP_NUMBER, t->steps) && put_not_judged(t);
}

/* ---- notes ---- */

static tfp_status put_notes(const limits_report *t, tfp_error *err)
{
    const tfp_limit_peaks *p = &t->l.peaks;
    int size = p->device.size < 100 ? (int)p->device.size : 100;
    tfp_status s = TFP_OK;
    if (!p->known)
        s = tfp_report_note_add(t->r, TFP_NOTE_LIMITS_UNKNOWN, err,
                                "the limits of %.*s are not known here: give -peak_flops and -peak_bandwidth",
                                size ? size : 10, size ? p->device.data : "the device");
    if (!s && p->others)
        s = tfp_report_note_add(t->r, TFP_NOTE_ROOFLINE_OTHER_DEVICES, err,
                                "the limits are those of %.*s; the trace has other devices, too", size, p->device.data);
    if (!s && t->sums.calls_over)
        s = tfp_report_note_add(t->r, TFP_NOTE_LIMITS_FASTER, err,
                                "%lld call%s (%.0f us) %s faster than the memory allows: the inputs lay in a cache",
                                (long long)t->sums.calls_over, t->sums.calls_over == 1 ? "" : "s",
                                (double)t->sums.ns_over / 1000, t->sums.calls_over == 1 ? "was" : "were");
    return s;
}

/* ---- the tables ---- */

static tfp_status by_of(const tfp_report *r, tfp_limits_by *by, tfp_error *err)
{
    const char *text = tfp_options_of(r)->verb.by;
    size_t at = 0;
    if (text && *text && !tfp_word_find(tfp_str_of(text), tfp_limits_by_words, &at))
        return tfp_fail(err, TFP_BADARG, "-by takes op, module, layer, line, kernel, shape or chain here, not '%s'",
                        text);
    *by = (tfp_limits_by)at;
    return TFP_OK;
}

static tfp_status put_shapes(limits_report *t, tfp_error *err)
{
    tfp_limit_shape_row *rows;
    size_t count;
    if (!tfp_limit_shape_rows(&t->l, &rows, &count)) return tfp_nomem(err);
    return tfp_grid_of(
        t->r, &(tfp_row_table){ tfp_limit_shape_columns, rows, sizeof *rows, count, tfp_trace_shown(&t->x) }, err);
}

static tfp_status put_chains(limits_report *t, tfp_error *err)
{
    tfp_limit_chain_row *rows = tfp_limit_chain_rows(&t->l, &t->chains, (double)t->steps * t->step_us);
    if (!rows) return tfp_nomem(err);
    return tfp_grid_of(
        t->r,
        &(tfp_row_table){ tfp_limit_chain_columns, rows, sizeof *rows, t->chains.rows.count, tfp_trace_shown(&t->x) },
        err);
}

/* People, and not a program that asks for every value, as the server does for JSON. */
static bool for_people(const tfp_report *r)
{
    const tfp_options *o = tfp_options_of(r);
    return strcmp(o->to.format, "text") == 0 && !o->made.every_value;
}

/* Columns that people do not see: the whole table is for programs. */
static const char *const op_details[] = { "class",         "loss_share",       "float_ops",
                                          "bytes_moved",   "flops_per_second", "bytes_per_second",
                                          "latency_calls", "latency_us",       NULL };
static const char *const shape_details[] = { "class",       "share",      "min_us",     "max_us",  "float_ops",
                                             "bytes_moved", "tflops_min", "tflops_max", "kernels", NULL };
static const char *const chain_details[] = {
    "kernels", "bytes_moved", "bytes_fused", "same_rate_us", "gain_share", NULL
};

static tfp_status put_part(limits_report *t, const char *name, const char *title, const tfp_row_table *table,
                           const char *const *details, tfp_error *err)
{
    enum { FEW = 3 };
    if (!table->row_count) return TFP_OK;
    tfp_grid *g = tfp_grid_part_add(t->r, name, title);
    if (!g) return tfp_nomem(err);
    tfp_status s = tfp_grid_fill(t->r, g, table, err);
    g->few = table->row_count < FEW ? table->row_count : FEW;
    tfp_grid_for_programs(g, details);
    return s;
}

/* For people, below the operators: the shapes and chains that lose most. */
static tfp_status put_parts(limits_report *t, tfp_error *err)
{
    tfp_limit_shape_row *shapes;
    size_t count;
    unsigned shown = tfp_trace_shown(&t->x);
    tfp_limit_chain_row *chains = tfp_limit_chain_rows(&t->l, &t->chains, (double)t->steps * t->step_us);
    if (!chains || !tfp_limit_shape_rows(&t->l, &shapes, &count)) return tfp_nomem(err);
    tfp_row_table by_shape = { tfp_limit_shape_columns, shapes, sizeof *shapes, count, shown },
                  by_chain = { tfp_limit_chain_columns, chains, sizeof *chains, t->chains.rows.count, shown };
    tfp_status s =
        put_part(t, "shapes", "products, convolutions and attention (-by shape)", &by_shape, shape_details, err);
    return s ? s : put_part(t, "chains", "chains that one kernel could do (-by chain)", &by_chain, chain_details, err);
}

static tfp_status put_table(limits_report *t, tfp_limits_by by, tfp_error *err)
{
    if (by == TFP_LIMITS_BY_SHAPE) return put_shapes(t, err);
    if (by == TFP_LIMITS_BY_CHAIN) return put_chains(t, err);
    tfp_limit_row *rows;
    size_t count;
    if (!tfp_limit_rows(&t->l, by, &rows, &count)) return tfp_nomem(err);
    return tfp_grid_of(t->r, &(tfp_row_table){ tfp_limit_columns, rows, sizeof *rows, count, tfp_trace_shown(&t->x) },
                       err);
}

/* One screen for people: the first operators, shapes and chains. */
static tfp_status shorten(limits_report *t, tfp_limits_by by, tfp_error *err)
{
    enum { FEW = 5, MANY = 20 };
    static const char *const *const details[TFP_LIMITS_BYS] = { op_details, op_details,    op_details,   op_details,
                                                                op_details, shape_details, chain_details };
    tfp_grid *g = tfp_table_of(t->r);
    tfp_grid_for_programs(g, details[by]);
    if (by == TFP_LIMITS_BY_MODULE && g->row_count > MANY)
        return tfp_report_note_add(t->r, TFP_NOTE_LAYERS, err, "-by layer adds up modules that differ in numbers only");
    if (by != TFP_LIMITS_BY_OP) return TFP_OK;
    g->few = g->row_count < FEW ? g->row_count : FEW;
    return put_parts(t, err);
}

static tfp_status put_head(limits_report *t, tfp_error *err)
{
    t->sums = tfp_limits_sum(&t->l);
    return put_facts(t) ? put_notes(t, err) : tfp_nomem(err);
}

/* step: whether the step at the limits is shown, too. */
static tfp_status build_by(tfp_report *r, tfp_limits_by by, bool step, tfp_error *err)
{
    limits_report t = { .r = r, .step_us = NAN, .summary_us = NAN };
    tfp_status s = tfp_trace_index_new(r, &t.x, err);
    if (s) return s;
    s = (tfp_limits_by_place(by) /* their device times need no shapes */ ? tfp_limits_of_any
                                                                         : tfp_limits_of)(r, &t.x, &t.l, err);
    bool chains = step || by == TFP_LIMITS_BY_CHAIN;
    if (!s && chains && !tfp_limits_chains(&t.l, &t.chains)) s = tfp_nomem(err);
    if (!s && chains) s = find_step(&t, err);
    if (!s && step) s = put_head(&t, err);
    if (!s) s = put_table(&t, by, err);
    if (!s && step && for_people(r)) s = shorten(&t, by, err);
    tfp_limit_chains_free(&t.chains);
    tfp_limits_free(&t.l);
    return s;
}

static tfp_status build(tfp_report *r, tfp_error *err)
{
    tfp_limits_by by = TFP_LIMITS_BY_OP;
    tfp_status s = by_of(r, &by, err);
    return s ? s : build_by(r, by, true, err);
}

/* ---- one line for other views ---- */

static tfp_status put_line(limits_report *t, tfp_error *err)
{
    tfp_limit_row *rows;
    size_t count;
    tfp_buf b = { 0 };
    double gain = t->step_us - t->bound_us;
    if (!(gain >= LEAST_GAIN * t->step_us)) return TFP_OK;
    if (!tfp_limit_rows(&t->l, TFP_LIMITS_BY_OP, &rows, &count)) return tfp_nomem(err);
    tfp_buf_printf(&b, "at most %.0f%% faster (", 100 * gain / t->step_us);
    tfp_format_real(&b, TFP_MICROS, t->bound_us);
    tfp_buf_text(&b, " instead of ");
    tfp_format_real(&b, TFP_MICROS, t->step_us);
    tfp_buf_printf(&b, " a step, as in whatif); most lost in %.*s (tfprof limits)", (int)rows[0].name.size,
                   rows[0].name.data);
    return tfp_fact_buf(t->r, "limits", "limits", &b) ? TFP_OK : tfp_nomem(err);
}

/* Most of the device's time is not judged: says why, and what would change that. */
static tfp_status put_unjudged(limits_report *t, const tfp_limit_sums *sums, tfp_error *err)
{
    tfp_buf b = { 0 };
    double share = 100 - 100 * (double)sums->judged_ns / (double)sums->device_ns;
    tfp_buf_printf(&b, "not known: %.0f%% of the device's time is not judged (", share);
    tfp_limits_put_why(sums->why_ns, ", ", &b);
    bool graph = sums->why_ns[TFP_WHY_GRAPH] > sums->judged_ns;
    tfp_buf_printf(&b, ")%s (tfprof limits)", graph ? "; a run without graphs, with shapes, tells the rest" : "");
    return tfp_fact_buf(t->r, "limits", "limits", &b) ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_limits_fact(tfp_report *r, const tfp_trace_index *x, tfp_limits *out, bool *found, tfp_error *err)
{
    limits_report t = { .r = r, .x = *x, .step_us = NAN, .quiet = true };
    if (!tfp_aten_has_shapes(tfp_profile_of(r)) || tfp_cut_of(r)) return TFP_OK;
    tfp_status s = tfp_limits_of(r, &t.x, &t.l, err);
    *found = !s;
    bool known = !s && t.l.peaks.known;
    tfp_limit_sums sums = s ? (tfp_limit_sums){ 0 } : tfp_limits_sum(&t.l);
    bool enough = (double)sums.judged_ns >= LEAST_JUDGED * (double)sums.device_ns;
    if (known && enough) s = find_step(&t, err);
    if (known && !s) s = enough ? put_line(&t, err) : put_unjudged(&t, &sums, err);
    *out = t.l;
    out->x = x; /* t.x ends here */
    if (s != TFP_BADFILE) return s;
    tfp_error_clear(err);
    return TFP_OK;
}

#define LIMITS_VIEW(view, table_name, text, fn, of)                                                                    \
    const tfp_view view = {                                                                                            \
        .name = table_name,                                                                                            \
        .help = text,                                                                                                  \
        .kind = TFP_REPORT_GRID,                                                                                       \
        .build = fn,                                                                                                   \
        .needs = TFP_NEEDS_SPANS | TFP_NEEDS_EVENTS | TFP_FINDS_STEPS,                                                 \
        .reads = TFP_READS_STRIDES,                                                                                    \
        .columns = of,                                                                                                 \
        .no_rows = "no such call",                                                                                     \
    }
LIMITS_VIEW(tfp_view_limits, "limits", "How far each operation is from what its device can do, and what loses most.",
            build, tfp_limit_columns);

/* Tables for queries, which have no head. */
#define LIMITS_TABLE(word, table_name, by, text, of)                                                                   \
    static tfp_status build_##word(tfp_report *r, tfp_error *err) { return build_by(r, by, false, err); }              \
    LIMITS_VIEW(tfp_view_limits_##word, table_name, text, build_##word, of)
/* clang-format off */
LIMITS_TABLE(op, "limits", TFP_LIMITS_BY_OP, "The same by operator.", tfp_limit_columns);
LIMITS_TABLE(module, "limits_module", TFP_LIMITS_BY_MODULE, "The same by module.", tfp_limit_columns);
LIMITS_TABLE(layer, "limits_layer", TFP_LIMITS_BY_LAYER, "The same by module, without numbers.", tfp_limit_columns);
LIMITS_TABLE(line, "limits_line", TFP_LIMITS_BY_LINE, "The same by line.", tfp_limit_columns);
LIMITS_TABLE(kernel, "limits_kernel", TFP_LIMITS_BY_KERNEL, "The same by kernel.", tfp_limit_columns);
LIMITS_TABLE(shape, "limits_shape", TFP_LIMITS_BY_SHAPE, "Products and their kin by shape.", tfp_limit_shape_columns);
LIMITS_TABLE(chain, "limits_chain", TFP_LIMITS_BY_CHAIN, "Chains that one kernel could do.", tfp_limit_chain_columns);
/* clang-format on */
