// SPDX-License-Identifier: Apache-2.0
/* model/event_builder.h: the functions with which readers of traces fill the tables of events: an event, its parts and
 * its links. */
#ifndef TFP_EVENT_BUILDER_H
#define TFP_EVENT_BUILDER_H

#include "model/builder.h"
#include "model/tables/devices.h"
#include "model/tables/lanes.h"
#include "model/tables/memory_events.h"
#include "model/tables/processes.h"
#include "model/tables/span_kinds.h"
#include "model/tables/stats.h"
#include "model/tables/step_marks.h"

typedef struct tfp_event {
    uint32_t lane;
    tfp_strid name;
    int64_t start_ns, duration_ns; /* not negative; readers drop events with times beyond 9e15 us, and report it */
    tfp_span_kind kind;
    tfp_span_class class;
    unsigned marks;
    uint32_t stats;                           /* from tfp_build_stats, or TFP_NONE */
    uint32_t correlation, external, sequence; /* from tfp_build_key; 0: none */
    tfp_strid path, op;                       /* 0: it follows from nesting */
    uint32_t trace;                           /* from tfp_build_trace, or TFP_NONE */
} tfp_event;

uint32_t tfp_build_process(tfp_builder *b, const tfp_process *p); /* returns an index in processes */
/* Adds a lane of a trace. `name` is what people see, without the rank: "cpu/thread:7", "gpu:0/stream:20". Returns an
 * index in lanes. */
uint32_t tfp_build_event_lane(tfp_builder *b, uint32_t process, tfp_lane_role role, tfp_str name, tfp_str label);
/* Gives a lane another role and name. */
void tfp_build_lane_again(tfp_builder *b, uint32_t lane, tfp_lane_role role, tfp_str name);
/* Replaces a number of the file by a small one: within one process and space, equal numbers give the same result, which
 * is never 0. */
uint32_t tfp_build_key(tfp_builder *b, uint32_t process, unsigned space, uint64_t number);
/* interned; returns an index in stat_sets */
uint32_t tfp_build_stats(tfp_builder *b, const tfp_stat *stats, size_t count);
uint32_t tfp_build_event(tfp_builder *b, const tfp_event *e); /* returns an index in spans */
void tfp_build_link(tfp_builder *b, tfp_flow_kind kind, uint32_t from, uint32_t to);
void tfp_build_step_mark(tfp_builder *b, const tfp_step_mark *m);
void tfp_build_memory_event(tfp_builder *b, const tfp_memory_event *m);
void tfp_build_counter(tfp_builder *b, const tfp_counter_sample *c);
void tfp_build_about(tfp_builder *b, const tfp_stat *fact); /* adds a fact about the file */
/* Doubts all of the last file, which is truncated and not in the order of time. */
void tfp_build_cut(tfp_builder *b);
void tfp_build_data_finding(tfp_builder *b, const char *severity, const char *what, int64_t count, tfp_str first);

void tfp_build_device(tfp_builder *b, const tfp_device_info *d);

#endif
