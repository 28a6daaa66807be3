// SPDX-License-Identifier: Apache-2.0
/* views/trace_tally.c: how long the spans of a tally take of the steps: the union of each rank's spans, or of each device's, cut
 * to the windows of its steps. So a share of the steps never passes 1, however spans nest and threads run side by side. */
#include "views/trace_facts.h"

typedef struct groups { /* units or devices */
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
                      double *ns)
{
    uint32_t group = group_of(g, spans[0]), unit = g->host ? group : f->x.devices[group].unit;
    tfp_union own;
    if (!tfp_union_of_list(&r->arena, &f->x, spans, count, &own)) return false;
    *ns += (double)tfp_union_overlap(&own, &f->covered[unit]);
    return true;
}

tfp_union *tfp_tally_unions(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t)
{
    groups g = { &f->x, true };
    tfp_union *by_unit = TFP_NEW(&r->arena, tfp_union, f->x.unit_count + 1);
    if (!by_unit || !tfp_sort(t->spans.at, t->spans.size, span_before, &g)) return NULL;
    for (size_t first = 0, end; first < t->spans.size; first = end) {
        uint32_t unit = group_of(&g, t->spans.at[first]);
        for (end = first + 1; end < t->spans.size && group_of(&g, t->spans.at[end]) == unit;) end++;
        if (!tfp_union_of_list(&r->arena, &f->x, t->spans.at + first, end - first, &by_unit[unit])) return NULL;
    }
    return by_unit;
}

bool tfp_tally_end(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t, bool host)
{
    groups g = { &f->x, host };
    double ns = 0, steps = (double)(host ? f->window_count : f->step_count);
    if (!tfp_sort(t->spans.at, t->spans.size, span_before, &g)) return false;
    for (size_t first = 0, end; first < t->spans.size; first = end) {
        for (end = first + 1;
             end < t->spans.size && group_of(&g, t->spans.at[end]) == group_of(&g, t->spans.at[first]);)
            end++;
        if (!add_group(r, f, &g, t->spans.at + first, end - first, &ns)) return false;
    }
    t->ns = ns / steps;
    t->a_step = (double)t->count / steps;
    if (!t->count) t->longest = TFP_NONE;
    return true;
}

/* ---- the time that steps cover ---- */

static uint32_t unit_of_window(const tfp_trace_index *x, uint32_t window)
{
    return x->unit_of_process[x->p->events.windows.at[window].process];
}

static bool window_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_trace_index *x = ctx;
    const tfp_step_window *w = x->p->events.windows.at;
    uint32_t u = unit_of_window(x, a), v = unit_of_window(x, b);
    return u != v ? u < v : w[a].start_ns < w[b].start_ns;
}

/* Each step of each rank is a window, but where every device has its own: then they count once. */
static bool collect_windows(const tfp_report *r, tfp_trace_facts *f, uint32_t *order, size_t *count)
{
    const tfp_event_tables *e = &f->x.p->events;
    tfp_map64 seen = { 0 };
    bool ok = true;
    for (uint32_t i = 0; ok && i < e->windows.size; i++) {
        uint64_t key = (uint64_t)unit_of_window(&f->x, i) << 32 | e->windows.at[i].step;
        if (!tfp_step_takes(r->step, e->windows.at[i].step)) continue;
        if (tfp_map64_get(&seen, key) == TFP_NONE) f->window_count++;
        ok = tfp_map64_put(&seen, key, 1);
        order[(*count)++] = i;
    }
    tfp_map64_free(&seen);
    return ok;
}

bool tfp_steps_cover(tfp_report *r, tfp_trace_facts *f)
{
    const tfp_step_window *w = f->x.p->events.windows.at;
    size_t all = f->x.p->events.windows.size, count = 0;
    uint32_t *order = TFP_NEW(&r->arena, uint32_t, all + 1);
    int64_t *room = TFP_NEW(&r->arena, int64_t, 3 * all + 3);
    f->covered = TFP_NEW(&r->arena, tfp_union, f->x.unit_count + 1);
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

uint32_t tfp_step_marker(const tfp_trace_facts *f, const tfp_step_row *row)
{
    const tfp_event_tables *e = &f->x.p->events;
    int64_t start = row->start_ns + f->x.units[row->unit].origin_ns;
    for (size_t i = 0; i < e->step_marks.size; i++) {
        uint32_t span = e->step_marks.at[i].span;
        if (f->x.s->start_ns[span] == start && tfp_trace_unit_of(&f->x, span) == row->unit) return span;
    }
    return TFP_NONE;
}
