# SPDX-License-Identifier: Apache-2.0
"""A graph, run metadata and op log written by hand: what is legal and rare, all in one small profile.

Nothing of it ever ran. Names and numbers are chosen so that each rule of the views shows in a row of its own. `chance`
makes more of the kind out of a seed, to find what nobody thought of.
"""
import os
import random

from google.protobuf import text_format
from tensorflow.core.profiler import tfprof_log_pb2

from record import message, old_op_log, save, tf, write_profile

CPU, CPU1 = '/job:localhost/replica:0/task:0/device:CPU:0', '/job:localhost/replica:0/task:0/device:CPU:1'
GPU = '/job:localhost/replica:0/task:0/device:GPU:0'
OLD = '/job:worker/replica:0/task:3/cpu:0'  # the spelling of the first releases

# name, operation, inputs, own shape (None: no such attribute; 'unknown': no rank), output shapes
NODES = (
    ('a', 'Const', (), None, ()),
    ('a/b', 'VariableV2', (), [3, 4], ([3, 4],)),
    ('a//b', 'VariableV2', (), [5], ([5],)),           # a scope with an empty name
    ('a//', 'NoOp', (), None, ()),
    ('x/', 'Identity', ('a/b:0',), None, ([3, 4],)),   # ends in a slash: its parent is x
    ('/lead', 'Identity', ('x/',), None, ([3, 4],)),
    ('/', 'NoOp', ('^/lead',), None, ()),
    ('scalar', 'VariableV2', (), [], ([],)),
    ('unknown/rank', 'Placeholder', (), 'unknown', ('unknown',)),
    ('unknown/part', 'Placeholder', (), [-1, 7], ([-1, 7],)),
    ('zero', 'VariableV2', (), [0, 9], ([0, 9],)),
    ('handle', 'VarHandleOp', (), [2, 2, 2], ([],)),
    ('split', 'Split', ('a', 'a/b'), None, ([3, 2], [3, 2])),
    ('join', 'ConcatV2', ('split', 'split:1', 'split:1', 'a'), None, ([3, 4],)),
    ('loop/enter', 'Enter', ('join',), None, ()),
    ('loop/merge', 'Merge', ('loop/enter', 'loop/next'), None, ()),  # a cycle that a root reaches
    ('loop/body', 'Mul', ('loop/merge', 'loop/merge'), None, ()),
    ('loop/next', 'NextIteration', ('loop/body', '^loop/merge'), None, ()),
    ('loop/exit', 'Exit', ('loop/merge',), None, ()),
    ('ring/one', 'Add', ('ring/two',), None, ()),      # a cycle that no root reaches
    ('ring/two', 'Add', ('ring/one',), None, ()),
    ('self', 'Add', ('self', 'a'), None, ()),
    ('Conv2D', 'Conv2D', ('x/', 'a/b'), None, ([1, 8, 8, 4],)),
    ('deep/1/2/3/4/5/6/7/8/9/10/11/12/leaf', 'Relu', ('Conv2D',), None, ([1, 8, 8, 4],)),
    ('net/fw', 'MatMul', ('a/b', 'split'), None, ([4, 4],)),
    ('net/dead', 'MatMul', ('a/b', 'split'), None, ([4, 4],)),
    ('gradients/net/fw_grad/MatMul', 'MatMul', ('net/fw',), None, ([3, 4],)),
    ('gradients/net/dead_grad/MatMul', 'MatMul', ('net/dead',), None, ([3, 4],)),  # its forward node has no trace
    ('gradients/other', 'AddN', ('gradients/net/fw_grad/MatMul', 'gradients/net/dead_grad/MatMul'), None, ()),
    ('_grad/before/gradients/it', 'Neg', ('gradients/other',), None, ()),
    ('model/BatchNorm/batchnorm/mul', 'Mul', ('Conv2D',), None, ()),
    ('naïve/π ≈ 3/日本', 'Sin', ('self',), None, ([2],)),
    ('with space', 'A Type', (), None, ()),
    ('quo"te\'s', 'Cos', ('with space',), None, ()),
    ('back\\slash', 'Tan', ('quo"te\'s',), None, ()),
    ('lone', 'NoOp', ('^back\\slash', '^loop/exit', '^naïve/π ≈ 3/日本'), None, ()),
    ('a_name_of_more_than_a_hundred_letters_' + 'z' * 90, 'AnOperationTypeLongerThanItsColumn', ('lone',), None, ()),
)
FORMATS = {'Conv2D': b'NHWC'}

# device, node, start, duration, bytes (0: no memory entry)
RUNS = (
    (
        (CPU, 'a', 1000, 0, 0),                        # 0 microseconds count as 1
        (CPU, 'a/b', 1001, 7, 48),
        (CPU, 'x/', 1010, 30, 48), (CPU, 'x/', 1020, 30, 48), (CPU, 'x/', 1020, 50, 48),  # they overlap
        (CPU1, 'x/', 1030, 99, 480),                   # the first device stays; this entry is dropped
        (CPU, '/lead:0', 1080, 20, 48),
        (CPU1, 'split', 1040, 500, 2000), (CPU1, 'join', 1600, 700, 1000000),
        (CPU, 'loop/merge', 2300, 1, 0), (CPU, 'loop/body', 2302, 4, 8), (CPU, 'loop/next', 2307, 1, 0),
        (CPU, 'loop/merge', 2310, 1, 0), (CPU, 'loop/body', 2312, 5, 8), (CPU, 'loop/next', 2318, 1, 0),
        (CPU, 'loop/exit', 2330, 2, 0),
        (GPU, 'Conv2D', 2400, 11, 1024), (GPU + '/stream:all', 'Conv2D:Conv2D', 2420, 2900, 0),
        (GPU + '/stream:7', 'Conv2D:Conv2D', 2420, 2900, 0),
        (GPU, 'deep/1/2/3/4/5/6/7/8/9/10/11/12/leaf', 2412, 4, 1024),
        (GPU + '/stream:all', 'deep/1/2/3/4/5/6/7/8/9/10/11/12/leaf:Relu', 5330, 1200, 0),
        (GPU + '/stream:all', 'edge_3_a_MEMCPYDtoH', 5000, 8, 0),
        (OLD, 'net/fw', 6000, 999999, 64), (OLD, 'gradients/net/fw_grad/MatMul', 1006000, 1234567, 128),
        (OLD, 'gradients/net/dead_grad/MatMul', 1006000, 10, 128), (OLD, 'gradients/other', 2250000, 3, 128),
        (CPU, 'self', 0, 5, 16),                       # no start: no time
        (CPU, '_SOURCE', 990, 1, 0), (CPU, 'RecvTensor', 991, 3, 0), (CPU, 'not/in/graph', 992, 6, 12),
        (CPU, 'naïve/π ≈ 3/日本', 1500, 12, 8), (CPU, 'with space', 1520, 12, 8), (CPU, 'quo"te\'s', 1533, 1, 8),
        (CPU, 'back\\slash', 1535, 1, 8), (CPU, 'lone', 1540, 1, 0),
        ('/device:XPU:0', 'a', 1000, 12, 0),           # no device of a kind it knows
    ), (
        (CPU, 'a', 9000, 2, 0), (CPU, 'a/b', 9003, 9, 48), (CPU, 'a//b', 9013, 2, 20), (CPU, 'scalar', 9016, 1, 4),
        (CPU, 'zero', 9018, 1, 0), (CPU, 'unknown/part', 9020, 2, 700), (CPU, 'handle', 9023, 1, 8),
        (GPU, 'Conv2D', 9100, 10, 2048), (GPU + '/stream:all', 'Conv2D:Conv2D', 9120, 2800, 0),
    ),
)
FRAMES = (('tests/data/odd.py', 10, 'main'), ('tests/data/odd.py', 22, 'a_function_name_longer_than_twenty'),
          ('tests/data/layers.tar.py', 5, 'layer'), ('C:\\old\\net.py', 7, 'build'), ('noext', 0, '<lambda>'))
# node, types, float operations, frames from the outermost in
LOG = (
    ('a/b', ('_trainable_variables', 'mine'), 0, (0,)), ('a//b', ('mine',), 0, (0, 1)), ('scalar', (), 0, (0, 2)),
    ('Conv2D', (), 36864, (0, 1, 2)), ('net/fw', (), 96, (0, 1)), ('net/fw', ('again',), 128, (2,)),
    ('gradients/net/fw_grad/MatMul', (), 192, (0, 4)), ('gradients/other', (), 0, (0, 3)),
    ('gradients/net/dead_grad/MatMul', (), 17, (4,)), ('deep/1/2/3/4/5/6/7/8/9/10/11/12/leaf', (), 256, (0, 1, 2)),
    ('join', (), 1500, (4, 4, 4)), ('nowhere', ('mine',), 5, (0,)), ('naïve/π ≈ 3/日本', (), 2, (3,)),
    ('_grad/before/gradients/it', (), 0, (1,)), ('loop/body', (), 3, (0, 2)),
)


def set_shape(proto, shape):
    if shape == 'unknown':
        proto.unknown_rank = True
    else:
        for size in shape:
            proto.dim.add(size=size)


def graph(nodes, with_shapes):
    g = tf.GraphDef()
    for name, op, inputs, own, outputs in nodes:
        node = g.node.add(name=name, op=op, input=inputs)
        if own is not None:
            set_shape(node.attr['shape'].shape, own)
            node.attr['shape'].shape.SetInParent()
        if with_shapes and outputs:
            for shape in outputs:
                set_shape(node.attr['_output_shapes'].list.shape.add(), shape)
        if name in FORMATS:
            node.attr['data_format'].s = FORMATS[name]
    g.versions.producer = 1
    return g


def metadata(rows):
    meta, devices = tf.RunMetadata(), {}
    for device, name, begin, duration, size in rows:
        if device not in devices:
            devices[device] = meta.step_stats.dev_stats.add(device=device)
        stats = devices[device].node_stats.add(node_name=name, all_start_micros=begin, op_end_rel_micros=duration,
                                               all_end_rel_micros=duration + 1)
        if size:
            allocator = 'GPU_0_bfc' if device == GPU else 'cpu'
            used = stats.memory.add(allocator_name=allocator, total_bytes=size, peak_bytes=size + size // 2,
                                    live_bytes=size // 4, allocator_bytes_in_use=5 * size if device == GPU else 0)
            used.allocation_records.add(alloc_micros=begin + 1, alloc_bytes=size)
            used.allocation_records.add(alloc_micros=begin + duration + 90, alloc_bytes=-size)
            output = stats.output.add(slot=0).tensor_description
            output.allocation_description.requested_bytes = size - 1
            output.allocation_description.allocated_bytes = size
            output.allocation_description.ptr = 0x7000 + size
            stats.memory_stats.temp_memory_size = size // 8
            stats.memory_stats.persistent_memory_size = 3
    return meta


def log(entries):
    out = tfprof_log_pb2.OpLogProto()
    ids = {}
    for text in [part for file, _, function in FRAMES for part in (file, function)]:
        ids.setdefault(text, len(ids) + 1)
    for text, number in ids.items():
        out.id_to_string[number] = text
    for name, types, flops, frames in entries:
        entry = out.log_entries.add(name=name, types=types, float_ops=flops)
        for i in frames:
            file, line, function = FRAMES[i]
            entry.code_def.traces.add(file_id=ids[file], lineno=line, function_id=ids[function], func_start_line=-1)
    return out


def odd(folder):
    plain, shaped, logged = graph(NODES, False), graph(NODES, True), log(LOG)
    save(folder + '/graph.pb', message(plain))
    save(folder + '/graph_shapes.pb', message(shaped))
    save(folder + '/graph.pbtxt', text_format.MessageToString(plain).encode())
    save(folder + '/graph_shapes.pbtxt', text_format.MessageToString(shaped, as_utf8=True).encode())
    steps = []
    for i, rows in enumerate(RUNS):
        meta = message(metadata(rows))
        save(folder + '/run_meta_%d' % i, meta)
        steps.append((5 * i, meta, b''))  # step ids need not be next to each other
    save(folder + '/tfprof_log', message(logged))
    save(folder + '/tfprof_log_1', old_op_log(logged))
    write_profile(folder + '/profile_5', message(shaped), message(logged), steps)


# ---------------------------------------------------------------- more of the kind
PARTS = ('a', 'b', 'net', 'x', '', 'gradients', 'net_grad', '_grad', 'BatchNorm', 'é', 'Conv2D', 'a b', '_SOURCE', 'z' * 40)
OPS = ('Const', 'Add', 'MatMul', 'Conv2D', 'VariableV2', 'FusedBatchNorm', 'NoOp', 'Identity', 'VarHandleOp')
DEVICES = (CPU, CPU, CPU, CPU1, GPU, GPU, GPU + '/stream:all', GPU + '/stream:all', GPU + '/stream:13', OLD,
           OLD.replace('cpu', 'GPU'), '/device:XPU:0')
SHAPES = (None, None, None, [], [3], [2, 4], [-1, 2], [0], 'unknown', [1000, 1000])


def some_name(rng):
    return '/'.join(rng.choice(PARTS) for _ in range(rng.choice((1, 1, 2, 3, 4)))) or 'empty'


def some_nodes(rng):
    names = [some_name(rng) for _ in range(rng.randint(2, 40))]
    nodes = []
    for i, name in enumerate(names):
        sources = names if rng.random() < 0.2 else names[:i]  # now and then a cycle
        inputs = [rng.choice(('', '', '^')) + rng.choice(sources) for _ in range(rng.choice((0, 1, 1, 2, 4))) if sources]
        inputs = [n if n[0] == '^' else n + rng.choice(('', '', ':0', ':1')) for n in inputs]
        outputs = [rng.choice([s for s in SHAPES if s is not None]) for _ in range(rng.choice((0, 0, 1, 1, 2)))]
        nodes.append((name, rng.choice(OPS), inputs, rng.choice(SHAPES), outputs))
    return names, nodes


def some_rows(rng, names):
    rows = []
    for _ in range(rng.randint(1, 80)):
        name = rng.choice(names) if rng.random() < 0.9 else rng.choice(('RecvTensor', 'e_MEMCPYx', 'not/there', 'net/there'))
        begin = rng.choice((0, rng.randint(1, 4000), rng.randint(1, 4000), 1500))
        rows.append((rng.choice(DEVICES), name + rng.choice(('', '', ':Op')), begin, rng.choice((0, 1, rng.randint(2, 3000))),
                     rng.choice((0, 0, 64, rng.randint(1, 5000000)))))
    return rows


def some_log(rng, names):
    return [(rng.choice(names), rng.sample(('mine', '_trainable_variables', 'Add', '_x'), rng.choice((0, 0, 1, 2))),
             rng.choice((0, 0, 7, 123456, 10 ** 10)), [rng.randrange(len(FRAMES)) for _ in range(rng.choice((0, 1, 2, 4)))])
            for _ in range(rng.randint(0, 40))]


def chance(folder, seed):
    """One random model; its files have the names that the recorded models have."""
    rng = random.Random(seed)
    names, nodes = some_nodes(rng)
    save(folder + '/graph_shapes.pb', message(graph(nodes, True)))
    save(folder + '/tfprof_log', message(log(some_log(rng, names))))
    for i in range(rng.randint(1, 3)):
        save('%s/run_meta_%d' % (folder, i), message(metadata(some_rows(rng, names))))


def many(folder, count=40):
    for seed in range(count):
        chance(os.path.join(folder, str(seed)), seed)
