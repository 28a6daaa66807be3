# SPDX-License-Identifier: Apache-2.0
# Calls of C functions of the job's libraries: what Python's interface to them does not offer. Each is looked up, and where anything is
# not as it was found in the versions that were tried, the ordinary way is taken instead.
LOADED = 4 | 2  # RTLD_NOLOAD, RTLD_NOW: only libraries that the process has loaded already


def c_interface():
    """CPython's own module for C calls; None where CPython was built without it."""
    try:
        return _module("_ctypes")
    except Exception:
        return None


def function_of(c, library, name):
    """The address of a function of a loaded library; 0 when it has none."""
    try:
        return c.dlsym(c.dlopen(library, LOADED if library else 2), name)
    except (OSError, AttributeError, TypeError):
        return 0


def pointer_to(c, address):
    class Pointer(c._SimpleCData):
        _type_ = "P"
    return Pointer(address)


def number_at(address, size=8):
    """A number from our own memory, read by a system call. A bad address gives None; reading it directly would crash the job."""
    try:
        fd = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        got = os.pread(fd, size, address)
    except (OSError, OverflowError, ValueError):
        return None
    finally:
        os.close(fd)
    return int.from_bytes(got, "little") if len(got) == size else None


def trim_memory():
    """Gives freed memory back to the system. The C library would keep what a recording used for the rest of the
    job."""
    c = c_interface()
    trim = function_of(c, "libc.so.6", "malloc_trim") if c is not None else 0
    if trim:
        c.call_function(trim, (0,))


class Kineto:
    """PyTorch's libkineto. As a context it silences libkineto's log: messages about our recording do not belong on the job's
    stderr."""
    LEVEL = "_ZN9libkineto6Logger14severityLevel_E"
    CLASS = "_ZN5torch8autograd8profiler14ProfilerResult"
    SAVE = CLASS + "4saveERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
    SILENT = 99  # above libkineto's most severe level

    def __init__(self, library):
        self.c, self.library, self.before = c_interface(), library, None
        self.level = function_of(self.c, library, self.LEVEL) if self.c is not None else 0

    def number(self):
        class Int(self.c._SimpleCData):
            _type_ = "i"
        return Int.from_address(self.level)

    def __enter__(self):
        if self.level and self.before is None:
            level = self.number()
            if 0 <= level.value < 16:
                self.before, level.value = level.value, self.SILENT

    def __exit__(self, *unused):
        if self.before is not None:
            level = self.number()
            if level.value == self.SILENT:
                level.value = self.before
            self.before = None

    def function(self, name):
        return function_of(self.c, self.library, name) if self.c is not None else 0

    def object_of(self, result):
        """The address of the C++ object of a recording; 0 unless it is certain. pybind11 keeps the pointer after the head of its own
        object; the class begins with a number that Python can ask for, which checks the address."""
        if type(type(result)).__name__ != "pybind11_type" or not hasattr(result, "trace_start_ns"):
            return 0
        this = number_at(id(result) + object.__basicsize__)
        return this if this and number_at(this) == result.trace_start_ns() else 0

    def empty(self, result):
        """Frees what a recording holds, without the interpreter's lock. It calls the destructor and then a constructor, because Python's
        object will destroy it once more."""
        this, end, begin = self.object_of(result), self.function(self.CLASS + "D1Ev"), self.function(self.CLASS + "C1Ev")
        if this and end and begin:
            self.c.call_function(end, (pointer_to(self.c, this),))
            self.c.call_function(begin, (pointer_to(self.c, this),))

    def save(self, result, path):
        """Writes a recording without the interpreter's lock. torch's own binding keeps the lock, which takes two seconds for one second
        of a busy job. False: nothing was written."""
        save, this, text = self.function(self.SAVE), self.object_of(result), os.fsencode(path)
        if not save or not this or len(text) < 16:
            return False
        body = bytes.__basicsize__ - 1  # bytes before the contents of a bytes object
        # a std::string that refers to the text
        string = b"".join(n.to_bytes(8, "little") for n in (id(text) + body, len(text), len(text), 0))
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600))
        self.c.call_function(save, (pointer_to(self.c, this), pointer_to(self.c, id(string) + body)))
        return os.path.getsize(path) > 0


class Unheard:
    """Catches the line that libkineto prints to the C library's stderr once a process, when a thread other than the main thread starts the
    first recording. Everything else that is printed meanwhile is passed on afterwards."""
    LINE = b"ERROR: External init callback must run in same thread"

    def __init__(self, c):
        self.c, self.stream = c, None

    def call(self, name, *pointers):
        class Function(self.c.CFuncPtr):
            _flags_, _restype_ = 1, type(pointer_to(self.c, 0))  # the calling convention of C
        address = function_of(self.c, None, name)
        return Function(address)(*(pointer_to(self.c, p) for p in pointers)) if address else None

    def __enter__(self):
        if self.c is None:
            return
        try:
            class Two(self.c.Array):
                _type_, _length_ = type(pointer_to(self.c, 0)), 2
            self.at = function_of(self.c, None, "stderr")
            self.kept = Two()  # the address and the size of the text
            start = self.c.addressof(self.kept)
            self.stream = self.call("open_memstream", start, start + 8) if self.at else None
            if self.stream:
                self.before = self.swap(self.stream)
        except Exception:
            self.stream = None

    def swap(self, stream):
        stderr = type(pointer_to(self.c, 0)).from_address(self.at)
        before, stderr.value = stderr.value, stream
        return before

    def __exit__(self, *unused):
        if not self.stream:
            return
        self.swap(self.before)
        self.call("fflush", self.stream)  # the stream is not closed: a thread may be inside a call that prints to it
        text, size = number_at(self.c.addressof(self.kept)), number_at(self.c.addressof(self.kept) + 8)
        if text and size:
            with open("/proc/self/mem", "rb", 0) as f:
                heard = os.pread(f.fileno(), min(size, 1 << 20), text)
            rest = b"".join(line for line in heard.splitlines(True) if not line.startswith(self.LINE))
            if rest:
                os.write(2, rest)


class Stalls:
    """Measures the longest time for which a thread got no turn to run Python while this was on. A framework that keeps the interpreter's
    lock stops the job for that long. On a busy machine the figure includes the wait for a CPU: it is rather too high than too low."""
    NAP = 0.002

    def __init__(self):
        self.longest, self.depth, self.ended = 0.0, 0, None

    def __enter__(self):
        self.depth += 1
        if self.depth == 1:
            self.ended = _thread.allocate_lock()
            self.ended.acquire()
            _thread.start_new_thread(self.watch, (time.monotonic(),))

    def __exit__(self, *unused):
        self.depth -= 1
        if not self.depth:
            self.ended.acquire()

    def watch(self, before):
        """The first and the last look count too: a stall may be over before this thread has its first turn."""
        while True:
            now = time.monotonic()
            self.longest, before = max(self.longest, now - before - self.NAP), now
            if not self.depth:
                break
            time.sleep(self.NAP)
        self.ended.release()
