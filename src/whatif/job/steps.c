// SPDX-License-Identifier: Apache-2.0
/* whatif/job/steps.c: finds the windows of the steps, and the thread that runs the steps. */
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/runs.h"
#include "model/tables/step_marks.h"
#include "whatif/job/job.h"

#include <math.h>

/* Without marks of the host it is the thread in which host ops take longest. */
static bool find_homes(tfp_job *j)
{
    const tfp_profile *p = j->p;
    int64_t *busy = TFP_NEW(j->arena, int64_t, tfp_lanes_of(p)->size + 1);
    if (!busy) return false;
    for (uint32_t i = 0; i < j->s->size; i++) {
        if (tfp_is_host_op(j->s->kind[i]))
            busy[j->s->lane[i]] = tfp_add(busy[j->s->lane[i]], tfp_add(j->s->self_ns[i], 1, NULL), NULL);
    }
    for (uint32_t lane = 0; lane < tfp_lanes_of(p)->size; lane++) {
        uint32_t process = tfp_lanes_of(p)->at[lane].process,
                 unit = process == TFP_NONE ? TFP_NONE : j->unit_of_process[process];
        if (unit == TFP_NONE || !busy[lane]) continue;
        uint32_t *step_lane = &j->units[unit].step_lane;
        if (*step_lane == TFP_NONE || busy[lane] > busy[*step_lane]) *step_lane = lane;
    }
    for (size_t i = 0; i < tfp_events_of(p)->step_marks.size; i++) {
        const tfp_step_mark *m = &tfp_events_of(p)->step_marks.at[i];
        uint32_t lane = j->s->lane[m->span], process = tfp_lanes_of(p)->at[lane].process;
        bool used = process != TFP_NONE && tfp_events_of(p)->processes.at[process].steps == m->source;
        /* the runs of a program may change threads */
        if (used && m->source != TFP_STEPS_MODULES && tfp_lanes_of(p)->at[lane].role == TFP_ROLE_THREAD)
            j->units[j->unit_of_process[process]].step_lane = lane;
    }
    return true;
}

static bool window_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_job *j = ctx;
    const tfp_step_window *w = tfp_events_of(j->p)->windows.at;
    uint32_t x = j->unit_of_process[w[a].process], y = j->unit_of_process[w[b].process];
    if (x != y) return x < y;
    return w[a].start_ns != w[b].start_ns ? w[a].start_ns < w[b].start_ns : w[a].step < w[b].step;
}

/* When a step begins whose device first did work from before the recording: after that work, or, if the host was done by
 * then, with the step's first activity. */
static double late_start(const tfp_job *j, uint32_t unit, const tfp_step_window *w)
{
    double first = INFINITY;
    for (uint32_t i = 0; i < j->device_count; i++) {
        const tfp_job_activity *a = &j->activities[i];
        if (a->unit == unit && a->step == w->step && a->start < first) first = a->start;
    }
    bool done = first < INFINITY && first > tfp_job_time(j, unit, w->end_ns);
    return done ? first : tfp_job_time(j, unit, w->start_ns);
}

/* Each device may have its own window of a step: the first one is used. */
static bool take_windows(tfp_job *j)
{
    const tfp_step_window *w = tfp_events_of(j->p)->windows.at;
    uint32_t count = (uint32_t)tfp_events_of(j->p)->windows.size, *order = TFP_NEW(j->arena, uint32_t, count + 1);
    j->steps.windows = TFP_NEW(j->arena, tfp_job_window, count + j->unit_count + 1);
    if (!order || !j->steps.windows) return false;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    if (!tfp_sort(order, count, window_before, j)) return false;
    for (uint32_t i = 0; i < count; i++) {
        const tfp_step_window *x = &w[order[i]];
        uint32_t unit = j->unit_of_process[x->process];
        tfp_job_window *last = j->steps.window_count ? &j->steps.windows[j->steps.window_count - 1] : NULL;
        bool late = tfp_starts_late(j->p, x->process);
        if (last && last->unit == unit && last->step == x->step) continue;
        double start = late ? late_start(j, unit, x) : tfp_job_time(j, unit, x->start_ns);
        j->steps.windows[j->steps.window_count++] = (tfp_job_window){ .unit = unit,
                                                                      .step = x->step,
                                                                      .start = start,
                                                                      .end = tfp_job_time(j, unit, x->end_ns),
                                                                      .start_anchor = TFP_NONE,
                                                                      .end_anchor = TFP_NONE,
                                                                      .last = TFP_NONE,
                                                                      .on_device = x->device != 0 || late };
        if (late) j->units[unit].busy_until = start;
    }
    return true;
}

/* A trace without steps counts as one step. */
static void take_units(tfp_job *j)
{
    for (uint32_t unit = 0; unit < j->unit_count; unit++) {
        const tfp_job_unit *u = &j->units[unit];
        if (u->end_ns <= u->origin_ns) continue;
        j->steps.windows[j->steps.window_count++] = (tfp_job_window){ .unit = unit,
                                                                      .step = TFP_NONE,
                                                                      .end = tfp_job_time(j, unit, u->end_ns),
                                                                      .start_anchor = TFP_NONE,
                                                                      .end_anchor = TFP_NONE,
                                                                      .last = TFP_NONE };
    }
}

/* If no thread shows the end of a step, the step ends with its last activity, and the time after that stays unchanged.
 * */
static bool find_lasts(tfp_job *j)
{
    tfp_map64 windows = { 0 };
    bool ok = true;
    for (uint32_t i = 0; ok && i < j->steps.window_count; i++) {
        const tfp_job_window *w = &j->steps.windows[i];
        if (w->on_device || j->units[w->unit].step_lane == TFP_NONE)
            ok = tfp_map64_put(&windows, (uint64_t)w->unit << 32 | w->step, i);
    }
    for (uint32_t i = 0; ok && windows.count && i < j->device_count; i++) {
        const tfp_job_activity *a = &j->activities[i];
        uint32_t at = tfp_map64_get(&windows, (uint64_t)a->unit << 32 | a->step);
        if (at == TFP_NONE) at = tfp_map64_get(&windows, (uint64_t)a->unit << 32 | TFP_NONE);
        if (at == TFP_NONE) continue;
        tfp_job_window *w = &j->steps.windows[at];
        if (w->last == TFP_NONE || a->end > j->activities[w->last].end) w->last = i;
        w->tail = w->end - j->activities[w->last].end;
        if (!(w->tail > 0)) w->tail = 0;
    }
    tfp_map64_free(&windows);
    return ok;
}

static bool count_steps(tfp_job *j)
{
    tfp_map64 seen = { 0 };
    bool ok = true;
    for (uint32_t i = 0; ok && i < j->steps.window_count; i++) ok = tfp_map64_put(&seen, j->steps.windows[i].step, 0);
    j->steps.count = (int64_t)seen.count;
    tfp_map64_free(&seen);
    return ok;
}

/* Steps that are in doubt at the begin or end of the recording do not count. */
static void trim_doubted(tfp_job *j)
{
    tfp_job_window *w = j->steps.windows;
    uint32_t count = 0;
    for (uint32_t first = 0, end; first < j->steps.window_count; first = end) {
        uint32_t unit = w[first].unit, last;
        for (end = first; end < j->steps.window_count && w[end].unit == unit;) end++;
        while (first < end && tfp_step_left_out(&j->steps.doubted, unit, w[first].step)) first++;
        for (last = end; last > first && tfp_step_left_out(&j->steps.doubted, unit, w[last - 1].step);) last--;
        while (first < last) w[count++] = w[first++];
    }
    j->steps.window_count = count;
}

bool tfp_job_windows(tfp_job *j)
{
    for (size_t i = 0; i < j->unit_count; i++) {
        j->units[i].step_lane = TFP_NONE;
        j->units[i].busy_until = INFINITY;
    }
    if (!find_homes(j) || !take_windows(j) || !tfp_doubted_steps_of(j->r, j->x, &j->steps.doubted)) return false;
    trim_doubted(j);
    if (!j->steps.window_count) take_units(j);
    return find_lasts(j) && count_steps(j);
}

bool tfp_job_has_steps(const tfp_job *j)
{
    const tfp_event_tables *e = tfp_events_of(j->p);
    bool any = false;
    for (size_t i = 0; i < e->processes.size; i++) any |= e->processes.at[i].steps != TFP_STEPS_NONE;
    return any;
}

/* ---- the length of a step ---- */

static double anchor_time(const tfp_job *j, const double *at, uint32_t anchor, double recorded)
{
    return at && anchor != TFP_NONE ? at[tfp_job_anchor_node(j, anchor)] : recorded;
}

static double end_of(const tfp_job *j, const tfp_variant *v, const double *at, const tfp_job_window *w, uint32_t *node)
{
    *node = w->end_anchor != TFP_NONE ? tfp_job_anchor_node(j, w->end_anchor) : w->last;
    if (!at || w->end_anchor != TFP_NONE || w->last == TFP_NONE) return anchor_time(j, at, w->end_anchor, w->end);
    return tfp_job_end(j, v, at, w->last) + w->tail;
}

static void reach(double *most, uint32_t *node, double at, uint32_t here)
{
    if (at <= *most) return;
    *most = at;
    *node = here;
}

static bool is_earlier(const tfp_job *j, uint32_t step)
{
    return step != TFP_NONE && tfp_executions_of(j->p)->steps.at[step].id < j->step.id;
}

/* If activities have no step, because the trace is one step, all of them count. */
static void measure(const tfp_job *j, const tfp_variant *v, const double *at)
{
    bool one = j->step.which == TFP_STEP_ONE, whole = j->steps.window_count && j->steps.windows[0].step == TFP_NONE;
    for (uint32_t i = 0; i < j->steps.islands; i++)
        j->steps.extents[i] = (tfp_job_extent){ INFINITY, -INFINITY, -INFINITY, TFP_NONE, TFP_NONE };
    for (uint32_t i = 0; i < j->steps.window_count; i++) {
        const tfp_job_window *w = &j->steps.windows[i];
        tfp_job_extent *e = &j->steps.extents[j->units[w->unit].island];
        uint32_t node;
        double start = anchor_time(j, at, w->start_anchor, w->start), end = end_of(j, v, at, w, &node);
        if (start < e->first) e->first = start;
        if (one && is_earlier(j, w->step)) reach(&e->before, &e->before_node, end, node);
        if (!one || w->step == j->step.row) reach(&e->last, &e->last_node, end, node);
    }
    for (uint32_t i = 0; i < j->activity_count; i++) {
        const tfp_job_activity *a = &j->activities[i];
        tfp_job_extent *e = &j->steps.extents[j->units[a->unit].island];
        if ((a->step == TFP_NONE && !whole) || tfp_step_left_out(&j->steps.doubted, a->unit, a->step)) continue;
        double end = at ? tfp_job_end(j, v, at, i) : a->end;
        if (one && is_earlier(j, a->step)) reach(&e->before, &e->before_node, end, i);
        if (!one || a->step == j->step.row) reach(&e->last, &e->last_node, end, i);
    }
}

double tfp_job_step(const tfp_job *j, const tfp_variant *v, const double *at, tfp_replayed *out)
{
    bool one = j->step.which == TFP_STEP_ONE;
    double longest = 0;
    measure(j, v, at);
    for (uint32_t island = 0; island < j->steps.islands;
         island++) { /* with ranks that have no common clock, the slowest island decides */
        tfp_job_extent e = j->steps.extents[island];
        if (!(e.first < INFINITY && e.last > -INFINITY)) continue;
        double from = one && e.before > -INFINITY ? e.before : e.first,
               all = (e.last - from) / (one ? 1 : (double)j->steps.count);
        if (!(all > longest)) continue;
        longest = all;
        out->from = from;
        out->last = e.last_node;
    }
    return longest;
}
