# SPDX-License-Identifier: Apache-2.0
"""Many different PyTorch traces for tests/bench/fleet.py; their sums are known without reading them."""
import gzip
import multiprocessing
import os

# nanoseconds; a part that depends on the trace and the step is added
KERNELS = (140000, 21000, 26000, 90000, 33000, 180000, 80000)
NAMES = ("addmm", "layer_norm", "gelu", "bmm", "softmax", "attention", "adamw")
PERIOD = 97  # the period of the added part, over the traces
JOBS = 100
BAD = ("empty", "format", "damaged")
PATTERN = "job={job}/day={day}/t{number}.json.gz"


def added(i, step, k):
    return (i * (k + 3) + step * 5) % PERIOD


def step_ns(i, step):
    return sum(base + added(i, step, k) for k, base in enumerate(KERNELS)) + 50000


def sum_of_steps_us(count, steps, is_bad):
    """The sum over the good traces of 0 .. count - 1, period by period, because all periods are equal except for the bad
    traces."""
    period = sum(step_ns(i, s) for i in range(PERIOD) for s in range(steps))
    rest = sum(step_ns(i, s) for i in range(count % PERIOD) for s in range(steps))
    bad = sum(step_ns(i, s) for i in range(count) if is_bad(i) for s in range(steps))
    return (count // PERIOD * period + rest - bad) / 1000


def us(ns):
    return f"{ns // 1000}.{ns % 1000:03d}"


def text(i, steps, repeat):
    """repeat: how often each step runs its kernels' operators on the host, to make files larger."""
    out, at, number = [], 1000000 + i % 1000 * 7, 0
    pid = 4000 + i % 8

    def add(cat, name, where, thread, start, lasts, args):
        out.append(f'{{"ph":"X","cat":"{cat}","name":"{name}","pid":{where},"tid":{thread},"ts":{us(start)},"dur":{us(lasts)},"args":{{{args}}}}}')

    for step in range(steps):
        lasts = step_ns(i, step)
        add("user_annotation", f"ProfilerStep#{step}", pid, pid, at, lasts, "")
        add("python_function", "train.py(57): train_step", pid, pid, at + 500, lasts - 1000, f'"Python id":{step + 1}')
        device, host = at + 20000, at + 2000
        for k, base in enumerate(KERNELS):
            for _ in range(repeat):
                number += 1
                add("cpu_op", "aten::" + NAMES[k], pid, pid, host, 900, f'"External id":{number},"Ev Idx":{number}')
                add("cuda_runtime", "cudaLaunchKernel", pid, pid, host + 200, 400, f'"cbid":211,"correlation":{number},"External id":{number}')
                host += 1000
            add("kernel", NAMES[k] + "_kernel", 0, 7, device, base + added(i, step, k),
                f'"device":0,"stream":7,"correlation":{number},"External id":{number},"grid":[216,1,1],"block":[128,1,1],"est. achieved occupancy %":40')
            device += base + added(i, step, k)
        at += lasts + 2000
    head = (f'{{"schemaVersion":1,"deviceProperties":[{{"id":0,"name":"Imaginary","totalGlobalMem":85899345920,"numSms":132}}],'
            f'"distributedInfo":{{"backend":"nccl","rank":{i % 8},"world_size":8}},"baseTimeNanoseconds":{1790000000 + i}000000000,"traceEvents":[\n')
    return head + ",\n".join(out) + "\n]}\n"


def path_of(i):
    return PATTERN.format(job=f"job-{i % JOBS:03d}", day=i // JOBS % 28, number=f"{i:07d}")


def bad_of(i):
    """One trace in a hundred is damaged, in ways that take turns."""
    return BAD[i // 100 % len(BAD)] if i % 100 == 99 else None


def put(job):
    folder, first, last, steps, repeat, some_bad = job
    for i in range(first, last):
        path = os.path.join(folder, path_of(i))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        packed = gzip.compress(text(i, steps, repeat).encode(), 6, mtime=0)
        bad = bad_of(i) if some_bad else None
        with open(path, "wb") as f:
            f.write(b"" if bad == "empty" else b"<html>504" + bytes(str(i), "ascii") if bad == "format" else packed[:-8] + bytes([packed[-8] ^ 255]) + packed[-7:] if bad else packed)


def write(folder, first, last, steps=3, repeat=1, some_bad=False):
    """Writes the traces first .. last - 1 and returns their paths."""
    with multiprocessing.Pool() as pool:
        pool.map(put, [(folder, at, min(last, at + 200), steps, repeat, some_bad) for at in range(first, last, 200)])
    return [os.path.join(folder, path_of(i)) for i in range(first, last)]
