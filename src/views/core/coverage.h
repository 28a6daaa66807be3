// SPDX-License-Identifier: Apache-2.0
/* views/core/coverage.h: how much of the device's and the host's time the rows of a report explain, and why not the rest. One
 * function answers for op, scope, code, lines and calls, which also are the flame graphs. */
#ifndef TFP_COVERAGE_H
#define TFP_COVERAGE_H

#include "views/core/report.h"

enum { TFP_COVER_RESTS = 5 };
typedef struct tfp_cover_rest {
    const char *why;
    int64_t ns;
} tfp_cover_rest;

typedef struct tfp_cover { /* of the host, or of the devices */
    int64_t all_ns, explained_ns;
    tfp_cover_rest rest[TFP_COVER_RESTS]; /* they add up to what is not explained */
    size_t rest_count;
} tfp_cover;

typedef struct tfp_coverage {
    bool known, of_mean;    /* of_mean: the rows are means, the coverage is of all steps */
    int64_t rows_ns;        /* sum of rows that are lines of code, over the steps that `all_ns` is of */
    tfp_cover host, device; /* all_ns 0: nothing ran there, or it is not known */
} tfp_coverage;

/* Views whose rows are lines of code say what these explain (r->covered->explained); the others are known by their nodes. */
typedef struct tfp_explained {
    bool given;
    int64_t host_ns, device_ns, replayed_ns; /* device_ns: without what a graph replays */
    const char *why_not;                     /* the reason for what no other reason explains */
} tfp_explained;

struct tfp_report_coverage {
    tfp_explained explained; /* by a view whose rows are lines of code */
    tfp_coverage coverage;
};

/* Fills r->covered->coverage and adds the note that tells it, where times of a trace, or of lines of code, are shown. TFP_NOMEM. */
tfp_status tfp_coverage_add(struct tfp_report *r, tfp_error *err);
/* The same, of a report whose rows are made of another one's: less what the new rows do not have. */
tfp_status tfp_coverage_less(struct tfp_report *r, const tfp_coverage *of, const tfp_explained *lost, tfp_error *err);

/* Whether a span is of the steps and the range of time that the report is of. */
bool tfp_coverage_counts(const struct tfp_report *r, uint32_t span);

/* Adds the note that says how much of the device's time has a launch of its own, and why the rest has none; no note where all
 * has one. Of a trace of events (attributed.c). TFP_NOMEM. */
tfp_status tfp_attributed_note(struct tfp_report *r, tfp_error *err);
/* The words for a certainty and for the reason why there is none. */
const char *tfp_certainty_word(unsigned certainty);
const char *tfp_no_place_word(unsigned reason);
/* The certainties of some bits by their time, most first, then by name, joined by '|'. Without data: no memory. */
tfp_str tfp_certainties_text(tfp_arena *arena, const int64_t *ns, unsigned bits);

/* The row of `lines` for it. */
#define TFP_REPLAY_ROW "(graph replay)"
/* Whether an activity was replayed by a graph, and nothing tells its place (CUDA and HIP graphs); whether nothing tells its line. */
bool tfp_is_replayed(const struct tfp_report *r, uint32_t span);
bool tfp_is_replayed_without_line(const struct tfp_report *r, uint32_t span);

#endif
