# SPDX-License-Identifier: Apache-2.0
"""Small graphs with every op of src/flops/rules_matrix.c, _contract.c and _linalg.c."""
import itertools

from making import COMPLEX, FLOAT, REFUSED, add, axis, built, placeholder, type_for
from oracle import tf
from tensorflow.compiler.tf2xla.ops import gen_xla_ops  # noqa: F401  (registers the ops)
from tensorflow.compiler.xla import xla_data_pb2
from tensorflow.core.framework import graph_pb2, node_def_pb2

PRODUCTS = [([2, 3], [3, 4]), ([3, 2], [3, 4]), ([2, 3], [4, 3]), ([3, 2], [4, 3]), ([None, 3], [3, 4]), ([2, None], [3, 4]),
            ([2, None], [None, 4]), (None, [3, 4]), ([2, 3], None), (None, None), ([0, 3], [3, 4]), ([5, 5], [5, 5])]
BATCHES = [([], []), ([7], [7]), ([7], [1]), ([6, 1], [8]), ([None], [7]), ([7], []), ([None, 2], [1, None])]


def matmul():
    for (a, b), ta, tb in itertools.product(PRODUCTS, (False, True), (False, True)):
        words = {"transpose_a": ta, "transpose_b": tb}
        for op in ("MatMul", "SparseMatMul", "RiscDot", "_MklMatMul"):
            add(op, placeholder(a), placeholder(b), **words)
        bias, words["fused_ops"] = [placeholder([4])], ["BiasAdd", "Relu"]
        add("_FusedMatMul", placeholder(a), placeholder(b), bias, **words)
        add("_MklNativeFusedMatMul", placeholder(a), placeholder(b), bias, **words)
        layouts = [placeholder(None, tf.uint8) for _ in range(3)]
        add("_MklFusedMatMul", placeholder(a), placeholder(b), bias, layouts[0], layouts[1], layouts[2:], **words)


def batch_matmul():
    for (a, b), (m, n), x, y in itertools.product(PRODUCTS, BATCHES, (False, True), (False, True)):
        words, shapes = {"adj_x": x, "adj_y": y}, (a and m + a, b and n + b)
        add("BatchMatMul", *map(placeholder, shapes), **words)
        add("BatchMatMulV2", *map(placeholder, shapes), **words)
        add("BatchMatMulV3", *map(placeholder, shapes), Tout=FLOAT, **words)
        if x == y:
            add("_MklBatchMatMul", *map(placeholder, shapes), **words)
            add("_MklBatchMatMulV2", *map(placeholder, shapes), **words)
            add("_MklFusedBatchMatMulV2", *map(placeholder, shapes), [placeholder([])], fused_ops=["Mul"], **words)


EQUATIONS = {
    "->": [[[]]], ",->": [[[], []]], ",i->i": [[[], [3]]],
    "ij->ji": [[[2, 3]], [None], [[None, 3]]], "ii->i": [[[4, 4]], [[4, None]]],
    "ij->": [[[2, 3]]], "ijk->j": [[[2, 3, 4]]],
    "...ij->...ji": [[[5, 6, 2, 3]], [[2, 3]], [None]], "i...->...": [[[2, 3, 4]], [[2]]],
    "ij,jk->ik": [[[2, 3], [3, 4]], [[None, 3], [None, 4]], [None, [3, 4]]],
    "ij, jk -> ik": [[[2, 3], None]],  # a blank counts as an index
    "bij,bjk->bik": [[[7, 2, 3], [7, 3, 4]], [[None, 2, 3], [7, None, 4]]],
    "...ij,...jk->...ik": [[[2, 3], [3, 4]], [[7, 2, 3], [3, 4]], [[7, 1, 2, 3], [5, 3, 4]], [None, [3, 4]],
                           [[None, 2, 3], [1, 3, 4]], [[None, 2, 3], [None, 3, 4]]],
    "abc,cd->abd": [[[2, 3, 4], [4, 5]], [[None, None, 4], [4, 5]]],
    "i,j->ij": [[[4], [5]]], "i,i->": [[[6], [6]], [[None], [6]]], "ij,ij->ij": [[[2, 3], [2, 3]]], "ij,k->i": [[[2, 3], [4]]],
    "aab,bc->ac": [[[2, 2, 3], [3, 4]]], "ab,bc->caa": [[[2, 3], [3, 4]]],
    "a...b,b...->a...": [[[2, 5, 3], [3, 5]], [[2, 3], [3]], [[2, 1, 3], [3, 5]]],
    "BTNH,BFNH->BNFT": [[[2, 5, 4, 8], [2, 6, 4, 8]], [[None, 5, 4, 8], [None, 6, 4, 8]]],
}


def einsum():
    for equation, cases in EQUATIONS.items():
        for shapes in cases:
            for op in ("Einsum", "_MklEinsum"):
                add(op, [placeholder(s) for s in shapes], equation=equation)
            if len(shapes) == 2:
                add("XlaEinsum", *map(placeholder, shapes), equation=equation)


# Dims of the batch, contracted dims, shapes. TensorFlow crashes on dims that do not exist.
DOTS = [([], [(1, 0)], [([2, 3], [3, 4]), (None, [3, 4]), ([2, None], [3])]), ([], [], [([2], [3, None]), ([], [])]),
        ([(0, 0)], [(2, 1)], [([7, 2, 3], [7, 3, 4]), ([None, 2, 3], [7, None, 4])]),
        ([(0, 0), (1, 1)], [(3, 2)], [([7, 8, 2, 3], [7, 8, 3, 4])]), ([(1, 0)], [(0, 2), (2, 1)], [([3, 7, 2], [7, 2, 3, 5])])]


def dot_words(batch, contracted):
    numbers = xla_data_pb2.DotDimensionNumbers(
        lhs_batch_dimensions=[p[0] for p in batch], rhs_batch_dimensions=[p[1] for p in batch],
        lhs_contracting_dimensions=[p[0] for p in contracted], rhs_contracting_dimensions=[p[1] for p in contracted])
    return {"dimension_numbers": numbers.SerializeToString(), "precision_config": b""}


CONV = xla_data_pb2.ConvolutionDimensionNumbers(
    input_batch_dimension=0, input_feature_dimension=3, input_spatial_dimensions=[1, 2],
    kernel_input_feature_dimension=2, kernel_output_feature_dimension=3, kernel_spatial_dimensions=[0, 1],
    output_batch_dimension=0, output_feature_dimension=3, output_spatial_dimensions=[1, 2])
CONV_WORDS = {"precision_config": b"", "dimension_numbers": CONV.SerializeToString()}


def conv_inputs(image, strides):
    """A 3x3 kernel, padded above and below, dilated from left to right."""
    return [placeholder(image), placeholder([3, 3, 3, 4]), axis(strides), tf.constant([[1, 1], [0, 0]]), tf.constant([1, 1]),
            tf.constant([1, 2]), tf.constant(1)]


def xla():
    for batch, contracted, cases in DOTS:
        for shapes in cases:
            add("XlaDot", *map(placeholder, shapes), **dot_words(batch, contracted))
            add("XlaDotV2", *map(placeholder, shapes), preferred_element_type=FLOAT, **dot_words(batch, contracted))
    for image, strides in itertools.product(([2, 9, 8, 3], [None, 9, None, 3], None), ([2, 1], "any")):
        add("XlaConv", *conv_inputs(image, strides), **CONV_WORDS)
        add("XlaConvV2", *conv_inputs(image, strides), preferred_element_type=FLOAT, **CONV_WORDS)


DIAGONALS = [0, 1, -1, -2, [0], [-1, 0], [0, 2], [-1, 1], [1, 1], "scalar", "one", "none"]


def diagonals():
    for shape in ([3], [2, 3], [None, 3], [4, None], [], None, [0, 3], [4, 5], [3, 4, 5], [2, 3, 3], [7, 2, 4]):
        add("MatrixDiag", placeholder(shape))
        add("MatrixDiagPart", placeholder(shape))
        add("MatrixBandPart", placeholder(shape), tf.constant(1), tf.constant(-1))
        for k in DIAGONALS:
            for version in ("V3",) if k else ("V2", "V3"):
                add("MatrixDiagPart" + version, placeholder(shape), axis(k), placeholder([]))
                for sizes in ((-1, -1), (3, -1), (-1, 5)):
                    add("MatrixDiag" + version, placeholder(shape), axis(k), *map(tf.constant, sizes), placeholder([]))
            for diagonal in ([3], [2, 3], [2, 2, 3], [None, 3], None, [7, 2]):
                add("MatrixSetDiagV3", placeholder(shape), placeholder(diagonal), axis(k))
        for diagonal in ([3], [2, 3], [None], None, [4]):
            add("MatrixSetDiag", placeholder(shape), placeholder(diagonal))
            add("MatrixSetDiagV2", placeholder(shape), placeholder(diagonal), axis(0))


MATRICES = [[4, 4], [2, 5, 5], [None, 3, 3], [None, None], [3, None], None, [2, 0, 0], [6, 4], [2, 4, 6], [None, 6, None]]
RIGHTS = [[4, 2], [2, 5, 3], [None, 3, 1], None, [6, 2], [1, 4, 7]]
SQUARE = "Cholesky MatrixInverse MatrixDeterminant LogMatrixDeterminant MatrixLogarithm MatrixSquareRoot Lu RiscCholesky".split()


def decompositions():
    for shape in MATRICES:
        for op in SQUARE:
            add(op, placeholder(shape, type_for(op)))
        add("XlaSelfAdjointEig", placeholder(shape), lower=True, max_iter=10, epsilon=0.1)
        add("XlaSvd", placeholder(shape), max_iter=10, epsilon=0.1, precision_config=b"")
        add("CholeskyGrad", placeholder(shape), placeholder(shape))
        for flag, other in itertools.product((True, False), (True, False)):
            add("SelfAdjointEigV2", placeholder(shape), compute_v=flag)
            add("Eig", placeholder(shape), compute_v=flag, Tout=COMPLEX)
            add("Qr", placeholder(shape), full_matrices=flag)
            add("Svd", placeholder(shape), compute_uv=flag, full_matrices=other)


def solving():
    for a, b in itertools.product(MATRICES, RIGHTS):
        for op in ("MatrixSolve", "MatrixTriangularSolve", "BandedTriangularSolve", "RiscTriangularSolve"):
            add(op, placeholder(a), placeholder(b))
        for fast in (True, False):
            add("MatrixSolveLs", placeholder(a), placeholder(b), tf.constant(0.0, tf.float64), fast=fast)
    for a, b in itertools.product(([3, 4], [2, 3, 5], None, [None, 3, None]), RIGHTS):
        add("TridiagonalSolve", placeholder(a), placeholder(b))
    for a, b in itertools.product(([1, 4], [2, 1, 5], None, [None, 1, None]), RIGHTS):
        add("TridiagonalMatMul", placeholder(a), placeholder(a), placeholder(a), placeholder(b))


# Ops that TensorFlow accepts only from files of its first versions: their inputs, by shape and
# type.
ONE = [([2, 3, 3], FLOAT)]
OLD = {
    "BatchMatrixDiag": [([2, 3], FLOAT)], "BatchMatrixDiagPart": ONE, "BatchCholesky": ONE, "BatchMatrixInverse": ONE,
    "BatchMatrixDeterminant": ONE, "BatchSelfAdjointEig": ONE, "BatchSelfAdjointEigV2": ONE, "BatchSvd": [([2, 3, 4], FLOAT)],
    "SelfAdjointEig": ONE, "MatrixExponential": ONE, "BatchCholeskyGrad": ONE * 2, "BatchMatrixSolve": ONE * 2,
    "BatchMatrixTriangularSolve": ONE * 2, "BatchMatrixSetDiag": ONE + [([2, 3], FLOAT)],
    "BatchMatrixBandPart": ONE + [([], tf.int64)] * 2, "BatchMatrixSolveLs": ONE * 2 + [([], tf.float64)],
    "BatchFFT": [([2, 8], COMPLEX)], "BatchIFFT": [([2, 8], COMPLEX)], "BatchFFT2D": [([2, 8, 4], COMPLEX)],
    "BatchIFFT2D": [([2, 8, 4], COMPLEX)], "BatchFFT3D": [([2, 8, 4, 2], COMPLEX)], "BatchIFFT3D": [([2, 8, 4, 2], COMPLEX)],
}


def old_graph():
    graph = graph_pb2.GraphDef()
    graph.versions.producer = 9
    for op, inputs in OLD.items():
        node = node_def_pb2.NodeDef(name=op, op=op)
        for i, (shape, dtype) in enumerate(inputs):
            source = graph.node.add(name="%s_input_%d" % (op, i), op="Placeholder")
            source.attr["dtype"].type = dtype.as_datatype_enum
            source.attr["shape"].shape.CopyFrom(tf.TensorShape(shape).as_proto())
            node.input.append(source.name)
        if inputs[0][1] is FLOAT:
            node.attr["T"].type = FLOAT.as_datatype_enum
        graph.node.append(node)
    return graph


# Expected counts: float operations and multiply-adds (None: half of them), op, inputs, attributes.
COUNTED = [
    (64, 24, "_FusedMatMul", [[2, 3], [3, 4], [[4]]], {"fused_ops": ["BiasAdd", "Relu"]}),
    (420, None, "BatchMatMulV2", [[2, 3, 5], [2, 3, 7]], {"adj_x": True}),
    (48, None, "MatMul", [[2, None], [3, 4]], {}),  # TensorFlow ignores the second
    (90, 0, "Cross", [[10, 3], [10, 3]], {}),
    (3840, None, "Einsum", [[[2, 5, 4, 8], [2, 6, 4, 8]]], {"equation": "BTNH,BFNH->BNFT"}),
    (2 * 7 * 5 * 24, None, "Einsum", [[[7, 1, 2, 3], [5, 3, 4]]], {"equation": "...ij,...jk->...ik"}),
    (2 * 24, None, "Einsum", [[[2, 3], [4]]], {"equation": "ij,k->i"}),
    (3, 0, "Einsum", [[[4, 4]]], {"equation": "ii->"}), (0, 0, "Einsum", [[[2, 3]]], {"equation": "ij->ji"}),
    (336, None, "XlaDot", [[7, 2, 3], [7, 3, 4]], dot_words([(0, 0)], [(2, 1)])),
    (18000, 0, "Cholesky", [[2, 30, 30]], {}), (36000, 0, "Lu", [[2, 30, 30]], {}),
    (108000, 0, "MatrixInverse", [[2, 30, 30]], {}),
    (2 * (18000 + 2 * 900 * 5), 0, "MatrixSolve", [[2, 30, 30], [2, 30, 5]], {}),
    (7 * 900 * 5, 0, "MatrixTriangularSolve", [[30, 30], [7, 30, 5]], {}),
    (4 * 60 * 900 - 4 * 9000, 0, "Qr", [[60, 30]], {}),
    (2 * 60 * 900 - 2 * 9000 + 4 * 3600 * 30 - 4 * 60 * 900 + 4 * 9000, 0, "Qr", [[60, 30]], {"full_matrices": True}),
    (14 * 60 * 900 + 8 * 27000, 0, "Svd", [[30, 60]], {}), (4 * 60 * 900 - 4 * 9000, 0, "Svd", [[60, 30]], {"compute_uv": False}),
    (9 * 27000, 0, "SelfAdjointEigV2", [[30, 30]], {}), (4 * 9000, 0, "SelfAdjointEigV2", [[30, 30]], {"compute_v": False}),
]


def counted():
    for i, (_, _, op, inputs, attrs) in enumerate(COUNTED):
        sources = [[placeholder(s) for s in x] if x and isinstance(x[0], list) else placeholder(x) for x in inputs]
        assert add(op, *sources, name="counted_%d" % i, **attrs) is not None, REFUSED[-1]
    add("XlaConvV2", *conv_inputs([2, 9, 8, 3], [2, 1]), preferred_element_type=FLOAT, name="convolved", **CONV_WORDS)
    add("MatMul", placeholder([2**31, 2**31]), placeholder([2**31, 2**31]), name="too_many")


def graphs():
    yield from built(matmul, batch_matmul, einsum, xla, diagonals, decompositions, solving, counted)
    yield "old", old_graph()


def counts():
    for i, (flops, macs, *_) in enumerate(COUNTED):
        yield "counted", "counted_%d" % i, flops, flops // 2 if macs is None else macs
    yield "counted", "convolved", 2 * 2 * 5 * 4 * 4 * 27, 2 * 5 * 4 * 4 * 27
