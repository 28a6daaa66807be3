// SPDX-License-Identifier: Apache-2.0
/* fleet/trend/series.h: from an index, the duration of a step and of each operation in it, for each job and day. */
#ifndef TFP_SERIES_H
#define TFP_SERIES_H

#include "options/regex.h"
#include "outputs/data/batch.h"
#include "query/groups.h"

typedef struct tfp_day {
    uint32_t series;
    int64_t date;     /* days since 1970-01-01 */
    double sum, runs; /* microseconds of a step: sum over all runs */
} tfp_day;

typedef struct tfp_series {
    uint32_t job, op; /* numbers of texts; op TFP_NONE: the whole step */
} tfp_series;

typedef struct tfp_fleet_series {
    tfp_texts names;
    tfp_groups series, days;    /* of tfp_series and tfp_day; after reading, days are sorted by series and date */
    tfp_groups watched;         /* of processes and days of tfprof watch: sums of their steps */
    tfp_map64 steps;            /* steps of a run, by its digest; truncated runs are not in it */
    const tfp_filter *job, *op; /* NULL: all jobs, all operations */
} tfp_fleet_series;

static inline const tfp_day *tfp_series_days(const tfp_fleet_series *s) { return s->days.rows; }

/* Reads the tables runs, steps, ops and watch_steps, of which a process is a run. Runs without a job, a date or a
 * step, and truncated runs, are skipped. Errors: TFP_BADFILE, TFP_NOMEM. */
tfp_status tfp_series_read(tfp_fleet_series *s, const char *index, tfp_error *err);
void tfp_series_free(tfp_fleet_series *s);

#endif
