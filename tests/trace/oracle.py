# SPDX-License-Identifier: Apache-2.0
"""What the views say of a PyTorch trace, computed the slow and plain way: a second program written from the meaning of the
numbers (docs/traces.md), which shares no code with the first. random_traces.py compares the two.

Every rule is a loop over all spans; times are whole nanoseconds. A trace is the parsed JSON of one rank.
"""
import decimal
import functools
import re

from oracle_tables import DEVICE, Doubts, Markers, Tables, settle_runs

HARDWARE = {"Ascend Hardware"}
KNOWN = {"cuda_sync", "cuda_event", "gpu_user_annotation", "Trace", "overhead", "cuda_profiler_range", "external_correlation", "mtia_insight",
         "mtia_workloadd"}

STEP = re.compile(r"ProfilerStep#(\d+)$")
OPTIMIZER = re.compile(r"Optimizer\.step#")
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
FRAME = re.compile(r"(.*)\((\d+)\): (.*)$", re.S)
NODE = ("cpu", "device", "runs", "bytes", "residual")
OPS = {"cpu_op", "Operator"}
OTHER_ARROWS = {"async_npu", "HostToDevice", "fwdbwd"}


def nanoseconds(value):
    """Rounded down, like the start and end of a span."""
    return int((decimal.Decimal(str(value)) * 1000).to_integral_value(decimal.ROUND_FLOOR))


class Span:
    def __init__(self, order, event):
        self.order, self.name, self.args = order, event["name"], event.get("args") or {}
        self.category = event.get("cat", "")
        start = decimal.Decimal(str(event["ts"]))
        duration = decimal.Decimal(str(event.get("dur", 0)))
        self.start, self.end = nanoseconds(start), nanoseconds(start + max(duration, 0))
        self.thread = (event.get("pid"), event.get("tid"))
        self.endless = "dur" not in event or duration < 0
        self.parent, self.launch, self.launched = None, None, []
        self.caller, self.called, self.length = None, [], self.end - self.start  # with Python frames: calls, code
        self.beside = False  # runs in parallel to other activities of its device, which already cover its time
        if self.category in DEVICE:
            self.kind = "device"
            self.device = self.args.get("device", event.get("pid"))
            self.stream = self.args.get("stream", self.args.get("sycl queue", self.args.get("queue", event.get("tid"))))
        elif self.category in OPS:
            self.kind = "step" if STEP.match(self.name) else "op"
        elif self.category.endswith(("_runtime", "_driver")) or self.category in ("Runtime", "xpu_sync"):
            self.kind = "api"
            if event.get("pid") == -1:
                self.thread = (None, event.get("tid"))
        elif self.category == "python_function":
            self.kind = "module" if self.name.startswith("nn.Module: ") else "frame"
        elif self.category in ("user_annotation", "collective_comm"):
            self.kind = "step" if STEP.match(self.name) else "annotation"
        elif self.category not in KNOWN and not self.category.endswith("_user_annotation") and "device" in self.args \
                and {"stream", "queue", "sycl queue"} & set(self.args):
            self.kind, self.device = "device", f"{self.category}:{self.args['device']}"
            self.stream = next(self.args[key] for key in ("stream", "sycl queue", "queue") if key in self.args)
        else:
            self.kind = None

    @property
    def duration(self):
        return self.end - self.start

    @property
    def host_op(self): return self.kind in ("op", "api")

    @property
    def plain(self):
        return self.name[len("nn.Module: "):] if self.kind == "module" else self.name

    def around(self):
        """The ancestors, innermost first."""
        span = self.parent
        while span:
            yield span
            span = span.parent

    def callers(self):
        span = self.caller
        while span:
            yield span
            span = span.caller


class Allocation:
    """An allocation, or, with negative bytes, a free."""
    def __init__(self, event):
        self.at, self.bytes = nanoseconds(event["ts"]), event["args"]["Bytes"]
        self.thread = (event.get("pid"), event.get("tid"))


class Trace(Tables, Markers, Doubts):
    processor, key = "gpu", "correlation"

    def __init__(self, document):
        self.read(document)
        self.host = [s for s in self.spans if s.kind in ("op", "api", "annotation", "frame", "module")]
        self.activities = [s for s in self.spans if s.kind == "device"]
        self.begin = min((s.start for s in self.spans if s.kind), default=0)
        self.find_parents()
        self.clip_overlaps()
        self.find_self_times()
        self.find_launches()
        self.find_steps()
        self.name_nodes()

    def read(self, document):
        events = document if isinstance(document, list) else document["traceEvents"]
        self.spans = [Span(i, e) for i, e in enumerate(events) if e.get("ph") == "X"]
        self.arrows = [e for e in events if e.get("cat") == "async_npu"]
        self.launch_arrows = [e for e in events if e.get("ph") in ("s", "f") and e.get("cat") not in OTHER_ARROWS]
        self.arrow_ids = [(e["cat"], e["id"]) for e in self.launch_arrows]
        self.find_hardware(events)
        self.choose_markers()
        self.memory = [Allocation(e) for e in events if e.get("ph") == "i" and e.get("name") == "[memory]"]
        whole = all(decimal.Decimal(str(e.get(k, 0))) % 1 == 0 for e in events if e.get("ph") == "X" for k in ("ts", "dur"))
        self.tolerance = 1000 if whole else 0

    def find_hardware(self, events):
        """Finds processes that represent devices: their events have no category. A thread without a process is in one that has it."""
        hardware = {e["pid"] for e in events if e.get("ph") == "M" and e.get("name") == "process_name" and e["args"].get("name") in HARDWARE}
        owner = {}
        for span in self.spans:
            if span.thread[0] in hardware and span.kind is None:
                span.kind, span.device, span.stream = "device", *span.thread
            elif span.thread[0] is not None:
                owner.setdefault(span.thread[1], span.thread[0])
        for span in self.spans:
            if span.thread[0] is None:
                span.thread = (owner.get(span.thread[1]), span.thread[1])

    def find_parents(self):
        lanes = {}
        for span in self.host:
            lanes.setdefault(span.thread, []).append(span)
        for spans in lanes.values():
            spans.sort(key=lambda s: (s.start, -s.duration, s.order))
            self.nest_without_frames(spans)
            self.nest_with_frames(spans)

    def is_neighbour(self, outer, end, span):
        """For whole microseconds: a span that lies as much outside as inside, and is not shorter,
        comes after the other one."""
        outside = span.end - end
        return 0 < outside <= self.tolerance and 2 * outside >= span.duration and span.duration >= outer.duration

    def nest_without_frames(self, spans):
        # candidates for later spans: a span that ended before the start of one cannot contain the following ones
        begun = []
        for span in spans:
            span.holds_until = span.end
            begun = [s for s in begun if s.holds_until >= span.start]
            for outer in reversed(begun):
                end = outer.holds_until
                inside = span.start < end or span.start == outer.start or (span.start == end and not span.duration)
                if inside and span.end <= end + self.tolerance and not self.is_neighbour(outer, end, span):
                    span.parent, span.holds_until = outer, min(span.end, end)
                    break
            if span.kind != "frame":
                begun.append(span)

    def nest_with_frames(self, spans):
        begun = []
        for span in spans:
            span.open, until = True, span.end
            begun = [s for s in begun if s.open_until >= span.start]
            for outer in reversed(begun):
                end = outer.open_until
                inside = span.start < end or span.start == outer.start or (span.start == end and not span.duration)
                if not outer.open or not inside:
                    continue
                crosses = span.end > end + self.tolerance
                cut = crosses and span.kind == "frame" and outer.kind != "annotation"
                if self.is_neighbour(outer, end, span) or (crosses and not cut):
                    outer.open = False
                    continue
                if cut:
                    span.length = end - span.start
                span.caller, until = outer, min(span.end, end)
                outer.called.append(span)
                break
            span.open_until = until
            begun.append(span)

    def find_self_times(self):
        for span in self.spans:
            span.self_time = span.duration
            span.direct = max(0, span.length - sum(c.length for c in span.called))
        for span in self.host:
            if span.host_op:
                outer = next((a for a in span.around() if a.host_op), None)
                if outer:
                    outer.self_time -= span.duration
        for span in self.host:
            span.self_time = max(0, span.self_time)

    def find_launches(self):
        calls, named, ops = {}, {}, {}
        for span in self.host:
            external = span.args.get("External id", span.args.get("external id"))
            if span.kind == "api" and span.args.get("correlation", 0) > 0:
                calls.setdefault(span.args["correlation"], []).append(span)
            if span.kind == "api" and external:
                named.setdefault(external, []).append(span)
            if span.kind == "op" and external is not None:
                ops.setdefault(external, span)

        first = functools.partial(min, key=lambda s: (s.start, s.order), default=None)
        for activity in self.activities:
            correlation = activity.args.get("correlation", 0)
            external = activity.args.get("External id", activity.args.get("external id"))
            activity.launch, activity.op = first(calls.get(correlation, ())), None
            if not calls or correlation <= 0:
                begin = self.by_launch_arrow(activity)
                if begin and begin.kind == "op":
                    activity.op = begin
                else:
                    activity.launch = begin or first(named.get(external, ()))
            if activity.launch:
                activity.launch.launched.append(activity)
                activity.op = next((a for a in activity.launch.around() if a.kind == "op"), activity.launch)
            elif not activity.op:
                activity.op = ops.get(external) if external is not None else self.by_arrow(activity)

    def by_launch_arrow(self, activity):
        """The call, otherwise the operator, from which an arrow leads to the start of the activity."""
        place = (activity.thread[0], activity.stream)
        if activity is not self.innermost_at(place, activity.start):
            return None
        for end in sorted(self.launch_arrows, key=lambda e: self.arrow_ids.index((e["cat"], e["id"]))):
            if end["ph"] != "f" or (end["pid"], end["tid"]) != place or nanoseconds(end["ts"]) != activity.start:
                continue
            begins = [e for e in self.launch_arrows if e["ph"] == "s" and (e["cat"], e["id"]) == (end["cat"], end["id"])]
            for begin, time in sorted(((e, nanoseconds(e["ts"])) for e in begins), key=lambda b: b[1]):
                there = [s for s in self.host if s.host_op and s.thread == (begin["pid"], begin["tid"]) and s.start <= time <= s.end]
                if there:
                    return max(there, key=lambda s: (s.kind == "api", s.start, -s.duration, s.order))
        return None

    def by_arrow(self, activity):
        """The operator where an arrow to the start of the activity begins."""
        def there(event, span): return (event.get("pid"), event.get("tid")) == span.thread and nanoseconds(event["ts"]) == span.start
        for end in self.arrows:
            if end["ph"] == "f" and there(end, activity):
                for begin in self.arrows:
                    if begin["ph"] == "s" and begin["id"] == end["id"]:
                        ops = [s for s in self.host if s.kind == "op" and there(begin, s)]
                        return min(ops, key=lambda s: (s.duration, -s.order), default=None)
        return None

    def find_steps(self):
        self.windows = []
        marked = {}
        for span in (s for s in self.spans if s.kind == "step"):
            marked.setdefault(int(STEP.match(span.name)[1]) if STEP.match(span.name) else span.number, []).append(span)
        if marked:
            self.windows = [(n, min(s.start for s in spans), max(s.end for s in spans)) for n, spans in marked.items()]
        else:
            ends = sorted(s.end for s in self.host if s.kind == "annotation" and OPTIMIZER.match(s.name))
            start = self.begin
            for n, end in enumerate(ends):
                self.windows.append((n, start, end))
                start = end
        self.whole = not self.windows
        if self.whole:
            self.windows = [(0, self.begin, max((s.end for s in self.spans if s.kind), default=0))]
        for span in self.host:
            span.step = self.step_at(span.start)
        for activity in self.activities:
            activity.step = self.step_at((activity.launch or activity).start, activity.device)
        self.place_memory()

    def place_memory(self):
        lanes, begun = {}, {}
        for span in sorted((s for s in self.host if s.kind != "frame"), key=lambda s: (s.start, -s.duration, s.order), reverse=True):
            lanes.setdefault(span.thread, []).append(span)
        for event in sorted(self.memory, key=lambda e: e.at):
            lane, around = lanes.get(event.thread, []), begun.setdefault(event.thread, [])
            while lane and lane[-1].start <= event.at:
                around.append(lane.pop())
            around[:] = [s for s in around if event.at <= s.end]
            inner = max(around, key=lambda s: (s.start, -s.duration, s.order), default=None)
            event.op = next((s for s in [inner, *inner.around()] if s.host_op), None) if inner else None
            event.step = event.op.step if event.op else self.step_at(event.at)

    def windows_of(self, device): return self.windows

    def step_at(self, time, device=None):
        if self.whole:
            return 0
        inside = [w for w in self.windows_of(device) if w[1] <= time < w[2]]
        return max(inside, key=lambda w: w[1])[0] if inside else None

    def name_nodes(self):
        ops = [s for s in self.host if s.kind == "op"]

        def backward(span):
            number = span.args.get("Sequence number", -1)
            return span.kind == "op" and 0 <= number < 1 << 63 and span.args.get("Fwd thread id", 0) != 0

        numbered = {}
        for span in ops:
            if "Sequence number" in span.args and not backward(span):
                numbered.setdefault(span.args["Sequence number"], []).append(span)

        def forward_of(span):
            made = [s for s in numbered.get(span.args["Sequence number"], ()) if s.start < span.start]
            return max(made, key=lambda s: (s.start, s.order), default=None)

        def parts(spans):
            return [s.plain for s in spans if s.kind in ("annotation", "module", "op")]

        for span in self.host:
            chain = [span, *span.around()]
            outermost = next((s for s in reversed(chain) if backward(s)), None)
            forward = forward_of(outermost) if outermost else None
            if forward:
                chain = chain[:chain.index(outermost) + 1]
                before = [s.plain for s in reversed(list(forward.around())) if s.kind in ("annotation", "module")] + ["backward"]
            else:
                before = []
            span.path = "/".join(before + parts(reversed(chain[1:])) + [span.plain])

    def cut(self, begin, end):
        """Keeps only the part between two moments, counted from the first start; parents and steps do not change."""
        zero = min((s.start for s in self.spans), default=0)
        begin, end = zero + begin, zero + end
        self.windows = [(n, max(a, begin), min(b, end)) for n, a, b in self.windows if max(a, begin) < min(b, end)]
        self.memory = [m for m in self.memory if begin <= m.at < end]
        for span in self.spans:
            span.starts, span.ends, length, duration = span.start, span.end, span.length, span.duration
            span.there = begin <= span.start < end if not duration else span.start < end and span.end > begin
            span.start, span.end = max(span.start, begin), min(span.end, end)
            span.end = max(span.start, span.end)
            span.length = max(0, min(span.starts + length, end) - span.start)
        self.find_self_times()
        self.ran = {(s.path, s.name) for s in self.host if s.host_op}
        self.nested, self.on_host, _ = self.host, self.runs_on_host(), self.clocks
        self.host = [s for s in self.host if s.there]
        self.activities = [a for a in self.activities if a.there]

    # -- views: {row: {column: ns or count}} ------------------------------------------------------------------------------

    def nodes(self, step=None):
        found = {}
        ran = getattr(self, "ran", None) or {(s.path, s.name) for s in self.host if s.host_op}

        def node(path, name):
            return found.setdefault((path, name), {"cpu": 0, "device": 0, "runs": 0, "bytes": 0, "residual": 0, "activities": 0})
        for span in self.host:
            if span.host_op and (step is None or span.step == step):
                n = node(span.path, span.name)
                n["cpu"] += span.self_time
                n["runs"] += 1
        for activity in self.activities:
            if step is None or activity.step == step:
                n = node(activity.op.path, activity.op.name) if activity.op else node("(no op)", "(no op)")
                n["device"] += activity.self_time
                n["activities"] += 1
        for event in self.memory:
            if step is None or event.step == step:
                n = node(event.op.path, event.op.name) if event.op else node("(no op)", "(no op)")
                n["bytes"] += max(0, event.bytes)
                n["residual"] += event.bytes
        return settle_runs(found, ran)

    def numbers(self):
        """The numbers of the steps that can be selected."""
        return [] if not any(s.kind for s in self.spans) else sorted({n for n, _, _ in self.windows})

    def mean(self):
        """The mean of each node over the steps in which it ran, without those in doubt."""
        by_step = [self.nodes(n) for n in self.numbers() if n not in self.doubted()]
        out = {}
        for key in set().union(*by_step):
            found = [nodes[key] for nodes in by_step if key in nodes]
            out[key] = {column: sum(n[column] for n in found) // len(found) for column in found[0]}
            for column in ("bytes", "residual"):
                total = sum(n[column] for n in found)
                out[key][column] = abs(total) // len(found) * (1 if total > 0 else -1)
            runs = sum(n["runs"] for n in found if n["runs"] > 0) or sum(n["runs"] for n in found)
            out[key]["runs"] = max(abs(runs) // len(found), runs != 0)
        return out

    def rows(self, key_of, step):
        rows = {}
        for key, n in (self.mean() if step == "mean" else self.nodes(step)).items():
            row = rows.setdefault(key_of(key), dict.fromkeys(NODE, 0))
            for column in NODE:
                row[column] += abs(n[column]) if column == "runs" else n[column]
        return rows

    def op(self, step=None):
        return self.rows(lambda key: key[1], step)

    def scope(self, step=None):
        """Own values by full path."""
        return self.rows(lambda key: key[0], step)

    def calls(self, step=None):
        rows = {}

        def add(path, key, value, runs):
            row = rows.setdefault(path, {"cpu": 0, "device": 0, "runs": 0})
            row[key] += value
            row["runs"] += runs
        for span in getattr(self, "nested", self.host):
            span.names = tuple(ADDRESS.sub("", s.plain) for s in reversed([span, *span.callers()]))
        for span in self.host:
            if step is None or span.step == step:
                add(span.names, "cpu", span.direct, 1)
        for activity in self.activities:
            if not activity.beside and (step is None or activity.step == step):
                above = activity.launch.names if activity.launch else ()
                add(above + (ADDRESS.sub("", self.kernel_name(activity)),), "device", activity.self_time, 1)
        return rows

    def lines(self, step=None):
        """The tree of `code` from Python frames: own values by path of FILE:LINE:FUNCTION."""
        rows = {}

        def row_frames(span):
            return [s for s in reversed([span, *span.callers()]) if s.kind == "frame" and FRAME.match(s.name)]

        def named(frames):
            return tuple("%s:%s:%s" % FRAME.match(f.name).groups() for f in frames)
        own = {}
        for span in self.host:
            if span.kind == "frame" and FRAME.match(span.name):
                frames = row_frames(span)
                own[span] = own.get(span, 0) + span.length
                if len(frames) > 1:
                    own[frames[-2]] = own.get(frames[-2], 0) - span.length
        for span, time in own.items():
            if step is None or span.step == step:
                row = rows.setdefault(named(row_frames(span)), {"cpu": 0, "device": 0, "runs": 0})
                # in a range: a frame that was cut off before it contains others that reach into it
                row["runs"] += getattr(span, "there", True)
                row["cpu"] += max(0, time)
        for activity in self.activities:
            launched_by = activity.launch or activity.op
            if launched_by and (step is None or activity.step == step):
                frames = row_frames(launched_by)
                if frames:
                    rows.setdefault(named(frames), {"cpu": 0, "device": 0, "runs": 0})["device"] += activity.duration
        return rows
