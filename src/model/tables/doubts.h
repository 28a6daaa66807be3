// SPDX-License-Identifier: Apache-2.0
/* model/tables/doubts.h: what a trace's own data puts in doubt, as rows that the join makes (model/join/doubts.c). Reports
 * ask them through views/spans/doubts.h: no number about what is in doubt becomes a finding, a gain or a prediction. */
#ifndef TFP_TABLES_DOUBTS_H
#define TFP_TABLES_DOUBTS_H

#include "model/tables/types.h"

typedef enum tfp_doubt_kind {
    /* what was repaired before the join, once for all */
    TFP_DOUBT_FAR,      /* events over a day from all others, left out */
    TFP_DOUBT_TWICE,    /* activities that were recorded twice, left out */
    TFP_DOUBT_OVERLAPS, /* activities that were cut at the start of the next one of their stream */
    TFP_DOUBT_CUT,      /* the file is truncated, and its events are not in the order of time; set by the reader */
    TFP_DOUBT_REPAIRED, /* number of those above */
    /* what each join finds */
    TFP_DOUBT_LOST_KERNELS = TFP_DOUBT_REPAIRED, /* launches of kernels without a kernel */
    TFP_DOUBT_LOST_REPLAYS,                      /* launches of graphs without an activity */
    TFP_DOUBT_LOST_NODES,                        /* kernels of a replay that other replays of the graph have */
    TFP_DOUBT_NO_LENGTH,                         /* activities without a duration */
    TFP_DOUBT_HOLE,                              /* a time in which nothing was recorded though work went on */
    TFP_DOUBT_MIXED,                             /* several recordings lie over each other in one process */
    TFP_DOUBT_CROWDED,                           /* most activities of a stream overlap */
    TFP_DOUBT_LOST_END,                          /* number of those above */
    TFP_DOUBT_UNRECORDED = TFP_DOUBT_LOST_END, /* time in which a device does what was launched before the recording */
    TFP_DOUBT_CLOCKS,                          /* a process's devices have another clock than its host */
    TFP_DOUBT_APPENDED,                        /* time between two recordings of one process in a file */
    TFP_DOUBT_SAID,                            /* number of those above, which summaries and notes tell */
    /* no fault of the data: launches that load the code of a kernel, which runs for the first time; `of` is 1 if that is
     * over half of the step */
    TFP_DOUBT_LOADING = TFP_DOUBT_SAID,
    TFP_DOUBT_COMPILING, /* the same of compilers and searches for the fastest kernel before the first steady step */
    TFP_DOUBT_KINDS
} tfp_doubt_kind;

#include "schema/traces/doubts.def"

/* Whether nothing about a recording's steps is known because of such a doubt. */
static inline bool tfp_doubt_of_all(tfp_doubt_kind kind)
{
    return kind == TFP_DOUBT_CLOCKS || kind == TFP_DOUBT_CUT || kind == TFP_DOUBT_CROWDED || kind == TFP_DOUBT_MIXED;
}

/* model/join/kept.c: for each step whether means leave it out; to be freed. *out: NULL if none is. False: out of memory. */
bool tfp_left_steps(const tfp_profile *p, bool **out);

#endif
