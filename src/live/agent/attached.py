# SPDX-License-Identifier: Apache-2.0
# The agent that `tfprof capture --attach` starts in a running process. It serves until the last connection is closed, or until tfprof
# is gone, and leaves nothing behind: no thread, no descriptor, no module, no file, no hook. Nothing is printed: the process knows
# nothing of us. `folder`, `watch`, `until` and `keep` come from tfprof.

MARK = "tfprof-agent"  # the name of the agent's threads; tfprof sees by it when they have ended


class Attached(Agent):
    def __init__(self, run_folder):
        Agent.__init__(self, run_folder)
        self.loaded = [n for n in FRAMEWORKS if n in sys.modules]
        self.pid, self.busy, self.bell, self.ending = os.getpid(), 0, (-1, -1), False
        self.made_folder, self.left = False, _thread.allocate_lock()
        self.left.acquire()
        self.patience = 600.0  # long, because --align sends its request only when every process is there

    def say(self, text):
        pass

    def wanted(self):
        """Whether tfprof may still connect."""
        pid, ticks = watch
        if time.time() > until:
            return False
        if not pid:
            return True
        try:
            with open("/proc/%d/stat" % pid, "rb") as f:
                return int(f.read().rpartition(b")")[2].split()[19]) == ticks
        except OSError:
            return False

    def open(self):
        try:
            os.mkdir(self.run_folder, 0o700)
            self.made_folder = True
        except FileExistsError:
            pass
        Agent.open(self)  # open() refuses a folder that belongs to another user

    def close(self):
        Agent.close(self)
        if self.made_folder:
            try:
                os.rmdir(self.run_folder)
            except OSError:
                pass  # other threads use it by now

    def serve(self, delay=0):
        self.begin_thread()
        if not self.wanted():
            return
        exits = sys.modules.get("atexit")  # in Python 3.8 and 3.9 a second handler of ours would replace the first
        if exits is not None:
            exits.register(self.at_exit)
        try:
            self.bell = os.pipe2(os.O_CLOEXEC)
            self.open()
            self.accept_all()
        finally:
            for fd in self.bell:
                if fd >= 0:
                    os.close(fd)
            if self.server is not None:
                self.server.close()
            if self.steps.fd >= 0:
                os.close(self.steps.fd)
            self.close()
            if exits is not None:
                exits.unregister(self.at_exit)
            self.end_thread()
            self.left.release()

    def accept_all(self):
        served = False
        while not self.ending or self.busy:
            ready = select.select([self.server, self.bell[0]], [], [], 0.25)[0]
            if self.bell[0] in ready:
                self.busy -= len(os.read(self.bell[0], 64))
            if self.server in ready and not self.ending:
                fd, _ = self.server._accept()
                served, self.busy = True, self.busy + 1
                _thread.start_new_thread(self.answer_one, (_socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, fd),))
            elif not self.busy and not keep and (served or not self.wanted()):
                return

    def answer_one(self, peer):
        self.begin_thread()
        try:
            self.answer(peer)
        finally:
            self.end_thread()
            os.write(self.bell[1], b"x")  # the last thing that this thread does

    def begin_thread(self):
        # thread-self, not a number: /proc may show the numbers of another namespace
        with open("/proc/thread-self/comm", "w") as f:
            f.write(MARK)

    def lend_thread(self):
        """Kineto and others start threads that outlive the recording and inherit the name of the
        thread that starts them. So this thread gives up its name first."""
        with open("/proc/self/comm", "rb") as f:
            name = f.read().strip() or b"python"
        with open("/proc/thread-self/comm", "wb") as f:
            f.write(name)

    def end_thread(self):
        """Frameworks ask `threading` for the current thread, which makes an entry for it. The entry
        is removed here."""
        threading = sys.modules.get("threading")
        if threading is not None:
            threading._active.pop(_thread.get_ident(), None)

    def at_exit(self):
        """Called when the process ends. A thread that is still in a framework's code when the interpreter shuts down would
        crash the process."""
        if os.getpid() != self.pid:
            return
        self.ending = True
        self.left.acquire(True, 2.0)

    def gone(self, peer, seconds):
        return Agent.gone(self, peer, seconds) or self.ending

    # Steps are counted from the first request for them until that request ends.
    def capture_steps(self, peer, name, settings, waited):
        steps = self.steps
        if name == "torch":
            steps.watch_torch()
        elif name == "tensorflow":
            steps.watch_sessions()
        try:
            end = time.monotonic() + 2
            while name != "jax" and not steps.count and time.monotonic() < end:
                if self.gone(peer, 0.005):
                    return
            Agent.capture_steps(self, peer, name, settings, waited)
        finally:
            while steps.undo:
                steps.undo.pop()()


def attached():
    Attached(os.fsdecode(folder.encode("latin-1"))).serve()
