// SPDX-License-Identifier: Apache-2.0
/* model/tables/compact.h: lanes of a trace of which only sums are asked for (TFP_READS_SUMS). Each span is kept as a row of 16 bytes
 * until the steps are known; then the join sums rows that are alike by step (join/sums.c). A kind is what spans share: name, place,
 * class. Readers write them (model/trace/compact.h). The rows of a lane that cannot stay compact become spans.
 *
 *     for (tfp_lane_rows r = tfp_lane_rows_of(t, x); tfp_lane_rows_next(&r);) ... r.start_ns, r.kind->name ... */
#ifndef TFP_COMPACT_H
#define TFP_COMPACT_H

#include "model/tables/compact_rows.h"
#include "model/tables/span_kinds.h"
#include "model/tables/types.h"

typedef struct tfp_compact_kind {
    uint32_t name, path, op;    /* strings, as in a span */
    uint32_t stats, trace;      /* indexes in stat_sets and traces; TFP_NONE: none */
    uint8_t kind, class, marks; /* tfp_span_kind, tfp_span_class, TFP_MARK_... */
} tfp_compact_kind;

typedef struct tfp_compact_call { /* an API call */
    uint32_t correlation;         /* 0: none */
    uint32_t owner;               /* index in kinds: the op around it, or itself */
} tfp_compact_call;

typedef struct tfp_compact_sum { /* rows with the same kind, step, class and kind of call; made by the join */
    uint32_t kind, step; /* indexes in kinds and steps; step TFP_NONE: outside all steps, or all steps together */
    uint32_t node, call; /* call: index in kinds, for copies and memsets; TFP_NONE: none */
    uint8_t class;       /* tfp_span_class */
    uint32_t last_step;  /* for the mean: the step of its last row so far; TFP_NONE: none */
    int64_t runs;        /* runs of an instruction that begin with one of its rows (tfp_run_begins) */
    int64_t step_runs;   /* those of them in a listed step; only when float operations are asked for */
    int64_t count, self_ns, min_ns, max_ns, start_ns, end_ns;
    int64_t first_ns; /* duration of the first one to start */
    int64_t outer_ns; /* on threads: total duration of those inside no other span */
} tfp_compact_sum;

typedef struct tfp_compact_ran { /* for the mean: a sum has rows in a step */
    uint32_t sum, step;
} tfp_compact_ran;

/* Which spans of a lane nest. */
typedef enum tfp_nesting { TFP_NESTING_FLAT, TFP_NESTING_HOST, TFP_NESTING_DEVICE } tfp_nesting;

typedef struct tfp_compact_lane {
    uint32_t lane; /* index in lanes */
    tfp_nesting nesting;
    tfp_compact_block *first, *last;
    TFP_VEC(tfp_compact_long) longs;
    TFP_VEC(tfp_compact_call) calls; /* its API calls, in the order of their rows */
    TFP_VEC(tfp_compact_sum) sums;
    TFP_VEC(tfp_compact_ran) ran;
    int64_t start_ns, end_ns; /* first start, last end */
    bool expanded;            /* its rows became spans */
} tfp_compact_lane;

struct tfp_compact_tables {
    TFP_VEC(tfp_compact_lane) lanes; /* only with TFP_READS_SUMS */
    TFP_VEC(tfp_compact_kind) kinds;
    tfp_map64 by_lane;
    size_t bytes; /* size of the blocks */
    /* NULL, or the total duration of threads' spans that are in no other span: first outside all steps, then for each
     * step */
    int64_t *outer_ns;
};

bool tfp_has_compact(const tfp_event_tables *t);                        /* some lane has rows that are compact still */
uint32_t tfp_compact_of_lane(const tfp_event_tables *t, uint32_t lane); /* index in compact->lanes, or TFP_NONE */
tfp_compact_lane *tfp_compact_lane_of(const tfp_event_tables *t, uint32_t lane); /* the same; NULL: none */
size_t tfp_compact_memory(const tfp_event_tables *t);
void tfp_compact_free_rows(tfp_event_tables *t, tfp_compact_lane *x);
void tfp_compact_free(tfp_event_tables *t);

/* ---- the rows of a lane, in the order in which they were read ---- */

typedef struct tfp_lane_rows {
    /* the row */
    int64_t start_ns, duration_ns, self_ns;
    uint32_t correlation; /* of an activity or a call; 0: none */
    uint32_t kind_at;     /* index in kinds */
    const tfp_compact_kind *kind;
    /* where it goes on */
    const tfp_compact_kind *kinds;
    const tfp_compact_lane *lane;
    const tfp_compact_block *block;
    uint32_t next;
    size_t calls; /* calls so far */
} tfp_lane_rows;

tfp_lane_rows tfp_lane_rows_of(const tfp_event_tables *t, const tfp_compact_lane *x); /* NULL: no rows */
/* Decodes a row that starts at `start_ns`. */
static inline void tfp_lane_rows_read(tfp_lane_rows *r, const tfp_compact_row *row, int64_t start_ns)
{
    bool flat = r->lane->nesting == TFP_NESTING_FLAT;
    r->start_ns = start_ns;
    r->kind_at = row->kind;
    r->kind = &r->kinds[row->kind];
    if (row->duration == TFP_COMPACT_LONG) {
        const tfp_compact_long *l = &r->lane->longs.at[row->rest];
        r->duration_ns = l->duration_ns;
        r->self_ns = l->self_ns;
        r->correlation = flat ? l->correlation : 0;
    } else {
        r->duration_ns = row->duration;
        r->self_ns = flat ? row->duration : row->rest;
        r->correlation = flat ? row->rest : 0;
    }
}

static inline bool tfp_lane_rows_next(tfp_lane_rows *r)
{
    while (r->block && r->next == r->block->size) {
        r->block = r->block->next;
        r->next = 0;
    }
    if (!r->block) return false;
    const tfp_compact_row *row = &r->block->rows[r->next++];
    tfp_lane_rows_read(r, row, r->block->base_ns + row->start);
    if (r->lane->nesting != TFP_NESTING_FLAT && r->kind->kind == TFP_SPAN_CALL)
        r->correlation = r->lane->calls.at[r->calls++].correlation;
    return true;
}

#endif
