#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a small net with torch.compile on a CPU, with provenance and a log of TORCH_TRACE, and holds the lines that tfprof reads from
what Inductor wrote against the source: compiled.py PROGRAM. The kernels' names are those that Inductor made; they stand in a made-up
replay, as a CPU has no kernels of a device. The same with the file that torch's own get_kernel_information_jsons gives, and with the
stacks that its inductor_trace_handler puts into a trace. Needs torch, of TFPROF_TORCH_PYTHON or of this Python; without it nothing is
tested. The last line is `N passed, N failed`."""
import json
import os
import subprocess
import sys
import tempfile

NET = '''import json, sys
import torch
torch.set_num_threads(1)
torch._inductor.config.trace.provenance_tracking_to_timeline = True
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(16, 32)
    def forward(self, x):
        h = self.first(x)
        h = torch.sigmoid(h)           # 11
        return torch.softmax(h, -1)
net = torch.compile(Net())
with torch.no_grad():
    net(torch.randn(4, 16))
from torch._inductor.debug import get_kernel_information_jsons
with open(sys.argv[1], "w") as f:
    json.dump(get_kernel_information_jsons(), f)
'''


def python_with_torch():
    for python in (os.environ.get("TFPROF_TORCH_PYTHON"), sys.executable):
        code = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
        if python and subprocess.run([python, "-c", code], check=False).returncode == 0:
            return python
    return None


def replay(path, kernels):
    """kernels: (name, stack or None) pairs."""
    events = [{"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 1, "ts": 10, "dur": 5, "args": {"correlation": 1}}]
    for i, (name, stack) in enumerate(kernels):
        args = {"device": 0, "stream": 7, "correlation": 1, **({"stack": stack} if stack else {})}
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 30 + 10 * i, "dur": 5, "args": args})
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": events}, f)


def lines(program, trace, *words):
    query = "SELECT name, line, line_from FROM attribution ORDER BY start_us"
    done = subprocess.run([program, "query", query, trace, *words, "-format", "jsonl"], capture_output=True, text=True, check=False)
    rows = [row for row in map(json.loads, done.stdout.splitlines()) if "line_from" in row]
    return [(row["name"], row["line"]) for row in rows], done.stderr


def main():
    program, python = os.path.abspath(sys.argv[1]), python_with_torch()
    if not python:
        print("left out: no torch\n0 passed, 0 failed")
        return 0
    results = []
    with tempfile.TemporaryDirectory() as folder:
        net, told, log = (os.path.join(folder, name) for name in ("net.py", "told.json", "log"))
        with open(net, "w", encoding="utf-8") as f:
            f.write(NET)
        env = dict(os.environ, INDUCTOR_PROVENANCE="1", TORCH_TRACE=log, TORCHINDUCTOR_FORCE_DISABLE_CACHES="1",
                   TORCHINDUCTOR_CACHE_DIR=os.path.join(folder, "cache"), CUDA_VISIBLE_DEVICES="")
        done = subprocess.run([python, net, told], env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            print("left out: torch.compile does not work here: %s\n0 passed, 0 failed" % done.stderr.strip().split("\n")[-1])
            return 0
        with open(told, encoding="utf-8") as f:
            regions = json.load(f)
        stacks = {key.split(":")[0]: info["stack_traces"] for kernels in regions.values() for key, info in kernels.items()
                  if not key.startswith("extern_kernels.")}
        results.append(("kernels", len(stacks) > 0, sorted(stacks)))
        wanted = []
        for name in sorted(stacks):  # the text of the last frame of the first stack
            place = [line for line in stacks[name][0].split("\n") if line.startswith("  File")][-1].split(", ")
            wanted.append((name, "%s:%s:%s" % (place[0][8:-1], place[1][5:], place[2][3:])))
        results.append(("lines are those of the source", all(line.startswith(net + ":1") and line.endswith(":forward") for _, line in wanted), wanted))
        plain, stacked = os.path.join(folder, "replay.json"), os.path.join(folder, "stacked.json")
        replay(plain, [(name, None) for name, _ in wanted])
        replay(stacked, [(name, stacks[name]) for name, _ in wanted])
        for what, trace, words in (("log", plain, ["--inductor_path", log]), ("file", plain, ["--inductor_path", told]), ("stack", stacked, [])):
            got, errors = lines(program, trace, *words)
            results.append((what, got == wanted, (got, errors)))
    for what, good, more in results:
        if not good:
            print("FAILED", what, more)
    passed = sum(bool(good) for _, good, _ in results)
    print("%d passed, %d failed" % (passed, len(results) - passed))
    return passed < len(results)


if __name__ == "__main__":
    sys.exit(main())
