#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts lines of libraries among those that tfprof names for a device's work: own_lines.py TFPROF [FILE ... [--with OPTIONS]]

A second reading of the rule, from the frames of the trace: the line of an activity is one of the engine or the model if a frame of these is
around its launch, and not inside of an operator if one is outside. Activities of replayed graphs have no frames here; their lines are counted
by their files. Without FILE: the samples, and public traces where they are at hand."""
import collections
import csv
import glob
import gzip
import io
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLE, PUBLIC = os.path.join(ROOT, "tests", "data", "sample"), os.path.join(ROOT, "..", "shared", "formats", "public")
KERNELS = set("""aiter apex bitsandbytes causal_conv1d cuda cupy cutlass deep_ep deep_gemm fbgemm_gpu flash_attn flash_attn_interface flash_mla
flashinfer gemlite liger_kernel mamba_ssm mori natten quack sageattention sgl_kernel tilelang torch_guard torchao transformer_engine
triton_kernels vllm_flash_attn xformers""".split())
ONLY_FIRST = {"cuda", "mori", "natten", "quack"}  # names that a user's folder may have
FRAMEWORK = {"torch", "triton", "numpy", "jax", "jaxlib", "tensorflow", "tqdm", "PIL", "scipy", "requests", "zmq", "ray", "fastapi", "uvicorn", "starlette"} | sys.stdlib_module_names
ENGINES = {"vllm", "sglang", "tensorrt_llm", "atom", "transformers", "megatron"}
INSTALLED = re.compile(r".*(?:site-packages|dist-packages|lib/python3\.\d+)/")
INSIDE = re.compile(r"(^|/)torch/(_ops\.py|_library/|overrides\.py)")


def package(path):
    """The first folder of an installed package; None for other files."""
    installed = INSTALLED.match(path)
    return path[installed.end():].split("/")[0].removesuffix(".py") if installed else None


def with_modules(stacks):
    """Packages in which a module's forward function is."""
    found = set()
    for frames in stacks:
        module = False
        for frame in frames:
            path = path_of(frame)
            if module and path and not frame.endswith("_call_impl"):
                if frame.endswith(": forward"):
                    found.add(package(path))
                module = False
            module = module or frame.startswith("nn.Module: ")
    return found


def is_own(path, living=()):
    installed = INSTALLED.match(path)
    rest = path[installed.end():] if installed else path
    parts = rest.split("/")
    first = parts[0].removesuffix(".py")
    if "<" in path or "torchinductor_" in path or "/compilation/" in path or path.endswith("_custom_ops.py") or rest.startswith("csrc/"):
        return False
    if not installed and path.startswith("/"):
        return not (set(parts[1:-1]) & (KERNELS - ONLY_FIRST) or set(parts) & {"torch", "triton"})
    return first not in KERNELS | FRAMEWORK and (not installed or first in ENGINES or first in living)


def path_of(frame):
    """The file of "models/llama.py(40): forward"; None for built-in functions and modules."""
    found = re.match(r"(.+)\((\d+)\): (.*)", frame)
    return found[1] if found else None


def launched(events):
    """For each activity of a device: the frames open when it was launched, outermost first."""
    launches, frames = {}, collections.defaultdict(list)
    for e in events:
        id = e.get("args", {}).get("correlation")
        if e.get("cat") in ("cuda_runtime", "cuda_driver") and id:
            launches[id] = (e["tid"], e["ts"])
        elif e.get("cat") == "python_function":
            frames[e["tid"]].append((e["ts"], -e["dur"], e["name"]))
    stacks = {}  # correlation -> frames: one pass over each thread
    at = collections.defaultdict(list)
    for id, (tid, ts) in launches.items():
        at[tid].append((ts, id))
    for tid, times in at.items():
        opened, stack, i = sorted(frames[tid]), [], 0
        for ts, id in sorted(times):
            while i < len(opened) and opened[i][0] <= ts:
                stack = [f for f in stack if f[0] - f[1] > opened[i][0]] + [opened[i]]
                i += 1
            stacks[id] = [name for start, dur, name in stack if start - dur > ts]
    return {(e["name"], round(e["ts"], 3)): stacks[e["args"]["correlation"]] for e in events
            if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset") and e.get("args", {}).get("correlation") in stacks}


def own_files(frames, living):
    """Files of the engine or the model outside of operators; if there are none, of those inside."""
    end = next((i for i, f in enumerate(frames) if INSIDE.search(path_of(f) or "") or f.endswith(("__torch_function__", "__torch_dispatch__"))), len(frames))
    for part in frames[:end], frames[end:]:
        own = {path for path in map(path_of, part) if path and is_own(path, living)}
        if own:
            return own
    return set()


def count(program, path, options=()):
    """Microseconds of a device: in all, without a line, foreign though there is an own frame, foreign without one."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        trace = json.load(file)
    stacks = launched(trace["traceEvents"] if isinstance(trace, dict) else trace)
    living = with_modules(stacks.values())
    command = [program, "query", "SELECT name, start_us, duration_us, line, replay FROM attribution", path, *options, "-format", "csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    sums = collections.Counter()
    for row in csv.DictReader(io.StringIO(done.stdout)):
        us = float(row["duration_us"])
        sums["all"] += us
        file = row["line"].rsplit(":", 2)[0]
        if not file:
            sums["none"] += us
            continue
        own = own_files(stacks.get((row["name"], round(float(row["start_us"]), 3)), ()), living) if not row["replay"] else None
        if not is_own(file, living) or own and file not in own:
            sums["wrong" if own or own is None else "alone"] += us
            sums[row["line"]] += us
    return sums


def inputs():
    yield from ((os.path.join(SAMPLE, f), ()) for f in ("engine/engine.json", "engine/amd.json", "whose/lines.json", "whose/installed.json"))
    yield os.path.join(SAMPLE, "whose/replay.json"), ("--eager_path", os.path.join(SAMPLE, "whose/eager.json"))
    yield os.path.join(SAMPLE, "graphs/replay.json"), ("--capture_path", os.path.join(SAMPLE, "graphs/capture.json"))
    for run in ("sglang_prefilldecode", "sglang_decode", "vllm_decode_full", "vllm_prefilldecode_piecewise"):
        captures = glob.glob(f"{PUBLIC}/tl__inference__{run}__capture_traces__*")
        for path in glob.glob(f"{PUBLIC}/tl__inference__{run}__[!c]*"):
            yield path, [word for capture in captures for word in ("--capture_path", capture)]
    for path in sorted(glob.glob(f"{PUBLIC}/../../serving/traces/whose_*.json.gz")):
        yield path, ()


def main():
    program, passed, failed = os.path.abspath(sys.argv[1]), 0, 0
    words = sys.argv[2:]
    files = words[:words.index("--with")] if "--with" in words else words
    given = [(f, words[len(files) + 1:]) for f in files]
    for path, options in given or inputs():
        sums = count(program, path, options)
        wrong, share = sums["wrong"], 100 / (sums["all"] or 1)
        passed, failed = passed + (not wrong), failed + bool(wrong)
        print(f"{os.path.basename(path)[:70]}: {wrong * share:.1f} % of {sums['all'] / 1000:.2f} ms at a library's line though an own frame is there; "
              f"{sums['alone'] * share:.1f} % at one without an own frame; {sums['none'] * share:.1f} % without a line")
        if wrong:
            print("FAILED", "; ".join(f"{line} {us:.1f} us" for line, us in sums.most_common() if ":" in line))
    if not given:  # with no frame known as a library's, lines of libraries are found
        planted = count(program, os.path.join(SAMPLE, "whose/lines.json"), ("--library_regexes", "-,no such file"))["wrong"] > 0
        passed, failed = passed + planted, failed + (not planted)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
