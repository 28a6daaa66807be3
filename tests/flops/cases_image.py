# SPDX-License-Identifier: Apache-2.0
"""Images: resizing, colours, files, boxes."""
import itertools

from making import built, placeholder as ask
from oracle import tf

R = tf.raw_ops
F, I, L, S, B = tf.float32, tf.int32, tf.int64, tf.string, tf.uint8
SOME = (None,)

IMAGES = ((2, 6, 8, 3), (None, 6, None, 3), (2, None, None, None), None)


def resizing():
    sizes = [[9, 12], ask((2,), I), ask(SOME, I), ask(None, I), tf.stack([5, ask((), I)]), [-1, 4], [0, 3],
             tf.shape(ask((5, 7))), tf.shape(ask((5, 7))) * 2, tf.shape(ask((5, None)))]
    for images, size in itertools.product(IMAGES, sizes):
        R.ResizeBilinear(images=ask(images), size=size), R.ResizeBicubic(images=ask(images), size=size)
        R.ResizeNearestNeighbor(images=ask(images), size=size), R.ResizeArea(images=ask(images), size=size)
        R.ResizeNearestNeighborGrad(grads=ask(images), size=size)
        R.ScaleAndTranslate(images=ask(images), size=size, scale=ask((2,)), translation=ask((2,)))
        R.CropAndResize(image=ask(images), boxes=ask((None, 4)), box_ind=ask((5,), I), crop_size=size)
        R.CropAndResize(image=ask(images), boxes=ask(), box_ind=ask(SOME, I), crop_size=size, method="nearest")
        R.ImageProjectiveTransformV2(images=ask(images), transforms=ask((2, 8)), output_shape=size, interpolation="NEAREST")
        R.ImageProjectiveTransformV3(images=ask(images), transforms=ask(), output_shape=size, fill_value=0.,
                                     interpolation="BILINEAR")
        R.ExtractGlimpse(input=ask(images), size=size, offsets=ask((2, None)))
        R.ExtractGlimpseV2(input=ask(images), size=size, offsets=ask())
    for images, original in itertools.product(IMAGES, IMAGES):
        R.ResizeBilinearGrad(grads=ask(images), original_image=ask(original))
        R.ResizeBicubicGrad(grads=ask(images), original_image=ask(original))
        R.ScaleAndTranslateGrad(grads=ask(images), original_image=ask(original), scale=ask((2,)), translation=ask((2,)))
    for size in ([2, 6, 8, 3], ask((4,), I), tf.shape(ask((2, None, 8, 3)))):
        for method in ("bilinear", "nearest"):
            R.CropAndResizeGradImage(grads=ask((5, 9, 12, 3)), boxes=ask((5, 4)), box_ind=ask((5,), I), image_size=size, T=F,
                                     method=method)
    R.CropAndResizeGradBoxes(grads=ask((5, 9, 12, 3)), image=ask((2, 6, 8, 3)), boxes=ask((5, None)), box_ind=ask((5,), I))


def resized():
    """With known counts: 2 x 6 x 8 x 3 to 9 x 12."""
    images, grads, size = ask((2, 6, 8, 3)), ask((2, 9, 12, 3)), [9, 12]
    move = dict(scale=ask((2,)), translation=ask((2,)))
    R.ResizeBilinear(images=images, size=size, name="bilinear")
    R.ResizeBicubic(images=images, size=size, name="bicubic")
    R.ResizeNearestNeighbor(images=images, size=size, name="nearest")
    R.ResizeArea(images=images, size=size, name="area")
    R.ResizeArea(images=images, size=[2, 2], name="smaller_area")
    R.ResizeBilinearGrad(grads=grads, original_image=images, name="bilinear_grad")
    R.ResizeBicubicGrad(grads=grads, original_image=images, name="bicubic_grad")
    R.ResizeNearestNeighborGrad(grads=grads, size=[6, 8], name="nearest_grad")
    R.ScaleAndTranslate(images=images, size=size, kernel_type="lanczos5", name="scale", **move)
    R.ScaleAndTranslate(images=images, size=[3, 4], kernel_type="triangle", antialias=True, name="shrink", **move)
    R.ScaleAndTranslate(images=images, size=[3, 4], kernel_type="triangle", antialias=False, name="coarse", **move)
    R.ScaleAndTranslateGrad(grads=grads, original_image=images, kernel_type="lanczos5", name="scale_grad", **move)
    crop = dict(boxes=ask((5, 4)), box_ind=ask((5,), I))
    for method in ("bilinear", "nearest"):
        R.CropAndResize(image=images, crop_size=size, method=method, name="crop_" + method, **crop)
        R.CropAndResizeGradImage(grads=ask((5, 9, 12, 3)), image_size=[2, 6, 8, 3], T=F, method=method,
                                 name="crop_grad_" + method, **crop)
        R.ImageProjectiveTransformV3(images=images, transforms=ask((2, 8)), output_shape=size, fill_value=0.,
                                     interpolation=method.upper(), name="warp_" + method)
    R.CropAndResizeGradBoxes(grads=ask((5, 9, 12, 3)), image=images, name="crop_grad_boxes", **crop)
    R.RGBToHSV(images=images, name="to_hsv"), R.HSVToRGB(images=images, name="to_rgb")
    R.AdjustContrastv2(images=images, contrast_factor=2., name="contrast")
    R.AdjustHue(images=images, delta=.1, name="hue"), R.AdjustSaturation(images=images, scale=2., name="saturation")
    R.DecodePng(contents="", channels=3, name="png")
    R.NonMaxSuppressionV3(boxes=ask((9, 4)), scores=ask((9,)), max_output_size=5, iou_threshold=.5, score_threshold=.1,
                          name="boxes")


def colours_and_files():
    for images in IMAGES + ((5, 3), (5, None), (3,)):
        R.RGBToHSV(images=ask(images)), R.HSVToRGB(images=ask(images))
    for images in IMAGES:
        R.AdjustContrastv2(images=ask(images), contrast_factor=ask(())), R.AdjustHue(images=ask(images), delta=ask())
        R.AdjustSaturation(images=ask(images), scale=ask(())), R.DrawBoundingBoxes(images=ask(images), boxes=ask((2, None, 4)))
        R.DrawBoundingBoxesV2(images=ask(images), boxes=ask(), colors=ask()), R.EncodePng(image=ask(images, B))
    for channels in (0, 1, 3):
        kind = dict(contents=ask((), S), channels=channels)
        R.DecodeJpeg(**kind), R.DecodePng(**kind), R.DecodeBmp(**kind), R.DecodeImage(**kind)
        R.DecodeImage(expand_animations=False, **kind)
        for window in ([0, 1, 5, 7], ask((4,), I), tf.stack([0, ask((), I), 5, 7])):
            R.DecodeAndCropJpeg(crop_window=window, **kind)
        for name in ("DecodeWebP", "DecodeJxl"):
            getattr(R, name)(**kind) if hasattr(R, name) else None  # pylint: disable=expression-not-assigned
    R.DecodeGif(contents=ask((), S)), R.ExtractJpegShape(contents=ask((), S))
    R.EncodeJpeg(image=ask((5, 6, 3), B)), R.EncodeJpegVariableQuality(images=ask((5, 6, 3), B), quality=ask((), I))


def boxes():
    most = [5, ask((), I)]
    limits = dict(iou_threshold=.5, score_threshold=.1)
    for n, shape, pad in itertools.product(most, (9, None), (False, True)):
        both = dict(boxes=ask((shape, 4)), scores=ask((shape,)), max_output_size=n)
        R.NonMaxSuppression(**both), R.NonMaxSuppressionV2(iou_threshold=.5, **both), R.NonMaxSuppressionV3(**both, **limits)
        R.NonMaxSuppressionV4(pad_to_max_output_size=pad, **both, **limits)
        R.NonMaxSuppressionV5(pad_to_max_output_size=pad, soft_nms_sigma=.1, **both, **limits)
        R.NonMaxSuppressionWithOverlaps(overlaps=ask((shape, shape)), scores=ask((shape,)), max_output_size=n,
                                        overlap_threshold=.5, score_threshold=.1)
    for n, all_, shape, pad in itertools.product(most, (7, 100, ask((), I)), ((2, 9, 1, 4), (None, None, 3, 4), None),
                                                 (False, True)):
        for scores in ((2, 9, 3), None):
            R.CombinedNonMaxSuppression(boxes=ask(shape), scores=ask(scores), max_output_size_per_class=n,
                                        max_total_size=all_, pad_per_class=pad, **limits)
    for batch in (2, None):
        R.GenerateBoundingBoxProposals(scores=ask((batch, 5, 5, 3)), bbox_deltas=ask((2, 5, 5, 12)), image_info=ask((2, 5)),
                                       anchors=ask((5, 5, 12)), nms_threshold=.1, pre_nms_topn=10, min_size=1.,
                                       post_nms_topn=7)
    inside = dict(image_size=ask((3,), I), bounding_boxes=ask((2, None, 4)))
    R.SampleDistortedBoundingBox(**inside), R.SampleDistortedBoundingBoxV2(min_object_covered=.1, **inside)
    R.StatelessSampleDistortedBoundingBox(min_object_covered=.1, seed=ask((2,), L), **inside)


def graphs():
    yield from built(resizing, resized, colours_and_files, boxes)


def counts():
    n, grown, crops = 2 * 6 * 8 * 3, 2 * 9 * 12 * 3, 5 * 9 * 12 * 3
    for name, macs in (
            ("bilinear", 4 * grown), ("bicubic", 16 * grown), ("nearest", 0), ("area", grown), ("smaller_area", n),
            ("bilinear_grad", 4 * grown), ("bicubic_grad", 16 * grown), ("crop_bilinear", 4 * crops), ("crop_nearest", 0),
            ("crop_grad_bilinear", 4 * crops),
            # kernel's width, batch and channels, rows first (new height, old width), then columns
            ("scale", 10 * 6 * (9 * 8 + 9 * 12)), ("scale_grad", 10 * 6 * (9 * 8 + 9 * 12)),
            ("shrink", 2 * 6 * (6 * 8 + 3 * 8)), ("coarse", 2 * 6 * (3 * 8 + 3 * 4))):
        yield "resized", name, 2 * macs, macs
    yield "resized", "nearest_grad", grown, 0
    yield "resized", "crop_grad_nearest", crops, 0
    yield "resized", "crop_grad_boxes", 22 * crops, 0
    yield "resized", "warp_nearest", 16 * grown // 3, 0
    yield "resized", "warp_bilinear", 16 * grown // 3 + 8 * grown, 4 * grown
    yield "resized", "to_hsv", 12 * n // 3, 0
    yield "resized", "to_rgb", 26 * n // 3, 0
    yield "resized", "contrast", 4 * n, 0
    yield "resized", "hue", 40 * n // 3, 0
    yield "resized", "saturation", 41 * n // 3, 0
    yield "resized", "png", 0, 0
