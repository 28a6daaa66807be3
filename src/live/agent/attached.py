# SPDX-License-Identifier: Apache-2.0
# The agent that `tfprof capture --attach` starts in a running process. It serves until the last connection is closed, or until tfprof
# is gone, and leaves nothing behind: no thread, no descriptor, no module, no file, no hook. Nothing is printed: the process knows
# nothing of us. `folder`, `watch`, `until` and `keep` come from tfprof.

class Attached(Visitor, Agent):
    def __init__(self, run_folder):
        Agent.__init__(self, run_folder)
        Visitor.__init__(self, run_folder)
        self.loaded = [n for n in FRAMEWORKS if n in sys.modules]
        self.busy, self.bell = 0, (-1, -1)
        self.patience = 600.0  # long, because --align sends its request only when every process is there

    def say(self, text):
        pass

    def open(self):
        self.make_folder()
        Agent.open(self)  # open() refuses a folder that belongs to another user

    def close(self):
        Agent.close(self)
        self.drop_folder()

    def serve(self, delay=0):
        self.begin_thread()
        if not self.wanted():
            return
        self.watch_exit(True)
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
            self.watch_exit(False)
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

    def lend_thread(self):
        """Kineto and others start threads that outlive the recording and inherit the name of the
        thread that starts them. So this thread gives up its name first."""
        with open("/proc/self/comm", "rb") as f:
            name = f.read().strip() or b"python"
        with open("/proc/thread-self/comm", "wb") as f:
            f.write(name)

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
