// SPDX-License-Identifier: Apache-2.0
/* views/trace/tally.c: the time that a tally's spans take within the steps: the union of each rank's spans, or of each
 * device's, clipped to the windows of its steps. So a share of the steps never exceeds 1, however spans nest or threads run
 * in parallel. */
#include "model/span_names.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/step_marks.h"
#include "views/core/handle.h"
#include "views/trace/facts.h"

typedef struct groups { /* spans grouped by unit or device */
    const tfp_trace_index *x;
    bool host;
} groups;

static uint32_t group_of(const groups *g, uint32_t span)
{
    return g->host ? tfp_trace_unit_of(g->x, span) : g->x->device_of_lane[g->x->s->lane[span]];
}

static bool span_before(const void *ctx, uint32_t a, uint32_t b)
{
    const groups *g = ctx;
    uint32_t x = group_of(g, a), y = group_of(g, b);
    return x != y ? x < y : g->x->s->start_ns[a] < g->x->s->start_ns[b];
}

static bool add_group(tfp_report *r, const tfp_trace_facts *f, const groups *g, const uint32_t *spans, size_t count,
                      double ns[2])
{
    uint32_t group = group_of(g, spans[0]);
    tfp_union own;
    if (!tfp_union_of_list(tfp_arena_of(r), &f->x, spans, count, &own)) return false;
    ns[0] += (double)tfp_union_overlap(&own, g->host ? &f->judged[group] : f->on[group].judged);
    if (f->begin.clipped)
        ns[1] = ns[0]; /* the parts are of the time from the first activity to the last */
    else
        ns[1] += (double)tfp_union_overlap(&own, g->host ? &f->covered[group] : f->on[group].covered);
    return true;
}

tfp_union *tfp_tally_unions(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t)
{
    groups g = { &f->x, true };
    tfp_union *by_unit = TFP_NEW(tfp_arena_of(r), tfp_union, f->x.unit_count + 1);
    if (!by_unit || !tfp_sort(t->spans.at, t->spans.size, span_before, &g)) return NULL;
    for (size_t first = 0, end; first < t->spans.size; first = end) {
        uint32_t unit = group_of(&g, t->spans.at[first]);
        for (end = first + 1; end < t->spans.size && group_of(&g, t->spans.at[end]) == unit;) end++;
        if (!tfp_union_of_list(tfp_arena_of(r), &f->x, t->spans.at + first, end - first, &by_unit[unit])) return NULL;
    }
    return by_unit;
}

bool tfp_tally_end(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t, bool host)
{
    groups g = { &f->x, host };
    double ns[2] = { 0 }, steps = (double)(host ? f->window_count : f->step_count);
    if (!tfp_sort(t->spans.at, t->spans.size, span_before, &g)) return false;
    for (size_t first = 0, end; first < t->spans.size; first = end) {
        for (end = first + 1;
             end < t->spans.size && group_of(&g, t->spans.at[end]) == group_of(&g, t->spans.at[first]);)
            end++;
        if (!add_group(r, f, &g, t->spans.at + first, end - first, ns)) return false;
    }
    t->ns = ns[0] / steps;
    t->step_ns = ns[1] / steps;
    t->a_step = (double)t->count / steps;
    if (!t->count) t->longest = TFP_NONE;
    return true;
}

/* ---- what a tally costs ---- */

enum { RELATED = 1, INSIDE_OF = 2, LEVELS = 100 };

/* For each lane, whether it is a thread that prepares input. NULL: out of memory. */
static const bool *input_threads(tfp_report *r)
{
    const tfp_profile *p = tfp_profile_of(r);
    bool *prepares = TFP_NEW(tfp_arena_of(r), bool, tfp_lanes_of(p)->size + 1);
    for (size_t i = 0; prepares && i < tfp_lanes_of(p)->size; i++)
        prepares[i] = tfp_is_input_thread(tfp_text(p, tfp_lanes_of(p)->at[i].label));
    return prepares;
}

/* Finds ops that run in parallel to a tally's spans: neither around nor inside them. Preparation of later input does not
 * count, because it is the cause of a long wait for input. */
static bool find_others(tfp_report *r, const tfp_trace_facts *f, const tfp_tally *t, tfp_tally *others)
{
    const tfp_span_columns *s = f->x.s;
    uint8_t *marks = TFP_NEW(tfp_arena_of(r), uint8_t, s->size + 1);
    const bool *prepares = input_threads(r);
    bool ok = marks && prepares;
    for (size_t i = 0; ok && i < t->spans.size; i++) marks[t->spans.at[i]] = RELATED | INSIDE_OF;
    for (size_t i = 0; ok && i < t->spans.size; i++)
        for (uint32_t at = s->parent[t->spans.at[i]]; at != TFP_NONE && !marks[at]; at = s->parent[at])
            marks[at] = RELATED;
    for (uint32_t i = 0; ok && i < s->size; i++) {
        bool inside = false;
        if ((s->kind[i] != TFP_SPAN_OP && s->kind[i] != TFP_SPAN_CALL) || marks[i] || prepares[s->lane[i]]) continue;
        uint32_t at = s->parent[i];
        for (int level = 0; at != TFP_NONE && level < LEVELS && !inside; level++, at = s->parent[at])
            inside = marks[at] & INSIDE_OF;
        if (!inside && tfp_trace_unit_of(&f->x, i) != TFP_NONE) ok = tfp_push(&others->spans, i);
    }
    return ok;
}

static bool find_alone(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t, const tfp_union *own)
{
    tfp_tally others = { 0 };
    double ns = 0;
    const tfp_union *beside = find_others(r, f, t, &others) ? tfp_tally_unions(r, f, &others) : NULL;
    for (size_t i = 0; beside && i < f->x.unit_count; i++) {
        tfp_union alone;
        if (!tfp_union_less(tfp_arena_of(r), &own[i], &beside[i], &alone)) beside = NULL;
        if (beside) ns += (double)tfp_union_overlap(&alone, &f->judged[i]);
    }
    t->alone_ns = ns / (double)f->window_count;
    tfp_vec_free(&others.spans);
    return beside != NULL;
}

bool tfp_tally_effect(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t)
{
    double ns = 0;
    if (!t->count) return true;
    const tfp_union *own = tfp_tally_unions(r, f, t);
    for (size_t i = 0; own && i < f->x.device_count; i++)
        ns += (double)tfp_union_overlap(&own[f->x.devices[i].unit], &f->idle[i]);
    t->idle_ns = ns / (double)f->step_count;
    return own && (f->has_devices || find_alone(r, f, t, own));
}

/* The length of the union of a device's activities except those of one kind, within its steps. */
static int64_t busy_without(const tfp_trace_facts *f, const tfp_trace_device *d, tfp_activity_fn is, const void *ctx)
{
    const tfp_span_columns *s = f->x.s;
    const tfp_union *covered = f->on[d - f->x.devices].covered;
    int64_t sum = 0, start = 0, end = 0;
    bool open = false;
    for (size_t i = 0; i < d->count; i++) {
        uint32_t span = f->x.items[d->first + i];
        if (is && is(ctx, f, span)) continue;
        if (open && s->start_ns[span] > end) {
            sum = tfp_add(sum, tfp_union_within(covered, start, end), NULL);
            open = false;
        }
        if (!open) start = end = s->start_ns[span];
        open = true;
        if (tfp_span_end(s, span) > end) end = tfp_span_end(s, span);
    }
    return open ? tfp_add(sum, tfp_union_within(covered, start, end), NULL) : sum;
}

double tfp_alone_ns(const tfp_trace_facts *f, tfp_activity_fn is, const void *ctx)
{
    double ns = 0;
    for (size_t i = 0; i < f->x.device_count; i++)
        if (!f->x.devices[i].host)
            ns += (double)(busy_without(f, &f->x.devices[i], NULL, NULL) - busy_without(f, &f->x.devices[i], is, ctx));
    return ns / (double)f->step_count;
}

static bool is_of_sort(const void *ctx, const tfp_trace_facts *f, uint32_t span)
{
    return f->sorts[span] & 1u << *(const tfp_sort_of_work *)ctx;
}

double tfp_sort_alone_ns(const tfp_trace_facts *f, tfp_sort_of_work sort) { return tfp_alone_ns(f, is_of_sort, &sort); }

/* ---- the time that steps cover ---- */

static uint32_t unit_of_window(const tfp_trace_index *x, uint32_t window)
{
    return x->unit_of_process[tfp_events_of(x->p)->windows.at[window].process];
}

static bool window_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_trace_index *x = ctx;
    const tfp_step_window *w = tfp_events_of(x->p)->windows.at;
    uint32_t u = unit_of_window(x, a), v = unit_of_window(x, b);
    return u != v ? u < v : w[a].start_ns < w[b].start_ns;
}

/* Collects windows: each step of each rank is one; if every device has its own, they count once. */
static bool collect_windows(const tfp_report *r, tfp_trace_facts *f, uint32_t *order, size_t *count)
{
    const tfp_event_tables *e = tfp_events_of(f->x.p);
    tfp_map64 seen = { 0 };
    bool ok = true;
    for (uint32_t i = 0; ok && i < e->windows.size; i++) {
        uint32_t unit = unit_of_window(&f->x, i), step = e->windows.at[i].step;
        uint64_t key = (uint64_t)unit << 32 | step;
        if (!tfp_step_takes(tfp_step_of(r), step) || tfp_step_left_out(&f->begin.doubted, unit, step)) continue;
        if (tfp_map64_get(&seen, key) == TFP_NONE) f->window_count++;
        ok = tfp_map64_put(&seen, key, 1);
        order[(*count)++] = i;
    }
    tfp_map64_free(&seen);
    return ok;
}

bool tfp_steps_cover(tfp_report *r, tfp_trace_facts *f)
{
    const tfp_step_window *w = tfp_events_of(f->x.p)->windows.at;
    size_t all = tfp_events_of(f->x.p)->windows.size, count = 0;
    uint32_t *order = TFP_NEW(tfp_arena_of(r), uint32_t, all + 1);
    int64_t *room = TFP_NEW(tfp_arena_of(r), int64_t, 3 * all + 3);
    f->covered = TFP_NEW(tfp_arena_of(r), tfp_union, f->x.unit_count + 1);
    f->window_count = 0;
    if (!order || !room || !f->covered || !collect_windows(r, f, order, &count)) return false;
    if (!f->window_count) f->window_count = 1;
    if (!tfp_sort(order, count, window_before, &f->x)) return false;
    for (size_t i = 0; i < count; i++) {
        tfp_union *u = &f->covered[unit_of_window(&f->x, order[i])];
        if (!u->start) *u = (tfp_union){ .start = room + i, .end = room + all + i, .before = room + 2 * all + i };
        tfp_union_add(u, w[order[i]].start_ns, w[order[i]].end_ns);
    }
    return true;
}

/* The steps of the device whose rows begin at `first`, which do not overlap. */
static const tfp_union *steps_on(tfp_report *r, const tfp_trace_facts *f, size_t first)
{
    const tfp_step_row *head = &f->steps[first];
    size_t count = 0;
    while (first + count < f->step_row_count && f->steps[first + count].device_at == head->device_at) count++;
    int64_t *room = TFP_NEW(tfp_arena_of(r), int64_t, 3 * count + 3);
    tfp_union *u = TFP_NEW(tfp_arena_of(r), tfp_union, 1);
    if (!room || !u) return NULL;
    *u = (tfp_union){ .start = room, .end = room + count, .before = room + 2 * count };
    for (size_t i = first; i < first + count; i++) {
        int64_t start = f->steps[i].device_start_ns + f->x.units[head->unit].origin_ns;
        if (f->steps[i].step_at != TFP_NONE && !tfp_row_left_out(f, &f->steps[i]))
            tfp_union_add(u, start, start + f->steps[i].device_ns);
    }
    return u;
}

static bool give_devices(tfp_report *r, tfp_trace_facts *f)
{
    f->on = TFP_NEW(tfp_arena_of(r), tfp_steps_on, f->x.device_count + 1);
    if (!f->on) return false;
    for (size_t i = 0; i < f->x.device_count; i++) {
        f->on[i].covered = &f->covered[f->x.devices[i].unit];
        f->on[i].judged = &f->judged[f->x.devices[i].unit];
    }
    for (size_t i = 0; i < f->step_row_count; i++) {
        const tfp_step_row *s = &f->steps[i];
        uint32_t device = s->device_at;
        if (!s->later_runs || (i && f->steps[i - 1].device_at == device)) continue;
        f->on[device].covered = f->on[device].judged = steps_on(r, f, i);
        if (!f->on[device].covered) return false;
    }
    return true;
}

bool tfp_judged_of(tfp_report *r, tfp_trace_facts *f)
{
    f->judged = f->covered;
    if (!f->begin.whole) return give_devices(r, f);
    tfp_union *judged = TFP_NEW(tfp_arena_of(r), tfp_union, f->x.unit_count + 1);
    int64_t *ends = TFP_NEW(tfp_arena_of(r), int64_t, 4 * f->x.unit_count + 1);
    if (!judged || !ends) return false;
    for (size_t i = 0; i < f->x.unit_count; i++) { /* removes what is outside */
        ends[4 * i] = INT64_MIN;
        ends[4 * i + 1] = ends[4 * i + 3] = INT64_MAX;
        ends[4 * i + 2] = INT64_MIN;
    }
    for (size_t i = 0; i < f->x.device_count; i++) {
        const tfp_trace_device *d = &f->x.devices[i];
        if (d->start_ns < ends[4 * d->unit + 1]) ends[4 * d->unit + 1] = d->start_ns;
        if (d->end_ns > ends[4 * d->unit + 2]) ends[4 * d->unit + 2] = d->end_ns;
    }
    for (size_t i = 0; i < f->x.unit_count; i++) {
        int64_t *e = ends + 4 * i;
        tfp_union outside = { (int64_t[]){ e[0], e[2] }, (int64_t[]){ e[1], e[3] }, NULL, 2 };
        if (!tfp_union_less(tfp_arena_of(r), &f->covered[i], &outside, &judged[i])) return false;
    }
    f->judged = judged;
    return give_devices(r, f);
}

uint32_t tfp_step_marker(const tfp_trace_facts *f, const tfp_step_row *row)
{
    const tfp_event_tables *e = tfp_events_of(f->x.p);
    if (tfp_trace_is_runs(&f->x)) return TFP_NONE; /* its marks were made from the executions */
    int64_t start = row->start_ns + f->x.units[row->unit].origin_ns;
    for (size_t i = 0; i < e->step_marks.size; i++) {
        uint32_t span = e->step_marks.at[i].span;
        if (f->x.s->start_ns[span] == start && tfp_trace_unit_of(&f->x, span) == row->unit) return span;
    }
    return TFP_NONE;
}
