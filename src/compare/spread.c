// SPDX-License-Identifier: Apache-2.0
/* compare/spread.c: mean, deviation and quantiles of one row's values over the steps. */
#include "compare/stats.h"

#include <math.h>
#include <stdlib.h>

/* Insertion sort: there are mostly few steps, and they are nearly sorted. */
static void sort(int64_t *v, size_t n)
{
    if (n > 64) {
        qsort(v, n, sizeof *v, tfp_by_int);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        int64_t x = v[i];
        size_t at = i;
        for (; at && v[at - 1] > x; at--) v[at] = v[at - 1];
        v[at] = x;
    }
}

/* Sorted values of either kind; a long double holds both exactly. */
typedef struct sorted {
    const int64_t *ints; /* used if ints is NULL */
    const double *reals;
    size_t count;
} sorted;

static long double at(const sorted *v, size_t i)
{
    return v->ints ? (long double)v->ints[i] : (long double)v->reals[i];
}

static double rounded_at(const void *values, size_t i) { return (double)at(values, i); }

static tfp_spread spread_of(const sorted *v)
{
    tfp_spread s = { 0 };
    long double sum = 0, squares = 0, n = (long double)v->count;
    for (size_t i = 0; i < v->count; i++) sum += at(v, i);
    long double mean = sum / n;
    for (size_t i = 0; i < v->count; i++) squares += (at(v, i) - mean) * (at(v, i) - mean);
    s.mean = (double)mean;
    s.cv = mean == 0 ? 0 : (double)(100 * sqrtl(squares / n) / mean);
    s.min = (double)at(v, 0);
    s.max = (double)at(v, v->count - 1);
    s.median = tfp_quantile(rounded_at, v, v->count, 0.5);
    s.p95 = tfp_quantile(rounded_at, v, v->count, 0.95);
    return s;
}

tfp_spread tfp_spread_of(int64_t *values, size_t count)
{
    sort(values, count);
    return spread_of(&(sorted){ .ints = values, .count = count });
}

tfp_spread tfp_spread_of_reals(double *values, size_t count)
{
    qsort(values, count, sizeof *values, tfp_by_real);
    return spread_of(&(sorted){ .reals = values, .count = count });
}
