#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training loop of several ranks (torch, gloo, CPU) whose ranks can be made to hang or to drag, and healed again: faulty.py DIR RANKS

The launcher writes DIR/pids. DIR/order names a fault as JSON: number, kind, who, and of slow ones the milliseconds more a step; DIR/heal
with the same number ends it. DIR/began.NUMBER appears when it begins, DIR/steps.RANK has a line a step. Lines that a verdict must name end
in `# @KIND`. Any number of faults can follow one another in one job, because to start ranks takes longer than to judge them."""
import json
import os
import signal
import subprocess
import sys
import threading
import time


class Rank:
    def __init__(self, folder):
        import torch
        import torch.distributed as dist
        self.folder, self.rank, self.world = folder, int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        torch.set_num_threads(1)
        dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "store"), rank=self.rank, world_size=self.world)
        self.torch, self.dist = torch, dist
        self.net = torch.nn.Sequential(torch.nn.Linear(128, 128), torch.nn.ReLU(), torch.nn.Linear(128, 128))
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=1e-3)
        self.input, self.lock, self.fault, self.known = torch.randn(16, 128), threading.Lock(), None, 0

    def healed(self):
        try:
            with open(os.path.join(self.folder, "heal")) as file:
                return int(file.read()) >= self.fault["number"]
        except (OSError, ValueError):
            return False

    def look(self):
        """Reads the order of a fault, if there is a new one."""
        if self.fault and self.healed():
            self.fault = None
        try:
            with open(os.path.join(self.folder, "order")) as file:
                order = json.load(file)
        except (OSError, ValueError):
            return
        if order["number"] > self.known:
            self.known, self.fault = order["number"], order

    def begins(self):
        path = os.path.join(self.folder, "began.%d" % self.fault["number"])
        if not os.path.exists(path):
            with open(path + ".new", "w") as file:
                file.write(str(time.time()))
            os.rename(path + ".new", path)

    def hold(self, taken):
        with self.lock:
            taken.set()
            while not self.healed():
                time.sleep(0.05)

    def load(self):
        kind = self.fault["kind"] if self.fault and self.fault["who"] == self.rank else ""
        if kind:
            self.begins()
        if kind == "missing":
            while not self.healed():
                time.sleep(0.2)  # @missing
        elif kind == "endless":
            number = 0
            while number % 100_000 or not self.healed():  # @endless
                number += 1  # @endless
        elif kind == "locked":
            taken = threading.Event()
            threading.Thread(target=self.hold, args=(taken,), daemon=True).start()
            taken.wait()
            with self.lock:  # @locked
                pass
        elif kind == "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)  # @stopped
            self.fault = None
        elif kind == "input":
            time.sleep(self.fault["ms"] / 1000)  # @input
        time.sleep(0.01)

    def spin(self, ms):
        end = time.perf_counter() + ms / 1000
        while time.perf_counter() < end:
            self.torch.ones(64).sum()  # @compute

    def step(self):
        self.load()
        self.optimizer.zero_grad()
        time.sleep(0.025)  # stands for work on a device
        if self.fault and self.fault["who"] == self.rank and self.fault["kind"] == "compute":
            self.begins()
            self.spin(self.fault["ms"])
        self.net(self.input).square().mean().backward()
        for parameter in list(self.net.parameters())[:3]:
            self.dist.all_reduce(parameter.grad)
        self.optimizer.step()

    def run(self):
        with open(os.path.join(self.folder, "steps.%d" % self.rank), "w", buffering=1) as file:
            number = 0
            while True:
                self.look()
                begin = time.time()
                self.step()
                file.write("%d %.6f %.6f\n" % (number, begin, time.time() - begin))
                number += 1


def main():
    folder, ranks = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    if "RANK" in os.environ:
        Rank(folder).run()
    os.makedirs(folder, exist_ok=True)
    environment = dict(os.environ, WORLD_SIZE=str(ranks), OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="lo")
    all_ranks = [subprocess.Popen([sys.executable, *sys.argv], env=dict(environment, RANK=str(r), LOCAL_RANK=str(r))) for r in range(ranks)]
    with open(os.path.join(folder, "pids.new"), "w") as file:
        file.writelines("%d\n" % one.pid for one in all_ranks)
    os.rename(os.path.join(folder, "pids.new"), os.path.join(folder, "pids"))
    time.sleep(1e6)


if __name__ == "__main__":
    main()
