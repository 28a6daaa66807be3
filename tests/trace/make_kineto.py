# SPDX-License-Identifier: Apache-2.0
"""Generates PyTorch traces for random_traces.py from a seed."""
import json
import random


class Maker:
    """Generates one trace: threads of nested spans, launches, streams, steps, and irregularities of recorded
    files."""
    NAMES = ["aten::mm", "aten::linear", "aten::addmm", "aten::copy_", "aten::item", "aten::_local_scalar_dense", "a/b", "x,\"y\"",
             "Optimizer.step#SGD.step", "autograd::engine::evaluate_function: MmBackward0", "MmBackward0", "é😀", "c10d::allreduce_"]
    ANNOTATIONS = ["## forward ##", "loss", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "a/b", "nccl:all_reduce", "gloo:all_reduce"]
    CALLS = ["cudaLaunchKernel", "cudaMemcpyAsync", "cudaMemcpy", "cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaMalloc",
             "hipLaunchKernel", "cudaEventSynchronize", "cudaMemcpyToSymbol", "cudaGraphLaunch", "urQueueFinish", "synchronizeStream"]
    KERNELS = ["gemm<float>(float*)", "elementwise", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", "rccl_gather", "my_AllGather_k",
               "cross_device_reduce_1stage<float>(x)", "softmax", "ReduceScatterThing", "layer_norm(int, x)", "mscclKernel_Sum_float_LL",
               "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)", "hcom_broadcast__1",
               "void deep_ep::intranode::dispatch<8, 768>(int4*)", "dpsk::ep::internode::combine<a<b, 1>, 2>()", "nvshmemi_put<int>",
               "moeA2ADispatch", "oneccl_allgatherv", "EpCombineKernel", "stepDispatcher"]
    COPIES = ["Memcpy HtoD (Pageable -> Device)", "Memcpy DtoH (Device -> Pinned)", "Memcpy DtoD (Device -> Device)", "Memcpy PtoP (Device -> Device)",
              "Memcpy M2D (Memory -> Device)", "Memcpy D2M (Device -> Memory)"]
    VENDORS = {  # the category names for a device's activities and calls
        None: ("kernel", "gpu_memcpy", "gpu_memset", "cuda_runtime"),
        "old": ("Kernel", "Memcpy", "Memset", "Runtime"),
        "xpu": ("xpu_kernel", "xpu_memcpy", "xpu_memset", "xpu_runtime"),
        "mtia": ("mtia_ccp_events", "mtia_ccp_events", "mtia_ccp_events", "mtia_runtime"),
        "unknown": ("tcu_work", "tcu_work", "tcu_work", "tcu_driver"),
    }

    def __init__(self, number):
        self.random = random.Random(number)
        self.events, self.correlation, self.external = [], 0, 0
        self.whole = self.random.random() < 0.3
        self.sequence = 0
        self.calls, self.sequences = [], []
        self.frames = self.random.random() < 0.5
        self.devices = self.random.choice([1, 1, 1, 2])
        self.old = self.random.random() < 0.15
        self.vendor = "old" if self.old else self.random.choice([None, None, None, None, "xpu", "mtia", "unknown"])
        self.clock = self.random.choice([0, 1000, 1670000000000000])

    def micros(self, nanos):
        if self.whole:
            return self.clock + nanos // 1000
        text = f"{self.clock + nanos // 1000}.{nanos % 1000:03d}"
        return Number(text)

    def span(self, category, name, thread, start, end, args=None, pid=7):
        if self.whole:
            start, end = start // 1000 * 1000, end // 1000 * 1000
        event = {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": thread, "ts": self.micros(start),
                 "dur": (end - start) // 1000 if self.whole else Number(f"{(end - start) // 1000}.{(end - start) % 1000:03d}")}
        if end == start and self.random.random() < 0.3:
            del event["dur"]
        if args is not None:
            event["args"] = args
        self.events.append(event)
        return event

    def host(self, thread, start, end, depth):
        r = self.random
        at = start
        while at < end and len(self.events) < 160:
            at += r.choice([0, 0, 1, 500, 1000, 3000])
            stop = min(end, at + r.choice([0, 1, 999, 1000, 2500, 10000, 40000, end - start]))
            if at > stop:
                break
            kind = r.choice(["op", "op", "op", "op", "api", "annotation", "module", "frame", "other"])
            if kind in ("module", "frame") and not self.frames:
                kind = "op"
            self.external += 1
            args = {"External id": self.external}
            if kind == "op":
                name = r.choice(self.NAMES)
                if r.random() < 0.3:
                    self.sequence += 1
                    self.sequences.append(self.sequence)
                    args.update({"Sequence number": self.sequence, "Fwd thread id": 0})
                elif r.random() < 0.2 and self.sequences:
                    args.update({"Sequence number": r.choice(self.sequences + [99999]), "Fwd thread id": 1})
                if r.random() < 0.05:
                    args.update({"Collective name": r.choice(["allreduce", "_allgather_base", "broadcast"]), "Group size": r.choice([2, 8]),
                                 "In msg nelems": r.randrange(1, 9999), "Out msg nelems": r.randrange(1, 99999), "dtype": "Float",
                                 "Process Group Name": r.choice(["0", "dp"])})
                self.span("Operator" if self.old else "cpu_op", name, thread, at, stop, args)
            elif kind == "api":
                self.correlation += 1
                self.calls.append((self.correlation, at, stop, self.external))
                args["correlation"] = self.correlation
                self.span((self.VENDORS[self.vendor][3] if self.vendor else r.choice(["cuda_runtime", "cuda_runtime", "cuda_driver"])), r.choice(self.CALLS), thread, at, stop, args)
            elif kind == "annotation":
                self.span("user_annotation", r.choice(self.ANNOTATIONS), thread, at, stop, args)
            elif kind == "module":
                self.span("python_function", f"nn.Module: {r.choice(['Net', 'Linear'])}_{r.randrange(2)}", thread, at, stop, {"Python id": self.external})
            elif kind == "frame":
                self.span("python_function", r.choice(["train.py(10): main", "train.py(20): step", "torch/nn.py(5): forward", "<built-in method run of X object at 0x7f00a0>"]),
                          thread, at, stop, {"Python id": self.external})
            else:
                self.span(r.choice(["overhead", "cuda_sync", "gpu_user_annotation", "Trace"]), "other", thread, at, stop)
            if kind != "api" and depth and r.random() < 0.7:
                self.host(thread, at, stop, depth - 1)
            at = stop
            if r.random() < 0.3:
                break

    def allocations(self, end):
        r = self.random
        for n in range(r.choice([0, 0, 5, 30])):
            self.events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 7, "tid": r.choice([100, 200, 300]),
                                "ts": self.micros(r.randrange(end) // 500 * 500),
                                "args": {"Bytes": r.choice([-1, 1]) * r.randrange(1 << 20), "Addr": n, "Device Type": r.randrange(2), "Device Id": 0}})

    def stick_out(self):
        """A child ends after its parent, by less or more than the tolerance."""
        for event in self.random.sample(self.events, min(3, len(self.events))):
            if "dur" in event and isinstance(event["dur"], int):
                event["dur"] += self.random.choice([1, 1, 5])

    def cross(self):
        """Frames and annotations end after the spans around them: generators, and ranges that one call begins and another
        ends."""
        ranges = [e for e in self.events if e["cat"] in ("python_function", "user_annotation") and "dur" in e]
        for event in self.random.sample(ranges, min(self.random.choice([0, 4, 12]), len(ranges))):
            more = self.random.choice([1000, 2000, 30000, 200000])
            nanos = round(float(event["dur"]) * 1000) + more
            event["dur"] = nanos // 1000 if self.whole else Number(f"{nanos // 1000}.{nanos % 1000:03d}")

    def streams(self):
        r = self.random
        categories = dict(zip(("kernel", "gpu_memcpy", "gpu_memset"), self.VENDORS[self.vendor]))
        free = {}
        for correlation, start, stop, external in self.calls:
            for _ in range(r.choice([0, 1, 1, 1, 3])):
                category = r.choice(["kernel", "kernel", "kernel", "gpu_memcpy", "gpu_memset"])
                device, stream = r.randrange(self.devices), r.choice([7, 7, 20])
                at = max(free.get((device, stream), 0), start + r.choice([-2000, 0, 1000, 5000, 60000]), 0)
                if r.random() < 0.1:
                    at = max(0, at - 700)
                end = at + r.choice([0, 1, 800, 2000, 15000, 50000])
                free[device, stream] = end
                args = {"device": device, "stream": stream, "correlation": correlation, "External id": external}
                name = r.choice(self.KERNELS)
                if category == "gpu_memcpy":
                    name, args["bytes"] = r.choice(self.COPIES), r.randrange(1 << 20)
                elif category == "gpu_memset":
                    name, args["bytes"] = "Memset (Device)", r.randrange(1 << 16)
                else:
                    if r.random() < 0.6:
                        args["est. achieved occupancy %"] = r.randrange(101)
                    if "nccl" in name and r.random() < 0.5:
                        args.update({"Collective name": r.choice(["allreduce", "reduce_scatter_tensor", "all_to_allv"]), "Group size": 4,
                                     "In msg nelems": r.randrange(1, 99999), "Out msg nelems": r.randrange(1, 9999),
                                     "dtype": r.choice(["Float", "Half", "BFloat16", "Long"]), "Process Group Name": "0"})
                if r.random() < 0.05:
                    del args["correlation"]
                elif r.random() < 0.05:
                    args["correlation"] = r.choice([0, 100000])
                if r.random() < 0.05:
                    del args["External id"]
                if self.vendor in ("xpu", "unknown") and correlation % 2:
                    args["queue"] = args.pop("stream")
                elif self.vendor == "xpu":
                    args["sycl queue"] = args.pop("stream")
                if self.vendor == "mtia" and category == "gpu_memcpy":
                    name = "dma_request"
                    args.update({"direction": r.choice(["HOST_TO_DEVICE", "DEVICE_TO_HOST"]), "size": args.pop("bytes")})
                self.span(categories[category], name, stream, at, end, args, pid=device)

    def arrows(self):
        """A process that represents a device, as in Huawei's profiles: arrows connect operators with the activities
        that they launched."""
        r = random.Random(self.calls.__repr__())
        ops = [e for e in self.events if e["cat"] in ("cpu_op", "Operator")]
        if not ops or r.random() > 0.2:
            return []
        at = 0
        for n in range(r.choice([1, 4, 12])):
            at += r.choice([0, 1000, 5000]) + 1000
            end = at + r.choice([0, 1000, 4000])
            self.span("", r.choice(["aclnnMm_MatMul", "MEMCPY_ASYNC", "hcom_allReduce_0"]), 3, at, end, pid=800)
            op = r.choice(ops)
            if r.random() < 0.8:
                flow = {"cat": "async_npu", "name": "torch_to_npu", "id": n}
                self.events.append({**flow, "ph": "s", "pid": op["pid"], "tid": op["tid"], "ts": op["ts"]})
                self.events.append({**flow, "ph": "f", "pid": 800, "tid": 3, "ts": self.micros(at)})
            at = end
        return [{"ph": "M", "name": "process_name", "pid": 800, "tid": 0, "ts": self.micros(0), "args": {"name": "Ascend Hardware"}}]

    def without_correlations(self):
        """ROCm's old layout: the launch and its activities share no correlation, only an `External id` that counts launches,
        and often an arrow. Those numbers repeat the numbers of operators."""
        r = random.Random(len(self.events))
        if self.vendor or r.random() > 0.3:
            return
        drawn, number, begins = r.random() < 0.7, {}, {}
        keep = r.random() < 0.3  # an `External id` that is the operator's, which several launches may share
        for event in list(self.events):
            args = event.get("args", {})
            if event["cat"].endswith(("_runtime", "_driver")) and args.get("correlation"):
                number[args["correlation"]] = len(number) + 1
                begins[args.pop("correlation")] = event
                args["External id"] = args["External id"] if keep else len(number)
        for event in list(self.events):
            args = event.get("args", {})
            if event["cat"] not in ("kernel", "gpu_memcpy", "gpu_memset"):
                continue
            begin = args.pop("correlation", 0)
            if begin not in begins:
                continue
            if "External id" in args:
                args["External id"] = begins[begin]["args"]["External id"]
            flow = {"cat": "ac2g", "name": "ac2g", "id": number[begin]}
            if drawn and r.random() < 0.9:
                self.events.append({**flow, "ph": "s", "pid": begins[begin]["pid"], "tid": begins[begin]["tid"], "ts": begins[begin]["ts"]})
                self.events.append({**flow, "ph": "f", "pid": event["pid"], "tid": event["tid"], "ts": event["ts"], "bp": "e"})

    def document(self):
        r = self.random
        at, total = 0, 0
        steps = r.choice(["marked", "marked", "marked", "optimizer", "none"])
        for n in range(r.choice([1, 2, 3])):
            begin = at
            for thread in [100, 200][:r.choice([1, 1, 2])]:
                self.host(thread, begin, begin + r.choice([20000, 100000, 300000]), 4)
            at = begin + r.choice([50000, 150000, 350000])
            if steps == "marked":
                self.span("user_annotation", f"ProfilerStep#{n + 2}", 100, begin, at + r.choice([0, 0, 0, -500, 2000]), {"External id": 0})
            elif steps == "optimizer":
                self.span("user_annotation", "Optimizer.step#Adam.step", 100, max(begin, at - 5000), at)
            total = at
        if self.whole:
            self.stick_out()
        self.cross()
        self.streams()
        self.without_correlations()
        hardware = self.arrows()
        self.allocations(total)
        if r.random() < 0.5:
            r.shuffle(self.events)
        extra = [{"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "ts": self.micros(0), "args": {"name": "python"}},
                 {"ph": "i", "s": "t", "name": "Record Window End", "pid": "Traces", "tid": "x", "ts": self.micros(total)}]
        return {"schemaVersion": 1, "displayTimeUnit": "ms", "baseTimeNanoseconds": 1600000000000000000, "traceEvents": extra + hardware + self.events}


class Number(float):
    """A float that keeps its digits in the JSON."""
    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __repr__(self):
        return self.text


def write(document, path):
    """json.dumps would write the shortest digits of the nearest double, but the digits here must be
    exact."""
    def text(value):
        if isinstance(value, Number):
            return value.text
        if isinstance(value, dict):
            return "{" + ", ".join(json.dumps(k) + ": " + text(v) for k, v in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ",\n".join(text(v) for v in value) + "]"
        return json.dumps(value)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text(document))
