// SPDX-License-Identifier: Apache-2.0
/* model/slim.h: spans of a trace of which only sums are asked for (TFP_READS_SUMS). A lane whose spans come by start,
 * longer ones first, is nested while it is read; a lane without nesting may have any order. Each span is kept as a row
 * of 16 bytes until the steps are known; then the join sums the rows by kind and step (join/slim_lanes.c). A kind is
 * what spans share: name, place, class. When a reader finds something that rows cannot represent, it widens the lane:
 * the lane's rows become spans, and the reader goes on with spans. */
#ifndef TFP_SLIM_H
#define TFP_SLIM_H

#include "model/tables/types.h"

#define TFP_SLIM_LONG UINT32_MAX
typedef struct tfp_slim_row {
    uint32_t start;    /* ns after the block's base */
    uint32_t duration; /* ns; TFP_SLIM_LONG: `rest` is an index in longs */
    uint32_t rest;     /* in a nested lane the self time, otherwise the correlation */
    uint32_t kind;     /* index in slim_kinds */
} tfp_slim_row;
typedef struct tfp_slim_long { /* a span of more than four seconds */
    int64_t duration_ns;
    int64_t self_ns;
    uint32_t correlation;
} tfp_slim_long;
typedef struct tfp_slim_block {
    struct tfp_slim_block *next;
    int64_t base_ns;
    uint32_t size, capacity;
    tfp_slim_row rows[];
} tfp_slim_block;

typedef struct tfp_slim_kind {
    uint32_t name, path, op;    /* strings, as in a span */
    uint32_t stats, trace;      /* indexes in stat_sets and traces; TFP_NONE: none */
    uint8_t kind, class, marks; /* tfp_span_kind, tfp_span_class, TFP_MARK_... */
} tfp_slim_kind;

typedef struct tfp_slim_call { /* an API call */
    uint32_t correlation;      /* 0: none */
    uint32_t owner;            /* index in slim_kinds: the op around it, or itself */
} tfp_slim_call;

typedef struct tfp_slim_group { /* rows with the same kind, step, class and kind of call; made by the join */
    uint32_t kind, step; /* indexes in slim_kinds and steps; step TFP_NONE: outside all steps, or all steps together */
    uint32_t node, call; /* call: index in slim_kinds, for copies and memsets; TFP_NONE: none */
    uint8_t class;       /* tfp_span_class */
    uint32_t last_step;  /* for the mean: the step of its last row so far; TFP_NONE: none */
    int64_t runs;        /* runs of an instruction that begin with one of its rows (tfp_run_begins) */
    int64_t step_runs;   /* those of them in a listed step; only when float operations are asked for */
    int64_t count, self_ns, min_ns, max_ns, start_ns, end_ns;
    int64_t first_ns; /* duration of the first one to start */
    int64_t outer_ns; /* on threads: total duration of those inside no other span */
} tfp_slim_group;

/* Which spans of a lane nest. */
typedef enum tfp_slim_nesting { TFP_SLIM_FLAT, TFP_SLIM_HOST, TFP_SLIM_DEVICE } tfp_slim_nesting;

typedef struct tfp_slim_ran { /* for the mean: a group has rows in a step */
    uint32_t group, step;
} tfp_slim_ran;

typedef struct tfp_slim_lane {
    uint32_t lane; /* index in lanes */
    tfp_slim_nesting nesting;
    tfp_slim_block *first, *last;
    TFP_VEC(tfp_slim_long) longs;
    TFP_VEC(tfp_slim_call) calls; /* its API calls, in the order of their rows */
    TFP_VEC(tfp_slim_group) groups;
    TFP_VEC(tfp_slim_ran) ran;
    int64_t start_ns, end_ns; /* first start, last end */
    bool wide;                /* it has spans instead of rows */
} tfp_slim_lane;

struct tfp_slim_tables {
    TFP_VEC(tfp_slim_lane) slims; /* one for each such lane; only with TFP_READS_SUMS */
    TFP_VEC(tfp_slim_kind) slim_kinds;
    tfp_map64 slim_by_lane;
    size_t slim_bytes; /* size of their blocks */
    /* NULL, or the total duration of threads' spans that are in no other span: first outside all steps, then for each
     * step */
    int64_t *slim_outer_ns;
    /* NULL, or, when only the mean is kept (TFP_READS_ONE_STEP), for each node in how many steps it ran */
    uint32_t *mean_steps;
};

static inline int64_t tfp_slim_start_of(const tfp_slim_block *b, const tfp_slim_row *r)
{
    return b->base_ns + r->start;
}
static inline int64_t tfp_slim_duration(const tfp_slim_lane *f, const tfp_slim_row *r)
{
    return r->duration == TFP_SLIM_LONG ? f->longs.at[r->rest].duration_ns : r->duration;
}
static inline int64_t tfp_slim_self(const tfp_slim_lane *f, const tfp_slim_row *r)
{
    if (r->duration == TFP_SLIM_LONG) return f->longs.at[r->rest].self_ns;
    return f->nesting == TFP_SLIM_FLAT ? r->duration : r->rest;
}
static inline uint32_t tfp_slim_correlation(const tfp_slim_lane *f, const tfp_slim_row *r)
{
    if (f->nesting != TFP_SLIM_FLAT) return 0; /* in a nested lane those of API calls are in `calls` */
    return r->duration == TFP_SLIM_LONG ? f->longs.at[r->rest].correlation : r->rest;
}

/* ---- what readers call ---- */

typedef struct tfp_slim_holder { /* a span that may contain others */
    int64_t end_ns;
    tfp_slim_row *op; /* the innermost host op or nested activity, including this span; NULL: none */
    uint32_t cpu_op;  /* index in slim_kinds: the innermost op that is no API call; TFP_NONE: none */
    uint32_t kind;    /* index in slim_kinds: this span's kind */
} tfp_slim_holder;
typedef struct tfp_slim_writer { /* state of the lane that is being read */
    tfp_builder *b;
    tfp_slim_lane *lane;           /* points into slims, which only grow when a lane begins */
    uint32_t slim;                 /* index in slims */
    int64_t start_ns, duration_ns; /* of the last span */
    TFP_VEC(tfp_slim_holder) holders;
} tfp_slim_writer;
typedef struct tfp_slim_event {
    int64_t start_ns, duration_ns; /* not negative */
    uint32_t kind, correlation;    /* correlation: from tfp_build_key; unused for a nested activity */
} tfp_slim_event;

uint32_t tfp_build_slim_kind(tfp_builder *b, const tfp_slim_kind *k); /* returns an index in slim_kinds */
/* Begins a lane that has neither spans nor rows, or continues a flat one. */
void tfp_slim_begin(tfp_slim_writer *f, tfp_builder *b, uint32_t lane, tfp_slim_nesting nesting);
/* False: the span does not come in order; it is not added, and the lane must be widened. */
bool tfp_slim_add(tfp_slim_writer *f, const tfp_slim_event *e);
/* The same for an event that becomes a span although its lane continues with rows. */
bool tfp_slim_pass(tfp_slim_writer *f, int64_t start_ns, int64_t duration_ns);
/* The innermost spans that would be around the next span, which ends at `end_ns`; at most `most`. Returns how many. */
size_t tfp_slim_around(const tfp_slim_writer *f, int64_t end_ns, const tfp_slim_holder **out, size_t most);
void tfp_slim_widen(tfp_builder *b, uint32_t slim);
bool tfp_slims_have_rows(const tfp_event_tables *t); /* some lane is not wide */
/* Whether rows of streams and of their launches may hold what the join doubts (join/doubts.h, times.c): then all must become
 * spans. */
bool tfp_slims_doubtful(tfp_builder *b);
void tfp_slim_writer_free(tfp_slim_writer *f);
/* The slim lane of a lane, or TFP_NONE. */
uint32_t tfp_slim_of_lane(const tfp_event_tables *t, uint32_t lane);

size_t tfp_slims_memory(const tfp_event_tables *t);
void tfp_slims_free(tfp_event_tables *t);
void tfp_slim_free_rows(tfp_event_tables *t, tfp_slim_lane *x); /* frees the rows of a lane that becomes wide */

#endif
