// SPDX-License-Identifier: Apache-2.0
/* compare/load.c: loads the rows and values of every side, of a profile for every step of the view, and aligns them. */
#include "compare/align.h"
#include "compare/diff.h"
#include "compare/steps.h"
#include "compare/vendors.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "views/core/coverage.h"
#include "views/core/kinds.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/core/view.h"
#include "views/spans/doubts.h"

#include <stdlib.h>

/* ---- texts ---- */

/* The index of a column in a text; a text without legends has one column, of the unit's kind. */
static int find_in_text(const tfp_scopetext *t, tfp_column_id column)
{
    for (size_t i = 0; i < t->column_count; i++)
        if (t->columns[i] == (int)column) return (int)i;
    bool fits = !t->named && tfp_columns[t->columns[0]].unit == tfp_columns[column].unit &&
                tfp_columns[column].unit != TFP_NUMBER;
    return fits ? 0 : -1;
}

static bool room_for(tfp_loaded *l, size_t columns, size_t size)
{
    for (size_t c = 0; c < columns; c++) {
        double *more = realloc(l->mean[c], (size ? size : 1) * sizeof *more);
        if (!more) return false;
        l->mean[c] = more;
        for (size_t i = l->size; i < size; i++) more[i] = NAN;
    }
    l->size = size;
    return true;
}

static tfp_status load_text(tfp_diff_work *d, size_t side, tfp_error *err)
{
    const tfp_side *x = &d->sides->at.at[side];
    const tfp_scopetext *t = x->text;
    int at[TFP_COLUMNS_MAX];
    if (d->view->rows_are != TFP_ROWS_OF_SCOPES)
        return tfp_fail(err, TFP_BADARG, "%s: the text of a scope view cannot be compared in the %s view", x->label,
                        d->view->name);
    for (size_t c = 0; c < d->column_count; c++)
        if ((at[c] = find_in_text(t, d->columns[c])) < 0)
            return tfp_fail(err, TFP_BADARG, "%s: has no column %s", x->label, tfp_columns[d->columns[c]].name);
    uint32_t *items = malloc((t->paths.size ? t->paths.size : 1) * sizeof *items);
    bool ok = items != NULL;
    for (size_t i = 0; i < t->paths.size && ok; i++)
        ok = (items[i] = tfp_items_path(&d->items, t->paths.at[i])) != TFP_NONE;
    ok = ok && room_for(&d->loaded[side], d->column_count, d->items.at.size);
    for (size_t i = 0; i < t->paths.size && ok; i++)
        for (size_t c = 0; c < d->column_count; c++)
            d->loaded[side].mean[c][items[i]] = t->values.at[i * t->column_count + (size_t)at[c]];
    free(items);
    return ok ? TFP_OK : tfp_nomem(err);
}

/* ---- profiles ---- */

/* A ratio with divisor 0 is 0 here, so that the row is not absent. */
static double row_value(const tfp_report *r, uint32_t row, tfp_column_id column)
{
    bool total = !tfp_kind_of(r)->list || !row; /* in the op view a total includes all following rows */
    double x = 0;
    return tfp_cell_number(r, row, column, total, &x) ? x : 0;
}

static tfp_options *options_for(const tfp_diff_work *d)
{
    tfp_options *o = tfp_options_copy(d->options);
    if (!o) return NULL;
    o->max_depth = INT32_MAX;
    tfp_order_at(0, &o->order);
    o->made.every_value = false;
    o->to.output = TFP_TO_STDOUT;
    free(o->to.proto_out);
    o->to.proto_out = NULL;
    o->select = 0;
    for (size_t c = 0; c < d->column_count; c++) o->select |= UINT64_C(1) << d->columns[c];
    return o;
}

/* Sets the format to text, because views with that format compute only the selected values. */
static bool plain_format(tfp_options *o)
{
    char *text = strdup("text");
    if (!text) return false;
    free(o->to.format);
    o->to.format = text;
    return true;
}

/* The spread of a value over steps, by Welford's algorithm. */
typedef struct spread {
    double *mean, *squares;
    uint32_t *seen;
} spread;

static void spread_add(spread *s, uint32_t item, double value)
{
    double apart = value - s->mean[item];
    s->mean[item] += apart / ++s->seen[item];
    s->squares[item] += apart * (value - s->mean[item]);
}

/* A row counts as 0 in steps in which it was missing. */
static void spread_end(spread *s, uint32_t item, size_t steps)
{
    double seen = s->seen[item], missing = (double)steps - seen;
    s->squares[item] += s->mean[item] * s->mean[item] * seen * missing / (double)steps;
}

static bool spread_start(spread *s, size_t size)
{
    s->mean = calloc(size, sizeof *s->mean);
    s->squares = calloc(size, sizeof *s->squares);
    s->seen = calloc(size, sizeof *s->seen);
    return s->mean && s->squares && s->seen;
}

/* The nodes that ran in each step, so that the reports of the steps need not search for executions. */
typedef struct runs {
    uint32_t *first; /* for each row of a step, with one more element at the end: index of its node and exec */
    uint32_t *node, *exec;
    uint32_t *of_node; /* for each node its execution in the loaded step, or TFP_NONE */
} runs;

/* Each step takes time for each node, so a small file with many of both would be very expensive. */
#define LOOKUPS_MAX ((uint64_t)4 << 20)
#define LOOKUPS_BY_EXECUTION UINT64_C(16)

static tfp_status limit_lookups(const tfp_diff_work *d, const tfp_loaded *l, const tfp_profile *p, tfp_error *err)
{
    size_t steps = tfp_executions_of(p)->steps.size, nodes = tfp_graph_of(p)->nodes.size;
    if ((uint64_t)steps * nodes <= LOOKUPS_MAX + LOOKUPS_BY_EXECUTION * tfp_executions_of(p)->execs.size) return TFP_OK;
    return tfp_fail(err, TFP_LIMIT,
                    "%s: %zu steps of %zu nodes, most of which did not run in most steps, cannot be "
                    "compared; single steps can, such as FILE@%lld",
                    d->sides->at.at[l - d->loaded].label, steps, nodes, (long long)tfp_profile_step(p, 0));
}

static bool sort_runs(runs *x, const tfp_profile *p)
{
    const tfp_run_tables *ran = tfp_executions_of(p);
    size_t steps = ran->steps.size, nodes = tfp_graph_of(p)->nodes.size, execs = ran->execs.size;
    x->first = calloc(steps + 2, sizeof *x->first);
    x->node = calloc(execs + 1, sizeof *x->node);
    x->exec = calloc(execs + 1, sizeof *x->exec);
    x->of_node = malloc((nodes + 1) * sizeof *x->of_node);
    if (!x->first || !x->node || !x->exec || !x->of_node) return false;
    memset(x->of_node, 0xff, (nodes + 1) * sizeof *x->of_node); /* TFP_NONE */
    uint32_t *start = x->first + 1; /* counts are stored one index further, because filling moves them back */
    for (size_t i = 0; i < nodes; i++)
        for (TFP_EACH(ran->execs, e, tfp_graph_of(p)->nodes.at[i].exec_first)) start[ran->execs.at[e].step + 1]++;
    for (size_t i = 1; i <= steps; i++) start[i] += start[i - 1];
    for (size_t i = 0; i < nodes; i++)
        for (TFP_EACH(ran->execs, e, tfp_graph_of(p)->nodes.at[i].exec_first)) {
            uint32_t at = start[ran->execs.at[e].step]++;
            x->node[at] = (uint32_t)i;
            x->exec[at] = e;
        }
    return true;
}

static void free_runs(runs *x)
{
    free(x->first);
    free(x->node);
    free(x->exec);
    free(x->of_node);
}

typedef struct steps {
    tfp_options *options;
    runs runs;
    size_t first, count; /* range of the profile's steps */
    tfp_occurrences occurrences;
    spread spreads[TFP_COLUMNS_MAX]; /* for times only */
    uint32_t *items;                 /* for each row of one step's report */
} steps;

static void free_steps(steps *s)
{
    tfp_options_free(s->options);
    tfp_occurrences_free(&s->occurrences);
    free_runs(&s->runs);
    for (size_t c = 0; c < TFP_COLUMNS_MAX; c++) {
        free(s->spreads[c].mean);
        free(s->spreads[c].squares);
        free(s->spreads[c].seen);
    }
    free(s->items);
}

static void add_step(tfp_diff_work *d, tfp_loaded *l, steps *s, const tfp_report *r)
{
    for (uint32_t row = 0; row < r->tree->rows.size; row++) {
        uint32_t item = s->items[row];
        for (size_t c = 0; c < d->column_count && item != TFP_NONE; c++) {
            if (isnan(l->mean[c][item])) continue; /* not a row of the mean */
            double value = row_value(r, row, d->columns[c]);
            l->mean[c][item] += value;
            bool first = s->spreads[c].mean && s->spreads[c].seen[item] <= s->count; /* of two calls of one name */
            if (first) spread_add(&s->spreads[c], item, value);
        }
    }
}

static bool resized(uint32_t **items, size_t count)
{
    uint32_t *more = realloc(*items, (count ? count : 1) * sizeof *more);
    if (more) *items = more;
    return more != NULL;
}

static tfp_status load_step(tfp_diff_work *d, tfp_loaded *l, steps *s, const tfp_profile *p, int64_t step,
                            tfp_error *err)
{
    tfp_report *r = NULL;
    uint32_t row = tfp_find_step(p, step);
    const runs *x = &s->runs;
    s->options->step = tfp_step_of_id(step);
    for (uint32_t i = x->first[row]; i < x->first[row + 1]; i++) x->of_node[x->node[i]] = x->exec[i];
    tfp_status status = tfp_view_build(p, d->view, s->options, &r, err);
    for (uint32_t i = x->first[row]; i < x->first[row + 1]; i++) x->of_node[x->node[i]] = TFP_NONE;
    if (!status && !resized(&s->items, r->tree->rows.size)) status = tfp_nomem(err);
    if (!status && tfp_align(&d->items, r, &s->occurrences, s->items)) add_step(d, l, s, r);
    if (!status && s->occurrences.failed) status = tfp_nomem(err);
    tfp_report_free(r);
    return status;
}

/* Loads the sums of all steps, then divides. The rows are those of the mean; minimums apply to it only. */
static tfp_status load_steps(tfp_diff_work *d, tfp_loaded *l, steps *s, const tfp_profile *p, tfp_error *err)
{
    tfp_status status = limit_lookups(d, l, p, err);
    if (status) return status;
    if (!sort_runs(&s->runs, p)) return tfp_nomem(err);
    s->options->made.step_execs = s->runs.of_node;
    memset(s->options->min, 0, sizeof s->options->min);
    for (size_t c = 0; c < d->column_count; c++) {
        for (uint32_t i = 0; i < l->size; i++)
            if (!isnan(l->mean[c][i])) l->mean[c][i] = 0;
        if (tfp_columns[d->columns[c]].unit == TFP_MICROS && !spread_start(&s->spreads[c], l->size))
            return tfp_nomem(err);
    }
    const bool *left_out = NULL;
    status = tfp_steps_left_out(l->rows, &left_out, err);
    d->items.fixed = true;
    s->count = 0;
    for (size_t i = 0; i < tfp_profile_step_count(p) && !status; i++) {
        int64_t step = tfp_profile_step(p, i);
        if (left_out && left_out[tfp_find_step(p, step)]) continue;
        status = load_step(d, l, s, p, step, err);
        s->count++;
    }
    d->items.fixed = false;
    l->steps = s->count;
    for (size_t c = 0; c < d->column_count && !status; c++) {
        for (uint32_t i = 0; i < l->size; i++) {
            l->mean[c][i] /= (double)s->count;
            if (s->spreads[c].mean) spread_end(&s->spreads[c], i, s->count);
        }
        l->squares[c] = s->spreads[c].squares;
        s->spreads[c].squares = NULL;
    }
    return status;
}

/* A note if a trace's rows explain less than half of the time of its devices, or else of the host. */
static const tfp_note *coverage_of(const tfp_report *r)
{
    const tfp_coverage *c = &r->covered->coverage;
    const tfp_cover *of = c->device.all_ns ? &c->device : &c->host;
    return of->explained_ns < of->all_ns / 2 ? tfp_report_note_of(r, TFP_NOTE_COVERAGE) : NULL;
}

static tfp_status load_rows(tfp_diff_work *d, tfp_loaded *l, steps *s, const tfp_profile *p, tfp_error *err)
{
    tfp_status status = tfp_view_build(p, d->view, s->options, &l->rows, err);
    if (status) return status;
    const tfp_report *r = l->rows;
    s->options->made.counts = r->tree->counts; /* computed once for all steps */
    const char *name = d->names[l - d->loaded];
    tfp_note counted = { TFP_NOTE_FLOAT_OPS_COUNTED, r->tree->counts ? r->tree->counts->note : NULL };
    const tfp_note *notes[] = { counted.text ? &counted : NULL, tfp_report_note_of(r, TFP_NOTE_PARAMETERS_DIFFER),
                                coverage_of(r), tfp_report_note_of(r, TFP_NOTE_ATTRIBUTED) };
    for (size_t i = 0; i < sizeof notes / sizeof *notes && !status; i++)
        if (notes[i]) status = tfp_report_note_copy(d->report, name, notes[i], err);
    for (const tfp_note *of = r->notes.at, *end = of + r->notes.size; of < end && !status; of++)
        if (of->code == TFP_NOTE_NO_MATCH) status = tfp_report_note_copy(d->report, name, of, err);
    if (!status) status = tfp_note_recording(d->report, p, name, err);
    if (status) return status;
    if (!resized(&s->items, r->tree->rows.size) || !tfp_align(&d->items, r, &s->occurrences, s->items) ||
        !room_for(l, d->column_count, d->items.at.size))
        return tfp_nomem(err);
    for (uint32_t row = 0; row < r->tree->rows.size; row++)
        for (size_t c = 0; c < d->column_count; c++) {
            double *mean = &l->mean[c][s->items[row]];
            *mean = row_value(r, row, d->columns[c]) + (d->items.vendors && !isnan(*mean) ? *mean : 0);
        }
    return TFP_OK;
}

static bool has_text(const tfp_diff_work *d)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->sides->at.at[i].text) return true;
    return false;
}

/* Compared with a text, a profile uses the views' mean: over the steps in which each node ran. */
static tfp_status load_profile(tfp_diff_work *d, size_t side, tfp_error *err)
{
    const tfp_side *x = &d->sides->at.at[side];
    tfp_loaded *l = &d->loaded[side];
    steps s = { .options = options_for(d), .count = tfp_profile_step_count(x->profile) };
    tfp_status status = s.options && plain_format(s.options) ? TFP_OK : tfp_nomem(err);
    if (!status && x->step.which == TFP_STEP_ONE) s.options->step = x->step;
    bool one = !status && (s.options->step.which == TFP_STEP_ONE || has_text(d));
    if (!status) status = load_rows(d, l, &s, x->profile, err);
    l->steps = one ? 1 : s.count;
    if (!status && !one && s.count > 1) status = load_steps(d, l, &s, x->profile, err);
    free_steps(&s);
    return status;
}

/* ---- the table `steps` ---- */

/* The mean and spread of one row's values; a step that its device does not have is skipped. */
static void take_values(tfp_loaded *l, size_t column, uint32_t item, const tfp_step_values *values)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < values->count; i++) sum += values->at[i];
    double mean = sum / (double)values->count;
    for (size_t i = 0; i < values->count; i++) squares += (values->at[i] - mean) * (values->at[i] - mean);
    l->mean[column][item] = mean;
    if (l->squares[column]) l->squares[column][item] = squares;
    l->counts[item] = values->count;
    if (values->count > l->steps) l->steps = values->count;
}

static tfp_status take_table(tfp_diff_work *d, tfp_loaded *l, const tfp_step_table *t, uint32_t *items, tfp_error *err)
{
    size_t rows = t->report->tree->rows.size;
    tfp_occurrences occurrences = { 0 };
    bool ok = tfp_align(&d->items, t->report, &occurrences, items);
    tfp_occurrences_free(&occurrences);
    ok = ok && room_for(l, d->column_count, d->items.at.size) && (l->counts = calloc(l->size, sizeof *l->counts));
    for (size_t c = 0; c < d->column_count && ok; c++) {
        bool times = tfp_columns[d->columns[c]].unit == TFP_MICROS;
        ok = !times || (l->squares[c] = calloc(l->size, sizeof *l->squares[c]));
        for (size_t row = 0; row < rows && ok; row++)
            if (t->rows[row].column == d->columns[c]) take_values(l, c, items[row], &t->rows[row]);
    }
    return ok ? TFP_OK : tfp_nomem(err);
}

/* Names the devices in rows such as `gpu:2/busy_us` as those at the same places of the first side are named. */
static bool name_devices(tfp_report *r, const tfp_profile *own, const tfp_profile *first)
{
    for (size_t i = 0; i < r->tree->rows.size; i++) {
        tfp_str *name = &r->tree->rows.at[i].name;
        size_t from = tfp_str_begins(*name, TFP_STR("rank ")) ? tfp_str_find(*name, TFP_STR("/")) + 1 : 0, to = from;
        while (to < name->size && name->data[to] != '/') to++;
        tfp_str device = { name->data + from, to - from }, twin = tfp_device_twin(own, device, first);
        if (to >= name->size || tfp_str_eq(device, twin)) continue;
        tfp_buf b = { 0 };
        tfp_buf_add(&b, name->data, from);
        tfp_buf_str(&b, twin);
        tfp_buf_add(&b, name->data + to, name->size - to);
        *name = tfp_buf_move(&b, &r->arena);
        if (!name->data) return false;
    }
    return true;
}

static tfp_status load_table(tfp_diff_work *d, size_t side, tfp_error *err)
{
    const tfp_side *x = &d->sides->at.at[side];
    tfp_step_table table = { 0 };
    tfp_options *o = options_for(d);
    tfp_status s = o && plain_format(o) ? TFP_OK : tfp_nomem(err);
    if (!s && x->step.which == TFP_STEP_ONE) o->step = x->step;
    bool by_step = d->view->compared == TFP_COMPARED_STEPS;
    if (!s) s = (by_step ? tfp_step_table_of : tfp_line_table_of)(x->profile, o, &table, err);
    tfp_options_free(o);
    if (s) return s;
    if (side && d->sides->at.at[0].profile && !name_devices(table.report, x->profile, d->sides->at.at[0].profile))
        s = tfp_nomem(err);
    d->loaded[side].rows = table.report; /* the report whose names the items borrow */
    uint32_t *items = calloc(table.report->tree->rows.size, sizeof *items);
    if (!s) s = items ? take_table(d, &d->loaded[side], &table, items, err) : tfp_nomem(err);
    free(items);
    const tfp_note *notes[] = { coverage_of(table.report), tfp_report_note_of(table.report, TFP_NOTE_ATTRIBUTED) };
    for (size_t i = 0; i < sizeof notes / sizeof *notes && !s; i++)
        if (notes[i]) s = tfp_report_note_copy(d->report, d->names[side], notes[i], err);
    return s;
}

static tfp_status load_side(tfp_diff_work *d, size_t side, tfp_error *err)
{
    if (d->sides->at.at[side].text) return load_text(d, side, err);
    return tfp_diff_is_table(d) ? load_table(d, side, err) : load_profile(d, side, err);
}

tfp_status tfp_diff_load(tfp_diff_work *d, tfp_error *err)
{
    tfp_status s = tfp_diff_choose_columns(d, err);
    const tfp_profile *first = d->sides->at.at[0].profile;
    for (size_t i = 1; i < d->count && first; i++)
        d->items.vendors |= d->sides->at.at[i].profile && tfp_vendors_differ(first, d->sides->at.at[i].profile);
    for (size_t i = 0; i < d->count && !s; i++) s = load_side(d, i, err);
    tfp_items_settle(&d->items);
    return s;
}
