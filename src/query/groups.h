// SPDX-License-Identifier: Apache-2.0
/* query/groups.h: groups: rows that are found or added by key, and folds: sums over the items of a row.
 *
 *     typedef struct wait_row { uint32_t unit; tfp_str cause; tfp_fold time; } wait_row;
 *     tfp_groups waits = { .row_size = sizeof(wait_row) };
 *     wait_row *row = TFP_GROUP(&waits, unit, cause);            (NULL: out of memory)
 *     if (waits.added) *row = (wait_row){ .unit = unit, .cause = cause_text(cause) };
 *     tfp_fold_add(&row->time, ns);
 *     wait_row *sorted = tfp_groups_end(&waits, arena, longest_first, &count);   (NULL: out of memory now or before)
 *
 * A key is a list of numbers; a text in it has the number that tfp_group_text gives. A new row is cleared. Rows have
 * the order in which their keys came first, and move when one is added. Knows no profile. */
#ifndef TFP_QUERY_GROUPS_H
#define TFP_QUERY_GROUPS_H

#include "base/base.h"
#include "query/order.h"

typedef struct tfp_groups {
    size_t row_size; /* set by the caller; the rest begins as zeros */
    size_t count;
    bool added;  /* whether the last call added its row */
    bool failed; /* out of memory */
    void *rows;
    uint64_t *keys;  /* the numbers for each row */
    uint64_t *slots; /* open addressing: high half the key's hash, low half the row's index + 1; 0 is free */
    tfp_strtab texts;
    size_t slot_count, capacity, key_capacity;
} tfp_groups;

/* The row of a key of `size` numbers, the same for all keys, added if it is new. NULL: out of memory. */
void *tfp_group(tfp_groups *g, const uint64_t *key, size_t size);
/* The number of a text in keys of these groups; the text must outlive them. */
uint64_t tfp_group_text(tfp_groups *g, tfp_str text);
#define TFP_GROUP(groups, ...)                                                                                         \
    tfp_group((groups), (const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))
static inline uint32_t tfp_group_index(const tfp_groups *g, const void *row)
{
    return (uint32_t)((size_t)((const char *)row - (const char *)g->rows) / g->row_size);
}
/* A copy of the rows in the arena, sorted (order NULL: in the order of their first appearance), and their number; frees
 * the groups. NULL: out of memory, in this call or an earlier one. */
void *tfp_groups_end(tfp_groups *g, tfp_arena *arena, const tfp_sort_key *order, size_t *count);
void tfp_groups_free(tfp_groups *g); /* a zeroed one is fine */

/* Number, saturating sum and extremes of values. */
typedef struct tfp_fold {
    int64_t count, total, min, max;
} tfp_fold;

/* Adds the values of `more`. Returns whether one of them is longer than all before. */
static inline bool tfp_fold_join(tfp_fold *f, const tfp_fold *more)
{
    bool longest = more->count && (!f->count || more->max > f->max);
    if (more->count && (!f->count || more->min < f->min)) f->min = more->min;
    if (longest) f->max = more->max;
    f->count = tfp_add(f->count, more->count, NULL);
    f->total = tfp_add(f->total, more->total, NULL);
    return longest;
}
static inline tfp_fold tfp_fold_of(int64_t value) { return (tfp_fold){ 1, value, value, value }; }
static inline bool tfp_fold_add(tfp_fold *f, int64_t value)
{
    return tfp_fold_join(f, &(tfp_fold){ 1, value, value, value });
}

#endif
