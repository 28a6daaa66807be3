# SPDX-License-Identifier: Apache-2.0
"""Small graphs with every op of src/flops/rules_conv.c and _pool.c."""
import itertools

from making import built, placeholder as ask
from nn_nodes import I, L, S8, U, check_made, node
from oracle import tf

IMAGES = {"NHWC": [[2, 19, 17, 6], [U, 19, 17, 6], [2, U, 17, U], [U, U, U, U], U],
          "NCHW": [[2, 6, 19, 17], [U, 6, 19, 17], [2, U, U, 17], U]}
FILTERS = [[3, 2, 6, 4], [3, 2, 3, 4], [U, 2, 6, U], [5, 5, U, 4], U, [1, 1, 6, 0]]
WINDOWS = [  # rows, columns: strides, dilations, padding, explicit before and after
    ((1, 1), (1, 1), "VALID", ()), ((2, 3), (1, 1), "VALID", ()), ((2, 3), (1, 1), "SAME", ()), ((1, 1), (2, 3), "VALID", ()),
    ((3, 1), (2, 1), "SAME", ()), ((1, 2), (2, 1), "EXPLICIT", (1, 2, 0, 3)), ((1, 1), (1, 1), "EXPLICIT", (0, 0, 4, 0)),
    ((40, 1), (1, 1), "SAME", ()),
]


def around(form, pair, edge=1):
    """A list with a value for each dimension, made from the two of the image."""
    edges = [edge] * (len(pair) // 2)
    pair = list(pair)
    return edges + edges + pair if form.startswith("NC") else edges + pair + edges


def window(form, strides, dilations, padding, pads):
    words = dict(strides=around(form, strides), padding=padding, data_format=form)
    words["dilations"] = around(form, dilations)
    if pads:
        words["explicit_paddings"] = around(form, pads, 0)
    return words


def convolutions():
    for form, shapes in IMAGES.items():
        for image, filters, how in itertools.product(shapes, FILTERS, WINDOWS):
            words = window(form, *how)
            node("Conv2D", ask(image), ask(filters), **words)
            node("DepthwiseConv2dNative", ask(image), ask(filters), **words)
            node("_FusedConv2D", ask(image), ask(filters), [ask([4])], [], num_args=1, fused_ops=["BiasAdd", "Relu"],
                 **words)
            words.pop("explicit_paddings", None)
            if how[2] != "EXPLICIT":
                node("_FusedDepthwiseConv2dNative", ask(image), ask(filters), [ask([24])], fused_ops=["BiasAdd"],
                     **words)
    for stride, dilation in ((1, 1), (2, 1), (1, 2)):
        words = window("NCHW", (stride, stride), (dilation, dilation), "SAME", ())
        node("_FusedConv2D", ask([2, 6, 19, 17]), ask([4, 6, 3, 2]), [], [], filter_format="OIHW", num_args=0, **words)
        words["data_format"] = "NCHW_VECT_C"
        node("_FusedConv2D", ask([2, 3, 19, 17, 4], S8), ask([8, 3, 3, 2, 4], S8), [], [], filter_format="OIHW_VECT_I",
             num_args=0, **words)


def any_convolutions():
    """Graphs with the op Conv."""
    for form, image in (("CHANNELS_LAST", [2, 19, 17, 6]), ("CHANNELS_FIRST", [2, 6, 19, 17])):
        short = "NC" if form == "CHANNELS_FIRST" else "N"
        for (strides, dilations, padding, pads), filters in itertools.product(WINDOWS, FILTERS):
            words = dict(strides=around(short, strides), dilations=around(short, dilations), padding=padding, data_format=form)
            if pads:
                words["explicit_paddings"] = around(short, pads, 0)
            groups = 2 if filters and filters[2] == 3 else 1
            node("Conv", ask(image), ask(filters), groups=groups, **words)
            node("Conv", ask([5] + image), ask(filters), groups=groups, batch_dims=2, **words)
            node("Conv", ask(image[1:]), ask(filters), groups=groups, batch_dims=0, **words)
            node("Conv", ask(U), ask(filters), groups=groups, **words)
    for image in ([2, 9, 8, 7, 3], [2, U, 8, 7, 3], [U, U, U, U, U]):
        node("Conv", ask(image), ask([3, 2, 1, 3, 4]), strides=[1, 1, 2, 1, 1], padding="SAME")
        node("Conv", ask(image), ask([3, 2, 1, 3, 4]), strides=[1] * 5, padding="VALID", dilations=[1, 2, 3, 1, 1])


def volumes():
    images = {"NDHWC": [[2, 19, 17, 15, 6], [U, U, 17, 15, 6], U], "NCDHW": [[2, 6, 19, 17, 15], [U, 6, U, 17, 15], U]}
    hows = [((1, 1, 1), (1, 1, 1), "VALID"), ((2, 3, 1), (1, 1, 1), "SAME"), ((1, 1, 1), (1, 2, 3), "VALID"),
            ((1, 2, 3), (3, 2, 1), "VALID")]
    for form, shapes in images.items():
        short = "NC" if form == "NCDHW" else "N"
        for image, filters, (strides, dilations, padding) in itertools.product(
                shapes, ([3, 2, 1, 6, 4], [1, 2, 3, 3, 2], [U, U, 1, 6, U], U), hows):
            def full(three):
                return [1, 1] + list(three) if short == "NC" else [1] + list(three) + [1]
            words = dict(strides=full(strides), dilations=full(dilations), padding=padding, data_format=form)
            node("Conv3D", ask(image), ask(filters), **words)
            node("_FusedConv3D", ask(image), ask(filters), [ask([4])], fused_ops=["BiasAdd"], **words)
            pools = dict(strides=full(strides), ksize=full((2, 3, 1)), padding=padding, data_format=form)
            node("AvgPool3D", ask(image), **pools)
            node("MaxPool3D", ask(image), **pools)
            node("MaxPool3DGrad", ask(image), ask(), ask(), **pools)
            node("MaxPool3DGradGrad", ask(image), ask(), ask(image), **pools)
            for sizes in (tf.constant([2, 19, 17, 15, 6]), ask([5], I), ask([U], I)):
                node("AvgPool3DGrad", sizes, ask(), **pools)
    for sizes in (tf.constant([2, 9, 8, 7, 6]), ask([5], I), tf.stack([ask([], I), 9, 8, 7, 6]), ask([5], L), ask(U, I)):
        words = dict(strides=[1] * 5, padding="VALID")
        node("Conv3DBackpropInputV2", sizes, ask([3, 2, 1, 6, 4]), ask([2, 7, 7, 7, 4]), **words)
        if sizes.dtype == I:
            node("Conv3DBackpropFilterV2", ask([2, 9, 8, 7, 6]), sizes, ask([2, 7, 7, 7, 4]), **words)


def gradients():
    shapes = [tf.TensorShape(s) for s in ([2, 19, 17, 6], [U, U, 17, 6], U)]
    known = [lambda: tf.constant([2, 19, 17, 6]), lambda: ask([4], I), lambda: ask([U], I), lambda: ask(U, I),
             lambda: tf.stack([ask([], I), 19, 17, 6]), lambda: tf.shape(ask([U, 19, 17, 6])), lambda: tf.constant([19, 17]),
             lambda: ask([2], I), lambda: tf.stack([ask([], I), 17])]
    for sizes, how, filters, form in itertools.product(known, WINDOWS[:7], ([3, 2, 6, 4], U), ("NHWC", "NCHW")):
        words = window(form, *how)
        grad = [2, 9, 8, 4] if form == "NHWC" else [2, 4, 9, 8]
        node("Conv2DBackpropInput", sizes(), ask(filters), ask(grad), **words)
        node("Conv2DBackpropInput", sizes(), ask(filters), ask(), **words)
        node("DepthwiseConv2dNativeBackpropInput", sizes(), ask(filters), ask(grad), **words)
    for image, how in itertools.product(shapes, WINDOWS[:7]):
        words = window("NHWC", *how)
        for sizes in (tf.constant([3, 2, 6, 4]), ask([4], I), ask([U], I), tf.stack([3, 2, ask([], I), 4])):
            node("Conv2DBackpropFilter", ask(image), sizes, ask([2, 9, 8, 4]), **words)
            node("DepthwiseConv2dNativeBackpropFilter", ask(image), sizes, ask([2, 9, 8, 24]), **words)
        for filters in ([3, 2, 6, 4], [U, 2, U, 4], U):
            node("Conv2DBackpropInputV2", ask(image), ask(filters), ask([2, 9, 8, 4]), **words)
            node("Conv2DBackpropFilterV2", ask(image), ask(filters), ask([2, 9, 8, 4]), **words)
    for sizes in (tf.constant([3, 2, 6, 4]), tf.constant([5, 5, 6, 1])):
        node("Conv2DBackpropFilter", ask([2, 6, 19, 17]), sizes, ask([2, 4, 9, 8]), **window("NCHW", *WINDOWS[1]))


def dilations():
    for image, filters, rates, padding in itertools.product(
            ([2, 19, 17, 6], [U, 19, 17, 6], [2, U, 17, 6], U), ([3, 2, 6], [3, U, 6], U), ((1, 1), (2, 3)), ("SAME", "VALID")):
        words = dict(strides=[1, 2, 3, 1], rates=[1, *rates, 1], padding=padding)
        node("Dilation2D", ask(image), ask(filters), **words)
        node("Dilation2DBackpropInput", ask(image), ask(filters), ask([2, 9, 5, 6]), **words)
        node("Dilation2DBackpropFilter", ask(image), ask(filters), ask([2, 9, 5, 6]), **words)
    paddings = [[0, 0], [1, 2], [3, 4], [0, 0]], ask([4, 2], I)
    for pads, image in itertools.product(paddings, ([2, 19, 17, 6], [U, U, 17, 6], U)):
        words = dict(mode="REFLECT", strides=[1, 2, 1, 1])
        for padding in ("SAME", "VALID"):
            node("FusedPadConv2D", ask(image), pads, ask([3, 2, 6, 4]), padding=padding, **words)
            for size in ([30, 40], ask([2], I), tf.stack([30, ask([], I)])):
                node("FusedResizeAndPadConv2D", ask(image), size, pads, ask([3, 2, 6, 4]), padding=padding, **words)
    node("RiscConv", ask([2, 9, 9, 3]), ask([3, 3, 3, 4]), strides=[1] * 4)
    node("RiscPool", ask([2, 9, 9, 3]), ksize=[1, 2, 2, 1], strides=[1] * 4, pooling_type="AVG")


# ---- pools ----

def pools():
    for form, shapes in IMAGES.items():
        for image, how, size in itertools.product(shapes, WINDOWS, ((2, 2), (3, 1), (1, 4))):
            words = window(form, *how)
            words.pop("dilations")
            words["ksize"] = around(form, size)
            node("MaxPool", ask(image), **words)
            node("MaxPoolGrad", ask(image), ask([2, 9, 8, 6]), ask([2, 9, 8, 6]), **words)
            if how[2] == "EXPLICIT":
                continue
            node("AvgPool", ask(image), **words)
            node("MaxPoolGradGrad", ask(image), ask(), ask(image), **words)
            node("MaxPoolGradGrad", ask(image), ask(), ask([2, 19, 17, 6]), **words)
            pair = [words.pop("ksize"), words.pop("strides")]
            for values in (pair, [ask([4], I), pair[1]], [pair[0], ask([4], I)], [ask(U, I), ask(U, I)]):
                node("MaxPoolV2", ask(image), *values, **words)
                node("MaxPoolGradV2", ask(image), ask([2, 9, 8, 6]), ask(), *values, **words)
                node("MaxPoolGradGradV2", ask(image), ask(), ask(image), *values, **words)
    for image, padding in itertools.product(IMAGES["NHWC"], ("SAME", "VALID")):
        words = dict(ksize=[1, 3, 2, 1], strides=[1, 2, 3, 1], padding=padding)
        node("MaxPoolWithArgmax", ask(image), **words)
        node("MaxPoolGradWithArgmax", ask(image), ask(), ask(U, L), **words)
        node("MaxPoolGradGradWithArgmax", ask(image), ask(image), ask(U, L), **words)
        words = dict(ksize=[1, 1, 1, 3], strides=[1, 1, 1, 3], padding=padding)
        node("MaxPool", ask(image), **words)
    for sizes in (tf.constant([2, 19, 17, 6]), ask([4], I), ask([U], I), ask(U, I), tf.stack([ask([], I), 19, 17, 6])):
        for form in ("NHWC", "NCHW"):
            node("AvgPoolGrad", sizes, ask([2, 9, 8, 6]), ksize=around(form, (3, 2)), strides=around(form, (2, 2)),
                 padding="SAME",
                 data_format=form)
    for image, step in itertools.product(([2, 3, 19, 17, 4], [U, 3, U, 17, U], U), (1, 2)):
        node("MaxPool", ask(image, S8), ksize=[1, 1, 2, 2], strides=[1, 1, step, 2], padding="SAME",
             data_format="NCHW_VECT_C")
    fractional()


def fractional():
    ratios = ([1.0, 1.44, 1.73, 1.0], [1.0, 1.0, 2.0, 1.0], [1.0, 1.1, 3.3333, 1.0])
    for image, ratio in itertools.product(([2, 19, 17, 6], [U, 1000003, 7, 6], [2, U, 17, 6], U), ratios):
        node("FractionalAvgPool", ask(image), pooling_ratio=ratio)
        node("FractionalMaxPool", ask(image), pooling_ratio=ratio)
    rows, columns = ask([5], L), ask([6], L)
    for sizes in (tf.constant([2, 19, 17, 6], L), ask([4], L), ask(U, L)):
        node("FractionalAvgPoolGrad", sizes, ask([2, 4, 5, 6]), rows, columns)
    for image in ([2, 19, 17, 6], [U, 19, U, 6], U):
        node("FractionalMaxPoolGrad", ask(image), ask([2, 4, 5, 6]), ask([2, 4, 5, 6]), rows, columns)


def graphs():
    yield from built(convolutions, any_convolutions, volumes, gradients, dilations, pools)
    check_made()
