// SPDX-License-Identifier: Apache-2.0
/* wire/json.h: writes JSON that is always well formed, whatever the strings contain. It knows no message. */
#ifndef TFP_JSON_H
#define TFP_JSON_H

#include "base/base.h"

/* Tokens are written directly into a buffer. One bit of state is enough at any depth: whether the last token completed
 * a value, so that a comma is needed. The caller must pair opening and closing, and give each member a key. */
typedef struct tfp_json {
    tfp_buf *out;
    bool comma;
} tfp_json;

static inline tfp_json tfp_json_start(tfp_buf *out) { return (tfp_json){ .out = out, .comma = false }; }

void tfp_json_open(tfp_json *j, char bracket);   /* '{' or '[' */
void tfp_json_close(tfp_json *j, char bracket);  /* '}' or ']' */
void tfp_json_key(tfp_json *j, const char *key); /* a plain literal */

/* A string of foreign bytes: control characters and bad UTF-8 are shown as tfp_escape shows them ("\xNN"). */
void tfp_json_str(tfp_json *j, tfp_str s);
void tfp_json_lines(tfp_json *j, tfp_str s);    /* the same for texts made by tfprof: newlines stay newlines */
void tfp_json_text(tfp_json *j, const char *s); /* a literal; NULL gives null */
void tfp_json_int(tfp_json *j, int64_t n);
void tfp_json_thousandths(tfp_json *j, int64_t n); /* n / 1000, exactly */
void tfp_json_double(tfp_json *j, double d);       /* shortest that reads back equal; "NaN", "Infinity", "-Infinity" */
void tfp_json_bool(tfp_json *j, bool b);
void tfp_json_null(tfp_json *j);
/* A member of an object: its key, which is a plain literal, and its value. */
void tfp_json_text_at(tfp_json *j, const char *key, const char *s);
void tfp_json_str_at(tfp_json *j, const char *key, tfp_str s);
void tfp_json_int_at(tfp_json *j, const char *key, int64_t n);

/* A string's escaped characters without quotes, for values that are composed from pieces. */
void tfp_json_put_escaped(tfp_buf *out, tfp_str s);

/* Shortest decimal form that reads back as the same double. */
void tfp_put_shortest(tfp_buf *out, double d);

#endif
