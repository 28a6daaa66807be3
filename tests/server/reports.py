# SPDX-License-Identifier: Apache-2.0
"""The cost of a report about a hostile file."""
import os
import subprocess
import sys
import tempfile

from checking import PROGRAM, SANITIZED, check

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data"))
import wire  # noqa: E402

BUSY = 2  # factor for other programs that run on the same cores


def field(number, value):
    return wire.number_field(number, value) if isinstance(value, int) else wire.bytes_field(number, value)


SIZE = 256 << 10 if SANITIZED else 4 << 20  # costs are measured without sanitizers


def most_that_fits(records, size=SIZE):
    out = bytearray()
    for record in records:
        if len(out) + len(record) > size:
            return bytes(out)
        out += record
    return bytes(out)


def counted():
    n = 0
    while True:
        yield n
        n += 1


def test_a_report_of_4_mb_is_bounded(_):
    """Graphs with very many nodes, and call stacks that are all different: at most 512 MB, and 5 s on a quiet processor. With
    sanitizers the inputs are smaller."""
    graphs = {"flat.pb": (field(1, field(1, f"{n:x}") + field(2, "A")) for n in counted()),
              "chain.pb": (field(1, field(1, f"{n:x}") + field(2, f"O{n:x}") + field(3, f"{max(n, 1) - 1:x}")) for n in counted()),
              "profile_code": (field(1, field(1, n + 1) + field(2, field(1, f"{n:x}") + field(13, n + 1) + field(10, b"".join(
                  field(1, field(2, 8 * n + i) + field(6, 1) + field(7, 2)) for i in range(8))))) for n in counted())}
    with tempfile.TemporaryDirectory() as folder:
        for name, records in graphs.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(most_that_fits(records))
            begin = os.times()
            child = subprocess.Popen([PROGRAM, "report", name, "-o", "report.html"], cwd=folder, stderr=subprocess.PIPE)
            _, status, used = os.wait4(child.pid, 0)
            err = child.stderr.read().decode()
            child.stderr.close()
            child.returncode = os.waitstatus_to_exitcode(status)
            if "without its page" in err:
                return
            check(child.returncode == 0, f"report of {name}: status {child.returncode} {err[:300]}")
            print(f"report of {name}: {used.ru_utime + used.ru_stime:.1f} s of a processor, {used.ru_maxrss >> 10} MB, {os.times().elapsed - begin.elapsed:.1f} s")
            if not SANITIZED:
                check(used.ru_maxrss >> 10 < 512, f"report of {name}: {used.ru_maxrss >> 10} MB")
                check(used.ru_utime + used.ru_stime < 5 * BUSY, f"report of {name}: {used.ru_utime:.1f} s")
