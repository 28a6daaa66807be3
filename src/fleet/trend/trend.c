// SPDX-License-Identifier: Apache-2.0
/* fleet/trend/trend.c: tests every job and operation of an index for a lasting change, and makes a table of those that changed. */
#include "fleet/trend/trend.h"
#include "fleet/identity.h"
#include "fleet/trend/series.h"
#include "fleet/trend/shift.h"
#include "query/order.h"
#include "views/core/report.h"
#include "views/core/grid.h"

#include <math.h>
#include <time.h>

/* ---- settings ---- */

typedef struct settings {
    double q, least;
    int64_t since;
    tfp_filter *job, *op;
} settings;

static tfp_status wrong(tfp_error *err, const char *name, const char *value, const char *must)
{
    return tfp_fail(err, TFP_BADARG, "option --%s: '%s' must be %s", name, value, must);
}

static tfp_status parse_filter(const char *name, const char *value, tfp_filter **out, tfp_error *err)
{
    tfp_str pattern = tfp_str_of(value);
    tfp_filter_free(*out);
    *out = NULL;
    tfp_status s = tfp_filter_of(&pattern, 1, out, err);
    if (s != TFP_BADARG) return s;
    char why[sizeof err->text] = "";
    if (err) memcpy(why, err->text, sizeof why);
    return tfp_fail(err, TFP_BADARG, "option --%s: %s", name, why);
}

static tfp_status set(settings *x, const char *name, const char *value, tfp_error *err)
{
    if (strcmp(name, "q") == 0)
        return tfp_fleet_share(value, 1, &x->q) ? TFP_OK : wrong(err, name, value, "a share up to 1, such as 0.01");
    if (strcmp(name, "min-change") == 0)
        return tfp_fleet_share(value, 1e9, &x->least) ? TFP_OK : wrong(err, name, value, "a share, such as 3%");
    if (strcmp(name, "since") == 0)
        return tfp_fleet_date(tfp_str_of(value), &x->since) ? TFP_OK
                                                            : wrong(err, name, value, "a date, such as 2026-11-24");
    if (strcmp(name, "job") == 0) return parse_filter(name, value, &x->job, err);
    if (strcmp(name, "op") == 0) return parse_filter(name, value, &x->op, err);
    return tfp_fail(err, TFP_BADARG, "trend has no setting '%s'", name);
}

/* ---- the tests ---- */

typedef struct row {
    tfp_str job, op, date, status;
    double before_us, after_us, change, q;
    int64_t runs_before, runs_after;
} row;

typedef struct test {
    uint32_t series;
    size_t first; /* index of its first day in `days` */
    tfp_shift shift;
} test;

typedef struct tests {
    TFP_VEC(test) list;
    TFP_VEC(double) values, p;
    double *q;
} tests;

static double value_of(const tfp_day *d) { return d->runs > 0 ? d->sum / d->runs : 0; }

static bool test_series(tests *t, const tfp_fleet_series *s, const settings *x, size_t first, size_t count)
{
    test one = { .series = tfp_series_days(s)[first].series, .first = first };
    tfp_shift_rules rules = { x->least, x->q };
    t->values.size = 0;
    for (size_t i = 0; i < count; i++)
        if (!tfp_push(&t->values, value_of(&tfp_series_days(s)[first + i]))) return false;
    if (count < 2 * TFP_SHIFT_SIDE) return true;
    return tfp_shift_find(t->values.at, count, &rules, &one.shift) && tfp_push(&t->list, one) &&
           tfp_push(&t->p, one.shift.p);
}

static bool test_all(tests *t, const tfp_fleet_series *s, const settings *x)
{
    const tfp_day *days = tfp_series_days(s);
    for (size_t first = 0, end; first < s->days.count; first = end) {
        for (end = first; end < s->days.count && days[end].series == days[first].series;) end++;
        if (!test_series(t, s, x, first, end - first)) return false;
    }
    t->q = calloc(t->p.size + 1, sizeof *t->q);
    return t->q && tfp_shift_rates(t->p.at, t->q, t->p.size);
}

static void free_tests(tests *t)
{
    tfp_vec_free(&t->list);
    tfp_vec_free(&t->values);
    tfp_vec_free(&t->p);
    free(t->q);
}

/* ---- the table ---- */

/* clang-format off */
static const tfp_table_column columns[] = {
    TFP_COLUMN(row, "job", TEXT, LABEL, job, "The job."),
    TFP_COLUMN(row, "op", TEXT, LABEL, op, "The operation; none: the step."),
    TFP_COLUMN(row, "date", TEXT, LABEL, date, "The first day after the change."),
    TFP_COLUMN(row, "before_us", REAL, LABEL, before_us, "Microseconds in a step before, the mean of the days; of an operation on the accelerator."),
    TFP_COLUMN(row, "after_us", REAL, LABEL, after_us, "The same after the change."),
    TFP_COLUMN(row, "change", REAL, SHARE, change, "after_us over before_us, less one."),
    TFP_COLUMN(row, "runs_before", INT, NUMBER, runs_before, "Runs before the change."),
    TFP_COLUMN(row, "runs_after", INT, NUMBER, runs_after, "Runs after it."),
    TFP_COLUMN(row, "q", REAL, LABEL, q, "The share of false alarms among rows up to this one (Benjamini-Hochberg)."),
    TFP_COLUMN(row, "status", TEXT, LABEL, status, "regressed or improved."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

static tfp_str text_of(tfp_report *r, tfp_str s)
{
    const char *copy = tfp_arena_copy(&r->arena, s);
    return (tfp_str){ copy, copy ? s.size : 0 };
}

static tfp_str date_text(tfp_report *r, int64_t days)
{
    time_t seconds = (time_t)(days * 86400);
    struct tm utc;
    char text[32];
    if (!gmtime_r(&seconds, &utc)) return (tfp_str){ 0 };
    size_t size = strftime(text, sizeof text, "%Y-%m-%d", &utc);
    return text_of(r, (tfp_str){ text, size });
}

static double mean_of_days(const tfp_day *days, size_t count, int64_t *runs)
{
    double values = 0, all = 0;
    for (size_t i = 0; i < count; i++) values += value_of(&days[i]), all += days[i].runs;
    *runs = llround(all);
    return values / (double)count;
}

static row row_of(tfp_report *r, const tfp_fleet_series *s, const test *t, double q)
{
    const tfp_day *days = tfp_series_days(s) + t->first;
    tfp_series names = ((const tfp_series *)s->series.rows)[t->series];
    row one = { .job = text_of(r, tfp_strtab_get(&s->names.table, names.job)), .change = t->shift.change, .q = q };
    if (names.op != TFP_NONE) one.op = text_of(r, tfp_strtab_get(&s->names.table, names.op));
    one.date = date_text(r, days[t->shift.at].date);
    one.status = one.change > 0 ? TFP_STR("regressed") : TFP_STR("improved");
    one.before_us = mean_of_days(days + t->shift.from, t->shift.at - t->shift.from, &one.runs_before);
    one.after_us = mean_of_days(days + t->shift.at, t->shift.end - t->shift.at, &one.runs_after);
    return one;
}

static const tfp_sort_key most_grown[] = { TFP_DOWN(row, change), { 0 } };

static tfp_status fill(tfp_report *r, const tfp_fleet_series *s, const tests *t, const settings *x, size_t *regressed,
                       tfp_error *err)
{
    row *rows = tfp_arena_zero(&r->arena, t->list.size + 1, sizeof *rows);
    size_t count = 0;
    if (!rows) return tfp_nomem(err);
    for (size_t i = 0; i < t->list.size; i++) {
        const test *one = &t->list.at[i];
        bool counts = one->shift.at < one->shift.end && t->q[i] <= x->q && fabs(one->shift.change) >= x->least &&
                      one->shift.change != 0;
        if (!counts || tfp_series_days(s)[one->first + one->shift.at].date < x->since) continue;
        rows[count] = row_of(r, s, one, t->q[i]);
        *regressed += rows[count].change > 0;
        if (!rows[count].job.data || !rows[count].date.data) return tfp_nomem(err);
        count++;
    }
    if (!tfp_order_rows(rows, sizeof *rows, count, most_grown)) return tfp_nomem(err);
    tfp_status status = tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, count, 0 }, err);
    return status ? status : tfp_grid_arrange(r, err);
}

static tfp_status make(const char *index, const settings *x, tfp_report *r, size_t *regressed, tfp_error *err)
{
    tfp_fleet_series s = { .job = x->job, .op = x->op };
    tests t = { 0 };
    tfp_status status = tfp_series_read(&s, index, err);
    if (!status && !test_all(&t, &s, x)) status = tfp_nomem(err);
    if (!status) status = fill(r, &s, &t, x, regressed, err);
    free_tests(&t);
    tfp_series_free(&s);
    return status;
}

tfp_status tfp_trend_of(const char *index, const char *const *given, const tfp_options *o, tfp_report **out,
                        size_t *regressed, tfp_error *err)
{
    settings x = { .q = 0.01, .least = 0.03, .since = INT64_MIN };
    tfp_status s = TFP_OK;
    for (size_t i = 0; given && given[i] && !s; i += 2)
        if (given[i + 1]) s = set(&x, given[i], given[i + 1], err);
    tfp_report *r = s ? NULL : tfp_report_new("trend", o);
    *regressed = 0;
    if (!s) s = r ? make(index, &x, r, regressed, err) : tfp_nomem(err);
    tfp_filter_free(x.job);
    tfp_filter_free(x.op);
    return tfp_report_give(r, s, out);
}
