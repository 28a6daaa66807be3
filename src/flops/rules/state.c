/* flops/rules/state.c: variables, checkpoints, tables, barriers, summaries: what keeps, saves and tells of state. */
#include "flops/rules/rule.h"

TFP_PATTERN(shape_scalar, "-> ()")
TFP_PATTERN(shape_vector_2, "-> 2") /* a handle of TensorFlow 1: a container and a name */

/* ---- variables ---- */

static void shape_by_attr(tfp_op *op) { tfp_set(op, 0, tfp_attr_shape(op, "shape")); }

/* Old files cannot tell a scalar from no shape at all. */
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

/* What resource i holds when it holds `dtype`; any when nobody knows. */
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
TFP_PATTERN(shape_assign_more, "V, V -> V")

static void shape_variable_shape(tfp_op *op)
{
    const tfp_held *held = tfp_in_held(op, 0);
    tfp_dims d = held ? held->shape : TFP_ANY_DIMS;
    tfp_set(op, 0, tfp_vector_of(op, d.rank < 0 ? TFP_DIM_UNKNOWN : d.rank));
}

TFP_PATTERN(shape_count_up, "() -> ()")

static void shape_resource_count_up(tfp_op *op)
{
    if (!tfp_in_held(op, 0)) tfp_wrong(op, "nobody knows what the resource holds");
    tfp_merge_rank(op, held_shape(op, 0, tfp_attr_type(op, "T", 0)), 0);
    if (!op->wrong) tfp_set(op, 0, TFP_SCALAR_DIMS);
}

/* The ref forms count what is assigned; the registry has AssignAdd and AssignSub. */
static tfp_cost count_assigned(const tfp_op *op)
{
    int64_t n = tfp_elements(tfp_in(op, 1));
    const tfp_held *held = tfp_in_held(op, 0);
    return tfp_cost_of(n < 0 && held ? tfp_elements(held->shape) : n);
}

/* ---- variables in parts; the parts are row-major, all of one size ---- */

enum { PARTS_MOST = 8 };

static void shape_read_split(tfp_op *op)
{
    int64_t splits[PARTS_MOST], pads[PARTS_MOST];
    size_t n = tfp_attr_numbers(op, "num_splits", splits, PARTS_MOST);
    size_t padded = tfp_attr_numbers(op, "paddings", pads, PARTS_MOST);
    tfp_dims d = held_shape(op, 0, tfp_attr_type(op, "T", 0));
    if (op->importer || d.rank < 0 || d.rank > PARTS_MOST || n != (size_t)d.rank || (padded && padded != n)) return;
    int64_t part[PARTS_MOST];
    for (int i = 0; i < d.rank; i++) {
        int64_t whole = tfp_plus(d.at[i], padded ? pads[i] : 0);
        part[i] = splits[i] > 0 && whole >= 0 && whole % splits[i] == 0 ? whole / splits[i] : TFP_DIM_UNKNOWN;
    }
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, tfp_shape_of(op, part, d.rank));
}

/* ---- checkpoints ---- */

TFP_PATTERN(shape_save, "(), n, n ->")
TFP_PATTERN(shape_restore, "(), () -> *")
TFP_PATTERN(shape_restore_v2, "(), n, n -> *")
TFP_PATTERN(shape_restore_slice, "(), (), () -> *")
TFP_PATTERN(shape_merge_checkpoints, "_, () ->")
TFP_PATTERN(shape_sharded_filename, "(), (), () -> ()")
TFP_PATTERN(shape_sharded_filespec, "(), () -> ()")
TFP_PATTERN(shape_two_scalars, "(), () ->")
TFP_PATTERN(shape_matching_files, "-> _")

/* ---- tables: handles are scalars, or two strings in TensorFlow 1 ---- */

TFP_PATTERN(shape_export_v1, "2 -> _, *")
TFP_PATTERN(shape_find_v1, "2, *, D -> *")
TFP_PATTERN(shape_of_handle_v1, "2 -> ()")
TFP_PATTERN(shape_of_handle, "() -> ()")
TFP_PATTERN(shape_insert_v1, "2 ->")
TFP_PATTERN(shape_insert, "() ->")
TFP_PATTERN(shape_initialize_v1, "2, n, n ->")
TFP_PATTERN(shape_initialize, "(), n, n ->")

/* The handle of a table whose keys are scalars holds the shape of its values. */
static void set_table(tfp_op *op, tfp_dims value)
{
    tfp_set(op, 0, TFP_SCALAR_DIMS);
    tfp_set_held(op, 0, value, tfp_attr_type(op, "value_dtype", 0));
}

/* TensorFlow tells this of the mutable ones only. */
static void shape_table(tfp_op *op)
{
    tfp_set(op, 0, TFP_SCALAR_DIMS);
    if (!op->importer) set_table(op, TFP_SCALAR_DIMS);
}

static void shape_mutable_table(tfp_op *op) { set_table(op, TFP_SCALAR_DIMS); }
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

TFP_PATTERN(shape_barrier_insert, "2, n, nV ->")
TFP_PATTERN(shape_barrier_close, "2 ->")

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

TFP_PATTERN(shape_unbatch, "_T -> _T")

/* TensorFlow gives an unknown shape of the rank of the gradient. */
static void shape_unbatch_grad(tfp_op *op)
{
    tfp_dims d = tfp_in(op, 2);
    if (d.rank >= 0) tfp_set(op, 0, tfp_any_of_rank(op, d.rank));
}

static void shape_print(tfp_op *op) { tfp_set(op, 0, tfp_in(op, 0)); }
TFP_PATTERN(shape_print_v2, "() ->")

static const char assigned[] = "one addition an element";

/* clang-format off */
const tfp_op_rule tfp_rules_state[] = {
    { "Variable", shape_variable_v1, TFP_MOVES },
    { "VariableV2", shape_by_attr, TFP_MOVES },
    { "TemporaryVariable", shape_by_attr, TFP_MOVES },
    { "DestroyTemporaryVariable", tfp_same_as_input, TFP_MOVES },
    { "VarHandleOp", shape_var_handle, TFP_MOVES },
    { "_VarHandlesOp", shape_var_handles, TFP_MOVES },
    { "_XlaAotOnlyVarHandleOp", shape_var_handle, TFP_MOVES },
    { "ReadVariableOp", shape_read_variable, TFP_MOVES },
    { "_ReadVariablesOp", shape_read_variables, TFP_MOVES },
    { "ReadVariableXlaSplitND", shape_read_split, TFP_MOVES },
    { "AssignVariableXlaConcatND", tfp_no_outputs, TFP_MOVES },
    { "AssignVariableOp", shape_assign_variable, TFP_MOVES },
    { "AssignAddVariableOp", shape_assign_variable, count_assigned, 1, "n(in1)", assigned },
    { "AssignSubVariableOp", shape_assign_variable, count_assigned, 1, "n(in1)", assigned },
    { "Assign", shape_assign, TFP_MOVES },
    { "AssignAdd", shape_assign_more, TFP_EACH_IN(1, "registry") },
    { "AssignSub", shape_assign_more, TFP_EACH_IN(1, "registry") },
    { "VariableShape", shape_variable_shape, TFP_MOVES },
    { "VarIsInitializedOp", shape_scalar, TFP_MOVES },
    { "IsVariableInitialized", shape_scalar, TFP_MOVES },
    { "IsResourceHandleRefCounting", shape_scalar, TFP_MOVES },
    { "DestroyResourceOp", tfp_no_outputs, TFP_MOVES },
    { "DisableCopyOnRead", tfp_no_outputs, TFP_MOVES },
    { "CountUpTo", shape_count_up, tfp_count_each_output, 1, "1", "one addition" },
    { "ResourceCountUpTo", shape_resource_count_up, tfp_count_each_output, 1, "1", "one addition" },
    { "MutexV2", shape_scalar, TFP_MOVES },
    { "MutexLock", shape_scalar, TFP_MOVES },
    { "ConsumeMutexLock", tfp_no_outputs, TFP_MOVES },

    { "Save", shape_save, TFP_MOVES },
    { "SaveSlices", shape_save, TFP_MOVES },
    { "SaveV2", shape_save, TFP_MOVES },
    { "Restore", shape_restore, TFP_MOVES },
    { "RestoreSlice", shape_restore_slice, TFP_MOVES },
    { "RestoreV2", shape_restore_v2, TFP_MOVES },
    { "MergeV2Checkpoints", shape_merge_checkpoints, TFP_MOVES },
    { "ShardedFilename", shape_sharded_filename, TFP_MOVES },
    { "ShardedFilespec", shape_sharded_filespec, TFP_MOVES },
    { "ReadFile", shape_of_handle, TFP_MOVES },
    { "WriteFile", shape_two_scalars, TFP_MOVES },
    { "MatchingFiles", shape_matching_files, TFP_MOVES },
    { "GetSessionHandle", shape_scalar, TFP_MOVES },
    { "GetSessionHandleV2", shape_scalar, TFP_MOVES },
    { "GetSessionTensor", tfp_unknown_outputs, TFP_MOVES },
    { "DeleteSessionTensor", tfp_no_outputs, TFP_MOVES },

    { "HashTable", shape_vector_2, TFP_MOVES },
    { "HashTableV2", shape_table, TFP_MOVES },
    { "AnonymousHashTable", shape_table, TFP_MOVES },
    { "MutableHashTable", shape_vector_2, TFP_MOVES },
    { "MutableHashTableV2", shape_mutable_table, TFP_MOVES },
    { "AnonymousMutableHashTable", shape_mutable_table, TFP_MOVES },
    { "MutableHashTableOfTensors", shape_vector_2, TFP_MOVES },
    { "MutableHashTableOfTensorsV2", shape_table_of_tensors, TFP_MOVES },
    { "AnonymousMutableHashTableOfTensors", shape_table_of_tensors, TFP_MOVES },
    { "MutableDenseHashTable", shape_vector_2, TFP_MOVES },
    { "MutableDenseHashTableV2", shape_dense_table, TFP_MOVES },
    { "AnonymousMutableDenseHashTable", shape_dense_table, TFP_MOVES },
    { "LookupTableExport", shape_export_v1, TFP_MOVES },
    { "LookupTableExportV2", tfp_unknown_outputs, TFP_MOVES },
    { "LookupTableFind", shape_find_v1, TFP_MOVES },
    { "LookupTableFindV2", shape_find, TFP_MOVES },
    { "LookupTableImport", shape_insert_v1, TFP_MOVES },
    { "LookupTableImportV2", shape_insert, TFP_MOVES },
    { "LookupTableInsert", shape_insert_v1, TFP_MOVES },
    { "LookupTableInsertV2", shape_insert, TFP_MOVES },
    { "LookupTableRemoveV2", shape_insert, TFP_MOVES },
    { "LookupTableSize", shape_of_handle_v1, TFP_MOVES },
    { "LookupTableSizeV2", shape_of_handle, TFP_MOVES },
    { "InitializeTable", shape_initialize_v1, TFP_MOVES },
    { "InitializeTableV2", shape_initialize, TFP_MOVES },
    { "InitializeTableFromTextFile", shape_insert_v1, TFP_MOVES },
    { "InitializeTableFromTextFileV2", shape_insert, TFP_MOVES },
    { "InitializeTableFromDataset", shape_insert, TFP_MOVES },

    { "Barrier", shape_vector_2, TFP_MOVES },
    { "BarrierInsertMany", shape_barrier_insert, TFP_MOVES },
    { "BarrierTakeMany", tfp_unknown_outputs, TFP_MOVES },
    { "BarrierClose", shape_barrier_close, TFP_MOVES },
    { "BarrierReadySize", shape_of_handle_v1, TFP_MOVES },
    { "BarrierIncompleteSize", shape_of_handle_v1, TFP_MOVES },

    { "ScalarSummary", shape_scalar, TFP_MOVES },
    { "HistogramSummary", shape_scalar, TFP_MOVES },
    { "ImageSummary", shape_scalar, TFP_MOVES },
    { "AudioSummary", shape_scalar, TFP_MOVES },
    { "AudioSummaryV2", shape_scalar, TFP_MOVES },
    { "TensorSummary", shape_scalar, TFP_MOVES },
    { "TensorSummaryV2", shape_scalar, TFP_MOVES },
    { "MergeSummary", shape_scalar, TFP_MOVES },
    { "SummaryWriter", shape_scalar, TFP_MOVES },
    { "CreateSummaryFileWriter", tfp_no_outputs, TFP_MOVES },
    { "CreateSummaryDbWriter", tfp_no_outputs, TFP_MOVES },
    { "FlushSummaryWriter", tfp_no_outputs, TFP_MOVES },
    { "CloseSummaryWriter", tfp_no_outputs, TFP_MOVES },
    { "WriteSummary", tfp_no_outputs, TFP_MOVES },
    { "WriteRawProtoSummary", tfp_no_outputs, TFP_MOVES },
    { "WriteScalarSummary", tfp_no_outputs, TFP_MOVES },
    { "WriteHistogramSummary", tfp_no_outputs, TFP_MOVES },
    { "WriteImageSummary", tfp_no_outputs, TFP_MOVES },
    { "WriteAudioSummary", tfp_no_outputs, TFP_MOVES },
    { "WriteGraphSummary", tfp_no_outputs, TFP_MOVES },
    { "ImportEvent", tfp_no_outputs, TFP_MOVES },
    { "Print", shape_print, TFP_MOVES },
    { "PrintV2", shape_print_v2, TFP_MOVES },
    { "Assert", tfp_no_outputs, TFP_MOVES },
    { "Timestamp", shape_scalar, TFP_MOVES },

    { "StatsAggregatorHandle", shape_scalar, TFP_MOVES },
    { "StatsAggregatorHandleV2", shape_scalar, TFP_MOVES },
    { "ExperimentalStatsAggregatorHandle", shape_scalar, TFP_MOVES },
    { "StatsAggregatorSummary", shape_scalar, TFP_MOVES },
    { "ExperimentalStatsAggregatorSummary", shape_scalar, TFP_MOVES },
    { "StatsAggregatorSetSummaryWriter", tfp_no_outputs, TFP_MOVES },

    { "Batch", shape_batch, TFP_MOVES },
    { "Unbatch", shape_unbatch, TFP_MOVES },
    { "UnbatchGrad", shape_unbatch_grad, TFP_MOVES },

    { NULL }
};
/* clang-format on */
