// SPDX-License-Identifier: Apache-2.0
/* compare/diff.c: compares sides, and reports what differs. A row is kept if it differs, or if something below it does. It
 * differs if its biggest value over the sides is big enough (-min_size), and one side lacks it or the biggest value exceeds
 * the smallest by more than -delta; for times with several steps per side, only if Welch's test does not explain the
 * difference as noise. Rows that break -fail_over are kept too. */
#include "compare/diff.h"

#include "compare/stats.h"
#include "query/order.h"
#include "views/core/notes.h"
#include "views/core/report.h"

#include <stdio.h>

#define FALSE_FINDS 0.05 /* false discovery rate: share of the reported differences that may be noise */
enum { KEPT = 1, DIFFERS = 2, BROKE = 4, IS_NOISE = 8 };

/* ---- the options ---- */

static tfp_status name_sides(tfp_differ *d, tfp_report *r, tfp_error *err)
{
    static const char *const two[] = { "left", "right" };
    const char *given = d->w.options->sides.names;
    if (!(d->w.names = TFP_NEW(&r->arena, char *, d->w.count))) return tfp_nomem(err);
    for (size_t i = 0; i < d->w.count; i++) {
        const tfp_side *x = &d->w.sides->at.at[i];
        const char *name = x->name ? x->name : d->w.count == 2 ? two[i] : NULL;
        char number[32];
        tfp_str text = tfp_str_of(name);
        if (given && *given) {
            text = (tfp_str){ given, strcspn(given, ",") };
            given += text.size + (given[text.size] == ',');
        } else if (!name) {
            snprintf(number, sizeof number, "side%zu", i + 1);
            text = tfp_str_of(number);
        }
        if (!text.size) return tfp_fail(err, TFP_BADARG, "option -names: side %zu has no name", i + 1);
        if (!(d->w.names[i] = tfp_arena_copy(&r->arena, text))) return tfp_nomem(err);
        for (size_t k = 0; k < i; k++)
            if (strcmp(d->w.names[k], d->w.names[i]) == 0)
                return tfp_fail(err, TFP_BADARG, "two sides are called %s; -names gives them other names",
                                d->w.names[i]);
    }
    if (given && *given) return tfp_fail(err, TFP_BADARG, "option -names: more names than the %zu sides", d->w.count);
    return TFP_OK;
}

/* A size without a unit is in each column's own unit; with a unit it applies only to columns of that unit. */
static double amount_for(const tfp_amount *a, tfp_column_id column)
{
    return a->unit == TFP_LABEL || a->unit == tfp_columns[column].unit ? a->value : 0;
}

/* A limit that no column could exceed is a mistake. */
static tfp_status check_limit(const tfp_differ *d, tfp_error *err)
{
    tfp_unit unit = d->fail_over.unit;
    if (!d->gate || d->fail_over.percent || unit == TFP_LABEL) return TFP_OK;
    for (size_t c = 0; c < d->w.column_count; c++)
        if (tfp_columns[d->w.columns[c]].unit == unit) return TFP_OK;
    return tfp_fail(err, TFP_BADARG, "option -fail_over: value '%.100s': no column that is compared has this unit",
                    d->w.options->sides.fail_over);
}

/* Growth that is too small to matter, whatever its share: a thousandth of the base side's root, and 5us. */
static double gate_floor(const tfp_differ *d, size_t column)
{
    double share = tfp_or_zero(tfp_differ_value(d, d->base, column, 0)) / 1000;
    double least = tfp_columns[d->w.columns[column]].unit == TFP_MICROS ? 5 : 0;
    return share > least ? share : least;
}

static void take_amounts(tfp_differ *d)
{
    const tfp_options *o = d->w.options;
    tfp_amount least = { .unit = TFP_LABEL };
    bool asked = tfp_options_chosen(o, "min_size");
    if (o->sides.min_size) tfp_amount_parse(tfp_str_of(o->sides.min_size), &least);
    for (size_t c = 0; c < d->w.column_count; c++) {
        d->min_size[c] = amount_for(&least, d->w.columns[c]);
        d->gate_min[c] = asked ? d->min_size[c] : 0;
        d->gate_floor[c] = asked ? 0 : gate_floor(d, c);
    }
    d->gate =
        o->sides.fail_over && *o->sides.fail_over && tfp_amount_parse(tfp_str_of(o->sides.fail_over), &d->fail_over);
    d->max_depth = tfp_options_chosen(o, "max_depth") && o->max_depth > 0 ? o->max_depth : INT64_MAX;
}

static bool has_spread(const tfp_differ *d, size_t side, size_t column)
{
    return d->w.loaded[side].squares[column] && d->w.loaded[side].steps >= TFP_STEPS_LEAST;
}

static tfp_status pair_sides(tfp_differ *d, tfp_error *err)
{
    for (size_t c = 0; c < d->w.column_count; c++) {
        for (size_t i = 0; i < d->w.count; i++) {
            tfp_pairing p = { i, c, has_spread(d, i, c) && has_spread(d, d->base, c), -1 };
            if (i != d->base && !tfp_push(&d->pairs, p)) return tfp_nomem(err);
        }
    }
    return TFP_OK;
}

/* ---- which rows differ ---- */

static bool apart(const tfp_differ *d, size_t column, tfp_extremes e)
{
    if (!e.there || e.most < d->min_size[column]) return false;
    return e.there < d->w.count || e.most > e.least * (1 + d->w.options->sides.delta);
}

/* Marks rows that differ by their sizes alone, before noise is considered. */
static void mark_apart(tfp_differ *d)
{
    for (uint32_t i = 0; i < d->w.items.at.size; i++) {
        size_t there = 0;
        for (size_t c = 0; c < d->w.column_count; c++) {
            tfp_extremes e = tfp_differ_extremes(d, c, i);
            there += e.there;
            if (apart(d, c, e)) d->marks[i] |= DIFFERS;
        }
        /* the public script shows every row that has no values */
        if (!there && d->w.script) d->marks[i] |= DIFFERS;
        for (size_t k = 0; k < d->pairs.size && d->gate; k++)
            if (tfp_pair_is_over(d, &d->pairs.at[k], i)) d->marks[i] |= BROKE;
    }
}

/* Sets the largest p of a pairing that is significant, over all rows tested in it. */
static tfp_status set_limits(tfp_differ *d, tfp_error *err)
{
    size_t count = d->w.items.at.size;
    bool any = false;
    for (size_t k = 0; k < d->pairs.size; k++) any |= d->pairs.at[k].tested;
    double *p = any ? malloc(count * sizeof *p) : NULL;
    if (any && !p) return tfp_nomem(err);
    for (size_t k = 0; k < d->pairs.size; k++) {
        tfp_pairing *x = &d->pairs.at[k];
        size_t n = 0;
        for (uint32_t i = 0; i < count && x->tested; i++)
            if (d->marks[i] && tfp_pair_is_tested(d, x, i)) p[n++] = tfp_pair_test(d, x, i).p;
        x->limit = tfp_false_finds(p, n, FALSE_FINDS);
    }
    free(p);
    return TFP_OK;
}

/* Whether a row that differs by size does so in a way that is not known to be noise. */
static bool is_change(const tfp_differ *d, uint32_t item)
{
    bool noise = false;
    for (size_t c = 0; c < d->w.column_count; c++) {
        bool apart_here = apart(d, c, tfp_differ_extremes(d, c, item)), tested = false;
        for (size_t k = 0; k < d->pairs.size; k++) {
            const tfp_pairing *p = &d->pairs.at[k];
            if (p->column != c || (!apart_here && !tfp_pair_is_over(d, p, item))) continue;
            tfp_verdict v = tfp_pair_verdict(d, p, item);
            if (v == TFP_REAL) return true;
            tested |= v == TFP_NOISE;
        }
        if (apart_here && !tested) return true;
        noise |= tested;
    }
    return !noise;
}

/* Removes marks of noise. The public script does not consider noise. */
static void drop_noise(tfp_differ *d)
{
    for (uint32_t i = 0; i < d->w.items.at.size && !d->w.script; i++)
        if (d->marks[i] && !is_change(d, i)) d->marks[i] = IS_NOISE;
}

static void keep_ancestors(tfp_differ *d)
{
    for (size_t i = d->w.items.at.size; i-- > 0;)
        if (d->marks[i] & ~IS_NOISE) {
            d->marks[i] |= KEPT;
            d->marks[d->w.items.at.at[i].parent] |= KEPT;
        }
    if (!d->w.script) d->marks[0] |= KEPT;
}

/* Adds notes about rows that were left out as noise. Such a row is still shown if a row below it is shown. */
static tfp_status tell_noise(const tfp_differ *d, tfp_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < d->w.items.at.size; i++) n += d->marks[i] == IS_NOISE;
    if (!n) return TFP_OK;
    return tfp_report_note_add(d->w.report, TFP_NOTE_ROWS_WITHIN_NOISE, err,
                               "%zu row%s no more than %s steps do among themselves; not shown", n,
                               n == 1 ? " differs" : "s differ", n == 1 ? "its" : "their");
}

static tfp_status mark(tfp_differ *d, tfp_error *err)
{
    if (!(d->marks = calloc(d->w.items.at.size, 1))) return tfp_nomem(err);
    mark_apart(d);
    tfp_status s = set_limits(d, err);
    if (s) return s;
    drop_noise(d);
    keep_ancestors(d);
    s = tfp_differ_tell_hidden(d, err);
    return s ? s : tell_noise(d, err);
}

/* ---- in which order ---- */

/* The sort key. The public script uses TO minus FROM; otherwise it is the size of the difference in the first column, of
 * the side that is furthest from the base. */
static double key_of(const tfp_differ *d, uint32_t item)
{
    double most = 0;
    if (d->w.script) {
        size_t to = d->w.options->sides.swap_files ? d->w.count - 1 : 0, from = d->w.count - 1 - to;
        return tfp_or_zero(tfp_differ_value(d, to, 0, item)) - tfp_or_zero(tfp_differ_value(d, from, 0, item));
    }
    for (size_t k = 0; k < d->pairs.size && d->pairs.at[k].column == 0; k++) {
        double x = fabs(tfp_pair_difference(d, &d->pairs.at[k], item));
        if (x > most) most = x;
    }
    return most;
}

static tfp_status order(tfp_differ *d, tfp_error *err)
{
    size_t count = d->w.items.at.size, n = 0;
    uint32_t *all = malloc(count * sizeof *all);
    d->key = malloc(count * sizeof *d->key);
    d->children = malloc(count * sizeof *d->children);
    d->child_start = calloc(count + 1, sizeof *d->child_start);
    bool ok = all && d->key && d->children && d->child_start;
    for (uint32_t i = 1; i < count && ok; i++) {
        if (!(d->marks[i] & KEPT)) continue;
        d->key[i] = key_of(d, i);
        d->child_start[d->w.items.at.at[i].parent + 1]++;
        all[n++] = i;
    }
    const tfp_sort_key biggest_first[] = { TFP_DOWN_IN(d->key), { 0 } };
    ok = ok && tfp_order_items(all, n, biggest_first, NULL, 0);
    for (size_t i = 0; i < count && ok; i++) d->child_start[i + 1] += d->child_start[i];
    for (size_t i = 0; i < n && ok; i++) d->children[d->child_start[d->w.items.at.at[all[i]].parent]++] = all[i];
    for (size_t i = count; i > 0 && ok; i--) d->child_start[i] = d->child_start[i - 1];
    if (ok) d->child_start[0] = 0;
    free(all);
    return ok ? TFP_OK : tfp_nomem(err);
}

/* The full path that filters use; empty for the root. */
static tfp_str path_of(const tfp_differ *d, uint32_t item) { return item ? d->w.items.at.at[item].name : TFP_STR(""); }

static bool is_shown(const tfp_differ *d, uint32_t item)
{
    const tfp_filter *only = d->w.options->filters[TFP_F_NODE_NAMES];
    if (d->w.items.at.at[item].depth > d->max_depth) return false;
    return item == 0 || !only || only->count == 0 || tfp_filter_matches(only, path_of(d, item));
}

/* Walks down from the root; rows below a hidden row are hidden too. */
static tfp_status walk(tfp_differ *d, tfp_error *err)
{
    const tfp_filter *hide = d->w.options->filters[TFP_F_HIDE_NODES];
    TFP_VEC(uint32_t) left = { 0 };
    bool ok = !(d->marks[0] & KEPT) || tfp_push(&left, 0);
    while (ok && left.size) {
        uint32_t item = left.at[--left.size];
        if (!is_shown(d, item)) continue;
        ok = tfp_push(&d->rows, item);
        if (tfp_filter_matches(hide, path_of(d, item))) continue;
        for (uint32_t i = d->child_start[item + 1]; i > d->child_start[item] && ok; i--)
            ok = tfp_push(&left, d->children[i - 1]);
    }
    tfp_vec_free(&left);
    return ok ? TFP_OK : tfp_nomem(err);
}

/* The public script has no gate, so rows that only broke the gate are left out. */
static tfp_status walk_again(tfp_differ *d, tfp_error *err)
{
    for (size_t i = 0; i < d->w.items.at.size; i++) d->marks[i] &= DIFFERS;
    keep_ancestors(d);
    free(d->key);
    free(d->children);
    free(d->child_start);
    d->key = NULL;
    d->children = d->child_start = NULL;
    d->rows.size = 0;
    tfp_status s = order(d, err);
    return s ? s : walk(d, err);
}

/* ---- all of it ---- */

static void free_diff(tfp_differ *d)
{
    for (size_t i = 0; d->w.loaded && i < d->w.count; i++) {
        tfp_loaded *l = &d->w.loaded[i];
        for (size_t c = 0; c < TFP_COLUMNS_MAX; c++) {
            free(l->mean[c]);
            free(l->squares[c]);
        }
        free(l->counts);
        tfp_report_free(l->rows);
    }
    free(d->w.loaded);
    tfp_items_free(&d->w.items);
    tfp_vec_free(&d->pairs);
    tfp_vec_free(&d->rows);
    free(d->marks);
    free(d->key);
    free(d->children);
    free(d->child_start);
}

/* Adds a note about profiles whose values are means of their steps. Compared with a text, the views' mean is used. */
static tfp_status note_means(const tfp_differ *d, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < d->w.count; i++)
        if (d->w.sides->at.at[i].text) return TFP_OK;
    for (size_t i = 0; i < d->w.count && !s; i++) {
        const tfp_side *x = &d->w.sides->at.at[i];
        if (x->step.which != TFP_STEP_ONE) s = tfp_note_means(d->w.report, x->profile, d->w.names[i], err);
    }
    return s;
}

static tfp_status compare(tfp_differ *d, tfp_error *err)
{
    tfp_report *r = d->w.report;
    d->w.loaded = calloc(d->w.count, sizeof *d->w.loaded);
    if (!d->w.loaded || !tfp_items_start(&d->w.items, TFP_ROOT_NAME)) return tfp_nomem(err);
    tfp_status s = name_sides(d, r, err);
    if (!s) s = tfp_diff_load(&d->w, err);
    if (!s) s = pair_sides(d, err);
    if (!s) take_amounts(d);
    if (!s) s = check_limit(d, err);
    if (!s) s = tfp_diff_same_work(&d->w, err);
    if (!s && !d->w.script && !tfp_report_kinds[d->w.view->kind].table) s = note_means(d, err);
    if (!s) s = tfp_differ_lead(d, err);
    if (!s) s = mark(d, err);
    if (!s) s = order(d, err);
    if (!s) s = walk(d, err);
    if (!s) s = tfp_differ_check_gate(d, err);
    if (!s && d->w.script && d->gate) s = walk_again(d, err);
    return s ? s : tfp_differ_write(d, err);
}

tfp_status tfp_diff_fill(tfp_report *r, const tfp_sides *sides, const tfp_view *view, tfp_error *err)
{
    tfp_differ d = { .w = {
                         .sides = sides, .count = sides->at.size, .view = view, .options = r->options, .report = r } };
    d.w.script = strcmp(r->options->to.format, "script") == 0;
    d.base = r->options->sides.swap_files ? d.w.count - 1 : 0;
    unsigned failed = tfp_filter_failures(r->options->filters[TFP_F_NODE_NAMES]) +
                      tfp_filter_failures(r->options->filters[TFP_F_HIDE_NODES]);
    tfp_status s = compare(&d, err);
    if (!s) s = tfp_grid_arrange(r, err);
    if (!s && failed != tfp_filter_failures(r->options->filters[TFP_F_NODE_NAMES]) +
                            tfp_filter_failures(r->options->filters[TFP_F_HIDE_NODES]))
        s = tfp_nomem(err);
    free_diff(&d);
    return s;
}
