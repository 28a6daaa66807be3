// SPDX-License-Identifier: Apache-2.0
/* names/cpp.c: splits a demangled C++ name into its parts, and finds the words for its types. */
#include "names/names.h"

static int depth_change(char c)
{
    return c == '<' || c == '(' || c == '{' || c == '[' ? 1 : c == '>' || c == ')' || c == '}' || c == ']' ? -1 : 0;
}

static tfp_str part_of(tfp_str s, size_t from, size_t end) { return (tfp_str){ s.data + from, end - from }; }

static tfp_str trimmed(tfp_str s)
{
    while (s.size && *s.data == ' ') s.data++, s.size--;
    while (s.size && s.data[s.size - 1] == ' ') s.size--;
    return s;
}

/* The name without its return type and its parameters. */
static tfp_str without_signature(tfp_str s)
{
    size_t from = 0, depth = 0, i = 0;
    for (; i < s.size && !(s.data[i] == '(' && !depth); i++) {
        int change = depth_change(s.data[i]);
        if (change > 0 || depth) depth += (size_t)change;
        if (s.data[i] == ' ' && !depth) from = i + 1;
    }
    return part_of(s, from, i);
}

tfp_cpp tfp_cpp_of(tfp_str text)
{
    tfp_str s = without_signature(trimmed(text));
    size_t depth = 0, name = 0, open = s.size, close = s.size;
    for (size_t i = 0; i < s.size; i++) {
        if (s.data[i] == '<' && !depth++) open = i;
        if (s.data[i] == '>' && depth && !--depth) close = i;
        if (!depth && i + 1 < s.size && s.data[i] == ':' && s.data[i + 1] == ':') {
            name = i + 2;
            open = close = s.size;
        }
    }
    tfp_cpp c = { part_of(s, 0, open), part_of(s, name, open > name ? open : s.size), { s.data, 0 } };
    if (open < close) c.arguments = part_of(s, open + 1, close);
    return c;
}

bool tfp_cpp_argument(tfp_str *rest, tfp_str *out)
{
    size_t depth = 0, i = 0;
    if (!rest->size) return false;
    for (; i < rest->size && !(rest->data[i] == ',' && !depth); i++) {
        int change = depth_change(rest->data[i]);
        if (change > 0 || depth) depth += (size_t)change;
    }
    *out = trimmed(part_of(*rest, 0, i));
    *rest = part_of(*rest, i < rest->size ? i + 1 : i, rest->size);
    return true;
}

const char *tfp_type_word(tfp_str text)
{
    static const struct {
        const char *type, *word;
    } types[] = { { "float", "float" },
                  { "double", "double" },
                  { "int", "int" },
                  { "long", "long" },
                  { "long long", "long" },
                  { "short", "int16" },
                  { "char", "int8" },
                  { "signed char", "int8" },
                  { "unsigned char", "uint8" },
                  { "bool", "bool" },
                  { "half", "half" },
                  { "__half", "half" },
                  { "c10::Half", "half" },
                  { "_Float16", "half" },
                  { "c10::BFloat16", "bf16" },
                  { "__nv_bfloat16", "bf16" },
                  { "nv_bfloat16", "bf16" },
                  { "__hip_bfloat16", "bf16" },
                  { "hip_bfloat16", "bf16" },
                  { "c10::Float8_e4m3fn", "fp8" },
                  { "c10::Float8_e5m2", "fp8" },
                  { "__nv_fp8_e4m3", "fp8" },
                  { "c10::complex<float>", "complex" },
                  { "c10::complex<double>", "complex double" } };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (tfp_str_eq(text, tfp_str_of(types[i].type))) return types[i].word;
    return NULL;
}

const char *tfp_type_first(tfp_str arguments)
{
    for (tfp_str argument; tfp_cpp_argument(&arguments, &argument);) {
        const char *word = tfp_type_word(argument);
        if (word && strcmp(word, "bool") != 0) return word;
    }
    return NULL;
}

void tfp_word(tfp_buf *out, tfp_str word)
{
    if (out->size && word.size) tfp_buf_char(out, ' ');
    tfp_buf_str(out, word);
}

void tfp_words_of_camel(tfp_buf *out, tfp_str name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool upper = c >= 'A' && c <= 'Z', after_lower = i && name.data[i - 1] >= 'a' && name.data[i - 1] <= 'z';
        if (upper && after_lower) tfp_buf_char(out, ' ');
        tfp_buf_char(out, upper ? (char)(c + 32) : c);
    }
}

void tfp_maker(tfp_buf *out, tfp_str maker)
{
    if (!maker.size) return;
    tfp_buf_text(out, " \xc2\xb7 ");
    tfp_buf_str(out, maker);
}

bool tfp_part_next(tfp_str *rest, char by, tfp_str *out)
{
    if (!rest->size) return false;
    const char *end = memchr(rest->data, by, rest->size);
    *out = (tfp_str){ rest->data, end ? (size_t)(end - rest->data) : rest->size };
    size_t taken = out->size + (end != NULL);
    *rest = (tfp_str){ rest->data + taken, rest->size - taken };
    return true;
}
