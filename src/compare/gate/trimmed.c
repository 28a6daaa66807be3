// SPDX-License-Identifier: Apache-2.0
/* compare/gate/trimmed.c: Yuen's test: Welch's t test with trimmed means and winsorized variances. With eight or more runs
 * the slowest and the fastest eighth are dropped, because runs on shared machines have outliers. Sides of equally many runs have
 * Student's degrees of freedom instead of Welch's: the test is then exact for equal variances and bears unequal ones, and
 * finds 5 to 7 % more. With logarithms, growth is a difference. docs/gate.md has the resulting error rates. */
#include "compare/gate/gate.h"
#include "compare/welch.h"

#include <stdlib.h>

enum { TRIM_ONE_OF = 8 };
#define FOUND_IN 0.9 /* share of the comparisons that detect such a growth */

typedef struct trimmed {
    double mean, error, freedom; /* error: squared standard error of the mean */
} trimmed;

/* Sorts the values. */
static trimmed trimmed_of(double *v, size_t count)
{
    size_t cut = count / TRIM_ONE_OF, left = count - 2 * cut;
    double sum = 0, winsorized = 0, squares = 0;
    qsort(v, count, sizeof *v, tfp_by_real);
    for (size_t i = 0; i < count; i++) {
        size_t at = i < cut ? cut : i >= count - cut ? count - cut - 1 : i;
        winsorized += v[at] / (double)count;
        if (at == i) sum += v[i];
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = i < cut ? cut : i >= count - cut ? count - cut - 1 : i;
        squares += (v[at] - winsorized) * (v[at] - winsorized);
    }
    double h = (double)left;
    return (trimmed){ sum / h, squares / (h * (h - 1)), h - 1 };
}

/* tfp_student_quantile is two-sided. */
static tfp_growth growth_of(double difference, double error, double freedom, double alpha)
{
    double reach = error * tfp_student_quantile(2 * alpha, freedom);
    double missed = error * tfp_student_quantile(2 * (1 - FOUND_IN), freedom);
    return (tfp_growth){ expm1(difference), expm1(difference - reach), expm1(difference + reach),
                         expm1(reach + missed) };
}

tfp_growth tfp_growth_test(double *a, size_t a_count, double *b, size_t b_count, double alpha)
{
    trimmed x = trimmed_of(a, a_count), y = trimmed_of(b, b_count);
    double difference = y.mean - x.mean, sum = x.error + y.error;
    if (!(sum > 0)) return (tfp_growth){ expm1(difference), expm1(difference), expm1(difference), 0 };
    double of_x = x.error / sum, of_y = y.error / sum; /* divide first, because the squares of tiny numbers underflow */
    double freedom = 1 / (of_x * of_x / x.freedom + of_y * of_y / y.freedom);
    if (a_count == b_count) freedom = x.freedom + y.freedom;
    return growth_of(difference, sqrt(sum), freedom, alpha);
}

tfp_growth tfp_growth_of_pairs(double *a, const double *b, size_t count, double alpha)
{
    for (size_t i = 0; i < count; i++) a[i] = b[i] - a[i];
    trimmed x = trimmed_of(a, count);
    if (!(x.error > 0)) return (tfp_growth){ expm1(x.mean), expm1(x.mean), expm1(x.mean), 0 };
    return growth_of(x.mean, sqrt(x.error), x.freedom, alpha);
}
