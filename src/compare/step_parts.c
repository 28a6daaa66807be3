// SPDX-License-Identifier: Apache-2.0
/* compare/step_parts.c: the beginning of a diff of traces: how much longer the mean step takes, and which of its parts
 * (compute, exposed communication and copies, idle, waiting for data) changed. The parts are those of `summary`. */
#include "compare/diff.h"
#include "model/tables/read.h"
#include "views/core/report.h"
#include "views/core/view.h"
#include "views/trace/facts.h"

enum { ROWS = TFP_PARTS_MOST + 1 };

static tfp_status build_parts(tfp_report *r, tfp_error *err)
{
    const tfp_trace_facts *f;
    tfp_part_row rows[ROWS];
    tfp_status s = tfp_trace_facts_of(r, &f, err);
    if (s) return s;
    rows[0] = (tfp_part_row){ f->begin.whole ? TFP_STR("the whole trace") : TFP_STR("step, mean"),
                              f->mean.step_ns / 1000, NAN, TFP_STR("") };
    size_t count = 1 + tfp_step_parts(f, rows + 1);
    return tfp_grid_of(r, &(tfp_row_table){ tfp_part_columns, rows, sizeof *rows, count, 0 }, err);
}

static const tfp_view parts_view = {
    .name = "parts", .help = "", .kind = TFP_REPORT_GRID, .build = build_parts, .needs = TFP_NEEDS_SPANS
};

typedef struct lead {
    tfp_str names[2 * ROWS]; /* names of the parts, in the order of the sides */
    double *us[2 * ROWS];    /* by part and side; NAN: the side has no such part */
    size_t count;
} lead;

static double *row_of(lead *l, tfp_report *to, size_t sides, tfp_str name)
{
    for (size_t i = 0; i < l->count; i++)
        if (tfp_str_eq(l->names[i], name)) return l->us[i];
    if (l->count == sizeof l->names / sizeof *l->names) return NULL;
    char *copy = tfp_arena_copy(&to->arena, name);
    double *us = TFP_NEW(&to->arena, double, sides);
    if (!copy || !us) return NULL;
    for (size_t i = 0; i < sides; i++) us[i] = NAN;
    l->names[l->count] = (tfp_str){ copy, name.size };
    return l->us[l->count++] = us;
}

/* False: the side has no such facts, so this part is left out. */
static bool add_side(lead *l, tfp_differ *d, size_t side)
{
    const tfp_side *x = &d->w.sides->at.at[side];
    tfp_report *r = NULL;
    tfp_options *o = tfp_options_new();
    if (!o) return false;
    o->step = x->step;
    tfp_filter_free(o->filters[TFP_F_STEP_MARKER]); /* the default */
    o->filters[TFP_F_STEP_MARKER] = tfp_filter_keep(d->w.report->options->filters[TFP_F_STEP_MARKER]);
    bool ok = tfp_view_build(x->profile, &parts_view, o, &r, NULL) == TFP_OK;
    const tfp_table_column *part = ok ? tfp_grid_find(r->grid, "part") : NULL;
    const tfp_table_column *us = ok ? tfp_grid_find(r->grid, "a_step_us") : NULL;
    for (size_t i = 0; (ok = ok && part && us) && i < r->grid->row_count; i++) {
        double *at = row_of(l, d->w.report, d->w.count, part->texts[i]);
        if (at && !tfp_cell_absent(us, i)) at[side] = us->reals[i];
        ok = at != NULL;
    }
    tfp_report_free(r);
    tfp_options_free(o);
    return ok;
}

static bool is_trace(const tfp_side *x)
{
    return !x->text && x->profile && tfp_has(x->profile, TFP_HAS_TRACE) && !tfp_only_sums(x->profile);
}

/* ---- the sentence ---- */

/* Idle time that a side does not have is not known there, nor what it was for; other parts are none. */
static bool is_unknown(const lead *l, size_t row, size_t side)
{
    bool of_idle = tfp_str_begins(l->names[row], TFP_STR("idle")) || tfp_str_begins(l->names[row], TFP_STR("  of it"));
    for (size_t i = 0; i < l->count && of_idle; i++)
        if (tfp_str_eq(l->names[i], TFP_STR("idle"))) return isnan(l->us[i][side]);
    return false;
}

static double grown(const lead *l, size_t row, size_t from, size_t to)
{
    if (is_unknown(l, row, from) || is_unknown(l, row, to)) return NAN;
    return tfp_or_zero(l->us[row][to]) - tfp_or_zero(l->us[row][from]);
}

/* Names of sub-parts begin with a blank. */
static bool is_part(const lead *l, size_t row) { return row && l->names[row].data[0] != ' '; }

/* Writes "compute +15.8 ms, idle +1.20 ms": the parts that changed in the direction of the step, biggest change first.
 * */
static void put_causes(tfp_buf *b, const lead *l, size_t from, size_t to)
{
    enum { MOST = 3 };
    double all = grown(l, 0, from, to), last = INFINITY;
    for (int shown = 0; shown < MOST; shown++) {
        size_t best = 0;
        double most = 0.05 * fabs(all);
        for (size_t i = 1; i < l->count; i++) {
            double x = grown(l, i, from, to) * (all < 0 ? -1 : 1);
            if (!is_part(l, i) || !(x >= most && x < last)) continue;
            most = x;
            best = i;
        }
        if (!best) return;
        last = most;
        tfp_buf_printf(b, "%s%.*s %s", shown ? ", " : ": ", (int)l->names[best].size, l->names[best].data,
                       all < 0 ? "" : "+");
        tfp_format_real(b, TFP_MICROS, grown(l, best, from, to));
    }
}

static const char *sentence(tfp_report *r, const lead *l, size_t from, size_t to)
{
    tfp_buf b = { 0 };
    double before = tfp_or_zero(l->us[0][from]), change = grown(l, 0, from, to);
    const char *what = tfp_str_begins(l->names[0], TFP_STR("step")) ? "a step" : "the trace";
    if (before > 0 && fabs(change) < 0.005 * before) {
        tfp_buf_printf(&b, "%s takes as long as before", what);
    } else {
        tfp_buf_printf(&b, "%s takes ", what);
        tfp_format_real(&b, TFP_MICROS, fabs(change));
        tfp_buf_printf(&b, " %s", change < 0 ? "less" : "more");
        if (before > 0) tfp_buf_printf(&b, " (%+.1f%%)", 100 * change / before);
        put_causes(&b, l, from, to);
    }
    return tfp_buf_move(&b, &r->arena).data;
}

/* ---- the table ---- */

static bool add_reals(tfp_report *r, tfp_grid *g, const char *name, tfp_unit unit, double **out)
{
    tfp_table_column c = { .name = name, .type = TFP_CELL_REAL, .unit = unit };
    bool ok = tfp_column_room(&c, &r->arena, g->row_count);
    *out = c.reals;
    return ok && tfp_push(&g->columns, c);
}

static void put_real(tfp_grid *g, size_t row, double x)
{
    tfp_table_column *c = &g->columns.at[g->columns.size - 1];
    c->absent[row] = isnan(x);
    c->reals[row] = isnan(x) ? 0 : x;
}

static bool fill(tfp_differ *d, const lead *l, tfp_grid *g)
{
    tfp_report *r = d->w.report;
    size_t from = d->base, to = from ? 0 : 1;
    double *reals;
    g->row_count = l->count;
    tfp_table_column part = { .name = "part", .type = TFP_CELL_TEXT, .unit = TFP_LABEL, .whole = true };
    if (!tfp_column_room(&part, &r->arena, l->count) || !tfp_push(&g->columns, part)) return false;
    for (size_t i = 0; i < l->count; i++) part.texts[i] = l->names[i];
    for (size_t side = 0; side < d->w.count; side++) {
        if (!add_reals(r, g, d->w.names[side], TFP_MICROS, &reals)) return false;
        for (size_t i = 0; i < l->count; i++) put_real(g, i, l->us[i][side]);
    }
    if (d->w.count != 2) return true;
    if (!add_reals(r, g, "difference", TFP_MICROS, &reals)) return false;
    for (size_t i = 0; i < l->count; i++) put_real(g, i, grown(l, i, from, to));
    if (!add_reals(r, g, "change", TFP_PERCENT, &reals)) return false;
    for (size_t i = 0; i < l->count; i++)
        put_real(g, i, l->us[i][from] > 0 ? 100 * grown(l, i, from, to) / l->us[i][from] : NAN);
    return true;
}

/* Drops rows that are zero or absent on all sides. */
static void drop_zeros(lead *l, size_t sides)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++) {
        bool any = i == 0;
        for (size_t side = 0; side < sides; side++) any |= tfp_or_zero(l->us[i][side]) != 0;
        if (!any) continue;
        l->names[kept] = l->names[i];
        l->us[kept++] = l->us[i];
    }
    l->count = kept;
}

tfp_status tfp_differ_lead(tfp_differ *d, tfp_error *err)
{
    lead l = { .count = 0 };
    bool ok = !d->w.script && d->w.view->compared != TFP_COMPARED_STEPS; /* they are its rows */
    for (size_t i = 0; i < d->w.count && ok; i++) ok = is_trace(&d->w.sides->at.at[i]);
    for (size_t i = 0; i < d->w.count && ok; i++) ok = add_side(&l, d, i);
    if (!ok || !l.count) return TFP_OK;
    drop_zeros(&l, d->w.count);
    size_t from = d->base, to = from ? 0 : 1;
    const char *title = d->w.count == 2 ? sentence(d->w.report, &l, from, to) : "where the mean step goes";
    tfp_grid *g = title ? tfp_grid_part_add(d->w.report, "step_parts", title) : NULL;
    if (!g || !fill(d, &l, g)) return tfp_nomem(err);
    d->w.report->parts.at[d->w.report->parts.size - 1].leads = true;
    return TFP_OK;
}
