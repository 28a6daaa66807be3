// SPDX-License-Identifier: Apache-2.0
/* whatif/job/home.h: the points of the thread of the steps in order of time, and the spans that are open after each of
 * them. */
#ifndef TFP_WHATIF_JOB_HOME_H
#define TFP_WHATIF_JOB_HOME_H

#include "whatif/job/job.h"

typedef struct tfp_home_point {
    int64_t at;
    uint32_t span;
    uint32_t around; /* index in spans: the innermost one that is open after it; TFP_NONE: none */
    bool ends;
    bool in_op; /* a host op is open after it */
} tfp_home_point;

/* State for one rank at a time. */
typedef struct tfp_home {
    const tfp_job *j;
    uint32_t *spans, *first; /* spans of those threads: first[unit]... of `spans` */
    bool *closed;            /* for each span */
    TFP_VEC(uint32_t) open;
    TFP_VEC(tfp_home_point) points;
} tfp_home;
bool tfp_home_new(const tfp_job *j, tfp_home *h); /* both return false when memory runs out */
bool tfp_home_read(tfp_home *h, uint32_t unit);   /* fills h->points */
void tfp_home_free(tfp_home *h);
/* The number of points before or at a time. */
size_t tfp_home_until(const tfp_home *h, int64_t at);

#endif
