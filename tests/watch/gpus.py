#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof watch` with a library that stands in for NVIDIA's management library (nvml.c): use, power and clock of a job's GPU are in its
rows, and a machine without the library has none. No GPU is used. gpus.py TFPROF"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
from checks import check, ended  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def watched(program, folder, name, **more):
    """The newest row of steps and of jobs of a process that was watched for a window."""
    job = subprocess.Popen([sys.executable, "-c", "import time\nwhile True: time.sleep(0.01)"])
    out = os.path.join(folder, name)
    environment = dict(os.environ, FAKE_GPU_PID=str(job.pid), TFPROF_RUN_DIR=os.path.join(folder, "run"), **more)
    try:
        subprocess.run([program, "watch", str(job.pid), "-o", out, "--for", "25s"], check=True, env=environment, stdout=subprocess.DEVNULL, timeout=90)
    finally:
        job.kill()
        job.wait(20)
    tables = []
    for name in ("watch_steps", "watch_jobs"):
        shown = subprocess.run([program, "watch", "--show", out, "--table", name, "-format", "json"], check=True, capture_output=True, timeout=60)
        tables.append(json.loads(shown.stdout)["rows"])
    return tables


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        fakes = os.path.join(folder, "fakes")
        os.mkdir(fakes)
        subprocess.run(["cc", "-std=c11", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-Wl,-soname,libnvidia-ml.so.1",
                        os.path.join(HERE, "nvml.c"), "-o", os.path.join(fakes, "libnvidia-ml.so.1")], check=True)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            fake, none = pool.submit(watched, program, folder, "fake", LD_LIBRARY_PATH=fakes), pool.submit(watched, program, folder, "none")
        steps, jobs = fake.result()
        row = steps[-1] if steps else {}
        check("its GPU", (row.get("gpu"), row.get("gpu_power_w"), row.get("gpu_clock_mhz")) == (0.5, 251.5, 1410), row)
        check("the layer", "nvml" in jobs[-1]["layers"].split("|"), jobs)
        steps, jobs = none.result()
        check("without the library", steps and steps[-1]["gpu"] is None and "nvml" not in jobs[-1]["layers"], (steps, jobs))
    return ended()


if __name__ == "__main__":
    sys.exit(main())
