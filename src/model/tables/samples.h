// SPDX-License-Identifier: Apache-2.0
/* model/tables/samples.h: sampled stacks, and the numbers that were counted with them. */
#ifndef TFP_TABLES_SAMPLES_H
#define TFP_TABLES_SAMPLES_H

#include "model/tables/profile.h"

/* A kind of number that a sampling profiler counted, such as "cpu" in "nanoseconds". */
typedef struct tfp_sample_type {
    tfp_strid type, unit;
} tfp_sample_type;
struct tfp_stack_sample {
    uint32_t trace;  /* -> traces: the stack that was found; TFP_NONE: none */
    uint32_t type;   /* -> sample_types; a sample of several types has a row for each */
    uint32_t labels; /* -> events.stat_sets, TFP_NONE */
    int64_t value;   /* not negative */
};

struct tfp_sample_tables {
    TFP_VEC(tfp_sample_type) sample_types;
    TFP_VEC(tfp_stack_sample) samples;
};

#endif
