// SPDX-License-Identifier: Apache-2.0
/* model/tables/doubts.h: what a trace's own data puts in doubt, as rows that the join makes (model/join/doubts.c). Reports
 * ask them through views/spans/doubts.h: no number about what is in doubt becomes a finding, a gain or a prediction. */
#ifndef TFP_TABLES_DOUBTS_H
#define TFP_TABLES_DOUBTS_H

#include "model/tables/types.h"

/* Files store these numbers, so that they never change: a new kind gets the next one, and its group below. */
typedef enum tfp_doubt_kind {
    /* what was repaired before the join, once for all */
    TFP_DOUBT_FAR = 0,      /* events over a day from all others, left out */
    TFP_DOUBT_TWICE = 1,    /* activities that were recorded twice, left out */
    TFP_DOUBT_OVERLAPS = 2, /* activities that were cut at the start of the next one of their stream */
    TFP_DOUBT_CUT = 3,      /* the file is truncated, and its events are not in the order of time; set by the reader */
    /* what each join finds missing, or without times */
    TFP_DOUBT_LOST_KERNELS = 4, /* launches of kernels without a kernel */
    TFP_DOUBT_LOST_REPLAYS = 5, /* launches of graphs without an activity */
    TFP_DOUBT_LOST_NODES = 6,   /* kernels of a replay that other replays of the graph have */
    TFP_DOUBT_NO_LENGTH = 7,    /* activities without a duration */
    TFP_DOUBT_HOLE = 8,         /* a time in which nothing was recorded though work went on */
    TFP_DOUBT_MIXED = 9,        /* several recordings lie over each other in one process */
    TFP_DOUBT_CROWDED = 10,     /* most activities of a stream overlap */
    /* what else each join finds */
    TFP_DOUBT_UNRECORDED = 11, /* time in which a device does what was launched before the recording */
    TFP_DOUBT_CLOCKS = 12,     /* a process's devices have another clock than its host */
    TFP_DOUBT_APPENDED = 13,   /* time between two recordings of one process in a file */
    /* no fault of the data: launches that load the code of a kernel, which runs for the first time; `of` is 1 if that is
     * over half of the step */
    TFP_DOUBT_LOADING = 14,
    TFP_DOUBT_COMPILING =
        15,               /* the same of compilers and searches for the fastest kernel before the first steady step */
    TFP_DOUBT_UNITS = 16, /* times are too short or too long to be those of a device: other units, or lost digits */
    TFP_DOUBT_KINDS
} tfp_doubt_kind;

#include "schema/traces/doubts.def"

static inline bool tfp_doubt_is_repaired(tfp_doubt_kind kind) { return kind <= TFP_DOUBT_CUT; }
/* Whether work is missing, or its times are not known. */
static inline bool tfp_doubt_is_lost(tfp_doubt_kind kind)
{
    return (kind >= TFP_DOUBT_LOST_KERNELS && kind <= TFP_DOUBT_CROWDED) || kind == TFP_DOUBT_UNITS;
}
/* Whether summaries and notes tell it, and the steps that it touches are left out. */
static inline bool tfp_doubt_is_said(tfp_doubt_kind kind)
{
    return kind != TFP_DOUBT_LOADING && kind != TFP_DOUBT_COMPILING;
}

/* Whether nothing about a recording's steps is known because of such a doubt. */
static inline bool tfp_doubt_of_all(tfp_doubt_kind kind)
{
    return kind == TFP_DOUBT_CLOCKS || kind == TFP_DOUBT_CUT || kind == TFP_DOUBT_CROWDED || kind == TFP_DOUBT_MIXED ||
           kind == TFP_DOUBT_UNITS;
}

/* model/join/kept.c: for each step whether means leave it out; to be freed. *out: NULL if none is. False: out of memory. */
bool tfp_left_steps(const tfp_profile *p, bool **out);

#endif
