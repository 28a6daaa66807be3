// SPDX-License-Identifier: Apache-2.0
/* live/stacks/perf.h: samples threads of another process with the kernel's perf_event_open(2), by the CPU time that they use: registers
 * and the top of the stack at each moment. No thread is stopped: the kernel copies both in the timer interrupt. x86-64 only. */
#ifndef TFP_LIVE_PERF_H
#define TFP_LIVE_PERF_H

#include "live/stacks/unwind.h"

typedef struct tfp_perf tfp_perf;

/* period_ns: CPU time between two samples of a thread. NULL: out of memory. */
tfp_perf *tfp_perf_new(int64_t pid, int64_t period_ns);
void tfp_perf_free(tfp_perf *p);
/* Samples this thread from now on. NULL: it works; otherwise the reason. A second call for the same thread does nothing. */
const char *tfp_perf_add(tfp_perf *p, int64_t tid);
/* Waits for samples, `wait_ns` at most, and passes each to `fn` with its thread. What `s` points to is valid until fn
 * returns. */
void tfp_perf_read(tfp_perf *p, int64_t wait_ns, void (*fn)(void *ctx, int64_t tid, const tfp_native_state *s),
                   void *ctx);

typedef struct tfp_perf_facts {
    size_t refused;  /* threads that cannot be sampled */
    const char *why; /* the reason for the first of them */
    int64_t lost;    /* samples for which there was no room */
    bool user_only;  /* samples exclude kernel code, because the kernel does not permit it */
} tfp_perf_facts;
tfp_perf_facts tfp_perf_facts_of(const tfp_perf *p);

/* Parses a sample record with its header, as the kernel writes it. */
bool tfp_perf_parse(const char *record, size_t size, tfp_native_state *out);

/* A thread that waits in a system call, parsed from /proc/PID/task/TID/syscall. False: it does not wait, or we may not
 * look. */
bool tfp_native_blocked_parse(const char *text, tfp_native_state *out);
bool tfp_native_blocked(int64_t pid, int64_t tid, tfp_native_state *out);
/* The kernel function in which it waits; "": not known. */
void tfp_native_kernel(int64_t pid, int64_t tid, char *out, size_t room);

#endif
