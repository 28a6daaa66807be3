// SPDX-License-Identifier: Apache-2.0
/* live/stacks/stacks.h: samples of stacks, as sums for the tables, the folded form and pprof, and in order of time for speedscope. */
#ifndef TFP_LIVE_STACKS_H
#define TFP_LIVE_STACKS_H

#include "base/base.h"

typedef struct tfp_stack_function {
    /* name: FILE:LINE:FUNCTION, or for native code LIBRARY:FUNCTION; all are not yet escaped */
    tfp_str name, file, function;
    int64_t line; /* line of its def; 0: native code */
    tfp_str kind; /* "python", "native", "kernel"; lives for ever */
} tfp_stack_function;

typedef struct tfp_stack {
    tfp_str thread;
    const uint32_t *functions; /* indexes of functions, innermost first */
    size_t depth;
    int64_t count; /* number of samples */
} tfp_stack;

typedef struct tfp_stack_thread {
    int64_t tid; /* 0: not known */
    tfp_str name;
} tfp_stack_thread;

typedef struct tfp_stack_moment { /* one sample */
    int64_t at_ns;                /* time since sampling began */
    uint32_t look;                /* number of the look: a thread that is seen in two successive looks ran in between */
    uint32_t thread, stack;       /* indexes in threads and stacks */
} tfp_stack_moment;

typedef struct tfp_stacks { /* lives in its report's arena */
    const tfp_stack_function *functions;
    const tfp_stack *stacks;
    const tfp_stack_thread *threads;
    const tfp_stack_moment *moments; /* in order of time */
    size_t function_count, stack_count, thread_count, moment_count;
    int64_t samples, period_ns, duration_ns, start_unix_ns;
} tfp_stacks;

#endif
