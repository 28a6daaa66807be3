# SPDX-License-Identifier: Apache-2.0
"""Everything of tf.compat.v1.profiler, and ProfileContext, over this package.

    from tfprof.compat.v1 import Profiler    # instead of tf.compat.v1.profiler
    tf.compat.v1.profiler = tfprof.compat.v1 # for code that says the long name everywhere

Importing this needs no TensorFlow, nor do ProfileOptionBuilder and pywrap. Graphs and the returned
protos are TensorFlow's own, so the rest asks for it when it is called.
"""

from typing import Any, List

from tfprof.compat.v1 import (
    model_analyzer,
    option_builder,
    pprof_profiler,
    profile_context,
    protos,
    pywrap,
    tfprof_logger,
)
from tfprof.compat.v1.model_analyzer import ALL_ADVICE, Profiler, advise, profile
from tfprof.compat.v1.option_builder import ProfileOptionBuilder
from tfprof.compat.v1.profile_context import ProfileContext
from tfprof.compat.v1.tfprof_logger import write_op_log

_PROTOS = ("AdviceProto", "GraphNodeProto", "MultiGraphNodeProto", "OpLogProto")

__all__ = [
    "ALL_ADVICE",
    "AdviceProto",
    "GraphNodeProto",
    "MultiGraphNodeProto",
    "OpLogProto",
    "ProfileContext",
    "ProfileOptionBuilder",
    "Profiler",
    "advise",
    "model_analyzer",
    "option_builder",
    "pprof_profiler",
    "profile",
    "profile_context",
    "protos",
    "pywrap",
    "tfprof_logger",
    "write_op_log",
]


def __getattr__(name: str) -> Any:
    # The proto classes are TensorFlow's: looked up when they are first asked for.
    if name in _PROTOS:
        return getattr(protos, name)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(_PROTOS))
