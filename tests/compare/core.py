# SPDX-License-Identifier: Apache-2.0
"""Asks the tfprof core inside TensorFlow (tensorflow-cpu 2.21.0) what it answers. Needs g++ for bridge.cc.

A case is a dict:
    inputs      {"profile": F} or {"graph": F, "run_meta": [F, ...], "op_log": F}, either with "checkpoint": PREFIX
    view        scope, graph, op, code or advise; with "options": ["-name", "value", ...]
    stdin       instead of a view: the lines of a session
{OUT} in options and lines stands for the output file. An answer is a dict: stdout, files (by what follows the output
file's name), proto (the returned one, serialized) and coverage (a figure for each run_meta).
"""
import ctypes
import gzip
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NUMBERS = ('max_depth', 'step', 'min_bytes', 'min_peak_bytes', 'min_residual_bytes', 'min_output_bytes', 'min_micros',
           'min_accelerator_micros', 'min_cpu_micros', 'min_params', 'min_float_ops', 'min_occurrence')
LISTS = {'account_type_regexes': '.*', 'start_name_regexes': '.*', 'trim_name_regexes': '', 'show_name_regexes': '.*',
         'hide_name_regexes': '', 'select': 'micros'}
TRUE = ('true', 't', 'yes', 'y', '1')
CHECKERS = ('AcceleratorUtilizationChecker', 'OperationChecker', 'ExpensiveOperationChecker')


def read(path):
    """The bytes of a file, or of FILE.gz unpacked."""
    if not os.path.exists(path) and os.path.exists(path + '.gz'):
        path += '.gz'
    with open(path, 'rb') as f:
        data = f.read()
    return gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data


def build_bridge(folder):
    target, source = os.path.join(folder, 'bridge.so'), os.path.join(HERE, 'bridge.cc')
    if not os.path.exists(target) or os.path.getmtime(target) < os.path.getmtime(source):
        os.makedirs(folder, exist_ok=True)
        subprocess.run(['g++', '-shared', '-fPIC', '-O1', '-std=c++17', '-o', target, source], check=True)
    return target


class Quiet:
    """Redirects file descriptor 1 (and 2) into temporary files."""

    def __init__(self, fds=(1, 2)):
        self.fds, self.texts = fds, []

    def __enter__(self):
        sys.stdout.flush()
        sys.stderr.flush()
        self.kept = [os.dup(fd) for fd in self.fds]
        self.files = [tempfile.TemporaryFile() for _ in self.fds]
        for fd, file in zip(self.fds, self.files):
            os.dup2(file.fileno(), fd)
        return self

    def __exit__(self, *_):
        ctypes.CDLL(None).fflush(None)
        for fd, kept, file in zip(self.fds, self.kept, self.files):
            os.dup2(kept, fd)
            os.close(kept)
            file.seek(0)
            self.texts.append(file.read())
            file.close()


class Core:
    def __init__(self, folder):
        """folder: where the bridge is compiled."""
        os.environ.update(TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='')
        with Quiet((2,)):
            import tensorflow
            from google.protobuf import text_format
            from tensorflow.core.framework import graph_pb2
            from tensorflow.core.profiler import tfprof_options_pb2, tfprof_output_pb2
            from tensorflow.python.util import _pywrap_tfprof
        self.text_format, self.graph_pb2, self.binding = text_format, graph_pb2, _pywrap_tfprof
        self.options_pb2, self.output_pb2 = tfprof_options_pb2, tfprof_output_pb2
        place = os.path.dirname(tensorflow.__file__)
        for name in ('libtensorflow_framework.so.2', 'libtensorflow_cc.so.2'):
            ctypes.CDLL(os.path.join(place, name), ctypes.RTLD_GLOBAL)
        self.lib = lib = ctypes.CDLL(build_bridge(folder))
        pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
        for name, result, *arguments in (
                ('open_profile', pointer, text, text), ('open', pointer, text, size, text, size, text),
                ('add_step', None, pointer, ctypes.c_int64, text, size), ('options', pointer, text, size),
                ('copy', pointer, pointer), ('listing', pointer, pointer, pointer), ('parse', text, text, pointer),
                ('show', pointer, pointer, text, pointer, pointer)):
            function = getattr(lib, 'bridge_' + name)
            function.restype, function.argtypes = result, arguments

    def bytes_of(self, function, *arguments):
        size = ctypes.c_size_t()
        at = function(*arguments, ctypes.byref(size))
        return ctypes.string_at(at, size.value)

    def graph_bytes(self, path):
        raw = read(path)
        graph = self.graph_pb2.GraphDef()
        try:
            self.text_format.Parse(raw.decode(), graph)
        except (UnicodeDecodeError, self.text_format.ParseError):
            return raw
        return graph.SerializeToString()

    def options(self, words):
        """-name value words as the core's options: every field is set, as on a command line."""
        proto = self.options_pb2.OptionsProto(max_depth=10, step=-1, order_by='name')
        lists = dict(LISTS)
        words = list(words)
        while words:
            name = words.pop(0).lstrip('-')
            if name == 'account_displayed_op_only' and (not words or words[0].startswith('-')):
                proto.account_displayed_op_only = True
                continue
            value = words.pop(0)
            if name in LISTS:
                lists[name] = value
            elif name in NUMBERS:
                setattr(proto, name, int(value))
            elif name == 'account_displayed_op_only':
                proto.account_displayed_op_only = value in TRUE
            else:
                setattr(proto, name, value)
        for name, value in lists.items():
            getattr(proto, name).extend(item for item in value.split(',') if item)
        data = proto.SerializeToString()
        made = self.lib.bridge_options(data, len(data))
        if not made:
            raise ValueError('TensorFlow refuses the options %s' % words)
        return made

    def open(self, inputs, base):
        """Loads the inputs twice: through the bridge, and through the binding, because only the binding gives
        coverage and advice."""
        def path(name):
            return os.path.join(base, inputs[name]).encode() if inputs.get(name) else None
        if inputs.get('profile'):
            self.binding.ProfilerFromFile(path('profile').decode())
            return self.lib.bridge_open_profile(path('profile'), path('checkpoint')), []
        graph = self.graph_bytes(path('graph').decode()) if inputs.get('graph') else b''
        log = read(path('op_log').decode()) if inputs.get('op_log') else b''
        stats = self.lib.bridge_open(graph, len(graph), log, len(log), path('checkpoint'))
        self.binding.NewProfiler(graph, log)
        coverage = []
        for step, name in enumerate(inputs.get('run_meta', [])):
            meta = read(os.path.join(base, name))
            self.lib.bridge_add_step(stats, step, meta, len(meta))
            coverage.append('%.2f' % self.binding.AddStep(step, b'', meta, b''))
        return stats, coverage

    def show(self, stats, view, options):
        """Prints the view; -> the returned proto. The blocks of advise are printed in the order of their
        names."""
        if view != 'advise':
            return self.bytes_of(self.lib.bridge_show, stats, view.encode(), options)
        asked = self.options_pb2.AdvisorOptionsProto()
        for name in CHECKERS:
            asked.checkers[name].SetInParent()
        with Quiet((1,)):  # it prints in the order of a hash table
            proto = self.binding.Profile('advise', asked.SerializeToString())
        advice = self.output_pb2.AdviceProto.FromString(proto)
        for name in sorted(advice.checkers):
            text = '\n%s:\n%s' % (name, ''.join(r + '\n' for r in advice.checkers[name].reports))
            os.write(1, text.encode())
        return proto

    def session(self, stats, lines):
        """The prompt's loop if stdin is not a terminal: `set` keeps its options, other commands use theirs
        once."""
        kept = self.options([])
        for line in lines:
            if not line:
                os.write(1, self.bytes_of(self.lib.bridge_listing, kept))
                continue
            used = self.lib.bridge_copy(kept)
            command = self.lib.bridge_parse(line.encode(), used)
            if command == b'set':
                kept = used
            elif command:
                self.show(stats, command.decode(), used)

    def answer(self, stats, coverage, case):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, 'out')
            proto = b''
            with Quiet() as quiet:
                if 'stdin' in case:
                    self.session(stats, case['stdin'].replace('{OUT}', out).split('\n')[:-1])
                else:
                    options = self.options(w.replace('{OUT}', out) for w in case.get('options', []))
                    proto = self.show(stats, case['view'], options)
            files = {name[len('out'):]: read(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}
            return {'stdout': quiet.texts[0].replace(out.encode(), b'{OUT}'), 'files': files, 'proto': proto,
                    'coverage': coverage}

    def answers(self, cases, base):
        """One answer for each case, in order; None if the core crashed. Each set of inputs is loaded once, in a
        child process."""
        found, groups = {}, {}
        for case in cases:
            groups.setdefault(json.dumps(case['inputs'], sort_keys=True), []).append(case)
        for group in groups.values():
            while group:
                done = self.in_child(group, base)
                found.update(done)
                group = group[len(done):]
                if group:  # the core crashed in this case
                    found[group[0]['id']] = None
                    group = group[1:]
        return [found[case['id']] for case in cases]

    def in_child(self, cases, base):
        import pickle
        with tempfile.TemporaryFile() as results:
            pid = os.fork()
            if pid == 0:
                status = 1
                try:
                    with Quiet():
                        stats, coverage = self.open(cases[0]['inputs'], base)
                    for case in cases:
                        pickle.dump((case['id'], self.answer(stats, coverage, case)), results)
                        results.flush()
                    status = 0
                except BaseException as wrong:
                    os.write(2, ('%s: %r\n' % (cases[0]['id'], wrong)).encode())
                finally:
                    os._exit(status)
            os.waitpid(pid, 0)
            results.seek(0)
            done = {}
            while True:
                try:
                    name, answer = pickle.load(results)
                except (EOFError, pickle.UnpicklingError):
                    return done
                done[name] = answer
