// SPDX-License-Identifier: Apache-2.0
/* flops/rules/shared/shared.c: rules for shapes that ops of many families have in common. */
#include "flops/rules/shared/rule.h"

void tfp_same_as_input(tfp_op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, tfp_in(op, 0));
}

void tfp_rank_of_input(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    if (in.rank >= 0) tfp_set(op, 0, tfp_any_of_rank(op, in.rank));
}

void tfp_broadcast_inputs(tfp_op *op) { tfp_set(op, 0, tfp_broadcast(op, tfp_in(op, 0), tfp_in(op, 1))); }

void tfp_scalar_outputs(tfp_op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, TFP_SCALAR_DIMS);
}

size_t tfp_set_listed(tfp_op *op, const char *name)
{
    const tfp_attr_list *list = tfp_attr_members(op, name);
    for (uint32_t i = 0; i < op->out_count && i < list->shape_count; i++) tfp_set(op, i, list->shapes[i]);
    return list->shape_count;
}

void tfp_listed_outputs(tfp_op *op)
{
    if (tfp_set_listed(op, "output_shapes") != op->out_count) tfp_wrong(op, "as many shapes as outputs are needed");
}

void tfp_no_outputs(tfp_op *op) { (void)op; }

void tfp_unknown_outputs(tfp_op *op) { (void)op; }

void tfp_merged_inputs(tfp_op *op)
{
    tfp_dims all = TFP_ANY_DIMS;
    for (uint32_t i = 0; i < op->in_count; i++) all = tfp_merge(op, all, tfp_in(op, i));
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, all);
}

void tfp_split_nd(tfp_op *op, tfp_dims d)
{
    int64_t splits[TFP_PARTS_MAX], pads[TFP_PARTS_MAX];
    size_t n = tfp_attr_numbers(op, "num_splits", splits, TFP_PARTS_MAX);
    size_t padded_count = tfp_attr_numbers(op, "paddings", pads, TFP_PARTS_MAX);
    if (d.rank < 0 || d.rank > TFP_PARTS_MAX || n != (size_t)d.rank) return;
    if (padded_count && padded_count != n) return;
    int64_t part[TFP_PARTS_MAX];
    for (int i = 0; i < d.rank; i++) {
        int64_t whole = tfp_plus(d.at[i], padded_count ? pads[i] : 0);
        part[i] = splits[i] > 0 && whole >= 0 && whole % splits[i] == 0 ? whole / splits[i] : TFP_DIM_UNKNOWN;
    }
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, tfp_shape_of(op, part, d.rank));
}
