# SPDX-License-Identifier: Apache-2.0
"""Seeds for captures of graphs and Inductor's descriptions of kernels. Parameter: a function that reads a
file of the samples."""
import struct


def seeds(sample):
    def joined(*names):
        return b"".join(struct.pack("<H", len(part)) + part for part in map(sample, names))
    kernels = sample("graphs/kernel_information.json")
    yield "inductor", "kernels", kernels
    yield "inductor", "nodes", sample("graphs/py_stacks.json")
    yield "inductor", "log", sample("graphs/dedicated_log_torch_trace_a1.log")
    yield "inductor", "arrays", b'{"triton_a:1": ["  File \\"/a.py\\", line 3, in f\\n    x\\n"], "b": []}'
    yield "inductor", "regions", b'{"(\'Torch-Compiled Region: 0/0\', False)": ' + kernels + b"}"
    yield "capture", "hip", joined("graphs/replay.json", "graphs/capture.json")
    yield "capture", "cuda", joined("graphs/cuda.json", "graphs/cuda_capture.json", "graphs/kernel_information.json", "graphs/capture.json")
    yield "capture", "pieces", joined("graphs/pieces.json", "graphs/pieces_capture.json")
    yield "capture", "own", joined("graphs/own.json")
    yield "capture", "compiled", joined("graphs/compiled.json", "graphs/other.json", "graphs/kernel_information.json")
