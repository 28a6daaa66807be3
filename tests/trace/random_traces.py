#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""random_traces.py TFPROF [FIRST [COUNT]]: compares tfprof on random traces with oracle.py, a second program for the same numbers.

Each trace is drawn from its number, so a failure is repeated by `random_traces.py TFPROF NUMBER 1`. With paths of traces in
place of numbers those are compared. In one of some hundred, work goes on after the host has waited for it, by chance: tfprof then
takes the clocks as different, a rule that the second program does not have, so these are not compared.
"""
import csv
import gzip
import io
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import oracle  # noqa: E402
import oracle_xplane  # noqa: E402
import make_kineto  # noqa: E402
import make_xplane  # noqa: E402

TREE = {"cpu": "cpu_micros", "device": "accelerator_micros", "runs": "runs", "bytes": "bytes", "residual": "residual_bytes"}
csv.field_size_limit(1 << 30)


def ask(program, path, view, *options):
    done = subprocess.run([program, view, path, "-format", "csv", *options], capture_output=True, timeout=60)
    if done.returncode:
        raise ValueError(f"{view} {' '.join(options)}: status {done.returncode}: {done.stderr.decode()[:200]}")
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def device_of(name):
    """"gpu:0" is 0 in the second program."""
    kind, _, number = name.rpartition(":")
    return int(number) if kind in ("gpu", "tpu") else name


def plain(text):
    return text[1:] if text[:1] == "'" and text[1:2] in "=+-@" else text


def number(text):
    return float(text) if text not in ("", None) else None


def compare_tree(view, got, expected):
    """Compares the own values of each row; a row that is 0 in both may be missing."""
    paths, seen = {}, {}
    for row in got:
        path = () if row["parent"] == "" else paths[row["parent"]] + (plain(row["name"]),)
        paths[row["row"]] = path
        key = path if view in ("calls", "code") else plain(row["name"])
        if row["parent"] != "":
            seen[key] = {short: number(row[long]) or 0 for short, long in TREE.items() if long in row}
    for key in set(seen) | set(expected):
        want, have = expected.get(key, {}), seen.get(key, {})
        for column in set(want) | set(have):
            timed = column in ("cpu", "device")
            exact = want.get(column, 0) / (1000 if timed else 1)
            if abs(have.get(column, 0) - exact) > (0.0015 if timed else 0):
                yield f"{view} {key!r}: {column} is {have.get(column, 0)}, not {exact}"


def compare_table(view, got, expected, keys):
    seen = {}
    for row in got:
        key = keys(row)
        if key in seen:
            yield f"{view}: two rows {key}"
        seen[key] = row
    for key in set(seen) ^ set(expected):
        yield f"{view}: row {key} is {'missing' if key in expected else 'too many'}"
    for key in set(seen) & set(expected):
        for column, value in expected[key].items():
            have = plain(seen[key][column]) if isinstance(value, str) else number(seen[key][column])
            if isinstance(value, str) or value is None or have is None:
                same = have == value
            elif column.endswith("_us"):
                same = abs(have - value / 1000) <= 0.0015
            else:
                same = abs(have - value) <= (0 if column in ("count", "kernels", "bytes", "group_size") else 1e-4 * (1 + abs(value)))
            if not same:
                yield f"{view} {key}: {column} is {have!r}, not {value!r}"


def compare_path(steps, got):
    """The critical path must be as long as a step, in the mean; each step lasts up to the start of
    the next."""
    windows = {}
    for row in steps:
        if row["step"] != "all":
            windows.setdefault(row["step"], set()).add((number(row["start_us"]), number(row["duration_us"])))
    if any(len(own) > 1 for own in windows.values()):
        return  # the devices have separate windows
    order = sorted(window for own in windows.values() for window in own)
    ends = [start + duration for start, duration in order]
    length = sum(max(0, min(end, later) - start) for (start, _), end, (later, _) in zip(order, ends, order[1:] + [(1e18, 0)]))
    length /= max(1, sum(duration > 0 for _, duration in order))
    found, share = sum(number(row["total_us"]) for row in got), sum(number(row["share"]) for row in got)
    if abs(found - length) > 0.01 * (len(got) + 1) or (got and abs(share - 1) > 1e-6):
        yield f"critical path: {found} us, share {share}, of a step of {length}"
    for row in got:
        gain = number(row["gain_us"])
        if gain is not None and gain > length + 0.01:
            yield f"critical path: {row['name']} could save {gain} us of a step of {length} us"


def compare(program, path, document):
    trace = oracle_xplane.XPlane(document) if isinstance(document, bytes) else oracle.Trace(document)
    columns = ["-select", "cpu_micros,accelerator_micros,occurrence", "-max_depth", "10000"]
    nodes = ["-select", "cpu_micros,accelerator_micros,occurrence,bytes,residual_bytes", "-max_depth", "10000"]
    for view, answer in (("op", trace.op), ("scope", trace.scope)):
        yield from compare_tree(view, ask(program, path, view, *nodes, "-step", "mean"), answer("mean"))
    choices = [[]] + [["-step", str(n)] for n in trace.numbers()]
    for choice in choices:
        step = int(choice[1]) if choice else None
        for view, answer in (("op", trace.op), ("scope", trace.scope)):
            yield from compare_tree(view, ask(program, path, view, *nodes, *choice), answer(step))
        yield from compare_tree("calls", ask(program, path, "calls", *columns, *choice), trace.calls(step))
        if any(s.kind == "frame" for s in trace.host):
            yield from compare_tree("code", ask(program, path, "code", *columns, *choice), trace.lines(step))
        yield from compare_table("kernel", ask(program, path, "kernel", *choice), trace.kernel(step),
                                 lambda r: (plain(r["name"]), r["class"]))
        yield from compare_table("transfer", ask(program, path, "transfer", *choice), trace.transfer(step),
                                 lambda r: (plain(r["kind"]), device_of(r["device"]), r["group"]))
        yield from compare_table("wait", ask(program, path, "wait", *choice), trace.wait(step), lambda r: (r["cause"], plain(r["where"])))
    yield from compare_path(ask(program, path, "steps"), ask(program, path, "steps", "-critical_path"))
    if trace.spans:
        yield from compare_table("steps", ask(program, path, "steps"), trace.steps(), lambda r: (r["step"], device_of(r["device"])))


def compare_range(program, path, document):
    """Compares the same tables for the middle of the recording (-range): a span that extends beyond it counts with the
    part inside."""
    for view in ("kernel", "op"):  # a range that contains everything
        if ask(program, path, view, "-range", "0:") != ask(program, path, view):
            yield f"{view}: another answer in a range with everything in it"
    if isinstance(document, bytes):
        return
    trace = oracle.Trace(document)
    if not trace.spans:
        return
    whole = max(s.end for s in trace.spans) - min(s.start for s in trace.spans)
    begin, end = whole // 3, whole - whole // 4
    if end <= begin:
        return
    trace.cut(begin, end)
    option = ["-range", f"{begin / 1000:.3f}:{end / 1000:.3f}"]
    columns = ["-select", "cpu_micros,accelerator_micros,occurrence", "-max_depth", "10000"]
    nodes = ["-select", "cpu_micros,accelerator_micros,occurrence,bytes,residual_bytes", "-max_depth", "10000"]

    def found(view, answer, *select):
        for fault in compare_tree(view, ask(program, path, view, *select, *option), answer):
            yield f"in a range: {fault}"
    yield from found("op", trace.op(), *nodes)
    yield from found("scope", trace.scope(), *nodes)
    yield from found("calls", trace.calls(), *columns)
    if any(s.kind == "frame" for s in trace.host):
        yield from found("code", trace.lines(), *columns)
    for view, answer, key in (("kernel", trace.kernel(), lambda r: (plain(r["name"]), r["class"])),
                              ("steps", trace.steps(), lambda r: (r["step"], device_of(r["device"])))):
        for fault in compare_table(view, ask(program, path, view, *option), answer, key):
            yield f"in a range: {fault}"


def clocks_differ(program, path):
    return any("clock far from the host's" in row["what"] for row in ask(program, path, "check"))


def main():
    program = sys.argv[1]
    failed = passed = doubted = 0

    def judge(name, path, document):
        nonlocal failed, passed, doubted
        try:
            found = list(compare(program, path, document))
            found += compare_range(program, path, document)
            if found and clocks_differ(program, path):
                doubted += 1
                return
        except ValueError as error:
            found = [str(error)]
        if found:
            failed += 1
            print(f"FAIL {name}: {len(found)} differences: " + "\n    ".join(found[:6]))
        else:
            passed += 1
    if len(sys.argv) > 2 and not sys.argv[2].isdigit():
        for path in sys.argv[2:]:
            with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
                if path.endswith(".pb"):
                    judge(path, path, f.read())
                    continue
                judge(path, path, json.loads(f.read().decode("utf-8-sig"), strict=False, parse_float=make_kineto.Number))
    else:
        first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
        for n in range(first, first + (int(sys.argv[3]) if len(sys.argv) > 3 else 100)):
            with tempfile.TemporaryDirectory() as folder:
                if n % 3 == 2:
                    path, document = os.path.join(folder, f"random{n}.xplane.pb"), make_xplane.Maker(n).document()
                    with open(path, "wb") as out:
                        out.write(document)
                else:
                    path, document = os.path.join(folder, f"random{n}.json"), make_kineto.Maker(n).document()
                    make_kineto.write(document, path)
                judge(f"random trace {n}", path, document)
    if doubted > 1 + passed // 100:
        failed += doubted
        print(f"FAIL {doubted} traces have clocks that differ")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
