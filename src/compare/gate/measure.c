// SPDX-License-Identifier: Apache-2.0
/* compare/gate/measure.c: the numbers of one run: the median over its steps of the step, its parts, each operation and its
 * counters; for a line the mean, because the table of lines has only that. */
#include "compare/gate/gate.h"
#include "compare/stats.h"
#include "compare/steps.h"
#include "views/core/rows.h"

#include <stdio.h>

#define SHARE_KEPT 0.005 /* share of a step: shorter times are dropped; judge.c tests from twice this share on */
enum { COLUMN_NAME = 64 };

static size_t last_run(const tfp_gate_runs *g) { return g->runs.size - 1; }

static double step_of(const tfp_gate_runs *g)
{
    double step = tfp_gate_value(tfp_gate_row_find(g, TFP_M_STEP, TFP_STR("step")), last_run(g));
    return isnan(step) ? 0 : step;
}

/* ---- steps and their parts ---- */

static tfp_status take_step_row(tfp_gate_runs *g, size_t at, tfp_str name, const tfp_step_values *v, tfp_error *err)
{
    if (!v->count) return TFP_OK;
    double median = tfp_spread_of_reals(v->at, v->count).median;
    if (at == 0) return tfp_gate_put(g, last_run(g), TFP_M_STEP, TFP_STR("step"), median, err);
    if (v->column == TFP_C_OCCURRENCE) return tfp_gate_put(g, last_run(g), TFP_M_LAUNCHES, name, median, err);
    if (tfp_str_ends(name, TFP_STR("/duration_us")) || tfp_str_ends(name, TFP_STR("/launch_delay_us"))) return TFP_OK;
    return tfp_gate_put(g, last_run(g), TFP_M_PART, name, median, err);
}

/* A profile without steps, or without spans, has no such rows, which is no error. */
static tfp_status or_nothing(tfp_status s, tfp_error *err)
{
    if (s != TFP_NOTFOUND && s != TFP_BADARG) return s;
    tfp_error_clear(err);
    return TFP_OK;
}

tfp_status tfp_gate_take_steps(tfp_gate_runs *g, const tfp_profile *p, tfp_error *err)
{
    tfp_step_table table = { 0 };
    tfp_options *o = tfp_options_new();
    tfp_status s = o ? tfp_options_set(o, "select", "micros,occurrence", err) : tfp_nomem(err);
    if (!s) s = tfp_step_table_of(p, o, &table, err);
    for (size_t i = 0; !s && i < tfp_row_count(table.report); i++)
        s = take_step_row(g, i, tfp_row_at(table.report, i)->name, &table.rows[i], err);
    tfp_report_free(table.report);
    tfp_options_free(o);
    return or_nothing(s, err);
}

/* ---- lines ---- */

tfp_status tfp_gate_take_lines(tfp_gate_runs *g, const tfp_profile *p, tfp_error *err)
{
    tfp_step_table table = { 0 };
    double least = step_of(g) * SHARE_KEPT;
    tfp_options *o = least > 0 ? tfp_options_new() : NULL;
    if (!o) return least > 0 ? tfp_nomem(err) : TFP_OK;
    tfp_status s = tfp_line_table_of(p, o, &table, err);
    for (size_t i = 1; !s && i < tfp_row_count(table.report); i++)
        if (table.rows[i].at[0] >= least)
            s = tfp_gate_put(g, last_run(g), TFP_M_LINE, tfp_row_at(table.report, i)->name, table.rows[i].at[0], err);
    tfp_report_free(table.report);
    tfp_options_free(o);
    return or_nothing(s, err);
}

/* ---- operations ---- */

/* From statistics the median; from the op view the number itself. False: absent. */
static bool op_value(const tfp_report *r, size_t row, int column, double *out)
{
    char name[COLUMN_NAME];
    if (!tfp_kind_of(r)->table) return tfp_cell_number(r, (uint32_t)row, (tfp_column_id)column, false, out);
    snprintf(name, sizeof name, "%s_median", tfp_columns[column].name);
    const tfp_table_column *c = tfp_grid_find(tfp_table_of(r), name);
    return c && tfp_cell_real_at(c, row, out);
}

/* The name of a row of statistics is split at its last slash. */
static void name_of(const tfp_report *r, size_t row, tfp_buf *out)
{
    const tfp_table_column *name = tfp_grid_find(tfp_table_of(r), "name"), *op = tfp_grid_find(tfp_table_of(r), "op");
    out->size = 0;
    if (!tfp_kind_of(r)->table) {
        tfp_buf_str(out, tfp_row_at(r, row)->name);
        return;
    }
    if (name) tfp_buf_str(out, name->texts[row]);
    if (op && op->texts[row].size) tfp_buf_printf(out, "/%.*s", (int)op->texts[row].size, op->texts[row].data);
}

static tfp_status take_op(tfp_gate_runs *g, const tfp_report *r, size_t row, tfp_str name, double *totals,
                          tfp_error *err)
{
    tfp_status s = TFP_OK;
    double least = step_of(g) * SHARE_KEPT, value;
    for (int m = 0; m < TFP_M_COUNT && !s; m++) {
        const tfp_measure_about *about = &tfp_measures[m];
        if (about->column < 0 || !op_value(r, row, about->column, &value) || !(value > 0)) continue;
        totals[m] += value;
        if (about->exact || (least > 0 && value >= least))
            s = tfp_gate_put(g, last_run(g), (tfp_measure)m, name, value, err);
    }
    return s;
}

tfp_status tfp_gate_take_ops(tfp_gate_runs *g, const tfp_report *r, tfp_error *err)
{
    bool table = tfp_kind_of(r)->table;
    size_t count = table ? tfp_table_of(r)->row_count : tfp_row_count(r);
    tfp_status s = TFP_OK;
    tfp_buf name = { 0 };
    double totals[TFP_M_COUNT] = { 0 };
    for (size_t row = table ? 0 : 1; row < count && !s; row++) {
        name_of(r, row, &name);
        s = name.failed ? tfp_nomem(err) : take_op(g, r, row, (tfp_str){ name.data, name.size }, totals, err);
    }
    for (int m = 0; m < TFP_M_COUNT && !s; m++)
        if (tfp_measures[m].exact && totals[m] > 0)
            s = tfp_gate_put(g, last_run(g), (tfp_measure)m, TFP_GATE_ALL, totals[m], err);
    tfp_buf_free(&name);
    return s;
}
