// SPDX-License-Identifier: Apache-2.0
/* model/tables/spans.h: the spans of a trace in columns, and the flows between them. */
#ifndef TFP_TABLES_SPANS_H
#define TFP_TABLES_SPANS_H

#include "model/tables/span_kinds.h"
#include "model/tables/types.h"

#include "query/order.h"
#include "schema/traces/flows.def"

/* One array per column, all of the same length. */
struct tfp_span_columns {
    size_t size, capacity;
    size_t used; /* the rows from here on were never filled: their RARE columns are 0 */
#define COLUMN(type, name, ...) type *name;
#include "schema/traces/spans.def"
#undef COLUMN
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
    TFP_LOWER_BOUND(low, low, high, END_OF(low) >= end_ns);
    return low;
#undef END_OF
}

#endif
