#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes sample/engine: a server of a small mixture of experts on an H100, as SGLang marks its steps: one that reads two prompts, then three that
generate. A norm takes five kernels, collectives run on a stream of their own beside the experts or alone, a copy waits for nothing.
engine.json: the server. amd.json: the same on an MI300X, whose kernels and API calls have other names, and which needs half longer. device.json: the
activities of engine.json alone, with the markers as the profiler shows them on the device."""
import os

import jobs
import limits

BF16, FLOAT, LONG, WIDE = limits.BF16, limits.FLOAT, limits.LONG, 1024
NVIDIA = {"mm": "nvjet_tst_128x64_64x4_1x2_h_bz_coopA_TNT", "attention": "void flash::flash_fwd_splitkv_kernel<128, 64>", "comm": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"}
AMD = {"mm": "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_MT128x128x64_MI16x16x1", "attention": "void ck_tile::kentry<256, ck_tile::FmhaFwdSplitKVKernel>", "comm": "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096>)"}


class Engine(limits.Trace):
    def __init__(self, names, call, factor=1.0):
        super().__init__()
        self.names, self.api, self.factor, self.ends, self.stream, self.after = names, call, factor, {}, 7, ()

    def kernel(self, name, us, number, cat="kernel", stream=7):
        us, stream = us * self.factor * self.size, self.stream
        start = max([self.now + 4, self.ends.get(stream, 0) + 1] + [self.ends.get(s, 0) + 1 for s in self.after])
        self.ends[stream] = start + us
        self.free = max(self.ends.values())
        self.add(cat, name, start, us, stream, {"device": 0, "stream": stream, "correlation": number}, 0)

    def run(self, name, tensors, us, kernel, stream=7, after=(), **more):
        self.stream, self.after = stream, after
        copy = kernel.startswith("Memcpy")
        call = self.api + ("MemcpyAsync" if copy else "LaunchKernel")
        self.op(name, tensors, 0, more.get("values", ()), [(kernel, us)], call, "gpu_memcpy" if copy else "kernel")

    def frame(self, where, body):
        self.inside("python_function", where, body)

    def module(self, name, where, body):
        self.frame("nn.Module: " + name, lambda: self.frame(where, body))

    def phase(self, marker, size, body):
        self.size, begin = size, self.now
        body()
        self.add("cuda_runtime", self.api + "DeviceSynchronize", self.now, max(self.free + 3 - self.now, 3), 1, {"correlation": 0})
        self.now = max(self.free + 3, self.now + 3)
        self.add("user_annotation", marker, begin, self.now - begin, 1)
        self.now += 10


def forward(t, tokens):
    rows, one = [tokens, WIDE], [tokens, 1]

    def norm():
        t.run("aten::copy_", [(FLOAT, rows), (BF16, rows)], 4, "void at::native::unrolled_elementwise_kernel<direct_copy_kernel_cuda>", values=["False"])
        t.run("aten::pow", [(FLOAT, rows)], 5, "void at::native::vectorized_elementwise_kernel<4, pow_tensor_scalar>", values=["2"])
        t.run("aten::mean", [(FLOAT, rows)], 4, "void at::native::reduce_kernel<512, 1, MeanOps<float> >", values=["[-1]", "True", ""])
        t.run("aten::mul", [(FLOAT, rows), (FLOAT, one)], 5, "void at::native::elementwise_kernel<128, 2, MulFunctor<float> >")
        t.run("aten::copy_", [(BF16, rows), (FLOAT, rows)], 4, "void at::native::unrolled_elementwise_kernel<direct_copy_kernel_cuda>", values=["False"])

    def attention():
        t.run("aten::mm", [(BF16, rows), (BF16, [WIDE, WIDE * 3])], 60, t.names["mm"])
        t.run("sgl_kernel::rotary_embedding", None, 6, "void engine::rotary_kernel<bf16>")
        t.run("sgl_kernel::reshape_and_cache", None, 5, "void engine::reshape_and_cache_kernel<bf16>")
        t.run("sglang::unified_attention", None, 90, t.names["attention"])
        t.run("aten::mm", [(BF16, rows), (BF16, [WIDE, WIDE])], 22, t.names["mm"])

    def experts():
        t.run("sgl_kernel::moe_fused_gate", None, 8, "void engine::topk_gating_kernel<float>")
        t.run("sglang::fused_experts", None, 130, "fused_moe_kernel")
        t.run("sgl_kernel::silu_and_mul", None, 14, "void engine::act_and_mul_kernel<bf16>")
        t.run("c10d::allreduce_", None, 45, t.names["comm"], stream=20, after=(7,))

    def layer():
        t.module("RMSNorm_0", "/srv/engine/layers/norm.py(30): forward", norm)
        t.module("Attention_0", "/srv/engine/models/moe.py(64): forward", attention)
        t.run("c10d::allreduce_", None, 40, t.names["comm"], stream=20, after=(7,))
        t.module("Experts_0", "/srv/engine/models/moe.py(95): forward", experts)

    def model():
        t.run("aten::embedding", [(BF16, [32000, WIDE]), (LONG, [tokens])], 6, "void at::native::vectorized_gather_kernel<16, long>", values=["-1", "False", "False"])
        for _ in range(2):
            t.module("Layer_0", "/srv/engine/models/moe.py(110): forward", layer)

    def sample():
        t.run("aten::softmax", None, 9, "void at::native::cunn_SoftMaxForward<float>", after=(7, 20))
        t.run("aten::multinomial", None, 7, "void engine::sample_kernel<float>")

    def run():
        t.run("aten::copy_", [(LONG, [tokens]), (LONG, [tokens])], 6, "Memcpy HtoD (Pinned -> Device)", values=["False"])
        t.module("Model_0", "/srv/engine/models/moe.py(140): forward", model)
        t.module("Sampler_0", "/srv/engine/sampler.py(20): forward", sample)

    t.frame("/srv/engine/loop.py(12): run", run)


def server(names, call, factor=1.0):
    t = Engine(names, call, factor)
    t.phase("step[EXTEND bs=2 toks=256]", 4, lambda: forward(t, 256))
    for _ in range(3):
        t.phase("step[DECODE bs=2]", 1, lambda: forward(t, 2))
    return t


def save(t, name, device):
    t.events.sort(key=lambda e: (e["ts"], -e.get("dur", 0)))
    out = os.path.join(limits.DATA, "sample", "engine")
    os.makedirs(out, exist_ok=True)
    jobs.write(os.path.join(out, name), {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": device, "totalGlobalMem": 85018279936}],
                                         "traceEvents": t.events})


def alone(t):
    """The activities; each marker spans those that start in it."""
    kept = [e for e in t.events if e["pid"] == 0]
    for marker in [e for e in t.events if e["cat"] == "user_annotation"]:
        inside = [e for e in kept if e["cat"] != "gpu_user_annotation" and marker["ts"] <= e["ts"] < marker["ts"] + marker["dur"]]
        begin, end = min(e["ts"] for e in inside), max(e["ts"] + e["dur"] for e in inside)
        kept.append({**marker, "cat": "gpu_user_annotation", "pid": 0, "tid": 7, "ts": begin, "dur": end - begin})
    t.events = kept
    return t


if __name__ == "__main__":
    save(server(NVIDIA, "cuda"), "engine.json", "NVIDIA H100 80GB HBM3")
    save(alone(server(NVIDIA, "cuda")), "device.json", "NVIDIA H100 80GB HBM3")
    save(server(AMD, "hip", 1.5), "amd.json", "AMD Instinct MI300X")
