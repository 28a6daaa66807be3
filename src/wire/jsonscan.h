// SPDX-License-Identifier: Apache-2.0
/* wire/jsonscan.h: a scanner for JSON that is too big for a tree: the caller pulls members and values off a window of
 * text. Nothing is copied or allocated; nesting is bounded and never recursive. Lenient about known deviations of trace
 * writers: strings hold any byte but an unescaped quote, unknown escapes stand for themselves, NaN and Infinity are
 * numbers without a value. Otherwise strict, but a lenient scanner counts wrong commas and goes on. A window may end
 * anywhere: the scanner then asks for more bytes (TFP_JSCAN_MORE), and the caller starts the same value again with a
 * longer window. */
#ifndef TFP_JSONSCAN_H
#define TFP_JSONSCAN_H

#include "base/base.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define TFP_JSCAN_DEPTH 512 /* levels of arrays and objects in one value */

typedef enum tfp_jscan_fault {
    TFP_JSCAN_FINE,
    TFP_JSCAN_MORE, /* the window ends inside the value */
    TFP_JSCAN_WRONG /* not JSON; `wrong` is the reason, `at` the place */
} tfp_jscan_fault;

typedef struct tfp_jscan {
    const char *at, *end;  /* both are equal after an error, so that all functions do nothing */
    tfp_jscan_fault fault; /* the first one */
    const char *wrong;
    bool lenient;         /* superfluous commas, and missing ones before an item that is an object, are no faults */
    int64_t commas;       /* their number */
    const char *comma_at; /* the first one */
} tfp_jscan;

/* A string without its quotes, still escaped. */
typedef struct tfp_jscan_text {
    tfp_str raw;
    bool escaped; /* it has escapes: tfp_jscan_decode makes them characters */
} tfp_jscan_text;

/* A decimal number of microseconds as nanoseconds, rounded down, and the remainder. */
typedef struct tfp_jscan_time {
    int64_t ns;
    uint32_t rest; /* remainder in 1e-9 nanoseconds */
    bool known;    /* false: not a number, NaN, Infinity, or beyond 64 bits */
    bool fraction; /* not a whole number of microseconds */
    bool beyond;   /* a number beyond 64 bits */
} tfp_jscan_time;

typedef enum tfp_jscan_kind {
    TFP_JSCAN_NULL,
    TFP_JSCAN_BOOL,
    TFP_JSCAN_INT,
    TFP_JSCAN_REAL,
    TFP_JSCAN_STRING,
    TFP_JSCAN_ARRAY,
    TFP_JSCAN_OBJECT
} tfp_jscan_kind;
typedef struct tfp_jscan_value {
    tfp_jscan_kind kind;
    int64_t number;      /* for TFP_JSCAN_INT; 0 or 1 for TFP_JSCAN_BOOL */
    double real;         /* for TFP_JSCAN_REAL; may be NaN or Infinity */
    tfp_jscan_text text; /* a string, or the raw text of an array or object */
} tfp_jscan_value;

/* The open arrays and objects around a place, a bit a level: set for objects. */
typedef struct tfp_jscan_nest {
    uint64_t objects[TFP_JSCAN_DEPTH / 64];
    size_t depth;
} tfp_jscan_nest;

static inline tfp_jscan tfp_jscan_start(tfp_str window)
{
    return (tfp_jscan){ .at = window.data, .end = window.size ? window.data + window.size : window.data };
}

void tfp_jscan_fail(tfp_jscan *j, tfp_jscan_fault fault, const char *wrong);

/* Moves to the next byte that is no blank and returns it; 0 at the end of the window, which is a fault here, and after
 * a fault. */
unsigned char tfp_jscan_blanks(tfp_jscan *j);
static inline unsigned char tfp_jscan_peek(tfp_jscan *j)
{
    if (j->end - j->at < 2) return tfp_jscan_blanks(j);
    if ((unsigned char)*j->at > ' ') return (unsigned char)*j->at;
    if ((unsigned char)j->at[1] > ' ') return (unsigned char)*++j->at; /* after a single blank */
#ifdef __SSE2__
    if (j->end - j->at >= 16) { /* after a line break and the indentation of the next line */
        const __m128i blank = _mm_set1_epi8(' ');
        __m128i x = _mm_loadu_si128((const __m128i *)j->at);
        unsigned text = ~(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(x, blank), blank)) & 0xffff;
        if (text) return (unsigned char)*(j->at += __builtin_ctz(text));
    }
#endif
    return tfp_jscan_blanks(j);
}
/* Takes the byte `c`; any other byte is a fault. */
bool tfp_jscan_take(tfp_jscan *j, char c, const char *wrong);
/* After '[' (first) or an item: whether there is another. False at the ']', which is taken, or after a fault. */
bool tfp_jscan_item(tfp_jscan *j, bool first);

bool tfp_jscan_long_string(tfp_jscan *j, tfp_jscan_text *out); /* any string */
/* Any string; strings of less than 16 bytes are handled inline. */
static inline bool tfp_jscan_string(tfp_jscan *j, tfp_jscan_text *out)
{
#ifdef __SSE2__
    if (tfp_jscan_peek(j) == '"' && j->end - j->at > 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(j->at + 1));
        unsigned quotes = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')));
        unsigned slashes = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));
        unsigned size = (unsigned)__builtin_ctz(quotes | 0x10000);
        if (size < 16 && !(slashes & (quotes - 1))) {
            *out = (tfp_jscan_text){ { j->at + 1, size }, false };
            j->at += size + 2;
            return true;
        }
    }
#endif
    return tfp_jscan_long_string(j, out);
}
/* After '{' (first) or a member's value: the next key, with the colon taken. False at the '}', which is taken, or after
 * a fault. */
bool tfp_jscan_any_member(tfp_jscan *j, bool first, tfp_jscan_text *key);
static inline bool tfp_jscan_member(tfp_jscan *j, bool first, tfp_jscan_text *key)
{
    if (!first && tfp_jscan_peek(j) == ',') { /* nearly always: , "key": */
        const char *comma = j->at++;
        if (tfp_jscan_peek(j) == '"' && tfp_jscan_string(j, key) && j->at < j->end && *j->at == ':') {
            j->at++;
            return true;
        }
        if (j->fault) return false;
        j->at = comma;
    }
    return tfp_jscan_any_member(j, first, key);
}

#define TFP_JSCAN_TEXT 32
/* Takes the first `size` bytes of `text` if they come next. Otherwise, and near the end of the window, takes nothing
 * and returns false. */
static inline bool tfp_jscan_take_text(tfp_jscan *j, const char text[TFP_JSCAN_TEXT], size_t size)
{
    if (j->end - j->at <= TFP_JSCAN_TEXT) return false;
#ifdef __SSE2__
    __m128i low = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)j->at), _mm_loadu_si128((const __m128i *)text));
    __m128i high =
        _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(j->at + 16)), _mm_loadu_si128((const __m128i *)(text + 16)));
    uint64_t same = (uint64_t)(unsigned)_mm_movemask_epi8(high) << 16 | (unsigned)_mm_movemask_epi8(low);
    if (~same & ((UINT64_C(1) << size) - 1)) return false;
#else
    if (memcmp(j->at, text, size) != 0) return false;
#endif
    j->at += size;
    return true;
}

/* ---- numbers ---- */

/* Whether a number or word ends before this byte. */
static inline bool tfp_jscan_ends_value(char c) { return c == ',' || c == '}' || c == ']' || (unsigned char)c <= ' '; }

/* The value of up to 8 digits from `at`, and how many there are. At least 8 bytes must be readable there. */
static inline unsigned tfp_jscan_eight_digits(const char *at, uint64_t *out)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t pairs = UINT64_C(0x000000ff000000ff);
    uint64_t x;
    memcpy(&x, at, sizeof x);
    x ^= UINT64_C(0x3030303030303030); /* a digit becomes 0 to 9 */
    uint64_t others = ((x + UINT64_C(0x7676767676767676)) | x) &
                      UINT64_C(0x8080808080808080); /* only the first bit set is reliable */
    unsigned count = others ? (unsigned)__builtin_ctzll(others) >> 3 : 8;
    *out = 0;
    if (!count) return 0;
    x <<= 64 - 8 * count; /* zeros in front of the digits */
    x = x * 10 + (x >> 8);
    *out = ((x & pairs) * UINT64_C(0x000f424000000064) + (x >> 16 & pairs) * UINT64_C(0x0000271000000001)) >> 32;
    return count;
#else
    unsigned count = 0;
    uint64_t n = 0;
    for (; count < 8 && at[count] >= '0' && at[count] <= '9'; count++) n = n * 10 + (uint64_t)(at[count] - '0');
    *out = n;
    return count;
#endif
}

const char *tfp_jscan_long_digits(const char *at, const char *end, uint64_t *out); /* up to 18 digits */
/* Parses up to 18 digits from `at`; returns the place after them. */
static inline const char *tfp_jscan_digits(const char *at, const char *end, uint64_t *out)
{
    static const uint32_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };
    if (end - at >= 16) {
        uint64_t low;
        unsigned count = tfp_jscan_eight_digits(at, out);
        if (count < 8) return at + count;
        count = tfp_jscan_eight_digits(at + 8, &low);
        if (count < 8) {
            *out = *out * powers[count] + low;
            return at + 8 + count;
        }
    }
    return tfp_jscan_long_digits(at, end, out);
}

/* Takes a number that is digits only, the usual case. Otherwise returns false and takes nothing. */
static inline bool tfp_jscan_plain(tfp_jscan *j, uint64_t *out)
{
    tfp_jscan_peek(j);
    const char *at = tfp_jscan_digits(j->at, j->end, out);
    if (at == j->at || at == j->end || !tfp_jscan_ends_value(*at)) return false;
    j->at = at;
    return true;
}

/* A number of microseconds; any other value is skipped and `known` is false. */
tfp_jscan_time tfp_jscan_micros(tfp_jscan *j);
/* A whole number, perhaps in quotes; false (and the value is skipped) when it is something else or does not fit. */
bool tfp_jscan_any_integer(tfp_jscan *j, int64_t *out);
static inline bool tfp_jscan_integer(tfp_jscan *j, int64_t *out)
{
    uint64_t n;
    if (!tfp_jscan_plain(j, &n)) return tfp_jscan_any_integer(j, out);
    *out = (int64_t)n;
    return true;
}
bool tfp_jscan_any_unsigned(tfp_jscan *j, uint64_t *out);
static inline bool tfp_jscan_unsigned(tfp_jscan *j, uint64_t *out)
{
    return tfp_jscan_plain(j, out) || tfp_jscan_any_unsigned(j, out);
}
void tfp_jscan_value_of(tfp_jscan *j, tfp_jscan_value *out); /* any value */
void tfp_jscan_skip_any(tfp_jscan *j);
static inline void tfp_jscan_skip(tfp_jscan *j) /* any value */
{
    uint64_t n;
    if (!tfp_jscan_plain(j, &n)) tfp_jscan_skip_any(j);
}
/* Skips an array or object that may be longer than the window. The caller zeroes *n at the beginning of the value.
 * After TFP_JSCAN_MORE it calls again with the same *n and a window that begins at j->at; a string that begins there
 * may be longer than the window. */
void tfp_jscan_skip_part(tfp_jscan *j, tfp_jscan_nest *n);
void tfp_jscan_word(tfp_jscan *j, tfp_jscan_value *out); /* a number or a bare word */

/* Appends the decoded characters of a string. A lone surrogate becomes U+FFFD, an unknown escape stays unchanged. */
void tfp_jscan_decode(tfp_str raw, tfp_buf *out);

/* ---- after a broken item of an array, such as one with an unescaped quote: jsonresync.c ---- */

typedef enum tfp_jresync_found {
    TFP_JRESYNC_NONE,  /* nothing begins in the window */
    TFP_JRESYNC_ITEM,  /* a complete item */
    TFP_JRESYNC_CLOSE, /* the bracket that ends the array: only members and the end of the text come after it */
    TFP_JRESYNC_PART   /* something begins that the end of the window cuts */
} tfp_jresync_found;

/* The array's items are objects, and each has a certain member. Works on windows of text. */
typedef struct tfp_jresync {
    const char *needs;       /* the member that each item has */
    tfp_str first;           /* the key with which the text's items begin; empty: not known */
    uint64_t broken;         /* further broken items that were passed */
    uint64_t searched, read; /* bytes of windows, and bytes of items that were tried: bounds the work */
} tfp_jresync;

/* Looks for the first complete item, or the end of the array, from `from`. *at: its place. whole: the text ends where
 * the window does. Time is linear in the sizes of all windows together. */
tfp_jresync_found tfp_jresync_find(tfp_jresync *r, tfp_str window, size_t from, bool whole, size_t *at);

/* After a fault in the item that begins at `item` of the whole text, or at the comma before it: moves the scanner to the
 * next item, which needs no comma, or to the end of the array, and counts the broken ones. False: there is none. */
bool tfp_jresync_recover(tfp_jresync *r, tfp_jscan *j, tfp_str text, const char *item);

/* Skips blanks, commas and the brace of an item: the place from which to search after the broken item at `at`. */
size_t tfp_jresync_after(tfp_str window, size_t at);

#endif
