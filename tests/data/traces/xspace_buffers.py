#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""XSpace files of JAX with command buffers, made up, not measured: tests/data/traces/xspace_buffers.py OUT

Fields as openxla/xla writes them (xla/backends/profiler/gpu/cupti_collector.cc): the call is `cuGraphLaunch (CudaGraph:N)`, with
`cuda_graph_id`; each kernel, copy and set of it has the call's `correlation_id`, `cuda_graph_id`, from 2026 on `cuda_graph_node_id`, and
of the annotation around the call `hlo_module`, `program_id` and, as hlo_op, the name of the buffer (`command_buffer_1`). Programs
are in `/host:metadata`, with their schedule (HloModuleProto 7). Equal fusions are compiled once: all of them run the kernel that has
the name of the first (seen in traces without command buffers: `wrapped_convert` for wrapped_convert.1).

    called.xplane.pb    the program calls computations `command_buffer`: libraries, a shared kernel, a loop, a memset, a copy
    parts.xplane.pb     newer: buffers are parts of the program; two streams, ordered by ids of nodes
    streams.xplane.pb   two streams without ids; a program that is not in the file, and one that another program's name hides
"""
import os
import sys

from xspace import ENVIRONMENT, F32, US, Module, Plane, Ref, message, shape, space

VEC = shape(F32, 64, 64)


def frames(lines):
    """Stack frames: line N of net.py, in function `layer`, called from net.py:1."""
    return message((1, 'net.py'), (2, 'step'), (2, 'layer'), (3, message((1, 1), (2, 1), (3, 1))),
                   *((3, message((1, 1), (2, 2), (3, line))) for line in lines),
                   (4, message((1, 1))), *((4, message((1, i + 2), (2, 1))) for i in range(len(lines))))


class Program:
    """A program in which each instruction has its own line; what() adds one to the open computation."""

    def __init__(self, name, number):
        self.module, self.number, self.name, self.line = Module(name), number, name, 9
        self.kernel = self.module.computation('fused', ('p', 'parameter', VEC, []), ('neg', 'negate', VEC, ['p']))
        inside = ((7, message((2, 'jit(%s)/tail/norm/%s' % (name[4:], last)))) for last in ('mul', 'rsqrt'))
        self.unnamed = self.module.computation('fused.1', ('q', 'parameter', VEC, [], (7, message((2, 'params')))), ('mul', 'multiply', VEC, ['q', 'q'], next(inside)),
                                               ('rsqrt', 'rsqrt', VEC, ['mul'], next(inside)))
        self.schedule, self.rows = [], None

    def begin(self):
        self.rows = [('arg%d' % self.line, 'parameter', VEC, [])]

    def what(self, name, opcode, place, *more):
        self.line += 1
        fused = [(38, self.kernel if place else self.unnamed)] if opcode == 'fusion' else []
        frame = self.line - 9 + 1
        self.rows.append((name, opcode, VEC, [self.rows[-1][0]],
                          (7, message((2, 'jit(%s)/%s' % (self.name[4:], place) if place else None), (15, frame))), *fused, *more))
        return name

    def end(self, title):
        order = [row[0] for row in self.rows]
        number = self.module.computation(title, *self.rows)
        self.schedule.append((number, order))
        return number

    def bytes(self):
        return self.module.bytes(frames(range(10, self.line + 1)), self.schedule)


class Recorder:
    def __init__(self):
        self.host, self.device = Plane('/host:CPU'), Plane('/device:GPU:0', device_vendor='Imaginary', core_count=8)
        self.calls, self.streams, self.number, self.now = [], {}, 500, 10

    def launch(self, program, buffer, kernels, graph=None, ids=False, annotated=True):
        """kernels: (stream, name, us, details) in the order of nodes. Streams run in parallel."""
        self.number += 1
        stats = dict(device_id=0, correlation_id=self.number)
        name = 'cuGraphLaunch'
        if graph:
            name, stats['cuda_graph_id'] = 'cuGraphLaunch (CudaGraph:%d)' % graph, graph
        self.calls.append(self.host.event('%s:XLA GPU module' % program.name, self.now * US, 6 * US))
        self.calls.append(self.host.event(name, (self.now + 1) * US, 4 * US, **stats))
        at = dict.fromkeys((k[0] for k in kernels), self.now + 8)
        for i, (stream, kernel, us, details) in enumerate(kernels):
            stats = dict(correlation_id=self.number, **details)
            if annotated:
                stats.update(tf_op=Ref('XlaModule:'), hlo_module=Ref(program.name), program_id=program.number)
            if annotated and buffer:
                stats['hlo_op'] = Ref(buffer)
            if graph:
                stats['cuda_graph_id'] = graph
            if graph and ids:
                stats['cuda_graph_node_id'] = graph << 32 | i + 1
            self.streams.setdefault(stream, []).append(self.device.event(kernel, at[stream] * US, us * US, **stats))
            at[stream] += us + 1
        self.now = max(at.values()) + 10

    def bytes(self, programs):
        self.host.line(7, 'Host Threads/7', self.calls)
        for stream, events in sorted(self.streams.items()):
            self.device.line(stream, 'Stream #%d(Kernel)' % stream, events)
        planes = [self.device, self.host]
        meta = Plane('/host:metadata', jax_version='0.0.0')
        for p in programs:
            meta.meta('%s(%d)' % (p.name, p.number), **{'program_id': p.number, 'Hlo Proto': p.bytes()})
        return space(planes + [meta, Plane('Task Environment', **ENVIRONMENT)])


def kernel(name, us, stream=13, **details):
    return stream, name, us, details or dict(kernel_details=Ref('regs:32 grid:8,1,1 block:128,1,1 occ_pct:50'))


def called():
    p = Program('jit_step', 7)
    p.begin()
    p.what('loop_tanh_fusion.3', 'fusion', 'loop/while/body/tanh')
    body = p.end('body')
    p.begin()
    p.what('compare_fusion', 'fusion', 'loop/while/cond/lt')
    condition = p.end('condition')
    p.begin()
    p.what('loop_add_fusion', 'fusion', 'layer0/add')
    p.what('cublas-gemm.1', 'custom-call', 'layer0/dense/dot_general', (28, '__cublas$gemm'))
    p.what('cublas-gemm.2', 'custom-call', 'layer1/dense/dot_general', (28, '__cublas$gemm'))
    p.what('loop_add_fusion.1', 'fusion', 'layer1/add')
    p.what('while.4', 'while', 'loop/while', (38, body), (38, condition))
    p.what('copy.5', 'copy', '')
    p.what('input_reduce_fusion.2', 'fusion', 'loss/reduce_sum')
    first = p.end('command_buffer')
    p.begin()
    p.what('wrapped_mul', 'fusion', 'head/mul')
    p.what('cudnn-conv.1', 'custom-call', 'head/conv_general_dilated', (28, '__cudnn$convForward'))
    p.what('wrapped_sub', 'fusion', 'head/sub')
    p.what('loop_multiply_fusion.8', 'fusion', '')
    second = p.end('command_buffer.1')
    p.begin()
    p.what('loop_before_fusion', 'fusion', 'embed/mul')
    p.what('call', 'call', '', (38, first))
    p.what('call.1', 'call', '', (38, second))
    p.end('main')
    r = Recorder()
    for _ in range(3):
        r.launch(p, 'command_buffer', [
            kernel('loop_add_fusion', 10), kernel('sm80_xmma_gemm_f32f32_f32f32_f32_nn_n', 30), kernel('sm80_xmma_gemm_f32f32_f32f32_f32_tn_n', 31),
            kernel('loop_add_fusion', 11), kernel('compare_fusion', 1), kernel('loop_tanh_fusion_3', 5), kernel('compare_fusion', 1),
            kernel('loop_tanh_fusion_3', 6), kernel('compare_fusion', 1),
            kernel('MemcpyD2D', 3, memcpy_details=Ref('kind_src:device kind_dst:device size:4096 dest:0 async:1')),
            kernel('Memset 2', 2, memset_details=Ref('kind:Unknown num_bytes:4 async:1')), kernel('input_reduce_fusion_2', 7)])
        r.launch(p, 'call.1', [
            kernel('wrapped_mul', 10), kernel('cudnn_transform', 2), kernel('sm80_xmma_fprop_implicit_gemm', 20), kernel('wrapped_sub', 10),
            kernel('loop_multiply_fusion_8', 4)])
    return r.bytes([p])


def parts():
    """The program's first fusion runs by itself; two buffers follow, which the program's text does not
    show."""
    p = Program('jit_train', 9)
    p.begin()
    p.what('loop_first_fusion', 'fusion', 'embed/gather')
    p.what('loop_add_fusion', 'fusion', 'layer0/add')
    p.what('cublas-gemm.1', 'custom-call', 'layer0/dense/dot_general', (28, '__cublas$gemm'))
    p.what('loop_mul_fusion', 'fusion', 'layer0/mul')
    p.what('all-reduce-start', 'all-reduce-start', 'layer0/psum')
    p.what('custom-call.9', 'custom-call', 'layer1/attention', (28, 'te_fused_attn_forward_ffi'))
    p.what('loop_add_fusion.1', 'fusion', 'layer1/add')
    p.what('cublas-gemm.2', 'custom-call', 'layer1/dense/dot_general', (28, '__cublas$gemm'))
    p.what('loop_mul_fusion.1', 'fusion', 'layer1/mul')
    p.end('main')
    other = Program('jit_train', 11)  # the same name, compiled for a different shape
    other.begin()
    other.what('loop_add_fusion', 'fusion', 'wrong/add')
    other.end('main')
    r = Recorder()
    for graph in (21, 22, 23):
        r.launch(p, 'command_buffer', [
            kernel('loop_add_fusion', 10), kernel('nvjet_tst_128x64', 30), kernel('loop_mul_fusion', 8),
            kernel('ncclDevKernel_AllReduce_Sum_f32_RING_LL', 20, 14)], graph, ids=True)
        r.launch(p, 'command_buffer_1', [
            kernel('cudnn_generated_fort_native_sdpa_flash', 25), kernel('loop_add_fusion', 9), kernel('nvjet_tst_64x64', 28),
            kernel('loop_mul_fusion_1', 8, 14)], graph + 10, ids=True)
    return r.bytes([other, p])


def streams():
    p = Program('jit_step', 3)
    p.begin()
    p.what('loop_add_fusion', 'fusion', 'layer0/add')
    p.what('cublas-gemm.1', 'custom-call', 'layer0/dense/dot_general', (28, '__cublas$gemm'))
    p.what('cublas-gemm.2', 'custom-call', 'layer0/out/dot_general', (28, '__cublas$gemm'))
    p.what('loop_mul_fusion', 'fusion', 'layer0/mul')
    buffer = p.end('command_buffer')
    p.begin()
    p.what('call', 'call', '', (38, buffer))
    p.end('main')
    strange, absent = Program('jit_strange', 4), Program('jit_absent', 5)
    strange.begin()
    strange.what('loop_exp_fusion', 'fusion', 'x/exp')
    strange.end('main')
    r = Recorder()
    kernels = [kernel('loop_add_fusion', 10), kernel('ampere_sgemm_64x32', 20, 14), kernel('ampere_sgemm_32x32', 20), kernel('loop_mul_fusion', 9)]
    r.launch(p, 'command_buffer', kernels)
    r.launch(strange, 'command_buffer', [kernel('loop_log_fusion', 10), kernel('loop_sin_fusion', 10)])
    r.launch(absent, 'command_buffer', [kernel('loop_add_fusion', 10)])
    # only the span around the launch has the program's name
    r.launch(p, None, kernels[:1] + kernels[3:], 40, annotated=False)
    return r.bytes([p, strange])


FILES = dict(called=called, parts=parts, streams=streams)


def main():
    for name, make in FILES.items():
        with open(os.path.join(sys.argv[1], name + '.xplane.pb'), 'wb') as f:
            f.write(make())


if __name__ == '__main__':
    main()
