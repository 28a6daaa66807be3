// SPDX-License-Identifier: Apache-2.0
/* fleet/rows.h: the rows that one trace adds to the fleet's tables. In: a finished profile and its identity. Out: batches. */
#ifndef TFP_FLEET_ROWS_H
#define TFP_FLEET_ROWS_H

#include "fleet/tables.h"

/* The identity of a run, and its file. Texts are borrowed; data NULL: unknown. */
typedef struct tfp_fleet_run {
    tfp_str id, path;
    tfp_str job, host, framework;
    tfp_str labels, identity;
    bool dated, ranked;
    int64_t date; /* days since 1970-01-01 */
    int64_t rank;
    int64_t bytes, mtime_us; /* INT64_MIN: unknown */
    int64_t indexed_us;
} tfp_fleet_run;

typedef struct tfp_fleet_rows {
    tfp_texts texts;
    tfp_batch tables[TFP_FLEET_TABLES];
    unsigned wanted; /* bits TFP_FLEET_BIT of the tables to fill */
} tfp_fleet_rows;

bool tfp_fleet_rows_start(tfp_fleet_rows *r, unsigned wanted); /* false: out of memory */
bool tfp_fleet_rows_clear(tfp_fleet_rows *r);                  /* removes all rows; false: out of memory */
void tfp_fleet_rows_free(tfp_fleet_rows *r);

/* Facts from the trace itself. Texts live as long as the profile. */
typedef struct tfp_fleet_about {
    tfp_str host, framework, format, model;
    int64_t rank, ranks; /* -1: unknown */
    int64_t started_us;  /* Unix time; INT64_MIN: unknown */
    double duration_us;  /* NAN: nothing has a time */
    int64_t devices;
    bool truncated;
} tfp_fleet_about;
void tfp_fleet_about_of(const tfp_profile *p, tfp_fleet_about *out);

/* Adds the rows of a profile to the wanted tables. TFP_BADFILE: nothing ran in it. */
tfp_status tfp_fleet_add(tfp_fleet_rows *r, const tfp_profile *p, const tfp_fleet_run *run,
                         const tfp_fleet_about *about, tfp_error *err);

/* A DATE or TIME as text, such as 2026-11-24T08:15:00Z; fine: with microseconds. No data: the year is out of range. */
#define TFP_TIME_TEXT 64
tfp_str tfp_fleet_time(tfp_cell_type type, int64_t n, bool fine, char out[TFP_TIME_TEXT]);
/* Writes the first five columns of most tables. */
void tfp_fleet_put_key(tfp_batch *b, const tfp_fleet_run *run);

#endif
