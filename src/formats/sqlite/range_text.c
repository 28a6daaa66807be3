// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/range_text.c: parses the texts of ranges, copies and API calls. Layout of operators' texts:
 * torch/csrc/autograd/profiler_legacy.cpp and torch/csrc/profiler/util.cpp (getNvtxStr). */
#include "formats/sqlite/range_text.h"

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

/* Cuts ", key = VALUE" off the end of the text, if it is there. */
static bool cut(tfp_str *text, const char *key, bool list, tfp_str *value)
{
    size_t size = strlen(key);
    const char *comma;
    for (size_t at = text->size; at && (comma = memrchr(text->data, ',', at));) {
        at = (size_t)(comma - text->data);
        if (text->size - at < size || memcmp(comma, key, size) != 0) continue;
        *value = (tfp_str){ comma + size, text->size - at - size };
        bool ends = value->size && (!list || (*value->data == '[' && value->data[value->size - 1] == ']'));
        for (size_t i = 0; ends && !list && i < value->size; i++)
            ends = tfp_is_digit(value->data[i]) || (!i && *value->data == '-' && value->size > 1);
        if (ends) text->size = at;
        return ends;
    }
    return false;
}

/* IDENT:: */
static bool has_namespace(tfp_str s)
{
    size_t i = 0;
    while (i < s.size &&
           ((lower(s.data[i]) >= 'a' && lower(s.data[i]) <= 'z') || s.data[i] == '_' || (i && tfp_is_digit(s.data[i]))))
        i++;
    return i && i + 1 < s.size && s.data[i] == ':' && s.data[i + 1] == ':';
}

static bool is_backward(tfp_str name)
{
    tfp_str word = TFP_STR("Backward");
    if (tfp_str_begins(name, TFP_STR("autograd::engine::evaluate_function: "))) return true;
    while (name.size && tfp_is_digit(name.data[name.size - 1])) name.size--;
    return tfp_str_ends(name, word);
}

bool tfp_range_is_op(tfp_str text, tfp_range_op *out)
{
    tfp_str value;
    *out = (tfp_range_op){ .sizes = { "", 0 }, .sequence = -1 };
    cut(&text, ", input_op_ids = ", true, &value);
    bool sizes = cut(&text, ", sizes = ", true, &out->sizes), marked = sizes;
    if (!sizes) out->sizes = TFP_STR("");
    marked |= cut(&text, ", op_id = ", false, &value);
    if (cut(&text, ", seq = ", false, &value)) {
        marked = true;
        if (!tfp_parse_int64(value, &out->sequence) || out->sequence < 0) out->sequence = -1;
    }
    out->name = text;
    out->backward = is_backward(text);
    out->marked = marked;
    return marked || has_namespace(text);
}

tfp_str tfp_api_name(tfp_str name)
{
    tfp_str s = name;
    if (tfp_str_ends(s, TFP_STR("_ptsz")) || tfp_str_ends(s, TFP_STR("_ptds"))) s.size -= 5;
    size_t digits = s.size;
    while (digits && tfp_is_digit(s.data[digits - 1])) digits--;
    /* _v7000 is a CUDA release; _v2 is part of the name */
    bool version = s.size - digits >= 4 && digits > 2 && s.data[digits - 1] == 'v' && s.data[digits - 2] == '_';
    return version ? (tfp_str){ name.data, digits - 2 } : name;
}
