// SPDX-License-Identifier: Apache-2.0
/* query/intervals.c: a union is a sorted list of disjoint pieces, each with the length before it, so that any window
 * needs only two binary searches. */
#include "query/intervals.h"
#include "query/order.h"

bool tfp_union_new(tfp_arena *a, size_t most, tfp_union *u)
{
    *u = (tfp_union){ TFP_NEW(a, int64_t, most + 1), TFP_NEW(a, int64_t, most + 1), TFP_NEW(a, int64_t, most + 1), 0 };
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

/* The length of the union before a time. */
static int64_t length_before(const tfp_union *u, int64_t at)
{
    size_t i;
    TFP_LOWER_BOUND(i, 0, u->count, u->start[i] < at);
    if (i == 0) return 0;
    int64_t end = u->end[i - 1] < at ? u->end[i - 1] : at;
    return u->before[i - 1] + (end - u->start[i - 1]);
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
    if (!tfp_union_new(arena, a->count + b->count, out)) return false;
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
