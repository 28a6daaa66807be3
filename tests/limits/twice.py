#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof limits` beside a second calculation of its numbers, from the events of the trace and the data sheet of the device: twice.py TFPROF

Operators by name: calls, device time, compulsory bytes, ideal time and loss; the sums of the head. Only what a trace of the samples has is known
here; an operator without a rule is not judged, there as here."""
import bisect
import glob
import gzip
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
        self.name, self.parts, self.step = event["name"], [], None
        self.dims, self.types, self.values = a.get("Input Dims"), a.get("Input type"), a.get("Concrete Inputs")
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

    def peak(self):
        tf32 = any("tf32" in name for name, _ in self.parts)
        return PEAK["tf32" if tf32 and self.types[0] == "float" else self.types[0]]

    def product(self, a):
        (m, k), n = self.dims[a], self.dims[a + 1][1]
        return 2 * m * n * k, self.read() + m * n * BYTES[self.types[a]]

    def work(self):
        """Float operations at the peak of products (0 for others), and bytes; None: no rule."""
        op = self.name.split("::")[-1]
        if op in ("mm", "addmm"):
            return self.product(int(op == "addmm"))
        if op == "_scaled_dot_product_flash_attention":
            b, h, s, d = self.dims[0]
            causal = "True" in self.values
            return 4 * b * h * d * (s * (s + 1) // 2 if causal else s * s), self.read() + self.whole(0)
        if op == "cudnn_convolution":
            (n, _, height, width), (k, c, r, s) = self.dims[:2]
            pad, stride = (json.loads(v) for v in self.values[2:4])
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
            "fill_": lambda: self.whole(0), "argmax": lambda: self.size(0) + 8 * math.prod(self.dims[0][:-1]),
        }
        return (0, rows[op]()) if op in rows and self.dims else None


def calls_of(events):
    ops = sorted(((e["ts"], e["ts"] + e["dur"], Call(e)) for e in events if e.get("cat") == "cpu_op" and e["name"] != "aten::_flash_attention_forward"), key=lambda o: o[0])
    starts = [o[0] for o in ops]
    at = {e["args"]["correlation"]: e["ts"] for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver") and e["args"].get("correlation")}
    out, none = {}, Call({"name": "(no op)"})
    for e in events:
        if e.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset"):
            continue
        launch = at.get(e["args"].get("correlation"))
        near = bisect.bisect_right(starts, launch) if launch is not None else 0
        around = [o for o in ops[max(0, near - 64):near] if launch < o[1]]
        call = max(around, key=lambda o: o[0])[2] if around else none
        call.parts.append((e["name"], e["dur"]))
        out[id(call)] = call
    return out.values()


def expected(events, only=None):
    rows = {}
    for c in calls_of(events):
        r = rows.setdefault(c.name, dict(calls=0, device_us=0.0, ideal_us=0.0, loss_us=0.0, bytes_moved=0, not_judged_us=0.0))
        us = sum(dur for _, dur in c.parts)
        if only and c.name not in only:
            continue
        r["device_us"] += us
        work = None if c.name == "(no op)" or any("Memcpy HtoD" in n for n, _ in c.parts) else c.work()
        if work is None:
            r["not_judged_us"] += us
            continue
        flops, size = work
        ideal = max(flops / c.peak() * 1e6 if flops else 0, size / BANDWIDTH * 1e6, min(FLOOR, us))
        for name, more in dict(calls=1, ideal_us=ideal, loss_us=max(0, us - ideal), bytes_moved=size).items():
            r[name] += more
    return rows


# Public traces, where they are at hand: bandwidth and peak of bf16 by the data sheets, and the operators that lose most.
PUBLIC = os.path.join(os.path.dirname(SAMPLE), "..", "..", "..", "..", "shared", "formats", "public")
MOST_LOST = {
    "tl__h100__Qwen*": (3.35e12, 989.5e12, ("mul", "mm", "copy_")),
    "tl__mi300__Qwen*": (5.3e12, 1307e12, ("mm", "_scaled_dot_product_flash_attention", "mul")),
    "tl__b200__*": (7.7e12, 2250e12, ("copy_", "addmm", "fill_")),
    "tl__inference__sglang_prefill*": (5.3e12, 1307e12, ("mm", "copy_", "argmax")),
}


def check_public(program, check):
    """The three operators that lose most: device time and loss, from the events once more."""
    global BANDWIDTH, PEAK
    for pattern, (BANDWIDTH, bf16, ops) in MOST_LOST.items():
        for path in glob.glob(os.path.join(PUBLIC, pattern)):
            PEAK = {"float": bf16 / 16, "c10::BFloat16": bf16}
            with gzip.open(path, "rt") as f:
                events = json.load(f)["traceEvents"]
            want = expected([e for e in events if e.get("ph") == "X"], {"aten::" + op for op in ops})
            answer = json.loads(subprocess.run([program, "limits", path, "-format", "json"], capture_output=True, check=True).stdout)
            rows = sorted((r for r in answer["rows"] if r["loss_us"]), key=lambda r: -r["loss_us"])[:3]
            check([r["name"] for r in rows] == ["aten::" + op for op in ops], f"{pattern}: {[r['name'] for r in rows]} lose most")
            for r in rows:
                for column in ("device_us", "loss_us"):
                    number = want.get(r["name"], {}).get(column, 0)
                    check(abs(r[column] - number) <= .01 * number, f"{pattern}: {r['name']} {column} is {r[column]}, not {number}")
            s, lost = answer["summary"], sum(r["loss_us"] or 0 for r in answer["rows"])
            check(s["step_us"] - lost / s["steps"] - 1e-3 <= s["bound_us"] <= s["step_us"], f"{pattern}: a step of {s['step_us']} is bound by {s['bound_us']}, and loses {lost}")
            judged = sum(r["device_us"] - r["not_judged_us"] for r in answer["rows"]) / sum(r["device_us"] for r in answer["rows"])
            check(abs(judged - answer["summary"]["judged_share"]) < 1e-6, f"{pattern}: {judged} of the rows' time is judged, not {answer['summary']['judged_share']}")


def main():
    program, passed, failed = os.path.abspath(sys.argv[1]), 0, 0

    def check(fine, what):
        nonlocal passed, failed
        passed, failed = passed + bool(fine), failed + (not fine)
        if not fine:
            print("FAILED", what)

    for name, unknown in (("model.json", ("custom::fused", "triton_poi_fused_mul_1")), ("memory.json", ())):
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
    check_public(program, check)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
