#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes sample/graphs: traces of a model of three layers whose kernels run as HIP and CUDA graphs, and the captures of these graphs.

    graphs.py [DIR]                     default: tests/data/sample/graphs

capture.json      the graph is captured on HIP: launches without activities tell their kernels' names
replay.json       two replays of it, each followed by a sampler that runs eagerly; the second one lacks a node
other.json        the capture of another model, which fits nothing
own.json          capture and replays in one trace
cuda.json         two replays on CUDA, whose nodes have ids, out of order on two streams; cuda_capture.json: its capture
pieces.json       pieces of graphs that look alike, in a round; pieces_capture.json: their captures
compiled.json     kernels that Inductor made, eager and replayed; kernel_information.json: their lines
"""
import json
import os
import sys

GEMM = "Cijk_Alik_Bljk_BBS_BH_MT128x128x64_MI16x16x1_SN"
NORM = "void vllm::rms_norm_kernel<float, 4>(float*, float const*, float, int, int)"
ADD = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)"
KERNELS = {"aten::mm": GEMM, "_C::rms_norm": NORM, "aten::add": ADD}


class Trace:
    def __init__(self, api="hip"):
        self.api, self.events, self.now, self.number, self.free = api, [], 1000, 100, {}
        self.thread = 50

    def span(self, category, name, start, end, args, pid=50, tid=None):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": self.thread if tid is None else tid, "ts": start,
                            "dur": end - start, "args": args})

    def inside(self, category, name, body, args=None):
        start = self.now
        self.now += 1
        body()
        self.now += 1
        self.span(category, name, start, self.now, args or {})
        self.now += 1

    def call(self, name, **args):
        self.number += 1
        self.span("cuda_runtime", self.api + name, self.now, self.now + 4, {"correlation": self.number, **args})
        self.now += 6
        return self.number

    def activity(self, name, launch, duration, stream=7, args=None):
        start = max(self.free.get(stream, 0) + 1, self.now + 5)
        self.free[stream] = start + duration
        self.span("kernel", name, start, start + duration,
                  {"device": 0, "stream": stream, "correlation": launch, **(args or {})}, 0, stream)

    def launch(self, op, captured, nodes):
        kernel = KERNELS.get(op, op)
        hip = self.api == "hip"
        number = self.call("ModuleLaunchKernel" if hip else "LaunchKernel", **({"kernel": kernel} if hip else {}))
        if not captured:
            self.activity(kernel, number, 10)
        nodes.append(kernel)

    def op(self, name, captured, nodes):
        args = {"Input Dims": [[8, 16], [16, 4]], "Input type": ["float", "float"]} if name == "aten::mm" else {}
        self.inside("cpu_op", name, lambda: self.launch(name, captured, nodes), args)

    def module(self, name, body):
        self.inside("python_function", "nn.Module: " + name, body)

    def frame(self, name, body):
        self.inside("python_function", name, body)

    def capture(self, body):
        self.call("StreamBeginCapture")
        body()
        self.call("StreamEndCapture")

    def step(self, number, body):
        self.inside("user_annotation", f"ProfilerStep#{number}", body)
        self.now = max([self.now] + list(self.free.values())) + 10

    def replay(self, nodes, lost=(), graph=0, late=()):
        launch = self.call("GraphLaunch")
        for i, kernel in enumerate(nodes):
            if i in lost:
                continue
            ids = {"graph id": graph, "graph node id": graph << 32 | 2 * i + 1} if graph else {}
            self.activity(kernel, launch, 20 + i, 9 if i in late else 7, ids)

    def write(self, path, extra=None):
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], **(extra or {}),
                       "traceEvents": self.events}, f, separators=(",", ":"))
            f.write("\n")


def model(t, captured, nodes, layers=3, file="/app/net.py"):
    def layer(i):
        t.op("_C::rms_norm", captured, nodes)
        t.module(f"Linear_{i}", lambda: t.frame("torch/nn/modules/linear.py(125): forward",
                                                lambda: t.op("aten::mm", captured, nodes)))
        t.frame(f"{file}(31): first", lambda: t.op("aten::add", captured, nodes))
        t.frame(f"{file}(32): second", lambda: t.op("aten::add", captured, nodes))

    def forward():
        for i in range(layers):
            t.module(f"Layer_{i}", lambda i=i: t.frame(f"{file}(20): forward", lambda: layer(i)))
    t.module("Net_0", lambda: t.frame(f"{file}(10): forward", forward))


def captured(t, **more):
    nodes = []
    model(t, False, [], **more)
    t.capture(lambda: model(t, True, nodes, **more))
    return nodes


def trained(t):
    """A network that is captured whole: PyTorch's engine runs the backward pass in thread 60, without frames. Thread 61 launches
    something else meanwhile, whose activity is lost."""
    nodes = []

    def sequence(number, forward=0):
        return {"Sequence number": number, "Fwd thread id": forward}

    def forward(i):
        t.module(f"Layer_{i}", lambda: t.frame(f"/app/net.py({20 + i}): forward", lambda: t.inside(
            "cpu_op", "aten::mm", lambda: t.launch("aten::mm", True, nodes), sequence(i + 1))))

    def backward(i):
        t.inside("cpu_op", "autograd::engine::evaluate_function: MmBackward0", lambda: t.inside(
            "cpu_op", "MmBackward0", lambda: (t.op("aten::mm", True, nodes), t.op("aten::add", True, nodes)), sequence(i + 1, 1)), sequence(i + 1, 1))

    def body():
        t.module("Net_0", lambda: [forward(i) for i in range(2)])
        t.thread = 61
        t.call("ModuleLaunchKernel" if t.api == "hip" else "LaunchKernel")
        t.thread = 60
        for i in (1, 0):
            backward(i)
        t.thread = 50
        t.op("aten::add", True, nodes)
    t.capture(body)
    return nodes


def replays(t, nodes, lost=(), **more):
    for i in range(2):
        def body(i=i):
            t.frame("/srv/runner.py(208): replay", lambda: t.replay(nodes, lost if i else (), **more))
            t.frame("/srv/sampler.py(7): sample", lambda: t.op("aten::argmax", False, []))
        t.step(i, body)


def pieces(t, capture):
    """Four pieces, of which the last three look alike. The trace begins within a round."""
    def piece(i, nodes):
        t.module(f"Piece_{i}", lambda: t.frame("/app/net.py(40): piece", lambda: (
            t.op("aten::mm", True, nodes), t.op("aten::add" if i else "_C::rms_norm", True, nodes))))
    if capture:
        for i in range(4):
            t.capture(lambda i=i: piece(i, []))
        return
    for number in range(2):
        t.step(number, lambda number=number: [t.replay([GEMM, ADD if i else NORM]) for i in range(0 if number else 2, 4)])


def compiled(t):
    fused, eager = "triton_poi_fused_add_0", "triton_red_fused_mean_1"
    for i in range(2):
        t.step(i, lambda: (t.op(eager, False, []), t.replay([fused, eager, GEMM])))


def annotated(t):
    """As PyTorch 2.15 writes names of mark_kernels into the kernels of replays; the last kernel has none."""
    names = [{"name": "layers.0.attention.wq"}, {"name": "layers.0.attention.wq", "autograd_phase": "backward"}, {"name": "all reduce 1.5"},
             {"module_fqn": "layers.1", "name": "phase"}, {}]
    for i in range(2):
        def body():
            launch = t.call("GraphLaunch")
            for k, name in enumerate(names):
                t.activity([GEMM, GEMM, ADD, NORM, ADD][k], launch, 20 + k, 7, {"graph id": 3, "graph node id": k + 1, **name})
        t.step(i, body)


def write(folder):
    os.makedirs(folder, exist_ok=True)

    def at(name):
        return os.path.join(folder, name)
    t = Trace()
    nodes = captured(t)
    t.write(at("capture.json"))
    t = Trace()
    replays(t, nodes, lost=(3,))
    t.write(at("replay.json"))
    t = Trace()
    captured(t, layers=4, file="/app/other.py")
    t.write(at("other.json"))
    t = Trace()
    nodes = captured(t)
    t.now += 500
    replays(t, nodes)
    t.write(at("own.json"))
    t = Trace("cuda")
    nodes = captured(t)
    t.write(at("cuda_capture.json"))
    t = Trace("cuda")
    replays(t, nodes, lost=(2,), graph=40, late=(1, 5))
    t.write(at("cuda.json"))
    t = Trace("cuda")
    nodes = trained(t)
    t.write(at("trained_capture.json"))
    t = Trace("cuda")
    replays(t, nodes)
    t.write(at("trained.json"))
    t = Trace()
    nodes = trained(t)
    t.now += 500
    replays(t, nodes)
    t.write(at("trained_own.json"))
    for name, capture in (("pieces_capture.json", True), ("pieces.json", False)):
        t = Trace()
        pieces(t, capture)
        t.write(at(name))
    t = Trace()
    compiled(t)
    t.write(at("compiled.json"))
    t = Trace("cuda")
    annotated(t)
    t.write(at("annotated.json"), {"cudaGraphInlineAnnotated": True})
    stacks = {str(3 << 32 | node): f"/app/net.py:{10 * node}:forward\n/app/train.py:3:step" for node in (1, 2, 5)}
    with open(at("py_stacks.json"), "w", encoding="utf-8") as f:
        json.dump(stacks, f)
    stack = '  File "/app/net.py", line 61, in forward\n    y = f(x)\n  File "/app/net.py", line 70, in f\n    return x + w\n'
    info = {"triton_poi_fused_add_0:1": {"stack_traces": [stack], "post_grad_nodes": ["add"]},
            "triton_red_fused_mean_1:2": {"stack_traces": [stack.replace("70", "72")]},
            "triton_red_fused_mean_1:3": {"stack_traces": [stack.replace("70", "75")]},
            "extern_kernels.mm:4": {"stack_traces": [stack]}}
    t = Trace()
    t.step(0, lambda: t.replay([[stack, stack.replace("70", "71")], stack.replace("70", "72"), []]))
    for event in t.events:  # as inductor_trace_handler leaves a trace
        if event["cat"] == "kernel":
            event["name"], event["args"]["stack"] = "triton_poi_fused_%d" % (event["ts"] % 100), event["name"]
    t.write(at("stacked.json"))
    log = ["V1124 10:00:00.000000 7 torch/_dynamo/utils.py:2132] {\"chromium_event\": {}, \"has_payload\": \"ab\"}", "\t{", "\t\"name\": \"dynamo\"", "\t}",
           "V1124 10:00:01.000000 7 torch/_inductor/compile_fx.py:1961] {\"artifact\": {\"name\": "
           "\"inductor_provenance_tracking_kernel_stack_traces\", \"encoding\": \"json\"}, \"frame_id\": 0, \"has_payload\": \"cd\"}",
           "\t" + json.dumps({key: told["stack_traces"] for key, told in info.items()}),
           "V1124 10:00:02.000000 7 torch/_dynamo/utils.py:2132] {\"compilation_metrics\": {}}"]
    with open(at("dedicated_log_torch_trace_a1.log"), "w", encoding="utf-8") as f:
        f.write("\n".join(log) + "\n")
    with open(at("kernel_information.json"), "w", encoding="utf-8") as f:
        json.dump(info, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    data = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    write(sys.argv[1] if len(sys.argv) > 1 else os.path.join(data, "sample", "graphs"))
