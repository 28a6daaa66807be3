# SPDX-License-Identifier: Apache-2.0
"""Small graphs with every op of src/flops/rules_conv.c, _pool.c, _norm.c, _nn.c, _rnn.c and _quantized.c."""
import itertools

from making import placeholder as ask
from oracle import tf
from cases_math import REFUSED, add
from tensorflow.core.framework import graph_pb2
from tensorflow.python.framework import op_def_registry

F, I, L, Q, S8, S32 = tf.float32, tf.int32, tf.int64, tf.quint8, tf.qint8, tf.qint32
U = None
MADE = {}  # op -> nodes that TensorFlow took


def node(op, *inputs, **attrs):
    before = len(REFUSED)
    made = add(op, *inputs, **attrs)
    MADE[op] = MADE.get(op, 0) + (len(REFUSED) == before)
    return made


def range_of(shape=()):
    """Lows and highs."""
    return ask(shape), ask(shape)


# ---- convolutions ----

IMAGES = {"NHWC": [[2, 19, 17, 6], [U, 19, 17, 6], [2, U, 17, U], [U, U, U, U], U],
          "NCHW": [[2, 6, 19, 17], [U, 6, 19, 17], [2, U, U, 17], U]}
FILTERS = [[3, 2, 6, 4], [3, 2, 3, 4], [U, 2, 6, U], [5, 5, U, 4], U, [1, 1, 6, 0]]
WINDOWS = [  # rows, columns: strides, dilations, padding, explicit before and after
    ((1, 1), (1, 1), "VALID", ()), ((2, 3), (1, 1), "VALID", ()), ((2, 3), (1, 1), "SAME", ()), ((1, 1), (2, 3), "VALID", ()),
    ((3, 1), (2, 1), "SAME", ()), ((1, 2), (2, 1), "EXPLICIT", (1, 2, 0, 3)), ((1, 1), (1, 1), "EXPLICIT", (0, 0, 4, 0)),
    ((40, 1), (1, 1), "SAME", ()),
]


def around(form, pair, edge=1):
    """A list for each dimension, from the two of the image."""
    edges = [edge] * (len(pair) // 2)
    pair = list(pair)
    return edges + edges + pair if form.startswith("NC") else edges + pair + edges


def window(form, strides, dilations, padding, pads):
    words = dict(strides=around(form, strides), padding=padding, data_format=form)
    words["dilations"] = around(form, dilations)
    if pads:
        words["explicit_paddings"] = around(form, pads, 0)
    return words


def convolutions():
    for form, shapes in IMAGES.items():
        for image, filters, how in itertools.product(shapes, FILTERS, WINDOWS):
            words = window(form, *how)
            node("Conv2D", ask(image), ask(filters), **words)
            node("DepthwiseConv2dNative", ask(image), ask(filters), **words)
            node("_FusedConv2D", ask(image), ask(filters), [ask([4])], [], num_args=1, fused_ops=["BiasAdd", "Relu"],
                 **words)
            words.pop("explicit_paddings", None)
            if how[2] != "EXPLICIT":
                node("_FusedDepthwiseConv2dNative", ask(image), ask(filters), [ask([24])], fused_ops=["BiasAdd"],
                     **words)
    for stride, dilation in ((1, 1), (2, 1), (1, 2)):
        words = window("NCHW", (stride, stride), (dilation, dilation), "SAME", ())
        node("_FusedConv2D", ask([2, 6, 19, 17]), ask([4, 6, 3, 2]), [], [], filter_format="OIHW", num_args=0, **words)
        words["data_format"] = "NCHW_VECT_C"
        node("_FusedConv2D", ask([2, 3, 19, 17, 4], S8), ask([8, 3, 3, 2, 4], S8), [], [], filter_format="OIHW_VECT_I",
             num_args=0, **words)


def any_convolutions():
    """The op Conv."""
    for form, image in (("CHANNELS_LAST", [2, 19, 17, 6]), ("CHANNELS_FIRST", [2, 6, 19, 17])):
        short = "NC" if form == "CHANNELS_FIRST" else "N"
        for (strides, dilations, padding, pads), filters in itertools.product(WINDOWS, FILTERS):
            words = dict(strides=around(short, strides), dilations=around(short, dilations), padding=padding, data_format=form)
            if pads:
                words["explicit_paddings"] = around(short, pads, 0)
            groups = 2 if filters and filters[2] == 3 else 1
            node("Conv", ask(image), ask(filters), groups=groups, **words)
            node("Conv", ask([5] + image), ask(filters), groups=groups, batch_dims=2, **words)
            node("Conv", ask(image[1:]), ask(filters), groups=groups, batch_dims=0, **words)
            node("Conv", ask(U), ask(filters), groups=groups, **words)
    for image in ([2, 9, 8, 7, 3], [2, U, 8, 7, 3], [U, U, U, U, U]):
        node("Conv", ask(image), ask([3, 2, 1, 3, 4]), strides=[1, 1, 2, 1, 1], padding="SAME")
        node("Conv", ask(image), ask([3, 2, 1, 3, 4]), strides=[1] * 5, padding="VALID", dilations=[1, 2, 3, 1, 1])


def volumes():
    images = {"NDHWC": [[2, 19, 17, 15, 6], [U, U, 17, 15, 6], U], "NCDHW": [[2, 6, 19, 17, 15], [U, 6, U, 17, 15], U]}
    hows = [((1, 1, 1), (1, 1, 1), "VALID"), ((2, 3, 1), (1, 1, 1), "SAME"), ((1, 1, 1), (1, 2, 3), "VALID"),
            ((1, 2, 3), (3, 2, 1), "VALID")]
    for form, shapes in images.items():
        short = "NC" if form == "NCDHW" else "N"
        for image, filters, (strides, dilations, padding) in itertools.product(
                shapes, ([3, 2, 1, 6, 4], [1, 2, 3, 3, 2], [U, U, 1, 6, U], U), hows):
            def full(three):
                return [1, 1] + list(three) if short == "NC" else [1] + list(three) + [1]
            words = dict(strides=full(strides), dilations=full(dilations), padding=padding, data_format=form)
            node("Conv3D", ask(image), ask(filters), **words)
            node("_FusedConv3D", ask(image), ask(filters), [ask([4])], fused_ops=["BiasAdd"], **words)
            pools = dict(strides=full(strides), ksize=full((2, 3, 1)), padding=padding, data_format=form)
            node("AvgPool3D", ask(image), **pools)
            node("MaxPool3D", ask(image), **pools)
            node("MaxPool3DGrad", ask(image), ask(), ask(), **pools)
            node("MaxPool3DGradGrad", ask(image), ask(), ask(image), **pools)
            for sizes in (tf.constant([2, 19, 17, 15, 6]), ask([5], I), ask([U], I)):
                node("AvgPool3DGrad", sizes, ask(), **pools)
    for sizes in (tf.constant([2, 9, 8, 7, 6]), ask([5], I), tf.stack([ask([], I), 9, 8, 7, 6]), ask([5], L), ask(U, I)):
        words = dict(strides=[1] * 5, padding="VALID")
        node("Conv3DBackpropInputV2", sizes, ask([3, 2, 1, 6, 4]), ask([2, 7, 7, 7, 4]), **words)
        if sizes.dtype == I:
            node("Conv3DBackpropFilterV2", ask([2, 9, 8, 7, 6]), sizes, ask([2, 7, 7, 7, 4]), **words)


def gradients():
    shapes = [tf.TensorShape(s) for s in ([2, 19, 17, 6], [U, U, 17, 6], U)]
    known = [lambda: tf.constant([2, 19, 17, 6]), lambda: ask([4], I), lambda: ask([U], I), lambda: ask(U, I),
             lambda: tf.stack([ask([], I), 19, 17, 6]), lambda: tf.shape(ask([U, 19, 17, 6])), lambda: tf.constant([19, 17]),
             lambda: ask([2], I), lambda: tf.stack([ask([], I), 17])]
    for sizes, how, filters, form in itertools.product(known, WINDOWS[:7], ([3, 2, 6, 4], U), ("NHWC", "NCHW")):
        words = window(form, *how)
        grad = [2, 9, 8, 4] if form == "NHWC" else [2, 4, 9, 8]
        node("Conv2DBackpropInput", sizes(), ask(filters), ask(grad), **words)
        node("Conv2DBackpropInput", sizes(), ask(filters), ask(), **words)
        node("DepthwiseConv2dNativeBackpropInput", sizes(), ask(filters), ask(grad), **words)
    for image, how in itertools.product(shapes, WINDOWS[:7]):
        words = window("NHWC", *how)
        for sizes in (tf.constant([3, 2, 6, 4]), ask([4], I), ask([U], I), tf.stack([3, 2, ask([], I), 4])):
            node("Conv2DBackpropFilter", ask(image), sizes, ask([2, 9, 8, 4]), **words)
            node("DepthwiseConv2dNativeBackpropFilter", ask(image), sizes, ask([2, 9, 8, 24]), **words)
        for filters in ([3, 2, 6, 4], [U, 2, U, 4], U):
            node("Conv2DBackpropInputV2", ask(image), ask(filters), ask([2, 9, 8, 4]), **words)
            node("Conv2DBackpropFilterV2", ask(image), ask(filters), ask([2, 9, 8, 4]), **words)
    for sizes in (tf.constant([3, 2, 6, 4]), tf.constant([5, 5, 6, 1])):
        node("Conv2DBackpropFilter", ask([2, 6, 19, 17]), sizes, ask([2, 4, 9, 8]), **window("NCHW", *WINDOWS[1]))


def dilations():
    for image, filters, rates, padding in itertools.product(
            ([2, 19, 17, 6], [U, 19, 17, 6], [2, U, 17, 6], U), ([3, 2, 6], [3, U, 6], U), ((1, 1), (2, 3)), ("SAME", "VALID")):
        words = dict(strides=[1, 2, 3, 1], rates=[1, *rates, 1], padding=padding)
        node("Dilation2D", ask(image), ask(filters), **words)
        node("Dilation2DBackpropInput", ask(image), ask(filters), ask([2, 9, 5, 6]), **words)
        node("Dilation2DBackpropFilter", ask(image), ask(filters), ask([2, 9, 5, 6]), **words)
    paddings = [[0, 0], [1, 2], [3, 4], [0, 0]], ask([4, 2], I)
    for pads, image in itertools.product(paddings, ([2, 19, 17, 6], [U, U, 17, 6], U)):
        words = dict(mode="REFLECT", strides=[1, 2, 1, 1])
        for padding in ("SAME", "VALID"):
            node("FusedPadConv2D", ask(image), pads, ask([3, 2, 6, 4]), padding=padding, **words)
            for size in ([30, 40], ask([2], I), tf.stack([30, ask([], I)])):
                node("FusedResizeAndPadConv2D", ask(image), size, pads, ask([3, 2, 6, 4]), padding=padding, **words)
    node("RiscConv", ask([2, 9, 9, 3]), ask([3, 3, 3, 4]), strides=[1] * 4)
    node("RiscPool", ask([2, 9, 9, 3]), ksize=[1, 2, 2, 1], strides=[1] * 4, pooling_type="AVG")


# ---- pools ----

def pools():
    for form, shapes in IMAGES.items():
        for image, how, size in itertools.product(shapes, WINDOWS, ((2, 2), (3, 1), (1, 4))):
            words = window(form, *how)
            words.pop("dilations")
            words["ksize"] = around(form, size)
            node("MaxPool", ask(image), **words)
            node("MaxPoolGrad", ask(image), ask([2, 9, 8, 6]), ask([2, 9, 8, 6]), **words)
            if how[2] == "EXPLICIT":
                continue
            node("AvgPool", ask(image), **words)
            node("MaxPoolGradGrad", ask(image), ask(), ask(image), **words)
            node("MaxPoolGradGrad", ask(image), ask(), ask([2, 19, 17, 6]), **words)
            pair = [words.pop("ksize"), words.pop("strides")]
            for values in (pair, [ask([4], I), pair[1]], [pair[0], ask([4], I)], [ask(U, I), ask(U, I)]):
                node("MaxPoolV2", ask(image), *values, **words)
                node("MaxPoolGradV2", ask(image), ask([2, 9, 8, 6]), ask(), *values, **words)
                node("MaxPoolGradGradV2", ask(image), ask(), ask(image), *values, **words)
    for image, padding in itertools.product(IMAGES["NHWC"], ("SAME", "VALID")):
        words = dict(ksize=[1, 3, 2, 1], strides=[1, 2, 3, 1], padding=padding)
        node("MaxPoolWithArgmax", ask(image), **words)
        node("MaxPoolGradWithArgmax", ask(image), ask(), ask(U, L), **words)
        node("MaxPoolGradGradWithArgmax", ask(image), ask(image), ask(U, L), **words)
        words = dict(ksize=[1, 1, 1, 3], strides=[1, 1, 1, 3], padding=padding)
        node("MaxPool", ask(image), **words)
    for sizes in (tf.constant([2, 19, 17, 6]), ask([4], I), ask([U], I), ask(U, I), tf.stack([ask([], I), 19, 17, 6])):
        for form in ("NHWC", "NCHW"):
            node("AvgPoolGrad", sizes, ask([2, 9, 8, 6]), ksize=around(form, (3, 2)), strides=around(form, (2, 2)),
                 padding="SAME",
                 data_format=form)
    for image, step in itertools.product(([2, 3, 19, 17, 4], [U, 3, U, 17, U], U), (1, 2)):
        node("MaxPool", ask(image, S8), ksize=[1, 1, 2, 2], strides=[1, 1, step, 2], padding="SAME",
             data_format="NCHW_VECT_C")
    fractional()


def fractional():
    ratios = ([1.0, 1.44, 1.73, 1.0], [1.0, 1.0, 2.0, 1.0], [1.0, 1.1, 3.3333, 1.0])
    for image, ratio in itertools.product(([2, 19, 17, 6], [U, 1000003, 7, 6], [2, U, 17, 6], U), ratios):
        node("FractionalAvgPool", ask(image), pooling_ratio=ratio)
        node("FractionalMaxPool", ask(image), pooling_ratio=ratio)
    rows, columns = ask([5], L), ask([6], L)
    for sizes in (tf.constant([2, 19, 17, 6], L), ask([4], L), ask(U, L)):
        node("FractionalAvgPoolGrad", sizes, ask([2, 4, 5, 6]), rows, columns)
    for image in ([2, 19, 17, 6], [U, 19, U, 6], U):
        node("FractionalMaxPoolGrad", ask(image), ask([2, 4, 5, 6]), ask([2, 4, 5, 6]), rows, columns)


# ---- norms ----

def norms():
    images = {"NHWC": [[2, 3, 4, 8], [U, 3, U, U], U], "NCHW": [[2, 8, 3, 4], [U, U, 3, U], U],
              "NDHWC": [[2, 3, 4, 5, 8], U], "NCDHW": [[2, 8, 3, 4, 5], U]}
    for form, shapes in images.items():
        for image, channels, version in itertools.product(shapes, ([8], [U], U), ("", "V2", "V3")):
            four = [ask(channels) for _ in range(4)]
            for words in (dict(), dict(is_training=False), dict(exponential_avg_factor=0.5)):
                node("FusedBatchNorm" + version, ask(image), *four, data_format=form, **words)
            for words in (dict(), dict(is_training=False)):
                rest = [ask(channels)] * 3 + ([ask()] if version == "V3" else [])
                node("FusedBatchNormGrad" + version, ask(image), ask(), *rest, data_format=form, **words)
                node("FusedBatchNormGrad" + version, ask(), ask(image), *rest, data_format=form, **words)
    for image, channels in itertools.product(([2, 3, 4, 8], [U, 3, U, U], U), ([8], U)):
        four = [ask(channels) for _ in range(4)]
        node("_FusedBatchNormEx", ask(image), *four, [ask(image)], activation_mode="Relu")
        node("_FusedBatchNormGradEx", ask(image), ask(), *four[:3], ask(), four[3], ask(), num_side_inputs=1,
             activation_mode="Relu")
        node("LRN", ask(image), depth_radius=2)
        node("LRNGrad", ask(), ask(image), ask([2, 3, U, U]), depth_radius=2)
    for shape in ([2, U, 8], [2, 3, 4, 8], U):
        node("_MklLayerNorm", ask(shape), ask([8]), ask([8]))
        node("_MklFusedInstanceNorm", ask(shape), ask([8]), ask([8]), fused_ops=[], reduction_axes=[1])
    for shape in ([2, 3, U, 8], U):
        node("QuantizedInstanceNorm", ask(shape, Q), *range_of())
        pairs = [x for _ in range(4) for x in (ask([8], Q), *range_of())]
        node("QuantizedBatchNormWithGlobalNormalization", ask(shape, Q), *range_of(), *pairs, out_type=S32,
             variance_epsilon=0.1,
             scale_after_normalization=True)


# ---- activations, losses, the largest few ----

SHAPES = [[2, 5], [2, U], [U, 5], U, [3, 2, 5], [U, U, U], [5, 7, 3, 4]]
SAME = "Relu Relu6 LeakyRelu Elu Selu Softplus Softsign".split()


def activations():
    for op, shape in itertools.product(SAME + ["Softmax", "LogSoftmax", "L2Loss", "_MklSwish", "_MklFusedMish"], SHAPES + [[]]):
        node(op, ask(shape))
    for op, (a, b) in itertools.product([s + "Grad" for s in SAME], itertools.product(SHAPES, SHAPES)):
        node(op, ask(a), ask(b))
    for shape, form, bias in itertools.product(SHAPES, ("NHWC", "NCHW"), ([5], [2], [7], [U], U)):
        node("BiasAdd", ask(shape), ask(bias), data_format=form)
        node("BiasAddGrad", ask(shape), data_format=form)
        node("BiasAddV1", ask(shape), ask(bias))
        node("QuantizedBiasAdd", ask(shape, Q), ask(bias, Q), *range_of(), *range_of(), out_type=S32)


def losses():
    for a, b in itertools.product(SHAPES + [[1, 5], [2, 1], [5]], repeat=2):
        node("SoftmaxCrossEntropyWithLogits", ask(a), ask(b))
    for a, b in itertools.product(SHAPES, ([2], [U], U, [3])):
        node("SparseSoftmaxCrossEntropyWithLogits", ask(a), ask(b, I))
        node("InTopK", ask(a), ask(b, I), k=2)
        node("InTopKV2", ask(a), ask(b, I), ask([], I))
    for frames, labels, lengths in itertools.product(([9, 3, 7], [9, U, 7], U), (6, U), ([3], U)):
        for op in ("CTCLoss", "CTCLossV2"):
            node(op, ask(frames), ask([labels, 2], L), ask([labels], I), ask(lengths, I))
        node("CTCGreedyDecoder", ask(frames), ask(lengths, I))
        node("CTCBeamSearchDecoder", ask(frames), ask(lengths, I), beam_width=4, top_paths=2)


def the_largest():
    for shape in SHAPES + [[9], [1000]]:
        for k in (3, 0, ask([], I), tf.shape(ask([2, U]))[0], tf.constant(2, tf.int64)):
            node("TopKV2", ask(shape), k)
        for n in (3, ask([], I)):
            node("NthElement", ask(shape), n)
        node("TopKUnique", ask(shape), k=2)
        node("TopKWithUnique", ask(shape), k=2)
        node("IsotonicRegression", ask(shape))
    sizes, recalls = (100, 1000, 1300, 100000, 2**20, 5000011), (0.5, 0.95, 0.999, 1.0)
    for n, k, recall, gather in itertools.product(sizes, (1, 2, 10, 90), recalls, (True, False)):
        for shape, axis in (([n], -1), ([2, n], 1), ([n, U], 0)):
            node("ApproxTopK", ask(shape), k=k, reduction_dimension=axis, recall_target=recall,
                 aggregate_to_topk=gather)
            node("ApproxTopK", ask(shape), k=k, reduction_dimension=axis, recall_target=recall,
                 aggregate_to_topk=gather,
                 reduction_input_size_override=4 * n)
    for shape in ([4, 2], [U, 2], [4, U], U):
        for kind in "LogUniform Uniform LearnedUnigram ThreadUnsafeUnigram FixedUnigram".split():
            words = dict(vocab_file="", unigrams=[0.5] * 50) if kind == "FixedUnigram" else {}
            node(kind + "CandidateSampler", ask(shape, L), num_true=2, num_sampled=7, unique=True, range_max=50,
                 **words)
        node("AllCandidateSampler", ask(shape, L), num_true=2, num_sampled=7, unique=True)
        node("ComputeAccidentalHits", ask(shape, L), ask([7], L), num_true=2)


# ---- recurrent layers ----

def recurrent():
    for x, state, w in itertools.product(([2, 3], [U, 3], U), ([2, 5], [2, U], U), ([8, 10], U)):
        rest = [ask() for _ in range(5)]
        node("LSTMBlockCell", ask(x), ask(state), ask(state), *rest)
        node("LSTMBlockCellGrad", ask(x), ask(state), ask(state), *rest, *[ask() for _ in range(8)], use_peephole=True)
        node("GRUBlockCell", ask(x), ask(state), ask(w), *rest[:3])
        node("GRUBlockCellGrad", ask(x), ask(state), ask(w), *rest[:3], *[ask() for _ in range(4)])
    for x, bias in itertools.product(([7, 2, 3], [7, U, U], U), ([20], [U], U)):
        ins = [ask([], L), ask(x), ask([2, 5]), ask([2, U]), ask([8, 20]), ask([5]), ask([6]), ask(), ask(bias)]
        for op in ("BlockLSTM", "BlockLSTMV2"):
            node(op, *ins)
        for op in ("BlockLSTMGrad", "BlockLSTMGradV2"):
            node(op, *ins, *[ask() for _ in range(9)], use_peephole=False)
    for x, h, mode, direction in itertools.product(([7, 2, 3], [7, U, U], U), ([2, 2, 5], [U, 2, U], U),
                                                   ("lstm", "gru", "rnn_relu"), ("unidirectional", "bidirectional")):
        words = dict(rnn_mode=mode, direction=direction)
        c = [2, 2, 6] if mode == "lstm" else h
        rest = [ask() for _ in range(7)]
        host = ask(U, tf.int8)
        node("CudnnRNN", ask(x), ask(h), ask(h), ask([U]), **words)
        node("CudnnRNNV2", ask(x), ask(h), ask(h), ask([U]), **words)
        node("CudnnRNNV3", ask(x), ask(h), ask(c), ask([U]), ask([2], I), **words)
        node("CudnnRNNV3", ask(x), ask(h), ask(c), ask([U]), ask([2], I), time_major=False, num_proj=5, **words)
        node("CudnnRNNBackprop", ask(x), ask(h), ask(c), ask([99]), *rest, **words)
        node("CudnnRNNBackpropV2", ask(x), ask(h), ask(c), ask([99]), *rest, host, **words)
        node("CudnnRNNBackpropV3", ask(x), ask(h), ask(c), ask([99]), ask([2], I), *rest, host, **words)
    node("CudnnRNNParamsSize", 1, 2, 3, T=F, S=I)
    node("CudnnRNNParamsToCanonical", 1, 2, 3, ask([U]), num_params=3)
    node("CudnnRNNParamsToCanonicalV2", 1, 2, 3, ask([U]), num_params_weights=3, num_params_biases=2)
    node("CudnnRNNCanonicalToParams", 1, 2, 3, [ask([2, 2])] * 2, [ask([2])] * 2)
    node("CudnnRNNCanonicalToParamsV2", 1, 2, 3, [ask([2, 2])] * 2, [ask([2])])


# ---- quantized ----

QUANTIZED = """Conv2D Conv2DPerChannel Conv2DAndRelu Conv2DAndRequantize Conv2DAndReluAndRequantize Conv2DWithBias
    Conv2DWithBiasAndRelu Conv2DWithBiasAndRequantize Conv2DWithBiasAndReluAndRequantize Conv2DWithBiasSumAndRelu
    Conv2DWithBiasSumAndReluAndRequantize Conv2DWithBiasSignedSumAndReluAndRequantize DepthwiseConv2D DepthwiseConv2DWithBias
    DepthwiseConv2DWithBiasAndRelu DepthwiseConv2DWithBiasAndReluAndRequantize""".split()
PRODUCTS = "WithBias WithBiasAndRelu WithBiasAndRequantize WithBiasAndReluAndRequantize WithBiasAndDequantize".split()


def quantized_conv(op, image, filters, of_filter, **words):
    definition = op_def_registry.get(op)
    inputs = []
    for arg in definition.input_arg:
        dtype = {"input": Q, "filter": S8}.get(arg.name, F)
        if arg.name == "summand" and arg.type_attr:
            dtype = Q
        shape = {"input": image, "filter": filters, "bias": [4], "min_filter": of_filter, "max_filter": of_filter,
                 "summand": U}.get(arg.name, [])
        inputs.append(ask(shape, dtype))
    return node(op, *inputs, strides=[1, 2, 3, 1], **words)


def quantized():
    for prefix, op in itertools.product(("Quantized", "_MklQuantized"), QUANTIZED):
        attrs = [a.name for a in op_def_registry.get(prefix + op).attr]
        for image, filters, of_filter, padding in itertools.product(
                ([2, 19, 17, 6], [U, U, 17, 6], U), ([3, 2, 6, 4], U), ([], [4], U), ("SAME", "VALID")):
            quantized_conv(prefix + op, image, filters, of_filter, padding=padding)
            if "padding_list" in attrs:
                quantized_conv(prefix + op, image, filters, of_filter, padding=padding, padding_list=[0, 0, 1, 2, 3, 4, 0, 0])
    for of_filter, fused in itertools.product(([8], U, []), (["BiasAdd"], ["BiasAdd", "Relu"], ["BiasAdd", "Requantize"])):
        for op, filters in (("_FusedQuantizedConv2D", [3, 2, 6, 8]), ("_FusedQuantizedDepthwiseConv2D", [3, 2, 6, 4])):
            out = S8 if "Requantize" in fused else S32
            host = [*range_of(), *range_of(of_filter)] + (list(range_of()) if "Requantize" in fused else [])
            node(op, [ask([2, 19, 17, 6], Q), ask(filters, S8), ask([8])], host, Tdevice_outputs=[out],
                 Thost_outputs=[F, F],
                 Tinput=Q, Tfilter=S8, Tbias=F, Tsummand=S32, out_type=out, strides=[1] * 4, padding="VALID", fused_ops=fused)
    quantized_products()
    quantized_elements()
    quantized_ranges()


def quantized_products():
    for a, b, left, right in itertools.product(([2, 3], [3, 2], [2, U], U), ([3, 4], [4, 3], U), (False, True), (False, True)):
        words = dict(transpose_a=left, transpose_b=right)
        node("QuantizedMatMul", ask(a, Q), ask(b, S8), *range_of(), *range_of(), **words)
        for prefix, op in itertools.product(("QuantizedMatMul", "_MklQuantizedMatMul"), PRODUCTS):
            more = dict(words, Toutput=F) if op.endswith("Dequantize") else words
            rest = range_of() if op.endswith("quantize") else ()
            node(prefix + op, ask(a, Q), ask(b, S8), ask([4]), *range_of(), *range_of(), *rest, **more)
        node("_QuantizedMatMul", [ask(a, Q), ask(b, S8)], [*range_of(), *range_of()], Tdevice_outputs=[S32],
             Thost_outputs=[F, F],
             T1=Q, T2=S8, Tbias=F, U=S32, Tout=S32, **words)
    limits = {"%s_quantization_%s_val" % (side, which): n
              for side in ("lhs", "rhs", "output") for which, n in (("min", -128), ("max", 127))}
    right = {k: v for k, v in limits.items() if k.startswith("rhs")}
    zero, zeros = ask([], I), ask([4], I)
    for a, b in itertools.product(([2, 3], [2, U], U), ([3, 4], [U, 4], U)):
        node("UniformQuantizedDot", ask(a, S8), ask(b, S8), ask([]), zero, ask([4]), zeros, ask([]), zero, Tout=S32,
             **limits)
        node("UniformQuantizedDotHybrid", ask(a), ask(b, S8), ask([4]), zeros, Tout=F, **right)
    for words in (dict(padding="VALID"), dict(padding="SAME", window_strides=[2, 3]),
                  dict(padding="VALID", feature_group_count=2),
                  dict(padding="EXPLICIT", explicit_padding=[1, 2, 3, 4], window_strides=[2, 3]),
                  dict(padding="VALID", lhs_dilation=[2, 3], rhs_dilation=[1, 2]), dict(padding="VALID", batch_group_count=2),
                  dict(padding="SAME", dimension_numbers=nhwc())):
        for image, kernel in itertools.product(([4, 3, 19, 17], [4, 6, 19, 17], [4, 19, 17, 3], [4, 3, U, 17], U),
                                               ([4, 3, 3, 2], [3, 2, 3, 4], [U, 3, 3, 2], U)):
            node("UniformQuantizedConvolution", ask(image, S8), ask(kernel, S8), ask([]), zero, ask([]), zero, ask([]),
                 zero, Tout=S32,
                 **limits, **words)
            node("UniformQuantizedConvolutionHybrid", ask(image), ask(kernel, S8), ask([]), zero, Tout=F, **right,
                 **words)


def nhwc():
    """Input and output NHWC, kernel HWIO: UniformQuantizedConvolutionDimensionNumbersAttr."""
    numbers = [(1, 0), (2, 3), (3, 1), (3, 2), (4, 2), (5, 3), (6, 0), (6, 1), (7, 0), (8, 3), (9, 1), (9, 2)]
    return b"".join(bytes([field << 3, value]) for field, value in numbers)


def quantized_elements():
    for a, b in itertools.product(SHAPES + [[5], []], repeat=2):
        for op in ("QuantizedAdd", "QuantizedMul"):
            node(op, ask(a, Q), ask(b, Q), *range_of(), *range_of())
        node("UniformQuantizedAdd", ask(a, S32), ask(b, S32), ask([]), ask([], I), ask([]), ask([], I), ask([]),
             ask([], I),
             lhs_quantization_min_val=0, lhs_quantization_max_val=1, rhs_quantization_min_val=0, rhs_quantization_max_val=1,
             output_quantization_min_val=0, output_quantization_max_val=1)
    for shape in SHAPES:
        for op in ("QuantizedRelu", "QuantizedRelu6"):
            node(op, ask(shape, Q), *range_of())
        node("QuantizedReluX", ask(shape, Q), ask([]), *range_of())
        for target in ([3, -1], [-1], ask([3], I), ask(U, I)):
            node("QuantizedReshape", ask(shape, Q), target, *range_of())
        for other in SHAPES:
            parts, ranges = [ask(shape, Q), ask(other, Q)], [[ask([])] * 2, [ask([])] * 2]
            for axis in (1, -1, ask([], I)):
                node("QuantizedConcat", axis, parts, *ranges)
                node("QuantizedConcatV2", parts, axis, *ranges)
        for size in ([5, 6], ask([2], I)):
            node("QuantizedResizeBilinear", ask(shape, Q), size, *range_of())
        limits = dict(quantization_min_val=-128, quantization_max_val=127)
        node("UniformQuantize", ask(shape), ask([]), ask([], I), Tout=S8, **limits)
        node("UniformDequantize", ask(shape, S8), ask([]), ask([], I), Tout=F, **limits)
        node("UniformRequantize", ask(shape, S8), ask([]), ask([], I), ask([]), ask([], I), Tout=S32,
             input_quantization_min_val=0,
             input_quantization_max_val=1, output_quantization_min_val=0, output_quantization_max_val=1)
        node("UniformQuantizedClipByValue", ask(shape, S32), ask([], S32), ask([], S32), ask([]), ask([], I), **limits)
    for image, padding in itertools.product(([2, 19, 17, 6], [U, U, 17, 6], U), ("SAME", "VALID")):
        words = dict(ksize=[1, 3, 2, 1], strides=[1, 2, 3, 1], padding=padding)
        for op in ("QuantizedAvgPool", "QuantizedMaxPool", "_MklQuantizedAvgPool", "_MklQuantizedMaxPool"):
            node(op, ask(image, Q), *range_of(), **words)
        volume = image and image[:1] + [9] + image[1:]
        node("_QuantizedMaxPool3D", ask(volume, Q), *range_of(), ksize=[1, 2, 3, 2, 1], strides=[1, 2, 3, 1, 1],
             padding=padding)


def quantized_ranges():
    pairs = [([], []), ([5], U), (U, [5]), ([2], [2]), (U, U), ([5], [2]), ([U], [])]
    for shape, (low, high) in itertools.product(SHAPES, pairs):
        for axis in (-1, 0, 1, 2):
            pair = ask(low), ask(high)
            for op in ("QuantizeV2", "_MklQuantizeV2"):
                node(op, ask(shape), *pair, T=Q, axis=axis)
            node("Dequantize", ask(shape, Q), *pair, axis=axis)
            for op in ("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4"):
                node(op, ask(shape), *pair, axis=axis)
            node("QuantizeAndDequantizeV3", ask(shape), *pair, 8, axis=axis)
            node("QuantizeAndDequantizeV4Grad", ask(shape), ask([U, 5]), *pair, axis=axis)
        pair = ask(low), ask(high)
        node("_MklDequantize", ask(shape, Q), *pair)
        node("FakeQuantWithMinMaxVars", ask(shape), *pair)
        node("FakeQuantWithMinMaxVarsGradient", ask(shape), ask([U, 5]), *pair)
        node("FakeQuantWithMinMaxVarsPerChannel", ask(shape), *pair)
        node("FakeQuantWithMinMaxVarsPerChannelGradient", ask(shape), ask(), *pair)
        for op, out in (("Requantize", Q), ("RequantizePerChannel", Q)):
            node(op, ask(shape, S32), *pair, *range_of(), out_type=out)
        node("QuantizeDownAndShrinkRange", ask(shape, S32), *pair, out_type=Q)
        node("RequantizationRange", ask(shape, S32), *pair)
        node("RequantizationRangePerChannel", ask(shape, S32), *pair, clip_value_max=1.0)
    for shape in SHAPES:
        node("FakeQuantWithMinMaxArgs", ask(shape))
        node("FakeQuantWithMinMaxArgsGradient", ask(shape), ask())


# ---- oneDNN's forms ----

def onednn():
    """_MklNative… has the inputs of the plain op, some with a workspace; _Mkl… one more behind them for each."""
    image, filters = [2, 19, 17, 6], [3, 2, 6, 4]
    window_words = dict(strides=[1, 2, 3, 1], padding="SAME")
    volume_words = dict(strides=[1, 2, 3, 1, 1], padding="SAME")
    sizes, filter_sizes = [2, 19, 17, 6], [3, 2, 6, 4]
    pool = dict(window_words, ksize=[1, 3, 2, 1])
    cases = [("Conv2D", [image, filters], window_words), ("Conv2DWithBias", [image, filters, [4]], window_words),
             ("PadWithConv2D", [image, filters, (I, [4, 2])], window_words),
             ("DepthwiseConv2dNative", [image, filters], window_words),
             ("Conv2DBackpropInput", [sizes, filters, [2, 10, 6, 4]], window_words),
             ("Conv2DBackpropFilter", [image, filter_sizes, [2, 10, 6, 4]], window_words),
             ("Conv2DBackpropFilterWithBias", [image, filter_sizes, [2, 10, 6, 4]], window_words),
             ("DepthwiseConv2dNativeBackpropInput", [sizes, filters, [2, 10, 6, 24]], window_words),
             ("DepthwiseConv2dNativeBackpropFilter", [image, filter_sizes, [2, 10, 6, 24]], window_words),
             ("Conv3D", [[2, 9, 8, 7, 6], [3, 2, 1, 6, 4]], volume_words),
             ("Conv3DBackpropInputV2", [[2, 9, 8, 7, 6], [3, 2, 1, 6, 4], [2, 5, 3, 7, 4]], volume_words),
             ("Conv3DBackpropFilterV2", [[2, 9, 8, 7, 6], [3, 2, 1, 6, 4], [2, 5, 3, 7, 4]], volume_words),
             ("AvgPool", [image], pool), ("MaxPool", [image], pool), ("AvgPoolGrad", [sizes, [2, 10, 6, 6]], pool),
             ("MaxPoolGrad", [image, [2, 10, 6, 6], [2, 10, 6, 6], (tf.uint8, U)], pool),
             ("AvgPool3D", [[2, 9, 8, 7, 6]], dict(volume_words, ksize=[1, 2, 2, 2, 1])),
             ("MaxPool3D", [[2, 9, 8, 7, 6]], dict(volume_words, ksize=[1, 2, 2, 2, 1])),
             ("AvgPool3DGrad", [[2, 9, 8, 7, 6], [2, 5, 3, 7, 6]], dict(volume_words, ksize=[1, 2, 2, 2, 1])),
             ("MaxPool3DGrad", [[2, 9, 8, 7, 6], [2, 5, 3, 7, 6], [2, 5, 3, 7, 6], (tf.uint8, U)],
              dict(volume_words, ksize=[1, 2, 2, 2, 1]))]
    for version in ("", "V2", "V3"):
        cases.append(("FusedBatchNorm" + version, [image, [6], [6], [6], [6]], {}))
        cases.append(("FusedBatchNormGrad" + version, [image, image, [6], [6], [6]] + [[U]] * (version == "V3"), {}))
    for op, shapes, words in cases:
        onednn_pair(op, shapes, words)
    for op in ("Relu", "Relu6", "LeakyRelu", "Elu"):
        node("_Mkl" + op, ask(image), ask(U, tf.uint8))
        node("_Mkl" + op + "Grad", ask([2, U, U, 6]), ask([U, 19, U, 6]), ask(U, tf.uint8), ask(U, tf.uint8))
    node("_MklSoftmax", ask(image), ask(U, tf.uint8))
    onednn_fused(image, filters, window_words)


def onednn_pair(op, shapes, words):
    definition = op_def_registry.get("_MklNative" + op)
    inputs = []
    for arg, shape in zip(definition.input_arg, shapes):
        if isinstance(shape, tuple):
            inputs.append(ask(shape[1], shape[0]))
        elif "sizes" in arg.name or arg.name == "orig_input_shape":
            inputs.append(tf.constant(shape))
        else:
            inputs.append(ask(shape))
    node("_MklNative" + op, *inputs, **words)
    node("_Mkl" + op, *inputs, *[ask(U, tf.uint8) for _ in inputs], **words)


def onednn_fused(image, filters, words):
    extra, args = ask(U, tf.uint8), [ask([4])]
    fused = dict(fused_ops=["BiasAdd", "Relu"], **words)
    node("_MklNativeFusedConv2D", ask(image), ask(filters), args, [], num_args=1, **fused)
    node("_MklFusedConv2D", ask(image), ask(filters), args, extra, extra, [extra], **fused)
    node("_MklNativeFusedDepthwiseConv2dNative", ask(image), ask(filters), args, **fused)
    node("_MklFusedDepthwiseConv2dNative", ask(image), ask(filters), args, extra, extra, [extra], **fused)
    node("_MklNativePadWithFusedConv2D", ask(image), ask(filters), args, ask([4, 2], I), **fused)
    node("_MklPadWithFusedConv2D", ask(image), ask(filters), args, ask([4, 2], I), extra, extra, [extra], extra,
         **fused)
    node("__MklDummyPadWithFusedConv2D", ask(image), ask(filters), args, ask([4, 2], I), **fused)
    node("__MklDummyPadWithConv2D", ask(image), ask(filters), ask([4, 2], I), **words)
    node("__MklDummyConv2DWithBias", ask(image), ask(filters), ask([4]), **words)
    node("__MklDummyConv2DBackpropFilterWithBias", ask(image), tf.constant(filters), ask([2, 10, 6, 4]), **words)
    node("_MklNativeFusedConv3D", ask([2, 9, 8, 7, 6]), ask([3, 2, 1, 6, 4]), args, strides=[1] * 5, padding="SAME",
         fused_ops=["BiasAdd"])
    for op in ("_MklNativeFusedBatchNormEx", "_MklFusedBatchNormEx"):
        more = [] if "Native" in op else [extra] * 5 + [[]]
        node(op, ask(image), *[ask([6]) for _ in range(4)], [], *more, activation_mode="Relu")
    ranges = [ask([]) for _ in range(4)]
    # TensorFlow's rule takes the first input for the axis: it passes only what it knows nothing of
    node("_MklQuantizedConcatV2", [ask(U, Q), ask(U, Q)], 1, ranges[:2], ranges[2:])


# ---- ops that TensorFlow takes from old files only ----

def old(op, producer, inputs, outputs_type="T", **attrs):
    """A GraphDef as an old version wrote it: `inputs` are shapes."""
    graph = graph_pb2.GraphDef()
    graph.versions.producer = producer
    row = graph.node.add(op=op, name="old")
    row.attr[outputs_type].type = F.as_datatype_enum
    for i, shape in enumerate(inputs):
        one = graph.node.add(op="Placeholder", name="in%d" % i)
        one.attr["dtype"].type = F.as_datatype_enum
        one.attr["shape"].shape.CopyFrom(tf.TensorShape(shape).as_proto())
        row.input.append(one.name)
    for name, value in attrs.items():
        if isinstance(value, list):
            row.attr[name].list.i.extend(value)
        elif isinstance(value, bool):
            row.attr[name].b = value
        elif isinstance(value, float):
            row.attr[name].f = value
        elif isinstance(value, int):
            row.attr[name].i = value
        else:
            row.attr[name].s = value.encode()
    MADE[op] = MADE.get(op, 0) + 1
    return graph


def old_graphs():
    volume = dict(strides=[1] * 5, padding="VALID")
    yield "old volume input", old("Conv3DBackpropInput", 9, [[2, 9, 8, 7, 6], [3, 2, 1, 6, 4], [2, 7, 7, 7, 4]], **volume)
    yield "old volume filter", old("Conv3DBackpropFilter", 9, [[2, 9, 8, U, 6], [3, U, 1, 6, 4], U], **volume)
    norm = dict(variance_epsilon=0.1, scale_after_normalization=True)
    yield "old norm", old("BatchNormWithGlobalNormalization", 8, [[2, 3, U, U], [8], U, [U], [8]], **norm)
    yield "old norm grad", old("BatchNormWithGlobalNormalizationGrad", 8, [[2, 3, U, U], [8], U, [U], [2, U, 4, 8]], **norm)
    yield "old top", old("TopK", 6, [[2, U]], k=3)
    yield "old quantize", old("QuantizeAndDequantize", 21, [[2, U]], num_bits=8)


# ---- counts ----

COUNTED = []  # (node, float_ops, macs)


def count(op, flops, macs, *inputs, **attrs):
    """In the graph of counts: one node, and what it costs."""
    made = node(op, *inputs, **attrs)
    COUNTED.append((made.op.name, flops, macs))


def counted():
    """Worked out by hand: of ops that TensorFlow's registry has no formula for, and of forms where it gives none."""
    image, filters, out = [2, 9, 9, 6], [3, 2, 6, 4], 2 * 7 * 8 * 4
    plain = dict(strides=[1] * 4, padding="VALID")
    macs = out * 3 * 2 * 6
    count("Conv2D", 2 * macs, macs, ask(image), ask(filters), **plain)
    count("Conv2D", macs, macs // 2, ask(image), ask([3, 2, 3, 4]), **plain)
    count("Conv", 2 * macs, macs, ask(image), ask(filters), **plain)
    count("Conv2D", 2 * macs, macs, ask([2, 6, 9, 9]), ask(filters), data_format="NCHW", **plain)
    count("_FusedConv2D", 2 * macs + 2 * out, macs, ask(image), ask(filters), [ask([4])], [], num_args=1,
          fused_ops=["BiasAdd", "Relu"], **plain)
    count("Conv3D", 2 * 2 * 7 * 8 * 9 * 4 * 36, 2 * 7 * 8 * 9 * 4 * 36, ask([2, 9, 9, 9, 6]), ask([3, 2, 1, 6, 4]),
          strides=[1] * 5, padding="VALID")
    count("Conv2DBackpropInputV2", 2 * macs, macs, ask(image), ask(filters), ask([2, 7, 8, 4]), **plain)
    count("Conv2DBackpropFilterV2", 2 * macs, macs, ask(image), ask(filters), ask([2, 7, 8, 4]), **plain)
    registered = 2 * 2 * 9 * 9 * 6 * (3 * 2 * 6 * 4) // 6
    count("Conv2DBackpropInput", registered, registered // 2, image, ask(filters), ask([2, 7, 8, 4]), **plain)
    count("Conv2DBackpropInput", registered, registered // 2, [2, 6, 9, 9], ask(filters), ask([2, 4, 7, 8]),
          data_format="NCHW", **plain)
    count("Conv2DBackpropFilter", 2 * 294 * 648 // 24, 294 * 648 // 24, ask([1, 7, 7, 6]), [3, 3, 6, 12],
          ask([1, 3, 3, 12]), strides=[1, 2, 2, 1], padding="VALID")
    count("DepthwiseConv2dNativeBackpropInput", 2 * 2 * 7 * 8 * 24 * 6, 2 * 7 * 8 * 24 * 6, image, ask(filters),
          ask([2, 7, 8, 24]), **plain)
    count("DepthwiseConv2dNativeBackpropFilter", 2 * 2 * 7 * 8 * 24 * 6, 2 * 7 * 8 * 24 * 6, ask(image), filters,
          ask([2, 7, 8, 24]), **plain)
    count("Conv3DBackpropInputV2", 2 * 2 * 7 * 8 * 9 * 4 * 36, None, [2, 9, 9, 9, 6], ask([3, 2, 1, 6, 4]),
          ask([2, 7, 8, 9, 4]), strides=[1] * 5, padding="VALID")
    count("FusedResizeAndPadConv2D", 2 * (2 * 11 * 12 * 4 * 36 + 4 * 2 * 8 * 9 * 6), None, ask(image), [8, 9],
          [[0, 0], [2, 3], [4, 0], [0, 0]],
          ask(filters), mode="REFLECT", **plain)
    count("Dilation2D", 2 * 2 * 7 * 8 * 6 * 6, 0, ask(image), ask([3, 2, 6]), rates=[1] * 4, **plain)
    pool = dict(strides=[1] * 4, padding="VALID", data_format="NCHW", ksize=[1, 1, 3, 2])
    count("AvgPool", 6 * 2 * 6 * 7 * 8, 0, ask([2, 6, 9, 9]), **pool)
    count("MaxPoolGrad", 7 * 2 * 6 * 7 * 8, 0, ask([2, 6, 9, 9]), ask([2, 6, 7, 8]), ask([2, 6, 7, 8]), **pool)
    count("MaxPoolV2", 6 * 2 * 7 * 8 * 6, 0, ask(image), [1, 3, 2, 1], [1, 1, 1, 1], padding="VALID")
    count("FusedBatchNormV3", 6 * 972, 0, ask(image), *[ask([6]) for _ in range(4)])
    count("FusedBatchNormV3", 2 * 972, 0, ask(image), *[ask([6]) for _ in range(4)], is_training=False)
    count("FusedBatchNormGradV3", 9 * 972, 0, ask(image), ask(image), *[ask([6]) for _ in range(4)])
    count("LRN", 972 * (2 * 2 + 5), 0, ask(image), depth_radius=2)
    count("SoftmaxCrossEntropyWithLogits", 9 * 20, 0, ask([4, 5]), ask([4, 5]))
    count("BiasAddGrad", 972 - 6, 0, ask(image))
    cell = 2 * (3 + 5) * 4 * 5
    count("LSTMBlockCell", 2 * cell + 25 * 10, cell, ask([2, 3]), ask([2, 5]), *[ask() for _ in range(6)])
    count("BlockLSTMV2", 7 * (2 * cell + 29 * 10), 7 * cell, ask([], L), ask([7, 2, 3]), *[ask() for _ in range(6)],
          ask([20]), use_peephole=True)
    count("GRUBlockCell", 2 * 2 * 8 * 15 + 17 * 10, 2 * 8 * 15, ask([2, 3]), ask([2, 5]), *[ask() for _ in range(4)])
    # two layers of two directions: 3 inputs, then 10
    steps = 7 * 2
    macs = steps * 2 * 4 * 5 * ((3 + 5) + (10 + 5))
    count("CudnnRNNV3", 2 * macs + 30 * steps * 5 * 4, macs, ask([7, 2, 3]), ask([4, 2, 5]), ask([4, 2, 5]), ask([U]),
          ask([2], I), direction="bidirectional")
    projected = steps * (4 * 5 * (3 + 2) + 5 * 2)
    count("CudnnRNNV3", 2 * projected + 30 * steps * 5, projected, ask([7, 2, 3]), ask([1, 2, 2]), ask([1, 2, 5]),
          ask([U]), ask([2], I), num_proj=2)
    count("QuantizedMatMul", 2 * 24, 24, ask([3, 2], Q), ask([3, 4], S8), *range_of(), *range_of(), transpose_a=True)
    made = quantized_conv("QuantizedConv2DWithBiasAndReluAndRequantize", image, filters, [], padding="VALID")
    places = 2 * 4 * 3 * 4
    COUNTED.append((made.op.name, places * (2 * 36 + 5), places * 36))


FAMILIES = [convolutions, any_convolutions, volumes, gradients, dilations, pools, norms, activations, losses, the_largest,
            recurrent, quantized, onednn, counted]


def graphs():
    for family in FAMILIES:
        with tf.Graph().as_default() as graph:
            family()
        yield family.__name__, graph
    yield from old_graphs()
    missing = sorted(op for op, times in MADE.items() if not times)
    if missing:
        raise AssertionError("TensorFlow took no node of %s: %s" % (
            missing, [text for op, text in REFUSED if op in missing][:3]))


def counts():
    return [("counted", name, flops, macs) for name, flops, macs in COUNTED]
