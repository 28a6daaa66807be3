// SPDX-License-Identifier: Apache-2.0
/* compare/gate/judge.c: decides which rows grew. Equal sides may fail by chance in 0.5 % of comparisons: 0.4 % for the step, and
 * 0.1 % shared evenly by the operations and lines that take at least a hundredth of a step (weighted Bonferroni correction). So
 * in a thousand comparisons more than 1 % hardly ever fail. Counters have no noise and are compared exactly. */
#include "compare/gate/gate.h"

#include <stdlib.h>

#define ALPHA_STEP 0.004
#define ALPHA_ROWS 0.001
#define SHARE_TESTED 0.01 /* share of a step */

typedef struct judge {
    const tfp_gate_runs *base, *now;
    tfp_gate_result *out;
    double least; /* least time of a row that is tested */
    size_t tested;
    double *a, *b; /* logarithms of a row's times */
} judge;

static tfp_str name_of(const tfp_gate_runs *g, const tfp_gate_row *row) { return tfp_strtab_get(&g->names, row->name); }

static bool is_time(tfp_measure m) { return !tfp_measures[m].exact; }

/* Whether the time of a row is tested: it is long enough on one of the sides. `other` may be NULL. */
static bool is_tested(const judge *j, const tfp_gate_row *row, const tfp_gate_row *other)
{
    if (row->measure == TFP_M_STEP) return true;
    if (row->measure != TFP_M_OP && row->measure != TFP_M_LINE) return false;
    return tfp_gate_median(row) >= j->least || tfp_gate_median(other) >= j->least;
}

/* ---- times ---- */

static size_t logs_of(const tfp_gate_row *row, double *out)
{
    size_t n = 0;
    for (size_t i = 0; row && i < row->values.size; i++)
        if (row->values.at[i] > 0) out[n++] = log(row->values.at[i]);
    return n;
}

static size_t pairs_of(const tfp_gate_row *base, const tfp_gate_row *now, double *a, double *b)
{
    size_t n = 0;
    for (size_t i = 0; base && now && i < base->values.size && i < now->values.size; i++)
        if (base->values.at[i] > 0 && now->values.at[i] > 0) {
            a[n] = log(base->values.at[i]);
            b[n++] = log(now->values.at[i]);
        }
    return n;
}

static void judge_time(const judge *j, const tfp_gate_row *base, const tfp_gate_row *now, tfp_gate_finding *f)
{
    double alpha = f->measure == TFP_M_STEP ? ALPHA_STEP : ALPHA_ROWS / (double)j->tested;
    bool pairs = j->out->pairs;
    size_t a = pairs ? pairs_of(base, now, j->a, j->b) : logs_of(base, j->a), b = pairs ? a : logs_of(now, j->b);
    f->verdict = TFP_GATE_UNKNOWN;
    f->growth = (tfp_growth){ f->now / f->base - 1, NAN, NAN, NAN };
    if (a < TFP_RUNS_LEAST || b < TFP_RUNS_LEAST) return;
    f->growth = pairs ? tfp_growth_of_pairs(j->a, j->b, a, alpha) : tfp_growth_test(j->a, a, j->b, b, alpha);
    f->verdict = f->growth.low > j->out->limit ? TFP_GATE_FAILED : TFP_GATE_PASSED;
}

/* ---- counters ---- */

typedef struct range {
    double least, most;
} range;

static range range_of(const tfp_gate_row *row)
{
    range x = { NAN, NAN };
    for (size_t i = 0; i < row->values.size; i++) {
        x.least = fmin(x.least, row->values.at[i]);
        x.most = fmax(x.most, row->values.at[i]);
    }
    return x;
}

/* A counter fails if every new run has more than any run of the base. If it varies from run to run, the result is unknown. */
static void judge_counter(const tfp_gate_row *base, const tfp_gate_row *now, tfp_gate_finding *f)
{
    range x = range_of(base), y = range_of(now);
    f->growth = (tfp_growth){ f->base > 0 ? f->now / f->base - 1 : NAN, NAN, NAN, NAN };
    bool same = x.least == x.most && y.least == y.most;
    f->verdict = y.least > x.most ? TFP_GATE_FAILED : same || y.most <= x.least ? TFP_GATE_PASSED : TFP_GATE_UNKNOWN;
}

/* ---- rows ---- */

/* Judges a row; one of the two may be NULL. */
static bool judge_row(const judge *j, const tfp_gate_row *base, const tfp_gate_row *now)
{
    tfp_measure m = (base ? base : now)->measure;
    tfp_gate_finding f = { .measure = m, .base = tfp_gate_median(base), .now = tfp_gate_median(now) };
    f.name = base ? name_of(j->base, base) : name_of(j->now, now);
    f.growth = (tfp_growth){ NAN, NAN, NAN, NAN };
    if (!base)
        f.verdict = TFP_GATE_ONLY_NEW;
    else if (!now)
        f.verdict = TFP_GATE_ONLY_BASE;
    else if (is_time(m))
        judge_time(j, base, now, &f);
    else
        judge_counter(base, now, &f);
    if (!is_time(m) && f.verdict == TFP_GATE_PASSED && f.base == f.now) {
        j->out->same++;
        return true;
    }
    return tfp_push(&j->out->rows, f);
}

/* Judges the rows of the base, then those that only the new side has. */
static bool judge_side(const judge *j, bool is_base)
{
    const tfp_gate_runs *side = is_base ? j->base : j->now, *other = is_base ? j->now : j->base;
    bool ok = true;
    for (size_t i = 0; i < side->rows.size && ok; i++) {
        const tfp_gate_row *row = &side->rows.at[i];
        const tfp_gate_row *there = tfp_gate_row_find(other, row->measure, name_of(side, row));
        if (!is_base && there) continue;
        if (is_time(row->measure) && !is_tested(j, row, there)) continue;
        ok = is_base ? judge_row(j, row, there) : judge_row(j, NULL, row);
    }
    return ok;
}

static size_t count_tested(const judge *j)
{
    size_t n = 0;
    for (size_t i = 0; i < j->base->rows.size; i++) {
        const tfp_gate_row *row = &j->base->rows.at[i];
        const tfp_gate_row *now = tfp_gate_row_find(j->now, row->measure, name_of(j->base, row));
        n += row->measure != TFP_M_STEP && now && is_tested(j, row, now);
    }
    return n;
}

/* An operation that replaces another one is no growth: the sum over all operations decides. */
static void settle_counters(tfp_gate_result *out)
{
    bool grown[TFP_M_COUNT] = { [TFP_M_LAUNCHES] = true }; /* for devices there is no sum */
    for (size_t i = 0; i < out->rows.size; i++) {
        const tfp_gate_finding *f = &out->rows.at[i];
        if (tfp_str_eq(f->name, TFP_GATE_ALL)) grown[f->measure] |= f->verdict == TFP_GATE_FAILED;
    }
    for (size_t i = 0; i < out->rows.size; i++) {
        tfp_gate_finding *f = &out->rows.at[i];
        if (!is_time(f->measure) && f->verdict == TFP_GATE_FAILED && !grown[f->measure]) f->verdict = TFP_GATE_MOVED;
    }
}

/* ---- the order and the verdict ---- */

static double time_grown(const tfp_gate_finding *f)
{
    return is_time(f->measure) ? (isnan(f->now) ? 0 : f->now) - (isnan(f->base) ? 0 : f->base) : 0;
}

static bool before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_gate_finding *x = (const tfp_gate_finding *)ctx + a, *y = (const tfp_gate_finding *)ctx + b;
    bool x_step = x->measure == TFP_M_STEP, y_step = y->measure == TFP_M_STEP;
    if (x_step != y_step) return x_step;
    bool x_failed = x->verdict == TFP_GATE_FAILED, y_failed = y->verdict == TFP_GATE_FAILED;
    if (x_failed != y_failed) return x_failed;
    bool x_sum = tfp_str_eq(x->name, TFP_GATE_ALL), y_sum = tfp_str_eq(y->name, TFP_GATE_ALL);
    if (x_sum != y_sum && !is_time(x->measure) && !is_time(y->measure)) return x_sum;
    return time_grown(x) > time_grown(y);
}

static bool arrange(tfp_gate_result *out)
{
    size_t count = out->rows.size;
    uint32_t *order = malloc((count + 1) * sizeof *order);
    tfp_gate_finding *sorted = malloc((count + 1) * sizeof *sorted);
    bool ok = order && sorted;
    for (uint32_t i = 0; i < count && ok; i++) order[i] = i;
    ok = ok && tfp_sort(order, count, before, out->rows.at);
    for (size_t i = 0; i < count && ok; i++) sorted[i] = out->rows.at[order[i]];
    if (ok && count) memcpy(out->rows.at, sorted, count * sizeof *sorted);
    free(order);
    free(sorted);
    return ok;
}

static tfp_gated verdict_of(const tfp_gate_result *out)
{
    bool timed = false, any = out->same != 0;
    for (size_t i = 0; i < out->rows.size; i++) {
        const tfp_gate_finding *f = &out->rows.at[i];
        if (f->verdict == TFP_GATE_FAILED) return TFP_GATE_FAILED;
        timed |= f->measure == TFP_M_STEP && f->verdict != TFP_GATE_PASSED;
        any |= f->verdict == TFP_GATE_PASSED;
    }
    return timed || !any ? TFP_GATE_UNKNOWN : TFP_GATE_PASSED;
}

tfp_status tfp_gate_compare(const tfp_gate_runs *base, const tfp_gate_runs *now, tfp_gate_result *out, tfp_error *err)
{
    judge j = { .base = base, .now = now, .out = out };
    size_t most = (base->runs.size > now->runs.size ? base : now)->runs.size + 1;
    double step = tfp_gate_median(tfp_gate_row_find(base, TFP_M_STEP, TFP_STR("step")));
    j.least = isnan(step) ? 0 : step * SHARE_TESTED;
    out->base_runs = base->runs.size;
    out->new_runs = now->runs.size;
    if (out->pairs && out->base_runs != out->new_runs)
        return tfp_fail(err, TFP_BADARG, "pairs need as many new runs as base runs: %zu and %zu", out->new_runs,
                        out->base_runs);
    j.tested = count_tested(&j);
    j.a = malloc(most * sizeof *j.a);
    j.b = malloc(most * sizeof *j.b);
    bool ok = j.a && j.b && judge_side(&j, true) && judge_side(&j, false);
    settle_counters(out);
    ok = ok && arrange(out);
    free(j.a);
    free(j.b);
    if (!ok) return tfp_nomem(err);
    out->verdict = verdict_of(out);
    return TFP_OK;
}
