# SPDX-License-Identifier: Apache-2.0
"""tests/newest/jax_programs.py OUT: records small programs of JAX, each with XLA's own cost analysis beside its trace."""
import glob
import json
import os
import shutil
import sys
import tempfile

os.environ["JAX_PLATFORMS"] = "cpu"
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

OUT = sys.argv[1]


def record(name, function, *args, runs=3, loops=1):
    jitted = jax.jit(function)
    compiled = jitted.lower(*args).compile()
    cost = compiled.cost_analysis()
    jax.block_until_ready(jitted(*args))
    folder = tempfile.mkdtemp()
    with jax.profiler.trace(folder):
        for step in range(runs):
            with jax.profiler.StepTraceAnnotation("train", step_num=step):
                jax.block_until_ready(jitted(*args))
    shutil.move(glob.glob(folder + "/**/*.xplane.pb", recursive=True)[0], os.path.join(OUT, name + ".xplane.pb"))
    with open(os.path.join(OUT, name + ".hlo.txt"), "w", encoding="utf-8") as f:
        f.write(compiled.as_text())
    with open(os.path.join(OUT, name + ".table"), "w", encoding="utf-8") as f:
        json.dump({"flops": (cost[0] if isinstance(cost, list) else cost).get("flops", 0) * loops, "steps": runs}, f)


def loss(w, x):
    return jnp.sum(jnp.maximum(x @ w, 0) @ w.T)


def scanned(x):
    return jax.lax.scan(lambda c, _: (c @ x, None), x, None, length=5)[0]


key = jax.random.PRNGKey(1)
x, w = jax.random.normal(key, (32, 32)), jax.random.normal(key, (32, 32))
record("matmul", lambda a, b: a @ b, x, w)
record("grad", jax.grad(loss), w, x)
record("scan", scanned, x, loops=5)  # XLA counts the body of a loop once
record("conv", lambda a, k: jax.lax.conv(a, k, (1, 1), "VALID"), jax.random.normal(key, (1, 3, 16, 16)), jax.random.normal(key, (8, 3, 3, 3)))
record("vmap", jax.vmap(lambda a: a @ a.T), jax.random.normal(key, (4, 8, 8)))
with open(os.path.join(OUT, "versions"), "w", encoding="utf-8") as f:
    f.write(f"jax {jax.__version__}")
