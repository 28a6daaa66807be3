// SPDX-License-Identifier: Apache-2.0
/* model/nest.h: what called what on a host thread, Python frames included. The model's parents do not include plain
 * frames, because frames often cross operators. Here a frame that crosses the end of the frame or operator around it is
 * cut at that end. Other spans that cross, such as a range that one call begins and another ends, belong to the
 * innermost span that contains them completely. */
#ifndef TFP_NEST_H
#define TFP_NEST_H

#include "model/tables/types.h"

typedef struct tfp_nest {
    const uint32_t *order; /* all spans of the profile, parents before children */
    uint32_t *parent;      /* for each span; TFP_NONE at the top, and for spans that do not nest */
    int64_t *duration_ns;  /* for each span: its duration, possibly cut */
    int64_t crossings;     /* number of spans that begin in another one and end after it */
    int64_t cuts;          /* how many of them were cut */
    uint32_t first;        /* the first frame that crosses */
    bool plain;            /* a trace whose spans have no meaning for any framework */
} tfp_nest;

bool tfp_has_plain_spans(const tfp_profile *p);
/* Whether `calls` shows spans of a kind with these marks; other: also those without a meaning. */
bool tfp_kind_nests(unsigned kind, unsigned marks, bool other);
/* Whether `calls` shows a span of a host thread. */
bool tfp_nests(const tfp_profile *p, bool plain, uint32_t span);

/* False: out of memory. */
bool tfp_nest_of(const tfp_profile *p, tfp_arena *arena, tfp_nest *out);

#endif
