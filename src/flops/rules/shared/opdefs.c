// SPDX-License-Identifier: Apache-2.0
/* flops/rules/shared/opdefs.c: the outputs of every op in the registry of TensorFlow 2.21.0, public or not: their
 * number and types; those with one output of type T are left out. Made by tools/opdefs.py; rule.h describes the form of
 * a row. */
#include "flops/rules/shared/rule.h"

/* clang-format off */
const tfp_opdef tfp_opdefs[] = {
    { "", "Abort AccumulatorApplyGradient AccumulatorSetGlobalStep Attr AttrBool AttrBoolList AttrDefault "
      "AttrEmptyListDefault AttrEnum AttrEnumList AttrFloat AttrListDefault AttrListMin AttrListTypeDefault AttrMin "
      "AttrPartialShape AttrPartialShapeList AttrShape AttrShapeList AttrTypeDefault BarrierClose BarrierInsertMany "
      "ConstructionFails ControlTrigger DefaultAttrs FloatInput FuncAttr FuncListAttr InPolymorphicTwice "
      "InfeedEnqueuePrelinearizedBuffer InitializeTable InitializeTableFromTextFile IntInput IntInputFloatInput "
      "ListInput LookupTableImport LookupTableInsert NInPolymorphicTwice NInTwice NInTwoTypeVariables NIntsIn "
      "NPolymorphicIn NPolymorphicRestrictIn NoOp None Old OpWithFutureDefaultAttr QueueClose QueueEnqueue "
      "QueueEnqueueMany ReaderReset ReaderRestoreState RefIn RefInputFloatInput RefInputIntInput ReservedAttr "
      "ReservedInput SdcaShrinkL1 SparseAccumulatorApplyGradient StackClose StringListAttr TPUReplicateMetadata "
      "TensorArrayClose TensorArrayCloseV2 TwoFloatInputs TwoIntInputs TwoRefsIn TypeList TypeListRestrict "
      "TypeListTwice" },
    { "!", "Assert AssignAddVariableOp AssignSubVariableOp AssignVariableOp AssignVariableXlaConcatND "
      "BoostedTreesCreateEnsemble BoostedTreesCreateQuantileStreamResource BoostedTreesDeserializeEnsemble "
      "BoostedTreesQuantileStreamResourceAddSummaries BoostedTreesQuantileStreamResourceDeserialize "
      "BoostedTreesQuantileStreamResourceFlush BoostedTreesUpdateEnsemble BoostedTreesUpdateEnsembleV2 "
      "CalibrationStatisticsSaver CloseSummaryWriter ConfigureTPUEmbedding ConnectTPUEmbeddingHosts "
      "ConsumeMutexLock CreateSummaryDbWriter CreateSummaryFileWriter DTensorSetGlobalTPUArray DatasetToTFRecord "
      "DeleteIterator DeleteMemoryCache DeleteMultiDeviceIterator DeleteRandomSeedGenerator DeleteRpcFutureResource "
      "DeleteSeedGenerator DeleteSessionTensor DeserializeIterator DestroyResourceOp DisableCopyOnRead "
      "DistributedSave DumpTensor DynamicEnqueueTPUEmbeddingArbitraryTensorBatch "
      "DynamicEnqueueTPUEmbeddingRaggedTensorBatch EnqueueTPUEmbeddingArbitraryTensorBatch EnqueueTPUEmbeddingBatch "
      "EnqueueTPUEmbeddingIntegerBatch EnqueueTPUEmbeddingRaggedTensorBatch EnqueueTPUEmbeddingSparseBatch "
      "EnqueueTPUEmbeddingSparseTensorBatch ExperimentalDatasetToTFRecord FileSystemSetConfiguration "
      "FinalizeTPUEmbedding FlushSummaryWriter ImportEvent InfeedEnqueue InfeedEnqueueTuple "
      "InitializeTableFromDataset InitializeTableFromTextFileV2 InitializeTableV2 LoadAllTPUEmbeddingParameters "
      "LoadTPUEmbeddingADAMParameters LoadTPUEmbeddingAdadeltaParameters LoadTPUEmbeddingAdagradMomentumParameters "
      "LoadTPUEmbeddingAdagradParameters LoadTPUEmbeddingCenteredRMSPropParameters LoadTPUEmbeddingFTRLParameters "
      "LoadTPUEmbeddingFrequencyEstimatorParameters LoadTPUEmbeddingMDLAdagradLightParameters "
      "LoadTPUEmbeddingMomentumParameters LoadTPUEmbeddingProximalAdagradParameters "
      "LoadTPUEmbeddingProximalYogiParameters LoadTPUEmbeddingRMSPropParameters "
      "LoadTPUEmbeddingStochasticGradientDescentParameters LookupTableImportV2 LookupTableInsertV2 "
      "LookupTableRemoveV2 MakeIterator MapClear MapStage MergeV2Checkpoints NegTrain OrderedMapClear "
      "OrderedMapStage OutfeedEnqueue OutfeedEnqueueTuple PrintV2 QueueCloseV2 QueueEnqueueManyV2 QueueEnqueueV2 "
      "ReaderResetV2 ReaderRestoreStateV2 ResourceAccumulatorApplyGradient ResourceAccumulatorSetGlobalStep "
      "ResourceApplyAdaMax ResourceApplyAdadelta ResourceApplyAdagrad ResourceApplyAdagradDA ResourceApplyAdagradV2 "
      "ResourceApplyAdam ResourceApplyAdamWithAmsgrad ResourceApplyAddSign ResourceApplyCenteredRMSProp "
      "ResourceApplyFtrl ResourceApplyFtrlV2 ResourceApplyGradientDescent ResourceApplyKerasMomentum "
      "ResourceApplyMomentum ResourceApplyPowerSign ResourceApplyProximalAdagrad "
      "ResourceApplyProximalGradientDescent ResourceApplyRMSProp ResourceCreateOp ResourceScatterAdd "
      "ResourceScatterDiv ResourceScatterMax ResourceScatterMin ResourceScatterMul ResourceScatterNdAdd "
      "ResourceScatterNdMax ResourceScatterNdMin ResourceScatterNdSub ResourceScatterNdUpdate ResourceScatterSub "
      "ResourceScatterUpdate ResourceSparseApplyAdadelta ResourceSparseApplyAdagrad ResourceSparseApplyAdagradDA "
      "ResourceSparseApplyAdagradV2 ResourceSparseApplyCenteredRMSProp ResourceSparseApplyFtrl "
      "ResourceSparseApplyFtrlV2 ResourceSparseApplyKerasMomentum ResourceSparseApplyMomentum "
      "ResourceSparseApplyProximalAdagrad ResourceSparseApplyProximalGradientDescent ResourceSparseApplyRMSProp "
      "ResourceStridedSliceAssign ResourceUsingOp RngSkip RpcServerRegister RpcServerStart Save SaveDataset "
      "SaveSlices SaveV2 Send SendTPUEmbeddingGradients ShutdownDistributedTPU SleepOp StackCloseV2 Stage "
      "StageClear StatsAggregatorSetSummaryWriter StoreMinibatchStatisticsInFdo SyncDevice "
      "TPUCompileSucceededAssert TPUReshardVariables TensorArrayCloseV3 UpdateTaskIdAndGlobalCoreArray "
      "WriteAudioSummary WriteFile WriteGraphSummary WriteHistogramSummary WriteImageSummary WriteRawProtoSummary "
      "WriteScalarSummary WriteSummary XlaSend XlaSendTPUEmbeddingGradients XlaSendTPUEmbeddingGradientsV2 "
      "XlaSendToHost _DeviceRetval _HostSend _NcclBroadcastSend _NcclReduceSend _Retval _Send _SetGlobalTPUArray "
      "_ShutdownDistributedTPU _XlaSendFromHost" }, { "!", "_XlaSendFromHostV2" },
    { "!:1", "BoostedTreesPredict LoadAndRemapMatrix RetrieveTPUEmbeddingStochasticGradientDescentParameters "
      "TensorArrayScatterV3 TensorArraySplitV3 TensorArrayWriteV3 XlaSparseCoreSgd" },
    { "!:10",
      "BoostedTreesCenterBias IsBoostedTreesEnsembleInitialized IsBoostedTreesQuantileStreamResourceInitialized "
      "IsResourceHandleRefCounting IsTPUEmbeddingInitialized IsTensorFloat32Enabled QueueIsClosedV2 "
      "ResourceInitializedOp ShutdownTPUSystem VarIsInitializedOp" }, { "!:14", "XlaDequantize" },
    { "!:2", "Timestamp" },
    { "!:20", "AnonymousHashTable AnonymousIterator AnonymousIteratorV3 AnonymousMultiDeviceIteratorV3 "
      "AnonymousMutableDenseHashTable AnonymousMutableHashTable AnonymousMutableHashTableOfTensors "
      "BoostedTreesEnsembleResourceHandleOp BoostedTreesQuantileStreamResourceHandleOp "
      "CollectiveInitializeCommunicator DummyIterationCounter DummyMemoryCache DummySeedGenerator "
      "ExperimentalStatsAggregatorHandle ExperimentalThreadPoolHandle FIFOQueueV2 FixedLengthRecordReaderV2 "
      "GetSessionHandleV2 HashTableV2 IdentityReaderV2 Iterator IteratorFromStringHandle IteratorFromStringHandleV2 "
      "IteratorV2 MakeWeakResourceHandle MultiDeviceIterator MultiDeviceIteratorFromStringHandle "
      "MutableDenseHashTableV2 MutableHashTableOfTensorsV2 MutableHashTableV2 MutexV2 OneShotIterator "
      "PaddingFIFOQueueV2 PriorityQueueV2 RandomShuffleQueueV2 ResourceConditionalAccumulator RpcServer StackV2 "
      "StatsAggregatorHandle StatsAggregatorHandleV2 StubResourceHandleOp SummaryWriter TFRecordReaderV2 "
      "TextLineReaderV2 ThreadPoolHandle VarHandleOp WholeFileReaderV2 _XlaAotOnlyVarHandleOp" },
    { "!:21",
      "CSVDataset CSVDatasetV2 CacheDatasetV2 DataServiceDataset DataServiceDatasetV2 DataServiceDatasetV3 "
      "DataServiceDatasetV4 ExperimentalCSVDataset ExperimentalGroupByReducerDataset ExperimentalLMDBDataset "
      "ExperimentalMatchingFilesDataset ExperimentalRandomDataset ExperimentalSetStatsAggregatorDataset "
      "ExperimentalSqlDataset ExperimentalThreadPoolDataset FixedLengthRecordDataset FixedLengthRecordDatasetV2 "
      "GeneratorDataset GlobalShuffleDataset GroupByReducerDataset IteratorGetNextAsOptional LMDBDataset "
      "ListDataset ListSnapshotChunksDataset LoadDataset MatchingFilesDataset MutexLock RandomDataset "
      "RandomDatasetV2 RangeDataset SaveDatasetV2 SerializeIterator SetStatsAggregatorDataset "
      "ShuffleAndRepeatDatasetV2 ShuffleDatasetV2 ShuffleDatasetV3 SparseTensorSliceDataset SqlDataset "
      "TFRecordDataset TFRecordDatasetV2 TensorDataset TensorSliceDataset TextLineDataset ThreadPoolDataset "
      "XlaRecvTPUEmbeddingDeduplicationData XlaRecvTPUEmbeddingDeduplicationDataV2" },
    { "!:3", "ComputeDedupDataSize ComputeDedupDataSizeV2 ComputeDedupDataTupleMask ComputeDedupDataTupleMaskV2 "
      "ConfigureAndInitializeGlobalTPU DeviceIndex GraphDefVersion MapIncompleteSize MapSize "
      "OrderedMapIncompleteSize OrderedMapSize QueueSizeV2 RequiresOlderGraphVersion "
      "ResourceAccumulatorNumAccumulated StageSize StatelessRandomGetAlg TPUOrdinalSelector TPURoundRobin "
      "TensorArraySizeV3 _DisconnectHostFromDistributedTPUSystem _InitializeHostForDistributedTPU" },
    { "!:7", "Barrier BoostedTreesExampleDebugOutputs CollateTPUEmbeddingMemory ConditionalAccumulator "
      "ConfigureDistributedTPU ConfigureTPUEmbeddingHost ConfigureTPUEmbeddingMemory DevicePlacementOp "
      "DtypeWithDefaultOp ExecuteTPUEmbeddingPartitioner ExperimentalIteratorGetDevice "
      "ExperimentalStatsAggregatorSummary FIFOQueue FakeQueue FixedLengthRecordReader GetSessionHandle HashTable "
      "IdentityReader IteratorGetDevice IteratorGetModelProto IteratorToStringHandle LMDBReader "
      "MultiDeviceIteratorToStringHandle MutableDenseHashTable MutableHashTable MutableHashTableOfTensors "
      "PaddingFIFOQueue PriorityQueue RandomShuffleQueue ReaderSerializeStateV2 RecordInput "
      "SparseConditionalAccumulator Stack StatsAggregatorSummary TFRecordReader TensorArray TensorArrayGrad "
      "TensorArrayGradV2 TensorArrayV2 TextLineReader WholeFileReader WorkerHeartbeat _ConfigureDistributedTPU "
      "_WaitForDistributedTPU _XlaCompileMlirPlaceholderProgramKey" },
    { "!:9",
      "AddManySparseToTensorsMap AddSparseToTensorsMap GlobalIterId LookupTableSizeV2 MultiDeviceIteratorInit "
      "ReaderNumRecordsProducedV2 ReaderNumWorkUnitsCompletedV2 RngReadAndSkip" },
    { "!:T",
      "AllToAll CheckNumerics CheckNumericsV2 CollectiveAllToAllV2 CollectiveAllToAllV3 CollectiveBcastRecv "
      "CollectiveBcastRecvV2 CollectiveBcastSend CollectiveBcastSendV2 CollectiveGather CollectiveGatherV2 "
      "CollectivePermute CollectiveReduce CollectiveReduceScatterV2 CollectiveReduceV2 CollectiveReduceV3 "
      "CrossReplicaSum DebugIdentityV2 DebugIdentityV3 DeepCopy GuaranteeConst NcclAllReduce NcclBroadcast "
      "NcclReduce Print RandomCrop RandomGamma RandomShuffle ResourceCountUpTo SleepIdentityOp StackPushV2 TestAttr "
      "_Arg _DeviceArg _NcclBroadcastRecv _NcclReduceRecv _ScopedAllocator _ScopedAllocatorConcat" },
    { "!:T[]", "RiscWhile TPUAnnotateTensorsWithDynamicShape TPUCopyWithDynamicShape While XlaWhile _While" },
    { "!:Tout", "LookupTableFindV2 RandomUniformInt" },
    { "!:Tout[]",
      "Case EagerPyFunc If PyFunc RemoteCall RpcGetValue StatefulPartitionedCall XlaCallModule XlaIf _If" },
    { "!:Toutput", "XlaRecvFromHost" },
    { "!:Toutputs[]", "XlaHostCompute _XlaHostComputeMlir _XlaRecvAtHost _XlaRecvAtHostV2" },
    { "!:Tresults[]", "TPUExecute TPUExecuteAndUpdateVariables XlaLaunch _XlaRun" },
    { "!:component_types[]", "QueueDequeueManyV2 QueueDequeueUpToV2 QueueDequeueV2" },
    { "!:dt", "Restore RestoreSlice" },
    { "!:dtype",
      "Empty GetSessionTensor InfeedDequeue OutfeedDequeue OutfeedDequeueV2 ParameterizedTruncatedNormal "
      "RandomPoisson RandomStandardNormal RandomUniform ReadVariableOp ResourceAccumulatorTakeGradient "
      "ResourceGather ResourceGatherNd TPUDummyInput TemporaryVariable TensorArrayGatherV3 TensorArrayReadV3 "
      "TruncatedNormal Variable VariableV2 XlaRecv _ParallelConcatStart" },
    { "!:dtype=1", "StatefulStandardNormal StatefulStandardNormalV2 StatefulTruncatedNormal StatefulUniform" },
    { "!:dtype=23", "StatefulUniformFullInt" },
    { "!:dtype=9", "NonDeterministicInts RandomPoissonV2 StatefulRandomBinomial StatefulUniformInt" },
    { "!:dtypes[]",
      "DTensorRestoreV2 InfeedDequeueTuple MapPeek MapUnstage OrderedMapPeek OrderedMapUnstage OutfeedDequeueTuple "
      "OutfeedDequeueTupleV2 RestoreV2 StagePeek Unstage _ReadVariablesOp" }, { "!:elem_type", "StackPopV2" },
    { "!:out_type=3", "VariableShape" }, { "!:output_dtype=9", "Multinomial" },
    { "!:output_types[]",
      "DatasetToSingleElement IteratorGetNext IteratorGetNextSync MultiDeviceIteratorGetNextFromShard ReduceDataset "
      "_TPUReplicate" }, { "!:tensor_type", "Recv _HostRecv _Recv" }, { "!N*:20", "_VarHandlesOp" },
    { "!N*:T", "ReadVariableXlaSplitND _ScopedAllocatorSplit" },
    { "!NumTables*parameters:1 NumTables*auxiliary1:1 NumTables*auxiliary2:1 NumTables*auxiliary3:1 NumTables*auxiliary4:1 NumTables*auxiliary5:1 NumTables*auxiliary6:1 NumTables*auxiliary7:1",
      "RetrieveAllTPUEmbeddingParameters" },
    { "!begin:T size:T bboxes:1", "SampleDistortedBoundingBox SampleDistortedBoundingBoxV2" },
    { "!client:20 method_specs:7", "RpcClient" },
    { "!compilation_status:7 num_computations*program:7", "_TPUCompileMlir" },
    { "!compilation_status:7 num_computations*program:7 num_computations*may_modify_variables:10", "TPUCompile" },
    { "!embedding_partitions:7 hbm_buffers_config:7", "FinalizeTPUEmbeddingV2" },
    { "!error_code:9 error:7", "RpcCheckStatus" }, { "!future:20 deleter:21", "RpcCall" },
    { "!grad_handle:20 flow_out:1", "TensorArrayGradV3 TensorArrayGradWithShape" },
    { "!group_size:3 group_key:3", "CollectiveAssignGroupV2" },
    { "!handle:20 deleter:21",
      "AnonymousIteratorV2 AnonymousMemoryCache AnonymousMultiDeviceIterator AnonymousRandomSeedGenerator "
      "AnonymousSeedGenerator" }, { "!handle:20 flow:1", "TensorArrayV3" },
    { "!input_backprop:T input_h_backprop:T input_c_backprop:T params_backprop:T",
      "CudnnRNNBackprop CudnnRNNBackpropV2 CudnnRNNBackpropV3" }, { "!key:7 compilation_successful:10", "_XlaCompile" },
    { "!key:7 value:7", "ReaderReadV2" }, { "!key:9 values:dtypes[]", "MapUnstageNoKey OrderedMapUnstageNoKey" },
    { "!keys:7 values:7", "ReaderReadUpToV2" }, { "!keys:Tkeys values:Tvalues", "LookupTableExportV2" },
    { "!num_features*:1",
      "BoostedTreesFlushQuantileSummaries BoostedTreesQuantileStreamResourceGetBucketBoundaries" },
    { "!num_outputs*:1", "RecvTPUEmbeddingActivations" },
    { "!num_tables*:1", "XlaRecvTPUEmbeddingActivations XlaRecvTPUEmbeddingActivationsV2" },
    { "!output:T output_h:T output_c:T reserve_space:T", "CudnnRNN" },
    { "!output:T output_h:T output_c:T reserve_space:T host_reserved:6", "CudnnRNNV2 CudnnRNNV3" },
    { "!parameters:1 accumulators:1",
      "RetrieveTPUEmbeddingAdagradParameters RetrieveTPUEmbeddingProximalAdagradParameters" },
    { "!parameters:1 accumulators:1 linears:1", "RetrieveTPUEmbeddingFTRLParameters" },
    { "!parameters:1 accumulators:1 momenta:1", "RetrieveTPUEmbeddingAdagradMomentumParameters" },
    { "!parameters:1 accumulators:1 updates:1", "RetrieveTPUEmbeddingAdadeltaParameters" },
    { "!parameters:1 accumulators:1 weights:1 benefits:1", "RetrieveTPUEmbeddingMDLAdagradLightParameters" },
    { "!parameters:1 last_hit_step:1", "RetrieveTPUEmbeddingFrequencyEstimatorParameters" },
    { "!parameters:1 momenta:1", "RetrieveTPUEmbeddingMomentumParameters" },
    { "!parameters:1 momenta:1 velocities:1", "RetrieveTPUEmbeddingADAMParameters" },
    { "!parameters:1 ms:1 mom:1", "RetrieveTPUEmbeddingRMSPropParameters" },
    { "!parameters:1 ms:1 mom:1 mg:1", "RetrieveTPUEmbeddingCenteredRMSPropParameters" },
    { "!parameters:1 v:1 m:1", "RetrieveTPUEmbeddingProximalYogiParameters" },
    { "!partial_logits:1 tree_ids:3 node_ids:3", "BoostedTreesTrainingPredict" },
    { "!row_ids:3 col_ids:3 gains:1", "ConvertToCooTensor" },
    { "!row_pointers:3 sorted_sample_ids:3 sorted_token_ids:3 sorted_gains:1 row_pointers_unpadded_size:3 ids_unpadded_size:3 num_minibatches_per_physical_sparse_core:3",
      "GetMinibatchesInCsrWithPhysicalReplica" },
    { "!sampled_candidates:9 true_expected_count:1 sampled_expected_count:1",
      "AllCandidateSampler FixedUnigramCandidateSampler LearnedUnigramCandidateSampler LogUniformCandidateSampler "
      "ThreadUnsafeUnigramCandidateSampler UniformCandidateSampler" },
    { "!sorted_row_ids:3 sorted_col_ids:3 sorted_gains:1 splits:9 id_counts:3 max_ids:3 max_uniques:3",
      "GetMinibatchSplitsWithPhysicalReplica" },
    { "!sparse_indices:9 sparse_values:dtype sparse_shape:9", "TakeManySparseFromTensorsMap" },
    { "!stamp_token:9 num_trees:3 num_finalized_trees:3 num_attempted_layers:3 last_layer_nodes_range:3",
      "BoostedTreesGetEnsembleStates" },
    { "!stamp_token:9 tree_ensemble_serialized:7", "BoostedTreesSerializeEnsemble" },
    { "!updated_embedding_table:1 updated_accumulator:1", "XlaSparseCoreAdagrad" },
    { "!updated_embedding_table:1 updated_accumulator:1 updated_linear:1", "XlaSparseCoreFtrl" },
    { "!updated_embedding_table:1 updated_accumulator:1 updated_momentum:1", "XlaSparseCoreAdagradMomentum" },
    { "!updated_embedding_table:1 updated_velocity:1 updated_momentum:1", "XlaSparseCoreAdam" },
    { "!value:dtype lengths:9", "TensorArrayConcatV3" },
    { "!vocab_word:7 vocab_freq:3 words_per_epoch:9 current_epoch:3 total_words_processed:9 examples:3 labels:3",
      "Skipgram" },
    { ":1",
      "A AdjustContrast AudioSpectrogram B BoostedTreesAggregateStats BoostedTreesMakeStatsSummary CropAndResize "
      "CropAndResizeGradBoxes EditDistance ExtractGlimpse ExtractGlimpseV2 FakeQuantWithMinMaxArgs "
      "FakeQuantWithMinMaxArgsGradient FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel FloatOutput "
      "KmeansPlusPlusInitialization KthOrderStatistic MakeUnique Mfcc ResizeArea ResizeBicubic ResizeBilinear "
      "RiscRandomUniform ScaleAndTranslate Simple SparseMatMul TPUEmbeddingActivations TensorArrayScatter "
      "TensorArrayScatterV2 TensorArraySplit TensorArraySplitV2 TensorArrayUnpack TensorArrayWrite "
      "TensorArrayWriteV2 TwoFloatInputsFloatOutput XlaSparseDenseMatmulGradWithSgdAndCsrInput "
      "XlaSparseDenseMatmulGradWithSgdAndStaticBufferSize XlaSparseDenseMatmulWithStaticBufferSize" },
    { ":10", "All Any ApproximateEqual Equal Greater GreaterEqual InTopK InTopKV2 IsFinite IsInf IsNan "
      "IsVariableInitialized Less LessEqual LogicalAnd LogicalNot LogicalOr LoopCond NotEqual OptionalHasValue "
      "QueueIsClosed RegexFullMatch RiscBinaryComparison RiscIsFinite RiscLogicalAnd RiscLogicalNot RiscLogicalOr "
      "StaticRegexFullMatch TensorMapHasKey ToBool" }, { ":2", "DebugNumericSummary" },
    { ":21",
      "AssertCardinalityDataset AssertNextDataset AssertPrevDataset AutoShardDataset BatchDataset BatchDatasetV2 "
      "BytesProducedStatsDataset CacheDataset ChooseFastestBranchDataset ChooseFastestDataset "
      "CompositeTensorVariantFromComponents CompressElement ConcatenateDataset DatasetFromGraph "
      "DenseToCSRSparseMatrix DenseToSparseBatchDataset DirectedInterleaveDataset EmptyTensorList EmptyTensorMap "
      "ExperimentalAssertNextDataset ExperimentalAutoShardDataset ExperimentalBytesProducedStatsDataset "
      "ExperimentalChooseFastestDataset ExperimentalDenseToSparseBatchDataset ExperimentalDirectedInterleaveDataset "
      "ExperimentalGroupByWindowDataset ExperimentalIgnoreErrorsDataset ExperimentalLatencyStatsDataset "
      "ExperimentalMapAndBatchDataset ExperimentalMapDataset ExperimentalMaxIntraOpParallelismDataset "
      "ExperimentalNonSerializableDataset ExperimentalParallelInterleaveDataset ExperimentalParseExampleDataset "
      "ExperimentalPrivateThreadPoolDataset ExperimentalRebatchDataset ExperimentalScanDataset "
      "ExperimentalSleepDataset ExperimentalSlidingWindowDataset ExperimentalTakeWhileDataset "
      "ExperimentalUnbatchDataset ExperimentalUniqueDataset FilterByLastComponentDataset FilterDataset "
      "FinalizeDataset FlatMapDataset GroupByWindowDataset IgnoreErrorsDataset IndexFlatMapDataset "
      "InterleaveDataset LatencyStatsDataset LegacyParallelInterleaveDatasetV2 MapAndBatchDataset MapDataset "
      "MaxIntraOpParallelismDataset MergeDedupData ModelDataset NonSerializableDataset OptimizeDataset "
      "OptimizeDatasetV2 OptionalFromValue OptionalNone OptionsDataset PaddedBatchDataset PaddedBatchDatasetV2 "
      "ParallelBatchDataset ParallelFilterDataset ParallelInterleaveDataset ParallelInterleaveDatasetV2 "
      "ParallelInterleaveDatasetV3 ParallelInterleaveDatasetV4 ParallelMapDataset ParallelMapDatasetV2 "
      "ParseExampleDataset ParseExampleDatasetV2 PrefetchDataset Prelinearize PrelinearizeTuple "
      "PrivateThreadPoolDataset RaggedTensorToVariant RebatchDataset RebatchDatasetV2 RepeatDataset RewriteDataset "
      "SamplingDataset ScanDataset ShardDataset ShuffleAndRepeatDataset ShuffleDataset SkipDataset SleepDataset "
      "SlidingWindowDataset SnapshotChunkDataset SnapshotDataset SnapshotDatasetReader SnapshotDatasetV2 "
      "SnapshotNestedDatasetReader SparseMatrixAdd SparseMatrixMul SparseMatrixSoftmax SparseMatrixSoftmaxGrad "
      "SparseMatrixSparseCholesky SparseMatrixSparseMatMul SparseMatrixTranspose SparseMatrixZeros "
      "SparseTensorToCSRSparseMatrix TakeDataset TakeWhileDataset TensorListConcatLists TensorListFromTensor "
      "TensorListPushBack TensorListPushBackBatch TensorListReserve TensorListResize TensorListScatter "
      "TensorListScatterIntoExistingList TensorListScatterV2 TensorListSetItem TensorListSplit TensorMapErase "
      "TensorMapInsert UnbatchDataset UniqueDataset UnwrapDatasetVariant WeightedFlatMapDataset WindowDataset "
      "WindowOp WrapDatasetVariant ZipDataset" }, { ":23", "DatasetFingerprint" },
    { ":3",
      "AccumulatorNumAccumulated BarrierIncompleteSize BarrierReadySize Bucketize GetTpuTaskId IntInputIntOutput "
      "IntOutput NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionWithOverlaps "
      "OpWithDefaultAttr QueueSize Rank RefInputFloatInputIntOutput RefOutput SetSize SparseMatrixNNZ "
      "SparseMatrixOrderingAMD StringLength TensorArraySize TensorArraySizeV2 TensorListLength TensorMapSize "
      "TwoFloatInputsIntOutput UnicodeScript XlaReplicaId XlaSetBound" },
    { ":4", "DecodeAndCropJpeg DecodeBmp DecodeGif DecodeJpeg Fingerprint PopulationCount" },
    { ":7", "AsString AudioSummary AudioSummaryV2 DatasetToGraph DatasetToGraphV2 DecodeBase64 DecodeCompressed "
      "DecodeJSONExample EncodeBase64 EncodeJpeg EncodeJpegVariableQuality EncodePng EncodeProto EncodeWav Fact "
      "GetOptions HistogramSummary ImageSummary KernelLabel KernelLabelRequired MatchingFiles MergeSummary ReadFile "
      "ReaderSerializeState ReduceJoin RegexReplace RegisterDatasetV2 ScalarSummary SerializeTensor ShardedFilename "
      "ShardedFilespec StaticRegexReplace StringFormat StringJoin StringLower StringStrip StringUpper Substr "
      "TPUCompilationResult TensorSummary TensorSummaryV2 TpuHandleToProtoKey UnicodeEncode UnicodeTranscode "
      "UnsortedSegmentJoin" }, { ":8", "BatchFFT BatchFFT2D BatchFFT3D BatchIFFT BatchIFFT2D BatchIFFT3D" },
    { ":9",
      "ComputeBatchSize DatasetCardinality DebugNanCount ExperimentalDatasetCardinality GetDeadline Int64Output "
      "IntAttr KMC2ChainInitialization LookupTableSize ReaderNumRecordsProduced ReaderNumWorkUnitsCompleted "
      "RegisterDataset SdcaFprint StringToHashBucket StringToHashBucketFast StringToHashBucketStrong Where "
      "_TensorToHashBucketFast" }, { ":DstT", "Cast RiscBitcast RiscCast RiscCondition _HostCast" },
    { ":OUT_TYPE[]", "DecodeCSV" }, { ":S", "CudnnRNNParamsSize" },
    { ":T=1",
      "AdjustContrastv2 AdjustHue AdjustSaturation DrawBoundingBoxes DrawBoundingBoxesV2 HSVToRGB LRN LRNGrad "
      "LeakyRelu LeakyReluGrad MaxPool MaxPool3DGrad MaxPoolGrad MaxPoolGradV2 MaxPoolV2 NextAfter RGBToHSV "
      "XlaSparseDenseMatmulWithCsrInput _MklNativeMaxPool3DGrad _MklNativeMaxPoolGrad _MklSoftmax _MklSwish" },
    { ":T=3", "BroadcastArgs DataFormatDimMap DataFormatVecPermute InvertPermutation" },
    { ":T=7", "PolymorphicDefaultOut" }, { ":T=8", "Conj" },
    { ":T[]", "For IdentityN ListOutput OutTypeList StatelessWhile XlaOptimizationBarrier XlaVariadicReduceV2 "
      "XlaVariadicSort" },
    { ":Tcomplex=8", "FFT FFT2D FFT3D FFTND IFFT IFFT2D IFFT3D IFFTND RFFT RFFT2D RFFT3D RFFTND RiscFft" },
    { ":Tcomponents[]", "CompositeTensorVariantToComponents" }, { ":Tidx=3", "Range UnravelIndex" },
    { ":Tout", "BatchMatMulV3 LookupTableFind StochasticCastToInt UniformDequantize UniformQuantize "
      "UniformQuantizedConvolution UniformQuantizedConvolutionHybrid UniformQuantizedDot UniformQuantizedDotHybrid "
      "UniformRequantize" }, { ":Tout=1", "Angle ComplexAbs Imag Real RiscImag RiscReal" }, { ":Tout=8", "Complex" },
    { ":Tout[]",
      "BatchFunction PartitionedCall PyFuncStateless StatelessCase StatelessIf SymbolicGradient TPUPartitionedCall" },
    { ":Toutput", "QuantizedMatMulWithBiasAndDequantize _MklQuantizedMatMulWithBiasAndDequantize" },
    { ":Toutputs[]", "MlirPassthroughOp" }, { ":Tparams", "Gather GatherNd GatherV2 RiscGather" },
    { ":Treal=1", "IRFFT IRFFT2D IRFFT3D IRFFTND" }, { ":Tresults[]", "XlaLaunchV2" },
    { ":Tvalues", "RaggedTensorToVariantGradient" },
    { ":component_types[]", "QueueDequeue QueueDequeueMany QueueDequeueUpTo" },
    { ":dtype",
      "AccumulatorTakeGradient Const FakeParam HostConst ImageProjectiveTransformV2 ImageProjectiveTransformV3 "
      "ImmutableConst Placeholder PlaceholderV2 PlaceholderWithDefault RandomIndexShuffle "
      "StatelessParameterizedTruncatedNormal StatelessRandomGammaV2 StatelessRandomGammaV3 StatelessRandomPoisson "
      "StatelessRandomUniformInt StatelessRandomUniformIntV2 TensorArrayGather TensorArrayGatherV2 TensorArrayPack "
      "TensorArrayRead TensorArrayReadV2 XlaCustomCall XlaSparseGradientsStack" },
    { ":dtype=1", "Dequantize SobolSample StatelessRandomNormal StatelessRandomNormalV2 StatelessRandomUniform "
      "StatelessRandomUniformV2 StatelessTruncatedNormal StatelessTruncatedNormalV2 _MklDequantize" },
    { ":dtype=23", "StatelessRandomUniformFullInt StatelessRandomUniformFullIntV2" },
    { ":dtype=3", "HistogramFixedWidth" }, { ":dtype=4", "DecodeImage DecodeJxl DecodePng DecodeWebP" },
    { ":dtype=9", "StatelessRandomBinomial" }, { ":elem_type", "StackPop" },
    { ":element_dtype", "TensorListGather TensorListGetItem TensorListStack" }, { ":key_dtype", "TensorMapStackKeys" },
    { ":out_type", "DecodePaddedRaw DecodeRaw ParseTensor" }, { ":out_type=1", "StringToNumber" },
    { ":out_type=17", "AudioMicrofrontend" }, { ":out_type=3", "LowerBound RiscShape Shape Size UpperBound" },
    { ":out_type=7", "SerializeManySparse SerializeSparse" }, { ":out_types[]", "_ArrayToList" },
    { ":output_dtype=1", "DebugNumericSummaryV2" }, { ":output_dtype=9", "StatelessMultinomial" },
    { ":output_type=3", "ExtractJpegShape" }, { ":output_type=9", "ArgMax ArgMin" },
    { ":output_types[]", "GetElementAtIndex MapDefun OptionalGetValue UncompressElement" },
    { ":preferred_element_type", "XlaConvV2 XlaDotV2" }, { ":result_dtypes[]", "XlaCustomCallV2" },
    { ":shape_type", "TensorListElementShape" }, { ":t[]", "OutTypeListRestrict" },
    { ":type", "Bitcast CSRSparseMatrixToDense" }, { ":value_dtype", "TensorMapLookup" }, { "N*:3", "NIntsOut" },
    { "N*:T", "NPolymorphicOut NPolymorphicRestrictOut XlaSplitND XlaVariadicReduce _ListToArray" },
    { "N*:T=1", "XlaSparseDenseMatmulGradWithCsrInput" }, { "N*:out_type=3", "ShapeN" },
    { "N*:shape_type=3", "ConcatOffset" },
    { "N*updated_tables:1 updated_weights:1", "XlaSparseDenseMatmulCustomCombinerOnTcGradWithCsrInput" },
    { "N=2*:T=10", "NPolymorphicOutDefault" }, { "N=3*:3", "NIntsOutDefault" },
    { "Ncontext_sparse=0*context_sparse_indices:9 context_sparse_values:context_sparse_types[] Ncontext_sparse=0*context_sparse_shapes:9 context_dense_values:Tcontext_dense[] Nfeature_list_sparse=0*feature_list_sparse_indices:9 feature_list_sparse_values:feature_list_sparse_types[] Nfeature_list_sparse=0*feature_list_sparse_shapes:9 feature_list_dense_values:feature_list_dense_types[]",
      "ParseSingleSequenceExample" },
    { "Ncontext_sparse=0*context_sparse_indices:9 context_sparse_values:context_sparse_types[] Ncontext_sparse=0*context_sparse_shapes:9 context_dense_values:Tcontext_dense[] Nfeature_list_sparse=0*feature_list_sparse_indices:9 feature_list_sparse_values:feature_list_sparse_types[] Nfeature_list_sparse=0*feature_list_sparse_shapes:9 feature_list_dense_values:feature_list_dense_types[] Nfeature_list_dense=0*feature_list_dense_lengths:9",
      "ParseSequenceExample" },
    { "Ncontext_sparse=0*context_sparse_indices:9 context_sparse_values:context_sparse_types[] Ncontext_sparse=0*context_sparse_shapes:9 context_dense_values:Tcontext_dense[] context_ragged_values:context_ragged_value_types[] context_ragged_row_splits:context_ragged_split_types[] Nfeature_list_sparse=0*feature_list_sparse_indices:9 feature_list_sparse_values:feature_list_sparse_types[] Nfeature_list_sparse=0*feature_list_sparse_shapes:9 feature_list_dense_values:feature_list_dense_types[] Nfeature_list_dense=0*feature_list_dense_lengths:9 feature_list_ragged_values:feature_list_ragged_value_types[] feature_list_ragged_outer_splits:feature_list_ragged_split_types[] feature_list_ragged_inner_splits:feature_list_ragged_split_types[]",
      "ParseSequenceExampleV2" },
    { "Nsparse*sparse_indices:9 sparse_values:sparse_types[] Nsparse*sparse_shapes:9 dense_values:Tdense[]",
      "ParseExample" },
    { "OUTPUT_RAGGED_RANK*output_nested_splits:Tsplits=9 output_dense_values:Tvalues", "RaggedGather" },
    { "a:1 b:1", "RefOutputFloatOutput TwoFloatOutputs" }, { "a:1 b:1 c:1 d:1 e:1", "FiveFloatOutputs" },
    { "a:1 b:7", "FloatOutputStringOutput" }, { "a:3 b:1", "IntOutputFloatOutput" }, { "a:3 b:3", "TwoIntOutputs" },
    { "a_val_grad:T b_val_grad:T", "SparseAddGrad" },
    { "activations:1 preserved_valencies:3 preserved_vectors:1",
      "XlaSparseDenseMatmulCustomCombinerOnTcWithCsrInput" },
    { "activations:1 row_pointers:3 sorted_embedding_ids:3 sorted_sample_ids:3 sorted_gains:1",
      "XlaSparseDenseMatmul" }, { "activations:T mkl_activations:4", "_MklTanh" },
    { "activations:T=1 mkl_activations:4", "_MklElu _MklLeakyRelu _MklRelu _MklRelu6" },
    { "activations:out_type=12 min_activations:1 max_activations:1",
      "QuantizedRelu QuantizedRelu6 QuantizedReluX" }, { "audio:1 sample_rate:3", "DecodeWav" },
    { "backprops:T mkl_backprops:4", "_MklTanhGrad" },
    { "backprops:T=1 mkl_backprops:4", "_MklEluGrad _MklLeakyReluGrad _MklRelu6Grad _MklReluGrad" },
    { "backprops_wrt_input:1 backprop_wrt_min:1 backprop_wrt_max:1",
      "FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannelGradient" },
    { "batched_tensors:T[] batch_index:9 id:9", "Batch" },
    { "begin:T size:T bboxes:1", "StatelessSampleDistortedBoundingBox" },
    { "cs_prev_grad:T dicfo:T wci_grad:T wcf_grad:T wco_grad:T", "LSTMBlockCellGrad" }, { "d:1 e:3", "Foo1 Foo2 Foo3" },
    { "d_values:T d_default_value:T", "RaggedFillEmptyRowsGrad SparseFillEmptyRowsGrad" },
    { "d_x:T d_h_prev:T d_c_bar:T d_r_bar_u_bar:T", "GRUBlockCellGrad" },
    { "decoded_indices:9 decoded_values:9 decoded_shape:9 log_probability:T=1", "CTCGreedyDecoder" },
    { "device_outputs:Tdevice_outputs[] host_outputs:Thost_outputs[]",
      "_FusedQuantizedConv2D _FusedQuantizedDepthwiseConv2D _QuantizedMatMul" },
    { "dx:T dm:T dv:T db:T dg:T", "BatchNormWithGlobalNormalizationGrad" },
    { "e:T v:T", "BatchSelfAdjointEigV2 SelfAdjointEigV2" }, { "e:Tout v:Tout", "Eig" },
    { "i:T cs:T f:T o:T ci:T co:T h:T", "BlockLSTM BlockLSTMV2 LSTMBlockCell" },
    { "indices:3 ids:9 weights:1", "ComputeAccidentalHits" },
    { "indices:9 keys:7 values:component_types[]", "BarrierTakeMany" },
    { "indices:9 values:7 shape:9", "StringSplit StringSplitV2" },
    { "indices:9 values:dtype shape:9", "SparseAccumulatorTakeGradient" },
    { "indices:9 values:type dense_shape:9", "CSRSparseMatrixToSparseTensor" },
    { "input_backprop:T input_min_backprop:T input_max_backprop:T", "QuantizeAndDequantizeV4Grad" },
    { "integer_tensor:integer_type float_tensor:float_type", "SplitDedupData" },
    { "key:23 counter:23", "StatelessRandomGetKeyCounter" },
    { "key:23 counter:23 alg:3", "StatelessRandomGetKeyCounterAlg" }, { "key:7 value:7", "ReaderRead" },
    { "keys:7 values:7", "ReaderReadUpTo" }, { "keys:Tkeys values:Tvalues", "LookupTableExport" },
    { "lhs_output:T rhs_output:T", "XlaBroadcastHelper" }, { "loss:1 gradient:1", "CTCLossV2" },
    { "loss:T backprop:T", "SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits" },
    { "loss:T=1 gradient:T=1", "CTCLoss" }, { "lu:T p:output_idx_type=3", "Lu" },
    { "max_ids_per_sparse_core:3 max_unique_ids_per_sparse_core:3", "GetStatsFromListOfSparseCoreCooTensors" },
    { "n_a*:3", "SimpleStruct" }, { "n_a*a:3 b:1", "MixedStruct" }, { "n_a*a:3 n_b*b:9 c:t_c[]", "ComplexStruct" },
    { "nearest_center_indices:9 nearest_center_distances:1", "NearestNeighbors" },
    { "ngrams:7 ngrams_splits:Tsplits=9", "StringNGrams" },
    { "nmsed_boxes:1 nmsed_scores:1 nmsed_classes:1 valid_detections:3", "CombinedNonMaxSuppression" },
    { "node_ids:3 gains:1 feature_dimensions:3 thresholds:3 left_node_contribs:1 right_node_contribs:1 split_with_default_directions:7",
      "BoostedTreesCalculateBestFeatureSplit BoostedTreesSparseCalculateBestFeatureSplit" },
    { "node_ids:3 gains:1 feature_ids:3 feature_dimensions:3 thresholds:3 left_node_contribs:1 right_node_contribs:1 split_with_default_directions:7",
      "BoostedTreesCalculateBestFeatureSplitV2" }, { "num*:T", "Unpack" },
    { "num_features*:1", "BoostedTreesMakeQuantileSummaries" }, { "num_features*:3", "BoostedTreesBucketize" },
    { "num_features*node_ids_list:3 num_features*gains_list:1 num_features*thresholds_list:3 num_features*left_node_contribs_list:1 num_features*right_node_contribs_list:1",
      "BoostedTreesCalculateBestGainsPerFeature" }, { "num_outs*:T", "_SwitchN" },
    { "num_params*weights:T num_params*biases:T", "CudnnRNNParamsToCanonical" },
    { "num_params_weights*weights:T num_params_biases*biases:T", "CudnnRNNParamsToCanonicalV2" },
    { "num_partitions*:T", "DynamicPartition" }, { "num_replicas*:T", "TPUReplicatedOutput" },
    { "num_sc_per_chip*row_ids_list:3 num_sc_per_chip*col_ids_list:3 num_sc_per_chip*gains_list:1",
      "ConvertToListOfSparseCoreCooTensors" },
    { "num_sparse*sparse_indices:9 sparse_values:sparse_types[] num_sparse*sparse_shapes:9 dense_values:Tdense[]",
      "ParseSingleExample" },
    { "num_sparse*sparse_indices:9 sparse_values:sparse_types[] num_sparse*sparse_shapes:9 dense_values:Tdense[] ragged_values:ragged_value_types[] ragged_row_splits:ragged_split_types[]",
      "ParseExampleV2" }, { "num_split*:T", "Split SplitV" },
    { "num_split*output_indices:9 num_split*output_values:T num_split*output_shape:9", "SparseSplit" },
    { "num_splits*:T", "TPUPartitionedOutput TPUPartitionedOutputV2" },
    { "num_tables*:dtype", "XlaSparseActivationsUnstack" }, { "out:T idx:out_idx=3", "ListDiff" },
    { "out:Toutput=12 min_out:1 max_out:1",
      "QuantizedMatMulWithBiasAndReluAndRequantize QuantizedMatMulWithBiasAndRequantize "
      "_MklQuantizedMatMulWithBiasAndReluAndRequantize _MklQuantizedMatMulWithBiasAndRequantize" },
    { "out:Toutput=13 min_out:1 max_out:1",
      "QuantizedMatMul QuantizedMatMulWithBias QuantizedMatMulWithBiasAndRelu _MklQuantizedMatMulWithBias "
      "_MklQuantizedMatMulWithBiasAndRelu" },
    { "out_example_state_data:1 num_sparse_features*out_delta_sparse_weights:1 num_dense_features*out_delta_dense_weights:1",
      "SdcaOptimizer SdcaOptimizerV2" }, { "output1:1 output2:7", "Namespace>TestStringOutput TestStringOutput" },
    { "output:1 min:1 max:1 histogram:9", "CustomAggregator" }, { "output:T argmax:Targmax=9", "MaxPoolWithArgmax" },
    { "output:T bias_grad:T", "_MklNativeConv2DBackpropFilterWithBias __MklDummyConv2DBackpropFilterWithBias" },
    { "output:T bias_grad:T mkl_output:4 mkl_bias_grad:4", "_MklConv2DBackpropFilterWithBias" },
    { "output:T filter_output:T mkl_output:4 mkl_filter_output:4",
      "_MklConv2D _MklConv2DWithBias _MklConv3D _MklDepthwiseConv2dNative _MklFusedConv2D "
      "_MklFusedDepthwiseConv2dNative _MklPadWithConv2D _MklPadWithFusedConv2D __MklDummyPadWithFusedConv2D" },
    { "output:T min_output:1 max_output:1",
      "QuantizedAvgPool QuantizedMaxPool _MklQuantizedAvgPool _MklQuantizedMaxPool _QuantizedMaxPool3D" },
    { "output:T mkl_output:4",
      "_MklAvgPool _MklAvgPool3D _MklAvgPool3DGrad _MklAvgPoolGrad _MklConcat _MklConcatV2 _MklConv2DBackpropFilter "
      "_MklConv2DBackpropInput _MklConv3DBackpropFilterV2 _MklConv3DBackpropInputV2 "
      "_MklDepthwiseConv2dNativeBackpropFilter _MklDepthwiseConv2dNativeBackpropInput" },
    { "output:T output_min:1 output_max:1",
      "QuantizeV2 QuantizedConcat QuantizedConcatV2 QuantizedReshape _MklQuantizeV2 _MklQuantizedConcatV2" },
    { "output:T row_pooling_sequence:9 col_pooling_sequence:9", "FractionalAvgPool FractionalMaxPool" },
    { "output:T sorted_unique_indices:Tidx=3",
      "SparseSegmentMeanGradV2 SparseSegmentSqrtNGradV2 SparseSegmentSumGradV2" },
    { "output:T value_index:3", "Merge RefMerge" }, { "output:T workspace:4", "_MklNativeMaxPool3D" },
    { "output:T workspace:4 mkl_output:4 mkl_workspace:4", "_MklMaxPool3D" },
    { "output:T=1 mkl_output:4", "_MklMaxPool3DGrad _MklMaxPoolGrad" },
    { "output:T=1 workspace:4", "_MklNativeMaxPool" },
    { "output:T=1 workspace:4 mkl_output:4 mkl_workspace:4", "_MklMaxPool" },
    { "output:out_type min_out:1 max_out:1", "QuantizedBiasAdd" },
    { "output:out_type output_min:1 output_max:1", "QuantizeDownAndShrinkRange Requantize" },
    { "output:out_type=11 min_output:1 max_output:1",
      "QuantizedConv2DAndRequantize QuantizedConv2DWithBiasAndRequantize _MklQuantizedConv2DAndRequantize "
      "_MklQuantizedConv2DWithBiasAndRequantize" },
    { "output:out_type=12 min_output:1 max_output:1",
      "QuantizedConv2DAndReluAndRequantize QuantizedConv2DWithBiasAndReluAndRequantize "
      "QuantizedConv2DWithBiasSignedSumAndReluAndRequantize QuantizedConv2DWithBiasSumAndReluAndRequantize "
      "QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize _MklQuantizedConv2DAndReluAndRequantize "
      "_MklQuantizedConv2DWithBiasAndReluAndRequantize _MklQuantizedConv2DWithBiasSignedSumAndReluAndRequantize "
      "_MklQuantizedConv2DWithBiasSumAndReluAndRequantize _MklQuantizedDepthwiseConv2DWithBiasAndReluAndRequantize" },
    { "output:out_type=12 output_min:1 output_max:1", "RequantizePerChannel" },
    { "output:out_type=13 min_output:1 max_output:1",
      "QuantizedConv2D QuantizedConv2DAndRelu QuantizedConv2DPerChannel QuantizedConv2DWithBias "
      "QuantizedConv2DWithBiasAndRelu QuantizedConv2DWithBiasSumAndRelu QuantizedDepthwiseConv2D "
      "QuantizedDepthwiseConv2DWithBias QuantizedDepthwiseConv2DWithBiasAndRelu _MklQuantizedConv2D "
      "_MklQuantizedConv2DAndRelu _MklQuantizedConv2DPerChannel _MklQuantizedConv2DWithBias "
      "_MklQuantizedConv2DWithBiasAndRelu _MklQuantizedConv2DWithBiasSumAndRelu _MklQuantizedDepthwiseConv2D "
      "_MklQuantizedDepthwiseConv2DWithBias _MklQuantizedDepthwiseConv2DWithBiasAndRelu" },
    { "output:output_dtype=1 segments:3", "IsotonicRegression" },
    { "output_false:T output_true:T", "RefSwitch Switch" },
    { "output_handle:21 tensor:element_dtype", "TensorListPopBack" },
    { "output_indices:9 output_shape:9", "SparseReshape" },
    { "output_indices:9 output_values:7 output_shape:9", "SparseCrossV2" },
    { "output_indices:9 output_values:9 output_shape:9", "SparseCrossHashed" },
    { "output_indices:9 output_values:T", "SparseReorder SparseSparseMaximum SparseSparseMinimum" },
    { "output_indices:9 output_values:T empty_row_indicator:10 reverse_index_map:9", "SparseFillEmptyRows" },
    { "output_indices:9 output_values:T output_shape:9",
      "SparseConcat SparseReduceMaxSparse SparseReduceSumSparse SparseSlice" },
    { "output_indices:9 output_values:out_type output_shape:9", "SparseCross" },
    { "output_indices:9 output_values:output_type output_dense_shape:9",
      "DenseCountSparseOutput RaggedCountSparseOutput SparseCountSparseOutput" },
    { "output_key:23 output:dtype=23", "XlaRngBitGenerator" },
    { "output_min:1 output_max:1", "RequantizationRange RequantizationRangePerChannel" },
    { "output_ragged_rank*output_nested_splits:Tsplits=9 output_dense_values:Tvalues", "RaggedTensorFromVariant" },
    { "output_value_rowids:9 output_values:T empty_row_indicator:10 reverse_index_map:9", "RaggedFillEmptyRows" },
    { "output_values:out_values_type output_row_splits:out_row_splits_type", "RaggedCross" },
    { "product:T mkl_product:4", "_MklFusedMatMul" }, { "q:T r:T", "Qr" }, { "r0:T=3 r1:T=3", "BroadcastGradientArgs" },
    { "r:T u:T c:T h:T", "GRUBlockCell" }, { "remapping:9 num_present:3", "GenerateVocabRemapping" },
    { "resized_images:T out_min:1 out_max:1", "QuantizedResizeBilinear" },
    { "result:out_type result_min:1 result_max:1", "QuantizedBatchNormWithGlobalNormalization" },
    { "result_indices:9 result_values:T result_shape:9",
      "DenseToDenseSetOperation DenseToSparseSetOperation SparseToSparseSetOperation" },
    { "rois:1 roi_probabilities:1", "GenerateBoundingBoxProposals" },
    { "row_pointers:3 sorted_sample_ids:3 sorted_token_ids:3 sorted_gains:1 row_pointers_unpadded_size:3 ids_unpadded_size:3 num_minibatches_per_sc:3",
      "ConvertToSparseCoreCsrWrappedCooTensor" }, { "row_ptrs:3 col_inds:3 values:type", "CSRSparseMatrixComponents" },
    { "row_splits:Tsplits=9 char_values:3", "UnicodeDecode" },
    { "row_splits:Tsplits=9 char_values:3 char_to_byte_starts:9", "UnicodeDecodeWithOffsets" },
    { "rt_nested_splits:Tsplits=9 rt_dense_values:T=3", "RaggedRange" }, { "s:T u:T v:T", "BatchSvd Svd XlaSvd" },
    { "selected_indices:3 selected_scores:T=1 valid_outputs:3", "NonMaxSuppressionV5" },
    { "selected_indices:3 valid_outputs:3", "NonMaxSuppressionV4" },
    { "sign:T log_abs_determinant:T", "LogMatrixDeterminant" }, { "sizes:3 values:output_types[]", "DecodeProtoV2" },
    { "sorted_keys:K sorted_values:V", "XlaKeyValueSort" },
    { "sorted_row_ids:3 sorted_col_ids:3 sorted_gains:1 id_counts:3", "SortListOfSparseCoreCooTensors" },
    { "sparse_indices:9 sparse_values:T sparse_dense_shape:9", "RaggedTensorToSparse" },
    { "sparse_indices:9 sparse_values:dtype sparse_shape:9", "DeserializeManySparse DeserializeSparse" },
    { "stats_summary_indices:3 stats_summary_values:1 stats_summary_shape:3", "BoostedTreesSparseAggregateStats" },
    { "sum_indices:9 sum_values:T sum_shape:9", "SparseAdd" },
    { "tensor:element_dtype lengths:9", "TensorListConcat TensorListConcatV2" },
    { "top_paths*decoded_indices:9 top_paths*decoded_values:9 top_paths*decoded_shape:9 log_probability:T=1",
      "CTCBeamSearchDecoder" }, { "topk:1 topk_indices:3", "TopKUnique TopKWithUnique" },
    { "updated_embedding_table:1 updated_accumulator:1",
      "XlaSparseDenseMatmulGradWithAdagradAndCsrInput XlaSparseDenseMatmulGradWithAdagradAndStaticBufferSize" },
    { "updated_embedding_table:1 updated_accumulator:1 updated_linear:1",
      "XlaSparseDenseMatmulGradWithFtrlAndCsrInput XlaSparseDenseMatmulGradWithFtrlAndStaticBufferSize" },
    { "updated_embedding_table:1 updated_accumulator:1 updated_linear:1 updated_weights:1",
      "XlaSparseDenseMatmulCustomCombinerOnTcGradWithFtrlAndCsrInput" },
    { "updated_embedding_table:1 updated_accumulator:1 updated_momenta:1",
      "XlaSparseDenseMatmulGradWithAdagradMomentumAndCsrInput "
      "XlaSparseDenseMatmulGradWithAdagradMomentumAndStaticBufferSize" },
    { "updated_embedding_table:1 updated_accumulator:1 updated_momenta:1 updated_weights:1",
      "XlaSparseDenseMatmulCustomCombinerOnTcGradWithAdagradMomentumAndCsrInput" },
    { "updated_embedding_table:1 updated_accumulator:1 updated_weights:1",
      "XlaSparseDenseMatmulCustomCombinerOnTcGradWithAdagradAndCsrInput" },
    { "updated_embedding_table:1 updated_momenta:1 updated_velocity:1",
      "XlaSparseDenseMatmulGradWithAdamAndCsrInput XlaSparseDenseMatmulGradWithAdamAndStaticBufferSize" },
    { "updated_embedding_table:1 updated_momenta:1 updated_velocity:1 updated_weights:1",
      "XlaSparseDenseMatmulCustomCombinerOnTcGradWithAdamAndCsrInput" },
    { "updated_embedding_table:1 updated_weights:1",
      "XlaSparseDenseMatmulCustomCombinerOnTcGradWithSgdAndCsrInput" },
    { "value:dtype lengths:9", "TensorArrayConcat TensorArrayConcatV2" }, { "values:T indices:3", "ApproxTopK TopK" },
    { "values:T indices:index_type=3", "TopKV2" }, { "w:T v:T", "XlaSelfAdjointEig" },
    { "x_backprop:T scale_backprop:T offset_backprop:T reserve_space_3:T reserve_space_4:T",
      "FusedBatchNormGrad _MklNativeFusedBatchNormGrad" },
    { "x_backprop:T scale_backprop:T offset_backprop:T reserve_space_3:T reserve_space_4:T mkl_x_backprop:4 mkl_scale_backprop:4 mkl_offset_backprop:4 mkl_reserve_space_3:4 mkl_reserve_space_4:4",
      "_MklFusedBatchNormGrad" },
    { "x_backprop:T scale_backprop:U offset_backprop:U reserve_space_3:U reserve_space_4:U",
      "FusedBatchNormGradV2 _MklNativeFusedBatchNormGradV2" },
    { "x_backprop:T scale_backprop:U offset_backprop:U reserve_space_3:U reserve_space_4:U mkl_x_backprop:4 mkl_scale_backprop:4 mkl_offset_backprop:4 mkl_reserve_space_3:4 mkl_reserve_space_4:4",
      "_MklFusedBatchNormGradV2" },
    { "x_backprop:T scale_backprop:U offset_backprop:U reserve_space_4:U reserve_space_5:U",
      "FusedBatchNormGradV3 _MklNativeFusedBatchNormGradV3" },
    { "x_backprop:T scale_backprop:U offset_backprop:U reserve_space_4:U reserve_space_5:U mkl_x_backprop:4 mkl_scale_backprop:4 mkl_offset_backprop:4 mkl_reserve_space_4:4 mkl_reserve_space_5:4",
      "_MklFusedBatchNormGradV3" },
    { "x_backprop:T scale_backprop:U offset_backprop:U reserve_space_4:U reserve_space_5:U num_side_inputs=0*side_input_backprop:T",
      "_FusedBatchNormGradEx" },
    { "x_grad:T cs_prev_grad:T h_prev_grad:T w_grad:T wci_grad:T wcf_grad:T wco_grad:T b_grad:T",
      "BlockLSTMGrad BlockLSTMGradV2" },
    { "y:T batch_mean:T batch_variance:T reserve_space_1:T reserve_space_2:T",
      "FusedBatchNorm _MklNativeFusedBatchNorm" },
    { "y:T batch_mean:T batch_variance:T reserve_space_1:T reserve_space_2:T mkl_y:4 mkl_batch_mean:4 mkl_batch_variance:4 mkl_reserve_space_1:4 mkl_reserve_space_2:4",
      "_MklFusedBatchNorm" },
    { "y:T batch_mean:U batch_variance:U reserve_space_1:U reserve_space_2:U",
      "FusedBatchNormV2 _MklNativeFusedBatchNormV2" },
    { "y:T batch_mean:U batch_variance:U reserve_space_1:U reserve_space_2:U mkl_y:4 mkl_batch_mean:4 mkl_batch_variance:4 mkl_reserve_space_1:4 mkl_reserve_space_2:4",
      "_MklFusedBatchNormV2" },
    { "y:T batch_mean:U batch_variance:U reserve_space_1:U reserve_space_2:U reserve_space_3:U",
      "FusedBatchNormV3 _FusedBatchNormEx _MklNativeFusedBatchNormEx _MklNativeFusedBatchNormV3" },
    { "y:T batch_mean:U batch_variance:U reserve_space_1:U reserve_space_2:U reserve_space_3:U mkl_y:4 mkl_batch_mean:4 mkl_batch_variance:4 mkl_reserve_space_1:4 mkl_reserve_space_2:4 mkl_reserve_space_3:4",
      "_MklFusedBatchNormEx _MklFusedBatchNormV3" }, { "y:T idx:out_idx=3", "Unique UniqueV2" },
    { "y:T idx:out_idx=3 count:out_idx=3", "UniqueWithCounts UniqueWithCountsV2" },
    { "y:T y_min:1 y_max:1", "QuantizedInstanceNorm" }, { "z:Toutput=13 min_z:1 max_z:1", "QuantizedAdd QuantizedMul" },
    { NULL },
};
/* clang-format on */
