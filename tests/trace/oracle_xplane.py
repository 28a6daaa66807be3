# SPDX-License-Identifier: Apache-2.0
"""Like oracle.py for XPlane files: reads the wire format with its own code and computes the same views in a slow and
plain way."""
import re
import struct

import oracle
import oracle_tables

TF_OP = re.compile(r"([A-Za-z0-9.][\w.\-/\\>]*):([A-Z_][A-Za-z0-9_]*)$", re.A)
COLLECTIVE = re.compile(r"(all-reduce|all-gather|reduce-scatter|all-to-all|ragged-all-to-all|collective-permute|collective-broadcast"
                        r"|send|recv)(-start|-done)?([._-].*)?$")
TPU_COPY = re.compile(r"(copy-start|copy-done|infeed|outfeed)(\..*)?$")
KERAS = re.compile(r"(multi_step_on_iterator|one_step_on_iterator|one_step_on_data_distributed|multi_step_on_data)$"
                   r"|\S*(train_function|test_function|predict_function)\S*$")
FUNCTION = re.compile(r"EagerLocalExecute: __inference_(.+?)(_\d+)?$", re.S)
DERIVED = 0xDEADBEEF


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = (8, at) if key & 7 == 1 else varint(data, at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def signed(value):
    return value - (1 << 64) if value >> 63 else value


class Plane:
    def __init__(self, data):
        parts = list(fields(data))
        self.name = next((v.decode() for n, v in parts if n == 2), "")
        names = [dict(fields(v)) for n, v in parts if n == 5]
        self.stat_names = {e.get(1, 0): dict(fields(e.get(2, b""))).get(2, b"").decode() for e in names}
        self.types = {}
        for n, v in parts:
            if n == 4:
                entry = dict(fields(v))
                inside = list(fields(entry.get(2, b"")))
                one = dict(inside)
                self.types[entry.get(1, 0)] = (one.get(2, b"").decode(), one.get(4, b"").decode(), self.stats(inside, 5))
        self.lines = [list(fields(v)) for n, v in parts if n == 3]

    def stats(self, parts, number):
        found = {}
        for n, v in parts:
            if n != number:
                continue
            stat = dict(fields(v))
            name = self.stat_names.get(stat.get(1, 0), "")
            if 2 in stat:
                found[name] = struct.unpack("<d", stat[2])[0]
            elif 5 in stat:
                found[name] = stat[5].decode()
            elif 6 in stat:
                found[name] = stat[6]
            elif 7 in stat:
                found[name] = self.stat_names[stat[7]]
            else:
                found[name] = signed(stat.get(4, stat.get(3, 0)))
        return found


def program_of(proto):
    """(module's name, {instruction: (opcode, op_name)}) of an HloProto."""
    module = dict(fields(proto)).get(1, b"")
    parts, found = list(fields(module)), {}
    for computation in (v for n, v in parts if n == 3):
        for instruction in (dict(fields(v)) for n, v in fields(computation) if n == 2):
            metadata = dict(fields(instruction.get(7, b"")))
            found[instruction.get(1, b"").decode()] = instruction.get(2, b"").decode(), metadata.get(2, b"").decode()
    return next((v.decode() for n, v in parts if n == 1), ""), found


def first_of_joined(path):
    """For the compiler's joined forms, jit(f)/(p:q) and a(b:c:d)/x: the first name in each parenthesis."""
    return re.sub(r"\(([^():]*):[^()]*\)", lambda m: f"({m[1]})" if m[1] else "()", path)


class Event:
    def __init__(self, order, name, args, start_ps, duration_ps):
        self.order, self.name, self.args = order, name, args
        self.start, self.end = start_ps // 1000, (start_ps + max(0, duration_ps)) // 1000
        self.parent, self.launch, self.launched, self.beside, self.endless = None, None, [], False, duration_ps < 0
        self.caller, self.called, self.length = None, [], self.end - self.start

    @property
    def duration(self):
        return self.end - self.start

    host_op, around, callers = oracle.Span.host_op, oracle.Span.around, oracle.Span.callers

    @property
    def plain(self):
        return self.name


class Allocation:
    """A MemoryAllocation, or with negative bytes a MemoryDeallocation."""
    def __init__(self, event):
        sign = -1 if event.name == "MemoryDeallocation" else 1
        self.at, self.thread, self.bytes = event.start, event.thread, sign * event.args.get("allocation_bytes", 0)


class XPlane(oracle.Trace):
    tolerance, key = 0, "correlation_id"

    def read(self, document):
        self.spans, self.memory, self.module_runs, self.seen, self.programs = [], [], {}, {}, {}
        planes = [Plane(value) for number, value in fields(document) if number == 1]
        for _, _, stats in (kind for p in planes for kind in p.types.values()):
            if "Hlo Proto" in stats:
                name, program = program_of(stats["Hlo Proto"])
                self.programs.setdefault(name, program)
                self.programs[stats.get("program_id")] = program
        for plane in planes:
            self.read_plane(plane)

    def instruction_of(self, activity):
        """(opcode, op_name) from the file's HLO."""
        program = self.programs.get(activity.args.get("program_id")) or self.programs.get(activity.args.get("hlo_module"), {})
        return program.get(activity.instruction, ("", ""))

    def read_plane(self, plane):
        device = re.match(r"/device:(GPU|TPU):(\d+)$", plane.name)
        if device:
            self.processor = device[1].lower()
        elif plane.name != "/host:CPU":
            return
        for line in plane.lines:
            one = dict(line)
            self.last = None
            name = (one.get(11) or one.get(2, b"")).decode()
            base = one.get(3, 0) * 1000
            for n, v in line:
                if n == 4:
                    parts = list(fields(v))
                    event = dict(parts)
                    if 5 in event:
                        continue
                    kind, shown, constant = plane.types.get(event.get(1, 0), ("", "", {}))
                    self.add(plane, device, one.get(1, 0), name, kind, shown, {**constant, **plane.stats(parts, 4)},
                             base + event.get(2, 0), signed(event.get(3, 0)))

    def add(self, plane, device, line, line_name, name, shown, args, start, duration):
        event = Event(len(self.spans), name, args, start, duration)
        event.thread, event.kind, event.of_input = (plane.name, line), None, line_name.startswith("tf_data_")
        if not device:
            event.kind = ("step" if "step_num" in args else "op" if ("hlo_op" in args and "correlation_id" not in args) or TF_OP.match(name) else
                          "api" if "correlation_id" in args else "annotation" if duration > 0 else None)
        elif line_name == "XLA Modules":
            self.module_runs.setdefault(int(device[2]), []).append(event)
        elif (self.processor == "tpu" and line_name in ("XLA Ops", "Async XLA Ops")) or \
             (self.processor == "gpu" and line < DERIVED and line_name.startswith("Stream")):
            event.kind, event.device = "device", int(device[2])
            event.stream = re.search(r"#(\d+)", line_name)[1] if self.processor == "gpu" else line_name
            event.beside = line_name == "Async XLA Ops"
            event.instruction = args.get("hlo_op") if self.processor == "gpu" else name.split(" ")[0].lstrip("%")
            event.goes_on = self.processor == "gpu" and self.continues(plane, line, event)
        self.spans.append(event)
        if not device and name in ("MemoryAllocation", "MemoryDeallocation"):
            self.memory.append(Allocation(event))

    def continues(self, plane, line, event):
        """Whether it belongs to the same run of an instruction as the previous activity in the line."""
        module, last = event.args.get("hlo_module"), self.last
        known = self.seen.setdefault((plane.name, line, module), set())
        again = (last and module and event.instruction and (last.instruction, last.args.get("hlo_module")) == (event.instruction, module)
                 and self.node_of(last)[0] == self.node_of(event)[0] and event.start // 1000 >= last.start // 1000)
        goes_on = bool(again and (event.name != self.first or len(known) > 1))
        if event.instruction and module:
            known.add(event.instruction)
        self.last = event
        if not goes_on:
            self.first = event.name
        return goes_on

    def find_self_times(self):
        super().find_self_times()
        lanes = {}
        for a in self.activities:
            if self.processor == "tpu" and not a.beside:
                lanes.setdefault(a.thread, []).append(a)
        for mine in lanes.values():
            mine.sort(key=lambda a: (a.start, -a.duration, a.order))
            for i, a in enumerate(mine):
                for outer in reversed(mine[:i]):
                    if (a.start < outer.end or a.start == outer.start or (a.start == outer.end and not a.duration)) and a.end <= outer.end:
                        outer.self_time -= a.duration
                        break
            for a in mine:
                a.self_time = max(0, a.self_time)

    def find_launches(self):
        for activity in self.activities:
            correlation = activity.args.get("correlation_id", 0)
            calls = [s for s in self.host if s.kind == "api" and correlation and s.args["correlation_id"] == correlation]
            activity.launch = min(calls, key=lambda s: (s.start, s.order), default=None)
            if activity.launch:
                activity.launch.launched.append(activity)

    def find_steps(self):
        marked = {}
        for span in self.spans:
            if span.kind == "step":
                marked.setdefault(span.args["step_num"], []).append(span)
        self.windows = [(n, min(s.start for s in spans), max(s.end for s in spans)) for n, spans in marked.items()]
        self.by_device = {}
        if not self.windows:
            self.windows = self.guess_steps()
        if not self.windows:
            totals = {}
            for runs in self.module_runs.values():
                for run in runs:
                    totals[run.name] = totals.get(run.name, 0) + run.duration
            if totals:
                longest = max(totals, key=totals.get)
                for device, runs in self.module_runs.items():
                    mine = sorted((r for r in runs if r.name == longest), key=lambda r: r.start)
                    self.by_device[device] = [(n, r.start, r.end) for n, r in enumerate(mine)]
                    self.windows += self.by_device[device]
        self.whole = not self.windows
        if self.whole:
            self.windows = [(0, self.begin, max((s.end for s in self.spans if s.kind), default=0))]
        for span in self.host:
            span.step = self.step_at(span.start)
        for activity in self.activities:
            activity.step = self.step_at((activity.launch or activity).start, activity.device)
        self.place_memory()

    def guess_steps(self):
        """Finds calls whose windows replace marks: Keras's step functions, else roots."""
        def is_keras(span):
            called = FUNCTION.match(span.name)
            name = called[1] if called else span.name
            return span.kind == "annotation" and KERAS.match(name) and "make_" not in name
        functions = [s for s in self.host if is_keras(s)]
        marks = functions or [s for s in self.host if s.args.get("_r") == 1 and not s.of_input]
        lanes = {}
        for span in sorted(marks, key=lambda s: (s.start, -s.duration, s.order)):
            lane = lanes.setdefault(span.thread, [])
            if not lane or span.end > lane[-1].end:
                lane.append(span)
        if not lanes:
            return []
        calls = max(lanes.values(), key=lambda lane: sum(s.duration for s in lane))
        runs, calls, last = calls, [], None
        for call in runs:
            around = [] if functions else [s for s in list(call.around())[:8] if FUNCTION.match(s.name)]
            call.function = FUNCTION.match(around[0].name)[1] if around else call.name
            call.returns = max(call.end, around[0].end if around else 0)
            call.ends = call.end  # in one call, a function on several devices has a root for each of them
            if last and call.end <= last.returns and call.start != last.start:
                last.ends = call.end
            else:
                calls, last = calls + [call], call
        ops = [s for s in self.host if s.host_op and not s.of_input]
        bounds = list(zip(calls, [c.start for c in calls[1:]] + [float("inf")]))
        for call, following in bounds:
            mine = [s for s in ops if call.start <= s.start < following]
            call.work, call.inside = sum(s.self_time for s in mine), sum(s.self_time for s in mine if s.start < call.ends)
            call.work_end = max([call.ends] + [s.end for s in mine])
            call.inside_end = max([call.ends] + [s.end for s in mine if s.start < call.returns])
        known = calls[:-1] or calls
        behind = sum(c.inside < c.work // 2 for c in known) > sum(c.work > 0 for c in known) // 2
        if not functions:
            any_work, sums = any(c.work for c in known), {}
            for c in known:
                its = c.ends - c.start if not any_work else c.work if behind else c.inside
                sums[c.function] = sums.get(c.function, 0) + its
            best = max(sums, key=sums.get)
            calls = [c for c in calls if c.function == best]
            if not behind:
                return self.take_roots(calls)
        last = calls[-1]
        open_end = behind and last.returns == last.ends
        end = last.work_end if open_end else last.inside_end
        for activity in self.activities:
            at = (activity.launch or activity).start
            if activity.start >= last.start and at >= last.start and (open_end or at < last.returns):
                end = max(end, activity.end)
        return [(n, c.start, d.start) for n, (c, d) in enumerate(zip(calls, calls[1:]))] + [(len(calls) - 1, last.start, end)]

    def take_roots(self, calls):
        """Roots become steps, and no longer contain other spans."""
        for root in calls:
            if root.kind == "annotation":
                root.kind = "step"
                self.host.remove(root)
        for span in self.host:
            span.parent, span.caller, span.called, span.length = None, None, [], span.duration
        self.find_parents()
        self.find_self_times()
        return [(n, c.start, c.ends) for n, c in enumerate(calls)]

    def windows_of(self, device):
        return self.by_device.get(device, [] if self.by_device else self.windows)

    def name_nodes(self):
        for span in self.host:
            typed = TF_OP.match(span.name)
            span.title = typed[2] if typed else span.name
            span.path = typed[1] if typed else span.name

    def node_of(self, activity):
        """(path, op) of a device activity."""
        path = activity.args.get("tf_op")
        if not path or path == "XlaModule:":
            path = activity.args.get("name") or self.instruction_of(activity)[1]
        if path:
            path = first_of_joined(path.split(";")[0])
            typed = TF_OP.match(path)
            if typed:
                return typed[1], typed[2]
            path = path[:-1] if path.endswith(":") else path
            return path, re.sub(r"_\d+$", "", path.split("/")[-1])
        if activity.instruction:
            module = self.module_of(activity)
            return f"(hlo)/{module}/{activity.instruction}", activity.instruction.split(".")[0]
        return "(no op)", "(no op)"

    def module_of(self, activity):
        if "hlo_module" in activity.args:
            return activity.args["hlo_module"]
        around = [r for r in self.module_runs.get(activity.device, []) if r.start <= activity.start < r.end or r.end == activity.start == activity.end]
        return re.sub(r"\(\d+\)$", "", max(around, key=lambda r: r.start).name) if around else ""

    def nodes(self, step=None):
        found = {}
        ran = {(s.path, s.title) for s in self.host if s.host_op}

        def node(key):
            return found.setdefault(key, {"cpu": 0, "device": 0, "runs": 0, "bytes": 0, "residual": 0, "activities": 0})
        for span in self.host:
            if span.host_op and (step is None or span.step == step):
                n = node((span.path, span.title))
                n["cpu"] += span.self_time
                n["runs"] += 1
        for activity in self.activities:
            if not activity.beside and (step is None or activity.step == step):
                n = node(self.node_of(activity))
                n["device"] += activity.self_time
                n["activities"] += not getattr(activity, "goes_on", False)
        for event in self.memory:
            if step is None or event.step == step:
                n = node((event.op.path, event.op.title) if event.op else ("(no op)", "(no op)"))
                n["bytes"] += max(0, event.bytes)
                n["residual"] += event.bytes
        return oracle_tables.settle_runs(found, ran)

    # -- tables

    def class_of(self, activity):
        if self.processor == "gpu":
            if activity.name.startswith("Memcpy"):
                return "copy"
            if activity.name.startswith("Memset"):
                return "set"
        elif TPU_COPY.match(activity.instruction) or activity.beside and not COLLECTIVE.match(activity.instruction):
            return "copy"
        name, opcode = activity.name, self.instruction_of(activity)[0]
        if opcode and COLLECTIVE.match(opcode):
            return "communication"
        if name.startswith(("nccl", "rccl")) or "cross_device_reduce" in name or \
           re.search("all_?reduce|all_?gather|reduce_?scatter|all_?to_?all", name, re.I) or \
           activity.instruction and COLLECTIVE.match(activity.instruction):
            return "communication"
        return oracle_tables.launched_class(activity)

    def kernel_name(self, activity):
        if self.processor == "gpu":
            return activity.name
        return activity.instruction + (" (async)" if activity.beside else "")

    def op_name(self, activity):
        return self.node_of(activity)[1]

    def occupancy(self, activity):
        told = re.search(r"occ_pct:([0-9.]+)", activity.args.get("kernel_details", ""))
        return float(told[1]) if told else None

    def bytes_of(self, activities):
        found = []
        for a in activities:
            if self.processor == "tpu":
                found.append(a.args.get("bytes_accessed"))
            else:
                details = a.args.get("memcpy_details", a.args.get("memset_details", ""))
                told = re.search(r"(?:size|num_bytes):(\d+)", details)
                found.append(int(told[1]) if told else None)
        found = [f for f in found if f is not None]
        return sum(found) if found else None

    def bytes_of_kernels(self, kind, activities):
        return self.bytes_of(activities) if self.processor == "tpu" or kind in ("copy", "set") else None

    def device_rows(self, step):
        return [a for a in self.activities if step is None or a.step == step]

    def transferred(self, activity):
        if self.processor == "tpu" and not activity.beside:
            has_side = any(a.beside and a.device == activity.device for a in self.activities)
            base = activity.instruction.split(".")[0]
            return not base.endswith("-start") and not (base.endswith("-done") and has_side)
        return True

    def kind_of_transfer(self, activity):
        kind = self.class_of(activity)
        if self.processor == "tpu" or kind == "communication" and activity.instruction:
            return activity.instruction.split(".")[0], "", None
        if kind == "set":
            return "set", "", None
        if kind == "copy":
            where = {"H2D": "HtoD", "D2H": "DtoH", "D2D": "DtoD", "P2P": "PtoP", "H2H": "HtoH", "DeviceToDevice": "DtoD",
                     "HostToDevice": "HtoD", "DeviceToHost": "DtoH", "DtoD": "DtoD", "HtoD": "HtoD", "DtoH": "DtoH"}
            told = activity.args.get("memcpy_details", "")
            word = " pageable" if "pageable" in told else " pinned" if "pinned" in told else ""
            call = activity.launch.name if activity.launch else ""
            found = next(filter(None, (re.search("[HDP]2[HDP]|(Device|Host)To(Device|Host)|[HD]to[HD]", name) for name in (activity.name, call))), None)
            return (where[found[0]] if found else activity.name.split(".")[0]) + word, "", None
        return activity.name.split("(")[0], "", None

    def wait(self, step=None):
        if self.processor == "tpu":
            self.activities, kept = [], self.activities
            rows = super().wait(step)
            self.activities = kept
            return rows
        return super().wait(step)
