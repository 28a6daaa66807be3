# SPDX-License-Identifier: Apache-2.0
"""Seeds of fuzz_journal: journals of `tfprof watch`, as src/watch/store/journal.c writes them; and of fuzz_flights."""
import json
import struct

TEXT, RESET = 255, 254
STEPS, FINDINGS, JOBS = range(3)


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def record(kind, body=b""):
    data = bytes([kind]) + body
    return struct.pack("<II", len(data), crc32c(data)) + data


def row(table, cells):
    """A row from {column: value}; a text is its number."""
    known = sum(1 << column for column in cells)
    values = (struct.pack("<d" if isinstance(v, float) else "<q", v) for _, v in sorted(cells.items()))
    return record(table, struct.pack("<Q", known) + b"".join(values))


def texts(*all_of_them):
    return b"".join(record(TEXT, text) for text in all_of_them)


def seeds():
    head = b"tfpwatch" + struct.pack("<Q", 7)
    key = {0: 1, 1: 2, 2: 20786, 3: 3, 4: 1}  # run, job, date, host, rank
    named = texts(b"5d7c", b"train.py", b"here", b"late", b"/x/train.py:9:load\x1b[2J", b"rank 1 came last 11 times")
    step = row(STEPS, {**key, 5: 77, 6: 5, 7: 1, 8: 1795959140302025, 9: 50000.5})
    found = row(FINDINGS, {**key, 5: 1795959150302025, 6: 1795959140302025, 8: 4, 9: 4, 10: 5, 11: 5, 12: 25000.0, 13: 0.3, 14: 1e-6, 18: 6})
    yield "rows", head + named + step * 2 + found + row(JOBS, {**key, 5: 77})
    yield "anew", head + named + step + record(RESET) + texts(b"a", b"b", b"c") + step
    yield "cut", head + named + step + found[:-5]
    yield "damaged", head + named + step + found[:20] + b"x" + found[21:] + step
    yield "unknown_text", head + step
    yield "empty", head


def flights():
    entry = {"collective_seq_id": 1, "input_dtypes": ["Float"], "input_sizes": [[4]], "is_p2p": False, "op_id": 1, "output_sizes": [[4]],
             "pg_id": 0, "process_group": ["0", "default_pg"], "profiling_name": "gloo:all_reduce", "record_id": 0, "retired": True,
             "state": "scheduled", "time_created_ns": 1795968494739881620, "time_discovered_completed_ns": 0}
    whole = json.dumps({"entries": [entry, {**entry, "record_id": 1, "state": "completed"}], "pg_config": {}, "version": "2.10"}).encode()
    yield "answer", b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + whole
    yield "json", whole
    yield "cut", whole[:-60]
    yield "refusal", b"HTTP/1.1 404 Not Found\r\n\r\nHandler not found"
    yield "kinds", json.dumps({"entries": [5, None, [], {**entry, "process_group": "0", "record_id": "x", "input_sizes": {"a": [[]]}}]}).encode()
