# SPDX-License-Identifier: Apache-2.0
"""Kinds of dumps of PyTorch's flight recorder."""
import json

from kinds import kind


def dump(members, collectives):
    entries = [{"pg_id": 0, "process_group": ["0", "all"], "collective_seq_id": i + 1, "is_p2p": False, "profiling_name": "nccl:all_reduce",
                "input_sizes": [[1]], "output_sizes": [[1]], "input_dtypes": ["Float"], "output_dtypes": ["Float"], "state": "completed",
                "retired": True, "frames": []} for i in range(collectives)]
    return {"pg_config": {"0": {"name": "0", "desc": "all", "ranks": str(list(range(members)))}}, "pg_status": {}, "entries": entries}


@kind(1500)
def members_and_collectives(n):
    return {"trace_rank_0": json.dumps(dump(20 * n, n)).encode()}
