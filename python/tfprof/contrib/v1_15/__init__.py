# SPDX-License-Identifier: Apache-2.0
"""tensorflow.contrib.tfprof as TensorFlow 1.3 to 1.15 had it.

    from tfprof.contrib import v1_15 as tfprof       # instead of tensorflow.contrib.tfprof
    tfprof.model_analyzer.print_model_analysis(graph, run_meta=meta, tfprof_cmd="op", tfprof_options=...)

Rows, numbers and protos are those of tfprof.compat.v1; tfprof.contrib has the form of TensorFlow 1.0.
"""

from tfprof.compat.v1.profile_context import ProfileContext
from tfprof.contrib.v1_15 import model_analyzer, tfprof_logger

__all__ = ["ProfileContext", "model_analyzer", "tfprof_logger"]
