// SPDX-License-Identifier: Apache-2.0
/* compare/diff_report.c: what diff.c found becomes the rows and columns of a grid, the lines that tell what broke the gate,
 * or what the form of the public script is made of. */
#include "compare/diff.h"

#include "views/grid.h"
#include "views/view.h"

#include <stdlib.h>

#define NAMES_MOST ((size_t)128 << 20) /* bytes of all shown names: those of deep rows hold all that is above */

static const char *const verdict_names[] = { [TFP_UNKNOWN] = "unknown", [TFP_NOISE] = "no", [TFP_REAL] = "yes" };

/* ---- the report's rows and columns ---- */

static tfp_status add_rows(tfp_differ *d, tfp_error *err)
{
    tfp_report *r = d->w.report;
    size_t bytes = 0;
    uint32_t *row_of = malloc(d->w.items.at.size * sizeof *row_of);
    tfp_status s = row_of ? TFP_OK : tfp_nomem(err);
    for (uint32_t i = 0; i < d->rows.size && !s; i++) {
        const tfp_item *item = &d->w.items.at.at[d->rows.at[i]];
        row_of[d->rows.at[i]] = i;
        tfp_row row = { .parent = i ? row_of[item->parent] : 0,
                        .depth = item->depth,
                        .node = TFP_NONE,
                        .item = TFP_NONE,
                        .tensor = TFP_NONE,
                        .accounted = true };
        bytes += item->name.size;
        row.name = (tfp_str){ tfp_arena_copy(&r->arena, item->name), item->name.size };
        if (bytes > NAMES_MOST)
            s = tfp_fail(err, TFP_LIMIT, "the rows' names take more than %zu MiB; -max_depth shows fewer rows",
                         NAMES_MOST >> 20);
        else if (!row.name.data || tfp_report_add_row(r, &row) == TFP_NONE)
            s = tfp_nomem(err);
    }
    free(row_of);
    r->grid.tree = true;
    r->grid.row_count = r->rows.size;
    return s;
}

/* A new column named by its parts, or NULL without memory. */
static tfp_grid_column *add_column(tfp_differ *d, char type, tfp_unit unit, const char *a, const char *b, const char *c)
{
    tfp_report *r = d->w.report;
    tfp_buf name = { 0 };
    tfp_buf_printf(&name, "%s%s%s%s%s", a, *b ? "_" : "", b, *c ? "_" : "", c);
    char *copy = name.failed ? NULL : tfp_arena_copy(&r->arena, (tfp_str){ name.data, name.size });
    tfp_buf_free(&name);
    return copy ? tfp_grid_add(r, &r->grid, copy, type, unit, true) : NULL;
}

static void put(tfp_grid_column *c, size_t row, double x)
{
    c->absent[row] = !isfinite(x);
    c->reals[row] = isfinite(x) ? x : 0;
}

static bool add_values(tfp_differ *d, size_t side, size_t column)
{
    const tfp_column *about = &tfp_columns[d->w.columns[column]];
    tfp_grid_column *c = add_column(d, 'r', about->unit, about->name, d->w.names[side], "");
    for (uint32_t row = 0; c && row < d->rows.size; row++)
        put(c, row, tfp_differ_value(d, side, column, d->rows.at[row]));
    return c != NULL;
}

static bool add_differences(tfp_differ *d, const tfp_pairing *p)
{
    const tfp_column *about = &tfp_columns[d->w.columns[p->column]];
    const char *side = d->w.count > 2 ? d->w.names[p->side] : "";
    bool ok = add_column(d, 'r', about->unit, about->name, side, "difference") &&
              add_column(d, 'r', TFP_LABEL, about->name, side, "ratio");
    if (!ok) return false;
    tfp_grid_column *c = d->w.report->grid.columns.at + d->w.report->grid.columns.size - 2;
    for (uint32_t row = 0; row < d->rows.size; row++) {
        uint32_t item = d->rows.at[row];
        double to = tfp_differ_value(d, p->side, p->column, item), from = tfp_differ_value(d, d->base, p->column, item);
        put(&c[0], row, isnan(to) && isnan(from) ? NAN : tfp_pair_difference(d, p, item));
        put(&c[1], row, from != 0 && !isnan(from) ? tfp_or_zero(to) / from : NAN);
    }
    return true;
}

static bool add_intervals(tfp_differ *d, const tfp_pairing *p)
{
    const tfp_column *about = &tfp_columns[d->w.columns[p->column]];
    const char *side = d->w.count > 2 ? d->w.names[p->side] : "";
    if (!p->tested) return true;
    bool ok = add_column(d, 'r', about->unit, about->name, side, "low") &&
              add_column(d, 'r', about->unit, about->name, side, "high");
    if (!ok) return false;
    tfp_grid_column *c = d->w.report->grid.columns.at + d->w.report->grid.columns.size - 2;
    for (uint32_t row = 0; row < d->rows.size; row++) {
        uint32_t item = d->rows.at[row];
        bool tested = tfp_pair_is_tested(d, p, item);
        tfp_welch w = { NAN, NAN, 1 };
        if (tested) w = tfp_pair_test(d, p, item);
        put(&c[0], row, w.low);
        put(&c[1], row, w.high);
    }
    return true;
}

static bool add_verdicts(tfp_differ *d, const tfp_pairing *p)
{
    const tfp_column *about = &tfp_columns[d->w.columns[p->column]];
    const char *side = d->w.count > 2 ? d->w.names[p->side] : "";
    if (about->unit != TFP_MICROS) return true;
    tfp_grid_column *c = add_column(d, 's', TFP_LABEL, about->name, side, "significant");
    for (uint32_t row = 0; c && row < d->rows.size; row++)
        c->texts[row] = tfp_str_of(verdict_names[tfp_pair_verdict(d, p, d->rows.at[row])]);
    return c != NULL;
}

/* Which sides have a row that not all have: their names. */
static bool add_only(tfp_differ *d)
{
    tfp_report *r = d->w.report;
    tfp_grid_column *c = add_column(d, 's', TFP_LABEL, "only", "", "");
    tfp_buf names = { 0 };
    for (uint32_t row = 0; c && row < d->rows.size; row++) {
        size_t there = 0;
        names.size = 0;
        for (size_t i = 0; i < d->w.count; i++) {
            if (isnan(tfp_differ_value(d, i, 0, d->rows.at[row]))) continue;
            tfp_buf_printf(&names, "%s%s", there++ ? " " : "", d->w.names[i]);
        }
        bool all = there == d->w.count || there == 0;
        c->absent[row] = all;
        if (all) continue;
        const char *copy = names.failed ? NULL : tfp_arena_copy(&r->arena, (tfp_str){ names.data, names.size });
        if (!copy)
            c = NULL;
        else
            c->texts[row] = (tfp_str){ copy, names.size };
    }
    tfp_buf_free(&names);
    return c != NULL;
}

static tfp_status add_columns(tfp_differ *d, tfp_error *err)
{
    bool ok = true;
    for (size_t c = 0; c < d->w.column_count && ok; c++) {
        for (size_t i = 0; i < d->w.count && ok; i++) ok = add_values(d, i, c);
        for (size_t k = 0; k < d->pairs.size && ok; k++) {
            const tfp_pairing *p = &d->pairs.at[k];
            if (p->column == c) ok = add_differences(d, p) && add_intervals(d, p) && add_verdicts(d, p);
        }
    }
    return ok && add_only(d) ? TFP_OK : tfp_nomem(err);
}

/* ---- what the limits hide ---- */

static bool differs(const tfp_differ *d, uint32_t item)
{
    for (size_t c = 0; c < d->w.column_count; c++) {
        double first = tfp_differ_value(d, 0, c, item);
        for (size_t i = 1; i < d->w.count; i++) {
            double v = tfp_differ_value(d, i, c, item);
            if (isnan(v) != isnan(first) || (!isnan(v) && v != first)) return true;
        }
    }
    return false;
}

/* Limits that leave no difference to show, though there are some. */
tfp_status tfp_differ_tell_hidden(const tfp_differ *d, tfp_error *err)
{
    size_t hidden = 0;
    if (d->w.script) return TFP_OK;
    for (size_t i = 1; i < d->w.items.at.size; i++) {
        if (d->marks[i]) return TFP_OK;
        hidden += differs(d, (uint32_t)i);
    }
    if (!hidden) return TFP_OK;
    return tfp_report_note_add(d->w.report, err,
                               "%zu row%s, none by enough to be shown: -min_size 0 -delta 0 shows them", hidden,
                               hidden == 1 ? " differs" : "s differ");
}

/* ---- the gate ---- */

static bool say_broken(tfp_differ *d, const tfp_pairing *p, uint32_t item)
{
    tfp_report *r = d->w.report;
    const tfp_column *about = &tfp_columns[d->w.columns[p->column]];
    double to = tfp_differ_value(d, p->side, p->column, item), from = tfp_differ_value(d, d->base, p->column, item);
    tfp_buf b = { 0 };
    tfp_escape(&b, d->w.items.at.at[item].name);
    tfp_buf_printf(&b, ": %s ", about->name);
    if (isnan(from))
        tfp_buf_text(&b, "(none)");
    else
        tfp_format_real(&b, about->unit, from);
    tfp_buf_printf(&b, " in %s, ", d->w.names[d->base]);
    tfp_format_real(&b, about->unit, tfp_or_zero(to));
    tfp_buf_printf(&b, " in %s: +", d->w.names[p->side]);
    tfp_format_real(&b, about->unit, tfp_pair_difference(d, p, item));
    if (tfp_or_zero(from) != 0) tfp_buf_printf(&b, " (+%.1f%%)", 100 * tfp_pair_difference(d, p, item) / fabs(from));
    char *copy = b.failed ? NULL : tfp_arena_copy(&r->arena, (tfp_str){ b.data, b.size });
    tfp_buf_free(&b);
    return copy && tfp_push(&r->over, copy);
}

/* Only what is not known to be noise breaks it. */
tfp_status tfp_differ_check_gate(tfp_differ *d, tfp_error *err)
{
    bool ok = true;
    for (size_t row = 0; row < d->rows.size && d->gate; row++)
        for (size_t k = 0; k < d->pairs.size && ok; k++) {
            const tfp_pairing *p = &d->pairs.at[k];
            if (tfp_pair_is_over(d, p, d->rows.at[row]) && tfp_pair_verdict(d, p, d->rows.at[row]) != TFP_NOISE)
                ok = say_broken(d, p, d->rows.at[row]);
        }
    return ok ? TFP_OK : tfp_nomem(err);
}

/* ---- the script's form ---- */

static tfp_status fill_script(tfp_differ *d, tfp_error *err)
{
    tfp_arena *arena = &d->w.report->arena;
    tfp_diff_script *s = TFP_NEW(arena, tfp_diff_script, 1);
    char **labels = TFP_NEW(arena, char *, d->w.count);
    double **values = TFP_NEW(arena, double *, d->w.count);
    if (!s || !labels || !values) return tfp_nomem(err);
    for (size_t i = 0; i < d->w.count; i++) {
        labels[i] = tfp_arena_copy(arena, tfp_str_of(d->w.sides->at.at[i].label));
        values[i] = TFP_NEW(arena, double, d->rows.size ? d->rows.size : 1);
        if (!labels[i] || !values[i]) return tfp_nomem(err);
        for (size_t row = 0; row < d->rows.size; row++) values[i][row] = tfp_differ_value(d, i, 0, d->rows.at[row]);
    }
    size_t to = d->w.options->swap_files ? d->w.count - 1 : 0;
    *s = (tfp_diff_script){ .count = d->w.count,
                            .to = to,
                            .from = d->w.count - 1 - to,
                            .names = (const char *const *)d->w.names,
                            .labels = (const char *const *)labels,
                            .delta = d->w.options->delta,
                            .min_size = d->min_size[0],
                            .max_depth = d->max_depth == INT64_MAX ? 0 : d->max_depth,
                            .column = d->w.columns[0],
                            .values = values };
    d->w.report->script = s;
    return TFP_OK;
}

tfp_status tfp_differ_write(tfp_differ *d, tfp_error *err)
{
    tfp_status s = add_rows(d, err);
    if (s) return s;
    return d->w.script ? fill_script(d, err) : add_columns(d, err);
}
