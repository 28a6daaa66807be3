#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What people see at a terminal, in a pseudo-terminal of a known width; and that a pipe sees none of it.

    run.py PROGRAM [NAME...]
"""
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import fcntl
import termios
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(os.path.dirname(HERE), "data", "sample")
PROGRAM = os.path.abspath(sys.argv[1])
SECONDS = 30  # limit for a program that hangs, also on a busy machine
PROFILE = "dense/profile_3.gz"


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "PAGER", "TFPROF_PAGER", "COLUMNS", "LINES", "CI")}
    return {**kept, "TERM": "xterm", "TFPROF_PAGER": "cat", "LC_ALL": "C.UTF-8", "HOME": os.devnull, **more}


def at_terminal(words, typed="", width=100, height=50, **more):
    """The output of the program on a terminal of that size; (text, status). `typed` is sent once the prompt
    appears."""
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        os.chdir(SAMPLE)
        os.execve(PROGRAM, ["tfprof", *words], environment(**more))
    told, end = b"", time.monotonic() + SECONDS
    while time.monotonic() < end:
        if typed and b"tfprof> " in told:
            os.write(fd, typed.encode())
            typed = ""
        if not select.select([fd], [], [], 0.2)[0]:
            continue
        try:
            more_told = os.read(fd, 65536)
        except OSError:  # the program closed the terminal
            break
        if not more_told:
            break
        told += more_told
    _, status = os.waitpid(pid, 0)
    os.close(fd)
    return told.decode("utf-8", "replace").replace("\r\n", "\n"), os.waitstatus_to_exitcode(status)


def piped(words, **more):
    done = subprocess.run([PROGRAM, *words], cwd=SAMPLE, env=environment(**more), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS)
    return done.stdout.decode(), done.returncode


def plain(text):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def check(true, what):
    if not true:
        raise AssertionError(what)


# ---- tests ----

def a_binary_form_is_refused():
    for form in ("arrow", "parquet"):
        text, status = at_terminal(["op", "towers/profile_9.gz", "-format", form])
        check(status == 2 and "-format %s is no text for a terminal" % form in plain(text), text)


def files_without_a_command_say_what_is_in_them_before_the_prompt():
    text, status = at_terminal([PROFILE], "quit\r")
    check(status == 0, "status %d" % status)
    text = plain(text)
    for word in ("files", PROFILE, "recorded", "part", "what to ask next", "tfprof op " + PROFILE):
        check(word in text, "no %r in %r" % (word, text))
    check(text.index("what to ask next") < text.index("tfprof> "), "the prompt came first")


def the_name_alone_tells_what_to_start_with():
    text, status = at_terminal([])
    check(status == 0, text)
    check("`tfprof help all` everything" in text, text)
    for words in ("tfprof summary FILE", "tfprof serve FILE..."):
        check("\n  " + words + " " in plain(text), text)
    check("Start with" not in at_terminal(["op"])[0], "a command without files is told more than its error")


def a_session_in_a_pipe_says_nothing_of_its_own():
    done = subprocess.run([PROGRAM, PROFILE], cwd=SAMPLE, env=environment(), input=b"", stdout=subprocess.PIPE,
                          timeout=SECONDS)
    check(done.stdout == b"", done.stdout)


def cells_of(line):
    """Columns are separated by two blanks; an amount has one before its unit."""
    return re.split(r" {2,}", line.strip())


def lines_fit(text, width):
    for line in plain(text).split("\n"):
        check(len(line) <= width, "%d columns of %d: %r" % (len(line), width, line))


def views_are_aligned_with_shares_bars_and_the_biggest_first():
    for width in (60, 100, 160):
        text, status = at_terminal(["op", PROFILE], width=width)
        check(status == 0, "status %d" % status)
        lines_fit(text, width)
        rows = plain(text).split("\n")
        check(rows[2].split() == ["time", "share", "name"], rows[2])
        check(rows[3].endswith("(all)") and "100%" in rows[3] and "\u2588" * 10 in rows[3], rows[3])
        check(rows[4].endswith("Relu") and "96.6%" in rows[4], rows[4])
        check("\x1b[1m" in text and "Doc:" not in text, "no bold header, or a long Doc block")


def the_head_tells_how_many_rows_there_are():
    for words, told in (([], "11 of 44 rows, -top 0: all"), (["-top", "5"], "5 of 44 rows"), (["-top", "0"], "44 rows")):
        head = plain(at_terminal(["op", PROFILE, *words])[0]).split("\n")[0]
        check(told in head, head)


def a_table_without_rows_is_the_note_that_says_why():
    for command, why in (("kernel", "no kernel"), ("check", "nothing odd")):
        file = "pytorch/train.json.gz" if command == "kernel" else "dense/profile_3.gz"
        text = plain(at_terminal([command, file], width=80)[0])
        check(text.startswith("note: " + why) and "no room" not in text and "severity" not in text, text)


def long_names_lose_their_middle_and_kernels_their_arguments():
    text = plain(at_terminal(["scope", "pytorch/train.json.gz"], width=80)[0])
    check("MkldnnRnnLayerBackward0" in text and "\u2026yer_backward" in text, text)
    with tempfile.TemporaryDirectory() as folder:
        name = "void at::native::reduce_kernel<512, 1, float>(float const*, float*, int)"
        events = [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 1, "dur": 5,
                   "args": {"device": 0, "stream": 7}}]
        path = os.path.join(folder, "trace.json")
        with open(path, "w") as file:
            json.dump({"schemaVersion": 1, "traceEvents": events}, file)
        text = plain(at_terminal(["kernel", path], width=80)[0])
    check("reduce float " in text and "void" not in text, text)
    head = next(line for line in text.split("\n") if line.startswith("name "))
    check("share" in head, "the share is left out: " + text)


def running_jobs_fit_with_what_matters():
    job = subprocess.Popen([sys.executable, "-c", "import time\nprint(flush=True)\nwhile True: time.sleep(0.001)"], stdout=subprocess.PIPE)
    job.stdout.readline()  # the process runs in Python now
    try:
        for width, without in ((80, ("USER", "RUN", "GPU")), (100, ("RUN",)), (160, ())):
            text = plain(at_terminal(["top", "--once", "--python", "--interval", "0.2", str(job.pid)], width=width)[0])
            lines_fit(text, width)
            heads = text.split("\n")[0].split()
            for word in ("PID", "FRAMEWORK", "CPU", "MEMORY", "COMMAND"):
                check(word in heads, text)
            check(not set(without) & set(heads), text)
            check("time.sleep" in text or "python" in text.split("\n")[1], text)
        text = plain(at_terminal(["stacks", str(job.pid), "--seconds", "0.5"], width=60)[0])
        lines_fit(text, 60)
    finally:
        job.kill()
        job.wait()


def an_order_that_was_asked_for_stays():
    names = [line.split()[-1] for line in plain(at_terminal(["op", PROFILE, "-order_by", "name"])[0]).split("\n")[4:-1]]
    check(names == sorted(names) and len(names) > 5, names)


def names_of_a_tree_stand_below_their_scopes_and_long_ones_are_cut():
    text, _ = at_terminal(["scope", "towers/profile_9.gz", "-max_depth", "10"], width=60)
    lines_fit(text, 60)
    check("\u2026" in text, "nothing was cut")


WIDE = "bytes,micros,params,float_ops,occurrence,peak_bytes,residual_bytes,output_bytes,device,op_types,input_shapes"


def tables_and_views_fit_or_say_what_they_leave_out():
    for words in (["lines", PROFILE], ["kernel", "traces/kineto.json"], ["steps", "traces/kineto.json"],
                  ["flops", "recorded/jax.xplane.pb.gz"], ["advise", "towers/profile_9.gz"],
                  ["scope", "towers/profile_9.gz", "-select", WIDE], ["op", "towers/profile_9.gz", "-select", WIDE],
                  ["query", "towers/profile_9.gz", "SELECT * FROM executions LIMIT 3"],
                  ["diff", "towers/profile_9.gz@3", "towers/profile_9.gz@7", "-select", "micros,bytes"]):
        for width in (80, 100, 120, 200):
            lines_fit(at_terminal(words, width=width)[0], width)


def messages_wrap_between_words():
    """Messages wrap, and all lines but the first are indented; a path is never split."""
    path = "no/such/" + "folder/" * 12 + "file.pb"
    text = plain(at_terminal(["op", path], width=60)[0])
    check(text.split("\n")[0] == "tfprof: " + path + ":" and text.split("\n")[1].startswith("  cannot"), text)
    note = plain(at_terminal(["scope", "towers/profile_9.gz", "-select", "params", "-min_params", "1e6"], width=50)[0])
    lines_fit(note, 50)
    check("tfprof: " in note and "\n  " in note, note)


def numbers_stay_whole_and_a_line_names_the_columns_without_room():
    words = ["steps", "traces/kineto.json"]
    text = plain(at_terminal(words, width=80)[0])
    table, note = text.split("no room for ")
    note = " ".join(note.split())
    check(note.endswith(": a wider terminal or a pipe shows all columns"), note)
    shown, left_out = cells_of(table.split("\n")[0]), note.split(":")[0].split(", ")
    whole = piped(words)[0].split("\n")
    check(sorted(shown + left_out) == sorted(cells_of(whole[0])), "%s and %s" % (shown, left_out))
    check(shown[0] == "step" and "\u2026" not in table, table)
    rows = [dict(zip(cells_of(whole[0]), cells_of(line))) for line in whole[1:2]]
    for column, cell in zip(shown, cells_of(table.split("\n")[1])):
        check(rows[0][column] == cell, "%s: %s" % (column, cell))
    ordered = plain(at_terminal([*words, "-order_by", left_out[-1]], width=80)[0])
    check(left_out[-1] in cells_of(ordered.split("\n")[0]), "the column that orders the rows is not shown")
    check("no room" not in at_terminal(words, width=300)[0], "no room on a wide terminal")


def commands_and_sentences_of_info_stay_whole():
    for width in (60, 80, 120):
        text = plain(at_terminal(["info", "towers/profile_9.gz"], width=width)[0])
        check(re.search(r"[ \n]tfprof op towers/profile_9.gz -order_by micros -top 10\n", text), text)
        check("\u2026" not in text, text)
        if width > 60:
            lines_fit(text, width)


def a_trace_with_nothing_odd_says_so():
    text, status = at_terminal(["check", "seq2seq/run_meta_0.gz"])
    check(status == 0 and "\nnote: nothing odd in the data\n" in plain(text), text[:200])
    told, _ = piped(["check", "seq2seq/run_meta_0.gz"])
    check("note: nothing odd in the data\n" in told, told[:200])


def facts_and_notes_wrap_between_words():
    for words in (["summary", PROFILE], ["stats", PROFILE]):
        told, _ = piped(words)
        head = told.split("\n\n")[0]
        check(max(map(len, head.split("\n"))) > 80, "nothing to wrap in %r" % head)
        text = plain(at_terminal(words, width=80)[0]).split("\n\n")[0]
        lines_fit(text, 80)
        check(text.split() == head.split(), "other words: %r" % text)


def no_color_has_no_escapes_and_a_dumb_terminal_neither():
    for more in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        text, _ = at_terminal(["op", PROFILE], **more)
        check("\x1b" not in text, repr(text))
        check("share" in text, text)


def traces_have_one_table_in_pipes_and_at_terminals():
    for words in (["op"], ["scope", "-max_depth", "6"], ["calls"], ["code"], ["steps"], ["lines"], ["wait"], ["summary"],
                  ["op", "-select", "micros,occurrence,device"]):
        asked = [*words, "pytorch/train.json.gz"]
        told, status = piped(asked)
        seen = re.sub(r" +\n", "\n", plain(at_terminal(asked, width=999)[0]))
        check(status == 0 and "\x1b" not in told, "status %d" % status)
        check(told.strip() and told in seen, "%s: %r and %r" % (words, told[:300], seen[:300]))
    told, _ = piped(["op", "pytorch/train.json.gz"])
    check("\u2588" in told and "Doc:" not in told, told[:200])
    told, _ = piped(["op", "pytorch/train.json.gz", "-compat", "tensorflow"])
    check("\nDoc:\n" in told and "\nnode name | " in told and "\u2588" not in told, told[:200])


def pipes_and_compat_have_the_bytes_of_tensorflow():
    text, _ = piped(["op", PROFILE])
    check("\nDoc:\n" in text and "\x1b" not in text and "\u2588" not in text, text)
    compat = ["op", PROFILE, "-compat", "tensorflow"]
    check(at_terminal(compat)[0] == piped(compat)[0], "-compat tensorflow is another one at a terminal")


def long_output_goes_through_the_pager_and_short_output_does_not():
    pager = "sed s/^/paged:/"
    long, status = at_terminal(["op", "towers/profile_9.gz", "-max_depth", "1000"], height=10, TFPROF_PAGER=pager)
    check(status == 0 and plain(long).startswith("paged:op,"), long[:200])
    short, _ = at_terminal(["op", PROFILE], TFPROF_PAGER=pager)
    check("paged:" not in short, short)
    never, _ = at_terminal(["op", "towers/profile_9.gz", "--pager", "never"], height=10, TFPROF_PAGER=pager)
    check("paged:" not in never, never[:200])
    always, _ = at_terminal(["version"], TFPROF_PAGER=pager)
    check(always.startswith("tfprof "), always)
    always, _ = at_terminal(["op", PROFILE, "--pager", "always"], TFPROF_PAGER=pager)
    check("paged:" in always, always)


def no_pager_opens_in_ci():
    pager = "sed s/^/paged:/"
    for more in ({"CI": "true"}, {"CI": "1"}, {"TERM": "dumb"}):
        text, _ = at_terminal(["op", PROFILE, "-top", "0"], height=10, TFPROF_PAGER=pager, **more)
        check("paged:" not in text, "%s: %r" % (more, text[:100]))
    for ci in ("", "false"):
        text, _ = at_terminal(["op", PROFILE, "-top", "0"], height=10, TFPROF_PAGER=pager, CI=ci)
        check("paged:" in text, "CI=%s: %r" % (ci, text[:100]))


def a_pager_that_is_not_there_hides_nothing():
    text, status = at_terminal(["op", "towers/profile_9.gz", "-max_depth", "1000"], height=10,
                               TFPROF_PAGER="/not/a/program 2>/dev/null")
    check(status == 0 and "Conv2D" in text, text[:200])


def a_pager_that_stops_reading_is_no_fault():
    text, status = at_terminal(["op", "towers/profile_9.gz", "-max_depth", "1000"], height=10, TFPROF_PAGER="head -1")
    check(status == 0 and plain(text).startswith("op,"), text[:200])


def the_pager_takes_three_words():
    text, status = at_terminal(["op", PROFILE, "--pager", "sometimes"])
    check(status == 2 and "auto, always or never" in text, text)


def help_wraps_at_the_width():
    for width in (60, 80, 90, 140):
        for words in (["help"], ["help", "columns"], ["help", "options"], ["op", "--help"]):
            text = at_terminal(words, width=width, height=500)[0]
            # examples are printed without wrapping, so that they can be copied
            lines_fit(re.sub(r"(?m)^  # .*\n  tfprof .*\n", "", text), width)
    widest = max(len(line) for line in plain(at_terminal(["help", "columns"], width=140, height=500)[0]).split("\n"))
    check(widest > 110, "help is no wider than %d" % widest)


TESTS = [t for n, t in list(globals().items()) if callable(t) and getattr(t, "__module__", "") == "__main__"
         and n not in ("environment", "at_terminal", "piped", "plain", "check", "cells_of", "lines_fit")]


def main():
    passed = failed = 0
    for test in TESTS:
        if len(sys.argv) > 2 and not any(word in test.__name__ for word in sys.argv[2:]):
            continue
        try:
            test()
            passed += 1
        except Exception as wrong:  # an exception is a failed test
            failed += 1
            print("%s: %s" % (test.__name__, wrong))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
