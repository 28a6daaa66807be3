// SPDX-License-Identifier: Apache-2.0
/* flops/engine/stated.c: facts about outputs besides the rules: attributes of the file, shapes recorded at run time, and
 * the user's assumptions. */
#include "flops/engine/machine.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"

bool tfp_brings_input(tfp_str op)
{
    return tfp_is_word(op,
                       "Placeholder PlaceholderV2 PlaceholderWithDefault QueueDequeue QueueDequeueV2 QueueDequeueMany "
                       "QueueDequeueManyV2 QueueDequeueUpTo QueueDequeueUpToV2 IteratorGetNext IteratorGetNextSync "
                       "IteratorGetNextAsOptional "
                       "Input" /* of a model in ONNX */);
}

void tfp_tell_assumed(tfp_engine *e, tfp_op *op)
{
    const tfp_assume *a = e->assume;
    tfp_str name = tfp_text(e->profile, op->node->name);
    for (size_t i = 0; a && i < a->shape_count; i++)
        if (tfp_str_eq(a->shapes[i].name, name)) {
            tfp_set(op, 0, tfp_shape_of(op, a->shapes[i].shape.at, a->shapes[i].shape.rank));
            return;
        }
    if (!a || a->batch <= 0 || !tfp_brings_input(tfp_text(e->profile, op->node->op))) return;
    for (uint32_t i = 0; i < op->out_count; i++) {
        tfp_dims d = op->out[i].shape;
        if (d.rank <= 0 || d.at[0] >= 0) continue;
        tfp_set(op, i, tfp_with_dim(op, d, 0, a->batch));
        e->f->batches_assumed++;
    }
}

void tfp_also_known(tfp_op *op, uint32_t i, tfp_dims stated)
{
    bool agree;
    if (i >= op->out_count || stated.rank < 0) return;
    op->out[i].shape = tfp_both_true(op, op->out[i].shape, stated, &agree);
    if (!agree) op->out[i].elements = NULL;
}

void tfp_tell_attributes(tfp_op *op)
{
    const tfp_attr_list *stated = tfp_attr_members(op, "_output_shapes");
    for (uint32_t i = 0; i < op->out_count && i < stated->shape_count; i++) tfp_also_known(op, i, stated->shapes[i]);
    /* graphs that the runtime dumps have the variable behind an argument */
    const tfp_attr_list *held = tfp_attr_members(op, "_handle_shapes"), *types = tfp_attr_members(op, "_handle_dtypes");
    if (held->shape_count == 1 && types->number_count == 1 && op->out_count == 1 && !op->out[0].held)
        tfp_set_held(op, 0, held->shapes[0], (int)types->numbers[0]);
}

tfp_dims tfp_stored_shape(tfp_op *op, uint32_t shape)
{
    if (shape == TFP_NONE) return TFP_ANY_DIMS;
    const tfp_shape *s = &tfp_graph_of(op->profile)->shapes.at[shape];
    if (!s->count) return TFP_ANY_DIMS;
    return s->scalar ? TFP_SCALAR_DIMS : tfp_shape_of(op, tfp_graph_of(op->profile)->dims.at + s->first, (int)s->count);
}

/* Shapes recorded by run metadata, for nodes of the main graph. */
void tfp_tell_runs(const tfp_engine *e, tfp_op *op, uint32_t node)
{
    if (!tfp_graph_of(e->profile)->run_shapes.size || e->profile_node[node] == TFP_NONE) return;
    for (uint32_t i = 0; i < op->out_count; i++)
        tfp_also_known(op, i, tfp_stored_shape(op, tfp_run_shape_of(e->profile, e->profile_node[node], i)));
}

/* As in TensorFlow's op log: for ops whose outputs were all recorded, and only where the inferred shape is not fully
 * known. Later nodes do not see these shapes. */
void tfp_fill_run_shapes(tfp_engine *e, const tfp_instance *x, const tfp_body *b)
{
    for (uint32_t i = b->arg_count; i < b->count && tfp_graph_of(e->profile)->run_shapes.size; i++) {
        const tfp_local *l = &b->locals[i];
        uint32_t node = e->profile_node[i - b->arg_count], ran = 0;
        tfp_op op = { .profile = e->profile,
                      .program = e->program,
                      .arena = e->arena,
                      .out = &x->outs[l->out_first],
                      .out_count = l->out_count };
        for (uint32_t k = 0; k <= l->out_count && node != TFP_NONE;
             k++) /* fused kernels have more outputs than the op */
            ran += tfp_run_shape_of(e->profile, node, k) != TFP_NONE;
        if (ran != l->out_count) continue;
        for (uint32_t k = 0; k < l->out_count; k++) {
            tfp_dims both =
                tfp_merge(&op, op.out[k].shape, tfp_stored_shape(&op, tfp_run_shape_of(e->profile, node, k)));
            if (!op.wrong && !tfp_dims_known(op.out[k].shape)) op.out[k].shape = both;
            op.wrong = NULL;
        }
    }
}
