// SPDX-License-Identifier: Apache-2.0
/* views/triage/fusion.h: the chains of each phase that one kernel could do. */
#ifndef TFP_VIEWS_TRIAGE_FUSION_H
#define TFP_VIEWS_TRIAGE_FUSION_H

#include "views/triage/head.h"

typedef struct tfp_fusion_row {
    tfp_str phase, chain, module, shape, certainty;
    int64_t calls, device_ns, bytes_saved;
    double share, gain_us, gain_share, order; /* order: the gain; on an unknown device the bytes saved */
    tfp_phase of;
} tfp_fusion_row;

/* Rows by phase, biggest gain first, in the report's arena. Fills the rows' efficiency and `depends`. A trace without shapes gets a note
 * and no rows. */
tfp_status tfp_triage_fusion(tfp_triage *t, const tfp_triage_head *heads, size_t head_count, tfp_fusion_row **rows,
                             size_t *count, tfp_error *err);

#endif
