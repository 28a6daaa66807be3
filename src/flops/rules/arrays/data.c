// SPDX-License-Identifier: Apache-2.0
/* flops/rules/arrays/data.c: input pipelines: datasets, iterators, their caches and seeds, and ops that call out of the
 * graph (Python, other processes). A dataset op makes a handle; the work of its functions for each element is counted
 * at no node. TensorFlow's rules: core/ops/dataset_ops.cc, experimental_dataset_ops.cc, script_ops.cc,
 * functional_ops.cc (MapDefun), rpc_ops.cc. */
#include "flops/rules/shared/rule.h"

static void next_element(tfp_op *op) /* input: iterator or dataset */
{
    tfp_merge_rank(op, tfp_in(op, 0), 0);
    tfp_listed_outputs(op);
}

static void serialized(tfp_op *op) { tfp_set(op, 0, tfp_vector_of(op, TFP_DIM_UNKNOWN)); }

static void map_rows(tfp_op *op) /* inputs: arguments with one row for each call, captured inputs */
{
    size_t arguments = tfp_attr_members(op, "Targuments")->size;
    int64_t rows = TFP_DIM_UNKNOWN;
    for (uint32_t i = 0; i < op->in_count && i < arguments; i++) {
        rows = tfp_merge_dim(op, rows, tfp_dim(tfp_at_least(op, tfp_in(op, i), 1), 0));
    }
    const tfp_attr_list *rest = tfp_attr_members(op, "output_shapes");
    for (uint32_t i = 0; i < op->out_count && i < rest->shape_count; i++)
        tfp_set(op, i, tfp_joined(op, tfp_vector_of(op, rows), rest->shapes[i]));
}

const tfp_op_rule tfp_rules_data[] = {
    { "AssertCardinalityDataset AssertNextDataset AssertPrevDataset AutoShardDataset BatchDataset BatchDatasetV2 "
      "BytesProducedStatsDataset CSVDataset CSVDatasetV2 CacheDataset CacheDatasetV2 ChooseFastestBranchDataset "
      "ChooseFastestDataset ConcatenateDataset DataServiceDataset DataServiceDatasetV2 DataServiceDatasetV3 "
      "DataServiceDatasetV4 DatasetCardinality DatasetFingerprint DatasetFromGraph DatasetToGraph DatasetToGraphV2 "
      "DenseToSparseBatchDataset DirectedInterleaveDataset ExperimentalAssertNextDataset ExperimentalAutoShardDataset "
      "ExperimentalBytesProducedStatsDataset ExperimentalCSVDataset ExperimentalChooseFastestDataset "
      "ExperimentalDatasetCardinality ExperimentalDenseToSparseBatchDataset ExperimentalDirectedInterleaveDataset "
      "ExperimentalGroupByReducerDataset ExperimentalGroupByWindowDataset ExperimentalIgnoreErrorsDataset "
      "ExperimentalLMDBDataset ExperimentalLatencyStatsDataset ExperimentalMapAndBatchDataset ExperimentalMapDataset "
      "ExperimentalMatchingFilesDataset ExperimentalMaxIntraOpParallelismDataset ExperimentalNonSerializableDataset "
      "ExperimentalParallelInterleaveDataset ExperimentalParseExampleDataset ExperimentalPrivateThreadPoolDataset "
      "ExperimentalRandomDataset ExperimentalRebatchDataset ExperimentalScanDataset "
      "ExperimentalSetStatsAggregatorDataset ExperimentalSleepDataset ExperimentalSlidingWindowDataset "
      "ExperimentalSqlDataset ExperimentalTakeWhileDataset ExperimentalThreadPoolDataset ExperimentalUnbatchDataset "
      "ExperimentalUniqueDataset FilterByLastComponentDataset FilterDataset FinalizeDataset FixedLengthRecordDataset "
      "FixedLengthRecordDatasetV2 FlatMapDataset GeneratorDataset GlobalShuffleDataset GroupByReducerDataset "
      "GroupByWindowDataset IgnoreErrorsDataset IndexFlatMapDataset InterleaveDataset LMDBDataset LatencyStatsDataset "
      "LegacyParallelInterleaveDatasetV2 ListDataset ListSnapshotChunksDataset LoadDataset MapAndBatchDataset "
      "MapDataset MatchingFilesDataset MaxIntraOpParallelismDataset ModelDataset NonSerializableDataset "
      "OptimizeDataset OptimizeDatasetV2 OptionsDataset PaddedBatchDataset PaddedBatchDatasetV2 ParallelBatchDataset "
      "ParallelFilterDataset ParallelInterleaveDataset ParallelInterleaveDatasetV2 ParallelInterleaveDatasetV3 "
      "ParallelInterleaveDatasetV4 ParallelMapDataset ParallelMapDatasetV2 ParseExampleDataset ParseExampleDatasetV2 "
      "PrefetchDataset PrivateThreadPoolDataset RandomDataset RandomDatasetV2 RangeDataset RebatchDataset "
      "RebatchDatasetV2 RegisterDataset RegisterDatasetV2 RepeatDataset RewriteDataset SamplingDataset SaveDatasetV2 "
      "ScanDataset SetStatsAggregatorDataset ShardDataset ShuffleAndRepeatDataset ShuffleAndRepeatDatasetV2 "
      "ShuffleDataset ShuffleDatasetV2 ShuffleDatasetV3 SkipDataset SleepDataset SlidingWindowDataset "
      "SnapshotChunkDataset SnapshotDataset SnapshotDatasetReader SnapshotDatasetV2 SnapshotNestedDatasetReader "
      "SparseTensorSliceDataset SqlDataset TFRecordDataset TFRecordDatasetV2 TakeDataset TakeWhileDataset "
      "TensorDataset TensorSliceDataset TextLineDataset ThreadPoolDataset UnbatchDataset UniqueDataset "
      "UnwrapDatasetVariant WeightedFlatMapDataset WindowDataset WrapDatasetVariant ZipDataset AnonymousIterator "
      "AnonymousIteratorV2 AnonymousIteratorV3 AnonymousMemoryCache AnonymousMultiDeviceIterator "
      "AnonymousMultiDeviceIteratorV3 AnonymousRandomSeedGenerator AnonymousSeedGenerator ComputeBatchSize "
      "DummyIterationCounter DummyMemoryCache DummySeedGenerator ExperimentalIteratorGetDevice "
      "ExperimentalThreadPoolHandle GetOptions Iterator IteratorFromStringHandle IteratorFromStringHandleV2 "
      "IteratorGetDevice IteratorGetModelProto IteratorGetNextAsOptional IteratorToStringHandle IteratorV2 "
      "MultiDeviceIterator MultiDeviceIteratorFromStringHandle MultiDeviceIteratorInit "
      "MultiDeviceIteratorToStringHandle OneShotIterator ThreadPoolHandle",
      tfp_scalar_outputs, TFP_MOVES },
    { "SerializeIterator", serialized, TFP_MOVES },
    { "MakeIterator DeserializeIterator DeleteIterator DeleteMultiDeviceIterator DeleteMemoryCache "
      "DeleteSeedGenerator DeleteRandomSeedGenerator DatasetToTFRecord ExperimentalDatasetToTFRecord SaveDataset "
      "RpcServerRegister RpcServerStart",
      tfp_no_outputs, TFP_MOVES },

    { "IteratorGetNext IteratorGetNextSync MultiDeviceIteratorGetNextFromShard GetElementAtIndex UncompressElement "
      "DatasetToSingleElement",
      next_element, TFP_MOVES },
    { "ReduceDataset", tfp_listed_outputs, TFP_NO_COUNT },
    { "MapDefun", map_rows, TFP_NO_COUNT },

    { "BatchFunction", tfp_unknown_outputs, TFP_NO_COUNT },

    /* The code that runs is not in the graph. */
    { "PyFunc PyFuncStateless EagerPyFunc RpcCall", tfp_unknown_outputs, TFP_NO_COUNT },
    { "RpcCheckStatus RpcClient RpcGetValue RpcServer", tfp_unknown_outputs, TFP_MOVES },
    { NULL },
};
