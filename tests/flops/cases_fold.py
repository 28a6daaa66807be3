# SPDX-License-Identifier: Apache-2.0
"""Constant folding: numbers that are computed in a graph and become a shape."""
import itertools

import numpy as np

from compare import WHOLE
from draw import Draw, F, I, L, R, SEED, graph_of
from making import placeholder as ask
from oracle import tf


# ---- folding: a chain of operations on small numbers ends as a shape ----

def known_vector(d, n, dtype=I):
    """A vector whose value TensorFlow can compute, made in one of several ways."""
    values = [d.random.randint(0, 6) for _ in range(n)]
    kind = d.random.randint(0, 4)
    if kind < 2:
        return tf.constant(values, dtype, shape=[n])
    if kind == 2:
        return R.Shape(input=ask(values), out_type=dtype)
    if kind == 3:
        return R.Pack(values=[tf.constant(v, dtype) for v in values])
    return R.Cast(x=tf.constant([v + 0.4 for v in values], F, shape=[n]), DstT=dtype)


def in_part(d, n, dtype=I):
    values = [d.random.randint(0, 6) for _ in range(n)]
    return d.one([lambda: R.Shape(input=ask(d.blur(values, 0.4)), out_type=dtype), lambda: d.vector(values, dtype)])()


def fold_step(d, x, n, dtype, source):
    """Applies one more operation to a vector of n numbers; returns a vector and its length."""
    def other():
        return source(d, n, dtype)

    def scalars():
        return [x[i] for i in range(n)]

    two = [R.AddV2, R.Sub, R.Mul, R.Maximum, R.Minimum, R.SquaredDifference]
    cut = d.random.randint(0, n)
    m = d.random.randint(1, 3)
    steps = [
        lambda: (d.one(two)(x=x, y=other()), n),
        lambda: (d.one(two)(x=x, y=tf.constant(d.random.randint(0, 3), dtype)), n),
        lambda: (d.one([R.FloorDiv, R.TruncateDiv, R.FloorMod, R.TruncateMod])(x=x, y=tf.constant(d.one([2, 3, -3]), dtype)), n),
        lambda: (d.one([R.Neg, R.Abs, R.Sign, R.Square, R.Identity, R.StopGradient])(**{d.one(["x"]): x}), n),
        lambda: (R.Cast(x=R.RealDiv(x=R.Cast(x=x, DstT=F), y=tf.constant(d.one([2.0, 3.0]))), DstT=dtype), n),
        lambda: (R.Cast(x=d.one([R.Floor, R.Ceil, R.Round, R.Rint])(x=R.Cast(x=x, DstT=tf.float64) / 2), DstT=dtype), n),
        lambda: (R.SelectV2(condition=d.one([R.Greater, R.LessEqual, R.Equal, R.NotEqual])(x=x, y=other()), t=x, e=other()), n),
        lambda: (R.ConcatV2(values=[x, source(d, m, dtype)], axis=0), n + m),
        lambda: (R.ConcatV2(values=[x[cut:], x[:cut]], axis=-1), n),
        lambda: (x[cut:], n - cut), lambda: (x[::-1], n), lambda: (x[:cut], cut),
        lambda: (R.Pack(values=scalars()[::-1]), n), lambda: (R.Pack(values=R.Unpack(value=x, num=n)[1:]), n - 1),
        lambda: (R.Slice(input=x, begin=[0], size=[-1]), n), lambda: (R.Slice(input=x, begin=[cut], size=[n - cut]), n - cut),
        lambda: (R.GatherV2(params=x, indices=tf.constant([d.random.randrange(n) for _ in range(m)]), axis=0), m),
        lambda: (R.Pad(input=x, paddings=[[1, 0]]), n + 1), lambda: (R.Tile(input=x, multiples=[2]), 2 * n),
        lambda: (R.ReverseV2(tensor=x, axis=[0]), n), lambda: (R.Cumsum(x=x, axis=0, exclusive=d.chance(0.5)), n),
        lambda: (R.Cumprod(x=x, axis=0, reverse=d.chance(0.5)), n),
        lambda: (R.Reshape(tensor=d.one([R.Sum, R.Prod, R.Max, R.Min, R.Mean])(input=x, axis=0), shape=[1]), 1),
        lambda: (R.ExpandDims(input=R.Prod(input=x, axis=tf.constant([0])), axis=0), 1),
        lambda: (R.Reshape(tensor=R.Transpose(x=R.Pack(values=[x, other()]), perm=[1, 0]), shape=[2 * n]), 2 * n),
        lambda: (R.Sum(input=R.Pack(values=[x, other()], axis=1), axis=[d.one([1, -1])]), n),
        lambda: (R.Split(axis=0, value=x, num_split=n)[0], 1),
        lambda: (R.SplitV(value=x, size_splits=[cut, -1], axis=0, num_split=2)[1], n - cut),
        lambda: (R.Range(start=tf.constant(0, dtype), limit=tf.constant(n, dtype), delta=tf.constant(1, dtype)), n),
        lambda: (R.Fill(dims=[m], value=x[0]), m), lambda: (R.BroadcastTo(input=x[:1], shape=[m]), m),
        lambda: (R.OnesLike(x=x), n), lambda: (R.ZerosLike(x=x), n), lambda: (R.AddN(inputs=[x, other(), x]), n),
        lambda: (R.Reshape(tensor=R.Cast(x=R.ArgMax(input=x, dimension=0), DstT=dtype), shape=[-1]), 1),
        lambda: (R.DynamicStitch(indices=[list(range(0, 2 * n, 2)), list(range(1, 2 * n, 2))], data=[x, other()]), 2 * n),
        lambda: (R.TensorScatterUpdate(tensor=x, indices=[[0]], updates=x[n - 1:]), n),
        lambda: (R.ClipByValue(t=x, clip_value_min=tf.constant(1, dtype), clip_value_max=tf.constant(4, dtype)), n),
        lambda: (R.SelectV2(condition=R.LogicalAnd(x=x > 2, y=R.LogicalNot(x=other() > 4)), t=x, e=x + 1), n),
        lambda: (R.SelectV2(condition=R.LogicalOr(x=x > 2, y=R.Any(input=x < 1, axis=0)), t=x, e=x + 1), n),
        lambda: (R.Cast(x=R.OneHot(indices=x[:1], depth=m, on_value=2.0, off_value=1.0)[0], DstT=dtype), m),
        lambda: (R.Shape(input=R.Fill(dims=x, value=0.0), out_type=dtype), n),
        lambda: (R.Reshape(tensor=R.Size(input=R.Fill(dims=x, value=0.0), out_type=dtype), shape=[1]), 1),
        lambda: (R.ShapeN(input=[R.Fill(dims=x, value=0.0)], out_type=dtype)[0], n),
        lambda: (R.BroadcastArgs(s0=x, s1=tf.constant([1] * n, dtype)), n),
        lambda: (R.ConcatOffset(concat_dim=0, shape=[x, other()])[1], n),
    ]
    return d.one(steps)()


def folding(seed, count, source):
    d = Draw(seed)

    def chain():
        n, dtype = d.random.randint(1, 4), d.one([I, I, L])
        x = source(d, n, dtype)
        for _ in range(d.random.randint(1, 5)):
            x, n = fold_step(d, x, n, dtype, source)
            if not 0 < n <= 8:
                return
        R.Fill(dims=R.Maximum(x=R.Minimum(x=x, y=tf.constant(40, dtype)), y=tf.constant(0, dtype)), value=0.0)
        R.Fill(dims=x, value=0.0)
        R.Reshape(tensor=ask(), shape=x)
        R.Slice(input=ask([None] * n), begin=tf.zeros_like(x), size=x)

    for _ in range(count):
        d.build(chain)
    assert d.built >= count / 10


# ---- constants as files have them ----

def constants():
    protos = [tf.make_tensor_proto(v, t) for v, t in itertools.product(
        ([2, 3], [[2, 3]], [7, 7, 7, 7], [], 5, [0, 0]), (I, L, tf.int16, tf.uint8, tf.int8, tf.uint16, F, tf.float64, tf.half))]
    splat = tf.make_tensor_proto([3], I)
    splat.tensor_shape.dim[0].size = 4
    nothing = tf.make_tensor_proto([3], I)
    nothing.ClearField("int_val")
    nothing.ClearField("tensor_content")
    big = tf.make_tensor_proto(np.arange(20000), L)
    for proto in protos + [splat, nothing, big]:
        dtype = tf.as_dtype(proto.dtype)
        graph = tf.compat.v1.get_default_graph()
        op = graph.create_op("Const", [], [dtype], attrs={
            "value": tf.compat.v1.AttrValue(tensor=proto), "dtype": tf.compat.v1.AttrValue(type=dtype.as_datatype_enum)})
        x = op.outputs[0]
        if len(proto.tensor_shape.dim) == 1 and dtype in (I, L) and proto.tensor_shape.dim[0].size < 9:
            R.Reshape(tensor=ask(), shape=x)
            R.Fill(dims=x, value=1.0)
        if dtype != tf.half and len(proto.tensor_shape.dim) == 1 and 0 < proto.tensor_shape.dim[0].size < 9:
            R.Fill(dims=R.Cast(x=x, DstT=I), value=1.0)


def far_ends():
    for dtype, far in ((I, 2 ** 31 - 1), (L, 2 ** 63 - 1)):
        for end in (far, -far, 5):
            for begin in (0, 2, -far):
                for stride in (1, 2, -1):
                    R.StridedSlice(input=ask([9, None]), begin=tf.constant([begin], dtype), end=tf.constant([end], dtype),
                                   strides=tf.constant([stride], dtype))


# ---- what gradients and old graphs ask ----

def gradients():
    a, b, c = ask([None, 7]), ask([5, 1]), ask([7])
    y = tf.reduce_sum(a * b + c / (a - b)) + tf.reduce_prod(tf.reshape(b, [-1])) + tf.reduce_mean(tf.tile(b, [1, 7]) * a)
    y += tf.reduce_sum(tf.concat([a, b * c], 0) ** 2.0) + tf.reduce_max(tf.maximum(a[:, 2:4], 3.0))
    y += tf.reduce_sum(tf.pad(b, [[1, 2], [0, 3]])) + tf.reduce_sum(tf.gather(b, [0, 2, 1])) + tf.reduce_prod(a, [1])[0]
    tf.gradients(y, [a, b, c])


def loops():
    limit, start = tf.constant([3, 4]), ask([])
    def body(i, x):
        return i + 1, x + tf.reduce_sum(tf.reshape(tf.fill(limit, x), [2, -1])) + tf.zeros([2, 3])[1, 2]
    with tf.control_dependencies([start]):
        tf.compat.v1.while_loop(lambda i, x: i < 10, body, (tf.constant(0), start))
    tf.compat.v1.cond(start > 1, lambda: tf.reshape(tf.zeros([12]), limit), lambda: tf.ones([3, 4]))


def graphs():
    for i in range(4 if WHOLE else 1):
        yield "folding%d" % i, graph_of(folding, SEED + i, 120, known_vector)
        yield "folding_in_part%d" % i, graph_of(folding, 2 * SEED + i, 120, in_part)
    for build in (constants, far_ends, gradients, loops):
        yield build.__name__, graph_of(build)
