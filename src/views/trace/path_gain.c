// SPDX-License-Identifier: Apache-2.0
/* views/trace/path_gain.c: how much a step could gain at most if one part of its critical path took no time: at most that part,
 * and at most what remains of the step beside all other work of the busiest device. The profiler's own work is no gain. */
#include "model/tables/spans.h"
#include "model/tables/types.h"
#include "views/core/handle.h"
#include "views/trace/path.h"

enum { TOLD = 10 }; /* rows of each unit */

static bool window_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_piece *w = ctx;
    return w[a].span != w[b].span ? w[a].span < w[b].span : w[a].start < w[b].start;
}

/* For each unit, the time that was walked. */
static tfp_union *walked(tfp_path *t)
{
    size_t count = t->windows.size;
    tfp_arena *a = tfp_arena_of(t->r);
    tfp_union *by_unit = TFP_NEW(a, tfp_union, t->x->unit_count + 1);
    uint32_t *order = TFP_NEW(a, uint32_t, count + 1);
    int64_t *room = TFP_NEW(a, int64_t, 3 * count + 3);
    if (!by_unit || !order || !room) return NULL;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    if (!tfp_sort(order, count, window_before, t->windows.at)) return NULL;
    for (size_t i = 0; i < count; i++) {
        const tfp_piece *w = &t->windows.at[order[i]];
        tfp_union *u = &by_unit[w->span];
        if (!u->start) *u = (tfp_union){ .start = room + i, .end = room + count + i, .before = room + 2 * count + i };
        tfp_union_add(u, w->start, w->end);
    }
    return by_unit;
}

static bool is_of(const tfp_path *t, const tfp_path_row *row, uint32_t span)
{
    return row->kind >= TFP_PATH_COMPUTE && t->x->s->name[span] == row->activity &&
           tfp_path_class(t, span) == row->kind;
}

/* How long a device would work within the steps if the row's activity took no time. */
static int64_t still_busy(const tfp_path *t, const tfp_path_row *row, const tfp_trace_device *d, const tfp_union *steps)
{
    const tfp_span_columns *s = t->x->s;
    int64_t sum = 0, start = 0, end = 0;
    bool open = false;
    for (size_t i = 0; i < d->count; i++) {
        uint32_t span = t->x->items[d->first + i];
        if (is_of(t, row, span)) continue;
        if (open && s->start_ns[span] > end) {
            sum = tfp_add(sum, tfp_union_within(steps, start, end), NULL);
            open = false;
        }
        if (!open) start = end = s->start_ns[span];
        open = true;
        if (tfp_span_end(s, span) > end) end = tfp_span_end(s, span);
    }
    return open ? tfp_add(sum, tfp_union_within(steps, start, end), NULL) : sum;
}

bool tfp_path_gains(tfp_path *t, tfp_path_row *rows, size_t count)
{
    const tfp_union *steps = walked(t);
    size_t in_unit = 0;
    for (size_t i = 0; steps && i < count; i++) {
        tfp_path_row *row = &rows[i];
        int64_t most = row->total_ns - row->lost_ns, busy = 0;
        if (i && row->unit != rows[i - 1].unit) in_unit = 0;
        if (in_unit++ >= TOLD || !t->step_count[row->unit]) continue;
        for (size_t k = 0; k < t->x->device_count; k++) {
            const tfp_trace_device *d = &t->x->devices[k];
            if (d->unit != row->unit || d->host) continue;
            int64_t own = still_busy(t, row, d, &steps[row->unit]);
            if (own > busy) busy = own;
        }
        int64_t left = t->path_ns[row->unit] - busy;
        if (left < most) most = left > 0 ? left : 0;
        row->gain_us = (double)most / 1000 / (double)t->step_count[row->unit];
    }
    return steps != NULL;
}
