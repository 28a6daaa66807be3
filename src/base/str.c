// SPDX-License-Identifier: Apache-2.0
/* base/str.c: string views, and parsing numbers. */
#include "base/base.h"

tfp_str tfp_str_of(const char *s) { return s ? (tfp_str){ s, strlen(s) } : (tfp_str){ "", 0 }; }

int tfp_str_cmp(tfp_str a, tfp_str b)
{
    size_t n = a.size < b.size ? a.size : b.size;
    int c = n ? memcmp(a.data, b.data, n) : 0;
    if (c) return c;
    return a.size < b.size ? -1 : a.size > b.size;
}

bool tfp_is_word(tfp_str s, const char *words)
{
    for (const char *at = words; *at;) {
        size_t n = strcspn(at, " ");
        if (n && n == s.size && memcmp(at, s.data, n) == 0) return true;
        at += n + (at[n] != 0);
    }
    return false;
}

tfp_str tfp_str_last_part(tfp_str path)
{
    const char *slash = path.size ? memrchr(path.data, '/', path.size) : NULL;
    size_t skip = slash ? (size_t)(slash + 1 - path.data) : 0;
    return (tfp_str){ path.data + skip, path.size - skip };
}

size_t tfp_str_find(tfp_str s, tfp_str part)
{
    if (part.size == 0) return 0;
    if (s.size < part.size) return SIZE_MAX;
    const char *p = memmem(s.data, s.size, part.data, part.size);
    return p ? (size_t)(p - s.data) : SIZE_MAX;
}

tfp_str tfp_str_cut_line(tfp_str *text)
{
    const char *end = memchr(text->data, '\n', text->size);
    tfp_str line = { text->data, end ? (size_t)(end - text->data) : text->size };
    size_t used = line.size + (end != NULL);
    *text = (tfp_str){ text->data + used, text->size - used };
    return line;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

bool tfp_str_has_caseless(tfp_str s, tfp_str part)
{
    for (size_t i = 0; i + part.size <= s.size; i++) {
        size_t n = 0;
        while (n < part.size && lower(s.data[i + n]) == lower(part.data[n])) n++;
        if (n == part.size) return true;
    }
    return false;
}

bool tfp_parse_int64(tfp_str s, int64_t *out)
{
    while (s.size && strchr(" \t\n\v\f\r", s.data[0]) && s.data[0]) s.data++, s.size--;
    while (s.size && strchr(" \t\n\v\f\r", s.data[s.size - 1]) && s.data[s.size - 1]) s.size--;
    bool negative = s.size && s.data[0] == '-';
    if (s.size && (s.data[0] == '-' || s.data[0] == '+')) s.data++, s.size--;
    if (s.size == 0) return false;
    int64_t value = 0; /* computed as a negative number, so that INT64_MIN fits */
    for (size_t i = 0; i < s.size; i++) {
        if (s.data[i] < '0' || s.data[i] > '9') return false;
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_sub_overflow(value, s.data[i] - '0', &value))
            return false;
    }
    if (!negative && value == INT64_MIN) return false;
    *out = negative ? value : -value;
    return true;
}
