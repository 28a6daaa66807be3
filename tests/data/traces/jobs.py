#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a small training job of two ranks on paper and writes what PyTorch's profiler would have recorded of it into sample/jobs: rank0.json
and rank1.json; late.json: kernels start late for no reason that a trace has; late_little.json: less late; lines.json: with a line of Python; plain.json: threads without a device; pipeline.json: a timeline of pipelined stages; pipeline_late.json: one whose optimizer starts late. A changed job
can be run, too: `step_us(job(...))` is the true length of a step, which the replay of the unchanged one must predict
(tests/trace/replayed.py). Times are microseconds."""
import json
import os

DATA = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMPUTE, COMM = 7, 20
STEPS = 3


def job(gemm=(300, 300), host=(20, 20), reduce_us=400, data=(150, 150), launch=6, late=0, wait=True, beside=False, frames=False, forward_us=None):
    """`gemm`, `host`, `data`: of each rank. `wait`: the host reads the loss at the end of a step. `beside`: nothing waits for
    collectives. `frames`: lines of Python are recorded. `forward_us`: of each rank, kernels of the forward
    pass; else as `gemm`."""
    return dict(gemm=gemm, host=host, reduce_us=reduce_us, data=data, launch=launch, late=late, wait=wait, beside=beside,
                frames=frames, forward_us=forward_us)


class Rank:
    def __init__(self, number, what):
        self.number, self.what, self.now, self.free, self.events, self.key = number, what, 100.0, {COMPUTE: 0.0, COMM: 0.0}, [], 1000
        self.comm_end = 0.0

    def add(self, cat, name, start, end, tid=None, **args):
        device = cat in ("kernel", "gpu_memcpy", "cuda_sync")
        if device:
            args = dict(args, device=0, stream=tid)
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 0 if device else 1, "tid": tid or 1,
                            "ts": round(start, 3), "dur": round(round(end, 3) - round(start, 3), 3), "args": args})

    def call(self, name, cost):
        self.key += 1
        start, self.now = self.now, self.now + cost
        self.add("cuda_runtime", name, start, self.now, correlation=self.key)
        return start, self.key

    def run(self, name, us, stream, after=0.0, cat="kernel", **args):
        """Launches an activity and returns its start time; collectives end later."""
        call, key = self.call({"kernel": "cudaLaunchKernel"}.get(cat, "cudaMemcpyAsync"), self.what["launch"])
        start = max(call + 5, self.free[stream] + 1, after) + (self.what["late"] if cat == "kernel" else 0)
        if us is not None:
            self.free[stream] = start + us
            self.add(cat, name, start, start + us, stream, correlation=key, **args)
        return start, key

    def op(self, name, us, stream=COMPUTE, **args):
        begin, own = self.now, self.what["host"][self.number]
        self.now += own
        out = self.run(name[1], us, stream, **args)
        self.now += own / 4
        self.add("cpu_op", name[0], begin, self.now)
        return out

    def event(self, source, target):
        _, recorded = self.call("cudaEventRecord", 1)
        start, key = self.call("cudaStreamWaitEvent", 1)
        self.add("cuda_sync", "Stream Wait Event", start, start + 1, target, correlation=key, wait_on_stream=source,
                 wait_on_cuda_event_record_corr_id=recorded)
        return self.free[source] + 1


def forward_backward(ranks, what, step):
    """Returns the collectives with their start times on each rank."""
    begun = []
    for r in ranks:
        r.begin, data = r.now, what["data"][r.number]
        r.add("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", r.now, r.now + data)
        r.now += data
        r.op(("aten::copy_", "Memcpy HtoD (Pinned -> Device)"), 80, cat="gpu_memcpy")
        module = r.now
        for _ in range(3):
            r.op(("aten::addmm", "gemm_forward"), (what["forward_us"] or what["gemm"])[r.number])
        r.add("python_function", "nn.Module: Net_0", module, r.now)
        if what["frames"]:
            r.add("python_function", "model/net.py(12): forward", module, r.now)
        r.op(("aten::mm", "gemm_backward"), 2 * what["gemm"][r.number])
        after = r.event(COMPUTE, COMM)
        begun.append(r.op(("c10d::allreduce_", "ncclDevKernel_AllReduce_Sum_f32"), None, COMM, after=after))
    return begun


def finish(ranks, what, step, begun):
    end = max(start for start, _ in begun) + what["reduce_us"]
    for r, (start, key) in zip(ranks, begun):
        r.add("kernel", "ncclDevKernel_AllReduce_Sum_f32", start, end, COMM, correlation=key, Seq=step,
              **{"Collective name": "allreduce", "Process Group Name": "0", "Process Group Ranks": "[0, 1]", "In msg nelems": 1000,
                 "Group size": 2})
        r.free[COMM] = end
        after = r.event(COMM, COMPUTE)
        r.op(("aten::_foreach_add_", "multi_tensor_apply"), 30, after=0 if what["beside"] else after)
        r.op(("aten::copy_", "Memcpy DtoH (Device -> Pageable)"), 3, cat="gpu_memcpy")
        start, key = r.call("cudaStreamSynchronize", 0)
        if what["wait"]:
            r.now = max(r.now, r.free[COMPUTE])
        r.now += 4
        r.events[-1]["dur"] = round(r.now - start, 3)
        r.add("cuda_sync", "Stream Sync", start, r.now, COMPUTE, correlation=key)
        r.now += 10
        r.add("user_annotation", f"ProfilerStep#{step}", r.begin, r.now)
        r.first = min(getattr(r, "first", r.begin), r.begin)


def run(what):
    ranks = [Rank(0, what), Rank(1, what)]
    for step in range(STEPS):
        finish(ranks, what, step, forward_backward(ranks, what, step))
    return ranks


def step_us(what):
    ranks = run(what)
    end = max(max(r.now, *r.free.values()) for r in ranks)
    return (end - min(r.first for r in ranks)) / STEPS


def trace(rank, clock=0.0):
    events = [dict(e, ts=round(e["ts"] + clock, 3)) for e in sorted(rank.events, key=lambda e: (e["ts"], -e["dur"]))]
    return {"schemaVersion": 1, "distributedInfo": {"rank": rank.number, "world_size": 2}, "traceEvents": events}


def write(path, made):
    with open(path, "w") as f:
        f.write(json.dumps(made, separators=(",", ":")).replace('},{"ph"', '},\n{"ph"') + "\n")


def write_job(folder, what, clock=70000.0):
    """Writes the traces of both ranks; rank 1 has another clock. Returns their paths."""
    paths = []
    for rank in run(what):
        paths.append(os.path.join(folder, f"rank{rank.number}.json"))
        write(paths[-1], trace(rank, clock * rank.number))
    return paths


def pipeline(steps=2, micro=2, late=0):
    """A pipeline of two stages and two data-parallel ranks, in the form of StragglerAnalysis's timelines; the second stage is slower,
    and so is the second rank's optimizer in the last step. Worked out by hand: F 100 and 140, B 200 and 280, sends 10."""
    events = []

    def add(name, stage, rank, kind, ts, dur, step, number, chunk=-1):
        events.append({"name": name, "cat": name, "pid": rank, "tid": 5 * (2 * stage + rank) + kind, "ts": ts, "dur": dur, "ph": "X",
                       "args": {"step": step, "model_chunk": chunk, "mb_id": number, "seq_id": number}})

    for step in range(steps):
        at = 10000.0 * step
        for rank in range(2):
            forward, backward, free = at, None, at + 110
            for i in range(micro):
                add("forward-compute", 0, rank, 0, forward, 100, step, i, 0)
                forward += 100
                sent = max(forward, free if i else 0)
                add("forward-send", 0, rank, 1, sent, 10, step, i)
                add("forward-recv", 1, rank, 1, sent, 10, step, i)
                add("forward-compute", 1, rank, 0, sent + 10, 140, step, i, 0)
                add("backward-compute", 1, rank, 0, sent + 150, 280, step, i, 0)
                free = sent + 430
                add("backward-send", 1, rank, 1, free, 10, step, i)
                add("backward-recv", 0, rank, 1, free, 10, step, i)
                add("backward-compute", 0, rank, 0, free + 10, 200, step, i, 0)
                backward = free + 210
            add("optimizer", 0, rank, 0, backward + late, 50 + 40 * (rank == 1 and step == steps - 1), step, 0)
            add("optimizer", 1, rank, 0, free + late, 50, step, 0)
    names = [{"name": "thread_name", "pid": rank, "tid": 5 * (2 * stage + rank) + kind, "ph": "M",
              "args": {"name": f"PP rank {stage}, TP rank 0, {what}"}}
             for stage in range(2) for rank in range(2) for kind, what in enumerate(("compute", "pp-comm"))]
    return events + names


STRAGGLER = job(gemm=(300, 420), host=(20, 26))

if __name__ == "__main__":
    out = os.path.join(DATA, "sample", "jobs")
    os.makedirs(out, exist_ok=True)
    write_job(out, STRAGGLER)
    write(os.path.join(out, "late.json"), trace(run(job(late=500))[0]))
    write(os.path.join(out, "late_little.json"), trace(run(job(late=60))[0]))
    write(os.path.join(out, "lines.json"), trace(run(job(gemm=(300, 300), frames=True))[0]))
    write(os.path.join(out, "pipeline.json"), pipeline())
    write(os.path.join(out, "pipeline_late.json"), pipeline(steps=1, micro=1, late=2000))
    write(os.path.join(out, "plain.json"), {"schemaVersion": 1, "traceEvents": [
        e for e in trace(run(job())[0])["traceEvents"] if e["cat"] in ("cpu_op", "user_annotation", "python_function")]})
