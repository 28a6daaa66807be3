// SPDX-License-Identifier: Apache-2.0
/* names/short.c: the short name of a kernel: copies, collectives, kernels of Triton, sorts, and other C++ functions
 * without their namespaces, template arguments and parameters. */
#include "names/copies.h"
#include "names/names.h"

#include <ctype.h>

static tfp_str behind(tfp_str s, size_t n)
{
    return n < s.size ? (tfp_str){ s.data + n, s.size - n } : (tfp_str){ s.data, 0 };
}

/* "Memcpy HtoD (Pinned -> Device)", "Memset (Device)" */
static bool copy(tfp_str name, tfp_buf *out)
{
    if (tfp_str_eq(name, TFP_STR("Memset (Device)"))) return tfp_buf_text(out, "set device"), true;
    if (!tfp_str_begins(name, TFP_STR("Memcpy "))) return false;
    tfp_direction d = tfp_direction_at_start(behind(name, strlen("Memcpy ")));
    if (!d) return false;
    tfp_buf_printf(out, "copy %s", tfp_direction_arrow(d));
    tfp_maker(out, tfp_str_has(name, TFP_STR("Pinned"))     ? TFP_STR("pinned")
                   : tfp_str_has(name, TFP_STR("Pageable")) ? TFP_STR("pageable")
                                                            : TFP_STR(""));
    return true;
}

/* "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)": kind, operation, type, algorithm, protocol, in any order. */
static bool collective(tfp_str name, tfp_buf *out)
{
    static const struct {
        const char *token, *word;
    } words[] = { { "RING", "ring" },     { "TREE", "tree" },     { "NVLS", "nvls" },     { "COLLNET", "collnet" },
                  { "LL", "LL" },         { "LL128", "LL128" },   { "float", "float" },   { "double", "double" },
                  { "half", "half" },     { "f32", "float" },     { "f64", "double" },    { "f16", "half" },
                  { "bf16", "bf16" },     { "bfloat16", "bf16" }, { "int8", "int8" },     { "i8", "int8" },
                  { "u8", "uint8" },      { "int32", "int" },     { "i32", "int" },       { "u32", "uint32" },
                  { "int64", "long" },    { "i64", "long" },      { "u64", "uint64" },    { "uint8", "uint8" },
                  { "uint32", "uint32" }, { "uint64", "uint64" }, { "Sum", "sum" },       { "Prod", "prod" },
                  { "Max", "max" },       { "Min", "min" },       { "MinMax", "minmax" }, { "PreMulSum", "premulsum" },
                  { "SumPostDiv", "avg" } };
    enum { OPERATIONS = 26, TYPES = 6 }; /* index of the first row of these in the table */
    const char *operation = NULL, *type = NULL, *how[4] = { NULL };
    size_t hows = 0;
    tfp_str rest = tfp_cpp_of(name).path, token, what = { NULL, 0 };
    tfp_part_next(&rest, '_', &token);
    while (tfp_part_next(&rest, '_', &token)) {
        size_t i = 0, count = sizeof words / sizeof *words;
        if (!what.size && *token.data >= 'A') {
            what = token;
            continue;
        }
        while (i < count && !tfp_str_eq(token, tfp_str_of(words[i].token))) i++;
        if (i == count) continue;
        if (i >= OPERATIONS)
            operation = words[i].word;
        else if (i >= TYPES)
            type = words[i].word;
        else if (hows < sizeof how / sizeof *how)
            how[hows++] = words[i].word;
    }
    if (!what.size) return false;
    bool reduces = tfp_str_has(
        what, TFP_STR("Reduce")); /* other collectives have an operation in their name that has no meaning */
    tfp_buf_str(out, what);
    if (operation && reduces) tfp_word(out, tfp_str_of(operation));
    if (type) tfp_word(out, tfp_str_of(type));
    for (size_t i = 0; i < hows; i++) tfp_word(out, tfp_str_of(how[i]));
    tfp_maker(out, TFP_STR("nccl"));
    return true;
}

/* "triton__0d1d2d", "triton_poi_fused_add_mul_3" */
static bool triton(tfp_str name, tfp_buf *out)
{
    static const struct {
        const char *mark, *kind;
    } kinds[] = { { "poi_", "pointwise" }, { "red_", "reduction" }, { "per_", "persistent" }, { "tem_", "template" } };
    tfp_str rest = behind(name, strlen("triton_"));
    const char *kind = NULL;
    if (!rest.size) return false;
    if (*rest.data == '_' && rest.size > 1 && rest.data[1] >= '0' && rest.data[1] <= '9') {
        int arguments = 0;
        for (size_t i = 0; i < rest.size; i++) arguments += rest.data[i] == 'd';
        tfp_buf_printf(out, "triton %d args", arguments);
        return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !kind; i++)
        if (tfp_str_begins(rest, tfp_str_of(kinds[i].mark))) {
            kind = kinds[i].kind;
            rest = behind(rest, strlen(kinds[i].mark));
        }
    if (!kind) return false;
    if (tfp_str_begins(rest, TFP_STR("fused_"))) rest = behind(rest, strlen("fused_"));
    while (rest.size && *rest.data == '_') rest = behind(rest, 1);
    size_t number = rest.size;
    while (number && rest.data[number - 1] >= '0' && rest.data[number - 1] <= '9') number--;
    bool numbered = number && number < rest.size && rest.data[number - 1] == '_';
    tfp_buf_add(out, rest.data, numbered ? number - 1 : rest.size);
    if (numbered) tfp_word(out, behind(rest, number));
    tfp_buf_printf(out, " \xc2\xb7 triton %s", kind);
    return true;
}

/* ---- other functions ---- */

static tfp_str without_ending(tfp_str s)
{
    static const char *const endings[] = { ".kd",     "_kernel_cuda", "_kernel_impl", "_cuda_kernel",
                                           "_kernel", "Kernel",       "_impl" };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        tfp_str end = tfp_str_of(endings[i]);
        if (tfp_str_ends(s, end) && s.size > end.size) s.size -= end.size;
    }
    while (s.size > 1 && s.data[s.size - 1] == '_') s.size--;
    return s;
}

/* The library, from the outermost namespace; those of PyTorch itself and of the language are not shown. */
static tfp_str maker_of(tfp_str path)
{
    static const struct {
        const char *space, *maker;
    } makers[] = { { "at", "" },
                   { "c10", "" },
                   { "std", "" },
                   { "internal", "cublas" },
                   { "fbgemm_gpu", "fbgemm" },
                   { "pytorch_flash", "flash" },
                   { "cudnn_infer", "cudnn" },
                   { "cask_cudnn", "cudnn" },
                   { "cask_cudnn_infer", "cudnn" },
                   { "cask_cudnn_train", "cudnn" },
                   { "hipcub", "cub" },
                   { "transformer_engine", "te" } };
    size_t end = tfp_str_find(path, TFP_STR("::"));
    if (end == SIZE_MAX) return TFP_STR("");
    tfp_str space = { path.data, end };
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (tfp_str_eq(space, tfp_str_of(makers[i].space))) return tfp_str_of(makers[i].maker);
    return space;
}

/* cub's kernels: for example, "DeviceRadixSortOnesweepKernel" is the pass that sorts. */
static void put_device_function(tfp_str name, tfp_buf *out)
{
    tfp_str sweep = TFP_STR("Onesweep");
    name = without_ending(behind(name, strlen("Device")));
    if (tfp_str_ends(name, sweep) && name.size > sweep.size) name.size -= sweep.size;
    tfp_words_of_camel(out, name);
}

/* "nchwToNhwc" */
static bool put_conversion(tfp_str name, tfp_buf *out)
{
    size_t to = tfp_str_find(name, TFP_STR("To"));
    if (to == SIZE_MAX || !to || to + 2 >= name.size) return false;
    for (size_t i = 0; i < name.size; i++)
        if (!((name.data[i] >= 'a' && name.data[i] <= 'z') || i == to || i == to + 2)) return false;
    tfp_buf_add(out, name.data, to);
    tfp_buf_text(out, "\xe2\x86\x92");
    tfp_words_of_camel(out, behind(name, to + 2));
    return true;
}

static bool is_nameless(tfp_str name)
{
    static const char *const names[] = { "kernel", "Kernel",        "Kernel2",          "device_kernel",
                                         "kentry", "_kernel_agent", "trampoline_kernel" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tfp_str_eq(name, tfp_str_of(names[i]))) return true;
    return false;
}

/* cutlass::Kernel<X> and other kernels whose meaningful name is that of their argument or their namespace. */
static bool nameless(const tfp_cpp *c, tfp_buf *out)
{
    tfp_str rest = c->arguments, argument;
    while (tfp_cpp_argument(&rest, &argument)) {
        tfp_cpp inner = tfp_cpp_of(argument);
        if (tfp_short_gemm(inner.name, out)) return true;
        tfp_cpp deeper = tfp_cpp_of(inner.arguments);
        if (tfp_str_begins(inner.name, TFP_STR("enable_")) && deeper.name.size) inner = deeper;
        if (tfp_type_word(argument) || !inner.name.size || (*inner.name.data >= '0' && *inner.name.data <= '9'))
            continue;
        if (inner.name.size == 4 && (tfp_str_eq(inner.name, TFP_STR("true")))) continue;
        if (tfp_str_eq(inner.name, TFP_STR("false")) || tfp_str_begins(inner.name, TFP_STR("gfx"))) continue;
        tfp_buf_str(out, without_ending(inner.name));
        tfp_maker(out, maker_of(c->path));
        return true;
    }
    if (c->path.size <= c->name.size + 2) return false;
    tfp_cpp space = tfp_cpp_of((tfp_str){ c->path.data, c->path.size - c->name.size - 2 });
    tfp_buf_str(out, space.name);
    const char *type = tfp_type_first(c->arguments);
    if (type) tfp_word(out, tfp_str_of(type));
    tfp_maker(out, tfp_str_eq(space.name, space.path) ? TFP_STR("") : maker_of(c->path));
    return true;
}

static bool function(tfp_str name, tfp_buf *out)
{
    bool plain = !memchr(name.data, '(', name.size) && !memchr(name.data, '<', name.size);
    if (plain && (memchr(name.data, ' ', name.size) || memchr(name.data, ':', name.size)))
        return false; /* not a function */
    tfp_cpp c = tfp_cpp_of(name);
    tfp_str bare = without_ending(c.name), maker = maker_of(c.path);
    if (!bare.size || (bare.size == name.size && !c.arguments.size)) return false;
    if (tfp_short_template(&c, out)) return true;
    if (is_nameless(c.name) && nameless(&c, out)) return true;
    if (tfp_str_begins(c.name, TFP_STR("Device")) && tfp_str_ends(c.name, TFP_STR("Kernel")))
        put_device_function(c.name, out);
    else if (!put_conversion(bare, out))
        tfp_buf_str(out, bare);
    const char *type = tfp_type_first(c.arguments);
    if (type) tfp_word(out, tfp_str_of(type));
    tfp_maker(out, maker);
    return true;
}

/* Takes "6kernel", an identifier of a mangled name. */
static bool take_identifier(tfp_str *rest, tfp_str *out)
{
    size_t n = 0;
    if (!rest->size || *rest->data < '1' || *rest->data > '9') return false;
    while (rest->size && *rest->data >= '0' && *rest->data <= '9' && n < 10000) {
        n = 10 * n + (size_t)(*rest->data - '0');
        *rest = behind(*rest, 1);
    }
    if (n > rest->size) return false;
    *out = (tfp_str){ rest->data, n };
    *rest = behind(*rest, n);
    return true;
}

/* The first class among the arguments of a mangled template in the same namespace: "ILi1ENS_12Rmsnorm2dFwdI...". */
static bool first_argument(tfp_str rest, tfp_str *out)
{
    if (rest.size && *rest.data == 'I') rest = behind(rest, 1);
    while (rest.size && *rest.data == 'L') {
        while (rest.size && *rest.data != 'E') rest = behind(rest, 1);
        rest = behind(rest, 1);
    }
    if (!tfp_str_begins(rest, TFP_STR("NS"))) return false;
    while (rest.size && *rest.data != '_') rest = behind(rest, 1);
    rest = behind(rest, 1);
    return take_identifier(&rest, out);
}

/* "_ZN2ck6device11kernel_gemmI...": the identifiers of a mangled Itanium name. */
static bool mangled(tfp_str name, tfp_buf *out)
{
    tfp_str last = { NULL, 0 }, first = last, rest = behind(name, strlen("_ZN"));
    while (take_identifier(&rest, &last))
        if (!first.size) first = last;
    if (!last.size || !rest.size || (*rest.data >= '0' && *rest.data <= '9')) return false;
    if (is_nameless(last)) first_argument(rest, &last);
    static const struct {
        const char *code, *word;
    } types[] = { { "If", "float" }, { "Id", "double" }, { "IDF16b", "bf16" }, { "IDF16_", "half" }, { "Il", "long" } };
    tfp_buf_str(out, without_ending(last));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (tfp_str_begins(rest, tfp_str_of(types[i].code))) {
            tfp_word(out, tfp_str_of(types[i].word));
            break;
        }
    tfp_maker(out, first.data == last.data || tfp_str_eq(first, TFP_STR("at")) ? TFP_STR("") : first);
    return true;
}

/* ---- all ---- */

/* The size of a cast before a template's argument, such as "(unsigned long)3"; 0: there is none. */
static size_t cast_size(tfp_str text)
{
    enum { LONGEST = 60 };
    size_t i = 1, most = text.size < LONGEST ? text.size : LONGEST;
    while (i < most && (isalnum((unsigned char)text.data[i]) || strchr("_: ", text.data[i]))) i++;
    bool closed = i > 1 && i + 1 < most && text.data[i] == ')';
    return closed && (isalnum((unsigned char)text.data[i + 1]) || text.data[i + 1] == '-') ? i + 1 : 0;
}

/* What to omit at the beginning of a text that follows `last`, and the replacement: NVIDIA's tools write
 * <unnamed>::f<(int)4>::[lambda(float) (instance 1)] where others write (anonymous namespace)::f<4>::{lambda(float)#1}. */
static size_t left_out(tfp_str text, char last, const char **instead)
{
    static const struct {
        const char *text, *instead;
    } rows[] = { { "(anonymous namespace)::", "" }, { "<unnamed>::", "" }, { "[lambda(", "{lambda(" },
                 { ") (instance ", ")#" },          { ")]", "}" },         { "operator ()", "operator()" } };
    bool argument = last == '<' || last == ',';
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!tfp_str_begins(text, tfp_str_of(rows[i].text))) continue;
        *instead = rows[i].instead;
        return strlen(rows[i].text);
    }
    *instead = "";
    if (argument && tfp_str_begins(text, TFP_STR("void ")) && text.size > 5 && isalpha((unsigned char)text.data[5]))
        return 5;
    return argument && text.data[0] == '(' ? cast_size(text) : 0;
}

/* Writes a name in one standard form, without the parts that have no meaning. */
static void put_clean(tfp_str full, tfp_buf *out)
{
    tfp_str result = TFP_STR("void ");
    char last = 0; /* the previous letter, ignoring blanks */
    if (tfp_str_begins(full, result)) full = behind(full, result.size);
    for (size_t i = 0; i < full.size;) {
        const char *instead;
        size_t size = strchr("(<[)ov", full.data[i]) ? left_out(behind(full, i), last, &instead) : 0;
        if (size) {
            tfp_buf_text(out, instead);
            i += size;
            continue;
        }
        if (full.data[i] != ' ') last = full.data[i];
        tfp_buf_char(out, full.data[i++]);
    }
}

/* Shortens the words to the limit, but keeps the maker. */
static void put_limited(tfp_str text, tfp_buf *out)
{
    size_t dot = tfp_str_find(text, TFP_STR(" \xc2\xb7 ")), letters = 0, maker = 0, i = 0;
    if (dot == SIZE_MAX) dot = text.size;
    for (size_t k = 0; k < text.size; k++) {
        bool begins = ((unsigned char)text.data[k] & 0xc0) != 0x80;
        letters += begins;
        maker += begins && k >= dot;
    }
    if (letters <= TFP_SHORT_MOST || maker + 8 > TFP_SHORT_MOST) {
        tfp_buf_str(out, letters <= TFP_SHORT_MOST ? text : (tfp_str){ text.data, dot });
        return;
    }
    for (size_t left = TFP_SHORT_MOST - 1 - maker; i < dot; i++) {
        bool begins = ((unsigned char)text.data[i] & 0xc0) != 0x80;
        if (begins && !left--) break;
    }
    tfp_buf_add(out, text.data, i);
    tfp_buf_text(out, "\xe2\x80\xa6");
    tfp_buf_add(out, text.data + dot, text.size - dot);
}

typedef bool (*family)(tfp_str name, tfp_buf *out);

static family family_of(tfp_str name)
{
    static const struct {
        const char *begins;
        family put;
    } families[] = { { "Memcpy ", copy },    { "Memset ", copy },   { "nccl", collective },
                     { "rccl", collective }, { "triton_", triton }, { "_ZN", mangled } };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (tfp_str_begins(name, tfp_str_of(families[i].begins))) return families[i].put;
    return NULL;
}

bool tfp_kernel_short(tfp_str full, tfp_buf *out)
{
    enum { READ = 8192 }; /* the important parts of longer names come before this */
    tfp_buf clean = { 0 }, text = { 0 };
    put_clean((tfp_str){ full.data, full.size < READ ? full.size : READ }, &clean);
    tfp_str name = { clean.data, clean.size };
    family put = clean.failed || !name.size ? NULL : family_of(name);
    bool ok = name.size && !clean.failed &&
              ((put && put(name, &text)) || (!put && (tfp_short_gemm(name, &text) || function(name, &text))));
    ok = ok && text.size && !tfp_str_eq((tfp_str){ text.data, text.size }, full);
    if (ok) put_limited((tfp_str){ text.data, text.size }, out);
    out->failed |= clean.failed || text.failed;
    tfp_buf_free(&clean);
    tfp_buf_free(&text);
    return ok;
}
