// SPDX-License-Identifier: Apache-2.0
/* base/buf.c: growable text; the first failure is remembered and everything after it does nothing. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

static bool room(tfp_buf *b, size_t more)
{
    if (b->failed) return false;
    if (more <= b->capacity - b->size) return true;
    if (more > SIZE_MAX / 4 || !tfp_grow((void **)&b->data, &b->capacity, b->size + more, 1)) {
        b->failed = true;
        return false;
    }
    return true;
}

void tfp_buf_add(tfp_buf *b, const void *data, size_t size)
{
    if (size == 0 || !room(b, size)) return;
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

void tfp_buf_text(tfp_buf *b, const char *s) { tfp_buf_add(b, s, strlen(s)); }

void tfp_buf_fill(tfp_buf *b, char c, size_t count)
{
    if (count == 0 || !room(b, count)) return;
    memset(b->data + b->size, c, count);
    b->size += count;
}

void tfp_buf_int(tfp_buf *b, int64_t n)
{
    char digits[24], *at = digits + sizeof digits;
    uint64_t u = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    do *--at = (char)('0' + u % 10);
    while (u /= 10);
    if (n < 0) *--at = '-';
    tfp_buf_add(b, at, (size_t)(digits + sizeof digits - at));
}

void tfp_buf_thousandths(tfp_buf *b, int64_t n)
{
    int64_t whole = n / 1000;
    int rest = (int)(n % 1000);
    if (n < 0) rest = -rest;
    if (n < 0 && whole == 0) tfp_buf_char(b, '-');
    tfp_buf_int(b, whole);
    if (rest == 0) return;
    char digits[4] = { '.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10), (char)('0' + rest % 10) };
    tfp_buf_add(b, digits, rest % 10 ? 4 : rest % 100 ? 3 : 2);
}

void tfp_buf_printf(tfp_buf *b, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n < 0)
        b->failed = true;
    else if (room(b, (size_t)n + 1)) {
        vsnprintf(b->data + b->size, (size_t)n + 1, format, again);
        b->size += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

void tfp_buf_free(tfp_buf *b)
{
    free(b->data);
    *b = (tfp_buf){ 0 };
}

tfp_str tfp_buf_copy(const tfp_buf *b, tfp_arena *a)
{
    const char *copy = b->failed ? NULL : tfp_arena_copy(a, (tfp_str){ b->data, b->size });
    return (tfp_str){ copy, copy ? b->size : 0 };
}

tfp_str tfp_buf_move(tfp_buf *b, tfp_arena *a)
{
    tfp_str copy = tfp_buf_copy(b, a);
    tfp_buf_free(b);
    return copy;
}
