#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small XSpace files of XLA on a CPU, as JAX writes them, made up, not measured: tests/data/traces/xspace_xla.py OUT

    later.xplane.pb        marked steps that only start a program, which runs after them
    threads.xplane.pb      runs of a program without marks; every second one goes on in another thread, while the first waits
"""
import os
import sys

from xspace import ENVIRONMENT, US, Plane, space

MODULE = dict(hlo_module='jit_step', program_id=7)


def op(p, name, start, us, run):
    return p.event(name, start * US, us * US, hlo_op=name, run_id=100 + run, **MODULE)


def later():
    p = Plane('/host:CPU')
    marks = [p.event('train', (10 + 12 * i) * US, 10 * US, _r=1, step_num=i) for i in range(4)]
    ops = []
    for i in range(4):
        ops += [op(p, 'dot.1', 60 + 200 * i, 100, i), op(p, 'sort.2', 161 + 200 * i, 90, i)]
    p.line(-5, 'python', marks, 0)
    p.line(9, 'tf_XLAEigen/9', ops, 0)
    return space([p, Plane('Task Environment', **ENVIRONMENT)])


def threads():
    """Each run takes 191 and the next begins 9 later; the sort takes 90."""
    p = Plane('/host:CPU')
    main, other = [], []
    for i in range(4):
        at = 10 + 200 * i
        main.append(op(p, 'dot.1', at, 100, i))
        (other if i % 2 else main).append(op(p, 'sort.2', at + 101, 90, i))
        if i % 2:
            main.append(p.event('ThunkExecutor::Execute (wait for completion)', int((at + 100.5) * US), 92 * US))
    p.line(8, 'tf_XLAPjRtCpuClient/8', main, 0)
    p.line(9, 'tf_XLAEigen/9', other, 0)
    return space([p, Plane('Task Environment', **ENVIRONMENT)])


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    for make in (later, threads):
        with open(os.path.join(sys.argv[1], make.__name__ + '.xplane.pb'), 'wb') as f:
            f.write(make())


if __name__ == '__main__':
    main()
