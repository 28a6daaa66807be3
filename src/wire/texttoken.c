// SPDX-License-Identifier: Apache-2.0
/* wire/texttoken.c: the words of protobuf's text format.
 * In: a text. Out: one word at a time, or the first fault as line and column. Knows no message.
 * The rules (which numbers are fine, where a fault is placed) are those of protobuf's own tokenizer. */
#include "wire/texttoken.h"

#include <float.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* Classes of bytes. */
enum { SPACE = 1, LETTER = 2, DIGIT = 4, HEX = 8, CONTROL = 16, STOP = 32 }; /* STOP: needs a check inside a string */

/* clang-format off */
#define W SPACE
#define L LETTER
#define H (LETTER | HEX)
#define D (DIGIT | HEX)
#define C CONTROL
#define S STOP
#define N (SPACE | STOP)
#define Z (CONTROL | STOP)
static const uint8_t classes[256] = {
    Z, C, C, C, C, C, C, C,  C, W, N, W, W, W, C, C,  C, C, C, C, C, C, C, C,  C, C, C, C, C, C, C, C,
    W, 0, S, 0, 0, 0, 0, S,  0, 0, 0, 0, 0, 0, 0, 0,  D, D, D, D, D, D, D, D,  D, D, 0, 0, 0, 0, 0, 0,
    0, H, H, H, H, H, H, L,  L, L, L, L, L, L, L, L,  L, L, L, L, L, L, L, L,  L, L, L, 0, S, 0, 0, L,
    0, H, H, H, H, H, H, L,  L, L, L, L, L, L, L, L,  L, L, L, L, L, L, L, L,  L, L, L, 0, 0, 0, 0, 0,
};
/* clang-format on */
#undef W
#undef L
#undef H
#undef D
#undef C
#undef S
#undef N
#undef Z

static bool is(char c, int class) { return classes[(uint8_t)c] & class; }

static bool is_octal(char c) { return c >= '0' && c <= '7'; }

/* Lines and columns are only needed once, so they are counted when a fault is reported. */
static void place(const tfp_tokens *t, const char *at, int *line, int *column)
{
    int64_t l = 1, c = 0;
    for (const char *p = t->start; p < at; p++) {
        if (*p == '\n')
            l++, c = 0;
        else if (*p == '\t')
            c += 8 - c % 8;
        else
            c++;
    }
    *line = l < INT32_MAX ? (int)l : INT32_MAX;
    *column = c < INT32_MAX ? (int)c + 1 : INT32_MAX;
}

void tfp_token_fail_at(tfp_tokens *t, const char *at, tfp_status s, const char *format, ...)
{
    if (t->status) return;
    int line, column;
    place(t, at, &line, &column);
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    t->status = tfp_fail_at(t->err, s, line, column, "%s", text);
    t->now = (tfp_token){ TFP_T_END, false, { t->end, 0 } };
    t->at = t->end;
}

static void bad(tfp_tokens *t, const char *at, const char *what) { tfp_token_fail_at(t, at, TFP_BADFILE, "%s", what); }

void tfp_token_expected(tfp_tokens *t, const char *what)
{
    tfp_str found = t->now.text;
    if (t->now.kind == TFP_T_END) tfp_token_fail_at(t, found.data, TFP_BADFILE, "expected %s, found the end", what);
    int size = found.size < 60 ? (int)found.size : 60;
    const char *more = found.size > 60 ? "…" : "";
    tfp_token_fail_at(t, found.data, TFP_BADFILE, "expected %s, found `%.*s%s`", what, size, found.data, more);
}

static char peek(const tfp_tokens *t, const char *p) { return p < t->end ? *p : '\0'; }

static const char *skip(const tfp_tokens *t, const char *p, int class)
{
    while (p < t->end && is(*p, class)) p++;
    return p;
}

/* Skips blanks and comments up to the first byte of a word or the end. */
static const char *skip_blanks(const tfp_tokens *t, const char *p)
{
    for (;;) {
        p = skip(t, p, SPACE);
        if (peek(t, p) != '#') return p;
        while (p < t->end && *p != '\n' && *p != '\0') p++; /* a NUL byte is a fault even here */
    }
}

static const char *scan_exponent(tfp_tokens *t, const char *p)
{
    p++;
    if (peek(t, p) == '+' || peek(t, p) == '-') p++;
    if (!is(peek(t, p), DIGIT)) bad(t, p, "\"e\" must be followed by digits");
    return skip(t, p, DIGIT);
}

static const char *scan_decimal(tfp_tokens *t, const char *p, bool *is_float)
{
    p = skip(t, p, DIGIT);
    if (peek(t, p) == '.') {
        *is_float = true;
        p = skip(t, p + 1, DIGIT);
    }
    if (peek(t, p) == 'e' || peek(t, p) == 'E') {
        *is_float = true;
        p = scan_exponent(t, p);
    }
    if (peek(t, p) == 'f' || peek(t, p) == 'F') {
        *is_float = true;
        p++;
    }
    return p;
}

static const char *scan_number(tfp_tokens *t, const char *p)
{
    bool is_float = false;
    char second = peek(t, p + 1);
    if (*p == '0' && (second == 'x' || second == 'X')) {
        p += 2;
        if (!is(peek(t, p), HEX)) bad(t, p, "\"0x\" must be followed by hex digits");
        p = skip(t, p, HEX);
    } else if (*p == '0' && is(second, DIGIT)) {
        while (is_octal(peek(t, p))) p++;
        if (is(peek(t, p), DIGIT)) bad(t, p, "a number that begins with 0 must be octal");
    } else {
        p = scan_decimal(t, p, &is_float);
    }
    if (is(peek(t, p), LETTER)) bad(t, p, "a space is missing between a number and a name");
    if (peek(t, p) == '.') {
        bad(t, p, is_float ? "a second decimal point in a number" : "a hex or octal number with a decimal point");
    }
    t->now.kind = is_float ? TFP_T_FLOAT : TFP_T_INTEGER;
    return p;
}

/* The digits after \u (four) or \U (eight, and at most 21 bits); returns the place after them. */
static const char *scan_code(tfp_tokens *t, const char *p, int digits)
{
    for (int i = 0; i < digits; i++, p++) {
        char c = peek(t, p);
        bool good = is(c, HEX);
        if (digits == 8 && i < 2) good = c == '0';
        if (digits == 8 && i == 2) good = c == '0' || c == '1';
        if (good) continue;
        bad(t, p,
            digits == 8 ? "\\U must be followed by eight hex digits, at most 001fffff"
                        : "\\u must be followed by four hex digits");
        break;
    }
    return p;
}

/* p is after the backslash; checks the escape and returns the end of the bytes that certainly belong to it. */
static const char *scan_escape(tfp_tokens *t, const char *p)
{
    char c = peek(t, p);
    if (p < t->end && c && (strchr("abfnrtv\\?'\"", c) || is_octal(c))) return p + 1;
    if (c == 'u' || c == 'U') return scan_code(t, p + 1, c == 'u' ? 4 : 8);
    if (c == 'x' || c == 'X') {
        if (!is(peek(t, p + 1), HEX)) bad(t, p + 1, "\\x must be followed by hex digits");
        return p + 2;
    }
    bad(t, p, "an unknown escape in a string");
    return p;
}

static const char *scan_string(tfp_tokens *t, const char *p)
{
    char quote = *p++;
    while (!t->status) {
        while (p < t->end && !is(*p, STOP)) p++;
        if (p == t->end) {
            bad(t, p, "a string without its closing quote");
        } else if (*p == quote) {
            break;
        } else if (*p == '\\') {
            t->now.escaped = true;
            p = scan_escape(t, p + 1);
        } else if (*p == '\n') {
            bad(t, p, "a string that goes over the end of its line");
        } else if (*p == '\0') {
            bad(t, p, "a NUL byte in a string");
        } else {
            p++;
        }
    }
    t->now.kind = TFP_T_STRING;
    return p + 1;
}

/* `x.5` is a name and a number, and needs a blank between them. */
static void check_point_after_name(tfp_tokens *t, const char *p)
{
    const tfp_token *last = &t->now;
    if (last->kind == TFP_T_NAME && last->text.data + last->text.size == p) {
        bad(t, p, "a space is missing between a name and a decimal point");
    }
}

static const char *scan_word(tfp_tokens *t, const char *p)
{
    char c = *p;
    t->now.escaped = false;
    if (is(c, LETTER)) {
        t->now.kind = TFP_T_NAME;
        return skip(t, p, LETTER | DIGIT);
    }
    if (is(c, DIGIT)) return scan_number(t, p);
    if (c == '"' || c == '\'') return scan_string(t, p);
    if (is(c, CONTROL)) bad(t, p, "a control character");
    if (c & 0x80) bad(t, p, "a character that is not ASCII, outside of a string");
    t->now.kind = c;
    return p + 1;
}

void tfp_token_next(tfp_tokens *t)
{
    if (t->status) return;
    const char *p = skip_blanks(t, t->at);
    if (p == t->end) {
        t->now = (tfp_token){ TFP_T_END, false, { p, 0 } };
        t->at = p;
        return;
    }
    const char *word = p;
    if (*p == '.' && is(peek(t, p + 1), DIGIT)) {
        check_point_after_name(t, p);
        t->now.escaped = false;
        p = scan_number(t, p);
    } else {
        p = scan_word(t, p);
    }
    if (t->status) {
        t->now = (tfp_token){ TFP_T_END, false, { t->end, 0 } };
        return;
    }
    t->now.text = (tfp_str){ word, (size_t)(p - word) };
    t->at = p;
}

void tfp_token_start(tfp_tokens *t, tfp_str text, tfp_error *err)
{
    if (!text.size) text.data = "";
    *t = (tfp_tokens){ .start = text.data, .at = text.data, .end = text.data + text.size, .err = err };
    tfp_token_next(t);
}

static unsigned hex_value(char c) { return is(c, DIGIT) ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a' + 10); }

bool tfp_token_is_decimal(tfp_str text)
{
    return !(text.size > 1 && text.data[0] == '0' && is(text.data[1], LETTER | DIGIT));
}

bool tfp_token_uint(tfp_str text, uint64_t max, uint64_t *out)
{
    unsigned base = 10;
    size_t i = 0;
    if (text.size > 1 && text.data[0] == '0') {
        bool hex = is(text.data[1], LETTER);
        base = hex ? 16 : 8;
        i = hex ? 2 : 1;
    }
    uint64_t n = 0;
    for (; i < text.size; i++) {
        unsigned digit = hex_value(text.data[i]);
        if (digit > max || n > (max - digit) / base) return false;
        n = n * base + digit;
    }
    *out = n;
    return true;
}

/* Up to 15 digits and a small power of ten are exact in a double, and so is their product or quotient rounded once. */
static bool short_double(tfp_str text, double *out)
{
    static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    if (FLT_EVAL_METHOD != 0) return false;
    uint64_t digits = 0;
    int count = 0, after_point = 0;
    bool point = false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '.') {
            point = true;
        } else if (is(c, DIGIT)) {
            if (++count > 15) return false;
            digits = digits * 10 + (uint64_t)(c - '0');
            after_point += point;
        } else {
            return false;
        }
    }
    *out = (double)digits / powers[after_point];
    return true;
}

static bool all_digits(tfp_str text)
{
    size_t i = 0;
    while (i < text.size && is(text.data[i], DIGIT)) i++;
    return i == text.size;
}

double tfp_token_double(tfp_str text, tfp_buf *scratch)
{
    double value = 0;
    uint64_t whole;
    if (text.size && (text.data[text.size - 1] | 32) == 'f') text.size--;
    if (short_double(text, &value)) return value;
    if (all_digits(text) && tfp_token_uint(text, UINT64_MAX, &whole)) return (double)whole;
    scratch->size = 0;
    tfp_buf_str(scratch, text);
    tfp_buf_char(scratch, '\0');
    /* The user's locale may have a decimal comma. */
    locale_t c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (scratch->failed || !c_locale) {
        scratch->failed = true;
        return 0;
    }
    value = strtod_l(scratch->data, NULL, c_locale);
    freelocale(c_locale);
    return value;
}

static void put_code_point(tfp_buf *out, uint32_t code)
{
    if (code < 0x80) {
        tfp_buf_char(out, (char)code);
    } else if (code < 0x800) {
        tfp_buf_char(out, (char)(0xC0 | (code >> 6)));
        tfp_buf_char(out, (char)(0x80 | (code & 0x3F)));
    } else if (code < 0x10000) {
        tfp_buf_char(out, (char)(0xE0 | (code >> 12)));
        tfp_buf_char(out, (char)(0x80 | ((code >> 6) & 0x3F)));
        tfp_buf_char(out, (char)(0x80 | (code & 0x3F)));
    } else if (code > 0x10FFFF) {
        tfp_buf_printf(out, "\\U%08x", (unsigned)code); /* not a character: protobuf keeps the escape as written */
    } else {
        tfp_buf_char(out, (char)(0xF0 | (code >> 18)));
        tfp_buf_char(out, (char)(0x80 | ((code >> 12) & 0x3F)));
        tfp_buf_char(out, (char)(0x80 | ((code >> 6) & 0x3F)));
        tfp_buf_char(out, (char)(0x80 | (code & 0x3F)));
    }
}

static uint32_t hex_code(const char *p, int digits)
{
    uint32_t code = 0;
    for (int i = 0; i < digits; i++) code = code << 4 | hex_value(p[i]);
    return code;
}

/* p is on the u or U; a surrogate pair written as two escapes is one character. */
static const char *unescape_unicode(const char *p, const char *end, tfp_buf *out)
{
    int digits = *p == 'u' ? 4 : 8;
    uint32_t code = hex_code(p + 1, digits);
    p += 1 + digits;
    if (code >= 0xD800 && code < 0xDC00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
        uint32_t low = hex_code(p + 2, 4);
        if (low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            p += 6;
        }
    }
    put_code_point(out, code);
    return p;
}

/* p is after the backslash of an escape that the scanner has checked; returns the place after the escape. */
static const char *unescape_one(const char *p, const char *end, tfp_buf *out)
{
    static const char letters[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
    unsigned code = 0;
    int digits = 0;
    if (*p == 'u' || *p == 'U') return unescape_unicode(p, end, out);
    if (is_octal(*p)) {
        for (; digits < 3 && p < end && is_octal(*p); digits++) code = code << 3 | (unsigned)(*p++ - '0');
        tfp_buf_char(out, (char)code);
        return p;
    }
    if (*p == 'x' || *p == 'X') {
        for (p++; digits < 2 && p < end && is(*p, HEX); digits++) code = code << 4 | hex_value(*p++);
        tfp_buf_char(out, (char)code);
        return p;
    }
    const char *letter = strchr(letters, *p);
    tfp_buf_char(out, letter ? values[letter - letters] : *p);
    return p + 1;
}

void tfp_token_unescape(const tfp_token *t, tfp_buf *out)
{
    const char *p = t->text.data + 1, *end = t->text.data + t->text.size - 1;
    if (!t->escaped) {
        tfp_buf_add(out, p, (size_t)(end - p));
        return;
    }
    while (p < end) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));
        if (!slash) slash = end;
        tfp_buf_add(out, p, (size_t)(slash - p));
        p = slash < end ? unescape_one(slash + 1, end, out) : end;
    }
}
