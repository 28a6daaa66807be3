# SPDX-License-Identifier: Apache-2.0
"""The protobuf wire format in a few lines of plain Python: enough to read, change and write profiles without protobuf.

A message is read as a list of (number, wire type, value): an int for types 0, 1 and 5, bytes for type 2.
"""
import struct

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError('varint longer than 10 bytes at byte %d' % at)


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def read(data):
    """Reads all fields of a message."""
    at, end, out = 0, len(data), []
    while at < end:
        key, at = read_varint(data, at)
        kind = key & 7
        if kind == VARINT:
            value, at = read_varint(data, at)
        elif kind == BYTES:
            size, at = read_varint(data, at)
            value, at = data[at:at + size], at + size
        elif kind == FIXED64:
            value, at = struct.unpack_from('<Q', data, at)[0], at + 8
        elif kind == FIXED32:
            value, at = struct.unpack_from('<I', data, at)[0], at + 4
        else:
            raise ValueError('wire type %d at byte %d' % (kind, at))
        if at > end:
            raise ValueError('cut short')
        out.append((key >> 3, kind, value))
    return out


def last(fields, number, default=0):
    """The value of a field that is not repeated: in protobuf the last one counts."""
    for n, _, value in reversed(fields):
        if n == number:
            return value
    return default


def every(fields, number):
    return [value for n, _, value in fields if n == number]


def numbers(fields, number):
    """A repeated integer field, packed or not."""
    out = []
    for value in every(fields, number):
        if isinstance(value, int):
            out.append(value)
            continue
        at = 0
        while at < len(value):
            one, at = read_varint(value, at)
            out.append(one)
    return out


def number_field(number, value):
    return varint(number << 3 | VARINT) + varint(value)


def bytes_field(number, value):
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | BYTES) + varint(len(value)) + value


def write(fields):
    out = []
    for number, kind, value in fields:
        if kind == VARINT:
            out.append(number_field(number, value))
        elif kind == BYTES:
            out.append(bytes_field(number, value))
        else:
            out.append(varint(number << 3 | kind) + struct.pack('<Q' if kind == FIXED64 else '<I', value))
    return b''.join(out)


def signed(value):
    """Converts an int64 from the wire to Python's signed number."""
    return value - (1 << 64) if value >> 63 else value
