#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes sample/limits: two steps of a small model on an H100 (and on a device that nobody knows): a norm in five
kernels, products, attention, a convolution, copies, and work that cannot be judged. memory.json has allocations: one of
two results that look alike is held. norms.json has norms that read their input twice; in unnamed.json the device has no
name; lost.json is norms.json without one kernel, ahead.json with a marker that ends before the work. Times are
microseconds."""
import os
from math import prod

from jobs import write

DATA = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FLOAT, BF16, LONG = "float", "c10::BFloat16", "long int"


class Trace:
    def __init__(self):
        self.events, self.now, self.free, self.number = [], 1000.0, 0.0, 0

    def add(self, cat, name, start, us, tid, args=None, pid=1):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": round(start, 3), "dur": round(us, 3), "args": args or {}})

    def inside(self, cat, name, body):
        begin = self.now
        self.now += 1
        body()
        self.now += 1
        self.add(cat, name, begin, self.now - begin, 1)

    def step(self, number, body):
        begin = self.now
        body()
        self.add("cuda_runtime", "cudaDeviceSynchronize", self.now, max(self.free + 3 - self.now, 3), 1, {"correlation": 0})
        self.now = max(self.free + 3, self.now + 3)
        self.add("user_annotation", f"ProfilerStep#{number}", begin, self.now - begin, 1)
        self.now += 10

    def kernel(self, name, us, number, cat="kernel", stream=7):
        self.free = max(self.free + 1, self.now + 4)
        args = {"device": 0, "stream": stream}
        if number:
            args["correlation"] = number
        self.add(cat, name, self.free, us, stream, args, 0)
        self.free += us

    def op(self, name, tensors, us, values=(), kernels=None, call="cudaLaunchKernel", cat="kernel", more=None):
        """tensors: pairs of a type and dimensions, or of a type, dimensions and strides."""
        begin = self.now
        for kernel, part in kernels or [(name.split("::")[-1].strip("_"), us)]:
            self.number += 1
            self.kernel(kernel, part, self.number, cat)
            self.add("cuda_runtime", call, self.now + 1, 2, 1, {"correlation": self.number})
            self.now += 4
        values = list(values)
        args = {"External id": self.number}
        if tensors is not None:
            extra = len(values)
            args["Input Dims"] = [t[1] for t in tensors] + [[]] * extra
            args["Input type"] = [t[0] for t in tensors] + ["Scalar"] * extra
            args["Input Strides"] = [t[2] if len(t) > 2 else strides(t[1]) for t in tensors] + [[]] * extra
            args["Concrete Inputs"] = [""] * len(tensors) + values
        self.add("cpu_op", name, begin, self.now - begin, 1, {**args, **(more or {})})
        self.now += 1

    def memory(self, at, address, size):
        self.events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": round(at, 3),
                            "args": {"Bytes": size, "Addr": address, "Device Id": 0, "Device Type": 1, "Total Allocated": 0, "Total Reserved": 0}})

    def write(self, name, device, **more):
        self.events.sort(key=lambda e: (e["ts"], -e.get("dur", 0)))
        out = os.path.join(DATA, "sample", "limits")
        os.makedirs(out, exist_ok=True)
        write(os.path.join(out, name), {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": device, "totalGlobalMem": 85018279936, **more}],
                                        "traceEvents": self.events})


def strides(dims):
    return [prod(dims[i + 1:]) for i in range(len(dims))] if dims and isinstance(dims[0], int) else [strides(d) for d in dims]


ROWS, WIDE = [4096, 2048], [4096, 8192]


def model(t):
    def norm():
        t.op("aten::copy_", [(FLOAT, ROWS), (BF16, ROWS)], 22, ["False"])
        t.op("aten::pow", [(FLOAT, ROWS)], 30, ["2"])
        t.op("aten::mean", [(FLOAT, ROWS)], 20, ["[-1]", "True", ""])
        t.op("aten::mul", [(FLOAT, ROWS), (FLOAT, [4096, 1])], 31)
        t.op("aten::copy_", [(BF16, ROWS), (FLOAT, ROWS)], 24, ["False"])

    def layer():
        t.op("aten::embedding", [(BF16, [32000, 2048]), (LONG, [4096])], 20, ["-1", "False", "False"])
        t.inside("python_function", "nn.Module: Norm_0", norm)
        t.op("aten::addmm", [(BF16, [8192]), (BF16, ROWS), (BF16, [2048, 8192], [1, 2048])], 0, ["1", "1"],
             [("Memset (Device)", 1), ("gemm_bf16", 250)])
        t.op("aten::mm", [(FLOAT, [1024, 1024]), (FLOAT, [1024, 1000])], 0, [], [("cutlass_tf32_gemm", 9)])
        heads = (BF16, [4, 16, 1024, 64])
        t.op("aten::_scaled_dot_product_flash_attention", [heads] * 3, 60, ["0.", "True", "False", ""])
        t.op("aten::cudnn_convolution", [(BF16, [8, 64, 56, 56]), (BF16, [128, 64, 3, 3])], 40,
             ["[1, 1]", "[2, 1]", "[1, 1]", "1", "False", "False", "True"])
        t.op("aten::add_", [(BF16, WIDE), (BF16, [4096, 8192], [1, 0])], 60, ["1"])  # an expanded input
        t.op("aten::relu_", [(BF16, WIDE)], 45)
        t.op("aten::cat", [("TensorList", [[4096, 1024], [4096, 1024]])], 0, ["-1"], [("CatArrayBatchedCopy<OpaqueType<2u>, 2>", 18)])
        t.op("aten::gt", [(BF16, [64, 64])], 3, ["0"])
        t.op("aten::sort", [(BF16, [4096])], 12, ["-1", "False"])
        t.op("custom::fused", None, 15, [], [("triton_poi_fused_add_0", 15)])
        t.op("triton_poi_fused_mul_1", [(BF16, ROWS), (BF16, ROWS)], 0, ["8388608"], [("triton_poi_fused_mul_1", 14)],
             more={"kernel_backend": "triton"})
        t.op("aten::copy_", [(BF16, [1024]), (BF16, [1024])], 5, ["False"], [("Memcpy HtoD (Pinned -> Device)", 5)], "cudaMemcpyAsync", "gpu_memcpy")
        t.kernel("left_over", 7, None)

    for i in range(2):
        t.step(i, lambda: t.inside("python_function", "train.py(7): forward",
                                   lambda: t.inside("python_function", "nn.Module: Net_0", layer)))
    return t


def held(t):
    """exp, then neg: the result of the first is freed; again, and it is held until after the product."""
    def layer():
        for address, late in ((0x1000, False), (0x2000, True)):
            t.memory(t.now + 1, address, prod(ROWS) * 2)
            t.op("aten::exp", [(BF16, ROWS)], 15)
            t.memory(t.now + 1, address + 8, prod(ROWS) * 2)
            t.op("aten::neg", [(BF16, ROWS)], 15)
            if not late:
                t.memory(t.now - 0.5, address, -prod(ROWS) * 2)
            t.op("aten::mm", [(BF16, ROWS), (BF16, [2048, 2048])], 80)
            if late:
                t.memory(t.now - 0.5, address, -prod(ROWS) * 2)
    t.step(0, layer)
    return t


def norms(t):
    """Four norms of x written out: by a power, by x * x, by magnitudes, and softmax, which reads its exponents again."""
    x, row = (BF16, ROWS), (BF16, [4096, 1])
    def by(first, tensors, values, reduction, then, last):
        def body():
            t.op(first, tensors, 15, values)
            t.op(reduction, [x], 10, ["[-1]", "True", ""])
            for name in then:
                t.op(name, [row], 2)
            t.op(last, [x, row], 15)
        return body

    def all_of_them():
        for name, body in kinds:
            t.inside("python_function", f"nn.Module: {name}_0", body)

    kinds = (("Rms", by("aten::pow", [x], ["2"], "aten::mean", ["aten::rsqrt"], "aten::mul")),
             ("Product", by("aten::mul", [x, x], [], "aten::sum", ["aten::sqrt"], "aten::div")),
             ("Scale", by("aten::abs", [x], [], "aten::amax", [], "aten::div")),
             ("Softmax", by("aten::exp", [x], [], "aten::sum", [], "aten::div")))
    t.step(0, all_of_them)
    return t


def lost():
    """The same without the second kernel."""
    t = norms(Trace())
    t.events.remove([e for e in t.events if e["cat"] == "kernel"][1])
    return t


def ahead():
    """The same; the step's marker begins 60 us earlier and ends long before the work, for which nothing waits."""
    t = norms(Trace())
    t.events = [e for e in t.events if e["name"] != "cudaDeviceSynchronize"]
    for e in (e for e in t.events if e["cat"] == "user_annotation"):
        e["ts"], e["dur"] = e["ts"] - 60, 135
    return t


if __name__ == "__main__":
    model(Trace()).write("model.json", "NVIDIA H100 80GB HBM3")
    model(Trace()).write("unknown.json", "Accelerator 1")
    plain = Trace()
    plain.step(0, lambda: plain.op("aten::mm", None, 20))
    plain.write("shapeless.json", "NVIDIA H100 80GB HBM3")
    norms(Trace()).write("norms.json", "NVIDIA H100 80GB HBM3")
    ahead().write("ahead.json", "NVIDIA H100 80GB HBM3")
    lost().write("lost.json", "NVIDIA H100 80GB HBM3")
    norms(Trace()).write("unnamed.json", "", totalGlobalMem=206141652992, warpSize=64, numSms=304)
    held(Trace()).write("memory.json", "NVIDIA H100 80GB HBM3")
