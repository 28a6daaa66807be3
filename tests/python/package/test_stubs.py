# SPDX-License-Identifier: Apache-2.0
"""The stubs describe the extension exactly: mypy compares them."""
import importlib.util
import subprocess
import sys
import tempfile
import unittest


@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
class Stubs(unittest.TestCase):
    def test_each_name_and_signature_is_what_runs(self):
        done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "tfprof._native", "tfprof._build"],
                              cwd=tempfile.gettempdir(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_program_that_uses_the_package_is_checked_against_it(self):
        """py.typed is installed: mypy reports a wrong use and accepts a right one."""
        with tempfile.NamedTemporaryFile("w", suffix=".py") as f:
            f.write("import tfprof\n"
                    "from tfprof._native import Options\n"
                    "text: str = str(tfprof.open('profile').scope(select=['micros']))\n"
                    "steps: list[int] = tfprof.open('profile').steps\n"
                    "Options().set('max_depth', 3)\n")
            f.flush()
            done = subprocess.run([sys.executable, "-m", "mypy", "--no-incremental", "--follow-imports=silent", f.name],
                                  cwd=tempfile.gettempdir(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(done.stdout.count("error:"), 1, done.stdout)
        self.assertIn(":5: error: Argument 2 to \"set\" of \"Options\"", done.stdout)
