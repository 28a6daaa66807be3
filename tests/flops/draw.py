# SPDX-License-Identifier: Apache-2.0
"""Draws graphs: each op with inputs of known, partly known and unknown shapes, and with numbers that TensorFlow's importer
knows whole (constants, arithmetic on them), as a shape only (Pack, Concat, Cast, slices of Shape), or not at all. What
TensorFlow refuses to build is left out."""
import random

from making import placeholder as ask
from oracle import tf

R = tf.raw_ops
F, I, L, B = tf.float32, tf.int32, tf.int64, tf.bool
SEED = 20


def graph_of(build, *args):
    with tf.Graph().as_default() as graph:
        build(*args)
    return graph


class Draw:
    """Draws random inputs, always the same ones."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.built = 0

    def one(self, of):
        return self.random.choice(list(of))

    def chance(self, share):
        return self.random.random() < share

    def dims(self, least=0, most=4, small=False):
        choice = [1, 2, 3, 4] if small else [0, 1, 2, 3, 4, 5, 6, 8, 12]
        weight = None if small else [1, 4, 4, 4, 4, 3, 4, 2, 2]
        return self.random.choices(choice, weight, k=self.random.randint(least, most))

    def blur(self, dims, share=0.25):
        return [None if self.chance(share) else d for d in dims]

    def tensor(self, dims, dtype=F):
        """A tensor of this shape, which is known, partly known, or unknown."""
        kind = self.random.random()
        if kind < 0.4:
            return ask(dims, dtype)
        if kind < 0.85:
            return ask(self.blur(dims, 0.35), dtype)
        return ask(None, dtype)

    def scalar(self, value, dtype=I):
        kind = self.random.random()
        if kind < 0.6:
            return tf.constant(value, dtype)
        if kind < 0.7:
            return tf.identity(tf.constant(value, dtype))
        if kind < 0.8:
            return R.Sub(x=tf.constant(value + 7, dtype), y=tf.constant(7, dtype))
        if kind < 0.9 and 0 <= value < 9:
            return tf.gather(R.Shape(input=ask([value, None, 3]), out_type=dtype), 0)
        return ask((), dtype)

    def vector(self, values, dtype=I):
        """A vector of numbers that TensorFlow may know, in several forms."""
        values = [int(v) for v in values]
        n = len(values)
        kind = self.random.randint(0, 15)
        if kind < 5 or (n == 0 and kind < 13):
            return tf.constant(values, dtype, shape=[n])
        if kind == 5:
            return R.AddV2(x=tf.constant([v - 3 for v in values], dtype), y=tf.constant([3] * n, dtype))
        if kind == 6:
            return R.Pack(values=[self.scalar(v, dtype) for v in values])
        if kind == 7 and min(values) >= 0:
            return R.Shape(input=ask(self.blur(values)), out_type=dtype)
        if kind == 8 and min(values) >= 0:
            return R.ShapeN(input=[ask(self.blur(values)), ask([2])], out_type=dtype)[0]
        if kind == 9 and min(values) >= 0:
            front = self.random.randint(0, 2)
            shape = R.Shape(input=ask([7] * front + self.blur(values) + [9]), out_type=dtype)
            return shape[front:front + n]
        if kind == 10 and min(values) >= 0:
            return R.Cast(x=R.Shape(input=ask(self.blur(values))), DstT=dtype)
        if kind == 11:
            cut = self.random.randint(0, n)
            parts = [self.vector(values[:cut], dtype), self.vector(values[cut:], dtype), tf.constant([], dtype)]
            return R.ConcatV2(values=parts, axis=tf.constant(0))
        if kind == 12:
            return R.Concat(concat_dim=tf.constant(0), values=[self.vector(values, dtype), tf.constant([], dtype)])
        if kind == 13:
            return ask([n], dtype)
        return ask([None] if kind == 14 else None, dtype)

    def build(self, make):
        """Builds the op if TensorFlow accepts it."""
        try:
            make()
            self.built += 1
        except (ValueError, TypeError):
            pass
