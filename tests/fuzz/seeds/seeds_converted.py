# SPDX-License-Identifier: Apache-2.0
"""Seeds that `tfprof convert` makes, for seeds.py."""
import os
import struct
import subprocess
import tempfile
import zlib

SAMPLE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "data", "sample")
CONVERTED = {"kineto": ["traces/kineto.json"], "xplane": ["xplane/odd.xplane.pb"], "hlo": ["xplane/step.hlo.pb"],
             "profile": ["odd/profile_5"], "graph": ["odd/graph_shapes.pb", "odd/run_meta_0", "odd/tfprof_log"],
             "model": ["functions/saved_model"]}


def long_trace():
    """A trace whose columns are longer than those that the directory itself can hold."""
    spans = ['{"ph":"X","cat":"%s","name":"f%d","pid":1,"tid":%d,"ts":%d,"dur":%d,"args":{"External id":%d}}'
             % ("cpu_op" if i % 3 else "kernel", i % 7, i % 2, i * 10, 9 - i % 5, i) for i in range(1300)]
    return ('{"schemaVersion":1,"traceEvents":[' + ",".join(spans) + "]}").encode()


def with_plain_directory(data):
    """A converted file with an unpacked directory, which fuzz_tfprof.c packs again."""
    at, size = struct.unpack_from("<QQ", data, len(data) - 32)
    plain = zlib.decompress(data[at:-32], -15)
    assert len(plain) == size
    return data[:8] + struct.pack("<I", 3) + data[12:at] + plain + data[-32:]


def seeds(program):
    """Files that `tfprof convert` makes from small inputs, and files from before columns were
    packed."""
    with open(os.path.join(SAMPLE, "converted", "version_1.tfprof"), "rb") as f:
        data = f.read()
        yield "tfprof", "version_1", data
        yield "tfprof_bare", "version_1", data
    with tempfile.TemporaryDirectory() as scratch:
        with open(os.path.join(scratch, "long.json"), "wb") as f:
            f.write(long_trace())
        for name, files in {**CONVERTED, "long": [os.path.join(scratch, "long.json")]}.items():
            path = os.path.join(scratch, name + ".tfprof")
            subprocess.run([program, "convert", *(os.path.join(SAMPLE, f) for f in files), "-o", path], check=True,
                           stderr=subprocess.DEVNULL)
            with open(path, "rb") as f:
                data = f.read()
            yield "tfprof", name, data
            yield "tfprof", name + "_plain", with_plain_directory(data)
            yield "tfprof_bare", name, data
            yield "recognise", name + ".tfprof", data
