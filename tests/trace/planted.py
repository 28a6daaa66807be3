#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces with a planted cause each: `summary` must name that cause first, at three sizes, and be silent about it on a
trace that is alike without it. And two runs, of which one is slower: a limit of `diff` must stop it.   planted.py TFPROF"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile


class Trace:
    """A step loop in PyTorch's form: one host thread, streams of one device, times in microseconds."""

    def __init__(self, rank=None, ranks=1):
        self.events, self.now, self.free, self.next = [], 1000.0, {}, 1
        self.rank, self.ranks, self.memory, self.device = rank, ranks, 80 << 30, "GPU"

    def add(self, cat, name, ts, dur, tid, pid=1, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": round(ts, 3),
                            "dur": round(dur, 3), "args": args})

    def host(self, name, dur, cat="cpu_op", **args):
        self.add(cat, name, self.now, dur, 1, **args)
        self.now += dur

    def add_memory(self, reserved, allocated):
        self.events.append({"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "s": "t",
                            "ts": round(self.now, 3), "args": {"Total Reserved": reserved, "Total Allocated": allocated,
                                                               "Bytes": 512, "Addr": 4096, "Device Id": 0, "Device Type": 1}})

    def launch(self, kernel_of, kernel, dur, stream=7, cat="kernel", call="cudaLaunchKernel", host=4.0, after=0.0, op=None,
               **args):
        """An op that launches one activity; the device runs it when its stream is free."""
        start, correlation = self.now, self.next
        self.next += 1
        self.add("cpu_op", kernel_of, start, host, 1, **{"External id": correlation}, **(op or {}))
        self.add("cuda_runtime", call, start + host * 0.25, host * 0.5, 1, correlation=correlation)
        begin = max(self.free.get(stream, 0.0) + 1, start + host, after)
        self.add(cat, kernel, begin, dur, stream, pid=0, device=0, stream=stream, correlation=correlation, **args)
        self.free[stream] = begin + dur
        self.now = start + host
        return begin + dur

    def wait(self, call, inside=None):
        """The host waits until the device is done; inside an op if one is named."""
        start, end = self.now, max([self.now, *self.free.values()]) + 2
        if inside:
            self.add("cpu_op", inside, start, end - start + 1, 1)
        self.add("cuda_runtime", call, start + 0.5, end - start - 0.5, 1, correlation=0)
        self.now = end + 1

    def step(self, number, body):
        start = self.now
        body(self)
        self.now = max([self.now, *self.free.values()]) + 5
        self.add("user_annotation", f"ProfilerStep#{number}", start, self.now - start, 1)
        self.now += 1

    def write(self, path):
        about = {"schemaVersion": 1, "traceEvents": self.events,
                 "deviceProperties": [{"id": 0, "name": self.device, "totalGlobalMem": self.memory, "numSms": 108}]}
        if self.rank is not None:
            about["distributedInfo"] = {"backend": "nccl", "rank": self.rank, "world_size": self.ranks}
        with open(path, "w", encoding="utf-8") as f:
            json.dump(about, f)


def compute(t, count=40, dur=100.0):
    for _ in range(count):
        t.launch("aten::mm", "ampere_bf16_gemm", dur)


def input_bound(t, n, bad):
    t.host("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 3000.0 * n if bad else 5.0, "user_annotation")
    compute(t)


def host_bound(t, n, bad):
    for _ in range(100 * n):
        t.launch("aten::add", "add_kernel", 3.0 if bad else 40.0, host=20.0)


def host_stalls(t, n, bad):
    for _ in range(2 * n):
        compute(t, 10)
        t.now = max(t.free.values())
        t.host("aten::cpu_work", 4000.0 * n if bad else 20.0)


def value_reads(t, n, bad):
    for _ in range(4 * n):
        compute(t, 20)
        if bad:
            t.wait("cudaStreamSynchronize", "aten::item")
            t.now += 400


def synchronization(t, n, bad):
    for _ in range(4 * n):
        compute(t, 20)
        if bad:
            t.wait("cudaDeviceSynchronize")
            t.now += 400


def allocations(t, n, bad):
    for _ in range(5 * n):
        if bad:
            t.host("cudaMalloc", 800.0, "cuda_runtime", correlation=0)
        compute(t, 10)


def exposed_communication(t, n, bad):
    compute(t)
    done = t.free[7] if bad else 0.0
    t.launch("c10d::allreduce_", "ncclDevKernel_AllReduce", 3000.0 * n if bad else 300.0, stream=20, after=done,
             **{"Collective name": "allreduce", "In msg nelems": 50 << 20, "dtype": "Float", "Group size": 8,
                "Process Group Name": "0"})
    if not bad:
        compute(t, 10)


def small_collectives(t, n, bad):
    for _ in range(60 * n):
        compute(t, 1)
        t.launch("c10d::allreduce_", "ncclDevKernel_AllReduce", 60.0 if bad else 3.0, stream=20, after=t.free[7] if bad else 0.0,
                 **{"Collective name": "allreduce", "In msg nelems": 1000, "dtype": "Float", "Group size": 8,
                    "Process Group Name": "0"})
        if bad:
            t.free[7] = t.free[20]


def pageable_copies(t, n, bad):
    for _ in range(2 * n):
        t.launch("aten::copy_", f"Memcpy HtoD ({'Pageable' if bad else 'Pinned'} -> Device)", 1500.0 if bad else 50.0,
                 cat="gpu_memcpy", call="cudaMemcpyAsync", bytes=8 << 20)
        compute(t, 20)


def exposed_copies(t, n, bad):
    for _ in range(2 * n):
        t.launch("aten::copy_", "Memcpy HtoD (Pinned -> Device)", 1500.0, stream=7 if bad else 30, cat="gpu_memcpy",
                 call="cudaMemcpyAsync", bytes=8 << 20)
        compute(t, 20)


def low_occupancy(t, n, bad):
    compute(t, 5)
    t.launch("aten::sort", "slow_kernel", 4000.0 * n, **{"est. achieved occupancy %": 6 if bad else 80})


def casts(t, n, bad):
    compute(t, 20)
    for _ in range(20 * n):
        t.launch("aten::_to_copy" if bad else "aten::mm", "copy_kernel", 90.0)


def layouts(t, n, bad):
    compute(t, 20)
    for _ in range(20 * n):
        t.launch("aten::mm", "nchwToNhwcKernel<float>" if bad else "ampere_bf16_gemm", 90.0)


def unfused_optimizer(t, n, bad):
    compute(t, 20, 200.0)
    t.now = max(t.free.values())
    start = t.now
    for _ in range(150 * n if bad else 3):
        t.launch("aten::add_", "add_kernel", 3.0, host=12.0)
    t.add("user_annotation", "Optimizer.step#SGD.step", start - 1, t.now - start + 2, 1)


def plain_matmuls(t, n, bad):
    for _ in range(20 * n):
        t.launch("aten::mm", "ampere_sgemm_128x64_nn" if bad else "ampere_bf16_gemm", 200.0)


def compilations(t, n, bad):
    compute(t, 20)
    t.now = max(t.free.values())
    for k in range(2 * n):
        if bad:
            t.add("user_annotation", "TorchDynamo cache lookup and compile", t.now, 900.0, 1)
            t.add("user_annotation", "TorchDynamo worker", t.now, 900.0, 2)  # in parallel to it
            t.host("backend_compile", 880.0)  # inside the previous one: it counts once
            t.now += 30
        compute(t, 5)


def python_time(t, n, bad):
    for k in range(10 * n):
        if bad:
            t.host("train.py(10): preprocess", 400.0, "python_function", **{"Python id": k})
        compute(t, 2)


def one_stream(t, n, bad):
    for k in range(30 * n):
        t.launch("aten::add", "small_kernel", 100.0, stream=7 if bad or k % 2 else 8,
                 **{"blocks per SM": 0.2 if bad or k < 10 else 4.0})


def odd_shapes(t, n, bad):
    side = 1001 if bad else 1024
    for _ in range(20 * n):
        t.launch("aten::mm", "ampere_bf16_gemm", 200.0, op={"Input Dims": [[512, side], [side, 512]]})


def memory(t, share, used):
    t.add_memory(int(share * t.memory), int(used * t.memory))


def memory_limit(t, n, bad):
    compute(t)
    memory(t, 0.91 + 0.02 * n if bad else 0.5, 0.9 if bad else 0.45)


def fragmentation(t, n, bad):
    compute(t)
    memory(t, 0.8, 0.8 * (0.6 - 0.1 * n) if bad else 0.7)


def stand(t, count=20):
    """Compute for which the host waits: afterwards the device idles."""
    compute(t, count)
    t.now = max(t.free.values()) + 1
    return t.now


def blocked_host(t, n, bad):
    for _ in range(n):
        call = stand(t)
        t.launch("aten::copy_", "Memcpy HtoD (Host -> Device)", 20.0, cat="gpu_memcpy", call="hipMemcpyWithStream",
                 host=3000.0 if bad else 30.0, after=call + (2970.0 if bad else 5.0), bytes=4096)


def host_communication(t, n, bad):
    stand(t)
    t.host("gloo:all_reduce", 2500.0 * n if bad else 20.0, "user_annotation")


def tiny_kernels(t, n, bad):
    compute(t, 10, 300.0)
    for _ in range(1000 * n):
        t.launch("aten::mul", "mul_kernel", 4.0 if bad else 40.0, host=2.0)


def pageable_call(t, n, bad):
    for _ in range(2 * n):
        call = stand(t, 5)
        t.launch("aten::copy_", f"Memcpy HtoD ({'Pageable' if bad else 'Pinned'} -> Device)", 30.0, cat="gpu_memcpy",
                 call="cudaMemcpyAsync", host=1500.0 if bad else 10.0, after=call + (1400.0 if bad else 5.0), bytes=8 << 20)


def single_precision(t, n, bad):
    t.launch("aten::mm", f"sm80_xmma_gemm_f32f32_{'f32' if bad else 'tf32'}f32_f32_tn_n", 4000.0 * n)


CAUSES = {"BlockedHost": blocked_host, "HostCommunication": host_communication, "TinyKernels": tiny_kernels, "Compilations": compilations, "PythonTime": python_time, "OneStream": one_stream, "OddShapes": odd_shapes,
          "MemoryLimit": memory_limit, "Fragmentation": fragmentation, "InputBound": input_bound, "HostBound": host_bound, "HostStalls": host_stalls, "ValueReads": value_reads,
          "Synchronization": synchronization, "DeviceAllocations": allocations, "ExposedCommunication": exposed_communication, "SmallCollectives": small_collectives,
          "PageableCopies": pageable_copies, "ExposedCopies": exposed_copies, "LowOccupancy": low_occupancy, "Casts": casts,
          "Layouts": layouts, "UnfusedOptimizer": unfused_optimizer, "PlainMatmuls": plain_matmuls}


MORE = [("PageableCopies", pageable_call), ("PlainMatmuls", single_precision)]


def straggler(folder, n, bad):
    paths = []
    for rank in range(2):
        t = Trace(rank, 2)
        for step in range(4):
            t.step(step, lambda t, rank=rank: compute(t, 40, 100.0 * (1 + 0.5 * n * rank * bad)))
        paths.append(os.path.join(folder, f"rank{rank}.json"))
        t.write(paths[-1])
    return paths


def skew(folder, n, bad, start=0.0):
    """Rank 1 comes late to each collective, because its host is busy; the others wait in theirs. `start`: also before steps."""
    paths = []
    for rank in range(3):
        t = Trace(rank, 3)
        if start:
            t.launch("c10d::barrier", "ncclDevKernel_AllReduce", 20.0 + start * (rank != 1), stream=20)
            t.now = t.free[20]
        for step in range(4):
            def body(t, late=400.0 * n * bad, rank=rank):
                for _ in range(4):
                    compute(t, 10)
                    t.wait("cudaDeviceSynchronize")
                    t.now += late if rank == 1 else 0
                    t.launch("c10d::allreduce_", "ncclDevKernel_AllReduce", 20.0 + (0 if rank == 1 else late), stream=20,
                             **{"Collective name": "allreduce", "In msg nelems": 50 << 20, "dtype": "Float",
                                "Group size": 3, "Process Group Name": "0"})
                    t.wait("cudaDeviceSynchronize")
                    t.free[7] = t.free[20]
            t.step(step, body)
        paths.append(os.path.join(folder, f"rank{rank}.json"))
        t.write(paths[-1])
    return paths


def uneven(folder, n, bad):
    t = Trace()
    for step in range(8):
        t.step(step, lambda t, step=step: compute(t, 40, 100.0 * (1 + n * bad * (step % 4 == 3))))
    path = os.path.join(folder, "uneven.json")
    t.write(path)
    return [path]


def findings(program, paths):
    done = subprocess.run([program, "summary", *paths, "-format", "json"], capture_output=True, check=False)
    if done.returncode:
        return [f"status {done.returncode}: {done.stderr.decode()[:200]}"]
    facts = json.loads(done.stdout)["summary"]
    if not facts["steps"]:
        return ["no steps"]
    shares = re.findall(r"\((\d+)%\)", json.dumps(facts))
    if any(int(share) > 100 for share in shares):
        return ["a share over 100 %"]
    return [facts[f"finding_{i}"].split(":")[0] for i in (1, 2, 3) if facts.get(f"finding_{i}")]


def files(folder, name, n, bad, cause):
    if name == "Stragglers":
        return straggler(folder, n, bad)
    if name == "CollectiveSkew":
        return skew(folder, n, bad)
    if name == "UnevenSteps":
        return uneven(folder, n, bad)
    t = Trace()
    for step in range(4):
        t.step(step, lambda t: cause(t, n, bad))
    path = os.path.join(folder, "planted.json")
    t.write(path)
    return [path]


def many(program, folder):
    t, count = Trace(), 1500
    for i in range(count):
        t.add("user_annotation", f"ProfilerStep#{i}", 10 * i, 10, 1)
        t.add("kernel", "k", 10 * i, 5, 7, pid=0, device=i, stream=7)
    path = os.path.join(folder, "many.json")
    t.write(path)
    done = subprocess.run([program, "steps", path], capture_output=True, check=False)
    if done.returncode != 4:
        print(f"{count} steps of {count} devices: status {done.returncode}")
    return done.returncode == 4


def run_of(folder, name, seed, idle=0.0, communication=0.0):
    t, chance = Trace(), random.Random(seed)
    for step in range(8):
        def body(t):
            compute(t, 40, 100.0 * chance.uniform(0.9, 1.1))
            t.now = max(t.free.values()) + 500.0 * chance.uniform(0.8, 1.2) + idle
            t.launch("c10d::allreduce_", "ncclDevKernel_AllReduce", 300.0 * chance.uniform(0.9, 1.1) + communication, stream=20)
        t.step(step, body)
    path = os.path.join(folder, name)
    t.write(path)
    return path


def gate(program, folder):
    """`diff -view steps --fail-over` accepts noise, and fails if one column grows, which it names."""
    before, failed = run_of(folder, "before.json", 0), 0
    cases = [(seed, {}, None) for seed in range(1, 11)]
    cases += [(11, {"idle": 300.0 * n}, "gpu:0/idle_us") for n in (1, 2, 4)]
    cases += [(12, {"communication": 200.0 * n}, "gpu:0/exposed_communication_us") for n in (1, 2, 4)]
    for seed, planted, row in cases:
        after = run_of(folder, "after.json", seed, **planted)
        done = subprocess.run([program, "diff", before, after, "-view", "steps", "--fail-over", "5%"], capture_output=True,
                              check=False)
        told = re.findall(r"--fail-over 5%: (\S+): micros", done.stderr.decode())
        fine = (done.returncode == 5 and row in told and "gpu:0/compute_us" not in told) if row else done.returncode == 0
        failed += not fine
        if not fine:
            print(f"diff -view steps, seed {seed}, {planted}: status {done.returncode}, {told}")
    return len(cases) - failed, failed


def rows_of(program, *words):
    done = subprocess.run([program, *words, "-format", "json"], capture_output=True, check=True)
    return json.loads(done.stdout)


def ranks(program, folder):
    failed = 0

    def check(fine, text):
        nonlocal failed
        failed += not fine
        if not fine:
            print(text)

    for n in (1, 2, 4):
        row, = rows_of(program, "transfer", *skew(folder, n, True), "-by", "collective")["rows"]
        check((row["ranks"], row["count"], row["awaited"], row["awaited_share"]) == (3, 16, 1, 1), f"skew: {row}")
        check(abs(row["skew_us"] - 400 * n) < 0.01 and abs(row["waited_us"] - 2 * 16 * 400 * n) < 1, f"skew: {row}")
        told = rows_of(program, "summary", *straggler(folder, n, True))["summary"]
        check((told["rank_fastest"], told["rank_slowest"], told["stragglers"]) == (0, 1, 1), f"ranks: {told}")
        check(abs(told["rank_slowest_compute_us"] / told["rank_fastest_compute_us"] - 1 - 0.5 * n) < 1e-6, f"ranks: {told}")
        check("UnevenSteps" not in findings(program, straggler(folder, n, True)), "ranks whose steps have equal length")
    said = findings(program, skew(folder, 1, False, 1e6))  # a wait before the first step does not make a step longer
    check("CollectiveSkew" not in said, f"skew before the steps: {said}")
    row, = rows_of(program, "transfer", *skew(folder, 1, False), "-by", "collective")["rows"]
    check((row["awaited"], row["skew_us"], row["waited_us"]) == (None, 0, 0), f"no skew: {row}")
    paths = straggler(folder, 1, False)
    with open(paths[1], encoding="utf-8") as f:
        about = json.load(f)
    for rank, size, expected in ((1, 2, {}), (0, 2, {"missing": 1, "double": 1}), (3, 8, {"missing": 6})):
        about["distributedInfo"] = {"rank": rank, "world_size": size}
        with open(paths[1], "w", encoding="utf-8") as f:
            json.dump(about, f)
        told = rows_of(program, "summary", *paths)["summary"]
        notes = rows_of(program, "steps", *paths).get("notes", [])
        found = {k: told[f"ranks_{k}"] for k in ("missing", "double") if f"ranks_{k}" in told}
        check(found == expected and len(notes) == len(expected), f"rank {rank} of {size}: {found}, {notes}")
    return 15 - failed, failed


def main():
    program, passed, failed = sys.argv[1], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        passed, failed = (a + b for a, b in zip(gate(program, folder), ranks(program, folder)))
        passed, failed = (passed + 1, failed) if many(program, folder) else (passed, failed + 1)
        single = ["Stragglers", "CollectiveSkew", "UnevenSteps"]
        for name, cause in [*CAUSES.items(), *((one, None) for one in single), *MORE]:
            for size in (1, 2, 4):
                for bad in (True, False):
                    said = findings(program, files(folder, name, size, bad, cause))
                    ok = said[:1] == [name] if bad else name not in said and not any(" " in word for word in said)
                    passed, failed = passed + ok, failed + (not ok)
                    if not ok:
                        print(f"{name}, size {size}, {'planted' if bad else 'absent'}: {said}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
