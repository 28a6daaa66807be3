# SPDX-License-Identifier: Apache-2.0
"""Checkpoints with missing or damaged parts."""
import os

from groups import group
from making import sample_path


@group
def checkpoints(b):
    """Checkpoints with missing or damaged parts, and of a later version."""
    g = ["--graph_path", sample_path("dense/graph.pb")]
    index, data = b.sample("dense/ckpt_v2/model.ckpt-3.index"), b.sample("dense/ckpt_v2/model.ckpt-3.data-00000-of-00001")
    v1 = b.sample("dense/ckpt_v1/model.ckpt-3")
    select = ["-select", "tensor_value", "-max_depth", "100"]
    prefix = b.path("c")

    def v2(i=index, d=data):
        b.file(i, "c.index")
        if d is None:
            if os.path.exists(prefix + ".data-00000-of-00001"):
                os.unlink(prefix + ".data-00000-of-00001")
        else:
            b.file(d, "c.data-00000-of-00001")
        return b.run("scope", *g, "--checkpoint_path", prefix, *select)

    b.works("whole v2", v2())
    b.refused("v2 without its data", v2(d=None), 1, "c.data-00000-of-00001")
    b.refused("v2 with cut data", v2(d=data[:100]), 1, "c.data-00000-of-00001")
    b.refused("v2 with changed data", v2(d=bytes([data[0] ^ 1]) + data[1:]), 1, "c.data-00000-of-00001")
    b.refused("v2 with zeroed data", v2(d=bytes(len(data))), 1, "c.data-00000-of-00001")
    for at in range(0, len(index), 1 if b.whole else 11 if b.few else 3):
        changed = bytearray(index)
        changed[at] ^= 0x40
        r = v2(i=bytes(changed))
        # changes in the footer's padding and in the name of the metaindex, which is not read, have
        # no effect
        b.refused("v2 index, byte %d" % at, r, 1, "c.index") if at < len(index) - 60 else b.sound("v2 index, byte %d" % at, r)
    for size in range(0, len(index), 31):
        b.refused("v2 index cut to %d" % size, v2(i=index[:size]), 1, "c.index")
    for size in list(range(0, len(v1), 997)) + [len(v1) - 1]:
        r = b.run("scope", *g, "--checkpoint_path", b.file(v1[:size], "v1"), *select)
        b.refused("v1 cut to %d" % size, r, 1, "v1")
    for at in range(0, len(v1) - 60, 1501):
        changed = bytearray(v1)
        changed[at] ^= 0x04
        r = b.run("scope", *g, "--checkpoint_path", b.file(bytes(changed), "v1"), *select)
        b.refused("v1 byte %d" % at, r, 1, "v1")
