// SPDX-License-Identifier: Apache-2.0
/* whatif/job/step_thread.h: the points of the thread of the steps in order of time, and the spans that are open after each of
 * them. */
#ifndef TFP_WHATIF_JOB_STEP_THREAD_H
#define TFP_WHATIF_JOB_STEP_THREAD_H

#include "whatif/job/job.h"

typedef struct tfp_step_point {
    int64_t at;
    uint32_t span;
    uint32_t around; /* index in spans: the innermost one that is open after it; TFP_NONE: none */
    bool ends;
    bool in_op; /* a host op is open after it */
} tfp_step_point;

/* State for one rank at a time. */
typedef struct tfp_step_thread {
    const tfp_job *j;
    uint32_t *spans, *first; /* spans of those threads: first[unit]... of `spans` */
    bool *closed;            /* for each span */
    TFP_VEC(uint32_t) open;
    TFP_VEC(tfp_step_point) points;
} tfp_step_thread;
bool tfp_step_thread_new(const tfp_job *j, tfp_step_thread *h); /* both return false when memory runs out */
bool tfp_step_thread_read(tfp_step_thread *h, uint32_t unit);   /* fills h->points */
void tfp_step_thread_free(tfp_step_thread *h);
/* The number of points before or at a time. */
size_t tfp_step_thread_until(const tfp_step_thread *h, int64_t at);

#endif
