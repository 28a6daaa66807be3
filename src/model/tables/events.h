// SPDX-License-Identifier: Apache-2.0
/* model/tables/events.h: what a trace of events holds: processes, lanes, spans, steps, flows, counters, allocations.
 * The rows of each table are described in the table's own header. Readers add events and links (model/event_builder.h);
 * after the last file the join (model/join/join.c) nests the spans of each lane, finds launches, steps and nodes, and
 * sums executions. What each number means is written in docs/traces.md. Times are nanoseconds. Knows no file format. */
#ifndef TFP_TABLES_EVENTS_H
#define TFP_TABLES_EVENTS_H

#include "model/tables/spans.h"
#include "model/tables/types.h"

typedef struct tfp_event_key { /* a number with which a file joins events and which is too big to be its own key */
    uint64_t number;
} tfp_event_key;

#define TFP_BIG_KEY (UINT32_C(1) << 31) /* in numbers that stand for such a key */

typedef struct tfp_kept_order { /* model/order.h */
    TFP_VEC(uint32_t) items;
    TFP_VEC(uint32_t) lane_first; /* of two more than the lanes */
} tfp_kept_order;

/* All of the tables; tfp_profile.events points to it. */
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
    TFP_VEC(tfp_doubt) doubts;
    /* facts about the file: what was recorded, versions, host, times */
    TFP_VEC(tfp_stat) about;
    /* for spans that have such a number in addition to `External id` */
    TFP_VEC(tfp_recorded_call) calls;
    TFP_VEC(tfp_event_key) keys;                           /* indexed by tfp_build_key's number without its top bit */
    tfp_map64 key_by_hash, stat_set_by_hash, lane_by_name; /* lane_by_name: process << 32 | name */
    TFP_VEC(tfp_attribution) attributions;                 /* for activities; made by the join */
    TFP_VEC(uint32_t) joined_execs;                        /* indexes in execs: those that the last join made */
    tfp_kept_order order; /* of the spans, as the last join left them; empty in a profile that was stored */
    /* indexes in nodes that share their name with a node of another op */
    TFP_VEC(uint32_t) twins;
    size_t joined_events;        /* number of events at the last join */
    tfp_compact_tables *compact; /* rows instead of spans (model/tables/compact.h) */
    /* calls by number: used while compact lanes are joined; with TFP_READS_TIMES they live as long as the profile */
    struct tfp_launches *launches;
};

TFP_CONST const tfp_event_tables *tfp_events_of(const tfp_profile *p);

#endif
