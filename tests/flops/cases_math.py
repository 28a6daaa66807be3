"""Small graphs with every op of src/flops/rules_math.c, _reduce.c, _matrix.c, _contract.c, _linalg.c and _signal.c."""
import itertools

from oracle import tf
from tensorflow.compiler.tf2xla.ops import gen_xla_ops  # noqa: F401  (registers the ops)
from tensorflow.compiler.xla import xla_data_pb2
from tensorflow.core.framework import attr_value_pb2, graph_pb2
from tensorflow.python.framework import op_def_library, op_def_registry

FLOAT, INT, BOOL, COMPLEX = tf.float32, tf.int32, tf.bool, tf.complex64
SHAPES = [[2, 3], [2, None], [None, 3], [], None, [3], [1, 3], [0, 3], [5, 1, 3], [None, None, 3]]
FILLED = [s for s in SHAPES if s != [0, 3]]  # of what is empty the registry counts less than nothing for some reductions
FEW = [([2, 3], [3]), ([None, 1], [4]), (None, [2]), ([], [7]), ([0, 1], [1, 5])]

UNARY = """Abs Neg Inv Reciprocal Square Sqrt Rsqrt Exp Expm1 Log Log1p Sign Floor Ceil Rint Round Sin Cos Tan Asin Acos
    Atan Sinh Cosh Tanh Asinh Acosh Atanh Sigmoid Erf Erfc Erfinv Ndtri Lgamma Digamma BesselI0 BesselI0e BesselI1 BesselI1e
    BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Dawsn Expint FresnelCos FresnelSin Spence
    LogicalNot IsNan IsInf IsFinite Invert PopulationCount ComplexAbs Angle Conj Real Imag RiscAbs RiscNeg RiscSign
    RiscFloor RiscCeil RiscExp RiscLog RiscCos RiscIsFinite RiscLogicalNot RiscReal RiscImag XlaReducePrecision""".split()
GRADIENTS = "InvGrad ReciprocalGrad SqrtGrad RsqrtGrad TanhGrad SigmoidGrad".split()
BINARY = """Add AddV2 Sub Mul RealDiv Maximum Minimum Pow SquaredDifference Div DivNoNan MulNoNan FloorDiv TruncateDiv Mod
    FloorMod TruncateMod NextAfter Xdivy Xlogy Xlog1py Atan2 Igamma Igammac IgammaGradA Zeta Polygamma Greater GreaterEqual
    Less LessEqual Equal NotEqual LogicalAnd LogicalOr BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift Complex RiscLogicalAnd
    RiscLogicalOr""".split()
RISC = "RiscAdd RiscSub RiscMul RiscDiv RiscRem RiscMax RiscMin RiscPow".split()  # these do not broadcast
REFUSED = []  # what TensorFlow says of nodes that it does not take
REDUCTIONS = "Sum Mean Prod Max Min All Any EuclideanNorm".split()


def placeholder(shape, dtype=FLOAT):
    return tf.compat.v1.placeholder(dtype, shape)


def default_of(attr):
    """The default of an attribute, as Python says it."""
    value, kind = attr.default_value, attr.type
    if kind.startswith("list("):
        lists = {"int": value.list.i, "float": value.list.f, "string": value.list.s, "bool": value.list.b}
        return list(lists.get(kind[5:-1], []))
    return {"int": value.i, "float": value.f, "string": value.s, "bool": value.b, "type": value.type}[kind]


def add(op, *inputs, **attrs):
    """Adds a node to the default graph; None when TensorFlow refuses it. A list is an input of several tensors."""
    definition = op_def_registry.get(op)
    words = {arg.name: value for arg, value in zip(definition.input_arg, inputs)}
    derived = {arg.type_attr for arg in definition.input_arg} | {arg.number_attr for arg in definition.input_arg}
    derived |= {arg.type_list_attr for arg in definition.input_arg}
    for attr in definition.attr:
        if attr.name not in derived and attr.HasField("default_value"):
            words[attr.name] = default_of(attr)
    words.update(attrs)
    try:
        made = op_def_library.apply_op(op, name=op.strip("_"), **words)
    except (ValueError, TypeError, IndexError) as wrong:
        REFUSED.append((op, str(wrong)))
        return None
    made = made[0] if isinstance(made, (list, tuple)) else made
    return made if isinstance(made, tf.Tensor) else None


def type_for(op):
    """A type that the first input of an op may have."""
    definition = op_def_registry.get(op)
    arg = definition.input_arg[0]
    if not arg.type_attr:
        return tf.as_dtype(arg.type)
    attr = next(a for a in definition.attr if a.name == arg.type_attr)
    allowed = [tf.as_dtype(t) for t in attr.allowed_values.list.type]
    return next((t for t in (FLOAT, INT, COMPLEX) if t in allowed or not allowed), None) or allowed[0]


class Built:
    """Collects graphs; a graph that fills up is an error of the test when nothing is in it."""

    def __init__(self):
        self.graphs = []

    def graph(self, name):
        graph = tf.Graph()
        self.graphs.append((name, graph))
        return graph.as_default()


def elementwise(built):
    with built.graph("unary"):
        for op, shape in itertools.product(UNARY, SHAPES):
            add(op, placeholder(shape, type_for(op)), exponent_bits=5, mantissa_bits=5) if op == "XlaReducePrecision" else add(
                op, placeholder(shape, type_for(op)))
        for op, shape in itertools.product(GRADIENTS, SHAPES):
            add(op, placeholder(shape), placeholder([2, 3]))
        for op, (a, b) in itertools.product(RISC, (([2, 3], [2, 3]), ([2, None], [2, 3]), (None, [2]), ([2], None))):
            add(op, placeholder(a), placeholder(b))
        for shape in SHAPES:
            add("Cast", placeholder(shape), DstT=INT)
            add("_HostCast", placeholder(shape), DstT=INT)
            add("StochasticCastToInt", placeholder(shape), placeholder([1], tf.uint64), placeholder([2], tf.uint64), placeholder([], INT), Tout=INT)
            add("_UnaryOpsComposition", placeholder(shape), op_names=["Abs", "Sqrt"])
            add("_MklTanh", placeholder(shape), placeholder(None, tf.uint8))
            add("_MklTanhGrad", placeholder(shape), placeholder([2]), placeholder(None, tf.uint8), placeholder(None, tf.uint8))
            add("RiscCast", placeholder(shape), DstT=INT)
            add("RiscUnary", placeholder(shape), op_type="COS")
            add("RiscBinaryArithmetic", placeholder(shape), placeholder([3]), op_type="ADD")
            add("RiscBinaryComparison", placeholder(shape), placeholder([3]), op_type="LT")
            add("ClipByValue", placeholder(shape), placeholder([]), placeholder(None))
            for boundaries in ([], [1.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]):
                add("Bucketize", placeholder(shape), boundaries=boundaries)
    with built.graph("binary"):
        for op, (a, b) in itertools.product(BINARY, FEW):
            add(op, placeholder(a, type_for(op)), placeholder(b, type_for(op)))
        for a, b in itertools.product(SHAPES, SHAPES):
            add("AddV2", placeholder(a), placeholder(b))
            for strict in (True, False):
                add("Equal", placeholder(a), placeholder(b), incompatible_shape_error=strict)
                add("NotEqual", placeholder(b), placeholder(a), incompatible_shape_error=strict)
            add("ApproximateEqual", placeholder(a), placeholder(b))
            add("Cross", placeholder(a), placeholder(b))
    with built.graph("choose"):
        for condition, a, b in itertools.product(SHAPES, SHAPES, ([2, 3], None, [None, 1])):
            add("Select", placeholder(condition, BOOL), placeholder(a), placeholder(b))
            add("SelectV2", placeholder(condition, BOOL), placeholder(a), placeholder(b))
            add("Betainc", placeholder(condition), placeholder(a), placeholder(b))
    with built.graph("sums"):
        for shapes in ([[2, 3]], [[2, None], [None, 3]], [None, [4]], [None, None, None], [[2, 3]] * 5):
            add("AddN", [placeholder(s) for s in shapes])
            add("AccumulateNV2", [placeholder([2, 3]) for s in shapes], shape=[2, 3])


AXES = [0, 1, -1, [0], [-1, 0], [0, 1], [], [2], [0, 0], "scalar", "one", "any", "none"]


def axis(value):
    """A constant, or a placeholder of such a shape."""
    shapes = {"scalar": [], "one": [1], "any": [None], "none": None}
    return placeholder(shapes[value], INT) if isinstance(value, str) else tf.constant(value, INT)


def reductions(built):
    with built.graph("reductions"):
        for op, at, keep in itertools.product(REDUCTIONS, AXES, (False, True)):
            for shape in ([2, 3, 4], [None, 3]) if op != "Sum" else FILLED:
                add(op, placeholder(shape, type_for(op)), axis(at), keep_dims=keep)
        for shape, at in itertools.product(FILLED, AXES):
            for op in ("ArgMax", "ArgMin"):
                add(op, placeholder(shape), axis(at))
            add("RiscReduce", placeholder(shape), axis(at), reduce_type="SUM")
        for op, shape in itertools.product(("Cumsum", "Cumprod", "CumulativeLogsumexp"), SHAPES):
            add(op, placeholder(shape), axis(0))
        reducer = attr_value_pb2.NameAttrList(name="reducer")
        for shape, dims in itertools.product(([2, 3, 4], [None, 3, None], None), ([], [0], [2, 0])):
            words = {"reducer": reducer, "dimensions_to_reduce": dims}
            add("XlaReduce", placeholder(shape), placeholder([]), **words)
            for op, other in itertools.product(("XlaVariadicReduce", "XlaVariadicReduceV2"), ([2, 3, 4], None)):
                add(op, [placeholder(shape), placeholder(other)], [placeholder([])] * 2, **words)
            ones = tf.constant([1, 1, 1])
            add("XlaReduceWindow", placeholder(shape), placeholder([]), tf.constant([1, 2, 2]), ones, ones, ones,
                tf.constant([[0, 0]] * 3), computation=reducer)
        for op, at in itertools.product(("Sum", "ArgMax"), (0, -1)):
            add(op, placeholder([4, None, 5]), tf.constant(at, tf.int64))
    with built.graph("bins"):
        for bins, shape in itertools.product((5, 0, "scalar", "none"), SHAPES):
            add("HistogramFixedWidth", placeholder(shape), placeholder([2]), axis(bins))
            add("Bincount", placeholder(shape, INT), axis(bins), placeholder(shape))
            add("DenseBincount", placeholder(shape, INT), axis(bins), placeholder(None))
        for bins, shape in itertools.product((5, "scalar"), ([4], [4, 6], None)):
            dense = placeholder([2], tf.int64) if shape is None else tf.constant(shape, tf.int64)
            add("SparseBincount", placeholder([7, 2], tf.int64), placeholder([7], INT), dense, axis(bins), placeholder([7]))
            add("RaggedBincount", placeholder([3], tf.int64), placeholder([7], INT), axis(bins), placeholder([7]))


PRODUCTS = [([2, 3], [3, 4]), ([3, 2], [3, 4]), ([2, 3], [4, 3]), ([3, 2], [4, 3]), ([None, 3], [3, 4]), ([2, None], [3, 4]),
            ([2, None], [None, 4]), (None, [3, 4]), ([2, 3], None), (None, None), ([0, 3], [3, 4]), ([5, 5], [5, 5])]
BATCHES = [([], []), ([7], [7]), ([7], [1]), ([6, 1], [8]), ([None], [7]), ([7], []), ([None, 2], [1, None])]


def products(built):
    with built.graph("matmul"):
        for (a, b), ta, tb in itertools.product(PRODUCTS, (False, True), (False, True)):
            for op in ("MatMul", "SparseMatMul", "RiscDot"):
                add(op, placeholder(a), placeholder(b), transpose_a=ta, transpose_b=tb)
            add("_MklMatMul", placeholder(a), placeholder(b), transpose_a=ta, transpose_b=tb)
            bias, words = [placeholder([4])], {"transpose_a": ta, "transpose_b": tb, "fused_ops": ["BiasAdd", "Relu"]}
            add("_FusedMatMul", placeholder(a), placeholder(b), bias, **words)
            add("_MklNativeFusedMatMul", placeholder(a), placeholder(b), bias, **words)
            layouts = [placeholder(None, tf.uint8) for _ in range(3)]
            add("_MklFusedMatMul", placeholder(a), placeholder(b), bias, layouts[0], layouts[1], layouts[2:], **words)
    with built.graph("batch_matmul"):
        for (a, b), (m, n), x, y in itertools.product(PRODUCTS, BATCHES, (False, True), (False, True)):
            a_shape, b_shape = a and m + a, b and n + b
            add("BatchMatMul", placeholder(a_shape), placeholder(b_shape), adj_x=x, adj_y=y)
            add("BatchMatMulV2", placeholder(a_shape), placeholder(b_shape), adj_x=x, adj_y=y)
            if x == y:
                add("_MklBatchMatMul", placeholder(a_shape), placeholder(b_shape), adj_x=x, adj_y=y)
                add("_MklBatchMatMulV2", placeholder(a_shape), placeholder(b_shape), adj_x=x, adj_y=y)
                add("_MklFusedBatchMatMulV2", placeholder(a_shape), placeholder(b_shape), [placeholder([])], adj_x=x, adj_y=y, fused_ops=["Mul"])
            add("BatchMatMulV3", placeholder(a_shape), placeholder(b_shape), adj_x=x, adj_y=y, Tout=FLOAT)


EQUATIONS = {
    "ij->ji": [[[2, 3]], [None], [[None, 3]]], "ii->i": [[[4, 4]], [[4, None]]], "ij->": [[[2, 3]]], "ijk->j": [[[2, 3, 4]]],
    "...ij->...ji": [[[5, 6, 2, 3]], [[2, 3]], [None]], "i...->...": [[[2, 3, 4]], [[2]]],
    "ij,jk->ik": [[[2, 3], [3, 4]], [[None, 3], [None, 4]], [None, [3, 4]]],
    "bij,bjk->bik": [[[7, 2, 3], [7, 3, 4]], [[None, 2, 3], [7, None, 4]]],
    "...ij,...jk->...ik": [[[2, 3], [3, 4]], [[7, 2, 3], [3, 4]], [[7, 1, 2, 3], [5, 3, 4]], [None, [3, 4]], [[None, 2, 3], [1, 3, 4]]],
    "abc,cd->abd": [[[2, 3, 4], [4, 5]], [[None, None, 4], [4, 5]]], "i,j->ij": [[[4], [5]]], "i,i->": [[[6], [6]], [[None], [6]]],
    "ij,ij->ij": [[[2, 3], [2, 3]]], "ij,k->i": [[[2, 3], [4]]], "aab,bc->ac": [[[2, 2, 3], [3, 4]]], "ab,bc->caa": [[[2, 3], [3, 4]]],
    "a...b,b...->a...": [[[2, 5, 3], [3, 5]], [[2, 3], [3]], [[2, 1, 3], [3, 5]]], ",->": [[[], []]], "->": [[[]]], ",i->i": [[[], [3]]],
    "BTNH,BFNH->BNFT": [[[2, 5, 4, 8], [2, 6, 4, 8]], [[None, 5, 4, 8], [None, 6, 4, 8]]],
}


DOTS = [([], [(1, 0)], [([2, 3], [3, 4]), (None, [3, 4]), ([2, None], [3])]), ([], [], [([2], [3, None]), ([], [])]),
        ([(0, 0)], [(2, 1)], [([7, 2, 3], [7, 3, 4]), ([None, 2, 3], [7, None, 4])]),
        ([(0, 0), (1, 1)], [(3, 2)], [([7, 8, 2, 3], [7, 8, 3, 4])]), ([(1, 0)], [(0, 2), (2, 1)], [([3, 7, 2], [7, 2, 3, 5])])]


def contractions(built):
    with built.graph("einsum"):
        for equation, cases in EQUATIONS.items():
            for shapes in cases:
                add("Einsum", [placeholder(s) for s in shapes], equation=equation)
                add("_MklEinsum", [placeholder(s) for s in shapes], equation=equation)
                if len(shapes) == 2:
                    add("XlaEinsum", placeholder(shapes[0]), placeholder(shapes[1]), equation=equation)
    with built.graph("xla"):
        for batch, contract, shapes in DOTS:  # dims that are not there kill TensorFlow
            numbers = xla_data_pb2.DotDimensionNumbers(
                lhs_batch_dimensions=[p[0] for p in batch], rhs_batch_dimensions=[p[1] for p in batch],
                lhs_contracting_dimensions=[p[0] for p in contract], rhs_contracting_dimensions=[p[1] for p in contract])
            for a, b in shapes:
                words = {"dimension_numbers": numbers.SerializeToString(), "precision_config": b""}
                add("XlaDot", placeholder(a), placeholder(b), **words)
                add("XlaDotV2", placeholder(a), placeholder(b), preferred_element_type=FLOAT, **words)
        numbers = xla_data_pb2.ConvolutionDimensionNumbers(
            input_batch_dimension=0, input_feature_dimension=3, input_spatial_dimensions=[1, 2], kernel_input_feature_dimension=2,
            kernel_output_feature_dimension=3, kernel_spatial_dimensions=[0, 1], output_batch_dimension=0,
            output_feature_dimension=3, output_spatial_dimensions=[1, 2]).SerializeToString()
        for image, strides in itertools.product(([2, 9, 8, 3], [None, 9, None, 3], None), (tf.constant([2, 1]), placeholder([2], INT))):
            inputs = [placeholder(image), placeholder([3, 3, 3, 4]), strides, tf.constant([[1, 1], [0, 0]]), tf.constant([1, 1]),
                      tf.constant([1, 2]), tf.constant(1)]
            add("XlaConv", *inputs, dimension_numbers=numbers, precision_config=b"")
            add("XlaConvV2", *inputs, dimension_numbers=numbers, precision_config=b"", preferred_element_type=FLOAT)


DIAGONALS = [0, 1, -1, -2, [0], [-1, 0], [0, 2], [-1, 1], [1, 1], "scalar", "one", "none"]


def diagonals(built):
    with built.graph("diagonals"):
        for shape in ([3], [2, 3], [None, 3], [4, None], [], None, [0, 3], [4, 5], [3, 4, 5], [2, 3, 3], [7, 2, 4]):
            add("MatrixDiag", placeholder(shape))
            add("MatrixDiagPart", placeholder(shape))
            add("MatrixBandPart", placeholder(shape), tf.constant(1), tf.constant(-1))
            for k in DIAGONALS:
                zero = placeholder([])
                for version in ("V3",) if k else ("V2", "V3"):
                    add("MatrixDiagPart" + version, placeholder(shape), axis(k), zero)
                    add("MatrixDiag" + version, placeholder(shape), axis(k), tf.constant(-1), tf.constant(-1), zero)
                    add("MatrixDiag" + version, placeholder(shape), axis(k), tf.constant(3), tf.constant(-1), zero)
                    add("MatrixDiag" + version, placeholder(shape), axis(k), tf.constant(-1), tf.constant(5), zero)
                for diagonal in ([3], [2, 3], [2, 2, 3], [None, 3], None, [7, 2]):
                    add("MatrixSetDiagV3", placeholder(shape), placeholder(diagonal), axis(k))
            for diagonal in ([3], [2, 3], [None], None, [4]):
                add("MatrixSetDiag", placeholder(shape), placeholder(diagonal))
                add("MatrixSetDiagV2", placeholder(shape), placeholder(diagonal), axis(0))


MATRICES = [[4, 4], [2, 5, 5], [None, 3, 3], [None, None], [3, None], None, [2, 0, 0], [6, 4], [2, 4, 6], [None, 6, None]]
RIGHTS = [[4, 2], [2, 5, 3], [None, 3, 1], None, [6, 2], [1, 4, 7]]
SQUARE = """Cholesky MatrixInverse MatrixDeterminant LogMatrixDeterminant MatrixLogarithm MatrixSquareRoot Lu RiscCholesky
    XlaSelfAdjointEig XlaSvd""".split()


def linear_algebra(built):
    with built.graph("decompositions"):
        for shape in MATRICES:
            for op in SQUARE:
                more = {"XlaSelfAdjointEig": {"lower": True}, "XlaSvd": {"precision_config": b""}}.get(op)
                more = dict(more, max_iter=10, epsilon=0.1) if more else {}
                add(op, placeholder(shape, type_for(op)), **more)
            add("CholeskyGrad", placeholder(shape), placeholder(shape))
            for flag, other in itertools.product((True, False), (True, False)):
                add("SelfAdjointEigV2", placeholder(shape), compute_v=flag)
                add("Eig", placeholder(shape), compute_v=flag, Tout=COMPLEX)
                add("Qr", placeholder(shape), full_matrices=flag)
                add("Svd", placeholder(shape), compute_uv=flag, full_matrices=other)
    with built.graph("solving"):
        for a, b in itertools.product(MATRICES, RIGHTS):
            for op in ("MatrixSolve", "MatrixTriangularSolve", "BandedTriangularSolve", "RiscTriangularSolve"):
                add(op, placeholder(a), placeholder(b))
            for fast in (True, False):
                add("MatrixSolveLs", placeholder(a), placeholder(b), tf.constant(0.0, tf.float64), fast=fast)
        for a, b in itertools.product(([3, 4], [2, 3, 5], None, [None, 3, None]), RIGHTS):
            add("TridiagonalSolve", placeholder(a), placeholder(b))
        for a, b in itertools.product(([1, 4], [2, 1, 5], None, [None, 1, None]), RIGHTS):
            add("TridiagonalMatMul", placeholder(a), placeholder(a), placeholder(a), placeholder(b))


def signals(built):
    with built.graph("fft"):
        for dims, shape in itertools.product((1, 2, 3), ([8], [2, 16], [3, 4, 8], [5, 2, 4, 16], [None, 3, 4, 6], [4, None], None, [0, 8])):
            name = {1: "", 2: "2D", 3: "3D"}[dims]
            add("FFT" + name, placeholder(shape, COMPLEX))
            add("IFFT" + name, placeholder(shape, COMPLEX))
            for length in (tf.constant([16, 8, 4][:dims]), tf.constant([5, 6, 7][:dims]), placeholder([dims], INT), placeholder(None, INT)):
                add("RFFT" + name, placeholder(shape), length)
                add("IRFFT" + name, placeholder(shape, COMPLEX), length)
            for axes in ([-1], [0], [0, 1]):
                length = tf.constant([8, 4][:len(axes)])
                for op in ("FFTND", "IFFTND", "RFFTND", "IRFFTND"):
                    add(op, placeholder(shape, FLOAT if op == "RFFTND" else COMPLEX), length, tf.constant(axes))
        for shape in SHAPES:
            add("RiscFft", placeholder(shape, COMPLEX))
    with built.graph("sound"):
        for samples, channels in itertools.product((-1, 0, 100), (-1, 2)):
            add("DecodeWav", placeholder([], tf.string), desired_samples=samples, desired_channels=channels)
        add("EncodeWav", placeholder([100, 2]), placeholder([], INT))
        for shape, window, stride in itertools.product(([1000, 2], [None, 2], [10, 2], None), (2, 25, 32), (1, 10)):
            add("AudioSpectrogram", placeholder(shape), window_size=window, stride=stride)
        for shape in ([2, 98, 257], [None, 98, None], None):
            add("Mfcc", placeholder(shape), placeholder([], INT), dct_coefficient_count=12)


OLD = {"BatchMatrixDiag": ([2, 3], FLOAT), "BatchMatrixDiagPart": ([2, 3, 4], FLOAT), "BatchCholesky": ([2, 3, 3], FLOAT),
       "BatchMatrixInverse": ([2, 3, 3], FLOAT), "BatchMatrixDeterminant": ([2, 3, 3], FLOAT), "BatchSelfAdjointEig": ([2, 3, 3], FLOAT),
       "BatchSelfAdjointEigV2": ([2, 3, 3], FLOAT), "BatchSvd": ([2, 3, 4], FLOAT), "SelfAdjointEig": ([2, 3, 3], FLOAT),
       "BatchFFT": ([2, 8], None), "BatchIFFT": ([2, 8], None), "BatchFFT2D": ([2, 8, 4], None), "BatchIFFT2D": ([2, 8, 4], None),
       "BatchFFT3D": ([2, 8, 4, 2], None), "BatchIFFT3D": ([2, 8, 4, 2], None), "BatchCholeskyGrad": ([2, 3, 3], FLOAT, FLOAT),
       "BatchMatrixBandPart": ([2, 3, 3], FLOAT, tf.int64, tf.int64), "BatchMatrixSetDiag": ([2, 3, 3], FLOAT, FLOAT),
       "BatchMatrixSolve": ([2, 3, 3], FLOAT, FLOAT), "BatchMatrixTriangularSolve": ([2, 3, 3], FLOAT, FLOAT),
       "BatchMatrixSolveLs": ([2, 3, 3], FLOAT, FLOAT, tf.float64), "MatrixExponential": ([2, 3, 3], FLOAT)}


def old_graph():
    """Ops that TensorFlow takes from files of its first versions only."""
    graph = graph_pb2.GraphDef()
    graph.versions.producer = 9
    for op, (shape, *types) in OLD.items():
        sources = []
        for i, dtype in enumerate(types):
            source = graph.node.add(name="in_%s_%d" % (op, i), op="Placeholder")
            source.attr["dtype"].type = (dtype or COMPLEX).as_datatype_enum
            alike = dtype is None or dtype == FLOAT and op != "BatchMatrixSetDiag" or i == 0
            source.attr["shape"].shape.CopyFrom(tf.TensorShape(shape if alike else shape[:2] if dtype == FLOAT else []).as_proto())
            sources.append(source.name)
        node = graph.node.add(name=op, op=op, input=sources)
        if types[0]:
            node.attr["T"].type = types[0].as_datatype_enum
    return graph


def counted_graph():
    """Nodes with names, whose counts counts() tells."""
    with tf.Graph().as_default() as graph:
        def named(name, made):
            names[name] = made.op.name
        names = {}
        x = placeholder([2, 3, 4])
        for op in ("Exp", "Tanh", "Sigmoid", "Rsqrt"):
            named(op, add(op, x))
        named("TanhGrad", add("TanhGrad", x, x))
        named("RsqrtGrad", add("RsqrtGrad", x, x))
        named("Cast", add("Cast", placeholder(None), DstT=INT))
        named("Bucketize", add("Bucketize", x, boundaries=[1.0, 2.0, 3.0, 4.0]))
        named("Max", add("Max", x, axis([0, 2])))
        named("ProdNothing", add("Prod", placeholder([0, 3]), axis(0)))
        named("EuclideanNorm", add("EuclideanNorm", x, axis(1)))
        named("FusedMatMul", add("_FusedMatMul", placeholder([2, 3]), placeholder([3, 4]), [placeholder([4])], fused_ops=["BiasAdd", "Relu"]))
        named("AdjX", add("BatchMatMulV2", placeholder([2, 3, 5]), placeholder([2, 3, 7]), adj_x=True))
        named("HalfKnown", add("MatMul", placeholder([2, None]), placeholder([3, 4])))
        with tf.control_dependencies([x, placeholder([])]):
            named("AddN", add("AddN", [x, x, x]))
        named("Attention", add("Einsum", [placeholder([2, 5, 4, 8]), placeholder([2, 6, 4, 8])], equation="BTNH,BFNH->BNFT"))
        named("Wide", add("Einsum", [placeholder([7, 1, 2, 3]), placeholder([5, 3, 4])], equation="...ij,...jk->...ik"))
        named("Trace", add("Einsum", [placeholder([4, 4])], equation="ii->"))
        named("Huge", add("MatMul", placeholder([2**31, 2**31]), placeholder([2**31, 2**31])))
        dot = xla_data_pb2.DotDimensionNumbers(lhs_batch_dimensions=[0], rhs_batch_dimensions=[0], lhs_contracting_dimensions=[2],
                                               rhs_contracting_dimensions=[1]).SerializeToString()
        named("XlaDot", add("XlaDot", placeholder([7, 2, 3]), placeholder([7, 3, 4]), dimension_numbers=dot, precision_config=b""))
        numbers = xla_data_pb2.ConvolutionDimensionNumbers(
            input_feature_dimension=3, input_spatial_dimensions=[1, 2], kernel_input_feature_dimension=2, kernel_output_feature_dimension=3,
            kernel_spatial_dimensions=[0, 1], output_feature_dimension=3, output_spatial_dimensions=[1, 2]).SerializeToString()
        named("XlaConv", add("XlaConvV2", placeholder([2, 9, 8, 3]), placeholder([3, 3, 3, 4]), tf.constant([2, 1]), tf.constant([[1, 1], [0, 0]]),
                             tf.constant([1, 1]), tf.constant([1, 2]), tf.constant(1), dimension_numbers=numbers, precision_config=b"",
                             preferred_element_type=FLOAT))
        named("Cholesky", add("Cholesky", placeholder([2, 30, 30])))
        named("Solve", add("MatrixSolve", placeholder([2, 30, 30]), placeholder([2, 30, 5])))
        named("Qr", add("Qr", placeholder([60, 30])))
        named("Svd", add("Svd", placeholder([60, 30])))
        named("Fft", add("FFT2D", placeholder([3, 16, 8], COMPLEX)))
        named("Rfft", add("RFFT", placeholder([3, 100]), tf.constant([128])))
        named("RfftOpen", add("RFFT", placeholder([3, 100]), placeholder([1], INT)))
    return graph, names


COUNTED, NAMES = counted_graph()
COUNTS = {
    "Exp": (24, 0), "Tanh": (24, 0), "Sigmoid": (96, 0), "Rsqrt": (48, 0), "TanhGrad": (72, 0), "RsqrtGrad": (96, 0), "Cast": (0, 0),
    "Bucketize": (72, 0), "Max": (21, 0), "ProdNothing": (0, 0), "EuclideanNorm": (48, 0), "FusedMatMul": (48 + 16, 24),
    "AdjX": (420, 210), "HalfKnown": (48, 24), "AddN": (48, 0), "Attention": (3840, 1920), "Wide": (2 * 840, 7 * 5 * 2 * 3 * 4),
    "Trace": (3, 0), "XlaDot": (336, 168), "XlaConv": (2 * 2 * 5 * 4 * 4 * 27, 2 * 5 * 4 * 4 * 27),
    "Cholesky": (2 * 9000, 0), "Solve": (2 * 18000 + 2 * 2 * 900 * 5, 0), "Qr": (2 * (2 * 60 * 900 - 2 * 27000 // 3), 0),
    "Svd": (14 * 60 * 900 + 8 * 27000, 0), "Fft": (3 * 5 * 128 * 7, 0), "Rfft": (3 * 5 * 128 * 7 // 2, 0),
}


def graphs():
    built = Built()
    for family in (elementwise, reductions, products, contractions, diagonals, linear_algebra, signals):
        family(built)
    yield from built.graphs
    yield "old", old_graph()
    yield "counted", COUNTED


def counts():
    for name, (flops, macs) in COUNTS.items():
        yield "counted", NAMES[name], flops, macs
