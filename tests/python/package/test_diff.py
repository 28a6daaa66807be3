# SPDX-License-Identifier: Apache-2.0
"""tfprof.diff: means over steps, Welch's intervals compared with numpy's numbers, texts, limits, and invalid
comparisons."""

import os
import tempfile
import unittest

import numpy
import support
import tfprof
import wire

TEXT = b"_TFProfRoot (--/%dMB)\n  a (1MB/%dMB)\n"


def density_table(freedom, most=400.0, count=2_000_001):
    """The distribution of |T| by numerical integration, which shares no code or method with the
    library."""
    t = most * numpy.linspace(0, 1, count) ** 3
    log = numpy.log1p(t * t / freedom) * (-(freedom + 1) / 2)
    values = numpy.exp(log)
    area = numpy.concatenate([[0], numpy.cumsum((values[1:] + values[:-1]) / 2 * numpy.diff(t))])
    # beyond `most` the density falls as t ** -(freedom + 1)
    rest = values[-1] * most / freedom
    return t, area / (area[-1] + rest)


def quantile(freedom):
    t, share = density_table(freedom)
    return float(numpy.interp(0.95, share, t))


def totals(profile, column):
    """For each row name the totals of all steps, 0 for steps without the row."""
    steps = profile.steps
    found = {}
    for i, step in enumerate(steps):
        report = profile.scope(step=step, max_depth=1000, select=[column])
        for row in report:
            found.setdefault(row.name, numpy.zeros(len(steps)))[i] = row["total_" + column]
    return found


def exec_stats(i, us):
    """NodeExecStats that start at 1 and last this long."""
    fields = [(f, wire.VARINT, n) for f, n in ((2, 1), (4, us), (5, us))]
    return wire.write([(1, wire.BYTES, b"n%d" % i)] + fields)


def made(steps, shape=4, device="/device:CPU:0"):
    """A profile of nodes n0, n1 ... with these microseconds in each step."""
    node = 'node { name: "n%d" op: "MatMul" attr { key: "_output_shapes" '
    node += 'value { list { shape { dim { size: %d } } } } } '
    node += 'attr { key: "shape" value { shape { dim { size: %d } } } } }'
    graph = "".join(node % (i, shape, shape) for i in range(len(steps[0])))
    metas = []
    for times in steps:
        nodes = [(2, wire.BYTES, exec_stats(i, us)) for i, us in enumerate(times)]
        stats = wire.write([(1, wire.BYTES, ("/job:localhost/replica:0/task:0" + device).encode())] + nodes)
        metas.append(wire.write([(1, wire.BYTES, wire.write([(1, wire.BYTES, stats)]))]))
    return tfprof.open(graph=graph.encode(), run_meta=metas)


class DiffTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dense = tfprof.open(os.path.join(support.SAMPLE, "dense", "profile_3.gz"))
        cls.resource = tfprof.open(os.path.join(support.SAMPLE, "dense_resource", "profile_3.gz"))

    def test_means_and_intervals_are_those_of_numpy(self):
        r = tfprof.diff(self.dense, self.resource, delta=0, min_size=0, select="micros")
        a, b = totals(self.dense, "micros"), totals(self.resource, "micros")
        tested = 0
        for row in r:
            for side, of in (("left", a), ("right", b)):
                if row.name in of:
                    self.assertAlmostEqual(row["micros_" + side], of[row.name].mean(), places=9, msg=row.name)
                else:
                    self.assertIsNone(row["micros_" + side])
            if row.micros_low is None:
                self.assertEqual(row.micros_significant, "unknown")
                self.assertTrue(row.only)
                continue
            x, y = a[row.name], b[row.name]
            u, v = x.var(ddof=1) / len(x), y.var(ddof=1) / len(y)
            middle, reach = y.mean() - x.mean(), 0.0
            if u + v > 0 and tested < 12:  # few cases, because the integration is slow
                freedom = (u + v) ** 2 / (u * u / (len(x) - 1) + v * v / (len(y) - 1))
                reach = quantile(freedom) * numpy.sqrt(u + v)
                tested += 1
            elif u + v > 0:
                reach = (row.micros_high - row.micros_low) / 2
            self.assertAlmostEqual(row.micros_low, middle - reach, delta=1e-5 * (1 + reach), msg=row.name)
            self.assertAlmostEqual(row.micros_high, middle + reach, delta=1e-5 * (1 + reach), msg=row.name)
        self.assertGreater(tested, 5)

    def test_noise_is_no_change_and_a_clear_change_is_one(self):
        same = tfprof.diff(self.dense, self.dense, delta=0)
        self.assertEqual(len(same), 1)
        self.assertEqual(same[0].micros_significant, "no")
        self.assertTrue(all('means are over all' in note for note in same.notes), same.notes)
        slow, slower = made([[100], [101], [99]]), made([[120], [121], [119]])
        self.assertEqual(tfprof.diff(slow, slower).column("micros_significant"), ["yes", "yes"])
        few = tfprof.diff(slow, made([[120], [121]]))
        self.assertEqual(few.column("micros_significant"), ["unknown", "unknown"])
        self.assertNotIn("micros_low", few.columns)

    def test_many_rows_are_corrected_for(self):
        rng = numpy.random.default_rng(7)
        shifts = [0, 0, 0, 0, 0, 8, 9, 60, 0, 0]
        before = [[int(rng.normal(100, 5)) for _ in shifts] for _ in range(5)]
        after = [[int(rng.normal(100 + shift, 5)) for shift in shifts] for _ in range(4)]
        r = tfprof.diff(made(before), made(after), delta=0)
        x, y = totals(made(before), "micros"), totals(made(after), "micros")
        found = {}
        for name in x:
            u, v = (of[name].var(ddof=1) / len(of[name]) for of in (x, y))
            t = abs(y[name].mean() - x[name].mean()) / numpy.sqrt(u + v)
            at, share = density_table((u + v) ** 2 / (u * u / 4 + v * v / 3))
            if t:
                found[name] = 1 - numpy.interp(t, at, share)
        order = sorted(found, key=found.get)
        most = max((i + 1 for i, name in enumerate(order) if found[name] <= 0.05 * (i + 1) / len(order)), default=0)
        wanted = set(order[:most])
        self.assertGreater(len([p for p in found.values() if p < 0.05]), len(wanted) - 1)
        self.assertTrue(0 < len(wanted) < len(found))
        self.assertEqual({row.name for row in r if row.micros_significant == "yes"}, wanted)
        self.assertEqual({row.name for row in r} - {"_TFProfRoot"}, wanted - {"_TFProfRoot"})
        self.assertIn("not shown", r.notes[-1])
        gate = tfprof.diff(made(before), made(after), fail_over="1us")
        self.assertEqual({line.split(":")[0] for line in gate.over}, wanted)

    def test_other_work_is_told_first(self):
        one, other = made([[1, 2, 3]]), made([[1, 2, 3, 4]], shape=8, device="/device:GPU:0")
        notes = tfprof.diff(one, other).notes
        self.assertIn("25.0% of the nodes are on one side only (0 and 1 of 4, first: n3)", notes[0])
        self.assertIn("left and right have different shapes in 3 of 3 nodes (first: n0, 4 and 8)", notes[1])
        self.assertIn("left and right ran 3 of 3 nodes on different devices", notes[2])
        self.assertEqual(len(notes), 3)

    def test_steps_of_one_profile(self):
        r = tfprof.diff((self.dense, 0), (self.dense, 3), names=["first", "last"])
        root = self.dense.scope(step=3).root
        self.assertEqual(r[0].micros_last, root.total_micros)
        self.assertEqual(r[0].micros_significant, "unknown")
        with self.assertRaises(tfprof.NotFoundError):
            tfprof.diff((self.dense, 0), (self.dense, 99))

    def test_every_view_and_its_totals(self):
        for view in ("graph", "op", "code"):
            r = tfprof.diff((self.dense, 0), (self.dense, 3), view=view, select=["bytes", "micros"], min_size=0)
            one = getattr(self.dense, view)(step=0, max_depth=1000, select=["bytes"])
            if view != "op":
                self.assertEqual(r[0].bytes_left, one.root.total_bytes)
                continue
            own = {row.name: row.bytes for row in one}
            for row in list(r)[1:]:
                self.assertEqual(row.bytes_left, own[row.name])

    def test_texts_files_and_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "printed")
            with open(path, "wb") as file:
                file.write(TEXT % (5, 5))
            r = tfprof.diff(path, TEXT % (7, 7), fail_over="5%")
            self.assertEqual(r[1].bytes_difference, 2e6)
            self.assertEqual(len(r.over), 2)
            with open(path, "wb") as file:
                file.write(b"foreign\n")
            with self.assertRaisesRegex(tfprof.InputError, "printed:1:1"):
                tfprof.diff(path, TEXT % (7, 7))

    def test_a_profile_against_what_it_printed(self):
        text = str(self.dense.scope(select="params", max_depth=100)).encode()
        r = tfprof.diff(self.dense, text, select="params", delta=0.01)
        self.assertEqual([row.name for row in r], ["_TFProfRoot"])

    def test_script_form(self):
        r = tfprof.diff(TEXT % (5, 5), TEXT % (2, 2), format="script")
        lines = r.to_bytes("script").decode().splitlines()
        self.assertEqual(lines[-2:], ["_TfProfRoot (left:5MB right:2MB) +3MB x2.5", "  a (left:5MB right:2MB) +3MB x2.5"])

    def test_what_is_no_comparison(self):
        for sides, options in (
            ((), {}),
            ((self.dense,), {}),
            ((self.dense, TEXT % (1, 1)), {"select": "params"}),
            ((self.dense, self.dense), {"select": "device"}),
            ((self.dense, self.dense), {"names": "a,a"}),
            ((self.dense, self.dense), {"fail_over": "5MB"}),
            ((self.dense, self.dense), {"delta": -1.0}),
            (((self.dense, -2), self.dense), {}),
        ):
            with self.assertRaises(tfprof.UsageError, msg=str(options)):
                tfprof.diff(*sides, **options)
        with self.assertRaises(tfprof.NotFoundError):
            tfprof.diff(self.dense, self.dense, view="advise")
