#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that cost grows no faster than the input: tests/growth/run.py PROGRAM [WORD...]

Each kind of input (tests/growth/kinds.py) is made at size 4n and opened in one session, which answers every view and every form of
output; report, convert, diff of two files, and a file of tfprof's own that is written and opened, are commands of their own. Each answer's processor time is read from
the clock of the process, so that a busy machine changes little. What takes longer than FLOOR seconds at 4n is measured at n
too, and may take at most GROWTH times that; the same holds for the most memory of each process. Only growth that three
measurements agree on is a failure. WORDs choose kinds by their names; VERBOSE=1 prints every slow answer.
"""
import os
import resource
import subprocess
import sys
import tempfile
import time

import kinds
import graphs  # noqa: F401  each adds its kinds, in this order
import traces  # noqa: F401
import stacks  # noqa: F401
import dumps  # noqa: F401
import captured  # noqa: F401
import saved  # noqa: F401

TIMES, GROWTH = 4, 5.5
FLOOR, FLOOR_KB = 0.1, 96 * 1024  # results below these at 4n are too small to show growth
MOST = 5.0                         # limit in seconds for one answer at 4n, which has at most 4 MB
TRIES = 3
FLAGS = {"run_meta": "--run_meta_path", "op_log": "--op_log_path", "graph.pb": "--graph_path"}
ALL_COLUMNS = "micros,bytes,peak_bytes,residual_bytes,output_bytes,params,float_ops,occurrence,device,op_types,input_shapes"
WHOLE = "-max_depth 1000000 -min_micros 0 -account_type_regexes .* "
QUERY = ("SELECT count(*), sum(run_us) FROM nodes JOIN executions USING (node) JOIN edges USING (node) JOIN spans USING (execution)"
         " GROUP BY op")

# Commands of a session; a command that the profile cannot answer is refused with one line, which
# costs nothing.
ANSWERS = (
    ["info", "summary", "lines", "flops", "params", "memory", "memory -by time", "calls", "kernel", "steps",
     "steps -critical_path", "transfer", "transfer -by collective", "wait", "check", "advise", "stats", "stats -view graph",
     "stats -view steps", "hang", "whatif", "whatif -ideal stragglers -no-sync -overlap comm", "query " + QUERY, "query SELECT max(length(name)) FROM spans GROUP BY parent"] +
    [view + " " + WHOLE + "-select " + ALL_COLUMNS for view in ("scope", "graph", "op", "code")] +
    ["scope " + WHOLE + "-format " + form for form in ("json", "csv", "folded")] +
    ["scope -show_name_regexes .*1.* -hide_name_regexes .*2.* -order_by name", "graph -start_name_regexes .*1 -trim_name_regexes .*3",
     "graph " + WHOLE + "-output timeline:outfile=timeline.json",
     "graph " + WHOLE + "-step 0 -output timeline:outfile=step.json",
     "code " + WHOLE + "-select micros -output pprof:outfile=pprof.gz"])
# Commands with a process of their own; FILES is replaced by the opened files.
COMMANDS = (["report", "FILES", "-o", "report.html"], ["convert", "FILES", "-o", "converted"],
            ["convert", "FILES", "-o", "whole.tfprof"], ["info", "whole.tfprof"], ["scope", "whole.tfprof", "-max_depth", "100000"],
            ["diff", "FILES", "FILES", "-delta", "0"])


def clock(process):
    """Processor time of all threads so far, from Linux's clock of the process (the one of clock_getcpuclockid)."""
    return time.clock_gettime(~process.pid << 3 | 2)


def most_memory(process):
    """Peak memory in KB, or 0 if the process has ended."""
    with open("/proc/%d/status" % process.pid) as file:
        return next((int(line.split()[1]) for line in file if line.startswith("VmHWM:")), 0)


class Case:
    """The files of one kind at one size, in a separate folder."""

    def __init__(self, program, make, size, folder):
        self.program, self.folder = program, folder
        os.mkdir(folder)
        files = make(size)
        runs = [name for name in files if name.startswith("run_meta_")]
        for name, content in files.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        self.bytes = sum(len(content) for content in files.values())
        first = next(iter(files))
        self.words = [first] if len(files) == 1 else [w for name in files if name in FLAGS for w in (FLAGS[name], name)]
        self.words += ["--run_meta_path", ",".join(runs)] if runs else []
        self.words = self.words or list(files)  # the traces of several ranks
        self.side = ",".join(files)

    def session(self):
        """-> {answer: seconds}, KB"""
        process = subprocess.Popen(self.program + self.words, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        seconds, before = {}, 0.0
        for answer in ("opening",) + tuple(ANSWERS):
            line = "" if answer == "opening" else answer + "\n"
            # an unknown command gives an error, which shows that the previous command has finished
            process.stdin.write((line + "end-of-answer\n").encode())
            process.stdin.flush()
            for told in process.stderr:
                if b"end-of-answer" in told:
                    break
            else:
                raise RuntimeError("%s: the session ended with status %d" % (answer, process.wait()))
            now = clock(process)
            seconds[answer], before = now - before, now
        memory = most_memory(process)
        process.stdin.close()
        process.wait()
        process.stderr.close()
        return seconds, {"a session": memory}

    def command(self, words):
        """-> seconds, KB"""
        if words[0] == "diff":
            line = [self.side if w == "FILES" else w for w in words]
        else:
            line = [w for word in words for w in (self.words if word == "FILES" else [word])]
        process = subprocess.Popen(self.program + line, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1, 2, 4):
            raise RuntimeError("%s ends with status %d" % (words[0], process.returncode))
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss

    def costs(self):
        """-> {answer: seconds}, {process: KB}"""
        # only diff reads printed scope views
        seconds, memory = ({}, {}) if self.words == ["scope.txt"] else self.session()
        for words in COMMANDS:
            name = " ".join(words)
            seconds[name], memory[name] = self.command(words)
        return seconds, memory


def least(known, new):
    return {name: min(value, known.get(name, value)) for name, value in new.items()}


def faults(small, large, floor):
    """The costs that exceed their limits, as lines."""
    return ["%s: %.4g at n, %.4g at %dn" % (name, small.get(name, 0), cost, TIMES)
            for name, cost in large.items() if cost > floor and cost > GROWTH * max(small.get(name, 0), floor / GROWTH)]


def check(program, make, size, scratch):
    """-> the errors, as lines"""
    wide = Case(program, make, TIMES * size, os.path.join(scratch, "wide"))
    if wide.bytes > 4 << 20:
        return ["%d bytes: over the 4 MB of the promise" % wide.bytes]
    seconds, memory = wide.costs()
    if os.environ.get("VERBOSE"):
        slow = sorted(((s, a) for a, s in seconds.items() if s > FLOOR / 2), reverse=True)[:6]
        print("%-24s %5d KB %6.2f s %4d MB  %s" % (make.__name__, wide.bytes >> 10, sum(seconds.values()), max(memory.values()) >> 10,
                                                ", ".join("%s %.2f" % (a[:24], s) for s, a in slow)), flush=True)
    late = ["%s: %.1f s" % (name, cost) for name, cost in seconds.items() if cost > MOST]
    if late or (max(seconds.values()) <= FLOOR and max(memory.values()) <= FLOOR_KB):
        return late
    narrow, narrow_memory = {}, {}
    case = Case(program, make, size, os.path.join(scratch, "narrow"))
    for attempt in range(TRIES):
        if attempt:
            more, more_memory = wide.costs()
            seconds, memory = least(seconds, more), least(memory, more_memory)
        more, more_memory = case.costs()
        # the largest of the small times and the smallest of the large ones, so that noise does not look
        # like growth
        narrow = {name: max(value, narrow.get(name, 0)) for name, value in more.items()}
        narrow_memory = {name: max(value, narrow_memory.get(name, 0)) for name, value in more_memory.items()}
        wrong = faults(narrow, seconds, FLOOR) + [line + " KB" for line in faults(narrow_memory, memory, FLOOR_KB)]
        if not wrong:
            return []
    return wrong


def memory_folder():
    """A folder in memory where there is one: a disk's time for each new file grows with the folder, and is not the program's."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def main():
    program = [os.path.abspath(sys.argv[1])]
    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
    passed = failed = 0
    for make, size in kinds.KINDS:
        if len(sys.argv) > 2 and not any(word in make.__name__ for word in sys.argv[2:]):
            continue
        with tempfile.TemporaryDirectory(dir=memory_folder()) as scratch:
            try:
                wrong = check(program, make, size, scratch)
            except RuntimeError as ended:
                wrong = [str(ended)]
        passed, failed = passed + (not wrong), failed + bool(wrong)
        for line in wrong:
            print("FAILED %s: %s" % (make.__name__, line), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
