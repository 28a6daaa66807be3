// SPDX-License-Identifier: Apache-2.0
/* views/spans/device_steps.c: finds when each step ran on a device, in one pass over its activities and their launches. The
 * lag of a step is the time from the end of its marker to the end of the last activity launched in it. If it grows over
 * the recording, the device does not keep up, and markers tell only when the host launched the work. */
#include "views/spans/device_steps.h"

#include "model/tables/events.h"
#include "model/tables/step_marks.h"
#include "model/trace/scan.h"
#include "query/order.h"

#include <stdlib.h>

enum {
    NESTED = 8,            /* how many windows are looked at that start before a moment */
    LEAST_LAG_NS = 1000000 /* a shorter lag is the delay of a queue */
};

typedef struct sums { /* of the activities launched in a step */
    int64_t count, delay_ns, start_ns, end_ns;
} sums;

typedef struct pass {
    tfp_device_steps *to;
    sums *of;                    /* for each step */
    int64_t outside;             /* activities that start after the last step */
    TFP_VEC(int64_t) unlaunched; /* starts of activities without a launch */
} pass;

/* The last window to start that contains the moment; TFP_NONE: none. */
static uint32_t step_at(const tfp_device_steps *x, int64_t at_ns)
{
    size_t low;
    TFP_LOWER_BOUND(low, 0, x->count, x->at[low].window->start_ns <= at_ns);
    for (size_t i = low; i > 0 && low - i < NESTED; i--)
        if (at_ns < x->at[i - 1].window->end_ns) return (uint32_t)(i - 1);
    return TFP_NONE;
}

static void add(pass *p, int64_t start_ns, int64_t end_ns, int64_t call_ns, int64_t call_end_ns)
{
    uint32_t step = step_at(p->to, call_ns);
    if (step == TFP_NONE) return;
    sums *of = &p->of[step];
    if (!of->count++ || start_ns < of->start_ns) of->start_ns = start_ns;
    if (of->count == 1 || end_ns > of->end_ns) of->end_ns = end_ns;
    if (start_ns > call_end_ns) of->delay_ns = tfp_add(of->delay_ns, start_ns - call_end_ns, NULL);
    p->to->launched++;
    p->to->later += start_ns >= p->to->at[step].window->end_ns;
    p->outside += start_ns >= p->to->at[p->to->count - 1].window->end_ns;
}

static bool add_all(pass *p, const tfp_trace_index *x, uint32_t device)
{
    tfp_time_scan scan = tfp_device_scan(x, device);
    bool ok = true;
    while (ok && tfp_time_scan_next(&scan)) {
        for (const tfp_time_row *row = scan.rows; row < scan.rows + scan.count && ok; row++) {
            if (row->launched)
                add(p, row->start_ns, row->end_ns, row->call_start_ns, row->call_end_ns);
            else
                ok = tfp_push(&p->unlaunched, row->start_ns);
        }
    }
    tfp_time_scan_end(&scan);
    return ok && !scan.failed;
}

/* Whether the lag grows from the first step to the last by over 5 % of the host's time between their ends; of a single
 * step, whether it is over a quarter of the step. Or most activities run after the last step, as when replays of graphs
 * are executed in one burst. */
static bool run_later(const pass *p)
{
    const tfp_device_step *first = NULL, *last = NULL;
    for (size_t i = 0; i < p->to->count; i++) {
        if (!p->of[i].count) continue;
        last = &p->to->at[i];
        if (!first) first = last;
    }
    if (!first || last->lag_ns < LEAST_LAG_NS) return false;
    if (p->outside > p->to->launched / 2) return true;
    const tfp_step_window *w = last->window;
    if (first == last) return last->lag_ns > (w->end_ns - w->start_ns) / 4;
    return w->end_ns > first->window->end_ns && last->lag_ns - first->lag_ns > (w->end_ns - first->window->end_ns) / 20;
}

/* Gives each step the time from the end of the one before to the end of its own last activity. */
static void give_own_times(pass *p)
{
    int64_t at_ns = INT64_MIN;
    for (size_t i = 0; i < p->to->count; i++) {
        tfp_device_step *step = &p->to->at[i];
        const sums *of = &p->of[i];
        if (at_ns == INT64_MIN && of->count) at_ns = of->start_ns;
        step->from_ns = step->to_ns = at_ns == INT64_MIN ? step->window->start_ns : at_ns;
        if (of->count && of->end_ns > at_ns) step->to_ns = at_ns = of->end_ns;
        step->count = step->launched = of->count;
        step->delay_ns = of->delay_ns;
    }
    for (size_t i = 0; i < p->unlaunched.size; i++) {
        int64_t start_ns = p->unlaunched.at[i];
        size_t low; /* the steps before `low` end no later than the activity starts */
        TFP_LOWER_BOUND(low, 0, p->to->count, p->to->at[low].to_ns <= start_ns);
        if (low < p->to->count && p->to->at[low].from_ns <= start_ns) p->to->at[low].count++;
    }
}

bool tfp_device_steps_of(const tfp_trace_index *x, uint32_t device, const tfp_step_window *const *windows, size_t count,
                         bool launches, tfp_device_steps *out)
{
    const tfp_trace_device *d = &x->devices[device];
    pass p = { .to = out, .of = calloc(count + 1, sizeof *p.of) };
    *out = (tfp_device_steps){ .at = calloc(count + 1, sizeof *out->at), .count = count };
    bool ok = p.of && out->at, shared = count > 0 && !d->host && !x->cut && launches;
    for (size_t i = 0; i < count && ok; i++) {
        const tfp_step_window *w = windows[i], *next = i + 1 < count ? windows[i + 1] : NULL;
        unsigned source = tfp_events_of(x->p)->processes.at[w->process].steps;
        bool guessed = source == TFP_STEPS_MODULES || source == TFP_STEPS_ROOTS;
        out->at[i] = (tfp_device_step){ .window = w, .from_ns = w->start_ns, .to_ns = w->end_ns, .next_ns = w->end_ns };
        if (guessed && next && next->start_ns > w->end_ns && !x->cut) out->at[i].next_ns = next->start_ns;
        shared = shared && !windows[i]->device; /* windows of the device itself need no launches */
    }
    if (ok && shared) ok = add_all(&p, x, device);
    for (size_t i = 0; i < count && ok; i++)
        if (p.of[i].count && p.of[i].end_ns > windows[i]->end_ns)
            out->at[i].lag_ns = p.of[i].end_ns - windows[i]->end_ns;
    out->run_later = ok && shared && run_later(&p);
    if (out->run_later) give_own_times(&p);
    free(p.of);
    tfp_vec_free(&p.unlaunched);
    if (!ok) {
        free(out->at);
        out->at = NULL;
    }
    return ok;
}
