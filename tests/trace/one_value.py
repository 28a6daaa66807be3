#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""one_value.py TFPROF [-v] [WORD]: one quantity has one value, wherever it is told.

For every sample it asks every verb that tells a step's length, exposed communication, idle time, the parts of a step, parameters, the
peak of memory, the devices and the sums of host and device time: info, summary, steps, transfer, wait, advise, op, scope, memory,
params, diff as JSON, SQL, and the API of the page. What changes would give is told by whatif as text, JSON and JSON lines, in SQL, by the API and in
advise. All values of a quantity must be one. The samples are the project's
own and, where they exist, the traces in ../shared/formats.
"""
import glob
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "server"))
import serving  # noqa: E402

SAMPLE = os.path.join(ROOT, "tests", "data", "sample")
SHARED = os.path.join(ROOT, "..", "shared", "formats")
MOST_BYTES = 5 << 20  # size limit for shared files, because this test is one of those that run every time

COMMANDS = ["info -format json", "summary -format json", "steps -format json", "transfer -format json", "wait -format json",
            "advise -format json", "memory -format json", "params -format json",
            "op -max_depth 1 -format json", "scope -max_depth 1 -format json", "calls -max_depth 1 -format json",
            "kernel -format json", "flops -format json", "graph -max_depth 1 -select trainable_params,fixed_params,slot_params -format json",
            "query -format json SELECT 'steps' AS of, count(*) AS n FROM steps WHERE listed",
            "query -format json SELECT 'sums' AS of, sum(cpu_us) AS cpu, sum(accelerator_us) AS accelerator, count(*) AS n "
            "FROM executions",
            "query -format json SELECT 'parts' AS of, avg(CASE WHEN coalesce(paces, 1) = 1 THEN coalesce(step_us, duration_us) END) AS step, "
            "avg(compute_us) AS compute, "
            "avg(exposed_communication_us) AS exposed_communication, avg(exposed_copy_us) AS exposed_copies, "
            "avg(idle_us - CASE WHEN (SELECT count(DISTINCT step) FROM step_devices) <= 2 "
            "THEN max(0, duration_us - coalesce(step_us, duration_us)) ELSE 0 END) AS idle FROM step_devices "
            "WHERE step <> 'all' AND coalesce(paces, 1) >= 0"]
UNITS = {"ns": 1e-3, "us": 1, "µs": 1, "ms": 1e3, "s": 1e6, "sec": 1e6, "min": 6e7, "h": 3.6e9}
TIME = r"([\d.,]+) ?(ns|us|µs|ms|sec|s|min|h)\b"


def own_samples():
    """Lists of files, one for each profile."""
    of = lambda *names: [os.path.join(SAMPLE, n) for n in names]
    singles = ["pytorch/train.json.gz", "pytorch_graph/train.json.gz", "recorded/jax.xplane.pb.gz", "recorded/keras.xplane.pb.gz",
               "recorded/loop.xplane.pb.gz", "traces/kineto.json", "traces/shapes.json", "traces/plain.json", "xplane/gpu.xplane.pb",
               "xplane/host.xplane.pb", "xplane/odd.xplane.pb", "steps/ahead.json", "steps/burst.json", "steps/single.json",
               "steps/startup.json", "steps/nothing.json", "xplane/tpu.xplane.pb", "dense/profile_3.gz", "towers/profile_9.gz",
               "gpu/profile_1.gz", "odd/profile_5", "dense/ckpt_v1/model.ckpt-3", "dense_resource/saved_model",
               "dense_resource/model.meta.gz", "functions/saved_model", "functions/shared", "resnet32/model.meta.gz", "loops/graph.pb"]
    sets = [("recorded/loop.graph.pb", "recorded/loop.xplane.pb.gz"), ("dense/graph.pb", "dense/run_meta_0", "dense/run_meta_3"),
            ("resnet32/graph.pbtxt.gz", "resnet32/run_meta_0.gz"), ("seq2seq/graph_shapes.pb.gz", "seq2seq/run_meta_0.gz"),
            ("towers/graph.pb.gz", "towers/run_meta_1.gz"), ("jobs/rank0.json", "jobs/rank1.json"),
            ("hosts/rank0.json", "hosts/rank1.json")]
    singles += ["jobs/late.json", "jobs/lines.json", "jobs/pipeline.json", "graphs/own.json"]
    more = [os.path.join(ROOT, "tests", "data", "pytorch_more", "train.json.gz")]
    return [of(n) for n in singles if os.path.exists(of(n)[0])] + [of(*s) for s in sets] + [more]


def shared_samples():
    found = []
    for pattern in ("public/*.json.gz", "public/*.xplane.pb", "kineto/*.json", "kineto/*.json.gz", "kineto/rec/*.json.gz",
                    "xplane/*.xplane.pb", "xplane/rec/*.xplane.pb*"):
        found += [[p] for p in sorted(glob.glob(os.path.join(SHARED, pattern))) if os.path.getsize(p) <= MOST_BYTES]
    ranks = [sorted(glob.glob(os.path.join(SHARED, "public", "hta_sampled?.json.gz"))),
             sorted(glob.glob(os.path.join(SHARED, "kineto", "ranks128", "*")))]
    return found + [r for r in ranks if r]


# ---- asking ----

def objects(text):
    """The JSON objects of an output, one after another."""
    decoder, at = json.JSONDecoder(), 0
    while True:
        at = text.find("{", at)
        if at < 0:
            return
        value, at = decoder.raw_decode(text, at)
        yield value


def ask(program, files):
    done = subprocess.run([program, *files], input="\n".join(COMMANDS) + "\n", capture_output=True, text=True, timeout=120)
    answers = {}
    for o in objects(done.stdout):
        name = o["view"]
        if name == "query":
            if not o["rows"]:
                continue
            name = "query " + o["rows"][0]["of"]
        answers[name] = o
    return answers


def told(text, what):
    """The time in microseconds after some words, with the uncertainty of its digits; None if there is none."""
    found = re.search(what + " " + TIME, text)
    return found and (float(found[1].replace(",", "")) * UNITS[found[2]], rounding(found[1]) * UNITS[found[2]])


def rounding(digits):
    whole, _, part = digits.partition(".")
    return 0.51 * 10 ** -len(part)


def mean(rows, key):
    return sum(r[key] for r in rows) / len(rows)


# ---- quantities ----

class Values:
    """By quantity: which command gives which value."""

    def __init__(self):
        self.of = {}

    def add(self, quantity, source, value, slack=0.0):
        if value is not None:
            self.of.setdefault(quantity, []).append((source, value, slack))

    def odd(self):
        """Sentences about quantities with several different values."""
        for quantity, said in self.of.items():
            first, value, slack = said[0]
            for source, other, more in said[1:]:
                if isinstance(value, (set, str)) or isinstance(other, (set, str)):
                    same = value == other
                else:
                    same = abs(value - other) <= slack + more + 1e-6 + 1e-9 * abs(value)
                if not same:
                    yield f"{quantity}: {first} {show(value)}, {source} {show(other)}"

    def count(self):
        return sum(len(said) - 1 for said in self.of.values())


def show(value):
    return ",".join(sorted(value)) if isinstance(value, set) else str(value)


PARTS = {"compute": "compute_us", "exposed communication": "exposed_communication_us", "exposed copies": "exposed_copy_us",
         "idle": "idle_us"}


def step_rows(v, source, rows):
    """Values from the table `steps`."""
    steps = len({r["step"] for r in rows if r["step"] != "all"})
    rows = [dict(r, takes=r.get("step_us", r["duration_us"])) for r in rows if r["step"] != "all" and r.get("paces", 1) >= 0]
    if not rows:
        return
    for r in rows:  # without steps the time before the first activity is no idle time
        r["idle_us"] -= max(0, r["duration_us"] - r["takes"]) if steps == 1 else 0
    of_ranks, paced = {}, [r for r in rows if r.get("paces", 1)]
    for r in paced:
        of_ranks.setdefault((r.get("rank"), r["step"]), []).append(r)
    v.add("step, mean", source, sum(mean(devices, "takes") for devices in of_ranks.values()) / len(of_ranks), 0.001)
    v.add("step of a device, mean", source, mean(paced, "takes"))
    v.add("steps", source, steps)
    v.add("devices", source, {r["device"] for r in rows})
    for part, key in PARTS.items():
        v.add(part, source, mean(rows, key))
    v.add("busy is its parts", source, mean(rows, "busy_us"))
    v.add("busy is its parts", source + " (sum)", sum(mean(rows, k) for k in PARTS.values() if k != "idle_us"), 0.001 * 3)


def part_rows(v, source, rows):
    """Values from `summary`, and from `wait` below its own."""
    parts = {r["part"].strip(): r["a_step_us"] for r in rows}
    of_idle = [r["a_step_us"] for r in rows if r["part"].startswith("  of it")]
    for part in (*PARTS, "host waits for data", "host waits for the device"):
        v.add(part, source, parts.get(part))
    if of_idle:
        v.add("idle", source + " (its parts)", sum(of_idle))


FINDINGS = {"ExposedCommunication": ("exposed communication", "beside takes"), "InputBound": ("host waits for data", "input takes")}


def findings(v, a):
    for c in a.get("advise", {}).get("checkers", []):
        text = " ".join(c["reports"])
        step = told(text, r"of a step of")
        if step:
            v.add("step of a device, mean", c["name"], *step)
        quantity = FINDINGS.get(c["name"])
        if quantity and told(text, quantity[1]):
            v.add(quantity[0], c["name"], *told(text, quantity[1]))
        gaps = [r["a_step_us"] for r in a["summary"]["rows"] if "gaps of over 1 ms" in r["part"]]
        stalls = told(text, r"millisecond, takes")
        if c["name"] == "HostStalls" and gaps and stalls:  # the finding excludes the profiler's own work
            v.add("long gaps hold HostStalls", "summary", gaps[0])
            v.add("long gaps hold HostStalls", "the more of both", max(gaps[0], stalls[0] - stalls[1]))


def most_held(rows, peak):
    """The largest total that the rows of one device have at the same time; None if they are not
    everything that is held."""
    held = {}
    for r in rows:
        if "device" in r and r.get("bytes") is not None:
            held[r["device"]] = held.get(r["device"], 0) + r["bytes"]
    whole = abs(sum(r.get("share") or 0 for r in rows) - len(held)) < 1e-6
    return max(held.values()) if held and whole else None


def memory(v, a):
    facts = a.get("memory", {}).get("summary") or {}
    peaks = [n for key, n in facts.items() if re.fullmatch(r"peak_bytes(_\d+)?", key)]
    devices = a.get("memory", {}).get("rows") or []
    gpu = {r["device"] for r in devices} - {"cpu"}
    if peaks:
        v.add("most memory of a device", "memory", max(peaks))
        v.add("most memory of a device", "memory (its scopes)", most_held(a["memory"].get("scopes") or [], max(peaks)))
        v.add("most memory of a device", "memory (its nodes)", most_held(devices, max(peaks)))
    told_peak = a.get("summary", {}).get("summary", {}).get("device_memory_peak_bytes")
    if peaks and told_peak and gpu:
        v.add("memory peak", "summary", told_peak)
        v.add("memory peak", "memory", max(peaks))


def parameters(v, a):
    info = a.get("info", {}).get("summary", {}).get("parameters")
    params, flops = a.get("params", {}), a.get("flops", {}).get("summary", {})
    counted = params.get("summary", {})
    v.add("parameters", "info", info)
    v.add("parameters", "params", counted.get("params"))
    v.add("parameters", "params (by dtype)", sum(d["params"] for d in params["dtypes"]) if params.get("dtypes") else None)
    if info:  # for a trace, flops reports the operations of a step's calls
        v.add("parameters", "flops", flops.get("total_parameters"))
    trained, fixed, slots = (root(a, "graph", kind + "_params") for kind in ("trainable", "fixed", "slot"))
    if counted.get("params") and trained is not None:
        v.add("parameters", "graph", trained + fixed)
        if "trainable_params" in counted:  # the files say which variables are trained
            v.add("trained parameters", "graph", trained)
            v.add("trained parameters", "params", counted["trainable_params"])
            v.add("trained parameters", "flops", flops.get("trainable_parameters"))
        v.add("parameters of optimizers", "graph", slots)
        v.add("parameters of optimizers", "params", counted.get("slot_params", 0))


def root(a, view, key):
    return a.get(view, {}).get("root", {}).get("total_" + key)


def sums(v, a):
    spans = next((r["count"] for r in a.get("info", {}).get("rows", []) if r["part"] == "trace" and r["there"]), 0) or 0
    for key, quantity in (("cpu_exec_micros", "host time of ops"), ("accelerator_exec_micros", "device time of ops")):
        if a.get("info") and spans:
            for view in ("op", "scope"):
                v.add(quantity, view, root(a, view, key))
    rows = [r for r in a.get("kernel", {}).get("rows", []) if not r["name"].endswith(" (async)")]
    if rows and spans:
        v.add("device time of ops", "kernel", sum(r["total_us"] for r in rows), 0.001 * len(rows))
    top = a.get("query sums")
    if top and spans and top["rows"][0]["n"]:
        n = top["rows"][0]["n"]  # each is a whole number of microseconds
        v.add("host time of ops", "SQL", top["rows"][0]["cpu"], n)
        v.add("device time of ops", "SQL", top["rows"][0]["accelerator"], n)


def plain_device(name):
    """"gpu:0" of "/job:localhost/replica:0/task:0/device:gpu:0"."""
    return name.rpartition("device:")[2]


def listed(text):
    return set(text.split(", ")) if text and " more" not in text else None


# ---- what changes would give ----

# change: the checkers whose limit it tests
BOUNDS = {"input 0": ["InputBound"], "no-sync": ["Synchronization"], "overlap comm": ["ExposedCommunication"],
          "ideal stragglers": ["CollectiveSkew", "Stragglers"]}
SCENARIOS = "SELECT scenario, step_us, gain_us, gain_share, replay_us FROM whatif"


def gains(v, source, rows):
    for r in rows:
        for key in ("step_us", "gain_us", "gain_share", "replay_us"):
            v.add(f"whatif {r['scenario']}: {key}", source, r[key])


def gains_told(v, text, rows):
    """The lines of the text give the gain between the step and its share."""
    for r in rows[1:]:
        found = re.search("^" + re.escape(r["scenario"]) + "  +" + TIME + "  +-?" + TIME, text, re.M)
        if found and r["gain_us"] >= 0:
            for key, digits, unit in (("step_us", 1, 2), ("gain_us", 3, 4)):
                scale = UNITS[found[unit]]
                v.add(f"whatif {r['scenario']}: {key}", "whatif (text)", float(found[digits].replace(",", "")) * scale, rounding(found[digits]) * scale)


def of_whatif(program, files, v, a):
    """A trace whose replay is refused has no rows anywhere."""
    run = lambda *words: subprocess.run([program, *words], capture_output=True, text=True, timeout=120)
    done = run("whatif", *files, "-format", "json")
    if done.returncode:
        return
    rows = json.loads(done.stdout)["rows"]
    gains(v, "whatif", rows)
    gains(v, "whatif -format jsonl", [json.loads(line) for line in run("whatif", *files, "-format", "jsonl").stdout.splitlines()[1:]])
    gains_told(v, run("whatif", *files).stdout, rows)
    asked = run("query", SCENARIOS, *files, "-format", "json")
    # otherwise they are separate profiles
    if len(files) == 1 or len(rows) > 1 and "ranks" in run("whatif", *files).stdout.split("\n")[0]:
        gains(v, "whatif in SQL", json.loads(asked.stdout)["rows"])
    by = {r["scenario"]: r["gain_us"] for r in rows}
    for c in a.get("advise", {}).get("checkers", []):
        for name in [n for n, checkers in BOUNDS.items() if c["name"] in checkers and n in by]:
            for text in c["reports"]:
                bound = told(text, "at most") if f"by whatif -{name}" in text else None
                if bound:
                    v.add(f"whatif {name}: gain_us", c["name"], *bound)


def collect(a):
    v = Values()
    info, summary = a.get("info", {}).get("summary", {}), a.get("summary", {}).get("summary", {})
    step_rows(v, "steps", a.get("steps", {}).get("rows", []))
    v.add("step, mean", "summary", summary.get("step_mean_us"))
    v.add("steps", "info", info.get("step_count") if v.of.get("steps") or not summary.get("steps") else None)
    v.add("steps", "summary", summary.get("steps") if v.of.get("steps") else None)
    if summary.get("devices") and a.get("steps"):
        v.add("devices", "summary", listed(summary["devices"]))
        if "cpu" not in summary["devices"] and info.get("devices"):
            named = listed(info["devices"])
            v.add("devices", "info", named and {plain_device(d) for d in named if not d.endswith("cpu") and "cpu:" not in d.lower()})
    part_rows(v, "summary", a.get("summary", {}).get("rows", []))
    part_rows(v, "wait", a.get("wait", {}).get("step_parts", []))
    if a.get("query parts") and a.get("steps", {}).get("rows"):
        for key, value in a["query parts"]["rows"][0].items():
            v.add({"step": "step of a device, mean"}.get(key, key.replace("_", " ")), "SQL", None if key == "of" else value)
    if a.get("query steps"):
        v.add("steps listed", "SQL", a["query steps"]["rows"][0]["n"])
        v.add("steps listed", "info", info.get("step_count"))
    findings(v, a)
    memory(v, a)
    parameters(v, a)
    sums(v, a)
    return v


# ---- the page's API ----

def of_page(server, profile, v):
    """The same tables in the form that the page gets, and the values that the page computes."""
    about = server.api(f"profiles/{profile}")
    if about.status != 200:
        return
    about = about.json()
    v.add("steps listed", "API", len(about["steps"]))
    held = server.api(f"profiles/{profile}/memory?format=json")
    if held.status == 200 and v.of.get("most memory of a device"):
        v.add("most memory of a device", "API memory", max((r["held_bytes"] for r in held.json()["rows"] if r["held_bytes"] is not None), default=None))
        peak = server.api(f"profiles/{profile}/peak?format=json").json()["rows"]
        devices = {r["device"] for r in peak}
        sums_held = [sum(r["bytes"] for r in peak if r["device"] == d) for d in devices]
        v.add("most memory of a device", "API peak", max(sums_held, default=None))
    changed = server.api(f"profiles/{profile}/whatif")
    if changed.status == 200 and changed.json()["table"]:
        gains(v, "API whatif", changed.json()["table"]["rows"])
    for view in ("steps", "summary", "wait"):
        answer = server.api(f"profiles/{profile}/views/{view}")
        if answer.status != 200:
            continue
        answer = answer.json()
        if view == "steps":
            step_rows(v, "API steps", answer["rows"])
        elif view == "summary":
            v.add("step, mean", "API summary", answer["summary"].get("step_mean_us"))
            part_rows(v, "API summary", answer["rows"])
        else:
            part_rows(v, "API wait", answer.get("step_parts", []))


def pages(program, samples, values):
    files = {os.path.abspath(s[0]): i for i, s in enumerate(samples) if len(s) == 1 and os.path.isfile(s[0]) and values[i].of}
    server = serving.Server(program, *files)
    try:
        for p in server.profiles():
            path = os.path.abspath(p["files"][0])
            if path in files and len(p["files"]) == 1:
                of_page(server, p["id"], values[files[path]])
    finally:
        server.process.terminate()
        server.process.communicate()


def of_diff(program, files, v):
    """Compares a file with itself: both sides have the mean step."""
    if len(files) > 1 or not v.of.get("step, mean"):
        return
    done = subprocess.run([program, "diff", "-view", "steps", files[0], files[0], "-format", "json"], capture_output=True, text=True,
                          timeout=120)
    for o in objects(done.stdout):
        if o.get("rows"):
            v.add("step, mean", "diff", o["rows"][0].get("micros_left"), 1)


def main():
    words = sys.argv[1:]
    verbose = "-v" in words
    words = [w for w in words if w != "-v"]
    program = os.path.abspath(words[0])
    samples = [s for s in own_samples() + shared_samples() if len(words) < 2 or words[1] in s[0]]
    values = []
    for files in samples:
        answers = ask(program, files)
        values.append(collect(answers))
        of_whatif(program, files, values[-1], answers)
        of_diff(program, files, values[-1])
    pages(program, samples, values)
    passed = failed = 0
    for files, v in zip(samples, values):
        odd = list(v.odd())
        passed += v.count() - len(odd)
        failed += len(odd)
        name = os.path.relpath(files[0], ROOT)
        for line in odd:
            print(f"FAIL {name}: {line}")
        if verbose:
            for quantity, said in v.of.items():
                print(f"{name}: {quantity}: " + "; ".join(f"{s} {show(x)}" for s, x, _ in said))
        if not v.count() and files[0].startswith(SAMPLE):
            print(f"FAIL {name}: nothing was compared")
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
