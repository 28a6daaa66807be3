/* wire/jsonscan.h: a scanner for JSON that is too big for a tree: the caller pulls members and values off a window of text.
 * Nothing is copied or allocated; nesting is bounded and never recursive. Lenient where writers of traces are odd: strings
 * hold any byte but an unescaped quote, unknown escapes stand for themselves, NaN and Infinity are numbers without a
 * value. Otherwise strict. A window may end anywhere: the scanner then asks for more bytes (TFP_JSON_MORE), and the caller
 * starts the same value again with a longer window. */
#ifndef TFP_JSONSCAN_H
#define TFP_JSONSCAN_H

#include "base/base.h"

#define TFP_JSON_DEPTH 512 /* levels of arrays and objects in one value */

typedef enum tfp_json_fault {
    TFP_JSON_FINE,
    TFP_JSON_MORE, /* the window ends inside the value */
    TFP_JSON_WRONG /* no JSON; `wrong` says what, `at` where */
} tfp_json_fault;

typedef struct tfp_json {
    const char *at, *end;
    tfp_json_fault fault; /* the first one; all functions are harmless after it */
    const char *wrong;
} tfp_json;

/* A string as it stands between its quotes. */
typedef struct tfp_json_text {
    tfp_str raw;
    bool escaped; /* it has escapes: tfp_json_decode makes them characters */
} tfp_json_text;

/* A decimal number of microseconds as nanoseconds, rounded down, and what was cut off. */
typedef struct tfp_json_time {
    int64_t ns;
    uint32_t rest; /* of a nanosecond, in 1e-9 of it */
    bool known;    /* false: no number, NaN, Infinity, or beyond 64 bits */
    bool fraction; /* it is no whole number of microseconds */
    bool beyond;   /* a number beyond 64 bits */
} tfp_json_time;

typedef enum tfp_json_kind {
    TFP_JSON_NULL,
    TFP_JSON_BOOL,
    TFP_JSON_INT,
    TFP_JSON_REAL,
    TFP_JSON_STRING,
    TFP_JSON_ARRAY,
    TFP_JSON_OBJECT
} tfp_json_kind;
typedef struct tfp_json_value {
    tfp_json_kind kind;
    int64_t number;     /* of TFP_JSON_INT, and 0 or 1 of TFP_JSON_BOOL */
    double real;        /* of TFP_JSON_REAL; NaN and Infinity too */
    tfp_json_text text; /* of a string; its raw text of an array or object */
} tfp_json_value;

static inline tfp_json tfp_json_start(tfp_str window)
{
    return (tfp_json){ .at = window.data, .end = window.data + window.size };
}

void tfp_json_fail(tfp_json *j, tfp_json_fault fault, const char *wrong);

/* The next byte that is no blank; 0 at the end of the window (which is then a fault) and after a fault. Moves to it. */
unsigned char tfp_json_blanks(tfp_json *j);
static inline unsigned char tfp_json_peek(tfp_json *j)
{
    return !j->fault && j->at < j->end && (unsigned char)*j->at > ' ' ? (unsigned char)*j->at : tfp_json_blanks(j);
}
/* Takes that byte, or it is a fault. */
bool tfp_json_take(tfp_json *j, char c, const char *wrong);
/* After '{' (first) or a member's value: the next key, with the colon taken. False at the '}', which is taken, or after a
 * fault. */
bool tfp_json_member(tfp_json *j, bool first, tfp_json_text *key);
/* After '[' (first) or an item: whether there is another. False at the ']', which is taken, or after a fault. */
bool tfp_json_item(tfp_json *j, bool first);

bool tfp_json_string(tfp_json *j, tfp_json_text *out);
/* A number of microseconds; any other value is skipped, and is not known. */
tfp_json_time tfp_json_micros(tfp_json *j);
/* A whole number, perhaps in quotes; false (and the value is skipped) when it is none or does not fit. */
bool tfp_json_integer(tfp_json *j, int64_t *out);
bool tfp_json_unsigned(tfp_json *j, uint64_t *out);
void tfp_json_value_of(tfp_json *j, tfp_json_value *out); /* any value */
void tfp_json_skip(tfp_json *j);                          /* any value */

/* Appends the characters of a string. A lone surrogate becomes U+FFFD, an unknown escape stays as it is. */
void tfp_json_decode(tfp_str raw, tfp_buf *out);

#endif
