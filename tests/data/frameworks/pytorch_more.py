#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records pytorch_more with PyTorch on CPU: pytorch_more.py OUT

train.json.gz    a training step of a net whose numbers torch itself tells in several ways: grouped and transposed convolutions,
                 attention, dropout, a bilinear layer, an LSTM, AdamW over lists of tensors
torch.json       of the same recording key_averages(), the memory timeline and with_flops; what torch.utils.flop_counter counts
                 for one step. tests/trace/pytorch.py compares.

Made with torch 2.13.0.
"""
import gzip
import json
import os
import sys
import tempfile

import pytorch
import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils.flop_counter import FlopCounterMode


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.GroupNorm(4, 8), nn.SiLU(),
                                  nn.Conv2d(8, 16, 3, stride=2, groups=4), nn.ConvTranspose2d(16, 8, 2, stride=2), nn.AvgPool2d(2))
        self.attention = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
        self.memory, self.pair = nn.LSTM(8, 12, batch_first=True), nn.Bilinear(12, 8, 10)

    def forward(self, x):
        x = self.attention(self.stem(x).flatten(2).transpose(1, 2))
        return self.pair(self.memory(x)[0][:, -1], x[:, 0])


def main():
    out = sys.argv[1]
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = Net()
    optimizer = torch.optim.AdamW(net.parameters(), foreach=True)

    def step():
        with record_function("load data"):
            images, labels = torch.randn(2, 3, 16, 16), torch.randint(0, 10, (2,))
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(images), labels).backward()
        optimizer.step()

    step()
    with FlopCounterMode(display=False) as counter:
        step()
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, with_stack=True, profile_memory=True, with_flops=True) as profiler:
        step()
    with tempfile.TemporaryDirectory() as folder:
        trace, memory = os.path.join(folder, "t.json"), os.path.join(folder, "memory.json")
        profiler.export_chrome_trace(trace)
        profiler.export_memory_timeline(memory, device="cpu")
        with open(trace, encoding="utf-8") as f:
            text = pytorch.without_paths(f.read())
        with open(memory, encoding="utf-8") as f:
            held = [sum(categories) for categories in json.load(f)[1]]
    with open(os.path.join(out, "train.json.gz"), "wb") as f:
        f.write(gzip.compress(text.encode(), 9, mtime=0))
    pytorch.write_tables(os.path.join(out, "torch.json"), profiler, {
        "flop_counter": {str(op): n for op, n in counter.get_flop_counts()["Global"].items()},
        "memory": {"first": held[0], "peak": max(held), "last": held[-1]}})


if __name__ == "__main__":
    main()
