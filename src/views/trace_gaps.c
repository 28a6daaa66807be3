// SPDX-License-Identifier: Apache-2.0
/* views/trace_gaps.c: gaps in what a device does at all whose next activity was launched only in them: so the device waited for
 * the host. Short ones are the price of many launches; in a long one the host did something else, and this finds out what.
 * Without devices: long gaps in which no operation of the host runs. */
#include "views/trace_facts.h"

#define STALL_NS 1000000 /* a longer gap is no affair of launches any more */

typedef struct gap {
    uint32_t unit, launch, thread; /* launch: TFP_NONE for ops; thread: the lane that launches */
    uint32_t after;                /* -> spans: the launch, or the op */
    int64_t start, end;
} gap;

typedef struct gaps {
    tfp_trace_facts *f;
    const tfp_union *known;
    double late, stalls, known_ns, count, host_idle;
    int64_t longest_late, longest_stall;
    gap worst; /* the longest of the long gaps, less its explained part */
} gaps;

static void add_gap(gaps *t, const gap *g)
{
    const tfp_union *covered = &t->f->covered[g->unit];
    int64_t ns = tfp_union_within(covered, g->start, g->end);
    if (ns <= STALL_NS && g->launch == TFP_NONE) return;
    if (ns <= STALL_NS) {
        t->late += (double)ns;
        if (ns <= t->longest_late) return;
        t->longest_late = ns;
        t->f->late_launch = g->launch;
        return;
    }
    int64_t known = tfp_union_within(&t->known[g->unit], g->start, g->end), rest = ns - (known < ns ? known : ns);
    t->stalls += (double)ns;
    t->known_ns += (double)(ns - rest);
    t->count++;
    if (rest <= t->longest_stall) return;
    t->longest_stall = rest;
    t->worst = *g;
}

/* The first gap of a device begins with the first step, the last one ends with the last step: there the host has nothing more to
 * launch, and makes the step longer all the same. What starts a program is not looked at. */
static void add_device(gaps *t, const tfp_trace_device *d)
{
    const tfp_trace_facts *f = t->f;
    const tfp_span_columns *s = f->x.s;
    const tfp_union *covered = &f->covered[d->unit];
    if (d->host || !covered->count) return;
    int64_t since = covered->start[0], last = covered->end[covered->count - 1];
    uint32_t before = TFP_NONE; /* the launch of the last activity */
    for (size_t i = 0; i < d->count; i++) {
        uint32_t span = f->x.items[d->first + i], launch = s->launch[span];
        int64_t start = s->start_ns[span], end = tfp_span_end(s, span);
        bool late = start > since && launch != TFP_NONE && s->start_ns[launch] > since;
        if (start > since && (late || launch == TFP_NONE))
            t->host_idle += (double)tfp_union_within(covered, since, start);
        if (late && (f->warm_up == TFP_NONE || s->step[span] != f->warm_up))
            add_gap(t, &(gap){ d->unit, launch, s->lane[launch], launch, since, start });
        if (end > since) since = end;
        if (launch != TFP_NONE) before = launch;
    }
    if (last > since) t->host_idle += (double)tfp_union_within(covered, since, last);
    if (before != TFP_NONE && last > since) add_gap(t, &(gap){ d->unit, before, s->lane[before], before, since, last });
}

/* The thread on which the steps of a unit are marked, else another one. */
static uint32_t home_of(const tfp_trace_facts *f, uint32_t unit, uint32_t other)
{
    const tfp_profile *p = f->x.p;
    for (size_t i = 0; i < p->events.step_marks.size; i++) {
        const tfp_step_mark *m = &p->events.step_marks.at[i];
        uint32_t lane = f->x.s->lane[m->span];
        bool used = p->events.processes.at[p->lanes.at[lane].process].steps == m->source;
        if (used && tfp_trace_unit_of(&f->x, m->span) == unit) return lane;
    }
    return other;
}

/* Gaps of the host, before the op that ends each; not before the first one, for the recording may have begun in a step. Ops of a
 * RunMetadata's device may wait for those of another. */
static void add_host(gaps *t, const tfp_trace_device *d)
{
    const tfp_trace_facts *f = t->f;
    const tfp_span_columns *s = f->x.s;
    const tfp_union *covered = &f->covered[d->unit];
    if (!d->host || f->has_devices || !covered->count || !d->count || tfp_trace_is_runs(&f->x)) return;
    int64_t since = s->start_ns[f->x.items[d->first]], last = covered->end[covered->count - 1];
    uint32_t home = home_of(f, d->unit, s->lane[f->x.items[d->first]]);
    for (size_t i = 0; i < d->count; i++) {
        uint32_t span = f->x.items[d->first + i];
        bool start = f->warm_up != TFP_NONE && s->step[span] == f->warm_up;
        int64_t end = tfp_span_end(s, span);
        if (s->start_ns[span] > since && !start)
            add_gap(t, &(gap){ d->unit, TFP_NONE, home, span, since, s->start_ns[span] });
        if (end > since) since = end;
    }
    if (last > since) add_gap(t, &(gap){ d->unit, TFP_NONE, home, f->x.items[d->first + d->count - 1], since, last });
}

typedef struct part { /* part of the gap inside a span */
    uint32_t span;
    int64_t ns;
} part;

/* The launching thread's activity in the gap: the span with the largest part of the gap for itself, without the
 * spans inside it. */
static bool find_cause(tfp_trace_facts *f, const gap *g)
{
    const tfp_span_columns *s = f->x.s;
    TFP_VEC(part) parts = { 0 };
    tfp_map64 by_span = { 0 };
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->size; i++) {
        if (s->lane[i] != g->thread || s->kind[i] == TFP_SPAN_STEP || s->kind[i] == TFP_SPAN_OTHER) continue;
        int64_t start = s->start_ns[i] > g->start ? s->start_ns[i] : g->start;
        int64_t end = tfp_span_end(s, i) < g->end ? tfp_span_end(s, i) : g->end;
        if (end <= start) continue;
        ok = tfp_map64_put(&by_span, i, (uint32_t)parts.size) && tfp_push(&parts, ((part){ i, end - start }));
    }
    for (size_t i = 0; ok && i < parts.size; i++) {
        uint32_t span = parts.at[i].span, around = s->parent[span];
        uint32_t at = around == TFP_NONE ? TFP_NONE : tfp_map64_get(&by_span, around);
        int64_t end = tfp_span_end(s, span) < g->end ? tfp_span_end(s, span) : g->end;
        int64_t start = s->start_ns[span] > g->start ? s->start_ns[span] : g->start;
        if (at != TFP_NONE) parts.at[at].ns = tfp_add(parts.at[at].ns, start - end, NULL); /* those that cross add up */
    }
    int64_t most = (g->end - g->start) / 10; /* less explains nothing */
    for (size_t i = 0; ok && i < parts.size; i++) {
        if (parts.at[i].ns < most) continue;
        most = parts.at[i].ns;
        f->stall_span = parts.at[i].span;
    }
    tfp_vec_free(&parts);
    tfp_map64_free(&by_span);
    return ok;
}

bool tfp_gaps_of(tfp_trace_facts *f, const tfp_union *known)
{
    gaps t = { .f = f, .known = known };
    double steps = (double)f->step_count;
    f->late_launch = f->stall_span = TFP_NONE;
    for (size_t i = 0; i < f->x.device_count; i++) {
        add_device(&t, &f->x.devices[i]);
        add_host(&t, &f->x.devices[i]);
    }
    f->late_ns = t.late / steps;
    f->stall_ns = t.stalls / steps;
    f->host_idle_ns = t.host_idle / steps;
    f->stall_known_ns = t.known_ns / steps;
    f->stalls = t.count / steps;
    f->longest_stall_ns = t.longest_stall;
    f->stall_end = t.longest_stall ? t.worst.after : TFP_NONE;
    return !t.longest_stall || find_cause(f, &t.worst);
}
