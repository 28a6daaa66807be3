// SPDX-License-Identifier: Apache-2.0
/* views/spans/intervals.c: unions of spans (query/intervals.h): how long at least one of several spans ran. */
#include "model/tables/spans.h"
#include "model/tables/types.h"
#include "views/spans/trace.h"

bool tfp_union_of(tfp_arena *a, const tfp_trace_index *x, const tfp_trace_device *d, unsigned classes, tfp_union *u)
{
    const tfp_span_columns *s = x->s;
    const uint32_t *items = x->items + d->first;
    size_t count = 0;
    for (size_t i = 0; i < d->count; i++) count += (classes & TFP_CLASS_BIT(s->class[items[i]])) != 0;
    if (!tfp_union_new(a, count, u)) return false;
    for (size_t i = 0; i < d->count; i++)
        if (classes & TFP_CLASS_BIT(s->class[items[i]]))
            tfp_union_add(u, s->start_ns[items[i]], tfp_span_end(s, items[i]));
    return true;
}

int64_t tfp_union_of_others(const tfp_trace_index *x, const tfp_trace_device *d, const tfp_union *within,
                            bool (*skip)(const void *ctx, uint32_t span), const void *ctx)
{
    const tfp_span_columns *s = x->s;
    int64_t sum = 0, start = 0, end = 0;
    bool open = false;
    for (size_t i = 0; i < d->count; i++) {
        uint32_t span = x->items[d->first + i];
        if (skip(ctx, span)) continue;
        if (open && s->start_ns[span] > end) {
            sum = tfp_add(sum, tfp_union_within(within, start, end), NULL);
            open = false;
        }
        if (!open) start = end = s->start_ns[span];
        open = true;
        if (tfp_span_end(s, span) > end) end = tfp_span_end(s, span);
    }
    return open ? tfp_add(sum, tfp_union_within(within, start, end), NULL) : sum;
}
