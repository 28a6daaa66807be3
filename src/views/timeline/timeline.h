// SPDX-License-Identifier: Apache-2.0
/* views/timeline/timeline.h: what a profile recorded over time, laid out once so that any window of it is answered fast: lanes, in
 * each rows of spans that do not overlap. Of executions (RunMetadata, ProfileProto) each step has lanes of its own, since
 * their steps may have been recorded hours apart. */
#ifndef TFP_VIEWS_TIMELINE_H
#define TFP_VIEWS_TIMELINE_H

#include "model/tables/types.h"

typedef enum tfp_track_kind { /* what a lane mostly does: its colour, and its part of the picture */
                              TFP_TRACK_COMPUTE,
                              TFP_TRACK_COMMUNICATION,
                              TFP_TRACK_COPY,
                              TFP_TRACK_HOST,
                              TFP_TRACK_DERIVED /* shown, never counted */
} tfp_track_kind;

typedef struct tfp_timeline_lane {
    uint32_t lane;                     /* -> the profile's lanes */
    uint32_t step;                     /* -> steps: of executions; TFP_NONE: of a trace */
    uint32_t first_row, row_count;     /* -> row_first */
    size_t first, count;               /* its places */
    int64_t start_ns, end_ns, busy_ns; /* busy: length of the union of its spans */
    tfp_track_kind kind;
} tfp_timeline_lane;

/* Places hold the spans by lane, row and start; rows are counted through all lanes. In a row starts and ends both grow. */
struct tfp_timeline {
    const tfp_profile *p;
    bool runs; /* places are spans of executions (p->spans), else events (p->events.spans) */
    tfp_timeline_lane *lanes;
    size_t lane_count, row_count, count;
    uint32_t *row_first; /* -> places; one more at the end */
    uint32_t *span;      /* -> p->spans or p->events.spans */
    uint32_t *node;      /* of executions: -> nodes; else NULL */
    uint32_t *place_of;  /* by span; TFP_NONE: it is not shown */
    uint32_t *order;     /* -> places: by lane, start, longest first */
    tfp_arena arena;     /* of the short names */
    tfp_map64 short_at;  /* by name of an activity: -> shorts */
    tfp_str *shorts;
    int64_t *start_ns, *end_ns;  /* from origin_ns */
    int64_t origin_ns, whole_ns; /* the first start; the last end, from it */
    int64_t *offset_ns;          /* by process: what its times are moved by (clocks.c) */
    bool moved;                  /* some for no other reason than to stand beside others */
};

/* Fills offset_ns and moved. False without memory. */
bool tfp_timeline_set_clocks(tfp_timeline *t);

/* Fills the kinds of the lanes and the short names. False without memory. */
bool tfp_timeline_set_names(tfp_timeline *t);
/* What people see for the name of an activity; without data where they see the name itself. */
tfp_str tfp_timeline_short(const tfp_timeline *t, tfp_strid name);
/* What people call a lane, and its number: "compute" and "stream 7", "main" and "4515". Without memory they have no data. */
typedef struct tfp_lane_title {
    tfp_str title, detail;
} tfp_lane_title;
tfp_lane_title tfp_timeline_title(const tfp_timeline *t, const tfp_timeline_lane *lane, tfp_arena *arena);
const char *tfp_track_kind_name(tfp_track_kind kind);
/* Whether the span occupies a device: activities do. Executions do not nest, and count as if they did. */
bool tfp_timeline_occupies(const tfp_timeline *t, uint32_t place);

tfp_strid tfp_timeline_name(const tfp_timeline *t, uint32_t place);
tfp_str tfp_timeline_kind(const tfp_timeline *t, uint32_t place);
tfp_str tfp_timeline_class(const tfp_timeline *t, uint32_t place); /* of an activity; else without data */
/* Self time of an event, of operators, activities and the spans of plain traces; else TFP_ABSENT. */
int64_t tfp_timeline_self(const tfp_timeline *t, uint32_t span);
uint32_t tfp_timeline_row(const tfp_timeline *t, uint32_t place);
const tfp_timeline_lane *tfp_timeline_lane_of(const tfp_timeline *t, uint32_t row);
/* The first place of a row that ends after a time, or lies there without a duration; the row's end without. */
uint32_t tfp_timeline_after(const tfp_timeline *t, uint32_t row, int64_t time_ns);
/* By string: whether it or its short name holds `search`, whatever the case. The caller frees it. NULL without memory. */
uint8_t *tfp_timeline_matches(const tfp_timeline *t, const char *search);

/* The next row from `row` on that a list such as "0-24,33" has (NULL or empty: all); row_count: none. */
uint32_t tfp_timeline_next_row(const tfp_timeline *t, const char *rows, uint32_t row);
/* Whether it is a list of rows. */
bool tfp_timeline_is_list(const char *rows);

/* An answer begins with an empty report, and ends as the report or, after a failure, without one. */
tfp_status tfp_timeline_ask(const tfp_timeline *t, const char *name, tfp_report **r, tfp_report **out, tfp_error *err);
tfp_status tfp_timeline_give(tfp_report *r, tfp_status s, tfp_report **out);
tfp_status tfp_timeline_refuse(tfp_report *r, tfp_error *err); /* a window that is none */

#endif
