// SPDX-License-Identifier: Apache-2.0
/* wire/textvalue.c: converts one value of protobuf's text format, of any kind but a message, to wire bytes. Each reader
 * takes one value and writes it; false means that it was the zero value. */
#include "wire/textvalue.h"

#include "wire/proto.h"

#include <math.h>

static bool going(const tfp_text_values *p) { return p->t.status == TFP_OK; }

void tfp_text_bad_word(tfp_text_values *p, const char *owner, const char *what, tfp_str word)
{
    const char *more = word.size > 60 ? "…" : "";
    tfp_token_fail_at(&p->t, p->t.now.text.data, TFP_BADFILE, "%s%s \"%.*s%s\"", owner, what,
                      word.size > 60 ? 60 : (int)word.size, word.data, more);
}

static uint64_t take_uint(tfp_text_values *p, uint64_t max)
{
    uint64_t n = 0;
    if (p->t.now.kind != TFP_T_INTEGER) {
        tfp_token_expected(&p->t, "an integer");
    } else if (!tfp_token_uint(p->t.now.text, max, &n)) {
        tfp_text_bad_word(p, "", "out of range: the integer", p->t.now.text);
    }
    tfp_token_next(&p->t);
    return n;
}

static uint64_t take_int(tfp_text_values *p, uint64_t max)
{
    bool negative = tfp_token_sign(&p->t, '-');
    uint64_t n = take_uint(p, max + negative);
    return negative ? 0 - n : n;
}

static double take_double(tfp_text_values *p)
{
    bool negative = tfp_token_sign(&p->t, '-');
    const tfp_token word = p->t.now;
    double value = 0;
    if (word.kind == TFP_T_NAME) {
        tfp_str t = word.text;
        if ((t.size == 3 && !strncasecmp(t.data, "inf", 3)) || (t.size == 8 && !strncasecmp(t.data, "infinity", 8))) {
            value = HUGE_VAL;
        } else if (t.size == 3 && !strncasecmp(t.data, "nan", 3)) {
            value = (double)NAN;
        } else {
            tfp_token_expected(&p->t, "a number");
        }
    } else if (word.kind == TFP_T_FLOAT || (word.kind == TFP_T_INTEGER && tfp_token_is_decimal(word.text))) {
        value = tfp_token_double(word.text, &p->scratch);
    } else {
        tfp_token_expected(&p->t, "a decimal number");
    }
    tfp_token_next(&p->t);
    return negative ? -value : value;
}

static bool put_varint(tfp_text_values *p, const tfp_text_field *f, uint64_t n)
{
    tfp_put_tag(p->wire, f->number, TFP_VARINT);
    tfp_put_varint(p->wire, n);
    return n != 0;
}

static bool read_int32(tfp_text_values *p, const tfp_text_field *f) { return put_varint(p, f, take_int(p, INT32_MAX)); }

static bool read_int64(tfp_text_values *p, const tfp_text_field *f) { return put_varint(p, f, take_int(p, INT64_MAX)); }

static bool read_uint32(tfp_text_values *p, const tfp_text_field *f)
{
    return put_varint(p, f, take_uint(p, UINT32_MAX));
}

static bool read_uint64(tfp_text_values *p, const tfp_text_field *f)
{
    return put_varint(p, f, take_uint(p, UINT64_MAX));
}

static bool read_sint64(tfp_text_values *p, const tfp_text_field *f)
{
    uint64_t n = take_int(p, INT64_MAX);
    return put_varint(p, f, n >> 63 ? ~(n << 1) : n << 1);
}

static bool put_little_endian(tfp_text_values *p, uint64_t bits, int bytes)
{
    for (int i = 0; i < bytes; i++) tfp_buf_char(p->wire, (char)(bits >> (8 * i)));
    return bits != 0;
}

static bool read_float(tfp_text_values *p, const tfp_text_field *f)
{
    double value = take_double(p);
    uint32_t bits;
    float narrow = fabs(value) >= 0x1.ffffffp127 ? copysignf(HUGE_VALF, (float)copysign(1, value)) : (float)value;
    memcpy(&bits, &narrow, sizeof bits);
    tfp_put_tag(p->wire, f->number, TFP_FIXED32);
    return put_little_endian(p, bits, 4);
}

static bool read_fixed64(tfp_text_values *p, const tfp_text_field *f)
{
    uint64_t n = take_uint(p, UINT64_MAX);
    tfp_put_tag(p->wire, f->number, TFP_FIXED64);
    return put_little_endian(p, n, 8);
}

static bool read_double(tfp_text_values *p, const tfp_text_field *f)
{
    double value = take_double(p);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    tfp_put_tag(p->wire, f->number, TFP_FIXED64);
    return put_little_endian(p, bits, 8);
}

static bool is_one_of(tfp_str word, const char *const *words)
{
    for (; *words; words++) {
        if (tfp_str_eq(word, tfp_str_of(*words))) return true;
    }
    return false;
}

static bool read_bool(tfp_text_values *p, const tfp_text_field *f)
{
    static const char *const yes[] = { "true", "True", "t", NULL }, *const no[] = { "false", "False", "f", NULL };
    if (p->t.now.kind == TFP_T_INTEGER) return put_varint(p, f, take_uint(p, 1));
    tfp_str word = p->t.now.text;
    if (p->t.now.kind != TFP_T_NAME) tfp_token_expected(&p->t, "true or false");
    tfp_token_next(&p->t);
    if (going(p) && !is_one_of(word, yes) && !is_one_of(word, no)) {
        tfp_text_bad_word(p, "", "neither true nor false:", word);
    }
    return put_varint(p, f, is_one_of(word, yes));
}

static bool read_enum(tfp_text_values *p, const tfp_text_field *f)
{
    if (p->t.now.kind == TFP_T_INTEGER || p->t.now.kind == '-') return read_int32(p, f);
    tfp_str word = p->t.now.text;
    if (p->t.now.kind != TFP_T_NAME) tfp_token_expected(&p->t, "a name or an integer");
    tfp_token_next(&p->t);
    for (size_t i = 0; i < f->values->count; i++) {
        const tfp_text_enum_value *v = &f->values->values[i];
        if (tfp_str_eq(v->name, word)) return put_varint(p, f, (uint64_t)(int64_t)v->value);
    }
    tfp_text_bad_word(p, f->name.data, " has no value", word);
    return false;
}

/* Adjacent strings are concatenated. */
static bool read_string(tfp_text_values *p, const tfp_text_field *f)
{
    tfp_token first = p->t.now;
    if (first.kind != TFP_T_STRING) {
        tfp_token_expected(&p->t, "a string");
        return false;
    }
    tfp_token_next(&p->t);
    tfp_str value = { first.text.data + 1, first.text.size - 2 };
    if (first.escaped || p->t.now.kind == TFP_T_STRING) {
        p->scratch.size = 0;
        tfp_token_unescape(&first, &p->scratch);
        for (; p->t.now.kind == TFP_T_STRING; tfp_token_next(&p->t)) tfp_token_unescape(&p->t.now, &p->scratch);
        value = (tfp_str){ p->scratch.data, p->scratch.size };
    }
    tfp_put_bytes_always(p->wire, f->number, value);
    return value.size != 0;
}

typedef bool (*value_reader)(tfp_text_values *p, const tfp_text_field *f);
static const value_reader readers[] = {
    [TFP_TEXT_INT32] = read_int32,   [TFP_TEXT_INT64] = read_int64,   [TFP_TEXT_UINT32] = read_uint32,
    [TFP_TEXT_UINT64] = read_uint64, [TFP_TEXT_SINT64] = read_sint64, [TFP_TEXT_FIXED64] = read_fixed64,
    [TFP_TEXT_FLOAT] = read_float,   [TFP_TEXT_DOUBLE] = read_double, [TFP_TEXT_BOOL] = read_bool,
    [TFP_TEXT_STRING] = read_string, [TFP_TEXT_BYTES] = read_string,  [TFP_TEXT_ENUM] = read_enum,
};

bool tfp_text_value(tfp_text_values *p, const tfp_text_field *f) { return readers[f->kind](p, f); }
