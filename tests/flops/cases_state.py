# SPDX-License-Identifier: Apache-2.0
"""State: variables, checkpoints, tables, optimizers; random numbers; sparse and ragged tensors, CSR matrices, segments;
collectives and XLA's ops that move data. op_lines.py describes how a line of CASES becomes a graph."""
from op_lines import DEFINITIONS, Made, Var, add, graph_of
from oracle import tf

F, I, L, S = tf.float32, tf.int32, tf.int64, tf.string
SCALAR = ()
V = Var(6, 5)
ROWS = ["ROW_SPLITS"]


def gather_numbers(offset, collapsed, start_map, index_dim):
    packed = b"".join(bytes([8 * n + 2, len(v)]) + bytes(v) for n, v in ((1, offset), (2, collapsed), (3, start_map)) if v)
    return packed + bytes([32, index_dim])


def optimizers():
    """(name, slots, scalars before the gradient, scalars after)"""
    dense = [("GradientDescent", 0, 1, 0), ("ProximalGradientDescent", 0, 3, 0), ("Adadelta", 2, 3, 0), ("Adagrad", 1, 1, 0),
             ("AdagradV2", 1, 2, 0), ("ProximalAdagrad", 1, 3, 0), ("AdagradDA", 2, 0, 4), ("Ftrl", 2, 0, 4),
             ("FtrlV2", 2, 0, 5), ("Momentum", 1, 1, 1), ("KerasMomentum", 1, 1, 1), ("Adam", 2, 6, 0),
             ("AdamWithAmsgrad", 3, 6, 0), ("AdaMax", 2, 5, 0), ("RMSProp", 2, 4, 0), ("CenteredRMSProp", 3, 4, 0),
             ("AddSign", 1, 4, 0), ("PowerSign", 1, 4, 0)]
    for name, slots, before, after in dense:
        for resource in (False, True):
            var = V if resource else (6, 5)
            prefix = "Resource" if resource else ""
            yield prefix + "Apply" + name, [var] * (1 + slots) + [SCALAR] * before + [(6, 5)] + [SCALAR] * after
            yield prefix + "SparseApply" + name, [var] * (1 + slots) + [SCALAR] * before + [(4, 5), (4,)] + [SCALAR] * after


# Float operations of each rule, counted by hand.
PER_ELEMENT = {
    "GradientDescent": 2, "ProximalGradientDescent": 8, "Adadelta": 17, "Adagrad": 7, "AdagradV2": 7, "ProximalAdagrad": 16,
    "AdagradDA": 12, "Ftrl": 17, "FtrlV2": 19, "Momentum": 4, "KerasMomentum": 4, "Adam": 12, "AdamWithAmsgrad": 13,
    "AdaMax": 10, "RMSProp": 12, "CenteredRMSProp": 17, "AddSign": 11, "PowerSign": 11}


def csr(*shape):
    def make():
        return tf.raw_ops.SparseTensorToCSRSparseMatrix(
            indices=tf.compat.v1.placeholder(L, (9, len(shape))), values=tf.compat.v1.placeholder(F, (9,)),
            dense_shape=tf.constant(shape, L))
    return Made(make)


def table(kind="HashTableV2", **attrs):
    return Made(lambda: getattr(tf.raw_ops, kind)(value_dtype=L, **attrs))


# graph: lines of op, inputs, attributes. A tuple is a shape, a list or number a constant.
CASES = {
    "variables": [
        ("Variable", [], dict(shape=(3, None))), ("Variable", [], dict(shape=())), ("VariableV2", [], dict(shape=())),
        ("VariableV2", [], dict(shape=(3, 4))), ("VariableV2", [], dict(shape=None)),
        ("TemporaryVariable", [], dict(shape=(3, 4))), ("DestroyTemporaryVariable", [(3, 4)], dict(var_name="x")),
        ("VarHandleOp", [], dict(shape=(3, 4))), ("_VarHandlesOp", [], dict(
            N=2, containers=["", ""], shared_names=["a", "b"], dtypes=[F, L], shapes=[(3,), (4, None)])),
        ("ReadVariableOp", [V]), ("ReadVariableOp", [Var(3, None)]), ("ReadVariableOp", [Var(known=False)]),
        ("ReadVariableOp", [()]), ("_ReadVariablesOp", [V, Var(4, dtype=L)], dict(N=2, dtypes=[F, L])),
        ("ReadVariableXlaSplitND", [V], dict(N=6, num_splits=[3, 2], paddings=[0, 1])),
        ("AssignVariableXlaConcatND", [V, (2, 5), (2, 5), (2, 5)], dict(N=3, num_concats=[3, 1])),
        ("AssignVariableOp", [V, (6, 5)]), ("AssignAddVariableOp", [V, (6, 5)]), ("AssignSubVariableOp", [V, (6, 5)]),
        ("AssignAddVariableOp", [V, None]), ("Assign", [(3, 4), (3, 4)]),
        ("Assign", [(3, 4), (5,)], dict(validate_shape=False)),
        ("AssignAdd", [(3, 4), (3, 4)]), ("AssignSub", [(3, 4), (3, 4)]), ("VariableShape", [V]), ("VariableShape", [()]),
        ("VariableShape", [V], dict(out_type=L)), ("VarIsInitializedOp", [V]), ("IsVariableInitialized", [(3,)]),
        ("IsResourceHandleRefCounting", [V]), ("DestroyResourceOp", [V]), ("DisableCopyOnRead", [V]),
        ("CountUpTo", [()], dict(limit=3, T=L)), ("ResourceCountUpTo", [Var(dtype=L)], dict(limit=3, T=L)),
        ("MutexV2", []), ("MutexLock", [()]), ("ConsumeMutexLock", [()]),
        ("Fill", [Made(lambda: tf.raw_ops.VariableShape(input=Var(3, 4).tensor())), 1.0]),
        ("Fill", [Made(lambda: tf.raw_ops.VariableShape(input=Var(3, None).tensor())), 1.0]),
    ],
    "checkpoints": [
        ("Save", [(), (2,), (3,), (4,)]), ("SaveSlices", [(), (2,), (2,), (3,), (4,)]), ("SaveV2", [(), (2,), (2,), (3,),
        (4,)]),
        ("Restore", [(), ()]), ("RestoreSlice", [(), (), ()]), ("RestoreV2", [(), (2,), (2,)]),
        ("RestoreV2", [(), ["a", "b"], ["", ""]]), ("MergeV2Checkpoints", [(2,), ()]),
        ("ShardedFilename", [(), (), ()]), ("ShardedFilespec", [(), ()]), ("ReadFile", [()]), ("WriteFile", [(), ()]),
        ("MatchingFiles", [(3,)]), ("GetSessionHandle", [(3,)]), ("GetSessionHandleV2", [(3,)]), ("GetSessionTensor", [()]),
        ("DeleteSessionTensor", [()]),
    ],
    "tables": [
        (kind, [], dict(key_dtype=S, value_dtype=L)) for kind in (
            "HashTable", "HashTableV2", "AnonymousHashTable", "MutableHashTable", "MutableHashTableV2",
            "AnonymousMutableHashTable")
    ] + [
        (kind, [], dict(key_dtype=S, value_dtype=L, value_shape=(3,))) for kind in
        ("MutableHashTableOfTensors", "MutableHashTableOfTensorsV2", "AnonymousMutableHashTableOfTensors")
    ] + [
        ("MutableDenseHashTable", [()], dict(value_shape=(3,))), ("MutableDenseHashTableV2", [(), ()], dict(value_shape=(3,))),
        ("AnonymousMutableDenseHashTable", [(2,), (2,)], dict(value_shape=(3,))),
    ] + [
        ("LookupTableFindV2", [of, (5, 6), ()], dict(Tin=S, Tout=L)) for of in (
            table(key_dtype=S), table("MutableHashTableV2", key_dtype=S), table("AnonymousMutableHashTable", key_dtype=S),
            table("MutableHashTableOfTensorsV2", key_dtype=S, value_shape=(3, 2)),
            table("MutableDenseHashTableV2", empty_key="", deleted_key="x", value_shape=(3,)))
    ] + [
        ("LookupTableFind", [(2,), (5,), ()]), ("LookupTableExport", [(2,)]), ("LookupTableExportV2", [()]),
        ("LookupTableImport", [(2,), (3,), (3,)]), ("LookupTableImportV2", [(), (3,), (3,)]),
        ("LookupTableInsert", [(2,), (3,), (3,)]), ("LookupTableInsertV2", [(), (3,), (3,)]), ("LookupTableRemoveV2", [(),
        (3,)]),
        ("LookupTableSize", [(2,)]), ("LookupTableSizeV2", [()]), ("InitializeTable", [(2,), (3,), (3,)]),
        ("InitializeTableV2", [(), (3,), (3,)]), ("InitializeTableFromTextFile", [(2,), ()], dict(key_index=0, value_index=1)),
        ("InitializeTableFromTextFileV2", [(), ()], dict(key_index=0, value_index=1)),
        ("InitializeTableFromDataset", [(), ()]),
    ],
    "notes": [
        ("Barrier", []), ("BarrierInsertMany", [(2,), (5,), (5, 3)], dict(component_index=0)), ("BarrierTakeMany", [(2,), 5]),
        ("BarrierClose", [(2,)]), ("BarrierReadySize", [(2,)]), ("BarrierIncompleteSize", [(2,)]),
        ("ScalarSummary", [(3,), (3,)]), ("HistogramSummary", [(), (3,)]), ("ImageSummary", [(), (2, 3, 3, 1)]),
        ("AudioSummaryV2", [(), (2, 3), ()]), ("TensorSummary", [(3,)]), ("TensorSummaryV2", [(), (3,), ()]),
        ("MergeSummary", [(), ()], dict(N=2)), ("SummaryWriter", []), ("CreateSummaryFileWriter", [(), (), (), (), ()]),
        ("CreateSummaryDbWriter", [(), (), (), (), ()]), ("FlushSummaryWriter", [()]), ("CloseSummaryWriter", [()]),
        ("WriteSummary", [(), (), (3,), (), ()]), ("WriteRawProtoSummary", [(), (), (3,)]), ("WriteScalarSummary", [(),
        (), (), ()]),
        ("WriteHistogramSummary", [(), (), (), (3,)]), ("WriteImageSummary", [(), (), (), (2, 3, 3, 1), (4,)]),
        ("WriteAudioSummary", [(), (), (), (2, 3), ()]), ("WriteGraphSummary", [(), (), ()]), ("ImportEvent", [(), ()]),
        ("Print", [(3, 4), (5,), ()]), ("PrintV2", [()]), ("Assert", [(), (5,), ()]), ("Timestamp", []),
        ("StatsAggregatorHandle", []), ("StatsAggregatorHandleV2", []), ("StatsAggregatorSummary", [()]),
        ("StatsAggregatorSetSummaryWriter", [(), ()]), ("Batch", [(3, 4), (5,)]), ("Unbatch", [(3, 4), (1, 3), ()]),
        ("UnbatchGrad", [(3, 4), (1, 3), (5, 6), ()]),
    ],
    "optimizers": [line + (dict(),) for line in optimizers()] + [
        ("SdcaOptimizer", [(3,)] * 4 + [(7, 8), (7,), (7,), (5,), (6,), (5,), (6,), (8,), (7, 4)], dict(
            num_sparse_features=2, num_sparse_features_with_values=0, num_dense_features=1, l1=0.5, l2=0.5,
            num_loss_partitions=1, num_inner_iterations=1, loss_type="logistic_loss")),
        ("SdcaFprint", [(5,)]), ("SdcaShrinkL1", [(5,), (6,)], dict(num_features=2)),
    ],
    "random": [
        (op, [shape] + rest, attrs) for shape in ([3, 4], (2,)) for op, rest, attrs in (
            ("RandomUniform", [], {}), ("RandomUniformInt", [0, 9], {}), ("RandomStandardNormal", [], {}),
            ("TruncatedNormal", [], {}), ("ParameterizedTruncatedNormal", [(3,), (3,), (3,), (3,)], {}),
            ("RandomGamma", [(5, 6)], {}), ("RandomPoissonV2", [(5,)], {}), ("NonDeterministicInts", [], {}),
            ("StatelessRandomUniform", [(2,)], {}), ("StatelessRandomUniformInt", [(2,), (), ()], {}),
            ("StatelessRandomUniformFullInt", [(2,)], {}), ("StatelessRandomNormal", [(2,)], {}),
            ("StatelessTruncatedNormal", [(2,)], {}), ("StatelessRandomGammaV2", [(2,), (4,)], {}),
            ("StatelessParameterizedTruncatedNormal", [(2,), (4,), (), (), ()], {}),
            ("StatelessRandomPoisson", [(2,), (4,)], {}), ("StatelessRandomBinomial", [(2,), (4,), (4,)], {}),
            ("StatelessRandomUniformV2", [(1,), (2,), ()], {}), ("StatelessRandomUniformIntV2", [(1,), (2,), (), (), ()], {}),
            ("StatelessRandomUniformFullIntV2", [(1,), (2,), ()], {}), ("StatelessRandomNormalV2", [(1,), (2,), ()], {}),
            ("StatelessTruncatedNormalV2", [(1,), (2,), ()], {}), ("StatelessRandomGammaV3", [(1,), (2,), (), (4,)], {}))
    ] + [
        (op, [(), ()] + [shape] + rest) for shape in ([3, 4], (2,)) for op, rest in (
            ("StatefulUniform", []), ("StatefulUniformFullInt", []), ("StatefulUniformInt", [(), ()]),
            ("StatefulStandardNormalV2", []), ("StatefulTruncatedNormal", []), ("StatefulRandomBinomial", [(4,), (4,)]))
    ] + [
        ("RandomGammaGrad", [(3, 1), (4,)]), ("Multinomial", [(3, 4), 6]), ("StatelessMultinomial", [(3, 4), 6, (2,)]),
        ("RandomShuffle", [(3, 4)]), ("StatelessShuffle", [(3, 4), (1,), (2,), ()]), ("RandomIndexShuffle", [(), (3,), ()]),
        ("RandomIndexShuffle", [(5,), (5, 3), ()]), ("RandomIndexShuffle", [(), (3,), (6,)]),
        ("RngReadAndSkip", [(), (), ()]), ("RngSkip", [(), (), ()]), ("StatelessRandomGetAlg", []),
        ("StatelessRandomGetKeyCounter", [(2,)]), ("StatelessRandomGetKeyCounterAlg", [(2,)]),
    ],
    "segments": [
        (op, [(6, 5, 4), (6,)]) for op in ("SegmentSum", "SegmentProd", "SegmentMin", "SegmentMax", "SegmentMean")
    ] + [
        (op, [(6, 5, 4), ids, k]) for ids in ((6,), (6, 5), ()) for k in (3, ()) for op in (
            "SegmentSumV2", "SegmentProdV2", "SegmentMinV2", "SegmentMaxV2", "UnsortedSegmentSum", "UnsortedSegmentProd",
            "UnsortedSegmentMin", "UnsortedSegmentMax", "UnsortedSegmentJoin")
    ] + [
        ("SegmentSum", [(6, 5), [0, 0, 1, 1, 2, 4]]), ("SparseSegmentSum", [(6, 5), (3,), [0, 0, 1]]),
    ] + [
        ("SparseSegment" + op, [(6, 5), (3,), (3,)]) for op in ("Sum", "Mean", "SqrtN")
    ] + [
        ("SparseSegment" + op + more, [(6, 5), (3,), (3,), k]) for op in ("Sum", "Mean", "SqrtN") for k in (7, ())
        for more in ("WithNumSegments", "Grad", "GradV2")
    ] + [
        ("Bincount", [(6, 5), 7, (6, 5)]), ("Bincount", [(6, 5), (), (0,)]), ("DenseBincount", [(6, 5), 7, (6, 5)]),
        ("DenseBincount", [(6, 5), (), (6, 5)]), ("DenseBincount", [(6,), 7, (6,)]), ("DenseBincount", [(), 7, ()]),
        ("SparseBincount", [(6, 2), (6,), [4, 5], 7, (6,)]), ("SparseBincount", [(6, 1), (6,), [4], 7, (6,)]),
        ("SparseBincount", [(6, 2), (6,), (2,), 7, (6,)]), ("RaggedBincount", [(6,), (9,), 7, (9,)]),
        ("DenseCountSparseOutput", [(6, 5), (6, 5)]), ("DenseCountSparseOutput", [(6, 5), (0,)]),
        ("SparseCountSparseOutput", [(6, 2), (6,), (2,), (6,)]), ("RaggedCountSparseOutput", [(6,), (9,), (9,)]),
    ],
    "sparse": [
        ("SparseAdd", [(6, 2), (6,), (2,), (5, 2), (5,), (2,), ()]), ("SparseAddGrad", [(9,), (6, 2), (5, 2), (9, 2)]),
        ("SparseConcat", [(6, 2), (5, 2), (6,), (5,), (2,), (2,)], dict(concat_dim=0, N=2)),
        ("SparseCross", [(6, 2), (6,), (2,), (5, 1)], dict(N=1, sparse_types=[S], dense_types=[S], hash_key=1, num_buckets=4)),
        ("SparseCrossV2", [(6, 2), (6,), (2,), (5, 1), ()], dict(N=1, sparse_types=[S], dense_types=[S])),
        ("SparseCrossHashed", [(6, 2), (6,), (2,), (5, 1), (), (), (2,)], dict(N=1, sparse_types=[S], dense_types=[S])),
        ("SparseDenseCwiseAdd", [(6, 2), (6,), (2,), (3, 4)]), ("SparseDenseCwiseMul", [(6, 2), (6,), (2,), (3, 4)]),
        ("SparseDenseCwiseDiv", [(6, 2), (6,), (2,), (3, 4)]),
        ("SparseFillEmptyRows", [(6, 2), (6,), [3, 4], ()]), ("SparseFillEmptyRows", [(6, 2), (6,), (2,), ()]),
        ("SparseFillEmptyRowsGrad", [(6,), (9,)]),
    ] + [
        (op, [(6, 2), (6,), shape, axes], dict(keep_dims=keep)) for op in ("SparseReduceSum", "SparseReduceMax")
        for shape in ([3, 4], (2,)) for axes in ([0], -1, [0, 1], [5], [-3], (1,)) for keep in (False, True)
    ] + [
        ("SparseReduceSumSparse", [(6, 2), (6,), [3, 4], [0]]), ("SparseReduceMaxSparse", [(6, 2), (6,), [3, 4], [0]]),
        ("SparseReorder", [(6, 2), (6,), (2,)]), ("SparseReshape", [(6, 2), (2,), (3,)]),
        ("SparseReshape", [(6, 2), [4, 6], [-1, 2, 3]]), ("SparseSlice", [(6, 2), (6,), (2,), (2,), (2,)]),
        ("SparseSliceGrad", [(3,), (6, 2), (2,), (3, 2)]), ("SparseSoftmax", [(6, 2), (6,), (2,)]),
        ("SparseSparseMaximum", [(6, 2), (6,), (2,), (5, 2), (5,), (2,)]),
        ("SparseSparseMinimum", [(6, 2), (6,), (2,), (5, 2), (5,), (2,)]),
        ("SparseSplit", [(), (6, 2), (6,), (2,)], dict(num_split=3)), ("SparseTensorDenseAdd", [(6, 2), (6,), (2,), (3, 4)]),
    ] + [
        ("SparseTensorDenseMatMul", [(6, 2), (6,), shape, (5, 4) if bt else (4, 5)], dict(adjoint_a=at, adjoint_b=bt))
        for at in (False, True) for bt in (False, True) for shape in ([4, 3] if at else [3, 4], (2,))
    ] + [
        ("SparseToDense", [(6, 2), [3, 4], (6,), ()]), ("SparseToDense", [(6, 2), (2,), (6,), ()]),
        ("SparseToSparseSetOperation", [(6, 2), (6,), (2,), (5, 2), (5,), (2,)], dict(set_operation="union")),
        ("DenseToSparseSetOperation", [(3, 4), (5, 2), (5,), (2,)], dict(set_operation="union")),
        ("DenseToDenseSetOperation", [(3, 4), (3, 5)], dict(set_operation="union")), ("SetSize", [(6, 2), (6,), [3, 4]]),
        ("SerializeSparse", [(6, 2), (6,), (2,)]), ("SerializeManySparse", [(6, 2), (6,), (2,)]),
        ("DeserializeSparse", [(5, 3)]), ("DeserializeManySparse", [(5, 3)]), ("AddSparseToTensorsMap", [(6, 2), (6,), (2,)]),
        ("AddManySparseToTensorsMap", [(6, 2), (6,), (2,)]), ("TakeManySparseFromTensorsMap", [(6,)]),
    ],
    "ragged": [
        ("RaggedGather", [(5,), (7, 8), (3,)], dict(PARAMS_RAGGED_RANK=1, OUTPUT_RAGGED_RANK=1)),
        ("RaggedGather", [(5,), (6,), (7, 8), (3, 2)], dict(PARAMS_RAGGED_RANK=2, OUTPUT_RAGGED_RANK=3)),
        ("RaggedRange", [(5,), (5,), ()]), ("RaggedRange", [(), (), ()]),
        ("RaggedTensorFromVariant", [(5,)], dict(input_ragged_rank=1, output_ragged_rank=2)),
        ("RaggedTensorToSparse", [(5,), (6,), (7, 8)], dict(RAGGED_RANK=2)),
        ("RaggedTensorToVariant", [(5,), (7, 8)], dict(RAGGED_RANK=1, batched_input=True)),
        ("RaggedTensorToVariant", [(5,), (7, 8)], dict(RAGGED_RANK=1, batched_input=False)),
        ("RaggedTensorToVariantGradient", [(5,), (6,), [7, 8]]), ("RaggedTensorToVariantGradient", [(5,), (6,), (2,)]),
        ("RaggedFillEmptyRows", [(6,), (6,), 9, ()]), ("RaggedFillEmptyRowsGrad", [(6,), (9,)]),
        ("RaggedCross", [(9,), (6,), (7, 2), (7,), (2,), (5, 4)], dict(
            ragged_values_types=[L], ragged_splits_types=[L], sparse_values_types=[L], dense_types=[L], Nsparse=1,
            input_order="RSD", hashed_output=True, num_buckets=3, hash_key=1, out_values_type=L, out_row_splits_type=L)),
    ] + [
        ("RaggedTensorToTensor", [shape, values, ()] + [() if t == "FIRST_DIM_SIZE" else (6,) for t in types],
         dict(num_row_partition_tensors=len(types), row_partition_types=types))
        for shape, values, types in (
            ([3, 4, 8], (7, 8), ROWS), ([3, -1, -1], (7, 8), ROWS), (-1, (7, 8), ROWS), ((3,), (7, 8), ROWS),
            ((2,), (7,), ROWS),
            ([-1, -1, -1, 8], (7, 8), ROWS * 2), ([3, -1, -1], (7, 8), ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]))
    ],
    "matrices": [
        ("SparseTensorToCSRSparseMatrix", [(9, 2), (9,), [3, 4]]), ("SparseTensorToCSRSparseMatrix", [(9, 3), (9,), (3,)]),
        ("DenseToCSRSparseMatrix", [(3, 4), (9, 2)]), ("SparseMatrixZeros", [[3, 4]]), ("SparseMatrixZeros", [(3,)]),
        ("CSRSparseMatrixToSparseTensor", [csr(3, 4)]), ("CSRSparseMatrixToDense", [csr(2, 3, 4)]),
        ("CSRSparseMatrixComponents", [csr(2, 3, 4), ()]), ("SparseMatrixNNZ", [csr(3, 4)]),
        ("SparseMatrixNNZ", [csr(2, 3, 4)]),
        ("SparseMatrixOrderingAMD", [csr(4, 4)]), ("SparseMatrixOrderingAMD", [csr(2, 4, 4)]),
        ("SparseMatrixMatMul", [csr(3, 4), (4, 5)]), ("SparseMatrixMatMul", [csr(2, 3, 4), (2, 4, 5)]),
        ("SparseMatrixMatMul", [csr(4, 3), (5, 4)], dict(transpose_a=True, adjoint_b=True)),
        ("SparseMatrixMatMul", [csr(3, 4), (4, 5)], dict(transpose_output=True)),
    ] + [
        ("CSRSparseMatrixToDense", [Made(make)]) for make in (
            lambda: tf.raw_ops.SparseMatrixSparseMatMul(a=csr(3, 4).tensor(), b=csr(4, 5).tensor(), type=F),
            lambda: tf.raw_ops.SparseMatrixSparseMatMul(
                a=csr(2, 4, 3).tensor(), b=csr(2, 5, 4).tensor(), type=F, adjoint_a=True, transpose_b=True),
            lambda: tf.raw_ops.SparseMatrixAdd(a=csr(3, 4).tensor(), b=csr(3, 4).tensor(), alpha=1.0, beta=2.0),
            lambda: tf.raw_ops.SparseMatrixMul(a=csr(3, 4).tensor(), b=2.0),
            lambda: tf.raw_ops.SparseMatrixMul(a=csr(2, 3, 4).tensor(), b=tf.ones((2, 1, 1))),
            lambda: tf.raw_ops.SparseMatrixTranspose(input=csr(2, 3, 4).tensor(), type=F),
            lambda: tf.raw_ops.SparseMatrixSoftmax(logits=csr(3, 4).tensor(), type=F),
            lambda: tf.raw_ops.SparseMatrixSoftmaxGrad(softmax=csr(3, 4).tensor(), grad_softmax=csr(3, 4).tensor(), type=F),
            lambda: tf.raw_ops.SparseMatrixSparseCholesky(
                input=csr(4, 4).tensor(), permutation=tf.raw_ops.SparseMatrixOrderingAMD(input=csr(4, 4).tensor()), type=F),
            lambda: tf.raw_ops.DenseToCSRSparseMatrix(dense_input=tf.ones((3, 4)), indices=tf.zeros((2, 2), L)))
    ],
    "collectives": [
        ("NcclAllReduce", [(3, 4)], dict(reduction="sum", num_devices=2)), ("NcclBroadcast", [(3, 4)], dict(shape=(3, 4))),
        ("NcclReduce", [(3, 4), (3, 4)], dict(reduction="sum", num_devices=2)),
        ("CollectiveReduce", [(3, 4)], dict(merge_op="Add", final_op="Id", subdiv_offsets=[0])),
        ("CollectiveReduceV2", [(3, 4), 2, 1, 1], dict(merge_op="Add", final_op="Id", Nordering_token=0)),
        ("CollectiveReduceV3", [(3, 4), (), (1, 2)], dict(reduction="Add")), ("CollectiveGather", [(3, 4)], dict(group_size=2)),
        ("CollectiveGatherV2", [(3, 4), 2, 1, 1], dict(Nordering_token=0)),
        ("CollectiveReduceScatterV2", [(8, 4), 2, 1, 1], dict(merge_op="Add", final_op="Id", Nordering_token=0)),
        ("CollectiveBcastSend", [(3, 4)], dict(shape=(3, 4))), ("CollectiveBcastSendV2", [(3, 4), 2, 1, 1]),
        ("CollectiveBcastRecv", [], dict(shape=(3, 4))), ("CollectiveBcastRecvV2", [2, 1, 1, [3, 4]]),
        ("CollectiveAllToAllV2", [(8, 4), 2, 1, 1], dict(Nordering_token=0)), ("CollectiveAllToAllV3", [(8, 4), (), (1, 2)]),
        ("CollectivePermute", [(3, 4), (2, 2)]), ("CollectiveAssignGroupV2", [(1, 2), (), ()]),
        ("CollectiveInitializeCommunicator", [(), (), ()]), ("CrossReplicaSum", [(3, 4), (1, 2)]),
        ("AllToAll", [(8, 6, 3), (2, 2)], dict(concat_dimension=0, split_dimension=1, split_count=2)),
        ("AllToAll", [(8, 6, 3), (2, 2)], dict(concat_dimension=1, split_dimension=1, split_count=2)),
        ("DTensorAllReduce", [(3, 4), (1, 2)]), ("DTensorReduceScatter", [(8, 4), (1, 2), 0], dict(reduce_op="Add")),
        ("Relayout", [(3, 4)]), ("RelayoutLike", [(3, 4), (5,)]), ("CopyToMesh", [(3, 4)]), ("CopyToMeshGrad", [(3, 4), (5,)]),
        ("_Send", [(3,)]), ("_HostSend", [(3,)]), ("_Recv", []), ("_HostRecv", []), ("InfeedDequeue", [], dict(shape=(3, 4))),
        ("InfeedDequeueTuple", [], dict(dtypes=[F, L], shapes=[(3,), (4, 5)])), ("InfeedEnqueue", [(3, 4)], dict(shape=(3, 4))),
        ("OutfeedDequeue", [], dict(shape=(3, 4))), ("OutfeedDequeueV2", [()], dict(shape=(3, 4))),
        ("OutfeedDequeueTuple", [], dict(dtypes=[F, L], shapes=[(3,), (4, 5)])), ("OutfeedEnqueue", [(3,)]),
        ("OutfeedDequeueTupleV2", [()], dict(dtypes=[F, L], shapes=[(3,), (4, 5)])), ("Prelinearize", [(3,)]),
        ("TPUReplicatedInput", [(3, 4), (3, 4)], dict(N=2)), ("TPUReplicatedOutput", [(3, 4)], dict(num_replicas=2)),
        ("TPUPartitionedInput", [(3, 4), (3, 4)], dict(N=2, partition_dim=1)),
        ("TPUPartitionedInput", [(3, 4), (3, 4)], dict(N=2, partition_dim=-1)),
        ("TPUPartitionedInputV2", [(3, 4), (3, 4)], dict(N=2, partition_dims=[2, 1])),
        ("TPUPartitionedOutput", [(4, 6)], dict(num_splits=2, partition_dim=1)),
        ("TPUPartitionedOutputV2", [(4, 6)], dict(num_splits=2, partition_dims=[1, 2])),
        ("TPUDummyInput", [], dict(shape=(3, 4))), ("TPUAnnotateTensorsWithDynamicShape", [(3, 4), (5,)], dict(T=[F, F])),
        ("TPUCopyWithDynamicShape", [(3, 4), ()], dict(N=1, T=[F])), ("TPUOrdinalSelector", []), ("TPURoundRobin", []),
        ("TPUCompilationResult", []), ("TPUCompileSucceededAssert", [()]), ("TPUEmbeddingActivations", [(3, 4), (5, 6)], dict(
            table_id=0, lookup_id=0)),
        ("_TPUCompileMlir", [], dict(num_computations=2, NumDynamicShapes=0)), ("ConfigureDistributedTPU", []),
        ("TPUCompile", [], dict(num_computations=2, NumDynamicShapes=0, Tguaranteed_constants=[])),
        ("RetrieveTPUEmbeddingADAMParameters", [], dict(table_name="a", num_shards=1, shard_id=0)),
        ("LoadTPUEmbeddingADAMParameters", [(3, 4)] * 3, dict(table_name="a", num_shards=1, shard_id=0)),
    ],
    "xla": [
        ("XlaAllReduce", [(3, 4), (1, 2)], dict(reduce_op="Add", mode="CrossReplica")), ("XlaReplicaId", []),
        ("XlaReduceScatter", [(8, 4), (1, 2), 0], dict(reduce_op="Add")), ("XlaReduceScatter", [(8, 4),
        (1, 2), 1], dict(reduce_op="Add")),
        ("XlaReduceScatter", [(8, 4), (1, 2), ()], dict(reduce_op="Add")), ("XlaBroadcastHelper", [(3, 4), (4,), [1]]),
        ("XlaClusterOutput", [(3, 4)]), ("XlaCallModule", [(3,)], dict(
            version=9, module="", Sout=[(3,), (4, None)], Tout=[F, L], Tin=[F])),
        ("XlaCustomCall", [(3,)], dict(T=[F], shape=(3, 4))), ("XlaCustomCallV2", [(3,)], dict(
            operand_dtypes=[F], result_dtypes=[F, L], result_shapes=[(3,), (4, 5)])),
        ("XlaDynamicSlice", [(8, 9), (2,), [3, 4]]), ("XlaDynamicSlice", [(8, 9), (2,), (2,)]),
        ("XlaDynamicUpdateSlice", [(8, 9), (3, 4), (2,)]), ("XlaScatter", [(8, 9), (3, 1), (3, 9)]),
        ("XlaGather", [(8, 9), (4, 1), [1, 9]], dict(dimension_numbers=gather_numbers([1], [0], [0], 1))),
        ("XlaGather", [(8, 9, 7), (4, 5, 2), [1, 3, 7]], dict(dimension_numbers=gather_numbers([1, 3], [0], [0, 1], 2))),
        ("XlaGather", [(8, 9), (4, 2), (2,)], dict(dimension_numbers=gather_numbers([1], [0], [0, 1], 1))),
        ("XlaPad", [(4, 5), (), [1, 1], [2, 2], [0, 1]]), ("XlaPad", [(4, 5), (), [1, -1], [2, -2], [0, 0]]),
        ("XlaPad", [(4, 0), (), [1, 1], [2, 2], [2, 3]]), ("XlaPad", [(4, 5), (), (2,), [2, 2], [0, 1]]),
        ("XlaSelectAndScatter", [(8, 9), [2, 3], [2, 3], (2, 2), (4, 3), ()]), ("XlaSort", [(3, 4)]),
        ("XlaKeyValueSort", [(3, 4), (3, 4)]), ("XlaVariadicSort", [(3, 4), (3, 4), 0], dict(T=[F, F])),
        ("XlaOptimizationBarrier", [(3, 4), (5,)], dict(T=[F, F])), ("XlaSharding", [(3, 4)]),
        ("XlaSpmdFullToShardShape", [(3, 4)], dict(manual_sharding="")),
        ("XlaSpmdShardToFullShape", [(3, 4)], dict(manual_sharding="", full_shape=(6, 4))),
        ("XlaSplitND", [(4, 5)], dict(N=4, num_splits=[2, 2], paddings=[0, 1])),
        ("XlaConcatND", [(2, 3), (2, 3)], dict(N=2, num_concats=[1, 2], paddings=[0, 1])), ("XlaSetBound", [(), ()]),
        ("XlaSetDynamicDimensionSize", [(3, 4), 0, 2]), ("XlaRemoveDynamicDimensionSize", [(3, 4), 0]),
        ("XlaRngBitGenerator", [(), (2,), [3, 4]]), ("XlaSend", [(3,)]), ("XlaRecv", [], dict(shape=(3, 4))),
        ("XlaSendToHost", [(3,)]), ("XlaRecvFromHost", [], dict(shape=(3, 4))),
        ("XlaSparseDenseMatmul", [(9,), (9,), (9,), (), (8, 7)], dict(
            max_ids_per_partition=3, max_unique_ids_per_partition=4, input_size=6)),
        ("XlaSparseDenseMatmulWithCsrInput", [(5,), (9,), (9,), (9,), (8, 7), ()], dict(input_size=6)),
        ("XlaSparseDenseMatmulCustomCombinerOnTcWithCsrInput", [(5,), (9,), (9,), (9,), (9,), (8, 7), (1,)], dict(
            input_size=6, max_valency=4, num_weights=1)),
        ("XlaSparseDenseMatmulGradWithAdamAndCsrInput", [
            (5,), (9,), (9,), (9,), (6, 7), (), (8, 7), (8, 6), (8, 5), ()], dict(
                beta1=0.5, beta2=0.5, epsilon=0.5, use_sum_inside_sqrt=False)),
        ("XlaSparseCoreAdam", [(8, 7), (9,), (9, 7), (), (8, 6), (8, 5), (), (),
        ()], dict(feature_width=7, use_sum_inside_sqrt=True)),
        ("XlaSparseCoreAdagradMomentum", [(9,), (9, 7), (), (), (), (8, 6), (8, 5), (8, 7)], dict(
            feature_width=7, use_nesterov=False, beta_2=0.5, exponent=0.5)),
        ("ConvertToSparseCoreCsrWrappedCooTensor", [(9,)] * 8 + [()], dict(
            num_sc_per_chip=2, sample_count_per_sc=4, num_replica=3, max_minibatches_per_sc=3, max_ids_per_chip_per_sample=5)),
        ("ConvertToCooTensor", [(9,), (9,), (9,)], dict(sample_count=2, combiner="sum")),
    ],
}

# Name, op, inputs, attributes, float operations, multiply-adds. The gradient has 30 elements, in sparse updates 20.
COUNTED = [
    ("add", "AssignAddVariableOp", [V, (6, 5)], {}, 30, 0), ("add_held", "AssignSubVariableOp", [V, None], {}, 30, 0),
    ("add_ref", "AssignAdd", [(3, 4), (3, 4)], {}, 12, 0), ("read", "ReadVariableOp", [V], {}, 0, 0),
    ("read_unknown", "ReadVariableOp", [()], {}, 0, 0), ("count_up", "CountUpTo", [()], dict(limit=3, T=L), 1, 0),
    ("normal", "RandomStandardNormal", [[3, 4]], {}, 60, 0), ("uniform", "StatelessRandomUniformV2", [[3, 4], (1,), (2,),
    ()], {}, 12, 0),
    ("gamma", "RandomGamma", [[3], (4,)], {}, 240, 0), ("bits", "StatelessRandomUniformFullInt", [(2,), (2,)], {}, 0, 0),
    ("unknown", "RandomUniform", [(2,)], {}, None, None), ("draw", "Multinomial", [(3, 4), 6], {}, 3 * 12 + 2 * 18, 0),
    ("segments", "UnsortedSegmentSum", [(6, 5, 4), (6,), 3], {}, 120, 0),
    ("bins", "DenseBincount", [(6, 5), 7, (6, 5)], {}, 30, 0),
    ("rows", "SparseSegmentMean", [(6, 5), (3,), (3,)], {}, 15, 0),
    ("rows_grad", "SparseSegmentMeanGrad", [(6, 5), (3,), (3,), 9], {}, 30, 0),
    ("sparse", "SparseTensorDenseMatMul", [(6, 2), (6,), [3, 4], (4, 5)], {}, 60, 30),
    ("sparse_values", "SparseTensorDenseMatMul", [None, (6,), (2,), (5, 4)], dict(adjoint_b=True), 60, 30),
    ("sparse_unknown", "SparseTensorDenseMatMul", [None, None, [3, 4], (4, 5)], {}, None, None),
    ("sparse_add", "SparseAdd", [(6, 2), (6,), (2,), (5, 2), (5,), (2,), ()], {}, 11, 0),
    ("sparse_softmax", "SparseSoftmax", [(6, 2), (6,), (2,)], {}, 30, 0),
    ("all_reduce", "NcclAllReduce", [(3, 4)], dict(reduction="sum", num_devices=2), 12, 0),
    ("reduce", "NcclReduce", [(3, 4)] * 3, dict(reduction="sum", num_devices=3), 24, 0),
    ("scatter", "XlaScatter", [(8, 9), (3, 1), (3, 9)], {}, 27, 0),
    ("select", "XlaSelectAndScatter", [(8, 9), [2, 3], [2, 3], (2, 2), (4, 3), ()], {}, 6 * 12, 0),
    ("embedding", "XlaSparseDenseMatmulWithCsrInput", [(5,), (9,), (9,), (9,), (8, 7), ()], dict(input_size=6), 126, 63),
] + [
    (name + suffix, *line, given, per * (20 if "Sparse" in line[0] else 30), 0)
    for line in optimizers() for suffix, given, more in (("", {}, {}), ("_other", dict(use_nesterov=True, update_slots=False), {
        "Momentum": 3, "KerasMomentum": 2, "Adam": 3, "Adagrad": -2, "AdagradV2": -2}))
    for kind in [line[0].removeprefix("Resource").removeprefix("Sparse").removeprefix("Apply")]
    for name, per in [(line[0], PER_ELEMENT[kind] + more.get(kind, 0))]
]


def counted():
    for line in COUNTED:
        if line[1] in DEFINITIONS:
            yield line


def graphs():
    for name, lines in CASES.items():
        yield name, graph_of(lines)
    with tf.Graph().as_default() as graph:
        for node, name, inputs, given, *_ in counted():
            add(graph, name, inputs, given, node)
    yield "counted", graph


def counts():
    for node, _, _, _, flops, macs in counted():
        yield "counted", node, flops, macs
