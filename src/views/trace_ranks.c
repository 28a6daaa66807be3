// SPDX-License-Identifier: Apache-2.0
/* views/trace_ranks.c: how the ranks of a job differ: which computes longer than the others, and for which the others wait in
 * collectives. Ranks have clocks of their own, so that only lengths are compared: a collective ends at the same
 * time on all ranks, hence the one in which it is shortest came last, and the others waited. */
#include "views/trace_facts.h"

#include <math.h>

#define SLOWER 1.05 /* than the median rank: a straggler (docs/traces.md) */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- stragglers ---- */

/* Compute by step and unit, the mean of its devices; NAN where a rank lacks the step. */
typedef struct compute_table {
    size_t steps, units;
    double *ns, *devices;
    int64_t *slow; /* by unit: in how many steps it is slower than the median */
    double *over;  /* by unit: sum of (its compute - the median's) */
    double median_sum;
    int64_t compared;
} compute_table;

static bool start_table(tfp_report *r, const tfp_trace_facts *f, compute_table *t)
{
    t->steps = f->x.p->steps.size;
    t->units = f->x.unit_count;
    size_t cells;
    if (__builtin_mul_overflow(t->steps, t->units, &cells)) return false;
    t->ns = TFP_NEW(&r->arena, double, cells + 1);
    t->devices = TFP_NEW(&r->arena, double, cells + 1);
    t->slow = TFP_NEW(&r->arena, int64_t, t->units + 1);
    t->over = TFP_NEW(&r->arena, double, t->units + 1);
    return t->ns && t->devices && t->slow && t->over;
}

static void add_row(compute_table *t, const tfp_trace_facts *f, const tfp_step_row *row)
{
    int64_t id;
    if (!tfp_parse_int64(row->step, &id)) return; /* `all` */
    uint32_t step = tfp_find_step(f->x.p, id);
    if (step == TFP_NONE) return;
    size_t cell = step * t->units + row->unit;
    t->ns[cell] += (double)row->compute_ns;
    t->devices[cell]++;
}

static void compare_step(compute_table *t, size_t step, double *sorted)
{
    size_t count = 0;
    for (size_t u = 0; u < t->units; u++) {
        size_t cell = step * t->units + u;
        if (t->devices[cell] > 0) sorted[count++] = t->ns[cell] /= t->devices[cell];
    }
    if (count < 2) return;
    qsort(sorted, count, sizeof *sorted, by_value);
    double median = sorted[(count - 1) / 2]; /* of two ranks the faster */
    if (median <= 0) return;
    t->compared++;
    t->median_sum += median;
    for (size_t u = 0; u < t->units; u++) {
        size_t cell = step * t->units + u;
        if (t->devices[cell] <= 0) continue;
        t->slow[u] += t->ns[cell] > SLOWER * median;
        t->over[u] += t->ns[cell] - median;
    }
}

static bool find_straggler(tfp_report *r, tfp_trace_facts *f)
{
    compute_table t = { 0 };
    tfp_rank_facts *out = &f->ranks;
    double *sorted = TFP_NEW(&r->arena, double, f->x.unit_count + 1);
    if (!sorted || !start_table(r, f, &t)) return false;
    for (size_t i = 0; i < f->step_row_count; i++) add_row(&t, f, &f->steps[i]);
    for (size_t s = 0; s < t.steps; s++) compare_step(&t, s, sorted);
    size_t slowest = SIZE_MAX, fastest = 0;
    for (size_t u = 0; u < t.units; u++) {
        if (t.over[u] < t.over[fastest]) fastest = u;
        if (2 * t.slow[u] > t.compared && (slowest == SIZE_MAX || t.over[u] > t.over[slowest])) slowest = u;
    }
    if (slowest == SIZE_MAX || !t.compared) return true;
    out->straggler = f->x.units[slowest].rank;
    out->fastest = f->x.units[fastest].rank;
    out->over = t.over[slowest] / t.median_sum;
    out->straggler_ns = t.over[slowest] / (double)t.compared;
    out->slow_steps = t.slow[slowest];
    out->steps = t.compared;
    return true;
}

/* ---- collectives ---- */

typedef struct call_key { /* the n-th collective of that name and group on a rank is the n-th on each */
    uint64_t hash;
    uint32_t unit, span, number;
} call_key;

typedef struct calls {
    const tfp_trace_facts *f;
    TFP_VEC(call_key) all;
} calls;

static bool key_before(const void *ctx, uint32_t a, uint32_t b)
{
    const call_key *k = ctx;
    if (k[a].hash != k[b].hash) return k[a].hash < k[b].hash;
    if (k[a].number != k[b].number) return k[a].number < k[b].number;
    return k[a].unit < k[b].unit;
}

static uint64_t hash_of(const tfp_trace_facts *f, uint32_t span, tfp_strid group)
{
    tfp_str name = tfp_span_name(f->x.p, span);
    const tfp_stat *stat = tfp_span_stat(f->x.p, span, group);
    uint64_t key[2] = { tfp_hash(name.data, name.size), stat && stat->type == TFP_STAT_TEXT ? stat->value.text : 0 };
    return tfp_hash(key, sizeof key);
}

/* Items of a device come by start, so that calls of one name are counted in their order. */
static bool collect(const tfp_report *r, calls *c)
{
    const tfp_trace_facts *f = c->f;
    tfp_strid group = tfp_stat_key(f->x.p, "Process Group Name");
    bool ok = true;
    for (size_t i = 0; ok && i < f->x.device_count; i++) {
        const tfp_trace_device *d = &f->x.devices[i];
        tfp_map64 numbers = { 0 };
        for (size_t k = 0; ok && k < d->count; k++) {
            uint32_t span = f->x.items[d->first + k];
            if (f->x.s->class[span] != TFP_CLASS_COMMUNICATION || !tfp_span_in_step(r, span)) continue;
            uint64_t hash = hash_of(f, span, group);
            uint32_t number = tfp_map64_get(&numbers, hash);
            number = number == TFP_NONE ? 0 : number;
            ok = tfp_map64_put(&numbers, hash, number + 1) &&
                 tfp_push(&c->all, ((call_key){ hash, d->unit, span, number }));
        }
        tfp_map64_free(&numbers);
    }
    return ok;
}

/* One collective on all its ranks. */
static void compare_call(tfp_trace_facts *f, const call_key *keys, const uint32_t *order, size_t count, double *waited,
                         double *worst)
{
    const int64_t *ns = f->x.s->duration_ns;
    uint32_t last = keys[order[0]].span, last_unit = keys[order[0]].unit;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const call_key *k = &keys[order[i]];
        sum += (double)ns[k->span];
        if (ns[k->span] < ns[last]) last = k->span, last_unit = k->unit;
    }
    double wait = (sum - (double)count * (double)ns[last]) / (double)count;
    waited[last_unit] += wait;
    if (wait > *worst) *worst = wait, f->ranks.worst = last;
}

/* Calls are compared where every rank has as many of that name and group: else the n-th is not the n-th of the others. */
static void compare_calls(tfp_trace_facts *f, const call_key *keys, const uint32_t *order, size_t count, double *waited)
{
    double worst = 0;
    for (size_t i = 0, end; i < count; i = end) {
        size_t ranks = 0;
        for (end = i; end < count && keys[order[end]].hash == keys[order[i]].hash; end++)
            ranks += keys[order[end]].number == 0;
        if (ranks < 2 || (end - i) % ranks) continue;
        for (size_t at = i; at < end; at += ranks)
            if (keys[order[at]].number == keys[order[at + ranks - 1]].number)
                compare_call(f, keys, order + at, ranks, waited, &worst);
    }
}

static bool find_skew(tfp_report *r, tfp_trace_facts *f)
{
    calls c = { .f = f };
    double *waited = TFP_NEW(&r->arena, double, f->x.unit_count + 1);
    bool ok = waited && collect(r, &c);
    uint32_t *order = ok ? TFP_NEW(&r->arena, uint32_t, c.all.size + 1) : NULL;
    for (uint32_t i = 0; order && i < c.all.size; i++) order[i] = i;
    ok = order && tfp_sort(order, c.all.size, key_before, c.all.at);
    if (ok) compare_calls(f, c.all.at, order, c.all.size, waited);
    tfp_vec_free(&c.all);
    double sum = 0;
    size_t most = 0;
    for (size_t u = 0; ok && u < f->x.unit_count; u++) {
        sum += waited[u];
        if (waited[u] > waited[most]) most = u;
    }
    f->ranks.skew_ns = sum * (double)f->x.unit_count / (double)f->window_count;
    if (sum > 0) f->ranks.awaited = f->x.units[most].rank;
    return ok;
}

bool tfp_rank_facts_of(tfp_report *r, tfp_trace_facts *f)
{
    f->ranks = (tfp_rank_facts){ .straggler = -1, .awaited = -1, .worst = TFP_NONE };
    return f->x.unit_count < 2 || (find_straggler(r, f) && find_skew(r, f));
}
