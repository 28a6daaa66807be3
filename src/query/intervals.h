// SPDX-License-Identifier: Apache-2.0
/* query/intervals.h: unions of intervals: how long at least one of several things went on, in all or in a window.
 *
 *     tfp_union u;
 *     if (!tfp_union_new(arena, count, &u)) out of memory
 *     for (...) tfp_union_add(&u, start[i], end[i]); (by start)
 *     int64_t ns = tfp_union_within(&u, from, to);
 *
 * Knows no profile. */
#ifndef TFP_INTERVALS_H
#define TFP_INTERVALS_H

#include "base/base.h"

/* Disjoint pieces in order. */
typedef struct tfp_union {
    int64_t *start, *end, *before; /* before: length of all pieces before this one */
    size_t count;
} tfp_union;

bool tfp_union_new(tfp_arena *a, size_t most,
                   tfp_union *u); /* empty, with room for `most` pieces; false: out of memory */
void tfp_union_add(tfp_union *u, int64_t start, int64_t end); /* appends the next one by start; there must be room */
int64_t tfp_union_within(const tfp_union *u, int64_t start, int64_t end); /* length of the union between two times */
int64_t tfp_union_length(const tfp_union *u);
/* Length of the intersection; searches b for each piece of a. */
int64_t tfp_union_overlap(const tfp_union *a, const tfp_union *b);
/* The parts of `a` that are outside `b`. False: out of memory. */
bool tfp_union_less(tfp_arena *arena, const tfp_union *a, const tfp_union *b, tfp_union *out);

/* A fold: the length of the union of intervals that come by start, without its pieces. */
typedef struct tfp_covered {
    int64_t length, end; /* end: of the last piece, once length is not 0 */
} tfp_covered;

/* Adds the next interval by start. Returns where its part begins that the union did not have; `end`: it had all. */
static inline int64_t tfp_covered_add(tfp_covered *c, int64_t start, int64_t end)
{
    int64_t from = c->length && c->end > start ? c->end : start;
    if (from >= end) return end;
    c->length = tfp_add(c->length, end - from, NULL);
    c->end = end;
    return from;
}

#endif
