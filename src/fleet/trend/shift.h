// SPDX-License-Identifier: Apache-2.0
/* fleet/trend/shift.h: finds the day from which a series of daily times stays at another level. */
#ifndef TFP_SHIFT_H
#define TFP_SHIFT_H

#include "base/base.h"

enum { TFP_SHIFT_SIDE = 2 /* least number of days on each side */ };

typedef struct tfp_shift {
    size_t from, at, end; /* days [from, at) are before the change, [at, end) after it; at == end: too few days */
    double change;        /* relative change of the means: 0.18 is 18 % more */
    double p;             /* probability of such a big change by chance */
} tfp_shift;

typedef struct tfp_shift_rules {
    double least; /* the smallest change that counts, such as 0.03 */
    double p;     /* a change with at most this p counts, and the days after it are examined again */
} tfp_shift_rules;

/* Finds the last change that lasts until the end. A bad day that recovers does not count: the sides are compared by
 * their medians, and the last days must be closer to the level after the change. False: out of memory. */
bool tfp_shift_find(const double *values, size_t count, const tfp_shift_rules *rules, tfp_shift *out);

/* False discovery rates: q[i] is the smallest rate at which Benjamini and Hochberg's rule accepts p[i]. False: out of
 * memory. */
bool tfp_shift_rates(const double *p, double *q, size_t count);

#endif
