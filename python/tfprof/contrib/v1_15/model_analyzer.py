# SPDX-License-Identifier: Apache-2.0
"""print_model_analysis, advise and Profiler, as TensorFlow 1.3 to 1.15 had them.

The results are TensorFlow's protos: GraphNodeProto of scope and graph, MultiGraphNodeProto (with graph_nodes) of op and
code, AdviceProto of advise.
"""

from typing import Any, Dict

from tfprof.compat.v1 import model_analyzer as _today
from tfprof.compat.v1.model_analyzer import (
    ALL_ADVICE,
    Profiler,
    _build_advisor_options,
    _build_options,
)
from tfprof.contrib.model_analyzer import (
    FLOAT_OPS_OPTIONS as _FLOAT_OPS,
)
from tfprof.contrib.model_analyzer import (
    PRINT_ALL_TIMING_MEMORY as _TIMING_MEMORY,
)
from tfprof.contrib.model_analyzer import (
    PRINT_PARAMS_ON_DEVICE as _ON_DEVICE,
)
from tfprof.contrib.model_analyzer import (
    TRAINABLE_VARS_PARAMS_STAT_OPTIONS as _TRAINABLE,
)

__all__ = [
    "ALL_ADVICE",
    "FLOAT_OPS_OPTIONS",
    "PRINT_ALL_TIMING_MEMORY",
    "PRINT_PARAMS_ON_DEVICE",
    "Profiler",
    "TRAINABLE_VARS_PARAMS_STAT_OPTIONS",
    "_build_advisor_options",
    "_build_options",
    "advise",
    "print_model_analysis",
    "profile",
]

_DEFAULT_PROFILE_OPTIONS = 0
_DEFAULT_ADVISE_OPTIONS = 0


def _of_then(of_1_0: Dict[str, Any]) -> Dict[str, Any]:
    """An option set of 1.0 as later versions had it: `output` says where the report goes, and devices are no filter."""
    made = {key: value for key, value in of_1_0.items() if key not in ("device_regexes", "viz")}
    made["output"] = "stdout"
    return made


# What print_model_analysis takes by default: how many parameters the trainable variables have.
TRAINABLE_VARS_PARAMS_STAT_OPTIONS = _of_then(_TRAINABLE)
FLOAT_OPS_OPTIONS = _of_then(_FLOAT_OPS)
PRINT_ALL_TIMING_MEMORY = _of_then(_TIMING_MEMORY)
PRINT_PARAMS_ON_DEVICE = _of_then(_ON_DEVICE)

profile = _today.profile


def print_model_analysis(
    graph: Any,
    run_meta: Any = None,
    op_log: Any = None,
    tfprof_cmd: str = "scope",
    tfprof_options: Any = _DEFAULT_PROFILE_OPTIONS,
) -> Any:
    """Prints a view of a graph and one run of it, and returns it as a proto.

    graph: tf.Graph; None means the default graph.
    run_meta: RunMetadata of one traced run. op_log: an OpLogProto with entries of your own.
    tfprof_cmd: scope, graph, op or code.
    tfprof_options: a dict, such as the sets of this module or what ProfileOptionBuilder makes.
    """
    return _today.profile(graph, run_meta, op_log, tfprof_cmd, tfprof_options)


def advise(graph: Any, run_meta: Any = None, tfprof_options: Any = _DEFAULT_ADVISE_OPTIONS) -> Any:
    """Looks for slow parts of one run of a graph and their causes. Result: AdviceProto.

    tfprof_options: a dict like ALL_ADVICE, which is the default.
    """
    return _today.advise(graph, run_meta, tfprof_options)
