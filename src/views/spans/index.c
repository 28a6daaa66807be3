// SPDX-License-Identifier: Apache-2.0
/* views/spans/index.c: finds the rank and device of each activity, and sorts each device's activities by start. */
#include "model/join/cut.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/read.h"
#include "model/tables/stats.h"
#include "model/tables/step_marks.h"
#include "model/trace/scan.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/spans/trace.h"

#include <stdlib.h>

/* ---- units: one a file, or a rank of a merged file ---- */

static bool start_units(tfp_report *r, tfp_trace_index *x)
{
    const tfp_event_tables *t = tfp_events_of(x->p);
    size_t count = t->processes.size;
    tfp_map64 unit_by_source = { 0 };
    bool ok = true;
    x->units = TFP_NEW(tfp_arena_of(r), tfp_trace_unit, count + 1);
    x->unit_of_process = TFP_NEW(tfp_arena_of(r), uint32_t, count + 1);
    ok = ok && x->units && x->unit_of_process;
    for (uint32_t i = 0; ok && i < count; i++) {
        const tfp_process *process = &t->processes.at[i];
        uint64_t source = (uint64_t)process->part << 32 | process->source;
        uint32_t unit = tfp_map64_get(&unit_by_source, source);
        if (unit == TFP_NONE) {
            unit = (uint32_t)x->unit_count++;
            x->units[unit] = (tfp_trace_unit){ .rank = -1, .origin_ns = INT64_MAX, .end_ns = INT64_MIN };
            ok = tfp_map64_put(&unit_by_source, source, unit);
        }
        if (x->units[unit].rank < 0) x->units[unit].rank = process->rank;
        x->units[unit].named = x->units[unit].rank >= 0;
        x->unit_of_process[i] = unit;
        x->one_file = (x->one_file || !i) && process->source == t->processes.at[0].source;
    }
    for (size_t i = 0; ok && i < x->unit_count; i++)
        if (x->units[i].rank < 0) x->units[i].rank = (int64_t)i;
    tfp_map64_free(&unit_by_source);
    return ok;
}

static uint32_t unit_of_lane(const tfp_trace_index *x, const tfp_lane *l)
{
    return l->process == TFP_NONE ? TFP_NONE : x->unit_of_process[l->process];
}

uint32_t tfp_trace_unit_of(const tfp_trace_index *x, uint32_t span)
{
    return unit_of_lane(x, &x->lanes->at[x->s->lane[span]]);
}

static void stretch(tfp_trace_unit *u, int64_t start_ns, int64_t end_ns)
{
    if (start_ns < u->origin_ns) u->origin_ns = start_ns;
    if (end_ns > u->end_ns) u->end_ns = end_ns;
}

/* Finds the range from a unit's first span to the end of its last; spans that occupy no thread and no device are
 * ignored. */
static void find_extent(tfp_trace_index *x)
{
    for (uint32_t i = 0; i < x->s->size; i++) {
        uint32_t unit = tfp_trace_unit_of(x, i), kind = x->s->kind[i];
        if (unit == TFP_NONE || kind == TFP_SPAN_OTHER || kind == TFP_SPAN_NONE) continue;
        tfp_trace_unit *u = &x->units[unit];
        stretch(u, x->s->start_ns[i], tfp_span_end(x->s, i));
        u->has_devices |= kind == TFP_SPAN_ACTIVITY;
    }
    for (uint32_t lane = 0; lane < x->lanes->size; lane++) {
        uint32_t unit = unit_of_lane(x, &x->lanes->at[lane]);
        tfp_extent all = tfp_scan_extent(x->p, lane, 0), device = tfp_scan_extent(x->p, lane, TFP_SPANS(ACTIVITY));
        if (unit == TFP_NONE || all.end_ns < all.start_ns) continue;
        stretch(&x->units[unit], all.start_ns, all.end_ns);
        x->units[unit].has_devices |= device.end_ns >= device.start_ns;
    }
    const tfp_event_tables *t = tfp_events_of(x->p);
    for (size_t i = 0; i < t->step_marks.size && tfp_only_sums(x->p);
         i++) { /* marks of kinds that are left out above */
        uint32_t span = t->step_marks.at[i].span, unit = tfp_trace_unit_of(x, span);
        if (t->step_marks.at[i].source != TFP_STEPS_MODULES && unit != TFP_NONE)
            stretch(&x->units[unit], x->s->start_ns[span], tfp_span_end(x->s, span));
    }
}

/* ---- devices ---- */

static bool is_of_tasks(const tfp_trace_index *x, const tfp_lane *l)
{
    return l->process != TFP_NONE && tfp_events_of(x->p)->processes.at[l->process].tasks;
}

/* The task, such as "worker:0" in "worker:0/gpu:0", as a number. */
static uint64_t task_of(const tfp_trace_index *x, const tfp_lane *l)
{
    tfp_str device = tfp_text(x->p, l->device);
    const char *slash = device.size ? memrchr(device.data, '/', device.size) : NULL;
    return tfp_hash(device.data, slash ? (size_t)(slash - device.data) : 0);
}

/* Host ops serve as a device's activities in a unit without another device; in a TensorFlow job, in a task without
 * one. */
static bool find_hosts(tfp_report *r, tfp_trace_index *x)
{
    size_t count = x->lanes->size;
    tfp_map64 active = { 0 };
    bool ok = (x->lane_on_host = TFP_NEW(tfp_arena_of(r), bool, count + 1)) != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        const tfp_lane *l = &x->lanes->at[i];
        if (is_of_tasks(x, l) && l->role == TFP_ROLE_STREAM) ok = tfp_map64_put(&active, task_of(x, l), 1);
    }
    for (size_t i = 0; ok && i < count; i++) {
        const tfp_lane *l = &x->lanes->at[i];
        uint32_t unit = unit_of_lane(x, l);
        if (unit == TFP_NONE) continue;
        x->lane_on_host[i] =
            is_of_tasks(x, l) ? tfp_map64_get(&active, task_of(x, l)) == TFP_NONE : !x->units[unit].has_devices;
    }
    tfp_map64_free(&active);
    return ok;
}

static bool counts(const tfp_trace_index *x, uint32_t span)
{
    uint32_t kind = x->s->kind[span];
    if (tfp_trace_unit_of(x, span) == TFP_NONE || !tfp_cut_takes(x->p, span)) return false;
    if (!x->lane_on_host[x->s->lane[span]]) return kind == TFP_SPAN_ACTIVITY;
    if (kind == TFP_SPAN_ANNOTATION)
        return x->s->class[span] == TFP_CLASS_COMMUNICATION; /* such as "gloo:all_reduce" */
    return kind == TFP_SPAN_OP || kind == TFP_SPAN_CALL;
}

/* Finds or adds the device of a lane with spans that count; TFP_NONE: out of memory. */
static uint32_t find_device(tfp_trace_index *x, tfp_map64 *by_name, uint32_t lane)
{
    const tfp_lane *l = &x->lanes->at[lane];
    uint32_t unit = unit_of_lane(x, l);
    bool host = x->lane_on_host[lane];
    tfp_str name = host && !is_of_tasks(x, l) ? TFP_STR("cpu") : tfp_text(x->p, l->device);
    for (uint64_t key = tfp_hash(name.data, name.size) + unit;; key++) {
        uint32_t at = tfp_map64_get(by_name, key);
        if (at == TFP_NONE) {
            at = (uint32_t)x->device_count;
            if (!tfp_map64_put(by_name, key, at)) return TFP_NONE;
            x->devices[x->device_count++] = (tfp_trace_device){
                .unit = unit, .name = name, .host = host, .start_ns = INT64_MAX, .end_ns = INT64_MIN
            };
            return at;
        }
        if (x->devices[at].unit == unit && tfp_str_eq(x->devices[at].name, name)) return at;
    }
}

static void use(tfp_trace_device *d, const tfp_lane *lane, int64_t start_ns, int64_t end_ns)
{
    d->has_async |= lane->role == TFP_ROLE_ASYNC;
    if (start_ns < d->start_ns) d->start_ns = start_ns;
    if (end_ns > d->end_ns) d->end_ns = end_ns;
}

static void add_to_device(tfp_trace_index *x, tfp_trace_device *d, uint32_t span)
{
    use(d, &x->lanes->at[x->s->lane[span]], tfp_cut_start(x->cut, x->p, span), tfp_cut_end(x->cut, x->p, span));
    d->count++;
    x->item_count++;
}

/* Lists devices in the order of their lanes: that of spans is not always the order of the file. */
static bool find_by_lane(tfp_trace_index *x, tfp_map64 *by_name)
{
    size_t lanes = x->lanes->size;
    bool *used = calloc(lanes + 1, 1), ok = used != NULL;
    for (uint32_t i = 0; ok && i < x->s->size; i++) used[x->s->lane[i]] |= counts(x, i);
    for (uint32_t lane = 0; ok && lane < lanes; lane++)
        ok = !used[lane] || (x->device_of_lane[lane] = find_device(x, by_name, lane)) != TFP_NONE;
    free(used);
    return ok;
}

static bool start_devices(tfp_report *r, tfp_trace_index *x)
{
    size_t lanes = x->lanes->size;
    tfp_map64 by_name = { 0 };
    x->device_of_lane = TFP_NEW(tfp_arena_of(r), uint32_t, lanes + 1);
    x->devices = TFP_NEW(tfp_arena_of(r), tfp_trace_device, lanes + 1);
    bool ok = x->device_of_lane && x->devices;
    for (size_t i = 0; ok && i < lanes; i++) x->device_of_lane[i] = TFP_NONE;
    ok = ok && find_by_lane(x, &by_name);
    for (uint32_t i = 0; ok && i < x->s->size; i++) {
        if (!counts(x, i)) continue;
        uint32_t *device = &x->device_of_lane[x->s->lane[i]];
        if (*device == TFP_NONE) *device = find_device(x, &by_name, x->s->lane[i]);
        ok = *device != TFP_NONE;
        if (ok) add_to_device(x, &x->devices[*device], i);
    }
    for (uint32_t lane = 0; ok && lane < lanes; lane++) {
        tfp_extent e = tfp_scan_extent(x->p, lane, tfp_device_kinds(x->lane_on_host[lane]));
        if (e.end_ns < e.start_ns) continue;
        uint32_t at = x->device_of_lane[lane] = find_device(x, &by_name, lane);
        ok = at != TFP_NONE;
        if (ok) use(&x->devices[at], &x->lanes->at[lane], e.start_ns, e.end_ns);
    }
    tfp_map64_free(&by_name);
    return ok;
}

/* Groups spans by device, then sorts each group. */
static bool sort_items(tfp_report *r, tfp_trace_index *x)
{
    size_t *at = TFP_NEW(tfp_arena_of(r), size_t, x->device_count + 1), first = 0;
    x->items = TFP_NEW(tfp_arena_of(r), uint32_t, x->item_count + 1);
    if (!at || !x->items) return false;
    for (size_t i = 0; i < x->device_count; i++) {
        at[i] = x->devices[i].first = first;
        first += x->devices[i].count;
    }
    for (uint32_t i = 0; i < x->s->size; i++)
        if (counts(x, i)) x->items[at[x->device_of_lane[x->s->lane[i]]]++] = i;
    tfp_sort_key by_start[] = { TFP_UP_IN(x->s->start_ns), { 0 } };
    for (size_t i = 0; i < x->device_count; i++)
        if (!tfp_order_items(x->items + x->devices[i].first, x->devices[i].count, by_start, NULL, 0)) return false;
    return true;
}

tfp_status tfp_trace_index_new(tfp_report *r, tfp_trace_index *x, tfp_error *err)
{
    *x = (tfp_trace_index){ .p = tfp_profile_of(r),
                            .cut = tfp_cut_of(r),
                            .s = &tfp_events_of(tfp_profile_of(r))->spans,
                            .lanes = tfp_lanes_of(tfp_profile_of(r)) };
    if (!start_units(r, x)) return tfp_nomem(err);
    find_extent(x);
    return find_hosts(r, x) && start_devices(r, x) && sort_items(r, x) ? TFP_OK : tfp_nomem(err);
}

/* ---- spans ---- */

bool tfp_order_nested(uint32_t *spans, size_t count, const tfp_span_columns *s)
{
    tfp_sort_key outer_first[] = { TFP_UP_IN(s->lane), TFP_UP_IN(s->start_ns), TFP_DOWN_IN(s->duration_ns), { 0 } };
    return tfp_order_items(spans, count, outer_first, NULL, 0);
}

tfp_strid tfp_stat_key(const tfp_profile *p, const char *name)
{
    return tfp_strtab_find(tfp_strings_of(p), tfp_str_of(name));
}

const tfp_stat *tfp_span_stat(const tfp_profile *p, uint32_t span, tfp_strid key)
{
    return span == TFP_NONE ? NULL : tfp_stat_in(p, tfp_events_of(p)->spans.stats[span], key);
}

const tfp_stat *tfp_stat_in(const tfp_profile *p, uint32_t stats, tfp_strid key)
{
    if (stats == TFP_NONE || key == TFP_NONE) return NULL;
    const tfp_event_tables *t = tfp_events_of(p);
    const tfp_stat_set *set = &t->stat_sets.at[stats];
    for (uint32_t i = 0; i < set->count; i++)
        if (t->stats.at[set->first + i].key == key) return &t->stats.at[set->first + i];
    return NULL;
}

tfp_str tfp_span_name(const tfp_profile *p, uint32_t span) { return tfp_text(p, tfp_events_of(p)->spans.name[span]); }

bool tfp_span_in_step(const tfp_report *r, uint32_t span)
{
    return tfp_cut_takes(tfp_profile_of(r), span) &&
           tfp_step_takes(tfp_step_of(r), tfp_events_of(tfp_profile_of(r))->spans.step[span]);
}

bool tfp_span_in_window(const tfp_report *r, uint32_t span)
{
    return tfp_events_of(tfp_profile_of(r))->spans.step[span] != TFP_NONE && tfp_span_in_step(r, span);
}

/* Whether a span is part of the paths of the spans in it. */
static bool in_paths(const tfp_span_columns *s, uint32_t span)
{
    uint32_t kind = s->kind[span];
    return kind == TFP_SPAN_OP || kind == TFP_SPAN_ANNOTATION || kind == TFP_SPAN_MODULE;
}

#define MAX_PARTS 1000

void tfp_span_path(const tfp_profile *p, uint32_t span, tfp_buf *out)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    uint32_t parts[MAX_PARTS], count = 0, base = TFP_NONE;
    for (uint32_t at = span; at != TFP_NONE && count < MAX_PARTS; at = s->parent[at]) {
        if (at != span && !in_paths(s, at)) continue; /* API calls and frames are only in their own paths */
        if (s->node[at] != TFP_NONE || s->path[at]) {
            base = at;
            break;
        }
        parts[count++] = at;
    }
    if (base != TFP_NONE)
        tfp_buf_str(out, tfp_text(p, s->node[base] != TFP_NONE ? tfp_graph_of(p)->nodes.at[s->node[base]].name
                                                               : s->path[base]));
    while (count-- > 0) {
        if (out->size) tfp_buf_char(out, '/');
        tfp_str name = tfp_span_name(p, parts[count]), module = TFP_STR("nn.Module: ");
        if (s->kind[parts[count]] == TFP_SPAN_MODULE && name.size > module.size &&
            memcmp(name.data, module.data, module.size) == 0)
            name = (tfp_str){ name.data + module.size, name.size - module.size };
        tfp_buf_str(out, name);
    }
}

tfp_time_scan tfp_device_scan(const tfp_trace_index *x, uint32_t device)
{
    const tfp_trace_device *d = &x->devices[device];
    return tfp_time_scan_of(
        x->p, &(tfp_time_ask){ device, x->device_of_lane, x->lane_on_host, x->items + d->first, d->count });
}

bool tfp_trace_is_runs(const tfp_trace_index *x)
{
    return tfp_events_of(x->p)->processes.size && tfp_events_of(x->p)->processes.at[0].tasks;
}
