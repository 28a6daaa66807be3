# SPDX-License-Identifier: Apache-2.0
"""A softmax classifier of (made-up) digits, profiled while it trains."""

import os
import sys

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.compat.v1 import profiler as tfprof

folder = sys.argv[1]
tf.disable_eager_execution()
tf.set_random_seed(1)
rng = np.random.RandomState(1)


def next_batch(count):
    labels = rng.randint(0, 10, count)
    images = rng.rand(count, 784) * 0.1
    images[np.arange(count), labels * 70] += 1.0  # a bright pixel that identifies the digit
    return images, np.eye(10)[labels]


x = tf.placeholder(tf.float32, [None, 784], name='x-input')
y_ = tf.placeholder(tf.float32, [None, 10], name='y-input')
with tf.name_scope('layer1'):
    W = tf.Variable(tf.zeros([784, 10]), name='weights', use_resource=False)
    b = tf.Variable(tf.zeros([10]), name='biases', use_resource=False)
    y = tf.matmul(x, W) + b
with tf.name_scope('cross_entropy'):
    cross_entropy = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=y))
train_step = tf.train.GradientDescentOptimizer(0.5).minimize(cross_entropy)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1)), tf.float32))

builder = tfprof.ProfileOptionBuilder
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    profiler = tfprof.Profiler(sess.graph)
    for i in range(50):
        images, labels = next_batch(100)
        if i % 10 == 9:
            run_metadata = tf.RunMetadata()
            sess.run(
                train_step,
                feed_dict={x: images, y_: labels},
                options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
                run_metadata=run_metadata,
            )
            profiler.add_step(i, run_metadata)
        else:
            sess.run(train_step, feed_dict={x: images, y_: labels})
    images, labels = next_batch(500)
    print('learnt: %s' % (sess.run(accuracy, feed_dict={x: images, y_: labels}) > 0.9))

profiler.profile_name_scope(options=builder.trainable_variables_parameter())
profiler.profile_operations(options=builder(builder.time_and_memory()).order_by('micros').build())
opts = (
    builder(builder.time_and_memory())
    .with_step(49)
    .with_timeline_output(os.path.join(folder, 'timeline.json'))
    .build()
)
profiler.profile_graph(options=opts)
profiler.advise({'ExpensiveOperationChecker': {}, 'OperationChecker': {}})
