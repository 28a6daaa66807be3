// SPDX-License-Identifier: Apache-2.0
/* fleet/read.h: reads one trace file as rows, or as a failure with its code. The function itself is in a higher room (fleets.c). */
#ifndef TFP_FLEET_READ_H
#define TFP_FLEET_READ_H

#include "fleet/identity.h"
#include "fleet/rows.h"

typedef enum tfp_fleet_code {
    TFP_FLEET_RUN, /* no failure */
    TFP_FLEET_EMPTY,
    TFP_FLEET_FORMAT,
    TFP_FLEET_DAMAGED,
    TFP_FLEET_MISSING,
    TFP_FLEET_UNREADABLE,
    TFP_FLEET_LIMIT,
    TFP_FLEET_TIMEOUT,
    TFP_FLEET_CRASH,
    TFP_FLEET_DUPLICATE,
    TFP_FLEET_CODES
} tfp_fleet_code;
extern const char *const tfp_fleet_codes[TFP_FLEET_CODES]; /* names of the codes; that of a run is "" */

typedef struct tfp_fleet_file {
    const char *file; /* path to open; NULL: the bytes are given */
    tfp_str path;     /* path in the tables */
    tfp_str bytes;
    int64_t size, mtime_us; /* INT64_MIN: unknown */
} tfp_fleet_file;

typedef struct tfp_fleet_result {
    tfp_fleet_code code;
    size_t not_taken; /* number of malformed dates and ranks */
    char run[TFP_DIGEST];
    tfp_error error; /* set for a failure */
} tfp_fleet_result;

/* Adds the rows of a file to `rows`; in case of a failure `rows` stays empty. */
typedef void tfp_fleet_read_fn(const tfp_fleet_rules *rules, const tfp_fleet_file *f, tfp_fleet_rows *rows,
                               tfp_fleet_result *out);

/* A row of the table of failures. */
typedef struct tfp_fleet_failure {
    tfp_str path, message, run;
    int64_t size, mtime_us; /* INT64_MIN: unknown */
    tfp_fleet_code code;
    int signal;
    int64_t attempts;
} tfp_fleet_failure;
void tfp_fleet_put_failure(tfp_batch *b, const tfp_fleet_failure *f);

/* Convert rows to bytes and back, to pass them between processes. */
void tfp_fleet_pack(const tfp_fleet_rows *r, tfp_buf *out);
/* Appends packed rows to batches, each with texts of its own. Errors: TFP_BADFILE, TFP_NOMEM. */
tfp_status tfp_fleet_unpack(tfp_str packed, tfp_batch tables[TFP_FLEET_TABLES], tfp_error *err);

#endif
