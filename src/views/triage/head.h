// SPDX-License-Identifier: Apache-2.0
/* views/triage/head.h: the head of `triage`: a row for each phase, and the command that makes the answer. */
#ifndef TFP_VIEWS_TRIAGE_HEAD_H
#define TFP_VIEWS_TRIAGE_HEAD_H

#include "options/options.h"
#include "views/core/handle.h"
#include "views/triage/triage.h"

typedef struct tfp_triage_head {
    tfp_str phase, engine, device, bound; /* without data: unknown */
    int64_t ranks, steps, requests, tokens;
    double step_us, tokens_per_second, busy_share; /* of the slowest rank */
    tfp_phase of;
} tfp_triage_head;

/* In the order of tfp_phase, in the report's arena. False: out of memory. */
bool tfp_triage_heads(const tfp_triage *t, tfp_triage_head **out, size_t *count);
tfp_str tfp_triage_engine(const tfp_profile *p);
tfp_str tfp_triage_device(const tfp_profile *p);
/* The files with the options that name them. Data NULL: out of memory. */
tfp_str tfp_triage_files(const tfp_report *r, tfp_arena *a);
/* The command line with files and options; data NULL: out of memory. */
tfp_str tfp_triage_command(const tfp_report *r, tfp_arena *a);

#endif
