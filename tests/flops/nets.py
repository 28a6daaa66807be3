# SPDX-License-Identifier: Apache-2.0
"""Real models as graph files. What tfprof must make of them stands in real.py.

FORMS lists what is built: each function yields (title, GraphDef, or the folder of a SavedModel). Files stand in
build/flops-nets/, and are built again when this file, one of its parts (net_*.py) or TensorFlow changes. Weights are zeros
or random ones: only shapes count here.
"""
import glob
import hashlib
import json
import os
import shutil
import tempfile

import compare
import oracle
from net_forms import (F, I, apply_adam, both, both_saved, descend, frozen, function2, graph1, inlined, keras_forward,
                       keras_train, without_shapes)
from net_library import library
from net_models import (attention, bert_base, branches, decoder, dense_net, encoder, gru_loop, layer_norm, lstm_loop,
                        mixed_convs, unet)

tf = oracle.tf
v1 = tf.compat.v1
import keras  # noqa: E402
from tensorflow.python.framework import function  # noqa: E402

HERE = os.path.dirname(os.path.realpath(__file__))
CACHE = os.path.join(compare.ROOT, "build", "flops-nets")
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
    yield from both("resnet50", keras_forward(model, (F, [1, 224, 224, 3])).graph)


def resnet_frozen(folder):
    """With its weights it has 100 MB; this form is always checked for mobilenet instead."""
    yield "resnet50 frozen", frozen(keras_forward(keras.applications.ResNet50(weights=None), (F, [1, 224, 224, 3])))


def resnet_trained(folder):
    model = keras.applications.ResNet50(weights=None)
    yield from both("resnet50 train", keras_train(model, (F, [None, 224, 224, 3])).graph)
    step = keras_train(model, (F, [4, 224, 224, 3]), optimizer=keras.optimizers.SGD(0.1, 0.9))
    yield from both("resnet50 train, batch 4", step.graph)


def mobilenet(folder):
    model = keras.applications.MobileNetV2(weights=None)
    forward = keras_forward(model, (F, [1, 224, 224, 3]))
    yield from both("mobilenetv2", forward.graph)
    yield "mobilenetv2 frozen", frozen(forward)
    model.export(folder, verbose=False)
    yield from both_saved("mobilenetv2 exported", folder)


def mobilenet_trained(folder):
    model = keras.applications.MobileNetV2(weights=None)
    yield "mobilenetv2 frozen, batch unknown", frozen(keras_forward(model, (F, [None, 224, 224, 3])))
    yield from both("mobilenetv2 train", keras_train(model, (F, [8, 224, 224, 3])).graph)


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


def bert_trained(folder):
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
    """Loops that TensorFlow writes itself: map_fn, scan, foldl, vectorized_map; a custom gradient."""
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
    """Functions of both kinds, called with one and with several shapes; pipelines; Python code in a
    graph."""
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


FORMS = (dense, resnet, mobilenet, vgg, transformer, bert, lstm, gru, unets, convs, control, small_keras, loops_of_rows, calls,
         library)
# Only in a whole run: steps of the large models. Each takes as long as ten smaller models, and smaller ones train the same
# parts: layers of Keras, convolutions of all kinds, an encoder.
LONG = (resnet_frozen, resnet_trained, mobilenet_trained, bert_trained)


def mark_of_parts():
    """A hash of all files that define what is built, and of TensorFlow's version."""
    mark = hashlib.sha256(tf.__version__.encode())
    for path in [os.path.join(HERE, "nets.py")] + sorted(glob.glob(os.path.join(HERE, "net_*.py"))):
        with open(path, "rb") as file:
            mark.update(file.read())
    return mark.hexdigest()


def built(form):
    """(title, path) of every graph of a form."""
    mark = mark_of_parts()
    folder = os.path.join(CACHE, form.__name__)
    index = os.path.join(folder, "index.json")
    if os.path.exists(index):
        with open(index) as file:
            known = json.load(file)
        if known["mark"] == mark:
            return [(title, os.path.join(folder, name)) for title, name in known["files"]]
    os.makedirs(CACHE, exist_ok=True)
    scratch = tempfile.mkdtemp(dir=CACHE)  # another process may build the same form at this time
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
