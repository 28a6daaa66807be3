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

/* ---- how near two names are ---- */

enum { LETTERS_MOST = 63 }; /* no name of ours is longer */

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static bool same(char a, char b) { return (a == '-' ? '_' : a) == (b == '-' ? '_' : b); }

size_t tfp_name_distance(const char *a, const char *b)
{
    size_t an = a ? strlen(a) : SIZE_MAX, bn = b ? strlen(b) : SIZE_MAX;
    if (an > LETTERS_MOST || bn > LETTERS_MOST) return SIZE_MAX;
    size_t rows[3][LETTERS_MOST + 1], *two_up = rows[0], *up = rows[1], *row = rows[2];
    for (size_t j = 0; j <= bn; j++) up[j] = two_up[j] = j;
    for (size_t i = 1; i <= an; i++) {
        row[0] = i;
        for (size_t j = 1; j <= bn; j++) {
            row[j] = least(up[j] + 1, row[j - 1] + 1, up[j - 1] + !same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]) && two_up[j - 2] + 1 < row[j])
                row[j] = two_up[j - 2] + 1;
        }
        size_t *oldest = two_up;
        two_up = up;
        up = row;
        row = oldest;
    }
    return up[bn];
}
