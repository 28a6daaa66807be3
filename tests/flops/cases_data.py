# SPDX-License-Identifier: Apache-2.0
"""Ops that store tensors (lists, TensorArrays, queues), text and examples, input pipelines."""
import itertools

from making import built, placeholder as ask
from oracle import tf

R = tf.raw_ops
F, I, L, S = tf.float32, tf.int32, tf.int64, tf.string
SOME = (None,)


# ---- what keeps tensors ----

def lists():
    shapes = [tf.constant([3, 4]), tf.constant([-1, 4]), tf.constant(-1), ask((2,), I), ask(None, I),
              tf.stack([3, ask((), I)])]
    for told in shapes:
        handles = [
            R.TensorListReserve(element_shape=told, num_elements=ask((), I), element_dtype=F),
            R.EmptyTensorList(element_shape=told, max_num_elements=5, element_dtype=F),
            R.TensorListFromTensor(tensor=ask((7, 3, 4)), element_shape=told),
            R.TensorListFromTensor(tensor=ask(), element_shape=told),
            R.TensorListScatter(tensor=ask((7, 3, 4)), indices=ask((7,), I), element_shape=told),
            R.TensorListScatterV2(tensor=ask((7, 3, 4)), indices=ask(SOME, I), element_shape=told, num_elements=9),
            R.TensorListSplit(tensor=ask((7, 4)), element_shape=told, lengths=ask((2,), L)),
            ask((), tf.variant),
        ]
        for handle in handles:
            use_list(handle)


def use_list(handle):
    changed = [
        handle,
        R.TensorListSetItem(input_handle=handle, index=0, item=ask((3, 4))),
        R.TensorListPushBack(input_handle=handle, tensor=ask((3, 4))),
        R.TensorListPopBack(input_handle=handle, element_shape=[3, 4], element_dtype=F)[0],
        R.TensorListResize(input_handle=handle, size=ask((), I)),
        R.TensorListScatterIntoExistingList(input_handle=handle, tensor=ask((7, 3, 4)), indices=ask((7,), I)),
        R.TensorListConcatLists(input_a=handle, input_b=handle, element_dtype=F),
        R.TensorListConcatLists(input_a=handle, element_dtype=F, input_b=R.EmptyTensorList(
            element_shape=[3, -1], max_num_elements=3, element_dtype=F)),
    ]
    for told in ([3, -1], -1, ask(SOME, I)):
        for one in changed:
            R.TensorListStack(input_handle=one, element_shape=told, element_dtype=F)
        R.TensorListStack(input_handle=handle, element_shape=told, element_dtype=F, num_elements=7)
        R.TensorListPopBack(input_handle=handle, element_shape=told, element_dtype=F)
        R.TensorListGetItem(input_handle=handle, index=0, element_shape=told, element_dtype=F)
        R.TensorListGather(input_handle=handle, indices=ask(SOME, I), element_shape=told, element_dtype=F)
        R.TensorListGather(input_handle=handle, indices=ask((9,), I), element_shape=told, element_dtype=F)
        R.TensorListConcatV2(input_handle=handle, element_shape=told, leading_dims=ask(SOME, L), element_dtype=F)
    for told in ((None, None), (3, None), None):
        R.TensorListConcat(input_handle=handle, element_shape=told, element_dtype=F)
    R.TensorListLength(input_handle=handle)
    R.TensorListElementShape(input_handle=handle, shape_type=I)


def batches_of_lists():
    for lists_, rows in itertools.product([(4,), SOME, None], [(4, 5), (None, 5), None]):
        R.TensorListPushBackBatch(input_handles=ask(lists_, tf.variant), tensor=ask(rows))


def arrays():
    for shape, same in itertools.product([(3, 4), (None, 4), None], [False, True]):
        handle, flow = R.TensorArrayV3(size=ask((), I), dtype=F, element_shape=shape, identical_element_shapes=same)
        use_array(handle, flow)
        use_array(*R.TensorArrayGradV3(handle=handle, flow_in=flow, source="g"))
        for before in ([2, 5], ask(SOME, I), ask((1,), I)):
            more, flow = R.TensorArrayGradWithShape(handle=handle, flow_in=flow, source="h", shape_to_prepend=before)
            R.TensorArrayReadV3(handle=more, index=0, flow_in=flow, dtype=F)
    use_array(ask((2,), tf.resource), ask(()))


def old_arrays():
    """TensorArrays of version 2, as in old files: their handles are two strings."""
    graph = tf.compat.v1.GraphDef()
    graph.versions.producer = 20
    types = {"dtype": F, "T": F}

    def add(name, op, inputs, **attrs):
        node = graph.node.add(name=name, op=op, input=inputs)
        for key, value in attrs.items():
            if key in types:
                node.attr[key].type = value.as_datatype_enum
            elif isinstance(value, str):
                node.attr[key].s = value.encode()
            else:
                node.attr[key].shape.CopyFrom(tf.TensorShape(value).as_proto())
    for name, dtype, shape in (("size", I, ()), ("flow", F, ()), ("row", F, (3, 4)), ("rows", F, (7, 3, 4)),
                               ("indices", I, (None,)), ("lengths", L, (2,))):
        add(name, "Placeholder", [], dtype=dtype, shape=shape)
    add("array", "TensorArrayV2", ["size"], dtype=F, element_shape=(3, 4))
    add("array_grad", "TensorArrayGradV2", ["array", "flow"], source="g")
    for handle in ("array", "array_grad"):
        add(handle + "_write", "TensorArrayWriteV2", [handle, "size", "row", "flow"], T=F)
        add(handle + "_read", "TensorArrayReadV2", [handle, "size", "flow"], dtype=F)
        add(handle + "_gather", "TensorArrayGatherV2", [handle, "indices", "flow"], dtype=F, element_shape=(3, None))
        add(handle + "_scatter", "TensorArrayScatterV2", [handle, "indices", "rows", "flow"], T=F)
        add(handle + "_concat", "TensorArrayConcatV2", [handle, "flow"], dtype=F, element_shape_except0=(4,))
        add(handle + "_split", "TensorArraySplitV2", [handle, "rows", "lengths", "flow"], T=F)
        add(handle + "_size", "TensorArraySizeV2", [handle, "flow"])
        add(handle + "_close", "TensorArrayCloseV2", [handle])
    return graph


def use_array(handle, flow):
    flow = R.TensorArrayWriteV3(handle=handle, index=0, value=ask((3, 4)), flow_in=flow)
    flow = R.TensorArrayScatterV3(handle=handle, indices=ask(SOME, I), value=ask((7, 3, 4)), flow_in=flow)
    flow = R.TensorArraySplitV3(handle=handle, value=ask((7, 4)), lengths=ask((2,), L), flow_in=flow)
    R.TensorArrayReadV3(handle=handle, index=ask((), I), flow_in=flow, dtype=F)
    for told, indices in itertools.product([(3, 4), (None, 4), None], [(9,), SOME, None]):
        R.TensorArrayGatherV3(handle=handle, indices=ask(indices, I), flow_in=flow, dtype=F, element_shape=told)
    for told in ((4,), None):
        R.TensorArrayConcatV3(handle=handle, flow_in=flow, dtype=F, element_shape_except0=told)
    R.TensorArraySizeV3(handle=handle, flow_in=flow)
    R.TensorArrayCloseV3(handle=handle)


def queues():
    kinds = dict(component_types=[F, I], shapes=[(2, 3), ()])
    for make in (R.FIFOQueueV2, R.PaddingFIFOQueueV2, R.RandomShuffleQueueV2, R.PriorityQueueV2):
        use_queue(make(**kinds), [F, I])
        use_queue(make(component_types=[F], shapes=[(2, None)]), [F])
    for make in (R.FIFOQueue, R.PaddingFIFOQueue, R.RandomShuffleQueue, R.PriorityQueue):
        handle = make(**kinds)
        R.QueueEnqueue(handle=handle, components=[ask((2, 3)), ask((), I)])
        R.QueueEnqueueMany(handle=handle, components=[ask((5, 2, 3)), ask((5,), I)])
        R.QueueDequeue(handle=handle, component_types=[F, I])
        R.QueueDequeueMany(handle=handle, n=4, component_types=[F, I])
        R.QueueDequeueUpTo(handle=handle, n=4, component_types=[F, I])
        R.QueueSize(handle=handle), R.QueueIsClosed(handle=handle), R.QueueClose(handle=handle)
    handle = R.StackV2(max_size=5, elem_type=F)
    R.StackPushV2(handle=handle, elem=ask((3, None)))
    R.StackPopV2(handle=handle, elem_type=F), R.StackCloseV2(handle=handle)
    handle = R.Stack(elem_type=F)
    R.StackPush(handle=handle, elem=ask((3, 4))), R.StackPop(handle=handle, elem_type=F), R.StackClose(handle=handle)
    handle = R.Barrier(component_types=[F], shapes=[(3,)])
    R.BarrierInsertMany(handle=handle, keys=ask((5,), S), values=ask((5, 3)), component_index=0)
    R.BarrierTakeMany(handle=handle, num_elements=3, component_types=[F])
    R.BarrierReadySize(handle=handle), R.BarrierIncompleteSize(handle=handle), R.BarrierClose(handle=handle)


def use_queue(handle, types):
    R.QueueEnqueueV2(handle=handle, components=[ask((2, 3), t) for t in types])
    R.QueueEnqueueManyV2(handle=handle, components=[ask((5, 2, 3), t) for t in types])
    R.QueueDequeueV2(handle=handle, component_types=types)
    R.QueueDequeueManyV2(handle=handle, n=4, component_types=types)
    R.QueueDequeueManyV2(handle=handle, n=ask((), I), component_types=types)
    R.QueueDequeueUpToV2(handle=handle, n=4, component_types=types)
    R.QueueSizeV2(handle=handle), R.QueueIsClosedV2(handle=handle), R.QueueCloseV2(handle=handle)


def stages():
    kind = dict(dtypes=[F, I])
    R.Stage(values=[ask((2,)), ask((), I)])
    R.Unstage(**kind), R.StagePeek(index=0, **kind), R.StageSize(**kind), R.StageClear(**kind)
    for name in ("Map", "OrderedMap"):
        def of(what, **arguments):
            return getattr(R, name + what)(**kind, **arguments)  # pylint: disable=cell-var-from-loop
        of("Stage", key=ask((), L), indices=[0, 1], values=[ask((2,)), ask((), I)])
        of("Peek", key=ask((), L), indices=[0, 1]), of("Unstage", key=ask((), L), indices=[0, 1])
        of("UnstageNoKey", indices=[0, 1]), of("Size"), of("IncompleteSize"), of("Clear")
    handle = R.EmptyTensorMap()
    handle = R.TensorMapInsert(input_handle=handle, key=1., value=ask((3,)))
    R.TensorMapSize(input_handle=handle), R.TensorMapHasKey(input_handle=handle, key=1.)
    R.TensorMapLookup(input_handle=handle, key=1., value_dtype=F), R.TensorMapStackKeys(input_handle=handle, key_dtype=F)
    R.TensorMapErase(input_handle=handle, key=1., value_dtype=F)
    handle = R.OptionalFromValue(components=[ask((3,)), ask((), I)])
    R.OptionalHasValue(optional=handle), R.OptionalNone()
    R.OptionalGetValue(optional=handle, output_types=[F, I, F], output_shapes=[(3, None), (), None])
    R.GetSessionHandle(value=ask((3,))), R.GetSessionHandleV2(value=ask((3,)))
    R.GetSessionTensor(handle=ask((), S), dtype=F), R.DeleteSessionTensor(handle=ask((), S))


def loops():
    """Lists that are created without a shape and filled in a loop, in TensorFlow 1 and 2; TensorFlow cannot know their
    shapes."""
    def body(i, handle):
        return i + 1, R.TensorListPushBack(input_handle=handle, tensor=tf.ones((4,)))

    for new in (False, True):
        (tf.compat.v1.enable_control_flow_v2 if new else tf.compat.v1.disable_control_flow_v2)()
        try:
            start = R.EmptyTensorList(element_shape=tf.constant([-1]), max_num_elements=-1, element_dtype=F)
            times = ask((), I)
            _, handle = tf.compat.v1.while_loop(lambda i, _: i < times, body, (0, start))  # pylint: disable=cell-var-from-loop
            rows = R.TensorListStack(input_handle=handle, element_shape=-1, element_dtype=F, num_elements=7)
            R.Exp(x=rows, name="exp_v2" if new else "exp_v1")
        finally:
            tf.compat.v1.enable_control_flow_v2()


def accumulators():
    handle = R.ResourceConditionalAccumulator(dtype=F, shape=(3, 4))
    R.ResourceAccumulatorApplyGradient(handle=handle, local_step=ask((), L), gradient=ask((3, 4)), name="apply")
    R.ResourceAccumulatorTakeGradient(handle=handle, num_required=2, dtype=F, name="take")
    R.ResourceAccumulatorNumAccumulated(handle=handle)
    R.ResourceAccumulatorSetGlobalStep(handle=handle, new_global_step=ask((), L))
    handle = R.ConditionalAccumulator(dtype=F, shape=(3, 4))
    R.AccumulatorApplyGradient(handle=handle, local_step=ask((), L), gradient=ask((3, 4)))
    R.AccumulatorTakeGradient(handle=handle, num_required=2, dtype=F)
    R.AccumulatorNumAccumulated(handle=handle), R.AccumulatorSetGlobalStep(handle=handle, new_global_step=ask((), L))
    handle = R.SparseConditionalAccumulator(dtype=F, shape=(3, 4))
    R.SparseAccumulatorApplyGradient(handle=handle, local_step=ask((), L), gradient_indices=ask(SOME, L),
                                     gradient_values=ask((2, 4)), gradient_shape=ask((2,), L), has_known_shape=True,
                                     name="sparse")
    R.SparseAccumulatorTakeGradient(handle=handle, num_required=2, dtype=F)


# ---- text ----

TEXTS = ((), (3,), (3, 4, 5), (None, 4), SOME, None)


def text():
    for shape in TEXTS:
        one = ask(shape, S)
        for same in (R.StringLength, R.StringLower, R.StringUpper, R.StringStrip, R.EncodeBase64, R.DecodeBase64):
            same(input=one)
        R.StringToNumber(string_tensor=one), R.DecodeJSONExample(json_examples=one), R.DecodeCompressed(bytes=one)
        R.AsString(input=ask(shape)), R.StringToHashBucket(string_tensor=one, num_buckets=9)
        R.StringToHashBucketFast(input=one, num_buckets=9)
        R.StringToHashBucketStrong(input=one, num_buckets=9, key=[1, 2])
        R.RegexReplace(input=one, pattern=ask((), S), rewrite="b"), R.StaticRegexReplace(input=one, pattern="a", rewrite="b")
        R.RegexFullMatch(input=one, pattern="a"), R.StaticRegexFullMatch(input=one, pattern="a")
        R.UnicodeScript(input=ask(shape, I))
        R.UnicodeTranscode(input=one, input_encoding="x", output_encoding="UTF-8")
        R.UnicodeDecode(input=one, input_encoding="x"), R.UnicodeDecodeWithOffsets(input=one, input_encoding="x")
        R.DecodeRaw(bytes=one, out_type=I)
        R.DecodeProtoV2(bytes=one, message_type="x", field_names=["a", "b"], output_types=[F, I])
        for width in (8, ask((), I)):
            R.DecodePaddedRaw(input_bytes=one, fixed_length=width, out_type=I)
        R.DecodeCSV(records=one, record_defaults=[ask(SOME), ask(())])
        for axes, keep in itertools.product([[], 0, [-1], [0, 1], [2, 0], ask(None, I), ask((2,), I)], [False, True]):
            if shape is None or len(shape) == 3 or hasattr(axes, "shape") or axes == []:
                R.ReduceJoin(inputs=one, reduction_indices=axes if hasattr(axes, "shape") else tf.constant(axes, I), keep_dims=keep)
        R.StringFormat(inputs=[one], template="%s"), R.SerializeTensor(tensor=one)
        for other in TEXTS:
            if shape is None or other is None or not shape or not other or len(shape) == len(other):
                R.StringJoin(inputs=[one, ask(other, S), "x"])
    for segments, ids, n in itertools.product([(5, 6, 7), (5, None, 7), None], [(), (5,), (5, 6), (None, 6), None],
                                              [4, ask((), I)]):
        R.UnsortedSegmentJoin(inputs=ask(segments, S), segment_ids=ask(ids, I), num_segments=n)
    for one, place in (((3, 4), (4,)), ((3, 4), ()), ((), (3,)), ((2, 1), (1, 5)), (None, (4,)), ((3, 4), None)):
        R.Substr(input=ask(one, S), pos=ask(place, I), len=ask(place, I))
    R.StringSplit(input=ask(SOME, S), delimiter=" "), R.StringSplitV2(input=ask((3,), S), sep=" ")
    R.StringNGrams(data=ask(SOME, S), data_splits=ask((5,), L), separator=" ", ngram_widths=[1], left_pad="", right_pad="",
                   pad_width=0, preserve_short_sequences=False)
    for ends in ((5,), SOME, None):
        R.UnicodeEncode(input_values=ask(SOME, I), input_splits=ask(ends, L), output_encoding="UTF-8")
    for one, other in (((None, 5, 7), (4, None, 9)), ((None, 5, 7), None), (None, None)):
        R.EncodeProto(sizes=ask((4, None, 2), I), values=[ask(one), ask(other)], field_names=["a", "b"], message_type="x")
    R.ParseTensor(serialized=ask((), S), out_type=F)


def examples():
    names = dict(context_sparse_keys=["a", "b"], context_dense_keys=["c"], feature_list_sparse_keys=["d"],
                 feature_list_dense_keys=["e", "f"])
    kinds = dict(context_sparse_types=[F, L], context_dense_shapes=[(3, 4)], feature_list_sparse_types=[L],
                 feature_list_dense_types=[F, L], feature_list_dense_shapes=[(3,), (4, 2)])
    dense = dict(dense_defaults=[ask(), ask(SOME, L)], dense_shapes=[(3,), (None, 2)], sparse_types=[F, L])
    for shape in ((7,), SOME, None):
        R.ParseExample(serialized=ask(shape, S), names=ask(SOME, S), sparse_keys=["a", "b"], dense_keys=["c", "d"], **dense)
        R.ParseSequenceExample(serialized=ask(shape, S), debug_name=ask(SOME, S), context_dense_defaults=[ask()],
                               Ncontext_sparse=2, Ncontext_dense=1, Nfeature_list_sparse=1, Nfeature_list_dense=2,
                               feature_list_dense_missing_assumed_empty=[], **names, **kinds)
    for shape in ((), None):
        R.ParseSingleExample(serialized=ask(shape, S), sparse_keys=["a", "b"], dense_keys=["c", "d"], num_sparse=2, **dense)
        R.ParseSingleSequenceExample(serialized=ask(shape, S), feature_list_dense_missing_assumed_empty=ask(SOME, S),
                                     context_dense_defaults=[ask()], debug_name="x", **names, **kinds)
    for shape in ((), (7,), SOME, None):
        R.ParseExampleV2(serialized=ask(shape, S), names=ask(SOME, S), sparse_keys=ask((2,), S), dense_keys=ask((2,), S),
                         ragged_keys=ask((2,), S), num_sparse=2, ragged_value_types=[F, L], ragged_split_types=[I, L], **dense)
        R.ParseSequenceExampleV2(
            serialized=ask(shape, S), debug_name=ask(SOME, S), context_ragged_keys=ask((2,), S),
            feature_list_ragged_keys=ask((1,), S), feature_list_dense_missing_assumed_empty=ask((2,), tf.bool),
            context_dense_defaults=[ask()], Ncontext_sparse=2, Nfeature_list_sparse=1, Nfeature_list_dense=2,
            context_ragged_value_types=[L, L], context_ragged_split_types=[I, L], feature_list_ragged_value_types=[L],
            feature_list_ragged_split_types=[I], **names, **kinds)


def files():
    R.ReadFile(filename=ask((), S)), R.WriteFile(filename="a", contents=ask((), S)), R.MatchingFiles(pattern=ask(SOME, S))
    R.RecordInput(file_pattern="x", batch_size=8)
    work = R.FIFOQueueV2(component_types=[S], shapes=[()])
    for make in (R.WholeFileReaderV2, R.TextLineReaderV2, R.TFRecordReaderV2, R.IdentityReaderV2):
        handle = make()
        R.ReaderReadV2(reader_handle=handle, queue_handle=work)
        R.ReaderReadUpToV2(reader_handle=handle, queue_handle=work, num_records=ask((), L))
        R.ReaderNumRecordsProducedV2(reader_handle=handle), R.ReaderNumWorkUnitsCompletedV2(reader_handle=handle)
        R.ReaderRestoreStateV2(reader_handle=handle, state=R.ReaderSerializeStateV2(reader_handle=handle))
        R.ReaderResetV2(reader_handle=handle)
    R.FixedLengthRecordReaderV2(record_bytes=5)
    work, handle = R.FIFOQueue(component_types=[S], shapes=[()]), R.WholeFileReader()
    R.ReaderRead(reader_handle=handle, queue_handle=work), R.LMDBReader()
    R.ReaderReadUpTo(reader_handle=handle, queue_handle=work, num_records=ask((), L))
    R.ReaderNumRecordsProduced(reader_handle=handle), R.ReaderNumWorkUnitsCompleted(reader_handle=handle)
    R.ReaderRestoreState(reader_handle=handle, state=R.ReaderSerializeState(reader_handle=handle))
    R.ReaderReset(reader_handle=handle)


# ---- input pipelines ----

def pipelines():
    """Datasets in the form that tf.data writes, in one graph."""
    data = tf.data.Dataset.from_tensor_slices(ask((8, 5)))
    data = data.map(lambda x: (tf.matmul(x[None], tf.ones((5, 3))), tf.shape(x))).filter(lambda x, n: n[0] > 1)
    data = data.shuffle(10).repeat(3).batch(4).prefetch(2).take(9).skip(1).cache().enumerate()
    handle = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(5).batch(2, drop_remainder=True))
    handle.get_next()
    again = tf.compat.v1.data.make_initializable_iterator(data)
    again.get_next(), again.string_handle(), again.get_next_as_optional()  # pylint: disable=expression-not-assigned
    data.reduce(0., lambda so_far, more: so_far + tf.reduce_sum(more[1][0]))
    data.take(1).get_single_element(), data.cardinality()  # pylint: disable=expression-not-assigned
    tf.data.Dataset.zip((data, data)).concatenate(tf.data.Dataset.zip((data, data)))
    tf.data.Dataset.from_tensors(ask((8, 5))).unbatch()
    tf.data.TextLineDataset(["a"]).interleave(lambda name: tf.data.TFRecordDataset([name])).window(3)
    data.padded_batch(3).flat_map(lambda *x: tf.data.Dataset.from_tensors(x))
    R.PyFunc(input=[ask((3,))], token="x", Tout=[F, I])
    tf.numpy_function(lambda x: x, [ask((3,))], F), tf.py_function(lambda x: x, [ask((3,))], F)  # pylint: disable=expression-not-assigned
    for shapes in ([(3, None), ()], [None, (2,)]):
        R.IteratorGetNext(iterator=ask((), tf.resource), output_types=[F, I], output_shapes=shapes)
    for rows in ((7, 3), (None, 3), None):
        tensors = [ask(rows), ask(rows and rows[:1], I)]
        R.Batch(in_tensors=tensors, num_batch_threads=1, max_batch_size=8, batch_timeout_micros=1, grad_timeout_micros=1)
        R.Unbatch(batched_tensor=tensors[0], batch_index=ask((None, 3), L), id=ask((), L), timeout_micros=1)
        R.UnbatchGrad(original_input=ask(), batch_index=ask((None, 3), L), grad=tensors[0], id=ask((), L))

    @tf.function(input_signature=[tf.TensorSpec((3,)), tf.TensorSpec((2,))])
    def body(x, captured):
        return x * tf.reduce_sum(captured), x[:2]

    for rows in ((7, 3), (None, 3), None):
        R.MapDefun(arguments=[ask(rows)], captured_inputs=[ask((2,))], output_types=[F, F],
                   output_shapes=[(3,), (None,)], f=body.get_concrete_function())


def graphs():
    yield "old_arrays", old_arrays()
    yield from built(lists, batches_of_lists, arrays, loops, queues, stages, accumulators, text, examples, files, pipelines)


def counts():
    yield "loops", "exp_v1", 28, 0
    yield "loops", "exp_v2", 28, 0
    yield "accumulators", "apply", 12, 0
    yield "accumulators", "take", 12, 0
    yield "accumulators", "sparse", 8, 0
