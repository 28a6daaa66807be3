#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real traces that others published, and what is known of them:   public.py TFPROF [FOLDER]

FOLDER is not part of the repository; its README.md says where each file comes from and who found the figures. A row of FIGURES is a file
(a pattern; with a second one, of the trace in which its graphs were captured), a command with its options, the cells that choose rows of its
answer, and the cells that these rows must have: of several rows numbers are added. Times may differ by what rounding to nanoseconds takes: 1 ns for each span.
"""
import csv
import fnmatch
import io
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.abspath(sys.argv[1])
FOLDER = sys.argv[2] if len(sys.argv) > 2 else os.path.join(HERE, "../../../shared/formats/public")

LEGACY, LATER, ATTENTION = "*jax_conv_minimal_legacy*.xplane.pb", "*jax_conv_minimal_08*.xplane.pb", "*jax_te_fused_attn*.xplane.pb"
OP = "op -select accelerator_micros,occurrence -max_depth 1000"
FLUX, SAGE = "*xdit_flux.1__capture*", "*xdit_flux.1_aiter_sage__capture*"
# the trace contains the capture of its graphs, so replayed activities of the region belong to the
# ops in it
REPLAYED = "query SELECT sum(duration_us) AS us FROM attribution WHERE replay IS NOT NULL AND path LIKE '%Torch-Compiled Region: 0/0/%'"
TOTALS = ("query SELECT round(sum(duration_us) / 1000, 2) AS ms, sum(replay IS NOT NULL) AS replayed, count(DISTINCT replay) AS graphs, "
          "min(replay IS NULL OR module <> '') AS modules FROM attribution")
PLACES = "query SELECT class, reason, round(share, 4) AS share, round(line_us / device_us, 4) AS lines FROM coverage"
BY_DEVICE = ("query SELECT substr(lane, 1, 5) AS device, count(*) AS n, sum(duration_ns) AS ns FROM spans "
             "WHERE kind = 'activity' AND class IN ('compute', 'communication') GROUP BY 1")
BY_KIND = "query SELECT coalesce(nullif(class, ''), kind) AS kind, count(*) AS n FROM spans GROUP BY 1"
BOTH = "op -select cpu_micros,accelerator_micros -max_depth 1000"

FIGURES = [
    # JAX on ROCm: two kernels of one call and a fusion, five times each
    (LEGACY, OP, {"name": "conv_general_dilated"}, {"accelerator_micros": 3490.792, "runs": 10}),
    (LEGACY, OP, {"name": "XlaModule"}, None),
    (LEGACY, "kernel", {"name": "CopyDeviceToDevice"}, {"class": "copy", "count": 53, "bytes": 34734080, "total_us": 889.028}),
    (LEGACY, "transfer", {"kind": "DtoD"}, {"device": "gpu:0", "count": 53, "bytes": 34734080, "total_us": 889.028}),
    (LEGACY, "steps", {"step": "all", "device": "gpu:0"}, {"copy_us": 889.028, "compute_us": 0, "busy_us": 889.028}),
    # of copies that are done by kernels, only those with a call can be recognised
    (LATER, OP, {"name": "conv_general_dilated"}, {"accelerator_micros": 26875.756, "runs": 80}),
    (LATER, OP, {"name": "XlaModule"}, None),
    (LATER, "kernel", {"name": "__amd_rocclr_copyBuffer.kd", "class": "copy"}, {"count": 33, "total_us": 532.16}),
    (ATTENTION, OP, {"name": "te_fused_attn_backward_ffi"}, {"accelerator_micros": 4645.76, "runs": 10}),
    (ATTENTION, OP, {"name": "te_fused_attn_forward_ffi"}, {"accelerator_micros": 2095.819, "runs": 10}),
    (ATTENTION, OP, {"name": "XlaModule"}, None),
    (ATTENTION, "kernel", {"name": "__amd_rocclr_fillBufferAligned.kd"}, {"class": "set", "count": 20}),
    # a gap of 9.72 s is the start of the profiler itself
    (ATTENTION, "summary", {"part": "idle"}, {"a_step_us": 823.624}),  # the profiler's start belongs to no step
    (ATTENTION, "advise", {"checker": "HostStalls"}, None),
    # Python frames overlap the operators of a compiled region without nesting
    (FLUX, BOTH, {"name": "Torch-Compiled Region: 0/0"}, {"cpu_micros": 260893.825}),
    (FLUX, REPLAYED, {}, {"us": 35504.808}),
    (SAGE, BOTH, {"name": "Torch-Compiled Region: 0/0"}, {"cpu_micros": 561849.769}),
    (SAGE, REPLAYED, {}, {"us": 43222.568}),
    # communication that was not launched by a collectives library
    ("*b200__eager_trace*", "transfer", {"kind": "multimem_all_reduce_kernel"}, {"count": 73, "total_us": 2119.548, "device": "gpu:0"}),
    ("deepseek_train*", "steps", {"step": "1"}, {"duration_us": 112202, "communication_us": 98621, "exposed_communication_us": 2202}),
    ("deepseek_train*", "kernel", {"class": "communication"}, {"count": 36, "total_us": 113440}),
    ("hta_cpu34*", "steps", {"step": "all"}, {"device": "cpu", "communication_us": 1102980.645, "compute_us": 3.964}),
    # other devices
    ("mtia_inf*", "kernel", {}, {"count": 1313, "total_us": 812125.17}),
    ("mtia_inf*", "wait", {"cause": "synchronize"}, {"where": "synchronizeStream", "count": 113, "total_us": 632382.945}),
    ("mtia_inf*", "transfer", {"kind": "HtoD"}, {"count": 427, "bytes": 788439608, "total_us": 42611.301}),
    ("ascend_trace_view*", "kernel", {}, {"count": 276, "total_us": 1790.424}),
    ("ascend_trace_view*", OP, {"name": "aclnnMm"}, {"accelerator_micros": 209.106, "runs": 6}),
    ("ascend_trace_view*", OP, {"name": "(no op)"}, {"accelerator_micros": 2.19, "runs": 2}),
    ("ascend_trace_view*", "steps", {"step": "all"}, {"device": "gpu:800", "kernels": 276}),
    ("*sglang_decode__sglang*", "wait", {"cause": "synchronize"}, {"count": 1, "total_us": 463063.75}),
    ("*sglang_decode__sglang*", "steps", {"step": "all"}, {"device": "gpu:9", "busy_us": 9772.926, "idle_us": 463977.017}),
    # graphs together with the trace in which they were captured: every replayed activity has a place
    # and a line
    ("*vllm_prefill*execution* *vllm_prefill*capture*", PLACES, {"class": "unique"}, {"share": 0.9605, "lines": 1}),
    ("*vllm_decode*execution* *vllm_decode*capture*", PLACES, {"class": "unique"}, {"share": 0.9693, "lines": 1}),
    ("*sglang_decode__sglang* *sglang_decode__capture*", PLACES, {"class": "unique"}, {"share": 0.9875, "lines": 1}),
    ("*vllm_prefill*execution* *vllm_decode*capture*", PLACES, {"class": "unique"}, None),
    ("*vllm_prefill*execution* *vllm_decode*capture*", PLACES, {"reason": "no match"}, {"share": 0.9605}),
    ("*vllm_decode*execution* *vllm_prefill*capture*", PLACES, {"reason": "no match"}, {"share": 0.9693}),
    ("*sglang_decode__sglang* *vllm_decode*capture*", PLACES, {"reason": "no match"}, {"share": 0.9875}),
    ("*vllm_prefill*execution*", PLACES, {"reason": "no capture"}, {"share": 0.9605}),
    ("*vllm_decode*execution*", PLACES, {"reason": "no capture"}, {"share": 0.9693}),
    ("*sglang_decode__sglang*", PLACES, {"reason": "no capture"}, {"share": 0.9875}),
    # the sums for the shares: of all activities, and of those under graph launches
    ("*vllm_prefill*execution* *vllm_prefill*capture*", TOTALS, {}, {"ms": 156.09, "replayed": 361, "modules": 1, "graphs": 25}),
    ("*vllm_decode*execution* *vllm_decode*capture*", TOTALS, {}, {"ms": 10.72, "replayed": 421, "modules": 1, "graphs": 1}),
    ("*sglang_decode__sglang* *sglang_decode__capture*", TOTALS, {}, {"ms": 9.78, "replayed": 544, "modules": 1, "graphs": 1}),
    # Nsight Systems
    ("nsys_h100*", BY_DEVICE, {"device": "gpu:0"}, {"n": 1721, "ns": 22385163}),
    ("nsys_h100*", BY_DEVICE, {"device": "gpu:1"}, {"n": 1721, "ns": 22444359}),
    ("nsys_h100*", BY_KIND, {"kind": "copy"}, {"n": 904}),
    ("nsys_h100*", BY_KIND, {"kind": "set"}, {"n": 22}),
    ("nsys_h100*", BY_KIND, {"kind": "op"}, {"n": 16782}),
    ("nsys_h100*", BY_KIND, {"kind": "call"}, {"n": 5796}),
    ("nsys_h100*", "steps", {"step": "all", "device": "gpu:0"}, {"busy_us": 962890.247}),
    ("nsys_h100*", "steps", {"step": "all", "device": "gpu:1"}, {"busy_us": 962810.705}),
]

answers = {}


def ask(files, command):
    """The rows that a command prints, as dicts."""
    key = files, command
    if key not in answers:
        verb, rest = command.split(" ", 1) if " " in command else (command, "")
        words = [rest] if verb == "query" else rest.split()
        captures = [word for path in files[1:] for word in ("-capture_path", path)]
        done = subprocess.run([PROGRAM, verb, files[0], *captures, "-format", "csv", *words], stdout=subprocess.PIPE, check=True)
        answers[key] = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    return answers[key]


def has(row, want):
    return all(row[key] == value for key, value in want.items())


def differs(rows, key, want):
    """The error in a figure; None if it is right."""
    if isinstance(want, str):
        return None if all(row[key] == want for row in rows) else f"{key} is {', '.join(sorted({row[key] for row in rows}))}, not {want}"
    got = sum(float(row[key]) for row in rows if row[key])
    allowed = 0.0005 if isinstance(want, float) else 0
    return None if abs(got - want) <= allowed else f"{key} is {got:g}, not {want:g}"


def check(row):
    """The error in a row of the table; "" if there is none, None if its file is missing."""
    patterns, command, chosen, wanted = row
    found = [fnmatch.filter(sorted(os.listdir(FOLDER)), pattern) for pattern in patterns.split()]
    if not all(found):
        return None
    rows = [r for r in ask(tuple(os.path.join(FOLDER, names[0]) for names in found), command) if has(r, chosen)]
    if wanted is None:
        return "it has such a row" if rows else ""
    if not rows:
        return "it has no such row"
    return "; ".join(filter(None, (differs(rows, key, want) for key, want in wanted.items())))


def main():
    passed = failed = absent = 0
    for row in FIGURES:
        fault = check(row)
        absent += fault is None
        passed += fault == ""
        failed += bool(fault)
        if fault:
            print(f"FAILED {row[0]}: tfprof {row[1]}: {row[2]}: {fault}")
    if absent:
        print(f"{absent} rows of files that are not in {FOLDER}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
