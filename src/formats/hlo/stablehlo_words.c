// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/stablehlo_words.c: words, brackets and types of MLIR's text. */
#include "formats/hlo/stablehlo.h"

/* ---- words ---- */

void tfp_shlo_blanks(tfp_str *s)
{
    while (s->size && (s->data[0] == ' ' || s->data[0] == '\t')) *s = (tfp_str){ s->data + 1, s->size - 1 };
}

bool tfp_shlo_take(tfp_str *s, const char *word)
{
    size_t n = strlen(word);
    tfp_shlo_blanks(s);
    if (s->size < n || memcmp(s->data, word, n) != 0) return false;
    *s = (tfp_str){ s->data + n, s->size - n };
    return true;
}

static bool in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '$' || c == '-';
}

tfp_str tfp_shlo_word(tfp_str *s)
{
    size_t n = 0;
    tfp_shlo_blanks(s);
    while (n < s->size && in_word(s->data[n]) && !(s->data[n] == '-' && n + 1 < s->size && s->data[n + 1] == '>')) n++;
    tfp_str word = { s->data, n };
    *s = (tfp_str){ s->data + n, s->size - n };
    return word;
}

int64_t tfp_shlo_number(tfp_str *s)
{
    int64_t n = 0;
    bool minus = tfp_shlo_take(s, "-");
    while (s->size && s->data[0] >= '0' && s->data[0] <= '9') {
        n = tfp_add(tfp_mul(n, 10, NULL), s->data[0] - '0', NULL);
        *s = (tfp_str){ s->data + 1, s->size - 1 };
    }
    return minus ? -n : n;
}

/* The position after the quoted text that begins at `at`. */
static size_t quote_end(tfp_str s, size_t at)
{
    for (at++; at < s.size && s.data[at] != '"'; at++)
        if (s.data[at] == '\\') at++;
    return at < s.size ? at + 1 : s.size;
}

tfp_str tfp_shlo_quoted(tfp_str *s)
{
    tfp_shlo_blanks(s);
    if (!s->size || s->data[0] != '"') return (tfp_str){ "", 0 };
    size_t end = quote_end(*s, 0);
    tfp_str text = { s->data + 1, end > 2 ? end - 2 : 0 };
    *s = (tfp_str){ s->data + end, s->size - end };
    return text;
}

/* Steps over one character, a quoted text or an arrow, and counts brackets. */
static size_t step(tfp_str s, size_t at, size_t *depth)
{
    char c = s.data[at];
    if (c == '"') return quote_end(s, at);
    if (c == '-' && at + 1 < s.size && s.data[at + 1] == '>') return at + 2;
    if (c == '(' || c == '[' || c == '{' || c == '<') (*depth)++;
    if (*depth && (c == ')' || c == ']' || c == '}' || c == '>')) (*depth)--;
    return at + 1;
}

size_t tfp_shlo_outside(tfp_str s, const char *ends)
{
    size_t depth = 0;
    for (size_t at = 0; at < s.size; at = step(s, at, &depth))
        if (!depth && s.data[at] && strchr(ends, s.data[at])) return at;
    return s.size;
}

size_t tfp_shlo_types_at(tfp_str s)
{
    size_t depth = 0, found = s.size;
    for (size_t at = 0; at < s.size; at = step(s, at, &depth))
        if (!depth && s.data[at] == ':') found = at + 1;
    return found;
}

tfp_str tfp_shlo_behind(tfp_str s, const char *key)
{
    size_t at = tfp_str_find(s, tfp_str_of(key));
    if (at == SIZE_MAX) return (tfp_str){ "", 0 };
    at += strlen(key);
    return (tfp_str){ s.data + at, s.size - at };
}

/* ---- types ---- */

/* "i32" is s32, "ui8" u8, "i1" pred in HLO; other types have the same names. */
static uint32_t element_type(tfp_str name)
{
    char text[24];
    size_t n = 0;
    if (tfp_str_eq(name, TFP_STR("i1"))) return TFP_HLO_PRED;
    if (tfp_str_eq(name, TFP_STR("index"))) return tfp_hlo_type_named(TFP_STR("s64"));
    if (name.size && name.data[0] == 'i') {
        text[n++] = 's';
        name = (tfp_str){ name.data + 1, name.size - 1 };
    } else if (name.size > 1 && name.data[0] == 'u' && name.data[1] == 'i') {
        text[n++] = 'u';
        name = (tfp_str){ name.data + 2, name.size - 2 };
    } else if (tfp_str_eq(name, TFP_STR("complex<f32>")) || tfp_str_eq(name, TFP_STR("complex<f64>"))) {
        return tfp_hlo_type_named(name.data[9] == '3' ? TFP_STR("c64") : TFP_STR("c128"));
    }
    for (size_t i = 0; i < name.size && n < sizeof text; i++) {
        char c = name.data[i];
        text[n++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return tfp_hlo_type_named((tfp_str){ text, n });
}

/* Reads "8x?x16xf32". */
static void read_tensor(tfp_shlo *r, tfp_str inside)
{
    tfp_hlo_module *m = r->m;
    tfp_hlo_array a = { .dim_first = (uint32_t)m->dims.size };
    inside.size = tfp_shlo_outside(inside, ","); /* an encoding may follow */
    for (;;) {
        size_t n = 0;
        if (inside.size && inside.data[0] == '?') n = 1;
        while (n < inside.size && inside.data[n] >= '0' && inside.data[n] <= '9') n++;
        if (n == 0 || n == inside.size || inside.data[n] != 'x') break;
        tfp_str digits = { inside.data, n };
        int64_t dim = inside.data[0] == '?' ? -1 : tfp_shlo_number(&digits);
        if (tfp_build_keep(r->b, tfp_push(&m->dims, dim))) a.dim_count++;
        inside = (tfp_str){ inside.data + n + 1, inside.size - n - 1 };
    }
    a.type = element_type(inside);
    tfp_build_keep(r->b, tfp_push(&m->arrays, a));
}

/* Adds the arrays of a type to the module's arrays; a tuple has several. */
static void read_type(tfp_shlo *r, tfp_str *s)
{
    tfp_hlo_module *m = r->m;
    /* nested tuples are flattened */
    while (tfp_shlo_take(s, "tuple<") || tfp_shlo_take(s, ">") || tfp_shlo_take(s, ",")) continue;
    if (tfp_shlo_take(s, "tensor<")) {
        size_t end = tfp_shlo_outside(*s, ">");
        read_tensor(r, (tfp_str){ s->data, end });
        *s = (tfp_str){ s->data + end, s->size - end };
        tfp_shlo_take(s, ">");
        return;
    }
    bool token = s->size > 5 && tfp_str_find(*s, TFP_STR(".token")) < tfp_shlo_outside(*s, ",)>");
    tfp_hlo_array a = { token ? TFP_HLO_TOKEN : TFP_HLO_OPAQUE, (uint32_t)m->dims.size, 0 };
    size_t end = tfp_shlo_outside(*s, ",)>");
    *s = (tfp_str){ s->data + end, s->size - end };
    if (end) tfp_build_keep(r->b, tfp_push(&m->arrays, a));
}

uint32_t tfp_shlo_types(tfp_shlo *r, tfp_str *s, uint32_t *count)
{
    tfp_hlo_module *m = r->m;
    tfp_hlo_shape shape = { .first = (uint32_t)m->arrays.size };
    bool many = tfp_shlo_take(s, "(");
    *count = 0;
    tfp_shlo_blanks(s);
    while (s->size && s->data[0] != ')' && !r->b->status) {
        bool tuple = s->size > 6 && memcmp(s->data, "tuple<", 6) == 0;
        size_t end = tfp_shlo_outside(*s, ",)");
        tfp_str type = { s->data, tuple ? end : tfp_shlo_outside((tfp_str){ s->data, end }, " ") };
        size_t before;
        do {
            before = type.size;
            read_type(r, &type);
        } while (tuple && type.size && type.size < before && !r->b->status);
        shape.tuple |= tuple;
        *s = (tfp_str){ s->data + end, s->size - end };
        (*count)++;
        if (!tfp_shlo_take(s, ",")) break;
        tfp_shlo_blanks(s);
    }
    if (many) tfp_shlo_take(s, ")");
    shape.count = (uint32_t)m->arrays.size - shape.first;
    shape.tuple |= *count != 1;
    return tfp_build_keep(r->b, tfp_push(&m->shapes, shape)) ? (uint32_t)m->shapes.size - 1 : TFP_NONE;
}

uint32_t tfp_shlo_tuple(tfp_shlo *r, const int64_t *ids, size_t count)
{
    tfp_hlo_module *m = r->m;
    tfp_hlo_shape shape = { .first = (uint32_t)m->arrays.size, .tuple = true };
    for (size_t i = 0; i < count; i++) {
        uint32_t at = r->values.at[ids[i]].shape;
        bool array =
            at != TFP_NONE && m->shapes.at[at].count == 1; /* a nested tuple would be flattened again and again */
        tfp_hlo_array a = array ? m->arrays.at[m->shapes.at[at].first] : (tfp_hlo_array){ .type = TFP_HLO_OPAQUE };
        tfp_build_keep(r->b, tfp_push(&m->arrays, a));
    }
    shape.count = (uint32_t)m->arrays.size - shape.first;
    return tfp_build_keep(r->b, tfp_push(&m->shapes, shape)) ? (uint32_t)m->shapes.size - 1 : TFP_NONE;
}

tfp_status tfp_shlo_fail(const tfp_shlo *r, const char *at, tfp_error *err, const char *what)
{
    if (r->b->status) return tfp_builder_status(r->b, err); /* out of memory: nothing was read */
    return tfp_fail_at(err, TFP_BADFILE, r->line_number, (int)(at - r->line_start) + 1, "%s", what);
}
