# SPDX-License-Identifier: Apache-2.0
# What the parts of the agent share. They are run one after the other in one namespace: common, sessions, steps, agent. Only modules
# that the interpreter brings are used, found where it keeps them: a socket.py beside train.py is not ours. Python 3.8 and later.
import _thread
import os
import sys
import time


def _module(name):
    """Loads a module of the standard library that is written in C, whatever is on sys.path. sys.modules stays as
    it is."""
    found = sys.modules.get(name)
    if found is not None and getattr(found, "__spec__", None) is not None:
        origin = found.__spec__.origin or "built-in"
        if origin in ("built-in", "frozen") or not origin.endswith(".py"):
            return found
    frozen, external = sys.modules["_frozen_importlib"], sys.modules["_frozen_importlib_external"]
    if name in sys.builtin_module_names:
        spec = frozen.BuiltinImporter.find_spec(name)
    else:
        library = os.path.dirname(os.__file__)
        spec = external.PathFinder.find_spec(name, [library + "/lib-dynload", library])
    module = frozen.module_from_spec(spec)
    spec.loader.exec_module(module)
    if found is not None:  # the interpreter adds some modules to sys.modules by itself
        sys.modules[name] = found
    else:
        sys.modules.pop(name, None)
    return module


_socket, select = _module("_socket"), _module("select")
FRAMEWORKS = ("jax", "tensorflow", "torch")


class Refused(Exception):
    def __init__(self, code, message):
        Exception.__init__(self, message)
        self.code = code


def quote(x):
    """JSON of a text, number, list or dict; ASCII only."""
    if x is None:
        return "null"
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, (int, float)):
        return repr(x)
    if isinstance(x, dict):
        return "{" + ", ".join(quote(str(k)) + ": " + quote(v) for k, v in x.items()) + "}"
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(map(quote, x)) + "]"
    out = []
    for c in str(x):
        n = ord(c)
        if c in '"\\':
            out.append("\\" + c)
        elif 32 <= n < 127:
            out.append(c)
        elif n < 0x10000:
            out.append("\\u%04x" % n)
        else:
            n -= 0x10000
            out.append("\\u%04x\\u%04x" % (0xd800 | n >> 10, 0xdc00 | n & 0x3ff))
    return '"' + "".join(out) + '"'


def micros():
    return int(time.time() * 1e6)


def one_line(x, most=300):
    return " ".join(str(x).split())[:most]


def start_ticks():
    with open("/proc/self/stat", "rb") as f:
        return int(f.read().rpartition(b")")[2].split()[19])


def command():
    """The arguments of this process, as `tfprof top` shows them."""
    with open("/proc/self/cmdline", "rb") as f:
        return f.read(4096).rstrip(b"\0").replace(b"\0", b" ").decode("utf-8", "replace")


def task_file(tid, name):
    """The words in a /proc file of one of our threads; none when the thread has ended."""
    try:
        fd = os.open("/proc/self/task/%s/%s" % (tid, name), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        return os.read(fd, 512).rpartition(b")")[2].split()
    except OSError:
        return []
    finally:
        os.close(fd)


def let_threads_pass(seconds=10.0):
    """Waits until every other thread has left the short function in which it may have been. A thread has left it when it sleeps or has
    run for a millisecond: a thread that lost its CPU inside the function is still in it, however long ago that was."""
    def runs(tid):
        return task_file(tid, "stat")[:1] in ([b"R"], [b"D"])

    def ran_ns(tid):
        return int((task_file(tid, "schedstat") or [0])[0])

    # the thread's number as /proc shows it, which may be that of another namespace
    own = os.readlink("/proc/thread-self").rpartition("/")[2]
    end = time.monotonic() + seconds
    time.sleep(0.02)
    waiting = [(tid, ran_ns(tid)) for tid in os.listdir("/proc/self/task") if tid != own and runs(tid)]
    while waiting and time.monotonic() < end:
        time.sleep(0.005)
        waiting = [(tid, before) for tid, before in waiting if runs(tid) and ran_ns(tid) - before < 1000000]


def remove(path):
    """Removes a file, or a folder with everything in it."""
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            for name in os.listdir(path):
                remove(path + "/" + name)
            os.rmdir(path)
        else:
            os.unlink(path)
    except OSError:
        pass


def keep_whole(folder, name, data):
    """Writes bytes, or moves a file of ours, to this name; returns the number of bytes. The folder is
    open."""
    if not isinstance(data, str):
        write_whole(folder, name, data)
        return len(data)
    fd = os.open(data, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.fchmod(fd, 0o600)
        size = os.fstat(fd).st_size
        try:
            os.rename(data, name, dst_dir_fd=folder)
        except OSError:  # the file is on another file system
            try:
                with os.fdopen(os.dup(fd), "rb") as f:
                    write_whole(folder, name, f.read())
            finally:
                remove(data)
    finally:
        os.close(fd)
    return size


def open_own(path, identity=None):
    """Opens a folder that belongs to this user alone and is no link, or the very folder that has this device and inode number.
    Writes then go through the descriptor: where others may write above the folder, its path may lead elsewhere by that time."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    about = os.fstat(fd)
    own = about.st_uid == os.geteuid() and not about.st_mode & 0o077
    if identity == "%d:%d" % (about.st_dev, about.st_ino) if identity else own:
        return fd
    os.close(fd)
    raise OSError("%s is not the folder that tfprof made" % path)


def open_below(path, name, flags):
    """Opens a file with mode 0600 in a folder of this user."""
    folder = open_own(path)
    try:
        return os.open(name, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    finally:
        os.close(folder)


def write_whole(folder, name, data):
    """Writes a file in an open folder. The file appears only when it is whole."""
    part = "%s.%d.%d.part" % (name, os.getpid(), _thread.get_ident())
    try:
        os.unlink(part, dir_fd=folder)
    except OSError:
        pass
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        view = memoryview(data)
        while len(view):
            view = view[os.write(fd, view):]
    finally:
        os.close(fd)
    os.rename(part, name, src_dir_fd=folder, dst_dir_fd=folder)
