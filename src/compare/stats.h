// SPDX-License-Identifier: Apache-2.0
/* compare/stats.h: the spread of the rows' numbers over the steps of a profile. */
#ifndef TFP_STATS_H
#define TFP_STATS_H

#include "views/core/grid.h"

/* Statistics of the values of one row and column; there is one value per step. */
typedef struct tfp_spread {
    double mean, cv, min, median, p95, max; /* cv: the population's deviation in per cent of the mean */
} tfp_spread;
tfp_spread tfp_spread_of(int64_t *values, size_t count); /* sorts them; count is not 0 */
tfp_spread tfp_spread_of_reals(double *values, size_t count);

/* Fills a grid whose profile and options are set: the rows of `shown` (a report of a view, built with the same
 * options) without its root, each with its name (after -rewrite, split at the last slash) and the spread of the
 * selected columns. */
tfp_status tfp_stats_fill(tfp_report *r, const tfp_report *shown, tfp_error *err);

/* The same for the table `steps`: a row for each of its columns and devices. `o` chooses the rows; *shown is the
 * table, to be freed, also after a failure. */
tfp_status tfp_stats_of_steps(tfp_report *r, const tfp_options *o, tfp_report **shown, tfp_error *err);

/* Adds a note that the means over all steps differ from those of the views, if some nodes ran only in some steps.
 * `side` names the profile; NULL: there is only one. */
tfp_status tfp_note_means(tfp_report *r, const tfp_profile *p, const char *side, tfp_error *err);

#endif
