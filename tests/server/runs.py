# SPDX-License-Identifier: Apache-2.0
"""`tfprof serve` over an index: the runs filtered, sorted and paged by the server, the trace of a run, and what is refused."""
import json
import os
import shutil
import sys
import tempfile

from checking import SANITIZED, check, refused, run, safe, serving, wait_for
from serving import ROOT, quote

sys.path.insert(0, os.path.join(ROOT, "tests", "fleet"))
import fleet  # noqa: E402  pylint: disable=wrong-import-position

MANY = 100000
# Columns of `runs` that need no dates; columns missing from an index are unknown.
BIG = f"""WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {MANY - 1})
SELECT substr('{32 * '0'}' || i, -32) AS run, 'job-' || substr('000' || i % 2000, -4) AS job, 'node' || substr('00' || i % 500, -3) AS host, i / 2000 AS rank,
'job=' || (i % 2000) || '/rank=' || (i / 2000) || '/trace.json.gz' AS path, 3000 + i % 977 AS bytes, i * 7919 % 100003 + 0.5 AS duration_us FROM n"""


def made(folder):
    """A fleet in FOLDER/traces and its index in FOLDER/index."""
    traces, index = os.path.join(folder, "traces"), os.path.join(folder, "index")
    fleet.write(traces, jobs=("even", "slower"), days=3)
    fleet.put(traces, "job=even/bad.json", b"{")
    status, _, err = run("index", traces, "-o", index, "--path", fleet.PATTERN)
    check(status == 0, f"index: {status} {err}")
    return traces, index


def asked(s, **settings):
    answer = s.get("/api/v1/runs?" + "&".join(f"{k}={quote(str(v))}" for k, v in settings.items()))
    check(answer.status == 200, f"runs {settings}: {answer.status} {answer.body[:200]!r}")
    return answer.json()


def rows(s, **settings):
    return asked(s, **settings)["runs"]["rows"]


def test_runs_are_filtered_sorted_and_paged(_):
    with tempfile.TemporaryDirectory() as folder:
        _traces, index = made(folder)
        with serving(index) as s:
            check(s.get("/api/v1/tables").json()["index"] == os.path.realpath(index), "the tables tell the index")
            check(s.profiles() == [], "no profile is looked for in it")
            every = asked(s)
            check((every["total"], every["found"], len(every["runs"]["rows"])) == (12, 12, 12), f"all: {every['total']}")
            check([r["date"] for r in every["runs"]["rows"]] == ["2026-03-04"] * 4 + ["2026-03-03"] * 4 + ["2026-03-02"] * 4, "the newest first")
            check(every["runs"]["rows"][0]["started"] == "2026-03-04T09:00:00Z", "times are texts")
            for text, found in (("job=slower", 6), ("SLOWER", 6), ("rank=1 job=even", 3), ("date>2026-03-02", 8), ("started=2026-03-02", 4),
                                ("rank<1", 6), ("device_model=", 0), ("labels=", 12), ("nothing-has-this", 0), ("truncated=false", 12), ("  ", 12)):
                check(asked(s, filter=text)["found"] == found, f"filter '{text}': {asked(s, filter=text)['found']} of {found}")
            times = [r["duration_us"] for r in rows(s, order="-duration_us")]
            check(times == sorted(times, reverse=True) and len(set(times)) > 3, f"sorted by a number: {times}")
            paths = [r["path"] for r in rows(s, order="path")]
            check(paths == sorted(paths), "sorted by a text")
            pages = [r["path"] for at in range(0, 15, 5) for r in rows(s, order="path", **{"from": at}, count=5)]
            check(pages == paths, "pages are parts of the whole")
            check(rows(s, **{"from": 10**15}) == [], "behind the end")


def test_a_run_opens_its_trace(_):
    with tempfile.TemporaryDirectory() as folder:
        traces, index = made(folder)
        with serving(index) as s:
            one = rows(s, filter="job=slower rank=1 date=2026-03-03")[0]
            told = s.get(f"/api/v1/runs/{one['run']}/profile").json()
            check(told["path"] == one["path"], f"its path: {told}")
            view = s.api(f"profiles/{told['id']}/views/steps")
            check(view.status == 200 and len(view.json()["rows"]) >= fleet.STEPS, f"its steps: {view.status} {view.body[:200]!r}")
            check([p["name"] for p in s.profiles()] == [one["path"]], "it is in the list of profiles")
            check(s.get(f"/api/v1/runs/{one['run']}/profile").json()["id"] == told["id"], "the same id again")
            check(wait_for(lambda: s.api(f"profiles/{told['id']}").status == 200), "and looks for files do not lose it")
        moved = os.path.join(folder, "moved")
        shutil.move(traces, moved)
        with serving(index) as s:
            away = s.get(f"/api/v1/runs/{one['run']}/profile")
            check(away.status == 422 and "name the folder" in away.json()["error"], f"moved away: {away.status} {away.body!r}")
        with serving(index, moved) as s:
            there = s.get(f"/api/v1/runs/{one['run']}/profile")
            check(there.status == 200 and s.api(f"profiles/{there.json()['id']}").status == 200, f"the folder named: {there.body!r}")


def test_wrong_questions_about_runs_are_refused(shared):
    check(shared.get("/api/v1/runs").status == 404, "no index, no runs")
    with tempfile.TemporaryDirectory() as folder:
        _traces, index = made(folder)
        with open(os.path.join(folder, "secret.json"), "w", encoding="utf-8") as f:
            json.dump({"schemaVersion": 1, "traceEvents": []}, f)
        with serving(index) as s:
            for query, status in (("order=nothing", 400), ("order=", 400), ("from=-1", 400), ("count=x", 400), ("filter=rank%3Dx", 400), ("filter=date%3Etomorrow", 400),
                                  ("sql=1", 400)):
                refused(s.get("/api/v1/runs?" + query), query, (status,))
            for word in ("x", "..%2f..%2fsecret.json", "0" * 32, "0" * 31, "0" * 33, "A" * 32, "%27"):
                refused(s.get(f"/api/v1/runs/{word}/profile"), word, (404,))
            safe(s.get("/api/v1/runs"), "runs")
            check(s.get(f"/api/v1/runs?filter={'a%20' * 4000}").status in (200, 400, 414, 431), "a long filter")


def test_a_damaged_index_is_named_and_one_of_others_is_not_believed(_):
    with tempfile.TemporaryDirectory() as folder:
        traces, index = made(folder)
        part = os.path.join(index, "runs", os.listdir(os.path.join(index, "runs"))[0])
        with serving(index) as s:
            with open(part, "r+b") as f:
                f.truncate(os.path.getsize(part) // 2)
            answer = s.get("/api/v1/runs")
            check(answer.status == 422 and "part-" in answer.json()["error"], f"damaged: {answer.status} {answer.body!r}")
            os.remove(part)
            check(asked(s)["total"] == 0, "without parts there are no runs")
        for words, status, says in (((index, index + "/../index", "--port", "0"), 2, "one index at a time"), ((index, part + "x"), 1, "folders of its traces"),
                                    ((index, "--live", "--dir", os.path.join(folder, "new")), 2, "exclude each other")):
            got, _out, err = run("serve", *words, cwd=folder)
            check(got == status and says in err, f"{words}: {got} {err}")
        check(open(os.path.join(index, "_sources"), encoding="utf-8").read() == os.path.realpath(traces) + "\n", "the index tells its sources")


def test_a_hundred_thousand_runs_take_less_than_a_second_each(_):
    with tempfile.TemporaryDirectory() as folder:
        index = os.path.join(folder, "index")
        os.makedirs(os.path.join(index, "runs"))
        with open(os.path.join(index, "_tfprof.json"), "w", encoding="utf-8") as f:
            f.write('{"schema":"tfprof.fleet","version":1}\n')
        with open(os.path.join(index, "runs", "part-1.parquet"), "wb") as f:
            status, out, err = run("query", BIG, "odd/profile_5", "-format", "parquet", "-time_limit", "60", timeout=120)
            check(status == 0, f"the rows: {status} {err}")
            f.write(out)
        with serving(index) as s:
            for settings, found in (({}, MANY), ({"order": "path"}, MANY), ({"order": "-duration_us", "from": MANY - 10}, MANY), ({"filter": "node17"}, 11 * MANY // 500),
                                    ({"filter": "rank<10 duration_us>50000", "order": "job"}, None)):
                before = seconds_of(s)
                told = asked(s, **settings)
                took = seconds_of(s) - before
                check(told["total"] == MANY and (found is None or told["found"] == found), f"{settings}: {told['total']} {told['found']}")
                check(took < 1 or SANITIZED, f"{settings}: {took:.2f} s of processor time")
            check(SANITIZED or peak(s) < 200 << 20, f"memory: {peak(s) >> 20} MB")


def seconds_of(s):
    """The server's processor time."""
    with open(f"/proc/{s.process.pid}/stat", encoding="utf-8") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak(s):
    with open(f"/proc/{s.process.pid}/status", encoding="utf-8") as f:
        return next(int(line.split()[1]) << 10 for line in f if line.startswith("VmHWM"))
