// SPDX-License-Identifier: Apache-2.0
/* model/tracenames.c: what the names of events mean, in any writer's trace. */
#include "model/span_names.h"

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

/* Whether the words of `pattern` are at `at`, in upper or lower case; '_' between them may be missing. */
static bool words_at(const char *at, const char *end, const char *pattern)
{
    for (; *pattern; pattern++) {
        if (at < end && lower(*at) == *pattern)
            at++;
        else if (*pattern != '_')
            return false;
    }
    return true;
}

static bool has_words(tfp_str name, const char *pattern)
{
    for (const char *at = name.data, *end = at + name.size; at < end; at++)
        if (lower(*at) == *pattern && words_at(at, end, pattern)) return true;
    return false;
}

/* Names of what communicates between devices or machines, by a part of the name. */
typedef enum place { BEGINS, HOLDS, HAS_WORDS } place;
typedef struct collective {
    const char *text;
    place where;
} collective;

/* clang-format off */
static const collective kernels[] = {
    { "nccl", BEGINS },                { "rccl", BEGINS },
    { "all_reduce", HAS_WORDS },       { "all_gather", HAS_WORDS },
    { "reduce_scatter", HAS_WORDS },   { "all_to_all", HAS_WORDS },
    { "cross_device_reduce", HOLDS },  /* vLLM, SGLang */
    { "mscclKernel", HOLDS },          /* Microsoft */
    { "nvshmem", HOLDS },
    { "deep_ep::", HOLDS },            { "::ep::", HOLDS },        /* DeepEP: dispatch and combine of experts */
    { "moeA2A", HOLDS },               { "EpDispatch", HOLDS },    { "EpCombine", HOLDS },
    { "ccl_", HOLDS },                 /* oneCCL */
    { "hccl", HOLDS },                 { "Hccl", HOLDS },          { "hcom_", BEGINS }, /* Ascend */
};
static const collective ranges[] = { /* names of annotations */
    { "gloo:", BEGINS }, { "nccl:", BEGINS }, { "mpi:", BEGINS }, { "ucc:", BEGINS }, { "xccl:", BEGINS }, { "hccl:", BEGINS },
};
static const collective host_ranges[] = { /* names of backends whose data goes through hosts */
    { "gloo:", BEGINS }, { "mpi:", BEGINS },
};
static const collective ops[] = {
    { "c10d::", BEGINS }, { "_c10d_functional::", BEGINS }, { "c10d_functional::", BEGINS },
};
static const collective tensorflow[] = { /* types of operations */
    { "Collective", BEGINS },
};
/* clang-format on */

static bool is_one_of(tfp_str name, const collective *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tfp_str text = tfp_str_of(list[i].text);
        if (list[i].where == BEGINS  ? tfp_str_begins(name, text)
            : list[i].where == HOLDS ? tfp_str_has(name, text)
                                     : has_words(name, list[i].text))
            return true;
    }
    return false;
}
#define IS_ONE_OF(name, list) is_one_of(name, list, sizeof(list) / sizeof *(list))

bool tfp_is_collective_kernel(tfp_str name) { return IS_ONE_OF(name, kernels); }

bool tfp_is_collective_range(tfp_str name) { return IS_ONE_OF(name, ranges); }

bool tfp_is_host_range(tfp_str name) { return IS_ONE_OF(name, host_ranges); }

bool tfp_is_collective_op(tfp_str name) { return IS_ONE_OF(name, ops); }

tfp_span_class tfp_class_of_call(tfp_str name)
{
    if (tfp_str_has(name, TFP_STR("Memcpy"))) return TFP_CLASS_COPY;
    return tfp_str_has(name, TFP_STR("Memset")) ? TFP_CLASS_SET : TFP_CLASS_COMPUTE;
}

/* The rest of a name after a prefix; false: the name has another beginning. */
static bool behind(tfp_str name, const char *begin, tfp_str *rest)
{
    size_t size = strlen(begin);
    if (name.size < size || memcmp(name.data, begin, size) != 0) return false;
    *rest = (tfp_str){ name.data + size, name.size - size };
    return true;
}

/* Calls of other vendors: Intel's, and those of MTIA and Ascend. */
static bool is_other_vendors(tfp_str name)
{
    static const char *const names[] = { "xpu_sync", "urQueueFinish", "urEventWait" };
    tfp_str rest;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tfp_str_eq(name, tfp_str_of(names[i]))) return true;
    if (behind(name, "ze", &rest)) return tfp_str_has(rest, TFP_STR("Synchronize"));
    return tfp_str_ends(name, TFP_STR("synchronizeStream")) || tfp_str_ends(name, TFP_STR("aclrtSynchronizeStream"));
}

bool tfp_call_synchronizes(tfp_str name)
{
    static const char *const runtime[] = { "DeviceSynchronize", "StreamSynchronize", "EventSynchronize" };
    static const char *const driver[] = { "CtxSynchronize", "StreamSynchronize", "EventSynchronize" };
    tfp_str rest, tail;
    if (behind(name, "cuda", &rest) || behind(name, "hip", &rest)) {
        if (behind(rest, "Memcpy", &tail)) return !tfp_str_has(tail, TFP_STR("Async"));
        for (size_t i = 0; i < 3; i++)
            if (behind(rest, runtime[i], &tail)) return !tail.size || *tail.data == '_';
        return false;
    }
    if (!behind(name, "cu", &rest)) return is_other_vendors(name);
    for (size_t i = 0; i < 3; i++)
        if (behind(rest, driver[i], &tail)) return !tail.size || *tail.data == '_';
    return false;
}

tfp_call_meaning tfp_call_means(tfp_str name)
{
    if (tfp_call_synchronizes(name)) return tfp_class_of_call(name) == TFP_CLASS_COPY ? TFP_CALL_OTHER : TFP_CALL_WAITS;
    if (tfp_str_has(name, TFP_STR("BeginCapture"))) return TFP_CALL_BEGINS_CAPTURE;
    if (tfp_str_has(name, TFP_STR("EndCapture"))) return TFP_CALL_ENDS_CAPTURE;
    if (!tfp_str_has(name, TFP_STR("Launch"))) return TFP_CALL_OTHER;
    if (tfp_str_has(name, TFP_STR("GraphLaunch"))) return TFP_CALL_REPLAYS;
    bool kernel = tfp_str_has(name, TFP_STR("LaunchKernel")) || tfp_str_has(name, TFP_STR("KernelLaunch")) ||
                  tfp_str_has(name, TFP_STR("LaunchCooperativeKernel"));
    return kernel ? TFP_CALL_LAUNCHES : TFP_CALL_OTHER;
}

bool tfp_is_host_collective(tfp_str name)
{
    return IS_ONE_OF(name, ranges) || IS_ONE_OF(name, ops) || IS_ONE_OF(name, tensorflow);
}

/* "$FILE:LINE FUNCTION", a frame in XPlane. */
static bool xplane_frame_of(tfp_str text, tfp_python_frame *out)
{
    for (size_t i = 1; i + 1 < text.size; i++) {
        int64_t line = 0;
        size_t at = i + 1;
        if (text.data[i] != ':') continue;
        while (at < text.size && text.data[at] >= '0' && text.data[at] <= '9' && line < INT32_MAX / 10)
            line = line * 10 + (text.data[at++] - '0');
        if (at == i + 1 || at + 1 >= text.size || text.data[at] != ' ') continue;
        *out =
            (tfp_python_frame){ { text.data + 1, i - 1 }, { text.data + at + 1, text.size - at - 1 }, (int32_t)line };
        return i > 1;
    }
    return false;
}

bool tfp_python_frame_of(tfp_str text, tfp_python_frame *out)
{
    if (text.size && *text.data == '$') return xplane_frame_of(text, out);
    for (size_t i = 0; i + 1 < text.size; i++) {
        int64_t line = 0;
        size_t at = i + 1;
        if (text.data[i] != '(') continue;
        while (at < text.size && text.data[at] >= '0' && text.data[at] <= '9' && line < INT32_MAX / 10)
            line = line * 10 + (text.data[at++] - '0');
        if (at == i + 1 || text.size - at < 3 || memcmp(text.data + at, "): ", 3) != 0) continue;
        *out = (tfp_python_frame){ { text.data, i }, { text.data + at + 3, text.size - at - 3 }, (int32_t)line };
        return i > 0;
    }
    return false;
}

bool tfp_is_input_thread(tfp_str label) { return tfp_str_begins(label, TFP_STR("tf_data_")); }

bool tfp_function_called(tfp_str span, tfp_str *name)
{
    static const char *const before[] = { "EagerLocalExecute: ", "__inference_" };
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        size_t n = strlen(before[i]);
        if (!tfp_str_begins(span, tfp_str_of(before[i]))) return false;
        span = (tfp_str){ span.data + n, span.size - n };
    }
    size_t size = span.size;
    while (size && tfp_is_digit(span.data[size - 1])) size--;
    if (size > 1 && size < span.size && span.data[size - 1] == '_') span.size = size - 1;
    *name = span;
    return span.size > 0;
}

bool tfp_is_keras_step(tfp_str name)
{
    static const char *const whole[] = { "multi_step_on_iterator", "one_step_on_iterator",
                                         "one_step_on_data_distributed", "multi_step_on_data" };
    static const char *const parts[] = { "train_function", "test_function", "predict_function" };
    tfp_str make = TFP_STR("make_");
    tfp_function_called(name, &name);
    if (name.size && name.data[0] == '$') { /* "$FILE:LINE FUNCTION" is a frame */
        size_t at = name.size;
        while (name.data[at - 1] != ' ' && at > 1) at--;
        name = (tfp_str){ name.data + at, name.size - at };
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (tfp_str_eq(name, tfp_str_of(whole[i]))) return true;
    if (memchr(name.data, ' ', name.size) || tfp_str_has(name, make)) return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (tfp_str_has(name, tfp_str_of(parts[i]))) return true;
    return false;
}

/* ---- compilers ---- */

static const char *const compiling[] = { "XlaCompile",
                                         "backend_compile",
                                         "TorchDynamo",
                                         "compile_fx",
                                         "_compile.compile_inner",
                                         "create_aot_dispatcher",
                                         "CompileToLocalExecutable",
                                         "XLA compile",
                                         "CachingAutotuner.benchmark",
                                         "CachingAutotuner.coordinate_descent",
                                         "CachingAutotuner.precompile",
                                         "AsyncCompile.wait",
                                         "async_compile.precompile",
                                         "autotun" };

/* Frames: the end of the file, and the beginning of the function; an empty one is any. */
static const struct {
    const char *file, *function;
} compilers[] = {
    { "_inductor/runtime/triton_heuristics.py", "autotune" },
    { "_inductor/runtime/triton_heuristics.py", "bench" },
    { "_inductor/runtime/triton_heuristics.py", "coordinate" },
    { "_inductor/runtime/triton_heuristics.py", "precompile" },
    { "_inductor/runtime/triton_heuristics.py", "_precompile" },
    { "_inductor/select_algorithm.py", "autotune" },
    { "_inductor/select_algorithm.py", "benchmark" },
    { "_inductor/compile_fx.py", "compile_fx" },
    { "_inductor/compile_fx.py", "_compile_fx" },
    { "_inductor/async_compile.py", "wait" },
    { "_dynamo/convert_frame.py", "_compile" },
    { "_dynamo/convert_frame.py", "compile_inner" },
    { "triton/runtime/autotuner.py", "_bench" },
    { "triton/runtime/autotuner.py", "benchmark" },
    { "triton/runtime/jit.py", "_do_compile" },
    { "triton/compiler/compiler.py", "compile" },
    { "flashinfer/autotuner.py", "_profile" },
    { "compiler.py", "backend_compile" },
    { "compiler.py", "compile_or_get_cached" },
};

bool tfp_compiles(tfp_str name)
{
    tfp_python_frame frame;
    if (!tfp_python_frame_of(name, &frame)) {
        for (size_t i = 0; i < sizeof compiling / sizeof *compiling; i++)
            if (tfp_str_has(name, tfp_str_of(compiling[i]))) return true;
        return false;
    }
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
        if (tfp_str_ends(frame.file, tfp_str_of(compilers[i].file)) &&
            tfp_str_begins(frame.function, tfp_str_of(compilers[i].function)))
            return true;
    return false;
}
