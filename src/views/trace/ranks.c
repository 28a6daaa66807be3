// SPDX-License-Identifier: Apache-2.0
/* views/trace/ranks.c: how a job's ranks differ: which are present, which one computes longer than the others, and for which
 * one the others wait in collectives (skew.c). */
#include "model/tables/events.h"
#include "model/tables/processes.h"
#include "model/tables/runs.h"
#include "views/core/handle.h"
#include "views/trace/facts.h"

#define SLOWER 1.05 /* factor over the median rank that makes a straggler (docs/advise.md) */

/* ---- which are there ---- */

/* The number of ranks in the job, as the files tell it; otherwise up to the highest rank seen. */
static int64_t world_size(const tfp_trace_index *x, int64_t highest)
{
    const tfp_event_tables *e = tfp_events_of(x->p);
    int64_t size = highest + 1;
    for (size_t i = 0; i < e->processes.size; i++)
        if (e->processes.at[i].rank_count > size) size = e->processes.at[i].rank_count;
    return size;
}

bool tfp_rank_census_of(tfp_report *r, const tfp_trace_index *x, tfp_rank_census *out)
{
    int64_t *ranks = TFP_NEW(tfp_arena_of(r), int64_t, x->unit_count + 1);
    size_t count = 0, distinct = 0;
    *out = (tfp_rank_census){ .first_missing = -1 };
    if (!ranks) return false;
    for (size_t i = 0; i < x->unit_count; i++)
        if (x->units[i].named) ranks[count++] = x->units[i].rank;
    if (!count) return true;
    qsort(ranks, count, sizeof *ranks, tfp_by_int);
    for (size_t i = 0; i < count; i++) {
        if (i && ranks[i] == ranks[i - 1]) {
            if (!out->doubles++) out->first_double = ranks[i];
            continue;
        }
        if (out->first_missing < 0 && ranks[i] != (int64_t)distinct) out->first_missing = (int64_t)distinct;
        distinct++;
    }
    if (out->first_missing < 0) out->first_missing = (int64_t)distinct;
    /* a single file is one rank, and does not tell about others */
    if (x->unit_count > 1) out->missing = world_size(x, ranks[count - 1]) - (int64_t)distinct;
    return true;
}

/* ---- stragglers ---- */

/* Compute times by step and unit, as means over its devices; NAN if a rank lacks the step. */
typedef struct compute_table {
    size_t steps, units;
    double *ns, *devices;
    double *communication; /* for each unit: sum over its steps */
    int64_t *slow;         /* for each unit: in how many steps it is slower than the median */
    double *over;          /* for each unit: sum of (its compute - the median's) */
    double *sum;           /* for each unit: its compute in the steps that are compared, and their number */
    int64_t *has;
    double median_sum;
    int64_t compared;
} compute_table;

static bool start_table(tfp_report *r, const tfp_trace_facts *f, compute_table *t)
{
    t->steps = tfp_executions_of(f->x.p)->steps.size;
    t->units = f->x.unit_count;
    size_t cells;
    if (__builtin_mul_overflow(t->steps, t->units, &cells)) return false;
    t->ns = TFP_NEW(tfp_arena_of(r), double, cells + 1);
    t->devices = TFP_NEW(tfp_arena_of(r), double, cells + 1);
    t->communication = TFP_NEW(tfp_arena_of(r), double, t->units + 1);
    t->slow = TFP_NEW(tfp_arena_of(r), int64_t, t->units + 1);
    t->over = TFP_NEW(tfp_arena_of(r), double, t->units + 1);
    t->sum = TFP_NEW(tfp_arena_of(r), double, t->units + 1);
    t->has = TFP_NEW(tfp_arena_of(r), int64_t, t->units + 1);
    return t->ns && t->devices && t->communication && t->slow && t->over && t->sum && t->has;
}

static void add_row(compute_table *t, const tfp_trace_facts *f, const tfp_step_row *row)
{
    int64_t id;
    if (!tfp_parse_int64(row->step, &id)) return; /* the row `all` */
    uint32_t step = tfp_find_step(f->x.p, id);
    if (step == TFP_NONE) return;
    size_t cell = step * t->units + row->unit;
    t->ns[cell] += (double)row->compute_ns;
    t->devices[cell]++;
    t->communication[row->unit] += (double)row->communication_ns;
}

static void compare_step(compute_table *t, size_t step, double *sorted)
{
    size_t count = 0;
    for (size_t u = 0; u < t->units; u++) {
        size_t cell = step * t->units + u;
        if (t->devices[cell] > 0) sorted[count++] = t->ns[cell] /= t->devices[cell];
    }
    if (count < 2) return;
    qsort(sorted, count, sizeof *sorted, tfp_by_real);
    double median = sorted[(count - 1) / 2]; /* of two ranks the faster one */
    if (median <= 0) return;
    t->compared++;
    t->median_sum += median;
    for (size_t u = 0; u < t->units; u++) {
        size_t cell = step * t->units + u;
        if (t->devices[cell] <= 0) continue;
        t->slow[u] += t->ns[cell] > SLOWER * median;
        t->over[u] += t->ns[cell] - median;
        t->sum[u] += t->ns[cell];
        t->has[u]++;
    }
}

static bool computes_less(const void *ctx, uint32_t a, uint32_t b)
{
    const compute_table *t = ctx;
    return t->sum[a] / (double)t->has[a] < t->sum[b] / (double)t->has[b];
}

/* Ranks by compute time in a step. */
static bool rank_them(tfp_report *r, const compute_table *t, tfp_trace_facts *f)
{
    uint32_t *order = TFP_NEW(tfp_arena_of(r), uint32_t, t->units + 1);
    size_t count = 0;
    for (uint32_t u = 0; order && u < t->units; u++)
        if (t->has[u]) order[count++] = u;
    if (!order || !tfp_sort(order, count, computes_less, t)) return false;
    f->ranks.compared = count;
    if (!count) return true;
    const uint32_t chosen[TFP_RANKS_TOLD] = { order[0], order[(count - 1) / 2], order[count - 1] };
    for (size_t i = 0; i < TFP_RANKS_TOLD; i++) {
        f->ranks.told[i] = f->x.units[chosen[i]].rank;
        f->ranks.told_ns[i] = t->sum[chosen[i]] / (double)t->has[chosen[i]];
    }
    return true;
}

/* Whether the fastest rank spends more time in communication, where it can only wait, by at least half of the time that it
 * computes less. */
static bool waits_for(const compute_table *t, size_t slowest, size_t fastest)
{
    double steps = (double)(t->has[fastest] < t->has[slowest] ? t->has[fastest] : t->has[slowest]);
    double computes_less = t->sum[slowest] / (double)t->has[slowest] - t->sum[fastest] / (double)t->has[fastest];
    return t->communication[fastest] - t->communication[slowest] >= computes_less * steps / 2;
}

/* The step in which a rank computes longest. */
static uint32_t slowest_step(const tfp_trace_facts *f, size_t unit)
{
    uint32_t slowest = TFP_NONE;
    for (uint32_t i = 0; i < f->step_row_count; i++) {
        const tfp_step_row *row = &f->steps[i];
        if (row->unit != unit || *row->step.data == 'a' || tfp_row_left_out(f, row)) continue;
        if (slowest == TFP_NONE || row->compute_ns > f->steps[slowest].compute_ns) slowest = i;
    }
    return slowest;
}

static bool find_straggler(tfp_report *r, tfp_trace_facts *f)
{
    compute_table t = { 0 };
    tfp_rank_facts *out = &f->ranks;
    double *sorted = TFP_NEW(tfp_arena_of(r), double, f->x.unit_count + 1);
    if (!sorted || !start_table(r, f, &t)) return false;
    for (size_t i = 0; i < f->step_row_count; i++)
        if (!tfp_row_left_out(f, &f->steps[i])) add_row(&t, f, &f->steps[i]);
    for (size_t s = 0; s < t.steps; s++) compare_step(&t, s, sorted);
    if (!rank_them(r, &t, f)) return false;
    size_t slowest = SIZE_MAX, fastest = 0;
    for (size_t u = 0; u < t.units; u++) {
        if (t.over[u] < t.over[fastest]) fastest = u;
        if (2 * t.slow[u] <= t.compared) continue;
        out->straggler_count++;
        if (slowest == SIZE_MAX || t.over[u] > t.over[slowest]) slowest = u;
    }
    if (slowest == SIZE_MAX || !t.compared) return true;
    out->straggler = f->x.units[slowest].rank;
    out->fastest = f->x.units[fastest].rank;
    out->over = t.over[slowest] / t.median_sum;
    out->straggler_ns = t.over[slowest] / (double)t.compared;
    out->slow_steps = t.slow[slowest];
    out->slowest_step = slowest_step(f, slowest);
    out->others_wait = t.communication[fastest] > 0 && waits_for(&t, slowest, fastest);
    out->steps = t.compared;
    return true;
}

/* ---- collectives ---- */

static bool find_skew(tfp_report *r, tfp_trace_facts *f)
{
    tfp_skew_row *rows;
    size_t count, most = 0;
    double *waited = TFP_NEW(tfp_arena_of(r), double, f->x.unit_count + 1), sum = 0, worst = 0;
    if (!waited || !tfp_skew_rows(r, &f->x, true, &rows, &count, waited)) return false;
    for (size_t i = 0; i < count; i++)
        if (rows[i].worst_ns > worst) worst = rows[i].worst_ns, f->ranks.worst = rows[i].worst;
    for (size_t u = 0; u < f->x.unit_count; u++) {
        sum += waited[u];
        if (waited[u] > waited[most]) most = u;
    }
    f->ranks.skew_ns = sum * (double)f->x.unit_count / (double)f->window_count;
    if (sum > 0) f->ranks.awaited = f->x.units[most].rank;
    return true;
}

bool tfp_rank_facts_of(tfp_report *r, tfp_trace_facts *f)
{
    f->ranks = (tfp_rank_facts){ .straggler = -1, .awaited = -1, .worst = TFP_NONE, .slowest_step = TFP_NONE };
    return f->x.unit_count < 2 || (find_straggler(r, f) && find_skew(r, f));
}
