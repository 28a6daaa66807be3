// SPDX-License-Identifier: Apache-2.0
/* wire/jsonnumber.c: numbers and words of JSON: exact decimals, times in microseconds as nanoseconds. */
#include "wire/jsonscan.h"

#include <math.h>

static bool wrong(tfp_jscan *j, const char *what)
{
    tfp_jscan_fail(j, TFP_JSCAN_WRONG, what);
    return false;
}

/* ---- words ---- */

const char *tfp_jscan_long_digits(const char *at, const char *end, uint64_t *out)
{
    const char *last = end - at > 18 ? at + 18 : end;
    uint64_t n = 0;
    for (; at < last; at++) {
        unsigned digit = (unsigned)(unsigned char)*at - '0';
        if (digit > 9) break;
        n = n * 10 + digit;
    }
    *out = n;
    return at;
}

/* The bytes of a number or word, up to a byte that may follow a value. */
static tfp_str bare_word(tfp_jscan *j)
{
    const char *at = j->at;
    while (at < j->end && (unsigned char)*at > ' ' && *at != ',' && *at != '}' && *at != ']' && *at != ':') at++;
    tfp_str word = { j->at, (size_t)(at - j->at) };
    if (at == j->end) tfp_jscan_fail(j, TFP_JSCAN_MORE, "the text ends inside a value"); /* the value may continue */
    return word;
}

static bool word_is(tfp_str word, const char *text) { return tfp_str_eq(word, tfp_str_of(text)); }

/* NaN and Infinity as Python, JavaScript and C++ streams write them. */
static bool is_no_number(tfp_str word, double *out)
{
    bool minus = word.size && word.data[0] == '-';
    if (minus || (word.size && word.data[0] == '+')) word = (tfp_str){ word.data + 1, word.size - 1 };
    bool nan = word_is(word, "NaN") || word_is(word, "nan");
    bool infinite = word_is(word, "Infinity") || word_is(word, "inf") || word_is(word, "Inf");
    *out = nan ? (double)NAN : minus ? -(double)INFINITY : (double)INFINITY;
    return nan || infinite;
}

/* ---- numbers ---- */

typedef struct decimal {
    uint64_t digits; /* value: digits * 10^power, rounded towards 0 */
    int power;
    bool minus, cut; /* cut: digits other than 0 were left out */
    bool integer;    /* written without '.' and exponent */
} decimal;

/* Parses JSON's form of numbers; leading zeros and plus signs are accepted. */
static bool parse_decimal(tfp_str word, decimal *d)
{
    const char *at = word.data, *end = at + word.size;
    *d = (decimal){ .integer = true };
    if (at < end && (*at == '-' || *at == '+')) d->minus = *at++ == '-';
    size_t seen = 0;
    bool point = false;
    for (; at < end; at++) {
        unsigned digit = (unsigned)(unsigned char)*at - '0';
        if (digit > 9) {
            if (*at != '.' || point) break;
            point = true;
            continue;
        }
        seen++;
        if (d->digits < UINT64_MAX / 10 - 1) {
            d->digits = d->digits * 10 + digit;
            d->power -= point;
        } else {
            d->cut |= digit != 0;
            d->power += !point;
        }
    }
    d->integer = !point;
    if (!seen) return false;
    if (at < end && (*at == 'e' || *at == 'E')) {
        int power = 0;
        d->integer = false;
        at++;
        bool down = at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+')) at++;
        if (at == end) return false;
        for (; at < end && *at >= '0' && *at <= '9'; at++)
            if (power < 100000) power = power * 10 + (*at - '0');
        d->power += down ? -power : power;
    }
    return at == end;
}

static tfp_jscan_time micros_of(const decimal *d)
{
    tfp_jscan_time t = { .known = true };
    uint64_t whole = d->digits, rest = 0, unit = 1; /* fraction: rest / unit */
    int power = d->power + 3;
    t.fraction = d->power < 0 && d->digits; /* corrected below if these digits are all zeros */
    for (; power > 0 && whole; power--)
        if (__builtin_mul_overflow(whole, UINT64_C(10), &whole)) {
            t.known = false;
            t.beyond = true;
            return t;
        }
    for (; power < 0; power++) {
        if (unit < UINT64_C(1000000000)) {
            rest += whole % 10 * unit;
            unit *= 10;
        } else { /* drop the last of nine digits */
            rest = rest / 10 + whole % 10 * (unit / 10);
        }
        whole /= 10;
        if (!whole && !rest) break;
    }
    for (; unit < UINT64_C(1000000000); unit *= 10) rest *= 10;
    if (whole > (uint64_t)INT64_MAX - 1) {
        t.known = false;
        t.beyond = true;
        return t;
    }
    t.ns = (int64_t)whole;
    t.rest = (uint32_t)rest;
    if (d->minus) {
        t.ns = -t.ns;
        if (t.rest || d->cut) { /* rounded down, away from 0 */
            t.ns--;
            t.rest = t.rest ? UINT32_C(1000000000) - t.rest : 0;
        }
    }
    t.fraction = t.fraction && (t.ns % 1000 != 0 || t.rest);
    return t;
}

/* Takes digits with at most nine more after a point, as writers of traces write them. Otherwise returns false and takes
 * nothing. */
static bool plain_micros(tfp_jscan *j, tfp_jscan_time *t)
{
    static const uint32_t powers[] = { 1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1 };
    uint64_t whole, part = 0;
    const char *at = tfp_jscan_digits(j->at, j->end, &whole);
    if (at == j->at || at == j->end || whole > (uint64_t)INT64_MAX / 1000 - 1) return false;
    if (*at == '.') {
        const char *from = ++at;
        at = tfp_jscan_digits(at, j->end, &part);
        if (at == from || at - from > 9 || at == j->end) return false;
        part *= powers[at - from];
    }
    if (!tfp_jscan_ends_value(*at)) return false;
    /* part: the fraction of a microsecond, times 1e9 */
    *t = (tfp_jscan_time){ .ns = (int64_t)(whole * 1000 + part / 1000000),
                           .rest = (uint32_t)(part % 1000000 * 1000),
                           .known = true,
                           .fraction = part != 0 };
    j->at = at;
    return true;
}

tfp_jscan_time tfp_jscan_micros(tfp_jscan *j)
{
    tfp_jscan_time none = { 0 }, plain;
    unsigned char c = tfp_jscan_peek(j);
    if (c >= '0' && c <= '9' && plain_micros(j, &plain)) return plain;
    if (c == '"' || c == '{' || c == '[' || c == 't' || c == 'f' || c == 'n') {
        tfp_jscan_skip(j);
        return none;
    }
    tfp_str word = bare_word(j);
    decimal d;
    double odd;
    if (j->fault) return none;
    if (parse_decimal(word, &d)) {
        j->at += word.size;
        return micros_of(&d);
    }
    if (!is_no_number(word, &odd))
        wrong(j, "no value");
    else
        j->at += word.size;
    return none;
}

static double real_of(const decimal *d)
{
    static const double exact[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    double x = (double)d->digits;
    int power = d->power < -400 ? -400 : d->power > 400 ? 400 : d->power;
    if (power < 0 && power >= -22)
        x /= exact[-power];
    else if (power)
        x *= pow(10, power);
    return d->minus ? -x : x;
}

static bool integer_of(const decimal *d, int64_t *out)
{
    if (d->power < 0 || d->power > 19) return false;
    uint64_t n = d->digits;
    for (int i = 0; i < d->power; i++)
        if (__builtin_mul_overflow(n, UINT64_C(10), &n)) return false;
    if (d->cut || n > (uint64_t)INT64_MAX) return false;
    *out = d->minus ? -(int64_t)n : (int64_t)n;
    return true;
}

/* The word of a number, bare or in quotes. */
static bool number_word(tfp_jscan *j, tfp_str *word)
{
    unsigned char c = tfp_jscan_peek(j);
    tfp_jscan_text text;
    if (c == '"') {
        bool ok = tfp_jscan_string(j, &text);
        *word = text.raw;
        return ok;
    }
    if (c != '-' && (c < '0' || c > '9')) {
        tfp_jscan_skip(j);
        return false;
    }
    *word = bare_word(j);
    j->at += j->fault ? 0 : word->size;
    return !j->fault;
}

bool tfp_jscan_any_integer(tfp_jscan *j, int64_t *out)
{
    tfp_str word;
    decimal d;
    return number_word(j, &word) && parse_decimal(word, &d) && integer_of(&d, out);
}

bool tfp_jscan_any_unsigned(tfp_jscan *j, uint64_t *out)
{
    tfp_str word;
    decimal d;
    if (!number_word(j, &word) || !parse_decimal(word, &d)) return false;
    if (d.minus || d.power || d.cut) return false;
    *out = d.digits;
    return true;
}

void tfp_jscan_word(tfp_jscan *j, tfp_jscan_value *v)
{
    uint64_t n;
    if (tfp_jscan_plain(j, &n)) {
        v->kind = TFP_JSCAN_INT;
        v->number = (int64_t)n;
        return;
    }
    tfp_str word = bare_word(j);
    decimal d;
    if (j->fault) return;
    if (word_is(word, "null")) {
        v->kind = TFP_JSCAN_NULL;
    } else if (word_is(word, "true") || word_is(word, "false")) {
        v->kind = TFP_JSCAN_BOOL;
        v->number = word.size == 4;
    } else if (parse_decimal(word, &d)) {
        v->kind = d.integer && integer_of(&d, &v->number) ? TFP_JSCAN_INT : TFP_JSCAN_REAL;
        if (v->kind == TFP_JSCAN_REAL) v->real = real_of(&d);
    } else if (is_no_number(word, &v->real)) {
        v->kind = TFP_JSCAN_REAL;
    } else {
        wrong(j, "no value");
        return;
    }
    j->at += word.size;
}
