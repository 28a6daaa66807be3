#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records sample/pytorch/flops.json.gz with PyTorch on CPU: pytorch_flops.py OUT

One training step (or one pass) of each of sixteen small nets, each in an annotation of its name, with input shapes. Beside it
flops.json: what torch.utils.flop_counter counts for each net, and the totals of the profiler's with_flops.
tests/trace/pytorch_flops.py compares.
"""
import gzip
import json
import os
import sys
import tempfile

import torch
from torch import nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils.flop_counter import FlopCounterMode, sdpa_backward_flop_count, sdpa_flop_count


def train(net, *inputs):
    def run():
        out = net(*inputs)
        (out[0] if isinstance(out, tuple) else out).float().pow(2).mean().backward()
    return run


def attention(q_heads, k_heads, causal=False):
    q = torch.randn(2, q_heads, 12, 16, requires_grad=True)
    k, v = (torch.randn(2, k_heads, 20, 16, requires_grad=True) for _ in range(2))
    return lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal).sum().backward()


def products():
    a, b, c = torch.randn(4, 5, 6), torch.randn(4, 6, 7), torch.randn(7, 3)
    torch.matmul(a, b) @ c
    torch.einsum("bij,bjk->ik", a, b)
    torch.baddbmm(torch.randn(4, 5, 7), a, b)
    torch.addmm(torch.randn(5, 3), torch.randn(5, 7), c)
    F.linear(torch.randn(2, 3, 8), torch.randn(9, 8), torch.randn(9))


class Language(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(50, 16), nn.Linear(16, 50, bias=False)
        self.body = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True)

    def forward(self, tokens):
        return self.head(self.body(self.table(tokens)))


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.Conv2d(8, 8, 3, padding=1, bias=False)
        self.na, self.nb = nn.BatchNorm2d(8), nn.BatchNorm2d(8)

    def forward(self, x):
        return F.relu(x + self.nb(self.b(F.relu(self.na(self.a(x))))))


def nets():
    torch.manual_seed(0)
    image = torch.randn(2, 3, 20, 24)
    yield "mlp", train(nn.Sequential(nn.Linear(12, 32), nn.GELU(), nn.Linear(32, 5)), torch.randn(7, 12))
    yield "cnn", train(nn.Sequential(nn.Conv2d(3, 8, 5, stride=2, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 4, 3, dilation=2),
                                     nn.Flatten(), nn.LazyLinear(10)), image)
    yield "residual", train(Residual(), torch.randn(2, 8, 10, 10))
    yield "conv1d", train(nn.Conv1d(6, 9, 4, stride=3), torch.randn(3, 6, 31))
    yield "conv3d", train(nn.Conv3d(2, 4, (1, 3, 3), padding=(0, 1, 1)), torch.randn(1, 2, 4, 6, 6))
    yield "transposed", train(nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1), torch.randn(2, 4, 7, 9))
    yield "autoencoder", train(nn.Sequential(nn.Conv2d(3, 6, 4, stride=2), nn.ReLU(), nn.ConvTranspose2d(6, 3, 4, stride=2)), image)
    with torch.no_grad():
        depthwise, grouped = nn.Conv2d(8, 8, 3, groups=8), nn.Conv2d(8, 12, 3, groups=4)
    yield "depthwise", lambda: depthwise(torch.ones(1, 8, 9, 9)).detach()
    yield "grouped", lambda: grouped(torch.ones(1, 8, 9, 9)).detach()
    yield "transformer", train(nn.TransformerEncoderLayer(24, 3, 48, dropout=0.0, batch_first=True), torch.randn(2, 10, 24))
    yield "multihead weights", train(nn.MultiheadAttention(24, 3, batch_first=True), *[torch.randn(2, 10, 24)] * 3)
    yield "attention", attention(4, 4)
    yield "causal attention", attention(4, 4, causal=True)
    yield "language", train(Language(), torch.randint(0, 50, (3, 11)))
    yield "gru", train(nn.GRU(10, 14, batch_first=True), torch.randn(2, 6, 10))
    yield "products", products


# The counter knows attention only on GPUs; these are its own formulas.
ATTENTION = {
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: lambda q, k, v, *rest, **more: sdpa_flop_count(q, k, v),
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward:
        lambda grad, q, k, v, *rest, **more: sdpa_backward_flop_count(grad, q, k, v),
}


def main():
    out, counted = sys.argv[1], {}
    torch.set_num_threads(1)
    runs = list(nets())
    with torch.backends.mkldnn.flags(enabled=True):
        for _, run in runs:  # a first run starts threads and initializes lazy modules
            run()
        for name, run in runs:
            with FlopCounterMode(display=False, custom_mapping=ATTENTION) as mode:
                run()
            counted[name] = mode.get_total_flops()
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True, with_flops=True) as profiler:
            for name, run in runs:
                with record_function(name):
                    run()
    with tempfile.TemporaryDirectory() as folder:
        profiler.export_chrome_trace(os.path.join(folder, "t.json"))
        with open(os.path.join(folder, "t.json"), "rb") as f:
            text = f.read()
    with open(os.path.join(out, "flops.json.gz"), "wb") as f:
        f.write(gzip.compress(text, 9, mtime=0))
    told = {a.key: a.flops for a in profiler.key_averages() if a.flops}
    with open(os.path.join(out, "flops.json"), "w", encoding="utf-8") as f:
        json.dump({"torch": torch.__version__, "flop_counter": counted, "with_flops": told}, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
