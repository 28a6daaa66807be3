# SPDX-License-Identifier: Apache-2.0
"""Seeds of the fuzz target of mapped files: small ELF files with unwind tables and functions."""
import struct

NAMES = b"\0.eh_frame_hdr\0.eh_frame\0.shstrtab\0.symtab\0.strtab\0"


def elf(functions=3, sorted_table=True, wrong=0):
    """One loaded segment, a common entry and one for each function; `wrong` is added to the offsets in the sorted
    table."""
    common = struct.pack("<IIB4sBBBBBBB", 20, 0, 1, b"zR\0\1", 0x78, 0x10, 1, 0x1b, 0x0c, 7, 8) + b"\x90\1\0\0\0"
    frame, places = common[:24].ljust(24, b"\0"), []
    for i in range(functions):
        places.append(len(frame))
        frame += struct.pack("<IIiI", 20, len(frame) + 4, 0x100 * i, 0x80).ljust(24, b"\0")
    frame += b"\0\0\0\0"
    table = struct.pack("<IiI", 0x3b031b01, 0, functions)
    for i, place in enumerate(places):
        table += struct.pack("<ii", 0x100 * i, 0x2000 - 0x1000 + place + wrong)
    texts = b"\0" + b"".join(b"_PyEval_%d\0" % i for i in range(functions))
    symbols = bytes(24) + b"".join(struct.pack("<IBBHQQ", 1 + 10 * i, 0x12, 0, 1, 0x3000 + 0x100 * i, 0x80 * (i % 2)) for i in range(functions))
    parts, at, headers = [], 64 + 56, [bytes(64)]
    for name, kind, address, body, link, size in ((b".eh_frame_hdr", 1, 0x1000, table if sorted_table else b"", 0, 0),
                                                  (b".eh_frame", 1, 0x2000, frame, 0, 0), (b".shstrtab", 3, 0, NAMES, 0, 0),
                                                  (b".symtab", 2, 0, symbols, 5, 24), (b".strtab", 3, 0, texts, 0, 0)):
        headers.append(struct.pack("<IIQQQQIIQQ", NAMES.index(name + b"\0"), kind, 2, address, at, len(body), link, 0, 1, size))
        parts.append(body)
        at += len(body)
    head = struct.pack("<4sBBB9xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 3, 62, 1, 0, 64, at, 0, 64, 56, 1, 64, len(headers), 3)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, at, at, 4096)
    return head + load + b"".join(parts) + b"".join(headers)


def seeds():
    yield "sorted", elf()
    yield "unsorted", elf(sorted_table=False)
    yield "wrong_places", elf(wrong=4)
    yield "none", elf(functions=0)
    yield "cut", elf()[:300]
