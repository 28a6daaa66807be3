// SPDX-License-Identifier: Apache-2.0
/* live/jobs/probe.h: how often processes call one function of a library: uprobes on every CPU, counted by process. Nothing is
 * loaded into a process and none is stopped; the kernel puts a breakpoint at the function while we count. */
#ifndef TFP_LIVE_PROBE_H
#define TFP_LIVE_PROBE_H

#include "live/proc/proc.h"

typedef struct tfp_probes tfp_probes;

tfp_probes *tfp_probes_new(void); /* NULL: out of memory */
void tfp_probes_free(tfp_probes *p);
extern const char tfp_probes_later[]; /* the reason "ask again later": other libraries took the time of this look */
/* Probes the functions of a framework in this library and in those beside it; a file is probed only once. The files are opened
 * as process `pid` sees them. NULL when that works, else why not, as a sentence. */
const char *tfp_probes_add(tfp_probes *p, int64_t pid, const char *library, tfp_framework framework);
/* Counts calls of this process from now on, when all its probes are open. False: out of memory. */
bool tfp_probes_watch(tfp_probes *p, int64_t pid);
/* Takes in the calls counted since the last time. False when calls were lost: the counts are too low then. */
bool tfp_probes_read(tfp_probes *p);

typedef struct tfp_calls {
    int64_t count;
    double seconds;   /* the time in which they were made: count / seconds is the rate; 0: not known yet */
    const char *what; /* such as "session runs"; NULL: no call was seen */
} tfp_calls;

/* Calls of a watched process between the last two readings. */
tfp_calls tfp_probes_take(tfp_probes *p, int64_t pid);

/* ---- each hit, for a caller that wants the times ---- */

typedef enum tfp_probe_role {
    TFP_PROBE_STEP,       /* a function that is called once a step */
    TFP_PROBE_COLLECTIVE, /* a collective is begun */
    TFP_PROBE_WAIT,       /* a wait for one begins, and ends */
    TFP_PROBE_WAIT_END
} tfp_probe_role;
typedef struct tfp_probe_hit {
    int64_t pid, tid, at_ns; /* at_ns: CLOCK_MONOTONIC */
    uint32_t function;
    tfp_probe_role role;
} tfp_probe_hit;
typedef void tfp_probe_hit_fn(void *ctx, const tfp_probe_hit *hit);
/* Passes on each hit of the watched processes, in order of time, from inside of tfp_probes_read; functions of communication are probed too. Is
 * set before the first process is added. */
void tfp_probes_on_hit(tfp_probes *p, tfp_probe_hit_fn *fn, void *ctx);
void tfp_probes_forget(tfp_probes *p, int64_t pid); /* counts this process no longer */
const char *tfp_probe_name(uint32_t function);      /* such as "backward passes"; lives for ever */
int tfp_probe_calls(uint32_t function);             /* its calls in a step of a plain loop */

#endif
