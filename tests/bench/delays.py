#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants delays in a training job of two ranks (PyTorch with gloo, a thread each), asks `tfprof whatif` what a step would take without
them, and runs the job without them: delays.py PROGRAM [CASE...]. Needs torch. Prints a table in Markdown (docs/whatif.md has its sums); the
last line says how many gains were predicted within 5 %.

Each case is recorded once, with its delays. Their real cost is the median step of blocks with them less that of blocks
without them; the blocks run in turns and without a profiler."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule

WIDTH, LAYERS, BATCH = 128, 4, 32
WARM, BLOCK, TURNS, RECORDED = 3, 12, 4, 12
TOLERANCE = 0.05
now = {}  # this rank's delays: {place: seconds}


def pause(place):
    time.sleep(now.get(place, 0))


def spin(place):
    end = time.perf_counter() + now.get(place, 0)
    while time.perf_counter() < end:
        pass


def spot(place, how=pause):
    with record_function(place):
        how(place)


class Slow(nn.Module):
    def forward(self, x):
        pause("module")
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(LAYERS))
        self.slow = Slow()

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i == 1:
                spot("forward")
                spot("busy", spin)
                x = self.slow(x)
        if x.requires_grad:
            x.register_hook(lambda grad: spot("backward"))
        return x


class Items(torch.utils.data.Dataset):
    def __len__(self):
        return 100000

    def __getitem__(self, i):
        pause("item")
        return torch.ones(BATCH, WIDTH)


class Job:
    """A training loop; `kind` is the way in which gradients are reduced."""

    def __init__(self, kind, loader):
        torch.manual_seed(1)
        self.kind, net = kind, Net()
        self.net = nn.parallel.DistributedDataParallel(net, bucket_cap_mb=0.05) if kind == "ddp" else net
        self.opt = torch.optim.SGD(self.net.parameters(), lr=1e-6)
        self.batches = iter(torch.utils.data.DataLoader(Items(), batch_size=None)) if loader else None

    def step(self):
        spot("input")
        x = next(self.batches) if self.batches else torch.ones(BATCH, WIDTH)
        self.opt.zero_grad()
        self.net(x).sum().backward()
        self.reduce([p.grad for p in self.net.parameters()])
        spot("optimizer")
        self.opt.step()

    def reduce(self, grads):
        if self.kind == "each":  # one after another
            for i, grad in enumerate(grads):
                if i == 2:
                    spot("between")
                if i == 5:
                    spot("later")
                dist.all_reduce(grad)
        if self.kind == "together":  # all are started, then all are awaited
            works = [dist.all_reduce(grad, async_op=True) for grad in grads]
            spot("beside")
            for work in works:
                work.wait()
        if self.kind == "gather":  # sharded: gradients are gathered, and the first rank sends the result
            flat = torch.cat([grad.flatten() for grad in grads])
            dist.all_gather([torch.empty_like(flat) for _ in range(2)], flat)
            spot("between")
            dist.broadcast(flat, 0)
            dist.all_reduce(flat)


# name: kind of job, delays in ms {place: (rank 0, rank 1)}, options, delays of the changed job, and other recording
# settings
CASES = {
    "input of one rank": ("ddp", {"input": (20, 0)}, ["-faster", "input=0"], {}),
    "input of the other rank": ("ddp", {"input": (0, 10)}, ["-faster", "host:input=0"], {}),
    "input of both ranks": ("ddp", {"input": (15, 15)}, ["-faster", "input=0"], {}),
    "input, the other rank late, too": ("ddp", {"input": (30, 10)}, ["-faster", "rank:0/input=0"], {"input": (0, 10)}),
    "input, half as long": ("ddp", {"input": (40, 0)}, ["-faster", "input=2"], {"input": (20, 0)}),
    "a data loader": ("ddp", {"item": (15, 0)}, ["-input", "0"], {}),
    "a range in forward": ("ddp", {"forward": (0, 20)}, ["-faster", "forward=0"], {}),
    "a busy loop in forward": ("ddp", {"busy": (0, 10)}, ["-faster", "busy=0"], {}),
    "a module": ("ddp", {"module": (20, 0)}, ["-faster", "Slow_0=0"], {}),
    "a line": ("ddp", {"module": (0, 25)}, ["-faster", "LINE=0"], {}),
    "a hook in backward": ("ddp", {"backward": (12, 0)}, ["-faster", "backward=0"], {}),
    "hooks in backward of both": ("ddp", {"backward": (8, 16)}, ["-faster", "backward=0"], {}),
    "before the optimizer": ("ddp", {"optimizer": (0, 25)}, ["-faster", "optimizer=0"], {}),
    "two places, two ranks": ("ddp", {"optimizer": (10, 0), "input": (0, 12)}, ["-faster", "optimizer=0", "-faster", "input=0"], {}),
    "a straggler": ("ddp", {"input": (30, 0)}, ["-ideal", "stragglers"], {"input": (15, 15)}),
    "between collectives": ("each", {"between": (5, 0)}, ["-faster", "between=0"], {}),
    "between collectives, in two places": ("each", {"between": (0, 10), "later": (0, 10)}, ["-faster", "between|later=0"], {}),
    "between collectives; later in the step the other rank is late": ("each", {"between": (20, 0), "later": (0, 8)}, ["-faster", "between=0"], {"later": (0, 8)}),
    "beside collectives": ("together", {"beside": (15, 0)}, ["-faster", "beside=0"], {}),
    "between a gather and a broadcast": ("gather", {"between": (0, 10)}, ["-faster", "between=0"], {}),
}


def plant(delays, rank):
    now.clear()
    now.update({place: ms[rank] / 1000 for place, ms in delays.items()})


def measure(job, delays, rank, steps=BLOCK):
    plant(delays, rank)
    dist.barrier()
    times = []
    for i in range(steps + 2):
        start = time.perf_counter()
        job.step()
        times.append(time.perf_counter() - start)
    return times[2:]


def record(job, delays, rank, path, stacks):
    plant(delays, rank)
    dist.barrier()
    plan = schedule(wait=0, warmup=WARM, active=RECORDED)
    with profile(activities=[ProfilerActivity.CPU], schedule=plan, with_stack=stacks, with_modules=stacks,
                 on_trace_ready=lambda p: p.export_chrome_trace(path)) as p:
        for _ in range(WARM + RECORDED):
            job.step()
            p.step()


def worker(rank, port, folder, names):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    for name in names:
        kind, delays, options, after = CASES[name]
        job = Job(kind, "item" in delays)
        measure(job, delays, rank, WARM)
        slow, fast = [], []
        for _ in range(TURNS):
            slow += measure(job, delays, rank)
            fast += measure(job, after, rank)
        record(job, delays, rank, os.path.join(folder, f"{list(CASES).index(name)}.rank{rank}.json"),
               options[1].startswith(("Slow", "LINE")))
        if rank == 0:
            with open(os.path.join(folder, f"{list(CASES).index(name)}.json"), "w") as file:
                json.dump([statistics.median(slow), statistics.median(fast)], file)
    dist.destroy_process_group()


def predict(program, folder, number, options):
    line = next(i for i, text in enumerate(open(__file__), 1) if text.startswith('    def forward(self, x):'))
    options = [o.replace("LINE", r".*delays\.py:%d" % line) for o in options]
    paths = [os.path.join(folder, f"{number}.rank{rank}.json") for rank in range(2)]
    out = subprocess.run([program, "whatif", *paths, *options, "-format", "json"], capture_output=True, text=True)
    if out.returncode:
        raise SystemExit(out.stderr)
    rows = json.loads(out.stdout)["rows"]
    return rows[0]["step_us"] / 1000, rows[-1]["gain_us"] / 1000


def main():
    program, names = os.path.abspath(sys.argv[1]), sys.argv[2:] or list(CASES)
    good = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = os.environ.get("KEEP", folder)
        mp.spawn(worker, (29500 + os.getpid() % 400, folder, names), nprocs=2)
        print("| delay | ms, rank 0 / 1 | options | step | really without | gain | predicted | error |\n|---|---|---|---|---|---|---|---|")
        for name in names:
            kind, delays, options, _ = CASES[name]
            number = list(CASES).index(name)
            slow, fast = (1000 * s for s in json.load(open(os.path.join(folder, f"{number}.json"))))
            _, gain = predict(program, folder, number, options)
            error = (gain - (slow - fast)) / (slow - fast)
            good += abs(error) <= TOLERANCE
            planted = ", ".join("%g / %g" % ms for ms in delays.values())
            print(f"| {name} | {planted} | `{' '.join(options)}` | {slow:.2f} | {fast:.2f} | {slow - fast:.2f} | {gain:.2f} | {100 * error:+.1f} % |")
    print(f"{good} of {len(names)} gains predicted within {100 * TOLERANCE:.0f} %")
    return good < 0.9 * len(names)


if __name__ == "__main__":
    sys.exit(main())
