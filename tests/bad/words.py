# SPDX-License-Identifier: Apache-2.0
"""Invalid or unusual words on the command line: options, steps, rewrites, patterns."""
from groups import group
from making import GRAPH, execution, node, run_meta, sample_path


@group
def usage(b):
    """Invalid words: status 2, and the error names the option and the value."""
    g = b.file(GRAPH, "g.pb")
    for option, value in (("max_depth", "many"), ("max_depth", ""), ("max_depth", "1.5"), ("min_bytes", "1k"),
                          ("min_micros", "99999999999999999999"), ("step", "last"), ("order_by", "weight"),
                          ("select", "micros,weight"), ("account_type_regexes", "(a"), ("start_name_regexes", "a["),
                          ("trim_name_regexes", "*"), ("trim_name_regexes", "(?=x)a"), ("hide_name_regexes", "\\1"),
                          ("account_displayed_op_only", "maybe"), ("output", "paper"), ("output", "file"),
                          ("output", "timeline:"), ("output", "file:outfile="), ("format", "docx"), ("compat", "2.0"),
                          ("hide_name_regexes", "a{1000}{1000}"), ("checkers", "SpellChecker")):
        view = "advise" if option == "checkers" else "scope"
        r = b.run(view, "--graph_path", g, "-" + option, value)
        # a boolean takes the next word only if it is one: the word is then a file
        b.refused("%s=%s" % (option, value), r, *((1, value) if value == "maybe" else (2, option)))
        r = b.run(view, "--graph_path", g, "--%s=%s" % (option.replace("_", "-"), value))
        b.refused("--%s=%s" % (option, value), r, 2)
    for words in (["-frobnicate"], ["--frobnicate", "1"], ["-max_dept", "3"], ["--max_depth"], ["-"], ["--=1"], ["-=="],
                  ["---max_depth", "3"], ["--select"], ["--output"]):
        b.refused(" ".join(words), b.run("scope", "--graph_path", g, *words), (1, 2))
    for words in (["fly"], ["scop"], ["scope", "graph"], ["", "x"], ["help", "flying"]):
        b.refused(" ".join(words), b.run(*words), (1, 2))
    # For an invalid show regex TensorFlow prints only the root, and so do we (docs/differences.md)
    r = b.run("scope", "--graph_path", g, "-show_name_regexes", "(a")
    b.check("a broken show regex", r.status != 2 or len(r.errors) != 1 or r.out.count(b"_TFProfRoot") != 1, r)
    b.refused("profile beside graph", b.run("scope", "--profile_path", sample_path("odd/profile_5"), "--graph_path", g), 2)
    long = "x" * 100000
    for words in (["-max_depth", long], ["-" + long], ["-account_type_regexes", "(" + long], ["-select", long],
                  ["--output", "file:outfile=/" + "y" * 5000], ["-order_by", long], [long]):
        b.refused("a long word for %s" % words[0][:20], b.run("scope", "--graph_path", g, *words), (1, 2, 3))
    b.refused("a long verb", b.run(long), (1, 2))
    b.refused("a long path", b.run("scope", "--graph_path", "/" + "z/" * 3000), 1)
    for odd in ("a\nb", "\x1b[31mred", "tab\t", "\u202eevil", b"\xff\xfe".decode("utf-8", "surrogateescape"), "\x85"):
        b.refused("odd characters in a path", b.run("scope", "--graph_path", "/nowhere/" + odd), 1, "/nowhere/")
        b.refused("odd characters in an option", b.run("scope", "--graph_path", g, "-" + odd), (1, 2))
        b.refused("odd characters in a value", b.run("scope", "--graph_path", g, "-max_depth", odd), 2)
        b.refused("odd characters in a verb", b.run(odd), (1, 2))


@group
def steps(b):
    """A step that does not exist."""
    profile = sample_path("odd/profile_5")
    for step in ("7", "1", "9223372036854775807"):
        b.refused("step " + step, b.run("scope", profile, "-step", step), 2, "step " + step, "profile_5", "0 5")
    b.refused("step -2", b.run("scope", profile, "-step", "-2"), 2, "step")
    b.works("step 5", b.run("scope", profile, "-step", "5"), "_TFProfRoot")
    r = b.run("scope", "--graph_path", b.file(GRAPH), "--run_meta_path", b.file(run_meta(execution("x"))), "-step", "3")
    b.refused("step 3 of one run", r, 2, "step 3")


@group
def statistics(b):
    """Statistics with hostile names, numbers and steps; invalid and oversized rewrites."""
    g = b.file(GRAPH + node("deep/" * 2000 + "end") + node("=1+1") + node(b"new\nline\xff"), "g.pb")
    huge = [execution(n, start=-2 ** 63, duration=2 ** 63 - 1) for n in ("x", "a/mul", "a/b", "=1+1")]
    runs = [b.file(run_meta(*huge), "run_0"), b.file(run_meta(execution("x", duration=-5)), "run_1"), b.file(run_meta(), "run_2")]
    given = ["stats", "--graph_path", g, "--run_meta_path", ",".join(runs), "-max_depth", "100000"]
    for form in b.listed("outputs"):
        for view in ("scope", "graph", "op"):
            done = b.run(*given, "-view", view, "-format", form, "-select", "micros,bytes,params,occurrence")
            if done.status == 2:
                b.refused("%s of %s" % (form, view), done, 2, "format")
            else:
                b.sound("%s of %s" % (form, view), done)
    for wrong in ("s", "s/a", "s/a/b", "y/a/b/", "s/(/b/", "s/a/\\1/", "s/a/b/gg", "s\na\nb\n", "s/a/\x01/", "s/" + "(" * 5000 + "/b/"):
        b.refused("rewrite %s" % wrong[:20], b.run(*given, "-rewrite", wrong), 2, "rewrite")
    for odd in ("s/.*//", "s/x*/\n/g", "s/^/=/", "s/(.*)/\\1\\1\\1\\1/", "s/[^\\/]/\x7f/g", "s/(a*)*b*/&&/g"):
        b.sound("rewrite %s" % odd, b.run(*given, "-rewrite", odd, "-format", "csv"))
    big = b.file(node("n" * 3000000), "big.pb")
    given = ["stats", "--graph_path", big, "--run_meta_path", b.file(run_meta(execution("n" * 3000000)), "run_3"), "-output", "none"]
    b.refused("a name that becomes too long", b.run(*given, "-rewrite", "s/n/" + "m" * 1000 + "/g"), 4)
    b.sound("a long name", b.run(*given, "-rewrite", "s/n*/m/g"))


@group
def depth(b):
    """-max_depth below 1 has the effect of 1, with a warning."""
    g = b.file(GRAPH)
    for value in ("0", "-1", "-2147483648"):
        for view in ("scope", "graph", "op"):
            b.works("%s -max_depth %s" % (view, value), b.run(view, "--graph_path", g, "-max_depth", value),
                    warns="max_depth")
    b.works("deepest", b.run("scope", "--graph_path", g, "-max_depth", "2147483647", "-select", "params"), "a/b")
    b.refused("deeper than 32 bits", b.run("scope", "--graph_path", g, "-max_depth", "2147483648"), 2, "max_depth")


@group
def no_code(b):
    """A code view without traces."""
    b.refused("graph alone", b.run("code", "--graph_path", b.file(GRAPH)), (1, 2), "no code traces")


@group
def regexes(b):
    """Every valid pattern is answered in time."""
    name = "a" * 4000 + "b"
    g = b.file(node(name) + node("a/b"))
    for pattern in ("(a+)+$", "(a|aa)+$", "(.*)*x", ".*.*.*.*.*.*.*.*=", "(a?){60}a{60}", "[a-z]*[a-z]*[a-z]*c", "a" * 3000,
                    "(?i)A+B", "\\pL+", "[^a]", "", "^", "$", "\\Qa\\E", "a\\zb"):
        b.sound("pattern %s" % pattern[:20], b.run("scope", "--graph_path", g, "-show_name_regexes", pattern))
    many = ",".join("(x%d|y)+z*" % i for i in range(3000))
    b.works("3,000 patterns", b.run("scope", "--graph_path", g, "-account_type_regexes", many))
    b.refused("lookahead", b.run("scope", "--graph_path", g, "-hide_name_regexes", "(?=a)"), 2, "hide_name_regexes")
