// SPDX-License-Identifier: Apache-2.0
/* advise/tensorflow_expensive.c: the most expensive operation types, scopes and lines of Python exactly as TensorFlow's
 * tool lists them: -compat tensorflow. */
#include "advise/checker.h"
#include "model/tables/runs.h"
#include "options/columns.h"
#include "views/core/notes.h"
#include "views/core/rows.h"

static tfp_status check_ops(tfp_report *r, uint32_t row, tfp_error *err)
{
    static const char *const options[] = { "max_depth", "3", "min_micros", "1", "order_by", "micros", NULL };
    tfp_report *v = NULL;
    tfp_buf b = { 0 };
    tfp_status s = tfp_checker_view(r, &tfp_view_op, options, &v, err);
    for (uint32_t i = 1; !s && i < tfp_row_count(v) && i <= 3; i++) {
        if (i > 1) tfp_buf_char(&b, '\n');
        tfp_buf_printf(&b, "top %u operation type: ", (unsigned)i);
        tfp_escape(&b, tfp_row_at(v, i)->name);
        tfp_checker_times(&b, v, i, false);
        tfp_buf_printf(&b, " (%.2f%%)",
                       100.0 * tfp_exact(TFP_V_MICROS, tfp_own(v, i, TFP_V_MICROS)) /
                           (tfp_exact(TFP_V_MICROS, tfp_total(v, 0, TFP_V_MICROS)) + 1e-10));
    }
    if (!s && tfp_row_count(v) > 1) s = tfp_checker_find_text(r, row, &b, err);
    tfp_buf_free(&b);
    tfp_report_free(v);
    return s;
}

static tfp_status check_scopes(tfp_report *r, uint32_t row, tfp_error *err)
{
    static const char *const options[] = { "max_depth", "100", "min_micros", "100", "order_by", "micros", NULL };
    tfp_report *v = NULL;
    tfp_buf b = { 0 };
    unsigned found = 0;
    tfp_status s = tfp_checker_view(r, &tfp_view_scope, options, &v, err);
    for (uint32_t i = 1; !s && i < tfp_row_count(v) && found < 3; i++) {
        if (tfp_row_at(v, i)->depth != 1) continue;
        if (found++) tfp_buf_char(&b, '\n');
        tfp_buf_printf(&b, "top %u graph node: ", found);
        tfp_escape(&b, tfp_row_at(v, i)->name);
        tfp_checker_times(&b, v, i, false);
    }
    if (!s && found) s = tfp_checker_find_text(r, row, &b, err);
    tfp_buf_free(&b);
    tfp_report_free(v);
    return s;
}

/* ---- lines of Python: four levels of the three most expensive, from where the stack first forks ---- */

enum { LEVELS = 4, WIDTH = 3, LINE_MIN_US = 1000 };

typedef struct kids {
    const tfp_report *v;
    uint32_t *first, *next; /* for each row: its first child, and the next child of its parent; 0: none */
} kids;

static bool find_kids(kids *k, const tfp_report *v, tfp_arena *arena)
{
    size_t n = tfp_row_count(v);
    uint32_t *last = TFP_NEW(arena, uint32_t, n);
    k->v = v;
    k->first = TFP_NEW(arena, uint32_t, n);
    k->next = TFP_NEW(arena, uint32_t, n);
    if (!last || !k->first || !k->next) return false;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t parent = tfp_row_at(v, i)->parent;
        if (k->first[parent] == 0)
            k->first[parent] = i;
        else
            k->next[last[parent]] = i;
        last[parent] = i;
    }
    return true;
}

static bool forks(const kids *k, uint32_t row) { return k->first[row] && k->next[k->first[row]]; }

/* Rows are visited level by level; their depth is limited, and so is the stack. */
static void write_lines(const kids *k, uint32_t top, tfp_buf *b)
{
    uint32_t at[LEVELS + 1] = { 0 };
    int taken[LEVELS + 1] = { 0 }, level = 0, lines = 0;
    at[0] = forks(k, top) ? k->first[top] : 0;
    while (level >= 0) {
        uint32_t row = at[level];
        if (row == 0 || taken[level] == WIDTH) {
            level--;
            continue;
        }
        at[level] = k->next[row];
        taken[level]++;
        if (tfp_micros(tfp_total(k->v, row, TFP_V_MICROS)) < LINE_MIN_US) continue;
        if (lines++) tfp_buf_char(b, '\n');
        tfp_buf_fill(b, ' ', 2 * (size_t)level);
        tfp_escape(b, tfp_row_at(k->v, row)->name);
        tfp_checker_times(b, k->v, row, true);
        if (level + 1 < LEVELS && forks(k, row)) {
            level++;
            at[level] = k->first[row];
            taken[level] = 0;
        }
    }
}

static tfp_status check_code(tfp_report *r, uint32_t row, tfp_error *err)
{
    static const char *const options[] = { "max_depth", "100", "min_micros", "1", "order_by", "micros", NULL };
    tfp_report *v = NULL;
    tfp_arena arena = { 0 };
    tfp_buf b = { 0 };
    kids k;
    if (!tfp_profile_has(tfp_profile_of(r), TFP_HAS_CODE))
        return tfp_report_note_add(r, TFP_NOTE_CHECKER_SKIPPED, err,
                                   "ExpensiveOperationChecker: no code traces (op log)");
    tfp_status s = tfp_checker_view(r, &tfp_view_code, options, &v, err);
    if (!s && !find_kids(&k, v, &arena)) s = tfp_nomem(err);
    if (!s) {
        uint32_t top = 0;
        while (k.first[top] && !forks(&k, top)) top = k.first[top]; /* library frames that only one line calls */
        if (k.first[top]) {
            write_lines(&k, top, &b);
            s = tfp_checker_find_text(r, row, &b, err);
        }
    }
    tfp_buf_free(&b);
    tfp_arena_free(&arena);
    tfp_report_free(v);
    return s;
}

tfp_status tfp_tensorflow_expensive(tfp_report *r, uint32_t row, tfp_error *err)
{
    tfp_status s = TFP_OK;
    bool steps = false;
    for (size_t i = 0; i < tfp_executions_of(tfp_profile_of(r))->steps.size; i++)
        steps |= tfp_executions_of(tfp_profile_of(r))->steps.at[i].listed;
    if (steps)
        s = check_ops(r, row, err);
    else
        s = tfp_report_note_add(r, TFP_NOTE_CHECKER_SKIPPED, err, "ExpensiveOperationChecker: no steps (run metadata)");
    if (!s) s = check_scopes(r, row, err);
    return s ? s : check_code(r, row, err);
}
