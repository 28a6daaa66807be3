// SPDX-License-Identifier: Apache-2.0
/* flops/aten/captured.h: the operators that were called while a graph was captured, and how often replays of it ran
 * them. */
#ifndef TFP_ATEN_CAPTURED_H
#define TFP_ATEN_CAPTURED_H

#include "flops/aten/aten.h"
#include "model/graphs.h"

/* Finds for each captured launch from index `from` on the operator around it, with its float operations. p, w: the
 * trace that recorded the captures, and the costs of its calls; own: this trace is the profile that has the tables `g`.
 * False when memory runs out. */
bool tfp_aten_count_captured(tfp_graph_tables *g, const tfp_profile *p, const tfp_aten_work *w, size_t from, bool own);
/* Sets the state of captured calls in a trace that is its own capture to TFP_ATEN_INSIDE: they compute nothing when
 * they are captured, only when they are replayed. */
void tfp_aten_leave_captured(const tfp_profile *p, tfp_aten_work *w);

/* The operator that an activity of a replay runs, if it is certain; else NULL. */
const tfp_captured_call *tfp_replayed_call(const tfp_profile *p, uint32_t span);

/* Finds which activity of a replay is the first of its call, while spans are visited in order. */
typedef struct tfp_replayed {
    const tfp_profile *p;
    uint32_t *latest; /* for each call: 1 + the launch of the replay that was seen last */
    tfp_map64 seen;   /* launch << 32 | call; used if the launches of a call are not in order */
    bool ordered;
} tfp_replayed;
bool tfp_replayed_begin(const tfp_profile *p, tfp_replayed *r); /* false without memory */
bool tfp_replayed_first(tfp_replayed *r, uint32_t span, int *first);
void tfp_replayed_end(tfp_replayed *r);

#endif
