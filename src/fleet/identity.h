// SPDX-License-Identifier: Apache-2.0
/* fleet/identity.h: identifies the run of a file: job, date, host, rank, framework and labels, from a file beside it (the sidecar),
 * from the folders of its path, and from the trace. Each field comes from the first of these that has it. */
#ifndef TFP_FLEET_IDENTITY_H
#define TFP_FLEET_IDENTITY_H

#include "base/base.h"

struct tfp_fleet_about; /* fleet/rows.h */
struct tfp_fleet_run;

/* Patterns of --path, and the name of the sidecar. */
typedef struct tfp_fleet_rules {
    TFP_VEC(char *) patterns;
    char *sidecar;
} tfp_fleet_rules;
/* Adds a pattern. TFP_BADARG: it is empty, has a brace without its partner, or a name that is not an identifier. */
tfp_status tfp_fleet_rules_pattern(tfp_fleet_rules *r, const char *pattern, tfp_error *err);
bool tfp_fleet_rules_sidecar(tfp_fleet_rules *r, const char *name); /* false: out of memory */
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
    tfp_str text[TFP_FIELDS];       /* data NULL: unknown */
    const char *source[TFP_FIELDS]; /* "sidecar", "path" or "trace" */
    int64_t date, rank;             /* valid where these fields are known */
    tfp_buf labels;                 /* a JSON object without its closing brace, which identity_end adds; empty: none */
    size_t not_taken;               /* number of malformed dates and ranks */
    tfp_buf sources;                /* the text for the column `identity` */
} tfp_fleet_identity;

/* Takes fields from the sidecar beside `file` (NULL: no sidecar) and from `path`, the path below SOURCE. False: out of
 * memory. */
bool tfp_fleet_identify(const tfp_fleet_rules *rules, const char *file, tfp_str path, tfp_fleet_identity *out);
/* Adds what the trace knows, and sets the run's fields, which point into both. False: out of memory. */
bool tfp_fleet_identity_end(tfp_fleet_identity *id, const struct tfp_fleet_about *about, struct tfp_fleet_run *run);
void tfp_fleet_identity_free(tfp_fleet_identity *id);

/* Converts "2026-11-02" to days since 1970-01-01; false: it is no date. */
bool tfp_fleet_date(tfp_str text, int64_t *days);
/* Parses "0.01" or "1%": a number from 0 to `most`. */
bool tfp_fleet_share(const char *text, double most, double *out);

#endif
