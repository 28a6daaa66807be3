// SPDX-License-Identifier: Apache-2.0
/* model/order.c: sorting by 64-bit keys, and the order in which the spans of a lane nest. */
#include "model/order.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"

#include <stdlib.h>
#include <string.h>

#define RADIX_BITS 11
#define RADIX (1u << RADIX_BITS)

static bool less_by_key(const void *ctx, uint32_t a, uint32_t b)
{
    const uint64_t *keys = ctx;
    return keys[a] < keys[b];
}

/* Radix sort from the lowest digit; digits in which all keys agree are skipped. */
static bool sort_digits(uint32_t *items, size_t count, const uint64_t *keys)
{
    uint64_t any = 0, all = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        any |= keys[items[i]];
        all &= keys[items[i]];
    }
    uint32_t *other = malloc(count * sizeof *other), *from = items, *to = other;
    if (!other) return false;
    for (unsigned shift = 0; shift < 64; shift += RADIX_BITS) {
        size_t start[RADIX + 1] = { 0 };
        if (!((any ^ all) >> shift & (RADIX - 1))) continue;
        for (size_t i = 0; i < count; i++) start[(keys[from[i]] >> shift & (RADIX - 1)) + 1]++;
        for (size_t d = 1; d <= RADIX; d++) start[d] += start[d - 1];
        for (size_t i = 0; i < count; i++) to[start[keys[from[i]] >> shift & (RADIX - 1)]++] = from[i];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, count * sizeof *items);
    free(other);
    return true;
}

/* How many items come after one with a greater key. */
static size_t count_late(const uint32_t *items, size_t count, const uint64_t *keys)
{
    uint64_t greatest = 0;
    size_t late = 0;
    for (size_t i = 0; i < count; i++) {
        late += keys[items[i]] < greatest;
        if (keys[items[i]] > greatest) greatest = keys[items[i]];
    }
    return late;
}

/* Sorts the late items and merges them with the others. Equal keys keep their order: with the same key an item that is
 * not late precedes all late ones. */
static bool merge_late(uint32_t *items, size_t count, const uint64_t *keys, size_t late_count)
{
    uint32_t *late = malloc(late_count * sizeof *late);
    uint64_t greatest = 0;
    size_t kept = 0, n = 0;
    if (!late) return false;
    for (size_t i = 0; i < count; i++) {
        if (keys[items[i]] < greatest) {
            late[n++] = items[i];
        } else {
            greatest = keys[items[i]];
            items[kept++] = items[i];
        }
    }
    bool ok = tfp_sort(late, n, less_by_key, keys);
    for (size_t to = count; n;) {
        bool from_late = !kept || keys[items[kept - 1]] <= keys[late[n - 1]];
        items[--to] = from_late ? late[--n] : items[--kept];
    }
    free(late);
    return ok;
}

/* Merges two neighbouring runs that are in order. */
static void merge_runs(const uint32_t *from, size_t middle, size_t end, const uint64_t *keys, uint32_t *to)
{
    size_t a = 0, b = middle;
    if (middle && b < end && keys[from[b]] >= keys[from[middle - 1]]) a = middle;
    memcpy(to, from, a * sizeof *to);
    to += a;
    while (a < middle && b < end) *to++ = keys[from[b]] < keys[from[a]] ? from[b++] : from[a++];
    memcpy(to, from + a, (middle - a) * sizeof *to);
    memcpy(to + (middle - a), from + b, (end - b) * sizeof *to);
}

#define RUNS_MOST 1024 /* runs in order: several for each recording that was written into the file */

/* Sorts items that are not too many runs, each in order. Runs of which one begins after the end of the other become one without
 * a merge. False: they are more runs; `failed`: or memory ran out. */
static bool sort_runs(uint32_t *items, size_t count, const uint64_t *keys, bool *failed)
{
    size_t first[RUNS_MOST + 1] = { 0 }, runs = 1;
    for (size_t i = 1; i < count; i++) {
        if (keys[items[i]] >= keys[items[i - 1]]) continue;
        if (runs == RUNS_MOST) return false;
        first[runs++] = i;
    }
    uint32_t *other = malloc(count * sizeof *other), *from = items, *to = other;
    if ((*failed = !other)) return false;
    first[runs] = count;
    for (size_t left; runs > 1; runs = left) {
        left = 0;
        for (size_t i = 0; i < runs; i += 2) {
            size_t begin = first[i], middle = first[i + 1], end = i + 1 < runs ? first[i + 2] : middle;
            merge_runs(from + begin, middle - begin, end - begin, keys, to + begin);
            if (!begin || keys[to[begin]] < keys[to[begin - 1]]) first[left++] = begin;
        }
        first[left] = count;
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, count * sizeof *items);
    free(other);
    return true;
}

/* at most one item of this many is late: writers put spans that end late, such as steps, after their contents */
#define FEW_LATE 16

bool tfp_sort_keys(uint32_t *items, size_t count, const uint64_t *keys)
{
    size_t late = count_late(items, count, keys);
    if (!late) return true;
    if (late <= count / FEW_LATE) return merge_late(items, count, keys, late);
    bool failed = false;
    if (sort_runs(items, count, keys, &failed) || failed) return !failed;
    return count < RADIX / 2 ? tfp_sort(items, count, less_by_key, keys) : sort_digits(items, count, keys);
}

static bool longer(const void *ctx, uint32_t a, uint32_t b)
{
    const int64_t *duration = ctx;
    return duration[a] > duration[b];
}

/* Sorts the spans of a lane by start; those that start together are sorted longest first. */
static bool order_lane(const tfp_span_columns *s, uint32_t *items, size_t count, const uint64_t *keys)
{
    if (!tfp_sort_keys(items, count, keys)) return false;
    for (size_t i = 0, end; i < count; i = end) {
        bool sorted = true;
        for (end = i + 1; end < count && keys[items[end]] == keys[items[i]]; end++)
            sorted &= s->duration_ns[items[end - 1]] >= s->duration_ns[items[end]];
        if (!sorted && !tfp_sort(items + i, end - i, longer, s->duration_ns)) return false;
    }
    return true;
}

/* Unsigned numbers in the order of the starts; *made: NULL if they are the starts themselves, as none is negative. */
static const uint64_t *keys_of(const tfp_span_columns *s, uint64_t **made)
{
    int64_t all = 0;
    *made = NULL;
    for (size_t i = 0; i < s->size; i++) all |= s->start_ns[i];
    if (all >= 0 && s->size) return (const uint64_t *)s->start_ns;
    if (!(*made = malloc((s->size + 1) * sizeof **made))) return NULL;
    for (size_t i = 0; i < s->size; i++) (*made)[i] = (uint64_t)s->start_ns[i] ^ UINT64_C(1) << 63;
    return *made;
}

bool tfp_order_spans(const tfp_profile *p, uint32_t *order, uint32_t *lane_first)
{
    const tfp_span_columns *s = &p->events->spans;
    size_t lanes = p->lanes->size;
    uint64_t *made;
    const uint64_t *keys = keys_of(s, &made);
    bool ok = keys != NULL;
    memset(lane_first, 0, (lanes + 2) * sizeof *lane_first);
    for (size_t i = 0; ok && i < s->size; i++) lane_first[s->lane[i] + 2]++;
    for (size_t i = 2; i <= lanes; i++) lane_first[i] += lane_first[i - 1];
    for (uint32_t i = 0; ok && i < s->size; i++) order[lane_first[s->lane[i] + 1]++] = i;
    for (size_t lane = 0; ok && lane < lanes; lane++)
        ok = order_lane(s, order + lane_first[lane], lane_first[lane + 1] - lane_first[lane], keys);
    free(made);
    return ok;
}

bool tfp_span_order_of(const tfp_profile *p, tfp_span_order *out)
{
    const tfp_event_tables *t = p->events;
    *out = (tfp_span_order){ t->order.items.at, t->order.lane_first.at, NULL };
    if (t->spans.size && t->order.items.size == t->spans.size && t->order.lane_first.size == p->lanes->size + 2)
        return true;
    out->made = malloc((t->spans.size + p->lanes->size + 3) * sizeof *out->made);
    if (!out->made) return false;
    uint32_t *lane_first = out->made + t->spans.size + 1;
    out->items = out->made;
    out->lane_first = lane_first;
    return tfp_order_spans(p, out->made, lane_first);
}

void tfp_span_order_free(tfp_span_order *o)
{
    free(o->made);
    *o = (tfp_span_order){ 0 };
}
