// SPDX-License-Identifier: Apache-2.0
/* model/tables/lanes.h: lanes: devices, their streams, and host threads. */
#ifndef TFP_TABLES_LANES_H
#define TFP_TABLES_LANES_H

#include "model/tables/profile.h"

/* What a lane is. */
typedef enum tfp_lane_role {
    TFP_ROLE_THREAD,  /* a host thread */
    TFP_ROLE_STREAM,  /* a stream or queue of a device: its activities occupy the device */
    TFP_ROLE_ASYNC,   /* beside a stream: the device is busy, but no node gets the time */
    TFP_ROLE_DERIVED, /* shown, never counted: the tracer made it of other lanes (steps, modules, annotations) */
    TFP_ROLE_COUNTER
} tfp_lane_role;

/* The columns in which the times of a lane count. */
typedef enum tfp_lane_kind { TFP_LANE_OTHER, TFP_LANE_CPU, TFP_LANE_ACCELERATOR } tfp_lane_kind;

/* The use of a lane of no trace in the trace that join/runs.c makes. */
typedef enum tfp_run_use {
    TFP_USE_NONE,   /* nothing */
    TFP_USE_HOST,   /* ops on a CPU */
    TFP_USE_LAUNCH, /* an accelerator's ops, as the host starts them */
    TFP_USE_ALL,    /* activities of all streams of an accelerator */
    TFP_USE_STREAM, /* activities of one stream */
    TFP_USE_MEMCPY  /* copies of an accelerator */
} tfp_run_use;

struct tfp_lane { /* a device, a stream of one, or a host thread */
    tfp_strid name;       /* of traces such as "gpu:0/stream:7"; else the device's name in lower case */
    tfp_lane_kind kind;
    tfp_lane_role role;
    tfp_run_use use;  /* of no trace */
    tfp_strid place;  /* of no trace: the device as people name it, "gpu:0" or "worker:0/cpu:0" */
    bool is_device;   /* of no trace: a device, no stream of one */
    unsigned on;      /* of a trace: TFP_NODE_ON_... for nodes that ran there */
    tfp_strid label;  /* what the file calls it; 0 when it does not */
    tfp_strid device; /* of a trace: its name up to the slash, such as "gpu:0" or "cpu"; else 0 */
    uint32_t process; /* -> events.processes; TFP_NONE for lanes of no trace */
};

/* Lanes in the order of their names: `order` holds them, `rank` the place of each. */
bool tfp_rank_lanes(const tfp_profile *p, uint32_t *order, uint32_t *rank); /* false without memory */

#endif
