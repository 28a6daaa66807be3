# SPDX-License-Identifier: Apache-2.0
"""tfprof.query: SQL over profiles, from Python."""

import gc
import os
import signal
import sqlite3
import threading
import time
import unittest

import support
import tfprof

ENDLESS = (
    "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t"
)


def sample(*parts):
    return os.path.join(support.SAMPLE, *parts)


class Queries(unittest.TestCase):
    def setUp(self):
        self.odd = tfprof.open(sample("odd", "profile_5"))
        self.dense = tfprof.open(sample("dense", "profile_3.gz"))

    def test_the_answer_is_a_report(self):
        r = self.dense.query("SELECT name AS n, node, node / 2.0 AS half, NULL AS no FROM nodes")
        self.assertEqual(r.columns, ["n", "node", "half", "no"])
        self.assertEqual(r.column("n"), self.dense.node_names)
        self.assertEqual(r.column("node"), list(range(len(self.dense.node_names))))
        self.assertEqual(r.column("half")[3], 1.5)
        self.assertEqual(set(r.column("no")), {None})
        self.assertEqual(len(r.to_dict()["rows"]), len(r))

    def test_the_same_as_sqlite_says(self):
        r = self.dense.query("SELECT node, step, run_us FROM executions")
        db = sqlite3.connect(":memory:")
        db.execute("CREATE TABLE executions(node INTEGER, step INTEGER, run_us INTEGER)")
        rows = list(zip(*(r.column(name) for name in r.columns)))
        db.executemany("INSERT INTO executions VALUES (?, ?, ?)", rows)
        sql = "SELECT step, count(*), sum(run_us), avg(run_us) FROM executions GROUP BY 1"
        ours = self.dense.query(sql)
        got = list(zip(*(ours.column(name) for name in ours.columns)))
        self.assertEqual(got, db.execute(sql).fetchall())

    def test_sums_are_those_of_the_op_view(self):
        for step in self.dense.steps:
            r = self.dense.query(
                "SELECT t.name, sum(run_us) AS us FROM types t JOIN executions USING (node)"
                " WHERE step = %d AND t.name IN (SELECT op FROM nodes) GROUP BY 1" % step
            )
            view = self.dense.op(step=step, max_depth=1000, select=["micros"])
            for name, us in zip(r.column("name"), r.column("us")):
                self.assertEqual(view[name].micros, us)

    def test_several_profiles_have_names(self):
        sql = "SELECT profile, count(*) AS n FROM nodes GROUP BY 1 ORDER BY 1"
        r = tfprof.query(sql, self.odd, self.dense, names=["b", "a"])
        self.assertEqual(r.column("profile"), ["a", "b"])
        self.assertEqual(r.column("n"), [183, 38])
        r = tfprof.query(sql, self.odd, self.odd, sample("odd", "profile_5"))
        self.assertEqual(r.column("n"), [38] * 3)
        self.assertEqual(len(set(r.column("profile"))), 3)

    def test_a_report_outlives_the_others(self):
        r = tfprof.query("SELECT count(*) AS n FROM nodes", self.odd, sample("dense", "profile_3.gz"))
        self.odd = self.dense = None
        gc.collect()
        self.assertEqual(r.column("n"), [221])

    def test_mistakes_are_told(self):
        for sql, words in (
            ("SELECT nme FROM nodes", r"no such column: nme; did you mean name\?"),
            ("DELETE FROM nodes", "may not be modified"),
            ("ATTACH 'x' AS x", "only SELECT"),
            ("", "no statement"),
        ):
            with self.assertRaisesRegex(tfprof.UsageError, words):
                self.odd.query(sql)
        with self.assertRaises(tfprof.UsageError):
            tfprof.query("SELECT 1")
        with self.assertRaises(tfprof.UsageError):
            tfprof.query("SELECT 1", self.odd, names=["a", "b"])
        with self.assertRaisesRegex(tfprof.UsageError, "two profiles"):
            tfprof.query("SELECT 1", self.odd, self.dense, names=["a", "a"])
        with self.assertRaises(TypeError):
            tfprof.query("SELECT 1", 7)

    def test_a_query_ends_in_time(self):
        start = time.monotonic()
        with self.assertRaisesRegex(tfprof.LimitError, "time_limit"):
            self.odd.query(ENDLESS, time_limit=0.3)
        self.assertLess(time.monotonic() - start, 10)

    def test_ctrl_c_ends_a_query(self):
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            self.odd.query(ENDLESS)
        self.assertLess(time.monotonic() - start, 10)

    def test_threads_ask_at_once(self):
        found = []

        def ask():
            for _ in range(20):
                r = tfprof.query("SELECT sum(run_us) AS us FROM executions", self.odd, self.dense)
                found.append(r.column("us")[0])

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 80)
        self.assertEqual(len(set(found)), 1)
