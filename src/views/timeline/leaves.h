// SPDX-License-Identifier: Apache-2.0
/* views/timeline/leaves.h: assigns the time of a lane to its spans: each moment of a thread belongs to the innermost
 * span that runs then; an activity of a device keeps all of its time. Derived lanes, and annotations on devices, get
 * no time. The sums of a window and the table for a report's page (tfp_timeline_leaves) use these times. */
#ifndef TFP_VIEWS_LEAVES_H
#define TFP_VIEWS_LEAVES_H

#include "views/timeline/timeline.h"

/* A span that runs for some time in the window. */
typedef struct tfp_leaf {
    const tfp_timeline_lane *lane;
    uint32_t place;
    tfp_strid op;   /* the op that it is or belongs to; for an activity the op that launched it; TFP_NONE: none */
    int64_t own_ns; /* its own time so far */
} tfp_leaf;

typedef struct tfp_leaf_sweep {
    const tfp_timeline *t;
    int64_t from_ns, to_ns; /* the window */
    void *ctx;
    /* called with each stretch of a span's own time; NULL: not needed */
    bool (*part)(void *ctx, const tfp_leaf *of, int64_t from_ns, int64_t to_ns);
    bool (*leaf)(void *ctx, const tfp_leaf *of); /* called with each span when it ends, with its whole own time */
} tfp_leaf_sweep;

/* Calls the functions for the lane's spans, one after another. False: out of memory, or a function returned false. */
bool tfp_leaves_of_lane(const tfp_leaf_sweep *x, const tfp_timeline_lane *lane);
/* The name by which a span is summed: its own; for an execution the type of its node. */
tfp_strid tfp_leaf_name(const tfp_timeline *t, uint32_t place);

#endif
