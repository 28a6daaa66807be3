# SPDX-License-Identifier: Apache-2.0
# Steps of torch and TensorFlow 1: counted, and some of them recorded.

class Steps:
    """Counts optimizer steps (torch) and session runs (TensorFlow 1) and records some of them: those that `every` and `at`
    of the command line name, and those that captures ask for. A capture's request is a dict of steps, left and files."""

    def __init__(self, agent):
        self.agent, self.count, self.fd, self.what = agent, 0, -1, None
        self.settings, self.lock = None, _thread.allocate_lock()
        self.session, self.left, self.number = None, 0, 0
        self.graphs, self.tracing, self.undo = [], False, []

    def count_one(self, what):
        self.count += 1
        if self.what is None:
            try:
                self.begin(what)
            except OSError:
                self.what = what
        if self.fd >= 0:
            try:
                os.pwrite(self.fd, self.count.to_bytes(8, "little") + time.monotonic_ns().to_bytes(8, "little"), 0)
            except OSError:
                self.fd = -1

    def chosen(self, n):
        a = self.agent
        return (a.every and n % a.every == 0) or n in a.at

    # torch: installs a hook after each optimizer's step.
    def watch_torch(self):
        from torch.optim.optimizer import register_optimizer_step_post_hook
        handle = register_optimizer_step_post_hook(self.after_optimizer)
        self.undo.append(handle.remove)

    def after_optimizer(self, *unused):
        self.count_one("optimizer steps")
        try:
            self.torch_step()
        except Exception as wrong:
            self.session = None
            self.agent.say("step %d: %s" % (self.count, one_line(wrong)))
        return None

    def torch_step(self):
        if self.session is not None:
            self.left -= 1
            if self.left <= 0:
                session, self.session = self.session, None
                self.finish(session)
            return
        settings = self.settings
        if settings is not None and not settings["begun"]:
            settings["begun"] = True
            self.start_torch(settings, settings["steps"])
        elif self.chosen(self.count + 1) and self.agent.lock.acquire(False):
            self.start_torch(None, self.agent.steps_each)

    def start_torch(self, settings, steps):
        self.number, self.left, self.since, self.for_settings = self.count + 1, steps, micros(), settings
        if settings is None:
            self.agent.stalls = Stalls()
        try:
            with self.agent.stalls:
                self.session = recording("torch", self.agent, settings or {"python": self.agent.python_level})
        except Exception as wrong:
            if settings is None:
                self.agent.lock.release()
                raise
            settings["error"] = wrong
            settings["done"].release()
        else:
            if settings is not None:
                settings["started"] = self.since

    def finish(self, session):
        """The last step has ended: the recording stops, and another thread writes it."""
        settings, window = self.for_settings, micros() - self.since
        try:
            session.halt()
        except Exception as wrong:
            if settings is None:
                self.agent.lock.release()
                raise
            settings["error"] = wrong
        if settings is not None:
            settings["session"], settings["window"], self.settings = session, window, None
            settings["done"].release()
        else:
            _thread.start_new_thread(self.write, (session, ".%d" % self.number, self.since, window))

    def write(self, session, number, since, window):
        """Used by `tfprof run`; the agent's lock is held until the file is written."""
        try:
            with self.agent.stalls:
                files = session.stop()
            self.agent.keep("torch", "kineto", [(number + end, data) for end, data in files], since, window)
        except Exception as wrong:
            self.agent.say("%s: %s" % (number[1:], one_line(wrong)))
        finally:
            self.agent.lock.release()

    # TensorFlow 1: traces the chosen calls of Session.run.
    def watch_sessions(self):
        from tensorflow.python.client import session
        steps, before = self, session.BaseSession.run

        def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
            return steps.session_run(before, self, fetches, feed_dict, options, run_metadata)

        for name in ("__doc__", "__name__", "__qualname__", "__module__"):
            setattr(run, name, getattr(before, name))
        run.__wrapped__ = before
        session.BaseSession.run = run
        self.undo.append(lambda: setattr(session.BaseSession, "run", before))

    def session_run(self, run, session, fetches, feed_dict, options, run_metadata):
        self.count_one("session runs")
        n, settings = self.count, self.settings
        asked = settings is not None and settings["left"] > 0
        each = self.agent.steps_each
        chosen = any(self.chosen(n - k) for k in range(each)) if self.agent.every or self.agent.at else False
        if not (asked or chosen) or self.tracing:
            return run(session, fetches, feed_dict, options, run_metadata)
        from tensorflow.core.protobuf import config_pb2
        traced = config_pb2.RunOptions()
        if options is not None:
            traced.CopyFrom(options)
        traced.trace_level = config_pb2.RunOptions.FULL_TRACE
        meta = run_metadata if run_metadata is not None else config_pb2.RunMetadata()
        self.tracing, since = True, micros()
        try:
            result = run(session, fetches, feed_dict, traced, meta)
        finally:
            self.tracing = False
        try:
            self.keep_run(session, n, meta, since, settings if asked else None)
        except Exception as wrong:
            self.agent.say("run %d is not kept: %s" % (n, one_line(wrong)))
        return result

    def keep_run(self, session, n, meta, since, settings):
        files = [("run_meta_%d.pb" % n, meta.SerializeToString())]
        if settings is not None:
            if not settings["files"]:
                settings["started"] = since
                settings["files"].append(("graph.pb", session.graph.as_graph_def(add_shapes=True).SerializeToString()))
            settings["files"] += files
            settings["left"] -= 1
            if settings["left"] == 0:
                settings["window"], self.settings = micros() - settings["started"], None
                settings["done"].release()
            return
        if not any(g is session.graph for g in self.graphs):
            name = "graph.pb" if not self.graphs else "graph_%d.pb" % (len(self.graphs) + 1)
            self.graphs.append(session.graph)
            files.insert(0, (name, session.graph.as_graph_def(add_shapes=True).SerializeToString()))
        self.agent.keep("tensorflow", "tf1", files, since, micros() - since)

    def begin(self, what):
        """Called at the first step. A job of TensorFlow 2 runs no session, and the kernel's probe
        counts more of it."""
        self.what = what
        if self.fd < 0:
            self.fd = open_below(self.agent.run_folder, "%d.steps" % os.getpid(), os.O_RDWR | os.O_TRUNC)
            os.pwrite(self.fd, bytes(16), 0)
        self.agent.publish()
