# SPDX-License-Identifier: Apache-2.0
"""The op log: facts about a graph's ops that the graph lacks, so that files can be analysed later.

An OpLogProto has for each op its float operations, the Python code that made it, and whether it
holds a trainable variable.
"""

import os
from typing import Any, Dict

from tfprof import gfile
from tfprof.compat.v1 import protos
from tfprof.compat.v1._graph import REGISTERED_FLOP_STATS, TRAINABLE_VARIABLES, GraphLog

__all__ = [
    "REGISTERED_FLOP_STATS",
    "TRAINABLE_VARIABLES",
    "merge_default_with_oplog",
    "write_op_log",
]


def _merged(given: Any, found: Any) -> Any:
    """A copy of `given`, completed from the graph.

    The caller's float operations and code win; types add up. Strings are the graph's, as in
    TensorFlow: the code of a caller's entry refers to them.
    """
    entries: Dict[str, Any] = {}
    for entry in given.log_entries:
        entries[entry.name] = protos.OpLogEntry.FromString(entry.SerializeToString())
    for entry in found.log_entries:
        mine = entries.setdefault(entry.name, entry)
        if mine is entry:
            continue
        mine.types.extend(entry.types)
        if entry.float_ops > 0 and mine.float_ops == 0:
            mine.float_ops = entry.float_ops
        if entry.code_def.traces and not mine.code_def.traces:
            mine.code_def.MergeFrom(entry.code_def)
    merged = protos.OpLogProto(log_entries=entries.values())
    merged.id_to_string.update(found.id_to_string)
    return merged


def op_log_bytes(log: GraphLog, graph: Any, op_log: Any = None, run_meta: Any = None) -> bytes:
    """The serialized op log of a graph as `log` tells it, merged with the caller's."""
    found = log.op_log(graph, run_meta)
    if op_log is None:
        return found
    return _merged(op_log, protos.OpLogProto.FromString(found)).SerializeToString()


def merge_default_with_oplog(
    graph: Any,
    op_log: Any = None,
    run_meta: Any = None,
    add_trace: bool = True,
    add_trainable_var: bool = True,
) -> Any:
    """The op log of a graph, merged with the caller's own.

    graph: tf.Graph; None means the default graph, or nothing in eager mode.
    op_log: an OpLogProto; its float operations and code win, its types are kept.
    run_meta: a RunMetadata; its shapes complete those of the graph (and stay there).
    add_trace: whether to include the Python code that made each op.
    add_trainable_var: whether to give trainable variables the type `_trainable_variables`.
    Result: OpLogProto.
    """
    graph = protos.graph_or_default(graph, "merge_default_with_oplog")
    if not graph:
        return protos.OpLogProto()
    log = GraphLog(add_trace, add_trainable_var)
    return protos.OpLogProto.FromString(op_log_bytes(log, graph, op_log, run_meta))


_merge_default_with_oplog = merge_default_with_oplog  # its name until TensorFlow 1.12


def write_op_log(
    graph: Any,
    log_dir: str,
    op_log: Any = None,
    run_meta: Any = None,
    add_trace: bool = True,
) -> None:
    """Writes the op log of a graph to the file tfprof_log in a folder.

    graph, op_log, run_meta, add_trace: as for merge_default_with_oplog.
    log_dir: a local folder, or one that TensorFlow can reach (gs://...).
    A local file appears whole or not at all. Raises OSError when it cannot be written.
    """
    made = merge_default_with_oplog(graph, op_log, run_meta, add_trace)
    gfile.write_whole(os.path.join(os.fspath(log_dir), "tfprof_log"), made.SerializeToString())
