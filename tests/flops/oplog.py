# SPDX-License-Identifier: Apache-2.0
"""Compares -float_ops_source tensorflow with the op log itself: graphs with few known shapes, as files with and without
shapes, each with and without run metadata, which adds shapes that the graph lacks."""
import csv
import io
import os
import subprocess

import net_models
import numpy
from net_forms import F, I, graph1, tf, v1
from tensorflow.python.profiler import tfprof_logger

TRAINS = ("ApplyAdam", "ResourceApplyAdam", "ApplyGradientDescent", "ResourceApplyGradientDescent")


def adam():
    return v1.train.AdamOptimizer()


def descent():
    return v1.train.GradientDescentOptimizer(0.1)


def models():
    """title, graph, shapes of the fed values"""
    yield "dense", graph1(net_models.dense_net, (F, [None, 20]), optimizer=adam), [(7, 20)]
    yield "lstm", graph1(net_models.lstm_loop, (F, [None, 7, 5]), optimizer=descent), [(3, 7, 5)]
    yield "gru", graph1(net_models.gru_loop, (F, [None, 7, 5]), optimizer=descent), [(3, 7, 5)]
    yield "encoder", graph1(net_models.encoder, (I, [None, 24]), optimizer=adam, resource=True), [(3, 24)]
    yield "unet", graph1(net_models.unet, (F, [None, None, None, 3]), optimizer=descent), [(2, 32, 16, 3)]
    yield "convs", graph1(net_models.mixed_convs, (F, [None, 33, 31, 4])), [(2, 33, 31, 4)]
    yield "branches", graph1(net_models.branches, (F, [None, 8]), optimizer=descent, resource=True), [(3, 8)]
    yield "branches of functions", graph1(
        net_models.branches, (F, [None, 8]), optimizer=descent, resource=True, old=False), [(3, 8)]


def metadata_of(graph, shapes):
    with v1.Session(graph=graph) as session:
        names = ["input%d:0" % i if i else "input:0" for i in range(len(shapes))]
        fed = {n: numpy.zeros(s, graph.get_tensor_by_name(n).dtype.as_numpy_dtype) for n, s in zip(names, shapes)}
        with graph.as_default():
            session.run(v1.global_variables_initializer())
        wanted = ["output:0"] + [op for op in graph.get_operations() if op.type in TRAINS]
        metadata = v1.RunMetadata()
        session.run(wanted, fed, v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE), metadata)
    return metadata


def logged(graph_def, metadata):
    with tf.Graph().as_default() as graph:
        tf.graph_util.import_graph_def(graph_def, name="")
    entries, _ = tfprof_logger._get_logged_ops(  # pylint: disable=protected-access
        graph, metadata, add_trace=False, add_trainable_var=False)
    return {name: entry.float_ops for name, entry in entries.items() if entry.float_ops}


def ours(program, graph, metadata):
    words = ["--graph_path=" + graph] + (["--run_meta_path=" + metadata] if metadata else [])
    done = subprocess.run([*program, "flops", *words, "--nodes", "--format", "csv", "-float_ops_source", "tensorflow"],
                          stdout=subprocess.PIPE, check=True)
    rows = csv.DictReader(io.StringIO(done.stdout.decode(), newline=""))
    counts = {row["name"]: int(row["float_ops"]) for row in rows if row["float_ops"] and not row["function"]}
    return {name: count for name, count in counts.items() if count}


def check(tally, program, scratch):
    graph_path, metadata_path = os.path.join(scratch, "graph.pb"), os.path.join(scratch, "run_meta")
    for title, graph, shapes in models():
        metadata = metadata_of(graph, shapes)
        with open(metadata_path, "wb") as file:
            file.write(metadata.SerializeToString())
        for add_shapes in (False, True):
            graph_def = graph.as_graph_def(add_shapes=add_shapes)
            with open(graph_path, "wb") as file:
                file.write(graph_def.SerializeToString())
            for ran in (None, metadata):
                theirs, mine = logged(graph_def, ran), ours(program, graph_path, metadata_path if ran else None)
                other = sorted(n for n in set(theirs) | set(mine) if theirs.get(n) != mine.get(n))
                tally.note(not other, "op log of %s%s%s: %d counts; first that differ: %s" % (
                    title, " with shapes" if add_shapes else "", " after a run" if ran else "", len(theirs),
                    [(n, theirs.get(n), mine.get(n)) for n in other[:3]]))
