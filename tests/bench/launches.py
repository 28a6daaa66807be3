#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an XPlane trace of GPUs whose kernels have launches, as JAX and TensorFlow record them: launches.py FILE [KEY=VALUE ...]

  megabytes=200    about as many; the number of kernels in a step follows from it
  steps=6000       events with step_num
  names=200        kernels with an instruction, a path and details of their own
  devices=1        each with a thread that launches
  streams=2        of a device
  far=8            how many launches come between a kernel's launch and the kernel
  order=plain      ids count up; `shuffled` within blocks of 4,096; `double`: half of the ids are another call's, too
  disorder=0       how many of 1,000 kernels of a stream come late in the file
  orphans=0        how many of 1,000 kernels have no call
"""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "traces"))
import xspace  # noqa: E402

US = xspace.US
SHAPE = dict(megabytes=200, steps=6000, names=200, devices=1, streams=2, far=8, order="plain", disorder=0, orphans=0)


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def event(meta, start, duration, stats):
    body = b"\x08" + varint(meta) + b"\x10" + varint(start) + b"\x18" + varint(duration) + stats
    return b"\x22" + varint(len(body)) + body


def stat(plane, name, value):
    body = plane.stat(name, value)
    return b"\x22" + varint(len(body)) + body


class Device:
    """A device and the host thread that launches its kernels."""

    def __init__(self, shape, number):
        self.shape, self.random = shape, random.Random(number)
        self.plane = xspace.Plane(f"/device:GPU:{number}", memory_bandwidth=10**12)
        self.kernels = []
        for i in range(shape["names"]):
            meta = self.plane.meta(f"kernel_fusion_{i}")
            stats = [stat(self.plane, key, value) for key, value in (
                ("theoretical_occupancy_pct", 50.0 + i % 8), ("occupancy_min_grid_size", 264), ("occupancy_suggested_block_size", 1024),
                ("kernel_details", xspace.Ref(f"regs:{i % 64} static_shared:0 dynamic_shared:0 grid:{i + 1},1,1 block:128,1,1 occ_pct:{i % 100}")),
                ("tf_op", xspace.Ref(f"jit(step)/layer{i // 8}/op_{i % 8}:")), ("hlo_op", xspace.Ref(f"fusion.{i}")),
                ("hlo_module", xspace.Ref("jit_step")), ("program_id", 7))]
            self.kernels.append((meta, b"".join(stats)))
        self.correlation = b"\x08" + varint(self.plane.stat_id("correlation_id")) + b"\x18"
        self.streams = [[] for _ in range(shape["streams"])]
        self.calls, self.at, self.pending, self.count = [], [0] * shape["streams"], [], 0

    def ids(self, first, count):
        """The ids of the next calls."""
        ids = list(range(first, first + count))
        if self.shape["order"] == "shuffled":
            for at in range(0, count, 4096):
                block = ids[at:at + 4096]
                self.random.shuffle(block)
                ids[at:at + 4096] = block
        if self.shape["order"] == "double":
            ids = [n - n % 2 for n in ids]
        return ids

    def launch(self, number, start):
        """Queues a kernel, which is written after `far` others have been launched."""
        self.pending.append((number, start))
        while len(self.pending) > self.shape["far"]:
            self.write(*self.pending.pop(0), start)

    def write(self, number, launched, now):
        self.count += 1
        kernel = self.count % len(self.kernels)
        meta, stats = self.kernels[kernel]
        stream = kernel * len(self.streams) // len(self.kernels)
        start = max(self.at[stream], now + 2 * US)
        duration = 3 * US + self.count % 997 * 1000
        self.at[stream] = start + duration
        if self.shape["orphans"] and self.random.randrange(1000) < self.shape["orphans"]:
            number += 1 << 40
        own = self.correlation + varint(number)
        self.streams[stream].append(event(meta, start, duration, b"\x22" + varint(len(own)) + own + stats))

    def finish(self, now):
        for number, start in self.pending:
            self.write(number, start, now)
        for line in self.streams:
            late = self.shape["disorder"]
            for i in range(len(line) - 50 if late else 0):
                if self.random.randrange(1000) < late:
                    line[i], line[i + 40] = line[i + 40], line[i]


def thread(host, device, shape, first, count):
    """The steps of a thread, with `count` launches in each."""
    step_meta, pjit, launch = host.meta("train"), host.meta("PjitFunction(step)"), host.meta("cuLaunchKernel")
    correlation = b"\x08" + varint(host.stat_id("correlation_id")) + b"\x18"
    where = stat(host, "device_id", 0)
    ids = device.ids(first, count * shape["steps"])
    line, at = [], 0
    for step in range(shape["steps"]):
        begin, calls = at, []
        for i in range(count):
            number = ids[step * count + i]
            own = correlation + varint(number)
            at += 4 * US + (i % 7) * 1000
            calls.append(event(launch, at, 3 * US + i % 991 * 100, b"\x22" + varint(len(own)) + own + where))
            device.launch(number, at)
        line.append(event(step_meta, begin, at - begin + 6 * US, stat(host, "step_num", step)))
        line.append(event(pjit, begin + US, at - begin + 4 * US, b""))
        line += calls
        at += 20 * US
    device.finish(at)
    return line


def line_of(number, name, events):
    return b"".join([xspace.message((1, number), (2, name), (3, 1000)), *events])


def write_trace(path, **changes):
    shape = {**SHAPE, **changes}
    host = xspace.Plane("/host:CPU")
    devices = [Device(shape, i) for i in range(shape["devices"])]
    a_kernel = 127  # bytes of a kernel with its call
    count = max(1, int(shape["megabytes"] * 1e6 / a_kernel / shape["steps"] / shape["devices"]))
    for i, device in enumerate(devices):
        events = thread(host, device, shape, 1 + i * count * shape["steps"], count)
        host.lines.append(line_of(100 + i, f"python/{100 + i}", events))
        for k, line in enumerate(device.streams):
            device.plane.lines.append(line_of(7 + k, f"Stream #{7 + k}(Kernel)", line))
    planes = [host, *(d.plane for d in devices), xspace.metadata(7, "jit_step", xspace.step_module()),
              xspace.Plane("Task Environment", **xspace.ENVIRONMENT)]
    with open(path, "wb") as f:
        f.write(xspace.space(planes))


def main():
    changes = dict(word.split("=") for word in sys.argv[2:])
    write_trace(sys.argv[1], **{key: type(SHAPE[key])(value) for key, value in changes.items()})


if __name__ == "__main__":
    main()
