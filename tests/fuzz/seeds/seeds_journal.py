# SPDX-License-Identifier: Apache-2.0
"""Seeds of fuzz_journal: journals of `tfprof watch`, as src/watch/store/journal.c writes them."""
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
