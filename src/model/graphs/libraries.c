// SPDX-License-Identifier: Apache-2.0
/* model/graphs/libraries.c: whether a file of Python is a library's or the user's own. */
#include "model/span_names.h"

#include <stdlib.h>

/* clang-format off */
/* Packages of frameworks. PyTorch removes Python's search path from the file names of its frames, so they begin with
 * the package. The list also has the modules of Python's library that torch itself imports; a user's file with such a
 * name would have prevented torch from starting. Sorted. */
static const char *const packages[] = {
    "__future__", "_collections_abc", "_weakrefset", "abc", "accelerate", "argparse", "ast", "asyncio", "base64", "bisect", "calendar",
    "codecs", "collections", "concurrent", "contextlib", "copy", "copyreg", "csv", "ctypes", "dataclasses", "datetime", "difflib", "dis",
    "email", "encodings", "enum", "flax", "fnmatch", "functools", "functorch", "genericpath", "gettext", "glob", "gzip", "hashlib",
    "heapq", "http", "importlib", "inspect", "io", "ipaddress", "jax", "jaxlib", "json", "keras", "keyword", "lightning", "linecache",
    "locale", "logging", "lzma", "multiprocessing", "ntpath", "numbers", "numpy", "opcode", "operator", "optax", "os", "pathlib",
    "pickle", "pickletools", "pkgutil", "platform", "posixpath", "pprint", "pytorch_lightning", "queue", "random", "re", "reprlib",
    "runpy", "selectors", "shutil", "signal", "socket", "ssl", "stat", "string", "struct", "subprocess", "tarfile", "tempfile",
    "tensorflow", "textwrap", "threading", "tokenize", "torch", "torchaudio", "torchvision", "traceback", "transformers", "types",
    "typing", "unittest", "urllib", "uuid", "warnings", "weakref", "zipfile",
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

/* Whether the path is like "torch/nn/modules/module.py" or "typing.py". */
static bool begins_with_package(tfp_str path)
{
    size_t size = 0;
    while (size < path.size && slash(path.data[size]) != '/' && path.data[size] != '.') size++;
    tfp_str first = { path.data, size }, rest = { path.data + size, path.size - size };
    if (!begins(rest, "/") && !tfp_str_eq(rest, TFP_STR(".py"))) return false;
    return bsearch(&first, packages, sizeof packages / sizeof *packages, sizeof *packages, by_name) != NULL;
}

bool tfp_is_library_file(tfp_str path)
{
    static const char *const parts[] = { "site-packages/", "dist-packages/",     "/lib/python3",
                                         "/lib/python2",   "tensorflow/python/", "tensorflow_core/python/" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (has(path, parts[i])) return true;
    if (begins(path, "<")) /* such as <frozen importlib>, <string>; but cells of a notebook are the user's */
        return !begins(path, "<ipython-input-") && !begins(path, "<stdin>");
    return begins_with_package(path);
}
