// SPDX-License-Identifier: Apache-2.0
/* compare/welch.h: whether two means differ, by their spread: Welch's t test and its interval, and the correction for many
 * tests at once. */
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
    double p;         /* how probable a difference as big is without any cause */
} tfp_welch;

/* Each needs at least two values; without any spread the interval is the difference itself. */
tfp_welch tfp_welch_test(tfp_sample a, tfp_sample b);

double tfp_student_tail(double t, double freedom);        /* probability of |T| >= t; t is not negative */
double tfp_student_quantile(double tail, double freedom); /* the t of that two-sided tail */

/* The biggest p that still counts when `count` tests are made at once and `share` of the finds may be false
 * (Benjamini and Hochberg); sorts p. Negative: none counts. */
double tfp_false_finds(double *p, size_t count, double share);

#endif
