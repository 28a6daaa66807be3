# SPDX-License-Identifier: Apache-2.0
"""The tables of oracle.py: kernel, steps, transfer and wait, computed from the spans of a trace."""
import functools
import math
import re

DEVICE = {"kernel": "kernel", "Kernel": "kernel", "gpu_memcpy": "copy", "Memcpy": "copy", "gpu_memset": "set", "Memset": "set",
          "mtia_ccp_events": "kernel", "xpu_kernel": "kernel", "xpu_memcpy": "copy", "xpu_memset": "set"}
COMMUNICATION = re.compile("(?:nccl|rccl|hcom_)|(?i:.*(?:all_?reduce|all_?gather|reduce_?scatter|all_?to_?all))|.*(?:cross_device_reduce|"
                           "mscclKernel|nvshmem|deep_ep::|::ep::|moeA2A|EpDispatch|EpCombine|ccl_|[hH]ccl)", re.S)
ON_HOST = {"annotation": ("gloo:", "nccl:", "mpi:", "ucc:", "xccl:", "hccl:"), "op": ("c10d::", "_c10d_functional::", "c10d_functional::")}
DIRECTIONS = {"M2D": "HtoD", "D2M": "DtoH", "D2D": "DtoD", "M2M": "HtoH", "HOST_TO_DEVICE": "HtoD", "DEVICE_TO_HOST": "DtoH"}
SYNC = re.compile(r"(cuda|hip)(DeviceSynchronize|StreamSynchronize|EventSynchronize|Memcpy(?!.*Async).*)(_v2|_ptsz)*$"
                  r"|cu(CtxSynchronize|Stream(Synchronize)|Event(Synchronize))(_v2|_ptsz)*$"
                  r"|xpu_sync$|urQueueFinish$|urEventWait$|ze.*Synchronize|.*synchronizeStream$|.*aclrtSynchronizeStream$")
DATA = re.compile(r"enumerate\(DataLoader\)|DataLoader.*__next__|IteratorGetNext", re.S)
SCATTER = {"allgather", "_allgather_base", "all_gather", "all_gather_into_tensor", "reduce_scatter", "_reduce_scatter_base",
           "reduce_scatter_tensor", "all_to_all", "all_to_allv", "alltoall", "all_to_all_single"}
LARGER = {name for name in SCATTER if "gather" in name or "reduce_scatter" in name}
DTYPES = {"Float": 4, "Half": 2, "BFloat16": 2, "Double": 8, "Int": 4, "Long": 8, "Byte": 1, "Char": 1, "Short": 2, "Bool": 1}


def launched_class(activity):
    """The class of a kernel by its call, because ROCm copies and sets memory with kernels."""
    call = activity.launch.name if activity.launch else ""
    return "copy" if "Memcpy" in call else "set" if "Memset" in call else "compute"


def function_of(name):
    """The name of a kernel's function, without template arguments and parameters; for templates, names from compilers begin with the
    return type."""
    template = name.startswith("void ")
    name = name.removeprefix("void ").replace("(anonymous namespace)::", "")
    while template and re.search("<[^<>(]*>", name.split("(")[0]):
        name = re.sub("<[^<>(]*>", "", name, count=1)
    return name.split("(")[0]


def settle_runs(found, ran):
    """What never ran on the host has its activities as runs; what has time in a step and ran on the host in others only, too, as
    a negative number."""
    for key, n in found.items():
        if key not in ran:
            n["runs"] = max(n["activities"], n["cpu"] > 0 or n["device"] > 0)
        elif not n["runs"] and (n["cpu"] > 0 or n["device"] > 0):
            n["runs"] = -max(1, n["activities"])
    return found


class Tables:
    """Tables of a trace that has host, activities, begin, processor and windows_of
    (oracle.Trace)."""

    def class_of(self, activity):
        kind = DEVICE.get(activity.category, "kernel")
        if kind != "kernel":
            return kind
        name = activity.name
        if name.startswith(("Memcpy", "MEMCPY", "Memset")) or name == "dma_request":
            return "set" if name.startswith("Memset") else "copy"
        if COMMUNICATION.match(name) or "Collective name" in activity.args or (activity.op and "Collective name" in activity.op.args):
            return "communication"
        return launched_class(activity)

    def class_on_host(self, span):
        told = span.name.startswith(ON_HOST.get(span.kind, ())) if ON_HOST.get(span.kind) else False
        return "communication" if told or "Collective name" in span.args else "compute"

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

    def communicates(self, span):
        return span.kind == "annotation" and self.class_on_host(span) == "communication"

    def on_cpu(self):
        """The rows that represent a device's activities if there is no device."""
        return [s for s in self.host if s.host_op or self.communicates(s)]

    def runs_on_host(self):
        return not self.activities and bool(self.on_cpu())

    def later_steps(self, device, mine):
        """Where the work of steps runs later than they: for each step its time on the device and its activities; otherwise None."""
        windows = sorted(self.windows_of(device), key=lambda w: w[1])
        if self.whole or device == "cpu" or self.clocks or hasattr(self, "on_host") or any(len(w) > 3 for w in windows):
            return None
        place = {w[0]: i for i, w in enumerate(windows)}
        own = [[] for _ in windows]
        for a in mine:
            number = self.step_at(a.launch.start) if a.launch else None
            if number is not None:
                own[place[number]].append(a)
        lags = [(w[2], max(0, max(a.end for a in of) - w[2]), w) for w, of in zip(windows, own) if of]
        if not lags:
            return None
        (first, lag_before, _), (last, lag, of) = lags[0], lags[-1]
        if lag < 1000000:
            return None
        if len(lags) == 1:
            ahead = lag > (of[2] - of[1]) // 4
        else:
            ahead = last > first and lag - lag_before > (last - first) // 20
        launched = sum(own, [])
        if not ahead and sum(a.start >= windows[-1][2] for a in launched) <= len(launched) // 2:
            return None
        at, times = None, []
        for window, of in zip(windows, own):
            if at is None and of:
                at = min(a.start for a in of)
            begin = window[1] if at is None else at
            end = max([begin] + [a.end for a in of])
            at = end if of else at
            times.append((window[0], begin, end, of))
        for a in mine:
            if not a.launch:
                inside = [t for t in times if t[1] <= a.start < t[2]]
                if inside:
                    inside[0][3].append(a)
        return times

    def steps(self):
        rows = {}
        devices = sorted({a.device for a in self.activities}, key=str)
        if getattr(self, "on_host", self.runs_on_host()):
            devices = ["cpu"]  # also in a range that has only communication
        class_of = self.class_of if self.activities else self.class_on_host
        for device in devices:
            mine = [a for a in self.activities if a.device == device]
            if device == "cpu":
                mine = self.on_cpu()
            if not mine:
                continue
            windows = sorted(self.windows_of(device)) + [("all", min(a.start for a in mine), max(a.end for a in mine))]
            later = self.later_steps(device, mine)
            on_device = {number: (begin, end, of) for number, begin, end, of in later or ()}
            ahead = later and sum(t[2] - t[1] for t in later) > sum(w[2] - w[1] for w in windows[:-1])
            for number, begin, end in windows:
                host = begin, end
                begin, end, own = on_device.get(number, (begin, end, None))
                inside = [a for a in mine if begin <= getattr(a, "starts", a.start) < end or (number == "all" and not hasattr(a, "starts"))]
                kinds = {k: union(a for a in mine if (class_of(a) if class_of(a) != "set" else "copy") == k)
                         for k in ("compute", "communication", "copy")}
                cut = {k: clip(v, begin, end) for k, v in kinds.items()}
                compute, communication, copy = length(cut["compute"]), length(cut["communication"]), length(cut["copy"])
                with_communication = length(merge(cut["compute"] + cut["communication"]))
                busy = length(merge(cut["compute"] + cut["communication"] + cut["copy"]))
                inside = [] if device == "cpu" else inside if own is None else own
                launched = [a for a in inside if a.launch and not self.clocks]
                rows[(str(number), device)] = {
                    "start_us": host[0] - self.begin, "duration_us": host[1] - host[0], "busy_us": busy, "compute_us": compute,
                    "communication_us": communication, "copy_us": copy, "exposed_communication_us": with_communication - compute,
                    "exposed_copy_us": busy - with_communication, "idle_us": end - begin - busy, "kernels": len(inside),
                    "launch_delay_us": sum(max(0, getattr(a, "starts", a.start) - getattr(a.launch, "ends", a.launch.end)) for a in launched) / len(launched) if launched else None}
        return rows

    def transferred(self, activity):
        return True

    def kind_of_transfer(self, activity):
        kind = self.class_of(activity)
        if kind == "set":
            return ("set", "", None)
        if kind == "copy":
            call = activity.launch.name if activity.launch else ""
            told = (activity.name, activity.args.get("direction", ""), call)
            direction = next(filter(None, (re.search("HtoD|DtoH|DtoD|PtoP|HtoH|" + "|".join(DIRECTIONS), name) for name in told)), None)
            word = " pageable" if "pageable" in activity.name.lower() else " pinned" if "pinned" in activity.name.lower() else ""
            return ((DIRECTIONS.get(direction[0], direction[0]) if direction else activity.name.split(".")[0]) + word, "", None)
        args = next((x.args for x in (activity, activity.op) if x and "Collective name" in x.args), None)
        if args:
            return (args["Collective name"], args.get("Process Group Name", ""), args.get("Group size"))
        around = activity.launch.around() if activity.launch else ()
        named = next((s.name for s in around if s.kind == "annotation" and s.name.startswith("nccl:") and "Input Dims" in s.args), None)
        if named:
            return (named[len("nccl:"):], "", None)
        return (function_of(activity.name), "", None)

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
        if getattr(self, "on_host", self.runs_on_host()):
            self.add_host_transfers(rows, step)
        return rows

    def add_host_transfers(self, rows, step):
        """Ranges of gloo and similar libraries; the operators that begin them or wait for them are not separate
        transfers."""
        mine = self.on_cpu()
        compute = union(s for s in mine if self.class_on_host(s) == "compute")
        whole = max(s.end for s in mine) - min(s.start for s in mine)
        ranges = {}
        for span in mine:
            if span.kind == "annotation" and (step is None or span.step == step):
                ranges.setdefault((function_of(span.name), "cpu", span.args.get("Process Group Name", "")), []).append(span)
        for key, found in ranges.items():
            spans = union(found)
            both = length(spans) + length(compute) - length(merge(spans + compute))
            rows[key] = {"count": len(found), "total_us": sum(s.duration for s in found), "overlapped_us": both,
                         "exposed_us": length(spans) - both, "share": (length(spans) - both) / whole if whole else None}

    def bytes_of(self, activities):
        total, known = 0, False
        for a in activities:
            args = next((x.args for x in (a, a.op) if x and "Collective name" in x.args), None)
            if self.class_of(a) != "communication":
                told = ((a, "bytes"), (a, "size"), (a.launch, "size"))  # AMD: the call has it
                count = next((x.args[key] for x, key in told if x and key in x.args), None)
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
            if span.kind == "api" and (SYNC.match(span.name) or getattr(span, "category", "") == "xpu_sync"):
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
                    cause = "host" if a.launch and a.launch.start > latest and not self.clocks else "kernel" if gap <= 30000 else "other"
                    add(cause, f"{device if isinstance(device, str) else f'{self.processor}:{device}'}/stream:{stream}", gap)
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


# -- names of steps --

LOOP = re.compile(r"\[?((?:(?:train(?:ing)?|eval(?:uation)?|global)[ _-]?)?(?:step|iteration|iter|batch))[ _:#=\-\[(]*(\d+)[\])]*$", re.I)
SERVER = re.compile(r"(step|prefill|decode)\[.*\]$|execute_(\d|context_|new_|generation_)|(\[executor\] )?_forward_step|executestep:", re.I)
ONLY_REPEATED = re.compile(r"training[ _-]?(step|iteration|iter|batch)$|train[ _-]?(step|iteration|iter|batch)$|execute_", re.I)


class Markers:
    def choose_markers(self):
        """Ranges with the name of a step become steps where nothing else marks them: those of the loop that takes longest."""
        if any(s.kind == "step" for s in self.spans):
            return
        loops = {}
        for span in sorted(self.spans, key=lambda s: (s.start, -s.duration)):
            if span.kind not in ("op", "annotation"):
                continue
            loop, server = LOOP.match(span.name), SERVER.match(span.name)
            stem = "server" if server else loop[1] if loop else ONLY_REPEATED.match(span.name) and span.name
            if not stem:
                continue
            own = loops.setdefault(stem, {}).setdefault(span.thread, [])
            if not own or span.end > max(s.end for s in own):
                span.number = int(loop[2]) if loop and not server else None
                own.append(span)
        loops = {stem: by for stem, by in loops.items() if LOOP.match(next(iter(by.values()))[0].name) and stem != "server"
                 or any(len(own) > 1 for own in by.values())}
        if not loops:
            return
        best = max(loops.values(), key=lambda by: sum(s.duration for own in by.values() for s in own))
        numbered = all(s.number is not None for own in best.values() for s in own) and \
            all(len({s.number for s in own}) == len(own) for own in best.values())
        if not numbered:
            best = {0: max(best.values(), key=lambda own: sum(s.duration for s in own))}
            for n, span in enumerate(best[0]):
                span.number = n
        for own in best.values():
            for span in own:
                span.kind = "step"


COPY = re.compile(r"mem(cpy|set)", re.I)
LAUNCHES = {"cudaLaunchKernel", "hipLaunchKernel", "cudaGraphLaunch", "cuLaunchKernel"}


class Doubts:
    """Times that cannot be, and the steps of a trace that no mean takes."""

    def innermost_at(self, place, start):
        """The activity at which arrows to a moment of a process's stream end."""
        there = [a for a in self.activities if (a.thread[0], a.stream, a.start) == (*place, start)]
        return max(there, key=lambda a: (-a.duration, a.order))

    def clip_overlaps(self):
        """Ends an activity at the start of the next one of its stream, if it goes on for over 20 us and over half of the shorter one. A
        stream in which most do is left as it is. What stands twice is left out."""
        streams = {}
        for activity in sorted(self.activities if self.processor != "tpu" else (), key=lambda a: (a.start, -a.duration, a.order)):
            streams.setdefault((activity.thread[0], activity.device, activity.stream), []).append(activity)
        self.drop_copies(sorted(streams.values(), key=lambda work: min(a.order for a in work)))
        for lane, work in streams.items():
            twins = {b for a, b in zip(work, work[1:]) if self.is_twin(a, b)}
            streams[lane] = work = [a for a in work if a not in twins]
            self.activities = [a for a in self.activities if a not in twins]
            if not work:
                continue
            open_, found = work[0], []
            for activity in work[1:]:
                over = open_.end - activity.start
                if activity.start > open_.start and over > 20000 and over > min(open_.duration, activity.duration) // 2:
                    found.append((open_, activity.start))
                    open_ = activity
                elif activity.end >= open_.end:
                    open_ = activity
            for activity, end in found if len(found) * 2 <= len(work) else ():
                activity.end, activity.length = end, end - activity.start

    def drop_copies(self, streams):
        """Leaves out what another stream of the device has, too, if that is most of a stream."""
        def marks(a):
            return (a.name, a.start, a.duration, a.args.get(self.key), a.args.get("External id")) if a.duration else a
        for i, work in enumerate(streams):
            for other in filter(None, streams[i + 1:]):
                have = {marks(a) for a in work if a.device == other[0].device and a.args.get(self.key) or a.args.get("External id")}
                same = [a for a in other if marks(a) in have]
                if len(same) * 2 > len(other) and all(other[k] in same for k in (0, len(other) // 2, -1)):
                    other[:] = [a for a in other if a not in same]
                    self.activities = [a for a in self.activities if a not in same]

    def is_twin(self, a, b):
        number = a.args.get(self.key)
        alike = (a.name, a.duration, number) == (b.name, b.duration, b.args.get(self.key)) and a.duration
        return alike and (a.start == b.start or (number and b.start < a.end))

    @functools.cached_property
    def clocks(self):
        """Whether most activities start over 0.1 ms before their launch: the device has another clock than the host."""
        launched = [a for a in self.activities if a.launch]
        return sum(getattr(a.launch, "starts", a.launch.start) - getattr(a, "starts", a.start) > 100000 for a in launched) * 2 > len(launched)

    def missing(self):
        """Launches whose kernel should have been recorded: those before the last one of which a stream that is busy to the end has work."""
        launches = [s for s in self.host if s.kind == "api" and s.name in LAUNCHES]
        if not launches:
            return []
        first, last = min(s.start for s in launches), max(s.end for s in launches)
        streams, queued = {}, math.inf
        for activity in self.activities:
            streams.setdefault((activity.thread[0], activity.device, activity.stream), []).append(activity)
        for work in streams.values():
            if max(a.end for a in work) >= last - (last - first) // 50:
                queued = min(queued, max((a.launch.start for a in work if a.launch), default=math.inf))
        with_work = {s for a in self.activities if a.launch for s in (a.launch, a.launch.parent)}
        # without numbers, all launches are joined in another way if one is
        joined = any(s in with_work for s in launches) and not any(s.args.get(self.key) for s in launches)
        lost = [s for s in launches if s not in with_work and (s.args.get(self.key) or joined) and s.start <= queued
                and not (s.parent and s.parent.kind == "api")]
        unjoined = [a for a in self.activities if not a.launch and not a.args.get(self.key) and not COPY.match(a.name)]
        return lost if len(lost) > len(unjoined) else []

    def doubted(self):
        """The steps that no mean takes (docs/advise.md): those with activities without a duration, and with launches without a kernel."""
        def lost_length(a):
            kernel = self.processor == "gpu" and isinstance(a.device, int) and self.class_of(a) == "compute" and not a.duration
            return a.endless or (kernel and getattr(a, "starts", a.start) % 1000)
        steps = {s.step for s in [a for a in self.activities if lost_length(a)] + self.missing()} - {None}
        at_work = {a.step for a in self.activities} - {None}
        return set() if self.clocks or len(steps) > len(self.windows) // 2 or (at_work and at_work <= steps) else steps
