// SPDX-License-Identifier: Apache-2.0
/* views/trace/path_lists.c: the lists that the critical path uses: threads cut into pieces by their innermost span, activities
 * and ops sorted by their ends, and the thread that drives each unit's steps. */
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/step_marks.h"
#include "views/core/handle.h"
#include "views/trace/path.h"

/* ---- threads as pieces ---- */

static bool in_threads(uint32_t kind)
{
    return kind == TFP_SPAN_OP || kind == TFP_SPAN_CALL || kind == TFP_SPAN_ANNOTATION || kind == TFP_SPAN_MODULE ||
           kind == TFP_SPAN_FRAME;
}

static void put_piece(tfp_path *t, uint32_t lane, int64_t start, int64_t end, uint32_t span)
{
    tfp_range *of = &t->threads[lane];
    if (end <= start) return;
    if (!of->count) of->first = t->piece_count;
    t->pieces[t->piece_count++] = (tfp_piece){ start, end, span };
    of->count++;
}

/* Cuts the spans of one lane, outer before inner, into pieces of the innermost span. */
static void cut_lane(tfp_path *t, const uint32_t *items, size_t count, uint32_t *open)
{
    size_t depth = 0;
    int64_t at = INT64_MIN;
    uint32_t lane = count ? t->x->s->lane[items[0]] : 0;
    for (size_t i = 0; i <= count; i++) {
        int64_t start = i < count ? t->x->s->start_ns[items[i]] : INT64_MAX;
        while (depth && tfp_span_end(t->x->s, open[depth - 1]) <= start) {
            int64_t end = tfp_span_end(t->x->s, open[depth - 1]);
            put_piece(t, lane, at, end, open[depth - 1]);
            if (end > at) at = end;
            depth--;
        }
        if (i == count) break;
        if (depth) put_piece(t, lane, at, start, open[depth - 1]);
        if (start > at) at = start;
        open[depth++] = items[i];
    }
}

static bool is_outermost_op(const tfp_span_columns *s, uint32_t span)
{
    uint32_t parent = s->parent[span];
    if (s->kind[span] != TFP_SPAN_OP && s->kind[span] != TFP_SPAN_CALL) return false;
    return parent == TFP_NONE || s->kind[parent] != TFP_SPAN_OP;
}

static bool cut_threads(tfp_path *t)
{
    const tfp_span_columns *s = t->x->s;
    tfp_arena *a = tfp_arena_of(t->r);
    uint32_t *items = TFP_NEW(a, uint32_t, s->size + 1), *open = TFP_NEW(a, uint32_t, s->size + 1);
    size_t count = 0;
    t->pieces = TFP_NEW(a, tfp_piece, 2 * s->size + 2);
    if (!items || !open || !t->pieces) return false;
    for (uint32_t i = 0; i < s->size; i++)
        if (in_threads(s->kind[i]) && tfp_trace_unit_of(t->x, i) != TFP_NONE) items[count++] = i;
    if (!tfp_order_nested(items, count, s)) return false;
    for (size_t first = 0, i = 1; i <= count; i++) {
        if (i < count && s->lane[items[i]] == s->lane[items[first]]) continue;
        cut_lane(t, items + first, i - first, open);
        first = i;
    }
    t->ops = items; /* the remaining ones, stored in place */
    for (size_t i = 0; i < count; i++)
        if (is_outermost_op(s, items[i])) t->ops[t->op_count++] = items[i];
    return true;
}

/* ---- activities and ops by their ends ---- */

static bool ends_before(const tfp_path *t, uint32_t a, uint32_t b)
{
    return tfp_span_end(t->x->s, a) < tfp_span_end(t->x->s, b);
}

static bool unit_ends_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_path *t = ctx;
    uint32_t x = tfp_trace_unit_of(t->x, a), y = tfp_trace_unit_of(t->x, b);
    return x != y ? x < y : ends_before(t, a, b);
}

static bool lane_ends_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_path *t = ctx;
    uint32_t x = t->x->s->lane[a], y = t->x->s->lane[b];
    return x != y ? x < y : ends_before(t, a, b);
}

/* Finds the range of each unit in a list. */
static void find_units(const tfp_path *t, const uint32_t *items, size_t count, tfp_range *of)
{
    for (size_t i = 0; i < count; i++) {
        tfp_range *r = &of[tfp_trace_unit_of(t->x, items[i])];
        if (!r->count++) r->first = i;
    }
}

static bool sort_by_ends(tfp_path *t)
{
    const tfp_span_columns *s = t->x->s;
    tfp_arena *a = tfp_arena_of(t->r);
    t->by_end = TFP_NEW(a, uint32_t, t->x->item_count + 1);
    t->lane_end = TFP_NEW(a, uint32_t, t->x->item_count + 1);
    t->ends_of_unit = TFP_NEW(a, tfp_range, t->x->unit_count + 1);
    t->ops_of_unit = TFP_NEW(a, tfp_range, t->x->unit_count + 1);
    if (!t->by_end || !t->lane_end || !t->ends_of_unit || !t->ops_of_unit) return false;
    for (size_t i = 0; i < t->x->item_count; i++)
        if (s->kind[t->x->items[i]] == TFP_SPAN_ACTIVITY) t->by_end[t->activity_count++] = t->x->items[i];
    memcpy(t->lane_end, t->by_end, t->activity_count * sizeof *t->by_end);
    if (!tfp_sort(t->by_end, t->activity_count, unit_ends_before, t) ||
        !tfp_sort(t->lane_end, t->activity_count, lane_ends_before, t) ||
        !tfp_sort(t->ops, t->op_count, unit_ends_before, t))
        return false;
    for (size_t i = 0; i < t->activity_count; i++)
        if (s->launch[t->by_end[i]] != TFP_NONE) t->launched[tfp_trace_unit_of(t->x, t->by_end[i])] = true;
    find_units(t, t->by_end, t->activity_count, t->ends_of_unit);
    find_units(t, t->ops, t->op_count, t->ops_of_unit);
    for (size_t i = 0; i < t->activity_count; i++) {
        tfp_range *r = &t->streams[s->lane[t->lane_end[i]]];
        if (!r->count++) r->first = i;
    }
    return true;
}

/* Finds the thread that drives the steps of each unit: the one with their marks, otherwise the one with most recorded
 * time. */
static bool find_homes(tfp_path *t)
{
    const tfp_profile *p = t->x->p;
    int64_t *most = TFP_NEW(tfp_arena_of(t->r), int64_t, t->x->unit_count + 1);
    t->step_lane = TFP_NEW(tfp_arena_of(t->r), uint32_t, t->x->unit_count + 1);
    if (!most || !t->step_lane) return false;
    for (size_t i = 0; i < t->x->unit_count; i++) t->step_lane[i] = TFP_NONE;
    for (uint32_t lane = 0; lane < tfp_lanes_of(p)->size; lane++) {
        const tfp_range *of = &t->threads[lane];
        int64_t sum = 0;
        for (size_t i = 0; i < of->count; i++) sum += t->pieces[of->first + i].end - t->pieces[of->first + i].start;
        uint32_t unit = of->count ? t->x->unit_of_process[tfp_lanes_of(p)->at[lane].process] : TFP_NONE;
        if (unit == TFP_NONE || sum <= most[unit]) continue;
        most[unit] = sum;
        t->step_lane[unit] = lane;
    }
    for (size_t i = 0; i < tfp_events_of(p)->step_marks.size; i++) {
        const tfp_step_mark *m = &tfp_events_of(p)->step_marks.at[i];
        uint32_t unit = tfp_trace_unit_of(t->x, m->span), lane = t->x->s->lane[m->span];
        bool used =
            unit != TFP_NONE && tfp_events_of(p)->processes.at[tfp_lanes_of(p)->at[lane].process].steps == m->source;
        if (used && t->threads[lane].count) t->step_lane[unit] = lane;
    }
    return true;
}

static bool find_begins(tfp_path *t)
{
    const tfp_event_tables *e = tfp_events_of(t->x->p);
    t->begins = TFP_NEW(tfp_arena_of(t->r), int64_t, t->x->unit_count + 1);
    if (!t->begins) return false;
    for (size_t i = 0; i < t->x->unit_count; i++) t->begins[i] = INT64_MAX;
    for (size_t i = 0; i < t->x->device_count; i++) {
        const tfp_trace_device *d = &t->x->devices[i];
        if (d->start_ns < t->begins[d->unit]) t->begins[d->unit] = d->start_ns;
    }
    for (size_t i = 0; i < e->processes.size; i++) {
        uint32_t unit = t->x->unit_of_process[i];
        if (unit != TFP_NONE && e->processes.at[i].steps != TFP_STEPS_NONE) t->begins[unit] = INT64_MIN;
    }
    for (size_t i = 0; i < t->x->unit_count; i++)
        if (t->begins[i] == INT64_MAX) t->begins[i] = INT64_MIN;
    return true;
}

bool tfp_path_lists(tfp_path *t)
{
    tfp_arena *a = tfp_arena_of(t->r);
    t->threads = TFP_NEW(a, tfp_range, tfp_lanes_of(t->x->p)->size + 1);
    t->streams = TFP_NEW(a, tfp_range, tfp_lanes_of(t->x->p)->size + 1);
    t->path_ns = TFP_NEW(a, int64_t, t->x->unit_count + 1);
    t->step_count = TFP_NEW(a, int64_t, t->x->unit_count + 1);
    t->launched = TFP_NEW(a, bool, t->x->unit_count + 1);
    t->works = TFP_NEW(a, bool, t->x->unit_count + 1);
    if (!t->threads || !t->streams || !t->path_ns || !t->step_count || !t->launched || !t->works) return false;
    for (size_t i = 0; i < t->x->device_count; i++) t->works[t->x->devices[i].unit] = true;
    return cut_threads(t) && sort_by_ends(t) && find_homes(t) && find_begins(t);
}

unsigned tfp_path_class(const tfp_path *t, uint32_t span)
{
    static const unsigned char classes[] = { [TFP_CLASS_COMPUTE] = TFP_PATH_COMPUTE,
                                             [TFP_CLASS_COMMUNICATION] = TFP_PATH_COMMUNICATION,
                                             [TFP_CLASS_COPY] = TFP_PATH_COPY,
                                             [TFP_CLASS_SET] = TFP_PATH_COPY };
    return classes[t->x->s->class[span] & 3];
}
