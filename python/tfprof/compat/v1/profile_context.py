# SPDX-License-Identifier: Apache-2.0
"""ProfileContext: profiles every session of a training loop without changing the loop.

Inside the context BaseSession.run is replaced: it counts the runs (steps), traces some of them into
one Profiler, profiles or writes files at others, and passes all others on unchanged.
"""

import functools
import os
import random
import sys
import threading
from typing import Any, Dict, Iterable, List, Optional, Set, Tuple

from tfprof import gfile
from tfprof.compat.v1.model_analyzer import Profiler
from tfprof.compat.v1.protos import tensorflow

WARMUP_STEPS = 10
MAX_TRACED_STEPS = 100

_LOW_COVERAGE = 0.5  # below it, steps are also traced at random
_installing = threading.Lock()


def _base_session() -> Any:
    return tensorflow("tensorflow.python.client.session", needed_by="ProfileContext").BaseSession


class ProfileContext:
    """Traces, profiles and dumps at chosen runs of any session inside the context.

        with ProfileContext("/tmp/train", trace_steps=range(100, 200, 3), dump_steps=[200]) as pctx:
            pctx.add_auto_profiling("op", ProfileOptionBuilder.time_and_memory(), [150, 199])
            train()
        pctx.get_profiles("op")[150]                # a MultiGraphNodeProto

    profile_dir: where profile_N files go; made when needed. tfprof.open reads them.
    trace_steps: the runs to trace, counted from 0, at most 100. None: after 10 runs, each set of
        fetches that is new, and more at random while few nodes have been seen.
    dump_steps: the runs after which to write profile_N. None: run 100.
    enabled: False does nothing at all, and costs nothing.
    debug: also writes each trace as text to run_meta_N, and says on stderr what it does.

    `profiler` may be used at any time, also after the context.
    """

    def __init__(
        self,
        profile_dir: Any,
        trace_steps: Optional[Iterable[int]] = None,
        dump_steps: Optional[Iterable[int]] = None,
        enabled: bool = True,
        debug: bool = False,
    ) -> None:
        self._enabled = enabled
        self._profiler: Optional[Profiler] = None
        self._views: Dict[str, Dict[int, Any]] = {}
        if not enabled:
            return
        if not profile_dir:
            raise ValueError("ProfileContext needs a folder for its profiles")
        traced = [] if trace_steps is None else list(trace_steps)
        if len(traced) > MAX_TRACED_STEPS:
            raise ValueError("at most %d steps can be traced" % MAX_TRACED_STEPS)
        self._profiler_dir = os.fsdecode(profile_dir)
        self._debug = debug
        self._auto_tracing = trace_steps is None
        self._trace_steps: Set[int] = set(traced)
        self._dump_steps: Set[int] = {MAX_TRACED_STEPS} if dump_steps is None else set(dump_steps)
        self._auto_profiles: List[Tuple[str, Any, Set[int]]] = []
        self._trace_next_step = False
        self._dump_next_step = False
        self._step = 0
        self._traced_steps = 0
        self._fetched: Set[str] = set()
        self._rng = random.Random(111)  # TensorFlow's seed: the same runs are traced
        self._busy = threading.Lock()  # held by the run that is being traced
        self._counting = threading.Lock()

    # ---- what users call ----

    @property
    def profiler(self) -> Optional[Profiler]:
        """The Profiler that traced runs go into; None when not enabled."""
        if not self._enabled:
            return None
        return self._profiler_for(tensorflow().compat.v1.get_default_graph())

    def add_auto_profiling(self, cmd: str, options: Any, profile_steps: Iterable[int]) -> None:
        """Traces and profiles at some runs.

        cmd: scope, graph, op or code.
        options: a dict as ProfileOptionBuilder makes them.
        profile_steps: the runs, counted from 0.
        """
        if not self._enabled:
            return
        steps = set(profile_steps)
        self._auto_profiles.append((cmd, options, steps))
        self._trace_steps |= steps

    def get_profiles(self, cmd: str) -> Dict[int, Any]:
        """The results of add_auto_profiling's command, by step.

        Result: {step: GraphNodeProto}, for op and code {step: MultiGraphNodeProto}.
        Raises ValueError if the command never ran.
        """
        if cmd not in self._views:
            raise ValueError("nothing was profiled with the command %s" % cmd)
        return self._views[cmd]

    def trace_next_step(self) -> None:
        """Traces the next run."""
        if self._enabled:
            self._trace_next_step = True

    def dump_next_step(self) -> None:
        """Writes profile_N after the next run."""
        if self._enabled:
            self._dump_next_step = True

    # ---- one run ----

    def _run(self, session: Any, fetches: Any, feed_dict: Any, options: Any, meta: Any) -> Any:
        """Only one run at a time is traced; concurrent ones in other threads are only counted."""
        if not self._busy.acquire(False):
            result = self._session_run(session, fetches, feed_dict, options, meta)
            self._count()
            return result
        try:
            step = self._step
            if self._is_fast_path(step):
                result = self._session_run(session, fetches, feed_dict, options, meta)
            else:
                result = self._slow_run(step, session, fetches, feed_dict, options, meta)
            self._count()
            return result
        finally:
            self._busy.release()

    def _count(self) -> None:
        with self._counting:
            self._step += 1

    def _slow_run(
        self, step: int, session: Any, fetches: Any, feed_dict: Any, options: Any, meta: Any
    ) -> Any:
        trace = self._should_trace(step, session.graph, fetches)
        dump = step in self._dump_steps or self._dump_next_step
        if trace:
            result = self._traced_run(step, session, fetches, feed_dict, options, meta)
        else:
            result = self._session_run(session, fetches, feed_dict, options, meta)
        self._trace_next_step = self._dump_next_step = False
        if dump:
            self._dump(step, session.graph)
        self._profile(step, session.graph)
        return result

    def _traced_run(
        self, step: int, session: Any, fetches: Any, feed_dict: Any, options: Any, meta: Any
    ) -> Any:
        self._say("tracing step: %d" % step)
        config = tensorflow("tensorflow.core.protobuf.config_pb2")
        traced = config.RunOptions()
        if options is not None:
            traced.CopyFrom(options)  # the caller's stay as they are
        traced.trace_level = config.RunOptions.FULL_TRACE
        if meta is None:
            meta = config.RunMetadata()
        result = self._session_run(session, fetches, feed_dict, traced, meta)
        if self._debug:
            self._write_text("run_meta_%d" % step, meta)
        profiler = self._profiler_for(session.graph)
        profiler._graph = session.graph
        profiler.add_step(step, meta)
        return result

    # ---- decisions ----

    def _is_fast_path(self, step: int) -> bool:
        if self._trace_next_step or self._dump_next_step:
            return False
        if step in self._trace_steps or step in self._dump_steps:
            return False
        return not (
            self._auto_tracing
            and step > WARMUP_STEPS
            and self._traced_steps <= MAX_TRACED_STEPS
        )

    def _should_trace(self, step: int, graph: Any, fetches: Any) -> bool:
        if self._traced_steps > MAX_TRACED_STEPS:
            return False
        asked = step in self._trace_steps or self._trace_next_step
        if asked or self._is_worth_tracing(step, graph, fetches):
            self._traced_steps += 1
            return True
        return False

    def _is_worth_tracing(self, step: int, graph: Any, fetches: Any) -> bool:
        """Whether to trace: the fetches are new, or a random choice while few nodes have been seen."""
        if not self._auto_tracing or step <= WARMUP_STEPS:
            return False
        names = _names_of_fetches(graph, fetches)
        self._say("trace fetches: %s" % names)
        if names not in self._fetched:
            self._fetched.add(names)
            return True
        return (
            self._profiler_for(graph)._coverage < _LOW_COVERAGE
            and step < MAX_TRACED_STEPS
            and self._rng.randint(0, 10) < 2
        )

    # ---- actions ----

    def _profiler_for(self, graph: Any) -> Profiler:
        if self._profiler is None:
            self._profiler = Profiler(graph)
        return self._profiler

    def _profile(self, step: int, graph: Any) -> None:
        for cmd, options, steps in self._auto_profiles:
            if step not in steps:
                continue
            self._say("profiling %s step: %d" % (cmd, step))
            self._views.setdefault(cmd, {})[step] = self._view(cmd, graph)(options)

    def _view(self, cmd: str, graph: Any) -> Any:
        profiler = self._profiler_for(graph)
        views = {
            "graph": profiler.profile_graph,
            "scope": profiler.profile_name_scope,
            "op": profiler.profile_operations,
            "code": profiler.profile_python,
        }
        if cmd not in views:
            raise ValueError("unknown cmd: %s" % cmd)
        return views[cmd]

    def _dump(self, step: int, graph: Any) -> None:
        self._say("dumping file at step: %d" % step)
        gfile.makedirs(self._profiler_dir)
        path = os.path.join(self._profiler_dir, "profile_%d" % step)
        self._profiler_for(graph)._write_profile(path)

    def _write_text(self, name: str, message: Any) -> None:
        gfile.makedirs(self._profiler_dir)
        gfile.write_whole(os.path.join(self._profiler_dir, name), str(message).encode())

    def _say(self, line: str) -> None:
        if self._debug:
            sys.stderr.write("debug: %s\n" % line)

    # ---- the context ----

    def __enter__(self) -> "ProfileContext":
        if self._enabled:
            with _installing:
                self._install(_base_session())
        return self

    def _install(self, base: Any) -> None:
        errors = tensorflow("tensorflow.errors")
        if getattr(base, "run", None) is None:
            raise errors.InternalError(None, None, "BaseSession has no run method")
        if getattr(base, "_profiler_run_internal", None) is not None:
            raise errors.InternalError(None, None, "a ProfileContext is already open")
        self._session_run = base.run

        @functools.wraps(base.run)
        def run(
            session: Any,
            fetches: Any,
            feed_dict: Any = None,
            options: Any = None,
            run_metadata: Any = None,
        ) -> Any:
            return self._run(session, fetches, feed_dict, options, run_metadata)

        base._profiler_run_internal = base.run
        base.profile_context = self
        base.run = run

    def __exit__(self, *wrong: Any) -> None:
        if not self._enabled:
            return
        base = _base_session()
        with _installing:
            base.run = self._session_run
            del base._profiler_run_internal
            del base.profile_context


def _names_of_fetches(graph: Any, fetches: Any) -> str:
    session = tensorflow("tensorflow.python.client.session")
    with graph.as_default():
        unique = session._FetchMapper.for_fetch(fetches).unique_fetches()
    return "-".join(sorted(fetch.name for fetch in unique))
