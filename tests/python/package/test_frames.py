# SPDX-License-Identifier: Apache-2.0
"""Reports in other tools: pandas, pyarrow, polars and duckdb read them through the Arrow protocol,
IPython displays them."""

import os
import tempfile
import unittest

from support import COLUMNS, NUMBERS, sample

import tfprof

PROFILE = sample('dense/profile_3')
# Every numeric column except tensor_value.
ASKED = {
    'scope': {'select': [c for c in COLUMNS if c != 'tensor_value'], 'max_depth': 100},
    'graph': {'select': ['micros', 'params', 'op_types'], 'max_depth': 50, 'order_by': 'micros'},
    'op': {'select': ['occurrence', 'micros', 'float_ops', 'bytes'], 'max_depth': 100},
    'code': {'select': ['micros', 'params'], 'max_depth': 20, 'min_micros': 1},
}


def rows_of(report):
    """to_dict() as a list: the name of each row and its numbers, parents before children."""
    found, waiting = [], [report.to_dict()['root']]
    while waiting:
        row = waiting.pop()
        found.append(row)
        waiting.extend(reversed(row['children']))
    return found


def cells(column):
    """A column of any reader as plain numbers and texts."""
    return [None if value is None or value != value else value for value in column]


class Readers(unittest.TestCase):
    """READER(report) -> {column: list of values}; it must give what to_dict() has."""

    def setUp(self):
        self.profile = tfprof.open(PROFILE)

    def check(self, reader):
        for view, options in ASKED.items():
            report = self.profile.view(view, **options)
            rows, table = rows_of(report), reader(report)
            fields = {column['name']: column for column in report.to_dict()['columns']}
            self.assertGreater(len(rows), 5)
            self.assertEqual(cells(table['name']), [row['name'] for row in rows], view)
            compared = 0
            for column, field in fields.items():
                for name, key in (
                    (column, field['field']),
                    ('total_' + column, field['total_field']),
                ):
                    if column not in NUMBERS or name not in table:
                        continue
                    compared += 1
                    self.assertEqual(
                        cells(table[name]), [row.get(key) for row in rows], (view, name)
                    )
            self.assertGreaterEqual(compared, len(fields) - 3, view)

    def test_pyarrow(self):
        import pyarrow

        self.check(lambda report: pyarrow.table(report).to_pydict())
        self.check(lambda report: report.to_arrow().to_pydict())

    def test_pyarrow_batches(self):
        import pyarrow

        with pyarrow.RecordBatchReader.from_stream(self.profile.scope(max_depth=100)) as reader:
            self.assertEqual(reader.schema.field('micros').type, pyarrow.int64())
            self.assertGreater(sum(batch.num_rows for batch in reader), 5)

    def test_arrow_stream_holds_the_same_table(self):
        import pyarrow

        def reader(report):
            with pyarrow.ipc.open_stream(report.to_bytes('arrow')) as stream:
                table = stream.read_all()
            table.validate(full=True)
            self.assertTrue(table.schema.equals(pyarrow.table(report).schema, check_metadata=True))
            return table.to_pydict()

        self.check(reader)

    def test_parquet_holds_the_same_table(self):
        import io

        import pyarrow.parquet

        def reader(report):
            table = pyarrow.parquet.read_table(io.BytesIO(report.to_bytes('parquet')))
            table.validate(full=True)
            self.assertEqual(table.schema.types, pyarrow.table(report).schema.types)
            return table.to_pydict()

        self.check(reader)

    def test_duckdb_skips_what_lies_outside_of_parquet_statistics(self):
        import duckdb

        report = self.profile.scope(max_depth=100)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'scope.parquet')
            report.write('parquet', path)
            names = [row['name'] for row in rows_of(report)]
            found = duckdb.sql(
                "SELECT stats_min_value, stats_max_value, stats_null_count, compression "
                f"FROM parquet_metadata('{path}') WHERE path_in_schema = 'name'"
            ).fetchall()
            self.assertEqual(found, [(min(names), max(names), 0, 'GZIP')])
            self.assertEqual(
                duckdb.sql(f"SELECT count(*) FROM '{path}' WHERE name = ?", params=[names[3]])
                .fetchall(),
                [(names.count(names[3]),)],
            )

    def test_pandas(self):
        import pandas

        self.check(
            lambda report: {
                name: column.astype(object).where(column.notna(), None).tolist()
                for name, column in report.to_pandas().items()
            }
        )

        def through_arrow(report):
            frame = pandas.DataFrame.from_arrow(report)
            return {
                name: column.astype(object).where(column.notna(), None).tolist()
                for name, column in frame.items()
            }

        self.check(through_arrow)

    def test_polars(self):
        import polars

        self.check(lambda report: polars.DataFrame(report).to_dict(as_series=False))

    def test_duckdb(self):
        import duckdb

        names = []

        def reader(report):
            names.append(report)
            done = duckdb.sql('SELECT * FROM report')
            return dict(zip(done.columns, zip(*done.fetchall())))

        self.check(lambda report: {name: list(column) for name, column in reader(report).items()})

    def test_duckdb_sums(self):
        import duckdb

        report = self.profile.op(select=['micros'], max_depth=1000, account_displayed_op_only=False)
        total = duckdb.sql('SELECT sum(micros) FROM report WHERE parent IS NOT NULL').fetchall()[0][
            0
        ]
        self.assertEqual(total, sum(row['exec_micros'] for row in rows_of(report)[1:]))
        self.assertGreater(total, 0)

    def test_advice(self):
        import pyarrow

        report = self.profile.advise()
        table = pyarrow.table(report)
        self.assertEqual(
            [(field.name, str(field.type)) for field in table.schema],
            [
                ('checker', 'string'),
                ('report', 'string'),
                ('seconds', 'double'),
                ('gain_seconds', 'double'),
                ('file', 'string'),
                ('span', 'int64'),
                ('command', 'string'),
            ],
        )
        rows = table.to_pylist()
        self.assertEqual(rows, [row.to_dict() for row in report])
        self.assertEqual([(row['checker'], row['report']) for row in rows], report.findings)
        relu = report[0]
        self.assertEqual((relu.checker, relu.file), ('ExpensiveOperationChecker', PROFILE))
        self.assertIn('total: 7.66ms', relu.report)
        self.assertEqual((relu.seconds, relu.gain_seconds, relu.span), (0.007663, None, None))
        self.assertEqual(relu.command, 'tfprof op -order_by micros')
        self.assertIn('seconds=0.007663, file=', repr(relu))
        self.assertNotIn(relu.report, repr(relu))

    def test_outlives_the_profile(self):
        """A table keeps its data after report and profile are freed; streams that nobody reads leak
        nothing."""
        import pyarrow

        profile = tfprof.open(PROFILE)
        report = profile.scope(max_depth=100)
        want = rows_of(report)
        table = pyarrow.table(report)
        capsule = report.__arrow_c_stream__()
        del profile, report, capsule
        self.assertEqual(table['name'].to_pylist(), [row['name'] for row in want])

    def test_twice(self):
        import polars

        report = self.profile.scope(max_depth=3)
        self.assertTrue(polars.DataFrame(report).equals(polars.DataFrame(report)))


class Notebook(unittest.TestCase):
    """IPython calls _repr_html_ by itself."""

    def shown(self, thing):
        from IPython.core.interactiveshell import InteractiveShell

        shell = InteractiveShell.instance()
        return shell.display_formatter.format(thing, include=['text/plain', 'text/html'])[0]

    def test_report(self):
        report = tfprof.open(sample('dense/profile_3')).scope(
            select=['params', 'micros'], max_depth=3
        )
        found = self.shown(report)
        self.assertIn('<table', found['text/html'])
        for row in report:
            self.assertIn(row.name, found['text/html'])
        self.assertIn(repr(report), found['text/plain'])

    def test_is_well_formed(self):
        from html.parser import HTMLParser

        opened, closed = [], []

        class Parser(HTMLParser):
            def handle_starttag(self, tag, attrs):
                opened.append(tag)

            def handle_endtag(self, tag):
                closed.append(tag)

        for view, options in ASKED.items():
            Parser().feed(
                self.shown(tfprof.open(sample('odd/profile_5')).view(view, **options))['text/html']
            )
        self.assertEqual(sorted(opened), sorted(closed))

    def test_names_are_quoted(self):
        graph = b'node { name: "<script>x" op: "A" } node { name: "a&b" op: "<b>" }'
        page = self.shown(tfprof.open(graph=graph).scope(select=['op_types']))['text/html']
        self.assertNotIn('<script>', page)
        self.assertIn('&lt;script&gt;x', page)
        self.assertIn('a&amp;b', page)
        self.assertNotIn('<b>', page)

    def test_in_a_cell(self):
        from IPython.core.interactiveshell import InteractiveShell
        from IPython.utils.capture import capture_output

        shell = InteractiveShell.instance()
        shell.user_ns['report'] = tfprof.open(sample('dense/profile_3')).op(select=['micros'])
        with capture_output() as heard:
            done = shell.run_cell('display(report)')
        self.assertIsNone(done.error_in_exec)
        self.assertIn('<table', heard.outputs[0].data['text/html'])
