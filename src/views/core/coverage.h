// SPDX-License-Identifier: Apache-2.0
/* views/core/coverage.h: how much of the device's and the host's time a report's rows explain, and why the rest is not
 * explained. The same function serves op, scope, code, lines and calls, and so the flame graphs. */
#ifndef TFP_COVERAGE_H
#define TFP_COVERAGE_H

#include "views/core/handle.h"

enum { TFP_COVER_RESTS = 5 };
typedef struct tfp_cover_rest {
    const char *why;
    int64_t ns;
} tfp_cover_rest;

typedef struct tfp_cover { /* time of the host, or of the devices */
    int64_t all_ns, explained_ns;
    tfp_cover_rest rest[TFP_COVER_RESTS]; /* their sum is what is not explained */
    size_t rest_count;
} tfp_cover;

typedef struct tfp_coverage {
    bool known, of_mean;    /* of_mean: the rows are means, but the coverage is for all steps */
    int64_t rows_ns;        /* sum of the rows that are lines of code, over the same steps as `all_ns` */
    tfp_cover host, device; /* all_ns 0: nothing ran there, or it is unknown */
    size_t waiting_threads; /* threads that only wait, which are not in the host's time */
} tfp_coverage;

/* Views whose rows are lines of code set what these explain (r->covered->explained); for the others it follows from the
 * nodes. */
typedef struct tfp_explained {
    bool given;
    int64_t host_ns, device_ns, replayed_ns; /* device_ns: without what graphs replay */
    const char *why_not;                     /* the reason for the part that has no other reason */
} tfp_explained;

struct tfp_report_coverage {
    tfp_explained explained; /* set by a view whose rows are lines of code */
    tfp_coverage coverage;
};

/* Fills r->covered->coverage and adds the note about it, if the report shows times of a trace or of lines of code.
 * TFP_NOMEM. */
tfp_status tfp_coverage_add(tfp_report *r, tfp_error *err);
/* The same for a report whose rows are made from another report's: reduced by what the new rows lack. */
tfp_status tfp_coverage_less(tfp_report *r, const tfp_coverage *of, const tfp_explained *lost, tfp_error *err);

/* Whether a span is within the report's steps and time range. */
bool tfp_coverage_counts(const tfp_report *r, uint32_t span);

/* Adds a note that says how much of the device's time has a launch of its own, and why the rest has none; no note if
 * all has. For traces of events (attributed.c). TFP_NOMEM. */
tfp_status tfp_attributed_note(tfp_report *r, tfp_error *err);
/* The same note for `to`, over the rows of several reports (NULL: one that there is not), if one of them has it. */
tfp_status tfp_attributed_note_over(tfp_report *to, tfp_report *const *of, size_t count, tfp_error *err);
/* The words for a certainty, and for the reason why there is no place. */
const char *tfp_certainty_word(unsigned certainty);
const char *tfp_no_place_word(unsigned reason);
/* The certainties in a set of bits, joined by '|': by time, most first, then by name. Data NULL: out of memory. */
tfp_str tfp_certainties_text(tfp_arena *arena, const int64_t *ns, unsigned bits);

/* The row of `lines` for kernels that a graph replays. */
#define TFP_REPLAY_ROW "(graph replay)"
/* Whether a graph (CUDA or HIP) replayed an activity and its place is unknown; whether its line is unknown. */
bool tfp_is_replayed(const tfp_report *r, uint32_t span);
bool tfp_is_replayed_without_line(const tfp_report *r, uint32_t span);

#endif
