# SPDX-License-Identifier: Apache-2.0
"""The op log of TensorFlow 1.3 to 1.15."""

from tfprof.compat.v1.tfprof_logger import (
    REGISTERED_FLOP_STATS,
    TRAINABLE_VARIABLES,
    _merge_default_with_oplog,
    merge_default_with_oplog,
    write_op_log,
)

__all__ = [
    "REGISTERED_FLOP_STATS",
    "TRAINABLE_VARIABLES",
    "_merge_default_with_oplog",
    "merge_default_with_oplog",
    "write_op_log",
]
