/* flops/rules_data.c: input pipelines: datasets, iterators, their caches and seeds, batching of calls, and ops that call
 * out of the graph (Python, other processes). A dataset op makes a handle; what its functions do for each element is
 * counted at no node. TensorFlow's rules: core/ops/dataset_ops.cc, experimental_dataset_ops.cc, batch_ops.cc,
 * script_ops.cc, functional_ops.cc (MapDefun), rpc_ops.cc. */
#include "flops/rule.h"

static void set_listed(tfp_op *op) /* each output as the attribute says */
{
    size_t count = 0;
    const tfp_dims *shapes = tfp_attr_shapes(op, "output_shapes", &count);
    if (count != op->out_count) tfp_wrong(op, "as many shapes as outputs are needed");
    for (uint32_t i = 0; i < op->out_count && i < count; i++) tfp_set(op, i, shapes[i]);
}

static void next_element(tfp_op *op) /* iterator or dataset */
{
    tfp_merge_rank(op, tfp_in(op, 0), 0);
    set_listed(op);
}

static void serialized(tfp_op *op) { tfp_set(op, 0, tfp_vector_of(op, TFP_DIM_UNKNOWN)); }

static void map_rows(tfp_op *op) /* arguments with one row for each call, captured inputs */
{
    size_t arguments = tfp_attr_list_size(op, "Targuments"), count = 0;
    int64_t rows = TFP_DIM_UNKNOWN;
    for (uint32_t i = 0; i < op->in_count && i < arguments; i++) {
        rows = tfp_merge_dim(op, rows, tfp_dim(tfp_at_least(op, tfp_in(op, i), 1), 0));
    }
    const tfp_dims *shapes = tfp_attr_shapes(op, "output_shapes", &count);
    for (uint32_t i = 0; i < op->out_count && i < count; i++) {
        tfp_set(op, i, tfp_joined(op, tfp_vector_of(op, rows), shapes[i]));
    }
}

/* Input i with an unknown number of rows. */
static tfp_dims rows_of(tfp_op *op, uint32_t i)
{
    return tfp_with_dim(op, tfp_at_least(op, tfp_in(op, i), 1), 0, TFP_DIM_UNKNOWN);
}

static void batch(tfp_op *op) /* the batched tensors, from where their rows are, and an id */
{
    for (uint32_t i = 0; i < op->in_count; i++) tfp_set(op, i, rows_of(op, i));
    if (op->in_count >= op->out_count) return;
    tfp_set(op, op->in_count, tfp_matrix_of(op, TFP_DIM_UNKNOWN, 3));
    tfp_set(op, op->in_count + 1, TFP_SCALAR_DIMS);
}

static void unbatch(tfp_op *op) { tfp_set(op, 0, rows_of(op, 0)); }

static void unbatch_grad(tfp_op *op) /* original_input, batch_index, grad, id: as the gradient, of unknown dims */
{
    tfp_dims grad = tfp_in(op, 2);
    if (grad.rank >= 0) tfp_set(op, 0, tfp_any_of_rank(op, grad.rank));
}

/* clang-format off */
const tfp_op_rule tfp_rules_data[] = {
    { "AssertCardinalityDataset",                  tfp_scalar_outputs, TFP_MOVES },
    { "AssertNextDataset",                         tfp_scalar_outputs, TFP_MOVES },
    { "AssertPrevDataset",                         tfp_scalar_outputs, TFP_MOVES },
    { "AutoShardDataset",                          tfp_scalar_outputs, TFP_MOVES },
    { "BatchDataset",                              tfp_scalar_outputs, TFP_MOVES },
    { "BatchDatasetV2",                            tfp_scalar_outputs, TFP_MOVES },
    { "BytesProducedStatsDataset",                 tfp_scalar_outputs, TFP_MOVES },
    { "CSVDataset",                                tfp_scalar_outputs, TFP_MOVES },
    { "CSVDatasetV2",                              tfp_scalar_outputs, TFP_MOVES },
    { "CacheDataset",                              tfp_scalar_outputs, TFP_MOVES },
    { "CacheDatasetV2",                            tfp_scalar_outputs, TFP_MOVES },
    { "ChooseFastestBranchDataset",                tfp_scalar_outputs, TFP_MOVES },
    { "ChooseFastestDataset",                      tfp_scalar_outputs, TFP_MOVES },
    { "ConcatenateDataset",                        tfp_scalar_outputs, TFP_MOVES },
    { "DataServiceDataset",                        tfp_scalar_outputs, TFP_MOVES },
    { "DataServiceDatasetV2",                      tfp_scalar_outputs, TFP_MOVES },
    { "DataServiceDatasetV3",                      tfp_scalar_outputs, TFP_MOVES },
    { "DataServiceDatasetV4",                      tfp_scalar_outputs, TFP_MOVES },
    { "DatasetCardinality",                        tfp_scalar_outputs, TFP_MOVES },
    { "DatasetFingerprint",                        tfp_scalar_outputs, TFP_MOVES },
    { "DatasetFromGraph",                          tfp_scalar_outputs, TFP_MOVES },
    { "DatasetToGraph",                            tfp_scalar_outputs, TFP_MOVES },
    { "DatasetToGraphV2",                          tfp_scalar_outputs, TFP_MOVES },
    { "DenseToSparseBatchDataset",                 tfp_scalar_outputs, TFP_MOVES },
    { "DirectedInterleaveDataset",                 tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalAssertNextDataset",             tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalAutoShardDataset",              tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalBytesProducedStatsDataset",     tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalCSVDataset",                    tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalChooseFastestDataset",          tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalDatasetCardinality",            tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalDenseToSparseBatchDataset",     tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalDirectedInterleaveDataset",     tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalGroupByReducerDataset",         tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalGroupByWindowDataset",          tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalIgnoreErrorsDataset",           tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalLMDBDataset",                   tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalLatencyStatsDataset",           tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalMapAndBatchDataset",            tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalMapDataset",                    tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalMatchingFilesDataset",          tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalMaxIntraOpParallelismDataset",  tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalNonSerializableDataset",        tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalParallelInterleaveDataset",     tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalParseExampleDataset",           tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalPrivateThreadPoolDataset",      tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalRandomDataset",                 tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalRebatchDataset",                tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalScanDataset",                   tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalSetStatsAggregatorDataset",     tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalSleepDataset",                  tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalSlidingWindowDataset",          tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalSqlDataset",                    tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalTakeWhileDataset",              tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalThreadPoolDataset",             tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalUnbatchDataset",                tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalUniqueDataset",                 tfp_scalar_outputs, TFP_MOVES },
    { "FilterByLastComponentDataset",              tfp_scalar_outputs, TFP_MOVES },
    { "FilterDataset",                             tfp_scalar_outputs, TFP_MOVES },
    { "FinalizeDataset",                           tfp_scalar_outputs, TFP_MOVES },
    { "FixedLengthRecordDataset",                  tfp_scalar_outputs, TFP_MOVES },
    { "FixedLengthRecordDatasetV2",                tfp_scalar_outputs, TFP_MOVES },
    { "FlatMapDataset",                            tfp_scalar_outputs, TFP_MOVES },
    { "GeneratorDataset",                          tfp_scalar_outputs, TFP_MOVES },
    { "GlobalShuffleDataset",                      tfp_scalar_outputs, TFP_MOVES },
    { "GroupByReducerDataset",                     tfp_scalar_outputs, TFP_MOVES },
    { "GroupByWindowDataset",                      tfp_scalar_outputs, TFP_MOVES },
    { "IgnoreErrorsDataset",                       tfp_scalar_outputs, TFP_MOVES },
    { "IndexFlatMapDataset",                       tfp_scalar_outputs, TFP_MOVES },
    { "InterleaveDataset",                         tfp_scalar_outputs, TFP_MOVES },
    { "LMDBDataset",                               tfp_scalar_outputs, TFP_MOVES },
    { "LatencyStatsDataset",                       tfp_scalar_outputs, TFP_MOVES },
    { "LegacyParallelInterleaveDatasetV2",         tfp_scalar_outputs, TFP_MOVES },
    { "ListDataset",                               tfp_scalar_outputs, TFP_MOVES },
    { "ListSnapshotChunksDataset",                 tfp_scalar_outputs, TFP_MOVES },
    { "LoadDataset",                               tfp_scalar_outputs, TFP_MOVES },
    { "MapAndBatchDataset",                        tfp_scalar_outputs, TFP_MOVES },
    { "MapDataset",                                tfp_scalar_outputs, TFP_MOVES },
    { "MatchingFilesDataset",                      tfp_scalar_outputs, TFP_MOVES },
    { "MaxIntraOpParallelismDataset",              tfp_scalar_outputs, TFP_MOVES },
    { "ModelDataset",                              tfp_scalar_outputs, TFP_MOVES },
    { "NonSerializableDataset",                    tfp_scalar_outputs, TFP_MOVES },
    { "OptimizeDataset",                           tfp_scalar_outputs, TFP_MOVES },
    { "OptimizeDatasetV2",                         tfp_scalar_outputs, TFP_MOVES },
    { "OptionsDataset",                            tfp_scalar_outputs, TFP_MOVES },
    { "PaddedBatchDataset",                        tfp_scalar_outputs, TFP_MOVES },
    { "PaddedBatchDatasetV2",                      tfp_scalar_outputs, TFP_MOVES },
    { "ParallelBatchDataset",                      tfp_scalar_outputs, TFP_MOVES },
    { "ParallelFilterDataset",                     tfp_scalar_outputs, TFP_MOVES },
    { "ParallelInterleaveDataset",                 tfp_scalar_outputs, TFP_MOVES },
    { "ParallelInterleaveDatasetV2",               tfp_scalar_outputs, TFP_MOVES },
    { "ParallelInterleaveDatasetV3",               tfp_scalar_outputs, TFP_MOVES },
    { "ParallelInterleaveDatasetV4",               tfp_scalar_outputs, TFP_MOVES },
    { "ParallelMapDataset",                        tfp_scalar_outputs, TFP_MOVES },
    { "ParallelMapDatasetV2",                      tfp_scalar_outputs, TFP_MOVES },
    { "ParseExampleDataset",                       tfp_scalar_outputs, TFP_MOVES },
    { "ParseExampleDatasetV2",                     tfp_scalar_outputs, TFP_MOVES },
    { "PrefetchDataset",                           tfp_scalar_outputs, TFP_MOVES },
    { "PrivateThreadPoolDataset",                  tfp_scalar_outputs, TFP_MOVES },
    { "RandomDataset",                             tfp_scalar_outputs, TFP_MOVES },
    { "RandomDatasetV2",                           tfp_scalar_outputs, TFP_MOVES },
    { "RangeDataset",                              tfp_scalar_outputs, TFP_MOVES },
    { "RebatchDataset",                            tfp_scalar_outputs, TFP_MOVES },
    { "RebatchDatasetV2",                          tfp_scalar_outputs, TFP_MOVES },
    { "RegisterDataset",                           tfp_scalar_outputs, TFP_MOVES },
    { "RegisterDatasetV2",                         tfp_scalar_outputs, TFP_MOVES },
    { "RepeatDataset",                             tfp_scalar_outputs, TFP_MOVES },
    { "RewriteDataset",                            tfp_scalar_outputs, TFP_MOVES },
    { "SamplingDataset",                           tfp_scalar_outputs, TFP_MOVES },
    { "SaveDatasetV2",                             tfp_scalar_outputs, TFP_MOVES },
    { "ScanDataset",                               tfp_scalar_outputs, TFP_MOVES },
    { "SetStatsAggregatorDataset",                 tfp_scalar_outputs, TFP_MOVES },
    { "ShardDataset",                              tfp_scalar_outputs, TFP_MOVES },
    { "ShuffleAndRepeatDataset",                   tfp_scalar_outputs, TFP_MOVES },
    { "ShuffleAndRepeatDatasetV2",                 tfp_scalar_outputs, TFP_MOVES },
    { "ShuffleDataset",                            tfp_scalar_outputs, TFP_MOVES },
    { "ShuffleDatasetV2",                          tfp_scalar_outputs, TFP_MOVES },
    { "ShuffleDatasetV3",                          tfp_scalar_outputs, TFP_MOVES },
    { "SkipDataset",                               tfp_scalar_outputs, TFP_MOVES },
    { "SleepDataset",                              tfp_scalar_outputs, TFP_MOVES },
    { "SlidingWindowDataset",                      tfp_scalar_outputs, TFP_MOVES },
    { "SnapshotChunkDataset",                      tfp_scalar_outputs, TFP_MOVES },
    { "SnapshotDataset",                           tfp_scalar_outputs, TFP_MOVES },
    { "SnapshotDatasetReader",                     tfp_scalar_outputs, TFP_MOVES },
    { "SnapshotDatasetV2",                         tfp_scalar_outputs, TFP_MOVES },
    { "SnapshotNestedDatasetReader",               tfp_scalar_outputs, TFP_MOVES },
    { "SparseTensorSliceDataset",                  tfp_scalar_outputs, TFP_MOVES },
    { "SqlDataset",                                tfp_scalar_outputs, TFP_MOVES },
    { "TFRecordDataset",                           tfp_scalar_outputs, TFP_MOVES },
    { "TFRecordDatasetV2",                         tfp_scalar_outputs, TFP_MOVES },
    { "TakeDataset",                               tfp_scalar_outputs, TFP_MOVES },
    { "TakeWhileDataset",                          tfp_scalar_outputs, TFP_MOVES },
    { "TensorDataset",                             tfp_scalar_outputs, TFP_MOVES },
    { "TensorSliceDataset",                        tfp_scalar_outputs, TFP_MOVES },
    { "TextLineDataset",                           tfp_scalar_outputs, TFP_MOVES },
    { "ThreadPoolDataset",                         tfp_scalar_outputs, TFP_MOVES },
    { "UnbatchDataset",                            tfp_scalar_outputs, TFP_MOVES },
    { "UniqueDataset",                             tfp_scalar_outputs, TFP_MOVES },
    { "UnwrapDatasetVariant",                      tfp_scalar_outputs, TFP_MOVES },
    { "WeightedFlatMapDataset",                    tfp_scalar_outputs, TFP_MOVES },
    { "WindowDataset",                             tfp_scalar_outputs, TFP_MOVES },
    { "WrapDatasetVariant",                        tfp_scalar_outputs, TFP_MOVES },
    { "ZipDataset",                                tfp_scalar_outputs, TFP_MOVES },
    { "AnonymousIterator",                         tfp_scalar_outputs, TFP_MOVES },
    { "AnonymousIteratorV2",                       tfp_scalar_outputs, TFP_MOVES },
    { "AnonymousIteratorV3",                       tfp_scalar_outputs, TFP_MOVES },
    { "AnonymousMemoryCache",                      tfp_scalar_outputs, TFP_MOVES },
    { "AnonymousMultiDeviceIterator",              tfp_scalar_outputs, TFP_MOVES },
    { "AnonymousMultiDeviceIteratorV3",            tfp_scalar_outputs, TFP_MOVES },
    { "AnonymousRandomSeedGenerator",              tfp_scalar_outputs, TFP_MOVES },
    { "AnonymousSeedGenerator",                    tfp_scalar_outputs, TFP_MOVES },
    { "ComputeBatchSize",                          tfp_scalar_outputs, TFP_MOVES },
    { "DummyIterationCounter",                     tfp_scalar_outputs, TFP_MOVES },
    { "DummyMemoryCache",                          tfp_scalar_outputs, TFP_MOVES },
    { "DummySeedGenerator",                        tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalIteratorGetDevice",             tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalStatsAggregatorHandle",         tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalStatsAggregatorSummary",        tfp_scalar_outputs, TFP_MOVES },
    { "ExperimentalThreadPoolHandle",              tfp_scalar_outputs, TFP_MOVES },
    { "GetOptions",                                tfp_scalar_outputs, TFP_MOVES },
    { "Iterator",                                  tfp_scalar_outputs, TFP_MOVES },
    { "IteratorFromStringHandle",                  tfp_scalar_outputs, TFP_MOVES },
    { "IteratorFromStringHandleV2",                tfp_scalar_outputs, TFP_MOVES },
    { "IteratorGetDevice",                         tfp_scalar_outputs, TFP_MOVES },
    { "IteratorGetModelProto",                     tfp_scalar_outputs, TFP_MOVES },
    { "IteratorGetNextAsOptional",                 tfp_scalar_outputs, TFP_MOVES },
    { "IteratorToStringHandle",                    tfp_scalar_outputs, TFP_MOVES },
    { "IteratorV2",                                tfp_scalar_outputs, TFP_MOVES },
    { "MultiDeviceIterator",                       tfp_scalar_outputs, TFP_MOVES },
    { "MultiDeviceIteratorFromStringHandle",       tfp_scalar_outputs, TFP_MOVES },
    { "MultiDeviceIteratorInit",                   tfp_scalar_outputs, TFP_MOVES },
    { "MultiDeviceIteratorToStringHandle",         tfp_scalar_outputs, TFP_MOVES },
    { "OneShotIterator",                           tfp_scalar_outputs, TFP_MOVES },
    { "StatsAggregatorHandle",                     tfp_scalar_outputs, TFP_MOVES },
    { "StatsAggregatorHandleV2",                   tfp_scalar_outputs, TFP_MOVES },
    { "StatsAggregatorSummary",                    tfp_scalar_outputs, TFP_MOVES },
    { "ThreadPoolHandle",                          tfp_scalar_outputs, TFP_MOVES },
    { "SerializeIterator",              serialized,         TFP_MOVES },
    { "MakeIterator",                              tfp_no_outputs,     TFP_MOVES },
    { "DeserializeIterator",                       tfp_no_outputs,     TFP_MOVES },
    { "DeleteIterator",                            tfp_no_outputs,     TFP_MOVES },
    { "DeleteMultiDeviceIterator",                 tfp_no_outputs,     TFP_MOVES },
    { "DeleteMemoryCache",                         tfp_no_outputs,     TFP_MOVES },
    { "DeleteSeedGenerator",                       tfp_no_outputs,     TFP_MOVES },
    { "DeleteRandomSeedGenerator",                 tfp_no_outputs,     TFP_MOVES },
    { "DatasetToTFRecord",                         tfp_no_outputs,     TFP_MOVES },
    { "ExperimentalDatasetToTFRecord",             tfp_no_outputs,     TFP_MOVES },
    { "SaveDataset",                               tfp_no_outputs,     TFP_MOVES },
    { "StatsAggregatorSetSummaryWriter",           tfp_no_outputs,     TFP_MOVES },
    { "RpcServerRegister",                         tfp_no_outputs,     TFP_MOVES },
    { "RpcServerStart",                            tfp_no_outputs,     TFP_MOVES },

    { "IteratorGetNext",                     next_element, TFP_MOVES },
    { "IteratorGetNextSync",                 next_element, TFP_MOVES },
    { "MultiDeviceIteratorGetNextFromShard", next_element, TFP_MOVES },
    { "DatasetToSingleElement",              next_element, TFP_MOVES },
    { "ReduceDataset",                       set_listed,   TFP_NO_COUNT },
    { "MapDefun",                            map_rows,     TFP_NO_COUNT },

    { "Batch",         batch,               TFP_MOVES },
    { "Unbatch",       unbatch,             TFP_MOVES },
    { "UnbatchGrad",   unbatch_grad,        TFP_MOVES },
    { "BatchFunction", tfp_unknown_outputs, TFP_NO_COUNT },

    /* What runs is not in the graph. */
    { "PyFunc",          tfp_unknown_outputs, TFP_NO_COUNT },
    { "PyFuncStateless", tfp_unknown_outputs, TFP_NO_COUNT },
    { "EagerPyFunc",     tfp_unknown_outputs, TFP_NO_COUNT },
    { "RpcCall",         tfp_unknown_outputs, TFP_NO_COUNT },
    { "RpcCheckStatus",  tfp_unknown_outputs, TFP_MOVES },
    { "RpcClient",       tfp_unknown_outputs, TFP_MOVES },
    { "RpcGetValue",     tfp_unknown_outputs, TFP_MOVES },
    { "RpcServer",       tfp_unknown_outputs, TFP_MOVES },
    { NULL }
};
/* clang-format on */
