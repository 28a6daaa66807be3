// SPDX-License-Identifier: Apache-2.0
/* wire/jsonscan.h: a scanner for JSON that is too big for a tree: the caller pulls members and values off a window of text.
 * Nothing is copied or allocated; nesting is bounded and never recursive. Lenient where writers of traces are odd: strings
 * hold any byte but an unescaped quote, unknown escapes stand for themselves, NaN and Infinity are numbers without a
 * value. Otherwise strict. A window may end anywhere: the scanner then asks for more bytes (TFP_JSCAN_MORE), and the caller
 * starts the same value again with a longer window. */
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
    const char *at, *end;
    tfp_jscan_fault fault; /* the first one; all functions are harmless after it */
    const char *wrong;
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

static inline tfp_jscan tfp_jscan_start(tfp_str window)
{
    return (tfp_jscan){ .at = window.data, .end = window.size ? window.data + window.size : window.data };
}

void tfp_jscan_fail(tfp_jscan *j, tfp_jscan_fault fault, const char *wrong);

/* The next byte that is no blank; 0 at the end of the window (which is then a fault) and after a fault. Moves to it. */
unsigned char tfp_jscan_blanks(tfp_jscan *j);
static inline unsigned char tfp_jscan_peek(tfp_jscan *j)
{
    if (j->fault || j->end - j->at < 2) return tfp_jscan_blanks(j);
    if ((unsigned char)*j->at > ' ') return (unsigned char)*j->at;
    if ((unsigned char)j->at[1] <= ' ') return tfp_jscan_blanks(j);
    return (unsigned char)*++j->at; /* behind a single blank */
}
/* Takes that byte; any other is a fault. */
bool tfp_jscan_take(tfp_jscan *j, char c, const char *wrong);
/* After '[' (first) or an item: whether there is another. False at the ']', which is taken, or after a fault. */
bool tfp_jscan_item(tfp_jscan *j, bool first);

bool tfp_jscan_long_string(tfp_jscan *j, tfp_jscan_text *out); /* any string */
/* Any string; one of less than 16 bytes is found here. */
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
/* After '{' (first) or a member's value: the next key, with the colon taken. False at the '}', which is taken, or after a
 * fault. */
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

/* A number of microseconds; any other value is skipped and `known` is false. */
tfp_jscan_time tfp_jscan_micros(tfp_jscan *j);
/* A whole number, perhaps in quotes; false (and the value is skipped) when it is something else or does not fit. */
bool tfp_jscan_integer(tfp_jscan *j, int64_t *out);
bool tfp_jscan_unsigned(tfp_jscan *j, uint64_t *out);
void tfp_jscan_value_of(tfp_jscan *j, tfp_jscan_value *out); /* any value */
void tfp_jscan_skip(tfp_jscan *j);                           /* any value */
void tfp_jscan_word(tfp_jscan *j, tfp_jscan_value *out);     /* a number or a bare word */

/* Appends the characters of a string. A lone surrogate becomes U+FFFD, an unknown escape stays as it is. */
void tfp_jscan_decode(tfp_str raw, tfp_buf *out);

#endif
