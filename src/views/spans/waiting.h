// SPDX-License-Identifier: Apache-2.0
/* views/spans/waiting.h: Python frames whose own time is waiting, and threads that only wait (a progress bar's monitor, feeders of
 * queues): these do no work, and are in no sum of host time. */
#ifndef TFP_WAITING_H
#define TFP_WAITING_H

#include "model/join/cut.h"
#include "model/tables/types.h"

typedef enum tfp_thread_role {
    TFP_THREAD_WORKS, /* its waiting does not count, the rest does */
    TFP_THREAD_LEADS, /* it has the marks of steps, or most of the work of its process: its waiting counts, and is named */
    TFP_THREAD_WAITS /* it only waits: nothing of it counts */
} tfp_thread_role;

typedef struct tfp_waiting {
    uint8_t *waits;   /* for each span: a tfp_frame_wait; 0: no frame, or one that works */
    int64_t *own_ns;  /* for each frame, operator and call: its time without those inside it */
    uint8_t *threads; /* for each lane: a tfp_thread_role */
    size_t waiting_threads;
} tfp_waiting;

/* cut: NULL, or the range that counts. `out->waits` stays NULL if no frame waits. False: out of memory. */
bool tfp_waiting_of(const tfp_profile *p, const tfp_cut *cut, tfp_arena *arena, tfp_waiting *out);

/* Whether the host time of a span is in no sum. */
bool tfp_waits_uncounted(const tfp_profile *p, const tfp_waiting *w, uint32_t span);

#endif
