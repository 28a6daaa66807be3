# SPDX-License-Identifier: Apache-2.0
"""Small graphs with every op of src/flops/rules_quantized.c."""
import itertools

from making import built, placeholder as ask
from nn_nodes import F, I, Q, S8, S32, SHAPES, U, check_made, node, range_of
from tensorflow.python.framework import op_def_registry

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


def graphs():
    yield from built(quantized)
    check_made()
