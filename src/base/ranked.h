// SPDX-License-Identifier: Apache-2.0
/* base/ranked.h: finds the k-th smallest number of any range of an array, in time proportional to the logarithm of the
 * count of different numbers. Ranges may overlap: one index answers for all of them. */
#ifndef TFP_RANKED_H
#define TFP_RANKED_H

#include "base/base.h"

/* A wavelet matrix: each number is represented by its rank among the distinct numbers. Level by level, from the highest
 * bit, the numbers are split into those with a 0 bit and those with a 1 bit, each group in its previous order. */
typedef struct tfp_ranked {
    size_t count;
    unsigned levels;
    uint64_t *bits[32];   /* for each level: one bit per number, in the order of that level */
    uint32_t *ones[32];   /* for each level: how many bits are 1 before each word */
    uint32_t zeros[32];   /* for each level: how many bits are 0 */
    const int64_t *value; /* the number for each rank */
    double *sum;          /* prefix sums, count + 1 of them: sum[i] is the sum of the numbers before i */
} tfp_ranked;

/* A range of the array. */
typedef struct tfp_ranked_part {
    const tfp_ranked *of;
    size_t first, end;
} tfp_ranked_part;

/* Builds it for fewer than 2^32 numbers; false: out of memory. All memory is in the arena. */
bool tfp_ranked_new(tfp_ranked *x, tfp_arena *arena, const int64_t *numbers, size_t count);
static inline size_t tfp_ranked_size(const tfp_ranked_part *r) { return r->end - r->first; }
int64_t tfp_ranked_at(const tfp_ranked_part *r, size_t k); /* the k-th smallest, from 0; k below the range's size */
double tfp_ranked_quantile(const tfp_ranked_part *r, double share); /* as tfp_quantile; the range must not be empty */
static inline double tfp_ranked_sum(const tfp_ranked_part *r) { return r->of->sum[r->end] - r->of->sum[r->first]; }

#endif
