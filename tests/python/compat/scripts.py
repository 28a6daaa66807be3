# SPDX-License-Identifier: Apache-2.0
"""Runs the users' scripts of examples/, as they are or with only their import lines changed to
ours."""

import contextlib
import ctypes
import io
import os
import sys
import tempfile

import support

tensorflow = support.load_tensorflow()
tf = tensorflow.compat.v1
from tensorflow.python.client import session as tf_session  # noqa: E402

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'examples')
# TensorFlow's import lines, each followed by our replacement.
IMPORTS = """
from tensorflow.compat.v1 import profiler
from tfprof.compat import v1 as profiler

from tensorflow.compat.v1 import profiler as tfprof
from tfprof.compat import v1 as tfprof

from tensorflow.compat.v1.profiler import ProfileOptionBuilder as builder
from tfprof.compat.v1 import ProfileOptionBuilder as builder

from tensorflow.python.profiler import model_analyzer
from tfprof.compat.v1 import model_analyzer

from tensorflow.python.profiler import option_builder
from tfprof.compat.v1 import option_builder

from tensorflow.python.profiler import profile_context
from tfprof.compat.v1 import profile_context

from tensorflow.python.util import _pywrap_tfprof as pywrap
from tfprof.compat.v1 import pywrap

from tensorflow.python.platform import gfile
from tfprof import gfile

from tensorflow.contrib import tfprof
from tfprof import contrib as tfprof
"""
PAIRS = dict(pair.split('\n') for pair in IMPORTS.strip().split('\n\n'))


def source_of(name, ours):
    """The text of a script; with `ours` its import lines are replaced as above, and nothing
    else."""
    with open(os.path.join(EXAMPLES, name)) as file:
        lines = file.read().split('\n')
    changed = [PAIRS.get(line, line) if ours else line for line in lines]
    if ours and changed == lines:
        raise AssertionError('%s imports nothing of ours' % name)
    return '\n'.join(changed)


class Tape:
    """Gives the second run the run metadata of the first, because the test compares how they are
    shown."""

    def __init__(self):
        self.metas, self.at = [], None

    def rewind(self):
        self.at = 0

    @contextlib.contextmanager
    def playing(self):
        run = tf_session.BaseSession.run

        def taped(session, fetches, feed_dict=None, options=None, run_metadata=None):
            result = run(session, fetches, feed_dict, options, run_metadata)
            if run_metadata is not None and self.at is None:
                self.metas.append(run_metadata.SerializeToString())
            elif run_metadata is not None:
                run_metadata.ParseFromString(self.metas[self.at])
                self.at += 1
            return result

        tf_session.BaseSession.run = taped
        try:
            yield
        finally:
            tf_session.BaseSession.run = run


class Ran:
    """The results of a script: text (standard output), errors, and files (path below its folder:
    bytes)."""

    def __init__(self, text, errors, files):
        self.text, self.errors, self.files = text, errors, files


def run(name, ours, tape, *arguments):
    """Runs examples/NAME with a folder of its own (before the other arguments)."""
    code = compile(source_of(name, ours), os.path.join(EXAMPLES, name), 'exec')
    libc = ctypes.CDLL(
        None
    )  # unbuffered, so that the output of C and of Python comes out in the right order
    libc.setvbuf(ctypes.c_void_p.in_dll(libc, 'stdout'), None, 2, 0)
    with tempfile.TemporaryDirectory() as folder:
        tf.reset_default_graph()
        kept, sys.argv = sys.argv, [name] + [
            a.replace('{FOLDER}', folder) for a in arguments or ('{FOLDER}',)
        ]
        spoken = io.TextIOWrapper(io.BytesIO(), encoding='utf-8')
        with support.Descriptors(1, 2) as heard:
            out = spoken if ours else open(1, 'w', closefd=False, buffering=1)
            with contextlib.redirect_stdout(out), tape.playing():
                try:
                    exec(code, {'__name__': '__main__'})
                finally:
                    sys.argv = kept
                    out.flush()
        text = spoken.buffer.getvalue() if ours else heard.texts[0]
        if ours and heard.texts[0]:
            raise AssertionError('written past sys.stdout: %r' % heard.texts[0][:200])
        return Ran(
            text.replace(folder.encode(), b'{FOLDER}'),
            heard.texts[1].decode('utf-8', 'replace'),
            files_below(folder),
        )


def files_below(folder):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            found[os.path.relpath(path, folder)] = support.read(path)
    return found


def run_both(name, *arguments):
    """-> its results with TensorFlow's imports, and those with ours."""
    tape, both = Tape(), []
    for ours in (False, True):
        if ours:
            tape.rewind()
        both.append(run(name, ours, tape, *arguments))
    return both
