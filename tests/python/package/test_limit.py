# SPDX-License-Identifier: Apache-2.0
"""@tfprof.limit: what passes, what fails and with which message, in unittest and in pytest."""
import importlib.metadata
import importlib.util
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

import tfprof

SAMPLE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "data", "sample")
TRACE = os.path.join(SAMPLE, "pytorch", "train.json.gz")
GRAPH = os.path.join(SAMPLE, "dense", "graph.pb")


def limited(made, **limits):
    """Runs a test that returns `made` under limits."""
    @tfprof.limit(**limits)
    def test_it():
        return made
    return test_it()


class Limits(unittest.TestCase):
    def over(self, made, **limits):
        with self.assertRaises(AssertionError) as told:
            limited(made, **limits)
        return str(told.exception)

    def test_what_is_within_its_limits_passes(self):
        self.assertIsNone(limited(TRACE, step_ms=14, float_ops=80580873, peak_bytes=1981288, calls=2769))

    def test_one_less_fails(self):
        self.assertIn("peak_bytes is 1,981,288, over the limit of 1,981,287", self.over(TRACE, peak_bytes=1981287))
        for name, most in (("float_ops", 1), ("calls", 1), ("step_ms", 1)):
            self.assertIn(name + " is ", self.over(TRACE, **{name: most}))

    def test_a_failure_names_operation_and_line(self):
        words = self.over(TRACE, step_ms=1)
        self.assertIn("aten::mkldnn_rnn_layer_backward", words)
        self.assertIn("pytorch.py:56:step", words)

    def test_every_limit_that_is_passed_is_told(self):
        self.assertEqual(len(self.over(TRACE, step_ms=1, peak_bytes=1).splitlines()), 2)

    def test_a_profile_and_several_paths_do(self):
        self.assertIsNone(limited(tfprof.open(GRAPH), params=4994))
        self.assertIn("params is 4,994", self.over([GRAPH], params=4993))

    def test_what_is_not_there_is_an_error(self):
        for limits in ({"step_ms": 1}, {"peak_bytes": 1}):
            with self.assertRaises(tfprof.Error):
                limited(GRAPH, **limits)
        for made in (None, 3, []):
            with self.assertRaises(tfprof.UsageError):
                limited(made, params=1)
        for limits in ({}, {"steps": 1}):
            with self.assertRaises(tfprof.UsageError):
                tfprof.limit(**limits)

    def test_name_and_arguments_stay(self):
        @tfprof.limit(params=10**6)
        def test_named(path, more=1):
            """Its own docstring."""
            return path
        self.assertEqual((test_named.__name__, test_named.__doc__), ("test_named", "Its own docstring."))
        self.assertIsNone(test_named(GRAPH, more=2))


@unittest.skipUnless(importlib.util.find_spec("pytest"), "no pytest")
class Pytest(unittest.TestCase):
    def test_the_summary_lists_what_was_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "test_own.py"), "w", encoding="utf-8") as f:
                f.write(textwrap.dedent("""
                    import tfprof
                    @tfprof.limit(params=4994)
                    def test_within(): return %r
                    @tfprof.limit(params=4993)
                    def test_over(): return %r
                    """ % (GRAPH, GRAPH)))
            installed = any(e.value == "tfprof.pytest_plugin" for e in importlib.metadata.entry_points(group="pytest11"))
            plugin = [] if installed else ["-p", "tfprof.pytest_plugin"]
            done = subprocess.run([sys.executable, "-m", "pytest", "-q", *plugin, "-p", "no:cacheprovider", folder],
                                  capture_output=True, text=True, check=False)
        for words in ("1 failed, 1 passed", "tfprof: limits", "over: test_over: params 4,994, limit 4,993", "params is 4,994, over the limit of 4,993"):
            self.assertIn(words, done.stdout)
        self.assertNotIn("Warning", done.stdout)
