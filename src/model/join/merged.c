// SPDX-License-Identifier: Apache-2.0
/* model/join/merged.c: a file into which ranks were merged, beside the files of these ranks: their work is left out, because
 * it would count twice. It is the same work if number, times and the first start or the rank are equal. */
#include "model/join/join.h"
#include "model/tables/memory_events.h"
#include "model/tables/devices.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"
#include "model/tables/spans.h"

#include <stdlib.h>

typedef struct work {
    int64_t count, first_ns, sum_ns; /* operators, calls and activities */
    bool merged;
    uint32_t twin; /* process of a file of its own with the same work; TFP_NONE: none */
} work;

typedef struct merger {
    tfp_join *x;
    work *works;
    tfp_map64 own; /* work, with its start or its rank -> process */
} merger;

static bool is_merged(const tfp_process *all, size_t count, size_t i)
{
    return all[i].part || (i + 1 < count && all[i + 1].part && all[i + 1].source == all[i].source);
}

static void sum_work(merger *m)
{
    const tfp_span_columns *s = &m->x->t->spans;
    for (uint32_t i = 0; i < m->x->count; i++) {
        uint32_t process = tfp_span_process(m->x, i);
        if (process >= m->x->t->processes.size || (s->kind[i] != TFP_SPAN_ACTIVITY && !tfp_is_host_op(s->kind[i])))
            continue;
        work *w = &m->works[process];
        if (!w->count++ || s->start_ns[i] < w->first_ns) w->first_ns = s->start_ns[i];
        w->sum_ns = tfp_add(w->sum_ns, s->duration_ns[i], NULL);
    }
}

static uint64_t key_of(const merger *m, size_t process, bool rank)
{
    const work *w = &m->works[process];
    const int64_t key[4] = { w->count, w->sum_ns, rank ? m->x->t->processes.at[process].rank : w->first_ns, rank };
    return tfp_hash(key, sizeof key);
}

/* Finds the process of its own file that did the work of each merged one. Returns the number of these. */
static size_t find_twins(merger *m)
{
    size_t count = m->x->t->processes.size, found = 0;
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        if (m->works[i].merged || !m->works[i].count) continue;
        ok = tfp_map64_put(&m->own, key_of(m, i, false), (uint32_t)i);
        if (m->x->t->processes.at[i].rank >= 0) ok = ok && tfp_map64_put(&m->own, key_of(m, i, true), (uint32_t)i);
    }
    tfp_join_keep(m->x, ok);
    for (size_t i = 0; i < count && ok; i++) {
        work *w = &m->works[i];
        if (!w->merged || !w->count) continue;
        w->twin = tfp_map64_get(&m->own, key_of(m, i, false));
        if (w->twin == TFP_NONE) w->twin = tfp_map64_get(&m->own, key_of(m, i, true));
        found += w->twin != TFP_NONE;
    }
    return found;
}

static bool is_out(const merger *m, uint32_t process)
{
    return process < m->x->t->processes.size && m->works[process].twin != TFP_NONE;
}

/* Leaves out the work of processes with a twin; they become part of it. */
static void leave_out(merger *m, uint8_t *out)
{
    tfp_event_tables *t = m->x->t;
    size_t kept = 0;
    for (uint32_t i = 0; i < m->x->count; i++) out[i] |= is_out(m, tfp_span_process(m->x, i));
    for (size_t i = 0; i < t->memory.size; i++) {
        uint32_t lane = t->memory.at[i].lane;
        if (lane == TFP_NONE || !is_out(m, m->x->p->lanes->at[lane].process)) t->memory.at[kept++] = t->memory.at[i];
    }
    t->memory.size = kept;
    kept = 0;
    for (size_t i = 0; i < t->counters.size; i++)
        if (!is_out(m, t->counters.at[i].process)) t->counters.at[kept++] = t->counters.at[i];
    t->counters.size = kept;
    for (uint32_t i = 0; i < t->processes.size; i++) {
        if (!is_out(m, i)) continue;
        tfp_process *p = &t->processes.at[i];
        const tfp_process *twin = &t->processes.at[m->works[i].twin];
        tfp_build_warn_source(m->x->b, p->source, "ranks merged into this file have files of their own: left out here");
        p->source = twin->source;
        p->part = twin->part;
        p->rank = twin->rank;
        p->rank_guessed = twin->rank_guessed;
    }
}

/* Warns of merged ranks that have files of their own with other work. */
static void warn(const merger *m)
{
    static const char what[] = "ranks merged into this file have files of their own: their work counts twice";
    const tfp_process *all = m->x->t->processes.at;
    tfp_map64 own = { 0 }; /* ranks of files that are not merged */
    uint32_t last = TFP_NONE;
    for (size_t i = 0; i < m->x->t->processes.size; i++)
        if (!m->works[i].merged && all[i].rank >= 0) tfp_join_keep(m->x, tfp_map64_put(&own, (uint64_t)all[i].rank, 1));
    for (size_t i = 0; i < m->x->t->processes.size && own.count; i++) {
        if (!all[i].part || all[i].source == last || tfp_map64_get(&own, (uint64_t)all[i].rank) == TFP_NONE) continue;
        tfp_build_warn_source(m->x->b, last = all[i].source, what);
    }
    tfp_map64_free(&own);
}

bool tfp_join_merged(tfp_join *x, uint8_t **out)
{
    const tfp_process *all = x->t->processes.at;
    size_t count = x->t->processes.size, merged = 0;
    for (size_t i = 0; i < count; i++) merged += is_merged(all, count, i);
    if (!merged || merged == count || tfp_has_compact(x->t)) return true;
    merger m = { .x = x, .works = calloc(count, sizeof *m.works) };
    if (!m.works) return false;
    for (size_t i = 0; i < count; i++) m.works[i] = (work){ .merged = is_merged(all, count, i), .twin = TFP_NONE };
    sum_work(&m);
    bool ok = true;
    if (find_twins(&m)) {
        *out = calloc(x->count + 1, 1);
        ok = *out != NULL;
        if (ok) leave_out(&m, *out);
    }
    if (ok) warn(&m);
    tfp_map64_free(&m.own);
    free(m.works);
    return ok;
}
