// SPDX-License-Identifier: Apache-2.0
/* compare/diff_report.c: turns the result of diff.c into a grid's rows and columns, into lines about what broke the gate,
 * or into the data of the public script's form. */
#include "compare/diff.h"

#include "views/core/engine.h"
#include "views/core/grid.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/core/view.h"

#include <stdlib.h>

/* most bytes of all shown names; the name of a deep row repeats those above it */
#define NAMES_MOST ((size_t)128 << 20)

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
    r->grid->tree = true;
    r->grid->row_count = r->tree->rows.size;
    return s;
}

/* One side's value compared with the base's. */
typedef struct pair_cells {
    double difference, ratio, low, high;
    tfp_str significant;
} pair_cells;

/* A row: the sides that have it, a value for each column and side, and the comparison for each pair. */
typedef struct row_cells {
    tfp_str only;
    double values[];
} row_cells;

enum { TESTED = 1, TIMED = 2 }; /* columns that only some pairs have */

static const tfp_table_column only_columns[] = {
    TFP_COLUMN(row_cells, "only", TEXT, LABEL, only, "The sides that have this row, when not all have it."), { 0 }
};

static const tfp_table_column value_columns[] = {
    { "", TFP_CELL_REAL, TFP_NUMBER, 0, "What the side has; the mean over its steps, when it has several.", 0, false },
    { 0 }
};

static const tfp_table_column pair_columns[] = {
    TFP_COLUMN(pair_cells, "difference", REAL, NUMBER, difference, "The side's value less the base's."),
    TFP_COLUMN(pair_cells, "ratio", REAL, LABEL, ratio, "The side's value divided by the base's."),
    TFP_COLUMN_ONLY(pair_cells, "low", REAL, NUMBER, low, "Lower end of the difference's confidence interval.", TESTED),
    TFP_COLUMN_ONLY(pair_cells, "high", REAL, NUMBER, high, "Upper end of the difference's confidence interval.",
                    TESTED),
    TFP_COLUMN_ONLY(pair_cells, "significant", TEXT, LABEL, significant,
                    "Whether the difference is more than the spread over the steps explains: yes, no or unknown.",
                    TIMED),
    { 0 }
};

static size_t value_place(const tfp_differ *d, size_t side, size_t column) { return column * d->w.count + side; }

static size_t pair_offset(const tfp_differ *d, size_t pair)
{
    return offsetof(row_cells, values) + d->w.column_count * d->w.count * sizeof(double) + pair * sizeof(pair_cells);
}

static double known_or_absent(double x) { return isfinite(x) ? x : NAN; }

static pair_cells cells_of_pair(const tfp_differ *d, const tfp_pairing *p, uint32_t item)
{
    double to = tfp_differ_value(d, p->side, p->column, item), from = tfp_differ_value(d, d->base, p->column, item);
    tfp_welch w = { NAN, NAN, 1 };
    if (tfp_pair_is_tested(d, p, item)) w = tfp_pair_test(d, p, item);
    double difference = isnan(to) && isnan(from) ? NAN : tfp_pair_difference(d, p, item);
    double ratio = from != 0 && !isnan(from) ? tfp_or_zero(to) / from : NAN;
    return (pair_cells){ .difference = known_or_absent(difference),
                         .ratio = known_or_absent(ratio),
                         .low = known_or_absent(w.low),
                         .high = known_or_absent(w.high),
                         .significant = tfp_str_of(verdict_names[tfp_pair_verdict(d, p, item)]) };
}

/* The names of the sides that have a row, in the report's arena; data NULL: all have it. */
static bool sides_of(const tfp_differ *d, uint32_t item, tfp_str *out)
{
    tfp_buf names = { 0 };
    size_t there = 0;
    for (size_t i = 0; i < d->w.count; i++)
        if (!isnan(tfp_differ_value(d, i, 0, item))) tfp_buf_printf(&names, "%s%s", there++ ? " " : "", d->w.names[i]);
    bool all = there == d->w.count || there == 0;
    bool ok = !names.failed;
    *out = all ? (tfp_str){ 0 } : tfp_buf_copy(&names, &d->w.report->arena);
    tfp_buf_free(&names);
    return ok && (all || out->data);
}

static bool fill_row(const tfp_differ *d, uint32_t item, char *row)
{
    row_cells *cells = (void *)row;
    for (size_t c = 0; c < d->w.column_count; c++)
        for (size_t i = 0; i < d->w.count; i++)
            cells->values[value_place(d, i, c)] = known_or_absent(tfp_differ_value(d, i, c, item));
    for (size_t k = 0; k < d->pairs.size; k++) {
        pair_cells pair = cells_of_pair(d, &d->pairs.at[k], item);
        memcpy(row + pair_offset(d, k), &pair, sizeof pair);
    }
    return sides_of(d, item, &cells->only);
}

/* Adds columns about a selected column and perhaps a side: COLUMN_SIDE_PART. */
static bool list_group(const tfp_differ *d, tfp_column_vec *list, size_t column, const char *side, tfp_row_group group)
{
    const tfp_column *about = &tfp_columns[d->w.columns[column]];
    tfp_buf subject = { 0 };
    tfp_buf_printf(&subject, "%s%s%s", about->name, *side ? "_" : "", side);
    tfp_buf_char(&subject, 0);
    group.subject = subject.data;
    group.unit = about->unit;
    bool ok = !subject.failed && tfp_row_columns_add(list, d->w.report, &group);
    tfp_buf_free(&subject);
    return ok;
}

static bool list_pair(const tfp_differ *d, tfp_column_vec *list, size_t pair)
{
    const tfp_pairing *p = &d->pairs.at[pair];
    bool timed = tfp_columns[d->w.columns[p->column]].unit == TFP_MICROS;
    tfp_row_group group = { .columns = pair_columns,
                            .offset = pair_offset(d, pair),
                            .shown = (p->tested ? TESTED : 0) | (timed ? TIMED : 0) };
    return list_group(d, list, p->column, d->w.count > 2 ? d->w.names[p->side] : "", group);
}

static bool list_columns(const tfp_differ *d, tfp_column_vec *list)
{
    bool ok = true;
    for (size_t c = 0; c < d->w.column_count && ok; c++) {
        for (size_t i = 0; i < d->w.count && ok; i++) {
            size_t at = offsetof(row_cells, values) + value_place(d, i, c) * sizeof(double);
            ok = list_group(d, list, c, d->w.names[i], (tfp_row_group){ .columns = value_columns, .offset = at });
        }
        for (size_t k = 0; k < d->pairs.size && ok; k++)
            if (d->pairs.at[k].column == c) ok = list_pair(d, list, k);
    }
    return ok && tfp_row_columns_add(list, d->w.report, &(tfp_row_group){ .columns = only_columns });
}

static tfp_status fill_grid(tfp_differ *d, tfp_error *err)
{
    size_t row_size = pair_offset(d, d->pairs.size);
    char *rows = calloc(d->rows.size + 1, row_size);
    tfp_column_vec list = { 0 };
    bool ok = rows && list_columns(d, &list);
    for (size_t row = 0; row < d->rows.size && ok; row++) ok = fill_row(d, d->rows.at[row], rows + row * row_size);
    tfp_status s = ok ? tfp_grid_of_list(d->w.report, &list, rows, row_size, d->rows.size, err) : tfp_nomem(err);
    tfp_vec_free(&list);
    free(rows);
    return s;
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

/* Adds a note if the limits hide all differences. */
tfp_status tfp_differ_tell_hidden(const tfp_differ *d, tfp_error *err)
{
    size_t hidden = 0;
    if (d->w.script) return TFP_OK;
    for (size_t i = 1; i < d->w.items.at.size; i++) {
        if (d->marks[i]) return TFP_OK;
        hidden += differs(d, (uint32_t)i);
    }
    if (!hidden) return TFP_OK;
    return tfp_report_note_add(d->w.report, TFP_NOTE_ROWS_TOO_SMALL, err,
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
    const char *copy = tfp_buf_move(&b, &r->arena).data;
    return copy && tfp_push(&r->over, copy);
}

/* A difference that is known to be noise does not break the gate. */
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
    size_t to = d->w.options->sides.swap_files ? d->w.count - 1 : 0;
    *s = (tfp_diff_script){ .count = d->w.count,
                            .to = to,
                            .from = d->w.count - 1 - to,
                            .names = (const char *const *)d->w.names,
                            .labels = (const char *const *)labels,
                            .delta = d->w.options->sides.delta,
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
    return d->w.script ? fill_script(d, err) : fill_grid(d, err);
}
