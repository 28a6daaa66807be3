# SPDX-License-Identifier: Apache-2.0
"""The tutorial of TensorFlow 1.0's tfprof: parameters, float operations, time and memory of one
run."""

import sys

import tensorflow.compat.v1 as tf
from tensorflow.contrib import tfprof

folder = sys.argv[1]
tf.disable_eager_execution()

x = tf.ones([8, 16], name='x')
with tf.variable_scope('dense'):
    weights = tf.get_variable('weights', [16, 4], use_resource=False)
    y = tf.matmul(x, weights, name='product')

param_stats = tfprof.model_analyzer.print_model_analysis(
    tf.get_default_graph(), tfprof_options=tfprof.model_analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS
)
sys.stdout.write('total_params: %d\n' % param_stats.total_parameters)

tfprof.model_analyzer.print_model_analysis(
    tf.get_default_graph(), tfprof_options=tfprof.model_analyzer.FLOAT_OPS_OPTIONS
)

run_metadata = tf.RunMetadata()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(
        y, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=run_metadata
    )
node = tfprof.model_analyzer.print_model_analysis(
    tf.get_default_graph(),
    run_meta=run_metadata,
    tfprof_options=tfprof.model_analyzer.PRINT_ALL_TIMING_MEMORY,
)
sys.stdout.write('took time: %s\n' % (node.total_exec_micros > 0))

tfprof.tfprof_logger.write_op_log(tf.get_default_graph(), folder, run_meta=run_metadata)
