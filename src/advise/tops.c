// SPDX-License-Identifier: Apache-2.0
/* advise/tops.c: the tables of `summary` that show what takes longest: kernels, operations, modules, lines. Where devices ran, time on
 * them and on the host are two columns; the device's orders the rows, unless the host is the limit. */
#include "advise/tops.h"
#include "advise/checker.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/samples.h"
#include "options/columns.h"
#include "options/units.h"
#include "views/core/engine.h"
#include "views/core/report.h"
#include "views/core/rows.h"

#include <math.h>

enum { TOP = 5, NAME_SHOWN = 100 };

typedef struct top_row {
    tfp_str name;
    double micros, share, device_us, host_us, of_share; /* of_share: of all time on devices, or on the host */
} top_row;

typedef struct tops {
    tfp_report *r;
    const tfp_trace_facts *f;
    bool apart, by_host; /* apart: devices ran; by_host: rows are ordered by the time on the host */
} tops;

/* clang-format off */
enum { SHOW_SUM = 1, SHOW_DEVICE = 2, SHOW_HOST = 4, SHOW_PARTS = 6 };
static const tfp_table_column columns[] = {
    TFP_COLUMN(top_row, "name", TEXT, LABEL, name, "What it is."),
    TFP_COLUMN_ONLY(top_row, "device_time_us", REAL, MICROS, device_us, "Its time on devices.", SHOW_DEVICE),
    TFP_COLUMN_ONLY(top_row, "device_share", REAL, SHARE, of_share, "Share of the time of all of them on devices.", SHOW_DEVICE),
    TFP_COLUMN_ONLY(top_row, "cpu_time_us", REAL, MICROS, host_us, "Its time on the host.", SHOW_PARTS),
    TFP_COLUMN_ONLY(top_row, "host_share", REAL, SHARE, of_share, "Share of the time of all of them on the host.", SHOW_HOST),
    TFP_COLUMN_ONLY(top_row, "device_time_us", REAL, MICROS, device_us, "Its time on devices.", SHOW_HOST),
    TFP_COLUMN(top_row, "micros", REAL, MICROS, micros, "Its time: host and device together."),
    TFP_COLUMN(top_row, "share", REAL, SHARE, share, "Share of the time of all of them."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
static const tfp_table_column kernel_columns[] = {
    TFP_COLUMN_KERNELS(top_row, "name", name, "What it is."),
    TFP_COLUMN(top_row, "micros", REAL, MICROS, micros, "Its time on the device."),
    TFP_COLUMN(top_row, "share", REAL, SHARE, share, "Share of the time of all of them."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

/* ---- parts ---- */

/* Shortens a long name: the command in the title shows it whole. */
static tfp_str cut(tfp_report *r, tfp_str name)
{
    size_t size = NAME_SHOWN;
    tfp_buf b = { 0 };
    if (name.size <= NAME_SHOWN) return name;
    while (size && ((unsigned char)name.data[size] & 0xc0) == 0x80) size--;
    tfp_buf_str(&b, (tfp_str){ name.data, size });
    tfp_buf_text(&b, "…");
    tfp_str out = tfp_buf_move(&b, &r->arena);
    return out.data ? out : TFP_STR("");
}

/* "device time by operation, of 472 ms in all (tfprof op)"; without devices "operations that take longest (tfprof op ...)".
 * what: NULL: it is `calls`. */
static const char *title_of(const tops *t, const char *what, const tfp_view *view, double all_us)
{
    tfp_buf b = { 0 };
    if (!what) return "what takes longest (tfprof calls -order_by micros)";
    if (t->apart) {
        tfp_buf_printf(&b, "%s time by %s, of ", t->by_host ? "host" : "device", what);
        tfp_format_real(&b, TFP_MICROS, all_us);
        tfp_buf_printf(&b, " in all (tfprof %s", view->name);
        if (t->by_host) tfp_buf_text(&b, " -order_by cpu_time");
    } else {
        tfp_buf_printf(&b, "%ss that take longest (tfprof %s%s", what, view->name,
                       tfp_report_kinds[view->kind].table ? "" : " -order_by micros");
    }
    tfp_buf_char(&b, ')');
    return tfp_buf_move(&b, &t->r->arena).data;
}

static tfp_status add_part(tops *t, const char *name, const char *title, top_row *rows, size_t count, tfp_error *err)
{
    static const char *const sums[] = { "micros", "share", NULL };
    tfp_report *r = t->r;
    if (!count) return TFP_OK;
    if (!title) return tfp_nomem(err);
    for (size_t i = 0; i < count; i++) rows[i].name = cut(r, rows[i].name);
    unsigned shown = t->apart ? t->by_host ? SHOW_HOST : SHOW_DEVICE : SHOW_SUM;
    tfp_row_table of = { columns, rows, sizeof *rows, count, shown };
    tfp_status s = tfp_grid_part(r, name, title, &of, 0, err);
    if (!s && t->apart) tfp_grid_for_programs(&r->parts.at[r->parts.size - 1].grid, sums);
    return s;
}

static tfp_status add_kernels(tops *t, tfp_error *err)
{
    const tfp_trace_facts *f = t->f;
    top_row rows[TOP];
    size_t count = 0;
    double all = 0;
    for (size_t i = 0; i < f->kernel_count; i++) all += (double)f->kernels[i].total_ns;
    for (; count < TOP && count < f->kernel_count; count++) {
        double ns = (double)f->kernels[count].total_ns;
        rows[count] =
            (top_row){ .name = f->kernels[count].name, .micros = ns / 1000, .share = all > 0 ? ns / all : NAN };
    }
    if (!count) return TFP_OK;
    tfp_buf b = { 0 };
    tfp_buf_text(&b, "kernels that take longest, of ");
    tfp_format_real(&b, TFP_MICROS, all / 1000);
    tfp_buf_text(&b, " in all (tfprof kernel)");
    const char *title = tfp_buf_move(&b, &t->r->arena).data;
    if (!title) return tfp_nomem(err);
    return tfp_grid_part(t->r, "kernels", title, &(tfp_row_table){ kernel_columns, rows, sizeof *rows, count, 0 }, 0,
                         err);
}

/* ---- rows of trees ---- */

typedef struct name_sum {
    double sum, device; /* ns */
} name_sum;

static double key_of(const tops *t, const name_sum *x)
{
    return !t->apart ? x->sum : t->by_host ? x->sum - x->device : x->device;
}

/* Orders by the only time that there is. */
static void settle(tops *t, const name_sum *all)
{
    if (all->device <= 0) t->by_host = true;
    if (all->sum <= all->device) t->by_host = false;
}

/* Rows with the same time are ordered by the other one. */
static bool is_longer(const tops *t, const name_sum *a, const name_sum *b)
{
    double x = key_of(t, a), y = key_of(t, b);
    return x != y ? x > y : a->sum > b->sum;
}

static top_row row_of(const tops *t, tfp_str name, const name_sum *x, const name_sum *all)
{
    double key = key_of(t, all);
    return (top_row){ .name = name,
                      .micros = x->sum / 1000,
                      .share = all->sum > 0 ? x->sum / all->sum : NAN,
                      .device_us = x->device / 1000,
                      .host_us = (x->sum - x->device) / 1000,
                      .of_share = key > 0 ? key_of(t, x) / key : NAN };
}

/* The names with the longest times; scopes include their contents. */
static size_t longest(const tops *t, const tfp_strtab *names, name_sum *sums, const name_sum *all, top_row *rows)
{
    size_t count = 0;
    for (; count < TOP; count++) {
        tfp_strid best = 0;
        for (tfp_strid name = 1; name < names->count; name++)
            if (is_longer(t, &sums[name], &sums[best])) best = name;
        if (sums[best].sum <= 0) break;
        rows[count] = row_of(t, tfp_strtab_get(names, best), &sums[best], all);
        sums[best] = (name_sum){ 0 };
    }
    return count;
}

/* Adds up equal names. The table's strings are in the report's arena. */
static tfp_status pick(tops *t, const tfp_report *v, bool totals, top_row *rows, size_t *count, tfp_error *err)
{
    int64_t (*const of)(const tfp_report *, uint32_t, tfp_value) = totals ? tfp_total : tfp_own;
    tfp_strtab names = { 0 };
    name_sum *sums = TFP_NEW(&t->r->arena, name_sum, v->tree->rows.size + 1);
    name_sum all = { (double)tfp_total(v, 0, TFP_V_MICROS), (double)tfp_total(v, 0, TFP_V_ACCELERATOR_MICROS) };
    tfp_status s = sums ? tfp_strtab_init(&names, &t->r->arena) : TFP_NOMEM;
    for (uint32_t i = 1; !s && i < v->tree->rows.size; i++) {
        tfp_strid name = tfp_intern(&names, v->tree->rows.at[i].name);
        if (name == TFP_NONE) {
            s = TFP_NOMEM;
            break;
        }
        sums[name].sum += (double)of(v, i, TFP_V_MICROS);
        sums[name].device += (double)of(v, i, TFP_V_ACCELERATOR_MICROS);
    }
    settle(t, &all);
    *count = s ? 0 : longest(t, &names, sums, &all, rows);
    tfp_strtab_free(&names);
    return s ? tfp_nomem(err) : TFP_OK;
}

/* ---- lines ---- */

static double number_at(const tfp_table_column *c, size_t row)
{
    double x;
    return c && tfp_cell_real_at(c, row, &x) ? x : 0;
}

/* The rows of the table `lines` with the longest times. */
static tfp_status pick_lines(tops *t, const tfp_report *v, top_row *rows, size_t *count, tfp_error *err)
{
    const tfp_grid *g = v->grid;
    const tfp_table_column *line = tfp_grid_find(g, "line"), *self = tfp_grid_find(g, "self_us"),
                           *device = tfp_grid_find(g, "accelerator_us"), *share = tfp_grid_find(g, "self_share"),
                           *waiting = tfp_grid_find(g, "waiting_us");
    name_sum *sums = TFP_NEW(&t->r->arena, name_sum, g->row_count + 1), all = { 0 };
    if (!sums) return tfp_nomem(err);
    for (size_t i = 0; line && self && i < g->row_count; i++) {
        sums[i] = (name_sum){ 1000 * number_at(self, i), 1000 * number_at(device, i) };
        all.sum += sums[i].sum;
        all.device += sums[i].device;
    }
    settle(t, &all);
    for (*count = 0; line && self && share && *count < TOP; ++*count) {
        size_t best = g->row_count; /* a line that only calls others is none */
        for (size_t i = 0; i < g->row_count; i++)
            if (sums[i].sum > 0 && (best == g->row_count || is_longer(t, &sums[i], &sums[best]))) best = i;
        if (best == g->row_count) break;
        tfp_buf name = { 0 };
        tfp_buf_str(&name, line->texts[best]);
        if (2000 * number_at(waiting, best) > sums[best].sum) tfp_buf_text(&name, " (waiting)");
        tfp_str copy = tfp_buf_move(&name, &t->r->arena);
        if (!copy.data) return tfp_nomem(err);
        rows[*count] = row_of(t, copy, &sums[best], &all);
        rows[*count].share = number_at(share, best);
        sums[best] = (name_sum){ 0 };
    }
    return TFP_OK;
}

/* ---- all ---- */

/* What the rows' shares are of, in microseconds. */
static double all_of(const top_row *row, bool by_host)
{
    double part = by_host ? row->host_us : row->device_us;
    return row->of_share > 0 ? part / row->of_share : 0;
}

static tfp_status add_view(tops *t, const tfp_view *view, const char *const *options, const char *what, tfp_error *err)
{
    tfp_report *v = NULL;
    top_row rows[TOP];
    size_t count = 0;
    tfp_status s = tfp_checker_view(t->r, view, options, &v, err);
    if (s == TFP_NOTFOUND || s == TFP_BADFILE || s == TFP_BADARG) { /* the profile has no data for it */
        tfp_error_clear(err);
        return TFP_OK;
    }
    if (s) return s;
    tops x = *t;
    s = tfp_report_kinds[view->kind].table ? pick_lines(&x, v, rows, &count, err)
                                           : pick(&x, v, view->rows_are == TFP_ROWS_OF_SCOPES, rows, &count, err);
    tfp_report_free(v);
    if (s || !count) return s;
    return add_part(&x, view->name, title_of(&x, what, view, all_of(rows, x.by_host)), rows, count, err);
}

static tfp_status add_tops(tops *t, tfp_error *err)
{
    static const char *const all[] = { NULL };
    static const char *const by_time[] = { "max_depth", "100000", "min_micros", "1", "order_by", "micros", NULL };
    static const char *const outer[] = { "max_depth", "2", "order_by", "micros", NULL };
    const tfp_profile *p = t->r->profile;
    bool no_runs = tfp_has(p, TFP_HAS_TRACE) && !tfp_ran_any(p);
    if (!tfp_graph_of(p)->nodes.size || no_runs) { /* a trace of another program, sampled stacks */
        bool frames = tfp_samples_of(p)->samples.size || tfp_lines_are_functions(p);
        bool calls = tfp_has_lines_of_calls(p) || !tfp_lines_are_functions(p);
        t->apart = false;
        tfp_status s = frames ? add_view(t, &tfp_view_lines, all, calls ? "line" : "function", err) : TFP_OK;
        if (s) return s;
        return add_view(t, &tfp_view_calls, by_time, NULL, err);
    }
    bool functions = tfp_lines_are_functions(p) && !tfp_has_lines_of_calls(p);
    tfp_status s = add_view(t, &tfp_view_op, by_time, "operation", err);
    if (!s) s = add_view(t, &tfp_view_scope, outer, t->apart ? "module" : "scope", err);
    return s ? s : add_view(t, &tfp_view_lines, all, functions ? "function" : "line", err);
}

tfp_status tfp_summary_tops(tfp_report *r, const tfp_trace_facts *f, tfp_error *err)
{
    tops t = { .r = r, .f = f, .apart = tfp_ran_on_both(r->profile) };
    t.by_host = t.apart && f && tfp_host_is_limit(f);
    tfp_status s = f && f->has_devices ? add_kernels(&t, err) : TFP_OK;
    return s ? s : add_tops(&t, err);
}
