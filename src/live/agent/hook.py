# SPDX-License-Identifier: Apache-2.0
# How the agent of `tfprof run` gets into a job: it is told of frameworks as they are imported.


class Finder:
    """Stands on sys.meta_path. The other finders find a framework; this one tells the agent when its import
    is complete."""

    def __init__(self, agent):
        self.agent, self.waiting = agent, set(FRAMEWORKS)

    def find_spec(self, name, path=None, target=None):
        if name not in self.waiting:
            return None
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None and finder is not self else None
            if spec is not None:
                break
        else:
            return None
        loader = spec.loader
        if not hasattr(loader, "exec_module"):
            return spec
        run = loader.exec_module

        def exec_module(module):
            try:
                del loader.exec_module
            except AttributeError:
                pass
            run(module)
            self.waiting.discard(name)
            try:
                self.agent.on_import(name)
            except Exception as wrong:
                self.agent.say("%s is not prepared: %s: %s" % (name, type(wrong).__name__, one_line(wrong)))

        loader.exec_module = exec_module
        return spec


def hook(here, settings):
    agent = Agent(os.path.dirname(here))
    agent.take(here, settings)
    agent.mark("seen")
    if agent.signal:
        signal = _module("_signal")
        if signal.getsignal(agent.signal) == signal.SIG_DFL:
            signal.signal(agent.signal, agent.on_signal)
    sys.meta_path.insert(0, Finder(agent))
