#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tfprof.spark: a fleet read by a Spark of this machine: rows, types, filters, tasks, failures, and two executors. spark.py, by a Python that
has the package; without pyspark or Java nothing runs."""
import glob
import importlib.util
import os
import shutil
import sys
import tempfile

import fleet

results = [0, 0]


def check(name, fine, *told):
    results[not fine] += 1
    if not fine:
        print("FAILED", name, *told)


def session(master):
    from pyspark.sql import SparkSession

    import tfprof.spark
    made = SparkSession.builder.master(master).config("spark.ui.enabled", "false").config("spark.sql.session.timeZone", "UTC") \
        .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    tfprof.spark.register(made)
    return made


def reader(spark, table, **options):
    return spark.read.format("tfprof").option("table", table).option("pathPattern", fleet.PATTERN).options(**options)


def failure_of(call):
    try:
        call()
    except Exception as e:  # Spark may wrap it in an exception of any kind
        return str(e)
    return ""


def tables(spark, traces, made):
    kinds = {"i": "bigint", "r": "double", "s": "string", "b": "boolean", "d": "date", "t": "timestamp"}
    import tfprof
    steps = reader(spark, "step_devices").load(traces)
    check("types", [f"{f.name} {f.dataType.simpleString()}" for f in steps.schema] ==
          [f"{name} {kinds[kind]}" for name, kind in tfprof._native.fleet_columns("step_devices")], steps.schema)
    rows = {(r["job"], str(r["date"]), r["rank"]): r["compute_us"] for r in steps.where("step is null").collect()}
    check("numbers", len(rows) == len(made) and all(
        abs(rows[r["job"], r["date"], r["rank"]] - fleet.compute_us(r)) < 0.01 for r in made), len(rows))
    few = spark.read.schema("job string, duration_us double").format("tfprof").option("table", "steps").option("pathPattern", fleet.PATTERN)
    check("columns", few.load(traces).columns == ["job", "duration_us"] and few.load(traces).count() == len(made) * fleet.STEPS)
    check("tasks", reader(spark, "steps", bytesPerTask="1").load(traces).rdd.getNumPartitions() == len(made))
    check("no file", reader(spark, "runs", pathGlobFilter="*.pb").load(traces).count() == 0)
    check("several paths", reader(spark, "runs").load(glob.glob(os.path.join(glob.escape(traces), "job=*"))).count() == len(made))
    told = failure_of(lambda: spark.read.schema("job int").format("tfprof").load(traces).count())
    check("a wrong type", "column job of runs is string, not int" in told, told[-500:])
    told = failure_of(lambda: reader(spark, "nothing").load(traces).count())
    check("no such table", "no table nothing" in told, told[-500:])


def bad_files(spark, traces, made):
    """A damaged file is a row of failures; with FAILFAST it ends the job, unless a filter excludes it."""
    path = made[0]["path"].replace("trace.json", "broken.json")
    fleet.put(traces, path, fleet.trace(made[0])[:-8] + b"01234567")
    check("rows of the others", reader(spark, "runs").load(traces).count() == len(made))
    check("failures", [(r["path"], r["code"]) for r in reader(spark, "failures").load(traces).collect()] == [(path, "damaged")])
    fast = reader(spark, "runs", mode="FAILFAST").load(traces)
    check("FAILFAST", path in failure_of(fast.count))
    other = fast.where(f"job = '{made[-1]['job']}' and date in ('{made[-1]['date']}', '1999-01-01') and rank = 0")
    check("filters skip files", other.count() == 1, made[-1])


def main():
    java = shutil.which("java") or os.environ.get("JAVA_HOME")
    if not importlib.util.find_spec("pyspark") or not java:
        print("left out: needs pyspark and Java")
        return 0
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with tempfile.TemporaryDirectory(prefix="tfprof-spark-") as folder:
        os.chdir(folder)  # Spark writes files into the current folder
        made = fleet.write("traces", days=2)
        traces = os.path.join(folder, "traces")
        spark = session("local[2]")
        tables(spark, traces, made)
        check("a relative path", reader(spark, "runs").load("traces").count() == len(made))
        bad_files(spark, traces, made)
        spark.stop()
        spark = session("local-cluster[2,1,1024]")
        check("two executors", reader(spark, "steps", bytesPerTask="9000").load("traces").count() == len(made) * fleet.STEPS)
        spark.stop()
    print(f"{results[0]} passed, {results[1]} failed")
    return results[1] != 0


if __name__ == "__main__":
    sys.exit(main())
