// SPDX-License-Identifier: Apache-2.0
/* compare/stats.h: how the numbers of rows spread over the steps of a profile. */
#ifndef TFP_STATS_H
#define TFP_STATS_H

#include "views/core/grid.h"

/* What is told of the values of one row and column, one a step. */
typedef struct tfp_spread {
    double mean, cv, min, median, p95, max; /* cv: the population's deviation in per cent of the mean */
} tfp_spread;
tfp_spread tfp_spread_of(int64_t *values, size_t count); /* sorts them; count is not 0 */
tfp_spread tfp_spread_of_reals(double *values, size_t count);

/* Fills a grid whose profile and options are set: the rows of `shown` (a report of one of the views, built with the same
 * options) but its root, each with its name, changed and split, and the spread of the columns selected. */
tfp_status tfp_stats_fill(tfp_report *r, const tfp_report *shown, tfp_error *err);

/* The same of the table `steps`: a row for each of its columns and devices. `o` chooses the rows; *shown is the table, to be
 * freed, also after a failure. */
tfp_status tfp_stats_of_steps(tfp_report *r, const tfp_options *o, tfp_report **shown, tfp_error *err);

/* Notes that the means over all steps are not those of the views, when nodes ran in some of the steps only. `side` names the
 * profile; NULL: there is one only. */
tfp_status tfp_note_means(tfp_report *r, const tfp_profile *p, const char *side, tfp_error *err);

#endif
