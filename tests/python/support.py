# SPDX-License-Identifier: Apache-2.0
"""What the tests that look at TensorFlow share: how it is loaded, asked and listened to, and when
two answers are the same (the rules are those of tests/compare/rules.py).

An Answer is what one call did: text (bytes on standard output), value, files (by what follows the
output file's name) and errors (text on standard error).
"""

import contextlib
import ctypes
import gzip
import io
import os
import sys
import tempfile
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SAMPLE = os.path.join(ROOT, 'tests', 'data', 'sample')
for _folder in ('compare', 'data'):
    sys.path.insert(0, os.path.join(ROOT, 'tests', _folder))
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import rules  # noqa: E402

CHECKERS = tuple(c.decode() for c in rules.CHECKERS)
METHODS = {
    'scope': 'profile_name_scope',
    'graph': 'profile_graph',
    'op': 'profile_operations',
    'code': 'profile_python',
}
COLUMNS = (
    'bytes',
    'peak_bytes',
    'residual_bytes',
    'output_bytes',
    'micros',
    'accelerator_micros',
    'cpu_micros',
    'params',
    'float_ops',
    'occurrence',
    'tensor_value',
    'device',
    'op_types',
    'input_shapes',
)
NUMBERS = COLUMNS[:10]


# Protobuf's message about a result nested more than 100 deep, of which it reads only a part.
TOO_DEEP = 'Exceeded upb_DecodeOptions_MaxDepth'


class Answer(typing.NamedTuple):
    text: bytes
    value: object
    files: dict
    errors: str


class Descriptors:
    """Captures what is written to file descriptors, also by C; afterwards `texts` has the bytes."""

    def __init__(self, *numbers):
        self.numbers, self.texts = numbers, []

    def __enter__(self):
        flush()
        self.kept = [os.dup(number) for number in self.numbers]
        self.files = [tempfile.TemporaryFile() for _ in self.numbers]
        for number, file in zip(self.numbers, self.files):
            os.dup2(file.fileno(), number)
        return self

    def __exit__(self, *_):
        flush()
        for number, kept, file in zip(self.numbers, self.kept, self.files):
            os.dup2(kept, number)
            os.close(kept)
            file.seek(0)
            self.texts.append(file.read())
            file.close()


def load_tensorflow():
    """Imports tensorflow without the messages that it prints."""
    with Descriptors(2):
        import tensorflow
    return tensorflow


def flush():
    sys.stdout.flush()
    sys.stderr.flush()
    ctypes.CDLL(None).fflush(None)


def read(path):
    """The bytes of a file, or of FILE.gz unpacked."""
    if not os.path.exists(path) and os.path.exists(path + '.gz'):
        path += '.gz'
    with open(path, 'rb') as file:
        data = file.read()
    return gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data


def sample(name):
    """The path of a recorded input."""
    path = os.path.join(SAMPLE, name)
    return path if os.path.exists(path) else path + '.gz'


@contextlib.contextmanager
def place_for_output():
    with tempfile.TemporaryDirectory() as folder:
        yield os.path.join(folder, 'out')


def _files(out):
    folder = os.path.dirname(out)
    return {
        name[len('out') :]: read(os.path.join(folder, name)) for name in sorted(os.listdir(folder))
    }


def of_tensorflow(call):
    """call(OUT) -> an Answer, with the output of TensorFlow's C++ and Python code; OUT is the path
    for its files."""
    with place_for_output() as out:
        with Descriptors(1, 2) as heard:
            value = call(out)
        text = heard.texts[0].replace(out.encode(), b'{OUT}')
        return Answer(text, value, _files(out), heard.texts[1].decode('utf-8', 'replace'))


def of_ours(call):
    """The same for our package. It must print through sys.stdout, so that notebooks get the text:
    output on the file descriptor itself is an error."""
    with place_for_output() as out:
        spoken = io.TextIOWrapper(io.BytesIO(), encoding='utf-8', newline='')
        errors = io.StringIO()
        with Descriptors(1) as past:
            with contextlib.redirect_stdout(spoken), contextlib.redirect_stderr(errors):
                value = call(out)
            spoken.flush()
        if past.texts[0]:
            raise AssertionError('written past sys.stdout: %r' % past.texts[0][:200])
        text = spoken.buffer.getvalue().replace(out.encode(), b'{OUT}')
        return Answer(text, value, _files(out), errors.getvalue())


def spoken(call):
    """Returns the result of a call, and its output on stderr."""
    with contextlib.redirect_stderr(io.StringIO()) as heard:
        return call(), heard.getvalue()


def quietly(call, *arguments, **named):
    """The result of a call whose output does not matter here."""
    with Descriptors(1, 2):
        return call(*arguments, **named)


# ---------------------------------------------------------------- when answers are the same
def kind_of(options):
    return str(options.get('output', 'stdout')).split(':')[0]


def difference(view, options, want, got):
    """Two Answers about a view -> what differs, or None."""
    kind = kind_of(options)
    message = _text_difference(view, kind, want.text, got.text) or _file_difference(
        kind, want.files, got.files
    )
    if message or TOO_DEEP not in want.errors:
        return message or value_difference(view, want.value, got.value)
    # The part that was read depends on the order of fields; test_compare_files and
    # test_compare_profiler compare the bytes.
    return None if TOO_DEEP in got.errors else 'the result was read: want %r' % want.errors


def _text_difference(view, kind, want, got):
    if kind in (
        'timeline',
        'pprof',
    ):  # together with such a file, only the peaks of memory are reported in words
        want, got = rules.peaks(want), rules.peaks(got)
    message = rules.compare_text(want, got, view == 'advise')
    return message and 'text ' + message


def _file_difference(kind, want, got):
    if sorted(want) != sorted(got):
        return 'files: want %s got %s' % (sorted(want), sorted(got))
    check = {'timeline': rules.compare_timeline, 'pprof': rules.compare_pprof}.get(
        kind, rules.compare_text
    )
    for name in want:
        message = check(want[name], got[name])
        if message:
            return 'file OUT%s: %s' % (name, message)
    return None


def value_difference(view, want, got):
    """Returned protos, or their bytes."""
    if isinstance(want, bytes):
        return None if want == got else rules.compare_proto(view, want, got)
    if type(want) is not type(got):
        return 'returned: want a %s got a %s' % (type(want), type(got))
    if want == got:
        return None
    if view == 'advise':
        return advice_difference(want, got)
    return (
        rules.compare_proto(view, want.SerializeToString(), got.SerializeToString())
        or 'protos differ'
    )


def advice_difference(want, got):
    """Compares AdviceProtos: the checkers that TensorFlow has must have the same findings;
    additional checkers are allowed."""
    if set(want.checkers) - set(got.checkers):
        return 'checkers: want %s got %s' % (sorted(want.checkers), sorted(got.checkers))
    for name in set(CHECKERS) & set(got.checkers):
        if list(want.checkers[name].reports) != list(got.checkers[name].reports):
            return '%s: want %s got %s' % (
                name,
                want.checkers[name].reports,
                got.checkers[name].reports,
            )
    return None


class Tally:
    """Collects the differences of many questions, so that one failure does not hide others."""

    def __init__(self):
        self.asked, self.wrong = 0, []

    def note(self, question, message):
        self.asked += 1
        if message:
            self.wrong.append('%s: %s' % (question, message))

    def check(self, test, least=1):
        """At least this many questions must have been asked, because an empty comparison proves
        nothing."""
        test.assertGreaterEqual(self.asked, least)
        if self.wrong:
            test.fail(
                '%d of %d differ\n%s' % (len(self.wrong), self.asked, '\n'.join(self.wrong[:8]))
            )
