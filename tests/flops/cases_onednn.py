# SPDX-License-Identifier: Apache-2.0
"""Small graphs with oneDNN's forms of the ops of cases_conv.py and cases_nn.py."""
from making import built, placeholder as ask
from nn_nodes import I, Q, U, check_made, node
from oracle import tf
from tensorflow.python.framework import op_def_registry


def onednn():
    """_MklNative… has the inputs of the plain op, some also a workspace; _Mkl… has one more input for each of
    them, after them."""
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
    # TensorFlow's rule takes the first input as the axis, so the test uses inputs of which nothing
    # is known
    node("_MklQuantizedConcatV2", [ask(U, Q), ask(U, Q)], 1, ranges[:2], ranges[2:])


def graphs():
    yield from built(onednn)
    check_made()
