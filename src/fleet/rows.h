// SPDX-License-Identifier: Apache-2.0
/* fleet/rows.h: the rows that one trace adds to the fleet's tables. In: a finished profile and its identity. Out: batches. */
#ifndef TFP_FLEET_ROWS_H
#define TFP_FLEET_ROWS_H

#include "fleet/tables.h"

/* The identity of a run, and its file. Texts are borrowed; without data: not known. */
typedef struct tfp_fleet_run {
    tfp_str id, path;
    tfp_str job, host, framework;
    tfp_str labels, identity;
    bool dated, ranked;
    int64_t date; /* days since 1970-01-01 */
    int64_t rank;
    int64_t bytes, mtime_us; /* INT64_MIN: not known */
    int64_t indexed_us;
} tfp_fleet_run;

typedef struct tfp_fleet_rows {
    tfp_texts texts;
    tfp_batch tables[TFP_FLEET_TABLES];
    unsigned wanted; /* TFP_FLEET_BIT of the tables that are filled */
} tfp_fleet_rows;

bool tfp_fleet_rows_start(tfp_fleet_rows *r, unsigned wanted); /* false without memory */
bool tfp_fleet_rows_clear(tfp_fleet_rows *r);                  /* removes all rows; false without memory */
void tfp_fleet_rows_free(tfp_fleet_rows *r);

/* What a trace says of itself. Texts live as long as the profile. */
typedef struct tfp_fleet_about {
    tfp_str host, framework, format, model;
    int64_t rank, ranks;          /* -1: not told */
    int64_t started_us;           /* Unix time; INT64_MIN: not told */
    double duration_us;           /* NAN: nothing has a time */
    int64_t devices;
    bool truncated;
} tfp_fleet_about;
void tfp_fleet_about_of(const tfp_profile *p, tfp_fleet_about *out);

/* Adds the rows of a profile to the wanted tables. TFP_BADFILE: it has nothing that ran. */
tfp_status tfp_fleet_add(tfp_fleet_rows *r, const tfp_profile *p, const tfp_fleet_run *run,
                         const tfp_fleet_about *about, tfp_error *err);

/* The five columns that most tables begin with. */
void tfp_fleet_put_key(tfp_batch *b, const tfp_fleet_run *run);

#endif
