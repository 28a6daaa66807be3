#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/data/sample/inspector/: lines of NCCL's inspector plugin, of two ranks: tests/data/traces/inspector.py"""
import json
import os

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sample", "inspector")


def line(rank, group, ranks, kind, size, micros, pair=False):
    word = "p2p" if pair else "coll"
    return json.dumps({
        "header": {"id": "0x7f8c496ae9f661", "comm_name": group, "rank": rank, "n_ranks": ranks, "nnodes": 1},
        "metadata": {"inspector_output_format_version": "v4.0", "hostname": "host", "pid": 10 + rank},
        word + "_perf": {word: kind, word + "_msg_size_bytes": size, word + "_exec_time_us": micros}}) + "\n"


def main():
    os.makedirs(FOLDER, exist_ok=True)
    for rank in range(2):
        text = "".join(line(rank, "data", 4, "AllReduce", 4096 * (i + 1), 100 + 10 * i + rank) for i in range(3))
        text += line(rank, "model", 2, "AllGather", 1 << 20, 50.5) + line(rank, "model", 2, "Send", 1000, 4, pair=True)
        text += line(rank, "model", 2, "AllReduce", 2048, 20)
        if rank:
            text += "\n" + line(rank, "data", 4, "AllReduce", 4096, 100)[:150] + "\n"  # truncated
        with open(os.path.join(FOLDER, "host-pid%d.log" % (10 + rank)), "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
