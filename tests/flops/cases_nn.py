# SPDX-License-Identifier: Apache-2.0
"""Small graphs with every op of src/flops/rules_norm.c, _nn.c and _rnn.c, and the counts of these and of
cases_conv.py's ops."""
import itertools

from cases_quantized import quantized_conv
from making import built, placeholder as ask
from nn_nodes import F, I, L, MADE, Q, S8, S32, SHAPES, U, check_made, node, range_of
from oracle import tf
from tensorflow.core.framework import graph_pb2


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


# ---- ops that TensorFlow takes from old files only ----

def old(op, producer, inputs, outputs_type="T", **attrs):
    """A GraphDef of an old version: `inputs` are shapes."""
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
    """Adds one node to the graph of counts, with its expected cost."""
    made = node(op, *inputs, **attrs)
    COUNTED.append((made.op.name, flops, macs))


def counted():
    """Counts worked out by hand, for ops without a formula in TensorFlow's registry, and for forms where the formula
    gives no number."""
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
    # two layers with two directions each: 3 inputs, then 10
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


def graphs():
    yield from built(norms, activations, losses, the_largest, recurrent, counted)
    yield from old_graphs()
    check_made()


def counts():
    return [("counted", name, flops, macs) for name, flops, macs in COUNTED]
