// SPDX-License-Identifier: Apache-2.0
/* views/timeline/timeline.h: what a profile recorded over time, arranged once so that queries about any window are fast: lanes
 * consist of rows, and a row of spans that do not overlap. For executions (RunMetadata, ProfileProto) each step has its own lanes,
 * because steps may have been recorded hours apart. */
#ifndef TFP_VIEWS_TIMELINE_H
#define TFP_VIEWS_TIMELINE_H

#include "model/tables/types.h"

typedef enum tfp_track_kind { /* what a lane mostly does; this decides its colour and its place in the picture */
                              TFP_TRACK_COMPUTE,
                              TFP_TRACK_COMMUNICATION,
                              TFP_TRACK_COPY,
                              TFP_TRACK_HOST,
                              TFP_TRACK_DERIVED /* shown but never counted */
} tfp_track_kind;

typedef struct tfp_timeline_lane {
    uint32_t lane;                     /* index in the profile's lanes */
    uint32_t step;                     /* index in steps, for executions; TFP_NONE: a trace */
    uint32_t first_row, row_count;     /* index in row_first */
    size_t first, count;               /* range of its items */
    int64_t start_ns, end_ns, busy_ns; /* busy: length of the union of its spans */
    tfp_track_kind kind;
    uint32_t classes; /* bits of tfp_track_kind: what its activities are; 0 of host lanes */
} tfp_timeline_lane;

/* Items are the spans sorted by lane, row and start; rows are numbered through all lanes. Within a row both starts and
 * ends increase. */
struct tfp_timeline {
    const tfp_profile *p;
    bool runs; /* items are spans of executions (p->spans), otherwise events (p->events.spans) */
    tfp_timeline_lane *lanes;
    size_t lane_count, row_count, count;
    uint32_t *row_first; /* first item of each row; with one more element at the end */
    uint32_t *span;      /* index in p->spans or p->events.spans */
    uint32_t *node;      /* for executions: index in nodes; otherwise NULL */
    uint32_t *place_of;  /* for each span its item; TFP_NONE: it is not shown */
    uint32_t *order;     /* items sorted by lane, start, longest first */
    tfp_arena arena;     /* memory of the short names */
    tfp_map64 short_at;  /* name of an activity -> index in shorts */
    tfp_str *shorts;
    int64_t *start_ns, *end_ns;  /* relative to origin_ns */
    int64_t origin_ns, whole_ns; /* the first start, and the last end relative to it */
    int64_t *offset_ns;          /* for each process: the shift of its times (clocks.c) */
    bool moved;                  /* some were shifted only to be beside others */
};

/* Fills offset_ns and moved. False: out of memory. */
bool tfp_timeline_set_clocks(tfp_timeline *t);

/* Sets the kinds of lanes and the short names. False: out of memory. */
bool tfp_timeline_set_names(tfp_timeline *t);
/* The name that people see for an activity; data NULL: the name itself. */
tfp_str tfp_timeline_short(const tfp_timeline *t, tfp_strid name);
/* A lane's title and number: "compute" and "stream 7", "main" and "4515". Data NULL: out of memory. */
typedef struct tfp_lane_title {
    tfp_str title, detail;
} tfp_lane_title;
tfp_lane_title tfp_timeline_title(const tfp_timeline *t, const tfp_timeline_lane *lane, tfp_arena *arena);
const char *tfp_track_kind_name(tfp_track_kind kind);
const char *tfp_track_classes_name(uint32_t classes); /* such as "compute|copy"; NULL: none */
/* Whether the span occupies a device, as activities do. Executions do not nest and are treated in the same way. */
bool tfp_timeline_occupies(const tfp_timeline *t, uint32_t place);

tfp_strid tfp_timeline_name(const tfp_timeline *t, uint32_t place);
tfp_str tfp_timeline_kind(const tfp_timeline *t, uint32_t place);
tfp_str tfp_timeline_class(const tfp_timeline *t, uint32_t place); /* for an activity; otherwise data is NULL */
/* Self time of an event that is an operator, an activity or a span of a plain trace; otherwise TFP_ABSENT. */
int64_t tfp_timeline_self(const tfp_timeline *t, uint32_t span);
uint32_t tfp_timeline_row(const tfp_timeline *t, uint32_t place);
const tfp_timeline_lane *tfp_timeline_lane_of(const tfp_timeline *t, uint32_t row);
/* The first item of a row that ends after a time, or is at this time without a duration; the row's end if there is
 * none. */
uint32_t tfp_timeline_after(const tfp_timeline *t, uint32_t row, int64_t time_ns);
/* For each string, whether it or its short name contains `search`, ignoring case. The caller frees it. NULL: out of
 * memory. */
uint8_t *tfp_timeline_matches(const tfp_timeline *t, const char *search);

/* The next row, from `row` on, in a list such as "0-24,33" (NULL: all); row_count: none. */
uint32_t tfp_timeline_next_row(const tfp_timeline *t, const char *rows, uint32_t row);
/* Whether the text is a list of rows: numbers and ranges, the lower number first, with commas between. NULL is one. */
bool tfp_timeline_is_list(const char *rows);

/* Every query begins with a new report. */
tfp_status tfp_timeline_ask(const tfp_timeline *t, const char *name, tfp_report **r, tfp_report **out, tfp_error *err);
tfp_status tfp_timeline_refuse(tfp_report *r, tfp_error *err); /* the error for an invalid window */
tfp_status tfp_timeline_refuse_rows(tfp_report *r, const char *rows, tfp_error *err); /* for what is no list */

#endif
