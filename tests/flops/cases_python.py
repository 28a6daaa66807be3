# SPDX-License-Identifier: Apache-2.0
"""Graphs that TensorFlow's Python functions build, alone and with their gradients: the ops behind tf.math, tf.linalg and
tf.signal, and the constants that they compute on the way."""
from oracle import tf


def reduced(x):
    return [tf.reduce_mean(x), tf.reduce_sum(x, -1), tf.math.reduce_std(x, [0, 1]), tf.reduce_logsumexp(x, 1, keepdims=True),
            tf.norm(x), tf.math.reduce_euclidean_norm(x, 1), *tf.nn.moments(x, [0, 1]), tf.nn.l2_normalize(x, -1)]


def any_rank(x):
    return [tf.reduce_mean(x), tf.reduce_sum(x, -1), tf.reduce_max(x, keepdims=True)]


def products(a, b):
    return [tf.matmul(a, b, transpose_b=True), tf.linalg.matvec(a, b[:, 0]), tf.tensordot(a, b[0], [[2], [1]]),
            tf.tensordot(a, tf.transpose(b[0]), 1)]


def equations(a, b, c):
    return [tf.einsum("bij,bjk,kl->bil", a, b, c), tf.einsum("bij,bjk->bk", a, b), tf.einsum("...j,...jk->...k", a[:, 0], b)]


def decomposed(a):
    return [tf.linalg.inv(a), tf.linalg.det(a), tf.linalg.slogdet(a)[1], tf.linalg.cholesky(a), *tf.linalg.qr(a),
            *tf.linalg.svd(a), *tf.linalg.eigh(a), tf.linalg.trace(a), tf.linalg.diag_part(a, k=(-1, 1)), tf.linalg.expm(a), tf.linalg.pinv(a),
            tf.linalg.band_part(a, 1, -1), tf.linalg.set_diag(a, a[..., 0]), tf.linalg.logdet(tf.matmul(a, a, transpose_b=True))]


def solved(a, b):
    return [tf.linalg.solve(a, b), tf.linalg.lstsq(a, b), tf.linalg.triangular_solve(a, b), tf.linalg.cholesky_solve(a, b)]


def heard(x):
    spectrum = tf.abs(tf.signal.stft(x, 256, 128))
    mel = tf.math.log(tf.tensordot(spectrum, tf.signal.linear_to_mel_weight_matrix(40, 129, 8000), 1) + 1e-6)
    return [tf.signal.dct(x, norm="ortho"), tf.signal.mfccs_from_log_mel_spectrograms(mel),
            tf.signal.inverse_stft(tf.signal.stft(x, 256, 128), 256, 128), tf.abs(tf.signal.fft(tf.cast(x, tf.complex64)))]


def elementwise(x, y):
    return [tf.clip_by_norm(x, 1.0), tf.clip_by_value(x, 0.0, 1.0), tf.where(x > 0, x, y), tf.math.cumsum(x, 1),
            tf.math.cumulative_logsumexp(x, 0), tf.math.xlogy(x, y), tf.math.erf(x), tf.math.lbeta(tf.abs(x)),
            tf.math.igamma(x, y), tf.math.betainc(x, y, y), tf.linalg.cross(x, y), tf.math.accumulate_n([x, y]),
            tf.add_n([x, y, x]), tf.math.zero_fraction(x), tf.math.sigmoid(x), tf.math.tanh(y), tf.math.rsqrt(tf.abs(y))]


USED = [(reduced, [None, 8, 4]), (any_rank, None), (products, [None, 3, 4], [None, 5, 4]),
        (equations, [None, 3, 4], [None, 4, 5], [5, 6]), (decomposed, [2, 4, 4]), (solved, [2, 4, 4], [2, 4, 3]),
        (heard, [3, 1000]), (heard, [None, 1000]), (elementwise, [5, 3], [5, 3]), (elementwise, [None, 3], [1, 3])]


def graphs():
    for i, (function, *shapes) in enumerate(USED):
        for trained in (False, True):
            with tf.Graph().as_default() as graph:
                inputs = [tf.compat.v1.placeholder(tf.float32, s) for s in shapes]
                made = function(*inputs)
                if trained:
                    tf.gradients([tf.reduce_sum(tf.abs(t)) for t in made], inputs)
            yield "%d_%s%s" % (i, function.__name__, "_trained" if trained else ""), graph
