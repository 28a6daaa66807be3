// SPDX-License-Identifier: Apache-2.0
/* views/core/findings.h: the findings of `advise`: a sentence, the span to look at first, and what a remedy saves. */
#ifndef TFP_FINDINGS_H
#define TFP_FINDINGS_H

#include "base/base.h"

/* The span to look at first. */
typedef struct tfp_evidence {
    uint32_t span;       /* index in events.spans; TFP_NONE: none */
    int64_t rank;        /* the rank, if there are several; otherwise -1 */
    int64_t start_ns;    /* relative to the first start of its rank */
    int64_t timeline_ns; /* from the first start of the timeline, as -range counts */
    int64_t duration_ns;
    tfp_str lane;
} tfp_evidence;

/* What kind of time, or of use, a finding is about; pictures choose colours by it. */
typedef enum tfp_about {
    TFP_ABOUT_COMPUTE,
    TFP_ABOUT_COMMUNICATION,
    TFP_ABOUT_COPY,
    TFP_ABOUT_MEMORY,
    TFP_ABOUT_HOST,
    TFP_ABOUT_KINDS
} tfp_about;
const char *tfp_about_name(tfp_about about); /* report.c */

typedef struct tfp_finding {
    uint32_t checker; /* index in rows: the checker's row */
    tfp_about about;
    tfp_str text;    /* one or more lines, in TensorFlow's form */
    tfp_str problem; /* the part of the text that describes the problem; empty: all of it */
    tfp_str remedy;  /* the part that says how to solve it; empty: none */
    tfp_evidence evidence;
    double seconds,
        gain_seconds;      /* seconds of a step that it concerns, and that a remedy saves at most; NAN: unknown */
    tfp_str file, command; /* file: where the evidence was recorded; command: shows it; empty: none */
    const char *change;    /* the change for `tfprof whatif` that gave gain_seconds; NULL: none */
} tfp_finding;

#endif
