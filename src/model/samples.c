// SPDX-License-Identifier: Apache-2.0
/* model/samples.c: sampled stacks, as readers of profiles of running programs add them. */
#include "model/build.h"
#include "model/tables/profile.h"
#include "model/tables/samples.h"

uint32_t tfp_build_sample_type(tfp_builder *b, tfp_strid type, tfp_strid unit)
{
    tfp_profile *p = b->p;
    for (uint32_t i = 0; i < p->sampled->sample_types.size; i++)
        if (p->sampled->sample_types.at[i].type == type && p->sampled->sample_types.at[i].unit == unit) return i;
    return APPEND(b, sampled->sample_types, ((tfp_sample_type){ type, unit }))
               ? (uint32_t)p->sampled->sample_types.size - 1
               : TFP_NONE;
}

void tfp_build_sample(tfp_builder *b, const tfp_stack_sample *s)
{
    if (!b->status) (void)APPEND(b, sampled->samples, *s);
}
