# SPDX-License-Identifier: Apache-2.0
"""Seeds of the fuzz targets of other profilers' recordings and of weight files: the whole samples. Of SQLite also parts
of them, because most of a small file with many tables is empty pages, and a mutation should hit what is read."""
import os
import sqlite3
import tempfile

SAMPLE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "data", "sample")


def samples(*names):
    for name in names:
        with open(os.path.join(SAMPLE, name), "rb") as f:
            yield os.path.basename(name), f.read()


RECORDINGS = (("nsys", "nsys/report.sqlite", ("KERNEL", "MEM", "NVTX", "USAGE", "SYNC|OVERHEAD", "CUDA_EVENT|OSRT")), ("rocpd", "rocpd/2_results.db", ("dispatch", "copy|region", "allocate|region", "region")),
              ("nsys_samples", "nsys/sampled_alone.sqlite", ("COMPOSITE|SAMPLING",)),
              ("rpd", "rpd/schema3.rpd", ("api", "op|api_ops")),
              ("ascend", "ascend/ascend_pytorch_profiler_0.db", ("PYTORCH|ENUM_API|STEP", "TASK|CONNECTION", "COMM|HCCL", "MEMCPY|RANK")))
SHARED = ("string", "strings", "stringids", "string_ids", "runtime", "cann_api", "task", "event", "metadata", "agent", "symbol", "process", "thread")


def part(path, words):
    """The file with only the tables that many readers need, and those whose names contain one of the words; of two
    processes only the first."""
    with tempfile.NamedTemporaryFile(suffix=".sqlite") as made:
        db = sqlite3.connect(made.name)
        db.execute("PRAGMA page_size=512")
        db.execute("ATTACH ? AS whole", (path,))
        for name, statement in db.execute("SELECT name, sql FROM whole.sqlite_master WHERE type = 'table'").fetchall():
            ending = name.lower().replace("_0198_a", "")
            wanted = ending.endswith(SHARED) or any(word.lower() in ending for word in words.split("|"))
            if wanted and not name.endswith("_b"):
                db.execute(statement)
                db.execute(f"INSERT INTO main.{name} SELECT * FROM whole.{name}")
        db.commit()
        db.execute("DETACH whole")
        db.execute("VACUUM")
        db.close()
        with open(made.name, "rb") as f:
            return f.read()


def sqlite():
    for kind, name, parts in RECORDINGS:
        for _, data in samples(name):
            yield kind, data
        yield from ((f"{kind}_{i}", part(os.path.join(SAMPLE, name), words)) for i, words in enumerate(parts))


def perfetto():
    yield from samples("perfetto/torch.pftrace", "perfetto/sdk.pftrace", "perfetto/stages.pftrace", "perfetto/queues.pftrace")


def speedscope():
    yield from samples("stacks/stacks.speedscope.json")


def folded():
    yield from samples("stacks/stacks.folded")


def torch():
    yield from samples("weights/checkpoint.pt", "weights/packed.pth", "weights/old.bin", "weights/module.pt", "weights/program.pt2")


def safetensors():
    yield from samples("weights/one.safetensors", "weights/shards/model.safetensors.index.json")


def gguf():
    yield from samples("weights/tiny.gguf")


def onnx():
    yield from samples("onnx/classifier.onnx", "onnx/attention.onnx")


def inspector():
    yield from samples("inspector/host-pid10.log", "inspector/host-pid11.log")
