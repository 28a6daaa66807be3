# SPDX-License-Identifier: Apache-2.0
"""The cases that leaks.py repeats: every function of tfprof._native, and what the package builds on them. A case is a name
and a function that must not leave anything allocated."""
import contextlib
import io
import os
import types

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(os.path.dirname(HERE), "data", "sample")
PROFILE = os.path.join(SAMPLE, "towers", "profile_9.gz")
SMALL = os.path.join(SAMPLE, "odd", "profile_5")
GRAPH, RUN_META, OP_LOG = (os.path.join(SAMPLE, "dense", name) for name in ("graph.pb", "run_meta_3", "tfprof_log.gz"))


class Expected(Exception):
    """A call that should have failed did not."""


def refused(function, *arguments, **keywords):
    """Makes a call that must raise an exception, and builds its message too."""
    try:
        function(*arguments, **keywords)
    except Exception as wrong:  # of every kind, because only references matter here
        str(wrong)
    else:
        raise Expected("%r%r went through" % (function, arguments))


def read(path):
    with open(path, "rb") as f:
        return f.read()


class Watcher:
    """A progress callback that holds a reference to its profile."""

    def __call__(self, done, total):
        return None


def opened(native, *paths, **keywords):
    p = native.Profile(native.KEEP_MEMORY | native.KEEP_ATTRS | native.KEEP_PROGRAM, **keywords)
    for path in paths:
        p.add_file(path)
    p.finish()
    return p


def module_cases(native):
    graph = read(GRAPH)
    return {
        "table": lambda: [native.table(name) for name in ("views", "columns", "options", "outputs", "formats",
                                                          "checkers", "orders")],
        "table, refused": lambda: (refused(native.table, "none"), refused(native.table, 1)),
        "option_kind": lambda: (native.option_kind("select"), native.option_kind("none")),
        "option_kind, refused": lambda: refused(native.option_kind),
        "format_is": lambda: (native.format_is("graph", native.FORMAT_WHOLE), refused(native.format_is, 1, 1),
                              refused(native.format_is, "graph")),
        "recognise": lambda: (native.recognise(GRAPH), native.recognise(graph, "g")),
        "recognise, refused": lambda: (refused(native.recognise, "/nothing/here"), refused(native.recognise, b"?", "g"),
                                       refused(native.recognise, 1), refused(native.recognise, "g", "g"),
                                       refused(native.recognise)),
    }


def options_cases(native):
    def changed():
        o = native.Options()
        o.set("max_depth", "3")
        o.set_list("show_name_regexes", ["a.*", "b,c"])
        o.set_list("select", ())
        o.read_proto("scope", b"\x08\x05")
        o.every_value(True)
        for value in (1, 1.5, "text", None):
            o.bind("1", value)
        return o.get("max_depth"), o.get("show_name_regexes"), o.listed("max_depth")

    def wrong():
        o = native.Options()
        refused(native.Options, 1)
        refused(o.set, "none", "1")
        refused(o.set, "max_depth", "many")
        refused(o.set, 1, 2)
        refused(o.set_list, "show_name_regexes", ["(", 1])
        refused(o.set_list, "show_name_regexes", ["("])
        refused(o.set_list, "show_name_regexes", ["a\0b"])
        refused(o.set_list, "show_name_regexes", 1)
        refused(o.read_proto, "scope", b"\xff")
        refused(o.read_proto, "scope", "text")
        refused(o.bind, "1", 1 << 80)
        refused(o.bind, "", 1)
        refused(o.bind, "1", b"x")
        refused(o.get, "none")
        refused(o.get, 1)
        refused(o.listed, 1)
        refused(setattr, o, "more", 1)

    return {"Options: set set_list bind read_proto every_value get listed": changed, "Options, refused": wrong}


def profile_cases(native, folder):
    p, o = opened(native, PROFILE), native.Options()
    graph, run_meta, log = read(GRAPH), read(RUN_META), read(OP_LOG)
    target = os.path.join(folder, "profile")
    to_stdout, to_file = native.Options(), native.Options()
    to_stdout.set("output", "stdout")
    to_file.set("output", "file:outfile=" + os.path.join(folder, "text"))
    far = native.Options()
    far.set("step", "77")

    def from_memory():
        seen = []
        q = native.Profile(native.KEEP_MEMORY, lambda done, total: seen.append((done, total)))
        q.add_bytes(graph, "g")
        q.add_bytes(run_meta, "r", "run_meta", 7)
        q.add_bytes(log, "l", format="op_log", step=None)
        q.finish()
        return q.steps()

    def circle():
        watcher = Watcher()
        watcher.profile = opened(native, SMALL, progress=watcher)

    def wrong():
        q = native.Profile()
        refused(native.Profile, 1 << 20)
        refused(native.Profile, 0, 1)
        refused(native.Profile, 0, None, None)
        refused(q.add_file, "/nothing/here")
        refused(q.add_file, GRAPH, "none")
        refused(q.add_file, GRAPH, step="x")
        refused(q.add_file, 1)
        refused(q.add_files, [(RUN_META, "run_meta", None)] * 3 + [("/nothing/here", None, None)])
        refused(q.add_files, [(GRAPH, None, None), (RUN_META, "run_meta", 1)])
        refused(q.add_files, [(GRAPH, None)])
        refused(q.add_files, [GRAPH])
        refused(q.add_files, 1)
        refused(q.add_bytes, "text", "name")
        refused(q.add_bytes, graph[:50], "cut", "graph")
        refused(q.add_bytes, graph, "g", None, "x")
        refused(p.write, "/nothing/here/p")
        refused(p.write, 1)
        refused(p.save, "/nothing/here/p")
        refused(p.records, "none", 0)
        refused(p.records, 1, 0)
        refused(p.report, "none", o)
        refused(p.report, "scope", far)
        refused(p.report, "scope", None)
        refused(p.show, "scope", None)
        refused(p.show, "scope", far)

    def closed():
        q = opened(native, SMALL)
        report = q.report("scope", o)
        q.close()
        refused(q.report, "scope", o)
        refused(report.columns)
        return q.is_closed(), q.close(), opened(native, SMALL).close()

    def stopped():
        def stop(done, total):
            raise KeyError(done)

        refused(native.Profile(0, stop).add_file, PROFILE)

    return {
        "Profile.add_files": lambda: native.Profile().add_files([(RUN_META, "run_meta", i) for i in range(5)]),
        "Profile.add_file finish": lambda: opened(native, GRAPH, RUN_META, OP_LOG),
        "Profile.add_bytes": from_memory,
        "Profile, in a circle with its callback": circle,
        "Profile, refused": wrong,
        "Profile, stopped by its callback": stopped,
        "Profile: warnings coverage steps node_names": lambda: (p.warnings(), p.coverage(), p.steps(), p.node_names()),
        "Profile: close is_closed": closed,
        "Profile.records": lambda: [p.records(what, -1).columns() for what in ("steps", "spans", "memory")],
        "Profile.write": lambda: (p.write(), p.write(target)),
        "Profile.save": lambda: (p.save(), p.save(target)),
        "Profile.report": lambda: [p.report(view, o) for view in views_of_a_model(native)],
        "Profile.show": lambda: [p.show("scope", to) for to in (to_stdout, to_file)],
    }


def views_of_a_model(native):
    """The views that need no trace of events: PROFILE is a graph with its run metadata."""
    of_traces = {"calls", "kernel", "steps", "transfer", "wait", "check", "hang", "whatif", "limits", "triage"}
    return [view for view in native.table("views") if view not in of_traces]


def report_cases(native, folder):
    p, o = opened(native, PROFILE), native.Options()
    o.set("max_depth", "10000")
    o.set("select", "micros,bytes,op_types,device,input_shapes")
    reports = {view: p.report(view, o) for view in views_of_a_model(native)}
    scope = reports["scope"]
    named = [name for name, _ in scope.columns()]
    target = os.path.join(folder, "output")

    def wrong():
        refused(type(scope))
        for row, column in ((-1, "name"), (10**9, "name"), (0, "none"), ("x", "name"), (0, 1)):
            refused(scope.get, row, column)
        refused(scope.column, "none")
        refused(scope.column, 1)
        refused(scope.write, "none")
        refused(scope.write, "text", "/nothing/here/t")
        refused(scope.write, "text", 1)

    def outgrown():
        q = native.Profile()
        q.add_file(GRAPH)
        q.finish()
        r = q.report("scope", o)
        q.add_file(RUN_META)
        q.finish()
        for look in (r.columns, r.notes, r.note_codes, r.arrow_stream):
            refused(look)

    def every_output():
        for report in reports.values():
            for output in native.table("outputs"):
                with contextlib.suppress(native.Error):  # some views do not support every output
                    report.write(output)
                with contextlib.suppress(native.Error):
                    report.write(output, target)

    return {
        "Report.get": lambda: [scope.get(row, name) for row in range(len(scope)) for name in named + ["total_micros"]],
        "Report.column_type": lambda: [(scope.column_type(name), scope.column_type("none")) for name in named],
        "Report.column columns notes note_codes": lambda: [(r.columns(), r.notes(), r.note_codes(), [r.column(c) for c, _ in r.columns()])
                                                           for r in reports.values()],
        "Report.write": every_output,
        "Report.arrow_stream": lambda: scope.arrow_stream(),
        "Report, refused": wrong,
        "Report, outgrown by its profile": outgrown,
    }


def comparison_cases(native, folder):
    p, o, target = opened(native, PROFILE), native.Options(), native.Options()
    target.set("output", "file:outfile=" + os.path.join(folder, "table"))
    text = p.report("scope", o).write("text")
    sides = ((None, None, p, 0), (None, None, p, 3))
    stats = p.stats(None, o)

    def refusals():
        refused(p.stats, "none", o)
        refused(p.stats, None, None)
        refused(native.query, "SELECT", ((p, None),), o)
        refused(native.query, "SELECT 1", ((1, None),), o)
        refused(native.query, 1, 2, 3)
        refused(native.diff, p, (), "scope", o)
        refused(native.diff, p, ((None, "<text>", b"no scope view"),) * 2, "scope", o)
        refused(native.diff, p, (1, 2), "scope", o)
        refused(native.is_scope_text, 1)

    def compared():
        r = native.diff(p, sides, "scope", o)
        t = native.diff(p, ((None, "<text>", text), (None, "<text>", text)), "scope", o)
        return r.over(), r.notes(), r.columns(), r.write("json"), r.is_table(), t.write("text")

    def asked():
        r = native.query("SELECT name, op, float_ops * 1.5 AS x, NULL AS y FROM nodes", ((p, "p"),), o)
        return [(r.column(c), r.get(0, c)) for c, _ in r.columns()], r.write("csv"), r.arrow_stream()

    return {
        "Profile.stats Report.is_table": lambda: (p.stats("op", o).write("text"), stats.is_table()),
        "Report.put": lambda: (stats.put(), p.stats(None, target).put()),
        "diff Report.over": compared,
        "is_scope_text": lambda: (native.is_scope_text(text), native.is_scope_text(b"none")),
        "query": asked,
        "stats diff query, refused": refusals,
    }


def package_cases(folder):
    import tfprof
    from tfprof.compat.v1 import pywrap

    p = tfprof.open(PROFILE)
    graph, run_meta, log = read(GRAPH), read(RUN_META), read(OP_LOG)

    def looked_at():
        r = p.scope(select=["micros"], max_depth=100)
        return (str(r), repr(r), [row.total_micros for row in r], r.root.children, r.to_dict(), r._repr_html_(),
                r.to_bytes("csv"), "none" in r)

    def core():
        stats = pywrap.Stats(graph, b"")
        stats.add_step(0, graph, run_meta, b"")
        with contextlib.redirect_stdout(io.StringIO()):
            for view in ("scope", "graph", "op"):
                stats.profile(view, b"\x08\x05")  # max_depth
            stats.profile("advise", b"")
        return stats.serialize()

    return {
        "tfprof.open": lambda: tfprof.open(graph=graph, run_meta={5: run_meta}, op_log=log),
        "tfprof.open, refused": lambda: (refused(tfprof.open), refused(tfprof.open, "/nothing/here"),
                                         refused(p.scope, no_such_option=1), refused(p.scope, step=99)),
        "tfprof.Report": looked_at,
        "tfprof.diff query": lambda: (str(tfprof.diff((p, 0), (p, 3))), tfprof.query("SELECT 1", p), p.stats().to_dict()),
        "tfprof.Profile.view": lambda: [getattr(p, view)() for view in views_of_a_model(tfprof._native)],
        "tfprof.compat.v1.pywrap": core,
    }


def without_case(native, names):
    """Functions of the extension that no case names."""
    words = set(" ".join(names).replace(".", " ").replace(":", " ").split())
    found = [name for name, value in vars(native).items() if isinstance(value, types.BuiltinFunctionType)]
    for kind in (native.Options, native.Profile, native.Report):
        found += [name for name in vars(kind) if not name.startswith("__")]
    return sorted(set(found) - words)


def fleet_cases(native):
    """Cases with many traces. A stream that nobody reads is freed with its capsule; pyarrow reads one if
    it is installed."""
    place = os.path.dirname(os.fsencode(PROFILE))
    parts = ((os.fsencode(PROFILE), None, None, None, None), (None, b"bad", b"no trace", None, None), (None, b"gone", None, b"missing", b"it is gone"))

    def streams():
        native.fleet_stream("runs", ("path", "{job}"), iter(parts))
        list(tfprof_arrow(parts))

    def tfprof_arrow(sources):
        try:
            import pyarrow
        except ImportError:
            return []
        from tfprof._arrow import Stream
        return pyarrow.RecordBatchReader.from_stream(Stream("failures", (), iter(sources)))

    def refusals():
        refused(native.fleet_stream, "none", (), iter(()))
        refused(native.fleet_stream, "runs", ("none", "1"), iter(()))
        refused(native.fleet_files, (1,), None, None)
        refused(native.fleet_whose, ("path", "{"), b"a", b"b")
        refused(native.fleet_columns, 1)

    return {
        "fleet_columns": lambda: (native.fleet_columns(None), native.fleet_columns("ops"), native.fleet_columns("none")),
        "fleet_files": lambda: native.fleet_files((place,), "*.gz", None),
        "fleet_whose": lambda: native.fleet_whose(("path", "job={job}"), b"", b"x/job=a/t.json"),
        "fleet_stream": streams,
        "fleet, refused": refusals,
    }


def every_case(native, folder):
    return {**fleet_cases(native), **module_cases(native), **options_cases(native), **profile_cases(native, folder),
            **report_cases(native, folder), **comparison_cases(native, folder), **package_cases(folder)}
