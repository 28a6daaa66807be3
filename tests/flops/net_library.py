# SPDX-License-Identifier: Apache-2.0
"""One graph with the ops that TensorFlow's Python library uses for signals, text, images, losses, tables, queues ..."""
import oracle
from net_forms import F, I, both, old_control_flow

tf = oracle.tf
v1 = tf.compat.v1


def library(folder):
    """The ops that TensorFlow's Python library uses for signals, text, images, losses, tables, queues ..."""
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
