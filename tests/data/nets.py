# SPDX-License-Identifier: Apache-2.0
"""The networks that are recorded: each function builds one, runs it and leaves a Recording. Needs tensorflow-cpu.

All inputs are small and random. The recorded files in sample/ name these lines: keep their numbers."""
import socket

import numpy
from tensorflow.python.framework import function

from record import Recording, config, tf

tf.disable_eager_execution()
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)


def start(seed):
    tf.reset_default_graph()
    tf.set_random_seed(seed)
    return numpy.random.RandomState(seed)


# ---------------------------------------------------------------- one hidden layer on small digits
PIXELS, HIDDEN, DIGITS = 14 * 14, 12, 10
ODD_VALUES = (  # what a checkpoint can hold: printed with few digits, with many, or not at all
    ('doubles', [2, 4], tf.float64, [1234567.891, -1.005, 2.675, 1e-9, 123456.789, 1e20, 0.125, -0.001]),
    ('ints', [2, 1, 2], tf.int32, [-1, 2, 3, 4]),
    ('longs', [3], tf.int64, [-1 << 62, 0, 1 << 40]),
    ('flags', [2], tf.bool, [True, True]),
    ('empty', [0, 3], tf.float32, 0.0),
    ('scalar', [], tf.float64, 0.5),
)


def dense_layer(scope, x, units):
    with tf.variable_scope(scope):
        weights = tf.get_variable('weights', [x.shape[1].value, units])
        biases = tf.get_variable('biases', [units], initializer=tf.constant_initializer(0.1))
        return tf.nn.xw_plus_b(x, weights, biases, name='logits')


def dense(folder, resource):
    """Ref variables, or resource variables with odd values beside them and a function in the graph's library."""
    rng = start(11)
    with tf.variable_scope(tf.get_variable_scope(), use_resource=resource):
        images = tf.placeholder(tf.float32, [None, PIXELS], 'images')
        labels = tf.placeholder(tf.int64, [None], 'labels')
        hidden = tf.nn.relu(dense_layer('hidden', images, HIDDEN), name='hidden/relu')
        if resource:
            @function.Defun(tf.float32)
            def soften(x):
                return tf.tanh(x) * 1.5
            hidden = tf.reshape(soften(hidden), [-1, HIDDEN])
            for name, shape, dtype, value in ODD_VALUES:
                tf.get_variable('odd/' + name, shape, dtype, tf.constant_initializer(value, dtype), trainable=False)
        logits = dense_layer('softmax', hidden, DIGITS)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits), name='loss')
        train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        right = tf.equal(tf.argmax(logits, 1), labels)
        accuracy = tf.reduce_mean(tf.cast(right, tf.float32), name='accuracy')
    recording = Recording(folder, [('softmax/weights', 'last_layer'), ('softmax/biases', 'last_layer')])

    def digits(n):
        return {images: rng.rand(n, PIXELS), labels: rng.randint(0, DIGITS, n)}
    with tf.Session(config=config()) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            recording.run(session, train, feed_dict=digits(64))
        recording.run(session, accuracy, feed_dict=digits(500))  # a step in which most nodes do not run
        recording.checkpoint(session)
        tf.saved_model.simple_save(session, recording.path('saved_model'), {'images': images}, {'logits': logits})
    recording.finish()


# ---------------------------------------------------------------- ResNet-32 on CIFAR
BATCH, WIDTHS, BLOCKS = 128, (16, 32, 64), 5
SMALL = 64  # a checkpoint for the sample holds only variables of so many values


class ResNet:
    """The names are those of the TensorFlow 1.0 tutorial: init, unit_1_0 .. unit_3_4, unit_last, pool_logit."""

    def __init__(self, images, labels):
        self.moving = []
        with tf.variable_scope('init'):
            x = self.convolution('init_conv', images, WIDTHS[0], 1)
        for stage, width in enumerate(WIDTHS, 1):
            for block in range(BLOCKS):
                with tf.variable_scope('unit_%d_%d' % (stage, block)):
                    x = self.unit(x, width, stride=2 if stage > 1 and block == 0 else 1, first=stage == 1 and block == 0)
        with tf.variable_scope('unit_last'):
            x = tf.reduce_mean(self.activation('final_bn', x), [1, 2])
        with tf.variable_scope('pool_logit'):
            weights = tf.get_variable('DW', [WIDTHS[-1], 10])
            biases = tf.get_variable('biases', [10], initializer=tf.zeros_initializer())
            logits = tf.nn.xw_plus_b(x, weights, biases)
            self.predictions = tf.nn.softmax(logits)
        with tf.variable_scope('costs'):
            error = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            weights = [v for v in tf.trainable_variables() if v.op.name.endswith('DW')]
            penalty = 0.0002 * tf.add_n([tf.nn.l2_loss(v) for v in weights])
            error = tf.reduce_mean(error, name='xent')
        self.cost = tf.add(error, penalty, name='cost')

    def unit(self, x, width, stride, first):
        skipped = x
        with tf.variable_scope('shared_activation' if first else 'residual_only_activation'):
            x = self.activation('init_bn', x)
        if first:
            skipped = x
        with tf.variable_scope('sub1'):
            x = self.convolution('conv1', x, width, stride)
        with tf.variable_scope('sub2'):
            x = self.convolution('conv2', self.activation('bn2', x), width, 1)
        with tf.variable_scope('sub_add'):
            if skipped.shape[3] != width:
                more = (width - skipped.shape[3].value) // 2
                skipped = tf.nn.avg_pool2d(skipped, stride, stride, 'VALID')
                skipped = tf.pad(skipped, [[0, 0], [0, 0], [0, 0], [more, more]])
            return x + skipped

    @staticmethod
    def convolution(scope, x, width, stride):
        with tf.variable_scope(scope):
            spread = tf.random_normal_initializer(stddev=(2.0 / (9 * width)) ** 0.5)
            kernel = tf.get_variable('DW', [3, 3, x.shape[3].value, width], initializer=spread)
            return tf.nn.conv2d(x, kernel, [1, stride, stride, 1], 'SAME')

    def activation(self, scope, x):
        with tf.variable_scope(scope):
            def variable(name, value, **more):
                return tf.get_variable(name, [x.shape[3].value], initializer=tf.constant_initializer(value), **more)
            beta, gamma = variable('beta', 0.0), variable('gamma', 1.0)
            mean, variance = tf.nn.moments(x, [0, 1, 2], name='moments')
            for name, value, now in (('moving_mean', 0.0, mean), ('moving_variance', 1.0, variance)):
                kept = variable(name, value, trainable=False)
                self.moving.append(tf.assign_sub(kept, (kept - now) * 0.1))
            x = tf.nn.batch_normalization(x, mean, variance, beta, gamma, 0.001)
        return tf.nn.leaky_relu(x, 0.1)


def resnet32(folder):
    start(12)
    with tf.device('/cpu:0'):
        queue = tf.FIFOQueue(2 * BATCH, [tf.float32, tf.int32], [[32, 32, 3], []], name='batches')
        fill = queue.enqueue_many([tf.random_normal([BATCH, 32, 32, 3]), tf.random_uniform([BATCH], 0, 10, tf.int32)])
        images, labels = queue.dequeue_many(BATCH)
    step = tf.train.get_or_create_global_step()
    net = ResNet(images, labels)
    trainable = tf.trainable_variables()
    count = sum(int(numpy.prod(v.shape.as_list())) for v in trainable)
    assert count == 464154, count
    apply = tf.train.MomentumOptimizer(0.1, 0.9).apply_gradients(
        zip(tf.gradients(net.cost, trainable), trainable), global_step=step, name='train_step')
    train = tf.group(apply, *net.moving, name='train_op')
    recording = Recording(folder, [('pool_logit/DW', 'pool_logit'), ('pool_logit/biases', 'pool_logit')])
    with tf.Session(config=config(rewrite=False)) as session:
        session.run(tf.global_variables_initializer())
        session.run(fill)
        session.run(train)
        for _ in range(2):
            session.run(fill)
            recording.run(session, [train, net.cost, net.predictions])
        recording.checkpoint(session, [v for v in tf.global_variables() if numpy.prod(v.shape.as_list()) <= SMALL])
    recording.finish()


# ---------------------------------------------------------------- attention sequence to sequence, two parameter servers
SENTENCE, WORDS, EMBEDDING, UNITS, PAIRS = 5, 300, 12, 16, 3


def gru(x, state, gates, candidate):
    both = tf.concat([x, state], 1)
    update, reset = tf.split(tf.sigmoid(tf.matmul(both, gates) + 1.0), 2, 1)
    new = tf.tanh(tf.matmul(tf.concat([x, reset * state], 1), candidate))
    return update * state + (1.0 - update) * new


def unrolled(scope, inputs, state, context_width, read_context):
    """A while loop over the first dimension of inputs; -> outputs stacked, last state."""
    with tf.variable_scope(scope):
        width = inputs.shape[2].value + context_width + UNITS
        gates = tf.get_variable('gates', [width, 2 * UNITS])
        candidate = tf.get_variable('candidate', [width, UNITS])
        source = tf.TensorArray(tf.float32, SENTENCE).unstack(inputs)

        def body(i, state, out):
            x = source.read(i)
            if context_width:
                x = tf.concat([x, read_context(state)], 1)
            state = gru(x, state, gates, candidate)
            return i + 1, state, out.write(i, state)
        _, state, out = tf.while_loop(lambda i, *_: i < SENTENCE, body,
                                      (0, state, tf.TensorArray(tf.float32, SENTENCE)), name='steps')
        return out.stack(), state


def attention(memory):
    with tf.variable_scope('attention'):
        query = tf.get_variable('query', [UNITS, UNITS])
        score = tf.get_variable('score', [UNITS])

    def read(state):
        with tf.name_scope('attention'):
            energy = tf.reduce_sum(score * tf.tanh(memory + tf.matmul(state, query)), 2)
            weights = tf.nn.softmax(tf.transpose(energy))
            return tf.reduce_sum(tf.expand_dims(tf.transpose(weights), 2) * memory, 0)
    return read


def seq2seq_loss(source, target):
    with tf.variable_scope('seq2seq'):
        table = tf.get_variable('embedding/table', [WORDS, EMBEDDING])
        words = tf.nn.embedding_lookup(table, tf.transpose(source))
        wanted = tf.nn.embedding_lookup(table, tf.transpose(target))
        zero = tf.zeros([PAIRS, UNITS])
        forward, state = unrolled('encoder/forward', words, zero, 0, None)
        backward, _ = unrolled('encoder/backward', tf.reverse(words, [0]), zero, 0, None)
        memory = forward + tf.reverse(backward, [0])
        with tf.variable_scope('decoder'):
            read = attention(memory)
        out, _ = unrolled('decoder', wanted, state, UNITS, read)
        weights = tf.get_variable('projection/weights', [WORDS, UNITS])
        biases = tf.get_variable('projection/biases', [WORDS])
        labels = tf.reshape(tf.cast(tf.transpose(target), tf.int64), [-1, 1])
        return tf.reduce_mean(tf.nn.sampled_softmax_loss(
            weights, biases, labels, tf.reshape(out, [SENTENCE * PAIRS, UNITS]), 10, WORDS), name='loss')


def cluster():
    """Two parameter servers and a worker in this process; -> servers, the worker's address last."""
    sockets = [socket.socket() for _ in range(3)]
    for s in sockets:
        s.bind(('127.0.0.1', 0))
    hosts = ['127.0.0.1:%d' % s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    spec = tf.train.ClusterSpec({'ps': hosts[:2], 'worker': hosts[2:]})
    return [tf.train.Server(spec, job, task, config=config()) for job, task in (('ps', 0), ('ps', 1), ('worker', 0))]


def seq2seq(folder):
    rng = start(13)
    servers = cluster()
    with tf.device(tf.train.replica_device_setter(ps_tasks=2, worker_device='/job:worker/task:0')):
        step = tf.train.get_or_create_global_step()
        source = tf.placeholder(tf.int32, [PAIRS, SENTENCE], 'source')
        target = tf.placeholder(tf.int32, [PAIRS, SENTENCE], 'target')
        loss = seq2seq_loss(source, target)
        variables = tf.trainable_variables()
        with tf.name_scope('train'):
            gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 2.0)
            train = tf.train.AdamOptimizer().apply_gradients(zip(gradients, variables), global_step=step)
    saver_variables = tf.global_variables()
    recording = Recording(folder)

    def sentences():
        return {x: rng.randint(0, WORDS, [PAIRS, SENTENCE]) for x in (source, target)}
    with tf.Session(servers[2].target, config=config()) as session:
        session.run(tf.global_variables_initializer())
        session.run(train, feed_dict=sentences())
        for _ in range(2):
            recording.run(session, train, feed_dict=sentences())
        recording.checkpoint(session, saver_variables, v1=False)
    recording.finish()


# ---------------------------------------------------------------- a convnet on two towers
TOWERS, STEPS = 2, 10
BODY = ((8, 1, 1), (16, 3, 2), (16, 3, 1), (32, 3, 2))  # width, kernel, stride


def tower(images):
    x = tf.nn.max_pool2d(images, 2, 2, 'SAME', name='pool0/MaxPool')
    for i, (width, kernel, stride) in enumerate(BODY):
        with tf.variable_scope('conv%d' % i):
            weights = tf.get_variable('conv2d/kernel', [kernel, kernel, x.shape[3].value, width])
            gamma = tf.get_variable('batchnorm/gamma', [width], initializer=tf.ones_initializer())
            beta = tf.get_variable('batchnorm/beta', [width], initializer=tf.zeros_initializer())
            y = tf.nn.conv2d(x, weights, [1, stride, stride, 1], 'SAME', name='conv2d/Conv2D')
            y, _, _ = tf.nn.fused_batch_norm(y, gamma, beta, name='batchnorm/FusedBatchNorm')
            x = tf.nn.relu(x + y if x.shape[1:] == y.shape[1:] else y, name='Relu')
    x = tf.reduce_mean(x, [1, 2], name='spatial_mean0')
    with tf.variable_scope('affine0'):
        return tf.nn.xw_plus_b(x, tf.get_variable('weights', [x.shape[1].value, 10]), tf.get_variable('biases', [10]))


def towers(folder):
    start(14)
    step = tf.train.get_or_create_global_step()
    losses, gradients = [], []
    for i in range(TOWERS):
        with tf.variable_scope('v', reuse=tf.AUTO_REUSE, auxiliary_name_scope=False), tf.device('/cpu:%d' % i), \
                tf.name_scope('v/tower_%d/' % i):
            images = tf.random_uniform([8, 24, 24, 3], name='images')
            labels = tf.random_uniform([8], 0, 10, tf.int64, name='labels')
            with tf.variable_scope('cg', auxiliary_name_scope=False), tf.name_scope('cg'):
                logits = tower(images)
            losses.append(tf.losses.sparse_softmax_cross_entropy(labels, logits, scope='xentropy'))
            variables = tf.trainable_variables()
            gradients.append(tf.gradients(losses[-1], variables))
    with tf.device('/cpu:0'):
        with tf.name_scope('average'):
            mean = [tf.add_n(pair) / TOWERS for pair in zip(*gradients)]
        train = tf.train.GradientDescentOptimizer(0.01).apply_gradients(
            zip(mean, variables), global_step=step, name='append_apply')
        total = tf.add_n(losses, name='total_loss')
    recording = Recording(folder)
    with tf.Session(config=config(rewrite=False, device_count={'CPU': TOWERS})) as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        for _ in range(STEPS):
            recording.run(session, [train, total])
    recording.finish()
