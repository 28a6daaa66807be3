// SPDX-License-Identifier: Apache-2.0
/* model/join/markers.c: chooses which ranges with the name of a step mark the steps of a process. The ranges form
 * loops by the stems of their names (model/step_names.c). Certain marks win; otherwise the loop that takes longest. Of
 * ranges inside others of their loop the outer ones count. Runs before nesting, because steps contain nothing. */
#include "model/join/join.h"
#include "model/span_names.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"
#include "model/tables/step_marks.h"

typedef struct loop { /* of a process: ranges with one stem */
    tfp_strid stem;
    bool must_repeat, repeats, numbered; /* numbered: on each thread its numbers differ */
    int64_t ns;                          /* of its outer ranges */
    uint32_t lane;                       /* the thread where they take longest */
    int64_t lane_ns;
} loop;

typedef struct candidate { /* an outer range */
    uint32_t mark, loop, lane;
    int64_t number;
} candidate;

typedef struct markers {
    tfp_join *x;
    uint32_t *order; /* marks sorted by process, lane, start, longest first */
    TFP_VEC(loop) loops;
    TFP_VEC(candidate) outer;
} markers;

static uint32_t span_of(const markers *m, uint32_t mark) { return m->x->t->step_marks.at[mark].span; }

/* Whether the mark is a range of a thread. */
static bool is_on_host(const markers *m, uint32_t mark)
{
    return m->x->p->lanes->at[m->x->t->spans.lane[span_of(m, mark)]].role == TFP_ROLE_THREAD;
}

static bool is_named(const tfp_step_mark *m)
{
    return m->source == TFP_STEPS_NAMED || (m->source == TFP_STEPS_MARKED && m->group);
}

static bool mark_before(const void *ctx, uint32_t a, uint32_t b)
{
    const markers *m = ctx;
    const tfp_span_columns *s = &m->x->t->spans;
    uint32_t x = span_of(m, a), y = span_of(m, b), p = tfp_span_process(m->x, x), q = tfp_span_process(m->x, y);
    if (p != q) return p < q;
    if (s->lane[x] != s->lane[y]) return s->lane[x] < s->lane[y];
    if (s->start_ns[x] != s->start_ns[y]) return s->start_ns[x] < s->start_ns[y];
    return s->duration_ns[x] > s->duration_ns[y];
}

static uint32_t loop_of(markers *m, tfp_map64 *by_stem, const tfp_step_name *n)
{
    tfp_strid stem = tfp_build_string(m->x->b, n->stem);
    uint32_t at = tfp_map64_get(by_stem, stem);
    if (at != TFP_NONE) return at;
    loop l = { .stem = stem, .must_repeat = n->must_repeat, .numbered = true, .lane = TFP_NONE };
    at = (uint32_t)m->loops.size;
    return tfp_join_keep(m->x, tfp_push(&m->loops, l) && tfp_map64_put(by_stem, stem, at)) ? at : TFP_NONE;
}

/* What one thread adds to a loop. */
typedef struct lane_loop {
    int64_t ns, end_ns;
    uint32_t count;
} lane_loop;

static void add_lane(loop *l, uint32_t lane, const lane_loop *of)
{
    l->ns = tfp_add(l->ns, of->ns, NULL);
    l->repeats |= of->count > 1;
    if (l->lane == TFP_NONE || of->ns > l->lane_ns) l->lane = lane, l->lane_ns = of->ns;
}

/* Adds the ranges of one thread to the loops. */
static void take_lane(markers *m, tfp_map64 *by_stem, const uint32_t *marks, size_t count)
{
    const tfp_span_columns *s = &m->x->t->spans;
    TFP_VEC(lane_loop) of = { 0 };
    tfp_map64 seen = { 0 }; /* loop << 40 | number -> 1 */
    uint32_t lane = s->lane[span_of(m, marks[0])];
    for (size_t i = 0; i < count && !m->x->b->status; i++) {
        uint32_t span = span_of(m, marks[i]);
        tfp_step_name n;
        if (!tfp_step_name_of(tfp_text(m->x->p, s->name[span]), &n)) continue;
        uint32_t at = loop_of(m, by_stem, &n);
        while (of.size < m->loops.size && tfp_join_keep(m->x, tfp_push(&of, ((lane_loop){ 0, INT64_MIN, 0 }))))
            ;
        if (m->x->b->status || tfp_span_end(s, span) <= of.at[at].end_ns) continue; /* inside another one */
        of.at[at].count++;
        of.at[at].ns = tfp_add(of.at[at].ns, s->duration_ns[span], NULL);
        of.at[at].end_ns = tfp_span_end(s, span);
        uint64_t key = (uint64_t)at << 40 ^ (uint64_t)n.number;
        m->loops.at[at].must_repeat &= n.must_repeat;
        m->loops.at[at].numbered &= n.number >= 0 && tfp_map64_get(&seen, key) == TFP_NONE;
        tfp_join_keep(m->x, tfp_map64_put(&seen, key, 1) &&
                                tfp_push(&m->outer, ((candidate){ marks[i], at, lane, n.number })));
    }
    for (uint32_t i = 0; i < of.size; i++)
        if (of.at[i].count) add_lane(&m->loops.at[i], lane, &of.at[i]);
    tfp_vec_free(&of);
    tfp_map64_free(&seen);
}

/* The numbers begin again, in another epoch or in another recording. */
static void add_restart(tfp_join *x, uint32_t span)
{
    tfp_restart at = { tfp_span_process(x, span), x->t->spans.start_ns[span], true };
    tfp_join_keep(x, tfp_push(&x->restarts, at));
}

/* Makes the ranges of the longest loop steps. Numbers that repeat on a thread are counted, on the thread where they take
 * longest. */
static void choose(markers *m)
{
    uint32_t best = TFP_NONE;
    for (uint32_t i = 0; i < m->loops.size; i++) {
        const loop *l = &m->loops.at[i];
        if (l->must_repeat && !l->repeats) continue;
        if (best == TFP_NONE || l->ns > m->loops.at[best].ns) best = i;
    }
    int64_t first = -1, last = -1; /* numbers that repeat */
    for (size_t i = 0; i < m->outer.size && best != TFP_NONE; i++) {
        const candidate *c = &m->outer.at[i];
        const loop *l = &m->loops.at[best];
        if (c->loop != best || (!l->numbered && c->lane != l->lane)) continue;
        tfp_step_mark *mark = &m->x->t->step_marks.at[c->mark];
        if (!l->numbered && c->number >= 0 && c->number == first && c->number < last) add_restart(m->x, mark->span);
        if (first < 0) first = c->number;
        last = c->number;
        mark->source = TFP_STEPS_MARKED;
        mark->group = l->stem;
        mark->number = l->numbered ? c->number : -1;
        m->x->t->spans.kind[mark->span] = TFP_SPAN_STEP;
    }
}

static void choose_in_process(markers *m, const uint32_t *marks, size_t count)
{
    const tfp_span_columns *s = &m->x->t->spans;
    tfp_map64 by_stem = { 0 };
    m->loops.size = m->outer.size = 0;
    for (size_t i = 0, end; i < count && !m->x->b->status; i = end) {
        uint32_t lane = s->lane[span_of(m, marks[i])];
        for (end = i + 1; end < count && s->lane[span_of(m, marks[end])] == lane;) end++;
        take_lane(m, &by_stem, marks + i, end - i);
    }
    if (!m->x->b->status) choose(m);
    tfp_map64_free(&by_stem);
}

/* Ranges inside a step of their thread that tell its phase (steps.c takes it) mark that step, too. */
static void find_inner(markers *m)
{
    tfp_span_columns *s = &m->x->t->spans;
    size_t count = m->x->t->step_marks.size;
    uint32_t lane = TFP_NONE;
    int64_t end_ns = INT64_MIN; /* of the steps so far on the thread */
    for (uint32_t i = 0; i < count; i++) m->order[i] = i;
    if (!tfp_join_keep(m->x, tfp_sort(m->order, count, mark_before, m))) return;
    for (size_t i = 0; i < count; i++) {
        const tfp_step_mark *mark = &m->x->t->step_marks.at[m->order[i]];
        int64_t ends_ns = tfp_span_end(s, mark->span);
        tfp_step_phase phase;
        if (s->lane[mark->span] != lane) lane = s->lane[mark->span], end_ns = INT64_MIN;
        if (mark->source == TFP_STEPS_MARKED) {
            if (ends_ns > end_ns) end_ns = ends_ns;
        } else if (mark->source == TFP_STEPS_NAMED && ends_ns <= end_ns &&
                   tfp_step_phase_of(tfp_text(m->x->p, s->name[mark->span]), &phase)) {
            s->kind[mark->span] = TFP_SPAN_STEP;
        }
    }
}

void tfp_join_markers(tfp_join *x)
{
    size_t count = x->t->step_marks.size, named = 0, processes = x->t->processes.size;
    markers m = { .x = x, .order = malloc((count + 1) * sizeof *m.order) };
    uint8_t *certain = calloc(processes + 1, 1); /* for each process: whether it has certain marks */
    uint8_t *on_host = calloc(processes + 1, 1); /* whether ranges of its host are named as steps */
    if (!tfp_join_keep(x, m.order && certain && on_host)) count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t process = tfp_span_process(x, x->t->step_marks.at[i].span);
        if (process < processes) on_host[process] |= is_on_host(&m, i);
    }
    for (uint32_t i = 0; i < count; i++) {
        tfp_step_mark *mark = &x->t->step_marks.at[i];
        uint32_t process = tfp_span_process(x, mark->span);
        if (process >= processes) continue;
        if (on_host[process] && !is_on_host(&m, i)) continue;
        if (is_named(mark))
            mark->source = TFP_STEPS_NAMED, m.order[named++] = i;
        else
            certain[process] |= mark->source == TFP_STEPS_MARKED;
    }
    if (named) tfp_join_keep(x, tfp_sort(m.order, named, mark_before, &m));
    for (size_t i = 0, end; i < named && !x->b->status; i = end) {
        uint32_t process = tfp_span_process(x, span_of(&m, m.order[i]));
        for (end = i + 1; end < named && tfp_span_process(x, span_of(&m, m.order[end])) == process;) end++;
        if (!certain[process]) choose_in_process(&m, m.order + i, end - i);
    }
    if (named && !x->b->status) find_inner(&m);
    free(m.order);
    free(certain);
    free(on_host);
    tfp_vec_free(&m.loops);
    tfp_vec_free(&m.outer);
}
