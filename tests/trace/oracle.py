# SPDX-License-Identifier: Apache-2.0
"""What the views say of a PyTorch trace, computed the slow and plain way: a second program written from the meaning of the
numbers (docs/traces.md), which shares no code with the first. random_traces.py compares the two.

Every rule is a loop over all spans; times are whole nanoseconds. A trace is the parsed JSON of one rank.
"""
import decimal
import re

STEP = re.compile(r"ProfilerStep#(\d+)$")
OPTIMIZER = re.compile(r"Optimizer\.step#")
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
FRAME = re.compile(r"(.*)\((\d+)\): (.*)$", re.S)
NODE = ("cpu", "device", "runs", "bytes", "residual")
OPS = {"cpu_op", "Operator"}
DEVICE = {"kernel": "kernel", "Kernel": "kernel", "gpu_memcpy": "copy", "Memcpy": "copy", "gpu_memset": "set", "Memset": "set"}
SYNC = re.compile(r"(cuda|hip)(DeviceSynchronize|StreamSynchronize|EventSynchronize|Memcpy(?!.*Async).*)(_v2|_ptsz)*$"
                  r"|cu(CtxSynchronize|Stream(Synchronize)|Event(Synchronize))(_v2|_ptsz)*$")
DATA = re.compile(r"enumerate\(DataLoader\)|DataLoader.*__next__|IteratorGetNext", re.S)
BUS = {"allreduce": 2, "all_reduce": 2}
SCATTER = {"allgather", "_allgather_base", "all_gather", "all_gather_into_tensor", "reduce_scatter", "_reduce_scatter_base",
           "reduce_scatter_tensor", "all_to_all", "all_to_allv", "alltoall", "all_to_all_single"}
LARGER = {name for name in SCATTER if "gather" in name or "reduce_scatter" in name}
DTYPES = {"Float": 4, "Half": 2, "BFloat16": 2, "Double": 8, "Int": 4, "Long": 8, "Byte": 1, "Char": 1, "Short": 2, "Bool": 1}


def nanoseconds(value):
    """Rounded down, as start and end of a span are."""
    return int((decimal.Decimal(str(value)) * 1000).to_integral_value(decimal.ROUND_FLOOR))


class Span:
    def __init__(self, order, event):
        self.order, self.name, self.args = order, event["name"], event.get("args") or {}
        self.category = event.get("cat", "")
        start = decimal.Decimal(str(event["ts"]))
        duration = decimal.Decimal(str(event.get("dur", 0)))
        self.start, self.end = nanoseconds(start), nanoseconds(start + max(duration, 0))
        self.thread = (event.get("pid"), event.get("tid"))
        self.parent, self.children, self.launch, self.launched = None, [], None, []
        self.beside = False  # runs beside the others of its device, whose time has it already
        if self.category in DEVICE:
            self.kind = "device"
            self.device = self.args.get("device", event.get("pid"))
            self.stream = self.args.get("stream", event.get("tid"))
        elif self.category in OPS:
            self.kind = "op"
        elif self.category.endswith(("_runtime", "_driver")) or self.category == "Runtime":
            self.kind = "api"
        elif self.category == "python_function":
            self.kind = "module" if self.name.startswith("nn.Module: ") else "frame"
        elif self.category == "user_annotation":
            self.kind = "step" if STEP.match(self.name) else "annotation"
        else:
            self.kind = None

    @property
    def duration(self):
        return self.end - self.start

    @property
    def host_op(self):
        return self.kind in ("op", "api")

    @property
    def plain(self):
        return self.name[len("nn.Module: "):] if self.kind == "module" else self.name

    def around(self):
        """The parents, innermost first."""
        span = self.parent
        while span:
            yield span
            span = span.parent


class Allocation:
    """An allocation, or with negative bytes a free."""
    def __init__(self, event):
        self.at, self.bytes = nanoseconds(event["ts"]), event["args"]["Bytes"]
        self.thread = (event.get("pid"), event.get("tid"))


class Trace:
    processor = "gpu"

    def __init__(self, document):
        self.read(document)
        self.host = [s for s in self.spans if s.kind in ("op", "api", "annotation", "frame", "module")]
        self.activities = [s for s in self.spans if s.kind == "device"]
        self.begin = min((s.start for s in self.spans if s.kind), default=0)
        self.find_parents()
        self.find_self_times()
        self.find_launches()
        self.find_steps()
        self.name_nodes()

    def read(self, document):
        events = document["traceEvents"]
        self.spans = [Span(i, e) for i, e in enumerate(events) if e.get("ph") == "X"]
        self.memory = [Allocation(e) for e in events if e.get("ph") == "i" and e.get("name") == "[memory]"]
        whole = all(decimal.Decimal(str(e.get(k, 0))) % 1 == 0 for e in events if e.get("ph") == "X" for k in ("ts", "dur"))
        self.tolerance = 1000 if whole else 0

    def find_parents(self):
        lanes = {}
        for span in self.host:
            lanes.setdefault(span.thread, []).append(span)
        for spans in lanes.values():
            spans.sort(key=lambda s: (s.start, -s.duration, s.order))
            for i, span in enumerate(spans):
                for outer in reversed(spans[:i]):
                    inside = span.start < outer.end or span.start == outer.start or (span.start == outer.end and not span.duration)
                    if inside and span.end <= outer.end + self.tolerance:
                        span.parent = outer
                        outer.children.append(span)
                        break

    def find_self_times(self):
        for span in self.spans:
            span.self_time = span.duration
            span.direct = max(0, span.duration - sum(c.duration for c in span.children))
        for span in self.host:
            if span.host_op:
                outer = next((a for a in span.around() if a.host_op), None)
                if outer:
                    outer.self_time -= span.duration
        for span in self.host:
            span.self_time = max(0, span.self_time)

    def find_launches(self):
        for activity in self.activities:
            correlation = activity.args.get("correlation", 0)
            calls = [s for s in self.host if s.kind == "api" and correlation and s.args.get("correlation", 0) == correlation]
            activity.launch = min(calls, key=lambda s: (s.start, s.order), default=None)
            if activity.launch:
                activity.launch.launched.append(activity)
                activity.op = next((a for a in activity.launch.around() if a.kind == "op"), activity.launch)
            else:
                external = activity.args.get("External id", activity.args.get("external id"))
                activity.op = next((s for s in self.host if s.kind == "op" and external is not None
                                    and s.args.get("External id", s.args.get("external id")) == external), None)

    def find_steps(self):
        self.windows = []
        marked = {}
        for span in self.spans:
            if span.kind == "step":
                marked.setdefault(int(STEP.match(span.name)[1]), []).append(span)
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
        for event in self.memory:
            around = [s for s in self.host if s.thread == event.thread and s.start <= event.at
                      and (event.at < s.end or s.start == event.at or s.end == event.at)]
            inner = max(around, key=lambda s: (s.start, -s.duration, s.order), default=None)
            event.op = next((s for s in [inner, *inner.around()] if s.host_op), None) if inner else None
            event.step = event.op.step if event.op else self.step_at(event.at)

    def windows_of(self, device):
        return self.windows

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

        def forward_of(span):
            number = span.args["Sequence number"]
            made = [s for s in ops if s.args.get("Sequence number") == number and not backward(s) and s.start < span.start]
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

    # -- views: {row: {column: ns or count}} ------------------------------------------------------------------------------

    def nodes(self, step=None):
        found = {}
        ran = {(s.path, s.name) for s in self.host if s.host_op}

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
        for key, n in found.items():
            if key not in ran:
                n["runs"] = n["activities"]
        return found

    def numbers(self):
        """Of the steps that can be asked for."""
        return [] if not any(s.kind for s in self.spans) else sorted({n for n, _, _ in self.windows})

    def mean(self):
        """Of each node over the steps in which it ran."""
        by_step = [self.nodes(n) for n in self.numbers()]
        out = {}
        for key in set().union(*by_step):
            found = [nodes[key] for nodes in by_step if key in nodes]
            out[key] = {column: sum(n[column] for n in found) // len(found) for column in found[0]}
            for column in ("runs", "bytes", "residual"):
                total = sum(n[column] for n in found)
                out[key][column] = abs(total) // len(found) * (1 if total > 0 else -1)
        return out

    def rows(self, key_of, step):
        rows = {}
        for key, n in (self.mean() if step == "mean" else self.nodes(step)).items():
            row = rows.setdefault(key_of(key), dict.fromkeys(NODE, 0))
            for column in NODE:
                row[column] += n[column]
        return rows

    def op(self, step=None):
        return self.rows(lambda key: key[1], step)

    def scope(self, step=None):
        """Own numbers by whole path."""
        return self.rows(lambda key: key[0], step)

    def calls(self, step=None):
        rows = {}

        def add(path, key, value, runs):
            row = rows.setdefault(path, {"cpu": 0, "device": 0, "runs": 0})
            row[key] += value
            row["runs"] += runs
        for span in self.host:
            span.names = tuple(ADDRESS.sub("", s.plain) for s in reversed([span, *span.around()]))
        for span in self.host:
            if step is None or span.step == step:
                add(span.names, "cpu", span.direct, 1)
        for activity in self.activities:
            if not activity.beside and (step is None or activity.step == step):
                above = activity.launch.names if activity.launch else ()
                add(above + (ADDRESS.sub("", self.kernel_name(activity)),), "device", activity.self_time, 1)
        return rows

    def lines(self, step=None):
        """The tree of `code` by Python frames: own numbers by path of FILE:LINE:FUNCTION."""
        rows = {}

        def row_frames(span):
            return [s for s in reversed([span, *span.around()]) if s.kind == "frame" and FRAME.match(s.name)]

        def named(frames):
            return tuple("%s:%s:%s" % FRAME.match(f.name).groups() for f in frames)
        own = {}
        for span in self.host:
            if span.kind == "frame" and FRAME.match(span.name):
                frames = row_frames(span)
                own[span] = own.get(span, 0) + span.duration
                if len(frames) > 1:
                    own[frames[-2]] = own.get(frames[-2], 0) - span.duration
        for span, time in own.items():
            if step is None or span.step == step:
                row = rows.setdefault(named(row_frames(span)), {"cpu": 0, "device": 0, "runs": 0})
                row["runs"] += 1
                row["cpu"] += max(0, time)
        for activity in self.activities:
            if activity.launch and (step is None or activity.step == step):
                frames = row_frames(activity.launch)
                if frames:
                    rows.setdefault(named(frames), {"cpu": 0, "device": 0, "runs": 0})["device"] += activity.duration
        return rows

    # -- tables ------------------------------------------------------------------------------------------------------------

    def class_of(self, activity):
        kind = DEVICE[activity.category]
        if kind != "kernel":
            return kind
        name = activity.name
        if name.startswith(("nccl", "rccl")) or re.search("all_?reduce|all_?gather|reduce_?scatter|all_?to_?all", name, re.I) \
           or "cross_device_reduce" in name or "Collective name" in activity.args \
           or (activity.op and "Collective name" in activity.op.args):
            return "communication"
        return "compute"

    def device_rows(self, step):
        return [a for a in self.activities if step is None or a.step == step]

    def kernel(self, step=None):
        groups = {}
        for activity in self.device_rows(step):
            groups.setdefault((self.kernel_name(activity), self.class_of(activity)), []).append(activity)
        whole = sum(a.self_time for a in self.device_rows(step) if not a.beside)
        rows = {}
        for key, found in groups.items():
            times = [a.self_time for a in found]
            ops = {}
            for a in found:
                ops[self.op_name(a)] = ops.get(self.op_name(a), 0) + 1
            names = sorted(ops, key=lambda n: (-ops[n], n.encode()))[:3]
            known = [a for a in found if self.occupancy(a) is not None]
            weight = sum(a.self_time for a in known)
            plain_mean = sum(self.occupancy(a) for a in known) / len(known) if known else None
            rows[key] = {"count": len(found), "total_us": sum(times), "min_us": min(times), "max_us": max(times),
                         "share": sum(times) / whole if whole and not found[0].beside else None, "ops": "|".join(names),
                         "bytes": self.bytes_of_kernels(key[1], found),
                         "occupancy": sum(self.occupancy(a) * a.self_time for a in known) / weight if weight else plain_mean}
        return rows

    def kernel_name(self, activity):
        return activity.name

    def op_name(self, activity):
        return activity.op.name if activity.op else "(no op)"

    def occupancy(self, activity):
        return activity.args.get("est. achieved occupancy %")

    def bytes_of_kernels(self, kind, activities):
        return self.bytes_of(activities) if kind in ("copy", "set") else None

    def steps(self):
        rows = {}
        devices = sorted({a.device for a in self.activities})
        for device in devices:
            mine = [a for a in self.activities if a.device == device]
            windows = sorted(self.windows_of(device)) + [("all", min(a.start for a in mine), max(a.end for a in mine))]
            for number, begin, end in windows:
                inside = mine if number == "all" else [a for a in mine if begin <= a.start < end]
                kinds = {k: union(a for a in mine if (self.class_of(a) if self.class_of(a) != "set" else "copy") == k)
                         for k in ("compute", "communication", "copy")}
                cut = {k: clip(v, begin, end) for k, v in kinds.items()}
                compute, communication, copy = length(cut["compute"]), length(cut["communication"]), length(cut["copy"])
                with_communication = length(merge(cut["compute"] + cut["communication"]))
                busy = length(merge(cut["compute"] + cut["communication"] + cut["copy"]))
                launched = [a for a in inside if a.launch]
                rows[(str(number), device)] = {
                    "start_us": begin - self.begin, "duration_us": end - begin, "busy_us": busy, "compute_us": compute,
                    "communication_us": communication, "copy_us": copy, "exposed_communication_us": with_communication - compute,
                    "exposed_copy_us": busy - with_communication, "idle_us": end - begin - busy, "kernels": len(inside),
                    "launch_delay_us": sum(max(0, a.start - a.launch.end) for a in launched) / len(launched) if launched else None}
        return rows

    def transferred(self, activity):
        return True

    def kind_of_transfer(self, activity):
        kind = self.class_of(activity)
        if kind == "set":
            return ("set", "", None)
        if kind == "copy":
            direction = re.search("HtoD|DtoH|DtoD|PtoP|HtoH", activity.name)
            word = " pageable" if "pageable" in activity.name.lower() else " pinned" if "pinned" in activity.name.lower() else ""
            return (direction[0] + word, "", None)
        args = next((x.args for x in (activity, activity.op) if x and "Collective name" in x.args), None)
        if args:
            return (args["Collective name"], args.get("Process Group Name", ""), args.get("Group size"))
        return (activity.name.split("(")[0], "", None)

    def transfer(self, step=None):
        groups = {}
        for activity in self.device_rows(step):
            if self.class_of(activity) != "compute" and self.transferred(activity):
                kind, group, size = self.kind_of_transfer(activity)
                groups.setdefault((kind, activity.device, group), []).append((activity, size))
        rows = {}
        for (kind, device, group), found in groups.items():
            activities = [a for a, _ in found]
            compute = union(a for a in self.activities if a.device == device and self.class_of(a) == "compute")
            spans = union(activities)
            both = length(spans) + length(compute) - length(merge(spans + compute))
            exposed = length(spans) - both
            mine = [a for a in self.activities if a.device == device]
            whole = max(a.end for a in mine) - min(a.start for a in mine)
            rows[(kind, device, group)] = {
                "group_size": next((n for _, n in found if n is not None), None), "count": len(activities),
                "bytes": self.bytes_of(activities), "total_us": sum(a.duration for a in activities), "overlapped_us": both,
                "exposed_us": exposed, "share": exposed / whole if whole else None}
        return rows

    def bytes_of(self, activities):
        total, known = 0, False
        for a in activities:
            args = next((x.args for x in (a, a.op) if x and "Collective name" in x.args), None)
            if self.class_of(a) != "communication":
                count = a.args.get("bytes", a.launch.args.get("size") if a.launch else None)  # AMD: on the call
                if isinstance(count, int):
                    total, known = total + count, True
            elif args and "In msg nelems" in args and args.get("dtype") in DTYPES:
                count = args["In msg nelems"]
                if args["Collective name"] in LARGER:
                    count = max(count, args.get("Out msg nelems", 0))
                total, known = total + count * DTYPES[args["dtype"]], True
        return total if known else None

    def wait(self, step=None):
        rows = {}

        def add(cause, where, duration):
            row = rows.setdefault((cause, where), {"count": 0, "total_us": 0, "max_us": 0})
            row["count"] += 1
            row["total_us"] += duration
            row["max_us"] = max(row["max_us"], duration)

        def cause_of(span):
            if span.kind == "api" and SYNC.match(span.name):
                return "synchronize"
            if span.kind == "op" and span.name in ("aten::item", "aten::_local_scalar_dense"):
                return "item"
            if span.kind in ("op", "annotation") and DATA.search(span.name):
                return "data"
            return None
        for span in self.host:
            cause = cause_of(span)
            if cause and not any(cause_of(a) for a in span.around()) and (step is None or span.step == step):
                add(cause, span.path, span.duration)
        lanes = {}
        for a in self.activities:
            lanes.setdefault((a.device, a.stream), []).append(a)
        for (device, stream), mine in lanes.items():
            mine.sort(key=lambda a: (a.start, a.order))
            latest = mine[0].end
            for a in mine[1:]:
                gap = a.start - latest
                if gap > 0 and (step is None or a.step == step):
                    cause = "host" if a.launch and a.launch.start > latest else "kernel" if gap <= 30000 else "other"
                    add(cause, f"{self.processor}:{device}/stream:{stream}", gap)
                latest = max(latest, a.end)
        return rows


def merge(intervals):
    out = []
    for begin, end in sorted(intervals):
        if out and begin <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((begin, end))
    return out


def union(spans):
    return merge((s.start, s.end) for s in spans)


def clip(intervals, begin, end):
    return [(max(a, begin), min(b, end)) for a, b in intervals if max(a, begin) < min(b, end)]


def length(intervals):
    return sum(b - a for a, b in intervals)
