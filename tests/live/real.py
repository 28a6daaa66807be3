#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof run`, `top` and `capture` with real frameworks on the CPU, as far as they are installed: `make test-live`.
Attached to as well: `real.py TFPROF [ATTACHES]`, 200 without it, with losses that are equal to the bit to those of an undisturbed run.
real.py TFPROF   TensorFlow of .venv, or of $TFPROF_TENSORFLOW_PYTHON; JAX and torch of $TFPROF_JAX_PYTHON, $TFPROF_TORCH_PYTHON."""
import json
import os
import shutil
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

# Losses of all steps until it is told to stop, or of so many.
TRAIN = """
import hashlib, os, select, sys
{setup}
most, n, all_losses = int(os.environ.get("STEPS", "0")), 0, hashlib.sha256()
loss()
print("ready", flush=True)
while n < most if most else not select.select([0], [], [], 0)[0]:
    all_losses.update(loss().hex().encode())
    n += 1
print(n, all_losses.hexdigest(), len(os.listdir("/proc/self/task")), flush=True)
os._exit(0)
"""
TRAINED = {
    "jax": ("jax", """
import jax, jax.numpy as jnp
x = jnp.sin(jnp.arange(64 * 128.0)).reshape(64, 128)
w = jnp.cos(jnp.arange(128 * 128.0)).reshape(128, 128) / 10
f = jax.jit(jax.value_and_grad(lambda w: jnp.mean((jnp.tanh(x @ w) - 0.3) ** 2)))
def loss():
    global w
    l, g = f(w)
    w = w - 0.1 * g
    return float(l)
"""),
    "tf2": ("tensorflow", """
import tensorflow as tf
x = tf.reshape(tf.sin(tf.range(64 * 128.0)), (64, 128))
w = tf.Variable(tf.reshape(tf.cos(tf.range(128 * 128.0)), (128, 128)) / 10)
@tf.function
def step():
    with tf.GradientTape() as t:
        l = tf.reduce_mean((tf.tanh(x @ w) - 0.3) ** 2)
    w.assign_sub(0.1 * t.gradient(l, w))
    return l
def loss():
    return float(step())
"""),
    "torch": ("torch", """
import torch
x = torch.sin(torch.arange(64 * 128.0)).reshape(64, 128)
w = (torch.cos(torch.arange(128 * 128.0)).reshape(128, 128) / 10).requires_grad_()
sgd = torch.optim.SGD([w], lr=0.1)
def loss():
    sgd.zero_grad()
    l = ((torch.tanh(x @ w) - 0.3) ** 2).mean()
    l.backward()
    sgd.step()
    return float(l)
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


def attached(program, folder, name, framework, setup, attaches):
    """Many attaches to a job that nobody prepared: its losses, threads and modules' files are those of a run without them."""
    script = os.path.join(folder, f"train_{name}.py")
    with open(script, "w", encoding="utf-8") as f:
        f.write(TRAIN.format(setup=setup))
    env = dict(os.environ, TFPROF_RUN_DIR=os.path.join(folder, "run_attach"), CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="3", JAX_PLATFORMS="cpu")
    words = [PYTHONS[framework], script]
    job = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, start_new_session=True)
    try:
        check(f"{name}: starts", job.stdout.readline() == b"ready\n")
        descriptors, stopped = None, []
        for i in range(attaches):
            out = os.path.join(folder, f"attach_{name}_{i}")
            done = subprocess.run([program, "capture", "--attach", str(job.pid), "-o", out, "--ms", "20", "--timeout", "60"], capture_output=True, env=env, check=False)
            with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
                row = json.load(f)["captures"][0]
            check(f"{name}: attach {i}", done.returncode == 0 and row["status"] == "ok" and row["via"] == "attach", row)
            stopped.append(row["stopped_micros"])
            now = len(os.listdir(f"/proc/{job.pid}/fd"))
            descriptors = now if i == 0 else descriptors  # a framework's first session may open files of its own
            check(f"{name}: descriptors {i}", now == descriptors, (now, descriptors))
            shutil.rmtree(out)
        stopped.sort()
        print(f"{name}: {attaches} attaches, held {stopped[len(stopped) // 2]} us in the middle, {stopped[-1]} us at most")
        steps, losses, threads = job.communicate(b"\n", timeout=60)[0].split()
        alone = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(env, STEPS=steps.decode()), check=False, timeout=600).stdout.split()
        check(f"{name}: losses to the bit", alone[1:3] == [steps, losses], (alone, steps, losses, threads))
        check(f"{name}: run folder is empty", not os.listdir(env["TFPROF_RUN_DIR"]), os.listdir(env["TFPROF_RUN_DIR"]))
    finally:
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)
            job.wait()


def main():
    attaches = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    program = os.path.abspath(sys.argv[1])
    found = {f: has(f) for f in PYTHONS}
    for framework, there in found.items():
        if not there:
            print(f"left out: {framework} is not installed")
    with tempfile.TemporaryDirectory() as folder:
        for name, (framework, kind, text) in JOBS.items():
            if found[framework]:
                one(program, folder, name, framework, kind, text)
        for name, (framework, setup) in TRAINED.items():
            if found[framework]:
                attached(program, folder, name, framework, setup, attaches)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
