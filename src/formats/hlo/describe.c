// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/describe.c: describes for people what an instruction does, and on which type of numbers. A framework
 * names instructions after its own operations: an instruction that JAX calls `transpose`, because it is part of a
 * gradient, may be a `dot` of XLA. */
#include "formats/hlo/hlo.h"
#include "model/tables/instructions.h"
#include "model/tables/read.h"

/* The instruction inside that computes most; TFP_NONE: it is no wrapper, or nothing inside computes. */
static uint32_t heaviest(const tfp_builder *b, const tfp_hlo_module *m, uint32_t row)
{
    uint32_t found = TFP_NONE;
    const tfp_hlo_instruction *i = &m->instructions.at[row];
    bool wrapper = tfp_hlo_is(b, i, "fusion") || tfp_hlo_is(b, i, "call");
    if (!wrapper || !i->called_count || m->links.at[i->called_first] == TFP_NONE) return TFP_NONE;
    const tfp_hlo_computation *c = &m->computations.at[m->links.at[i->called_first]];
    for (uint32_t k = c->first; k < c->first + c->count; k++) {
        int64_t flops = m->instructions.at[k].cost.flops;
        if (flops > 0 && (found == TFP_NONE || flops > m->instructions.at[found].cost.flops)) found = k;
    }
    return found;
}

static uint32_t innermost(const tfp_builder *b, const tfp_hlo_module *m, uint32_t row)
{
    for (int level = 0; level < 8; level++) {
        uint32_t inside = heaviest(b, m, row);
        if (inside == TFP_NONE) break;
        row = inside;
    }
    return row;
}

tfp_strid tfp_hlo_what(tfp_builder *b, const tfp_hlo_module *m, uint32_t row)
{
    const tfp_hlo_instruction *i = &m->instructions.at[row];
    uint32_t inside = innermost(b, m, row);
    tfp_strid more = inside != row ? m->instructions.at[inside].opcode : i->target;
    if (!more) return i->opcode;
    tfp_buf text = { 0 };
    tfp_buf_str(&text, tfp_text(b->p, i->opcode));
    tfp_buf_char(&text, '(');
    tfp_buf_str(&text, tfp_text(b->p, more));
    tfp_buf_char(&text, ')');
    return tfp_build_composed(b, &text);
}

static uint32_t type_of(const tfp_hlo_module *m, const tfp_hlo_instruction *i)
{
    if (i->shape == TFP_NONE || !m->shapes.at[i->shape].count) return 0;
    return m->arrays.at[m->shapes.at[i->shape].first].type;
}

uint32_t tfp_hlo_type(const tfp_builder *b, const tfp_hlo_module *m, uint32_t row)
{
    const tfp_hlo_instruction *i = &m->instructions.at[innermost(b, m, row)];
    uint32_t first = i->operand_count ? m->links.at[i->operand_first] : TFP_NONE;
    uint32_t type = first == TFP_NONE ? 0 : type_of(m, &m->instructions.at[first]);
    return type ? type : type_of(m, i);
}
