#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/data/sample/weights/: files of weights in safetensors and GGUF, their values all zeros: tests/data/weights.py"""
import json
import os
import struct

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sample", "weights")
SIZES = {"F32": 4, "BF16": 2, "I64": 8, "F8_E4M3": 1}
ONE = [("model.embed.weight", "BF16", [16, 8]), ("model.layers.0.attention.q.weight", "F32", [8, 8]), ("model.layers.0.norm.weight", "F32", [8]),
       ("model.layers.1.attention.q.weight", "F8_E4M3", [8, 8]), ("model.layers.1.norm.weight", "F32", [8]), ("model.steps", "I64", []), ("none", "F32", [0, 3])]
# Types of GGUF: number, elements of a block, bytes of a block.
F32, Q4_0, Q6_K = (0, 1, 4), (2, 32, 18), (14, 256, 210)
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
    """Of {FILE: tensors}."""
    where = {name: file for file, tensors in files.items() for name, _, _ in tensors}
    return (json.dumps({"metadata": {"total_size": 0}, "weight_map": where}, indent=1) + "\n").encode()


def text(s):
    return struct.pack("<Q", len(s)) + s.encode()


def gguf(tensors, version=3, alignment=32):
    """Shapes are as PyTorch has them; the file has the innermost dimension first."""
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


def main():
    shards = {"model-00001-of-00002.safetensors": ONE[:3], "model-00002-of-00002.safetensors": ONE[3:]}
    files = {"one.safetensors": safetensors(ONE, {"format": "pt"}), "shards/model.safetensors.index.json": index(shards)}
    files.update({"shards/" + name: safetensors(tensors) for name, tensors in shards.items()})
    files["tiny.gguf"] = gguf([("token_embd.weight", Q6_K, [2, 256]), ("blk.0.attn_q.weight", Q4_0, [4, 32]), ("blk.0.attn_norm.weight", F32, [32]),
                               ("output.weight", Q4_0, [2, 64])])
    for name, data in files.items():
        path = os.path.join(FOLDER, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)


if __name__ == "__main__":
    main()
