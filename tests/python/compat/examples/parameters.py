# SPDX-License-Identifier: Apache-2.0
"""How large is the model, and what does it compute? Nothing is run."""

import sys

import tensorflow.compat.v1 as tf
from tensorflow.compat.v1 import profiler

tf.disable_eager_execution()
ProfileOptionBuilder = profiler.ProfileOptionBuilder

x = tf.placeholder(tf.float32, [64, 28, 28, 1])
with tf.variable_scope('conv1'):
    kernel = tf.get_variable('kernel', [5, 5, 1, 8])
    y = tf.nn.relu(tf.nn.conv2d(x, kernel, [1, 2, 2, 1], 'SAME'))
with tf.variable_scope('logits'):
    weights = tf.get_variable('weights', [14 * 14 * 8, 10])
    logits = tf.matmul(tf.reshape(y, [64, -1]), weights) + tf.get_variable('biases', [10])

# By name scope.
param_stats = profiler.profile(
    tf.get_default_graph(), options=ProfileOptionBuilder.trainable_variables_parameter()
)
sys.stdout.write('total_params: %d\n' % param_stats.total_parameters)

# By the lines of this file.
opts = (
    ProfileOptionBuilder(ProfileOptionBuilder.trainable_variables_parameter())
    .with_node_names(show_name_regexes=['.*parameters.py.*'])
    .build()
)
by_line = profiler.profile(tf.get_default_graph(), cmd='code', options=opts)
sys.stdout.write('by line: %d\n' % by_line.total_parameters)

# Float operations, all of them, and those of the convolution.
flops = profiler.profile(tf.get_default_graph(), options=ProfileOptionBuilder.float_operation())
print(
    'FLOPs: {};    Trainable params: {}'.format(flops.total_float_ops, param_stats.total_parameters)
)
opts = (
    ProfileOptionBuilder(ProfileOptionBuilder.float_operation())
    .with_accounted_types(['Conv2D'])
    .order_by('float_ops')
    .select(['float_ops', 'params'])
    .build()
)
print(
    'Conv2D: %d' % profiler.profile(tf.get_default_graph(), cmd='op', options=opts).total_float_ops
)
profiler.write_op_log(tf.get_default_graph(), sys.argv[1])
