#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings of JAX on a GPU with damage, in sample/xplane/doubts: tests/data/traces/xspace_doubts.py OUT

Four steps of 2 ms with ten kernels of 150 us each.
    whole.xplane.pb    undamaged
    lost.xplane.pb     the kernels of the third step's last six launches are missing
    overlap.xplane.pb  a kernel ends after the next one of its stream ended
    twice.xplane.pb    a kernel stands twice
    clocks.xplane.pb   the device's clock is an hour behind the host's
    before.xplane.pb   the first copy waits 8 ms for work from before the recording
    crossing.xplane.pb the launches of lost.xplane.pb, on a thread with two frames that overlap
    compile.xplane.pb  half of the first step compiles a kernel
"""
import os
import sys

from xspace import Plane, US, space

STEPS, KERNELS = 4, 10


def trace(lost=False, overlap=False, twice=False, clocks=0, before=0, crossing=False, compiles=False):
    host, device = Plane('/host:CPU'), Plane('/device:GPU:0')
    calls, kernels, number = [], [], 0
    for step in range(STEPS):
        at = step * 2000 * US + (before * US if step else 0)
        length = 1900 + (before if not step else 0)
        calls.append(host.event('train', at, length * US, step_num=step, _r=1))
        if compiles and not step:
            calls.append(host.event('backend_compile', at + 60 * US, 1700 * US))
        if crossing:
            calls += [host.event('before', at + US, 6 * US), host.event('across', at + 2 * US, 50 * US)]
        if before and not step:
            number += 1
            calls.append(host.event('cuMemcpyHtoDAsync_v2', at + US, before * US, correlation_id=number))
            kernels.append(device.event('MemcpyH2D', at + before * US, US, correlation_id=number,
                                        memcpy_details='kind_src:pinned kind_dst:device size:4096 dest:0 async:1'))
        shift = before if not step else 0
        for i in range(KERNELS):
            number += 1
            calls.append(host.event('cuLaunchKernel', at + (shift + 10 + 4 * i) * US, 2 * US, correlation_id=number))
            if lost and step == 2 and i >= 4:
                continue
            long = overlap and step == 1 and i == 3
            kernel = device.event('fusion_%d' % i, at + (shift + 20 + 160 * i) * US, (400 if long else 150) * US,
                                  correlation_id=number)
            kernels += [kernel] * (2 if twice and step == 1 and i == 3 else 1)
        calls.append(host.event('cuStreamSynchronize', at + (shift + 60) * US, 1600 * US))
    host.line(1, 'python3', calls, timestamp_ns=3600 * 10**9 + 5000)
    device.line(13, 'Stream #13(Kernel)', kernels, timestamp_ns=3600 * 10**9 + 5000 - clocks)
    return space([host, device])


def main():
    out = os.path.join(sys.argv[1], 'doubts')
    os.makedirs(out, exist_ok=True)
    for name, how in (('whole', {}), ('lost', dict(lost=True)), ('overlap', dict(overlap=True)), ('twice', dict(twice=True)),
                      ('clocks', dict(clocks=3600 * 10**9)), ('before', dict(before=8000)),
                      ('crossing', dict(lost=True, crossing=True)), ('compile', dict(compiles=True))):
        with open(os.path.join(out, name + '.xplane.pb'), 'wb') as f:
            f.write(trace(**how))


main()
