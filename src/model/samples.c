// SPDX-License-Identifier: Apache-2.0
/* model/samples.c: sampled stacks, as readers of profiles of running programs add them. */
#include "model/build.h"
#include "model/model.h"

uint32_t tfp_build_sample_type(tfp_builder *b, tfp_strid type, tfp_strid unit)
{
    tfp_profile *p = b->p;
    for (uint32_t i = 0; i < p->sample_types.size; i++)
        if (p->sample_types.at[i].type == type && p->sample_types.at[i].unit == unit) return i;
    return APPEND(b, sample_types, ((tfp_sample_type){ type, unit })) ? (uint32_t)p->sample_types.size - 1 : TFP_NONE;
}

void tfp_build_sample(tfp_builder *b, const tfp_stack_sample *s)
{
    if (!b->status) (void)APPEND(b, samples, *s);
}
