// SPDX-License-Identifier: Apache-2.0
/* views/trace_names.c: what the name of a span says of its work: the words of PyTorch, TensorFlow, JAX and of the libraries of
 * kernels, in one place. */
#include "views/trace_facts.h"

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
    /* memory that is mapped, as PyTorch's expandable segments are */
    { "cuMemCreate", TFP_NAME_ALLOCATES }, { "cuMemRelease", TFP_NAME_ALLOCATES },
    { "cuMemMap", TFP_NAME_ALLOCATES },    { "cuMemUnmap", TFP_NAME_ALLOCATES },
    { "cuMemSetAccess", TFP_NAME_ALLOCATES },
    { "Optimizer.step", TFP_NAME_OPTIMIZER },
    { "aten::", TFP_NAME_TORCH },         { "nn.Module: ", TFP_NAME_TORCH },  { "ProfilerStep#", TFP_NAME_TORCH },
    { "PjitFunction", TFP_NAME_JAX },     { "PjRtCpuExecutable", TFP_NAME_JAX }, { "jit_", TFP_NAME_JAX }, /* a module */
    { "EagerLocalExecute", TFP_NAME_TENSORFLOW }, { "EagerExecute", TFP_NAME_TENSORFLOW },
    { "ExecutorState::", TFP_NAME_TENSORFLOW },   { "FunctionRun", TFP_NAME_TENSORFLOW },
    { "SessionRun", TFP_NAME_TENSORFLOW },
};
static const word parts[] = {
    { "XlaCompile", TFP_NAME_COMPILES },          { "backend_compile", TFP_NAME_COMPILES },
    { "TorchDynamo", TFP_NAME_COMPILES },         { "compile_fx", TFP_NAME_COMPILES },
    { "_compile.compile_inner", TFP_NAME_COMPILES }, { "create_aot_dispatcher", TFP_NAME_COMPILES },
    { "CompileToLocalExecutable", TFP_NAME_COMPILES }, { "XLA compile", TFP_NAME_COMPILES },
    { "nchwToNhwc", TFP_NAME_TRANSPOSES },        { "nhwcToNchw", TFP_NAME_TRANSPOSES },
    /* products in single precision, by the cores that every device has */
    { "sgemm", TFP_NAME_PLAIN | TFP_NAME_TILES },
    /* their tiles fill the registers: few warps at once are how they are meant to run */
    { "gemm", TFP_NAME_TILES },     { "conv", TFP_NAME_TILES },   { "cudnn", TFP_NAME_TILES },    { "xmma", TFP_NAME_TILES },
    { "cutlass", TFP_NAME_TILES },  { "wgrad", TFP_NAME_TILES },  { "dgrad", TFP_NAME_TILES },    { "fprop", TFP_NAME_TILES },
    { "flash", TFP_NAME_TILES },    { "fmha", TFP_NAME_TILES },   { "Cijk_", TFP_NAME_TILES },
    { "f16", TFP_NAME_HALF },       { "fp16", TFP_NAME_HALF },    { "__half", TFP_NAME_HALF },    { "bfloat16", TFP_NAME_HALF },
    { "hgemm", TFP_NAME_HALF },     { "Half", TFP_NAME_HALF },
    { "multi_tensor", TFP_NAME_JOINED }, { "fused", TFP_NAME_JOINED }, { "Fused", TFP_NAME_JOINED },
};
/* clang-format on */
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* An instruction of XLA without its number: "transpose.5", "convert_3". */
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
    if (tfp_str_has(name, TFP_STR("Async")) || tfp_str_has(name, TFP_STR("Host")))
        says &= ~(unsigned)TFP_NAME_ALLOCATES;
    return says;
}
