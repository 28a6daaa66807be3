// SPDX-License-Identifier: Apache-2.0
/* views/trace/tally.c: the time that a tally's spans take within the steps: the union of each rank's spans, or of each
 * device's, clipped to the windows of its steps. So a share of the steps never exceeds 1, however spans nest or threads run
 * in parallel. */
#include "model/span_names.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/step_marks.h"
#include "query/groups.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/trace/facts.h"

static uint32_t group_of(const tfp_trace_facts *f, uint32_t span, bool host)
{
    return host ? tfp_trace_unit_of(&f->x, span) : f->x.device_of_lane[f->x.s->lane[span]];
}

/* The union of the tally's spans for each unit, or for each device. NULL: out of memory. */
static tfp_union *unions_of(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t, bool host)
{
    const tfp_span_columns *s = f->x.s;
    size_t groups = host ? f->x.unit_count : f->x.device_count;
    tfp_union *by_group = TFP_NEW(tfp_arena_of(r), tfp_union, groups + 1);
    size_t *counts = TFP_NEW(tfp_arena_of(r), size_t, groups + 1);
    tfp_sort_key by_start[] = { TFP_UP_IN(s->start_ns), { 0 } };
    if (!by_group || !counts || !tfp_order_items(t->spans.at, t->spans.size, by_start, NULL, 0)) return NULL;
    for (size_t i = 0; i < t->spans.size; i++) counts[group_of(f, t->spans.at[i], host)]++;
    for (size_t i = 0; i < groups; i++)
        if (counts[i] && !tfp_union_new(tfp_arena_of(r), counts[i], &by_group[i])) return NULL;
    for (size_t i = 0; i < t->spans.size; i++) {
        uint32_t span = t->spans.at[i];
        tfp_union_add(&by_group[group_of(f, span, host)], s->start_ns[span], tfp_span_end(s, span));
    }
    return by_group;
}

tfp_union *tfp_tally_unions(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t) { return unions_of(r, f, t, true); }

bool tfp_tally_end(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t, bool host)
{
    double judged = 0, covered = 0, steps = (double)(host ? f->window_count : f->step_count);
    const tfp_union *own = unions_of(r, f, t, host);
    size_t groups = host ? f->x.unit_count : f->x.device_count;
    for (size_t i = 0; own && i < groups; i++) {
        judged += (double)tfp_union_overlap(&own[i], host ? &f->judged[i] : f->on[i].judged);
        covered += (double)tfp_union_overlap(&own[i], host ? &f->covered[i] : f->on[i].covered);
    }
    t->ns = judged / steps;
    /* the parts are of the time from the first activity to the last */
    t->step_ns = (f->begin.clipped ? judged : covered) / steps;
    t->a_step = (double)t->count / steps;
    if (!t->count) t->longest = TFP_NONE;
    return own != NULL;
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

typedef struct others { /* activities that do not count */
    const tfp_trace_facts *f;
    tfp_activity_fn is;
    const void *ctx;
} others;

static bool is_left_out(const void *ctx, uint32_t span)
{
    const others *o = ctx;
    return o->is && o->is(o->ctx, o->f, span);
}

double tfp_alone_ns(const tfp_trace_facts *f, tfp_activity_fn is, const void *ctx)
{
    double ns = 0;
    for (size_t i = 0; i < f->x.device_count; i++) {
        const tfp_trace_device *d = &f->x.devices[i];
        const tfp_union *steps = f->on[i].covered;
        if (!d->host)
            ns += (double)(tfp_union_of_others(&f->x, d, steps, is_left_out, &(others){ 0 }) -
                           tfp_union_of_others(&f->x, d, steps, is_left_out, &(others){ f, is, ctx }));
    }
    return ns / (double)f->step_count;
}

static bool is_of_sort(const void *ctx, const tfp_trace_facts *f, uint32_t span)
{
    return f->sorts[span] & 1u << *(const tfp_sort_of_work *)ctx;
}

double tfp_sort_alone_ns(const tfp_trace_facts *f, tfp_sort_of_work sort) { return tfp_alone_ns(f, is_of_sort, &sort); }

/* ---- the time that steps cover ---- */

/* Each step of each rank is a window; if every device has its own, they count once. */
bool tfp_steps_cover(tfp_report *r, tfp_trace_facts *f)
{
    const tfp_step_window *windows = tfp_events_of(f->x.p)->windows.at;
    tfp_unit_windows by_unit;
    tfp_groups steps = { .row_size = 1 }; /* by unit and step */
    f->covered = TFP_NEW(tfp_arena_of(r), tfp_union, f->x.unit_count + 1);
    bool ok = f->covered && tfp_windows_by_unit(tfp_arena_of(r), &f->x, &by_unit);
    for (uint32_t unit = 0; ok && unit < f->x.unit_count; unit++) {
        size_t first = by_unit.first[unit], end = by_unit.first[unit + 1];
        ok = tfp_union_new(tfp_arena_of(r), end - first, &f->covered[unit]);
        for (size_t i = first; ok && i < end; i++) {
            const tfp_step_window *w = &windows[by_unit.order[i]];
            if (!tfp_step_takes(tfp_step_of(r), w->step) || tfp_step_left_out(&f->begin.doubted, unit, w->step))
                continue;
            ok = TFP_GROUP(&steps, unit, w->step) != NULL;
            tfp_union_add(&f->covered[unit], w->start_ns, w->end_ns);
        }
    }
    f->window_count = steps.count ? steps.count : 1;
    tfp_groups_free(&steps);
    return ok;
}

/* The steps of the device whose rows begin at `first`, which do not overlap. */
static const tfp_union *steps_on(tfp_report *r, const tfp_trace_facts *f, size_t first)
{
    const tfp_step_row *head = &f->steps[first];
    size_t count = 0;
    while (first + count < f->step_row_count && f->steps[first + count].device_at == head->device_at) count++;
    tfp_union *u = TFP_NEW(tfp_arena_of(r), tfp_union, 1);
    if (!u || !tfp_union_new(tfp_arena_of(r), count, u)) return NULL;
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
