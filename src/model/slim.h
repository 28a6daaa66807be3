// SPDX-License-Identifier: Apache-2.0
/* model/slim.h: spans of a trace of which only sums are asked for (TFP_KEEP_SUMS). A lane whose spans come by start, longer
 * ones first, nests while it is read (one that nests nothing may have any order); of each span 16 bytes stay until the steps
 * are known, and the join adds these rows up by kind and step (join/slim_lanes.c). Kinds are what spans have in common: name,
 * place, class. A reader that meets something that rows cannot hold widens the lane: its rows become spans, and the reader
 * goes on with spans. */
#ifndef TFP_SLIM_H
#define TFP_SLIM_H

#include "model/tables/types.h"


#define TFP_SLIM_LONG UINT32_MAX
typedef struct tfp_slim_row {
    uint32_t start;    /* ns behind the block's base */
    uint32_t duration; /* ns; TFP_SLIM_LONG: `rest` -> longs */
    uint32_t rest;     /* where spans nest the self time, elsewhere the correlation */
    uint32_t kind;     /* -> slim_kinds */
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
    uint32_t name, path, op;    /* strids; as of a span */
    uint32_t stats, trace;      /* -> stat_sets, traces; TFP_NONE: none */
    uint8_t kind, class, marks; /* tfp_span_kind, tfp_span_class, TFP_MARK_... */
} tfp_slim_kind;

typedef struct tfp_slim_call { /* an API call */
    uint32_t correlation;      /* 0: none */
    uint32_t owner;            /* -> slim_kinds: the op around it, or itself */
} tfp_slim_call;

typedef struct tfp_slim_group { /* rows of one kind, step, class and kind of call, made by the join */
    uint32_t kind, step;        /* -> slim_kinds, steps; step TFP_NONE: in none, or all steps together */
    uint32_t node, call;        /* call: -> slim_kinds, of copies and sets; TFP_NONE: none */
    uint8_t class;              /* tfp_span_class */
    uint32_t last_step;         /* of the mean: the step of its last row so far; TFP_NONE: none */
    int64_t count, self_ns, min_ns, max_ns, start_ns, end_ns;
    int64_t first_ns; /* how long the first to start takes */
    int64_t outer_ns; /* of threads: how long those are that no other span holds */
} tfp_slim_group;

/* What a lane nests. */
typedef enum tfp_slim_nesting { TFP_SLIM_FLAT, TFP_SLIM_HOST, TFP_SLIM_DEVICE } tfp_slim_nesting;

typedef struct tfp_slim_ran { /* of the mean: a group has rows in a step */
    uint32_t group, step;
} tfp_slim_ran;

typedef struct tfp_slim_lane {
    uint32_t lane; /* -> lanes */
    tfp_slim_nesting nesting;
    tfp_slim_block *first, *last;
    TFP_VEC(tfp_slim_long) longs;
    TFP_VEC(tfp_slim_call) calls; /* all of them, in the order of their rows */
    TFP_VEC(tfp_slim_group) groups;
    TFP_VEC(tfp_slim_ran) ran;
    int64_t start_ns, end_ns; /* first start, last end */
    bool wide;                /* it has spans in place of rows */
} tfp_slim_lane;

struct tfp_slim_tables {
    TFP_VEC(tfp_slim_lane) slims; /* by lane; only with TFP_KEEP_SUMS */
    TFP_VEC(tfp_slim_kind) slim_kinds;
    tfp_map64 slim_by_lane;
    size_t slim_bytes;      /* of their blocks */
    int64_t *slim_outer_ns; /* by step, the first of none: how long spans of threads are that no other one holds; NULL */
    uint32_t *mean_steps;   /* by node: in how many steps it ran, where only the mean is kept (TFP_KEEP_TOTAL); NULL */
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
    if (f->nesting != TFP_SLIM_FLAT) return 0; /* those of API calls are in `calls` */
    return r->duration == TFP_SLIM_LONG ? f->longs.at[r->rest].correlation : r->rest;
}

/* ---- what readers call ---- */

typedef struct tfp_slim_holder { /* a span that may hold others */
    int64_t end_ns;
    tfp_slim_row *op; /* the innermost host op, or nested activity, up to this span; NULL: none */
    uint32_t cpu_op;  /* -> slim_kinds: the innermost op that is no API call; TFP_NONE: none */
    uint32_t kind;    /* -> slim_kinds: of this span */
} tfp_slim_holder;
typedef struct tfp_slim_writer { /* the lane that is being read */
    tfp_builder *b;
    tfp_slim_lane *lane;           /* of slims, which only grow at a beginning */
    uint32_t slim;                 /* -> slims */
    int64_t start_ns, duration_ns; /* of the last span */
    TFP_VEC(tfp_slim_holder) holders;
} tfp_slim_writer;
typedef struct tfp_slim_event {
    int64_t start_ns, duration_ns; /* not negative */
    uint32_t kind, correlation;    /* correlation: of tfp_build_key; not of a nested activity */
} tfp_slim_event;

uint32_t tfp_build_slim_kind(tfp_builder *b, const tfp_slim_kind *k); /* -> slim_kinds */
/* Begins a lane that has neither spans nor rows, or goes on with a flat one. */
void tfp_slim_begin(tfp_slim_writer *f, tfp_builder *b, uint32_t lane, tfp_slim_nesting nesting);
/* False when the span does not come in order: it is not added, and the lane must be widened. */
bool tfp_slim_add(tfp_slim_writer *f, const tfp_slim_event *e);
/* The same of an event that becomes a span, though its lane goes on with rows. */
bool tfp_slim_pass(tfp_slim_writer *f, int64_t start_ns, int64_t duration_ns);
/* The innermost spans that would be around the next one, which ends at `end_ns`, at most `most` of them. How many. */
size_t tfp_slim_around(const tfp_slim_writer *f, int64_t end_ns, const tfp_slim_holder **out, size_t most);
void tfp_slim_widen(tfp_builder *b, uint32_t slim);
void tfp_slim_writer_free(tfp_slim_writer *f);
/* The slim lane of a lane; TFP_NONE. */
uint32_t tfp_slim_of_lane(const tfp_event_tables *t, uint32_t lane);

size_t tfp_slims_memory(const tfp_event_tables *t);
void tfp_slims_free(tfp_event_tables *t);
void tfp_slim_free_rows(tfp_event_tables *t, tfp_slim_lane *x); /* the rows of a lane that becomes wide */

#endif
