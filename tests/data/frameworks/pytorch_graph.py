#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records sample/pytorch_graph with PyTorch on CPU: pytorch_graph.py OUT

train.json.gz  the trace of one training step of a small net, with modules and shapes
et.json.gz     the execution trace of the same step (ExecutionTraceObserver), which tells its graph

Made with torch 2.13.0.
"""
import gzip
import os
import sys
import tempfile

import torch
from torch.profiler import ExecutionTraceObserver, ProfilerActivity, profile, record_function, schedule


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.head = torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.Linear(4, 5)

    def forward(self, x):
        return self.head(torch.relu(self.norm(self.conv(x))).mean((2, 3)))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def step():
        with record_function("load data"):
            images, labels = torch.randn(2, 3, 8, 8), torch.randint(0, 5, (2,))
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(images), labels).backward()
        optimizer.step()

    with tempfile.TemporaryDirectory() as folder:
        graph, trace = os.path.join(folder, "et.json"), os.path.join(folder, "train.json")
        observer = ExecutionTraceObserver().register_callback(graph)
        with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=1), record_shapes=True,
                     with_modules=True, execution_trace_observer=observer) as profiler:
            for _ in range(3):
                step()
                profiler.step()
        profiler.export_chrome_trace(trace)
        for path in (graph, trace):
            with open(path, "rb") as f, open(os.path.join(sys.argv[1], os.path.basename(path) + ".gz"), "wb") as out:
                out.write(gzip.compress(f.read(), 9, mtime=0))


if __name__ == "__main__":
    main()
