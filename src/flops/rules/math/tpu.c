// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/tpu.c: ops of TPUs: partitioned and replicated values, embeddings, configuration. TensorFlow's
 * rules: core/ops/tpu_*.cc, sparse_core_*.cc. */
#include "flops/rules/math/collective.h"

/* ---- TPUs ---- */

static void shape_partitioned_input(tfp_op *op)
{
    int64_t at = tfp_attr_int(op, "partition_dim", 0);
    tfp_merged_inputs(op);
    tfp_dims d = tfp_out(op, 0);
    if (d.rank < 0 || at < 0) return;
    if (at >= d.rank) tfp_wrong(op, "no such dimension");
    if (!op->wrong) tfp_set(op, 0, tfp_with_dim(op, d, (int)at, tfp_times(d.at[at], op->in_count)));
}

static void shape_partitioned_output(tfp_op *op)
{
    int64_t at = tfp_attr_int(op, "partition_dim", 0), parts = op->out_count;
    tfp_same_as_input(op);
    tfp_dims d = tfp_in(op, 0);
    if (d.rank < 0 || at < 0 || parts == 0) return;
    if (at >= d.rank || (d.at[at] > 0 && d.at[at] % parts)) tfp_wrong(op, "a dimension that cannot be divided");
    if (op->wrong) return;
    d = tfp_with_dim(op, d, (int)at, tfp_over(d.at[at], parts));
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, d);
}

static void shape_partitioned_input_v2(tfp_op *op)
{
    int64_t parts[TFP_PARTS_MAX];
    size_t n = tfp_attr_numbers(op, "partition_dims", parts, TFP_PARTS_MAX);
    tfp_dims d = tfp_in(op, 0);
    for (int i = 0; i < d.rank && (size_t)i < n && i < TFP_PARTS_MAX; i++)
        d = tfp_with_dim(op, d, i, tfp_times(d.at[i], parts[i]));
    tfp_set(op, 0, d);
}

static void shape_partitioned_output_v2(tfp_op *op)
{
    int64_t parts[TFP_PARTS_MAX];
    size_t n = tfp_attr_numbers(op, "partition_dims", parts, TFP_PARTS_MAX);
    tfp_dims d = tfp_in(op, 0);
    if (d.rank > TFP_PARTS_MAX || (d.rank >= 0 && n < (size_t)d.rank))
        tfp_wrong(op, "a dimension without its partition");
    if (op->wrong || d.rank < 0) return;
    for (int i = 0; i < d.rank; i++) {
        if (parts[i] < 1 || (d.at[i] > 0 && d.at[i] % parts[i])) tfp_wrong(op, "a dimension that cannot be divided");
        d = tfp_with_dim(op, d, i, tfp_over(d.at[i], parts[i]));
    }
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, d);
}

/* All replicas of a variable hold the same. */
static void shape_replicated_input(tfp_op *op)
{
    const tfp_held *held = tfp_in_held(op, 0);
    tfp_merged_inputs(op);
    if (held) tfp_set_held(op, 0, held->shape, held->dtype);
}

static void shape_replicated_output(tfp_op *op)
{
    const tfp_held *held = tfp_in_held(op, 0);
    tfp_same_as_input(op);
    for (uint32_t i = 0; held && i < op->out_count; i++) tfp_set_held(op, i, held->shape, held->dtype);
}

/* Outputs: a status, then the keys of programs, then for each whether it may be modified. */
static void shape_compile(tfp_op *op)
{
    int64_t programs = tfp_attr_int(op, "num_computations", 1);
    for (uint32_t i = 0; i < op->out_count; i++)
        tfp_set(op, i, i >= 1 && i <= programs ? tfp_vector_of(op, 3) : TFP_SCALAR_DIMS);
}

/* Row pointers (for each pair of cores, padded to multiples of 8), then ids, columns and gains, then three sizes. */
static void shape_minibatches(tfp_op *op)
{
    int64_t cores = tfp_attr_int(op, "num_sc_per_chip", TFP_UNKNOWN);
    int64_t every = tfp_times(tfp_attr_int(op, "num_replica", TFP_UNKNOWN), cores);
    int64_t rows = tfp_times(tfp_over(tfp_plus(every, 7), 8), 8);
    int64_t pointers = tfp_times(tfp_attr_int(op, "max_minibatches_per_sc", TFP_UNKNOWN), tfp_times(cores, rows));
    int64_t per_core = tfp_attr_int(op, "sample_count_per_sc", TFP_UNKNOWN);
    int64_t samples = per_core >= 0 ? tfp_times(per_core, cores) : tfp_attr_int(op, "sample_count", TFP_UNKNOWN);
    int64_t ids = tfp_times(samples, tfp_attr_int(op, "max_ids_per_chip_per_sample", TFP_UNKNOWN));
    tfp_set(op, 0, tfp_vector_of(op, pointers));
    for (uint32_t i = 1; i < op->out_count; i++) tfp_set(op, i, i < 4 ? tfp_vector_of(op, ids) : TFP_SCALAR_DIMS);
}

/* Rows of samples, columns of the table; `table` is the input with the table. */
static void set_embedded(tfp_op *op, uint32_t table)
{
    int64_t rows = tfp_attr_int(op, "input_size", TFP_DIM_UNKNOWN);
    tfp_dims d = tfp_merge_rank(op, tfp_in(op, table), 2);
    bool silent = op->importer && tfp_in(op, table).rank < 0; /* TensorFlow infers nothing */
    if (!silent) tfp_set(op, 0, tfp_matrix_of(op, rows, tfp_dim(d, 1)));
}

static void shape_embedding(tfp_op *op)
{
    set_embedded(op, 4);
    for (uint32_t i = 1; i < op->out_count; i++) tfp_set(op, i, tfp_any_of_rank(op, 1));
}

static void shape_embedding_combined(tfp_op *op)
{
    int64_t rows = tfp_attr_int(op, "input_size", TFP_DIM_UNKNOWN);
    int64_t most = tfp_attr_int(op, "max_valency", TFP_DIM_UNKNOWN);
    set_embedded(op, 5);
    tfp_set(op, 1, tfp_vector_of(op, rows));
    tfp_set(op, 2, tfp_shape_of(op, (int64_t[]){ rows, most, tfp_dim(tfp_in(op, 5), 1) }, 3));
}

static tfp_cost
count_embedding(const tfp_op *op) /* per: the index of the input with the values; the table comes after it */
{
    uint32_t values = (uint32_t)op->rule->per;
    bool offsets = tfp_op_is(op, "XlaSparseDenseMatmul"); /* the offsets come before the table */
    tfp_dims table = tfp_in(op, values + 1 + offsets);
    return tfp_cost_macs(tfp_times(tfp_in_size(op, values), tfp_dim(table, 1)));
}

static const char of_rows[] = "a multiply-add for each value and each column of the table";

#define EMBEDS(values) count_embedding, values, "2 * n(values) * columns", of_rows
const tfp_op_rule tfp_rules_tpu[] = {
    { "XlaSparseDenseMatmul", shape_embedding, EMBEDS(2) },
    { "XlaSparseDenseMatmulWithCsrInput XlaSparseDenseMatmulWithStaticBufferSize", shape_embedding, EMBEDS(3) },
    { "XlaSparseDenseMatmulCustomCombinerOnTcWithCsrInput", shape_embedding_combined, EMBEDS(4) },
    { "XlaSparseDenseMatmulGradWithCsrInput",
      TFP_SHAPE("*, *, *, *, *, A, B, C, D, E, F, G, H -> A, B, C, D, E, F, G, H"), TFP_NO_COUNT },
    { "XlaSparseDenseMatmulGradWithSgdAndCsrInput XlaSparseDenseMatmulGradWithSgdAndStaticBufferSize "
      "XlaSparseDenseMatmulGradWithAdagradAndCsrInput XlaSparseDenseMatmulGradWithAdagradAndStaticBufferSize "
      "XlaSparseDenseMatmulGradWithAdagradMomentumAndCsrInput "
      "XlaSparseDenseMatmulGradWithAdagradMomentumAndStaticBufferSize XlaSparseDenseMatmulGradWithAdamAndCsrInput "
      "XlaSparseDenseMatmulGradWithAdamAndStaticBufferSize XlaSparseDenseMatmulGradWithFtrlAndCsrInput "
      "XlaSparseDenseMatmulGradWithFtrlAndStaticBufferSize",
      TFP_SHAPE("*, *, *, *, *, *, A, B, C -> A, B, C"), TFP_NO_COUNT },
    { "XlaSparseCoreSgd", TFP_SHAPE("*, *, *, A -> A"), TFP_NO_COUNT },
    { "XlaSparseCoreAdagrad", TFP_SHAPE("*, *, *, B, A -> A, B"), TFP_NO_COUNT },
    { "XlaSparseCoreAdagradMomentum", TFP_SHAPE("*, *, *, *, *, B, C, A -> A, B, C"), TFP_NO_COUNT },
    { "XlaSparseCoreAdam", TFP_SHAPE("A, *, *, *, C, B -> A, B, C"), TFP_NO_COUNT },
    { "XlaSparseCoreFtrl", TFP_SHAPE("A, B, C -> A, B, C"), TFP_NO_COUNT },
    { "ConvertToCooTensor ConvertToListOfSparseCoreCooTensors SortListOfSparseCoreCooTensors", TFP_SHAPE("-> _..."),
      TFP_MOVES },
    { "ConvertToSparseCoreCsrWrappedCooTensor GetMinibatchesInCsrWithPhysicalReplica", shape_minibatches, TFP_MOVES },
    { "GetStatsFromListOfSparseCoreCooTensors", TFP_SHAPE("-> (), ()"), TFP_MOVES },
    { "GetMinibatchSplitsWithPhysicalReplica", TFP_SHAPE("-> _, _, _, (), _, (), ()"), TFP_MOVES },
    { "StoreMinibatchStatisticsInFdo UpdateTaskIdAndGlobalCoreArray", tfp_no_outputs, TFP_MOVES },
    { "GlobalIterId GetTpuTaskId", TFP_SHAPE("-> ()"), TFP_MOVES },
    { "TpuHandleToProtoKey", TFP_SHAPE("-> _"), TFP_MOVES },

    { "TPUReplicateMetadata TPUCompileSucceededAssert TPUReshardVariables ConfigureTPUEmbedding "
      "ConnectTPUEmbeddingHosts FinalizeTPUEmbedding ShutdownDistributedTPU _SetGlobalTPUArray "
      "_ShutdownDistributedTPU",
      tfp_no_outputs, TFP_MOVES },
    { "TPUReplicatedInput", shape_replicated_input, TFP_MOVES },
    { "TPUReplicatedOutput", shape_replicated_output, TFP_MOVES },
    { "TPUPartitionedInput", shape_partitioned_input, TFP_MOVES },
    { "TPUPartitionedInputV2", shape_partitioned_input_v2, TFP_MOVES },
    { "TPUPartitionedOutput", shape_partitioned_output, TFP_MOVES },
    { "TPUPartitionedOutputV2", shape_partitioned_output_v2, TFP_MOVES },
    { "TPUDummyInput", tfp_shape_certain, TFP_MOVES },
    { "TPUAnnotateTensorsWithDynamicShape TPUCopyWithDynamicShape", tfp_shape_each_as_input, TFP_MOVES },
    { "TPUOrdinalSelector ConfigureAndInitializeGlobalTPU _InitializeHostForDistributedTPU", TFP_SHAPE("-> _"),
      TFP_MOVES },
    { "TPURoundRobin TPUCompilationResult ConfigureTPUEmbeddingHost ConfigureTPUEmbeddingMemory "
      "CollateTPUEmbeddingMemory ExecuteTPUEmbeddingPartitioner IsTPUEmbeddingInitialized ShutdownTPUSystem "
      "_ConfigureDistributedTPU _WaitForDistributedTPU",
      TFP_SHAPE("-> ()"), TFP_MOVES },
    { "TPUCompile _TPUCompileMlir", shape_compile, TFP_MOVES },
    { "TPUExecute TPUExecuteAndUpdateVariables", tfp_unknown_outputs, TFP_NO_COUNT },
    { "ConfigureDistributedTPU FinalizeTPUEmbeddingV2 _DisconnectHostFromDistributedTPUSystem", tfp_unknown_outputs,
      TFP_MOVES },

    { "TPUEmbeddingActivations", TFP_SHAPE("*, A -> A"), TFP_MOVES },
    { "RecvTPUEmbeddingActivations XlaRecvTPUEmbeddingActivations XlaRecvTPUEmbeddingActivationsV2",
      tfp_unknown_outputs, TFP_MOVES },
    { "SendTPUEmbeddingGradients XlaSendTPUEmbeddingGradients XlaSendTPUEmbeddingGradientsV2 EnqueueTPUEmbeddingBatch "
      "EnqueueTPUEmbeddingIntegerBatch EnqueueTPUEmbeddingSparseBatch EnqueueTPUEmbeddingSparseTensorBatch "
      "EnqueueTPUEmbeddingRaggedTensorBatch EnqueueTPUEmbeddingArbitraryTensorBatch "
      "DynamicEnqueueTPUEmbeddingRaggedTensorBatch DynamicEnqueueTPUEmbeddingArbitraryTensorBatch "
      "LoadAllTPUEmbeddingParameters",
      tfp_no_outputs, TFP_MOVES },
    { "XlaRecvTPUEmbeddingDeduplicationData XlaRecvTPUEmbeddingDeduplicationDataV2 ComputeDedupDataSize "
      "ComputeDedupDataSizeV2 MergeDedupData",
      TFP_SHAPE("-> ()"), TFP_MOVES },
    { "ComputeDedupDataTupleMask ComputeDedupDataTupleMaskV2", TFP_SHAPE("-> __"), TFP_MOVES },
#define TABLE(optimizer)                                                                                               \
    { "LoadTPUEmbedding" optimizer "Parameters", tfp_no_outputs, TFP_MOVES },                                          \
    {                                                                                                                  \
        "RetrieveTPUEmbedding" optimizer "Parameters", TFP_SHAPE("-> __..."), TFP_MOVES                                \
    }
    TABLE("ADAM"),
    TABLE("Adadelta"),
    TABLE("AdagradMomentum"),
    TABLE("Adagrad"),
    TABLE("CenteredRMSProp"),
    TABLE("FTRL"),
    TABLE("FrequencyEstimator"),
    TABLE("MDLAdagradLight"),
    TABLE("Momentum"),
    TABLE("ProximalAdagrad"),
    TABLE("ProximalYogi"),
    TABLE("RMSProp"),
    TABLE("StochasticGradientDescent"),
    { "RetrieveAllTPUEmbeddingParameters", tfp_unknown_outputs, TFP_MOVES },
    { NULL },
};
