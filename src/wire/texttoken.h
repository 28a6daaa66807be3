// SPDX-License-Identifier: Apache-2.0
/* wire/texttoken.h: tokens of protobuf text: names, numbers, strings, signs. One token of lookahead, nothing copied.
 * The scanner keeps the first fault of the text with its place; after it every token is the end. */
#ifndef TFP_TEXTTOKEN_H
#define TFP_TEXTTOKEN_H

#include "base/base.h"

/* A sign is represented by its own character; these are the other kinds. */
enum { TFP_T_END = 0, TFP_T_NAME = 1, TFP_T_INTEGER = 2, TFP_T_FLOAT = 3, TFP_T_STRING = 4 };

typedef struct tfp_token {
    int kind;
    bool escaped; /* a string with backslashes in it */
    tfp_str text; /* as written; strings with their quotes */
} tfp_token;

typedef struct tfp_tokens {
    const char *start, *at, *end;
    tfp_token now; /* the current token */
    tfp_status status;
    tfp_error *err; /* may be NULL */
} tfp_tokens;

void tfp_token_start(tfp_tokens *t, tfp_str text, tfp_error *err); /* the first word is then in `now` */
void tfp_token_next(tfp_tokens *t);

/* Records the first fault, at byte `at` of the text, and ends the tokens. */
void tfp_token_fail_at(tfp_tokens *t, const char *at, tfp_status s, const char *format, ...) TFP_PRINTF(4, 5);
/* Records the error at the current token: "expected WHAT, found WORD". */
void tfp_token_expected(tfp_tokens *t, const char *what);

/* Goes past the sign if it is the current word. */
static inline bool tfp_token_sign(tfp_tokens *t, int sign)
{
    if (t->now.kind != sign) return false;
    tfp_token_next(t);
    return true;
}

/* An integer word's value; false when it is above max. */
bool tfp_token_uint(tfp_str text, uint64_t max, uint64_t *out);
/* A decimal integer or float word's value. `scratch` is for words that need the slow way. */
double tfp_token_double(tfp_str text, tfp_buf *scratch);
bool tfp_token_is_decimal(tfp_str text); /* no 0x and no octal 0 in front */
/* Appends the value of a string token. */
void tfp_token_unescape(const tfp_token *t, tfp_buf *out);

#endif
