// SPDX-License-Identifier: Apache-2.0
/* model/join/timeline.h: the recording of one process cut into equal parts of time, in which clocks.c and breaks.c see what cannot be
 * right. It is filled while doubts.c goes through the spans. */
#ifndef TFP_JOIN_TIMELINE_H
#define TFP_JOIN_TIMELINE_H

#include "model/join/join.h"

/* Numbers that a process counts up: correlations of calls, external ids of operators. */
enum { TFP_NUMBERS_OF_CALLS, TFP_NUMBERS_OF_OPS, TFP_NUMBERS_KINDS };
typedef struct tfp_number_range {
    uint32_t low, high; /* high 0: none */
} tfp_number_range;

#define TFP_SYNC_NS 100000 /* so long after a call that waited for it work may seem to end */

typedef struct tfp_time_part {
    tfp_number_range numbers[TFP_NUMBERS_KINDS];
    int64_t first_ns, last_ns; /* starts of calls, operators and activities; none if the first is greater */
    int32_t busy;              /* activities that begin in it, less those that ended in the part before */
    uint32_t first;            /* the activity that starts first; TFP_NONE: none */
    int64_t end_ns;            /* the last end of an activity that ends in it; INT64_MIN: none */
    int64_t launched;          /* activities with a launch */
    int64_t early, early_ns;   /* those that start well before their launch, and how long at most */
    int64_t least_ns;          /* the shortest time from the end of a launch to its kernel */
    int64_t done_ns;           /* when all that was launched in it has ended; INT64_MIN: nothing was */
    int64_t blocking;          /* copies into pageable memory, whose calls return when they are done */
    int64_t over, over_ns;     /* those that go on for long after their calls, and how long at most */
} tfp_time_part;

/* Of all parts: what tells whether the times have the unit that the format says. */
typedef struct tfp_lengths {
    int64_t kernels, brief; /* kernels of a GPU; those that are shorter than any kernel can be */
    int64_t calls;          /* operators and calls that have a duration */
    int64_t quick, tiny;    /* those of them that take less than 0.2 ms, and less than 0.15 us */
    int64_t short_kernels;  /* kernels of less than 0.2 ms */
    bool fractions;         /* a duration is no whole number of microseconds */
} tfp_lengths;

typedef struct tfp_timeline {
    tfp_join *x;
    uint32_t process;
    int64_t start_ns, end_ns, part_ns;
    size_t count; /* of parts; 0: the process does nothing */
    tfp_time_part *parts;
    tfp_lengths lengths;
} tfp_timeline;

bool tfp_timeline_start(tfp_timeline *t, tfp_join *x, uint32_t process); /* false: out of memory */
void tfp_timeline_add(tfp_timeline *t, uint32_t span);                   /* a call, an operator or an activity */
size_t tfp_timeline_at(const tfp_timeline *t, int64_t at_ns);            /* the part of a moment */

/* clocks.c: finds how far the clock of the process's devices is from its host's somewhere; 0: no doubt. `syncs`: calls of the process that
 * end when everything launched before has ended. False: out of memory. */
bool tfp_clocks_apart(const tfp_timeline *t, const uint32_t *syncs, size_t sync_count, int64_t *ns);
/* Whether the times of a process are in another unit than the file says, or have lost their digits. */
bool tfp_units_differ(const tfp_timeline *t);
/* breaks.c: adds rows for the time in which a process recorded nothing though it went on, or that lies between two recordings. False: out
 * of memory. */
bool tfp_doubt_breaks(const tfp_timeline *t);
/* Whether several recordings are mixed in a process; host_ops: how many it has. */
bool tfp_is_mixed(const tfp_join *x, uint32_t process, size_t host_ops);

#endif
