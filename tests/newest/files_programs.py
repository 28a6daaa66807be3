# SPDX-License-Identifier: Apache-2.0
"""tests/newest/files_programs.py OUT: writes models of ONNX and weights of safetensors, with their libraries' own shapes beside them."""
import json
import os
import sys

import numpy as np
import onnx
import safetensors
from onnx import TensorProto, helper, numpy_helper, shape_inference
from safetensors.numpy import save_file

OUT = sys.argv[1]


def write(name, what):
    with open(os.path.join(OUT, name + ".table"), "w", encoding="utf-8") as f:
        json.dump(what, f)


def dims(value):
    return [d.dim_value for d in value.type.tensor_type.shape.dim]


def model(name, nodes, size, weights):
    made = [numpy_helper.from_array(np.ones(shape, "float32"), at) for at, shape in weights.items()]
    graph = helper.make_graph(nodes, name, [helper.make_tensor_value_info("x", TensorProto.FLOAT, size)], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], made)
    whole = helper.make_model(graph)
    onnx.save(whole, os.path.join(OUT, name + ".onnx"))
    inferred = shape_inference.infer_shapes(whole, strict_mode=True)
    known = {v.name: dims(v) for v in [*inferred.graph.value_info, *inferred.graph.output]}
    shapes = {n.name: known[n.output[0]] for n in nodes}
    write(name, {"params": int(sum(np.prod(s) for s in weights.values())), "shapes": shapes})


def node(op, name, inputs, output, **more):
    return helper.make_node(op, inputs, [output], name=name, **more)


model("dense", [node("MatMul", "mm", ["x", "w"], "h"), node("Add", "add", ["h", "b"], "a"), node("Relu", "relu", ["a"], "y")], (4, 16), {"w": (16, 8), "b": (8,)})
model("conv", [node("Conv", "conv", ["x", "k"], "h", pads=[1, 1, 1, 1], strides=[2, 2]), node("GlobalAveragePool", "pool", ["h"], "p"), node("Flatten", "flat", ["p"], "y")], (2, 3, 16, 16), {"k": (8, 3, 3, 3)})
model("gemm", [node("Gemm", "gemm", ["x", "w"], "h", transB=1), node("Softmax", "soft", ["h"], "s"), node("Transpose", "turn", ["s"], "y")], (4, 16), {"w": (10, 16)})
TENSORS = {"a.weight": np.ones((4, 8), "float32"), "a.bias": np.ones(8, "float16"), "n": np.ones((), "int64"), "none": np.ones((0, 3), "float32")}
for kind, part in {"floats": ["a.weight", "a.bias"], "kinds": list(TENSORS)}.items():
    save_file({name: TENSORS[name] for name in part}, os.path.join(OUT, kind + ".safetensors"))
    write(kind, {"params": sum(TENSORS[n].size for n in part), "bytes": sum(TENSORS[n].nbytes for n in part)})
with open(os.path.join(OUT, "versions"), "w", encoding="utf-8") as f:
    f.write(f"onnx {onnx.__version__}, safetensors {safetensors.__version__}")
