// SPDX-License-Identifier: Apache-2.0
/* base/sort.c: stable sorting of indexes. Strings are compared by their first eight bytes as one number, so that
 * most comparisons touch no string; strings with a long common prefix advance together. */
#include "base/base.h"

#include <math.h>
#include <stdlib.h>

bool tfp_sort(uint32_t *items, size_t count, bool (*less)(const void *ctx, uint32_t a, uint32_t b), const void *ctx)
{
    if (count < 2) return true;
    bool sorted = true;
    for (size_t i = 1; i < count && sorted; i++) sorted = !less(ctx, items[i], items[i - 1]);
    if (sorted) return true;
    for (size_t i = 0; i < count; i += 8) { /* insertion sort of each run of eight */
        size_t end = i + 8 < count ? i + 8 : count;
        for (size_t j = i + 1; j < end; j++) {
            uint32_t item = items[j];
            size_t k = j;
            for (; k > i && less(ctx, item, items[k - 1]); k--) items[k] = items[k - 1];
            items[k] = item;
        }
    }
    if (count <= 8) return true;
    uint32_t *scratch = malloc(count * sizeof *scratch), *from = items, *to = scratch;
    if (!scratch) return false;
    for (size_t width = 8; width < count; width *= 2) {
        for (size_t lo = 0; lo < count; lo += 2 * width) {
            size_t mid = lo + width < count ? lo + width : count, hi = mid + width < count ? mid + width : count;
            size_t a = lo, b = mid, k = lo;
            if (mid == hi || !less(ctx, from[mid], from[mid - 1])) { /* already in order, as is common */
                memcpy(to + lo, from + lo, (hi - lo) * sizeof *to);
                continue;
            }
            while (a < mid && b < hi) to[k++] = less(ctx, from[b], from[a]) ? from[b++] : from[a++];
            while (a < mid) to[k++] = from[a++];
            while (b < hi) to[k++] = from[b++];
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, count * sizeof *items);
    free(scratch);
    return true;
}

typedef struct keyed {
    uint64_t key;
    uint32_t item, place; /* place: the original index; makes the sort stable */
} keyed;

static uint64_t key_at(tfp_str s, size_t depth)
{
    uint64_t k = 0;
    if (s.size >= depth + 8) {
        memcpy(&k, s.data + depth, 8);
        return __builtin_bswap64(k);
    }
    for (size_t i = 0; i < 8; i++) k = k << 8 | (depth + i < s.size ? (unsigned char)s.data[depth + i] : 0);
    return k;
}

static bool keyed_less(const keyed *a, const keyed *b)
{
    return a->key != b->key ? a->key < b->key : a->place < b->place;
}

static void sift(keyed *v, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && keyed_less(&v[child], &v[child + 1])) child++;
        if (!keyed_less(&v[root], &v[child])) return;
        keyed t = v[root];
        v[root] = v[child];
        v[child] = t;
    }
}

static int keyed_compare(const void *a, const void *b) { return keyed_less(a, b) ? -1 : keyed_less(b, a); }

/* glibc's qsort allocates, which may fail; small groups are the common case. */
static void sort_keys(keyed *v, size_t count)
{
    if (count < 24) {
        for (size_t i = 1; i < count; i++) {
            keyed t = v[i];
            size_t k = i;
            for (; k > 0 && keyed_less(&t, &v[k - 1]); k--) v[k] = v[k - 1];
            v[k] = t;
        }
    } else if (count < 1024) {
        for (size_t i = count / 2; i-- > 0;) sift(v, i, count);
        for (size_t end = count; end-- > 1;) {
            keyed t = v[0];
            v[0] = v[end];
            v[end] = t;
            sift(v, 0, end);
        }
    } else {
        qsort(v, count, sizeof *v, keyed_compare);
    }
}

typedef struct group {
    size_t first, count, depth;
} group;

bool tfp_sort_strings(uint32_t *items, size_t count, const tfp_str *strings)
{
    if (count < 2) return true;
    bool ok = false;
    TFP_VEC(group) todo = { 0 };
    keyed *v = malloc(count * sizeof *v);
    if (!v || !tfp_push(&todo, ((group){ 0, count, 0 }))) goto out;
    for (size_t i = 0; i < count; i++) v[i] = (keyed){ 0, items[i], (uint32_t)i };
    while (todo.size) {
        group g = todo.at[--todo.size];
        keyed *w = v + g.first;
        for (size_t i = 0; i < g.count; i++) w[i].key = key_at(strings[w[i].item], g.depth);
        sort_keys(w, g.count);
        for (size_t i = 0, j; i < g.count; i = j) { /* groups with equal eight bytes are sorted by the next ones */
            for (j = i + 1; j < g.count && w[j].key == w[i].key; j++) {}
            if (j - i < 2) continue;
            /* strings that end within these eight bytes come first, shorter ones earlier: a zero byte may also be
             * data */
            for (size_t k = i; k < j; k++) {
                size_t left = strings[w[k].item].size - g.depth;
                w[k].key = left < 8 ? left : 8;
            }
            sort_keys(w + i, j - i);
            size_t longer = i;
            while (longer < j && w[longer].key < 8) longer++;
            if (j - longer > 1 && !tfp_push(&todo, ((group){ g.first + longer, j - longer, g.depth + 8 }))) goto out;
        }
    }
    for (size_t i = 0; i < count; i++) items[i] = v[i].item;
    ok = true;
out:
    free(v);
    tfp_vec_free(&todo);
    return ok;
}

int tfp_by_int(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int tfp_by_real(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double tfp_quantile(double (*at)(const void *values, size_t i), const void *values, size_t count, double share)
{
    double place = share * (double)(count - 1), part = place - floor(place);
    size_t i = (size_t)place;
    if (i + 1 >= count) return at(values, count - 1);
    double low = at(values, i), high = at(values, i + 1);
    return part < 0.5 ? low + (high - low) * part : high - (high - low) * (1 - part);
}
