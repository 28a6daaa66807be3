# SPDX-License-Identifier: Apache-2.0
"""Parameters of real exports and checkpoints, against what Keras and TensorFlow count: for tests/flops/run.py.

EXPORTS: each function is given a folder, writes into it, and yields (title, path, total, trainable): what the model has,
and None for trainable where the file does not tell.
"""
import json
import os
import subprocess

import oracle

tf = oracle.tf
v1 = tf.compat.v1
import keras  # noqa: E402


def elements(variables):
    return int(sum(v.shape.num_elements() if hasattr(v.shape, "num_elements") else keras.ops.size(v) for v in variables))


def convnet():
    image = keras.Input((8, 8, 3))
    x = keras.layers.Conv2D(4, 3, activation="relu")(image)
    x = keras.layers.BatchNormalization()(x)
    x = keras.layers.Dropout(0.5)(x)
    return keras.Model(image, keras.layers.Dense(10)(keras.layers.Flatten()(x)))


def recurrent():
    words = keras.Input((6,), dtype="int32")
    x = keras.layers.Embedding(20, 8)(words)
    return keras.Model(words, keras.layers.Dense(3)(keras.layers.GRU(4)(keras.layers.LSTM(5, return_sequences=True)(x))))


def attention():
    tokens = keras.Input((6, 8))
    x = keras.layers.MultiHeadAttention(2, 4)(tokens, tokens)
    x = keras.layers.LayerNormalization()(x + tokens)
    shared = keras.layers.Dense(8, name="shared")  # one layer, called twice, counts once
    return keras.Model(tokens, shared(shared(x)))


def partly_frozen():
    net = convnet()
    net.layers[1].trainable = False
    return net


def keras_exports(folder):
    for build in (convnet, recurrent, attention, partly_frozen):
        net = build()
        path = os.path.join(folder, build.__name__)
        net.export(path, verbose=False)
        yield "keras export " + build.__name__, path, net.count_params(), elements(net.trainable_weights)
        yield "checkpoint of keras export " + build.__name__, path + "/variables/variables", net.count_params(), None


def trained():
    net = convnet()
    net.compile("adam", "mse")
    net.fit(tf.zeros([2, 8, 8, 3]), tf.zeros([2, 10]), verbose=0)
    return net


def keras_saves(folder):
    net = trained()
    path = os.path.join(folder, "saved")
    tf.saved_model.save(net, path)
    yield "saved_model.save of a trained model", path, net.count_params(), elements(net.trainable_weights)
    yield "checkpoint of saved_model.save", path + "/variables/variables", net.count_params(), None
    prefix = os.path.join(folder, "model_and_optimizer")
    tf.train.Checkpoint(model=net, optimizer=net.optimizer).write(prefix)
    yield "checkpoint with an optimizer", prefix, net.count_params(), elements(net.trainable_weights)
    prefix = os.path.join(folder, "model_alone")
    tf.train.Checkpoint(model=net).write(prefix)
    yield "checkpoint of a model", prefix, net.count_params(), None


class Module(tf.Module):
    """Two variables with one name, a counter, and two signatures that share them."""

    def __init__(self):
        super().__init__()
        self.kernel = tf.Variable(tf.ones([3, 4]), name="w")
        self.offset = tf.Variable(tf.ones([4]), trainable=False, name="w")
        self.step = tf.Variable(0, dtype=tf.int64, trainable=False, name="step")

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def predict(self, x):
        return tf.matmul(x, self.kernel) + self.offset

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def train(self, x):
        self.step.assign_add(1)
        return tf.matmul(x, self.kernel)


def modules(folder):
    module = Module()
    path = os.path.join(folder, "module")
    tf.saved_model.save(module, path, signatures={"serving_default": module.predict, "train": module.train})
    yield "module with two signatures", path, 16, 12
    path = os.path.join(folder, "module_without")
    tf.saved_model.save(module, path)
    yield "module without a signature", path, 16, 12
    optimizer = v1.train.AdamOptimizer()
    optimizer.minimize(lambda: tf.reduce_sum(module.kernel * module.kernel), var_list=[module.kernel])
    prefix = os.path.join(folder, "module_and_slots")
    tf.train.Checkpoint(module=module, optimizer=optimizer).save(prefix)
    yield "checkpoint with slots in their places", prefix + "-1", 16, 12
    graph = module.predict.get_concrete_function().graph.as_graph_def(add_shapes=True)
    path = os.path.join(folder, "captured.pb")
    with open(path, "wb") as file:
        file.write(graph.SerializeToString())
    yield "graph of a function with captured variables", path, 16, None


def graph_1(resource):
    x = v1.placeholder(tf.float32, [None, 3], name="x")
    w = v1.get_variable("w", [3, 4], use_resource=resource)
    b = v1.get_variable("b", [4], trainable=False, use_resource=resource)
    y = tf.matmul(x, w) + b
    step = v1.train.get_or_create_global_step()
    train = v1.train.AdamOptimizer().minimize(tf.reduce_sum(y * y), global_step=step)
    averages = tf.train.ExponentialMovingAverage(0.9)
    with tf.control_dependencies([train]):
        averages.apply([w])
    return x, y


def graphs_1(folder):
    for resource in (False, True):
        title = "TensorFlow 1, %s variables: " % ("resource" if resource else "ref")
        path = os.path.join(folder, "one_%d" % resource)
        with tf.Graph().as_default() as graph, v1.Session() as session:
            x, y = graph_1(resource)
            # averages start with the values of their variables
            session.run(v1.variables_initializer(v1.trainable_variables()))
            session.run(v1.global_variables_initializer())
            v1.train.Saver().save(session, path)
            v1.train.Saver(write_version=v1.train.SaverDef.V1).save(session, path + "_v1")
            v1.saved_model.simple_save(session, path + "_saved", {"x": x}, {"y": y})
            with open(path + ".pb", "wb") as file:
                file.write(graph.as_graph_def().SerializeToString())
        yield title + "graph", path + ".pb", 16, 12
        yield title + "meta graph", path + ".meta", 16, 12
        yield title + "saved model", path + "_saved", 16, 12
        yield title + "checkpoint V2", path, 16, 12
        yield title + "checkpoint V1", path + "_v1", 16, 12


def train_steps(folder):
    """A training step as one graph: Keras' optimizers write out each update."""
    for name, optimizer in (("adam", keras.optimizers.Adam()), ("sgd", keras.optimizers.SGD(0.1, momentum=0.9)),
                            ("adamw", keras.optimizers.AdamW()), ("rmsprop", keras.optimizers.RMSprop())):
        net = convnet()
        optimizer.build(net.trainable_variables)

        @tf.function(input_signature=[tf.TensorSpec([2, 8, 8, 3])])
        def step(image, net=net, optimizer=optimizer):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(net(image, training=True) ** 2)
            optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
            return loss

        path = os.path.join(folder, name + ".pb")
        with open(path, "wb") as file:
            file.write(step.get_concrete_function().graph.as_graph_def(add_shapes=True).SerializeToString())
        yield "train step with " + name, path, net.count_params(), elements(net.trainable_weights)


EXPORTS = [keras_exports, keras_saves, modules, train_steps, graphs_1]


def total_of(program, path, *options):
    """The root of the scope view in JSON: the sum of all accounted parameters."""
    flag = "--checkpoint_path" if os.path.exists(path + ".index") or path.endswith("_v1") else "--graph_path"
    command = program + ["scope", "%s=%s" % (flag, path), "-float_ops_source", "own", "-select", "params", "-order_by",
                         "params", "-max_depth", "100", "--format", "json", *options]
    if flag == "--checkpoint_path":
        command = [word for word in command if word not in ("-float_ops_source", "own")]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if answer.returncode:
        raise RuntimeError(answer.stderr)
    return json.loads(answer.stdout)["root"]["total_parameters"]


def check(tally, program, folder):
    for export in EXPORTS:
        for title, path, total, trainable in export(folder):
            wanted = [(total, []), (trainable, ["-account_type_regexes", "_trainable_variables"])]
            for number, options in wanted:
                if number is None:
                    continue
                try:
                    ours = total_of(program, path, *options)
                except (RuntimeError, ValueError, subprocess.SubprocessError) as wrong:
                    tally.note(False, "parameters of %s: %s" % (title, wrong))
                    continue
                kind = "trainable parameters" if options else "parameters"
                tally.note(ours == number, "%s of %s: wanted %d, ours %d" % (kind, title, number, ours))
