// SPDX-License-Identifier: Apache-2.0
/* watch/judge/steps.h: which calls of a process begin a step. Pure functions of what the process was seen to do.
 *
 *   for each call of a probed function, collective or program run, in order:
 *       if (tfp_watch_steps_take(s, what, gap_us)) a step begins with this call
 *   tfp_watch_rhythm r = tfp_watch_steps_rhythm(s);   r.fit < 0.95: no step may be claimed
 *
 * `what` is a hash of kind, size and group of a collective, or of the function; `gap_us` the time since the previous
 * call returned, so that waiting in a call does not count. */
#ifndef TFP_WATCH_STEPS_H
#define TFP_WATCH_STEPS_H

#include "base/base.h"

typedef struct tfp_watch_steps tfp_watch_steps;

typedef struct tfp_watch_rhythm {
    size_t calls; /* in a step; 0: none is known yet */
    double fit;   /* share of the last calls that lie on the period */
    bool gaps;    /* the period is in the gaps between calls, not in what is called */
} tfp_watch_rhythm;

tfp_watch_steps *tfp_watch_steps_new(void); /* NULL: out of memory. It takes 80 KB and never more. */
void tfp_watch_steps_free(tfp_watch_steps *s);
bool tfp_watch_steps_take(tfp_watch_steps *s, uint64_t what, int64_t gap_us);
tfp_watch_rhythm tfp_watch_steps_rhythm(const tfp_watch_steps *s);

/* The period of the lines at which a main thread was seen. A line is entered when the sample before has another one. */
typedef struct tfp_watch_line_seen {
    int64_t at_us;
    uint32_t line; /* number of a line of user code */
} tfp_watch_line_seen;
typedef struct tfp_watch_line_period {
    uint32_t line; /* entering it begins a step; TFP_NONE: there is no period */
    double us;     /* in a period */
    double fit;    /* share of its entries that come after that time, by a quarter */
} tfp_watch_line_period;
tfp_watch_line_period tfp_watch_line_period_of(const tfp_watch_line_seen *seen, size_t count);

#endif
