# SPDX-License-Identifier: Apache-2.0
"""Kinds of saved models: many tensors, a program with many names, many objects that share one big state."""
import io
import json
import struct
import zipfile

from kinds import kind


def archive(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name, data in files.items():
            z.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


def text(data):
    return b"X" + struct.pack("<I", len(data)) + data


@kind(9000)
def tensors_of_safetensors(n):
    head = json.dumps({"layers.%d.weight" % i: {"dtype": "I8", "shape": [1], "data_offsets": [i, i + 1]} for i in range(n)}).encode()
    return {"model.safetensors": struct.pack("<Q", len(head)) + head + bytes(n)}


@kind(6000)
def names_of_a_program(n):
    values = {"v%d" % i: {"dtype": 7, "sizes": [{"as_int": 1}]} for i in range(n)}
    nodes = [{"target": "torch.ops.aten.relu.default", "inputs": [{"arg": {"as_tensor": {"name": "v%d" % i}}}], "outputs": []} for i in range(n)]
    graph = {"graph_module": {"graph": {"nodes": nodes, "tensor_values": values}}}
    return {"model.pt2": archive({"m/data/weights/m_weights_config.json": '{"config": {}}', "m/models/m.json": json.dumps(graph)})}


@kind(60000)
def objects_of_one_state(n):
    """A pickle: a dict of n numbers, then n objects of a class that share the dict as their state,
    and one tensor."""
    pairs = b"".join(b"J" + struct.pack("<i", i) + b"K\x01" for i in range(n))
    objects = b"h\x01)\x81h\x00b" * n
    storage = b"(" + text(b"storage") + b"ctorch\nFloatStorage\n" + text(b"0") + text(b"cpu") + b"K\x01tQ"
    tensor = b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + b"K\x00K\x01\x85K\x01\x85\x89}tR"
    pickle = b"\x80\x02}q\x00(" + pairs + b"u0cmodule\nClass\nq\x010](" + objects + tensor + b"e."
    return {"model.pt": archive({"m/data.pkl": pickle})}
