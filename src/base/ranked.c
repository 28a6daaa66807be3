// SPDX-License-Identifier: Apache-2.0
/* base/ranked.c: finds the k-th smallest number of a range. */
#include "base/ranked.h"

static bool is_less(const void *ctx, uint32_t a, uint32_t b)
{
    const int64_t *numbers = ctx;
    return numbers[a] < numbers[b];
}

/* Writes the sorted distinct numbers to `value`, and to place[i] the rank of number i. Returns how many distinct ones
 * there are; SIZE_MAX: out of memory. */
static size_t find_places(tfp_arena *arena, const int64_t *numbers, size_t count, uint32_t *place, int64_t *value)
{
    uint32_t *order = TFP_NEW(arena, uint32_t, count + 1);
    size_t different = 0;
    if (!order) return SIZE_MAX;
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    if (!tfp_sort(order, count, is_less, numbers)) return SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        if (!i || numbers[order[i]] != value[different - 1]) value[different++] = numbers[order[i]];
        place[order[i]] = (uint32_t)different - 1;
    }
    return different;
}

static bool is_one(const tfp_ranked *x, unsigned level, size_t i) { return x->bits[level][i / 64] >> i % 64 & 1; }

static uint32_t ones_before(const tfp_ranked *x, unsigned level, size_t i)
{
    uint64_t below = x->bits[level][i / 64] & ((UINT64_C(1) << i % 64) - 1);
    return x->ones[level][i / 64] + (uint32_t)__builtin_popcountll(below);
}

static bool room_for_level(tfp_ranked *x, tfp_arena *arena, unsigned level)
{
    x->bits[level] = TFP_NEW(arena, uint64_t, x->count / 64 + 1);
    x->ones[level] = TFP_NEW(arena, uint32_t, x->count / 64 + 1);
    return x->bits[level] && x->ones[level];
}

/* Copies the ranks so that those with a 0 bit at this level come before those with a 1 bit. */
static void part(tfp_ranked *x, unsigned level, const uint32_t *from, uint32_t *to)
{
    unsigned bit = x->levels - 1 - level;
    uint32_t ones = 0, zeros = 0;
    for (size_t i = 0; i < x->count; i++) {
        if (i % 64 == 0) x->ones[level][i / 64] = ones;
        if (!(from[i] >> bit & 1)) continue;
        x->bits[level][i / 64] |= UINT64_C(1) << i % 64;
        ones++;
    }
    if (x->count % 64 == 0) x->ones[level][x->count / 64] = ones;
    x->zeros[level] = (uint32_t)x->count - ones;
    ones = x->zeros[level];
    for (size_t i = 0; i < x->count; i++) to[is_one(x, level, i) ? ones++ : zeros++] = from[i];
}

bool tfp_ranked_new(tfp_ranked *x, tfp_arena *arena, const int64_t *numbers, size_t count)
{
    *x = (tfp_ranked){ .count = count };
    if (count >= UINT32_MAX) return false;
    uint32_t *place = TFP_NEW(arena, uint32_t, count + 1), *parted = TFP_NEW(arena, uint32_t, count + 1);
    int64_t *value = TFP_NEW(arena, int64_t, count + 1);
    x->sum = TFP_NEW(arena, double, count + 1);
    if (!place || !parted || !value || !x->sum) return false;
    size_t different = find_places(arena, numbers, count, place, value);
    if (different == SIZE_MAX) return false;
    x->value = value;
    for (size_t i = 0; i < count; i++) x->sum[i + 1] = x->sum[i] + (double)numbers[i];
    while (different > (size_t)1 << x->levels) x->levels++;
    for (unsigned level = 0; level < x->levels; level++) {
        if (!room_for_level(x, arena, level)) return false;
        part(x, level, place, parted);
        uint32_t *next = place;
        place = parted;
        parted = next;
    }
    return true;
}

int64_t tfp_ranked_at(const tfp_ranked_part *r, size_t k)
{
    const tfp_ranked *x = r->of;
    size_t first = r->first, end = r->end, place = 0;
    for (unsigned level = 0; level < x->levels; level++) {
        uint32_t before = ones_before(x, level, first), ones = ones_before(x, level, end) - before;
        size_t zeros = end - first - ones;
        bool is_high = k >= zeros;
        place = place << 1 | is_high;
        first = is_high ? x->zeros[level] + before : first - before;
        end = first + (is_high ? ones : zeros);
        if (is_high) k -= zeros;
    }
    return x->value[place];
}

static double at(const void *range, size_t k) { return (double)tfp_ranked_at(range, k); }

double tfp_ranked_quantile(const tfp_ranked_part *r, double share)
{
    return tfp_quantile(at, r, tfp_ranked_size(r), share);
}
