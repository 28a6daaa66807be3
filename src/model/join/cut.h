// SPDX-License-Identifier: Apache-2.0
/* model/join/cut.h: the part of a trace between two times, with the times of spans clipped to them. A cut shares all
 * tables with its profile except those with summed times: self times, executions, windows of steps, allocations. */
#ifndef TFP_CUT_H
#define TFP_CUT_H

#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"

typedef struct tfp_cut {
    tfp_profile p; /* a view of the whole profile: unchanged tables are borrowed from it */
    int64_t *from_ns,
        *to_ns;     /* for each process, in its file's time; a process that is left out has an end before its begin */
    bool *taken;    /* for each process, while ranks are selected */
    bool *left_out; /* for each lane: it is not counted; NULL: all are */
    size_t execs_most; /* limit of executions; 0: those of the whole */
} tfp_cut;

/* Fills p from the whole and from_ns and to_ns, using the arena's memory, which must live as long. Spans outside the
 * range keep their numbers, so that launches and parents are found, and are marked TFP_MARK_OUTSIDE. False: out of
 * memory. */
bool tfp_cut_make(const tfp_profile *whole, tfp_arena *a, tfp_cut *c);

/* A span's start and end within the range; c NULL: the span's own. */
static inline int64_t tfp_cut_start(const tfp_cut *c, const tfp_profile *p, uint32_t span)
{
    int64_t start = p->events->spans.start_ns[span];
    uint32_t process = p->lanes->at[p->events->spans.lane[span]].process;
    return c && process != TFP_NONE && start < c->from_ns[process] ? c->from_ns[process] : start;
}
static inline int64_t tfp_cut_end(const tfp_cut *c, const tfp_profile *p, uint32_t span)
{
    int64_t end = tfp_span_end(&p->events->spans, span);
    uint32_t process = p->lanes->at[p->events->spans.lane[span]].process;
    return c && process != TFP_NONE && end > c->to_ns[process] ? c->to_ns[process] : end;
}
static inline bool tfp_cut_takes(const tfp_profile *p, uint32_t span)
{
    return !(p->events->spans.marks[span] & TFP_MARK_OUTSIDE);
}

#endif
