#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of traces against what peers recorded:   peers.py TFPROF

  HTA    temporal breakdown, overlap of communication, idle time by stream and cause, of HolisticTraceAnalysis 0.5
  xprof  the steps of its input pipeline: their numbers and lengths
Its recorded answers are in ../shared/formats beside the repository; without them nothing is compared.

HTA leaves out the last ProfilerStep when there are several, and what was launched from its start on: so does this test, from
the file. It rounds the times of files with fractions to whole microseconds: as many microseconds as there are activities may
differ there. What else differs is in DIFFERENCES with its cause, and docs/differences.md tells of it.
"""
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(ROOT, os.pardir, "shared", "formats")
PROGRAM = sys.argv[1]
SYNC = "HTA takes cuda_sync records as busy"
HOST_OP = "HTA takes a host op that names its stream as a kernel"
LATEST = "HTA takes a gap from the end of the activity before, though an earlier one may end later"
# (trace, what): why it differs
DIFFERENCES = {
    ("alexnet_cuda_sync", "breakdown"): SYNC,
    ("simple_add_cuda_sync", "breakdown"): SYNC,
    ("triton_cuda_driver", "breakdown"): HOST_OP,
    ("diff_test_stacks", "stream 7"): LATEST,
    ("resnet_16rank_r0", "stream 27"): LATEST,
}
DEVICE = ("kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset")
passed = failed = 0


def check(fine, text):
    global passed, failed
    passed, failed = passed + bool(fine), failed + (not fine)
    if not fine:
        print(text)


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8", errors="replace") as f:
        return json.load(f, strict=False)


def cut(trace):
    """Without the last step, as HTA cuts; how many activities stay, and whether times have fractions."""
    events = [e for e in trace["traceEvents"] if isinstance(e, dict)]
    steps = [e["ts"] for e in events if str(e.get("name", "")).startswith("ProfilerStep#") and e.get("ph") == "X"
             and (e.get("args") or {}).get("stream") is None]
    if len({e.get("name") for e in events if str(e.get("name", "")).startswith("ProfilerStep#")}) > 1:
        last = max(steps)
        host = [e for e in events if e.get("ph") != "X" or (e.get("cat") not in DEVICE and e["ts"] < last)]
        known = {(e.get("args") or {}).get("correlation") for e in host if e.get("ph") == "X"}
        events = host + [e for e in events if e.get("ph") == "X" and e.get("cat") in DEVICE
                         and (e.get("args") or {}).get("correlation") in known]
    activities = [e for e in events if e.get("ph") == "X" and e.get("cat") in DEVICE]
    fine = any(float(e["ts"]) % 1 or float(e.get("dur", 0)) % 1 for e in activities)
    return {**trace, "traceEvents": events}, len(activities), fine


def ours(view, path):
    done = subprocess.run([PROGRAM, view, path, "-format", "json"], capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{view} {path}: {done.stderr.decode()[:300]}")
    return json.loads(done.stdout)["rows"]


def compare(name, hta, rank, path, slack):
    devices = [r for r in ours("steps", path) if r["step"] == "all"]
    row = devices[0]
    theirs = hta["get_temporal_breakdown"]
    theirs = None if isinstance(theirs, dict) else next((t for t in theirs if t["rank"] == rank), None)
    check(len(devices) == 1, f"{name}: {len(devices)} devices")
    if theirs and (name, "breakdown") not in DIFFERENCES:
        mine = {"idle_time(us)": row["idle_us"], "compute_time(us)": row["compute_us"], "kernel_time(us)": row["duration_us"],
                "non_compute_time(us)": row["busy_us"] - row["compute_us"]}
        for what, us in mine.items():
            check(abs(us - theirs[what]) <= slack, f"{name}: {what}: {us} instead of {theirs[what]} (within {slack})")
    overlap = next((t["comp_comm_overlap_pctg"] for t in hta["get_comm_comp_overlap"] if t["rank"] == rank), None)
    if overlap is not None and row["communication_us"]:
        percent = 100 * (1 - row["exposed_communication_us"] / row["communication_us"])
        near = 0.006 + 100 * slack / row["communication_us"]
        check(abs(percent - overlap) <= near, f"{name}: overlap: {percent:.2f}% instead of {overlap}%")


def compare_idle(name, hta, rank, path, slack):
    told = hta["get_idle_time_breakdown"]
    if isinstance(told, dict):
        return
    causes = {"host_wait": "host", "kernel_wait": "kernel", "other": "other"}
    mine = {(r["where"].rsplit(":", 1)[-1], r["cause"]): r["total_us"] for r in ours("wait", path)}
    for t in told[0]:
        if t["rank"] != rank or (name, f"stream {t['stream']}") in DIFFERENCES:
            continue
        us = mine.get((str(t["stream"]), causes[t["idle_category"]]), 0)
        # a gap of exactly 30 us is `kernel` here, and `other` there
        moved = (us - t["idle_time"]) * (-1 if t["idle_category"] == "other" else 1)
        fine = abs(moved) <= slack or (t["idle_category"] != "host_wait" and moved > 0 and moved % 30 == 0)
        check(fine, f"{name}: stream {t['stream']}, {t['idle_category']}: {us} instead of {t['idle_time']}")


def compare_xprof(folder):
    """All steps of xprof, which leaves out the first and the last."""
    name = os.path.basename(folder)
    tables = load(os.path.join(folder, "input_pipeline_analyzer.json"))
    steps = next((t for t in tables if t["cols"] and t["cols"][0]["id"] == "stepnum"), None)
    if not steps or not steps["rows"]:
        return
    length = [c["id"] for c in steps["cols"]].index("stepTimeMs")
    mine = {r["step"]: r["duration_us"] for r in ours("steps", os.path.join(SHARED, "xplane", name + ".xplane.pb"))}
    for row in steps["rows"]:
        step, us = row["c"][0]["v"].split()[-1], 1000 * row["c"][length]["v"]
        check(abs(mine.get(step, -1) - us) < 0.002, f"{name}: step {step}: {mine.get(step)} us instead of {us}")
    check(len(mine) - 1 - len(steps["rows"]) == 2, f"{name}: {len(mine) - 1} steps, {len(steps['rows'])} of xprof")


def main():
    expected = sorted(glob.glob(os.path.join(SHARED, "kineto", "expected", "*.json*")))
    if not expected:
        print("left out: ../shared/formats is not there")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        for path in expected:
            name = os.path.basename(path).split(".")[0]
            hta = load(path)
            if "get_temporal_breakdown" not in hta or isinstance(hta["get_temporal_breakdown"], dict):
                continue
            files = sorted(glob.glob(os.path.join(SHARED, "kineto", name + ".json*"))
                           or glob.glob(os.path.join(SHARED, "kineto", name, "*.json*")))
            for rank, file in enumerate(files):
                trace, activities, fine = cut(load(file))
                made = os.path.join(folder, "cut.json")
                with open(made, "w", encoding="utf-8") as f:
                    json.dump(trace, f)
                slack = activities + 2 if fine else 0.5
                compare(name, hta, rank, made, slack)
                compare_idle(name, hta, rank, made, slack)
    for folder in sorted(glob.glob(os.path.join(SHARED, "xplane", "expected", "*", ""))):
        compare_xprof(folder.rstrip("/"))
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
