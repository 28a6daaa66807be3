// SPDX-License-Identifier: Apache-2.0
/* flops/engine/op.c: prepares a node for its rule: with the facts about its inputs, and with unknown outputs. */
#include "flops/engine/machine.h"

tfp_known tfp_nothing_known(int dtype) { return (tfp_known){ .shape = TFP_ANY_DIMS, .dtype = dtype }; }

void tfp_forget_outputs(tfp_op *op, const tfp_body *b, const tfp_local *l)
{
    for (uint32_t i = 0; i < op->out_count; i++) op->out[i] = tfp_nothing_known(b->types.at[l->out_first + i]);
}

bool tfp_op_of(tfp_engine *e, const tfp_body *b, const tfp_instance *x, uint32_t local, tfp_op *op)
{
    const tfp_local *l = &b->locals[local];
    if (!tfp_reserve(&e->scratch, (size_t)l->edge_count + 1)) return false;
    for (uint32_t i = 0; i < l->edge_count; i++) {
        tfp_edge edge = b->edges.at[l->edge_first + i];
        if (edge.back) /* not known yet: assumed to be like input 0 (relax_merges checks it); in the importer unknown */
            e->scratch.at[i] = i && !e->importer ? e->scratch.at[0] : tfp_nothing_known(0);
        else
            e->scratch.at[i] =
                edge.from == TFP_NONE ? tfp_nothing_known(0) : x->outs[b->locals[edge.from].out_first + edge.slot];
    }
    *op = (tfp_op){ .profile = e->profile,
                    .program = e->program,
                    .node = tfp_node_of(e, b, local),
                    .rule = l->rules->rule,
                    .in = e->scratch.at,
                    .in_count = l->edge_count,
                    .out = &x->outs[l->out_first],
                    .out_count = l->out_count,
                    .arena = e->arena,
                    .importer = e->importer };
    return true;
}
