// SPDX-License-Identifier: Apache-2.0
/* compare/gate/calibrate.c: how much the numbers of equal runs vary, and the limit of each number that one more run of the same version exceeds
 * with a stated probability. The logarithms of times are taken as normal: a limit is the upper end of Student's prediction interval of one
 * run, or the longest time of an equal run if that is longer. The probability is divided as in judge.c: four fifths for the step, the rest for operations and lines that take at least a
 * hundredth of a step. Counters have no noise: their limit is their value. */
#include "compare/gate/gate.h"
#include "compare/welch.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/core/notes.h"

#define STEP_SHARE 0.8    /* of the false alarms */
#define SHARE_TESTED 0.01 /* of a step */
#define NOISY 0.25        /* a limit that is higher than this growth finds nothing of use */
enum { RUNS_LEAST = 5, TOLD = 3 };

typedef struct calibrated_row {
    tfp_str name, measure, unit, verdict;
    int64_t runs;
    double usual, noise, limit, growth, now;
} calibrated_row;

static const tfp_table_column columns[] = {
    TFP_COLUMN(calibrated_row, "name", TEXT, LABEL, name, "the operation or line of code; step is the whole step"),
    TFP_COLUMN(calibrated_row, "measure", TEXT, LABEL, measure, "what was measured, as in diff --gate"),
    TFP_COLUMN(calibrated_row, "unit", TEXT, LABEL, unit, "of usual, limit and new: us (microseconds), bytes or count"),
    TFP_COLUMN(calibrated_row, "runs", INT, NUMBER, runs, "runs that have this number"),
    TFP_COLUMN(calibrated_row, "usual", REAL, NUMBER, usual, "geometric mean over these runs"),
    TFP_COLUMN(calibrated_row, "noise", REAL, PERCENT, noise, "standard deviation between runs"),
    TFP_COLUMN(calibrated_row, "limit", REAL, NUMBER, limit, "what a run may have"),
    TFP_COLUMN(calibrated_row, "growth", REAL, PERCENT, growth, "growth of the limit over usual"),
    TFP_COLUMN(calibrated_row, "new", REAL, NUMBER, now, "median over the runs that were checked"),
    TFP_COLUMN(calibrated_row, "verdict", TEXT, LABEL, verdict,
               "gates: it has a limit; passed; failed: over the limit; too few runs: fewer than five; too noisy: the "
               "limit would be more than "
               "25 % over usual; varies: a counter that differs between equal runs; missing: the checked runs lack it"),
    { 0 }
};

typedef struct calibration {
    tfp_gate_runs *base;
    const tfp_gate_runs *now;
    double least; /* least time of an operation or line that counts */
    size_t tested;
    TFP_VEC(calibrated_row) rows;
} calibration;

static bool is_time(const tfp_gate_row *row) { return !tfp_measures[row->measure].exact; }

static bool is_used(const calibration *c, const tfp_gate_row *row)
{
    if (!is_time(row) || row->measure == TFP_M_STEP) return true;
    return row->measure != TFP_M_PART && tfp_gate_median(row) >= c->least;
}

/* ---- one number ---- */

static void calibrate_time(tfp_gate_row *row, double alpha, calibrated_row *out)
{
    double sum = 0, squares = 0, most = 0;
    for (size_t i = 0; i < row->values.size; i++) {
        double x = log(row->values.at[i]);
        if (!(row->values.at[i] > 0)) continue;
        most = fmax(most, row->values.at[i]);
        double delta = x - sum; /* sum: the mean so far (Welford) */
        sum += delta / (double)++out->runs;
        squares += delta * (x - sum);
    }
    if (out->runs) out->usual = exp(sum);
    if (out->runs < RUNS_LEAST) {
        out->verdict = TFP_STR("too few runs");
        return;
    }
    double n = (double)out->runs, deviation = sqrt(squares / (n - 1));
    out->noise = expm1(deviation);
    out->growth =
        fmax(expm1(deviation * sqrt(1 + 1 / n) * tfp_student_quantile(2 * alpha, n - 1)), most / out->usual - 1);
    if (out->growth > NOISY)
        out->verdict = TFP_STR("too noisy");
    else
        out->limit = row->limit = out->usual * (1 + out->growth);
}

static void calibrate_counter(tfp_gate_row *row, calibrated_row *out)
{
    double least = NAN, most = NAN;
    for (size_t i = 0; i < row->values.size; i++) {
        out->runs += !isnan(row->values.at[i]);
        least = fmin(least, row->values.at[i]);
        most = fmax(most, row->values.at[i]);
    }
    out->usual = tfp_gate_median(row);
    if (least == most)
        out->limit = row->limit = most, out->growth = 0;
    else
        out->verdict = TFP_STR("varies");
}

/* Compares the number of the runs that are checked with the limit. */
static void check(const calibration *c, tfp_str name, const tfp_gate_row *row, calibrated_row *out)
{
    out->now = tfp_gate_median(tfp_gate_row_find(c->now, row->measure, name));
    if (isnan(out->now))
        out->verdict = TFP_STR("missing");
    else
        out->verdict = out->now > row->limit ? TFP_STR("failed") : TFP_STR("passed");
}

static bool add_row(calibration *c, tfp_arena *a, tfp_gate_row *row, double rate)
{
    tfp_str name = tfp_strtab_get(&c->base->names, row->name);
    double alpha = row->measure == TFP_M_STEP ? STEP_SHARE * rate : (1 - STEP_SHARE) * rate / (double)c->tested;
    calibrated_row out = { .measure = tfp_str_of(tfp_measures[row->measure].name),
                           .unit = tfp_str_of(tfp_measures[row->measure].unit),
                           .verdict = TFP_STR("gates"),
                           .name = { tfp_arena_copy(a, name), name.size },
                           .usual = NAN,
                           .noise = NAN,
                           .limit = NAN,
                           .growth = NAN,
                           .now = NAN };
    row->limit = 0;
    if (is_time(row))
        calibrate_time(row, alpha, &out);
    else
        calibrate_counter(row, &out);
    if (row->limit > 0 && c->now->runs.size) check(c, name, row, &out);
    return out.name.data && tfp_push(&c->rows, out);
}

/* ---- the report ---- */

static bool is(const calibrated_row *row, const char *verdict) { return tfp_str_eq(row->verdict, tfp_str_of(verdict)); }

static double percent(double share) { return isnan(share) ? NAN : 100 * share; }

/* Lists the first rows with a verdict: "step, aten::mm and 4 more". */
static size_t put_names(tfp_buf *b, const calibration *c, bool (*fits)(const calibrated_row *row))
{
    size_t count = 0;
    for (size_t i = 0; i < c->rows.size; i++) {
        const calibrated_row *row = &c->rows.at[i];
        if (!fits(row) || ++count > TOLD) continue;
        tfp_buf_text(b, count > 1 ? ", " : "");
        tfp_buf_printf(b, "%.*s of ", (int)row->measure.size, row->measure.data);
        tfp_escape(b, row->name);
        if (is(row, "failed")) tfp_buf_printf(b, " %.15g, limit %.15g", row->now, row->limit);
        if (!is(row, "failed"))
            tfp_buf_printf(b, " (%.*s%s", (int)row->verdict.size, row->verdict.data, isnan(row->noise) ? ")" : "");
        if (!is(row, "failed") && !isnan(row->noise)) tfp_buf_printf(b, ": %.1f%%)", 100 * row->noise);
    }
    if (count > TOLD) tfp_buf_printf(b, " and %zu more", count - TOLD);
    return count;
}

static bool has_failed(const calibrated_row *row) { return is(row, "failed"); }
static bool cannot_gate(const calibrated_row *row) { return isnan(row->limit); }

static tfp_status tell(tfp_report *r, const calibration *c, double rate, tfp_gated verdict, tfp_error *err)
{
    tfp_buf line = { 0 }, others = { 0 };
    size_t cannot = put_names(&others, c, cannot_gate);
    if (c->now->runs.size) {
        tfp_buf_printf(&line, "gate: %s: ",
                       verdict == TFP_GATE_FAILED   ? "failed"
                       : verdict == TFP_GATE_PASSED ? "passed"
                                                    : "unknown");
        if (!put_names(&line, c, has_failed)) tfp_buf_printf(&line, "no number is over its limit");
        tfp_buf_text(&line, "; ");
    }
    tfp_buf_printf(
        &line, "%zu of %zu numbers have a limit by %zu equal run%s; one more equal run fails in %g%% of checks",
        c->rows.size - cannot, c->rows.size, c->base->runs.size, c->base->runs.size == 1 ? "" : "s", 100 * rate);
    tfp_status s = line.failed || others.failed ? tfp_nomem(err) : TFP_OK;
    if (!s) s = tfp_report_note_add(r, TFP_NOTE_GATE_VERDICT, err, "%.*s", (int)line.size, line.data);
    if (!s && cannot)
        s = tfp_report_note_add(r, TFP_NOTE_GATE_POWER, err, "cannot gate here: %.*s", (int)others.size, others.data);
    tfp_buf_free(&line);
    tfp_buf_free(&others);
    return s;
}

static tfp_gated verdict_of(const calibration *c)
{
    bool passed = false;
    for (size_t i = 0; i < c->rows.size; i++) {
        if (has_failed(&c->rows.at[i])) return TFP_GATE_FAILED;
        passed |= is(&c->rows.at[i], "passed");
    }
    return passed ? TFP_GATE_PASSED : TFP_GATE_UNKNOWN;
}

tfp_status tfp_gate_limits(tfp_gate_runs *base, const tfp_gate_runs *now, double rate, tfp_report *r,
                           tfp_gated *verdict, tfp_error *err)
{
    calibration c = { .base = base, .now = now };
    double step = tfp_gate_median(tfp_gate_row_find(base, TFP_M_STEP, TFP_STR("step")));
    c.least = isnan(step) ? 0 : step * SHARE_TESTED;
    base->rate = rate;
    bool ok = true;
    for (size_t i = 0; i < base->rows.size; i++) {
        const tfp_gate_row *row = &base->rows.at[i];
        c.tested += row->measure != TFP_M_STEP && is_time(row) && is_used(&c, row);
    }
    for (size_t i = 0; i < base->rows.size && ok; i++)
        if (is_used(&c, &base->rows.at[i])) ok = add_row(&c, tfp_arena_of(r), &base->rows.at[i], rate);
    calibrated_row *rows = ok ? TFP_NEW(tfp_arena_of(r), calibrated_row, c.rows.size + 1) : NULL;
    tfp_status s = rows ? TFP_OK : tfp_nomem(err);
    *verdict = verdict_of(&c);
    for (size_t i = 0; i < c.rows.size && !s; i++) {
        rows[i] = c.rows.at[i];
        rows[i].noise = percent(rows[i].noise);
        rows[i].growth = percent(rows[i].growth);
    }
    if (!s) s = tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, c.rows.size, 0 }, err);
    tfp_table_of(r)->keeps_order = true;
    if (!s) s = tell(r, &c, rate, *verdict, err);
    if (!s) s = tfp_grid_arrange(r, err);
    tfp_vec_free(&c.rows);
    return s;
}
