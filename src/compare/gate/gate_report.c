// SPDX-License-Identifier: Apache-2.0
/* compare/gate/gate_report.c: reports verdicts as a table and in words: one line for stderr, the cause, and the least
 * change that the runs' spread allows to detect. */
#include "compare/gate/gate.h"
#include "views/core/grid.h"
#include "views/core/notes.h"
#include "views/core/handle.h"

enum { TOLD = 3, CAUSES = 3 };

static const char *const verdicts[] = {
    [TFP_GATE_FAILED] = "failed",     [TFP_GATE_UNKNOWN] = "unknown",     [TFP_GATE_MOVED] = "moved",
    [TFP_GATE_ONLY_NEW] = "only new", [TFP_GATE_ONLY_BASE] = "only base", [TFP_GATE_PASSED] = "passed",
};

/* ---- the table ---- */

typedef struct gate_row {
    tfp_str name, measure, unit, verdict;
    double base, now, growth, low, high;
} gate_row;

static const tfp_table_column columns[] = {
    TFP_COLUMN(gate_row, "name", TEXT, LABEL, name, "the operation, line of code or device; step is the whole step"),
    TFP_COLUMN(
        gate_row, "measure", TEXT, LABEL, measure,
        "what was measured: step, op and line are times; launches, calls, float_ops, bytes, peak_bytes and params "
        "counters"),
    TFP_COLUMN(gate_row, "unit", TEXT, LABEL, unit, "of base and new: us (microseconds), bytes or count"),
    TFP_COLUMN(gate_row, "base", REAL, NUMBER, base, "median over the base runs of the median over a run's steps"),
    TFP_COLUMN(gate_row, "new", REAL, NUMBER, now, "the same of the new runs"),
    TFP_COLUMN(gate_row, "growth", REAL, PERCENT, growth,
               "growth of new over base; of times that of the trimmed means over the runs"),
    TFP_COLUMN(gate_row, "low", REAL, PERCENT, low,
               "lower end of the growth's interval: it fails when this is over the limit"),
    TFP_COLUMN(gate_row, "high", REAL, PERCENT, high, "upper end of the growth's interval"),
    TFP_COLUMN(
        gate_row, "verdict", TEXT, LABEL, verdict,
        "failed; passed; unknown: too few runs, or a counter that varies; moved: all operations together did not grow; "
        "only new, only base: the other side has no such row"),
    { 0 }
};

static double percent(double share) { return isfinite(share) ? 100 * share : NAN; }

static tfp_status fill(tfp_report *r, const tfp_gate_result *x, tfp_error *err)
{
    gate_row *rows = TFP_NEW(tfp_arena_of(r), gate_row, x->rows.size + 1);
    if (!rows) return tfp_nomem(err);
    for (size_t i = 0; i < x->rows.size; i++) {
        const tfp_gate_finding *f = &x->rows.at[i];
        char *name = tfp_arena_copy(tfp_arena_of(r), f->name);
        if (!name) return tfp_nomem(err);
        rows[i] = (gate_row){ .name = { name, f->name.size },
                              .measure = tfp_str_of(tfp_measures[f->measure].name),
                              .unit = tfp_str_of(tfp_measures[f->measure].unit),
                              .verdict = tfp_str_of(verdicts[f->verdict]),
                              .base = f->base,
                              .now = f->now,
                              .growth = percent(f->growth.growth),
                              .low = percent(f->growth.low),
                              .high = percent(f->growth.high) };
    }
    return tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, x->rows.size, 0 }, err);
}

/* ---- the line ---- */

/* Writes "step +15.2% (+11.0% to +19.4%)" or "float_ops of aten::mm from 2048 to 4096". */
static void put_row(tfp_buf *b, const tfp_gate_finding *f)
{
    bool exact = tfp_measures[f->measure].exact;
    if (exact) tfp_buf_printf(b, "%s of ", tfp_measures[f->measure].name);
    tfp_escape(b, f->name);
    if (exact && f->verdict == TFP_GATE_FAILED) tfp_buf_printf(b, " from %.15g to %.15g", f->base, f->now);
    if (!exact && !isnan(f->growth.growth)) tfp_buf_printf(b, " %+.1f%%", 100 * f->growth.growth);
    if (!isnan(f->growth.low)) tfp_buf_printf(b, " (%+.1f%% to %+.1f%%)", 100 * f->growth.low, 100 * f->growth.high);
}

static size_t put_rows(tfp_buf *b, const tfp_gate_result *x, tfp_gated verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < x->rows.size; i++) {
        if (x->rows.at[i].verdict != verdict) continue;
        if (count < TOLD) {
            tfp_buf_text(b, count ? ", " : "");
            put_row(b, &x->rows.at[i]);
        }
        count++;
    }
    if (count > TOLD) tfp_buf_printf(b, " and %zu more", count - TOLD);
    return count;
}

static const tfp_gate_finding *step_of(const tfp_gate_result *x)
{
    return x->rows.size && x->rows.at[0].measure == TFP_M_STEP ? &x->rows.at[0] : NULL;
}

static void put_line(tfp_buf *b, const tfp_gate_result *x)
{
    const tfp_gate_finding *step = step_of(x);
    tfp_buf_printf(b, "gate: %s: ", verdicts[x->verdict]);
    if (x->verdict == TFP_GATE_FAILED) {
        put_rows(b, x, TFP_GATE_FAILED);
        tfp_buf_printf(b, "; limit %g%%", 100 * x->limit);
    } else {
        if (step) put_row(b, step);
        if (step && x->verdict == TFP_GATE_PASSED) tfp_buf_printf(b, ", limit %g%%", 100 * x->limit);
        if (x->same) tfp_buf_printf(b, "%s%zu counter%s as before", step ? "; " : "", x->same, x->same == 1 ? "" : "s");
        if (!step && !x->same) tfp_buf_text(b, "the sides have nothing in common");
    }
    tfp_buf_printf(b, "; %zu base and %zu new runs", x->base_runs, x->new_runs);
    if (x->verdict == TFP_GATE_UNKNOWN && step && step->verdict != TFP_GATE_UNKNOWN)
        tfp_buf_text(b, ": one side has no steps");
    else if (x->verdict == TFP_GATE_UNKNOWN && step)
        tfp_buf_printf(b, ": the noise between runs is known only from %d runs a side on", TFP_RUNS_LEAST);
}

/* ---- the cause ---- */

static const char *const causes[] = { "/compute_us", "/exposed_communication_us", "/exposed_copy_us", "/idle_us" };

static bool is_cause(tfp_str name)
{
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        tfp_str end = tfp_str_of(causes[i]);
        if (name.size > end.size && tfp_str_ends(name, end)) return true;
    }
    return false;
}

/* By how much a part of the step became longer, in microseconds. */
static double grown(const tfp_gate_runs *base, const tfp_gate_runs *now, const tfp_gate_row *row)
{
    tfp_str name = tfp_strtab_get(&now->names, row->name);
    double before = tfp_gate_median(tfp_gate_row_find(base, TFP_M_PART, name)), after = tfp_gate_median(row);
    return (isnan(after) ? 0 : after) - (isnan(before) ? 0 : before);
}

/* Writes "cpu compute_us +1.90 ms": the parts that grew most, down to a tenth of the step's growth. */
static size_t put_causes(tfp_buf *b, const tfp_gate_runs *base, const tfp_gate_runs *now, double step)
{
    double last = INFINITY;
    size_t told = 0;
    for (; told < CAUSES; told++) {
        const tfp_gate_row *best = NULL;
        double most = 0.1 * step;
        for (size_t i = 0; i < now->rows.size; i++) {
            const tfp_gate_row *row = &now->rows.at[i];
            if (row->measure != TFP_M_PART || !is_cause(tfp_strtab_get(&now->names, row->name))) continue;
            double us = grown(base, now, row);
            if (us < most || us >= last) continue;
            most = us;
            best = row;
        }
        if (!best) break;
        last = most;
        tfp_str name = tfp_strtab_get(&now->names, best->name);
        tfp_buf_text(b, told ? ", " : "");
        tfp_escape(b, (tfp_str){ name.data, name.size - 3 }); /* without the ending _us */
        tfp_buf_text(b, " +");
        tfp_format_real(b, TFP_MICROS, most);
    }
    return told;
}

static void put_cause(tfp_buf *b, const tfp_gate_result *x, const tfp_gate_runs *base, const tfp_gate_runs *now)
{
    const tfp_gate_finding *step = step_of(x);
    double more = step && step->verdict == TFP_GATE_FAILED ? step->now - step->base : 0;
    if (!(more > 0)) return;
    tfp_buf_text(b, "a step takes ");
    tfp_format_real(b, TFP_MICROS, more);
    tfp_buf_text(b, " more: ");
    if (!put_causes(b, base, now, more)) tfp_buf_text(b, "no part of it by itself");
}

/* ---- what could have been found ---- */

static void put_power(tfp_buf *b, const tfp_gate_result *x)
{
    const tfp_gate_finding *step = step_of(x);
    if (!step || isnan(step->growth.found) || step->growth.found <= 0 || step->growth.found > 1e3) return;
    tfp_buf_printf(b, "with the spread of these runs, nine of ten comparisons find a step that takes %.1f%% more%s",
                   100 * ((1 + x->limit) * (1 + step->growth.found) - 1),
                   step->growth.found > 0.05 ? "; more runs, or pairs on one machine (--pairs), find less" : "");
}

/* A note for each of the first doubts of a side's runs, whose doubtful steps are in no median, and the number of others. */
static tfp_status tell_doubts(tfp_report *r, const tfp_gate_runs *g, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < g->doubts.size && i < TOLD && !s; i++) {
        tfp_str text = tfp_strtab_get(&g->names, g->doubts.at[i]);
        size_t more = i == TOLD - 1 ? g->doubts.size - TOLD : 0;
        s = more ? tfp_report_note_add(r, TFP_NOTE_DOUBT, err, "%.*s; and %zu more doubts", (int)text.size, text.data,
                                       more)
                 : tfp_report_note_add(r, TFP_NOTE_DOUBT, err, "%.*s", (int)text.size, text.data);
    }
    return s;
}

tfp_status tfp_gate_tell(tfp_report *r, const tfp_gate_result *x, const tfp_gate_runs *base, const tfp_gate_runs *now,
                         tfp_error *err)
{
    static const tfp_note_code codes[] = { TFP_NOTE_GATE_VERDICT, TFP_NOTE_GATE_CAUSE, TFP_NOTE_GATE_POWER };
    tfp_buf notes[3] = { { 0 } };
    tfp_status s = fill(r, x, err);
    put_line(&notes[0], x);
    put_cause(&notes[1], x, base, now);
    put_power(&notes[2], x);
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        if (!s && notes[i].failed) s = tfp_nomem(err);
        if (!s && notes[i].size) s = tfp_report_note_add(r, codes[i], err, "%.*s", (int)notes[i].size, notes[i].data);
        tfp_buf_free(&notes[i]);
    }
    tfp_table_of(r)->keeps_order = true;
    if (!s) s = tell_doubts(r, base, err);
    if (!s) s = tell_doubts(r, now, err);
    return s ? s : tfp_grid_arrange(r, err);
}
