// SPDX-License-Identifier: Apache-2.0
/* views/spans/intervals.c: unions of intervals: how long at least one of several spans ran. A union is a sorted list of
 * disjoint pieces, each with the length before it, so that any window needs only two binary searches. */
#include "model/tables/spans.h"
#include "model/tables/types.h"
#include "views/spans/trace.h"

static bool reserve(tfp_arena *a, size_t count, tfp_union *u)
{
    *u = (tfp_union){ 0 };
    u->start = TFP_NEW(a, int64_t, count + 1);
    u->end = TFP_NEW(a, int64_t, count + 1);
    u->before = TFP_NEW(a, int64_t, count + 1);
    return u->start && u->end && u->before;
}

void tfp_union_add(tfp_union *u, int64_t start, int64_t end)
{
    size_t n = u->count;
    if (end <= start) return;
    if (n && start <= u->end[n - 1]) {
        if (end > u->end[n - 1]) u->end[n - 1] = end;
        return;
    }
    u->before[n] = n ? tfp_add(u->before[n - 1], u->end[n - 1] - u->start[n - 1], NULL) : 0;
    u->start[n] = start;
    u->end[n] = end;
    u->count++;
}

static void add_span(tfp_union *u, const tfp_span_columns *s, uint32_t span)
{
    tfp_union_add(u, s->start_ns[span], tfp_span_end(s, span));
}

bool tfp_union_of(tfp_arena *a, const tfp_trace_index *x, const tfp_trace_device *d, unsigned classes, tfp_union *u)
{
    size_t count = 0;
    for (size_t i = 0; i < d->count; i++) count += (classes & TFP_CLASS_BIT(x->s->class[x->items[d->first + i]])) != 0;
    if (!reserve(a, count, u)) return false;
    for (size_t i = 0; i < d->count; i++) {
        uint32_t span = x->items[d->first + i];
        if (classes & TFP_CLASS_BIT(x->s->class[span])) add_span(u, x->s, span);
    }
    return true;
}

bool tfp_union_of_list(tfp_arena *a, const tfp_trace_index *x, const uint32_t *spans, size_t count, tfp_union *u)
{
    if (!reserve(a, count, u)) return false;
    for (size_t i = 0; i < count; i++) add_span(u, x->s, spans[i]);
    return true;
}

/* The length of the union before a time. */
static int64_t length_before(const tfp_union *u, int64_t at)
{
    size_t low = 0, high = u->count; /* finds the first piece that starts at or after it */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (u->start[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return 0;
    int64_t end = u->end[low - 1] < at ? u->end[low - 1] : at;
    return u->before[low - 1] + (end - u->start[low - 1]);
}

int64_t tfp_union_within(const tfp_union *u, int64_t start, int64_t end)
{
    return end > start ? length_before(u, end) - length_before(u, start) : 0;
}

int64_t tfp_union_length(const tfp_union *u)
{
    size_t n = u->count;
    return n ? u->before[n - 1] + (u->end[n - 1] - u->start[n - 1]) : 0;
}

int64_t tfp_union_overlap(const tfp_union *a, const tfp_union *b)
{
    int64_t sum = 0;
    for (size_t i = 0; i < a->count; i++) sum += tfp_union_within(b, a->start[i], a->end[i]);
    return sum;
}

bool tfp_union_less(tfp_arena *arena, const tfp_union *a, const tfp_union *b, tfp_union *out)
{
    if (!reserve(arena, a->count + b->count, out)) return false;
    for (size_t i = 0, k = 0; i < a->count; i++) {
        int64_t at = a->start[i];
        while (k < b->count && b->end[k] <= at) k++;
        size_t next = k; /* the last piece of b may extend into the next one of a */
        for (; next < b->count && b->start[next] < a->end[i]; next++) {
            tfp_union_add(out, at, b->start[next]);
            if (b->end[next] > at) at = b->end[next];
        }
        k = next > k ? next - 1 : k;
        tfp_union_add(out, at, a->end[i]);
    }
    return true;
}
