// SPDX-License-Identifier: Apache-2.0
/* views/spans/busy.c: how long a device was busy up to given times: one pass over its activities and the times, both
 * sorted, so that the pieces of their union need not be stored. */
#include "views/spans/busy.h"

#include "model/launches.h"
#include "model/order.h"
#include "model/slim.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "views/spans/rows.h"

#include <stdlib.h>

typedef struct pass {
    const tfp_trace_index *x;
    tfp_busy now;
    int64_t end_ns[TFP_BUSY_SETS]; /* end of the last piece of each union; now.ns has their lengths up to there */
    tfp_busy *rows;
    uint32_t *order; /* rows sorted by time */
    size_t count, told;
} pass;

static const unsigned classes[TFP_BUSY_SETS] = {
    [TFP_BUSY_ALL] = TFP_CLASS_ALL,
    [TFP_BUSY_COMPUTE] = TFP_CLASS_BIT(TFP_CLASS_COMPUTE),
    [TFP_BUSY_COMMUNICATION] = TFP_CLASS_BIT(TFP_CLASS_COMMUNICATION),
    [TFP_BUSY_COPIES] = TFP_CLASS_COPIES,
    [TFP_BUSY_NO_COPIES] = TFP_CLASS_BIT(TFP_CLASS_COMPUTE) | TFP_CLASS_BIT(TFP_CLASS_COMMUNICATION),
};

/* Fills rows for times up to a start; pieces of the union may extend past them. */
static void tell(pass *s, int64_t up_to_ns)
{
    for (; s->told < s->count; s->told++) {
        tfp_busy *row = &s->rows[s->order[s->told]];
        int64_t at_ns = row->at_ns;
        if (at_ns > up_to_ns) return;
        *row = s->now;
        row->at_ns = at_ns;
        for (size_t i = 0; i < TFP_BUSY_SETS; i++)
            if (s->end_ns[i] > at_ns) row->ns[i] -= s->end_ns[i] - at_ns;
    }
}

static void add(pass *s, int64_t start_ns, int64_t end_ns, unsigned class)
{
    tell(s, start_ns);
    s->now.started++;
    for (size_t i = 0; i < TFP_BUSY_SETS && end_ns > start_ns; i++) {
        if (!(classes[i] & TFP_CLASS_BIT(class)) || end_ns <= s->end_ns[i]) continue;
        s->now.ns[i] = tfp_add(s->now.ns[i], end_ns - (start_ns > s->end_ns[i] ? start_ns : s->end_ns[i]), NULL);
        s->end_ns[i] = end_ns;
    }
}

static void add_delay(pass *s, int64_t start_ns, int64_t call_end_ns)
{
    s->now.launched++;
    if (start_ns > call_end_ns) s->now.delay_ns = tfp_add(s->now.delay_ns, start_ns - call_end_ns, NULL);
}

static void add_spans(pass *s, const tfp_trace_device *d)
{
    const tfp_span_columns *c = s->x->s;
    for (size_t i = 0; i < d->count; i++) {
        uint32_t span = s->x->items[d->first + i], launch = c->launch[span];
        add(s, c->start_ns[span], tfp_span_end(c, span), c->class[span]);
        if (launch != TFP_NONE) add_delay(s, c->start_ns[span], tfp_span_end(c, launch));
    }
}

static bool add_rows(pass *s, uint32_t device)
{
    const tfp_profile *p = s->x->p;
    tfp_rows rows = { 0 };
    const tfp_launches *l = s->x->devices[device].host ? NULL : tfp_events_of(p)->launches;
    bool ok = tfp_rows_start(&rows, s->x, device);
    for (tfp_row_found f; ok && tfp_rows_next(&rows, &f);) {
        uint32_t process = tfp_lanes_of(p)->at[f.lane->lane].process, number = tfp_slim_correlation(f.lane, f.row);
        const tfp_launch *call = tfp_launch_of(l, process, number);
        uint8_t class = tfp_events_of(p)->slim->slim_kinds.at[f.row->kind].class;
        add(s, f.start_ns, f.end_ns, call ? tfp_launch_class(l, call, class) : class);
        if (call) add_delay(s, f.start_ns, tfp_launch_end(p, l, call, (uint64_t)process << 32 | number));
    }
    tfp_rows_end(&rows);
    return ok;
}

bool tfp_busy_measure(const tfp_trace_index *x, uint32_t device, tfp_busy *rows, size_t count, tfp_busy *end)
{
    const tfp_trace_device *d = &x->devices[device];
    pass s = { .x = x, .rows = rows, .count = count };
    uint64_t *keys = malloc((count + 1) * sizeof *keys);
    s.order = malloc((count + 1) * sizeof *s.order);
    bool ok = keys && s.order;
    for (uint32_t i = 0; ok && i < count; i++) {
        keys[i] = (uint64_t)rows[i].at_ns ^ UINT64_C(1) << 63;
        s.order[i] = i;
    }
    for (size_t i = 0; i < TFP_BUSY_SETS; i++) s.end_ns[i] = INT64_MIN;
    ok = ok && tfp_sort_keys(s.order, count, keys);
    if (ok && tfp_rows_are_used(x->p))
        ok = add_rows(&s, device);
    else if (ok)
        add_spans(&s, d);
    if (ok) tell(&s, INT64_MAX);
    *end = s.now;
    end->at_ns = d->end_ns;
    free(keys);
    free(s.order);
    return ok;
}
