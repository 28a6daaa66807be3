# SPDX-License-Identifier: Apache-2.0
# The part of tfprof that runs in a job: it counts steps, and records on request. One thread waits on a unix socket of the run
# folder; a closed connection ends a recording. Only modules that the interpreter brings are used, found where it keeps them:
# a socket.py beside train.py is not ours. Python 3.8 and later.
#
# A request is a line "capture ms=500 steps=0 host=2 python=0 wait=10 align=0" or "info" or "snap". With align=1 the client
# sends a second line, "start UNIX_MICROS", after the agent has answered "ready". The agent answers with these lines:
#     waits                              another recording runs, or the job's own profiler
#     ready                              with align=1: all is prepared, the moment may be told
#     started UNIX_MICROS                recording has begun
#     file NAME SIZE                     and that many bytes
#     done KIND WINDOW_MICROS WAITED_MICROS FRAMEWORK STALLED_MICROS
#     error CODE MESSAGE


class Agent:
    def __init__(self, run_folder):
        self.run_folder, self.out, self.out_id, self.here, self.run, self.job = run_folder, None, None, None, "", 0
        self.every, self.every_seconds, self.at, self.steps_each, self.ms, self.signal = 0, 0.0, (), 1, 500, 0
        self.lock = _thread.allocate_lock()  # held while a recording runs, so that only one runs at a time
        self.holder, self.server, self.loaded, self.kept = "", None, [], 0
        self.steps, self.alive, self.leave, self.stalls = Steps(self), False, False, Stalls()
        self.patience = 5.0  # seconds to wait for a request's line
        self.python_level, self.owed = 0, False

    def path(self, end):
        return "%s/%d%s" % (self.run_folder, os.getpid(), end)

    def say(self, text):
        sys.stderr.write("tfprof: %s\n" % text)

    # Takes over the settings of the command line: lines KEY=VALUE.
    def take(self, here, settings):
        words = dict(line.split("=", 1) for line in settings.split("\n") if "=" in line)
        self.here, self.out, self.out_id, self.run = here, words.get("out"), words.get("out_id"), words.get("run", "")
        every = words.get("every", "")
        if every.endswith("s"):
            self.every_seconds = float(every[:-1])
        elif every:
            self.every = int(every)
        self.at = tuple(int(n) for n in words.get("at", "").split(",") if n)
        self.steps_each, self.ms = int(words.get("steps") or 1), int(words.get("ms") or 500)
        self.signal, self.python_level = int(words.get("signal") or 0), int(words.get("python") or 0)

    # ---- being found ----
    def publish(self):
        about = {"agent": 1, "pid": os.getpid(), "start_ticks": start_ticks(), "framework": "|".join(sorted(self.loaded)),
                 "version": {n: str(getattr(sys.modules.get(n), "__version__", "")) for n in self.loaded},
                 "argv": list(getattr(sys, "argv", [])), "cwd": os.getcwd(), "steps_are": self.steps.what, "run": self.run}
        folder = open_own(self.run_folder)
        try:
            write_whole(folder, "%d.json" % os.getpid(), quote(about).encode())
        finally:
            os.close(folder)

    def open(self):
        name, folder = "%d.sock" % os.getpid(), open_own(self.run_folder)
        server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
        try:
            remove(self.path(".sock"))
            server.bind("/proc/self/fd/%d/%s" % (folder, name))
            os.chmod(name, 0o600, dir_fd=folder)
        finally:
            os.close(folder)
        server.listen(16)
        self.server, self.alive = server, True
        self.publish()

    def close(self):
        self.alive = False
        for end in (".sock", ".json", ".steps", ".tmp", ".tmp.json"):
            remove(self.path(end))

    def serve(self, delay=0):
        if delay:
            time.sleep(delay)
        try:
            self.open()
        except Exception as wrong:
            self.say("no agent: %s" % one_line(wrong))
            return
        if self.every_seconds and self.out:
            _thread.start_new_thread(self.windows, ())
        while not self.leave:
            try:
                fd, _ = self.server._accept()
            except OSError:
                if not self.alive:
                    return
                time.sleep(0.1)  # no descriptor is left: try again later
                continue
            peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, fd)
            _thread.start_new_thread(self.answer, (peer,))

    def after_fork(self):
        """A forked child inherits none of our threads. It gets an agent of its own if it goes on
        without an exec."""
        if self.server is not None:
            self.server.close()
        self.server, self.alive, self.lock, self.kept = None, False, _thread.allocate_lock(), 0
        steps = self.steps
        if steps.fd >= 0:
            os.close(steps.fd)
        steps.fd, steps.count, steps.session, steps.settings, steps.what = -1, 0, None, None, None
        _thread.start_new_thread(self.serve_child, ())

    def serve_child(self):
        self.serve(0.05)

    # ---- requests ----
    def answer(self, peer):
        try:
            peer.settimeout(self.patience)
            uid = int.from_bytes(peer.getsockopt(_socket.SOL_SOCKET, 17, 12)[4:8], sys.byteorder)  # SO_PEERCRED
            line = b""
            while not line.endswith(b"\n") and len(line) < 4096 and uid in (0, os.getuid()):
                got = peer.recv(1)
                if not got:
                    return
                line += got
            words = line.decode("ascii", "replace").split()
            peer.settimeout(None)
            if words[:1] == ["info"]:
                peer.sendall(("file info.json %d\n" % os.stat(self.path(".json")).st_size).encode())
                with open(self.path(".json"), "rb") as f:
                    peer.sendall(f.read())
                peer.sendall(b"done info 0 0 -\n")
            elif words[:1] == ["snap"]:
                self.on_signal()
                peer.sendall(b"done snap 0 0 -\n")
            elif words[:1] == ["capture"]:
                self.capture(peer, dict(w.split("=", 1) for w in words[1:] if "=" in w))
            else:
                raise Refused("protocol", "the agent knows no such request")
        except Refused as no:
            self.refuse(peer, no.code, no)
        except Exception as wrong:
            self.refuse(peer, "protocol", "%s: %s" % (type(wrong).__name__, wrong))
        finally:
            peer.close()

    def refuse(self, peer, code, message):
        try:
            peer.sendall(("error %s %s\n" % (code, one_line(message))).encode("utf-8", "replace"))
        except OSError:
            pass

    def framework(self):
        """The framework that records: the first loaded one whose profiler works."""
        loaded = [n for n in FRAMEWORKS if n in sys.modules]
        if len(loaded) < 2:
            if not loaded:
                raise Refused("no-framework", "it has loaded none of JAX, TensorFlow and torch")
            return loaded[0]
        if "torch" in loaded and self.steps.what == "optimizer steps" and self.steps.count:
            return "torch"
        bridge = sys.modules.get("jax._src.xla_bridge")
        if "jax" in loaded and getattr(bridge, "_backends", None):
            return "jax"
        return next(n for n in ("tensorflow", "torch", "jax") if n in loaded)

    def gone(self, peer, seconds):
        """Waits for some seconds. True: the other side closed the connection meanwhile."""
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if not select.select([peer], [], [], max(0.0, min(left, 0.25)))[0]:
                if left <= 0:
                    return False
                continue
            try:
                if not peer.recv(64):
                    return True
            except OSError:  # the other side closed it before it had read all bytes
                return True

    def moment(self, peer):
        """Reads the line "start UNIX_MICROS", the moment to begin. None: the other side closed the
        connection."""
        line = b""
        while not line.endswith(b"\n"):
            got = peer.recv(1)
            if not got or len(line) > 64:
                return None
            line += got
        return int(line.split()[1]) / 1e6

    def take_lock(self, peer, seconds):
        if self.lock.acquire(False):
            return 0.0
        since = time.monotonic()
        peer.sendall(b"waits\n")
        while not self.lock.acquire(False):
            if time.monotonic() - since >= seconds:
                raise Refused("busy", "another recording runs in it%s" % (": " + self.holder if self.holder else ""))
            if self.gone(peer, 0.02):
                return -1.0
        return time.monotonic() - since

    def capture(self, peer, words):
        settings = {"ms": float(words.get("ms", 500)), "steps": int(words.get("steps", 0)), "host": int(words.get("host", 2)),
                "python": int(words.get("python", 0)), "wait": float(words.get("wait", 10)), "align": words.get("align") == "1"}
        name = self.framework()
        waited = self.take_lock(peer, settings["wait"])
        if waited < 0:
            return
        self.holder = "a capture since %s" % time.strftime("%H:%M:%S")
        self.stalls = Stalls()
        self.lend_thread()
        try:
            if settings["steps"]:
                self.capture_steps(peer, name, settings, waited)
            else:
                self.capture_window(peer, name, settings, waited)
        finally:
            self.begin_thread()
            self.holder = ""
            self.lock.release()

    def begin_thread(self):
        """Called when a thread of the agent begins, and when a framework gives the thread back."""

    def lend_thread(self):
        """Called before a framework works in this thread: threads that the framework starts now are
        not the agent's."""

    def capture_window(self, peer, name, settings, waited):
        """Records for a time, beginning at the moment that all processes share, if there is one. While the job's own
        profiler is on, it waits for that to end."""
        session, busy_since = SESSIONS[name](self, settings), None
        if settings["align"]:
            session.prepare()
            peer.sendall(b"ready\n")
            at = self.moment(peer)
            if at is None or self.gone(peer, max(0.0, at - time.time())):
                session.drop()
                return
        while True:
            begin = time.monotonic()
            try:
                with self.stalls:
                    session.begin()
                break
            except Exception as wrong:
                if not (isinstance(wrong, Refused) and wrong.code == "profiling" or "session" in str(wrong).lower()):
                    raise
                if not busy_since:
                    busy_since = begin
                    peer.sendall(b"waits\n")
                if begin - busy_since + waited >= settings["wait"]:
                    raise Refused("profiling", "the job's own profiler is on: %s" % one_line(wrong, 200))
            if self.gone(peer, 0.2):
                return
        started, begin = micros(), time.monotonic()
        waited += begin - busy_since if busy_since else 0.0
        try:
            peer.sendall(b"started %d\n" % started)
            ended = self.gone(peer, settings["ms"] / 1e3)
        except OSError:
            ended = True
        if ended:
            session.drop()
            return
        window = int((time.monotonic() - begin) * 1e6)
        with self.stalls:
            files = session.stop()
        self.send(peer, files, session.kind, window, waited, name)

    def capture_steps(self, peer, name, settings, waited):
        steps = self.steps
        if steps.what is None or (name == "jax") or (name == "tensorflow" and not steps.count):
            raise Refused("no-steps", "%s has no step that could be counted: use --ms" % name)
        settings.update(begun=False, left=settings["steps"], files=[], window=0, done=_thread.allocate_lock(), error=None, started=0,
                    session=None)
        settings["done"].acquire()
        steps.settings, told = settings, False
        try:
            while not settings["done"].acquire(False):
                if settings["started"] and not told:
                    told = True
                    peer.sendall(b"started %d\n" % settings["started"])
                if self.gone(peer, 0.005):
                    return
        finally:
            if steps.settings is settings:
                steps.settings = None
                session, steps.session = steps.session, None
                if session is not None:
                    session.drop()
        if settings["error"] is not None:
            raise settings["error"]
        if not told:
            peer.sendall(b"started %d\n" % settings["started"])
        if settings["session"] is not None:
            with self.stalls:
                settings["files"] = settings["session"].stop()
        self.send(peer, settings["files"], "tf1" if name == "tensorflow" else "kineto", settings["window"], waited, name)

    def send(self, peer, files, kind, window, waited, name):
        for end, data in files:
            if isinstance(data, str):
                self.send_file(peer, end, data)
            else:
                peer.sendall(b"file %s %d\n" % (end.encode(), len(data)))
                peer.sendall(data)
        peer.sendall(b"done %s %d %d %s %d\n" % (kind.encode(), window, int(waited * 1e6), name.encode(), int(self.stalls.longest * 1e6)))

    def send_file(self, peer, end, path):
        """Sends the file in pieces, so that it is never whole in the job's memory."""
        try:
            with open(path, "rb", 0) as f:
                left = os.fstat(f.fileno()).st_size
                peer.sendall(b"file %s %d\n" % (end.encode(), left))
                while left > 0:
                    piece = f.read(min(left, 1 << 20))
                    if not piece:
                        raise OSError("the recording was cut while it was sent")
                    peer.sendall(piece)
                    left -= len(piece)
        finally:
            remove(path)

    # ---- what run --every and --on-signal record: files of the command's folder ----
    def row(self, framework, kind, **more):
        row = {"target": str(os.getpid()), "job": "%d@%d" % self.job_key(), "pid": os.getpid(), "framework": framework,
               "via": "agent", "status": "ok", "code": None, "message": None, "kind": kind, "file": None, "bytes": None,
               "started_unix_micros": None, "window_micros": None, "stopped_micros": 0, "waited_micros": 0, "stalled_micros": None,
               "user": self.user(),
               "version": str(getattr(sys.modules.get(framework), "__version__", "")) or None,
               "command": command(), "start_ticks": start_ticks()}
        if os.environ.get("RANK", "").isdigit():
            row["rank"] = int(os.environ["RANK"])
        row.update(more)
        fd = open_below(self.here, "%d.rows" % os.getpid(), os.O_WRONLY | os.O_APPEND)
        os.write(fd, quote(row).encode() + b"\n")
        os.close(fd)

    def user(self):
        try:
            return _module("pwd").getpwuid(os.getuid()).pw_name
        except KeyError:
            return str(os.getuid())

    def job_key(self):
        first, _, ticks = os.environ.get("TFPROF_JOB", "").partition("@")
        if first.isdigit() and ticks.isdigit():
            return int(first), int(ticks)
        return os.getpid(), start_ticks()

    def keep(self, framework, kind, files, started, window):
        """Writes files into the job's folder, with a manifest row for each. The graph of TensorFlow 1 is written beside
        its runs."""
        if not self.out:
            return
        job = str(self.job_key()[0])
        folder = self.open_job(job)
        try:
            for name, data in files:
                if name.startswith("."):
                    name = "%d%s" % (os.getpid(), name)
                elif str(os.getpid()) != job:
                    name = "%d_%s" % (os.getpid(), name)
                size = keep_whole(folder, name, data)
                self.kept += 1
                if not name.endswith("graph.pb"):
                    self.row(framework, kind, file=job + "/" + name, bytes=size, started_unix_micros=started, window_micros=window,
                             stalled_micros=int(self.stalls.longest * 1e6))
        finally:
            os.close(folder)

    def open_job(self, job):
        """The job's folder below the results, made by the first of its processes that records."""
        out = open_own(self.out, self.out_id)
        try:
            try:
                os.mkdir(job, 0o700, dir_fd=out)
            except FileExistsError:
                pass
            return os.open(job, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=out)
        finally:
            os.close(out)

    def window(self, why):
        try:
            self.mark(why)
            name = self.framework()
            self.stalls = Stalls()
            with self.stalls:
                session, started = recording(name, self, {"host": 2, "python": self.python_level}), micros()
            time.sleep(self.ms / 1e3)
            with self.stalls:
                window, files = micros() - started, session.stop()
            number = ".%d" % (self.kept + 1) if self.kept else ""
            self.keep(name, session.kind, [(number + end, data) for end, data in files], started, window)
        except Exception as wrong:
            self.say("no window at the %s: %s" % (why, one_line(wrong)))
        finally:
            self.lock.release()

    def windows(self):
        while self.alive:
            time.sleep(self.every_seconds)
            if self.out and self.lock.acquire(False):
                self.window("interval")

    def on_signal(self, *unused):
        """Records in a thread of its own; before a framework is loaded, when the first one is. The lock is taken before the thread
        starts, so that the end of the process waits for the recording."""
        self.owed = not self.loaded
        if self.loaded and self.out and self.lock.acquire(False):
            _thread.start_new_thread(self.window, ("signal",))

    def at_exit(self):
        try:
            if self.lock.acquire(True, 30.0):  # waits for a recording that another thread is writing
                self.lock.release()
            if (self.every or self.at) and self.out and not self.kept:
                name = self.framework()
                if name == "jax" or (name == "tensorflow" and not self.steps.count):
                    self.row(name, None, status="refused", code="no-steps", started_unix_micros=None,
                             message="%s has no step of its own: --every Ns takes a window every N seconds" % name)
        except Exception:
            pass
        self.close()

    # ---- frameworks as they are imported ----
    def on_import(self, name):
        first = not self.loaded
        self.loaded.append(name)
        if first:
            if "TFPROF_JOB" not in os.environ:
                os.environ["TFPROF_JOB"] = "%d@%d" % (os.getpid(), start_ticks())
            self.mark("framework")
            _module("atexit").register(self.at_exit)
            os.register_at_fork(after_in_child=self.after_fork)
            _thread.start_new_thread(self.serve, ())
        else:
            self.publish()
        if name == "torch":
            self.steps.watch_torch()
        elif name == "tensorflow":
            self.steps.watch_sessions()
        if self.owed:
            self.on_signal()

    def mark(self, what):
        os.close(open_below(self.here, "%d.%s" % (os.getpid(), what), os.O_WRONLY))
