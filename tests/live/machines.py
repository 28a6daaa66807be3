#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`top --agent` and `capture --agent` of several machines: network namespaces with a name, process numbers and an agent of their own,
joined by a bridge. machines.py TFPROF   Needs root, ip and unshare; left out without."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import fake  # noqa: E402
from checks import check, child_of, ended, until  # noqa: E402

COUNT = 3
JOB = "import torch, time\nsgd = torch.optim.SGD()\nwhile True:\n    sgd.step()\n    time.sleep(0.005)\n"
# A machine: waits for its network, starts a job and an agent, and ends when the test closes its stdin.
MACHINE = """
hostname $NAME
until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
ip link set lo up && ip address add $ADDRESS/24 dev eth0 && ip link set eth0 up
$TFPROF run --dir $FOLDER/out-$NAME -- $PYTHON $FOLDER/job.py &
until [ -n "$(ls $TFPROF_RUN_DIR/*.sock 2>/dev/null)" ]; do sleep 0.05; done
exec $TFPROF agent --listen $ADDRESS:7461 --token-file $FOLDER/token
"""


def quiet(*command):
    return bool(shutil.which(command[0])) and subprocess.run(command, capture_output=True, check=False).returncode == 0


class Network:
    def __init__(self, program, folder):
        self.program, self.folder, self.machines, self.links = program, folder, [], []
        self.net = f"10.{os.getpid() % 200 + 20}.{os.getpid() // 200 % 250}"
        self.bridge = f"tfp{os.getpid() % 100000}"
        fake.make(os.path.join(folder, "fakes"))
        for name, text in (("job.py", JOB), ("token", "secret-of-12-bytes\n")):
            with open(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as f:
                f.write(text)

    def can(self):
        # the bridge gets an address of its own; otherwise it takes that of a machine, and a new one when that
        # machine leaves
        return quiet("ip", "link", "add", self.bridge, "address", "02:74:66:70:00:01", "type", "bridge") and quiet("ip", "address", "add", f"{self.net}.1/24", "dev", self.bridge) and \
            quiet("ip", "link", "set", self.bridge, "up") and quiet("unshare", "--net", "--uts", "--pid", "--fork", "--mount-proc", "true")

    def address(self, i):
        return f"{self.net}.{10 + i}"

    def add(self, i):
        env = dict(os.environ, NAME=f"node{i}", ADDRESS=self.address(i), FOLDER=self.folder, TFPROF=self.program, PYTHON=sys.executable,
                   TFPROF_RUN_DIR=os.path.join(self.folder, f"run{i}"), PYTHONPATH=os.path.join(self.folder, "fakes"))
        with open(os.path.join(self.folder, f"log{i}"), "wb") as log:
            machine = subprocess.Popen(["unshare", "--net", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", MACHINE],
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env)
        self.machines.append(machine)
        inside = until(lambda: child_of(machine.pid))
        there = f"{self.bridge}v{i}"[-15:]
        self.links.append(there)
        made = quiet("ip", "link", "add", there, "type", "veth", "peer", "name", "eth0", "netns", str(inside)) and \
            quiet("ip", "link", "set", there, "master", self.bridge) and quiet("ip", "link", "set", there, "up")
        check(f"machine {i} has a network", made, there)

    def tfprof(self, *words):
        return subprocess.run([self.program, *words, "--token-file", os.path.join(self.folder, "token")], capture_output=True, check=False, timeout=90)

    def agents(self):
        return ",".join(f"{self.address(i)}:7461" for i in range(COUNT))

    def rows(self):
        done = self.tfprof("top", "--once", "--agent", self.agents(), "-format", "json")
        return json.loads(done.stdout)["rows"] if done.returncode == 0 else []

    def end(self):
        for machine in self.machines:
            machine.send_signal(signal.SIGKILL)  # this also ends all processes in it (--kill-child)
            machine.wait()
        for link in (*self.links, self.bridge):  # a namespace exists until its sockets have been closed by the kernel
            quiet("ip", "link", "del", link)


def several(n):
    rows = until(lambda: len(got := n.rows()) == COUNT and got, 60)
    check("a job on each machine", rows and {r["framework"] for r in rows} == {"torch"}, rows)
    if not rows:
        return
    out = os.path.join(n.folder, "out")
    for turn in range(5):  # on a busy machine one of them may wait for a CPU
        done = n.tfprof("capture", "--agent", n.agents(), "--all", "--align", "--ms", "200", "-o", out + str(turn))
        with open(os.path.join(out + str(turn), "manifest.json"), encoding="utf-8") as f:
            found = json.load(f)["captures"]
        if done.returncode or all(abs(r["started_us_late"]) < 50000 for r in found):
            break
    check("each is recorded", done.returncode == 0 and [r["status"] for r in found] == ["ok"] * COUNT, (done, found))
    check("from one moment", all(abs(r["started_us_late"]) < 50000 for r in found), found)
    check("rows say of which machine", sorted(r["host"] for r in found) == [f"{n.address(i)}:7461" for i in range(COUNT)], found)
    check("its file is there", all(os.path.getsize(os.path.join(out + str(turn), r["file"])) == r["bytes"] for r in found), found)
    gone = n.machines[0]
    gone.send_signal(signal.SIGKILL)
    gone.wait()
    done = n.tfprof("capture", "--agent", n.agents(), "--all", "--ms", "50", "--timeout", "5", "-o", out + "-gone")
    with open(os.path.join(out + "-gone", "manifest.json"), encoding="utf-8") as f:
        found = json.load(f)["captures"]
    ok = sorted(r["host"] for r in found if r["status"] == "ok")
    check("one that is gone keeps none of the others", done.returncode == 1 and ok == [f"{n.address(i)}:7461" for i in range(1, COUNT)], (done, found))


def main():
    with tempfile.TemporaryDirectory() as folder:
        n = Network(os.path.abspath(sys.argv[1]), folder)
        try:
            if not n.can():
                print("left out: several machines, which need root, ip and unshare")
                return 0
            for i in range(COUNT):
                n.add(i)
            several(n)
        finally:
            n.end()
    return ended()


if __name__ == "__main__":
    sys.exit(main())
