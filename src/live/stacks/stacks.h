// SPDX-License-Identifier: Apache-2.0
/* live/stacks/stacks.h: samples of stacks, summed up: what the tables, the folded form and pprof are made of; and in order of time, for
 * speedscope. */
#ifndef TFP_LIVE_STACKS_H
#define TFP_LIVE_STACKS_H

#include "base/base.h"

typedef struct tfp_stack_function {
    tfp_str name, file, function; /* name: FILE:LINE:FUNCTION, or of native code LIBRARY:FUNCTION; all raw */
    int64_t line;                 /* of its def; 0: native */
    tfp_str kind;                 /* "python", "native", "kernel"; lives for ever */
} tfp_stack_function;

typedef struct tfp_stack {
    tfp_str thread;
    const uint32_t *functions; /* -> functions, the innermost first */
    size_t depth;
    int64_t count; /* samples */
} tfp_stack;

typedef struct tfp_stack_thread {
    int64_t tid; /* 0: not known */
    tfp_str name;
} tfp_stack_thread;

typedef struct tfp_stack_moment { /* a sample */
    int64_t at_ns;                /* since sampling began */
    uint32_t look;                /* a thread that is seen in two looks, one after the other, ran in between */
    uint32_t thread, stack;       /* -> threads, stacks */
} tfp_stack_moment;

typedef struct tfp_stacks { /* stands in its report's arena */
    const tfp_stack_function *functions;
    const tfp_stack *stacks;
    const tfp_stack_thread *threads;
    const tfp_stack_moment *moments; /* by time */
    size_t function_count, stack_count, thread_count, moment_count;
    int64_t samples, period_ns, duration_ns, start_unix_ns;
} tfp_stacks;

#endif
