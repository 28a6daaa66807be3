// SPDX-License-Identifier: Apache-2.0
/* views/spans/busy.h: how long a device was busy, and with what, up to any times. */
#ifndef TFP_VIEWS_TRACE_BUSY_H
#define TFP_VIEWS_TRACE_BUSY_H

#include "views/spans/trace.h"

/* Unions of activities by class, whose lengths are measured. */
enum {
    TFP_BUSY_ALL,
    TFP_BUSY_COMPUTE,
    TFP_BUSY_COMMUNICATION,
    TFP_BUSY_COPIES, /* and memsets */
    TFP_BUSY_NO_COPIES,
    TFP_BUSY_SETS
};
typedef struct tfp_busy {
    int64_t at_ns;
    int64_t ns[TFP_BUSY_SETS]; /* lengths before that time */
    /* number of activities that started before it, and how many of these have a known call */
    size_t started, launched;
    int64_t delay_ns; /* sum over these of the time from the call's end to the start, at least 0 each */
} tfp_busy;

/* Fills rows for the times `at_ns`, which may be in any order, and the values at the end of all activities. False: out
 * of memory. */
bool tfp_busy_measure(const tfp_trace_index *x, uint32_t device, tfp_busy *rows, size_t count, tfp_busy *end);

#endif
