// SPDX-License-Identifier: Apache-2.0
/* live/stacks/stacks.h: samples of stacks, summed up: what the tables, the folded form and pprof are made of. */
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

typedef struct tfp_stacks { /* stands in its report's arena */
    const tfp_stack_function *functions;
    const tfp_stack *stacks;
    size_t function_count, stack_count;
    int64_t samples, period_ns, duration_ns, start_unix_ns;
} tfp_stacks;

typedef struct tfp_stacks_wish {
    double seconds, rate;
    bool once, idle, native;
} tfp_stacks_wish;

#endif
