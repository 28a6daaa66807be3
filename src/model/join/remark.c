// SPDX-License-Identifier: Apache-2.0
/* model/join/remark.c: gives a trace the steps that ranges with certain names mark. Of ranges inside others the outer
 * ones count. Steps have the numbers at the end of their names where these differ on each thread; otherwise they are
 * counted on the thread where the ranges take longest. Then executions are summed again, as for a cut. */
#include "model/join/remark.h"
#include "model/join/cut.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/runs.h"
#include "model/tables/step_marks.h"
#include "query/order.h"

#include <stdlib.h>

enum { NESTED = 8 }; /* how many windows are looked at that start before a moment */

typedef struct range {
    uint32_t span, process, lane;
    int64_t number; /* -1: none */
} range;

typedef struct remarks {
    const tfp_profile *whole;
    tfp_arena *a;
    tfp_profile p; /* the profile with the new steps, whose executions are still the old ones */
    range *ranges; /* outer ones, by process, lane and start */
    size_t count;
    uint32_t *first; /* for each process: its first window; with one more element at the end */
    bool *marked;    /* for each process: it has new steps */
} remarks;

static const tfp_span_columns *spans_of(const remarks *m) { return &m->whole->events->spans; }

/* ---- the ranges ---- */

/* The last number in a name; -1: none. */
static int64_t number_of(tfp_str name)
{
    size_t end = name.size, start;
    int64_t number;
    while (end && !(name.data[end - 1] >= '0' && name.data[end - 1] <= '9')) end--;
    for (start = end; start && name.data[start - 1] >= '0' && name.data[start - 1] <= '9';) start--;
    return end > start && tfp_parse_int64((tfp_str){ name.data + start, end - start }, &number) ? number : -1;
}

static bool range_before(const void *ctx, uint32_t a, uint32_t b)
{
    const remarks *m = ctx;
    const tfp_span_columns *s = spans_of(m);
    const range *x = &m->ranges[a], *y = &m->ranges[b];
    if (x->process != y->process) return x->process < y->process;
    if (x->lane != y->lane) return x->lane < y->lane;
    if (s->start_ns[x->span] != s->start_ns[y->span]) return s->start_ns[x->span] < s->start_ns[y->span];
    return s->duration_ns[x->span] > s->duration_ns[y->span];
}

/* Collects the ranges on host threads whose names match. Each name is looked at once. */
static bool collect(remarks *m, tfp_name_fn matches, void *ctx)
{
    const tfp_span_columns *s = spans_of(m);
    uint8_t *known = calloc(m->whole->strings.count + 1, 1);
    TFP_VEC(range) found = { 0 };
    bool ok = known != NULL;
    for (uint32_t i = 0; i < s->size && ok; i++) {
        const tfp_lane *lane = &m->whole->lanes->at[s->lane[i]];
        if (s->kind[i] == TFP_SPAN_ACTIVITY || s->kind[i] == TFP_SPAN_CALL || s->marks[i] & TFP_MARK_INSTANT) continue;
        if (lane->process >= m->whole->events->processes.size || lane->role != TFP_ROLE_THREAD) continue;
        uint8_t *name = &known[s->name[i]];
        tfp_str text = tfp_text(m->whole, s->name[i]);
        if (!*name) *name = matches(ctx, text) ? 2 : 1;
        if (*name == 2) ok = tfp_push(&found, ((range){ i, lane->process, s->lane[i], number_of(text) }));
    }
    uint32_t *order = TFP_NEW(m->a, uint32_t, found.size + 1);
    range *sorted = TFP_NEW(m->a, range, found.size + 1);
    ok = ok && order && sorted;
    m->ranges = found.at;
    for (uint32_t i = 0; i < found.size && ok; i++) order[i] = i;
    ok = ok && tfp_sort(order, found.size, range_before, m);
    for (size_t i = 0; i < found.size && ok; i++) {
        const range *r = &found.at[order[i]], *last = m->count ? &sorted[m->count - 1] : NULL;
        if (last && last->lane == r->lane && tfp_span_end(s, r->span) <= tfp_span_end(s, last->span)) continue;
        sorted[m->count++] = *r;
    }
    m->ranges = sorted;
    free(known);
    tfp_vec_free(&found);
    return ok;
}

/* Numbers the ranges of a process; returns the thread whose ranges count, or TFP_NONE for all. */
static bool number(remarks *m, range *ranges, size_t count, uint32_t *lane)
{
    const tfp_span_columns *s = spans_of(m);
    tfp_map64 seen = { 0 };
    bool numbered = true, ok = true;
    int64_t most = -1, ns = 0, counted = 0;
    *lane = TFP_NONE;
    for (size_t i = 0; i < count && ok; i++) {
        uint64_t key = (uint64_t)ranges[i].lane << 40 ^ (uint64_t)ranges[i].number;
        numbered = numbered && ranges[i].number >= 0 && tfp_map64_get(&seen, key) == TFP_NONE;
        ok = tfp_map64_put(&seen, key, 1);
        ns = i && ranges[i].lane == ranges[i - 1].lane ? ns : 0;
        ns = tfp_add(ns, s->duration_ns[ranges[i].span], NULL);
        if (ns > most && !numbered) *lane = ranges[i].lane;
        if (ns > most) most = ns;
    }
    tfp_map64_free(&seen);
    if (numbered) *lane = TFP_NONE;
    for (size_t i = 0; i < count && !numbered; i++)
        if (ranges[i].lane == *lane) ranges[i].number = counted++;
    return ok;
}

/* ---- steps and windows ---- */

static uint32_t step_of(remarks *m, int64_t id)
{
    tfp_run_tables *runs = m->p.runs;
    uint32_t at = tfp_map64_get(&runs->step_by_id, (uint64_t)id);
    if (at != TFP_NONE) return at;
    at = (uint32_t)runs->steps.size;
    if (!tfp_map64_put(&runs->step_by_id, (uint64_t)id, at)) return TFP_NONE;
    runs->steps.at[runs->steps.size++] = (tfp_step){ .id = id, .listed = id >= 0 };
    return at;
}

static bool add_window(remarks *m, tfp_step_window w, int64_t id)
{
    w.step = step_of(m, id);
    m->p.events->windows.at[m->p.events->windows.size++] = w;
    return w.step != TFP_NONE;
}

/* Makes a window of the ranges with one number. */
static bool add_ranges(remarks *m, uint32_t process, const range *ranges, size_t count, uint32_t lane)
{
    const tfp_span_columns *s = spans_of(m);
    tfp_map64 by_number = { 0 };
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        if (lane != TFP_NONE && ranges[i].lane != lane) continue;
        int64_t start = s->start_ns[ranges[i].span], end = tfp_span_end(s, ranges[i].span);
        uint32_t at = tfp_map64_get(&by_number, (uint64_t)ranges[i].number);
        if (at != TFP_NONE) {
            tfp_step_window *w = &m->p.events->windows.at[at];
            if (start < w->start_ns) w->start_ns = start;
            if (end > w->end_ns) w->end_ns = end;
            continue;
        }
        ok = tfp_map64_put(&by_number, (uint64_t)ranges[i].number, (uint32_t)m->p.events->windows.size) &&
             add_window(m, (tfp_step_window){ .process = process, .start_ns = start, .end_ns = end }, ranges[i].number);
    }
    tfp_map64_free(&by_number);
    return ok;
}

static bool keep_windows(remarks *m, uint32_t process)
{
    const tfp_event_tables *t = m->whole->events;
    bool ok = true;
    for (size_t i = 0; i < t->windows.size && ok; i++)
        if (t->windows.at[i].process == process)
            ok = add_window(m, t->windows.at[i], m->whole->runs->steps.at[t->windows.at[i].step].id);
    return ok;
}

static const tfp_sort_key by_start[] = {
    TFP_UP(tfp_step_window, process), TFP_UP(tfp_step_window, device), TFP_UP(tfp_step_window, start_ns), { 0 }
};

static bool sort_windows(remarks *m)
{
    size_t count = m->p.events->windows.size;
    tfp_step_window *sorted = tfp_ordered(m->a, m->p.events->windows.at, sizeof *sorted, count, by_start);
    if (!sorted) return false;
    m->p.events->windows.at = sorted;
    for (size_t i = 0; i < count; i++) m->first[sorted[i].process + 1]++;
    for (size_t i = 1; i <= m->p.events->processes.size; i++) m->first[i] += m->first[i - 1];
    return true;
}

static const tfp_sort_key by_id[] = { TFP_UP(tfp_step, id), { 0 } };

static bool make_steps(remarks *m)
{
    tfp_event_tables *t = m->p.events;
    tfp_run_tables *runs = m->p.runs;
    size_t most = m->count + t->windows.size + 1;
    runs->steps.at = TFP_NEW(m->a, tfp_step, most + 1);
    runs->step_order.at = TFP_NEW(m->a, uint32_t, most + 1);
    t->windows.at = TFP_NEW(m->a, tfp_step_window, most + 1);
    m->first = TFP_NEW(m->a, uint32_t, t->processes.size + 2);
    m->marked = TFP_NEW(m->a, bool, t->processes.size + 1);
    runs->steps.size = runs->step_order.size = t->windows.size = 0;
    bool ok =
        runs->steps.at && runs->step_order.at && t->windows.at && m->first && m->marked && step_of(m, -1) != TFP_NONE;
    size_t first = 0, end;
    for (uint32_t i = 0; i < t->processes.size && ok; i++, first = end) {
        uint32_t lane;
        for (end = first; end < m->count && m->ranges[end].process == i;) end++;
        if (first == end) {
            ok = keep_windows(m, i);
            continue;
        }
        m->marked[i] = true;
        t->processes.at[i].steps = TFP_STEPS_MARKED;
        t->processes.at[i].work_ns = t->processes.at[i].work_in_steps_ns = 0;
        ok = number(m, m->ranges + first, end - first, &lane) && add_ranges(m, i, m->ranges + first, end - first, lane);
    }
    for (uint32_t i = 0; i < runs->steps.size && ok; i++)
        if (runs->steps.at[i].listed) runs->step_order.at[runs->step_order.size++] = i;
    return ok && tfp_order_items(runs->step_order.at, runs->step_order.size, by_id, runs->steps.at, sizeof(tfp_step)) &&
           sort_windows(m);
}

/* ---- spans ---- */

static uint32_t step_at(const remarks *m, uint32_t process, int64_t at_ns)
{
    const tfp_step_window *w = m->p.events->windows.at;
    size_t begin = m->first[process], low;
    TFP_LOWER_BOUND(low, begin, m->first[process + 1], w[low].start_ns <= at_ns);
    for (size_t i = low; i > begin && low - i < NESTED; i--)
        if (at_ns < w[i - 1].end_ns) return w[i - 1].step;
    return TFP_NONE;
}

/* Processes that keep their steps have the same windows, with other rows of steps. */
static void place(remarks *m, uint32_t *step)
{
    const tfp_span_columns *s = spans_of(m);
    for (uint32_t i = 0; i < s->size; i++) {
        uint32_t process = m->whole->lanes->at[s->lane[i]].process, old = s->step[i];
        step[i] = TFP_NONE;
        if (process >= m->p.events->processes.size) continue;
        if (!m->marked[process]) {
            if (old != TFP_NONE) step[i] = step_of(m, m->whole->runs->steps.at[old].id);
            continue;
        }
        uint32_t of = s->kind[i] == TFP_SPAN_ACTIVITY && s->launch[i] != TFP_NONE ? s->launch[i] : i;
        step[i] = step_at(m, process, s->start_ns[of]);
    }
}

bool tfp_remark(const tfp_profile *whole, tfp_arena *a, tfp_name_fn matches, void *ctx, size_t *found, tfp_profile *out)
{
    struct own {
        tfp_run_tables runs;
        tfp_event_tables events;
        tfp_cut cut;
    } *own = TFP_NEW(a, struct own, 1);
    remarks m = { .whole = whole, .a = a, .p = *whole };
    *found = 0;
    if (!own || !collect(&m, matches, ctx)) return false;
    *found = m.count;
    if (!m.count) return true;
    size_t processes = whole->events->processes.size;
    *own = (struct own){ .runs = *whole->runs, .events = *whole->events };
    m.p.runs = &own->runs;
    m.p.events = &own->events;
    own->runs.step_by_id = (tfp_map64){ 0 };
    own->events.processes.at = TFP_NEW(a, tfp_process, processes + 1);
    own->events.spans.step = TFP_NEW(a, uint32_t, whole->events->spans.size + 1);
    own->cut.from_ns = TFP_NEW(a, int64_t, processes + 1);
    own->cut.to_ns = TFP_NEW(a, int64_t, processes + 1);
    bool ok = own->events.processes.at && own->events.spans.step && own->cut.from_ns && own->cut.to_ns;
    if (ok && processes) memcpy(own->events.processes.at, whole->events->processes.at, processes * sizeof(tfp_process));
    ok = ok && make_steps(&m);
    if (ok) place(&m, own->events.spans.step);
    for (size_t i = 0; i < processes && ok; i++) own->cut.from_ns[i] = INT64_MIN, own->cut.to_ns[i] = INT64_MAX;
    own->cut.execs_most = whole->events->spans.size;
    ok = ok && tfp_cut_make(&m.p, a, &own->cut);
    if (ok) *out = own->cut.p;
    if (!ok) tfp_map64_free(&own->runs.step_by_id);
    return ok;
}

void tfp_remark_end(tfp_profile *marked) { tfp_map64_free(&marked->runs->step_by_id); }
