// SPDX-License-Identifier: Apache-2.0
/* fleet/identity.h: whose run a file is: job, date, host, rank, framework and labels, from a file beside it (the sidecar), from the
 * folders of its path, and from the trace. The first of these that knows a field gives it. */
#ifndef TFP_FLEET_IDENTITY_H
#define TFP_FLEET_IDENTITY_H

#include "fleet/rows.h"

/* Patterns of --path, and the name of the sidecar. */
typedef struct tfp_fleet_rules {
    TFP_VEC(char *) patterns;
    char *sidecar;
} tfp_fleet_rules;
/* TFP_BADARG: an empty pattern, a brace without its partner, or a name that is not an identifier. */
tfp_status tfp_fleet_rules_pattern(tfp_fleet_rules *r, const char *pattern, tfp_error *err);
bool tfp_fleet_rules_sidecar(tfp_fleet_rules *r, const char *name); /* false without memory */
void tfp_fleet_rules_free(tfp_fleet_rules *r);

/* The fields, in the order in which `identity` names them. */
typedef enum tfp_fleet_field {
    TFP_FIELD_JOB,
    TFP_FIELD_DATE,
    TFP_FIELD_HOST,
    TFP_FIELD_RANK,
    TFP_FIELD_FRAMEWORK,
    TFP_FIELDS
} tfp_fleet_field;

typedef struct tfp_fleet_identity {
    tfp_arena arena;
    tfp_str text[TFP_FIELDS];        /* without data: not known */
    const char *source[TFP_FIELDS];  /* "sidecar", "path", "trace" */
    int64_t date, rank;              /* where these are known */
    tfp_buf labels;                  /* a JSON object, which identity_end closes; empty: none */
    size_t not_taken;                /* malformed dates and ranks */
    tfp_buf told;                    /* what `identity` says */
} tfp_fleet_identity;

/* From the sidecar beside `file` (NULL: no sidecar) and from `path`, the path below SOURCE. False without memory. */
bool tfp_fleet_identify(const tfp_fleet_rules *rules, const char *file, tfp_str path, tfp_fleet_identity *out);
/* Adds what the trace knows, and fills the run's fields: these point into both. False without memory. */
bool tfp_fleet_identity_end(tfp_fleet_identity *id, const tfp_fleet_about *about, tfp_fleet_run *run);
void tfp_fleet_identity_free(tfp_fleet_identity *id);

/* "2026-11-02" as days since 1970-01-01; false when it is not a date. */
bool tfp_fleet_date(tfp_str text, int64_t *days);
/* "0.01" or "1%": a number from 0 to `most`. */
bool tfp_fleet_share(const char *text, double most, double *out);

#endif
