// SPDX-License-Identifier: Apache-2.0
/* live/attach/tracer.c: ptrace. Apart from it only cpu_x86.c calls ptrace. */
#include "live/attach/tracer.h"
#include "live/proc/proc.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAIT_NS 20000 /* pause between two looks; one step of a stopped thread takes about that long */

int tfp_tracer_seize(tfp_tracer *t)
{
    /* without PTRACE_O_EXITKILL: if the tracer is killed, the process goes on */
    return ptrace(PTRACE_SEIZE, t->pid, NULL, (void *)PTRACE_O_TRACESYSGOOD) ? errno
                                                                             : 0; /* NOLINT: flags as a pointer */
}

/* Waits by polling: waitpid without a limit could hang for ever, and a signal to interrupt it would need a handler in the
 * caller's program. */
static bool wait_for_change(const tfp_tracer *t, int64_t deadline_ns, int *status)
{
    for (;;) {
        pid_t got = waitpid(t->pid, status, __WALL | WNOHANG);
        if (got == t->pid) return true;
        if (got < 0 && errno != EINTR) {
            *status = 0; /* a status of 0 reads as an exit */
            return true;
        }
        if (tfp_now_ns() >= deadline_ns) return false;
        nanosleep(&(struct timespec){ 0, WAIT_NS }, NULL);
    }
}

/* Waits for the next stop. A stop before the delivery of a signal gives TFP_STOP_ASKED and the signal in *signal; every other stop sets it
 * to 0. */
static tfp_stop next_stop(tfp_tracer *t, int64_t deadline_ns, int *signal)
{
    int status;
    *signal = 0;
    t->stopped = false;
    if (!wait_for_change(t, deadline_ns, &status)) return TFP_STOP_LATE;
    if (!WIFSTOPPED(status)) return TFP_STOP_ENDED;
    t->stopped = true;
    if (status >> 16 == PTRACE_EVENT_STOP) return WSTOPSIG(status) == SIGTRAP ? TFP_STOP_ASKED : TFP_STOP_GROUP;
    if (WSTOPSIG(status) == (SIGTRAP | 0x80)) return TFP_STOP_CALL;
    *signal = status >> 16 ? 0 : WSTOPSIG(status);
    return TFP_STOP_ASKED;
}

static bool let_go_on(tfp_tracer *t, int request, int signal)
{
    t->stopped = false;
    return ptrace(request, t->pid, NULL, (void *)(intptr_t)signal) == 0; /* NOLINT: a number as a pointer */
}

tfp_stop tfp_tracer_interrupt(tfp_tracer *t, int64_t deadline_ns)
{
    int signal;
    t->since_ns = tfp_now_ns();
    for (;;) { /* at each stop for a signal the kernel forgets our request to stop, so it is repeated */
        if (ptrace(PTRACE_INTERRUPT, t->pid, NULL, NULL)) return TFP_STOP_ENDED;
        tfp_stop stop = next_stop(t, deadline_ns, &signal);
        if (!signal) return stop;
        if (!let_go_on(t, PTRACE_CONT, signal)) return TFP_STOP_ENDED;
    }
}

tfp_stop tfp_tracer_halt(tfp_tracer *t, int64_t deadline_ns)
{
    if (t->stopped) return TFP_STOP_ASKED;
    if (ptrace(PTRACE_INTERRUPT, t->pid, NULL, NULL)) return TFP_STOP_ENDED;
    return next_stop(t, deadline_ns, &t->give);
}

tfp_stop tfp_tracer_to_call(tfp_tracer *t, int64_t deadline_ns)
{
    int signal = 0;
    for (;;) {
        if (t->stopped && !let_go_on(t, PTRACE_SYSCALL, signal)) return TFP_STOP_ENDED;
        tfp_stop stop = next_stop(t, deadline_ns, &signal);
        if (!signal) return stop;
    }
}

void tfp_tracer_leave(tfp_tracer *t)
{
    ptrace(PTRACE_DETACH, t->pid, NULL, (void *)(intptr_t)t->give); /* NOLINT: a number as a pointer */
    if (t->since_ns) t->held_ns += tfp_now_ns() - t->since_ns;
    t->since_ns = 0;
    t->stopped = false;
    t->give = 0;
}

bool tfp_tracer_write(const tfp_tracer *t, uint64_t address, const void *bytes, size_t size)
{
    return pwrite(t->memory, bytes, size, (off_t)address) == (ssize_t)size;
}

bool tfp_tracer_read(const tfp_tracer *t, uint64_t address, void *out, size_t size)
{
    return pread(t->memory, out, size, (off_t)address) == (ssize_t)size;
}
