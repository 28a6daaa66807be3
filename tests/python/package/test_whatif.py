# SPDX-License-Identifier: Apache-2.0
"""Profile.whatif: the predicted step time as a table."""
import os
import unittest

import support  # noqa: F401  finds the package
import tfprof

JOBS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "data", "sample", "jobs")


def rows(report):
    return {row.scenario: row for row in report}


class Whatif(unittest.TestCase):
    def setUp(self):
        self.p = tfprof.open(os.path.join(JOBS, "rank0.json"), os.path.join(JOBS, "rank1.json"))

    def test_without_a_change_the_best(self):
        found = list(self.p.whatif())
        self.assertEqual(found[0].scenario, "today")
        self.assertEqual(len(found), 11)
        gains = [row.gain_us for row in found[1:]]
        self.assertEqual(gains, sorted(gains, reverse=True))

    def test_changes(self):
        found = rows(self.p.whatif(faster={"gemm.*": 2}, link="comm=2x"))
        self.assertEqual(list(found), ["today", "faster gemm.*=2", "link comm=2x", "all"])
        self.assertEqual((found["today"].step_us, found["faster gemm.*=2"].step_us), (2815, 1765))
        self.assertLess(found["all"].step_us, 1765)

    def test_each_keyword(self):
        for options, scenario, step in (({"no_sync": True}, "no-sync", 2681), ({"ideal": "stragglers"}, "ideal stragglers", 2512),
                                        ({"input": 0}, "input 0", 2665), ({"launch": "2us"}, "launch 2us", 2815),
                                        ({"link": 2}, None, 2615), ({"overlap": "comm"}, "overlap comm", None)):
            found = list(self.p.whatif(**options))
            self.assertEqual(len(found), 2, options)
            if scenario:
                self.assertEqual(found[1].scenario, scenario)
            if step:
                self.assertLessEqual(found[1].step_us, step)

    def test_one_step(self):
        found = rows(self.p.whatif(faster={"gemm.*": 2}, step=1))
        self.assertEqual(found["today"].step_us, 2815)

    def test_advise_has_the_same_gain(self):
        told = {row.checker: row for row in self.p.advise()}
        for rule, options in (("Stragglers", {"ideal": "stragglers"}), ("ExposedCommunication", {"overlap": "comm"})):
            gain = list(self.p.whatif(**options))[1].gain_us
            self.assertAlmostEqual(told[rule].gain_seconds * 1e6, gain, places=6)
            self.assertIn("by whatif", told[rule].report)

    def test_refusals(self):
        with self.assertRaises(tfprof.Error):
            self.p.whatif(faster={"no_such_kernel": 2})
        with self.assertRaises(tfprof.Error):
            self.p.whatif(overlap="all")
        with self.assertRaises(tfprof.Error) as refused:
            tfprof.open(os.path.join(JOBS, "late.json")).whatif(no_sync=True)
        self.assertIn("replay", str(refused.exception))
