#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small XSpace files without marks of steps, as TensorFlow writes them, made up, not measured: tests/data/traces/xspace_steps.py OUT

    keras.xplane.pb        calls of Keras's step function that wait for their input
    keras_gpu.xplane.pb    calls that return before their kernels run
    functions.xplane.pb    a loop that calls two functions
    outside.xplane.pb      runs that hold little of the work
    replicas.xplane.pb     calls of a function that runs on two devices
    frames.xplane.pb       marked steps of JAX with Python's frames: an input function takes most of each; one thread only waits
"""
import os
import sys

from xspace import ENVIRONMENT, US, Plane, Ref, space


def call(p, name, start, us, run):
    """TensorFlow's spans for the call of a function: the call, and within it the function's run, which is a
    root."""
    return [p.event('EagerLocalExecute: __inference_' + name, start * US, us * US),
            p.event('EagerKernelExecute', int((start + .25) * US), int((us - .5) * US)),
            p.event('FunctionRun', int((start + .5) * US), int(run * US), _r=1)]


def keras():
    """Three batches, each a call that first waits for its input; the first call traces a function. Then a checkpoint is saved."""
    p = Plane('/host:CPU')
    main, feed, worker = [p.event('make_train_function', 0, US)], [], []
    for batch in range(3):
        at = 10 + 40 * batch
        main.append(p.event('multi_step_on_iterator', at * US, 36 * US))
        if batch == 0:
            main.append(p.event('one_step_on_iterator', (at + 1) * US, US // 2))
        main += call(p, 'multi_step_on_iterator_9', at + 2, 33, 1)
        feed.append(p.event('IteratorGetNextOp::DoCompute', (at + 3) * US, 25 * US))
        worker.append(p.event('dense/MatMul:MatMul', (at + 29) * US, 5 * US, 'MatMul'))
    main.append(p.event('save/SaveV2:SaveV2', 140 * US, 30 * US, 'SaveV2'))
    p.line(-5, 'python3', main, 0)
    p.line(7, 'tf_data_iterator_get_next/7', feed, 0)
    p.line(8, 'tf_data_private_threadpool/8', [p.event('EagerPyFunc:EagerPyFunc', 60 * US, 200 * US, 'EagerPyFunc')], 0)
    p.line(9, 'tf_Compute/9', worker, 0)
    return space([p, Plane('Task Environment', **ENVIRONMENT)])


def keras_gpu():
    """Calls return before their kernels begin; another thread launches the kernels."""
    p, device = Plane('/host:CPU'), Plane('/device:GPU:0')
    main, worker, kernels = [], [], []
    for batch in range(3):
        at = 30 * batch
        main.append(p.event('train_function', at * US, 4 * US))
        main += call(p, 'train_function_3', at + 1, 2, .5)
        worker.append(p.event('cuLaunchKernel', (at + 3) * US, US, correlation_id=batch + 1))
        kernels.append(device.event('gemm', (at + 10) * US, 18 * US, correlation_id=batch + 1, tf_op=Ref('dense/MatMul:MatMul')))
    worker.append(p.event('cuLaunchKernel', 95 * US, US, correlation_id=9))
    kernels.append(device.event('check', 97 * US, US, correlation_id=9, tf_op=Ref('check/Sum:Sum')))
    p.line(-5, 'python3', main, 0)
    p.line(9, 'tf_Compute/9', worker, 0)
    device.line(13, 'Stream #13(Kernel)', kernels, 0)
    return space([p, device, Plane('Task Environment', **ENVIRONMENT)])


def functions():
    """A loop that calls one function with much work and one with little; the first is traced again for the last round. Other
    functions prepare input, and take longer."""
    p = Plane('/host:CPU')
    main, feed, worker = [], [], []
    for turn in range(3):
        at = 50 * turn
        main += call(p, 'train_%d' % (12 if turn < 2 else 14), at + 1, 30, 1) + call(p, 'log_13', at + 40, 3, .5)
        worker += [p.event('dense/MatMul:MatMul', (at + 4) * US, 25 * US, 'MatMul'),
                   p.event('log/Sum:Sum', (at + 42) * US, US // 4, 'Sum')]
        feed.append(p.event('FunctionRun', at * US, 45 * US, _r=1))
    worker.append(p.event('end/Sum:Sum', 160 * US, US, 'Sum'))
    p.line(-5, 'python3', main, 0)
    p.line(7, 'tf_data_private_threadpool/7', feed, 0)
    p.line(9, 'tf_Compute/9', worker, 0)
    return space([p, Plane('Task Environment', **ENVIRONMENT)])


def outside():
    """Most of the work comes before the first root, and the runs wait for input half of their
    time."""
    p = Plane('/host:CPU')
    main = [p.event('load/Read:Read', 0, 100 * US, 'Read')]
    for run in range(2):
        at = 110 + 30 * run
        main += [p.event('SessionRun', at * US, 20 * US, _r=1), p.event('IteratorGetNextOp::DoCompute', at * US, 10 * US),
                 p.event('dense/MatMul:MatMul', (at + 10) * US, 9 * US, 'MatMul')]
    p.line(-5, 'python3', main, 0)
    return space([p, Plane('Task Environment', **ENVIRONMENT)])


def replicas():
    """A function that a strategy runs on two devices: each call has a root for each of them."""
    p = Plane('/host:CPU')
    main, workers = [], [[], []]
    for turn in range(3):
        at = 40 * turn
        main += call(p, 'step_5', at, 6, 1) + [p.event('FunctionRun', (at + 3) * US, 2 * US, _r=1)]
        for device in range(2):
            workers[device].append(p.event('dense/MatMul:MatMul', (at + 4 + device) * US, (20 + device) * US, 'MatMul'))
    p.line(-5, 'python3', main, 0)
    for device in range(2):
        p.line(8 + device, 'tf_Compute/%d' % (8 + device), workers[device], 0)
    return space([p, Plane('Task Environment', **ENVIRONMENT)])


def frames():
    """Three steps of 63 ms on a GPU: 8 ms of input, a launch by another thread, 52 ms of the kernel."""
    p, device = Plane('/host:CPU'), Plane('/device:GPU:0')
    ms, main, pool, kernels = 1000 * US, [], [], []
    main.append(p.event('$train.py:20 main', 0, 200 * ms))
    for step in range(3):
        at = 5 + 63 * step
        main += [p.event('train', at * ms, 62 * ms, step_num=step), p.event('$train.py:8 load_batch', at * ms, 8 * ms),
                 p.event('$_methods.py:47 _sum', (at + 1) * ms, 2 * ms), p.event('PjitFunction(step)', (at + 8) * ms, ms),
                 p.event('$api.py:3154 block_until_ready', (at + 10) * ms, 51 * ms), p.event('$time sleep', (at + 61) * ms, ms // 2)]
        pool.append(p.event('Execute', at * ms + ms // 2, 9 * ms))
        pool.append(p.event('cuLaunchKernel', (at + 9) * ms, US, correlation_id=step + 1))
        kernels.append(device.event('gemm', (at + 9) * ms + 20 * US, 52 * ms, correlation_id=step + 1, tf_op=Ref('jit(step)/dot_general:')))
    waits = [p.event('$threading.py:1002 _bootstrap', 0, 200 * ms), p.event('$feed.py:4 worker', 0, 200 * ms),
             p.event('$queue.py:171 get', ms, 198 * ms), p.event('$threading.py:320 wait', ms, 198 * ms)]
    p.line(-5, 'python', main, 0)
    p.line(7, 'pjrt/7', pool, 0)
    p.line(8, 'python', waits, 0)
    device.line(13, 'Stream #13(Kernel)', kernels, 0)
    return space([p, device, Plane('Task Environment', **ENVIRONMENT)])


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    for make in (keras, keras_gpu, functions, outside, replicas, frames):
        with open(os.path.join(sys.argv[1], make.__name__ + '.xplane.pb'), 'wb') as f:
            f.write(make())


if __name__ == '__main__':
    main()
