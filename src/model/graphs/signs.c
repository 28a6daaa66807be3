// SPDX-License-Identifier: Apache-2.0
/* model/graphs/signs.c: decides from the two names whether a captured launch may have become an activity. */
#include "model/graphs/parts.h"

typedef struct family {
    const char
        *kernels;    /* parts of a kernel's name, one of which must occur, separated by blanks; _? is _ or nothing */
    const char *ops; /* the same for an op's name; NULL: the same parts */
    const char *op_ends; /* or an ending of an op's name */
    bool in_place;       /* a _ may follow */
} family;

/* The first matching row counts. */
enum { UNKNOWN, COLLECTIVE, MATMUL, ATTENTION };
static const family families[] = {
    [COLLECTIVE] = { "nccl rccl cross_device_reduce all_?reduce all_?gather reduce_?scatter all_?to_?all",
                     "nccl rccl cross_device_reduce all_?reduce all_?gather reduce_?scatter all_?to_?all c10d::", "",
                     false },
    [MATMUL] = { "gemm nvjet cutlass xmma wgmma cijk cublas conv", "conv",
                 "mm bmm addmm baddbmm linear matmul einsum _scaled_mm", false },
    [ATTENTION] = { "flash attention fmha", NULL, "", false },
    { "norm", NULL, "", false },
    { "softmax", NULL, "", false },
    { "index gather scatter embedding", NULL, "", false },
    { "reduce_kernel", "", "sum mean amax amin argmax argmin max min", false },
    { "elementwise", "", "add sub mul div silu gelu relu sigmoid tanh copy fill neg pow rsqrt cos sin", true },
};
enum { FAMILIES = sizeof families / sizeof *families };

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Whether the text begins with a pattern. */
static bool stands(tfp_str s, tfp_str pattern)
{
    size_t at = 0;
    for (size_t i = 0; i < pattern.size; i++) {
        if (pattern.data[i] == '_' && i + 1 < pattern.size && pattern.data[i + 1] == '?') {
            at += at < s.size && s.data[at] == '_';
            i++;
            continue;
        }
        if (at == s.size || lower(s.data[at++]) != pattern.data[i]) return false;
    }
    return true;
}

static bool next_word(const char **words, tfp_str *out)
{
    *words += strspn(*words, " ");
    *out = (tfp_str){ *words, strcspn(*words, " ") };
    *words += out->size;
    return out->size > 0;
}

static bool has_any(tfp_str s, const char *words)
{
    tfp_str word;
    while (next_word(&words, &word))
        for (tfp_str rest = s; rest.size; rest.data++, rest.size--)
            if (stands(rest, word)) return true;
    return false;
}

static bool ends_in_any(tfp_str s, const char *words)
{
    tfp_str word;
    while (next_word(&words, &word))
        if (s.size >= word.size && stands((tfp_str){ s.data + s.size - word.size, word.size }, word)) return true;
    return false;
}

unsigned tfp_family_of_kernel(tfp_str name)
{
    for (unsigned i = 1; i < FAMILIES; i++)
        if (has_any(name, families[i].kernels)) return i;
    return UNKNOWN;
}

unsigned tfp_family_of_op(tfp_str name)
{
    tfp_str plain = name;
    if (plain.size && plain.data[plain.size - 1] == '_') plain.size--;
    for (unsigned i = 1; i < FAMILIES; i++) {
        const family *f = &families[i];
        if (has_any(name, f->ops ? f->ops : f->kernels) || ends_in_any(f->in_place ? plain : name, f->op_ends))
            return i;
    }
    return UNKNOWN;
}

unsigned tfp_kind_of_name(tfp_str name)
{
    if (has_any(name, "memcpy copybuffer")) return TFP_LAUNCHES_COPY;
    return has_any(name, "memset fillbuffer") ? TFP_LAUNCHES_SET : TFP_LAUNCHES_KERNEL;
}

tfp_str tfp_kernel_plain(tfp_str name)
{
    if (tfp_str_ends(name, TFP_STR(".kd"))) name.size -= 3;
    return name;
}

tfp_str tfp_kernel_stem(tfp_str name)
{
    size_t end = name.size;
    while (end && name.data[end - 1] >= '0' && name.data[end - 1] <= '9') end--;
    return end < 2 || end == name.size || name.data[end - 1] != '_' ? name : (tfp_str){ name.data, end - 1 };
}

bool tfp_is_captured_call(tfp_str call)
{
    if (tfp_str_has(call, TFP_STR("Launch")))
        return !tfp_is_graph_launch(call) && !tfp_str_has(call, TFP_STR("LaunchHostFunc"));
    bool moves = tfp_str_has(call, TFP_STR("Memcpy")) || tfp_str_has(call, TFP_STR("Memset"));
    return moves && tfp_str_has(call, TFP_STR("Async"));
}

static tfp_agreement families_agree(unsigned a, unsigned b)
{
    if (a == UNKNOWN || b == UNKNOWN) return TFP_SAYS_NOTHING;
    if (a == b) return TFP_AGREES;
    bool attention = a == ATTENTION || b == ATTENTION;
    if (a == COLLECTIVE || b == COLLECTIVE) return TFP_CONTRADICTS;
    return (a == MATMUL || b == MATMUL) && !attention ? TFP_CONTRADICTS : TFP_SAYS_NOTHING;
}

tfp_agreement tfp_signs_agree(const tfp_graph_sign *launch, const tfp_graph_sign *activity)
{
    if (launch->kernel) return launch->kernel == activity->kernel ? TFP_AGREES : TFP_CONTRADICTS;
    if (launch->kind != activity->kind) return TFP_CONTRADICTS;
    if (launch->kind != TFP_LAUNCHES_KERNEL) return TFP_AGREES;
    return families_agree(launch->family, activity->family);
}
