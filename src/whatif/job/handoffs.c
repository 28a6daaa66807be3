// SPDX-License-Identifier: Apache-2.0
/* whatif/job/handoffs.c: threads that take turns. Autograd's thread works while the thread of the steps waits in a gap: work in the gap
 * begins after the gap's start and delays what follows the gap. */
#include "model/span_names.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/spans.h"
#include "query/order.h"
#include "views/spans/trace.h"
#include "whatif/job/step_thread.h"

typedef struct gap {
    int64_t from, to;
    uint32_t around; /* index in spans: the innermost span around it; TFP_NONE: none */
    uint32_t gate;   /* index in handoffs: the run in it that ends last; TFP_NONE: none */
} gap;

typedef struct handoffs {
    tfp_job *j;
    tfp_step_thread thread;
    TFP_VEC(gap) gaps;
    TFP_VEC(tfp_job_handoff) found;
    uint32_t *outer; /* host ops of all threads, sorted by lane and start */
    size_t outer_count;
} handoffs;

static bool is_input(const tfp_job *j, uint32_t lane)
{
    return tfp_is_input_thread(tfp_text(j->p, tfp_lanes_of(j->p)->at[lane].label));
}

static bool is_op(const tfp_job *j, uint32_t span) { return tfp_is_host_op(j->s->kind[span]); }

/* Finds the gaps between the points of a thread in which no host op is open. */
static bool find_gaps(handoffs *t, uint32_t unit)
{
    bool ok = tfp_step_thread_read(&t->thread, unit);
    t->gaps.size = 0;
    for (size_t i = 0; ok && i + 1 < t->thread.points.size; i++) {
        const tfp_step_point *p = &t->thread.points.at[i], *next = p + 1;
        if (!p->in_op && next->at > p->at) ok = tfp_push(&t->gaps, ((gap){ p->at, next->at, p->around, TFP_NONE }));
    }
    return ok;
}

/* The gap that contains a span completely; NULL: none. */
static gap *gap_of(handoffs *t, int64_t start, int64_t end)
{
    size_t later;
    TFP_LOWER_BOUND(later, 0, t->gaps.size, t->gaps.at[later].from <= start);
    return later && t->gaps.at[later - 1].to >= end ? &t->gaps.at[later - 1] : NULL;
}

static bool add_run(handoffs *t, uint32_t unit, gap *g, uint32_t span)
{
    const tfp_job *j = t->j;
    tfp_job_handoff handoff = { .unit = unit,
                                .lane = j->s->lane[span],
                                .from = tfp_job_time(j, unit, g->from),
                                .first = tfp_job_time(j, unit, j->s->start_ns[span]),
                                .last = tfp_job_time(j, unit, tfp_span_end(j->s, span)),
                                .next = tfp_job_time(j, unit, g->to),
                                .around = g->around };
    return tfp_push(&t->found, handoff);
}

static void finish_run(handoffs *t, gap *g)
{
    uint32_t at = (uint32_t)t->found.size - 1;
    if (g->gate == TFP_NONE || t->found.at[at].last > t->found.at[g->gate].last) g->gate = at;
}

/* Whether the thread of the steps waits for data in a gap. */
static bool waits_for_data(const tfp_job *j, const gap *g)
{
    uint32_t at = g->around;
    while (at != TFP_NONE && j->waits[at] != TFP_WAITS_DATA) at = j->s->parent[at];
    return at != TFP_NONE;
}

/* Finds the runs of one thread in the gaps: its outermost host ops, cut where they leave a gap. */
static bool find_runs(handoffs *t, uint32_t unit, const uint32_t *ops, size_t count)
{
    tfp_job *j = t->j;
    gap *open = NULL;
    int64_t end = INT64_MIN;
    bool ok = true, prepares = count && is_input(j, j->s->lane[ops[0]]);
    for (size_t i = 0; ok && i < count; i++) {
        int64_t start = j->s->start_ns[ops[i]], stop = tfp_span_end(j->s, ops[i]);
        if (start < end) continue; /* it is inside the previous one */
        gap *g = gap_of(t, start, stop);
        if (g && prepares && !waits_for_data(j, g)) g = NULL; /* nothing else waits for later input */
        end = stop;
        if (open && g != open) finish_run(t, open);
        if (g && g != open)
            ok = add_run(t, unit, g, ops[i]);
        else if (g)
            t->found.at[t->found.size - 1].last = tfp_job_time(j, unit, stop);
        if (g) j->around[ops[i]] = g->around;
        open = g;
    }
    if (ok && open) finish_run(t, open);
    return ok;
}

static bool op_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_job *j = ctx;
    const tfp_span_columns *s = j->s;
    uint32_t x = tfp_job_unit_of(j, a), y = tfp_job_unit_of(j, b);
    if (x != y) return x < y;
    if (s->lane[a] != s->lane[b]) return s->lane[a] < s->lane[b];
    if (s->start_ns[a] != s->start_ns[b]) return s->start_ns[a] < s->start_ns[b];
    return s->duration_ns[a] > s->duration_ns[b];
}

/* Collects host ops of threads other than those of the steps. */
static bool collect(handoffs *t)
{
    tfp_job *j = t->j;
    size_t count = 0;
    for (uint32_t i = 0; i < j->s->size; i++) count += is_op(j, i);
    t->outer = malloc((count + 1) * sizeof *t->outer);
    if (!t->outer) return false;
    for (uint32_t i = 0; i < j->s->size; i++) {
        uint32_t unit = is_op(j, i) ? tfp_job_unit_of(j, i) : TFP_NONE;
        if (unit != TFP_NONE && j->units[unit].step_lane != TFP_NONE && j->s->lane[i] != j->units[unit].step_lane)
            t->outer[t->outer_count++] = i;
    }
    return tfp_sort(t->outer, t->outer_count, op_before, j);
}

static bool find_handoffs(handoffs *t)
{
    tfp_job *j = t->j;
    bool ok = tfp_step_thread_new(j, &t->thread);
    size_t done = 0;
    for (uint32_t unit = 0; ok && unit < j->unit_count && done < t->outer_count; unit++) {
        if (tfp_job_unit_of(j, t->outer[done]) != unit) continue;
        ok = find_gaps(t, unit);
        while (ok && done < t->outer_count && tfp_job_unit_of(j, t->outer[done]) == unit) {
            size_t end = done;
            while (end < t->outer_count && j->s->lane[t->outer[end]] == j->s->lane[t->outer[done]]) end++;
            ok = find_runs(t, unit, t->outer + done, end - done);
            done = end;
        }
        for (size_t g = 0; ok && g < t->gaps.size; g++)
            if (t->gaps.at[g].gate != TFP_NONE) t->found.at[t->gaps.at[g].gate].gates = true;
    }
    return ok;
}

static bool keep(handoffs *t)
{
    tfp_job *j = t->j;
    j->anchors.turn_count = (uint32_t)t->found.size;
    j->anchors.handoffs = TFP_NEW(j->arena, tfp_job_handoff, t->found.size + 1);
    if (j->anchors.handoffs && t->found.size)
        memcpy(j->anchors.handoffs, t->found.at, t->found.size * sizeof *t->found.at);
    return j->anchors.handoffs != NULL;
}

bool tfp_job_handoffs(tfp_job *j)
{
    handoffs t = { .j = j };
    bool ok = collect(&t);
    if (ok && t.outer_count) { ok = tfp_job_around(j) && find_handoffs(&t); }
    ok = ok && keep(&t);
    tfp_step_thread_free(&t.thread);
    tfp_vec_free(&t.gaps);
    tfp_vec_free(&t.found);
    free(t.outer);
    return ok;
}
