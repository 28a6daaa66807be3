#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rows of a million runs, as an index of so many traces would have them, made by DuckDB by arithmetic: fleet_rows.py PROGRAM

`tfprof query`, DuckDB alone, Spark's local-cluster (where pyspark is) and the list of `tfprof serve` are asked; each answer is known.
RUNS: a million. The traces themselves are not made: what reading them takes is extrapolated from fleet.py's figures.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

import duckdb

RUNS, JOBS, STEPS = int(os.environ.get("RUNS", "1000000")), 2000, 3
RUN = "lpad(to_hex(i), 32, '0')"
KEYS = f"{RUN} AS run, 'job-' || lpad((i % {JOBS})::VARCHAR, 4, '0') AS job, DATE '2026-03-01' + (i // {JOBS} % 28)::INTEGER AS date, 'node' || (i % 500) AS host, (i // {JOBS})::BIGINT AS rank"
TABLES = {
    "runs": f"SELECT {KEYS}, 'job=' || (i % {JOBS}) || '/rank=' || (i // {JOBS}) || '/trace.json.gz' AS path, (3000 + i % 977)::BIGINT AS bytes, "
            f"TIMESTAMPTZ '2026-03-01 00:00:00+00' + INTERVAL (i) SECOND AS started, (i % 1000 * 3)::DOUBLE AS duration_us, {STEPS}::BIGINT AS steps, false AS truncated "
            f"FROM range({RUNS}) r(i)",
    "step_devices": f"SELECT {KEYS}, s::BIGINT AS step, 'gpu:0' AS device, (i % 1000)::DOUBLE AS duration_us, (i % 7)::DOUBLE AS exposed_communication_us "
                    f"FROM range({RUNS}) r(i), range({STEPS}) t(s)",
}
SQL = "SELECT count(*) AS n, sum(duration_us) AS us, sum(exposed_communication_us) AS exposed, count(DISTINCT job) AS jobs, count(DISTINCT run) AS runs FROM step_devices"


def sum_below(n, period):
    """The sum of i % period over i < n."""
    whole, rest = divmod(n, period)
    return whole * (period * (period - 1) // 2) + rest * (rest - 1) // 2


KNOWN = [RUNS * STEPS, STEPS * sum_below(RUNS, 1000), STEPS * sum_below(RUNS, 7), min(JOBS, RUNS), RUNS]


def make(out):
    os.makedirs(out)
    with open(os.path.join(out, "_tfprof.json"), "w", encoding="utf-8") as f:
        f.write('{"schema":"tfprof.fleet","version":1}\n')
    with duckdb.connect() as db:
        db.execute("SET TimeZone='UTC'")
        for table, sql in TABLES.items():
            os.makedirs(os.path.join(out, table))
            db.execute(f"COPY ({sql}) TO '{out}/{table}/part-1.parquet' (FORMAT parquet)")


def tell(who, values, seconds, more=""):
    right = [round(float(v), 3) for v in values] == [round(float(k), 3) for k in KNOWN]
    print("rows    %d runs, %d rows: %-20s %5.1f s, as known: %s%s" % (RUNS, KNOWN[0], who, seconds, "yes" if right else f"NO {values} {KNOWN}", more), flush=True)


def ask_program(program, out):
    environment = dict(os.environ, PATH=os.path.dirname(sys.executable) + ":" + os.environ.get("PATH", ""))
    begin = time.monotonic()
    told = subprocess.run([program, "query", SQL, out, "-format", "csv"], env=environment, check=True, capture_output=True, text=True).stdout.split()[-1]
    tell("tfprof query", told.split(","), time.monotonic() - begin, "; at most 3 times DuckDB's and 2 s")


def ask_duckdb(out):
    begin = time.monotonic()
    with duckdb.connect() as db:
        values = db.execute(SQL.replace("step_devices", f"read_parquet('{out}/step_devices/*.parquet')")).fetchone()
    tell("DuckDB", values, time.monotonic() - begin)


def ask_spark(out):
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        print("rows    Spark is left out: no pyspark")
        return
    for master in ("local[2]", "local-cluster[2,1,1024]"):
        spark = SparkSession.builder.master(master).config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").config("spark.sql.session.timeZone", "UTC").getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        begin = time.monotonic()
        spark.read.parquet(f"{out}/step_devices").createOrReplaceTempView("step_devices")
        values = list(spark.sql(SQL).first())
        tell("Spark " + master, values, time.monotonic() - begin)
        spark.stop()


def ask_page(program, out):
    server = subprocess.Popen([program, "serve", out, "--port", "0", "--no-token"], stdout=subprocess.PIPE, text=True)
    try:
        url = re.match(r"http://\S+", server.stdout.readline())[0]
        for asked, found in (("", RUNS), ("?order=path&from=1000", RUNS), ("?filter=job%3Djob-0017&order=-duration_us", (RUNS - 18) // JOBS + 1)):
            begin = time.monotonic()
            told = json.load(urllib.request.urlopen(f"{url}api/v1/runs{asked}"))
            print("serve   %d runs%s: %.2f s, as known: %s" % (RUNS, asked, time.monotonic() - begin, "yes" if (told["total"], told["found"]) == (RUNS, found) else f"NO {told['found']} {found}"))
        with open(f"/proc/{server.pid}/status", encoding="utf-8") as f:
            print("serve   %d MB" % (int(re.search(r"VmHWM:\s+(\d+)", f.read())[1]) >> 10))
    finally:
        server.terminate()
        server.wait(20)


def main():
    scratch = tempfile.mkdtemp(prefix="tfprof_rows_")
    out = os.path.join(scratch, "index")
    try:
        make(out)
        ask_duckdb(out)
        ask_program(os.path.abspath(sys.argv[1]), out)
        ask_page(os.path.abspath(sys.argv[1]), out)
        ask_spark(out)
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
