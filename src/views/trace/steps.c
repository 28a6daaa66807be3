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
#include "views/spans/device_steps.h"
#include "views/spans/doubts.h"
#include "views/trace/path.h"
#include "views/trace/tables.h"

#include <math.h>
#include <stdio.h>

#define ROWS_MOST                                                                                                      \
    ((size_t)500000) /* limit of steps times devices: a small file may have many of both, and a row takes 400 bytes */

typedef struct extent {
    int64_t start_ns, end_ns;
} extent;

typedef struct steps {
    tfp_report *r;
    const tfp_trace_index *x;
    tfp_unit_windows windows;
    extent *extents; /* of each unit: from its first activity to the last */
    bool every;      /* also steps that the report is not for */
    bool clocks;     /* launches have another clock than the work that they launched */
    bool full;       /* there would be more than ROWS_MOST rows */
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
                         .served = { .requests = TFP_ABSENT, .tokens = TFP_ABSENT },
                         .launch_delay_us = NAN };
    int64_t ns[TFP_BUSY_SETS];
    for (size_t i = 0; i < TFP_BUSY_SETS; i++) ns[i] = to->at_ns > from->at_ns ? to->ns[i] - from->ns[i] : 0;
    out.start_ns = out.device_start_ns = from->at_ns - unit->origin_ns;
    out.duration_ns = out.device_ns = out.step_ns = to->at_ns - from->at_ns;
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

static tfp_served served_in(const tfp_step_window *w)
{
    tfp_served out = { .requests = TFP_ABSENT, .tokens = TFP_ABSENT };
    if (!w->phase) return out;
    out.phase = tfp_str_of(tfp_phase_name(w->phase));
    if (w->requests >= 0) out.requests = w->requests;
    if (w->tokens >= 0) out.tokens = w->tokens;
    return out;
}

/* Whether the window is all of a trace without steps. */
static bool is_whole(const steps *t, const tfp_step_window *w)
{
    return tfp_events_of(t->x->p)->processes.at[w->process].steps == TFP_STEPS_NONE && !t->x->cut;
}

static bool add_step(steps *t, const tfp_trace_device *d, const tfp_device_step *step, bool later_runs,
                     const tfp_busy *at)
{
    char text[24];
    const tfp_step_window *w = step->window;
    int size = snprintf(text, sizeof text, "%lld", (long long)tfp_executions_of(t->x->p)->steps.at[w->step].id);
    t->full = t->rows.size >= ROWS_MOST;
    if (t->full) return false;
    tfp_step_row out = measure(t, d, &at[0], &at[1]);
    out.step_at = w->step;
    out.served = served_in(w);
    out.step = (tfp_str){ tfp_arena_copy(tfp_arena_of(t->r), (tfp_str){ text, (size_t)size }), (size_t)size };
    out.lag.ns = step->lag_ns;
    out.later_runs = later_runs;
    if (!later_runs) out.step_ns = out.device_ns = step->next_ns - step->from_ns;
    int64_t worked_ns = t->extents[d->unit].end_ns - t->extents[d->unit].start_ns;
    if (is_whole(t, w) && worked_ns < out.duration_ns / 4) out.step_ns = worked_ns; /* most of it is start-up */
    if (later_runs) {
        out.start_ns = w->start_ns - t->x->units[d->unit].origin_ns;
        out.duration_ns = w->end_ns - w->start_ns;
        out.kernels = step->count;
        out.launch_delay_us =
            step->launched && !t->clocks ? (double)step->delay_ns / 1000 / (double)step->launched : NAN;
    }
    return out.step.data && tfp_push(&t->rows, out);
}

static bool add_all(steps *t, const tfp_trace_device *d, const tfp_device_steps *of, const tfp_busy at[2])
{
    tfp_step_row out = measure(t, d, &at[0], &at[1]);
    out.step = TFP_STR("all");
    out.later_runs = of->run_later;
    out.lag.launched = of->launched;
    out.lag.later = of->later;
    return tfp_push(&t->rows, out);
}

/* The windows of the device, sorted by start; freed by the caller. False: out of memory. */
static bool find_steps(const steps *t, uint32_t device, tfp_device_steps *out)
{
    const tfp_trace_device *d = &t->x->devices[device];
    size_t first = t->windows.first[d->unit], end = t->windows.first[d->unit + 1], count = 0;
    const tfp_step_window **own = malloc((end - first + 1) * sizeof *own);
    for (size_t i = first; i < end && own; i++) {
        const tfp_step_window *w = &tfp_events_of(t->x->p)->windows.at[t->windows.order[i]];
        if (!w->device || d->host || tfp_str_eq(tfp_text(t->x->p, w->device), d->name)) own[count++] = w;
    }
    bool ok = own && tfp_device_steps_of(t->x, device, own, count, !t->clocks, out);
    free(own);
    return ok;
}

static bool has_row(const steps *t, const tfp_device_step *step)
{
    return t->every || tfp_step_takes(tfp_step_of(t->r), step->window->step);
}

static bool add_device(steps *t, uint32_t device)
{
    const tfp_trace_device *d = &t->x->devices[device];
    size_t count = 0;
    TFP_VEC(tfp_busy) at = { 0 };
    tfp_device_steps of = { 0 };
    tfp_busy last = { 0 };
    bool ok = find_steps(t, device, &of);
    for (size_t i = 0; i < of.count && ok; i++)
        if (has_row(t, &of.at[i]))
            ok = tfp_push(&at, ((tfp_busy){ .at_ns = of.at[i].from_ns })) &&
                 tfp_push(&at, ((tfp_busy){ .at_ns = of.at[i].to_ns }));
    if (t->x->cut) /* for an activity that extends into the range, the device's first start is not used */
        ok = ok && tfp_push(&at, ((tfp_busy){ .at_ns = d->start_ns })) &&
             tfp_push(&at, ((tfp_busy){ .at_ns = d->end_ns }));
    ok = ok && tfp_busy_measure(t->x, device, at.at, at.size, &last);
    for (size_t i = 0; i < of.count && ok; i++) {
        if (!has_row(t, &of.at[i])) continue;
        ok = add_step(t, d, &of.at[i], of.run_later, &at.at[count]);
        count += 2;
    }
    tfp_busy all[2] = { { .at_ns = d->start_ns }, last };
    if (ok && t->x->cut) memcpy(all, &at.at[count], sizeof all);
    ok = ok && (tfp_step_is_part(tfp_step_of(t->r)) || add_all(t, d, &of, all));
    tfp_vec_free(&at);
    free(of.at);
    return ok;
}

/* Decides how long the steps of one device take whose work runs later than they: as long as on the device or on the
 * host, whichever takes longer. Returns the sum. */
static int64_t time_steps(tfp_step_row *rows, size_t count)
{
    int64_t device_ns = 0, host_ns = 0;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].step_at == TFP_NONE) continue;
        device_ns = tfp_add(device_ns, rows[i].device_ns, NULL);
        host_ns = tfp_add(host_ns, rows[i].duration_ns, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        rows[i].ahead = rows[i].later_runs && device_ns > host_ns;
        if (!rows[i].later_runs || rows[i].step_at == TFP_NONE) continue;
        rows[i].step_ns = rows[i].ahead ? rows[i].device_ns : rows[i].duration_ns;
    }
    return count && rows[0].later_runs && device_ns <= host_ns ? host_ns : device_ns;
}

/* The steps of a rank take as long as those of its slowest device where the host runs ahead of one; otherwise all its
 * devices have the same windows, or windows of their own, whose mean counts. */
static void find_pace(tfp_step_row *rows, size_t count)
{
    for (size_t first = 0, end; first < count; first = end) {
        uint32_t slowest = TFP_NONE;
        int64_t most = -1;
        bool ahead = false;
        for (size_t i = end = first; i < count && rows[i].unit == rows[first].unit; i = end) {
            while (end < count && rows[end].unit == rows[i].unit && rows[end].device_at == rows[i].device_at) end++;
            int64_t ns = time_steps(rows + i, end - i);
            ahead |= rows[i].ahead;
            if (ns > most) most = ns, slowest = rows[i].device_at;
        }
        for (size_t i = first; i < end; i++) rows[i].paces = !ahead || rows[i].device_at == slowest;
    }
}

/* ---- the start of a program ---- */

/* Whether the first of a device's steps holds the start of the program: it takes over a quarter longer than the median of
 * the others (of a server: of its phase), and at least half of that is before the device's first activity; or it is step 0
 * and takes twice as long. */
static bool begins_with_start(const steps *t, const tfp_step_row *rows, size_t count)
{
    if (count < 2 || rows[0].later_runs || t->x->cut) return false;
    int64_t *lengths = TFP_NEW(tfp_arena_of(t->r), int64_t, count);
    size_t others = 0;
    for (size_t i = 1; lengths && i < count; i++)
        if (tfp_str_eq(rows[i].served.phase, rows[0].served.phase)) lengths[others++] = rows[i].step_ns;
    if (!others) return false;
    qsort(lengths, others, sizeof *lengths, tfp_by_int);
    const tfp_trace_device *d = &t->x->devices[rows[0].device_at];
    int64_t median = lengths[others / 2], more = rows[0].step_ns - median;
    int64_t lead = d->start_ns - t->x->units[d->unit].origin_ns - rows[0].start_ns;
    bool waits = more > median / 4 && lead >= more / 2 && lead <= rows[0].duration_ns;
    return waits || (more > median && tfp_str_eq(rows[0].step, TFP_STR("0")));
}

/* Leaves a first step out of all means that holds the start of the program in at least half of the ranks. */
static void find_start(steps *t)
{
    tfp_step_row *rows = t->rows.at;
    uint32_t start = TFP_NONE;
    size_t of = 0, units = 0;
    for (size_t i = 0, end; i < t->rows.size; i = end) {
        bool first = !i || rows[i].unit != rows[i - 1].unit;
        for (end = i; end < t->rows.size && rows[end].device_at == rows[i].device_at;) end++;
        size_t count = end - i - (rows[end - 1].step_at == TFP_NONE);
        if (!first || !count) continue;
        units++;
        if (!begins_with_start(t, rows + i, count) || (start != TFP_NONE && rows[i].step_at != start)) continue;
        start = rows[i].step_at;
        of++;
    }
    for (size_t i = 0; i < t->rows.size && of && 2 * of >= units; i++)
        if (rows[i].step_at == start) rows[i].paces = TFP_STEP_IS_START;
}

static bool find_extents(steps *t)
{
    const tfp_trace_index *x = t->x;
    t->extents = TFP_NEW(tfp_arena_of(t->r), extent, x->unit_count + 1);
    for (size_t i = 0; t->extents && i < x->device_count; i++) {
        const tfp_trace_device *d = &x->devices[i];
        extent *e = &t->extents[d->unit];
        bool first = e->end_ns == e->start_ns;
        if (first || d->start_ns < e->start_ns) e->start_ns = d->start_ns;
        if (first || d->end_ns > e->end_ns) e->end_ns = d->end_ns;
    }
    return t->extents != NULL;
}

/* clang-format off */
static const tfp_table_column columns[] = {
    TFP_COLUMN_ONLY(tfp_step_row, "rank", INT, NUMBER, rank, "Rank in the job, or the position of the file if it names no rank.", TFP_SHOWN_RANKS),
    TFP_COLUMN(tfp_step_row, "step", TEXT, LABEL, step, "Number of the step; `all` is the device from its first activity to the end of its last."),
    TFP_COLUMN_ONLY(tfp_step_row, "phase", TEXT, LABEL, served.phase, "What a server of a language model did in it: prefill, decode, mixed, verify, draft or idle.", TFP_SHOWN_PHASE),
    TFP_COLUMN_ONLY(tfp_step_row, "requests", INT, NUMBER, served.requests, "Requests in the step.", TFP_SHOWN_PHASE),
    TFP_COLUMN_ONLY(tfp_step_row, "tokens", INT, NUMBER, served.tokens, "Tokens that the step read or made.", TFP_SHOWN_PHASE),
    TFP_COLUMN(tfp_step_row, "device", TEXT, LABEL, device, "`cpu` stands for the host ops of a trace without device activities."),
    TFP_COLUMN(tfp_step_row, "start_us", NANO, MICROS, start_ns, "Start of the window, from the first span of the trace on."),
    TFP_COLUMN(tfp_step_row, "duration_us", NANO, MICROS, duration_ns, "Length of the window."),
    TFP_COLUMN_ONLY(tfp_step_row, "step_us", NANO, MICROS, step_ns, "How long the step takes: on the device, where the host runs ahead of it; to the start of the next, where steps are guessed.", TFP_SHOWN_STEP),
    TFP_COLUMN(tfp_step_row, "busy_us", NANO, MICROS, busy_ns, "Time in which at least one activity ran."),
    TFP_COLUMN(tfp_step_row, "compute_us", NANO, MICROS, compute_ns, "Time in which at least one compute kernel ran."),
    TFP_COLUMN(tfp_step_row, "communication_us", NANO, MICROS, communication_ns, "Time in which at least one collective ran."),
    TFP_COLUMN(tfp_step_row, "copy_us", NANO, MICROS, copy_ns, "Time in which at least one copy or memory set ran."),
    TFP_COLUMN(tfp_step_row, "exposed_communication_us", NANO, MICROS, exposed_communication_ns, "Communication without compute at the same time."),
    TFP_COLUMN(tfp_step_row, "exposed_copy_us", NANO, MICROS, exposed_copy_ns, "Copies without compute or communication at the same time."),
    TFP_COLUMN(tfp_step_row, "idle_us", NANO, MICROS, idle_ns, "Time in which nothing ran."),
    TFP_COLUMN(tfp_step_row, "kernels", INT, NUMBER, kernels, "Activities that start in the window; where the host runs ahead, those launched in it."),
    TFP_COLUMN(tfp_step_row, "launch_delay_us", REAL, MICROS, launch_delay_us, "Mean time from the end of the launch call to the start of the activity."),
    { "paces", TFP_CELL_INT, TFP_NUMBER, offsetof(tfp_step_row, paces), "1: the rank's steps are those of this device, the slowest. -1: the step holds the start of the program, -2: a note says what of it is in doubt; both are in no mean.", .only = TFP_SHOWN_STEP, .programs = true },
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

tfp_status tfp_step_rows(tfp_report *r, const tfp_trace_index *x, tfp_step_row **rows, size_t *count, tfp_error *err)
{
    steps t = { .r = r, .x = x, .every = tfp_options_of(r)->verb.why };
    tfp_doubted_steps doubted;
    bool ok =
        tfp_doubted_steps_of(r, x, &doubted) && tfp_windows_by_unit(tfp_arena_of(r), x, &t.windows) && find_extents(&t);
    t.clocks = ok && doubted.clocks;
    for (uint32_t i = 0; i < x->device_count && ok; i++) ok = add_device(&t, i);
    *count = t.rows.size;
    if (ok) find_pace(t.rows.at, t.rows.size);
    if (ok && tfp_step_of(r).which != TFP_STEP_ONE && !t.every) find_start(&t);
    for (size_t i = 0; i < t.rows.size && ok && tfp_step_of(r).which != TFP_STEP_ONE && !t.every; i++)
        if (tfp_step_left_out(&doubted, t.rows.at[i].unit, t.rows.at[i].step_at))
            t.rows.at[i].paces = TFP_STEP_IN_DOUBT;
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

/* Adds what people must know of a device whose work does not run in the steps that launched it: `all` is its last row. */
static tfp_status note_device(tfp_report *r, const tfp_step_row *last, const tfp_step_row *all, tfp_error *err)
{
    tfp_str device = all->device;
    if (all->ahead && last) {
        tfp_buf lag = { 0 };
        tfp_format_real(&lag, TFP_MICROS, (double)last->lag.ns / 1000);
        const char *text = tfp_buf_move(&lag, tfp_arena_of(r)).data;
        if (!text) return tfp_nomem(err);
        return tfp_report_note_add(
            r, TFP_NOTE_HOST_AHEAD, err,
            "the host runs ahead of %.*s, by %s at the end: there a step has what was launched in "
            "it and takes `step_us`; start and duration are the host's",
            (int)device.size, device.data, text);
    }
    if (all->ahead || !all->later_runs) return TFP_OK;
    return tfp_report_note_add(r, TFP_NOTE_RUNS_LATER, err,
                               "%lld of %lld activities of %.*s run after the step that launched them, and count in it",
                               (long long)all->lag.later, (long long)all->lag.launched, (int)device.size, device.data);
}

static tfp_status note_devices(tfp_report *r, const tfp_step_row *rows, size_t count, unsigned *shown, tfp_error *err)
{
    const tfp_step_row *last = NULL;
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < count && !s; i++) {
        if (rows[i].paces != TFP_STEP_IS_START) continue;
        s = tfp_report_note_add(r, TFP_NOTE_START, err, "step %.*s holds the start of the program, and is in no mean",
                                (int)rows[i].step.size, rows[i].step.data);
        break;
    }
    for (size_t i = 0; i < count && !s; i++) {
        if (rows[i].ahead || rows[i].step_ns != rows[i].duration_ns || rows[i].paces < 0) *shown |= TFP_SHOWN_STEP;
        if (rows[i].served.phase.data) *shown |= TFP_SHOWN_PHASE;
        if (rows[i].step_at != TFP_NONE)
            last = &rows[i];
        else
            s = note_device(r, last, &rows[i], err), last = NULL;
    }
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
    unsigned shown = tfp_trace_shown(&x);
    s = note_devices(r, rows, count, &shown, err);
    return s ? s : tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, count, shown }, err);
}

const tfp_view tfp_view_steps = {
    "steps",
    "Where the time of each step goes on each device: compute, exposed communication and copies, idle.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build,
    TFP_NEEDS_SPANS,
    columns,
    "no operation and no activity of a device is in the trace: tfprof calls shows its spans by name",
    .compared = TFP_COMPARED_STEPS,
    .reads = TFP_READS_TIMES,
};
