#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes sample/whose: traces of a small inference engine, as PyTorch records them with stacks and modules.

    whose.py [DIR]                    default: tests/data/sample/whose

lines.json        kernels launched through packages of kernels, ops with Python inside, and a tool that watches ops
installed.json    the same engine in site-packages, beside packages with and without modules
eager.json        two passes of a model that runs without graphs
replay.json       replays of it: the same kernels; one GEMM is another; one kernel less; another model
"""
import contextlib
import json
import os
import sys

SITE = "/opt/venv/lib/python3.12/site-packages/"


class Trace:
    def __init__(self):
        self.events, self.now, self.number, self.device = [], 1000, 0, 0

    def span(self, category, name, start, end, args, pid=1, tid=1):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": end - start, "args": args})

    @contextlib.contextmanager
    def inside(self, *items):
        """'FILE:LINE:FUNCTION', 'M:Module_0', 'O:op', 'A:annotation', the outermost first."""
        starts = []
        for _ in items:
            starts.append(self.now)
            self.now += 1
        yield
        for item, start in reversed(list(zip(items, starts))):
            self.now += 1
            kind, _, name = item.partition(":")
            if kind == "O":
                self.span("cpu_op", name, start, self.now, {})
            elif kind == "A":
                self.span("user_annotation", name, start, self.now, {})
            elif kind == "M":
                self.span("python_function", "nn.Module: " + name, start, self.now, {})
            else:
                file, line, function = item.rsplit(":", 2)
                self.span("python_function", f"{file}({line}): {function}", start, self.now, {})
        self.now += 1

    def kernel(self, name, duration):
        self.number += 1
        self.span("cuda_runtime", "cudaLaunchKernel", self.now, self.now + 3, {"correlation": self.number})
        self.now += 4
        start = max(self.device + 1, self.now)
        self.device = start + duration
        self.span("kernel", name, start, self.device, {"device": 0, "stream": 7, "correlation": self.number}, 0, 7)

    def save(self, folder, name):
        device = [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}]
        with open(os.path.join(folder, name), "w") as out:
            json.dump({"schemaVersion": 1, "deviceProperties": device, "traceEvents": sorted(self.events, key=lambda e: e["ts"])}, out, indent=0)


def module(name, at):
    return ["M:" + name, "torch/nn/modules/module.py:1779:_call_impl", at]


MODEL, CALL = "/srv/models/net.py", "torch/_ops.py:1158:__call__"
ATTEND, MLP, MAIN = MODEL + ":20:attend", MODEL + ":40:mlp", "/srv/serve.py:9:main"
WATCH, IMPLEMENTATION = "/srv/tools/shapes.py:30:dispatch", "/srv/tools/shapes.py:12:inside"


def lines():
    t = Trace()
    with t.inside("A:step[DECODE bs=4]", MAIN, *module("Net_0", MODEL + ":10:forward")):
        with t.inside(*module("Attention_0", ATTEND), "aiter/tuned_gemm.py:552:mm", "O:aten::mm"):
            t.kernel("gemm_qkv", 40)
        with t.inside(MLP, "/src/flash/hopper/flash_attn/interface.py:8:run", "O:flash_attn::fwd"):
            t.kernel("flash_fwd", 30)
        with t.inside(MLP, CALL, "O:mylib::mix", "/srv/ops/mix.py:3:mix", "O:aten::mul"):
            t.kernel("mix", 8)
        with t.inside(MLP, "torch/utils/_device.py:99:__torch_function__", "O:aten::silu"):
            t.kernel("silu", 6)
        for i, (line, name) in enumerate([(ATTEND, "norm"), (MLP, "rope"), (ATTEND, "reshape")]):
            with t.inside(line, WATCH, CALL, f"O:shapes::{name}_{i}", IMPLEMENTATION, "O:aten::copy_"):
                t.kernel("watched_" + name, 5 + i)
    with t.inside("threading.py:1012:run", CALL, "O:mylib::grad", "/srv/ops/grad.py:6:backward", "O:aten::sum"):
        t.kernel("reduce", 4)
    with t.inside("runpy.py:196:_run_module_as_main", "aiter/tuned_gemm.py:552:mm", "O:aten::mm"):
        t.kernel("gemm_warm_up", 3)
    return t


def installed():
    t = Trace()
    with t.inside("A:step[DECODE bs=4]", SITE + "vllm/worker.py:20:execute", *module("Llama_0", SITE + "vllm/llama.py:41:forward")):
        with t.inside(SITE + "vllm/_custom_ops.py:34:rms_norm", "O:_C::rms_norm"):
            t.kernel("rms_norm", 9)
        with t.inside(SITE + "requests/api.py:14:post", "O:aten::copy_"):
            t.kernel("copy", 2)
        with t.inside(*module("Fancy_0", SITE + "fancy/block.py:14:forward"), SITE + "fancy/functional.py:8:mix", "O:aten::bmm"):
            t.kernel("bmm", 12)
    with t.inside("/srv/run.py:3:main", SITE + "vllm/compilation/caching.py:7:call", SITE + "einops/einops.py:5:rearrange", "O:aten::clone"):
        t.kernel("clone", 7)
    return t


def layers():
    """The launches of a model of two layers: kernel, op, and what is around."""
    net = module("Net_0", MODEL + ":10:forward")
    yield "embed", "aten::embedding", net
    for i in range(2):
        layer = net + module(f"Layer_{i}", MODEL + ":15:forward")
        attention, mlp = layer + module(f"Attention_{i}", ATTEND), layer + module(f"MLP_{i}", MLP)
        for name, op, around in [("norm", "_C::rms_norm", layer), ("gemm_qkv", "aten::mm", attention), ("rope", "_C::rope", attention),
                                 ("attention", "flash_attn::fwd", attention), ("gemm_out", "aten::mm", attention), ("norm", "_C::rms_norm", layer),
                                 ("gemm_up", "aten::mm", mlp), ("act", "aten::silu", mlp), ("gemm_down", "aten::mm", mlp)]:
            yield name, op, around
    yield "gemm_head", "aten::mm", net


def eager():
    t = Trace()
    for _ in range(2):
        with t.inside("A:step[DECODE bs=4]", MAIN):
            for name, op, around in layers():
                with t.inside(*around, "O:" + op):
                    t.kernel(name, 5)
            with t.inside("/srv/sampler.py:4:sample", "O:aten::argmax"):
                t.kernel("argmax", 2)
    return t


def replay():
    t = Trace()
    same = [name for name, _, _ in layers()]
    other = ["gemm_64x8" if i == 7 else name for i, name in enumerate(same)]
    less = same[:12] + same[13:]
    for names in (same, other, less, ["conv_%d" % i for i in range(8)]):
        with t.inside("A:step[DECODE bs=4]", "/srv/runner.py:8:replay"):
            t.number += 1
            t.span("cuda_runtime", "cudaGraphLaunch", t.now, t.now + 5, {"correlation": t.number})
            t.now += 6
            for name in names:
                start = max(t.device + 1, t.now)
                t.device = start + 4
                t.span("kernel", name, start, t.device, {"device": 0, "stream": 7, "correlation": t.number}, 0, 7)
            t.now = t.device + 5
    return t


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "sample", "whose")
    os.makedirs(folder, exist_ok=True)
    lines().save(folder, "lines.json")
    installed().save(folder, "installed.json")
    eager().save(folder, "eager.json")
    replay().save(folder, "replay.json")


if __name__ == "__main__":
    main()
