# SPDX-License-Identifier: Apache-2.0
"""The models of nets.py, written by us: (inputs..., w) -> outputs. They take their variables from a Store, so that the
same code works in TensorFlow 1 graphs (variables of the graph, ref or resource, control flow of either kind) and in
tf.function."""
import oracle

tf = oracle.tf
v1 = tf.compat.v1


# ---------------------------------------------------------------- variables
class Graph1:
    """Variables of a TensorFlow 1 graph."""

    def __init__(self, resource):
        self.resource = resource

    def __call__(self, name, shape):
        return v1.get_variable(name, shape, tf.float32, v1.zeros_initializer(), use_resource=self.resource)


class Store:
    """Variables outside of functions, created at first use."""

    def __init__(self):
        self.made = {}

    def __call__(self, name, shape):
        if name not in self.made:
            with tf.init_scope():
                self.made[name] = tf.Variable(tf.zeros(shape), name=name)
        return self.made[name]


# ---------------------------------------------------------------- models
def linear(x, w, name, units):
    """A linear layer on inputs of any rank, through a product of two matrices."""
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
    """An encoder like BERT's: embeddings of words and positions, layers, and tanh of the first
    position."""
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
    """A loop over time with lists of tensors, like that of dynamic_rnn."""
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
        # the size is computed in the graph, as in models for images of any size
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
    """Nested branches and loops, some of them with changing shapes."""
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
