/* wire/jsonscan.c: JSON pulled off a window of text, value by value. Strings are searched 16 bytes at a time where the
 * machine can. */
#include "wire/jsonscan.h"

#include <math.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

void tfp_jscan_fail(tfp_jscan *j, tfp_jscan_fault fault, const char *wrong)
{
    if (j->fault) return;
    j->fault = fault;
    j->wrong = wrong;
}

static bool more(tfp_jscan *j)
{
    tfp_jscan_fail(j, TFP_JSCAN_MORE, "the text ends inside a value");
    return false;
}

static bool wrong(tfp_jscan *j, const char *what)
{
    tfp_jscan_fail(j, TFP_JSCAN_WRONG, what);
    return false;
}

/* ---- searching ---- */

/* The first byte from `at` that is above a blank; `end` when there is none. */
static inline const char *after_blanks(const char *at, const char *end)
{
#ifdef __SSE2__
    const __m128i blank = _mm_set1_epi8(' ');
    for (; end - at >= 16; at += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)at);
        unsigned blanks = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(x, blank), blank));
        if (blanks != 0xffff) return at + __builtin_ctz(~blanks);
    }
#endif
    while (at < end && (unsigned char)*at <= ' ') at++;
    return at;
}

/* The first quote or backslash from `at`. */
static inline const char *find_quote(const char *at, const char *end)
{
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    for (; end - at >= 16; at += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)at);
        unsigned hits = (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, slash)));
        if (hits) return at + __builtin_ctz(hits);
    }
#endif
    while (at < end && *at != '"' && *at != '\\') at++;
    return at;
}

/* The first quote, bracket or brace from `at`. Brackets and braces differ from each other in the bit 0x20 only. */
static inline const char *find_bracket(const char *at, const char *end)
{
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), bit = _mm_set1_epi8(0x20);
    const __m128i open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}');
    for (; end - at >= 16; at += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)at), low = _mm_or_si128(x, bit);
        __m128i any = _mm_or_si128(_mm_cmpeq_epi8(low, open), _mm_cmpeq_epi8(low, close));
        unsigned hits = (unsigned)_mm_movemask_epi8(_mm_or_si128(any, _mm_cmpeq_epi8(x, quote)));
        if (hits) return at + __builtin_ctz(hits);
    }
#endif
    for (; at < end; at++)
        if (*at == '"' || *at == '{' || *at == '}' || *at == '[' || *at == ']') break;
    return at;
}

unsigned char tfp_jscan_blanks(tfp_jscan *j)
{
    if (j->fault) return 0;
    j->at = after_blanks(j->at, j->end);
    if (j->at < j->end) return (unsigned char)*j->at;
    more(j);
    return 0;
}

bool tfp_jscan_take(tfp_jscan *j, char c, const char *what)
{
    if (tfp_jscan_peek(j) != (unsigned char)c) return wrong(j, what);
    j->at++;
    return true;
}

/* ---- structure ---- */

bool tfp_jscan_string(tfp_jscan *j, tfp_jscan_text *out)
{
    *out = (tfp_jscan_text){ { "", 0 }, false };
    if (!tfp_jscan_take(j, '"', "no quote where a string begins")) return false;
    const char *at = j->at;
    for (;;) {
        at = find_quote(at, j->end);
        if (at == j->end) return more(j);
        if (*at == '"') break;
        out->escaped = true;
        if (j->end - at < 2) return more(j);
        at += 2;
    }
    out->raw = (tfp_str){ j->at, (size_t)(at - j->at) };
    j->at = at + 1;
    return true;
}

bool tfp_jscan_member(tfp_jscan *j, bool first, tfp_jscan_text *key)
{
    unsigned char c = tfp_jscan_peek(j);
    if (c == '}') {
        j->at++;
        return false;
    }
    if (!first) {
        if (c != ',') return wrong(j, "no comma between members");
        j->at++;
        if (tfp_jscan_peek(j) == '}') return wrong(j, "a comma before '}'");
    }
    return tfp_jscan_string(j, key) && tfp_jscan_take(j, ':', "no colon after a key");
}

bool tfp_jscan_item(tfp_jscan *j, bool first)
{
    unsigned char c = tfp_jscan_peek(j);
    if (c == ']') {
        j->at++;
        return false;
    }
    if (first || j->fault) return !j->fault;
    if (c != ',') return wrong(j, "no comma between items");
    j->at++;
    return tfp_jscan_peek(j) == ']' ? wrong(j, "a comma before ']'") : !j->fault;
}

/* An array or object: brackets are matched by a bit a level, what is between them is not looked at. */
static void skip_nested(tfp_jscan *j)
{
    uint64_t kinds[TFP_JSCAN_DEPTH / 64] = { 0 }; /* set: an object */
    size_t depth = 0;
    const char *at = j->at;
    do {
        at = find_bracket(at, j->end);
        if (at == j->end) {
            more(j);
            return;
        }
        bool object = (*at | 0x20) == *at;
        j->at = at;
        if (*at == '"') {
            tfp_jscan_text text;
            if (!tfp_jscan_string(j, &text)) return;
            at = j->at;
            continue;
        }
        at++;
        if (((unsigned char)at[-1] | 0x20) == '{') {
            if (depth == TFP_JSCAN_DEPTH) {
                wrong(j, "nested too deep");
                return;
            }
            uint64_t bit = UINT64_C(1) << (depth & 63);
            kinds[depth >> 6] = object ? kinds[depth >> 6] | bit : kinds[depth >> 6] & ~bit;
            depth++;
            continue;
        }
        depth--; /* never below 0: the first byte opens */
        if ((kinds[depth >> 6] >> (depth & 63) & 1) != object) {
            wrong(j, "a bracket that closes another kind");
            return;
        }
    } while (depth);
    j->at = at;
}

/* Bytes of numbers and words: up to what may follow a value. */
static tfp_str bare_word(tfp_jscan *j)
{
    const char *at = j->at;
    while (at < j->end && (unsigned char)*at > ' ' && *at != ',' && *at != '}' && *at != ']' && *at != ':') at++;
    tfp_str word = { j->at, (size_t)(at - j->at) };
    if (at == j->end) more(j); /* it may go on */
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
    bool minus, cut; /* cut: digits were left out that were not 0 */
    bool integer;    /* written without '.' and exponent */
} decimal;

/* The form of JSON's numbers; leading zeros and plus signs are let through. */
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
    uint64_t whole = d->digits, rest = 0, unit = 1; /* rest of `unit` */
    int power = d->power + 3;
    t.fraction = d->power < 0 && d->digits; /* perhaps of zeros only: see below */
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
        } else { /* the lowest of nine digits falls off */
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

tfp_jscan_time tfp_jscan_micros(tfp_jscan *j)
{
    tfp_jscan_time none = { 0 };
    unsigned char c = tfp_jscan_peek(j);
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
    double x = (double)d->digits;
    int power = d->power < -400 ? -400 : d->power > 400 ? 400 : d->power;
    x = power < 0 && power >= -22 ? x / pow(10, -power) : x * pow(10, power);
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

bool tfp_jscan_integer(tfp_jscan *j, int64_t *out)
{
    tfp_str word;
    decimal d;
    return number_word(j, &word) && parse_decimal(word, &d) && integer_of(&d, out);
}

bool tfp_jscan_unsigned(tfp_jscan *j, uint64_t *out)
{
    tfp_str word;
    decimal d;
    if (!number_word(j, &word) || !parse_decimal(word, &d)) return false;
    if (d.minus || d.power || d.cut) return false;
    *out = d.digits;
    return true;
}

/* ---- any value ---- */

static void word_value(tfp_jscan *j, tfp_jscan_value *v)
{
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
        v->real = real_of(&d);
    } else if (is_no_number(word, &v->real)) {
        v->kind = TFP_JSCAN_REAL;
    } else {
        wrong(j, "no value");
        return;
    }
    j->at += word.size;
}

void tfp_jscan_value_of(tfp_jscan *j, tfp_jscan_value *v)
{
    *v = (tfp_jscan_value){ .kind = TFP_JSCAN_NULL };
    unsigned char c = tfp_jscan_peek(j);
    const char *from = j->at;
    if (j->fault) return;
    if (c == '"') {
        v->kind = TFP_JSCAN_STRING;
        tfp_jscan_string(j, &v->text);
    } else if (c == '{' || c == '[') {
        v->kind = c == '{' ? TFP_JSCAN_OBJECT : TFP_JSCAN_ARRAY;
        skip_nested(j);
        v->text.raw = (tfp_str){ from, (size_t)(j->at - from) };
    } else {
        word_value(j, v);
    }
}

void tfp_jscan_skip(tfp_jscan *j)
{
    tfp_jscan_value v;
    tfp_jscan_text text;
    unsigned char c = tfp_jscan_peek(j);
    if (j->fault) return;
    if (c == '"')
        tfp_jscan_string(j, &text);
    else if (c == '{' || c == '[')
        skip_nested(j);
    else
        word_value(j, &v);
}

/* ---- escapes ---- */

static bool hex4(const char *at, const char *end, uint32_t *out)
{
    if (end - at < 4) return false;
    *out = 0;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 16;
        if (digit == 16) return false;
        *out = *out << 4 | digit;
    }
    return true;
}

static void put_utf8(tfp_buf *b, uint32_t c)
{
    char s[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = n; i-- > 1; c >>= 6) s[i] = (char)(0x80 | (c & 0x3f));
    s[0] = (char)(lead[n] | c);
    tfp_buf_add(b, s, n);
}

/* What stands behind "\u"; gives the bytes taken, 0 when it is no escape. */
static size_t unicode_escape(const char *at, const char *end, tfp_buf *out)
{
    uint32_t c, low;
    if (!hex4(at, end, &c)) return 0;
    size_t used = 4;
    if (c >= 0xd800 && c < 0xdc00 && end - at >= 10 && at[4] == '\\' && at[5] == 'u' && hex4(at + 6, end, &low) &&
        low >= 0xdc00 && low < 0xe000) {
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        used = 10;
    }
    put_utf8(out, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
    return used;
}

void tfp_jscan_decode(tfp_str raw, tfp_buf *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *at = raw.data, *end = at + raw.size;
    while (at < end) {
        const char *slash = memchr(at, '\\', (size_t)(end - at));
        tfp_buf_add(out, at, (size_t)((slash ? slash : end) - at));
        if (!slash) return;
        at = slash + 1;
        const char *known = at < end && *at ? strchr(from, *at) : NULL;
        size_t used = 0;
        if (known) {
            tfp_buf_char(out, to[known - from]);
            at++;
        } else if (at < end && *at == 'u' && (used = unicode_escape(at + 1, end, out))) {
            at += 1 + used;
        } else {
            tfp_buf_char(out, '\\'); /* a raw backslash, as old writers left them */
        }
    }
}
