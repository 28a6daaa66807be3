// SPDX-License-Identifier: Apache-2.0
/* views/timeline/leaves.h: whose the time of a lane is: each moment of a thread is the innermost span's that runs then, an activity has all of
 * its own. Lanes that are derived of others have no time, nor have annotations on devices. Sums of a window and the table of a
 * report's page (tfp_timeline_leaves) go by it. */
#ifndef TFP_VIEWS_LEAVES_H
#define TFP_VIEWS_LEAVES_H

#include "views/timeline/timeline.h"

/* A span that runs for some time in the window. */
typedef struct tfp_leaf {
    const tfp_timeline_lane *lane;
    uint32_t place;
    tfp_strid op;   /* the op that it is, or belongs to: of an activity the one that launched it; TFP_NONE: none */
    int64_t own_ns; /* its own time so far */
} tfp_leaf;

typedef struct tfp_leaf_sweep {
    const tfp_timeline *t;
    int64_t from_ns, to_ns; /* the window */
    void *ctx;
    /* a stretch of a span's own time; NULL: not asked for */
    bool (*part)(void *ctx, const tfp_leaf *of, int64_t from_ns, int64_t to_ns);
    bool (*leaf)(void *ctx, const tfp_leaf *of); /* a span that has ended, with all its own time */
} tfp_leaf_sweep;

/* The lane's spans one after another. False without memory, or where a function says so. */
bool tfp_leaves_of_lane(const tfp_leaf_sweep *x, const tfp_timeline_lane *lane);
/* By which name a span is summed: its own, of executions the type of the node. */
tfp_strid tfp_leaf_name(const tfp_timeline *t, uint32_t place);

#endif
