#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records a small JAX program on the CPU as an XPlane trace: tests/data/frameworks/record_jax.py OUT [PYTHON_TRACER_LEVEL]

    OUT/jax.xplane.pb       the trace: three marked steps. Each step trains a net (scan over layers, remat, grad, named
                           scopes, a while loop) and exchanges data between four CPU devices (psum, ppermute)
    OUT/jax.trace.json.gz  the trace that JAX writes of the same run
    OUT/jax.totals.json    events and nanoseconds by name of that trace

The level is 0, without calls of Python, unless it is given (JAX's default is 1).
Needs jax (recorded with 0.10.2). tests/trace/record.py runs it.
"""
import collections
import decimal
import glob
import gzip
import json
import os
import shutil
import sys
import tempfile

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax.sharding import Mesh, PartitionSpec  # noqa: E402
import numpy as np  # noqa: E402

LAYERS, WIDTH, BATCH, STEPS = 3, 64, 32, 3


def layer(x, w):
    with jax.named_scope("dense"):
        x = x @ w
    with jax.named_scope("activation"):
        return jnp.tanh(x)


def loss(params, x, y):
    with jax.named_scope("layers"):
        x, _ = jax.lax.scan(lambda c, w: (jax.checkpoint(layer)(c, w), None), x, params["layers"])
    with jax.named_scope("head"):
        logits = x @ params["head"]
    return jnp.mean((logits - y) ** 2)


def scale(g):
    """The square root of a norm by Newton's method: a while loop of unknown length."""
    n = jnp.sum(g * g) + 9.0  # far from its square root, so that the loop has several iterations
    return jax.lax.while_loop(lambda s: jnp.abs(s * s - n) > 1e-3 * n, lambda s: 0.5 * (s + n / s), n)


@jax.jit
def train_step(params, x, y):
    value, grads = jax.value_and_grad(loss)(params, x, y)
    with jax.named_scope("sgd"):
        rate = 0.01 / scale(grads["head"])
        return value, jax.tree.map(lambda p, g: p - rate * g, params, grads)


def exchange_on(mesh):
    def body(x):
        with jax.named_scope("exchange"):
            total = jax.lax.psum(x, "d")
            return jax.lax.ppermute(total * x, "d", [(i, (i + 1) % 4) for i in range(4)])

    spec = PartitionSpec("d")
    return jax.jit(jax.shard_map(body, mesh=mesh, in_specs=spec, out_specs=spec))


def totals(path):
    """Events and nanoseconds by name, of complete events of a Chrome trace."""
    with gzip.open(path, "rt", encoding="utf-8") as f:
        events = json.load(f, parse_float=decimal.Decimal)["traceEvents"]
    rows = collections.defaultdict(lambda: [0, 0])
    for e in events:
        if e.get("ph") != "X":
            continue
        row = rows[e["name"]]
        row[0] += 1
        row[1] += int(decimal.Decimal(e.get("dur", 0)) * 1000)
    return {name: rows[name] for name in sorted(rows)}


def main():
    out = sys.argv[1]
    rng = np.random.default_rng(1)
    params = {"layers": jnp.asarray(rng.normal(size=(LAYERS, WIDTH, WIDTH)) * 0.1, jnp.float32),
              "head": jnp.asarray(rng.normal(size=(WIDTH, 8)), jnp.float32)}
    x = jnp.asarray(rng.normal(size=(BATCH, WIDTH)), jnp.float32)
    y = jnp.asarray(rng.normal(size=(BATCH, 8)), jnp.float32)
    exchange = exchange_on(Mesh(np.array(jax.devices()), ("d",)))
    shards = jnp.arange(1024.0).reshape(4, 256)
    for _ in range(2):  # compiles it before recording
        value, params = train_step(params, x, y)
        jax.block_until_ready((params, exchange(shards)))
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    options.host_tracer_level = 2
    folder = tempfile.mkdtemp()
    with jax.profiler.trace(folder, profiler_options=options, create_perfetto_trace=False):
        for step in range(STEPS):
            with jax.profiler.StepTraceAnnotation("train", step_num=step):
                value, params = train_step(params, x, y)
                jax.block_until_ready((value, params, exchange(shards)))
    recorded = glob.glob(folder + "/plugins/profile/*/*")
    os.makedirs(out, exist_ok=True)
    for kind in ("xplane.pb", "trace.json.gz"):
        shutil.copy(next(f for f in recorded if f.endswith("." + kind)), out + "/jax." + kind)
    with open(out + "/jax.totals.json", "w", encoding="utf-8") as f:
        json.dump(totals(out + "/jax.trace.json.gz"), f, indent=0)
        f.write("\n")
    shutil.rmtree(folder)


main()
