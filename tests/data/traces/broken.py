#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes traces with broken events into sample/broken (Python alone): 20 operators of 10 us, aten::op0 to aten::op19.
quote.json: an unescaped quote in a name, in args and in a list. commas.json: trailing, leading, doubled and missing
commas. array.json: an array without an object around it, that begins with a comma. last.json: the last event is broken.
member.json: a member before the events is broken, and one after them. garbage.json: more broken events than others.
ends_first.json: spans that begin and end by events of their own (B and E, b and e), the ends first."""
import json
import os

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sample", "broken")


def event(number):
    return json.dumps({"ph": "X", "cat": "cpu_op", "name": "aten::op%d" % number, "pid": 1, "tid": 1,
                       "ts": 100 + 20 * number, "dur": 10,
                       "args": {"Input Dims": [[2, 3], []], "CallFrom": "a.py(3): f", "stack": ["x", "y"]}})


def write(name, events, before='{"schemaVersion": 1, "deviceProperties": [], "traceEvents": [', after="]}", comma=",\n"):
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as f:
        f.write(before + "\n" + comma.join(events) + "\n" + after + "\n")


def main():
    plain = [event(i) for i in range(20)]
    quote = plain[:]
    quote[3] = quote[3].replace("aten::op3", '{"device": "cpu"}(12): run')
    quote[7] = quote[7].replace("a.py(3): f", '<lambda "a">(3): f')
    quote[11] = quote[11].replace('"y"', '"y" "]')
    write("quote.json", quote)
    commas = plain[:]
    commas[2] = commas[2].replace('"y"]', '"y",]')
    commas[4] = commas[4].replace('{"ph"', '{,"ph"').replace(', "pid"', ',, "pid"')
    commas[6] += ","
    commas[8] += "\n" + commas.pop(9)
    commas[-1] = commas[-1][:-1] + ",},"
    write("commas.json", commas, after='],\n"displayTimeUnit": "ms",}')
    write("array.json", plain, before="[,", after="],")
    write("last.json", plain[:-1] + [plain[-1].replace("op19", 'o"p19')], after='], "traceName": "t.json"}')
    write("member.json", plain, before='{"Trace "id"": 3, "traceEvents": [', after='], "a "name"": 4}')
    write("garbage.json", [e.replace("aten", 'a"ten') if i % 3 else e for i, e in enumerate(plain)])
    on = {"pid": 1, "tid": 1}
    spans = [("outer", 0, 100), ("first", 10, 40), ("inside", 20, 30), ("second", 40, 90), ("later", 120, 130)]
    begins = [{"ph": "B", "name": name, "ts": start, **on} for name, start, _ in spans]
    ends = [{"ph": "E", "ts": end, **on} for _, _, end in spans]
    waits = [{"ph": ph, "cat": "net", "id": 7, "name": "wait", "ts": ts, **on} for ph, ts in (("e", 70), ("b", 50), ("e", 20), ("b", 15))]
    write("ends_first.json", [json.dumps(e) for e in ends + waits + begins[::-1]])


main()
