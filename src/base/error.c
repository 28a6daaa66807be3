// SPDX-License-Identifier: Apache-2.0
/* base/error.c: a status, and a message that grows on the way up. */
#include "base/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

tfp_error *tfp_error_new(void) { return calloc(1, sizeof(tfp_error)); }
void tfp_error_free(tfp_error *err) { free(err); }
const char *tfp_error_message(const tfp_error *err) { return err ? err->text : ""; }

int tfp_error_errno(const tfp_error *err) { return err ? err->number : 0; }

void tfp_error_clear(tfp_error *err)
{
    if (!err) return;
    err->size = 0;
    err->line = err->column = err->number = 0;
    err->text[0] = 0;
}

/* Cuts text to at most `limit` bytes with "…" at the end, never inside a UTF-8 sequence. */
static size_t cut(char *text, size_t size, size_t limit)
{
    if (size <= limit) return size;
    size_t at = limit - 3;
    while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80) at--;
    memcpy(text + at, "\xe2\x80\xa6", 3);
    return at + 3;
}

/* Formats and escapes the message in a fixed buffer: an error must not need memory. */
static size_t format_words(char out[TFP_ERROR_MAX + 1], const char *format, va_list args)
{
    char raw[TFP_ERROR_MAX + 1];
    int n = vsnprintf(raw, sizeof raw, format, args);
    size_t size = n < 0 ? 0 : (size_t)n >= sizeof raw ? sizeof raw - 1 : (size_t)n;
    bool longer = n > 0 && (size_t)n >= sizeof raw;
    if (longer) { /* drop a partial sequence at the end: it would be shown as bytes */
        while (size > 0 && ((unsigned char)raw[size] & 0xc0) == 0x80) size--;
    }
    tfp_str s = { raw, size };
    tfp_buf b = { 0 };
    if (!tfp_is_plain(s)) {
        tfp_escape(&b, s);
        if (!b.failed)
            s = (tfp_str){ b.data, b.size };
        else
            s.size = 0;
    }
    size_t keep = s.size < TFP_ERROR_MAX ? s.size : TFP_ERROR_MAX;
    memcpy(out, s.data, keep);
    if (s.size > keep || longer) keep = cut(out, keep, keep > 3 ? keep - 1 : keep);
    out[keep] = 0;
    tfp_buf_free(&b);
    return keep;
}

static void prepend(tfp_error *err, const char *words, size_t size, const char *separator)
{
    char text[2 * TFP_ERROR_MAX + 8];
    size_t sep = strlen(separator);
    memcpy(text, words, size);
    memcpy(text + size, separator, sep);
    memcpy(text + size + sep, err->text, err->size);
    err->size = cut(text, size + sep + err->size, TFP_ERROR_MAX);
    memcpy(err->text, text, err->size);
    err->text[err->size] = 0;
}

static tfp_status set(tfp_error *err, tfp_status s, int line, int column, const char *format, va_list args)
{
    if (!err) return s;
    err->size = format_words(err->text, format, args);
    err->line = line;
    err->column = column;
    err->number = 0;
    return s;
}

tfp_status tfp_fail(tfp_error *err, tfp_status s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set(err, s, 0, 0, format, args);
    va_end(args);
    return s;
}

tfp_status tfp_fail_at(tfp_error *err, tfp_status s, int line, int column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set(err, s, line, column, format, args);
    va_end(args);
    return s;
}

tfp_status tfp_within(tfp_error *err, tfp_status s, const char *format, ...)
{
    if (s == TFP_OK || !err) return s;
    char words[TFP_ERROR_MAX + 1];
    va_list args;
    va_start(args, format);
    size_t size = format_words(words, format, args);
    va_end(args);
    prepend(err, words, cut(words, size, TFP_ERROR_MAX / 2), ": ");
    return s;
}

tfp_status tfp_within_file(tfp_error *err, tfp_status s, const char *path)
{
    if (s == TFP_OK || !err) return s;
    if (err->line == 0) return tfp_within(err, s, "%s", path);
    int line = err->line, column = err->column;
    err->line = err->column = 0;
    return tfp_within(err, s, "%s:%d:%d", path, line, column);
}

tfp_status tfp_with_errno(tfp_error *err, tfp_status s, int number)
{
    if (s != TFP_OK && err) err->number = number;
    return s;
}

tfp_status tfp_nomem(tfp_error *err) { return tfp_fail(err, TFP_NOMEM, "out of memory"); }

tfp_status tfp_fail_errno(tfp_error *err, const char *what)
{
    int number = errno;
    tfp_status s = number == ENOMEM ? TFP_NOMEM : TFP_BADFILE;
    return tfp_with_errno(err, tfp_fail(err, s, "%s: %s", what, strerror(number)), number);
}
