// SPDX-License-Identifier: Apache-2.0
/* views/trace/steps.c: the table `steps`: how the time of each step is spent on each device. All lengths are those of
 * unions of intervals clipped to the step's window, so that busy = compute + exposed communication + exposed copies. */
#include "model/tables/events.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/step_marks.h"
#include "options/options.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/core/view.h"
#include "views/spans/busy.h"
#include "views/spans/doubts.h"
#include "views/trace/path.h"
#include "views/trace/tables.h"

#include <math.h>
#include <stdio.h>

#define ROWS_MOST                                                                                                      \
    ((size_t)500000) /* limit of steps times devices: a small file may have many of both, and a row takes 400 bytes */

typedef struct steps {
    tfp_report *r;
    const tfp_trace_index *x;
    uint32_t *windows;     /* sorted by unit, then start */
    size_t *windows_first; /* for each unit: its first window; with one more element at the end */
    bool every;            /* also steps that the report is not for */
    bool clocks;           /* launches have another clock than the work that they launched */
    bool full;             /* there would be more than ROWS_MOST rows */
    TFP_VEC(tfp_step_row) rows;
} steps;

static tfp_step_row measure(const steps *t, const tfp_trace_device *d, const tfp_busy *from, const tfp_busy *to)
{
    const tfp_trace_unit *unit = &t->x->units[d->unit];
    tfp_step_row out = { .rank = unit->rank,
                         .unit = d->unit,
                         .device_at = (uint32_t)(d - t->x->devices),
                         .step_at = TFP_NONE,
                         .device = d->name,
                         .launch_delay_us = NAN };
    int64_t ns[TFP_BUSY_SETS];
    for (size_t i = 0; i < TFP_BUSY_SETS; i++) ns[i] = to->at_ns > from->at_ns ? to->ns[i] - from->ns[i] : 0;
    out.start_ns = from->at_ns - unit->origin_ns;
    out.duration_ns = to->at_ns - from->at_ns;
    out.busy_ns = ns[TFP_BUSY_ALL];
    out.compute_ns = ns[TFP_BUSY_COMPUTE];
    out.communication_ns = ns[TFP_BUSY_COMMUNICATION];
    out.copy_ns = ns[TFP_BUSY_COPIES];
    out.exposed_communication_ns = ns[TFP_BUSY_NO_COPIES] - out.compute_ns;
    out.exposed_copy_ns = out.busy_ns - ns[TFP_BUSY_NO_COPIES];
    out.idle_ns = out.duration_ns - out.busy_ns;
    size_t launched = to->launched - from->launched;
    if (d->host) return out;
    out.kernels = (int64_t)(to->started - from->started);
    if (launched && !t->clocks) out.launch_delay_us = (double)(to->delay_ns - from->delay_ns) / 1000 / (double)launched;
    return out;
}

static bool add_step(steps *t, const tfp_trace_device *d, const tfp_step_window *w, const tfp_busy *at)
{
    char text[24];
    int size = snprintf(text, sizeof text, "%lld", (long long)tfp_executions_of(t->x->p)->steps.at[w->step].id);
    t->full = t->rows.size >= ROWS_MOST;
    if (t->full) return false;
    tfp_step_row out = measure(t, d, &at[0], &at[1]);
    out.step_at = w->step;
    out.step = (tfp_str){ tfp_arena_copy(tfp_arena_of(t->r), (tfp_str){ text, (size_t)size }), (size_t)size };
    return out.step.data && tfp_push(&t->rows, out);
}

static bool add_all(steps *t, const tfp_trace_device *d, const tfp_busy at[2])
{
    tfp_step_row out = measure(t, d, &at[0], &at[1]);
    out.step = TFP_STR("all");
    return tfp_push(&t->rows, out);
}

static bool is_of(const steps *t, const tfp_step_window *w, const tfp_trace_device *d)
{
    return !w->device || d->host || tfp_str_eq(tfp_text(t->x->p, w->device), d->name);
}

/* The i-th window with a row in the device's unit; NULL: there is none. */
static const tfp_step_window *window_of(const steps *t, const tfp_trace_device *d, size_t i)
{
    const tfp_step_window *w = &tfp_events_of(t->x->p)->windows.at[t->windows[i]];
    return is_of(t, w, d) && (t->every || tfp_step_takes(tfp_step_of(t->r), w->step)) ? w : NULL;
}

static bool add_device(steps *t, uint32_t device)
{
    const tfp_trace_device *d = &t->x->devices[device];
    size_t first = t->windows_first[d->unit], end = t->windows_first[d->unit + 1], count = 0;
    TFP_VEC(tfp_busy) at = { 0 };
    tfp_busy last = { 0 };
    bool ok = true;
    for (size_t i = first; i < end && ok; i++) {
        const tfp_step_window *w = window_of(t, d, i);
        if (w)
            ok = tfp_push(&at, ((tfp_busy){ .at_ns = w->start_ns })) &&
                 tfp_push(&at, ((tfp_busy){ .at_ns = w->end_ns }));
    }
    if (t->x->cut) /* for an activity that extends into the range, the device's first start is not used */
        ok = ok && tfp_push(&at, ((tfp_busy){ .at_ns = d->start_ns })) &&
             tfp_push(&at, ((tfp_busy){ .at_ns = d->end_ns }));
    ok = ok && tfp_busy_measure(t->x, device, at.at, at.size, &last);
    for (size_t i = first; i < end && ok; i++) {
        const tfp_step_window *w = window_of(t, d, i);
        if (w) ok = add_step(t, d, w, &at.at[count]);
        count += w ? 2 : 0;
    }
    tfp_busy all[2] = { { .at_ns = d->start_ns }, last };
    if (ok && t->x->cut) memcpy(all, &at.at[count], sizeof all);
    ok = ok && (tfp_step_of(t->r).which == TFP_STEP_ONE || add_all(t, d, all));
    tfp_vec_free(&at);
    return ok;
}

static uint32_t unit_of(const steps *t, uint32_t window)
{
    return t->x->unit_of_process[tfp_events_of(t->x->p)->windows.at[window].process];
}

static bool window_before(const void *ctx, uint32_t a, uint32_t b)
{
    const steps *t = ctx;
    const tfp_step_window *w = tfp_events_of(t->x->p)->windows.at;
    uint32_t x = unit_of(t, a), y = unit_of(t, b);
    return x != y ? x < y : w[a].start_ns < w[b].start_ns;
}

static bool sort_windows(steps *t)
{
    size_t count = tfp_events_of(t->x->p)->windows.size, known = 0, units = t->x->unit_count;
    t->windows = TFP_NEW(tfp_arena_of(t->r), uint32_t, count + 1);
    t->windows_first = TFP_NEW(tfp_arena_of(t->r), size_t, units + 2);
    if (!t->windows || !t->windows_first) return false;
    for (uint32_t i = 0; i < count; i++)
        if (unit_of(t, i) < units) t->windows[known++] = i;
    for (size_t i = 0; i < known; i++) t->windows_first[unit_of(t, t->windows[i]) + 1]++;
    for (size_t i = 1; i <= units; i++) t->windows_first[i] += t->windows_first[i - 1];
    return tfp_sort(t->windows, known, window_before, t);
}

/* clang-format off */
static const tfp_row_column columns[] = {
    TFP_COLUMN_ONLY(tfp_step_row, "rank", INT, NUMBER, rank, "Rank in the job, or the position of the file if it names no rank.", TFP_SHOWN_RANKS),
    TFP_COLUMN(tfp_step_row, "step", TEXT, LABEL, step, "Number of the step; `all` is the device from its first activity to the end of its last."),
    TFP_COLUMN(tfp_step_row, "device", TEXT, LABEL, device, "`cpu` stands for the host ops of a trace without device activities."),
    TFP_COLUMN(tfp_step_row, "start_us", NANO, MICROS, start_ns, "Start of the window, from the first span of the trace on."),
    TFP_COLUMN(tfp_step_row, "duration_us", NANO, MICROS, duration_ns, "Length of the window."),
    TFP_COLUMN(tfp_step_row, "busy_us", NANO, MICROS, busy_ns, "Time in which at least one activity ran."),
    TFP_COLUMN(tfp_step_row, "compute_us", NANO, MICROS, compute_ns, "Time in which at least one compute kernel ran."),
    TFP_COLUMN(tfp_step_row, "communication_us", NANO, MICROS, communication_ns, "Time in which at least one collective ran."),
    TFP_COLUMN(tfp_step_row, "copy_us", NANO, MICROS, copy_ns, "Time in which at least one copy or memory set ran."),
    TFP_COLUMN(tfp_step_row, "exposed_communication_us", NANO, MICROS, exposed_communication_ns, "Communication without compute at the same time."),
    TFP_COLUMN(tfp_step_row, "exposed_copy_us", NANO, MICROS, exposed_copy_ns, "Copies without compute or communication at the same time."),
    TFP_COLUMN(tfp_step_row, "idle_us", NANO, MICROS, idle_ns, "Time in which nothing ran."),
    TFP_COLUMN(tfp_step_row, "kernels", INT, NUMBER, kernels, "Activities that start in the window."),
    TFP_COLUMN(tfp_step_row, "launch_delay_us", REAL, MICROS, launch_delay_us, "Mean time from the end of the launch call to the start of the activity."),
    { NULL, TFP_T_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

tfp_status tfp_step_rows(tfp_report *r, const tfp_trace_index *x, tfp_step_row **rows, size_t *count, tfp_error *err)
{
    steps t = { .r = r, .x = x, .every = tfp_options_of(r)->verb.why };
    tfp_doubted_steps doubted;
    bool ok = tfp_doubted_steps_of(r, x, &doubted) && sort_windows(&t);
    t.clocks = ok && doubted.clocks;
    for (uint32_t i = 0; i < x->device_count && ok; i++) ok = add_device(&t, i);
    *count = t.rows.size;
    *rows = ok ? TFP_NEW(tfp_arena_of(r), tfp_step_row, t.rows.size + 1) : NULL;
    if (*rows && *count) memcpy(*rows, t.rows.at, *count * sizeof **rows);
    tfp_vec_free(&t.rows);
    if (t.full)
        return tfp_fail(err, TFP_LIMIT, "%zu devices and %zu steps make more than %zu rows; -step N selects one step",
                        x->device_count, tfp_events_of(x->p)->windows.size, ROWS_MOST);
    return *rows ? TFP_OK : tfp_nomem(err);
}

static tfp_status note_ranks(tfp_report *r, const tfp_trace_index *x, tfp_error *err)
{
    tfp_rank_census c;
    if (x->unit_count < 2) return TFP_OK;
    if (!tfp_rank_census_of(r, x, &c)) return tfp_nomem(err);
    tfp_status s = TFP_OK;
    if (c.missing)
        s = tfp_report_note_add(r, TFP_NOTE_RANKS_MISSING, err, "%lld rank%s of the job %s no file (first: rank %lld)",
                                (long long)c.missing, c.missing == 1 ? "" : "s", c.missing == 1 ? "has" : "have",
                                (long long)c.first_missing);
    if (!s && c.doubles)
        s = tfp_report_note_add(r, TFP_NOTE_RANKS_TWICE, err,
                                "%lld file%s of a rank that another file has too (first: rank %lld)",
                                (long long)c.doubles, c.doubles == 1 ? " is" : "s are", (long long)c.first_double);
    return s;
}

static tfp_status build(tfp_report *r, tfp_error *err)
{
    tfp_trace_index x;
    tfp_step_row *rows;
    size_t count;
    tfp_status s = tfp_trace_index_new(r, &x, err);
    if (!s) s = tfp_note_recording(r, x.p, NULL, err);
    if (s || tfp_options_of(r)->verb.critical_path) return s ? s : tfp_trace_path(r, &x, err);
    s = tfp_step_rows(r, &x, &rows, &count, err);
    if (!s) s = note_ranks(r, &x, err);
    if (s || tfp_options_of(r)->verb.why) return s ? s : tfp_why_table(r, &x, rows, count, err);
    return s ? s : tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, count, tfp_trace_shown(&x) }, err);
}

const tfp_view tfp_view_steps = {
    "steps",
    "Where the time of each step goes on each device: compute, exposed communication and copies, idle.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build,
    TFP_NEEDS_SPANS | TFP_ROWS_DO | TFP_NO_STEP_SUMS,
    columns,
    "no operation and no activity of a device is in the trace: tfprof calls shows its spans by name",
};
