# SPDX-License-Identifier: Apache-2.0
"""The forms of each model in nets.py: a TensorFlow 1 graph, a function, the graphs of Keras; frozen, saved, without shapes."""
import contextlib
import os

import oracle
from net_models import Graph1, Store

tf = oracle.tf
v1 = tf.compat.v1
import keras  # noqa: E402
from tensorflow.core.protobuf import saved_model_pb2  # noqa: E402
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2  # noqa: E402

F, I = tf.float32, tf.int32


def loss_of(y):
    return tf.reduce_mean(tf.square(y))


@contextlib.contextmanager
def old_control_flow(old):
    if old:
        v1.disable_control_flow_v2()
    try:
        yield
    finally:
        if old:
            v1.enable_control_flow_v2()


def graph1(model, *inputs, optimizer=None, resource=False, old=True):
    """A TensorFlow 1 graph: inputs are (dtype, shape) of its placeholders."""
    with tf.Graph().as_default() as g, old_control_flow(old):
        fed = [v1.placeholder(dtype, shape, "input%d" % i if i else "input") for i, (dtype, shape) in enumerate(inputs)]
        out = tf.identity(model(*fed, Graph1(resource)), "output")
        if optimizer:
            optimizer().minimize(loss_of(out), v1.train.get_or_create_global_step())
    return g


def function2(model, *inputs, train=None, store=None):
    """A concrete function: the forward pass, or with `train` a step of an optimizer."""
    store = store or Store()

    @tf.function(input_signature=[tf.TensorSpec(shape, dtype) for dtype, shape in inputs], autograph=False)
    def forward(*xs):
        return model(*xs, store)

    concrete = forward.get_concrete_function()
    if not train:
        return concrete, store
    variables = list(store.made.values())

    @tf.function(input_signature=[tf.TensorSpec(shape, dtype) for dtype, shape in inputs], autograph=False)
    def step(*xs):
        with tf.GradientTape() as tape:
            loss = loss_of(model(*xs, store))
        train(variables, tape.gradient(loss, variables))
        return loss

    return step.get_concrete_function(), store


def descend(variables, gradients):
    for variable, gradient in zip(variables, gradients):
        if gradient is not None:
            variable.assign_sub(0.1 * tf.convert_to_tensor(gradient))


def apply_adam(variables, gradients):
    """TensorFlow's kernels for it, which Keras does not use."""
    for variable, gradient in zip(variables, gradients):
        if isinstance(gradient, tf.IndexedSlices):
            tf.raw_ops.ResourceSparseApplyAdagradV2(
                var=variable.handle, accum=variable.handle, lr=0.1, epsilon=1e-7, grad=gradient.values,
                indices=gradient.indices)
        elif gradient is not None:
            tf.raw_ops.ResourceApplyAdam(
                var=variable.handle, m=variable.handle, v=variable.handle, beta1_power=0.9, beta2_power=0.9, lr=0.1,
                beta1=0.9, beta2=0.99, epsilon=1e-7, grad=gradient)


def keras_train(model, *inputs, optimizer=None):
    """The training step of Model.fit."""
    optimizer = optimizer or keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)

    @tf.function(input_signature=[tf.TensorSpec(shape, dtype) for dtype, shape in inputs], autograph=False)
    def step(*xs):
        with tf.GradientTape() as tape:
            loss = loss_of(model(*xs, training=True))
        optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
        return loss

    return step.get_concrete_function()


def keras_forward(model, *inputs):
    forward = tf.function(lambda *xs: model(*xs, training=False), autograph=False,
                          input_signature=[tf.TensorSpec(shape, dtype) for dtype, shape in inputs])
    return forward.get_concrete_function()


def frozen(concrete):
    return convert_variables_to_constants_v2(concrete, lower_control_flow=False).graph.as_graph_def()


def inlined(concrete):
    """Frozen, with the control flow of TensorFlow 1."""
    return convert_variables_to_constants_v2(concrete, lower_control_flow=True).graph.as_graph_def()


def without_shapes(graph_def):
    for nodes in [graph_def.node] + [f.node_def for f in graph_def.library.function]:
        for node in nodes:
            node.attr.pop("_output_shapes", None)
    return graph_def


def both(title, graph):
    """The graph without shapes, and with them."""
    yield title, without_shapes(graph.as_graph_def())
    yield title + " with shapes", graph.as_graph_def(add_shapes=True)


def both_saved(title, folder):
    """The saved model, and a copy without its shapes."""
    yield title, folder
    with open(os.path.join(folder, "saved_model.pb"), "rb") as file:
        saved = saved_model_pb2.SavedModel.FromString(file.read())
    bare = folder + " bare"
    os.makedirs(bare, exist_ok=True)
    without_shapes(saved.meta_graphs[0].graph_def)
    with open(os.path.join(bare, "saved_model.pb"), "wb") as file:
        file.write(saved.SerializeToString(deterministic=True))
    yield title + " without shapes", bare
