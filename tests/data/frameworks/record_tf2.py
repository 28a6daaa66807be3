#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records TensorFlow 2 on the CPU as XPlane traces: tests/data/frameworks/record_tf2.py OUT

    OUT/keras.xplane.pb    model.fit of a small Keras model, fed by tf.data: its batches are roots, there is no step number
    OUT/slow.xplane.pb     the same fit, whose input takes 20 ms a batch in Python
    OUT/predict.xplane.pb  predict with that model
    OUT/function.xplane.pb a loop that calls a tf.function and marks nothing
    OUT/loop.xplane.pb     the same net in a loop of our own: a tf.function, three steps marked by tf.profiler.experimental.Trace
    OUT/eager.xplane.pb    three steps marked like these, without a tf.function: each operation runs eagerly
    OUT/loop.graph.pb      the GraphDef of that tf.function, to be given beside the trace

Needs tensorflow and keras (recorded with 2.21.0). tests/trace/record.py runs it.
"""
import glob
import os
import shutil
import sys
import tempfile
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

BATCH, STEPS = 16, 3
QUIET = tf.profiler.experimental.ProfilerOptions(host_tracer_level=2, python_tracer_level=0, device_tracer_level=0)


def data():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(BATCH * STEPS, 12)).astype("float32"), rng.integers(0, 4, BATCH * STEPS)
    return tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH, drop_remainder=True).map(lambda a, b: (a * 2.0, b)).prefetch(1)


def record(path, work):
    work()  # traces and compiles it before recording
    folder = tempfile.mkdtemp()
    tf.profiler.experimental.start(folder, QUIET)
    work()
    tf.profiler.experimental.stop()
    shutil.copy(glob.glob(folder + "/plugins/profile/*/*.xplane.pb")[0], path)
    shutil.rmtree(folder)


def slowly(x, y):
    def wait(a):
        time.sleep(0.02)
        return a
    waited = tf.numpy_function(wait, [x], tf.float32)
    waited.set_shape(x.shape)
    return waited, y


def keras(out):
    model = tf.keras.Sequential([tf.keras.layers.Input((12,)), tf.keras.layers.Dense(256, "relu", name="hidden"),
                                 tf.keras.layers.Dense(4, name="logits")])
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    batches, slow = data(), data().map(slowly).prefetch(1)
    record(out + "/keras.xplane.pb", lambda: model.fit(batches, epochs=1, verbose=0))
    record(out + "/slow.xplane.pb", lambda: model.fit(slow, epochs=1, verbose=0))
    record(out + "/predict.xplane.pb", lambda: model.predict(batches.map(lambda x, y: x), verbose=0))


def loop(out):
    w1, w2 = (tf.Variable(tf.random.stateless_normal(s, [1, 2]), name=n) for s, n in (([12, 32], "hidden/w"), ([32, 4], "logits/w")))

    @tf.function(input_signature=[tf.TensorSpec([BATCH, 12]), tf.TensorSpec([BATCH], tf.int64)])
    def train(x, y):
        with tf.GradientTape() as tape:
            with tf.name_scope("hidden"):
                h = tf.nn.relu(tf.matmul(x, w1))
            with tf.name_scope("logits"):
                logits = tf.matmul(h, w2)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
        for w, g in zip((w1, w2), tape.gradient(loss, (w1, w2))):
            w.assign_sub(0.1 * g)
        return loss

    batches = data()

    def plain():
        for x, y in batches:
            train(x, y)

    def work():
        for step, (x, y) in enumerate(batches):
            with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
                train(x, y)

    record(out + "/function.xplane.pb", plain)
    record(out + "/loop.xplane.pb", work)
    with open(out + "/loop.graph.pb", "wb") as f:
        f.write(train.get_concrete_function().graph.as_graph_def(add_shapes=True).SerializeToString())


def eager(out):
    w, x = tf.Variable(tf.random.stateless_normal([12, 4], [1, 2])), tf.random.stateless_normal([BATCH, 12], [3, 4])

    def work():
        for step in range(STEPS):
            with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(tf.nn.relu(tf.matmul(x, w)))
                w.assign_sub(0.1 * tape.gradient(loss, w))

    record(out + "/eager.xplane.pb", work)


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    keras(out)
    loop(out)
    eager(out)


main()
