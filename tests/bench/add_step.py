#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long the drop-in for tf.compat.v1.profiler takes beside TensorFlow's own: tests/bench/add_step.py [NODES]

A training graph of about NODES (default 10,000) ops is run twice with full tracing; both profilers are made and given
the same steps, in turns. Prints times (of the processor, which other work on the machine does not
change) and ratios; ends with 1 if add_step is less than 20 times as fast.
"""
import os
import resource
import statistics
import sys
import time

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import numpy  # noqa: E402
import tensorflow  # noqa: E402

import tfprof.compat.v1 as ours  # noqa: E402

tf = tensorflow.compat.v1
theirs = tf.profiler
WANTED = 20
WIDTH = 32


def build(nodes, batch):
    """A stack of dense layers with Adam: about 70 ops for each layer. With a batch of None, only the run shows some
    shapes."""
    graph = tensorflow.Graph()
    with graph.as_default():
        x = out = tf.placeholder(tf.float32, [batch, WIDTH], 'x')
        for i in range(max(1, nodes // 72)):
            with tf.variable_scope('layer_%d' % i):
                weights = tf.get_variable('weights', [WIDTH, WIDTH], use_resource=True)
                biases = tf.get_variable('biases', [WIDTH], use_resource=True)
                out = tensorflow.nn.relu(tensorflow.matmul(out, weights) + biases)
        loss = tensorflow.reduce_mean(tensorflow.square(out))
        train = tf.train.AdamOptimizer().minimize(loss)
        return graph, x, loss, train, tf.global_variables_initializer()


def record(graph, x, loss, train, init):
    metas = []
    with tf.Session(graph=graph) as session:
        session.run(init)
        for fetch in (train, loss):
            metas.append(tf.RunMetadata())
            session.run(fetch, {x: numpy.ones([8, WIDTH], 'f')}, tf.RunOptions(trace_level=3), metas[-1])
    return metas


def seconds(call, *arguments):
    start = time.process_time()
    made = call(*arguments)
    return time.process_time() - start, made


def measure(nodes, batch):
    recorded = build(nodes, batch)
    metas = record(*recorded)
    print('%d ops, batch %s' % (len(recorded[0].get_operations()), batch))
    times = {}
    sides = (('TensorFlow', theirs, build(nodes, batch)[0]), ('tfprof', ours, build(nodes, batch)[0]))
    made = {}
    for name, side, graph in sides:
        times[name], made[name] = seconds(side.Profiler, graph)
        print('  %-10s Profiler()        %9.1f ms' % (name, times[name] * 1e3))
    print('  ratio %.1f' % (times['TensorFlow'] / times['tfprof']))
    steps = {name: [] for name in made}
    for number in range(4):
        for name, profiler in made.items():
            steps[name].append(seconds(profiler.add_step, number, metas[number % 2])[0])
    for name, spent in steps.items():
        print('  %-10s add_step, first  %9.2f ms, then %9.2f ms' % (
            name, spent[0] * 1e3, statistics.median(spent[1:]) * 1e3))
    first = steps['TensorFlow'][0] / steps['tfprof'][0]
    later = statistics.median(steps['TensorFlow'][1:]) / statistics.median(steps['tfprof'][1:])
    print('  ratio %.1f, then %.1f' % (first, later))
    return min(first, later)


def resident():
    """Bytes of memory in use now."""
    with open('/proc/self/statm') as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def growth(calls=1000):
    """The growth of memory over many calls. An added step is kept; any other growth would be a
    leak."""
    recorded = build(1000, None)
    metas = record(*recorded)
    profiler = ours.Profiler(recorded[0])
    options = dict(ours.ProfileOptionBuilder.time_and_memory(), output='none')
    for what, call, given in (
            ('add_step', lambda i: profiler.add_step(0, metas[i % 2]), sum(m.ByteSize() for m in metas) / 2),
            ('profile_name_scope', lambda i: profiler.profile_name_scope(options), 0)):
        for number in range(calls + calls // 10):
            if number == calls // 10:
                before = resident()
            call(number)
        print('%d calls of %s: %.1f KiB more each, of %.1f KiB of run metadata' % (
            calls, what, (resident() - before) / calls / 1024, given / 1024))


def main():
    nodes = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    worst = min(measure(nodes, batch) for batch in (8, None))
    growth()
    print('add_step: at least %.1f times as fast (wanted: %d)' % (worst, WANTED))
    return worst < WANTED


if __name__ == '__main__':
    sys.exit(main())
