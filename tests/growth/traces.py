# SPDX-License-Identifier: Apache-2.0
"""Kinds of traces as JSON and XPlane, and of compiled programs as HLO and StableHLO."""
import json

from kinds import kind

import xspace


# ---- traces as JSON ----

def trace(events, **more):
    return {"trace.json": json.dumps({"schemaVersion": 1, "traceEvents": events, **more}).encode()}


def span(cat, name, ts, dur, tid=1, pid=1, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur,
            "args": {k.replace("_", " "): v for k, v in args.items()}}


def marked(events, steps, length):
    """Adds ProfilerStep marks of equal length."""
    return trace(events + [span("user_annotation", "ProfilerStep#%d" % i, i * length / steps, length / steps) for i in range(steps)])


def launched(i, correlation, start, dur, stream=7):
    return [span("cuda_runtime", "cudaLaunchKernel", i * 10 + 2, 2, correlation=correlation),
            span("kernel", "k%d" % (i % 100), start, dur, stream, 0, correlation=correlation, device=0, stream=stream)]


@kind(3600)  # size at which paths of nested spans begin to be shortened: beyond it the cost of a span is constant
def spans_in_each_other(n):
    return marked([span("cpu_op", "op%d" % (i % 20), i, 2 * (n - i)) for i in range(n)], 2, 2 * n)


@kind(3600)  # size at which paths of nested spans begin to be shortened: beyond it the cost of a span is constant
def spans_at_one_time(n):
    return marked([span("cpu_op", "op%d" % (i % 20), 5, 10) for i in range(n)], 2, 20)


@kind(3600)  # size at which paths of nested spans begin to be shortened: beyond it the cost of a span is constant
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


@kind(500)
def a_step_and_a_device_each(n):
    """The table of steps has a row for each pair; beyond its limit it is refused."""
    return trace([span("user_annotation", "ProfilerStep#%d" % i, i * 10, 9) for i in range(n)] +
                 [span("kernel", "k", i * 10 + 1, 5, 7, i, device=i, stream=7, correlation=i) for i in range(n)])


@kind(2000)
def long_name_around_all(n):
    """The critical path has a piece of the long span before and after each of the other spans."""
    return marked([span("cpu_op", "x" * 100 * n, 0, 10 * n)] + [span("cpu_op", "op%d" % i, i * 10 + 1, 5) for i in range(n)], 2, 10 * n)


@kind(4000)
def steps_at_one_time(n):
    """Paths through that many scopes are shortened, so the cost of each is bounded; this is visible from
    this size on."""
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


def of_ranks(make, n):
    """The traces of two ranks, each in its own file."""
    return {"rank%d.json" % rank: json.dumps({"distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": make(rank, n)}).encode()
            for rank in range(2)}


def collectives_of_hosts(rank, n):
    """All within 100: each ends where many points of the steps' thread are near."""
    return ([span("user_annotation", "ProfilerStep#%d" % i, i * n / 2, n / 2) for i in range(2)] +
            [span("user_annotation", "gloo:all_reduce", i + 0.1 + rank / 4, 90 + i % 7, 2 + i % 3) for i in range(n)] +
            [span("cpu_op", "op%d" % (i % 20), i, 0.6) for i in range(n)])


@kind(1500)
def hosts_that_reduce(n):
    return of_ranks(collectives_of_hosts, n)


def rank_that_waits(rank, n):
    events = [span("user_annotation", "ProfilerStep#%d" % i, i * n * 5, n * 5) for i in range(2)]
    for i in range(n):
        events += [span("cuda_runtime", "cudaLaunchKernel", i * 10 + 2, 2, correlation=i + 1),
                   span("kernel", "ncclDevKernel_AllReduce_Sum_f32", i * 10 + 5 + rank, 5 * n, 20 + i % 70, 0, correlation=i + 1, device=0,
                        stream=20 + i % 70, Collective_name="allreduce", In_msg_nelems=7, Process_Group_Name="0", Seq=1),
                   span("cuda_runtime", "cudaDeviceSynchronize", i * 10 + 4, 5)]
    return events


@kind(900)
def ranks_that_wait(n):
    """Every collective has the same number as all others, and every call waits for all streams."""
    return of_ranks(rank_that_waits, n)


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


@kind(900)
def xplane_planes_with_steps(n):
    """Each device has its own window for its step."""
    planes = []
    for i in range(n):
        planes.append(xspace.Plane("/device:TPU:%d" % i))
        planes[-1].line(1, "Steps", [planes[-1].event("1", 500, 2000)])
        planes[-1].line(2, "XLA Ops", [planes[-1].event("op", 1000, 1000), planes[-1].event("op", 3000, 1000)])
    return {"t.xplane.pb": xspace.space(planes)}


@kind(1500)
def xplane_steps_by_types(n):
    """`stats` would need a value for each step of each type; beyond its limit it is refused."""
    plane = xspace.Plane("/device:TPU:0")
    plane.line(1, "XLA Ops", [plane.event("op%d" % i, i * 1000, 500, hlo_category="x", program_id=i) for i in range(n)])
    plane.line(2, "Steps", [plane.event("%d" % i, i * 1000, 1000, group_id=i) for i in range(n)])
    return {"t.xplane.pb": xspace.space([plane])}


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
