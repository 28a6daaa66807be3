# SPDX-License-Identifier: Apache-2.0
"""The models that the tests record: small graphs, each with something of its own to look at.

A Model's build() makes a new graph each time, from the same lines, so that each profiler can have
its own (both fill in shapes on the graph they are given). record() runs the first one with full
tracing.
"""

import numpy

import support

tensorflow = support.load_tensorflow()
from tensorflow.core.profiler import tfprof_log_pb2  # noqa: E402
from tensorflow.python.ops import control_flow_util  # noqa: E402

tf = tensorflow.compat.v1
tf.logging.set_verbosity(tf.logging.ERROR)
FULL_TRACE = tf.RunOptions.FULL_TRACE


class Feeds:
    """What a build function returns: the fetches of each step, and the values to feed."""

    def __init__(self, fetches, **fed):
        self.fetches, self.fed = fetches, fed


def batch(rng, *shape):
    return rng.rand(*shape).astype('float32')


def mlp():
    """Reference variables, gradients, a batch of unknown size."""
    x = tf.placeholder(tf.float32, [None, 20], 'x')
    y = tf.placeholder(tf.int64, [None], 'y')
    out = x
    for i, width in enumerate((16, 4)):
        with tf.variable_scope('layer_%d' % i):
            out = tf.nn.relu(out) if i else out
            weights = tf.get_variable('weights', [out.shape[1], width], use_resource=False)
            biases = tf.get_variable(
                'biases', [width], initializer=tf.zeros_initializer(), use_resource=False
            )
            out = tf.nn.xw_plus_b(out, weights, biases, name='logits')
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=out), name='loss'
    )
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(out, 1), y), tf.float32), name='accuracy')
    rng = numpy.random.RandomState(1)
    return Feeds([train, [train, loss], right], x=batch(rng, 32, 20), y=rng.randint(0, 4, 32))


def convolution(x, scope, width, stride):
    with tf.variable_scope(scope):
        kernel = tf.get_variable('kernel', [3, 3, x.shape[3], width], use_resource=True)
        gamma = tf.get_variable(
            'bn/gamma', [width], initializer=tf.ones_initializer(), use_resource=True
        )
        beta = tf.get_variable(
            'bn/beta', [width], initializer=tf.zeros_initializer(), use_resource=True
        )
        y = tf.nn.conv2d(x, kernel, [1, stride, stride, 1], 'SAME', name='conv')
        y, mean, _ = tf.nn.fused_batch_norm(y, gamma, beta, name='bn/norm')
        kept = tf.get_variable(
            'bn/mean',
            [width],
            initializer=tf.zeros_initializer(),
            trainable=False,
            use_resource=True,
        )
        with tf.control_dependencies([tf.assign_sub(kept, (kept - mean) * 0.1)]):
            return tf.nn.relu(y, name='relu')


def convnet():
    """Convolutions and batch norm on two devices, resource variables, fixed shapes."""
    images = tf.random_uniform([4, 12, 12, 3], name='images', seed=5)
    with tf.device('/cpu:0'):
        x = convolution(images, 'conv_0', 6, 1)
        x = tf.nn.max_pool2d(x, 2, 2, 'SAME', name='pool')
    with tf.device('/cpu:1'):
        x = convolution(x, 'conv_1', 8, 2)
        x = tf.nn.depthwise_conv2d(
            x, tf.get_variable('depth', [2, 2, 8, 2], use_resource=True), [1, 1, 1, 1], 'VALID'
        )
        loss = tf.reduce_sum(tf.square(tf.reduce_mean(x, [1, 2])), name='loss')
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=step)
    return Feeds([train, train, loss])


def recurrent(modern):
    """A loop over time with gradients through it, as nodes (Enter, Exit ...) or as a While node
    with functions."""

    def build():
        kept, control_flow_util.ENABLE_CONTROL_FLOW_V2 = (
            control_flow_util.ENABLE_CONTROL_FLOW_V2,
            modern,
        )
        try:
            return loop_over_time()
        finally:
            control_flow_util.ENABLE_CONTROL_FLOW_V2 = kept

    return build


def loop_over_time():
    words = tf.placeholder(tf.int32, [None, 3], 'words')
    table = tf.get_variable('embedding', [50, 6], use_resource=False)
    cell = tf.get_variable('cell', [6 + 8, 8], use_resource=False)
    source = tf.TensorArray(tf.float32, tf.shape(words)[0]).unstack(
        tf.nn.embedding_lookup(table, words)
    )

    def body(i, state):
        return i + 1, tf.tanh(tf.matmul(tf.concat([source.read(i), state], 1), cell, name='mix'))

    _, state = tf.while_loop(
        lambda i, _: i < tf.shape(words)[0], body, (0, tf.zeros([3, 8])), name='time'
    )
    loss = tf.reduce_sum(tf.square(state), name='loss')
    train = tf.train.AdamOptimizer().minimize(loss)
    return Feeds([train, loss], words=numpy.random.RandomState(2).randint(0, 50, [5, 3]))


def conditional(modern):
    def build():
        kept, control_flow_util.ENABLE_CONTROL_FLOW_V2 = (
            control_flow_util.ENABLE_CONTROL_FLOW_V2,
            modern,
        )
        try:
            x = tf.placeholder(tf.float32, [2, 3], 'x')
            weights = tf.get_variable('weights', [3, 3], use_resource=True)
            flag = tf.reduce_sum(x) > 0.0
            y = tf.cond(
                flag,
                lambda: tf.matmul(x, weights, name='times'),
                lambda: tf.exp(x) + 1.0,
                name='branch',
            )
            train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y))
        finally:
            control_flow_util.ENABLE_CONTROL_FLOW_V2 = kept
        return Feeds([y, train], x=numpy.ones([2, 3], 'float32'))

    return build


def shared():
    """Deep name scopes, a layer that is used twice, types from the op log, names that filters must
    quote."""
    with tf.name_scope('outer'), tf.name_scope('inner'):
        left, right = tf.ones([4, 5], name='left'), tf.fill([4, 5], 2.0, name='right')
    with tf.variable_scope('tower', reuse=tf.AUTO_REUSE):
        outs = []
        for i, side in enumerate((left, right)):
            weights = tf.get_variable('w', [5, 5], use_resource=bool(i < 0))
            with tf.name_scope('use.%d-x' % i):
                outs.append(tf.matmul(side, weights, name='aa'))
    with tf.name_scope('outer/'):
        total = tf.add_n([tf.reduce_sum(o) for o in outs], name='total')
    with tf.control_dependencies([total]):
        done = tf.no_op('done')
    return Feeds([total, done])


def branches():
    """No variables and no known shapes; strings, booleans, sparse values."""
    text = tf.placeholder(tf.string, None, 'text')
    parts = tf.strings.split(text, ',').values
    numbers = tf.strings.to_number(parts, name='numbers')
    kept = tf.boolean_mask(numbers, numbers > 1.0, name='kept')
    return Feeds([tf.unique(kept).y, kept], text=numpy.array(['1,2,3', '4,4'], dtype=object))


class Model:
    def __init__(self, name, make, devices=1, rewrite=True, types=()):
        self.name, self.make, self.devices, self.rewrite, self.types = (
            name,
            make,
            devices,
            rewrite,
            types,
        )
        self.steps = self.graphs = None

    def build(self, count=1):
        """This many new graphs, which are equal down to their code traces."""
        made = []
        for _ in range(count):
            graph = tf.Graph()
            with graph.as_default():
                tf.set_random_seed(7)
                graph.feeds = self.make()
            made.append(graph)
        return made

    def pair(self):
        """Two graphs, made once, one for each side; for questions whose answers do not depend on
        shapes that earlier questions filled in."""
        if self.graphs is None:
            self.graphs = self.build(2)
        return self.graphs

    def config(self):
        config = tf.ConfigProto(
            device_count={'CPU': self.devices},
            inter_op_parallelism_threads=2,
            intra_op_parallelism_threads=2,
        )
        if not self.rewrite:
            config.graph_options.rewrite_options.disable_meta_optimizer = True
        return config

    def record(self):
        """-> [(step, RunMetadata)]: recorded once; the last two have the same step number 3, which
        is allowed."""
        if self.steps is None:
            graph = self.build()[0]
            fed = {graph.get_tensor_by_name(k + ':0'): v for k, v in graph.feeds.fed.items()}
            self.steps = []
            with tf.Session(graph=graph, config=self.config()) as session:
                with graph.as_default():
                    session.run(tf.global_variables_initializer())
                fetches = graph.feeds.fetches
                for number in (0, 1, 3, 3):
                    meta = tf.RunMetadata()
                    session.run(
                        fetches[len(self.steps) % len(fetches)],
                        feed_dict=fed,
                        run_metadata=meta,
                        options=tf.RunOptions(trace_level=FULL_TRACE),
                    )
                    self.steps.append((number, meta))
        return self.steps

    def op_log(self):
        """A new one each time, because both profilers write into the op log that they are given."""
        if not self.types:
            return None
        log = tfprof_log_pb2.OpLogProto()
        for name, type_ in self.types:
            log.log_entries.add(name=name, types=[type_])
        return log


MODELS = [
    Model(
        'mlp',
        mlp,
        rewrite=False,
        types=[
            ('layer_0/weights', 'first'),
            ('layer_1/weights', 'last'),
            ('no/such/node', 'ghost'),
        ],
    ),
    Model('convnet', convnet, devices=2),
    Model('loop_nodes', recurrent(False), rewrite=False),
    Model('loop_function', recurrent(True)),
    Model('cond_nodes', conditional(False)),
    Model('cond_function', conditional(True), rewrite=False),
    Model(
        'shared',
        shared,
        rewrite=False,
        types=[('tower/use.0-x/aa', 'a,b'), ('outer/total', 'mine')],
    ),
    Model('strings', branches),
]
BY_NAME = {model.name: model for model in MODELS}
