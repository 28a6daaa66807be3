// SPDX-License-Identifier: Apache-2.0
/* model/tables/lanes.h: lanes: devices, their streams, and host threads. */
#ifndef TFP_TABLES_LANES_H
#define TFP_TABLES_LANES_H

#include "model/tables/types.h"

/* What a lane is. */
typedef enum tfp_lane_role {
    TFP_ROLE_THREAD,  /* a host thread */
    TFP_ROLE_STREAM,  /* a stream or queue of a device: its activities make the device busy */
    TFP_ROLE_ASYNC,   /* additional to a stream: the device is busy, but no node gets the time */
    TFP_ROLE_DERIVED, /* shown, never counted: the tracer derived it from other lanes (steps, modules, annotations) */
    TFP_ROLE_COUNTER
} tfp_lane_role;

/* The column in which the times of a lane are counted. */
typedef enum tfp_lane_kind { TFP_LANE_OTHER, TFP_LANE_CPU, TFP_LANE_ACCELERATOR } tfp_lane_kind;

/* How a lane that is not of a trace is used in the trace that join/runs.c makes. */
typedef enum tfp_run_use {
    TFP_USE_NONE,   /* nothing */
    TFP_USE_HOST,   /* ops on a CPU */
    TFP_USE_LAUNCH, /* an accelerator's ops, at the times when the host starts them */
    TFP_USE_ALL,    /* activities of all streams of an accelerator */
    TFP_USE_STREAM, /* activities of one stream */
    TFP_USE_MEMCPY  /* copies of an accelerator */
} tfp_run_use;

struct tfp_lane {   /* a device, a stream of one, or a host thread */
    tfp_strid name; /* in traces such as "gpu:0/stream:7"; otherwise the device's name in lower case */
    tfp_lane_kind kind;
    tfp_lane_role role;
    tfp_run_use use;  /* for lanes outside traces */
    tfp_strid place;  /* for lanes outside traces: the device as people name it, "gpu:0" or "worker:0/cpu:0" */
    bool is_device;   /* for lanes outside traces: it is a device, not a stream of one */
    unsigned on;      /* for lanes of a trace: TFP_NODE_ON_... for nodes that ran there */
    tfp_strid label;  /* its name in the file; 0: none */
    tfp_strid device; /* for lanes of a trace: its name up to the slash, such as "gpu:0" or "cpu"; otherwise 0 */
    uint32_t process; /* index in events.processes; TFP_NONE for lanes outside traces */
};

/* Sorts lanes by name: `order` lists them, `rank` has the position of each. */
bool tfp_rank_lanes(const tfp_profile *p, uint32_t *order, uint32_t *rank); /* false: out of memory */

struct tfp_lane_list {
    TFP_VEC(tfp_lane);
};
TFP_CONST const tfp_lane_list *tfp_lanes_of(const tfp_profile *p);

#endif
