// SPDX-License-Identifier: Apache-2.0
/* fleet/trend/series.h: of an index, how long a step, and in it each operation, took in each job on each day. */
#ifndef TFP_SERIES_H
#define TFP_SERIES_H

#include "options/regex.h"
#include "outputs/data/batch.h"

typedef struct tfp_day {
    uint32_t series;
    int64_t date;     /* days since 1970-01-01 */
    double sum, runs; /* microseconds of a step, of all runs together */
} tfp_day;

typedef struct tfp_series {
    uint32_t job, op; /* numbers of texts; TFP_NONE: the step */
} tfp_series;

typedef struct tfp_fleet_series {
    tfp_texts names;
    TFP_VEC(tfp_series) series;
    TFP_VEC(tfp_day) days; /* by series and date, once read */
    tfp_map64 by_name, by_day; /* while they are read */
    tfp_map64 steps;           /* of a run, by its digest; runs that are cut short are not in it */
    const tfp_filter *job, *op; /* NULL: all */
} tfp_fleet_series;

/* Reads the tables runs, steps and ops. Runs without a job, a date or a step, and those that are cut short, do not count.
 * Errors: TFP_BADFILE, TFP_NOMEM. */
tfp_status tfp_series_read(tfp_fleet_series *s, const char *index, tfp_error *err);
void tfp_series_free(tfp_fleet_series *s);

#endif
