// SPDX-License-Identifier: Apache-2.0
/* wire/jsonscan.c: the structure of JSON in a window of text: strings, members, items, values of any kind, escapes. Text is
 * searched 16 bytes at a time where the machine can. Numbers: jsonnumber.c. */
#include "wire/jsonscan.h"

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

bool tfp_jscan_long_string(tfp_jscan *j, tfp_jscan_text *out)
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

bool tfp_jscan_any_member(tfp_jscan *j, bool first, tfp_jscan_text *key)
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

/* ---- any value ---- */

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
        tfp_jscan_word(j, v);
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
        tfp_jscan_word(j, &v);
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
