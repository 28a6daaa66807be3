#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes one recording with PyTorch's own encoders as JSON and as .pftrace, and holds the answers of tfprof to both against each other in
every view: torch_pftrace.py PROGRAM. The host part is a real recording of a small net with stacks and shapes; launches, kernels, copies, a
CUDA graph with names, counters and synchronisations are made up, as there is no GPU: torch gets CUPTI's names from a module made here.
Needs torch of 2.15 or newer, of TFPROF_TORCH_PYTHON or of this Python; without it nothing is tested. The last line is `N passed, N failed`."""
import json
import os
import subprocess
import sys
import tempfile

# Runs inside of the Python that has torch. Writes STEM.json and STEM.pftrace.
WINDOW = r'''
import enum, importlib.util, json, os, sys, types
import numpy as np, torch
STEM = sys.argv[1]
RUNTIME = {"cudaLaunchKernel": 211, "cudaMemcpyAsync": 41, "cudaMemsetAsync": 51, "cudaGraphLaunch": 311, "cudaStreamSynchronize": 131}
names = types.ModuleType("cupti.cupti")
names.Runtime_api_trace_cbid = enum.IntEnum("Runtime", {name + "_v3020": n for name, n in RUNTIME.items()})
names.Driver_api_trace_cbid = enum.IntEnum("Driver", {"cuLaunchKernel": 307})
sys.modules["cupti"] = types.ModuleType("cupti")
sys.modules["cupti"].cupti = sys.modules["cupti.cupti"] = names
path = os.path.join(os.path.dirname(torch.__file__), "profiler", "_cuspy", "trace.py")
if not os.path.exists(path):
    sys.exit("no typed encoder in this torch")
spec = importlib.util.spec_from_file_location("encoder", path)
encoder = importlib.util.module_from_spec(spec)
spec.loader.exec_module(encoder)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(16, 32), torch.nn.Linear(32, 8)
    def forward(self, x):
        return self.second(torch.relu(self.first(x)))

net, x = Net(), torch.randn(4, 16)
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True, with_stack=True, with_modules=True,
                            schedule=torch.profiler.schedule(wait=0, warmup=1, active=3, repeat=1)) as p:
    for _ in range(4):
        net(x).sum().backward()
        p.step()
p.export_chrome_trace(STEM + ".host.json")
with open(STEM + ".host.json", encoding="utf-8") as f:
    host = json.load(f)
# what the typed encoder leaves out: instants, arrows between operators, properties
host["traceEvents"] = [e for e in host["traceEvents"] if e.get("ph") in ("M", "X") and e.get("cat") != "Trace"]
base = int(host["baseTimeNanoseconds"])
with open(STEM + ".host.json", "w", encoding="utf-8") as f:
    json.dump(host, f)

def ns(us):
    return base + round(us * 8) * 125  # a time that a fraction of microseconds holds exactly

columns = {}
def add(kind, **row):
    columns.setdefault(kind, []).append(row)
WORK = dict(device_id=0, context_id=1, graph_id=0, graph_node_id=0, channel=2, channel_type=1)
KERNEL = dict(grid_x=4, grid_y=2, grid_z=1, block_x=128, block_y=1, block_z=1, registers_per_thread=32, static_shared_memory=0,
              dynamic_shared_memory=1024, priority=0, queued=0, metadata=None, annotation=None)
free, number, annotations = 0.0, 0, {}
def call(name, e, at, until):
    global number
    number += 1
    add("cuda_runtime", start_ns=ns(at), end_ns=ns(until), cbid=RUNTIME[name], process_id=e["pid"], thread_id=e["tid"], correlation_id=number)
    return number
def work(kind, launch, duration, stream=7, gap=0.0, **more):
    global free
    start = max(free, gap) + 0.5
    free = start + duration
    add(kind, start_ns=ns(start), end_ns=ns(free), stream_id=stream, correlation_id=launch, **{**WORK, **more})

ops = sorted((e for e in host["traceEvents"] if e.get("cat") == "cpu_op" and e["dur"] > 1), key=lambda e: e["ts"])
for e in ops:
    leaf, at = e["name"], e["ts"]
    if leaf in ("aten::addmm", "aten::mm", "aten::relu", "aten::threshold_backward"):
        launch = call("cudaLaunchKernel", e, at + e["dur"] * 0.4, at + e["dur"] * 0.6)
        work("kernel", launch, 6 + number % 5, gap=at + e["dur"], name=("gemm_%s(float*)" if "mm" in leaf else "void elementwise<%s>(int)") % leaf[6:], **KERNEL)
    elif leaf == "aten::copy_":
        launch = call("cudaMemcpyAsync", e, at + e["dur"] * 0.4, at + e["dur"] * 0.6)
        work("gpu_memcpy", launch, 4, gap=at + e["dur"], bytes=4096, copy_kind=1, src_kind=2, dst_kind=3, flags=0, annotation=None)
    else:
        continue
    add("external_correlation", correlation_id=launch, external_id=e["args"]["External id"], user_external_id=e["args"]["External id"])
steps = [e for e in host["traceEvents"] if e["name"].startswith("ProfilerStep")]
meta = {"Collective name": "allreduce", "In msg nelems": 1024, "Out msg nelems": 1024, "Group size": 2, "dtype": "Float", "Process Group Name": "0",
        "Process Group Description": "default_pg", "Process Group Ranks": [0, 1], "Rank": 0}
for e in steps:
    end = e["ts"] + e["dur"]
    launch = call("cudaMemsetAsync", e, end - 9, end - 8)
    work("gpu_memset", launch, 1, gap=end - 7, bytes=512, value=0, memory_kind=3, flags=0, annotation=None)
    launch = call("cudaLaunchKernel", e, end - 7.5, end - 7)
    work("kernel", launch, 5, 13, end - 6.5, name="ncclDevKernel_AllReduce_Sum_f32_RING_LL(void)", **{**KERNEL, "metadata": json.dumps(meta)})
    launch = call("cudaGraphLaunch", e, end - 6, end - 5)
    for k, (name, note) in enumerate((("gemm_a(float*)", {"name": "layers.0.attention.wq"}), ("gemm_b(float*)", {"module_fqn": "layers.0.w1", "autograd_phase": "backward"}),
                                      ("plain(float*)", None))):
        work("kernel", launch, 3, 7, end - 4.5, name=name, **{**KERNEL, "annotation": note, "graph_id": 3, "graph_node_id": 3 << 32 | 10 + k})
    work("graph_event_node", launch, 0, graph_id=3, graph_node_id=3 << 32 | 20, annotation=None)
    work("graph_host_node", launch, 1, graph_id=3, graph_node_id=3 << 32 | 21, annotation=None, process_id=e["pid"], thread_id=9, host_fn="notify", host_fn_addr=4096)
    launch = call("cudaStreamSynchronize", e, end - 4.5, end - 1)
    add("cuda_sync", start_ns=ns(end - 4), end_ns=ns(end - 2), sync_type=3, context_id=1, stream_id=7, correlation_id=launch, cuda_event_id=0, cuda_event_sync_id=0)
    add("overhead", start_ns=ns(end - 1), end_ns=ns(end - 0.5), name="Command Buffer Full")
    for kind, data in ((3, 150000), (1, 1500 | 2000 << 32)):
        add("environment", start_ns=ns(end), device_id=0, environment_kind=kind, data=data)

def column(values):
    if all(isinstance(v, int) for v in values):
        return np.array(values, dtype=np.int64)
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out

window = {"columns": {kind: {key: column([row.get(key) for row in rows]) for key in rows[0]} for kind, rows in columns.items()},
          "thread_resource_map": {}, "user_annotations": {}, "graph_deps": {3 << 32 | 11: [3 << 32 | 10]}}
for ending in (".json", ".pftrace"):
    encoder.merge_trace_window_into_chrome_trace(STEM + ".host.json", STEM + ending, window)
'''

VIEWS = ["summary", "op", "op -select float_ops,input_shapes", "scope", "graph", "code", "kernel", "steps", "steps -critical_path", "steps -why", "transfer", "wait", "lines", "calls",
         "memory", "check", "whatif", "flops", "stats", "info"]
QUERIES = ["SELECT name, lane, graph, graph_node, replay, certainty, reason, module, op, line, path FROM attribution ORDER BY start_us, name",
           "SELECT class, reason, activities, device_us, module_us, line_us FROM coverage",
           "SELECT DISTINCT name, series, value FROM counters WHERE name NOT LIKE 'Cycles%' ORDER BY name, value",
           "SELECT lane, kind, class, name, duration_ns, self_ns FROM spans WHERE kind <> 'other' ORDER BY start_ns, duration_ns DESC, name"]
# what the encoder leaves out, or names otherwise
DIFFERS = ("count", "files", "label", "span")


def python_with_torch():
    for python in (os.environ.get("TFPROF_TORCH_PYTHON"), sys.executable):
        code = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
        if python and subprocess.run([python, "-c", code], check=False).returncode == 0:
            return python
    return None


def plain(value, view):
    """An answer without what must differ."""
    if isinstance(value, dict):
        return {k: plain(v, view) for k, v in value.items() if not (view == "info" and k in DIFFERS) and k != "span"}
    if isinstance(value, list):
        return [plain(v, view) for v in value]
    return value


def answer(program, words, trace):
    done = subprocess.run([program, *words, trace], capture_output=True, text=True, check=False)
    said = done.stderr.replace(trace, "F")
    try:
        return plain(json.loads(done.stdout.replace(trace, "F")), words[0]), said
    except ValueError:
        return done.stdout.replace(trace, "F"), said


def first_difference(a, b, at=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in list(a) + list(b):
            if a.get(key) != b.get(key):
                return first_difference(a.get(key), b.get(key), f"{at}.{key}")
    if isinstance(a, list) and isinstance(b, list):
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return first_difference(x, y, f"{at}[{i}]")
    return at, str(a)[:300], str(b)[:300]


def main():
    program, python = os.path.abspath(sys.argv[1]), python_with_torch()
    if not python:
        print("left out: there is no torch here\n0 passed, 0 failed")
        return 0
    failed = passed = 0
    with tempfile.TemporaryDirectory() as folder:
        stem, script = os.path.join(folder, "window"), os.path.join(folder, "window.py")
        with open(script, "w", encoding="utf-8") as f:
            f.write(WINDOW)
        done = subprocess.run([python, script, stem], capture_output=True, text=True, check=False, cwd=folder)
        if done.returncode:
            print("left out: torch writes no typed traces here: %s\n0 passed, 0 failed" % (done.stderr.strip().split("\n") or [""])[-1])
            return 0
        asked = [view.split() + ["-format", "json"] for view in VIEWS] + [["query", sql, "-format", "json"] for sql in QUERIES]
        for words in asked:
            a, b = (answer(program, words, stem + ending) for ending in (".json", ".pftrace"))
            if a == b and (a[0] or words[0] in ("graph", "memory")):  # of these the file has nothing
                passed += 1
            else:
                failed += 1
                print("FAILED", " ".join(words), first_difference(list(a), list(b)))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
