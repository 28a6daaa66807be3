# SPDX-License-Identifier: Apache-2.0
"""The run metadata of the towers, rewritten to what a machine with a GPU per tower would report: made up, not measured.

A heavy operation of tower N leaves the CPU. What stands in its place, as TensorFlow's runtime writes it:
    .../device:GPU:N               the scheduling entry: short, with the GPU allocator's memory and allocation records
    .../device:GPU:N/stream:all    the kernel, `name:type`
    .../device:GPU:N/stream:K      the same kernel again on its own stream
    .../device:GPU:N/memcpy        copies, named after no node, before the first operation of a tower
"""
import os

from record import load, message, save, tf, write_profile

HEAVY = {'Conv2D', 'Conv2DBackpropFilter', 'Conv2DBackpropInput', 'FusedBatchNormV3', 'FusedBatchNormGradV3', 'MaxPool',
         'MatMul', 'Relu', 'ReluGrad', 'AddV2', 'Mean'}
TASK = '/job:localhost/replica:0/task:0'
RESERVED = 1 << 20  # what the allocator holds before the first operation
FREED_AFTER = 250   # microseconds


class Machine:
    """One step's metadata being rewritten."""

    def __init__(self, op_of, streams):
        self.op_of, self.streams = op_of, streams
        self.out, self.devices, self.in_use = tf.RunMetadata(), {}, {}

    def device(self, name):
        if name not in self.devices:
            self.devices[name] = self.out.step_stats.dev_stats.add(device=TASK + name)
        return self.devices[name].node_stats

    def add(self, stats):
        op = self.op_of.get(stats.node_name, '')
        if op not in HEAVY or 'tower_' not in stats.node_name:
            self.device('/device:CPU:0').add().CopyFrom(stats)
            return
        gpu = '/device:GPU:%d' % ('tower_1' in stats.node_name)
        first = gpu not in self.in_use
        entry = self.device(gpu).add()
        entry.CopyFrom(stats)
        duration = max(stats.op_end_rel_micros, 1)
        entry.op_end_rel_micros = 1 + duration // 8
        entry.all_end_rel_micros = 3 + duration // 8
        self.memory(gpu, entry)
        if not self.streams:
            return
        begin = stats.all_start_micros + 3 + duration // 8
        for lane in ('all', '%d' % (13 + len(op) % 3)):
            self.device('%s/stream:%s' % (gpu, lane)).add(
                node_name='%s:%s' % (stats.node_name, op), all_start_micros=begin, op_end_rel_micros=duration,
                all_end_rel_micros=duration, timeline_label='kernel')
        if first:
            self.device(gpu + '/stream:all').add(node_name='edge_7_MEMCPYHtoD', all_start_micros=begin,
                                                 op_end_rel_micros=5, all_end_rel_micros=5)
            self.device(gpu + '/memcpy').add(node_name=stats.node_name, all_start_micros=begin,
                                             op_end_rel_micros=5, all_end_rel_micros=5)

    def memory(self, gpu, entry):
        held = self.in_use.setdefault(gpu, RESERVED)
        if entry.node_name.endswith('Conv2D'):
            entry.memory_stats.persistent_memory_size = 4096
        for used in entry.memory:
            used.allocator_name = 'GPU_%s_bfc' % gpu[-1]
            held += used.total_bytes
            used.allocator_bytes_in_use = held
            del used.allocation_records[:]
            if used.total_bytes:
                used.allocation_records.add(alloc_micros=entry.all_start_micros + 1, alloc_bytes=used.total_bytes)
                used.allocation_records.add(alloc_micros=entry.all_start_micros + FREED_AFTER,
                                            alloc_bytes=-used.total_bytes)
            held -= used.total_bytes // 3
        self.in_use[gpu] = held


def rewritten(meta, op_of, streams):
    machine = Machine(op_of, streams)
    for device in meta.step_stats.dev_stats:
        for stats in device.node_stats:
            machine.add(stats)
    return machine.out


def gpu(folder):
    """Needs the folder `towers` beside it."""
    source = os.path.join(os.path.dirname(folder), 'towers')
    graph, log = load(source + '/graph_shapes.pb'), load(source + '/tfprof_log')
    op_of = {n.name: n.op for n in tf.GraphDef.FromString(graph).node}
    save(folder + '/graph_shapes.pb', graph)
    save(folder + '/tfprof_log', log)
    for kind, streams, count in (('', True, 2), ('nostream_', False, 1)):
        steps = []
        for i in range(count):
            meta = message(rewritten(tf.RunMetadata.FromString(load(source + '/run_meta_%d' % i)), op_of, streams))
            save(folder + '/run_meta_%s%d' % (kind, i), meta)
            steps.append((i, meta, b''))
        write_profile(folder + '/profile_%s%d' % (kind, count - 1), graph, log, steps)
