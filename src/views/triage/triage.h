// SPDX-License-Identifier: Apache-2.0
/* views/triage/triage.h: what dominates each phase of a server of language models, which line it is, and what would help. */
#ifndef TFP_VIEWS_TRIAGE_H
#define TFP_VIEWS_TRIAGE_H

#include "model/graphs.h"
#include "model/tables/step_marks.h"
#include "query/groups.h"
#include "views/spans/trace.h"

/* The steps of one phase on a rank. */
typedef struct tfp_phase_row {
    int64_t rank;
    tfp_str phase;                   /* without data: the trace has no phases, and the row is all of it */
    int64_t steps, requests, tokens; /* TFP_ABSENT: unknown */
    int64_t device_ns;
    double step_us, tokens_per_second, busy_share; /* NAN: unknown */
    tfp_str largest;                               /* the kernel with most device time; without data: none */
    double largest_share;
    uint32_t unit;
    tfp_phase of;
} tfp_phase_row;
/* Rows by rank, then in the order of tfp_phase, in the report's arena. whole: a trace without phases has a row, too. */
tfp_status tfp_phase_rows(tfp_report *r, const tfp_trace_index *x, bool whole, tfp_phase_row **rows, size_t *count,
                          tfp_error *err);

/* families.c: what a kernel does for a model: attention, matmul ... other. class: a tfp_span_class. */
const char *tfp_family_of(unsigned class, tfp_str op, tfp_str module, tfp_str kernel);

/* What else runs on the device meanwhile. */
typedef struct tfp_beside {
    int64_t alone_ns, beside_ns, beside_compute_ns; /* beside activities of other streams; of class compute */
    tfp_str previous, next;                         /* the most frequent neighbours on the stream; without data: none */
    tfp_str depends;                                /* whether the next one reads its result; without data: unknown */
    tfp_str verdict;
} tfp_beside;

/* The activities of one name and class in a phase; all ranks together. */
typedef struct tfp_triage_row {
    tfp_str phase, name, class, family, lines, line, modules, ops, certainty; /* line: the first of lines */
    tfp_fold ns;
    double share, mean_us, efficiency; /* share: of the phase's device time */
    tfp_beside beside;
    int64_t by_certainty[TFP_CERTAINTIES]; /* its time for each certainty */
    uint32_t certainties;                  /* bits: those that occur */
    uint8_t of_class;                      /* tfp_span_class */
    tfp_phase of;
} tfp_triage_row;

typedef struct tfp_triage {
    tfp_report *r;
    const tfp_trace_index *x;
    tfp_phase_row *phases; /* by rank */
    size_t phase_count;
    bool has_phases;
    int64_t device_ns[TFP_PHASES]; /* the phases' device time; without phases at TFP_PHASE_NONE */
    int64_t outside_ns;            /* device time in no step of a phase */
    tfp_map64 phase_of;            /* unit << 32 | step -> tfp_phase */
    uint32_t *row_of;              /* for each span of an activity: its row; TFP_NONE */
    tfp_triage_row *rows;          /* as they were found */
    size_t count;
    bool one_stream; /* no device has work on a second stream */
} tfp_triage;

/* The rows of all kernels, and the sums of the phases. */
tfp_status tfp_triage_of(tfp_report *r, const tfp_trace_index *x, tfp_triage *out, tfp_error *err);
void tfp_triage_free(tfp_triage *t);
/* Whether an activity of that unit and step counts, and in which phase. */
bool tfp_triage_phase(const tfp_triage *t, uint32_t unit, uint32_t step, tfp_phase *out);
/* beside.c: fills `beside` of the rows. False: out of memory. */
bool tfp_triage_beside(tfp_triage *t);

#endif
