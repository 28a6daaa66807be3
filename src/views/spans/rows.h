// SPDX-License-Identifier: Apache-2.0
/* views/spans/rows.h: rows of slim lanes (model/slim.h), for tables that are made of rows and not of spans. */
#ifndef TFP_VIEWS_TRACE_ROWS_H
#define TFP_VIEWS_TRACE_ROWS_H

#include "model/slim.h"
#include "views/spans/trace.h"

bool tfp_rows_are_used(const tfp_profile *p);
/* For index.c: ranges of units; whether a lane has rows that count, and their range. */
void tfp_rows_extent(tfp_trace_index *x);
bool tfp_rows_of_lane(const tfp_trace_index *x, const tfp_slim_lane *f, int64_t *start_ns, int64_t *end_ns);

/* The rows of a device that count, sorted by start. */
typedef struct tfp_row_stream tfp_row_stream;
typedef struct tfp_rows {
    const tfp_profile *p;
    tfp_row_stream *streams; /* a heap */
    size_t count;
} tfp_rows;
typedef struct tfp_row_found {
    const tfp_slim_lane *lane;
    const tfp_slim_row *row;
    int64_t start_ns, end_ns;
} tfp_row_found;
bool tfp_rows_start(tfp_rows *m, const tfp_trace_index *x,
                    uint32_t device); /* false: out of memory; call the end function in this case too */
bool tfp_rows_next(tfp_rows *m, tfp_row_found *out);
void tfp_rows_end(tfp_rows *m);

#endif
