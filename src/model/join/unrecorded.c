// SPDX-License-Identifier: Apache-2.0
/* model/join/unrecorded.c: finds the time at the begin of a recording in which a device still does what was launched before it: nothing
 * that was recorded runs there, but a copy, a synchronising call or work in a queue waits for the device. Looks at the first step only. */
#include "model/join/doubts.h"
#include "model/span_names.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"
#include "model/tables/step_marks.h"

#include <stdlib.h>

#define WAIT_NS 1000000 /* shorter waits are the cost of a call */

typedef struct interval {
    int64_t start_ns, end_ns;
    uint32_t span;
} interval;
typedef TFP_VEC(interval) intervals;

typedef struct finder {
    tfp_join *x;
    const tfp_span_columns *s;
    uint32_t process;
    int64_t first_ns;  /* start of the recording */
    int64_t limit_ns;  /* waits that begin later are those of the program */
    int64_t synced_ns; /* calls that begin later have nothing from before the recording to wait for */
    intervals busy, waits, found;
} finder;

/* ---- what runs and what waits ---- */

static int by_start(const void *a, const void *b)
{
    const interval *x = a, *y = b;
    return x->start_ns != y->start_ns ? (x->start_ns < y->start_ns ? -1 : 1)
           : x->span < y->span        ? -1
                                      : x->span > y->span;
}

/* Sorts intervals and joins those that touch. */
static void unite(intervals *list)
{
    size_t count = 0;
    if (list->size) qsort(list->at, list->size, sizeof *list->at, by_start);
    for (size_t i = 0; i < list->size; i++) {
        if (count && list->at[i].start_ns <= list->at[count - 1].end_ns) {
            if (list->at[i].end_ns > list->at[count - 1].end_ns) list->at[count - 1].end_ns = list->at[i].end_ns;
        } else {
            list->at[count++] = list->at[i];
        }
    }
    list->size = count;
}

static void add_wait(finder *f, int64_t start_ns, int64_t end_ns, uint32_t span)
{
    if (start_ns >= f->limit_ns || tfp_add(end_ns, -WAIT_NS, NULL) <= start_ns) return;
    tfp_join_keep(f->x, tfp_push(&f->waits, ((interval){ start_ns, end_ns, span })));
}

static void add_call(finder *f, uint32_t call, int64_t end_ns)
{
    if (f->s->start_ns[call] < f->synced_ns) add_wait(f, f->s->start_ns[call], end_ns, call);
}

static void add_busy(finder *f, uint32_t span, bool is_first)
{
    interval busy = { f->s->start_ns[span], tfp_span_end(f->s, span), span };
    (void)is_first;
    tfp_join_keep(f->x, tfp_push(&f->busy, busy));
}

/* Adds what waits for an activity: the call which copies, or itself in the queue. A stream that has run something has no
 * earlier work. */
static void add_waits(finder *f, uint32_t span, bool is_first)
{
    const tfp_span_columns *s = f->s;
    uint32_t launch = s->launch[span];
    int64_t start = s->start_ns[span];
    if (launch == TFP_NONE) return;
    if (is_first) add_wait(f, tfp_span_end(s, launch), start, span);
    bool longer = s->duration_ns[launch] / 10 > s->duration_ns[span] && s->duration_ns[launch] > WAIT_NS;
    if (longer && tfp_class_of_call(tfp_text(f->x->p, s->name[launch])) != TFP_CLASS_COMPUTE)
        add_call(f, launch, start);
}

/* The search ends with the first step in which a device works; without steps with the first call after which the device
 * has nothing left to do. */
static void find_limit(finder *f, const tfp_begin *begin)
{
    f->first_ns = f->limit_ns = INT64_MAX;
    for (uint32_t lane = f->x->first_lane[f->process]; lane != TFP_NONE; lane = f->x->next_lane[lane]) {
        int64_t start = f->s->start_ns[f->x->order[f->x->lane_first[lane]]];
        if (start < f->first_ns) f->first_ns = start;
    }
    bool whole = f->x->t->processes.at[f->process].steps == TFP_STEPS_NONE;
    f->synced_ns = whole ? begin->synced_ns : INT64_MAX;
    for (size_t i = 0; i < begin->window_count && !whole; i++) {
        const tfp_step_window *w = &begin->windows[i];
        if (begin->active[w->step] && w->end_ns < f->limit_ns) f->limit_ns = w->end_ns;
    }
}

/* Visits the activities up to the limit. */
static void visit(finder *f, void (*add)(finder *f, uint32_t span, bool is_first))
{
    for (uint32_t lane = f->x->first_lane[f->process]; lane != TFP_NONE; lane = f->x->next_lane[lane]) {
        bool is_first = true;
        if (f->x->p->lanes->at[lane].role != TFP_ROLE_STREAM) continue;
        for (uint32_t k = f->x->lane_first[lane]; k < f->x->lane_first[lane + 1] && !f->x->b->status; k++) {
            uint32_t span = f->x->order[k];
            if (f->s->kind[span] != TFP_SPAN_ACTIVITY) continue;
            add(f, span, is_first);
            is_first = false;
            if (f->s->start_ns[span] >= f->limit_ns) break; /* the first one after it may have waited before it */
        }
    }
}

static void collect(finder *f, const tfp_begin *begin)
{
    visit(f, add_waits);
    for (size_t i = 0; i < begin->wait_count; i++) add_call(f, begin->waits[i], tfp_span_end(f->s, begin->waits[i]));
    if (f->waits.size) visit(f, add_busy);
    unite(&f->busy);
    unite(&f->waits);
}

/* ---- waits in which nothing runs ---- */

/* Whether an activity was launched while nothing ran and started soon: the device was free. A copy starts while its call waits. */
static bool starts_at_once(const finder *f, uint32_t activity, uint32_t wait, int64_t since_ns)
{
    const tfp_span_columns *s = f->s;
    uint32_t launch = s->launch[activity];
    if (launch == TFP_NONE || launch == wait || s->start_ns[launch] <= since_ns) return false;
    return tfp_add(s->start_ns[activity], -tfp_span_end(s, launch), NULL) <= WAIT_NS;
}

/* The device did that work since the recording began, so a short wait long after it is another one. */
static void add_piece(finder *f, int64_t start_ns, int64_t end_ns, uint32_t span)
{
    int64_t ns = tfp_add(end_ns, -start_ns, NULL);
    if (ns <= WAIT_NS || start_ns >= f->limit_ns || tfp_add(start_ns, -f->first_ns, NULL) / TFP_LEAD > ns) return;
    tfp_join_keep(f->x, tfp_push(&f->found, ((interval){ start_ns, end_ns, span })));
}

static void find_pieces(finder *f)
{
    size_t b = 0;
    for (size_t i = 0; i < f->waits.size && !f->x->b->status; i++) {
        int64_t at = f->waits.at[i].start_ns, end = f->waits.at[i].end_ns;
        while (b < f->busy.size && f->busy.at[b].end_ns <= at) b++;
        while (at < end) {
            bool last = b == f->busy.size || f->busy.at[b].start_ns >= end;
            int64_t until = last ? end : f->busy.at[b].start_ns;
            bool at_once = !last && starts_at_once(f, f->busy.at[b].span, f->waits.at[i].span, at);
            if (until > at && !at_once) add_piece(f, at, until, f->waits.at[i].span);
            if (last || f->busy.at[b].end_ns >= end) break;
            at = f->busy.at[b++].end_ns;
        }
    }
}

/* ---- the steps that it is in ---- */

static int64_t part_of(const finder *f, const tfp_step_window *w)
{
    int64_t ns = 0;
    for (size_t i = 0; i < f->found.size; i++) {
        int64_t start = f->found.at[i].start_ns, end = f->found.at[i].end_ns;
        if (w->start_ns > start) start = w->start_ns;
        if (w->end_ns < end) end = w->end_ns;
        if (end > start) ns += end - start;
    }
    return ns;
}

static void add_row(finder *f, uint32_t step, int64_t ns)
{
    tfp_doubt row = { .kind = TFP_DOUBT_UNRECORDED,
                      .process = f->process,
                      .step = step,
                      .name = f->s->name[f->found.at[0].span],
                      .count = 1,
                      .of = 1,
                      .ns = ns };
    tfp_join_keep(f->x, tfp_push(&f->x->t->doubts, row));
}

/* The steps that wait are in doubt. Of an only step, what comes after the wait counts: from the end of the wait on, or, where the
 * host was done by then, from the step's first activity on. */
static void add_rows(finder *f, const tfp_begin *begin)
{
    tfp_step_window *w = begin->windows;
    int64_t until = f->found.at[f->found.size - 1].end_ns, ns = 0;
    for (size_t i = 0; i < f->found.size; i++) ns = tfp_add(ns, f->found.at[i].end_ns - f->found.at[i].start_ns, NULL);
    if (begin->window_count == 1 && part_of(f, w)) {
        if (until < w->end_ns) w->start_ns = until;
        add_row(f, TFP_NONE, ns);
        return;
    }
    for (size_t i = 0; i < begin->window_count && !f->x->b->status; i++) {
        int64_t part = part_of(f, &w[i]);
        if (part) add_row(f, w[i].step, part);
    }
}

void tfp_doubt_unrecorded(tfp_join *x, uint32_t process, const tfp_begin *begin)
{
    finder f = { .x = x, .s = &x->t->spans, .process = process };
    find_limit(&f, begin);
    collect(&f, begin);
    if (!x->b->status) find_pieces(&f);
    if (!x->b->status && f.found.size) add_rows(&f, begin);
    tfp_vec_free(&f.busy);
    tfp_vec_free(&f.waits);
    tfp_vec_free(&f.found);
}
