# SPDX-License-Identifier: Apache-2.0
"""Runs the program once and judges what came of it."""
import gzip
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(os.path.dirname(HERE), "data")
SAMPLE = os.path.join(DATA, "sample")
sys.path.insert(0, DATA)

LINE_MOST = 4096
REPORT_WORDS = re.compile(rb"^Profile:|_TFProfRoot|\(all\)$", re.M)
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")


class Result:
    """The outcome of one run: status (negative: the signal), out, err, seconds, processor seconds, megabytes."""

    def __init__(self, status, out, err, seconds, busy, megabytes):
        self.status, self.out, self.err, self.seconds, self.busy, self.megabytes = status, out, err, seconds, busy, megabytes

    @property
    def lines(self):
        return [line for line in self.err.decode("utf-8", "surrogateescape").split("\n") if line]

    @property
    def errors(self):
        """Lines on stderr except warnings, notes and coverage."""
        return [line for line in self.lines
                if not line.startswith(("tfprof: warning:", "tfprof: note:", "run graph coverage"))]

    @property
    def warnings(self):
        return [line for line in self.lines if line.startswith("tfprof: warning:")]


class Bench:
    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.passed = self.failed = self.told = 0
        self.verbose = bool(os.environ.get("VERBOSE"))
        self.group = ""
        self.folder = tempfile.mkdtemp(prefix="tfprof_bad_")
        with open(self.program, "rb") as f:
            self.sanitised = b"__asan_init" in f.read()
        self.whole = bool(os.environ.get("TFP_WHOLE"))  # in `make fuzz`: all items, of which other runs take a sample
        self.few = self.sanitised and not self.whole
        # processor time, which does not depend on the load of the machine
        self.seconds_most = 40 if self.sanitised else 5
        self.hangs_after = 120 if self.sanitised else 60
        self.megabytes_most = 8192 if self.sanitised else 512
        self.count = 0

    def size(self, of):
        """The size for large inputs: an eighth with sanitizers, because those runs look for other errors than time and
        memory."""
        return of // 8 if self.few else of

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- files ----

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, content, name=None):
        """Writes a file with this content; returns its path."""
        if name is None:
            self.count += 1
            name = "input%d" % self.count
        path = self.path(name)
        with open(path, "wb") as f:
            f.write(content)
        return path

    def sample(self, name):
        path = os.path.join(SAMPLE, name)
        if os.path.exists(path):
            with open(path, "rb") as f:
                return f.read()
        with gzip.open(path + ".gz", "rb") as f:
            return f.read()

    # ---- running ----

    def listed(self, topic):
        """The names that `help TOPIC` lists: "views", "outputs" ..."""
        names = re.findall(r"^  (\w+)(?:  |$)", self.run("help", topic).out.decode(), re.M)
        assert len(names) > 4, names
        return names

    def run(self, *arguments, stdin=None, stdout=None, seconds=None, file_size=None, closed=()):
        """Runs the program. stdin: bytes; stdout: a descriptor instead of a pipe; closed: descriptors to close."""

        def before():
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            if file_size is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
            for fd in closed:
                os.close(fd)

        environment = {k: v for k, v in os.environ.items() if k not in ("LINES", "COLUMNS")}
        environment.update(XDG_STATE_HOME=self.folder, HOME=self.folder)
        start = time.monotonic()
        process = subprocess.Popen([self.program, *arguments], stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
                                   stdout=subprocess.PIPE if stdout is None else stdout, stderr=subprocess.PIPE,
                                   preexec_fn=before, env=environment, cwd=self.folder)
        killer = threading.Timer(seconds or self.hangs_after, process.kill)
        killer.start()
        used = {}

        def wait():
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            used["megabytes"] = usage.ru_maxrss / 1024
            used["busy"] = usage.ru_utime + usage.ru_stime

        streams = {}

        def drain(name, stream):
            streams[name] = stream.read()

        readers = [threading.Thread(target=drain, args=(name, stream)) for name, stream in
                   (("out", process.stdout), ("err", process.stderr)) if stream]
        for reader in readers:
            reader.start()
        if stdin:
            try:
                process.stdin.write(stdin)
                process.stdin.close()
            except BrokenPipeError:
                pass
        wait()
        for reader in readers:
            reader.join()
        killer.cancel()
        return Result(process.returncode, streams.get("out", b""), streams.get("err", b""), time.monotonic() - start,
                      used["busy"], used["megabytes"])

    # ---- judging ----

    def check(self, what, fault, result=None):
        """Counts one check; `fault` is None or False if it passed, else a description of the
        error."""
        if not fault:
            self.passed += 1
            return True
        self.failed += 1
        self.told += 1
        if self.told <= 40:
            print("%s: %s: %s" % (self.group, what, fault))
            if result is not None:
                print("    status %s, %.1f s, %.1f s of processors, stderr %r, stdout %r" %
                      (result.status, result.seconds, result.busy, result.err[:400], result.out[:160]))
        return False

    def unsound(self, r):
        """Behaviour that no run may show, whatever its input; None if all is well."""
        if r.status < 0:
            return "killed by signal %d" % -r.status
        if b"Sanitizer" in r.err or b"runtime error" in r.err or r.status == 99:
            return "sanitizer report"
        if r.busy > self.seconds_most:
            return "took %.1f s of processors" % r.busy
        if r.megabytes > self.megabytes_most:
            return "took %.0f MB" % r.megabytes
        for line in r.lines:
            if len(line.encode("utf-8", "surrogateescape")) > LINE_MOST:
                return "a line of %d bytes on stderr" % len(line)
            if not re.match(r"tfprof: |run graph coverage: ", line):
                return "a line on stderr without the program's name: %r" % line[:80]
        return self.unsafe(r.err, "stderr") or None

    def unsafe(self, data, where):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return "bad UTF-8 on %s" % where
        found = UNSAFE.search(text.replace("\r\n", "\n"))  # CSV lines end with \r\n
        return "control character %r on %s" % (found[0], where) if found else None

    def refused(self, what, r, status, *parts):
        """Checks that the run ended with this status (or one of them), printed an error of one line that
        contains the parts, and no report."""
        wanted = status if isinstance(status, tuple) else (status,)
        fault = self.unsound(r)
        if not fault and r.status not in wanted:
            fault = "status %d instead of %s" % (r.status, "/".join(map(str, wanted)))
        if not fault and len(r.errors) != 1:
            fault = "%d error lines" % len(r.errors)
        if not fault and REPORT_WORDS.search(r.out):
            fault = "a report in spite of the error"
        for part in parts:
            if not fault and part not in r.errors[0]:
                fault = "the error lacks %r" % part
        return self.check(what, fault, r)

    def works(self, what, r, *parts, warns=None, quiet=False):
        """Checks that the run succeeded and printed the parts; `warns`: words of a warning that must be present;
        quiet: there may be no warning."""
        fault = self.unsound(r) or self.unsafe(r.out, "stdout")
        if not fault and r.status != 0:
            fault = "status %d" % r.status
        if not fault and r.errors:
            fault = "an error line"
        for part in parts:
            if not fault and part.encode() not in r.out:
                fault = "the output lacks %r" % part
        for words in ([warns] if isinstance(warns, str) else warns or []):
            if not fault and not any(words in line for line in r.warnings):
                fault = "no warning with %r" % words
        if not fault and quiet and r.warnings:
            fault = "a warning"
        return self.check(what, fault, r)

    def sound(self, what, r, statuses=(0, 1, 4)):
        """Checks that the run kept the promises, with either result: a report, or one error
        line."""
        fault = self.unsound(r) or self.unsafe(r.out, "stdout")
        if not fault and r.status == 0 and r.errors:
            fault = "status 0 with an error line"
        if not fault and r.status not in statuses:
            fault = "status %d" % r.status
        if not fault and r.status and len(r.errors) != 1:
            fault = "%d error lines" % len(r.errors)
        if not fault and r.status and REPORT_WORDS.search(r.out):
            fault = "a report in spite of the error"
        return self.check(what, fault, r)
