// SPDX-License-Identifier: Apache-2.0
/* model/tables/doubts.h: what a trace's own data puts in doubt, as rows that the join makes (model/join/doubts.c). Reports
 * ask them through views/spans/doubts.h: no number about what is in doubt becomes a finding, a gain or a prediction. */
#ifndef TFP_TABLES_DOUBTS_H
#define TFP_TABLES_DOUBTS_H

#include "model/tables/types.h"

typedef enum tfp_doubt_kind {
    TFP_DOUBT_LOST_KERNELS, /* launches of kernels without a kernel */
    TFP_DOUBT_LOST_REPLAYS, /* launches of graphs without an activity */
    TFP_DOUBT_UNRECORDED,   /* time in which a device does what was launched before the recording */
    TFP_DOUBT_KINDS
} tfp_doubt_kind;

/* One kind in one step of a process. */
struct tfp_doubt {
    tfp_doubt_kind kind;
    uint32_t process, step; /* step: index in steps; TFP_NONE: outside of all steps */
    uint32_t first;         /* index in spans: the first example */
    /* how many, of how many; those of steps without any are counted in the row outside of all steps */
    int64_t count, of, ns; /* ns: how long; 0 for most kinds */
};

#endif
