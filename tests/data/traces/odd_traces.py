#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small traces of PyTorch into sample/odd_traces, whose numbers can be worked out by hand (Python alone).
frames.json: Python frames and an annotation that cross operators, as torch.compile's do with stacks.
whole.json: whole microseconds, where what sticks out by one is inside its neighbour, or only beside it.
communication.json: kernels that communicate, by the names of their libraries, and some whose names only look so.
gloo.json: a trace of a CPU; its communication runs in threads and calls of PyTorch's own.
mtia.json, xpu.json, ascend.json: as Kineto and Huawei's profiler write other vendors' devices. unknown.json: a device of nobody.
numbered_calls.json, execution_shifted.json, execution_other_run.json: a trace and execution traces with other numbers or names.
nccl_ranges.json, nccl_plugin.json: collectives of old PyTorch, and of NCCL's own profiler.
rocm.json, legacy_arrows.json: activities without correlations, whose launches arrows and numbers tell.
chain.json: four hundred spans, each of which sticks out of the one before by one microsecond.
slow_steps.json: four steps; the third one's collective takes longer than the others', and the fourth one's wait."""
import json
import os

DATA = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def span(category, name, place, start, duration, **args):
    event = {"ph": "X", "cat": category, "name": name, "pid": place[0], "tid": place[1], "ts": start, "dur": duration}
    if category is None:
        del event["cat"]
    if args:
        event["args"] = {k.replace("_", " "): v for k, v in args.items()}
    return event


def write(name, events, folder="odd_traces", **beside):
    folder = os.path.join(DATA, "sample", folder)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as f:
        lines = ",\n".join(json.dumps(e) for e in events)
        f.write(json.dumps({"schemaVersion": 1, **beside})[:-1] + ', "traceEvents": [\n' + lines + "\n]}\n")


HOST = (1, 1)


def frames():
    return [
        span("cpu_op", "Region", HOST, 0.5, 100),
        span("python_function", "contextlib.py(132): __enter__", HOST, 5.5, 30),
        span("python_function", "gen.py(7): next", HOST, 10.5, 150),
        span("cpu_op", "aten::mm", HOST, 20.5, 40),
        span("python_function", "model.py(3): exit", HOST, 90.5, 15),
        span("cuda_runtime", "cudaLaunchKernel", HOST, 95.5, 4, correlation=9),
        span("kernel", "gemm", (0, 7), 120.5, 30, device=0, stream=7, correlation=9),
        span("user_annotation", "range", HOST, 102.5, 90),
        span("cpu_op", "aten::add", HOST, 110.5, 20),
        span("python_function", "model.py(9): leave", HOST, 180.5, 20),
    ]


def whole():
    return [
        span("cpu_op", "a", HOST, 0, 2), span("cpu_op", "b", HOST, 1, 2), span("cpu_op", "c", HOST, 2, 2),
        span("cpu_op", "in c", HOST, 3, 1),
        span("cpu_op", "d", HOST, 10, 8), span("cpu_op", "in d", HOST, 11, 8),
    ]


def kernels(names, place=(0, 7), **args):
    """One after another: 10 us each, 1 us apart."""
    return [span("kernel", name, place, 11 * i + 0.5, 10, device=place[0], stream=place[1], **args) for i, name in enumerate(names)]


def communication():
    return kernels([
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "rccl_broadcast",
        "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*, unsigned long)",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(RankData*)", "mscclKernel_Sum_float_LL", "void nvshmemi_put_block<int>(int*)",
        "void deep_ep::intranode::dispatch<8, 768>(int4*, float*)", "void x::ep::internode::combine<(bool)0, a<2>>(int4*)",
        "void tensorrt_llm::kernels::moeA2ADispatchKernel<4>(int)", "EpDispatchIntraNodeKernel", "EpCombineIntraNodeKernel",
        "oneccl_allreduce_ring", "HcclAllGatherKernel", "hcom_broadcast__123_0",
        "void gemm<float>(float*)", "stepDispatcher(int)", "deep_epsilon_kernel"])


def gloo():
    worker, backward = (1, 2), (1, 3)
    return [
        span("user_annotation", "ProfilerStep#1", HOST, 0.5, 200),
        span("cpu_op", "aten::mm", HOST, 10.5, 50),
        span("cpu_op", "c10d::allreduce_", HOST, 60.5, 10),
        span("user_annotation", "gloo:all_reduce", worker, 50.5, 60,
             **{"Input Dims": [[100, 3], [], [20]], "Input type": ["float", "", "float"]}),
        span("cpu_op", "_c10d_functional::wait_tensor", HOST, 90.5, 20),
        span("user_annotation", "mpi:send", HOST, 120.5, 5),
        span("user_annotation", "loss", HOST, 130.5, 20),
        span("cpu_op", "aten::add", backward, 140.5, 10),
    ]


def mtia():
    device = (17, 3570)
    return [
        span("cpu_op", "aten::linear", HOST, 0.5, 50),
        span("mtia_runtime", "runFunction - job_prep_and_submit_for_execution", HOST, 5.5, 10, correlation=7, device=17, stream_id="102"),
        span("mtia_runtime", "synchronizeStream", HOST, 60.5, 100),
        span("mtia_runtime", "synchronize", HOST, 61.5, 98),
        span("mtia_ccp_events", "dma_request", device, 70.5, 20, correlation=6, stream=102, direction="HOST_TO_DEVICE", size=4096),
        span("mtia_ccp_events", "pe_exe", device, 100.5, 40, correlation=7, stream=102),
        span("mtia_insight", "counter", device, 100.5, 40, stream=102),
    ]


def xpu():
    device = (0, 3)
    queue = {"device": 0, "sycl queue": 5}
    return [
        span("cpu_op", "aten::mm", HOST, 0.5, 30),
        span("xpu_runtime", "urEnqueueKernelLaunch", HOST, 5.5, 10, correlation=1),
        span("xpu_runtime", "urQueueFinish", HOST, 40.5, 60, correlation=3),
        span("xpu_sync", "zeCommandQueueSynchronize", (-1, 1), 45.5, 50, correlation=3, Type="HOST_COMMAND_QUEUE"),
        span("kernel", "gemm_kernel", device, 20.5, 30, correlation=1, **queue),
        span("gpu_memcpy", "Memcpy M2D (Memory -> Device)", device, 50.5, 4, bytes=4000, **queue),
        span("gpu_memcpy", "Memcpy D2M (Device -> Memory)", device, 60.5, 8, bytes=8000, **queue),
        span("xpu_memset", "Memset (0 -> Device)", device, 70.5, 2, bytes=16, **queue),
    ]


def ascend():
    hardware, host = (800, 3), (9, 9)
    return [
        span(None, "AscendCL@aclnnMm", host, 10.5, 5, connection_id=8),
        span(None, "aclnnMm_MatMulCommon_MatMulV2", hardware, 20.5, 30, Stream_Id=3),
        span(None, "MEMCPY_ASYNC", hardware, 50.5, 5, Stream_Id=3),
        span(None, "hcom_allReduce__906_0", hardware, 60.5, 15, Stream_Id=3),
        {"name": "process_name", "pid": 800, "tid": 0, "args": {"name": "Ascend Hardware"}, "ph": "M"},
        {"name": "thread_name", "pid": 800, "tid": 3, "args": {"name": "Stream 3"}, "ph": "M"},
        span("cpu_op", "aten::mm", HOST, 0.5, 18),
        span("cpu_op", "aclnnMm", HOST, 1.5, 9),
        span("cpu_op", "ProfilerStep#4", HOST, 0.5, 100),
        *arrow(HOST, 1.5, hardware, 20.5),
        *launch_arrow(host, 14.5, hardware, 20.5),  # from within a call of the runtime
        *launch_arrow(host, 14.5, hardware, 77.5),  # no activity begins there
        *arrow(HOST, 1.5, hardware, 50.5),
        *arrow(HOST, 7.5, hardware, 60.5),  # no operator begins there
    ]


def launches():
    """Six kernels whose launches only arrows tell, with ids that are texts, as msprof writes them."""
    hardware, host, events = (800, 3), (9, 9), []
    for k in range(6):
        events.append(span(None, f"kernel{k}", hardware, 20.5 + 10 * k, 8, Stream_Id=3))
        events += [{**e, "id": str(e["id"])} for e in launch_arrow(host, 4.5 + 10 * k, hardware, 20.5 + 10 * k)]
    return events + [{"name": "process_name", "pid": 800, "tid": 0, "args": {"name": "Ascend Hardware"}, "ph": "M"},
                     {"name": "thread_name", "pid": 800, "tid": 3, "args": {"name": "Stream 3"}, "ph": "M"}, span("cpu_op", "ProfilerStep#4", HOST, 0.5, 100)]


def arrow(start, at, end, until):
    """From an operator to its activity."""
    flow = {"cat": "async_npu", "name": "torch_to_npu", "id": round(until * 1000), "bp": "e"}
    return [{**flow, "ph": "s", "pid": start[0], "tid": start[1], "ts": at}, {**flow, "ph": "f", "pid": end[0], "tid": end[1], "ts": until}]


def launch_arrow(start, at, end, until):
    """From the moment of a launch to its activity. Its id may be the same as that of an operator's arrow."""
    flow = {"cat": "HostToDevice", "name": f"HostToDevice{round(until * 1000)}", "id": round(until * 1000)}
    return [{**flow, "ph": "s", "pid": start[0], "tid": start[1], "ts": at}, {**flow, "ph": "f", "pid": end[0], "tid": end[1], "ts": until, "bp": "e"}]


def rocm():
    """No correlations. `External id` counts launches, and so repeats the numbers of other operators. Arrows tell two launches; one
    number came before, and one arrow ends shortly before its kernel. The third launch has a number alone, and one kernel an
    operator's."""
    flow = {"cat": "ac2g", "name": "ac2g"}

    def begin(number, at):
        return {**flow, "ph": "s", "id": number, "pid": HOST[0], "tid": HOST[1], "ts": at}

    def end(number, at):
        return {**flow, "ph": "f", "id": number, "pid": 2, "tid": 0, "ts": at, "bp": "e"}
    return [
        span("cpu_op", "aten::mm", HOST, 0.5, 9, External_id=1),
        span("hip_runtime", "hipExtModuleLaunchKernel", HOST, 2.5, 3, External_id=3),
        span("cpu_op", "aten::relu", HOST, 10.5, 9, External_id=2),
        span("hip_runtime", "hipLaunchKernel", HOST, 12.5, 3, External_id=3),
        span("cpu_op", "aten::softmax", HOST, 20.5, 9, External_id=3),
        span("hip_runtime", "hipLaunchKernel", HOST, 22.5, 3, External_id=5),
        span("cpu_op", "aten::sum", HOST, 30.5, 9, External_id=4),
        span("kernel", "gemm", (2, 0), 8.5, 30, External_id=3), begin(3, 2.5), end(3, 8.5),
        span("kernel", "relu", (2, 0), 40.5, 20, External_id=3), begin(3, 12.5), end(3, 40.25),
        span("kernel", "softmax", (2, 0), 70.5, 10, External_id=5),
        span("kernel", "sum", (2, 0), 90.5, 5, External_id=4),
    ]


def nccl_ranges():
    """PyTorch 1.13: sizes of collectives stand in the ranges around their launches only; a gather's output is not known."""
    events = []
    for n, (name, kernel, dims) in enumerate((("all_reduce", "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)", [[1000]]),
                                              ("all_to_all", "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)", [[20, 10], [30]]),
                                              ("_all_gather_base", "ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*)", [[500]]))):
        at = 100.5 * n
        events += [span("cpu_op", "record_param_comms", HOST, at, 50, External_id=n + 1),
                   {**span("user_annotation", f"nccl:{name}", HOST, at + 5, 40), "args": {"Input Dims": dims, "Input type": ["float"] * len(dims)}},
                   span("cuda_runtime", "cudaLaunchKernelExC", HOST, at + 10, 5, correlation=n + 1)]
        events += [span("kernel", kernel, (0, 7), at + 20 + 11 * k, 10, device=0, stream=7, correlation=n + 1) for k in range(2)]
    return events


NAMES = ("aten::mm", "aten::relu", "aten::mm", "aten::add", "aten::softmax")


def numbered_calls():
    return [span("cpu_op", name, HOST, 10.5 * n, 8, External_id=n + 4) for n, name in enumerate(NAMES)]


def execution_trace(shift, names=NAMES):
    """The calls of numbered_calls, each of which takes the tensor of the one before."""
    def tensors(*ids):
        return {"values": [[i, i, 0, 16, 4, "cpu"] for i in ids], "shapes": [[4, 4]] * len(ids), "types": ["Tensor(float)"] * len(ids)}
    nodes = [{"id": n + 2, "name": name, "ctrl_deps": 1, "inputs": tensors(100 + n), "outputs": tensors(101 + n),
              "attrs": [{"name": "rf_id", "type": "uint64", "value": n + 4 + shift}]} for n, name in enumerate(names)]
    return {"schema": "1.0.1", "pid": 9, "time": "2026-01-01 00:00:00", "start_ts": 1, "nodes": nodes}


def nccl_plugin():
    """Asynchronous events of NCCL's profiler plugin."""
    event = {"name": "AllReduce", "pid": 9, "tid": 1, "id": 0}
    return [{**event, "cat": cat, "ph": ph, "ts": ts} for ph, ts in (("b", 1.5), ("e", 9.5)) for cat in ("COLL_API", "COLL")]


def legacy_arrows():
    """Arrows from operators, of PyTorch's first profiler: there are no calls."""
    flow = {"cat": "async_cpu_to_gpu", "name": "aten::mul"}
    events = []
    for n, name in enumerate(("aten::mul", "aten::add")):
        at = 20.5 * n
        events += [span("cpu_op", name, HOST, at, 9), span("kernel", "elementwise", (0, 7), at + 12, 5, device=0, stream=7),
                   {**flow, "ph": "s", "id": n, "pid": HOST[0], "tid": HOST[1], "ts": at},
                   {**flow, "ph": "f", "id": n, "pid": 0, "tid": 7, "ts": at + 12}]
    return events


def unknown():
    place = {"device": 2, "stream": 6}
    return [
        span("cpu_op", "aten::mm", HOST, 0.5, 30),
        span("tcu_runtime", "tcuLaunch", HOST, 5.5, 5, correlation=4),
        span("tcu_work", "matmul", (2, 6), 12.5, 50, correlation=4, **place),
        span("tcu_user_annotation", "step", (2, 6), 12.5, 50, **place),
        span("mine", "no device", HOST, 70.5, 10),
    ]


def replays():
    """One kernel of its own, and a graph that is launched twice, with two kernels each time."""
    device = {"device": 0, "stream": 7}
    events = [
        span("python_function", "serve.py(9): replay", HOST, 0.5, 90),
        span("cpu_op", "aten::argmax", HOST, 2.5, 6),
        span("cuda_runtime", "cudaLaunchKernel", HOST, 3.5, 3, correlation=1),
        span("kernel", "argmax", (0, 7), 10.5, 10, correlation=1, **device),
    ]
    for k in range(2):
        at = 30.5 + 30 * k
        events.append(span("cuda_runtime", "cudaGraphLaunch", HOST, at, 8, correlation=2 + k))
        events.append(span("kernel", "gemm", (0, 7), at + 10, 15, correlation=2 + k, **device))
        events.append(span("kernel", "norm", (0, 7), at + 26, 5, correlation=2 + k, **device))
    return events


def chain():
    return [span("cpu_op", f"op{i % 3}", HOST, 2 * i, 900 - i) for i in range(400)]


def slow_steps():
    events, at = [], 0
    for n, (gemm, reduce, item) in enumerate(((40, 10, 20), (40, 10, 20), (40, 70, 20), (40, 10, 200))):
        length = gemm + reduce + item + 30
        events += [
            span("user_annotation", f"ProfilerStep#{n}", HOST, at, length), span("cpu_op", "aten::mm", HOST, at + 1, 5),
            span("cuda_runtime", "cudaLaunchKernel", HOST, at + 2, 2, correlation=n + 1), span("cpu_op", "aten::item", HOST, at + 10, item),
            span("kernel", "gemm", (0, 7), at + 5, gemm, device=0, stream=7, correlation=n + 1),
            span("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", (0, 7), at + 5 + gemm, reduce, device=0, stream=7),
        ]
        at += length
    return events


def autograd():
    """torch.autograd's own export has no categories; its pids are words, and a thread of its devices is a device."""
    events = []
    for i in range(3):
        name, device = ("aten::mul", 0) if i < 2 else ("AddmmBackward", 1)
        at = {"name": name, "ts": 100 * i, "tid": 1, "pid": "CPU functions", "args": {}}
        on = {"ts": 100 * i + 30, "tid": device, "pid": "CUDA functions", "args": {}}
        arrow = {"id": i, "cat": "cpu_to_cuda"}
        events += [{**at, "ph": "X", "dur": 20}, {**at, **arrow, "ph": "s"}, {**on, **arrow, "name": name, "ph": "f"},
                   {**on, "name": "mul_kernel" if i < 2 else "gemm", "ph": "X", "dur": 5 + i}]
    return events


if __name__ == "__main__":
    write("frames", frames())
    write("whole", whole())
    write("chain", chain())
    for make in (communication, gloo, mtia, xpu, rocm, legacy_arrows, nccl_ranges, nccl_plugin, unknown, replays, slow_steps):
        write(make.__name__, make())
    write("numbered_calls", numbered_calls())
    for name, made in (("shifted", execution_trace(-3)), ("other_run", execution_trace(0, ("aten::mm", "aten::div", "aten::bmm", "aten::div", "aten::bmm")))):
        with open(os.path.join(DATA, "sample", "odd_traces", f"execution_{name}.json"), "w", encoding="utf-8") as f:
            f.write(json.dumps(made) + "\n")
    for make in (ascend, launches, autograd):
        with open(os.path.join(DATA, "sample", "odd_traces", make.__name__ + ".json"), "w", encoding="utf-8") as f:
            f.write("[" + ",\n".join(json.dumps(e) for e in make()) + "]\n")  # no object around the events
