#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds `tfprof whatif` against the figures that StragglerAnalysis publishes of its timelines, and measures it: pipelines.py PROGRAM FOLDER

FOLDER is `data` of https://github.com/ByteDance-Seed/StragglerAnalysis: timeline-NAME.json.gz and result-NAME.json. Each figure (step times as recorded,
replayed and without stragglers; slowdowns by stage, rank and type of operation) must be met within 1 %, 2 % by rank of a job whose timeline has
more steps than its result. Processor time is that of the whole command, best of five; AR (117,216 spans) may take 0.1 s."""
import glob
import json
import os
import re
import resource
import subprocess
import sys

KEPT = {"stage": "blocking_decompose_by_stage", "dp": "blocking_decompose_by_dp_rank", "op": "blocking_decompose_by_optype"}
OF_STEP = {"step_t_base": ("today", "step_us"), "step_t_nodelay": ("today", "replay_us"), "step_t_noblk": ("ideal stragglers", "replay_us")}
TOLERANCE, OF_RANKS, SECONDS = 0.01, 0.02, {"AR": 0.1}


def numbered(figures):
    """A list or an object of figures, by name."""
    return figures.items() if isinstance(figures, dict) else enumerate(figures)


def ask(program, path, *options):
    done = subprocess.run([program, "whatif", path, "-ideal", "stragglers", *options, "-format", "json"], capture_output=True, text=True, check=True)
    return {row["scenario"]: row for row in json.loads(done.stdout)["rows"]}


def figures_of(program, path, published):
    """Our figures and the published ones: (kind, ours, theirs)."""
    rows = ask(program, path)
    today, ideal = rows["today"], rows["ideal stragglers"]
    yield "launch_slowdown", today["step_us"] / today["replay_us"], published["launch_slowdown"]
    yield "blocking_slowdown", today["replay_us"] / ideal["replay_us"], published["blocking_slowdown"]
    for word, key in KEPT.items():
        kept = dict(numbered(published[key]))
        rows = ask(program, path, *(part for name in kept for part in ("-keep", f"{word}:{name}")))
        for name, theirs in kept.items():
            yield key, rows[f"keep {word}:{name}"]["replay_us"] / rows["ideal stragglers"]["replay_us"], theirs
    for step in dict(numbered(published["step_t_base"])):
        rows = ask(program, path, "-step", str(step))
        for key, (scenario, column) in OF_STEP.items():
            yield key, rows[scenario][column] / 1e6, dict(numbered(published[key]))[step]


def seconds(program, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "whatif", path, "-ideal", "stragglers"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def check(program, path, name):
    """Prints the worst figure of each kind; returns how many are within the tolerance, and how many
    are not."""
    with open(os.path.join(os.path.dirname(path), f"result-{name}.json")) as f:
        published = json.load(f)
    worst, passed, failed = {}, 0, 0
    for kind, ours, theirs in figures_of(program, path, published):
        error = abs(ours - theirs) / theirs
        good = error <= (OF_RANKS if kind == KEPT["dp"] else TOLERANCE)
        passed, failed = passed + good, failed + (not good)
        worst[kind] = max(worst.get(kind, 0), error)
    spent = min(seconds(program, path) for _ in range(5))
    good = spent <= SECONDS.get(name, 1)
    print(f"{name}: {passed} figures met, {failed} not; {spent:.2f} s of processor time; worst: " +
          ", ".join(f"{kind} {100 * error:.4f} %" for kind, error in worst.items()), flush=True)
    return passed + good, failed + (not good)


def main():
    program, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    passed = failed = 0
    for path in sorted(glob.glob(os.path.join(folder, "timeline-*.json.gz"))):
        good, bad = check(program, path, re.search(r"timeline-(\w+)\.json", path)[1])
        passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or not passed


if __name__ == "__main__":
    sys.exit(main())
