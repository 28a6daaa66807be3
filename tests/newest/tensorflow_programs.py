# SPDX-License-Identifier: Apache-2.0
"""tests/newest/tensorflow_programs.py OUT: records small programs of TensorFlow and Keras, with TensorFlow's own counts beside them."""
import glob
import json
import os
import shutil
import sys
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2  # noqa: E402

OUT = sys.argv[1]


def write(name, what):
    with open(os.path.join(OUT, name + ".table"), "w", encoding="utf-8") as f:
        json.dump(what, f)


def counted(graph):
    v1 = tf.compat.v1
    options = v1.profiler.ProfileOptionBuilder(v1.profiler.ProfileOptionBuilder.float_operation()).with_empty_output().build()
    with graph.as_default():
        return v1.profiler.profile(graph, options=options).total_float_ops


def graph_of(name, function, *specs):
    frozen = convert_variables_to_constants_v2(tf.function(function).get_concrete_function(*specs))
    with open(os.path.join(OUT, name + ".graph.pb"), "wb") as f:
        f.write(frozen.graph.as_graph_def(add_shapes=True).SerializeToString())
    write(name, {"flops": counted(frozen.graph)})


def traced(name, work, steps):
    work(-1)
    folder = tempfile.mkdtemp()
    tf.profiler.experimental.start(folder)
    for step in range(steps):
        with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
            work(step)
    tf.profiler.experimental.stop()
    shutil.move(glob.glob(folder + "/**/*.xplane.pb", recursive=True)[0], os.path.join(OUT, name + ".xplane.pb"))
    write(name, {"steps": steps})


rng = np.random.default_rng(1)
weights = tf.Variable(rng.normal(size=(16, 8)).astype("float32"))
kernel = tf.Variable(rng.normal(size=(3, 3, 3, 4)).astype("float32"))
graph_of("dense", lambda x: tf.matmul(x, weights), tf.TensorSpec((4, 16)))
graph_of("convolution", lambda x: tf.nn.conv2d(x, kernel, 1, "SAME"), tf.TensorSpec((2, 8, 8, 3)))
call = tf.function(lambda: tf.reduce_sum(tf.matmul(tf.ones((32, 16)), weights)))
traced("function", lambda step: call().numpy(), 4)
model = keras.Sequential([keras.Input((12,)), keras.layers.Dense(32, "relu"), keras.layers.BatchNormalization(), keras.layers.Dense(4)])
model.compile("adam", "mse")
data = rng.normal(size=(48, 12)).astype("float32"), rng.normal(size=(48, 4)).astype("float32")
traced("fit", lambda step: model.fit(*data, batch_size=16, verbose=0), 3)
model.export(os.path.join(OUT, "saved"), verbose=False)
write("saved", {"params": model.count_params(), "trained": int(sum(np.prod(v.shape) for v in model.trainable_variables))})
with open(os.path.join(OUT, "versions"), "w", encoding="utf-8") as f:
    f.write(f"tensorflow {tf.__version__}, keras {keras.__version__}")
