# SPDX-License-Identifier: Apache-2.0
import datetime
import gzip
import json
import os

KERNELS = [("aten::mm", "sm90_gemm_bf16", 140.0), ("aten::gelu", "GeluCUDAKernel", 40.0)]


def trace(day, rank, ranks):
    """Two steps of a rank, as PyTorch's profiler writes them. Host 17 computes slowly; gelu takes longer from 9 March on."""
    events, now = [], 1000.0
    for step in range(2):
        start, device = now, now + 20
        for i, (op, kernel, us) in enumerate(KERNELS):
            us *= 1.3 if rank // 8 == 17 else 1
            us *= 1.25 if op == "aten::gelu" and day >= datetime.date(2026, 3, 9) else 1
            number = 10 * step + i + 1
            events.append({"ph": "X", "cat": "cpu_op", "name": op, "pid": 1, "tid": 1, "ts": now + 2 + 5 * i, "dur": 4, "args": {"External id": number}})
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": now + 3 + 5 * i, "dur": 2,
                           "args": {"correlation": number}})
            events.append({"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": device, "dur": us,
                           "args": {"device": 0, "stream": 7, "correlation": number}})
            device += us
        now = device + 10
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": start, "dur": now - start})
    began = datetime.datetime.combine(day, datetime.time(9), datetime.timezone.utc)
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "H100"}], "distributedInfo": {"rank": rank, "world_size": ranks},
            "baseTimeNanoseconds": int(began.timestamp()) * 10**9, "traceEvents": events}


def write(day, ranks):
    for rank in range(ranks):
        folder = f"traces/job=llm-70b/date={day}/host=node{rank // 8:03d}"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/rank_{rank}.json.gz", "wb") as f:
            f.write(gzip.compress(json.dumps(trace(day, rank, ranks)).encode(), mtime=0))


for day in range(6, 11):  # a few ranks every day
    write(datetime.date(2026, 3, day), 16)
write(datetime.date(2026, 3, 11), 2000)  # and all of them once
open("traces/job=llm-70b/date=2026-03-11/rank_2000.json.gz", "wb").close()  # of a rank that died
