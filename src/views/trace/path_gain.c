// SPDX-License-Identifier: Apache-2.0
/* views/trace/path_gain.c: how much a step could gain at most if one part of its critical path took no time: at most that part,
 * and at most what remains of the step beside all other work of the busiest device. The profiler's own work is no gain. */
#include "model/tables/spans.h"
#include "model/tables/types.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/trace/path.h"

enum { TOLD = 10 }; /* rows of each unit */

/* For each unit, the time that was walked. */
static tfp_union *walked(tfp_path *t)
{
    static const tfp_sort_key by_start[] = { TFP_UP(tfp_piece, start), { 0 } };
    tfp_union *by_unit = TFP_NEW(tfp_arena_of(t->r), tfp_union, t->x->unit_count + 1);
    if (!by_unit || !tfp_order_rows(t->windows.at, sizeof *t->windows.at, t->windows.size, by_start)) return NULL;
    for (size_t u = 0; u < t->x->unit_count; u++)
        if (!tfp_union_new(tfp_arena_of(t->r), (size_t)t->step_count[u], &by_unit[u])) return NULL;
    for (const tfp_piece *w = t->windows.at; w < t->windows.at + t->windows.size; w++)
        tfp_union_add(&by_unit[w->span], w->start, w->end);
    return by_unit;
}

typedef struct kept_out { /* the activities of a row of the path */
    const tfp_path *t;
    const tfp_path_row *row;
} kept_out;

static bool is_of(const void *ctx, uint32_t span)
{
    const kept_out *k = ctx;
    return k->row->kind >= TFP_PATH_COMPUTE && k->t->x->s->name[span] == k->row->activity &&
           tfp_path_class(k->t, span) == k->row->kind;
}

bool tfp_path_gains(tfp_path *t, tfp_path_row *rows, size_t count)
{
    const tfp_union *steps = walked(t);
    size_t in_unit = 0;
    for (size_t i = 0; steps && i < count; i++) {
        tfp_path_row *row = &rows[i];
        int64_t most = row->ns.total - row->lost_ns, busy = 0;
        if (i && row->unit != rows[i - 1].unit) in_unit = 0;
        if (in_unit++ >= TOLD || !t->step_count[row->unit]) continue;
        for (size_t k = 0; k < t->x->device_count; k++) {
            const tfp_trace_device *d = &t->x->devices[k];
            if (d->unit != row->unit || d->host) continue;
            int64_t own = tfp_union_of_others(t->x, d, &steps[row->unit], is_of, &(kept_out){ t, row });
            if (own > busy) busy = own;
        }
        int64_t left = t->path_ns[row->unit] - busy;
        if (left < most) most = left > 0 ? left : 0;
        row->gain_us = (double)most / 1000 / (double)t->step_count[row->unit];
    }
    return steps != NULL;
}
