#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares tfprof with the newest frameworks: tests/newest/run.py PROGRAM [WORD ...]

Installs the newest wheels into build-newest/venv (again after a day), records small programs with each framework (the *_programs.py
beside this file) and compares every view with the framework's own table. Prints versions, then a line a program with its views, green
or red; status 1 if one is red, 2 if a framework is missing. TFPROF_NEWEST_VENV names another environment, which is used as it is;
WORD picks frameworks: torch, jax, tensorflow, files."""
import glob
import json
import os
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OUT = os.path.join(ROOT, "build-newest")
PROGRAM = os.path.abspath(sys.argv[1])
WHEELS = {"torch": ["torch"], "jax": ["jax"], "tensorflow": ["tensorflow-cpu", "keras"], "files": ["onnx", "safetensors", "numpy"]}
DAY = 24 * 3600
COLOURS = sys.stdout.isatty()


def reachable(host):
    """pip asks an index that cannot be reached five times for each package, which takes minutes."""
    try:
        socket.create_connection((host, 443), timeout=5).close()
        return True
    except OSError:
        return False


def environment(name):
    """The python of a framework; each has an environment of its own, because their requirements differ."""
    given = os.environ.get("TFPROF_NEWEST_VENV")
    if given:
        return os.path.join(given, "bin", "python")
    venv = os.path.join(OUT, "venv", name)
    python, ready = os.path.join(venv, "bin", "python"), os.path.join(venv, "ready")
    if os.path.exists(ready) and time.time() - os.path.getmtime(ready) < DAY:
        return python
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    print(f"newest: installing {', '.join(WHEELS[name])}", flush=True)
    cpu = ["--extra-index-url", "https://download.pytorch.org/whl/cpu"]  # torch without CUDA
    for extra in ([cpu, []] if name == "torch" and reachable("download.pytorch.org") else [[]]):
        if not subprocess.run([python, "-m", "pip", "install", "-q", "-U", "--disable-pip-version-check", *WHEELS[name], *extra], check=False).returncode:
            open(ready, "w", encoding="utf-8").close()
            return python
    return None


def said(*words):
    done = subprocess.run([PROGRAM, *words, "-format", "json"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"status {done.returncode} of {' '.join(words[:2])}: {done.stderr.strip()[-200:]}")
    return json.loads(done.stdout)


def near(got, wanted, part, least=0):
    return abs(got - wanted) <= max(least, part * abs(wanted))


# ---- each comparison: the name of a view -> "" where it is equal, otherwise the difference

def ops_of(path):
    rows = said("op", path, "-select", "cpu_micros,occurrence,float_ops", "-float_ops_source", "own", "-max_depth", "100000")["root"]["children"]
    return {r["name"]: r for r in rows}


def differ(pairs, what):
    wrong = [f"{name} {got} instead of {wanted}" for name, got, wanted, ok in pairs if not ok]
    return f"{what}: {'; '.join(wrong[:3])}" if wrong else ""


MATRICES = ("aten::mm", "aten::bmm", "aten::addmm")


def torch_trace(path, table):
    ops, steps = ops_of(path), said("steps", path)["rows"]
    rows = [r for r in table["rows"] if r["name"].startswith("aten::")]
    counts = [(r["name"], ops.get(r["name"], {}).get("run_count"), r["count"]) for r in rows]
    times = [(r["name"], ops.get(r["name"], {}).get("cpu_exec_micros", 0), r["self_us"], r["count"]) for r in rows]
    flops = [("matrices, convolutions and attention", sum(r["float_ops"] for n, r in ops.items() if n in MATRICES or "conv" in n or "attention" in n), table["flops"])]
    return {"op: count": differ([(n, g, w, g == w) for n, g, w in counts], "counts"),
            "op: time": differ([(n, round(g, 1), round(w, 1), near(g, w, 0.01, 1 + 0.01 * c)) for n, g, w, c in times], "self times"),
            "op: flops": differ([(n, g, w, near(g, w, 0.05)) for n, g, w in flops], "float operations"),
            "steps": differ([("steps", n, table["steps"], n == table["steps"]) for n in [len([r for r in steps if str(r["step"]).isdigit()])]], "")}


def jax_trace(path, table):
    steps = [r for r in said("steps", path)["rows"] if str(r["step"]).isdigit()]
    text = said("flops", path.replace(".xplane.pb", ".hlo.txt"))["summary"]["total_float_ops"]
    traced = said("flops", path)["summary"]["step_float_ops"]
    return {"flops of HLO": "" if near(text, table["flops"], 0.01, 1) else f"{text} instead of {table['flops']:.0f}",
            "flops of the trace": "" if near(traced, text, 0.01, 1) else f"{traced} instead of {text} of the program's text",
            "steps": differ([("steps", len(steps), table["steps"], len(steps) == table["steps"])], "")}


def tensorflow_trace(path, table):
    steps = [r for r in said("steps", path)["rows"] if str(r["step"]).isdigit()]
    return {"steps": differ([("steps", len(steps), table["steps"], len(steps) == table["steps"])], ""), "op": "" if said("op", path)["root"]["children"] else "no operations"}


def tensorflow_graph(path, table):
    own = said("flops", "--graph_path", path)["summary"]["total_float_ops"]
    return {"flops": "" if near(own, table["flops"], 0.02) else f"{own} instead of {table['flops']}"}


def saved_model(path, table):
    s = said("params", path)["summary"]
    return {"params": differ([(n, s.get(k), table[w], s.get(k) == table[w]) for n, k, w in (("all", "params", "params"), ("trained", "trained", "trained")) if k in s], "")}


def onnx_model(path, table):
    s = said("flops", path, "-nodes")
    shapes = {n["name"]: [int(d) for d in n["output_shapes"].split(",")[0].split(":")[1].split("x")] for n in s["rows"] if n["name"] in table["shapes"]}
    params = said("params", path)["summary"]["params"]
    return {"params": "" if params == table["params"] else f"{params} instead of {table['params']}",
            "shapes": differ([(n, shapes.get(n), w, shapes.get(n) == w) for n, w in table["shapes"].items()], "")}


def weights(path, table):
    s = said("params", path)["summary"]
    return {k: "" if s[k] == table[k] else f"{s[k]} instead of {table[k]}" for k in ("params", "bytes")}


KINDS = [("torch", "*.json", torch_trace), ("jax", "*.xplane.pb", jax_trace), ("tensorflow", "*.xplane.pb", tensorflow_trace), ("tensorflow", "*.graph.pb", tensorflow_graph),
         ("tensorflow", "saved", saved_model), ("files", "*.onnx", onnx_model), ("files", "*.safetensors", weights)]


def record(name):
    """The folder of a framework's recordings; None: it is not there."""
    folder, python = os.path.join(OUT, name), environment(name)
    if not python:
        return None
    os.makedirs(folder, exist_ok=True)
    for old in glob.glob(folder + "/*"):
        if os.path.isfile(old):
            os.remove(old)
    done = subprocess.run([python, os.path.join(HERE, name + "_programs.py"), folder], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name}: it could not be recorded: {done.stderr.strip().splitlines()[-1:]}", flush=True)
    return None if done.returncode else folder


def shown(word, red):
    return f"\033[{31 if red else 32}m{word}\033[0m" if COLOURS else word


def compare(name, folder):
    """How many views are green, and how many red."""
    green = red = 0
    with open(os.path.join(folder, "versions"), encoding="utf-8") as f:
        print(f.read(), flush=True)
    for kind, pattern, ask in KINDS:
        for path in sorted(glob.glob(os.path.join(folder, pattern))) if kind == name else []:
            program = os.path.basename(path).split(".", maxsplit=1)[0]
            with open(os.path.join(folder, program + ".table"), encoding="utf-8") as f:
                table = json.load(f)
            try:
                views = ask(path, table)
            except (ValueError, KeyError) as fault:
                views = {"reading": f"{type(fault).__name__} {fault}"}
            print(f"  {os.path.basename(path):24} " + ", ".join(shown(f"{view} {'red (' + why + ')' if why else 'green'}", bool(why)) for view, why in views.items()), flush=True)
            red += sum(bool(why) for why in views.values())
            green += sum(not why for why in views.values())
    return green, red


def main():
    words = sys.argv[2:]
    folders = {name: record(name) for name in WHEELS if not words or name in words}
    sums = [compare(name, folder) for name, folder in folders.items() if folder]
    lacks = [name for name, folder in folders.items() if not folder]
    print(f"newest: {sum(s[0] for s in sums)} views green, {sum(s[1] for s in sums)} red{'; not there: ' + ', '.join(lacks) if lacks else ''}")
    return 1 if any(s[1] for s in sums) else 2 if lacks else 0


if __name__ == "__main__":
    sys.exit(main())
