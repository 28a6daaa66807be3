#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small XSpace files with known times, made up, not measured: tests/data/traces/xspace.py OUT

    gpu.xplane.pb    two steps of a JAX program on a GPU: launches, kernels on two streams, copies, collectives, derived
                     lines that must not count, an HLO module, a device's properties
    tpu.xplane.pb    two TPUs without step marks: runs of modules, a loop whose body nests, asynchronous copies
    host.xplane.pb   TensorFlow on a CPU: ops on two threads, roots as steps, memory, an aggregated event, odd numbers
    odd.xplane.pb    what the format allows and few writers do: fields in another order, a negative line, epoch times,
                     unknown fields, types that are not there, errors and warnings of the recorder, a broken HLO module
    names/names.xplane.pb   a TPU and a host whose collectives have the names of JAX's own operations
    rocm/rocm.xplane.pb     JAX on ROCm: activities of which `tf_op` is the module's word; copies that a line, a detail or the call
                     tells; a library's call of several kernels; names that the compiler joined; a first field that is not known
    hosts/hosts.xplane.pb   JAX on CPUs: collectives that the program in the file tells, whatever their instruction is called
    step.hlo.pb, step.hlo.txt   the HLO module of the first: a proto, and the same as text
"""
import gzip
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import wire  # noqa: E402
from wire import BYTES, FIXED64, VARINT  # noqa: E402


def message(*fields):
    """(number, value) pairs: an int is a varint, a float a double, text and bytes are bytes; None is left out."""
    out = []
    for number, value in fields:
        if value is None:
            continue
        if isinstance(value, float):
            out.append((number, FIXED64, struct.unpack('<Q', struct.pack('<d', value))[0]))
        elif isinstance(value, int):
            out.append((number, VARINT, value & (1 << 64) - 1))
        else:
            out.append((number, BYTES, value.encode() if isinstance(value, str) else value))
    return wire.write(out)


class Ref(str):
    """A text that is stored as a reference to the name of a stat's metadata."""


class Packed(str):
    """A text that is stored as gzip."""


class Plane:
    def __init__(self, name, **stats):
        self.name, self.metas, self.stat_ids, self.lines, self.of_plane = name, {}, {}, [], stats

    def stat_id(self, name):
        return self.stat_ids.setdefault(name, len(self.stat_ids) + 1)

    def stat(self, name, value):
        key = (1, self.stat_id(name))
        if isinstance(value, Ref):
            return message(key, (7, self.stat_id(str(value))))
        if isinstance(value, Packed):
            return message(key, (8, gzip.compress(value.encode(), mtime=0)))
        if isinstance(value, float):
            return message(key, (2, value))
        if isinstance(value, int):
            return message(key, (4 if value < 0 else 3, value))
        return message(key, (6 if isinstance(value, bytes) else 5, value))

    def meta(self, name, display='', **stats):
        known = (name, display, tuple(sorted(stats.items())))
        if known not in self.metas:
            self.metas[known] = (len(self.metas) + 1, stats)
        return self.metas[known][0]

    def event(self, name, start_ps, duration_ps, /, display='', of_type=None, **stats):
        return message((1, self.meta(name, display, **(of_type or {}))), (2, start_ps), (3, duration_ps),
                       *((4, self.stat(key, value)) for key, value in stats.items()))

    def line(self, number, name, events, timestamp_ns=1000, label=None):
        self.lines.append(message((1, number), (2, name), (3, timestamp_ns), *((4, e) for e in events), (11, label)))

    def bytes(self):
        metas = []
        for (name, display, _), (number, stats) in self.metas.items():
            value = message((1, number), (2, name), (4, display or None),
                            *((5, self.stat(key, v)) for key, v in stats.items()))
            metas.append((4, message((1, number), (2, value))))
        stats = [(6, self.stat(key, value)) for key, value in self.of_plane.items()]
        names = [(5, message((1, number), (2, message((1, number), (2, name)))))
                 for name, number in self.stat_ids.items()]
        return message((2, self.name), *((3, line) for line in self.lines), *metas, *names, *stats)


def space(planes, *more):
    return message(*((1, plane.bytes()) for plane in planes), *more)


US = 1000000  # picoseconds
DERIVED = 0xDEADBEEF  # the number of the first line that post-processing adds


# ---- HLO ----

F32, S32, TUPLE = 11, 4, 13


def shape(kind, *dims):
    return message((2, kind), *((3, d) for d in dims))


class Module:
    """Computations are added callees first; an instruction is (name, opcode, shape, operands, more fields)."""

    def __init__(self, name):
        self.name, self.computations, self.ids, self.next = name, [], {}, 1

    def computation(self, name, *instructions):
        rows, number = [], len(self.computations) + 1
        for title, opcode, result, operands, *more in instructions:
            self.ids[title] = self.next
            rows.append(message((1, title), (2, opcode), (3, result), *more, (35, self.next),
                                *((36, self.ids[o]) for o in operands)))
            self.next += 1
        self.computations.append(message((1, name), *((2, r) for r in rows), (5, number), (6, self.next - 1)))
        return number

    def bytes(self, stack=b'', schedule=()):
        """schedule: (number of a computation, names in the order in which they run) pairs."""
        order = message(*((1, message((1, number), (2, message(*((1, self.ids[n]) for n in names))))) for number, names in schedule))
        module = message((1, self.name), *((3, c) for c in self.computations), (6, len(self.computations)), (7, order or None),
                         (17, stack or None))
        return message((1, module))


def op(name, frame=0):
    return (7, message((2, name), (15, frame or None)))


def stack_frames():
    """net.py:3:layer called from net.py:9:<module>."""
    return message((1, 'net.py'), (2, '<module>'), (2, 'layer'),
                   (3, message((1, 1), (2, 1), (3, 9))), (3, message((1, 1), (2, 2), (3, 3))),
                   (4, message((1, 1))), (4, message((1, 2), (2, 1))))


def step_module():
    """A dot in a fusion, a loop of 5 with a tanh, an all-reduce."""
    m = Module('jit_step')
    inside = m.computation('fused', ('p0', 'parameter', shape(F32, 8, 16), []),
                           ('p1', 'parameter', shape(F32, 16, 4), [], (9, 1)),
                           ('dot.1', 'dot', shape(F32, 8, 4), ['p0', 'p1'], op('jit(step)/dense/dot_general', 2),
                            (30, message((1, 1), (2, 0)))))
    body = m.computation('body', ('x', 'parameter', shape(F32, 8, 4), []),
                         ('tanh.7', 'tanh', shape(F32, 8, 4), ['x'], op('jit(step)/while/body/tanh', 1)))
    condition = m.computation('condition', ('y', 'parameter', shape(F32, 8, 4), []),
                              ('lt', 'compare', shape(1), ['y', 'y']))
    add = m.computation('sum', ('a', 'parameter', shape(F32), []), ('b', 'parameter', shape(F32), [], (9, 1)),
                        ('add', 'add', shape(F32), ['a', 'b']))
    m.computation('main', ('w', 'parameter', shape(F32, 8, 16), [], op('w')),
                  ('v', 'parameter', shape(F32, 16, 4), [], op('v'), (9, 1)),
                  ('fusion.1', 'fusion', shape(F32, 8, 4), ['w', 'v'], op('jit(step)/dense/dot_general', 2),
                   (38, inside)),
                  ('while.2', 'while', shape(F32, 8, 4), ['fusion.1'], op('jit(step)/while'), (38, body),
                   (38, condition), (43, '{"known_trip_count":{"n":"5"}}')),
                  ('all-reduce.3', 'all-reduce', shape(F32, 8, 4), ['while.2'], op('jit(step)/psum'), (38, add)),
                  ('copy.4', 'copy', shape(F32, 8, 4), ['all-reduce.3']))
    return m.bytes(stack_frames())


def metadata(program, name, module):
    plane = Plane('/host:metadata', jax_version='0.0.0')
    plane.meta('%s(%d)' % (name, program), **{'program_id': program, 'Hlo Proto': module})
    return plane


ENVIRONMENT = dict(profile_start_time=1700000000000000000, profile_stop_time=1700000001000000000)


# ---- the files ----

def gpu():
    host, device = Plane('/host:CPU'), Plane('/device:GPU:0', device_vendor='Imaginary', clock_rate=1000000, core_count=8,
                                             memory_bandwidth=1000000000000)
    calls, first, second, call = [], [], [], 100
    for step in range(2):
        at = step * 100 * US
        calls.append(host.event('train', at, 90 * US, step_num=step, _r=1))
        calls.append(host.event('PjitFunction(step)', at + US, 80 * US))
        kernels = [('fusion_1', 'fusion.1', 'jit(step)/dense/dot_general:', 20, 60.0),
                   ('loop_tanh', 'tanh.7', 'jit(step)/while/body/tanh:', 5, 50.0),
                   ('ncclDevKernel_AllReduce', 'all-reduce.3', 'jit(step)/psum:', 8, None),
                   ('copy_4', 'copy.4', None, 3, 90.0)]
        for i, (name, instruction, tf_op, us, occupancy) in enumerate(kernels):
            call += 1
            calls.append(host.event('cuLaunchKernel', at + (2 + 4 * i) * US, 2 * US + 500, correlation_id=call))
            stats = dict(correlation_id=call, hlo_op=Ref(instruction), hlo_module=Ref('jit_step'), program_id=7)
            if tf_op:
                stats['tf_op'] = Ref(tf_op)
            if occupancy:
                stats['kernel_details'] = 'regs:32 grid:8,1,1 block:128,1,1 occ_pct:%s' % occupancy
            (second if 'nccl' in name else first).append(
                device.event(name, at + (5 + 20 * i) * US + 300, us * US, **stats))
        call += 1
        calls.append(host.event('MemcpyD2HAsync', at + 60 * US, US, correlation_id=call))
        second.append(device.event('MemcpyD2H', at + 80 * US, 2 * US, correlation_id=call,
                                   memcpy_details='kind_src:device kind_dst:pinned size:4096 dest:0 async:1'))
    host.line(-77, 'python3', calls)
    device.line(13, 'Stream #13(Kernel)', first)
    device.line(20, 'Stream #20(Kernel,MemcpyD2H)', second)
    device.line(DERIVED + 5, 'XLA Ops', first)
    device.line(DERIVED, 'Steps', [device.event('0', 0, 90 * US)])
    return space([host, device, metadata(7, 'jit_step', step_module()), Plane('Task Environment', **ENVIRONMENT)],
                 (4, 'worker0'))


def tpu():
    planes = []
    for number in range(2):
        p = Plane('/device:TPU:%d' % number, device_type_string='TPU of paper', peak_teraflops_per_second=100.0)
        modules, ops, side = [], [], []
        types = {'%fusion.1': dict(flops=1000, bytes_accessed=64, tf_op='jit(f)/layer/dot_general:',
                                   source_stack='net.py:9:2\nnet.py:3:1\n'),
                 '%while.2': dict(flops=0, tf_op='jit(f)/while:'), '%fusion.9': dict(flops=50, tf_op='jit(f)/while/body/mul_1:'),
                 '%copy-start.5': dict(bytes_accessed=4096), '%copy-done.5': dict(bytes_accessed=4096),
                 '%all-reduce.6': dict(tf_op='jit(f)/psum:', bytes_accessed=256)}

        def event(name, start, us, display=''):
            return p.event('%s = f32[8]{0} x(%%y)' % name, int(start * US), int(us * US), display or name[1:],
                           types.get(name))
        for run in range(3):
            at = 100 * run + number
            modules.append(p.event('jit_f(12345)', at * US, 60 * US, run_id=run))
            modules.append(p.event('jit_small(6)', (at + 70) * US, 2 * US, run_id=100 + run))
            ops += [event('%fusion.1', at + .5, 10), event('%while.2', at + 11, 20), event('%fusion.9', at + 12, 8),
                    event('%fusion.9', at + 21, 8), event('%copy-start.5', at + 32, .001), event('%fusion.1', at + 33, 9),
                    event('%copy-done.5', at + 43, 4), event('%all-reduce.6', at + 48, 7.25),
                    event('%broadcast.1', at + 70.5, 1)]
            side.append(event('%copy-start.5', at + 32, 15, 'async-copy'))
        p.line(2, 'XLA Modules', modules, 0)
        p.line(3, 'XLA Ops', ops, 0)
        p.line(4, 'Async XLA Ops', side, 0)
        p.line(6, 'XLA TraceMe', [p.event('dependency-wait', 0, 40 * US)], 0)
        planes.append(p)
    return space(planes + [Plane('Task Environment', **ENVIRONMENT)])


def names():
    m = Module('jit_f')
    add = m.computation('sum', ('a', 'parameter', shape(F32), []), ('b', 'parameter', shape(F32), [], (9, 1)),
                        ('add', 'add', shape(F32), ['a', 'b']))
    scatter = m.computation('scatter', ('p', 'parameter', shape(F32, 8), []),
                            ('inner', 'reduce-scatter', shape(F32, 4), ['p'], (38, add)))
    m.computation('main', ('x', 'parameter', shape(F32, 8), []),
                  ('psum.3', 'all-reduce', shape(F32, 8), ['x'], op('jit(f)/psum'), (38, add)),
                  ('mul.4', 'multiply', shape(F32, 8), ['psum.3', 'psum.3'], op('jit(f)/mul')),
                  ('spread.5', 'async-start', shape(F32, 4), ['mul.4'], (38, scatter)),
                  ('spread.6', 'async-done', shape(F32, 4), ['spread.5']))
    p = Plane('/device:TPU:0', device_type_string='TPU of paper')
    ops = [p.event('%%%s = f32[8]{0} x(%%y)' % name, at * US, us * US, name)
           for name, at, us in (('psum.3', 1, 5), ('mul.4', 7, 2), ('spread.5', 9, 1), ('spread.6', 12, 3))]
    p.line(2, 'XLA Modules', [p.event('jit_f(12345)', 0, 20 * US, run_id=1)], 0)
    p.line(3, 'XLA Ops', ops, 0)
    cpu = Plane('/host:CPU')
    cpu.line(1, 'tf_XLAEigen/1', [cpu.event(name, at * US, 4 * US, hlo_op=Ref(name), hlo_module=Ref('jit_f'), program_id=12345)
                                  for name, at in (('psum.3', 30), ('mul.4', 40), ('psum.3', 50))])
    return space([p, cpu, metadata(12345, 'jit_f', m.bytes()), Plane('Task Environment', **ENVIRONMENT)])


def rocm():
    m = Module('jit_f')
    inside = m.computation('inside', ('p', 'parameter', shape(F32, 8), []), ('neg.1', 'negate', shape(F32, 8), ['p']))
    m.computation('main', ('x', 'parameter', shape(F32, 8), [], op('x')),
                  ('conv.1', 'custom-call', shape(F32, 8), ['x'], op('jit(f)/net/conv_general_dilated')),
                  ('add.2', 'fusion', shape(F32, 8), ['conv.1'], op('jit(f)/jit(main)/(jvp(net)/reduce_sum:mul)'), (38, inside)),
                  ('add.3', 'fusion', shape(F32, 8), ['add.2'], op('jit(f)/jvp(a:b:c)/add_1'), (38, inside)),
                  ('add.4', 'fusion', shape(F32, 8), ['add.3'], op('jit(f)/jvp(net/attention)'), (38, inside)),
                  ('ppermute.5', 'collective-permute', shape(F32, 8), ['add.4'], op('jit(f)/ppermute')))
    # ROCm's description of an MI300X: no name, and the bandwidth of half of its memory's pins
    host, device = Plane('/host:CPU'), Plane('/device:GPU:0', device_vendor='AMD', core_count=304, clock_rate=2100000,
                                             memory_size=206141652992, memory_bandwidth=2662400000000)
    one = Plane('/device:GPU:1', device_vendor='AMD')
    calls, kernels, copies, number = [], [], [], 0

    def launch(call, at, where, kernel, us, /, call_stats=None, plane=device, **stats):
        nonlocal number
        number += 1
        calls.append(host.event(call, at * US, US, device_id=0, correlation_id=number, **(call_stats or {})))
        where.append(plane.event(kernel, (at + 2) * US, us * US, correlation_id=number, **stats))

    def run(instruction, name=None, tf_op='XlaModule:'):
        return dict(hlo_op=Ref(instruction), hlo_module=Ref('jit_f'), program_id=15, tf_op=Ref(tf_op),
                    **({'name': Ref(name)} if name else {}))
    for at in (0, 200):
        net = 'jit(f)/net/conv_general_dilated'
        add = run('add.2')  # ROCm gives the call the same stats as the kernel
        launch('hipModuleLaunchKernel', at + 0, kernels, 'loop_fusion.kd', 3, **run('loop.9', 'x'))
        launch('hipMemsetAsync', at + 10, kernels, '__amd_rocclr_fillBufferAligned.kd', 1, **run('conv.1', net))
        launch('hipMemsetAsync', at + 20, kernels, '__amd_rocclr_fillBufferAligned.kd', 1, **run('conv.1', net))
        launch('hipExtModuleLaunchKernel', at + 30, kernels, 'Im3d2Col.kd', 4, **run('conv.1', net))
        launch('hipExtModuleLaunchKernel', at + 40, kernels, 'Cijk_Ailk.kd', 20, **run('conv.1', net))
        launch('hipModuleLaunchKernel', at + 70, kernels, 'add_2.kd', 5, call_stats=add, **add)
        launch('hipModuleLaunchKernel', at + 80, kernels, 'add_3.kd', 6, **run('add.3', tf_op='Thunk:'))
        launch('hipModuleLaunchKernel', at + 90, kernels, 'add_4.kd', 7, **run('add.4'))
        launch('hipModuleLaunchKernel', at + 110, kernels, 'permute.kd', 8, **run('ppermute.5'))
        launch('hipMemcpyDtoDAsync', at + 130, kernels, '__amd_rocclr_copyBuffer.kd', 9,
               call_stats={'memcpy_details': 'kind:Unknown size:0 dest:512 async:1'})
        launch('hipMemcpyWithStream', at + 150, kernels, '__amd_rocclr_copyBuffer.kd', 10,
               call_stats={'memcpy_details': 'kind:Unknown size:512 dest:2 async:0'})
        launch('hipMemcpyDtoDAsync', at + 170, copies, 'CopyDeviceToDevice', 11,
               memcpy_details='kind:Unknown size:4096 dest:2 async:1')
        copies.append(device.event('CopyHostToDevice', (at + 185) * US, 2 * US))
    for at in (0, 20):  # a program of one instruction: each of its kernels is a run
        launch('hipModuleLaunchKernel', 400 + at, kernels, 'single.kd', 3, plane=one,
               hlo_op=Ref('single'), hlo_module=Ref('jit_single'), tf_op=Ref('XlaModule:'), name=Ref('jit(single)/mul'))
    host.line(7, 'Host Threads/7', calls)
    device.line(1, 'Stream #1(Kernel)', kernels[:-2])
    device.line(8, 'Stream #8(MemcpyOther)', copies)
    one.line(1, 'Stream #1(Kernel)', kernels[-2:])
    return message((9, 'a field of a later version'), (8, 5)) + space(
        [device, one, host, metadata(15, 'jit_f', m.bytes()), Plane('Task Environment', **ENVIRONMENT)])


def hosts():
    m = Module('jit_f')
    m.computation('main', ('x', 'parameter', shape(F32, 8), []),
                  ('ppermute.3', 'collective-permute', shape(F32, 8), ['x'], op('jit(f)/ppermute')),
                  ('all-reduce.4', 'add', shape(F32, 8), ['ppermute.3', 'ppermute.3'], op('jit(f)/add')),
                  ('psum.5', 'all-reduce', shape(F32, 8), ['all-reduce.4'], op('jit(f)/psum')))
    cpu = Plane('/host:CPU')
    for thread in range(2):
        at = thread * 100 * US
        cpu.line(thread + 1, 'tf_XLAEigen/%d' % (thread + 1),
                 [cpu.event(name, at + 20 * i * US, us * US, hlo_op=Ref(name), hlo_module=Ref('jit_f'), program_id=3)
                  for i, (name, us) in enumerate((('ppermute.3', 5), ('all-reduce.4', 3), ('psum.5', 7), ('recv.6', 2)))]
                 + [cpu.event('sync/CollectiveReduceV2:CollectiveReduceV2', at + 90 * US, 4 * US)])
    return space([cpu, metadata(3, 'jit_f', m.bytes()), Plane('Task Environment', **ENVIRONMENT)])


def host():
    p = Plane('/host:CPU')
    main, worker = [], []
    for run in range(3):
        at = 50 * run * US
        main.append(p.event('SessionRun', at, 40 * US, _r=1))
        main.append(p.event('layer/MatMul:MatMul', at + US, 20 * US + 700, 'MatMul'))
        main.append(p.event('layer/inner:_FusedMatMul', at + 2 * US, 5 * US, '_FusedMatMul'))
        main.append(p.event('MemoryAllocation', at + 3 * US, 0, allocator_name='cpu', allocation_bytes=1024, addr=4096 + run,
                            bytes_allocated=2048, bytes_reserved=0, tf_op='layer/MatMul'))
        main.append(p.event('MemoryDeallocation', at + 30 * US, 0, allocator_name='cpu', allocation_bytes=1024,
                            addr=4096 + run))
        worker.append(p.event('IteratorGetNextOp::DoCompute', at + 5 * US, 10 * US))
        worker.append(p.event('not an op: it has blanks', at + 6 * US, US))
        worker.append(p.event('softmax:Softmax', at + 20 * US, 3 * US, 'Softmax', note=Packed('unpacked')))
    main.append(message((1, p.meta('aggregate')), (5, 12), (3, 5 * US)))
    p.line(-5, 'python3', main)
    p.line(9, 'tf_Compute/9', worker, label='worker threads')
    return space([p, Plane('Task Environment', **ENVIRONMENT)], (4, 'host0'))


def odd():
    p = Plane('/host:CPU')
    keep = p.meta('keep:Keep')
    epoch = 1700000000000000000
    events = [message((1, keep), (2, 20 * US * i), (3, 10 * US)) for i in range(3)]
    events.append(message((3, 10 * US), (2, 70 * US), (1, 77)))  # a type that does not exist
    events.append(message((1, keep), (2, 100 * US), (3, -5 & (1 << 64) - 1)))  # a negative duration
    events.append(message((1, p.meta('gone:Gone')), (2, 9 * 10**18), (3, 9 * 10**18), (99, b'unknown'), (98, 5)))
    # a line whose name and time come after its events
    p.lines.append(message(*((4, e) for e in events), (11, 'shown'), (2, 'main'), (1, -7), (3, epoch + 5000), (77, 'x')))
    p.lines.append(message((1, -7), (2, 'main'), (3, epoch + 205000), (4, message((1, keep), (2, 0), (3, 10 * US)))))
    bad = Plane('/host:metadata')
    bad.meta('jit_bad(1)', **{'program_id': 1, 'Hlo Proto': b'\x0a\xff\xff\xff\xff\x0fnonsense'})
    other = Plane('/host:something-new')
    other.line(1, 'a/line', [other.event('what', 0, US)])
    other.line(2, 'empty', [])
    return message((1, p.bytes()), (99, 5), (2, 'the recorder ran out of memory'), (1, bad.bytes()),
                   (3, 'events were dropped'), (4, 'odd\thost'), (1, other.bytes()))


STEP_TEXT = """HloModule jit_step, is_scheduled=true, entry_computation_layout={(f32[8,16]{1,0}, f32[16,4]{1,0})->f32[8,4]{1,0}}

FileNames
1 "net.py"

FunctionNames
1 "<module>"
2 "layer"

FileLocations
1 {file_name_id=1 function_name_id=1 line=9 end_line=9 column=1 end_column=2}
2 {file_name_id=1 function_name_id=2 line=3 end_line=3 column=1 end_column=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}

%fused (p0: f32[8,16], p1: f32[16,4]) -> f32[8,4] {
  %p0 = f32[8,16]{1,0} parameter(0)
  %p1 = f32[16,4]{1,0} parameter(1)
  ROOT %dot.1 = f32[8,4]{1,0} dot(%p0, %p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(step)/dense/dot_general" stack_frame_id=2}
}

%body (x: f32[8,4]) -> f32[8,4] {
  %x = f32[8,4]{1,0} parameter(0)
  ROOT %tanh.7 = f32[8,4]{1,0} tanh(%x), metadata={op_name="jit(step)/while/body/tanh" stack_frame_id=1}
}

%condition (y: f32[8,4]) -> pred[] {
  %y = f32[8,4]{1,0} parameter(0)
  ROOT %lt = pred[] compare(f32[8,4]{1,0} %y, f32[8,4]{1,0} %y), direction=LT
}

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %add = f32[] add(%a, %b)
}

ENTRY %main (w: f32[8,16], v: f32[16,4]) -> f32[8,4] {
  %w = f32[8,16]{1,0} parameter(0), metadata={op_name="w"}
  %v = f32[16,4]{1,0} parameter(1), metadata={op_name="v"}
  %fusion.1 = f32[8,4]{1,0} fusion(%w, %v), kind=kLoop, calls=%fused, metadata={op_name="jit(step)/dense/dot_general" stack_frame_id=2}
  %while.2 = f32[8,4]{1,0} while(%fusion.1), condition=%condition, body=%body, metadata={op_name="jit(step)/while"}, backend_config={"known_trip_count":{"n":"5"}}
  %all-reduce.3 = f32[8,4]{1,0} all-reduce(%while.2), replica_groups={{0,1}}, to_apply=%sum, metadata={op_name="jit(step)/psum"}
  ROOT %copy.4 = f32[8,4]{1,0} copy(%all-reduce.3)
}
"""

FILES = {**dict(gpu=gpu, tpu=tpu, host=host, odd=odd), 'names/names': names, 'rocm/rocm': rocm, 'hosts/hosts': hosts}


def main():
    for name, make in FILES.items():
        os.makedirs(os.path.dirname(os.path.join(sys.argv[1], name)), exist_ok=True)
        with open(os.path.join(sys.argv[1], name + '.xplane.pb'), 'wb') as f:
            f.write(make())
    with open(os.path.join(sys.argv[1], 'step.hlo.pb'), 'wb') as f:
        f.write(step_module())
    with open(os.path.join(sys.argv[1], 'step.hlo.txt'), 'w') as f:
        f.write(STEP_TEXT)


if __name__ == '__main__':
    main()
