// SPDX-License-Identifier: Apache-2.0
/* model/trace/compact.h: writes compact lanes (model/tables/compact.h). A lane whose spans come by start, longer ones first, is nested
 * while it is read; a lane without nesting may have any order. When a reader finds something that rows cannot represent, the lane's
 * rows become spans, and the reader goes on with spans. */
#ifndef TFP_TRACE_COMPACT_H
#define TFP_TRACE_COMPACT_H

#include "model/tables/compact.h"

typedef struct tfp_compact_holder { /* a span that may contain others */
    int64_t end_ns;
    tfp_compact_row *op; /* the innermost host op or nested activity, including this span; NULL: none */
    uint32_t cpu_op;     /* index in kinds: the innermost op that is no API call; TFP_NONE: none */
    uint32_t kind;       /* index in kinds: this span's kind */
} tfp_compact_holder;
typedef struct tfp_compact_writer { /* state of the lane that is being read */
    tfp_builder *b;
    tfp_compact_lane *lane;        /* points into the compact lanes, which only grow when a lane begins */
    uint32_t at;                   /* index of that lane */
    int64_t start_ns, duration_ns; /* of the last span */
    TFP_VEC(tfp_compact_holder) holders;
} tfp_compact_writer;
typedef struct tfp_compact_event {
    int64_t start_ns, duration_ns; /* not negative */
    uint32_t kind, correlation;    /* correlation: from tfp_build_key; unused for a nested activity */
} tfp_compact_event;

uint32_t tfp_build_compact_kind(tfp_builder *b, const tfp_compact_kind *k); /* returns an index in kinds */
/* Begins a lane. False: the lane cannot be compact (any more), because it has spans already, or a second line comes that nests. */
bool tfp_compact_begin(tfp_compact_writer *f, tfp_builder *b, uint32_t lane, tfp_nesting nesting, bool is_new);
/* False: the span does not come in order; it is not added, and the lane must be expanded. */
bool tfp_compact_add(tfp_compact_writer *f, const tfp_compact_event *e);
/* The same for an event that becomes a span although its lane continues with rows. */
bool tfp_compact_beside(tfp_compact_writer *f, int64_t start_ns, int64_t duration_ns);
/* The innermost spans that would be around the next span, which ends at `end_ns`; at most `most`. Returns how many. */
size_t tfp_compact_around(const tfp_compact_writer *f, int64_t end_ns, const tfp_compact_holder **out, size_t most);
void tfp_compact_writer_free(tfp_compact_writer *f);
/* Makes spans of the rows of one compact lane, or of all those of a process (TFP_NONE: of every process). */
void tfp_compact_expand(tfp_builder *b, uint32_t at);
void tfp_compact_expand_process(tfp_builder *b, uint32_t process);

#endif
