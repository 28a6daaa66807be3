// SPDX-License-Identifier: Apache-2.0
/* outputs/timeline.h: what the parts of the timeline share: Chrome trace events into a sink.
 * Keys of an event stand in byte order, as TensorFlow's writer puts them. */
#ifndef TFP_TIMELINE_H
#define TFP_TIMELINE_H

#include "outputs/output.h"
#include "views/devices.h"
#include "wire/json.h"

typedef struct tfp_trace_out {
    tfp_sink *sink;
    tfp_json j;
    uint64_t written; /* bytes of names, about */
    bool names_cut;   /* names were too much for one file and were shortened */
    bool flows_cut;   /* there were more flows than TFP_TIMELINE_FLOWS */
} tfp_trace_out;

/* Past these a timeline is of no use to anyone, and a small file could ask for a terabyte. */
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

/* The node of a row ran in the report's step, with a time and on a known device; its execution, else TFP_NONE. */
uint32_t tfp_timeline_exec(const tfp_report *r, uint32_t node);

/* Regions, lanes and flows of the graph view, then memory. */
tfp_status tfp_timeline_graph(const tfp_report *r, tfp_trace_out *t, tfp_error *err);

/* A trace as it was recorded: the calls view. */
tfp_status tfp_timeline_trace(const tfp_report *r, tfp_trace_out *t, tfp_error *err);

/* ---- memory of devices over time ---- */
/* The devices, CPUs left out, that displayed nodes ran on in the report's step. False without memory. */
bool tfp_timeline_devices(const tfp_report *r, tfp_used_devices *out);
/* The counters of one device: pid and pid + 1 are its processes. */
tfp_status tfp_memory_counters(const tfp_report *r, const tfp_used_device *d, int64_t pid, tfp_trace_out *t,
                               tfp_error *err);

#endif
