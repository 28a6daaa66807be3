// SPDX-License-Identifier: Apache-2.0
/* compare/welch.h: tests whether two means differ, given their spread: Welch's t test with its interval, and the
 * correction for many tests at once. */
#ifndef TFP_WELCH_H
#define TFP_WELCH_H

#include <stdbool.h>
#include <stddef.h>

#define TFP_CONFIDENCE 0.95

typedef struct tfp_sample {
    double mean, squares; /* squares: sum of the squared distances from the mean */
    size_t count;
} tfp_sample;

typedef struct tfp_welch {
    double low, high; /* the interval of b's mean less a's */
    double p;         /* probability of so big a difference by chance */
} tfp_welch;

/* Each needs at least two values; without any spread the interval is the difference itself. */
tfp_welch tfp_welch_test(tfp_sample a, tfp_sample b);

double tfp_student_tail(double t, double freedom);        /* probability of |T| >= t; t is not negative */
double tfp_student_quantile(double tail, double freedom); /* the t of that two-sided tail */

/* The largest significant p of `count` tests if at most `share` of the significant ones may be false (Benjamini and
 * Hochberg); sorts p. Negative: none is significant. */
double tfp_false_finds(double *p, size_t count, double share);

#endif
