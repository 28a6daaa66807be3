# SPDX-License-Identifier: Apache-2.0
"""Seeds of the fuzz targets of other profilers' recordings and of files of weights: the samples, whole."""
import os

SAMPLE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "sample")


def samples(*names):
    for name in names:
        with open(os.path.join(SAMPLE, name), "rb") as f:
            yield os.path.basename(name), f.read()


def sqlite():
    yield from samples("nsys/report.sqlite", "rocpd/2_results.db", "ascend/ascend_pytorch_profiler_0.db")


def perfetto():
    yield from samples("perfetto/torch.pftrace", "perfetto/sdk.pftrace")


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
