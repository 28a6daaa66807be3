# SPDX-License-Identifier: Apache-2.0
"""Packages that imitate JAX, TensorFlow and torch as far as tfprof's agent uses them: FOLDER/jax ... and the libraries whose
names identify a process as a job. `make(folder)` writes them; put the folder on PYTHONPATH."""
import os

LIBRARY = """
import mmap, os
def held(name):
    path = os.path.join(os.path.dirname(__file__), "lib", name)
    with open(path, "rb") as f:
        return mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
"""

# `top` looks at the libraries of a process again after its mapped size has grown; the smallest real library is larger than this
LIBRARY_BYTES = bytes(600000)

PROFILER = """
import _thread, os
lock = _thread.allocate_lock()
def mark(recording):  # for tests, which wait for it; where the job may not write there is none
    path = __file__.replace("_profiler.py", "recording.%d" % os.getpid())
    try:
        open(path, "w").close() if recording else os.unlink(path)
    except OSError:
        pass
class ProfileOptions:
    host_tracer_level = python_tracer_level = None
class ProfilerSession:
    def __init__(self, options):
        assert options.host_tracer_level in (0, 1, 2, 3) and options.python_tracer_level in (0, 1)
        if not lock.acquire(False):
            raise RuntimeError("Another profiling session active.")
        mark(True)
    def stop(self):
        mark(False)
        lock.release()
        with open(__file__.replace("_profiler.py", "sample.xplane.pb"), "rb") as f:
            return f.read()
"""

TF_PROFILER = """
import os
class ProfilerSession:
    def start(self, folder, options):
        assert set(options) == {"host_tracer_level", "python_tracer_level", "device_tracer_level"}
        self.folder = folder
    def export_to_tb(self):
        folder = os.path.join(self.folder, "plugins", "profile", "2026_01_01")
        os.makedirs(folder)
        with open(os.path.join(os.path.dirname(__file__), "sample.xplane.pb"), "rb") as f, open(folder + "/host.xplane.pb", "wb") as g:
            g.write(f.read())
    def stop(self):
        return b""
"""

SESSION = """
from tensorflow.core.protobuf import config_pb2
class Graph:
    def as_graph_def(self, add_shapes=False):
        return config_pb2.Message(b"graph")
class BaseSession:
    def __init__(self):
        self.graph = Graph()
    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        "runs"
        if options is not None and options.trace_level == 3:
            run_metadata.text = b"traced"
        return fetches
"""

CONFIG = """
class Message:
    def __init__(self, text=b""):
        self.text = text
    def SerializeToString(self):
        return self.text
class RunMetadata(Message):
    pass
class RunOptions:
    FULL_TRACE, trace_level = 3, 0
    def CopyFrom(self, other):
        self.trace_level = other.trace_level
"""

TORCH_PROFILER = """
import json, time
class ProfilerActivity:
    CPU, CUDA = "cpu", "cuda"
class profile:
    on = False
    def __init__(self, activities, with_stack=False, with_modules=False, record_shapes=False, experimental_config=None):
        assert experimental_config.words == {"profile_all_threads": True}
        self.callbacks = True
        self.records = {"with_stack": int(with_stack), "with_modules": int(with_modules), "record_shapes": int(record_shapes)}
    def toggle_collection_dynamic(self, enable, activities):
        assert not enable and activities == [ProfilerActivity.CPU, ProfilerActivity.CUDA]
        self.callbacks = False
        from torch.optim import optimizer
        self.steps = optimizer.count - self.first  # nothing more is collected
    def start(self):
        self.prepare_trace()
        self.start_trace()
    def prepare_trace(self):
        time.sleep(0.1)  # as torch at a process's first recording
    def start_trace(self):
        assert not profile.on
        profile.on = True
        from torch.optim import optimizer
        self.first = optimizer.count
    def stop(self):
        assert not self.callbacks  # else other threads would write to what it frees
        profile.on = False
    def export_chrome_trace(self, path):
        with open(path, "w") as f:
            json.dump({"schemaVersion": 1, **self.records, "steps": self.steps, "traceEvents": [
                {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 100.0 + i, "dur": 0.5, "args": {}}
                for i in range(max(1, self.steps))]}, f)
"""

OPTIMIZER = """
hooks, count = {}, 0
class Handle:
    def __init__(self, key):
        self.key = key
    def remove(self):
        hooks.pop(self.key, None)
def register_optimizer_step_post_hook(hook):
    handle = Handle(object())
    hooks[handle.key] = hook
    return handle
class SGD:
    def step(self):
        global count
        count += 1
        for hook in list(hooks.values()):
            hook(self, (), {})
"""


def sample():
    """An XSpace with one plane and one event, encoded by hand."""
    def field(number, data):
        if isinstance(data, int):
            out = b""
            while data > 127:
                out, data = out + bytes([data & 127 | 128]), data >> 7
            return bytes([number << 3]) + out + bytes([data])
        size, out = len(data), b""
        while size > 127:
            out, size = out + bytes([size & 127 | 128]), size >> 7
        return bytes([number << 3 | 2]) + out + bytes([size]) + data
    event = field(1, 1) + field(2, 1000) + field(3, 5000000)
    line = field(1, 7) + field(2, b"python") + field(3, 1700000000000000000) + field(4, event)
    meta = field(1, 1) + field(2, field(1, 1) + field(2, b"MatMul"))
    return field(1, field(1, 1) + field(2, b"/host:CPU") + field(3, line) + field(4, meta))


# In a job: whether its imitated JAX records. A job that ends then ends during a capture.
RECORDS = """import os, jaxlib
def records(): return os.path.exists(os.path.join(os.path.dirname(jaxlib.__file__), f"recording.{os.getpid()}"))
"""


def is_recording(folder, pid):
    """Whether the imitated JAX of a process records; `folder` is the one that make() got."""
    return os.path.exists(os.path.join(folder, "jaxlib", f"recording.{pid}"))


def make(folder):
    def put(path, text=""):
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())

    put("jax/__init__.py", LIBRARY + '__version__ = "0.9"\nimport jaxlib._profiler\n_held = held("libjax_common.so")\n')
    put("jax/lib/libjax_common.so", LIBRARY_BYTES)
    put("jaxlib/__init__.py")
    put("jaxlib/_profiler.py", PROFILER)
    put("jaxlib/sample.xplane.pb", sample())
    put("torch/__init__.py", LIBRARY + '__version__ = "2.9"\nfrom torch import _C, autograd, cuda, optim, profiler\nimport torch._C._profiler\n_held = held("libtorch_cpu.so")\n')
    put("torch/lib/libtorch_cpu.so", LIBRARY_BYTES)
    put("torch/autograd.py", "def _profiler_enabled():\n    from torch.profiler import profile\n    return profile.on\n")
    put("torch/cuda.py", "def is_available():\n    return False\n")
    put("torch/profiler.py", TORCH_PROFILER)
    put("torch/_C/__init__.py", "")
    put("torch/_C/_profiler.py", "class _ExperimentalConfig:\n    def __init__(self, **words):\n        self.words = words\n")
    put("torch/optim/__init__.py", "from torch.optim.optimizer import SGD\n")
    put("torch/optim/optimizer.py", OPTIMIZER)
    put("tensorflow/__init__.py", LIBRARY + '__version__ = "2.99"\n_held = held("libtensorflow_cc.so.2")\n'
        "from tensorflow.python.profiler.internal import _pywrap_profiler\n")
    put("tensorflow/lib/libtensorflow_cc.so.2", LIBRARY_BYTES)
    for package in ("python", "python/client", "python/profiler", "python/profiler/internal", "core", "core/protobuf"):
        put("tensorflow/%s/__init__.py" % package)
    put("tensorflow/python/client/session.py", SESSION)
    put("tensorflow/core/protobuf/config_pb2.py", CONFIG)
    put("tensorflow/python/profiler/internal/_pywrap_profiler.py", TF_PROFILER)
    put("tensorflow/python/profiler/internal/sample.xplane.pb", sample())
