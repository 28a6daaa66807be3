#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/data/sample/onnx/: models in ONNX, their values all zeros but for shapes: tests/data/weights/onnx_models.py"""
import os
import struct

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sample", "onnx")
FLOAT, INT8, INT64, BOOL, FLOAT16 = 1, 3, 7, 9, 10
SIZES = {FLOAT: 4, INT8: 1, INT64: 8, FLOAT16: 2}


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def text(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def tensor(name, dtype, dims, values=None, external=False):
    count = 1
    for n in dims:
        count *= n
    out = text(1, b"".join(varint(n) for n in dims)) if dims else b""
    out += number(2, dtype)
    if values is not None:
        out += text(7, b"".join(varint(v) for v in values))
    if external:
        out += text(13, text(1, "location") + text(2, "model.bin")) + number(14, 1)
    elif values is None:
        out += text(9, bytes(count * SIZES[dtype]))
    return out + text(8, name)


def info(name, dims, dtype=FLOAT):
    shape = b"".join(text(1, text(2, d) if isinstance(d, str) else number(1, d)) for d in dims)
    return text(1, name) + text(2, text(1, number(1, dtype) + text(2, shape)))


class Graph(bytes):
    """A GraphProto, as an attribute."""


def attribute(name, value):
    if isinstance(value, Graph):
        return text(1, name) + text(6, value) + number(20, 5)
    if isinstance(value, int):
        return text(1, name) + number(3, value) + number(20, 2)
    if isinstance(value, float):
        return text(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    if isinstance(value, list) and value and isinstance(value[0], float):
        return text(1, name) + text(7, struct.pack("<%df" % len(value), *value)) + number(20, 6)
    if isinstance(value, list):
        return text(1, name) + b"".join(number(8, n) for n in value) + number(20, 7)
    return text(1, name) + (text(5, value) + number(20, 4) if isinstance(value, bytes) else text(4, value) + number(20, 3))


def node(op, inputs, outputs, name="", domain="", **attributes):
    out = b"".join(text(1, i) for i in inputs) + b"".join(text(2, o) for o in outputs)
    out += (text(3, name) if name else b"") + text(4, op) + (text(7, domain) if domain else b"")
    return out + b"".join(text(5, attribute(k, v)) for k, v in attributes.items())


def graph_of(nodes, tensors, inputs, outputs, infos=()):
    graph = b"".join(text(1, n) for n in nodes) + text(2, "main") + b"".join(text(5, t) for t in tensors)
    return Graph(graph + b"".join(text(11, i) for i in inputs) + b"".join(text(12, o) for o in outputs) + b"".join(text(13, i) for i in infos))


def model(nodes, tensors, inputs, outputs, infos=()):
    graph = graph_of(nodes, tensors, inputs, outputs, infos)
    return number(1, 8) + text(2, "tfprof-samples") + text(7, graph) + text(8, text(1, "") + number(2, 18))


def classifier():
    """A convolution with an open batch, a shape computed from the shape of its features, a head in an external file, and more."""
    nodes = [
        node("Conv", ["image", "stem.weight", "stem.bias"], ["c"], "/stem/Conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Clip", ["c", "", "six"], ["r"], "/stem/Clip"),
        node("MaxPool", ["r"], ["p"], "/pool/MaxPool", kernel_shape=[2, 2], strides=[2, 2]),
        node("Shape", ["p"], ["s"], "/head/Shape"),
        node("Constant", [], ["zero"], "/head/Constant", value=tensor("", INT64, [], [0])),
        node("Gather", ["s", "zero"], ["batch"], "/head/Gather"),
        node("Unsqueeze", ["batch", "axes"], ["batches"], "/head/Unsqueeze"),
        node("Concat", ["batches", "rest"], ["wanted"], "/head/Concat", axis=0),
        node("Reshape", ["p", "wanted"], ["f"], "/head/Reshape"),
        node("Gemm", ["f", "head.weight", "head.bias"], ["y"], "/head/Gemm", transB=1, alpha=1.0),
        node("Softmax", ["y"], ["probabilities"], axis=-1),
        node("TopOf", ["probabilities"], ["best"], "/top", domain="example.ops"),
    ]
    tensors = [tensor("stem.weight", FLOAT, [8, 3, 3, 3]), tensor("stem.bias", FLOAT, [8]), tensor("six", FLOAT, []),
               tensor("axes", INT64, [1], [0]), tensor("rest", INT64, [1], [-1]),
               tensor("head.weight", FLOAT16, [10, 128], external=True), tensor("head.bias", INT8, [10])]
    return model(nodes, tensors, [info("image", ["batch", 3, 16, 16])], [info("best", ["batch"], INT64)])


def attention():
    """Matrix products in a batch with fixed shapes, and one value of an unknown op whose shape is given."""
    nodes = [
        node("MatMul", ["x", "layers.0.q"], ["q"], "q"),
        node("MatMul", ["x", "layers.0.k"], ["k"], "k"),
        node("Transpose", ["k"], ["kt"], "kt", perm=[0, 2, 1]),
        node("MatMul", ["q", "kt"], ["scores"], "scores"),
        node("Softmax", ["scores"], ["weights"], "weights"),
        node("MatMul", ["weights", "x"], ["o"], "o"),
        node("LayerNormalization", ["o", "layers.0.norm"], ["n"], "n"),
        node("NonZero", ["n"], ["places"], "places"),
        node("Mystery", ["n"], ["m"], "m"),
        node("Relu", ["m"], ["y"], "y"),
    ]
    tensors = [tensor("layers.0.q", FLOAT, [16, 16]), tensor("layers.0.k", FLOAT, [16, 16]), tensor("layers.0.norm", FLOAT, [16])]
    return model(nodes, tensors, [info("x", [4, 6, 16])], [info("y", [4, 6])], [info("m", [4, 6])])


def floats(name, values):
    return text(1, varint(len(values))) + number(2, FLOAT) + text(9, struct.pack("<%df" % len(values), *values)) + text(8, name)


def shapes():
    """Operators behind which shapes once were lost: images in other sizes, quantising, attention, Einsum, learned models."""
    nodes = [
        node("LRN", ["image"], ["normal"], "normal", size=5),
        node("Resize", ["normal", "", "scales"], ["larger"], "larger", mode="linear"),
        node("Resize", ["larger", "", "", "sizes"], ["sized"], "sized", keep_aspect_ratio_policy="not_larger", axes=[2, 3]),
        node("Upsample", ["sized", "scales"], ["up"], "up", mode="nearest"),
        node("Conv", ["up", "w"], ["c"], "conv", kernel_shape=[3, 3]),
        node("DynamicQuantizeLinear", ["c"], ["cq", "cs", "cz"], "quantise"),
        node("ConvInteger", ["cq", "wq", "cz"], ["ci"], "conv_integer"),
        node("DeformConv", ["up", "w", "offsets"], ["moved"], "moved"),
        node("Relu", ["moved"], ["behind"], "behind"),
        node("Attention", ["q", "k", "v"], ["a"], "attention_flat", q_num_heads=4, kv_num_heads=2),
        node("Attention", ["q4", "k4", "v4", "", "past", "past"], ["a4", "present", "present_v"], "attention_cached"),
        node("RotaryEmbedding", ["a4", "cos", "sin"], ["rotated"], "rotary"),
        node("Einsum", ["a4", "a4"], ["e"], "einsum_blanks", equation=" b h q d , b h k d -> b h q k "),
        node("Einsum", ["q", "mat"], ["f"], "einsum_implicit", equation="bsz,zd"),
        node("LinearRegressor", ["mat"], ["r"], "regressor", domain="ai.onnx.ml", coefficients=[0.5, 0.25], targets=2),
        node("TopK", ["r", "two"], ["best", "places"], "best"),
    ]
    tensors = [floats("scales", [1, 1, 1.3, 2]), tensor("sizes", INT64, [2], [14, 10]), tensor("w", FLOAT, [4, 3, 3, 3]),
               tensor("wq", INT8, [2, 4, 3, 3]), tensor("two", INT64, [1], [2])]
    inputs = [info("image", [1, 3, 8, 8]), info("offsets", [1, 18, 9, 18]), info("q", [2, 6, 32]), info("k", [2, 5, 16]),
              info("v", [2, 5, 20]), info("q4", [2, 4, 1, 8]), info("k4", [2, 4, 1, 8]), info("v4", [2, 4, 1, 8]),
              info("past", [2, 4, 7, 8]), info("cos", [9, 4]), info("sin", [9, 4]), info("mat", [32, 3])]
    return model(nodes, tensors, inputs, [info("best", [32, 2])])


def bodies():
    """An If in a Loop of 5, a Scan over 6 elements, and a Loop whose condition depends on values."""
    scalar = [info("i", [], INT64), info("ci", [], BOOL)]
    cheap = graph_of([node("MatMul", ["s", "w"], ["t"])], [], [], [info("t", [8, 8])])
    dear = graph_of([node("MatMul", ["s", "w2"], ["t"]), node("MatMul", ["t", "w2"], ["u"])], [tensor("w2", FLOAT, [8, 8])], [], [info("u", [8, 8])])
    chosen = node("If", ["choice"], ["s2"], "/chosen", then_branch=cheap, else_branch=dear)
    turn = graph_of([chosen, node("Identity", ["ci"], ["co"]), node("Relu", ["s2"], ["kept"])], [], scalar + [info("s", [8, 8])],
                    [info("co", [], BOOL), info("s2", [8, 8]), info("kept", [8, 8])])
    step = graph_of([node("MatMul", ["h", "w"], ["h1"]), node("Add", ["h1", "e"], ["h2"])], [], [info("h", [8]), info("e", [8])], [info("h2", [8])])
    until = graph_of([node("MatMul", ["v", "w"], ["v2"]), node("ReduceSum", ["v2"], ["sum"], keepdims=0), node("Cast", ["sum"], ["go"], to=9)], [],
                     [info("n", [], INT64), info("go_in", [], BOOL), info("v", [8, 8])], [info("go", [], BOOL), info("v2", [8, 8])])
    nodes = [
        node("Loop", ["five", "", "x"], ["y", "all"], "/turns", body=turn),
        node("MatMul", ["all", "w"], ["z"], "/behind"),
        node("Scan", ["h0", "x6"], ["last"], "/steps", body=step, num_scan_inputs=1),
        node("Loop", ["five", "", "x"], ["v_last"], "/until", body=until),
    ]
    tensors = [tensor("w", FLOAT, [8, 8]), tensor("five", INT64, [], [5])]
    return model(nodes, tensors, [info("x", [8, 8]), info("choice", [], BOOL), info("h0", [8]), info("x6", [6, 8])], [info("z", [5, 8, 8])])


def contrib():
    """Operators of com.microsoft: fused products and attention."""
    def fused(op, inputs, outputs, name, **attributes):
        return node(op, inputs, outputs, name, domain="com.microsoft", **attributes)

    nodes = [
        fused("FusedMatMul", ["a", "b"], ["ab"], "turned", transA=1, transB=1),
        fused("MatMulNBits", ["x", "packed", "scales"], ["n"], "few_bits", K=16, N=32, bits=4, block_size=16),
        fused("Attention", ["x", "qkv", "bias"], ["at"], "packed_attention", num_heads=4),
        fused("MultiHeadAttention", ["q", "k", "v"], ["mh"], "attention", num_heads=4),
        fused("GroupQueryAttention", ["q", "g", "g", "past", "past", "lengths", "total"], ["gq", "pk", "pv"], "grouped", num_heads=4, kv_num_heads=2),
        fused("BiasGelu", ["at", "half"], ["ge"], "gelu"),
        fused("SkipLayerNormalization", ["ge", "x", "half", "half"], ["y"], "norm"),
        fused("Unheard", ["y"], ["z"], "unheard"),
    ]
    inputs = [info("a", [2, 5, 3]), info("b", [2, 4, 5]), info("x", [2, 5, 16]), info("packed", [32, 1, 8], INT8), info("scales", [32]),
              info("qkv", [16, 48]), info("bias", [48]), info("half", [16]), info("q", [2, 5, 16]), info("k", [2, 7, 16]), info("v", [2, 7, 24]),
              info("g", [2, 5, 8]), info("past", [2, 2, 9, 4]), info("lengths", [2], INT64), info("total", [], INT64)]
    return model(nodes, [], inputs, [info("z", [2, 5, 16])])


def main():
    os.makedirs(FOLDER, exist_ok=True)
    for name, data in (("classifier.onnx", classifier()), ("attention.onnx", attention()), ("shapes.onnx", shapes()), ("bodies.onnx", bodies()), ("contrib.onnx", contrib())):
        with open(os.path.join(FOLDER, name), "wb") as f:
            f.write(data)


if __name__ == "__main__":
    main()
