// SPDX-License-Identifier: Apache-2.0
/* advise/expensive.c: one operation type, scope or line of Python that takes more than half of all time, with at most a
 * quarter of the operations that ran. The smallest such scope and the innermost such line are reported; a library's line
 * only if no other line takes as much. */
#include "advise/checker.h"
#include "model/frames/kinds.h"
#include "model/tables/code.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "options/columns.h"
#include "views/core/engine.h"
#include "views/core/notes.h"
#include "views/core/rows.h"
typedef struct view_times {
    tfp_report *v;
    uint32_t *ran; /* for each row: number of operations in it that ran */
    uint32_t all_ran;
    int64_t all_ns;
    bool list; /* rows form no tree: the op view */
} view_times;

static int64_t row_ns(const view_times *t, uint32_t row)
{
    return t->list ? tfp_own(t->v, row, TFP_V_MICROS) : tfp_total(t->v, row, TFP_V_MICROS);
}

/* Counts the operations that ran, for their rows and all rows above. */
static bool count_ran(view_times *t, tfp_arena *arena)
{
    const tfp_profile *p = tfp_profile_of(t->v);
    t->ran = TFP_NEW(arena, uint32_t, tfp_row_count(t->v));
    t->all_ran = 0;
    t->all_ns = 0;
    if (!t->ran) return false;
    for (uint32_t i = 0; i < tfp_graph_of(p)->nodes.size; i++) {
        tfp_node_stats stats;
        tfp_node_stats_at(p, i, (tfp_step_choice){ .which = TFP_STEP_MEAN }, &stats);
        if (stats.run_count <= 0) continue;
        t->all_ran++;
        t->all_ns = tfp_add(t->all_ns, stats.total_ns, NULL);
        if (tfp_tree_of(t->v)->reach && tfp_tree_of(t->v)->reach[i].row != TFP_NONE)
            t->ran[tfp_tree_of(t->v)->reach[i].row]++;
    }
    for (size_t i = tfp_row_count(t->v); --i;) t->ran[tfp_row_at(t->v, i)->parent] += t->ran[i];
    return true;
}

static bool is_library(const tfp_report *v, uint32_t row)
{
    if (!tfp_tree_of(v)->code) return false;
    uint32_t frame = tfp_tree_of(v)->code->items.at[tfp_row_at(v, row)->item].frame;
    return tfp_is_library_file(tfp_text(tfp_profile_of(v), tfp_code_of(tfp_profile_of(v))->frames.at[frame].file));
}

/* The last row, going down from the root, that takes more than half of the time; 0: none. */
static uint32_t dominant(const view_times *t)
{
    uint32_t at = 0, users = 0;
    for (uint32_t i = 1; i < tfp_row_count(t->v); i++) {
        if (tfp_row_at(t->v, i)->parent != at || row_ns(t, i) <= t->all_ns / 2) continue;
        at = i;
        if (!is_library(t->v, i)) users = i;
    }
    if (users) at = users;
    return at && t->ran[at] <= t->all_ran / 4 ? at : 0;
}

static tfp_status find(tfp_report *r, uint32_t row, const view_times *t, uint32_t at, const char *what, tfp_error *err)
{
    tfp_buf b = { 0 };
    tfp_buf_text(&b, what);
    tfp_escape(&b, tfp_row_at(t->v, at)->name);
    tfp_buf_printf(&b, " takes %.2f%% of all time with %u of the %u operations that ran",
                   100.0 * (double)row_ns(t, at) / (double)t->all_ns, (unsigned)t->ran[at], (unsigned)t->all_ran);
    tfp_checker_times(&b, t->v, at, !t->list);
    tfp_status s = tfp_checker_find_text(r, row, &b, err);
    static const char *const commands[] = { "tfprof op -order_by micros", "tfprof scope -order_by micros",
                                            "tfprof code -order_by micros" };
    if (!s) tfp_checker_about(r, (double)row_ns(t, at) / 1e9, commands[t->list ? 0 : tfp_tree_of(t->v)->code ? 2 : 1]);
    return s;
}

static tfp_status check_view(tfp_report *r, uint32_t row, const tfp_view *view, const char *what, tfp_error *err)
{
    static const char *const options[] = { "max_depth", "100000", "min_micros", "1", "order_by", "micros", NULL };
    view_times t = { .list = tfp_report_kinds[view->kind].list };
    tfp_arena arena = { 0 };
    tfp_status s = tfp_checker_view(r, view, options, &t.v, err);
    if (!s && !count_ran(&t, &arena)) s = tfp_nomem(err);
    uint32_t at = s ? 0 : dominant(&t);
    if (at) s = find(r, row, &t, at, what, err);
    tfp_arena_free(&arena);
    tfp_report_free(t.v);
    return s;
}

static tfp_status check(tfp_report *r, uint32_t row, tfp_error *err)
{
    const tfp_profile *p = tfp_profile_of(r);
    bool steps = false;
    for (size_t i = 0; i < tfp_executions_of(p)->steps.size; i++) steps |= tfp_executions_of(p)->steps.at[i].listed;
    if (!steps)
        return tfp_report_note_add(r, TFP_NOTE_CHECKER_SKIPPED, err,
                                   "ExpensiveOperationChecker: no steps (run metadata)");
    tfp_status s = check_view(r, row, &tfp_view_op, "operation type ", err);
    if (!s) s = check_view(r, row, &tfp_view_scope, "scope ", err);
    if (s) return s;
    if (!tfp_profile_has(p, TFP_HAS_CODE))
        return tfp_report_note_add(r, TFP_NOTE_CHECKER_SKIPPED, err,
                                   "ExpensiveOperationChecker: no code traces (op log)");
    return check_view(r, row, &tfp_view_code, tfp_lines_are_functions(p) ? "function " : "line ", err);
}

const tfp_checker tfp_checker_expensive = {
    "ExpensiveOperationChecker",
    "An operation type, a scope or a line (of traces with frames a function) of "
    "Python that takes more than half "
    "of all time with at most a quarter of the "
    "operations that ran.",
    check, tfp_tensorflow_expensive
};
