# SPDX-License-Identifier: Apache-2.0
"""A graph of TensorFlow 2 with what makes float operations hard to count: loops with known and unknown trips, branches, a
Python function, shapes that depend on values, a batch that is left open."""
import os

import tensorflow as tf


def step(weights):
    return lambda i, rows: (i + 1, tf.matmul(rows, weights, name='product'))


@tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 3], tf.float32, 'images'), tf.TensorSpec([], tf.int32, 'times')])
def model(images, times):
    features = tf.nn.relu(tf.nn.conv2d(images, tf.ones([3, 3, 3, 4]), 2, 'SAME', name='conv'), name='relu')
    rows = tf.reshape(features, [-1, 64], name='rows')
    weights = tf.constant(0.5, shape=[64, 64], name='weights')
    _, five = tf.while_loop(lambda i, _: i < 5, step(weights), (0, rows), maximum_iterations=5, name='five')
    _, some = tf.while_loop(lambda i, _: i < times, step(weights), (0, five), name='some')
    chosen = tf.cond(times > 3, lambda: tf.nn.softmax(some), lambda: some + 1, name='chosen')
    seen = tf.numpy_function(lambda x: x, [chosen], tf.float32, name='python')
    positive = tf.boolean_mask(chosen, tf.reduce_max(chosen, 1) > 0, name='positive')
    return tf.add(positive, 1.0, name='more'), tf.square(seen, name='squares')


def loops(folder):
    os.makedirs(folder, exist_ok=True)
    with open(folder + '/graph.pb', 'wb') as f:
        f.write(model.get_concrete_function().graph.as_graph_def().SerializeToString(deterministic=True))
