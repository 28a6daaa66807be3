#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tfprof run`, `top` and `capture` with real frameworks on the CPU, as far as they are installed: `make test-live`.
real.py TFPROF [ATTACHES [PART...]]   TensorFlow of .venv, or of $TFPROF_TENSORFLOW_PYTHON; JAX and torch of $TFPROF_JAX_PYTHON and
$TFPROF_TORCH_PYTHON. Jobs are prepared ones, one after the other; then ATTACHES (200) attaches to a job of each kind, all kinds side by
side, with losses that are equal to the bit to those of an undisturbed run; then eight jobs, half of them prepared, in one capture of
all. Where it can be made everything runs in a network namespace of its own, since frameworks listen on all addresses, and in a pid
namespace, since `--all` reaches all jobs of a machine."""
import fcntl
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from checks import check, ended

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

# Prints the losses of all steps until it is told to stop; with STEPS, it also prints after each of these numbers of steps
# what it would print at the end.
TRAIN = """
import hashlib, os, select, sys, time
{setup}
marks, n, all_losses = [int(x) for x in os.environ.get("STEPS", "").split(",") if x], 0, hashlib.sha256()
loss()
print("ready", flush=True)
while n < max(marks) if marks else not select.select([0], [], [], 0)[0]:
    all_losses.update(loss().hex().encode())
    n += 1
    if n in marks:
        print(n, all_losses.hexdigest(), flush=True)
    if n % 10 == 0 and not marks:
        time.sleep(0.01)  # an attach finds it asleep, too
if not marks:
    print(n, all_losses.hexdigest(), flush=True)
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
    "tf1": ("tensorflow", """
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
x = tf.reshape(tf.sin(tf.range(64 * 128.0)), (64, 128))
w = tf.get_variable("w", initializer=tf.reshape(tf.cos(tf.range(128 * 128.0)), (128, 128)) / 10)
mean = tf.reduce_mean((tf.tanh(tf.matmul(x, w)) - 0.3) ** 2)
train = tf.train.GradientDescentOptimizer(0.1).minimize(mean)
session = tf.Session()
session.run(tf.global_variables_initializer())
def loss():
    return float(session.run([mean, train])[0])
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
    return float(l.detach())
"""),
}


def has(framework):
    python = PYTHONS[framework]
    return os.access(python, os.X_OK) and subprocess.run([python, "-c", f"import {framework}"], capture_output=True, check=False).returncode == 0


def one(program, folder, name, framework, kind, text):
    script = os.path.join(folder, f"job_{name}.py")
    with open(script, "w", encoding="utf-8") as f:
        f.write(text + LOOP)
    env = environment(folder, "run")
    job = subprocess.Popen([program, "run", "--dir", os.path.join(folder, "out_" + name), "--", PYTHONS[framework], script],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, start_new_session=True)
    try:
        check(f"{name}: starts", job.stdout.readline() == b"ready\n")
        time.sleep(1)  # its first steps compile, and are not what is recorded
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


def environment(folder, run):
    return dict(os.environ, TFPROF_RUN_DIR=os.path.join(folder, run), CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="3", JAX_PLATFORMS="cpu")


def script_of(folder, name):
    script = os.path.join(folder, f"train_{name}.py")
    with open(script, "w", encoding="utf-8") as f:
        f.write(TRAIN.format(setup=TRAINED[name][1]))
    return script


def train(words, env, stderr=subprocess.DEVNULL):
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, env=env, start_new_session=True)


def end(jobs):
    for job in jobs:
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)
        job.communicate()


def capture(program, env, out, *words):
    """The result of the process, and the rows of the manifest."""
    done = subprocess.run([program, "capture", "--attach", "-o", out, "--timeout", "60", *words], capture_output=True, env=env, check=False)
    try:
        with open(os.path.join(out, "manifest.json"), encoding="utf-8") as f:
            return done, json.load(f)["captures"]
    except OSError:
        return done, []


def same_losses(folder, name, told, env):
    """What the jobs printed at their ends equals what an undisturbed job prints after these numbers
    of steps."""
    marks = ",".join(steps.decode() for steps, _ in told)
    words = [PYTHONS[TRAINED[name][0]], script_of(folder, name)]
    alone = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(env, STEPS=marks), check=False, timeout=1800).stdout.split(b"\n")
    for steps, losses in told:
        check(f"{name}: losses to the bit", steps + b" " + losses in alone, (alone, steps, losses))


def attached(program, folder, name, attaches):
    """Many attaches to a job that was not prepared: its losses and descriptors equal those of a run without
    them."""
    framework, env = TRAINED[name][0], environment(folder, "run_" + name)
    with tempfile.TemporaryFile(dir=folder) as stderr:
        job = train([PYTHONS[framework], script_of(folder, name)], env, stderr)
        many_attaches_to(program, folder, name, attaches, job, env)
        # JAX and TensorFlow log the sessions of their own profilers; torch's, which runs in silent mode, prints
        # nothing
        check(f"{name}: nothing on its stderr", framework != "torch" or not stderr.seek(0, 2), stderr.seek(0) or stderr.read(2000))


def many_attaches_to(program, folder, name, attaches, job, env):
    framework, descriptors, stopped, good = TRAINED[name][0], None, [], 0
    try:
        check(f"{name}: starts", job.stdout.readline() == b"ready\n")
        threads = len(os.listdir(f"/proc/{job.pid}/task"))
        for i in range(attaches):
            out = os.path.join(folder, f"attach_{name}_{i}")
            kind, window = ("tf1", ["--steps", "2"]) if name == "tf1" and i % 2 else (None, ["--ms", str(1 + i % 20)])
            done, rows = capture(program, env, out, str(job.pid), *window)
            ok = done.returncode == 0 and len(rows) == 1 and rows[0]["status"] == "ok" and rows[0]["via"] == "attach" and kind in (None, rows[0]["kind"])
            check(f"{name}: attach {i}", ok, (done, rows))
            good += ok
            stopped += [r["stopped_micros"] for r in rows]
            now = len(os.listdir(f"/proc/{job.pid}/fd"))
            descriptors = now if i == 0 else descriptors  # the first session of a framework may open files of its own
            check(f"{name}: descriptors {i}", now == descriptors, (now, descriptors))
            if kind and i < 10:
                shown = subprocess.run([program, "op", out, "-select", "micros,occurrence"], capture_output=True, check=False)
                check(f"{name}: graph and run metadata are read", shown.returncode == 0 and b"MatMul" in shown.stdout, shown)
            shutil.rmtree(out)
            check(f"{name}: lives on {i}", job.poll() is None, job.poll())
            if job.poll() is not None:
                return
        now = len(os.listdir(f"/proc/{job.pid}/task"))
        # frameworks start thread pools of their own
        check(f"{name}: no thread stays", now <= threads + 8, (threads, now))
        told = job.communicate(b"\n", timeout=120)[0].split()
        check(f"{name}: status", job.returncode == 0, job.returncode)
        check(f"{name}: run folder is empty", not os.listdir(env["TFPROF_RUN_DIR"]), os.listdir(env["TFPROF_RUN_DIR"]))
    finally:
        end([job])
    same_losses(folder, name, [told], env)
    stopped.sort()
    print(f"{name}: {good} of {attaches} attaches, held {stopped[len(stopped) // 2]} us in the middle, {stopped[-1]} us at most; {told[0].decode()} steps, "
          f"load {os.getloadavg()[0]:.1f}", flush=True)


def many_attaches(program, folder, found, attaches):
    """All kinds at the same time, so that the jobs and tfprof compete for CPUs."""
    threads = [threading.Thread(target=attached, args=(program, folder, name, attaches)) for name in TRAINED if found[TRAINED[name][0]]]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def mixed(program, folder, found):
    """Two jobs of each kind, one of them started by `run`, in a single capture of all."""
    if not os.environ.get(INSIDE):
        print("left out: a capture of all jobs, which needs a pid namespace")
        return
    env, jobs = environment(folder, "run_mixed"), []
    names = [name for name in TRAINED if found[TRAINED[name][0]]]
    try:
        for name in names:
            words = [PYTHONS[TRAINED[name][0]], script_of(folder, name)]
            jobs += [(name, train(words, env)), (name, train([program, "run", "--dir", os.path.join(folder, "ran_" + name), "--", *words], env))]
        for name, job in jobs:
            check(f"mixed, {name}: starts", job.stdout.readline() == b"ready\n")
        out = os.path.join(folder, "mixed")
        done, rows = capture(program, env, out, "--all", "--align", "--ms", "300")
        check("mixed: all of them", done.returncode == 0 and len(rows) == len(jobs) and all(r["status"] == "ok" for r in rows), (done, rows))
        check("mixed: half by attach, half by agents", sorted(r["via"] for r in rows) == ["agent"] * len(names) + ["attach"] * len(names), rows)
        frameworks = sorted(2 * [TRAINED[name][0] for name in names])
        check("mixed: frameworks", sorted(r["framework"] for r in rows) == frameworks, rows)
        starts = sorted(r["started_unix_micros"] for r in rows)
        print(f"mixed: {len(rows)} jobs, recordings began within {(starts[-1] - starts[0]) / 1000:.1f} ms, load {os.getloadavg()[0]:.1f}", flush=True)
        for r in rows:
            shown = subprocess.run([program, "op", os.path.join(out, os.path.dirname(r["file"] or "none"))], capture_output=True, check=False)
            check(f"mixed, {r['framework']}: opens", shown.returncode == 0 and len(shown.stdout.splitlines()) > 2, shown)
        shown = subprocess.run([program, "op", out], capture_output=True, check=False)
        check("mixed: different jobs are not added up", shown.returncode == 1 and all(str(r["pid"]).encode() in shown.stderr for r in rows), shown)
        told = [(name, job.communicate(b"\n", timeout=120)[0].split()[:2]) for name, job in jobs]
    finally:
        end([job for _, job in jobs])
    for name in names:
        same_losses(folder, name, [t for n, t in told if n == name], env)


def prepared(program, folder, found):
    for name, (framework, kind, text) in JOBS.items():
        if found[framework]:
            one(program, folder, name, framework, kind, text)


# ---- a place of its own ----

INSIDE = "TFPROF_TEST_INSIDE"


def go_inside():
    """Runs the test again in separate namespaces; None if they are not permitted."""
    if os.environ.get(INSIDE):
        return None
    words = ["unshare", "--net", "--pid", "--fork", "--mount-proc", "--kill-child", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
    try:
        subprocess.run([*words, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return subprocess.run([*words, sys.executable, *sys.argv], env={**os.environ, INSIDE: "1"}, check=False).returncode


def loopback_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s, 0x8914, struct.pack("16sh14x", b"lo", 0x41))  # SIOCSIFFLAGS: IFF_UP, IFF_RUNNING


def main():
    status = go_inside()
    if status is not None:
        return status
    if os.environ.get(INSIDE):
        loopback_up()
    attaches = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    parts = sys.argv[3:]
    program = os.path.abspath(sys.argv[1])
    found = {f: has(f) for f in PYTHONS}
    for framework, there in found.items():
        if not there:
            print(f"left out: {framework} is not installed")
    with tempfile.TemporaryDirectory() as folder:
        if not parts or "prepared" in parts:
            prepared(program, folder, found)
        if not parts or "attached" in parts:
            many_attaches(program, folder, found, attaches)
        if not parts or "mixed" in parts:
            mixed(program, folder, found)
    return ended()


if __name__ == "__main__":
    sys.exit(main())
