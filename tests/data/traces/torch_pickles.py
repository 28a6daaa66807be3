#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/data/sample/torch_files: a memory snapshot and dumps of the flight recorder, as PyTorch writes them: tests/data/traces/torch_pickles.py"""
import json
import os
import pickle

OUT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sample", "torch_files")
BASE = 0x7F0000000000
LIBRARY = [{"filename": "/opt/site-packages/torch/nn/modules/linear.py", "line": 125, "name": "forward"}]
C_PLUS_PLUS = [{"filename": "??", "line": 0, "name": "c10::cuda::CUDACachingAllocator::malloc(unsigned long)"}]


def stack(line, name="forward"):
    return C_PLUS_PLUS + LIBRARY + [{"filename": "/home/me/model.py", "line": line, "name": name},
                                    {"filename": "/home/me/train.py", "line": 7, "name": "<module>"}]


def block(address, size, requested, state, frames):
    return {"address": address, "size": size, "requested_size": requested, "state": state, "frames": frames}


def snapshot():
    """One GPU: weights from before the recording, activations of which one stays, and a failed allocation."""
    weights, grow, acts, loss, more = stack(3, "load"), stack(10), stack(11), LIBRARY, stack(12)
    blocks = [block(BASE, 1 << 20, 1000000, "active_allocated", weights),
              block(BASE + (1 << 20), 512, 400, "inactive", []),
              block(BASE + (1 << 20) + 512, 1 << 20, 1 << 20, "active_awaiting_free", acts),
              block(BASE + (2 << 20) + 512, (18 << 20) - 512, 0, "inactive", [])]
    segment = {"device": 0, "address": BASE, "total_size": 20 << 20, "allocated_size": 1 << 20, "active_size": 2 << 20,
               "requested_size": 2048576, "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0),
               "is_expandable": False, "frames": grow, "blocks": blocks}
    small = {"device": 0, "address": BASE + (1 << 40), "total_size": 2 << 20, "allocated_size": 0, "active_size": 0,
             "requested_size": 0, "stream": 7, "segment_type": "small", "segment_pool_id": (0, 1), "frames": [],
             "blocks": [block(BASE + (1 << 40), 2 << 20, 0, "inactive", [])]}
    entries = [("free_completed", BASE + (5 << 20), 3 << 20, []), ("segment_alloc", BASE, 20 << 20, grow),
               ("alloc", BASE + (1 << 20) + 512, 1 << 20, acts), ("alloc", BASE + (4 << 20), 6 << 20, acts),
               ("alloc", BASE + (1 << 20), 400, loss), ("free_requested", BASE + (4 << 20), 6 << 20, []),
               ("free_completed", BASE + (4 << 20), 6 << 20, []), ("free_completed", BASE + (1 << 20), 400, []),
               ("a new action", 0, 0, []), ("oom", 0, 24 << 20, more), ("snapshot", 0, 0, [])]
    trace = [{"action": action, "addr": address, "size": size, "stream": 0, "time_us": 1700000000000000 + 100 * i, "frames": frames}
             for i, (action, address, size, frames) in enumerate(entries)]
    for entry in trace:
        if entry["action"] == "oom":
            entry["device_free"] = 2 << 20
    return {"segments": [segment, small], "device_traces": [trace, []], "allocator_settings": {"max_split_size": -1}}


def snapshot_of_blocks():
    """One GPU: what was held before the recording, gradients (which have no Python frame), code of torch.compile, and a block without a stack."""
    def cpp(name, file="Functions.cpp"):
        return C_PLUS_PLUS + [{"filename": file, "line": 0, "name": name}, {"filename": "engine.cpp", "line": 0, "name": "torch::autograd::Engine::thread_main(int)"}]
    generated = [{"filename": "/tmp/torchinductor_me/ry/crysk.py", "line": 136, "name": "call"}]
    stacks = [[], [], cpp("torch::autograd::generated::MulBackward0::apply(std::vector<at::Tensor>&&)"),
              cpp("torch::autograd::AccumulateGrad::apply(std::vector<at::Tensor>&&)", "??"),
              C_PLUS_PLUS + generated + LIBRARY + stack(20)[2:],
              cpp("torch::autograd::PyNode::apply(std::vector<at::Tensor>&&)") + generated + LIBRARY, C_PLUS_PLUS, []]
    blocks = [block(BASE + (i << 20), 1 << 20, 1 << 20, "active_allocated", frames) for i, frames in enumerate(stacks)]
    segment = {"device": 0, "address": BASE, "total_size": len(blocks) << 20, "allocated_size": len(blocks) << 20,
               "active_size": len(blocks) << 20, "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0), "frames": [], "blocks": blocks}
    trace = [{"action": "alloc", "addr": BASE + (i << 20), "size": 1 << 20, "stream": 0, "time_us": 100 + i, "frames": stacks[i]}
             for i in range(2, len(stacks))]
    return {"segments": [segment], "device_traces": [trace]}


def flight(rank, ranks=3):
    """A dump of the flight recorder: rank 2 skips the third all_reduce, and waits in a barrier of its own group."""
    def entry(number, group, name, size, line, state):
        return {"record_id": number, "pg_id": int(group), "process_group": (group, "data parallel" if group == "0" else "pair"),
                "collective_seq_id": number, "is_p2p": False, "profiling_name": "nccl:" + name, "input_sizes": [[size]] if size else [],
                "input_dtypes": ["Float"] if size else [], "output_sizes": [[size]] if size else [], "output_dtypes": ["Float"] if size else [],
                "state": state, "time_discovered_completed_ns": 5 if state == "completed" else None, "retired": state == "completed",
                "frames": [{"filename": "/opt/site-packages/torch/distributed/distributed_c10d.py", "line": 9, "name": "all_reduce"},
                           {"filename": "/home/me/train.py", "line": line, "name": "step"}]}
    entries = [entry(1, "0", "all_reduce", 64, 20, "completed"), entry(2, "0", "all_reduce", 64, 21, "completed")]
    if rank != 2:
        entries.append(entry(3, "0", "all_reduce", 64, 22, "started"))
    else:
        entries.append(entry(1, "1", "broadcast", 8, 30, "started"))
    config = {"0": {"name": "0", "desc": "data parallel", "ranks": str(list(range(ranks)))}}
    if rank != 0:
        config["1"] = {"name": "1", "desc": "pair", "ranks": "[1, 2]"}
    status = {0: {"last_enqueued_collective": 2 if rank == 2 else 3}}
    return {"version": "2.10", "pg_config": config, "pg_status": status, "entries": entries}


def gloo(doing):
    """A dump as gloo writes it: the configuration lists no members of groups. doing: the collectives that did not end, (pg_id, group, number)."""
    def entry(pg, group, number, ended):
        return {"pg_id": pg, "process_group": [group, "default_pg" if group == "0" else "undefined"], "collective_seq_id": number, "is_p2p": False,
                "profiling_name": "gloo:all_reduce", "input_sizes": [[4]], "output_sizes": [[4]], "input_dtypes": ["Float"], "output_dtypes": ["Float"],
                "state": "scheduled", "retired": ended}
    return {"version": "2.10", "pg_config": {"": {"name": "", "desc": "", "ranks": "[0, 1]"}}, "pg_status": {},
            "entries": [entry(1, "1", n, True) for n in (1, 2)] + [entry(*d, False) for d in doing]}


# gloo_idle: ranks 0 and 1 wait in the group of all, rank 2 in one of its own, rank 3 nowhere. gloo_order: rank 1 uses another group.
# gloo_all: all that entered the group wait in it.
GLOO = {"gloo_idle": [[(0, "0", 1)], [(0, "0", 1)], [(3, "4", 1)], []],
        "gloo_order": [[(1, "1", 3)], [(2, "2", 1)], [(1, "1", 3)]],
        "gloo_all": [[(1, "1", 3)], [(1, "1", 3)]]}


def main():
    os.makedirs(OUT, exist_ok=True)
    with open(os.path.join(OUT, "snapshot.pickle"), "wb") as f:
        f.write(pickle.dumps(snapshot(), 2))
    with open(os.path.join(OUT, "blocks.pickle"), "wb") as f:
        f.write(pickle.dumps(snapshot_of_blocks(), 2))
    for name, ranks in GLOO.items():
        os.makedirs(os.path.join(OUT, name), exist_ok=True)
        for rank, doing in enumerate(ranks):
            with open(os.path.join(OUT, name, f"rank_{rank}.json"), "w", encoding="utf-8") as f:
                json.dump(gloo(doing), f, separators=(",", ":"))
    os.makedirs(os.path.join(OUT, "hang"), exist_ok=True)
    for rank in range(3):
        with open(os.path.join(OUT, "hang", f"nccl_trace_rank_{rank}"), "wb") as f:
            f.write(pickle.dumps(flight(rank), 2))


if __name__ == "__main__":
    main()
