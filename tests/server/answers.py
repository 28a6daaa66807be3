# SPDX-License-Identifier: Apache-2.0
"""Compares the answers with the command line's, and checks the limits of queries."""
import base64
import concurrent.futures
import gzip
import itertools
import json
import os
import re
import shutil
import struct
import tempfile
import time

from checking import PROFILE, SANITIZED, check, run, safe, serving
from serving import SAMPLE, quote


def test_etag_gzip_and_friends(s):
    p = s.id_of(PROFILE)
    path = f"/api/v1/profiles/{p}/views/scope"
    s.api(f"profiles/{p}/views/scope")
    plain, packed = s.get(path), s.get(path, "Accept-Encoding: gzip")
    check(packed.headers.get("content-encoding") == "gzip" and gzip.decompress(packed.body) == plain.body, "gzip")
    check("content-encoding" not in plain.headers and len(packed.body) < len(plain.body), "not for who cannot")
    tag = plain.headers.get("etag")
    again = s.get(path, f"If-None-Match: {tag}")
    check(again.status == 304 and again.body == b"" and again.headers.get("etag") == tag, "304")
    safe(again, "304")
    check(s.get(path, 'If-None-Match: "x"').status == 200, "another ETag")
    check(s.get(path + "?max_depth=1", f"If-None-Match: {tag}").status == 200, "another answer")
    page, unpacked = s.get("/", "Accept-Encoding: gzip"), s.get("/")
    whole = gzip.decompress(page.body) if page.headers.get("content-encoding") == "gzip" else page.body
    check(whole == unpacked.body and unpacked.status == 200 and len(whole) > 50, "the page for both")


def test_answers_are_those_of_the_command_line(s):
    for name, files in ((PROFILE, (PROFILE,)), ("gpu/profile_1.gz", ("gpu/profile_1.gz",)),
                        ("odd/graph.pb", ("odd/graph.pb", "odd/run_meta_0", "odd/run_meta_1", "odd/tfprof_log"))):
        p = s.id_of(name)
        for view, options in (("scope", ""), ("scope", "max_depth=3&select=micros,bytes,params"), ("graph", "select=micros&order_by=micros"),
                              ("op", "select=micros,occurrence&order_by=micros"), ("code", "select=micros&max_depth=20"), ("advise", ""), ("flops", ""),
                              ("scope", "show_name_regexes=.*weights.*&account_type_regexes=.*"), ("scope", "step=0&select=micros"),
                              ("scope", "compat=1.0")):
            if (view == "code" and name == "odd/graph.pb") or (view == "flops" and name != "odd/graph.pb"):
                continue
            words = [w for o in filter(None, options.split("&")) for w in ("-" + o.split("=")[0], o.split("=")[1])]
            for format in ("json", "csv", "text", "md", "jsonl"):
                status, out, err = run(view, *files, *words, "-format", format)
                answer = s.api(f"profiles/{p}/views/{view}?{options}&format={format}".replace("?&", "?"))
                what = f"{name} {view} {options} {format}"
                if status:
                    check(answer.status in (400, 422), f"{what}: {answer.status}, and the command line {status} {err}")
                else:
                    check(same(answer.body, out, format), f"{what}: {first_difference(answer.body, out)}")


def test_what_changes_would_give(s):
    """The command line's table; a replay that is refused is still an answer, a wrong option is
    not."""
    ranks, late = s.id_of("jobs/rank0.json"), s.id_of("jobs/late.json")
    for options, words in (("", ()), ("faster=gemm.*%3D2&link=comm%3D2x", ("-faster", "gemm.*=2", "-link", "comm=2x")),
                           ("faster=gemm.*%3D2&faster=host:aten::mm%3D2&step=1", ("-faster", "gemm.*=2", "-faster", "host:aten::mm=2", "-step", "1"))):
        answer = json.loads(s.api(f"profiles/{ranks}/whatif?{options}").body)
        told = json.loads(run("whatif", "jobs/rank0.json", "jobs/rank1.json", *words, "-format", "json")[1])
        check(answer["refused"] is None and answer["table"]["rows"] == told["rows"], f"whatif {options}: {answer}")
    for p, options, why in ((late, "", "cannot be predicted|can be predicted"), (ranks, "faster=no_such=2", "nothing has the name")):
        answer = s.api(f"profiles/{p}/whatif?{options}")
        found = json.loads(answer.body)
        check(answer.status == 200 and found["table"] is None and re.search(why, found["refused"]), f"whatif {options}: {answer.body}")
    for options in ("faster=gemm", "step=99", "nonsense=1"):
        check(s.api(f"profiles/{ranks}/whatif?{options}").status in (200, 400), f"whatif {options}")
    check(s.api(f"profiles/{ranks}/whatif?nonsense=1").status == 400, "whatif: a wrong option")


def same(page, out, format):
    """Text that the command line prints before the report (advise: while it loads) is not compared."""
    return page == out or (format == "text" and out.endswith(page)) or comparable(page) == comparable(out)


def comparable(text):
    return re.sub(rb'"file": ?"[^"]*"', b"", text)


def first_difference(a, b):
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return f"{len(a)} and {len(b)} bytes, at {at}: {a[max(0, at - 60):at + 60]!r} {b[max(0, at - 60):at + 60]!r}"


def test_other_answers(s):
    p, gpu = s.id_of(PROFILE), s.id_of("gpu/profile_1.gz")
    for path, words in ((f"compare?side={p}@0&side={p}@3&format=csv", ("diff", PROFILE + "@0", PROFILE + "@3", "-format", "csv")),
                        (f"compare?side={p}&side={gpu}&view=op&format=csv", ("diff", PROFILE, "gpu/profile_1.gz", "-view", "op", "-format", "csv")),
                        (f"profiles/{p}/stats?format=csv&select=micros,bytes", ("stats", PROFILE, "-select", "micros,bytes", "-format", "csv")),
                        (f"profiles/{p}/query?sql={quote('SELECT * FROM nodes')}&format=csv", ("query", "SELECT * FROM nodes", PROFILE, "-format", "csv"))):
        check(s.api(path).body == run(*words)[1], path)
    spans = s.api(f"profiles/{gpu}/timeline?step=1&format=csv").body.decode().splitlines()[1:]
    told = run("query", "SELECT count(*) AS n, sum(duration_us) AS us FROM spans WHERE step = 1", "gpu/profile_1.gz", "-format", "csv")[1]
    ours = f"{len(spans)},{sum(int(line.rsplit(',', 1)[1]) for line in spans)}"
    check(ours in told.decode(), f"spans as SQL has them: {ours} {told}")
    with tempfile.TemporaryDirectory() as folder:
        f = os.path.join(folder, "f")
        run("graph", "gpu/profile_1.gz", "-step", "1", "-output", "timeline:outfile=" + f)
        check(s.api(f"profiles/{gpu}/download/timeline.json?step=1").body == open(f + "_1", "rb").read(), "the timeline's file")
        run("code", "gpu/profile_1.gz", "-select", "micros", "-output", "pprof:outfile=" + f)
        told = s.api(f"profiles/{gpu}/download/profile.pb.gz?select=micros")
        check(gzip.decompress(told.body) == gzip.decompress(open(f, "rb").read()), "the pprof file")
        check("attachment" in told.headers.get("content-disposition", ""), "is saved as a file")
        open(f, "wb").write(s.api(f"profiles/{gpu}/download/profile").body)
        check(run("scope", f)[1] == run("scope", "gpu/profile_1.gz")[1], "the profile itself")
    table = s.api(f"profiles/{gpu}/memory?format=columns").body
    magic, version, size = struct.unpack_from("<4sII", table)
    check(magic == b"TFPC" and version == 1 and (12 + size) % 8 == 0, "columns")
    v2 = s.id_of("dense/ckpt_v2/model.ckpt-3")
    value = s.api(f"profiles/{v2}/tensors/value?name=hidden/weights").json()
    check(value["shape"] == "196x12" and value["elements"] == sum(value["histogram"]) == 2352 and value["min"] < value["mean"] < value["max"], "a tensor")


def test_a_report(s):
    """The answers equal the program's own, are about one profile only, and do not contain the paths of its
    files."""
    p = s.id_of(PROFILE)
    place = 'timeline?sel=span:1&q="><script>alert(1)</script>'
    page = s.api(f"profiles/{p}/report?place={quote(place)}")
    if page.status == 400 and b"without its page" in page.body:
        return
    check(page.status == 200 and "attachment" in page.headers.get("content-disposition", ""), f"a report: {page.status} {page.body[:200]!r}")
    text = page.body.decode()
    check(text.count('<meta name="tfprof-place" content="timeline?sel=span:1&amp;q=&quot;&gt;&lt;script&gt;') == 1, "where it begins")
    check(os.path.abspath(SAMPLE) not in text, "no absolute path")
    own = run("report", PROFILE, "-o", "-")[1].decode()
    asks = lambda html: [re.sub(r"/profiles/\w+", "/profiles/ID", ask) for ask in re.findall(r'data-ask="([^"]*)"', html)]
    check(asks(text) == asks(own) and len(asks(own)) > 20, "it asks what the program's own report asks")
    answers = lambda html: {ask: gzip.decompress(base64.b64decode(data)) for ask, data in zip(asks(html), re.findall(r'data-ask="[^"]*"[^>]*>([^<]*)<', html)) if data}
    mine, its = answers(text), answers(own)
    listed = json.loads(mine.pop("/api/v1/profiles"))["profiles"]
    its.pop("/api/v1/profiles")
    check([x["id"] for x in listed] == [p], f"one profile: {len(listed)}")
    # the last two contain the file's name
    unlike = [ask for ask in its if comparable(mine.get(ask, b"")) != comparable(its[ask]) and not re.search("/tables|/profiles/ID$|/summary", ask)]
    check(not unlike, f"answers as the program's: {unlike[:3]}")
    check(s.api(f"profiles/{p}/report?step=3").body.count(b'data-step="3"') == 1, "of a step")
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        told = [a.status for a in pool.map(lambda _: s.get(f"/api/v1/profiles/{p}/report"), range(6))]
    check(200 in told and set(told) <= {200, 503}, f"one at a time: {told}")


def evidence_of(s, name):
    """For each finding with a span: its start in the finding and in the timeline."""
    at = f"profiles/{s.id_of(name)}/"
    said = [f["span"] for c in s.api(at + "views/advise?format=json").json()["checkers"] for f in c.get("findings", []) if f["span"]]
    return [(e["timeline_us"], s.api(f"{at}spans/{e['span']}").json()["summary"]["start_us"]) for e in said]


def test_windows_of_a_timeline(s):
    """Even a narrow picture contains every span, and spans equal those of SQL."""
    for name in ("pytorch/train.json.gz", "gpu/profile_1.gz", "xplane/tpu.xplane.pb"):
        at = f"profiles/{s.id_of(name)}/"
        lanes = s.api(at + "lanes").json()
        all_spans = sum(lane["spans"] for lane in lanes["rows"])
        end = max(lane["end_us"] for lane in lanes["rows"]) + 1
        told = int(run("query", "SELECT count(*) FROM spans WHERE start_us IS NOT NULL", name, "-format", "csv")[1].split()[1])
        check(all_spans == told > 0, f"{name}: {all_spans} spans in lanes, {told} in SQL")
        for px in (1, 50, 1400, 10000):
            rows = s.api(f"{at}spans?from=0&to={end}&px={px}").json()["rows"]
            check(sum(r["count"] for r in rows) == all_spans, f"{name}: {px} pixels wide it has every span")
            check(len({r["row"] for r in rows}) == sum(lane["rows"] for lane in lanes["rows"]), f"{name}: and every row")
            narrow = [r for r in rows if r["count"] > 1]
            check(all(0 <= r["busy_us"] <= r["duration_us"] + 0.001 and r["duration_us"] <= 2 * end / px for r in narrow), f"{name}: merged spans are as busy as they are long, and narrow")
        some = next(r for r in rows if r["count"] == 1)
        one = s.api(f"{at}spans/{some['span']}").json()
        check(all(one["summary"][k] == some[k] for k in ("span", "row", "name", "start_us", "duration_us")), f"{name}: one span as the window has it")
        found = s.api(f"{at}spans?from=0&to={end}&px=100&q={quote(some['name'][1:4].upper())}").json()["rows"]
        first = s.api(f"{at}find?q={quote(some['name'][1:4].upper())}").json()
        check(sum(r["found"] for r in found) == first["summary"]["matches"] > 0 and first["summary"]["place"] == 1, f"{name}: as many are found as there are")
        sums = {by: s.api(f"{at}sums?from=0&to={end}&by={by}").json() for by in ("name", "kind", "lane", "op")}
        told = sums["name"]["summary"]["device_us"] + sums["name"]["summary"]["host_us"]
        check(all(abs(sum(r["total_us"] for r in t["rows"]) - told) < 1 for t in sums.values()), f"{name}: all sums share out the same time")
        whole = s.api(f"{at}spans?most=1000000").json()["rows"]
        check(len(whole) == all_spans and all(r["count"] == 1 for r in whole), f"{name}: all of them one by one")
    findings = [f for name in ("traces/kineto.json", "pytorch/train.json.gz", "gpu/profile_1.gz") for f in evidence_of(s, name)]
    check(len(findings) > 1 and not [f for f in findings if f[0] != f[1]], f"evidence stands where the timeline has its span: {findings}")
    kernels = s.id_of("traces/kineto.json")
    links = [s.api(f"profiles/{kernels}/spans/{r['span']}").json()["rows"] for r in s.api(f"profiles/{kernels}/spans?most=1000").json()["rows"] if r["launch"] is not None]
    check(links and all("launched by" in [k["relation"] for k in one] for one in links), "kernels are linked to their launches")


def sums_of_leaves(at, s, window, by):
    """The sums of a window, computed like the page of a report: the number of spans, and the own time of each."""
    items = s.api(f"{at}spans?most=1000000").json()["rows"]
    spans, names = {r["span"]: (r["start_us"], r["start_us"] + r["duration_us"]) for r in items}, {r["span"]: r["name"] for r in items}
    cut = lambda start, end: max(0, min(end, window[1]) - max(start, window[0]))
    own = {}
    for r in s.api(f"{at}leaves").json()["rows"]:
        span = spans[r["span"]]
        whole = r["start_us"] is None
        part = span if whole else (r["start_us"], r["start_us"] + r["duration_us"])
        if cut(*span):
            had = own.setdefault(r["span"], [r[by] or (names[r["span"]] if by == "name" else "without op"), 0])
            had[1] += cut(*part)
    told = {}
    for name, time in own.values():
        had = told.setdefault(name, [0, 0])
        had[0] += 1
        had[1] += time
    return told


def test_sums_of_leaves(s):
    """Sums computed from the leaves equal the server's, for any window."""
    for name in ("pytorch/train.json.gz", "gpu/profile_1.gz", "xplane/tpu.xplane.pb", "traces/kineto.json"):
        at = f"profiles/{s.id_of(name)}/"
        lanes = s.api(at + "lanes").json()["rows"]
        end = max(lane["end_us"] for lane in lanes)
        for window in ((0, end + 1), (round(end * 0.3), round(end * 0.6)), (round(end * 0.5), round(end * 0.5) + 40)):
            for by in ("name", "op"):
                want = {}
                for r in s.api(f"{at}sums?from={window[0]}&to={window[1]}&by={by}").json()["rows"]:
                    had = want.setdefault(r["name"], [0, 0])
                    had[0] += r["count"]
                    had[1] += r["total_us"]
                got = sums_of_leaves(at, s, window, by)
                unlike = [n for n in want | got if n not in want or n not in got or want[n][0] != got[n][0] or abs(want[n][1] - got[n][1]) > 0.01]
                check(want and not unlike or not want and not got, f"{name}, {by}, {window}: {[(n, want.get(n), got.get(n)) for n in unlike[:3]]}")
    check(s.api(f"profiles/{s.id_of('pytorch/train.json.gz')}/leaves?most=3").status == 422, "more spans than asked for")


def test_files_that_belong_together(_):
    with serving("odd/graph.pb", "odd/run_meta_0", "odd/run_meta_1", "odd/profile_5") as s:
        names = [(p["name"], len(p["files"])) for p in s.profiles()]
        check(names == [("odd/graph.pb", 3), ("odd/profile_5", 1)], f"words: {names}")
        told = s.api(f"profiles/{s.id_of('odd/graph.pb')}/views/scope?format=csv&select=micros").body
        check(told == run("scope", "odd/graph.pb", "odd/run_meta_0", "odd/run_meta_1", "-select", "micros", "-format", "csv")[1], "one profile")
    with serving("--graph_path=odd/graph.pb", "--run_meta_path=odd/run_meta_0,odd/run_meta_1", "--op_log_path=odd/tfprof_log") as s:
        check([len(p["files"]) for p in s.profiles()] == [4], "flags")
    with serving("dense/ckpt_v2/model.ckpt-3", "--profile_context_path=gpu") as s:
        names = sorted(p["name"] for p in s.profiles())
        check(names == ["dense/ckpt_v2/model.ckpt-3", "profile_1.gz", "run_meta_nostream_0.gz"], f"a prefix and a folder: {names}")
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(SAMPLE, "traces", "kineto.json")
        for name in ("rank0.json", "rank10.json", "rank2.json", "rank2_b.json", "Rank-1.json", "other0.json", "other1.json"):
            shutil.copy(trace, os.path.join(folder, name))
        with serving(folder) as s:
            found = sorted([os.path.basename(f) for f in p["files"]] for p in s.profiles())
            check(found == [["Rank-1.json"], ["other0.json"], ["other1.json"], ["rank0.json", "rank2.json", "rank10.json"], ["rank2_b.json"]],
                  f"ranks of a folder: {found}")
            steps = s.api(f"profiles/{s.id_of('rank0.json')}/views/steps?format=json").json()
            check(sum(row["step"] == "all" for row in steps["rows"]) == 3, f"side by side: {steps['rows']}")
        os.mkdir(os.path.join(folder, "big"))
        for rank in range(128):
            shutil.copy(trace, os.path.join(folder, "big", f"rank{rank}.json"))
        with serving(os.path.join(folder, "big")) as s:
            check([len(p["files"]) for p in s.profiles()] == [128], "a folder of 128 ranks is one profile")


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


def test_a_query_over_its_limits_is_refused_once(s):
    """422, not 503, because the same query would fail again. The query below exceeds the limit of time; this one exceeds that of cells,
    except on a busy machine."""
    p = s.id_of(PROFILE)
    s.api(f"profiles/{p}")
    begin = time.monotonic()
    over_limits(s.api(f"profiles/{p}/query?sql={quote(ENDLESS.replace('count(*)', 'x'))}"), ("too big", "time_limit"))
    check(time.monotonic() - begin < 15, f"refused after {time.monotonic() - begin:.1f} s")


def over_limits(answer, words):
    check(answer.status == 422 and any(w in answer.json()["error"] for w in words), f"{words}: {answer.status} {answer.body[:200]}")
    check(answer.headers.get("retry-after") is None, "nobody is told to try again")


def test_one_profile_does_not_hold_up_the_others(_):
    """At most two of the four threads work on one profile, one of them on queries; each has 10 seconds. When the server ends, it ends the
    remaining ones."""
    with concurrent.futures.ThreadPoolExecutor(12) as pool, serving(".") as s:
        p, gpu = s.id_of(PROFILE), s.id_of("gpu/profile_1.gz")
        s.api(f"profiles/{p}")
        s.api(f"profiles/{gpu}")
        begin = time.monotonic()
        slow = [pool.submit(s.api, f"profiles/{p}/query?sql={quote(ENDLESS)}", 120) for _ in range(8)]
        s.busy()
        asked = time.monotonic()
        check(s.api(f"profiles/{gpu}/views/scope?max_depth=1").status == 200, "a view of another profile")
        check(s.api(f"profiles/{p}/views/scope?max_depth=1").status == 200, "another view of that profile")
        seconds = time.monotonic() - asked
        check(seconds < (8 if SANITIZED else 4), f"it took {seconds:.1f} s")
        for done in itertools.islice(concurrent.futures.as_completed(slow), 1):
            over_limits(done.result(), ("time_limit",))
        check(time.monotonic() - begin < 20, f"refused after {time.monotonic() - begin:.1f} s")
