// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/operands.c: access to an instruction's operands, their dimensions and elements, for the rules in cost.c
 * and custom_calls.c. */
#include "formats/hlo/count.h"

const tfp_hlo_instruction *tfp_hlo_operand(const tfp_hlo_counter *c, const tfp_hlo_instruction *i, uint32_t k)
{
    uint32_t at = k < i->operand_count ? c->m->links.at[i->operand_first + k] : TFP_NONE;
    return at == TFP_NONE ? NULL : &c->m->instructions.at[at];
}

const tfp_hlo_array *tfp_hlo_first_array(const tfp_hlo_counter *c, const tfp_hlo_instruction *i)
{
    if (!i || i->shape == TFP_NONE || !c->m->shapes.at[i->shape].count) return NULL;
    return &c->m->arrays.at[c->m->shapes.at[i->shape].first];
}

int64_t tfp_hlo_elements_of(const tfp_hlo_counter *c, const tfp_hlo_instruction *i)
{
    const tfp_hlo_array *a = tfp_hlo_first_array(c, i);
    return a ? tfp_hlo_elements(c->m, a) : TFP_UNKNOWN;
}

int64_t tfp_hlo_dim(const tfp_hlo_counter *c, const tfp_hlo_array *a, int64_t k)
{
    if (a && k < 0) k += a->dim_count;
    if (!a || k < 0 || k >= a->dim_count) return TFP_UNKNOWN;
    return c->m->dims.at[a->dim_first + k];
}

int64_t tfp_hlo_window_macs(const tfp_hlo_counter *c, const tfp_hlo_instruction *i, int64_t out,
                            const tfp_hlo_array *kernel)
{
    return tfp_times(tfp_times(out, i->work.window), tfp_hlo_dim(c, kernel, i->work.kernel_input));
}
