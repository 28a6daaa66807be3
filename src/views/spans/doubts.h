// SPDX-License-Identifier: Apache-2.0
/* views/spans/doubts.h: what a report asks about doubts of the data (model/tables/doubts.h): their words, and which of its steps are
 * left out of means, findings and predictions because of them. */
#ifndef TFP_VIEWS_DOUBTS_H
#define TFP_VIEWS_DOUBTS_H

#include "model/tables/doubts.h"

struct tfp_trace_index;
typedef struct tfp_report tfp_report;

/* A kind, over all ranks and over the steps that the report is about. */
typedef struct tfp_doubt_sum {
    int64_t count, of, ns;
    tfp_strid name; /* of the first example */
    size_t steps;   /* number of steps that have the doubt */
    uint32_t one;   /* if there is one such step, its index in steps; TFP_NONE: the doubt is outside of all steps */
} tfp_doubt_sum;
/* False: the report has no such doubt. */
bool tfp_doubt_sum_of(const tfp_profile *p, tfp_step_choice steps, tfp_doubt_kind kind, tfp_doubt_sum *out);
const char *tfp_doubt_name(tfp_doubt_kind kind);                         /* of the fact in `summary` */
const char *tfp_doubt_check(tfp_doubt_kind kind, const char **severity); /* what `check` says */
/* Appends a sentence without its end: "18 of 20 launches of graphs have no kernels in the recording". */
void tfp_doubt_put(const tfp_profile *p, tfp_doubt_kind kind, const tfp_doubt_sum *sum, tfp_buf *out);
/* Adds a note for each kind of doubt but repairs, which are warnings; tfp_note_recording also one on guessed steps. `side`: prefix in a
 * comparison, or NULL. */
tfp_status tfp_note_doubts(tfp_report *r, const tfp_profile *p, const char *side, tfp_error *err);
tfp_status tfp_note_recording(tfp_report *r, const tfp_profile *p, const char *side, tfp_error *err);

/* The same for work that is missing, or whose times are not known, in reports of sums of times, which other doubts do not touch. */
tfp_status tfp_note_lost(tfp_report *r, tfp_error *err);

/* Whether the only step of a process starts when its devices have done the work from before the recording. */
bool tfp_starts_late(const tfp_profile *p, uint32_t process);

/* The report's steps in which something is in doubt, or over half is loading of code. */
typedef struct tfp_step_keys {
    uint64_t *at; /* unit << 32 | step, sorted */
    size_t count;
} tfp_step_keys;
typedef struct tfp_doubted_steps {
    const struct tfp_trace_index *x;
    tfp_step_keys doubted, unsteady;
    bool clocks; /* some devices have another clock than their host */
    bool all;    /* nothing about any step is known */
    bool most;   /* over half of the steps are in doubt: none is left out, but nothing is found or predicted */
} tfp_doubted_steps;
bool tfp_doubted_steps_of(tfp_report *r, const struct tfp_trace_index *x,
                          tfp_doubted_steps *out); /* false: out of memory */
/* For each step of the profile whether it is left out, in any rank. *out: NULL if none is; in the report's arena. */
tfp_status tfp_steps_left_out(tfp_report *r, const bool **out, tfp_error *err);
/* Whether a step of a unit is left out of means, findings and predictions. */
bool tfp_step_left_out(const tfp_doubted_steps *d, uint32_t unit, uint32_t step);

#endif
