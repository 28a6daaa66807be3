// SPDX-License-Identifier: Apache-2.0
/* whatif/turns.c: threads that take turns. Autograd's thread works while the thread of the steps waits in a gap: what lies in one gap
 * of that thread begins after it and holds up what comes behind the gap. */
#include "whatif/job.h"

typedef struct point {
    int64_t at;
    uint32_t span;
    bool ends;
} point;

typedef struct gap {
    int64_t from, to;
    uint32_t around; /* -> spans: the innermost span that holds it; TFP_NONE */
    uint32_t gate;   /* -> turns: the run that ends last in it; TFP_NONE */
} gap;

typedef struct turns {
    tfp_job *j;
    TFP_VEC(point) points; /* of the thread of the steps */
    TFP_VEC(gap) gaps;
    TFP_VEC(uint32_t) open;
    TFP_VEC(tfp_job_turn) found;
    bool *closed;          /* by span */
    uint32_t *outer;       /* host ops of all threads, by lane and start */
    size_t outer_count;
} turns;

static bool is_op(const tfp_job *j, uint32_t span) { return tfp_is_host_op(j->s->kind[span]); }

/* At one moment ends come before starts, but of a span without a length; of starts that of the longest. */
static bool point_before(const void *ctx, uint32_t a, uint32_t b)
{
    const turns *t = ctx;
    const point *x = &t->points.at[a], *y = &t->points.at[b];
    const int64_t *ns = t->j->s->duration_ns;
    if (x->at != y->at) return x->at < y->at;
    bool x_ends = x->ends && ns[x->span], y_ends = y->ends && ns[y->span];
    if (x_ends != y_ends) return x_ends;
    if (!x->ends && !y->ends) return ns[x->span] > ns[y->span];
    return false;
}

static bool sort_points(turns *t)
{
    size_t count = t->points.size;
    uint32_t *order = malloc((count + 1) * sizeof *order);
    point *sorted = malloc((count + 1) * sizeof *sorted);
    bool ok = order && sorted;
    for (uint32_t i = 0; ok && i < count; i++) order[i] = i;
    ok = ok && tfp_sort(order, count, point_before, t);
    for (size_t i = 0; ok && i < count; i++) sorted[i] = t->points.at[order[i]];
    if (ok && count) memcpy(t->points.at, sorted, count * sizeof *sorted);
    free(order);
    free(sorted);
    return ok;
}

/* Takes what has ended off the stack of open spans. */
static void close_span(turns *t, uint32_t span)
{
    t->closed[span] = true;
    while (t->open.size && t->closed[t->open.at[t->open.size - 1]]) t->open.size--;
}

/* The gaps between the points of a thread in which no host op is open. */
static bool find_gaps(turns *t)
{
    int64_t ops = 0;
    bool ok = sort_points(t);
    t->gaps.size = t->open.size = 0;
    for (size_t i = 0; ok && i + 1 < t->points.size; i++) {
        const point *p = &t->points.at[i], *next = p + 1;
        if (is_op(t->j, p->span)) ops += p->ends ? -1 : 1;
        if (p->ends)
            close_span(t, p->span);
        else
            ok = tfp_push(&t->open, p->span);
        uint32_t around = t->open.size ? t->open.at[t->open.size - 1] : TFP_NONE;
        if (ok && !ops && next->at > p->at) ok = tfp_push(&t->gaps, ((gap){ p->at, next->at, around, TFP_NONE }));
    }
    return ok;
}

/* The gap that holds a span as a whole; NULL. */
static gap *gap_of(turns *t, int64_t start, int64_t end)
{
    size_t low = 0, high = t->gaps.size;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->gaps.at[middle].from <= start)
            low = middle + 1;
        else
            high = middle;
    }
    return low && t->gaps.at[low - 1].to >= end ? &t->gaps.at[low - 1] : NULL;
}

static bool add_run(turns *t, uint32_t unit, gap *g, uint32_t span)
{
    const tfp_job *j = t->j;
    tfp_job_turn turn = { .unit = unit,
                          .lane = j->s->lane[span],
                          .from = tfp_job_time(j, unit, g->from),
                          .first = tfp_job_time(j, unit, j->s->start_ns[span]),
                          .last = tfp_job_time(j, unit, tfp_span_end(j->s, span)),
                          .next = tfp_job_time(j, unit, g->to),
                          .around = g->around };
    return tfp_push(&t->found, turn);
}

static void finish_run(turns *t, gap *g)
{
    uint32_t at = (uint32_t)t->found.size - 1;
    if (g->gate == TFP_NONE || t->found.at[at].last > t->found.at[g->gate].last) g->gate = at;
}

/* Runs of one thread in the gaps: its outermost host ops, cut where they leave a gap. */
static bool find_runs(turns *t, uint32_t unit, const uint32_t *ops, size_t count)
{
    tfp_job *j = t->j;
    gap *open = NULL;
    int64_t end = INT64_MIN;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        int64_t start = j->s->start_ns[ops[i]], stop = tfp_span_end(j->s, ops[i]);
        if (start < end) continue; /* inside of the one before */
        gap *g = gap_of(t, start, stop);
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

/* Host ops of threads other than those of the steps, and the points of these. */
static bool collect(turns *t)
{
    tfp_job *j = t->j;
    size_t count = 0;
    for (uint32_t i = 0; i < j->s->size; i++) count += is_op(j, i);
    t->outer = malloc((count + 1) * sizeof *t->outer);
    t->closed = calloc(j->s->size + 1, 1);
    if (!t->outer || !t->closed) return false;
    for (uint32_t i = 0; i < j->s->size; i++) {
        uint32_t unit = is_op(j, i) ? tfp_job_unit_of(j, i) : TFP_NONE;
        if (unit != TFP_NONE && j->units[unit].home != TFP_NONE && j->s->lane[i] != j->units[unit].home)
            t->outer[t->outer_count++] = i;
    }
    return tfp_sort(t->outer, t->outer_count, op_before, j);
}

static bool points_of(turns *t, uint32_t unit, const uint32_t *by_unit, const uint32_t *first)
{
    const tfp_job *j = t->j;
    t->points.size = 0;
    for (uint32_t i = first[unit]; i < first[unit + 1]; i++) {
        uint32_t span = by_unit[i];
        if (!tfp_push(&t->points, ((point){ j->s->start_ns[span], span, false })) ||
            !tfp_push(&t->points, ((point){ tfp_span_end(j->s, span), span, true })))
            return false;
    }
    return find_gaps(t);
}

/* The spans of each unit's thread of the steps, side by side. */
static uint32_t *spans_of_homes(const tfp_job *j, uint32_t *first)
{
    size_t units = j->unit_count;
    uint32_t *list;
    for (uint32_t i = 0; i < j->s->size; i++) {
        uint32_t unit = tfp_job_is_host(j, i) ? tfp_job_unit_of(j, i) : TFP_NONE;
        if (unit != TFP_NONE && j->s->lane[i] == j->units[unit].home) first[unit + 1]++;
    }
    for (size_t u = 0; u < units; u++) first[u + 1] += first[u];
    list = malloc((first[units] + 1) * sizeof *list);
    uint32_t *at = calloc(units + 1, sizeof *at);
    for (uint32_t i = 0; list && at && i < j->s->size; i++) {
        uint32_t unit = tfp_job_is_host(j, i) ? tfp_job_unit_of(j, i) : TFP_NONE;
        if (unit != TFP_NONE && j->s->lane[i] == j->units[unit].home) list[first[unit] + at[unit]++] = i;
    }
    bool ok = list && at;
    free(at);
    if (ok) return list;
    free(list);
    return NULL;
}

static bool find_turns(turns *t)
{
    tfp_job *j = t->j;
    uint32_t *first = calloc(j->unit_count + 2, sizeof *first);
    uint32_t *homes = first ? spans_of_homes(j, first) : NULL;
    bool ok = homes != NULL;
    size_t done = 0;
    for (uint32_t unit = 0; ok && unit < j->unit_count && done < t->outer_count; unit++) {
        if (tfp_job_unit_of(j, t->outer[done]) != unit) continue;
        ok = points_of(t, unit, homes, first);
        while (ok && done < t->outer_count && tfp_job_unit_of(j, t->outer[done]) == unit) {
            size_t end = done;
            while (end < t->outer_count && j->s->lane[t->outer[end]] == j->s->lane[t->outer[done]]) end++;
            ok = find_runs(t, unit, t->outer + done, end - done);
            done = end;
        }
        for (size_t g = 0; ok && g < t->gaps.size; g++)
            if (t->gaps.at[g].gate != TFP_NONE) t->found.at[t->gaps.at[g].gate].gates = true;
    }
    free(first);
    free(homes);
    return ok;
}

static bool keep(turns *t)
{
    tfp_job *j = t->j;
    j->turn_count = (uint32_t)t->found.size;
    j->turns = TFP_NEW(j->arena, tfp_job_turn, t->found.size + 1);
    if (j->turns && t->found.size) memcpy(j->turns, t->found.at, t->found.size * sizeof *t->found.at);
    return j->turns != NULL;
}

bool tfp_job_turns(tfp_job *j)
{
    turns t = { .j = j };
    bool ok = collect(&t);
    if (ok && t.outer_count) {
        j->around = TFP_NEW(j->arena, uint32_t, j->s->size + 1);
        ok = j->around != NULL;
        for (size_t i = 0; ok && i < j->s->size; i++) j->around[i] = TFP_NONE;
        ok = ok && find_turns(&t);
    }
    ok = ok && keep(&t);
    tfp_vec_free(&t.points);
    tfp_vec_free(&t.gaps);
    tfp_vec_free(&t.open);
    tfp_vec_free(&t.found);
    free(t.closed);
    free(t.outer);
    return ok;
}
