#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of every fuzz target out of tests/data/sample: tests/fuzz/seeds/seeds.py OUT PROGRAM

They are OUT/TARGET/NAME. PROGRAM makes the seeds of the files that it writes itself. Seeds are small, because a fuzzer
gets further with a hundred bytes than with a hundred kilobytes: big messages are reduced to their first few nodes.
regressions/TARGET/* (inputs that once broke something) are not touched.
"""
import gzip
import itertools
import json
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "..", "data")
sys.path[:0] = [DATA, os.path.join(DATA, "traces")]
sys.path.insert(0, HERE)
import seeds_compare  # noqa: E402
import seeds_converted  # noqa: E402
import seeds_elf
import seeds_graphs
import seeds_journal
import seeds_pickle  # noqa: E402
import seeds_recordings  # noqa: E402
import seeds_whatif  # noqa: E402
import wire  # noqa: E402

SAMPLE = os.path.join(DATA, "sample")
MOST = 6000  # largest size of a seed in bytes


def sample(name):
    path = os.path.join(SAMPLE, name)
    if os.path.exists(path):
        with open(path, "rb") as f:
            return f.read()
    with gzip.open(path + ".gz", "rb") as f:
        return f.read()


def thinned(data, most=MOST):
    """The message, with repeated fields removed from the middle until it is small."""
    fields = wire.read(data)
    size = [len(wire.write([f])) for f in fields]
    kept, total = [], 0
    for step in (97, 13, 3, 1):
        for i in range(0, len(fields), step):
            if i not in kept and size[i] < most // 3 and total + size[i] <= most:
                kept.append(i)
                total += size[i]
    return wire.write([fields[i] for i in sorted(kept)])


def thinned_run(data, most=MOST):
    """RunMetadata with shortened device lists and without graphs."""
    devices = []
    for stats in wire.every(wire.read(data), 1):
        for device in wire.every(wire.read(stats), 1):
            devices.append((1, wire.BYTES, thinned(device, most // 3)))
    return wire.write([(1, wire.BYTES, wire.write(devices[:4]))])


def varint_at(data, at):
    return wire.read_varint(data, at)


def blocks_of(table):
    """The blocks of an uncompressed table in file order; the last two are metaindex and index."""
    footer = table[-48:]
    at = 0
    handles = []
    for _ in range(2):
        offset, at = varint_at(footer, at)
        size, at = varint_at(footer, at)
        handles.append((offset, size))
    (meta_at, meta_size), (index_at, index_size) = handles
    index = table[index_at:index_at + index_size]
    restarts = struct.unpack_from("<I", index, len(index) - 4)[0]
    end, at, out = len(index) - 4 - 4 * restarts, 0, []
    while at < end:
        _, at = varint_at(index, at)
        unshared, at = varint_at(index, at)
        size, at = varint_at(index, at)
        at += unshared
        offset, inner = varint_at(index, at)
        length, inner = varint_at(index, inner)
        out.append(table[offset:offset + length])
        at += size
    return out + [table[meta_at:meta_at + meta_size], index]


def block_seed(v2, table):
    out = bytes([2 | v2])
    for block in blocks_of(table):
        out += struct.pack("<H", len(block)) + block
    return out


def entry(key, value, before=b""):
    shared = 0
    while shared < min(len(key), len(before)) and key[shared] == before[shared]:
        shared += 1
    return wire.varint(shared) + wire.varint(len(key) - shared) + wire.varint(len(value)) + key[shared:] + value


def block(entries):
    out, before = b"", b""
    for key, value in entries:
        out += entry(key, value, before)
        before = key
    return out + struct.pack("<II", 0, 1)


# The masked CRC-32C of N zero bytes: the data file of a fuzzed index has only zeros.
def masked_crc_of_zeros(count):
    crc = 0xffffffff
    for _ in range(count):
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    crc ^= 0xffffffff
    return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff


def bundle_entry(dtype, dims, size, offset=0):
    shape = b"".join(wire.bytes_field(2, wire.number_field(1, d) if d else b"") for d in dims)
    return (wire.number_field(1, dtype) + wire.bytes_field(2, shape) + wire.number_field(4, offset) +
            wire.number_field(5, size) + wire.varint(6 << 3 | 5) + struct.pack("<I", masked_crc_of_zeros(size)))


def made_bundle():
    """A V2 index with tensors of many dtypes, all zeros, as blocks."""
    header = wire.number_field(1, 1) + wire.bytes_field(3, wire.number_field(1, 1))
    entries = [(b"", header)]
    for name, dtype, dims, size in (("f64", 2, [2], 16), ("global_step", 9, [], 8), ("h", 19, [3], 6),
                                    ("i32", 3, [2, 2], 16), ("none", 1, [0], 0), ("odd", 10, [4], 4),
                                    ("scope/b", 1, [4], 16), ("w", 1, [2], 8)):
        entries.append((name.encode(), bundle_entry(dtype, dims, size)))
    data = block(entries)
    index = block([(b"x", wire.varint(0) + wire.varint(len(data)))])
    out = bytes([3])
    for one in (data, block([]), index):
        out += struct.pack("<H", len(one)) + one
    return out


def text_seeds():
    odd = sample("odd/graph.pbtxt")
    yield "odd", odd
    yield "odd_shapes", sample("odd/graph_shapes.pbtxt")[:MOST]
    yield "dense", sample("dense/graph_shapes.pbtxt")[:MOST].rpartition(b"\nnode {")[0]
    yield "forms", (b"node: < name: \"a\" 'b' op: \"\\x41\\101\\u00e9\\n\" >  # comment\n"
                    b"node [{ name: 'c' input: ['a', \"ab\"] }, { name: 'd' }];\n"
                    b"node { name: 'e' attr { key: 'v' value { f: -1.5e-3f i: 0x7f b: true } } }\n"
                    b"node { name: 'g' attr { key: 'l' value { list { i: [1, 2, 3] f: [inf, -nan] s: ['x'] } } } }\n"
                    b"versions { producer: 27 } library { function { signature { name: 'F' } } }\n")


OPTION_LINES = b"""max_depth 10
min_bytes -1
min_micros 9223372036854775807
account_type_regexes .*,Conv2D,[a-z]+(b|c)*
start_name_regexes ^$
trim_name_regexes a{1,5}
show_name_regexes (?i)X\\d+
hide_name_regexes \\pL
account_displayed_op_only true
order_by micros
select micros,bytes,params,occurrence,input_shapes
step -1
output none
output stdout
compat 1.0
viz
device_regexes .*cpu.*
format json
min-params 3
rewrite s/(.*)a/[\\1]&/g
rewrite s|x*|\\||g
view op
delta 0.25
min_size 1.5MB
fail_over 5%
node_names a,b
names l,r
"""


def options_proto(numbers, texts):
    return (b"".join(wire.number_field(n, v) for n, v in numbers) +
            b"".join(wire.bytes_field(n, t.encode() if isinstance(t, str) else t) for n, t in texts))


def options_proto_seeds():
    """OptionsProto as TensorFlow's option builder writes it, unusual ones, and
    AdvisorOptionsProto."""
    wide = [(8, ".*"), (9, ".*"), (11, ".*")]
    columns = ["params", "bytes", "micros", "float_ops", "occurrence", "device", "op_types", "input_shapes",
               "peak_bytes", "residual_bytes", "output_bytes", "accelerator_micros", "cpu_micros", "tensor_value"]
    yield "all", options_proto([(1, 100), (18, -1)], wide + [(7, "micros"), (15, "stdout")] +
                               [(14, c) for c in columns])
    yield "least", options_proto([(n, 1) for n in (1, 2, 3, 4, 5, 13, 17, 19, 20, 21, 22, 23)], wide + [(14, "micros")])
    yield "filters", options_proto([(1, 9)], [(8, "_trainable_variables"), (8, ".*cpu.*,x{1,2}"), (9, "a.*"),
                                              (10, ".*b"), (11, ""), (11, "a("), (12, "x\0y"), (7, "nope"),
                                              (14, "nope"), (14, "bytes")])
    yield "numbers", options_proto([(1, -1), (1, 1 << 32), (2, 1 << 63), (18, -(1 << 63)), (18, (1 << 63) - 1)],
                                   wide + [(16, "f\0"), (15, "timeline:outfile=f")])
    yield "order", options_proto([(1, 5), (18, -1), (13, 1)], wide + [(7, "occurrence"), (14, "occurrence")])
    checkers = ["AcceleratorUtilizationChecker", "OperationChecker", "JobChecker", "ExpensiveOperationChecker", "a,b"]
    yield "advise", b"".join(wire.bytes_field(1, wire.bytes_field(1, c.encode()) + wire.bytes_field(2, b""))
                             for c in checkers)


# operators with their shapes, types and values, as traces contain them
CALLS = [
    ("aten::addmm", "[[5],[2,3],[3,5],[],[]]", '["float","float","float","Scalar","Scalar"]', '["","","","1","1"]'),
    ("aten::convolution", "[[2,3,8,8],[4,3,3,3],[],[],[],[],[],[],[]]",
     '["float","float","","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar"]',
     '["","","","[2, 2]","[1, 1]","[1, 1]","False","[0, 0]","1"]'),
    ("aten::convolution_backward", "[[2,4,4,4],[2,3,8,8],[4,3,3,3],[],[],[],[],[],[],[],[]]",
     '["c10::Half","c10::Half","c10::Half","ScalarList","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar","ScalarList"]',
     '["","","","[4]","[2, 2]","[1, 1]","[1, 1]","False","[0, 0]","1","[True, True, True]"]'),
    ("aten::_foreach_add_", "[[[3,4],[5]],[[3,4],[5]],[]]", '["TensorList","TensorList","Scalar"]', '["","","1"]'),
    ("aten::max_pool2d_with_indices", "[[2,3,8,8],[],[],[],[],[]]",
     '["float","ScalarList","ScalarList","ScalarList","ScalarList","Scalar"]', '["","[2, 2]","[2]","[0, 0]","[1, 1]","False"]'),
    ("aten::_scaled_dot_product_flash_attention", "[[2,4,8,16],[2,4,10,16],[2,4,10,32]]",
     '["c10::BFloat16","c10::BFloat16","c10::BFloat16"]', "[]"),
    ("aten::mkldnn_rnn_layer", "[[5,2,3],[16,3],[16,4]]", '["float","float","float"]', "[]"),
    ("aten::index_add_", "[[9],[],[4],[4],[]]", '["float","Scalar","long","float","Scalar"]', '["","0","","","1"]'),
    ("c10d::allreduce_", "[[[7]],[],[],[]]", '["TensorList","","",""]', "[]"),
]

QUERIES = (
    b"SELECT * FROM nodes",
    b"SELECT n.profile, name, op, sum(run_us) AS us, NULL FROM nodes n LEFT JOIN executions USING (node) "
    b"WHERE n.name NOT LIKE 'x%' GROUP BY 1, 2 ORDER BY us DESC LIMIT 5",
    b"SELECT a.name, b.node FROM nodes a JOIN nodes b USING (name) WHERE a.profile <> b.profile AND b.node = 3",
    b"WITH RECURSIVE up(node, far) AS (SELECT max(node), 0 FROM nodes UNION SELECT source, far + 1 FROM up JOIN edges "
    b"USING (node) WHERE source IS NOT NULL AND far < 5) SELECT far, name FROM up JOIN nodes USING (node)",
    b"WITH a AS (SELECT 1 AS \"x\"\"y\"), [b c](z) AS NOT MATERIALIZED (SELECT * FROM a) /* c */ SELECT * FROM [b c], `a` -- d",
    b"SELECT instr(name, 'a'), replace(name, 'a', 'bc'), trim(name, '/'), rank() OVER (PARTITION BY op ORDER BY node) FROM nodes",
    b"SELECT table_name, count(*), group_concat(name, ';') FROM columns GROUP BY 1 HAVING count(*) > 5",
    b"EXPLAIN QUERY PLAN SELECT * FROM types WHERE type IN (1, '2', 3.0, NULL, x'34') UNION ALL SELECT 1, 2.5, 'x', 9e999",
    b"ATTACH 'x' AS y", b"PRAGMA temp_store = 1", b"VALUES (1, 2); SELECT load_extension('x')",
)


def http2(kind, flags, payload, stream=1):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def mcp_seeds():
    """Messages of clients, one for each tool and each kind of value."""
    def call(name, **arguments):
        return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}).encode()
    yield "info", call("info", path="a/b.json")
    yield "view", call("view", path="a@3", view="op", options={"order_by": "micros", "max_depth": 3, "viz": True, "select": ["micros", "bytes"]}, max_rows=5)
    yield "query", call("query", paths=["a", "-b"], sql="SELECT 1")
    yield "diff", call("diff", left="a", right="../b", view="op")
    yield "values", b'{"jsonrpc":"2.0","id":-1.5e3,"params":{"a":[null,true,"\\u00e4\\ud83d\\ude00\\n"],"b":{}}}'


def http_seeds():
    """The first byte selects the reader of the rest."""
    yield "get", b"\0GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:9400\r\nAuthorization: Bearer secret\r\n\r\n"
    yield "post", b"\0POST /api/v1/live/record?job=1@2&ms=5 HTTP/1.1\r\nHost: localhost:7007\r\nContent-Length: 0\r\nX: \ty \r\n\r\n"
    yield "body", b"\0GET /%41?a=b HTTP/1.0\r\nHost: [::1]:1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
    yield "ok", b"\1HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
    yield "busy", b"\1HTTP/1.0 503\n"
    for i, url in enumerate((b"http://localhost", b"http://[::1]:4318/v1/metrics?x=1", b"http://a.b:1/", b"https://x", b"http://u@h")):
        yield f"url{i}", b"\2" + url
    yield "file", b"\3file 4711/4711.xplane.pb 9216"
    yield "report", b"\3report 0 120"
    yield "length", b"\4HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n{\"version\":\"0.26\"}"
    yield "rest", b"\4HTTP/1.0 404 x\r\n\r\nNot Found"
    yield "chunks", b"\4HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6;x=y\r\n{\"vers\r\nC\r\nion\":\"0.26\"}\r\n0\r\nA: b\r\n\r\n"


def live_seeds():
    """What servers, agents and /proc send about running jobs; the first byte selects the reader."""
    status = b"\x00\x0bgrpc-status\x010"
    body = b"\x38\x00\x42\x04\x0a\x02xy"
    head = http2(4, 0, b"", 0) + http2(1, 4, b"\x88\x00\x01x\x8c\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff")
    data = http2(0, 0, b"\0" + struct.pack(">I", len(body)) + body)
    yield "answer", b"\0" + head + data + http2(1, 5, status)
    yield "pieces", b"\0" + head + http2(6, 0, b"12345678", 0) + http2(0, 8, b"\x02" + data[9:] + b"\0\0") + http2(1, 1, status[:6]) + http2(9, 4, status[6:])
    yield "refused", b"\0" + head + http2(1, 5, status[:-1] + b"8\x00\x0cgrpc-message\x05no%2E")
    yield "goes_away", b"\0" + http2(7, 0, bytes(8), 0) + http2(3, 0, bytes(4))
    yield "agent", b"\1started 17\nfile .xplane.pb 3\ndone xspace 500123 7 jax\nerror busy another one runs\n"
    yield "entry", b'\2{"agent": 1, "pid": 12, "start_ticks": 34, "argv": ["a", {}], "steps_are": "session runs"}'
    yield "stat", b"\x0342 (a) b (c)) D 7 42 42 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 5 0 12345 67108864 100"
    yield "status", b"\3Name:\tx\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nTracerPid:\t9\nRssAnon:\t12 kB\n"
    yield "maps", b"\x037f00-7f01 r-xp 00000000 08:01 1    /a/site-packages/torch/lib/libtorch_cpu.so"
    yield "poll", b"\5" + struct.pack("<Q32siiqii", 24, b"req", 3, 2, 0, 7, 1)
    yield "hello", b"\5" + struct.pack("<Q32siiq", 16, b"ctxt", 0, 7, 0)
    yield "whole", b'\5{"a": ["}\\"", {}]}\n'
    yield "native", b"\6" + struct.pack("<IHHIIQ17QQ", 9, 2, 192, 7, 7, 2, *range(4096, 4113), 16) + bytes(16) + struct.pack("<Q", 8)
    yield "blocked", b"\x06230 0x1 0x1 0x7ffd121bf450 0x0 0x0 0x0 0x7ffd121bf438 0x7f77006ed503\n"
    head = struct.pack("<8sIIIiQQQ48s", b"tfpcuda\0", 1, 130001, 7, 2, 10 ** 6, 17 * 10 ** 17, 55, b"7@55")
    names = struct.pack("<4I8s", 1, 24, 1, 6, b"_Zgemm") + struct.pack("<4I24s", 1, 40, 2, 22, b"cudaLaunchKernel_v7000")
    kernel = struct.pack("<2I3Q14I", 2, 88, 1001500, 1003750, 9, 1, 2, 3, 4, 1, 5, 6, 7, 8, 9, 10, 11, 12, 13)
    copy = struct.pack("<2I3Q8I", 3, 64, 1004000, 1005000, 4096, 1, 2, 3, 5, 8, 3, 3, 0)
    call = struct.pack("<2I2Q4I", 5, 40, 1000100, 1000200, 7, 70, 4, 2)
    yield "cuda", b"\7" + head + names + kernel + copy + call + struct.pack("<2IQ", 7, 16, 3)
    yield "ras", b"\x09Job summary\n#0-0 (27a0) MISMATCH\n Communicator ranks have different AllReduce operation counts\n 2 ranks have launched up to operation 12\n Rank 2 has launched up to operation 11 -- GPU 2 managed by process 102 on node a\nDEAD\n Process 7 on node b\n"
    yield "ras_json", b'\x09{"communicators": [{"hash": "ab", "ranks": [{"rank": 0, "pid": 7, "collective_counts": {"AllReduce": 9}}], "missing_ranks": [{"rank": 1, "pid": 8}]}]}'
    yield "lines", b"\4\x83\x10\xd8\x21\xe9\x42\x01\xf8"
    yield from ((f"python3.{8 + minor}", b"\x08" + bytes([minor]) + python_memory()) for minor in (0, 3, 6))


def python_memory():
    """The memory of an interpreter as words, of which those that begin with 0xa5 are addresses of others: a code
    object, its names, a frame with values."""
    at = lambda i: 0xa5 << 56 | i
    words = [at(2), at(4)] + [0] * 398
    for place, item in ((10, [1, at(2)]),                                   # a code object, from word 10 on
                        (60, [1, at(4), 3, 0, 0x68 | 4, 0x636261, 0x636261]),  # a text
                        (80, [1, at(8), 2, at(60), at(60), at(60)]),        # a tuple of names
                        (100, [at(10), 0, 0, 0, at(10), 0, 0, at(24), 0, at(120), at(130), at(140)]),  # a frame with values
                        (120, [1, at(150), (1 << 3), 42]), (130, [1, at(180), 2, at(60), 0]), (140, [1, at(210), 2 ** 60])):
        words[place:place + len(item)] = item
    for k in range(12, 27):  # its texts, names and lines, at the offsets of all versions
        words[10 + k - 5] = at(60 if k % 2 else 80)
    for place, flag in ((150, 24), (180, 25), (210, 26)):  # types: int, list, tuple
        words[place + 3], words[place + 21] = at(65), 1 << flag
    return struct.pack(f"<{len(words)}Q", *words)


def seeds():
    for target, made in (("pickle", seeds_pickle.seeds), ("flight", seeds_pickle.flights), ("snapshot", seeds_pickle.snapshots), ("sqlite", seeds_recordings.sqlite), ("perfetto", seeds_recordings.perfetto), ("speedscope", seeds_recordings.speedscope),
                         ("folded", seeds_recordings.folded), ("safetensors", seeds_recordings.safetensors), ("gguf", seeds_recordings.gguf), ("torch", seeds_recordings.torch), ("onnx", seeds_recordings.onnx), ("inspector", seeds_recordings.inspector), ("live", live_seeds), ("elf", seeds_elf.seeds), ("journal", seeds_journal.seeds), ("flights", seeds_journal.flights), ("http", http_seeds), ("mcp", mcp_seeds), ("whatif", seeds_whatif.seeds), ("eager", seeds_graphs.eager)):
        yield from ((target, name, data) for name, data in made())
    for name, data in (("rows", bytes(range(256))), ("repeats", b"\x00" + bytes(range(12)) * 80), ("changed", b"\x07" + bytes(range(60)) * 6)):
        yield "parquet", name, data
    for name in ("odd/profile_5", "dense/profile_3", "gpu/profile_1", "towers/profile_9"):
        data = sample(name)
        yield "profile", name, data if len(data) < 15000 else thinned(data)
    for name in ("odd/graph.pb", "odd/graph_shapes.pb", "dense/graph.pb", "seq2seq/graph_shapes.pb"):
        data = sample(name)
        yield "graph", name, data if len(data) < MOST else thinned(data)
    yield "graph", "saved_model", sample("functions/saved_model/saved_model.pb")
    meta = wire.read(sample("dense_resource/model.meta"))
    yield "graph", "meta", wire.write([(2, wire.BYTES, thinned(wire.last(meta, 2)))] + [f for f in meta if f[0] == 1])
    for name, text in text_seeds():
        yield "graph_text", name, text
    runs = {}
    for name in ("odd/run_meta_0", "odd/run_meta_1", "dense/run_meta_3", "gpu/run_meta_nostream_0", "towers/run_meta_1"):
        data = sample(name)
        runs[name] = data if len(data) < 4000 else thinned_run(data)
        yield "run_meta", name, runs[name]
    logs = {}
    for name in ("odd/tfprof_log", "odd/tfprof_log_1", "dense/tfprof_log", "dense/tfprof_log_1"):
        data = sample(name)
        logs[name] = data if len(data) < 3000 else thinned(data)
        yield "op_log", name, logs[name]
    parts = [sample("odd/graph_shapes.pb"), runs["odd/run_meta_0"], runs["odd/run_meta_1"], logs["odd/tfprof_log"]]
    yield "run_of_graph", "odd", b"".join(struct.pack("<H", len(p)) + p for p in parts)
    v1 = sample("dense/ckpt_v1/model.ckpt-3")
    index = sample("dense/ckpt_v2/model.ckpt-3.index")
    yield "checkpoint", "v1", b"\0" + v1
    yield "checkpoint", "v2", b"\1" + index
    yield "checkpoint", "v2_resource", b"\1" + sample("dense_resource/ckpt_v2/model.ckpt-3.index")
    yield "checkpoint", "v1_blocks", block_seed(0, v1)
    yield "checkpoint", "v2_blocks", block_seed(1, index)
    yield "checkpoint", "v2_made", made_bundle()
    for name in ("odd/profile_5", "odd/graph.pb", "odd/graph.pbtxt", "odd/run_meta_0", "odd/tfprof_log"):
        yield "recognise", name, sample(name)
        yield "recognise", name + ".gz", gzip.compress(sample(name), mtime=0)
    yield "recognise", "index", index
    for name in ("gpu", "tpu", "host", "odd", "buffers/called", "buffers/parts", "buffers/streams"):
        data = sample("xplane/%s.xplane.pb" % name)
        name = name.replace("/", "_")
        yield "xplane", name, data
        yield "xplane_bare", name, data
        yield "recognise", name + ".xplane", data
    yield "hlo", "proto", sample("xplane/step.hlo.pb")
    yield "hlo", "text", sample("xplane/step.hlo.txt")
    yield "hlo", "stablehlo", sample("xplane/scan.mlir")
    yield "hlo", "stablehlo_generic", sample("xplane/scan.generic.mlir")
    yield "recognise", "stablehlo", sample("xplane/scan.mlir")
    yield "recognise", "hlo", sample("xplane/step.hlo.pb")
    yield "recognise", "hlo.txt", sample("xplane/step.hlo.txt")
    with open(os.path.join(DATA, "sample", "traces", "kineto.json"), "rb") as f:
        trace = f.read()
    for name, data in (("kineto", trace), ("cut", trace[:2500]), ("chrome", CHROME), ("arrows", sample("odd_traces/ascend.json")),
                       ("quote", sample("broken/quote.json")), ("commas", sample("broken/commas.json")), ("last", sample("broken/last.json"))):
        yield "kineto", name, data
        yield "kineto_bare", name, data
        yield "recognise", name + ".json", data[:1000]
    yield "tfevents", "both", sample("event_files/events.out.tfevents.1.host")
    yield "recognise", "tfevents", sample("event_files/events.out.tfevents.2.host")
    yield "run_meta", "timeline", sample("timeline/timeline.json")
    yield from seeds_graphs.seeds(sample)
    for name, data in (("odd", sample("pprof/odd.pb")), ("held", sample("pprof/device_memory.pb")), ("go", gzip.decompress(sample("pprof/go_allocs.pb.gz")))):
        yield "pprof", name, data
        yield "pprof_bare", name, data
        yield "recognise", name + ".pprof", data
    graph = sample("pytorch_graph/et.json")
    few = graph[:graph.index(b"      },", 5000)] + b"}]}"  # a few calls are enough
    for name, data in (("old", sample("traces/et_old.json")), ("new", few)):
        yield "execution_trace", name, data
        yield "execution_trace_bare", name, data
        yield "recognise", name + ".et", data[:1000]
    for i, lines in enumerate(CALLS):
        yield "aten", str(i), "\n".join(lines).encode()
    for i, text in enumerate(QUERIES):
        yield "query", str(i), text
    yield from seeds_compare.seeds()
    packed = gzip.compress(trace[:3000], mtime=0)
    for name, data in (("member", packed), ("members", packed + bytes(40) + packed), ("stored", gzip.compress(trace[:500], 0, mtime=0))):
        yield "gunzip", name, data
    for name, data in options_proto_seeds():
        yield "options_proto", name, data
    yield "options", "all", OPTION_LINES
    for i, line in enumerate(OPTION_LINES.splitlines()):
        yield "options", "line_%d" % i, line


CHROME = rb"""[{"ph":"B","name":"a\u00e9","pid":"p","tid":1,"ts":1.5},{"ph":"b","cat":"x","id":"0x1","name":"n","pid":1,
"tid":2,"ts":2},{"ph":"E","pid":"p","tid":1,"ts":4},{"ph":"e","cat":"x","id":"0x1","name":"n","pid":1,"tid":2,"ts":9},
{"ph":"C","name":"c","pid":1,"tid":1,"ts":3,"args":{"v":1,"w":2.5}},{"ph":"M","name":"thread_name","pid":1,"tid":1,
"args":{"name":"main"}},{"ph":"X","name":"q","cat":"z","ts":1e2,"dur":-3,"pid":1,"tid":1}]"""


def main():
    out = sys.argv[1]
    for target, name, data in itertools.chain(seeds(), seeds_converted.seeds(sys.argv[2])):
        folder = os.path.join(out, target)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name.replace("/", "_")), "wb") as f:
            f.write(data)


if __name__ == "__main__":
    main()
