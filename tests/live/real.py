#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof run`, `top` and `capture` with real frameworks on the CPU, as far as they are installed: `make test-live`.
real.py TFPROF   TensorFlow of .venv, or of $TFPROF_TENSORFLOW_PYTHON; JAX and torch of $TFPROF_JAX_PYTHON, $TFPROF_TORCH_PYTHON."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHONS = {"tensorflow": os.environ.get("TFPROF_TENSORFLOW_PYTHON", os.path.join(ROOT, ".venv", "bin", "python")),
           "jax": os.environ.get("TFPROF_JAX_PYTHON", ""), "torch": os.environ.get("TFPROF_TORCH_PYTHON", "")}
LOOP = """
import time
end = time.time() + 120
print("ready", flush=True)
while time.time() < end:
    step()
"""
JOBS = {
    "jax": ("jax", "xspace", """
import jax, jax.numpy as jnp
f = jax.jit(lambda x: jnp.tanh(x @ x) / 100)
x = jnp.ones((256, 256))
def step():
    f(x).block_until_ready()
"""),
    "tf2": ("tensorflow", "xspace", """
import tensorflow as tf
w = tf.Variable(tf.ones([256, 256]))
@tf.function
def f():
    return tf.reduce_sum(tf.tanh(w @ w))
def step():
    float(f())
"""),
    "tf1": ("tensorflow", "tf1", """
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
y = tf.tanh(tf.matmul(tf.ones([256, 256]), tf.ones([256, 256])), name="act")
s = tf.Session()
def step():
    s.run(y)
"""),
    "torch": ("torch", "kineto", """
import torch
net = torch.nn.Linear(64, 64)
sgd = torch.optim.SGD(net.parameters(), lr=0.01)
x = torch.ones(32, 64)
def step():
    sgd.zero_grad()
    net(x).sum().backward()
    sgd.step()
"""),
}

passed = failed = 0


def check(name, ok, what=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f"{name}: {str(what)[:1500]}")


def has(framework):
    python = PYTHONS[framework]
    return os.access(python, os.X_OK) and subprocess.run([python, "-c", f"import {framework}"], capture_output=True, check=False).returncode == 0


def one(program, folder, name, framework, kind, text):
    script = os.path.join(folder, f"job_{name}.py")
    with open(script, "w", encoding="utf-8") as f:
        f.write(text + LOOP)
    env = dict(os.environ, TFPROF_RUN_DIR=os.path.join(folder, "run"), CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="3", JAX_PLATFORMS="cpu")
    job = subprocess.Popen([program, "run", "--dir", os.path.join(folder, "out_" + name), "--", PYTHONS[framework], script],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, start_new_session=True)
    try:
        check(f"{name}: starts", job.stdout.readline() == b"ready\n")
        time.sleep(1)
        words = ["--steps", "5"] if name in ("tf1", "torch") else ["--ms", "300"]
        out = os.path.join(folder, "rec_" + name)
        done = subprocess.run([program, "capture", os.path.basename(script), "-o", out, *words, "--timeout", "60"], capture_output=True, env=env, check=False)
        with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
            rows = json.load(f)["captures"]
        check(f"{name}: captured", done.returncode == 0 and [r["kind"] for r in rows] == [kind] and rows[0]["framework"] == framework, (done, rows))
        shown = subprocess.run([program, "op", out, "-format", "json"], capture_output=True, check=False)
        check(f"{name}: opens", shown.returncode == 0 and b"MatMul" in shown.stdout or b"mm" in shown.stdout or b"dot" in shown.stdout, shown)
        table = subprocess.run([program, "top", "--once", "--interval", "2", os.path.basename(script), "-format", "json"], capture_output=True, env=env, check=False)
        row = json.loads(table.stdout)["rows"][0]
        check(f"{name}: top", row["capture"] == "agent" and row["framework"] == framework and row["version"], row)
        steps = {"tf1": "session runs", "torch": "optimizer steps"}.get(name)
        check(f"{name}: steps", steps is None or (row["steps_are"] == steps and row["steps_per_second"] > 1), row)
    finally:
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()


def main():
    program = os.path.abspath(sys.argv[1])
    found = {f: has(f) for f in PYTHONS}
    for framework, there in found.items():
        if not there:
            print(f"left out: {framework} is not installed")
    with tempfile.TemporaryDirectory() as folder:
        for name, (framework, kind, text) in JOBS.items():
            if found[framework]:
                one(program, folder, name, framework, kind, text)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
