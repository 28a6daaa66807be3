// SPDX-License-Identifier: Apache-2.0
/* model/join/doubts.h: shared by the files that find doubts. */
#ifndef TFP_JOIN_DOUBTS_H
#define TFP_JOIN_DOUBTS_H

#include "model/join/join.h"
#include "model/tables/doubts.h"

/* A device may start an activity this long before the one before it ends, up to half of the shorter. */
#define TFP_EARLY_NS 20000
#define TFP_LONG_NS 1000000 /* a shorter call may only cost its own time */
/* A wait that begins later than this many times its length after the recording did is one of the program. */
#define TFP_LEAD 4

/* What is known of the begin of a process's recording. */
typedef TFP_VEC(uint32_t) tfp_waits;
typedef struct tfp_begin {
    const uint32_t *waits; /* calls that wait for a device for long; indexes in spans */
    size_t wait_count;
    const uint8_t *active;    /* for each step: whether a device works in it */
    int64_t synced_ns;        /* when the first call ended that waits for a device */
    tfp_step_window *windows; /* of the process */
    size_t window_count;
} tfp_begin;
/* loading.c: finds launches that load the code of their kernels, among slow ones (activities whose launch takes long), and what
 * compiles before the first steady step, among long spans of compilers. */
void tfp_doubt_loading(tfp_join *x, const tfp_waits *slow, tfp_waits *compilers);
/* unrecorded.c: finds the time in which a process's devices do work from before the recording. */
void tfp_doubt_unrecorded(tfp_join *x, uint32_t process, const tfp_begin *begin);

#endif
