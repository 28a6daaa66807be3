// SPDX-License-Identifier: Apache-2.0
/* views/flops/left_out.c: whether a total leaves work out: the one rule for graphs, compiled programs and traces. A
 * total is "at least" when a product, a convolution, an attention, a call or a body has no count; single steps of elements
 * without a shape only lower the coverage. */
#include "views/flops/left_out.h"

#include <stdio.h>

/* Parts of names of operations of all frameworks, and whole names. */
static const char *const work_parts[] = { "matmul", "gemm",   "einsum", "dot",         "rnn",       "lstm",
                                          "gru",    "attn",   "call",   "attention",   "cond",      "while",
                                          "loop",   "scan",   "_mm",    "conv",        "bilinear",  "deform",
                                          "fft",    "linalg", "custom", "transformer", "trilinear", "cdist" };
static const char *const work_names[] = { "If",    "Case",  "StatelessIf", "StatelessCase", "fusion", "linear",
                                          "mv",    "addmv", "addr",        "outer",         "ger",    "inner",
                                          "cdist", "map",   "Upsample",    "RemoteCall" };
/* These look like work by a part of their name, but every step of theirs is one of an element. */
static const char *const light_parts[] = { "convert", "upsample", "comm", "resize", "interpolate", "second" };
/* Operations without a formula that choose, compare or watch: they have no products. */
static const char *const light_unknown[] = {
    "NonMaxSuppression", "BoundingBox", "EditDistance", "Unique", "unique", "Debug",
    "nonzero",           "nms",         "StringSplit",  "aten::", "prims::"
};

static bool has_one(tfp_str name, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tfp_str_has_caseless(name, tfp_str_of(parts[i]))) return true;
    return false;
}

#define HAS_ONE(name, parts) has_one(name, parts, sizeof(parts) / sizeof *(parts))

/* "linear" of "aten::linear". */
static tfp_str behind_space(tfp_str name)
{
    for (size_t i = name.size; i > 1; i--)
        if (name.data[i - 1] == ':') return (tfp_str){ name.data + i, name.size - i };
    return name;
}

bool tfp_is_left_out(tfp_str op, bool formula)
{
    tfp_str own = behind_space(op);
    for (size_t i = 0; i < sizeof work_names / sizeof *work_names; i++)
        if (tfp_str_eq(own, tfp_str_of(work_names[i]))) return true;
    bool work = HAS_ONE(own, work_parts) || tfp_str_ends(own, TFP_STR("mm")); /* aten::bmm */
    if (work && !HAS_ONE(own, light_parts)) return true;
    return !formula && !HAS_ONE(op, light_unknown);
}

void tfp_left_out_add(tfp_left_out *l, tfp_str op)
{
    if (!l->ops++) l->first = op;
}

size_t tfp_left_out_say(const tfp_left_out *l, char *out, size_t size)
{
    if (!l->ops) {
        int n = snprintf(out, size, "the iterations of a loop are not known");
        return n > 0 ? (size_t)n : 0;
    }
    int name = (int)(l->first.size < 60 ? l->first.size : 60);
    int n = l->ops == 1 ? snprintf(out, size, "the work of %.*s is not known", name, l->first.data)
                        : snprintf(out, size, "the work of %lld operations is not known (first: %.*s)",
                                   (long long)l->ops, name, l->first.data);
    return n > 0 ? (size_t)n : 0;
}

bool tfp_left_out_fact(tfp_report *r, bool at_least)
{
    tfp_fact *f = tfp_fact_add(r, "at_least", NULL, 'b', TFP_LABEL);
    if (f) f->number = at_least;
    return f != NULL;
}
