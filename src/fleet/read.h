// SPDX-License-Identifier: Apache-2.0
/* fleet/read.h: one trace file becomes rows, or a failure with its code. The function that reads it is above this room (fleets.c). */
#ifndef TFP_FLEET_READ_H
#define TFP_FLEET_READ_H

#include "fleet/identity.h"

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
extern const char *const tfp_fleet_codes[TFP_FLEET_CODES]; /* their names; that of a run is "" */

typedef struct tfp_fleet_file {
    const char *file; /* to be opened; NULL: the bytes are given */
    tfp_str path;     /* as in the tables */
    tfp_str bytes;
    int64_t size, mtime_us; /* INT64_MIN: not known */
} tfp_fleet_file;

typedef struct tfp_fleet_result {
    tfp_fleet_code code;
    size_t not_taken; /* malformed dates and ranks */
    char run[TFP_DIGEST];
    tfp_error error; /* of a failure */
} tfp_fleet_result;

/* Adds the rows of a file to `rows`, or tells why it has none: `rows` is then empty. */
typedef void tfp_fleet_read_fn(const tfp_fleet_rules *rules, const tfp_fleet_file *f, tfp_fleet_rows *rows,
                               tfp_fleet_result *out);

/* A row of the table of failures. */
typedef struct tfp_fleet_failure {
    tfp_str path, message, run;
    int64_t size, mtime_us; /* INT64_MIN: not known */
    tfp_fleet_code code;
    int signal;
    int64_t attempts;
} tfp_fleet_failure;
void tfp_fleet_put_failure(tfp_batch *b, const tfp_fleet_failure *f);
int64_t tfp_fleet_now_us(void);

/* Rows as bytes, and back: how they go from one process to another. */
void tfp_fleet_pack(const tfp_fleet_rows *r, tfp_buf *out);
/* Appends packed rows to batches, each with texts of its own. Errors: TFP_BADFILE, TFP_NOMEM. */
tfp_status tfp_fleet_unpack(tfp_str packed, tfp_batch tables[TFP_FLEET_TABLES], tfp_error *err);

#endif
