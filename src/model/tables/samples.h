// SPDX-License-Identifier: Apache-2.0
/* model/tables/samples.h: sampled stacks, and the numbers that were counted for them. */
#ifndef TFP_TABLES_SAMPLES_H
#define TFP_TABLES_SAMPLES_H

#include "model/tables/types.h"

/* A kind of number that a sampling profiler counted, such as "cpu" in "nanoseconds". */
typedef struct tfp_sample_type {
    tfp_strid type, unit;
} tfp_sample_type;
struct tfp_stack_sample {
    uint32_t trace;  /* index in traces: the stack; TFP_NONE: none */
    uint32_t type;   /* index in sample_types; a sample with several types has a row for each */
    uint32_t labels; /* index in events.stat_sets, or TFP_NONE */
    int64_t value;   /* not negative */
};

typedef struct tfp_sample_tables {
    TFP_VEC(tfp_sample_type) sample_types;
    TFP_VEC(tfp_stack_sample) samples;
} tfp_sample_tables;

TFP_CONST const tfp_sample_tables *tfp_samples_of(const tfp_profile *p);

#endif
