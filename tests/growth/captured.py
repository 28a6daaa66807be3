# SPDX-License-Identifier: Apache-2.0
"""Kinds of traces with graphs that are captured and replayed: graphs that look alike, graphs that differ but all match, nodes that
did not run."""
from kinds import kind
from traces import span, trace
import xspace_buffers as buffers

CAPTURE = 100  # length of a capture or a replay in microseconds


def call(name, ts, correlation, **args):
    return span("cuda_runtime", name, ts, 1, correlation=correlation, **args)


def captured(i, ops, **args):
    """One capture: ops in a separate module."""
    at, events = i * CAPTURE, []
    for k, op in enumerate(ops):
        events += [span("cpu_op", op, at + 3 + 2 * k, 2), call("hipModuleLaunchKernel", at + 3.5 + 2 * k, 0, **(args or {}) and {"kernel": op})]
    return [call("hipStreamBeginCapture", at, 0), span("python_function", "nn.Module: M_%d" % i, at + 2, 2 * len(ops) + 4),
            call("hipStreamEndCapture", at + CAPTURE - 5, 0)] + events


def replayed(i, number, kernels):
    at = i * CAPTURE
    return [call("hipGraphLaunch", at, number)] + [
        span("kernel", name, at + 2 + k, 1, 7, 0, correlation=number, device=0, stream=7) for k, name in enumerate(kernels)]


@kind(1000)
def captures_that_look_alike(n):
    return trace([e for i in range(n) for e in captured(i, ["aten::mm"])] +
                 [e for i in range(n) for e in replayed(n + i, i + 1, ["gemm_%d" % i])])


@kind(160)
def captures_that_all_fit(n):
    bits = range(12)
    return trace([e for i in range(n) for e in captured(i, ["aten::relu" if i >> b & 1 else "norm" for b in bits])] +
                 [e for i in range(n) for e in replayed(n + i, i + 1, ["elementwise_%d" % i if i >> b & 1 else "norm_%d" % i for b in bits])])


@kind(100)
def captures_of_which_nodes_did_not_run(n):
    names = ["k%d" % (k % 2) for k in range(20)]
    return trace([e for i in range(n) for e in captured(i, names, named=True)] +
                 [e for i in range(n) for e in replayed(n + i, i + 1, names[:18] + ["k%d" % (i % 2)])])


def buffer(instructions, kernels):
    """A program of XLA, (name, opcode) pairs, whose command buffer runs kernels."""
    program, recorder = buffers.Program("jit_f", 1), buffers.Recorder()
    program.begin()
    for name, opcode in instructions:
        program.what(name, opcode, "m/op", *([(28, "ffi")] if opcode == "custom-call" else []))
    program.end("main")
    recorder.launch(program, "command_buffer", [buffers.kernel(name, 1) for name in kernels])
    return {"t.xplane.pb": recorder.bytes([program])}


@kind(1000)
def buffers_of_equal_fusions(n):
    return buffer([("add.%d" % i, "fusion") for i in range(n)], ["add_0"] * n)


@kind(1000)
def buffers_of_library_calls(n):
    return buffer([("call.%d" % i, "custom-call") for i in range(n)], ["k%d" % (i % 7) for i in range(2 * n)])
