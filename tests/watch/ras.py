#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof watch` with a server that stands in for NCCL's RAS: of two ranks whose frames tell nothing the one that launched fewer operations is
named; a server that never answers, or answers nonsense, changes nothing. NCCL is not used. ras.py TFPROF"""
import concurrent.futures
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
from checks import check, ended  # noqa: E402

RANK = """
import os, sys, time
def alike(): time.sleep(1000)
end = time.time() + float(sys.argv[1])
def one(): time.sleep(0.01)
def two(): time.sleep(0.01)
def three(): time.sleep(0.01)
while time.time() < end: (one, two, three)[int(1.3 * time.time()) % 3]()  # another stack each second
alike()
"""
ANSWER = """NCCL version 2.28.3 compiled with CUDA 12.9

Warnings
========

#0-0 (27a079b828ff1a75) MISMATCH
  Communicator ranks have different AllReduce operation counts
  1 ranks have launched up to operation 120
  Rank 1 has launched up to operation 119 -- GPU 1 managed by process %d on node 127.0.0.1
"""


def served(answer):
    """A server; answer(pid of rank 1) gives its bytes, None: it never answers. Returns its address and the list of its requests."""
    listener, asked, late = socket.create_server(("127.0.0.1", 0)), [], []

    def work():
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            asked.append(peer.recv(100))
            if answer is None:
                late.append(peer)
                continue
            peer.sendall(answer())
            peer.close()
    threading.Thread(target=work, daemon=True).start()
    return listener, asked


def watched(program, folder, name, answer, busy, seconds):
    """The findings of two ranks that stop to do anything, and the rows of their processes."""
    pids = []
    listener, asked = served(answer and (lambda: answer(pids[1])))
    script, out = os.path.join(folder, name + ".py"), os.path.join(folder, name)
    with open(script, "w", encoding="utf-8") as file:
        file.write(RANK)
    environment = dict(os.environ, TFPROF_RUN_DIR=os.path.join(folder, "run"), WORLD_SIZE="2", MASTER_PORT=str(listener.getsockname()[1]),
                       NCCL_RAS_ADDR="127.0.0.1:%d" % listener.getsockname()[1])
    ranks = [subprocess.Popen([sys.executable, script, str(busy)], env=dict(environment, RANK=str(r))) for r in range(2)]
    pids.extend(r.pid for r in ranks)
    try:
        done = subprocess.run([program, "watch", *map(str, pids), "-o", out, "--for", "%ds" % seconds, "-format", "jsonl"], check=True, capture_output=True,
                              timeout=200, env=environment)
        shown = subprocess.run([program, "watch", "--show", out, "--table", "watch_jobs", "-format", "json"], check=True, capture_output=True, timeout=60)
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait(20)
        listener.close()
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [f for f in lines if f.get("kind") == "hang"], json.loads(shown.stdout)["rows"], asked


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        servers = {"behind": (lambda pid: (ANSWER % pid).encode(), 75, 98),  # a job is known after a minute
                   "never": (None, 20, 12), "nonsense": (lambda pid: b"\x1b[31m#0-0 (" * 50000, 20, 12), "closed": (lambda pid: b"", 20, 12)}
        with concurrent.futures.ThreadPoolExecutor(len(servers)) as pool:
            seen = {name: pool.submit(watched, program, folder, name, *how) for name, how in servers.items()}
        found, jobs, asked = seen["behind"].result()
        check("the rank behind", found and found[0]["rank"] == 1 and "AllReduce 120" in found[0]["evidence"], found)
        check("the layer", all("ras" in j["layers"].split("|") for j in jobs) and all("ras" in f["sources"].split("|") for f in found), jobs)
        check("what is asked, and how often", asked and all(a == b"VERBOSE STATUS\n" for a in asked) and len(asked) <= 20, asked)
        for name in ("never", "nonsense", "closed"):
            found, jobs, _ = seen[name].result()
            check(f"a server: {name}", not any("AllReduce" in f["evidence"] for f in found) and all("ras" not in j["layers"] for j in jobs), (found, jobs))
    return ended()


if __name__ == "__main__":
    sys.exit(main())
