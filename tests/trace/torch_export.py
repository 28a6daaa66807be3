#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds programs of torch.export that were not decomposed against what PyTorch counts: tests/trace/torch_export.py PROGRAM

tests/data/torch_export has their graphs and multiply-adds (tests/data/frameworks/torch_export.py recorded them).
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import zipfile

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "torch_export", "programs.json.gz")
UNKNOWN_TRIPS = {"while_loop of values"}


def summary_of(program, model, path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("p/data/weights/model_weights_config.json", '{"config": {}}')
        archive.writestr("p/models/model.json", json.dumps(model))
    done = subprocess.run([program, "flops", path, "-format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
    return json.loads(done.stdout)["summary"] if done.returncode == 0 else {"error": done.stderr}


def main():
    program, passed, failed = os.path.abspath(sys.argv[1]), 0, 0
    with gzip.open(DATA, "rt", encoding="utf-8") as file:
        programs = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        for name, of in programs.items():
            got = summary_of(program, of["program"], os.path.join(folder, "p.pt2"))
            loops = 1 if name in UNKNOWN_TRIPS else None
            good = got.get("total_macs") == of["multiply_adds"] and got["at_least"] == bool(loops) and got.get("loops_counted_once") == loops
            passed, failed = passed + good, failed + (not good)
            if not good:
                print("FAILED %s: %s multiply-adds are right: %s" % (name, of["multiply_adds"], got))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
