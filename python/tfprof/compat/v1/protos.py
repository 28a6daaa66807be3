# SPDX-License-Identifier: Apache-2.0
"""TensorFlow and its proto classes, imported when they are first asked for.

`protos.OpLogProto` and the others of _HOMES are TensorFlow's own classes, so that the results
are accepted wherever TensorFlow's profiler was used.
"""

import importlib
from typing import Any, List

from tfprof import Error

_HOMES = {
    "AdviceProto": "tfprof_output_pb2",
    "GraphNodeProto": "tfprof_output_pb2",
    "MultiGraphNodeProto": "tfprof_output_pb2",
    "TFProfTensorProto": "tfprof_output_pb2",
    "AdvisorOptionsProto": "tfprof_options_pb2",
    "OptionsProto": "tfprof_options_pb2",
    "CodeDef": "tfprof_log_pb2",
    "OpLogEntry": "tfprof_log_pb2",
    "OpLogProto": "tfprof_log_pb2",
    "ProfileProto": "tfprof_log_pb2",
}


class MissingTensorFlowError(Error, ImportError):
    """The call needs TensorFlow's graphs or protos, but TensorFlow cannot be imported."""


def tensorflow(module: str = "tensorflow", needed_by: str = "this") -> Any:
    """One of TensorFlow's modules.

    Raises MissingTensorFlowError, naming what needs it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as wrong:
        raise MissingTensorFlowError(
            "%s needs TensorFlow, which cannot be imported: %s" % (needed_by, wrong)
        ) from wrong


def graph_or_default(graph: Any, needed_by: str) -> Any:
    """The graph given, else the default one; None in eager mode, which has no graph."""
    if graph:
        return graph
    tf = tensorflow(needed_by=needed_by)
    return None if tf.executing_eagerly() else tf.compat.v1.get_default_graph()


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    made = getattr(tensorflow("tensorflow.core.profiler." + home, needed_by=name), name)
    globals()[name] = made
    return made


def __dir__() -> List[str]:
    return sorted(set(globals()) | set(_HOMES))
