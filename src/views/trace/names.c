// SPDX-License-Identifier: Apache-2.0
/* views/trace/names.c: what the name of a span tells about its work: the words of PyTorch, TensorFlow, JAX and of kernel
 * libraries, in one place. */
#include "model/span_names.h"
#include "model/tables/types.h"
#include "views/trace/facts.h"

typedef struct word {
    const char *text;
    unsigned says;
} word;

/* clang-format off */
static const word exact[] = {
    { "aten::_to_copy", TFP_NAME_CASTS },   { "aten::to", TFP_NAME_CASTS },
    { "Cast", TFP_NAME_CASTS },             { "convert_element_type", TFP_NAME_CASTS },
    { "convert", TFP_NAME_CASTS },          { "wrapped_convert", TFP_NAME_CASTS },
    { "aten::contiguous", TFP_NAME_MOVES }, { "aten::clone", TFP_NAME_MOVES },
    { "Transpose", TFP_NAME_MOVES },        { "transpose", TFP_NAME_MOVES },
    { "wrapped_transpose", TFP_NAME_MOVES },
    { "aten::copy_", TFP_NAME_COPIES },
    { "aten::mm", TFP_NAME_PRODUCT },       { "aten::addmm", TFP_NAME_PRODUCT },
    { "aten::bmm", TFP_NAME_PRODUCT },      { "aten::baddbmm", TFP_NAME_PRODUCT },
    { "aten::linear", TFP_NAME_PRODUCT },   { "dot_general", TFP_NAME_PRODUCT },
    { "MatMul", TFP_NAME_PRODUCT },
};
static const word beginnings[] = {
    { "cudaMalloc", TFP_NAME_ALLOCATES }, { "cudaFree", TFP_NAME_ALLOCATES },
    { "hipMalloc", TFP_NAME_ALLOCATES },  { "hipFree", TFP_NAME_ALLOCATES },
    { "cuMemAlloc", TFP_NAME_ALLOCATES }, { "cuMemFree", TFP_NAME_ALLOCATES },
    /* mapping of memory, used by PyTorch's expandable segments */
    { "cuMemCreate", TFP_NAME_ALLOCATES }, { "cuMemRelease", TFP_NAME_ALLOCATES },
    { "cuMemMap", TFP_NAME_ALLOCATES },    { "cuMemUnmap", TFP_NAME_ALLOCATES },
    { "cuMemSetAccess", TFP_NAME_ALLOCATES },
    { "Optimizer.step", TFP_NAME_OPTIMIZER },
    { "aten::", TFP_NAME_TORCH },         { "nn.Module: ", TFP_NAME_TORCH },  { TFP_PROFILER_STEP, TFP_NAME_TORCH },
    /* prefix of a module's name */
    { "PjitFunction", TFP_NAME_JAX },     { "PjRtCpuExecutable", TFP_NAME_JAX }, { "jit_", TFP_NAME_JAX },
    { "EagerLocalExecute", TFP_NAME_TENSORFLOW }, { "EagerExecute", TFP_NAME_TENSORFLOW },
    { "ExecutorState::", TFP_NAME_TENSORFLOW },   { "FunctionRun", TFP_NAME_TENSORFLOW },
    { "SessionRun", TFP_NAME_TENSORFLOW },
    { "Activity Buffer Request", TFP_NAME_PROFILER }, { "Buffer Flush", TFP_NAME_PROFILER },
    { "<built-in method _disable_profiler", TFP_NAME_PROFILER }, { "<built-in method _enable_profiler", TFP_NAME_PROFILER },
};
/* Python functions in which a profiler does its own work, by the end of their file; function NULL: all of the file.
 * Functions that wrap user code are not among them. */
static const struct {
    const char *file, *function;
} own_frames[] = {
    { "torch/profiler/profiler.py", NULL }, { "torch/autograd/profiler.py", NULL },
    { "profiler.py", "start_trace" },       { "profiler.py", "stop_trace" },
    { "profiler.py", "trace" }, /* begin and end of JAX's context manager */
    { "profiler_v2.py", NULL },
};
static const word parts[] = {
    { "nchwToNhwc", TFP_NAME_TRANSPOSES },        { "nhwcToNchw", TFP_NAME_TRANSPOSES },
    /* products in single precision on the ordinary cores that every device has */
    { "sgemm", TFP_NAME_PLAIN | TFP_NAME_TILES }, { "scudnn", TFP_NAME_PLAIN | TFP_NAME_TILES },
    { "f32f32_f32f32", TFP_NAME_PLAIN | TFP_NAME_TILES },
    /* rocBLAS: layouts, then S for single precision */
    { "Cijk_Ailk_Bljk_S", TFP_NAME_PLAIN }, { "Cijk_Alik_Bljk_S", TFP_NAME_PLAIN },
    { "Cijk_Ailk_Bjlk_S", TFP_NAME_PLAIN }, { "Cijk_Alik_Bjlk_S", TFP_NAME_PLAIN },
    /* their tiles fill the registers, so few active warps are intended */
    { "gemm", TFP_NAME_TILES },     { "conv", TFP_NAME_TILES },   { "cudnn", TFP_NAME_TILES },    { "xmma", TFP_NAME_TILES },
    { "cutlass", TFP_NAME_TILES },  { "wgrad", TFP_NAME_TILES },  { "dgrad", TFP_NAME_TILES },    { "fprop", TFP_NAME_TILES },
    { "flash", TFP_NAME_TILES },    { "fmha", TFP_NAME_TILES },     { "Fmha", TFP_NAME_TILES },   { "Cijk_", TFP_NAME_TILES },
    { "f16", TFP_NAME_HALF },       { "fp16", TFP_NAME_HALF },    { "__half", TFP_NAME_HALF },    { "bfloat16", TFP_NAME_HALF },
    { "hgemm", TFP_NAME_HALF },     { "Half", TFP_NAME_HALF },
    { "multi_tensor", TFP_NAME_JOINED }, { "fused", TFP_NAME_JOINED }, { "Fused", TFP_NAME_JOINED },
};
/* clang-format on */
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The name of an XLA instruction without its number: "transpose.5", "convert_3". */
static tfp_str without_number(tfp_str name)
{
    size_t size = name.size;
    while (size && name.data[size - 1] >= '0' && name.data[size - 1] <= '9') size--;
    if (size && size < name.size && (name.data[size - 1] == '.' || name.data[size - 1] == '_'))
        size--;
    else
        return name;
    return (tfp_str){ name.data, size };
}

/* Splits "$FILE:LINE FUNCTION", a frame in XPlane, or "FILE(LINE): FUNCTION". */
static bool frame_of(tfp_str name, tfp_str *file, tfp_str *function)
{
    tfp_python_frame frame;
    if (name.size && *name.data == '$') {
        const char *colon = memchr(name.data, ':', name.size);
        const char *blank = colon ? memchr(colon, ' ', (size_t)(name.data + name.size - colon)) : NULL;
        if (!blank) return false;
        *file = (tfp_str){ name.data + 1, (size_t)(colon - name.data - 1) };
        *function = (tfp_str){ blank + 1, (size_t)(name.data + name.size - blank - 1) };
        return true;
    }
    if (!tfp_python_frame_of(name, &frame)) return false;
    *file = frame.file;
    *function = frame.function;
    return true;
}

static bool is_profilers(tfp_str name)
{
    tfp_str file, function;
    if (!tfp_str_has(name, TFP_STR("profiler")) || !frame_of(name, &file, &function)) return false;
    for (size_t i = 0; i < COUNT(own_frames); i++) {
        tfp_str end = tfp_str_of(own_frames[i].file);
        bool whole = file.size == end.size || (file.size > end.size && file.data[file.size - end.size - 1] == '/');
        if (whole && tfp_str_ends(file, end) &&
            (!own_frames[i].function || tfp_str_eq(function, tfp_str_of(own_frames[i].function))))
            return true;
    }
    return false;
}

unsigned tfp_name_says(tfp_str name)
{
    unsigned says = TFP_NAME_KNOWN;
    tfp_str base = without_number(name);
    for (size_t i = 0; i < COUNT(exact); i++)
        if (tfp_str_eq(base, tfp_str_of(exact[i].text))) says |= exact[i].says;
    for (size_t i = 0; i < COUNT(beginnings); i++)
        if (tfp_str_begins(name, tfp_str_of(beginnings[i].text))) says |= beginnings[i].says;
    for (size_t i = 0; i < COUNT(parts); i++)
        if (tfp_str_has(name, tfp_str_of(parts[i].text))) says |= parts[i].says;
    if (is_profilers(name)) says |= TFP_NAME_PROFILER;
    if (tfp_compiles(name)) says |= TFP_NAME_COMPILES;
    if (tfp_class_of_call(name) == TFP_CLASS_COPY) says |= TFP_NAME_COPY_CALL;
    if (tfp_is_host_collective(name)) says |= TFP_NAME_COMMUNICATES;
    if (tfp_str_has(name, TFP_STR("Async")) || tfp_str_has(name, TFP_STR("Host")))
        says &= ~(unsigned)TFP_NAME_ALLOCATES;
    return says;
}
