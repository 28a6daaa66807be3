// SPDX-License-Identifier: Apache-2.0
/* model/join_slim.c: rows of slim lanes become groups of one kind and step, in the order of their first spans: so nodes
 * and executions are made in the order that spans would give. Lanes are shared out over the processors. */
#include "base/threads.h"
#include "model/join.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct lanes {
    tfp_join *x;
    atomic_size_t next;
    atomic_bool failed; /* no memory */
} lanes;

typedef struct worker {
    const tfp_join *x;
    uint32_t *last;    /* by kind: its last group; TFP_NONE */
    tfp_map64 by_step; /* of kinds that have several */
} worker;

static uint64_t group_key(uint32_t kind, uint32_t step, bool communication)
{
    return (uint64_t)kind << 33 | (uint64_t)(step + 1) << 1 | communication; /* kinds are fewer than 2^31 */
}

static bool is(const tfp_slim_group *g, uint32_t step, bool communication)
{
    return g->step == step && g->communication == communication;
}

/* The group of that kind and step; NULL without memory. */
static tfp_slim_group *group_of(worker *w, tfp_slim_lane *f, uint32_t kind, uint32_t step, bool communication)
{
    uint32_t last = w->last[kind];
    if (last != TFP_NONE && is(&f->groups.at[last], step, communication)) return &f->groups.at[last];
    uint64_t key = group_key(kind, step, communication);
    uint32_t at = last == TFP_NONE ? TFP_NONE : tfp_map64_get(&w->by_step, key);
    if (at == TFP_NONE) {
        tfp_slim_group g = { .kind = kind, .step = step, .node = TFP_NONE, .communication = communication };
        at = (uint32_t)f->groups.size;
        if (!tfp_push(&f->groups, g) || !tfp_map64_put(&w->by_step, key, at)) return NULL;
    }
    w->last[kind] = at;
    return &f->groups.at[at];
}

static void add(tfp_slim_group *g, int64_t start_ns, int64_t duration_ns, int64_t self_ns)
{
    int64_t end_ns = start_ns + duration_ns;
    bool first = !g->count++;
    if (first || start_ns < g->start_ns || (start_ns == g->start_ns && duration_ns > g->first_ns)) {
        g->start_ns = start_ns;
        g->first_ns = duration_ns;
    }
    if (first || end_ns > g->end_ns) g->end_ns = end_ns;
    g->self_ns = tfp_add(g->self_ns, self_ns, NULL);
}

static bool group_rows(worker *w, tfp_slim_lane *f)
{
    const tfp_join *x = w->x;
    const tfp_lane *lane = &x->p->lanes.at[f->lane];
    bool own_steps = f->nesting != TFP_SLIM_HOST && tfp_join_has_steps(x, lane->process, lane->device);
    tfp_step_cursor cursor = tfp_step_cursor_start(x, lane->process, own_steps ? lane->device : 0);
    for (const tfp_slim_block *b = f->first; b; b = b->next) {
        for (uint32_t i = 0; i < b->size; i++) {
            const tfp_slim_row *row = &b->rows[i];
            const tfp_slim_kind *k = &x->t->slim_kinds.at[row->kind];
            int64_t start_ns = tfp_slim_start_of(b, row);
            uint32_t call = tfp_join_call(x, lane->process, tfp_slim_correlation(f, row));
            bool communication = k->class == TFP_CLASS_COMMUNICATION;
            if (call != TFP_NONE && k->class == TFP_CLASS_COMPUTE) communication = tfp_join_call_collective(x, call);
            bool launched = call != TFP_NONE && !own_steps;
            uint32_t step = tfp_step_cursor_at(&cursor, launched ? tfp_join_call_start(x, call) : start_ns);
            tfp_slim_group *g = group_of(w, f, row->kind, step, communication);
            if (!g) return false;
            add(g, start_ns, tfp_slim_duration(f, row), tfp_slim_self(f, row));
        }
    }
    return true;
}

static bool before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_slim_group *x = (const tfp_slim_group *)ctx + a, *y = (const tfp_slim_group *)ctx + b;
    return x->start_ns != y->start_ns ? x->start_ns < y->start_ns : x->first_ns > y->first_ns;
}

/* Groups of a flat lane, whose rows have any order. */
static bool sort_groups(tfp_slim_lane *f)
{
    size_t n = f->groups.size;
    uint32_t *order = malloc((n + 1) * sizeof *order);
    tfp_slim_group *sorted = malloc((n + 1) * sizeof *sorted);
    bool ok = order && sorted;
    for (uint32_t i = 0; ok && i < n; i++) order[i] = i;
    ok = ok && tfp_sort(order, n, before, f->groups.at);
    for (size_t i = 0; ok && i < n; i++) sorted[i] = f->groups.at[order[i]];
    if (ok && n) memcpy(f->groups.at, sorted, n * sizeof *sorted);
    free(order);
    free(sorted);
    return ok;
}

static void work(void *ctx, size_t number)
{
    lanes *all = ctx;
    tfp_join *x = all->x;
    size_t kinds = x->t->slim_kinds.size, at;
    worker w = { .x = x, .last = malloc((kinds + 1) * sizeof *w.last) };
    (void)number;
    if (w.last) memset(w.last, 0xff, kinds * sizeof *w.last); /* TFP_NONE */
    bool ok = w.last != NULL;
    while (ok && (at = atomic_fetch_add(&all->next, 1)) < x->t->slims.size) {
        tfp_slim_lane *f = &x->t->slims.at[at];
        f->groups.size = 0;
        ok = group_rows(&w, f) && (f->nesting != TFP_SLIM_FLAT || sort_groups(f));
        for (size_t i = 0; i < f->groups.size; i++) w.last[f->groups.at[i].kind] = TFP_NONE;
        if (f->groups.size) tfp_map64_clear(&w.by_step);
    }
    if (!ok) atomic_store(&all->failed, true);
    free(w.last);
    tfp_map64_free(&w.by_step);
}

void tfp_join_slims(tfp_join *x)
{
    lanes all = { .x = x };
    size_t threads = tfp_sharing_get().threads, count = x->t->slims.size;
    if (!count) return;
    tfp_threads_run(threads < count ? threads : count, work, &all);
    tfp_join_keep(x, !atomic_load(&all.failed));
}
