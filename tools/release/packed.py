# SPDX-License-Identifier: Apache-2.0
"""Zip archives as small as DEFLATE allows, with the same bytes wherever they are made.

Python's zlib leaves 3 % more; libdeflate searches longer for the shortest code. The library is Debian's, which a build
of tfprof needs anyway."""
import ctypes
import struct
import zlib

from common import fail

HIGHEST = 12
LOCAL, CENTRAL, END = b"PK\3\4", b"PK\1\2", b"PK\5\6"
NEEDS = 20   # version 2.0 of the format, which has DEFLATE
MADE_BY = 3 << 8 | NEEDS  # Unix: the upper half of the attributes has the file mode
DEFLATED = 8
REGULAR_FILE = 0o100000


def library():
    try:
        found = ctypes.CDLL("libdeflate.so.0")
    except OSError:
        fail("libdeflate.so.0 is missing: tools/setup.sh release installs it (libdeflate-dev)")
    found.libdeflate_alloc_compressor.restype = ctypes.c_void_p
    found.libdeflate_alloc_compressor.argtypes = [ctypes.c_int]
    found.libdeflate_free_compressor.argtypes = [ctypes.c_void_p]
    found.libdeflate_deflate_compress_bound.restype = found.libdeflate_deflate_compress.restype = ctypes.c_size_t
    found.libdeflate_deflate_compress_bound.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    found.libdeflate_deflate_compress.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    return found


def deflated(data):
    """Compresses the bytes to one DEFLATE stream, and unpacks it again as a check."""
    deflate = library()
    compressor = deflate.libdeflate_alloc_compressor(HIGHEST)
    room = ctypes.create_string_buffer(deflate.libdeflate_deflate_compress_bound(compressor, len(data)))
    size = deflate.libdeflate_deflate_compress(compressor, data, len(data), room, len(room))
    deflate.libdeflate_free_compressor(compressor)
    made = room.raw[:size]
    if zlib.decompress(made, wbits=-zlib.MAX_WBITS) != data:
        fail("libdeflate.so.0 gave other bytes than it was given")
    return made


def stamped(when):
    """A struct_time as the two numbers of MS-DOS: time and date."""
    return when.tm_hour << 11 | when.tm_min << 5 | when.tm_sec // 2, (when.tm_year - 1980) << 9 | when.tm_mon << 5 | when.tm_mday


def write_zip(path, entries, when):
    """entries: (name in ASCII, bytes, mode), written in this order, all with the same time."""
    time, date = stamped(when)
    central = []
    with open(path, "wb") as f:
        for name, data, mode in entries:
            packed, name = deflated(data), name.encode("ascii")
            told = struct.pack("<HHHHHIIIHH", NEEDS, 0, DEFLATED, time, date, zlib.crc32(data), len(packed), len(data), len(name), 0)
            central.append(CENTRAL + struct.pack("<H", MADE_BY) + told + struct.pack("<HHHII", 0, 0, 0, (REGULAR_FILE | mode) << 16, f.tell()) + name)
            f.write(LOCAL + told + name + packed)
        start, listed = f.tell(), b"".join(central)
        f.write(listed + END + struct.pack("<HHHHIIH", 0, 0, len(central), len(central), len(listed), start, 0))
