#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recipes of docs/recipes, followed to the letter: tests/recipe/run.py

In a copy of the tree fields of the model, a format, views, an output, a select column, operations and a rule are added, each as its page says and in
no other place; the copy is built (ccache keeps that short), and each must work and be listed.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
passed = failed = 0


def check(name, ok, what=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f"{name}: {what}")


# ---- what is added: a new file, or text before the one place in a file where a pattern is found ----

VIEW = """// SPDX-License-Identifier: Apache-2.0
/* views/files/zz_view.c: the table zz_view. */
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "views/core/grid.h"
#include "views/core/report.h"
#include "views/core/view.h"

typedef struct zz_row {
    tfp_str name;
} zz_row;

static const tfp_table_column columns[] = { TFP_COLUMN(zz_row, "node", TEXT, LABEL, name, "The node."), { 0 } };

static tfp_status build(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    zz_row *rows = TFP_NEW(&r->arena, zz_row, tfp_graph_of(p)->nodes.size + 1);
    if (!rows) return tfp_nomem(err);
    for (uint32_t i = 0; i < tfp_graph_of(p)->nodes.size; i++) rows[i].name = tfp_text(p, tfp_graph_of(p)->nodes.at[i].name);
    return tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, tfp_graph_of(p)->nodes.size, 0 }, err);
}

const tfp_view tfp_view_zz = { "zz_view", "A view of the recipe.", TFP_REPORT_GRID, NULL, NULL, build, 0, NULL };
"""
TABLE = """// SPDX-License-Identifier: Apache-2.0
/* views/trace/zz_table.c: the table zz_table: activities of devices by rank and name. */
#include "model/tables/read.h"
#include "model/trace/scan.h"
#include "query/groups.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/core/view.h"
#include "views/spans/trace.h"

#include <math.h>

typedef struct zz_row {
    int64_t rank;
    tfp_str name;
    tfp_fold ns;
    double share;
    uint32_t unit;
} zz_row;

static const tfp_table_column columns[] = {
    TFP_COLUMN_ONLY(zz_row, "rank", INT, NUMBER, rank, "Rank of the process.", TFP_SHOWN_RANKS),
    TFP_COLUMN_KERNELS(zz_row, "name", name, "The activity."),
    TFP_COLUMN(zz_row, "count", INT, NUMBER, ns.count, "How often it ran."),
    TFP_COLUMN(zz_row, "total_us", NANO, MICROS, ns.total, "Its total time."),
    TFP_COLUMN(zz_row, "max_us", NANO, MICROS, ns.max, "Its longest time."),
    TFP_COLUMN(zz_row, "share", REAL, SHARE, share, "Share of all activities."),
    { 0 }
};
static const tfp_sort_key longest_first[] = { TFP_UP(zz_row, unit), TFP_DOWN(zz_row, ns.total), { 0 } };

static zz_row *rows_of(tfp_report *r, const tfp_trace_index *x, size_t *count)
{
    tfp_groups rows = { .row_size = sizeof(zz_row) };
    double all = 0;
    tfp_scan_ask ask = { .kinds = TFP_SPANS(ACTIVITY), .step = tfp_step_of(r) };
    for (tfp_scan s = tfp_scan_of(x->p, &ask); tfp_scan_next(&s);)
        for (const tfp_scan_row *of = s.rows; of < s.rows + s.count; of++) {
            uint32_t unit = x->unit_of_process[of->process];
            zz_row *row = TFP_GROUP(&rows, unit, of->name);
            if (row && rows.added)
                *row = (zz_row){ .rank = x->units[unit].rank, .name = tfp_text(x->p, of->name), .unit = unit };
            if (row) tfp_fold_join(&row->ns, &of->self_ns);
            all += (double)of->self_ns.total;
        }
    zz_row *sorted = tfp_groups_end(&rows, tfp_arena_of(r), longest_first, count);
    for (size_t i = 0; sorted && i < *count; i++) sorted[i].share = all > 0 ? (double)sorted[i].ns.total / all : NAN;
    return sorted;
}

static tfp_status build(tfp_report *r, tfp_error *err)
{
    tfp_trace_index x;
    size_t count;
    tfp_status s = tfp_trace_index_new(r, &x, err);
    const zz_row *rows = s ? NULL : rows_of(r, &x, &count);
    if (!s && !rows) s = tfp_nomem(err);
    return s ? s : tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, count, tfp_trace_shown(&x) }, err);
}

const tfp_view tfp_view_zz_table = {
    .name = "zz_table",
    .help = "A table of the recipe.",
    .kind = TFP_REPORT_GRID,
    .build = build,
    .needs = TFP_NEEDS_SPANS,
    .columns = columns,
    .no_rows = "no activity of a device",
};
"""
OUTPUT = """// SPDX-License-Identifier: Apache-2.0
/* outputs/text/zz_output.c: the output zz_output. */
#include "outputs/core/output.h"
#include "views/core/report.h"

static tfp_status write(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    (void)err;
    tfp_buf_printf(&s->buf, "zz output of %s\\n", r->view);
    return TFP_OK;
}

const tfp_output_format tfp_output_zz = { "zz_output", "an output of the recipe", true, write };
"""
FORMAT = """// SPDX-License-Identifier: Apache-2.0
/* formats/samples/zz_format.c: files that begin with "zz format". */
#include "formats/files/format.h"
#include "model/builder.h"

static const char head_of[] = "zz format";

static int probe(tfp_str head, uint64_t total)
{
    (void)total;
    return tfp_str_begins(head, TFP_STR(head_of)) ? 100 : 0;
}

static tfp_status read(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    tfp_str text;
    tfp_status s = tfp_input_all(in, &text, err);
    if (s) return s;
    tfp_build_node(b, TFP_STR("zz"), TFP_STR("Zz"), true);
    return tfp_builder_status(b, err);
}

const tfp_format tfp_format_zz = { .name = "zz_format", .help = "a format of the recipe", .probe = probe, .read = read };
"""
COLUMN = """COLUMN(ZZ_SHORTEST, "zz_shortest", STATISTIC, TFP_MICROS,
    .help = "The shortest run.",
    .text = { .doc = "shortest run", .legend = "shortest run", .suffix = " shortest", .tree_at = 115, .group_at = 85 },
    .statistic = tfp_shortest_of_runs,
    .order_at = 75)
"""
RULE = """    RULE("ZzRule", HOST, "A rule of the recipe.", zz_rule, 0, STEP, "nothing", "steps", NULL, NULL, NULL),
"""
JUDGE = """
bool tfp_ruling_zz_rule(tfp_ruling *x)
{
    tfp_ruling_part(x, "the recipe", 1000);
    return true;
}
"""
OPERATION = """    { "ZzOperation", tfp_same_as_input, TFP_EACH_OUT(5, "the recipe") },
"""
OPERATOR = """    { "zz_operator", EACH_IN(3, "an operator of the recipe") },
"""
GRAPH = """node { name: "in" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 2 } dim { size: 3 } } } } }
node { name: "zz" op: "ZzOperation" input: "in" attr { key: "T" value { type: DT_FLOAT } } }
"""
TRACE = """{"schemaVersion": 1, "deviceProperties": [], "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::zz_operator", "pid": 1, "tid": 1, "ts": 1, "dur": 5,
 "args": {"External id": 1, "Input Dims": [[2, 3]], "Input type": ["float"], "Concrete Inputs": [""]}}]}
"""
FIELDS = """    ANY(int64_t, zz_number,     "A number of the recipe.", SQL(14, "zz_number"))
    STRING(zz_text,             "A text of the recipe.", SQL(15, "zz_text"))
"""

ADDITIONS = {
    "model": [("src/schema/graph.def", r"END\n#undef STRUCT\n\n#define STRUCT tfp_type", FIELDS)],
    "view": [("src/views/files/zz_view.c", None, VIEW), ("src/views/core/views.def", None, "VIEW(zz)\n"),
               ("src/meson.build", r"'info\.c',", "'zz_view.c',\n    ")],
    "table": [("src/views/trace/zz_table.c", None, TABLE), ("src/views/core/views.def", None, "VIEW(zz_table)\n"),
               ("src/meson.build", r"'kernel\.c',", "'zz_table.c',\n    ")],
    "output": [("src/outputs/text/zz_output.c", None, OUTPUT),
                  ("src/outputs/core/output.h", r"extern const tfp_output_format ", "extern const tfp_output_format tfp_output_zz;\n"),
                  ("src/options/options.c", r'"folded", "speedscope", NULL', '"zz_output", '), ("src/registry.c", r"&tfp_output_json,", "&tfp_output_zz, "), ("src/meson.build", r"'md\.c',", "'zz_output.c',\n    ")],
    "format": [("src/formats/samples/zz_format.c", None, FORMAT),
                        ("src/formats/files/format.h", r"extern const tfp_format ", "extern const tfp_format tfp_format_zz;\n"),
                        ("src/registry.c", r"&tfp_format_tfprof,", "&tfp_format_zz, "), ("src/meson.build", r"'folded\.c',", "'zz_format.c',\n    ")],
    "column": [("src/options/columns.def", None, COLUMN),
                        ("src/options/columns.h", r"/\* tfp_value of a sum's first number", "double tfp_shortest_of_runs(const tfp_ranked_part *runs);\n"),
                        ("src/options/statistics.c", None, "double tfp_shortest_of_runs(const tfp_ranked_part *runs) { return (double)tfp_ranked_at(runs, 0); }\n")],
    "operation": [("src/flops/rules/math/math.c", r'    \{ "Sigmoid", ', OPERATION), ("src/flops/aten/rules.def", r'    \{ "mm ', OPERATOR)],
    "rule": [("src/advise/trace_rules.c", r'    RULE\("HostBound"', RULE),
                                 ("src/advise/rules.h", r"bool tfp_ruling_host_bound", "bool tfp_ruling_zz_rule(tfp_ruling *x);\n"),
                                 ("src/advise/trace_host.c", None, JUDGE)],
}
# The most that an addition may cost: lines, and files beside src/meson.build.
MOST = {"table": (110, 2), "format": (150, 6), "model": (2, 1), "operation": (2, 2)}
# The reader that fills the new fields: no recipe, but its own work.
READER = ("src/model/builder.c", r"    if \(b->status \|\| !APPEND\(b, graph->nodes, n\)\)", "    n.zz_number = 7, n.zz_text = n.name;\n")


def insert(folder, path, pattern, text, what):
    full = os.path.join(folder, path)
    old = open(full, encoding="utf-8").read() if os.path.exists(full) else ""
    at = len(old)
    if pattern:
        found = re.search(pattern, old)
        check(f"{what}: {path} has the place", found, pattern)
        at = found.start()
    with open(full, "w", encoding="utf-8") as f:
        f.write(old[:at] + text + old[at:])


def add(folder):
    insert(folder, *READER, "the reader")
    for what, places in ADDITIONS.items():
        with open(os.path.join(ROOT, "docs", "recipes", what + ".md"), encoding="utf-8") as f:
            recipe = f.read()
        # The measure of docs/design.md: lines, and files beside src/meson.build.
        lines, files = sum(max(1, text.count("\n")) for _, _, text in places), len({path for path, _, _ in places} - {"src/meson.build"})
        most_lines, most_files = MOST.get(what, (lines, files))
        check(f"{what}: at most {most_lines} lines in {most_files} files", lines <= most_lines and files <= most_files, (lines, files))
        print(f"recipe: {what} costs {lines} lines in {files} files")
        for path, pattern, text in places:
            insert(folder, path, pattern, text, what)
            named = path.replace("src/formats/samples/zz_format", "src/formats/NAME").replace("src/outputs/text/zz_output", "src/outputs/NAME").replace("graph.def", "NAME.def")
            named = os.path.basename(named.replace("src/views/files/zz_view", "src/views/NAME"))
            named = named.replace("zz_table", "NAME").replace("math.c", "*.c")
            check(f"{what}: the recipe names {path}", named in recipe or path == "src/meson.build", named)
    with open(os.path.join(ROOT, "docs", "design.md"), encoding="utf-8") as f:
        check("the map names src/meson.build", "are named in `src/meson.build`" in f.read())


def build(folder):
    """Returns False if it does not build."""
    setup = subprocess.run(["meson", "setup", "build", "--buildtype=release", "-Dtests=false"], cwd=folder, capture_output=True, text=True, check=False)
    done = setup.returncode == 0 and subprocess.run(["ninja", "-C", "build", "--quiet", "tfprof"], cwd=folder, capture_output=True, text=True, check=False)
    check("the copy builds", done and done.returncode == 0, (setup.stdout[-2000:] if not done else done.stdout[-4000:] + done.stderr[-2000:]))
    return done and done.returncode == 0


def use(folder):
    program = os.path.join(folder, "build", "tfprof")
    sample = os.path.join(ROOT, "tests", "data", "sample")

    def told(*words):
        done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        return done.stdout + done.stderr

    trace = os.path.join(sample, "traces", "kineto.json")
    check("the view", "aten::mm" in told("zz_view", trace, "-format", "csv"), told("zz_view", trace))
    table = told("zz_table", trace, "-format", "csv")
    check("the table", table.startswith("name,count,total_us,max_us,share") and "gemm" in table, table)
    with open(os.path.join(folder, "graph.pbtxt"), "w", encoding="utf-8") as f:
        f.write(GRAPH)
    counted = told("flops", "graph.pbtxt", "-format", "csv")
    check("the operation", "\nZzOperation,1,1,1,30," in counted and "ZzOperation" in told("help", "ops"), counted)
    with open(os.path.join(folder, "operator.json"), "w", encoding="utf-8") as f:
        f.write(TRACE)
    counted = told("flops", "operator.json", "-format", "csv")
    check("the operator", "aten::zz_operator,1,1,1,18," in counted, counted)
    check("the output", told("scope", trace, "-format", "zz_output").startswith("zz output of scope"), told("scope", trace, "-format", "zz_output"))
    with open(os.path.join(folder, "file.zz"), "w", encoding="utf-8") as f:
        f.write("zz format")
    check("the format", "zz_format" in told("info", "file.zz", "-format", "json"), told("info", "file.zz"))
    column = told("op", trace, "-select", "zz_shortest", "-order_by", "zz_shortest", "-format", "csv")
    check("the column", "zz_shortest,total_zz_shortest" in column and "aten::mm" in column, column)
    check("the column in SQL", "50" in told("query", "SELECT max(zz_shortest) FROM op WHERE name = 'aten::mm'", trace), told("query", "SELECT zz_shortest FROM op", trace))
    check("the rule", "the recipe takes" in told("advise", trace), told("advise", trace))
    profile, stored = os.path.join(sample, "dense", "profile_3.gz"), os.path.join(folder, "stored.tfprof")
    wanted = "SELECT count(*) AS n FROM nodes WHERE zz_number = 7 AND zz_text = name"
    nodes = told("query", "SELECT count(*) AS n FROM nodes", profile, "-format", "csv")
    told("convert", profile, "-o", stored)
    for where, pieces in ((profile, "1"), (profile, "4/300"), (stored, "1")):
        os.environ["TFPROF_THREADS"] = pieces
        answer = told("query", wanted, where, "-format", "csv")
        check(f"the field of {os.path.basename(where)}, threads {pieces}", answer == nodes and nodes.split()[-1] != "0", answer + nodes)
    del os.environ["TFPROF_THREADS"]
    listed = told("query", "SELECT help FROM columns WHERE name LIKE 'zz_%'", profile, "-format", "csv")
    check("the fields' help", "A number of the recipe." in listed and "A text of the recipe." in listed, listed)
    for topic, names in (("views", "zz_view"), ("outputs", "zz_output"), ("formats", "zz_format"), ("columns", "zz_shortest"), ("checkers", "ZzRule")):
        check(f"help {topic}", names in told("help", topic))
    structure = subprocess.run([sys.executable, os.path.join("tools", "rooms.py")], cwd=folder, capture_output=True, text=True, check=False)
    # rooms.py limits how many sources a header rebuilds. The limit is the present number, so one more source may exceed it.
    wrong = [line for line in structure.stdout.splitlines() if line.startswith("lint:") and " sources again, more than " not in line]
    check("the rooms hold", not wrong, wrong)


def main():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    folder = os.path.join(tempfile.gettempdir(), "tfprof_recipe_%d" % os.getpid())
    try:
        for name in filter(None, listed):
            if name.startswith(("tests/", "docs/images")) and name not in ("tests/meson.build",) or not os.path.isfile(os.path.join(ROOT, name)):
                continue
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), os.path.join(folder, name))
        if os.path.isdir(os.path.join(ROOT, "web", "dist")):
            shutil.copytree(os.path.join(ROOT, "web", "dist"), os.path.join(folder, "web", "dist"))
        add(folder)
        if build(folder):
            use(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
