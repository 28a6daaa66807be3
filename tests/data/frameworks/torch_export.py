#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports small modules with torch.export, not decomposed, and writes what PyTorch counts of them: torch_export.py OUT

OUT/programs.json.gz has for each its graph (without call stacks) and its multiply-adds: half of what torch.utils.flop_counter counted of the
program after run_decompositions(), or the number by hand where that counter has no formula (`mv`) or does not know the body.
Needs torch (recorded with 2.15.0). tests/trace/torch_export.py compares.
"""
import gzip
import io
import json
import os
import sys
import zipfile

import torch
import torch.nn.functional as F
from torch import nn
from torch._higher_order_ops.map import map as over
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.utils.flop_counter import FlopCounterMode

R = torch.randn
EINSUMS = [("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]), ("ij,jk", [(3, 4), (4, 5)]), ("b h q d, b h k d -> b h q k", [(2, 3, 4, 8), (2, 3, 5, 8)]),
           ("i,j->ij", [(4,), (5,)]), ("...ij,jk->...ik", [(2, 3, 4, 5), (5, 6)]), ("bij,bjk,bkl->bil", [(2, 3, 4), (2, 4, 5), (2, 5, 6)]),
           ("ii->i", [(4, 4)]), ("ijk,jl->il", [(3, 4, 5), (4, 6)]), ("bn,anm,bm->ba", [(2, 5), (3, 5, 4), (2, 4)])]
MATMULS = [((4,), (4,), 4), ((3, 4), (4,), 12), ((4,), (4, 5), 20), ((2, 3, 4), (4,), 24), ((4,), (2, 4, 5), 40), ((3, 4), (2, 4, 5), 120),
           ((2, 3, 4), (4, 5), 120), ((2, 1, 3, 4), (6, 4, 5), 720), ((5, 2, 3, 4), (2, 4, 6), 720)]


class Call(nn.Module):
    def __init__(self, function, *modules):
        super().__init__()
        self.function, self.modules_in = function, nn.ModuleList(modules)

    def forward(self, *inputs):
        return self.function(*self.modules_in, *inputs)


def without_gradient(linear, x):
    with torch.no_grad():
        y = linear(x)
    return linear(y)


def in_bfloat16(linear, x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return linear(x)


def programs():
    """-> name, module, inputs, multiply-adds by hand or None"""
    def of(name, function, inputs, *modules, by_hand=None):
        return name, Call(function, *modules).eval(), inputs, by_hand

    image, weights = R(2, 3, 9, 11), R(4, 3, 3, 3)
    yield of("conv2d same", lambda x, w: F.conv2d(x, w, padding="same", dilation=2), (image, weights))
    yield of("conv2d valid", lambda x, w: F.conv2d(x, w, padding="valid", stride=2), (image, weights))
    yield of("conv1d groups", lambda x, w: F.conv1d(x, w, groups=2, padding=1), (R(2, 4, 9), R(6, 2, 3)))
    yield of("conv2d of one image", lambda x, w: F.conv2d(x, w), (R(3, 9, 11), weights))
    yield of("transposed 1d", lambda x, w: F.conv_transpose1d(x, w, stride=2), (R(2, 4, 9), R(4, 5, 3)))
    yield of("transposed 2d groups", lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1, groups=2), (R(2, 4, 6, 6), R(4, 3, 3, 3)))
    yield of("transposed 3d", lambda x, w: F.conv_transpose3d(x, w, dilation=2), (R(2, 4, 5, 5, 5), R(4, 3, 2, 2, 2)))
    for name, layer in (("lstm", nn.LSTM), ("gru", nn.GRU), ("rnn", nn.RNN)):
        yield of(name, lambda m, x: m(x)[0], (R(7, 3, 16),), layer(16, 32, 2))
        yield of(name + " of both directions", lambda m, x: m(x)[0], (R(3, 7, 16),), layer(16, 32, 2, bidirectional=True, batch_first=True))
        yield of(name + " of one sequence", lambda m, x: m(x)[0], (R(7, 16),), layer(16, 32, bias=False))
    yield of("lstm projected", lambda m, x: m(x)[0], (R(7, 3, 16),), nn.LSTM(16, 32, proj_size=8))
    yield of("lstm cell", lambda m, x: m(x)[0], (R(3, 16),), nn.LSTMCell(16, 32))
    yield of("gru cell", lambda m, x: m(x), (R(3, 16),), nn.GRUCell(16, 32))
    for equation, shapes in EINSUMS:
        yield of("einsum " + equation, lambda *x, equation=equation: torch.einsum(equation, *x), tuple(R(*s) for s in shapes))
    yield of("tensordot", lambda x, y: torch.tensordot(x, y, dims=([1, 2], [0, 1])), (R(3, 4, 5), R(4, 5, 6)))
    yield of("inner", torch.inner, (R(3, 4, 5), R(6, 5)))
    for a, b, macs in MATMULS:
        yield of("matmul %s %s" % (a, b), torch.matmul, (R(*a), R(*b)), by_hand=macs)
    yield of("attention", F.scaled_dot_product_attention, (R(2, 4, 6, 8), R(2, 4, 7, 8), R(2, 4, 7, 8)))
    yield of("attention of 3", F.scaled_dot_product_attention, (R(4, 6, 8), R(4, 7, 8), R(4, 7, 8)))
    yield of("attention grouped", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True), (R(2, 4, 6, 8), R(2, 2, 7, 8), R(2, 2, 7, 8)))
    yield of("attention module", lambda m, x: m(x, x, x)[0], (R(2, 5, 16),), nn.MultiheadAttention(16, 4, batch_first=True))
    x, linear = R(4, 8), nn.Linear(8, 8)
    yield of("cond", lambda m, x: torch.cond(x.sum() > 0, lambda x: m(m(x)), m, (x,)), (x,), linear, by_hand=512)
    yield of("while_loop", lambda m, x: while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, m(x)), (torch.zeros((), dtype=torch.int64), x))[1],
             (x,), linear, by_hand=1280)
    yield of("while_loop of values", lambda m, x: while_loop(lambda x: x.sum() < 5, lambda x: (m(x),), (x,))[0], (x,), linear, by_hand=256)
    yield of("no_grad", without_gradient, (x,), linear)
    yield of("autocast", in_bfloat16, (x,), linear)
    yield of("map", lambda m, xs: over(m, xs), (R(5, 4, 8),), linear, by_hand=1280)
    yield of("scan", lambda xs, w: scan(lambda c, x: (c @ w + x, c.sum()[None]), torch.zeros(4, 8), xs)[0], (R(5, 4, 8), R(8, 8)), by_hand=1280)


def graph_of(program):
    """The graph in the file that torch.export writes, without call stacks and what nothing here reads."""
    file = io.BytesIO()
    torch.export.save(program, file)
    archive = zipfile.ZipFile(file)
    model = json.loads(archive.read(next(n for n in archive.namelist() if "/models/" in n and n.endswith(".json"))))

    def strip(value):
        if isinstance(value, list):
            return [strip(v) for v in value]
        if not isinstance(value, dict):
            return value
        return {k: strip(v) for k, v in value.items() if k not in ("metadata", "device", "strides", "storage_offset", "layout", "requires_grad")}

    return {"graph_module": {"graph": strip(model["graph_module"]["graph"])}}


def main(out):
    torch.manual_seed(0)
    found = {}
    for name, module, inputs, by_hand in programs():
        program = torch.export.export(module, inputs, strict=False)
        if by_hand is None:
            decomposed = program.run_decompositions()
            with FlopCounterMode(display=False) as counter, torch.no_grad():
                decomposed.module()(*inputs)
            by_hand = counter.get_total_flops() // 2
        found[name] = {"multiply_adds": by_hand, "program": graph_of(program)}
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "programs.json.gz"), "wb") as file:
        file.write(gzip.compress(json.dumps(found, separators=(",", ":")).encode(), 9, mtime=0))


if __name__ == "__main__":
    main(sys.argv[1])
