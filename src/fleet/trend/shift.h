// SPDX-License-Identifier: Apache-2.0
/* fleet/trend/shift.h: the day from which a series of daily times stays at another level. */
#ifndef TFP_SHIFT_H
#define TFP_SHIFT_H

#include "base/base.h"

enum { TFP_SHIFT_SIDE = 2 /* days that each side has at least */ };

typedef struct tfp_shift {
    size_t from, at, end; /* days [from, at) are before the change, [at, end) after it; at == end: too few days */
    double change;        /* of the means: 0.18 is 18 % more */
    double p;             /* how probable so big a change is without any cause */
} tfp_shift;

typedef struct tfp_shift_rules {
    double least; /* the smallest change that counts, such as 0.03 */
    double p;     /* a change no more probable than this is one, and the days after it are looked at again */
} tfp_shift_rules;

/* The last change that lasts until the end. A bad day that goes back is none: sides are told apart by their medians, and
 * the last days must be on the side of those after. False without memory. */
bool tfp_shift_find(const double *values, size_t count, const tfp_shift_rules *rules, tfp_shift *out);

/* Shares of false finds: q[i] is the smallest share at which Benjamini and Hochberg's rule lets p[i] count. False without
 * memory. */
bool tfp_shift_rates(const double *p, double *q, size_t count);

#endif
