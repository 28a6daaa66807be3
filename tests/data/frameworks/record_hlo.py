#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small nets of JAX as HLO, with what XLA's cost_analysis() says of them: tests/data/frameworks/record_hlo.py OUT.json.gz

A list of {name, stage, hlo, stablehlo, flops, transcendentals, bytes}: the stage is "lowered" (as JAX gives it to XLA, with
the StableHLO text of the same) or "compiled" (as XLA runs it on the CPU). tests/trace/recorded.py compares, and tests/trace/record.py makes and compares it anew.
Needs jax (recorded with 0.10.2).
"""
import gzip
import json
import os
import re
import sys

os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402


def f32(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def ints(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.int32)


def mlp(x, w, v):
    return jnp.sum(jax.nn.relu(x @ w) @ v)


def attention(q, k, v):
    s = jax.nn.softmax(jnp.einsum("bhqd,bhkd->bhqk", q, k) / 8.0)
    return jnp.einsum("bhqk,bhkd->bhqd", s, v)


def conv(x, w, groups=1, stride=1, padding="SAME", dilation=1):
    return lax.conv_general_dilated(x, w, (stride, stride), padding, rhs_dilation=(dilation, dilation),
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups)


def norm(x):
    m = jnp.mean(x, -1, keepdims=True)
    return (x - m) * lax.rsqrt(jnp.var(x, -1, keepdims=True) + 1e-5)


def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def rnn(h, xs, w, u):
    return lax.scan(lambda h, x: (jnp.tanh(h @ w + x @ u), None), h, xs)[0]


def newton(x):
    return lax.while_loop(lambda s: jnp.any(jnp.abs(s * s - x) > 1e-3), lambda s: 0.5 * (s + x / s), x)


def branch(p, x, w):
    return lax.cond(p > 0, lambda: jnp.tanh(x @ w), lambda: x * 2.0)


NETS = {
    "mlp": (mlp, f32(32, 64), f32(64, 128), f32(128, 10)),
    "mlp gradient": (jax.grad(mlp, (1, 2)), f32(32, 64), f32(64, 128), f32(128, 10)),
    "attention": (attention, f32(2, 4, 32, 16), f32(2, 4, 32, 16), f32(2, 4, 32, 16)),
    "convolution": (lambda x, w: conv(x, w, padding="VALID"), f32(4, 16, 16, 8), f32(3, 3, 8, 16)),
    "convolution, padded": (conv, f32(4, 16, 16, 8), f32(3, 3, 8, 16)),
    "convolution, strided": (lambda x, w: conv(x, w, stride=2), f32(4, 16, 16, 8), f32(3, 3, 8, 16)),
    "convolution, depthwise": (lambda x, w: conv(x, w, groups=8, padding="VALID"), f32(4, 16, 16, 8), f32(3, 3, 1, 8)),
    "convolution, gradient": (jax.grad(lambda x, w: jnp.sum(conv(x, w, padding="VALID") ** 2), (0, 1)),
                              f32(4, 16, 16, 8), f32(3, 3, 8, 16)),
    "layer norm": (norm, f32(64, 256)),
    "max pool": (pool, f32(4, 16, 16, 8)),
    "max pool, gradient": (jax.grad(lambda x: jnp.sum(pool(x) * 2.0)), f32(4, 16, 16, 8)),
    "embedding gradient": (jax.grad(lambda e, i: jnp.sum(e[i] ** 2)), f32(100, 16), ints(64)),
    "rnn, scanned": (rnn, f32(8, 32), f32(20, 8, 16), f32(32, 32), f32(16, 32)),
    "loop of unknown length": (newton, f32(100)),
    "branches": (branch, ints(), f32(16, 32), f32(32, 32)),
    "fft": (lambda x: jnp.abs(jnp.fft.rfft(x)), f32(8, 256)),
    "sort": (lambda x: jnp.sort(x, -1), f32(8, 256)),
    "cholesky": (lambda x: jnp.linalg.cholesky(x @ x.T + jnp.eye(32)), f32(32, 32)),
    "cumulative sum": (lambda x: jnp.cumsum(x, 1), f32(8, 128)),
    "integers": (lambda x, y: x @ y + x * 3, ints(16, 16), ints(16, 16)),
    "half precision": (lambda x, w: jax.nn.gelu(x.astype(jnp.bfloat16) @ w.astype(jnp.bfloat16)), f32(32, 64), f32(64, 64)),
}


def number(costs, key):
    costs = costs[0] if isinstance(costs, list) else costs
    return int(costs.get(key, 0))


def entry(name, stage, text, costs, stablehlo=None):
    text = re.sub(r"^(\d+) \"/.*/([^/]+)\"$", r'\1 "\2"', text, flags=re.M)  # removes paths of this machine
    text = re.sub(r'source_file="/[^"]*/([^"/]+)"', r'source_file="\1"', text)
    return {"name": name, "stage": stage, "hlo": text, "stablehlo": stablehlo, "flops": number(costs, "flops"),
            "transcendentals": number(costs, "transcendentals"), "bytes": number(costs, "bytes accessed")}


def main():
    rows = []
    for name, (f, *shapes) in NETS.items():
        lowered = jax.jit(f).lower(*shapes)
        compiled = lowered.compile()
        rows.append(entry(name, "lowered", lowered.as_text(dialect="hlo"), lowered.cost_analysis(), lowered.as_text()))
        rows.append(entry(name, "compiled", compiled.as_text(), compiled.cost_analysis()))
    with open(sys.argv[1], "wb") as f, gzip.GzipFile("", "wb", 9, f, 0) as packed:
        packed.write(json.dumps(rows, indent=0).encode())


main()
