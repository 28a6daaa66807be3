# SPDX-License-Identifier: Apache-2.0
"""tests/newest/torch_programs.py OUT: records small programs of PyTorch, each with the framework's own table beside its trace."""
import json
import os
import sys

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils.flop_counter import FlopCounterMode

OUT = sys.argv[1]


def table(p):
    rows = [{"name": e.key, "count": e.count, "self_us": e.self_cpu_time_total} for e in p.key_averages() if not e.key.startswith("ProfilerStep")]
    return {"rows": rows}


def record(name, work, steps=3):
    work()
    with FlopCounterMode(display=False) as counter:
        work()
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True, with_stack=name == "stacks",
                 schedule=schedule(wait=0, warmup=1, active=steps), on_trace_ready=lambda p: p.export_chrome_trace(os.path.join(OUT, name + ".json"))) as p:
        for _ in range(steps + 1):
            work()
            p.step()
    with open(os.path.join(OUT, name + ".table"), "w", encoding="utf-8") as f:
        json.dump({**table(p), "steps": steps, "flops": steps * counter.get_total_flops()}, f)


def trained(model, *size):
    optimizer = torch.optim.Adam(model.parameters())

    def step():
        optimizer.zero_grad()
        out = model(torch.randn(*size))
        (out[0] if isinstance(out, tuple) else out).sum().backward()
        optimizer.step()
    return step


def attention():
    q = torch.randn(2, 4, 16, 8)
    return torch.nn.functional.scaled_dot_product_attention(q, q, q)


def annotated():
    with record_function("own part"):
        torch.randn(32, 32) @ torch.randn(32, 32)


torch.manual_seed(1)
torch.set_num_threads(1)
record("mlp", trained(nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 8)), 16, 32))
record("conv", trained(nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)), 2, 3, 16, 16))
record("lstm", trained(nn.LSTM(16, 16, batch_first=True), 4, 6, 16))
record("encoder", trained(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2, 6, 16))
record("attention", attention)
record("bmm", lambda: torch.bmm(torch.randn(4, 8, 16), torch.randn(4, 16, 8)))
record("annotated", annotated)
record("stacks", lambda: torch.randn(64, 64).softmax(0).sum())
torch.save(nn.Linear(5, 7).state_dict(), os.path.join(OUT, "weights.pt"))
with open(os.path.join(OUT, "versions"), "w", encoding="utf-8") as f:
    f.write("torch " + torch.__version__.split("+", maxsplit=1)[0])
