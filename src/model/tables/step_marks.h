// SPDX-License-Identifier: Apache-2.0
/* model/tables/step_marks.h: what a trace's steps are made from: marks, and the windows that the join makes from
 * marks. */
#ifndef TFP_TABLES_STEP_MARKS_H
#define TFP_TABLES_STEP_MARKS_H

#include "model/tables/processes.h"

/* What a server of a language model did in a step. */
typedef enum tfp_phase {
    TFP_PHASE_NONE,
    TFP_PHASE_PREFILL, /* reads prompts */
    TFP_PHASE_DECODE,  /* generates */
    TFP_PHASE_MIXED,   /* both */
    TFP_PHASE_VERIFY,  /* checks drafted tokens */
    TFP_PHASE_DRAFT,   /* drafts tokens */
    TFP_PHASE_IDLE,    /* has no request */
    TFP_PHASES
} tfp_phase;
const char *tfp_phase_name(tfp_phase phase); /* "prefill" ...; TFP_PHASE_NONE: "" */

#include "schema/traces/step_marks.def"

#endif
