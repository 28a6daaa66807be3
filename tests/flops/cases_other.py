# SPDX-License-Identifier: Apache-2.0
"""Ops that belong to no larger family: boosted trees, vocabularies of checkpoints, debugging, small
sets."""
from oracle import tf
from tensorflow.python.framework import op_def_library

R = tf.raw_ops
F, I, L, S = tf.float32, tf.int32, tf.int64, tf.string


def ask(shape=None, dtype=F):
    return tf.compat.v1.placeholder(dtype, shape)


def call(op, **arguments):
    """Calls an op, even if tf.raw_ops does not have it."""
    if hasattr(R, op):
        return getattr(R, op)(**arguments)
    return op_def_library._apply_op_helper(op, **arguments)[2].outputs  # pylint: disable=protected-access


def trees():
    handle = R.BoostedTreesEnsembleResourceHandleOp()
    quantiles = R.BoostedTreesQuantileStreamResourceHandleOp()
    for rows in (7, None):
        features = [ask((rows,), I), ask((rows, 1), I)]
        R.BoostedTreesPredict(tree_ensemble_handle=handle, bucketized_features=features, logits_dimension=3)
        R.BoostedTreesTrainingPredict(tree_ensemble_handle=handle, cached_tree_ids=ask((None,), I),
                                      cached_node_ids=ask((None,), I), bucketized_features=features, logits_dimension=3)
        R.BoostedTreesExampleDebugOutputs(tree_ensemble_handle=handle, bucketized_features=features, logits_dimension=3)
        both = dict(node_ids=ask((rows,), I), gradients=ask((rows, 2)), hessians=ask((rows, 4)), max_splits=4, num_buckets=6)
        R.BoostedTreesAggregateStats(feature=ask((rows, 5), I), **both)
        R.BoostedTreesSparseAggregateStats(feature_indices=ask((9, 2), I), feature_values=ask((9,), I),
                                           feature_shape=ask((2,), I), **both)
        R.BoostedTreesMakeStatsSummary(node_ids=ask((rows,), I), gradients=ask((rows, 1)), hessians=ask((rows, 1)),
                                       bucketized_features_list=[ask((rows,), I)] * 2, max_splits=3, num_buckets=5)
        R.BoostedTreesBucketize(float_values=[ask((rows,)), ask()], bucket_boundaries=[ask((4,))] * 2)
        R.BoostedTreesMakeQuantileSummaries(float_values=[ask((rows,))] * 2, example_weights=ask((rows,)), epsilon=.1)
    R.BoostedTreesGetEnsembleStates(tree_ensemble_handle=handle), R.BoostedTreesSerializeEnsemble(tree_ensemble_handle=handle)
    R.BoostedTreesQuantileStreamResourceGetBucketBoundaries(quantile_stream_resource_handle=quantiles, num_features=3)
    R.IsBoostedTreesEnsembleInitialized(tree_ensemble_handle=handle)
    limits = dict(l1=0., l2=0., tree_complexity=0., min_node_weight=0.)
    R.BoostedTreesCalculateBestFeatureSplit(node_id_range=ask((2,), I), stats_summary=ask(), logits_dimension=3, **limits)
    R.BoostedTreesCalculateBestGainsPerFeature(node_id_range=ask((2,), I), stats_summary_list=[ask(), ask()], max_splits=4,
                                               **limits)


def odds():
    call("GenerateVocabRemapping", new_vocab_file=ask((), S), old_vocab_file=ask((), S), new_vocab_offset=1, num_new_vocab=5)
    call("LoadAndRemapMatrix", ckpt_path="a", old_tensor_name="b", row_remapping=ask((5,), L), col_remapping=ask((6,), L),
         initializing_values=ask((None,)), num_rows=5, num_cols=6)
    for points in ((9, 4), None):
        call("KMC2ChainInitialization", distances=ask(), seed=ask((), L))
        call("KthOrderStatistic", input=ask(points), k=2), call("MakeUnique", input=ask(points))
    call("SobolSample", dim=3, num_results=ask((), I), skip=1), call("SobolSample", dim=ask((), I), num_results=7, skip=1)
    for shape in ((3, None), None):
        call("Copy", input=ask(shape)), call("CopyHost", input=ask(shape)), call("DebugIdentity", input=ask(shape))
        call("DebugIdentityV2", input=ask(shape)), call("CheckPinned", tensor=ask(shape)), call("DebugNanCount", input=ask(shape))
        call("DataFormatDimMap", x=ask(shape, I)), call("SleepIdentityOp", sleep_seconds=ask((), I), input=ask(shape))
        call("CustomAggregator", input=ask(shape), id="x", num_bins=5, calibration_method=1, min_percentile=0.,
             max_percentile=0.)
        call("FakeParam", dtype=F, shape=shape), call("ToBool", input=ask(shape))
        call("CompressElement", components=[ask(shape)])
    for like in ((2, 3), (2, 4)):
        call("RefSelect", index=ask((), I), inputs=[R.VariableV2(shape=(2, 3), dtype=F), R.VariableV2(shape=like, dtype=F)])
    call("DeviceIndex", device_names=["a"]), call("RiscRandomUniform", shape=[3, 4], seed=1)
    call("UncompressElement", compressed=ask((), tf.variant), output_types=[F, I], output_shapes=[(3, None), None])
    call("XlaSparseActivationsUnstack", stacked_activations=ask(), num_tables=2, sample_counts=[3, 4], features=[5, 6],
         interleaved=True, dtype=F)
    for cores, replicas in ((4, 5), (1, 9)):
        kind = dict(num_replica=replicas, max_minibatches_per_sc=3, max_ids_per_chip_per_sample=7, table_vocab_size=9,
                    feature_width=2, table_name="x")
        call("GetMinibatchesInCsrWithPhysicalReplica", program_key=ask((None,), S), row_ids=ask((None,), I), col_ids=ask((None,), I),
             gains=ask((None,)), splits=ask((None,), L), id_counts=ask((None,), I), mini_batch_in_csr="x", sample_count=9,
             num_sc_per_chip=cores, **kind)
        lists = {k: [ask((None,), t)] * cores for k, t in (("sorted_row_ids_list", I), ("sorted_col_ids_list", I),
                                                           ("sorted_gains_list", F), ("id_counts_list", I))}
        call("ConvertToSparseCoreCsrWrappedCooTensor", splits=ask((None,), L), sample_count_per_sc=9, allow_id_dropping=True,
             **lists, **kind)


def graphs():
    for case in (trees, odds):
        with tf.Graph().as_default() as graph:
            case()
        yield case.__name__, graph
