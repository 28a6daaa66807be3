// SPDX-License-Identifier: Apache-2.0
/* compare/welch.c: Student's distribution through the incomplete beta function, Welch's test, Benjamini-Hochberg.
 * Formulas: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.5.8 and 26.7.1. */
#include "compare/welch.h"
#include "base/base.h"

#include <math.h>
#include <stdlib.h>

/* The continued fraction of the incomplete beta function, from the front (modified Lentz). */
static double fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    if (fabs(d) < tiny) d = tiny;
    d = 1 / d;
    double f = d;
    for (int m = 1; m < 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        if (fabs(c) < tiny) c = tiny;
        f *= d * c;
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        if (fabs(c) < tiny) c = tiny;
        f *= d * c;
        if (fabs(d * c - 1) < 1e-15) break;
    }
    return f;
}

/* ln of the beta function. The library's lgamma writes to a global; this one does not. */
static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

static double beta_share(double a, double b, double x, double rest)
{
    if (x <= 0) return 0;
    if (rest <= 0) return 1;
    double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(rest));
    if (x < (a + 1) / (a + b + 2)) return front * fraction(a, b, x) / a;
    return 1 - front * fraction(b, a, rest) / b;
}

double tfp_student_tail(double t, double freedom)
{
    double whole = freedom + t * t;
    if (isinf(whole)) return 0;
    return beta_share(freedom / 2, 0.5, freedom / whole, t * t / whole);
}

static double density(double t, double v)
{
    return exp(log_gamma((v + 1) / 2) - log_gamma(v / 2) - 0.5 * log(v * 3.14159265358979323846) -
               (v + 1) / 2 * log1p(t * t / v));
}

/* The tail is decreasing and convex, so Newton's method from the left never overshoots. */
double tfp_student_quantile(double tail, double freedom)
{
    double t = 0;
    for (int i = 0; i < 200; i++) {
        double step = (tfp_student_tail(t, freedom) - tail) / (2 * density(t, freedom));
        t += step;
        if (fabs(step) <= 1e-12 * (1 + t)) break;
    }
    return t;
}

tfp_welch tfp_welch_test(tfp_sample a, tfp_sample b)
{
    double difference = b.mean - a.mean;
    double of_a = a.squares / (double)(a.count - 1) / (double)a.count;
    double of_b = b.squares / (double)(b.count - 1) / (double)b.count;
    double error = sqrt(of_a + of_b);
    tfp_welch w = { difference, difference, difference != 0 ? 0 : 1 };
    if (!(error > 0)) return w;
    /* divide first, because the squares of tiny numbers underflow */
    double share_a = of_a / (of_a + of_b), share_b = of_b / (of_a + of_b);
    double freedom = 1 / (share_a * share_a / (double)(a.count - 1) + share_b * share_b / (double)(b.count - 1));
    double reach = error * tfp_student_quantile(1 - TFP_CONFIDENCE, freedom);
    w.low = difference - reach;
    w.high = difference + reach;
    w.p = tfp_student_tail(fabs(difference) / error, freedom);
    return w;
}

double tfp_false_finds(double *p, size_t count, double share)
{
    if (count) qsort(p, count, sizeof *p, tfp_by_real);
    for (size_t i = count; i > 0; i--)
        if (p[i - 1] <= share * (double)i / (double)count) return p[i - 1];
    return -1;
}
