# SPDX-License-Identifier: Apache-2.0
"""Special cases of the 46 ops for which TensorFlow has formulas: attributes that a formula reads wrongly, control inputs,
formats that it refuses, dimensions whose counts overflow."""
import oracle

tf = oracle.tf
v1 = tf.compat.v1
F = tf.float32


def fed(*dims):
    return v1.placeholder(F, dims)


def bugs():
    with tf.Graph().as_default() as graph:
        for x in (False, True):
            for y in (False, True):
                a, b = fed(2, *((5, 3) if x else (3, 5))), fed(2, *((7, 5) if y else (5, 7)))
                for op in (tf.raw_ops.BatchMatMul, tf.raw_ops.BatchMatMulV2):
                    op(x=a, y=b, adj_x=x, adj_y=y)
                tf.raw_ops.BatchMatMulV3(x=a, y=b, adj_x=x, adj_y=y, Tout=F)
                tf.raw_ops.MatMul(a=a[0], b=b[0], transpose_a=x, transpose_b=y)
        tf.raw_ops.BatchMatMulV2(x=fed(2, 1, 3, 5), y=fed(4, 5, 7))
        rows = [fed(3, 4) for _ in range(3)]
        with tf.control_dependencies([tf.no_op("before"), tf.no_op("then")]):
            tf.raw_ops.AddN(inputs=rows, name="add_three")
        tf.raw_ops.AddN(inputs=rows[:1], name="add_one")
        tf.raw_ops.AddN(inputs=[fed(0, 4)] * 2)
    return graph


def strings_and_odd_types():
    with tf.Graph().as_default() as graph:
        text = v1.placeholder(tf.string, [4])
        tf.raw_ops.Add(x=text, y=text)
        tf.raw_ops.Equal(x=text, y=text)
        for dtype in (tf.int32, tf.complex64, tf.bfloat16, tf.uint8):
            x = v1.placeholder(dtype, [3, 5])
            tf.raw_ops.AddV2(x=x, y=x)
            tf.raw_ops.Mul(x=x, y=v1.placeholder(dtype, [4, 1, 5]))
        flags = v1.placeholder(tf.bool, [6])
        tf.raw_ops.Equal(x=flags, y=v1.placeholder(tf.bool, [2, 6]))
        tf.raw_ops.Equal(x=flags, y=v1.placeholder(tf.bool, [3]), incompatible_shape_error=False)
        tf.raw_ops.NotEqual(x=flags, y=flags)
    return graph


def formats():
    """For pools and gradients of convolutions the registry has a number only in NHWC, for convolutions
    and biases in both formats."""
    with tf.Graph().as_default() as graph:
        for form, image, small in (("NHWC", (2, 9, 8, 3), (2, 4, 4, 3)), ("NCHW", (2, 3, 9, 8), (2, 3, 4, 4))):
            def along(height, width, last=form == "NHWC"):
                return [1, height, width, 1] if last else [1, 1, height, width]
            x, window, step = fed(*image), along(3, 2), along(2, 2)
            same = {"ksize": window, "strides": step, "data_format": form}
            for padding in ("SAME", "VALID"):
                out = tf.raw_ops.MaxPool(input=x, padding=padding, **same)
                tf.raw_ops.MaxPoolGrad(orig_input=x, orig_output=out, grad=out, padding=padding, **same)
                mean = tf.raw_ops.AvgPool(value=x, padding=padding, **same)
                tf.raw_ops.AvgPoolGrad(orig_input_shape=tf.constant(image), grad=mean, padding=padding, **same)
                kernel, each = fed(3, 3, 3, 6), fed(3, 3, 3, 2)
                conv = {"strides": step, "padding": padding, "data_format": form}
                y = tf.raw_ops.Conv2D(input=x, filter=kernel, dilations=along(1, 1), **conv)
                tf.raw_ops.Conv2DBackpropInput(input_sizes=tf.constant(image), filter=kernel, out_backprop=y, **conv)
                tf.raw_ops.Conv2DBackpropFilter(input=x, filter_sizes=tf.constant([3, 3, 3, 6]), out_backprop=y, **conv)
                tf.raw_ops.DepthwiseConv2dNative(input=x, filter=each, **conv)
                tf.raw_ops.Conv2D(input=x, filter=kernel, strides=along(1, 1), padding="EXPLICIT", data_format=form,
                                  explicit_paddings=[0, 0, 1, 2, 0, 1, 0, 0] if form == "NHWC" else [0, 0, 0, 0, 1, 2, 0, 1])
            tf.raw_ops.Conv2D(input=x, filter=fed(3, 3, 1, 6), strides=along(1, 1), padding="SAME", data_format=form)
            tf.raw_ops.BiasAdd(value=x, bias=fed(3), data_format=form)
            tf.raw_ops.BiasAddGrad(out_backprop=x, data_format=form)
        for form, volume in (("NDHWC", (1, 4, 5, 6, 2)), ("NCDHW", (1, 2, 4, 5, 6))):
            tf.raw_ops.Conv3D(input=fed(*volume), filter=fed(2, 3, 3, 2, 5), strides=[1] * 5, padding="VALID", data_format=form)
        tf.raw_ops.Dilation2D(input=fed(1, 7, 7, 3), filter=fed(3, 3, 3), strides=[1] * 4, rates=[1] * 4, padding="SAME")
    return graph


def half_known():
    """Without a shape there is no number, even if the missing part cancels out."""
    with tf.Graph().as_default() as graph:
        some, any_rank = fed(None, 4), v1.placeholder(F, None)
        tf.raw_ops.MatMul(a=some, b=fed(4, 3))
        tf.raw_ops.MatMul(a=fed(3, None), b=fed(4, 5))
        tf.raw_ops.MatMul(a=any_rank, b=fed(4, 5))
        for op in (tf.raw_ops.AddV2, tf.raw_ops.Mul, tf.raw_ops.SquaredDifference, tf.raw_ops.Less):
            op(x=some, y=some)
            op(x=some, y=fed(2, 4))
            op(x=any_rank, y=any_rank)
        for x in (some, any_rank, fed(0, 4), fed()):
            for op in (tf.raw_ops.Square, tf.raw_ops.Rsqrt, tf.raw_ops.Neg, tf.raw_ops.Log, tf.raw_ops.Reciprocal):
                op(x=x)
            tf.raw_ops.L2Loss(t=x)
            for axis in ([0], [], [0, 0] if x is any_rank else [-1]):
                if x.shape.rank != 0 or not axis:
                    tf.raw_ops.Sum(input=x, axis=tf.constant(axis, tf.int32))
                    tf.raw_ops.Mean(input=x, axis=tf.constant(axis, tf.int32), keep_dims=True)
            tf.raw_ops.Sum(input=x, axis=v1.placeholder(tf.int32, [None]))
        tf.raw_ops.ArgMax(input=fed(3, 5), dimension=1)
        tf.raw_ops.ArgMin(input=fed(3, 5), dimension=v1.placeholder(tf.int32, []))
        tf.raw_ops.BiasAddGrad(out_backprop=some)
        variable = v1.get_variable("ref", [3, 2], use_resource=False)
        v1.assign_add(variable, fed(3, 2))
        v1.assign_sub(variable, fed(3, 2))
    return graph


BIG, HUGE = 1 << 21, 1 << 40


def overflows():
    """Our own counts have no number if it does not fit into 64 bits; TensorFlow's numbers wrap where numpy computes
    them."""
    with tf.Graph().as_default() as graph:
        tf.raw_ops.MatMul(a=fed(BIG, BIG), b=fed(BIG, 2), name="fits")
        tf.raw_ops.MatMul(a=fed(BIG, BIG), b=fed(BIG, BIG), name="product")
        tf.raw_ops.MatMul(a=fed(BIG, BIG), b=fed(BIG, 3 * BIG // 2), name="product_3")
        tf.raw_ops.MatMul(a=fed(HUGE, 3), b=fed(3, BIG), name="two_times_three")
        tf.raw_ops.MatMul(a=fed(1 << 29, 1 << 25), b=fed(1 << 25, 1 << 29), name="none_left")
    return graph


def graphs():
    for make in (bugs, strings_and_odd_types, formats, half_known, overflows):
        yield make.__name__, make()


def counts():
    yield "bugs", "add_three", 2 * 12, None
    yield "bugs", "add_one", 0, 0
    yield "overflows", "fits", 4 * BIG * BIG, 2 * BIG * BIG
