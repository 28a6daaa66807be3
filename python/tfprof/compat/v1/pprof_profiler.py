# SPDX-License-Identifier: Apache-2.0
"""One run of a graph as profiles for pprof, one for each device: tensorflow.python.profiler.pprof_profiler, which is
not in TensorFlow's releases.

    files = pprof_profiler.profile(sess.graph, run_metadata, "out")      # then: pprof -http=: out/...pb.gz

A sample is an op: how often it ran, how long including surrounding work and how long itself, in nanoseconds, labelled
with its name and type. Its stack is the Python code that made it, the innermost frame first.
"""

import gzip
import os
import re
import sys
import time
from typing import Any, Dict, Iterator, List, Optional, Tuple

from tfprof import gfile
from tfprof.compat.v1._graph import _field, _varint

__all__ = ["Profile", "get_profiles", "profile"]

_VALUES = (("count", "count"), ("all_time", "nanoseconds"), ("op_time", "nanoseconds"))
_NO_OPS = ("_SOURCE", "_SINK")

Frame = Tuple[str, int, str]  # file, line, function


def _int(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value) if value else b""


def _message(number: int, data: bytes) -> bytes:
    return _field(_varint(number << 3 | 2), data)


def _packed(number: int, values: List[int]) -> bytes:
    return _message(number, b"".join(map(_varint, values))) if values else b""


class Profile:
    """A profile of pprof's profile.proto: `samples` by op, and SerializeToString().

    samples: {op: [runs, all_time, op_time]}, times in nanoseconds.
    comment: the number of the device and of all devices.
    """

    def __init__(self, comment: str) -> None:
        self.comment = comment
        self.samples: Dict[str, List[int]] = {}
        self._types: Dict[str, str] = {}
        self._stacks: Dict[str, List[Frame]] = {}

    def _add(self, name: str, kind: str, stack: List[Frame], stats: Any) -> None:
        values = self.samples.setdefault(name, [0, 0, 0])
        values[0] += 1
        values[1] += stats.all_end_rel_micros * 1000
        values[2] += max(stats.op_end_rel_micros - stats.op_start_rel_micros, 0) * 1000
        self._types[name] = kind
        self._stacks[name] = stack

    def SerializeToString(self) -> bytes:
        """The serialized message; a file of pprof is this, compressed by gzip."""
        tables = _Tables()
        out = [_message(1, _int(1, tables.text(t)) + _int(2, tables.text(u))) for t, u in _VALUES]
        for name, values in self.samples.items():
            labels = (("node_name", name), ("op_type", self._types[name]))
            places = [tables.location(frame) for frame in self._stacks[name]]
            sample = _packed(1, places) + _packed(2, values)
            for key, text in labels:
                sample += _message(3, _int(1, tables.text(key)) + _int(2, tables.text(text)))
            out.append(_message(2, sample))
        comment = tables.text(self.comment)
        out += tables.messages()
        return b"".join(out) + _packed(13, [comment])

    def __str__(self) -> str:
        lines = [self.comment, "      runs     all_time      op_time  op"]
        for name, (count, whole, own) in sorted(self.samples.items(), key=lambda one: -one[1][2]):
            lines.append("%10d %10dns %10dns  %s (%s)" % (count, whole, own, name, self._types[name]))
        return "\n".join(lines)


class _Tables:
    """What samples refer to by number: strings from 0, locations and functions from 1."""

    def __init__(self) -> None:
        self._texts = {"": 0}
        self._locations: Dict[Frame, int] = {}
        self._functions: Dict[Tuple[str, str], int] = {}

    def text(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def location(self, frame: Frame) -> int:
        file, _, function = frame
        self._functions.setdefault((file, function), len(self._functions) + 1)
        return self._locations.setdefault(frame, len(self._locations) + 1)

    def messages(self) -> Iterator[bytes]:
        for (file, line, function), number in self._locations.items():
            place = _int(1, self._functions[file, function]) + _int(2, line)
            yield _message(4, _int(1, number) + _message(4, place))
        for (file, function), number in self._functions.items():
            name = self.text(function)
            yield _message(5, _int(1, number) + _int(2, name) + _int(3, name) + _int(4, self.text(file)))
        for text in self._texts:
            yield _message(6, text.encode("utf-8", "replace"))


def _code_of(graph: Any) -> Dict[str, Tuple[str, List[Frame]]]:
    """The type of each op and the code that made it, innermost frame first."""
    found = {}
    for op in graph.get_operations():
        frames = [(f[0], f[1] or 0, f[2]) for f in map(tuple, op.traceback or ())]
        found[op.name] = (op.type, frames[::-1])
    return found


def get_profiles(graph: Any, run_metadata: Any) -> Dict[str, Profile]:
    """The profiles of one traced run, by the name of the device.

    graph: tf.Graph. run_metadata: RunMetadata of a run with full tracing. A device without ops has none; a message says
        so.
    """
    code = _code_of(graph)
    devices = run_metadata.step_stats.dev_stats
    profiles = {}
    for number, device in enumerate(devices, 1):
        made = Profile("Device %d of %d: %s" % (number, len(devices), device.device))
        for stats in device.node_stats:
            kind, stack = code.get(stats.node_name, code.get(stats.node_name.split(":")[0], ("", [])))
            if stack and stats.node_name not in _NO_OPS:
                made._add(stats.node_name, kind, stack, stats)
        if made.samples:
            profiles[device.device] = made
        else:
            sys.stdout.write(
                "Not enough data to create profile for device %s. Did you pass RunMetadata to"
                " session.run call?\n" % device.device
            )
    return profiles


def profile(graph: Any, run_metadata: Any, output_dir: Optional[Any] = None) -> List[str]:
    """Writes a profile for each device into a folder, which is made when needed; without one prints them.

    Result: the files, DEVICE_TIME.pb.gz; none without a folder. A local file appears whole or not at all.
    """
    files = []
    when = time.strftime("%Y%m%d%H%M%S")
    for device, made in get_profiles(graph, run_metadata).items():
        if not output_dir:
            sys.stdout.write("No output directory specified, printing to stdout instead.\n%s\n" % made)
            continue
        folder = os.fsdecode(output_dir)
        gfile.makedirs(folder)
        name = re.sub("[/:]", "_", device.strip("/"))
        files.append(os.path.join(folder, "%s_%s.pb.gz" % (name, when)))
        sys.stdout.write("Writing profile to %s...\n" % files[-1])
        gfile.write_whole(files[-1], gzip.compress(made.SerializeToString()))
    return files
