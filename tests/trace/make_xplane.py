# SPDX-License-Identifier: Apache-2.0
"""Generates XPlane files for random_traces.py, GPU and TPU planes with a host, from a seed."""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "traces"))
import xspace  # noqa: E402
from xspace import Ref  # noqa: E402

US = xspace.US


class Maker:
    TF_OPS = ["dense/MatMul:MatMul", "dense/BiasAdd:BiasAdd", "a/b/c:_Fused", "loss:Sum"]
    NOTES = ["PjitFunction(step)", "IteratorGetNextOp::DoCompute", "Iterator::Root::Prefetch", "not an op: blank", "a:b:c", "lower:case"]
    CALLS = ["cuLaunchKernel", "cuStreamSynchronize", "cuCtxSynchronize", "MemcpyD2HAsync", "cudaDeviceSynchronize", "cuMemAlloc"]
    PATHS = ["jit(f)/jit(main)/layer0/dot_general:", "jit(f)/mul_1:", "jit(f)/while/body/tanh:", "a/x_2;b/y:", "dense/MatMul:MatMul", "psum"]
    INSTRUCTIONS = ["fusion.1", "fusion.2", "gemm", "all-reduce.3", "all-gather-start.1", "reduce-scatter_x", "custom-call.7.clone",
                    "collective-permute-done.2", "sender.1", "send.4"]
    TPU = ["fusion.1", "fusion.9", "copy.3", "copy-start.5", "copy-done.5", "all-reduce.6", "all-gather-start.2", "all-gather-done.2", "infeed.1",
           "outfeed", "send-done.3", "broadcast.1", "while.2"]

    KERAS = ["multi_step_on_iterator", "one_step_on_iterator", "train_function", "EagerLocalExecute: __inference_test_function_12",
             "make_train_function"]
    FUNCTIONS = ["EagerLocalExecute: __inference_step_8", "EagerLocalExecute: __inference_step_9", "EagerLocalExecute: __inference_log_3"]
    ROOTS = ["FunctionRun", "FunctionRun", "SessionRun"]

    def __init__(self, number):
        self.random = random.Random(number)
        self.correlation, self.calls, self.instructions = 100, [], {}

    def time(self, low, high):
        return self.random.randrange(low, high)

    def calls_of_a_step(self, plane, line, at, length):
        """A call of Keras, or one or two functions, which may return before their work is done."""
        r = self.random
        if self.stands_in == "keras":
            line.append(plane.event(r.choice(self.KERAS), at, r.choice([3 * US, length // 2, length])))
            return
        for begin in [at, at + length // 2][:r.choice([1, 1, 2])]:
            end = begin + r.choice([2 * US, length // 2])
            if r.random() < 0.6:
                line.append(plane.event(r.choice(self.FUNCTIONS), begin, end - begin))
            line.append(plane.event(r.choice(self.ROOTS), begin + 500, r.choice([US, end - begin - 1000]), _r=1))

    def host(self, plane, steps):
        r = self.random
        lines = {}

        def nest(line, start, end, depth):
            at = start
            while at < end:
                at += r.choice([0, 1, 500, 3 * US])
                stop = min(end, at + r.choice([0, 999, 1000, 2 * US, 10 * US + 1, 40 * US, end - start]))
                if at >= stop:
                    break
                kind = r.choice(["op", "note", "call", "call"])
                stats = {}
                name = r.choice({"op": self.TF_OPS, "note": self.NOTES, "call": self.CALLS}[kind])
                if kind == "call":
                    self.correlation += 1
                    stats["correlation_id"] = self.correlation
                    self.calls.append((self.correlation, at))
                lines.setdefault(line, []).append(plane.event(name, at, stop - at, **stats))
                if kind != "call" and depth and r.random() < 0.7:
                    nest(line, at, stop, depth - 1)
                at = stop
                if r.random() < 0.3:
                    break
        number = r.choice([0, 3])
        at = r.randrange(5 * US)
        for _ in range(steps):
            length = r.choice([60, 150, 400]) * US + r.randrange(1000)
            for line in [-77, 12, 55][:r.choice([1, 2, 3])]:
                nest(line, at, at + length, 3)
            if self.stands_in:
                self.calls_of_a_step(plane, lines.setdefault(-77, []), at, length)
            if self.marked:
                lines.setdefault(-77, []).append(plane.event("train", at, length + r.choice([0, 0, 20 * US]), step_num=number))
                number += r.choice([1, 1, 2])
            at += length + r.choice([0, 5 * US, 100 * US])
        for line, events in lines.items():
            if r.random() < 0.5:
                r.shuffle(events)
            cut = r.choice([0, 0, len(events) // 2])  # lines with the same number are one timeline
            for part in (events[:cut], events[cut:]):
                if part:
                    plane.line(line, f"{'tf_data_pool' if line == 55 else 'thread'}/{line}", part)
        plane.line(99, "tf_data/99", [xspace.message((1, plane.meta("aggregate")), (5, 12), (3, 5 * US))])
        return at

    def gpu(self, number):
        r = self.random
        plane = xspace.Plane(f"/device:GPU:{number}", device_vendor="Imaginary", core_count=8)
        streams, free = {}, {}
        for correlation, start in self.calls:
            for _ in range(r.choice([0, 1, 1, 1, 2])):
                stream = r.choice([13, 13, 20])
                at = max(free.get(stream, 0), start + r.choice([-2 * US, 0, US, 5 * US, 60 * US]), 0) + r.randrange(1000)
                end = at + r.choice([0, 1, 800, 2 * US, 15 * US, 50 * US]) + r.randrange(1000)
                free[stream] = end - r.choice([0, 0, 0, 500 * (end - at > 500)])
                stats = {"correlation_id": correlation}
                if r.random() < 0.1:
                    del stats["correlation_id"]
                kind = r.choice(["kernel", "kernel", "kernel", "copy", "set"])
                if kind == "copy":
                    name = r.choice(["MemcpyD2H", "MemcpyH2D", "MemcpyD2D", "MemcpyP2P"])
                    stats["memcpy_details"] = (f"kind_src:{r.choice(['device', 'pinned', 'pageable'])} kind_dst:device "
                                               f"size:{r.randrange(1 << 20)} dest:0 async:1")
                elif kind == "set":
                    name, stats["memset_details"] = "Memset", f"kind:device num_bytes:{r.randrange(1 << 16)} async:1"
                else:
                    name = r.choice(["gemm_0", "fusion_1", "ncclDevKernel_AllReduce(x)", "ReduceScatter_k", "loop"])
                    if r.random() < 0.8:
                        stats["hlo_op"] = Ref(r.choice(self.INSTRUCTIONS))
                        stats["hlo_module"] = Ref("jit_step")
                    if r.random() < 0.6:
                        stats["tf_op"] = Ref(r.choice(self.PATHS))
                    if r.random() < 0.6:
                        stats["kernel_details"] = f"regs:32 grid:8,1,1 block:128,1,1 occ_pct:{r.randrange(1001) / 10}"
                streams.setdefault(stream, []).append(plane.event(name, at, end - at, **stats))
        for stream, events in streams.items():
            if r.random() < 0.5:
                r.shuffle(events)
            plane.line(stream, f"Stream #{stream}(Kernel,Memcpy)", events)
        if streams and r.random() < 0.5:
            plane.line(xspace.DERIVED + 5, "XLA Ops", next(iter(streams.values()), []))
            plane.line(xspace.DERIVED, "Steps", [plane.event("0", 0, 90 * US)])
        return plane

    def tpu(self, number, runs):
        r = self.random
        plane = xspace.Plane(f"/device:TPU:{number}", device_type_string="TPU of paper")
        modules, ops, beside = [], [], []

        def event(instruction, start, duration):
            if instruction not in self.instructions:
                stats = {}
                if r.random() < 0.8:
                    stats["bytes_accessed"] = r.randrange(1 << 20)
                if r.random() < 0.6:
                    stats["tf_op"] = r.choice(self.PATHS)
                self.instructions[instruction] = stats
            kind = instruction.split(".")[0]
            return plane.event(f"%{instruction} = f32[8]{{0}} {kind}(%x)", start, duration, instruction, self.instructions[instruction])

        def nest(start, end, depth):
            at = start
            while at < end:
                at += r.choice([0, 500, US])
                stop = min(end, at + r.choice([0, 1000, US, 7 * US + 3, 20 * US]))
                if at > stop:
                    break
                instruction = r.choice(self.TPU)
                ops.append(event(instruction, at, stop - at))
                if depth and stop - at > 5 * US and instruction == "while.2":
                    nest(at, stop, depth - 1)
                if "start" in instruction and self.side:
                    beside.append(event(instruction, at, r.choice([5, 30]) * US))
                at = max(stop, at + 1)
                if r.random() < 0.15:
                    break
        at = r.randrange(9 * US)
        for run in range(runs):
            length = r.choice([50, 80, 120]) * US + r.randrange(1000)
            modules.append(plane.event("jit_f(123)", at, length, run_id=run))
            nest(at, at + length, 2)
            if r.random() < 0.5:
                small = at + length + US
                modules.append(plane.event("jit_small(5)", small, US, run_id=100 + run))
                ops.append(event("broadcast.1", small, US // 2))
            at += length + r.choice([3, 40, 200]) * US
        for name, line, events in (("XLA Modules", 2, modules), ("XLA Ops", 3, ops), ("Async XLA Ops", 4, beside)):
            if r.random() < 0.3:
                r.shuffle(events)
            if events:
                plane.line(line, name, events, 0)
        plane.line(6, "XLA TraceMe", [plane.event("dependency-wait", 0, 40 * US)], 0)
        return plane

    def document(self):
        r = self.random
        steps = r.choice([1, 2, 3])
        self.marked, self.side = r.random() < 0.5, r.random() < 0.5
        self.stands_in = None if self.marked else r.choice([None, "keras", "roots"])
        host = xspace.Plane("/host:CPU")
        environment = xspace.Plane("Task Environment", **xspace.ENVIRONMENT)
        if r.random() < 0.5:
            self.host(host, steps)
            planes = [host] + [self.gpu(n) for n in range(r.choice([1, 1, 2]))]
        else:
            if self.marked:
                host.line(31, "main/31", [host.event("train", n * 150 * US, 140 * US, step_num=n + 5) for n in range(steps)], 0)
            planes = [host] + [self.tpu(n, steps) for n in range(r.choice([1, 2]))]
        if r.random() < 0.5:
            planes.reverse()
        return xspace.space(planes + [environment])
