// SPDX-License-Identifier: Apache-2.0
/* wire/json.c: writes JSON tokens into a buffer. Strings come from files and may contain any bytes: those that
 * tfp_escape escapes are escaped in the same way here, so that a name looks the same in text and in JSON, and the
 * result is always UTF-8. */
#include "wire/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void separate(tfp_json *j)
{
    if (j->comma) tfp_buf_char(j->out, ',');
    j->comma = true;
}

void tfp_json_open(tfp_json *j, char bracket)
{
    separate(j);
    tfp_buf_char(j->out, bracket);
    j->comma = false;
}

void tfp_json_close(tfp_json *j, char bracket)
{
    tfp_buf_char(j->out, bracket);
    j->comma = true;
}

void tfp_json_key(tfp_json *j, const char *key)
{
    separate(j);
    tfp_buf_char(j->out, '"');
    tfp_buf_text(j->out, key);
    tfp_buf_add(j->out, "\":", 2);
    j->comma = false;
}

/* How many bytes from the start need no escaping. */
static size_t plain_run(tfp_str s)
{
    size_t n = 0;
    while (n < s.size) {
        unsigned char c = (unsigned char)s.data[n];
        if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') break;
        n++;
    }
    return n;
}

/* One character (or bad byte) as tfp_escape shows it; an escaped one begins with a backslash, which JSON doubles. */
static void put_character(tfp_buf *out, tfp_str one)
{
    size_t at = out->size;
    tfp_escape(out, one);
    if (out->failed || out->size == at || out->data[at] != '\\') return;
    out->size = at;
    tfp_buf_char(out, '\\');
    tfp_escape(out, one);
}

static void put_rest(tfp_buf *out, tfp_str *s, bool keep_lines)
{
    uint32_t code;
    size_t n = tfp_utf8(*s, &code);
    if (n == 1 && (code == '"' || code == '\\')) {
        tfp_buf_char(out, '\\');
        tfp_buf_char(out, (char)code);
    } else if (n == 1 && code == '\n' && keep_lines) {
        tfp_buf_add(out, "\\n", 2);
    } else {
        put_character(out, (tfp_str){ s->data, n ? n : 1 });
    }
    s->data += n ? n : 1;
    s->size -= n ? n : 1;
}

static void put_escaped(tfp_buf *out, tfp_str s, bool keep_lines)
{
    while (s.size) {
        size_t n = plain_run(s);
        tfp_buf_add(out, s.data, n);
        s.data += n;
        s.size -= n;
        if (s.size) put_rest(out, &s, keep_lines);
    }
}

void tfp_json_put_escaped(tfp_buf *out, tfp_str s) { put_escaped(out, s, false); }

static void put_string(tfp_json *j, tfp_str s, bool keep_lines)
{
    separate(j);
    tfp_buf_char(j->out, '"');
    put_escaped(j->out, s, keep_lines);
    tfp_buf_char(j->out, '"');
}

void tfp_json_str(tfp_json *j, tfp_str s) { put_string(j, s, false); }

void tfp_json_lines(tfp_json *j, tfp_str s) { put_string(j, s, true); }

void tfp_json_text(tfp_json *j, const char *s)
{
    if (s)
        tfp_json_str(j, tfp_str_of(s));
    else
        tfp_json_null(j);
}

void tfp_json_int(tfp_json *j, int64_t n)
{
    separate(j);
    tfp_buf_int(j->out, n);
}

void tfp_json_thousandths(tfp_json *j, int64_t n)
{
    separate(j);
    tfp_buf_thousandths(j->out, n);
}

void tfp_put_shortest(tfp_buf *out, double d)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, d);
        if (strtod(text, NULL) == d) break;
    }
    /* a program that changed the locale must not change the format */
    for (char *at = text; *at; at++)
        if (*at == ',') *at = '.';
    tfp_buf_text(out, text);
}

void tfp_json_double(tfp_json *j, double d)
{
    /* JSON has no such numbers; protobuf's JSON form writes the same strings */
    if (isnan(d))
        tfp_json_text(j, "NaN");
    else if (isinf(d))
        tfp_json_text(j, d < 0 ? "-Infinity" : "Infinity");
    else {
        separate(j);
        tfp_put_shortest(j->out, d);
    }
}

void tfp_json_bool(tfp_json *j, bool b)
{
    separate(j);
    tfp_buf_text(j->out, b ? "true" : "false");
}

void tfp_json_null(tfp_json *j)
{
    separate(j);
    tfp_buf_text(j->out, "null");
}

void tfp_json_text_at(tfp_json *j, const char *key, const char *s)
{
    tfp_json_key(j, key);
    tfp_json_text(j, s);
}

void tfp_json_str_at(tfp_json *j, const char *key, tfp_str s)
{
    tfp_json_key(j, key);
    tfp_json_str(j, s);
}

void tfp_json_int_at(tfp_json *j, const char *key, int64_t n)
{
    tfp_json_key(j, key);
    tfp_json_int(j, n);
}
