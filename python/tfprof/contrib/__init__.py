# SPDX-License-Identifier: Apache-2.0
"""TensorFlow 1.0's tfprof (tensorflow.contrib.tfprof), over this package.

    from tfprof import contrib
    contrib.model_analyzer.print_model_analysis(graph, run_meta=run_meta)

Scripts of TensorFlow 1.3 to 1.15 take tfprof.contrib.v1_15.
"""

from typing import Any

from tfprof.compat.v1 import protos
from tfprof.compat.v1.profile_context import ProfileContext
from tfprof.contrib import model_analyzer, tfprof_logger

__all__ = ["OpLog", "OpLogEntry", "ProfileContext", "model_analyzer", "tfprof_logger"]

# The messages by their names of that time; fields and wire format are the same.
_RENAMED = {"OpLog": "OpLogProto", "OpLogEntry": "OpLogEntry"}


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        return getattr(protos, _RENAMED[name])
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
