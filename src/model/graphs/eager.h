// SPDX-License-Identifier: Apache-2.0
/* model/graphs/eager.h: places from runs of the same model without graphs. A run has passes; a pass is the list of its launched
 * activities, each with its place. Sequences of activities without places (replays, and the steps of traces without stacks) are laid
 * over the pass that fits best. */
#ifndef TFP_EAGER_H
#define TFP_EAGER_H

#include "model/graphs/parts.h"

/* Adds the passes of a joined trace to the builder's tables. Errors: TFP_BADFILE: it has no places, or no launches. */
tfp_status tfp_eager_collect(tfp_builder *b, const tfp_profile *from, tfp_error *err);

/* The place of an item of a sequence. */
typedef struct tfp_eager_row {
    uint32_t launch;          /* index in eager: one of those that it may be; TFP_NONE: none */
    uint32_t modules;         /* those that all of them share */
    uint32_t low, high;       /* the first and last position in the pass; low TFP_NONE: unknown */
    uint8_t certainty;        /* TFP_SURE_BY_EAGER, SIMILAR, PARTIAL or NONE */
    uint8_t reason;           /* tfp_no_place */
    bool op, line, trace, at; /* whether all share it; at: the whole path */
} tfp_eager_row;

/* Lays a sequence over the best pass (place.c). share: of its items in the best one. Returns how many places are known; SIZE_MAX:
 * out of memory. */
typedef struct tfp_eager_fit {
    double share;
    bool too_big;
} tfp_eager_fit;
size_t tfp_eager_place(tfp_builder *b, const tfp_graph_sign *signs, uint32_t count, unsigned phase, tfp_eager_row *out,
                       tfp_eager_fit *fit);

/* The stage of the join: gives replays that no capture explains their places, and the launched activities of traces without stacks.
 * False: out of memory. */
bool tfp_eager_join(tfp_builder *b, const tfp_replays *r);
/* The name of an activity as passes compare it: without ".kd", of Triton's kernels without the last number. */
tfp_strid tfp_eager_name(tfp_builder *b, tfp_str name);
/* The phase of each step: process << 32 | step -> tfp_phase. */
bool tfp_eager_phases(const tfp_profile *p, tfp_map64 *out);

#endif
