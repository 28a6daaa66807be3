# SPDX-License-Identifier: Apache-2.0
"""Array ops: ops that create, name, reshape, slice, join, reorder, gather and scatter. Most graphs are drawn at random
(draw.py)."""
import numpy as np

from compare import WHOLE
from draw import B, Draw, F, I, L, R, SEED, graph_of
from making import placeholder as ask
from oracle import tf


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
        known = tf.constant(axis)  # TensorFlow uses the last axis if the axis is unknown
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
                                          # TensorFlow computes a wrong rank for partly known volumes
                                          padding=padding)])()


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


# ---- what is held ----

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
        yield kind.__name__, graph_of(drawn, kind, SEED + i, 120 if WHOLE else 60)
    for build in (states, counted):
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
