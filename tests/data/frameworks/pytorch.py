#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records sample/pytorch with PyTorch on CPU: pytorch.py OUT

train.json.gz            the trace of three training steps of a small convolutional net with attention and an LSTM: shapes,
                         Python stacks, modules, memory
key_averages.json        what torch.profiler itself makes of the same recording (tests/trace/pytorch.py compares)

Made with torch 2.13.0; any torch of today records the like.
"""
import gzip
import json
import os
import re
import sys
import tempfile

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule


class Attention(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3, stride=2, padding=1), torch.nn.BatchNorm2d(16), torch.nn.ReLU(),
                                        torch.nn.MaxPool2d(2))
        self.attention, self.norm = Attention(16, 4), torch.nn.LayerNorm(16)
        self.memory = torch.nn.LSTM(16, 24, batch_first=True)
        self.head = torch.nn.Linear(24, 10)

    def forward(self, x):
        x = self.stem(x).flatten(2).transpose(1, 2)
        x = self.norm(x + self.attention(x))
        return self.head(self.memory(x)[0][:, -1])


def without_paths(text):
    """Removes paths of this machine."""
    for prefix in (os.path.dirname(os.path.dirname(torch.__file__)) + "/", os.path.dirname(os.path.abspath(__file__)) + "/"):
        text = text.replace(prefix, "")
    return text


def row(a):
    told = {"name": a.key, "count": a.count, "self_cpu_us": round(a.self_cpu_time_total, 3), "cpu_us": round(a.cpu_time_total, 3),
            "self_cpu_bytes": a.self_cpu_memory_usage, "flops": a.flops}
    return dict(told, shapes=a.input_shapes) if a.input_shapes else told


def write_tables(path, profiler, more=None):
    """The key_averages() of operators, without frames of Python, and more."""
    frame = re.compile(r"\(\d+\): |^<|^nn\.Module: |^\[memory\]")

    def rows(averages):
        return [row(a) for a in averages if not frame.search(a.key)]

    tables = {"torch": torch.__version__, "by_name": rows(profiler.key_averages()),
              "by_shape": rows(profiler.key_averages(group_by_input_shape=True)), **(more or {})}
    with open(path, "w", encoding="utf-8") as f:
        f.write("{" + ",\n".join('"%s": %s' % (k, "[\n" + ",\n".join(map(json.dumps, v)) + "]" if isinstance(v, list) else json.dumps(v))
                                 for k, v in tables.items()) + "}\n")


def main():
    out = sys.argv[1]
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = Net()
    optimizer = torch.optim.Adam(net.parameters())

    def step():
        with record_function("load data"):
            images, labels = torch.randn(8, 3, 32, 32), torch.randint(0, 10, (8,))
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(images), labels)
        loss.backward()
        optimizer.step()

    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=3), record_shapes=True,
                 with_stack=True, with_modules=True, profile_memory=True, with_flops=True) as profiler:
        for _ in range(5):
            step()
            profiler.step()
    with tempfile.TemporaryDirectory() as folder:
        profiler.export_chrome_trace(os.path.join(folder, "t.json"))
        with open(os.path.join(folder, "t.json"), encoding="utf-8") as f:
            text = without_paths(f.read())
    with open(os.path.join(out, "train.json.gz"), "wb") as f:
        f.write(gzip.compress(text.encode(), 9, mtime=0))
    write_tables(os.path.join(out, "key_averages.json"), profiler)


if __name__ == "__main__":
    main()
