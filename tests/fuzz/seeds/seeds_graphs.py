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


def eager():
    """Seeds of fuzz_eager: a sequence and passes, each a phase, then a byte for each launch: name | place << 4."""
    def row(names, places=None, phase=0):
        return bytes([phase] + [n | p << 4 for n, p in zip(names, places or [0] * len(names))]) + b"\xff"
    block, places = [0, 2, 11, 8, 7, 13], [1, 4, 9, 10, 7, 8]
    yield "same", row(block) + row(block, places)
    yield "names", row([1, 3, 5, 9]) + row([0, 4, 6, 9], [1, 4, 5, 14])
    yield "repeats", row(block * 3) + row(block * 4, places * 4)
    yield "swapped", row([0, 8, 7, 11]) + row([0, 7, 8, 11], [2, 7, 10, 9])
    yield "tile", row([11, 12, 13, 9]) + row([11, 0, 13, 9], [9, 2, 8, 14])
    yield "sampling", row([8, 7, 12]) + row([8, 7, 0, 13, 10, 9], [10, 7, 2, 8, 14, 14])
    yield "start", row([12, 7, 13]) + row([9, 8, 0, 7, 13], [14, 10, 2, 7, 8])
    yield "missing", row([11, 12, 0, 2]) + row([11, 2], [9, 8])
    yield "phases", row(block, phase=1) + row(block, places, 2) + row(block[:2], places, 1) + row(block[:5], places, 1)
    yield "ties", row(block) + row(block[::-1] + block, places * 2) + row(block, places) + row(block[1:] + block, [4] * 11)
    yield "long", row(block * 6) + row((block + [14]) * 21, (places + [6]) * 21)
    yield "words", row([0]) + row([0] * 64 + [14] * 64 + [0] * 22, [1] * 150)
    yield "unlike", row([5, 6, 14]) + row(block, places)
