#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The head of `tfprof limits` on public traces beside a second calculation from the file alone: public.py TFPROF [FOLDER]

The judged share and the three operators that lose most by the rules of twice.py; the step at the limits by a replay of
its own, event by event, for traces of one host thread and one stream in use, or by sum where kernels are missing. With
SHOW=1 it prints both numbers. Without the folder of public traces there is nothing to do."""
import glob
import gzip
import json
import os
import statistics
import subprocess
import sys

import twice

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
H100, B200, MI300 = (3.35e12, 989.5e12, 67e12), (7.7e12, 2250e12, 75e12), (5.3e12, 1307.4e12, 163.4e12)
# Trace, bandwidth and peaks of its device (bf16, fp32), the step's marker; whether the bound is by replay; whether the
# step begins with the device's first activity, because the device did earlier work until then.
TRACES = (
    ("tl__h100__Qwen*", H100, "ProfilerStep", True, False),
    ("tl__h100__Falconsai*", H100, "ProfilerStep", True, False),
    ("tl__h100__facebook*", H100, "ProfilerStep", True, False),
    ("tl__h100__gaunernst*", H100, "ProfilerStep", True, False),
    ("tl__mi300__Qwen*", MI300, "ProfilerStep", True, False),
    ("tl__mi300__Falconsai*", MI300, "ProfilerStep", True, False),
    ("tl__mi300__facebook*", MI300, "ProfilerStep", True, False),
    ("tl__mi300__gaunernst*", MI300, "ProfilerStep", True, False),
    ("tl__b200__*", B200, "execute_", True, False),
    ("tl__inference__vllm_decode_full__graph_e*", MI300, "execute_", True, True),
    ("tl__inference__vllm_prefilldecode_piecewise__graph_e*", MI300, "execute_", False, True),
)
WAITS = ("Synchronize", "MemcpyWithStream")  # calls that wait for the device


class Replay:
    """Points of the host's thread in their order, and the activities of the device."""

    def __init__(self, events, marker, late):
        self.activities = sorted((e for e in events if twice.on_device(e)), key=lambda e: e["ts"])
        calls = [e for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver")]
        by_number = {e["args"]["correlation"]: e for e in calls if e["args"].get("correlation")}
        self.launch = [by_number.get(a["args"].get("correlation")) for a in self.activities]
        self.late, self.step = late, next(e for e in events if e.get("cat") == "user_annotation" and e["name"].startswith(marker))
        self.origin = min(e["ts"] for e in events)
        waits = [c for c in calls if any(w in c["name"] for w in WAITS)]
        self.waits = [(c, self.awaited(c)) for c in waits]
        self.full = [f for f in map(self.full_queue(calls), calls) if f]
        self.find_lags()

    def awaited(self, call):
        """The activity that a call waits for: the last one launched before the call ends."""
        end = call["ts"] + call["dur"]
        before = [i for i, c in enumerate(self.launch) if c and c["ts"] <= call["ts"]]
        if not before:
            return None
        last = max(before, key=lambda i: twice.end(self.activities[i]))
        near = twice.end(self.activities[last]) > call["ts"] and end - twice.end(self.activities[last]) < 20
        inside = call["ts"] < twice.end(self.activities[last]) <= end
        return last if inside and (near or "Device" in call["name"]) else None

    def full_queue(self, calls):
        """Launches that are long because the queue is full: (call, last activity that starts in it, own cost)."""
        names = {}
        for c in calls:
            names.setdefault(c["name"], []).append(c["dur"])
        usual = {name: sorted(durations)[len(durations) // 10] for name, durations in names.items()}

        def full(c):
            if not any(word in c["name"] for word in ("Launch", "MemcpyAsync", "MemsetAsync")) or c["dur"] <= max(20, 3 * usual[c["name"]]):
                return None
            inside = [i for i, a in enumerate(self.activities) if c["ts"] <= a["ts"] <= c["ts"] + c["dur"]]
            return (c, inside[-1], usual[c["name"]]) if inside else None
        return full

    def find_lags(self):
        """L and G: from a launch to its activity on an idle device, and between two activities."""
        free, gaps, ends = [], [], 0.0
        for a, c in zip(self.activities, self.launch):
            if c and c["ts"] >= ends:
                free.append(a["ts"] - c["ts"])
            ends = max(ends, twice.end(a))
        self.lag = min(50, sorted(free)[len(free) // 4]) if free else 0
        ends = 0.0
        for a, c in zip(self.activities, self.launch):
            if ends and c and c["ts"] + self.lag <= ends:
                gaps.append(a["ts"] - ends)
            ends = max(ends, twice.end(a))
        self.gap = min(10, statistics.median(gaps)) if gaps else 0

    def points(self):
        """What happens, in recorded order: (time, order, kind, index)."""
        out = [(a["ts"], 1, "activity", i) for i, a in enumerate(self.activities)]
        seen = {}
        for c in (c for c in self.launch if c):
            seen[id(c)] = c
        out += [(c["ts"], 0, "launch", k) for k, c in seen.items()]
        for name, calls in (("wait", self.waits), ("full", self.full)):
            for i, call in enumerate(calls):
                out += [(call[0]["ts"], 0, "point", 0), (call[0]["ts"] + call[0]["dur"], 2, name, i)]
        out += [(self.step["ts"], 0, "point", 0), (twice.end(self.step), 3, "end", 0)]
        return sorted(out, key=lambda p: p[:2])

    def run(self, durations):
        """The length of the step if each activity takes so long."""
        host_was = host = self.origin
        launched, starts, ends, step_end = {}, [0.0] * len(durations), [0.0] * len(durations), 0.0
        before_was = before = None
        for at, _, kind, i in self.points():
            if kind == "activity":
                a, call = self.activities[i], self.launch[i]
                waited = [] if before is None else [(before + self.gap, before_was + self.gap)]
                if call:
                    waited.append((launched[id(call)] + self.lag, call["ts"] + self.lag))
                start = max(new for new, _ in waited) if waited else a["ts"]
                if not call and waited:  # what explains no edge is kept
                    start += max(0, a["ts"] - max(was for _, was in waited))
                if self.late and i == 0:
                    start = a["ts"]
                starts[i], ends[i] = start, start + durations[i]
                before_was = max(before_was or 0, twice.end(a))
                before = max(before or 0, ends[i])
                continue
            new = host + at - host_was
            if kind == "wait" and self.waits[i][1] is not None:
                last = self.waits[i][1]
                new = max(host, ends[last]) + at - twice.end(self.activities[last])
            if kind == "full":
                call, last, usual = self.full[i]
                new = max(host + usual, starts[last] + at - self.activities[last]["ts"])
            host_was, host = at, new
            if kind == "launch":
                launched[i] = new
            if kind == "end":
                step_end = new
        inside = [e for e, a, c in zip(ends, self.activities, self.launch)
                  if (self.step["ts"] <= c["ts"] < twice.end(self.step) if c else self.step["ts"] <= a["ts"] < twice.end(self.step))]
        return (max(inside) if self.late else max(inside + [step_end])) - (self.activities[0]["ts"] if self.late else self.step["ts"])

    def today(self):
        inside = [twice.end(a) for a, c in zip(self.activities, self.launch) if c and self.step["ts"] <= c["ts"] < twice.end(self.step)]
        last = max(inside) if self.late else max(inside + [twice.end(self.step)])
        return last - (self.activities[0]["ts"] if self.late else self.step["ts"])


def main():
    program = os.path.abspath(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, "..", "shared", "formats", "public")
    passed = failed = 0

    def check(fine, what):
        nonlocal passed, failed
        passed, failed = passed + bool(fine), failed + (not fine)
        if not fine:
            print("FAILED", what)

    for pattern, device, marker, by_replay, late in TRACES:
        for path in glob.glob(os.path.join(folder, pattern)):
            twice.device_of(*device)
            with gzip.open(path, "rt") as f:
                events = [e for e in json.load(f)["traceEvents"] if e.get("ph") == "X"]
            answer = json.loads(subprocess.run([program, "limits", path, "-format", "json"], capture_output=True, check=True).stdout)
            s, rows = answer["summary"], answer["rows"]
            calls = [(c, c.ideal()) for c in twice.calls_of(events)]
            us = sum(c.us() for c, _ in calls)
            judged = sum(c.us() for c, ideal in calls if ideal is not None) / us
            check(abs(judged - s["judged_share"]) < 1e-3, f"{pattern}: {s['judged_share']} is judged, not {judged}")
            loss = {}
            for c, ideal in calls:
                loss[c.name] = loss.get(c.name, 0) + (0 if ideal is None else max(0, c.us() - ideal))
            most = sorted(loss, key=lambda name: -loss[name])[:3]
            top = sorted((r for r in rows if r["loss_us"]), key=lambda r: -r["loss_us"])[:3]
            check([r["name"] for r in top] == most, f"{pattern}: {[r['name'] for r in top]} lose most, not {most}")
            for r in top:
                check(abs(r["loss_us"] - loss[r["name"]]) <= .01 * r["loss_us"], f"{pattern}: {r['name']} loses {r['loss_us']}, not {loss[r['name']]}")
            play = Replay(events, marker, late)
            today = play.today()
            check(abs(today - s["step_us"]) <= 1e-3 * today, f"{pattern}: a step takes {s['step_us']}, not {today}")
            check(s["bound_by"] == ("replay" if by_replay else "sum"), f"{pattern}: by {s['bound_by']}")
            bound = today - sum(loss.values())
            if by_replay:
                factor = {id(e): 1 if ideal is None or not c.us() else min(1, ideal / c.us()) for c, ideal in calls for e in c.events}
                now = [a["dur"] for a in play.activities]
                changed = play.run([a["dur"] * factor.get(id(a), 1) for a in play.activities])
                bound = today - (play.run(now) - changed)
                check(abs(play.run(now) - today) <= .05 * today, f"{pattern}: the replay takes {play.run(now)}, not {today}")
            check(abs(bound - s["bound_us"]) <= .01 * today, f"{pattern}: the bound is {s['bound_us']}, not {bound}")
            if os.environ.get("SHOW"):
                print(f"{pattern}: step {today:.1f} / {s['step_us']:.1f}, bound {bound:.1f} / {s['bound_us']:.1f}, judged {judged:.4f} / {s['judged_share']:.4f}; {most}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
