# SPDX-License-Identifier: Apache-2.0
"""Seeds of the fuzz target of pickles."""
import collections
import json
import pickle

import torch_pickles


class Odd:
    """An object whose pickles have the opcodes that build objects."""
    def __init__(self):
        self.state = {"a": 1}


def seeds():
    """Plain values of every kind in every protocol, shared values, objects, and unusual opcodes."""
    shared = [{"filename": "a.py", "line": 3, "name": "f"}] * 2
    plain = {"segments": [{"address": 1 << 47, "frames": shared, "state": "inactive", "ok": True}],
             "device_traces": [[{"action": "alloc", "addr": -(1 << 70), "size": 1.5, "frames": shared, 7: None}], []],
             "rest": (1, (2, 3), (4, 5, 6), b"xyz", "\u00e9", 300, 70000, -1)}
    for protocol in range(6):
        yield f"plain_{protocol}", pickle.dumps(plain, protocol)
        yield f"object_{protocol}", pickle.dumps([Odd(), collections.OrderedDict(a=Odd, b={1, 2}), frozenset((3,))], protocol)
    yield "old", b"(lp0\nI01\naL5L\naF1.5\naS'x'\naVy\na(dp1\nS'k'\nNsa(I1\nI2\nta(cm\nn\n(dp2\noa(im\nn\nPq\nQ01g1\n."
    yield "odd", b"\x80\x05]\x94(\x82\x01\x83\x01\x00\x84\x01\x00\x00\x00\x97\x982" + b"h\x00e\x8b\x09\x00\x00\x00" + b"\xff" * 9 + b"\x86."


def snapshots():
    """Memory snapshots: the sample's in each supported protocol, without times and addresses, and with objects in
    unexpected places."""
    whole = torch_pickles.snapshot()
    for protocol in (2, 4):
        yield f"snapshot_{protocol}", pickle.dumps(whole, protocol)
    old = torch_pickles.snapshot()
    for segment in old["segments"]:
        for block in segment["blocks"]:
            del block["address"], block["requested_size"]
    for trace in old["device_traces"]:
        for entry in trace:
            del entry["time_us"]
    yield "snapshot_old", pickle.dumps(old, 3)
    yield "snapshot_odd", pickle.dumps({"segments": old["segments"] * 2, "device_traces": [[{"action": "alloc", "size": Odd()}]] * 3}, 2)


def flights():
    """Dumps of the flight recorder, of a rank that waits and of one that is missing, as pickle and as
    JSON."""
    for rank in (1, 2):
        yield f"flight_{rank}", pickle.dumps(torch_pickles.flight(rank), 2)
        yield f"flight_json_{rank}", json.dumps(torch_pickles.flight(rank)).encode()
