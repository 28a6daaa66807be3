# SPDX-License-Identifier: Apache-2.0
"""Float operations of a Keras model, counted the way most TensorFlow 2 programs do it."""

import tensorflow as tf
from tensorflow.compat.v1 import profiler
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

tf.keras.backend.clear_session()
with tf.init_scope():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input([16, 16, 3]),
            tf.keras.layers.Conv2D(8, 3, padding='same', activation='relu'),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(10),
        ]
    )
    inputs = tf.TensorSpec([1] + list(model.inputs[0].shape[1:]), model.inputs[0].dtype)
    concrete = tf.function(model).get_concrete_function(inputs)
    frozen = convert_variables_to_constants_v2(concrete)

graph_info = profiler.profile(
    graph=frozen.graph,
    options=profiler.ProfileOptionBuilder(profiler.ProfileOptionBuilder.float_operation()).build(),
)
print('FLOPs: %d' % graph_info.total_float_ops)

# The same in another common form: in a graph of its own, with the op view.
graph = tf.Graph()
with graph.as_default():
    tf.import_graph_def(frozen.graph.as_graph_def(), name='')
by_type = profiler.profile(graph, cmd='op', options=profiler.ProfileOptionBuilder.float_operation())
print('Conv2D and MatMul: %s' % sorted(child.name for child in by_type.children))
