// SPDX-License-Identifier: Apache-2.0
/* flops/rules/arrays/state.c: variables, checkpoints, tables, barriers, summaries: ops that keep, save and report
 * state. */
#include "flops/rules/shared/rule.h"

/* ---- variables ---- */

/* Old files cannot distinguish a scalar from an absent shape. */
static void shape_variable_v1(tfp_op *op)
{
    tfp_dims d = tfp_attr_shape(op, "shape");
    tfp_set(op, 0, d.rank > 0 ? d : TFP_ANY_DIMS);
}

static void shape_var_handle(tfp_op *op)
{
    tfp_set(op, 0, TFP_SCALAR_DIMS);
    tfp_set_held(op, 0, tfp_attr_shape(op, "shape"), tfp_attr_type(op, "dtype", 0));
}

static void shape_var_handles(tfp_op *op)
{
    const tfp_attr_list *shapes = tfp_attr_members(op, "shapes"), *types = tfp_attr_members(op, "dtypes");
    for (uint32_t i = 0; i < op->out_count; i++) {
        tfp_set(op, i, TFP_SCALAR_DIMS);
        if (i < shapes->shape_count && i < types->number_count)
            tfp_set_held(op, i, shapes->shapes[i], (int)types->numbers[i]);
    }
}

/* The shape that resource i holds if it holds `dtype`; any when not known. */
static tfp_dims held_shape(tfp_op *op, uint32_t i, int dtype)
{
    const tfp_held *held = tfp_in_held(op, i);
    if (!held) return TFP_ANY_DIMS;
    if (held->dtype && dtype && held->dtype != dtype) tfp_wrong(op, "a variable is read as another type");
    return held->shape;
}

static void shape_read_variable(tfp_op *op) { tfp_set(op, 0, held_shape(op, 0, tfp_attr_type(op, "dtype", 0))); }

static void shape_read_variables(tfp_op *op)
{
    const tfp_attr_list *types = tfp_attr_members(op, "dtypes");
    for (uint32_t i = 0; i < op->out_count; i++)
        tfp_set(op, i, held_shape(op, i, i < types->number_count ? (int)types->numbers[i] : 0));
}

static void shape_assign_variable(tfp_op *op)
{
    tfp_merge(op, held_shape(op, 0, tfp_attr_type(op, "dtype", 0)), tfp_in(op, 1));
}

static void shape_assign(tfp_op *op)
{
    if (tfp_attr_bool(op, "validate_shape", true))
        tfp_shape_pattern(op, "V, V -> V");
    else
        tfp_set(op, 0, tfp_in(op, 1));
}

static void shape_variable_shape(tfp_op *op)
{
    const tfp_held *held = tfp_in_held(op, 0);
    tfp_dims d = held ? held->shape : TFP_ANY_DIMS;
    tfp_set(op, 0, tfp_vector_of(op, d.rank < 0 ? TFP_DIM_UNKNOWN : d.rank));
}

static void shape_resource_count_up(tfp_op *op)
{
    if (!tfp_in_held(op, 0)) tfp_wrong(op, "a resource of unknown contents");
    tfp_merge_rank(op, held_shape(op, 0, tfp_attr_type(op, "T", 0)), 0);
    if (!op->wrong) tfp_set(op, 0, TFP_SCALAR_DIMS);
}

/* The ref forms count the assigned elements; AssignAdd and AssignSub are in the registry. */
static tfp_cost count_assigned(const tfp_op *op)
{
    int64_t n = tfp_in_size(op, 1);
    const tfp_held *held = tfp_in_held(op, 0);
    return tfp_cost_of(n < 0 && held ? tfp_elements(held->shape) : n);
}

static void shape_read_split(tfp_op *op) { tfp_split_nd(op, held_shape(op, 0, tfp_attr_type(op, "T", 0))); }

/* ---- tables: handles are scalars, or two strings in TensorFlow 1 ---- */

/* The handle of a table with scalar keys holds the shape of its values. */
static void set_table(tfp_op *op, tfp_dims value)
{
    tfp_set(op, 0, TFP_SCALAR_DIMS);
    tfp_set_held(op, 0, value, tfp_attr_type(op, "value_dtype", 0));
}

static void shape_table(tfp_op *op) { set_table(op, TFP_SCALAR_DIMS); }
static void shape_table_of_tensors(tfp_op *op) { set_table(op, tfp_attr_shape(op, "value_shape")); }

static void shape_dense_table(tfp_op *op)
{
    tfp_set(op, 0, TFP_SCALAR_DIMS);
    if (tfp_in(op, 0).rank == 0) shape_table_of_tensors(op);
}

static void shape_find(tfp_op *op)
{
    tfp_merge_rank(op, tfp_in(op, 0), 0);
    if (tfp_in_held(op, 0))
        tfp_set(op, 0, tfp_joined(op, tfp_in(op, 1), held_shape(op, 0, tfp_attr_type(op, "Tout", 0))));
}

/* ---- barriers, summaries, batches ---- */

static void shape_batch(tfp_op *op)
{
    for (uint32_t i = 0; i < op->in_count && i + 2 < op->out_count; i++) {
        tfp_dims d = tfp_at_least(op, tfp_in(op, i), 1);
        if (d.rank > 0) tfp_set(op, i, tfp_with_dim(op, d, 0, TFP_DIM_UNKNOWN));
    }
    if (op->out_count < 2) return;
    tfp_set(op, op->out_count - 2, tfp_matrix_of(op, TFP_DIM_UNKNOWN, 3));
    tfp_set(op, op->out_count - 1, TFP_SCALAR_DIMS);
}

/* TensorFlow infers an unknown shape with the rank of the gradient. */
static void shape_unbatch_grad(tfp_op *op)
{
    tfp_dims d = tfp_in(op, 2);
    if (d.rank >= 0) tfp_set(op, 0, tfp_any_of_rank(op, d.rank));
}

static const char assigned[] = "one addition an element";

const tfp_op_rule tfp_rules_state[] = {
    { "Variable", shape_variable_v1, TFP_MOVES },
    { "VariableV2 TemporaryVariable", TFP_SHAPE("-> $shape"), TFP_MOVES },
    { "DestroyTemporaryVariable", tfp_same_as_input, TFP_MOVES },
    { "VarHandleOp _XlaAotOnlyVarHandleOp", shape_var_handle, TFP_MOVES },
    { "_VarHandlesOp", shape_var_handles, TFP_MOVES },
    { "ReadVariableOp", shape_read_variable, TFP_MOVES },
    { "_ReadVariablesOp", shape_read_variables, TFP_MOVES },
    { "ReadVariableXlaSplitND", shape_read_split, TFP_MOVES },
    { "AssignVariableXlaConcatND DestroyResourceOp DisableCopyOnRead ConsumeMutexLock", tfp_no_outputs, TFP_MOVES },
    { "AssignVariableOp", shape_assign_variable, TFP_MOVES },
    { "AssignAddVariableOp AssignSubVariableOp", shape_assign_variable, count_assigned, 1, "n(in1)", assigned },
    { "Assign", shape_assign, TFP_MOVES },
    { "AssignAdd AssignSub", TFP_SHAPE("V, V -> V"), TFP_EACH_IN(1, "registry") },
    { "VariableShape", shape_variable_shape, TFP_MOVES },
    { "VarIsInitializedOp IsVariableInitialized IsResourceHandleRefCounting MutexV2 MutexLock", TFP_SHAPE("-> ()"),
      TFP_MOVES },
    { "CountUpTo", TFP_SHAPE("() -> ()"), tfp_count_each_output, 1, "1", "one addition" },
    { "ResourceCountUpTo", shape_resource_count_up, tfp_count_each_output, 1, "1", "one addition" },

    { "Save SaveSlices SaveV2", TFP_SHAPE("(), n, n ->"), TFP_MOVES },
    { "Restore", TFP_SHAPE("(), () -> *"), TFP_MOVES },
    { "RestoreSlice", TFP_SHAPE("(), (), () -> *"), TFP_MOVES },
    { "RestoreV2", TFP_SHAPE("(), n, n -> *"), TFP_MOVES },
    { "MergeV2Checkpoints", TFP_SHAPE("_, () ->"), TFP_MOVES },
    { "ShardedFilename", TFP_SHAPE("(), (), () -> ()"), TFP_MOVES },
    { "ShardedFilespec", TFP_SHAPE("(), () -> ()"), TFP_MOVES },
    { "ReadFile", TFP_SHAPE("() -> ()"), TFP_MOVES },
    { "WriteFile", TFP_SHAPE("(), () ->"), TFP_MOVES },
    { "MatchingFiles", TFP_SHAPE("-> _"), TFP_MOVES },
    { "GetSessionHandle GetSessionHandleV2", TFP_SHAPE("-> ()"), TFP_MOVES },
    { "GetSessionTensor", tfp_unknown_outputs, TFP_MOVES },
    { "DeleteSessionTensor", tfp_no_outputs, TFP_MOVES },

    { "HashTable MutableHashTable MutableHashTableOfTensors MutableDenseHashTable", TFP_SHAPE("-> 2"), TFP_MOVES },
    { "HashTableV2 AnonymousHashTable MutableHashTableV2 AnonymousMutableHashTable", shape_table, TFP_MOVES },
    { "MutableHashTableOfTensorsV2 AnonymousMutableHashTableOfTensors", shape_table_of_tensors, TFP_MOVES },
    { "MutableDenseHashTableV2 AnonymousMutableDenseHashTable", shape_dense_table, TFP_MOVES },
    { "LookupTableExport", TFP_SHAPE("2 -> _, *"), TFP_MOVES },
    { "LookupTableExportV2", tfp_unknown_outputs, TFP_MOVES },
    { "LookupTableFind", TFP_SHAPE("2, *, D -> *"), TFP_MOVES },
    { "LookupTableFindV2", shape_find, TFP_MOVES },
    { "LookupTableImport LookupTableInsert InitializeTableFromTextFile", TFP_SHAPE("2 ->"), TFP_MOVES },
    { "LookupTableImportV2 LookupTableInsertV2 LookupTableRemoveV2 InitializeTableFromTextFileV2 "
      "InitializeTableFromDataset",
      TFP_SHAPE("() ->"), TFP_MOVES },
    { "LookupTableSize", TFP_SHAPE("2 -> ()"), TFP_MOVES },
    { "LookupTableSizeV2", TFP_SHAPE("() -> ()"), TFP_MOVES },
    { "InitializeTable", TFP_SHAPE("2, n, n ->"), TFP_MOVES },
    { "InitializeTableV2", TFP_SHAPE("(), n, n ->"), TFP_MOVES },

    { "Barrier", TFP_SHAPE("-> 2"), TFP_MOVES },
    { "BarrierInsertMany", TFP_SHAPE("2, n, nV ->"), TFP_MOVES },
    { "BarrierTakeMany", tfp_unknown_outputs, TFP_MOVES },
    { "BarrierClose", TFP_SHAPE("2 ->"), TFP_MOVES },
    { "BarrierReadySize BarrierIncompleteSize", TFP_SHAPE("2 -> ()"), TFP_MOVES },

    { "ScalarSummary HistogramSummary ImageSummary AudioSummary AudioSummaryV2 TensorSummary TensorSummaryV2 "
      "MergeSummary SummaryWriter Timestamp",
      TFP_SHAPE("-> ()"), TFP_MOVES },
    { "CreateSummaryFileWriter CreateSummaryDbWriter FlushSummaryWriter CloseSummaryWriter WriteSummary "
      "WriteRawProtoSummary WriteScalarSummary WriteHistogramSummary WriteImageSummary WriteAudioSummary "
      "WriteGraphSummary ImportEvent Assert",
      tfp_no_outputs, TFP_MOVES },
    { "Print", tfp_same_as_input, TFP_MOVES },
    { "PrintV2", TFP_SHAPE("() ->"), TFP_MOVES },

    { "StatsAggregatorHandle StatsAggregatorHandleV2 ExperimentalStatsAggregatorHandle StatsAggregatorSummary "
      "ExperimentalStatsAggregatorSummary",
      TFP_SHAPE("-> ()"), TFP_MOVES },
    { "StatsAggregatorSetSummaryWriter", tfp_no_outputs, TFP_MOVES },

    { "Batch", shape_batch, TFP_MOVES },
    { "Unbatch", TFP_SHAPE("_T -> _T"), TFP_MOVES },
    { "UnbatchGrad", shape_unbatch_grad, TFP_MOVES },

    { NULL },
};
