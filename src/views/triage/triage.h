// SPDX-License-Identifier: Apache-2.0
/* views/triage/triage.h: what dominates each phase of a server of language models, which line it is, and what would help. */
#ifndef TFP_VIEWS_TRIAGE_H
#define TFP_VIEWS_TRIAGE_H

#include "model/tables/step_marks.h"
#include "views/core/grid.h"

/* The steps of one phase on a rank. */
typedef struct tfp_phase_row {
    int64_t rank;
    tfp_str phase;
    int64_t steps, requests, tokens; /* TFP_ABSENT: unknown */
    int64_t device_ns;
    double step_us, tokens_per_second, busy_share; /* NAN: unknown */
    tfp_str largest;                               /* the kernel with most device time; without data: none */
    double largest_share;
    uint32_t unit;
    tfp_phase of;
} tfp_phase_row;
/* Rows by rank, then in the order of tfp_phase, in the report's arena. */
tfp_status tfp_phase_rows(tfp_report *r, const struct tfp_trace_index *x, tfp_phase_row **rows, size_t *count,
                          tfp_error *err);

#endif
