// SPDX-License-Identifier: Apache-2.0
/* model/tables/events.h: what a trace of events holds: processes, lanes, spans, steps, flows, counters, allocations. What the rows of each table are
 * stands in the header of that table. Readers add events and links (model/event_builder.h); after the last file the join
 * (model/join/join.c) nests the spans of each lane, finds launches, steps and nodes, and sums executions.
 * What each number means is written in docs/traces.md. Times are nanoseconds. Knows no file format. */
#ifndef TFP_TABLES_EVENTS_H
#define TFP_TABLES_EVENTS_H

#include "model/tables/profile.h"
#include "model/tables/spans.h"

typedef struct tfp_event_key { /* a number by which a file joins events, too big to be its own key */
    uint64_t number;
} tfp_event_key;

/* All of it; in tfp_profile as `events`. */
struct tfp_event_tables {
    TFP_VEC(tfp_process) processes;
    tfp_span_columns spans;
    TFP_VEC(tfp_flow) flows;
    TFP_VEC(tfp_stat) stats;
    TFP_VEC(tfp_stat_set) stat_sets;
    TFP_VEC(tfp_memory_event) memory;
    TFP_VEC(tfp_counter_sample) counters;
    TFP_VEC(tfp_step_mark) step_marks;
    TFP_VEC(tfp_step_window) windows;
    TFP_VEC(tfp_device_info) devices;
    TFP_VEC(tfp_data_finding) findings;
    TFP_VEC(tfp_stat) about;                               /* of the file: what was recorded, versions, host, times */
    TFP_VEC(tfp_recorded_call) calls;                      /* of spans that have such a number beside `External id` */
    TFP_VEC(tfp_event_key) keys;                           /* by tfp_build_key's number without its top bit */
    tfp_map64 key_by_hash, stat_set_by_hash, lane_by_name; /* lane_by_name: process << 32 | name */
    TFP_VEC(tfp_attribution) attributions;                 /* of activities; made by the join */
    TFP_VEC(uint32_t) joined_execs;                        /* -> execs: what the last join summed */
    TFP_VEC(uint32_t) twins;                               /* -> nodes that have the name of another, and another op */
    size_t joined_events;                                  /* how many events it saw */
    tfp_slim_tables *slim;                                 /* rows in place of spans (model/slim.h) */
    struct tfp_launches
        *launches; /* calls by number: while slim lanes are joined, with TFP_KEEP_ROWS for as long as the profile */
};

#endif
