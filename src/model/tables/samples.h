// SPDX-License-Identifier: Apache-2.0
/* model/tables/samples.h: sampled stacks, and the numbers that were counted for them. */
#ifndef TFP_TABLES_SAMPLES_H
#define TFP_TABLES_SAMPLES_H

#include "model/tables/types.h"

#include "schema/traces/samples.def"

typedef struct tfp_sample_tables {
    TFP_VEC(tfp_sample_type) sample_types;
    TFP_VEC(tfp_stack_sample) samples;
} tfp_sample_tables;

TFP_CONST const tfp_sample_tables *tfp_samples_of(const tfp_profile *p);

#endif
