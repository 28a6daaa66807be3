// SPDX-License-Identifier: Apache-2.0
/* compare/stats.c: the statistics of a view's rows over all steps. The view is built once and gives the row in which
 * each node counts. Each execution is then added to its row and step, and each row to the rows above it. */
#include "compare/stats.h"

#include "compare/steps.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "options/options.h"
#include "views/core/kinds.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/core/texts.h"
#include "views/spans/doubts.h"

#include <math.h>
#include <stdio.h>

#define NAMES_MAX ((size_t)512 << 20) /* bytes of all names together */
#define VALUES_MAX ((size_t)1 << 27)  /* rows times columns times steps: 1 GiB */
#define VALUES_FREE ((size_t)1 << 25) /* always allowed, even for a small file: 256 MB */
#define VALUES_OF_RUN 16              /* beyond that, allowed per execution */

/* ---- the values of every step ---- */

typedef struct stats {
    tfp_report *r;
    const tfp_report *shown;
    size_t rows, columns, steps; /* rows: without the root */
    tfp_column_id column[TFP_COLUMNS_MAX];
    tfp_value sum[TFP_V_COUNT]; /* the sums behind the columns: a ratio has two */
    size_t sums;
    uint32_t
        *place; /* for each step of the profile: its index among the steps shown; TFP_NONE: it cannot be selected */
    const bool *left_out; /* for each step of the profile; NULL: none is */
    int64_t *values;      /* by row with the root, sum, step */
    char *cells;          /* stats_row by row, without the root */
    bool sparse;          /* not every row has every column */
} stats;

static int64_t *values_at(const stats *x, size_t row, size_t sum)
{
    return x->values + (row * x->sums + sum) * x->steps;
}

/* The index of a value among the sums, which contain it. */
static size_t place_of(const stats *x, tfp_value v)
{
    size_t i = 0;
    while (x->sum[i] != v) i++;
    return i;
}

/* A node's runs count once in each view, even if several patterns match it. */
static void add(const stats *x, int64_t *to, tfp_value v, int64_t n, uint32_t times)
{
    bool *clamped = &x->r->clamped;
    *to = tfp_add(*to, times == 1 || v == TFP_V_RUNS ? n : tfp_mul(n, times, clamped), clamped);
}

/* Numbers that do not come from executions are the same in each step. */
static void add_constant(const stats *x, tfp_reach at, size_t sum, int64_t n)
{
    int64_t *to = values_at(x, at.row, sum);
    for (size_t s = 0; s < x->steps && n; s++) add(x, &to[s], x->sum[sum], n, at.times);
}

/* Whether a value also counts in steps in which the node did not run: parameters and the number of definitions always;
 * float operations only for a node that never ran. */
static bool is_constant(tfp_value v, bool ran)
{
    if (v == TFP_V_PARAMS || v == TFP_V_OPS || v == TFP_V_COUNTED_OPS) return true;
    return !ran && (v == TFP_V_FLOAT_OPS || v >= TFP_V_FILES_COUNT);
}

/* Times are counted in whole microseconds, unless the profile's are finer. */
static int64_t kept(const stats *x, tfp_value v, int64_t n)
{
    return tfp_fine_times(x->shown->profile) ? n : tfp_whole(v, n);
}

/* A counted number in microseconds, bytes or ones. */
static double told(const stats *x, int value, double n)
{
    return tfp_is_time(value) && tfp_fine_times(x->shown->profile) ? n / 1000 : n;
}

static void add_node(const stats *x, uint32_t node)
{
    const tfp_profile *p = x->shown->profile;
    const tfp_node *n = &tfp_graph_of(p)->nodes.at[node];
    const tfp_node_stats never = { .float_ops = n->float_ops };
    tfp_reach at = x->shown->tree->reach[node];
    if (at.row == TFP_NONE) return;
    for (TFP_EACH(tfp_executions_of(p)->execs, e, n->exec_first)) {
        tfp_node_stats at_step;
        uint32_t step = x->place[tfp_executions_of(p)->execs.at[e].step];
        if (step == TFP_NONE) continue;
        tfp_exec_stats_at(p, node, e, &at_step);
        for (size_t c = 0; c < x->sums; c++)
            if (!is_constant(x->sum[c], true))
                add(x, &values_at(x, at.row, c)[step], x->sum[c],
                    kept(x, x->sum[c], tfp_node_value(x->shown, node, &at_step, x->sum[c])), at.times);
    }
    for (size_t c = 0; c < x->sums; c++) {
        if (!is_constant(x->sum[c], n->exec_first != TFP_NONE)) continue;
        int64_t value = x->sum[c] == TFP_V_PARAMS ? tfp_report_parameters(x->shown, node, &x->r->clamped)
                                                  : tfp_node_value(x->shown, node, &never, x->sum[c]);
        add_constant(x, at, c, value);
    }
}

static int64_t line_value(const tfp_line_run *run, tfp_value v)
{
    switch (v) {
    case TFP_V_CPU_MICROS: return run->cpu_ns;
    case TFP_V_ACCELERATOR_MICROS: return run->accelerator_ns;
    case TFP_V_MICROS: return tfp_add(run->cpu_ns, run->accelerator_ns, NULL);
    case TFP_V_RUNS: return run->runs;
    default: return 0; /* lines of a trace have no other values, as in the view */
    }
}

/* Lines of code of a trace: their numbers are not those of nodes. */
static void add_line(const stats *x, const tfp_line_run *run)
{
    uint32_t step = x->place[run->step];
    for (size_t c = 0; c < x->sums && run->row != TFP_NONE && step != TFP_NONE; c++)
        add(x, &values_at(x, run->row, c)[step], x->sum[c], kept(x, x->sum[c], line_value(run, x->sum[c])), 1);
}

/* Rows of the op view have no parents: a type counts its own numbers only. */
static void sum_up(const stats *x)
{
    size_t width = x->sums * x->steps;
    for (size_t row = x->rows; row > 0 && !tfp_kind_of(x->shown)->list; row--) {
        const int64_t *from = values_at(x, row, 0);
        int64_t *to = values_at(x, x->shown->tree->rows.at[row].parent, 0);
        for (size_t i = 0; i < width; i++) to[i] = tfp_add(to[i], from[i], &x->r->clamped);
    }
}

/* ---- the grid ---- */

/* A row: its name up to the last slash, the part after that, and a spread for each column. */
typedef struct stats_row {
    tfp_str name, op;
    tfp_spread spreads[];
} stats_row;

static const tfp_table_column name_columns[] = {
    TFP_COLUMN_WHOLE(stats_row, "name", TEXT, LABEL, name, "The row's name up to its last slash."),
    TFP_COLUMN_WHOLE(stats_row, "op", TEXT, LABEL, op, "The last part of the row's name."),
    { 0 }
};

static const tfp_table_column spread_columns[] = {
    TFP_COLUMN(tfp_spread, "mean", REAL, NUMBER, mean, "Mean over the steps."),
    TFP_COLUMN(tfp_spread, "cv", REAL, PERCENT, cv, "Standard deviation over the steps, in per cent of the mean."),
    TFP_COLUMN(tfp_spread, "min", REAL, NUMBER, min, "The smallest of the steps."),
    TFP_COLUMN(tfp_spread, "median", REAL, NUMBER, median, "Median of the steps."),
    TFP_COLUMN(tfp_spread, "p95", REAL, NUMBER, p95, "95th percentile of the steps."),
    TFP_COLUMN(tfp_spread, "max", REAL, NUMBER, max, "The biggest of the steps."),
    { 0 }
};

static size_t row_size(const stats *x) { return sizeof(stats_row) + x->columns * sizeof(tfp_spread); }
static stats_row *row_at(const stats *x, size_t row) { return (void *)(x->cells + row * row_size(x)); }

static tfp_status make_grid(const stats *x, tfp_error *err)
{
    tfp_column_vec list = { 0 };
    bool ok = tfp_row_columns_add(&list, x->r, &(tfp_row_group){ .columns = name_columns });
    for (size_t c = 0; c < x->columns && ok; c++) {
        const tfp_column *about = &tfp_columns[x->column[c]];
        ok = tfp_row_columns_add(&list, x->r,
                                 &(tfp_row_group){ .columns = spread_columns,
                                                   .offset = offsetof(stats_row, spreads) + c * sizeof(tfp_spread),
                                                   .subject = about->name,
                                                   .unit = about->unit,
                                                   .whole = !x->sparse });
    }
    tfp_status s = ok ? tfp_grid_of_list(x->r, &list, x->cells, row_size(x), x->rows, err) : tfp_nomem(err);
    tfp_vec_free(&list);
    return s;
}

/* A ratio of each step; 0 where there is nothing to divide by. */
static tfp_spread spread_of_ratio(const stats *x, size_t row, const tfp_column *c, double *scratch)
{
    const int64_t *over = values_at(x, row, place_of(x, c->ratio.over));
    const int64_t *under = values_at(x, row, place_of(x, c->ratio.under));
    for (size_t i = 0; i < x->steps; i++)
        scratch[i] = under[i] > 0 ? told(x, c->ratio.over, (double)over[i]) /
                                        told(x, c->ratio.under, (double)under[i]) * c->ratio.times
                                  : 0;
    return tfp_spread_of_reals(scratch, x->steps);
}

/* The same in the unit that the column has in reports. */
static tfp_spread told_spread(const stats *x, int value, tfp_spread s)
{
    double *const numbers[] = { &s.mean, &s.min, &s.median, &s.p95, &s.max };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = told(x, value, *numbers[i]);
    return s;
}

static tfp_spread spread_of_sum(const stats *x, size_t row, const tfp_column *c, double *scratch)
{
    tfp_value v = c->numbers[0].value;
    (void)scratch;
    return told_spread(x, v, tfp_spread_of(values_at(x, row, place_of(x, v)), x->steps));
}

/* How the spread of each kind of column is computed. Sums are sorted in place, so ratios, which need them in order of
 * the steps, come first. */
static const struct {
    tfp_column_kind kind;
    tfp_spread (*spread)(const stats *x, size_t row, const tfp_column *c, double *scratch);
} of_kind[] = { { TFP_COLUMN_IS_RATIO, spread_of_ratio }, { TFP_COLUMN_IS_SUM, spread_of_sum } };
enum { SPREAD_KINDS = sizeof of_kind / sizeof *of_kind };

static bool put_spreads(const stats *x)
{
    double *scratch = malloc(x->steps * sizeof *scratch);
    for (size_t row = 0; scratch && row < x->rows; row++) {
        for (size_t cell = 0; cell < SPREAD_KINDS * x->columns; cell++) {
            size_t c = cell % x->columns, k = cell / x->columns;
            const tfp_column *about = &tfp_columns[x->column[c]];
            if (about->kind == of_kind[k].kind)
                row_at(x, row)->spreads[c] = of_kind[k].spread(x, row + 1, about, scratch);
        }
    }
    bool ok = scratch != NULL;
    free(scratch);
    return ok;
}

static tfp_status put_names(const stats *x, tfp_error *err)
{
    size_t all = 0;
    tfp_buf name = { 0 }, scratch = { 0 };
    bool ok = true;
    for (size_t row = 0; row < x->rows && ok && all <= NAMES_MAX; row++) {
        tfp_rewrites_apply(x->r->options->sides.rewrites, x->shown->tree->rows.at[row + 1].name, &name, &scratch);
        tfp_str copy = tfp_buf_copy(&name, &x->r->arena);
        if (!(ok = copy.data != NULL)) break;
        all += copy.size;
        const char *slash = copy.size ? memrchr(copy.data, '/', copy.size) : NULL;
        size_t size = slash ? (size_t)(slash - copy.data) : copy.size;
        row_at(x, row)->name = (tfp_str){ copy.data, size };
        row_at(x, row)->op = slash ? (tfp_str){ slash + 1, copy.size - size - 1 } : (tfp_str){ "", 0 };
    }
    ok &= !scratch.failed;
    tfp_buf_free(&name);
    tfp_buf_free(&scratch);
    if (!ok) return tfp_nomem(err);
    return all > NAMES_MAX ? tfp_fail(err, TFP_LIMIT, "names of more than %d MB", (int)(NAMES_MAX >> 20)) : TFP_OK;
}

static void need(stats *x, tfp_value v)
{
    for (size_t i = 0; i < x->sums; i++)
        if (x->sum[i] == v) return;
    x->sum[x->sums++] = v;
}

static bool can_spread(tfp_column_kind kind)
{
    for (size_t k = 0; k < SPREAD_KINDS; k++)
        if (of_kind[k].kind == kind) return true;
    return false;
}

/* The columns of -select that are numbers, in the given order. */
static tfp_status choose_columns(stats *x, tfp_error *err)
{
    tfp_column_id asked[TFP_COLUMNS_MAX];
    size_t count = tfp_options_selected(x->r->options, asked);
    for (size_t i = 0; i < count; i++) {
        const tfp_kind_rules *kind = &tfp_kinds[tfp_columns[asked[i]].kind];
        if (kind->number && !kind->of_sums)
            return tfp_fail(err, TFP_BADARG, "option -select: %s is about runs; stats shows sums of steps",
                            tfp_columns[asked[i]].name);
        if (!can_spread(tfp_columns[asked[i]].kind)) {
            tfp_status s = tfp_report_note_add(x->r, TFP_NOTE_OPTION_IGNORED, err, "stats: %s is no number",
                                               tfp_columns[asked[i]].name);
            if (s) return s;
            continue;
        }
        x->column[x->columns++] = asked[i];
        for (uint32_t rest = tfp_column_sums(asked[i]); rest; rest &= rest - 1) need(x, (tfp_value)__builtin_ctz(rest));
    }
    return x->columns ? TFP_OK : tfp_fail(err, TFP_BADARG, "stats needs a numeric column in -select");
}

static tfp_status make_room(stats *x, tfp_error *err)
{
    size_t cells, runs = tfp_executions_of(x->shown->profile)->execs.size, most = VALUES_FREE;
    if (runs * x->sums > most / VALUES_OF_RUN) most = runs * x->sums * VALUES_OF_RUN;
    if (most > VALUES_MAX) most = VALUES_MAX;
    if (__builtin_mul_overflow(x->rows + 1, x->sums, &cells) || __builtin_mul_overflow(cells, x->steps, &cells) ||
        cells > most)
        return tfp_fail(err, TFP_LIMIT,
                        "stats of %zu rows and %zu columns over %zu steps; a smaller -max_depth has fewer", x->rows,
                        x->columns, x->steps);
    const tfp_profile *p = x->shown->profile;
    x->values = calloc(cells + 1, sizeof *x->values);
    x->place = malloc((tfp_executions_of(p)->steps.size + 1) * sizeof *x->place);
    x->cells = calloc(x->rows + 1, row_size(x));
    if (!x->values || !x->place || !x->cells) return tfp_nomem(err);
    memset(x->place, 0xff, tfp_executions_of(p)->steps.size * sizeof *x->place); /* TFP_NONE */
    uint32_t shown = 0;
    for (uint32_t i = 0; i < tfp_executions_of(p)->step_order.size; i++) {
        uint32_t step = tfp_executions_of(p)->step_order.at[i];
        if (!x->left_out || !x->left_out[step]) x->place[step] = shown++;
    }
    return TFP_OK;
}

tfp_status tfp_note_means(tfp_report *r, const tfp_profile *p, const char *side, tfp_error *err)
{
    size_t some = 0, ran = 0;
    for (uint32_t i = 0; i < tfp_graph_of(p)->nodes.size; i++) {
        size_t steps = 0;
        for (TFP_EACH(tfp_executions_of(p)->execs, e, tfp_graph_of(p)->nodes.at[i].exec_first))
            steps += tfp_executions_of(p)->steps.at[tfp_executions_of(p)->execs.at[e].step].listed;
        ran += steps != 0;
        some += steps != 0 && steps < tfp_executions_of(p)->step_order.size;
    }
    if (!some) return TFP_OK;
    return tfp_report_note_add(r, TFP_NOTE_MEANS_OVER_ALL, err,
                               "%s%smeans are over all %zu steps, 0 where a node did not run (%zu of %zu nodes); the "
                               "means of the views leave such steps out",
                               side ? side : "", side ? ": " : "", tfp_executions_of(p)->step_order.size, some, ran);
}

tfp_status tfp_stats_fill(tfp_report *r, const tfp_report *shown, tfp_error *err)
{
    stats x = { .r = r, .shown = shown, .rows = shown->tree->rows.size ? shown->tree->rows.size - 1 : 0 };
    x.steps = tfp_executions_of(shown->profile)->step_order.size;
    tfp_status s = choose_columns(&x, err);
    if (!s && !x.steps)
        s = tfp_within_file(err, tfp_fail(err, TFP_NOTFOUND, "stats needs steps, and there are none"),
                            tfp_first_source(shown->profile));
    if (!s) s = tfp_steps_left_out(r, &x.left_out, err);
    for (size_t i = 0; x.left_out && i < tfp_executions_of(shown->profile)->step_order.size; i++)
        x.steps -= x.left_out[tfp_executions_of(shown->profile)->step_order.at[i]];
    if (!s) s = make_room(&x, err);
    for (uint32_t i = 0; i < tfp_graph_of(shown->profile)->nodes.size && !s; i++) add_node(&x, i);
    for (size_t i = 0; i < shown->tree->line_runs.size && !s; i++) add_line(&x, &shown->tree->line_runs.at[i]);
    if (!s) s = put_names(&x, err);
    if (!s) sum_up(&x);
    if (!s && !put_spreads(&x)) s = tfp_nomem(err);
    free(x.values);
    free(x.place);
    if (!s) s = make_grid(&x, err);
    free(x.cells);
    if (!s) s = tfp_note_means(r, shown->profile, NULL, err);
    if (!s) s = tfp_note_doubts(r, shown->profile, NULL, err);
    return s;
}

/* ---- the table `steps` ---- */

/* The columns of -select that its rows have. */
static tfp_status choose_of_steps(stats *x, tfp_error *err)
{
    tfp_column_id asked[TFP_COLUMNS_MAX];
    size_t count = tfp_options_selected(x->r->options, asked);
    for (size_t i = 0; i < count; i++) {
        if (!(TFP_STEP_COLUMNS >> asked[i] & 1))
            return tfp_fail(err, TFP_BADARG, "option -select: %s: rows of steps have micros and occurrence",
                            tfp_columns[asked[i]].name);
        x->column[x->columns++] = asked[i];
    }
    return x->columns ? TFP_OK : tfp_fail(err, TFP_BADARG, "stats needs a numeric column in -select");
}

static void put_row_of_steps(const stats *x, size_t row, const tfp_step_values *values)
{
    static const tfp_spread absent = { NAN, NAN, NAN, NAN, NAN, NAN };
    for (size_t c = 0; c < x->columns; c++)
        row_at(x, row)->spreads[c] =
            x->column[c] == values->column ? tfp_spread_of_reals(values->at, values->count) : absent;
}

tfp_status tfp_stats_of_steps(tfp_report *r, const tfp_options *o, tfp_report **shown, tfp_error *err)
{
    tfp_step_table table = { 0 };
    stats x = { .r = r };
    tfp_status s = choose_of_steps(&x, err);
    if (!s) s = tfp_step_table_of(r->profile, o, &table, err);
    if (s) return s;
    *shown = table.report;
    x.shown = table.report;
    x.sparse = x.columns > 1;
    x.rows = table.report->tree->rows.size - 1;
    x.cells = calloc(x.rows + 1, row_size(&x));
    if (!x.cells) return tfp_nomem(err);
    for (size_t row = 0; row < x.rows; row++) put_row_of_steps(&x, row, &table.rows[row + 1]);
    s = put_names(&x, err);
    if (!s) s = make_grid(&x, err);
    free(x.cells);
    return s;
}
