// SPDX-License-Identifier: Apache-2.0
/* live/attach/cpu.h: the registers of a stopped thread: saved whole, replaced so that the thread calls a function, and brought back. The
 * differences between processors are behind these functions: cpu_x86.c, or cpu_other.c, which refuses.
 *
 * The called function returns into libc's code that ends signal handlers, and the saved state lies above its return address as the
 * frame of a signal. So the thread returns by itself: if the tracer dies at any moment, the thread goes on as if it had handled
 * a signal. */
#ifndef TFP_LIVE_CPU_H
#define TFP_LIVE_CPU_H

#include "live/attach/tracer.h"

#define TFP_CPU_ARGS 6

typedef struct tfp_cpu tfp_cpu;

/* Code of libc that ends a signal handler. Size 0: this processor is not supported. */
extern const tfp_str tfp_cpu_home_code;

tfp_cpu *tfp_cpu_new(void); /* NULL: no memory */
void tfp_cpu_free(tfp_cpu *c);

/* Saves the state of a stopped thread; `home` (the address of tfp_cpu_home_code) will restore it. False: the thread must not be
 * changed now, *why says the reason. */
bool tfp_cpu_save(tfp_cpu *c, const tfp_tracer *t, uint64_t home, const char **why);
/* The end of the thread's stack, and the bytes that the frame needs there. */
uint64_t tfp_cpu_stack(const tfp_cpu *c);
size_t tfp_cpu_frame_size(const tfp_cpu *c);
/* Puts the frame on the stack and sets the thread to the beginning of a function, where it continues when it is let go. */
bool tfp_cpu_call(const tfp_cpu *c, const tfp_tracer *t, uint64_t function, const uint64_t args[TFP_CPU_ARGS]);
/* At a stop for a system call: whether the function has returned and the thread is about to restore its saved state by itself. */
bool tfp_cpu_is_home(const tfp_cpu *c, const tfp_tracer *t);
/* At a stop for a system call: whether this call has just ended. *result: what it returned, -errno when it failed. */
bool tfp_cpu_has_called(const tfp_tracer *t, long number, int64_t *result);
/* Restores the saved state, wherever the thread is stopped. The thread goes on where it was, and an interrupted system call goes on as
 * it would have. Only a wait for a futex ends with EINTR, so that CPython looks at its pending calls. */
bool tfp_cpu_restore(const tfp_cpu *c, const tfp_tracer *t);

#endif
