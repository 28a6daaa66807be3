// SPDX-License-Identifier: Apache-2.0
/* views/spans/busy.h: how long a device was busy, with what, up to any moments. */
#ifndef TFP_VIEWS_TRACE_BUSY_H
#define TFP_VIEWS_TRACE_BUSY_H

#include "views/spans/trace.h"

/* Lengths of unions of activities, by their classes. */
enum {
    TFP_BUSY_ALL,
    TFP_BUSY_COMPUTE,
    TFP_BUSY_COMMUNICATION,
    TFP_BUSY_COPIES, /* and sets */
    TFP_BUSY_NO_COPIES,
    TFP_BUSY_SETS
};
typedef struct tfp_busy {
    int64_t at_ns;
    int64_t ns[TFP_BUSY_SETS]; /* before that moment */
    size_t started, launched;  /* activities that started before it; those of them whose call is known */
    int64_t delay_ns;          /* the sum of their times from the call's end to the start, none below 0 */
} tfp_busy;

/* Fills the rows of the moments `at_ns`, which may have any order, and what is true at the end of all activities.
 * False without memory. */
bool tfp_busy_measure(const tfp_trace_index *x, uint32_t device, tfp_busy *rows, size_t count, tfp_busy *end);

#endif
