// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/other.c: ops of no larger family: boosted trees, clustering, vocabularies of checkpoints, debugging,
 * copies between devices, TensorFlow's small and experimental sets. A comment after a function lists the op's inputs.
 * TensorFlow's rules: core/ops/boosted_trees_ops.cc, clustering_ops.cc, checkpoint_ops.cc, debug_ops.cc, risc_ops.cc
 * and others of that folder. */
#include "flops/rules/shared/rule.h"

static tfp_dims some(tfp_op *op) { return tfp_vector_of(op, TFP_DIM_UNKNOWN); }

static tfp_dims rows_of(tfp_op *op, int64_t columns) { return tfp_matrix_of(op, TFP_DIM_UNKNOWN, columns); }

/* Outputs from `first` on, `count` of them. */
static void set_many(tfp_op *op, int64_t first, int64_t count, tfp_dims d)
{
    for (int64_t i = first; count > 0 && i >= 0 && i < op->out_count; i++, count--) tfp_set(op, (uint32_t)i, d);
}

static void vectors(tfp_op *op) { set_many(op, 0, op->out_count, some(op)); }

/* ---- boosted trees ---- */

static void bucketize(tfp_op *op) /* a vector for each feature, boundaries */
{
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, tfp_merge_rank(op, tfp_in(op, i), 1));
}

static void best_gains(tfp_op *op) /* five lists with an entry for each feature */
{
    int64_t features = op->out_count / 5;
    vectors(op);
    set_many(op, 3 * features, 2 * features, rows_of(op, 1));
}

static void aggregate(tfp_op *op) /* node_ids, gradients, hessians, feature; one bucket more for what is missing */
{
    tfp_dims gradients = tfp_merge_rank(op, tfp_in(op, 1), 2), hessians = tfp_merge_rank(op, tfp_in(op, 2), 2);
    tfp_dims feature = tfp_merge_rank(op, tfp_in(op, 3), 2);
    int64_t dims[] = { tfp_attr_int(op, "max_splits", TFP_DIM_UNKNOWN), tfp_dim(feature, 1),
                       tfp_plus(tfp_attr_int(op, "num_buckets", TFP_UNKNOWN), 1),
                       tfp_plus(tfp_dim(gradients, 1), tfp_dim(hessians, 1)) };
    tfp_set(op, 0, tfp_shape_of(op, dims, 4));
}

/* The number of examples: rows of the features, which are the inputs from `first` on. */
static int64_t examples(tfp_op *op, uint32_t first)
{
    int64_t rows = TFP_DIM_UNKNOWN;
    for (uint32_t i = first; i < op->in_count; i++) rows = tfp_merge_dim(op, rows, tfp_dim(tfp_in(op, i), 0));
    return rows;
}

static void predict(tfp_op *op)
{
    tfp_set(op, 0, tfp_matrix_of(op, examples(op, 1), tfp_attr_int(op, "logits_dimension", TFP_DIM_UNKNOWN)));
}

static void predict_in_training(tfp_op *op) /* ensemble, tree and node of each example, features */
{
    int64_t rows = examples(op, 3);
    tfp_set(op, 0, tfp_matrix_of(op, rows, tfp_attr_int(op, "logits_dimension", TFP_DIM_UNKNOWN)));
    tfp_set(op, 1, tfp_vector_of(op, rows));
    tfp_set(op, 2, tfp_vector_of(op, rows));
}

static void debug_outputs(tfp_op *op) { tfp_set(op, 0, tfp_vector_of(op, examples(op, 1))); }

/* ---- checkpoints' vocabularies, clustering ---- */

static void last_gone(tfp_op *op) { tfp_set(op, 0, tfp_part(op, tfp_at_least(op, tfp_in(op, 0), 1), 0, -1)); }

static void kth(tfp_op *op)
{
    last_gone(op);
    if (tfp_in(op, 0).rank < 0) tfp_set(op, 0, some(op)); /* as TensorFlow's shape function does */
}

static void sobol(tfp_op *op) /* dim, num_results, skip */
{
    int64_t dim = TFP_DIM_UNKNOWN, results = TFP_DIM_UNKNOWN;
    tfp_in_int(op, 0, &dim);
    tfp_in_int(op, 1, &results);
    tfp_set(op, 0, tfp_matrix_of(op, results, dim));
}

/* ---- debugging, devices ---- */

static void one_by_one(tfp_op *op)
{
    for (uint32_t i = 0; i < op->out_count && i < op->in_count; i++) tfp_set(op, i, tfp_in(op, i));
}

static void select_ref(tfp_op *op) /* index, and what one of is taken: known when all are alike */
{
    tfp_dims all = tfp_in(op, 1);
    for (uint32_t i = 2; i < op->in_count; i++) {
        if (!tfp_dims_equal(all, tfp_in(op, i)) || !tfp_dims_known(all)) all = TFP_ANY_DIMS;
    }
    tfp_set(op, 0, all);
}

static void told_shape(tfp_op *op) { tfp_set(op, 0, tfp_in_as_shape(op, 0)); }

static void unstack_activations(tfp_op *op)
{
    const tfp_attr_list *rows = tfp_attr_members(op, "sample_counts"), *widths = tfp_attr_members(op, "features");
    for (uint32_t i = 0; i < op->out_count && i < rows->number_count && i < widths->number_count; i++)
        tfp_set(op, i, tfp_matrix_of(op, rows->numbers[i], widths->numbers[i]));
}

const tfp_op_rule tfp_rules_other[] = {
    { "BoostedTreesAggregateStats", aggregate, TFP_NO_COUNT },
    { "BoostedTreesBucketize", bucketize, TFP_MOVES },
    { "BoostedTreesCalculateBestFeatureSplit BoostedTreesSparseCalculateBestFeatureSplit",
      TFP_SHAPE("-> _, _, _, _, _<logits_dimension>, _<logits_dimension>, _"), TFP_NO_COUNT },
    { "BoostedTreesCalculateBestFeatureSplitV2",
      TFP_SHAPE("-> _, _, _, _, _, _<logits_dimension>, _<logits_dimension>, _"), TFP_NO_COUNT },
    { "BoostedTreesCalculateBestGainsPerFeature", best_gains, TFP_NO_COUNT },
    { "BoostedTreesCenterBias", tfp_scalar_outputs, TFP_NO_COUNT },
    { "BoostedTreesCreateEnsemble BoostedTreesCreateQuantileStreamResource BoostedTreesDeserializeEnsemble "
      "BoostedTreesQuantileStreamResourceDeserialize",
      tfp_no_outputs, TFP_MOVES },
    { "BoostedTreesEnsembleResourceHandleOp BoostedTreesQuantileStreamResourceHandleOp BoostedTreesSerializeEnsemble "
      "IsBoostedTreesEnsembleInitialized IsBoostedTreesQuantileStreamResourceInitialized",
      tfp_scalar_outputs, TFP_MOVES },
    { "BoostedTreesExampleDebugOutputs", debug_outputs, TFP_NO_COUNT },
    { "BoostedTreesFlushQuantileSummaries BoostedTreesMakeQuantileSummaries", TFP_SHAPE("-> _4..."), TFP_NO_COUNT },
    { "BoostedTreesGetEnsembleStates", TFP_SHAPE("-> (), (), (), (), 2"), TFP_MOVES },
    { "BoostedTreesMakeStatsSummary", TFP_SHAPE("-> <num_features><max_splits><num_buckets>2"), TFP_NO_COUNT },
    { "BoostedTreesPredict", predict, TFP_NO_COUNT },
    { "BoostedTreesQuantileStreamResourceAddSummaries BoostedTreesQuantileStreamResourceFlush "
      "BoostedTreesUpdateEnsemble BoostedTreesUpdateEnsembleV2",
      tfp_no_outputs, TFP_NO_COUNT },
    { "BoostedTreesQuantileStreamResourceGetBucketBoundaries", vectors, TFP_MOVES },
    { "BoostedTreesSparseAggregateStats", TFP_SHAPE("-> _4, _, 4"), TFP_NO_COUNT },
    { "BoostedTreesTrainingPredict", predict_in_training, TFP_NO_COUNT },

    { "GenerateVocabRemapping", TFP_SHAPE("-> <num_new_vocab>, ()"), TFP_MOVES },
    { "LoadAndRemapMatrix", TFP_SHAPE("-> <num_rows><num_cols>"), TFP_MOVES },
    { "KMC2ChainInitialization", tfp_scalar_outputs, TFP_NO_COUNT },
    { "KmeansPlusPlusInitialization NearestNeighbors Skipgram AudioMicrofrontend", tfp_unknown_outputs, TFP_NO_COUNT },
    { "KthOrderStatistic", kth, TFP_NO_COUNT },
    { "MakeUnique", TFP_SHAPE("ab -> ab"), TFP_NO_COUNT },
    { "SobolSample", sobol, TFP_EACH_OUT(1, "one scaling an element, the rest is bits") },
    { "NegTrain", tfp_no_outputs, TFP_NO_COUNT },

    { "CheckPinned Copy CopyHost DebugIdentity DebugIdentityV2 DebugIdentityV3 DataFormatDimMap DataFormatVecPermute "
      "SleepIdentityOp",
      tfp_same_as_input, TFP_MOVES },
    { "DebugNanCount", tfp_scalar_outputs, TFP_EACH_IN(1, "one test an element") },
    { "DebugNumericSummary DebugNumericSummaryV2 MlirPassthroughOp XlaLaunchV2", tfp_unknown_outputs, TFP_NO_COUNT },
    { "CalibrationStatisticsSaver", tfp_no_outputs, TFP_NO_COUNT },
    { "CustomAggregator", TFP_SHAPE("A -> A, (), (), <num_bins>"), TFP_NO_COUNT },
    { "DeviceIndex DevicePlacementOp GraphDefVersion IsTensorFloat32Enabled MakeWeakResourceHandle "
      "StubResourceHandleOp ToBool WorkerHeartbeat",
      tfp_scalar_outputs, TFP_MOVES },
    { "DistributedSave DumpTensor FileSystemSetConfiguration SleepOp", tfp_no_outputs, TFP_MOVES },
    { "FakeParam", TFP_SHAPE("-> $shape"), TFP_MOVES },
    { "GetDeadline XlaSparseGradientsStack", tfp_unknown_outputs, TFP_MOVES },
    { "RefSelect", select_ref, TFP_MOVES },
    { "SymbolicGradient", one_by_one, TFP_NO_COUNT },
    { "XlaSparseActivationsUnstack", unstack_activations, TFP_MOVES },

    { "CompositeTensorVariantFromComponents CompressElement", tfp_scalar_outputs, TFP_MOVES },
    { "CompositeTensorVariantToComponents", tfp_unknown_outputs, TFP_MOVES },
    { "DeleteRpcFutureResource", tfp_no_outputs, TFP_MOVES },
    { "SplitDedupData", vectors, TFP_MOVES },

    { "RiscBitcast RiscBroadcast RiscConcat RiscGather RiscPad RiscReshape RiscReverse RiscScatter RiscShape "
      "RiscSlice RiscSqueeze RiscTranspose",
      tfp_unknown_outputs, TFP_MOVES },
    { "RiscCondition RiscWhile", tfp_unknown_outputs, TFP_NO_COUNT },
    { "RiscRandomUniform", told_shape, TFP_NO_COUNT },
    { "RiscSort", tfp_same_as_input, TFP_NO_COUNT },

    /* Only TensorFlow's own optimizers write these. */
    { "_ArrayToList _ListToArray", one_by_one, TFP_MOVES },
    { "_EagerConst _TensorToHashBucketFast", tfp_same_as_input, TFP_MOVES },
    { "_ScopedAllocator _ScopedAllocatorConcat", TFP_SHAPE("-> $shape"), TFP_MOVES },
    { "_ScopedAllocatorSplit _MklConcat _MklConcatV2 _MklTranspose _MklConjugateTranspose", tfp_unknown_outputs,
      TFP_MOVES },
    { "_XlaHostComputeMlir", tfp_unknown_outputs, TFP_NO_COUNT },
    { NULL },
};
