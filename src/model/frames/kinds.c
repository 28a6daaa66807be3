// SPDX-License-Identifier: Apache-2.0
/* model/frames/kinds.c: the kind of a file of Python, by the first folder of its package: a framework's, a package's that launches
 * kernels for others, or the user's own. This is the one table of these packages. */
#include "model/frames/kinds.h"

#include <stdlib.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* clang-format off */
/* Packages that launch kernels for others. Sorted. */
static const char *const kernels[] = {
    "aiter", "apex", "bitsandbytes", "causal_conv1d", "cuda", "cupy", "cutlass", "deep_ep", "deep_gemm", "fbgemm_gpu", "flash_attn",
    "flash_attn_interface", "flash_mla", "flashinfer", "gemlite", "liger_kernel", "mamba_ssm", "mori", "natten", "quack",
    "sageattention", "sgl_kernel", "tilelang", "torch_guard", "torchao", "transformer_engine", "triton_kernels", "vllm_flash_attn",
    "xformers",
};
/* Of these, words that name folders of other projects too. */
static const char *const common[] = { "cuda", "mori", "natten", "quack" };
/* Engines and libraries of models: their lines are those that a user changes, or reports. Sorted. */
static const char *const engines[] = {
    "atom", "diffusers", "fairseq", "lmdeploy", "megatron", "mlc_llm", "nemo", "sglang", "tensorrt_llm", "timm", "torchtitan",
    "transformers", "vllm", "xfuser",
};
/* Packages without modules, of which PyTorch cuts the path off: a folder, since a single file of such a name is the user's. Sorted. */
static const char *const others[] = {
    "aiohttp", "anyio", "click", "cloudpickle", "datasets", "einops", "fastapi", "filelock", "fsspec", "httpx", "huggingface_hub",
    "hydra", "joblib", "loguru", "matplotlib", "msgspec", "omegaconf", "orjson", "pandas", "prometheus_client", "psutil", "pyarrow",
    "pydantic", "pydantic_core", "ray", "regex", "requests", "rich", "safetensors", "scipy", "sentencepiece", "setproctitle",
    "sklearn", "starlette", "sympy", "tensorboard", "tenacity", "tokenizers", "urllib3", "uvicorn", "uvloop", "wandb", "yaml", "zmq",
};
/* Frameworks that are known by any folder of an absolute path: built from source. Sorted. */
static const char *const anywhere[] = { "jax", "jaxlib", "numpy", "tensorflow", "torch", "triton" };
/* clang-format on */

static bool is_slash(char c) { return c == '/' || c == '\\'; }

static int by_name(const void *key, const void *name)
{
    return tfp_str_cmp(*(const tfp_str *)key, tfp_str_of(*(const char *const *)name));
}

static bool is_in(tfp_str name, const char *const *sorted, size_t count)
{
    return bsearch(&name, sorted, count, sizeof *sorted, by_name) != NULL;
}

/* Cuts the first part off a path; false at its end. */
static bool next_part(tfp_str *path, tfp_str *part)
{
    size_t end = 0;
    if (!path->size) return false;
    while (end < path->size && !is_slash(path->data[end])) end++;
    *part = (tfp_str){ path->data, end };
    end += end < path->size;
    *path = (tfp_str){ path->data + end, path->size - end };
    return true;
}

static bool is_python(tfp_str part) /* "python3.12" */
{
    tfp_str word = TFP_STR("python");
    return tfp_str_begins(part, word) && part.size > word.size && part.data[word.size] >= '2' &&
           part.data[word.size] <= '3';
}

/* The part of a path after the last folder of installed packages; the whole path if there is none. */
static tfp_str in_site(tfp_str path, bool *site)
{
    tfp_str rest = path, part, found = path;
    bool lib = false;
    *site = false;
    while (next_part(&rest, &part)) {
        bool packages = tfp_str_eq(part, TFP_STR("site-packages")) || tfp_str_eq(part, TFP_STR("dist-packages"));
        if (packages || (lib && is_python(part))) found = rest, *site = true;
        lib = tfp_str_eq(part, TFP_STR("lib"));
    }
    return found;
}

static bool is_absolute(tfp_str path)
{
    return path.size && (is_slash(*path.data) || (path.size > 2 && path.data[1] == ':' && is_slash(path.data[2])));
}

/* The first folder of a path, or its file without the ending. */
static tfp_str first_of(tfp_str path)
{
    tfp_str part = { "", 0 }, ending = TFP_STR(".py");
    next_part(&path, &part);
    if (!path.size && tfp_str_ends(part, ending)) part.size -= ending.size;
    return part;
}

tfp_str tfp_package_of(tfp_str path)
{
    bool site;
    path = in_site(path, &site);
    return site ? first_of(path) : (tfp_str){ NULL, 0 };
}

static bool is_kernels(tfp_str folder) { return is_in(folder, kernels, COUNT(kernels)); }

/* The kind that a folder gives to the files in it; false: none. */
static bool kind_of_folder(tfp_str folder, bool first, tfp_code_kind *kind)
{
    if (is_kernels(folder) && (first || !is_in(folder, common, COUNT(common))))
        return *kind = TFP_CODE_OF_KERNELS, true;
    bool framework = first ? tfp_is_framework(folder) : is_in(folder, anywhere, COUNT(anywhere));
    return framework ? *kind = TFP_CODE_OF_FRAMEWORK, true : false;
}

/* Whether an engine calls from this file what was compiled: the model's line is the one that called it. */
static bool calls_compiled(tfp_str path, bool first)
{
    tfp_str part;
    bool engine = false;
    while (next_part(&path, &part)) {
        if (engine && path.size && tfp_str_eq(part, TFP_STR("compilation"))) return true;
        engine = engine || is_in(part, engines, COUNT(engines));
        if (first && !engine) return false;
    }
    return false;
}

tfp_code_kind tfp_code_kind_of(tfp_str file)
{
    tfp_str ops = TFP_STR("_custom_ops.py"), part;
    tfp_code_kind kind;
    bool site;
    if (tfp_is_generated_file(file) || tfp_str_begins(file, TFP_STR("$"))) return TFP_CODE_OF_FRAMEWORK;
    if (tfp_str_begins(file, TFP_STR("<"))) return tfp_is_known_library(file) ? TFP_CODE_OF_FRAMEWORK : TFP_CODE_OWN;
    if (tfp_str_ends(file, ops) && (file.size == ops.size || is_slash(file.data[file.size - ops.size - 1])))
        return TFP_CODE_OF_KERNELS;
    tfp_str path = in_site(file, &site), rest = path;
    bool absolute = !site && is_absolute(file);
    if (calls_compiled(path, !absolute)) return TFP_CODE_OF_FRAMEWORK;
    if (absolute) {
        while (next_part(&rest, &part))
            if (rest.size && kind_of_folder(part, false, &kind)) return kind;
        return TFP_CODE_OWN;
    }
    tfp_str first = first_of(path);
    if (tfp_str_eq(first, TFP_STR("csrc"))) return TFP_CODE_OF_KERNELS;
    if (kind_of_folder(first, true, &kind)) return kind;
    if (is_in(first, engines, COUNT(engines))) return TFP_CODE_OWN;
    if (site) return TFP_CODE_INSTALLED;
    bool folder = next_part(&rest, &part) && rest.size;
    return folder && is_in(first, others, COUNT(others)) ? TFP_CODE_OF_FRAMEWORK : TFP_CODE_OWN;
}

bool tfp_is_library_file(tfp_str file) { return tfp_code_kind_of(file) != TFP_CODE_OWN; }
