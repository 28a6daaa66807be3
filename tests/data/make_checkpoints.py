#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes checkpoints/ beside this file: small checkpoints of every kind, and what TensorFlow reads out of them.

    make_checkpoints.py        needs tensorflow-cpu==2.21.0

    types       V2, every type that TensorFlow can save        types_v1     V1, likewise
    slices      V2, partitioned variables in two shards        slices_v1    V1, likewise
    keys        V2, a variable with slices all over int64      big_endian   V2 as a big-endian machine writes it
    snappy_v1   types_v1 with its blocks packed by snappy

NAME.txt has a line for each tensor: name, type, dimensions, then the values: floats as %.17g, integers, strings in hexadecimal.
keys.txt is not there: that variable is too large to be read.
"""
import glob
import os
import struct
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np
import tensorflow as tf

import wire

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, 'checkpoints')
QUANTISED = {'qint8': 'int8', 'quint8': 'uint8', 'qint16': 'int16', 'quint16': 'uint16', 'qint32': 'int32'}
NAMES = ['float32', 'float64', 'float16', 'bfloat16', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64',
         'int4', 'uint4', 'int2', 'uint2', 'bool', 'complex64', 'complex128', 'float8_e5m2', 'float8_e4m3fn',
         'float8_e4m3fnuz', 'float8_e4m3b11fnuz', 'float8_e5m2fnuz', 'float4_e2m1fn'] + list(QUANTISED)


def values_of(name):
    """A small tensor with the special values of its type."""
    d = tf.dtypes.as_dtype(name)
    if name in QUANTISED:
        return tf.bitcast(tf.constant(np.array([[0, 1, 2], [100, 101, 102]], QUANTISED[name])), d)
    n = d.as_numpy_dtype
    if name.startswith('float8'):
        return tf.constant(np.arange(256, dtype=np.uint8).view(n))
    if name.startswith('float4'):
        return tf.constant(np.arange(16, dtype=np.uint8).view(n))
    if name in ('float16', 'bfloat16'):
        bits = [0, 1, 0x8000, 0x3c00, 0x3f80, 0x7c00, 0xfc00, 0x7e00, 0x7f80, 0x7fc0, 0x03ff, 0x0400, 0x7bff, 0xc2f7]
        return tf.bitcast(tf.constant(np.array(bits, np.uint16)), d)
    if name.endswith(('int4', 'int2')):
        return tf.constant(np.array([[0, 1, 2 if name[0] == 'u' else -2], [3 if name[0] == 'u' else -1, 0, 1]]).astype(n))
    if d.is_integer:
        limits = np.iinfo(n)
        return tf.constant(np.array([[limits.min, limits.max, 0], [1, 2, 3]], n))
    if name == 'bool':
        return tf.constant([[True, False], [False, True]])
    if d.is_complex:
        return tf.constant(np.array([1 + 2j, -0.5j, 3], n))
    return tf.constant(np.array([0, -0.0, 1, -2.675, 1234567.891, 1e30, np.inf, -np.inf, np.nan, 1e-45], n))


def tensors():
    t = {name: values_of(name) for name in NAMES}
    t['string'] = tf.constant(['', 'a', 'b' * 200, b'\x00\xff\n', '\u00e9'])
    t['string/square'] = tf.constant([['x', 'yy'], ['', 'zzz']])
    t['string/empty'] = tf.constant([], shape=(0, 2), dtype=tf.string)
    t['shape/scalar'] = tf.constant(4)
    t['shape/empty'] = tf.zeros((2, 0, 3))
    t['shape/deep'] = tf.constant(np.arange(16).reshape(1, 2, 1, 2, 1, 2, 2, 1))
    t['name/\u00e9 \x01'] = tf.constant([1.5])
    return t


# ---- what they hold, as text ----

def text_of(t):
    d = t.dtype
    a = np.asarray(t.numpy()).reshape(-1)
    if d == tf.string:
        values = [(v if isinstance(v, bytes) else v.encode()).hex() or '-' for v in a]
    elif d.is_complex:
        values = ['%.17g' % part for v in a for part in (v.real, v.imag)]
    elif d.is_floating:
        values = ['%.17g' % v for v in a.astype(np.float64)]
    else:
        if a.dtype.names:  # quantised types
            a = a[a.dtype.names[0]]
        values = [str(int(v)) for v in (a.astype(np.uint64).view(np.int64) if d == tf.uint64 else a.astype(np.int64))]
    return '%s %s %s' % (d.name, 'x'.join(str(n) for n in t.shape) or '-', ' '.join(values))


def write_text(name, tensors_):
    with open(os.path.join(OUT, name + '.txt'), 'w') as f:
        for key in sorted(tensors_, key=lambda k: k.encode()):
            f.write('%s %s\n' % (key.encode().hex(), text_of(tensors_[key]).rstrip()))


# ---- TensorFlow writes ----

def save(name, names, specs, values):
    tf.raw_ops.SaveV2(prefix=os.path.join(OUT, name), tensor_names=names, shape_and_slices=specs, tensors=values)


def save_v1(name, names, specs, values):
    tf.raw_ops.SaveSlices(filename=os.path.join(OUT, name), tensor_names=names, shapes_and_slices=specs, data=values)


def saved_in_v1(value):
    try:
        save_v1('try', ['a'], [''], [value])
        tf.raw_ops.Restore(file_pattern=os.path.join(OUT, 'try'), tensor_name='a', dt=value.dtype)
        return True
    except tf.errors.OpError:
        return False
    finally:
        for path in glob.glob(os.path.join(OUT, 'try*')):
            os.remove(path)


def make_types():
    t = tensors()
    save('types', list(t), [''] * len(t), list(t.values()))
    write_text('types', t)
    v1 = {name: value for name, value in t.items() if saved_in_v1(value)}
    save_v1('types_v1', list(v1), [''] * len(v1), list(v1.values()))
    write_text('types_v1', v1)
    write_text('snappy_v1', v1)


def make_slices():
    p = np.arange(10 * 30 * 3, dtype=np.float32).reshape(10, 30, 3)
    q = np.array(['s%d' % i for i in range(24)]).reshape(6, 4)
    r = np.arange(24, dtype=np.int32).reshape(6, 4)
    first = [('p', '10 30 3 0,10:0,10:-', p[:, :10]), ('p', '10 30 3 0,4:10,20:-', p[:4, 10:]), ('q', '6 4 0,2:-', q[:2]),
             ('r', '6 4 0,2:-', r[:2])]
    second = [('p', '10 30 3 4,6:10,20:-', p[4:, 10:]), ('q', '6 4 2,4:-', q[2:]), ('r', '6 4 2,4:-', r[2:]),
              ('w', '', np.array([7, 8]))]
    parts = []
    for i, part in enumerate((first, second)):
        names, specs, values = zip(*[(n, s, tf.constant(v)) for n, s, v in part])
        save('part%d' % i, names, specs, values)
        parts.append(os.path.join(OUT, 'part%d' % i))
        keep = [k for k, n in enumerate(names) if n != 'q']
        save_v1('slices_v1-%05d-of-00002' % i, [names[k] for k in keep], [specs[k] for k in keep], [values[k] for k in keep])
    tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=os.path.join(OUT, 'slices'))
    all_ = {'p': tf.constant(p), 'q': tf.constant(q), 'r': tf.constant(r), 'w': tf.constant([7, 8], tf.int64)}
    write_text('slices', all_)
    write_text('slices_v1', {k: v for k, v in all_.items() if k != 'q'})


def make_keys():
    starts = sorted({(1 << k) + d for k in range(5, 62, 7) for d in (-1, 0)} | {63, 64, 8191, 8192, (1 << 55) - 1, 1 << 55})
    save('keys', ['huge'] * len(starts), ['%d %d,1' % (1 << 62, s) for s in starts], [tf.constant([1.])] * len(starts))


# ---- tables, for what TensorFlow does not write here ----

def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def mask(crc):
    return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff


def entries(block):
    """The key-value entries of a block."""
    at, key = 0, b''
    end = len(block) - 4 - 4 * struct.unpack('<I', block[-4:])[0]
    while at < end:
        shared, at = wire.read_varint(block, at)
        rest, at = wire.read_varint(block, at)
        size, at = wire.read_varint(block, at)
        key = key[:shared] + block[at:at + rest]
        yield key, block[at + rest:at + rest + size]
        at += rest + size


def read_table(path):
    with open(path, 'rb') as f:
        data = f.read()
    at, handle = 0, []
    for _ in range(4):
        value, at = wire.read_varint(data[-48:], at)
        handle.append(value)
    out = []
    for _, value in entries(data[handle[2]:handle[2] + handle[3]]):
        start, at = wire.read_varint(value, 0)
        out += entries(data[start:start + wire.read_varint(value, at)[0]])
    return out


def block_of(pairs, interval):
    out, restarts, before = bytearray(), [], b''
    for i, (key, value) in enumerate(pairs):
        shared = 0
        if i % interval == 0:
            restarts.append(len(out))
        else:
            while shared < min(len(key), len(before)) and key[shared] == before[shared]:
                shared += 1
        out += wire.varint(shared) + wire.varint(len(key) - shared) + wire.varint(len(value)) + key[shared:] + value
        before = key
    return bytes(out) + struct.pack('<%dI' % (len(restarts) + 1), *restarts, len(restarts))


def snappy(data):
    """Unpacks Snappy data: literals, and copies from up to 64 KB before."""
    out, at, literal, seen = bytearray(wire.varint(len(data))), 0, bytearray(), {}

    def flush():
        for i in range(0, len(literal), 60):
            piece = literal[i:i + 60]
            out.extend(bytes([len(piece) - 1 << 2]) + piece)
        literal.clear()

    while at < len(data):
        from_ = seen.get(data[at:at + 4], -1)
        seen[data[at:at + 4]] = at
        size = 0
        while from_ >= 0 and size < 64 and at + size < len(data) and data[from_ + size] == data[at + size]:
            size += 1
        if size < 4 or at - from_ > 65535:
            literal.append(data[at])
            at += 1
            continue
        flush()
        out.extend(struct.pack('<BH', size - 1 << 2 | 2, at - from_))
        at += size
    flush()
    return bytes(out)


def write_table(path, pairs, packed=False, block_entries=7):
    out, index = bytearray(), []

    def add(block):
        block = (snappy(block) if packed else block) + (b'\1' if packed else b'\0')
        handle = wire.varint(len(out)) + wire.varint(len(block) - 1)
        out.extend(block + struct.pack('<I', mask(crc32c(block))))
        return handle

    for i in range(0, len(pairs), block_entries):
        some = pairs[i:i + block_entries]
        index.append((some[-1][0], add(block_of(some, 3))))
    footer = add(block_of([], 1)) + add(block_of(index, 1))
    with open(path, 'wb') as f:
        f.write(out + footer.ljust(40, b'\0') + bytes.fromhex('57fb808b247547db'))


def make_big_endian():
    """A header and entries in the format of tensor_bundle.proto, with reversed byte order in all
    multi-byte values."""
    strings = [b'one', b'', b'three']
    crc = mask(crc32c(b''.join(struct.pack('>I', len(s)) for s in strings)))
    text = b''.join(wire.varint(len(s)) for s in strings) + struct.pack('>I', crc) + b''.join(strings)
    text_crc = crc32c(b''.join(struct.pack('>I', len(s)) for s in strings) + struct.pack('>I', crc) + b''.join(strings))
    values = {
        'f': (tf.constant([[1.5, -2], [3, 4e10]], tf.float32), lambda a: a.astype('>f4').tobytes()),
        'd': (tf.constant([1e300], tf.float64), lambda a: a.astype('>f8').tobytes()),
        'h': (tf.constant([1.5, -2], tf.float16), lambda a: a.astype('>f2').tobytes()),
        'i': (tf.constant([[[1]], [[-70000]]], tf.int32), lambda a: a.astype('>i4').tobytes()),
        'l': (tf.constant([1 << 40], tf.int64), lambda a: a.astype('>i8').tobytes()),
        's': (tf.constant(strings), lambda a: text),
    }
    data, pairs = b'', [(b'', wire.number_field(1, 1) + wire.number_field(2, 1) + wire.bytes_field(3, wire.number_field(1, 1)))]
    for name in sorted(values):
        t, to_bytes = values[name]
        raw = to_bytes(t.numpy())
        shape = b''.join(wire.bytes_field(2, wire.number_field(1, n)) for n in t.shape)
        entry = (wire.number_field(1, t.dtype.as_datatype_enum) + wire.bytes_field(2, shape) + wire.number_field(4, len(data)) +
                 wire.number_field(5, len(raw)) + b'\x35' + struct.pack('<I', mask(text_crc if name == 's' else crc32c(raw))))
        pairs.append((name.encode(), entry))
        data += raw
    path = os.path.join(OUT, 'big_endian')
    write_table(path + '.index', pairs)
    with open(path + '.data-00000-of-00001', 'wb') as f:
        f.write(data)
    write_text('big_endian', {name: t for name, (t, _) in values.items()})
    for name, (t, _) in values.items():  # checks that TensorFlow reads the same
        got = tf.raw_ops.RestoreV2(prefix=path, tensor_names=[name], shape_and_slices=[''], dtypes=[t.dtype])[0]
        assert (got.numpy() == t.numpy()).all(), name


def make_snappy():
    path = os.path.join(OUT, 'snappy_v1')
    write_table(path, read_table(os.path.join(OUT, 'types_v1')), packed=True)
    got = tf.raw_ops.Restore(file_pattern=path, tensor_name='int32', dt=tf.int32)
    assert (got.numpy() == values_of('int32').numpy()).all()


def main():
    os.makedirs(OUT, exist_ok=True)
    for path in glob.glob(os.path.join(OUT, '*')):
        os.remove(path)
    make_types()
    make_slices()
    make_keys()
    make_big_endian()
    make_snappy()
    print('%d bytes' % sum(os.path.getsize(p) for p in glob.glob(os.path.join(OUT, '*'))))


if __name__ == '__main__':
    sys.exit(main())
