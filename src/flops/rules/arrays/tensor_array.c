// SPDX-License-Identifier: Apache-2.0
/* flops/rules/arrays/tensor_array.c: TensorArrays, whose tensors other ops write and read by a handle. A comment after
 * a function lists the op's inputs. TensorFlow's rules: core/ops/data_flow_ops.cc. */
#include "flops/rules/shared/known_values.h"

static void array(tfp_op *op)
{
    need_scalar(op, 0);
    pair(op);
    tfp_set(op, 1, TFP_SCALAR_DIMS); /* the flow, from version 3 on */
}

static void array_v2(tfp_op *op)
{
    array(op);
    tfp_set_held(op, 0, tfp_attr_shape(op, "element_shape"), tfp_attr_type(op, "dtype", 0));
}

static void array_v3(tfp_op *op)
{
    array(op);
    tfp_dims element = tfp_attr_shape(op, "element_shape");
    /* TensorFlow drops a shape with unknown dims, although it holds for every element. */
    if (!op->importer || tfp_dims_known(element) || tfp_attr_bool(op, "identical_element_shapes", false)) {
        tfp_set_held(op, 0, element, tfp_attr_type(op, "dtype", 0));
    }
}

static void array_grad_with_shape(tfp_op *op)
{
    need_pair(op, 0);
    pair(op);
    tfp_set(op, 1, TFP_SCALAR_DIMS);
    const tfp_held *held = tfp_in_held(op, 0);
    if (!held) return;
    tfp_dims before = tfp_in_as_shape(op, 2);
    if (op->importer) before = before.rank < 0 ? TFP_ANY_DIMS : tfp_any_of_rank(op, before.rank);
    tfp_set_held(op, 0, tfp_joined(op, before, held->shape), held->dtype);
}

static void array_gather(tfp_op *op) /* handle, indices, flow */
{
    need_pair(op, 0);
    tfp_dims indices = tfp_merge_rank(op, tfp_in(op, 1), 1);
    need_scalar(op, 2);
    const tfp_held *held = tfp_in_held(op, 0);
    tfp_dims element = held ? held->shape : tfp_attr_shape(op, "element_shape");
    if (held && !op->importer) element = tfp_merge(op, element, tfp_attr_shape(op, "element_shape"));
    tfp_set(op, 0, tfp_joined(op, indices, element));
}

static void array_gather_v2(tfp_op *op)
{
    array_gather(op);
    if (op->importer) tfp_set(op, 0, TFP_ANY_DIMS);
}

static void array_concat(tfp_op *op) /* handle, flow */
{
    need_pair(op, 0);
    need_scalar(op, 1);
    tfp_dims row = TFP_ANY_DIMS;
    if (!op->importer) {
        row = tfp_merge(op, tfp_attr_shape(op, "element_shape_except0"),
                        tfp_part(op, held_of(op, 0).shape, 1, TFP_TO_END));
    }
    tfp_set(op, 0, tfp_joined(op, tfp_vector_of(op, TFP_DIM_UNKNOWN), row));
    tfp_set(op, 1, tfp_vector_of(op, TFP_DIM_UNKNOWN));
}

const tfp_op_rule tfp_rules_tensor_array[] = {
    { "TensorArrayV3", array_v3, TFP_MOVES },
    { "TensorArrayGradV3 TensorArrayGradV2", TFP_SHAPE("2@V -> 2@V, ()"), TFP_MOVES },
    { "TensorArrayGradWithShape", array_grad_with_shape, TFP_MOVES },
    { "TensorArrayWriteV3 TensorArrayWriteV2", TFP_SHAPE("2@V, (), V, () -> ()"), TFP_MOVES },
    { "TensorArrayReadV3 TensorArrayReadV2", TFP_SHAPE("2@V, (), () -> V"), TFP_MOVES },
    { "TensorArrayGatherV3", array_gather, TFP_MOVES },
    { "TensorArrayScatterV3 TensorArrayScatterV2", TFP_SHAPE("2@V, n, nV, () -> ()"), TFP_MOVES },
    { "TensorArrayConcatV3 TensorArrayConcatV2", array_concat, TFP_MOVES },
    { "TensorArraySplitV3 TensorArraySplitV2", TFP_SHAPE("2, *, _, () -> ()"), TFP_MOVES },
    { "TensorArraySizeV3 TensorArrayCloseV3 TensorArraySizeV2 TensorArrayCloseV2", TFP_SHAPE("2 -> ()"), TFP_MOVES },
    { "TensorArrayV2", array_v2, TFP_MOVES },
    { "TensorArrayGatherV2", array_gather_v2, TFP_MOVES },
    { "TensorArray TensorArrayGrad TensorArrayWrite TensorArrayRead TensorArrayPack TensorArrayUnpack "
      "TensorArrayGather TensorArrayScatter TensorArrayConcat TensorArraySplit TensorArraySize",
      tfp_unknown_outputs, TFP_MOVES },
    { "TensorArrayClose", tfp_no_outputs, TFP_MOVES },
    { NULL },
};
