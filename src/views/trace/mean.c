// SPDX-License-Identifier: Apache-2.0
/* views/trace/mean.c: the mean step of a device, whether the first step is a program's start, and how much the steps of a
 * rank differ. */
#include "model/tables/events.h"
#include "model/tables/runs.h"
#include "model/tables/step_marks.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/trace/facts.h"

#include <math.h>

static bool is_all(const tfp_step_row *s) { return *s->step.data == 'a'; }

bool tfp_span_left_out(const tfp_trace_facts *f, uint32_t span)
{
    return tfp_step_left_out(&f->begin.doubted, tfp_trace_unit_of(&f->x, span), f->x.s->step[span]);
}

bool tfp_row_left_out(const tfp_trace_facts *f, const tfp_step_row *row)
{
    return tfp_step_left_out(&f->begin.doubted, row->unit, row->step_at);
}

static bool is_warm_up(const tfp_trace_facts *f, const tfp_step_row *s)
{
    return f->begin.warm_up != TFP_NONE && tfp_str_eq(s->step, TFP_STR("0"));
}

/* Finds whether steps are marked, and whether the first one contains the program's start: it has number 0 and the trace
 * begins with it. */
static void look_at_steps(tfp_trace_facts *f)
{
    const tfp_profile *p = f->x.p;
    const tfp_event_tables *e = tfp_events_of(p);
    f->begin.whole = e->windows.size > 0;
    for (size_t i = 0; i < e->windows.size && f->begin.whole; i++)
        f->begin.whole = e->processes.at[e->windows.at[i].process].steps == TFP_STEPS_NONE;
    bool several = tfp_executions_of(p)->step_order.size > 1;
    f->begin.warm_up = several && tfp_executions_of(p)->steps.at[tfp_executions_of(p)->step_order.at[0]].id == 0
                           ? tfp_executions_of(p)->step_order.at[0]
                           : TFP_NONE;
}

static void add_steps(tfp_trace_facts *f)
{
    double even = 0, sum = 0, extent = 0, paced = 0;
    f->step_count = 0;
    f->begin.start = TFP_NONE;
    for (size_t i = 0; i < f->step_row_count; i++) {
        const tfp_step_row *s = &f->steps[i];
        if (is_all(s)) {
            extent += (double)s->duration_ns;
            continue;
        }
        if (tfp_row_left_out(f, s)) continue;
        if (s->paces < 0) {
            f->begin.start = s->step_at;
            if (s->step_ns > f->begin.start_ns) f->begin.start_ns = s->step_ns;
            continue;
        }
        f->begin.clipped |= f->begin.whole && s->step_ns < s->duration_ns;
        f->step_count++;
        if (s->paces) f->mean.step_ns += (double)s->step_ns, paced++;
        f->mean.busy_ns += (double)s->busy_ns;
        f->mean.compute_ns += (double)s->compute_ns;
        f->mean.communication_ns += (double)s->communication_ns;
        f->mean.copy_ns += (double)s->copy_ns;
        f->mean.exposed_communication_ns += (double)s->exposed_communication_ns;
        f->mean.exposed_copy_ns += (double)s->exposed_copy_ns;
        f->mean.idle_ns +=
            (double)(f->begin.whole && s->step_ns < s->duration_ns ? s->step_ns - s->busy_ns : s->idle_ns);
        if (!s->later_runs && s->step_ns > s->duration_ns) f->mean.between_ns += (double)(s->step_ns - s->duration_ns);
        f->mean.kernels_per_step += (double)s->kernels;
        if (is_warm_up(f, s)) {
            if ((double)s->step_ns > f->begin.warm_up_ns) f->begin.warm_up_ns = (double)s->step_ns;
            continue;
        }
        even++;
        sum += (double)s->step_ns;
    }
    double n = f->step_count ? (double)f->step_count : 1;
    double *means[] = { &f->mean.busy_ns,
                        &f->mean.compute_ns,
                        &f->mean.communication_ns,
                        &f->mean.copy_ns,
                        &f->mean.exposed_communication_ns,
                        &f->mean.exposed_copy_ns,
                        &f->mean.idle_ns,
                        &f->mean.kernels_per_step,
                        &f->mean.between_ns };
    if (paced > 0) f->mean.step_ns /= paced;
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) *means[i] /= n;
    f->mean.judged_ns = f->begin.whole && extent > 0 ? extent / n : f->mean.step_ns;
    f->mean.even_ns = even > 0 ? sum / even : 0;
    if (!f->step_count) f->step_count = 1;
}

/* Finds the slowest device that the host runs ahead of. */
static void find_pace(tfp_trace_facts *f)
{
    double most = 0;
    f->mean.ahead_of = TFP_NONE;
    for (size_t i = 0, end; i < f->step_row_count; i = end) {
        const tfp_step_row *last = NULL;
        double ns = 0, n = 0;
        for (end = i; end < f->step_row_count && f->steps[end].device_at == f->steps[i].device_at; end++)
            if (!is_all(&f->steps[end]) && f->steps[end].paces >= 0)
                last = &f->steps[end], ns += (double)last->step_ns, n++;
        if (!last || !last->ahead || !last->paces || ns / n <= most) continue;
        most = ns / n;
        f->mean.ahead_of = last->device_at;
        f->mean.lag_ns = (double)last->lag.ns;
    }
}

static const tfp_sort_key shortest_first[] = { TFP_UP(tfp_step_row, step_ns), { 0 } };

/* Compares the steps of one rank, sorted by length. The rank whose steps differ most is kept, with its median step and the step
 * farthest from the median: comparing these two shows why steps vary. */
static void compare_steps(tfp_trace_facts *f, const uint32_t *rows, size_t count)
{
    double n = (double)count, sum = 0, squares = 0;
    if (count < 3) return;
    for (size_t i = 0; i < count; i++) {
        double ns = (double)f->steps[rows[i]].step_ns;
        sum += ns;
        squares += ns * ns;
    }
    double mean = sum / n, variance = squares / n - mean * mean;
    double cv = mean > 0 ? sqrt(variance > 0 ? variance : 0) / mean : NAN;
    if (isnan(cv) || cv <= f->mean.step_cv) return;
    f->mean.step_cv = cv;
    f->mean.cv_mean_ns = mean;
    f->mean.median_step = rows[(count - 1) / 2];
    int64_t median = f->steps[f->mean.median_step].step_ns;
    bool is_long = f->steps[rows[count - 1]].step_ns - median >= median - f->steps[rows[0]].step_ns;
    f->mean.odd_step = rows[is_long ? count - 1 : 0];
}

/* Whether the row belongs to the device whose steps are compared: the one that sets the pace where the host is ahead,
 * otherwise the rank's first. */
static bool is_compared(const tfp_step_row *head, const tfp_step_row *s)
{
    return head->paces ? tfp_str_eq(s->device, head->device) : s->paces > 0;
}

/* Ranks may differ from each other, so each rank's steps are compared only with each other, using the steps of one
 * device. */
static bool find_odd_steps(tfp_report *r, tfp_trace_facts *f)
{
    uint32_t *rows = TFP_NEW(tfp_arena_of(r), uint32_t, f->step_row_count + 1);
    f->mean.median_step = f->mean.odd_step = SIZE_MAX;
    f->mean.step_cv = NAN;
    for (size_t first = 0, end; rows && first < f->step_row_count; first = end) {
        size_t count = 0;
        const tfp_step_row *head = &f->steps[first];
        for (end = first; end < f->step_row_count && f->steps[end].unit == head->unit; end++)
            if (!is_all(&f->steps[end]) && f->steps[end].paces >= 0 && !is_warm_up(f, &f->steps[end]) &&
                !tfp_row_left_out(f, &f->steps[end]) && is_compared(head, &f->steps[end]))
                rows[count++] = (uint32_t)end;
        if (!tfp_order_items(rows, count, shortest_first, f->steps, sizeof *f->steps)) return false;
        if (isnan(f->mean.step_cv)) f->mean.step_cv = -1;
        compare_steps(f, rows, count);
    }
    if (f->mean.step_cv < 0) f->mean.step_cv = NAN;
    return rows != NULL;
}

tfp_status tfp_mean_step_of(tfp_report *r, tfp_trace_facts *f, tfp_error *err)
{
    tfp_status s = tfp_trace_index_new(r, &f->x, err);
    for (size_t i = 0; !s && i < f->x.unit_count; i++) f->has_devices |= f->x.units[i].has_devices;
    if (!s && !tfp_doubted_steps_of(r, &f->x, &f->begin.doubted)) s = tfp_nomem(err);
    if (!s) s = tfp_step_rows(r, &f->x, &f->steps, &f->step_row_count, err);
    if (s) return s;
    look_at_steps(f);
    add_steps(f);
    find_pace(f);
    return find_odd_steps(r, f) ? TFP_OK : tfp_nomem(err);
}
