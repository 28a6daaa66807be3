#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/data/sample/stacks/: sampled stacks as py-spy (-f raw) and speedscope have them: tests/data/traces/stacks.py"""
import json
import os

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sample", "stacks")
FOLDED = ["main (train.py:3);step (train.py:12);matmul 7", "main (train.py:3);load (a b.py:2) 3", "(idle) 0", "odd (no number", ""]
FRAMES = [{"name": "main", "file": "a.py", "line": 3}, {"name": "inner", "file": "a.py", "line": 9}, {"name": "<lambda>"}]
SAMPLED = {"type": "sampled", "name": "MainThread (7)", "unit": "microseconds", "startValue": 0, "endValue": 60,
           "samples": [[0, 1], [0, 1, 2], [], [0, 77]], "weights": [10.5, 20, 25, 4.5]}
EVENTED = {"events": [{"type": "O", "frame": 0, "at": 0}, {"type": "O", "frame": 1, "at": 2.5}, {"type": "C", "frame": 1, "at": 4},
                      {"type": "C", "frame": 0, "at": 10}], "type": "evented", "name": "loader", "unit": "milliseconds", "startValue": 0, "endValue": 10}
SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def main():
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(FOLDER, "stacks.folded"), "w") as f:
        f.write("\n".join(FOLDED))
    with open(os.path.join(FOLDER, "stacks.speedscope.json"), "w") as f:
        json.dump({"$schema": SCHEMA, "profiles": [SAMPLED, EVENTED], "shared": {"frames": FRAMES}, "exporter": "tests/data/traces/stacks.py"}, f)


if __name__ == "__main__":
    main()
