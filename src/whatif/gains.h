// SPDX-License-Identifier: Apache-2.0
/* whatif/gains.h: the gains of single changes, as `tfprof whatif` predicts them, for other views. */
#ifndef TFP_WHATIF_GAINS_H
#define TFP_WHATIF_GAINS_H

#include "model/tables/types.h"

/* A change: one that can be typed, or one of spans. */
typedef struct tfp_remedy {
    const char *typed; /* such as "input 0"; NULL: the change is one of spans */
    /* Whether it changes a span; `waits` is the reason why the span waits (TFP_WAITS_...). NULL: the host takes no time
     * at all. */
    bool (*has)(const void *ctx, uint32_t span, unsigned waits);
    const void *ctx;
    /* The share of their time that activities still take. 0: they are gone, and so are their calls. Spans of the host
     * take no time and wait for nothing. */
    double left;
    double gain_us; /* the answer: by how much a step becomes shorter; NAN: unknown */
} tfp_remedy;

/* Facts about the replay of which the gains are. */
typedef struct tfp_gains_about {
    const char *limit;   /* what most of today's longest path consists of, such as "the host"; NULL: unknown */
    bool lacks_launches; /* much of the device's time has no launch in the trace: no change of the host shortens it */
} tfp_gains_about;

/* Fills gain_us of each change. It stays NAN if the replay cannot predict it, because it is off by over 5 %, there is no
 * step, or the change compares ranks and there is only one. */
tfp_status tfp_whatif_gains(tfp_report *r, tfp_remedy *remedies, size_t count, tfp_gains_about *about, tfp_error *err);

/* The fact `limits` of a trace whose device is known: how much faster a step could be at most, and where most is lost.
 * Adds nothing where that is unknown. Leaves the limits to the caller, who frees them (tfp_limits_free); `found`: there are any. */
struct tfp_trace_index;
struct tfp_limits;
tfp_status tfp_limits_fact(tfp_report *r, const struct tfp_trace_index *x, struct tfp_limits *out, bool *found,
                           tfp_error *err);

#endif
