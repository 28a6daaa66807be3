#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""merged.py TFPROF: traces of ranks that scripts merged into one file in many shapes: each rank keeps its own kernel time by operator,
steps and devices."""
import copy
import json
import os
import subprocess
import sys
import tempfile

RANKS, STEPS = 3, 2
TIMES = {"mm": 300, "relu": 50, "softmax": 100}


def rank_trace(rank, device, pid, numbered=True):
    """The events of one rank. Correlations, arrows and `External id`s count from 1 in each rank; the time of an operator is its own."""
    events, number, at = [], 0, 1000 + 7 * rank
    for name, label in ((pid, "CPU"), (device, f"GPU {device}")):
        events.append({"ph": "M", "name": "process_name", "pid": name, "tid": 0, "ts": 0, "args": {"name": "python"}})
        events.append({"ph": "M", "name": "process_labels", "pid": name, "tid": 0, "ts": 0, "args": {"labels": label}})
    for step in range(STEPS):
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": pid, "tid": pid, "ts": at, "dur": 900})
        free = at + 100
        for k, (op, time) in enumerate(TIMES.items()):
            number += 1
            begin, join = at + 10 + 100 * k, {"correlation": number} if numbered else {}
            events.append({"ph": "X", "cat": "cpu_op", "name": f"rank{rank}::{op}", "pid": pid, "tid": pid, "ts": begin, "dur": 60,
                           "args": {"External id": number}})
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": pid, "tid": pid, "ts": begin + 20, "dur": 10,
                           "args": {"External id": number if numbered else number % 3 + 100, **join}})
            start = max(free, begin + 50)
            free = start + time + rank
            args = {"device": device, "stream": 7} if numbered else {}
            events.append({"ph": "X", "cat": "kernel", "name": op, "pid": device, "tid": 7, "ts": start, "dur": time + rank,
                           "args": {"External id": number if numbered else number % 3 + 100, **args, **join}})
            for phase, place, when in (("s", (pid, pid), begin + 20), ("f", (device, 7), start)):
                events.append({"ph": phase, "cat": "ac2g", "name": "ac2g", "id": number, "pid": place[0], "tid": place[1], "ts": when, "bp": "e"})
        at += 1000
    events.append({"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": at})
    return events


def ranks(local=False, same_pid=False, **more):
    return [rank_trace(r, 0 if local else r, 100 if same_pid else 100 + 11 * r, **more) for r in range(RANKS)]


def moved(parts, pid):
    """Changes each pid by pid(rank, old)."""
    for rank, part in enumerate(parts):
        for event in part:
            if event["pid"] != "":
                event["pid"] = pid(rank, event["pid"])
    return parts


def named(parts, name):
    for rank, part in enumerate(parts):
        for event in part:
            if event["name"] == "process_name":
                event["args"]["name"] = name(rank)
    return parts


def ranked(parts, key, text=False, meta=True):
    """Writes the rank into the args of the events, as scripts that merge do. A collective has PyTorch's `Rank` in its group beside it."""
    for rank, part in enumerate(parts):
        for event in part:
            if meta or event["ph"] != "M":
                event.setdefault("args", {})[key] = str(rank) if text else rank
    return parts


def labelled(parts):
    for rank, part in enumerate(parts):
        for event in part:
            if event["name"] == "process_labels":
                event["args"]["labels"] = f"rank {rank}"
    return parts


def in_order(parts):
    return [e for part in parts for e in part]


def by_time(parts):
    return sorted(in_order(parts), key=lambda e: e["ts"])


def shapes():
    """Each yields a name and events."""
    for order in (in_order, by_time):
        for local in (False, True):
            where = f"{order.__name__}, {'local devices' if local else 'devices of the node'}"
            for text in ("[TP{0:02}-DP00] {1}", "[TP{0:02}] {1}", "rank{0} {1}", "Rank {0}: {1}", "rank_{0}/{1}", "{1} (rank {0})", "{0}_{1}", "{1}_{0}",
                         "{0}:{1}", "node{0}/{1}", "{1} [{0}]", "r{0}-{1}"):
                yield f"pid {text}, {where}", order(moved(ranks(local), lambda r, p, text=text: text.format(r, p)))
            for step in (1000, 100000, 1 << 32):
                yield f"pid + {step}, {where}", order(moved(ranks(local), lambda r, p, step=step: p + r * step))
            yield f"pid is the rank, {where}", order(moved(ranks(local), lambda r, p: r))
            yield f"pid is text of the rank, {where}", order(moved(ranks(local), lambda r, p: f"rank {r}"))
            yield f"no change, {where}", order(ranks(local))
            yield f"labels and no correlation, {where}", order(moved(ranks(local, numbered=False), lambda r, p: f"[TP{r:02}] {p}"))
            yield f"names of processes, {where}", order(named(moved(ranks(local), lambda r, p: p * 10 + r), lambda r: f"rank {r} python"))


    for order in (in_order, by_time):
        for key in ("rank", "Rank", "device rank", "global_rank"):
            yield f"equal pids, args {key}, {order.__name__}", order(ranked(ranks(True, True), key))
        yield f"equal pids, args rank as text, {order.__name__}", order(ranked(ranks(True, True), "rank", text=True))
        yield f"equal pids, args rank but of names, {order.__name__}", order(ranked(ranks(True, True), "rank", meta=False))
    yield "equal pids, appended", in_order(ranks(True, True))
    yield "equal pids, appended, no correlation", in_order(ranks(True, True, numbered=False))
    yield "equal pids, appended, labels", in_order(labelled(ranks(True, True)))


def ask(program, path, *words):
    done = subprocess.run([program, *words, path, "-format", "json"], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise ValueError(done.stderr[:200])
    return json.loads(done.stdout)


def device_times(node, out):
    out[node["name"]] = node.get("accelerator_exec_micros", 0)
    for child in node.get("children") or []:
        device_times(child, out)
    return out


def faults(program, path):
    found = device_times(ask(program, path, "op", "-step", "all")["root"], {})
    for rank in range(RANKS):
        for op, time in TIMES.items():
            if found.get(f"rank{rank}::{op}") != STEPS * (time + rank):
                yield f"op rank{rank}::{op}: {found.get(f'rank{rank}::{op}')} us, not {STEPS * (time + rank)}"
    steps = [r for r in ask(program, path, "steps")["rows"] if r["step"] == "1"]
    busy = sorted(r["busy_us"] for r in steps)
    if busy != sorted(sum(TIMES.values()) + 3 * r for r in range(RANKS)):
        yield f"steps: busy times {busy}"
    if any(r["launch_delay_us"] is None for r in steps):
        yield "steps: no launch"
    kernels = {r["name"]: r["count"] for r in ask(program, path, "kernel")["rows"]}
    if kernels != {op: STEPS * RANKS for op in TIMES}:
        yield f"kernel: {kernels}"
    if ask(program, path, "info")["summary"]["processes"] != RANKS:
        yield "info: another number of processes"


def write(path, events, **more):
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"schemaVersion": 1, **more, "traceEvents": events}, out)


def beside_parts(program):
    """The ranks' files and the merged one: each kernel counts once, in a folder and given by name, whatever the files are called."""
    with tempfile.TemporaryDirectory() as folder:
        for r, part in enumerate(ranks()):
            write(os.path.join(folder, f"17-TP-{r}-DP-0.trace.json"), part, distributedInfo={"rank": r, "world_size": RANKS})
        merged = in_order(moved(ranks(), lambda r, p: f"[TP{r:02}-DP00] {p}"))
        for name in ("merged-17.trace.json", "all.trace.json"):
            path = os.path.join(folder, name)
            write(path, merged)
            files = sorted(os.path.join(folder, name) for name in os.listdir(folder))
            for paths in ([folder], files, files[::-1]):
                done = subprocess.run([program, "op", *paths, "-step", "all", "-format", "json"], capture_output=True, text=True, timeout=60)
                found = device_times(json.loads(done.stdout)["root"], {}) if not done.returncode else {}
                if found.get("rank1::mm") != STEPS * (TIMES["mm"] + 1):
                    yield f"beside its parts, {paths}: {found.get('rank1::mm')} us {done.stderr[:200]}"
            if "left out here" not in done.stderr:
                yield "beside its parts: no warning"
            steps = subprocess.run([program, "steps", *files, "-format", "json"], capture_output=True, text=True, timeout=60)
            if len({r["rank"] for r in json.loads(steps.stdout)["rows"]}) != RANKS:
                yield "beside its parts: other ranks"
            os.remove(path)
        write(path, in_order(moved(ranks(), lambda r, p: f"[TP{r:02}-DP00] {p}"))[:-9])
        done = subprocess.run([program, "op", *files[1:], path], capture_output=True, text=True, timeout=60)
        if "counts twice" not in done.stderr:
            yield "other work beside its parts: no warning"


def one_rank(program, path):
    """Files of one rank stay one: names of processes that come again, a rank in all args or in collectives alone."""
    plain, other = rank_trace(0, 0, 100), copy.deepcopy(rank_trace(0, 0, 100))
    for k, event in enumerate(other):
        if event.get("cat") == "kernel" and k % 2:
            event["args"].update({"Collective name": "allreduce", "Rank": 3})
    for name, events in (("names again", plain + [e for e in plain if e["ph"] == "M"]), ("args", in_order(ranked([rank_trace(0, 0, 100)], "rank"))),
                         ("rank in a group", other), ("some events have a rank", [{**e, "args": {**e.get("args", {}), "rank": k % 2}} if k % 5 == 0 else e
                                                                                 for k, e in enumerate(plain)])):
        write(path, events)
        if ask(program, path, "info")["summary"]["processes"] != 1:
            yield f"one rank, {name}: several"
        found = device_times(ask(program, path, "op", "-step", "all")["root"], {})
        if found.get("rank0::mm") != STEPS * TIMES["mm"]:
            yield f"one rank, {name}: {found.get('rank0::mm')} us"
        lanes = ask(program, path, "query", "SELECT lane FROM lanes")["rows"]
        if any("part:" in lane["lane"] for lane in lanes):
            yield f"one rank, {name}: {lanes}"


def in_one_object(path, parts):
    """The members of several traces, one after the other: `traceEvents` and `distributedInfo` come again."""
    with open(path, "w", encoding="utf-8") as out:
        out.write("{" + ", ".join(f'"distributedInfo": {{"rank": {r}}}, "traceEvents": {json.dumps(part)}' for r, part in enumerate(parts)) + "}")


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for faults_of in (beside_parts(sys.argv[1]), one_rank(sys.argv[1], os.path.join(folder, "trace.json"))):
            found = list(faults_of)
            print("".join(f"FAIL {fault}\n" for fault in found), end="")
            failed += bool(found)
            passed += not found
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        again = [(f"several arrays, {name}", parts) for name, parts in (("same pid", ranks(True, True)), ("other pids", ranks()), ("no correlation", ranks(True, True, numbered=False)))]
        for name, events in [*shapes(), *again]:
            if isinstance(events[0], list):
                in_one_object(path, events)
            else:
                with open(path, "w", encoding="utf-8") as out:
                    json.dump({"schemaVersion": 1, "traceEvents": copy.deepcopy(events)}, out)
            try:
                wrong = list(faults(sys.argv[1], path))
            except ValueError as error:
                wrong = [str(error)]
            failed += bool(wrong)
            passed += not wrong
            if wrong:
                print(f"FAIL {name}: " + "; ".join(wrong[:3]))
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
