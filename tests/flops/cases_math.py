# SPDX-License-Identifier: Apache-2.0
"""Small graphs with every op of src/flops/rules_math.c, _reduce.c and _signal.c."""
import itertools

from making import BOOL, COMPLEX, FILLED, FLOAT, INT, REFUSED, SHAPES, add, axis, built, placeholder, type_for  # noqa: F401
from oracle import tf
from tensorflow.compiler.tf2xla.ops import gen_xla_ops  # noqa: F401  (registers the ops)
from tensorflow.core.framework import attr_value_pb2

PAIRS = [([2, 3], [3]), ([None, 1], [4]), (None, [2]), ([], [7]), ([0, 1], [1, 5])]

UNARY = """Abs Neg Inv Reciprocal Square Sqrt Rsqrt Exp Expm1 Log Log1p Sign Floor Ceil Rint Round Sin Cos Tan Asin Acos
    Atan Sinh Cosh Tanh Asinh Acosh Atanh Sigmoid Erf Erfc Erfinv Ndtri Lgamma Digamma BesselI0 BesselI0e BesselI1 BesselI1e
    BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Dawsn Expint FresnelCos FresnelSin Spence
    LogicalNot IsNan IsInf IsFinite Invert PopulationCount ComplexAbs Angle Conj Real Imag RiscAbs RiscNeg RiscSign
    RiscFloor RiscCeil RiscExp RiscLog RiscCos RiscIsFinite RiscLogicalNot RiscReal RiscImag""".split()
GRADIENTS = "InvGrad ReciprocalGrad SqrtGrad RsqrtGrad TanhGrad SigmoidGrad".split()
BINARY = """Add AddV2 Sub Mul RealDiv Maximum Minimum Pow SquaredDifference Div DivNoNan MulNoNan FloorDiv TruncateDiv Mod
    FloorMod TruncateMod NextAfter Xdivy Xlogy Xlog1py Atan2 Igamma Igammac IgammaGradA Zeta Polygamma Greater GreaterEqual
    Less LessEqual Equal NotEqual LogicalAnd LogicalOr BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift Complex RiscLogicalAnd
    RiscLogicalOr""".split()
RISC = "RiscAdd RiscSub RiscMul RiscDiv RiscRem RiscMax RiscMin RiscPow".split()  # these ops do not broadcast
REDUCTIONS = "Sum Mean Prod Max Min All Any EuclideanNorm".split()
AXES = [0, 1, -1, [0], [-1, 0], [0, 1], [], [2], [0, 0], "scalar", "one", "any", "none"]


def unary():
    for op, shape in itertools.product(UNARY, SHAPES):
        add(op, placeholder(shape, type_for(op)))
    for op, shape in itertools.product(GRADIENTS, SHAPES):
        add(op, placeholder(shape), placeholder([2, 3]))
    for shape in SHAPES:
        layout = placeholder(None, tf.uint8)
        for op in ("Cast", "_HostCast", "RiscCast"):
            add(op, placeholder(shape), DstT=INT)
        add("StochasticCastToInt", placeholder(shape), placeholder([1], tf.uint64), placeholder([2], tf.uint64),
            placeholder([], INT), Tout=INT)
        add("XlaReducePrecision", placeholder(shape), exponent_bits=5, mantissa_bits=5)
        add("_UnaryOpsComposition", placeholder(shape), op_names=["Abs", "Sqrt"])
        add("RiscUnary", placeholder(shape), op_type="COS")
        add("_MklTanh", placeholder(shape), layout)
        add("_MklTanhGrad", placeholder(shape), placeholder([2]), layout, layout)
        add("ClipByValue", placeholder(shape), placeholder([]), placeholder(None))
        for boundaries in ([], [1.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]):
            add("Bucketize", placeholder(shape), boundaries=boundaries)


def binary():
    for op, (a, b) in itertools.product(BINARY, PAIRS):
        add(op, placeholder(a, type_for(op)), placeholder(b, type_for(op)))
    for op, (a, b) in itertools.product(RISC, (([2, 3], [2, 3]), ([2, None], [2, 3]), (None, [2]), ([2], None))):
        add(op, placeholder(a), placeholder(b))
    for a, b in itertools.product(SHAPES, SHAPES):
        add("AddV2", placeholder(a), placeholder(b))
        for strict in (True, False):
            add("Equal", placeholder(a), placeholder(b), incompatible_shape_error=strict)
            add("NotEqual", placeholder(b), placeholder(a), incompatible_shape_error=strict)
        add("ApproximateEqual", placeholder(a), placeholder(b))
        add("RiscBinaryArithmetic", placeholder(a), placeholder(b), op_type="ADD")
        add("RiscBinaryComparison", placeholder(a), placeholder(b), op_type="LT")
        add("Cross", placeholder(a), placeholder(b))


def choices():
    for condition, a, b in itertools.product(SHAPES, SHAPES, ([2, 3], None, [None, 1])):
        add("Select", placeholder(condition, BOOL), placeholder(a), placeholder(b))
        add("SelectV2", placeholder(condition, BOOL), placeholder(a), placeholder(b))
        add("Betainc", placeholder(condition), placeholder(a), placeholder(b))


def sums():
    for shapes in ([[2, 3]], [[2, None], [None, 3]], [None, [4]], [None, None, None], [[2, 3]] * 5):
        add("AddN", [placeholder(s) for s in shapes])
        add("AccumulateNV2", [placeholder([2, 3]) for s in shapes], shape=[2, 3])


def reductions():
    for op, at, keep in itertools.product(REDUCTIONS, AXES, (False, True)):
        for shape in FILLED if op == "Sum" else ([2, 3, 4], [None, 3]):
            add(op, placeholder(shape, type_for(op)), axis(at), keep_dims=keep)
    for shape, at in itertools.product(FILLED, AXES):
        for op in ("ArgMax", "ArgMin"):
            add(op, placeholder(shape), axis(at))
        add("RiscReduce", placeholder(shape), axis(at), reduce_type="SUM")
    for op, shape in itertools.product(("Cumsum", "Cumprod", "CumulativeLogsumexp"), SHAPES):
        add(op, placeholder(shape), axis(0))
    for op, at in itertools.product(("Sum", "ArgMax"), (0, -1)):
        add(op, placeholder([4, None, 5]), tf.constant(at, tf.int64))


def xla_reductions():
    reducer, ones = attr_value_pb2.NameAttrList(name="reducer"), tf.constant([1, 1, 1])
    for shape, dims in itertools.product(([2, 3, 4], [None, 3, None], None), ([], [0], [2, 0])):
        words = {"reducer": reducer, "dimensions_to_reduce": dims}
        add("XlaReduce", placeholder(shape), placeholder([]), **words)
        for op, other in itertools.product(("XlaVariadicReduce", "XlaVariadicReduceV2"), ([2, 3, 4], None)):
            add(op, [placeholder(shape), placeholder(other)], [placeholder([])] * 2, **words)
        add("XlaReduceWindow", placeholder(shape), placeholder([]), tf.constant([1, 2, 2]), ones, ones, ones,
            tf.constant([[0, 0]] * 3), computation=reducer)


def bins():
    for count, shape in itertools.product((5, 0, "scalar", "none"), SHAPES):
        add("HistogramFixedWidth", placeholder(shape), placeholder([2]), axis(count))
        add("Bincount", placeholder(shape, INT), axis(count), placeholder(shape))
        if not (shape == [] and count in ("scalar", "none")):  # a vector, although TensorFlow infers a scalar
            add("DenseBincount", placeholder(shape, INT), axis(count), placeholder(None))


TRANSFORMED = [[8], [2, 16], [3, 4, 8], [5, 2, 4, 16], [None, 3, 4, 6], [4, None], None, [0, 8]]


def transforms():
    for dims, shape in itertools.product((1, 2, 3), TRANSFORMED):
        name = {1: "", 2: "2D", 3: "3D"}[dims]
        add("FFT" + name, placeholder(shape, COMPLEX))
        add("IFFT" + name, placeholder(shape, COMPLEX))
        for length in ([16, 8, 4], [5, 6, 7], [0, 0, 0]):
            add("RFFT" + name, placeholder(shape), tf.constant(length[:dims]))
            add("IRFFT" + name, placeholder(shape, COMPLEX), tf.constant(length[:dims]))
        for length in ([dims], None):
            add("RFFT" + name, placeholder(shape), placeholder(length, INT))
            add("IRFFT" + name, placeholder(shape, COMPLEX), placeholder(length, INT))
    for shape, axes in itertools.product(TRANSFORMED, ([-1], [0], [0, 1])):
        for op in ("FFTND", "IFFTND", "RFFTND", "IRFFTND"):
            source = placeholder(shape, FLOAT if op == "RFFTND" else COMPLEX)
            add(op, source, tf.constant([8, 4][:len(axes)]), tf.constant(axes))
    for shape in SHAPES:
        add("RiscFft", placeholder(shape, COMPLEX))


def sound():
    for samples, channels in itertools.product((-1, 0, 100), (-1, 2)):
        add("DecodeWav", placeholder([], tf.string), desired_samples=samples, desired_channels=channels)
    add("EncodeWav", placeholder([100, 2]), placeholder([], INT))
    for shape, window, stride in itertools.product(([1000, 2], [None, 2], [10, 2], None), (2, 25, 32), (1, 10)):
        add("AudioSpectrogram", placeholder(shape), window_size=window, stride=stride)
    for shape in ([2, 98, 257], [None, 98, None], None):
        add("Mfcc", placeholder(shape), placeholder([], INT), dct_coefficient_count=12)


# Expected counts: float operations, op, inputs, attributes. The node's name is its index.
COUNTED = [
    (24, "Exp", [[2, 3, 4]], {}), (24, "Tanh", [[2, 3, 4]], {}), (96, "Sigmoid", [[2, 3, 4]], {}),
    (48, "Rsqrt", [[2, 3, 4]], {}), (72, "TanhGrad", [[2, 3, 4], [2, 3, 4]], {}), (96, "RsqrtGrad", [[2, 3, 4], [2, 3, 4]], {}),
    (0, "Cast", [None], {"DstT": INT}), (12, "Maximum", [[4, 1], [3]], {}), (24, "SquaredDifference", [[4, 1], [3]], {}),
    (48, "Bucketize", [[24]], {"boundaries": [1.0, 2.0, 3.0]}), (72, "Bucketize", [[24]], {"boundaries": [1.0, 2.0, 3.0, 4.0]}),
    (21, "Max", [[2, 3, 4], (0, 2)], {}), (0, "Prod", [[0, 3], (0,)], {}), (48, "EuclideanNorm", [[2, 3, 4], (1,)], {}),
    (3 * 5 * 128 * 7, "FFT2D", [[3, 16, 8]], {}), (3 * 5 * 128 * 7 // 2, "RFFT", [[3, 100], (128,)], {}),
    (3 * 5 * 64 * 6 // 2, "IRFFT", [[3, 33], (64,)], {}), (6 * 5 * 32 * 5, "FFTND", [[4, 6, 8], (4, 8), (0, -1)], {}),
    (4 * (7 + 5 * 8 * 3 // 2 + 5 * 4), "AudioSpectrogram", [[9, 2]], {"window_size": 7, "stride": 2}),
]


def counted():
    for i, (_, op, inputs, attrs) in enumerate(COUNTED):
        sources = [tf.constant(x) if isinstance(x, tuple) else placeholder(x, type_for(op)) for x in inputs]
        assert add(op, *sources, name="counted_%d" % i, **attrs) is not None, REFUSED[-1]
    with tf.control_dependencies([placeholder([2]), placeholder([])]):  # there are no addends
        add("AddN", [placeholder([2, 3])] * 3, name="added")


def graphs():
    return built(unary, binary, choices, sums, reductions, xla_reductions, bins, transforms, sound, counted)


def counts():
    for i, row in enumerate(COUNTED):
        yield "counted", "counted_%d" % i, row[0], 0
    yield "counted", "added", 12, 0
