# SPDX-License-Identifier: Apache-2.0
# What threads of ours have in common that an attach starts in a running process. They serve until tfprof is gone, and leave nothing
# behind. `watch` and `until` come from tfprof.

MARK = "tfprof-agent"  # the name of our threads; tfprof sees by it when they have ended


class Visitor:
    def __init__(self, run_folder):
        self.run_folder, self.pid, self.ending = run_folder, os.getpid(), False
        self.made_folder, self.left = False, _thread.allocate_lock()
        self.left.acquire()

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

    def make_folder(self):
        try:
            os.mkdir(self.run_folder, 0o700)
            self.made_folder = True
        except FileExistsError:
            pass

    def drop_folder(self):
        if self.made_folder:
            try:
                os.rmdir(self.run_folder)
            except OSError:
                pass  # other threads use it by now

    def begin_thread(self):
        # thread-self, not a number: /proc may show the numbers of another namespace
        with open("/proc/thread-self/comm", "w") as f:
            f.write(MARK)

    def end_thread(self):
        """Frameworks ask `threading` for the current thread, which makes an entry for it. The entry
        is removed here."""
        threading = sys.modules.get("threading")
        if threading is not None:
            threading._active.pop(_thread.get_ident(), None)

    def watch_exit(self, on):
        exits = sys.modules.get("atexit")  # in Python 3.8 and 3.9 a second handler of ours would replace the first
        if exits is not None and on:
            exits.register(self.at_exit)
        elif exits is not None:
            exits.unregister(self.at_exit)

    def at_exit(self):
        """Called when the process ends. A thread that is still in a framework's code when the interpreter shuts down would
        crash the process."""
        if os.getpid() != self.pid:
            return
        self.ending = True
        self.left.acquire(True, 2.0)
