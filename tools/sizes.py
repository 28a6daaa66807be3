#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no folder has more than 30 files, no file of C or Python more than 450 lines and no component of the page
more than 100, that docs/design.md and docs/recipes name no file that does not exist, and that each folder of src/ has a row in the
former. Functions of src/ may have at most 6 parameters and structs at most 25 fields, except those listed below."""
import fnmatch
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILE_LINES, COMPONENT_LINES, FOLDER_FILES = 450, 100, 30
# A table with one row for each operation.
LONG = {"src/flops/rules/shared/opdefs.c"}
PARAMETERS, FIELDS = 6, 25
# Functions whose parameters we cannot change: those of the public headers, which other programs call, and a callback of
# libdw.
PUBLIC = {"tfp_cache_path", "tfp_fleet_files", "tfp_gate_judge", "tfp_live_capture", "tfp_live_stacks", "tfp_query", "tfp_show",
          "tfp_timeline_find", "tfp_timeline_spans", "tfp_timeline_sums"}
CALLBACKS = {"find_no_debuginfo"}
# The kernel defines this layout, for signals.
FIXED = {"signal_frame"}
FOLDERS = ("src", "cli", "server", "mcp", "python", "include", "tests", "tools")


def files(folder, *endings):
    for top, _, names in os.walk(os.path.join(ROOT, folder)):
        for name in sorted(names):
            if name.endswith(endings):
                yield os.path.relpath(os.path.join(top, name), ROOT)


def lines(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read().splitlines()


def long_files():
    for folder in FOLDERS:
        for path in files(folder, ".c", ".h", ".cc", ".py"):
            count = len(lines(path))
            if count > FILE_LINES and path not in LONG:
                yield "%s has %d lines, more than %d" % (path, count, FILE_LINES)


def long_components():
    """A component begins with its name in the first column, and ends with a bracket there."""
    for path in files("web/src", ".tsx"):
        begin = None
        for number, line in enumerate(lines(path), 1):
            if re.match(r"(export )?(default )?(function|const) [A-Z]\w*", line):
                begin = number
            elif begin and re.match(r"[)}]", line):
                if number - begin >= COMPONENT_LINES:
                    yield "%s:%d: a component of %d lines, more than %d" % (path, begin, number - begin + 1, COMPONENT_LINES)
                begin = None


# Rooms whose tests run whole programs, and their tests: folders and files that test nothing else.
TESTED = {
    "server": (("server",), ("tests/server", "tests/unit/server", "tests/fuzz/program/fuzz_http.c", "tests/live/agent.py",
                              "tests/live/engines.py", "tests/live/hostile_peers.py", "tests/live/machines.py", "tests/live/push.py", "tests/live/remote.py",
                              "tests/live/serve.py")),
    "live": (("src/live", "cli/live"), ("tests/live", "tests/unit/live", "tests/fuzz/program/fuzz_live.c",
                                        "tests/fuzz/program/fuzz_elf.c")),
    "web": (("web/src",), ("web/test", "tests/page")),
}


def lines_of_code(places):
    tracked = subprocess.run(["git", "ls-files", *places], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    return sum(sum(1 for line in lines(path) if line.strip()) for path in tracked if path.endswith((".c", ".h", ".py", ".ts", ".tsx", ".mjs")))


def tell_tested():
    shares = ["%s %.2f" % (room, lines_of_code(tests) / lines_of_code(code)) for room, (code, tests) in TESTED.items()]
    print("sizes: lines of tests for each line of code: " + ", ".join(shares) + " (wanted: 0.5)")


def full_folders():
    """Folders with more files than fit on a screen."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    folders = [os.path.dirname(path) for path in tracked.stdout.split("\0")]
    most = max(set(folders), key=folders.count)
    print("sizes: the fullest folder is %s with %d files" % (most, folders.count(most)))
    for folder in sorted(set(folders)):
        if folders.count(folder) > FOLDER_FILES:
            yield "%s has %d files, more than %d" % (folder, folders.count(folder), FOLDER_FILES)


def parts(text, between):
    """The number of parts of a text that is split at separators outside of brackets."""
    depth, count = 0, 1
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        count += sign == between and depth == 0
    return count


def lists_of_columns():
    """The structs of the model, which are lists of columns (src/schema/): (path, struct, its fields)."""
    for path in files("src/schema", ".def"):
        for name, rows in re.findall(r"^#define STRUCT (\w+)$(.*?)^#undef STRUCT$", "\n".join(lines(path)), re.M | re.S):
            words = re.findall(r"^    ([A-Z_]+)", rows, re.M)
            yield path, name, sum(2 if word == "HEADS" else word not in ("KEY", "PROFILE", "OWNER", "COMPUTED") for word in words)


def listed_fields():
    """Sources outside of src/schema/ that list fields of the model by their offsets: a field is named once."""
    structs = {name: fields for _, name, fields in lists_of_columns()}
    offsets = re.compile(r"\boffsetof\((?:struct )?(%s)," % "|".join(structs))
    found = [(path, len(offsets.findall("\n".join(lines(path))))) for path in files("src", ".c", ".h")]
    found = [(path, count) for path, count in found if count > 1]
    print("sizes: %d fields of %d structs of the model stand in 1 list, and in %d others by their offsets" % (sum(structs.values()), len(structs), len(found)))
    for path, count in found:
        yield "%s lists %d fields of the model, which src/schema/ lists" % (path, count)


def wide():
    """Functions of src/ with too many parameters, and structs with too many fields; members of members count as one."""
    functions, structs = set(), set()
    for path in files("src", ".c", ".h"):
        text = re.sub(r"/\*.*?\*/", " ", "\n".join(lines(path)), flags=re.S)
        for name, inside in re.findall(r"^[A-Za-z_][\w \*]*?\b(\w+)\(([^;{}()]*(?:\([^()]*\)[^;{}()]*)*)\)\s*[{;]", text, re.M):
            if parts(inside, ",") > PARAMETERS and name not in PUBLIC | CALLBACKS:
                functions.add("%s of %s has %d parameters" % (name, path, parts(inside, ",")))
        for name, body in re.findall(r"^(?:typedef )?struct (\w+) \{(.*?)\n\}", text, re.M | re.S):
            fields = sum(parts(row, ",") for row in re.sub(r"\{[^{}]*\}", "", body).split(";") if row.strip())
            if fields > FIELDS and name not in FIXED:
                structs.add("%s of %s has %d fields" % (name, path, fields))
    structs.update("%s of %s has %d fields" % (name, path, fields) for path, name, fields in lists_of_columns() if fields > FIELDS)
    print("sizes: %d functions have more than %d parameters, beside %d public ones and %d callback; %d structs more than %d fields"
          % (len(functions), PARAMETERS, len(PUBLIC), len(CALLBACKS), len(structs), FIELDS))
    yield from sorted(functions)
    yield from sorted(structs)


def known_views():
    """Comparisons of a view's address, or of its name, with a certain view: a field of its row (struct tfp_view) says
    what is meant, so that a new view only declares it."""
    names = {name for path in files("src", ".c") for name in re.findall(r"^(?:static )?const tfp_view tfp_view_(\w+) =", "\n".join(lines(path)), re.M)}
    address, word = r"&tfp_view_\w+|\btfp_view_\w+\.name", r'(?:TFP_STR\()?"(?:%s)"' % "|".join(sorted(names))
    shape = re.compile(r"[=!]= *(?:%s)|(?:%s) *[=!]=|(?:strn?cmp|tfp_str_eq)\([^;]*?(?:%s)|(?:strn?cmp|tfp_str_eq)\([^;()]*?\b(?:view|about|command|call)\b[^;()]*, %s"
                       % (address, address, r"\btfp_view_\w+\.name", word))
    found = [(path, number) for folder in ("src", "cli", "server", "mcp", "python/native") for path in files(folder, ".c", ".h")
             for number, line in enumerate(lines(path), 1) for _ in shape.findall(line)]
    print("sizes: %d comparisons with a certain view" % len(found))
    for path, number in found:
        yield "%s:%d compares with a certain view: a field of struct tfp_view says what is meant" % (path, number)


# Structs that describe a column: of the model (tfp_schema_column, and sql_column until queries read it), of a table
# (tfp_table_column), and a number that -select knows, which is several columns of a table (tfp_column).
# Code asks for a trait of a report's kind (views/core/handle.h), not for the kind.
COLUMNS, KINDS = 4, 0


def columns_and_kinds():
    structs, kinds = set(), 0
    for path in files("src", ".c", ".h"):
        text = "\n".join(lines(path))
        structs |= set(re.findall(r"^(?:typedef )?struct (\w*column) \{", text, re.M))
        kinds += len(re.findall(r"(?:[=!]=|case) *TFP_REPORT_(?:TREE|GROUPS|LIST|FINDINGS|GRID)\b", text))
    print("sizes: %d structs describe a column (%s); %d tests of a report's kind" % (len(structs), ", ".join(sorted(structs)), kinds))
    if len(structs) > COLUMNS:
        yield "%d structs describe a column, more than %d" % (len(structs), COLUMNS)
    if kinds > KINDS:
        yield "%d tests of a report's kind, more than %d" % (kinds, KINDS)


# Only the store of spans knows how rows are encoded (src/model/tables/compact_rows.h). Readers write rows through
# model/trace/compact.h, the join reads them through model/tables/compact.h, and views through model/trace/scan.h. The
# flags of the public header are translated in one file.
STORE = ("src/model/trace/", "src/model/tables/compact")
FLAGS = "src/model/profile.c"
ENCODING = r"tfp_compact_(?:row|block|long)\b|TFP_COMPACT_LONG|compact_rows\.h|TFP_KEEP_"


def knows_the_store():
    found = [path for path in files("src", ".c", ".h", ".def") if not path.startswith(STORE) and path != FLAGS
             and re.search(ENCODING, "\n".join(lines(path)))]
    print("sizes: %d files outside of the store of spans name how rows are encoded, or flags of the public header" % len(found))
    for path in found:
        yield "%s names how rows are encoded (model/tables/compact_rows.h), or a flag TFP_KEEP_... (schema/reads.h has ours)" % path


def is_there(name, tracked):
    """Whether a path exists, given from the root or as its end: rows of the map name files relative
    to their folder."""
    pattern = name.replace("NAME", "*") + ("*" if name.endswith("/") else "")
    return any(fnmatch.fnmatch("/" + path, "*/" + pattern) for path in tracked)


def missing_paths():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    for path in ("docs/design.md", *files("docs/recipes", ".md")):
        for number, line in enumerate(lines(path), 1):
            for word in re.findall(r"`([^` ]+)`", line):
                if re.fullmatch(r"[\w./*-]*(/|\.(c|h|cc|def|py|sh|ts|tsx|build))", word) and not is_there(word, tracked):
                    yield "%s:%d names %s, which does not exist" % (path, number, word)


def rooms_without_row():
    rows = "\n".join(lines("docs/design.md"))
    for room in sorted(os.listdir(os.path.join(ROOT, "src"))):
        if os.path.isdir(os.path.join(ROOT, "src", room)) and "\n| `src/%s/` |" % room not in rows:
            yield "docs/design.md has no row for src/%s/" % room


def main():
    wrong = [*long_files(), *full_folders(), *wide(), *listed_fields(), *known_views(), *columns_and_kinds(), *knows_the_store(), *long_components(), *missing_paths(), *rooms_without_row()]
    tell_tested()
    for line in wrong:
        print("lint: " + line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
