#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/data/sample/weights/: files of weights in safetensors, GGUF and PyTorch's forms, their values all zeros, without their libraries:
tests/data/weights/weights.py"""
import collections
import io
import json
import os
import pickle
import struct
import sys
import types
import zipfile

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sample", "weights")
SIZES = {"F32": 4, "BF16": 2, "I64": 8, "F8_E4M3": 1}
ONE = [("model.embed.weight", "BF16", [16, 8]), ("model.layers.0.attention.q.weight", "F32", [8, 8]), ("model.layers.0.norm.weight", "F32", [8]),
       ("model.layers.1.attention.q.weight", "F8_E4M3", [8, 8]), ("model.layers.1.norm.weight", "F32", [8]), ("model.steps", "I64", []), ("none", "F32", [0, 3])]
# Types of GGUF: number, elements of a block, bytes of a block.
F32, Q4_0, Q6_K, NVFP4 = (0, 1, 4), (2, 32, 18), (14, 256, 210), (40, 64, 36)
UINT32, STRING, ARRAY, UINT64 = 4, 8, 9, 10


def elements(shape):
    count = 1
    for n in shape:
        count *= n
    return count


def safetensors(tensors, metadata=None):
    head, data = ({"__metadata__": metadata} if metadata else {}), b""
    for name, dtype, shape in tensors:
        size = elements(shape) * SIZES[dtype]
        head[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + size]}
        data += bytes(size)
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def index(files):
    """The index of {FILE: tensors}."""
    where = {name: file for file, tensors in files.items() for name, _, _ in tensors}
    return (json.dumps({"metadata": {"total_size": 0}, "weight_map": where}, indent=1) + "\n").encode()


def text(s):
    return struct.pack("<Q", len(s)) + s.encode()


def gguf(tensors, version=3, alignment=32):
    """Shapes are in PyTorch's order; the file has the innermost dimension first."""
    values = [text("general.architecture") + struct.pack("<I", STRING) + text("llama"),
              text("general.alignment") + struct.pack("<II", UINT32, alignment),
              text("llama.context_length") + struct.pack("<IQ", UINT64, 128),
              text("tokenizer.ggml.tokens") + struct.pack("<IIQ", ARRAY, STRING, 3) + text("a") + text("") + text("ab"),
              text("nested") + struct.pack("<IIQ", ARRAY, ARRAY, 2) + struct.pack("<IQ2I", UINT32, 2, 1, 2) + struct.pack("<IQ", UINT32, 0)]
    out = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(values)) + b"".join(values)
    data = b""
    for name, (number, block, size), shape in tensors:
        out += text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", n) for n in reversed(shape))
        out += struct.pack("<IQ", number, len(data))
        data += bytes(elements(shape) // block * size)
        data += bytes(-len(data) % alignment)
    return out + bytes(-len(out) % alignment) + data


# ---- PyTorch: classes and functions that are named in its files; nothing of torch is needed ----

TORCH = {name: types.ModuleType(name) for name in ("torch", "torch._utils", "torch.nn.modules.linear")}


def named(module, name):
    """A class with this name for a pickle."""
    made = type(name, (), {"__module__": module, "__qualname__": name})
    setattr(TORCH[module], name, made)
    return made


REBUILD, PARAMETER, LINEAR = named("torch._utils", "_rebuild_tensor_v2"), named("torch._utils", "_rebuild_parameter"), named("torch.nn.modules.linear", "Linear")
STORAGES = {name: (named("torch", name), size) for name, size in (("FloatStorage", 4), ("HalfStorage", 2), ("LongStorage", 8))}


class Tensor:
    """A view of a storage; `parameter` wraps it like torch."""
    def __init__(self, kind, key, shape, offset=0, parameter=False):
        self.kind, self.key, self.shape, self.offset, self.parameter = kind, key, shape, offset, parameter


class Writer(pickle.Pickler):
    """Writes tensors as calls of torch's functions, and storages as persistent ids."""
    def __init__(self, out, sizes):
        super().__init__(out, protocol=2)
        self.sizes = sizes  # elements of the storages

    def persistent_id(self, obj):
        return ("storage", STORAGES[obj[1]][0], obj[2], "cpu", self.sizes[obj[2]]) if isinstance(obj, tuple) and obj[:1] == ("a storage",) else None

    def reducer_override(self, obj):
        if not isinstance(obj, Tensor):
            return NotImplemented
        if obj.parameter:
            return PARAMETER, (Tensor(obj.kind, obj.key, obj.shape, obj.offset), True, collections.OrderedDict())
        return REBUILD, (("a storage", obj.kind, obj.key), obj.offset, tuple(obj.shape), (1,) * len(obj.shape), False, collections.OrderedDict())


def pickled(value, sizes):
    out = io.BytesIO()
    before = {name: sys.modules.get(name) for name in TORCH}
    sys.modules.update(TORCH)
    Writer(out, sizes).dump(value)
    for name, module in before.items():
        sys.modules.pop(name) if module is None else sys.modules.update({name: module})
    return out.getvalue()


def archive(files, packed=False):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as z:
        for name, data in files.items():
            z.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, z.compression)
    return out.getvalue()


def torch_values():
    """A training checkpoint: a model with two names for one tensor, its optimizer, and values that are not
    tensors."""
    model = collections.OrderedDict([("embed.weight", Tensor("HalfStorage", "0", [16, 8])), ("layers.0.weight", Tensor("FloatStorage", "1", [8, 8])),
                                     ("layers.0.bias", Tensor("FloatStorage", "1", [8], 64)), ("head.weight", Tensor("HalfStorage", "0", [16, 8])),
                                     ("steps", Tensor("LongStorage", "2", []))])
    state = {0: {"step": 3, "exp_avg": Tensor("FloatStorage", "3", [8, 8])}, 1: {"exp_avg": Tensor("FloatStorage", "4", [8])}}
    return {"epoch": 3, "model": model, "optimizer": {"state": state, "param_groups": [{"lr": 0.1, "params": [0, 1]}]}, "again": model, "losses": [0.5, None, "text"],
            "shown": [Tensor("FloatStorage", "5", [4, 4])]}, {"0": 128, "1": 72, "2": 1, "3": 64, "4": 8, "5": 4}


def torch_module():
    """A complete module, in the form of torch.save(model)."""
    module = LINEAR.__new__(LINEAR)
    inner = LINEAR.__new__(LINEAR)
    inner.__dict__.update({"_parameters": {"weight": Tensor("FloatStorage", "1", [4, 2], parameter=True), "bias": None}, "_buffers": {}, "_modules": {}, "training": True})
    module.__dict__.update({"_parameters": {"weight": Tensor("FloatStorage", "0", [4, 4], parameter=True)}, "_buffers": {"mean": Tensor("FloatStorage", "2", [4])},
                            "_modules": collections.OrderedDict([("inner", inner)]), "training": True})
    return module, {"0": 16, "1": 8, "2": 4}


def legacy(value, sizes):
    """The form before PyTorch 1.6: pickles one after another."""
    return b"".join(pickle.dumps(x, protocol=2) for x in (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True})) + pickled(value, sizes) + pickle.dumps(list(sizes), protocol=2)


def torch_program():
    """torch.export: a linear layer in a module, a convolution, a batch norm whose averages are not trained, and a size that depends on the input."""
    meta = lambda *shape, dtype=7: {"dtype": dtype, "sizes": [n if isinstance(n, dict) else {"as_int": n} for n in shape]}
    weight = lambda n, parameter, *shape, dtype=7: {"path_name": f"weight_{n}", "is_param": parameter, "tensor_meta": meta(*shape, dtype=dtype)}
    config = {"head.weight": weight(0, True, 4, 8), "head.bias": weight(1, True, 4), "tied.weight": weight(0, True, 4, 8), "norm.mean": weight(2, False, 6),
              "norm.count": weight(3, False, dtype=5), "conv.weight": weight(4, True, 6, 3, 3)}
    batch = {"as_expr": {"expr_str": "s0", "hint": {"as_int": 2}}}
    values = {"x": meta(batch, 3, 10), "w": meta(6, 3, 3), "c": meta(batch, 6, 8), "m": meta(6), "n": meta(batch, 6, 8), "h": meta(4, 8), "b": meta(4), "y": meta(batch, 6, 4),
              "z": meta(batch, 6, 8)}
    tensor = lambda name: {"as_tensor": {"name": name}}

    def node(target, module, inputs, output):
        return {"target": target, "inputs": [{"name": "a", "arg": a, "kind": 1} for a in inputs], "outputs": [tensor(output)],
                "metadata": {"nn_module_stack": f"L__self__,,Model;L__self___{module},{module},torch.nn.Module"}}

    nodes = [node("torch.ops.aten.conv1d.default", "conv", [tensor("x"), tensor("w")], "c"),
             node("torch.ops.aten.batch_norm.default", "norm", [tensor("c"), {"as_none": True}, {"as_none": True}, tensor("m"), tensor("m"), {"as_bool": False}, {"as_float": 0.1},
                                                                {"as_float": 1e-05}, {"as_bool": True}], "n"),
             node("torch.ops.aten.linear.default", "blocks.0.head", [tensor("n"), tensor("h"), tensor("b")], "y"),
             node("torch.ops.aten.cat.default", "blocks.0", [{"as_tensors": [{"name": "n"}, {"name": "c"}]}, {"as_int": 2}], "z"),
             node("_operator.getitem", "blocks.0", [tensor("y"), {"as_int": 0}], "y")]
    graph = {"graph_module": {"graph": {"inputs": [], "outputs": [], "nodes": nodes, "tensor_values": values}}}
    return {"model/data/weights/weight_0": bytes(128), "model/data/weights/model_weights_config.json": json.dumps({"config": config}), "model/models/model.json": json.dumps(graph),
            "model/archive_format": "pt2", "model/archive_version": "0"}


def torch_files():
    values, sizes = torch_values()
    parts = lambda name, data: {f"{name}/data.pkl": data, f"{name}/version": b"3\n"}
    return {"checkpoint.pt": archive({**parts("checkpoint", pickled(values, sizes)), "checkpoint/data/0": bytes(256)}),
            "packed.pth": archive(parts("packed", pickled(values, sizes)), packed=True), "old.bin": legacy(values, sizes),
            "module.pt": archive(parts("module", pickled(*torch_module()))), "program.pt2": archive(torch_program())}


def main():
    shards = {"model-00001-of-00002.safetensors": ONE[:3], "model-00002-of-00002.safetensors": ONE[3:]}
    files = {"one.safetensors": safetensors(ONE, {"format": "pt"}), "shards/model.safetensors.index.json": index(shards)}
    files.update({"shards/" + name: safetensors(tensors) for name, tensors in shards.items()})
    files["nvfp4.gguf"] = gguf([("blk.0.ffn_up.weight", NVFP4, [4, 128])])
    files["tiny.gguf"] = gguf([("token_embd.weight", Q6_K, [2, 256]), ("blk.0.attn_q.weight", Q4_0, [4, 32]), ("blk.0.attn_norm.weight", F32, [32]),
                               ("output.weight", Q4_0, [2, 64])])
    files.update(torch_files())
    for name, data in files.items():
        path = os.path.join(FOLDER, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)


if __name__ == "__main__":
    main()
