// SPDX-License-Identifier: Apache-2.0
/* model/join/sums.c: groups rows of compact lanes by kind and step, in the order of their first spans, so that nodes
 * and executions are made in the same order as from spans. Lanes are distributed over the processors. */
#include "base/threads.h"
#include "model/join/join.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "query/order.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct lanes {
    tfp_join *x;
    atomic_size_t next;
    atomic_bool failed; /* out of memory */
} lanes;

typedef struct worker {
    const tfp_join *x;
    uint32_t *last;    /* for each kind: its last group; TFP_NONE: none */
    tfp_map64 by_step; /* for kinds with several groups */
} worker;

/* What distinguishes the groups of a kind. */
typedef struct which {
    uint32_t step, call;
    uint8_t class;
} which;

static bool is(const tfp_compact_sum *g, uint32_t kind, const which *w)
{
    return g->kind == kind && g->step == w->step && g->class == w->class && g->call == w->call;
}

/* The group with these features; NULL: out of memory. */
static tfp_compact_sum *group_of(worker *w, tfp_compact_lane *f, uint32_t kind, const which *of)
{
    uint32_t last = w->last[kind];
    if (last != TFP_NONE && is(&f->sums.at[last], kind, of)) return &f->sums.at[last];
    uint32_t words[] = { kind, of->step, of->call, of->class };
    uint64_t key = tfp_hash(words, sizeof words);
    uint32_t at = TFP_NONE;
    if (last != TFP_NONE)
        while ((at = tfp_map64_get(&w->by_step, key)) != TFP_NONE && !is(&f->sums.at[at], kind, of)) key++;
    if (at == TFP_NONE) {
        tfp_compact_sum g = { .kind = kind,
                              .step = of->step,
                              .node = TFP_NONE,
                              .call = of->call,
                              .class = of->class,
                              .last_step = TFP_NONE,
                              .min_ns = INT64_MAX };
        while (tfp_map64_get(&w->by_step, key) != TFP_NONE) key++;
        at = (uint32_t)f->sums.size;
        if (!tfp_push(&f->sums, g) || !tfp_map64_put(&w->by_step, key, at)) return NULL;
    }
    w->last[kind] = at;
    return &f->sums.at[at];
}

/* Counts runs of instructions; `open` is the lane's. */
static void add_run(const tfp_join *x, tfp_compact_sum *g, uint32_t step, bool *open)
{
    const tfp_compact_kind *k = &x->t->compact->kinds.at[g->kind];
    if (!tfp_run_begins(k->marks, tfp_is_work(k->kind, g->class), open)) return;
    g->runs++;
    g->step_runs += step != TFP_NONE && x->p->runs->steps.at[step].listed;
}

static void add(tfp_compact_sum *g, int64_t start_ns, int64_t duration_ns, int64_t self_ns)
{
    int64_t end_ns = start_ns + duration_ns;
    bool first = !g->count++;
    if (first || start_ns < g->start_ns || (start_ns == g->start_ns && duration_ns > g->first_ns)) {
        g->start_ns = start_ns;
        g->first_ns = duration_ns;
    }
    if (first || end_ns > g->end_ns) g->end_ns = end_ns;
    if (self_ns < g->min_ns) g->min_ns = self_ns;
    if (self_ns > g->max_ns) g->max_ns = self_ns;
    g->self_ns = tfp_add(g->self_ns, self_ns, NULL);
}

/* Takes the class from an activity's call. */
static void take_call(const tfp_join *x, const tfp_launch *call, which *of)
{
    uint32_t kind = tfp_launch_kind(call);
    of->class = tfp_launch_class(x->t->launches, call, of->class);
    if (kind != TFP_LAUNCH_SPAN && (of->class == TFP_CLASS_COPY || of->class == TFP_CLASS_SET)) of->call = kind;
}

/* ---- outermost spans of a thread ---- */

/* Finds outermost rows. Rows and the annotations beside them come by start, the longer first; a row is contained in
 * another one if one before it does not end earlier. */
typedef struct outer {
    const tfp_join *x;
    const tfp_compact_lane *f;
    uint32_t next, last; /* index in order */
    int64_t end_ns;      /* the latest end so far */
} outer;

static outer outer_start(const tfp_join *x, const tfp_compact_lane *f)
{
    return (outer){ x, f, x->lane_first[f->lane], x->lane_first[f->lane + 1], INT64_MIN };
}

/* Takes the annotations that come before a row; those that became steps contain nothing. */
static void pass_annotations(outer *o, int64_t start_ns, int64_t duration_ns)
{
    tfp_span_columns *s = &o->x->t->spans;
    for (; o->next < o->last; o->next++) {
        uint32_t i = o->x->order[o->next];
        if (s->start_ns[i] > start_ns || (s->start_ns[i] == start_ns && s->duration_ns[i] < duration_ns)) return;
        if (s->kind[i] != TFP_SPAN_ANNOTATION) continue;
        int64_t end_ns = tfp_span_end(s, i);
        bool held = end_ns <= o->end_ns && !o->f->expanded; /* in an expanded lane the spans' parents tell it */
        s->marks[i] = (uint8_t)((s->marks[i] & ~(unsigned)TFP_MARK_HELD) | (held ? TFP_MARK_HELD : 0));
        if (end_ns > o->end_ns) o->end_ns = end_ns;
    }
}

static void add_outer(outer *o, tfp_compact_sum *g, int64_t start_ns, int64_t duration_ns)
{
    if (o->f->nesting != TFP_NESTING_HOST) return;
    pass_annotations(o, start_ns, duration_ns);
    if (start_ns + duration_ns <= o->end_ns) return;
    o->end_ns = start_ns + duration_ns;
    g->outer_ns = tfp_add(g->outer_ns, duration_ns, NULL);
}

/* ---- groups of a lane ---- */

/* Whether the process's steps replace marked ones: tfp_join_work then needs the share of the work inside them, even
 * when all steps are summed. */
static bool are_guessed(const tfp_join *x, uint32_t process)
{
    unsigned source = x->t->processes.at[process].steps;
    return source != TFP_STEPS_MARKED && source != TFP_STEPS_NONE;
}

static bool add_step(tfp_compact_lane *f, tfp_compact_sum *g, uint32_t step)
{
    if (step == g->last_step) return true;
    g->last_step = step;
    return tfp_push(&f->ran, ((tfp_compact_ran){ (uint32_t)(g - f->sums.at), step }));
}

static bool group_rows(worker *w, tfp_compact_lane *f)
{
    const tfp_join *x = w->x;
    outer o = outer_start(x, f);
    const tfp_lane *lane = &x->p->lanes->at[f->lane];
    bool program = x->p->reads & TFP_READS_PROGRAM; /* with rows: float operations, in steps too, are asked for */
    bool steps = !x->execs.kept.all || program || are_guessed(x, lane->process), open = false;
    bool device = f->nesting != TFP_NESTING_HOST;
    bool own_steps = device && tfp_join_has_steps(x, lane->process, lane->device);
    bool calls = device && f->nesting == TFP_NESTING_FLAT && (steps || x->t->launches->any);
    tfp_step_cursor cursor = tfp_step_cursor_start(x, lane->process, own_steps ? lane->device : 0);
    for (tfp_lane_rows r = tfp_lane_rows_of(x->t, f); tfp_lane_rows_next(&r);) {
        int64_t at_ns = r.start_ns;
        const tfp_launch *call = calls ? tfp_launch_of(x->t->launches, lane->process, r.correlation) : NULL;
        which of = { TFP_NONE, TFP_NONE, r.kind->class };
        if (call) take_call(x, call, &of);
        if (call && !own_steps) at_ns = call->start_ns;
        uint32_t step = steps ? tfp_step_cursor_at(&cursor, at_ns) : TFP_NONE;
        of.step = tfp_step_kept(x, step);
        tfp_compact_sum *g = group_of(w, f, r.kind_at, &of);
        if (!g || (x->execs.kept.mean && !add_step(f, g, step))) return false;
        add(g, r.start_ns, r.duration_ns, r.self_ns);
        if (program) add_run(x, g, step, &open);
        add_outer(&o, g, r.start_ns, r.duration_ns);
    }
    if (f->nesting == TFP_NESTING_HOST) pass_annotations(&o, INT64_MAX, 0);
    return true;
}

static const tfp_sort_key by_start[] = { TFP_UP(tfp_compact_sum, start_ns),
                                         TFP_DOWN(tfp_compact_sum, first_ns),
                                         { 0 } };

/* Sorts the groups of a flat lane, whose rows may have any order. */
static bool sort_groups(tfp_compact_lane *f)
{
    size_t n = f->sums.size;
    uint32_t *order = malloc((n + 1) * sizeof *order), *place = malloc((n + 1) * sizeof *place);
    tfp_compact_sum *sorted = malloc((n + 1) * sizeof *sorted);
    bool ok = order && place && sorted;
    for (uint32_t i = 0; ok && i < n; i++) order[i] = i;
    ok = ok && tfp_order_items(order, n, by_start, f->sums.at, sizeof *f->sums.at);
    for (uint32_t i = 0; ok && i < n; i++) {
        sorted[i] = f->sums.at[order[i]];
        place[order[i]] = i;
    }
    for (size_t i = 0; ok && i < f->ran.size; i++) f->ran.at[i].sum = place[f->ran.at[i].sum];
    if (ok && n) memcpy(f->sums.at, sorted, n * sizeof *sorted);
    free(order);
    free(place);
    free(sorted);
    return ok;
}

static void work(void *ctx, size_t number)
{
    lanes *all = ctx;
    tfp_join *x = all->x;
    size_t kinds = x->t->compact->kinds.size, at;
    worker w = { .x = x, .last = malloc((kinds + 1) * sizeof *w.last) };
    (void)number;
    if (w.last) memset(w.last, 0xff, kinds * sizeof *w.last); /* TFP_NONE */
    bool ok = w.last != NULL;
    while (ok && (at = atomic_fetch_add(&all->next, 1)) < x->t->compact->lanes.size) {
        tfp_compact_lane *f = &x->t->compact->lanes.at[at];
        f->sums.size = f->ran.size = 0;
        ok = group_rows(&w, f) && (f->nesting != TFP_NESTING_FLAT || sort_groups(f));
        for (size_t i = 0; i < f->sums.size; i++) w.last[f->sums.at[i].kind] = TFP_NONE;
        if (f->sums.size) tfp_map64_clear(&w.by_step);
    }
    if (!ok) atomic_store(&all->failed, true);
    free(w.last);
    tfp_map64_free(&w.by_step);
}

static bool sum_outer(tfp_join *x)
{
    int64_t *by_step =
        calloc(x->p->runs->steps.size + 2, sizeof *by_step); /* plus one step, for what is outside all steps */
    for (size_t i = 0; by_step && i < x->t->compact->lanes.size; i++) {
        const tfp_compact_lane *f = &x->t->compact->lanes.at[i];
        for (size_t k = 0; k < f->sums.size; k++) {
            int64_t *sum = &by_step[f->sums.at[k].step + 1]; /* TFP_NONE + 1 is 0 */
            *sum = tfp_add(*sum, f->sums.at[k].outer_ns, NULL);
        }
    }
    free(x->t->compact->outer_ns);
    x->t->compact->outer_ns = by_step;
    return by_step != NULL;
}

void tfp_join_sums(tfp_join *x)
{
    lanes all = { .x = x };
    size_t threads = tfp_sharing_get().threads, count = x->t->compact->lanes.size;
    if (!count) return;
    tfp_threads_run(threads < count ? threads : count, work, &all);
    tfp_join_keep(x, !atomic_load(&all.failed));
    tfp_join_keep(x, sum_outer(x));
}
