// SPDX-License-Identifier: Apache-2.0
/* wire/jsonscan.c: the structure of JSON in a window of text: strings, members, items, values of any kind, escapes.
 * Text is searched 16 bytes at a time where the machine can. Numbers: jsonnumber.c. */
#include "wire/jsonscan.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

void tfp_jscan_fail(tfp_jscan *j, tfp_jscan_fault fault, const char *wrong)
{
    if (j->fault) return;
    j->fault = fault;
    j->wrong = wrong;
    j->end = j->at;
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

/* The first byte from `at` that is greater than a blank; `end` if there is none. */
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

/* Counts a wrong comma at the current position. */
static void note_comma(tfp_jscan *j)
{
    if (!j->commas++) j->comma_at = j->at;
}

/* Takes the comma before a member or item (none before the first one). Returns the byte after it; 0 after a fault. */
static unsigned char take_comma(tfp_jscan *j, bool first, const char *missing)
{
    unsigned char c = tfp_jscan_peek(j);
    if (!first && c != ',' && !(j->lenient && c == '{')) return wrong(j, missing);
    if (!first && c != ',') note_comma(j);
    if (!first && c == ',') {
        j->at++;
        c = tfp_jscan_peek(j);
    }
    while (c == ',' && j->lenient) {
        note_comma(j);
        j->at++;
        c = tfp_jscan_peek(j);
    }
    return c;
}

/* Takes the bracket that ends a value after a comma: a fault, unless the scanner is lenient. */
static bool close_after_comma(tfp_jscan *j, const char *what)
{
    if (!j->lenient) return wrong(j, what);
    note_comma(j);
    j->at++;
    return false;
}

bool tfp_jscan_any_member(tfp_jscan *j, bool first, tfp_jscan_text *key)
{
    if (tfp_jscan_peek(j) == '}') {
        j->at++;
        return false;
    }
    if (take_comma(j, first, "no comma between members") == '}') return close_after_comma(j, "a comma before '}'");
    return tfp_jscan_string(j, key) && tfp_jscan_take(j, ':', "no colon after a key");
}

bool tfp_jscan_item(tfp_jscan *j, bool first)
{
    if (tfp_jscan_peek(j) == ']') {
        j->at++;
        return false;
    }
    if (first && !j->lenient) return !j->fault;
    if (take_comma(j, first, "no comma between items") == ']') return close_after_comma(j, "a comma before ']'");
    return !j->fault;
}

/* Consumes the bracket or brace at `at`. False at the end of the value and after an error; the scanner then stays
 * there. */
static inline bool take_bracket(tfp_jscan *j, tfp_jscan_nest *n, const char *at)
{
    unsigned char c = (unsigned char)*at;
    bool object = c & 0x20; /* the bit by which braces differ from brackets */
    j->at = at;
    if ((c | 0x20) == '{') {
        if (n->depth == TFP_JSCAN_DEPTH) return wrong(j, "nested too deep");
        uint64_t bit = UINT64_C(1) << (n->depth & 63), *level = &n->objects[n->depth >> 6];
        *level = object ? *level | bit : *level & ~bit;
        n->depth++;
        return true;
    }
    n->depth--; /* never below 0, because the first byte is an opening one */
    if ((n->objects[n->depth >> 6] >> (n->depth & 63) & 1) != object)
        return wrong(j, "a bracket that closes another kind");
    if (n->depth) return true;
    j->at++;
    return false;
}

/* Consumes the string at `at`; returns the position after it. NULL after an error; the scanner then stays at the start
 * of the string. */
static const char *take_string(tfp_jscan *j, const char *at)
{
    tfp_jscan_text text;
    j->at = at;
    if (tfp_jscan_string(j, &text)) return j->at;
    j->at = j->end = at;
    return NULL;
}

#ifdef __SSE2__
/* Handles the brackets and string starts in the 16 bytes at `at`. Returns the place to continue; NULL at the end of the
 * value and after a fault. */
static const char *skip_16(tfp_jscan *j, tfp_jscan_nest *n, const char *at)
{
    __m128i x = _mm_loadu_si128((const __m128i *)at), low = _mm_or_si128(x, _mm_set1_epi8(0x20));
    __m128i any = _mm_or_si128(_mm_cmpeq_epi8(low, _mm_set1_epi8('{')), _mm_cmpeq_epi8(low, _mm_set1_epi8('}')));
    unsigned quotes = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')));
    unsigned slashes = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));
    for (unsigned hits = (unsigned)_mm_movemask_epi8(any) | quotes; hits;) {
        unsigned here = (unsigned)__builtin_ctz(hits), closing = quotes & hits & (hits - 1);
        hits &= hits - 1;
        if (!(quotes >> here & 1)) {
            if (!take_bracket(j, n, at + here)) return NULL;
        } else {
            unsigned end = closing & -closing; /* the next quote */
            if (!end || slashes & (end - 1) & ~((1u << here) - 1)) return take_string(j, at + here);
            hits &= ~(end | (end - 1));
        }
    }
    return at + 16;
}
#endif

/* Only matches brackets and strings. */
void tfp_jscan_skip_part(tfp_jscan *j, tfp_jscan_nest *n)
{
    const char *at = j->at;
#ifdef __SSE2__
    while (at && j->end - at >= 16) at = skip_16(j, n, at);
#endif
    while (at && at < j->end) {
        if (*at == '"')
            at = take_string(j, at);
        else if ((*at | 0x20) != '{' && (*at | 0x20) != '}')
            at++;
        else
            at = take_bracket(j, n, at) ? at + 1 : NULL;
    }
    if (!at) return;
    j->at = at;
    more(j);
}

static void skip_nested(tfp_jscan *j)
{
    tfp_jscan_nest n = { .depth = 0 };
    tfp_jscan_skip_part(j, &n);
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

void tfp_jscan_skip_any(tfp_jscan *j)
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

/* Parses the part after "\u"; returns the bytes taken, 0 when it is no escape. */
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
            tfp_buf_char(out, '\\'); /* a raw backslash, which old writers did not escape */
        }
    }
}
