#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files of deploy/ with the programs that they are for: systemd-analyze, promtool, a Prometheus that scrapes a real agent, stunnel.
run.py TFPROF     What is not installed is left out, and said."""
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
DEPLOY = os.path.join(os.path.dirname(os.path.dirname(HERE)), "deploy")
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "live"))
import fake  # noqa: E402
from checks import until as wait_for  # noqa: E402

TOKEN = "0123456789abcdef0123456789abcdef"
passed = failed = 0


def check(name, ok, what=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f"{name}: {str(what)[:1500]}")


def there(program):
    if not shutil.which(program):
        print(f"left out: {program} is not installed")
    return shutil.which(program)


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120, **more)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def started(*words, **more):
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def fetched(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.read().decode()
    except OSError:
        return ""


def text_of(*names):
    with open(os.path.join(DEPLOY, *names), encoding="utf-8") as f:
        return f.read()


# ---- systemd ----

def systemd(program, folder):
    if not there("systemd-analyze"):
        return
    unit = os.path.join(folder, "tfprof-agent.service")
    with open(unit, "w", encoding="utf-8") as f:
        f.write(text_of("systemd", "tfprof-agent.service").replace("/usr/bin/tfprof", program))
    done = run("systemd-analyze", "verify", "--man=no", unit)
    check("systemd-analyze verify", done.returncode == 0 and not done.stderr, done)
    command = re.search(r"^ExecStart=\S+ (.*)$", text_of("systemd", "tfprof-agent.service"), re.M).group(1).split()
    check("the unit's store", text_of("systemd", "tfprof-agent.service").count("/var/lib/tfprof/watch") == 3 and command[-2] == "--watch", command)
    check("the unit's command", command[0] == "agent" and run(program, *command[:1], "--metrics", "x").returncode == 2, command)


# ---- Kubernetes ----

def kubernetes_schema(objects):
    """Checks against Kubernetes' own schema, which has every field and its type; an unknown field is an
    error."""
    try:
        import kubernetes_validate  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("left out: no kubernetes-validate (PyPI), which has Kubernetes' schema")
        return
    for kind, thing in objects.items():
        try:
            kubernetes_validate.validate(thing, kubernetes_validate.latest_version(), strict=True)
            fault = ""
        except kubernetes_validate.ValidationError as e:
            fault = str(e)
        check(f"{kind} by Kubernetes' schema", not fault, fault)


def kubernetes():
    """Debian has no package with Kubernetes' programs, so this checks the structure, and that references between
    the parts exist."""
    try:
        import yaml  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("left out: no yaml module of Python")
        return
    all_of_it = {d["kind"]: d for d in yaml.safe_load_all(text_of("kubernetes", "daemonset.yaml"))}
    kubernetes_schema(all_of_it)
    check("kinds", set(all_of_it) == {"ServiceAccount", "DaemonSet", "Service"}, list(all_of_it))
    spec = all_of_it["DaemonSet"]["spec"]
    pod, labels = spec["template"]["spec"], spec["template"]["metadata"]["labels"]
    box = pod["containers"][0]
    check("selectors", spec["selector"]["matchLabels"] == labels == all_of_it["Service"]["spec"]["selector"], labels)
    check("names", pod["serviceAccountName"] == all_of_it["ServiceAccount"]["metadata"]["name"])
    check("port", box["ports"][0]["name"] == all_of_it["Service"]["spec"]["ports"][0]["targetPort"] == box["readinessProbe"]["tcpSocket"]["port"])
    check("volumes", {v["name"] for v in pod["volumes"]} == {m["name"] for m in box["volumeMounts"]})
    check("rights", box["securityContext"]["capabilities"] == {"drop": ["ALL"], "add": ["SYS_PTRACE", "DAC_READ_SEARCH", "DAC_OVERRIDE", "PERFMON"]})
    check("the store is on a volume", box["command"][-2:] == ["--watch", box["volumeMounts"][1]["mountPath"] + "/watch"], box["command"])
    run_folder = next(e["value"] for e in box["env"] if e["name"] == "TFPROF_RUN_DIR")
    check("the run folder can be made", run_folder.startswith(box["volumeMounts"][0]["mountPath"] + "/"), run_folder)


# ---- Prometheus and Grafana ----

def queries():
    board = json.loads(text_of("grafana", "tfprof.json"))
    for panel in board["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for at, rule in enumerate(re.findall(r"expr: (?:\|\n)?((?:.+\n?)+?)(?=\s+(?:for|labels|annotations|- ):?|\Z)", text_of("prometheus", "rules.yml"))):
        yield f"rule {at + 1}", rule


def dashboard():
    """Checks the rules of Grafana's JSON model: names, positions in a grid of 24 columns, existing variables."""
    board = json.loads(text_of("grafana", "tfprof.json"))
    check("uid of the dashboard", re.fullmatch(r"[A-Za-z0-9_-]{1,40}", board["uid"]) and board["title"], board["uid"])
    check("its version", board["schemaVersion"] >= 36 and "id" not in board, board["schemaVersion"])
    check("an import keeps one time", re.fullmatch(r"now-\d+[smhd]", board["time"]["from"]) and board["time"]["to"] == "now", board["time"])
    panels, taken = board["panels"], set()
    check("ids of panels", len({p["id"] for p in panels}) == len(panels))
    for p in panels:
        at = p["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        check(f"{p['title']}: its place", cells and not cells & taken and all(0 <= x < 24 for x, _ in cells), at)
        check(f"{p['title']}: its targets", p["type"] in ("table", "timeseries") and p["targets"] and
              len({t["refId"] for t in p["targets"]}) == len(p["targets"]), p["targets"])
        taken |= cells
    known = {v["name"] for v in board["templating"]["list"]}
    used = set(re.findall(r"\$\{?(\w+)", json.dumps(board))) - {"__rate_interval", "__interval", "__range", "__all"}
    check("variables", known and used <= known, used - known)


def prometheus(address, folder):
    """A real Prometheus reads the rules and scrapes the agent; every query of rules and dashboard is valid and uses existing metrics."""
    for words in (("check", "rules", "rules.yml"), ("check", "config", "prometheus.yml"), ("test", "rules", "rules_test.yml")):
        if there("promtool"):
            done = run("promtool", *words, cwd=os.path.join(DEPLOY, "prometheus"))
            check(f"promtool {words[0]} {words[2]}", done.returncode == 0, done.stdout + done.stderr)
    known = set(re.findall(r"^# HELP (\S+)", fetched(f"http://{address}/metrics"), re.M))
    check("metrics of the agent", "tfprof_jobs" in known, known)
    can = known | {"tfprof_job_steps_per_second", "tfprof_job_gpu_ratio", "tfprof_job_gpu_memory_bytes", "tfprof_job_read_bytes_per_second",
                   "tfprof_job_write_bytes_per_second"}  # missing where they are unknown
    for title, query in queries():
        check(f"{title}: its metrics", set(re.findall(r"\btfprof_\w+", query)) <= can, query)
    if not there("prometheus"):
        return
    port = free_port()
    with open(os.path.join(folder, "prometheus.yml"), "w", encoding="utf-8") as f:
        f.write(text_of("prometheus", "prometheus.yml").replace("127.0.0.1:9400", address).replace("rules.yml", os.path.join(DEPLOY, "prometheus", "rules.yml"))
                .replace("15s", "1s"))
    ask = lambda query: json.loads(fetched(f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": query})) or "{}")
    with started("prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{port}"):
        up = wait_for(lambda: [r for r in ask('up{job="tfprof"}').get("data", {}).get("result", []) if r["value"][1] == "1"])
        check("Prometheus scrapes the agent", up, up)
        jobs = wait_for(lambda: ask("tfprof_job_info").get("data", {}).get("result"))
        check("the job is there", jobs and jobs[0]["metric"]["framework"] == "jax", jobs)
        for title, query in queries():
            for name in ("instance", "user", "framework"):
                query = query.replace("$" + name, ".*")
            answer = ask(query)
            check(f"{title}: Prometheus knows the query", answer.get("status") == "success", (query, answer))
            if "_cpu_cores" in query:
                check(f"{title}: it has values", answer["data"]["result"], answer)


# ---- TLS ----

def tls(program, folder, environment):
    """Agent, stunnel, stunnel, tfprof, set up as the README describes."""
    if not there("stunnel") or not there("openssl"):
        return
    made = run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
               "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem")
    check("a certificate", made.returncode == 0, made)
    agent, outside = free_port(), free_port()
    near = f"127.0.0.2:{agent}"  # the port of a tunnel is that of the agent: requests name it
    places = {"/etc/stunnel/key.pem": f"{folder}/key.pem", "/etc/stunnel/cert.pem": f"{folder}/cert.pem", "agent.example": "localhost",
              "127.0.0.1:7461": f"127.0.0.1:{agent}", "0.0.0.0:7462": f"127.0.0.1:{outside}", "localhost:7462": f"localhost:{outside}"}
    for side in "server", "client":
        text = text_of("stunnel", side + ".conf")
        for old, new in places.items():
            text = text.replace(old, new if (side, old) != ("client", "127.0.0.1:7461") else near)
        with open(os.path.join(folder, side + ".conf"), "w", encoding="utf-8") as f:
            f.write("foreground = yes\n" + text)
    environment = dict(environment, TFPROF_TOKEN=TOKEN)
    with started(program, "agent", "--listen", f"127.0.0.1:{agent}", env=environment), \
            started("stunnel", f"{folder}/server.conf"), started("stunnel", f"{folder}/client.conf"):
        top = lambda at: run(program, "top", "--once", "--agent", at, "-format", "json", env=environment)
        done = wait_for(lambda: (r := top(near)).returncode == 0 and r)
        check("top through TLS", done and '"jax"' in done.stdout, done or top(near))
        plain = top(f"127.0.0.1:{outside}")
        check("without TLS nothing answers there", plain.returncode != 0, plain)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        fake.make(os.path.join(folder, "fakes"))
        environment = dict(os.environ, PYTHONPATH=os.path.join(folder, "fakes"), TFPROF_RUN_DIR=os.path.join(folder, "run"))
        systemd(program, folder)
        kubernetes()
        dashboard()
        job = "import jax, time\nfor _ in range(100000): time.sleep(0.01)\n"
        metrics = free_port()
        with started(sys.executable, "-c", job, env=environment), \
                started(program, "agent", "--metrics", str(metrics), "--watch", os.path.join(folder, "store"), env=environment):
            wait_for(lambda: "tfprof_job_info" in fetched(f"http://127.0.0.1:{metrics}/metrics"))
            prometheus(f"127.0.0.1:{metrics}", folder)
            tls(program, folder, environment)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
