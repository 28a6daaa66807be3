# SPDX-License-Identifier: Apache-2.0
"""Arrays: what makes, names, reshapes, cuts, joins, reorders, gathers, scatters, and the folding of constants.

Most graphs are drawn: each op with inputs of known, partly known and unknown shapes, and with numbers that TensorFlow's
importer knows whole (constants, arithmetic on them), as a shape only (Pack, Concat, Cast, slices of Shape), or not at
all. What TensorFlow refuses to build is left out.
"""
import itertools
import random

import numpy as np

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
    """Draws inputs; the same ones every time."""

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
        """A tensor of that shape, known, in part, or not at all."""
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
        """Numbers as TensorFlow may know them."""
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
        """TensorFlow builds what it finds no fault with."""
        try:
            make()
            self.built += 1
        except (ValueError, TypeError):
            pass


# ---- what is drawn ----

def some_axis(d, rank, wide=0):
    return d.random.randint(-rank - wide, rank - 1 + wide) if rank else 0


def reshape(d):
    dims = d.dims()
    to = list(dims)
    d.random.shuffle(to)
    if to and d.chance(0.5):
        to = [int(np.prod(to[:-1]))] + to[-1:]
    if d.chance(0.5) and to:
        to[d.random.randrange(len(to))] = -1
    R.Reshape(tensor=d.tensor(dims), shape=d.vector(to, d.one([I, L])))


def squeeze(d):
    dims = [d.one([1, 1, 3]) for _ in range(d.random.randint(0, 4))]
    ones = [i - d.one([0, len(dims)]) for i, x in enumerate(dims) if x == 1 and d.chance(0.6)]
    R.Squeeze(input=d.tensor(dims), axis=ones)


def expand(d):
    dims = d.dims()
    R.ExpandDims(input=d.tensor(dims), axis=d.scalar(some_axis(d, len(dims) + 1), d.one([I, L])))


def transpose(d):
    dims = d.dims()
    order = list(range(len(dims)))
    d.random.shuffle(order)
    order = [o - d.one([0, 0, 0, len(dims)]) for o in order]
    d.one([R.Transpose, R.ConjugateTranspose])(x=d.tensor(dims), perm=d.vector(order, d.one([I, L])))


def broadcast_to(d):
    dims = d.dims(0, 3)
    to = d.dims(0, 2) + [x if x != 1 else d.one([1, 5]) for x in dims]
    R.BroadcastTo(input=d.tensor(dims), shape=d.vector(to, d.one([I, L])))


def fill(d):
    dims, dtype = d.dims(), d.one([I, L])
    d.one([lambda: R.Fill(dims=d.vector(dims, dtype), value=ask(())), lambda: R.Empty(shape=d.vector(dims), dtype=F)])()


def ranges(d):
    dtype = d.one([I, L, F, tf.float64])
    start, limit, delta = d.random.randint(-9, 9), d.random.randint(-9, 9), d.one([-3, -2, -1, 1, 2, 3])
    if dtype in (F, tf.float64):
        start, limit, delta = (tf.constant(x / d.one([1, 3, 7]), dtype) for x in (start, limit, delta))
        R.Range(start=start, limit=limit, delta=delta)
    else:
        R.Range(start=d.scalar(start, dtype), limit=d.scalar(limit, dtype), delta=d.scalar(delta, dtype))


def lin_space(d):
    R.LinSpace(start=tf.constant(1.0), stop=ask(()), num=d.scalar(d.random.randint(1, 9), d.one([I, L])))


def one_hot(d):
    dims = d.dims(0, 3)
    R.OneHot(indices=d.tensor(dims, d.one([I, L])), depth=d.scalar(d.random.randint(0, 5)), on_value=1.0, off_value=0.0,
             axis=d.random.randint(-1, len(dims)))


def slices(d):
    dims, dtype = d.dims(), d.one([I, L])
    begin = [d.random.randint(0, x) for x in dims]
    size = [d.one([-1, d.random.randint(0, x - b)]) for x, b in zip(dims, begin)]
    R.Slice(input=d.tensor(dims), begin=d.vector(begin, dtype), size=d.vector(size, dtype))


def strided(d, make=None):
    dims, dtype = d.dims(0, 4), d.one([I, L])
    masks = dict(begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)
    begin, end, stride, bit, axis, count = [], [], [], 1, 0, d.random.randint(0, len(dims) + 1)
    for i in range(count):
        kind = d.random.randint(0, 9)
        x = dims[axis] if axis < len(dims) else 3
        begin.append(d.random.randint(-x - 1, x + 1))
        end.append(d.random.randint(-x - 1, x + 1))
        stride.append(d.one([1, 1, 1, 2, 3, -1, -2]))
        if kind == 0 and not masks["ellipsis_mask"]:
            masks["ellipsis_mask"] |= bit
        elif kind == 1:
            masks["new_axis_mask"] |= bit
        elif kind < 4:
            masks["shrink_axis_mask"] |= bit
            begin[-1], stride[-1] = d.random.randint(-x, max(x - 1, 0)), d.one([1, 1, 2])
        masks["begin_mask"] |= bit * d.chance(0.3)
        masks["end_mask"] |= bit * d.chance(0.3)
        axis, bit = axis + (kind != 1), bit * 2
    stride = tf.constant(stride, dtype, shape=[count]) if d.chance(0.85) else d.vector(stride, dtype)
    x = d.tensor(dims) if make is None else make(dims)
    R.StridedSlice(input=x, begin=d.vector(begin, dtype), end=d.vector(end, dtype), strides=stride, **masks)


def strided_grad(d):
    dims = d.dims(1, 3)
    n = len(dims)
    d.one([lambda: R.StridedSliceGrad(shape=d.vector(dims), begin=[0] * n, end=[1] * n, strides=[1] * n, dy=d.tensor(dims)),
           lambda: R.TensorStridedSliceUpdate(input=d.tensor(dims), begin=[0] * n, end=[1] * n, strides=[1] * n,
                                              value=d.tensor(dims))])()


def concat(d):
    dims = d.dims(1, 4)
    axis = some_axis(d, len(dims))
    values = []
    for _ in range(d.random.randint(2, 4)):
        own = list(dims)
        own[axis] = d.random.randint(0, 5)
        values.append(d.tensor(own))
    d.one([lambda: R.ConcatV2(values=values, axis=d.scalar(axis, d.one([I, L]))),
           lambda: R.Concat(values=values, concat_dim=d.scalar(axis))])()


def pack(d):
    dims = d.dims(0, 3)
    R.Pack(values=[d.tensor(dims) for _ in range(d.random.randint(1, 3))], axis=some_axis(d, len(dims) + 1))


def unpack(d):
    dims = d.dims(1, 4)
    axis = some_axis(d, len(dims))
    R.Unpack(value=d.tensor(dims), num=dims[axis], axis=axis)


def split(d):
    dims = d.dims(1, 4)
    axis = some_axis(d, len(dims))
    parts = d.random.randint(1, 4)
    dims[axis] *= parts
    R.Split(axis=d.scalar(axis), value=d.tensor(dims), num_split=parts)


def split_v(d):
    dims = d.dims(1, 4)
    axis = some_axis(d, len(dims))
    sizes = [d.random.randint(0, 4) for _ in range(d.random.randint(1, 4))]
    dims[axis] = sum(sizes)
    if d.chance(0.4):
        sizes[d.random.randrange(len(sizes))] = -1
    known = d.scalar(axis)
    if known.op.type == "Placeholder" and tf.get_static_value(sizes) is not None:
        known = tf.constant(axis)  # TensorFlow takes the last axis for one that it does not know
    R.SplitV(value=d.tensor(dims), size_splits=d.vector(sizes, d.one([I, L])), axis=known, num_split=len(sizes))


def pads_of(d, dims, most=3):
    pads = [[d.random.randint(0, most), d.random.randint(0, most)] for _ in dims]
    flat = d.vector([x for pad in pads for x in pad], d.one([I, L]))
    kind = d.random.randint(0, 5)
    if kind < 3:
        return tf.constant(pads, flat.dtype, shape=[len(dims), 2])
    return R.Reshape(tensor=flat, shape=[len(dims), 2]) if kind < 5 else ask([len(dims), 2], flat.dtype)


def pad(d):
    dims = d.dims(1, 4)
    pads = pads_of(d, dims)
    d.one([lambda: R.Pad(input=d.tensor(dims), paddings=pads),
           lambda: R.PadV2(input=d.tensor(dims), paddings=pads, constant_values=1.0),
           lambda: R.MirrorPad(input=d.tensor(dims), paddings=pads, mode="REFLECT"),
           lambda: R.MirrorPadGrad(input=d.tensor([x + 6 for x in dims]), paddings=pads, mode="SYMMETRIC")])()


def tile(d):
    dims = d.dims(0, 4)
    R.Tile(input=d.tensor(dims), multiples=d.vector([d.random.randint(0, 3) for _ in dims], d.one([I, L])))


def reverse(d):
    dims = d.dims(1, 4)
    axes = d.random.sample(range(len(dims)), d.random.randint(0, len(dims)))
    d.one([lambda: R.ReverseV2(tensor=d.tensor(dims), axis=d.vector(axes, d.one([I, L]))),
           lambda: R.Reverse(tensor=d.tensor(dims), dims=ask([len(dims)], B)),
           lambda: R.ReverseSequence(input=d.tensor(dims), seq_lengths=d.tensor([dims[0]], L), seq_dim=len(dims) - 1,
                                     batch_dim=0),
           lambda: R.Roll(input=d.tensor(dims), shift=ask([1], I), axis=ask([1], I))])()


def blocks(d):
    sizes = [d.random.randint(1, 3) for _ in range(d.random.randint(0, 3))]
    rest = d.dims(0, 1)
    pads = [[d.random.randint(0, 2), d.random.randint(0, 2)] for _ in sizes]
    batch = int(np.prod(sizes)) * d.random.randint(1, 2)
    inner = [s * d.random.randint(3, 5) - sum(p) for s, p in zip(sizes, pads)]
    known = d.vector(sizes, d.one([I, L]))
    told = tf.constant(pads, I, shape=[len(sizes), 2]) if d.chance(0.7) else ask([len(sizes), 2], I)
    d.one([R.SpaceToBatchND, R.BatchToSpaceND])(
        input=d.tensor([batch] + inner + rest), block_shape=known,
        **({"paddings": told} if d.chance(0.5) else {"crops": told}))


def square_blocks(d):
    size = d.random.randint(2, 3)
    dims = [size * size * d.random.randint(1, 2) for _ in range(4)]
    pads = [[0, size], [size, 0]]
    told = tf.constant(pads) if d.chance(0.7) else ask([2, 2], I)
    form = d.one(["NHWC", "NCHW"])
    d.one([lambda: R.SpaceToBatch(input=d.tensor(dims), paddings=told, block_size=size),
           lambda: R.BatchToSpace(input=d.tensor(dims), crops=told, block_size=size),
           lambda: R.SpaceToDepth(input=d.tensor(dims), block_size=size, data_format=form),
           lambda: R.DepthToSpace(input=d.tensor(dims), block_size=size, data_format=form),
           lambda: R.SpaceToDepth(input=d.tensor(dims + [4], tf.qint8), block_size=size, data_format="NCHW_VECT_C"),
           lambda: R.DepthToSpace(input=d.tensor(dims + [4], tf.qint8), block_size=size, data_format="NCHW_VECT_C")])()


def patches(d):
    dims = d.dims(4, 4)
    sizes, strides, rates = ([1, d.random.randint(1, 3), d.random.randint(1, 3), 1] for _ in range(3))
    padding = d.one(["SAME", "VALID"])
    d.one([lambda: R.ExtractImagePatches(images=d.tensor(dims), ksizes=sizes, strides=strides, rates=rates, padding=padding),
           lambda: R.ExtractVolumePatches(input=ask(d.blur([2]) + dims), ksizes=[1] + sizes, strides=[1] + strides,
                                          padding=padding)])()  # of volumes known in part TensorFlow has the rank wrong


def shapes(d):
    x = d.tensor(d.dims())
    d.one([lambda: R.Shape(input=x, out_type=L), lambda: R.ShapeN(input=[x, d.tensor(d.dims())]), lambda: R.Size(input=x),
           lambda: R.Rank(input=x), lambda: R.Where(condition=x), lambda: R.ZerosLike(x=x), lambda: R.OnesLike(x=x),
           lambda: R.Diag(diagonal=x), lambda: R.DiagPart(input=d.tensor(d.dims(1, 2) * 2)),
           lambda: R.EnsureShape(input=x, shape=d.blur(d.dims())), lambda: R.IdentityN(input=[x, d.tensor([2])]),
           lambda: R.BroadcastArgs(s0=d.vector(d.dims(1, 3)), s1=d.vector(d.dims(1, 3))),
           lambda: R.BroadcastGradientArgs(s0=d.vector(d.dims(1, 3)), s1=d.vector(d.dims(1, 3))),
           lambda: R.ConcatOffset(concat_dim=d.scalar(0), shape=[d.vector(d.dims(2, 2)) for _ in range(3)]),
           lambda: R.InvertPermutation(x=d.tensor([5], I)), lambda: R.CheckNumerics(tensor=x, message=""),
           lambda: R.PlaceholderWithDefault(input=x, shape=d.blur(d.dims())),
           lambda: R.Bitcast(input=x, type=d.one([tf.uint8, tf.float64, tf.int32])),
           lambda: R.ParallelConcat(values=[ask([1, 3]), ask([1, 3])], shape=[2, 3])])()


def search(d):
    x = d.tensor(d.dims(1, 2), I)
    d.one([lambda: R.Unique(x=d.tensor([5], I)), lambda: R.UniqueWithCounts(x=d.tensor([5], I)),
           lambda: R.UniqueV2(x=x, axis=d.vector(d.one([[], [0], [-1]]), d.one([I, L]))),
           lambda: R.UniqueWithCountsV2(x=x, axis=d.vector(d.one([[], [0]]), L)),
           lambda: R.ListDiff(x=d.tensor([4], I), y=d.tensor([2], I)),
           lambda: R.LowerBound(sorted_inputs=d.tensor([2, 9]), values=d.tensor([2, 3])),
           lambda: R.UpperBound(sorted_inputs=d.tensor([2, 9]), values=d.tensor([2, 3])),
           lambda: R.UnravelIndex(indices=d.tensor(d.dims(0, 2), I), dims=d.tensor([3], I)),
           lambda: R.Fingerprint(data=d.tensor(d.dims(1, 3)), method="farmhash64"),
           lambda: R.EditDistance(hypothesis_indices=d.tensor([5, 3], L), hypothesis_values=d.tensor([5], I),
                                  hypothesis_shape=d.vector([2, 3, 4], L), truth_indices=d.tensor([6, 3], L),
                                  truth_values=d.tensor([6], I), truth_shape=d.vector([2, 5, 4], L)),
           lambda: R.InplaceAdd(x=d.tensor([4, 3]), i=[1], v=d.tensor([1, 3]))])()


def gather(d):
    dims, indices = d.dims(1, 4), d.dims(0, 3, small=True)
    axis = some_axis(d, len(dims))
    batch = d.random.randint(0, min(axis % len(dims), len(indices)))
    indices[:batch] = dims[:batch]
    if batch and d.chance(0.3):
        batch -= len(indices)
    known = d.scalar(axis, d.one([I, L]))
    d.one([lambda: R.GatherV2(params=d.tensor(dims), indices=d.tensor(indices, d.one([I, L])), axis=known, batch_dims=batch),
           lambda: R.Gather(params=d.tensor(dims), indices=d.tensor(indices, I)),
           lambda: R.GatherNd(params=d.tensor(dims), indices=d.tensor(indices + [d.random.randint(0, len(dims))], I))])()


def scatter(d):
    dims = d.dims(1, 3, small=True)
    depth = d.random.randint(1, len(dims))
    outer = d.dims(0, 2, small=True)
    indices, updates = d.tensor(outer + [depth], I), d.tensor(outer + dims[depth:])
    ops = [R.TensorScatterUpdate, R.TensorScatterAdd, R.TensorScatterSub, R.TensorScatterMin, R.TensorScatterMax]
    d.one([lambda: R.ScatterNd(indices=indices, updates=updates, shape=d.vector(dims)),
           lambda: d.one(ops)(tensor=d.tensor(dims), indices=indices, updates=updates),
           lambda: R.ScatterNdNonAliasingAdd(input=d.tensor(dims), indices=indices, updates=updates)])()


def stitch(d):
    rest = d.dims(0, 2)
    counts = d.dims(1, 3, small=True)
    indices, data, at = [], [], 0
    for n in counts:
        indices.append(d.vector(range(at, at + n)) if d.chance(0.8) else d.tensor([n], I))
        data.append(d.tensor([n] + rest))
        at += n
    outer = d.dims(0, 2)
    d.one([lambda: R.DynamicStitch(indices=indices, data=data), lambda: R.ParallelDynamicStitch(indices=indices, data=data),
           lambda: R.DynamicPartition(data=d.tensor(outer + rest), partitions=d.tensor(outer, I), num_partitions=3)])()


DRAWN = [reshape, squeeze, expand, transpose, broadcast_to, fill, ranges, lin_space, one_hot, slices, strided, strided_grad,
         concat, pack, unpack, split, split_v, pad, tile, reverse, blocks, square_blocks, patches, shapes, search, gather,
         scatter, stitch]


def drawn(kind, seed, count):
    d = Draw(seed)
    for _ in range(count):
        d.build(lambda: kind(d))
    assert d.built >= count / 4, "%s: TensorFlow built only %d of %d" % (kind.__name__, d.built, count)


# ---- folding: a chain of operations on small numbers ends as a shape ----

def known_vector(d, n, dtype=I):
    """Numbers that TensorFlow computes, whichever way."""
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
    """One more operation on a vector of n numbers; gives a vector and its length."""
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


def states():
    ref = R.VariableV2(shape=[4, 3], dtype=F)
    handle = R.VarHandleOp(dtype=F, shape=[4, 3], shared_name="v")
    for kind in ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max"):
        for updates in (ask([2, 3]), ask([None, 3]), ask(()), ask()):
            getattr(R, "Scatter" + kind)(ref=ref, indices=ask([2], I), updates=updates)
            getattr(R, "ResourceScatter" + kind)(resource=handle, indices=ask([2], I), updates=updates)
    for kind in ("Update", "Add", "Sub", "Min", "Max"):
        getattr(R, "ScatterNd" + kind)(ref=ref, indices=ask([2, 1], I), updates=ask([2, 3]))
        getattr(R, "ResourceScatterNd" + kind)(ref=handle, indices=ask([2, 2], I), updates=ask([2]))
    for indices in (ask([2], I), ask([None, 5], I), ask((), L), ask(None, L)):
        R.ResourceGather(resource=handle, indices=indices, dtype=F)
    R.ResourceGather(resource=handle, indices=ask([4, 2], I), dtype=F, batch_dims=1)
    for depth in (1, 2, None):
        R.ResourceGatherNd(resource=handle, indices=ask([7, depth], I), dtype=F)
    R.Reshape(tensor=ask(), shape=R.VariableShape(input=handle))
    R.Fill(dims=R.VariableShape(input=handle) + 1, value=0.0)
    R.StridedSliceAssign(ref=ref, begin=[0], end=[1], strides=[1], value=ask())
    R.ResourceStridedSliceAssign(ref=handle, begin=[0], end=[1], strides=[1], value=ask())
    R.RefIdentity(input=ref)
    R.DebugGradientRefIdentity(input=ref)
    R.ImmutableConst(dtype=F, shape=[3], memory_region_name="m")
    R.PlaceholderWithDefault(input=tf.constant([3]), shape=[1])
    R.Reshape(tensor=ask(), shape=R.PlaceholderWithDefault(input=tf.constant([3, 4]), shape=[2]))
    for same in (R.Snapshot, R.StopGradient, R.PreventGradient, R.GuaranteeConst, R.DebugGradientIdentity):
        R.Fill(dims=same(input=tf.constant([3, 4])), value=0.0)
    R.DeepCopy(x=ask([3, None]))


def counted():
    R.MirrorPadGrad(input=ask([9, 7]), paddings=[[1, 2], [3, 0]], mode="REFLECT", name="folded")
    R.LinSpace(start=0.0, stop=1.0, num=11, name="spaced")
    R.TensorScatterAdd(tensor=ask([5, 4]), indices=ask([3, 1], I), updates=ask([3, 4]), name="added")
    R.TensorScatterUpdate(tensor=ask([5, 4]), indices=ask([3, 1], I), updates=ask([3, 4]), name="put")
    R.ScatterNd(indices=ask([3, 1], I), updates=ask([3, 4]), shape=[5, 4], name="scattered")
    R.LowerBound(sorted_inputs=ask([2, 9]), values=ask([2, 3]), name="searched")
    R.InplaceAdd(x=ask([5, 4]), i=[1], v=ask([1, 4]), name="in_place")
    R.GatherV2(params=ask(), indices=ask(None, I), axis=0, name="gathered")
    handle = R.VarHandleOp(dtype=F, shape=[4, 3], shared_name="v")
    R.ResourceScatterAdd(resource=handle, indices=ask([2], I), updates=1.0, name="number")
    R.ResourceScatterAdd(resource=handle, indices=ask([2], I), updates=ask([None, 3]), name="open")


def graphs():
    for i, kind in enumerate(DRAWN):
        yield kind.__name__, graph_of(drawn, kind, SEED + i, 120)
    for i in range(4):
        yield "folding%d" % i, graph_of(folding, SEED + i, 120, known_vector)
        yield "folding_in_part%d" % i, graph_of(folding, 2 * SEED + i, 120, in_part)
    for build in (constants, far_ends, gradients, loops, states, counted):
        yield build.__name__, graph_of(build)


def counts():
    yield "states", "ScatterAdd", 6, 0
    yield "states", "ScatterAdd_2", 6, 0
    yield "states", "ScatterUpdate", 0, 0
    yield "states", "ResourceScatterNdAdd", 2, 0
    yield "counted", "folded", 63 - 6 * 4, 0
    yield "counted", "spaced", 22, 0
    yield "counted", "added", 12, 0
    yield "counted", "put", 0, 0
    yield "counted", "scattered", 12, 0
    yield "counted", "searched", 4 * 6, 0
    yield "counted", "in_place", 4, 0
    yield "counted", "gathered", 0, 0
    yield "counted", "number", 6, 0
