// SPDX-License-Identifier: Apache-2.0
/* model/frames/libraries.c: packages of Python, of frameworks, and others that serve no model, by name; files that a compiler
 * generated. */
#include "model/frames/kinds.h"

#include <stdlib.h>

/* clang-format off */
/* Packages of frameworks, and of others without modules. PyTorch removes Python's search path from the file names of its frames, so they begin with
 * the package. The list also has the modules of Python's library that torch itself imports; a user's file with such a
 * name would have prevented torch from starting. Sorted. */
static const char *const packages[] = {
    "PIL", "__future__", "_collections_abc", "_weakrefset", "abc", "accelerate", "argparse", "ast", "asyncio", "base64", "bisect", "calendar",
    "codecs", "collections", "concurrent", "contextlib", "copy", "copyreg", "csv", "ctypes", "dataclasses", "datetime", "difflib", "dis",
    "email", "encodings", "enum", "flax", "fnmatch", "functools", "functorch", "genericpath", "gettext", "glob", "gzip", "hashlib",
    "heapq", "http", "importlib", "inspect", "io", "ipaddress", "jax", "jaxlib", "json", "keras", "keyword", "lightning", "linecache",
    "locale", "logging", "lzma", "multiprocessing", "ntpath", "numbers", "numpy", "opcode", "operator", "optax", "os", "pathlib",
    "pickle", "pickletools", "pkgutil", "platform", "posixpath", "pprint", "pytorch_lightning", "queue", "random", "re", "reprlib",
    "runpy", "selectors", "shutil", "signal", "socket", "ssl", "stat", "string", "struct", "subprocess", "tarfile", "tempfile",
    "tensorflow", "textwrap", "threading", "tokenize", "torch", "torchaudio", "torchvision", "tqdm", "traceback", "triton", "types",
    "typing", "unittest", "urllib", "uuid", "warnings", "weakref", "zipfile",
};
/* Files of frameworks whose names XPlane has without folders; names that users give their files, such as trainer.py, are none. Sorted. */
static const struct {
    const char *file, *path;
} bare[] = {
    { "_arraypad_impl.py", "numpy/lib/_arraypad_impl.py" }, { "_dtype.py", "numpy/_core/_dtype.py" },
    { "_function_base_impl.py", "numpy/lib/_function_base_impl.py" }, { "_methods.py", "numpy/_core/_methods.py" },
    { "_shape_base_impl.py", "numpy/lib/_shape_base_impl.py" },
    { "_ufunc_config.py", "numpy/_core/_ufunc_config.py" }, { "abstract_arrays.py", "jax/_src/abstract_arrays.py" },
    { "ad.py", "jax/_src/ad.py" }, { "ad_util.py", "jax/_src/ad_util.py" }, { "api.py", "jax/_src/api.py" },
    { "api_util.py", "jax/_src/api_util.py" }, { "array.py", "jax/_src/array.py" },
    { "array_constructors.py", "jax/_src/numpy/array_constructors.py" },
    { "array_creation.py", "jax/_src/numpy/array_creation.py" },
    { "array_data_adapter.py", "keras/src/array_data_adapter.py" },
    { "array_methods.py", "jax/_src/numpy/array_methods.py" }, { "array_ops.py", "tensorflow/python/array_ops.py" },
    { "array_slicing.py", "keras/src/array_slicing.py" }, { "arrayprint.py", "numpy/_core/arrayprint.py" },
    { "atomic_function.py", "tensorflow/python/atomic_function.py" },
    { "autograph_util.py", "tensorflow/python/autograph_util.py" },
    { "backend_utils.py", "keras/src/backend_utils.py" }, { "basearray.py", "jax/_src/basearray.py" },
    { "batching.py", "jax/_src/interpreters/batching.py" }, { "cache_key.py", "jax/_src/cache_key.py" },
    { "callback_list.py", "keras/src/callback_list.py" }, { "compilation_cache.py", "jax/_src/compilation_cache.py" },
    { "compile_utils.py", "keras/src/compile_utils.py" }, { "compiler.py", "jax/_src/compiler.py" },
    { "concrete_function.py", "tensorflow/python/concrete_function.py" },
    { "constant_op.py", "tensorflow/python/constant_op.py" }, { "context.py", "tensorflow/python/context.py" },
    { "control_flow.py", "jax/_src/lax/control_flow.py" }, { "convolution.py", "jax/_src/lax/convolution.py" },
    { "core.py", "jax/_src/core.py" }, { "custom_derivatives.py", "jax/_src/custom_derivatives.py" },
    { "data_adapter_utils.py", "keras/src/data_adapter_utils.py" },
    { "data_handler.py", "keras/src/data_handler.py" }, { "dataset_ops.py", "tensorflow/python/dataset_ops.py" },
    { "def_function.py", "tensorflow/python/def_function.py" },
    { "default_types.py", "tensorflow/python/default_types.py" }, { "dispatch.py", "jax/_src/dispatch.py" },
    { "distribution_lib.py", "keras/src/distribution_lib.py" }, { "dtypes.py", "jax/_src/dtypes.py" },
    { "earray.py", "jax/_src/earray.py" }, { "effects.py", "jax/_src/effects.py" },
    { "epoch_iterator.py", "keras/src/epoch_iterator.py" }, { "execute.py", "tensorflow/python/execute.py" },
    { "export.py", "jax/_src/export.py" }, { "fromnumeric.py", "numpy/_core/fromnumeric.py" },
    { "frozen_dict.py", "flax/core/frozen_dict.py" }, { "func_graph.py", "tensorflow/python/func_graph.py" },
    { "function_cache.py", "tensorflow/python/function_cache.py" },
    { "function_type_utils.py", "tensorflow/python/function_type_utils.py" },
    { "gen_dataset_ops.py", "tensorflow/python/gen_dataset_ops.py" },
    { "gen_math_ops.py", "tensorflow/python/gen_math_ops.py" }, { "global_state.py", "keras/src/global_state.py" },
    { "indexing.py", "jax/_src/numpy/indexing.py" }, { "iterator_ops.py", "tensorflow/python/iterator_ops.py" },
    { "jax_utils.py", "keras/src/jax_utils.py" }, { "keras_tensor.py", "keras/src/keras_tensor.py" },
    { "lax.py", "jax/_src/lax/lax.py" }, { "lax_numpy.py", "jax/_src/numpy/lax_numpy.py" },
    { "layout.py", "jax/_src/layout.py" }, { "linear_util.py", "jax/_src/linear_util.py" },
    { "literals.py", "jax/_src/literals.py" }, { "lru_cache.py", "jax/_src/lru_cache.py" },
    { "math_ops.py", "tensorflow/python/math_ops.py" }, { "mesh.py", "jax/_src/mesh.py" },
    { "mlir.py", "jax/_src/interpreters/mlir.py" }, { "monitoring.py", "jax/_src/monitoring.py" },
    { "monomorphic_function.py", "tensorflow/python/monomorphic_function.py" },
    { "multiarray.py", "numpy/_core/multiarray.py" }, { "name_scope.py", "keras/src/name_scope.py" },
    { "named_sharding.py", "jax/_src/named_sharding.py" }, { "nest.py", "tensorflow/python/nest.py" },
    { "nest_util.py", "tensorflow/python/nest_util.py" }, { "numeric.py", "numpy/_core/numeric.py" },
    { "numerictypes.py", "numpy/_core/numerictypes.py" }, { "op_shardings.py", "jax/_src/op_shardings.py" },
    { "operation.py", "keras/src/operation.py" }, { "ops.py", "tensorflow/python/ops.py" },
    { "optree_impl.py", "keras/src/optree_impl.py" }, { "overrides.py", "numpy/_core/overrides.py" },
    { "partial_eval.py", "jax/_src/interpreters/partial_eval.py" },
    { "partition_spec.py", "jax/_src/partition_spec.py" }, { "path.py", "jax/_src/path.py" },
    { "pjit.py", "jax/_src/pjit.py" }, { "pmap.py", "jax/_src/pmap.py" },
    { "polymorphic_function.py", "tensorflow/python/polymorphic_function.py" }, { "prng.py", "jax/_src/prng.py" },
    { "profiler.py", "jax/_src/profiler.py" }, { "profiler_v2.py", "tensorflow/python/profiler_v2.py" },
    { "progbar.py", "keras/src/progbar.py" }, { "pxla.py", "jax/_src/interpreters/pxla.py" },
    { "python_memory_checker.py", "tensorflow/python/python_memory_checker.py" },
    { "python_utils.py", "keras/src/python_utils.py" }, { "random_bits.py", "jax/_src/random_bits.py" },
    { "reduction_metrics.py", "keras/src/reduction_metrics.py" }, { "reductions.py", "jax/_src/numpy/reductions.py" },
    { "resource_variable_ops.py", "tensorflow/python/resource_variable_ops.py" },
    { "seed_generator.py", "keras/src/seed_generator.py" }, { "sharding.py", "jax/_src/sharding.py" },
    { "sharding_impls.py", "jax/_src/sharding_impls.py" }, { "sharding_specs.py", "jax/_src/sharding_specs.py" },
    { "slicing.py", "jax/_src/lax/slicing.py" }, { "source_info_util.py", "jax/_src/source_info_util.py" },
    { "stages.py", "jax/_src/stages.py" }, { "state.py", "jax/_src/state.py" },
    { "stateless_scope.py", "keras/src/stateless_scope.py" }, { "symbolic_scope.py", "keras/src/symbolic_scope.py" },
    { "tensor_conversion.py", "tensorflow/python/tensor_conversion.py" },
    { "tensor_conversion_registry.py", "tensorflow/python/tensor_conversion_registry.py" },
    { "tensor_spec.py", "tensorflow/python/tensor_spec.py" },
    { "tf_contextlib.py", "tensorflow/python/tf_contextlib.py" },
    { "tf_dataset_adapter.py", "keras/src/tf_dataset_adapter.py" },
    { "trace_type_builder.py", "tensorflow/python/trace_type_builder.py" },
    { "traceback_util.py", "jax/_src/traceback_util.py" }, { "traceback_utils.py", "keras/src/traceback_utils.py" },
    { "tracing_compilation.py", "tensorflow/python/tracing_compilation.py" },
    { "tracking.py", "keras/src/tracking.py" }, { "tree_util.py", "jax/_src/tree_util.py" },
    { "type_spec.py", "tensorflow/python/type_spec.py" }, { "typing_util.py", "jax/_src/typing_util.py" },
    { "ufunc_api.py", "jax/_src/numpy/ufunc_api.py" }, { "ufuncs.py", "jax/_src/numpy/ufuncs.py" },
    { "util.py", "jax/_src/util.py" }, { "weak_tensor_ops.py", "tensorflow/python/weak_tensor_ops.py" },
    { "xla_bridge.py", "jax/_src/xla_bridge.py" }, { "xla_client.py", "jaxlib/xla_client.py" },
    { "xla_metadata.py", "jax/_src/xla_metadata.py" },
};
/* clang-format on */

static char slash(char c) { return c == '\\' ? '/' : c; } /* a path of Windows */

static bool begins(tfp_str s, const char *with)
{
    for (size_t i = 0; with[i]; i++)
        if (i >= s.size || slash(s.data[i]) != with[i]) return false;
    return true;
}

static bool has(tfp_str s, const char *part)
{
    for (; s.size; s.data++, s.size--)
        if (begins(s, part)) return true;
    return false;
}

static int by_name(const void *key, const void *package)
{
    return tfp_str_cmp(*(const tfp_str *)key, tfp_str_of(*(const char *const *)package));
}

bool tfp_is_framework(tfp_str package)
{
    return bsearch(&package, packages, sizeof packages / sizeof *packages, sizeof *packages, by_name) != NULL;
}

/* Whether the path is like "torch/nn/modules/module.py" or "typing.py". */
static bool begins_with_package(tfp_str path)
{
    size_t size = 0;
    while (size < path.size && slash(path.data[size]) != '/' && path.data[size] != '.') size++;
    tfp_str first = { path.data, size }, rest = { path.data + size, path.size - size };
    if (!begins(rest, "/") && !tfp_str_eq(rest, TFP_STR(".py"))) return false;
    return tfp_is_framework(first);
}

/* Folders of files that a compiler generated: their lines mean nothing to a user, who wrote the code that was compiled.
 * "torchinductor_" is followed by the user's name; caches that were moved keep the names of their parts. */
static const char *const generated[] = {
    "torchinductor_",         /* torch.compile: kernels and their callers */
    "/inductor_cache/",       /* the same in vLLM's and SGLang's caches */
    "/torch_compile_cache/",  /* vLLM */
    "torch_compile_debug/",   /* torch.compile with TORCH_COMPILE_DEBUG=1 */
    "torchtitan_fx_codegen/", /* torchtitan */
    ".triton/",               /* Triton's cache */
    "/triton_cache/",
    "/triton/cache/",
    "__autograph_generated_file", /* tf.function */
    "/_remote_module_",           /* torch.distributed.nn */
};

/* Whether it is like "ry/crysk4...py" in Inductor's cache, wherever that is: 'c', then a hash in base 32, in the folder
 * named by the hash's beginning. */
static bool is_in_inductor_cache(tfp_str path)
{
    enum { HASH = 52 };
    tfp_str ending = TFP_STR(".py");
    if (path.size < HASH + ending.size + 3 || !tfp_str_ends(path, ending)) return false;
    const char *name = path.data + path.size - ending.size - HASH, *folder = name - 3;
    if (*name != 'c' || slash(name[-1]) != '/' || folder[0] != name[1] || folder[1] != name[2]) return false;
    for (size_t i = 1; i < HASH; i++)
        if (!((name[i] >= 'a' && name[i] <= 'z') || (name[i] >= '2' && name[i] <= '7'))) return false;
    return true;
}

bool tfp_is_generated_file(tfp_str path)
{
    for (size_t i = 0; i < sizeof generated / sizeof *generated; i++)
        if (has(path, generated[i])) return true;
    if (begins(path, "/tmp/") && tfp_str_ends(path, TFP_STR("/output_code.py"))) return true;
    return is_in_inductor_cache(path);
}

bool tfp_is_known_library(tfp_str path)
{
    static const char *const parts[] = { "site-packages/", "dist-packages/",     "/lib/python3",
                                         "/lib/python2",   "tensorflow/python/", "tensorflow_core/python/" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (has(path, parts[i])) return true;
    if (tfp_is_generated_file(path)) return true;
    if (begins(path, "$")) return true; /* XPlane's name of a built-in */
    if (begins(path, "<")) /* such as <frozen importlib>, <string>; but cells of a notebook are the user's */
        return !begins(path, "<ipython-input-") && !begins(path, "<stdin>");
    return begins_with_package(path);
}

static int by_file(const void *key, const void *row)
{
    return tfp_str_cmp(*(const tfp_str *)key, tfp_str_of(*(const char *const *)row));
}

tfp_str tfp_path_of_bare_file(tfp_str file)
{
    const char *const *row = bsearch(&file, bare, sizeof bare / sizeof *bare, sizeof *bare, by_file);
    return row ? tfp_str_of(row[1]) : file;
}
