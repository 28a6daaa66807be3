// SPDX-License-Identifier: Apache-2.0
/* outputs/timeline/timeline.h: shared by the parts of the timeline: Chrome trace events into a sink.
 * Keys of an event are in byte order, as in TensorFlow's writer. */
#ifndef TFP_TIMELINE_H
#define TFP_TIMELINE_H

#include "outputs/core/output.h"
#include "views/memory/devices.h"
#include "wire/json.h"

typedef struct tfp_trace_out {
    tfp_sink *sink;
    tfp_json j;
    uint64_t written; /* approximate bytes of names */
    bool names_cut;   /* names were too long for one file and were shortened */
    bool flows_cut;   /* there were more flows than TFP_TIMELINE_FLOWS */
} tfp_trace_out;

/* More flows make a timeline unusable, and a small file could ask for a terabyte of them. */
#define TFP_TIMELINE_FLOWS ((size_t)1000000)
#define TFP_TIMELINE_NAME_BYTES ((uint64_t)64 << 20)
#define TFP_TIMELINE_SHORT_NAME 100

/* One row's run in its process (pid) and lane (tid). */
typedef struct tfp_trace_region {
    tfp_str name;
    int64_t start_ns, duration_ns, pid, tid;
} tfp_trace_region;

tfp_str tfp_trace_name(tfp_trace_out *t, tfp_str name, tfp_buf *room); /* itself, or shortened in `room` */
void tfp_trace_process(tfp_trace_out *t, int64_t pid, const char *before, tfp_str name, const char *after);
void tfp_trace_put_region(tfp_trace_out *t, const tfp_trace_region *x, bool with_op);

/* The execution of a row's node in the report's step, if it has a time and a known device; otherwise TFP_NONE. */
uint32_t tfp_timeline_exec(const tfp_report *r, uint32_t node);

/* Regions, lanes and flows of the graph view, then memory. */
tfp_status tfp_timeline_graph(const tfp_report *r, tfp_trace_out *t, tfp_error *err);

/* By lane: the first lane of its device and process, which share a process in the output, and whether a span of the report's
 * step is in it. The caller frees both. False without memory. */
bool tfp_shown_lanes(const tfp_report *r, uint32_t **process_of, uint8_t **used);

/* A trace as recorded: the calls view. */
tfp_status tfp_timeline_trace(const tfp_report *r, tfp_trace_out *t, tfp_error *err);

/* ---- memory of devices over time ---- */
/* The devices, except CPUs, on which displayed nodes ran in the report's step. False if memory is out. */
bool tfp_timeline_devices(const tfp_report *r, tfp_used_devices *out);
/* The counters of one device: its processes are pid and pid + 1. */
tfp_status tfp_memory_counters(const tfp_report *r, const tfp_used_device *d, int64_t pid, tfp_trace_out *t,
                               tfp_error *err);

#endif
