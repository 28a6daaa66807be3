// SPDX-License-Identifier: Apache-2.0
/* live/jobs/probe.h: how often processes call one function of a library: uprobes on every CPU, counted by process. Nothing is
 * loaded into a process or stopped; the kernel puts a breakpoint there while we count. */
#ifndef TFP_LIVE_PROBE_H
#define TFP_LIVE_PROBE_H

#include "live/proc/proc.h"

typedef struct tfp_probes tfp_probes;

tfp_probes *tfp_probes_new(void); /* NULL without memory */
void tfp_probes_free(tfp_probes *p);
extern const char tfp_probes_later[]; /* other libraries took the time of this look: to be asked for again */
/* Probes the functions of a framework in this library and in those beside it; the same file is probed once. `pid` shows us the
 * files as its process sees them. NULL when that works, else why not, in words. */
const char *tfp_probes_add(tfp_probes *p, int64_t pid, const char *library, tfp_framework framework);
/* Calls of this process count from now on: all probes of it are open. False without memory. */
bool tfp_probes_watch(tfp_probes *p, int64_t pid);
/* Takes in the calls counted since the last time. False when calls were lost: the counts are too low then. */
bool tfp_probes_read(tfp_probes *p);

typedef struct tfp_calls {
    int64_t count;
    double seconds;   /* in which they were made: count / seconds is the rate; 0: it is not known yet */
    const char *what; /* "session runs"; NULL: none was seen */
} tfp_calls;

/* Calls of a watched process between the last two readings. */
tfp_calls tfp_probes_take(tfp_probes *p, int64_t pid);

#endif
