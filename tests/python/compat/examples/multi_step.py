# SPDX-License-Identifier: Apache-2.0
"""Several steps of different fetches under one profiler."""

import os
import sys

import tensorflow.compat.v1 as tf
from tensorflow.core.profiler import tfprof_log_pb2
from tensorflow.python.profiler import model_analyzer
from tensorflow.python.profiler import option_builder

folder = sys.argv[1]
tf.disable_eager_execution()
builder = option_builder.ProfileOptionBuilder

image = tf.zeros([2, 6, 6, 3])
kernel1 = tf.get_variable('DW', [3, 3, 3, 6], use_resource=False)
kernel2 = tf.get_variable('DW2', [2, 3, 3, 6], use_resource=False)
r1 = tf.nn.conv2d(image, kernel1, [1, 2, 2, 1], 'SAME')
r2 = tf.nn.conv2d(image, kernel2, [1, 2, 2, 1], 'SAME')
r3 = r1 + r2

op_log = tfprof_log_pb2.OpLogProto()
for name in ('DW', 'DW2'):
    op_log.log_entries.add(name=name, types=['kernels'])

opts = builder(builder.time_and_memory()).with_accounted_types(['.*']).build()

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    profiler = model_analyzer.Profiler(sess.graph, op_log=op_log)
    for step, fetch in enumerate((r1, r2, r3), 1):
        run_meta = tf.RunMetadata()
        sess.run(
            fetch,
            options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
            run_metadata=run_meta,
        )
        profiler.add_step(step, run_meta)

for step in (1, 2, 3, -1):
    found = profiler.profile_graph(builder(opts).with_step(step).build())
    print('step %d: %d us, %d bytes' % (step, found.total_exec_micros, found.total_requested_bytes))
kernels = builder().with_accounted_types(['kernels']).select(['params', 'op_types']).build()
print('kernels: %d' % profiler.profile_name_scope(kernels).total_parameters)
profiler.profile_python(
    builder()
    .with_max_depth(2)
    .select(['micros'])
    .with_file_output(os.path.join(folder, 'code'))
    .build()
)
profiler.advise(options=model_analyzer.ALL_ADVICE)
with open(os.path.join(folder, 'serialized'), 'wb') as f:
    f.write(profiler.serialize_to_string())
