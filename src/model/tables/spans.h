// SPDX-License-Identifier: Apache-2.0
/* model/tables/spans.h: the spans of a trace in columns, and the flows between them. */
#ifndef TFP_TABLES_SPANS_H
#define TFP_TABLES_SPANS_H

#include "model/tables/span_kinds.h"
#include "model/tables/types.h"

/* A link between spans. */
struct tfp_flow {
    uint32_t from, to; /* indexes in spans */
    tfp_flow_kind kind;
};

/* The columns of a span: type, name, value for "unknown". All code that handles every column (growing, freeing,
 * measuring, writing to a file) uses these two lists. Readers fill the first list, the join fills the second. */
#define TFP_SPAN_IN_COLUMNS(X)                                                                                         \
    X(int64_t, start_ns, 0)                                                                                            \
    X(int64_t, duration_ns, 0)                                                                                         \
    X(uint32_t, lane, 0)            /* index in lanes */                                                               \
    X(uint32_t, name, 0)            /* a string */                                                                     \
    X(uint8_t, kind, TFP_SPAN_NONE) /* tfp_span_kind */                                                                \
    X(uint8_t, class, 0)            /* tfp_span_class */                                                               \
    X(uint8_t, marks, 0)            /* TFP_MARK_... */                                                                 \
    X(uint32_t, stats, TFP_NONE)    /* index in stat_sets */                                                           \
    X(uint32_t, correlation, 0)     /* joins it to the launch, from tfp_build_key; 0: none */                          \
    X(uint32_t, external, 0)        /* Kineto's `External id`, from tfp_build_key; 0: none */                          \
    X(uint32_t, sequence, 0)        /* autograd's sequence number, from tfp_build_key; 0: none */                      \
    X(uint32_t, path, 0) /* string: its place in the model, if the file tells it; 0: it follows from nesting */        \
    X(uint32_t, op, 0)   /* string: its op type, for spans with a path */                                              \
    X(uint32_t, trace, TFP_NONE) /* index in traces: the call stack */
#define TFP_SPAN_JOIN_COLUMNS(X)                                                                                       \
    X(uint32_t, parent, TFP_NONE) /* innermost host op, annotation, module or frame around it */                       \
    X(uint32_t, launch, TFP_NONE) /* for activities: the API call */                                                   \
    X(uint32_t, owner, TFP_NONE)  /* for activities: the op that launched it; TFP_NONE: none */                        \
    X(uint32_t, node, TFP_NONE)   /* index in nodes */                                                                 \
    X(uint32_t, step, TFP_NONE)   /* index in steps; TFP_NONE: in none */                                              \
    X(uint32_t, attribution,                                                                                           \
      TFP_NONE) /* index in attributions: for activities whose launch does not tell their place */                     \
    X(int64_t, self_ns, 0)

/* One array per column, all of the same length. The join's arrays exist after its first run. */
struct tfp_span_columns {
    size_t size, capacity;
#define TFP_SPAN_FIELD(type, name, none) type *name;
    TFP_SPAN_IN_COLUMNS(TFP_SPAN_FIELD)
    TFP_SPAN_JOIN_COLUMNS(TFP_SPAN_FIELD)
#undef TFP_SPAN_FIELD
};

static inline int64_t tfp_span_end(const tfp_span_columns *s, uint32_t span)
{
    return tfp_add(s->start_ns[span], s->duration_ns[span], NULL);
}

/* The span of the host below which an activity stands: its launch. A launch without duration is only the end of an arrow,
 * on a thread of the runtime; then it is the op, if the file tells it. TFP_NONE: it has no launch. */
static inline uint32_t tfp_span_host(const tfp_span_columns *s, uint32_t activity)
{
    uint32_t launch = s->launch[activity], op = s->owner[activity];
    bool moment = launch != TFP_NONE && s->duration_ns[launch] == 0;
    return moment && op != TFP_NONE && s->marks[activity] & TFP_MARK_OP_TOLD ? op : launch;
}

/* How many rows of a stack end at `end_ns` or later: the last of these is the innermost span that contains one with
 * that end. A row has `size` bytes and begins with its end; ends increase towards the bottom. */
static inline size_t tfp_spans_holding(const void *rows, size_t count, size_t size, int64_t end_ns)
{
#define END_OF(i) (*(const int64_t *)((const char *)rows + (i)*size))
    size_t low = 0, high = count;
    if (high && END_OF(high - 1) >= end_ns) return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (END_OF(middle) >= end_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
#undef END_OF
}

#endif
