# SPDX-License-Identifier: Apache-2.0
"""The same kind of training under a ProfileContext, which traces, profiles and dumps at chosen
steps."""

import os
import sys

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.compat.v1.profiler import ProfileOptionBuilder as builder
from tensorflow.python.profiler import profile_context

folder = sys.argv[1]
tf.disable_eager_execution()
rng = np.random.RandomState(3)
x = tf.placeholder(tf.float32, [None, 784], name='x')
y_ = tf.placeholder(tf.int64, [None], name='y')
with tf.name_scope('softmax'):
    W = tf.Variable(tf.zeros([784, 10]), name='W', use_resource=False)
    b = tf.Variable(tf.zeros([10]), name='b', use_resource=False)
    logits = tf.matmul(x, W) + b
loss = tf.losses.sparse_softmax_cross_entropy(labels=y_, logits=logits)
train_op = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

time_opts = (
    builder(builder.time_and_memory())
    .order_by('micros')
    .with_file_output(os.path.join(folder, 'op'))
    .build()
)
param_opts = builder(builder.trainable_variables_parameter()).with_empty_output().build()

# Steps 10, 13, 16 and 19 are traced, and everything is dumped at step 20, for tfprof on the command
# line or in a browser.
with profile_context.ProfileContext(
    os.path.join(folder, 'dumps'), trace_steps=range(10, 20, 3), dump_steps=[20]
) as pctx:
    pctx.add_auto_profiling('op', time_opts, [15, 18, 20])
    pctx.add_auto_profiling('scope', param_opts, [20])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(30):
            sess.run(train_op, feed_dict={x: rng.rand(20, 784), y_: rng.randint(0, 10, 20)})
print('op views of steps %s' % sorted(pctx.get_profiles('op')))
print('parameters: %d' % pctx.get_profiles('scope')[20].total_parameters)

# No steps are chosen: the context picks them itself, and dumps at step 100.
with profile_context.ProfileContext(os.path.join(folder, 'auto')) as pctx:
    with tf.train.MonitoredTrainingSession() as sess:
        for _ in range(101):
            sess.run(train_op, feed_dict={x: rng.rand(20, 784), y_: rng.randint(0, 10, 20)})

# Here the steps are chosen one by one.
with profile_context.ProfileContext(
    os.path.join(folder, 'hand'), trace_steps=[], dump_steps=[]
) as pctx:
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(5):
            if i == 3:
                pctx.trace_next_step()
                pctx.dump_next_step()
            sess.run(train_op, feed_dict={x: rng.rand(20, 784), y_: rng.randint(0, 10, 20)})
        found = pctx.profiler.profile_operations(dict(time_opts, output='none'))
        print('traced by hand: %s' % (found.total_exec_micros > 0))

# A disabled context costs nothing and writes no files.
with profile_context.ProfileContext(os.path.join(folder, 'off'), enabled=False) as pctx:
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
    print('off: %s' % (pctx.profiler is None))
