# SPDX-License-Identifier: Apache-2.0
"""Traces as tables in Spark 4: a Python data source.

    import tfprof.spark
    tfprof.spark.register(spark)
    spark.read.format("tfprof").option("table", "step_devices").option("pathPattern", "job={job}/rank={rank}").load("/traces")

The traces are read by the extension, in the workers: this package and pyarrow are all that they need. docs/fleet.md has
the tables, the options, and how an environment is shipped to a cluster.
"""

import json
import os
from typing import Any, Dict, Iterable, Iterator, List, MutableMapping, Sequence, Tuple

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, EqualTo, Filter, In, InputPartition
from pyspark.sql.types import StructType

from tfprof import _plan
from tfprof._arrow import Stream, is_url, settings_of
from tfprof._native import UsageError

__all__ = ["TraceSource", "register"]

_TYPES = {"i": "bigint", "r": "double", "s": "string", "b": "boolean", "d": "date", "t": "timestamp"}
_BYTES_PER_TASK = 64 << 20


def register(spark: SparkSession) -> None:
    """Makes format("tfprof") known to a session, and lets Spark hand filters to it."""
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    spark.dataSource.register(TraceSource)


class _Files(InputPartition):
    """The files of a task."""

    def __init__(self, files: Sequence[_plan.File]) -> None:
        super().__init__(None)
        self.files = [tuple(f) for f in files]


class TraceSource(DataSource):
    """A table of traces. Options: table, pathPattern, sidecar, pathGlobFilter, modifiedAfter, bytesPerTask, mode,
    memory, timeout."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        super().__init__(options)
        self.given: Dict[str, str] = {name.lower(): value for name, value in options.items()}
        self.table = self.given.get("table", "runs")
        self.columns = _plan.columns_of(self.table)
        mode = self.given.get("mode", "PERMISSIVE").upper()
        if mode not in ("PERMISSIVE", "FAILFAST"):
            raise UsageError("option mode: '%s' must be PERMISSIVE or FAILFAST" % mode)
        self.fails_on = "any" if mode == "FAILFAST" else "missing"

    @classmethod
    def name(cls) -> str:
        return "tfprof"

    def schema(self) -> str:
        return ", ".join("`%s` %s" % (name, _TYPES[type]) for name, type in self.columns.items())

    def reader(self, schema: StructType) -> "_Reader":
        for field in schema.fields:
            wanted = _TYPES.get(self.columns.get(field.name, ""))
            if wanted is None:
                raise UsageError("table %s has no column %s: it has %s" % (self.table, field.name, ", ".join(self.columns)))
            if field.dataType.simpleString() != wanted:
                raise UsageError("column %s of %s is %s, not %s" % (field.name, self.table, wanted, field.dataType.simpleString()))
        return _Reader(self, schema.fieldNames())

    def sources(self) -> List[str]:
        """What load() was given. An executor has another working folder: paths are made absolute here."""
        given = json.loads(self.given["paths"]) if "paths" in self.given else [self.given[n] for n in ("path",) if n in self.given]
        if not given:
            raise UsageError("load() needs a path")
        return [path if is_url(path) else os.path.abspath(path) for path in given]


class _Reader(DataSourceReader):
    def __init__(self, source: TraceSource, columns: Sequence[str]) -> None:
        options = source.given
        self.table = source.table
        self.sources = source.sources()
        self.names = options.get("pathglobfilter")
        self.sidecar = options.get("sidecar")
        self.after = options.get("modifiedafter")
        self.bytes_per_task = _plan.number(options, "bytesPerTask", _BYTES_PER_TASK)
        self.whose = settings_of(options.get("pathpattern"), self.sidecar)
        self.settings = [*self.whose, "columns", ",".join(columns), "fail-on", source.fails_on, "apart", "1"]
        for name in ("memory", "timeout"):
            if name in options:
                self.settings += [name, str(_plan.number(options, name, 1))]
        self.wanted: List[Tuple[str, Tuple[Any, ...]]] = []

    def pushFilters(self, filters: List[Filter]) -> Iterable[Filter]:
        """Uses = and IN on job, date, host and rank to skip files. Spark still checks each row, because a path does not
        tell everything."""
        for f in filters:
            if isinstance(f, EqualTo) and f.attribute[0] in _plan.FIELDS and len(f.attribute) == 1:
                self.wanted.append((f.attribute[0], (f.value,)))
            elif isinstance(f, In) and f.attribute[0] in _plan.FIELDS and len(f.attribute) == 1:
                self.wanted.append((f.attribute[0], tuple(f.value)))
            yield f

    def partitions(self) -> Sequence[InputPartition]:
        files = _plan.listed(self.sources, self.names, self.sidecar)
        if self.after is not None:
            files = _plan.modified_after(files, self.after)
        for field, values in self.wanted if self.table != "failures" else ():
            files = _plan.chosen(files, {field: values}, self.whose)
        parts = [_Files(part) for part in _plan.cut(files, self.bytes_per_task)]
        return parts or [_Files([])]  # Spark makes a partition of its own where there is none

    def read(self, partition: InputPartition) -> Iterator[Any]:
        import pyarrow

        assert isinstance(partition, _Files)
        sources = (_plan.File(*f).part() for f in partition.files)
        yield from pyarrow.RecordBatchReader.from_stream(Stream(self.table, tuple(self.settings), sources))
