# SPDX-License-Identifier: Apache-2.0
"""Runs our program on the cases of core.py, and returns answers in the same form. Plain Python."""
import gzip
import os
import re
import subprocess
import tempfile

FLAGS = (('profile', '--profile_path='), ('graph', '--graph_path='), ('run_meta', '--run_meta_path='),
         ('op_log', '--op_log_path='), ('checkpoint', '--checkpoint_path='))
SECONDS = 120


def executable(path):
    path = os.path.abspath(path)
    if not os.access(path, os.X_OK):
        raise SystemExit('%s: no such program' % path)
    return path


def path_of(base, name):
    path = os.path.join(base, name)
    return path if os.path.exists(path) or not os.path.exists(path + '.gz') else path + '.gz'


def command_of(program, case, base):
    words = [program] + ([case['view']] if 'view' in case else [])
    for key, flag in FLAGS:
        names = case['inputs'].get(key)
        if names:
            names = names if isinstance(names, list) else [names]
            words.append(flag + ','.join(path_of(base, n) for n in names))
    options = case.get('options', [])
    if case.get('view') in ('advise', 'graph') or any('pprof:' in option for option in options):
        words += ['-compat', 'tensorflow']  # where tfprof differs from TensorFlow on purpose
    return words + options


def answer(program, case, base):
    """-> the answer, and the output on stderr; raises RuntimeError if the program crashes."""
    with tempfile.TemporaryDirectory() as folder:
        out, proto = os.path.join(folder, 'out'), os.path.join(folder, 'proto')
        words = [w.replace('{OUT}', out) for w in command_of(program, case, base)]
        if 'view' in case:
            words.append('--proto_out=' + proto)
        typed = case.get('stdin', '').replace('{OUT}', out)
        try:
            done = subprocess.run(words, input=typed.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=SECONDS, cwd=folder)
        except subprocess.TimeoutExpired:
            raise RuntimeError('no answer after %d s' % SECONDS)
        said = done.stderr.decode('utf-8', 'replace')
        if done.returncode < 0 or done.returncode > 5:
            raise RuntimeError('ended with status %d: %s' % (done.returncode, said[-500:]))
        found = {}
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), 'rb') as f:
                data = f.read()
            found[name] = gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data
        coverage = re.findall(r'(?m)^(?:tfprof: )?run graph coverage: (\S+)$', said)
        files = {name[len('out'):]: data for name, data in sorted(found.items()) if name != 'proto'}
        return {'stdout': done.stdout.replace(out.encode(), b'{OUT}'), 'files': files,
                'proto': found.get('proto', b''), 'coverage': coverage}, said
