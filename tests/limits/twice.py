#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof limits` beside a second calculation of its numbers, from the events of the trace and the data sheet of the device: twice.py TFPROF

Operators by name: calls, device time, compulsory bytes, ideal time and loss; the sums of the head. Only what a trace of the samples has is known
here; an operator without a rule is not judged, there as here."""
import bisect
import json
import math
import os
import subprocess
import sys

SAMPLE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "sample", "limits")
BYTES = {"float": 4, "c10::BFloat16": 2, "long int": 8, "int": 4, "bool": 1}
BANDWIDTH, FLOOR = 3.35e12, 2.0  # an H100; about the shortest kernel in microseconds
PEAK = {"float": 67e12, "tf32": 494.5e12, "c10::BFloat16": 989.5e12}


def own(dims, strides):
    """Elements of a tensor itself: an expanded dimension counts as 1."""
    return math.prod(d for d, s in zip(dims, strides or [1] * len(dims)) if s or not d) if dims else 0


class Call:
    """The arguments of an operator, and the activities that it launched."""

    def __init__(self, event):
        a = event.get("args", {})
        self.name, self.parts, self.events = event["name"], [], []  # parts: names and times of activities
        self.dims, self.types, self.values = a.get("Input Dims"), a.get("Input type"), a.get("Concrete Inputs")
        self.triton = a.get("kernel_backend") == "triton" and bool(self.dims)
        self.strides = a.get("Input Strides") or [None] * len(self.dims or [])

    def size(self, i):
        return own(self.dims[i], self.strides[i]) * BYTES.get(self.types[i], 0)

    def whole(self, i):
        return math.prod(self.dims[i]) * BYTES[self.types[i]]

    def read(self):
        return sum(self.size(i) for i in range(len(self.dims)) if self.types[i] in BYTES)

    def broadcast(self):
        longest = max(self.dims[:2], key=len)
        shapes = [[1] * (len(longest) - len(d)) + d for d in self.dims[:2]]
        return math.prod(max(sizes) for sizes in zip(*shapes)) * max(BYTES.get(t, 0) for t, d in zip(self.types[:2], self.dims[:2]) if d)

    def us(self):
        return sum(us for _, us in self.parts)

    def peak(self):
        tf32 = any("tf32" in name for name, _ in self.parts)
        return PEAK["tf32" if tf32 and self.types[0] == "float" else self.types[0]]

    def product(self, a):
        (m, k), n = self.dims[a], self.dims[a + 1][1]
        return 2 * m * n * k, self.read() + m * n * BYTES[self.types[a]]

    def ideal(self):
        """The shortest time; None: not judged."""
        transfer = any(way in n for n, _ in self.parts for way in ("Memcpy HtoD", "Memcpy DtoH"))
        work = None if self.name == "(no op)" or transfer else self.work()
        if work is None:
            return None
        return max(work[0] / self.peak() * 1e6 if work[0] else 0, work[1] / BANDWIDTH * 1e6, min(FLOOR, self.us()))

    def work(self):
        """Float operations at the peak of products (0 for others), and bytes; None: no rule."""
        op = self.name.split("::")[-1]
        if op in ("mm", "addmm"):
            return self.product(int(op == "addmm"))
        if op == "bmm":
            (b, m, k), n = self.dims[0], self.dims[1][2]
            return 2 * b * m * n * k, self.read() + b * m * n * BYTES[self.types[0]]
        if op == "_scaled_dot_product_flash_attention":
            b, h, s, d = self.dims[0]
            causal = "True" in self.values
            return 4 * b * h * d * (s * (s + 1) // 2 if causal else s * s), self.read() + self.whole(0)
        if op in ("cudnn_convolution", "miopen_convolution"):
            (n, _, height, width), (k, c, r, s) = self.dims[:2]
            first = 2 + (op == "miopen_convolution")  # after the bias
            pad, stride = (json.loads(v) for v in self.values[first:first + 2])
            out = [(x + 2 * p - w) // t + 1 for x, p, w, t in zip((height, width), pad * 2, (r, s), stride * (2 // len(stride)))]
            return 2 * n * k * c * r * s * math.prod(out), self.read() + n * k * math.prod(out) * BYTES[self.types[0]]
        rows = {
            "copy_": lambda: self.size(1) + self.whole(0),
            "embedding": lambda: self.size(1) + 2 * self.dims[1][0] * self.dims[0][1] * BYTES[self.types[0]],
            "mean": lambda: self.size(0) + self.whole(0) // self.dims[0][-1],
            "gt": lambda: self.size(0) + math.prod(self.dims[0]),
            "sort": lambda: self.size(0) + self.whole(0) + 8 * math.prod(self.dims[0]),
            "cat": lambda: 2 * 2 * sum(math.prod(d) for d in self.dims[0]),  # of 2 bytes, as its kernel says
            "add_": lambda: self.read() + self.whole(0), "relu_": lambda: self.read() + self.whole(0),
            "pow": lambda: self.read() + self.whole(0), "exp": lambda: self.read() + self.whole(0), "neg": lambda: self.read() + self.whole(0), "mul": lambda: self.read() + self.broadcast(),
            **{name: lambda: self.read() + self.whole(0) for name in ("silu", "gelu", "tanh", "rsqrt", "cos", "sin", "masked_fill_", "native_layer_norm", "_softmax", "relu")},
            "add": lambda: self.read() + self.broadcast(), "sub": lambda: self.read() + self.broadcast(),
            "eq": lambda: self.size(0) + math.prod(self.dims[0]), "all": lambda: self.size(0) + 1,
            "index_select": lambda: self.size(2) + 2 * math.prod(self.dims[2]) * math.prod(self.dims[0][1:]) * BYTES[self.types[0]],
            "gather": lambda: self.size(2) + 2 * math.prod(self.dims[2]) * BYTES[self.types[0]],
            "fill_": lambda: self.whole(0), "argmax": lambda: self.size(0) + 8 * math.prod(self.dims[0][:-1]),
        }
        if self.triton:
            return (0, self.read()) if all(d for d, t in zip(self.dims, self.types) if t in BYTES) else None
        return (0, rows[op]()) if op in rows and self.dims else None


def on_device(event):
    return event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")


def end(event):
    return event["ts"] + event["dur"]


def device_of(bandwidth, bf16, fp32):
    """What the device can do, for all that follows."""
    global BANDWIDTH, PEAK
    BANDWIDTH, PEAK = bandwidth, {"float": fp32, "c10::BFloat16": bf16}


def calls_of(events):
    ops = sorted(((e["ts"], e["ts"] + e["dur"], Call(e)) for e in events if e.get("cat") == "cpu_op" and e["name"] != "aten::_flash_attention_forward"), key=lambda o: o[0])
    starts = [o[0] for o in ops]
    at = {e["args"]["correlation"]: e["ts"] for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver") and e["args"].get("correlation")}
    out, none = {}, Call({"name": "(no op)"})
    for e in events:
        if not on_device(e):
            continue
        launch = at.get(e["args"].get("correlation"))
        near = bisect.bisect_right(starts, launch) if launch is not None else 0
        around = [o for o in ops[max(0, near - 64):near] if launch < o[1]]
        call = max(around, key=lambda o: o[0])[2] if around else none
        call.parts.append((e["name"], e["dur"]))
        call.events.append(e)
        out[id(call)] = call
    return out.values()


def expected(events):
    rows = {}
    for c in calls_of(events):
        r = rows.setdefault(c.name, dict(calls=0, device_us=0.0, ideal_us=0.0, loss_us=0.0, bytes_moved=0, not_judged_us=0.0))
        us, ideal = c.us(), c.ideal()
        r["device_us"] += us
        if ideal is None:
            r["not_judged_us"] += us
            continue
        for name, more in dict(calls=1, ideal_us=ideal, loss_us=max(0, us - ideal), bytes_moved=c.work()[1]).items():
            r[name] += more
    return rows


def main():
    program, passed, failed = os.path.abspath(sys.argv[1]), 0, 0

    def check(fine, what):
        nonlocal passed, failed
        passed, failed = passed + bool(fine), failed + (not fine)
        if not fine:
            print("FAILED", what)

    for name, unknown in (("model.json", ("custom::fused",)), ("memory.json", ())):
        path = os.path.join(SAMPLE, name)
        with open(path) as f:
            want = expected(json.load(f)["traceEvents"])
        answer = json.loads(subprocess.run([program, "limits", path, "-format", "json"], capture_output=True, check=True).stdout)
        got = {r["name"]: r for r in answer["rows"]}
        check(set(got) == set(want), f"{name}: {sorted(set(got) ^ set(want))}")
        for op in (o for o in want if o not in unknown):
            for column, number in want[op].items():
                check(abs((got[op][column] or 0) - number) <= 1e-6 * max(1, abs(number)), f"{name}: {op} {column} is {got[op][column]}, not {number}")
        for column in ("ideal_us", "loss_us"):
            rows = sum(r[column] or 0 for r in answer["rows"])
            check(abs(rows - answer["summary"][column]) < 1e-6 * rows, f"{name}: the head's {column} is not the sum of its rows")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
