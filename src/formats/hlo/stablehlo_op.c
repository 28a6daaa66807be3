// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/stablehlo_op.c: converts an operation of StableHLO to HLO: its name, and the attributes that costs depend
 * on, in pretty and generic form. */
#include "formats/hlo/stablehlo.h"
#include "model/tables/profile.h"

/* clang-format off */
static const struct {
    const char *name, *opcode;
} names[] = { /* operations whose names in StableHLO and HLO differ in more than _ and - */
    { "broadcast_in_dim", "broadcast" }, { "case", "conditional" }, { "composite", "call" },
    { "create_token", "after-all" },
    { "dot_general", "dot" }, { "dynamic_broadcast_in_dim", "broadcast" }, { "dynamic_conv", "convolution" },
    { "dynamic_gather", "gather" }, { "dynamic_iota", "iota" }, { "dynamic_pad", "pad" },
    { "if", "conditional" }, { "real_dynamic_slice", "dynamic-slice" }, { "square", "multiply" }, { "top_k", "topk" },
    { "torch_index_select", "gather" },
};
/* clang-format on */

tfp_str tfp_shlo_own_name(tfp_str name)
{
    static const char *const dialects[] = { "stablehlo.", "mhlo.", "chlo.", "func." };
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        size_t n = strlen(dialects[i]);
        if (name.size > n && memcmp(name.data, dialects[i], n) == 0) return (tfp_str){ name.data + n, name.size - n };
    }
    return name;
}

tfp_strid tfp_shlo_opcode(tfp_shlo *r, tfp_str name)
{
    bool broadcasts = tfp_str_begins(name, TFP_STR("chlo.broadcast_")); /* chlo.broadcast_add is an add */
    name = tfp_shlo_own_name(name);
    if (broadcasts) name = (tfp_str){ name.data + strlen("broadcast_"), name.size - strlen("broadcast_") };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tfp_str_eq(name, tfp_str_of(names[i].name))) return tfp_build_string(r->b, tfp_str_of(names[i].opcode));
    tfp_buf text = { 0 };
    for (size_t i = 0; i < name.size; i++) tfp_buf_char(&text, name.data[i] == '_' ? '-' : name.data[i]);
    return tfp_build_composed(r->b, &text);
}

/* ---- lists of numbers: [1, 2], array<i64: 1, 2>, dense<[1, 2]> or dense<1> ---- */

static bool begin_list(tfp_str *s)
{
    if (tfp_shlo_take(s, "array<")) {
        size_t colon = tfp_shlo_outside(*s, ":>");
        *s = (tfp_str){ s->data + colon, s->size - colon };
        return tfp_shlo_take(s, ":");
    }
    bool dense = tfp_shlo_take(s, "dense<");
    return tfp_shlo_take(s, "[") || dense;
}

static bool next_number(tfp_str *s, int64_t *out)
{
    tfp_shlo_blanks(s);
    if (!s->size || !((s->data[0] >= '0' && s->data[0] <= '9') || s->data[0] == '-')) return false;
    *out = tfp_shlo_number(s);
    tfp_shlo_take(s, ",");
    return true;
}

/* The product of a list's numbers; `none` when there is no list. */
static int64_t product(tfp_str list, int64_t none)
{
    int64_t all = 1, n;
    if (!begin_list(&list)) return none;
    while (next_number(&list, &n)) all = tfp_mul(all, n, NULL);
    return all;
}

/* The text after the first of these keys that is there; empty: none is. */
static tfp_str behind_one(tfp_str text, const char *first, const char *second)
{
    tfp_str found = tfp_shlo_behind(text, first);
    return found.size ? found : tfp_shlo_behind(text, second);
}

/* ---- operations ---- */

static void read_dot(tfp_shlo *r, tfp_hlo_instruction *i, tfp_str text, bool general)
{
    tfp_str list = behind_one(text, "lhs_contracting_dimensions = ", "contracting_dims = ");
    int64_t n = -1; /* the last number wins */
    i->work.contract_first = (uint32_t)r->m->numbers.size;
    if (general && !begin_list(&list)) return;
    while (general ? next_number(&list, &n) : !i->work.contract_count) {
        if (!tfp_build_keep(r->b, tfp_push(&r->m->numbers, n))) return;
        i->work.contract_count++;
    }
}

/* Reads "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]". The middle part is that of the kernel, whose type is the second one.
 * The window consists of the kernel's dims that have numbers. */
static void read_convolution(tfp_shlo *r, tfp_hlo_instruction *i, tfp_str text, tfp_str types)
{
    tfp_str labels = behind_one(text, "dim_numbers = ", "#stablehlo.conv<");
    if (!labels.size) labels = tfp_shlo_behind(text, "#mhlo.conv<");
    labels = tfp_shlo_behind(labels, "]x[");
    uint32_t count, shape = tfp_shlo_types(r, &types, &count);
    if (r->b->status || count < 2) return;
    const tfp_hlo_shape *all = &r->m->shapes.at[shape];
    if (all->count < 2) return;
    const tfp_hlo_array *kernel = &r->m->arrays.at[all->first + 1];
    for (uint32_t k = 0; labels.size && labels.data[0] != ']' && k < kernel->dim_count; k++) {
        tfp_str label = tfp_shlo_word(&labels);
        if (tfp_str_eq(label, TFP_STR("i"))) i->work.kernel_input = (int32_t)k;
        if (label.size && label.data[0] >= '0' && label.data[0] <= '9')
            i->work.window = tfp_mul(i->work.window, r->m->dims.at[kernel->dim_first + k], NULL);
        if (!tfp_shlo_take(&labels, ",")) break;
    }
}

static void read_constant(tfp_hlo_instruction *i, tfp_str text)
{
    tfp_str value = tfp_shlo_behind(text, "dense<");
    value.size = tfp_shlo_outside(value, ">");
    i->constant.has_value = tfp_parse_int64(value, &i->constant.value);
    if (tfp_str_eq(value, TFP_STR("true")) || tfp_str_eq(value, TFP_STR("false"))) i->constant.has_value = false;
}

static void read_direction(tfp_hlo_instruction *i, tfp_str text)
{
    tfp_str generic = tfp_shlo_behind(text, "<comparison_direction ");
    if (generic.size) text = generic;
    tfp_str word = tfp_shlo_word(&text);
    if (tfp_str_eq(word, TFP_STR("LT"))) i->direction = TFP_HLO_LT;
    if (tfp_str_eq(word, TFP_STR("LE"))) i->direction = TFP_HLO_LE;
}

/* "@NAME", or the text after a key: a function, or the target of a custom call. */
static tfp_strid symbol(tfp_shlo *r, tfp_str text, const char *key)
{
    tfp_str found = tfp_shlo_behind(text, key);
    tfp_str s = found.size ? found : text;
    if (!tfp_shlo_take(&s, "@") && !found.size) return 0;
    tfp_shlo_blanks(&s);
    tfp_str name = s.size && s.data[0] == '"' ? tfp_shlo_quoted(&s) : tfp_shlo_word(&s);
    return tfp_build_string(r->b, name);
}

static void read_call(tfp_shlo *r, tfp_hlo_instruction *i, tfp_str text)
{
    bool composite = tfp_shlo_behind(text, "decomposition = ").size > 0;
    tfp_strid function = symbol(r, text, composite ? "decomposition = " : "callee = ");
    i->called_first = (uint32_t)r->m->ids.size;
    if (function && tfp_build_keep(r->b, tfp_push(&r->m->ids, (int64_t)function))) i->called_count = 1;
}

void tfp_shlo_attributes(tfp_shlo *r, tfp_hlo_instruction *i, tfp_str name, tfp_str text, tfp_str types)
{
    tfp_str op = tfp_shlo_own_name(name);
    tfp_str opcode = tfp_text(r->b->p, i->opcode);
    if (tfp_str_eq(opcode, TFP_STR("dot"))) read_dot(r, i, text, tfp_str_eq(op, TFP_STR("dot_general")));
    if (tfp_str_eq(opcode, TFP_STR("convolution"))) read_convolution(r, i, text, types);
    if (tfp_str_eq(opcode, TFP_STR("constant"))) read_constant(i, text);
    if (tfp_str_eq(opcode, TFP_STR("compare"))) read_direction(i, text);
    if (tfp_str_eq(opcode, TFP_STR("fft")))
        i->work.fft_points = product(behind_one(text, "length = ", "fft_length = "), i->work.fft_points);
    if (tfp_str_eq(opcode, TFP_STR("reduce-window")) || tfp_str_eq(opcode, TFP_STR("select-and-scatter")))
        i->work.window = product(tfp_shlo_behind(text, "window_dimensions = "), i->work.window);
    if (tfp_str_eq(opcode, TFP_STR("call"))) read_call(r, i, text);
    if (tfp_str_eq(opcode, TFP_STR("custom-call"))) i->target = symbol(r, text, "call_target_name = ");
    if (tfp_str_eq(opcode, TFP_STR("custom-call"))) i->config = tfp_shlo_behind(text, "backend_config = ");
    if (tfp_str_eq(opcode, TFP_STR("get-tuple-element"))) {
        tfp_str index = behind_one(text, "index = ", "[");
        int64_t n;
        if (next_number(&index, &n) && n >= 0 && n < INT32_MAX) i->index = (int32_t)n;
    }
}
