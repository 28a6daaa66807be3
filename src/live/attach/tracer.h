// SPDX-License-Identifier: Apache-2.0
/* live/attach/tracer.h: one thread of another process, controlled by ptrace: stopped, run for a moment, released. Linux ties a traced
 * thread to the thread that seized it, so one thread makes all calls for a tracer; when that thread ends or is killed, the kernel
 * releases the traced one. Signals that arrive meanwhile are passed on. Every wait has a deadline. */
#ifndef TFP_LIVE_TRACER_H
#define TFP_LIVE_TRACER_H

#include "base/base.h"

typedef struct tfp_tracer {
    int pid;
    int memory;      /* /proc/PID/mem */
    bool stopped;    /* stopped and under our control */
    int give;        /* a signal to deliver when it is released; 0: none */
    int64_t held_ns; /* how long it was held in all */
    int64_t since_ns;
} tfp_tracer;

typedef enum tfp_stop {
    TFP_STOP_ASKED, /* by tfp_tracer_interrupt */
    TFP_STOP_CALL,  /* it enters or leaves a system call */
    TFP_STOP_GROUP, /* a signal such as SIGSTOP stops the whole process */
    TFP_STOP_ENDED, /* there is no such thread any more */
    TFP_STOP_LATE   /* the deadline has passed and the thread still runs */
} tfp_stop;

/* Seizes the thread, which goes on running. 0, or errno. None of these functions closes the memory file. */
int tfp_tracer_seize(tfp_tracer *t);
/* Stops the thread at a place where it may be redirected, not just before the delivery of a signal. After TFP_STOP_LATE the
 * calling thread must end: nothing else makes the kernel release a thread that never stops. */
tfp_stop tfp_tracer_interrupt(tfp_tracer *t, int64_t deadline_ns);
/* Stops it wherever it is; does nothing when it is stopped already. */
tfp_stop tfp_tracer_halt(tfp_tracer *t, int64_t deadline_ns);
/* Lets the thread run to the beginning or end of its next system call. After a timeout the next call of this function waits for the
 * same stop. */
tfp_stop tfp_tracer_to_call(tfp_tracer *t, int64_t deadline_ns);
/* Lets go of a stopped thread. */
void tfp_tracer_leave(tfp_tracer *t);

bool tfp_tracer_write(const tfp_tracer *t, uint64_t address, const void *bytes, size_t size);
bool tfp_tracer_read(const tfp_tracer *t, uint64_t address, void *out, size_t size);

#endif
