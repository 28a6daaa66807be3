// SPDX-License-Identifier: Apache-2.0
/* model/nest.h: what called what on a host thread, Python frames included. The parents of the model leave plain frames
 * out, because frames often cross operators; here a frame that crosses the end of the frame or operator around it is cut at that
 * end. Whatever else crosses, such as a range that one call begins and another ends, stands in the innermost span that
 * contains all of it. */
#ifndef TFP_NEST_H
#define TFP_NEST_H

#include "model/tables/types.h"

typedef struct tfp_nest {
    uint32_t *order;      /* all spans of the profile; parents come first */
    uint32_t *parent;     /* by span: TFP_NONE at the top, and for what does not nest */
    int64_t *duration_ns; /* by span: up to the cut */
    int64_t crossings;    /* spans that begin in another one and end after it */
    int64_t cuts;         /* how many of them were cut */
    uint32_t first;       /* the first frame that crosses */
    bool plain;           /* a trace of spans that no framework gave a meaning */
} tfp_nest;

bool tfp_has_plain_spans(const tfp_profile *p);
/* Whether `calls` shows a span of a host thread. */
bool tfp_nests(const tfp_profile *p, bool plain, uint32_t span);

/* False without memory. */
bool tfp_nest_of(const tfp_profile *p, tfp_arena *arena, tfp_nest *out);

#endif
