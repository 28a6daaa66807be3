# SPDX-License-Identifier: Apache-2.0
"""Runs a TensorFlow 1 graph with full tracing and keeps all that tfprof reads: needs tensorflow-cpu.

A Recording is one folder:
    graph.pb graph.pbtxt        the GraphDef, without and (graph_shapes.*) with _output_shapes
    run_meta_N                  the RunMetadata of step N
    tfprof_log tfprof_log_1     the OpLogProto: types, float operations, code traces; and the same as TF 1 wrote it
    profile_N                   all steps up to N as one ProfileProto, made the way tf.profiler.Profiler makes it
    ckpt_v1/ ckpt_v2/           checkpoints of both versions
    model.meta saved_model/     MetaGraphDef and SavedModel
"""
import functools
import os
import shutil

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')
import tensorflow
from google.protobuf import text_format
from tensorflow.core.profiler import tfprof_log_pb2
from tensorflow.python.profiler import tfprof_logger
from tensorflow.python.util import _pywrap_tfprof as core

import wire

tf = tensorflow.compat.v1
THREADS = 2
FULL_TRACE = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
PLACES = ((os.path.dirname(os.path.dirname(os.path.abspath(tensorflow.__file__))), 'site-packages'),
          (os.path.dirname(os.path.abspath(__file__)), 'tests/data'))


def config(rewrite=True, **more):
    """Few threads; rewrite=False runs the graph as it is written, so that every node of it gets its time."""
    c = tf.ConfigProto(inter_op_parallelism_threads=THREADS, intra_op_parallelism_threads=THREADS, **more)
    if not rewrite:
        c.graph_options.rewrite_options.disable_meta_optimizer = True
        c.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    return c


def message(proto):
    return proto.SerializeToString(deterministic=True)


def save(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as f:
        f.write(data)


def load(path):
    with open(path, 'rb') as f:
        return f.read()


def op_log(graph, types=(), run_meta=None):
    """The op log TensorFlow would write, plus (name, type) pairs of our own; no path of this machine stays in it."""
    log = tfprof_log_pb2.OpLogProto()
    for name, type_ in types:
        log.log_entries.add(name=name, types=[type_])
    log = tfprof_logger.merge_default_with_oplog(graph, log, run_meta=run_meta)
    for key, text in list(log.id_to_string.items()):
        for place, short in PLACES:
            if text.startswith(place + os.sep):
                log.id_to_string[key] = short + text[len(place):]
    return log


def old_op_log(log):
    """The same log in TensorFlow 1's form: a trace holds its strings (1 file, 2 lineno, 3 function, 4 line), no id
    table."""
    out, lines = [], functools.lru_cache(maxsize=None)(lambda file, line, function: wire.bytes_field(1, b''.join([
        wire.bytes_field(1, log.id_to_string[file]), wire.number_field(2, line),
        wire.bytes_field(3, log.id_to_string[function]), wire.bytes_field(4, 'line %d' % line)])))
    for entry in log.log_entries:
        parts = [wire.bytes_field(1, entry.name)]
        if entry.float_ops:
            parts.append(wire.number_field(2, entry.float_ops))
        parts += [wire.bytes_field(3, t) for t in entry.types]
        traces = [lines(t.file_id, t.lineno, t.function_id) for t in entry.code_def.traces]
        if traces:
            parts.append(wire.bytes_field(4, b''.join(traces)))
        out.append(wire.bytes_field(1, b''.join(parts)))
    return b''.join(out)


def write_profile(path, graph, first_log, steps):
    """steps: (number, RunMetadata bytes, op log bytes), in order."""
    core.NewProfiler(graph, first_log)
    try:
        for number, meta, log in steps:
            core.AddStep(number, graph, meta, log)
        core.WriteProfile(path)
    finally:
        core.DeleteProfiler()


class Recording:
    def __init__(self, folder, types=()):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        self.folder, self.types, self.steps = folder, types, []
        self.graph = tf.get_default_graph()

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, session, fetches, **more):
        """One traced step, numbered from 0."""
        meta = tf.RunMetadata()
        result = session.run(fetches, options=FULL_TRACE, run_metadata=meta, **more)
        self.steps.append(meta)
        return result

    def checkpoint(self, session, variables=None, v1=True):
        """Both versions at the last step; variables: which ones, None for all."""
        last = len(self.steps) - 1
        for version, folder, wanted in ((tf.train.SaverDef.V2, 'ckpt_v2', True), (tf.train.SaverDef.V1, 'ckpt_v1', v1)):
            if not wanted:
                continue
            os.makedirs(self.path(folder))
            saver = tf.train.Saver(variables, write_version=version, sharded=not v1)
            saver.save(session, self.path(folder + '/model.ckpt'), global_step=last, write_state=False)
            meta = self.path(folder + '/model.ckpt-%d.meta' % last)
            if version == tf.train.SaverDef.V2:
                os.rename(meta, self.path('model.meta'))
            else:
                os.remove(meta)

    def finish(self):
        """Writes it all; the graph as it is now, with the nodes of its initializers and savers."""
        for name, shapes in (('graph', False), ('graph_shapes', True)):
            d = self.graph.as_graph_def(add_shapes=shapes)
            save(self.path(name + '.pb'), message(d))
            save(self.path(name + '.pbtxt'), text_format.MessageToString(d).encode())
        for number, meta in enumerate(self.steps):
            save(self.path('run_meta_%d' % number), message(meta))
        log = op_log(self.graph, self.types, self.steps[-1])
        save(self.path('tfprof_log'), message(log))
        save(self.path('tfprof_log_1'), old_op_log(log))
        write_profile(self.path('profile_%d' % (len(self.steps) - 1)), load(self.path('graph_shapes.pb')),
                      message(op_log(self.graph, self.types)),
                      [(i, message(m), message(op_log(self.graph, (), m))) for i, m in enumerate(self.steps)])
