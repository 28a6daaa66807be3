# SPDX-License-Identifier: Apache-2.0
"""Inputs of any size that make one table or pass work as hard as it can: each function takes a size and gives the files.

KINDS lists (function, size); a function returns {name: bytes}. The first name is what is opened; a kind may name several
files with the flag that each stands behind.
"""
import gzip
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data"))
import xspace  # noqa: E402
from wire import bytes_field as text, number_field as number, varint  # noqa: E402

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
GPU = "/job:localhost/replica:0/task:0/device:GPU:%d"
KINDS = []


def kind(size):
    def keep(make):
        KINDS.append((make, size))
        return make
    return keep


# ---- graphs ----

def node(name, op="NoOp", inputs=(), more=b""):
    return text(1, text(1, name) + text(2, op) + b"".join(text(3, i) for i in inputs) + more)


def graph(nodes):
    return {"graph.pb": b"".join(nodes)}


@kind(4800)
def chain_of_inputs(n):
    return graph([node("n0")] + [node("n%d" % i, "Identity", ["n%d" % (i - 1)]) for i in range(1, n)])


@kind(4800)
def one_node_feeds_all(n):
    return graph([node("a")] + [node("n%d" % i, "Identity", ["a", "a"]) for i in range(n)])


@kind(6000)
def all_feed_one_node(n):
    return graph([node("n%d" % i) for i in range(n)] + [node("z", "AddN", ["n%d" % i for i in range(n)])])


@kind(15000)
def one_name_for_all(n):
    return graph([node("a", "Op", ["a"]) for _ in range(n)])


@kind(6000)
def inputs_that_are_not_there(n):
    return graph([node("n%d" % i, "Op", ["missing%d:%d" % (i, i)]) for i in range(n)])


@kind(4800)
def one_long_cycle(n):
    return graph([node("n%d" % i, "Op", ["n%d" % ((i + 1) % n)]) for i in range(n)])


@kind(4000)
def many_short_cycles(n):
    return graph([node("n%d" % i, "Op", ["n%d" % (i ^ 1), "n%d" % i]) for i in range(n)])


@kind(60000)
def two_full_layers(n):
    side = int(n ** 0.5)
    return graph([node("a%d" % i) for i in range(side)] +
                 [node("b%d" % i, "AddN", ["a%d" % k for k in range(side)]) for i in range(side)])


@kind(10000)
def one_deep_scope(n):
    return graph([node("a/" * n + "b", "MatMul")])


@kind(60000)
def ladder_of_scopes(n):
    """Every depth has a node of its own; the names' bytes are the size."""
    return graph([node("a/" * i + "b", "MatMul") for i in range(1, int(n ** 0.5))])


@kind(4800)
def an_operation_type_each(n):
    return graph([node("s/n%d" % i, "Op%d" % i, ["s/n%d" % (i // 2)]) for i in range(n)])


@kind(12000)
def attributes_of_one_node(n):
    return graph([node("n", "Op", [], b"".join(text(5, text(1, "a%d" % i) + text(2, number(3, i))) for i in range(n)))])


@kind(4000)
def variables(n):
    shape = text(5, text(1, "shape") + text(2, text(7, text(2, number(1, 4)) * 2)))
    return graph([node("block_%d/v%d" % (i // 10, i), "VariableV2", [], shape) for i in range(n)])


@kind(8000)
def functions(n):
    bodies = b"".join(text(1, text(1, text(1, "f%d" % i)) + text(3, text(1, "x") + text(2, "f%d" % (i + 1)))) for i in range(n))
    return graph([node("c", "f0"), text(2, bodies)])


@kind(3600)
def text_graph(n):
    return {"graph.pbtxt": "".join('node { name: "n%d" op: "O" input: "n%d" # remark\n attr { key: "k" value { i: %d } } }\n'
                                   % (i, i // 2, i) for i in range(n)).encode()}


@kind(100000)
def text_string_in_pieces(n):
    return {"graph.pbtxt": b'node { name: ' + b'"a" ' * n + b' op: "O" }\n'}


@kind(400)
def gzip_members(n):
    return {"graph.pb.gz": b"".join(gzip.compress(node("n%d" % i, "O") * 5, mtime=0) for i in range(n))}


# ---- runs ----

def execution(name, start, more=b""):
    return text(1, name) + b"".join(number(k, v) for k, v in ((2, start), (3, 1), (4, 5), (5, 6))) + more


def run_meta(*devices):
    return text(1, b"".join(text(1, text(1, device) + b"".join(text(2, e) for e in executions)) for device, executions in devices))


@kind(10000)
def runs_of_one_node(n):
    return {"graph.pb": node("a"), "run_meta": run_meta((CPU, [execution("a", 1000 + i) for i in range(n)]))}


@kind(3200)
def runs_without_nodes(n):
    return {"graph.pb": node("a"), "run_meta": run_meta((CPU, [execution("x%d" % i, 1000) for i in range(n)]))}


@kind(2000)
def a_device_each(n):
    return {"graph.pb": b"".join(node("n%d" % i) for i in range(n)),
            "run_meta": run_meta(*((GPU % i, [execution("n%d" % i, 1000 + i)]) for i in range(n)))}


@kind(3600)
def one_node_on_many_devices(n):
    return {"graph.pb": node("a"), "run_meta": run_meta(*((GPU % i, [execution("a", 1000 + i)]) for i in range(n)))}


@kind(8000)
def memory_of_one_run(n):
    records = b"".join(text(6, number(1, 1000 + i) + number(2, 64)) for i in range(n))
    outputs = b"".join(text(7, number(1, i)) for i in range(n))
    return {"graph.pb": node("a"), "run_meta": run_meta((CPU, [execution("a", 1000, text(6, text(1, "cpu") + records) + outputs)]))}


@kind(3200)
def a_run_with_memory_each(n):
    held = text(6, text(1, "cpu") + number(2, 4096) + number(3, 4096) + number(4, 64))
    return {"graph.pb": b"".join(node("b%d/n%d" % (i % 50, i)) for i in range(n)),
            "run_meta": run_meta((CPU, [execution("b%d/n%d" % (i % 50, i), 1000 + i % 97, held) for i in range(n)]))}


@kind(60)
def many_files(n):
    files = {"graph.pb": b"".join(node("n%d" % i) for i in range(20))}
    for k in range(n):
        files["run_meta_%d" % k] = run_meta((CPU, [execution("n%d" % i, 1000 * k + i) for i in range(20)]))
    return files


# ---- ProfileProto ----

def profile_node(number_, name, steps=(), more=b""):
    execs = b"".join(text(12, number(1, step) + text(2, number(1, 1) + number(2, 1000 + step) + number(3, 1009 + step) + text(
        5, text(1, CPU) + text(2, text(1, text(1, varint(1000 + step) + varint(9))))))) for step in steps)
    data = text(1, name) + number(13, number_) + text(9, "MatMul") + text(6, CPU) + execs + more
    return text(1, number(1, number_) + text(2, data))


def profile(nodes, steps=(), more=b""):
    return {"profile": b"".join(number(3, s) for s in steps) + b"".join(nodes) + more}


@kind(5000)
def steps_of_one_node(n):
    return profile([profile_node(1, "a", range(n))], range(n))


@kind(6000)
def steps_by_nodes(n):
    side = int(n ** 0.5)
    return profile([profile_node(i + 1, "s%d/n%d" % (i % 9, i), range(side)) for i in range(side)], range(side))


@kind(3000)
def steps_backwards(n):
    return profile([profile_node(1 + i, "n%d" % i, [n - i]) for i in range(n)], range(n, 0, -1))


@kind(15000)
def types_of_one_node(n):
    return profile([profile_node(1, "a", [0], b"".join(text(5, "type%d" % i) for i in range(n)))], [0])


def frame(file, line, function):
    return text(1, number(6, file) + number(2, line) + number(7, function))


def names(n):
    return b"".join(text(4, number(1, i) + text(2, "word%d.py" % i)) for i in range(1, n))


@kind(3200)
def one_deep_trace(n):
    trace = text(10, b"".join(frame(1 + i % 50, i, 1 + i % 40) for i in range(n)))
    return profile([profile_node(i, "n%d" % i, [0], trace if i == 1 else b"") for i in range(1, 9)], [0], names(52) + number(2, 1))


@kind(1800)
def a_line_of_code_each(n):
    return profile([profile_node(i, "n%d" % i, [0], text(10, frame(1, 1, 1) + frame(i, i, i))) for i in range(1, n)], [0],
                   names(n) + number(2, 1))


@kind(8000)
def entries_of_one_name(n):
    entries = b"".join(text(1, text(1, "a") + number(2, i) + text(3, "t%d" % i)) for i in range(n))
    return {"graph.pb": node("a"), "op_log": entries}


# ---- traces as JSON ----

def trace(events, **more):
    return {"trace.json": json.dumps({"schemaVersion": 1, "traceEvents": events, **more}).encode()}


def span(cat, name, ts, dur, tid=1, pid=1, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur,
            "args": {k.replace("_", " "): v for k, v in args.items()}}


def marked(events, steps, length):
    """With ProfilerStep marks of equal length over it."""
    return trace(events + [span("user_annotation", "ProfilerStep#%d" % i, i * length / steps, length / steps) for i in range(steps)])


def launched(i, correlation, start, dur, stream=7):
    return [span("cuda_runtime", "cudaLaunchKernel", i * 10 + 2, 2, correlation=correlation),
            span("kernel", "k%d" % (i % 100), start, dur, stream, 0, correlation=correlation, device=0, stream=stream)]


@kind(3600)  # where paths of nested spans begin to be cut: beyond that a span costs the same
def spans_in_each_other(n):
    return marked([span("cpu_op", "op%d" % (i % 20), i, 2 * (n - i)) for i in range(n)], 2, 2 * n)


@kind(3600)  # where paths of nested spans begin to be cut: beyond that a span costs the same
def spans_at_one_time(n):
    return marked([span("cpu_op", "op%d" % (i % 20), 5, 10) for i in range(n)], 2, 20)


@kind(3600)  # where paths of nested spans begin to be cut: beyond that a span costs the same
def spans_that_cross(n):
    return marked([span("cpu_op", "op%d" % (i % 20), i, n) for i in range(n)], 2, 2 * n)


@kind(4000)
def a_thread_each(n):
    return marked([span("cpu_op", "op", i, 100, tid=i) for i in range(n)], 2, n + 100)


@kind(4000)
def a_process_each(n):
    return marked([span("cpu_op", "op", i, 100, pid=i) for i in range(n)], 2, n + 100)


@kind(1600)
def a_step_each(n):
    return marked([span("cpu_op", "op%d" % (i % 20), i * 10 + 1, 5) for i in range(n)], n, n * 10)


@kind(4000)
def steps_at_one_time(n):
    """Paths of what is in so many scopes are cut, so the cost of each is bounded: seen from this size on."""
    return trace([span("user_annotation", "ProfilerStep#%d" % i, 5, 100) for i in range(n)] +
                 [span("cpu_op", "op", 6 + i % 50, 5) for i in range(n)])


@kind(3000)
def kernels_that_overlap(n):
    return marked([e for i in range(n) for e in launched(i, i + 1, 10 * i + 5, 5 * n)], 3, n * 15)


@kind(3000)
def kernels_of_one_launch(n):
    return marked([e for i in range(n) for e in launched(i, 1, 10 * i + 5, 4)], 3, n * 10)


@kind(2500)
def a_stream_each(n):
    return marked([e for i in range(n) for e in launched(i, i + 1, 10 * i + 5, 40, i)], 3, n * 10 + 50)


@kind(1700)
def collectives_and_waits(n):
    events = []
    for i in range(n):
        events += [span("kernel", "ncclDevKernel_AllReduce_%d" % i, i * 10, 15, 20 + i % 3, 0, device=0, stream=20 + i % 3,
                        Collective_name="allreduce", In_msg_nelems=i, dtype="Float", Group_size=8),
                   span("gpu_memcpy", "Memcpy HtoD", i * 10, 9, 7, 0, bytes=i, device=0, stream=7),
                   span("cuda_runtime", "cudaStreamSynchronize", i * 10, 9, 2)]
    return marked(events, 3, n * 10)


@kind(3000)
def forward_and_backward(n):
    events = []
    for i in range(n):
        events += [span("cpu_op", "aten::mm", i * 4, 3, Sequence_number=7, External_id=7, Input_Dims=[[i, 4], [4, 4]]),
                   span("cpu_op", "MmBackward0", n * 4 + i * 4, 3, 2, Sequence_number=7, Fwd_thread_id=1, External_id=7)]
    return marked(events, 3, n * 8)


@kind(5000)
def arrows_of_one_id(n):
    return marked([span("cpu_op", "op", i * 10, 5) for i in range(n)] +
                  [{"ph": "sf"[i % 2], "cat": "ac2g", "name": "ac2g", "id": 1, "pid": 1, "tid": 1, "ts": i * 10} for i in range(n)], 2, n * 10)


@kind(1300)
def memory_events(n):
    events = [{"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": i, "s": "t",
               "args": {"Addr": 4096 * (i % 1000), "Bytes": 512 - 1024 * (i % 2), "Device Type": 1, "Device Id": i % 3}} for i in range(n)]
    return marked(events + [span("cpu_op", "op%d" % (i % 20), i, 0.5) for i in range(n)], 2, n)


@kind(4000)
def python_frames(n):
    events = [{"ph": "X", "cat": "python_function", "name": "f%d.py(%d): g" % (i % 300, i), "pid": 1, "tid": 1, "ts": i,
               "dur": 2 * (n - i), "args": {"Python id": i + 1, "Python parent id": i}} for i in range(n)]
    return marked(events + [span("cpu_op", "op", n, 1)], 2, 2 * n)


@kind(20000)
def arguments_of_one_event(n):
    return marked([span("cpu_op", "op", 1, 2, **{"a%d" % i: i for i in range(n)})], 1, 10)


@kind(6000)
def begins_without_ends(n):
    return trace([{"ph": "B", "name": "f", "pid": 1, "tid": 1, "ts": i} for i in range(n)] +
                 [{"ph": "E", "name": "f", "pid": 1, "tid": 2, "ts": i} for i in range(n)])


@kind(6000)
def counters(n):
    return trace([{"ph": "C", "name": "c%d" % i, "pid": 1, "tid": 1, "ts": i, "args": {"a%d" % i: i}} for i in range(n)] +
                 [span("op", "x", 1, 2)])


# ---- traces as XPlane, HLO, StableHLO ----

@kind(2000)
def xplane_events(n):
    plane, host = xspace.Plane("/device:GPU:0 (NVIDIA)"), xspace.Plane("/host:CPU")
    plane.line(7, "Stream #7(Compute)", [plane.event("kernel_%d" % i, i * 1000, 1000 * n, correlation_id=i, group_id=i % 5,
                                                     tf_op="a/b%d/mul:Mul" % i) for i in range(n)])
    host.line(1, "python", [host.event("train", i * 1000, 1000 * n, step_num=i, group_id=i % 5, _r=1) for i in range(n)])
    return {"t.xplane.pb": xspace.space([plane, host])}


@kind(2000)
def xplane_planes(n):
    planes = []
    for i in range(n):
        planes.append(xspace.Plane("/device:GPU:%d" % i))
        planes[-1].line(1, "XLA Ops", [planes[-1].event("op", 1000, 1000)])
    return {"t.xplane.pb": xspace.space(planes)}


@kind(1600)
def hlo_instructions(n):
    module = xspace.Module("m")
    shape = xspace.shape(xspace.F32, 4, 4)
    module.computation("main", ("p", "parameter", shape, []), *(
        ("i%d" % i, "add", shape, ["p" if i == 0 else "i%d" % (i - 1)] * 2) for i in range(n)))
    return {"m.hlo.pb": module.bytes()}


@kind(1600)
def hlo_text(n):
    lines = ["  p = f32[4,4] parameter(0)"] + ["  i%d = f32[4,4] add(%s, p)" % (i, "i%d" % (i - 1) if i else "p") for i in range(n)]
    return {"m.hlo.txt": ("HloModule m\n\nENTRY main {\n%s\n}\n" % "\n".join(lines)).encode()}


@kind(1500)
def hlo_computations(n):
    bodies = ["f%d {\n  p = f32[4] parameter(0)\n  ROOT c = f32[4] %s\n}\n" % (
        i, "call(p), to_apply=f%d" % (i - 1) if i else "add(p, p)") for i in range(n)]
    return {"m.hlo.txt": ("HloModule m\n\n%s\nENTRY main {\n  p = f32[4] parameter(0)\n  ROOT r = f32[4] call(p), to_apply=f%d\n}\n"
                          % ("\n".join(bodies), n - 1)).encode()}


@kind(1600)
def stablehlo_operations(n):
    lines = ["    %%%d = stablehlo.add %s, %%arg0 : tensor<4x4xf32>" % (i, "%%%d" % (i - 1) if i else "%arg0") for i in range(n)]
    return {"m.mlir": ("module @m {\n  func.func public @main(%%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {\n%s\n"
                       "    return %%%d : tensor<4x4xf32>\n  }\n}\n" % ("\n".join(lines), n - 1)).encode()}


@kind(1500)
def stablehlo_functions(n):
    kind_of = "(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n    %0 = "
    called = ["  func.func private @f%d%s%s\n    return %%0 : tensor<4xf32>\n  }\n" % (
        i, kind_of, "call @f%d(%%arg0) : (tensor<4xf32>) -> tensor<4xf32>" % (i - 1) if i else
        "stablehlo.add %arg0, %arg0 : tensor<4xf32>") for i in range(n)]
    return {"m.mlir": ("module @m {\n  func.func public @main%scall @f%d(%%arg0) : (tensor<4xf32>) -> tensor<4xf32>\n"
                       "    return %%0 : tensor<4xf32>\n  }\n%s}\n" % (kind_of, n - 1, "".join(called))).encode()}


# ---- sampled stacks ----

def pprof(functions, stacks):
    """A function each with a place of its own, and samples whose frames are numbers of them, from 1 on."""
    strings = ["", "cpu", "nanoseconds", "file.go"] + ["f%d" % i for i in range(functions)]
    return {"profile.pb": text(1, number(1, 1) + number(2, 2)) +
            b"".join(text(2, b"".join(number(1, frame) for frame in stack) + number(2, 10)) for stack in stacks) +
            b"".join(text(4, number(1, i + 1) + text(4, number(1, i + 1) + number(2, i))) for i in range(functions)) +
            b"".join(text(5, number(1, i + 1) + number(2, i + 4) + number(4, 3)) for i in range(functions)) +
            b"".join(text(6, s) for s in strings)}


@kind(6000)
def a_stack_each(n):
    return pprof(n, [[i + 1, i // 2 + 1, 1] for i in range(n)])


@kind(6000)
def one_deep_stack(n):
    return pprof(n, [range(1, n + 1)] * 2)


@kind(8000)
def one_function_calls_itself(n):
    return pprof(2, [[1] * n, [2] + [1] * n])


@kind(60000)
def stacks_of_every_depth(n):
    return pprof(int(n ** 0.5), [range(1, i + 1) for i in range(1, int(n ** 0.5))])


# ---- printed reports ----

@kind(15000)
def printed_scopes(n):
    lines = ["node name | # parameters", "_TFProfRoot (--/%d params)" % n] + ["  s%d/v%d (1, 1/1 params)" % (i % 100, i) for i in range(n)]
    return {"scope.txt": "\n".join(lines + [""]).encode()}
