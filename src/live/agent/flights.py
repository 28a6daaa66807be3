# SPDX-License-Identifier: Apache-2.0
# Started by `tfprof watch --attach once` in a running process: starts torch's own WorkerServer on a socket of the run folder, which
# answers what torch's flight recorder has, also while the job holds the interpreter's lock. This thread then only waits for tfprof to
# close its connection, or to die, and leaves nothing behind. `folder` and `ranked` come from tfprof.


class Flights(Visitor):
    server, listener, peer = None, None, None

    def path(self, end):
        return "%s/%d%s" % (self.run_folder, os.getpid(), end)

    def serve(self):
        self.begin_thread()
        if not self.wanted():
            return
        self.watch_exit(True)
        try:
            self.make_folder()
            own = open_own(self.run_folder)
            try:
                self.wait_for_tfprof(own)
                if self.peer is not None:
                    self.answer(own)
            finally:
                os.close(own)
        finally:
            if self.server is not None:
                self.server.shutdown()
            for end in (".watch", ".flights"):
                remove(self.path(end))
            for one in (self.listener, self.peer):
                if one is not None:
                    one.close()
            self.drop_folder()
            self.watch_exit(False)
            self.end_thread()
            self.left.release()

    def wait_for_tfprof(self, own):
        name = "%d.watch" % os.getpid()
        remove(self.path(".watch"))
        self.listener = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
        self.listener.bind("/proc/self/fd/%d/%s" % (own, name))
        os.chmod(name, 0o600, dir_fd=own)
        self.listener.listen(1)
        while not self.ending and self.wanted():
            if select.select([self.listener], [], [], 0.25)[0]:
                fd, _ = self.listener._accept()
                self.peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, fd)
                return

    def answer(self, own):
        uid = int.from_bytes(self.peer.getsockopt(_socket.SOL_SOCKET, 17, 12)[4:8], sys.byteorder)  # SO_PEERCRED
        if uid not in (0, os.getuid()):
            return
        try:
            self.start(own)
            self.peer.sendall(b"ok\n")
        except Refused as no:
            self.peer.sendall(("%s %s\n" % (no.code, one_line(no))).encode("utf-8", "replace"))
        except Exception as wrong:
            what = "protocol %s: %s\n" % (type(wrong).__name__, one_line(wrong))
            self.peer.sendall(what.encode("utf-8", "replace"))
        if self.server is not None and not self.ending:
            self.peer.recv(1)  # tfprof sends nothing: this returns when its connection is closed

    def start(self, own):
        c10d = sys.modules.get("torch._C._distributed_c10d")
        groups = sys.modules.get("torch.distributed.distributed_c10d")
        serve = getattr(c10d, "_WorkerServer", None)
        if serve is None:
            raise Refused("no-recorder", "its torch has no WorkerServer: it is older than 2.4, or built without torch.distributed")
        if not ranked and (groups is None or not groups.is_initialized()):
            raise Refused("no-recorder", "it has no process group of torch.distributed")
        remove(self.path(".flights"))
        self.server = serve("/proc/self/fd/%d/%d.flights" % (own, os.getpid()))

    def at_exit(self):
        peer = self.peer
        self.ending = True
        if peer is not None and os.getpid() == self.pid:
            peer.shutdown(_socket.SHUT_RDWR)
        Visitor.at_exit(self)


def attached():
    Flights(os.fsdecode(folder.encode("latin-1"))).serve()
