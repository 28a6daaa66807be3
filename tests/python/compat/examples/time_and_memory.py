# SPDX-License-Identifier: Apache-2.0
"""One traced run: where do time and memory go?"""

import os
import sys

import tensorflow.compat.v1 as tf
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.profiler import model_analyzer
from tensorflow.python.profiler import option_builder

folder = sys.argv[1]
tf.disable_eager_execution()
builder = option_builder.ProfileOptionBuilder


def layer(x, name, width):
    with tf.variable_scope(name):
        weights = tf.get_variable('weights', [x.shape[1], width], use_resource=False)
        return tf.nn.sigmoid(tf.matmul(x, weights, name='product'))


inputs = tf.random_uniform([100, 40], name='inputs')
outputs = layer(layer(inputs, 'layer_1', 30), 'layer_2', 20)
loss = tf.reduce_mean(tf.square(outputs), name='loss')
train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss)

run_metadata = config_pb2.RunMetadata()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    _ = sess.run(
        train_op,
        options=config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE),
        run_metadata=run_metadata,
    )

graph = tf.get_default_graph()
opts = (
    builder(builder.time_and_memory())
    .with_node_names(show_name_regexes=['.*time_and_memory.py.*'])
    .build()
)
model_analyzer.profile(graph, run_meta=run_metadata, cmd='code', options=opts)
model_analyzer.profile(
    graph, run_meta=run_metadata, cmd='op', options=builder.time_and_memory(min_micros=0)
)

layers = (
    builder()
    .with_max_depth(3)
    .with_node_names(start_name_regexes=['layer_.*'], hide_name_regexes=['.*Initializer.*'])
    .select(['micros', 'bytes', 'device', 'input_shapes'])
    .order_by('micros')
    .build()
)
node = model_analyzer.profile(graph, run_meta=run_metadata, cmd='scope', options=layers)
print('layers: %s' % [child.name for child in node.children])

timeline = (
    builder(builder.time_and_memory())
    .with_step(0)
    .with_timeline_output(os.path.join(folder, 'timeline'))
    .build()
)
model_analyzer.profile(graph, run_meta=run_metadata, cmd='graph', options=timeline)
pprof = builder().select(['micros']).with_pprof_output(os.path.join(folder, 'code.pb.gz')).build()
model_analyzer.profile(graph, run_meta=run_metadata, cmd='code', options=pprof)

advice = model_analyzer.advise(graph, run_meta=run_metadata)
for name in sorted(advice.checkers):
    for line in advice.checkers[name].reports:
        print('%s says %s' % (name, line))
