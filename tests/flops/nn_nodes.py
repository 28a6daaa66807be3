# SPDX-License-Identifier: Apache-2.0
"""Helpers that build the graphs for convolutions, norms, quantized ops and oneDNN's ops."""
from cases_math import REFUSED, add
from making import placeholder as ask
from oracle import tf

F, I, L, Q, S8, S32 = tf.float32, tf.int32, tf.int64, tf.quint8, tf.qint8, tf.qint32
U = None
SHAPES = [[2, 5], [2, U], [U, 5], U, [3, 2, 5], [U, U, U], [5, 7, 3, 4]]
MADE = {}  # op -> nodes that TensorFlow accepted


def node(op, *inputs, **attrs):
    before = len(REFUSED)
    made = add(op, *inputs, **attrs)
    MADE[op] = MADE.get(op, 0) + (len(REFUSED) == before)
    return made


def range_of(shape=()):
    """Inputs for a minimum and a maximum."""
    return ask(shape), ask(shape)


def check_made():
    """Checks that every op that was tried has a node."""
    missing = sorted(op for op, times in MADE.items() if not times)
    if missing:
        raise AssertionError("TensorFlow took no node of %s: %s" % (
            missing, [text for op, text in REFUSED if op in missing][:3]))
