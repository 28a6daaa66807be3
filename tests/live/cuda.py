#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof run --cuda` with a library that stands in for CUPTI (cuda/cupti.c) and a job that loads what CUDA would load (cuda/job.c):
what is recorded is exact, and the job never notices. No GPU is used. cuda.py TFPROF"""
import json
import os
import signal
import subprocess
import sys
import tempfile

from checks import check, ended


HERE = os.path.dirname(os.path.abspath(__file__))
class Place:
    def __init__(self, program, folder):
        self.program, self.folder, self.count = program, folder, 0
        self.job = os.path.join(folder, "job")
        fakes = os.path.join(folder, "fakes")
        os.mkdir(fakes)
        cc = ["cc", "-std=c11", "-D_GNU_SOURCE", "-O1"]
        subprocess.run([*cc, "-shared", "-fPIC", "-Wl,-soname,libcupti.so.12", os.path.join(HERE, "cuda", "cupti.c"), "-o",
                        os.path.join(fakes, "libcupti.so.12")], check=True)
        subprocess.run([*cc, os.path.join(HERE, "cuda", "job.c"), "-o", self.job, "-ldl"], check=True)
        unset = ("CUDA_INJECTION64_PATH", "TFPROF_CUDA", "TFPROF_JOB", "RANK")
        self.bare = {k: v for k, v in os.environ.items() if k not in unset}
        self.bare["TFPROF_RUN_DIR"] = os.path.join(folder, "run")
        self.env = dict(self.bare, LD_LIBRARY_PATH=fakes)

    def run(self, command, *options, env=None, **more):
        """Runs a command; returns its result, the manifest, the folder, and the notes."""
        self.count += 1
        out = os.path.join(self.folder, f"out{self.count}")
        done = subprocess.run([self.program, "run", "--cuda", "--dir", out, *options, "--", *command], capture_output=True, timeout=60,
                              check=False, env=dict(env or self.env, **more), text=True)
        manifest = None
        if os.path.exists(out + "/manifest.json"):
            with open(out + "/manifest.json", encoding="utf-8") as f:
                manifest = json.load(f)
        check("nothing is left", not os.path.exists(out + "/.cuda") and os.listdir(self.env["TFPROF_RUN_DIR"]) == [], out)
        return done, manifest, out

    def table(self, verb, path, *options):
        done = subprocess.run([self.program, verb, path, "-format", "json", *options], capture_output=True, check=False, text=True)
        return json.loads(done.stdout)["rows"] if done.returncode == 0 else done.stderr


def kernels(p, path):
    rows = p.table("kernel", path)
    if not isinstance(rows, list):
        return rows
    sums = {}
    for r in rows:  # each process has its own rows
        count, total = sums.get(r["name"], (0, 0))
        sums[r["name"]] = count + r["count"], total + r["total_us"]
    return sums


def expected(steps):
    return {"gemm(float*, int)": (steps, 2 * steps), "fill": (steps, steps / 2), "Memcpy HtoD (Pinned -> Device)": (steps, steps * 3 / 10),
            "Memset (Device)": (steps, steps / 10)}


def near(got, steps):
    want = expected(steps)
    return isinstance(got, dict) and got.keys() == want.keys() and all(
        got[k][0] == want[k][0] and abs(got[k][1] - want[k][1]) < 1e-6 for k in want)


def notes(done):
    return [line.split("note: ", 1)[1] for line in done.stderr.splitlines() if line.startswith("tfprof: note: ")]


def streams(done):
    return done.stdout == "out\n" and done.stderr.startswith("err\n") and all(
        line.startswith("tfprof: note: ") for line in done.stderr.splitlines()[1:])


def recorded(p):
    done, m, out = p.run([p.job, "normal", "10"])
    row = m["captures"][0]
    check("status and streams", done.returncode == 0 and streams(done), done)
    check("kernels", near(kernels(p, out), 10), kernels(p, out))
    check("row", (row["status"], row["code"], row["via"], row["kind"], row["framework"], row["window_micros"]) ==
          ("ok", None, "cupti", "kineto", "cuda", 95) and row["bytes"] == os.path.getsize(os.path.join(out, row["file"])) and
          row["job"] == f"{row['pid']}@{row['start_ticks']}" and abs(row["started_unix_micros"] - m["started_unix_micros"]) < 60e6, row)
    modes = {oct(os.stat(os.path.join(d, f)).st_mode & 0o777) for d, _, fs in os.walk(out) for f in fs}
    check("modes", modes == {"0o600"}, modes)
    with open(os.path.join(out, row["file"]), encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    kernel = [e for e in events if e["name"] == "gemm(float*, int)"]
    args = {"device": 1, "context": 1, "stream": 7, "correlation": 91, "registers per thread": 32, "shared memory": 1536,
            "grid": [4, 2, 1], "block": [128, 1, 1], "graph node id": 9}
    check("a kernel", len(kernel) == 10 and kernel[9]["args"] == args and kernel[9]["dur"] == 2, kernel)
    calls = {(e["cat"], e["name"], e["pid"], e["tid"]) for e in events if e["cat"].startswith("cuda")}
    check("calls", calls == {("cuda_runtime", "cudaLaunchKernel", 77, 78), ("cuda_driver", "cuLaunchKernel", 77, 78)}, calls)
    ops = {r["name"]: r["ops"] for r in p.table("kernel", out)}
    check("a launch", "cudaLaunchKernel" in ops["gemm(float*, int)"] and "no op" in ops["fill"], ops)
    copies = {r["kind"]: (r["count"], r["bytes"]) for r in p.table("transfer", out)}
    check("transfer", copies == {"HtoD pinned": (10, 40960), "set": (10, 640)}, copies)
    path = os.path.join(p.folder, "timeline.json")
    timeline = subprocess.run([p.program, "timeline", out, "-o", path], capture_output=True, check=False)
    check("timeline", timeline.returncode == 0 and "gemm(float*, int)" in open(path, encoding="utf-8").read(), timeline)
    done, m, out = p.run([p.job, "normal", "60000"], "--max-rate", "0")
    check("many buffers", near(kernels(p, out), 60000), (kernels(p, out), notes(done)))
    done, m, out = p.run([p.job, "normal", "2"], RANK="3")
    check("rank", m["captures"][0].get("rank") == 3, m)
    for version in ("eleven", "twelve"):
        done, m, out = p.run([p.job], FAKE_CUPTI=version)
        check(f"CUPTI {version}", near(kernels(p, out), 10) and m["captures"][0]["status"] == "ok", m)


def faults(p):
    """The job ends as usual; CUPTI's error becomes a note."""
    for fault, text in (("subscribed", "error 39"), ("no driver", "error 999"), ("old", "older than")):
        done, m, out = p.run([p.job, "status"], FAKE_CUPTI=fault)
        row = m["captures"][0]
        check(fault, done.returncode == 9 and streams(done) and len(notes(done)) == 1 and text in notes(done)[0] and m["notes"] == notes(done) and
              (row["status"], row["file"]) == ("failed", None) and text in row["message"], (done, m))
    done, m, out = p.run([p.job], env=p.bare)
    check("no libcupti", done.returncode == 0 and streams(done) and "no libcupti" in notes(done)[0], done)
    done, m, out = p.run([p.job, "none"])
    check("no CUDA", done.returncode == 0 and m["captures"] == [] and "no process used CUDA" in notes(done)[0], done)
    for fault, text, status in (("new", "newer than", "partial"), ("dropped", "no room for", "partial"), ("no sets", "Enable(2)", "partial"),
                                ("timeless", "1 activities or calls had no time", "ok")):
        done, m, out = p.run([p.job], FAKE_CUPTI=fault)
        rows = kernels(p, out)
        check(fault, done.returncode == 0 and text in " ".join(notes(done)) and m["captures"][0]["status"] == status and
              rows["fill"] == (10, 5) and ("Memset (Device)" in rows) == (fault != "no sets"), (done, m, rows))
    done, m, out = p.run([p.job, "normal", "1000"], "--max-bytes", "20000")
    count = kernels(p, out)["fill"][0]
    check("--max-bytes", m["captures"][0]["code"] == "too-big" and 20 < count < 100 and "20000 bytes (--max-bytes" in " ".join(notes(done)), (m, count))
    done = subprocess.run([p.program, "run", "--max-bytes", "5", "--", "true"], capture_output=True, check=False, env=p.env)
    check("--max-bytes alone", done.returncode == 2, done)
    done = subprocess.run([p.program, "run", "--cuda", "--dir", os.path.join(p.folder, "other"), "--", "true"], capture_output=True, check=False,
                          env=dict(p.env, CUDA_INJECTION64_PATH="/x.so"))
    check("another library", done.returncode == 2 and b"/x.so" in done.stderr, done)


def ends(p):
    """Jobs that crash or exit early, and jobs with several processes."""
    done, m, out = p.run([p.job, "crash"])
    check("a crash", done.returncode == 128 + signal.SIGSEGV and near(kernels(p, out), 10), (done, kernels(p, out)))
    done, m, out = p.run([p.job, "quick"])
    check("_exit", done.returncode == 4 and near(kernels(p, out), 10), (done, kernels(p, out)))
    done, m, out = p.run([p.job, "fork"])
    check("a fork", done.returncode == 0 and len(m["captures"]) == 1 and near(kernels(p, out), 10), (done, m))
    done, m, out = p.run([p.job, "children"])
    check("children", len(m["captures"]) == 3 and "3 jobs were captured" in str(kernels(p, out)), (done, m))
    counts = sorted(kernels(p, os.path.join(out, job))["fill"][0] for job in os.listdir(out) if job != "manifest.json")
    check("children, each its own", counts == [3, 3, 10], counts)
    done, m, out = p.run(["sh", "-c", "TFPROF_JOB=77@88 exec " + p.job + " children"])
    check("one job", sorted(os.listdir(out)) == ["77", "manifest.json"] and kernels(p, out)["fill"][0] == 16, (m, kernels(p, out)))
    done, m, out = p.run([p.job, "exec"])
    files = sorted(c["file"].split("/")[1] for c in m["captures"])
    check("exec", files == [f"{m['captures'][0]['pid']}{n}.cuda.json" for n in ("-1", "")] and kernels(p, out)["fill"][0] == 13, (m, files))
    done, m, out = p.run(["sh", "-c", f"cd {p.folder}; {p.job} closed"])
    own = os.path.join(p.folder, "own")
    check("a job that closes what it does not know", done.returncode == 0 and os.path.getsize(own) == 0 and near(kernels(p, out), 10), done)
    done, m, out = p.run([p.job, "small", "1000"])
    check("a limit on files", done.returncode == 0 and m["captures"][0]["code"] == "too-big" and 20 < kernels(p, out)["fill"][0] < 100, (done, m))
    done, m, out = p.run(["no-such-command"])
    check("127", done.returncode == 127, done)


def bounded(p):
    """Windows of 300 ms each second; a limit of activities a second; a collector of PyTorch's own, of which only the name of a file is known."""
    done, m, out = p.run([p.job, "long", "0"], "--every", "1s", "--ms", "300")
    count = kernels(p, out)["fill"][0]
    check("windows", done.returncode == 0 and m["captures"][0]["status"] == "ok" and 20 <= count <= 110, (count, done, m))
    done, m, out = p.run([p.job, "long", "20000"], "--max-rate", "1000")
    row, count = m["captures"][0], kernels(p, out)["fill"][0]
    check("a limit of the rate", (row["status"], row["code"]) == ("partial", "too-big") and "--max-rate" in row["message"] and 1000 <= count < 20300 and done.returncode == 0, (count, row))
    binding = os.path.join(p.folder, "cupti", "cupti.cpython-311.so")
    os.makedirs(os.path.dirname(binding))
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", binding], check=True)
    done, m, out = p.run([p.job, "normal", "10"], LD_PRELOAD=binding)
    row = m["captures"][0]
    check("PyTorch's own collector", done.returncode == 0 and (row["status"], row["file"]) == ("failed", None) and "left to it" in row["message"], (done, row))
    done = subprocess.run([p.program, "run", "--max-rate", "5", "--", "true"], capture_output=True, check=False, env=p.env)
    check("--max-rate alone", done.returncode == 2, done)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        p = Place(program, folder)
        for part in (recorded, faults, ends, bounded):
            part(p)
    return ended()


if __name__ == "__main__":
    sys.exit(main())
