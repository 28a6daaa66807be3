#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports small nets with torch.onnx.export(dynamo=True), and writes what PyTorch says of them: onnx_export.py OUT

convolution.onnx   convolutions, one of them in groups, normalisation and a linear layer; the weights are in the file
attention.onnx     a block of a transformer; the batch is open, and the weights are in a file beside it, which is not kept
counts.json        of each: float operations by torch.utils.flop_counter, and the shapes of the weights

Needs torch and onnxscript (recorded with 2.15.0 and 0.7.2). tests/trace/onnx_export.py compares.
"""
import json
import os
import sys

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode


class Block(nn.Module):
    """Attention and a net behind it, with their products written out."""

    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads, self.norm = heads, nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.net = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, words, width = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(batch, words, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        share = torch.softmax(torch.matmul(q, k.transpose(-1, -2)) / (width // self.heads) ** 0.5, -1)
        x = x + self.out(torch.matmul(share, v).transpose(1, 2).reshape(batch, words, width))
        return x + self.net(x)


def nets():
    """-> name, module, inputs, whether the first dimension is open"""
    yield "convolution", nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3, groups=4),
                                       nn.MaxPool2d(2), nn.Flatten(), nn.Linear(72, 10)), (torch.randn(2, 3, 16, 16),), False
    yield "attention", Block(), (torch.randn(4, 6, 16),), True


def without_folders(program):
    """Takes the folders of this machine out of the stack traces."""
    for node in program.model.graph:
        for key, text in node.metadata_props.items():
            for folder in (os.path.dirname(os.path.dirname(torch.__file__)), os.path.dirname(os.path.abspath(__file__))):
                text = text.replace(folder + "/", "")
            node.metadata_props[key] = text


def main():
    out, counts = sys.argv[1], {"torch": torch.__version__}
    torch.manual_seed(0)
    os.makedirs(out, exist_ok=True)
    for name, module, inputs, is_open in nets():
        module.eval()
        shapes = {"dynamic_shapes": ({0: torch.export.Dim("batch")},)} if is_open else {}
        path = os.path.join(out, name + ".onnx")
        program = torch.onnx.export(module, inputs, dynamo=True, verbose=False, **shapes)
        without_folders(program)
        program.save(path, external_data=is_open)
        if is_open:
            os.remove(path + ".data")
        with torch.no_grad(), FlopCounterMode(display=False) as mode:
            module(*inputs)
        counts[name] = {"batch": len(inputs[0]), "float_ops": mode.get_total_flops(),
                        "weights": {key: "x".join(map(str, value.shape)) for key, value in module.named_parameters()}}
    with open(os.path.join(out, "counts.json"), "w", encoding="utf-8") as f:
        json.dump(counts, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
