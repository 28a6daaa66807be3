// SPDX-License-Identifier: Apache-2.0
/* views/core/findings.h: what `advise` finds: a sentence, the span to look at first, and what a remedy saves. */
#ifndef TFP_FINDINGS_H
#define TFP_FINDINGS_H

#include "base/base.h"

/* The span to look at first. */
typedef struct tfp_evidence {
    uint32_t span;    /* -> events.spans; TFP_NONE: there is none */
    int64_t rank;     /* the rank, when there are several; else -1 */
    int64_t start_ns; /* from the first start of its rank */
    int64_t duration_ns;
    tfp_str lane;
} tfp_evidence;

/* The kind of time, or of use, that a finding is about; pictures colour by it. */
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
    uint32_t checker; /* -> rows: the checker's row */
    tfp_about about;
    tfp_str text;     /* one or more lines, as TensorFlow reports them */
    tfp_str problem;  /* the part of the text that says what is the case; empty: all of it */
    tfp_str remedy;   /* the part that says what helps; empty: none */
    tfp_evidence evidence;
    double seconds, gain_seconds; /* of a step: what it is about, and what a remedy saves at most; NAN: not known */
    tfp_str file, command;        /* where the evidence was recorded, and the command that shows it; empty: none */
    const char *change;           /* of `tfprof whatif`, which gain_seconds is from; NULL: none */
} tfp_finding;

#endif
