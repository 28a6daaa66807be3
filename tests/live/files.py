#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tfprof writes in folders in which another user may write too: nothing lands where that user's links lead. files.py TFPROF
As root the other user is 65534; without root there is none, and only our own links and folders are tried."""
import http.server
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import fake  # noqa: E402
from checks import check, ended, until  # noqa: E402

OTHER = 65534
ROOT = os.geteuid() == 0
TRACE = {"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 5}]}
JAX = "import jax, time\nprint('ready', flush=True)\nfor _ in range(200000): time.sleep(0.002)\n"
def as_other(text, *words):
    """Runs Python as another user, without anything of ours."""
    done = subprocess.run(["/usr/bin/env", "-i", "/usr/bin/python3", "-c", "import os, sys, time\nos.umask(0)\n" + text, *words], check=False,
                          capture_output=True, cwd="/", user=OTHER, group=OTHER, extra_groups=[])
    assert done.returncode == 0, done.stderr


class Place:
    """shared: a folder like /tmp; theirs: a folder of the other user; secret: one of ours."""

    def __init__(self, program, folder):
        self.program, self.folder, self.count = program, folder, 0
        for name, mode in (("shared", 0o1777), ("theirs", 0o755), ("secret", 0o700), ("ours", 0o755)):
            os.mkdir(os.path.join(folder, name))
            os.chmod(os.path.join(folder, name), mode)
        os.chmod(folder, 0o755)
        if ROOT:
            os.chown(os.path.join(folder, "theirs"), OTHER, OTHER)
        fake.make(os.path.join(folder, "fakes"))
        self.env = dict(os.environ, TFPROF_RUN_DIR=os.path.join(folder, "run"), PYTHONPATH=os.path.join(folder, "fakes"),
                        XDG_CACHE_HOME=os.path.join(folder, "cache"))
        self.trace = self.at("ours", "trace.json")
        with open(self.trace, "w", encoding="utf-8") as f:
            json.dump(TRACE, f)
        self.jobs = []

    def at(self, *names):
        return os.path.join(self.folder, *names)

    def name(self, what):
        self.count += 1
        return f"{what}{self.count}"

    def run(self, *words, cwd=None, **more):
        return subprocess.run([self.program, *words], capture_output=True, text=True, check=False, timeout=60, cwd=cwd or self.at("ours"),
                              env={**self.env, **more})

    def job(self):
        script = self.at("ours", self.name("job") + ".py")
        with open(script, "w", encoding="utf-8") as f:
            f.write(JAX)
        job = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, env=self.env, start_new_session=True)
        self.jobs.append(job)
        job.stdout.readline()
        return job

    def secret(self):
        return {name: os.path.getsize(self.at("secret", name)) for name in sorted(os.listdir(self.at("secret")))}


def writers(p, pid):
    """Commands that write to the file `out`, by name."""
    return {
        "report": lambda out: ("report", p.trace, "-o", out),
        "convert": lambda out: ("convert", p.trace, "-o", out),
        "timeline": lambda out: ("timeline", p.trace, "-o", out),
        "op -o": lambda out: ("op", p.trace, "-o", out),
        "-output": lambda out: ("op", p.trace, "-output", f"file:outfile={out}"),
        "-output pprof": lambda out: ("scope", p.trace, "-output", f"pprof:outfile={out}"),
        "--proto_out": lambda out: ("op", p.trace, f"--proto_out={out}"),
        "summary -format json": lambda out: ("summary", p.trace, "-format", "json", "-o", out),
        "top -o": lambda out: ("top", str(pid), "--once", "-o", out),
        "stacks -o": lambda out: ("stacks", str(pid), "--seconds", "0.1", "--idle", "-o", out),
        "stacks -output": lambda out: ("stacks", str(pid), "--seconds", "0.1", "--idle", "-output", f"pprof:outfile={out}"),
    }


def own_files(p, all_writers):
    """Our own links are followed, and our files keep their mode."""
    for name, words in all_writers.items():
        target, link = p.at("ours", p.name("target")), p.at("shared", p.name("own"))
        with open(target, "w", encoding="utf-8") as f:
            f.write("old")
        os.chmod(target, 0o640)
        os.symlink(target, link)
        done = p.run(*words(link))
        check(f"{name}: our own link is followed", done.returncode == 0 and os.path.islink(link) and os.path.getsize(target) > 3 and
              stat.S_IMODE(os.stat(target).st_mode) == 0o640, done)
        new = p.at("shared", p.name("new"))
        done = p.run(*words(new))
        check(f"{name}: a new file", done.returncode == 0 and os.path.getsize(new) > 3, done)
    left = [n for n in os.listdir(p.at("shared")) + os.listdir(p.at("ours")) if ".part" in n]
    check("no temporary file is left", not left, left)


def others_files(p, all_writers):
    before = p.secret()
    victim = p.at("secret", "victim")
    with open(victim, "w", encoding="utf-8") as f:
        f.write("old")
    before = p.secret()
    for name, words in all_writers.items():
        for where in "shared", "theirs":
            link, folder = p.at(where, p.name("link")), p.at(where, p.name("folder"))
            as_other("os.symlink(sys.argv[1], sys.argv[2]); os.symlink(sys.argv[3], sys.argv[4])", victim, link, p.at("secret"), folder)
            for out in link, folder + "/made", folder + "/../secret/made":
                done = p.run(*words(out))
                errors = [line for line in done.stderr.splitlines() if not line.startswith("tfprof: note:")]
                check(f"{name}: another user's link in {where}", done.returncode == 3 and "link of user" in done.stderr and
                      len(errors) == 1 and p.secret() == before, (done, p.secret()))
            dangling = p.at(where, p.name("dangling"))
            as_other("os.symlink(sys.argv[1], sys.argv[2])", p.at("secret", "made"), dangling)
            check(f"{name}: a link to nothing in {where}", p.run(*words(dangling)).returncode == 3 and p.secret() == before)
        fifo, file = p.at("shared", p.name("fifo")), p.at("shared", p.name("file"))
        as_other("os.mkfifo(sys.argv[1], 0o666); open(sys.argv[2], 'w').close()", fifo, file)
        done = p.run(*words(fifo))
        check(f"{name}: another user's pipe", done.returncode == 3, done)
        done = p.run(*words(file))
        about = os.stat(file)
        check(f"{name}: another user's file becomes ours", done.returncode == 0 and about.st_uid == 0 and not about.st_mode & 0o022, about)


def manifest_of(folder):
    return os.path.exists(os.path.join(folder, "manifest.json"))


def folder_verbs(p, pid, agent):
    """Commands that write into a folder; `dir` None: into the default one."""
    def named(flag, folder):
        return [flag, folder] if folder else []
    verbs = {
        "run": lambda folder: ("run", *named("--dir", folder), "--", "true"),
        "run --cuda": lambda folder: ("run", "--cuda", *named("--dir", folder), "--", "true"),
        "capture": lambda folder: ("capture", str(pid), "--ms", "50", *named("-o", folder)),
        "capture --attach": lambda folder: ("capture", str(pid), "--attach", "--ms", "50", *named("-o", folder)),
        "capture --agent": lambda folder: ("capture", "--agent", agent, "--all", *named("-o", folder)),
    }
    if os.uname().machine != "x86_64":
        del verbs["capture --attach"]
    return verbs


def own_folders(p, verbs):
    for name, words in verbs.items():
        new, old, link, full = (p.at("shared", p.name("results")) for _ in range(4))
        done = p.run(*words(new))
        check(f"{name}: a new folder", manifest_of(new) and stat.S_IMODE(os.stat(new).st_mode) == 0o700, done)
        os.mkdir(old, 0o777)
        os.chmod(old, 0o777)
        done = p.run(*words(old))
        check(f"{name}: an old one of ours is closed to others", manifest_of(old) and stat.S_IMODE(os.stat(old).st_mode) == 0o700, done)
        os.mkdir(full, 0o755)
        open(full + "/x", "w", encoding="utf-8").close()
        done = p.run(*words(full))
        check(f"{name}: one that holds something is left as it is", done.returncode == 3 and os.listdir(full) == ["x"] and
              stat.S_IMODE(os.stat(full).st_mode) == 0o755, done)
        os.mkdir(p.at("ours", os.path.basename(link)))
        os.symlink(p.at("ours", os.path.basename(link)), link)
        check(f"{name}: our own link to a folder", p.run(*words(link)) and manifest_of(p.at("ours", os.path.basename(link))))
        p.run(*words(None), cwd=p.at("shared"))
        made = [n for n in os.listdir(p.at("shared")) if n.startswith("tfprof-") and os.stat(p.at("shared", n)).st_uid == os.geteuid()]
        check(f"{name}: the default name", made and all(manifest_of(p.at("shared", n)) for n in made), made)


SQUAT = ("import time\nfor verb in 'capture', 'run', 'live':\n    for k in range(90):\n        n = time.strftime('%Y%m%d-%H%M%S', time.localtime(time.time() + k))\n"
         "        for end in '', '-2', '-3':\n            os.mkdir(sys.argv[1] + '/tfprof-' + verb + '-' + n + end, 0o777)\n")


def others_folders(p, verbs):
    before = p.secret()
    squatted = p.at("squatted")
    os.mkdir(squatted)
    os.chmod(squatted, 0o1777)
    for name, words in verbs.items():
        for entry in os.listdir(squatted):
            if os.stat(os.path.join(squatted, entry)).st_uid == OTHER:
                os.rmdir(os.path.join(squatted, entry))
        as_other(SQUAT, squatted)
        was = set(os.listdir(squatted))
        done = p.run(*words(None), cwd=squatted)
        theirs = [n for n in was if os.listdir(os.path.join(squatted, n)) and os.stat(os.path.join(squatted, n)).st_uid == OTHER]
        made = set(os.listdir(squatted)) - was
        nothing = name == "capture" and not made  # a refused command needs no folder
        check(f"{name}: another name when the default one is taken", not theirs and (nothing or len(made) == 1 and
              manifest_of(os.path.join(squatted, *made))), (done, theirs, made))
        for where in "shared", "theirs":
            folder, link = p.at(where, p.name("folder")), p.at(where, p.name("link"))
            as_other("os.mkdir(sys.argv[1], 0o777); os.symlink(sys.argv[2], sys.argv[3])", folder, p.at("secret"), link)
            done = p.run(*words(folder))
            check(f"{name}: another user's folder in {where}", done.returncode == 3 and "belongs to user" in done.stderr and not os.listdir(folder), done)
            for out in link, link + "/made":
                done = p.run(*words(out))
                check(f"{name}: another user's link in {where}", done.returncode == 3 and "link of user" in done.stderr and p.secret() == before, done)


def moved_meanwhile(p):
    """While the command runs, the folder of results is renamed and a link gets its name: files are still written to
    the folder."""
    open_to_all = p.at("open")
    os.mkdir(open_to_all)
    os.chmod(open_to_all, 0o777)
    before = p.secret()
    out, moved = os.path.join(open_to_all, "r"), os.path.join(open_to_all, "moved")
    script = p.at("ours", "windows.py")
    with open(script, "w", encoding="utf-8") as f:
        f.write("import jax, time\nprint('ready', flush=True)\ntime.sleep(2)\n")  # as long as a window of --every and the next
    with subprocess.Popen([p.program, "run", "--dir", out, "--every", "1s", "--ms", "50", "--cuda", "--", sys.executable, script],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=p.env, cwd=p.at("ours")) as job:
        job.stdout.readline()
        if ROOT:
            as_other("os.rename(sys.argv[1], sys.argv[2]); os.symlink(sys.argv[3], sys.argv[1])", out, moved, p.at("secret"))
        else:
            os.rename(out, moved)
            os.symlink(p.at("secret"), out)
        job.wait()
    check("a folder that was moved gets the manifest", manifest_of(moved) and p.secret() == before, (os.listdir(moved), p.secret()))
    check("its raw files are gone", not os.path.exists(os.path.join(moved, ".cuda")), os.listdir(moved))


def run_folder(p):
    """A run folder of another user: top still works, the other commands name its owner and the
    remedy."""
    runtime = p.at("runtime")
    os.mkdir(runtime)
    os.mkdir(os.path.join(runtime, "tfprof"), 0o700)
    os.chown(os.path.join(runtime, "tfprof"), OTHER, OTHER)
    told = {"XDG_RUNTIME_DIR": runtime, "TFPROF_RUN_DIR": ""}
    done = p.run("top", "--once", "--interval", "0.2", "-format", "json", **told)
    check("top without a run folder", done.returncode == 0 and "belongs to user" in done.stdout, done)
    for words in (("run", "--", "true"), ("capture", "--all", "--ms", "50")):
        done = p.run(*words, **told)
        check(f"{words[0]}: the run folder of another user", done.returncode == 1 and "belongs to user" in done.stderr and "TFPROF_RUN_DIR" in done.stderr and "XDG_RUNTIME_DIR" in done.stderr, done)


def cache(p):
    """A cache of another user is neither read nor written."""
    home = p.at("home")
    os.mkdir(home)
    os.chown(home, OTHER, OTHER)
    before = p.secret()
    as_other("os.mkdir(sys.argv[1] + '/tfprof', 0o777)", home)
    done = p.run("op", p.trace, "--cache", XDG_CACHE_HOME=home)
    check("the cache of another user", done.returncode == 0 and not os.listdir(home + "/tfprof"), (done, os.listdir(home + "/tfprof")))
    as_other("os.rmdir(sys.argv[1] + '/tfprof'); os.symlink(sys.argv[2], sys.argv[1] + '/tfprof')", home, p.at("secret"))
    done = p.run("op", p.trace, "--cache", XDG_CACHE_HOME=home)
    check("a link for the cache", done.returncode == 0 and p.secret() == before, (done, p.secret()))


def killed(p):
    """A killed tfprof leaves nothing in the run folder."""
    if os.uname().machine != "x86_64":
        return
    job = p.job()
    with subprocess.Popen([p.program, "capture", str(job.pid), "--attach", "--ms", "20000", "-o", p.at("ours", p.name("killed"))], env=p.env,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as capture:
        until(lambda: os.path.exists(p.at("run", f"{job.pid}.sock")), 10)
        done = p.run("capture", str(job.pid), "--attach", "--wait", "0", "--ms", "50", "-format", "json", "-o", p.at("ours", p.name("second")))
        check("one attach at a time", '"busy"' in done.stdout or '"agent"' in done.stdout, done)
        capture.send_signal(signal.SIGKILL)
    until(lambda: not os.listdir(p.at("run")), 10)
    check("nothing is left of a killed tfprof", not os.listdir(p.at("run")), os.listdir(p.at("run")))
    check("the job lives", job.poll() is None)


class Agent(http.server.BaseHTTPRequestHandler):
    """An agent of another machine that has recorded one job."""

    def do_POST(self):
        body = b"report 0 3\nok\nfile 1/1.kineto.json 2\n{}file manifest.json 3\n{}\nend\n"
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *unused):
        pass


def main():
    program = os.path.abspath(sys.argv[1])
    os.environ["TFPROF_TOKEN"] = "0123456789abcdef0123456789abcdef"
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Agent)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        p = Place(program, folder)
        try:
            pid = p.job().pid
            all_writers, verbs = writers(p, pid), folder_verbs(p, pid, f"127.0.0.1:{server.server_address[1]}")
            own_files(p, all_writers)
            own_folders(p, verbs)
            moved_meanwhile(p)
            killed(p)
            if ROOT:
                others_files(p, all_writers)
                others_folders(p, verbs)
                run_folder(p)
                cache(p)
        finally:
            for job in p.jobs:
                job.kill()
                job.wait()
    server.shutdown()
    return ended()


if __name__ == "__main__":
    sys.exit(main())
