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
const char *tfp_lane_kind_name(unsigned kind);

/* How a lane that is not of a trace is used in the trace that join/runs.c makes. */
typedef enum tfp_run_use {
    TFP_USE_NONE,   /* nothing */
    TFP_USE_HOST,   /* ops on a CPU */
    TFP_USE_LAUNCH, /* an accelerator's ops, at the times when the host starts them */
    TFP_USE_ALL,    /* activities of all streams of an accelerator */
    TFP_USE_STREAM, /* activities of one stream */
    TFP_USE_MEMCPY  /* copies of an accelerator */
} tfp_run_use;

#include "schema/traces/lanes.def"

/* Sorts lanes by name: `order` lists them, `rank` has the position of each. */
bool tfp_rank_lanes(const tfp_profile *p, uint32_t *order, uint32_t *rank); /* false: out of memory */

struct tfp_lane_list {
    TFP_VEC(tfp_lane);
};
TFP_CONST const tfp_lane_list *tfp_lanes_of(const tfp_profile *p);

#endif
