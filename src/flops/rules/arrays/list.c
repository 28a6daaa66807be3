// SPDX-License-Identifier: Apache-2.0
/* flops/rules/arrays/list.c: ops that store tensors for other ops: lists and maps of tensors, queues, stacks, staging
 * areas, accumulators and optionals; TensorArrays are in tensor_array.c. A comment after a function lists the op's
 * inputs. TensorFlow's rules: core/ops/data_flow_ops.cc, list_ops.cc, map_ops.cc, dataset_ops.cc. */
#include "flops/rules/shared/known_values.h"

/* ---- lists ---- */

static int element_type(const tfp_op *op) { return tfp_attr_type(op, "element_dtype", 0); }

/* The shape of the elements of the list in input i. */
static tfp_dims list_element(tfp_op *op, uint32_t i)
{
    tfp_held held = held_of(op, i);
    int type = element_type(op);
    if (held.dtype && type && held.dtype != type) tfp_wrong(op, "a list of another type");
    return held.shape;
}

/* The element shape in input i; a single number in place of a vector means unknown. */
static tfp_dims stated_element(tfp_op *op, uint32_t i)
{
    tfp_dims stated = tfp_in(op, i);
    if (stated.rank == 0) return TFP_ANY_DIMS;
    tfp_merge_rank(op, stated, 1);
    return tfp_in_as_shape(op, i);
}

static void give_list(tfp_op *op, tfp_dims element)
{
    tfp_set(op, 0, TFP_SCALAR_DIMS);
    tfp_set_held(op, 0, element, element_type(op));
}

static void list_new(tfp_op *op)
{
    tfp_dims stated = stated_element(op, 0);
    give_list(op, stated);
    tfp_set_held_list(op, 0, (tfp_held){ stated, element_type(op), !op->importer, stated });
}

/* A list after an element of that shape is put into it. TensorFlow knows only the shape with which the list was made;
 * here, when all its elements have one shape, that is the shape of an element taken out. */
static void put_in_list(tfp_op *op, tfp_dims item)
{
    const tfp_held *held = tfp_in_held(op, 0);
    tfp_dims element = list_element(op, 0);
    give_list(op, element);
    if (op->importer || !held) return;
    item = tfp_merge(op, item, held->declared);
    element = held->empty ? item : tfp_either(op, element, item);
    tfp_set_held_list(op, 0, (tfp_held){ element, held->dtype, false, held->declared });
}

static void list_from_tensor(tfp_op *op) /* tensor, element_shape */
{
    tfp_dims rows = tfp_part(op, tfp_at_least(op, tfp_in(op, 0), 1), 1, TFP_TO_END), stated = stated_element(op, 1);
    tfp_dims both = tfp_merge(op, rows, stated);
    give_list(op, op->importer ? stated : both);
}

static void list_split(tfp_op *op) /* tensor, element_shape, lengths */
{
    tfp_merge_rank(op, tfp_in(op, 2), 1);
    tfp_dims rest = tfp_part(op, tfp_at_least(op, tfp_in(op, 0), 1), 1, TFP_TO_END), stated = stated_element(op, 1);
    tfp_dims both = tfp_merge(op, tfp_joined(op, tfp_vector_of(op, TFP_DIM_UNKNOWN), rest), stated);
    give_list(op, op->importer ? stated : both);
}

static void list_scatter(tfp_op *op) { give_list(op, stated_element(op, 2)); } /* tensor, indices, element_shape */

static void list_scatter_into(tfp_op *op) /* list, tensor, indices */
{
    tfp_at_least(op, tfp_in(op, 1), 1);
    tfp_merge_rank(op, tfp_in(op, 2), 1);
    give_list(op, list_element(op, 0));
}

static void list_push(tfp_op *op) { put_in_list(op, tfp_in(op, 1)); } /* list, item */

static void list_push_batch(tfp_op *op) /* lists, tensor: one row for each list */
{
    tfp_dims lists = tfp_merge_rank(op, tfp_in(op, 0), 1), rows = tfp_at_least(op, tfp_in(op, 1), 1);
    tfp_dims element = list_element(op, 0);
    give_list(op, element);
    tfp_set(op, 0, tfp_vector_of(op, tfp_merge_dim(op, tfp_dim(lists, 0), tfp_dim(rows, 0))));
}

static void list_pop(tfp_op *op) /* list, element_shape */
{
    tfp_dims element = list_element(op, 0);
    tfp_set(op, 0, TFP_SCALAR_DIMS);
    pass_held(op, 0, 0);
    if (!op->importer && tfp_in(op, 1).rank <= 1) element = tfp_merge(op, element, stated_element(op, 1));
    tfp_set(op, 1, element);
}

static void list_item(tfp_op *op) /* list, index, element_shape */
{
    tfp_set(op, 0, tfp_merge(op, list_element(op, 0), stated_element(op, 2)));
}

static void list_set_item(tfp_op *op) /* list, index, item */
{
    const tfp_held *held = tfp_in_held(op, 0);
    if (held && (op->importer || held->empty)) tfp_merge(op, tfp_in(op, 2), held->shape);
    put_in_list(op, tfp_in(op, 2));
}

static void list_stack(tfp_op *op) /* list, element_shape */
{
    tfp_dims element = tfp_merge(op, list_element(op, 0), stated_element(op, 1));
    tfp_set(op, 0, tfp_joined(op, tfp_vector_of(op, tfp_attr_int(op, "num_elements", -1)), element));
}

static void list_gather(tfp_op *op) /* list, indices, element_shape */
{
    tfp_dims element = tfp_merge(op, list_element(op, 0), stated_element(op, 2));
    tfp_set(op, 0, tfp_joined(op, tfp_in(op, 1), element));
}

static void concat_list(tfp_op *op, tfp_dims stated)
{
    tfp_dims element = tfp_merge(op, stated, list_element(op, 0));
    tfp_dims rest = tfp_part(op, tfp_at_least(op, element, 1), 1, TFP_TO_END);
    tfp_set(op, 0, tfp_joined(op, tfp_vector_of(op, TFP_DIM_UNKNOWN), rest));
    tfp_set(op, 1, tfp_vector_of(op, TFP_DIM_UNKNOWN));
}

static void list_concat(tfp_op *op) { concat_list(op, tfp_attr_shape(op, "element_shape")); }

static void list_concat_v2(tfp_op *op)
{
    concat_list(op, stated_element(op, 1));
} /* list, element_shape, leading_dims */

static void list_element_shape(tfp_op *op) /* a vector, or one number when the rank is not known */
{
    tfp_dims element = held_of(op, 0).shape;
    if (element.rank >= 0) tfp_set(op, 0, tfp_vector_of(op, element.rank));
}

static void list_join(tfp_op *op) /* two lists, or two tensors of lists */
{
    tfp_dims element = tfp_merge(op, list_element(op, 0), list_element(op, 1));
    give_list(op, element);
    tfp_set(op, 0, tfp_merge(op, tfp_in(op, 0), tfp_in(op, 1)));
}

/* ---- queues ---- */

static void queue_v2(tfp_op *op)
{
    tfp_set(op, 0, TFP_SCALAR_DIMS);
    const tfp_attr_list *shapes = tfp_attr_members(op, "shapes"), *types = tfp_attr_members(op, "component_types");
    if (shapes->shape_count == 1 && types->number_count == 1)
        tfp_set_held(op, 0, shapes->shapes[0], (int)types->numbers[0]);
}

static void dequeue(tfp_op *op, bool many, int64_t n)
{
    const tfp_held *held = tfp_in_held(op, 0);
    if (!held || op->out_count != 1) return;
    tfp_set(op, 0, many ? tfp_joined(op, tfp_vector_of(op, n), held->shape) : held->shape);
}

static void queue_get(tfp_op *op) { dequeue(op, false, 0); }

static void queue_get_many(tfp_op *op)
{
    int64_t n = TFP_DIM_UNKNOWN;
    if (tfp_in_int(op, 1, &n) && n < 0) tfp_wrong(op, "a negative number of elements");
    dequeue(op, true, n);
}

static void queue_get_up_to(tfp_op *op) { dequeue(op, true, TFP_DIM_UNKNOWN); }

/* ---- others ---- */

static void accumulator_v2(tfp_op *op)
{
    pair(op);
    /* An accumulator's shape [] means unknown. */
    tfp_dims shape = tfp_attr_shape(op, "shape");
    if (shape.rank > 0) tfp_set_held(op, 0, shape, tfp_attr_type(op, "dtype", 0));
}

static void optional_value(tfp_op *op)
{
    need_scalar(op, 0);
    tfp_listed_outputs(op);
}

static tfp_cost divide_values(const tfp_op *op) { return tfp_cost_of(tfp_out_size(op, 1)); }

#define ADDS(input) TFP_EACH_OF(input, 1, "n(in" #input ")", "one addition an element")

const tfp_op_rule tfp_rules_list[] = {
    { "EmptyTensorList TensorListReserve", list_new, TFP_MOVES },
    { "TensorListFromTensor", list_from_tensor, TFP_MOVES },
    { "TensorListSplit", list_split, TFP_MOVES },
    { "TensorListScatter TensorListScatterV2", list_scatter, TFP_MOVES },
    { "TensorListScatterIntoExistingList", list_scatter_into, TFP_MOVES },
    { "TensorListPushBack", list_push, TFP_MOVES },
    { "TensorListPushBackBatch", list_push_batch, TFP_MOVES },
    { "TensorListPopBack", list_pop, TFP_MOVES },
    { "TensorListGetItem", list_item, TFP_MOVES },
    { "TensorListSetItem", list_set_item, TFP_MOVES },
    { "TensorListStack", list_stack, TFP_MOVES },
    { "TensorListGather", list_gather, TFP_MOVES },
    { "TensorListConcat", list_concat, TFP_MOVES },
    { "TensorListConcatV2", list_concat_v2, TFP_MOVES },
    { "TensorListConcatLists", list_join, TFP_MOVES },
    { "TensorListResize", TFP_SHAPE("*@V, () -> ()@V"), TFP_MOVES },
    { "TensorListLength", tfp_scalar_outputs, TFP_MOVES },
    { "TensorListElementShape", list_element_shape, TFP_MOVES },

    { "EmptyTensorMap TensorMapSize TensorMapHasKey TensorMapInsert TensorMapErase", tfp_scalar_outputs, TFP_MOVES },
    { "TensorMapLookup TensorMapStackKeys", tfp_unknown_outputs, TFP_MOVES },

    { "OptionalFromValue OptionalNone OptionalHasValue", tfp_scalar_outputs, TFP_MOVES },
    { "OptionalGetValue", optional_value, TFP_MOVES },

    { "FIFOQueue PaddingFIFOQueue PriorityQueue RandomShuffleQueue FakeQueue", pair, TFP_MOVES },
    { "FIFOQueueV2 PaddingFIFOQueueV2 RandomShuffleQueueV2", queue_v2, TFP_MOVES },
    { "PriorityQueueV2", tfp_scalar_outputs, TFP_MOVES }, /* its elements have one component more, the priority */
    { "QueueEnqueue QueueEnqueueV2 QueueEnqueueMany QueueEnqueueManyV2 QueueCloseV2", tfp_no_outputs, TFP_MOVES },
    { "QueueDequeue QueueDequeueMany QueueDequeueUpTo", tfp_unknown_outputs, TFP_MOVES },
    { "QueueDequeueV2", queue_get, TFP_MOVES },
    { "QueueDequeueManyV2", queue_get_many, TFP_MOVES },
    { "QueueDequeueUpToV2", queue_get_up_to, TFP_MOVES },
    { "QueueClose QueueSize", TFP_SHAPE("2 -> ()"), TFP_MOVES },
    { "QueueIsClosed QueueIsClosedV2", tfp_scalar_outputs, TFP_MOVES },
    { "QueueSizeV2", tfp_same_as_input, TFP_MOVES },

    { "Stack StackV2", pair, TFP_MOVES },
    { "StackPush StackPushV2", TFP_SHAPE("*, A -> A"), TFP_MOVES },
    { "StackPop StackPopV2", tfp_unknown_outputs, TFP_MOVES },
    { "StackClose StackCloseV2", TFP_SHAPE("2 ->"), TFP_MOVES },

    { "Stage StageClear MapStage MapClear OrderedMapStage OrderedMapClear", tfp_no_outputs, TFP_MOVES },
    { "Unstage StagePeek MapPeek MapUnstage MapUnstageNoKey OrderedMapPeek OrderedMapUnstage OrderedMapUnstageNoKey",
      tfp_unknown_outputs, TFP_MOVES },
    { "StageSize MapSize MapIncompleteSize OrderedMapSize OrderedMapIncompleteSize", tfp_scalar_outputs, TFP_MOVES },

    { "ConditionalAccumulator SparseConditionalAccumulator", pair, TFP_MOVES },
    { "ResourceConditionalAccumulator", accumulator_v2, TFP_MOVES },
    { "AccumulatorNumAccumulated ResourceAccumulatorNumAccumulated", tfp_scalar_outputs, TFP_MOVES },
    { "AccumulatorSetGlobalStep ResourceAccumulatorSetGlobalStep", TFP_SHAPE("*, () ->"), TFP_MOVES },
    { "AccumulatorApplyGradient ResourceAccumulatorApplyGradient", TFP_SHAPE("*, () ->"), ADDS(2) },
    { "SparseAccumulatorApplyGradient", TFP_SHAPE("*, () ->"), ADDS(3) },
    { "AccumulatorTakeGradient ResourceAccumulatorTakeGradient", TFP_SHAPE("*@V, () -> V"),
      TFP_EACH_OUT(1, "one division an element") },
    { "SparseAccumulatorTakeGradient", TFP_SHAPE("*, () ->"), divide_values, 1, "n(out1)", "one division an element" },
    { NULL },
};
