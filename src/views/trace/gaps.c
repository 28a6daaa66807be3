// SPDX-License-Identifier: Apache-2.0
/* views/trace/gaps.c: gaps of a device whose next activity was launched only during the gap, so that the device waited for the
 * host. Short gaps are the cost of many launches; in long ones the host did something else, and this file finds out what.
 * Without devices: long gaps during which no operation of the host runs. */
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/step_marks.h"
#include "views/core/handle.h"
#include "views/trace/facts.h"

#define OWN_GAP_NS 30000 /* the device's own delay between activities, as in `wait` */
#define STALL_NS 1000000 /* longer gaps are not explained by the cost of launches */

typedef struct gaps {
    tfp_trace_facts *f;
    const tfp_union *known, *own;
    tfp_gap_facts *to; /* sums until the end, then means over the steps */
    int64_t longest_late, longest_stall;
    tfp_gap worst; /* the longest of the long gaps, minus its explained part */
} gaps;

/* The part of idle time during which the profiler starts or stops. */
static double add_profiling(gaps *t, const tfp_trace_device *d, int64_t start, int64_t end, double ns)
{
    double own = (double)tfp_union_within(&t->own[d->unit], start, end);
    if (own > ns) own = ns;
    t->to->profiling_ns += own;
    return own;
}

static void add_gap(gaps *t, const tfp_trace_device *d, const tfp_gap *g)
{
    int64_t ns = tfp_union_within(&t->f->idle[d - t->f->x.devices], g->start, g->end);
    if (ns <= STALL_NS && g->launch == TFP_NONE) return;
    if (ns <= STALL_NS) {
        t->to->late_ns += (double)ns;
        if (ns <= t->longest_late) return;
        t->longest_late = ns;
        t->f->gaps.late_launch = g->launch;
        return;
    }
    int64_t known = tfp_union_within(&t->known[g->unit], g->start, g->end), rest = ns - (known < ns ? known : ns);
    t->to->stall_ns += (double)ns;
    t->to->stall_known_ns += (double)(ns - rest);
    t->to->stalls++;
    if (rest <= t->longest_stall) return;
    t->longest_stall = rest;
    t->worst = *g;
}

/* Adds idle time, except while an activity that was launched earlier waits: the next activity was launched late, or has no
 * launch. */
static void add_idle(gaps *t, const tfp_trace_device *d, int64_t start, int64_t end, bool late)
{
    int64_t cost = tfp_union_within(&t->f->idle[d - t->f->x.devices], start, end);
    const tfp_steps_on *on = &t->f->on[d - t->f->x.devices];
    double ns = (double)tfp_union_within(t->f->begin.clipped ? on->judged : on->covered, start, end);
    t->to->host_idle_ns += ns;
    *(start < d->start_ns ? &t->to->lead_ns : &t->to->host_cost_ns) +=
        (double)cost; /* before the first activity nothing can be gained */
    *(late ? &t->to->launched_late_ns : &t->to->launch_untold_ns) += ns - add_profiling(t, d, start, end, ns);
}

/* What tells when an activity was launched: its launch; where the trace has none, its operator (Ascend's profiler records flows from
 * operators), if that begins after the gap did. An operator that begins earlier does not tell whether the launch came in time. */
static uint32_t launch_of(const tfp_span_columns *s, uint32_t span, int64_t since)
{
    uint32_t owner = s->owner[span];
    if (s->launch[span] != TFP_NONE || owner == TFP_NONE || s->start_ns[owner] <= since) return s->launch[span];
    return owner;
}

/* Adds a device's gaps. Its first gap begins with the first step, and its last one ends with the last step: there the host has
 * nothing more to launch, but still makes the step longer; f->idle decides how much of them counts. Program start is not
 * examined. */
static void add_device(gaps *t, const tfp_trace_device *d)
{
    const tfp_trace_facts *f = t->f;
    const tfp_span_columns *s = f->x.s;
    const tfp_union *covered = f->on[d - f->x.devices].covered;
    if (d->host || !covered->count) return;
    int64_t since = covered->start[0], last = covered->end[covered->count - 1];
    uint32_t before = TFP_NONE; /* launch of the previous activity */
    for (size_t i = 0; i < d->count; i++) {
        uint32_t span = f->x.items[d->first + i], launch = launch_of(s, f->x.items[d->first + i], since);
        int64_t start = s->start_ns[span], end = tfp_span_end(s, span);
        bool late = start > since && launch != TFP_NONE && s->start_ns[launch] > since;
        if (start > since && (late || launch == TFP_NONE)) add_idle(t, d, since, start, late);
        if (late && (f->begin.warm_up == TFP_NONE || s->step[span] != f->begin.warm_up))
            add_gap(t, d, &(tfp_gap){ d->unit, launch, s->lane[launch], launch, since, start });
        bool own = start > since && start - since <= OWN_GAP_NS && !late;
        if (own && f->sorts[span] & 1u << TFP_SORT_TINY)
            t->f->device.tiny_gaps_ns += (double)tfp_union_within(covered, since, start);
        if (end > since) since = end;
        if (launch != TFP_NONE) before = launch;
    }
    if (last > since) add_idle(t, d, since, last, before != TFP_NONE);
    if (before != TFP_NONE && last > since)
        add_gap(t, d, &(tfp_gap){ d->unit, before, s->lane[before], before, since, last });
}

/* The thread on which the steps of a unit are marked, otherwise another one. */
static uint32_t step_lane_of(const tfp_trace_facts *f, uint32_t unit, uint32_t other)
{
    const tfp_profile *p = f->x.p;
    for (size_t i = 0; i < tfp_events_of(p)->step_marks.size; i++) {
        const tfp_step_mark *m = &tfp_events_of(p)->step_marks.at[i];
        uint32_t lane = f->x.s->lane[m->span];
        bool used = tfp_events_of(p)->processes.at[tfp_lanes_of(p)->at[lane].process].steps == m->source;
        if (used && tfp_trace_unit_of(&f->x, m->span) == unit) return lane;
    }
    return other;
}

/* Adds a gap of the host to the kinds of idle time; lead: it is before the first op. */
static void add_host_idle(gaps *t, const tfp_trace_device *d, int64_t start, int64_t end, bool lead)
{
    double ns = (double)tfp_union_within(&t->f->covered[d->unit], start, end), rest;
    if (end <= start) return;
    rest = ns - add_profiling(t, d, start, end, ns);
    if (lead)
        t->to->before_ns += rest;
    else if (ns > STALL_NS)
        t->to->long_gaps_ns += rest;
}

/* Adds the host's gaps, each named after the op that ends it. The gap before the first op is skipped, because the recording may
 * have begun within a step. Ops on one device of a RunMetadata may wait for those on another. */
static void add_host(gaps *t, const tfp_trace_device *d)
{
    const tfp_trace_facts *f = t->f;
    const tfp_span_columns *s = f->x.s;
    const tfp_union *covered = &f->covered[d->unit];
    if (!d->host || f->has_devices || !covered->count || !d->count || tfp_trace_is_runs(&f->x)) return;
    int64_t since = s->start_ns[f->x.items[d->first]], last = covered->end[covered->count - 1];
    uint32_t step_lane = step_lane_of(f, d->unit, s->lane[f->x.items[d->first]]);
    add_host_idle(t, d, covered->start[0], since, true);
    for (size_t i = 0; i < d->count; i++) {
        uint32_t span = f->x.items[d->first + i];
        bool start = f->begin.warm_up != TFP_NONE && s->step[span] == f->begin.warm_up;
        int64_t end = tfp_span_end(s, span);
        add_host_idle(t, d, since, s->start_ns[span], false);
        if (s->start_ns[span] > since && !start)
            add_gap(t, d, &(tfp_gap){ d->unit, TFP_NONE, step_lane, span, since, s->start_ns[span] });
        if (end > since) since = end;
    }
    add_host_idle(t, d, since, last, false);
    if (last > since)
        add_gap(t, d, &(tfp_gap){ d->unit, TFP_NONE, step_lane, f->x.items[d->first + d->count - 1], since, last });
}

/* If steps are marked, the time before the first activity belongs to a step. Otherwise the recording may have begun before the
 * work did, or ended after it. */
static void clip(const tfp_trace_facts *f, const tfp_trace_device *d, int64_t *start, int64_t *end)
{
    const tfp_event_tables *e = tfp_events_of(f->x.p);
    bool marked = false;
    for (size_t i = 0; i < e->windows.size && !marked; i++)
        marked = e->processes.at[e->windows.at[i].process].steps == TFP_STEPS_MARKED;
    if (!marked || d->host) *start = d->start_ns;
    if (f->begin.whole) *end = d->end_ns;
}

static bool add_idle_of(tfp_report *r, const tfp_trace_facts *f, const tfp_trace_device *d, const tfp_union *own,
                        tfp_union *out)
{
    int64_t start = INT64_MIN, end = INT64_MAX;
    tfp_union busy, free_time, outside = { (int64_t[]){ INT64_MIN, 0 }, (int64_t[]){ 0, INT64_MAX }, NULL, 2 };
    clip(f, d, &start, &end);
    outside.end[0] = start;
    outside.start[1] = end;
    return tfp_union_of(tfp_arena_of(r), &f->x, d, TFP_CLASS_ALL, &busy) &&
           tfp_union_less(tfp_arena_of(r), f->on[d - f->x.devices].covered, &busy, &free_time) &&
           tfp_union_less(tfp_arena_of(r), &free_time, &outside, &busy) &&
           tfp_union_less(tfp_arena_of(r), &busy, &own[d->unit], out);
}

bool tfp_idle_of(tfp_report *r, tfp_trace_facts *f, const tfp_union *own)
{
    tfp_union *idle = TFP_NEW(tfp_arena_of(r), tfp_union, f->x.device_count + 1);
    for (size_t i = 0; idle && i < f->x.device_count; i++)
        if (!add_idle_of(r, f, &f->x.devices[i], own, &idle[i])) return false;
    f->idle = idle;
    return idle != NULL;
}

bool tfp_gaps_of(tfp_trace_facts *f, const tfp_union *known, const tfp_union *own)
{
    tfp_gap_facts *to = &f->gaps;
    gaps t = { .f = f, .to = to, .known = known, .own = own };
    double *const sums[] = { &to->late_ns,           &to->stall_ns,         &to->host_idle_ns,     &to->host_cost_ns,
                             &to->lead_ns,           &to->launched_late_ns, &to->launch_untold_ns, &to->profiling_ns,
                             &to->before_ns,         &to->stall_known_ns,   &to->long_gaps_ns,     &to->stalls,
                             &f->device.tiny_gaps_ns };
    to->late_launch = to->stall_span = TFP_NONE;
    for (size_t i = 0; i < f->x.device_count; i++) {
        add_device(&t, &f->x.devices[i]);
        add_host(&t, &f->x.devices[i]);
    }
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) *sums[i] /= (double)f->step_count;
    to->longest_stall_ns = t.longest_stall;
    to->stall_end = t.longest_stall ? t.worst.after : TFP_NONE;
    return !t.longest_stall || tfp_find_cause(f, &t.worst);
}
