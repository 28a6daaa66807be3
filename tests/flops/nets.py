# SPDX-License-Identifier: Apache-2.0
"""Real models as graph files. What tfprof must make of them stands in real.py.

FORMS lists what is built: each function yields (title, GraphDef, or the folder of a SavedModel). Files stand in
build/flops-nets/, and are built again when this file or TensorFlow changes. Weights are zeros or random ones: only
shapes count here.

Models in own code take their variables from a Store, so that one text serves TensorFlow 1 graphs (variables of the
graph, ref or resource, control flow of either kind) and tf.function.
"""
import contextlib
import hashlib
import json
import os
import shutil
import tempfile

import compare
import oracle

tf = oracle.tf
v1 = tf.compat.v1
import keras  # noqa: E402
from tensorflow.python.framework import function  # noqa: E402
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2  # noqa: E402
from tensorflow.core.protobuf import saved_model_pb2  # noqa: E402

CACHE = os.path.join(compare.ROOT, "build", "flops-nets")


# ---------------------------------------------------------------- variables
class Graph1:
    """Variables of a TensorFlow 1 graph."""

    def __init__(self, resource):
        self.resource = resource

    def __call__(self, name, shape):
        return v1.get_variable(name, shape, tf.float32, v1.zeros_initializer(), use_resource=self.resource)


class Store:
    """Variables outside of functions, made when they are first asked for."""

    def __init__(self):
        self.made = {}

    def __call__(self, name, shape):
        if name not in self.made:
            with tf.init_scope():
                self.made[name] = tf.Variable(tf.zeros(shape), name=name)
        return self.made[name]


# ---------------------------------------------------------------- models in own code: (inputs..., w) -> outputs
def linear(x, w, name, units):
    """Of any rank, by a matrix product of two."""
    depth = x.shape[-1]
    kernel, bias = w(name + "/kernel", [depth, units]), w(name + "/bias", [units])
    if x.shape.rank == 2:
        return tf.nn.bias_add(tf.matmul(x, kernel), bias)
    flat = tf.nn.bias_add(tf.matmul(tf.reshape(x, [-1, depth]), kernel), bias)
    return tf.reshape(flat, tf.concat([tf.shape(x)[:-1], [units]], 0))


def dense_net(x, w):
    for i in range(3):
        x = tf.nn.relu(linear(x, w, "dense%d" % i, 32))
    return linear(x, w, "logits", 10)


def layer_norm(x, w, name):
    depth = x.shape[-1]
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, w(name + "/beta", [depth]), w(name + "/gamma", [depth]), 1e-12)


def attention(x, memory, w, name, heads, causal=False, einsum=False):
    depth = x.shape[-1]

    def split(y, what):
        y = linear(y, w, "%s/%s" % (name, what), depth)
        return tf.transpose(tf.reshape(y, [-1, y.shape[1], heads, depth // heads]), [0, 2, 1, 3])

    q, k, v = split(x, "q"), split(memory, "k"), split(memory, "v")
    if einsum:
        scores = tf.einsum("bhqd,bhkd->bhqk", q, k)
    else:
        scores = tf.matmul(q, k, transpose_b=True)
    scores = scores * (1.0 / float(depth // heads) ** 0.5)
    if causal:
        length = x.shape[1]
        scores = scores + (1.0 - tf.linalg.band_part(tf.ones([length, length]), -1, 0)) * -1e9
    weights = tf.nn.softmax(scores)
    mixed = tf.einsum("bhqk,bhkd->bhqd", weights, v) if einsum else tf.matmul(weights, v)
    joined = tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [-1, x.shape[1], depth])
    return linear(joined, w, name + "/out", depth)


def feed_forward(x, w, name, units):
    return linear(tf.nn.gelu(linear(x, w, name + "/in", units)), w, name + "/out", x.shape[-1])


def encoder(ids, w, layers=2, depth=32, heads=4, words=100, einsum=False):
    """As BERT: embeddings of words and places, layers, the first place's tanh."""
    x = tf.gather(w("words", [words, depth]), ids) + w("places", [512, depth])[:ids.shape[1]]
    x = layer_norm(x, w, "embedded")
    for i in range(layers):
        name = "layer%d" % i
        x = layer_norm(x + attention(x, x, w, name + "/attention", heads, einsum=einsum), w, name + "/norm1")
        x = layer_norm(x + feed_forward(x, w, name, 4 * depth), w, name + "/norm2")
    return tf.tanh(linear(x[:, 0], w, "pooler", depth))


def bert_base(ids, w):
    return encoder(ids, w, layers=12, depth=768, heads=12, words=30522)


def decoder(ids, memory, w, layers=2, heads=4, words=100):
    depth = memory.shape[-1]
    x = tf.nn.embedding_lookup(w("decoder/words", [words, depth]), ids)
    for i in range(layers):
        name = "decoder%d" % i
        x = layer_norm(x + attention(x, x, w, name + "/self", heads, causal=True), w, name + "/norm1")
        x = layer_norm(x + attention(x, memory, w, name + "/cross", heads, einsum=True), w, name + "/norm2")
        x = layer_norm(x + feed_forward(x, w, name, 2 * depth), w, name + "/norm3")
    return tf.matmul(x, w("decoder/words", [words, depth]), transpose_b=True) if not isinstance(w, Graph1) else linear(
        x, w, "words_out", words)


def lstm_loop(x, w, units=16):
    """A loop over time with lists of tensors, as dynamic_rnn writes it."""
    steps, batch = x.shape[1], tf.shape(x)[0]
    kernel, bias = w("lstm/kernel", [x.shape[2] + units, 4 * units]), w("lstm/bias", [4 * units])
    over_time = tf.TensorArray(tf.float32, steps, element_shape=[x.shape[0], x.shape[2]]).unstack(tf.transpose(x, [1, 0, 2]))
    outputs = tf.TensorArray(tf.float32, steps)
    zero = tf.zeros([batch, units])
    zero.set_shape([x.shape[0], units])

    def step(i, c, h, outputs):
        gates = tf.nn.bias_add(tf.matmul(tf.concat([over_time.read(i), h], 1), kernel), bias)
        a, b, f, o = tf.split(gates, 4, 1)
        c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(a) * tf.tanh(b)
        h = tf.sigmoid(o) * tf.tanh(c)
        return i + 1, c, h, outputs.write(i, h)

    loop = tf.while_loop(lambda i, *_: i < steps, step, (0, zero, zero, outputs), maximum_iterations=steps)
    return tf.reduce_mean(tf.transpose(loop[3].stack(), [1, 0, 2]), 1) + loop[2]


def gru_loop(x, w, units=16):
    steps = x.shape[1]
    zero = tf.zeros([tf.shape(x)[0], units])
    gate, new = w("gru/gates", [x.shape[2] + units, 2 * units]), w("gru/candidate", [x.shape[2] + units, units])

    def step(i, h):
        now = x[:, i]
        r, z = tf.split(tf.sigmoid(tf.matmul(tf.concat([now, h], 1), gate)), 2, 1)
        candidate = tf.tanh(tf.matmul(tf.concat([now, r * h], 1), new))
        return i + 1, z * h + (1 - z) * candidate

    return tf.while_loop(lambda i, h: i < steps, step, (0, zero))[1]


def conv(x, w, name, filters, size=3, stride=1, nchw=False):
    axis = 1 if nchw else 3
    kernel = w(name + "/kernel", [size, size, x.shape[axis], filters])
    strides = [1, 1, stride, stride] if nchw else [1, stride, stride, 1]
    y = tf.nn.conv2d(x, kernel, strides, "SAME", "NCHW" if nchw else "NHWC")
    return tf.nn.relu(tf.nn.bias_add(y, w(name + "/bias", [filters]), "NCHW" if nchw else "NHWC"))


def unet(x, w, nchw=False):
    form = "NCHW" if nchw else "NHWC"
    axis = 1 if nchw else 3
    kept = []
    for i, filters in enumerate((8, 16)):
        x = conv(conv(x, w, "down%d/a" % i, filters, nchw=nchw), w, "down%d/b" % i, filters, nchw=nchw)
        kept.append(x)
        x = tf.nn.max_pool2d(x, 2, 2, "VALID", data_format=form)
    x = conv(x, w, "middle", 32, nchw=nchw)
    for i, filters in ((1, 16), (0, 8)):
        old = kept[i]
        # the size is asked for while the graph runs, as a model for images of any size does
        shape = tf.shape(old)
        to = tf.stack([shape[0], filters, shape[2], shape[3]] if nchw else [shape[0], shape[1], shape[2], filters])
        kernel = w("up%d/kernel" % i, [2, 2, filters, x.shape[axis]])
        x = tf.nn.conv2d_transpose(x, kernel, to, 2, "SAME", form)
        x = conv(tf.concat([old, x], axis), w, "up%d/a" % i, filters, nchw=nchw)
    return conv(x, w, "out", 3, 1, nchw=nchw)


def mixed_convs(x, w):
    """Depthwise, dilated, grouped, three-dimensional; pools, batch norms, resizes."""
    x = tf.nn.depthwise_conv2d(x, w("depthwise", [3, 3, x.shape[3], 2]), [1, 2, 2, 1], "VALID")
    scale, offset = w("scale", [x.shape[3]]), w("offset", [x.shape[3]])
    x, _, _ = v1.nn.fused_batch_norm(x, scale, offset)
    x = tf.nn.conv2d(x, w("dilated", [3, 3, x.shape[3], 8]), 1, [[0, 0], [1, 2], [2, 1], [0, 0]], dilations=2)
    x = tf.nn.conv2d(x, w("grouped", [3, 3, 4, 12]), 2, "SAME")
    x = tf.nn.avg_pool2d(x, 3, 2, "SAME")
    x = tf.image.resize(x, [9, 7]) + tf.cast(tf.image.resize(x, [9, 7], "nearest"), tf.float32)
    deep = tf.expand_dims(x, 1)
    deep = tf.nn.conv3d(tf.tile(deep, [1, 4, 1, 1, 1]), w("cube", [2, 3, 3, 12, 6]), [1, 1, 2, 2, 1], "SAME")
    deep = tf.nn.max_pool3d(deep, 2, 1, "VALID")
    x = tf.reduce_max(deep, 1)
    x = tf.nn.local_response_normalization(x)
    return tf.reduce_mean(tf.nn.separable_conv2d(x, w("sep/d", [2, 2, 6, 1]), w("sep/p", [1, 1, 6, 5]), [1, 1, 1, 1], "SAME"),
                          [1, 2])


def branches(x, w):
    """Branches and loops within each other, some of them with shapes that change."""
    y = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.matmul(x, w("a", [8, 8])), lambda: tf.nn.relu(x))

    def inner(j, z):
        return j + 1, tf.cond(tf.equal(j % 2, 0), lambda: tf.matmul(z, w("b", [8, 8])), lambda: z * 2.0)

    def outer(i, z):
        return i + 1, tf.while_loop(lambda j, _: j < 3, inner, (0, z))[1] + 1.0

    y = tf.while_loop(lambda i, _: i < 5, outer, (0, y))[1]
    grown = tf.while_loop(lambda i, _: i < 2, lambda i, g: (i + 1, tf.concat([g, g], 0)), (0, y),
                          shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, 8])))[1]
    picked = tf.switch_case(tf.cast(tf.reduce_sum(x), tf.int32) % 3,
                            [lambda: y[:, :4], lambda: y[:, 4:], lambda: y[:, 2:6]])
    return tf.concat([picked, y], 1) + tf.reduce_mean(grown)


# ---------------------------------------------------------------- forms
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
    """A concrete function: forward, or with `train` a step of an optimizer."""
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
    """The kernels that TensorFlow has for it, which Keras does not use."""
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
    """The step that Model.fit would take."""
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
    """Frozen, with the control flow that TensorFlow 1 has."""
    return convert_variables_to_constants_v2(concrete, lower_control_flow=True).graph.as_graph_def()


def without_shapes(graph_def):
    for nodes in [graph_def.node] + [f.node_def for f in graph_def.library.function]:
        for node in nodes:
            node.attr.pop("_output_shapes", None)
    return graph_def


def both(title, graph):
    """As written without shapes, and with them."""
    yield title, without_shapes(graph.as_graph_def())
    yield title + " with shapes", graph.as_graph_def(add_shapes=True)


def both_saved(title, folder):
    """As saved, and with its shapes taken out."""
    yield title, folder
    with open(os.path.join(folder, "saved_model.pb"), "rb") as file:
        saved = saved_model_pb2.SavedModel.FromString(file.read())
    bare = folder + " bare"
    os.makedirs(bare, exist_ok=True)
    without_shapes(saved.meta_graphs[0].graph_def)
    with open(os.path.join(bare, "saved_model.pb"), "wb") as file:
        file.write(saved.SerializeToString(deterministic=True))
    yield title + " without shapes", bare


# ---------------------------------------------------------------- what is built
F, I = tf.float32, tf.int32
IMAGE = (F, [None, 32, 32, 3])


def dense(folder):
    momentum = lambda: v1.train.MomentumOptimizer(0.1, 0.9)
    yield from both("dense 1", graph1(dense_net, (F, [None, 20])))
    yield from both("dense 1 train", graph1(dense_net, (F, [16, 20]), optimizer=momentum))
    yield from both("dense 1 train, batch unknown", graph1(
        dense_net, (F, [None, 20]), optimizer=lambda: v1.train.AdamOptimizer(), resource=True))
    concrete, _ = function2(dense_net, (F, [8, 20]))
    yield "dense 2 frozen", frozen(concrete)
    concrete, store = function2(dense_net, (F, [None, 20]), train=apply_adam)
    yield from both("dense 2 train", concrete.graph)
    module = tf.Module()
    module.weights = list(store.made.values())
    module.step = tf.function(concrete)
    module.forward = tf.function(lambda x: dense_net(x, store), input_signature=[tf.TensorSpec([None, 20])])
    tf.saved_model.save(module, folder, {"step": concrete, "serving_default": module.forward})
    yield from both_saved("dense 2 saved", folder)


def resnet(folder):
    model = keras.applications.ResNet50(weights=None)
    forward = keras_forward(model, (F, [1, 224, 224, 3]))
    yield from both("resnet50", forward.graph)
    yield "resnet50 frozen", frozen(forward)
    yield from both("resnet50 train", keras_train(model, (F, [None, 224, 224, 3])).graph)


def resnet_of_a_batch(folder):
    """What a step of the others has, of a known batch: a tenth of the time of all models."""
    model = keras.applications.ResNet50(weights=None)
    step = keras_train(model, (F, [4, 224, 224, 3]), optimizer=keras.optimizers.SGD(0.1, 0.9))
    yield from both("resnet50 train, batch 4", step.graph)


def mobilenet(folder):
    model = keras.applications.MobileNetV2(weights=None)
    forward = keras_forward(model, (F, [1, 224, 224, 3]))
    yield from both("mobilenetv2", forward.graph)
    yield "mobilenetv2 frozen", frozen(forward)
    yield "mobilenetv2 frozen, batch unknown", frozen(keras_forward(model, (F, [None, 224, 224, 3])))
    yield from both("mobilenetv2 train", keras_train(model, (F, [8, 224, 224, 3])).graph)
    model.export(folder, verbose=False)
    yield from both_saved("mobilenetv2 exported", folder)


def vgg(folder):
    model = keras.applications.VGG16(weights=None)
    yield from both("vgg16", keras_forward(model, (F, [1, 224, 224, 3])).graph)


def transformer(folder):
    def both_sides(ids, words, w):
        memory = layer_norm(tf.gather(w("memory", [100, 32]), ids), w, "memory/norm")
        memory = memory + attention(memory, memory, w, "encoder/attention", 4)
        return decoder(words, memory, w)

    adam = lambda: v1.train.AdamOptimizer()
    yield from both("encoder 1 train", graph1(encoder, (I, [None, 24]), optimizer=adam))
    yield from both("encoder 1 train, batch 4", graph1(encoder, (I, [4, 24]), optimizer=adam, resource=True))
    yield from both("decoder 1 train", graph1(both_sides, (I, [2, 12]), (I, [2, 9]), optimizer=adam))
    concrete, _ = function2(lambda ids, w: encoder(ids, w, einsum=True), (I, [None, 24]))
    yield "encoder 2 frozen", frozen(concrete)
    concrete, store = function2(both_sides, (I, [None, 12]), (I, [None, 9]), train=descend)
    yield from both("decoder 2 train", concrete.graph)
    module = tf.Module()
    module.weights = list(store.made.values())
    module.forward = tf.function(lambda a, b: both_sides(a, b, store), input_signature=[tf.TensorSpec([None, 12], I),
                                                                                       tf.TensorSpec([None, 9], I)])
    tf.saved_model.save(module, folder)
    yield from both_saved("decoder 2 saved", folder)


def bert(folder):
    yield from both("bert base", graph1(bert_base, (I, [1, 128])))
    yield from both("bert base train", graph1(bert_base, (I, [8, 128]), optimizer=lambda: v1.train.AdamOptimizer()))


def lstm(folder):
    yield from both("lstm 1", graph1(lstm_loop, (F, [None, 7, 5])))
    yield from both("lstm 1 train", graph1(lstm_loop, (F, [3, 7, 5]), optimizer=lambda: v1.train.RMSPropOptimizer(0.1)))
    concrete, _ = function2(lstm_loop, (F, [3, 7, 5]), train=descend)
    yield from both("lstm 2 train", concrete.graph)
    model = keras.Sequential([keras.layers.Input((7, 5)), keras.layers.LSTM(16, return_sequences=True),
                              keras.layers.Bidirectional(keras.layers.LSTM(4)), keras.layers.Dense(3)])
    yield "lstm keras frozen", frozen(keras_forward(model, (F, [2, 7, 5])))
    yield "lstm keras inlined", inlined(keras_forward(model, (F, [2, 7, 5])))
    yield from both("lstm keras train", keras_train(model, (F, [None, 7, 5])).graph)
    model.export(folder, verbose=False)
    yield from both_saved("lstm keras exported", folder)


def gru(folder):
    yield from both("gru 1 train", graph1(gru_loop, (F, [3, 7, 5]), optimizer=lambda: v1.train.AdagradOptimizer(0.1)))
    yield from both("gru 1, loops of functions", graph1(gru_loop, (F, [3, 7, 5]), old=False, resource=True))
    model = keras.Sequential([keras.layers.Input((7, 5)), keras.layers.GRU(6)])
    yield from both("gru keras train", keras_train(model, (F, [4, 7, 5]), optimizer=keras.optimizers.RMSprop()).graph)
    tf.saved_model.save(model, folder)
    yield from both_saved("gru keras saved", folder)


def unets(folder):
    adam = lambda: v1.train.AdamOptimizer()
    yield from both("unet 1 train", graph1(unet, (F, [2, 32, 48, 3]), optimizer=adam))
    yield from both("unet 1, size unknown", graph1(unet, (F, [None, None, None, 3]), optimizer=adam))
    yield from both("unet NCHW train", graph1(lambda x, w: unet(x, w, True), (F, [2, 3, 32, 48]), optimizer=adam))
    concrete, _ = function2(unet, IMAGE, train=descend)
    yield from both("unet 2 train", concrete.graph)


def convs(folder):
    yield from both("convs 1 train", graph1(mixed_convs, (F, [2, 33, 31, 4]), optimizer=lambda: v1.train.FtrlOptimizer(0.1)))
    concrete, _ = function2(mixed_convs, (F, [None, 33, 31, 4]), train=descend)
    yield from both("convs 2 train", concrete.graph)
    concrete, _ = function2(mixed_convs, (F, [2, 33, 31, 4]))
    yield "convs 2 frozen", frozen(concrete)


def control(folder):
    sgd = lambda: v1.train.GradientDescentOptimizer(0.1)
    yield from both("branches 1", graph1(branches, (F, [4, 8])))
    yield from both("branches 1 train", graph1(branches, (F, [None, 8]), optimizer=sgd, resource=True))
    yield from both("branches 1, functions, train", graph1(branches, (F, [4, 8]), optimizer=sgd, resource=True, old=False))
    concrete, store = function2(branches, (F, [None, 8]), train=descend)
    yield from both("branches 2 train", concrete.graph)
    concrete, store = function2(branches, (F, [4, 8]))
    yield "branches 2 frozen", frozen(concrete)
    yield "branches 2 inlined", inlined(concrete)
    module = tf.Module()
    module.weights = list(store.made.values())
    module.forward = tf.function(lambda x: branches(x, store), input_signature=[tf.TensorSpec([None, 8])])
    tf.saved_model.save(module, folder)
    yield from both_saved("branches 2 saved", folder)


def small_keras(folder):
    """Layers of many kinds in one model."""
    image = keras.Input((24, 24, 4))
    y = keras.layers.SeparableConv2D(8, 3, activation="swish")(image)
    y = keras.layers.BatchNormalization()(y)
    y = keras.layers.Conv2DTranspose(6, 3, 2, "same")(y)
    y = keras.layers.GroupNormalization(2)(y)
    y = keras.layers.UpSampling2D(2, interpolation="bilinear")(keras.layers.MaxPooling2D(3, 2)(y))
    y = keras.layers.GlobalAveragePooling2D()(keras.layers.SpatialDropout2D(0.2)(y))
    words = keras.Input((11,), dtype="int32")
    z = keras.layers.Embedding(50, 12)(words)
    z = keras.layers.LayerNormalization()(z + keras.layers.MultiHeadAttention(3, 4)(z, z))
    z = keras.layers.Conv1D(5, 3, dilation_rate=2, padding="causal", activation="gelu")(z)
    z = keras.layers.GRU(6)(keras.layers.Dropout(0.1)(z))
    out = keras.layers.Dense(4, "softmax")(keras.layers.Concatenate()([y, z]))
    model = keras.Model([image, words], out)
    call = lambda a, b, training: model([a, b], training=training)
    call_model = lambda *xs, training: call(*xs, training=training)
    call_model.trainable_variables = model.trainable_variables
    signature = (F, [None, 24, 24, 4]), (I, [None, 11])
    yield from both("keras layers train", keras_train(call_model, *signature, optimizer=keras.optimizers.AdamW()).graph)
    yield "keras layers frozen", frozen(keras_forward(call_model, (F, [2, 24, 24, 4]), (I, [2, 11])))
    model.export(folder, verbose=False)
    yield from both_saved("keras layers exported", folder)


def loops_of_rows(folder):
    """Loops that TensorFlow writes itself: map_fn, scan, foldl, vectorized_map; a gradient of one's own."""
    def mapped(x, w):
        return tf.map_fn(lambda row: tf.matmul(row[None], w("k", [8, 8]))[0], x)

    def scanned(x, w):
        return tf.scan(lambda before, row: tf.tanh(tf.linalg.matvec(w("k", [8, 8]), before) + row), x)

    def folded(x, w):
        return tf.foldl(lambda before, row: before * 0.5 + row * w("v", [8]), x)

    def vectorized(x, w):
        return tf.vectorized_map(lambda row: tf.tensordot(row, w("k", [8, 8]), 1), x)

    def own_gradient(x, w):
        @tf.custom_gradient
        def exp(y):
            return tf.exp(y), lambda dy: dy * tf.exp(y)
        return exp(x) * w("v", [8])

    sgd = lambda: v1.train.GradientDescentOptimizer(0.1)
    for model in (mapped, scanned, folded, own_gradient):
        for old in (True, False):
            title = "%s, %s control flow, train" % (model.__name__, "old" if old else "new")
            yield from both(title, graph1(model, (F, [4, 8]), optimizer=sgd, resource=not old, old=old))
    for model in (mapped, scanned, folded, vectorized, own_gradient):
        concrete, _ = function2(model, (F, [None, 8]), train=descend)
        yield model.__name__ + " 2 train", without_shapes(concrete.graph.as_graph_def())
        concrete, _ = function2(model, (F, [4, 8]))
        yield model.__name__ + " 2 frozen", frozen(concrete)
        yield model.__name__ + " 2 inlined", inlined(concrete)


def calls(folder):
    """Functions of both kinds, called with one shape and with several; pipelines; Python in a graph."""
    with tf.Graph().as_default() as graph:
        x, z = v1.placeholder(F, [None, 8], "x"), v1.placeholder(F, [3, 4], "z")

        @function.Defun(F)
        def soften(a):
            return tf.nn.softmax(tf.matmul(a, a, transpose_b=True))

        soften(x)
        tf.gradients(soften(z), z)

        @tf.function(autograph=False)
        def inner(q, r):
            return tf.einsum("ij,kj->ik", q, r), tf.reduce_sum(q)

        @tf.function(jit_compile=True, autograph=False)
        def outer(q):
            s, t = inner(q, q)
            u, _ = inner(q[:1], q)
            return s * t + tf.reduce_mean(u), inner(q, tf.ones([2, 4]))

        outer(z)
        outer(tf.zeros([5, 4]))
        outer(v1.placeholder(F, [None, 4]))

        @tf.function(autograph=False)
        def repeated(n, q):
            return tf.while_loop(lambda i, _: i < n, lambda i, y: (i + 1, inner(y, y)[0]), (0, q))

        repeated(tf.constant(3), tf.ones([4, 4]))
        rows = tf.data.Dataset.from_tensor_slices(tf.zeros([10, 4]))
        rows = rows.map(lambda y: (tf.matmul(y[None], tf.ones([4, 3])), tf.strings.as_string(y)))
        rows = rows.filter(lambda a, b: a[0, 0] > 0).batch(2).prefetch(1)
        tf.matmul(v1.data.make_one_shot_iterator(rows).get_next()[0][:, 0], tf.ones([3, 6]))
        v1.data.make_initializable_iterator(rows.repeat(3).shuffle(7)).get_next()
        tf.py_function(lambda v: v, [x], F)
        tf.numpy_function(lambda v: v, [z], F)
    yield from both("calls", graph)


def library(folder):
    """What TensorFlow's Python library makes of its functions for signals, text, images, losses, tables, queues ..."""
    with tf.Graph().as_default() as graph, old_control_flow(True):
        for part in (signals, languages, matrices, images, texts, sparse_things, arrays, lessons):
            with tf.name_scope(part.__name__):
                part()
    yield from both("library", graph)


def signals():
    wave = v1.placeholder(F, [2, 4000])
    spectrum = tf.signal.stft(wave, 256, 64)
    mel = tf.tensordot(tf.abs(spectrum), tf.signal.linear_to_mel_weight_matrix(20, 129), 1)
    tf.signal.mfccs_from_log_mel_spectrograms(tf.math.log(mel + 1e-3))
    tf.signal.inverse_stft(spectrum, 256, 64)
    x = v1.placeholder(F, [None, 40, 8])
    tf.signal.fft2d(tf.complex(x, x))
    tf.signal.irfft(tf.signal.rfft(x))
    tf.signal.dct(x)
    tf.signal.frame(x, 4, 2, axis=1)


def languages():
    x, lengths = v1.placeholder(F, [None, 40, 8]), v1.placeholder(I, [None])
    labels, by_time = v1.sparse_placeholder(I, [None, 10]), tf.transpose(x, [1, 0, 2])
    v1.nn.ctc_loss(labels, by_time, lengths)
    tf.nn.ctc_greedy_decoder(by_time, lengths)
    tf.nn.ctc_beam_search_decoder(by_time, lengths, top_paths=2)
    words, bias = v1.get_variable("words", [1000, 16], use_resource=True), v1.get_variable("bias", [1000], use_resource=True)
    hidden, right = v1.placeholder(F, [32, 16]), v1.placeholder(tf.int64, [32, 1])
    loss = tf.reduce_mean(tf.nn.sampled_softmax_loss(words, bias, right, hidden, 64, 1000))
    loss += tf.reduce_mean(tf.nn.nce_loss(words, bias, right, hidden, 64, 1000))
    ids = v1.sparse_placeholder(tf.int64, [4, None])
    loss += tf.reduce_sum(v1.nn.embedding_lookup_sparse(words, ids, None, combiner="mean"))
    loss += tf.reduce_sum(v1.nn.safe_embedding_lookup_sparse(words, ids))
    v1.train.AdamOptimizer().minimize(loss)
    v1.summary.scalar("loss", loss)
    v1.summary.merge_all()
    v1.train.Saver()


def matrices():
    a, b = v1.placeholder(F, [None, 6, 6]), v1.placeholder(F, [6, 6])
    for each in (tf.linalg.inv, tf.linalg.cholesky, tf.linalg.svd, tf.linalg.qr, tf.linalg.det, tf.linalg.eigh, tf.linalg.trace,
                 tf.linalg.diag_part, tf.linalg.logdet):
        each(a)
    tf.linalg.expm(b)
    tf.linalg.solve(a, a[:, :, :2])
    tf.linalg.lstsq(a, a[:, :, :3])
    tf.linalg.band_part(a, 1, 1)
    tf.linalg.matmul(a, a, adjoint_b=True)
    tf.linalg.diag(a)
    tf.eye(5, batch_shape=[2])
    tf.tensordot(a, tf.zeros([6, 6, 5]), 2)
    tf.einsum("bij,bkj->bik", a, a)


def images():
    image = v1.placeholder(F, [None, None, 3])
    r = tf.image.resize(image, [64, 48])
    for each in (tf.image.random_flip_left_right, tf.image.per_image_standardization, tf.image.total_variation,
                 tf.image.rgb_to_grayscale, tf.image.rot90):
        each(r)
    tf.image.random_crop(r, [32, 32, 3])
    tf.image.adjust_hue(r, 0.1)
    tf.image.resize_with_pad(image, 30, 20)
    tf.image.central_crop(r, 0.5)
    tf.image.ssim(r[None], r[None], 1.0)
    tf.image.sobel_edges(r[None])
    tf.image.extract_patches(r[None], [1, 4, 4, 1], [1, 2, 2, 1], [1, 1, 1, 1], "SAME")
    boxes, scores = v1.placeholder(F, [None, 4]), v1.placeholder(F, [None])
    tf.gather(boxes, tf.image.non_max_suppression(boxes, scores, 10))
    tf.image.crop_and_resize(r[None], boxes, tf.zeros(tf.shape(scores), I), [7, 7])
    tf.image.combined_non_max_suppression(boxes[None, :, None], scores[None, :, None], 5, 20)
    tf.nn.max_pool_with_argmax(r[None], 2, 2, "SAME")
    tf.nn.fractional_max_pool(r[None], [1, 1.4, 1.4, 1])
    tf.nn.dilation2d(r[None], tf.zeros([3, 3, 3]), [1] * 4, "SAME", "NHWC", [1] * 4)
    tf.nn.erosion2d(r[None], tf.zeros([3, 3, 3]), [1] * 4, "SAME", "NHWC", [1] * 4)
    tf.nn.space_to_depth(r[None], 2)
    tf.nn.space_to_batch(r[None], [2, 2], [[0, 0], [0, 0]])
    tf.batch_to_space(tf.zeros([8, 4, 4, 3]), [2, 2], [[0, 0], [1, 1]])
    tf.nn.conv1d(r, tf.zeros([3, 3, 4]), 2, "SAME")
    tf.nn.conv1d_transpose(tf.zeros([2, 10, 4]), tf.zeros([3, 8, 4]), [2, 20, 8], 2)
    tf.nn.conv3d_transpose(tf.zeros([1, 4, 4, 4, 2]), tf.zeros([3, 3, 3, 5, 2]), [1, 8, 8, 8, 5], 2)
    v1.summary.image("image", r[None])


def texts():
    text = v1.placeholder(tf.string, [None])
    tf.strings.split(text).to_tensor()
    tf.strings.to_hash_bucket_fast(text, 100)
    tf.strings.regex_replace(text, "a", "b")
    tf.strings.length(text)
    tf.strings.substr(text, 0, 2)
    v1.parse_example(text, {"a": v1.FixedLenFeature([3], F), "b": v1.VarLenFeature(tf.int64),
                            "c": v1.FixedLenSequenceFeature([], F, allow_missing=True)})
    tf.io.parse_single_example(text[0], {"a": tf.io.FixedLenFeature([3], F)})
    tf.io.decode_jpeg(text[0], 3)
    tf.io.decode_raw(text, F)
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(tf.constant(["a"]), tf.constant([1], tf.int64)), -1)
    tf.one_hot(table.lookup(text), 7)
    queue = v1.FIFOQueue(10, [F, I], [[3], []])
    queue.enqueue([tf.zeros([3]), 1])
    queue.dequeue_many(5)
    queue.dequeue()


def sparse_things():
    ids = v1.sparse_placeholder(tf.int64, [4, None])
    tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(tf.eye(6)), tf.ones([6, 3]))
    tf.sparse.to_dense(ids)
    tf.sparse.reorder(ids)
    tf.sparse.concat(0, [ids, ids])
    tf.sparse.reduce_sum(v1.sparse_placeholder(F, [3, 4]))
    tf.edit_distance(v1.sparse_placeholder(I, [2, None]), v1.sparse_placeholder(I, [2, None]))
    rows = tf.RaggedTensor.from_row_lengths(v1.placeholder(F, [None, 5]), v1.placeholder(I, [None]))
    rows.to_tensor()
    tf.reduce_sum(rows, 1)
    tf.concat([rows, rows], 0)
    tf.ragged.range([1, 2, 3])


def arrays():
    x, n, some = v1.placeholder(F, [None, 40, 8]), v1.placeholder(I, [None]), v1.placeholder(I, [7, 1])
    for each in (tf.unique, tf.math.bincount, tf.math.invert_permutation):
        each(n)
    for each in (tf.where, tf.sort, tf.argsort, tf.math.cumprod, tf.reduce_logsumexp, tf.squeeze, tf.random.shuffle,
                 lambda y: tf.math.top_k(y, 3), lambda y: tf.boolean_mask(y, y[:, 0, 0] > 0), lambda y: tf.cumsum(y, 1),
                 lambda y: tf.reduce_any(y > 0), lambda y: tf.roll(y, 1, 0), lambda y: tf.reverse(y, [1]),
                 lambda y: tf.tile(y, [1, 2, 3]), lambda y: tf.repeat(y, 2, 0), lambda y: y[..., None],
                 lambda y: y[:, ::-1, 2:5], lambda y: tf.unstack(y, axis=1), lambda y: tf.split(y, [10, -1, 5], 1),
                 lambda y: tf.pad(y, [[0, 0], [1, 2], [3, 4]], "REFLECT"), lambda y: tf.ensure_shape(y, [5, 40, 8]),
                 lambda y: tf.expand_dims(y, -1), lambda y: tf.reduce_prod(y, 0), lambda y: tf.random.uniform(tf.shape(y)),
                 lambda y: tf.random.normal([3, tf.shape(y)[0]]), lambda y: tf.histogram_fixed_width(y, [0.0, 1.0]),
                 lambda y: tf.math.cumulative_logsumexp(y, 1), lambda y: tf.clip_by_global_norm([y, y], 1.0),
                 lambda y: tf.broadcast_to(tf.zeros([1, 8]), tf.shape(y)),
                 lambda y: tf.strided_slice(y, [0, 1], [0, -1], [1, 2], begin_mask=1, end_mask=1)):
        each(x)
    tf.searchsorted(tf.zeros([2, 5]), tf.zeros([2, 3]))
    tf.math.confusion_matrix(n, n, 5)
    tf.math.segment_sum(x, n)
    tf.math.unsorted_segment_mean(x, n, 6)
    tf.dynamic_partition(x, n, 3)
    tf.dynamic_stitch([[0, 1], [2]], [tf.zeros([2, 4]), tf.zeros([1, 4])])
    tf.meshgrid(tf.range(5), tf.range(7))
    tf.linspace(0.0, 1.0, 9)
    tf.gather_nd(x, v1.placeholder(I, [7, 2]))
    tf.scatter_nd(some, tf.zeros([7, 8]), [20, 8])
    tf.tensor_scatter_nd_update(x, some, tf.zeros([7, 40, 8]))
    tf.random.categorical(tf.zeros([4, 5]), 9)
    tf.random.gamma([3], tf.ones([2, 2]))
    tf.random.truncated_normal([2, 3])
    tf.random.stateless_normal([2, 3], [1, 2])
    tf.random.poisson([2], tf.ones([3]))
    tf.quantization.fake_quant_with_min_max_vars(x, 0.0, 1.0)
    tf.quantization.quantize(x, 0.0, 1.0, tf.quint8)


def lessons():
    x, labels = v1.placeholder(F, [None, 8]), v1.placeholder(I, [None])
    for each in (tf.nn.elu, tf.nn.selu, tf.nn.leaky_relu, tf.nn.crelu, tf.nn.l2_normalize, tf.math.erf, tf.math.lgamma):
        each(x)
    tf.math.betainc(x, x, x)
    tf.math.polyval([x, x], x)
    tf.nn.moments(x, [0, 1])
    tf.nn.in_top_k(labels, x, 3)
    tf.nn.weighted_cross_entropy_with_logits(x, x, 2.0)
    tf.nn.log_poisson_loss(x, x)
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x)
    tf.nn.softmax_cross_entropy_with_logits(x, x)
    tf.nn.sigmoid_cross_entropy_with_logits(x, x)
    v1.metrics.accuracy(labels, labels)
    v1.metrics.auc(labels > 0, x[:, 0])
    v1.metrics.mean_iou(labels, labels, 4)
    tf.raw_ops.LSTMBlockCell(x=tf.zeros([2, 3]), cs_prev=tf.zeros([2, 4]), h_prev=tf.zeros([2, 4]), w=tf.zeros([7, 16]),
                             wci=tf.zeros([4]), wcf=tf.zeros([4]), wco=tf.zeros([4]), b=tf.zeros([16]))
    tf.raw_ops.CudnnRNN(input=tf.zeros([5, 2, 3]), input_h=tf.zeros([1, 2, 4]), input_c=tf.zeros([1, 2, 4]),
                        params=tf.zeros([200]))


FORMS = (dense, resnet, mobilenet, vgg, transformer, bert, lstm, gru, unets, convs, control, small_keras, loops_of_rows, calls,
         library)
LONG = (resnet_of_a_batch,)  # where the whole is asked for


def built(form):
    """(title, path) of all that a form yields."""
    with open(os.path.realpath(__file__), "rb") as file:
        mark = hashlib.sha256(file.read() + tf.__version__.encode()).hexdigest()
    folder = os.path.join(CACHE, form.__name__)
    index = os.path.join(folder, "index.json")
    if os.path.exists(index):
        with open(index) as file:
            known = json.load(file)
        if known["mark"] == mark:
            return [(title, os.path.join(folder, name)) for title, name in known["files"]]
    os.makedirs(CACHE, exist_ok=True)
    scratch = tempfile.mkdtemp(dir=CACHE)  # another process may build the same
    files = []
    for title, made in form(os.path.join(scratch, "saved")):
        if isinstance(made, str):
            name = os.path.relpath(made, scratch)
        else:
            name = title.replace(" ", "_").replace(",", "") + ".pb"
            with open(os.path.join(scratch, name), "wb") as file:
                file.write(made.SerializeToString(deterministic=True))
        files.append((title, name))
    with open(os.path.join(scratch, "index.json"), "w") as file:
        json.dump({"mark": mark, "files": files}, file)
    shutil.rmtree(folder, ignore_errors=True)
    os.rename(scratch, folder)
    return [(title, os.path.join(folder, name)) for title, name in files]


def every_graph(whole=False):
    """title -> path"""
    return {title: path for form in FORMS + (LONG if whole else ()) for title, path in built(form)}


if __name__ == "__main__":
    import sys
    import time
    for made in FORMS:
        if len(sys.argv) == 1 or made.__name__ in sys.argv:
            start = time.monotonic()
            print(made.__name__, len(built(made)), "graphs, %.1f s" % (time.monotonic() - start), flush=True)
