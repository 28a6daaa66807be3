#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/data/sample/rpd: the same recording in the two schemas of rocmProfileData, and as rpd2tracing.py writes it.
Two steps of 1 ms; in each a linear layer (two kernels, one of them unnamed but for its type), a fill, a copy of 4,096 bytes."""
import os

import database

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sample", "rpd")
ID = "id integer NOT NULL PRIMARY KEY AUTOINCREMENT"
COPY = "api_ptr_id bigint NOT NULL PRIMARY KEY, stream varchar(18) NOT NULL, size integer NOT NULL, width integer NOT NULL, height integer NOT NULL, " \
       "kind integer NOT NULL, dst varchar(18) NOT NULL, src varchar(18) NOT NULL, dstDevice integer NOT NULL, srcDevice integer NOT NULL, " \
       "sync bool NOT NULL, pinned bool NOT NULL"
OP = "gpuId integer NOT NULL, queueId integer NOT NULL, sequenceId integer NOT NULL, %sstart integer NOT NULL, \"end\" integer NOT NULL, " \
     "description_id integer NOT NULL, opType_id integer NOT NULL"
API = "pid integer NOT NULL, tid integer NOT NULL, start integer NOT NULL, \"end\" integer NOT NULL, apiName_id integer NOT NULL, %sargs_id integer NOT NULL"
START = 8306017670480000


def recording():
    """Calls: (start, end, name, arguments, size of a copy, operations); times in us. Operations: (start, end, name, type, queue)."""
    for step in range(2):
        at = 1000 * step
        yield at, at + 1000, "UserMarker", "step %d" % step, None, []
        yield at + 10, at + 60, "UserMarker", "aten::linear, seq = %d" % (step + 5), None, []
        yield at + 20, at + 30, "hipLaunchKernel", "stream=0x0 | kernel=gemm", None, [(at + 40, at + 240, "gemm(float*)", "KernelExecution", 0)]
        yield at + 35, at + 45, "hipGraphLaunch", "graphExec = 0x1", None, [(at + 250, at + 300, "relu(float*)", "KernelExecution", 0),
                                                                         (at + 310, at + 320, "", "Task", 0)]
        yield at + 62, at + 64, "hipMemsetAsync", "", None, [(at + 330, at + 340, "", "FillBuffer", 0)]
        yield at + 65, at + 70, "hipMemcpy2DAsync", "", ("", 64, 64), [(at + 350, at + 450, "", "CopyDeviceToHost", 1)]
        yield at + 70, at + 70, "UserMarker", "mark", None, []
        yield at + 900, at + 990, "OpTable::writeRows", "", None, []


def tables(schema):
    strings, rows = {"": 1}, {"api": [], "op": [], "api_ops": [], "copyapi": []}

    def text(s):
        return strings.setdefault(s, len(strings) + 1)

    for start, end, name, arguments, size, operations in recording():
        call = (len(rows["api"]) + 1) * 4294967296  # the tracer's own numbers are as large
        more = (1, 1) if schema > 2 else ()
        rows["api"].append((call, 77, 78 if "::" in name else 77, START + start * 1000, START + end * 1000, text(name)) + more + (text(arguments),))
        if size:
            rows["copyapi"].append((call, "0x0") + size + (2, "0x1", "0x2", 0, 0, 0, 0))
        for first, last, what, kind, queue in operations:
            op = len(rows["op"]) + 1
            signal = () if schema > 2 else ("",)
            rows["op"].append((op, 2, queue, op) + signal + (START + first * 1000, START + last * 1000, text(what), text(kind)))
            rows["api_ops"].append((len(rows["api_ops"]) + 1, call, op))
    texts = [(i, s) for s, i in strings.items()]
    made = [("rocpd_metadata", ID + ", tag varchar(4096) NOT NULL, value varchar(4096) NOT NULL", [(1, "schema_version", str(schema))]),
            ("rocpd_string", ID + ", string varchar(4096) NOT NULL", texts),
            ("rocpd_api", ID + ", " + API % ("category_id bigint NOT NULL, domain_id bigint NOT NULL, " if schema > 2 else ""), rows["api"]),
            ("rocpd_copyapi", COPY, rows["copyapi"]),
            ("rocpd_op", ID + ", " + OP % ("" if schema > 2 else "completionSignal varchar(18) NOT NULL, "), rows["op"]),
            ("rocpd_api_ops", ID + ", api_id bigint NOT NULL, op_id bigint NOT NULL", rows["api_ops"])]
    if schema > 2:
        made.append(("rocpd_ustring", ID + ", string varchar(4096) NOT NULL", texts))
    return made


def tracing():
    """The lines of rpd2tracing.py: times are texts, each line but the first begins with a comma, and a frame is drawn around the
    operations of a range."""
    yield '{"traceEvents": [ {}'
    yield ',{"name": "process_name", "ph": "M", "pid":"2","args":{"name":"GPU2"}}'
    for tid in (77, 78):
        yield ',{"name":"thread_name","ph":"M","pid":"77","tid":"%d","args":{"name":"Hip %d"}}' % (tid, tid)
    span = ',{"pid":"%d","tid":"%d","name":"%s","ts":"%s","dur":"%s","ph":"X","args":{"desc":"%s"}}'
    link = ',{"pid":"%d","tid":"%d","cat":"api_op","name":"api_op","ts":"%s","id":"%d","ph":"%s"}'
    base, number = START / 1000, 0
    for start, end, name, arguments, _, operations in recording():
        tid = 78 if "::" in name else 77
        if start == end:
            yield ',{"pid":"77","tid":"%d","name":"%s","ts":"%s","ph":"i","s":"p","args":{"desc":""}}' % (tid, arguments, base + start)
            continue
        yield span % (77, tid, arguments if name == "UserMarker" else name, base + start, float(end - start), arguments)
        for first, last, what, kind, queue in operations:
            number += 1
            yield span % (2, queue, what or kind, base + first, float(last - first), kind)
            yield link % (77, tid, min(base + end - 2, base + first), number, "s")
            yield link % (2, queue, base + first, number, "f")
    yield span % (2, 0, "aten::linear", base + 39, 282.0, "UserMarker frame: 3 ops")
    yield "]\n}"


def main():
    database.write(os.path.join(FOLDER, "schema3.rpd"), tables(3))
    database.write(os.path.join(FOLDER, "schema2.rpd"), tables(2))
    with open(os.path.join(FOLDER, "tracing.json"), "w", encoding="utf-8") as f:
        f.write("\n".join(tracing()) + "\n")


if __name__ == "__main__":
    main()
