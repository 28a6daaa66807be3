// SPDX-License-Identifier: Apache-2.0
/* model/join/cut.h: what a trace holds between two moments: times of spans clipped to them, and nothing twice. A cut shares every
 * table with its profile but those that hold times that are summed: self times, executions, windows of steps, allocations. */
#ifndef TFP_CUT_H
#define TFP_CUT_H

#include "model/tables/events.h"
#include "model/tables/lanes.h"

typedef struct tfp_cut {
    tfp_profile p;            /* a view on the whole profile: tables that were not cut are borrowed from it */
    int64_t *from_ns, *to_ns; /* by process, in the time of its file; a process that is left out ends before it begins */
    bool *taken;              /* by process, while ranks are chosen */
    bool *left_out;           /* by lane: nothing on it counts; NULL: everything does */
} tfp_cut;

/* Fills p from the whole and from_ns and to_ns, with memory of the arena, which must live as long. Spans that have no part in the
 * range keep their places, so that launches and parents are found, and are marked TFP_MARK_OUTSIDE. False without memory. */
bool tfp_cut_make(const tfp_profile *whole, tfp_arena *a, tfp_cut *c);

/* A span's time within the range; c NULL: the span's own. */
static inline int64_t tfp_cut_start(const tfp_cut *c, const tfp_profile *p, uint32_t span)
{
    int64_t start = p->events->spans.start_ns[span];
    uint32_t process = p->lanes.at[p->events->spans.lane[span]].process;
    return c && process != TFP_NONE && start < c->from_ns[process] ? c->from_ns[process] : start;
}
static inline int64_t tfp_cut_end(const tfp_cut *c, const tfp_profile *p, uint32_t span)
{
    int64_t end = tfp_span_end(&p->events->spans, span);
    uint32_t process = p->lanes.at[p->events->spans.lane[span]].process;
    return c && process != TFP_NONE && end > c->to_ns[process] ? c->to_ns[process] : end;
}
static inline bool tfp_cut_takes(const tfp_profile *p, uint32_t span)
{
    return !(p->events->spans.marks[span] & TFP_MARK_OUTSIDE);
}

#endif
