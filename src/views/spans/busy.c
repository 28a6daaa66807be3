// SPDX-License-Identifier: Apache-2.0
/* views/spans/busy.c: how long a device was busy up to given times: one pass over its activities and the times, both
 * sorted, so that the pieces of their union need not be stored. */
#include "views/spans/busy.h"

#include "model/order.h"
#include "model/tables/events.h"
#include "model/trace/scan.h"

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

static bool add_all(pass *s, uint32_t device)
{
    tfp_time_scan scan = tfp_device_scan(s->x, device);
    while (tfp_time_scan_next(&scan)) {
        for (const tfp_time_row *row = scan.rows; row < scan.rows + scan.count; row++) {
            add(s, row->start_ns, row->end_ns, row->class);
            if (row->launched) add_delay(s, row->start_ns, row->call_end_ns);
        }
    }
    tfp_time_scan_end(&scan);
    return !scan.failed;
}

bool tfp_busy_measure(const tfp_trace_index *x, uint32_t device, tfp_busy *rows, size_t count, tfp_busy *end)
{
    pass s = { .x = x, .rows = rows, .count = count };
    uint64_t *keys = malloc((count + 1) * sizeof *keys);
    s.order = malloc((count + 1) * sizeof *s.order);
    bool ok = keys && s.order;
    for (uint32_t i = 0; ok && i < count; i++) {
        keys[i] = (uint64_t)rows[i].at_ns ^ UINT64_C(1) << 63;
        s.order[i] = i;
    }
    for (size_t i = 0; i < TFP_BUSY_SETS; i++) s.end_ns[i] = INT64_MIN;
    ok = ok && tfp_sort_keys(s.order, count, keys) && add_all(&s, device);
    if (ok) tell(&s, INT64_MAX);
    *end = s.now;
    end->at_ns = x->devices[device].end_ns;
    free(keys);
    free(s.order);
    return ok;
}
