# SPDX-License-Identifier: Apache-2.0
# Recording, by framework. begin() starts to record, at once after prepare(), which may be left out; stop() gives files as pairs of an
# ending and bytes, or the path of a file that is removed when it was sent; halt() ends what is recorded before that, which another
# thread may do; drop() gives up what it has. Each API is looked up when it is needed, older names after newer.
class Session:
    def prepare(self):
        pass

    def halt(self):
        pass


def recorded(xspace):
    if not xspace:
        raise Refused("protocol", "its XSpace has no bytes: nothing was recorded")
    return xspace


class JaxSession(Session):
    kind = "xspace"

    def __init__(self, agent, settings):
        try:
            from jaxlib import _profiler as profiler
        except ImportError:
            from jaxlib import xla_client
            profiler = xla_client.profiler
        options = profiler.ProfileOptions()
        options.host_tracer_level = settings["host"]
        options.python_tracer_level = settings["python"]
        self.profiler, self.options, self.session = profiler, options, None

    def begin(self):
        self.session = self.profiler.ProfilerSession(self.options)

    def stop(self):
        files = [(".xplane.pb", recorded(self.session.stop()))]
        self.session = None
        trim_memory()  # a second of small steps takes some hundred MB, and every fork copies the page tables for it
        return files

    def drop(self):
        if self.session is not None:
            self.session.stop()


class TensorFlowSession(Session):
    kind = "xspace"

    def __init__(self, agent, settings):
        from tensorflow.python.profiler.internal import _pywrap_profiler
        self.folder = "%s/%d.tmp" % (agent.run_folder, os.getpid())
        self.levels = {"host_tracer_level": settings["host"], "python_tracer_level": settings["python"], "device_tracer_level": 1}
        self.session, self.begun = _pywrap_profiler.ProfilerSession(), False

    def begin(self):
        remove(self.folder)
        os.mkdir(self.folder, 0o700)
        try:
            self.session.start(self.folder, self.levels)
            self.begun = True
        except Exception:
            remove(self.folder)
            raise

    def stop(self):
        try:
            self.session.export_to_tb()
            self.session = None
            return [(".xplane.pb", recorded(self.read(self.folder)))]
        finally:
            remove(self.folder)
            trim_memory()

    def read(self, folder):
        for name in sorted(os.listdir(folder)):
            path = folder + "/" + name
            if os.path.isdir(path):
                found = self.read(path)
                if found is not None:
                    return found
            elif name.endswith(".xplane.pb"):
                with open(path, "rb") as f:
                    return f.read()
        if folder == self.folder:
            raise Refused("protocol", "TensorFlow wrote no XSpace")
        return None

    def drop(self):
        try:
            if self.begun and self.session is not None:
                self.session.stop()
        finally:
            remove(self.folder)


class TorchSession(Session):
    kind = "kineto"

    def __init__(self, agent, settings):
        import torch
        self.enabled, self.begun = getattr(torch.autograd, "_profiler_enabled", None), False
        self.prepared, self.halted = False, False
        self.path = "%s/%d.tmp.json" % (agent.run_folder, os.getpid())
        self.native = Kineto(os.path.dirname(torch.__file__) + "/lib/libtorch_cpu.so")
        profiler = torch.profiler
        activities = [profiler.ProfilerActivity.CPU]
        if torch.cuda.is_available():
            activities.append(profiler.ProfilerActivity.CUDA)
        # Captures of graphs need stacks for the lines and shapes for the float operations. Shapes alone make a file half as
        # big again.
        words = dict.fromkeys(("with_stack", "with_modules", "record_shapes"), settings["python"] > 0)
        words["activities"] = activities
        # All three are switched off together: with fewer of them torch prints a warning about activities of GPUs.
        self.ending = [getattr(profiler.ProfilerActivity, n) for n in ("CPU", "CUDA", "XPU") if hasattr(profiler.ProfilerActivity, n)]
        if not hasattr(profiler.profile, "toggle_collection_dynamic"):
            raise Refused("unsafe", "torch %s frees a recording while other threads write to it; newer ones can be kept from it" % torch.__version__)
        from torch._C._profiler import _ExperimentalConfig
        words["experimental_config"] = _ExperimentalConfig(profile_all_threads=True)
        self.profile = profiler.profile(**words)

    def is_busy(self):
        return self.enabled is not None and self.enabled()

    def prepare(self):
        """Does first what start() would do: in a process's first recording this takes a quarter of a
        second."""
        if hasattr(self.profile, "prepare_trace") and hasattr(self.profile, "start_trace") and not self.is_busy():
            with self.native, Unheard(self.native.c):
                self.profile.prepare_trace()
            self.prepared = True

    def begin(self):
        if self.is_busy():
            raise Refused("profiling", "the job's own profiler is on")
        if not self.prepared:
            self.prepare()
        with self.native:  # silenced once more, because the first recording of a process sets the log level
            if self.prepared:
                self.profile.start_trace()
            else:
                self.profile.start()
        self.begun = True

    def halt(self):
        """torch frees its events when a recording ends. Threads that are still in one of its callbacks then write to freed memory and crash
        the job (seen in 1 attach of 126). So the callbacks are removed first, and then every thread is given time to leave them."""
        if not self.halted:
            self.halted = True
            self.profile.toggle_collection_dynamic(False, self.ending)

    def end(self):
        with self.native:
            self.halt()
            let_threads_pass()
            self.profile.stop()

    def stop(self):
        try:
            self.end()
            with self.native:
                if not self.native.save(self.results(), self.path):
                    self.profile.export_chrome_trace(self.path)
        except BaseException:
            remove(self.path)
            raise
        finally:
            self.forget()
        return [(".kineto.json", self.path)]

    def results(self):
        return getattr(getattr(self.profile, "profiler", None), "kineto_results", None)

    def drop(self):
        if self.prepared and not self.begun:
            self.begin()  # torch undoes its preparation only at the end of a recording, so one is begun and ended
        if self.begun:
            self.end()
        self.forget()

    def forget(self):
        """Frees the recording. It takes some ten times the size of its file, and its objects refer to each other, so only the job's
        garbage collector would free them."""
        self.native.empty(self.results())
        for held in (getattr(self.profile, "profiler", None), self.profile):
            getattr(held, "__dict__", {}).clear()
        self.profile = None
        trim_memory()


SESSIONS = {"jax": JaxSession, "tensorflow": TensorFlowSession, "torch": TorchSession}


def recording(name, agent, settings):
    """Makes a session and begins it."""
    session = SESSIONS[name](agent, settings)
    session.begin()
    return session
