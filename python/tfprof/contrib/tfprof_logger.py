# SPDX-License-Identifier: Apache-2.0
"""The op log of TensorFlow 1.0: types and float operations of ops, without their code."""

from typing import Any

from tfprof.compat.v1 import tfprof_logger
from tfprof.compat.v1.tfprof_logger import REGISTERED_FLOP_STATS, TRAINABLE_VARIABLES

__all__ = ["REGISTERED_FLOP_STATS", "TRAINABLE_VARIABLES", "write_op_log"]


def write_op_log(graph: Any, log_dir: str, op_log: Any = None, run_meta: Any = None) -> None:
    """Writes which variables are trainable, and float operations, to LOG_DIR/tfprof_log.

    graph: tf.Graph. run_meta: a RunMetadata, whose shapes complete those of the graph.
    op_log: entries of your own; their float operations win, their types are kept.
    """
    tfprof_logger.write_op_log(graph, log_dir, op_log, run_meta, add_trace=False)
